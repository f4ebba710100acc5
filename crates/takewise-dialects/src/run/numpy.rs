//! What NumPy's functions do beyond their torch cousins: modes, defaults, lists for arrays, scalars for
//! single results. JAX and MindSpore functions of the same shape use these too.

use takewise::index::rules::{Conversion, Fill, Meet, Outside, Rules};
use takewise::op::Op;
use takewise::ops::Search;
use takewise::promote::{Promotion, promote};
use takewise::{DType, Reduce, Scalar, Tensor};

use super::create::array_like;
use super::{Outcome, casting, elements, raise, subscript, to_scalar};
use crate::error::{EvalError, Result};
use crate::operator::Operator;
use crate::sig::Call;
use crate::value::{Array, Value};

/// An argument as an array, lists and numbers converted.
pub(crate) fn like(call: &Call, name: &str) -> Result<Array> {
    array_like(&call.get(name).unwrap_or(Value::None), call.face)
}

/// A result that is a scalar object if it has rank 0 and the library has such objects.
pub(crate) fn scalar_or_array(call: &Call, tensor: Tensor) -> Value {
    let scalar = call.face.subscripts.scalars && tensor.shape().is_empty();
    Value::Array(Array::new(tensor, call.face).as_scalar(scalar))
}

/// The rules under a `mode=`, or the default ones.
pub(crate) fn with_mode(call: &Call, base: &Rules) -> Result<Rules> {
    let mut rules = *base;
    if let Some(mode) = call.text("mode") {
        let found = call.face.modes.iter().find(|m| m.name == &*mode);
        let Some(found) = found else {
            return Err(match call.face.refused_modes.iter().find(|(name, _)| *name == &*mode) {
                Some((_, text)) => EvalError::unsupported(*text),
                None => {
                    EvalError::value_error(format!("clipmode must be one of 'clip', 'raise', or 'wrap' (got '{mode}')"))
                }
            });
        };
        rules.sign = found.sign;
        rules.outside = found.outside;
    }
    if call.has("fill_value") {
        rules.fill = filling(call)?;
    }
    Ok(rules)
}

/// The rules of a read from an array of another library: where it is narrowed, so is what stands for no value.
pub(crate) fn narrow_fill(call: &Call, array: &Array, rules: &mut Rules) {
    let [own, other] = [call.face, array.face].map(|face| face.facts.operands.narrows);
    if own && !other && rules.fill.is_none() {
        rules.fill = match array.dtype().native() {
            DType::I64 => Some(Fill::from(i64::from(i32::MIN))),
            DType::U64 => Some(Fill::from(i64::from(u32::MAX))),
            _ => None,
        };
    }
}

/// What `fill_value=` fills with.
pub(crate) fn filling(call: &Call) -> Result<Option<Fill>> {
    let Some(value) = call.get("fill_value") else { return Ok(None) };
    let own = matches!(&value, Value::Array(a) if !a.face.facts.operands.fills_elsewhere && !a.scalar);
    let given = match &value {
        Value::Array(a) if !own => format!("an array of {}", a.dtype().name()),
        other => other.type_name().to_owned(),
    };
    match to_scalar(&value) {
        Some(number) if !own => Ok(Some(Fill::Number(number))),
        _ => {
            Err(EvalError::type_error(format!("{}(): argument 'fill_value' must be a number, not {given}", call.name)))
        }
    }
}

/// An index argument: lists become integers (an empty one too), floats are left for the engine to refuse.
fn indices(call: &Call, name: &str) -> Result<Tensor> {
    let value = call.get(name).unwrap_or(Value::None);
    let listed = !matches!(value, Value::Array(_));
    if let Some(refused) = call.face.refusals.list_as_array.filter(|_| value.items().is_some()) {
        return Err(refused(call.name, value.type_name(), 1));
    }
    let array = array_like(&value, call.face)?;
    // Only arrays of floats are refused.
    let cast = !array.dtype().is_integer() && call.face.facts.search.truncates_positions;
    if listed && (array.tensor().numel() == 0 || cast) {
        return super::create::from_value(&value, Some(DType::I64), call.face);
    }
    Ok(array.tensor())
}

