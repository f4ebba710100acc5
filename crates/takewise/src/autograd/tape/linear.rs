//! Linear maps and their transposes: nearly every gradient is one, so it can be differentiated as often as one likes.

use super::append::{recorded, target, tracked};
use super::node::{Backward, Contribution};
use super::saved::Saved;
use crate::error::Result;
use crate::node_op::NodeOp;
use crate::tensor::{AnyRef, Tensor};
use crate::view::AnyView;
use std::sync::Arc;

/// From the elements of one array, and what was saved, those of a fresh one.
pub(crate) type Map = Box<dyn Fn(&AnyView, &[AnyView]) -> Result<Tensor> + Send + Sync>;

/// A linear map and its transpose. `back` takes the gradient of an operation's result to that of an operand; `forth`
/// takes what goes the other way, which is the operation itself where nothing else takes part.
pub(crate) struct LinearMap {
    /// The operation that `back` is, and the one that `forth` is.
    pub(crate) names: [NodeOp; 2],
    pub(crate) saved: Arc<[Saved]>,
    pub(crate) back: Map,
    pub(crate) forth: Map,
}

impl LinearMap {
    /// The gradient of the operand.
    pub(crate) fn back(self: &Arc<LinearMap>, g: &Tensor) -> Result<Tensor> {
        self.apply(g, true)
    }

    fn apply(self: &Arc<LinearMap>, g: &Tensor, back: bool) -> Result<Tensor> {
        let map = if back { &self.back } else { &self.forth };
        let out = with_saved(&self.saved, |saved| map(&g.read_any()?.view(), saved))?;
        if tracked(&[g]) {
            let this = self.clone();
            let run: Backward = Box::new(move |g, _| Ok(vec![Contribution::Dense(this.apply(g, !back)?)]));
            recorded(&out, self.names[usize::from(!back)], vec![target(Some(g))], !self.saved.is_empty(), run);
        }
        Ok(out)
    }
}

/// `back` of `g`, on the tape with its transpose.
pub(crate) fn mapped(
    g: &Tensor,
    name: NodeOp,
    back: impl Fn(&AnyView) -> Result<Tensor> + Send + Sync + 'static,
    forth: impl Fn(&AnyView) -> Result<Tensor> + Send + Sync + 'static,
) -> Result<Tensor> {
    if !tracked(&[g]) {
        return back(&g.read_any()?.view());
    }
    let (back, forth): (Map, Map) = (Box::new(move |g, _| back(g)), Box::new(move |g, _| forth(g)));
    Arc::new(LinearMap { names: [name; 2], saved: Arc::new([]), back, forth }).back(g)
}

/// Opens what was saved.
pub(crate) fn with_saved<R>(saved: &[Saved], f: impl FnOnce(&[AnyView]) -> Result<R>) -> Result<R> {
    let open: Vec<AnyRef> = saved.iter().map(Saved::open).collect::<Result<_>>()?;
    let views: Vec<AnyView> = open.iter().map(AnyRef::view).collect();
    f(&views)
}
