//! Elements gathered by index values in one pass: a value is loaded, checked and used while it is in a register.
//!
//! This is what blocks of offsets become where nothing reuses them: one axis or two, evenly spaced positions of the index arrays,
//! side by side in the result. A check and its move are as close together as they can be, so what is written before a bad value is met
//! must be the caller's to throw away.
//!
//! * **R2** a value is loaded once, into a register, and the optimiser is told nothing about where it came from ([`settled`]):
//!   what was checked is what is used, also when the memory changes meanwhile.

pub use plain::brings;

use super::cpu::{per_level, prefetch_all, prefetch_on};
use crate::dtype::DType;
use crate::rules::Outside;

pub(super) mod each;
mod plain;
mod rule;
#[cfg(target_arch = "x86_64")]
mod x86;
pub(super) use each::{each_place, settled};
#[cfg(target_arch = "x86_64")]
pub(super) use x86::Sixteen;

/// The values along one axis: `len` positions, `step` bytes apart, named by the numbers from `first` on, `each` bytes apart.
#[derive(Clone, Copy)]
pub struct Values {
    pub first: *const u8,
    pub len: usize,
    pub step: isize,
    pub each: isize,
}

impl Values {
    /// No axis.
    pub const NONE: Values = Values { first: std::ptr::null(), len: 0, step: 0, each: 0 };

    /// Asks for the numbers some way after the first `count`.
    #[inline(always)]
    fn ask(self, count: usize) {
        prefetch_on(self.first, self.each, count);
    }
}

/// Stretches of one form: how many, and the bytes from one to the next.
#[derive(Clone, Copy)]
pub struct Rows {
    pub count: usize,
    pub from: isize,
    pub to: isize,
    /// Of the values along each axis.
    pub values: [isize; 2],
    /// Whether values of later rows are asked for: rows that are short and lie apart.
    pub asks: bool,
}

/// Rows of values from the one in use to the one asked for.
pub const ROWS_AHEAD: isize = 4;

impl Rows {
    /// No more than one.
    pub const ONE: Rows = Rows { count: 1, from: 0, to: 0, values: [0; 2], asks: false };

    /// Asks for a later row of `count` of the first axis' values, of which the one in use is given.
    #[inline(always)]
    fn ask(self, values: &Values, count: usize) {
        if self.asks && values.each > 0 {
            let first = values.first.wrapping_offset(self.values[0].wrapping_mul(ROWS_AHEAD));
            prefetch_all(first, count * values.each as usize);
        }
    }
}

/// Positions side by side, and what they gather.
#[derive(Clone, Copy)]
pub struct Stretch<'v> {
    /// One axis or two, whose values are of one dtype.
    pub axes: &'v [Values],
    pub dtype: DType,
    /// Whether negative values count from the end.
    pub from_end: bool,
    /// What becomes of values outside: they raise; or, of values of 32 and 64 bits along one axis, what the rule says.
    pub outside: Outside,
    /// What gaps are filled with, where the rule leaves some.
    pub fill: *const u8,
    pub from: *const u8,
    /// Bytes `from` moves on with each position.
    pub along: isize,
    pub to: *mut u8,
    pub count: usize,
    /// Positions to ask for memory ahead of its use, where they are taken one by one; 0 if the cache has it.
    pub ahead: usize,
    /// Whether all bytes between the first and the last element in reach belong to the operand.
    pub dense: bool,
    /// Whether memory of the index arrays is asked for ahead: they come from beyond the caches.
    pub asks: bool,
    /// Whether gather instructions may do the work, where the level has them.
    pub wide: bool,
    /// Whether the result is streamed past the caches: elements of 1, 2, 4 or 8 bytes, as far as vectors go and fill lines, or
    /// longer ones that begin at multiples of `stream::UNIT`.
    pub streamed: bool,
    pub next: Next,
    pub rows: Rows,
}

/// Memory that the next stretch will want, asked for a share at a time.
#[derive(Clone, Copy)]
pub struct Next {
    at: *const u8,
    bytes: usize,
    /// Bytes for every 16 positions.
    share: usize,
}