/// `take(a, indices, axis, out, mode)`.
pub(crate) fn take(call: &Call) -> Outcome {
    let given = like(call, "input")?;
    let (x, index) = (given.tensor(), indices(call, "indices")?);
    let mut rules = with_mode(call, &call.face.rules.take)?;
    narrow_fill(call, &given, &mut rules);
    let axis = call.maybe_int("axis")?;
    let axes = x.shape().len() as i64;
    let extent = axis.map_or(Some(x.numel()), |d| x.shape().get(d.rem_euclid(axes.max(1)) as usize).copied());
    if extent == Some(0) && index.numel() > 0 && rules.outside == Outside::Fill {
        return Err(EvalError::index_error(format!("Cannot do a non-empty {}() from an empty axis.", call.name)));
    }
    // Whether the result can be stored is looked at before the indices are, but after the shape.
    if let Some(Value::Array(out)) = call.get("out")
        && *out.shape() == *index.shape()
        && !casting::can_cast(out.dtype(), x.dtype(), "safe")
    {
        return Err(casting::refused("array data", out.dtype(), x.dtype(), "safe", call.face));
    }
    taken(call, &x, &index, axis, &rules)
}

/// What stands at positions of an axis, or of the flattened array.
fn taken(call: &Call, x: &Tensor, index: &Tensor, axis: Option<i64>, rules: &Rules) -> Outcome {
    let fresh = match axis {
        None => x.take(index, rules),
        Some(axis) => x.take_axis(axis, index, rules),
    };
    let mismatch = EvalError::value_error("output array does not match result of ndarray.take");
    super::choose::into_cast_out(call, fresh.map_err(raise)?, mismatch, false)
}

/// [`values_for`] of a destination that takes no array whose values it may not be able to hold.
fn safe_values_for(call: &Call, name: &str, dst: DType) -> Result<Tensor> {
    if let Some(Value::Array(array)) = call.get(name)
        // NumPy's own scalars are converted as Python's numbers are.
        && !array.scalar
        && !casting::can_cast(array.dtype(), dst, "safe")
    {
        return Err(casting::refused("array data", array.dtype(), dst, "safe", call.face));
    }
    values_for(call, name, dst)
}

/// The first float or complex number of nested lists.
fn inexact(value: &Value) -> Option<Scalar> {
    match value {
        Value::List(items) => items.borrow().iter().find_map(inexact),
        Value::Tuple(items) => items.iter().find_map(inexact),
        Value::Float(_) | Value::Complex(..) => to_scalar(value),
        _ => None,
    }
}

/// Values for a destination: converted to its dtype as an assignment would.
fn values_for(call: &Call, name: &str, dst: DType) -> Result<Tensor> {
    let value = call.get(name).unwrap_or(Value::None);
    casting::check_meeting(&value, dst, call.face)?;
    // A list takes each number as the dtype's library takes that number alone: a float is no date.
    if let Some(number) = inexact(&value).filter(|_| dst.is_foreign()) {
        super::create::filled(&[], number, dst, call.face)?;
    }
    match to_scalar(&value) {
        Some(number) if !matches!(value, Value::Array(_)) => super::create::filled(&[], number, dst, call.face),
        _ => super::cast::convert(&array_like(&value, call.face)?.tensor(), dst, call.face),
    }
}

/// `put(a, ind, v, mode)`: short values repeat.
pub(crate) fn put(call: &Call) -> Outcome {
    let target = call.tensor("input")?;
    if target.numel() == 0 && indices(call, "indices")?.numel() > 0 {
        return Err(EvalError::index_error("cannot replace elements of an empty array"));
    }
    put_into(call, &target, &with_mode(call, &call.face.rules.put)?)?;
    Ok(Value::None)
}

/// The work of [`put`], into a given tensor.
pub(crate) fn put_into(call: &Call, target: &Tensor, rules: &Rules) -> Result<()> {
    let index = indices(call, "indices")?;
    let values = values_for(call, "values", target.dtype())?;
    if values.numel() == 0 || index.numel() == 0 {
        return Ok(());
    }
    target.put_(&index, &values, false, rules).map_err(raise)
}

/// `put_along_axis(arr, indices, values, axis)`.
pub(crate) fn put_along_axis(call: &Call) -> Outcome {
    let target = call.tensor("input")?;
    let rules = call.face.rules.scatter;
    put_along_into(call, &target, &rules)?;
    Ok(Value::None)
}

