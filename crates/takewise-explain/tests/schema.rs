//! docs/explanation-schema.md lists every field of the data, and its example is what a call is told by today.
//! `TAKEWISE_WRITE=1` writes the page again.

use takewise::{Rules, ops};
use takewise_explain::Picture;
use takewise_explain::data::{Explanation, Role, VERSION};

const DATA: &str = include_str!("../src/data.rs");

const HEAD: &str = "# The data of an explanation

What `takewise explain --json`, `takewise.explain(...).to_json()` and the web page's engine give, and what every drawing is made from.
Written from `crates/takewise-explain/src/data.rs` by its test `schema`.

The version changes when a field changes its meaning or goes; new fields do not change it, so readers skip what they do not know.
Positions are places in row-major order among the elements of an array, from 0. Operands and results are named by their number in the
lists of that name. Strides and amounts of data are in bytes, extents and counts in elements. Values are text, as JSON has no integers
of 64 bits, no NaN and no complex numbers: `7`, `0.1`, `nan`, `-inf`, `True`, `1.0-0.5j`; floats have just as many digits as tell them apart.
Fields marked *optional* are left out where they do not apply.
";

/// Lines of documentation before a line, as one text.
fn documented<'a>(above: impl DoubleEndedIterator<Item = &'a str>) -> String {
    let lines = above.rev().map(str::trim).take_while(|line| line.starts_with("///") || line.starts_with("#["));
    let mut lines: Vec<&str> = lines.filter_map(|line| line.strip_prefix("///")).collect();
    lines.reverse();
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ").replace("[`", "`").replace("`]", "`")
}

/// A type as JSON has it.
fn json(kind: &str) -> String {
    let inner = |wrap: &str| kind.strip_prefix(wrap).and_then(|rest| rest.strip_suffix('>'));
    if let Some(of) = inner("Option<") {
        return format!("{} or null", json(of));
    }
    if let Some(of) = inner("Vec<") {
        return format!("list of {}", json(of));
    }
    match kind {
        "String" => "text".into(),
        "usize" | "isize" | "u32" => "number".into(),
        "bool" => "true or false".into(),
        "[usize; 2]" => "two numbers".into(),
        other => format!("[{other}](#{})", other.to_lowercase()),
    }
}

/// A name as serde writes it.
fn snake(name: &str) -> String {
    let mut out = String::new();
    for (k, c) in name.char_indices() {
        if c.is_uppercase() && k > 0 {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// The tables, one for each type.
fn tables() -> String {
    let lines: Vec<&str> = DATA.lines().collect();
    let mut page = String::new();
    for (k, line) in lines.iter().enumerate() {
        let (enumerated, name) = match (line.strip_prefix("pub struct "), line.strip_prefix("pub enum ")) {
            (Some(name), _) => (false, name),
            (_, Some(name)) => (true, name),
            _ => continue,
        };
        let name = name.trim_end_matches(" {");
        let tagged = lines[k.saturating_sub(4)..k].iter().any(|line| line.contains("tag = \"is\""));
        let word = if enumerated && tagged {
            "`is`"
        } else if enumerated {
            "word"
        } else {
            "field"
        };
        page += &format!(
            "\n## {name}\n\n{}\n\n| {word} | type | |\n|---|---|---|\n",
            documented(lines[..k].iter().copied())
        );
        for (j, field) in lines.iter().enumerate().skip(k + 1).take_while(|(_, line)| **line != "}") {
            let (depth, field) = (field.len() - field.trim_start().len(), field.trim());
            let doc = documented(lines[..j].iter().copied());
            if enumerated && depth == 4 && field.starts_with(char::is_uppercase) {
                page += &format!("| `{}` | | {doc} |\n", snake(field.trim_end_matches([',', '{', ' '])));
            } else if let Some((name, kind)) = field.trim_start_matches("pub ").trim_end_matches(',').split_once(": ")
                && !field.starts_with(['/', '#'])
            {
                let optional = lines[j - 1].contains("skip_serializing_if");
                let kind = json(kind) + if optional { ", optional" } else { "" };
                page += &format!("| {}`{name}` | {kind} | {doc} |\n", if enumerated { "— " } else { "" });
            }
        }
    }
    page
}

fn example() -> Explanation {
    let (x, i, v) = ([1.0f32, 2.0, 3.0], [2i64, 0, 2], [5.0f32, 6.0, 7.0]);
    let mut picture = Picture::new("x.scatter_add(0, i, v)", "torch", "scatter_add");
    picture.operand("x", Role::Data, &(&x).into());
    picture.operand("i", Role::Index, &(&i).into());
    picture.operand("v", Role::Values, &(&v).into());
    let made = picture.watch(false, || ops::scatter_add(&x, 0, &i, &v, &Rules::NEUTRAL)).unwrap();
    picture.result("result", &made.read_any().unwrap().view());
    picture.finish()
}

#[test]
fn the_page_lists_every_field_and_its_example_is_true() {
    let example = serde_json::to_string_pretty(&example()).unwrap();
    let page = format!("{HEAD}{}\n## An example\n\nVersion {VERSION}.\n\n```json\n{example}\n```\n", tables());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/explanation-schema.md");
    if std::env::var_os("TAKEWISE_WRITE").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let stored = std::fs::read_to_string(path).unwrap();
    assert!(stored == page, "docs/explanation-schema.md is not what data.rs says: write it again");
    let serialized = serde_json::to_value(self::example()).unwrap();
    for field in serialized.as_object().unwrap().keys() {
        assert!(page.contains(&format!("| `{field}` |")), "{field}");
    }
}
