//! The functions of the catalogue as function objects of Python: the operation stands in their `self`.
//!
//! There is one entry for all of them. It binds what was given to the parameters of the operation, as Python binds arguments, and
//! calls the one safe function that runs operations.

use std::ffi::{CString, c_void};
use std::mem::size_of;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::slice;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::panic::PanicException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use takewise::op::Op;
use takewise_operations::{Entry, Parameter, Role};

use super::onward::Called;

/// The most parameters that an operation has.
const MOST: usize = 16;

/// What runs an operation on the arguments given.
pub(crate) type Run = for<'py> fn(&Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>>;

/// A function of the catalogue.
pub(crate) struct Callable {
    entry: Entry,
    parameters: Vec<&'static Parameter>,
    names: Vec<Py<PyString>>,
    /// The place of the first parameter with each role; [`MOST`] for roles that none has.
    places: [u8; Role::COUNT],
    /// How many have to be given: they come first.
    required: usize,
    /// Whether an axis is all that `Given` holds of its arguments.
    by_axis: bool,
    op: Op,
    run: Run,
}

impl Callable {
    fn new(py: Python<'_>, entry: Entry, run: Run) -> Callable {
        let parameters: Vec<_> = entry.operation.all().collect();
        let names = parameters.iter().map(|p| PyString::intern(py, p.name).unbind()).collect();
        let mut places = [MOST as u8; Role::COUNT];
        for (place, parameter) in parameters.iter().enumerate().rev() {
            places[parameter.role as usize] = place as u8;
        }
        let required = parameters.iter().take_while(|p| p.default.is_none()).count();
        let by_axis = !parameters.iter().any(|p| p.role.says_how());
        Callable { op: entry.op(), required, by_axis, entry, parameters, names, places, run }
    }
}

/// What every function says of calls that we cannot answer: see [`Called::onward`].
const WHO: &str = "\
What has no memory here is answered elsewhere: Dask's arrays by ``takewise.dask``, tensors of PyTorch's whose history is recorded by
operators of ours in PyTorch, elements that only NumPy moves by NumPy. Who has no such function says so.";

/// Adds a function to the module.
pub(crate) fn add(m: &Bound<'_, PyModule>, entry: Entry, run: Run) -> PyResult<()> {
    let py = m.py();
    let function: &'static Callable = Box::leak(Box::new(Callable::new(py, entry, run)));
    assert!(function.parameters.len() <= MOST, "{}: more parameters than arguments have places", entry.name);
    let documented = format!("{}{}\n--\n\n{}\n\n{WHO}", entry.name, entry.signature(), entry.docstring());
    let method = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: CString::new(entry.name)?.into_raw(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: enter },
        ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
        ml_doc: CString::new(documented)?.into_raw(),
    }));
    let name = m.name()?;
    let own = holder(m, function)?;
    // SAFETY: the definition and its texts are never freed; the entry has the form that the flags name.
    let made = unsafe {
        let made = ffi::PyCMethod_New(method, own.as_ptr(), name.as_ptr(), null_mut());
        Bound::from_owned_ptr_or_err(py, made)?
    };
    m.setattr(entry.name, made)
}

/// What stands in the `self` of a function: a module, as in all functions of modules, so that pickle and help look for it by its name.
/// The state of this one is the function's record.
fn holder<'py>(m: &Bound<'py, PyModule>, function: &'static Callable) -> PyResult<Bound<'py, PyAny>> {
    let definition = Box::leak(Box::new(ffi::PyModuleDef {
        m_base: ffi::PyModuleDef_HEAD_INIT,
        m_name: CString::new(m.name()?.to_str()?)?.into_raw(),
        m_doc: std::ptr::null(),
        m_size: size_of::<&Callable>() as ffi::Py_ssize_t,
        m_methods: null_mut(),
        m_slots: null_mut(),
        m_traverse: None,
        m_clear: None,
        m_free: None,
    }));
    // SAFETY: the definition is never freed, and asks for a state of the size of a pointer, which is written before anybody reads it.
    unsafe {
        let made = ffi::PyModule_Create2(definition, ffi::PYTHON_ABI_VERSION);
        let made = Bound::from_owned_ptr_or_err(m.py(), made)?;
        ffi::PyModule_GetState(made.as_ptr()).cast::<*const c_void>().write(std::ptr::from_ref(function).cast());
        Ok(made)
    }
}

/// The entry of all functions.
///
/// # Safety
/// The interpreter calls it as it calls functions with these flags, on a `self` that [`holder`] made.
unsafe extern "C" fn enter(
    own: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    Python::attach(|py| {
        let called = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: as this function's.
            unsafe { call(py, own, arguments, count, names) }
        }));
        called.unwrap_or_else(|_| {
            PanicException::new_err("a call of takewise has panicked").restore(py);
            null_mut()
        })
    })
}

