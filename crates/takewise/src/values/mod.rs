//! Numbers as elements, and what kernels do for whole arrays: casts, comparisons, which values fit, how many are not zero.

#![allow(unsafe_code)]

pub(crate) mod admit;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod nonzero;
pub(crate) mod number;
