//! Putting operations on the tape.

use super::node::{Edge, History, Kind, Node, Part, Run, Space, Target, Window};
use super::{Gradient, Saved, is_grad_enabled};
use crate::error::Result;
use crate::ops::sum_to;
use crate::tensor::{AnyRef, Tensor};
use crate::view::AnyView;
use std::sync::Arc;

/// What an operation that writes wrote into.
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

/// Whether an operation on these operands is recorded.
pub(crate) fn tracked(operands: &[&Tensor]) -> bool {
    operands.iter().any(|t| t.history().is_some()) && is_grad_enabled() && operands.iter().any(|t| t.node().is_some())
}

/// Whether gradients of this dtype exist.
fn differentiable(t: &Tensor) -> bool {
    t.dtype.is_float() || t.dtype.is_complex()
}

/// Where the gradient of an operand goes.
pub(crate) fn target(t: Option<&Tensor>) -> Target {
    let edge = t.and_then(|t| Some(Edge { node: t.node()?, window: Window::of(t) }));
    edge.map_or(Target::Nothing, Target::Edge)
}

/// Appends an operation whose result is `out` to the history of its storage.
pub(crate) fn recorded(out: &Tensor, name: &'static str, targets: Vec<Target>, saves: bool, run: Run) {
    if !differentiable(out) {
        return;
    }
    let history = match &out.own {
        Some(own) => own,
        None => {
            out.buffer.history().get_or_init(|| Arc::new(History::new(Space { low: 0, len: out.buffer.len() }, None)))
        }
    };
    let kind = Kind::Op { window: Window::of(out), targets, saves, run: std::sync::Mutex::new(Some(run)) };
    history.append(Node::new(name, history.space, out.dtype, kind));
}

/// Opens what was saved.
fn with_saved<R>(saved: &[Saved], f: impl FnOnce(&[AnyView]) -> Result<R>) -> Result<R> {
    let open: Vec<AnyRef> = saved.iter().map(Saved::open).collect::<Result<_>>()?;
    let views: Vec<AnyView> = open.iter().map(AnyRef::view).collect();
    f(&views)
}

/// Records a fresh result read from `input`: `vjp(shape of input, g, saved)` is the input's gradient.
pub(crate) fn read(
    out: &Tensor,
    input: &Tensor,
    name: &'static str,
    saved: &[&Tensor],
    vjp: impl Fn(&[usize], AnyView, &[AnyView]) -> Result<Gradient> + Send + 'static,
) {
    if !tracked(&[input]) {
        return;
    }
    let (shape, kept) = (input.shape().to_vec(), saved.iter().map(|t| Saved::new(t)).collect::<Vec<_>>());
    let run: Run = Box::new(move |g, _| {
        let g = g.read_any()?;
        with_saved(&kept, |saved| Ok(vec![vjp(&shape, g.view(), saved)?.into()]))
    });
    recorded(out, name, vec![target(Some(input))], !saved.is_empty(), run);
}

/// Records a write of `source` (if it is a tensor): `own(g, saved)` is the gradient of what was written into, `None` if
/// that is `g` itself; `theirs(shape of source, g, saved)` the source's.
pub(crate) fn write(
    to: Written,
    name: &'static str,
    source: Option<&Tensor>,
    saved: &[&Tensor],
    own: impl Fn(AnyView, &[AnyView]) -> Result<Option<Tensor>> + Send + 'static,
    theirs: impl Fn(&[usize], AnyView, &[AnyView]) -> Result<Tensor> + Send + 'static,
) {
    let (out, of) = match to {
        Written::Copy { out, of } => (out, of),
        Written::InPlace(t) => (t, t),
    };
    if !tracked(&[of]) && !source.is_some_and(|s| tracked(&[s])) {
        return;
    }
    let kept: Vec<Saved> = saved.iter().map(|t| Saved::new(t)).collect();
    let source = source.filter(|s| differentiable(s));
    let (shape, from) = (of.shape().to_vec(), source.map(|s| s.shape().to_vec()));
    let run: Run = Box::new(move |g, wanted| {
        let g = g.read_any()?;
        with_saved(&kept, |saved| {
            let mine = match wanted[0].then(|| own(g.view(), saved)).transpose()? {
                None => Part::Nothing,
                Some(None) if g.view().shape() == &shape[..] => Part::Same,
                Some(None) => Part::Dense(crate::grad::broadcast(&shape, g.view())?),
                Some(Some(mine)) => Part::Dense(sum_to(mine, &shape)?),
            };
            let theirs = match &from {
                Some(shape) if wanted[1] => Part::Dense(theirs(shape, g.view(), saved)?),
                _ => Part::Nothing,
            };
            Ok(vec![mine, theirs])
        })
    });
    let (mine, name) = match to {
        Written::Copy { of, .. } => (target(Some(of)), name),
        // torch replays the view on its base.
        Written::InPlace(t) => (Target::Before(t.node()), if t.via.is_some() { "CopySlices" } else { name }),
    };
    recorded(out, name, vec![mine, target(source)], !saved.is_empty(), run);
}
