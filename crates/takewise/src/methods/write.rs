//! Methods that change a tensor or a copy of it, at one array of places.

use crate::autograd::record::{self, Written};
use crate::error::Result;
use crate::exec::Reduce;
use crate::index::rules::Rules;
use crate::op::{Combine, Op, ScatterWay};
use crate::ops::{self, Reads, Source, reading, writing};
use crate::tensor::Tensor;
use crate::view::AnyView;
use crate::view::AnyViewMut;

/// Records `scatter_reduce` of a source or a number.
#[allow(clippy::too_many_arguments)] // the operation's own operands
fn reduced(
    to: Written,
    axis: i64,
    index: &Tensor,
    source: Option<&Tensor>,
    how: Reduce,
    include_self: bool,
    old: Option<&Tensor>,
    rules: &Rules,
) {
    match (source, old) {
        (Some(source), Some(old)) => record::scatter_reduce(to, axis, index, source, how, include_self, old, rules),
        (None, _) => record::undefined(to, "scatter_reduce of a number"),
        _ => {}
    }
}

/// A write that may take a tensor or a number.
fn storing<R>(
    op: Op,
    dst: &Tensor,
    index: &Tensor,
    value: Source<&Tensor>,
    rules: &Rules,
    f: impl FnOnce(Reads, Source<AnyView>, &mut AnyViewMut) -> Result<R>,
) -> Result<R> {
    match value {
        Source::Scalar(s) => writing(op, dst, &[index], rules, |r, d| f(r, Source::Scalar(s), d)),
        Source::Array(t) => writing(op, dst, &[index, t], rules, |r, d| f(r, Source::Array(r.get(1)), d)),
    }
}

/// The functional form of [`storing`].
fn changed(
    op: Op,
    index: &Tensor,
    this: &Tensor,
    value: Source<&Tensor>,
    rules: &Rules,
    f: impl FnOnce(Reads, Source<AnyView>) -> Result<Tensor>,
) -> Result<Tensor> {
    match value {
        Source::Scalar(s) => reading(op, &[this, index], rules, |r| f(r, Source::Scalar(s))),
        Source::Array(t) => reading(op, &[this, index, t], rules, |r| f(r, Source::Array(r.get(2)))),
    }
}

/// What a write in place is about to change, where the way back asks for it.
fn kept(dst: &Tensor, value: Source<&Tensor>, keeps: bool) -> Result<Option<Tensor>> {
    match value {
        Source::Array(source) if keeps => record::before(dst, source),
        _ => Ok(None),
    }
}

/// Records `put_along_flat`: a `put` of as many values as there are places.
fn put_flat(to: Written, index: &Tensor, source: Option<&Tensor>, rules: &Rules) -> Result<()> {
    let row = source.map(|s| if s.rank() > 1 { s.reshape(&[-1]) } else { Ok(s.clone()) }).transpose()?;
    let stretched = row.map(|s| s.broadcast_to(index.shape())).transpose()?;
    record::put(to, index, stretched.as_ref(), false, rules);
    Ok(())
}

