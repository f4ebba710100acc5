//! Arithmetic and comparison of plain Python values.

use std::cmp::Ordering;
use std::rc::Rc;

use crate::error::{EvalError, Result};
use crate::operator::{CmpOp, Operator, UnaryOp};
use crate::scalars::item;
use crate::value::Value;

/// Integers beyond 128 bits.
pub fn overflow() -> EvalError {
    EvalError::new("OverflowError", "integers are kept in 128 bits here")
}

fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Float(x) => Some(*x),
        other => other.as_int().map(|i| i as f64),
    }
}

fn complex(value: &Value) -> Option<(f64, f64)> {
    match value {
        Value::Complex(re, im) => Some((*re, *im)),
        other => float(other).map(|x| (x, 0.0)),
    }
}

/// `left op right` on numbers and sequences.
pub fn binary(op: Operator, left: &Value, right: &Value) -> Result<Value> {
    if let Some(value) = sequences(op, left, right)? {
        return Ok(value);
    }
    let unsupported = || {
        EvalError::type_error(format!(
            "unsupported operand type(s) for {}: '{}' and '{}'",
            symbol(op),
            left.type_name(),
            right.type_name()
        ))
    };
    if let (Some(a), Some(b)) = (left.as_int(), right.as_int()) {
        let bools = matches!((left, right), (Value::Bool(_), Value::Bool(_)));
        return integers(op, a, b, bools);
    }
    if let (Some(a), Some(b)) = (float(left), float(right)) {
        return floats(op, a, b).ok_or_else(unsupported)?;
    }
    let ((a, b), (c, d)) = complex(left).zip(complex(right)).ok_or_else(unsupported)?;
    Ok(match op {
        Operator::Add => Value::Complex(a + c, b + d),
        Operator::Sub => Value::Complex(a - c, b - d),
        Operator::Mult => Value::Complex(a * c - b * d, a * d + b * c),
        Operator::Div => {
            let n = c * c + d * d;
            Value::Complex((a * c + b * d) / n, (b * c - a * d) / n)
        }
        _ => return Err(unsupported()),
    })
}

fn sequences(op: Operator, left: &Value, right: &Value) -> Result<Option<Value>> {
    Ok(match (op, left, right) {
        (Operator::Add, Value::Str(a), Value::Str(b)) => Some(Value::str(format!("{a}{b}"))),
        (Operator::Add, Value::List(a), Value::List(b)) => {
            Some(Value::list([a.borrow().clone(), b.borrow().clone()].concat()))
        }
        (Operator::Add, Value::Tuple(_) | Value::Size(_), Value::Tuple(_) | Value::Size(_)) => {
            let items = [left.items().unwrap_or_default(), right.items().unwrap_or_default()].concat();
            Some(Value::tuple(items))
        }
        (Operator::Mult, Value::List(_) | Value::Tuple(_) | Value::Str(_), count)
        | (Operator::Mult, count, Value::List(_) | Value::Tuple(_) | Value::Str(_))
            if count.as_int().is_some() =>
        {
            let sequence = if left.as_int().is_some() { right } else { left };
            let times = usize::try_from(count.as_int().unwrap_or(0).max(0)).map_err(|_| overflow())?;
            let len = match sequence {
                Value::Str(s) => s.len(),
                other => other.items().map_or(0, |items| items.len()),
            };
            if len.saturating_mul(times) > 10_000_000 {
                return Err(EvalError::new("MemoryError", "a repeated sequence may have ten million items at most"));
            }
            Some(match sequence {
                Value::Str(s) => Value::str(s.repeat(times)),
                Value::List(items) => {
                    let items = items.borrow();
                    Value::list(items.iter().cloned().cycle().take(items.len() * times).collect())
                }
                other => {
                    let items = other.items().unwrap_or_default();
                    let count = items.len() * times;
                    Value::tuple(items.into_iter().cycle().take(count).collect::<Vec<_>>())
                }
            })
        }
        _ => None,
    })
}

