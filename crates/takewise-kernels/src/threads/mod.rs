//! How many parts a call is divided into, and the threads they run on.

#![allow(unsafe_code)]

#[cfg(feature = "rayon")]
pub mod pool;

use crate::guard::AtEnd;
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How many parts a call on this thread is divided into.
#[derive(Clone, Copy)]
enum Wish {
    /// So many, however small the work.
    Exactly(usize),
    /// Up to so many, as the work is worth.
    AtMost(usize),
}

/// Calls of [`with_threads`] and [`on_threads`] in progress, on any thread: mostly none, and then no thread needs to look for its own.
static OVERRIDES: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static OVERRIDE: Cell<Option<Wish>> = const { Cell::new(None) };
}

/// Bytes of single elements from which a call is divided, some half a millisecond: waking another thread takes up to a fifth of
/// that, and what it needs lies in caches of the calling one.
const DIVIDED: usize = 2 << 20;

/// Bytes of single elements a part should move at least.
const LEAST_WORK: usize = 512 << 10;

/// How many parts a large call is divided into: as [`on_threads`] or [`with_threads`] says, else the thread pool's size.
#[inline]
pub fn threads() -> usize {
    match OVERRIDE.get() {
        Some(Wish::Exactly(n) | Wish::AtMost(n)) => n,
        None => default_threads(),
    }
}

#[cfg(feature = "rayon")]
fn default_threads() -> usize {
    pool::size()
}

#[cfg(not(feature = "rayon"))]
fn default_threads() -> usize {
    1
}

/// Sets how many threads large calls of this process run on; 0 for as many as there are processors (or as the
/// environment variable `TAKEWISE_NUM_THREADS` says), which is also what counts before the first call.
///
/// Results do not depend on it. Calls made inside a rayon pool stay in that pool. At most 256; without the feature
/// `rayon` there is one thread, whatever is set.
///
/// ```
/// takewise::threads::set_threads(3);
/// # #[cfg(feature = "rayon")]
/// assert_eq!(takewise::threads::threads(), 3);
/// takewise::threads::set_threads(0);
/// ```
pub fn set_threads(n: usize) {
    #[cfg(feature = "rayon")]
    pool::set(n);
    #[cfg(not(feature = "rayon"))]
    let _ = n;
}

/// Makes ready what a process's first call would: for programs that may fork while another thread is in that call. A child
/// finds nothing half made then.
///
/// ```
/// takewise::threads::prepare();
/// ```
pub fn prepare() {
    crate::fork::generation();
    #[cfg(feature = "rayon")]
    pool::prepare();
}

/// Runs `f` with every call on this thread divided into up to `n` parts, however small the work. Results are
/// the same bits for every `n`; tests use this to show it.
///
/// ```
/// assert_eq!(takewise::threads::with_threads(7, takewise::threads::threads), 7);
/// ```
pub fn with_threads<R>(n: usize, f: impl FnOnce() -> R) -> R {
    wishing(Wish::Exactly(n.max(1)), f)
}

/// Runs `f` with large calls on this thread divided among up to `n` threads, and small ones not divided; 0 changes nothing.
///
/// The threads are those of the pool, so more than [`set_threads`] allows do not run at a time. Results do not depend on
/// it.
///
/// ```
/// assert_eq!(takewise::threads::on_threads(1, takewise::threads::threads), 1);
/// ```
pub fn on_threads<R>(n: usize, f: impl FnOnce() -> R) -> R {
    match n {
        0 => f(),
        n => wishing(Wish::AtMost(n), f),
    }
}

fn wishing<R>(wish: Wish, f: impl FnOnce() -> R) -> R {
    OVERRIDES.fetch_add(1, Ordering::Relaxed);
    let before = OVERRIDE.replace(Some(wish));
    let _back = AtEnd(|| {
        OVERRIDE.set(before);
        OVERRIDES.fetch_sub(1, Ordering::Relaxed);
    });
    f()
}

/// Parts for a call whose moves cost as much as `bytes` of single elements.
#[inline]
pub fn parts_for(bytes: usize) -> usize {
    if bytes < DIVIDED && OVERRIDES.load(Ordering::Relaxed) == 0 {
        return 1;
    }
    match OVERRIDE.get() {
        Some(Wish::Exactly(n)) => n,
        _ if bytes < DIVIDED => 1,
        Some(Wish::AtMost(n)) => n.min(bytes / LEAST_WORK),
        None => default_threads().min(bytes / LEAST_WORK).max(1),
    }
}

/// An address that the parts of a call share.
#[derive(Clone, Copy)]
pub struct Bare(pub *mut u8);

// SAFETY: an address alone does nothing: who reads or writes there says why the bytes are there (L1), and why nobody else
// writes them meanwhile (E1, L3).
unsafe impl Send for Bare {}
// SAFETY: as above.
unsafe impl Sync for Bare {}

impl Bare {
    /// The address `by` bytes on.
    ///
    /// # Safety
    /// L1: inside the operand.
    pub unsafe fn at(&self, by: isize) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { self.0.offset(by) }
    }
}

/// Cuts `0..total` into up to `parts` ranges and runs `f` on each; the first error in order of ranges.
pub fn in_ranges<E: Send>(
    total: usize,
    parts: usize,
    f: impl Fn(std::ops::Range<usize>) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let size = total.div_ceil(parts.max(1)).max(1);
    match total.div_ceil(size) {
        0 | 1 => f(0..total),
        count => side_by_side(total, size, count, &f),
    }
}

/// [`in_ranges`] of several ranges, which takes what is done by reference, as [`each`] does.
fn side_by_side<E: Send>(
    total: usize,
    size: usize,
    count: usize,
    f: &(dyn Fn(std::ops::Range<usize>) -> Result<(), E> + Sync),
) -> Result<(), E> {
    let range = |k: usize| k * size..total.min((k + 1) * size);
    let failed: Mutex<Option<(usize, E)>> = Mutex::new(None);
    each(count, &|k| {
        if let Err(error) = f(range(k)) {
            let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
            if failed.as_ref().is_none_or(|(first, _)| k < *first) {
                *failed = Some((k, error));
            }
        }
    });
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}

/// Calls `f` for `0..count`, side by side: here too, as waking another thread takes longer than many a call. The kernels
/// reach the pool here alone and by reference, for a copy of its machinery a kernel would be a good part of the library.
pub fn each(count: usize, f: &(dyn Fn(usize) + Sync)) {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || loop {
        let k = next.fetch_add(1, Ordering::Relaxed);
        if k >= count {
            return;
        }
        f(k);
        done.fetch_add(1, Ordering::Relaxed);
    };
    #[cfg(feature = "rayon")]
    pool::beside(count.saturating_sub(1), &work, &|| done.load(Ordering::Relaxed) == count);
    #[cfg(not(feature = "rayon"))]
    work();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_bounds_large_work_and_an_order_divides_any() {
        let parts = |bytes| on_threads(3, || parts_for(bytes));
        assert_eq!([parts(10), parts(DIVIDED - 1), parts(DIVIDED), parts(100 * DIVIDED)], [1, 1, 3, 3]);
        assert_eq!(with_threads(3, || parts_for(10)), 3);
        assert_eq!(on_threads(0, threads), threads());
        assert_eq!(on_threads(5, || on_threads(2, threads)), 2);
    }
}
