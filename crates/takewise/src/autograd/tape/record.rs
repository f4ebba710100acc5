//! Putting operations on the tape.

use super::append::{differentiable, recorded, target, tracked};
use super::linear::{LinearMap, Map, with_saved};
use super::node::{Backward, Contribution, Target};
use super::saved::Saved;
use crate::error::Result;
use crate::node_op::NodeOp;
use crate::op::Op;
use crate::ops::{self, sum_to};
use crate::tensor::Tensor;
use crate::view::AnyView;
use std::sync::Arc;

/// What an operation that writes wrote into.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::internal::record::Written;
/// let x = tensor!([1, 2]);
/// assert!(matches!(Written::InPlace(&x), Written::InPlace(_)));
/// ```
#[derive(Clone, Copy)]
pub enum Written<'t> {
    /// A copy of a tensor, which may have been broadcast.
    Copy {
        /// The copy, changed.
        out: &'t Tensor,
        /// The tensor copied.
        of: &'t Tensor,
    },
    /// The tensor itself.
    InPlace(&'t Tensor),
}

impl<'t> Written<'t> {
    /// The tensor written into or copied.
    pub(crate) fn of(self) -> &'t Tensor {
        match self {
            Written::Copy { of, .. } => of,
            Written::InPlace(t) => t,
        }
    }
}

fn saved(operands: &[&Tensor]) -> Arc<[Saved]> {
    operands.iter().map(|t| Saved::new(t)).collect()
}

/// Records a fresh result that is linear in `input`: `back(shape of input, g, saved)` is the input's gradient, and `forth`
/// the operation. `names` are those of the operation and of its gradient.
pub(crate) fn read(
    out: &Tensor,
    input: &Tensor,
    names: [NodeOp; 2],
    operands: &[&Tensor],
    back: impl Fn(&[usize], &AnyView, &[AnyView]) -> Result<Tensor> + Send + Sync + 'static,
    forth: impl Fn(&AnyView, &[AnyView]) -> Result<Tensor> + Send + Sync + 'static,
) {
    if !tracked(&[input]) {
        return;
    }
    let shape = input.shape().to_vec();
    let back: Map = Box::new(move |g, saved| back(&shape, g, saved));
    let linear =
        Arc::new(LinearMap { names: [names[1], names[0]], saved: saved(operands), back, forth: Box::new(forth) });
    let saves = !operands.is_empty();
    let run: Backward = Box::new(move |g, _| Ok(vec![Contribution::Dense(linear.back(g)?)]));
    recorded(out, names[0], vec![target(Some(input))], saves, run);
}

/// Records a fresh result read from `input`, whose gradient comes as `part(shape of input, g, saved)` makes it.
pub(crate) fn read_as(
    out: &Tensor,
    input: &Tensor,
    name: NodeOp,
    operands: &[&Tensor],
    part: impl Fn(&[usize], &Tensor, &[AnyView]) -> Result<Contribution> + Send + 'static,
) {
    if !tracked(&[input]) {
        return;
    }
    let (shape, kept) = (input.shape().to_vec(), saved(operands));
    let run: Backward = Box::new(move |g, _| with_saved(&kept, |saved| Ok(vec![part(&shape, g, saved)?])));
    recorded(out, name, vec![target(Some(input))], !operands.is_empty(), run);
}

/// A write to be recorded.
pub(crate) struct RecordedWrite<'t> {
    pub(crate) to: Written<'t>,
    /// What is stored, unless that is a number.
    pub(crate) source: Option<&'t Tensor>,
    /// Names of the operation, and of the gradients of what it wrote into and of the source.
    pub(crate) names: [NodeOp; 3],
    pub(crate) saved: &'t [&'t Tensor],
}

impl RecordedWrite<'_> {
    /// Whether it has to be recorded.
    pub(crate) fn is_tracked(&self) -> bool {
        stored(self.to, self.source)
    }
}

