//! Drawings of explanations, compared with stored ones.
//!
//! `cargo xtask explain-snapshots` writes `tests/golden/` again (it sets `TAKEWISE_BLESS=1`); read the diff.

mod fixtures;
mod html;
mod random;
mod svg;
mod text;

use std::path::{Path, PathBuf};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// Compares a drawing with the stored one, or stores it.
fn matches(name: &str, drawn: &str) {
    let path = golden(name);
    if std::env::var_os("TAKEWISE_BLESS").is_some() {
        std::fs::write(path, drawn).unwrap();
        return;
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    let line = drawn.lines().zip(stored.lines()).position(|(now, then)| now != then);
    assert!(
        drawn == stored,
        "{name} changed from line {:?}; see the head of this file. Now:\n{drawn}",
        line.map(|n| n + 1)
    );
}
