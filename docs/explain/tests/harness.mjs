// A browser, a server for static files, and what a page said and asked for while it was open.

import { createServer } from "node:http";
import { readFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json", ".wasm": "application/wasm" };

/** Serves a folder on a port of this machine. */
export async function serve(folder) {
  const server = createServer(async (request, response) => {
    const name = normalize(new URL(request.url, "http://localhost").pathname.replace(/\/$/, "/index.html"));
    try {
      const bytes = await readFile(join(folder, name));
      response.writeHead(200, { "content-type": TYPES[extname(name)] ?? "application/octet-stream" }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${server.address().port}/index.html`, close: () => server.close() };
}

export class Browser {
  static async launch(executablePath, folder) {
    const profile = await mkdtemp(join(tmpdir(), "takewise-page-"));
    const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
    // A context of its own for each page is made in the one persistent browser, whose profile is new and thrown away.
    const browser = await chromium.launch({ executablePath, args, headless: true, env: { ...process.env, HOME: profile } });
    return Object.assign(new Browser(), { browser, profile, folder, file: pathToFileURL(join(folder, "index.html")).href });
  }

  /** Opens a page and waits until `ready` is there; `seen` collects what it said on the console, what it asked for and what was missing. */
  async open(url, { width = 1200, height = 900, scheme = "light", locale = "en-GB", touch = false, ready = "html[data-ready]" } = {}) {
    const context = await this.browser.newContext({ viewport: { width, height }, colorScheme: scheme, locale, hasTouch: touch });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]).catch(() => {});
    const page = await context.newPage();
    const seen = { said: [], asked: [], missing: [] };
    page.on("console", (message) => seen.said.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => seen.said.push(`uncaught: ${error.message}`));
    page.on("request", (request) => seen.asked.push(request.url()));
    page.on("response", (response) => response.status() < 400 || seen.missing.push(response.url()));
    await page.goto(url);
    await page.waitForSelector(ready, { timeout: 60_000 });
    return { page, seen, close: () => context.close() };
  }

  async close() {
    await this.browser.close();
    await rm(this.profile, { recursive: true, force: true });
  }
}

/** Fails unless it holds. */
export function check(holds, what) {
  if (!holds) throw new Error(what);
}

/** Fails unless both are the same as JSON, and says where they are not. */
export function same(a, b, what) {
  const at = difference(a, b, "");
  if (at !== null) throw new Error(`${what}: ${at}`);
}

function difference(a, b, path) {
  if (a === b) return null;
  if (typeof a === "object" && typeof b === "object" && a !== null && b !== null && Array.isArray(a) === Array.isArray(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const found = difference(a[key], b[key], `${path}.${key}`);
      if (found !== null) return found;
    }
    return null;
  }
  return `${path || "."} is ${JSON.stringify(a)?.slice(0, 200)} and not ${JSON.stringify(b)?.slice(0, 200)}`;
}
