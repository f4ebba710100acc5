//! `embedding_bag`: rows of a table, summed, averaged or compared bag by bag. A segment reduction.

use takewise::grad::{self, RowGradient};
use takewise::index::rules::{Duplicates, Rules};
use takewise::op::Op;
use takewise::ops::Search;
use takewise::{DType, Reduce, Scalar, Tensor};

use super::{Outcome, raise};
use crate::error::{EvalError, Result};
use crate::sig::Call;
use crate::value::Value;

/// Indices one after the other, the bag each is in, and how many bags there are.
struct Bags {
    index: Tensor,
    bag: Tensor,
    count: usize,
}

fn counted(n: usize) -> Result<Tensor> {
    Tensor::arange(0, n as i64, 1, None).map_err(raise)
}

/// Where the bags of a vector start; `None` for a matrix, whose rows are its bags.
fn starts(call: &Call, input: &Tensor) -> Result<Option<Tensor>> {
    match (input.rank(), call.maybe_tensor("offsets")) {
        (2, Some(_)) => Err(EvalError::value_error(
            "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences. \
             However, found offsets of type <class 'torch.Tensor'>",
        )),
        (2, None) => Ok(None),
        (1, None) => Err(EvalError::value_error("offsets has to be a 1D Tensor but got None")),
        (1, Some(offsets)) if offsets.rank() != 1 => Err(EvalError::value_error("offsets has to be a 1D Tensor")),
        (1, Some(offsets)) => super::cast::convert(&offsets, DType::I64, call.face).map(Some),
        (rank, _) => {
            let text = format!("input has to be 1D or 2D Tensor, but got Tensor of dimension {rank}");
            Err(EvalError::value_error(text))
        }
    }
}

/// The bags of a matrix are its rows, those of a vector start at the offsets.
fn bags(call: &Call, input: &Tensor, starts: Option<Tensor>) -> Result<Bags> {
    let index = input.detach().reshape(&[-1]).map_err(raise)?;
    let Some(starts) = starts else {
        let (rows, length) = (input.shape()[0], input.shape()[1] as i64);
        let column = counted(rows)?.unsqueeze(1).and_then(|t| t.expand(&[rows as i64, length])).map_err(raise)?;
        return Ok(Bags { index, bag: column.reshape(&[-1]).map_err(raise)?, count: rows });
    };
    let ends = super::elements(&starts).map_err(raise)?;
    let (first, last) = (ends.first().and_then(Value::as_int), ends.last().and_then(Value::as_int));
    if first.is_some_and(|at| at != 0) {
        return Err(EvalError::runtime_error(format!(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, \
             got {}",
            first.unwrap_or(0)
        )));
    }
    let n = index.numel();
    if last.is_some_and(|at| at > n as i128) {
        let last = last.unwrap_or(0);
        return Err(EvalError::runtime_error(format!(
            "offsets[-1] can not be greater than input's length({n}) but got offsets[-1] of {last}"
        )));
    }
    let whole = call.flag("include_last_offset");
    if whole && starts.numel() == 0 {
        let text = "include_last_offset: number of offset should be at least 1";
        return Err(EvalError::runtime_error(text));
    }
    let count = starts.numel() - usize::from(whole);
    if count == 0 {
        return Ok(Bags { index: index.narrow(0, 0, 0).map_err(raise)?, bag: counted(0)?, count });
    }
    // What follows the last bag is in none.
    let within = if whole { last.and_then(|at| usize::try_from(at).ok()).unwrap_or(n) } else { n };
    let index = index.narrow(0, 0, within as i64).map_err(raise)?;
    // In the bag after as many others as have started by then.
    let later = starts.narrow(0, 1, count as i64 - 1).map_err(raise)?;
    let search = Search { right: true, ..Search::default() };
    let bag = later.searchsorted(&counted(within)?, &search, None, &Rules::NEUTRAL).map_err(raise)?;
    Ok(Bags { index, bag, count })
}

