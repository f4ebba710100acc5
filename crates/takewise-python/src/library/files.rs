//! `takewise.numpy.load`: NumPy reads the file, and maps it where it can.

use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;
use takewise::Tensor;
use takewise_dialects::{EvalError, Files};

use crate::border::{Operand, literal};
use crate::known::intern;

/// Files as NumPy reads them.
pub(super) struct OfNumPy;

impl Files for OfNumPy {
    fn load(&self, path: &str) -> Result<Tensor, EvalError> {
        Python::attach(|py| {
            read(py, path).map_err(|error| {
                let class = if error.is_instance_of::<PyFileNotFoundError>(py) {
                    "FileNotFoundError"
                } else if error.is_instance_of::<PyOSError>(py) {
                    "OSError"
                } else {
                    "ValueError"
                };
                EvalError::new(class, error.value(py).to_string())
            })
        })
    }
}

/// The array of a file, or the only one of an archive. What is written into it stays in memory.
fn read(py: Python<'_>, path: &str) -> PyResult<Tensor> {
    let how = [("mmap_mode", "c")].into_py_dict(py)?;
    let mut found = py.import("numpy")?.call_method("load", (path,), Some(&how))?;
    if let Some(names) = found.getattr_opt(intern!(py, "files"))? {
        let names: Vec<String> = names.extract()?;
        let [name] = &names[..] else {
            let text = format!("{path} holds {} arrays, and one is loaded", names.len());
            return Err(PyValueError::new_err(text));
        };
        found = found.get_item(name)?;
    }
    let operand = Operand::of(&found)?.ok_or_else(|| literal::no_array(&found))?;
    Ok(operand.tensor)
}
