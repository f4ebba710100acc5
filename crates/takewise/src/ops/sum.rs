//! `sum`: adding over axes, for the scalar at the end of a computation and for gradients of broadcasting.

use super::{copy_into, dim, fresh};
use crate::dtype::DType;
use crate::error::{ArgumentRule, DTypeRule, Fault, Result};
use crate::exec::{self, Reduce};
use crate::index::rules::{Conversion, Rules};
use crate::layout::{Dims, Layout};
use crate::notes::{Location, Note, note, watched};
use crate::op::Op;
use crate::plan::Builder;
use crate::tensor::Tensor;
use crate::values::convert::convert_as;
use crate::view::{AnyView, AnyViewMut};

/// Elements converted and added at a time, so that memory beyond the result does not grow with the input.
const BLOCK: usize = 1 << 13;

/// The sum over `axes`, or over all if `None` (or none are named, as in torch). Summed axes disappear, or stay with
/// extent 1 if `keep` says so.
///
/// The result has dtype `dtype`, to which elements are first cast: by default the input's own, int64 for integers and
/// booleans. Floats are added in row-major order in float64 and rounded once, so the sum has the same bits at any
/// number of threads and no drift; integers wrap. torch adds float32 in float32, in an order that depends on the
/// processor: its sums differ in the last digits. Errors: kinds `Axis`, `Argument` (an axis twice), `DType` (records),
/// `Memory`. Cost: one pass, and one more with a copy for numbers in the other byte order.
///
/// ```
/// use takewise::{ops, Rules, View};
/// let x = View::new(&[1.0f32, 2.0, 3.0, 4.0], &[2, 2])?;
/// assert_eq!(ops::sum(&x, None, false, None, &Rules::NEUTRAL)?.to_vec::<f32>()?, [10.0]);
/// let rows = ops::sum(&x, Some(&[-1]), true, None, &Rules::NEUTRAL)?;
/// assert_eq!((rows.shape(), rows.to_vec::<f32>()?), (&[2, 1][..], vec![3.0, 7.0]));
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn sum<'a>(
    x: impl Into<AnyView<'a>>,
    axes: Option<&[i64]>,
    keep: bool,
    dtype: Option<DType>,
    rules: &Rules,
) -> Result<Tensor> {
    total(Op::Sum, x.into(), axes, keep, dtype, rules)
}

/// The mean over `axes`, which are as those of [`sum`]: the sum, divided by the number of elements before it is rounded.
///
/// The result has dtype `dtype`: by default the input's own, float64 for integers and booleans. The mean of no elements is NaN. In a
/// dtype of integers the sum wraps as that of [`sum`] does, and the quotient is cut towards zero, as `numpy.mean` has it. Errors as
/// [`sum`]. Cost: one pass.
///
/// ```
/// use takewise::{ops, Rules, View};
/// let x = View::new(&[1, 2, 3, 5], &[2, 2])?;
/// assert_eq!(ops::mean(&x, Some(&[1]), false, None, &Rules::NEUTRAL)?.to_vec::<f64>()?, [1.5, 4.0]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn mean<'a>(
    x: impl Into<AnyView<'a>>,
    axes: Option<&[i64]>,
    keep: bool,
    dtype: Option<DType>,
    rules: &Rules,
) -> Result<Tensor> {
    let x = x.into();
    let native = x.dtype().native();
    let whole = native == DType::Bool || native.is_integer();
    let dtype = dtype.unwrap_or(if whole { DType::F64 } else { native });
    total(Op::Mean, x, axes, keep, Some(dtype), rules)
}

/// Which of the axes of an array are named; all if `None` or none are.
pub(crate) fn named_axes(op: Op, axes: Option<&[i64]>, rank: usize, rules: &Rules) -> Result<Dims<bool>> {
    let mut named: Dims<bool> = smallvec::smallvec![axes.is_none_or(<[i64]>::is_empty); rank];
    for (k, &axis) in axes.unwrap_or_default().iter().enumerate() {
        let d = dim(op, axis, rank, rules)?;
        // A 0-d array has one axis, 0 and -1, and nothing to mark.
        if std::mem::replace(named.get_mut(d).unwrap_or(&mut (k > 0)), true) {
            return Err(rules.fail(Fault::argument(op, ArgumentRule::RepeatedDim, &[d as i64])));
        }
    }
    Ok(named)
}

