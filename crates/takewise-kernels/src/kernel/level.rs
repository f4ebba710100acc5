//! What the processor's levels do differently: with a word of 64 mask bytes, finding it, packing the elements it selects, and
//! spreading elements over the places it selects; and with half floats, of which some know the numbers. Everything else is
//! one body for all levels.

use super::halves::{narrow_each, widen_each};
use half::f16;
use std::hint::select_unpredictable;
use std::mem::MaybeUninit;

/// Places a word of a mask stands for.
pub const WORD: usize = 64;

/// Selected places of a word up to which so many are served whether they are there or not: asking a sparse mask how many
/// there are misleads the processor at every other word.
pub const SPARSE: usize = 4;

/// An element as bytes of no particular type or alignment.
pub type Bytes<const S: usize> = [MaybeUninit<u8>; S];

/// A level of [`Cpu`](super::cpu::Cpu), as a type: [`per_level!`](super::cpu::per_level) names it to a body.
///
/// # Safety
/// Of all functions: the processor runs the level (K1); what a function says it reads and writes lies in its operands (L1)
/// and is the caller's to write (E1).
#[allow(clippy::missing_safety_doc)] // said above, of all
pub trait Level {
    /// Bytes of the largest elements of which a full word is packed as fast as it is copied: asking whether it is full only
    /// misleads the processor.
    const EVENLY: usize = 0;

    /// Bytes of the largest elements that are filled by masked stores whatever the word, which costs less than asking how
    /// many places it selects.
    const MASKED: usize = 0;

    /// Bit k says whether byte k of the 64 from `mask` on is not zero.
    unsafe fn word(mask: *const u8) -> u64;

    /// Packs the elements of 64 from `from` on whose bits are set. Reads all 64, and may write 64 at `to`.
    #[inline(always)]
    unsafe fn pack<const S: usize>(word: u64, from: *const u8, to: *mut u8) {
        // SAFETY: as the trait says.
        unsafe { pack_each::<S>(word, from, to) }
    }

    /// Spreads elements from `from` on over the places of 64 from `to` on whose bits are set. May read 64 elements and
    /// may store the other places as they are.
    #[inline(always)]
    unsafe fn spread<const S: usize>(word: u64, from: *const u8, to: *mut u8) {
        // SAFETY: as the trait says.
        unsafe { spread_each::<S>(word, from, to) }
    }

    /// Writes `base + k * step` for every set bit k. May write 64 numbers.
    #[inline(always)]
    unsafe fn places(word: u64, base: i64, step: i64, to: *mut i64) {
        // SAFETY: as the trait says.
        unsafe { places_each(word, base, step, to) }
    }

    /// The f32 of `count` IEEE halves side by side, and the halves next to as many f32.
    #[inline(always)]
    unsafe fn widen_halves(from: *const u16, to: *mut f32, count: usize) {
        // SAFETY: as the trait says.
        unsafe { widen_each::<f16>(from, to, count) }
    }
    #[inline(always)]
    unsafe fn narrow_halves(from: *const f32, to: *mut u16, count: usize) {
        // SAFETY: as the trait says.
        unsafe { narrow_each::<f16>(from, to, count) }
    }

    /// Stores an element where bits are set; `mask` holds the 64 bytes the word was made of, `pattern` 64 bytes of the
    /// element again and again. May store the other places as they are.
    #[inline(always)]
    unsafe fn fill<const S: usize>(word: u64, mask: *const u8, pattern: *const u8, to: *mut u8) {
        // SAFETY: as the trait says.
        unsafe {
            if !fill_runs::<S>(word, pattern, to) {
                fill_each::<S>(mask, pattern, to);
            }
        }
    }
}

/// Calls `f(n, k)` for the n-th set bit k.
#[inline(always)]
pub fn each_bit(mut word: u64, mut f: impl FnMut(usize, usize)) {
    let mut n = 0;
    while word != 0 {
        f(n, word.trailing_zeros() as usize);
        word &= word - 1;
        n += 1;
    }
}

