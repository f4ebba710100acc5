//! Python objects that are looked up once.
//!
//! PyO3's own cells, and its `intern!`, have other threads wait while one makes the value, and let go of the interpreter's
//! lock meanwhile: a process forked then has a cell that is never done. These here wait for nobody.

use pyo3::prelude::*;
use pyo3::types::PyString;
use takewise::internal::Once;

/// A value made at first use and kept; several threads may make one, and one of those stays.
pub(crate) struct Known<T>(Once<T>);

impl<T> Known<T> {
    pub(crate) const fn new() -> Known<T> {
        Known(Once::new())
    }

    #[inline]
    pub(crate) fn get(&self, _: Python<'_>) -> Option<&T> {
        self.0.get()
    }

    pub(crate) fn set(&self, _: Python<'_>, value: T) {
        self.0.keep(value);
    }

    #[inline]
    pub(crate) fn get_or_init(&self, _: Python<'_>, make: impl FnOnce() -> T) -> &T {
        self.0.get_or_make(make)
    }

    #[inline]
    pub(crate) fn get_or_try_init<E>(&self, _: Python<'_>, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        self.0.get_or_try_make(make)
    }
}

impl Known<Py<PyAny>> {
    /// What a module calls by that name.
    #[inline]
    pub(crate) fn import<'py>(&self, py: Python<'py>, module: &str, name: &str) -> PyResult<&Bound<'py, PyAny>> {
        Ok(self.get_or_try_init(py, || PyResult::Ok(py.import(module)?.getattr(name)?.unbind()))?.bind(py))
    }
}

impl Known<Py<PyString>> {
    /// The name as a string object.
    #[inline]
    pub(crate) fn name<'py>(&self, py: Python<'py>, text: &str) -> &Bound<'py, PyString> {
        self.get_or_init(py, || PyString::intern(py, text).unbind()).bind(py)
    }
}

/// A name as a string object that is made once.
macro_rules! intern {
    ($py:expr, $text:literal) => {{
        static NAME: $crate::known::Known<pyo3::Py<pyo3::types::PyString>> = $crate::known::Known::new();
        NAME.name($py, $text)
    }};
}

pub(crate) use intern;
