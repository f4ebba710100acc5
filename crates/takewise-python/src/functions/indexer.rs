//! `at(x)[key]`: reads and writes at one subscript, with or without changing `x`.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use takewise::Reduce;
use takewise::op::Op;
use takewise_operations::{Mixed, Way};

use super::arguments::{Bounds, Cast, Data, Out, Policy, Stored, Twice, beside};
use super::subscript::{changed, unmixed, write};
use crate::border::key::Key;
use crate::border::onward::Called;
use crate::error::{OrRaise, refuse};
use crate::threads::divided;

/// What ``at(x)`` gives: subscript it.
#[pyclass(frozen, module = "takewise")]
struct At {
    x: Py<PyAny>,
}

/// What ``at(x)[key]`` gives: the places of ``x`` that ``key`` names.
///
/// ``get`` reads them. ``set``, ``add``, ``mul``, ``min`` and ``max`` give a changed copy and leave ``x`` alone;
/// ``set_``, ``add_``, ``mul_``, ``min_`` and ``max_`` write into the memory of ``x`` and return it. A place named twice
/// is combined twice.
#[pyclass(frozen, module = "takewise")]
struct Places {
    x: Py<PyAny>,
    key: Py<PyAny>,
}

/// The places of ``x`` a subscript names, to read or to change.
///
/// >>> import numpy as np, takewise
/// >>> x = np.zeros(4)
/// >>> takewise.at(x)[[0, 0, 2]].add(1)
/// array([2., 0., 1., 0.])
/// >>> x
/// array([0., 0., 0., 0.])
/// >>> takewise.at(x)[1:3].set_(5)
/// array([0., 5., 5., 0.])
/// >>> takewise.at(x)[[1, 9]].get(bounds="fill")
/// array([ 5., nan])
#[pyfunction]
fn at(x: Bound<'_, PyAny>) -> At {
    At { x: x.unbind() }
}

#[pymethods]
impl At {
    fn __getitem__(&self, py: Python<'_>, key: Bound<'_, PyAny>) -> Places {
        Places { x: self.x.clone_ref(py), key: key.unbind() }
    }

    /// Says how it is written instead.
    fn __setitem__(&self, py: Python<'_>, _key: Bound<'_, PyAny>, _value: Bound<'_, PyAny>) -> PyResult<()> {
        let text = "at(x)[key] = value stores nothing: at(x)[key].set_(value) writes into x, and at(x)[key].set(value) gives a \
                    changed copy";
        Err(refuse(py, "TypeError", text))
    }

    /// Says what is missing.
    fn __getattr__(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        let text = match py.get_type::<Places>().hasattr(name)? {
            true => format!("at(x).{name}: a subscript is missing, as in at(x)[key].{name}"),
            false => format!("at(x) has no attribute {name:?}: it is subscripted, as in at(x)[key]"),
        };
        Err(pyo3::exceptions::PyAttributeError::new_err(text))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("at({})", self.x.bind(py).repr()?))
    }
}

#[pymethods]
impl Places {
    /// The array and the key.
    fn _parts(&self, py: Python<'_>) -> (Py<PyAny>, Py<PyAny>) {
        (self.x.clone_ref(py), self.key.clone_ref(py))
    }
}

impl Places {
    /// A changed copy.
    fn changed<'py>(
        &self,
        py: Python<'py>,
        op: Op,
        value: Stored<'py>,
        how: Option<Reduce>,
        policy: &Policy<'py>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (x, rules): (Data<'_>, _) = (self.x.bind(py).extract()?, policy.rules_of(py, how.is_some())?);
        let key = Key::of(self.key.bind(py))?;
        changed(py, op, x.open()?, &key, Mixed::of_process(), value, how, rules, threads)
    }

    /// The elements.
    fn found<'py>(&self, py: Python<'py>, policy: &Policy<'py>, threads: Option<usize>) -> PyResult<Bound<'py, PyAny>> {
        let x: Data<'_> = self.x.bind(py).extract()?;
        let rules = policy.rules_for(py, &x)?;
        let key = Key::of(self.key.bind(py))?;
        let x = x.open()?;
        let rules = beside(rules, &x.home);
        let op = Op::Named(&"at(x)[key].get");
        unmixed(py, Mixed::of_process(), op, &x.tensor, &key)?;
        let found = divided(py, threads, key.bytes(), || Way::Plain.read(&x.tensor, &key.indices(), &rules));
        let found = found.map_err(|e| e.in_op(op)).or_raise(py)?;
        x.home.give_read(py, found, x.tensor.shape(), &rules, |places, rules| {
            Way::Plain.read(places, &key.indices(), rules)
        })
    }

    /// The answer of another module to a method that failed, where one of the arrays needs it.
    #[cold]
    fn onward<'py>(
        &self,
        py: Python<'py>,
        error: PyErr,
        name: &str,
        value: Option<Bound<'py, PyAny>>,
        policy: &Policy<'py>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let keywords = policy.keywords(py)?;
        keywords.set_item("threads", threads)?;
        let given = [self.x.bind(py), self.key.bind(py)].into_iter().cloned().chain(value).collect::<Vec<_>>();
        let (name, positional) = (format!("at.{name}"), PyTuple::new(py, given)?);
        Called { name: &name, positional: &positional, keywords: &keywords }.answered(error)
    }

    /// The array itself, changed.
    fn change<'py>(
        &self,
        py: Python<'py>,
        op: Op,
        value: Stored<'py>,
        how: Option<Reduce>,
        policy: &Policy<'py>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (x, rules): (Out<'_>, _) = (self.x.bind(py).extract()?, policy.rules_of(py, how.is_some())?);
        let key = Key::of(self.key.bind(py))?;
        let (target, _) = x.open()?;
        unmixed(py, Mixed::of_process(), op, &target.tensor, &key)?;
        write(py, op, Way::Plain, &target, &key, value, how, rules, threads)?;
        Ok(self.x.bind(py).clone())
    }
}

