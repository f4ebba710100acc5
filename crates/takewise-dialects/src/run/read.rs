//! Reading by index.

use takewise::index::rules::Rules;
use takewise::internal::record;
use takewise::op::Op;
use takewise::ops::Reads;
use takewise::{DType, Index, Tensor, ops};

use super::{Outcome, check_out_dtype, into_out, raise, read, reading, to_scalar, writing};
use crate::error::EvalError;
use crate::sig::Call;
use crate::value::{Array, Value};

/// `gather(input, dim, index, sparse_grad, out)`.
pub(crate) fn gather(call: &Call) -> Outcome {
    let (x, dim, index) = (call.data("input")?, call.int("dim")?, call.data("index")?);
    let rules = &call.face.rules.gather;
    let fresh = || match call.flag("sparse_grad") {
        true => x.gather_sparse(dim, &index, rules),
        false => x.gather(dim, &index, rules),
    };
    read(call, fresh, |out| x.gather_out(dim, &index, out, rules))
}

/// `take_along_dim(input, indices, dim)`; without a dim both are flattened.
pub(crate) fn take_along_dim(call: &Call) -> Outcome {
    let (x, index) = (call.data("input")?, call.data("indices")?);
    let dim = call.maybe_int("dim")?;
    let tables = call.face.rules;
    if let Some(text) = call.face.refusals.no_axes.filter(|_| dim.is_some() && x.rank() == 0) {
        tables.take_along.check_index(Op::TakeAlongDim { flat: false }, index.dtype()).map_err(raise)?;
        return Err(EvalError::index_error(text));
    }
    along(call, &x, &index, dim, &tables.take_along)
}

/// `take_along_axis(arr, indices, axis=-1)`.
pub(crate) fn take_along_axis(call: &Call) -> Outcome {
    let x = super::create::array_like(&call.get("input").unwrap_or(Value::None), call.face)?.tensor();
    let index = super::create::array_like(&call.get("indices").unwrap_or(Value::None), call.face)?.tensor();
    let axis = call.maybe_int("axis")?;
    if axis.is_none() && index.rank() != 1 {
        return Err(EvalError::value_error("when axis=None, `indices` must have a single dimension."));
    }
    along(call, &x, &index, axis, &call.face.rules.take_along)
}

fn along(call: &Call, x: &Tensor, index: &Tensor, dim: Option<i64>, rules: &Rules) -> Outcome {
    read(call, || x.take_along(dim, index, rules), |out| x.take_along_out(dim, index, out, rules))
}

/// torch's `take(input, index)`: from the flattened input.
pub(crate) fn take(call: &Call) -> Outcome {
    let (x, index, rules) = (call.data("input")?, call.data("index")?, &call.face.rules.take);
    read(call, || x.take(&index, rules), |out| x.take_out(&index, out, rules))
}

/// `index_select(input, dim, index)`.
pub(crate) fn index_select(call: &Call) -> Outcome {
    let (x, dim, index) = (call.data("input")?, call.int("dim")?, call.data("index")?);
    let rules = &call.face.rules.index_select;
    read(call, || x.index_select(dim, &index, rules), |out| x.index_select_out(dim, &index, out, rules))
}

/// `masked_select(input, mask)`.
pub(crate) fn masked_select(call: &Call) -> Outcome {
    let (x, mask, rules) = (call.data("input")?, call.data("mask")?, &call.face.rules.masked_select);
    read(call, || x.masked_select(&mask, rules), |out| x.masked_select_out(&mask, out, rules))
}

/// The index tensors of a call, `None` where an axis is taken whole.
///
/// An integer tensor of rank 0 counts as an index array here, not as the integer it is between brackets: it broadcasts
/// with the others.
pub(super) fn index_list(call: &Call) -> Result<Vec<Option<Tensor>>, EvalError> {
    let items = call.get("indices").and_then(|v| v.items()).unwrap_or_default();
    let one = |(i, value): (usize, &Value)| match value {
        Value::None => Ok(None),
        Value::Array(a) if !a.scalar => Ok(Some(a.tensor())),
        other => Err(EvalError::type_error(format!(
            "expected Tensor as element {i} in argument 0, but got {}",
            other.type_name()
        ))),
    };
    let list = items.iter().enumerate().map(one).collect::<Result<Vec<_>, _>>()?;
    if list.iter().flatten().any(|t| t.rank() == 0 && t.dtype() == DType::U8) {
        return Err(EvalError::unsupported(
            "a mask of rank 0 and dtype uint8 has no meaning of its own here: use bool",
        ));
    }
    let lone = |t: &Tensor| t.rank() == 0 && t.dtype() != DType::Bool;
    if list.iter().flatten().all(lone) {
        return Ok(list);
    }
    let spread = |t: Tensor| if lone(&t) { t.unsqueeze(0).map_err(raise) } else { Ok(t) };
    list.into_iter().map(|index| index.map(spread).transpose()).collect()
}

/// The items of an index list whose tensors are registered from operand `next` on.
pub(super) fn opened<'r>(list: &[Option<Tensor>], reads: Reads<'r>, mut next: usize) -> Vec<Index<'r>> {
    let item = |index: &Option<Tensor>| match index {
        None => Index::from(..),
        Some(_) => {
            next += 1;
            Index::Array(reads.get(next - 1))
        }
    };
    list.iter().map(item).collect()
}

