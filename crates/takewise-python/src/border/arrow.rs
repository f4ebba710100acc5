//! Arrow's C data interface, in: columns of pyarrow, polars and whatever else has `__arrow_c_array__` or
//! `__arrow_c_stream__`, as NumPy arrays over the same memory.
//!
//! Numbers, timestamps and spans of time of one chunk are not copied, lists of a fixed size and tensors neither. Booleans, which
//! Arrow packs into bits or holds as bytes, days, which it counts in 32 bits, and several chunks are. What has nulls, elements of
//! no fixed size, or a meaning of its own beside what it is stored as, is refused.

mod meant;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Arc;

use numpy::PyArrayDescr;
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use takewise::{DType, Dims, Layout, Tensor};

use super::{foreign, release, to_numpy};
use crate::error::{OrRaise, refuse};
use crate::known::intern;
use meant::Meant;

/// `ArrowSchema`.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *const *const Schema,
    dictionary: *const Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private: *mut c_void,
}

/// `ArrowArray`.
#[repr(C)]
struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const u8,
    children: *const *const Array,
    dictionary: *const Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private: *mut c_void,
}

/// `ArrowArrayStream`.
#[repr(C)]
struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private: *mut c_void,
}

/// A structure of the interface: zero bytes where there is none.
trait Structure: Sized + 'static {
    const CAPSULE: &'static CStr;
    fn release(&mut self) -> &mut Option<unsafe extern "C" fn(*mut Self)>;
}

macro_rules! structure {
    ($name:ident, $capsule:literal) => {
        impl Structure for $name {
            const CAPSULE: &'static CStr = $capsule;
            fn release(&mut self) -> &mut Option<unsafe extern "C" fn(*mut $name)> {
                &mut self.release
            }
        }
    };
}

structure!(Schema, c"arrow_schema");
structure!(Array, c"arrow_array");
structure!(Stream, c"arrow_array_stream");

/// Zero bytes.
fn blank<T: Structure>() -> Box<T> {
    // SAFETY: pointers and numbers, for which zero bytes are null and 0.
    Box::new(unsafe { std::mem::zeroed() })
}

/// A structure that is ours, given back when dropped.
struct Owned<T: Structure>(Box<T>);

// SAFETY: the interface: structures may be read and given back from any thread.
unsafe impl<T: Structure> Send for Owned<T> {}
// SAFETY: as above; nobody writes to one.
unsafe impl<T: Structure> Sync for Owned<T> {}

impl<T: Structure> Owned<T> {
    /// One to be filled by its maker.
    fn blank() -> Owned<T> {
        Owned(blank())
    }

    /// Takes a structure out of its capsule. Error: a capsule of something else, or one that was taken already.
    fn of(capsule: &Bound<'_, PyAny>) -> PyResult<Owned<T>> {
        let mut own = Owned::blank();
        // SAFETY: the capsule's name says what it points at; what is moved out of it is marked so, as the interface asks.
        unsafe {
            let found = ffi::PyCapsule_GetPointer(capsule.as_ptr(), T::CAPSULE.as_ptr()).cast::<T>();
            if found.is_null() {
                return Err(PyErr::fetch(capsule.py()));
            }
            std::ptr::swap(found, &raw mut *own.0);
        }
        if own.0.release().is_none() {
            return Err(PyValueError::new_err("this Arrow capsule was consumed before"));
        }
        Ok(own)
    }
}

impl<T: Structure> Drop for Owned<T> {
    fn drop(&mut self) {
        if let Some(release) = *self.0.release() {
            let own = std::mem::replace(&mut self.0, blank());
            // SAFETY: ours, and given back once.
            release::with_lock(move || unsafe {
                let own = Box::into_raw(own);
                release(own);
                drop(Box::from_raw(own));
            });
        }
    }
}

/// What the elements of a column are.
struct Elements {
    dtype: DType,
    /// How they lie in memory.
    stored: Encoding,
    /// Lengths of lists of a fixed size that an element is, from the outermost.
    inner: Dims<usize>,
    /// The extents of an element, which are those lengths but for tensors, and the order in which they are axes.
    shape: Vec<usize>,
    order: Vec<usize>,
}

impl Elements {
    fn single(dtype: DType, stored: Encoding) -> Elements {
        Elements { dtype, stored, inner: Dims::new(), shape: Vec::new(), order: Vec::new() }
    }

