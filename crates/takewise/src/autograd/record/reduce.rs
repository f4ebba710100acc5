//! Reductions. Sums, means and extremes have gradients that are linear in that of the result and in nothing else;
//! those of products and quotients are made of recorded operations where they may be differentiated again.

use crate::DTypeSet;
use crate::autograd::reduce::Reduction;
use crate::autograd::tape::{self, Backward, Contribution, RecordedWrite, Saved, Written, conj, div, mul, neg};
use crate::error::Result;
use crate::exec::Reduce;
use crate::index::rules::Rules;
use crate::layout::Dims;
use crate::node_op::NodeOp;
use crate::op::Op;
use crate::ops::compare::{CompareRules, compare};
use crate::ops::{self, Source};
use crate::plan::Address;
use crate::tensor::Tensor;
use crate::values::compare::Relation;
use crate::view::AnyView;
use std::sync::Arc;

/// `scatter_reduce`; `input` is the array before the write ([`before`](super::before) if that was in place).
#[allow(clippy::too_many_arguments)] // the operation's own operands
pub(crate) fn scatter_reduce(
    to: Written,
    axis: i64,
    index: &Tensor,
    source: &Tensor,
    how: Reduce,
    include_self: bool,
    input: &Tensor,
    rules: &Rules,
) {
    reduction(
        to,
        NodeOp::ScatterReduce,
        Address::axis(axis, to.of().rank()),
        index,
        source,
        how,
        include_self,
        input,
        rules,
    );
}

/// `index_reduce`; `input` is the array before the write ([`before`](super::before) if that was in place).
#[allow(clippy::too_many_arguments)] // the operation's own operands
pub(crate) fn index_reduce(
    to: Written,
    axis: i64,
    index: &Tensor,
    source: &Tensor,
    how: Reduce,
    include_self: bool,
    input: &Tensor,
    rules: &Rules,
) {
    reduction(
        to,
        NodeOp::IndexReduce,
        Address::slices(axis, to.of().rank()),
        index,
        source,
        how,
        include_self,
        input,
        rules,
    );
}

/// A reduction of `source` into `input` at the places `index` names.
#[allow(clippy::too_many_arguments)] // the operation's own operands
pub(super) fn reduction(
    to: Written,
    name: NodeOp,
    at: Address,
    index: &Tensor,
    source: &Tensor,
    how: Reduce,
    include_self: bool,
    input: &Tensor,
    rules: &Rules,
) {
    let this = Arc::new(Again { at, how, include_self, rules: Rules { data: DTypeSet::ALL, ..*rules } });
    let operands = [index, input, source];
    let store = RecordedWrite { to, source: Some(source), names: [name, NodeOp::Mul, NodeOp::Mul], saved: &operands };
    if !store.is_tracked() {
        return;
    }
    let saved = operands.map(Saved::new);
    let run: Backward = match how {
        Reduce::Prod | Reduce::Div => Box::new(move |g, place| {
            let [index, input, source] = &saved;
            let operands = [index.again(None)?, input.again(place.edge(0))?, source.again(place.edge(1))?];
            let [dx, ds] = match (tape::tracked(&[g, &operands[1], &operands[2]]), how) {
                (false, _) => this.once(g, &operands)?,
                (true, Reduce::Prod) => this.prod(g, &operands)?,
                (true, _) => this.quotient(g, &operands)?,
            };
            Ok(vec![Contribution::Dense(dx), Contribution::Dense(ds)])
        }),
        _ => Box::new(move |g, _| {
            let [index, input, source] = &saved;
            let operands = [index.again(None)?, input.again(None)?, source.again(None)?];
            let [dx, ds] = this.once(g, &operands)?;
            if tape::tracked(&[g]) {
                let operands = Arc::new(operands);
                for (out, put) in [(&dx, false), (&ds, true)] {
                    this.linear(out, g, &operands, put);
                }
            }
            Ok(vec![Contribution::Dense(dx), Contribution::Dense(ds)])
        }),
    };
    tape::write_as(store, run, name);
}

/// A reduction whose gradient is asked for, and the gradient of that.
#[derive(Clone)]
struct Again {
    at: Address,
    how: Reduce,
    include_self: bool,
    rules: Rules,
}

