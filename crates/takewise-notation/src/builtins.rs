//! Python's own functions, as far as index expressions use them.

use takewise_dialects::numbers::{self, truth};
use takewise_dialects::operator::{CmpOp, Operator};
use takewise_dialects::sig::Arguments;
use takewise_dialects::{EvalError, Value, object, print};

use crate::eval::iterate;
use crate::session::Session;

/// The names of Python's own functions that are evaluated.
pub const NAMES: [&str; 21] = [
    "print", "len", "float", "int", "bool", "complex", "str", "repr", "list", "tuple", "range", "slice", "abs", "max",
    "min", "sum", "type", "all", "any", "sorted", "round",
];

/// The builtin of that name.
pub(crate) fn named(name: &str) -> Option<Value> {
    NAMES.iter().find(|n| **n == name).map(|n| Value::Builtin(n))
}

/// Calls a builtin.
///
/// # Errors
/// The class and text Python raises.
pub(crate) fn call(session: &mut Session, name: &'static str, arguments: &Arguments) -> Result<Value, EvalError> {
    let arguments = &match (name, &arguments.positional[..]) {
        // They ask for no elements.
        ("len" | "type", [Value::Stored(..)]) => arguments.clone(),
        // They ask for few.
        ("print" | "str" | "repr", _) => arguments.clone(),
        _ => object::settled_all(arguments.clone())?,
    };
    let values = &arguments.positional;
    if name == "print" {
        return print(session, arguments);
    }
    if let Some((keyword, _)) = arguments.keyword.first() {
        return Err(EvalError::type_error(format!("{name}() takes no keyword argument '{keyword}' here")));
    }
    let one = || match &values[..] {
        [value] => Ok(value),
        other => Err(EvalError::type_error(format!("{name}() takes exactly one argument ({} given)", other.len()))),
    };
    Ok(match name {
        "len" => Value::Int(length(one()?)? as i128),
        "float" => float(one()?)?,
        "int" => int(one()?)?,
        "bool" => Value::Bool(values.first().map_or(Ok(false), truth)?),
        "complex" => complex(values)?,
        "str" => Value::str(object::text(one()?, true)?),
        "repr" => Value::str(object::text(one()?, false)?),
        "list" => Value::list(values.first().map_or(Ok(vec![]), iterate)?),
        "tuple" => Value::tuple(values.first().map_or(Ok(vec![]), iterate)?),
        "range" => range(values)?,
        "slice" => match &values[..] {
            [stop] => Value::Slice([Value::None, stop.clone(), Value::None].into()),
            [start, stop] => Value::Slice([start.clone(), stop.clone(), Value::None].into()),
            [start, stop, step] => Value::Slice([start.clone(), stop.clone(), step.clone()].into()),
            _ => return Err(EvalError::type_error("slice expected 1 to 3 arguments")),
        },
        "abs" => match one()? {
            Value::Float(x) => Value::Float(x.abs()),
            Value::Complex(re, im) => Value::Float(re.hypot(*im)),
            other => match other.as_int() {
                Some(i) => Value::Int(i.checked_abs().ok_or_else(numbers::overflow)?),
                None => return Err(bad_operand("abs()", other)),
            },
        },
        "max" | "min" => extreme(name, values)?,
        "sum" => {
            let mut total = Value::Int(0);
            for item in iterate(one()?)? {
                total = object::binary(Operator::Add, &total, &item)?;
            }
            total
        }
        "all" | "any" => {
            let stop = name == "any";
            let mut result = !stop;
            for item in iterate(one()?)? {
                if truth(&item)? == stop {
                    result = stop;
                    break;
                }
            }
            Value::Bool(result)
        }
        "sorted" => sorted(one()?)?,
        "round" => match values.first() {
            Some(Value::Float(x)) if values.len() == 1 => int(&Value::Float(x.round_ties_even()))?,
            Some(v) if v.as_int().is_some() => v.clone(),
            _ => return Err(EvalError::type_error("round() takes one number")),
        },
        "type" => Value::Type(one()?.type_name().into()),
        other => return Err(EvalError::unsupported(format!("{other}() is not evaluated"))),
    })
}

fn sorted(value: &Value) -> Result<Value, EvalError> {
    let mut items = iterate(value)?;
    let mut failed = None;
    items.sort_by(|a, b| {
        let less = |x, y| numbers::compare(CmpOp::Lt, x, y);
        match (less(a, b), less(b, a)) {
            (Ok(true), _) => std::cmp::Ordering::Less,
            (_, Ok(true)) => std::cmp::Ordering::Greater,
            (Err(e), _) => {
                failed = Some(e);
                std::cmp::Ordering::Equal
            }
            _ => std::cmp::Ordering::Equal,
        }
    });
    failed.map_or(Ok(()), Err)?;
    Ok(Value::list(items))
}

fn bad_operand(what: &str, value: &Value) -> EvalError {
    EvalError::type_error(format!("bad operand type for {what}: '{}'", value.type_name()))
}

