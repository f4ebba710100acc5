//! Calls that our own code refuses and another module has an answer for.
//!
//! A call is first tried here, and nothing is looked at for anybody else. So other programs pay nothing for it, and no library is
//! imported for it.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::file::File;
use super::{held, loaded, numpy};
use crate::error::refuse;
use crate::known::{Known, intern};

/// A call of one of our functions.
#[derive(Clone, Copy)]
pub(crate) struct Called<'a, 'py> {
    pub(crate) name: &'a str,
    pub(crate) positional: &'a Bound<'py, PyTuple>,
    pub(crate) keywords: &'a Bound<'py, PyDict>,
}

impl<'py> Called<'_, 'py> {
    /// Who answers the call, which failed with an error. In this order:
    ///
    /// 1. `takewise.dask`, where an array of Dask's is among the arguments, which lies in chunks elsewhere;
    /// 2. `takewise._jax`, where an array is that JAX is tracing, which has no values yet;
    /// 3. our operators in PyTorch (`takewise._torch`), where a tensor is that somebody keeps a record of: gradients, `torch.func`,
    ///    tracing;
    /// 4. the library of an array whose elements only it moves, at positions that we find, and arrays in files and stores of which
    ///    rows are read (`takewise._moved`);
    /// 5. nobody: the error stays, in words that name the arguments (`takewise._mistakes`).
    #[cold]
    pub(crate) fn onward(self, error: PyErr) -> PyResult<Bound<'py, PyAny>> {
        self.answered(error).map_err(|error| self.worded(error))
    }

    /// [`Called::onward`] without the words.
    #[cold]
    pub(crate) fn answered(self, error: PyErr) -> PyResult<Bound<'py, PyAny>> {
        static CALLED: Known<Py<PyAny>> = Known::new();
        static TRACED: Known<Py<PyAny>> = Known::new();
        let py = self.py();
        if class(py).is_some_and(|class| self.arguments().any(|one| concerns(&one, &class))) {
            return self.told(CALLED.import(py, "takewise.dask._called", "called")?);
        }
        if tracers(py).is_some_and(|class| self.arguments().any(|one| concerns(&one, &class))) {
            let answer = self.told(TRACED.import(py, "takewise._jax", "called")?)?;
            return if answer.is(py.NotImplemented()) { Err(error) } else { Ok(answer) };
        }
        self.recorded(error).or_else(|error| self.moved(error))
    }

    /// The error in words that name the arguments, where it is about these.
    pub(crate) fn worded(self, error: PyErr) -> PyErr {
        static WORDED: Known<Py<PyAny>> = Known::new();
        let py = self.py();
        if !error.is_instance_of::<PyTypeError>(py) && !error.is_instance_of::<PyOverflowError>(py) {
            return error;
        }
        let ask = || -> PyResult<Option<PyErr>> {
            let asked = WORDED.import(py, "takewise._mistakes", "worded")?;
            let said = asked.call1((self.name, error.value(py), self.positional, self.keywords))?;
            Ok((!said.is_none()).then(|| PyErr::from_value(said)))
        };
        // What goes wrong meanwhile is of no interest.
        ask().ok().flatten().unwrap_or(error)
    }

    /// The answer of our operators in PyTorch.
    ///
    /// Error: what they say, or the error given where nobody keeps a record of any of the tensors, or there are none.
    pub(crate) fn recorded(self, error: PyErr) -> PyResult<Bound<'py, PyAny>> {
        static HANDED_ON: Known<Py<PyAny>> = Known::new();
        let py = self.py();
        let Some(class) = tensors(py) else { return Err(error) };
        if !self.arguments().any(|one| concerns(&one, &class)) {
            return Err(error);
        }
        let answer = HANDED_ON.import(py, "takewise._torch", "handed_on")?.call1((
            error.value(py),
            self.name,
            self.positional,
            self.keywords,
        ))?;
        if answer.is(py.NotImplemented()) { Err(error) } else { Ok(answer) }
    }

    /// The answer where the library of an array moves its elements and the call only says where to.
    ///
    /// Error: what is wrong with the call, or the error given where no such array is concerned.
    fn moved(self, error: PyErr) -> PyResult<Bound<'py, PyAny>> {
        static ANSWER: Known<Py<PyAny>> = Known::new();
        let py = self.py();
        let concerned = |one: Bound<'py, PyAny>| {
            numpy::is_left_to_others(&one) || held::is_column(&one) || is_read_by_rows(&one) || holds_rows(&one)
        };
        let refused = error.is_instance_of::<PyTypeError>(py) || error.is_instance_of::<PyValueError>(py);
        if !refused || !self.arguments().any(concerned) {
            return Err(error);
        }
        let answer = self.told(ANSWER.import(py, "takewise._moved", "answer")?)?;
        if answer.is(py.NotImplemented()) { Err(error) } else { Ok(answer) }
    }

    fn py(self) -> Python<'py> {
        self.positional.py()
    }

    fn arguments(&self) -> impl Iterator<Item = Bound<'py, PyAny>> {
        self.positional.iter().chain(self.keywords.values())
    }

    /// What a function of Python's makes of the call.
    fn told(self, function: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        function.call1((self.name, self.positional, self.keywords))
    }
}

