//! `put` and `put_along`: storing by flat position, and along one axis with broadcasting.

use super::at::{incoming, write_at};
use super::gather::gather_shape;
use super::{Made, Source, copied, stored, take};
use crate::error::{ArgumentRule, DTypeRule, Fault, Result, ShapeRule};
use crate::exec::Reduce;
use crate::index::rules::{Extent, Rules, ShortValues};
use crate::layout::Layout;
use crate::notes::listed;
use crate::op::Op;
use crate::plan::Address;
use crate::tensor::Tensor;
use crate::view::{AnyView, AnyViewMut};

/// Stores `source` at flat row-major positions of `dst`, whatever the strides; with `accumulate`, adds.
///
/// `source` has as many elements as `index` (any shape; under [`ShortValues::Repeat`] it is repeated or cut),
/// or is one number. Errors: kinds `DType`, `Shape`, `OutOfRange`, `Value`; nothing is written on error.
/// Cost: one pass over the index, and one more to check it first. Source: torch.put_, numpy.put.
///
/// ```
/// use takewise::prelude::*;
/// let mut x = [1, 2, 3, 4];
/// let mut dst = ViewMut::new(&mut x, &[2, 2])?.into();
/// ops::put_(&mut dst, &[3usize, 0, 3], &[10, 20, 30], false, &Rules::NEUTRAL)?;
/// ops::put_(&mut dst, &[1usize, 1], &[1, 1], true, &Rules::NEUTRAL)?;
/// assert_eq!(x, [20, 4, 3, 30]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn put_<'a>(
    dst: &mut AnyViewMut,
    index: impl Into<AnyView<'a>>,
    source: impl Into<Source<AnyView<'a>>>,
    accumulate: bool,
    rules: &Rules,
) -> Result<()> {
    let op = Op::PutInPlace;
    let (index, source) = (index.into(), source.into());
    if let Source::Array(v) = &source {
        if rules.short_values == ShortValues::Refuse {
            rules.check_index(op, index.dtype())?;
        }
        if rules.short_values == ShortValues::Refuse && rules.same_dtype && v.dtype().native() != dst.dtype().native() {
            let (given, wanted) = (v.dtype(), Some(dst.dtype()));
            return Err(rules.fail(Fault::DType { op, rule: DTypeRule::Same, given, wanted }));
        }
        if rules.short_values == ShortValues::Refuse && v.numel() != index.numel() {
            let shapes = [("source", v.shape()), ("index", index.shape())];
            return Err(rules.fail(Fault::shape(op, ShapeRule::Elements, 0, &shapes)));
        }
        if v.numel() == 0 && rules.short_values == ShortValues::Repeat {
            return Ok(());
        }
    }
    rules.check_data(op, dst.dtype())?;
    take::check(op, &dst.as_view(), &index, rules)?;
    let mut keep = Made::default();
    let mut repeated;
    let how = accumulate.then_some(Reduce::Sum);
    let (mut values, passage) = incoming(op, dst.dtype(), &source, how, rules, &mut keep)?;
    if matches!(source, Source::Array(_)) && values.numel() != index.numel() {
        repeated = repeat(&values, index.numel())?;
        values = repeated.unique_view().unwrap_or_else(|| AnyView::from(&[] as &[u8]));
    }
    let combine = how.map(|how| (how, true, passage.as_ref()));
    write_at(op, &Address::Flat, dst, &index, &values, combine, rules)
}

/// [`put_`] on a dense copy of `input`.
///
/// ```
/// use takewise::prelude::*;
/// let got = ops::put(&[1, 2, 3], &[0isize, -1], 9, false, &Rules::NEUTRAL)?;
/// assert_eq!(got.to_vec::<i32>()?, [9, 2, 9]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn put<'a>(
    input: impl Into<AnyView<'a>>,
    index: impl Into<AnyView<'a>>,
    source: impl Into<Source<AnyView<'a>>>,
    accumulate: bool,
    rules: &Rules,
) -> Result<Tensor> {
    copied(&input.into(), |dst| put_(dst, index, source, accumulate, rules))
}

