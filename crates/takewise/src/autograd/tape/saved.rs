//! Operands kept for the way back, by reference: a version says whether they are still what they were.

use super::append::recorded;
use super::node::{Contribution, Edge, Target, Window};
use crate::error::{Error, Fault, GradientRule, Result};
use crate::layout::Dims;
use crate::memory::{History, Space, State};
use crate::node_op::NodeOp;
use crate::notes::{Location, Note, elements, note, watched};
use crate::op::Op;
use crate::tensor::{AnyRef, Tensor, Via};
use std::sync::Arc;

/// An operand as it was when the operation ran.
pub(crate) struct Saved {
    tensor: Tensor,
    version: u64,
}

impl Saved {
    pub(crate) fn new(t: &Tensor) -> Saved {
        let mut tensor = t.clone().settled();
        // The data alone: a history would keep what it came from alive, and might lead back here.
        tensor.own = None;
        tensor.via = Via::Base;
        Saved { tensor, version: t.version() }
    }

    /// The elements, if nobody changed them since.
    pub(crate) fn open(&self) -> Result<AnyRef<'_>> {
        self.check()?;
        let open = self.tensor.read_any()?;
        told(&open);
        Ok(open)
    }

    /// The operand itself, from which a gradient flows along `edge`. The history it had is not kept here, for chains of
    /// operations would then hold each other twice.
    pub(crate) fn again(&self, edge: Option<Edge>) -> Result<Tensor> {
        self.check()?;
        if watched()
            && let Ok(open) = self.tensor.read_any()
        {
            told(&open);
        }
        let mut tensor = self.tensor.detach();
        let Some(edge) = edge else { return Ok(tensor) };
        if edge.window == Window::of(&tensor) {
            tensor.own = Some(Arc::new(History::new(edge.node.space, Some(edge.node))));
            tensor.via = edge.trail.map_or(Via::Base, Via::Traced);
        } else {
            // A copy made before a write in place; it lies elsewhere.
            tensor.own = Some(Arc::new(History::new(Space::of(&tensor), None)));
            recorded(
                &tensor,
                NodeOp::Alias,
                vec![Target::Edge(edge)],
                false,
                Box::new(|_, _| Ok(vec![Contribution::Same])),
            );
        }
        Ok(tensor)
    }

    fn check(&self) -> Result<()> {
        let now = self.tensor.version();
        if now == self.version {
            return Ok(());
        }
        let rule = GradientRule::Changed {
            dtype: self.tensor.dtype(),
            shape: Dims::from_slice(self.tensor.shape()),
            from: self.tensor.node().filter(|n| !n.is_leaf()).map(|n| n.op),
            version: now,
            expected: self.version,
        };
        Err(Error::plain(Fault::Gradient { op: Op::Backward, rule }))
    }
}

/// Says to whoever watches which array takes part.
fn told(open: &AnyRef) {
    note(|| {
        let view = open.view();
        Note::Saved { array: Location::of(&view), values: elements(&view) }
    });
}
