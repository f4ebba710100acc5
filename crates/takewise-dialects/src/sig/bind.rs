//! Arguments bound to signatures, and the argument errors of each library.

use std::rc::Rc;

use super::{Arguments, Call, Kind, Overload, Signature, Values, Wording, unfit};
use crate::context::Context;
use crate::error::EvalError;
use crate::value::Value;

/// Binds `arguments` to the first row that accepts them.
///
/// `receiver` is the object of a method call; it fills the first parameter and is not counted in the
/// positions of messages. `in_place` selects the trailing-underscore meaning.
///
/// # Errors
/// `TypeError` in the wording of the library.
pub fn bind(
    function: &crate::value::Function,
    receiver: Option<Value>,
    arguments: Arguments,
    context: Rc<Context>,
) -> Result<(fn(&Call) -> Result<Value, EvalError>, Call), EvalError> {
    let in_place = function.in_place();
    if let Some(row) = direct(function, receiver.as_ref(), &arguments) {
        let signature = row.signature;
        // The list made for the call becomes that of the values, with room where the caller left some.
        let mut values = arguments.positional;
        if let Some(receiver) = receiver {
            values.insert(0, receiver);
        }
        let values = Values::First(values);
        return Ok((row.run, Call { name: function.name, face: function.face, in_place, context, signature, values }));
    }
    let arguments = &arguments;
    let attempt = |row: Overload, quiet: bool| -> Result<Call, EvalError> {
        let signature = row.signature;
        let values = fill(function.name, function.wording(), signature, receiver.as_ref(), arguments, quiet)?;
        let (context, values) = (Rc::clone(&context), Values::Each(values));
        Ok(Call { name: function.name, face: function.face, in_place, context, signature, values })
    };
    let wording = function.wording();
    for &row in function.rows.iter() {
        if let Ok(call) = attempt(row, true) {
            return Ok((row.run, call));
        }
    }
    let count = arguments.positional.len() + arguments.keyword.len() + usize::from(receiver.is_some());
    let plausible: Vec<_> = function
        .rows
        .iter()
        .copied()
        .filter(|row| {
            let signature = row.signature;
            let named = |k: &str| signature.params.iter().any(|p| alias(p.name, k, wording));
            let fits = signature.required() <= count && count <= signature.params.len();
            fits && (wording.any_keywords || arguments.keyword.iter().all(|(k, _)| named(k)))
        })
        .collect();
    let only = match (&function.rows[..], &plausible[..]) {
        ([row], _) | (_, [row]) if wording.lone_overload || count > row_least(row) || !arguments.keyword.is_empty() => {
            Some(*row)
        }
        _ => None,
    };
    if let Some(row) = only {
        attempt(row, false)?;
    }
    Err(EvalError::type_error(unfit::message(wording.unfit, function, arguments)))
}

/// The row for values given by position, as most calls give them: the one [`fill`] finds too, without a list made for every
/// row that is passed over. `None` also where a row looks at them that may spread them.
fn direct(function: &crate::value::Function, receiver: Option<&Value>, arguments: &Arguments) -> Option<Overload> {
    if !arguments.keyword.is_empty() {
        return None;
    }
    let own = usize::from(receiver.is_some());
    let count = own + arguments.positional.len();
    let wording = function.wording();
    for row in function.rows.iter() {
        let (params, most) = (&row.signature.params, row.signature.positional);
        if most < own || most == own + 1 && matches!(params[own].kind, Kind::Ints | Kind::Rest) {
            return None;
        }
        if count > most {
            continue;
        }
        let (given, rest) = params.split_at(count);
        let mut values = receiver.into_iter().chain(&arguments.positional);
        let taken = given.iter().all(|p| values.next().is_some_and(|v| p.takes(v, wording)));
        if taken && rest.iter().all(|p| p.default.is_some()) {
            return Some(*row);
        }
    }
    None
}

