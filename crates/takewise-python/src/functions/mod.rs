//! The functions of `takewise` on anybody's arrays: one short binding per operation.
//!
//! All follow the library's own rules ([`Rules::NEUTRAL`]): negative values count from the end, values outside raise,
//! the last of several stores to one place stays. Keyword arguments with one meaning everywhere change that. What is neither
//! policy nor work for several threads comes from the neutral table instead (`takewise._modules`).

mod arguments;
mod chunks;
mod file;
mod indexer;
mod operations;
mod prepared;
mod read;
mod search;
mod subscript;
mod write;

use pyo3::prelude::*;
use takewise::Rules;
use takewise::index::rules::{Casting, Conversion};

/// The neutral rules; values are cast to the dtype of the array they are stored in if they stay what they are, and numbers
/// judged as NumPy does.
const RULES: Rules =
    Rules { same_dtype: false, conversion: Conversion::IntegersChecked, casting: Casting::SameKind, ..Rules::NEUTRAL };

/// Adds every function to the module.
pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    read::register(m)?;
    write::register(m)?;
    search::register(m)?;
    subscript::register(m)?;
    indexer::register(m)?;
    operations::register(m)?;
    chunks::register(m)?;
    file::register(m)?;
    prepared::register(m)
}
