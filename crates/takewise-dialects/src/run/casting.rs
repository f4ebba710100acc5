//! NumPy's rules for which dtype may be stored as which other: `casting=`.

use takewise::foreign;
use takewise::promote::{Operand, Promotion, promote, result_type};
use takewise::{DType, Scalar};

use super::{raise, to_scalar};
use crate::error::EvalError;
use crate::face::Face;
use crate::facts::Meeting;
use crate::sig::Call;
use crate::texts::is_text;
use crate::value::Value;

/// The order of kinds: what is later holds what is earlier, with loss at most.
fn kind(dtype: DType) -> u8 {
    match dtype.native() {
        DType::Bool => 0,
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => 1,
        d if d.is_integer() => 2,
        d if d.is_float() => 3,
        d if d.is_complex() => 4,
        _ => 5,
    }
}

/// NumPy's `can_cast(from, to, casting)`. Of dtypes that are none of the engine's numbers their library says it.
pub(crate) fn can_cast(from: DType, to: DType, casting: &str) -> bool {
    if from == to {
        return true;
    }
    if from.is_foreign() || to.is_foreign() {
        return foreign::can_cast(from, to, casting);
    }
    // The order of bytes is no difference of values.
    let (own, other) = (from.native(), to.native());
    let safe = || own == other || promote(Promotion::Widening, own, other).is_ok_and(|common| common.native() == other);
    let (from, to) = (own, other);
    match casting {
        "no" => false,
        "equiv" => from == to,
        "safe" => safe(),
        "same_kind" => safe() || kind(from) <= kind(to) && kind(to) < 5,
        _ => true,
    }
}

/// What NumPy says of a cast that is not allowed; `what` is "scalar" or "array data".
pub(crate) fn refused(what: &str, from: DType, to: DType, casting: &str, face: &Face) -> EvalError {
    let (from, to) = (face.dtype_repr(from), face.dtype_repr(to));
    EvalError::type_error(format!("Cannot cast {what} from {from} to {to} according to the rule '{casting}'"))
}

/// Fails unless a value may be stored in an array of `dtype`, by `casting=`. Python's own numbers are of their kind only.
pub(crate) fn check(call: &Call, value: &Value, dtype: DType) -> Result<(), EvalError> {
    let casting = call.text("casting");
    let casting = casting.as_deref().unwrap_or("same_kind");
    if !["no", "equiv", "safe", "same_kind", "unsafe"].contains(&casting) {
        let known = "'no', 'equiv', 'safe', 'same_kind', 'unsafe'";
        return Err(EvalError::value_error(format!("casting must be one of {known} (got '{casting}')")));
    }
    let (from, what) = match value {
        Value::Array(a) => (a.dtype(), if a.shape().is_empty() { "scalar" } else { "array data" }),
        number => match to_scalar(number) {
            Some(Scalar::Int(_)) if (1..5).contains(&kind(dtype)) => return Ok(()),
            Some(Scalar::Float(_)) if (3..5).contains(&kind(dtype)) => return Ok(()),
            Some(Scalar::Complex(..)) if kind(dtype) == 4 => return Ok(()),
            Some(scalar) => (super::create::infer(&[scalar], call.face), "scalar"),
            None => return Ok(()),
        },
    };
    if can_cast(from, dtype, casting) { Ok(()) } else { Err(refused(what, from, dtype, casting, call.face)) }
}

/// Fails for a number too large, and for a value that has no dtype in common with an array of `dtype` where a library
/// stores or searches for nothing else.
pub(crate) fn check_meeting(value: &Value, dtype: DType, face: &Face) -> Result<(), EvalError> {
    let operand = match value {
        Value::Array(a) => Some(Operand::of(a.dtype(), a.shape().len())),
        plain => to_scalar(plain).map(Operand::Number),
    };
    check_width(value, Some(dtype), face)?;
    if is_text(dtype) && matches!(value, Value::Array(a) if is_text(a.dtype())) {
        return Ok(());
    }
    let foreign = || dtype.is_foreign() || matches!(value, Value::Array(a) if a.dtype().is_foreign());
    let must_meet = match face.facts.operands.must_meet {
        Meeting::None => false,
        Meeting::Foreign => foreign(),
        Meeting::All => true,
    };
    match operand {
        Some(operand) if must_meet => {
            let met = result_type(face.compare.promotion, &[Operand::Array(dtype), operand]);
            met.map(|_| ()).map_err(|error| raise(error.in_words(face.words)))
        }
        _ => Ok(()),
    }
}

/// Fails for an integer of more bits than a library takes of Python's numbers beside an array of `dtype`.
pub(crate) fn check_width(value: &Value, dtype: Option<DType>, face: &Face) -> Result<(), EvalError> {
    let Value::Int(i) = *value else { return Ok(()) };
    (face.refusals.beside)(i, dtype).map_or(Ok(()), Err)
}
