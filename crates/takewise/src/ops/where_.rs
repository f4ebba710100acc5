//! `where`: one of two values per place.

use super::{check_out, converted};
use crate::dtype::DType;
use crate::error::{DTypeRule, Fault, Result, ShapeRule};
use crate::exec::blend::{blend, blended};
use crate::index::rules::{CopyOrder, Rules};
use crate::layout::order::like_operands;
use crate::layout::{Dims, Layout, broadcast_shapes};
use crate::op::Op;
use crate::tensor::Tensor;
use crate::view::{AnyView, AnyViewMut};

/// `a` where `condition` is true, else `b`; all three broadcast. `a` and `b` are first converted to `dtype`, the
/// result's (see [`crate::Tensor::where_`] for promotion). [`Rules::copies`] says how the result lies in memory.
///
/// Errors: kinds `DType` (condition not boolean), `Shape`. Cost: one pass, plus a converted
/// temporary for an operand of another dtype. Source: torch.where (SEMANTICS.md, Where and nonzero).
///
/// ```
/// use takewise::prelude::*;
/// let got = ops::where_(&[true, false], &[1, 2], &[0.5f32, 0.5], DType::F32, &Rules::NEUTRAL)?;
/// assert_eq!(got.to_vec::<f32>()?, [1.0, 0.5]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn where_<'a>(
    condition: impl Into<AnyView<'a>>,
    a: impl Into<AnyView<'a>>,
    b: impl Into<AnyView<'a>>,
    dtype: DType,
    rules: &Rules,
) -> Result<Tensor> {
    let (condition, a, b) = (condition.into(), a.into(), b.into());
    let shape = shape(&condition, &a, &b, rules)?;
    let made = |layout| with(&condition, &a, &b, &shape, dtype, rules, |c, a, b| blended(c, a, b, layout, dtype));
    if rules.copies != CopyOrder::LikeOperands {
        return made(Layout::contiguous(&shape, dtype.size())?);
    }
    // An operand of another dtype is first a copy in its own order.
    let at = |v: &AnyView| -> Result<Layout> {
        let own = v.layout();
        let own = if v.dtype() == dtype { own.clone() } else { own.packed_as(v.dtype().size(), dtype.size())? };
        own.broadcast_to(Op::Where, &shape)
    };
    let mask = condition.layout().broadcast_to(Op::Where, &shape)?;
    let operands = [(&mask, 1), (&at(&a)?, dtype.size()), (&at(&b)?, dtype.size())];
    made(like_operands(&shape, &operands, dtype.size())?)
}

/// [`where_`] into memory of the result's shape and dtype.
///
/// ```
/// use takewise::prelude::*;
/// let mut out = [0; 2];
/// ops::where_into(&[true, false], &[1, 2], &[8, 9], &mut (&mut out).into(), &Rules::NEUTRAL)?;
/// assert_eq!(out, [1, 9]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn where_into<'a>(
    condition: impl Into<AnyView<'a>>,
    a: impl Into<AnyView<'a>>,
    b: impl Into<AnyView<'a>>,
    out: &mut AnyViewMut,
    rules: &Rules,
) -> Result<()> {
    let (condition, a, b) = (condition.into(), a.into(), b.into());
    let shape = shape(&condition, &a, &b, rules)?;
    check_out(Op::Where, out, out.dtype(), &shape, rules)?;
    with(&condition, &a, &b, &shape, out.dtype(), rules, |c, a, b| blend(c, a, b, out))
}

fn shape(condition: &AnyView, a: &AnyView, b: &AnyView, rules: &Rules) -> Result<Dims<usize>> {
    let op = Op::Where;
    if condition.dtype() != DType::Bool && !(condition.dtype() == DType::U8 && rules.byte_masks) {
        return Err(rules.fail(Fault::DType {
            op,
            rule: DTypeRule::Condition,
            given: condition.dtype(),
            wanted: None,
        }));
    }
    if condition.shape() == a.shape() && a.shape() == b.shape() {
        return Ok(Dims::from_slice(a.shape()));
    }
    let named = [("condition", condition.shape()), ("input", a.shape()), ("other", b.shape())];
    let fail = |d| rules.fail(Fault::shape(op, ShapeRule::BroadcastPair, d, &named));
    let met = broadcast_shapes([condition.shape(), a.shape()]).map_err(fail)?;
    broadcast_shapes([&met[..], b.shape()]).map_err(fail)
}

/// Runs `choose` with the operands at their common shape and dtype.
fn with<R>(
    condition: &AnyView,
    a: &AnyView,
    b: &AnyView,
    shape: &[usize],
    dtype: DType,
    rules: &Rules,
    choose: impl FnOnce(&AnyView, &AnyView, &AnyView) -> Result<R>,
) -> Result<R> {
    // As most are: nothing to convert, nothing to stretch.
    let ready = |v: &AnyView| v.dtype() == dtype && v.shape() == shape;
    if ready(a) && ready(b) && condition.shape() == shape {
        return choose(condition, a, b);
    }
    let (mut keep_a, mut keep_b) = (None, None);
    let a = converted(a, dtype, rules.conversion, &mut keep_a)?;
    let b = converted(b, dtype, rules.conversion, &mut keep_b)?;
    let at = |v: &AnyView| -> Result<Layout> { v.layout().broadcast_to(Op::Where, shape) };
    let (c_layout, a_layout, b_layout) = (at(condition)?, at(&a)?, at(&b)?);
    let condition = condition.rearranged(0, c_layout);
    choose(&condition, &a.rearranged(0, a_layout), &b.rearranged(0, b_layout))
}
