//! Results read from an operand.

use super::{items, kept};
use crate::error::Result;
use crate::grad;
use crate::index::Index;
use crate::index::rules::{Conversion, Rules};
use crate::kernel::convert::convert_as;
use crate::ops::{self, fresh};
use crate::tensor::Tensor;
use crate::tensor::tape::{self, Gradient, Part, Saved};
use crate::view::AnyView;

/// `out` is [`ops::gather`] of `input`. With `sparse` the gradient is made as coordinates and values.
pub fn gather(out: &Tensor, input: &Tensor, axis: i64, index: &Tensor, sparse: bool, rules: &Rules) {
    let rules = *rules;
    tape::read(out, input, "GatherBackward0", &[index], move |shape, g, saved| match sparse {
        true => Ok(grad::gather_sparse(shape, axis, saved[0].clone(), g, &rules)?.into()),
        false => Ok(grad::gather(shape, axis, saved[0].clone(), g, &rules)?.into()),
    });
}

/// `out` is [`ops::take_along`] of `input`.
pub fn take_along(out: &Tensor, input: &Tensor, index: &Tensor, axis: Option<i64>, rules: &Rules) {
    let rules = *rules;
    tape::read(out, input, "GatherBackward0", &[index], move |shape, g, saved| {
        Ok(grad::take_along(shape, saved[0].clone(), axis, g, &rules)?.into())
    });
}

/// `out` is [`ops::take`] of `input`.
pub fn take(out: &Tensor, input: &Tensor, index: &Tensor, rules: &Rules) {
    let rules = *rules;
    tape::read(out, input, "TakeBackward0", &[index], move |shape, g, saved| {
        Ok(grad::take(shape, saved[0].clone(), g, &rules)?.into())
    });
}

/// `out` is [`ops::index_select`] of `input`.
pub fn index_select(out: &Tensor, input: &Tensor, axis: i64, index: &Tensor, rules: &Rules) {
    let rules = *rules;
    tape::read(out, input, "IndexSelectBackward0", &[index], move |shape, g, saved| {
        Ok(grad::index_select(shape, axis, saved[0].clone(), g, &rules)?.into())
    });
}

/// `out` is [`ops::gather_axis`] of `input`, or with `batch_dims` 0 [`ops::take_axis`].
pub fn gather_axis(out: &Tensor, input: &Tensor, index: &Tensor, axis: i64, batch_dims: i64, rules: &Rules) {
    let rules = *rules;
    tape::read(out, input, "GatherBackward0", &[index], move |shape, g, saved| {
        Ok(grad::gather_axis(shape, saved[0].clone(), axis, batch_dims, g, &rules)?.into())
    });
}

/// `out` are rows of `table`, [`ops::gather_axis`] along its first axis: an embedding, whose gradient has a row for every
/// row read if `sparse`. Rows numbered `padding` get no gradient.
pub fn rows(out: &Tensor, table: &Tensor, index: &Tensor, padding: Option<usize>, sparse: bool, rules: &Rules) {
    let rules = *rules;
    tape::read(out, table, "EmbeddingBackward0", &[index], move |shape, g, saved| {
        if sparse {
            return Ok(grad::rows_sparse(shape, saved[0].clone(), g, padding, &rules)?.into());
        }
        let mut dense = grad::gather_axis(shape, saved[0].clone(), 0, 0, g, &rules)?;
        if let (Some(row), Some(mut out)) = (padding, dense.unique()) {
            ops::index_fill_(&mut out, 0, AnyView::from(&[row as i64][..]), 0, &Rules::NEUTRAL)?;
        }
        Ok(dense.into())
    });
}

/// `out` is [`ops::gather_nd`] of `input`.
pub fn gather_nd(out: &Tensor, input: &Tensor, index: &Tensor, batch_dims: usize, rules: &Rules) {
    let rules = *rules;
    tape::read(out, input, "GatherNdBackward0", &[index], move |shape, g, saved| {
        Ok(grad::gather_nd(shape, saved[0].clone(), batch_dims, g, &rules)?.into())
    });
}

/// `out` is [`ops::scatter_nd`] of `updates`.
pub fn scatter_nd(out: &Tensor, index: &Tensor, updates: &Tensor, rules: &Rules) {
    let rules = *rules;
    tape::read(out, updates, "ScatterNdBackward0", &[index], move |_, g, saved| {
        Ok(ops::gather_nd(g, saved[0].clone(), 0, &Rules { data: crate::DTypeSet::ALL, ..rules })?.into())
    });
}

/// `out` are the elements of `input` put in the order `order` along an axis: what [`ops::sort`] gives.
pub fn sorted(out: &Tensor, input: &Tensor, axis: i64, order: &Tensor) {
    tape::read(out, input, "SortBackward0", &[order], move |shape, g, saved| {
        Ok(grad::gather(shape, axis, saved[0].clone(), g, &Rules::NEUTRAL)?.into())
    });
}

