//! What a tensor knows of its history: whether it has one, which view it is, and whether operations are recorded at all.

use super::Tensor;
use crate::error::{ArgumentRule, Error, Fault, GradientRule, Result};
use crate::guard::AtEnd;
use crate::memory::{History, Space, State};
use crate::node_op::NodeOp;
use crate::op::Op;
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    static OFF: Cell<bool> = const { Cell::new(false) };
}

/// Whether operations of this thread are recorded: torch's `is_grad_enabled`.
pub fn is_grad_enabled() -> bool {
    !OFF.get()
}

/// Sets whether operations of this thread are recorded from now on, and says whether they were.
pub fn set_grad_enabled(on: bool) -> bool {
    !OFF.replace(!on)
}

/// Runs `f` without recording: its results do not require gradients, and tensors that do may be changed in place.
///
/// ```
/// use takewise::{grad, Tensor};
/// let mut w = Tensor::from_slice(&[1.0f32, 2.0], &[2])?;
/// w.requires_grad_(true)?;
/// assert!(w.index_set_(&takewise::ix![0], 5, &takewise::Rules::NEUTRAL).is_err());
/// grad::no_grad(|| w.index_set_(&takewise::ix![0], 5, &takewise::Rules::NEUTRAL))?;
/// assert_eq!(w.to_vec::<f32>()?, [5.0, 2.0]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn no_grad<R>(f: impl FnOnce() -> R) -> R {
    let before = set_grad_enabled(false);
    let _back = AtEnd(|| _ = set_grad_enabled(before));
    f()
}

/// An error of differentiation; torch's class for all of them is RuntimeError.
#[cold]
pub(crate) fn refused(op: Op, text: impl Into<String>) -> Error {
    Error::plain(Fault::text(op, ArgumentRule::Gradient, text.into()))
}

/// How a tensor came to look at its storage.
#[derive(Clone)]
pub(crate) enum Via {
    /// It is what an operation made, or a leaf.
    Base,
    /// A view of what nothing was recorded of.
    View,
    /// A view of what requires gradients.
    Traced(Arc<Trail>),
    /// A view of what requires gradients, taken where nothing is recorded; or a view of one, by that name.
    Quiet(Option<NodeOp>),
}

impl Via {
    /// Whether both came in the same way.
    pub(super) fn is(&self, other: &Via) -> bool {
        match (self, other) {
            (Via::Base, Via::Base) | (Via::View, Via::View) => true,
            (Via::Traced(trail), Via::Traced(others)) => Arc::ptr_eq(trail, others),
            (Via::Quiet(name), Via::Quiet(others)) => name == others,
            _ => false,
        }
    }
}

/// One step from a tensor to a view of it.
pub(crate) struct Trail {
    pub(crate) name: NodeOp,
    /// The number of the storage's latest node then.
    pub(crate) at: u64,
    /// What was viewed, if that was a view.
    pub(crate) of: Option<Arc<Trail>>,
}

impl Trail {
    /// A view whose storage was written into since it was taken: it is taken again, by strides.
    pub(crate) const AGAIN: NodeOp = NodeOp::AsStrided;

    /// Whether `self` is `other` or a view of it.
    pub(crate) fn passes(self: &Arc<Trail>, other: &Arc<Trail>) -> bool {
        std::iter::successors(Some(self), |t| t.of.as_ref()).any(|t| Arc::ptr_eq(t, other))
    }
}

/// As with nodes: long chains are taken apart one by one.
impl Drop for Trail {
    fn drop(&mut self) {
        let mut rest = self.of.take();
        while let Some(mut trail) = rest.and_then(Arc::into_inner) {
            rest = trail.of.take();
        }
    }
}

impl Via {
    pub(crate) fn trail(&self) -> Option<&Arc<Trail>> {
        match self {
            Via::Traced(trail) => Some(trail),
            _ => None,
        }
    }

    pub(crate) fn is_view(&self) -> bool {
        !matches!(self, Via::Base)
    }
}

