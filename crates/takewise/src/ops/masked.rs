//! The `masked_*` family. A mask is read in place, block by block: no list of positions is ever made.

use super::{Made, Single, Source, check_out, copied, stored};
use crate::dtype::{DType, Scalar};
use crate::error::{DTypeRule, Fault, Result, ShapeRule};
use crate::exec;
use crate::exec::blend::blended;
use crate::exec::{Out, result};
use crate::index::mask::count;
use crate::index::rules::Rules;
use crate::layout::{Layout, broadcast_shapes};
use crate::op::Op;
use crate::plan::Builder;
use crate::tensor::Tensor;
use crate::values::number;
use crate::view::{AnyView, AnyViewMut};

/// The elements of `input` where `mask` is true, in row-major order of their common broadcast shape; 1-d.
///
/// Errors: kinds `DType` (mask not boolean), `Shape`. Cost: one pass over the mask to count, one over mask and
/// input to move; memory beyond the result: one block per thread. Source: torch.masked_select (SEMANTICS.md, Masks).
///
/// ```
/// use takewise::{ops, Rules, View};
/// let x = [1, 2, 3, 4];
/// let m = [true, false, false, true];
/// let got = ops::masked_select(&View::from(&x[..]), &View::from(&m[..]), &Rules::NEUTRAL).unwrap();
/// assert_eq!(got.to_vec::<i32>().unwrap(), [1, 4]);
/// ```
pub fn masked_select<'a>(input: impl Into<AnyView<'a>>, mask: impl Into<AnyView<'a>>, rules: &Rules) -> Result<Tensor> {
    let (input, mask) = broadcast(&input.into(), &mask.into(), rules)?;
    let n = count(&mask);
    result(&[n], input.dtype(), |out| select(&input, &mask, n, out, rules))
}

/// [`masked_select`] into memory of the result's shape and dtype.
///
/// ```
/// use takewise::prelude::*;
/// let mut out = [0; 2];
/// ops::masked_select_into(&[1, 2, 3], &[true, false, true], &mut (&mut out).into(), &Rules::NEUTRAL)?;
/// assert_eq!(out, [1, 3]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn masked_select_into<'a>(
    input: impl Into<AnyView<'a>>,
    mask: impl Into<AnyView<'a>>,
    out: &mut AnyViewMut,
    rules: &Rules,
) -> Result<()> {
    let (input, mask) = broadcast(&input.into(), &mask.into(), rules)?;
    let n = count(&mask);
    check_out(Op::MaskedSelect, out, input.dtype(), &[n], rules)?;
    select(&input, &mask, n, Out::given(out), rules)
}

fn select(input: &AnyView, mask: &AnyView, n: usize, out: Out, rules: &Rules) -> Result<()> {
    let step = out.layout().strides().first().copied().unwrap_or(0);
    let mut b = Builder::new(Op::MaskedSelect, rules, input.layout(), out.layout(), input.dtype().size());
    b.select(mask.layout(), input.layout().strides(), n, step);
    out.read(&b.build()?, input, std::slice::from_ref(mask))
}

/// Fails unless the mask is boolean, or bytes where the rules take those.
pub(super) fn check_mask(op: Op, mask: &AnyView, rules: &Rules) -> Result<()> {
    if mask.dtype() == DType::Bool || (mask.dtype() == DType::U8 && rules.byte_masks) {
        return Ok(());
    }
    Err(rules.fail(Fault::DType { op, rule: DTypeRule::Mask, given: mask.dtype(), wanted: Some(DType::Bool) }))
}

fn broadcast<'a>(input: &AnyView<'a>, mask: &AnyView<'a>, rules: &Rules) -> Result<(AnyView<'a>, AnyView<'a>)> {
    let op = Op::MaskedSelect;
    check_mask(op, mask, rules)?;
    rules.check_data(op, input.dtype())?;
    common(op, input, mask, rules)
}

