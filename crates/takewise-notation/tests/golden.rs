//! Reference cases recorded from the real libraries (see tools/record/README.md), replayed here.
//!
//! `tests/golden/DIFFERS` lists the cases in which takewise deliberately differs, with a reason each; a
//! listed case that agrees after all is a failure too, so the list cannot rot. `TAKEWISE_GOLDEN=text`
//! shows the failing cases whose id contains the text. `TAKEWISE_RECORDS=folder` replays the records of another
//! folder, with a `DIFFERS` of its own: `tools/record/replay.py` makes such.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use takewise_dialects::{Array, EvalError, Face, Value, elements, lookup, print};
use takewise_notation::Session;

fn folder() -> PathBuf {
    std::env::var_os("TAKEWISE_RECORDS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden"), PathBuf::from)
}

/// Patterns (an id, or a prefix ending in `*`) and reasons, one `pattern: reason` a line.
fn differs() -> Vec<(String, String)> {
    let text = fs::read_to_string(folder().join("DIFFERS")).unwrap_or_default();
    text.lines()
        .filter(|l| !l.trim().is_empty() && !l.starts_with('#'))
        .map(|l| {
            let (pattern, reason) = l.split_once(": ").unwrap_or_else(|| panic!("no reason given: {l}"));
            (pattern.trim().to_owned(), reason.trim().to_owned())
        })
        .collect()
}

fn matches(pattern: &str, id: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => id.starts_with(prefix),
        None => pattern == id,
    }
}

/// An element as the record writes it.
fn json(element: &Value) -> Json {
    let float = |x: f64| {
        if x.is_nan() {
            Json::from("nan")
        } else if x.is_infinite() {
            Json::from(if x > 0.0 { "inf" } else { "-inf" })
        } else if x == 0.0 && x.is_sign_negative() {
            Json::from("-0.0")
        } else {
            Json::from(x)
        }
    };
    match element {
        Value::Bool(b) => Json::from(*b),
        Value::Int(i) => i64::try_from(*i).map_or_else(|_| Json::from(*i as u64), Json::from),
        Value::Float(x) => float(*x),
        Value::Complex(re, im) => Json::from(vec![float(*re), float(*im)]),
        Value::None => Json::from("None"),
        Value::Str(s) => Json::from(&**s),
        Value::DType(d, face) => Json::from(face.dtype_display(*d)),
        other => match other.items() {
            Some(items) => items.iter().map(json).collect(),
            None => Json::from(print::display(other)),
        },
    }
}

/// Numbers compare by value: `1` and `1.0` are the same record of a float.
fn same(want: &Json, got: &Json) -> bool {
    match (want, got) {
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Json::Number(a), Json::Number(b)) => a == b || (a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64(),
        // A complex record may be written as a real number where the imaginary part is +0.
        (Json::Null, Json::String(s)) => s == "None",
        _ => want == got,
    }
}

fn compare_array(record: &Json, array: &Array) -> Result<(), String> {
    let tensor = array.tensor();
    let fact = |what: &str, want: &Json, got: Json| {
        if same(want, &got) { Ok(()) } else { Err(format!("{what}: expected {want}, got {got}")) }
    };
    fact("dtype", &record["dtype"], Json::from(tensor.dtype().name()))?;
    fact("shape", &record["shape"], Json::from(tensor.shape().to_vec()))?;
    if let Some(data) = record.get("data") {
        let got = elements(&tensor).map_err(|e| e.to_string())?;
        fact("data", data, got.iter().map(json).collect())?;
    }
    let size = tensor.dtype().size() as isize;
    let strides: Vec<isize> = tensor.layout().strides().iter().map(|s| s / size).collect();
    // Only torch promises the layout of its copies, and only where an axis is walked do strides mean anything.
    let torch = array.face.name == "torch";
    let view = record.get("view").is_some();
    let walked = |s: &[isize]| {
        s.iter().zip(tensor.shape()).filter(|(_, n)| torch || **n > 1).map(|(s, _)| *s).collect::<Vec<_>>()
    };
    match record.get("strides") {
        Some(want) if torch || view => {
            let want: Vec<isize> =
                want.as_array().into_iter().flatten().filter_map(|s| s.as_i64()).map(|s| s as isize).collect();
            fact("strides", &Json::from(walked(&want)), Json::from(walked(&strides)))?;
        }
        None if torch && !tensor.is_contiguous() => {
            return Err(format!("strides: expected contiguous, got {strides:?}"));
        }
        _ => {}
    }
    if let Some(want) = record.get("scalar") {
        fact("scalar", want, Json::from(array.scalar))?;
    }
    if let Some(want) = record.get("repr") {
        fact("repr", want, Json::from(print::repr(&Value::Array(array.clone()))))?;
    }
    if let Some(want) = record.get("str") {
        fact("str", want, Json::from(print::display(&Value::Array(array.clone()))))?;
    }
    Ok(())
}