fn total(
    op: Op,
    x: AnyView<'_>,
    axes: Option<&[i64]>,
    keep: bool,
    dtype: Option<DType>,
    rules: &Rules,
) -> Result<Tensor> {
    if x.dtype().is_foreign() {
        let rule = DTypeRule::Unsupported;
        return Err(rules.fail(Fault::DType { op, rule, given: x.dtype(), wanted: None }));
    }
    let mut room = None;
    let x = super::native(&x, &mut room)?;
    let own = x.dtype();
    let whole = own == DType::Bool || own.is_integer();
    let dtype = dtype.unwrap_or(if whole { DType::I64 } else { own });
    let summed = named_axes(op, axes, x.rank(), rules)?;
    let kept: Dims<usize> = x.shape().iter().zip(&summed).map(|(n, s)| if *s { 1 } else { *n }).collect();
    let mut total = fresh(&kept, wide(dtype), |out| add(&x, out, &summed, dtype))?;
    let sums = match op == Op::Mean && watched() {
        true => Some(Location::of(&total.read_any()?.view())),
        false => None,
    };
    let mut held = wide(dtype);
    if op == Op::Mean {
        if !held.is_float() && !held.is_complex() {
            let sums = std::mem::replace(&mut total, Tensor::zeroed(&[], DType::Bool)?);
            held = DType::F64;
            total = fresh(&kept, held, |out| convert_as(&sums.read_any()?.view(), out, Conversion::RangeChecked))?;
        }
        let count: usize = x.shape().iter().zip(&summed).filter(|(_, s)| **s).map(|(n, _)| n).product();
        let count = Tensor::full(&[], count as f64, held)?;
        let layout = count.layout().broadcast_to(op, &kept)?;
        if let (Some(mut sums), count) = (total.unique(), count.read_any()?) {
            combine(&mut sums, &count.view().rearranged(0, layout), Reduce::Div)?;
        }
    }
    if held != dtype {
        let exact = total;
        total = fresh(&kept, dtype, |out| convert_as(&exact.read_any()?.view(), out, Conversion::RangeChecked))?;
    }
    if let Some(sums) = sums {
        let to = Location::of(&total.read_any()?.view());
        note(|| Note::Mean { sums, to });
    }
    if keep {
        return Ok(total);
    }
    let left: Vec<i64> = (0..x.rank() as i64).filter(|d| summed[*d as usize]).collect();
    let layout = total.layout().squeeze(op, &left)?;
    Ok(total.arranged(0, layout))
}

/// `x` summed over what broadcasting `shape` to its shape added or stretched: the gradient of the broadcast.
pub(crate) fn sum_to(x: Tensor, shape: &[usize]) -> Result<Tensor> {
    if x.shape() == shape {
        return Ok(x);
    }
    let target: Vec<i64> = shape.iter().map(|n| *n as i64).collect();
    // Leading axes of extent 1 may have been dropped.
    let shape = &shape[shape.len().saturating_sub(x.rank())..];
    let lead = x.rank().saturating_sub(shape.len());
    let stretched = |d: &usize| *d < lead || (shape[d - lead] == 1 && x.shape()[*d] != 1);
    let axes: Vec<i64> = (0..x.rank()).filter(stretched).map(|d| d as i64).collect();
    let summed = if axes.is_empty() {
        x
    } else {
        sum(x.read_any()?.view(), Some(&axes), true, Some(x.dtype()), &Rules::NEUTRAL)?
    };
    summed.reshape(&target)
}

/// The dtype sums are kept in.
fn wide(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 | DType::F32 => DType::F64,
        DType::C64 => DType::C128,
        other => other,
    }
}

