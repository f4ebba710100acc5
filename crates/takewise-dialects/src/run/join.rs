//! Arrays one after the other, or repeated: copies into slices, and reads by index.

use takewise::grad::NodeOp;
use takewise::internal::record;
use takewise::ops::Search;
use takewise::promote::{Operand, promote, result_type};
use takewise::{DType, Rules, Tensor};

use super::casting::{can_cast, refused};
use super::create::{array_like, from_value};
use super::fold::{is_wide, lacking};
use super::numpy::like;
use super::{Outcome, cast, copy_into, into_out, raise, to_i64};
use crate::error::{EvalError, Result};
use crate::sig::Call;
use crate::value::Value;
use crate::words::torch_name;

pub(super) fn worded(call: &Call) -> impl Fn(takewise::Error) -> EvalError + '_ {
    |error| raise(error.in_words(call.face.words))
}

pub(super) fn listed(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// Arrays of fitting shapes one after the other along an axis, each cast to a dtype.
pub(super) fn joined(call: &Call, parts: &[Tensor], axis: usize, dtype: DType, name: NodeOp) -> Result<Tensor> {
    let length = |t: &Tensor| t.shape()[axis];
    let mut shape = parts[0].shape().to_vec();
    shape[axis] = parts.iter().map(length).fold(0, usize::saturating_add);
    let out = Tensor::zeroed(&shape, dtype).map_err(|e| raise(e.in_op(call.op()).in_words(call.face.words)))?;
    let mut start = 0;
    for part in parts {
        let to = out.narrow(axis as i64, start, length(part) as i64).map_err(raise)?;
        let from = match part.dtype().is_foreign() || dtype.is_foreign() {
            true => cast::convert(&part.detach(), dtype, call.face)?,
            false => part.detach(),
        };
        copy_into(call.op(), &to, &from, call.face.words)?;
        start += length(part) as i64;
    }
    record::joined(&out, &parts.iter().collect::<Vec<_>>(), axis, name);
    Ok(out)
}

/// The tensors of an argument that has to be a list of them.
fn tensors(call: &Call) -> Result<Vec<Tensor>> {
    let items = call.get("tensors").and_then(|v| v.items()).unwrap_or_default();
    let one = |(k, value): (usize, &Value)| match value {
        Value::Array(a) if !a.scalar && a.face.facts.tensors => Ok(a.tensor()),
        other => {
            let text = format!("expected Tensor as element {k} in argument 0, but got {}", other.type_name());
            Err(EvalError::type_error(text))
        }
    };
    items.iter().enumerate().map(one).collect()
}

/// The dtype tensors meet in.
fn common(call: &Call, parts: &[Tensor]) -> Result<DType> {
    let operands: Vec<Operand> = parts.iter().map(|t| Operand::of(t.dtype(), t.rank())).collect();
    result_type(call.face.compare.promotion, &operands).map_err(worded(call))
}

/// Puts what was joined into `out=`, which may be of any dtype that it can be cast to.
fn cast_out(call: &Call, made: Tensor) -> Outcome {
    let Some(wanted) = call.out().map(|out| out.dtype()) else { return into_out(call, call.op(), made) };
    if !castable(made.dtype(), wanted) {
        let text = format!("torch.cat(): input types can't be cast to the desired output type {}", torch_name(wanted));
        return Err(EvalError::type_error(text));
    }
    let made = cast::convert(&made, wanted, call.face)?;
    into_out(call, call.op(), made)
}

/// Whether torch stores results of a dtype in tensors of another: only of a kind that holds theirs.
fn castable(from: DType, to: DType) -> bool {
    let kind = |d: DType| match d {
        DType::Bool => 0,
        d if d.is_integer() => 1,
        d if d.is_float() => 2,
        _ => 3,
    };
    kind(from) <= kind(to)
}

/// `cat(tensors, dim, out)`. Vectors without elements take no part but in the dtype.
pub(crate) fn cat(call: &Call) -> Outcome {
    let parts = tensors(call)?;
    if parts.is_empty() {
        return Err(EvalError::value_error("torch.cat(): expected a non-empty list of Tensors"));
    }
    if let Some(k) = parts.iter().position(|t| t.rank() == 0) {
        let text = format!("zero-dimensional tensor (at position {k}) cannot be concatenated");
        return Err(EvalError::runtime_error(text));
    }
    let dtype = common(call, &parts)?;
    let counts = |t: &Tensor| *t.shape() != [0];
    let Some(model) = parts.iter().find(|t| counts(t)).cloned() else {
        // Nothing is joined, along whatever axis.
        return cast_out(call, Tensor::zeroed(&[0], dtype).map_err(raise)?);
    };
    let axis = takewise::layout::normalize_dim(call.op(), call.int("dim")?, model.rank()).map_err(worded(call))?;
    let kept: Vec<Tensor> = parts.iter().filter(|t| counts(t)).cloned().collect();
    for (k, part) in parts.iter().enumerate().filter(|(_, t)| counts(t)) {
        if part.rank() != model.rank() {
            let text = format!("Tensors must have same number of dimensions: got {} and {}", model.rank(), part.rank());
            return Err(EvalError::runtime_error(text));
        }
        let apart = (0..model.rank()).find(|d| *d != axis && part.shape()[*d] != model.shape()[*d]);
        if let Some(d) = apart {
            return Err(EvalError::runtime_error(format!(
                "Sizes of tensors must match except in dimension {axis}. Expected size {} but got size {} for tensor number \
                 {k} in the list.",
                model.shape()[d],
                part.shape()[d]
            )));
        }
    }
    cast_out(call, joined(call, &kept, axis, dtype, NodeOp::Cat)?)
}

/// `stack(tensors, dim, out)`: along an axis that is new.
pub(crate) fn stack(call: &Call) -> Outcome {
    let parts = tensors(call)?;
    let Some(first) = parts.first() else {
        return Err(EvalError::runtime_error("stack expects a non-empty TensorList"));
    };
    let axis = takewise::layout::normalize_dim(call.op(), call.int("dim")?, first.rank() + 1).map_err(worded(call))?;
    if let Some(k) = parts.iter().position(|t| t.shape() != first.shape()) {
        return Err(EvalError::runtime_error(format!(
            "stack expects each tensor to be equal size, but got [{}] at entry 0 and [{}] at entry {k}",
            listed(first.shape()),
            listed(parts[k].shape())
        )));
    }
    let dtype = common(call, &parts)?;
    let parts = parts.iter().map(|t| t.unsqueeze(axis as i64)).collect::<takewise::Result<Vec<_>>>().map_err(raise)?;
    cast_out(call, joined(call, &parts, axis, dtype, NodeOp::Stack)?)
}

/// The arrays of a sequence, or what an array has along its first axis.
fn arrays(call: &Call, not_one: &str) -> Result<Vec<Tensor>> {
    match call.get("arrays").unwrap_or(Value::None) {
        Value::Array(a) if !a.shape().is_empty() => super::split::every(&a.tensor(), 0),
        other => {
            let items = other.items().ok_or_else(|| EvalError::type_error(not_one))?;
            items.iter().map(|item| Ok(array_like(item, call.face)?.tensor())).collect()
        }
    }
}

/// What was joined under `dtype=`, `casting=` and `out=`.
fn joined_numpy(call: &Call, parts: &[Tensor], axis: usize) -> Outcome {
    let asked = call.dtype("dtype")?;
    let out = match call.get("out") {
        None => None,
        Some(Value::Array(out)) if !out.scalar => Some(out),
        Some(_) => return Err(EvalError::type_error("'out' must be an array")),
    };
    if asked.is_some() && out.is_some() {
        let text = format!("{}() only takes `out` or `dtype` as an argument, but both were provided.", call.name);
        return Err(EvalError::type_error(text));
    }
    let mut met = parts[0].dtype().native();
    for part in parts {
        met = promote(call.face.compare.promotion, met, part.dtype()).map_err(worded(call))?;
    }
    let dtype = asked.or(out.as_ref().map(|out| out.dtype())).unwrap_or(met);
    let casting = call.text("casting");
    let casting = casting.as_deref().unwrap_or("same_kind");
    if let Some(part) = parts.iter().find(|t| !can_cast(t.dtype(), dtype, casting)) {
        return Err(refused("array data", part.dtype(), dtype, casting, call.face));
    }
    let made = joined(call, parts, axis, dtype, NodeOp::Cat)?;
    match out {
        None => Ok(call.wrap(made)),
        Some(out) if *out.shape() != *made.shape() => Err(EvalError::value_error("Output array is the wrong shape")),
        Some(out) => {
            copy_into(call.op(), &out.tensor(), &made, call.face.words)?;
            Ok(Value::Array(out))
        }
    }
}

/// NumPy's `concatenate(arrays, axis, out, dtype, casting)`: flattened where the axis is `None`.
pub(crate) fn concatenate(call: &Call) -> Outcome {
    let mut parts = arrays(call, "the arrays to concatenate have to be a sequence")?;
    let Some(first) = parts.first() else {
        return Err(EvalError::value_error("need at least one array to concatenate"));
    };
    let Some(axis) = call.get("axis") else {
        parts = parts.iter().map(|t| t.reshape(&[-1])).collect::<takewise::Result<Vec<_>>>().map_err(raise)?;
        return joined_numpy(call, &parts, 0);
    };
    let rank = first.rank();
    if rank == 0 {
        return Err(EvalError::value_error("zero-dimensional arrays cannot be concatenated"));
    }
    let axis = super::split::counted(call, to_i64(&axis)?, rank)?;
    for (k, part) in parts.iter().enumerate() {
        if part.rank() != rank {
            return Err(EvalError::value_error(format!(
                "all the input arrays must have same number of dimensions, but the array at index 0 has {rank} dimension(s) \
                 and the array at index {k} has {} dimension(s)",
                part.rank()
            )));
        }
        if let Some(d) = (0..rank).find(|d| *d != axis && part.shape()[*d] != first.shape()[*d]) {
            return Err(EvalError::value_error(format!(
                "all the input array dimensions except for the concatenation axis must match exactly, but along dimension {d}, \
                 the array at index 0 has size {} and the array at index {k} has size {}",
                first.shape()[d],
                part.shape()[d]
            )));
        }
    }
    joined_numpy(call, &parts, axis)
}

/// NumPy's `stack(arrays, axis, out, dtype, casting)`: along an axis that is new.
pub(crate) fn stack_numpy(call: &Call) -> Outcome {
    let parts = arrays(call, "arrays to stack must be passed as a \"sequence\" type such as list or tuple.")?;
    let Some(first) = parts.first() else {
        return Err(EvalError::value_error("need at least one array to stack"));
    };
    if parts.iter().any(|t| t.shape() != first.shape()) {
        return Err(EvalError::value_error("all input arrays must have the same shape"));
    }
    let axis = super::split::counted(call, call.int("axis")?, first.rank() + 1)?;
    let parts = parts.iter().map(|t| t.unsqueeze(axis as i64)).collect::<takewise::Result<Vec<_>>>().map_err(raise)?;
    joined_numpy(call, &parts, axis)
}

/// An array so many times along each axis; more numbers than axes make new ones in front. `refuse` words a negative number, and a size
/// beyond all memory.
fn tiled(x: &Tensor, times: &[i64], refuse: impl Fn(&[i64]) -> EvalError) -> Result<Tensor> {
    let lead = times.len() - x.rank();
    let own = |d: usize| d.checked_sub(lead).map_or(1, |d| x.shape()[d] as i64);
    let whole: Vec<i64> = times.iter().enumerate().map(|(d, n)| n.saturating_mul(own(d))).collect();
    if times.iter().any(|n| *n < 0) {
        return Err(refuse(&whole));
    }
    let thin: Vec<i64> = (0..times.len()).flat_map(|d| [1, own(d)]).collect();
    let wide: Vec<i64> = times.iter().enumerate().flat_map(|(d, n)| [*n, own(d)]).collect();
    let once = times.iter().all(|n| *n == 1);
    let made = match once {
        true => x.reshape(&whole).and_then(|x| x.clone_data()),
        false => x.reshape(&thin).and_then(|x| x.expand(&wide)?.reshape(&whole)),
    };
    made.map_err(raise)
}

fn negative_extent(whole: &[i64]) -> EvalError {
    let least = whole.iter().copied().min().unwrap_or(0);
    let shown = whole.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    EvalError::runtime_error(format!("Trying to create tensor with negative dimension {least}: [{shown}]"))
}

/// `x.repeat(*repeats)`: one number for each axis at least.
pub(crate) fn repeat(call: &Call) -> Outcome {
    let (x, times) = (call.tensor("input")?, call.ints("repeats")?);
    if times.len() < x.rank() {
        let text = "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor";
        return Err(EvalError::runtime_error(text));
    }
    tiled(&x, &times, negative_extent).map(|t| call.wrap(t))
}

/// Numbers of copies, with 1 for leading axes that have none.
fn for_each_axis(mut times: Vec<i64>, rank: usize) -> Vec<i64> {
    let lacking = rank.saturating_sub(times.len());
    times.splice(0..0, std::iter::repeat_n(1, lacking));
    times
}

/// torch's `tile(input, dims)`.
pub(crate) fn tile(call: &Call) -> Outcome {
    let (x, times) = (call.tensor("input")?, call.ints("dims")?);
    tiled(&x, &for_each_axis(times, x.rank()), negative_extent).map(|t| call.wrap(t))
}

/// NumPy's `tile(A, reps)`.
pub(crate) fn tile_numpy(call: &Call) -> Outcome {
    let x = like(call, "A")?.tensor();
    let given = call.get("reps").unwrap_or(Value::None);
    let times = match &given {
        Value::Array(a) if !a.shape().is_empty() => {
            super::elements(&a.tensor()).map_err(raise)?.iter().map(to_i64).collect::<Result<Vec<_>>>()?
        }
        _ => call.ints("reps")?,
    };
    let refuse = |_: &[i64]| EvalError::value_error("negative dimensions are not allowed");
    tiled(&x, &for_each_axis(times, x.rank()), refuse).map(|t| call.wrap(t))
}

/// The position of each place of an axis, as often as counts say: where each of so many numbers lies among the sums of the counts.
fn positions(counts: &Tensor) -> takewise::Result<Tensor> {
    let rules = &Rules::NEUTRAL;
    let ends = counts.cumsum(0, Some(DType::I64), rules)?;
    let total = match super::elements(&ends)?.pop() {
        Some(Value::Int(total)) => total as i64,
        _ => 0,
    };
    let places = Tensor::arange(0, total, 1, None)?;
    takewise::internal::watched::numbers(&places.read_any()?.view());
    ends.searchsorted(&places, &Search { right: true, ..Search::default() }, None, rules)
}

/// Positions where each of `length` places comes so many times.
fn each_times(length: usize, times: i64) -> takewise::Result<Tensor> {
    let places = Tensor::arange(0, length as i64, 1, None)?;
    takewise::internal::watched::numbers(&places.read_any()?.view());
    places.unsqueeze(1)?.expand(&[length as i64, times])?.reshape(&[(length as i64).saturating_mul(times)])
}

/// Whether an array of counts has a negative one.
fn any_negative(counts: &Tensor) -> Result<bool> {
    Ok(super::elements(counts).map_err(raise)?.iter().filter_map(Value::as_int).any(|n| n < 0))
}

/// Fails where `output_size=` is not what comes out.
fn check_size(call: &Call, size: usize) -> Result<()> {
    match call.maybe_int("output_size")? {
        Some(given) if given != size as i64 => Err(EvalError::runtime_error(format!(
            "repeat_interleave: Invalid output_size, expected {size} but got {given}"
        ))),
        _ => Ok(()),
    }
}

/// Counts as torch takes them: integers that are not negative.
fn counts(repeats: &Tensor) -> Result<()> {
    if !repeats.dtype().is_integer() || is_wide(repeats.dtype()) {
        return Err(lacking("repeat_interleave_cpu", repeats.dtype()));
    }
    if any_negative(repeats)? {
        return Err(EvalError::runtime_error("repeats can not be negative"));
    }
    Ok(())
}

/// `repeat_interleave(repeats, output_size)`: every position as often as its count says.
pub(crate) fn repeat_positions(call: &Call) -> Outcome {
    let repeats = call.tensor("repeats")?;
    if repeats.rank() != 1 {
        return Err(EvalError::runtime_error("repeat_interleave only accept 1D vector as repeat"));
    }
    counts(&repeats)?;
    let made = positions(&repeats).map_err(worded(call))?;
    check_size(call, made.numel())?;
    Ok(call.wrap(cast::convert(&made, repeats.dtype(), call.face)?))
}

/// `repeat_interleave(input, repeats, dim, output_size)`: a read by index.
pub(crate) fn repeat_interleave(call: &Call) -> Outcome {
    let (x, dim) = (call.tensor("input")?, call.maybe_int("dim")?);
    let (x, axis) = match dim {
        None => (x.reshape(&[-1]).map_err(raise)?, 0),
        Some(dim) => {
            let axis = super::split::counted(call, dim, x.rank())?;
            (x, axis)
        }
    };
    let length = x.shape()[axis];
    let index = match call.get("repeats") {
        Some(Value::Array(repeats)) => {
            let repeats = repeats.tensor();
            if repeats.rank() > 1 {
                return Err(EvalError::runtime_error("repeats must be 0-dim or 1-dim tensor"));
            }
            if repeats.numel() != 1 && repeats.numel() != length {
                return Err(EvalError::runtime_error(format!(
                    "repeats must have the same size as input along dim, but got repeats.size(0) = {} and input.size({axis}) = \
                     {length}",
                    repeats.numel()
                )));
            }
            counts(&repeats)?;
            repeats
                .reshape(&[-1])
                .and_then(|counts| positions(&counts.broadcast_to(&[length])?))
                .map_err(worded(call))?
        }
        _ => {
            let times = call.int("repeats")?;
            if times < 0 {
                return Err(EvalError::runtime_error("Repeats must be non-negative"));
            }
            each_times(length, times).map_err(worded(call))?
        }
    };
    check_size(call, index.numel())?;
    call.give(x.index_select(axis as i64, &index, &Rules::NEUTRAL))
}

/// NumPy's `repeat(a, repeats, axis)`: of the flattened array without an axis.
pub(crate) fn repeat_numpy(call: &Call) -> Outcome {
    let x = like(call, "input")?.tensor();
    let (x, axis) = match call.maybe_int("axis")? {
        None => (x.reshape(&[-1]).map_err(raise)?, 0),
        Some(axis) => {
            let x = if x.rank() == 0 { x.reshape(&[1]).map_err(raise)? } else { x };
            let axis = super::split::counted(call, axis, x.rank())?;
            (x, axis)
        }
    };
    let length = x.shape()[axis];
    let repeats = match call.get("repeats").unwrap_or(Value::None) {
        Value::Array(a) if !can_cast(a.dtype(), DType::I64, "safe") => {
            return Err(refused("array data", a.dtype(), DType::I64, "safe", call.face));
        }
        Value::Array(a) => cast::convert(&a.tensor(), DType::I64, call.face)?,
        // The numbers of a list are cast one by one, whatever they are.
        other => from_value(&other, Some(DType::I64), call.face)?,
    };
    if repeats.rank() > 1 {
        return Err(EvalError::value_error("object too deep for desired array"));
    }
    if any_negative(&repeats)? {
        let alone = repeats.rank() == 0;
        let text =
            if alone { "negative dimensions are not allowed" } else { "repeats may not contain negative values." };
        return Err(EvalError::value_error(text));
    }
    let index = match (repeats.numel(), super::elements(&repeats).map_err(raise)?.first()) {
        (1, Some(Value::Int(times))) => each_times(length, *times as i64),
        (count, _) if count == length => positions(&repeats),
        (count, _) => {
            let text = format!("operands could not be broadcast together with shape ({length},) ({count},)");
            return Err(EvalError::value_error(text));
        }
    };
    let index = index.map_err(worded(call))?;
    call.give(x.index_select(axis as i64, &index, &Rules::NEUTRAL))
}
