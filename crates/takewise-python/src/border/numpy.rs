//! NumPy arrays in and out, by their raw pointer: every dtype, any strides, read-only or not, aligned or not.

use std::ffi::{CStr, c_int, c_void};
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicI32, Ordering};

use numpy::npyffi::{self, NPY_ARRAY_WRITEABLE, NpyTypes, PY_ARRAY_API};
use numpy::{PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};
use pyo3::{PyTypeInfo, ffi};
use takewise::internal::far;
use takewise::tensor::Hold;
use takewise::{DType, Layout, Tensor};

use super::{Home, Operand, foreign, lender, lent, memmap, release};
use crate::error::{raise, refuse};
use crate::known::{Known, intern};
use crate::threads::Starting;

/// Whether an object is an array of plain numbers and no more than so many.
pub(crate) fn is_few(object: &Bound<'_, PyAny>, most: usize) -> bool {
    exact(object).is_some_and(|array| array.len() <= most && matches!(array.dtype().kind(), b'b' | b'i' | b'u' | b'f'))
}

/// Whether this process has imported NumPy; the array API must not be touched before.
fn imported(py: Python<'_>) -> bool {
    static SEEN: Known<()> = Known::new();
    SEEN.get(py).is_some()
        || super::loaded(py, intern!(py, "numpy")).is_some_and(|module| {
            // A module object stands in `sys.modules` while it is still being imported.
            let ready = module.hasattr(intern!(py, "ndarray")).unwrap_or(false);
            if ready {
                open_api(py);
                SEEN.set(py, ());
            }
            ready
        })
}

/// Looks the array API up, which the binding does in cells that others wait for: a process must not be forked meanwhile.
#[cold]
fn open_api(py: Python<'_>) {
    let _starting = Starting::begin();
    // SAFETY: NumPy is there, and the class it has is looked at and not kept.
    unsafe { npyffi::get_type_object(py, NpyTypes::PyArray_Type) };
    npyffi::is_numpy_2(py);
}

/// Imports NumPy, for results that need it.
fn require(py: Python<'_>) -> PyResult<()> {
    if imported(py) {
        return Ok(());
    }
    py.import("numpy").map(|_| ()).map_err(|error| {
        let refused = PyImportError::new_err("this needs NumPy, which cannot be imported");
        refused.set_cause(py, Some(error));
        refused
    })
}