/// NumPy's short values: the elements over and over until there are `n`.
fn repeat(values: &AnyView, n: usize) -> Result<Tensor> {
    let mut b: Vec<i64> = Vec::new();
    b.try_reserve_exact(n)
        .map_err(|_| crate::Error::plain(Fault::Memory { op: Op::PutInPlace, bytes: n.checked_mul(8) }))?;
    b.extend((0..n).map(|k| (k % values.numel()) as i64));
    listed(&b);
    take::take(values, &b, &Rules::NEUTRAL)
}

/// NumPy's `put_along_axis`: `dst[i][index[i][j]] = values[i][j]` for `axis` 1; `dst`, `index` and `values`
/// broadcast off `axis`, `values` also along it.
///
/// Errors: kinds `Axis`, `DType`, `Shape`, `OutOfRange`; nothing is written on error. Source: numpy.put_along_axis.
///
/// ```
/// use takewise::prelude::*;
/// let mut x = [10, 30, 20, 60, 40, 50];
/// let mut dst = ViewMut::new(&mut x, &[2, 3])?.into();
/// ops::put_along_(&mut dst, 1, &View::new(&[1usize, 0], &[2, 1])?, 99, &Rules::NEUTRAL)?;
/// assert_eq!(x, [10, 99, 20, 99, 40, 50]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn put_along_<'a>(
    dst: &mut AnyViewMut,
    axis: i64,
    index: impl Into<AnyView<'a>>,
    values: impl Into<Source<AnyView<'a>>>,
    rules: &Rules,
) -> Result<()> {
    let op = Op::PutAlongAxis;
    let (index, source) = (index.into(), values.into());
    let rules = Rules { extent: Extent::Broadcast, ..*rules };
    let (at, shape) = gather_shape(op, dst, axis, &index, &rules)?;
    let mut keep = Made::default();
    let values = stored(op, dst.dtype(), &source, &rules, &mut keep)?;
    let layout = values.layout().broadcast_to(op, &shape).map_err(|e| e.in_words(rules.words))?;
    let values = values.rearranged(0, layout);
    write_at(op, &at, dst, &index, &values, None, &rules)
}

/// NumPy's `put_along_axis` without an axis: `values` at positions of the flattened `dst`, whatever its strides. `index` is
/// one-dimensional, and the values broadcast to it.
///
/// Errors: kinds `Argument` (an index of another rank), `Shape`, `DType`, `OutOfRange`; nothing is written on error.
///
/// ```
/// use takewise::{ops, Rules, View, ViewMut};
/// let mut x = [10i64, 30, 20, 60, 40, 50];
/// let mut dst = ViewMut::new(&mut x, &[2, 3]).unwrap().into();
/// ops::put_along_flat_(&mut dst, &View::from(&[1i64, 5][..]), -1, &Rules::NEUTRAL).unwrap();
/// assert_eq!(x, [10, -1, 20, 60, 40, -1]);
/// ```
pub fn put_along_flat_<'a>(
    dst: &mut AnyViewMut,
    index: impl Into<AnyView<'a>>,
    values: impl Into<Source<AnyView<'a>>>,
    rules: &Rules,
) -> Result<()> {
    let op = Op::PutAlongAxis;
    let index = index.into();
    if index.rank() != 1 {
        let text = "when axis=None, `indices` must have a single dimension.";
        return Err(rules.fail(Fault::text(op, ArgumentRule::Other, text)));
    }
    let values = match values.into() {
        Source::Array(v) => {
            let idle = v.shape().iter().take(v.rank().saturating_sub(1)).take_while(|n| **n == 1).count();
            let own = Layout::new(&v.shape()[idle..], &v.layout().strides()[idle..])?;
            let layout = own.broadcast_to(op, index.shape()).map_err(|e| e.in_words(rules.words))?;
            Source::Array(v.rearranged(0, layout))
        }
        number => number,
    };
    let rules = Rules { short_values: ShortValues::Refuse, ..*rules };
    put_(dst, index, values, false, &rules).map_err(|e| e.in_op(op))
}
