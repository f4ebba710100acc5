//! The page's requests, answered natively: its examples, its puzzles, and what no answer can be given to.

use serde_json::{Value as Json, json};
use takewise_page::answer;

fn ask(request: &Json) -> Json {
    serde_json::from_str(&answer(&request.to_string())).unwrap()
}

fn data(text: &str) -> Vec<Json> {
    serde_json::from_str(text).unwrap()
}

#[test]
fn every_example_is_explained() {
    let groups = data(include_str!("../../../docs/explain/examples.json"));
    let examples: Vec<&Json> = groups.iter().flat_map(|group| group["examples"].as_array().unwrap()).collect();
    assert!(examples.len() > 60);
    let mut failing = Vec::new();
    for example in examples {
        let request = |want: &str| {
            let (expression, dialect, names) = (&example["expression"], &example["dialect"], &example["names"]);
            json!({ "want": want, "expression": expression, "dialect": dialect, "names": names })
        };
        let explained = ask(&request("explanation"));
        let id = example["id"].as_str().unwrap();
        assert_eq!(explained["error"], Json::Null, "{id}");
        if explained["explanation"]["error"] != Json::Null {
            failing.push(id);
        }
        let columns = |want: &str| ask(&request(want))["comparison"]["columns"].as_array().map(Vec::len);
        assert_eq!((columns("comparison"), columns("rules")), (Some(5), Some(5)), "{id}");
        assert!(ask(&request("svg"))["svg"].as_str().unwrap().starts_with("<svg"), "{id}");
    }
    // Those that are there to fail, and no others.
    assert_eq!(failing, ["gather-out", "mask-wrong", "ms-case4-short", "scatter-dim", "out-torch"]);
}

/// What the documents say their calls give.
const DOCUMENTS: &[(&str, &str)] = &[
    ("gather-1d", "1 1"),
    ("gather-2d-0", "1 2 3 2"),
    ("gather-2d-1", "1 1 4 3"),
    ("gather-narrow", "2 1 6 4"),
    ("gather-wide", "2 1 2 1 6 4 6 4"),
    ("b-list", "4 5 0 1 4 5"),
    ("mask-2d", "1 2 4 5"),
    ("slice-d", "4 1 0 3 1 3"),
    ("slice-list", "1 3 4 1 0 3"),
    ("fancy-2", "2 1 4 3"),
    ("ms-gather", "-0.1 -0.1 0.5 0.5"),
    ("ms-case1", "1.0 3.0 5.0 3.0 7.0"),
    ("ms-case2", "1.0 3.0 3.0 7.0"),
    ("ms-case3", "1.0 2.0 3.0 4.0 9.0 10.0 11.0 12.0"),
    ("ms-case4", "1.0 7.0 10.0"),
    ("scatter-1d", "0 0 3 2 1 0 0 0 0 0"),
    ("scatter-2d", "0 0 0 0 1 0 0 0 6 0"),
    ("search-2d", "1 3 4 1 2 4"),
    ("search-right", "2 3 5 1 3 4"),
    ("search-1d", "1 3 4 1 3 4"),
];

#[test]
fn the_documents_calls_give_what_the_documents_say() {
    let groups = data(include_str!("../../../docs/explain/examples.json"));
    for (id, wanted) in DOCUMENTS {
        let mut examples = groups.iter().flat_map(|group| group["examples"].as_array().unwrap());
        let mut request = examples.find(|example| example["id"] == *id).unwrap().clone();
        request["want"] = json!("explanation");
        let values = ask(&request)["explanation"]["results"][0]["values"].clone();
        let values: Vec<&str> = values.as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
        assert_eq!(values.join(" "), *wanted, "{id}");
    }
}

