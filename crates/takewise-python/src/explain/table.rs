//! Explanations of the libraries' own names: a function or method on values, or an expression.

use std::rc::Rc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use takewise_dialects::sig::{self, Arguments};
use takewise_dialects::{Array, Context, EvalError, Face, NEUTRAL, TORCH, Value, lookup};
use takewise_explain::{Comparison, Explanation};
use takewise_notation::{Session, bounds, call_bounds, call_side_by_side, explain_call, explanation, side_by_side};

use super::operands::{Look, Operands};
use crate::border::Operand;
use crate::error::{exception, refuse};
use crate::library::{Exchange, Function, Refused, context, exception_of, face, passed};
use crate::threads::detached;

/// What a function of a library's table does or, with a receiver as the first argument, a method.
///
/// Errors: arguments that fit no signature, and what is no argument of any.
pub(super) fn of_function<'py>(
    function: &Bound<'py, Function>,
    method: bool,
    args: &Bound<'py, PyTuple>,
    kwargs: &Bound<'py, PyDict>,
    expression: &str,
    torch: bool,
) -> PyResult<Explanation> {
    with_call(function, method, args, kwargs, torch, |function, arguments, context| {
        explain_call(expression, function, arguments, context)
    })
}

/// [`of_function`] under several libraries' rules or, without any, under each rule for values out of range.
pub(super) fn functions<'py>(
    function: &Bound<'py, Function>,
    method: bool,
    args: &Bound<'py, PyTuple>,
    kwargs: &Bound<'py, PyDict>,
    expression: &str,
    torch: bool,
    faces: Option<&[&'static Face]>,
) -> PyResult<Comparison> {
    with_call(function, method, args, kwargs, torch, |function, arguments, context| match faces {
        Some(faces) => call_side_by_side(expression, function, arguments, context, faces),
        None => call_bounds(expression, function, arguments, context),
    })
}

/// What `look` finds of a call whose arguments fit.
fn with_call<'py, R>(
    function: &Bound<'py, Function>,
    method: bool,
    args: &Bound<'py, PyTuple>,
    kwargs: &Bound<'py, PyDict>,
    torch: bool,
    look: impl FnOnce(&Value, &Arguments, &Rc<Context>) -> R,
) -> PyResult<R> {
    let (py, f) = (function.py(), &function.get().0);
    let mut exchange = match torch {
        true => Exchange::lent_by(f.face, Operand::of_kernel),
        false => Exchange::new(f.face),
    };
    let rest = if method { args.get_slice(1, args.len()) } else { args.clone() };
    let receiver = method.then(|| exchange.value(&args.get_item(0)?)).transpose()?;
    let (arguments, _) = passed(&mut exchange, f, method, &rest, Some(kwargs)).map_err(Refused::error)?;
    exchange.prepare()?;
    let context = context();
    let bound = sig::bind(f, receiver.clone(), copy_of(&arguments), Rc::clone(&context));
    bound.map_err(|error| exception_of(py, &error))?;
    let function = match receiver {
        Some(receiver) => Value::Method(Rc::new(receiver), f.clone()),
        None => Value::Function(f.clone()),
    };
    Ok(detached(py, exchange.bytes, || look(&function, &arguments, &context)))
}

fn copy_of(arguments: &Arguments) -> Arguments {
    Arguments { positional: arguments.positional.clone(), keyword: arguments.keyword.clone() }
}

/// What the last statement of a source does, whose names are given.
///
/// Errors: a source that does not parse, with a caret under the place; failures before the last operation; names that are none.
pub(super) fn of_expression(source: &str, names: &Bound<'_, PyDict>, dialect: Option<&str>) -> PyResult<Explanation> {
    with_session(source, names, dialect, |session| explanation(session, source))
}