/// The work of [`put_along_axis`], into a given tensor.
pub(crate) fn put_along_into(call: &Call, target: &Tensor, rules: &Rules) -> Result<()> {
    let index = like(call, "indices")?.tensor();
    if let Some(refused) = call.face.refusals.positions.filter(|_| !index.dtype().is_integer()) {
        return Err(refused(index.dtype()));
    }
    let values = values_for(call, "values", target.dtype())?;
    let Some(axis) = call.maybe_int("axis")? else {
        if index.rank() != 1 {
            return Err(EvalError::value_error("when axis=None, `indices` must have a single dimension."));
        }
        return target.put_along_flat_(&index, &values, rules).map_err(raise);
    };
    target.put_along_(axis, &index, &values, rules).map_err(raise)
}

/// `searchsorted(a, v, side, sorter)`.
pub(crate) fn searchsorted(call: &Call) -> Outcome {
    let sequence = like(call, "sorted_sequence")?.tensor();
    let value = call.get("v").unwrap_or(Value::None);
    let value = crate::texts::beside(sequence.dtype(), &value).map_or(value, |text| call.wrap(text));
    casting::check_meeting(&value, sequence.dtype(), call.face)?;
    let sorter = call.get("sorter").map(|s| array_like(&s, call.face)).transpose()?.map(|a| a.tensor());
    let side = call.text("side");
    let rules = &call.face.rules.search;
    let search = Search { side: side.as_deref(), ..Search::default() };
    let found = match to_scalar(&value) {
        Some(number) if !matches!(value, Value::Array(_)) => {
            sequence.searchsorted(number, &search, sorter.as_ref(), rules)
        }
        _ => sequence.searchsorted(&array_like(&value, call.face)?.tensor(), &search, sorter.as_ref(), rules),
    };
    Ok(scalar_or_array(call, found.map_err(raise)?))
}

/// `flatnonzero(a)`.
pub(crate) fn flatnonzero(call: &Call) -> Outcome {
    let flat = like(call, "input")?.tensor().reshape(&[-1]).map_err(raise)?;
    positions(call, &flat).map(|t| call.wrap(t))
}

pub(crate) fn positions(call: &Call, flat: &Tensor) -> Result<Tensor> {
    let mut parts = flat.nonzero_tuple(&call.face.rules.nonzero).map_err(raise)?;
    super::cast::convert(&parts.swap_remove(0), call.face.position, call.face)
}

/// `where(condition, x, y)` with array-likes; the condition is "is not zero".
pub(crate) fn choose(call: &Call) -> Outcome {
    super::read::select_where(call)
}

/// `extract(condition, arr)`: the elements of the flattened array where the flattened condition holds.
pub(crate) fn extract(call: &Call) -> Outcome {
    let condition = like(call, "condition")?.tensor().reshape(&[-1]).map_err(raise)?;
    let x = like(call, "input")?.tensor().reshape(&[-1]).map_err(raise)?;
    let index = positions(call, &condition)?;
    let rules = Rules { outside: Outside::Raise, ..call.face.rules.take };
    call.give(x.take(&index, &rules))
}

/// `compress(condition, a, axis)`: the slices along an axis where a 1-d condition holds.
pub(crate) fn compress(call: &Call) -> Outcome {
    let condition = like(call, "condition")?.tensor();
    if condition.rank() != 1 {
        return Err(EvalError::value_error("condition must be a 1-d array"));
    }
    let index = positions(call, &condition)?;
    let x = like(call, "input")?.tensor();
    let rules = Rules { outside: Outside::Raise, ..call.face.rules.take };
    taken(call, &x, &index, call.maybe_int("axis")?, &rules)
}

/// `ascontiguousarray(a, dtype)`: in row-major order, of one axis at least.
pub(crate) fn ascontiguousarray(call: &Call) -> Outcome {
    let mut x = like(call, "input")?.tensor();
    if let Some(dtype) = call.dtype("dtype")?.filter(|dtype| *dtype != x.dtype()) {
        x = super::cast::convert(&x, dtype, call.face)?;
    }
    let x = if x.rank() == 0 { x.reshape(&[1]) } else { x.contiguous() };
    x.map(|x| call.wrap(x)).map_err(raise)
}