/// Fails if an operation whose result goes where its caller says would have to be recorded: torch's rule for `out=`.
///
/// Error: kind `Argument`, class RuntimeError.
pub fn check_out(op: &str, operands: &[&Tensor]) -> Result<()> {
    if !tape::tracked(operands) {
        return Ok(());
    }
    let text = format!(
        "{op}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments \
         requires grad."
    );
    Err(tape::refused("out", text))
}

/// `out` is [`ops::masked_select`] of `input`.
pub fn masked_select(out: &Tensor, input: &Tensor, mask: &Tensor, rules: &Rules) {
    let rules = *rules;
    tape::read(out, input, "MaskedSelectBackward0", &[mask], move |shape, g, saved| {
        Ok(grad::masked_select(shape, saved[0].clone(), g, &rules)?.into())
    });
}

/// `out` is [`ops::index`] of `input`: a copy, not a view. Error: kind `Memory` (arrays that no tensor holds are copied).
pub fn index(out: &Tensor, input: &Tensor, subscript: &[Index<'_>], rules: &Rules) -> Result<()> {
    if !tape::tracked(&[input]) {
        return Ok(());
    }
    let (rules, (list, arrays)) = (*rules, kept(subscript)?);
    let arrays: Vec<&Tensor> = arrays.iter().collect();
    tape::read(out, input, "IndexBackward0", &arrays, move |shape, g, saved| {
        Ok(grad::index(shape, &items(&list, saved), g, &rules)?.into())
    });
    Ok(())
}

/// `out` is [`ops::where_`] of `condition`, `a` and `b`; an operand that was a number is left out.
pub fn where_(out: &Tensor, condition: &Tensor, a: Option<&Tensor>, b: Option<&Tensor>, rules: &Rules) {
    let sides = [a, b];
    if !sides.iter().flatten().any(|t| tape::tracked(&[t])) {
        return;
    }
    let (rules, saved) = (*rules, Saved::new(condition));
    let shapes = sides.map(|t| t.map_or(vec![], |t| t.shape().to_vec()));
    let run: tape::Run = Box::new(move |g, wanted| {
        let (condition, g) = (saved.open()?, g.read_any()?);
        let (da, db) = grad::where_(condition.view(), &shapes[0], &shapes[1], g.view(), &rules)?;
        let part = |t, wanted: bool| if wanted { Part::Dense(t) } else { Part::Nothing };
        Ok(vec![part(da, wanted[0]), part(db, wanted[1])])
    });
    tape::recorded(out, "WhereBackward0", sides.map(tape::target).into(), true, run);
}

/// `out` is a copy of `input`, element for element, maybe of another shape: `clone`, `contiguous`, `reshape`.
pub fn copied(out: &Tensor, input: &Tensor, name: &'static str) {
    tape::read(out, input, name, &[], |shape, g, _| {
        Ok(Gradient::Dense(grad::shaped(ops::copied(&g, |_| Ok(()))?, shape)?))
    });
}

/// `out` is [`ops::flip`] of `input` along these axes.
pub fn reversed(out: &Tensor, input: &Tensor, axes: &[i64]) {
    let axes = axes.to_vec();
    tape::read(out, input, "FlipBackward0", &[], move |_, g, _| Ok(ops::flip(g, &axes, &Rules::NEUTRAL)?.into()));
}

/// `out` is `input` cast to another dtype.
pub fn cast(out: &Tensor, input: &Tensor) {
    let dtype = input.dtype();
    tape::read(out, input, "ToCopyBackward0", &[], move |_, g, _| {
        Ok(fresh(g.shape(), dtype, |out| convert_as(&g, out, Conversion::Torch))?.into())
    });
}

/// `out` is [`ops::sum`] of `input` over these axes.
pub fn sum(out: &Tensor, input: &Tensor, axes: Option<&[i64]>, keep: bool) {
    let (name, rank) = (if axes.is_none() { "SumBackward0" } else { "SumBackward1" }, input.rank() as i64);
    let named: Vec<i64> = axes.unwrap_or_default().iter().map(|d| if *d < 0 { d + rank } else { *d }).collect();
    tape::read(out, input, name, &[], move |shape, g, _| {
        let summed = |d: usize| named.is_empty() || named.contains(&(d as i64));
        let kept: Vec<usize> = (0..shape.len()).map(|d| if summed(d) { 1 } else { shape[d] }).collect();
        let g = match keep {
            true => g,
            false => g.rearranged(
                0,
                g.layout().view("sum", &kept.iter().map(|n| *n as i64).collect::<Vec<_>>(), g.dtype().size())?,
            ),
        };
        let wide = g.rearranged(0, g.layout().broadcast_to("sum", shape)?);
        Ok(ops::copied(&wide, |_| Ok(()))?.into())
    });
}
