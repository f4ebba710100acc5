//! Sorted searches.

use takewise::error::DTypeRule;
use takewise::op::Op;
use takewise::ops::{self, Search, Values};
use takewise::{DType, Error, Fault, Rules, Tensor};

use super::casting::{self, can_cast};
use super::{Outcome, into_out, raise};
use crate::error::EvalError;
use crate::sig::Call;
use crate::value::{Array, Value};

/// The searched values: a tensor, or a number.
fn with_values<R>(
    call: &Call,
    value: &Value,
    sequence: &Tensor,
    sorter: Option<&Tensor>,
    run: impl FnOnce(takewise::AnyView<'_>, Values<'_>, Option<takewise::AnyView<'_>>) -> takewise::Result<R>,
) -> Result<R, EvalError> {
    super::casting::check_meeting(value, sequence.dtype(), call.face)?;
    let open = sequence.read_any().map_err(raise)?;
    let order = sorter.map(Tensor::read_any).transpose().map_err(raise)?;
    let order_view = order.as_ref().map(|o| o.view());
    match value {
        Value::Array(a) => {
            let tensor = a.borrow();
            let values = tensor.read_any().map_err(raise)?;
            run(open.view(), Values::from(values.view()), order_view).map_err(raise)
        }
        plain => {
            let number = super::to_scalar(plain).ok_or_else(|| {
                EvalError::type_error(format!("{}(): a {} cannot be searched for", call.name, plain.type_name()))
            })?;
            run(open.view(), Values::from(number), order_view).map_err(raise)
        }
    }
}

/// `searchsorted(sorted_sequence, input, ...)`.
pub(crate) fn searchsorted(call: &Call) -> Outcome {
    let sequence = call.data("sorted_sequence")?;
    let value = call.get("input").or_else(|| call.get("self")).unwrap_or(Value::None);
    let sorter = call.maybe_tensor("sorter");
    let side = call.text("side");
    let rules = &call.face.rules.search;
    let (out_int32, right) = (call.flag("out_int32"), call.flag("right"));
    if let Some(out) = call.out().map(Array::tensor) {
        let wanted = if out_int32 { takewise::DType::I32 } else { takewise::DType::I64 };
        super::check_out_dtype(call, Op::SearchSorted, &out, wanted)?;
    }
    let found = with_values(call, &value, &sequence, sorter.as_ref(), |s, v, sorter| {
        let search = Search { right, side: side.as_deref(), sorter, out_int32, ..Search::default() };
        ops::searchsorted(s, v, &search, rules)
    })?;
    into_out(call, Op::SearchSorted, found)
}

/// [`searchsorted`] of two tensors.
pub(crate) fn plainly(sorted: &Tensor, values: &Tensor, rules: &Rules) -> takewise::Result<Tensor> {
    if let Some(given) = [sorted.dtype(), values.dtype()].into_iter().find(|d| d.is_foreign()) {
        // Whether such dtypes meet is looked at on the general road.
        let rule = DTypeRule::Unsupported;
        return Err(Error::plain(Fault::DType { op: Op::SearchSorted, rule, given, wanted: None }));
    }
    let (open, values) = (sorted.read_any()?, values.read_any()?);
    ops::searchsorted(open.view(), values.view(), &Search::default(), rules)
}

/// `bucketize(input, boundaries, ...)`.
pub(crate) fn bucketize(call: &Call) -> Outcome {
    let boundaries = call.data("boundaries")?;
    let value = call.get("input").or_else(|| call.get("self")).unwrap_or(Value::None);
    let rules = &call.face.rules.search;
    let found = with_values(call, &value, &boundaries, None, |b, v, _| {
        ops::bucketize(v, b, call.flag("out_int32"), call.flag("right"), rules)
    })?;
    into_out(call, Op::SearchSorted, found)
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
    let (value, rules) = (Value::Array(value), &call.face.rules.search);
    let found = with_values(call, &value, &bins, None, |b, v, _| ops::digitize(v, b, call.flag("right"), rules))?;
    Ok(super::numpy::scalar_or_array(call, found))
}