impl Again {
    /// `f` on the reduction of index, array and source.
    fn with<R>(&self, operands: &[Tensor; 3], f: impl FnOnce(&Reduction) -> Result<R>) -> Result<R> {
        let [index, input, source] = operands;
        let (index, input, source) = (index.read_any()?, input.read_any()?, source.read_any()?);
        let (input, source) = (input.view(), source.view());
        f(&Reduction::new(&self.at, &index.view(), &input, &source, self.how, self.include_self, &self.rules)?)
    }

    /// The gradients, not to be differentiated again.
    fn once(&self, g: &Tensor, operands: &[Tensor; 3]) -> Result<[Tensor; 2]> {
        let (dx, ds) = self.with(operands, |r| r.gradients(&g.read_any()?.view()))?;
        Ok([dx, ds])
    }

    /// Records a gradient `out` that is linear in `g`: of the array, or of the source if `put`.
    fn linear(self: &Arc<Again>, out: &Tensor, g: &Tensor, operands: &Arc<[Tensor; 3]>, put: bool) {
        let mine = move |this: &Again, g: &AnyView, operands: &[Tensor; 3]| {
            this.with(operands, |r| r.gradients(g)).map(|(dx, ds)| if put { ds } else { dx })
        };
        let (back, forth) = ((self.clone(), operands.clone()), (self.clone(), operands.clone()));
        tape::read(
            out,
            g,
            [NodeOp::Mul; 2],
            &[],
            move |_, gg, _| match put {
                true => back.0.with(&back.1, |r| r.put(gg)),
                // A multiple of each element, and so its own transpose.
                false => mine(&back.0, gg, &back.1),
            },
            move |g, _| mine(&forth.0, g, &forth.1),
        );
    }

    /// What the reduction addresses of `t`.
    fn read(&self, t: &Tensor, index: &Tensor) -> Result<Tensor> {
        match self.at {
            Address::Axis { dim } => t.gather(dim as i64, index, &self.rules),
            Address::Slices { dim } => t.index_select(dim as i64, index, &self.rules),
            _ => t.gather_nd(index, 0, &self.rules),
        }
    }

    /// The reduction itself.
    fn reduce(&self, x: &Tensor, index: &Tensor, source: &Tensor) -> Result<Tensor> {
        let (how, own, rules) = (self.how, self.include_self, &self.rules);
        match self.at {
            Address::Axis { dim } => x.scatter_reduce(dim as i64, index, source, how, own, rules),
            Address::Slices { dim } => x.index_reduce(dim as i64, index, source, how, own, rules),
            _ => x.tensor_scatter(index, source, Some(how), rules),
        }
    }

    /// `t` with zeros at the places.
    fn cleared(&self, t: Tensor, index: &Tensor) -> Result<Tensor> {
        match self.at {
            _ if self.include_self => Ok(t),
            Address::Axis { dim } => t.scatter(dim as i64, index, 0, None, &self.rules),
            Address::Slices { dim } => t.index_fill(dim as i64, index, 0, &self.rules),
            _ => t.tensor_scatter(index, 0, None, &self.rules),
        }
    }

    /// The source as far as it takes part, in the shape of the places; and what makes a gradient of that one of the
    /// source: both recorded.
    fn part(&self, source: &Tensor, shape: &[usize]) -> Result<Tensor> {
        let mut part = source.clone();
        if part.rank() != shape.len() {
            return part.reshape(&shape.iter().map(|n| *n as i64).collect::<Vec<_>>());
        }
        for (d, n) in shape.iter().enumerate() {
            part = part.narrow(d as i64, 0, *n as i64)?;
        }
        Ok(part)
    }

    /// A gradient of the source's shape from that of its part.
    fn whole(&self, part: Tensor, source: &Tensor) -> Result<Tensor> {
        if part.shape() == source.shape() {
            return Ok(part);
        }
        let (shape, from): (Dims<usize>, Dims<usize>) =
            (Dims::from_slice(source.shape()), Dims::from_slice(part.shape()));
        let front = move |g: &AnyView| crate::autograd::write::front_of(g, &from);
        let pad = move |g: &AnyView| crate::autograd::write::boxed(ops::copy(g)?, &shape);
        tape::mapped(&part, NodeOp::ConstantPadNd, pad, front)
    }

