//! Answers requests natively, one a line, as the page's WebAssembly answers them.

use std::io::{self, BufRead, Write};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        writeln!(out, "{}", takewise_page::answer(&line?))?;
    }
    out.flush()
}
