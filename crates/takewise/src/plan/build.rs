//! Building plans: loops and axes are added in index order, then the plan is shortened and proved.

use super::{Axis, Digits, Loop, Plan, Select, SelectDim};
use crate::error::Result;
use crate::index::rules::Rules;
use crate::layout::{Dims, Layout};
use crate::op::Op;
use smallvec::{SmallVec, smallvec};

/// Collects the loops and axes of a plan in index order.
///
/// ```
/// use takewise::{Layout, Rules, plan::Builder};
/// // take: rows 0..3 of a (5, 4) f32 table by an i64 index of length 3
/// let (x, i, out) = (Layout::contiguous(&[5, 4], 4), Layout::contiguous(&[3], 8), Layout::contiguous(&[3, 4], 4));
/// let mut b = Builder::new(takewise::Op::Take, &Rules::NEUTRAL, &x.unwrap(), &out.unwrap(), 4);
/// let operand = b.operand(&i.unwrap());
/// b.axis(0, 5, 16, operand, 0);
/// b.index_loop(3, 16, 0, &[8]);
/// b.free_loop(4, 4, 4);
/// let plan = b.build().unwrap();
/// assert_eq!((plan.positions(), plan.lanes(), plan.chunk()), (3, 1, 16));
/// ```
pub struct Builder {
    plan: Plan,
}

impl Builder {
    /// A plan between an indexed and a linear side of `size`-byte elements.
    #[inline]
    pub fn new(op: Op, rules: &Rules, indexed: &Layout, linear: &Layout, size: usize) -> Builder {
        Builder {
            plan: Plan {
                op,
                rules: *rules,
                index: SmallVec::new(),
                free: SmallVec::new(),
                axes: SmallVec::new(),
                select: None,
                offset: 0,
                chunk: size,
                size,
                flat_linear: false,
                checked: false,
                indexed_layout: indexed.clone(),
                linear_layout: linear.clone(),
                operand_layouts: SmallVec::new(),
            },
        }
    }

    /// Registers an index operand and gives its number.
    #[inline]
    pub fn operand(&mut self, layout: &Layout) -> usize {
        self.plan.operand_layouts.push(layout.clone());
        self.plan.operand_layouts.len() - 1
    }

    /// Starts the indexed side `bytes` after its view's first element.
    #[inline]
    pub fn offset(&mut self, bytes: isize) {
        self.plan.offset = bytes;
    }

    /// An axis of the indexed side controlled by an operand; `axis` and `ordinal` are for messages.
    #[inline]
    pub fn axis(&mut self, axis: usize, len: usize, step: isize, operand: usize, ordinal: usize) {
        self.plan.axes.push(Axis { len, step, digits: SmallVec::new(), operand, axis, ordinal });
    }

    /// A whole array as one axis: values are flat row-major positions in `layout`.
    pub fn flat_axis(&mut self, layout: &Layout, operand: usize) {
        let even = flatten(layout);
        let (step, digits) = match even.as_slice() {
            [] => (0, Digits::new()),
            [(_, step)] => (*step, Digits::new()),
            _ => (0, even),
        };
        self.plan.axes.push(Axis { len: layout.numel(), step, digits, operand, axis: 0, ordinal: 0 });
    }

    /// A loop in which operands move by `operands` (one step each; a missing one is 0). If none moves, the
    /// loop is free.
    #[inline]
    pub fn index_loop(&mut self, extent: usize, linear: isize, indexed: isize, operands: &[isize]) {
        self.add_loop(Loop { extent, linear, indexed, operands: SmallVec::from_slice(operands) });
    }

    /// [`Builder::index_loop`] of a loop as it is.
    #[inline(always)]
    pub(crate) fn add_loop(&mut self, l: Loop) {
        if l.is_free() && l.indexed != 0 {
            self.plan.free.push(l);
        } else {
            self.plan.index.push(l);
        }
    }

    /// A loop in which no operand moves.
    #[inline]
    pub fn free_loop(&mut self, extent: usize, linear: isize, indexed: isize) {
        self.plan.free.push(Loop { extent, linear, indexed, operands: SmallVec::new() });
    }

    /// Lets the places a mask selects be the index positions. `steps` are the indexed side's byte steps for
    /// each mask dimension; `linear` the linear side's step from one selected place to the next.
    pub fn select(&mut self, mask: &Layout, steps: &[isize], count: usize, linear: isize) {
        self.plan.operand_layouts.push(mask.clone());
        let dim = |d: usize| SelectDim { extent: mask.shape()[d], mask: mask.strides()[d], indexed: steps[d] };
        let dims = (0..mask.rank()).map(dim).collect();
        self.plan.select = Some(Box::new(Select { dims, count, counted: true, linear }));
    }

    /// [`select`](Builder::select) for one element stored to all selected places: they need not be counted.
    pub fn select_for_one(&mut self, mask: &Layout, steps: &[isize]) {
        self.select(mask, steps, mask.numel(), 0);
        if let Some(s) = &mut self.plan.select {
            s.counted = false;
        }
    }

    /// Walks the linear side by flat row-major position instead of by loops (`put`, `masked_scatter`).
    pub fn flat_linear(&mut self) {
        match flatten(&self.plan.linear_layout).as_slice() {
            [] => {}
            [(_, step)] => {
                let mut step = *step;
                if let Some(s) = &mut self.plan.select {
                    s.linear = step;
                }
                for l in self.plan.index.iter_mut().rev() {
                    l.linear = step;
                    step = step.saturating_mul(l.extent as isize);
                }
            }
            _ => self.plan.flat_linear = true,
        }
    }

    /// Shortens and proves the plan.
    #[inline]
    pub fn build(mut self) -> Result<Plan> {
        match self.finish() {
            Ok(()) => Ok(self.plan),
            Err(e) => Err(e),
        }
    }

    /// [`Builder::build`] where the plan stands: it is large, and small calls would feel every move of it.
    fn finish(&mut self) -> Result<()> {
        let operands = self.plan.operand_layouts.len();
        for l in self.plan.index.iter_mut().chain(self.plan.free.iter_mut()) {
            if l.operands.len() < operands {
                l.operands.resize(operands, 0);
            }
        }
        self.plan.optimize();
        self.plan.prove()
    }
}

/// An array's axes fused as far as its strides allow: (extent, step), outer to inner. Empty for one element.
pub(crate) fn flatten(layout: &Layout) -> Digits {
    let mut out = Digits::new();
    for (&n, &s) in layout.shape().iter().zip(layout.strides()) {
        if n == 1 {
            continue;
        }
        match out.last_mut() {
            Some(last) if s.checked_mul(n as isize) == Some(last.1) => *last = (last.0 * n, s),
            _ => out.push((n, s)),
        }
    }
    out
}

/// Zero steps for every dimension.
pub(crate) fn still(rank: usize) -> Dims<isize> {
    smallvec![0; rank]
}
