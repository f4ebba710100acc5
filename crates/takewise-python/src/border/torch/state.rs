//! What the exchange table forgets of a tensor.
//!
//! A question put to PyTorch through Python costs more than the loan, so it is put as C++ extensions put it: to the
//! functions that PyTorch's own libraries export, with the tensor that its published header `python_variable.h` places
//! behind the head of every Python object of the class. All of that belongs to one build of PyTorch. So it is used only
//! where tensors of every state, made for this, were found to hold that pointer there and to get the right answers; where
//! it was not (another system, another PyTorch), tensors are asked through Python.

use crate::known::intern;
use pyo3::prelude::*;

/// What a tensor carries that a view of its memory would not show.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct State {
    /// It requires a gradient.
    pub(super) gradient: bool,
    /// Its elements are meant with the other sign.
    pub(super) negation: bool,
    /// Its elements are meant conjugated.
    pub(super) conjugation: bool,
}

impl State {
    /// The state of a tensor of exactly PyTorch's class, without running any Python; `None` where that is not known to be
    /// right.
    #[inline]
    pub(super) fn read(object: &Bound<'_, PyAny>) -> Option<State> {
        native::read(object)
    }

    /// The state of any tensor, as it tells it itself: that may run somebody's code.
    pub(super) fn ask(object: &Bound<'_, PyAny>) -> PyResult<State> {
        let py = object.py();
        Ok(State {
            gradient: object.getattr(intern!(py, "requires_grad"))?.is_truthy()?,
            negation: object.call_method0(intern!(py, "is_neg"))?.is_truthy()?,
            conjugation: object.call_method0(intern!(py, "is_conj"))?.is_truthy()?,
        })
    }
}

/// Where a tensor's elements lie in its storage.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Stored {
    /// Bytes the storage has.
    pub(super) bytes: usize,
    /// Elements before the tensor's first.
    pub(super) offset: usize,
}

impl Stored {
    /// Of any tensor, without running any Python: nothing for one without a storage; `None` where that is not known to be
    /// right.
    #[inline]
    pub(super) fn read(object: &Bound<'_, PyAny>) -> Option<Option<Stored>> {
        native::stored(object)
    }

    /// Of any tensor, as it tells it itself: that may run somebody's code.
    pub(super) fn ask(object: &Bound<'_, PyAny>) -> PyResult<Stored> {
        let py = object.py();
        let storage = object.call_method0(intern!(py, "untyped_storage"))?;
        Ok(Stored {
            bytes: storage.call_method0(intern!(py, "nbytes"))?.extract()?,
            offset: object.call_method0(intern!(py, "storage_offset"))?.extract()?,
        })
    }
}

#[cfg(unix)]
mod native {
    use super::{State, Stored};
    use crate::known::Known;
    use pyo3::ffi;
    use pyo3::prelude::*;
    use pyo3::types::{IntoPyDict, PyDict};
    use std::ffi::{CStr, CString, c_void};

    /// `c10::TensorImpl`.
    type Impl = *const c_void;

    /// The members of PyTorch's that answer. `at::Tensor` is one pointer, to its implementation.
    struct Asking {
        requires_grad: unsafe extern "C" fn(Impl) -> u8,
        is_neg: unsafe extern "C" fn(&Impl) -> u8,
        is_conj: unsafe extern "C" fn(&Impl) -> u8,
        storage_size: unsafe extern "C" fn(&Impl, &mut i64) -> i32,
        storage_offset: unsafe extern "C" fn(&Impl, &mut i64) -> i32,
    }

    static ASKING: Known<Option<Asking>> = Known::new();

    #[inline]
    pub(super) fn read(object: &Bound<'_, PyAny>) -> Option<State> {
        let asking = ASKING.get_or_init(object.py(), || Asking::proven(object.py()).ok().flatten());
        // SAFETY: what was proven holds for every object of the class.
        asking.as_ref().map(|asking| unsafe { asking.read(object) })
    }

    #[inline]
    pub(super) fn stored(object: &Bound<'_, PyAny>) -> Option<Option<Stored>> {
        let asking = ASKING.get_or_init(object.py(), || Asking::proven(object.py()).ok().flatten());
        // SAFETY: what was proven holds for every object of the class, and classes derived from it begin as it does.
        asking.as_ref().map(|asking| unsafe { asking.stored(object) })
    }

    /// The implementation of a tensor's Python object.
    ///
    /// # Safety
    /// An object with a pointer behind its head.
    #[inline]
    unsafe fn held(object: &Bound<'_, PyAny>) -> Impl {
        // SAFETY: by the caller.
        unsafe { object.as_ptr().add(1).cast::<Impl>().read() }
    }

