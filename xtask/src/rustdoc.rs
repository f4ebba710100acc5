//! The public items of a crate, as rustdoc's JSON tells them.

use std::collections::{BTreeMap, HashMap};
use std::fs;

use serde_json::Value;

use crate::sh::{cargo, root};

/// Where the JSON is made: apart from what other builds leave, since the unstable option would have them start again.
const TARGET: &str = "target/api";

/// Crates whose items are part of another's surface, by the name that has them: they are read with it.
const INNER: &[(&str, &str)] = &[("takewise", "takewise-kernels")];

/// What is added to the numbers of an inner crate's items.
const APART: u64 = 1 << 32;

/// The version of the format that [`crate::signature`] was written for.
const FORMAT: u64 = 57;

/// One public item, under the shortest path it has.
pub(crate) struct Item<'d> {
    pub(crate) path: String,
    /// `"function"`, `"struct"`, and so on.
    pub(crate) kind: &'d str,
    pub(crate) value: &'d Value,
    /// What the kind says of it.
    pub(crate) inner: &'d Value,
}

impl Item<'_> {
    /// Its documentation.
    pub(crate) fn docs(&self) -> &str {
        self.value["docs"].as_str().unwrap_or_default()
    }
}

/// A crate's JSON.
pub(crate) struct Crate(Value);

/// What is public of a crate.
pub(crate) struct Surface<'d> {
    pub(crate) items: Vec<Item<'d>>,
    /// Second paths of those, and what other crates define: path, and what stands there.
    pub(crate) again: Vec<(String, String)>,
}

impl Crate {
    /// Documents a package of the workspace, and what is an inner part of it, and reads the result.
    pub(crate) fn read(package: &str) -> Result<Crate, String> {
        let mut json = Crate::json(package)?;
        for (_, inner) in INNER.iter().filter(|(of, _)| *of == package) {
            join(&mut json, Crate::json(inner)?);
        }
        Ok(Crate(json))
    }

    fn json(package: &str) -> Result<Value, String> {
        cargo(&["rustdoc", "--quiet", "--lib", "--target-dir", TARGET, "--package", package, "--"])
            .args(["-Z", "unstable-options", "--output-format", "json", "--document-hidden-items"])
            .env("RUSTC_BOOTSTRAP", "1")
            .run()?;
        let path = root().join(TARGET).join(format!("doc/{}.json", package.replace('-', "_")));
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let json: Value = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        if let Some(other) = json["format_version"].as_u64().filter(|version| *version != FORMAT) {
            println!("rustdoc writes format {other}, xtask/src/signature.rs was written for {FORMAT}");
        }
        Ok(json)
    }

    /// An item by its number, as it is written in a list of them.
    pub(crate) fn item(&self, id: &Value) -> Option<&Value> {
        self.0["index"].get(id.to_string())
    }

    /// Every item of the crate, in the order of their numbers.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Value> {
        let sorted: BTreeMap<u64, &Value> = self.0["index"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(_, v)| (v["id"].as_u64().unwrap_or(0), v))
            .collect();
        sorted.into_values()
    }

    /// What can be named from outside, shortest paths first. What is hidden from the documentation is there only where a
    /// re-export names it.
    pub(crate) fn surface(&self) -> Surface<'_> {
        let mut found = Surface { items: Vec::new(), again: Vec::new() };
        let mut seen: HashMap<u64, String> = HashMap::new();
        let Some(start) = self.item(&self.0["root"]) else { return found };
        let mut level = vec![(start["name"].as_str().unwrap_or("?").to_owned(), start)];
        while !level.is_empty() {
            let mut next = Vec::new();
            level.sort_by(|a, b| a.0.cmp(&b.0));
            for (path, value) in level {
                let id = value["id"].as_u64().unwrap_or(u64::MAX);
                let (kind, inner) = inner(value);
                if let Some(first) = seen.get(&id) {
                    found.again.push((path, first.clone()));
                    continue;
                }
                seen.insert(id, path.clone());
                found.items.push(Item { path: path.clone(), kind, value, inner });
                if kind == "module" {
                    self.children(&path, inner, &mut next, &mut found.again);
                }
            }
            level = next;
        }
        found
    }

    /// What a module holds, with re-exports followed.
    fn children<'d>(
        &'d self,
        path: &str,
        module: &'d Value,
        into: &mut Vec<(String, &'d Value)>,
        again: &mut Vec<(String, String)>,
    ) {
        for value in list(&module["items"]).filter_map(|id| self.item(id)) {
            let (kind, inner) = inner(value);
            if kind != "use" {
                if !hidden(value) {
                    into.push((format!("{path}::{}", value["name"].as_str().unwrap_or("?")), value));
                }
                continue;
            }
            let name = format!("{path}::{}", inner["name"].as_str().unwrap_or("?"));
            match self.item(&inner["id"]) {
                Some(target) if inner["is_glob"] == true => {
                    self.children(path, &target["inner"]["module"], into, again)
                }
                Some(target) => into.push((name, target)),
                None => again.push((name, inner["source"].as_str().unwrap_or("?").to_owned())),
            }
        }
    }
}

/// Puts an inner crate's items into the index of the crate that names them, which then means these.
fn join(json: &mut Value, mut inner: Value) {
    let apart = |id: u64| id + APART;
    renumber(&mut inner, &apart);
    let path = |summary: &Value| summary["path"].to_string();
    let ids = |paths: &Value, of: bool| -> HashMap<String, u64> {
        let all = paths.as_object().into_iter().flatten();
        let own = all.filter(|(_, summary)| (summary["crate_id"] == 0) == of);
        own.filter_map(|(id, summary)| Some((path(summary), id.parse().ok()?))).collect()
    };
    let there = ids(&inner["paths"], true);
    let named = ids(&json["paths"], false).into_iter();
    let known: HashMap<u64, u64> = named.filter_map(|(path, id)| Some((id, apart(*there.get(&path)?)))).collect();
    renumber(json, &|id| known.get(&id).copied().unwrap_or(id));
    let Some(index) = json["index"].as_object_mut() else { return };
    for value in inner["index"].as_object().into_iter().flatten().map(|(_, value)| value) {
        index.insert(value["id"].to_string(), value.clone());
    }
}

/// Gives every number of an item, and every list of such numbers, another.
fn renumber(value: &mut Value, to: &dyn Fn(u64) -> u64) {
    const LISTS: &[&str] = &["items", "impls", "variants", "fields", "implementations", "tuple"];
    let renamed = |value: &mut Value| {
        if let Some(id) = value.as_u64() {
            *value = to(id).into();
        }
    };
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::Number(_) if name == "id" => renamed(field),
                    Value::Array(list) if LISTS.contains(&name.as_str()) => list.iter_mut().for_each(|one| match one {
                        Value::Number(_) => renamed(one),
                        other => renumber(other, to),
                    }),
                    other => renumber(other, to),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|one| renumber(one, to)),
        _ => {}
    }
}

/// The kind of an item, and what stands under it.
pub(crate) fn inner(value: &Value) -> (&str, &Value) {
    value["inner"].as_object().and_then(|all| all.iter().next()).map_or(("?", &Value::Null), |(k, v)| (k.as_str(), v))
}

/// The members of a list; none where there is no list.
pub(crate) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Whether an item is marked as no part of the documentation.
pub(crate) fn hidden(value: &Value) -> bool {
    list(&value["attrs"]).any(|a| a.to_string().contains("doc(hidden)"))
}
