//! Stores past the caches, for what would not stay in them: a line that is written whole need not be read before.

/// Bytes of what one store takes, which begins at a multiple of them.
pub const UNIT: usize = 16;

/// Whether places at these addresses and distances may be streamed to here.
pub fn suits(addresses: usize) -> bool {
    cfg!(all(target_arch = "x86_64", not(miri))) && addresses.is_multiple_of(UNIT)
}

/// Copies bytes, a multiple of [`UNIT`].
///
/// # Safety
/// L1: readable from `from`, and writable from `to` on (E1), which begins at a multiple of [`UNIT`]; the sides do not meet.
#[inline(always)]
pub unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    for k in (0..bytes / UNIT * UNIT).step_by(UNIT) {
        use std::arch::x86_64::*;
        // SAFETY: SSE2 belongs to the target; 16 bytes of either side.
        unsafe { _mm_stream_si128(to.add(k).cast(), _mm_loadu_si128(from.add(k).cast())) }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    // SAFETY: the caller's promise.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, bytes)
    }
}

/// Makes streamed stores visible before whatever is stored next, and with that to whom the memory is handed.
#[inline]
pub fn settle() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE belongs to the target.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}
