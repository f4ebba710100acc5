//! What the exchange table forgets of a tensor.
//!
//! A question put to PyTorch through Python costs more than the loan, so it is put as C++ extensions put it: to the
//! functions that PyTorch's own libraries export, with the tensor that its published header `python_variable.h` places
//! behind the head of every Python object of the class. Nothing behind that pointer is looked at here. The functions are those
//! of the stable C interface (`torch/csrc/inductor/aoti_torch/c/shim.h`) where it has one, else members of C++ classes by the
//! names that compilers give them. Those belong to one build of PyTorch, so all of it is used only where tensors of every state,
//! made for this, were found to hold that pointer there and to get the right answers; where it was not (another system,
//! another PyTorch), tensors are asked through Python.

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

/// The memory of a tensor's storage.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct StorageMemory {
    /// Where it starts; 0 for none.
    pub(super) start: usize,
    /// How many bytes it has.
    pub(super) bytes: usize,
}

impl StorageMemory {
    /// Of any tensor, without running any Python, by the address of its first element and the size of each: nothing for one
    /// without a storage; `None` where that is not known to be right.
    #[inline]
    pub(super) fn read(object: &Bound<'_, PyAny>, first: usize, size: usize) -> Option<Option<StorageMemory>> {
        native::stored(object, first, size)
    }

    /// Of any tensor, as it tells it itself: that may run somebody's code.
    pub(super) fn ask(object: &Bound<'_, PyAny>) -> PyResult<StorageMemory> {
        let py = object.py();
        let storage = object.call_method0(intern!(py, "untyped_storage"))?;
        Ok(StorageMemory {
            start: storage.call_method0(intern!(py, "data_ptr"))?.extract()?,
            bytes: storage.call_method0(intern!(py, "nbytes"))?.extract()?,
        })
    }
}

/// Whether a tensor was made in inference mode, without running any Python; `None` where that is not known to be right.
#[inline]
pub(super) fn is_inference(object: &Bound<'_, PyAny>) -> Option<bool> {
    native::is_inference(object)
}

/// Raises the version of a tensor that was not made in inference mode, without running any Python; `false` where that cannot be
/// done.
#[inline]
pub(super) fn raise_version(object: &Bound<'_, PyAny>) -> bool {
    native::raise_version(object)
}

#[cfg(unix)]
mod native {
    use super::super::library::Library;
    use super::{State, StorageMemory};
    use crate::known::Known;
    use pyo3::ffi;
    use pyo3::prelude::*;
    use pyo3::types::{IntoPyDict, PyDict};
    use std::ffi::{c_int, c_void};

    /// `c10::TensorImpl`.
    type Impl = *const c_void;
    /// A function of the stable C interface that tells a number of a tensor.
    type Number = unsafe extern "C" fn(&Impl, &mut i64) -> c_int;

    /// The functions of PyTorch's that answer. `at::Tensor` is one pointer, to its implementation, and a handle of the stable
    /// C interface is a pointer to that.
    struct Asking {
        storage_size: Number,
        storage_offset: Number,
        requires_grad: unsafe extern "C" fn(Impl) -> u8,
        is_neg: unsafe extern "C" fn(&Impl) -> u8,
        is_conj: unsafe extern "C" fn(&Impl) -> u8,
        is_inference: unsafe extern "C" fn(&Impl) -> u8,
        bump_version: unsafe extern "C" fn(&Impl),
    }

    static ASKING: Known<Option<Asking>> = Known::new();

    #[inline]
    pub(super) fn read(object: &Bound<'_, PyAny>) -> Option<State> {
        let asking = ASKING.get_or_init(object.py(), || Asking::proven(object.py()).ok().flatten());
        // SAFETY: what was proven holds for every object of the class.
        asking.as_ref().map(|asking| unsafe { asking.read(object) })
    }

    #[inline]
    pub(super) fn stored(object: &Bound<'_, PyAny>, first: usize, size: usize) -> Option<Option<StorageMemory>> {
        let asking = ASKING.get_or_init(object.py(), || Asking::proven(object.py()).ok().flatten());
        // SAFETY: what was proven holds for every object of the class, and classes derived from it begin as it does.
        asking.as_ref().map(|asking| unsafe { asking.stored(&held(object), first, size) })
    }

    #[inline]
    pub(super) fn is_inference(object: &Bound<'_, PyAny>) -> Option<bool> {
        let asking = ASKING.get_or_init(object.py(), || Asking::proven(object.py()).ok().flatten());
        // SAFETY: what was proven holds for every object of the class; the function does not keep the pointer.
        asking.as_ref().map(|asking| unsafe { (asking.is_inference)(&held(object)) != 0 })
    }

