//! Every example of the documents and every recorded case is explained: the lists replay to the result, and a call that fails
//! is explained by the class it fails with.

use std::fs;
use std::path::Path;

use crate::shared::check::{Checked, Seen, checked, complete};
use serde_json::Value as Json;
use takewise_dialects::lookup;
use takewise_notation::{Session, transcript};

/// Explains a statement and compares it with what it does; counts the elements replayed.
fn check(session: &mut Session, source: &str, seen: &mut Seen) -> Result<usize, String> {
    let Checked::Replayed(explained, replayed) = checked(session, source)? else { return Ok(0) };
    complete(&explained)?;
    let dialect = if explained.dialect == "takewise" { "neutral" } else { &explained.dialect };
    seen.insert((dialect.to_owned(), explained.operation.clone()));
    Ok(replayed)
}

/// All examples of the pages and transcripts.
fn documents(seen: &mut Seen, failures: &mut Vec<String>) -> usize {
    let mut replayed = 0;
    for path in crate::shared::pages::documents() {
        let mut session = Session::new(&takewise_dialects::TORCH);
        for example in transcript::parse(&fs::read_to_string(&path).unwrap()) {
            match check(&mut session, &example.source, seen) {
                Ok(n) => replayed += n,
                Err(wrong) => {
                    let place = format!("{}:{}", path.file_name().unwrap().display(), example.line);
                    failures.push(format!("{place}: {}\n  {wrong}", example.source));
                }
            }
        }
    }
    replayed
}

/// All recorded cases.
fn records(seen: &mut Seen, failures: &mut Vec<String>) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut replayed = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Some(face) = name.split('_').next().and_then(lookup::named).filter(|_| name.ends_with(".jsonl")) else {
            continue;
        };
        for line in fs::read_to_string(&path).unwrap().lines() {
            let case: Json = serde_json::from_str(line).unwrap();
            let mut session = Session::new(face);
            for source in case["run"].as_array().into_iter().flatten().filter_map(Json::as_str) {
                match check(&mut session, source, seen) {
                    Ok(n) => replayed += n,
                    Err(wrong) => failures.push(format!("{name} {}: {source}\n  {wrong}", case["id"])),
                }
            }
        }
    }
    replayed
}

#[test]
fn every_example_and_every_recorded_case_is_explained_and_replays() {
    let (mut seen, mut failures) = (Seen::new(), Vec::new());
    let replayed = documents(&mut seen, &mut failures) + records(&mut seen, &mut failures);
    println!("{replayed} elements replayed, {} failures", failures.len());
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
    assert!(replayed > 100_000 && seen.len() > 200, "{replayed} elements of {} functions", seen.len());
}
