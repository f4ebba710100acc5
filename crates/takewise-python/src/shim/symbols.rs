//! The functions of PyTorch's stable C interface that are called here, found by name in the library that is loaded.
//!
//! The names and types are those of its published headers `torch/csrc/inductor/aoti_torch/c/shim.h` and
//! `torch/csrc/stable/c/shim.h`. None of these functions lets a C++ exception out: each returns a code, 0 for success.

use std::ffi::{CStr, c_char, c_int, c_void};

use pyo3::prelude::*;
use takewise::DType;

use crate::border::torch::Library;

/// `AtenTensorHandle`: a tensor that somebody owns. Null is none.
pub(super) type Handle = *mut c_void;

/// `StableIValue`: one argument, as its type in the schema says.
pub(super) type Word = u64;

/// What a kernel is to PyTorch: a list of arguments, which become its own, how many, and how many results it leaves there.
pub(super) type Entry = unsafe extern "C-unwind" fn(*mut Word, u64, u64);

/// What frees memory that a tensor was made of.
pub(super) type Deleter = unsafe extern "C" fn(*mut c_void, *mut c_void);

/// Declares the table of functions and how it is filled.
macro_rules! functions {
    ($($field:ident = $symbol:literal: ($($argument:ty),*) -> $result:ty;)*) => {
        /// The functions, and what they call things.
        pub(crate) struct Api {
            $(pub(super) $field: unsafe extern "C" fn($($argument),*) -> $result,)*
            /// PyTorch's number of each dtype.
            pub(super) dtypes: [(i32, DType); DTYPES.len()],
            /// Its number of main memory, and of plain strides.
            pub(super) main_memory: i32,
            pub(super) strided: i32,
            /// What throws a RuntimeError.
            pub(super) fail: Fail,
        }

        impl Api {
            /// The functions of a loaded library; `None` if one is missing.
            ///
            /// # Safety
            /// PyTorch's library, which has these names for functions of these types.
            unsafe fn of(library: &Library, fail: Fail) -> Option<Api> {
                let ask = |name: &CStr| {
                    let found = library.find(name)?;
                    // SAFETY: by the header, functions without arguments that return a number.
                    Some(unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> i32>(found)() })
                };
                let mut dtypes = [(0, DType::Bool); DTYPES.len()];
                for (place, (name, dtype)) in dtypes.iter_mut().zip(DTYPES) {
                    *place = (ask(name)?, dtype);
                }
                Some(Api {
                    $($field: {
                        let found = library.find($symbol)?;
                        // SAFETY: the type is that of the header.
                        unsafe {
                            std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) -> $result>(found)
                        }
                    },)*
                    dtypes,
                    main_memory: ask(c"aoti_torch_device_type_cpu")?,
                    strided: ask(c"aoti_torch_layout_strided")?,
                    fail,
                })
            }
        }
    };
}

functions! {
    version = c"aoti_torch_abi_version": () -> u64;
    library_new = c"aoti_torch_library_init_impl": (*const c_char, *const c_char, *const c_char, u32, *mut *mut c_void) -> c_int;
    library_impl = c"torch_library_impl": (*mut c_void, *const c_char, Entry, u64) -> c_int;
    library_delete = c"aoti_torch_delete_library_object": (*mut c_void) -> c_int;
    delete = c"aoti_torch_delete_tensor_object": (Handle) -> c_int;
    share = c"aoti_torch_new_tensor_handle": (Handle, *mut Handle) -> c_int;
    is_defined = c"aoti_torch_is_defined": (Handle, *mut bool) -> c_int;
    layout = c"aoti_torch_get_layout": (Handle, *mut i32) -> c_int;
    device = c"aoti_torch_get_device_type": (Handle, *mut i32) -> c_int;
    dtype = c"aoti_torch_get_dtype": (Handle, *mut i32) -> c_int;
    dim = c"aoti_torch_get_dim": (Handle, *mut i64) -> c_int;
    sizes = c"aoti_torch_get_sizes": (Handle, *mut *const i64) -> c_int;
    strides = c"aoti_torch_get_strides": (Handle, *mut *const i64) -> c_int;
    offset = c"aoti_torch_get_storage_offset": (Handle, *mut i64) -> c_int;
    stored = c"aoti_torch_get_storage_size": (Handle, *mut i64) -> c_int;
    has_storage = c"torch_has_storage": (Handle, *mut bool) -> c_int;
    read = c"torch_get_const_data_ptr": (Handle, *mut *const c_void) -> c_int;
    write = c"torch_get_mutable_data_ptr": (Handle, *mut *mut c_void) -> c_int;
    empty = c"aoti_torch_empty_strided": (i64, *const i64, *const i64, i32, i32, i32, *mut Handle) -> c_int;
    from_blob = c"torch_from_blob":
        (*mut c_void, i64, *const i64, *const i64, i64, i32, i32, i32, *mut Handle, i32, *const u8, i64, Option<Deleter>, *mut c_void) -> c_int;
    text = c"torch_string_c_str": (*mut c_void, *mut *const c_char) -> c_int;
    text_size = c"torch_string_length": (*mut c_void, *mut usize) -> c_int;
    text_delete = c"torch_delete_string": (*mut c_void) -> c_int;
    word_delete = c"torch_delete_stable_ivalue": (*mut Word) -> c_int;
    to_python = c"torch_tensor_to_pyobject": (Handle, *mut c_void, *mut *mut c_void) -> c_int;
    from_python = c"torch_tensor_from_pyobject": (*mut c_void, *mut Handle) -> c_int;
}