/// The items of an index list.
pub(super) fn listed(list: &[Option<Tensor>]) -> Vec<Index<'_>> {
    list.iter().map(|index| index.as_ref().map_or(Index::from(..), Index::from)).collect()
}

/// `torch.ops.aten.index(self, indices)`: always a copy.
pub(crate) fn index_tensors(call: &Call) -> Outcome {
    let (x, list) = (call.tensor("self")?, index_list(call)?);
    if list.is_empty() {
        return Err(EvalError::index_error("at least one index must be provided"));
    }
    let operands: Vec<&Tensor> = std::iter::once(&x).chain(list.iter().flatten()).collect();
    let rules = &call.face.rules.get;
    let made = reading(Op::Index, &operands, rules, |r| ops::index(r.get(0), &opened(&list, r, 1), rules))?;
    record::index(&made, &x, &listed(&list), rules).map_err(raise)?;
    into_out(call, Op::Index, made)
}

fn tuple_of(call: &Call, x: &Tensor) -> Outcome {
    let parts = x.nonzero_tuple(&call.face.rules.nonzero).map_err(raise)?;
    let parts = parts.iter().map(|t| Ok(call.wrap(super::cast::convert(t, call.face.position, call.face)?)));
    Ok(Value::tuple(parts.collect::<Result<Vec<_>, EvalError>>()?))
}

/// torch's `nonzero(input, as_tuple)`.
pub(crate) fn nonzero(call: &Call) -> Outcome {
    let x = call.data("input")?;
    if call.flag("as_tuple") {
        return tuple_of(call, &x);
    }
    let rules = &call.face.rules.nonzero;
    if let Some(out) = call.out() {
        writing(Op::Nonzero, &out.tensor(), &[&x], rules, |_, _| Ok(()))?;
    }
    into_out(call, Op::Nonzero, x.nonzero(rules).map_err(raise)?)
}

/// NumPy's `nonzero(a)`, torch's `where(condition)`: a tuple of coordinates.
pub(crate) fn where_true(call: &Call) -> Outcome {
    let name = if call.has("condition") { "condition" } else { "input" };
    let x = super::create::array_like(&call.get(name).unwrap_or(Value::None), call.face)?.tensor();
    tuple_of(call, &x)
}

/// `argwhere(input)`.
pub(crate) fn argwhere(call: &Call) -> Outcome {
    let x = super::create::array_like(&call.get("input").unwrap_or(Value::None), call.face)?.tensor();
    let rules = &call.face.rules.nonzero;
    let found = reading(Op::ArgWhere, &[&x], rules, |r| ops::argwhere(r.get(0), rules))?;
    Ok(call.wrap(super::cast::convert(&found, call.face.position, call.face)?))
}

/// `where(condition, input, other)`: numbers beside tensors are weak.
pub(crate) fn select_where(call: &Call) -> Outcome {
    let argument = |name: &str| call.get(name).unwrap_or(Value::None);
    let condition = super::create::array_like(&argument("condition"), call.face)?.tensor();
    let condition = match call.face.facts.search.truth_chooses {
        true => super::cast::convert(&condition, DType::Bool, call.face)?,
        false => condition,
    };
    let facts = &call.face.facts.operands;
    let given = |name: &str| match argument(name) {
        Value::Array(a) if a.scalar && facts.weak_scalars => super::item(&a),
        list if list.items().is_some() && facts.array_likes => {
            super::create::array_like(&list, call.face).map(Value::Array)
        }
        plain => Ok(plain),
    };
    let (a, b) = (given("input")?, given("other")?);
    for (one, other) in [(&a, &b), (&b, &a)] {
        super::casting::check_width(one, other.array().map(Array::dtype), call.face)?;
    }
    let dtype = common_dtype(call, &a, &b)?;
    let operand = |v: &Value| -> Result<Tensor, EvalError> {
        match v {
            Value::Array(x) => Ok(x.tensor()),
            number => super::create::from_value(number, Some(dtype), call.face),
        }
    };
    let (a, b) = (operand(&a)?, operand(&b)?);
    let rules = &call.face.rules.where_;
    if let Some(out) = call.out().map(Array::tensor) {
        check_out_dtype(call, Op::Where, &out, dtype)?;
    }
    into_out(call, Op::Where, condition.where_(&a, &b, dtype, rules).map_err(raise)?)
}

/// The dtype two operands meet in, as the library promotes.
fn common_dtype(call: &Call, a: &Value, b: &Value) -> Result<DType, EvalError> {
    use takewise::promote::{Operand, result_type};
    let operand = |v: &Value| match v {
        Value::Array(x) => Some(Operand::of(x.dtype(), x.shape().len())),
        other => to_scalar(other).map(Operand::Number),
    };
    let (a, b) = operand(a).zip(operand(b)).ok_or_else(|| {
        EvalError::type_error(format!("{}(): only tensors and numbers can be chosen from", call.name))
    })?;
    if let (Operand::Number(x), Operand::Number(y)) = (a, b) {
        return Ok(super::create::infer(&[x, y], call.face));
    }
    result_type(call.face.compare.promotion, &[a, b]).map_err(|e| raise(e.in_words(call.face.words)))
}