    /// Lists of so many of these, whose elements have these extents, in this order.
    fn listed(mut self, length: usize, shape: &[usize], order: &[usize]) -> Elements {
        self.inner.insert(0, length);
        self.shape.splice(0..0, shape.iter().copied());
        let own: Vec<usize> = self.order.iter().map(|axis| axis + shape.len()).collect();
        self.order = order.iter().copied().chain(own).collect();
        self
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    /// As here.
    Plain,
    /// As bits.
    Bits,
    /// Days in 32 bits.
    Days,
    /// As bytes, of which all but 0 are true.
    Truths,
}

/// A column as an array of NumPy's that cannot be written.
///
/// Errors: `ValueError` for nulls, `TypeError` for elements that have no fixed size or no dtype here.
#[pyfunction]
pub(super) fn _arrow<'py>(py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (tensor, order) = import(x)?;
    let array = to_numpy(py, tensor, None)?;
    match order.is_sorted() {
        true => Ok(array),
        false => array.call_method1(intern!(py, "transpose"), PyTuple::new(py, order)?),
    }
}

/// The tensor, and the order of its axes in the array.
fn import(object: &Bound<'_, PyAny>) -> PyResult<(Tensor, Vec<usize>)> {
    let py = object.py();
    if object.hasattr(intern!(py, "__arrow_c_array__"))? {
        let pair = object.call_method0(intern!(py, "__arrow_c_array__"))?.cast_into::<PyTuple>()?;
        let schema = Owned::<Schema>::of(&pair.get_item(0)?)?;
        return joined(object, &schema.0, vec![Owned::of(&pair.get_item(1)?)?]);
    }
    let mut stream = Owned::<Stream>::of(&object.call_method0(intern!(py, "__arrow_c_stream__"))?)?;
    let mut schema = Owned::<Schema>::blank();
    let (get_schema, get_next) = (stream.0.get_schema, stream.0.get_next);
    // SAFETY: functions of a live stream, with structures of ours to fill.
    let done = get_schema.map(|get| unsafe { get(&raw mut *stream.0, &raw mut *schema.0) });
    let mut chunks = Vec::new();
    if done != Some(0) || schema.0.release.is_none() {
        return Err(failed(object, &mut stream));
    }
    loop {
        let mut chunk = Owned::<Array>::blank();
        // SAFETY: as above.
        let done = get_next.map(|get| unsafe { get(&raw mut *stream.0, &raw mut *chunk.0) });
        if done != Some(0) {
            return Err(failed(object, &mut stream));
        }
        if chunk.0.release.is_none() {
            return joined(object, &schema.0, chunks);
        }
        chunks.push(chunk);
    }
}

/// What is said of a stream that gives nothing.
#[cold]
fn failed(object: &Bound<'_, PyAny>, stream: &mut Owned<Stream>) -> PyErr {
    // SAFETY: a function of a live stream; a C string that lives until its next call, or null.
    let text = stream.0.get_last_error.map(|ask| unsafe { ask(&raw mut *stream.0) }).filter(|text| !text.is_null());
    // SAFETY: as above.
    let text = text.map_or("nothing".into(), |text| unsafe { CStr::from_ptr(text) }.to_string_lossy());
    refuse(object.py(), "ValueError", &format!("{} gives no elements: its stream says: {text}", named(object)))
}

/// "a Series of polars".
fn named(object: &Bound<'_, PyAny>) -> String {
    let class = object.get_type();
    let name = class.name().map_or_else(|_| "column".to_owned(), |name| name.to_string());
    let module = class.module().map_or_else(|_| String::new(), |module| module.to_string());
    let article = if name.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" };
    match module.split('.').next() {
        Some(package) if !package.is_empty() && package != "builtins" => format!("{article} {name} of {package}"),
        _ => format!("{article} {name}"),
    }
}

