//! Gradients as they are added up.

use super::append::{recorded, target, tracked};
use super::gradient::Gradient;
use super::linear::mapped;
use super::node::{Backward, Contribution, Window};
use super::refused;
use crate::autograd::SparseCoo;
use crate::dtype::DType;
use crate::error::Result;
use crate::layout::Layout;
use crate::memory::Space;
use crate::node_op::NodeOp;
use crate::op::Op;
use crate::ops::{self, fresh};
use crate::tensor::Tensor;
use crate::view::{AnyView, AnyViewMut};

/// The gradient of a block of bytes, as far as it has arrived.
pub(super) enum Sum {
    Nothing,
    /// Its elements, one after another.
    Dense(Tensor),
    /// Of one tensor in it.
    Sparse(Box<SparseCoo>, Window),
}

/// The block a sum is of.
#[derive(Clone, Copy)]
pub(super) struct SumBlock {
    pub(super) space: Space,
    pub(super) dtype: DType,
}

impl SumBlock {
    /// A block that a tensor of that shape fills, and its place there. Error: kind `Memory`.
    pub(super) fn filled_by(shape: &[usize], dtype: DType) -> Result<(SumBlock, Window)> {
        let layout = Layout::contiguous(shape, dtype.size())?;
        let space = Space { low: 0, len: layout.numel() * dtype.size() };
        Ok((SumBlock { space, dtype }, Window { offset: 0, layout }))
    }

    fn len(&self) -> usize {
        self.space.len.div_ceil(self.dtype.size().max(1))
    }

    fn offset(&self, window: &Window) -> isize {
        window.offset as isize - self.space.low as isize
    }
}

impl Sum {
    pub(super) fn is_nothing(&self) -> bool {
        matches!(self, Sum::Nothing)
    }

    /// The elements, made from whatever there is.
    pub(super) fn dense(&mut self, block: SumBlock) -> Result<&mut Tensor> {
        if !matches!(self, Sum::Dense(_)) {
            let zeros = Tensor::zeroed(&[block.len()], block.dtype)?;
            if let Sum::Sparse(sparse, window) = std::mem::replace(self, Sum::Dense(zeros)) {
                self.add(block, &window, Contribution::Dense(sparse.to_dense()?))?;
            }
        }
        match self {
            Sum::Dense(t) => Ok(t),
            _ => Err(refused(Op::Backward, "a gradient of no kind")),
        }
    }

    /// Adds the gradient of a tensor in the block.
    pub(super) fn add(&mut self, block: SumBlock, window: &Window, part: Contribution) -> Result<()> {
        let part = match (part, &mut *self) {
            (Contribution::Nothing | Contribution::Same, _) => return Ok(()),
            (Contribution::Sparse(s), Sum::Nothing) => {
                *self = Sum::Sparse(Box::new(s.to(block.dtype)?), window.clone());
                return Ok(());
            }
            (Contribution::Sparse(s), Sum::Sparse(sum, at)) if at == window => {
                **sum = sum.add(&s.to(block.dtype)?)?;
                return Ok(());
            }
            (Contribution::Sparse(s), _) => s.to_dense()?,
            (Contribution::Dense(t), _) => t,
        };
        let mut part = part.to(block.dtype)?;
        let whole = window.layout.is_contiguous(block.dtype.size())
            && window.offset == block.space.low
            && part.numel() * block.dtype.size() == block.space.len
            && part.is_contiguous();
        if whole && matches!(self, Sum::Nothing) {
            let flat = Layout::contiguous(&[part.numel()], block.dtype.size())?;
            // Nobody else's elements: what is added later would change them too.
            if !tracked(&[&part]) && part.unique().is_none() {
                let copy = ops::copy(&part.read_any()?.view())?;
                part = copy;
            }
            *self = Sum::Dense(part.arranged(0, flat));
            return Ok(());
        }
        if part.numel() == 0 && !tracked(&[&part]) {
            return Ok(());
        }
        if !self.is_nothing()
            && let Some(places) = unrepeated(&window.layout)?
        {
            let (own, whole) = SumBlock::filled_by(places.shape(), block.dtype)?;
            let repeated = whole.layout.broadcast_to(Op::Backward, window.layout.shape())?;
            let mut sum = Sum::Nothing;
            sum.add(own, &Window { offset: 0, layout: repeated }, Contribution::Dense(part))?;
            let part = Contribution::Dense(sum.seen(own, &whole)?);
            return self.add(block, &Window { offset: window.offset, layout: places }, part);
        }
        change(self.dense(block)?, &part, Change { stores: false, by: block.offset(window), layout: &window.layout })
    }

