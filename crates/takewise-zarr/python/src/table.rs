//! Tables in Parquet and Arrow files: their columns, and rows of them into memory that NumPy owns.

use std::path::PathBuf;

use numpy::{PyReadonlyArray1, PyReadwriteArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use takewise::ops::copy_into;
use takewise::threads::on_threads;
use takewise::{AnyViewMut, Rules, Tensor};
use takewise_arrow::Column;

/// Columns of a table in a file, as one array.
#[pyclass(frozen, module = "takewise_zarr")]
pub(crate) struct Columns {
    table: takewise_arrow::Table,
    chosen: Vec<usize>,
    dtype: &'static str,
    shape: Vec<usize>,
    /// All of them if they hold text, whose dtype is known once it was read.
    texts: Option<Tensor>,
}

fn told(error: impl ToString) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pymethods]
impl Columns {
    /// Opens a file: the columns of a name, or all.
    #[new]
    fn open(py: Python<'_>, path: PathBuf, name: Option<&str>) -> PyResult<Columns> {
        takewise_files::install_fault_handler();
        let table = py.detach(|| takewise_arrow::Table::open(path)).map_err(told)?;
        let names: Vec<&str> = table.columns().iter().map(Column::name).collect();
        let chosen = match name {
            Some(name) => takewise_files::columns_named(&names, names.len(), name).map_err(told)?,
            None => (0..names.len()).collect(),
        };
        let (dtype, shape) = table.outline(&chosen).map_err(|error| match name {
            None if names.len() > 1 => told(format!("{error}; it holds: {}", names.join(", "))),
            _ => told(error),
        })?;
        let (dtype, texts) = match dtype {
            Some(dtype) => (dtype, None),
            None => {
                let texts = py.detach(|| table.tensor(&chosen)).map_err(told)?;
                (texts.dtype(), Some(texts))
            }
        };
        Ok(Columns { chosen, dtype: dtype.name(), shape, table, texts })
    }

    #[getter]
    fn names(&self) -> Vec<&str> {
        self.table.columns().iter().map(Column::name).collect()
    }

    #[getter]
    fn dtype(&self) -> &'static str {
        self.dtype
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// Reads rows, which ascend, or all, into the bytes of a row-major array.
    fn read(
        &self,
        py: Python<'_>,
        rows: Option<PyReadonlyArray1<'_, i64>>,
        mut out: PyReadwriteArray1<'_, u8>,
        threads: usize,
    ) -> PyResult<()> {
        let out = out.as_slice_mut().map_err(told)?;
        let rows = rows.as_ref().map(|rows| rows.as_slice()).transpose().map_err(told)?;
        let read = || match (&self.texts, rows) {
            (Some(texts), None) => Ok(texts.clone()),
            (Some(texts), Some(rows)) => {
                let rows = Tensor::from_slice(rows, &[rows.len()]).map_err(|e| e.to_string())?;
                texts.index(&[(&rows).into()], &Rules::NEUTRAL).map_err(|e| e.to_string())
            }
            (None, None) => self.table.tensor(&self.chosen).map_err(|e| e.to_string()),
            (None, Some(rows)) => {
                let rows: Vec<usize> = rows.iter().map(|row| *row as usize).collect();
                self.table.rows_of(&self.chosen, &rows).map_err(|e| e.to_string())
            }
        };
        let made = py.detach(|| on_threads(threads, read)).map_err(told)?;
        let mut out = AnyViewMut::of_elements(out, made.dtype(), made.shape()).map_err(told)?;
        made.read_any().and_then(|made| copy_into(&made.view(), &mut out)).map_err(told)
    }
}