/// The flattened `mask=`; of a dtype of another library, whatever that makes booleans of.
fn mask(call: &Call) -> Result<Tensor> {
    let mask = like(call, "mask")?.tensor().reshape(&[-1]).map_err(raise)?;
    if mask.dtype().is_foreign() { super::cast::convert(&mask, DType::Bool, call.face) } else { Ok(mask) }
}

/// `place(arr, mask, vals)`: the values, repeated, where the mask holds.
pub(crate) fn place(call: &Call) -> Outcome {
    let target = call.tensor("input")?;
    let mask = mask(call)?;
    let values = safe_values_for(call, "vals", target.dtype())?;
    if mask.numel() != target.numel() {
        return Err(EvalError::value_error("place: mask and data must be the same size"));
    }
    let index = positions(call, &mask)?;
    if index.numel() == 0 {
        return Ok(Value::None);
    }
    if values.numel() == 0 {
        return Err(EvalError::value_error("Cannot insert from an empty array!"));
    }
    target.put_(&index, &values, false, &call.face.rules.put).map_err(raise)?;
    Ok(Value::None)
}

/// `putmask(a, mask, values)`: element `i` of the repeated values where the mask holds at `i`.
pub(crate) fn putmask(call: &Call) -> Outcome {
    let target = call.tensor("target")?;
    let mask = mask(call)?;
    let values = safe_values_for(call, "values", target.dtype())?.reshape(&[-1]).map_err(raise)?;
    if mask.numel() != target.numel() {
        return Err(EvalError::value_error("putmask: mask and data must be the same size"));
    }
    let index = positions(call, &mask)?;
    if index.numel() == 0 || values.numel() == 0 {
        return Ok(Value::None);
    }
    let wrap = Rules { outside: Outside::Wrap, ..call.face.rules.take };
    let chosen = values.take(&index, &wrap).map_err(raise)?;
    target.put_(&index, &chosen, false, &call.face.rules.put).map_err(raise)?;
    Ok(Value::None)
}

/// Combines values into every place a key addresses, once per occurrence, all or nothing; those of another dtype as the
/// rules say.
///
/// # Errors
/// As a write through that key.
pub(crate) fn accumulate(array: &Array, key: &Value, values: &Tensor, reduce: Reduce, rules: &Rules) -> Result<()> {
    let target = array.tensor();
    let list = subscript::items(array.face, key)?;
    let index: Vec<takewise::Index<'_>> = list.iter().map(takewise::OwnedIndex::lent).collect();
    target.index_accumulate_(&index, values, reduce, rules).map_err(raise)
}

/// `add.at(a, indices, b)` and its kin.
pub(crate) fn at(call: &Call, reduce: Reduce, negate: bool) -> Outcome {
    let array = call.array("input")?;
    let key = call.get("indices").unwrap_or(Value::None);
    let mut values = array_like(&call.get("values").unwrap_or(Value::None), call.face)?.tensor();
    if negate {
        // What is subtracted changes its sign in the dtype of the difference.
        let common = promote(Promotion::Widening, array.dtype(), values.dtype());
        let common = common.map_err(|e| raise(e.in_op(Op::Named(&"subtract")).in_words(call.face.words)))?;
        if common.is_foreign() {
            let [one, other] = [array.dtype(), values.dtype()].map(|dtype| call.face.dtype_repr(dtype));
            let text = format!("ufunc 'subtract' cannot use operands with types {one} and {other}");
            return Err(EvalError::type_error(text));
        }
        if common == DType::Bool {
            return Err(EvalError::type_error(
                "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, or \
                 the logical_xor function instead.",
            ));
        }
        values = negated(&super::cast::convert(&values, common, call.face)?, call)?;
    }
    check_rank(&array, &key, &values)?;
    accumulate(&array, &key, &values, reduce, &call.face.rules.index_add)?;
    Ok(Value::None)
}

