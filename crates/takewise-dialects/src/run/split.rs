//! An array in parts along an axis: views, all of them.

use takewise::op::Op;
use takewise::{Slice, Tensor};

use super::create::array_like;
use super::{Outcome, raise, to_i64};
use crate::error::{EvalError, Result};
use crate::sig::Call;
use crate::value::Value;

/// The array of a call, under whichever name its library gives it.
pub(crate) fn first(call: &Call) -> Result<Tensor> {
    let names = ["input", "tensor", "ary", "input_x", "m", "v", "arr", "x", "a"];
    let name = names.into_iter().find(|name| call.has(name)).unwrap_or("input");
    let value = call.get(name).unwrap_or(Value::None);
    if let Some(refused) = call.face.refusals.list_as_array.filter(|_| value.items().is_some()) {
        return Err(refused(call.name, value.type_name(), 0));
    }
    Ok(array_like(&value, call.face)?.tensor())
}

fn collected(call: &Call, parts: Vec<Tensor>, in_list: bool) -> Value {
    let parts: Vec<Value> = parts.into_iter().map(|part| call.wrap(part)).collect();
    if in_list { Value::list(parts) } else { Value::tuple(parts) }
}

/// Several arrays of one shape.
pub(crate) fn stretched(call: &Call, arrays: Vec<Tensor>) -> Value {
    collected(call, arrays, call.face.facts.shapes.grids_in_list)
}

/// An axis of a call counted from the front. An array of rank 0 has none.
pub(crate) fn axis(call: &Call, names: &[&str], rank: usize) -> Result<usize> {
    let name = names.iter().find(|name| call.has(name)).copied().unwrap_or("dim");
    counted(call, call.maybe_int(name)?.unwrap_or(0), rank)
}

/// An axis counted from the front. An array of rank 0 has none.
pub(crate) fn counted(call: &Call, axis: i64, rank: usize) -> Result<usize> {
    if let Some(text) = call.face.refusals.no_axes.filter(|_| rank == 0) {
        return Err(EvalError::index_error(text));
    }
    call.face.rules.views.axis(Op::View, axis, rank).map_err(|e| raise(e.in_op(call.op())))
}

/// The parts of an array.
fn several(call: &Call, parts: Vec<Tensor>) -> Value {
    collected(call, parts, call.face.facts.shapes.parts_in_list)
}

/// So many views, if there is memory for all of them and for the objects they become.
fn parts(count: usize, part: impl FnMut(usize) -> takewise::Result<Tensor>) -> Result<Vec<Tensor>> {
    super::room(Op::Named(&"split"), count, 3 * size_of::<Tensor>() + 400).map_err(raise)?;
    (0..count).map(part).collect::<takewise::Result<_>>().map_err(raise)
}

/// What there is at every place of an axis.
pub(crate) fn every(x: &Tensor, axis: usize) -> Result<Vec<Tensor>> {
    let count = x.shape().get(axis).copied().unwrap_or(0);
    parts(count, |at| x.select(axis as i64, at as i64))
}

/// `unbind(input, dim)`, `unstack(x, axis)`.
pub(crate) fn unbind(call: &Call) -> Outcome {
    let x = first(call)?;
    if let Some(text) = call.face.refusals.unbound_scalar.filter(|_| x.rank() == 0) {
        return Err(EvalError::value_error(text));
    }
    let axis = axis(call, &["dim", "axis"], x.rank())?;
    let parts = every(&x, axis)?.into_iter().map(|part| call.wrap(part)).collect::<Vec<_>>();
    Ok(Value::tuple(parts))
}

/// So many parts, one after the other, of the lengths given.
fn lengths(x: &Tensor, axis: usize, count: usize, length: impl Fn(usize) -> i64) -> Result<Vec<Tensor>> {
    let mut start = 0;
    parts(count, |k| {
        let length = length(k);
        start += length;
        x.narrow(axis as i64, start - length, length)
    })
}

