//! Arrays of other crates, indexed by takewise in place: [`ndarray`]'s, and with features candle's and burn's tensors.
//!
//! | from | to | cost |
//! |---|---|---|
//! | [`ndarray::ArrayRef`] (what every owned array and view derefs to) | [`View`], by [`view`] | free |
//! | the same, exclusively borrowed | [`ViewMut`], by [`view_mut`] | free |
//! | [`View`] | [`ArrayViewD`], by [`array_view`] | free, or an error |
//! | [`ViewMut`] | [`ArrayViewMutD`], by [`array_view_mut`] | free, or an error |
//! | [`View`] | [`ArrayD`], by [`to_array`] | one copy |
//! | [`ndarray::Array`], given away | [`Tensor`], by [`tensor`] | free |
//! | [`Tensor`], given away | [`ArrayD`], by [`into_array`] | free for a whole vector, else one copy |
//! | [`Tensor`], held open by [`Tensor::read`] | [`ArrayViewD`], by [`array_view`] of the guard's view | free |
//! | a tensor of candle's in main memory | [`AnyView`], by `candle::held` | free, or an error |
//! | a tensor of burn's backend Flex | [`AnyView`], by `burn::held` | free, or an error |
//!
//! Any strides go across: transposed, reversed (negative), broadcast (zero). This is a crate of its own so that
//! the versions of others stay out of takewise's interface. Its features are `ndarray` (on by default), `candle` and `burn`.
//!
//! ```
//! use ndarray::{array, s};
//! use takewise_ndarray::view;
//!
//! let table = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
//! let backwards = table.slice(s![..;-1, 1..]);
//! let v = view(&backwards)?;
//! assert_eq!(v.shape(), [2, 2]);
//! assert_eq!(v.to_vec(), [5.0, 6.0, 2.0, 3.0]);
//! # Ok::<(), takewise::Error>(())
//! ```
//!
//! Any operation takes such a view, and writes into the array in place. [`Indexing`] has the commonest as methods of arrays:
//!
//! ```
//! use ndarray::{Axis, array};
//! use takewise::prelude::*;
//! use takewise_ndarray::{Indexing, view, view_mut};
//!
//! let mut table = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
//! let picked = table.take(Axis(1), &array![2usize, 0])?;
//! assert_eq!(picked, array![[3.0, 1.0], [6.0, 4.0]].into_dyn());
//!
//! let rows = array![[1usize, 1, 0]];
//! ops::scatter_add_(&mut view_mut(&mut table)?.into(), 0, view(&rows)?, 10.0, &Rules::NEUTRAL)?;
//! assert_eq!(table, array![[1.0, 2.0, 13.0], [14.0, 15.0, 6.0]]);
//! # Ok::<(), Error>(())
//! ```
// Without ndarray there is nothing that these links lead to.
#![cfg_attr(not(feature = "ndarray"), allow(rustdoc::broken_intra_doc_links))]

#[cfg(feature = "ndarray")]
mod array;
#[cfg(feature = "burn")]
pub mod burn;
#[cfg(feature = "candle")]
pub mod candle;
#[cfg(feature = "ndarray")]
mod indexing;

#[cfg(feature = "ndarray")]
pub use array::{array_view, array_view_mut, into_array, tensor, to_array, view, view_mut};
#[cfg(feature = "ndarray")]
pub use indexing::Indexing;

/// The error of a tensor that another crate holds in a way that takewise does not read.
#[cfg(any(feature = "candle", feature = "burn"))]
fn refused(op: &'static &'static str, why: String) -> takewise::Error {
    use takewise::error::{ArgumentRule, Fault};
    takewise::Error::plain(Fault::text(takewise::op::Op::Named(op), ArgumentRule::Other, why))
}

// What the links above mean.
#[cfg(all(doc, feature = "ndarray"))]
use {
    ndarray::{ArrayD, ArrayViewD, ArrayViewMutD},
    takewise::{AnyView, Tensor, View, ViewMut},
};
