//! DLPack: the C structures by which array libraries lend each other memory, read and made by hand.
//!
//! Three roads in: the exchange table of a type (borrowed, no Python call), a versioned capsule, a legacy capsule.
//! The same three out. Nothing is copied on any of them.

mod lending;

use std::ffi::{CStr, c_int, c_void};

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use takewise::{DType, Dims, Layout, Tensor};

use super::operand::{Home, Operand, absent, foreign, lent};
use super::release;
use crate::error::{OrRaise, raise, refuse};
use crate::known::intern;

pub(crate) use lending::capsule;
use lending::lend;
pub(super) use lending::lends_on;

/// `DLDevice`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Device {
    kind: i32,
    id: i32,
}

/// `DLDataType`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ElementType {
    code: u8,
    bits: u8,
    lanes: u16,
}

/// `DLTensor`.
#[repr(C)]
pub(super) struct DlTensor {
    data: *mut c_void,
    device: Device,
    ndim: i32,
    dtype: ElementType,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

/// `DLManagedTensor`: what a legacy capsule points at.
#[repr(C)]
struct Legacy {
    dl: DlTensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Legacy)>,
}

/// `DLPackVersion`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Version {
    pub major: u32,
    pub minor: u32,
}

/// `DLManagedTensorVersioned`: what a versioned capsule points at.
#[repr(C)]
pub(super) struct Versioned {
    version: Version,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    dl: DlTensor,
}

const CPU: i32 = 1;
/// Memory a graphics card can see, but which lies in main memory all the same.
const PINNED: [i32; 2] = [3, 13];
const READ_ONLY: u64 = 1;
/// The code of elements that stand for objects somewhere else.
const OPAQUE: u8 = 3;
/// What we write into versioned capsules; readers need only know the major number.
const OURS: Version = Version { major: 1, minor: 0 };

const LEGACY: &CStr = c"dltensor";
const LEGACY_USED: &CStr = c"used_dltensor";
const VERSIONED: &CStr = c"dltensor_versioned";
const VERSIONED_USED: &CStr = c"used_dltensor_versioned";

/// Dtypes with a name in DLPack and no arithmetic in the engine: the name `ml_dtypes` and PyTorch share, the code, and
/// the bits.
const SMALL: [(&str, u8, u8); 9] = [
    ("complex32", 5, 32),
    ("float8_e3m4", 7, 8),
    ("float8_e4m3", 8, 8),
    ("float8_e4m3b11fnuz", 9, 8),
    ("float8_e4m3fn", 10, 8),
    ("float8_e4m3fnuz", 11, 8),
    ("float8_e5m2", 12, 8),
    ("float8_e5m2fnuz", 13, 8),
    ("float8_e8m0fnu", 14, 8),
];

impl ElementType {
    /// Whether elements are integers or booleans.
    pub(super) fn is_whole(self) -> bool {
        matches!(self.code, 0 | 1 | 6)
    }

    /// Whether elements call themselves integers of one byte.
    pub(super) fn is_byte(self) -> bool {
        matches!((self.code, self.bits), (0 | 1, 8))
    }

    /// How many bytes an element has.
    pub(super) fn bytes(self) -> usize {
        usize::from(self.bits / 8)
    }