/// The elements of a schema. Error (`TypeError`): such as cannot be indexed here, with what can be done.
fn elements(object: &Bound<'_, PyAny>, schema: &Schema) -> PyResult<Elements> {
    let py = object.py();
    let refused = |text: &str| Err(refuse(py, "TypeError", &format!("{} {text}", named(object))));
    if schema.format.is_null() {
        return refused("does not say what its elements are");
    }
    // SAFETY: the interface: a C string that lives as long as the schema.
    let format = unsafe { CStr::from_ptr(schema.format) }.to_str().unwrap_or("");
    if !schema.dictionary.is_null() {
        return refused(
            "holds codes of categories, which are no numbers: pass the codes (.indices in pyarrow, .to_physical() in polars)",
        );
    }
    let plain = |dtype| Ok(Elements::single(dtype, Encoding::Plain));
    // SAFETY: the interface: metadata as it defines them, or null, that live as long as the schema.
    let meant = unsafe { Meant::of(schema.metadata) };
    match (meant.name.as_deref(), format) {
        (None, _) => {}
        (Some("arrow.bool8"), "c") => return Ok(Elements::single(DType::Bool, Encoding::Truths)),
        (Some("arrow.fixed_shape_tensor"), _) if format.starts_with("+w:") => {}
        (Some(name), _) => {
            let name = takewise_files::plain(name);
            return refused(&format!(
                "holds elements of the extension type {name:?}, whose meaning is not known here: pass what it is stored as (.storage in pyarrow)"
            ));
        }
    }
    let named_so = |name: String| super::numpy::dtype_of(&PyArrayDescr::new(py, name)?);
    match format.as_bytes() {
        b"b" => Ok(Elements::single(DType::Bool, Encoding::Bits)),
        b"c" => plain(DType::I8),
        b"C" => plain(DType::U8),
        b"s" => plain(DType::I16),
        b"S" => plain(DType::U16),
        b"i" => plain(DType::I32),
        b"I" => plain(DType::U32),
        b"l" => plain(DType::I64),
        b"L" => plain(DType::U64),
        b"e" => plain(DType::F16),
        b"f" => plain(DType::F32),
        b"g" => plain(DType::F64),
        b"tdD" => Ok(Elements::single(named_so("M8[D]".into())?, Encoding::Days)),
        b"tdm" => plain(named_so("M8[ms]".into())?),
        [b't', b's', unit @ (b's' | b'm' | b'u' | b'n'), ..] => plain(named_so(format!("M8[{}]", spelled(*unit)))?),
        [b't', b'D', unit @ (b's' | b'm' | b'u' | b'n')] => plain(named_so(format!("m8[{}]", spelled(*unit)))?),
        [b'+', b'w', b':', length @ ..] if schema.n_children == 1 && !schema.children.is_null() => {
            let length = std::str::from_utf8(length).ok().and_then(|length| length.parse::<usize>().ok());
            // SAFETY: the interface: so many live children.
            match (length, unsafe { (*schema.children).as_ref() }) {
                (Some(length), Some(child)) => match meant.tensor(length) {
                    Some((shape, order)) => Ok(elements(object, child)?.listed(length, &shape, &order)),
                    None => refused("holds tensors whose extents do not go with what they are stored as"),
                },
                _ => refused("has lists of no length"),
            }
        }
        b"u" | b"U" | b"vu" | b"z" | b"Z" | b"vz" => {
            refused("holds text or bytes of any length, and elements need a fixed size: pass NumPy an array of it")
        }
        [b'+', b's', ..] => refused("is a table or has several fields: pass one of its columns"),
        [b't', b't', ..] => refused("holds times of a day, for which NumPy has no dtype: cast them to integers"),
        [b'd', ..] => refused("holds decimals, for which there is no dtype here: cast them to floats or integers"),
        b"n" => refused("has no dtype, for all it holds are nulls"),
        [b'+', ..] => refused("holds lists of any length, and elements need a fixed size"),
        _ => refused(&format!("holds elements of Arrow's format {format:?}, for which there is no dtype here")),
    }
}

/// NumPy's name of a unit of time.
fn spelled(letter: u8) -> &'static str {
    match letter {
        b'm' => "ms",
        b'u' => "us",
        b'n' => "ns",
        _ => "s",
    }
}

/// Where the elements of a chunk lie.
struct Chunk {
    owned: Arc<Owned<Array>>,
    /// The values, and how many elements lie before the first.
    values: *const u8,
    offset: usize,
    length: usize,
}

/// All chunks as one tensor: over the memory of the only one, where it lies as it does here.
fn joined(object: &Bound<'_, PyAny>, schema: &Schema, chunks: Vec<Owned<Array>>) -> PyResult<(Tensor, Vec<usize>)> {
    let py = object.py();
    let Elements { dtype, stored, inner, shape, order } = elements(object, schema)?;
    let order = std::iter::once(0).chain(order.iter().map(|axis| axis + 1)).collect();
    let (mut found, mut nulls, mut first, mut before) = (Vec::with_capacity(chunks.len()), 0, None, 0);
    for chunk in chunks {
        let (chunk, holes) = opened(object, chunk, &inner)?;
        if let Some((count, place)) = holes {
            nulls += count;
            first = first.or(Some(before + place));
        }
        before += chunk.length;
        found.push(chunk);
    }
    if let Some(first) = first {
        let many = if nulls == 1 { "a null".to_owned() } else { format!("{nulls} nulls, the first") };
        let text = format!(
            "{} has {many} at {first}, and arrays have no place for nulls: fill them (.fill_null(0)) or drop them first",
            named(object)
        );
        return Err(refuse(py, "ValueError", &text));
    }
    let each = inner.iter().try_fold(1usize, |all, n| all.checked_mul(*n));
    let lengths = found.iter().try_fold(0usize, |all, chunk| all.checked_add(chunk.length));
    let (Some(each), Some(length)) = (each, lengths) else { return Err(misshapen(object)) };
    let shape: Dims<usize> = std::iter::once(length).chain(shape).collect();
    let layout = Layout::contiguous(&shape, dtype.size()).or_raise(py)?;
    if let ([chunk], Encoding::Plain) = (&found[..], stored) {
        let start = chunk.values.wrapping_add(chunk.offset.wrapping_mul(dtype.size()));
        // SAFETY: the interface: `offset + length` elements of the type the schema names, which stay until given back.
        let tensor =
            unsafe { foreign(py, start.cast_mut(), dtype, layout, false, Box::new(Arc::clone(&chunk.owned)))? };
        return Ok((tensor, order));
    }
    let made = Tensor::zeroed(&shape, dtype).or_raise(py)?;
    let mut to = made.data_ptr();
    for chunk in &found {
        let count = chunk.length * each;
        // SAFETY: as above for what is read; `count` elements of a fresh tensor, which holds those of all chunks.
        unsafe { spread(chunk.values, chunk.offset, count, stored, dtype.size(), to) };
        to = to.wrapping_add(count * dtype.size());
    }
    Ok((made, order))
}

