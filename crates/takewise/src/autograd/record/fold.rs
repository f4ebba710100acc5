//! Sums, means and extremes along axes, sums up to each element, and arrays joined to one.

use crate::autograd::places::Addressed;
use crate::autograd::tape::{self, Backward, Contribution};
use crate::error::Result;
use crate::exec::Reduce;
use crate::index::rules::Rules;
use crate::layout::Dims;
use crate::node_op::NodeOp;
use crate::op::Op;
use crate::ops;
use crate::ops::compare::{CompareRules, compare};
use crate::plan::Address;
use crate::tensor::Tensor;
use crate::values::compare::Relation;
use crate::view::AnyView;

/// Which axes an operation folds, and whether they stay with extent 1.
#[derive(Clone)]
struct Folded {
    axes: Option<Vec<i64>>,
    keep: bool,
}

impl Folded {
    fn new(axes: Option<&[i64]>, keep: bool) -> Folded {
        Folded { axes: axes.map(<[i64]>::to_vec), keep }
    }

    /// The extents of `shape`, with 1 for folded axes.
    fn kept(&self, shape: &[usize]) -> Result<Dims<usize>> {
        let named = ops::named_axes(Op::Sum, self.axes.as_deref(), shape.len(), &Rules::NEUTRAL)?;
        Ok(shape.iter().zip(named).map(|(n, named)| if named { 1 } else { *n }).collect())
    }

    /// How many elements become one.
    fn count(&self, shape: &[usize]) -> Result<usize> {
        let named = ops::named_axes(Op::Sum, self.axes.as_deref(), shape.len(), &Rules::NEUTRAL)?;
        Ok(shape.iter().zip(named).filter(|(_, named)| *named).map(|(n, _)| n).product())
    }

    /// A result with its folded axes, of extent 1.
    fn whole<'a>(&self, g: &AnyView<'a>, shape: &[usize]) -> Result<AnyView<'a>> {
        if self.keep {
            return Ok(g.clone());
        }
        let kept: Dims<i64> = self.kept(shape)?.iter().map(|n| *n as i64).collect();
        Ok(g.rearranged(0, g.layout().view(Op::Sum, &kept, g.dtype().size())?))
    }

    /// A result stretched along its folded axes.
    fn stretched<'a>(&self, g: &AnyView<'a>, shape: &[usize]) -> Result<AnyView<'a>> {
        let whole = self.whole(g, shape)?;
        let layout = whole.layout().broadcast_to(Op::Sum, shape)?;
        Ok(whole.rearranged(0, layout))
    }

    fn sum(&self, x: &AnyView<'_>, dtype: crate::DType) -> Result<Tensor> {
        ops::sum(x.clone(), self.axes.as_deref(), self.keep, Some(dtype), &Rules::NEUTRAL)
    }
}

/// `a / b`, where `b` broadcasts to `a`.
fn divided(a: &AnyView<'_>, b: &Tensor) -> Result<Tensor> {
    let open = b.read_any()?;
    let b = open.view();
    let layout = b.layout().broadcast_to(Op::Sum, a.shape())?;
    ops::combined(a, &b.rearranged(0, layout), Reduce::Div)
}

/// `out` is [`ops::sum`] of `input` over these axes.
pub(crate) fn sum(out: &Tensor, input: &Tensor, axes: Option<&[i64]>, keep: bool) {
    let name = if axes.is_none() { NodeOp::Sum } else { NodeOp::SumAxes };
    let (back, dtype) = (Folded::new(axes, keep), out.dtype());
    let forth = back.clone();
    tape::read(
        out,
        input,
        [name, NodeOp::Expand],
        &[],
        move |shape, g, _| ops::copy(&back.stretched(g, shape)?),
        move |x, _| forth.sum(x, dtype),
    );
}

/// `out` is [`ops::mean`] of `input` over these axes.
pub(crate) fn mean(out: &Tensor, input: &Tensor, axes: Option<&[i64]>, keep: bool) {
    let name = if axes.is_none() { NodeOp::Mean } else { NodeOp::MeanAxes };
    let (back, dtype) = (Folded::new(axes, keep), out.dtype());
    let forth = back.clone();
    tape::read(
        out,
        input,
        [name, NodeOp::Div],
        &[],
        move |shape, g, _| {
            divided(&back.stretched(g, shape)?, &Tensor::full(&[], back.count(shape)? as f64, g.dtype())?)
        },
        move |x, _| ops::mean(x.clone(), forth.axes.as_deref(), forth.keep, Some(dtype), &Rules::NEUTRAL),
    );
}

/// `out` is the greatest or least element over these axes: those that are it share the gradient. Where that is NaN, all NaN do if it is
/// the extreme of all elements; over axes the gradient is NaN then. Source: torch.
pub(crate) fn extreme(out: &Tensor, input: &Tensor, axes: Option<&[i64]>, keep: bool, name: NodeOp) {
    let back = Folded::new(axes, keep);
    let (forth, of_all) = (back.clone(), axes.is_none());
    tape::read(
        out,
        input,
        [name, NodeOp::Sum],
        &[input, out],
        move |shape, g, s| {
            let chosen = Chosen::new(&back, s, g.dtype(), of_all)?;
            divided(&chosen.of(&back.stretched(g, shape)?)?.read_any()?.view(), &chosen.counts)
        },
        move |x, s| {
            let chosen = Chosen::new(&forth, s, x.dtype(), of_all)?;
            let sums = forth.sum(&chosen.of(x)?.read_any()?.view(), x.dtype())?;
            let counts = chosen.counts.reshape(&sums.shape().iter().map(|n| *n as i64).collect::<Vec<_>>())?;
            divided(&sums.read_any()?.view(), &counts)
        },
    );
}

