//! The functions of `takewise` on anybody's arrays: the operations of the catalogue, and what has a form of its own.
//!
//! All follow the library's own rules ([`RULES`]): negative values count from the end, values outside raise,
//! the last of several stores to one place stays. Keyword arguments with one meaning everywhere change that. What is neither
//! policy nor work for several threads comes from the neutral table instead (`takewise._modules`).

mod arguments;
mod call;
mod chunks;
mod file;
mod indexer;
mod operations;
mod order;
mod prepared;
mod ranges;
mod read;
mod search;
mod subscript;
mod threads;
mod write;

use pyo3::prelude::*;
use takewise_operations::RULES;

/// Adds every function to the module.
pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    call::register(m)?;
    indexer::register(m)?;
    operations::register(m)?;
    chunks::register(m)?;
    file::register(m)?;
    prepared::register(m)?;
    subscript::register(m)?;
    threads::register(m)
}
