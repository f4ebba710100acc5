//! What an operation addresses in an array, as data; and the plan of it.
//!
//! A gather, the scatter that undoes it, the plan kept for both and the gradient of either have one [`Address`]: they
//! differ in the direction in which its plan is run.

use super::{Builder, Loop, Plan};
use crate::Index;
use crate::error::{Error, Fault, Result, ShapeRule};
use crate::index::rules::Rules;
use crate::index::{IndexValues, Item, Normalized, normalize};
use crate::layout::{Dims, Layout, broadcast_strides};
use crate::op::Op;
use crate::view::AnyView;
use smallvec::SmallVec;
use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

/// Which places of an array an operation addresses. With the layouts of its operands it is all that a plan is made from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Address {
    /// An element along one axis for every element of the index, the other axes side by side: `gather`, `scatter`.
    Axis { dim: usize },
    /// Whole slices along an axis, which a vector of positions stands for: the `index_*` family. What is 0-d counts as
    /// one-dimensional.
    Slices { dim: usize },
    /// Whole slices along an axis, for which all axes of the index stand but the first `batch`, which go in pairs with
    /// the array's.
    Rows { dim: usize, batch: usize },
    /// Elements by flat row-major position: `take`, `put`.
    Flat,
    /// Slices at tuples of positions, which lie along the last axis of the index; the first `batch` axes go in pairs.
    Nd { batch: usize },
    /// What a mask of the leading axes selects.
    Mask,
    /// What a subscript names.
    Items(Arc<[KeptItem]>),
}

/// An item of a subscript whose arrays are kept elsewhere: the operands of these numbers.
pub(crate) type KeptItem = Item<usize, Infallible>;

/// By the number of the operand.
impl fmt::Debug for KeptItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Item::Array(k) => write!(f, "operand {k}"),
            plain => write!(f, "{:?}", plain.map(|_| Index::NewAxis, |never| match *never {})),
        }
    }
}

/// The two sides of a plan: the array that is indexed and what is read from it or written to it, of elements of one size.
#[derive(Clone, Copy)]
pub(crate) struct Between<'l> {
    pub(crate) indexed: &'l Layout,
    pub(crate) linear: &'l Layout,
    pub(crate) size: usize,
}

impl Between<'_> {
    #[inline]
    fn builder(&self, op: Op, rules: &Rules) -> Builder {
        Builder::new(op, rules, self.indexed, self.linear, self.size)
    }
}

/// Extents and steps of a layout; one without axes has one of one element.
fn at_least_1d<'l>(layout: &'l Layout, step: &'l [isize; 1]) -> (&'l [usize], &'l [isize]) {
    if layout.rank() > 0 { (layout.shape(), layout.strides()) } else { (&[1], step) }
}

impl Address {
    /// The address of one axis, counted from the front or from the back: if it is none of the array's, nobody can use it.
    pub(crate) fn axis(dim: i64, rank: usize) -> Address {
        Address::Axis { dim: from_front(dim, rank) }
    }

    /// [`Address::Slices`] along such an axis.
    pub(crate) fn slices(dim: i64, rank: usize) -> Address {
        Address::Slices { dim: from_front(dim, rank) }
    }

    /// [`Address::Rows`] along such an axis, the pairs counted from the front or from the back.
    pub(crate) fn rows(dim: i64, rank: usize, batch: i64, index_rank: usize) -> Address {
        Address::Rows { dim: from_front(dim, rank), batch: from_front(batch, index_rank) }
    }

