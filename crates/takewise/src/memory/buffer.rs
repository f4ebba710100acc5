//! Memory: 64-byte aligned allocations of our own, vectors taken over, or foreign memory that something
//! else keeps alive.

use super::history::History;
use super::ledger::Ledger;
use super::spare;
use super::storage::Keep;
use crate::dtype::Element;
use crate::error::{Error, Fault, Result};
use crate::notes::{Note, dry, note};
use crate::once::Once;
use crate::op::Op;
use std::alloc::{Layout as Alloc, alloc, alloc_zeroed, dealloc};
use std::any::TypeId;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Alignment asked of the allocator. Up to this one it passes on the operating system's zero pages as they
/// are; above it, it would write every zero itself and so commit all pages. We align by hand instead.
const SYSTEM_ALIGN: usize = 8;

/// A block of bytes and how to give it back.
///
/// ```
/// use takewise::prelude::*;
/// use std::sync::Arc;
/// use takewise::{Layout, tensor::Buffer};
/// let buffer = Arc::new(Buffer::from_vec(vec![1u8, 2, 3, 4]));
/// let x = Tensor::from_buffer(buffer, 2, Layout::contiguous(&[2], 1)?, DType::U8)?;
/// assert_eq!(x.to_vec::<u8>()?, [3, 4]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub struct Buffer {
    ptr: NonNull<u8>,
    len: usize,
    owner: Owner,
    ledger: Ledger,
    version: AtomicU64,
    history: Once<Arc<History>>,
}

enum Owner {
    /// Our own allocation: where it really starts.
    Own { base: NonNull<u8>, alloc: Alloc },
    /// A large block of our own, and whether no page of it had been touched when it was taken.
    Large { layout: Alloc, fresh: bool },
    /// Pages of its own, which are there once they are touched.
    Reserved,
    /// The parts of a vector, its element type, and how to drop it.
    Vec { capacity: usize, element: TypeId, release: unsafe fn(*mut u8, usize) },
    /// Keeps foreign memory (a mapped file, another library's array) alive.
    Foreign { _keep: Box<dyn Send + Sync>, writable: bool },
    /// A share of what keeps lent memory alive.
    Lent { keep: Keep, writable: bool },
}