/// So many parts, the first of which are one longer where the axis is not divisible.
fn sections(x: &Tensor, axis: usize, count: i64) -> Result<Vec<Tensor>> {
    let n = x.shape()[axis] as i64;
    lengths(x, axis, count as usize, |k| n / count + i64::from((k as i64) < n % count))
}

/// Parts between the places given, which are those of slices.
fn between(x: &Tensor, axis: usize, places: &[i64]) -> Result<Vec<Tensor>> {
    parts(places.len() + 1, |k| {
        let start = k.checked_sub(1).map(|k| places[k]);
        x.slice(axis as i64, Slice { start, stop: places.get(k).copied(), step: None })
    })
}

/// Chunks of `size`, the last of which may be shorter.
fn chunks(x: &Tensor, axis: usize, size: i64) -> Result<Vec<Tensor>> {
    let n = x.shape()[axis] as i64;
    let count = if n == 0 { 1 } else { n / size + i64::from(n % size != 0) };
    lengths(x, axis, count as usize, |k| size.min(n - k as i64 * size))
}

/// What functions of equal parts call the number of parts, or the places between them.
const SECTIONS: [&str; 3] = ["indices_or_sections", "indices", "sections"];

/// What a call is divided by: a number, or a list of them.
enum By {
    Number(i64),
    List(Vec<i64>),
}

fn by(call: &Call, names: &[&str]) -> Result<By> {
    let name = names.iter().find(|name| call.has(name)).copied().unwrap_or("indices_or_sections");
    let value = call.get(name).unwrap_or(Value::None);
    let list = match &value {
        Value::Array(a) if !a.shape().is_empty() => super::elements(&a.tensor()).map_err(raise)?,
        other => match other.items() {
            Some(items) => items,
            None => return to_i64(other).map(By::Number),
        },
    };
    list.iter().map(to_i64).collect::<Result<_>>().map(By::List)
}

fn without_axes(name: &str, rank: usize) -> Result<()> {
    if rank > 0 {
        return Ok(());
    }
    Err(EvalError::runtime_error(format!("{name} expects at least a 1-dimensional tensor")))
}

/// torch's `split(tensor, split_size_or_sections, dim)`.
pub(crate) fn split(call: &Call) -> Outcome {
    let x = first(call)?;
    without_axes("split", x.rank())?;
    let given = call.get("split_size_or_sections").or_else(|| call.get("split_size")).or(call.get("split_sizes"));
    let wrong = |value: &Value| {
        let text = "split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, not";
        EvalError::type_error(format!("{text} {}", value.type_name()))
    };
    let given = given.unwrap_or(Value::None);
    let sizes = by(call, &["split_size_or_sections", "split_size", "split_sizes"]).map_err(|_| wrong(&given))?;
    let axis = axis(call, &["dim", "axis"], x.rank())?;
    let n = x.shape()[axis] as i64;
    let found = match sizes {
        By::Number(size) if size < 0 => {
            let text = format!("split expects split_size be non-negative, but got split_size={size}");
            return Err(EvalError::runtime_error(text));
        }
        By::Number(0) if n > 0 => {
            let text = format!("split_size can only be 0 if dimension size is 0, but got dimension size of {n}");
            return Err(EvalError::runtime_error(text));
        }
        By::Number(size) => chunks(&x, axis, size)?,
        By::List(list) => {
            let shown = list.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
            if list.iter().any(|size| *size < 0) {
                let text = "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes";
                return Err(EvalError::runtime_error(format!("{text}=[{shown}]")));
            }
            if list.iter().map(|&size| i128::from(size)).sum::<i128>() != i128::from(n) {
                return Err(EvalError::runtime_error(format!(
                    "split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at dimension \
                     {axis}), but got split_sizes=[{shown}]"
                )));
            }
            lengths(&x, axis, list.len(), |k| list[k])?
        }
    };
    Ok(several(call, found))
}

