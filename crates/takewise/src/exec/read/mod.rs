//! Ways of reading.

pub(crate) mod fused;
pub(crate) mod shared;
pub(crate) mod transpose;