    /// The address of a subscript, and the arrays among its items.
    pub(crate) fn items<'i, 'a>(items: &'i [Index<'a>]) -> (Address, Vec<&'i Index<'a>>) {
        let mut arrays = Vec::new();
        let list = items.iter().map(|item| {
            let next = arrays.len();
            let kept: KeptItem = item.map(|_| Item::Array(next), |_| Item::Array(next));
            if let Item::Array(_) = kept {
                arrays.push(item);
            }
            kept
        });
        (Address::Items(list.collect()), arrays)
    }

    /// Runs `then` with the plan for some operands, and the arrays that the plan steps through.
    pub(crate) fn with_plan<R>(
        &self,
        op: Op,
        rules: &Rules,
        operands: &[AnyView],
        between: Between,
        then: impl FnOnce(&Plan, &[AnyView]) -> Result<R>,
    ) -> Result<R> {
        match (self, operands) {
            (Address::Items(_), _) => {
                let items = self.subscript(operands);
                let n = normalize(op, between.indexed, between.size, &items, rules)?;
                then(&subscript(op, rules, &n, between)?, &index_operands(&n))
            }
            (Address::Nd { batch }, [index]) => {
                let parts = components(index);
                then(&tuples(op, rules, *batch, index.layout(), &parts, between)?, &parts)
            }
            (_, [index, ..]) => then(&self.plan(op, rules, index.layout(), between)?, std::slice::from_ref(index)),
            (_, []) => Err(unaddressed(op)),
        }
    }

    /// The items of a subscript with these arrays; of other addresses none.
    pub(crate) fn subscript<'a>(&self, operands: &[AnyView<'a>]) -> Vec<Index<'a>> {
        match self {
            Address::Items(items) => {
                let array = |k: &usize| operands.get(*k).map_or(Index::NewAxis, |v| Index::Array(v.clone()));
                items.iter().map(|item| item.map(array, |never| match *never {})).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The arrays that the plan for one index or mask steps through.
    pub(crate) fn operands<'a>(&self, index: &AnyView<'a>) -> SmallVec<[AnyView<'a>; 2]> {
        if let Address::Nd { .. } = self { components(index) } else { std::iter::once(index.clone()).collect() }
    }

    /// The plan of an address of one index or mask, of which it needs no more than the layout.
    pub(crate) fn plan(&self, op: Op, rules: &Rules, index: &Layout, between: Between) -> Result<Plan> {
        if let Address::Axis { dim } | Address::Slices { dim } | Address::Rows { dim, .. } = *self {
            rules.axis(op, dim as i64, between.indexed.rank())?;
        }
        match *self {
            Address::Axis { dim } => along(op, rules, dim, index, between),
            Address::Slices { dim } => rows(op, rules, (dim, 0), at_least_1d(index, &[0]), index, between),
            Address::Rows { dim, batch } => {
                rows(op, rules, (dim, batch), (index.shape(), index.strides()), index, between)
            }
            Address::Flat => flat(op, rules, index, between),
            Address::Mask => selected(op, rules, index, between),
            Address::Nd { .. } | Address::Items(_) => Err(unaddressed(op)),
        }
    }
}

/// What nobody asks for: a plan without what it is to be made from.
#[cold]
fn unaddressed(op: Op) -> Error {
    debug_assert!(false, "no operands of {op}");
    Error::plain(Fault::Memory { op, bytes: None })
}

fn from_front(dim: i64, rank: usize) -> usize {
    let rank = rank.max(1) as i64;
    (if (-rank..0).contains(&dim) { dim + rank } else { dim }) as usize
}

/// The plan of every operation along one axis, its linear side of the shape of the index, broadcast or not.
fn along(op: Op, rules: &Rules, dim: usize, index: &Layout, between: Between) -> Result<Plan> {
    let mut b = between.builder(op, rules);
    let operand = b.operand(index);
    if index.numel() == 0 || between.linear.numel() == 0 {
        // An empty index is not even checked for rank, nor are values that meet no place
        // (SEMANTICS.md, Empty operands).
        b.index_loop(0, 0, 0, &[0]);
        return b.build();
    }
    let step = [between.size as isize];
    let (shape, steps) = at_least_1d(between.indexed, &step);
    let (extents, index_steps) = at_least_1d(index, &[0]);
    let (target, linear) = match between.linear.rank() {
        0 => (extents, &[0][..]),
        _ => (between.linear.shape(), between.linear.strides()),
    };
    let shapes = [("index", extents), ("target", target)];
    let misfit = || rules.fail(Fault::shape(op, ShapeRule::BroadcastPair, dim, &shapes));
    let index_steps = broadcast_strides(extents, index_steps, target).ok_or_else(misfit)?;
    b.axis(dim, shape[dim], steps[dim], operand, 0);
    for (k, &n) in target.iter().enumerate() {
        let step = if k == dim || shape[k] == 1 { 0 } else { steps[k] };
        b.index_loop(n, linear[k], step, &[index_steps[k]]);
    }
    b.build()
}

/// The plan of slices along an axis, after so many axes in pairs.
fn rows(
    op: Op,
    rules: &Rules,
    (dim, batch): (usize, usize),
    (extents, index_steps): (&[usize], &[isize]),
    index: &Layout,
    between: Between,
) -> Result<Plan> {
    let mut b = between.builder(op, rules);
    let operand = b.operand(index);
    let step = [between.size as isize];
    let (shape, steps) = at_least_1d(between.indexed, &step);
    let linear = if between.linear.rank() > 0 { between.linear.strides() } else { &[0][..] };
    b.axis(dim, shape[dim], steps[dim], operand, 0);
    let inner = extents.len() - batch;
    (0..batch).for_each(|k| b.index_loop(shape[k], linear[k], steps[k], &[index_steps[k]]));
    (batch..dim).for_each(|k| b.free_loop(shape[k], linear[k], steps[k]));
    (0..inner).for_each(|k| b.index_loop(extents[batch + k], linear[dim + k], 0, &[index_steps[batch + k]]));
    (dim + 1..shape.len()).for_each(|k| b.free_loop(shape[k], linear[inner + k - 1], steps[k]));
    b.build()
}

