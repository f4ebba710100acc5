//! Arrays held between bounds: choices of a mask.

use takewise::op::Op;
use takewise::promote::{Operand, result_type};
use takewise::{DType, Rules, Scalar, Tensor};

use super::casting::can_cast;
use super::create::{array_like, filled};
use super::fold::{beyond, beyond_either, lacking};
use super::join::{listed, worded};
use super::numpy::{like, scalar_or_array};
use super::{Outcome, cast, copy_into, into_out, raise, to_scalar};
use crate::error::{EvalError, Result};
use crate::print::repr;
use crate::sig::Call;
use crate::value::Value;
use crate::words::torch_name;

/// A bound as a tensor of `dtype`; `None` where no number of that dtype lies beyond it. `lower` says which bound it is.
fn bound(call: &Call, value: &Value, dtype: DType, lower: bool) -> Result<Option<Tensor>> {
    let number = match value {
        Value::Array(array) => return cast::convert(&array.tensor(), dtype, call.face).map(Some),
        plain => to_scalar(plain).ok_or_else(|| {
            EvalError::type_error(format!("{}(): {} is no number to clamp by", call.name, repr(plain)))
        })?,
    };
    let range = takewise::internal::number::integer_range(dtype);
    if let (Scalar::Int(v), Some((least, most))) = (number, range) {
        if lower && v < least || !lower && v > most {
            return Ok(None);
        }
        if !(least..=most).contains(&v) {
            return Err(match call.face.facts.tensors {
                true => EvalError::runtime_error(format!(
                    "Clamp {} value {v} is outside the representable range of {}",
                    if lower { "min" } else { "max" },
                    torch_name(dtype)
                )),
                false => {
                    EvalError::new("OverflowError", format!("Python integer {v} out of bounds for {}", dtype.name()))
                }
            });
        }
    }
    filled(&[], number, dtype, call.face).map(Some)
}

/// `x` between bounds, in the dtype all meet in: first not below the lower, then not above the upper one.
fn between(call: &Call, x: &Tensor, lower: Option<&Value>, upper: Option<&Value>, dtype: DType) -> Result<Tensor> {
    let mut held = cast::convert(x, dtype, call.face)?;
    let own = held.clone();
    for (value, low) in [(lower, true), (upper, false)] {
        let Some(bound) = value.map(|value| bound(call, value, dtype, low)).transpose()?.flatten() else { continue };
        held = match value {
            Some(Value::Array(_)) => beyond_either(call, &held, &bound, low)?,
            _ => beyond(call, &held, &bound, low)?,
        };
    }
    // Nothing lies beyond bounds that no number reaches.
    if held.is_identical(&own) { own.clone_data().map_err(raise) } else { Ok(held) }
}

/// The dtype an array and its bounds meet in.
fn met(call: &Call, x: Operand, bounds: [Option<&Value>; 2]) -> Result<DType> {
    let mut operands = vec![x];
    for value in bounds.into_iter().flatten() {
        operands.extend(match value {
            Value::Array(a) => Some(Operand::of(a.dtype(), a.shape().len())),
            plain => to_scalar(plain).map(Operand::Number),
        });
    }
    result_type(call.face.compare.promotion, &operands).map_err(worded(call))
}

/// The number in an array without axes; any other value as it is.
fn number(value: Value) -> Result<Value> {
    match &value {
        Value::Array(a) if a.shape().is_empty() => {
            Ok(super::elements(&a.tensor()).map_err(raise)?.pop().unwrap_or(Value::None))
        }
        _ => Ok(value),
    }
}

