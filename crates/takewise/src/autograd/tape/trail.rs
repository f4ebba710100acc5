//! The graph as its users see it.

use super::node::{Edge, Node, NodeKind, Target};
use crate::memory::State;
use crate::node_op::NodeOp;
use crate::tensor::{Tensor, Trail, Via};
use std::sync::Arc;

impl Tensor {
    /// The operation this tensor came from, which gradients flow back through; `None` for leaves and tensors that do not
    /// require a gradient: torch's `grad_fn`.
    pub fn grad_fn(&self) -> Option<GradFn> {
        let node = self.node()?;
        let view = match &self.via {
            Via::Base if node.is_leaf() => return None,
            Via::Base => Step::Made,
            Via::View | Via::Quiet(_) => Step::Again,
            Via::Traced(trail) => Step::of(trail, &node),
        };
        Some(GradFn { node, view })
    }
}

/// The last step to a tensor.
#[derive(Clone)]
enum Step {
    /// The operation that made or changed its storage.
    Made,
    /// A view taken of the storage as it is now.
    View(Arc<Trail>),
    /// A view that is older than what the storage holds.
    Again,
}

impl Step {
    fn of(trail: &Arc<Trail>, node: &Node) -> Step {
        if trail.at == node.number { Step::View(trail.clone()) } else { Step::Again }
    }
}

/// An operation on the way back: it says what it is, and leads to the operations its operands came from.
///
/// Views are operations here, though a gradient passes through them for free. Two are equal if they are the same.
///
/// ```
/// use takewise::{Rules, Tensor, grad::NodeOp};
/// let mut w = Tensor::from_slice(&[1.0f32, 2.0, 3.0], &[3])?;
/// w.requires_grad_(true)?;
/// let y = w.narrow(0, 1, 2)?.gather(0, &Tensor::from_slice(&[1i64], &[1])?, &Rules::NEUTRAL)?;
/// let f = y.grad_fn().unwrap();
/// let before = f.next_functions()[0].clone().unwrap();
/// assert_eq!((f.op(), before.op()), (NodeOp::Gather, NodeOp::Slice));
/// assert_eq!(before.next_functions()[0].clone().unwrap().op(), NodeOp::Leaf);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone)]
pub struct GradFn {
    node: Arc<Node>,
    view: Step,
}

impl GradFn {
    /// What it is: the operation its storage came from, a view, or a leaf.
    pub fn op(&self) -> NodeOp {
        match &self.view {
            Step::Made if self.node.is_leaf() => NodeOp::Leaf,
            Step::Made => self.node.op,
            Step::View(trail) => trail.name,
            Step::Again => Trail::AGAIN,
        }
    }

    /// Where gradients go from here: an item for every operand that could have one, `None` where it does not require one.
    pub fn next_functions(&self) -> Vec<Option<GradFn>> {
        let node = &self.node;
        let at = |node: &Arc<Node>, trail: Option<&Arc<Trail>>| GradFn {
            node: node.clone(),
            view: trail.map_or(Step::Made, |trail| Step::of(trail, node)),
        };
        match (&self.view, &node.kind) {
            (Step::View(trail), _) => vec![Some(at(node, trail.of.as_ref()))],
            (Step::Again, _) => vec![Some(at(node, None))],
            (Step::Made, NodeKind::Leaf { .. }) => vec![],
            (Step::Made, NodeKind::Op { targets, .. }) => {
                let next = |target: &Target| match target {
                    Target::Edge(Edge { node, trail, .. }) => Some(at(node, trail.as_ref())),
                    Target::Before(Some(node)) => Some(at(node, None)),
                    Target::Nothing | Target::Before(None) => None,
                };
                targets.iter().map(next).collect()
            }
        }
    }

    /// A number that equal ones share, for hashing.
    pub fn id(&self) -> u64 {
        let view = match &self.view {
            Step::View(trail) => Arc::as_ptr(trail).addr() as u64,
            Step::Made => 0,
            Step::Again => 1,
        };
        self.node.number ^ view.rotate_left(32)
    }
}

impl PartialEq for GradFn {
    fn eq(&self, other: &GradFn) -> bool {
        let same = match (&self.view, &other.view) {
            (Step::View(a), Step::View(b)) => Arc::ptr_eq(a, b),
            (Step::Made, Step::Made) | (Step::Again, Step::Again) => true,
            _ => false,
        };
        same && Arc::ptr_eq(&self.node, &other.node)
    }
}

impl Eq for GradFn {}

impl std::fmt::Debug for GradFn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "<{:?}>", self.op())
    }
}