    /// The engine's dtype: one of its own for types it only moves, `None` for those narrower than a byte.
    fn dtype(self) -> Option<DType> {
        let known = match (self.code, self.bits) {
            (0, 8) => Some(DType::I8),
            (0, 16) => Some(DType::I16),
            (0, 32) => Some(DType::I32),
            (0, 64) => Some(DType::I64),
            (1, 8) => Some(DType::U8),
            (1, 16) => Some(DType::U16),
            (1, 32) => Some(DType::U32),
            (1, 64) => Some(DType::U64),
            (2, 16) => Some(DType::F16),
            (2, 32) => Some(DType::F32),
            (2, 64) => Some(DType::F64),
            (4, 16) => Some(DType::BF16),
            (5, 64) => Some(DType::C64),
            (5, 128) => Some(DType::C128),
            (6, 8) => Some(DType::Bool),
            _ => None,
        };
        if self.lanes != 1 || self.code == OPAQUE {
            return None;
        }
        if known.is_some() {
            return known;
        }
        let whole = self.bits.is_multiple_of(8) && self.bits > 0;
        let size = usize::from(self.bits / 8);
        let named = SMALL.iter().find(|(_, code, bits)| (*code, *bits) == (self.code, self.bits));
        match named {
            Some((name, ..)) => DType::foreign(name, size),
            None if whole => DType::foreign(&format!("DLPack type {} of {} bits", self.code, self.bits), size),
            None => None,
        }
    }

    /// DLPack's name of a dtype; records have none.
    pub(super) fn of(dtype: DType) -> Option<ElementType> {
        let code = match dtype {
            DType::Bool => 6,
            d if d.is_signed_integer() => 0,
            d if d.is_unsigned_integer() => 1,
            DType::BF16 => 4,
            d if d.is_float() => 2,
            d if d.is_complex() => 5,
            d => {
                let known = SMALL.iter().find(|(name, ..)| *name == d.name())?;
                return Some(ElementType { code: known.1, bits: known.2, lanes: 1 });
            }
        };
        Some(ElementType { code, bits: (dtype.size() * 8) as u8, lanes: 1 })
    }
}

impl DlTensor {
    /// A structure for a borrower to fill.
    pub(super) const fn blank() -> DlTensor {
        DlTensor {
            data: std::ptr::null_mut(),
            device: Device { kind: 0, id: 0 },
            ndim: 0,
            dtype: ElementType { code: 0, bits: 0, lanes: 0 },
            shape: std::ptr::null_mut(),
            strides: std::ptr::null_mut(),
            byte_offset: 0,
        }
    }

    /// Whether the elements are in main memory, and of a type we can step over.
    pub(super) fn is_near(&self) -> bool {
        self.here().is_some()
    }

    pub(super) fn element(&self) -> ElementType {
        self.dtype
    }

    /// The memory as a tensor that `keep` keeps alive. Errors: [`DlTensor::unreachable`], and as [`DlTensor::layout`].
    ///
    /// # Safety
    /// The structure must describe memory that stays readable (and writable, if `writable`) until `keep` is dropped,
    /// as the DLPack standard asks of its maker.
    unsafe fn tensor(&self, py: Python<'_>, writable: bool, keep: Box<dyn Send + Sync>) -> PyResult<Tensor> {
        // SAFETY: the caller's promise.
        unsafe {
            let Some(dtype) = self.here() else { return Err(self.unreachable(py)) };
            foreign(py, self.start(), dtype, self.layout(py, dtype)?, writable, keep)
        }
    }

    /// The memory as an operand that lasts as long as the object it was borrowed from, at home where `home` says. It is
    /// made where it is wanted, as operands are large. Errors: [`DlTensor::unreachable`], as [`DlTensor::layout`], and
    /// elements that `covers`, given the address of the lowest byte and the one behind the highest, denies.
    ///
    /// # Safety
    /// The structure must describe memory that stays readable and writable while the object lives, if `covers` says so.
    #[inline(always)]
    pub(super) unsafe fn lent(
        &self,
        object: &Bound<'_, PyAny>,
        home: impl FnOnce(ElementType, DType) -> Home,
        covers: impl FnOnce(usize, usize) -> bool,
    ) -> PyResult<Option<Operand>> {
        let Some(dtype) = self.here() else { return Err(self.unreachable(object.py())) };
        // SAFETY: the caller's promise.
        let layout = unsafe { self.layout(object.py(), dtype) }?;
        if layout.numel() > 0 {
            let (low, high) = layout.reach();
            let end = self.start().wrapping_offset(high).addr().saturating_add(dtype.size());
            if !covers(self.start().wrapping_offset(low).addr(), end) {
                return Err(absent(object.py()));
            }
        }
        // SAFETY: the caller's promise, for what the structure describes.
        unsafe { lent(self.start(), dtype, layout, true, object, home(self.dtype, dtype), |operand| Ok(Some(operand))) }
    }

