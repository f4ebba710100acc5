//! What the elements of a tensor lie in: a buffer that tensors share, or memory lent for the length of a call.
//!
//! Lent memory has none of what a buffer keeps for tensors that live on (ledger, version, history): its owner's
//! promise takes the place of all three, and a small call pays for neither allocation nor registration.

use super::buffer::Buffer;
use super::history::History;
use super::ledger::Ledger;
use crate::once::Once;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// A share in what keeps lent memory alive, counted by its owner.
///
/// The owner may be unable to count where a share is made: Python counts only for threads that hold its lock. Then the
/// share is made in one of the owner's, which is given back with the last of those in it.
///
/// ```
/// use takewise::prelude::*;
/// use std::ptr::NonNull;
/// use takewise::{Layout, tensor::Keep};
/// let mut elements = [1i32, 2, 3];
/// // SAFETY: the elements outlive the tensor, and there is nothing to count.
/// let x = unsafe {
///     let keep = Keep::new(NonNull::dangling(), |_| true, |_| ());
///     Tensor::lent(elements.as_mut_ptr().cast(), DType::I32, Layout::contiguous(&[3], 4)?, true, keep)
/// };
/// assert_eq!(x.take(&tensor!([2]), &Rules::NEUTRAL)?.to_vec::<i32>()?, [3]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub struct Keep {
    object: NonNull<()>,
    more: unsafe fn(NonNull<()>) -> bool,
    less: unsafe fn(NonNull<()>),
    /// How many hold this one share of the owner's; null for one alone.
    within: AtomicPtr<AtomicUsize>,
}

// SAFETY: `Keep::new` asks that both functions may be called from any thread.
unsafe impl Send for Keep {}
// SAFETY: as above; nothing else is reachable through it.
unsafe impl Sync for Keep {}

impl Keep {
    /// The share the caller holds: `more` makes another, or says that it cannot here; `less` gives one back.
    ///
    /// # Safety
    /// Both functions may be called from any thread, `less` once for every share and for this one.
    pub unsafe fn new(object: NonNull<()>, more: unsafe fn(NonNull<()>) -> bool, less: unsafe fn(NonNull<()>)) -> Keep {
        Keep { object, more, less, within: AtomicPtr::default() }
    }

    /// What is kept.
    pub fn object(&self) -> NonNull<()> {
        self.object
    }

    /// The count of those who hold this share together, one more of them from now on.
    #[cold]
    fn join(&self) -> *mut AtomicUsize {
        let mut count = self.within.load(Ordering::Acquire);
        if count.is_null() {
            let fresh = Box::into_raw(Box::new(AtomicUsize::new(1)));
            match self.within.compare_exchange(count, fresh, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => count = fresh,
                Err(other) => {
                    // SAFETY: just made, and nobody else knows of it.
                    drop(unsafe { Box::from_raw(fresh) });
                    count = other;
                }
            }
        }
        // SAFETY: a count lives until the last that holds it is dropped, and this one does.
        unsafe { (*count).fetch_add(1, Ordering::Relaxed) };
        count
    }
}

impl Clone for Keep {
    fn clone(&self) -> Keep {
        let Keep { object, more, less, .. } = *self;
        // SAFETY: the promise of `Keep::new`.
        let within = if unsafe { more(object) } { std::ptr::null_mut() } else { self.join() };
        Keep { object, more, less, within: AtomicPtr::new(within) }
    }
}

impl Drop for Keep {
    fn drop(&mut self) {
        let count = *self.within.get_mut();
        if !count.is_null() {
            // SAFETY: as in `join`; the last one frees it.
            unsafe {
                if (*count).fetch_sub(1, Ordering::AcqRel) > 1 {
                    return;
                }
                drop(Box::from_raw(count));
            }
        }
        // SAFETY: the promise of `Keep::new`: this share, given back once.
        unsafe { (self.less)(self.object) }
    }
}

