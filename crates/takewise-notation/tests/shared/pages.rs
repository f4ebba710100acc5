//! The documents whose examples are in the notation.

use std::fs;
use std::path::{Path, PathBuf};

/// The transcripts, the guide, and the pages for users in `docs/`. A page whose examples import takewise is Python's, as README is, and
/// `python/tests/test_pages.py` runs it.
pub(crate) fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let of = |folder: &str, end: &str| -> Vec<PathBuf> {
        let entries = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.extension().is_some_and(|e| e == end)).collect()
    };
    let mut paths = of("transcripts", "txt");
    let pages: Vec<_> =
        ["docs/start", "docs/guides", "docs/howto"].iter().flat_map(|folder| of(folder, "md")).collect();
    let before = paths.len();
    paths.extend(pages.into_iter().filter(|path| is_notation(&fs::read_to_string(path).unwrap())));
    assert!(paths.len() > before, "no page for users has examples in the notation");
    paths.push(root.join("docs/guide.md"));
    paths.sort();
    paths
}

fn is_notation(page: &str) -> bool {
    let mut examples = page.lines().filter_map(|line| line.strip_prefix(">>> ")).peekable();
    examples.peek().is_some() && !examples.any(|line| line.contains("import") && line.contains("takewise"))
}
