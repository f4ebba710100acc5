//! Choosing among arrays: `choose`, `select`, and copying under a condition.

use takewise::index::rules::{Outside, Rules, Sign};
use takewise::layout::broadcast_shapes;
use takewise::op::Op;
use takewise::promote::{Operand, result_type};
use takewise::{DType, Dims, Tensor};

use super::casting::{self, can_cast};
use super::create::{array_like, from_value};
use super::numpy::{like, scalar_or_array, with_mode};
use super::{Outcome, copy_into, raise, subscript, to_scalar};
use crate::error::{EvalError, Result};
use crate::sig::Call;
use crate::value::{Array, Value};

/// The dtype values meet in, Python's numbers being weak.
fn common(call: &Call, values: &[Value]) -> Result<DType> {
    let operand = |v: &Value| match v {
        Value::Array(x) => Ok(Operand::of(x.dtype(), x.shape().len())),
        number => to_scalar(number).map(Operand::Number).ok_or_else(|| {
            EvalError::type_error(format!("{}(): a {} is no array to choose", call.name, number.type_name()))
        }),
    };
    let beside = values.iter().find_map(Value::array).map(Array::dtype);
    values.iter().try_for_each(|v| casting::check_width(v, beside, call.face))?;
    let operands = values.iter().map(operand).collect::<Result<Vec<_>>>()?;
    if operands.iter().all(|o| matches!(o, Operand::Number(_))) {
        let numbers: Vec<_> = values.iter().filter_map(to_scalar).collect();
        return Ok(super::create::infer(&numbers, call.face));
    }
    result_type(call.face.compare.promotion, &operands).map_err(|e| raise(e.in_words(call.face.words)))
}

/// Lists as arrays, numbers as they are.
fn listed(call: &Call, value: &Value) -> Result<Value> {
    match value.items() {
        Some(_) => array_like(value, call.face).map(Value::Array),
        None => Ok(value.clone()),
    }
}

/// The items of a sequence, or what an array has along its first axis.
fn items(call: &Call, name: &str) -> Result<Vec<Value>> {
    let value = call.get(name).unwrap_or(Value::None);
    match &value {
        Value::Array(a) if !a.shape().is_empty() => {
            Ok(super::split::every(&a.tensor(), 0)?.into_iter().map(|row| call.wrap(row)).collect())
        }
        other => other
            .items()
            .ok_or_else(|| EvalError::type_error(format!("'{}' object is not iterable", other.type_name()))),
    }
}

fn unequal(shapes: &[&[usize]]) -> EvalError {
    let shown = |shape: &[usize]| match shape {
        [one] => format!("({one},)"),
        many => format!("({})", many.iter().map(usize::to_string).collect::<Vec<_>>().join(",")),
    };
    let meets = |k: usize| broadcast_shapes(shapes[..=k].iter().copied()).is_ok();
    let last = (0..shapes.len()).find(|k| !meets(*k)).unwrap_or(0);
    let apart = |k: &usize| broadcast_shapes([shapes[*k], shapes[last]]).is_err();
    let first = (0..last).find(apart).unwrap_or(0);
    EvalError::value_error(format!(
        "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg {first} with shape {} \
         and arg {last} with shape {}.",
        shown(shapes[first]),
        shown(shapes[last])
    ))
}

/// Choices one above the other, each stretched to `shape`.
fn stacked(choices: &[Tensor], shape: &[usize], dtype: DType, call: &Call) -> Result<Tensor> {
    let whole: Vec<usize> = std::iter::once(choices.len()).chain(shape.iter().copied()).collect();
    let stack = Tensor::zeroed(&whole, dtype).map_err(raise)?;
    for (k, choice) in choices.iter().enumerate() {
        let part = stack.select(0, k as i64).map_err(raise)?;
        let wide = choice.broadcast_to(shape).map_err(raise)?;
        copy_into(Op::Named(&"choose"), &part, &wide, call.face.words)?;
    }
    Ok(stack)
}

