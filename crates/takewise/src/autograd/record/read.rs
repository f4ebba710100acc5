//! Results read from an operand.

use super::{Addressed, kept, read_at};
use crate::Index;
use crate::autograd::read::taken_along;
use crate::autograd::tape::{self, Contribution, Saved};
use crate::autograd::{self, sparse};
use crate::error::Result;
use crate::exec::Reduce;
use crate::index::rules::{Conversion, Rules};
use crate::layout::broadcast_shapes;
use crate::node_op::NodeOp;
use crate::op::Op;
use crate::ops::{self, fresh};
use crate::plan::Address;
use crate::tensor::Tensor;
use crate::values::convert::convert_as;
use crate::view::AnyView;
use std::sync::Arc;

/// The operation's rules where the dtype is a gradient's.
fn open(rules: &Rules) -> Rules {
    Rules { data: crate::DTypeSet::ALL, ..*rules }
}

/// `out` is [`ops::gather`] of `input`. With `sparse` the gradient is made as coordinates and values.
pub(crate) fn gather(out: &Tensor, input: &Tensor, axis: i64, index: &Tensor, sparse: bool, rules: &Rules) {
    if !tape::tracked(&[input]) {
        return;
    }
    if sparse {
        let rules = open(rules);
        return tape::read_as(out, input, NodeOp::Gather, &[index], move |shape, g, s| {
            let rows = sparse::gathered(shape, axis, s[0].clone(), &g.read_any()?.view(), &rules)?;
            Ok(Contribution::Sparse(Box::new(rows.on_tape(g, shape)?)))
        });
    }
    let at = (Op::Gather, Address::axis(axis, input.rank()), rules);
    read_at(out, input, input.shape(), [NodeOp::Gather, NodeOp::ScatterAdd], at, &[index]);
}

/// `out` is [`ops::take_along`] of `input`.
pub(crate) fn take_along(out: &Tensor, input: &Tensor, axis: Option<i64>, index: &Tensor, rules: &Rules) {
    let (op, address, rules) = taken_along(axis, input.rank(), rules);
    read_at(out, input, input.shape(), [NodeOp::Gather, NodeOp::ScatterAdd], (op, address, &rules), &[index]);
}

/// `out` is [`ops::take`] of `input`.
pub(crate) fn take(out: &Tensor, input: &Tensor, index: &Tensor, rules: &Rules) {
    let at = (Op::Take, Address::Flat, rules);
    read_at(out, input, input.shape(), [NodeOp::Take, NodeOp::Put], at, &[index]);
}

/// `out` is [`ops::gather_axis`] of `input`, or with `batch_dims` 0 [`ops::take_axis`].
pub(crate) fn gather_axis(out: &Tensor, input: &Tensor, axis: i64, index: &Tensor, batch_dims: i64, rules: &Rules) {
    let at = (Op::GatherAxis, Address::rows(axis, input.rank(), batch_dims, index.rank()), rules);
    read_at(out, input, input.shape(), [NodeOp::Gather, NodeOp::ScatterAdd], at, &[index]);
}

/// `out` are rows of `table`, [`ops::gather_axis`] along its first axis: an embedding.
pub(crate) fn rows(out: &Tensor, table: &Tensor, index: &Tensor, how: RowGradient, rules: &Rules) {
    let rules = open(rules);
    if how.sparse {
        return tape::read_as(out, table, NodeOp::Embedding, &[index], move |shape, g, s| {
            if how.by_count {
                let text = "embedding_backward: scale_grad_by_freq not supported with sparse gradients";
                return Err(tape::refused(Op::Backward, text));
            }
            let rows = sparse::gathered_rows(shape, s[0].clone(), &g.read_any()?.view(), how.padding, &rules)?;
            Ok(Contribution::Sparse(Box::new(rows.on_tape(g, shape)?)))
        });
    }
    tape::read(
        out,
        table,
        [NodeOp::Embedding, NodeOp::EmbeddingDenseBackward],
        &[index],
        move |shape, g, s| how.weighed(autograd::gather_axis(shape, 0, s[0].clone(), 0, g, &rules)?, &s[0], &rules),
        move |x, s| {
            let weighed = how.weighed(ops::copy(x)?, &s[0], &rules)?;
            ops::gather_axis(weighed.read_any()?.view(), 0, s[0].clone(), 0, &rules)
        },
    );
}