    /// The element type, if the elements are in main memory and of a type we can step over.
    #[inline]
    fn here(&self) -> Option<DType> {
        let near = self.device.kind == CPU || PINNED.contains(&self.device.kind);
        self.dtype.dtype().filter(|_| near)
    }

    /// Where the first element lies; null where there is nothing, whatever the offset.
    #[inline]
    pub(super) fn start(&self) -> *mut u8 {
        let data = self.data.cast::<u8>();
        if data.is_null() { data } else { data.wrapping_add(self.byte_offset as usize) }
    }

    /// The layout. Error for extents that are none.
    ///
    /// # Safety
    /// The lists of the structure must be those the standard asks for.
    #[inline(always)]
    unsafe fn layout(&self, py: Python<'_>, dtype: DType) -> PyResult<Layout> {
        let Ok(rank) = usize::try_from(self.ndim) else { return Err(misshapen()) };
        if self.shape.is_null() && rank > 0 || rank > MOST_AXES {
            return Err(misshapen());
        }
        let (size, mut signs) = (dtype.size() as isize, 0);
        if !self.shape.is_null() && !self.strides.is_null() {
            let made = Layout::from_axes(rank, |d| {
                // SAFETY: the standard: lists of `ndim` extents and so many element strides.
                let (n, s) = unsafe { (*self.shape.add(d), *self.strides.add(d)) };
                signs |= n;
                (n as usize, (s as isize).saturating_mul(size))
            });
            match made {
                Ok(layout) if signs >= 0 => return Ok(layout),
                Err(error) if signs >= 0 => return Err(raise(py, &error)),
                // What it makes of negative extents is of no interest.
                _ => {}
            }
        }
        // SAFETY: as above, where there is a list.
        match row_major(py, rank, unsafe { listed(self.shape, rank) }, dtype) {
            Ok(layout) => Ok(*layout),
            Err(error) => Err(error),
        }
    }

    /// Why the elements cannot be stepped over.
    #[cold]
    fn unreachable(&self, py: Python<'_>) -> PyErr {
        let kind = self.device.kind;
        let text = if kind != CPU && !PINNED.contains(&kind) {
            format!("the array lives on a device of DLPack kind {kind}, not in main memory: copy it there first")
        } else if self.dtype.code == OPAQUE {
            "opaque handles in DLPack are no elements: only their owner knows what they stand for".into()
        } else if self.dtype.lanes != 1 {
            format!("elements of {} lanes in DLPack are no single numbers that can be indexed", self.dtype.lanes)
        } else {
            format!("elements of {} bits cannot be indexed one by one", self.dtype.bits)
        };
        refuse(py, "TypeError", &text)
    }
}

/// Axes beyond which a rank is taken for a mistake: the list of extents would end long before.
const MOST_AXES: usize = 1 << 17;

/// What is said of extents that are none.
#[cold]
fn misshapen() -> PyErr {
    PyBufferError::new_err(
        "the array's description in DLPack has a rank that is negative or beyond 131072, or no extents",
    )
}

/// The layout of an array that came without strides. Error for negative extents.
#[cold]
fn row_major(py: Python<'_>, rank: usize, shape: &[i64], dtype: DType) -> PyResult<Box<Layout>> {
    if shape.iter().any(|n| *n < 0) {
        return Err(PyBufferError::new_err("a negative extent in DLPack"));
    }
    let extents: Dims<usize> = (0..rank).map(|d| shape.get(d).map_or(0, |&n| n as usize)).collect();
    Layout::contiguous(&extents, dtype.size()).map(Box::new).or_raise(py)
}

