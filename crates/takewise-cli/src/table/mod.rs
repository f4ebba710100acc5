//! The libraries as data: which functions exist, what they take, what they mean.

pub mod jax;
pub mod mindspore;
pub mod numpy;
pub mod torch;
