//! Kernels in PyTorch's dispatcher that run without Python, through the C interface that PyTorch keeps stable.
//!
//! It is found at run time in the library that is loaded. Whether it is what is expected here is tried out on operators of
//! our own before PyTorch's get such kernels (`python/takewise/_shim.py`). So it is with the direct road beside it, which spares
//! the packing of arguments: C++ functions in the dispatcher's table (`table.rs`, `direct.rs`).

#![allow(unsafe_code)]

mod direct;
mod fields;
mod give;
mod kernel;
mod lent;
mod library;
mod look;
mod small;
mod stack;
mod symbols;
mod table;

use std::ffi::{CString, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::prelude::*;

use crate::error::refuse;
use crate::library::Kernel;
use fields::{FIELDS, Fields};
use kernel::{Answers, LOADED, Loaded};
use look::Look;
use small::Small;
use stack::{Parameter, Row};
use symbols::Api;

/// Kernels that PyTorch's dispatcher has in place of its own, until ``destroy()``.
#[pyclass(frozen, module = "takewise._takewise")]
struct Shim(AtomicPtr<c_void>);

#[pymethods]
impl Shim {
    /// ``kernels`` are ``(name, number)`` of operators of one namespace.
    #[new]
    fn new(py: Python<'_>, namespace: &str, kernels: Vec<(String, usize)>) -> PyResult<Shim> {
        let text = |text: &str| CString::new(text).map_err(|_| refuse(py, "ValueError", "a name with a zero in it"));
        let refused = || refuse(py, "RuntimeError", "PyTorch takes no kernels for these operators");
        let Some(Loaded { api, .. }) = LOADED.get() else { return Err(refused()) };
        let namespace = text(namespace)?;
        let kernels = kernels.into_iter().map(|(name, number)| {
            let entry = kernel::entry(number).ok_or_else(refused)?;
            Ok((text(&name)?, entry))
        });
        let kernels = kernels.collect::<PyResult<Vec<_>>>()?;
        let mut library = std::ptr::null_mut();
        // SAFETY: texts that end in zero.
        let made = unsafe {
            (api.library_new)(namespace.as_ptr(), c"CPU".as_ptr(), c"takewise".as_ptr(), line!(), &mut library)
        };
        if made != 0 {
            return Err(refused());
        }
        let shim = Shim(AtomicPtr::new(library));
        for (name, entry) in kernels {
            // SAFETY: a library made above, and a kernel for exactly this operator.
            if unsafe { (api.library_impl)(library, name.as_ptr(), entry, (api.version)()) } != 0 {
                shim.destroy();
                return Err(refused());
            }
        }
        Ok(shim)
    }

    /// Finds the interface; whether it is there.
    #[staticmethod]
    fn found(torch: &Bound<'_, PyAny>) -> PyResult<bool> {
        if LOADED.get().is_none()
            && let Some((api, throw, table)) = Api::found(torch)?
        {
            LOADED.keep(Loaded { api, throw, table });
        }
        Ok(LOADED.get().is_some())
    }

    /// Gives an operator its number, for good: ``parameters`` has ``(name, type, by name only, written, (default,) or ())`` of
    /// each. ``small`` says which calls of the direct road are PyTorch's own: of at most so many elements, by which rule. Whether
    /// its arguments come through the interface, and whether they can be read on the direct road.
    #[staticmethod]
    #[pyo3(signature = (number, kernel, parameters, small=None))]
    fn number(
        number: usize,
        kernel: Py<Kernel>,
        parameters: Vec<Row<'_>>,
        small: Option<(usize, String)>,
    ) -> (bool, bool) {
        let Some(parameters) = parameters.into_iter().map(Parameter::new).collect::<Option<Vec<_>>>() else {
            return (false, false);
        };
        let handed_over = parameters.iter().all(Parameter::is_handed_over);
        let small = small.and_then(|(most, rule)| Small::new(most, &rule));
        let known = kernel::number(number, parameters, Answers::Engine { kernel, small });
        (known && handed_over, known)
    }

    /// Gives the kernel that looks at an operator's index values its number, for good; whether its arguments can be read on the
    /// direct road. ``look`` is where they are, whether they are counted from the end too, and the most that are looked at. Such
    /// calls of bad values, and of what cannot be looked at, are put to ``otherwise``. ``kernel`` counts the others.
    #[staticmethod]
    fn number_beside(
        number: usize,
        kernel: Py<Kernel>,
        parameters: Vec<Row<'_>>,
        look: (String, bool, Option<usize>),
        otherwise: Py<PyAny>,
    ) -> bool {
        let parameters = parameters.into_iter().map(Parameter::new).collect::<Option<Vec<_>>>();
        let (rule, back, most) = look;
        let Some((parameters, look)) = parameters.zip(Look::new(&rule, back, most)) else { return false };
        kernel::number(number + kernel::BESIDE, parameters, Answers::Native { kernel, look, otherwise })
    }

    /// Whether small calls of the direct road are left to PyTorch's own kernels, as they are at first.
    #[staticmethod]
    fn leave_small(small: bool) {
        small::leave(small);
    }

    /// Whether the fields of tensors can be read where they lie: ``tensors`` are ordinary ones, the second of inference mode, and
    /// ``others`` are none.
    #[staticmethod]
    fn reads(tensors: Vec<Bound<'_, PyAny>>, others: Vec<Bound<'_, PyAny>>) -> bool {
        let Some(Loaded { api, .. }) = LOADED.get() else { return false };
        let handles = |objects: &[Bound<'_, PyAny>]| objects.iter().map(|object| api.handle(object)).collect();
        let (tensors, others): (Vec<_>, Vec<_>) = (handles(&tensors), handles(&others));
        let known = tensors.iter().chain(&others).all(|handle| !handle.is_null());
        // SAFETY: tensors of these objects, owned here; the first are ordinary by the caller.
        let fields = if known { unsafe { Fields::proven(api, &tensors, &others) } } else { None };
        for handle in tensors.into_iter().chain(others).filter(|handle| !handle.is_null()) {
            // SAFETY: an owner of a tensor, ours alone.
            unsafe { (api.delete)(handle) };
        }
        if let Some(fields) = fields {
            FIELDS.keep(fields);
        }
        fields.is_some()
    }

    /// Takes the kernels out.
    fn destroy(&self) {
        let library = self.0.swap(std::ptr::null_mut(), Ordering::AcqRel);
        if let Some(Loaded { api, .. }) = LOADED.get()
            && !library.is_null()
        {
            // SAFETY: made above, and deleted once.
            unsafe { (api.library_delete)(library) };
        }
    }
}

/// C++ functions in PyTorch's table, beside the kernels of the same operators that were registered otherwise. They go when
/// those do.
///
/// It is made before those kernels are registered, and ``put_in()`` is called after that.
#[pyclass(frozen, module = "takewise._takewise")]
struct Direct {
    key: u16,
    places: Vec<(usize, table::Row, table::Kernel)>,
}

#[pymethods]
impl Direct {
    /// ``kernels`` are ``(name, overload, number)`` of operators, the names with their namespace: kernels for the dispatch key
    /// ``key``, from which calls go on to those for ``native``. With ``beside`` they are those that look at index values.
    #[new]
    fn new(
        py: Python<'_>,
        native: u16,
        key: u16,
        kernels: Vec<(String, String, usize)>,
        beside: bool,
    ) -> PyResult<Direct> {
        let text = |text: &str| CString::new(text).map_err(|_| refuse(py, "ValueError", "a name with a zero in it"));
        let mut places = Vec::new();
        let Some(Loaded { table: Some(table), .. }) = LOADED.get() else { return Ok(Direct { key, places }) };
        for (name, overload, number) in kernels {
            let (name, overload) = (text(&name)?, text(&overload)?);
            // SAFETY: operators that Python has found, and a key of PyTorch's.
            let found = unsafe { table.row(&name, &overload).and_then(|row| Some((row, table.kernel(row, native)?))) };
            if let Some((row, native)) = found.filter(|(_, native)| native.is_compiled()) {
                places.push((number + if beside { kernel::BESIDE } else { 0 }, row, native));
            }
        }
        Ok(Direct { key, places })
    }

    /// Puts the functions in; the numbers of the operators that have one now.
    fn put_in(&self) -> Vec<usize> {
        let Some(Loaded { table: Some(table), .. }) = LOADED.get() else { return Vec::new() };
        let put = |(number, row, native): &(usize, table::Row, table::Kernel)| {
            let function = direct::function(*number, native)?;
            // SAFETY: a function of the operator's shape. Who switches kernels does so one at a time, with the interpreter's
            // lock held.
            unsafe { table.put(*row, self.key, native, function) }.then_some(number % kernel::BESIDE)
        };
        self.places.iter().filter_map(put).collect()
    }
}

/// Adds the classes to the module.
pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<Shim>()?;
    m.add_class::<Direct>()
}