/// Both forms of each way to change places.
macro_rules! changes {
    ($($(#[$doc:meta])* fn $name:ident / fn $place:ident = $how:expr;)*) => {
        #[pymethods]
        impl Places {
            /// The elements, in a fresh array; a view where the key needs no array.
            #[pyo3(signature = (*, bounds=None, negative=None, fill_value=None, threads=None))]
            fn get<'py>(
                &self,
                py: Python<'py>,
                bounds: Option<Bounds>,
                negative: Option<bool>,
                fill_value: Option<Bound<'py, PyAny>>,
                threads: Option<usize>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let policy = Policy { bounds, negative, fill: fill_value, ..Policy::default() };
                let found = self.found(py, &policy, threads);
                found.or_else(|error| self.onward(py, error, "get", None, &policy, threads))
            }

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                Ok(format!("at({})[{}]", self.x.bind(py).repr()?, self.key.bind(py).repr()?))
            }

            $(
                $(#[$doc])*
                #[pyo3(signature = (value, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None))]
                fn $name<'py>(
                    &self,
                    py: Python<'py>,
                    value: Bound<'py, PyAny>,
                    bounds: Option<Bounds>,
                    negative: Option<bool>,
                    duplicates: Option<Twice>,
                    casting: Option<Cast>,
                    threads: Option<usize>,
                ) -> PyResult<Bound<'py, PyAny>> {
                    let policy = Policy { bounds, negative, duplicates, casting, fill: None };
                    let op = Op::Named(&concat!("at(x)[key].", stringify!($name)));
                    let made = value.extract::<Stored<'py>>().and_then(|value| self.changed(py, op, value, $how, &policy, threads));
                    made.or_else(|error| self.onward(py, error, stringify!($name), Some(value), &policy, threads))
                }

                #[doc = concat!("``", stringify!($name), "`` into the memory of the array, which is returned.")]
                #[pyo3(signature = (value, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None))]
                fn $place<'py>(
                    &self,
                    py: Python<'py>,
                    value: Bound<'py, PyAny>,
                    bounds: Option<Bounds>,
                    negative: Option<bool>,
                    duplicates: Option<Twice>,
                    casting: Option<Cast>,
                    threads: Option<usize>,
                ) -> PyResult<Bound<'py, PyAny>> {
                    let policy = Policy { bounds, negative, duplicates, casting, fill: None };
                    let op = Op::Named(&concat!("at(x)[key].", stringify!($place)));
                    let made = value.extract::<Stored<'py>>().and_then(|value| self.change(py, op, value, $how, &policy, threads));
                    made.or_else(|error| self.onward(py, error, stringify!($place), Some(value), &policy, threads))
                }
            )*
        }
    };
}

changes! {
    /// A copy with ``value`` stored; it broadcasts.
    fn set / fn set_ = None;
    /// A copy with ``value`` added.
    fn add / fn add_ = Some(Reduce::Sum);
    /// A copy multiplied by ``value``.
    fn mul / fn mul_ = Some(Reduce::Prod);
    /// A copy with the smaller of each element and ``value``.
    fn min / fn min_ = Some(Reduce::Min);
    /// A copy with the larger of each element and ``value``.
    fn max / fn max_ = Some(Reduce::Max);
}

/// Adds the function and the classes to the module.
pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<At>()?;
    m.add_class::<Places>()?;
    m.add_function(wrap_pyfunction!(at, m)?)
}