/// The dtypes that the engine computes with, by the function that tells PyTorch's number of each.
const DTYPES: [(&CStr, DType); 15] = [
    (c"aoti_torch_dtype_float32", DType::F32),
    (c"aoti_torch_dtype_int64", DType::I64),
    (c"aoti_torch_dtype_float64", DType::F64),
    (c"aoti_torch_dtype_bool", DType::Bool),
    (c"aoti_torch_dtype_int32", DType::I32),
    (c"aoti_torch_dtype_bfloat16", DType::BF16),
    (c"aoti_torch_dtype_float16", DType::F16),
    (c"aoti_torch_dtype_uint8", DType::U8),
    (c"aoti_torch_dtype_int8", DType::I8),
    (c"aoti_torch_dtype_int16", DType::I16),
    (c"aoti_torch_dtype_uint16", DType::U16),
    (c"aoti_torch_dtype_uint32", DType::U32),
    (c"aoti_torch_dtype_uint64", DType::U64),
    (c"aoti_torch_dtype_complex64", DType::C64),
    (c"aoti_torch_dtype_complex128", DType::C128),
];

impl Api {
    /// The engine's dtype.
    #[inline]
    pub(super) fn dtype_of(&self, number: i32) -> Option<DType> {
        self.dtypes.iter().find(|(known, _)| *known == number).map(|(_, dtype)| *dtype)
    }

    /// PyTorch's number of a dtype.
    #[inline]
    pub(super) fn number_of(&self, dtype: DType) -> Option<i32> {
        self.dtypes.iter().find(|(_, known)| *known == dtype).map(|(number, _)| *number)
    }

    /// The functions of the PyTorch that is imported; `None` where it lacks one, or is of a version that has another meaning
    /// of them.
    pub(super) fn found(torch: &Bound<'_, PyAny>) -> PyResult<Option<(Api, Throw)>> {
        let folder: String = torch.getattr("__file__")?.extract()?;
        let Some((folder, _)) = folder.rsplit_once('/') else { return Ok(None) };
        let [Some(core), Some(cpu), Some(python)] =
            ["c10", "torch_cpu", "torch_python"].map(|name| Library::loaded(folder, name))
        else {
            return Ok(None);
        };
        let (Some(fail), Some(throw)) = (core.find(FAIL), python.find(THROW)) else { return Ok(None) };
        // SAFETY: the names say what they take: `c10::detail::torchCheckFail(const char*, const char*, uint32_t, const
        // char*)`, and `torch::handle_torch_function_no_python_arg_parser(c10::ArrayRef<PyObject*>, PyObject*, PyObject*,
        // const char*, PyObject*, const char*, torch::TorchFunctionName)`, which returns an object.
        let (fail, throw) = unsafe {
            (std::mem::transmute::<*mut c_void, Fail>(fail), std::mem::transmute::<*mut c_void, Throw>(throw))
        };
        // SAFETY: PyTorch's own library by its path.
        let Some(api) = (unsafe { Api::of(&cpu, fail) }) else { return Ok(None) };
        // SAFETY: a function without arguments. Its number has the major version in the highest byte.
        if unsafe { (api.version)() } >> 56 != 2 {
            return Ok(None);
        }
        Ok(Some((api, throw)))
    }
}

/// `c10::ArrayRef<PyObject*>`.
#[repr(C)]
pub(super) struct Objects {
    pub(super) first: *const *mut pyo3::ffi::PyObject,
    pub(super) count: usize,
}

/// A function of PyTorch's that calls a method of an object's class, and throws the Python error that this raises on to
/// whoever called a kernel. C++ cannot be thrown from here otherwise, as the class of that exception is not exported.
pub(super) type Throw = unsafe extern "C-unwind" fn(
    Objects,
    *mut pyo3::ffi::PyObject,
    *mut pyo3::ffi::PyObject,
    *const c_char,
    *mut pyo3::ffi::PyObject,
    *const c_char,
    c_int,
) -> *mut pyo3::ffi::PyObject;

/// A function of PyTorch's that throws a RuntimeError: of a function, file, line and text.
pub(super) type Fail = unsafe extern "C-unwind" fn(*const c_char, *const c_char, u32, *const c_char) -> !;

const FAIL: &CStr = c"_ZN3c106detail14torchCheckFailEPKcS2_jS2_";

const THROW: &CStr =
    c"_ZN5torch42handle_torch_function_no_python_arg_parserEN3c108ArrayRefIP7_objectEES3_S3_PKcS3_S6_NS_17TorchFunctionNameE";
