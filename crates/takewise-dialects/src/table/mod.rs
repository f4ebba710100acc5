//! The libraries as data: which functions exist, what they take, what they mean.

mod creation;
mod facts;
mod gradients;
pub(crate) mod jax;
mod jax_parts;
pub(crate) mod mindspore;
mod mindspore_parts;
pub(crate) mod numpy;
mod numpy_parts;
mod refusals;
mod subscripts;
pub(crate) mod torch;
mod torch_parts;
