//! Every transcript of the repository and the examples of its pages, run as `takewise run` runs it.

use std::fs;
use std::path::Path;

use takewise_dialects::TORCH;
use takewise_notation::{Session, transcript};

#[test]
fn transcripts_hold() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("transcripts");
    let mut paths: Vec<_> = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "txt"));
    paths.sort();
    paths.extend(["README.md", "docs/guide.md"].map(|page| root.join(page)));
    let mut failures = String::new();
    let mut examples_seen = 0;
    for path in &paths {
        let text = fs::read_to_string(path).unwrap();
        let examples = transcript::parse(&text);
        assert!(!examples.is_empty(), "{} has no examples", path.display());
        examples_seen += examples.len();
        let report = transcript::check(&mut Session::new(&TORCH), &examples);
        for mismatch in report.failed {
            failures.push_str(&format!("{}: {mismatch}\n", path.display()));
        }
    }
    assert!(examples_seen > 0, "no transcripts in {}", folder.display());
    assert!(failures.is_empty(), "{failures}");
}