fn print(session: &mut Session, arguments: &Arguments) -> Result<Value, EvalError> {
    let mut separator = " ".to_owned();
    let mut end = "\n".to_owned();
    for (keyword, value) in &arguments.keyword {
        match (keyword.as_str(), value) {
            ("sep", Value::Str(s)) => separator = s.to_string(),
            ("end", Value::Str(s)) => end = s.to_string(),
            ("sep" | "end", Value::None) | ("flush", _) => {}
            _ => {
                let text = format!("print() got an unexpected keyword argument '{keyword}'");
                return Err(EvalError::type_error(text));
            }
        }
    }
    let parts: Vec<String> =
        arguments.positional.iter().map(|value| object::text(value, true)).collect::<Result<_, _>>()?;
    session.write(&(parts.join(&separator) + &end));
    Ok(Value::None)
}

fn length(value: &Value) -> Result<usize, EvalError> {
    match value {
        Value::Str(s) => Ok(s.chars().count()),
        Value::Array(a) => match a.shape().first() {
            Some(n) => Ok(*n),
            None => Err(EvalError::type_error(a.face.refusals.scalar_length)),
        },
        Value::Stored(x, face) => match x.shape().first() {
            Some(n) => Ok(*n),
            None => Err(EvalError::type_error(face.refusals.scalar_length)),
        },
        Value::Size(dims) => Ok(dims.len()),
        other => match other.items() {
            Some(items) => Ok(items.len()),
            None => Err(EvalError::type_error(format!("object of type '{}' has no len()", other.type_name()))),
        },
    }
}

fn float(value: &Value) -> Result<Value, EvalError> {
    match value {
        Value::Float(x) => Ok(Value::Float(*x)),
        Value::Str(s) => {
            let text = s.trim().replace('_', "");
            let wrong = || EvalError::value_error(format!("could not convert string to float: {}", print::repr(value)));
            text.parse().map(Value::Float).map_err(|_| wrong())
        }
        Value::Array(a) => float(&object::item(a)?),
        other => match other.as_int() {
            Some(i) => Ok(Value::Float(i as f64)),
            None => Err(EvalError::type_error(format!(
                "float() argument must be a string or a real number, not '{}'",
                other.type_name()
            ))),
        },
    }
}

fn int(value: &Value) -> Result<Value, EvalError> {
    match value {
        Value::Float(x) if x.is_nan() => Err(EvalError::value_error("cannot convert float NaN to integer")),
        Value::Float(x) if x.is_infinite() => {
            Err(EvalError::new("OverflowError", "cannot convert float infinity to integer"))
        }
        Value::Float(x) if x.abs() < 1.7e38 => Ok(Value::Int(x.trunc() as i128)),
        Value::Float(_) => Err(numbers::overflow()),
        Value::Str(s) => {
            let text = s.trim().replace('_', "");
            let wrong =
                || EvalError::value_error(format!("invalid literal for int() with base 10: {}", print::repr(value)));
            text.parse().map(Value::Int).map_err(|_| wrong())
        }
        Value::Array(a) => int(&object::item(a)?),
        other => other.as_int().map(Value::Int).ok_or_else(|| {
            EvalError::type_error(format!(
                "int() argument must be a string, a bytes-like object or a real number, not '{}'",
                other.type_name()
            ))
        }),
    }
}

fn complex(values: &[Value]) -> Result<Value, EvalError> {
    let part = |v: Option<&Value>| match v {
        None => Ok((0.0, 0.0)),
        Some(Value::Complex(re, im)) => Ok((*re, *im)),
        Some(v) => match float(v)? {
            Value::Float(x) => Ok((x, 0.0)),
            _ => Err(bad_operand("complex()", v)),
        },
    };
    let ((a, b), (c, d)) = (part(values.first())?, part(values.get(1))?);
    Ok(Value::Complex(a - d, b + c))
}

fn range(values: &[Value]) -> Result<Value, EvalError> {
    let ints: Option<Vec<i128>> = values.iter().map(Value::as_int).collect();
    match ints.as_deref() {
        Some([stop]) => Ok(Value::Range(0, *stop, 1)),
        Some([start, stop]) => Ok(Value::Range(*start, *stop, 1)),
        Some([_, _, 0]) => Err(EvalError::value_error("range() arg 3 must not be zero")),
        Some([start, stop, step]) => Ok(Value::Range(*start, *stop, *step)),
        Some(_) => Err(EvalError::type_error("range expected 1 to 3 arguments")),
        None => Err(EvalError::type_error("range() arguments must be integers")),
    }
}

fn extreme(name: &str, values: &[Value]) -> Result<Value, EvalError> {
    let items = match values {
        [one] => iterate(one)?,
        many => many.to_vec(),
    };
    let op = if name == "max" { CmpOp::Gt } else { CmpOp::Lt };
    let mut best: Option<Value> = None;
    for item in items {
        let better = match &best {
            Some(b) => numbers::compare(op, &item, b)?,
            None => true,
        };
        if better {
            best = Some(item);
        }
    }
    best.ok_or_else(|| EvalError::value_error(format!("{name}() iterable argument is empty")))
}
