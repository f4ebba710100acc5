//! Writing by index. Calls with a trailing underscore write into their first argument; the others write
//! into a copy of it.

use takewise::grad::NodeOp;
use takewise::index::rules::Rules;
use takewise::internal::record::{self, Written};
use takewise::op::{Op, ReduceWay, ScatterWay};
use takewise::ops::Reads;
use takewise::ops::{self, Source};
use takewise::{AnyViewMut, DType, Index, Reduce, Scalar, Tensor};

use super::read::{index_list, listed};
use super::{Outcome, copy_into, into_out, raise, to_scalar, writing};
use crate::error::EvalError;
use crate::sig::Call;
use crate::value::{Array, Value};

/// Runs a write into the first argument, or a copy that lies in memory as it does, and gives what was written.
fn write(
    call: &Call,
    op: Op,
    operands: &[&Tensor],
    rules: &Rules,
    run: impl FnOnce(&mut AnyViewMut<'_>, Reads<'_>) -> takewise::Result<()>,
    record: impl FnOnce(Written<'_>),
) -> Outcome {
    if call.in_place {
        let array = call.array("input")?;
        let target = array.tensor();
        writing(op, &target, operands, rules, run)?;
        record(Written::InPlace(&target));
        return Ok(Value::Array(array));
    }
    let input = call.data("input")?;
    let target = &*input;
    check_out(call, op, operands, target)?;
    let fresh = takewise::grad::no_grad(|| target.clone_data()).map_err(raise)?;
    writing(op, &fresh, operands, rules, run)?;
    record(Written::Copy { out: &fresh, of: target });
    into_out(call, op, fresh)
}

/// Writes into the first argument by one method, or gives the changed copy that another makes.
fn changed(
    call: &Call,
    op: Op,
    operands: &[&Tensor],
    place: impl FnOnce(&Tensor) -> takewise::Result<()>,
    copy: impl FnOnce(&Tensor) -> takewise::Result<Tensor>,
) -> Outcome {
    if call.in_place {
        let array = call.array("input")?;
        // A share of its own: writes to a storage that nobody else holds are not counted, and `_version` shows how often.
        let target = array.tensor();
        place(&target).map_err(raise)?;
        return Ok(Value::Array(array));
    }
    let input = call.data("input")?;
    check_out(call, op, operands, &input)?;
    into_out(call, op, copy(&input).map_err(raise)?)
}

/// Fails where `out=` cannot take what a write into a copy of the input makes.
fn check_out(call: &Call, op: Op, operands: &[&Tensor], input: &Tensor) -> Result<(), EvalError> {
    let Some(out) = call.out().map(Array::tensor) else { return Ok(()) };
    record::check_out(call.op(), operands).map_err(raise)?;
    record::check_out(call.op(), &[input, &out]).map_err(raise)?;
    super::check_out_dtype(call, op, &out, input.dtype())
}

/// A tensor or number argument.
fn given(call: &Call, name: &str) -> Result<Source<Tensor>, EvalError> {
    match call.get(name) {
        // A value of rank 0 is read out and counts as a number (SEMANTICS.md, Assignment); a source never does.
        Some(Value::Array(a)) if name != "value" || !a.shape().is_empty() => Ok(Source::Array(a.tensor())),
        _ => call.number(name).map(Source::Scalar),
    }
}

/// Every operand to register: the index, then the source if it is a tensor.
fn with<'a>(source: &'a Source<Tensor>, index: &'a Tensor) -> Vec<&'a Tensor> {
    match source {
        Source::Array(t) => vec![index, t],
        Source::Scalar(_) => vec![index],
    }
}

/// `reduce=` by name, in the vocabulary of one operation.
fn reduction(
    call: &Call,
    names: &[(&str, Reduce)],
    otherwise: impl Fn(&str) -> EvalError,
) -> Result<Option<Reduce>, EvalError> {
    let Some(text) = call.text("reduce") else { return Ok(None) };
    match names.iter().find(|(name, _)| *name == &*text) {
        Some((_, reduce)) => Ok(Some(*reduce)),
        None => Err(otherwise(&text)),
    }
}

/// `scatter(input, dim, index, src | value, reduce)`.
pub(crate) fn scatter(call: &Call) -> Outcome {
    let (dim, index) = (call.int("dim")?, call.data("index")?);
    let given = given(call, if call.has("src") { "src" } else { "value" })?;
    let names = [("add", Reduce::Sum), ("multiply", Reduce::Prod)];
    let reduce =
        reduction(call, &names, |_| EvalError::runtime_error("reduce argument must be either add or multiply."))?;
    let rules = &call.face.rules.scatter;
    changed(
        call,
        Op::Scatter,
        &with(&given, &index),
        |x| x.scatter_(dim, &index, given.map(|t| t), reduce, rules),
        |x| x.scatter(dim, &index, given.map(|t| t), reduce, rules),
    )
}

/// `scatter_add(input, dim, index, src)`.
pub(crate) fn scatter_add(call: &Call) -> Outcome {
    let (dim, index, src) = (call.int("dim")?, call.data("index")?, call.data("src")?);
    let rules = &call.face.rules.scatter_add;
    changed(
        call,
        Op::ScatterAdd,
        &[&index, &src],
        |x| x.scatter_add_(dim, &index, &*src, rules),
        |x| x.scatter_add(dim, &index, &*src, rules),
    )
}

/// `scatter_reduce(input, dim, index, src, reduce, include_self)`.
pub(crate) fn scatter_reduce(call: &Call) -> Outcome {
    let (dim, index, src) = (call.int("dim")?, call.data("index")?, call.data("src")?);
    let names = [
        ("sum", Reduce::Sum),
        ("prod", Reduce::Prod),
        ("mean", Reduce::Mean),
        ("amax", Reduce::Max),
        ("amin", Reduce::Min),
        ("max", Reduce::Max),
        ("min", Reduce::Min),
    ];
    let reduce = reduction(call, &names, |got| {
        EvalError::runtime_error(format!("reduce argument must be either sum, prod, mean, amax or amin, got {got}"))
    })?;
    let reduce = reduce.unwrap_or(Reduce::Sum);
    let include_self = call.flag("include_self");
    let tables = call.face.rules;
    let rules = match reduce {
        Reduce::Mean => &tables.scatter_mean,
        Reduce::Max | Reduce::Min => &tables.scatter_extreme,
        _ => &tables.scatter_reduce,
    };
    changed(
        call,
        Op::ScatterReduce(ScatterWay::Plain),
        &[&index, &src],
        |x| x.scatter_reduce_(dim, &index, &*src, reduce, include_self, rules),
        |x| x.scatter_reduce(dim, &index, &*src, reduce, include_self, rules),
    )
}

/// `index_add(input, dim, index, source, alpha)`.
pub(crate) fn index_add(call: &Call) -> Outcome {
    let (dim, index, source) = (call.int("dim")?, call.data("index")?, call.data("source")?);
    let alpha = call.number("alpha")?;
    let rules = &call.face.rules.index_add;
    changed(
        call,
        Op::Named(&"index_add_"),
        &[&index, &source],
        |x| x.index_add_(dim, &index, &source, alpha, rules),
        |x| x.index_add(dim, &index, &source, alpha, rules),
    )
}

/// `index_copy(input, dim, index, source)`.
pub(crate) fn index_copy(call: &Call) -> Outcome {
    let (dim, index, source) = (call.int("dim")?, call.data("index")?, call.data("source")?);
    let rules = &call.face.rules.index_copy;
    changed(
        call,
        Op::Named(&"index_copy_"),
        &[&index, &source],
        |x| x.index_copy_(dim, &index, &source, rules),
        |x| x.index_copy(dim, &index, &source, rules),
    )
}

/// `index_fill(input, dim, index, value)`.
pub(crate) fn index_fill(call: &Call) -> Outcome {
    let (dim, index, given) = (call.int("dim")?, call.tensor("index")?, given(call, "value")?);
    let rules = &call.face.rules.index_fill;
    write(
        call,
        Op::Named(&"index_fill_"),
        &with(&given, &index),
        rules,
        |dst, r| ops::index_fill_(dst, dim, r.get(0), given.map(|_| r.get(1)), rules),
        |to| record::index_fill(to, dim, &index, call.maybe_tensor("value").as_ref(), rules),
    )
}

/// `index_reduce(input, dim, index, source, reduce, include_self)`.
pub(crate) fn index_reduce(call: &Call) -> Outcome {
    let (dim, index, source) = (call.int("dim")?, call.data("index")?, call.data("source")?);
    let names = [("prod", Reduce::Prod), ("mean", Reduce::Mean), ("amax", Reduce::Max), ("amin", Reduce::Min)];
    let reduce = reduction(call, &names, |got| {
        EvalError::runtime_error(format!(
            "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {got}."
        ))
    })?;
    let (reduce, include_self) = (reduce.unwrap_or(Reduce::Prod), call.flag("include_self"));
    let rules = &call.face.rules.index_reduce;
    changed(
        call,
        Op::IndexReduce(ReduceWay::Plain),
        &[&index, &source],
        |x| x.index_reduce_(dim, &index, &source, reduce, include_self, rules),
        |x| x.index_reduce(dim, &index, &source, reduce, include_self, rules),
    )
}

/// `put(input, index, source, accumulate)`.
pub(crate) fn put(call: &Call) -> Outcome {
    let (index, source) = (call.data("index")?, call.data("source")?);
    let accumulate = call.flag("accumulate");
    let rules = &call.face.rules.put;
    write(
        call,
        Op::PutInPlace,
        &[&index, &source],
        rules,
        |dst, r| ops::put_(dst, r.get(0), r.get(1), accumulate, rules),
        |to| record::put(to, &index, Some(&source), accumulate, rules),
    )
}

/// `index_put(input, indices, values, accumulate)`.
pub(crate) fn index_put(call: &Call) -> Outcome {
    let items = call.get("indices").and_then(|v| v.items()).unwrap_or_default();
    let indices = items.iter().enumerate().map(|(i, v)| match v {
        Value::Array(a) if !a.scalar => Ok(a.tensor()),
        other => Err(EvalError::type_error(format!(
            "expected Tensor as element {i} in argument 0, but got {}",
            other.type_name()
        ))),
    });
    let indices = indices.collect::<Result<Vec<Tensor>, _>>()?;
    if indices.is_empty() {
        return Err(EvalError::runtime_error("sym_strides() called on an undefined Tensor"));
    }
    let values = call.tensor("values")?;
    let accumulate = call.flag("accumulate");
    let rules = &call.face.rules.index_put;
    let operands: Vec<&Tensor> = indices.iter().chain([&values]).collect();
    let items: Vec<Index<'_>> = indices.iter().map(Index::from).collect();
    changed(
        call,
        Op::Named(&"index_put_"),
        &operands,
        |x| x.index_put_(&items, &values, accumulate, rules),
        |x| x.index_put(&items, &values, accumulate, rules),
    )
}

/// `torch.ops.aten._index_put_impl_(self, indices, values, accumulate)`, which writes into `self`.
pub(crate) fn index_put_tensors(call: &Call) -> Outcome {
    let (array, list, values) = (call.array("self")?, index_list(call)?, call.tensor("values")?);
    let accumulate = call.flag("accumulate");
    let rules = &call.face.rules.index_put;
    array.tensor().index_put_(&listed(&list), &values, accumulate, rules).map_err(raise)?;
    Ok(Value::Array(array))
}

/// `masked_fill(input, mask, value)`; the functional form broadcasts the input too.
pub(crate) fn masked_fill(call: &Call) -> Outcome {
    let (mask, given) = (call.tensor("mask")?, given(call, "value")?);
    let rules = &call.face.rules.masked_fill;
    if !call.in_place {
        let x = call.tensor("input")?;
        let mut operands = with(&given, &mask);
        operands.push(&x);
        let last = operands.len() - 1;
        let fresh = super::reading(Op::Named(&"masked_fill_"), &operands, rules, |r| {
            ops::masked_fill(r.get(last), r.get(0), given.map(|_| r.get(1)), rules)
        })?;
        let to = Written::Copy { out: &fresh, of: &x };
        record::masked_fill(to, &mask, call.maybe_tensor("value").as_ref(), rules);
        return Ok(call.wrap(fresh));
    }
    write(
        call,
        Op::Named(&"masked_fill_"),
        &with(&given, &mask),
        rules,
        |dst, r| ops::masked_fill_(dst, r.get(0), given.map(|_| r.get(1)), rules),
        |to| record::masked_fill(to, &mask, call.maybe_tensor("value").as_ref(), rules),
    )
}

/// `masked_scatter(input, mask, source)`; the functional form broadcasts the input too.
pub(crate) fn masked_scatter(call: &Call) -> Outcome {
    let (mask, source) = (call.tensor("mask")?, call.tensor("source")?);
    let rules = &call.face.rules.masked_scatter;
    changed(
        call,
        Op::MaskedScatter,
        &[&mask, &source],
        |x| x.masked_scatter_(&mask, &source, rules),
        |x| x.masked_scatter(&mask, &source, rules),
    )
}

/// A row-major result in the order of dense strides its input has, as torch keeps it.
fn laid_out_like(call: &Call, x: &Tensor, result: Tensor) -> Result<Tensor, EvalError> {
    if x.is_contiguous() {
        return Ok(result);
    }
    let like = x.detach().clone_data().map_err(raise)?;
    copy_into(Op::Scatter, &like, &result, call.face.words)?;
    Ok(like)
}

/// A copy of the input with one part replaced by `src`.
fn replaced(
    call: &Call,
    op: Op,
    (x, src): (&Tensor, &Tensor),
    run: impl FnOnce(Reads<'_>, &Rules) -> takewise::Result<Tensor>,
    record: impl FnOnce(&Tensor, &Rules),
) -> Outcome {
    let rules = &call.face.rules.views;
    let made = laid_out_like(call, x, super::reading(op, &[x, src], rules, |r| run(r, rules))?)?;
    record(&made, rules);
    Ok(call.wrap(made))
}

/// `select_scatter(input, src, dim, index)`.
pub(crate) fn select_scatter(call: &Call) -> Outcome {
    let (x, src, dim, index) = (call.tensor("input")?, call.tensor("src")?, call.int("dim")?, call.int("index")?);
    replaced(
        call,
        Op::SelectScatter,
        (&x, &src),
        |r, rules| ops::select_scatter(r.get(0), dim, index, r.get(1), rules),
        |made, rules| record::select_scatter(made, &x, &src, dim, index, rules),
    )
}

/// `slice_scatter(input, src, dim, start, end, step)`.
pub(crate) fn slice_scatter(call: &Call) -> Outcome {
    let (x, src, dim) = (call.tensor("input")?, call.tensor("src")?, call.int("dim")?);
    let (start, stop) = (call.maybe_int("start")?, call.maybe_int("end")?);
    let slice = takewise::Slice { start, stop, step: call.maybe_int("step")? };
    replaced(
        call,
        Op::SliceScatter,
        (&x, &src),
        |r, rules| ops::slice_scatter(r.get(0), dim, slice, r.get(1), rules),
        |made, rules| record::slice_scatter(made, &x, &src, dim, slice, rules),
    )
}

/// `diagonal_scatter(input, src, offset, dim1, dim2)`.
pub(crate) fn diagonal_scatter(call: &Call) -> Outcome {
    let (x, src) = (call.tensor("input")?, call.tensor("src")?);
    let (offset, a, b) = (call.int("offset")?, call.int("dim1")?, call.int("dim2")?);
    replaced(
        call,
        Op::DiagonalScatter,
        (&x, &src),
        |r, rules| ops::diagonal_scatter(r.get(0), offset, a, b, r.get(1), rules),
        |made, rules| record::diagonal_scatter(made, &x, &src, (offset, a, b), rules),
    )
}

/// The value of a fill as a tensor that broadcasts over the target.
fn fill_with(call: &Call, target: &Tensor) -> Result<(), EvalError> {
    let value = call.get("value").unwrap_or(Value::Int(0));
    if let Value::Array(a) = &value
        && !a.shape().is_empty()
    {
        return Err(EvalError::runtime_error(format!(
            "fill_ only supports 0-dimension value tensor but got tensor with {} dimensions.",
            a.shape().len()
        )));
    }
    let one = match (&value, to_scalar(&value)) {
        (Value::Array(a), _) => a.tensor(),
        (_, Some(number)) => super::create::filled(&[], number, target.dtype(), call.face)?,
        (other, None) => return Err(EvalError::type_error(format!("cannot fill with a {}", other.type_name()))),
    };
    let wide = one.broadcast_to(target.shape()).map_err(raise)?;
    copy_into(Op::Named(&"fill_"), target, &wide, call.face.words)?;
    match value {
        Value::Array(_) => record::fill(Written::InPlace(target), NodeOp::FillTensor, Some(&one)),
        _ => record::fill(Written::InPlace(target), NodeOp::FillNumber, None),
    }
    Ok(())
}

/// `x.fill_(value)`.
pub(crate) fn fill(call: &Call) -> Outcome {
    let array = call.array("input")?;
    fill_with(call, &array.tensor())?;
    Ok(Value::Array(array))
}

/// `torch.fill(input, value)`.
pub(crate) fn filled(call: &Call) -> Outcome {
    let fresh = call.tensor("input")?.clone_data().map_err(raise)?;
    fill_with(call, &fresh)?;
    Ok(call.wrap(fresh))
}

/// `x.zero_()`.
pub(crate) fn zero(call: &Call) -> Outcome {
    let array = call.array("input")?;
    let target = array.tensor();
    let nothing = super::create::filled(&[], Scalar::Int(0), DType::Bool, call.face)?;
    let nothing = nothing.broadcast_to(target.shape()).map_err(raise)?;
    copy_into(Op::Named(&"zero_"), &target, &nothing, call.face.words)?;
    record::fill(Written::InPlace(&target), NodeOp::Zero, None);
    Ok(Value::Array(array))
}

/// `x.copy_(other)`: as `x[...] = other`.
pub(crate) fn copy(call: &Call) -> Outcome {
    let array = call.array("input")?;
    super::subscript::assign(&array, &Value::Ellipsis, &Value::Array(call.array("other")?))?;
    Ok(Value::Array(array))
}
