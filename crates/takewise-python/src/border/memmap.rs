//! Arrays whose memory Python's `mmap` has mapped, `numpy.memmap` first of all: known by what their memory is.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyWeakrefMethods, PyWeakrefReference};
use takewise::DType;
use takewise::internal::{Lock, far};
use takewise_files::Mapping;

use super::{Home, Operand, foreign, release};
use crate::known::intern;

/// Bytes of an array from which it is worth a look whether it lies in a file.
pub(super) const WORTH: usize = 1 << 20;

/// A file that Python has mapped, and what mapped it.
struct MappedFile {
    by: Py<PyWeakrefReference>,
    /// Nothing for what is no file, or none that can be opened again.
    mapping: Option<Arc<Mapping>>,
}

/// What is known of objects that map files, by their addresses.
static SEEN: Lock<Option<HashMap<usize, MappedFile>>> = Lock::new(None);

/// Keeps the engine informed that an array lies in a file that an object of Python's `mmap` has mapped, if it does, until what
/// is given is dropped.
#[cold]
pub(super) fn mapped(by: &Bound<'_, PyAny>, bytes: Range<usize>) -> Option<far::Registered> {
    let py = by.py();
    // Closed under its array: whoever reads that is on his own.
    if by.getattr(intern!(py, "closed")).ok()?.is_truthy().ok()? {
        return None;
    }
    let key = by.as_ptr().addr();
    let known = {
        let seen = SEEN.lock();
        let known = seen.as_ref().and_then(|seen| seen.get(&key));
        known.map(|known| (known.by.clone_ref(py), known.mapping.clone()))
    };
    let mapping = match known {
        Some((weak, mapping)) if weak.bind(py).upgrade().is_some_and(|alive| alive.is(by)) => mapping,
        _ => {
            let mapping = Mapping::at(bytes.start).map(Arc::new);
            let weak = PyWeakrefReference::new(by).ok()?.unbind();
            let mut all = SEEN.lock();
            let seen = all.get_or_insert_default();
            let gone: Vec<MappedFile> =
                seen.extract_if(|_, known| known.by.bind(py).upgrade().is_none()).map(|(_, known)| known).collect();
            let before = seen.insert(key, MappedFile { by: weak, mapping: mapping.clone() });
            drop(all);
            drop((gone, before));
            mapping
        }
    }?;
    let at = mapping.addresses();
    (at.start <= bytes.start && bytes.end <= at.end).then(|| mapping.register())
}

/// An array in a mapped file as an operand, which the engine knows as long as it lives.
///
/// # Safety
/// As [`foreign`].
pub(super) unsafe fn lent(
    start: *mut u8,
    dtype: DType,
    layout: takewise::Layout,
    writable: bool,
    object: &Bound<'_, PyAny>,
    home: Home,
    known: far::Registered,
) -> PyResult<Operand> {
    let keep = Box::new((known, release::Held::new(object)));
    // SAFETY: passed on.
    let tensor = unsafe { foreign(object.py(), start, dtype, layout, writable, keep)? };
    Ok(Operand { tensor, home })
}
