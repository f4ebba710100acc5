//! Arrays in files that `takewise.open` gives.

use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::{PyArrayDescr, PyArrayDescrMethods};
use pyo3::exceptions::{PyFileNotFoundError, PyIsADirectoryError, PyOSError, PyPermissionError};
use pyo3::prelude::*;
use takewise::{DType, Tensor};
use takewise_files::{Columnar, FileArray, FileError, Format, Mode, RawSpec, TextSpec, TextTable, Words};

use super::dlpack::ElementType;
use super::{Home, Operand, numpy as np};
use crate::error::{OrRaise, refuse};
use crate::threads::detached;
use crate::used;

/// What messages call the arguments of `takewise.open`.
static WORDS: Words = Words {
    choose: "choose one by name=",
    raw: "give dtype= (and shape=) to read raw bytes",
    text: "takewise.open reads a table of text that is called .csv or .tsv, or with delimiter=",
    header: "header=True",
    no_header: "header=False",
    missing: "missing=True",
};

/// What `takewise.FileArray` stands on.
#[pyclass(frozen, subclass, weakref, name = "_File", module = "takewise._takewise")]
pub(crate) struct File {
    open: Mutex<Option<Arc<FileArray>>>,
    gives: Gives,
    /// What the engine takes its elements for.
    dtype: DType,
}

/// What reads give.
enum Gives {
    /// NumPy's arrays of this dtype.
    NumPy(Py<PyArrayDescr>),
    /// PyTorch's tensors of such elements.
    Torch(ElementType),
}

impl File {
    /// Opens an array of a file.
    ///
    /// Errors: `OSError` and its kin for what the system refuses, `ValueError` for what the file holds.
    pub(crate) fn at(
        py: Python<'_>,
        path: &Path,
        name: Option<&str>,
        raw: &RawSpec,
        mode: Mode,
        torch: bool,
    ) -> PyResult<File> {
        takewise_files::install_fault_handler();
        takewise_files::set_words(&WORDS);
        used::begin();
        let made = detached(py, usize::MAX, || FileArray::open(path, name, raw, mode));
        let array = made.map_err(|error| not_opened(path, mode, &error))?;
        let (gives, dtype) = if torch {
            py.import("torch")?;
            let element = ElementType::of(array.dtype()).ok_or_else(|| {
                let name = takewise_files::plain(array.dtype().name());
                refuse(
                    py,
                    "TypeError",
                    &format!("PyTorch's tensors have no {name}, which the elements of this file are"),
                )
            })?;
            (Gives::Torch(element), array.dtype())
        } else {
            let descr = descr_of(py, array.dtype())?;
            let dtype = np::dtype_of(&descr)?;
            (Gives::NumPy(descr.unbind()), dtype)
        };
        Ok(File { open: Mutex::new(Some(Arc::new(array))), gives, dtype })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<FileArray>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The array. Error (`ValueError`) if it is closed, and (`OSError`) if its file is not what it was: where it may be written, so
    /// that nothing is. What was read is looked at afterwards.
    pub(crate) fn array(&self, py: Python<'_>) -> PyResult<Arc<FileArray>> {
        let array = self.lock().clone().ok_or_else(|| refuse(py, "ValueError", "the file of this array is closed"))?;
        array.mend();
        if array.mode() != Mode::Read {
            array.check().or_raise(py)?;
        }
        Ok(array)
    }

    /// Fails if the file was opened for reading, and so the array may not be written.
    pub(crate) fn may_write(&self, py: Python<'_>) -> PyResult<()> {
        let array = self.array(py)?;
        if array.tensor().is_writable() {
            return Ok(());
        }
        let path = array.path().to_string_lossy();
        let text =
            "was opened for reading; open it with mode='r+' to write, or with mode='c' to change a copy in memory";
        Err(refuse(py, "ValueError", &format!("{} {text}", takewise_files::plain(&path))))
    }

    /// Lets the file go; whether it was open.
    pub(crate) fn close(&self) -> bool {
        let array = self.lock().take();
        array.is_some()
    }

    pub(crate) fn is_open(&self) -> bool {
        self.lock().is_some()
    }

    /// The dtype object of an element.
    ///
    /// Errors: what PyTorch raises.
    pub(crate) fn descr<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.gives {
            Gives::NumPy(descr) => Ok(descr.bind(py).clone().into_any()),
            Gives::Torch(_) => py.import("torch")?.getattr(self.dtype.name()),
        }
    }

    /// The array as an operand, whose results are NumPy's, or PyTorch's.
    pub(crate) fn operand(&self, py: Python<'_>) -> PyResult<Operand> {
        let array = self.array(py)?;
        used::note(&array);
        let tensor = match array.dtype() == self.dtype {
            true => array.tensor().clone(),
            false => array.tensor().reinterpret(self.dtype).or_raise(py)?,
        };
        let home = match &self.gives {
            Gives::NumPy(descr) => Home::NumPy(descr.clone_ref(py), self.dtype),
            Gives::Torch(element) => Home::Torch(*element, self.dtype),
        };
        Ok(Operand { tensor, home })
    }
}

/// Fails if an object whose elements are to be written is an array in a file that was opened for reading.
#[inline]
pub(crate) fn may_write(object: &Bound<'_, PyAny>, tensor: &Tensor) -> PyResult<()> {
    match object.cast::<File>() {
        Ok(file) if !tensor.is_writable() => file.get().may_write(object.py()),
        _ => Ok(()),
    }
}

