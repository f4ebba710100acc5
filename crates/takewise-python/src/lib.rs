//! The extension module `takewise._takewise`: the engine on the arrays Python programs already hold.
//!
//! Three layers, and nothing semantic in any of them:
//!
//! * `border`: any Python object to an engine tensor over the same memory, and back to an
//!   array of the same library. The only place with `unsafe` code.
//! * `functions`: one short binding per operation, which names its arguments and picks a row of the rules.
//! * `tensor`, the class `takewise.Tensor`.

#![deny(unsafe_code)]

mod border;
mod error;
mod functions;
mod tensor;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
fn _takewise(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add_class::<tensor::PyTensor>()?;
    functions::register(m)
}
