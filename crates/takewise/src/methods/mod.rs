//! The operations as methods of [`Tensor`]: registration with the ledger, then the function of the same name.
//!
//! Three shapes of call cover all of them: reading operands, changing `self` in place, and filling a tensor the
//! caller passes as `out`.

mod convert;
mod copies;
mod fold;
mod read;
mod search;
mod subscript;
mod write;

use crate::autograd::record::{self, Written};
use crate::dtype::Scalar;
use crate::error::Result;
use crate::exec::Reduce;
use crate::index::rules::Rules;
use crate::layout::Slice;
use crate::op::{AddWay, Op, ReduceWay};
use crate::ops::{self, reading, writing};
use crate::tensor::Tensor;

impl Tensor {
    /// See [`crate::ops::index_add`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// assert_eq!(x.index_add(0, &tensor!([0, 0]), &tensor!([5, 6]), 2.into(), &Rules::NEUTRAL)?.to_vec::<i64>()?, [23, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn index_add(
        &self,
        axis: i64,
        index: &Tensor,
        source: &Tensor,
        alpha: Scalar,
        rules: &Rules,
    ) -> Result<Tensor> {
        let out = reading(Op::IndexAdd(AddWay::Plain), &[self, index, source], rules, |r| {
            ops::index_add(r.get(0), axis, r.get(1), r.get(2), alpha, rules)
        })?;
        record::index_add(Written::Copy { out: &out, of: self }, axis, index, source, alpha, rules);
        Ok(out)
    }

    /// [`Tensor::index_add`] in place.
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// x.index_add_(0, &tensor!([0, 0]), &tensor!([5, 6]), 1.into(), &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [12, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn index_add_(&self, axis: i64, index: &Tensor, source: &Tensor, alpha: Scalar, rules: &Rules) -> Result<()> {
        writing(Op::IndexAdd(AddWay::Plain), self, &[index, source], rules, |r, d| {
            ops::index_add_(d, axis, r.get(0), r.get(1), alpha, rules)
        })?;
        record::index_add(Written::InPlace(self), axis, index, source, alpha, rules);
        Ok(())
    }

    /// See [`crate::ops::index_copy`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// assert_eq!(x.index_copy(0, &tensor!([2]), &tensor!([9]), &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 2, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn index_copy(&self, axis: i64, index: &Tensor, source: &Tensor, rules: &Rules) -> Result<Tensor> {
        let out = reading(Op::IndexCopy, &[self, index, source], rules, |r| {
            ops::index_copy(r.get(0), axis, r.get(1), r.get(2), rules)
        })?;
        record::index_copy(Written::Copy { out: &out, of: self }, axis, index, source, rules);
        Ok(out)
    }

    /// [`Tensor::index_copy`] in place.
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// x.index_copy_(0, &tensor!([2]), &tensor!([9]), &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [1, 2, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn index_copy_(&self, axis: i64, index: &Tensor, source: &Tensor, rules: &Rules) -> Result<()> {
        writing(Op::IndexCopy, self, &[index, source], rules, |r, d| {
            ops::index_copy_(d, axis, r.get(0), r.get(1), rules)
        })?;
        record::index_copy(Written::InPlace(self), axis, index, source, rules);
        Ok(())
    }

    /// See [`crate::ops::index_reduce`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// let (index, source) = (tensor!([0, 0]), tensor!([5, 6]));
    /// assert_eq!(x.index_reduce(0, &index, &source, Reduce::Max, true, &Rules::NEUTRAL)?.to_vec::<i64>()?, [6, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn index_reduce(
        &self,
        axis: i64,
        index: &Tensor,
        source: &Tensor,
        reduce: Reduce,
        include_self: bool,
        rules: &Rules,
    ) -> Result<Tensor> {
        let out = reading(Op::IndexReduce(ReduceWay::Plain), &[self, index, source], rules, |r| {
            ops::index_reduce(r.get(0), axis, r.get(1), r.get(2), reduce, include_self, rules)
        })?;
        record::index_reduce(
            Written::Copy { out: &out, of: self },
            axis,
            index,
            source,
            reduce,
            include_self,
            self,
            rules,
        );
        Ok(out)
    }

    /// [`Tensor::index_reduce`] in place.
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// let (index, source) = (tensor!([0, 0]), tensor!([5, 6]));
    /// x.index_reduce_(0, &index, &source, Reduce::Prod, false, &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [30, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn index_reduce_(
        &self,
        axis: i64,
        index: &Tensor,
        source: &Tensor,
        reduce: Reduce,
        include_self: bool,
        rules: &Rules,
    ) -> Result<()> {
        let old = record::before(self, source)?;
        writing(Op::IndexReduce(ReduceWay::Plain), self, &[index, source], rules, |r, d| {
            ops::index_reduce_(d, axis, r.get(0), r.get(1), reduce, include_self, rules)
        })?;
        if let Some(old) = old {
            record::index_reduce(Written::InPlace(self), axis, index, source, reduce, include_self, &old, rules);
        }
        Ok(())
    }

    /// See [`crate::ops::masked_scatter`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// assert_eq!(x.masked_scatter(&tensor!([true, false, true]), &tensor!([8, 9]), &Rules::NEUTRAL)?.to_vec::<i64>()?, [8, 2, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn masked_scatter(&self, mask: &Tensor, source: &Tensor, rules: &Rules) -> Result<Tensor> {
        let out = reading(Op::MaskedScatter, &[self, mask, source], rules, |r| {
            ops::masked_scatter(r.get(0), r.get(1), r.get(2), rules)
        })?;
        record::masked_scatter(Written::Copy { out: &out, of: self }, mask, source, rules);
        Ok(out)
    }

    /// [`Tensor::masked_scatter`] in place.
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// x.masked_scatter_(&tensor!([false, false, true]), &tensor!([9]), &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [1, 2, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn masked_scatter_(&self, mask: &Tensor, source: &Tensor, rules: &Rules) -> Result<()> {
        writing(Op::MaskedScatter, self, &[mask, source], rules, |r, d| {
            ops::masked_scatter_(d, r.get(0), r.get(1), rules)
        })?;
        record::masked_scatter(Written::InPlace(self), mask, source, rules);
        Ok(())
    }

    /// See [`crate::ops::nonzero_tuple`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[0, 7], [8, 0]]);
    /// let places = x.nonzero_tuple(&Rules::NEUTRAL)?;
    /// assert_eq!((places[0].to_vec::<i64>()?, places[1].to_vec::<i64>()?), (vec![0, 1], vec![1, 0]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn nonzero_tuple(&self, rules: &Rules) -> Result<Vec<Tensor>> {
        reading(Op::Nonzero, &[self], rules, |r| ops::nonzero_tuple(r.get(0), rules))
    }

    /// `self` as the condition of [`crate::ops::where_`]; the result has dtype `dtype`.
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let (a, b) = (tensor!([1, 2]), tensor!([7, 8]));
    /// assert_eq!(tensor!([true, false]).where_(&a, &b, DType::I64, &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 8]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn where_(&self, a: &Tensor, b: &Tensor, dtype: crate::DType, rules: &Rules) -> Result<Tensor> {
        let out =
            reading(Op::Where, &[self, a, b], rules, |r| ops::where_(r.get(0), r.get(1), r.get(2), dtype, rules))?;
        record::where_(&out, self, Some(a), Some(b), rules);
        Ok(out)
    }

    /// See [`crate::ops::select_scatter`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.select_scatter(1, 0, &tensor!([8, 9]), &Rules::NEUTRAL)?.to_vec::<i64>()?, [8, 2, 9, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn select_scatter(&self, axis: i64, index: i64, src: &Tensor, rules: &Rules) -> Result<Tensor> {
        let out = reading(Op::SelectScatter, &[self, src], rules, |r| {
            ops::select_scatter(r.get(0), axis, index, r.get(1), rules)
        })?;
        record::select_scatter(&out, self, src, axis, index, rules);
        Ok(out)
    }

    /// See [`crate::ops::slice_scatter`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// assert_eq!(x.slice_scatter(0, (1..).into(), &tensor!([8, 9]), &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 8, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn slice_scatter(&self, axis: i64, slice: Slice, src: &Tensor, rules: &Rules) -> Result<Tensor> {
        let out = reading(Op::SliceScatter, &[self, src], rules, |r| {
            ops::slice_scatter(r.get(0), axis, slice, r.get(1), rules)
        })?;
        record::slice_scatter(&out, self, src, axis, slice, rules);
        Ok(out)
    }

    /// See [`crate::ops::diagonal_scatter`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.diagonal_scatter(0, 0, 1, &tensor!([8, 9]), &Rules::NEUTRAL)?.to_vec::<i64>()?, [8, 2, 3, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn diagonal_scatter(&self, offset: i64, axis1: i64, axis2: i64, src: &Tensor, rules: &Rules) -> Result<Tensor> {
        let out = reading(Op::DiagonalScatter, &[self, src], rules, |r| {
            ops::diagonal_scatter(r.get(0), offset, axis1, axis2, r.get(1), rules)
        })?;
        record::diagonal_scatter(&out, self, src, (offset, axis1, axis2), rules);
        Ok(out)
    }

    /// [`crate::ops::gather`] whose gradient is made of coordinates and values ([`crate::autograd::SparseCoo`]): torch's
    /// `sparse_grad=True`.
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let mut x = tensor!([1.0, 2.0, 3.0]);
    /// x.requires_grad_(true)?;
    /// x.gather_sparse(0, &tensor!([2]), &Rules::NEUTRAL)?.sum(None, false, None)?.backward(None, false)?;
    /// assert_eq!(x.grad().unwrap().to_dense()?.to_vec::<f32>()?, [0.0, 0.0, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn gather_sparse(&self, axis: i64, index: &Tensor, rules: &Rules) -> Result<Tensor> {
        let out = reading(Op::Gather, &[self, index], rules, |r| ops::gather(r.get(0), axis, r.get(1), rules))?;
        record::gather(&out, self, axis, index, true, rules);
        Ok(out)
    }

    /// See [`crate::ops::limit_rows_`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let table = tensor!([[3.0, 4.0], [6.0, 8.0]]);
    /// table.limit_rows_(&tensor!([1]), 5.0, 2.0, &Rules::NEUTRAL)?; // to a length of 5
    /// assert!((table.to_vec::<f32>()?[3] - 4.0).abs() < 1e-3);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn limit_rows_(&self, index: &Tensor, most: f64, kind: f64, rules: &Rules) -> Result<()> {
        writing(Op::EmbeddingRenorm, self, &[index], rules, |r, d| ops::limit_rows_(d, r.get(0), most, kind, rules))?;
        record::undefined(Written::InPlace(self), "embedding_renorm_");
        Ok(())
    }

    /// See [`crate::ops::sum`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.sum(Some(&[0]), false, None)?.to_vec::<i64>()?, [4, 6]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn sum(&self, axes: Option<&[i64]>, keep: bool, dtype: Option<crate::DType>) -> Result<Tensor> {
        let out =
            reading(Op::Sum, &[self], &Rules::NEUTRAL, |r| ops::sum(r.get(0), axes, keep, dtype, &Rules::NEUTRAL))?;
        record::sum(&out, self, axes, keep);
        Ok(out)
    }
}