/// torch's `clamp(input, min, max, out)`, of numbers or of tensors; in place of numbers alone.
pub(crate) fn clamp(call: &Call) -> Outcome {
    let x = call.tensor("input")?;
    let (mut lower, mut upper) = (call.get("min"), call.get("max"));
    let plain = |v: &Option<Value>| v.as_ref().is_some_and(|v| !matches!(v, Value::Array(_)));
    if plain(&lower) || plain(&upper) {
        // Beside a number, a tensor without axes is one too.
        for bound in [&mut lower, &mut upper] {
            *bound = bound.take().map(number).transpose()?;
        }
    }
    if lower.is_none() && upper.is_none() {
        return Err(EvalError::runtime_error("torch.clamp: At least one of 'min' or 'max' must not be None"));
    }
    let dtype = met(call, Operand::of(x.dtype(), x.rank()), [lower.as_ref(), upper.as_ref()])?;
    let tensors = [&lower, &upper].iter().any(|v| matches!(v, Some(Value::Array(_))));
    if dtype.is_complex() {
        return Err(match tensors && (lower.is_none() || upper.is_none()) {
            true => lacking(if lower.is_some() { "maximum_cpu" } else { "minimum_cpu" }, dtype),
            false => EvalError::unsupported("clamp is not supported for complex types"),
        });
    }
    if dtype == DType::Bool && (!tensors || lower.is_some() && upper.is_some()) {
        let kernel = match (&lower, &upper) {
            _ if tensors => "clamp_cpu",
            (Some(_), Some(_)) => "clamp_scalar_cpu",
            (Some(_), None) => "clamp_min_scalar_cpu",
            _ => "clamp_max_scalar_cpu",
        };
        return Err(lacking(kernel, dtype));
    }
    if !call.in_place {
        return into_out(call, call.op(), between(call, &x, lower.as_ref(), upper.as_ref(), dtype)?);
    }
    if dtype != x.dtype() {
        let (from, to) = (torch_name(dtype), torch_name(x.dtype()).to_lowercase());
        let text = format!("result type {from} can't be cast to the desired output type {to}");
        return Err(EvalError::runtime_error(text));
    }
    let array = call.array("input")?;
    // Nothing is written before both are known to be good.
    let mut bounds = Vec::new();
    for (value, low) in [(&lower, true), (&upper, false)] {
        let bound = value.as_ref().map(|value| bound(call, value, dtype, low)).transpose()?.flatten();
        bounds.extend(bound.map(|bound| (bound, low)));
    }
    for (bound, low) in bounds {
        let number = to_scalar(&super::elements(&bound).map_err(raise)?.pop().unwrap_or(Value::Int(0)));
        let within = super::fold::within(call, &x, &bound, low)?;
        let mask = super::compare::not(&within, call.face)?;
        x.masked_fill_(&mask, number.unwrap_or(Scalar::Int(0)), &Rules::NEUTRAL).map_err(worded(call))?;
    }
    Ok(Value::Array(array))
}

/// NumPy's `clip(a, a_min, a_max, out, min, max, dtype)`.
pub(crate) fn clip(call: &Call) -> Outcome {
    let array = like(call, "input")?;
    let x = array.tensor();
    let named = |name: &str| call.has(name).then(|| call.get(name)).flatten();
    if call.has("a_min") {
        let (old, new) = (["a_min", "a_max"], ["min", "max"]);
        let given = |names: [&str; 2]| names.iter().any(|name| call.given(name));
        if given(old) && given(new) {
            let text = "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.";
            return Err(EvalError::value_error(text));
        }
        let halves = old.map(|name| call.given(name));
        if halves[0] != halves[1] {
            let missing = if halves[0] { "a_max" } else { "a_min" };
            let text = format!("clip() missing 1 required positional argument: '{missing}'");
            return Err(EvalError::type_error(text));
        }
    }
    let side = |old: &str, new: &str| -> Result<Option<Value>> {
        match named(old).or_else(|| named(new)) {
            Some(list) if list.items().is_some() => array_like(&list, call.face).map(|a| Some(Value::Array(a))),
            other => Ok(other),
        }
    };
    let (lower, upper) = (side("a_min", "min")?, side("a_max", "max")?);
    let own = match call.get("input") {
        Some(Value::Array(_)) => Operand::of(x.dtype(), x.rank()),
        Some(plain) if to_scalar(&plain).is_some() => Operand::Array(x.dtype()),
        _ => Operand::Array(x.dtype()),
    };
    let asked = call.dtype("dtype")?.map(DType::native);
    let dtype = match asked {
        Some(dtype) => dtype,
        None => met(call, own, [lower.as_ref(), upper.as_ref()])?.native(),
    };
    if dtype.is_foreign() {
        let text = format!("clip is not defined here for dtype {}", call.face.dtype_repr(dtype));
        return Err(EvalError::type_error(text));
    }
    let made = between(call, &x, lower.as_ref(), upper.as_ref(), dtype)?;
    let out = match call.get("out") {
        None => return Ok(scalar_or_array(call, made)),
        Some(Value::Array(out)) if !out.scalar => out,
        Some(_) => return Err(EvalError::type_error("return arrays must be of ArrayType")),
    };
    if !can_cast(dtype, out.dtype(), "same_kind") {
        let (from, to) = (call.face.dtype_repr(dtype), call.face.dtype_repr(out.dtype()));
        let text = format!("Cannot cast ufunc 'clip' output from {from} to {to} with casting rule 'same_kind'");
        return Err(EvalError::type_error(text));
    }
    if *out.shape() != *made.shape() {
        let shapes = format!("({}) ({})", listed(made.shape()), listed(&out.shape()));
        let text = format!("operands could not be broadcast together with shapes {shapes}");
        return Err(EvalError::value_error(text));
    }
    copy_into(Op::Out, &out.tensor(), &made, call.face.words)?;
    Ok(Value::Array(out))
}
