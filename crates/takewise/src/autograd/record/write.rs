//! Writes, into a copy or in place.

use super::reduce::reduction;
use super::{kept, write_at};
use crate::Index;
use crate::autograd::tape::{self, Map, RecordedWrite, Written};
use crate::autograd::write::{Write, put_along_write};
use crate::autograd::{self, Of};
use crate::dtype::Scalar;
use crate::error::Result;
use crate::exec::Reduce;
use crate::index::rules::Rules;
use crate::layout::Slice;
use crate::node_op::NodeOp;
use crate::op::{Combine, Op};
use crate::ops::{self, fresh, sum_to};
use crate::plan::Address;
use crate::tensor::Tensor;
use crate::view::AnyView;

/// `scatter` of a source, or of a number if `None`; `input` is [`before`] for a product.
pub(crate) fn scatter(
    to: Written,
    axis: i64,
    index: &Tensor,
    source: Option<&Tensor>,
    reduce: Option<Reduce>,
    input: Option<&Tensor>,
    rules: &Rules,
) {
    let at = Address::axis(axis, to.of().rank());
    match (reduce, source, input) {
        (Some(Reduce::Sum), _, _) => scatter_add(to, axis, index, source, rules),
        (Some(how), Some(source), Some(input)) => {
            reduction(to, NodeOp::ScatterReduce, at, index, source, how, true, input, rules);
        }
        (Some(_), Some(_), None) => {}
        (Some(_), None, _) => undefined(to, "scatter of a number that does not add"),
        (None, _, _) => {
            let name = if source.is_some() { NodeOp::Scatter } else { NodeOp::ScatterNumber };
            let write = Write::each(Op::Scatter, at, false, rules);
            write_at(to, source, [name, NodeOp::ScatterNumber, NodeOp::Gather], write, &[index]);
        }
    }
}

fn own(f: impl Fn(&AnyView, &[AnyView]) -> Result<Tensor> + Send + Sync + 'static) -> Option<Map> {
    Some(Box::new(f))
}

/// An operation whose gradient is not to be had: asking for it will fail, saying `what` it was.
pub(crate) fn undefined(to: Written, what: &'static str) {
    let store = RecordedWrite { to, source: None, names: [NodeOp::Stretched; 3], saved: &[] };
    if store.is_tracked() {
        let refuse = move || tape::refused(Op::Backward, format!("derivative for {what} is not implemented"));
        tape::write_as(store, Box::new(move |_, _| Err(refuse())), NodeOp::Undefined);
    }
}

/// `scatter_add` of a source, or of a number if `None`.
pub(crate) fn scatter_add(to: Written, axis: i64, index: &Tensor, source: Option<&Tensor>, rules: &Rules) {
    let write = Write::each(Op::ScatterAdd, Address::axis(axis, to.of().rank()), true, rules);
    write_at(to, source, [NodeOp::ScatterAdd, NodeOp::Stretched, NodeOp::Gather], write, &[index]);
}

/// The array as it was before a write in place that needs it for its gradient: a copy, or nothing where no gradient is
/// asked for. Call it before the write. Error: kind `Memory`.
pub(crate) fn before(to: &Tensor, source: &Tensor) -> Result<Option<Tensor>> {
    if !tape::tracked(&[to, source]) {
        return Ok(None);
    }
    Ok(Some(tape::no_grad(|| to.detach().clone_data())?))
}

/// `index_add` with this `alpha`.
pub(crate) fn index_add(to: Written, axis: i64, index: &Tensor, source: &Tensor, alpha: Scalar, rules: &Rules) {
    if !tape::stored(to, Some(source)) {
        return;
    }
    let rules = *rules;
    tape::write(
        RecordedWrite {
            to,
            source: Some(source),
            names: [NodeOp::IndexAdd, NodeOp::Stretched, NodeOp::MulNumber],
            saved: &[index],
        },
        None,
        move |shape, g, s| autograd::index_add(g, Of::Source(shape), axis, s[0].clone(), alpha, &rules),
        move |whole, v, s| fresh(whole, v.dtype(), |out| ops::index_add_(out, axis, s[0].clone(), v, alpha, &rules)),
    );
}

