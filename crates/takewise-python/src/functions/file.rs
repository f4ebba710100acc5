//! What an array in a file does by itself; `takewise.FileArray` makes the rest of it. Functions take it as any array.

use std::borrow::Cow;
use std::path::PathBuf;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use takewise::op::Op;
use takewise::{Class, Fault, Rules};
use takewise_files::{Mode, RawSpec, TextSpec};
use takewise_operations::Way;

use super::arguments::{Stored, beside};
use super::subscript::write;
use crate::border::file::{File, check_used, kind_of_table, names_in, text_table};
use crate::border::key::Key;
use crate::border::numpy as np;
use crate::error::refuse;
use crate::threads::detached;

/// The rules of subscripts. What is wrong is told as everywhere here, in the class that NumPy has for it.
static RULES: Rules = Rules { words: |fault| Some((class(fault)?, (super::RULES.words)(fault)?.1)), ..super::RULES };

fn class(fault: &Fault) -> Option<Class> {
    let own = (super::RULES.words)(fault);
    takewise_dialects::words::numpy(fault).or(own).map(|(class, _)| class)
}

/// A key, of which NumPy says that it is none with an `IndexError`.
fn key_of(key: &Bound<'_, PyAny>) -> PyResult<Key> {
    Key::of(key).map_err(|error| match error.is_instance_of::<PyTypeError>(key.py()) {
        true => refuse(key.py(), "IndexError", &error.value(key.py()).to_string()),
        false => error,
    })
}

/// How a key is read, by its name.
fn way(py: Python<'_>, name: &str) -> PyResult<Way> {
    match name {
        "plain" => Ok(Way::Plain),
        "outer" => Ok(Way::Outer),
        "points" => Ok(Way::Points),
        _ => Err(refuse(py, "ValueError", "a key is read as 'plain', 'outer' or 'points'")),
    }
}

#[pymethods]
impl File {
    #[new]
    #[pyo3(signature = (path, name=None, mode="r", dtype=None, shape=None, like=None))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        name: Option<&str>,
        mode: &str,
        dtype: Option<Bound<'_, PyAny>>,
        shape: Option<Vec<i64>>,
        like: Option<&str>,
    ) -> PyResult<File> {
        if !matches!(like, None | Some("numpy" | "torch")) {
            return Err(refuse(py, "ValueError", "like is 'numpy' or 'torch'"));
        }
        let mode = match mode {
            "r" => Mode::Read,
            "r+" => Mode::Write,
            "c" => Mode::Copy,
            other => {
                let text = format!("mode is 'r' (read), 'r+' (write in place) or 'c' (copy on write), not {other:?}");
                return Err(refuse(py, "ValueError", &text));
            }
        };
        let dtype = dtype.map(|dtype| np::dtype_of(&np::descr_from(&dtype)?)).transpose()?;
        if dtype.is_none() && shape.is_some() {
            return Err(refuse(py, "ValueError", "a shape is for bytes without a header, which need a dtype too"));
        }
        File::at(py, &path, name, &RawSpec { dtype, shape }, mode, like == Some("torch"))
    }

    #[getter]
    fn _shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.array(py)?.shape())
    }

    #[getter]
    fn _dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.descr(py)
    }

    /// The file that the array lies in.
    #[getter]
    fn _file(&self, py: Python<'_>) -> PyResult<PathBuf> {
        Ok(self.array(py)?.path().to_owned())
    }

    #[getter]
    fn _closed(&self) -> bool {
        !self.is_open()
    }

    /// Requests made of the file, and the bytes they asked for.
    #[getter]
    fn _requested(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        Ok(self.array(py)?.requested())
    }

    /// What the blocks of a quantised tensor are called.
    #[getter]
    fn _blocks(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        Ok(self.array(py)?.blocks())
    }

    /// Keeps rows that were read, up to so many bytes.
    fn _keep(&self, py: Python<'_>, bytes: u64) -> PyResult<()> {
        self.array(py)?.keep_rows(bytes).map_err(|error| refuse(py, "ValueError", &error.to_string()))
    }

    /// What is kept: rows from memory, rows from the file, bytes, and bytes at most.
    #[getter]
    fn _kept(&self, py: Python<'_>) -> PyResult<Option<(u64, u64, u64, u64)>> {
        Ok(self.array(py)?.kept().map(|kept| (kept.hits, kept.misses, kept.bytes, kept.most)))
    }

    /// The elements a key names, in a fresh array.
    fn _get<'py>(&self, py: Python<'py>, how: &str, key: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (way, key) = (way(py, how)?, key_of(&key)?);
        let x = self.operand(py)?;
        let rules = beside(Cow::Borrowed(&RULES), &x.home);
        x.home.result(py, detached(py, usize::MAX, || way.read(&x.tensor, &key.indices(), &rules)))
    }

    /// Stores a value at the places a key names.
    fn _set<'py>(&self, py: Python<'py>, how: &str, key: Bound<'py, PyAny>, value: Stored<'py>) -> PyResult<()> {
        let (way, key) = (way(py, how)?, key_of(&key)?);
        self.may_write(py)?;
        write(py, Op::SetItem, way, &self.operand(py)?, &key, value, None, Cow::Borrowed(&RULES), None)?;
        check_used(py)
    }

    fn _flush(&self, py: Python<'_>) -> PyResult<()> {
        let array = self.array(py)?;
        let done = detached(py, usize::MAX, || array.flush());
        done.map_err(|error| pyo3::exceptions::PyOSError::new_err(error.to_string()))
    }

    fn _close(&self) -> bool {
        self.close()
    }
}

/// The names of the arrays of a file, of which only the directory is read.
#[pyfunction]
fn _names(py: Python<'_>, path: PathBuf) -> PyResult<Vec<String>> {
    names_in(py, &path)
}

/// Which kind of table a file holds: "columns" or "text".
#[pyfunction]
fn _kind_of_table(path: PathBuf, asked: bool) -> PyResult<Option<&'static str>> {
    kind_of_table(&path, asked)
}

/// The names of the columns of a table of text, and some of them as an array.
#[pyfunction]
fn _text_table<'py>(
    py: Python<'py>,
    path: PathBuf,
    name: Option<&str>,
    header: Option<bool>,
    delimiter: Option<&str>,
    missing: bool,
) -> PyResult<(Vec<String>, Bound<'py, PyAny>)> {
    let wrong = |text: String| refuse(py, "ValueError", &format!("delimiter is {text}"));
    let delimiter = delimiter.map(str::parse).transpose().map_err(wrong)?;
    text_table(py, &path, name, &TextSpec { header, delimiter, missing })
}

/// Adds the class to the module.
pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_names, m)?)?;
    m.add_function(wrap_pyfunction!(_kind_of_table, m)?)?;
    m.add_function(wrap_pyfunction!(_text_table, m)?)?;
    m.add_class::<File>()
}