fn compare(record: &Json, value: &Value) -> Result<(), String> {
    if let Some(items) = record.get("items").and_then(Json::as_array) {
        let got = value.items().ok_or_else(|| format!("expected {} items, got {value:?}", items.len()))?;
        if got.len() != items.len() {
            return Err(format!("expected {} items, got {}", items.len(), got.len()));
        }
        return items.iter().zip(&got).try_for_each(|(r, v)| compare(r, v));
    }
    if record.get("dtype").is_some() {
        let array = value.array().ok_or_else(|| format!("expected an array, got {value:?}"))?;
        return compare_array(record, array);
    }
    let want = &record["value"];
    let got = json(value);
    if same(want, &got) { Ok(()) } else { Err(format!("value: expected {want}, got {got}")) }
}

/// What `x` holds, as text that shows every bit that matters.
fn state(session: &Session) -> Option<String> {
    let array = session.get("x")?.array()?;
    let items = elements(&array.tensor()).ok()?;
    Some(format!("{:?} {items:?}", array.shape()))
}

fn replay(record: &Json, face: &'static Face) -> Result<(), String> {
    let lines: Vec<&str> = record["run"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let mut session = Session::new(face);
    let mut before = None;
    let mut outcome: Result<Value, (usize, EvalError)> = Err((0, EvalError::runtime_error("nothing was run")));
    for (i, line) in lines.iter().enumerate() {
        before = state(&session);
        let result = if i + 1 == lines.len() { session.eval(line) } else { session.exec(line).map(|_| Value::None) };
        let failed = result.is_err();
        outcome = result.map_err(|e| (i, e));
        if failed {
            break;
        }
    }
    match (record.get("error"), outcome) {
        (None, Ok(value)) => compare(record, &value),
        (None, Err((at, e))) => Err(format!("unexpected error in statement {at}: {e}")),
        (Some(class), Ok(value)) => Err(format!("expected {class}: {}, got {value:?}", record["text"])),
        (Some(class), Err((at, e))) => {
            let text = record["text"].as_str().unwrap_or_default();
            // Where the library says nothing, its class is all there is to agree with.
            if class != e.class() || (text != e.first_line().trim_end() && !text.is_empty()) {
                return Err(format!(
                    "expected {}: {text}\n     got {}: {}",
                    class.as_str().unwrap_or(""),
                    e.class(),
                    e.first_line()
                ));
            }
            if record["at"].as_u64() != Some(at as u64) {
                return Err(format!("expected the error in statement {}, got it in {at}", record["at"]));
            }
            if before != state(&session) && record.get("after").is_some() {
                return Err("the failing statement changed x".into());
            }
            Ok(())
        }
    }
}

#[test]
fn recorded_cases_replay() {
    let shown = std::env::var("TAKEWISE_GOLDEN").ok();
    let differs = differs();
    let mut used = vec![false; differs.len()];
    let mut table = String::new();
    let mut unexpected: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut files: Vec<PathBuf> = fs::read_dir(folder())
        .unwrap()
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "jsonl"))
        .collect();
    files.sort();
    for path in files {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let Some(face) = lookup::named(name.split('_').next().unwrap()) else { continue };
        let (mut passed, mut listed, mut failed) = (0, 0, 0);
        for line in fs::read_to_string(&path).unwrap().lines() {
            let record: Json = serde_json::from_str(line).unwrap();
            // The notation has no functions of its own: python/tests/test_records.py runs what takes one.
            if name == "mindspore_gradient" {
                continue;
            }
            let id = record["id"].as_str().unwrap().to_owned();
            let full = format!("{}/{id}", face.name);
            let outcome = std::panic::catch_unwind(|| replay(&record, face)).unwrap_or_else(|_| Err("panicked".into()));
            let entry = differs.iter().position(|(p, _)| matches(p, &full));
            match (outcome, entry) {
                (Ok(()), None) => passed += 1,
                (Ok(()), Some(k)) if differs[k].0.ends_with('*') => passed += 1,
                (Ok(()), Some(_)) => {
                    failed += 1;
                    unexpected.entry(name.clone()).or_default().push(format!("{full}: listed in DIFFERS but agrees"));
                }
                (Err(_), Some(k)) => {
                    used[k] = true;
                    listed += 1;
                }
                (Err(why), None) => {
                    failed += 1;
                    let run = record["run"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|s| format!("    {}\n", s.as_str().unwrap()))
                        .collect::<String>();
                    unexpected.entry(name.clone()).or_default().push(format!("{full}\n{run}  {why}"));
                }
            }
        }
        let _ = writeln!(table, "{name:24} {passed:5} agree {listed:4} listed {failed:5} fail");
    }
    println!("{table}");
    let all: String =
        unexpected.iter().flat_map(|(n, cases)| cases.iter().map(move |c| format!("--- {n}: {c}\n"))).collect();
    fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("golden-failures.txt"), all).unwrap();
    for (pattern, _) in differs.iter().zip(&used).filter(|(_, used)| !**used).map(|(d, _)| d) {
        unexpected.entry("DIFFERS".into()).or_default().push(format!("{pattern}: no such difference"));
    }
    let total: usize = unexpected.values().map(Vec::len).sum();
    for (name, cases) in &unexpected {
        let wanted = cases.iter().filter(|c| shown.as_ref().is_none_or(|s| c.contains(s.as_str())));
        let limit = if shown.is_some() { 40 } else { 3 };
        for case in wanted.take(limit) {
            println!("--- {name}: {case}");
        }
    }
    assert_eq!(total, 0, "{total} recorded cases do not replay");
}