impl Next {
    /// Nothing.
    pub const NONE: Next = Next { at: std::ptr::null(), bytes: 0, share: 0 };

    /// These bytes, spread over so many positions.
    pub fn new(at: *const u8, bytes: usize, positions: usize) -> Next {
        Next { at, bytes, share: (bytes / 64 * 16 / positions.max(1) + 1) * 64 }
    }

    /// The same for a row so many bytes further on.
    #[inline(always)]
    fn on(self, by: isize) -> Next {
        Next { at: self.at.wrapping_offset(by), ..self }
    }

    /// Asks for the share of the 16 positions from `k` on.
    #[inline(always)]
    fn ask(self, k: usize) {
        let first = k / 16 * self.share;
        if first < self.bytes {
            prefetch_all(self.at.wrapping_add(first), self.share);
        }
    }
}

per_level! {
    /// [`gather`], by values of 32 or 64 bits with a sign.
    ///
    /// # Safety
    /// As there.
    unsafe fn by_level(size: usize, stretch: &Stretch) -> bool { baseline: gather_plainly, avx2: gather_plainly, avx512: gather_widely }
}

/// Copies the `size` bytes that each position's values name to `to`, side by side. `false` if a value lies outside its
/// axis; what was written before it stands.
///
/// # Safety
/// L1 for the values; R1: with values inside their axes, every position names `size` bytes of the indexed side, and as many
/// fill gaps, if the rule leaves some;
/// `to` has room for all positions (E1) and does not meet the other sides.
pub unsafe fn gather(size: usize, stretch: &Stretch) -> bool {
    // SAFETY: passed on.
    unsafe {
        match stretch.dtype {
            DType::I32 | DType::I64 => by_level(size, stretch),
            _ => widened(size, stretch),
        }
    }
}

/// Positions whose values are widened at a time.
const BLOCK: usize = 128;

/// [`gather`] by values of another dtype, a block of them widened at a time: loops of their own for each dtype would be hundreds of
/// functions.
///
/// # Safety
/// As [`gather`]. R2: values are loaded once, into memory of our own.
#[inline(never)]
unsafe fn widened(size: usize, stretch: &Stretch) -> bool {
    let Stretch { axes, dtype, from_end, mut from, along, mut to, count, rows, .. } = *stretch;
    let signed = matches!(dtype, DType::I8 | DType::I16);
    let mut block = [[0i64; BLOCK]; 2];
    let mut first = [axes.first(), axes.get(1)].map(|axis| axis.map_or(std::ptr::null(), |axis| axis.first));
    for _ in 0..rows.count {
        for k in (0..count).step_by(BLOCK) {
            let n = BLOCK.min(count - k);
            let mut wide = [Values::NONE; 2];
            for ((axis, wide), (first, block)) in axes.iter().zip(&mut wide).zip(first.iter().zip(&mut block)) {
                // SAFETY: L1: `n` values from the k-th on.
                unsafe { widen(dtype, first.wrapping_offset(k as isize * axis.each), axis.each, &mut block[..n]) };
                *wide = Values { first: block.as_ptr().cast(), each: size_of::<i64>() as isize, ..*axis };
            }
            let piece = Stretch {
                axes: &wide[..axes.len()],
                dtype: DType::I64,
                from_end: from_end && signed,
                from: from.wrapping_offset(k as isize * along),
                to: to.wrapping_add(k * size),
                count: n,
                asks: false,
                next: Next::NONE,
                rows: Rows::ONE,
                ..*stretch
            };
            // SAFETY: passed on, for the positions from the k-th on.
            if !unsafe { by_level(size, &piece) } {
                return false;
            }
        }
        (from, to) = (from.wrapping_offset(rows.from), to.wrapping_offset(rows.to));
        for (first, by) in first.iter_mut().zip(rows.values) {
            *first = first.wrapping_offset(by);
        }
    }
    true
}

