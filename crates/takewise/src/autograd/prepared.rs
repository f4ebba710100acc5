//! The gradients of prepared operations.

use super::places::losers;
use crate::error::{Fault, Result, ShapeRule};
use crate::exec::Reduce;
use crate::index::rules::Rules;
use crate::op::Op;
use crate::ops::{self, Prepared, fresh};
use crate::tensor::Tensor;
use crate::view::AnyView;

impl Prepared {
    /// The gradient of `x` in [`Prepared::read`], whose result has gradient `g`: zeros with `g` added at the places.
    ///
    /// Errors: kind `Shape` if `g` does not have [`Prepared::result_shape`]. Cost: one pass over `g`.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::Prepared;
    /// let places = Prepared::take(&[3], DType::F64, &[0usize, 2, 2], &Rules::NEUTRAL)?;
    /// assert_eq!(places.read_vjp(&[1.0, 2.0, 3.0])?.to_vec::<f64>()?, [1.0, 0.0, 5.0]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn read_vjp<'a>(&self, g: impl Into<AnyView<'a>>) -> Result<Tensor> {
        let g = g.into();
        if g.shape() != self.result_shape() {
            let shapes = [("gradient", g.shape()), ("result", self.result_shape())];
            return Err(self.rules().fail(Fault::shape(Op::Prepared, ShapeRule::Out, 0, &shapes)));
        }
        fresh(self.input_shape(), g.dtype(), |out| self.accumulate(&g, out, Reduce::Sum))
    }

    /// The gradients of the array and of the values, of [`Prepared::result_shape`], in [`Prepared::write`] into an array
    /// whose gradient afterwards is `g`: `g` without the places written, and `g` at the places, 0 for values that were
    /// overwritten by a later one.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::Prepared;
    /// let places = Prepared::take(&[3], DType::F64, &[0usize, 2], &Rules::NEUTRAL)?;
    /// let (array, values) = places.write_vjp(&[1.0, 2.0, 3.0])?;
    /// assert_eq!((array.to_vec::<f64>()?, values.to_vec::<f64>()?), (vec![0.0, 2.0, 0.0], vec![1.0, 3.0]));
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn write_vjp<'a>(&self, g: impl Into<AnyView<'a>>) -> Result<(Tensor, Tensor)> {
        let g = g.into();
        let mut values = self.read(&g)?;
        let lost = losers(self.input_shape(), self.result_shape(), |out, v| self.write(v, out), |x| self.read(x))?;
        if let Some(mut view) = values.unique() {
            ops::masked_fill_(&mut view, lost.read_any()?.view(), 0, &Rules::NEUTRAL)?;
        }
        Ok((ops::copied(&g, |out| self.write(0, out))?, values))
    }
}
