//! What libraries say of arguments that fit no signature.

use super::{Arguments, Kind};
use crate::value::{Function, Value};

/// How one library words argument errors, and which names it takes for a parameter.
pub struct Wording {
    /// Keywords it takes for parameters of another name, beside those that all take.
    pub(super) spellings: &'static [(&'static str, &'static str)],
    /// Whether overloads without a keyword that was given are among those it may have meant.
    pub(super) any_keywords: bool,
    /// Whether too few arguments of an only overload are answered by that overload.
    pub(super) lone_overload: bool,
    /// Whether every required parameter from the first missing one on is listed.
    pub(super) lists_all: bool,
    /// Whether the receiver of a method is counted.
    pub(super) counts_receiver: bool,
    /// Whether arrays do not pass for integers.
    pub(super) plain_integers: bool,
    /// What ends a sentence.
    pub(super) stop: &'static str,
    /// `gather` without these parameters.
    pub(super) missing: fn(&str, &[&str]) -> String,
    /// Arguments that no overload takes.
    pub(super) no_overload: fn(&Function, &Arguments) -> String,
}

impl Wording {
    /// `gather(): argument 'dim' (position 2) must be int, not float`.
    pub const TORCH: Wording = Wording {
        spellings: &[],
        any_keywords: true,
        lone_overload: true,
        lists_all: true,
        counts_receiver: false,
        plain_integers: false,
        stop: "",
        missing: |name, missing| {
            let names = missing.iter().map(|m| format!("\"{m}\"")).collect::<Vec<_>>().join(", ");
            let plural = if missing.len() == 1 { "s" } else { "" }; // sic: the plural is the wrong way round there
            format!("{name}() missing {} required positional argument{plural}: {names}", missing.len())
        },
        no_overload: invalid_combination,
    };
    /// `take() missing 1 required positional argument: 'indices'`.
    pub const PYTHON: Wording = Wording {
        spellings: &[("input", "arr"), ("sorted_sequence", "a"), ("indices", "ind"), ("values", "v"), ("other", "y")],
        any_keywords: false,
        counts_receiver: true,
        lists_all: false,
        missing: missing_in_python,
        ..Wording::TORCH
    };
    /// `Failed calling gather with "gather(int)".`
    pub const MINDSPORE: Wording = Wording {
        any_keywords: false,
        lone_overload: false,
        lists_all: false,
        plain_integers: true,
        stop: ".",
        missing: missing_in_python,
        no_overload: failed_calling,
        ..Wording::TORCH
    };
}

fn missing_in_python(name: &str, missing: &[&str]) -> String {
    let quoted: Vec<String> = missing.iter().map(|m| format!("'{m}'")).collect();
    let names = match &quoted[..] {
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [head @ .., last] => format!("{}, and {last}", head.join(", ")),
        [] => String::new(),
    };
    let plural = if missing.len() == 1 { "" } else { "s" };
    format!("{name}() missing {} required positional argument{plural}: {names}", missing.len())
}

/// The arguments, each as a library names it.
fn given(arguments: &Arguments, named: fn(&Value) -> String) -> String {
    let positional = arguments.positional.iter().map(named);
    let keyword = arguments.keyword.iter().map(|(k, v)| format!("{k}={}", named(v)));
    positional.chain(keyword).collect::<Vec<_>>().join(", ")
}

fn failed_calling(function: &Function, arguments: &Arguments) -> String {
    format!("Failed calling {0} with \"{0}({1})\".", function.name, given(arguments, listed))
}

fn invalid_combination(function: &Function, arguments: &Arguments) -> String {
    let mut text = format!(
        "{}() received an invalid combination of arguments - got ({}), but expected one of:",
        function.name,
        given(arguments, described)
    );
    for row in function.rows.iter() {
        text.push_str(&format!("\n * ({})", schema(row.params)));
    }
    text
}

/// A parameter list as torch prints it.
fn schema(params: &'static str) -> String {
    let shown = |part: &'static str| {
        let (head, default) = part.split_once('=').unwrap_or((part, ""));
        let (kind, name) = head.split_once(' ').unwrap_or((head, ""));
        let kind = match Kind::named(kind) {
            Kind::Any => kind,
            known => known.words(),
        };
        let default = if default.is_empty() { String::new() } else { format!(" = {default}") };
        if name.is_empty() { kind.to_owned() } else { format!("{kind} {name}{default}") }
    };
    params.split(", ").map(shown).collect::<Vec<_>>().join(", ")
}

/// How torch names an argument in that message.
fn described(value: &Value) -> String {
    match (value, value.items()) {
        (Value::Tuple(_), Some(items)) if !items.is_empty() => {
            let names: Vec<&str> = items.iter().map(Value::type_name).collect();
            format!("tuple of ({})", names.join(", "))
        }
        (other, _) => other.type_name().into(),
    }
}

/// How MindSpore names an argument: lists by the types of their items.
fn listed(value: &Value) -> String {
    match (value, value.items()) {
        (Value::List(_), Some(items)) => format!("List<{}>", items.iter().map(listed).collect::<Vec<_>>().join(", ")),
        (Value::Tuple(_), Some(items)) => format!("Tuple<{}>", items.iter().map(listed).collect::<Vec<_>>().join(", ")),
        (other, _) => other.type_name().into(),
    }
}
