// The state in the link, and the call as a program.

import { count } from "./grid.js";
import { statements, used, written } from "./program.js";
import { isElement } from "./schema.js";

/** The state as the part of a link after `#`. */
export function toHash(state) {
  const parts = [];
  const add = (name, value) => parts.push(`${name}=${encodeURIComponent(value).replace(/%2C/g, ",").replace(/%20/g, "+")}`);
  if (state.lang !== "en") add("lang", state.lang);
  if (state.theme !== "auto") add("theme", state.theme);
  if (state.mode === "puzzles") {
    add("puzzle", state.puzzle);
    if (state.answer) add("e", state.answer);
  } else if (state.example) {
    add("example", state.example);
  } else {
    add("e", state.expression);
    add("lib", state.dialect);
    for (const given of state.names) add("x", `${given.name}~${given.dtype}~${given.shape.join(",")}~${given.values.join(",")}`);
  }
  if (state.mode !== "puzzles" && state.tab !== "steps") add("tab", state.tab);
  return `#${parts.join("&")}`;
}

/** Nested lists of values, as Python writes them. */
export function nested(shape, values, number, axis = 0, start = 0) {
  if (axis === shape.length) return number(values[start] ?? "0");
  const step = count(shape.slice(axis + 1));
  const parts = [];
  for (let k = 0; k < shape[axis]; k++) parts.push(nested(shape, values, number, axis + 1, start + k * step));
  return `[${parts.join(", ")}]`;
}

const IMPORTS = {
  torch: "import torch",
  numpy: "import numpy as np",
  mindspore: "import mindspore\nfrom mindspore import Tensor, ops",
  jax: "import jax\nimport jax.numpy as jnp",
  takewise: "import numpy as np\nimport takewise",
};

const ARRAYS = {
  torch: (list, dtype) => `torch.tensor(${list}, dtype=torch.${dtype})`,
  numpy: (list, dtype) => `np.array(${list}, dtype=np.${dtype})`,
  mindspore: (list, dtype) => `Tensor(${list}, mindspore.${dtype === "bool" ? "bool_" : dtype})`,
  jax: (list, dtype) => `jnp.array(${list}, dtype=jnp.${dtype})`,
  takewise: (list, dtype) => `np.array(${list}, dtype=np.${dtype})`,
};

/** Elements as Python writes them. What is no element is a text there, and no code. */
function pythonNumber(dialect, dtype) {
  const module = { torch: "torch", numpy: "np", mindspore: "np", jax: "jnp", takewise: "np" }[dialect];
  return (typed) => {
    if (!isElement(dtype, typed)) return JSON.stringify(typed);
    const text = typed.trim();
    if (/^(true|t)$/i.test(text)) return "True";
    if (/^(false|f)$/i.test(text)) return "False";
    if (/^[-+]?(nan|inf|infinity)$/i.test(text)) {
      const sign = text.startsWith("-") ? "-" : "";
      return `${sign}${module}.${/nan/i.test(text) ? "nan" : "inf"}`;
    }
    if (/nan|inf/i.test(text)) return `complex("${text}")`;
    // Python takes `0` and `10`, and no `010`.
    return text.replace(/(?<![\d.])0+(?=\d)/g, "");
  };
}

/** The statements that make the operands, in Python. */
function operands(state) {
  const number = (given) => pythonNumber(state.dialect, given.dtype);
  const array = (given) => ARRAYS[state.dialect](nested(given.shape, given.values, number(given)), given.dtype);
  return used(state.expression, state.names).map((given) => `${given.name} = ${array(given)}`);
}

/** The call as a Python program. */
export function python(state) {
  const lines = [IMPORTS[state.dialect], "", ...operands(state)];
  const all = statements(state.expression).map(({ text }) => text);
  const target = written(state.expression);
  if (target) lines.push(...all, `print(${target})`);
  else {
    const last = all.pop() ?? "";
    // A comment would take the bracket with it.
    lines.push(...all, last.includes("#") ? `print(\n    ${last}\n)` : `print(${last})`);
  }
  return `${lines.join("\n")}\n`;
}

const FACES = { torch: "TORCH", numpy: "NUMPY", mindspore: "MINDSPORE", jax: "JAX", takewise: "NEUTRAL" };

/** The call as a Rust program, which evaluates it by the crates this page consists of. */
export function rust(state) {
  const face = FACES[state.dialect];
  // takewise's own arrays are made by takewise here, not by NumPy.
  const own = (line) => (state.dialect === "takewise" ? line.replace(" = np.array(", " = takewise.tensor(").replace("dtype=np.", "dtype=takewise.") : line);
  const text = (line) => JSON.stringify(line);
  const target = written(state.expression);
  const run = target
    ? [`    session.exec(${text(state.expression)})?;`, `    let value = session.eval(${text(target)})?;`]
    : [`    let value = session.exec(${text(state.expression)})?.unwrap_or(Value::None);`];
  return [
    `use takewise_dialects::{EvalError, ${face}, ${target ? "" : "Value, "}print};`,
    "use takewise_notation::Session;",
    "",
    "fn main() -> Result<(), EvalError> {",
    `    let mut session = Session::new(&${face});`,
    ...operands(state).map((line) => `    session.exec(${text(own(line))})?;`),
    ...run,
    '    println!("{}", print::repr(&value));',
    "    Ok(())",
    "}",
    "",
  ].join("\n");
}
