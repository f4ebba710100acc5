//! docs/api.txt is the public surface of the libraries, one declaration a line, so that a change of it is seen; and the
//! public surface has examples that run.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::Outcome;
use crate::dialects::first_difference;
use crate::rustdoc::{Crate, Item, hidden, inner, list};
use crate::sh::root;
use crate::signature::{function, generics, implementation, ty, wheres};

const FILE: &str = "docs/api.txt";

/// The libraries that programs are written with.
const PACKAGES: &[&str] = &["takewise", "takewise-ndarray", "takewise-ranges"];

/// Modules whose items need no examples: what the crates around the engine reach for, and no promise to programs.
const INNER: &[&str] = &["takewise::foreign", "takewise::plan"];

/// Writes the list again, or fails if it has changed.
pub(crate) fn api(arguments: &[String]) -> Outcome {
    let check = match arguments {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => return Err("takes nothing or --check".into()),
    };
    let mut fresh = String::from("Public items; `cargo xtask api` writes this file. Paths in types are shortened.\n");
    for package in PACKAGES {
        fresh.push('\n');
        for line in lines(&Crate::read(package)?) {
            fresh.push_str(&line);
            fresh.push('\n');
        }
    }
    let path = root().join(FILE);
    if !check {
        println!("{FILE}: {} lines", fresh.lines().count());
        return fs::write(&path, &fresh).map_err(|error| format!("{FILE}: {error}"));
    }
    let stored = fs::read_to_string(&path).map_err(|error| format!("{FILE}: {error}"))?;
    match first_difference(&stored, &fresh) {
        None => Ok(()),
        Some((line, stored, fresh)) => Err(format!(
            "the public surface has changed; if that is meant, run `cargo xtask api` and say so in CHANGELOG.md.\n  \
             line {line} of {FILE}: {stored}\n  line {line} now: {fresh}"
        )),
    }
}

/// Fails where a function of `ops`, a method of `Tensor` named after one, or a public type, trait or macro has no example.
pub(crate) fn examples(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err("takes no arguments".into());
    }
    let (mut missing, mut count) = (Vec::new(), 0);
    for package in PACKAGES {
        let json = Crate::read(package)?;
        let items = json.surface().items;
        let mut asked: Vec<(String, &str)> = Vec::new();
        for item in items.iter().filter(|item| needs_example(item)) {
            asked.push((format!("{} {}", item.kind, item.path), item.docs()));
        }
        if let Some(tensor) = items.iter().find(|item| item.path == "takewise::Tensor") {
            let named = |name: &str| {
                let plain = name.trim_end_matches('_');
                let of_ops =
                    |path: &str| path.strip_prefix("takewise::ops::").map(|op| op.trim_end_matches('_')) == Some(plain);
                items.iter().any(|item| item.kind == "function" && of_ops(&item.path))
            };
            let found = methods(&json, tensor).filter(|(name, _)| named(name));
            asked.extend(found.map(|(name, docs)| (format!("method {}::{name}", tensor.path), docs)));
        }
        count += asked.len();
        let lacking = asked.into_iter().filter(|(_, docs)| !has_example(docs));
        missing.extend(lacking.map(|(what, _)| format!("{what} has no example")));
    }
    if missing.is_empty() {
        println!("{count} functions, methods, types and macros, each with an example");
        return Ok(());
    }
    Err(missing.join("\n"))
}

/// The methods of a type: their names and documentation.
fn methods<'d>(json: &'d Crate, of: &Item<'d>) -> impl Iterator<Item = (&'d str, &'d str)> {
    let blocks = list(&of.inner["impls"]).filter_map(|id| json.item(id)).map(|block| inner(block).1);
    let members = blocks.filter(|block| block["trait"].is_null()).flat_map(|block| list(&block["items"]));
    let members = members.filter_map(|id| json.item(id)).filter(|value| inner(value).0 == "function");
    members.filter_map(|value| Some((value["name"].as_str()?, value["docs"].as_str().unwrap_or_default())))
}

fn needs_example(item: &Item) -> bool {
    let within = |module: &str| item.path.strip_prefix(module).is_some_and(|rest| rest.starts_with("::"));
    let of_ops = item.path.starts_with("takewise::ops::") || item.path.starts_with("takewise_ndarray::");
    match item.kind {
        "struct" | "enum" | "union" | "trait" | "type_alias" | "macro" => !INNER.iter().any(|module| within(module)),
        "function" => of_ops,
        _ => false,
    }
}

/// Whether documentation holds a block that is compiled and run.
fn has_example(docs: &str) -> bool {
    let mut open = false;
    docs.lines().filter_map(|line| line.trim_start().strip_prefix("```")).any(|info| {
        open = !open;
        open && matches!(info.trim(), "" | "rust" | "should_panic")
    })
}

