//! Arrays cut into chunks: which chunks an index touches, and what of each goes where.
//!
//! For stores and clusters that hold an array in pieces. [`Grid`] says how a shape is cut. [`Chunks`] is the plan of one index:
//! the touched chunks, and for each its places and those of the result, sorted and in index order, without a list of the grid and
//! without multiplying out what is a product. [`Assembly`] fills a result from chunks as they arrive, on any thread;
//! [`Touched::store`] and [`Touched::combine`] write into one.

pub use crate::exec::Assembly;
pub use crate::plan::chunks::{Chunks, Factor, Line, Points, Run, Touched};
pub use crate::plan::grid::Grid;