/// How the rows of a bag become one.
fn mode(call: &Call) -> Result<Option<Reduce>> {
    let (by_count, sparse) = (call.flag("scale_grad_by_freq"), call.flag("sparse"));
    match &*call.text("mode").unwrap_or_default() {
        "sum" => Ok(Some(Reduce::Sum)),
        "mean" => Ok(Some(Reduce::Mean)),
        "max" if by_count => {
            Err(EvalError::value_error("max mode does not support scaling the gradient by the frequency"))
        }
        "max" if sparse => Err(EvalError::value_error("max mode does not support sparse weights")),
        "max" => Ok(None),
        _ => Err(EvalError::value_error("mode has to be one of sum, mean or max")),
    }
}

/// The weight of each row, of the input's shape.
fn weights(call: &Call, input: &Tensor) -> Result<Option<Tensor>> {
    let Some(weights) = call.maybe_tensor("per_sample_weights") else { return Ok(None) };
    let size = |t: &Tensor| crate::print::repr(&Value::Size(t.shape().into()));
    if weights.shape() != input.shape() {
        return Err(EvalError::value_error(format!(
            "embedding_bag: If per_sample_weights ({}) is not None, then it must have the same shape as the input ({})",
            size(&weights),
            size(input)
        )));
    }
    weights.reshape(&[-1]).map(Some).map_err(raise)
}

/// Everything but what stands for padding.
fn without_padding(call: &Call, bags: Bags, weights: &mut Option<Tensor>, rows: usize) -> Result<Bags> {
    let Some(padding) = call.maybe_int("padding_idx")? else { return Ok(bags) };
    let n = rows as i64;
    if !(-n..n).contains(&padding) {
        let text =
            format!("padding_idx must be within the number of embeddings, -{n} through {} but got {padding}", n - 1);
        return Err(EvalError::runtime_error(text));
    }
    let padding = i128::from(padding.rem_euclid(n.max(1)));
    let kept = bags.index.ne_scalar(Scalar::Int(padding)).and_then(|mask| mask.nonzero_tuple(&Rules::NEUTRAL));
    let kept = kept.map_err(raise)?.swap_remove(0);
    let of = |t: &Tensor| t.take(&kept, &Rules::NEUTRAL).map_err(raise);
    if let Some(weights) = weights {
        *weights = of(weights)?;
    }
    Ok(Bags { index: of(&bags.index)?, bag: of(&bags.bag)?, count: bags.count })
}

/// The largest of each column in every bag: found without a history, then read from the table, so that the gradient goes to
/// the first of equal ones.
fn largest(weight: &Tensor, bags: &Bags, call: &Call) -> takewise::Result<Tensor> {
    let rules = Rules { duplicates: Duplicates::Last, ..Rules::NEUTRAL };
    let width = weight.shape()[1];
    let (from, mask) = grad::no_grad(|| {
        let weight = weight.detach();
        let rows = weight.index_select(0, &bags.index, &call.face.rules.index_select)?;
        let zeros = Tensor::zeroed(&[bags.count, width], weight.dtype())?;
        let most = zeros.index_reduce(0, &bags.bag, &rows, Reduce::Max, false, &rules)?;
        let equal = most.index_select(0, &bags.bag, &rules)?.eq(&rows)?;
        // NaN is equal to nothing and larger than all.
        let equal = equal.logical_or(&rows.ne(&rows)?)?;
        let n = bags.index.numel() as i64;
        let at = Tensor::arange(0, n, 1, None)?.unsqueeze(1)?.expand(&[n, width as i64])?;
        let never = Tensor::full(&[], n, DType::I64)?;
        let at = equal.where_(&at, &never, DType::I64, &rules)?;
        let none = Tensor::full(&[bags.count, width], n, DType::I64)?;
        let first = none.index_reduce(0, &bags.bag, &at, Reduce::Min, true, &rules)?;
        let mask = first.lt_scalar(Scalar::Int(i128::from(n)))?;
        let clip = Rules { outside: takewise::index::rules::Outside::Drop, ..rules };
        let index = super::cast::convert(&bags.index, DType::I64, call.face);
        let index = index.map_err(|_| {
            takewise::Error::plain(takewise::Fault::Memory { op: Op::Named(&"embedding_bag"), bytes: None })
        })?;
        takewise::Result::Ok((index.take(&first, &clip)?, mask))
    })?;
    if weight.shape()[0] == 0 {
        return Tensor::zeroed(&[bags.count, width], weight.dtype());
    }
    let read = weight.gather(0, &from, &rules)?;
    let zero = Tensor::zeroed(&[], weight.dtype())?;
    mask.where_(&read, &zero, weight.dtype(), &rules)
}

