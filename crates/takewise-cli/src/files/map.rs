//! Files as memory, and tensors standing on them.
//!
//! The mapping is private and writable: pages come from the file when first touched, and a page written
//! to becomes ours alone, so a program may assign into a tensor from a file without changing the file.

#![allow(unsafe_code)] // one mapping, one foreign buffer, one byte view

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use memmap2::{MmapMut, MmapOptions};
use takewise::tensor::Buffer;
use takewise::{DType, Layout, Tensor};

use super::FileError;

/// The bytes of a file.
pub(super) struct Map {
    memory: Arc<Memory>,
    buffer: Arc<Buffer>,
}

enum Memory {
    Mapped(MmapMut),
    Owned(Vec<u8>),
}

impl Memory {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
        }
    }
}

/// Maps a whole file.
///
/// # Errors
/// A file that is missing, a directory, not readable, or cannot be mapped.
pub(super) fn open(path: &Path) -> Result<Map, FileError> {
    let fail = |e: std::io::Error| FileError::new(path, reason(&e));
    let file = File::open(path).map_err(fail)?;
    let info = file.metadata().map_err(fail)?;
    if info.is_dir() {
        return Err(FileError::new(path, "is a directory"));
    }
    if info.len() == 0 {
        return Ok(Map::owned(Vec::new()));
    }
    // SAFETY: the mapping is private. If another program shrinks or rewrites the file meanwhile, the
    // usual hazards of mapped files apply (stale bytes, or a fault on truncated pages); the engine
    // checks every index value after loading it, so stale bytes never become stray addresses.
    let map = unsafe { MmapOptions::new().no_reserve_swap().map_copy(&file) }.map_err(fail)?;
    Ok(Map::new(Memory::Mapped(map)))
}

fn reason(e: &std::io::Error) -> String {
    match e.kind() {
        std::io::ErrorKind::NotFound => "no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => e.to_string(),
    }
}

impl Map {
    /// Bytes already in memory, treated as a file.
    pub(super) fn owned(bytes: Vec<u8>) -> Self {
        Self::new(Memory::Owned(bytes))
    }

    fn new(memory: Memory) -> Self {
        let memory = Arc::new(memory);
        let bytes = memory.bytes();
        // SAFETY: the bytes are valid for reading and (a private mapping or a vector nobody else reaches)
        // for writing until `memory` is dropped, which the buffer keeps. `Map::bytes` is only used while
        // a file is being opened, before any tensor on it can be written.
        let buffer =
            unsafe { Buffer::foreign(bytes.as_ptr().cast_mut(), bytes.len(), true, Box::new(Arc::clone(&memory))) };
        Self { memory, buffer: Arc::new(buffer) }
    }

    /// The content.
    pub(super) fn bytes(&self) -> &[u8] {
        self.memory.bytes()
    }

    /// The tensor at a place of the file: mapped if its bytes can be used as they are.
    ///
    /// # Errors
    /// A place that is not wholly inside the file.
    pub(super) fn tensor(&self, path: &Path, place: Placement) -> Result<Tensor, FileError> {
        let fail = |text: String| FileError::new(path, text);
        let end = place.end().filter(|&end| end <= self.bytes().len());
        let end = end.ok_or_else(|| fail(place.shortage(self.bytes().len())))?;
        let layout = place.layout().ok_or_else(|| fail(format!("the shape {:?} is too large", place.shape)))?;
        if place.swapped {
            let start = place.start.min(end);
            let mut bytes = self.bytes()[start..end].to_vec();
            let step = if place.dtype.is_complex() { place.dtype.size() / 2 } else { place.dtype.size() };
            bytes.chunks_exact_mut(step).for_each(<[u8]>::reverse);
            return Self::owned(bytes).tensor(path, Placement { start: 0, swapped: false, ..place });
        }
        Tensor::from_buffer(Arc::clone(&self.buffer), place.start, layout, place.dtype).map_err(|e| fail(e.to_string()))
    }
}

/// Where an array lies in a file.
#[derive(Debug, Clone)]
pub(super) struct Placement {
    /// Byte of the first element.
    pub start: usize,
    /// Extents.
    pub shape: Vec<usize>,
    /// Element type.
    pub dtype: DType,
    /// Whether the first axis varies fastest.
    pub fortran: bool,
    /// Whether elements are in the other byte order.
    pub swapped: bool,
}

impl Placement {
    /// A row-major array in native byte order.
    pub(super) fn contiguous(start: usize, shape: Vec<usize>, dtype: DType) -> Self {
        Self { start, shape, dtype, fortran: false, swapped: false }
    }

    fn byte_count(&self) -> Option<usize> {
        if self.shape.contains(&0) {
            return Some(0);
        }
        self.shape.iter().try_fold(self.dtype.size(), |n, &d| n.checked_mul(d))
    }

    /// The byte after the last element, unless that is beyond counting.
    pub(super) fn end(&self) -> Option<usize> {
        self.start.checked_add(self.byte_count()?)
    }

    /// Why a file of `len` bytes cannot hold this array.
    pub(super) fn shortage(&self, len: usize) -> String {
        let have = len.saturating_sub(self.start);
        match self.byte_count() {
            Some(need) => format!(
                "truncated: shape {:?} of {} needs {need} bytes, the file has {have}",
                self.shape,
                self.dtype.name()
            ),
            None => format!("the shape {:?} is larger than any file", self.shape),
        }
    }

    fn layout(&self) -> Option<Layout> {
        let size = self.dtype.size();
        if !self.fortran {
            return Layout::contiguous(&self.shape, size).ok();
        }
        let mut step = isize::try_from(size).ok()?;
        let mut strides = Vec::with_capacity(self.shape.len());
        for &extent in &self.shape {
            strides.push(step);
            step = step.checked_mul(isize::try_from(extent.max(1)).ok()?)?;
        }
        Layout::new(&self.shape, &strides).ok()
    }
}

/// The elements of a row-major tensor as bytes, without copying, for as long as the closure runs.
///
/// # Errors
/// A tensor another call is writing.
#[cfg(feature = "command")]
pub(super) fn with_bytes<R>(tensor: &Tensor, use_bytes: impl FnOnce(&[u8]) -> R) -> takewise::Result<R> {
    let tensor = tensor.contiguous()?;
    let open = tensor.read_any()?;
    let view = open.view();
    let len = view.shape().iter().product::<usize>() * view.dtype().size();
    if len == 0 {
        return Ok(use_bytes(&[]));
    }
    // SAFETY: L1: a contiguous tensor's elements are exactly these bytes; the guard keeps writers out.
    Ok(use_bytes(unsafe { std::slice::from_raw_parts(view.as_ptr(), len) }))
}

/// A fresh row-major tensor holding the bytes given; its size must be theirs.
///
/// # Errors
/// Memory that cannot be had.
pub fn tensor_from_bytes(bytes: &[u8], shape: &[usize], dtype: DType) -> takewise::Result<Tensor> {
    let tensor = Tensor::zeroed(shape, dtype)?;
    let mut open = tensor.write_any()?;
    let room = shape.iter().product::<usize>() * dtype.size();
    let count = room.min(bytes.len());
    if count > 0 {
        let mut view = open.view_mut();
        // SAFETY: L1: the fresh tensor is contiguous and holds `room` bytes; nobody else has it.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), view.as_mut_ptr(), count) }
    }
    drop(open);
    Ok(tensor)
}