    /// `g * result / factor`; where factors are zero, the one zero gets the product of the others. Source: torch's
    /// scatter_reduce_backward.
    fn prod(&self, g: &Tensor, [index, x, source]: &[Tensor; 3]) -> Result<[Tensor; 2]> {
        // Of complex factors it is the conjugates.
        let plain = [x.detach(), source.detach()];
        let (x, source) = (&conj(x)?, &conj(source)?);
        let rest = without(x, &is(x, 0)?)?;
        let mine = div(&mul(g, &self.reduce(&rest, index, source)?)?, &rest)?;
        let mine = self.cleared(mine, index)?;
        let shape = self.read(&x.detach(), index)?;
        let part = self.part(source, shape.shape())?;
        let zero = is(&part, 0)?;
        // How many zeros met in each place, seen from the contributions.
        let counts = Tensor::zeroed(x.shape(), x.dtype())?;
        let counts = Again { how: Reduce::Sum, include_self: true, ..self.clone() }.reduce(
            &counts,
            index,
            &zero.to(x.dtype())?,
        )?;
        let counts = self.read(&counts, index)?;
        let many = with(&counts, &one(&counts)?, |a, b| compare(a, b, Relation::Gt, &CompareRules::BY_VALUE))?;
        if ops::count_true(many.read_any()?.view()) > 0 {
            let [_, ds] = tape::no_grad(|| self.once(g, &[index.clone(), plain[0].clone(), plain[1].clone()]))?;
            let name = match self.at {
                Address::Slices { .. } => {
                    "index_reduce(): Double backward is unsupported for source when >1 zeros in source"
                }
                _ => "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src",
            };
            let text = format!("{name} are scattered to the same position in self");
            let refuse: Backward = Box::new(move |_, _| Err(tape::refused(Op::Backward, text.clone())));
            tape::recorded(&ds, NodeOp::Refusal, [g, x, source].map(|t| tape::target(Some(t))).into(), false, refuse);
            return Ok([mine, ds]);
        }
        let lone = with(&zero, &is(&counts, 1)?, |a, b| compare(a, b, Relation::And, &CompareRules::BY_VALUE))?;
        let others = self.reduce(x, index, &without(&part, &lone)?)?;
        let others = self.read(&mul(g, &others)?, index)?;
        let whole = self.read(&mul(g, &self.reduce(x, index, &part)?)?, index)?;
        let most = div(&whole, &without(&part, &zero)?)?;
        let theirs = lone.where_(&others, &most, g.dtype(), &Rules::NEUTRAL)?;
        Ok([mine, self.whole(theirs, source)?])
    }

    /// `x` divided by every divisor in turn: `g / d` for the array, `-g * result / d` for each.
    fn quotient(&self, g: &Tensor, [index, x, source]: &[Tensor; 3]) -> Result<[Tensor; 2]> {
        let (x, source) = (&conj(x)?, &conj(source)?);
        let mine = self.reduce(g, index, source)?;
        let down = neg(&div(&self.read(&mul(&mine, x)?, index)?, source)?)?;
        Ok([mine, down])
    }
}

fn with<R>(a: &Tensor, b: &Tensor, f: impl FnOnce(&AnyView, &AnyView) -> Result<R>) -> Result<R> {
    f(&a.read_any()?.view(), &b.read_any()?.view())
}

fn one(like: &Tensor) -> Result<Tensor> {
    Tensor::full(&[], 1, like.dtype())
}

/// Where elements are that number.
fn is(t: &Tensor, number: i64) -> Result<Tensor> {
    let number = Tensor::full(&[], number, t.dtype())?;
    with(t, &number, |t, n| compare(t, n, Relation::Eq, &CompareRules::BY_VALUE))
}

/// `t` with ones where the mask is true.
fn without(t: &Tensor, mask: &Tensor) -> Result<Tensor> {
    t.masked_fill(mask, Source::from(1), &Rules::NEUTRAL)
}