/// [`of_expression`] under several libraries' rules or, without any, under each rule for values out of range.
pub(super) fn expressions(
    source: &str,
    names: &Bound<'_, PyDict>,
    dialect: Option<&str>,
    faces: Option<&[&'static Face]>,
) -> PyResult<Comparison> {
    with_session(source, names, dialect, |session| match faces {
        Some(faces) => side_by_side(session, source, faces),
        None => bounds(session, source),
    })
}

fn with_session<R>(
    source: &str,
    names: &Bound<'_, PyDict>,
    dialect: Option<&str>,
    explained: impl FnOnce(&mut Session) -> Result<R, EvalError>,
) -> PyResult<R> {
    let py = names.py();
    for name in names.keys() {
        let text = name.cast::<PyString>()?;
        if !text.call_method0("isidentifier")?.is_truthy()? {
            return Err(refuse(py, "ValueError", &format!("{} is no name", text.repr()?)));
        }
    }
    // What is evaluated before the last operation may write: into private copies, whatever room these take.
    let arguments: Vec<_> = match is_one_operation(source) {
        true => Vec::new(),
        false => names.iter().map(|(name, value)| Ok((name.extract()?, value))).collect::<PyResult<_>>()?,
    };
    let look = Look { torch: false, gradients: true, writes: false, lists: false };
    let operands = Operands::whole(&arguments, look)?;
    let face = spoken(py, source, dialect, names)?;
    let mut exchange = Exchange::new(face);
    let mut session = Session::new(face);
    for (name, value) in names {
        let value = exchange.value(&operands.replaced(&value)?)?;
        session.set(name.extract::<String>()?, of_face(&value, face));
    }
    exchange.prepare()?;
    let found = detached(py, exchange.bytes, || explained(&mut session));
    found.map_err(|error| pointed(py, &error, source))
}

/// Whether nothing is called before the operation that is explained: a subscript, or one function of names and numbers. Large
/// arrays are explained without a copy then.
fn is_one_operation(source: &str) -> bool {
    let source = source.trim();
    if source.contains([';', '\n']) {
        return false;
    }
    match source.split_once('(') {
        None => !source.contains(')'),
        Some((head, rest)) => {
            let name = head.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
            name && rest.strip_suffix(')').is_some_and(|inside| !inside.contains(['(', ')']))
        }
    }
}

/// The library an expression speaks: the one asked for, one that it names, or that of the first array.
fn spoken(py: Python<'_>, source: &str, dialect: Option<&str>, names: &Bound<'_, PyDict>) -> PyResult<&'static Face> {
    if let Some(name) = dialect {
        let known = if name == "takewise" { NEUTRAL.name } else { name };
        return face(py, known);
    }
    let named = |face: &&'static Face, word: &str| face.names.iter().any(|(name, _)| *name == word);
    let given = |word: &str| names.contains(word).unwrap_or(false);
    let known = |word: &str| lookup::FACES.into_iter().find(|face| named(face, word) && !given(word));
    if let Some(face) = free_words(source).into_iter().find_map(known) {
        return Ok(face);
    }
    for (_, value) in names {
        if let Some(array) = Exchange::new(&NEUTRAL).array(&value)? {
            return match super::described::home(&value) {
                Ok(name) => face(py, name),
                Err(_) => Ok(array.face),
            };
        }
    }
    Ok(&TORCH)
}

/// The words of a source that are no attributes: what follows a dot is one.
fn free_words(source: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = Vec::new();
    let mut rest = source;
    while let Some(start) = rest.find(is_word) {
        let (before, word) = rest.split_at(start);
        let end = word.find(|c| !is_word(c)).unwrap_or(word.len());
        if !before.trim_end().ends_with('.') {
            words.push(&word[..end]);
        }
        rest = &word[end..];
    }
    words
}

/// The value with all its arrays speaking for a library.
fn of_face(value: &Value, face: &'static Face) -> Value {
    let array = |array: &Array| array.clone().of_face(face);
    match value {
        Value::Array(found) => Value::Array(array(found)),
        Value::Tuple(items) => Value::tuple(items.iter().map(|item| of_face(item, face)).collect::<Vec<_>>()),
        Value::List(items) => Value::list(items.borrow().iter().map(|item| of_face(item, face)).collect()),
        other => other.clone(),
    }
}

/// An error as the exception it stands for, with the place it is about.
fn pointed(py: Python<'_>, error: &EvalError, source: &str) -> PyErr {
    let caret = error.span().map(|span| format!("\n{}", takewise_dialects::caret(source, span)));
    let text = format!("{}{}", error.text(), caret.unwrap_or_default());
    let facts = error.facts().cloned().unwrap_or_default();
    exception(py, error.class(), &text, facts).unwrap_or_else(|failed| failed)
}
