// What can be told of a call from its text alone: statements, and the names that it reads.

const TOKEN = /"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|#[^\n]*|[\p{L}_][\p{L}\p{N}_]*|[\d.][\w.]*|[=!<>]=|\n|\S/gu;
const isWord = (token) => /^[\p{L}_]/u.test(token);

/** The statements: `{text, tokens}`, with the tokens as `{token, depth}`, comments left out. */
export function statements(source) {
  const all = [];
  let [start, depth, tokens] = [0, 0, []];
  const end = (at) => {
    if (tokens.length) all.push({ text: source.slice(start, at).trim(), tokens });
    tokens = [];
  };
  for (const { 0: token, index } of source.matchAll(TOKEN)) {
    if (token.startsWith("#")) continue;
    if (depth === 0 && (token === ";" || token === "\n")) {
      end(index);
      start = index + 1;
      continue;
    }
    if (token === "\n") continue;
    if ("([{".includes(token)) depth++;
    tokens.push({ token, depth });
    if (")]}".includes(token)) depth = Math.max(0, depth - 1);
  }
  end(source.length);
  return all;
}

/** The operands that a call reads. A keyword, an attribute and what the call itself has assigned to are others of the same name. */
export function used(source, names) {
  const [read, assigned] = [new Set(), new Set()];
  for (const { tokens } of statements(source)) {
    const own = [];
    tokens.forEach(({ token, depth }, k) => {
      if (!isWord(token) || tokens[k - 1]?.token === "." || assigned.has(token)) return;
      if (tokens[k + 1]?.token !== "=") read.add(token);
      else if (depth === 0) own.push(token);
    });
    own.forEach((name) => assigned.add(name));
  }
  return names.filter((given) => read.has(given.name));
}

/** The array into which the last statement assigns elements, which is shown afterwards; null if it assigns none. */
export function written(source) {
  const last = statements(source).pop()?.text ?? "";
  const found = last.match(/^([\p{L}_][\p{L}\p{N}_]*)\s*\[.*\]\s*(?:[-+*/|&^]|\/\/|<<|>>)?=(?!=)/su);
  return found ? found[1] : null;
}
