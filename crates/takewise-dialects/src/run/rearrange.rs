//! Axes moved, turned, rolled, stretched and divided: views, and copies by index.

use takewise::index::rules::{Outside, Rules};
use takewise::layout::broadcast_shapes;
use takewise::{Slice, Tensor};

use super::create::array_like;
use super::split::{axis, counted, first};
use super::{Outcome, raise};
use crate::error::{EvalError, Result};
use crate::sig::Call;
use crate::value::Value;

pub(crate) fn given(call: &Call, made: takewise::Result<Tensor>) -> Outcome {
    let made = made.map_err(|e| raise(e.in_words(call.face.words)))?;
    if call.out().is_some() { super::into_out(call, call.op(), made) } else { Ok(call.wrap(made)) }
}

/// `moveaxis(a, source, destination)`.
pub(crate) fn moveaxis(call: &Call) -> Outcome {
    let x = first(call)?;
    let (from, to) = (call.ints("source")?, call.ints("destination")?);
    if from.len() != to.len() {
        let text = "`source` and `destination` arguments must have the same number of elements";
        return Err(EvalError::value_error(text));
    }
    if call.face.facts.shapes.names_axes {
        for (axes, name) in [(&from, "source"), (&to, "destination")] {
            let places = axes.iter().map(|a| counted(call, *a, x.rank())).collect::<Result<Vec<_>>>();
            let mut places = places.map_err(|e| EvalError::new(e.class(), format!("{name}: {}", e.text())))?;
            places.sort_unstable();
            if places.windows(2).any(|w| w[0] == w[1]) {
                return Err(EvalError::value_error(format!("repeated axis in `{name}` argument")));
            }
        }
    }
    given(call, x.movedim(&from, &to))
}

/// NumPy's `rollaxis(a, axis, start)`.
pub(crate) fn rollaxis(call: &Call) -> Outcome {
    let x = first(call)?;
    let rank = x.rank() as i64;
    let from = axis(call, &["axis"], x.rank())? as i64;
    let start = call.int("start")?;
    if !(-rank..=rank).contains(&start) {
        let text = format!("'start' arg requires {} <= start < {}, but {start} was passed in", -rank, rank + 1);
        return Err(EvalError::new("AxisError", text));
    }
    let to = if start < 0 { start + rank } else { start };
    given(call, x.movedim(&[from], &[if from < to { to - 1 } else { to }]))
}

/// The last two axes exchanged, of an array with so many at least.
pub(crate) fn matrix_transpose(call: &Call) -> Outcome {
    let x = first(call)?;
    if x.rank() < 2 {
        let text = format!("Input array must be at least 2-dimensional, but it is {}", x.rank());
        return Err(EvalError::value_error(text));
    }
    given(call, x.transpose(-2, -1))
}

/// `adjoint(x)` of real arrays.
pub(crate) fn adjoint(call: &Call) -> Outcome {
    let x = first(call)?;
    if x.dtype().is_complex() {
        return Err(EvalError::unsupported("adjoint() of complex numbers conjugates them, which is arithmetic"));
    }
    if x.rank() < 2 {
        let text = "tensor.adjoint() is only supported on matrices or batches of matrices. Got";
        return Err(EvalError::runtime_error(format!("{text} {}-D tensor.", x.rank())));
    }
    given(call, x.transpose(-2, -1))
}

/// An axis the other way round.
fn turned(call: &Call, x: &Tensor, axes: &[i64]) -> Result<Tensor> {
    let made = if call.face.facts.shapes.shares_memory { x.reversed(axes) } else { x.flip(axes) };
    made.map_err(|e| raise(e.in_words(call.face.words)))
}

/// `fliplr(x)`.
pub(crate) fn fliplr(call: &Call) -> Outcome {
    let x = first(call)?;
    if x.rank() < 2 {
        return Err(call.face.refused("Input must be >= 2-d."));
    }
    turned(call, &x, &[1]).map(|t| call.wrap(t))
}

/// `flipud(x)`.
pub(crate) fn flipud(call: &Call) -> Outcome {
    let x = first(call)?;
    if x.rank() < 1 {
        return Err(call.face.refused("Input must be >= 1-d."));
    }
    turned(call, &x, &[0]).map(|t| call.wrap(t))
}

/// `rot90(x, k, axes)`, in the plane of the first two axes unless told otherwise.
pub(crate) fn rot90_default(call: &Call) -> Outcome {
    let x = first(call)?;
    let name = if call.has("dims") { "dims" } else { "axes" };
    let axes = if call.get(name).is_some() { call.ints(name)? } else { vec![0, 1] };
    let refusals = call.face.refusals;
    if axes.len() != 2 {
        return Err(call.face.refused((refusals.plane)(axes.len())));
    }
    if let Some(flat) = refusals.flat.filter(|_| x.rank() < 2) {
        return Err(call.face.refused(flat(x.rank())));
    }
    let places = axes.iter().map(|a| counted(call, *a, x.rank()));
    let (a, b) = match &places.collect::<Result<Vec<_>>>()?[..] {
        [a, b] if a != b => (*a as i64, *b as i64),
        _ => return Err(call.face.refused((refusals.line)(axes[0], axes[1]))),
    };
    let crossed = |x: &Tensor| x.transpose(a, b).map_err(raise);
    let result = match call.int("k")?.rem_euclid(4) {
        1 => crossed(&turned(call, &x, &[b])?)?,
        2 => turned(call, &x, &[a, b])?,
        3 => turned(call, &crossed(&x)?, &[b])?,
        _ if call.face.facts.shapes.shares_memory => x,
        _ => x.clone_data().map_err(raise)?,
    };
    Ok(call.wrap(result))
}

