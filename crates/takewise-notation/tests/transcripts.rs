//! Every transcript of the repository and the examples of its pages, run as `takewise run` runs it.

use std::fs;

use takewise_dialects::TORCH;
use takewise_notation::{Session, transcript};

#[test]
fn transcripts_hold() {
    let paths = crate::shared::pages::documents();
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
    assert!(examples_seen > 0, "no examples at all");
    assert!(failures.is_empty(), "{failures}");
}
