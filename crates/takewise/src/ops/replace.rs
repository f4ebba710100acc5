//! A copy with one part replaced: `select_scatter`, `slice_scatter`, `diagonal_scatter`; and `flip`, the copy of
//! a reversed view.

use super::{cast_into, copied, copy};
use crate::error::{ArgumentRule, Fault, Result, ShapeRule};
use crate::index::rules::Rules;
use crate::layout::{Layout, Slice};
use crate::op::Op;
use crate::tensor::Tensor;
use crate::view::AnyView;

/// A copy of `input` with the part `(offset, layout)` of the copy replaced by `src`, cast to its dtype.
fn replaced(
    op: Op,
    input: &AnyView,
    src: &AnyView,
    part: impl FnOnce(&Layout) -> Result<(isize, Layout)>,
    rules: &Rules,
) -> Result<Tensor> {
    copied(input, |out| {
        let (offset, layout) = part(out.layout()).map_err(|e| e.in_op(op).in_words(rules.words))?;
        if layout.shape() != src.shape() {
            let shapes = [("src", src.shape()), ("slice", layout.shape())];
            return Err(rules.fail(Fault::shape(op, ShapeRule::Replace, 0, &shapes)));
        }
        cast_into(src, &mut out.reborrow().rearranged(offset, layout))
    })
}

/// A copy of `input` whose slice `index` of `axis` is `src`. `src` has exactly the slice's shape; its dtype is cast.
///
/// Errors: kinds `Axis`, `OutOfRange`, `Shape`. Source: torch.select_scatter (SEMANTICS.md, Views and windows).
///
/// ```
/// use takewise::prelude::*;
/// let x = View::new(&[1, 2, 3, 4], &[2, 2])?;
/// let got = ops::select_scatter(&x, 1, 0, &[8, 9], &Rules::NEUTRAL)?;
/// assert_eq!(got.to_vec::<i32>()?, [8, 2, 9, 4]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn select_scatter<'a>(
    input: impl Into<AnyView<'a>>,
    axis: i64,
    index: i64,
    src: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    let part = |l: &Layout| l.select_at(Op::SelectScatter, axis, index);
    replaced(Op::SelectScatter, &input.into(), &src.into(), part, rules)
}

/// A copy of `input` whose slice `start:end:step` along `axis` is `src`. Bounds clamp; the step is positive.
///
/// Errors: kinds `Axis`, `Argument`, `Shape`. Source: torch.slice_scatter (SEMANTICS.md, Views and windows).
///
/// ```
/// use takewise::prelude::*;
/// let got = ops::slice_scatter(&[1, 2, 3, 4], 0, step(1.., 2), &[8, 9], &Rules::NEUTRAL)?;
/// assert_eq!(got.to_vec::<i32>()?, [1, 8, 3, 9]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn slice_scatter<'a>(
    input: impl Into<AnyView<'a>>,
    axis: i64,
    slice: Slice,
    src: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    let op = Op::SliceScatter;
    let input = input.into();
    if slice.step.is_some_and(|s| s <= 0) {
        return Err(rules.fail(Fault::argument(op, ArgumentRule::NegativeStep, &[])));
    }
    let d = super::dim(op, axis, input.rank(), rules)?;
    if input.rank() == 0 {
        return Err(rules.fail(Fault::shape(op, ShapeRule::ZeroDim, 0, &[("input", input.shape())])));
    }
    replaced(op, &input, &src.into(), |l| l.slice(op, d, &slice), rules)
}

/// A copy of `input` whose diagonal is `src`, of the shape `diagonal` has.
///
/// Errors: kinds `Axis`, `Argument`, `Shape`. Source: torch.diagonal_scatter (SEMANTICS.md, Views and windows).
///
/// ```
/// use takewise::prelude::*;
/// let x = View::new(&[1, 2, 3, 4], &[2, 2])?;
/// let got = ops::diagonal_scatter(&x, 0, 0, 1, &[8, 9], &Rules::NEUTRAL)?;
/// assert_eq!(got.to_vec::<i32>()?, [8, 2, 3, 9]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn diagonal_scatter<'a>(
    input: impl Into<AnyView<'a>>,
    offset: i64,
    axis1: i64,
    axis2: i64,
    src: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    let part = |l: &Layout| l.diagonal(Op::DiagonalScatter, offset, axis1, axis2);
    replaced(Op::DiagonalScatter, &input.into(), &src.into(), part, rules)
}

/// A copy with the axes named reversed. Errors: kinds `Axis`, `Argument` (an axis twice). Source: torch.flip.
///
/// ```
/// use takewise::prelude::*;
/// let x = View::new(&[1, 2, 3, 4], &[2, 2])?;
/// assert_eq!(ops::flip(&x, &[1], &Rules::NEUTRAL)?.to_vec::<i32>()?, [2, 1, 4, 3]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn flip<'a>(input: impl Into<AnyView<'a>>, axes: &[i64], rules: &Rules) -> Result<Tensor> {
    let input = input.into();
    let turned = input.reversed(axes).map_err(|e| e.in_op(Op::Flip).in_words(rules.words))?;
    copy(&turned)
}