fn integers(op: Operator, a: i128, b: i128, bools: bool) -> Result<Value> {
    let zero = || EvalError::new("ZeroDivisionError", "division by zero");
    let checked = |v: Option<i128>| v.map(Value::Int).ok_or_else(overflow);
    let logical = |v: i128| if bools { Value::Bool(v != 0) } else { Value::Int(v) };
    match op {
        Operator::Add => checked(a.checked_add(b)),
        Operator::Sub => checked(a.checked_sub(b)),
        Operator::Mult => checked(a.checked_mul(b)),
        Operator::Div if b == 0 => Err(zero()),
        Operator::Div => Ok(Value::Float(a as f64 / b as f64)),
        Operator::FloorDiv | Operator::Mod if b == 0 => {
            Err(EvalError::new("ZeroDivisionError", "integer division or modulo by zero"))
        }
        Operator::FloorDiv => {
            checked(a.checked_div_euclid(b).map(|q| if b < 0 && a.rem_euclid(b) != 0 { q - 1 } else { q }))
        }
        Operator::Mod => {
            let r = a.checked_rem(b).ok_or_else(overflow)?;
            Ok(Value::Int(if r != 0 && (r < 0) != (b < 0) { r + b } else { r }))
        }
        Operator::Pow if b < 0 && a == 0 => Err(EvalError::new("ZeroDivisionError", "zero to a negative power")),
        Operator::Pow if b < 0 => Ok(Value::Float((a as f64).powf(b as f64))),
        Operator::Pow => checked(u32::try_from(b).ok().and_then(|b| a.checked_pow(b)).or(match a {
            0 | 1 => Some(a),
            _ => None,
        })),
        Operator::BitAnd => Ok(logical(a & b)),
        Operator::BitOr => Ok(logical(a | b)),
        Operator::BitXor => Ok(logical(a ^ b)),
        Operator::LShift => {
            let shifted = u32::try_from(b).ok().and_then(|s| 2i128.checked_pow(s)).and_then(|f| a.checked_mul(f));
            checked(shifted)
        }
        Operator::RShift if b < 0 => Err(EvalError::value_error("negative shift count")),
        Operator::RShift => Ok(Value::Int(a >> b.min(127))),
        Operator::MatMult => Err(EvalError::type_error("unsupported operand type(s) for @: 'int' and 'int'")),
    }
}

fn floats(op: Operator, a: f64, b: f64) -> Option<Result<Value>> {
    let zero = || EvalError::new("ZeroDivisionError", "float division by zero");
    Some(match op {
        Operator::Add => Ok(Value::Float(a + b)),
        Operator::Sub => Ok(Value::Float(a - b)),
        Operator::Mult => Ok(Value::Float(a * b)),
        Operator::Div | Operator::FloorDiv | Operator::Mod if b == 0.0 => Err(zero()),
        Operator::Div => Ok(Value::Float(a / b)),
        Operator::FloorDiv => Ok(Value::Float((a / b).floor())),
        Operator::Mod => {
            let r = a % b;
            Ok(Value::Float(if r != 0.0 && (r < 0.0) != (b < 0.0) { r + b } else { r }))
        }
        Operator::Pow => Ok(Value::Float(a.powf(b))),
        _ => return None,
    })
}

/// The operator as written.
pub fn symbol(op: Operator) -> &'static str {
    match op {
        Operator::Add => "+",
        Operator::Sub => "-",
        Operator::Mult => "*",
        Operator::MatMult => "@",
        Operator::Div => "/",
        Operator::Mod => "%",
        Operator::Pow => "** or pow()",
        Operator::LShift => "<<",
        Operator::RShift => ">>",
        Operator::BitOr => "|",
        Operator::BitXor => "^",
        Operator::BitAnd => "&",
        Operator::FloorDiv => "//",
    }
}

/// The comparison as written.
pub fn comparison_symbol(op: CmpOp) -> &'static str {
    match op {
        CmpOp::Eq => "==",
        CmpOp::NotEq => "!=",
        CmpOp::Lt => "<",
        CmpOp::LtE => "<=",
        CmpOp::Gt => ">",
        CmpOp::GtE => ">=",
        CmpOp::Is => "is",
        CmpOp::IsNot => "is not",
        CmpOp::In => "in",
        CmpOp::NotIn => "not in",
    }
}

fn order(left: &Value, right: &Value) -> Option<Option<Ordering>> {
    if let (Some(a), Some(b)) = (left.as_int(), right.as_int()) {
        return Some(Some(a.cmp(&b)));
    }
    if let (Some(a), Some(b)) = (float(left), float(right)) {
        return Some(a.partial_cmp(&b));
    }
    if let (Value::Str(a), Value::Str(b)) = (left, right) {
        return Some(Some(a.cmp(b)));
    }
    let (a, b) = (left.items()?, right.items()?);
    for (x, y) in a.iter().zip(&b) {
        match order(x, y)? {
            Some(Ordering::Equal) => {}
            other => return Some(other),
        }
    }
    Some(Some(a.len().cmp(&b.len())))
}

