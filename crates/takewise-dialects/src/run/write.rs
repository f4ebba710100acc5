//! Writing by index. Calls with a trailing underscore write into their first argument; the others write
//! into a copy of it.

use takewise::grad::NodeOp;
use takewise::grad::record::{self, Written};
use takewise::index::rules::Rules;
use takewise::op::{Op, ReduceWay, ScatterWay};
use takewise::ops::Reads;
use takewise::ops::{self, Source};
use takewise::{AnyViewMut, DType, Reduce, Scalar, Tensor};

use super::read::{index_list, listed, opened};
use super::{Outcome, copy_into, fresh_copy, into_out, raise, to_scalar, writing};
use crate::error::EvalError;
use crate::sig::Call;
use crate::value::{Array, Value};

/// What the copy of a functional call looks like.
#[derive(Clone, Copy)]
enum Copy {
    /// Row-major, whatever the input (torch's scatter family).
    Packed,
    /// In the order of the input's strides (torch's index_put, index_fill, put).
    Strided,
}

/// Runs a write into the first argument or a copy of it, and gives what was written.
fn write(
    call: &Call,
    op: Op,
    operands: &[&Tensor],
    rules: &Rules,
    copy: Copy,
    run: impl FnOnce(&mut AnyViewMut<'_>, Reads<'_>) -> takewise::Result<()>,
    record: impl FnOnce(Written<'_>, Option<&Tensor>) -> takewise::Result<()>,
) -> Outcome {
    // Reductions need what was there for their gradient.
    let keep = |t: &Tensor| match operands.last() {
        Some(source) if call.text("reduce").is_some() => record::before(t, source).map_err(raise),
        _ => Ok(None),
    };
    if call.in_place {
        let array = call.array("input")?;
        // A share of its own: writes to a storage that nobody else holds are not counted, and `_version` shows how often.
        let target = array.tensor();
        let before = keep(&target)?;
        writing(op, &target, operands, rules, run)?;
        record(Written::InPlace(&target), before.as_ref()).map_err(raise)?;
        return Ok(Value::Array(array));
    }
    let input = call.data("input")?;
    let target = &*input;
    if let Some(out) = call.out().map(Array::tensor) {
        record::check_out(call.op(), operands).map_err(raise)?;
        record::check_out(call.op(), &[target, &out]).map_err(raise)?;
        super::check_out_dtype(call, op, &out, target.dtype())?;
    }
    let fresh = takewise::grad::no_grad(|| match copy {
        Copy::Packed => fresh_copy(target),
        Copy::Strided => target.clone_data(),
    });
    let fresh = fresh.map_err(raise)?;
    let before = call.text("reduce").map(|_| target);
    writing(op, &fresh, operands, rules, run)?;
    record(Written::Copy { out: &fresh, of: target }, before).map_err(raise)?;
    into_out(call, op, fresh)
}

/// A tensor or number argument: the tensor to register, or the number.
enum Given {
    Tensor(Tensor),
    Number(Scalar),
}

impl Given {
    fn of(call: &Call, name: &str) -> Result<Self, EvalError> {
        match call.get(name) {
            // A value of rank 0 is read out and counts as a number (SEMANTICS.md, Assignment); a source never does.
            Some(Value::Array(a)) if name != "value" || !a.shape().is_empty() => Ok(Self::Tensor(a.tensor())),
            _ => call.number(name).map(Self::Number),
        }
    }

    /// Every operand to register: the index, then the tensor if it is one.
    fn with<'a>(&'a self, index: &'a Tensor) -> Vec<&'a Tensor> {
        match self {
            Self::Tensor(t) => vec![index, t],
            Self::Number(_) => vec![index],
        }
    }

    /// The tensor, whose gradient is wanted.
    fn tensor(&self) -> Option<&Tensor> {
        match self {
            Self::Tensor(t) => Some(t),
            Self::Number(_) => None,
        }
    }

    /// The source, operand `k` of the registered ones if it is a tensor.
    fn source<'r>(&self, reads: Reads<'r>, k: usize) -> Source<'r> {
        match self {
            Self::Tensor(_) => Source::View(reads.get(k)),
            Self::Number(s) => Source::Scalar(*s),
        }
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
    let given = Given::of(call, if call.has("src") { "src" } else { "value" })?;
    let names = [("add", Reduce::Sum), ("multiply", Reduce::Prod)];
    let reduce =
        reduction(call, &names, |_| EvalError::runtime_error("reduce argument must be either add or multiply."))?;
    let rules = &call.face.rules.scatter;
    write(
        call,
        Op::Scatter,
        &given.with(&index),
        rules,
        Copy::Packed,
        |dst, r| ops::scatter_(dst, dim, r.get(0), given.source(r, 1), reduce, rules),
        |to, old| {
            record::scatter(to, dim, &index, given.tensor(), reduce, old, rules);
            Ok(())
        },
    )
}

