//! Means, extremes and running sums along axes.

use crate::autograd::record;
use crate::dtype::DType;
use crate::error::{Fault, Result, ShapeRule};
use crate::index::rules::Rules;
use crate::layout::{Dims, Layout};
use crate::node_op::NodeOp;
use crate::op::Op;
use crate::ops::{self, reading};
use crate::tensor::Tensor;

impl Tensor {
    /// See [`crate::ops::mean`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1.0, 2.0], [3.0, 4.0]]);
    /// assert_eq!(x.mean(Some(&[0]), false, None)?.to_vec::<f32>()?, [2.0, 3.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn mean(&self, axes: Option<&[i64]>, keep: bool, dtype: Option<DType>) -> Result<Tensor> {
        let rules = &Rules::NEUTRAL;
        let out = reading(Op::Mean, &[self], rules, |r| ops::mean(r.get(0), axes, keep, dtype, rules))?;
        record::mean(&out, self, axes, keep);
        Ok(out)
    }

    /// See [`crate::ops::cumsum`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// assert_eq!(tensor!([1, 2, 3]).cumsum(0, None, &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 3, 6]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn cumsum(&self, axis: i64, dtype: Option<DType>, rules: &Rules) -> Result<Tensor> {
        let out = reading(Op::CumSum, &[self], rules, |r| ops::cumsum(r.get(0), axis, dtype, rules))?;
        record::cumsum(&out, self, axis);
        Ok(out)
    }

    /// See [`crate::ops::argmax`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// assert_eq!(tensor!([[1, 9], [3, 3]]).argmax(1, false, &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn argmax(&self, axis: i64, keep: bool, rules: &Rules) -> Result<Tensor> {
        reading(Op::ArgMax, &[self], rules, |r| ops::argmax(r.get(0), axis, keep, rules))
    }

    /// See [`crate::ops::argmin`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// assert_eq!(tensor!([[1, 9], [3, 3]]).argmin(0, true, &Rules::NEUTRAL)?.to_vec::<i64>()?, [0, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn argmin(&self, axis: i64, keep: bool, rules: &Rules) -> Result<Tensor> {
        reading(Op::ArgMin, &[self], rules, |r| ops::argmin(r.get(0), axis, keep, rules))
    }

    /// The greatest element along an axis, and where it stands first ([`crate::ops::argmax`]). The gradient goes to that one.
    ///
    /// Errors and cost as [`crate::ops::argmax`]. Source: `torch.max` along an axis.
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let (values, at) = tensor!([[1, 9], [3, 3]]).max_along(1, false, &Rules::NEUTRAL)?;
    /// assert_eq!((values.to_vec::<i64>()?, at.to_vec::<i64>()?), (vec![9, 3], vec![1, 0]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn max_along(&self, axis: i64, keep: bool, rules: &Rules) -> Result<(Tensor, Tensor)> {
        self.along(axis, keep, true, rules)
    }

    /// The least element along an axis, as [`Tensor::max_along`] finds the greatest.
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let (values, at) = tensor!([[1, 9], [3, 3]]).min_along(0, true, &Rules::NEUTRAL)?;
    /// assert_eq!((values.shape(), values.to_vec::<i64>()?, at.to_vec::<i64>()?), (&[1, 2][..], vec![1, 3], vec![0, 1]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn min_along(&self, axis: i64, keep: bool, rules: &Rules) -> Result<(Tensor, Tensor)> {
        self.along(axis, keep, false, rules)
    }

    fn along(&self, axis: i64, keep: bool, greatest: bool, rules: &Rules) -> Result<(Tensor, Tensor)> {
        let (op, name) = if greatest { (Op::Max, NodeOp::Max) } else { (Op::Min, NodeOp::Min) };
        let (at, mut values) = reading(op, &[self], rules, |r| {
            let at = match greatest {
                true => ops::argmax(r.get(0), axis, true, rules),
                false => ops::argmin(r.get(0), axis, true, rules),
            };
            // The positions lead to the values; of neither it is said twice where it comes from.
            let at = ops::worked_out(at.map_err(|e| e.in_op(op))?)?;
            let values = match self.rank() {
                0 => ops::copy(&r.get(0))?,
                _ => ops::gather(r.get(0), axis, at.read_any()?.view(), &Rules::NEUTRAL)?,
            };
            Ok((at, values))
        })?;
        let mut given = at.clone();
        if !keep {
            let layout = at.layout().squeeze(op, &[axis])?;
            given = given.arranged(0, layout.clone());
            let layout = values.layout().squeeze(op, &[axis])?;
            values = values.arranged(0, layout);
        }
        record::picked(&values, self, axis, &at, name);
        Ok((values, given))
    }

    /// The greatest element over `axes`, which are as those of [`crate::ops::sum`]; NaN where there is one. Those that are it share the
    /// gradient.
    ///
    /// Errors: kinds `Axis`, `Argument` (an axis twice), `DType` (records), `Memory`; `Shape` if nothing is compared.
    /// Cost: one pass; a copy more where the axes do not lie side by side in memory. Source: `torch.amax`, `numpy.max`.
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 9], [3, 3]]);
    /// assert_eq!(x.amax(None, false, &Rules::NEUTRAL)?.item()?, Scalar::Int(9));
    /// assert_eq!(x.amax(Some(&[0]), true, &Rules::NEUTRAL)?.to_vec::<i64>()?, [3, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn amax(&self, axes: Option<&[i64]>, keep: bool, rules: &Rules) -> Result<Tensor> {
        self.over(axes, keep, true, rules)
    }

    /// The least element over `axes`, as [`Tensor::amax`] finds the greatest.
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// assert_eq!(tensor!([[1, 9], [3, 3]]).amin(Some(&[1]), false, &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn amin(&self, axes: Option<&[i64]>, keep: bool, rules: &Rules) -> Result<Tensor> {
        self.over(axes, keep, false, rules)
    }

    fn over(&self, axes: Option<&[i64]>, keep: bool, greatest: bool, rules: &Rules) -> Result<Tensor> {
        let (op, name) = match (greatest, axes.is_none()) {
            (true, true) => (Op::Max, NodeOp::MaxAll),
            (true, false) => (Op::Max, NodeOp::AMax),
            (false, true) => (Op::Min, NodeOp::MinAll),
            (false, false) => (Op::Min, NodeOp::AMin),
        };
        let named = ops::named_axes(op, axes, self.rank(), rules)?;
        let (folded, kept): (Vec<usize>, Vec<usize>) = (0..self.rank()).partition(|d| named[*d]);
        let extent = |d: &usize| self.shape()[*d] as i64;
        let count: i64 = folded.iter().map(extent).product();
        let mut shape: Vec<i64> = kept.iter().map(extent).collect();
        let whole: Dims<usize> = (0..self.rank()).map(|d| if named[d] { 1 } else { self.shape()[d] }).collect();
        let given: Dims<usize> = if keep { whole } else { kept.iter().map(|d| self.shape()[*d]).collect() };
        if count == 0 {
            let axis = folded.iter().copied().find(|d| self.shape()[*d] == 0).unwrap_or(0);
            return Err(rules.fail(Fault::shape(op, ShapeRule::EmptyAxis, axis, &[("input", self.shape())])));
        }
        let order: Vec<i64> = kept.iter().chain(&folded).map(|d| *d as i64).collect();
        shape.push(count);
        let lanes = self.detach().permute(&order)?.reshape(&shape)?;
        let (values, _) = lanes.along(-1, false, greatest, rules)?;
        let layout = Layout::contiguous(&given, values.dtype().size())?;
        let values = values.arranged(0, layout);
        record::extreme(&values, self, axes, keep, name);
        Ok(values)
    }
}