/// Calls `f(n, first, length)` for every run of set bits, n being the set bits before it.
#[inline(always)]
pub fn each_run(mut word: u64, mut f: impl FnMut(usize, usize, usize)) {
    let (mut n, mut at) = (0, 0);
    while word != 0 {
        let gap = word.trailing_zeros();
        word >>= gap;
        let run = word.trailing_ones();
        at += gap as usize;
        f(n, at, run as usize);
        word = word.checked_shr(run).unwrap_or(0);
        at += run as usize;
        n += run as usize;
    }
}

/// Calls `f(n, k, there)` [`SPARSE`] times, for the n-th set bit k where it is there: a word has no more.
#[inline(always)]
pub fn each_sparse(mut word: u64, mut f: impl FnMut(usize, usize, bool)) {
    for n in 0..SPARSE {
        f(n, word.trailing_zeros() as usize, word != 0);
        word &= word.wrapping_sub(1);
    }
}

/// # Safety
/// L1, E1: element `s` of `from` and `d` of `to`.
#[inline(always)]
pub unsafe fn copy<const S: usize>(from: *const u8, s: usize, to: *mut u8, d: usize) {
    // SAFETY: the caller's promise.
    unsafe { to.add(d * S).cast::<Bytes<S>>().write_unaligned(from.add(s * S).cast::<Bytes<S>>().read_unaligned()) }
}

/// Calls `f(first, n, bits)` for every eight bits, n being the set bits before them.
#[inline(always)]
fn each_eight(word: u64, mut f: impl FnMut(usize, usize, u8)) {
    let mut n = 0;
    for (g, bits) in word.to_le_bytes().into_iter().enumerate() {
        f(8 * g, n, bits);
        n += bits.count_ones() as usize;
    }
}

/// The bits of eight, or of four, places of a word: group k.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn group(word: u64, lanes: usize, k: usize) -> usize {
    (word >> (lanes * k)) as usize & ((1 << lanes) - 1)
}

/// Set bits from which nearly all eights of a word are full, so that asking for each misleads the processor seldom.
const FULL: u32 = 56;

/// Set bits from which moving every element costs less than finding the bits.
const DENSE: u32 = 24;

#[inline(always)]
unsafe fn pack_each<const S: usize>(word: u64, from: *const u8, to: *mut u8) {
    // SAFETY: `Level::pack`: no more than 64 places of either side.
    unsafe {
        if word.count_ones() < DENSE {
            return each_bit(word, |n, k| copy::<S>(from, k, to, n));
        }
        if S >= 16 && (word & !(word << 1)).count_ones() <= 1 {
            return each_run(word, |n, k, run| (0..run).for_each(|j| copy::<S>(from, k + j, to, n + j)));
        }
        let mut n = 0;
        for k in 0..WORD {
            copy::<S>(from, k, to, n);
            n += (word >> k & 1) as usize;
        }
    }
}

#[inline(always)]
unsafe fn spread_each<const S: usize>(word: u64, from: *const u8, to: *mut u8) {
    // SAFETY: `Level::spread`: no more than 64 places of either side.
    unsafe {
        if word.count_ones() < FULL {
            return each_bit(word, |n, k| copy::<S>(from, n, to, k));
        }
        each_eight(word, |k, n, bits| match bits {
            u8::MAX => (0..8).for_each(|e| copy::<S>(from, n + e, to, k + e)),
            _ => each_bit(bits.into(), |e, j| copy::<S>(from, n + e, to, k + j)),
        });
    }
}

/// Runs of selected places up to which each run is filled as a whole.
const RUNS: u32 = 6;