    impl Asking {
        /// The functions, if they answer for tensors of every state as those were made.
        fn proven(py: Python<'_>) -> PyResult<Option<Asking>> {
            let torch = py.import("torch")?;
            let on_cpu: Bound<'_, PyDict> = [("device", "cpu")].into_py_dict(py)?;
            let real = torch.call_method("zeros", (2,), Some(&on_cpu))?;
            on_cpu.set_item("dtype", torch.getattr("complex64")?)?;
            let conjugated = torch.call_method("zeros", (2,), Some(&on_cpu))?.call_method0("conj")?;
            let negated = torch.call_method1("_neg_view", (&real,))?;
            let both = torch.call_method1("_neg_view", (&conjugated,))?;
            let leaf = real.call_method0("detach")?.call_method1("requires_grad_", (true,))?;
            // Of float32: eight bytes, of which the last element, then four bytes.
            let last = real.call_method1("narrow", (0, 1, 1))?;
            let cut = torch.call_method("zeros", (3,), Some(&[("device", "cpu")].into_py_dict(py)?))?;
            cut.call_method0("untyped_storage")?.call_method1("resize_", (4,))?;
            let stored = [(&real, (8, 0)), (&last, (8, 1)), (&cut, (4, 0))]
                .map(|(tensor, (bytes, offset))| (tensor.clone(), Stored { bytes, offset }));
            let states = [(real, 0), (leaf, 1), (negated, 2), (conjugated, 4), (both, 6)].map(|(tensor, bits)| {
                (tensor, State { gradient: bits & 1 != 0, negation: bits & 2 != 0, conjugation: bits & 4 != 0 })
            });
            for tensor in states.iter().map(|(tensor, _)| tensor).chain(stored.iter().map(|(tensor, _)| tensor)) {
                let room = tensor.get_type().getattr("__basicsize__")?.extract::<usize>()?;
                if room < size_of::<ffi::PyObject>() + size_of::<Impl>() {
                    return Ok(None);
                }
                // SAFETY: the object is large enough.
                let held = unsafe { held(tensor) };
                if held.is_null() || held.addr() != tensor.getattr("_cdata")?.extract::<usize>()? {
                    return Ok(None);
                }
            }
            let Some(asking) = Asking::exported(&torch)? else { return Ok(None) };
            // SAFETY: the pointers were compared; the names of the functions say what they take.
            let right = unsafe {
                states.iter().all(|(tensor, state)| asking.read(tensor) == *state)
                    && stored.iter().all(|(tensor, place)| asking.stored(tensor) == Some(*place))
            };
            Ok(right.then_some(asking))
        }

        /// The functions by their names, of the library that is already loaded.
        fn exported(torch: &Bound<'_, PyAny>) -> PyResult<Option<Asking>> {
            let init: String = torch.getattr("__file__")?.extract()?;
            let kind = if cfg!(target_os = "macos") { "dylib" } else { "so" };
            let Some((folder, _)) = init.rsplit_once('/') else { return Ok(None) };
            let Ok(path) = CString::new(format!("{folder}/lib/libtorch_cpu.{kind}")) else { return Ok(None) };
            // SAFETY: a path that ends in zero; nothing is loaded that is not, so nothing runs. The handle is kept for ever.
            let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
            if library.is_null() {
                return Ok(None);
            }
            // SAFETY: a handle, and a name that ends in zero.
            let find = |name: &CStr| unsafe { libc::dlsym(library, name.as_ptr()) };
            let requires_grad = find(c"_ZNK3c1010TensorImpl13requires_gradEv");
            let is_neg = find(c"_ZN2at6native6is_negERKNS_6TensorE");
            let is_conj = find(c"_ZN2at6native7is_conjERKNS_6TensorE");
            // These two are C functions, declared in the header `aoti_torch/c/shim.h` that PyTorch publishes.
            let storage_size = find(c"aoti_torch_get_storage_size");
            let storage_offset = find(c"aoti_torch_get_storage_offset");
            let found = [requires_grad, is_neg, is_conj, storage_size, storage_offset];
            if found.iter().any(|symbol| symbol.is_null()) {
                return Ok(None);
            }
            type Number = unsafe extern "C" fn(&Impl, &mut i64) -> i32;
            // SAFETY: functions, of these arguments by their names: `c10::TensorImpl::requires_grad() const`,
            // `at::native::is_neg(const at::Tensor&)` and `is_conj`. Each returns a `bool`, which is a byte. The other two
            // take a pointer to an `at::Tensor` and one to their answer, and return 0 if they gave it.
            unsafe {
                Ok(Some(Asking {
                    requires_grad: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(Impl) -> u8>(requires_grad),
                    is_neg: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(&Impl) -> u8>(is_neg),
                    is_conj: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(&Impl) -> u8>(is_conj),
                    storage_size: std::mem::transmute::<*mut c_void, Number>(storage_size),
                    storage_offset: std::mem::transmute::<*mut c_void, Number>(storage_offset),
                }))
            }
        }

        /// # Safety
        /// A live tensor's object, which holds its implementation behind its head.
        #[inline]
        unsafe fn read(&self, object: &Bound<'_, PyAny>) -> State {
            // SAFETY: by the caller; no function keeps the pointer.
            unsafe {
                let held = held(object);
                State {
                    gradient: (self.requires_grad)(held) != 0,
                    negation: (self.is_neg)(&held) != 0,
                    conjugation: (self.is_conj)(&held) != 0,
                }
            }
        }

        /// # Safety
        /// As [`Asking::read`].
        #[inline]
        unsafe fn stored(&self, object: &Bound<'_, PyAny>) -> Option<Stored> {
            let (mut bytes, mut offset) = (0, 0);
            // SAFETY: by the caller; no function keeps the pointers.
            let failed = unsafe {
                let held = held(object);
                (self.storage_size)(&held, &mut bytes) | (self.storage_offset)(&held, &mut offset)
            };
            match (failed, usize::try_from(bytes), usize::try_from(offset)) {
                (0, Ok(bytes), Ok(offset)) => Some(Stored { bytes, offset }),
                _ => None,
            }
        }
    }
}

/// Names and calls of C++ differ elsewhere.
#[cfg(not(unix))]
mod native {
    use super::{State, Stored};
    use pyo3::prelude::*;

    pub(super) fn read(_: &Bound<'_, PyAny>) -> Option<State> {
        None
    }

    pub(super) fn stored(_: &Bound<'_, PyAny>) -> Option<Option<Stored>> {
        None
    }
}