/// `index_copy`.
pub(crate) fn index_copy(to: Written, axis: i64, index: &Tensor, source: &Tensor, rules: &Rules) {
    let write = Write::each(Op::IndexCopy, Address::slices(axis, to.of().rank()), false, rules);
    write_at(to, Some(source), [NodeOp::IndexCopy, NodeOp::IndexFill, NodeOp::IndexSelect], write, &[index]);
}

/// `index_fill` with a 0-d array, or a number if `None`.
pub fn index_fill(to: Written, axis: i64, index: &Tensor, value: Option<&Tensor>, rules: &Rules) {
    let name = if value.is_some() { NodeOp::IndexFillTensor } else { NodeOp::IndexFill };
    let at = Address::slices(axis, to.of().rank());
    let write = Write::broadcast(Op::IndexFill { subscript: false }, at, false, rules);
    write_at(to, value, [name, NodeOp::IndexFill, NodeOp::Sum], write, &[index]);
}

/// `put`, with `accumulate` or without.
pub fn put(to: Written, index: &Tensor, source: Option<&Tensor>, accumulate: bool, rules: &Rules) {
    let write = Write::each(Op::PutInPlace, Address::Flat, accumulate, rules);
    write_at(to, source, [NodeOp::Put, NodeOp::Put, NodeOp::Take], write, &[index]);
}