/// Fails for values of more axes than the places have, which an assignment takes where they are of length 1.
fn check_rank(array: &Array, key: &Value, values: &Tensor) -> Result<()> {
    if values.shape().first() != Some(&1) {
        return Ok(());
    }
    // As many places of no memory.
    let places = Tensor::zeroed(&[], DType::Bool).and_then(|zero| zero.broadcast_to(&array.shape())).map_err(raise)?;
    let list = subscript::items(array.face, key)?;
    let index: Vec<takewise::Index<'_>> = list.iter().map(takewise::OwnedIndex::lent).collect();
    let places = places.index(&index, &array.face.rules.get).map_err(raise)?;
    if values.rank() > places.rank() {
        return Err(EvalError::value_error("array is not broadcastable to correct shape"));
    }
    Ok(())
}

/// Every element with its sign changed; unsigned ones modulo their range.
pub(crate) fn negated(tensor: &Tensor, call: &Call) -> Result<Tensor> {
    if tensor.dtype().is_complex() {
        // The product with a real number would make NaN of an infinity's other part.
        return mapped(tensor, call, |v| match v {
            Value::Complex(re, im) => Ok(Value::Complex(-re, -im)),
            other => crate::numbers::binary(Operator::Mult, &Value::Int(-1), other),
        });
    }
    let out = super::fresh_copy(tensor).map_err(raise)?;
    let rules = Rules { conversion: Conversion::Wrap, meet: Meet::Destination, ..Rules::NEUTRAL };
    out.index_accumulate_(&[takewise::Index::Ellipsis], -1, Reduce::Prod, &rules).map_err(raise)?;
    Ok(out)
}

/// A copy with a function applied to every element, through Python numbers: for small operands.
///
/// # Errors
/// As the function.
pub(crate) fn mapped(tensor: &Tensor, call: &Call, f: impl Fn(&Value) -> Result<Value>) -> Result<Tensor> {
    let values = elements(tensor).map_err(raise)?;
    let size = tensor.dtype().size();
    let mut bytes = Vec::with_capacity(values.len() * size);
    for value in &values {
        let number = to_scalar(&f(value)?).unwrap_or(Scalar::Int(0));
        let how = Conversion::Wrap;
        let element =
            takewise::internal::number::scalar_bytes(Op::Named(&"at"), number, tensor.dtype(), how, call.face.words);
        bytes.extend_from_slice(&element.map_err(raise)?[..size]);
    }
    super::bytes::tensor_from_bytes(&bytes, tensor.shape(), tensor.dtype()).map_err(raise)
}

/// `squeeze(a, axis)`: naming an axis longer than 1 is an error.
pub(crate) fn squeeze(call: &Call) -> Outcome {
    let array = like(call, "input")?;
    let tensor = array.tensor();
    if call.get("axis").is_none() {
        return Ok(call.wrap(tensor.squeeze()));
    }
    let dims = call.ints("axis")?;
    for &d in &dims {
        let at = takewise::layout::normalize_dim(Op::Squeeze, d, tensor.rank());
        let at = at.map_err(|e| raise(e.in_words(call.face.words)))?;
        if tensor.shape().get(at).is_some_and(|n| *n != 1) {
            return Err(EvalError::value_error("cannot select an axis to squeeze out which has size not equal to one"));
        }
    }
    call.give(tensor.squeeze_dims(&dims))
}

/// `expand_dims(a, axis)`.
pub(crate) fn expand_dims(call: &Call) -> Outcome {
    let axis = call.int("axis")?;
    let array = like(call, "input")?;
    array.tensor().unsqueeze(axis).map(|t| call.wrap(t)).map_err(|e| raise(e.in_words(call.face.words)))
}

/// `a.flatten()`: always a copy.
pub(crate) fn flatten(call: &Call) -> Outcome {
    let packed = super::fresh_copy(&call.tensor("input")?).map_err(raise)?;
    call.give(packed.reshape(&[-1]))
}

/// `a.fill(value)`.
pub(crate) fn fill(call: &Call) -> Outcome {
    subscript::assign(&call.array("input")?, &Value::Ellipsis, &call.get("value").unwrap_or(Value::None))?;
    Ok(Value::None)
}

/// `np.load(file)`.
pub(crate) fn load(call: &Call) -> Outcome {
    let path = call.text("file").unwrap_or_default();
    match &call.context.files {
        Some(files) => files.load(&path).map(|tensor| call.wrap(tensor)),
        None => Err(EvalError::unsupported("files are not read here")),
    }
}