/// Whether a write of a source is recorded.
pub(crate) fn stored(to: Written, source: Option<&Tensor>) -> bool {
    tracked(&[to.of()]) || source.is_some_and(|s| tracked(&[s]))
}

/// Records a write that is linear in what it wrote into and in its source.
///
/// `own(g, saved)` is the gradient of what was written into, `None` if that is `g` itself; it is its own transpose.
/// `theirs(shape of source, g, saved)` is the source's, and `put(shape of result, source, saved)` what the operation makes
/// of zeros.
pub(crate) fn write(
    store: RecordedWrite,
    own: Option<Map>,
    theirs: impl Fn(&[usize], &AnyView, &[AnyView]) -> Result<Tensor> + Send + Sync + 'static,
    put: impl Fn(&[usize], &AnyView, &[AnyView]) -> Result<Tensor> + Send + Sync + 'static,
) {
    if !store.is_tracked() {
        return;
    }
    let (out, of) = match store.to {
        Written::Copy { out, of } => (out, of),
        Written::InPlace(t) => (t, t),
    };
    let (kept, [name, own_name, their_name]) = (saved(store.saved), store.names);
    let (shape, whole) = (of.shape().to_vec(), out.shape().to_vec());
    let linear = |name, back, forth| Arc::new(LinearMap { names: [name; 2], saved: kept.clone(), back, forth });
    let own = if own.is_none() && shape == whole {
        None
    } else {
        let own = Arc::new(own);
        let through = move |g: &AnyView, saved: &[AnyView]| match &*own {
            Some(own) => own(g, saved),
            None => ops::copy(g),
        };
        let back = through.clone();
        let back: Map = Box::new(move |g, saved| sum_to(back(g, saved)?, &shape));
        let forth = {
            let whole = whole.clone();
            Box::new(move |g: &AnyView, saved: &[AnyView]| {
                through(&g.rearranged(0, g.layout().broadcast_to(Op::BroadcastTo, &whole)?), saved)
            })
        };
        Some(linear(own_name, back, forth))
    };
    let source = store.source.filter(|s| differentiable(s));
    let theirs = source.map(|s| {
        let from = s.shape().to_vec();
        let back: Map = Box::new(move |g, saved| theirs(&from, g, saved));
        linear(their_name, back, Box::new(move |g: &AnyView, saved: &[AnyView]| put(&whole, g, saved)))
    });
    let run: Backward = Box::new(move |g, place| {
        let mine = match &own {
            _ if !place.wants(0) => Contribution::Nothing,
            None => Contribution::Same,
            Some(own) => Contribution::Dense(own.back(g)?),
        };
        let theirs = match &theirs {
            Some(theirs) if place.wants(1) => Contribution::Dense(theirs.back(g)?),
            _ => Contribution::Nothing,
        };
        Ok(vec![mine, theirs])
    });
    write_as(store, run, name);
}

/// Records a write whose gradients `run` gives: of what was written into, and of the source.
pub(crate) fn write_as(store: RecordedWrite, run: Backward, name: NodeOp) {
    // A number is no operand.
    let source = store.source.map(|s| if differentiable(s) { target(Some(s)) } else { Target::Nothing });
    let targets = |own| std::iter::once(own).chain(source).collect();
    let saves = !store.saved.is_empty();
    match store.to {
        Written::Copy { out, of } => recorded(out, name, targets(target(Some(of))), saves, run),
        Written::InPlace(t) => {
            // torch replays a write into a view on its base.
            let (before, name) = (t.node(), if t.via.is_view() { NodeOp::ViewWrite } else { name });
            // Whoever keeps the gradient of this tensor means the tensor as it is from now on.
            let kept = before.as_ref().map(|node| std::mem::take(&mut *node.kept()));
            recorded(t, name, targets(Target::Before(before)), saves, run);
            if let (Some(kept), Some(node)) = (kept, t.node()) {
                node.kept().extend(kept);
            }
        }
    }
}
