//! Writes, into a copy or in place.

use super::reduce::{At, reduction, scatter_reduce};
use super::{items, kept};
use crate::autograd::tape::{self, Map, Store, Written};
use crate::autograd::{self, Of};
use crate::dtype::Scalar;
use crate::error::Result;
use crate::exec::Reduce;
use crate::index::Index;
use crate::index::rules::Rules;
use crate::layout::Slice;
use crate::node_op::NodeOp;
use crate::op::Op;
use crate::ops::{self, fresh, sum_to};
use crate::tensor::Tensor;
use crate::view::AnyView;
use std::sync::Arc;

/// `scatter` of a source, or of a number if `None`; `input` is [`before`] for a product.
pub fn scatter(
    to: Written,
    axis: i64,
    index: &Tensor,
    source: Option<&Tensor>,
    reduce: Option<Reduce>,
    input: Option<&Tensor>,
    rules: &Rules,
) {
    let rules = *rules;
    match (reduce, source, input) {
        (Some(Reduce::Sum), _, _) => {
            scatter_add(to, axis, index, source, &rules);
        }
        (Some(how), Some(source), Some(input)) => scatter_reduce(to, axis, index, source, how, true, input, &rules),
        (Some(_), Some(_), None) => {}
        (Some(_), None, _) => undefined(to, "scatter of a number that does not add"),
        (None, _, _) => {
            let name = if source.is_some() { NodeOp::Scatter } else { NodeOp::ScatterNumber };
            tape::write(
                Store { to, source, names: [name, NodeOp::ScatterNumber, NodeOp::Gather], saved: &[index] },
                own(move |g, s| autograd::scatter(g, Of::Input, axis, s[0].clone(), &rules)),
                move |shape, g, s| autograd::scatter(g, Of::Source(shape), axis, s[0].clone(), &rules),
                move |whole, v, s| {
                    fresh(whole, v.dtype(), |out| ops::scatter_(out, axis, s[0].clone(), v, None, &rules))
                },
            );
        }
    }
}

fn own(f: impl Fn(&AnyView, &[AnyView]) -> Result<Tensor> + Send + Sync + 'static) -> Option<Map> {
    Some(Box::new(f))
}

/// An operation whose gradient is not to be had: asking for it will fail, saying `what` it was.
pub fn undefined(to: Written, what: &'static str) {
    let store = Store { to, source: None, names: [NodeOp::Stretched; 3], saved: &[] };
    if store.is_tracked() {
        let refuse = move || tape::refused(Op::Backward, format!("derivative for {what} is not implemented"));
        tape::write_as(store, Box::new(move |_, _| Err(refuse())), NodeOp::Undefined);
    }
}

/// `scatter_add` of a source, or of a number if `None`.
pub fn scatter_add(to: Written, axis: i64, index: &Tensor, source: Option<&Tensor>, rules: &Rules) {
    if !tape::stored(to, source) {
        return;
    }
    let rules = *rules;
    tape::write(
        Store { to, source, names: [NodeOp::ScatterAdd, NodeOp::Stretched, NodeOp::Gather], saved: &[index] },
        None,
        move |shape, g, s| autograd::scatter_add(g, Of::Source(shape), axis, s[0].clone(), &rules),
        move |whole, v, s| fresh(whole, v.dtype(), |out| ops::scatter_add_(out, axis, s[0].clone(), v, &rules)),
    );
}

/// The array as it was before a write in place that needs it for its gradient: a copy, or nothing where no gradient is
/// asked for. Call it before the write. Error: kind `Memory`.
pub fn before(to: &Tensor, source: &Tensor) -> Result<Option<Tensor>> {
    if !tape::tracked(&[to, source]) {
        return Ok(None);
    }
    Ok(Some(tape::no_grad(|| to.detach().clone_data())?))
}

