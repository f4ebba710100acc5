//! The extension module `takewise._takewise`: the engine on the arrays Python programs already hold.
//!
//! What it consists of, with nothing semantic in any of it:
//!
//! * `border`: any Python object to an engine tensor over the same memory, and back to an
//!   array of the same library. With `shim` and `jit` the only place with `unsafe` code.
//! * `library`: the libraries' own names, from the tables of `takewise-dialects`.
//! * `functions`: one short binding per operation, which names its arguments and picks a row of the rules.
//! * `tensor`, the class `takewise.Tensor`.
//! * `shim`: kernels that PyTorch's dispatcher calls without Python.
//! * `jit`: the handler by which programs that JAX has compiled call the operations.
//! * `explain`: what a call does, as data and as a picture.

#![deny(unsafe_code)]

mod border;
mod closing;
mod error;
mod explain;
mod functions;
mod jit;
mod known;
mod library;
mod shim;
mod tensor;
mod threads;
mod used;
mod watched;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
fn _takewise(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    // A child that is forked while another thread is in its first call finds nothing half made.
    takewise::threads::prepare();
    border::literal::prepare(m.py())?;
    border::foreign::register();
    tensor::register(m)?;
    library::register(m)?;
    threads::register(m)?;
    closing::register(m)?;
    shim::register(m)?;
    functions::register(m)?;
    border::register(m)?;
    explain::register(m)?;
    jit::register(m)
}
