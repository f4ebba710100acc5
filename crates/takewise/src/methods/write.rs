//! Methods that change a tensor or a copy of it, at one array of places.

use crate::autograd::record::{self, Written};
use crate::error::Result;
use crate::exec::Reduce;
use crate::index::rules::Rules;
use crate::op::{Combine, Op, ScatterWay};
use crate::ops::{self, Reads, Source, Value, reading, writing};
use crate::tensor::Tensor;
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
    value: Value,
    rules: &Rules,
    f: impl FnOnce(Reads, Source, &mut AnyViewMut) -> Result<R>,
) -> Result<R> {
    match value {
        Value::Scalar(s) => writing(op, dst, &[index], rules, |r, d| f(r, Source::Scalar(s), d)),
        Value::Tensor(t) => writing(op, dst, &[index, t], rules, |r, d| f(r, Source::View(r.get(1)), d)),
    }
}

/// The functional form of [`storing`].
fn changed(
    op: Op,
    index: &Tensor,
    this: &Tensor,
    value: Value,
    rules: &Rules,
    f: impl FnOnce(Reads, Source) -> Result<Tensor>,
) -> Result<Tensor> {
    match value {
        Value::Scalar(s) => reading(op, &[this, index], rules, |r| f(r, Source::Scalar(s))),
        Value::Tensor(t) => reading(op, &[this, index, t], rules, |r| f(r, Source::View(r.get(2)))),
    }
}