/// `index_add` with this `alpha`.
pub fn index_add(to: Written, axis: i64, index: &Tensor, source: &Tensor, alpha: Scalar, rules: &Rules) {
    if !tape::stored(to, Some(source)) {
        return;
    }
    let rules = *rules;
    tape::write(
        Store {
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
pub fn index_copy(to: Written, axis: i64, index: &Tensor, source: &Tensor, rules: &Rules) {
    if !tape::stored(to, Some(source)) {
        return;
    }
    let rules = *rules;
    tape::write(
        Store {
            to,
            source: Some(source),
            names: [NodeOp::IndexCopy, NodeOp::IndexFill, NodeOp::IndexSelect],
            saved: &[index],
        },
        own(move |g, s| autograd::index_copy(g, Of::Input, axis, s[0].clone(), &rules)),
        move |shape, g, s| autograd::index_copy(g, Of::Source(shape), axis, s[0].clone(), &rules),
        move |whole, v, s| fresh(whole, v.dtype(), |out| ops::index_copy_(out, axis, s[0].clone(), v, &rules)),
    );
}

/// `index_fill` with a 0-d array, or a number if `None`.
pub fn index_fill(to: Written, axis: i64, index: &Tensor, value: Option<&Tensor>, rules: &Rules) {
    let rules = *rules;
    let name = if value.is_some() { NodeOp::IndexFillTensor } else { NodeOp::IndexFill };
    tape::write(
        Store { to, source: value, names: [name, NodeOp::IndexFill, NodeOp::Sum], saved: &[index] },
        own(move |g, s| autograd::index_fill(g, Of::Input, axis, s[0].clone(), &rules)),
        move |shape, g, s| autograd::index_fill(g, Of::Source(shape), axis, s[0].clone(), &rules),
        move |whole, v, s| fresh(whole, v.dtype(), |out| ops::index_fill_(out, axis, s[0].clone(), v, &rules)),
    );
}

/// `put`, with `accumulate` or without.
pub fn put(to: Written, index: &Tensor, source: Option<&Tensor>, accumulate: bool, rules: &Rules) {
    let rules = *rules;
    let cleared = move |g: &AnyView, s: &[AnyView]| autograd::put(g, Of::Input, s[0].clone(), false, &rules);
    tape::write(
        Store { to, source, names: [NodeOp::Put, NodeOp::Put, NodeOp::Take], saved: &[index] },
        if accumulate { None } else { own(cleared) },
        move |shape, g, s| autograd::put(g, Of::Source(shape), s[0].clone(), accumulate, &rules),
        move |whole, v, s| fresh(whole, v.dtype(), |out| ops::put_(out, s[0].clone(), v, accumulate, &rules)),
    );
}

/// A write through a subscript with arrays or masks: `x[items] = value`, `index_put`. Error: kind `Memory` (arrays that
/// no tensor holds are copied).
pub fn index_put(
    to: Written,
    name: NodeOp,
    subscript: &[Index<'_>],
    value: Option<&Tensor>,
    accumulate: bool,
    rules: &Rules,
) -> Result<()> {
    let (list, arrays) = match tape::tracked(&[to.of()]) || value.is_some_and(|v| tape::tracked(&[v])) {
        true => kept(subscript)?,
        false => return Ok(()),
    };
    let (rules, list) = (*rules, Arc::new(list));
    let (mine, there) = (list.clone(), list.clone());
    let cleared = move |g: &AnyView, s: &[AnyView]| autograd::index_put(g, Of::Input, &items(&mine, s), false, &rules);
    tape::write(
        Store {
            to,
            source: value,
            names: [name, NodeOp::IndexPut, NodeOp::Index],
            saved: &arrays.iter().collect::<Vec<_>>(),
        },
        if accumulate { None } else { own(cleared) },
        move |shape, g, s| autograd::index_put(g, Of::Source(shape), &items(&list, s), accumulate, &rules),
        move |whole, v, s| autograd::write::index_put_back(whole, v, &items(&there, s), accumulate, &rules),
    );
    Ok(())
}

/// A view `part` filled with a value that was cast and broadcast to it.
pub fn set_view(part: &Tensor, name: NodeOp, value: Option<&Tensor>) {
    fill(Written::InPlace(part), name, value);
}

/// Everything replaced by a value that was cast and broadcast to it: `fill_`, `zero_`, `copy_`, `x[...] = value`.
pub fn fill(to: Written, name: NodeOp, value: Option<&Tensor>) {
    tape::write(
        Store { to, source: value, names: [name, NodeOp::ZerosLike, NodeOp::Clone], saved: &[] },
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
    let rules = *rules;
    let name = if value.is_some() { NodeOp::MaskedFillTensor } else { NodeOp::MaskedFill };
    tape::write(
        Store { to, source: value, names: [name, NodeOp::MaskedFill, NodeOp::Sum], saved: &[mask] },
        own(move |g, s| autograd::masked_fill(g, Of::Input, s[0].clone(), &rules)),
        move |shape, g, s| autograd::masked_fill(g, Of::Source(shape), s[0].clone(), &rules),
        move |whole, v, s| fresh(whole, v.dtype(), |out| ops::masked_fill_(out, s[0].clone(), v, &rules)),
    );
}

/// `masked_scatter`.
pub fn masked_scatter(to: Written, mask: &Tensor, source: &Tensor, rules: &Rules) {
    let rules = *rules;
    tape::write(
        Store {
            to,
            source: Some(source),
            names: [NodeOp::MaskedScatter, NodeOp::MaskedFill, NodeOp::MaskedScatterBackward],
            saved: &[mask],
        },
        own(move |g, s| autograd::masked_scatter(g, Of::Input, s[0].clone(), &rules)),
        move |shape, g, s| autograd::masked_scatter(g, Of::Source(shape), s[0].clone(), &rules),
        move |whole, v, s| fresh(whole, v.dtype(), |out| ops::masked_scatter_(out, s[0].clone(), v, &rules)),
    );
}

/// `tensor_scatter` and `scatter_nd_` of a source, or of a number if `None`; `input` is the array before the write
/// ([`before`] if that was in place) for reductions other than sums.
pub fn tensor_scatter(
    to: Written,
    index: &Tensor,
    source: Option<&Tensor>,
    reduce: Option<Reduce>,
    input: Option<&Tensor>,
    rules: &Rules,
) {
    let (name, rules) = (NodeOp::TensorScatter, *rules);
    match (reduce, source, input) {
        (None | Some(Reduce::Sum), _, _) => {
            let sums = reduce.is_some();
            let cleared =
                move |g: &AnyView, s: &[AnyView]| autograd::tensor_scatter(g, Of::Input, s[0].clone(), false, &rules);
            tape::write(
                Store { to, source, names: [name, NodeOp::TensorScatter, NodeOp::GatherNd], saved: &[index] },
                if sums { None } else { own(cleared) },
                move |shape, g, s| autograd::tensor_scatter(g, Of::Source(shape), s[0].clone(), sums, &rules),
                move |whole, v, s| {
                    fresh(whole, v.dtype(), |out| ops::scatter_nd_(out, s[0].clone(), v, reduce, &rules))
                },
            );
        }
        (Some(how), Some(source), Some(input)) => {
            reduction(to, name, At::Tuples, index, source, how, true, input, &rules);
        }
        (Some(_), Some(_), None) => {}
        (Some(_), None, _) => undefined(to, "tensor_scatter of a number that does not add"),
    }
}

/// `put_along_` along an axis.
pub fn put_along(to: Written, axis: i64, index: &Tensor, source: Option<&Tensor>, rules: &Rules) {
    let rules = *rules;
    tape::write(
        Store { to, source, names: [NodeOp::PutAlong, NodeOp::PutAlong, NodeOp::Gather], saved: &[index] },
        own(move |g, s| autograd::put_along(g, Of::Input, axis, s[0].clone(), &rules)),
        move |shape, g, s| autograd::put_along(g, Of::Source(shape), axis, s[0].clone(), &rules),
        move |whole, v, s| fresh(whole, v.dtype(), |out| ops::put_along_(out, s[0].clone(), v, axis, &rules)),
    );
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
        Store { to: Written::Copy { out, of: input }, source: Some(source), names, saved: &[] },
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
        move |zeros, v| ops::select_scatter(zeros, v, axis, index, &rules),
    );
}

/// `slice_scatter`.
pub fn slice_scatter(out: &Tensor, input: &Tensor, source: &Tensor, axis: i64, slice: Slice, rules: &Rules) {
    let rules = *rules;
    replaced(
        (out, input, source),
        [NodeOp::SliceScatter, NodeOp::SliceScatter, NodeOp::Slice],
        move |g, of| autograd::slice_scatter(g, of, axis, slice, &rules),
        move |zeros, v| ops::slice_scatter(zeros, v, axis, slice, &rules),
    );
}

/// `diagonal_scatter` with this offset along two axes.
pub fn diagonal_scatter(out: &Tensor, input: &Tensor, source: &Tensor, diagonal: (i64, i64, i64), rules: &Rules) {
    let (rules, (offset, a, b)) = (*rules, diagonal);
    replaced(
        (out, input, source),
        [NodeOp::DiagonalScatter, NodeOp::DiagonalScatter, NodeOp::Diagonal],
        move |g, of| autograd::diagonal_scatter(g, of, offset, a, b, &rules),
        move |zeros, v| ops::diagonal_scatter(zeros, v, offset, a, b, &rules),
    );
}
