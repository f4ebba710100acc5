// The engine: WebAssembly that stands in `engine.js` beside the page as text, so that the page works from disk too.

let instance = null;
let module = null;

async function unpack() {
  const packed = Uint8Array.from(atob(globalThis.TAKEWISE_ENGINE), (c) => c.charCodeAt(0));
  delete globalThis.TAKEWISE_ENGINE;
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Loads it, once. */
export async function load() {
  module ??= await WebAssembly.compile(await unpack());
  instance = await WebAssembly.instantiate(module, {});
}

/**
 * Answers a request, an object. A call that the engine cannot survive (it is out of memory) is an answer with `crashed`, after
 * which the engine is there again.
 */
export function ask(request) {
  if (instance === null) return { error: { class: "MemoryError", message: "starting again", crashed: true } };
  const text = new TextEncoder().encode(JSON.stringify(request));
  try {
    const { memory, takewise_alloc, takewise_answer, takewise_free } = instance.exports;
    const at = takewise_alloc(text.length);
    new Uint8Array(memory.buffer, at, text.length).set(text);
    const answer = takewise_answer(at, text.length);
    takewise_free(at, text.length);
    if (answer === 0) throw new WebAssembly.RuntimeError("no memory for the answer");
    const length = new DataView(memory.buffer).getUint32(answer, true);
    const json = new TextDecoder().decode(new Uint8Array(memory.buffer, answer + 4, length));
    takewise_free(answer, length + 4);
    return JSON.parse(json);
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
    instance = null;
    load();
    return { error: { class: "MemoryError", message: String(error.message), crashed: true } };
  }
}