/// Methods that change `self` in place, and their functional forms.
macro_rules! writes {
    ($($(#[$doc:meta])* $name:ident $(#[$more:meta])* / $place:ident = [$op:expr]
        ($($axis:ident : $at:ty)?; $index:ident; $($arg:ident : $ty:ty),*) keeps $keeps:expr, tensors
        |$r:ident, $source:ident, $rules:ident| $alloc:expr, |$d:ident, $q:ident| $write:expr,
        |$to:ident, $given:ident, $old:ident| $record:expr;)*) => {
        impl Tensor {$(
            $(#[$doc])*
            pub fn $name<'v>(&self, $($axis: $at,)? $index: &Tensor, value: impl Into<Value<'v>>, $($arg: $ty,)* $rules: &Rules) -> Result<Tensor> {
                let value = value.into();
                let out = changed($op, $index, self, value, $rules, |$r, $source| $alloc)?;
                let ($to, $given, $old) = (Written::Copy { out: &out, of: self }, value.tensor(), Some(self));
                let _ = $old;
                $record;
                Ok(out)
            }

            #[doc = concat!("[`Tensor::", stringify!($name), "`] in place.")]
            $(#[$more])*
            pub fn $place<'v>(&self, $($axis: $at,)? $index: &Tensor, value: impl Into<Value<'v>>, $($arg: $ty,)* $rules: &Rules) -> Result<()> {
                let value = value.into();
                let old = match value {
                    Value::Tensor(source) if $keeps => record::before(self, source)?,
                    _ => None,
                };
                storing($op, self, $index, value, $rules, |$q, $source, $d| $write)?;
                let ($to, $given, $old) = (Written::InPlace(self), value.tensor(), old.as_ref());
                let _ = $old;
                $record;
                Ok(())
            }
        )*}
    };
}

writes! {
    /// See [`crate::ops::put`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// assert_eq!(x.put(&tensor!([0, 2]), &tensor!([7, 8]), false, &Rules::NEUTRAL)?.to_vec::<i64>()?, [7, 2, 8]);
    /// # Ok::<(), Error>(())
    /// ```
    put
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// x.put_(&tensor!([0]), 7, true, &Rules::NEUTRAL)?; // adds
    /// assert_eq!(x.to_vec::<i64>()?, [8, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    / put_ = [Op::PutInPlace] (; index; accumulate: bool) keeps false, tensors
        |r, v, rules| ops::put(r.get(0), r.get(1), v, accumulate, rules),
        |d, q| ops::put_(d, q.get(0), v, accumulate, rules),
        |to, source, old| record::put(to, index, source, accumulate, rules);
    /// See [`crate::ops::scatter`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// assert_eq!(x.scatter(0, &tensor!([2, 0]), &tensor!([7, 8]), None, &Rules::NEUTRAL)?.to_vec::<i64>()?, [8, 2, 7]);
    /// # Ok::<(), Error>(())
    /// ```
    scatter
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// x.scatter_(0, &tensor!([2, 2]), 5, Some(Reduce::Sum), &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [1, 2, 13]);
    /// # Ok::<(), Error>(())
    /// ```
    / scatter_ = [Op::Scatter] (axis: i64; index; reduce: Option<Reduce>) keeps reduce.is_some_and(|how| how != Reduce::Sum), tensors
        |r, v, rules| ops::scatter(r.get(0), axis, r.get(1), v, reduce, rules),
        |d, q| ops::scatter_(d, axis, q.get(0), v, reduce, rules),
        |to, source, old| record::scatter(to, axis, index, source, reduce, old, rules);
    /// See [`crate::ops::scatter_add`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// assert_eq!(x.scatter_add(0, &tensor!([1, 1]), &tensor!([5, 6]), &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 13, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    scatter_add
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// x.scatter_add_(0, &tensor!([1, 1]), &tensor!([5, 6]), &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [1, 13, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    / scatter_add_ = [Op::ScatterAdd] (axis: i64; index;) keeps false, tensors
        |r, v, rules| ops::scatter_add(r.get(0), axis, r.get(1), v, rules),
        |d, q| ops::scatter_add_(d, axis, q.get(0), v, rules),
        |to, source, old| record::scatter_add(to, axis, index, source, rules);
    /// See [`crate::ops::scatter_reduce`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// let (index, source) = (tensor!([1, 1]), tensor!([5, 6]));
    /// assert_eq!(x.scatter_reduce(0, &index, &source, Reduce::Max, true, &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 6, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    scatter_reduce
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// let (index, source) = (tensor!([1, 1]), tensor!([5, 6]));
    /// x.scatter_reduce_(0, &index, &source, Reduce::Prod, false, &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [1, 30, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    / scatter_reduce_ = [Op::ScatterReduce(ScatterWay::Plain)] (axis: i64; index; reduce: Reduce, include_self: bool) keeps true, tensors
        |r, v, rules| ops::scatter_reduce(r.get(0), axis, r.get(1), v, reduce, include_self, rules),
        |d, q| ops::scatter_reduce_(d, axis, q.get(0), v, reduce, include_self, rules),
        |to, source, old| reduced(to, axis, index, source, reduce, include_self, old, rules);
    /// See [`crate::ops::index_fill`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.index_fill(1, &tensor!([0]), 9, &Rules::NEUTRAL)?.to_vec::<i64>()?, [9, 2, 9, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    index_fill
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// x.index_fill_(0, &tensor!([1]), 9, &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [1, 2, 9, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    / index_fill_ = [Op::IndexFill { subscript: false }] (axis: i64; index;) keeps false, tensors
        |r, v, rules| ops::index_fill(r.get(0), axis, r.get(1), v, rules),
        |d, q| ops::index_fill_(d, axis, q.get(0), v, rules),
        |to, source, old| record::index_fill(to, axis, index, source, rules);
    /// See [`crate::ops::masked_fill`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// assert_eq!(x.masked_fill(&tensor!([true, false, true]), 0, &Rules::NEUTRAL)?.to_vec::<i64>()?, [0, 2, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    masked_fill
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// x.masked_fill_(&tensor!([false, false, true]), 0, &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [1, 2, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    / masked_fill_ = [Op::MaskedFill] (; mask;) keeps false, tensors
        |r, v, rules| ops::masked_fill(r.get(0), r.get(1), v, rules),
        |d, q| ops::masked_fill_(d, q.get(0), v, rules),
        |to, source, old| record::masked_fill(to, mask, source, rules);
    /// See [`crate::ops::put_along_`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.put_along(1, &tensor!([[1], [0]]), 9, &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 9, 9, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    put_along
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// x.put_along_(1, &tensor!([[1], [0]]), 9, &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [1, 9, 9, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    / put_along_ = [Op::PutAlongAxis] (axis: i64; index;) keeps false, tensors
        |r, v, rules| ops::copied(&r.get(0), |d| ops::put_along_(d, axis, r.get(1), v, rules)),
        |d, q| ops::put_along_(d, axis, q.get(0), v, rules),
        |to, source, old| record::put_along(to, axis, index, source, rules);
    /// See [`crate::ops::put_along_flat_`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.put_along_flat(&tensor!([3, 0]), 9, &Rules::NEUTRAL)?.to_vec::<i64>()?, [9, 2, 3, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    put_along_flat
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// x.put_along_flat_(&tensor!([3, 0]), 9, &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [9, 2, 3, 9]);
    /// # Ok::<(), Error>(())
    /// ```
    / put_along_flat_ = [Op::PutAlongAxis] (; index;) keeps false, tensors
        |r, v, rules| ops::copied(&r.get(0), |d| ops::put_along_flat_(d, r.get(1), v, rules)),
        |d, q| ops::put_along_flat_(d, q.get(0), v, rules),
        |to, source, old| {
            let row = source.map(|s| if s.rank() > 1 { s.reshape(&[-1]) } else { Ok(s.clone()) }).transpose()?;
            let stretched = row.map(|s| s.broadcast_to(index.shape())).transpose()?;
            record::put(to, index, stretched.as_ref(), false, rules)
        };
    /// See [`crate::ops::scatter_nd_`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.tensor_scatter(&tensor!([[1, 0]]), &tensor!([9]), None, &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 2, 9, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    tensor_scatter
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// x.scatter_nd_(&tensor!([[1, 0]]), &tensor!([9]), Some(Reduce::Sum), &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [1, 2, 12, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    / scatter_nd_ = [Op::TensorScatter(Combine::Update)] (; index; reduce: Option<Reduce>) keeps reduce.is_some_and(|how| how != Reduce::Sum), tensors
        |r, v, rules| ops::tensor_scatter(r.get(0), r.get(1), v, reduce, Op::TensorScatter(Combine::Update), rules),
        |d, q| ops::scatter_nd_(d, q.get(0), v, reduce, rules),
        |to, source, old| record::tensor_scatter(to, index, source, reduce, old, rules);
}
