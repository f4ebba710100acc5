//! The loops that [takewise](https://docs.rs/takewise) is built on, and the words they use: dtypes, threads, where an index value lands.
//!
//! An inner part of that crate, apart so that a change above the loops does not compile them again. What of it is for programs is named
//! there, with its documentation; the rest may change with every version, and trusts its callers. So all of it is hidden here.

#![deny(unsafe_code)]
#![allow(rustdoc::private_intra_doc_links)] // who reads this reads the source

#[doc(hidden)]
pub mod bounds;
#[doc(hidden)]
pub mod dims;
#[doc(hidden)]
pub mod dtype;
#[doc(hidden)]
pub mod fork;
#[doc(hidden)]
pub mod guard;
#[doc(hidden)]
pub mod kernel;
#[doc(hidden)]
pub mod once;
#[doc(hidden)]
pub mod rules;
#[doc(hidden)]
pub mod scratch;
#[doc(hidden)]
pub mod search;
#[doc(hidden)]
pub mod tags;
#[doc(hidden)]
pub mod threads;
