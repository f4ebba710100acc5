//! Prints `docs/DIALECTS.md`; `cargo xtask dialects` writes it there.

fn main() {
    print!("{}", takewise_dialects::rules::tables());
}