/// Which elements are the extreme of their lanes, and how many of a lane are.
struct Chosen {
    mask: Tensor,
    counts: Tensor,
}

impl Chosen {
    /// `nan` says whether NaN is equal to NaN.
    fn new(folded: &Folded, saved: &[AnyView<'_>], dtype: crate::DType, nan: bool) -> Result<Chosen> {
        let rules = &CompareRules::BY_VALUE;
        let (x, best) = (&saved[0], folded.stretched(&saved[1], saved[0].shape())?);
        let mut mask = compare(x, &best, Relation::Eq, rules)?;
        if nan {
            let [own, theirs] = [compare(x, x, Relation::Ne, rules)?, compare(&best, &best, Relation::Ne, rules)?];
            let both = compare(&own.read_any()?.view(), &theirs.read_any()?.view(), Relation::And, rules)?;
            let all = compare(&mask.read_any()?.view(), &both.read_any()?.view(), Relation::Or, rules)?;
            mask = all;
        }
        let folded = Folded { keep: true, ..folded.clone() };
        let counts = folded.sum(&mask.read_any()?.view(), dtype)?;
        Ok(Chosen { mask, counts })
    }

    /// Elements where they are chosen, zeros elsewhere.
    fn of(&self, x: &AnyView<'_>) -> Result<Tensor> {
        let zero = Tensor::zeroed(&[], x.dtype())?;
        ops::where_(self.mask.read_any()?.view(), x.clone(), zero.read_any()?.view(), x.dtype(), &Rules::NEUTRAL)
    }
}

/// `out` are the elements of `input` at positions along an axis, one axis of which `out` may lack: extremes, the first of a sort.
pub fn picked(out: &Tensor, input: &Tensor, axis: i64, positions: &Tensor, name: NodeOp) {
    if !tape::tracked(&[input]) {
        return;
    }
    let at = Addressed::new(Op::Gather, Address::axis(axis, input.rank()), &Rules::NEUTRAL);
    let (there, whole) = (at.clone(), input.shape().to_vec());
    let (full, given) = (positions.shape().to_vec(), out.shape().to_vec());
    let under = |x: &AnyView<'_>, shape: &[usize]| {
        let shape: Vec<i64> = shape.iter().map(|n| *n as i64).collect();
        ops::copy(&x.rearranged(0, x.layout().view(Op::Gather, &shape, x.dtype().size())?))
    };
    tape::read(
        out,
        input,
        [name, NodeOp::Scatter],
        &[positions],
        move |shape, g, s| at.places(s, shape)?.scattered(&under(g, &full)?.read_any()?.view()),
        move |x, s| under(&there.places(s, &whole)?.read(x)?.read_any()?.view(), &given),
    );
}

/// `out` is [`ops::cumsum`] of `input` along an axis.
pub(crate) fn cumsum(out: &Tensor, input: &Tensor, axis: i64) {
    let dtype = out.dtype();
    let forth = move |x: &AnyView<'_>| ops::cumsum(x.clone(), axis, Some(dtype), &Rules::NEUTRAL);
    tape::read(
        out,
        input,
        [NodeOp::CumSum; 2],
        &[],
        move |_, g, _| {
            if g.rank() == 0 {
                return ops::copy(g);
            }
            let turned = g.reversed(&[axis])?;
            let sums = ops::cumsum(turned, axis, Some(g.dtype()), &Rules::NEUTRAL)?;
            ops::flip(sums.read_any()?.view(), &[axis], &Rules::NEUTRAL)
        },
        move |x, _| forth(x),
    );
}

/// `out` are these arrays one after the other along an axis, each cast to its dtype.
pub fn joined(out: &Tensor, parts: &[&Tensor], axis: usize, name: NodeOp) {
    if !tape::tracked(parts) {
        return;
    }
    let own: Vec<_> = parts.iter().map(|t| (t.shape().get(axis).copied().unwrap_or(0) as i64, t.dtype())).collect();
    let run: Backward = Box::new(move |g, place| {
        let mut start = 0;
        let part = |(k, (length, dtype)): (usize, &(i64, crate::DType))| {
            start += length;
            if !place.wants(k) {
                return Ok(Contribution::Nothing);
            }
            let piece = g.narrow(axis as i64, start - length, *length)?.clone_data()?;
            Ok(Contribution::Dense(if piece.dtype() == *dtype { piece } else { piece.to(*dtype)? }))
        };
        own.iter().enumerate().map(part).collect()
    });
    tape::recorded(out, name, parts.iter().map(|t| tape::target(Some(t))).collect(), false, run);
}
