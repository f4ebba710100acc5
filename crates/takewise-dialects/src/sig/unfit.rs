//! Messages about arguments that no overload takes.

use super::wording::Unfit;
use super::{Arguments, Kind};
use crate::value::{Function, Value};

/// The message of a library that says it in this way.
pub(super) fn message(how: Unfit, function: &Function, arguments: &Arguments) -> String {
    match how {
        Unfit::Overloads => invalid_combination(function, arguments),
        Unfit::Failed => failed_calling(function, arguments),
    }
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