    #[inline]
    pub(super) fn raise_version(object: &Bound<'_, PyAny>) -> bool {
        let asking = ASKING.get_or_init(object.py(), || Asking::proven(object.py()).ok().flatten());
        // SAFETY: as above; such a tensor has a version, so nothing is thrown.
        asking.as_ref().map(|asking| unsafe { (asking.bump_version)(&held(object)) }).is_some()
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

    /// Whether a tensor's Python object holds its implementation, as it tells where that is.
    fn is_held(tensor: &Bound<'_, PyAny>) -> PyResult<bool> {
        let room = tensor.get_type().getattr("__basicsize__")?.extract::<usize>()?;
        if room < size_of::<ffi::PyObject>() + size_of::<Impl>() {
            return Ok(false);
        }
        // SAFETY: the object is large enough.
        let held = unsafe { held(tensor) };
        Ok(!held.is_null() && held.addr() == tensor.getattr("_cdata")?.extract::<usize>()?)
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
            let own = |size: usize| torch.call_method("zeros", (size,), Some(&[("device", "cpu")].into_py_dict(py)?));
            let (cut, freed, large) = (own(3)?, own(5)?, own(1000)?);
            let mode = torch.getattr("inference_mode")?.call0()?;
            mode.call_method0("__enter__")?;
            let inferred = own(2);
            mode.call_method1("__exit__", (py.None(), py.None(), py.None()))?;
            let inferred = inferred?;
            for (tensor, bytes) in [(&cut, 4), (&freed, 0)] {
                tensor.call_method0("untyped_storage")?.call_method1("resize_", (bytes,))?;
            }
            let stored = [real.call_method1("narrow", (0, 1, 1))?, cut, freed, large];
            let states = [(real, 0), (leaf, 1), (negated, 2), (conjugated, 4), (both, 6)].map(|(tensor, bits)| {
                let has = |bit: u8| bits & bit != 0;
                (tensor, State { gradient: has(1), negation: has(2), conjugation: has(4) })
            });
            for tensor in states.iter().map(|(tensor, _)| tensor).chain(&stored).chain([&inferred]) {
                if !is_held(tensor)? {
                    return Ok(None);
                }
            }
            let Some(asking) = Asking::exported(&torch)? else { return Ok(None) };
            for tensor in &stored {
                let (first, size) = (tensor.call_method0("data_ptr")?.extract()?, size_of::<f32>());
                // SAFETY: the pointers were compared.
                if unsafe { asking.stored(&held(tensor), first, size) } != Some(StorageMemory::ask(tensor)?) {
                    return Ok(None);
                }
            }
            // SAFETY: the pointers were compared; the names of the functions say what they take.
            let right = states.iter().all(|(tensor, state)| unsafe { asking.read(tensor) } == *state);
            // SAFETY: as above.
            let told = unsafe {
                let (plain, inferred) = (held(&stored[3]), held(&inferred));
                (asking.bump_version)(&plain);
                (asking.is_inference)(&inferred) != 0 && (asking.is_inference)(&plain) == 0
            };
            let version = stored[3].getattr("_version")?.extract::<u64>()?;
            Ok((right && told && version == 1).then_some(asking))
        }

        /// The functions by their names, of the library that is already loaded.
        fn exported(torch: &Bound<'_, PyAny>) -> PyResult<Option<Asking>> {
            let init: String = torch.getattr("__file__")?.extract()?;
            let Some((folder, _)) = init.rsplit_once('/') else { return Ok(None) };
            let Some(library) = Library::loaded(folder, "torch_cpu") else { return Ok(None) };
            let names = [
                c"aoti_torch_get_storage_size",
                c"aoti_torch_get_storage_offset",
                c"_ZNK3c1010TensorImpl13requires_gradEv",
                c"_ZN2at6native6is_negERKNS_6TensorE",
                c"_ZN2at6native7is_conjERKNS_6TensorE",
                c"_ZN2at6native12is_inferenceERKNS_6TensorE",
                c"_ZN5torch8autograd4impl12bump_versionERKN2at6TensorE",
            ];
            let [
                Some(storage_size),
                Some(storage_offset),
                Some(requires_grad),
                Some(is_neg),
                Some(is_conj),
                Some(is_inference),
                Some(bump_version),
            ] = names.map(|name| library.find(name))
            else {
                return Ok(None);
            };
            // SAFETY: functions, of these arguments by their names. The first two return a code by the header of the stable C
            // interface. `torch::autograd::impl::bump_version(const at::Tensor&)` returns nothing, the others a `bool`, which is
            // a byte.
            unsafe {
                Ok(Some(Asking {
                    storage_size: std::mem::transmute::<*mut c_void, Number>(storage_size),
                    storage_offset: std::mem::transmute::<*mut c_void, Number>(storage_offset),
                    requires_grad: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(Impl) -> u8>(requires_grad),
                    is_neg: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(&Impl) -> u8>(is_neg),
                    is_conj: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(&Impl) -> u8>(is_conj),
                    is_inference: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(&Impl) -> u8>(is_inference),
                    bump_version: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(&Impl)>(bump_version),
                }))
            }
        }

        /// The memory of a tensor's storage, by the address of its first element and the size of each; nothing without a
        /// storage, or one of a size that is a symbol.
        ///
        /// # Safety
        /// A live tensor of the PyTorch whose functions these are.
        #[inline]
        unsafe fn stored(&self, tensor: &Impl, first: usize, size: usize) -> Option<StorageMemory> {
            let (mut bytes, mut offset) = (0, 0);
            // SAFETY: by the caller; what they write to is there.
            let codes = unsafe { (self.storage_size)(tensor, &mut bytes) | (self.storage_offset)(tensor, &mut offset) };
            let (bytes, offset) = (usize::try_from(bytes).ok()?, usize::try_from(offset).ok()?);
            // An address is given of what has memory.
            let start = if first == 0 { 0 } else { first.wrapping_sub(offset.wrapping_mul(size)) };
            (codes == 0).then_some(StorageMemory { start, bytes })
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
    }
}

/// Names and calls of C++ differ elsewhere.
#[cfg(not(unix))]
mod native {
    use super::{State, StorageMemory};
    use pyo3::prelude::*;

    pub(super) fn read(_: &Bound<'_, PyAny>) -> Option<State> {
        None
    }

    pub(super) fn stored(_: &Bound<'_, PyAny>, _: usize, _: usize) -> Option<Option<StorageMemory>> {
        None
    }

    pub(super) fn is_inference(_: &Bound<'_, PyAny>) -> Option<bool> {
        None
    }

    pub(super) fn raise_version(_: &Bound<'_, PyAny>) -> bool {
        false
    }
}
