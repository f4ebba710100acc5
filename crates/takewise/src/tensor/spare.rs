//! Large blocks of memory: aligned to huge pages, and kept for a while after they are freed.
//!
//! The first touch of a fresh page costs more than moving the bytes that go there, so a result as large as one freed a
//! moment ago is put into the same pages. At most [`BOUND`] bytes are kept, in at most [`BLOCKS`] blocks, for the whole
//! process; what does not fit displaces the oldest. A block serves a request of at least three quarters of its size.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;
use std::sync::Mutex;

/// Blocks of fewer bytes are the allocator's own business.
pub(super) const LEAST: usize = 256 << 10;

/// Blocks of at most so many bytes are cleared faster than the system hands out zero pages for as many.
pub(super) const CLEARED: usize = 16 << 20;

/// Bytes kept at most.
const BOUND: usize = 128 << 20;

/// Blocks kept at most.
const BLOCKS: usize = 16;

/// Size of a huge page, and the blocks that are worth lying on them.
const HUGE: usize = 2 << 20;

/// A free block.
struct Block {
    base: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a free block is plain memory that nobody refers to.
unsafe impl Send for Block {}

/// The free blocks, oldest first. A thread that finds it locked goes to the allocator instead, so that a process forked
/// meanwhile is not stuck.
static SPARE: Mutex<Vec<Block>> = Mutex::new(Vec::new());

/// A block of at least `len` bytes, any content, aligned to cache lines, and its layout; `None` if there is no memory.
/// `len` is at least [`LEAST`].
pub(super) fn take(len: usize) -> Option<(NonNull<u8>, Layout)> {
    let fits = |b: &Block| b.layout.size() >= len && b.layout.size() - len <= b.layout.size() / 4;
    if let Ok(mut spare) = SPARE.try_lock()
        && let Some(k) = spare.iter().rposition(fits)
    {
        let Block { base, layout } = spare.remove(k);
        return Some((base, layout));
    }
    let align = if len >= 2 * HUGE { HUGE } else { 64 };
    let layout = Layout::from_size_align(len, align).ok()?;
    // SAFETY: the size is not zero.
    let base = NonNull::new(unsafe { alloc(layout) })?;
    if align == HUGE {
        ask_for_huge_pages(base, len);
    }
    Some((base, layout))
}

/// Keeps a block for later, or frees it.
///
/// # Safety
/// `base` was allocated with this layout, and nobody uses it any more.
pub(super) unsafe fn give(base: NonNull<u8>, layout: Layout) {
    let mut freed = vec![];
    let block = Block { base, layout };
    match SPARE.try_lock() {
        Ok(mut spare) if layout.size() <= BOUND => {
            spare.push(block);
            let held = |spare: &[Block]| spare.iter().map(|b| b.layout.size()).sum::<usize>();
            while spare.len() > BLOCKS || held(&spare) > BOUND {
                freed.push(spare.remove(0));
            }
        }
        _ => freed.push(block),
    }
    for Block { base, layout } in freed {
        // SAFETY: allocated in `take` with this layout, and in nobody's hands.
        unsafe { dealloc(base.as_ptr(), layout) }
    }
}

/// Tells the system that a block may lie on huge pages: fewer faults. Refusal does not matter.
#[cfg(target_os = "linux")]
fn ask_for_huge_pages(base: NonNull<u8>, len: usize) {
    // SAFETY: the range is ours and starts at a page; this advice does not change what memory holds.
    let _ = unsafe { libc::madvise(base.as_ptr().cast(), len - len % HUGE, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages(_: NonNull<u8>, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freed_block_serves_the_next_request_of_its_size() {
        let len = 77 * LEAST + 64;
        let (a, layout) = take(len).unwrap();
        assert_eq!(a.as_ptr() as usize % HUGE, 0);
        // SAFETY: just taken.
        unsafe { give(a, layout) };
        let (b, again) = take(len - len / 8).unwrap();
        let kept = SPARE.lock().unwrap().iter().any(|x| x.base == a);
        assert!(b == a || kept, "{again:?}");
        // SAFETY: just taken.
        unsafe { give(b, again) };
    }

    #[test]
    fn no_more_is_kept_than_the_bound() {
        for k in 0..2 * BLOCKS {
            let (base, layout) = take(BOUND / 4 + k * LEAST).unwrap();
            // SAFETY: just taken.
            unsafe { give(base, layout) };
            let spare = SPARE.lock().unwrap();
            assert!(spare.len() <= BLOCKS && spare.iter().map(|b| b.layout.size()).sum::<usize>() <= BOUND);
        }
        let (base, layout) = take(BOUND + 1).unwrap();
        // SAFETY: just taken.
        unsafe { give(base, layout) };
        assert!(SPARE.lock().unwrap().iter().all(|b| b.base != base));
    }
}
