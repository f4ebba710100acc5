//! The call of an explanation made again: under other libraries' rules, or under other rules for values out of range.

use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use takewise_dialects::{Face, NEUTRAL};
use takewise_explain::data::Failure;
use takewise_explain::{Comparison, Explanation, Picture};

use super::call::Call;
use super::operands::Look;
use super::table;
use crate::error::refuse;
use crate::library::{Function, face};

/// The rules, as functions of ours take them for `bounds`.
const RULES: [&str; 5] = ["raise", "wrap", "clip", "fill", "drop"];

/// What is needed to make a call again. Its arrays are the caller's, as they are by then.
pub(super) enum Again {
    /// The explanation was read back: nobody knows its call.
    Never,
    /// An expression, its names and its library.
    Expression { source: String, names: Py<PyDict>, dialect: Option<String> },
    /// A function of a library's table, or a method.
    Function(Tabled),
    /// A function of ours or of PyTorch's, and the function of a table that does the same, if there is one.
    Call { call: Kept, table: Option<Tabled> },
}

/// A call of a function of a library's table.
pub(super) struct Tabled {
    pub(super) function: Py<Function>,
    pub(super) method: bool,
    pub(super) args: Py<PyTuple>,
    pub(super) kwargs: Py<PyDict>,
    pub(super) expression: String,
    pub(super) torch: bool,
}

/// A call of ours.
pub(super) struct Kept {
    pub(super) function: Py<PyAny>,
    pub(super) args: Py<PyTuple>,
    pub(super) kwargs: Py<PyDict>,
    pub(super) names: Vec<String>,
    pub(super) expression: String,
    pub(super) operation: String,
    pub(super) look: Look,
}

impl Again {
    /// Under the rules of these libraries.
    pub(super) fn libraries(&self, py: Python<'_>, names: &[String]) -> PyResult<Comparison> {
        let known = |name: &String| face(py, if name == "takewise" { NEUTRAL.name } else { name });
        let faces = names.iter().map(known).collect::<PyResult<Vec<&'static Face>>>()?;
        match self {
            Again::Never => Err(gone(py)),
            Again::Expression { source, names, dialect } => {
                table::expressions(source, names.bind(py), dialect.as_deref(), Some(&faces))
            }
            Again::Function(tabled) | Again::Call { table: Some(tabled), .. } => tabled.compared(py, Some(&faces)),
            Again::Call { call, table: None } => {
                let text = format!("other libraries have no function like {}", call.operation);
                Err(refuse(py, "TypeError", &text))
            }
        }
    }

    /// Under each rule for values out of range.
    pub(super) fn rules(&self, py: Python<'_>) -> PyResult<Comparison> {
        match self {
            Again::Never => Err(gone(py)),
            Again::Expression { source, names, dialect } => {
                table::expressions(source, names.bind(py), dialect.as_deref(), None)
            }
            Again::Function(tabled) => tabled.compared(py, None),
            Again::Call { call, table } => match (call.ruled(py), table) {
                (Err(error), Some(tabled)) if error.is_instance_of::<PyTypeError>(py) => tabled.compared(py, None),
                (found, _) => found,
            },
        }
    }
}

fn gone(py: Python<'_>) -> PyErr {
    refuse(py, "ValueError", "an explanation that was read back knows what its call did, and cannot make it again")
}

impl Tabled {
    fn compared(&self, py: Python<'_>, faces: Option<&[&'static Face]>) -> PyResult<Comparison> {
        let (args, kwargs) = (self.args.bind(py), self.kwargs.bind(py));
        table::functions(self.function.bind(py), self.method, args, kwargs, &self.expression, self.torch, faces)
    }
}

impl Kept {
    /// By the `bounds` that functions of ours take.
    fn ruled(&self, py: Python<'_>) -> PyResult<Comparison> {
        let columns = RULES.iter().map(|rule| Ok(((*rule).to_owned(), self.under(py, rule)?)));
        Ok(Comparison::of(&self.expression, columns.collect::<PyResult<_>>()?))
    }

    fn under(&self, py: Python<'_>, rule: &str) -> PyResult<Explanation> {
        let kwargs = self.kwargs.bind(py).copy()?;
        kwargs.set_item("bounds", rule)?;
        let call = Call {
            function: self.function.bind(py).clone(),
            args: self.args.bind(py).clone(),
            kwargs,
            names: self.names.clone(),
            expression: self.expression.clone(),
            dialect: "takewise",
            operation: self.operation.clone(),
            look: self.look,
        };
        match call.explained() {
            // A rule that this operation does not have.
            Err(error) if error.is_instance_of::<PyException>(py) && !error.is_instance_of::<PyTypeError>(py) => {
                let mut picture = Picture::new(&self.expression, "takewise", &self.operation);
                let class = error.get_type(py).name()?.to_string();
                picture.failed(Failure { class, message: error.value(py).str()?.to_string(), ..Failure::default() });
                Ok(picture.finish())
            }
            found => found,
        }
    }
}
