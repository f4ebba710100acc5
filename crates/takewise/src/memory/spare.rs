//! Large blocks of memory: aligned to huge pages, and kept for a while after they are freed.
//!
//! The first touch of a fresh page costs more than moving the bytes that go there, so a result as large as one freed a
//! moment ago is put into the same pages. At most [`BOUND`] bytes are kept for the whole process, [`HELD`] of them for good,
//! in at most [`BLOCKS`] blocks; what does not fit displaces the oldest. The rest are large blocks that the system may take
//! back whenever it wants the memory (`MADV_FREE`): they count as the process's until it does. A block serves a request of
//! at least three quarters of its size.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;
use std::sync::Mutex;

/// Blocks of fewer bytes are the allocator's own business.
pub(super) const LEAST: usize = 256 << 10;

/// Blocks of at most so many bytes are cleared faster than the system hands out zero pages for as many.
pub(super) const CLEARED: usize = 16 << 20;

/// Bytes kept at most, and those of them that the system may not take back.
const BOUND: usize = 1 << 30;
const HELD: usize = 128 << 20;

/// Blocks of fewer bytes are not offered to the system: telling it costs as much as it saves.
const OFFERED: usize = 32 << 20;

/// Blocks kept at most.
const BLOCKS: usize = 16;

/// Size of a huge page, and the blocks that are worth lying on them.
const HUGE: usize = 2 << 20;

/// A free block.
struct FreeBlock {
    base: NonNull<u8>,
    layout: Layout,
    /// Whether the system may take its memory back.
    offered: bool,
}

// SAFETY: a free block is plain memory that nobody refers to.
unsafe impl Send for FreeBlock {}

/// The free blocks, oldest first. A thread that finds it locked goes to the allocator instead, so that a process forked
/// meanwhile is not stuck.
static SPARE: Mutex<Vec<FreeBlock>> = Mutex::new(Vec::new());

/// A block as the allocator knows it, and whether it is fresh: no page of it has been touched.
pub(super) struct Taken {
    pub base: NonNull<u8>,
    pub layout: Layout,
    pub fresh: bool,
}

/// A block of at least `len` bytes, any content, aligned to cache lines; `None` if there is no memory. `len` is at least
/// [`LEAST`].
pub(super) fn take(len: usize) -> Option<Taken> {
    let fits = |b: &FreeBlock| b.layout.size() >= len && b.layout.size() - len <= b.layout.size() / 4;
    if let Ok(mut spare) = SPARE.try_lock()
        && let Some(k) = spare.iter().rposition(fits)
    {
        let FreeBlock { base, layout, .. } = spare.remove(k);
        return Some(Taken { base, layout, fresh: false });
    }
    let align = if len >= 2 * HUGE { HUGE } else { 64 };
    let layout = Layout::from_size_align(len, align).ok()?;
    // SAFETY: the size is not zero.
    let base = NonNull::new(unsafe { alloc(layout) })?;
    if align == HUGE {
        advise(base, len, Advice::Huge);
    }
    Some(Taken { base, layout, fresh: true })
}

/// Zero bytes of which the system hands out those alone that are touched, however many there are: for results that nothing is
/// moved into. `None` where there is no such thing.
#[cfg(all(target_os = "linux", not(miri)))]
pub(super) fn reserve(len: usize) -> Option<NonNull<u8>> {
    let (access, kind) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE);
    // SAFETY: a mapping of its own, anywhere.
    let base = unsafe { libc::mmap(std::ptr::null_mut(), len, access, kind, -1, 0) };
    if base == libc::MAP_FAILED { None } else { NonNull::new(base.cast()) }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
pub(super) fn reserve(_: usize) -> Option<NonNull<u8>> {
    None
}