/// # Safety
/// L1 for as many values as there is room for, `each` bytes apart.
unsafe fn widen(dtype: DType, first: *const u8, each: isize, block: &mut [i64]) {
    by_dtype!(dtype, T => {
        for (k, wide) in block.iter_mut().enumerate() {
            // SAFETY: by the caller.
            *wide = unsafe { first.offset(k as isize * each).cast::<T>().read_unaligned() }.bits();
        }
    }, ())
}

/// Binds a type to an index dtype.
macro_rules! by_dtype {
    ($dtype:expr, $t:ident => $do:expr, $other:expr) => {
        by_dtype!(@ $dtype, $t, $do, $other, Bool u8, U8 u8, U16 u16, U32 u32, U64 u64, I8 i8, I16 i16, I32 i32, I64 i64)
    };
    (@ $dtype:expr, $t:ident, $do:expr, $other:expr, $($d:ident $ty:ty),*) => {
        match $dtype {
            $(DType::$d => {
                type $t = $ty;
                $do
            })*
            _ => $other,
        }
    };
}
pub(super) use by_dtype;

/// An index dtype.
pub(super) trait Whole: Copy {
    /// Whether negative values are.
    const SIGNED: bool;

    /// Its value as bits; what looks negative is outside every axis, unless it is `SIGNED` and counts from the end.
    fn bits(self) -> i64;
}

macro_rules! whole {
    ($($signed:literal: $($t:ty),*;)*) => {
        $($(impl Whole for $t {
            const SIGNED: bool = $signed;
            #[inline(always)]
            fn bits(self) -> i64 { self as i64 }
        })*)*
    };
}
whole! {
    true: i8, i16, i32, i64;
    false: u8, u16, u32, u64;
}

/// # Safety
/// L1: the k-th value.
#[inline(always)]
pub(super) unsafe fn value<T: Whole>(first: *const u8, k: usize) -> i64 {
    // SAFETY: the caller's promise.
    unsafe { first.cast::<T>().add(k).read_unaligned().bits() }
}

#[inline(always)]
unsafe fn gather_plainly(size: usize, stretch: &Stretch) -> bool {
    // SAFETY: passed on.
    unsafe { plain::gather(size, stretch, 0) }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn gather_widely(size: usize, stretch: &Stretch) -> bool {
    // SAFETY: K1; passed on. The first positions are done, the rest are left.
    unsafe {
        if stretch.outside != Outside::Raise || !stretch.wide {
            return plain::gather(size, stretch, 0);
        }
        match x86::gather_sixteens(size, stretch) {
            Some(done) if done < stretch.count => plain::gather(size, stretch, done),
            done => done.is_some(),
        }
    }
}

/// A row of places: known offsets from `from`, all between `low` and `high`.
#[derive(Clone, Copy)]
pub struct PlaceRow<'o> {
    pub offsets: &'o [i32],
    pub low: i32,
    pub high: i32,
    /// Whether all bytes between the lowest and the highest element belong to the operand.
    pub dense: bool,
}

per_level! {
    /// Copies the `size` bytes at each of the places to `to`, side by side.
    ///
    /// # Safety
    /// R1 for every place seen from `from`; `to` has room for all (E1) and does not meet the other side.
    pub unsafe fn fetch(size: usize, from: *const u8, places: PlaceRow, to: *mut u8, next: Next) { baseline: fetch_plainly, avx2: fetch_plainly, avx512: fetch_widely }
}

#[inline(always)]
unsafe fn fetch_plainly(size: usize, from: *const u8, places: PlaceRow, to: *mut u8, next: Next) {
    // SAFETY: passed on.
    unsafe { plain::fetch(size, from, places.offsets, to, next, 0) }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn fetch_widely(size: usize, from: *const u8, places: PlaceRow, to: *mut u8, next: Next) {
    // SAFETY: K1; passed on. The first places are done, the rest are left.
    unsafe {
        let done = x86::fetch_sixteens(size, from, &places, to, next);
        plain::fetch(size, from, places.offsets, to, next, done);
    }
}

#[cfg(test)]
mod tests;
