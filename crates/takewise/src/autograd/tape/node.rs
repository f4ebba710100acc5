//! Nodes, and the blocks of bytes their gradients mirror.

use super::gradient::Gradient;
use crate::autograd::SparseCoo;
use crate::dtype::DType;
use crate::error::Result;
use crate::fork::{Lock, Locked};
use crate::layout::Layout;
use crate::memory::{Space, State};
use crate::node_op::NodeOp;
use crate::tensor::{Tensor, Trail};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where a tensor lies in its storage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Window {
    pub(crate) offset: usize,
    pub(crate) layout: Layout,
}

impl Window {
    pub(crate) fn of(t: &Tensor) -> Window {
        Window { offset: t.offset(), layout: t.layout().clone() }
    }
}

/// The state of a storage after one operation, or a leaf.
pub(crate) struct Node {
    /// Nodes point to smaller numbers only.
    pub(crate) number: u64,
    pub(crate) op: NodeOp,
    pub(crate) space: Space,
    pub(crate) dtype: DType,
    pub(crate) kind: NodeKind,
    /// Tensors of this state whose gradients are kept though they are no leaves.
    kept: Lock<Vec<Retained>>,
}

/// A tensor that is no leaf and keeps its gradient.
#[derive(Clone)]
pub(crate) struct Retained {
    pub(crate) window: Window,
    pub(crate) trail: Option<Arc<Trail>>,
    pub(crate) grad: Option<Gradient>,
}

impl Retained {
    fn is(&self, window: &Window, trail: Option<&Arc<Trail>>) -> bool {
        let same = match (&self.trail, trail) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        same && self.window == *window
    }
}

pub(crate) enum NodeKind {
    Leaf { window: Window, grad: Lock<Option<Gradient>> },
    Op { window: Window, targets: Vec<Target>, saves: bool, run: Lock<Option<Backward>> },
}

/// Where the gradient of one operand goes.
pub(crate) enum Target {
    /// Nowhere.
    Nothing,
    /// To the state of the same storage before the operation wrote into it (`None`: it had no history).
    Before(Option<Arc<Node>>),
    /// To a part of another storage.
    Edge(Edge),
}

#[derive(Clone)]
pub(crate) struct Edge {
    pub(crate) node: Arc<Node>,
    pub(crate) window: Window,
    pub(crate) trail: Option<Arc<Trail>>,
}

impl Edge {
    /// To a tensor, if it requires a gradient.
    pub(crate) fn to(t: &Tensor) -> Option<Edge> {
        Some(Edge { node: t.node()?, window: Window::of(t), trail: t.via.trail().cloned() })
    }
}

impl Target {
    pub(crate) fn is_wanted(&self) -> bool {
        matches!(self, Target::Edge(_) | Target::Before(Some(_)))
    }

    pub(crate) fn node(&self) -> Option<&Arc<Node>> {
        match self {
            Target::Edge(edge) => Some(&edge.node),
            Target::Before(node) => node.as_ref(),
            Target::Nothing => None,
        }
    }
}

/// The gradient of one operand.
pub(crate) enum Contribution {
    Nothing,
    /// The gradient of the result, unchanged.
    Same,
    Dense(Tensor),
    Sparse(Box<SparseCoo>),
}

impl From<Gradient> for Contribution {
    fn from(g: Gradient) -> Contribution {
        match g {
            Gradient::Dense(t) => Contribution::Dense(t),
            Gradient::Sparse(s) => Contribution::Sparse(s),
        }
    }
}

/// Where an operation stands in the graph.
pub(crate) struct GraphPlace<'n> {
    pub(crate) window: &'n Window,
    pub(crate) targets: &'n [Target],
}

impl GraphPlace<'_> {
    /// Whether the gradient of that operand is asked for.
    pub(crate) fn wants(&self, operand: usize) -> bool {
        self.targets.get(operand).is_some_and(Target::is_wanted)
    }

    /// The way to that operand as it was before the operation.
    pub(crate) fn edge(&self, operand: usize) -> Option<Edge> {
        match self.targets.get(operand)? {
            Target::Edge(edge) => Some(edge.clone()),
            Target::Before(Some(node)) => Some(Edge { node: node.clone(), window: self.window.clone(), trail: None }),
            _ => None,
        }
    }
}

/// From the gradient of the result those of the operands, in the order of the targets. What it computes by recorded
/// operations can be differentiated again.
pub(crate) type Backward = Box<dyn Fn(&Tensor, &GraphPlace) -> Result<Vec<Contribution>> + Send>;

impl NodeKind {
    pub(crate) fn leaf(window: Window) -> NodeKind {
        NodeKind::Leaf { window, grad: Lock::new(None) }
    }
}

impl Node {
    pub(crate) fn new(op: NodeOp, space: Space, dtype: DType, kind: NodeKind) -> Arc<Node> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Arc::new(Node { number, op, space, dtype, kind, kept: Lock::default() })
    }

    pub(crate) fn grad(&self) -> Option<Gradient> {
        match &self.kind {
            NodeKind::Leaf { grad, .. } => grad.copy(),
            NodeKind::Op { .. } => None,
        }
    }

    pub(crate) fn set_grad(&self, value: Option<Gradient>) {
        if let NodeKind::Leaf { grad, .. } = &self.kind {
            let _before = std::mem::replace(&mut *grad.lock(), value);
        }
    }

    /// What is kept of tensors of this state.
    pub(crate) fn kept(&self) -> Locked<'_, Vec<Retained>> {
        self.kept.lock()
    }

    /// What is kept of one tensor: `change` it, if anything.
    pub(crate) fn kept_of<R>(
        &self,
        window: &Window,
        trail: Option<&Arc<Trail>>,
        change: impl FnOnce(&mut Retained) -> R,
    ) -> Option<R> {
        self.kept().iter_mut().find(|r| r.is(window, trail)).map(change)
    }

    /// The nodes this one points to, taken out.
    fn take(&mut self, into: &mut Vec<Arc<Node>>) {
        if let NodeKind::Op { targets, .. } = &mut self.kind {
            into.extend(targets.drain(..).filter_map(|t| match t {
                Target::Edge(e) => Some(e.node),
                Target::Before(node) => node,
                Target::Nothing => None,
            }));
        }
    }
}

impl State for Node {
    fn number(&self) -> u64 {
        self.number
    }

    fn dtype(&self) -> DType {
        self.dtype
    }

    fn is_leaf(&self) -> bool {
        matches!(self.kind, NodeKind::Leaf { .. })
    }
}

/// Runs `f` on what a node runs; nothing once it was released.
pub(super) fn with_run<R>(run: &Lock<Option<Backward>>, release: bool, f: impl FnOnce(&Backward) -> R) -> Option<R> {
    let taken = {
        let mut open = run.lock();
        open.take()?
    };
    let result = f(&taken);
    if !release {
        *run.lock() = Some(taken);
    }
    Some(result)
}

/// Long chains are taken apart one by one: dropping them as they hang together would use the stack up.
impl Drop for Node {
    fn drop(&mut self) {
        let mut rest = Vec::new();
        self.take(&mut rest);
        while let Some(node) = rest.pop() {
            if let Some(mut node) = Arc::into_inner(node) {
                node.take(&mut rest);
            }
        }
    }
}
