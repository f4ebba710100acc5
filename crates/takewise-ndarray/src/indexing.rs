//! The commonest operations as methods of ndarray's arrays.

use ndarray::{Array, Array1, ArrayD, ArrayRef, Axis, Dimension, Ix1};
use takewise::{Element, Index, Result, Rules, Scalar, Tensor, ops};

use crate::{into_array, view, view_mut};

/// Reads and writes by indices and masks, for every array and view of ndarray's whose elements takewise knows.
///
/// Indices are arrays of any integers, of any shape and strides, read in place. Negative ones count from the end, and one outside its
/// axis is an error that names axis, position and value ([`Rules::NEUTRAL`]). Other rules and all other operations are functions of
/// [`takewise::ops`] on [`view`]s of the arrays.
///
/// ```
/// use ndarray::{Axis, array};
/// use takewise::ix;
/// use takewise_ndarray::{Indexing, view};
///
/// let mut table = array![[1, 2, 3], [4, 5, 6]];
/// assert_eq!(table.take(Axis(1), &array![-1, 0])?, array![[3, 1], [6, 4]].into_dyn());
/// assert_eq!(table.gather(Axis(1), &array![[2u8, 0], [1, 1]])?, array![[3, 1], [5, 5]]);
/// assert_eq!(table.index(&ix![.., view(&array![2, 0])?])?, array![[3, 1], [6, 4]].into_dyn());
///
/// let large = table.mapv(|x| x > 4);
/// assert_eq!(table.masked_select(&large)?, array![5, 6]);
/// table.masked_fill_(&large, 0)?;
/// assert_eq!(table, array![[1, 2, 3], [4, 0, 0]]);
///
/// let error = table.take(Axis(0), &array![0, 7]).unwrap_err();
/// assert_eq!((error.axis(), error.value(), error.len()), (Some(0), Some(7), Some(2)));
/// # Ok::<(), takewise::Error>(())
/// ```
pub trait Indexing<T: Element, D: Dimension> {
    /// The parts at places along an axis: the axes of `index` stand where that axis stood. [`ops::take_axis`].
    fn take<I: Element, J: Dimension>(&self, axis: Axis, index: &ArrayRef<I, J>) -> Result<ArrayD<T>>;

    /// For each place of `index` the element there, but at the index's value along an axis. [`ops::gather`].
    fn gather<I: Element, J: Dimension>(&self, axis: Axis, index: &ArrayRef<I, J>) -> Result<Array<T, J>>;

    /// What a subscript names, as a new array: `array.index(&ix![.., -1])`. Arrays in it are [`view`]s. [`ops::index`].
    fn index(&self, subscript: &[Index<'_>]) -> Result<ArrayD<T>>;

    /// The elements where a mask is true, in row-major order. The mask's shape is broadcast. [`ops::masked_select`].
    fn masked_select<J: Dimension>(&self, mask: &ArrayRef<bool, J>) -> Result<Array1<T>>;

    /// Stores a value where a mask is true, in place. [`ops::masked_fill_`].
    fn masked_fill_<J: Dimension>(&mut self, mask: &ArrayRef<bool, J>, value: impl Into<Scalar>) -> Result<()>;
}

impl<T: Element, D: Dimension> Indexing<T, D> for ArrayRef<T, D> {
    fn take<I: Element, J: Dimension>(&self, axis: Axis, index: &ArrayRef<I, J>) -> Result<ArrayD<T>> {
        into_array(ops::take_axis(view(self)?, number(axis), view(index)?, &Rules::NEUTRAL)?)
    }

    fn gather<I: Element, J: Dimension>(&self, axis: Axis, index: &ArrayRef<I, J>) -> Result<Array<T, J>> {
        shaped(ops::gather(view(self)?, number(axis), view(index)?, &Rules::NEUTRAL)?, index.raw_dim())
    }

    fn index(&self, subscript: &[Index<'_>]) -> Result<ArrayD<T>> {
        into_array(ops::index(view(self)?, subscript, &Rules::NEUTRAL)?)
    }

    fn masked_select<J: Dimension>(&self, mask: &ArrayRef<bool, J>) -> Result<Array1<T>> {
        let found = ops::masked_select(view(self)?, view(mask)?, &Rules::NEUTRAL)?;
        let count = found.shape()[0];
        shaped(found, Ix1(count))
    }

    fn masked_fill_<J: Dimension>(&mut self, mask: &ArrayRef<bool, J>, value: impl Into<Scalar>) -> Result<()> {
        let value: Scalar = value.into();
        ops::masked_fill_(&mut view_mut(self)?.into(), view(mask)?, value, &Rules::NEUTRAL)
    }
}

/// An axis as the engine counts it. One that no array has stays one that no array has.
fn number(axis: Axis) -> i64 {
    i64::try_from(axis.index()).unwrap_or(i64::MAX)
}

/// A result with the dimensions that it is known to have.
fn shaped<T: Element, D: Dimension>(found: Tensor, shape: D) -> Result<Array<T, D>> {
    let elements = found.into_vec::<T>()?;
    Array::from_shape_vec(shape, elements).map_err(|_| crate::array::too_big(&"gather"))
}
