//! Methods that read, each with its form into memory given.

use crate::autograd::record;
use crate::error::Result;
use crate::index::rules::Rules;
use crate::op::Op;
use crate::ops::{self, filling, reading};
use crate::tensor::Tensor;

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
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.gather(1, &tensor!([[1], [0]]), &Rules::NEUTRAL)?.to_vec::<i64>()?, [2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    gather / gather_out = [Op::Gather] (axis: i64; index;) |r, rules| ops::gather(r.get(0), axis, r.get(1), rules),
        |out| ops::gather_into(r.get(0), axis, r.get(1), out, rules),
        |x, y| record::gather(y, x, axis, index, false, rules);
    /// See [`crate::ops::take_along`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[3, 1], [2, 4]]);
    /// let order = x.argsort(1, false, true, &Rules::NEUTRAL)?;
    /// assert_eq!(x.take_along(Some(1), &order, &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 3, 2, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    take_along / take_along_out = [Op::TakeAlongDim { flat: false }] (axis: Option<i64>; index;)
        |r, rules| ops::take_along(r.get(0), axis, r.get(1), rules),
        |out| ops::take_along_into(r.get(0), axis, r.get(1), out, rules),
        |x, y| record::take_along(y, x, axis, index, rules);
    /// See [`crate::ops::take`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.take(&tensor!([3, 0]), &Rules::NEUTRAL)?.to_vec::<i64>()?, [4, 1]);
    /// # Ok::<(), Error>(())
    /// ```
    take / take_out = [Op::Take] (; index;) |r, rules| ops::take(r.get(0), r.get(1), rules),
        |out| ops::take_into(r.get(0), r.get(1), out, rules),
        |x, y| record::take(y, x, index, rules);
    /// See [`crate::ops::take_axis`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.take_axis(1, &tensor!([1, 1]), &Rules::NEUTRAL)?.to_vec::<i64>()?, [2, 2, 4, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    take_axis / take_axis_out = [Op::Take] (axis: i64; index;) |r, rules| ops::take_axis(r.get(0), axis, r.get(1), rules),
        |out| ops::take_axis_into(r.get(0), axis, r.get(1), out, rules),
        |x, y| record::gather_axis(y, x, axis, index, 0, rules);
    /// See [`crate::ops::gather_axis`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.gather_axis(1, &tensor!([[1], [0]]), 1, &Rules::NEUTRAL)?.to_vec::<i64>()?, [2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    gather_axis / gather_axis_out = [Op::GatherAxis] (axis: i64; index; batch_dims: i64)
        |r, rules| ops::gather_axis(r.get(0), axis, r.get(1), batch_dims, rules),
        |out| ops::gather_axis_into(r.get(0), axis, r.get(1), batch_dims, out, rules),
        |x, y| record::gather_axis(y, x, axis, index, batch_dims, rules);
    /// See [`crate::ops::gather_nd`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.gather_nd(&tensor!([[1, 0], [0, 1]]), 0, &Rules::NEUTRAL)?.to_vec::<i64>()?, [3, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    gather_nd / gather_nd_out = [Op::GatherNd] (; index; batch_dims: usize)
        |r, rules| ops::gather_nd(r.get(0), r.get(1), batch_dims, rules),
        |out| ops::gather_nd_into(r.get(0), r.get(1), batch_dims, out, rules),
        |x, y| record::gather_nd(y, x, index, batch_dims, rules);
    /// See [`crate::ops::index_select`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([[1, 2], [3, 4]]);
    /// assert_eq!(x.index_select(0, &tensor!([1, 0]), &Rules::NEUTRAL)?.to_vec::<i64>()?, [3, 4, 1, 2]);
    /// # Ok::<(), Error>(())
    /// ```
    index_select / index_select_out = [Op::IndexSelect] (axis: i64; index;)
        |r, rules| ops::index_select(r.get(0), axis, r.get(1), rules),
        |out| ops::index_select_into(r.get(0), axis, r.get(1), out, rules),
        |x, y| record::index_select(y, x, axis, index, rules);
    /// See [`crate::ops::masked_select`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// assert_eq!(x.masked_select(&tensor!([true, false, true]), &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    masked_select / masked_select_out = [Op::MaskedSelect] (; mask;)
        |r, rules| ops::masked_select(r.get(0), r.get(1), rules),
        |out| ops::masked_select_into(r.get(0), r.get(1), out, rules),
        |x, y| record::masked_select(y, x, mask, rules);
    /// See [`crate::ops::nonzero`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([0, 7, 0, 9]);
    /// assert_eq!(x.nonzero(&Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    nonzero / nonzero_out = [Op::Nonzero] (;;) |r, rules| ops::nonzero(r.get(0), rules),
        |out| ops::nonzero_into(r.get(0), out, rules),
        |x, y| { let _ = (x, y); };
}