/// The object as an array, if it is one.
pub(crate) fn array<'a, 'py>(object: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, PyUntypedArray>> {
    imported(object.py()).then(|| object.cast::<PyUntypedArray>().ok())?
}

/// The object as an array, if it is one of exactly NumPy's class, or of its class of mapped files, whose elements come as plain arrays.
#[inline]
pub(super) fn exact<'a, 'py>(object: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, PyUntypedArray>> {
    static CLASSES: Known<[Py<PyType>; 2]> = Known::new();
    let py = object.py();
    let [plain, mapped] = match CLASSES.get(py) {
        Some(classes) => classes,
        None if imported(py) => CLASSES.get_or_init(py, || classes(py)),
        None => return None,
    };
    let class = object.get_type_ptr();
    let is_exact = class == plain.as_ptr().cast() || class == mapped.as_ptr().cast();
    // SAFETY: an object of exactly one of these classes is an array.
    is_exact.then(|| unsafe { object.cast_unchecked() })
}

#[cold]
fn classes(py: Python<'_>) -> [Py<PyType>; 2] {
    let plain = PyUntypedArray::type_object(py);
    let mapped = py.import("numpy").and_then(|numpy| Ok(numpy.getattr("memmap")?.cast_into::<PyType>()?));
    [plain.clone().unbind(), mapped.unwrap_or(plain).unbind()]
}

/// Whether the object is a NumPy scalar such as `np.float32(1)`.
pub(crate) fn is_scalar(object: &Bound<'_, PyAny>) -> bool {
    let py = object.py();
    // SAFETY: the type object lives as long as NumPy, which is imported.
    imported(py)
        && unsafe {
            let generic = npyffi::get_type_object(py, NpyTypes::PyGenericArrType_Type);
            ffi::PyObject_TypeCheck(object.as_ptr(), generic) != 0
        }
}

/// Whether the object is the type of a NumPy scalar, such as `np.float32`.
pub(crate) fn is_scalar_type(class: &Bound<'_, PyType>) -> bool {
    let py = class.py();
    // SAFETY: as in `is_scalar`.
    imported(py)
        && unsafe {
            let generic = npyffi::get_type_object(py, NpyTypes::PyGenericArrType_Type);
            ffi::PyType_IsSubtype(class.as_type_ptr(), generic) != 0
        }
}

/// The object as a dtype object, if it is one.
pub(crate) fn descr<'a, 'py>(object: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, PyArrayDescr>> {
    imported(object.py()).then(|| object.cast::<PyArrayDescr>().ok())?
}

/// `numpy.dtype(object)`.
pub(crate) fn descr_from<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArrayDescr>> {
    require(object.py())?;
    PyArrayDescr::new(object.py(), object)
}

/// `numpy.asarray(object, dtype)`.
pub(crate) fn asarray_of<'py>(object: &Bound<'py, PyAny>, dtype: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    require(py)?;
    py.import("numpy")?.getattr("asarray")?.call1((object, dtype))
}

/// `numpy.asarray(object)`.
pub(crate) fn asarray<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    static ASARRAY: Known<Py<PyAny>> = Known::new();
    let py = object.py();
    require(py)?;
    ASARRAY.import(py, "numpy", "asarray")?.call1((object,))
}

/// The engine's view of a NumPy dtype: numbers in either byte order, and for all else a dtype of its own
/// ([`super::foreign`]).
///
/// Errors: dtypes that hold references to Python objects or to strings elsewhere.
pub(crate) fn dtype_of(descr: &Bound<'_, PyArrayDescr>) -> PyResult<DType> {
    let py = descr.py();
    if let Some(known) = built_in(descr) {
        return Ok(known);
    }
    let (kind, size) = (descr.kind(), descr.itemsize());
    if descr.has_object() || kind == b'T' {
        let text = format!(
            "elements of dtype {descr} refer to Python objects or to memory elsewhere, and are no numbers here: use x.astype(...)"
        );
        return Err(refuse(py, "TypeError", &text));
    }
    let swapped = descr.is_native_byteorder() == Some(false);
    let known = match (kind, size) {
        (b'b', 1) => Some(DType::Bool),
        (b'i', 1) => Some(DType::I8),
        (b'i', 2) => Some(DType::I16),
        (b'i', 4) => Some(DType::I32),
        (b'i', 8) => Some(DType::I64),
        (b'u', 1) => Some(DType::U8),
        (b'u', 2) => Some(DType::U16),
        (b'u', 4) => Some(DType::U32),
        (b'u', 8) => Some(DType::U64),
        (b'f', 2) if descr.num() < 256 => Some(DType::F16),
        (b'f', 4) if descr.num() < 256 => Some(DType::F32),
        (b'f', 8) if descr.num() < 256 => Some(DType::F64),
        (b'c', 8) => Some(DType::C64),
        (b'c', 16) => Some(DType::C128),
        (_, 2) if is_bfloat16(descr) => Some(DType::BF16),
        _ => None,
    };
    match known {
        Some(dtype) if swapped => Ok(dtype.swapped()),
        Some(dtype) => Ok(dtype),
        None => foreign::named(descr),
    }
}

/// The dtype of one of NumPy's own dtype objects, which live for ever: almost all arrays have one of these.
fn built_in(descr: &Bound<'_, PyArrayDescr>) -> Option<DType> {
    static KNOWN: Known<[(usize, DType); 14]> = Known::new();
    let known = KNOWN.get_or_init(descr.py(), || {
        NUMBERS.map(|(number, dtype)| {
            // SAFETY: a number of NumPy's own table. The reference is never given back.
            let raw = unsafe { PY_ARRAY_API.PyArray_DescrFromType(descr.py(), number) };
            (raw.addr(), dtype)
        })
    });
    let address = descr.as_ptr().addr();
    known.iter().find(|(known, _)| *known == address).map(|(_, dtype)| *dtype)
}

/// NumPy's numbers of dtypes whose size does not depend on the platform, the most frequent first, and those of `long`
/// and `long long`, of which the one or the other is `int64`.
const NUMBERS: [(i32, DType); 14] = [
    (11, DType::F32),
    (LONG, DType::I64),
    (12, DType::F64),
    (0, DType::Bool),
    (INT, DType::I32),
    (2, DType::U8),
    (1, DType::I8),
    (3, DType::I16),
    (4, DType::U16),
    (23, DType::F16),
    (14, DType::C64),
    (15, DType::C128),
    (UINT, DType::U32),
    (ULONG, DType::U64),
];

const INT: i32 = 5;
const UINT: i32 = 6;
/// `int64` is `long` where that has 64 bits, else `long long`.
const LONG: i32 = if size_of::<std::ffi::c_long>() == 8 { 7 } else { 9 };
const ULONG: i32 = LONG + 1;

/// Numbers of dtypes that other packages register differ from process to process.
fn is_bfloat16(descr: &Bound<'_, PyArrayDescr>) -> bool {
    static NUMBER: AtomicI32 = AtomicI32::new(-1);
    let number = descr.num();
    if number < 256 {
        return false;
    }
    if NUMBER.load(Ordering::Relaxed) == number {
        return true;
    }
    let named = descr.typeobj().name().is_ok_and(|name| name == "bfloat16");
    if named {
        NUMBER.store(number, Ordering::Relaxed);
    }
    named
}

/// The array as an operand over the same memory.
pub(super) fn import(array: &Bound<'_, PyUntypedArray>) -> PyResult<Operand> {
    if exact(array.as_any()).is_none() {
        dtype_of(&array.dtype())?;
        refuse_masked(array)?;
    }
    import_exact(array)
}

/// [`import`] of an array of exactly NumPy's class.
#[inline]
pub(super) fn import_exact(array: &Bound<'_, PyUntypedArray>) -> PyResult<Operand> {
    let py = array.py();
    let descr = array.dtype();
    let dtype = dtype_of(&descr)?;
    let (shape, strides) = (array.shape(), array.strides());
    let axis = |k: usize| (shape.get(k).map_or(0, |&n| n), strides.get(k).map_or(0, |&s| s));
    let layout = match Layout::from_axes(shape.len(), axis) {
        Ok(layout) => layout,
        Err(error) => return Err(raise(py, &error)),
    };
    // SAFETY: the struct of a live array object; flags and data are plain fields.
    let (data, writable, base) = unsafe {
        let fields = npyffi::_PyArray_GET_ITEM_DATA(array.as_array_ptr());
        ((*fields).data.cast::<u8>(), (*fields).flags & NPY_ARRAY_WRITEABLE != 0, (*fields).base)
    };
    // Most arrays own their memory.
    if !base.is_null()
        && let Some(known) = in_file(array.py(), base, span(data, &layout, dtype))
    {
        // SAFETY: as below; the object is held.
        return unsafe {
            memmap::lent(data, dtype, layout, writable, array.as_any(), Home::NumPy(descr.unbind(), dtype), known)
        };
    }
    // SAFETY: NumPy's promise for data, shape and strides, which hold while the array object lives: it refuses to
    // resize an array somebody else refers to.
    unsafe { lent(data, dtype, layout, writable, array.as_any(), Home::NumPy(descr.unbind(), dtype), Ok) }
}

/// Keeps the engine informed that an array lies in a mapped file, if it does, until what is given is dropped.
#[inline]
fn in_file(py: Python<'_>, base: *mut ffi::PyObject, bytes: Range<usize>) -> Option<far::Registered> {
    if bytes.len() < memmap::WORTH { None } else { memmap::mapped(&mapper(py, base)?, bytes) }
}

/// The object of Python's `mmap` that an array's memory is, by way of the arrays it is a view of.
fn mapper<'py>(py: Python<'py>, base: *mut ffi::PyObject) -> Option<Bound<'py, PyAny>> {
    static CLASS: Known<Py<PyAny>> = Known::new();
    super::loaded(py, intern!(py, "mmap"))?;
    let class = CLASS.import(py, "mmap", "mmap").ok()?.cast::<PyType>().ok()?;
    // SAFETY: an array holds what it is based on.
    let mut object = unsafe { Bound::from_borrowed_ptr_or_opt(py, base) }?;
    // NumPy keeps such chains short.
    for _ in 0..16 {
        if object.is_instance(class).ok()? {
            return Some(object);
        }
        let array = array(&object)?;
        // SAFETY: the struct of a live array object; what it is based on it holds.
        let next = unsafe {
            let fields = npyffi::_PyArray_GET_ITEM_DATA(array.as_array_ptr());
            Bound::from_borrowed_ptr_or_opt(py, (*fields).base)
        };
        object = next?;
    }
    None
}

