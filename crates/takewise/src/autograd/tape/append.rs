//! A history gets one more node.

use super::is_grad_enabled;
use super::node::{Backward, Edge, Node, NodeKind, Target, Window};
use crate::memory::{History, Space};
use crate::node_op::NodeOp;
use crate::tensor::Tensor;
use std::sync::Arc;

/// Whether an operation on these operands is recorded.
pub(crate) fn tracked(operands: &[&Tensor]) -> bool {
    operands.iter().any(|t| t.history().is_some()) && is_grad_enabled() && operands.iter().any(|t| t.node().is_some())
}

/// Whether gradients of this dtype exist.
pub(super) fn differentiable(t: &Tensor) -> bool {
    t.dtype().is_float() || t.dtype().is_complex()
}

/// Where the gradient of an operand goes.
pub(crate) fn target(t: Option<&Tensor>) -> Target {
    t.and_then(Edge::to).map_or(Target::Nothing, Target::Edge)
}

/// Appends an operation whose result is `out` to the history of its storage.
pub(crate) fn recorded(out: &Tensor, name: NodeOp, targets: Vec<Target>, saves: bool, run: Backward) {
    if !differentiable(out) {
        return;
    }
    let history = match &out.own {
        Some(own) => own,
        None => match out.storage().history() {
            Some(history) => {
                history.get_or_make(|| Arc::new(History::new(Space { low: 0, len: out.storage().len() }, None)))
            }
            // Lent memory outlives what is known of it.
            None => return,
        },
    };
    let kind = NodeKind::Op { window: Window::of(out), targets, saves, run: crate::fork::Lock::new(Some(run)) };
    history.append(Node::new(name, history.space, out.dtype(), kind));
}
