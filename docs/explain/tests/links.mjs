// Links that nobody should follow, and programs made of what they say: `node tests/links.mjs`. Needs Python, and no browser.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { statements, used } from "../src/program.js";
import { extents, fromHash, isElement, isName } from "../src/schema.js";
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

// Names are names for Python, which has words of its own and reads some letters as others.
for (const name of ["x", "idx_0", "_", "größe", "数", "input"]) assert.ok(isName(name), name);
for (const name of ["", "2x", "lambda", "None", "torch", "np", "x²", "ﬁ", "a-b", "x y", "x;y", "x\n"]) assert.ok(!isName(name), name);

// Of every program Python reads as many statements as there are, and in those that make operands no name but the library's.
const SHAPE = `
import ast, sys
body = ast.parse(sys.stdin.read()).body
made = [node for node in body if isinstance(node, ast.Assign) and node.targets[0].id.startswith("x")]
names = {node.id for one in made for node in ast.walk(one.value) if isinstance(node, ast.Name)}
print(len(body), len(made), *sorted(names - {"torch", "np", "jnp", "complex"}))
`;
const typed = ["007", " 1\n", "1]); y = f([2", '"', "'", "\\", "\u2028", "\r\nimport os", "[f()]", "f()", "nanj", "__debug__", "1+2", "-0", "0"];
for (const [dtype, all] of [["int64", typed], ["float32", [...typed, "nan", "-inf", "00.5", "1e05"]], ["complex64", [...typed, "1+nanj", "(-inf+2j)", "(07+2j)"]], ["bool", [...typed, "T", "1"]]]) {
  for (const dialect of ["torch", "numpy", "jax", "takewise"]) {
    const hostile = all.map((value, k) => ({ name: `x${k}`, dtype, shape: k % 2 ? [] : [1], values: [value] }));
    const text = python({ ...state, dialect, names: hostile, expression: `y = 1; ${hostile.map((given) => given.name).join(" + ")}  # all` });
    const found = execFileSync("python3", ["-W", "ignore", "-c", SHAPE], { input: text, encoding: "utf8" }).trim();
    assert.equal(found, `${hostile.length + text.match(/^import/gm).length + 2} ${hostile.length}`, text);
  }
}

// Which operands a call reads.
const reads = (source) => used(source, ["x", "i", "input"].map((name) => ({ name }))).map((given) => given.name).join();
assert.deepEqual(
  ["x[i]", "torch.gather(input=x, dim=0, index=i)", "input = torch.zeros(3); input[i]", "x = x + 1; x", "y.x['i']  # input", "x == i", "x[i] = 1"].map(reads),
  ["x,i", "x,i", "i", "x", "", "x,i", "x,i"],
);
assert.deepEqual(statements("x = 1; y = '; '\nf(x,\n y)  # a; b\n").map(({ text }) => text), ["x = 1", "y = '; '", "f(x,\n y)  # a; b"]);
console.log("links: all refused or read as written");
