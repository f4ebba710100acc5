//! Kernels: the loops that touch elements, and the only code that looks at their bits.

#![allow(unsafe_code)]

pub(crate) mod compare;
pub mod convert;
pub(crate) mod lanes;
pub mod number;
pub(crate) mod order;
pub(crate) mod search;
pub(crate) mod sort;
