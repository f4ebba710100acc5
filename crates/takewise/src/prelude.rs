//! What most programs name: `use takewise::prelude::*`.
//!
//! ```
//! use takewise::prelude::*;
//!
//! let x = tensor!([[1, 2, 3], [4, 5, 6]]);
//! assert_eq!(x.index(&ix![.., step(.., -1)], &Rules::NEUTRAL)?.to_vec::<i64>()?, [3, 2, 1, 6, 5, 4]);
//! # Ok::<(), Error>(())
//! ```

pub use crate::index::{NewAxis, step};
pub use crate::{
    AnyView, AnyViewMut, DType, Element, Error, Index, Kind, Reduce, Rules, Scalar, Slice, Tensor, View, ViewMut, ix,
    ops, tensor,
};
