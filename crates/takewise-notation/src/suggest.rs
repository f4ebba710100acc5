//! What was meant where a name is not known, and which part of an expression is to blame.

use std::ops::Range;

use rustpython_parser::ast;
use takewise_dialects::sig::Arguments;
use takewise_dialects::{EvalError, Face, Value, lookup, object};

use crate::syntax::span;

/// The `NameError` of an unbound name among bound ones, with what may be meant: a function of a library, `face` before the others,
/// or the nearest name.
pub(crate) fn unknown_name(face: &'static Face, bound: &[(&str, &Value)], id: &str) -> EvalError {
    let mut text = format!("name '{id}' is not defined");
    let near = || nearest(id, bound.iter().map(|(name, _)| (*name).to_owned()));
    let slip = || function(face, bound, |name| close(name, id));
    let found = function(face, bound, |name| name == id).or_else(near).or_else(slip);
    if let Some(found) = found {
        text.push_str(&format!(". Did you mean: '{found}'?"));
    }
    EvalError::new("NameError", text)
}

/// The function of a library whose name fits, as it is written here: `torch.gather`.
fn function(first: &'static Face, bound: &[(&str, &Value)], fits: impl Fn(&str) -> bool) -> Option<String> {
    let others = lookup::FACES.into_iter().filter(|face| face.name != first.name);
    std::iter::once(first).chain(others).find_map(|face| {
        let module = module(bound, face)?;
        let name = face.members(Some("")).into_iter().find(|name| fits(name) && is_function(face, name))?;
        Some(format!("{module}.{name}"))
    })
}

fn is_function(face: &'static Face, name: &str) -> bool {
    matches!(lookup::attribute(&Value::Module(face, ""), name), Ok(Value::Function(_)))
}

/// The name that a whole library has.
fn module(bound: &[(&str, &Value)], face: &'static Face) -> Option<String> {
    let whole = |value: &Value| matches!(value, Value::Module(of, "") if of.name == face.name);
    let names = bound.iter().filter(|(_, value)| whole(value)).map(|(name, _)| *name);
    names.min_by_key(|name| (name.len(), *name)).map(str::to_owned)
}

/// An `AttributeError` with the nearest name there is.
pub(crate) fn attribute(error: EvalError, object: &Value, attr: &str) -> EvalError {
    let names = match object {
        Value::Module(face, path) => face.members(Some(path)),
        Value::Array(array) => array.face.members(None),
        Value::Stored(_, face) => face.members(None),
        _ => return error,
    };
    match nearest(attr, names.into_iter()).filter(|_| error.class() == "AttributeError") {
        Some(near) => EvalError::new(error.class(), format!("{}\nDid you mean: '{near}'?", error.text())),
        None => error,
    }
}

/// The nearest of some names, if it is near enough for a slip.
fn nearest(id: &str, names: impl Iterator<Item = String>) -> Option<String> {
    names.take(LOOKED).filter(|name| close(name, id)).min_by_key(|name| (distance(name, id), name.clone()))
}

/// Whether one name may be a slip for the other; a letter or two may stand for anything.
fn close(name: &str, id: &str) -> bool {
    id.len() > 2 && name.len().abs_diff(id.len()) <= 1 + id.len() / 5 && distance(name, id) <= 1 + id.len() / 5
}

/// Names of more bytes are no slips of each other.
const LONGEST: usize = 60;

/// Names that are looked at for one that was meant.
const LOOKED: usize = 2000;

/// Levenshtein distance of two short names.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    if a.len().max(b.len()) > LONGEST {
        return if a == b { 0 } else { usize::MAX };
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &cb) in b.iter().enumerate() {
            let next = (diagonal + usize::from(ca != cb)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], next);
        }
    }
    row[b.len()]
}

/// The arguments of a call and where they stand.
pub(crate) fn arguments(c: &ast::ExprCall, arguments: &Arguments) -> Vec<(Value, Range<usize>)> {
    let keyword = arguments.keyword.iter().zip(&c.keywords).map(|((_, value), k)| (value.clone(), span(&k.value)));
    // Behind `*` it is not known which is which.
    let plain = c.args.iter().all(|argument| !matches!(argument, ast::Expr::Starred(_)));
    let positional = arguments.positional.iter().zip(&c.args).filter(|_| plain);
    positional.map(|(value, argument)| (value.clone(), span(argument))).chain(keyword).collect()
}

/// The parts of a subscript and where they stand.
pub(crate) fn subscripts(slice: &ast::Expr, key: &Value) -> Vec<(Value, Range<usize>)> {
    match (slice, key) {
        (ast::Expr::Tuple(t), Value::Tuple(items)) => {
            items.iter().zip(&t.elts).map(|(value, part)| (value.clone(), span(part))).collect()
        }
        (part, value) => vec![(value.clone(), span(part))],
    }
}

/// The error, blamed on the part that holds the bad index value, where one alone does.
pub(crate) fn blame(error: EvalError, parts: Vec<(Value, Range<usize>)>) -> EvalError {
    let Some((value, position)) = error.facts().and_then(|facts| Some((facts.value?, facts.position.clone()))) else {
        return error;
    };
    let position = position.unwrap_or_default();
    let mut holders: Vec<_> =
        parts.into_iter().enumerate().filter(|(_, (part, _))| holds(part, &position, value)).collect();
    // What is indexed comes first, and may hold that number too.
    if let [(0, _), _] = holders[..] {
        holders.remove(0);
    }
    match &holders[..] {
        [(_, (_, place))] => error.at(place.clone()),
        _ => error,
    }
}

/// Whether a number, a list or an array has a value at a position.
fn holds(part: &Value, position: &[usize], value: i128) -> bool {
    if let Value::Array(array) = part {
        let integer = array.with(|t| t.rank() == position.len() && t.dtype().is_integer());
        let key: Vec<Value> = position.iter().map(|&k| Value::Int(k as i128)).collect();
        let found =
            || object::get(array, &Value::tuple(key)).ok().and_then(|v| v.array().and_then(|a| object::item(a).ok()));
        return integer && found().and_then(|v| v.as_int()) == Some(value);
    }
    match position.split_first() {
        None => !matches!(part, Value::Bool(_)) && part.as_int() == Some(value),
        Some((&first, rest)) => match part {
            Value::List(_) | Value::Tuple(_) => {
                part.items().and_then(|items| items.get(first).cloned()).is_some_and(|item| holds(&item, rest, value))
            }
            _ => false,
        },
    }
}
