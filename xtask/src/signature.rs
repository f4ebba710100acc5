//! Declarations in Rust's notation, from rustdoc's JSON. Paths are shortened to their last name.

use serde_json::Value;

use crate::rustdoc::list;

/// Joins what `f` makes of every member.
fn join(items: &Value, separator: &str, f: impl Fn(&Value) -> String) -> String {
    list(items).map(f).collect::<Vec<_>>().join(separator)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("?")
}

/// A type.
pub(crate) fn ty(value: &Value) -> String {
    let Some((kind, v)) = value.as_object().and_then(|all| all.iter().next()) else { return text(value).to_owned() };
    match kind.as_str() {
        "resolved_path" => path(v),
        "generic" | "primitive" => text(v).to_owned(),
        "tuple" if list(v).count() == 1 => format!("({},)", ty(&v[0])),
        "tuple" => format!("({})", join(v, ", ", ty)),
        "slice" => format!("[{}]", ty(v)),
        "array" => format!("[{}; {}]", ty(&v["type"]), text(&v["len"])),
        "impl_trait" => format!("impl {}", bounds(v)),
        "infer" => "_".into(),
        "raw_pointer" => format!("*{} {}", if v["is_mutable"] == true { "mut" } else { "const" }, ty(&v["type"])),
        "borrowed_ref" => {
            let life = v["lifetime"].as_str().map(|l| format!("{l} ")).unwrap_or_default();
            format!("&{life}{}{}", if v["is_mutable"] == true { "mut " } else { "" }, ty(&v["type"]))
        }
        "qualified_path" => {
            let of = ty(&v["self_type"]);
            match path(&v["trait"]) {
                name if name.is_empty() => format!("{of}::{}", text(&v["name"])),
                name => format!("<{of} as {name}>::{}", text(&v["name"])),
            }
        }
        "dyn_trait" => {
            let traits = join(&v["traits"], " + ", |t| path(&t["trait"]));
            format!("dyn {traits}{}", v["lifetime"].as_str().map(|l| format!(" + {l}")).unwrap_or_default())
        }
        "function_pointer" => format!("{}fn{}", header(&v["header"]), call(&v["sig"], false)),
        other => format!("<{other}>"),
    }
}

/// A path with its arguments, by its last name; nothing where there is none.
pub(crate) fn path(value: &Value) -> String {
    let Some(full) = value["path"].as_str() else { return String::new() };
    let name = full.rsplit("::").next().unwrap_or(full);
    let args = &value["args"];
    if let Some(call) = args.get("parenthesized") {
        let output = &call["output"];
        let gives = if output.is_null() { String::new() } else { format!(" -> {}", ty(output)) };
        return format!("{name}({}){gives}", join(&call["inputs"], ", ", ty));
    }
    let inside = &args["angle_bracketed"];
    let given = list(&inside["args"]).map(|a| match a.as_object().and_then(|all| all.iter().next()) {
        Some((kind, v)) if kind == "type" => ty(v),
        Some((kind, v)) if kind == "const" => text(&v["expr"]).to_owned(),
        Some((_, v)) => text(v).to_owned(),
        None => "_".to_owned(),
    });
    let fixed = list(&inside["constraints"]).map(|c| match c["binding"].get("equality") {
        Some(term) => format!("{} = {}", text(&c["name"]), ty(&term["type"])),
        None => format!("{}: {}", text(&c["name"]), bounds(&c["binding"]["constraint"])),
    });
    let all: Vec<String> = given.chain(fixed).collect();
    if all.is_empty() { name.to_owned() } else { format!("{name}<{}>", all.join(", ")) }
}

/// `A + B + 'c`.
fn bounds(value: &Value) -> String {
    join(value, " + ", |b| match b.get("trait_bound") {
        Some(t) => format!("{}{}", if t["modifier"] == "maybe" { "?" } else { "" }, path(&t["trait"])),
        None => text(&b["outlives"]).to_owned(),
    })
}

/// `<'a, T: Element, const N: usize>`, without what `impl Trait` stands for.
pub(crate) fn generics(value: &Value) -> String {
    let of = |p: &Value| {
        let (name, kind) = (text(&p["name"]), &p["kind"]);
        if let Some(constant) = kind.get("const") {
            return Some(format!("const {name}: {}", ty(&constant["type"])));
        }
        let Some(t) = kind.get("type") else { return Some(name.to_owned()) };
        if t["is_synthetic"] == true {
            return None;
        }
        let bound = bounds(&t["bounds"]);
        let default = if t["default"].is_null() { String::new() } else { format!(" = {}", ty(&t["default"])) };
        Some(if bound.is_empty() { format!("{name}{default}") } else { format!("{name}: {bound}{default}") })
    };
    let all: Vec<String> = list(&value["params"]).filter_map(of).collect();
    if all.is_empty() { String::new() } else { format!("<{}>", all.join(", ")) }
}

/// ` where T: Copy`.
pub(crate) fn wheres(value: &Value) -> String {
    let of = |w: &Value| match (w.get("bound_predicate"), w.get("lifetime_predicate")) {
        (Some(b), _) => format!("{}: {}", ty(&b["type"]), bounds(&b["bounds"])),
        (_, Some(l)) => format!("{}: {}", text(&l["lifetime"]), join(&l["outlives"], " + ", |o| text(o).to_owned())),
        _ => w.to_string(),
    };
    match join(&value["where_predicates"], ", ", of) {
        none if none.is_empty() => none,
        some => format!(" where {some}"),
    }
}

/// `const unsafe `.
fn header(value: &Value) -> String {
    let word = |key: &str, word: &'static str| if value[key] == true { word } else { "" };
    let abi = match value["abi"].as_str() {
        None | Some("Rust") => String::new(),
        Some(other) => format!("extern {other:?} "),
    };
    [word("is_const", "const "), word("is_async", "async "), word("is_unsafe", "unsafe "), &abi].concat()
}

/// `(x: A) -> B`.
fn call(signature: &Value, named: bool) -> String {
    let input = |pair: &Value| {
        let (name, of) = (text(&pair[0]), ty(&pair[1]));
        match (name, of.as_str()) {
            ("self", "Self") => "self".into(),
            ("self", "&Self") => "&self".into(),
            ("self", "&mut Self") => "&mut self".into(),
            _ if named => format!("{name}: {of}"),
            _ => of,
        }
    };
    let output = &signature["output"];
    let gives = if output.is_null() { String::new() } else { format!(" -> {}", ty(output)) };
    format!("({}){gives}", join(&signature["inputs"], ", ", input))
}

/// A function after `pub `, under this name.
pub(crate) fn function(name: &str, value: &Value) -> String {
    let (generics, wheres) = (generics(&value["generics"]), wheres(&value["generics"]));
    format!("{}fn {name}{generics}{}{wheres}", header(&value["header"]), call(&value["sig"], true))
}

/// The first line of an `impl` of a trait.
pub(crate) fn implementation(value: &Value) -> String {
    let not = if value["is_negative"] == true { "!" } else { "" };
    let (generics, wheres) = (generics(&value["generics"]), wheres(&value["generics"]));
    format!("impl{generics} {not}{} for {}{wheres}", path(&value["trait"]), ty(&value["for"]))
}