/// The addresses an array reaches.
fn span(data: *mut u8, layout: &Layout, dtype: DType) -> Range<usize> {
    let (low, high) = layout.reach();
    let first = data.addr();
    if layout.numel() == 0 {
        return first..first;
    }
    first.wrapping_add_signed(low)..first.wrapping_add_signed(high).wrapping_add(dtype.size())
}

/// Masked arrays, of a class of their own, carry a second array that would be lost in silence.
fn refuse_masked(array: &Bound<'_, PyUntypedArray>) -> PyResult<()> {
    let py = array.py();
    if !array.hasattr(intern!(py, "_mask"))? {
        return Ok(());
    }
    Err(refuse(py, "TypeError", "masked arrays have no indexing here: pass .data and .mask, or .filled()"))
}

/// The NumPy dtype of an engine dtype: plain bytes for those NumPy does not know.
pub(crate) fn descr_of(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyArrayDescr>> {
    require(py)?;
    let name = match dtype {
        DType::BF16 => {
            static BFLOAT16: Known<Py<PyAny>> = Known::new();
            let scalar = BFLOAT16.import(py, "ml_dtypes", "bfloat16").map_err(|_| {
                refuse(py, "TypeError", "NumPy has no bfloat16 of its own; install ml_dtypes, or cast to float32")
            })?;
            return PyArrayDescr::new(py, scalar);
        }
        DType::Opaque { size, .. } => {
            if !dtype.is_foreign() {
                let native = descr_of(py, dtype.native())?;
                return Ok(native.call_method1(intern!(py, "newbyteorder"), ("S",))?.cast_into()?);
            }
            return match foreign::object_of(py, dtype)? {
                Some(known) => Ok(known),
                None => PyArrayDescr::new(py, format!("V{size}").as_str()),
            };
        }
        DType::Bool => 0,
        DType::U8 => 2,
        DType::U16 => 4,
        DType::U32 => return PyArrayDescr::new(py, "u4"),
        DType::U64 => return PyArrayDescr::new(py, "u8"),
        DType::I8 => 1,
        DType::I16 => 3,
        DType::I32 => return PyArrayDescr::new(py, "i4"),
        DType::I64 => return long(py),
        DType::F16 => 23,
        DType::F32 => 11,
        DType::F64 => 12,
        DType::C64 => 14,
        DType::C128 => 15,
    };
    // SAFETY: a number of NumPy's own table; the result is a new reference.
    unsafe {
        let raw = PY_ARRAY_API.PyArray_DescrFromType(py, name);
        Ok(Bound::from_owned_ptr_or_err(py, raw.cast())?.cast_into_unchecked())
    }
}

/// Whether NumPy has the dtype: bfloat16 is that of another package.
pub(super) fn has(py: Python<'_>, dtype: DType) -> bool {
    dtype != DType::BF16 || descr_of(py, dtype).is_ok()
}

/// `int64`, the dtype of most results, looked up once.
fn long(py: Python<'_>) -> PyResult<Bound<'_, PyArrayDescr>> {
    static LONG: Known<Py<PyArrayDescr>> = Known::new();
    Ok(LONG.get_or_try_init(py, || PyArrayDescr::new(py, "i8").map(Bound::unbind))?.bind(py).clone())
}

/// An object that keeps memory alive for the arrays over it.
fn owner(py: Python<'_>, hold: Hold) -> PyResult<Bound<'_, PyAny>> {
    const NAME: &CStr = c"takewise.memory";
    unsafe extern "C" fn release(capsule: *mut ffi::PyObject) {
        // SAFETY: called once, with a capsule made below, whose pointer is what a hold was made into.
        let hold = unsafe {
            NonNull::new(ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr())).map(|raw| Hold::from_raw(raw.cast()))
        };
        release::nested(move || drop(hold));
    }
    let raw = hold.into_raw();
    // SAFETY: the name is static, the pointer not null; without a capsule the hold is still ours.
    unsafe {
        let capsule = ffi::PyCapsule_New(raw.as_ptr().cast(), NAME.as_ptr(), Some(release));
        if capsule.is_null() {
            drop(Hold::from_raw(raw));
        }
        Bound::from_owned_ptr_or_err(py, capsule)
    }
}

/// An array over memory that it does not keep.
///
/// # Safety
/// All elements the layout reaches from `data` must be readable (and writable, if `writable`) as long as the array is used.
#[inline]
pub(super) unsafe fn array_at<'py>(
    py: Python<'py>,
    data: *mut u8,
    layout: &Layout,
    descr: Bound<'py, PyArrayDescr>,
    writable: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (shape, strides) = (layout.shape(), layout.strides());
    // SAFETY: the caller's promise for what shape and strides reach; extents fit `isize` (L2). NumPy only reads the two lists;
    // the call takes over the dtype, whether it succeeds or not.
    unsafe {
        let class = npyffi::get_type_object(py, NpyTypes::PyArray_Type);
        let raw = PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            class,
            descr.into_dtype_ptr(),
            shape.len() as c_int,
            shape.as_ptr().cast_mut().cast(),
            strides.as_ptr().cast_mut(),
            data.cast::<c_void>(),
            if writable { NPY_ARRAY_WRITEABLE } else { 0 },
            std::ptr::null_mut(),
        );
        Bound::from_owned_ptr_or_err(py, raw)
    }
}

