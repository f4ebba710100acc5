//! The tape: what was computed from tensors that require gradients, so that [`Tensor::backward`] can walk it back.
//!
//! History belongs to *storage*, not to tensors. Views of one storage share one [`History`], and a gradient of the
//! storage has the storage's own geometry, so a view needs no node: its gradient is the same window of another block
//! of bytes. An operation with a fresh result starts that storage's history; a write in place appends to it, whichever
//! view it went through. `detach` gives a tensor a history of its own over the same bytes.
//!
//! Nodes are numbered as they are made and point only to older ones. Where nothing requires a gradient the cost is one
//! load for each operand.

mod append;
mod arithmetic;
mod backward;
mod gradient;
mod linear;
mod node;
mod record;
mod saved;
mod sum;
mod trail;

pub use crate::node_op::NodeOp;
pub(crate) use append::{recorded, target, tracked};
pub(crate) use arithmetic::{conj, div, mul, neg};
pub use backward::{Graph, backward, grad};
pub use gradient::Gradient;
pub(crate) use linear::{LinearMap, Map, mapped};
pub(crate) use node::{Backward, Contribution};
use node::{Node, Retained, Window};
pub use record::Written;
pub(crate) use record::{RecordedWrite, read, read_as, stored, write, write_as};
pub(crate) use saved::Saved;
pub use trail::GradFn;

pub(crate) use crate::tensor::refused;
pub use crate::tensor::{is_grad_enabled, no_grad, set_grad_enabled};

use crate::error::Result;
use crate::memory::{History, Space, State};
use crate::op::Op;
use crate::tensor::{Tensor, Via};
use node::NodeKind;
use std::any::Any;
use std::sync::Arc;

impl Tensor {
    /// The latest node of the history; nothing for bytes seen as another dtype.
    pub(crate) fn node(&self) -> Option<Arc<Node>> {
        let state: Arc<dyn Any + Send + Sync> = self.state()?;
        state.downcast().ok()
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
        let leaf = requires.then(|| Node::new(NodeOp::Leaf, space, self.dtype(), NodeKind::leaf(Window::of(self))));
        self.own = Some(Arc::new(History::new(space, leaf.map(|node| node as Arc<dyn State>))));
        self.via = Via::Base;
        Ok(())
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

    /// Puts what [`Tensor::grad`] gave back in its place: for who walks back to look, and leaves no trace.
    pub(crate) fn put_back(&self, grad: Option<Gradient>) {
        let Some(node) = self.node() else { return };
        if self.is_leaf() {
            node.set_grad(grad);
        } else {
            node.kept_of(&Window::of(self), self.via.trail(), |kept| kept.grad = grad);
        }
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
}