/// [`Level::fill`] of a word whose places lie in few runs, or are nearly all of them; `false` if it is another.
#[inline(always)]
unsafe fn fill_runs<const S: usize>(word: u64, pattern: *const u8, to: *mut u8) -> bool {
    // SAFETY: `Level::fill`: one element of the pattern, and no more than 64 places.
    unsafe {
        let value = pattern.cast::<Bytes<S>>().read_unaligned();
        let store = |k: usize| to.add(k * S).cast::<Bytes<S>>().write_unaligned(value);
        if S >= 8 && word.count_ones() >= FULL {
            each_eight(word, |k, _, bits| match bits {
                u8::MAX => (k..k + 8).for_each(store),
                _ => each_bit(bits.into(), |_, j| store(k + j)),
            });
            return true;
        }
        if (word & !(word << 1)).count_ones() > RUNS {
            return false;
        }
        each_run(word, |_, k, run| {
            (k..k + run).for_each(store);
        });
    }
    true
}

/// [`Level::fill`] of elements too long for vectors of the level.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
unsafe fn fill_long<const S: usize>(word: u64, pattern: *const u8, to: *mut u8) {
    // SAFETY: `Level::fill`: one element of the pattern, and no more than 64 places.
    unsafe {
        if !fill_runs::<S>(word, pattern, to) {
            each_bit(word, |_, k| copy::<S>(pattern, 0, to, k));
        }
    }
}

#[inline(always)]
unsafe fn fill_each<const S: usize>(mask: *const u8, pattern: *const u8, to: *mut u8) {
    for k in 0..WORD {
        // SAFETY: `Level::fill`: 64 bytes of a mask, one element of the pattern, and 64 places.
        unsafe {
            let place = to.add(k * S);
            let from = select_unpredictable(*mask.add(k) != 0, pattern, place.cast_const());
            place.cast::<Bytes<S>>().write_unaligned(from.cast::<Bytes<S>>().read_unaligned());
        }
    }
}

#[inline(always)]
unsafe fn places_each(word: u64, base: i64, step: i64, to: *mut i64) {
    // SAFETY: `Level::places`: no more than 64 numbers.
    unsafe {
        let store = |n: usize, k: usize| to.add(n).write_unaligned(base + k as i64 * step);
        match word.count_ones() {
            u64::BITS => (0..WORD).for_each(|k| store(k, k)),
            ..DENSE => each_bit(word, store),
            _ => {
                let mut n = 0;
                for k in 0..WORD {
                    store(n, k);
                    n += (word >> k & 1) as usize;
                }
            }
        }
    }
}

/// What every processor of the target has.
pub struct Baseline;

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl Level for Baseline {
    #[inline(always)]
    unsafe fn word(mask: *const u8) -> u64 {
        // SAFETY: 64 bytes by the caller.
        word_of_eights(unsafe { mask.cast::<[u8; WORD]>().read() })
    }
}

/// [`Level::word`] in plain arithmetic, eight bytes at a time.
#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[inline(always)]
fn word_of_eights(mask: [u8; WORD]) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let (eights, _) = mask.as_chunks::<8>();
    eights.iter().rev().fold(0, |word, eight| {
        let eight = u64::from_le_bytes(*eight);
        // The top bit of each byte that is not zero, then those eight bits side by side.
        let tops = (((eight & LOW) + LOW) | eight) & !LOW;
        word << 8 | (tops >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
    })
}

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};

#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod tables;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_a_bit_for_every_byte_that_is_not_zero() {
        let mut seed = 9u64;
        for round in 0..if cfg!(miri) { 100 } else { 2000 } {
            let mut mask = [0u8; WORD];
            for byte in &mut mask {
                seed = seed.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
                *byte = if seed >> 60 < round % 17 { (seed >> 33) as u8 | 1 << (seed >> 41 & 7) } else { 0 };
            }
            let want = mask.iter().rev().fold(0, |word, b| word << 1 | u64::from(*b != 0));
            assert_eq!(word_of_eights(mask), want, "{mask:?}");
            // SAFETY: a mask of 64 bytes, at the level of every processor.
            assert_eq!(unsafe { Baseline::word(mask.as_ptr()) }, want, "{mask:?}");
        }
    }
}
