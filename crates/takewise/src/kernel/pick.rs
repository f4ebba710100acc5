//! Elements picked by index values in one pass: a value is loaded, checked and used while it is in a register.
//!
//! This is what blocks of offsets become where nothing reuses them: one axis or two, positions side by side in the index
//! arrays and in the result, and a rule that raises. A check and its move are as close together as they can be, so what is
//! written before a bad value is met must be the caller's to throw away.
//!
//! * **R2** a value is loaded once, into a register, and the optimiser is told nothing about where it came from ([`settled`]):
//!   what was checked is what is used, also when the memory changes meanwhile.

use super::cpu::{per_level, prefetch, prefetch_all, prefetch_on};
use super::level::Bytes;
use super::stream;
use crate::dtype::DType;

#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
pub(super) use x86::Sixteen;

/// The values along one axis: `len` positions, `step` bytes apart, named by the contiguous numbers from `first` on.
#[derive(Clone, Copy)]
pub(crate) struct Values {
    pub first: *const u8,
    pub len: usize,
    pub step: isize,
}

/// What becomes of a value outside its axis.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// It is bad.
    Checked,
    /// It names the nearest place.
    Clipped,
    /// It is taken modulo the length; negative values then count from the end in any case.
    Wrapped,
}

impl Values {
    /// No axis.
    pub(crate) const NONE: Values = Values { first: std::ptr::null(), len: 0, step: 0 };

    /// Asks for the numbers some way after the 16 from the k-th on.
    #[inline(always)]
    pub(super) fn ask<T>(self, k: usize) {
        prefetch_on(self.first.wrapping_add(k * size_of::<T>()), size_of::<T>() as isize, 16);
    }
}

/// Stretches of one form: how many, and the bytes from one to the next.
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    pub count: usize,
    pub from: isize,
    pub to: isize,
    /// Of the values along each axis.
    pub values: [isize; 2],
    /// Whether values of later rows are asked for: rows that are short and lie apart.
    pub asks: bool,
}

/// Rows of values from the one in use to the one asked for.
const ROWS_AHEAD: isize = 4;

impl Rows {
    /// No more than one.
    pub(crate) const ONE: Rows = Rows { count: 1, from: 0, to: 0, values: [0; 2], asks: false };

    /// Asks for a later row of `bytes` of the first axis' values, of which `first` begins the one in use.
    #[inline(always)]
    fn ask(self, first: *const u8, bytes: usize) {
        if self.asks {
            prefetch_all(first.wrapping_offset(self.values[0].wrapping_mul(ROWS_AHEAD)), bytes);
        }
    }
}

/// Positions side by side, and what they pick.
#[derive(Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only vector gathers ask for all of it"))]
pub(crate) struct Stretch<'v> {
    /// One axis or two, whose values are of one dtype.
    pub axes: &'v [Values],
    pub dtype: DType,
    /// Whether negative values count from the end.
    pub from_end: bool,
    /// What becomes of values outside; [`pick`] checks.
    pub rule: Rule,
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
    /// Whether the result is streamed past the caches: elements of 1, 2, 4 or 8 bytes, as far as vectors go and fill lines, or
    /// longer ones that begin at multiples of [`stream::UNIT`].
    pub streamed: bool,
    pub next: Next,
    pub rows: Rows,
}

/// Memory that the next stretch will want, asked for a share at a time.
#[derive(Clone, Copy)]
pub(crate) struct Next {
    at: *const u8,
    bytes: usize,
    /// Bytes for every 16 positions.
    share: usize,
}

impl Next {
    /// Nothing.
    pub(crate) const NONE: Next = Next { at: std::ptr::null(), bytes: 0, share: 0 };

