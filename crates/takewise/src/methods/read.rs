//! Methods that read, each with its form into memory given.

use crate::autograd::{RowGradient, record};
use crate::error::Result;
use crate::index::rules::Rules;
use crate::layout::{Dims, Layout};
use crate::node_op::NodeOp;
use crate::op::Op;
use crate::ops::{self, filling, reading};
use crate::plan::Address;
use crate::tensor::Tensor;

impl Tensor {
    /// See [`crate::ops::gather`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.gather(1, &tensor!([[1], [0]]), &Rules::NEUTRAL)?.to_vec::<i64>()?, [2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn gather(&self, axis: i64, index: &Tensor, rules: &Rules) -> Result<Tensor> {
        let out = reading(Op::Gather, &[self, index], rules, |r| ops::gather(r.get(0), axis, r.get(1), rules));
        out.inspect(|out| record::gather(out, self, axis, index, false, rules))
    }

    /// [`Tensor::gather`] into `out`, which keeps its memory if it has the result's shape and is replaced otherwise
    /// (`true` if it had elements then). A wrong dtype is an error.
    pub fn gather_out(&self, axis: i64, index: &Tensor, out: &mut Tensor, rules: &Rules) -> Result<bool> {
        record::check_out(Op::Gather, &[self, out, index])?;
        filling(
            Op::Gather,
            out,
            &[self, index],
            rules,
            |r, out| ops::gather_into(r.get(0), axis, r.get(1), out, rules),
            |r| ops::gather(r.get(0), axis, r.get(1), rules),
        )
    }

    /// See [`crate::ops::take_along`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[3, 1], [2, 4]]);
    /// let order = x.argsort(1, false, true, &Rules::NEUTRAL)?;
    /// assert_eq!(x.take_along(Some(1), &order, &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 3, 2, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn take_along(&self, axis: Option<i64>, index: &Tensor, rules: &Rules) -> Result<Tensor> {
        let out = reading(Op::TakeAlongDim { flat: false }, &[self, index], rules, |r| {
            ops::take_along(r.get(0), axis, r.get(1), rules)
        });
        out.inspect(|out| record::take_along(out, self, axis, index, rules))
    }

    /// [`Tensor::take_along`] into `out`, which keeps its memory if it has the result's shape and is replaced otherwise
    /// (`true` if it had elements then). A wrong dtype is an error.
    pub fn take_along_out(&self, axis: Option<i64>, index: &Tensor, out: &mut Tensor, rules: &Rules) -> Result<bool> {
        record::check_out(Op::TakeAlongDim { flat: false }, &[self, out, index])?;
        filling(
            Op::TakeAlongDim { flat: false },
            out,
            &[self, index],
            rules,
            |r, out| ops::take_along_into(r.get(0), axis, r.get(1), out, rules),
            |r| ops::take_along(r.get(0), axis, r.get(1), rules),
        )
    }

    /// See [`crate::ops::take`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.take(&tensor!([3, 0]), &Rules::NEUTRAL)?.to_vec::<i64>()?, [4, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn take(&self, index: &Tensor, rules: &Rules) -> Result<Tensor> {
        let out = reading(Op::Take, &[self, index], rules, |r| ops::take(r.get(0), r.get(1), rules));
        out.inspect(|out| record::take(out, self, index, rules))
    }

    /// [`Tensor::take`] into `out`, which keeps its memory if it has the result's shape and is replaced otherwise
    /// (`true` if it had elements then). A wrong dtype is an error.
    pub fn take_out(&self, index: &Tensor, out: &mut Tensor, rules: &Rules) -> Result<bool> {
        record::check_out(Op::Take, &[self, out, index])?;
        filling(
            Op::Take,
            out,
            &[self, index],
            rules,
            |r, out| ops::take_into(r.get(0), r.get(1), out, rules),
            |r| ops::take(r.get(0), r.get(1), rules),
        )
    }

    /// See [`crate::ops::take_axis`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.take_axis(1, &tensor!([1, 1]), &Rules::NEUTRAL)?.to_vec::<i64>()?, [2, 2, 4, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn take_axis(&self, axis: i64, index: &Tensor, rules: &Rules) -> Result<Tensor> {
        let out = reading(Op::Take, &[self, index], rules, |r| ops::take_axis(r.get(0), axis, r.get(1), rules));
        out.inspect(|out| record::gather_axis(out, self, axis, index, 0, rules))
    }

    /// [`Tensor::take_axis`] into `out`, which keeps its memory if it has the result's shape and is replaced otherwise
    /// (`true` if it had elements then). A wrong dtype is an error.
    pub fn take_axis_out(&self, axis: i64, index: &Tensor, out: &mut Tensor, rules: &Rules) -> Result<bool> {
        record::check_out(Op::Take, &[self, out, index])?;
        filling(
            Op::Take,
            out,
            &[self, index],
            rules,
            |r, out| ops::take_axis_into(r.get(0), axis, r.get(1), out, rules),
            |r| ops::take_axis(r.get(0), axis, r.get(1), rules),
        )
    }

    /// See [`crate::ops::gather_axis`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.gather_axis(1, &tensor!([[1], [0]]), 1, &Rules::NEUTRAL)?.to_vec::<i64>()?, [2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn gather_axis(&self, axis: i64, index: &Tensor, batch_dims: i64, rules: &Rules) -> Result<Tensor> {
        let out = reading(Op::GatherAxis, &[self, index], rules, |r| {
            ops::gather_axis(r.get(0), axis, r.get(1), batch_dims, rules)
        });
        out.inspect(|out| record::gather_axis(out, self, axis, index, batch_dims, rules))
    }

    /// [`Tensor::gather_axis`] into `out`, which keeps its memory if it has the result's shape and is replaced otherwise
    /// (`true` if it had elements then). A wrong dtype is an error.
    pub fn gather_axis_out(
        &self,
        axis: i64,
        index: &Tensor,
        batch_dims: i64,
        out: &mut Tensor,
        rules: &Rules,
    ) -> Result<bool> {
        record::check_out(Op::GatherAxis, &[self, out, index])?;
        filling(
            Op::GatherAxis,
            out,
            &[self, index],
            rules,
            |r, out| ops::gather_axis_into(r.get(0), axis, r.get(1), batch_dims, out, rules),
            |r| ops::gather_axis(r.get(0), axis, r.get(1), batch_dims, rules),
        )
    }

    /// See [`crate::ops::gather_nd`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.gather_nd(&tensor!([[1, 0], [0, 1]]), 0, &Rules::NEUTRAL)?.to_vec::<i64>()?, [3, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn gather_nd(&self, index: &Tensor, batch_dims: usize, rules: &Rules) -> Result<Tensor> {
        let out =
            reading(Op::GatherNd, &[self, index], rules, |r| ops::gather_nd(r.get(0), r.get(1), batch_dims, rules));
        let at = (Op::GatherNd, Address::Nd { batch: batch_dims }, rules);
        let names = [NodeOp::GatherNd, NodeOp::ScatterNd];
        out.inspect(|out| record::read_at(out, self, self.shape(), names, at, &[index]))
    }

    /// [`Tensor::gather_nd`] into `out`, which keeps its memory if it has the result's shape and is replaced otherwise
    /// (`true` if it had elements then). A wrong dtype is an error.
    pub fn gather_nd_out(&self, index: &Tensor, batch_dims: usize, out: &mut Tensor, rules: &Rules) -> Result<bool> {
        record::check_out(Op::GatherNd, &[self, out, index])?;
        filling(
            Op::GatherNd,
            out,
            &[self, index],
            rules,
            |r, out| ops::gather_nd_into(r.get(0), r.get(1), batch_dims, out, rules),
            |r| ops::gather_nd(r.get(0), r.get(1), batch_dims, rules),
        )
    }

    /// See [`crate::ops::index_select`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.index_select(0, &tensor!([1, 0]), &Rules::NEUTRAL)?.to_vec::<i64>()?, [3, 4, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn index_select(&self, axis: i64, index: &Tensor, rules: &Rules) -> Result<Tensor> {
        let out =
            reading(Op::IndexSelect, &[self, index], rules, |r| ops::index_select(r.get(0), axis, r.get(1), rules));
        let at = (Op::IndexSelect, Address::slices(axis, self.rank()), rules);
        let names = [NodeOp::IndexSelect, NodeOp::IndexAdd];
        out.inspect(|out| record::read_at(out, self, self.shape(), names, at, &[index]))
    }

    /// [`Tensor::index_select`] into `out`, which keeps its memory if it has the result's shape and is replaced otherwise
    /// (`true` if it had elements then). A wrong dtype is an error.
    pub fn index_select_out(&self, axis: i64, index: &Tensor, out: &mut Tensor, rules: &Rules) -> Result<bool> {
        record::check_out(Op::IndexSelect, &[self, out, index])?;
        filling(
            Op::IndexSelect,
            out,
            &[self, index],
            rules,
            |r, out| ops::index_select_into(r.get(0), axis, r.get(1), out, rules),
            |r| ops::index_select(r.get(0), axis, r.get(1), rules),
        )
    }

    /// The rows of this table that `index` names: [`crate::ops::index_select`] along the first axis, torch's `embedding`.
    /// `gradient` says what the gradient of the table is like.
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let table = tensor!([[1, 2], [3, 4]]);
    /// let rows = table.rows(&tensor!([[1, 1]]), Default::default(), &Rules::NEUTRAL)?;
    /// assert_eq!((rows.shape(), rows.to_vec::<i64>()?), (&[1, 2, 2][..], vec![3, 4, 3, 4]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn rows(&self, index: &Tensor, gradient: RowGradient, rules: &Rules) -> Result<Tensor> {
        let flat = index.detach().reshape(&[-1])?;
        let out = reading(Op::IndexSelect, &[self, &flat], rules, |r| ops::index_select(r.get(0), 0, r.get(1), rules))?;
        let shape: Dims<usize> = index.shape().iter().chain(&self.shape()[1..]).copied().collect();
        let out = out.arranged(0, Layout::contiguous(&shape, out.dtype().size())?);
        record::rows(&out, self, index, gradient, rules);
        Ok(out)
    }

    /// See [`crate::ops::masked_select`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// assert_eq!(x.masked_select(&tensor!([true, false, true]), &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn masked_select(&self, mask: &Tensor, rules: &Rules) -> Result<Tensor> {
        let out = reading(Op::MaskedSelect, &[self, mask], rules, |r| ops::masked_select(r.get(0), r.get(1), rules));
        out.inspect(|out| record::masked_select(out, self, mask, rules))
    }

    /// [`Tensor::masked_select`] into `out`, which keeps its memory if it has the result's shape and is replaced otherwise
    /// (`true` if it had elements then). A wrong dtype is an error.
    pub fn masked_select_out(&self, mask: &Tensor, out: &mut Tensor, rules: &Rules) -> Result<bool> {
        record::check_out(Op::MaskedSelect, &[self, out, mask])?;
        filling(
            Op::MaskedSelect,
            out,
            &[self, mask],
            rules,
            |r, out| ops::masked_select_into(r.get(0), r.get(1), out, rules),
            |r| ops::masked_select(r.get(0), r.get(1), rules),
        )
    }

    /// See [`crate::ops::nonzero`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([0, 7, 0, 9]);
    /// assert_eq!(x.nonzero(&Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn nonzero(&self, rules: &Rules) -> Result<Tensor> {
        reading(Op::Nonzero, &[self], rules, |r| ops::nonzero(r.get(0), rules))
    }

    /// [`Tensor::nonzero`] into `out`, which keeps its memory if it has the result's shape and is replaced otherwise
    /// (`true` if it had elements then). A wrong dtype is an error.
    pub fn nonzero_out(&self, out: &mut Tensor, rules: &Rules) -> Result<bool> {
        record::check_out(Op::Nonzero, &[self, out])?;
        filling(
            Op::Nonzero,
            out,
            &[self],
            rules,
            |r, out| ops::nonzero_into(r.get(0), out, rules),
            |r| ops::nonzero(r.get(0), rules),
        )
    }
}