/// The names of the arrays of a file: none for one that holds a single array without a name.
///
/// Errors: as [`File::at`].
pub(crate) fn names_in(py: Python<'_>, path: &Path) -> PyResult<Vec<String>> {
    let opened = detached(py, usize::MAX, || takewise_files::open(path, &RawSpec::default()));
    let file = opened.map_err(|error| not_opened(path, Mode::Read, &error))?;
    Ok(file.names().filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

/// Which kind of table a file holds: columns in a form of their own by its content, or text by its name or because that is `asked`.
///
/// Errors: as [`File::at`].
pub(crate) fn kind_of_table(path: &Path, asked: bool) -> PyResult<Option<&'static str>> {
    let mut start = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(16).read_to_end(&mut start));
    read.map_err(|error| not_opened(path, Mode::Read, &FileError::new(path, error.to_string())))?;
    let text = (asked || TextTable::is_named(path)) && Format::of_content(&start).is_none();
    Ok(Columnar::of_content(&start).map(|_| "columns").or(text.then_some("text")))
}

/// The names of the columns of a table of text, and the array of those that `name` names, or of all.
///
/// Errors: as [`File::at`].
pub(crate) fn text_table<'py>(
    py: Python<'py>,
    path: &Path,
    name: Option<&str>,
    how: &TextSpec,
) -> PyResult<(Vec<String>, Bound<'py, PyAny>)> {
    takewise_files::set_words(&WORDS);
    let read = || {
        let (table, tensor) = TextTable::open_columns(path, how, name)?;
        Ok((table.names().into_iter().map(str::to_owned).collect(), tensor))
    };
    let made = detached(py, usize::MAX, read);
    let (names, tensor) = made.map_err(|text: String| not_opened(path, Mode::Read, &FileError::new(path, text)))?;
    let descr = descr_of(py, tensor.dtype())?;
    Ok((names, np::export(py, tensor, descr)?))
}

/// What is raised for a file that cannot be opened.
fn not_opened(path: &Path, mode: Mode, error: &FileError) -> PyErr {
    use std::io::ErrorKind::{IsADirectory, NotFound, PermissionDenied};
    let text = error.to_string();
    let refused = match std::fs::metadata(path) {
        // A pipe would be waited for.
        Ok(about) if !about.is_file() => None,
        Ok(_) => std::fs::OpenOptions::new().read(true).write(mode == Mode::Write).open(path).err(),
        Err(error) => Some(error),
    };
    match refused.map(|e| e.kind()) {
        Some(NotFound) => PyFileNotFoundError::new_err(text),
        Some(PermissionDenied) => PyPermissionError::new_err(text),
        Some(IsADirectory) => PyIsADirectoryError::new_err(text),
        None if path.is_dir() => PyIsADirectoryError::new_err(text),
        Some(_) => PyOSError::new_err(text),
        None => pyo3::exceptions::PyValueError::new_err(text),
    }
}

/// NumPy's dtype of an element of a file: of those without arithmetic, the one that has this name. Records are written as a
/// list of their fields, which NumPy's own reader makes a dtype of.
///
/// Errors (`TypeError`): names that nothing installed has a dtype for.
fn descr_of(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyArrayDescr>> {
    let Some(name) = takewise::foreign::full_name(dtype) else { return np::descr_of(py, dtype) };
    let found = if name.starts_with('[') {
        let fields = py.import("ast")?.call_method1("literal_eval", (name,))?;
        py.import("numpy.lib.format")?.call_method1("descr_to_dtype", (fields,))
    } else {
        // Small floats are dtypes of NumPy's where this package is.
        let of_package = py.import("ml_dtypes").and_then(|package| package.getattr(name));
        of_package.or_else(|_| Ok(name.into_pyobject(py)?.into_any()))
    };
    let found = found.and_then(|found| np::descr_from(&found)).ok().filter(|found| found.itemsize() == dtype.size());
    found.ok_or_else(|| {
        let name = takewise_files::plain(dtype.name());
        let cure = if name.starts_with("float8") {
            "install ml_dtypes, or open it with like='torch'"
        } else {
            "info lists it"
        };
        refuse(py, "TypeError", &format!("NumPy has no {name} of its own: {cure}"))
    })
}

/// A result before it is given away: what lies in an open file is read, and a file that lost something during the call is an
/// error.
#[inline]
pub(crate) fn read_out(py: Python<'_>, tensor: Tensor) -> PyResult<Tensor> {
    if used::any() { read_used(py, tensor) } else { Ok(tensor) }
}

#[cold]
fn read_used(py: Python<'_>, tensor: Tensor) -> PyResult<Tensor> {
    let used = used::take();
    let lies = used.iter().any(|file| file.holds(&tensor));
    let tensor = if lies { detached(py, usize::MAX, || tensor.clone_data()).or_raise(py)? } else { tensor };
    used.iter().try_for_each(|file| file.check_call()).or_raise(py)?;
    Ok(tensor)
}

/// Fails if a file that a call has used lost something meanwhile.
pub(crate) fn check_used(py: Python<'_>) -> PyResult<()> {
    used::take().iter().try_for_each(|file| file.check_call()).or_raise(py)
}
