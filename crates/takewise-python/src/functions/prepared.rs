//! Sequences that are prepared once and searched often.

use pyo3::prelude::*;
use pyo3::types::PyType;
use takewise::DType;
use takewise::ops::Search;

use super::arguments::{Data, Out, Stored, Target, bytes};
use crate::border::Home;
use crate::error::OrRaise;
use crate::threads::divided;

/// A private copy of a sorted sequence and its search tree, for many searches.
///
/// Answers are those of ``searchsorted``, for values of any library, dtype and shape. What changes the array afterwards does
/// not change what was prepared. It can be pickled, and is then built anew from the sequence. Memory: the copy, and up to 9 bytes an element (18 for 64 bit numbers) for the tree.
///
/// >>> import numpy as np, takewise
/// >>> edges = takewise.PreparedSearch([1, 3, 5, 7, 9])
/// >>> edges.searchsorted(np.array([3.5, 9.0, 10.0]))
/// array([2, 4, 5])
/// >>> edges.searchsorted(np.array([9]), right=True, out_int32=True)
/// array([5], dtype=int32)
/// >>> len(edges)
/// 5
#[pyclass(frozen, module = "takewise", name = "PreparedSearch")]
struct Prepared {
    /// Boxed: a tree is aligned to cache lines, and Python's objects are not.
    search: Box<takewise::ops::PreparedSearch>,
    /// Whose the sequence was, for numbers that are looked for in it.
    home: Home,
    dtype: DType,
}

#[pymethods]
impl Prepared {
    #[new]
    #[pyo3(signature = (sequence, /))]
    fn new(py: Python<'_>, sequence: Data<'_>) -> PyResult<Prepared> {
        let x = sequence.open()?;
        let dtype = x.tensor.dtype();
        let made = divided(py, None, bytes(&x.tensor), || {
            let guard = x.tensor.read_any()?;
            takewise::ops::PreparedSearch::new(guard.view(), &super::RULES)
        });
        // The object itself is not kept.
        let home = match x.home {
            Home::Own | Home::Held(_) | Home::Standard(_) => Home::Plain,
            home => home,
        };
        Ok(Prepared { search: Box::new(takewise::Result::or_raise(made, py)?), home, dtype })
    }

    /// The position of each value: before (with ``right`` or ``side="right"``, after) equal elements.
    #[pyo3(signature = (values, *, right=false, side=None, out_int32=false, out=None, threads=None))]
    fn searchsorted<'py>(
        &self,
        py: Python<'py>,
        values: Stored<'py>,
        right: bool,
        side: Option<&str>,
        out_int32: bool,
        out: Option<Out<'py>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let values = values.beside(py, self.home.family(), Some(self.dtype))?;
        let search = Search { right, side, out_int32, ..Search::default() };
        let work = bytes(&values.tensor);
        match out {
            None => {
                let found = divided(py, threads, work, || {
                    let guard = values.tensor.read_any()?;
                    self.search.searchsorted(guard.view(), &search)
                });
                values.home.give(py, takewise::Result::or_raise(found, py)?)
            }
            Some(out) => {
                let target = Target::of(out)?;
                let done = divided(py, threads, work, || {
                    let guard = values.tensor.read_any()?;
                    let mut to = target.tensor.write_any()?;
                    self.search.searchsorted_into(guard.view(), &search, &mut to.view_mut())
                });
                takewise::Result::or_raise(done, py)?;
                target.finish()
            }
        }
    }

    fn __len__(&self) -> usize {
        self.search.len()
    }

    /// Pickled as the sequence, from which the tree is built anew.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, (Bound<'py, PyAny>,))> {
        let (py, this) = (slf.py(), slf.get());
        let copy = this.search.sequence().clone_data().or_raise(py)?;
        Ok((slf.get_type(), (this.home.give(py, copy)?,)))
    }

    fn __repr__(&self) -> String {
        format!("PreparedSearch({} elements)", self.search.len())
    }
}

/// Adds the class to the module.
pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Prepared>()
}