/// Memory somebody else owns.
#[derive(Clone)]
pub(crate) struct Lent {
    pub(crate) ptr: NonNull<u8>,
    pub(crate) len: usize,
    pub(crate) writable: bool,
    pub(crate) keep: Keep,
}

// SAFETY: plain bytes; the promise of `Tensor::lent` keeps calls apart that would meet in them.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

/// See the module.
#[derive(Clone)]
pub(crate) enum Storage {
    Shared(Arc<Buffer>),
    Lent(Lent),
}

impl Storage {
    #[inline]
    pub(crate) fn as_mut_ptr(&self) -> *mut u8 {
        match self {
            Storage::Shared(buffer) => buffer.as_mut_ptr(),
            Storage::Lent(lent) => lent.ptr.as_ptr(),
        }
    }

    /// Bytes held.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Storage::Shared(buffer) => buffer.len(),
            Storage::Lent(lent) => lent.len,
        }
    }

    /// Whether the memory may be written.
    #[inline]
    pub(crate) fn writable(&self) -> bool {
        match self {
            Storage::Shared(buffer) => buffer.writable(),
            Storage::Lent(lent) => lent.writable,
        }
    }

    /// The storage as a buffer of its own.
    #[inline]
    pub(crate) fn settled(self) -> Arc<Buffer> {
        match self {
            Storage::Shared(buffer) => buffer,
            Storage::Lent(Lent { ptr, len, writable, keep }) => {
                // SAFETY: the promise of `Tensor::lent` for as long as the share is held, which the buffer takes over.
                Arc::new(unsafe { Buffer::lent(ptr, len, writable, keep) })
            }
        }
    }

    #[inline]
    pub(crate) fn ledger(&self) -> Option<&Ledger> {
        match self {
            Storage::Shared(buffer) => Some(buffer.ledger()),
            Storage::Lent(_) => None,
        }
    }

    #[inline]
    pub(crate) fn history(&self) -> Option<&Once<Arc<History>>> {
        match self {
            Storage::Shared(buffer) => Some(buffer.history()),
            Storage::Lent(_) => None,
        }
    }

    /// The share that keeps lent memory alive.
    #[inline]
    pub(crate) fn lender(&self) -> Option<&Keep> {
        match self {
            Storage::Shared(buffer) => buffer.lender(),
            Storage::Lent(lent) => Some(&lent.keep),
        }
    }

    /// Whether it was made of pages that the system had yet to hand out.
    pub(crate) fn is_fresh(&self) -> bool {
        matches!(self, Storage::Shared(buffer) if buffer.is_fresh())
    }

    /// How often the memory was changed in place.
    pub(crate) fn version(&self) -> u64 {
        match self {
            Storage::Shared(buffer) => buffer.version(),
            Storage::Lent(_) => 0,
        }
    }

    /// Counts a change in place. Where nobody else holds the storage nobody saved it.
    #[inline]
    pub(crate) fn count_change(&self) {
        match self {
            Storage::Shared(buffer) if Arc::strong_count(buffer) > 1 => buffer.changed(),
            _ => {}
        }
    }

    /// Whether it is exclusively borrowed: nobody else can reach the memory.
    #[inline]
    pub(crate) fn is_unique(&mut self) -> bool {
        match self {
            Storage::Shared(buffer) => Arc::get_mut(buffer).is_some(),
            Storage::Lent(_) => false,
        }
    }

    /// Whether no byte of one can be a byte of the other.
    #[inline]
    pub(crate) fn apart(&self, other: &Storage) -> bool {
        let (a, b) = (self.as_mut_ptr().addr(), other.as_mut_ptr().addr());
        a.saturating_add(self.len()) <= b || b.saturating_add(other.len()) <= a
    }

    /// Whether both are the same storage.
    pub(crate) fn is(&self, other: &Storage) -> bool {
        match (self, other) {
            (Storage::Shared(a), Storage::Shared(b)) => Arc::ptr_eq(a, b),
            (Storage::Lent(a), Storage::Lent(b)) => a.ptr == b.ptr && a.len == b.len,
            _ => false,
        }
    }
}
