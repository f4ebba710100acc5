// Makes the page's static files: `node tools/build.mjs ENGINE.wasm FOLDER`. Prints how large they are.

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { gzipAsync } from "@gfx/zopfli";
import { buildSync } from "esbuild";

/** The engine may not be larger than this, compressed as the page has it: a mebibyte. */
const MOST = 1 << 20;

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const [wasm, folder] = process.argv.slice(2);
if (!folder) throw new Error("usage: node tools/build.mjs ENGINE.wasm FOLDER");
mkdirSync(folder, { recursive: true });

// Shrinking it further with wasm-opt was tried: 15 % off the file are 1 % off what is sent, and Brotli's result grows.
const engine = withoutNames(readFileSync(wasm));
// Zopfli takes seconds, and what it makes is 4 % smaller than what gzip makes; browsers unpack either.
const packed = Buffer.from(await gzipAsync(engine, { numiterations: 5 }));
writeFileSync(join(folder, "engine.js"), `globalThis.TAKEWISE_ENGINE="${packed.toString("base64")}";\n`);
buildSync({
  entryPoints: [join(here, "src/app.js")],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  outfile: join(folder, "page.js"),
});
copyFileSync(join(here, "index.html"), join(folder, "index.html"));
buildSync({ entryPoints: [join(here, "page.css")], minify: true, outfile: join(folder, "page.css"), charset: "utf8" });

const brotli = (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 } }).length;
const rows = [["(the engine)", engine]];
for (const name of ["engine.js", "page.js", "page.css", "index.html"]) rows.push([name, readFileSync(join(folder, name))]);
console.log(`${"bytes".padEnd(14)}${"raw".padStart(11)}${"gzip".padStart(11)}${"brotli".padStart(11)}`);
for (const [name, bytes] of rows) {
  const sizes = [bytes.length, gzipSync(bytes, { level: 9 }).length, brotli(bytes)];
  console.log(name.padEnd(14) + sizes.map((n) => n.toLocaleString("en").padStart(11)).join(""));
}
if (packed.length > MOST) throw new Error(`the engine is ${packed.length} bytes compressed, it may be ${MOST}`);

/** The program without the sections that only people and debuggers read. */
function withoutNames(bytes) {
  const kept = [bytes.subarray(0, 8)];
  for (let at = 8; at < bytes.length; ) {
    let [length, shift, body] = [0, 0, at + 1];
    for (let more = true; more; shift += 7) {
      const byte = bytes[body++];
      length |= (byte & 127) << shift;
      more = byte > 127;
    }
    if (bytes[at] !== 0) kept.push(bytes.subarray(at, body + length));
    at = body + length;
  }
  return Buffer.concat(kept);
}
