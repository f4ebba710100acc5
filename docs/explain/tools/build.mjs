// Makes the page's static files: `node tools/build.mjs ENGINE.wasm FOLDER`. Prints how large they are.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { buildSync } from "esbuild";

/** The engine may not be larger than this, compressed as the page has it. */
const MOST = 1 << 20;

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const [wasm, folder] = process.argv.slice(2);
if (!folder) throw new Error("usage: node tools/build.mjs ENGINE.wasm FOLDER");
mkdirSync(folder, { recursive: true });

// The compiler of Rust does not make the most of WebAssembly's short forms.
const small = join(folder, "engine.wasm");
if (!isNewer(small, wasm)) {
  const opt = join(here, "node_modules/binaryen/bin/wasm-opt");
  const features = ["--enable-bulk-memory", "--enable-sign-ext", "--enable-mutable-globals", "--enable-nontrapping-float-to-int", "--enable-multivalue", "--enable-reference-types"];
  execFileSync(process.execPath, [opt, "-Oz", ...features, "--strip-debug", "--strip-producers", wasm, "-o", small], { stdio: "inherit" });
}

const engine = readFileSync(small);
const packed = gzipSync(engine, { level: 9 });
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
for (const name of ["index.html"]) copyFileSync(join(here, name), join(folder, name));
buildSync({ entryPoints: [join(here, "page.css")], minify: true, outfile: join(folder, "page.css"), charset: "utf8" });

const brotli = (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 } }).length;
const rows = [["engine.wasm", engine]];
for (const name of ["engine.js", "page.js", "page.css", "index.html"]) rows.push([name, readFileSync(join(folder, name))]);
console.log(`${"bytes".padEnd(14)}${"raw".padStart(11)}${"gzip".padStart(11)}${"brotli".padStart(11)}`);
for (const [name, bytes] of rows) {
  const sizes = [bytes.length, gzipSync(bytes, { level: 9 }).length, brotli(bytes)];
  console.log(name.padEnd(14) + sizes.map((n) => n.toLocaleString("en").padStart(11)).join(""));
}
if (packed.length > MOST) throw new Error(`the engine is ${packed.length} bytes compressed, it may be ${MOST}`);

function isNewer(made, from) {
  try {
    return statSync(made).mtimeMs > statSync(from).mtimeMs;
  } catch {
    return false;
  }
}
