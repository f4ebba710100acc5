//! Exact and fast tensor indexing: the elements of an N-d strided array, read and written by index.
//!
//! Subscripts of every kind, gather, scatter, take, masks, nonzero, searchsorted and sort, on memory the caller owns.
//!
//! ```
//! use takewise::prelude::*;
//!
//! let table = View::new(&[1, 2, 3, 4, 5, 6], &[2, 3])?; // borrowed; any strides
//! let rules = &Rules::NEUTRAL;
//!
//! // Read by a list, beside a slice.
//! let columns = ops::index(&table, &ix![.., &[2usize, 0]], rules)?;
//! assert_eq!((columns.shape(), columns.to_vec::<i32>()?), (&[2, 2][..], vec![3, 1, 6, 4]));
//!
//! // Read by a mask.
//! let mask = View::new(&[false, true, false, true, true, false], &[2, 3])?;
//! assert_eq!(ops::index(&table, &ix![&mask], rules)?.to_vec::<i32>()?, [2, 4, 5]);
//!
//! // Sum values into places, into the caller's memory. Places that meet are summed in order.
//! let mut sums = [0.0f32; 3];
//! ops::scatter_add_(&mut (&mut sums).into(), 0, &[0usize, 2, 2], &[1.0f32, 2.0, 3.0], rules)?;
//! assert_eq!(sums, [1.0, 0.0, 5.0]);
//!
//! // A bad index is an error that says which one; nothing was read or written.
//! let error = ops::take(&[10, 20, 30], &[0usize, 3], rules).unwrap_err();
//! assert_eq!((error.kind(), error.position(), error.value()), (Kind::OutOfRange, Some(&[1][..]), Some(3)));
//! assert_eq!(
//!     error.to_string(),
//!     "take: index 3 is out of bounds for axis 0 with size 3 (position [1] of the index)\n  \
//!      the value equals the length: 1-based? valid are 0 to 2"
//! );
//! # Ok::<(), Error>(())
//! ```
//!
//! # Where to begin
//!
//! * [`ops`] has a function for each operation. It takes what is borrowed ([`View`], slices, arrays, `Vec`s) and gives a
//!   new [`Tensor`], fills memory (`_into`), or works in place (a trailing underscore).
//! * [`Tensor`] owns its elements and shares them with its views. It has methods of the same names, and gradients
//!   ([`grad`]).
//! * [`ix!`] writes a subscript, [`tensor!`] a tensor.
//! * [`Rules`] say what libraries differ in: negative values, values out of range, duplicates, dtypes, and in whose words
//!   an error speaks. [`Rules::NEUTRAL`] is the place to begin.
//! * [`Error`] tells the kind, the axis, the position in the index operand, the value, and how many values are bad.
//!
//! # Promises
//!
//! Every function is safe for every input, also if another thread changes index memory meanwhile, and returns an error where
//! it has no answer. A write that fails leaves its destination as it was. The number of threads never shows in a result.
//! Views are read and written in place, whatever their strides, and so are index operands of every integer type.
//!
//! # Features
//!
//! | feature | | what it adds |
//! |---|---|---|
//! | `rayon` | default | large calls run on several threads; without it every call runs on the caller's thread |

#![deny(unsafe_code)]

#[doc(hidden)] // its public name is `grad`
pub mod autograd;
pub mod chunks;
pub mod dtype;
pub mod error;
mod exec;
pub mod foreign;
pub mod index;
#[doc(hidden)] // for the crates of this workspace
pub mod internal;
pub mod layout;
mod memory;
mod methods;
mod node_op;
mod notes;
pub mod op;
pub mod ops;
pub mod plan;
pub mod prelude;
pub mod promote;
pub mod rules;
pub(crate) mod search;
pub mod strategy;
pub mod tensor;
pub mod threads;
mod values;
pub mod view;

pub(crate) use takewise_kernels::{bounds, dims, fork, guard, kernel, once, tags};

#[doc(inline)]
pub use autograd as grad;
pub use dtype::{DType, DTypeSet, Element, Scalar};
pub use error::{Class, Error, Fault, Kind, Result};
pub use exec::{Cpu, Reduce};
pub use layout::{Dims, Layout, Slice};
pub use op::Op;
pub use rules::Rules;
pub use tensor::{Index, OwnedIndex, Tensor};
pub use view::{AnyView, AnyViewMut, View, ViewMut};

pub use half::{bf16, f16};
pub use num_complex::Complex;