impl Tensor {
    /// See [`crate::ops::put`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// assert_eq!(x.put(&tensor!([0, 2]), &tensor!([7, 8]), false, &Rules::NEUTRAL)?.to_vec::<i64>()?, [7, 2, 8]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn put<'v>(
        &self,
        index: &Tensor,
        value: impl Into<Source<&'v Tensor>>,
        accumulate: bool,
        rules: &Rules,
    ) -> Result<Tensor> {
        let value = value.into();
        let out = changed(Op::PutInPlace, index, self, value, rules, |r, v| {
            ops::put(r.get(0), r.get(1), v, accumulate, rules)
        })?;
        record::put(Written::Copy { out: &out, of: self }, index, value.array(), accumulate, rules);
        Ok(out)
    }

    /// [`Tensor::put`] in place.
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// x.put_(&tensor!([0]), 7, true, &Rules::NEUTRAL)?; // adds
    /// assert_eq!(x.to_vec::<i64>()?, [8, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn put_<'v>(
        &self,
        index: &Tensor,
        value: impl Into<Source<&'v Tensor>>,
        accumulate: bool,
        rules: &Rules,
    ) -> Result<()> {
        let value = value.into();
        storing(Op::PutInPlace, self, index, value, rules, |r, v, d| ops::put_(d, r.get(0), v, accumulate, rules))?;
        record::put(Written::InPlace(self), index, value.array(), accumulate, rules);
        Ok(())
    }

    /// See [`crate::ops::scatter`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// assert_eq!(x.scatter(0, &tensor!([2, 0]), &tensor!([7, 8]), None, &Rules::NEUTRAL)?.to_vec::<i64>()?, [8, 2, 7]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn scatter<'v>(
        &self,
        axis: i64,
        index: &Tensor,
        value: impl Into<Source<&'v Tensor>>,
        reduce: Option<Reduce>,
        rules: &Rules,
    ) -> Result<Tensor> {
        let value = value.into();
        let out = changed(Op::Scatter, index, self, value, rules, |r, v| {
            ops::scatter(r.get(0), axis, r.get(1), v, reduce, rules)
        })?;
        record::scatter(Written::Copy { out: &out, of: self }, axis, index, value.array(), reduce, Some(self), rules);
        Ok(out)
    }

    /// [`Tensor::scatter`] in place.
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// x.scatter_(0, &tensor!([2, 2]), 5, Some(Reduce::Sum), &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [1, 2, 13]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn scatter_<'v>(
        &self,
        axis: i64,
        index: &Tensor,
        value: impl Into<Source<&'v Tensor>>,
        reduce: Option<Reduce>,
        rules: &Rules,
    ) -> Result<()> {
        let value = value.into();
        let old = kept(self, value, reduce.is_some_and(|how| how != Reduce::Sum))?;
        storing(Op::Scatter, self, index, value, rules, |r, v, d| ops::scatter_(d, axis, r.get(0), v, reduce, rules))?;
        record::scatter(Written::InPlace(self), axis, index, value.array(), reduce, old.as_ref(), rules);
        Ok(())
    }

    /// See [`crate::ops::scatter_add`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// assert_eq!(x.scatter_add(0, &tensor!([1, 1]), &tensor!([5, 6]), &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 13, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn scatter_add<'v>(
        &self,
        axis: i64,
        index: &Tensor,
        value: impl Into<Source<&'v Tensor>>,
        rules: &Rules,
    ) -> Result<Tensor> {
        let value = value.into();
        let out = changed(Op::ScatterAdd, index, self, value, rules, |r, v| {
            ops::scatter_add(r.get(0), axis, r.get(1), v, rules)
        })?;
        record::scatter_add(Written::Copy { out: &out, of: self }, axis, index, value.array(), rules);
        Ok(out)
    }

    /// [`Tensor::scatter_add`] in place.
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// x.scatter_add_(0, &tensor!([1, 1]), &tensor!([5, 6]), &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [1, 13, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn scatter_add_<'v>(
        &self,
        axis: i64,
        index: &Tensor,
        value: impl Into<Source<&'v Tensor>>,
        rules: &Rules,
    ) -> Result<()> {
        let value = value.into();
        storing(Op::ScatterAdd, self, index, value, rules, |r, v, d| ops::scatter_add_(d, axis, r.get(0), v, rules))?;
        record::scatter_add(Written::InPlace(self), axis, index, value.array(), rules);
        Ok(())
    }

    /// See [`crate::ops::scatter_reduce`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// let (index, source) = (tensor!([1, 1]), tensor!([5, 6]));
    /// assert_eq!(x.scatter_reduce(0, &index, &source, Reduce::Max, true, &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 6, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn scatter_reduce<'v>(
        &self,
        axis: i64,
        index: &Tensor,
        value: impl Into<Source<&'v Tensor>>,
        reduce: Reduce,
        include_self: bool,
        rules: &Rules,
    ) -> Result<Tensor> {
        let value = value.into();
        let out = changed(Op::ScatterReduce(ScatterWay::Plain), index, self, value, rules, |r, v| {
            ops::scatter_reduce(r.get(0), axis, r.get(1), v, reduce, include_self, rules)
        })?;
        reduced(
            Written::Copy { out: &out, of: self },
            axis,
            index,
            value.array(),
            reduce,
            include_self,
            Some(self),
            rules,
        );
        Ok(out)
    }

    /// [`Tensor::scatter_reduce`] in place.
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// let (index, source) = (tensor!([1, 1]), tensor!([5, 6]));
    /// x.scatter_reduce_(0, &index, &source, Reduce::Prod, false, &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [1, 30, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn scatter_reduce_<'v>(
        &self,
        axis: i64,
        index: &Tensor,
        value: impl Into<Source<&'v Tensor>>,
        reduce: Reduce,
        include_self: bool,
        rules: &Rules,
    ) -> Result<()> {
        let value = value.into();
        let old = kept(self, value, true)?;
        storing(Op::ScatterReduce(ScatterWay::Plain), self, index, value, rules, |r, v, d| {
            ops::scatter_reduce_(d, axis, r.get(0), v, reduce, include_self, rules)
        })?;
        reduced(Written::InPlace(self), axis, index, value.array(), reduce, include_self, old.as_ref(), rules);
        Ok(())
    }

    /// See [`crate::ops::index_fill`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.index_fill(1, &tensor!([0]), 9, &Rules::NEUTRAL)?.to_vec::<i64>()?, [9, 2, 9, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn index_fill<'v>(
        &self,
        axis: i64,
        index: &Tensor,
        value: impl Into<Source<&'v Tensor>>,
        rules: &Rules,
    ) -> Result<Tensor> {
        let value = value.into();
        let out = changed(Op::IndexFill { subscript: false }, index, self, value, rules, |r, v| {
            ops::index_fill(r.get(0), axis, r.get(1), v, rules)
        })?;
        record::index_fill(Written::Copy { out: &out, of: self }, axis, index, value.array(), rules);
        Ok(out)
    }

    /// [`Tensor::index_fill`] in place.
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// x.index_fill_(0, &tensor!([1]), 9, &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [1, 2, 9, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn index_fill_<'v>(
        &self,
        axis: i64,
        index: &Tensor,
        value: impl Into<Source<&'v Tensor>>,
        rules: &Rules,
    ) -> Result<()> {
        let value = value.into();
        storing(Op::IndexFill { subscript: false }, self, index, value, rules, |r, v, d| {
            ops::index_fill_(d, axis, r.get(0), v, rules)
        })?;
        record::index_fill(Written::InPlace(self), axis, index, value.array(), rules);
        Ok(())
    }

    /// See [`crate::ops::masked_fill`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// assert_eq!(x.masked_fill(&tensor!([true, false, true]), 0, &Rules::NEUTRAL)?.to_vec::<i64>()?, [0, 2, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn masked_fill<'v>(
        &self,
        mask: &Tensor,
        value: impl Into<Source<&'v Tensor>>,
        rules: &Rules,
    ) -> Result<Tensor> {
        let value = value.into();
        let out =
            changed(Op::MaskedFill, mask, self, value, rules, |r, v| ops::masked_fill(r.get(0), r.get(1), v, rules))?;
        record::masked_fill(Written::Copy { out: &out, of: self }, mask, value.array(), rules);
        Ok(out)
    }

    /// [`Tensor::masked_fill`] in place.
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// x.masked_fill_(&tensor!([false, false, true]), 0, &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [1, 2, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn masked_fill_<'v>(&self, mask: &Tensor, value: impl Into<Source<&'v Tensor>>, rules: &Rules) -> Result<()> {
        let value = value.into();
        storing(Op::MaskedFill, self, mask, value, rules, |r, v, d| ops::masked_fill_(d, r.get(0), v, rules))?;
        record::masked_fill(Written::InPlace(self), mask, value.array(), rules);
        Ok(())
    }

    /// See [`crate::ops::put_along_`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.put_along(1, &tensor!([[1], [0]]), 9, &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 9, 9, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn put_along<'v>(
        &self,
        axis: i64,
        index: &Tensor,
        value: impl Into<Source<&'v Tensor>>,
        rules: &Rules,
    ) -> Result<Tensor> {
        let value = value.into();
        let out = changed(Op::PutAlongAxis, index, self, value, rules, |r, v| {
            ops::copied(&r.get(0), |d| ops::put_along_(d, axis, r.get(1), v, rules))
        })?;
        record::put_along(Written::Copy { out: &out, of: self }, axis, index, value.array(), rules);
        Ok(out)
    }

    /// [`Tensor::put_along`] in place.
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// x.put_along_(1, &tensor!([[1], [0]]), 9, &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [1, 9, 9, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn put_along_<'v>(
        &self,
        axis: i64,
        index: &Tensor,
        value: impl Into<Source<&'v Tensor>>,
        rules: &Rules,
    ) -> Result<()> {
        let value = value.into();
        storing(Op::PutAlongAxis, self, index, value, rules, |r, v, d| ops::put_along_(d, axis, r.get(0), v, rules))?;
        record::put_along(Written::InPlace(self), axis, index, value.array(), rules);
        Ok(())
    }

    /// See [`crate::ops::put_along_flat_`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.put_along_flat(&tensor!([3, 0]), 9, &Rules::NEUTRAL)?.to_vec::<i64>()?, [9, 2, 3, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn put_along_flat<'v>(
        &self,
        index: &Tensor,
        value: impl Into<Source<&'v Tensor>>,
        rules: &Rules,
    ) -> Result<Tensor> {
        let value = value.into();
        let out = changed(Op::PutAlongAxis, index, self, value, rules, |r, v| {
            ops::copied(&r.get(0), |d| ops::put_along_flat_(d, r.get(1), v, rules))
        })?;
        put_flat(Written::Copy { out: &out, of: self }, index, value.array(), rules)?;
        Ok(out)
    }

    /// [`Tensor::put_along_flat`] in place.
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// x.put_along_flat_(&tensor!([3, 0]), 9, &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [9, 2, 3, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn put_along_flat_<'v>(
        &self,
        index: &Tensor,
        value: impl Into<Source<&'v Tensor>>,
        rules: &Rules,
    ) -> Result<()> {
        let value = value.into();
        storing(Op::PutAlongAxis, self, index, value, rules, |r, v, d| ops::put_along_flat_(d, r.get(0), v, rules))?;
        put_flat(Written::InPlace(self), index, value.array(), rules)
    }

    /// See [`crate::ops::scatter_nd_`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.tensor_scatter(&tensor!([[1, 0]]), &tensor!([9]), None, &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 2, 9, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn tensor_scatter<'v>(
        &self,
        index: &Tensor,
        value: impl Into<Source<&'v Tensor>>,
        reduce: Option<Reduce>,
        rules: &Rules,
    ) -> Result<Tensor> {
        let value = value.into();
        let out = changed(Op::TensorScatter(Combine::Update), index, self, value, rules, |r, v| {
            ops::tensor_scatter(r.get(0), r.get(1), v, reduce, Op::TensorScatter(Combine::Update), rules)
        })?;
        record::tensor_scatter(Written::Copy { out: &out, of: self }, index, value.array(), reduce, Some(self), rules);
        Ok(out)
    }

    /// [`Tensor::tensor_scatter`] in place.
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// x.scatter_nd_(&tensor!([[1, 0]]), &tensor!([9]), Some(Reduce::Sum), &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [1, 2, 12, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn scatter_nd_<'v>(
        &self,
        index: &Tensor,
        value: impl Into<Source<&'v Tensor>>,
        reduce: Option<Reduce>,
        rules: &Rules,
    ) -> Result<()> {
        let value = value.into();
        let old = kept(self, value, reduce.is_some_and(|how| how != Reduce::Sum))?;
        storing(Op::TensorScatter(Combine::Update), self, index, value, rules, |r, v, d| {
            ops::scatter_nd_(d, r.get(0), v, reduce, rules)
        })?;
        record::tensor_scatter(Written::InPlace(self), index, value.array(), reduce, old.as_ref(), rules);
        Ok(())
    }
}