/// Puts a result into `out=` as NumPy's functions with a mode do: of `any` dtype, or one that the result's can hold.
pub(crate) fn into_cast_out(call: &Call, fresh: Tensor, mismatch: EvalError, any: bool) -> Outcome {
    let out = match call.get("out") {
        None | Some(Value::None) => return Ok(scalar_or_array(call, fresh)),
        Some(Value::Array(out)) => out,
        Some(_) => return Err(EvalError::type_error("output must be an array")),
    };
    let target = out.tensor();
    if target.shape() != fresh.shape() {
        return Err(mismatch);
    }
    if !any && !can_cast(target.dtype(), fresh.dtype(), "safe") {
        return Err(casting::refused("array data", target.dtype(), fresh.dtype(), "safe", call.face));
    }
    copy_into(Op::Take, &target, &fresh, call.face.words)?;
    Ok(Value::Array(out))
}

/// `choose(a, choices, out, mode)`: at every place, that of the choice `a` names there.
pub(crate) fn choose(call: &Call) -> Outcome {
    let index = like(call, "input")?.tensor();
    if !can_cast(index.dtype(), DType::I64, "safe") {
        return Err(casting::refused("array data", index.dtype(), DType::I64, "safe", call.face));
    }
    let index = super::cast::convert(&index, DType::I64, call.face)?;
    let values = items(call, "choices")?.iter().map(|v| listed(call, v)).collect::<Result<Vec<_>>>()?;
    if values.is_empty() {
        return Err(EvalError::value_error("0-length sequence."));
    }
    // The rows of one array are of one dtype, which may be in the other byte order.
    let dtype = match call.get("choices") {
        Some(Value::Array(rows)) => rows.dtype(),
        _ => common(call, &values)?,
    };
    let choices = values.iter().map(|v| from_value(v, Some(dtype), call.face)).collect::<Result<Vec<_>>>()?;
    let shapes: Vec<&[usize]> = choices.iter().map(Tensor::shape).chain([index.shape()]).collect();
    let shape = broadcast_shapes(shapes.iter().copied()).map_err(|_| unequal(&shapes))?;
    let base = Rules { sign: Sign::NonNegative, outside: Outside::Raise, ..call.face.rules.take_along };
    // JAX refuses to raise elsewhere.
    let raises = call.text("mode").as_deref() == Some("raise");
    let rules = if raises { base } else { Rules { sign: Sign::NonNegative, ..with_mode(call, &base)? } };
    let stack = stacked(&choices, &shape, dtype, call)?;
    let places = index.broadcast_to(&shape).and_then(|t| t.unsqueeze(0)).map_err(raise)?;
    let wrong = |_| EvalError::value_error("invalid entry in choice array");
    let chosen = stack.take_along(Some(0), &places, &rules).map_err(wrong)?;
    let shape: Dims<i64> = shape.iter().map(|n| *n as i64).collect();
    let chosen = chosen.reshape(&shape).map_err(raise)?;
    into_cast_out(call, chosen, EvalError::type_error("choose: invalid shape for output array."), true)
}

/// `select(condlist, choicelist, default)`: the choice of the first condition that holds.
pub(crate) fn select(call: &Call) -> Outcome {
    let (conditions, choices) = (items(call, "condlist")?, items(call, "choicelist")?);
    if conditions.len() != choices.len() {
        return Err(EvalError::value_error("list of cases must be same length as list of conditions"));
    }
    if conditions.is_empty() {
        return Err(EvalError::value_error("select with an empty condition list is not possible"));
    }
    let mut values = choices.iter().map(|v| listed(call, v)).collect::<Result<Vec<_>>>()?;
    values.push(listed(call, &call.get("default").unwrap_or(Value::Int(0)))?);
    let dtype = common(call, &values)?;
    let rules = &call.face.rules.where_;
    let mut chosen = from_value(&values.pop().unwrap_or(Value::Int(0)), Some(dtype), call.face)?;
    for (k, (condition, value)) in conditions.iter().zip(&values).enumerate().rev() {
        let condition = array_like(condition, call.face)?.tensor();
        if condition.dtype() != DType::Bool {
            let text = format!("invalid entry {k} in condlist: should be boolean ndarray");
            return Err(EvalError::type_error(text));
        }
        let value = from_value(value, Some(dtype), call.face)?;
        chosen = condition.where_(&value, &chosen, dtype, rules).map_err(raise)?;
    }
    Ok(call.wrap(chosen))
}

