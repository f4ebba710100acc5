//! The libraries as data: which functions exist, what they take, what they mean.

mod creation;
mod gradients;
pub(crate) mod jax;
pub(crate) mod mindspore;
pub(crate) mod numpy;
pub(crate) mod torch;