fn fill(
    name: &str,
    wording: &Wording,
    signature: &'static Signature,
    receiver: Option<&Value>,
    arguments: &Arguments,
    quiet: bool,
) -> Result<Vec<Option<Value>>, EvalError> {
    // Most overloads are tried only to be passed over: their texts would be written for nobody.
    let refused = |text: &dyn Fn() -> String| EvalError::type_error(if quiet { String::new() } else { text() });
    let own = usize::from(receiver.is_some());
    let mut values: Vec<Option<Value>> = Vec::with_capacity(signature.params.len());
    values.resize_with(signature.params.len(), || None);
    if let (Some(value), Some(slot)) = (receiver, values.first_mut()) {
        *slot = Some(value.clone());
    }
    let params = &signature.params[own.min(signature.params.len())..];
    let most = params.iter().filter(|p| !p.keyword_only).count();
    let mut positional = &arguments.positional[..];
    let spread = most == 1
        && match params[0].kind {
            Kind::Ints => positional.first().is_some_and(|v| Kind::Int.accepts(v)),
            kind => kind == Kind::Rest,
        };
    let whole;
    if spread {
        whole = [Value::tuple(positional)];
        positional = &whole;
    }
    if positional.len() > most {
        let least = params.iter().filter(|p| p.default.is_none() && !p.keyword_only).count();
        return Err(refused(&|| too_many(name, wording, own, least, most, positional.len())));
    }
    for (i, value) in positional.iter().enumerate() {
        values[own + i] = Some(value.clone());
    }
    for (keyword, value) in &arguments.keyword {
        let slot = params.iter().position(|p| alias(p.name, keyword, wording));
        match slot {
            None => {
                return Err(refused(&|| format!("{name}() got an unexpected keyword argument '{keyword}'")));
            }
            Some(slot) if values[own + slot].is_some() => {
                return Err(refused(&|| format!("{name}() got multiple values for argument '{keyword}'")));
            }
            Some(slot) => values[own + slot] = Some(value.clone()),
        }
    }
    check(name, wording, signature, own, &values, arguments, &refused)?;
    Ok(values)
}

/// Fails for a parameter that has no value, or one that it does not take.
fn check(
    name: &str,
    wording: &Wording,
    signature: &Signature,
    own: usize,
    values: &[Option<Value>],
    arguments: &Arguments,
    refused: &dyn Fn(&dyn Fn() -> String) -> EvalError,
) -> Result<(), EvalError> {
    let first = signature.params.iter().zip(values).position(|(p, v)| v.is_none() && p.default.is_none());
    let missing = || -> Vec<&str> {
        let all = signature.params.iter().zip(values).enumerate().filter(|(i, (p, v))| {
            let listed = wording.lists_all && !p.keyword_only && first.is_some_and(|f| *i >= f);
            (v.is_none() || listed) && p.default.is_none()
        });
        all.map(|(_, (p, _))| p.name).collect()
    };
    for (i, (param, value)) in signature.params.iter().zip(values).enumerate() {
        let Some(value) = value else {
            if param.default.is_none() {
                return Err(refused(&|| (wording.missing)(name, &missing())));
            }
            continue;
        };
        if param.takes(value, wording) {
            continue;
        }
        if !param.is_plain(value, wording) {
            return Err(refused(&|| format!("The type of '{}' must be 'int', but got 'Tensor'.", param.name)));
        }
        return Err(refused(&|| {
            let by_keyword = arguments.keyword.iter().any(|(k, _)| alias(param.name, k, wording)) && i >= own;
            let position = if by_keyword { String::new() } else { format!(" (position {})", i + 1 - own) };
            let stop = wording.stop;
            let (wanted, given) = (param.kind.words(), value.type_name());
            format!("{name}(): argument '{}'{position} must be {wanted}, not {given}{stop}", param.name)
        }));
    }
    Ok(())
}

/// NumPy's spellings are accepted by all for the common parameters.
fn alias(param: &str, keyword: &str, wording: &Wording) -> bool {
    let common = wording.common
        && matches!(
            (param, keyword),
            ("dim", "axis") | ("input", "x" | "a" | "input_x") | ("keepdim", "keepdims") | ("other", "x2")
        );
    param == keyword || common || wording.spellings.contains(&(param, keyword))
}

fn too_many(name: &str, wording: &Wording, own: usize, least: usize, most: usize, given: usize) -> String {
    let own = if wording.counts_receiver { own } else { 0 };
    let (least, most, given) = (least + own, most + own, given + own);
    let were = if given == 1 { "was" } else { "were" };
    let takes = if least == most {
        format!("{most} positional argument{}", if most == 1 { "" } else { "s" })
    } else {
        format!("from {least} to {most} positional arguments")
    };
    format!("{name}() takes {takes} but {given} {were} given")
}

/// Arguments a row needs, its receiver included.
fn row_least(row: &Overload) -> usize {
    row.signature.required()
}