/// Gives back what was reserved.
///
/// # Safety
/// `base` is what [`reserve`] gave for this length, and nobody uses it any more.
pub(super) unsafe fn release(base: NonNull<u8>, len: usize) {
    // SAFETY: the caller's promise.
    #[cfg(all(target_os = "linux", not(miri)))]
    unsafe {
        libc::munmap(base.as_ptr().cast(), len);
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = (base, len);
}

/// Keeps a block for later, or frees it.
///
/// # Safety
/// `base` was allocated with this layout, and nobody uses it any more.
pub(super) unsafe fn give(base: NonNull<u8>, layout: Layout) {
    let mut freed = vec![];
    let size = layout.size();
    let offered = (OFFERED..=BOUND).contains(&size) && advise(base, size, Advice::Free);
    let block = FreeBlock { base, layout, offered };
    match SPARE.try_lock() {
        Ok(mut spare) if offered || size <= HELD => {
            spare.push(block);
            while spare.len() > BLOCKS || kept(&spare, true) > BOUND || kept(&spare, false) > HELD {
                freed.push(spare.remove(0));
            }
        }
        _ => freed.push(block),
    }
    for FreeBlock { base, layout, .. } in freed {
        // SAFETY: allocated in `take` with this layout, and in nobody's hands.
        unsafe { dealloc(base.as_ptr(), layout) }
    }
}

/// Bytes of free blocks, of all or of those that are not offered.
fn kept(spare: &[FreeBlock], all: bool) -> usize {
    spare.iter().filter(|b| all || !b.offered).map(|b| b.layout.size()).sum()
}

/// What the system is told about a block on huge pages.
#[derive(Clone, Copy)]
enum Advice {
    /// It may lie on huge pages: fewer faults.
    Huge,
    /// Nobody needs what it holds, and its pages may be taken.
    Free,
}

/// Tells the system, of the whole huge pages; `false` if it has no use for that. Miri knows neither advice.
#[cfg(all(target_os = "linux", not(miri)))]
fn advise(base: NonNull<u8>, len: usize, advice: Advice) -> bool {
    let advice = match advice {
        Advice::Huge => libc::MADV_HUGEPAGE,
        Advice::Free => libc::MADV_FREE,
    };
    // SAFETY: the range is ours and starts at a page; what it holds is not wanted in either case.
    unsafe { libc::madvise(base.as_ptr().cast(), len - len % HUGE, advice) == 0 }
}

#[cfg(any(not(target_os = "linux"), miri))]
fn advise(_: NonNull<u8>, _: usize, _: Advice) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freed_block_serves_the_next_request_of_its_size() {
        for len in [77 * LEAST + 64, OFFERED + LEAST, HELD + LEAST] {
            let a = take(len).unwrap();
            assert_eq!(a.base.as_ptr() as usize % HUGE, 0);
            // SAFETY: just taken.
            unsafe { give(a.base, a.layout) };
            let b = take(len - len / 8).unwrap();
            let kept = SPARE.lock().unwrap().iter().any(|x| x.base == a.base);
            let keeps = len <= HELD || cfg!(all(target_os = "linux", not(miri)));
            assert!(!keeps || kept || b.base == a.base && !b.fresh, "{:?}", b.layout);
            // SAFETY: just taken.
            unsafe { give(b.base, b.layout) };
        }
    }

    #[test]
    fn no_more_is_kept_than_the_bounds() {
        for k in 0..4 * BLOCKS {
            let Taken { base, layout, .. } = take([HELD / 8, BOUND / 4][k % 2] + k * LEAST).unwrap();
            // SAFETY: just taken.
            unsafe { give(base, layout) };
            let spare = SPARE.lock().unwrap();
            assert!(spare.len() <= BLOCKS && kept(&spare, true) <= BOUND && kept(&spare, false) <= HELD);
        }
        let Taken { base, layout, .. } = take(BOUND + 1).unwrap();
        // SAFETY: just taken.
        unsafe { give(base, layout) };
        assert!(SPARE.lock().unwrap().iter().all(|b| b.base != base));
    }
}