/// The result of a call; null where it failed, with the error set.
///
/// # Safety
/// As for [`enter`].
#[inline]
unsafe fn call(
    py: Python<'_>,
    own: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: `holder` stored a function there that is never freed.
    let function = unsafe { &**ffi::PyModule_GetState(own).cast::<*const Callable>() };
    // SAFETY: the names are a tuple, or there are none.
    let names = unsafe { Bound::from_borrowed_ptr_or_opt(py, names).map(|names| names.cast_into_unchecked()) };
    let count = usize::try_from(count).unwrap_or(0);
    let all = count + names.as_ref().map_or(0, |names: &Bound<'_, PyTuple>| names.len());
    // SAFETY: so many arguments are there, each a live object while the call runs.
    let objects = if all == 0 { &[] } else { unsafe { slice::from_raw_parts(arguments, all) } };
    let mut arguments = Arguments { py, function, objects, count, names, places: [null_mut(); MOST] };
    let called = match arguments.bind() {
        Ok(()) => (function.run)(&arguments),
        Err(text) => Err(PyTypeError::new_err(text)),
    };
    match called {
        Ok(result) => result.into_ptr(),
        Err(error) => arguments.handed_on(error),
    }
}

/// The arguments of a call, by parameter.
pub(crate) struct Arguments<'a, 'py> {
    pub(crate) py: Python<'py>,
    function: &'static Callable,
    /// As they came.
    objects: &'a [*mut ffi::PyObject],
    /// How many of them have no name.
    count: usize,
    names: Option<Bound<'py, PyTuple>>,
    /// The argument of each parameter, or null.
    places: [*mut ffi::PyObject; MOST],
}

impl<'a, 'py> Arguments<'a, 'py> {
    pub(crate) fn entry(&self) -> &'static Entry {
        &self.function.entry
    }

    /// How errors name the operation.
    #[inline]
    pub(crate) fn op(&self) -> Op {
        self.function.op
    }

    /// Whether an axis is all that [`Given`](takewise_operations::Given) holds of its arguments.
    #[inline]
    pub(crate) fn by_axis(&self) -> bool {
        self.function.by_axis
    }

    /// Whether all arguments are given by position, as no policy can be.
    #[inline]
    pub(crate) fn without_names(&self) -> bool {
        self.names.is_none()
    }

    /// Puts each argument to its parameter.
    ///
    /// Error: what is wrong, in Python's words.
    #[inline]
    fn bind(&mut self) -> Result<(), String> {
        if self.count > self.function.entry.operation.parameters.len() {
            return Err(self.too_many());
        }
        for (place, object) in self.places.iter_mut().zip(&self.objects[..self.count]) {
            *place = *object;
        }
        if self.names.is_some() {
            self.bind_names()?;
        }
        match self.places[..self.function.required].iter().any(|place| place.is_null()) {
            true => Err(self.missing()),
            false => Ok(()),
        }
    }

    fn bind_names(&mut self) -> Result<(), String> {
        let Some(given) = &self.names else { return Ok(()) };
        let names = &self.function.names;
        for (name, object) in given.iter().zip(&self.objects[self.count..]) {
            // Names in a program's text are objects that there is one of.
            let same = names.iter().position(|known| known.is(&name));
            let place = same.or_else(|| names.iter().position(|known| name.eq(known).unwrap_or(false)));
            let Some(place) = place else {
                return Err(self.said(&format!("got an unexpected keyword argument '{name}'")));
            };
            if !self.places[place].is_null() {
                return Err(self.said(&format!("got multiple values for argument '{name}'")));
            }
            self.places[place] = *object;
        }
        Ok(())
    }

    fn said(&self, what: &str) -> String {
        format!("{}() {what}", self.function.entry.name)
    }

    #[cold]
    fn too_many(&self) -> String {
        let (least, most) = (self.function.required, self.function.entry.operation.parameters.len());
        let count = self.count;
        let takes = if least == most { format!("{most}") } else { format!("from {least} to {most}") };
        let (s, were) = (if most == 1 { "" } else { "s" }, if count == 1 { "was" } else { "were" });
        self.said(&format!("takes {takes} positional argument{s} but {count} {were} given"))
    }

    #[cold]
    fn missing(&self) -> String {
        let required = self.function.parameters.iter().zip(&self.places[..self.function.required]);
        let missing = required.filter(|(_, place)| place.is_null());
        let names: Vec<_> = missing.map(|(parameter, _)| format!("'{}'", parameter.name)).collect();
        let listed = match &names[..] {
            [one] => one.clone(),
            [one, two] => format!("{one} and {two}"),
            [first @ .., last] => format!("{}, and {last}", first.join(", ")),
            [] => String::new(),
        };
        let s = if names.len() == 1 { "" } else { "s" };
        self.said(&format!("missing {} required positional argument{s}: {listed}", names.len()))
    }

    /// Who answers a call that we could not: see [`Called::onward`].
    #[cold]
    fn handed_on(&self, error: PyErr) -> *mut ffi::PyObject {
        match self.onward(error) {
            Ok(result) => result.into_ptr(),
            Err(error) => {
                error.restore(self.py);
                null_mut()
            }
        }
    }

    fn onward(&self, error: PyErr) -> PyResult<Bound<'py, PyAny>> {
        let (positional, keywords) = self.as_given()?;
        Called { name: self.function.entry.name, positional: &positional, keywords: &keywords }.onward(error)
    }

    /// The arguments as they were given, by position and by name.
    fn as_given(&self) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let all: Vec<_> = self.all().collect();
        let keywords = PyDict::new(self.py);
        for (name, one) in self.names.iter().flatten().zip(&all[self.count..]) {
            keywords.set_item(name, one)?;
        }
        Ok((PyTuple::new(self.py, &all[..self.count])?, keywords))
    }

    /// What another answers who has to know the operation's name.
    pub(crate) fn asked(&self, who: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (positional, keywords) = self.as_given()?;
        who.call1((self.function.entry.name, positional, keywords))
    }

    /// All arguments, as they were given.
    pub(crate) fn all(&self) -> impl Iterator<Item = Bound<'py, PyAny>> + '_ {
        // SAFETY: each is a live object while the call runs.
        self.objects.iter().map(|one| unsafe { Bound::from_borrowed_ptr(self.py, *one) })
    }

    /// The argument at a place.
    #[inline]
    fn at(&self, place: usize) -> Option<Borrowed<'_, 'py, PyAny>> {
        let object = *self.places.get(place)?;
        // SAFETY: null, or a live object while the call runs.
        (!object.is_null()).then(|| unsafe { Borrowed::from_ptr(self.py, object) })
    }

    /// The first parameter for something.
    #[inline]
    pub(crate) fn parameter(&self, role: Role) -> Option<&'static Parameter> {
        self.function.parameters.get(usize::from(self.function.places[role as usize])).copied()
    }

    /// What was given for something, `None` too.
    #[inline]
    pub(crate) fn object(&self, role: Role) -> Option<Borrowed<'_, 'py, PyAny>> {
        self.at(usize::from(self.function.places[role as usize]))
    }

    /// What was given for something, if it was, and is not the `None` that stands for nothing.
    #[inline(always)]
    pub(crate) fn get<T>(&self, role: Role) -> PyResult<Option<T>>
    where
        T: for<'b> FromPyObject<'b, 'py>,
    {
        self.get_at(usize::from(self.function.places[role as usize]))
    }

    /// What has to be given.
    #[inline(always)]
    pub(crate) fn need<T>(&self, role: Role) -> PyResult<T>
    where
        T: for<'b> FromPyObject<'b, 'py>,
    {
        let found = self.get(role)?;
        found.ok_or_else(|| PyTypeError::new_err(self.said("lacks an argument")))
    }

    /// What was given for something that two parameters are for, one after the other.
    pub(crate) fn two<T>(&self, role: Role) -> PyResult<[Option<T>; 2]>
    where
        T: for<'b> FromPyObject<'b, 'py>,
    {
        let first = usize::from(self.function.places[role as usize]);
        Ok([self.get_at(first)?, self.get_at(first + 1)?])
    }

    #[inline(always)]
    fn get_at<T>(&self, place: usize) -> PyResult<Option<T>>
    where
        T: for<'b> FromPyObject<'b, 'py>,
    {
        let Some(object) = self.at(place) else { return Ok(None) };
        if object.is_none() && self.function.parameters[place].default == Some("None") {
            return Ok(None);
        }
        object.extract::<T>().map(Some).map_err(|error| self.misfit(place, error.into()))
    }

    /// The error with the argument's name.
    #[cold]
    fn misfit(&self, place: usize, error: PyErr) -> PyErr {
        if !error.get_type(self.py).is(self.py.get_type::<PyTypeError>()) {
            return error;
        }
        let text = format!("argument '{}': {}", self.function.parameters[place].name, error.value(self.py));
        PyTypeError::new_err(text)
    }
}