/// Where values are stored: `where=` stretched over the array; `None` for everywhere.
fn mask(call: &Call, shape: &[usize]) -> Result<Option<Tensor>> {
    let Some(given) = call.get("where").filter(|v| !matches!(v, Value::Bool(true))) else { return Ok(None) };
    let mask = array_like(&given, call.face)?.tensor();
    // Lists and numbers are true or false, whatever they are.
    let array = matches!(&given, Value::Array(a) if !a.scalar);
    if array && !can_cast(mask.dtype(), DType::Bool, "safe") {
        return Err(casting::refused("array data", mask.dtype(), DType::Bool, "safe", call.face));
    }
    let mask = super::cast::convert(&mask, DType::Bool, call.face)?;
    let shown = |shape: &[usize]| {
        crate::print::repr(&Value::tuple(shape.iter().map(|n| Value::Int(*n as i128)).collect::<Vec<_>>()))
            .replace(", ", ",")
    };
    let wide = mask.broadcast_to(shape).map_err(|_| {
        let text =
            format!("could not broadcast where mask from shape {} into shape {}", shown(mask.shape()), shown(shape));
        EvalError::value_error(text)
    })?;
    Ok(Some(wide))
}

/// `copyto(dst, src, casting, where)`.
pub(crate) fn copyto(call: &Call) -> Outcome {
    let dst = match call.get("dst") {
        Some(Value::Array(dst)) if !dst.scalar => dst,
        other => {
            let name = other.as_ref().map_or("None", Value::type_name);
            return Err(EvalError::type_error(format!("copyto() argument 1 must be a numpy.ndarray, not {name}")));
        }
    };
    let src = listed(call, &call.get("src").unwrap_or(Value::None))?;
    casting::check(call, &src, dst.dtype())?;
    let Some(mask) = mask(call, &dst.shape())? else {
        subscript::assign(&dst, &Value::Ellipsis, &src)?;
        return Ok(Value::None);
    };
    let key = Value::Array(Array::new(mask.clone(), call.face));
    let values = match &src {
        Value::Array(a) => {
            // A copy of the whole shape would not be smaller: only what the mask selects is taken.
            let whole = stretched(&a.tensor(), &dst.shape())?;
            let part = whole.index(&[takewise::Index::from(&mask)], &call.face.rules.get).map_err(raise)?;
            Value::Array(Array::new(part, call.face))
        }
        number => number.clone(),
    };
    subscript::assign(&dst, &key, &values)?;
    Ok(Value::None)
}

/// A value as an assignment stretches it: axes of one element in front are dropped.
fn stretched(value: &Tensor, shape: &[usize]) -> Result<Tensor> {
    let mut value = value.clone();
    while value.rank() > shape.len() && value.shape().first() == Some(&1) {
        value = value.select(0, 0).map_err(raise)?;
    }
    let shown = |shape: &[usize]| match shape {
        [one] => format!("({one},)"),
        many => format!("({})", many.iter().map(usize::to_string).collect::<Vec<_>>().join(",")),
    };
    value.broadcast_to(shape).map_err(|_| {
        let (from, to) = (shown(value.shape()), shown(shape));
        EvalError::value_error(format!("could not broadcast input array from shape {from} into shape {to}"))
    })
}