/// One line for everything that can be named, and for every trait a type has.
fn lines(json: &Crate) -> BTreeSet<String> {
    let surface = json.surface();
    let mut all = BTreeSet::new();
    let mut named = BTreeSet::new();
    for item in &surface.items {
        all.extend(declared(json, item));
        named.insert(item.value["id"].to_string());
    }
    // What is hidden from the documentation is no part of the surface, and so its traits are not.
    let shown = |path: &Value| json.item(&path["id"]).is_none() || named.contains(&path["id"].to_string());
    for (path, what) in surface.again {
        all.insert(format!("{path} = {what}"));
    }
    for value in json.all() {
        let (kind, v) = inner(value);
        let plain = kind == "impl" && !v["trait"].is_null() && v["blanket_impl"].is_null();
        // Traits the compiler gives by itself are told only where it does not, and where programs can ask for them.
        let told = v["is_synthetic"] != true || v["is_negative"] == true;
        let inward = ["Freeze", "StructuralPartialEq"].iter().any(|name| v["trait"]["path"] == *name);
        if plain && told && !inward && shown(&v["trait"]) && shown(&v["for"]["resolved_path"]) {
            all.insert(implementation(v));
        }
    }
    all
}

/// An item and what belongs to it.
fn declared(json: &Crate, item: &Item) -> Vec<String> {
    let (path, v) = (&item.path, item.inner);
    let grows = if list(&item.value["attrs"]).any(|a| a == "non_exhaustive") { ", grows" } else { "" };
    let head = |word: &str| format!("{path}: {word}{}{}{grows}", generics(&v["generics"]), wheres(&v["generics"]));
    let mut out = match item.kind {
        "function" => vec![format!("{path}: {}", function("", v))],
        "constant" => vec![format!("{path}: const {}", ty(&v["type"]))],
        "static" => vec![format!("{path}: static {}", ty(&v["type"]))],
        "type_alias" => vec![format!("{path}: type{} = {}", generics(&v["generics"]), ty(&v["type"]))],
        "macro" => vec![format!("{path}!: macro")],
        kind => vec![head(kind)],
    };
    match item.kind {
        "struct" => out.extend(fields(json, path, &v["kind"])),
        "enum" => {
            for variant in list(&v["variants"]).filter_map(|id| json.item(id)) {
                let name = format!("{path}::{}", variant["name"].as_str().unwrap_or("?"));
                out.push(format!("{name}: variant"));
                out.extend(fields(json, &name, &inner(variant).1["kind"]));
            }
        }
        "trait" => out.extend(list(&v["items"]).filter_map(|id| member(json, path, id))),
        _ => {}
    }
    for block in list(&v["impls"]).filter_map(|id| json.item(id)).map(|block| inner(block).1) {
        if block["trait"].is_null() {
            let of = format!("{}{}", ty(&block["for"]), wheres(&block["generics"]));
            let general = of.contains('<').then_some(of);
            let found = list(&block["items"]).filter_map(|id| member(json, path, id));
            out.extend(found.map(|line| general.as_ref().map_or(line.clone(), |of| format!("{line} [of {of}]"))));
        }
    }
    out
}

/// What a trait or an `impl` holds.
fn member(json: &Crate, path: &str, id: &Value) -> Option<String> {
    let value = json.item(id).filter(|value| !hidden(value))?;
    let name = format!("{path}::{}", value["name"].as_str()?);
    let (kind, v) = inner(value);
    match kind {
        "function" => Some(format!("{name}: {}", function("", v))),
        "assoc_const" => Some(format!("{name}: const {}", ty(&v["type"]))),
        "assoc_type" => Some(format!("{name}: type")),
        _ => None,
    }
}

/// The fields of a struct or of a variant.
fn fields(json: &Crate, path: &str, kind: &Value) -> Vec<String> {
    let shape = kind.get("plain").or_else(|| kind.get("struct")).map(|s| &s["fields"]).or_else(|| kind.get("tuple"));
    let shown = |id: &Value| {
        let field = json.item(id)?;
        Some(format!("{path}.{}: {}", field["name"].as_str()?, ty(&field["inner"]["struct_field"])))
    };
    shape.map(|ids| list(ids).filter_map(shown).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::has_example;

    #[test]
    fn an_example_is_a_block_that_runs() {
        assert!(has_example("Text.\n\n```\nf();\n```"));
        assert!(has_example("```text\na\n```\n\n  ```rust\nf();\n```"));
        assert!(!has_example("```text\na\n```\nmore `code`"));
        assert!(!has_example("```ignore\nf();\n```"));
    }
}
