// What tests see of the page and do to it.

/** A cell of the first result. */
export const result = (page, at = 0) => page.locator(`#results td[data-at="${at}"]`).first();

/** A cell of an operand of the page. */
export const operand = (page, name, at) => page.locator(`#operands [data-name="${name}"] td[data-at="${at}"]`);

/** The classes of a cell. */
export const classes = (locator) => locator.evaluate((cell) => [...cell.classList]);

/** What is said of the chosen cell. */
export const sentence = (page) => page.locator("#sentence").innerText();

/** The values that the results show. */
export const values = (page) => page.locator("#results td[data-at]").evaluateAll((cells) => cells.map((cell) => cell.dataset.value));

/** What is said to be wrong. */
export const problem = (page) => page.locator("#problem:not([hidden])").innerText({ timeout: 5000 });

/** Follows a link within the page. */
export const explore = (page, hash) =>
  page.evaluate((to) => new Promise((done) => {
    if (location.hash === to) return done();
    addEventListener("hashchange", () => setTimeout(done), { once: true });
    location.hash = to;
  }), hash);

/** Types a call, and waits until it is answered. */
export const type = async (page, expression) => {
  await page.fill("#expression", expression);
  await page.waitForTimeout(150);
};
