//! `takewise explain`: forms, files, exit statuses.

use std::fs;

use crate::shared::{fails, inputs, leftovers, ok, takewise, text};
use takewise_explain::{Comparison, Explanation};

#[test]
fn the_text_says_where_elements_come_from_and_the_plan_only_if_asked() {
    let dir = inputs();
    let d = dir.path();
    let read = ["explain", "x[i, 1:3]", "x=x.npy", "i=i.npy"];
    let plain = ok(d, &read);
    assert!(plain.starts_with("x[i, 1:3]\n") && plain.contains("i[0] = 1") && !plain.contains("strategy"), "{plain}");
    assert!(!plain.contains('\u{1b}'), "no colours but on a terminal");
    let plan = ok(d, &[&read[..], &["--plan"]].concat());
    assert!(plan.contains("small call") && plan.contains("at most 32 positions"), "{plan}");
    let view = ok(d, &["explain", "x[1, :, ::2]", "x=x.npy"]);
    assert!(view.contains("view"), "{view}");
    // What is written is a copy: the next command reads what was there.
    ok(d, &["explain", "x[0, 0, [1, 3]] = torch.tensor([50., 60.])", "x=x.npy"]);
    assert_eq!(ok(d, &["eval", "x[0, 0, 1]", "x=x.npy"]), "tensor(1.)\n");
}

#[test]
fn json_is_the_data_and_nothing_else() {
    let dir = inputs();
    let d = dir.path();
    let out = ok(d, &["explain", "x[i, 0, 0]", "x=x.npy", "i=i.npy", "--json"]);
    let one: Explanation = serde_json::from_str(&out).unwrap();
    assert_eq!((one.version, &one.results[0].shape[..]), (takewise_explain::data::VERSION, &[3][..]));
    assert_eq!(one.results[0].values.clone().unwrap(), ["12.0", "0.0", "12.0"]);
    let out = ok(d, &["explain", "x[0, :, [0, 1]]", "x=x.npy", "--dialects", "torch,numpy,mindspore,jax", "--json"]);
    let four: Comparison = serde_json::from_str(&out).unwrap();
    assert_eq!(four.columns.iter().map(|c| &c.name[..]).collect::<Vec<_>>(), ["torch", "numpy", "mindspore", "jax"]);
    assert!(!four.same);
    let out = ok(d, &["explain", "x[[0, 2]]", "x=x.npy", "--bounds", "--json"]);
    let five: Comparison = serde_json::from_str(&out).unwrap();
    assert_eq!(five.columns.iter().filter(|c| c.explanation.error.is_some()).count(), 1);
}

#[test]
fn requests_to_a_file_are_told() {
    let dir = inputs();
    let d = dir.path();
    ok(d, &["eval", "torch.arange(2000000.).reshape(-1, 100)", "-o", "table.npy"]);
    let call = |rows: &str| ["explain".to_owned(), format!("x[{rows}]"), "x=table.npy".to_owned()];
    let shown = |rows: &str| ok(d, &call(rows).iter().map(String::as_str).collect::<Vec<_>>());
    // Three rows, of which two lie on one page.
    let few = shown("[12000, 3, 4]");
    assert!(few.contains("in 2 requests to files"), "{few}");
    let all = shown("torch.arange(20000)");
    assert!(!all.contains("request"), "{all}");
}

#[test]
fn several_libraries_as_text() {
    let dir = inputs();
    let shown = ok(dir.path(), &["explain", "x[0, :, [0, 1]]", "x=x.npy", "--dialects", "torch,numpy"]);
    assert!(shown.contains("torch") && shown.contains("numpy") && shown.contains("[2, 3]"), "{shown}");
    let shown = ok(dir.path(), &["explain", "x[[0, 2]]", "x=x.npy", "--bounds"]);
    assert!(["raise", "wrap", "clip", "fill", "drop"].iter().all(|rule| shown.contains(rule)), "{shown}");
}

#[test]
fn a_call_that_fails_is_explained_and_has_its_status() {
    let dir = inputs();
    let d = dir.path();
    let call = ["explain", "x[[0, 9]]", "x=x.npy"];
    let out = takewise(d, &call);
    assert_eq!(out.status.code(), Some(1));
    let shown = text(&out.stdout);
    assert!(shown.contains("IndexError") && shown.contains("index[1] is 9"), "{shown}");
    assert_eq!(text(&out.stderr), "");
    // Where the text is not shown the error is.
    let out = takewise(d, &[&call[..], &["--json"]].concat());
    assert_eq!(out.status.code(), Some(1));
    let one: Explanation = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(one.error.unwrap().bad, [1]);
    assert!(text(&out.stderr).starts_with("takewise: IndexError: "), "{}", text(&out.stderr));
    let before = fails(d, &["explain", "y = x[9]; y[0]", "x=x.npy"], 1);
    assert!(before.contains("IndexError") && before.ends_with("  y = x[9]; y[0]\n        ^\n"), "{before}");
    assert!(fails(d, &["explain", "x[0", "x=x.npy"], 1).ends_with("  x[0\n   ^\n"));
    assert!(fails(d, &["explain", "torch.zeros(10**12)[0]"], 1).contains('^'));
}

#[test]
fn drawings_go_into_files() {
    let dir = inputs();
    let d = dir.path();
    let shown = ok(d, &["explain", "x[i, 1:3]", "x=x.npy", "i=i.npy", "--svg", "rows.svg"]);
    assert!(shown.starts_with("x[i, 1:3]\n"));
    let svg = fs::read_to_string(d.join("rows.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert_eq!(ok(d, &["explain", "x[i, 1:3]", "x=x.npy", "i=i.npy", "--svg", "-"]).trim_end(), svg.trim_end());
    assert!(
        fails(d, &["explain", "x[0]", "x=x.npy", "--svg", "no/rows.svg"], 1).starts_with("takewise: no/rows.svg: ")
    );
    fails(d, &["explain", "x[0]", "x=x.npy", "--svg", "-", "--json"], 2);
    fails(d, &["explain", "x[0]", "x=x.npy", "--dialects", "fortran"], 2);
    fails(d, &["explain", "x[0]", "x=x.npy", "--dialects", "torch", "--bounds"], 2);
    let both = ["explain", "x[i, 1:3]", "x=x.npy", "i=i.npy", "--dialects", "torch,numpy"];
    assert!(ok(d, &[&both[..], &["--svg", "-"]].concat()).starts_with("<svg"));
    assert!(ok(d, &[&both[..], &["--html", "-"]].concat()).contains("torch, numpy"));
    let rules = ["explain", "x[[0, 2]]", "x=x.npy", "--bounds", "--svg", "five.svg", "--html", "five.html"];
    assert!(ok(d, &rules).contains("raise"));
    let [svg, html] = ["five.svg", "five.html"].map(|name| fs::read_to_string(d.join(name)).unwrap());
    assert!(svg.starts_with("<svg") && html.starts_with("<!"), "{html}");
    for rule in ["raise", "wrap", "clip", "fill", "drop"] {
        assert!(svg.contains(rule) && html.contains(rule), "{rule}");
    }
    assert!(leftovers(d).is_empty());
}
