//! How many parts a call is divided into, and the threads they run on.

pub(crate) use takewise_kernels::threads::{Bare, each, in_ranges, parts_for};
#[doc(inline)]
pub use takewise_kernels::threads::{on_threads, prepare, set_threads, threads, with_threads};
