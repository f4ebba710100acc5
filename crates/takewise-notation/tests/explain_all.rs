//! Every example of the documents and every recorded case is explained: the lists replay to the result, and a call that fails
//! is explained by the class it fails with.

mod shared;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value as Json;
use shared::{number, replay};
use takewise_dialects::{Array, Value, elements, lookup};
use takewise_explain::Explanation;
use takewise_notation::{Session, explanation, transcript};

/// What has been explained: the library and the operation.
type Seen = BTreeSet<(String, String)>;

/// Explains a statement, runs it, and compares; then the session has gone on.
fn check(session: &mut Session, source: &str, seen: &mut Seen) -> Result<usize, String> {
    let explained = explanation(session, source);
    let done = session.exec(source);
    session.take_output();
    let explained = match (explained, &done) {
        (Ok(explained), _) => explained,
        // No operation is asked about, or it is not got as far as that.
        (Err(_), Err(_)) => return Ok(0),
        (Err(e), Ok(_)) if e.class() == "NotImplementedError" || e.text() == "nothing to explain" => return Ok(0),
        (Err(e), Ok(_)) => return Err(format!("not explained: {e}")),
    };
    match (&explained.error, &done) {
        (Some(error), Err(e)) if error.class == e.class() => {}
        (None, Ok(_)) => {}
        // What only the history of the arrays themselves forbids; the copies have none.
        (None, Err(e)) if e.class() == "RuntimeError" && source.contains("fill_(") => return Ok(0),
        (None, Err(e)) if e.text().starts_with("Trying to backward") => return Ok(0),
        (error, done) => {
            let said = done.as_ref().err().map(|e| e.to_string());
            return Err(format!("explained as {error:?}, but the call gives {said:?}"));
        }
    }
    let replayed = replay(&explained)?;
    if let (Ok(Some(Value::Array(array))), Some(result)) = (&done, explained.results.first())
        && explained.results.len() == 1
    {
        same(&explained, result.values.as_deref(), array)?;
    }
    let dialect = if explained.dialect == "takewise" { "neutral" } else { &explained.dialect };
    seen.insert((dialect.to_owned(), explained.operation.clone()));
    Ok(replayed)
}

/// Whether the values shown are those of the real call.
fn same(explained: &Explanation, values: Option<&[String]>, array: &Array) -> Result<(), String> {
    let (Some(values), Ok(real)) = (values, elements(&array.tensor())) else { return Ok(()) };
    let wanted = real.iter().map(|v| match v {
        Value::Bool(b) => Some((f64::from(u8::from(*b)), 0.0)),
        Value::Int(i) => Some((*i as f64, 0.0)),
        Value::Float(x) => Some((*x, 0.0)),
        Value::Complex(re, im) => Some((*re, *im)),
        _ => None,
    });
    let nan = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
    // Texts of narrow floats have as few digits as tell them apart.
    let near = |a: f64, b: f64| nan(a, b) || (a - b).abs() <= 1e-2 * a.abs().max(b.abs()).max(1e-5);
    let close = |text: &String, want: Option<(f64, f64)>| {
        want.is_none_or(|want| near(number(text).0, want.0) && near(number(text).1, want.1))
    };
    match values.len() == real.len() && values.iter().zip(wanted).all(|(text, want)| close(text, want)) {
        true => Ok(()),
        false => Err(format!("shows {values:?} for {}: {real:?}", explained.expression, real = real.len())),
    }
}

fn root() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All examples of the pages and transcripts.
fn documents(seen: &mut Seen, failures: &mut Vec<String>) -> usize {
    let mut paths: Vec<_> = fs::read_dir(root().join("transcripts")).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "txt"));
    paths.extend(["README.md", "docs/guide.md"].map(|page| root().join(page)));
    paths.sort();
    let mut replayed = 0;
    for path in paths {
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