#[test]
fn puzzles_have_a_solution_and_refuse_what_is_none() {
    let puzzles = data(include_str!("../../../docs/explain/puzzles.json"));
    assert_eq!(puzzles.len(), 20);
    for puzzle in &puzzles {
        let judge = |expression: &str| ask(&json!({ "want": "judge", "puzzle": puzzle, "expression": expression }));
        let id = &puzzle["id"];
        assert_eq!(judge(puzzle["solution"].as_str().unwrap())["verdict"], "solved", "{id}");
        let wrong = judge(puzzle["wrong"].as_str().unwrap());
        assert!(["shape", "values", "dtype"].contains(&wrong["verdict"].as_str().unwrap()), "{id}: {wrong}");
        let target = ask(&json!({ "want": "target", "puzzle": puzzle }));
        let module = if puzzle["dialect"] == "numpy" { "np" } else { "torch" };
        let literal = format!("{module}.{}", target["target"]["printed"].as_str().unwrap());
        assert_eq!(judge(&literal)["verdict"], "literal", "{id}: {literal}");
        for name in puzzle["names"].as_array().unwrap() {
            for key in ["text", "title", "hint"] {
                assert!(puzzle[key]["en"].is_string() && puzzle[key]["zh"].is_string(), "{id}: {key}");
            }
            assert!(name["values"].is_array());
        }
    }
}

#[test]
fn an_assignment_makes_the_array_it_writes_into() {
    let names = json!([{ "name": "x", "dtype": "int64", "shape": [3], "values": ["1", "2", "3"] }]);
    let hidden = json!([{ "name": "x", "dtype": "int64", "shape": [3], "values": ["4", "5", "6"] }]);
    let puzzle = json!({ "dialect": "torch", "names": names, "hidden": [hidden], "solution": "x[1] = 0" });
    let judge = |expression: &str| ask(&json!({ "want": "judge", "puzzle": puzzle, "expression": expression }));
    assert_eq!(judge("x.index_fill(0, torch.tensor([1]), 0)")["verdict"], "solved");
    assert_eq!(judge("x[2] = 0")["verdict"], "values");
    assert_eq!((&judge("x[2] = 0")["at"], &judge("x[2] = 0")["count"]), (&json!(1), &json!(2)));
    assert_eq!(judge("x.numel()")["error"]["class"], "TypeError");
}

#[test]
fn reasons_are_told_in_the_language_that_is_asked_for() {
    let names = json!([{ "name": "x", "dtype": "int64", "shape": [3], "values": ["1", "2", "3"] }]);
    let said = |language: &str| {
        let request = json!({ "want": "explanation", "dialect": "torch", "expression": "x[[2, 0]]", "names": names,
            "language": language });
        ask(&request)
    };
    let chinese = said("zh");
    let plan = &chinese["explanation"]["plans"][0];
    for english in [&plan["strategies"][0]["reason"], &plan["promise"]] {
        let other = chinese["said"][english.as_str().unwrap()].as_str().unwrap();
        assert!(other.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)), "{english}: {other}");
    }
    assert_eq!(said("en")["said"], json!({}));
}

#[test]
fn what_cannot_be_answered_is_told_in_words() {
    let error = |request: &Json| ask(request)["error"].clone();
    assert!(answer("{").contains("the request is not understood"));
    assert!(error(&json!({ "want": "weather" }))["message"].as_str().unwrap().contains("not understood"));
    let plain = |expression: &str| json!({ "want": "explanation", "dialect": "torch", "expression": expression });
    let syntax = error(&plain("x[1, "));
    assert_eq!((&syntax["class"], &syntax["span"]), (&json!("SyntaxError"), &json!([1, 2])));
    assert_eq!(syntax["caret"], "  x[1, \n   ^");
    let library = json!({ "want": "explanation", "dialect": "abacus", "expression": "1" });
    assert_eq!(error(&library)["message"], "no library is called 'abacus'");
    let huge = json!([{ "name": "x", "dtype": "int64", "shape": [1_000_000, 1_000_000], "values": [] }]);
    let huge = error(&json!({ "want": "explanation", "dialect": "torch", "expression": "x", "names": huge }));
    assert_eq!((&huge["operand"], &huge["class"]), (&json!("x"), &json!("ValueError")));
    assert_eq!(error(&json!({ "want": "judge", "expression": "1" }))["message"], "no puzzle is named");
}