/// An array over the tensor's memory, of a dtype of the same size.
pub(crate) fn export<'py>(
    py: Python<'py>,
    tensor: Tensor,
    descr: Bound<'py, PyArrayDescr>,
) -> PyResult<Bound<'py, PyAny>> {
    debug_assert_eq!(descr.itemsize(), tensor.dtype().size());
    // SAFETY: L1 of the tensor covers all that its layout reaches; the tensor keeps it alive during the call, and the owner
    // afterwards. SetBaseObject takes over the owner, whether it succeeds or not.
    unsafe {
        let array = array_at(py, tensor.data_ptr(), tensor.layout(), descr, tensor.is_writable())?;
        let owner = match lender(py, &tensor) {
            Some(object) => object,
            None => owner(py, tensor.hold())?,
        };
        if PY_ARRAY_API.PyArray_SetBaseObject(py, array.as_ptr().cast(), owner.into_ptr()) != 0 {
            return Err(PyErr::fetch(py));
        }
        Ok(array)
    }
}

/// Keyword arguments that ask NumPy for a copy.
pub(crate) fn copied<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = array.py();
    let order = PyDict::new(py);
    order.set_item(intern!(py, "order"), "C")?;
    array.call_method(intern!(py, "copy"), (), Some(&order))
}

/// Whether `numpy.asarray` makes an array of numbers of the object, which is none and no number or list of Python's.
pub(crate) fn is_array_like(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = object.py();
    if offers_an_array(object)? {
        return Ok(true);
    }
    let sequence = object.hasattr(intern!(py, "__len__"))? && object.hasattr(intern!(py, "__getitem__"))?;
    let other = object.hasattr(intern!(py, "__index__"))? || object.hasattr(intern!(py, "keys"))?;
    Ok(sequence && !other && !object.is_instance_of::<PyBytes>())
}