/// A write through a subscript with arrays or masks: `x[items] = value`, `index_put`. Error: kind `Memory` (arrays that
/// no tensor holds are copied).
pub(crate) fn index_put(
    to: Written,
    name: NodeOp,
    subscript: &[Index<'_>],
    value: Option<&Tensor>,
    accumulate: bool,
    rules: &Rules,
) -> Result<()> {
    if !tape::stored(to, value) {
        return Ok(());
    }
    let (address, arrays) = kept(subscript)?;
    let write = Write::broadcast(Op::IndexPut, address, accumulate, rules);
    write_at(to, value, [name, NodeOp::IndexPut, NodeOp::Index], write, &arrays.iter().collect::<Vec<_>>());
    Ok(())
}

/// Everything replaced by a value that was cast and broadcast to it: `fill_`, `zero_`, `copy_`, `x[...] = value`.
pub fn fill(to: Written, name: NodeOp, value: Option<&Tensor>) {
    tape::write(
        RecordedWrite { to, source: value, names: [name, NodeOp::ZerosLike, NodeOp::Clone], saved: &[] },
        own(|g, _| Tensor::zeroed(g.shape(), g.dtype())),
        |shape, g, _| sum_to(ops::copy(g)?, shape),
        |whole, v, _| {
            // Leading axes of extent 1 may have been dropped.
            let lead = v.shape().iter().take_while(|n| **n == 1).count().min(v.rank().saturating_sub(whole.len()));
            let kept: Vec<i64> = v.shape()[lead..].iter().map(|n| *n as i64).collect();
            let v = v.rearranged(0, v.layout().view(Op::Copy, &kept, v.dtype().size())?);
            ops::copy(&v.rearranged(0, v.layout().broadcast_to(Op::Copy, whole)?))
        },
    );
}

/// `masked_fill` with a 0-d array, or a number if `None`.
pub fn masked_fill(to: Written, mask: &Tensor, value: Option<&Tensor>, rules: &Rules) {
    let name = if value.is_some() { NodeOp::MaskedFillTensor } else { NodeOp::MaskedFill };
    let write = Write::broadcast(Op::MaskedFill, Address::Mask, false, rules);
    write_at(to, value, [name, NodeOp::MaskedFill, NodeOp::Sum], write, &[mask]);
}

/// `masked_scatter`.
pub(crate) fn masked_scatter(to: Written, mask: &Tensor, source: &Tensor, rules: &Rules) {
    let write = Write::each(Op::MaskedScatter, Address::Mask, false, rules);
    let names = [NodeOp::MaskedScatter, NodeOp::MaskedFill, NodeOp::MaskedScatterBackward];
    write_at(to, Some(source), names, write, &[mask]);
}

/// `tensor_scatter` and `scatter_nd_` of a source, or of a number if `None`; `input` is the array before the write
/// (`before` if that was in place) for reductions other than sums.
pub fn tensor_scatter(
    to: Written,
    index: &Tensor,
    source: Option<&Tensor>,
    reduce: Option<Reduce>,
    input: Option<&Tensor>,
    rules: &Rules,
) {
    let (name, at) = (NodeOp::TensorScatter, Address::Nd { batch: 0 });
    match (reduce, source, input) {
        (None | Some(Reduce::Sum), _, _) => {
            let write = Write::broadcast(Op::TensorScatter(Combine::Update), at, reduce.is_some(), rules);
            write_at(to, source, [name, NodeOp::TensorScatter, NodeOp::GatherNd], write, &[index]);
        }
        (Some(how), Some(source), Some(input)) => reduction(to, name, at, index, source, how, true, input, rules),
        (Some(_), Some(_), None) => {}
        (Some(_), None, _) => undefined(to, "tensor_scatter of a number that does not add"),
    }
}

/// `put_along_` along an axis.
pub(crate) fn put_along(to: Written, axis: i64, index: &Tensor, source: Option<&Tensor>, rules: &Rules) {
    let write = put_along_write(axis, to.of().rank(), rules);
    write_at(to, source, [NodeOp::PutAlong, NodeOp::PutAlong, NodeOp::Gather], write, &[index]);
}

/// A part of a copy replaced; the transpose of reading it is putting it into zeros.
fn replaced(
    (out, input, source): (&Tensor, &Tensor, &Tensor),
    names: [NodeOp; 3],
    gradient: impl Fn(&AnyView, Of) -> Result<Tensor> + Clone + Send + Sync + 'static,
    put: impl Fn(&AnyView, &AnyView) -> Result<Tensor> + Send + Sync + 'static,
) {
    let mine = gradient.clone();
    tape::write(
        RecordedWrite { to: Written::Copy { out, of: input }, source: Some(source), names, saved: &[] },
        own(move |g, _| mine(g, Of::Input)),
        move |shape, g, _| gradient(g, Of::Source(shape)),
        move |whole, v, _| put(&Tensor::zeroed(whole, v.dtype())?.read_any()?.view(), v),
    );
}

/// `select_scatter`.
pub fn select_scatter(out: &Tensor, input: &Tensor, source: &Tensor, axis: i64, index: i64, rules: &Rules) {
    let rules = *rules;
    replaced(
        (out, input, source),
        [NodeOp::SelectScatter, NodeOp::SelectScatter, NodeOp::Select],
        move |g, of| autograd::select_scatter(g, of, axis, index, &rules),
        move |zeros, v| ops::select_scatter(zeros, axis, index, v, &rules),
    );
}

/// `slice_scatter`.
pub fn slice_scatter(out: &Tensor, input: &Tensor, source: &Tensor, axis: i64, slice: Slice, rules: &Rules) {
    let rules = *rules;
    replaced(
        (out, input, source),
        [NodeOp::SliceScatter, NodeOp::SliceScatter, NodeOp::Slice],
        move |g, of| autograd::slice_scatter(g, of, axis, slice, &rules),
        move |zeros, v| ops::slice_scatter(zeros, axis, slice, v, &rules),
    );
}

/// `diagonal_scatter` with this offset along two axes.
pub fn diagonal_scatter(out: &Tensor, input: &Tensor, source: &Tensor, diagonal: (i64, i64, i64), rules: &Rules) {
    let (rules, (offset, a, b)) = (*rules, diagonal);
    replaced(
        (out, input, source),
        [NodeOp::DiagonalScatter, NodeOp::DiagonalScatter, NodeOp::Diagonal],
        move |g, of| autograd::diagonal_scatter(g, of, offset, a, b, &rules),
        move |zeros, v| ops::diagonal_scatter(zeros, offset, a, b, v, &rules),
    );
}
