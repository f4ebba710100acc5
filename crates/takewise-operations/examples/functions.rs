//! Prints `docs/functions.md`; `cargo xtask dialects` writes it there.

use takewise_operations::{Entry, all};

/// What stands above the functions.
const HEAD: &str = r#"# The functions of takewise

<!-- Printed from the catalogue by `cargo xtask dialects`: change crates/takewise-operations/src instead. -->

These are the functions that find elements by an index, a mask or a search, with their signatures and examples. They take arrays of
any Python library, and return arrays of the same library. This page is printed from the catalogue
(`crates/takewise-operations`). Python's functions, the command, the web page and explanations are made from it too, so a call means the
same in all of them. A name that ends in `_` writes into the memory of its first argument.

These arguments mean the same everywhere. If one is left out or `None`, the first value in its row holds.

| argument | what it says |
|---|---|
| `bounds` | what happens to index values outside their axis. `"raise"`: an error with axis, position, value and size. `"wrap"`: modulo the length. `"clip"`: the nearest place. `"fill"`: reads give `fill_value`, by default NaN or the like, and writes are dropped. `"drop"`: reads give zero, and writes are dropped |
| `negative` | `True`: negative index values count from the end. `False`: they are outside |
| `duplicates` | which of several stores to one place stays: `"last"`, `"first"`, or `"error"` for none |
| `casting` | which values a write takes. `"same_kind"`: values of the array's kind or one before it, in the order boolean, integer, float, complex; each integer must fit. `"unsafe"`: all, cast as by NumPy's `astype` |
| `out` | memory for the result, of its shape and dtype |
| `threads` | how many threads a large call uses at most; by default as `set_num_threads` says. Results do not depend on it |

A call that raises has written nothing.
"#;

fn main() {
    print!("{HEAD}");
    let mut entries = all().peekable();
    while let Some(entry) = entries.next() {
        let place = entries.next_if(|next| next.operation.name == entry.operation.name);
        print!("{}", section(&entry, place.as_ref()));
    }
}

/// A function, with its form in place beside it.
fn section(entry: &Entry, place: Option<&Entry>) -> String {
    let names: Vec<_> = [Some(entry), place].into_iter().flatten().map(|one| one.name).collect();
    let mut text = format!("\n## `{}`\n\n```python\n", names.join("`, `"));
    for one in [Some(entry), place].into_iter().flatten() {
        text += &format!("takewise.{}{}\n", one.name, one.signature());
    }
    text += "```\n";
    for block in entry.docstring().split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
        text += &match block.starts_with(">>>") {
            true => format!("\n```pycon\n{block}\n```\n"),
            false => format!("\n{}\n", block.replace("``", "`")),
        };
    }
    text
}
