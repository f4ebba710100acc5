// What is told of a call that is typed: the operands that it reads, and where axes go.

import { check, same } from "./harness.mjs";
import { explore, type, values } from "./look.mjs";

/** The tests by name. `quiet(seen)` fails where the page has said or asked for something. */
export const calls = (browser, url, quiet) => ({
  async "operands that are not read are offered"() {
    const { page, seen, close } = await browser.open(url);
    const cards = () => page.locator("#operands .card:visible h3, #operands .card:visible input.name").evaluateAll((all) => all.map((one) => one.value ?? one.textContent));
    const offered = () => page.locator("#offers button:visible").allInnerTexts();
    same([await cards(), await offered()], [["input", "index"], []], "both are read");
    await type(page, "torch.gather(torch.tensor([[5, 6, 7], [8, 9, 10]]), 1, index)");
    same([await cards(), await offered()], [["index", "input"], ["input"]], "one card is named input, that of the call");
    check((await page.locator("#operands .card:visible").last().innerText()).includes("made in the call"), "which made it");
    same(await values(page), ["5", "5", "9", "8"], "and it is what was gathered from");
    await type(page, "index + ");
    await page.getByRole("button", { name: "Put input into the call" }).click();
    same(await page.inputValue("#expression"), "index + input", "it is put into the call");
    await page.waitForTimeout(150);
    same([await cards(), await offered()], [["index", "input"].sort().reverse(), []], "and has its card again");
    await page.click("#add");
    same([(await cards()).includes("x"), await offered()], [true, ["x"]], "one that was just added has a card, to be filled in");
    quiet(seen);
    await close();
  },
  async "why axes go to the front"() {
    const { page, seen, close } = await browser.open(`${url}#example=fancy-apart`);
    const why = page.locator("#results .why");
    same(await why.innerText(), "The axes of i and j go to the front: axis 1 of a stands between the indices, so they had no place in common.", "a slice");
    await type(page, "a[:, i, j]");
    check((await why.count()) === 0, "side by side they stay");
    await type(page, "a[0, :, i]");
    check((await why.count()) === 0, "PyTorch applies an integer first");
    await page.selectOption("#dialect", "numpy");
    check((await why.innerText()).includes("here the integer is an index too"), "NumPy does not");
    await explore(page, "#lang=zh&example=fancy-apart");
    same(await why.innerText(), "i 和 j 的轴排到最前：a 的轴 1 隔在索引之间，它们没有共同的原位。", "in Chinese");
    quiet(seen);
    await close();
  },
});
