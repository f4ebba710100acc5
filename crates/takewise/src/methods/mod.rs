//! The operations as methods of [`Tensor`]: registration with the ledger, then the function of the same name.
//!
//! Three shapes of call cover all of them: reading operands, changing `self` in place, and filling a tensor the
//! caller passes as `out`.

mod convert;
mod copies;
mod search;
mod subscript;

use crate::autograd::RowGradient;
use crate::autograd::record::{self, Written};
use crate::dtype::Scalar;
use crate::error::Result;
use crate::exec::Reduce;
use crate::index::rules::Rules;
use crate::layout::{Dims, Layout, Slice};
use crate::op::{AddWay, Combine, Op, ReduceWay, ScatterWay};
use crate::ops::{self, Reads, Source, Value, filling, reading, writing};
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

/// Methods that read: `self` first, then the axis, then the tensors named, then plain arguments.
macro_rules! reads {
    ($($(#[$doc:meta])* $name:ident / $out:ident = [$op:expr]
        ($($axis:ident : $at:ty)?; $($t:ident),*; $($arg:ident : $ty:ty),*) |$r:ident, $rules:ident| $alloc:expr,
        |$o:ident| $into:expr, |$x:ident, $y:ident| $record:expr;)*) => {
        impl Tensor {$(
            $(#[$doc])*
            pub fn $name(&self, $($axis: $at,)? $($t: &Tensor,)* $($arg: $ty,)* $rules: &Rules) -> Result<Tensor> {
                // Tensors are large: the result is given back where it was made.
                let out = reading($op, &[self, $($t),*], $rules, |$r| $alloc);
                let $x = self;
                if let Ok($y) = &out {
                    $record;
                }
                out
            }

            #[doc = concat!("[`Tensor::", stringify!($name), "`] into `out`, which keeps its memory if it has the")]
            /// result's shape and is replaced otherwise (`true` if it had elements then). A wrong dtype is an error.
            pub fn $out(&self, $($axis: $at,)? $($t: &Tensor,)* $($arg: $ty,)* out: &mut Tensor, $rules: &Rules) -> Result<bool> {
                record::check_out($op, &[self, out, $($t),*])?;
                filling($op, out, &[self, $($t),*], $rules, |$r, $o| $into, |$r| $alloc)
            }
        )*}
    };
}

reads! {
    /// See [`crate::ops::gather`].
    gather / gather_out = [Op::Gather] (axis: i64; index;) |r, rules| ops::gather(r.get(0), axis, r.get(1), rules),
        |out| ops::gather_into(r.get(0), axis, r.get(1), out, rules),
        |x, y| record::gather(y, x, axis, index, false, rules);
    /// See [`crate::ops::take_along`].
    take_along / take_along_out = [Op::TakeAlongDim { flat: false }] (axis: Option<i64>; index;)
        |r, rules| ops::take_along(r.get(0), axis, r.get(1), rules),
        |out| ops::take_along_into(r.get(0), axis, r.get(1), out, rules),
        |x, y| record::take_along(y, x, axis, index, rules);
    /// See [`crate::ops::take`].
    take / take_out = [Op::Take] (; index;) |r, rules| ops::take(r.get(0), r.get(1), rules),
        |out| ops::take_into(r.get(0), r.get(1), out, rules),
        |x, y| record::take(y, x, index, rules);
    /// See [`crate::ops::take_axis`].
    take_axis / take_axis_out = [Op::Take] (axis: i64; index;) |r, rules| ops::take_axis(r.get(0), axis, r.get(1), rules),
        |out| ops::take_axis_into(r.get(0), axis, r.get(1), out, rules),
        |x, y| record::gather_axis(y, x, axis, index, 0, rules);
    /// See [`crate::ops::gather_axis`].
    gather_axis / gather_axis_out = [Op::GatherAxis] (axis: i64; index; batch_dims: i64)
        |r, rules| ops::gather_axis(r.get(0), axis, r.get(1), batch_dims, rules),
        |out| ops::gather_axis_into(r.get(0), axis, r.get(1), batch_dims, out, rules),
        |x, y| record::gather_axis(y, x, axis, index, batch_dims, rules);
    /// See [`crate::ops::gather_nd`].
    gather_nd / gather_nd_out = [Op::GatherNd] (; index; batch_dims: usize)
        |r, rules| ops::gather_nd(r.get(0), r.get(1), batch_dims, rules),
        |out| ops::gather_nd_into(r.get(0), r.get(1), batch_dims, out, rules),
        |x, y| record::gather_nd(y, x, index, batch_dims, rules);
    /// See [`crate::ops::index_select`].
    index_select / index_select_out = [Op::IndexSelect] (axis: i64; index;)
        |r, rules| ops::index_select(r.get(0), axis, r.get(1), rules),
        |out| ops::index_select_into(r.get(0), axis, r.get(1), out, rules),
        |x, y| record::index_select(y, x, axis, index, rules);
    /// See [`crate::ops::masked_select`].
    masked_select / masked_select_out = [Op::MaskedSelect] (; mask;)
        |r, rules| ops::masked_select(r.get(0), r.get(1), rules),
        |out| ops::masked_select_into(r.get(0), r.get(1), out, rules),
        |x, y| record::masked_select(y, x, mask, rules);
    /// See [`crate::ops::nonzero`].
    nonzero / nonzero_out = [Op::Nonzero] (;;) |r, rules| ops::nonzero(r.get(0), rules),
        |out| ops::nonzero_into(r.get(0), out, rules),
        |x, y| { let _ = (x, y); };
}

/// Methods that change `self` in place, and their functional forms.
macro_rules! writes {
    ($($(#[$doc:meta])* $name:ident / $place:ident = [$op:expr]
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
    put / put_ = [Op::PutInPlace] (; index; accumulate: bool) keeps false, tensors
        |r, v, rules| ops::put(r.get(0), r.get(1), v, accumulate, rules),
        |d, q| ops::put_(d, q.get(0), v, accumulate, rules),
        |to, source, old| record::put(to, index, source, accumulate, rules);
    /// See [`crate::ops::scatter`].
    scatter / scatter_ = [Op::Scatter] (axis: i64; index; reduce: Option<Reduce>) keeps reduce.is_some_and(|how| how != Reduce::Sum), tensors
        |r, v, rules| ops::scatter(r.get(0), axis, r.get(1), v, reduce, rules),
        |d, q| ops::scatter_(d, axis, q.get(0), v, reduce, rules),
        |to, source, old| record::scatter(to, axis, index, source, reduce, old, rules);
    /// See [`crate::ops::scatter_add`].
    scatter_add / scatter_add_ = [Op::ScatterAdd] (axis: i64; index;) keeps false, tensors
        |r, v, rules| ops::scatter_add(r.get(0), axis, r.get(1), v, rules),
        |d, q| ops::scatter_add_(d, axis, q.get(0), v, rules),
        |to, source, old| record::scatter_add(to, axis, index, source, rules);
    /// See [`crate::ops::scatter_reduce`].
    scatter_reduce / scatter_reduce_ = [Op::ScatterReduce(ScatterWay::Plain)] (axis: i64; index; reduce: Reduce, include_self: bool) keeps true, tensors
        |r, v, rules| ops::scatter_reduce(r.get(0), axis, r.get(1), v, reduce, include_self, rules),
        |d, q| ops::scatter_reduce_(d, axis, q.get(0), v, reduce, include_self, rules),
        |to, source, old| reduced(to, axis, index, source, reduce, include_self, old, rules);
    /// See [`crate::ops::index_fill`].
    index_fill / index_fill_ = [Op::IndexFill { subscript: false }] (axis: i64; index;) keeps false, tensors
        |r, v, rules| ops::index_fill(r.get(0), axis, r.get(1), v, rules),
        |d, q| ops::index_fill_(d, axis, q.get(0), v, rules),
        |to, source, old| record::index_fill(to, axis, index, source, rules);
    /// See [`crate::ops::masked_fill`].
    masked_fill / masked_fill_ = [Op::MaskedFill] (; mask;) keeps false, tensors
        |r, v, rules| ops::masked_fill(r.get(0), r.get(1), v, rules),
        |d, q| ops::masked_fill_(d, q.get(0), v, rules),
        |to, source, old| record::masked_fill(to, mask, source, rules);
    /// See [`crate::ops::put_along_`].
    put_along / put_along_ = [Op::PutAlongAxis] (axis: i64; index;) keeps false, tensors
        |r, v, rules| ops::copied(&r.get(0), |d| ops::put_along_(d, axis, r.get(1), v, rules)),
        |d, q| ops::put_along_(d, axis, q.get(0), v, rules),
        |to, source, old| record::put_along(to, axis, index, source, rules);
    /// See [`crate::ops::put_along_flat_`].
    put_along_flat / put_along_flat_ = [Op::PutAlongAxis] (; index;) keeps false, tensors
        |r, v, rules| ops::copied(&r.get(0), |d| ops::put_along_flat_(d, r.get(1), v, rules)),
        |d, q| ops::put_along_flat_(d, q.get(0), v, rules),
        |to, source, old| {
            let row = source.map(|s| if s.rank() > 1 { s.reshape(&[-1]) } else { Ok(s.clone()) }).transpose()?;
            let stretched = row.map(|s| s.broadcast_to(index.shape())).transpose()?;
            record::put(to, index, stretched.as_ref(), false, rules)
        };
    /// See [`crate::ops::scatter_nd_`].
    tensor_scatter / scatter_nd_ = [Op::TensorScatter(Combine::Update)] (; index; reduce: Option<Reduce>) keeps reduce.is_some_and(|how| how != Reduce::Sum), tensors
        |r, v, rules| ops::tensor_scatter(r.get(0), r.get(1), v, reduce, Op::TensorScatter(Combine::Update), rules),
        |d, q| ops::scatter_nd_(d, q.get(0), v, reduce, rules),
        |to, source, old| record::tensor_scatter(to, index, source, reduce, old, rules);
}

impl Tensor {
    /// See [`crate::ops::index_add`].
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
    pub fn index_add_(&self, axis: i64, index: &Tensor, source: &Tensor, alpha: Scalar, rules: &Rules) -> Result<()> {
        writing(Op::IndexAdd(AddWay::Plain), self, &[index, source], rules, |r, d| {
            ops::index_add_(d, axis, r.get(0), r.get(1), alpha, rules)
        })?;
        record::index_add(Written::InPlace(self), axis, index, source, alpha, rules);
        Ok(())
    }

    /// See [`crate::ops::index_copy`].
    pub fn index_copy(&self, axis: i64, index: &Tensor, source: &Tensor, rules: &Rules) -> Result<Tensor> {
        let out = reading(Op::IndexCopy, &[self, index, source], rules, |r| {
            ops::index_copy(r.get(0), axis, r.get(1), r.get(2), rules)
        })?;
        record::index_copy(Written::Copy { out: &out, of: self }, axis, index, source, rules);
        Ok(out)
    }

    /// [`Tensor::index_copy`] in place.
    pub fn index_copy_(&self, axis: i64, index: &Tensor, source: &Tensor, rules: &Rules) -> Result<()> {
        writing(Op::IndexCopy, self, &[index, source], rules, |r, d| {
            ops::index_copy_(d, axis, r.get(0), r.get(1), rules)
        })?;
        record::index_copy(Written::InPlace(self), axis, index, source, rules);
        Ok(())
    }

    /// See [`crate::ops::index_reduce`].
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
    pub fn masked_scatter(&self, mask: &Tensor, source: &Tensor, rules: &Rules) -> Result<Tensor> {
        let out = reading(Op::MaskedScatter, &[self, mask, source], rules, |r| {
            ops::masked_scatter(r.get(0), r.get(1), r.get(2), rules)
        })?;
        record::masked_scatter(Written::Copy { out: &out, of: self }, mask, source, rules);
        Ok(out)
    }

    /// [`Tensor::masked_scatter`] in place.
    pub fn masked_scatter_(&self, mask: &Tensor, source: &Tensor, rules: &Rules) -> Result<()> {
        writing(Op::MaskedScatter, self, &[mask, source], rules, |r, d| {
            ops::masked_scatter_(d, r.get(0), r.get(1), rules)
        })?;
        record::masked_scatter(Written::InPlace(self), mask, source, rules);
        Ok(())
    }

    /// See [`crate::ops::nonzero_tuple`].
    pub fn nonzero_tuple(&self, rules: &Rules) -> Result<Vec<Tensor>> {
        reading(Op::Nonzero, &[self], rules, |r| ops::nonzero_tuple(r.get(0), rules))
    }

    /// `self` as the condition of [`crate::ops::where_`]; the result has dtype `dtype`.
    pub fn where_(&self, a: &Tensor, b: &Tensor, dtype: crate::DType, rules: &Rules) -> Result<Tensor> {
        let out =
            reading(Op::Where, &[self, a, b], rules, |r| ops::where_(r.get(0), r.get(1), r.get(2), dtype, rules))?;
        record::where_(&out, self, Some(a), Some(b), rules);
        Ok(out)
    }

    /// See [`crate::ops::select_scatter`].
    pub fn select_scatter(&self, axis: i64, index: i64, src: &Tensor, rules: &Rules) -> Result<Tensor> {
        let out = reading(Op::SelectScatter, &[self, src], rules, |r| {
            ops::select_scatter(r.get(0), axis, index, r.get(1), rules)
        })?;
        record::select_scatter(&out, self, src, axis, index, rules);
        Ok(out)
    }

    /// See [`crate::ops::slice_scatter`].
    pub fn slice_scatter(&self, axis: i64, slice: Slice, src: &Tensor, rules: &Rules) -> Result<Tensor> {
        let out = reading(Op::SliceScatter, &[self, src], rules, |r| {
            ops::slice_scatter(r.get(0), axis, slice, r.get(1), rules)
        })?;
        record::slice_scatter(&out, self, src, axis, slice, rules);
        Ok(out)
    }

    /// See [`crate::ops::diagonal_scatter`].
    pub fn diagonal_scatter(&self, offset: i64, axis1: i64, axis2: i64, src: &Tensor, rules: &Rules) -> Result<Tensor> {
        let out = reading(Op::DiagonalScatter, &[self, src], rules, |r| {
            ops::diagonal_scatter(r.get(0), offset, axis1, axis2, r.get(1), rules)
        })?;
        record::diagonal_scatter(&out, self, src, (offset, axis1, axis2), rules);
        Ok(out)
    }

    /// [`crate::ops::gather`] whose gradient is made of coordinates and values ([`crate::autograd::SparseCoo`]): torch's
    /// `sparse_grad=True`.
    pub fn gather_sparse(&self, axis: i64, index: &Tensor, rules: &Rules) -> Result<Tensor> {
        let out = reading(Op::Gather, &[self, index], rules, |r| ops::gather(r.get(0), axis, r.get(1), rules))?;
        record::gather(&out, self, axis, index, true, rules);
        Ok(out)
    }

    /// The rows of this table that `index` names: [`crate::ops::index_select`] along the first axis, torch's `embedding`.
    /// `gradient` says what the gradient of the table is like.
    pub fn rows(&self, index: &Tensor, gradient: RowGradient, rules: &Rules) -> Result<Tensor> {
        let flat = index.detach().reshape(&[-1])?;
        let out = reading(Op::IndexSelect, &[self, &flat], rules, |r| ops::index_select(r.get(0), 0, r.get(1), rules))?;
        let shape: Dims<usize> = index.shape().iter().chain(&self.shape()[1..]).copied().collect();
        let out = out.arranged(0, Layout::contiguous(&shape, out.dtype().size())?);
        record::rows(&out, self, index, gradient, rules);
        Ok(out)
    }

    /// See [`crate::ops::limit_rows_`].
    pub fn limit_rows_(&self, index: &Tensor, most: f64, kind: f64, rules: &Rules) -> Result<()> {
        writing(Op::EmbeddingRenorm, self, &[index], rules, |r, d| ops::limit_rows_(d, r.get(0), most, kind, rules))?;
        record::undefined(Written::InPlace(self), "embedding_renorm_");
        Ok(())
    }

    /// See [`crate::ops::sum`].
    pub fn sum(&self, axes: Option<&[i64]>, keep: bool, dtype: Option<crate::DType>) -> Result<Tensor> {
        let out =
            reading(Op::Sum, &[self], &Rules::NEUTRAL, |r| ops::sum(r.get(0), axes, keep, dtype, &Rules::NEUTRAL))?;
        record::sum(&out, self, axes, keep);
        Ok(out)
    }
}