/// Adds `x`, cast to `via`, into `total`, which has extent 1 along the summed axes: block by block, in order.
fn add(x: &AnyView, total: &mut AnyViewMut, summed: &[bool], via: DType) -> Result<()> {
    if x.numel() > BLOCK {
        let longest = (0..x.rank()).rev().max_by_key(|d| x.shape()[*d]).unwrap_or(0);
        let (d, n) = (longest as i64, x.shape()[longest] as i64);
        for (start, length) in [(0, n / 2), (n / 2, n - n / 2)] {
            let part = x.narrow(d, start, length)?;
            match summed[longest] {
                true => add(&part, total, summed, via)?,
                false => add(&part, &mut total.reborrow().narrow(d, start, length)?, summed, via)?,
            }
        }
        return Ok(());
    }
    let (mut cast, mut widened) = (None, None);
    let block = super::converted(x, via, Conversion::IntegersChecked, &mut cast)?;
    let block = super::converted(&block, total.dtype(), Conversion::IntegersChecked, &mut widened)?;
    let mut b = Builder::new(Op::Sum, &Rules::NEUTRAL, total.layout(), block.layout(), total.dtype().size());
    for (d, &n) in block.shape().iter().enumerate() {
        let step = if summed[d] { 0 } else { total.layout().strides()[d] };
        b.index_loop(n, block.layout().strides()[d], step, &[]);
    }
    exec::accumulate(&b.build()?, &block, &[], total, Reduce::Sum, true)
}

/// Adds `src` into `dst`, of the same shape and dtype; `dst` may reach an element from several coordinates, as
/// windows and broadcast views do, and then receives all of them in an order that depends on the layout alone.
///
/// `to` is the memory `dst` reaches into, `offset` bytes before its first element: one axis of whole elements.
pub(crate) fn add_at(src: &AnyView, to: &mut AnyViewMut, offset: isize, dst: &Layout) -> Result<()> {
    // Loops that step are served as disjoint lanes; where they are not, the shortest is walked one by one.
    if crate::layout::meets_itself(dst, to.dtype().size()) {
        let live = |d: &usize| dst.shape()[*d] > 1 && dst.strides()[*d] != 0;
        let few = (0..dst.rank()).filter(live).count() < 2;
        if let Some(d) = (0..dst.rank()).filter(live).min_by_key(|d| dst.shape()[*d]).filter(|_| !few) {
            for k in 0..dst.shape()[d] {
                let (by, rest) = dst.select(d, k);
                add_at(&src.select(d as i64, k as i64)?, to, offset + by, &rest)?;
            }
            return Ok(());
        }
    }
    let mut b = Builder::new(Op::Sum, &Rules::NEUTRAL, to.layout(), src.layout(), to.dtype().size());
    b.offset(offset);
    for (d, &n) in src.shape().iter().enumerate() {
        b.index_loop(n, src.layout().strides()[d], dst.strides()[d], &[]);
    }
    exec::accumulate(&b.build()?, src, &[], to, Reduce::Sum, true)
}

/// Combines `src` into `dst`, element by element. Both have one shape and dtype.
pub(crate) fn combine(dst: &mut AnyViewMut, src: &AnyView, how: Reduce) -> Result<()> {
    let mut b = Builder::new(Op::Combine, &Rules::NEUTRAL, dst.layout(), src.layout(), src.dtype().size());
    for (d, &n) in src.shape().iter().enumerate() {
        b.free_loop(n, src.layout().strides()[d], dst.layout().strides()[d]);
    }
    exec::accumulate(&b.build()?, src, &[], dst, how, true)
}

/// A dense copy of `a` combined with `b`, element by element.
pub(crate) fn combined(a: &AnyView, b: &AnyView, how: Reduce) -> Result<Tensor> {
    fresh(a.shape(), a.dtype(), |out| {
        copy_into(a, out)?;
        combine(out, b, how)
    })
}