/// `roll(x, shift, axis)`: what leaves at one end comes in at the other. A read by an index that wraps.
pub(crate) fn roll(call: &Call) -> Outcome {
    let x = first(call)?;
    let shifts = call.ints(if call.has("shifts") { "shifts" } else { "shift" })?;
    let name = if call.has("dims") { "dims" } else { "axis" };
    let wrap = Rules { outside: Outside::Wrap, ..Rules::NEUTRAL };
    let rolled = |x: &Tensor, shift: i128, axis: i64| -> Result<Tensor> {
        let n = x.shape()[axis as usize] as i64;
        if n == 0 {
            return x.clone_data().map_err(raise);
        }
        let first = -(shift.rem_euclid(n.into()) as i64);
        let index = Tensor::arange(first, first + n, 1, None).map_err(raise)?;
        x.take_axis(axis, &index, &wrap).map_err(raise)
    };
    let axes = call.get(name).map(|_| call.ints(name)).transpose()?.filter(|axes| !axes.is_empty());
    let aligned = axes.as_ref().map_or(shifts.len() == 1, |axes| axes.len() == shifts.len());
    if let Some(refused) = call.face.refusals.shifts.filter(|_| !aligned) {
        return Err(call.face.refused(refused(shifts.len(), axes.map_or(0, |axes| axes.len()))));
    }
    let Some(axes) = axes else {
        let whole: Vec<i64> = x.shape().iter().map(|n| *n as i64).collect();
        let flat = x.reshape(&[-1]).map_err(raise)?;
        return given(call, rolled(&flat, shifts.iter().map(|s| i128::from(*s)).sum(), 0)?.reshape(&whole));
    };
    let count = shifts.len().max(axes.len());
    let cycled = |list: &[i64], k: usize| if list.len() == 1 { Some(list[0]) } else { list.get(k).copied() };
    let mut result = x;
    for k in 0..count {
        let (Some(shift), Some(axis)) = (cycled(&shifts, k), cycled(&axes, k)) else {
            let text = "shape mismatch: objects cannot be broadcast to a single shape.";
            return Err(EvalError::value_error(text));
        };
        let axis = counted(call, axis, result.rank())? as i64;
        result = rolled(&result, shift.into(), axis)?;
    }
    Ok(call.wrap(result))
}

/// `atleast_1d`, `atleast_2d`, `atleast_3d`, of one array or of several.
fn at_least(call: &Call, least: usize) -> Outcome {
    let passed = call.get("args").and_then(|v| v.items()).unwrap_or_default();
    let tuple = passed.len() != 1 || call.face.facts.operands.one_list && passed[0].items().is_some();
    let items = several(call)?;
    let one = |value: &Value| -> Result<Value> {
        let x = array_like(value, call.face)?.tensor();
        let n: Vec<i64> = x.shape().iter().map(|n| *n as i64).collect();
        let shape = match (&n[..], least) {
            ([], _) => vec![1; least],
            ([a], 2) => vec![1, *a],
            ([a], 3) => vec![1, *a, 1],
            ([a, b], 3) => vec![*a, *b, 1],
            _ => return Ok(call.wrap(x)),
        };
        given(call, x.reshape(&shape))
    };
    let made = items.iter().map(one).collect::<Result<Vec<_>>>()?;
    match &made[..] {
        [only] if !tuple => Ok(only.clone()),
        _ => Ok(Value::tuple(made)),
    }
}

/// `atleast_1d(*arrays)`.
pub(crate) fn atleast_1d(call: &Call) -> Outcome {
    at_least(call, 1)
}

/// `atleast_2d(*arrays)`.
pub(crate) fn atleast_2d(call: &Call) -> Outcome {
    at_least(call, 2)
}

/// `atleast_3d(*arrays)`.
pub(crate) fn atleast_3d(call: &Call) -> Outcome {
    at_least(call, 3)
}

/// The arguments of a function of any number of arrays, plain numbers and lists as the library has them there.
pub(crate) fn several(call: &Call) -> Result<Vec<Value>> {
    let mut items = call.get("args").and_then(|v| v.items()).unwrap_or_default();
    if let (true, [one]) = (call.face.facts.operands.one_list, &items[..])
        && let Some(inner) = one.items()
    {
        items = inner;
    }
    if let Some(plain_as) = call.face.plain_as {
        let array = |value: Value| match value.array() {
            Some(_) => Ok(value),
            None => array_like(&value, plain_as()).map(|array| call.wrap(array.tensor())),
        };
        return items.into_iter().map(array).collect();
    }
    let tensor = |v: &Value| matches!(v, Value::Array(a) if !a.scalar && a.face.facts.tensors);
    match items.iter().position(|v| !tensor(v)) {
        Some(k) => {
            let given = items[k].type_name();
            Err(EvalError::type_error(format!("expected Tensor as element {k} in argument 0, but got {given}")))
        }
        None => Ok(items),
    }
}

