// What an operand of the page may be, and what a link may say. All that comes from an address is checked here.

/** Elements of an operand, as the engine has it, and the longest expression that a link holds. */
export const MOST = 4096;
const LONGEST = 20_000;
const OPERANDS = 26;
const AXES = 8;

export const DTYPES = [
  "bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64",
  "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
];

const REAL = String.raw`[-+]?(?:\d{1,60}\.?\d{0,60}|\.\d{1,60})(?:e[-+]?\d{1,5})?|[-+]?(?:nan|inf|infinity)`;
const KINDS = [
  [/^bool$/, /^(?:true|false|t|f|1|0)$/i],
  [/^u?int/, /^[-+]?\d{1,40}$/],
  [/float/, new RegExp(`^(?:${REAL})$`, "i")],
  [/complex/, new RegExp(`^\\(?(?:${REAL})?(?:[-+]?(?:${REAL})j)?\\)?$`, "i")],
];

// Names that Python keeps for itself, and those that a program of the page imports or calls.
const TAKEN = new Set((
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda "
  + "nonlocal not or pass raise return try while with yield torch np numpy mindspore Tensor ops jax jnp takewise print complex"
).split(" "));

/** Whether a text can be the name of an operand: a name for the engine and for Python, which would read another form of it as the same. */
export const isName = (text) =>
  text.length <= 60 && /^(?=[\p{XID_Start}_]\p{XID_Continue}*$)[\p{L}_][\p{L}\p{Nd}_]*$/u.test(text) && text === text.normalize("NFKC") && !TAKEN.has(text);

/** Whether a text is an element of a dtype. */
export function isElement(dtype, text) {
  const kind = KINDS.find(([name]) => name.test(dtype));
  return DTYPES.includes(dtype) && text !== "" && text.length <= 260 && kind[1].test(text.trim());
}

/** The extents that are written so, or null: few axes, few elements, and few lists where an extent is zero. */
export function extents(parts) {
  if (parts.length > AXES || !parts.every((part) => /^\d{1,15}$/.test(part))) return null;
  const shape = parts.map(Number);
  return shape.reduce((all, n) => all * Math.max(n, 1), 1) <= MOST ? shape : null;
}

/** An operand as a link has it: `name~dtype~shape~values`; null where it is none. */
function operand(text) {
  const [name, dtype, shape, ...rest] = text.split("~");
  if (rest.length !== 1 || !isName(name) || !DTYPES.includes(dtype)) return null;
  const lengths = extents(shape === "" ? [] : shape.split(","));
  if (lengths === null) return null;
  const values = rest[0] === "" ? [] : rest[0].split(",");
  const total = lengths.reduce((all, n) => all * n, 1);
  if (values.length > Math.max(total, 1) || !values.every((value) => isElement(dtype, value))) return null;
  return { name, dtype, shape: lengths, values: Array.from({ length: total }, (_, k) => values[k] ?? (dtype === "bool" ? "False" : "0")) };
}

const among = (...words) => (value) => words.includes(value);

/** What a link may say, and what of it is understood. */
const SAID = {
  lang: among("en", "zh"),
  theme: among("light", "dark", "auto"),
  tab: among("steps", "libraries", "rules", "plan", "share"),
  lib: among("torch", "numpy", "mindspore", "jax", "takewise"),
  puzzle: (value) => /^\d{1,4}$/.test(value),
  example: (value) => /^[\w-]{1,60}$/.test(value),
  e: (value) => value.length <= LONGEST,
};

/** What a link says, as far as it is understood. */
export function fromHash(hash) {
  const said = { names: [] };
  if (hash.length > 40 * LONGEST) return said;
  for (const part of hash.replace(/^#/, "").split("&")) {
    const cut = part.indexOf("=");
    const name = part.slice(0, Math.max(cut, 0));
    let value;
    try {
      value = decodeURIComponent(part.slice(cut + 1).replace(/\+/g, " "));
    } catch {
      continue;
    }
    if (name === "x") {
      const given = operand(value);
      const fits = given && said.names.length < OPERANDS && !said.names.some((other) => other.name === given.name);
      if (fits) said.names.push(given);
    } else if (Object.hasOwn(SAID, name) && SAID[name](value)) {
      said[name] = value;
    }
  }
  return said;
}
