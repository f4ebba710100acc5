//! Slices of an axis, within a subscript or as the whole of one.

use super::rules::Rules;
use crate::error::{ArgumentRule, Fault, Result};
use crate::layout::{Dims, Layout, Slice};
use crate::op::Op;

/// Fails for a step of zero, and for a negative one where the rules have none.
pub(super) fn check_step(op: Op, slice: &Slice, rules: &Rules) -> Result<()> {
    let step = slice.step.unwrap_or(1);
    let rule = match step {
        0 => ArgumentRule::ZeroStep,
        ..0 if !rules.negative_step => ArgumentRule::NegativeStep,
        _ => return Ok(()),
    };
    Err(rules.fail(Fault::argument(op, rule, &[step])))
}

/// Offset, extent and step of what a slice leaves of an axis.
pub(super) fn narrowed(slice: &Slice, extent: usize, step: isize) -> (isize, usize, isize) {
    let (start, count, by) = slice.resolve(extent);
    let stretched = isize::try_from(by).ok().and_then(|by| by.checked_mul(step));
    ((start as isize).wrapping_mul(step), count, stretched.unwrap_or(step))
}

/// What [`normalize`](super::normalize()) and [`Normalized::view`](super::Normalized::view) make of a subscript of one slice; `None` of an array without axes.
pub(crate) fn sliced(op: Op, layout: &Layout, slice: &Slice, rules: &Rules) -> Result<Option<(isize, Layout)>> {
    let (mut shape, mut strides) = (Dims::from_slice(layout.shape()), Dims::from_slice(layout.strides()));
    let (Some(extent), Some(step)) = (shape.first_mut(), strides.first_mut()) else { return Ok(None) };
    check_step(op, slice, rules)?;
    let offset;
    (offset, *extent, *step) = narrowed(slice, *extent, *step);
    Ok(Some((offset, Layout::derived(shape, strides))))
}
