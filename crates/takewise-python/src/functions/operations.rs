//! The catalogue, for modules that ask it what an operation is.

use std::collections::{HashMap, HashSet};

use pyo3::prelude::*;

/// A function of the catalogue.
#[pyclass(frozen, get_all, module = "takewise._takewise", name = "Operation")]
struct Described {
    /// What it is called.
    name: &'static str,
    /// Its parameters and their defaults, as Python writes them.
    signature: String,
    /// What each parameter is for.
    roles: HashMap<&'static str, String>,
    /// Those that take an array, or what stands for one.
    arrays: HashSet<&'static str>,
    /// Whether it writes into its first argument.
    in_place: bool,
    /// Whether the library of an array gets the call.
    theirs: bool,
    /// Whether a list of positions along an axis is for all places of the other axes.
    by_list: bool,
    /// Whether a subscript means what it means between brackets.
    by_subscript: bool,
}

/// Every function that is an operation of the catalogue.
#[pyfunction]
fn _operations() -> Vec<Described> {
    let described = |entry: takewise_operations::Entry| Described {
        name: entry.name,
        signature: entry.signature(),
        roles: entry.operation.all().map(|p| (p.name, format!("{:?}", p.role))).collect(),
        arrays: entry.operation.all().filter(|p| p.role.is_array()).map(|p| p.name).collect(),
        in_place: entry.in_place,
        theirs: matches!(entry.operation.run, takewise_operations::Run::Theirs { .. }),
        by_list: entry.operation.is_by_list(),
        by_subscript: entry.operation.is_by_subscript(),
    };
    takewise_operations::all().map(described).collect()
}

/// Adds the class and the function to the module.
pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Described>()?;
    m.add_function(wrap_pyfunction!(_operations, m)?)
}