/// What the gradient of a table of rows looks like: torch's arguments of `embedding`.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::grad::RowGradient;
/// let mut table = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0], &[2, 2])?;
/// table.requires_grad_(true)?;
/// let how = RowGradient { padding: Some(0), ..RowGradient::default() };
/// let rows = table.rows(&tensor!([0, 1, 1]), how, &Rules::NEUTRAL)?;
/// rows.sum(None, false, None)?.backward(None, false)?;
/// assert_eq!(table.grad().unwrap().to_dense()?.to_vec::<f32>()?, [0.0, 0.0, 2.0, 2.0]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct RowGradient {
    /// A row that gets no gradient.
    pub padding: Option<usize>,
    /// Every row gets the mean of the gradients of its readings instead of their sum.
    pub by_count: bool,
    /// A row for every row read and nothing else; `by_count` does not apply.
    pub sparse: bool,
}

impl RowGradient {
    /// The rows of `table`, each times what its gradient is worth.
    fn weighed(self, mut table: Tensor, index: &AnyView, rules: &Rules) -> Result<Tensor> {
        if let (Some(row), Some(mut out)) = (self.padding, table.unique()) {
            ops::index_fill_(&mut out, 0, AnyView::from(&[row as i64][..]), 0, &Rules::NEUTRAL)?;
        }
        if !self.by_count {
            return Ok(table);
        }
        let one = Tensor::full(&[], 1, table.dtype())?;
        let ones = one.broadcast_to(index.shape())?;
        let counts = autograd::gather_axis(&table.shape()[..1], 0, index.clone(), 0, ones.read_any()?.view(), rules)?;
        // Rows nobody read have no gradient to divide.
        let least = one.broadcast_to(counts.shape())?;
        let counts = ops::combined(&counts.read_any()?.view(), &least.read_any()?.view(), Reduce::Max)?;
        let counts = counts.unsqueeze(1)?.broadcast_to(table.shape())?;
        ops::combined(&table.read_any()?.view(), &counts.read_any()?.view(), Reduce::Div)
    }
}

/// `out` is [`ops::scatter_nd`] of `updates`.
pub fn scatter_nd(out: &Tensor, index: &Tensor, updates: &Tensor, rules: &Rules) {
    let at = Arc::new((Addressed::new(Op::ScatterNd, Address::Nd { batch: 0 }, rules), out.shape().to_vec()));
    let there = at.clone();
    tape::read(
        out,
        updates,
        [NodeOp::ScatterNd, NodeOp::GatherNd],
        &[index],
        move |_, g, s| at.0.places(s, &at.1)?.read(g),
        move |v, s| there.0.places(s, &there.1)?.scattered(v),
    );
}

/// `out` are the elements of `input` put in the order `order` along an axis: what [`ops::sort`] gives.
pub fn sorted(out: &Tensor, input: &Tensor, axis: i64, order: &Tensor) {
    let at = (Op::Gather, Address::axis(axis, input.rank()), &Rules::NEUTRAL);
    read_at(out, input, input.shape(), [NodeOp::Sort, NodeOp::Scatter], at, &[order]);
}

/// Fails if an operation whose result goes where its caller says would have to be recorded: torch's rule for `out=`.
///
/// Error: kind `Argument`, class RuntimeError.
pub fn check_out(op: Op, operands: &[&Tensor]) -> Result<()> {
    if !tape::tracked(operands) {
        return Ok(());
    }
    let text = format!(
        "{op}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments \
         requires grad."
    );
    Err(tape::refused(Op::Out, text))
}

/// `out` is [`ops::masked_select`] of `input`.
pub(crate) fn masked_select(out: &Tensor, input: &Tensor, mask: &Tensor, rules: &Rules) {
    if !tape::tracked(&[input]) {
        return;
    }
    let Ok(whole) = broadcast_shapes([input.shape(), mask.shape()]) else { return };
    let at = (Op::MaskedSelect, Address::Mask, rules);
    read_at(out, input, &whole, [NodeOp::MaskedSelect, NodeOp::MaskedScatter], at, &[mask]);
}

