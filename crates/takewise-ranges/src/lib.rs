//! Rows of different lengths, held as one array of values and one of offsets.
//!
//! Row `r` is the values from `offsets[r]` up to, but without, `offsets[r + 1]`, along one axis. So are Arrow's lists and strings,
//! the rows of a CSR matrix, the neighbours of a graph's nodes, and a batch of sequences held together. A row may also be given by
//! where it starts and where it stops or how long it is, and then rows may overlap and leave gaps: see [`Rows`].
//!
//! All offsets are checked before anything is read, and all row numbers obey the rules of the call as index values do.
//!
//! ```
//! use takewise::{Op, Rules, tensor};
//! use takewise_ranges::{Rows, take};
//!
//! let (values, offsets) = (tensor!([1, 2, 3, 4, 5, 6]), tensor!([0, 2, 2, 6]));
//! let (picked, edges) = take(&values, Rows::Offsets(&offsets), Some(&tensor!([2, 0])), 0, &Rules::NEUTRAL)?;
//! assert_eq!(picked.to_vec::<i64>()?, [3, 4, 5, 6, 1, 2]);
//! assert_eq!(edges.to_vec::<i64>()?, [0, 4, 6]);
//! # Ok::<(), takewise::Error>(())
//! ```

#![forbid(unsafe_code)]

mod fold;
mod groups;
mod how;
mod moves;
mod number;
mod ranges;
mod reduce;
mod rows;
mod search;

pub use groups::*;
pub use how::How;
pub use moves::{pack, pad, positions, put, put_, repeat, take};
pub use ranges::Rows;
pub use reduce::{Reduction, reduce};
pub use rows::{offsets_of, range_ids};
pub use search::searchsorted;