/// Two views at their common broadcast shape.
fn common<'a>(op: Op, input: &AnyView<'a>, mask: &AnyView<'a>, rules: &Rules) -> Result<(AnyView<'a>, AnyView<'a>)> {
    let shape = broadcast_shapes([input.shape(), mask.shape()]).map_err(|d| {
        let shapes = [("input", input.shape()), ("mask", mask.shape())];
        rules.fail(Fault::shape(op, ShapeRule::BroadcastPair, d, &shapes))
    })?;
    let to = |v: &AnyView<'a>| -> Result<AnyView<'a>> { Ok(v.rearranged(0, v.layout().broadcast_to(op, &shape)?)) };
    Ok((to(input)?, to(mask)?))
}

/// The mask at the shape of the destination, which may not grow.
fn fitted<'a>(op: Op, dst: &AnyViewMut, mask: &AnyView<'a>, rules: &Rules) -> Result<AnyView<'a>> {
    match mask.layout().broadcast_to(op, dst.shape()) {
        Ok(layout) => Ok(mask.rearranged(0, layout)),
        Err(_) => {
            let grown = broadcast_shapes([dst.shape(), mask.shape()]);
            let fault = match grown {
                Ok(grown) => {
                    let shapes = [("self", dst.shape()), ("result", &grown[..]), ("mask", mask.shape())];
                    Fault::shape(op, ShapeRule::InPlace, 0, &shapes)
                }
                Err(d) => {
                    let shapes = [("self", dst.shape()), ("mask", mask.shape())];
                    Fault::shape(op, ShapeRule::BroadcastPair, d, &shapes)
                }
            };
            Err(rules.fail(fault))
        }
    }
}

/// A value that must be one number for elements of `dtype`: the number, or the element of a 0-d array; `None` where no number
/// says it, or says less than its element: float32 has another text than the double of the same value, and bfloat16 none.
pub(crate) fn one_value(op: Op, value: &Source<AnyView>, dtype: DType, rules: &Rules) -> Result<Option<Scalar>> {
    match value {
        Source::Scalar(s) => Ok(Some(*s)),
        Source::Array(v) if v.rank() == 0 && (v.dtype().is_foreign() || dtype.is_foreign()) => Ok(None),
        Source::Array(v) if v.rank() == 0 => {
            let scalar = v.bytes_at(&[]).and_then(|b| number::element_scalar(&b, v.dtype()));
            scalar.map(Some).ok_or_else(|| {
                rules.fail(Fault::DType { op, rule: DTypeRule::Unsupported, given: v.dtype(), wanted: None })
            })
        }
        Source::Array(v) => Err(rules.fail(Fault::shape(op, ShapeRule::ScalarValue, 0, &[("value", v.shape())]))),
    }
}

/// Fills `dst` with one value where `mask`, broadcast to it, is true. The value (a number or a 0-d array) is
/// range-checked even if nothing is selected.
///
/// Errors: kinds `DType`, `Shape`, `Value`; nothing is written on error. Cost: one pass over the mask; no memory.
/// Source: Tensor.masked_fill_ (SEMANTICS.md, Masks).
///
/// ```
/// use takewise::prelude::*;
/// let mut x = [1.0f32, f32::NAN, 3.0];
/// ops::masked_fill_(&mut (&mut x).into(), &[false, true, false], 0, &Rules::NEUTRAL)?;
/// assert_eq!(x, [1.0, 0.0, 3.0]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn masked_fill_<'a>(
    dst: &mut AnyViewMut,
    mask: impl Into<AnyView<'a>>,
    value: impl Into<Source<AnyView<'a>>>,
    rules: &Rules,
) -> Result<()> {
    let op = Op::MaskedFill;
    let mask = mask.into();
    let given = value.into();
    let value = one_value(op, &given, dst.dtype(), rules)?;
    check_mask(op, &mask, rules)?;
    let mask = fitted(op, dst, &mask, rules)?;
    rules.check_data(op, dst.dtype())?;
    let single = Single::of(op, value, &given, dst.dtype(), rules)?;
    fill(op, dst, &mask, &single.view(), rules)
}

/// Writes one element where a mask of the same shape is true.
pub(super) fn fill(op: Op, dst: &mut AnyViewMut, mask: &AnyView, single: &AnyView, rules: &Rules) -> Result<()> {
    let mut b = Builder::new(op, rules, dst.layout(), single.layout(), dst.dtype().size());
    b.select_for_one(mask.layout(), dst.layout().strides());
    exec::write(&b.build()?, single, std::slice::from_ref(mask), dst)
}

