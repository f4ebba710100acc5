// The documentation site in a real browser: `node tests/site.mjs FOLDER CHROMIUM SCREENSHOTS`.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser, check, same, serve } from "./harness.mjs";

const [folder, chromium, screenshots] = process.argv.slice(2);
check(screenshots, "usage: node tests/site.mjs FOLDER CHROMIUM SCREENSHOTS");
const browser = await Browser.launch(chromium, folder);
const server = await serve(folder);
const FRONTS = { en: "index.html", zh: "zh/index.html" };
const disk = (path) => pathToFileURL(join(folder, path)).href;
const web = (path) => server.url.replace("index.html", path);
// The theme's script sets it.
const ready = "html.js";

/** What a reader opens is there, and so is all that it asks for. */
async function whole() {
  for (const path of [...Object.values(FRONTS), "howto/top-k.html", "zh/howto/top-k.html", "explain.html"]) {
    const { page, seen, close } = await browser.open(web(path), { ready });
    await page.waitForLoadState("networkidle");
    same([seen.missing, seen.said], [[], []], path);
    await close();
  }
}

/** One click from the front is the page, in the reader's language. */
async function interactive() {
  for (const [language, path] of Object.entries(FRONTS)) {
    for (const place of [web, disk]) {
      const { page, close } = await browser.open(place(path), { ready });
      await page.locator("article a[href*='explain/index.html']").first().click();
      await page.waitForSelector("html[data-ready]", { timeout: 60_000 });
      check((await page.getAttribute("html", "lang")).startsWith(language), `the page from ${path}`);
      await close();
    }
  }
}

/** Each language is searched by itself, from disk too. */
async function search() {
  for (const [path, words, inside] of [[FRONTS.en, "gather", /^(?!zh\/)/], [FRONTS.zh, "掩码", /^zh\//], [FRONTS.zh, "gather", /^zh\//], ["zh/howto/top-k.html", "嵌入", /^zh\//]]) {
    for (const place of [web, disk]) {
      const { page, close } = await browser.open(place(path), { ready, width: 1400 });
      // Until the theme's script listens, nothing comes of it.
      for (let tries = 0; tries < 15 && (await page.locator(".md-search-result__link:visible").count()) === 0; tries++) {
        await page.locator(".md-search__input").blur();
        await page.fill(".md-search__input", words);
        await page.waitForTimeout(2000);
      }
      const found = await page.locator(".md-search-result__link").evaluateAll((all) => all.map((one) => one.href));
      const root = place("index.html").replace("index.html", "");
      const strange = found.filter((href) => !href.startsWith(root) || !inside.test(href.slice(root.length)));
      check(found.length > 0 && strange.length === 0, `${words}, ${path}: ${found.length} found, ${strange.slice(0, 2)}`);
      await close();
    }
  }
}

/** A switch for light and dark, and pictures as large on a phone as they are drawn. */
async function looks() {
  for (const [language, path] of Object.entries(FRONTS)) {
    const { page, close } = await browser.open(disk(path), { ready, width: 360, height: 740, touch: true });
    const scheme = () => page.getAttribute("body", "data-md-color-scheme");
    same(await scheme(), "default", "light first");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(wide <= 0, `${path} is ${wide} pixels too wide`);
    const [shown, drawn] = await page.locator("article img").first().evaluate((image) => [image.clientWidth, image.naturalWidth]);
    same(shown, drawn, "the picture is not shrunk");
    await page.screenshot({ path: join(screenshots, `site-${language}-360.png`), fullPage: true });
    await page.locator("header label[for^='__palette']:visible").click();
    same(await scheme(), "slate", "dark after the switch");
    await page.setViewportSize({ width: 1300, height: 900 });
    await page.screenshot({ path: join(screenshots, `site-${language}-dark-1300.png`), fullPage: true });
    await close();
  }
}

let failed = 0;
const only = process.env.ONLY;
for (const test of [whole, interactive, search, looks]) {
  if (only && only !== test.name) continue;
  try {
    await test();
    console.log(`ok   site: ${test.name}`);
  } catch (error) {
    failed++;
    console.log(`FAIL site: ${test.name}: ${error.message}`);
  }
}
await browser.close();
server.close();
process.exit(failed ? 1 : 0);
