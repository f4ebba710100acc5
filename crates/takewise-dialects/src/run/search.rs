//! Sorted searches.

use takewise::error::DTypeRule;
use takewise::layout::broadcast_shapes;
use takewise::op::Op;
use takewise::ops::{self, Search, Source};
use takewise::{DType, Dims, Error, Fault, Rules, Scalar, Tensor};

use super::casting::{self, can_cast};
use super::{Outcome, into_out, raise};
use crate::error::EvalError;
use crate::sig::Call;
use crate::texts;
use crate::value::{Array, Value};

/// The searched number, if it is one.
fn number(call: &Call, value: &Value) -> Result<Scalar, EvalError> {
    super::to_scalar(value).ok_or_else(|| {
        EvalError::type_error(format!("{}(): a {} cannot be searched for", call.name, value.type_name()))
    })
}

/// `searchsorted(sorted_sequence, input, ...)`.
pub(crate) fn searchsorted(call: &Call) -> Outcome {
    let sequence = call.data("sorted_sequence")?;
    let value = call.get("input").or_else(|| call.get("self")).unwrap_or(Value::None);
    let value = texts::beside(sequence.dtype(), &value).map_or(value, |text| call.wrap(text));
    let sorter = call.maybe_tensor("sorter");
    let side = call.text("side");
    let rules = &call.face.rules.search;
    let (out_int32, right) = (call.flag("out_int32"), call.flag("right"));
    if let Some(out) = call.out().map(Array::tensor) {
        let wanted = if out_int32 { takewise::DType::I32 } else { takewise::DType::I64 };
        super::check_out_dtype(call, Op::SearchSorted, &out, wanted)?;
    }
    casting::check_meeting(&value, sequence.dtype(), call.face)?;
    let search = Search { right, side: side.as_deref(), out_int32, ..Search::default() };
    let found = match &value {
        Value::Array(a) => sequence.searchsorted(&*a.borrow(), &search, sorter.as_ref(), rules),
        plain => sequence.searchsorted(number(call, plain)?, &search, sorter.as_ref(), rules),
    };
    into_out(call, Op::SearchSorted, found.map_err(raise)?)
}

/// Has the axes of a sequence of several, of the values and of the sorter broadcast, but for the searched one. The axis in
/// all of them, counted from the end. What does not fit stays as it is, and is refused by the search.
pub fn spread(
    sequence: &mut Tensor,
    values: &mut Tensor,
    order: Option<&mut Tensor>,
    axis: i64,
) -> takewise::Result<i64> {
    let (own, other) = (sequence.shape(), values.shape());
    let rank = own.len();
    let last = if axis < 0 { axis } else { axis.saturating_sub(rank as i64) };
    let Some(back) =
        usize::try_from(last.unsigned_abs()).ok().filter(|back| last < 0 && *back <= rank.min(other.len()))
    else {
        return Ok(axis);
    };
    let apart = |shape: &[usize], len: usize| {
        let mut shape = Dims::<usize>::from_slice(shape);
        let at = shape.len() - back;
        shape[at] = len;
        shape
    };
    let (one, two) = (apart(own, 1), apart(other, 1));
    if rank < 2 || one == two {
        return Ok(last);
    }
    let Ok(common) = broadcast_shapes([&one[..], &two[..]]) else { return Ok(last) };
    let (searched, found) = (own[rank - back], other[other.len() - back]);
    let (one, two) = (apart(&common, searched), apart(&common, found));
    if let Some(order) = order.filter(|order| order.shape() == own) {
        *order = order.broadcast_to(&one)?;
    }
    *sequence = sequence.broadcast_to(&one)?;
    *values = values.broadcast_to(&two)?;
    Ok(last)
}

/// [`searchsorted`] of two tensors.
pub(crate) fn plainly(sorted: &Tensor, values: &Tensor, rules: &Rules) -> takewise::Result<Tensor> {
    if let Some(given) = [sorted.dtype(), values.dtype()].into_iter().find(|d| d.is_foreign()) {
        // Whether such dtypes meet is looked at on the general road.
        let rule = DTypeRule::Unsupported;
        return Err(Error::plain(Fault::DType { op: Op::SearchSorted, rule, given, wanted: None }));
    }
    sorted.searchsorted(values, &Search::default(), None, rules)
}

/// `bucketize(input, boundaries, ...)`.
pub(crate) fn bucketize(call: &Call) -> Outcome {
    let boundaries = call.data("boundaries")?;
    let value = call.get("input").or_else(|| call.get("self")).unwrap_or(Value::None);
    let rules = &call.face.rules.search;
    casting::check_meeting(&value, boundaries.dtype(), call.face)?;
    let (narrow, right) = (call.flag("out_int32"), call.flag("right"));
    let found = match &value {
        Value::Array(a) => a.borrow().bucketize(&boundaries, narrow, right, rules),
        plain => {
            let (open, number) = (boundaries.read_any().map_err(raise)?, number(call, plain)?);
            ops::bucketize(Source::from(number), open.view(), narrow, right, rules)
        }
    };
    into_out(call, Op::SearchSorted, found.map_err(raise)?)
}

/// NumPy's `digitize(x, bins, right)`.
pub(crate) fn digitize(call: &Call) -> Outcome {
    let bins = super::create::array_like(&call.get("bins").unwrap_or(Value::None), call.face)?.tensor();
    let value = call.get("x").unwrap_or(Value::None);
    let value = super::create::array_like(&value, call.face)?;
    let doubles = call.face.facts.search.double_bins && !value.dtype().is_complex();
    if doubles && !can_cast(bins.dtype(), DType::F64, "safe") {
        return Err(casting::refused("array data", bins.dtype(), DType::F64, "safe", call.face));
    }
    let x = value.tensor();
    casting::check_meeting(&Value::Array(value), bins.dtype(), call.face)?;
    let found = x.digitize(&bins, call.flag("right"), &call.face.rules.search).map_err(raise)?;
    Ok(super::numpy::scalar_or_array(call, found))
}