    /// These bytes, spread over so many positions.
    pub(crate) fn new(at: *const u8, bytes: usize, positions: usize) -> Next {
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
    /// Copies the `size` bytes that each position's values name to `to`, side by side. `false` if a value lies outside its
    /// axis; what was written before it stands.
    ///
    /// # Safety
    /// L1 for the values; R1: with values inside their axes, every position names `size` bytes of the indexed side;
    /// `to` has room for all positions (E1) and does not meet the other sides.
    pub(crate) unsafe fn pick(size: usize, stretch: &Stretch) -> bool { baseline: pick_plainly, avx2: pick_plainly, avx512: pick_widely }
}

per_level! {
    /// [`pick`] under any rule, as far as vectors go: returns of how many positions, from the first on. None is bad.
    ///
    /// # Safety
    /// As [`pick`].
    pub(crate) unsafe fn pick_some(size: usize, stretch: &Stretch) -> usize { baseline: some_plainly, avx2: some_plainly, avx512: some_widely }
}

#[inline(always)]
unsafe fn some_plainly(_: usize, _: &Stretch) -> usize {
    0
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn some_widely(size: usize, stretch: &Stretch) -> usize {
    // SAFETY: K1; passed on.
    unsafe { x86::pick_sixteens(size, stretch) }.unwrap_or(0)
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
    /// Its value; one beyond i64 is outside every axis.
    fn whole(self) -> i64;
}

macro_rules! whole {
    ($($t:ty),*) => {
        $(impl Whole for $t {
            #[inline(always)]
            fn whole(self) -> i64 { i64::from(self) }
        })*
    };
}
whole!(u8, u16, u32, i8, i16, i32, i64);

impl Whole for u64 {
    #[inline(always)]
    fn whole(self) -> i64 {
        self.min(i64::MAX as u64) as i64
    }
}

/// The same value, about which the optimiser knows nothing any more: it cannot go back and load it again (R2).
#[inline(always)]
pub(super) fn settled(v: i64) -> i64 {
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    {
        let mut v = v;
        // SAFETY: no instruction at all.
        unsafe { std::arch::asm!("/* {0} */", inout(reg) v, options(pure, nomem, nostack, preserves_flags)) };
        v
    }
    #[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
    std::hint::black_box(v)
}

/// # Safety
/// L1: the k-th value.
#[inline(always)]
pub(super) unsafe fn value<T: Whole>(first: *const u8, k: usize) -> i64 {
    // SAFETY: the caller's promise.
    unsafe { first.cast::<T>().add(k).read_unaligned().whole() }
}

#[inline(always)]
unsafe fn pick_plainly(size: usize, stretch: &Stretch) -> bool {
    // SAFETY: passed on.
    by_dtype!(stretch.dtype, T => unsafe { pick_from::<T>(size, stretch, 0) }, false)
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn pick_widely(size: usize, stretch: &Stretch) -> bool {
    // SAFETY: K1; passed on. The first positions are done, the rest are left.
    unsafe {
        match x86::pick_sixteens(size, stretch) {
            Some(done) => by_dtype!(stretch.dtype, T => pick_from::<T>(size, stretch, done), false),
            None => false,
        }
    }
}

#[inline(always)]
unsafe fn pick_from<T: Whole>(size: usize, stretch: &Stretch, done: usize) -> bool {
    // SAFETY: passed on.
    unsafe {
        match (stretch.axes, stretch.ahead) {
            ([a], 0) => pick_sized::<T, 1, false>(size, stretch, [*a], done),
            ([a], _) => pick_sized::<T, 1, true>(size, stretch, [*a], done),
            ([a, b], 0) => pick_sized::<T, 2, false>(size, stretch, [*a, *b], done),
            ([a, b], _) => pick_sized::<T, 2, true>(size, stretch, [*a, *b], done),
            _ => false,
        }
    }
}

#[inline(always)]
unsafe fn pick_sized<T: Whole, const N: usize, const AHEAD: bool>(
    size: usize,
    stretch: &Stretch,
    axes: [Values; N],
    done: usize,
) -> bool {
    macro_rules! sized {
        ($($s:literal),*) => {
            match size {
                // SAFETY: passed on.
                $($s => unsafe { pick_each::<T, N, AHEAD, $s>($s, stretch, axes, done) },)*
                // SAFETY: passed on.
                _ => unsafe { pick_each::<T, N, AHEAD, 0>(size, stretch, axes, done) },
            }
        };
    }
    sized!(1, 2, 4, 8, 12, 16, 32, 64)
}

/// Lines of a chunk asked for ahead, at most: the processor follows by itself from there.
const LINES: usize = 8;

/// Position by position, from the `done`-th of each row on; `S` is the size, or 0 if only the run knows it.
#[inline(always)]
unsafe fn pick_each<T: Whole, const N: usize, const AHEAD: bool, const S: usize>(
    size: usize,
    stretch: &Stretch,
    mut axes: [Values; N],
    done: usize,
) -> bool {
    let Stretch { mut from, mut to, mut next, rows, .. } = *stretch;
    for _ in 0..rows.count {
        if done == 0 {
            rows.ask(axes[0].first, stretch.count * size_of::<T>());
        }
        // SAFETY: passed on, for one row.
        if !unsafe { pick_row::<T, N, AHEAD, S>(size, stretch, &axes, (from, to, next), done) } {
            return false;
        }
        (from, to, next) = (from.wrapping_offset(rows.from), to.wrapping_offset(rows.to), next.on(rows.from));
        for (axis, by) in axes.iter_mut().zip(rows.values) {
            axis.first = axis.first.wrapping_offset(by);
        }
    }
    true
}

#[inline(always)]
unsafe fn pick_row<T: Whole, const N: usize, const AHEAD: bool, const S: usize>(
    size: usize,
    stretch: &Stretch,
    axes: &[Values; N],
    (from, to, next): (*const u8, *mut u8, Next),
    done: usize,
) -> bool {
    let Stretch { along, count, ahead, asks, .. } = *stretch;
    for k in done..count {
        if AHEAD {
            let k = (k + ahead).min(count - 1);
            let mut at = from.wrapping_offset(k as isize * along);
            for axis in axes {
                // SAFETY: L1: k is a position. Not checked: asking for memory that is not ours does no harm.
                at = at.wrapping_offset((unsafe { value::<T>(axis.first, k) } as isize).wrapping_mul(axis.step));
            }
            if S == 0 {
                prefetch_all(at, size.min(LINES * 64));
            } else {
                prefetch(at);
                if S > 16 {
                    prefetch(at.wrapping_add(S - 1));
                }
            }
        }
        if k.is_multiple_of(16) {
            if next.bytes > 0 {
                next.ask(k);
            }
            if asks {
                for axis in axes {
                    axis.ask::<T>(k);
                }
            }
        }
        let mut offset = k as isize * along;
        for axis in axes {
            // SAFETY: L1: k is a position.
            let v = settled(unsafe { value::<T>(axis.first, k) });
            let v = if stretch.from_end && v < 0 { v.wrapping_add(axis.len as i64) } else { v };
            if v as u64 >= axis.len as u64 {
                return false;
            }
            offset += v as isize * axis.step;
        }
        // SAFETY: R2, R1: an element of the indexed side; E1: the k-th place of `to`.
        unsafe {
            let (from, to) = (from.offset(offset), to.add(k * size));
            if (S == 0 || S == 64) && stretch.streamed {
                stream::copy(from, to, size);
            } else if S == 0 {
                std::ptr::copy_nonoverlapping(from, to, size);
            } else {
                to.cast::<Bytes<S>>().write_unaligned(from.cast::<Bytes<S>>().read_unaligned());
            }
        }
    }
    true
}

/// A row of places: known offsets from `from`, all between `low` and `high`.
#[derive(Clone, Copy)]
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only vector gathers ask for all of it"))]
pub(crate) struct Places<'o> {
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
    pub(crate) unsafe fn fetch(size: usize, from: *const u8, places: Places, to: *mut u8, next: Next) { baseline: fetch_plainly, avx2: fetch_plainly, avx512: fetch_widely }
}

#[inline(always)]
unsafe fn fetch_plainly(size: usize, from: *const u8, places: Places, to: *mut u8, next: Next) {
    // SAFETY: passed on.
    unsafe { fetch_from(size, from, places, to, next, 0) }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn fetch_widely(size: usize, from: *const u8, places: Places, to: *mut u8, next: Next) {
    // SAFETY: K1; passed on. The first places are done, the rest are left.
    unsafe {
        let done = x86::fetch_sixteens(size, from, &places, to, next);
        fetch_from(size, from, places, to, next, done);
    }
}

#[inline(always)]
unsafe fn fetch_from(size: usize, from: *const u8, places: Places, to: *mut u8, next: Next, done: usize) {
    macro_rules! sized {
        ($($s:literal),*) => {
            match size {
                // SAFETY: passed on.
                $($s => unsafe { fetch_each::<$s>($s, from, places.offsets, to, next, done) },)*
                // SAFETY: passed on.
                _ => unsafe { fetch_each::<0>(size, from, places.offsets, to, next, done) },
            }
        };
    }
    sized!(1, 2, 4, 8, 12, 16, 32, 64)
}

#[inline(always)]
unsafe fn fetch_each<const S: usize>(
    size: usize,
    from: *const u8,
    offsets: &[i32],
    to: *mut u8,
    next: Next,
    done: usize,
) {
    let mut k = done;
    while k < offsets.len() {
        let end = offsets.len().min(k + 16);
        if next.bytes > 0 {
            next.ask(k);
        }
        while k < end {
            // SAFETY: R1 and E1 by the caller.
            unsafe {
                let (from, to) = (from.offset(*offsets.get_unchecked(k) as isize), to.add(k * size));
                if S == 0 {
                    std::ptr::copy_nonoverlapping(from, to, size);
                } else {
                    to.cast::<Bytes<S>>().write_unaligned(from.cast::<Bytes<S>>().read_unaligned());
                }
            }
            k += 1;
        }
    }
}

#[cfg(test)]
mod tests;
