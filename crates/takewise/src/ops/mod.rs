//! Operations: what each is called, what it demands of its operands, and one call of the engine.

pub mod compare;
mod search;
mod sort;

pub use search::{Search, Values, bucketize, bucketize_into, digitize, searchsorted, searchsorted_into};
pub use sort::{argsort, sort};