/// Copies elements out of a chunk, each as it lies here.
///
/// # Safety
/// From `offset` on, `count` elements can be read; as many can be written, and nobody else has them.
unsafe fn spread(values: *const u8, offset: usize, count: usize, stored: Encoding, size: usize, to: *mut u8) {
    if count == 0 {
        return;
    }
    // SAFETY: the caller's promise.
    unsafe {
        match stored {
            Encoding::Plain => std::ptr::copy_nonoverlapping(values.add(offset * size), to, count * size),
            Encoding::Bits => (0..count).for_each(|k| to.add(k).write(u8::from(is_set(values, offset + k)))),
            Encoding::Truths => (0..count).for_each(|k| to.add(k).write(u8::from(values.add(offset + k).read() != 0))),
            Encoding::Days => (0..count).for_each(|k| {
                let day = i64::from(values.cast::<i32>().add(offset + k).read_unaligned());
                to.cast::<i64>().add(k).write_unaligned(day);
            }),
        }
    }
}

/// Whether a bit is set.
///
/// # Safety
/// The bitmap must reach so far.
unsafe fn is_set(bits: *const u8, k: usize) -> bool {
    // SAFETY: the caller's promise.
    unsafe { bits.add(k / 8).read() >> (k % 8) & 1 == 1 }
}

#[cold]
fn misshapen(object: &Bound<'_, PyAny>) -> PyErr {
    refuse(object.py(), "ValueError", &format!("{} describes memory that no array has", named(object)))
}

/// How many of the nulls a chunk has, and where the first is.
type Holes = Option<(usize, usize)>;

/// A chunk's values and nulls, by way of the lists that its elements are.
fn opened(object: &Bound<'_, PyAny>, owned: Owned<Array>, inner: &[usize]) -> PyResult<(Chunk, Holes)> {
    let refused = || misshapen(object);
    let owned = Arc::new(owned);
    let mut array: &Array = &owned.0;
    let length = usize::try_from(array.length).map_err(|_| refused())?;
    let (mut offset, mut count, mut holes) = (0usize, length, None);
    for level in 0..=inner.len() {
        offset = usize::try_from(array.offset).ok().and_then(|own| offset.checked_add(own)).ok_or_else(refused)?;
        let last = offset.checked_add(count).and_then(|n| n.checked_mul(16)).ok_or_else(refused)?;
        if last > isize::MAX as usize || array.n_buffers < 1 || array.buffers.is_null() {
            return Err(refused());
        }
        // SAFETY: the interface: the first of at least one buffer, a bitmap of `offset + length` bits or null.
        let valid = unsafe { *array.buffers };
        if !valid.is_null() && array.null_count != 0 {
            // SAFETY: as above.
            let mut nulls = (0..count).filter(|k| !unsafe { is_set(valid, offset + k) });
            let each = inner[..level].iter().product::<usize>().max(1);
            holes = holes.or_else(|| nulls.next().map(|first| (1 + nulls.count(), first / each)));
        }
        let Some(&lists) = inner.get(level) else { break };
        // SAFETY: the interface: a list of a fixed size has one child.
        let child = if array.children.is_null() { None } else { unsafe { (*array.children).as_ref() } };
        array = child.filter(|_| array.n_children == 1).ok_or_else(refused)?;
        offset = offset.checked_mul(lists).ok_or_else(refused)?;
        count = count.checked_mul(lists).ok_or_else(refused)?;
    }
    let values = match array.n_buffers {
        // SAFETY: the interface: the second of at least two buffers.
        2.. => unsafe { *array.buffers.add(1) },
        _ => return Err(refused()),
    };
    if values.is_null() && count > 0 {
        return Err(super::operand::absent(object.py()));
    }
    Ok((Chunk { owned, values, offset, length }, holes))
}
