//! How the libraries word a fault: the class of the exception and its first line.

pub(crate) mod arithmetic;
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
pub(crate) use phrase::torch_name;
pub use phrase::{mindspore_name, torch_class};
pub use torch::torch;

use takewise::{Error, Fault};

/// The name of the exception that an error is. NumPy has a class of its own for axes that are not there, a subclass of the one
/// that its words name.
pub(crate) fn exception(error: &Error) -> &'static str {
    let is_axis = matches!(error.fault(), Fault::Dim { .. });
    let is_numpy = || numpy(error.fault()).is_some_and(|(class, text)| class == error.class() && text == error.text());
    if is_axis && is_numpy() { "AxisError" } else { error.class().name() }
}
