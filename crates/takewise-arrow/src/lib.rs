//! Columns of Parquet files and of Arrow's IPC files as tensors, and tensors as such files.
//!
//! ```
//! use takewise::Tensor;
//! use takewise_arrow::{Format, Table, write};
//! # let dir = tempfile::tempdir()?;
//! # let path = dir.path().join("prices.parquet");
//! let (id, price) = (Tensor::from_vec(vec![3i64, 1], &[2])?, Tensor::from_vec(vec![0.5f32, 2.5], &[2])?);
//! write(std::fs::File::create(&path)?, Format::Parquet, &[("id", &id), ("price", &price)], 2)?;
//!
//! let table = Table::open(&path)?;
//! assert_eq!((table.rows(), table.columns()[1].name()), (2, "price"));
//! assert_eq!(table.tensor(&[1])?.to_vec::<f32>()?, [0.5, 2.5]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A column keeps its own dtype. Several columns become one array with an axis more, in the dtype that NumPy's `result_type`
//! names; a number that this dtype cannot hold is an error and not rounded. Dates and
//! bytes of one length are moved under NumPy's names for their dtypes, and so are texts, all as wide as the longest. What else is
//! no number, and values that are missing, are refused by name: there is no tensor for them.
//!
//! Of a Parquet file and of an Arrow file only the chosen columns are decoded. Files come from strangers: what they say of
//! lengths is compared with their size before memory is asked for, and a fault in the decoder is an error like others.

#![forbid(unsafe_code)]

mod columns;
mod error;
mod ipc;
mod join;
mod kind;
mod pq;
mod save;
mod table;

pub use error::Error;
pub use save::write;
pub use table::{Column, Table};
/// What kind of file a table is in.
pub use takewise_files::Columnar as Format;