/// An array as one of the model's class, over the same memory, as NumPy makes it: the model is what its class is asked to
/// take over from (`__array_finalize__`). Anything else, and arrays for any other model, stay as they are.
pub(crate) fn of_class<'py>(made: Bound<'py, PyAny>, model: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    static WRAP: Known<Py<PyAny>> = Known::new();
    let py = made.py();
    if !is_subclass(model) || exact(&made).is_none() {
        return Ok(made);
    }
    let wrap = WRAP.get_or_try_init(py, || {
        PyResult::Ok(PyUntypedArray::type_object(py).getattr(intern!(py, "__array_wrap__"))?.unbind())
    })?;
    wrap.bind(py).call1((model, made))
}

/// Whether the object says how NumPy finds its array.
pub(crate) fn offers_an_array(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = object.py();
    for name in [intern!(py, "__array__"), intern!(py, "__array_interface__"), intern!(py, "__array_struct__")] {
        if object.hasattr(name)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the object is an array of a class of its own.
pub(crate) fn is_subclass(object: &Bound<'_, PyAny>) -> bool {
    exact(object).is_none() && array(object).is_some()
}

/// Whether elements of the object are moved by its own library: an array of a class that adds something to its elements, or
/// of a dtype whose elements lie elsewhere. Arrays in mapped files are NumPy's own, and what is read of them is no file.
pub(crate) fn is_left_to_others(object: &Bound<'_, PyAny>) -> bool {
    let Some(array) = array(object) else { return false };
    let descr = array.dtype();
    descr.has_object() || descr.kind() == b'T' || has_class(object)
}

/// Whether the object is an array of a class of its own, other than NumPy's of mapped files.
fn has_class(object: &Bound<'_, PyAny>) -> bool {
    static MEMMAP: Known<Py<PyAny>> = Known::new();
    is_subclass(object)
        && !MEMMAP.import(object.py(), "numpy", "memmap").is_ok_and(|class| object.is_instance(class).unwrap_or(false))
}

/// Fails for arrays of a class of its own, which would be lost.
pub(crate) fn refuse_class(object: &Bound<'_, PyAny>) -> PyResult<()> {
    if !has_class(object) {
        return Ok(());
    }
    if let Some(array) = array(object) {
        refuse_masked(array)?;
    }
    let text = format!("an array of class {} would lose its class here: pass np.asarray(x)", object.get_type().name()?);
    Err(refuse(object.py(), "TypeError", &text))
}

/// Whether the object is an array, of whatever class.
pub(crate) fn is_array(object: &Bound<'_, PyAny>) -> bool {
    array(object).is_some()
}
