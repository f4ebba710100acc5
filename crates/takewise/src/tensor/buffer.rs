//! Memory: 64-byte aligned allocations of our own, or foreign memory with a release callback.

use super::ledger::Ledger;
use crate::error::{Error, Fault, Result};
use std::alloc::{Layout as Alloc, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// Alignment of our own allocations: a cache line, and what JAX wants for sharing without a copy.
const ALIGN: usize = 64;

/// A block of bytes and how to give it back.
pub struct Buffer {
    ptr: NonNull<u8>,
    len: usize,
    owner: Owner,
    ledger: Ledger,
}

enum Owner {
    Own,
    /// Keeps foreign memory (a mapped file, another library's array) alive.
    Foreign {
        _keep: Box<dyn Send + Sync>,
        writable: bool,
    },
}

// SAFETY: a Buffer is plain bytes; concurrent access through tensors is arbitrated by the ledger.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// `len` zero bytes. The operating system hands out zero pages, so large buffers are committed only
    /// where touched.
    pub fn zeroed(len: usize) -> Result<Buffer> {
        let fail = || Error::plain(Fault::Memory { op: "allocate", bytes: Some(len) });
        let layout = Alloc::from_size_align(len.max(1), ALIGN).map_err(|_| fail())?;
        // SAFETY: the size is not zero.
        let ptr = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(fail)?;
        Ok(Buffer { ptr, len, owner: Owner::Own, ledger: Ledger::default() })
    }

    /// Foreign memory kept alive by `keep`.
    ///
    /// # Safety
    /// `ptr` must be valid for reads of `len` bytes (and writes, if `writable`) until `keep` is dropped.
    pub unsafe fn foreign(ptr: *mut u8, len: usize, writable: bool, keep: Box<dyn Send + Sync>) -> Buffer {
        let ptr = NonNull::new(ptr).unwrap_or(NonNull::dangling());
        Buffer { ptr, len, owner: Owner::Foreign { _keep: keep, writable }, ledger: Ledger::default() }
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
            Owner::Own => true,
            Owner::Foreign { writable, .. } => writable,
        }
    }

    pub(super) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    pub(crate) fn as_mut_ptr(&self) -> *mut u8 {
        self.ptr.as_ptr()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Owner::Own = self.owner {
            // SAFETY: allocated in `zeroed` with this size and alignment.
            unsafe { dealloc(self.ptr.as_ptr(), Alloc::from_size_align_unchecked(self.len.max(1), ALIGN)) }
        }
    }
}