/// PyTorch's class of tensors, if this process has imported it.
pub(crate) fn tensors(py: Python<'_>) -> Option<Bound<'_, PyAny>> {
    loaded(py, intern!(py, "torch"))?.getattr(intern!(py, "Tensor")).ok()
}

/// Dask's class of arrays, if this process has imported it.
fn class(py: Python<'_>) -> Option<Bound<'_, PyAny>> {
    loaded(py, intern!(py, "dask.array"))?.getattr(intern!(py, "Array")).ok()
}

/// JAX's class of arrays that are being traced, if this process has imported it.
fn tracers(py: Python<'_>) -> Option<Bound<'_, PyAny>> {
    loaded(py, intern!(py, "jax"))?.getattr(intern!(py, "core")).ok()?.getattr(intern!(py, "Tracer")).ok()
}

/// Whether an argument is an array elsewhere, or a key or a list that holds one; a list in a list may.
fn concerns(object: &Bound<'_, PyAny>, class: &Bound<'_, PyAny>) -> bool {
    within(object, class, 4)
}

fn within(object: &Bound<'_, PyAny>, class: &Bound<'_, PyAny>, depth: usize) -> bool {
    if object.is_instance(class).unwrap_or(false) {
        return true;
    }
    let Some(depth) = depth.checked_sub(1) else { return false };
    object.cast::<PyTuple>().is_ok_and(|items| items.iter().any(|item| within(&item, class, depth)))
        || object.cast::<PyList>().is_ok_and(|items| items.iter().any(|item| within(&item, class, depth)))
}

/// Whether the object is an array in files or in a store that has no memory here: `takewise._moved` reads the rows that a call
/// touches.
fn is_read_by_rows(object: &Bound<'_, PyAny>) -> bool {
    let py = object.py();
    let class =
        loaded(py, intern!(py, "takewise._outside")).and_then(|module| module.getattr(intern!(py, "Outside")).ok());
    class.is_some_and(|class| object.is_instance(&class).unwrap_or(false)) && object.cast::<File>().is_err()
}

/// Whether the object is one of another package's for rows of different lengths: `takewise._ranged` knows its parts.
fn holds_rows(object: &Bound<'_, PyAny>) -> bool {
    static HOLDS: Known<Py<PyAny>> = Known::new();
    let py = object.py();
    let ask =
        || -> PyResult<bool> { HOLDS.import(py, "takewise._ranged", "holds_rows")?.call1((object,))?.is_truthy() };
    ask().unwrap_or(false)
}

/// What is said of such an array where it is the one that a call is about.
#[cold]
pub(crate) fn refuse_rows(object: &Bound<'_, PyAny>) -> PyResult<()> {
    if !is_read_by_rows(object) {
        return Ok(());
    }
    let name = object.get_type().name()?;
    let text = format!("a {name} has no memory here: x[...] reads all of it");
    Err(refuse(object.py(), "TypeError", &text))
}

/// What is said of an array of Dask's where it cannot be handed on; `None` for all other objects.
pub(crate) fn refused(object: &Bound<'_, PyAny>) -> Option<PyErr> {
    let py = object.py();
    let class = class(py)?;
    object.is_instance(&class).unwrap_or(false).then(|| {
        let text = "an array of Dask's has no memory here: takewise.dask has the functions for it, whose writes give a new \
                    array; its compute() gives one in memory";
        refuse(py, "TypeError", text)
    })
}
