// Links that nobody should follow: `node tests/links.mjs`. Needs no browser.

import assert from "node:assert/strict";
import { extents, fromHash, isElement } from "../src/schema.js";
import { python, rust, toHash } from "../src/share.js";

const empty = { names: [] };
assert.deepEqual(fromHash("#names=abc&names=5&lib=evil&tab=x&lang=../..&__proto__=1&constructor=1&puzzle=1e9&theme=red"), empty);
for (const x of [
  "x~int64~9007199254740991,0~1", `x~int64~${Array(20000).fill(1)}~1`, "x~int64~-1~1", "x~int64~1e3~1", "x~int64~5000~1", "x~int64~1~1,2",
  "x~int64);__import__('os').system('x')~1~1", "x;y~int64~1~1", "x~int64~1~__import__('os')", "x~float32~1~1);y", "x~int64~1~1\n2", "x~int64", "__proto__",
]) {
  assert.deepEqual(fromHash(`#e=x&x=${encodeURIComponent(x)}`).names, [], x.slice(0, 60));
}
assert.deepEqual(fromHash("#x=x~int64~1~1&x=x~int64~1~2").names.length, 1);
assert.equal(fromHash(`#e=${"x".repeat(30000)}`).e, undefined);
for (const [dtype, text] of [["bool", "True"], ["int8", "-3"], ["float32", "1e-3"], ["float64", ".5"], ["float16", "-inf"], ["complex64", "1-2j"], ["complex64", "(1+nanj)"], ["complex128", "2j"], ["complex64", "3"]]) {
  assert.ok(isElement(dtype, text), `${dtype} ${text}`);
}
assert.deepEqual([extents(["2", "0"]), extents([]), extents(["4096", "1"])], [[2, 0], [], [4096, 1]]);

// What the page writes, it reads; what is no element is a text in a program.
const names = [{ name: "x", dtype: "float32", shape: [2, 2], values: ["1.5", "nan", "-2", "1e9"] }, { name: "é", dtype: "bool", shape: [0], values: [] }];
const state = { lang: "zh", theme: "dark", mode: "explore", expression: "x[é, 0] + 1", dialect: "jax", names, tab: "share" };
const said = fromHash(toHash(state));
assert.deepEqual([said.names, said.e, said.lib, said.tab, said.lang], [names, state.expression, "jax", "share", "zh"]);
const odd = { ...state, names: [{ name: "x", dtype: "int64", shape: [1], values: ["0]);__import__('os')#"] }] };
assert.ok(python(odd).includes(`x = jnp.array(["0]);__import__('os')#"], dtype=jnp.int64)`), python(odd));
assert.ok(rust(odd).includes("session.exec"));
console.log("links: all refused or read as written");
