//! The loops that [takewise](https://docs.rs/takewise) is built on, and the words they use: dtypes, threads, where an index value lands.
//!
//! An inner part of that crate, apart so that a change above the loops does not compile them again. What of it is for programs is named
//! there; the rest may change with every version, and trusts its callers.

#![deny(unsafe_code)]

pub mod bounds;
pub mod dims;
pub mod dtype;
pub mod fork;
pub mod guard;
pub mod kernel;
pub mod once;
pub mod rules;
pub mod scratch;
pub mod search;
pub mod tags;
pub mod threads;