/// [`masked_fill_`] on a copy of `input` broadcast with `mask`; one pass makes and fills it.
///
/// ```
/// use takewise::prelude::*;
/// let x = View::new(&[1, 2, 3, 4], &[2, 2])?;
/// let got = ops::masked_fill(&x, &[true, false], 9, &Rules::NEUTRAL)?;
/// assert_eq!(got.to_vec::<i32>()?, [9, 2, 9, 4]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn masked_fill<'a>(
    input: impl Into<AnyView<'a>>,
    mask: impl Into<AnyView<'a>>,
    value: impl Into<Source<AnyView<'a>>>,
    rules: &Rules,
) -> Result<Tensor> {
    let (op, mask) = (Op::MaskedFill, mask.into());
    check_mask(op, &mask, rules)?;
    let (input, mask) = common(op, &input.into(), &mask, rules)?;
    let given = value.into();
    let value = one_value(op, &given, input.dtype(), rules)?;
    rules.check_data(op, input.dtype())?;
    let single = Single::of(op, value, &given, input.dtype(), rules)?;
    let value = single.view();
    let value = value.rearranged(0, value.layout().broadcast_to(op, input.shape())?);
    let layout = Layout::contiguous(input.shape(), input.dtype().size())?;
    blended(&mask, &value, &input, layout, input.dtype())
}

/// Stores the elements of `source`, in row-major order, at the places of `dst` where `mask` is true.
///
/// `source` may have any shape and more elements than needed. Errors: kinds `DType`, `Shape` (too few elements,
/// or a mask that would grow `dst`); nothing is written on error. Source: Tensor.masked_scatter_ (SEMANTICS.md, Masks).
///
/// ```
/// use takewise::prelude::*;
/// let mut x = [1, 2, 3];
/// ops::masked_scatter_(&mut (&mut x).into(), &[true, false, true], &[7, 8, 9], &Rules::NEUTRAL)?;
/// assert_eq!(x, [7, 2, 8]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn masked_scatter_<'a>(
    dst: &mut AnyViewMut,
    mask: impl Into<AnyView<'a>>,
    source: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<()> {
    let op = Op::MaskedScatter;
    let (mask, source) = (mask.into(), source.into());
    let mut keep = Made::default();
    let source = stored(op, dst.dtype(), &Source::Array(source), rules, &mut keep)?;
    check_mask(op, &mask, rules)?;
    let mask = fitted(op, dst, &mask, rules)?;
    rules.check_data(op, dst.dtype())?;
    let n = count(&mask);
    if source.numel() < n {
        let shapes = [("source", source.shape()), ("selected", &[n][..])];
        return Err(rules.fail(Fault::shape(op, ShapeRule::TooFew, 0, &shapes)));
    }
    store(op, dst, &mask, &source, n, rules)
}

/// [`masked_scatter_`] on a copy of `input` broadcast with `mask`.
///
/// ```
/// use takewise::prelude::*;
/// let got = ops::masked_scatter(&[1, 2, 3], &[false, true, true], &[7, 8], &Rules::NEUTRAL)?;
/// assert_eq!(got.to_vec::<i32>()?, [1, 7, 8]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn masked_scatter<'a>(
    input: impl Into<AnyView<'a>>,
    mask: impl Into<AnyView<'a>>,
    source: impl Into<AnyView<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    let mask = mask.into();
    check_mask(Op::MaskedScatter, &mask, rules)?;
    let (input, _) = common(Op::MaskedScatter, &input.into(), &mask, rules)?;
    copied(&input, |dst| masked_scatter_(dst, mask, source, rules))
}

/// Writes values, walked by flat position, where the mask is true.
fn store(op: Op, dst: &mut AnyViewMut, mask: &AnyView, values: &AnyView, n: usize, rules: &Rules) -> Result<()> {
    let mut b = Builder::new(op, rules, dst.layout(), values.layout(), dst.dtype().size());
    b.select(mask.layout(), dst.layout().strides(), n, 0);
    if n > 0 {
        b.flat_linear();
    }
    exec::write(&b.build()?, values, std::slice::from_ref(mask), dst)
}
