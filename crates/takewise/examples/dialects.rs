//! Prints `docs/DIALECTS.md`; `cargo xtask dialects` writes it there.

fn main() {
    print!("{}", takewise::index::dialect::tables());
}