/// `op value` on a number.
///
/// # Errors
/// A value that has no such operator, integers beyond 128 bits.
pub fn unary(op: UnaryOp, operand: &Value) -> Result<Value> {
    match (op, operand) {
        (UnaryOp::USub, Value::Float(x)) => Ok(Value::Float(-x)),
        (UnaryOp::USub, Value::Complex(re, im)) => Ok(Value::Complex(-re, -im)),
        (UnaryOp::UAdd, Value::Float(_) | Value::Complex(..)) => Ok(operand.clone()),
        (_, v) => match (op, v.as_int()) {
            (UnaryOp::USub, Some(i)) => i.checked_neg().map(Value::Int).ok_or_else(overflow),
            (UnaryOp::UAdd, Some(i)) => Ok(Value::Int(i)),
            (UnaryOp::Invert, Some(i)) => Ok(Value::Int(!i)),
            _ => Err(EvalError::type_error(format!("bad operand type for unary operator: '{}'", v.type_name()))),
        },
    }
}

/// Python's `bool(value)`; of an array, as its library has it.
///
/// # Errors
/// An array of several elements or none.
pub fn truth(value: &Value) -> Result<bool> {
    Ok(match value {
        Value::None => false,
        Value::Bool(b) => *b,
        Value::Int(i) => *i != 0,
        Value::Float(x) => *x != 0.0,
        Value::Complex(re, im) => *re != 0.0 || *im != 0.0,
        Value::Str(s) => !s.is_empty(),
        Value::Array(array) => match array.tensor().numel() {
            1 => truth(&item(array)?)?,
            0 => return Err(array.face.refused(array.face.refusals.truth_of_none)),
            _ => return Err(array.face.refused(array.face.refusals.truth_of_several)),
        },
        sequence => sequence.items().is_none_or(|items| !items.is_empty()),
    })
}

/// Python's `==` on plain values.
pub fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::None, Value::None) | (Value::Ellipsis, Value::Ellipsis) => true,
        (Value::DType(a, _), Value::DType(b, _)) => a == b,
        (Value::DType(a, _), Value::Str(s)) | (Value::Str(s), Value::DType(a, _)) => a.name() == &**s,
        (Value::List(_), Value::Tuple(_) | Value::Size(_)) | (Value::Tuple(_) | Value::Size(_), Value::List(_)) => {
            false
        }
        _ => match (left.items(), right.items()) {
            (Some(a), Some(b)) => a.len() == b.len() && a.iter().zip(&b).all(|(x, y)| equal(x, y)),
            _ => match (complex(left), complex(right)) {
                (Some(a), Some(b)) => match (left.as_int(), right.as_int()) {
                    (Some(i), Some(j)) => i == j,
                    _ => a == b,
                },
                _ => matches!(order(left, right), Some(Some(Ordering::Equal))),
            },
        },
    }
}

/// Python's `is`, as far as values here have identity.
pub fn identical(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::List(a), Value::List(b)) => Rc::ptr_eq(a, b),
        (Value::Array(a), Value::Array(b)) => a.same(b),
        (Value::Array(_), _) | (_, Value::Array(_)) => false,
        (Value::None, _) | (_, Value::None) => matches!((left, right), (Value::None, Value::None)),
        _ => left.type_name() == right.type_name() && equal(left, right),
    }
}

/// `left op right` for an ordering or equality.
pub fn compare(op: CmpOp, left: &Value, right: &Value) -> Result<bool> {
    let ordered = || {
        order(left, right).ok_or_else(|| {
            EvalError::type_error(format!(
                "'{}' not supported between instances of '{}' and '{}'",
                comparison_symbol(op),
                left.type_name(),
                right.type_name()
            ))
        })
    };
    Ok(match op {
        CmpOp::Eq => equal(left, right),
        CmpOp::NotEq => !equal(left, right),
        CmpOp::Lt => ordered()? == Some(Ordering::Less),
        CmpOp::Gt => ordered()? == Some(Ordering::Greater),
        CmpOp::LtE => matches!(ordered()?, Some(Ordering::Less | Ordering::Equal)),
        CmpOp::GtE => matches!(ordered()?, Some(Ordering::Greater | Ordering::Equal)),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_rounds_toward_minus_infinity() {
        for (a, b) in [(7i128, 2i128), (-7, 2), (7, -2), (-7, -2), (6, -3)] {
            let q = (a as f64 / b as f64).floor() as i128;
            let Ok(Value::Int(got)) = binary(Operator::FloorDiv, &Value::Int(a), &Value::Int(b)) else { panic!() };
            let Ok(Value::Int(rest)) = binary(Operator::Mod, &Value::Int(a), &Value::Int(b)) else { panic!() };
            assert_eq!((got, rest), (q, a - q * b), "{a} // {b}");
        }
    }

    #[test]
    fn overflow_is_an_error() {
        assert!(binary(Operator::Pow, &Value::Int(10), &Value::Int(99)).is_err());
        assert!(binary(Operator::LShift, &Value::Int(1), &Value::Int(200)).is_err());
    }
}