/// `scatter_add(input, dim, index, src)`.
pub(crate) fn scatter_add(call: &Call) -> Outcome {
    let (dim, index, src) = (call.int("dim")?, call.data("index")?, call.data("src")?);
    let rules = &call.face.rules.scatter_add;
    write(
        call,
        Op::ScatterAdd,
        &[&index, &src],
        rules,
        Copy::Packed,
        |dst, r| ops::scatter_add_(dst, dim, r.get(0), r.get(1), rules),
        |to, _| {
            record::scatter_add(to, dim, &index, Some(&src), rules);
            Ok(())
        },
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
    write(
        call,
        Op::ScatterReduce(ScatterWay::Plain),
        &[&index, &src],
        rules,
        Copy::Packed,
        |dst, r| ops::scatter_reduce_(dst, dim, r.get(0), r.get(1), reduce, include_self, rules),
        |to, old| {
            if let Some(old) = old {
                record::scatter_reduce(to, dim, &index, &src, reduce, include_self, old, rules);
            }
            Ok(())
        },
    )
}

/// `index_add(input, dim, index, source, alpha)`.
pub(crate) fn index_add(call: &Call) -> Outcome {
    let (dim, index, source) = (call.int("dim")?, call.data("index")?, call.data("source")?);
    let alpha = call.number("alpha")?;
    let rules = &call.face.rules.index_add;
    write(
        call,
        Op::Named(&"index_add_"),
        &[&index, &source],
        rules,
        Copy::Packed,
        |dst, r| ops::index_add_(dst, dim, r.get(0), r.get(1), alpha, rules),
        |to, _| {
            record::index_add(to, dim, &index, &source, alpha, rules);
            Ok(())
        },
    )
}

/// `index_copy(input, dim, index, source)`.
pub(crate) fn index_copy(call: &Call) -> Outcome {
    let (dim, index, source) = (call.int("dim")?, call.data("index")?, call.data("source")?);
    let rules = &call.face.rules.index_copy;
    write(
        call,
        Op::Named(&"index_copy_"),
        &[&index, &source],
        rules,
        Copy::Packed,
        |dst, r| ops::index_copy_(dst, dim, r.get(0), r.get(1), rules),
        |to, _| {
            record::index_copy(to, dim, &index, &source, rules);
            Ok(())
        },
    )
}

/// `index_fill(input, dim, index, value)`.
pub(crate) fn index_fill(call: &Call) -> Outcome {
    let (dim, index, given) = (call.int("dim")?, call.tensor("index")?, Given::of(call, "value")?);
    let rules = &call.face.rules.index_fill;
    write(
        call,
        Op::Named(&"index_fill_"),
        &given.with(&index),
        rules,
        Copy::Strided,
        |dst, r| ops::index_fill_(dst, dim, r.get(0), given.source(r, 1), rules),
        |to, _| {
            record::index_fill(to, dim, &index, call.maybe_tensor("value").as_ref(), rules);
            Ok(())
        },
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
    write(
        call,
        Op::IndexReduce(ReduceWay::Plain),
        &[&index, &source],
        rules,
        Copy::Packed,
        |dst, r| ops::index_reduce_(dst, dim, r.get(0), r.get(1), reduce, include_self, rules),
        |to, old| {
            if let Some(old) = old {
                record::index_reduce(to, dim, &index, &source, reduce, include_self, old, rules);
            }
            Ok(())
        },
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
        Copy::Strided,
        |dst, r| ops::put_(dst, r.get(0), r.get(1), accumulate, rules),
        |to, _| {
            record::put(to, &index, Some(&source), accumulate, rules);
            Ok(())
        },
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
    let count = indices.len();
    write(
        call,
        Op::Named(&"index_put_"),
        &operands,
        rules,
        Copy::Strided,
        |dst, r| {
            let list: Vec<takewise::Index<'_>> = (0..count).map(|k| takewise::Index::Array(r.get(k))).collect();
            ops::index_put_(dst, &list, r.get(count), accumulate, rules)
        },
        |to, _| {
            let items: Vec<takewise::Index<'_>> = indices.iter().map(takewise::Index::from).collect();
            record::index_put(to, NodeOp::IndexPut, &items, Some(&values), accumulate, rules)
        },
    )
}

/// `torch.ops.aten._index_put_impl_(self, indices, values, accumulate)`, which writes into `self`.
pub(crate) fn index_put_tensors(call: &Call) -> Outcome {
    let (array, list, values) = (call.array("self")?, index_list(call)?, call.tensor("values")?);
    let accumulate = call.flag("accumulate");
    let rules = &call.face.rules.index_put;
    let operands: Vec<&Tensor> = std::iter::once(&values).chain(list.iter().flatten()).collect();
    let target = array.tensor();
    writing(Op::Named(&"index_put_"), &target, &operands, rules, |dst, r| {
        ops::index_put_(dst, &opened(&list, r, 1), r.get(0), accumulate, rules)
    })?;
    let to = Written::InPlace(&target);
    record::index_put(to, NodeOp::IndexPut, &listed(&list), Some(&values), accumulate, rules).map_err(raise)?;
    Ok(Value::Array(array))
}

/// `masked_fill(input, mask, value)`; the functional form broadcasts the input too.
pub(crate) fn masked_fill(call: &Call) -> Outcome {
    let (mask, given) = (call.tensor("mask")?, Given::of(call, "value")?);
    let rules = &call.face.rules.masked_fill;
    if !call.in_place {
        let x = call.tensor("input")?;
        let mut operands = given.with(&mask);
        operands.push(&x);
        let last = operands.len() - 1;
        let fresh = super::reading(Op::Named(&"masked_fill_"), &operands, rules, |r| {
            ops::masked_fill(r.get(last), r.get(0), given.source(r, 1), rules)
        })?;
        let to = Written::Copy { out: &fresh, of: &x };
        record::masked_fill(to, &mask, call.maybe_tensor("value").as_ref(), rules);
        return Ok(call.wrap(fresh));
    }
    write(
        call,
        Op::Named(&"masked_fill_"),
        &given.with(&mask),
        rules,
        Copy::Packed,
        |dst, r| ops::masked_fill_(dst, r.get(0), given.source(r, 1), rules),
        |to, _| {
            record::masked_fill(to, &mask, call.maybe_tensor("value").as_ref(), rules);
            Ok(())
        },
    )
}

/// `masked_scatter(input, mask, source)`; the functional form broadcasts the input too.
pub(crate) fn masked_scatter(call: &Call) -> Outcome {
    let (mask, source) = (call.tensor("mask")?, call.tensor("source")?);
    let rules = &call.face.rules.masked_scatter;
    if !call.in_place {
        let x = call.tensor("input")?;
        let fresh = super::reading(Op::MaskedScatter, &[&x, &mask, &source], rules, |r| {
            ops::masked_scatter(r.get(0), r.get(1), r.get(2), rules)
        })?;
        record::masked_scatter(Written::Copy { out: &fresh, of: &x }, &mask, &source, rules);
        return Ok(call.wrap(fresh));
    }
    write(
        call,
        Op::MaskedScatter,
        &[&mask, &source],
        rules,
        Copy::Packed,
        |dst, r| ops::masked_scatter_(dst, r.get(0), r.get(1), rules),
        |to, _| {
            record::masked_scatter(to, &mask, &source, rules);
            Ok(())
        },
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

/// `select_scatter(input, src, dim, index)`.
pub(crate) fn select_scatter(call: &Call) -> Outcome {
    let (x, src, dim, index) = (call.tensor("input")?, call.tensor("src")?, call.int("dim")?, call.int("index")?);
    let rules = &call.face.rules.views;
    let made = super::reading(Op::SelectScatter, &[&x, &src], rules, |r| {
        ops::select_scatter(r.get(0), r.get(1), dim, index, rules)
    })?;
    let made = laid_out_like(call, &x, made)?;
    record::select_scatter(&made, &x, &src, dim, index, rules);
    Ok(call.wrap(made))
}

/// `slice_scatter(input, src, dim, start, end, step)`.
pub(crate) fn slice_scatter(call: &Call) -> Outcome {
    let (x, src, dim) = (call.tensor("input")?, call.tensor("src")?, call.int("dim")?);
    let slice = takewise::Slice {
        start: call.maybe_int("start")?,
        stop: call.maybe_int("end")?,
        step: call.maybe_int("step")?,
    };
    let rules = &call.face.rules.views;
    let made = super::reading(Op::SliceScatter, &[&x, &src], rules, |r| {
        ops::slice_scatter(r.get(0), r.get(1), dim, slice, rules)
    })?;
    let made = laid_out_like(call, &x, made)?;
    record::slice_scatter(&made, &x, &src, dim, slice, rules);
    Ok(call.wrap(made))
}

/// `diagonal_scatter(input, src, offset, dim1, dim2)`.
pub(crate) fn diagonal_scatter(call: &Call) -> Outcome {
    let (x, src) = (call.tensor("input")?, call.tensor("src")?);
    let (offset, a, b) = (call.int("offset")?, call.int("dim1")?, call.int("dim2")?);
    let rules = &call.face.rules.views;
    let made = super::reading(Op::DiagonalScatter, &[&x, &src], rules, |r| {
        ops::diagonal_scatter(r.get(0), r.get(1), offset, a, b, rules)
    })?;
    let made = laid_out_like(call, &x, made)?;
    record::diagonal_scatter(&made, &x, &src, (offset, a, b), rules);
    Ok(call.wrap(made))
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