/// The plan of elements by flat position. The linear side has the shape of the index, or is walked by flat position
/// itself, or is one element for all.
fn flat(op: Op, rules: &Rules, index: &Layout, between: Between) -> Result<Plan> {
    let (mut b, linear) = (between.builder(op, rules), between.linear);
    let operand = b.operand(index);
    b.flat_axis(between.indexed, operand);
    let beside = linear.shape() == index.shape();
    for (d, (&n, &step)) in index.shape().iter().zip(index.strides()).enumerate() {
        b.index_loop(n, if beside { linear.strides()[d] } else { 0 }, 0, &[step]);
    }
    if !beside && linear.rank() > 0 {
        b.flat_linear();
    }
    b.build()
}

/// The plan of slices at tuples, of which each position is an operand of its own.
fn tuples(op: Op, rules: &Rules, batch: usize, index: &Layout, parts: &[AnyView], between: Between) -> Result<Plan> {
    let (mut b, x, linear) = (between.builder(op, rules), between.indexed, between.linear);
    for (k, part) in parts.iter().enumerate() {
        let operand = b.operand(part.layout());
        b.axis(batch + k, x.shape()[batch + k], x.strides()[batch + k], operand, k);
    }
    let rank = index.rank().saturating_sub(1);
    for k in 0..rank {
        let steps: Dims<isize> = smallvec::smallvec![index.strides()[k]; parts.len()];
        b.index_loop(index.shape()[k], linear.strides()[k], if k < batch { x.strides()[k] } else { 0 }, &steps);
    }
    for (j, k) in (batch + parts.len()..x.rank()).enumerate() {
        b.free_loop(x.shape()[k], linear.strides()[rank + j], x.strides()[k]);
    }
    b.build()
}

/// The plan of what a mask of the leading axes selects: the linear side has an axis of selected places in their place.
fn selected(op: Op, rules: &Rules, mask: &Layout, between: Between) -> Result<Plan> {
    let (mut b, x, linear) = (between.builder(op, rules), between.indexed, between.linear);
    let (covered, count) = (mask.rank(), linear.shape().first().copied().unwrap_or(1));
    let step = |k: usize| linear.strides().get(k).copied().unwrap_or(0);
    b.select(mask, &x.strides()[..covered], count, step(0));
    for d in covered..x.rank() {
        b.free_loop(x.shape()[d], step(d - covered + 1), x.strides()[d]);
    }
    b.build()
}

/// The plan between an array indexed by a subscript and a linear side of the subscript's shape.
pub(crate) fn subscript(op: Op, rules: &Rules, n: &Normalized<'_>, between: Between) -> Result<Plan> {
    let mut b = between.builder(op, rules);
    b.offset(n.offset);
    for a in &n.arrays {
        let operand = match &a.values {
            IndexValues::View(view) => b.operand(view.layout()),
            listed => b.operand(listed.view().layout()),
        };
        b.axis(a.axis, a.len, a.step, operand, a.ordinal);
    }
    for (dim, &step) in n.dims.iter().zip(between.linear.strides()) {
        match (dim.index, &n.mask) {
            (Some(_), Some(m)) => b.select(m.mask.layout(), &m.steps, m.count, step),
            (Some(d), None) => {
                let operands = n.arrays.iter().map(|a| a.steps[d]).collect();
                b.add_loop(Loop { extent: dim.extent, linear: step, indexed: 0, operands });
            }
            (None, _) => b.free_loop(dim.extent, step, dim.step),
        }
    }
    b.build()
}

/// The arrays (or the mask) a plan made by [`subscript`] wants to be run with.
pub(crate) fn index_operands<'n>(n: &'n Normalized<'_>) -> SmallVec<[AnyView<'n>; 2]> {
    match &n.mask {
        Some(m) => std::iter::once(m.mask.clone()).collect(),
        None => n.arrays.iter().map(|a| a.values.view()).collect(),
    }
}

/// One view of an index of tuples for each position of a tuple.
fn components<'a>(index: &AnyView<'a>) -> SmallVec<[AnyView<'a>; 2]> {
    let last = index.rank().saturating_sub(1);
    let part = |k| {
        let (offset, layout) = index.layout().select(last, k);
        index.rearranged(if layout.numel() == 0 { 0 } else { offset }, layout)
    };
    (0..index.shape().last().copied().unwrap_or(0)).map(part).collect()
}
