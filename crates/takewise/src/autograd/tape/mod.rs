//! The tape: what was computed from tensors that require gradients, so that [`Tensor::backward`] can walk it back.
//!
//! History belongs to *storage*, not to tensors. Views of one storage share one [`History`], and a gradient of the
//! storage has the storage's own geometry, so a view needs no node: its gradient is the same window of another block
//! of bytes. An operation with a fresh result starts that storage's history; a write in place appends to it, whichever
//! view it went through. `detach` gives a tensor a history of its own over the same bytes.
//!
//! Nodes are numbered as they are made and point only to older ones. Where nothing requires a gradient the cost is one
//! load for each operand.

mod arithmetic;
mod backward;
mod linear;
mod node;
mod record;
mod saved;
mod sum;
mod trail;

pub use crate::node_op::NodeOp;
pub(crate) use arithmetic::{conj, div, mul, neg};
pub use backward::{Graph, backward, grad};
pub(crate) use linear::{Linear, Map, mapped};
pub(crate) use node::{History, Part, Run};
use node::{Node, Retained, Space, Window};
pub use record::Written;
pub(crate) use record::{Store, read, read_as, recorded, stored, target, tracked, write, write_as};
pub(crate) use saved::Saved;
pub use sum::Gradient;
pub use trail::GradFn;
pub(crate) use trail::Via;

use crate::error::{ArgumentRule, Error, Fault, GradientRule, Result};
use crate::op::Op;
use crate::tensor::Tensor;
use node::Kind;
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
/// assert!(w.index_set_(&takewise::ix![0], 5, &takewise_dialects::rules::TORCH.set).is_err());
/// grad::no_grad(|| w.index_set_(&takewise::ix![0], 5, &takewise_dialects::rules::TORCH.set))?;
/// assert_eq!(w.to_vec::<f32>()?, [5.0, 2.0]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn no_grad<R>(f: impl FnOnce() -> R) -> R {
    struct Back(bool);
    impl Drop for Back {
        fn drop(&mut self) {
            set_grad_enabled(self.0);
        }
    }
    let _back = Back(set_grad_enabled(false));
    f()
}

/// An error of differentiation; torch's class for all of them is RuntimeError.
#[cold]
pub(crate) fn refused(op: Op, text: impl Into<String>) -> Error {
    Error::plain(Fault::text(op, ArgumentRule::Gradient, text.into()))
}

impl Tensor {
    /// The history of this tensor's storage, if it has one.
    fn history(&self) -> Option<&Arc<History>> {
        self.own.as_ref().or_else(|| self.storage().history()?.get())
    }

    /// The latest node of the history; nothing for bytes seen as another dtype.
    pub(crate) fn node(&self) -> Option<Arc<Node>> {
        let node = self.history()?.node()?;
        (node.dtype == self.dtype()).then_some(node)
    }

    /// Whether gradients flow back through this tensor. Free.
    pub fn requires_grad(&self) -> bool {
        self.history().is_some() && self.node().is_some()
    }