/// `embedding_bag(input, weight, offsets, max_norm, norm_type, scale_grad_by_freq, mode, sparse, per_sample_weights,
/// include_last_offset, padding_idx)`.
pub(crate) fn embedding_bag(call: &Call) -> Outcome {
    let (input, weight) = (call.tensor("input")?, call.tensor("weight")?);
    let rules = &call.face.rules.index_select;
    let mut factors = weights(call, &input)?;
    let starts = starts(call, &input)?;
    let how = mode(call)?;
    if factors.is_some() && how != Some(Reduce::Sum) {
        return Err(EvalError::unsupported(format!(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got \
             mode='{}'). Please open a feature request on GitHub.",
            call.text("mode").unwrap_or_default()
        )));
    }
    let bags = bags(call, &input, starts)?;
    super::grad::check_indices(call, &bags.index, "embedding_bag")?;
    if weight.rank() != 2 {
        return Err(EvalError::runtime_error("'weight' must be 2-D"));
    }
    super::grad::limit(call, &weight, &bags.index)?;
    if let Some(all) = &factors
        && all.numel() > bags.index.numel()
    {
        factors = Some(all.narrow(0, 0, bags.index.numel() as i64).map_err(raise)?);
    }
    let bags = without_padding(call, bags, &mut factors, weight.shape()[0])?;
    let Some(how) = how else {
        return call.give(largest(&weight, &bags, call));
    };
    let gradient =
        RowGradient { padding: None, by_count: call.flag("scale_grad_by_freq"), sparse: call.flag("sparse") };
    let mut rows = weight.rows(&bags.index, gradient, rules).map_err(raise)?;
    if let Some(factors) = factors {
        let wide = factors.unsqueeze(1).and_then(|f| f.broadcast_to(rows.shape())).map_err(raise)?;
        rows = rows.weighted(&wide).map_err(raise)?;
    }
    let zeros = Tensor::zeroed(&[bags.count, weight.shape()[1]], weight.dtype()).map_err(raise)?;
    let summed = match how {
        Reduce::Sum => zeros.index_add(0, &bags.bag, &rows, Scalar::Int(1), &call.face.rules.index_add),
        _ => zeros.index_reduce(0, &bags.bag, &rows, how, false, &call.face.rules.index_reduce),
    };
    call.give(summed)
}

/// `torch.embedding(weight, indices, padding_idx, scale_grad_by_freq, sparse)`: a negative padding index is none.
pub(crate) fn plain_embedding(call: &Call) -> Outcome {
    let (index, weight) = (call.tensor("indices")?, call.tensor("weight")?);
    super::grad::check_indices(call, &index, "embedding")?;
    if weight.rank() != 2 {
        return Err(EvalError::runtime_error("'weight' must be 2-D"));
    }
    let padding = usize::try_from(call.int("padding_idx")?).ok();
    let gradient = RowGradient { padding, by_count: call.flag("scale_grad_by_freq"), sparse: call.flag("sparse") };
    call.give(weight.rows(&index, gradient, &call.face.rules.index_select))
}
