//! Zarr arrays by index: `x[i, j]`, outer and pointwise subscripts, masks and `take`, reading the chunks that are touched and no
//! others, each once.
//!
//! The plan is the engine's ([`takewise::chunks`]): all index values are checked before anything is read, an error names axis,
//! value and position, and points are sorted by chunk. This crate reads the files: of a shard the index (kept for later reads) and
//! the ranges of the inner chunks that are touched, near ones at once. Metadata and codecs are those of the crate `zarrs`.
//!
//! Local folders and any [`Remote`] store; with the feature `remote` also what is behind http, https and s3 (`Array::open_url`).
//! Versions 2 and 3 of the format; numbers of all kinds, dates and fixed strings (which are moved under NumPy's name for their
//! dtype); the codecs `bytes`, `transpose`, `sharding_indexed`, `blosc`, `gzip`, `zlib`, `zstd` and `crc32c`. Everything else is refused by name when an array is opened.
//!
//! ```
//! # let folder = takewise_zarr::example();
//! use takewise::{index::step, ix};
//! let x = takewise_zarr::Array::open(folder.path())?;
//! let (mask, rows) = ([true, false, false, true, false], [0i64, -1]);
//! assert_eq!(x.index(&ix![&rows, 3])?.to_vec::<f32>()?, [3.0, 28.0]);
//! assert_eq!(x.index(&ix![step(.., -5), &mask])?.to_vec::<f32>()?, [25.0, 28.0, 0.0, 3.0]);
//! // The last two reads touched four files each at most, of nine.
//! assert!(x.traffic().requests <= 8);
//! # Ok::<(), takewise_zarr::Error>(())
//! ```

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod array;
mod chain;
mod create;
mod edit;
mod elements;
mod error;
mod example;
mod far;
mod meta;
mod pool;
mod read;
#[cfg(feature = "remote")]
mod remote;
mod shard;
mod staged;
mod store;
mod system;
mod write;

pub use array::Array;
pub use create::{Compressor, Create};
pub use error::{Error, Result};
#[doc(hidden)] // for the examples of this crate
pub use example::{Example, example};
pub use far::{Found, Remote};
pub use read::Traffic;
#[cfg(feature = "remote")]
pub use remote::Objects;
pub use store::Want;