/// A list of `rank` numbers; no list where there is none.
///
/// # Safety
/// `list` must point at so many, or be null.
unsafe fn listed<'l>(list: *const i64, rank: usize) -> &'l [i64] {
    // SAFETY: the caller's promise.
    if list.is_null() || rank == 0 { &[] } else { unsafe { std::slice::from_raw_parts(list, rank) } }
}

/// A managed tensor we have taken over and must give back.
struct Taken<T: 'static> {
    managed: *mut T,
    deleter: Option<unsafe extern "C" fn(*mut T)>,
}

// SAFETY: the standard lets a deleter be called from any thread.
unsafe impl<T> Send for Taken<T> {}
// SAFETY: nothing is reachable through a shared Taken.
unsafe impl<T> Sync for Taken<T> {}

impl<T> Drop for Taken<T> {
    fn drop(&mut self) {
        let Taken { managed, deleter } = *self;
        if let Some(deleter) = deleter {
            // Deleters may run Python code, and what they raise has nowhere to go.
            // SAFETY: ours to delete since the capsule was marked used, and done once.
            release::with_lock(move || unsafe { deleter(managed) });
        }
    }
}

/// The array a producer lends by `__dlpack__`, and its element type.
pub(super) fn import<'py>(object: &Bound<'py, PyAny>) -> PyResult<(Tensor, ElementType)> {
    let py = object.py();
    let method = object.getattr(intern!(py, "__dlpack__"))?;
    let options = PyDict::new(py);
    options.set_item(intern!(py, "max_version"), (1, 3))?;
    let capsule = match method.call(PyTuple::empty(py), Some(&options)) {
        // Producers from before version 1 do not know the argument.
        Err(error) if error.is_instance_of::<pyo3::exceptions::PyTypeError>(py) => method.call0()?,
        other => other?,
    };
    consume(&capsule)
}

/// Whether the object is a capsule of DLPack's, used or not.
pub(crate) fn is_capsule(object: &Bound<'_, PyAny>) -> bool {
    [LEGACY, LEGACY_USED, VERSIONED, VERSIONED_USED].iter().any(|name| {
        // SAFETY: any object may be asked; the name is a C string.
        unsafe { ffi::PyCapsule_IsValid(object.as_ptr(), name.as_ptr()) == 1 }
    })
}

/// Takes over the memory a capsule lends, and marks the capsule used.
pub(crate) fn consume(capsule: &Bound<'_, PyAny>) -> PyResult<(Tensor, ElementType)> {
    let py = capsule.py();
    let raw = capsule.as_ptr();
    // SAFETY: any object may be asked; the name is a C string.
    if unsafe { ffi::PyCapsule_IsValid(raw, VERSIONED.as_ptr()) } == 1 {
        // SAFETY: a capsule of this name points at a Versioned; renaming it makes it ours, as the standard says.
        let taken = unsafe {
            let managed = ffi::PyCapsule_GetPointer(raw, VERSIONED.as_ptr()).cast::<Versioned>();
            ffi::PyCapsule_SetName(raw, VERSIONED_USED.as_ptr());
            Taken { managed, deleter: (*managed).deleter }
        };
        // SAFETY: as above; it stays until `taken` is dropped. Fields past the version are read only if it fits.
        let (version, managed) = unsafe { ((*taken.managed).version, &*taken.managed) };
        if version.major != OURS.major {
            return Err(PyBufferError::new_err(format!("DLPack version {} is not known here", version.major)));
        }
        let (writable, element) = (managed.flags & READ_ONLY == 0, managed.dl.dtype);
        // SAFETY: the standard's promise for the memory behind a capsule.
        return Ok((unsafe { managed.dl.tensor(py, writable, Box::new(taken)) }?, element));
    }
    // SAFETY: as above.
    if unsafe { ffi::PyCapsule_IsValid(raw, LEGACY.as_ptr()) } == 1 {
        // SAFETY: as above, for the older structure.
        let taken = unsafe {
            let managed = ffi::PyCapsule_GetPointer(raw, LEGACY.as_ptr()).cast::<Legacy>();
            ffi::PyCapsule_SetName(raw, LEGACY_USED.as_ptr());
            Taken { managed, deleter: (*managed).deleter }
        };
        // SAFETY: as above.
        let managed = unsafe { &*taken.managed };
        let element = managed.dl.dtype;
        // SAFETY: as above. A legacy capsule cannot say that its memory is read-only.
        return Ok((unsafe { managed.dl.tensor(py, true, Box::new(taken)) }?, element));
    }
    let used = [LEGACY_USED, VERSIONED_USED].iter().any(|name| {
        // SAFETY: as above.
        unsafe { ffi::PyCapsule_IsValid(raw, name.as_ptr()) == 1 }
    });
    let text = if used {
        "this DLPack capsule was consumed before: a capsule can be taken only once, ask its producer for another"
    } else {
        "__dlpack__ did not give a DLPack capsule"
    };
    Err(PyBufferError::new_err(text))
}

