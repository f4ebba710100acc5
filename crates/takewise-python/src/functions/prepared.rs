//! Sequences that are prepared once and searched often.

use pyo3::prelude::*;
use takewise::DType;
use takewise::ops::Search;

use super::arguments::{Data, Out, Stored, Target, bytes};
use crate::border::Family;
use crate::error::OrRaise;
use crate::threads::divided;

/// A private copy of a sorted sequence and its search tree, for many searches.
///
/// Answers are those of ``searchsorted``, for values of any library, dtype and shape. What changes the array afterwards does
/// not change what was prepared. Memory: the copy, and up to 9 bytes an element (18 for 64 bit numbers) for the tree.
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
    family: Family,
    dtype: DType,
}

#[pymethods]
impl Prepared {
    #[new]
    #[pyo3(signature = (sequence, /))]
    fn new(py: Python<'_>, sequence: Data<'_>) -> PyResult<Prepared> {
        let x = sequence.open()?;
        let (family, dtype) = (x.home.family(), x.tensor.dtype());
        let made = divided(py, None, bytes(&x.tensor), || {
            let guard = x.tensor.read_any()?;
            takewise::ops::PreparedSearch::new(guard.view(), &super::RULES)
        });
        Ok(Prepared { search: Box::new(takewise::Result::or_raise(made, py)?), family, dtype })
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
        let values = values.beside(py, self.family, Some(self.dtype))?;
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

    fn __repr__(&self) -> String {
        format!("PreparedSearch({} elements)", self.search.len())
    }
}

/// Adds the class to the module.
pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Prepared>()
}