// SAFETY: a Buffer is plain bytes; concurrent access through tensors is arbitrated by the ledger.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Alignment of our own allocations: a cache line, and what JAX wants for sharing without a copy.
    pub(crate) const ALIGN: usize = 64;

    #[inline]
    fn raw(ptr: NonNull<u8>, len: usize, owner: Owner) -> Buffer {
        Buffer { ptr, len, owner, ledger: Ledger::default(), version: AtomicU64::new(0), history: Once::new() }
    }

    /// `len` zero bytes. The operating system hands out zero pages, so large buffers are committed only
    /// where touched; those of middle size are more often touched all over, and may be ones freed lately, see `spare`.
    ///
    /// Error (kind `Memory`) if they cannot be had.
    pub fn zeroed(len: usize) -> Result<Buffer> {
        if (spare::LEAST..=spare::CLEARED).contains(&len) {
            // SAFETY: E2: written at once; L1: so many bytes, in nobody else's hands.
            unsafe {
                let buffer = Buffer::blank(len)?;
                buffer.ptr.write_bytes(0, len);
                return Ok(buffer);
            }
        }
        if Buffer::imagines(len) {
            return Buffer::imagined(len);
        }
        Buffer::padded_zeros(len)
    }

    fn padded_zeros(len: usize) -> Result<Buffer> {
        // SAFETY: the size is not zero.
        Buffer::padded(len, |alloc| unsafe { alloc_zeroed(alloc) })
    }

    /// Whether fresh memory of so many bytes is made of zeros that nobody touches: nothing is to move.
    pub(crate) fn imagines(len: usize) -> bool {
        len > spare::CLEARED && dry()
    }

    /// Zero bytes that take no memory until they are touched.
    #[cold]
    fn imagined(len: usize) -> Result<Buffer> {
        let Some(base) = spare::reserve(len) else { return Buffer::padded_zeros(len) };
        note(|| Note::Taken { address: base.as_ptr().addr(), bytes: len, given: false });
        Ok(Buffer::raw(base, len, Owner::Reserved))
    }

    /// `len` bytes without a value. Large blocks lie on huge pages, and may be ones freed lately, see `spare`.
    ///
    /// Error (kind `Memory`) if they cannot be had.
    ///
    /// # Safety
    /// No byte may be read before it has been written (E2).
    #[inline(always)] // buffers are large, and go straight into what counts their shares
    pub(crate) unsafe fn blank(len: usize) -> Result<Buffer> {
        if len < spare::LEAST {
            // SAFETY: the size is not zero.
            return Buffer::padded(len, |layout| unsafe { alloc(layout) });
        }
        if Buffer::imagines(len) {
            return Buffer::imagined(len);
        }
        let spare::Taken { base, layout, fresh } = spare::take(len).ok_or_else(|| no_memory(len))?;
        note(|| Note::Taken { address: base.as_ptr().addr(), bytes: len, given: false });
        Ok(Buffer::raw(base, len, Owner::Large { layout, fresh }))
    }

    /// Memory of an allocation that is given a nonzero size and [`SYSTEM_ALIGN`].
    #[inline]
    fn padded(len: usize, allocate: impl FnOnce(Alloc) -> *mut u8) -> Result<Buffer> {
        let padded = len.max(1).checked_add(Buffer::ALIGN).ok_or_else(|| no_memory(len))?;
        let alloc = Alloc::from_size_align(padded, SYSTEM_ALIGN).map_err(|_| no_memory(len))?;
        let base = NonNull::new(allocate(alloc)).ok_or_else(|| no_memory(len))?;
        let pad = base.as_ptr().align_offset(Buffer::ALIGN).min(Buffer::ALIGN);
        // SAFETY: L1: ALIGN bytes more than `len` were allocated and the padding takes fewer.
        let ptr = unsafe { base.add(pad) };
        note(|| Note::Taken { address: ptr.as_ptr().addr(), bytes: len, given: false });
        Ok(Buffer::raw(ptr, len, Owner::Own { base, alloc }))
    }

    /// The elements of a vector, taken over without a copy.
    pub fn from_vec<T: Element>(data: Vec<T>) -> Buffer {
        /// # Safety
        /// The parts must be those of a `Vec<T>` nobody else frees.
        unsafe fn release<T>(ptr: *mut u8, capacity: usize) {
            // SAFETY: the caller's promise; elements are Copy, so the length does not matter.
            drop(unsafe { Vec::from_raw_parts(ptr.cast::<T>(), 0, capacity) });
        }
        let mut data = std::mem::ManuallyDrop::new(data);
        let len = std::mem::size_of_val(&data[..]);
        let ptr = NonNull::<u8>::new(data.as_mut_ptr().cast()).unwrap_or(NonNull::dangling());
        note(|| Note::Taken { address: ptr.as_ptr().addr(), bytes: len, given: true });
        let owner = Owner::Vec { capacity: data.capacity(), element: TypeId::of::<T>(), release: release::<T> };
        Buffer::raw(ptr, len, owner)
    }

    /// The vector this buffer was made from, or the buffer back.
    #[allow(clippy::result_large_err)] // the buffer back, unmoved in practice
    pub(crate) fn into_vec<T: Element>(self) -> std::result::Result<Vec<T>, Buffer> {
        match self.owner {
            Owner::Vec { capacity, element, .. } if element == TypeId::of::<T>() && size_of::<T>() > 0 => {
                let whole = std::mem::ManuallyDrop::new(self);
                let (ptr, count) = (whole.ptr.as_ptr().cast::<T>(), whole.len / size_of::<T>());
                // SAFETY: these are the parts of a Vec<T>, whose drop was just disarmed; `count` elements were
                // valid when it came and only valid values are ever copied in.
                Ok(unsafe { Vec::from_raw_parts(ptr, count, capacity) })
            }
            _ => Err(self),
        }
    }

    /// Foreign memory kept alive by `keep`.
    ///
    /// # Safety
    /// `ptr` must be valid for reads of `len` bytes (and writes, if `writable`) until `keep` is dropped.
    pub unsafe fn foreign(ptr: *mut u8, len: usize, writable: bool, keep: Box<dyn Send + Sync>) -> Buffer {
        let ptr = NonNull::new(ptr).unwrap_or(NonNull::dangling());
        Buffer::raw(ptr, len, Owner::Foreign { _keep: keep, writable })
    }

    /// Memory that `keep` keeps alive.
    ///
    /// # Safety
    /// As [`Buffer::foreign`].
    #[inline]
    pub(crate) unsafe fn lent(ptr: NonNull<u8>, len: usize, writable: bool, keep: Keep) -> Buffer {
        Buffer::raw(ptr, len, Owner::Lent { keep, writable })
    }

    /// The share that keeps lent memory alive.
    #[inline]
    pub(crate) fn lender(&self) -> Option<&Keep> {
        match &self.owner {
            Owner::Lent { keep, .. } => Some(keep),
            _ => None,
        }
    }

    /// Bytes held.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether the memory may be written.
    pub fn writable(&self) -> bool {
        match self.owner {
            Owner::Foreign { writable, .. } | Owner::Lent { writable, .. } => writable,
            _ => true,
        }
    }

    /// Whether these are pages the system has not even handed out yet, unless somebody wrote them since.
    pub(crate) fn is_fresh(&self) -> bool {
        matches!(self.owner, Owner::Large { fresh: true, .. })
    }

    /// How often the memory was changed in place.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    /// Counts a change in place.
    pub(crate) fn changed(&self) {
        self.version.fetch_add(1, Ordering::Relaxed);
    }

    /// What gradients are to flow through, of tensors without a history of their own.
    pub(crate) fn history(&self) -> &Once<Arc<History>> {
        &self.history
    }

    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    pub(crate) fn as_mut_ptr(&self) -> *mut u8 {
        self.ptr.as_ptr()
    }
}

#[cold]
fn no_memory(len: usize) -> Error {
    Error::plain(Fault::Memory { op: Op::Allocate, bytes: Some(len) })
}

impl Drop for Buffer {
    fn drop(&mut self) {
        match self.owner {
            // SAFETY: allocated in `padded` at this address with this layout.
            Owner::Own { base, alloc } => unsafe { dealloc(base.as_ptr(), alloc) },
            // SAFETY: taken in `blank` with this layout.
            Owner::Large { layout, .. } => unsafe { spare::give(self.ptr, layout) },
            // SAFETY: reserved in `imagined` with this length.
            Owner::Reserved => unsafe { spare::release(self.ptr, self.len) },
            // SAFETY: the parts of the vector taken apart in `from_vec`, not reassembled since.
            Owner::Vec { capacity, release, .. } => unsafe { release(self.ptr.as_ptr(), capacity) },
            Owner::Foreign { .. } | Owner::Lent { .. } => {}
        }
    }
}