/// `broadcast_tensors(*tensors)`, `broadcast_arrays(*args)`: each stretched to the common shape, as views.
pub(crate) fn broadcast_all(call: &Call) -> Outcome {
    let arrays = several(call)?.iter().map(|v| Ok(array_like(v, call.face)?.tensor())).collect::<Result<Vec<_>>>()?;
    let shape = broadcast_shapes(arrays.iter().map(Tensor::shape))
        .map_err(|dim| call.face.refused((call.face.refusals.unbroadcast)(dim)))?;
    let wide = arrays.iter().map(|t| t.broadcast_to(&shape).map_err(raise)).collect::<Result<Vec<_>>>()?;
    Ok(super::split::stretched(call, wide))
}

/// The shape of the argument `other`.
fn other_shape(call: &Call) -> Result<Vec<i64>, EvalError> {
    Ok(call.tensor("other")?.shape().iter().map(|n| *n as i64).collect())
}

/// `view_as(other)`: over the same memory.
pub(crate) fn view_as(call: &Call) -> Outcome {
    given(call, first(call)?.view(&other_shape(call)?))
}

/// `reshape_as(other)`: a copy where the memory does not allow it.
pub(crate) fn reshape_as(call: &Call) -> Outcome {
    given(call, first(call)?.reshape(&other_shape(call)?))
}

/// `unflatten(input, dim, sizes)`: one axis as several.
pub(crate) fn unflatten(call: &Call) -> Outcome {
    let x = first(call)?;
    let (at, sizes) = (axis(call, &["dim"], x.rank())?, call.ints("sizes")?);
    if sizes.is_empty() {
        return Err(EvalError::runtime_error("unflatten: sizes must be non-empty"));
    }
    let n = x.shape()[at] as i64;
    let known = sizes.iter().filter(|s| **s != -1).try_fold(1i64, |all, s| all.checked_mul(*s)).unwrap_or(i64::MIN);
    let unknown = sizes.iter().filter(|s| **s == -1).count();
    let fits = if unknown == 0 { known == n } else { unknown == 1 && known > 0 && n % known == 0 };
    if !fits {
        let shown = sizes.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        return Err(EvalError::runtime_error(format!(
            "unflatten: Provided sizes [{shown}] don't multiply up to the size of dim {at} ({n}) in the input tensor"
        )));
    }
    let own = |k: usize| x.shape()[k] as i64;
    let filled = sizes.iter().map(|s| if *s == -1 { n / known } else { *s });
    let shape: Vec<i64> = (0..at).map(own).chain(filled).chain((at + 1..x.rank()).map(own)).collect();
    given(call, x.view(&shape))
}

/// NumPy's `sliding_window_view(x, window_shape, axis)`.
pub(crate) fn windows(call: &Call) -> Outcome {
    let x = first(call)?;
    let sizes = call.ints("window_shape")?;
    if sizes.iter().any(|n| *n < 0) {
        return Err(EvalError::value_error("`window_shape` cannot contain negative values"));
    }
    let axes = match call.get("axis") {
        None => (0..x.rank() as i64).collect(),
        Some(_) => call.ints("axis")?,
    };
    if axes.len() != sizes.len() {
        let text = format!(
            "Must provide matching length window_shape and axis; got {} window_shape elements and {} axes elements.",
            sizes.len(),
            axes.len()
        );
        return Err(EvalError::value_error(text));
    }
    let mut view = x;
    let rank = view.rank();
    for (axis, size) in axes.iter().zip(&sizes) {
        let axis = counted(call, *axis, rank)?;
        if *size > view.shape()[axis] as i64 {
            return Err(EvalError::value_error("window shape cannot be larger than input array shape"));
        }
        view = view.unfold(axis as i64, *size, 1).map_err(raise)?;
    }
    Ok(call.wrap(view))
}

/// MindSpore's `select_scatter(input, src, axis, index)`.
pub(crate) fn select_scatter(call: &Call) -> Outcome {
    let (x, src) = (call.tensor("input")?, call.tensor("src")?);
    given(call, x.select_scatter(call.int("axis")?, call.int("index")?, &src, &call.face.rules.views))
}

/// MindSpore's `slice_scatter(input, src, axis, start, end, step)`.
pub(crate) fn slice_scatter(call: &Call) -> Outcome {
    let (x, src) = (call.tensor("input")?, call.tensor("src")?);
    let (start, stop, step) = (call.maybe_int("start")?, call.maybe_int("end")?, call.maybe_int("step")?);
    given(call, x.slice_scatter(call.int("axis")?, Slice { start, stop, step }, &src, &call.face.rules.views))
}
