//! Subscripts, written: `x[...] = v`, `index_put`, and accumulation through a subscript.

use super::assign::{put, set, store};
use super::get::with_open;
use super::{Source, copied};
use crate::Index;
use crate::error::Result;
use crate::exec::Reduce;
use crate::index::normalize;
use crate::index::rules::Rules;
use crate::op::Op;
use crate::tensor::Tensor;
use crate::view::{AnyView, AnyViewMut};

/// `dst[items] = value`.
///
/// What is written decides how: a view takes a converting broadcast copy; index arrays and masks take values of
/// the destination's dtype (if [`Rules::same_dtype`] says so, else converted); numbers are converted once, by
/// [`Rules::conversion`]. The value broadcasts to the shape reading `dst[items]` would have, leading axes of
/// extent 1 dropped first. Places named twice keep the last value in index order. Source: SEMANTICS.md, Assignment.
///
/// Errors: those of [`normalize()`]; kinds `Shape` (the value does not broadcast), `DType`, `Value` (the number
/// does not fit), `OutOfRange`; nothing is written on error. Cost: one pass over the values, one more over the
/// index values if some could be out of range; no temporaries but for converted values.
///
/// ```
/// use takewise::{Rules, ViewMut, ix, ops};
/// let mut x = [0i64; 6];
/// let mut dst = ViewMut::new(&mut x, &[2, 3]).unwrap().into();
/// ops::index_set_(&mut dst, &ix![.., &[2i64, 0]], &takewise::View::from(&[1i64, 2][..]), &Rules::NEUTRAL).unwrap();
/// ops::index_set_(&mut dst, &ix![0, 1], 9, &Rules::NEUTRAL).unwrap();
/// assert_eq!(x, [2, 9, 1, 2, 0, 1]);
/// ```
pub fn index_set_<'a>(
    dst: &mut AnyViewMut,
    items: &[Index<'_>],
    value: impl Into<Source<AnyView<'a>>>,
    rules: &Rules,
) -> Result<()> {
    let value = value.into();
    with_open(items, rules, |items| set(dst, items, &value, rules))
}

/// [`index_set_`] on a dense copy of `x`.
///
/// ```
/// use takewise::prelude::*;
/// let x = View::new(&[1, 2, 3, 4], &[2, 2])?;
/// let got = ops::index_set(&x, &ix![.., 0], &[8, 9], &Rules::NEUTRAL)?;
/// assert_eq!(got.to_vec::<i32>()?, [8, 2, 9, 4]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn index_set<'a>(
    x: impl Into<AnyView<'a>>,
    items: &[Index<'_>],
    value: impl Into<Source<AnyView<'a>>>,
    rules: &Rules,
) -> Result<Tensor> {
    copied(&x.into(), |dst| index_set_(dst, items, value, rules))
}

/// `dst[indices] = values`, or with `accumulate` added to, through a subscript of index arrays and masks.
///
/// `values` (an array of the dtype of `dst`, or a number) broadcasts to the shape reading would give. With
/// `accumulate`, places named twice receive every value, in index order; booleans are ORed.
///
/// Errors: as [`index_set_`], and kind `Shape` if `indices` is empty. Source: Tensor.index_put_.
///
/// ```
/// use takewise::{Rules, View, ViewMut, ix, ops};
/// let mut x = [0.0f32; 3];
/// let mut dst = ViewMut::from(&mut x[..]).into();
/// let ones = [1.0f32];
/// ops::index_put_(&mut dst, &ix![&[0i64, 0, 2]], &View::from(&ones[..]), true, &Rules::NEUTRAL).unwrap();
/// assert_eq!(x, [2.0, 0.0, 1.0]);
/// ```
pub fn index_put_<'a>(
    dst: &mut AnyViewMut,
    indices: &[Index<'_>],
    values: impl Into<Source<AnyView<'a>>>,
    accumulate: bool,
    rules: &Rules,
) -> Result<()> {
    let how = accumulate.then_some(Reduce::Sum);
    let values = values.into();
    with_open(indices, rules, |indices| put(dst, indices, &values, how, rules))
}

/// [`index_put_`] on a dense copy of `x`.
///
/// ```
/// use takewise::prelude::*;
/// let got = ops::index_put(&[1, 2, 3], &ix![&[0usize, 2]], &[8, 9], false, &Rules::NEUTRAL)?;
/// assert_eq!(got.to_vec::<i32>()?, [8, 2, 9]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn index_put<'a>(
    x: impl Into<AnyView<'a>>,
    indices: &[Index<'_>],
    values: impl Into<Source<AnyView<'a>>>,
    accumulate: bool,
    rules: &Rules,
) -> Result<Tensor> {
    copied(&x.into(), |dst| index_put_(dst, indices, values, accumulate, rules))
}

/// Combines `values` into `dst[items]`, once for every time a place is named, in index order: NumPy's `ufunc.at`
/// and JAX's `x.at[...].add`, `multiply`, `min`, `max`. Items may be of every kind.
///
/// Errors and broadcasting as [`index_set_`]. Source: NumPy's `ufunc.at`, JAX's `.at[...]` (SEMANTICS.md, Reductions).
///
/// ```
/// use takewise::{Reduce, Rules, ViewMut, ix, ops};
/// let mut x = [0, 0, 0];
/// let mut dst = ViewMut::from(&mut x[..]).into();
/// ops::index_accumulate_(&mut dst, &ix![&[0i64, 0, 2]], 1, Reduce::Sum, &Rules::NEUTRAL).unwrap();
/// assert_eq!(x, [2, 0, 1]);
/// ```
pub fn index_accumulate_<'a>(
    dst: &mut AnyViewMut,
    items: &[Index<'_>],
    values: impl Into<Source<AnyView<'a>>>,
    how: Reduce,
    rules: &Rules,
) -> Result<()> {
    let values = values.into();
    with_open(items, rules, |items| {
        let n = normalize(Op::IndexPut, dst.layout(), dst.dtype().size(), items, rules)?;
        store(Op::IndexPut, dst, &n, &values, Some(how), rules)
    })
}
