//! How the libraries word a fault: the class of the exception and its first line.

mod jax;
mod mindspore;
mod nodes;
mod numpy;
mod phrase;
mod search;
mod torch;
mod torch_shape;

pub use jax::jax;
pub use mindspore::mindspore;
pub use nodes::{full_node_name, node_name};
pub use numpy::numpy;
pub use phrase::{mindspore_name, torch_class};
pub use torch::torch;
