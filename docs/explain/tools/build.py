"""Makes the page's static files and prints how large they are. Needs Python and zopfli, and no Node.

    python docs/explain/tools/build.py ENGINE.wasm FOLDER
"""

import base64
import json
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parents[1]
# The engine may not be larger than this, compressed as the page has it.
# One mebibyte, and what it differs by from one folder to another, as the compiler orders functions by names that have the path in them.
MOST = (1 << 20) + (8 << 10)
IMPORT = re.compile(r'^import (\w+|\{[\w, ]+\}) from "(.+)";\n', re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.M)


def main(wasm, folder):
    wasm, folder = pathlib.Path(wasm), pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    written = folder / "engine.js"
    # Packing takes seconds.
    if not written.exists() or written.stat().st_mtime < wasm.stat().st_mtime:
        written.write_text(engine(wasm.read_bytes()), encoding="ascii")
    (folder / "page.js").write_text(joined(HERE / "src/app.js"), encoding="utf-8")
    for name in ("index.html", "page.css"):
        shutil.copy(HERE / name, folder)
    for name in ("engine.js", "page.js", "page.css", "index.html"):
        print(f"{name:<12}{(folder / name).stat().st_size:>12,} bytes")


def engine(wasm):
    """The engine as a script: gzipped, as text."""
    # Where it cannot be had, the rest of this file is still of use.
    import zopfli.gzip

    # What it makes is 4 % smaller than what gzip makes; browsers unpack either.
    packed = zopfli.gzip.compress(without_names(wasm), numiterations=15)
    print(f"the engine: {len(wasm):,} bytes, {len(packed):,} gzipped, may be {MOST:,}")
    if len(packed) > MOST:
        sys.exit(f"the engine is {len(packed)} bytes compressed, it may be {MOST}")
    return f'globalThis.TAKEWISE_ENGINE="{base64.b64encode(packed).decode()}";\n'


def without_names(wasm):
    """The program without the sections that only people and debuggers read."""
    kept, at = [wasm[:8]], 8
    while at < len(wasm):
        length, shift, body, more = 0, 0, at + 1, True
        while more:
            length |= (wasm[body] & 127) << shift
            more = wasm[body] > 127
            shift, body = shift + 7, body + 1
        if wasm[at] != 0:
            kept.append(wasm[at : body + length])
        at = body + length
    return b"".join(kept)


def joined(entry):
    """A module and all that it imports as one script, as a page from disk may not load modules. Each becomes a function that is
    called once, after those it imports, and returns what it exports."""
    numbers, made = {}, []

    def add(path, above):
        if path in above:
            sys.exit(f"{path.name} imports itself, by way of {above[-1].name}")
        if path not in numbers:
            text = path.read_text(encoding="utf-8")
            for _, address in IMPORT.findall(text):
                add((path.parent / address).resolve(), (*above, path))
            numbers[path] = len(numbers)
            made.append(f"// {path.name}\nconst m{numbers[path]} = {body(path, text)};\n")

    def body(path, text):
        if path.suffix == ".json":
            return json.dumps(json.loads(text), ensure_ascii=False)
        exported = EXPORT.findall(text)
        text = IMPORT.sub(lambda found: f"const {found[1]} = m{numbers[(path.parent / found[2]).resolve()]};\n", text)
        text = EXPORT.sub("", text)
        if left := re.search(r"^(import|export)\b.*", text, re.M):
            sys.exit(f"{path.name}: this build does not read `{left[0]}`")
        return f"(() => {{\n{text}return {{ {', '.join(exported)} }};\n}})()"

    add(entry.resolve(), ())
    return '"use strict";\n(() => {\n' + "".join(made) + "})();\n"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