    /// Makes this tensor a leaf whose gradient [`Tensor::backward`] collects, or (with `false`) no longer one.
    ///
    /// Clones made afterwards are the same leaf; those made before, and other views of the storage, do not take part.
    /// Errors, kind `Argument`: a dtype that is neither float nor complex; `false` for a computed tensor; coordinates
    /// that share memory (copy the tensor first).
    ///
    /// ```
    /// use takewise::Tensor;
    /// let mut w = Tensor::from_slice(&[1.0f32, 2.0], &[2])?;
    /// w.requires_grad_(true)?;
    /// w.sum(None, false, None)?.backward(None, false)?;
    /// assert_eq!(w.grad().unwrap().to_dense()?.to_vec::<f32>()?, [1.0, 1.0]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn requires_grad_(&mut self, requires: bool) -> Result<()> {
        let op = Op::RequiresGrad;
        match (self.node(), requires) {
            (Some(_), true) | (None, false) => return Ok(()),
            (Some(_), false) if !self.is_leaf() => {
                let text = "you can only change requires_grad flags of leaf variables. If you want to use a computed \
                            variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().";
                return Err(refused(op, text));
            }
            _ => {}
        }
        if requires && !(self.dtype().is_float() || self.dtype().is_complex()) {
            return Err(refused(op, "only Tensors of floating point dtype can require gradients"));
        }
        if requires && crate::layout::meets_itself(self.layout(), self.dtype().size()) {
            let text = "coordinates of this tensor share memory, so they cannot have gradients of their own; copy it";
            return Err(refused(op, text));
        }
        let space = Space::of(self);
        let leaf = requires.then(|| Node::new(NodeOp::Leaf, space, self.dtype(), Kind::leaf(Window::of(self))));
        self.own = Some(Arc::new(History::new(space, leaf)));
        self.via = Via::Base;
        Ok(())
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
        self.node().is_none_or(|n| n.is_leaf() && !self.via.is_view())
    }

    /// The gradient collected so far in this leaf, or by a tensor that [`Tensor::retain_grad`] was called on; nothing for
    /// other tensors. Free; it is shared, not copied.
    pub fn grad(&self) -> Option<Gradient> {
        let node = self.node()?;
        if self.is_leaf() {
            return node.grad();
        }
        node.kept_of(&Window::of(self), self.via.trail(), |kept| kept.grad.clone())?
    }

    /// Keeps the gradient of this computed tensor too when [`Tensor::backward`] comes past: [`Tensor::grad`] gives it. For
    /// leaves nothing changes. Source: torch.Tensor.retain_grad.
    ///
    /// A view keeps what flows through it and views of it. Errors, kind `Argument`: a tensor that does not require a
    /// gradient; a view older than the storage's history, which does not know what went through it.
    ///
    /// ```
    /// use takewise::Tensor;
    /// let mut w = Tensor::from_slice(&[1.0f32, 2.0], &[2])?;
    /// w.requires_grad_(true)?;
    /// let y = w.clone_data()?;
    /// y.retain_grad()?;
    /// y.select(0, 1)?.backward(None, false)?;
    /// assert_eq!(y.grad().unwrap().to_dense()?.to_vec::<f32>()?, [0.0, 1.0]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn retain_grad(&self) -> Result<()> {
        let Some(node) = self.node() else {
            return Err(refused(Op::RetainGrad, "can't retain_grad on Tensor that has requires_grad=False"));
        };
        if !self.is_leaf() && !self.retains_grad() {
            self.check_traced(Op::RetainGrad)?;
            let (window, trail) = (Window::of(self), self.via.trail().cloned());
            node.kept().push(Retained { window, trail, grad: None });
        }
        Ok(())
    }

    /// Whether [`Tensor::retain_grad`] holds for this computed tensor.
    pub fn retains_grad(&self) -> bool {
        let kept = |node: Arc<Node>| node.kept_of(&Window::of(self), self.via.trail(), |_| ());
        !self.is_leaf() && self.node().and_then(kept).is_some()
    }

    /// Fails for a view of which it is not known what is computed from it.
    fn check_traced(&self, op: Op) -> Result<()> {
        if !matches!(self.via, Via::View | Via::Quiet(_)) {
            return Ok(());
        }
        let text = "this view was taken before what it views required a gradient, so what flows through it is not told \
                    apart; take it again";
        Err(refused(op, text))
    }

    /// Replaces the gradient of this leaf: `None` before the next step, as torch's `w.grad = None`.
    ///
    /// Errors, kind `Argument`: not a leaf; a gradient of another shape or dtype.
    pub fn set_grad(&self, grad: Option<Gradient>) -> Result<()> {
        let op = Op::SetGrad;
        let Some(node) = self.node().filter(|_| self.is_leaf()) else {
            return Err(refused(op, "only a leaf that requires a gradient has one to set"));
        };
        if let Some(g) = &grad
            && (g.shape() != self.shape() || g.dtype() != self.dtype())
        {
            let text =
                format!("assigned grad has data of a different size or type: {:?}, {}", g.shape(), g.dtype().name());
            return Err(refused(op, text));
        }
        node.set_grad(grad);
        Ok(())
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
        if !self.node().is_some_and(|n| n.is_leaf()) {
            return Ok(());
        }
        let what = if self.via.is_view() { "a view of a leaf" } else { "a leaf" };
        Err(refused(Op::Write, format!("{what} Variable that requires grad is being used in an in-place operation.")))
    }
}