/// `out` is [`ops::index`] of `input`: a copy, not a view. Error: kind `Memory` (arrays that no tensor holds are copied).
pub fn index(out: &Tensor, input: &Tensor, subscript: &[Index<'_>], rules: &Rules) -> Result<()> {
    if !tape::tracked(&[input]) {
        return Ok(());
    }
    let (address, arrays) = kept(subscript)?;
    let (names, arrays) = ([NodeOp::Index, NodeOp::IndexPutImpl], arrays.iter().collect::<Vec<_>>());
    read_at(out, input, input.shape(), names, (Op::Index, address, rules), &arrays);
    Ok(())
}

/// `out` is [`ops::where_`] of `condition`, `a` and `b`; an operand that was a number is left out.
pub(crate) fn where_(out: &Tensor, condition: &Tensor, a: Option<&Tensor>, b: Option<&Tensor>, rules: &Rules) {
    let sides = [a, b];
    if !sides.iter().flatten().any(|t| tape::tracked(&[t])) {
        return;
    }
    let (rules, whole) = (open(rules), out.shape().to_vec());
    let saved: Arc<[Saved]> = Arc::new([Saved::new(condition)]);
    // One side of the choice, the other being zero.
    let chosen = move |first: bool, x: &AnyView, condition: &AnyView| {
        let zero = Tensor::zeroed(&[], x.dtype())?;
        let zero = zero.read_any()?;
        let (a, b) = if first { (x.clone(), zero.view()) } else { (zero.view(), x.clone()) };
        ops::where_(condition.clone(), a, b, x.dtype(), &rules)
    };
    let ways = [true, false].map(|first| {
        let shape = sides[usize::from(!first)].map_or(vec![], |t| t.shape().to_vec());
        let whole = whole.clone();
        let back: tape::Map = Box::new(move |g, s| ops::sum_to(chosen(first, g, &s[0])?, &shape));
        let forth: tape::Map =
            Box::new(move |x, s| chosen(first, &x.rearranged(0, x.layout().broadcast_to(Op::Where, &whole)?), &s[0]));
        Arc::new(tape::LinearMap { names: [NodeOp::Where; 2], saved: saved.clone(), back, forth })
    });
    let run: tape::Backward = Box::new(move |g, place| {
        let part = |k: usize| {
            if place.wants(k) { Ok(Contribution::Dense(ways[k].back(g)?)) } else { Ok(Contribution::Nothing) }
        };
        Ok(vec![part(0)?, part(1)?])
    });
    tape::recorded(out, NodeOp::Where, sides.map(tape::target).into(), true, run);
}

/// `out` is a copy of `input`, element for element, maybe of another shape: `clone`, `contiguous`, `reshape`.
pub(crate) fn copied(out: &Tensor, input: &Tensor, name: NodeOp) {
    if !tape::tracked(&[input]) {
        return;
    }
    let whole = out.shape().to_vec();
    tape::read(
        out,
        input,
        [name; 2],
        &[],
        |shape, g, _| autograd::shaped(ops::copy(g)?, shape),
        move |x, _| autograd::shaped(ops::copy(x)?, &whole),
    );
}

/// `out` is [`ops::flip`] of `input` along these axes.
pub(crate) fn reversed(out: &Tensor, input: &Tensor, axes: &[i64]) {
    let (back, forth) = (axes.to_vec(), axes.to_vec());
    tape::read(
        out,
        input,
        [NodeOp::Flip; 2],
        &[],
        move |_, g, _| ops::flip(g.clone(), &back, &Rules::NEUTRAL),
        move |x, _| ops::flip(x.clone(), &forth, &Rules::NEUTRAL),
    );
}

/// `out` is `input` cast to another dtype.
pub fn cast(out: &Tensor, input: &Tensor) {
    let [from, to] = [input.dtype(), out.dtype()];
    let cast = |x: &AnyView, dtype| fresh(x.shape(), dtype, |out| convert_as(x, out, Conversion::RangeChecked));
    tape::read(out, input, [NodeOp::ToCopy; 2], &[], move |_, g, _| cast(g, from), move |x, _| cast(x, to));
}

/// `out` is `-input`.
pub fn negated(out: &Tensor, input: &Tensor) {
    let minus = |x: &AnyView| {
        let factor = Tensor::full(&[], -1, x.dtype())?.broadcast_to(x.shape())?;
        ops::combined(x, &factor.read_any()?.view(), Reduce::Prod)
    };
    tape::read(out, input, [NodeOp::Neg; 2], &[], move |_, g, _| minus(g), move |x, _| minus(x));
}