impl Space {
    /// The bytes a tensor reaches.
    pub(crate) fn of(t: &Tensor) -> Space {
        if t.numel() == 0 {
            return Space { low: t.offset(), len: 0 };
        }
        let (low, high) = t.layout().reach();
        Space { low: t.offset().saturating_add_signed(low), len: (high - low) as usize + t.dtype().size() }
    }
}

impl Tensor {
    /// The history of this tensor's storage, if it has one.
    pub(crate) fn history(&self) -> Option<&Arc<History>> {
        self.own.as_ref().or_else(|| self.storage().history()?.get())
    }

    /// The latest state of the history; nothing for bytes seen as another dtype.
    pub(crate) fn state(&self) -> Option<Arc<dyn State>> {
        let state = self.history()?.state()?;
        (state.dtype() == self.dtype).then_some(state)
    }

    /// Whether gradients flow back through this tensor. Free.
    pub fn requires_grad(&self) -> bool {
        self.history().is_some() && self.state().is_some()
    }

    /// The same elements, not taking part in the history. Free; writes show in both. Source: torch.Tensor.detach.
    pub fn detach(&self) -> Tensor {
        let mut out = self.clone();
        out.via = Via::Base;
        out.own = self.history().map(|_| Arc::new(History::new(Space::of(self), None)));
        out
    }

    /// Whether no operation stands between this tensor and its data: it requires no gradient, or
    /// [`Tensor::requires_grad_`] was called on it.
    pub fn is_leaf(&self) -> bool {
        self.state().is_none_or(|s| s.is_leaf() && !self.via.is_view())
    }

    /// What `view` of this tensor, taken by that operation, is to the tape.
    pub(crate) fn seen_via(&self, name: NodeOp, view: &Tensor) -> Via {
        if self.history().is_none() {
            return Via::View;
        }
        match (view.state(), self.state(), &self.via) {
            (Some(state), ..) => {
                let of = match &self.via {
                    Via::Base => None,
                    Via::Traced(trail) => Some(trail.clone()),
                    Via::View | Via::Quiet(_) => {
                        Some(Arc::new(Trail { name: Trail::AGAIN, at: state.number(), of: None }))
                    }
                };
                Via::Traced(Arc::new(Trail { name, at: state.number(), of }))
            }
            (None, None, Via::Quiet(_)) => Via::Quiet(Some(name)),
            (None, Some(_), _) => Via::Quiet(None),
            _ => Via::View,
        }
    }

    /// How often this tensor's storage was changed in place while something else held it too, such as a tensor saved
    /// for the way back: torch's `_version`.
    pub fn version(&self) -> u64 {
        self.storage().version()
    }

    /// Counts a change in place. Where nobody else holds the storage nobody saved it.
    pub(crate) fn count_change(&self) {
        self.storage().count_change();
    }

    /// Fails if elements would be changed that a history is about, without its knowing.
    pub(crate) fn check_by_hand(&self, op: Op) -> Result<()> {
        if self.history().is_none() || OFF.get() || !self.requires_grad() {
            return Ok(());
        }
        let text = "elements of a tensor that requires a gradient are written by hand under no_grad only, for nothing \
                    records what happens to them";
        Err(refused(op, text))
    }

    /// Fails if writing in place would change a leaf.
    pub(crate) fn check_in_place(&self) -> Result<()> {
        if self.history().is_none() || OFF.get() {
            return Ok(());
        }
        if let Via::Quiet(of) = self.via {
            return Err(Error::plain(Fault::Gradient { op: Op::Write, rule: GradientRule::QuietView { of } }));
        }
        if !self.state().is_some_and(|s| s.is_leaf()) {
            return Ok(());
        }
        let what = if self.via.is_view() { "a view of a leaf" } else { "a leaf" };
        Err(refused(Op::Write, format!("{what} Variable that requires grad is being used in an in-place operation.")))
    }
}
