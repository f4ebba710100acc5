//! Rows of a mask, a word at a time: 64 of its bytes become the bits of one number.
//!
//! * **M1** every mask byte is loaded once, and the word made of it is all that decides where memory is touched: a mask that
//!   changes meanwhile gives another result, never another place.

use super::cpu::prefetch;
use super::level::{Level, WORD};
use super::reduce::Number;
use std::hint::select_unpredictable;
use std::ops::ControlFlow;

/// A row of mask bytes, `step` bytes apart.
#[derive(Clone, Copy)]
pub struct MaskRow {
    pub mask: *const u8,
    pub step: isize,
    pub len: usize,
}

/// Something that says yes or no to each of a row of places.
pub trait Flags: Copy {
    /// Fills `bytes` with what stands at places `k..k + n`, zero for no.
    ///
    /// # Safety
    /// L1: the row has those places.
    unsafe fn load(self, k: usize, n: usize, bytes: &mut [u8; WORD]);

    /// Where the bytes of places from `k` on lie in memory one after the other.
    #[inline(always)]
    fn contiguous(self, _k: usize) -> Option<*const u8> {
        None
    }
}

impl Flags for MaskRow {
    #[inline(always)]
    unsafe fn load(self, k: usize, n: usize, bytes: &mut [u8; WORD]) {
        // SAFETY: L1 by the caller.
        unsafe {
            let first = self.mask.offset(k as isize * self.step);
            match self.step {
                1 => std::ptr::copy_nonoverlapping(first, bytes.as_mut_ptr(), n),
                0 => bytes[..n].fill(*first),
                step => bytes[..n].iter_mut().enumerate().for_each(|(j, b)| *b = *first.offset(j as isize * step)),
            }
        }
    }

    #[inline(always)]
    fn contiguous(self, k: usize) -> Option<*const u8> {
        (self.step == 1).then(|| self.mask.wrapping_add(k))
    }
}

/// A row of numbers, `step` bytes apart: those that are not zero.
#[derive(Clone, Copy)]
pub struct NonZeros<T> {
    pub first: *const T,
    pub step: isize,
}

impl<T: Number> Flags for NonZeros<T> {
    #[inline(always)]
    unsafe fn load(self, k: usize, n: usize, bytes: &mut [u8; WORD]) {
        // SAFETY: L1 by the caller; unaligned is fine.
        unsafe {
            if self.step == size_of::<T>() as isize && n == WORD {
                let first = self.first.wrapping_add(k);
                for (j, b) in bytes.iter_mut().enumerate() {
                    *b = u8::from(first.add(j).read_unaligned() != T::ZERO);
                }
                return;
            }
            for (j, b) in bytes[..n].iter_mut().enumerate() {
                let v = self.first.byte_offset((k + j) as isize * self.step).read_unaligned();
                *b = u8::from(v != T::ZERO);
            }
        }
    }
}

/// What is done with the words of a row. A trait and not a closure, because its instructions must be inlined into the body
/// of the level they belong to.
pub trait Serve {
    /// Words from a word to the one whose memory is asked for meanwhile.
    const AHEAD: usize = 32;

    /// Serves places `k..k + 64`, whose word was made of the bytes at `bytes`; breaks off when nothing is left to do. Of a
    /// word that is not `whole` there is no more than the places up to its last set bit.
    ///
    /// # Safety
    /// K1, and what the implementor's maker promised.
    unsafe fn word(&mut self, k: usize, word: u64, bytes: *const u8, whole: bool) -> ControlFlow<()>;

    /// Whether to ask ahead, with k places behind.
    #[inline(always)]
    fn asks(&self, _k: usize) -> bool {
        false
    }

    /// Asks for the memory that places `k..k + 64` will want, if `word` still says then what it says now.
    #[inline(always)]
    fn ask(&self, _k: usize, _word: u64) {}
}

/// Bytes of a row of elements from which memory is asked for.
pub(super) const FAR: usize = 256 << 10;

/// Asks for the first elements that a word selects of those from `at` on, where it selects few: else the processor follows
/// by itself. `near` is memory at hand, asked for in place of what is not there.
#[inline(always)]
pub(super) fn ask<const S: usize>(at: *const u8, word: u64, near: *const u8) {
    let rest = word & word.wrapping_sub(1);
    for word in [word, rest] {
        let place = at.wrapping_add(word.trailing_zeros() as usize * S);
        prefetch(select_unpredictable(word != 0, place, near));
    }
}

/// Whether a word selects three places in a row and leaves three in a row out: the processor gives up following long elements
/// wherever a run ends.
#[inline(always)]
pub(super) fn in_runs(word: u64) -> bool {
    word & word >> 1 & word >> 2 != 0 && !word & !word << 1 & !word << 2 != 0
}

/// What needs no level's instructions.
pub(super) struct Plainly<F>(pub F);

impl<F: FnMut(usize, u64) -> ControlFlow<()>> Serve for Plainly<F> {
    #[inline(always)]
    unsafe fn word(&mut self, k: usize, word: u64, _: *const u8, _: bool) -> ControlFlow<()> {
        self.0(k, word)
    }
}

/// The same word, which the optimiser cannot load again (M1).
#[inline(always)]
fn settled(word: u64) -> u64 {
    super::gather::settled(word as i64) as u64
}

/// Serves the words of a row of `len` places. The last word of a row begins before places already seen, whose bits are
/// clear. A row of fewer than 64 is one word that is not whole.
///
/// # Safety
/// K1, L1 for the row, and the promises of `serve`.
#[inline(always)]
pub unsafe fn each_word<L: Level, C: Flags, V: Serve>(flags: C, len: usize, serve: &mut V) {
    let mut bytes = [0u8; WORD];
    if len < WORD {
        // SAFETY: passed on; M1.
        unsafe {
            flags.load(0, len, &mut bytes);
            let word = settled(L::word(bytes.as_ptr()));
            let _ = serve.word(0, word, bytes.as_ptr(), false);
        }
        return;
    }
    let mut seen = 0;
    while seen < len {
        let k = seen.min(len - WORD);
        // SAFETY: passed on: places k..k + 64 are of the row; M1.
        let go_on = unsafe {
            let bytes = match flags.contiguous(k) {
                Some(bytes) => bytes,
                None => {
                    flags.load(k, WORD, &mut bytes);
                    bytes.as_ptr()
                }
            };
            let asks = serve.asks(k) && len - k >= (V::AHEAD + 1) * WORD;
            if let (true, Some(ahead)) = (asks, flags.contiguous(k + V::AHEAD * WORD)) {
                serve.ask(k + V::AHEAD * WORD, L::word(ahead));
            }
            let word = settled(L::word(bytes)) & (u64::MAX << (seen - k));
            serve.word(k, word, bytes, true)
        };
        if go_on.is_break() {
            return;
        }
        seen = k + WORD;
    }
}
