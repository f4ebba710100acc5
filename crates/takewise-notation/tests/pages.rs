//! Pages as a browser copies them, with mistakes of every kind, and what is said of each.
//!
//! `TAKEWISE_UPDATE=1` writes the reports anew.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use takewise_dialects::TORCH;
use takewise_notation::{Session, page};

#[test]
fn what_is_wrong_in_a_page_is_found() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../transcripts/pages");
    let mut seen = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "txt") {
            continue;
        }
        seen += 1;
        let text = fs::read_to_string(&path).unwrap();
        let report = page::replay(&mut Session::new(&TORCH), &text).unwrap();
        let mut said = String::new();
        for finding in &report.findings {
            writeln!(said, "{finding}").unwrap();
        }
        writeln!(said, "{}", report.summary()).unwrap();
        let golden = path.with_extension("report");
        if std::env::var_os("TAKEWISE_UPDATE").is_some() {
            fs::write(&golden, &said).unwrap();
        }
        let want = fs::read_to_string(&golden).unwrap_or_default();
        assert_eq!(said, want, "{}", path.display());
        assert!(!report.holds(), "{} has mistakes", path.display());
    }
    assert_eq!(seen, 4);
}