/// `DLPackExchangeAPI`, of which we use the middle.
#[repr(C)]
pub(super) struct ExchangeApi {
    version: Version,
    previous: *mut c_void,
    allocator: *mut c_void,
    managed_from_object: *mut c_void,
    managed_to_object: Option<unsafe extern "C" fn(*mut Versioned, *mut *mut c_void) -> c_int>,
    borrow_from_object: Option<unsafe extern "C" fn(*mut c_void, *mut DlTensor) -> c_int>,
    stream: *mut c_void,
}

// SAFETY: a table is constant for the life of the process.
unsafe impl Send for ExchangeApi {}
// SAFETY: as above.
unsafe impl Sync for ExchangeApi {}

impl ExchangeApi {
    /// The table a type offers, if it does and we know its version. Types keep their tables for ever.
    pub(super) fn of(kind: &Bound<'_, PyAny>) -> Option<&'static ExchangeApi> {
        let py = kind.py();
        let names = [intern!(py, "__dlpack_c_exchange_api__"), intern!(py, "__c_dlpack_exchange_api__")];
        let capsule = names.into_iter().find_map(|name| kind.getattr(name).ok())?;
        let name = c"dlpack_exchange_api";
        // SAFETY: any object may be asked; a capsule of this name points at a table that lives as long as the process.
        let table = unsafe {
            if ffi::PyCapsule_IsValid(capsule.as_ptr(), name.as_ptr()) != 1 {
                return None;
            }
            &*ffi::PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr()).cast::<ExchangeApi>()
        };
        (table.version.major == OURS.major).then_some(table)
    }

    /// What an object of the type holds, borrowed: valid while the object is not changed.
    pub(super) fn borrow(&self, object: &Bound<'_, PyAny>) -> PyResult<DlTensor> {
        let mut dl = DlTensor::blank();
        let Some(borrow) = self.borrow_from_object else {
            return Err(PyBufferError::new_err("the exchange table lends nothing"));
        };
        // SAFETY: the table is the object's type's; the structure is ours to fill.
        if unsafe { borrow(object.as_ptr().cast(), &raw mut dl) } != 0 {
            return Err(PyErr::fetch(object.py()));
        }
        Ok(dl)
    }

    /// An object of the type over a tensor's memory.
    pub(super) fn give<'py>(
        &self,
        py: Python<'py>,
        tensor: &Tensor,
        element: Option<ElementType>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(take) = self.managed_to_object else {
            return Err(PyBufferError::new_err("the exchange table takes nothing"));
        };
        let managed = lend(tensor, element)?;
        let mut object = std::ptr::null_mut();
        // SAFETY: the structure is whole; on success the callee owns it, on failure it is still ours.
        unsafe {
            if take(managed, &raw mut object) != 0 {
                if let Some(deleter) = (*managed).deleter {
                    deleter(managed);
                }
                return Err(PyErr::fetch(py));
            }
            Bound::from_owned_ptr_or_err(py, object.cast())
        }
    }
}