/// torch's `chunk(input, chunks, dim)`: at most so many parts, all but the last of one length.
pub(crate) fn chunk(call: &Call) -> Outcome {
    let x = first(call)?;
    without_axes("chunk", x.rank())?;
    let count = call.int("chunks")?;
    if count <= 0 {
        return Err(EvalError::runtime_error(format!("chunk expects `chunks` to be greater than 0, got: {count}")));
    }
    let axis = axis(call, &["dim", "axis"], x.rank())?;
    let n = x.shape()[axis] as i64;
    if n == 0 {
        return Ok(several(call, lengths(&x, axis, count as usize, |_| 0)?));
    }
    Ok(several(call, chunks(&x, axis, n / count + i64::from(n % count != 0))?))
}

/// torch's `tensor_split(input, indices_or_sections, dim)`.
pub(crate) fn tensor_split(call: &Call) -> Outcome {
    let x = first(call)?;
    if x.rank() == 0 {
        let text = "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims";
        return Err(EvalError::runtime_error(text));
    }
    let axis = axis(call, &["dim", "axis"], x.rank())?;
    uneven(call, &x, axis, |count| {
        EvalError::runtime_error(format!("number of sections must be larger than 0, got {count}"))
    })
}

/// So many parts, some longer by one, or parts between places.
fn uneven(call: &Call, x: &Tensor, axis: usize, none: impl FnOnce(i64) -> EvalError) -> Outcome {
    let parts = match by(call, &SECTIONS)? {
        By::Number(count) if count <= 0 => return Err(none(count)),
        By::Number(count) => sections(x, axis, count)?,
        By::List(places) => between(x, axis, &places)?,
    };
    Ok(several(call, parts))
}

/// So many parts of one length, or parts between places.
fn evenly(call: &Call, name: &str, x: &Tensor, axis: usize) -> Outcome {
    let n = x.shape()[axis] as i64;
    let parts = match by(call, &SECTIONS)? {
        By::Number(count) if count <= 0 || n % count != 0 => {
            return Err((call.face.refusals.indivisible)(name, axis, n, count));
        }
        By::Number(count) => sections(x, axis, count)?,
        By::List(places) => between(x, axis, &places)?,
    };
    Ok(several(call, parts))
}

/// The array and the axis of NumPy's `split`.
fn along(call: &Call) -> Result<(Tensor, usize)> {
    let x = first(call)?;
    let axis = axis(call, &["axis"], x.rank()).map_err(|_| EvalError::index_error("tuple index out of range"))?;
    Ok((x, axis))
}

/// NumPy's `split(ary, indices_or_sections, axis)`, which wants parts of one length.
pub(crate) fn equal_parts(call: &Call) -> Outcome {
    let (x, axis) = along(call)?;
    evenly(call, "split", &x, axis)
}

/// NumPy's `array_split(ary, indices_or_sections, axis)`.
pub(crate) fn any_parts(call: &Call) -> Outcome {
    let (x, axis) = along(call)?;
    uneven(call, &x, axis, |_| EvalError::value_error("number sections must be larger than 0."))
}

/// `hsplit`, `vsplit`, `dsplit`: by the axis their name says, of an array with so many axes at least.
fn named(call: &Call, name: &str, axis: usize, least: usize) -> Outcome {
    let x = first(call)?;
    if x.rank() < least {
        return Err(call.face.refused((call.face.refusals.few_axes)(name, least, x.rank())));
    }
    // A vector has no columns to be divided.
    evenly(call, name, &x, axis.min(x.rank() - 1))
}

/// `hsplit(input, indices_or_sections)`.
pub(crate) fn hsplit(call: &Call) -> Outcome {
    named(call, "hsplit", 1, 1)
}

/// `vsplit(input, indices_or_sections)`.
pub(crate) fn vsplit(call: &Call) -> Outcome {
    named(call, "vsplit", 0, 2)
}

/// `dsplit(input, indices_or_sections)`.
pub(crate) fn dsplit(call: &Call) -> Outcome {
    named(call, "dsplit", 2, 3)
}