    /// The gradient of a tensor in the block.
    pub(super) fn seen(&mut self, block: SumBlock, window: &Window) -> Result<Tensor> {
        Ok(self.dense(block)?.arranged(block.offset(window), window.layout.clone()))
    }

    /// The gradient of a tensor in the block, as coordinates and values if it came so.
    pub(super) fn gradient(&mut self, block: SumBlock, window: &Window) -> Result<Gradient> {
        match self {
            Sum::Sparse(sparse, at) if at == window => Ok(Gradient::Sparse(sparse.clone())),
            _ => Ok(Gradient::Dense(self.seen(block, window)?)),
        }
    }

    /// Puts another gradient in the place of a tensor's.
    pub(super) fn replace(&mut self, block: SumBlock, window: &Window, mine: &Tensor) -> Result<()> {
        if mine.numel() == 0 && !tracked(&[mine]) {
            return Ok(());
        }
        change(self.dense(block)?, mine, Change { stores: true, by: block.offset(window), layout: &window.layout })
    }
}

/// The layout with each repeated axis once, if there is one: what a place receives again and again is added up before it is
/// added to what came from elsewhere, as PyTorch rounds it.
fn unrepeated(layout: &Layout) -> Result<Option<Layout>> {
    let axis = |k: usize| (layout.shape()[k], layout.strides()[k]);
    if !(0..layout.rank()).any(|k| matches!(axis(k), (2.., 0))) {
        return Ok(None);
    }
    Layout::from_axes(layout.rank(), |k| if axis(k).1 == 0 { (1, 0) } else { axis(k) }).map(Some)
}

/// A change of some elements of a gradient.
#[derive(Clone, Copy)]
struct Change<'l> {
    /// Whether they are replaced, or added to.
    stores: bool,
    by: isize,
    layout: &'l Layout,
}

impl Change<'_> {
    fn make(self, flat: &mut AnyViewMut, part: &AnyView) -> Result<()> {
        match self.stores {
            _ if part.numel() == 0 => Ok(()),
            true => ops::copy_into(part, &mut flat.reborrow().rearranged(self.by, self.layout.clone())),
            false => ops::add_at(part, flat, self.by, self.layout),
        }
    }
}

/// Changes elements of `flat`: where they lie if nobody else holds it, and in a copy if somebody does or the change has
/// to be recorded.
fn change(flat: &mut Tensor, part: &Tensor, change: Change) -> Result<()> {
    let on_tape = tracked(&[flat, part]);
    let before = match on_tape || flat.unique().is_none() {
        true => {
            let copy = ops::copy(&flat.read_any()?.view())?;
            Some(std::mem::replace(flat, copy))
        }
        false => None,
    };
    match flat.unique() {
        Some(mut view) => change.make(&mut view, &part.read_any()?.view())?,
        None => return Err(refused(Op::Backward, "a gradient in the making is in use")),
    }
    if let Some(before) = before.filter(|_| on_tape) {
        let (stores, by, layout, len) = (change.stores, change.by, change.layout.clone(), flat.numel());
        let name = if stores { NodeOp::ViewWrite } else { NodeOp::Add };
        let run: Backward = Box::new(move |g, _| {
            let (there, back) = (layout.clone(), layout.clone());
            let clear = {
                let layout = layout.clone();
                move |g: &AnyView| {
                    let zeros = Tensor::zeroed(layout.shape(), g.dtype())?;
                    let change = Change { stores: true, by, layout: &layout };
                    ops::copied(g, |out| change.make(out, &zeros.read_any()?.view()))
                }
            };
            let rest =
                if stores { Contribution::Dense(mapped(g, name, clear.clone(), clear)?) } else { Contribution::Same };
            let read = move |g: &AnyView| match there.numel() {
                0 => Tensor::zeroed(there.shape(), g.dtype()),
                _ => ops::copy(&g.rearranged(by, there.clone())),
            };
            let put = move |g: &AnyView| {
                fresh(&[len], g.dtype(), |out| Change { stores: false, by, layout: &back }.make(out, g))
            };
            Ok(vec![rest, Contribution::Dense(mapped(g, name, read, put)?)])
        });
        recorded(flat, name, vec![target(Some(&before)), target(Some(part))], false, run);
    }
    Ok(())
}
