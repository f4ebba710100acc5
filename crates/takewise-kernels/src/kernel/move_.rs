//! Moving chunks between a linear side and resolved offsets.
//!
//! One body, instantiated per chunk size: a copy of constant size is a register move, one of run-time size a
//! call. Elements are carried as bytes of no particular type or alignment, so padding, records and unaligned
//! foreign arrays need nothing special.

use crate::kernel::SKIP;
use crate::kernel::cpu::{per_level, prefetch, prefetch_all};
use crate::kernel::level::Bytes;
use std::mem::MaybeUninit;

/// Where the linear side of each position lies.
#[derive(Clone, Copy)]
pub enum Linear<'b> {
    /// `k * step`.
    Even(isize),
    /// As listed.
    Table(&'b [isize]),
}

/// Copies one chunk, whose size is mostly that of a number.
///
/// # Safety
/// `chunk` bytes readable at `from` and writable at `to`, of different operands (L1, L3).
#[inline(always)]
pub unsafe fn one(chunk: usize, to: *mut u8, from: *const u8) {
    macro_rules! sized {
        ($($n:literal),*) => {
            match chunk {
                // SAFETY: the caller's promise.
                $($n => unsafe {
                    let bytes = from.cast::<[MaybeUninit<u8>; $n]>().read_unaligned();
                    to.cast::<[MaybeUninit<u8>; $n]>().write_unaligned(bytes);
                },)*
                // SAFETY: the caller's promise.
                n => unsafe { std::ptr::copy_nonoverlapping(from, to, n) },
            }
        };
    }
    sized!(1, 2, 4, 8, 16)
}

/// Copies `linear[k] = indexed[offsets[k]]` for all of a few k, none of which is skipped, to places `step` bytes apart.
///
/// # Safety
/// As [`read`].
#[inline]
pub unsafe fn read_small(chunk: usize, linear: *mut u8, step: isize, indexed: *const u8, offsets: &[isize]) {
    macro_rules! sized {
        ($($n:literal),*) => {
            match chunk {
                $($n => for (k, o) in offsets.iter().enumerate() {
                    // SAFETY: R1 and L1 by the caller: so many bytes at both.
                    unsafe { one($n, linear.offset(k as isize * step), indexed.offset(*o)) }
                },)*
                n => for (k, o) in offsets.iter().enumerate() {
                    // SAFETY: as above.
                    unsafe { one(n, linear.offset(k as isize * step), indexed.offset(*o)) }
                }
            }
        };
    }
    sized!(1, 4, 8)
}

per_level! {
    /// Copies `linear[k] = indexed[offsets[k]]` for all k; a skipped position gets `fill` (a chunk's worth).
    ///
    /// # Safety
    /// R1 for every offset, and the linear side must be writable at all its places (L1, E1).
    pub unsafe fn read(chunk: usize, linear: *mut u8, at: Linear, indexed: *const u8, offsets: &[isize], fill: &[u8]) {
        all: read_body
    }
}

#[inline(always)]
unsafe fn read_body(chunk: usize, linear: *mut u8, at: Linear, indexed: *const u8, offsets: &[isize], fill: &[u8]) {
    macro_rules! sized {
        ($($n:literal),*) => {
            match chunk {
                $($n => {
                    let copy = |d: *mut u8, s: *const u8| {
                        // SAFETY: R1 and L1 by the caller: $n bytes at both.
                        unsafe { d.cast::<[MaybeUninit<u8>; $n]>().write_unaligned(s.cast::<[MaybeUninit<u8>; $n]>().read_unaligned()) }
                    };
                    // SAFETY: passed on.
                    unsafe { read_with(copy, linear, at, indexed, offsets, fill) }
                })*
                n => {
                    // SAFETY: R1 and L1 by the caller: n bytes at both; the sides are different operands (L3).
                    let copy = |d: *mut u8, s: *const u8| unsafe { std::ptr::copy_nonoverlapping(s, d, n) };
                    // SAFETY: passed on.
                    unsafe { read_with(copy, linear, at, indexed, offsets, fill) }
                }
            }
        };
    }
    sized!(1, 2, 4, 8, 12, 16, 32, 64)
}

#[inline(always)]
unsafe fn read_with(
    copy: impl Fn(*mut u8, *const u8),
    linear: *mut u8,
    at: Linear,
    indexed: *const u8,
    offsets: &[isize],
    fill: &[u8],
) {
    // SAFETY: R1: an offset that is not SKIP lies inside the indexed side; linear places are the caller's.
    let one =
        |d: *mut u8, o: isize| unsafe { if o == SKIP { copy(d, fill.as_ptr()) } else { copy(d, indexed.offset(o)) } };
    // SAFETY: as above, offsets known not to be SKIP.
    let sure = |d: *mut u8, o: isize| unsafe { copy(d, indexed.offset(o)) };
    // SAFETY: the linear side reaches every k * step and every listed place (L1).
    let place = |o: isize| unsafe { linear.offset(o) };
    match at {
        Linear::Even(step) if fill.is_empty() => {
            offsets.iter().enumerate().for_each(|(k, o)| sure(place(k as isize * step), *o))
        }
        Linear::Even(step) => offsets.iter().enumerate().for_each(|(k, o)| one(place(k as isize * step), *o)),
        Linear::Table(t) if fill.is_empty() => offsets.iter().zip(t).for_each(|(o, l)| sure(place(*l), *o)),
        Linear::Table(t) => offsets.iter().zip(t).for_each(|(o, l)| one(place(*l), *o)),
    }
}

per_level! {
    /// Copies `indexed[offsets[k]] = linear[k]` for all k in order; skipped positions are left out.
    ///
    /// # Safety
    /// R1 for every offset; the indexed side is exclusively ours (L3, E1); the linear side readable (L1).
    pub unsafe fn write(chunk: usize, indexed: *mut u8, offsets: &[isize], linear: *const u8, at: Linear) {
        all: write_body
    }
}

#[inline(always)]
unsafe fn write_body(chunk: usize, indexed: *mut u8, offsets: &[isize], linear: *const u8, at: Linear) {
    macro_rules! sized {
        ($($n:literal),*) => {
            match chunk {
                $($n => {
                    let copy = |d: *mut u8, s: *const u8| {
                        // SAFETY: R1 and L1 by the caller: $n bytes at both.
                        unsafe { d.cast::<[MaybeUninit<u8>; $n]>().write_unaligned(s.cast::<[MaybeUninit<u8>; $n]>().read_unaligned()) }
                    };
                    // SAFETY: passed on.
                    unsafe { write_with(copy, indexed, offsets, linear, at) }
                })*
                n => {
                    // SAFETY: R1 and L1 by the caller: n bytes at both; the sides are different operands (L3).
                    let copy = |d: *mut u8, s: *const u8| unsafe { std::ptr::copy_nonoverlapping(s, d, n) };
                    // SAFETY: passed on.
                    unsafe { write_with(copy, indexed, offsets, linear, at) }
                }
            }
        };
    }
    sized!(1, 2, 4, 8, 12, 16, 32, 64)
}

#[inline(always)]
unsafe fn write_with(
    copy: impl Fn(*mut u8, *const u8),
    indexed: *mut u8,
    offsets: &[isize],
    linear: *const u8,
    at: Linear,
) {
    let one = |s: *const u8, o: isize| {
        if o != SKIP {
            // SAFETY: R1.
            copy(unsafe { indexed.offset(o) }, s)
        }
    };
    // SAFETY: the linear side reaches every k * step and every listed place (L1).
    let place = |o: isize| unsafe { linear.offset(o) };
    match at {
        Linear::Even(step) => offsets.iter().enumerate().for_each(|(k, o)| one(place(k as isize * step), *o)),
        Linear::Table(t) => offsets.iter().zip(t).for_each(|(o, l)| one(place(*l), *o)),
    }
}

per_level! {
    /// [`write`], and asks for the places `ahead`, as many as there are, on the way.
    ///
    /// # Safety
    /// As [`write`]; `ahead` may hold anything.
    pub unsafe fn write_ahead(
        chunk: usize, indexed: *mut u8, offsets: &[isize], linear: *const u8, at: Linear, ahead: &[isize],
    ) {
        all: write_ahead_body
    }
}

#[inline(always)]
unsafe fn write_ahead_body(
    chunk: usize,
    indexed: *mut u8,
    offsets: &[isize],
    linear: *const u8,
    at: Linear,
    ahead: &[isize],
) {
    let both = offsets.len().min(ahead.len());
    macro_rules! sized {
        ($($n:literal),*) => {
            match (chunk, at) {
                $(($n, Linear::Even(step)) => {
                    for k in 0..both {
                        prefetch(indexed.wrapping_offset(ahead[k]));
                        if offsets[k] != SKIP {
                            // SAFETY: R1 and L1 by the caller: $n bytes at both.
                            unsafe {
                                let v = linear.offset(k as isize * step).cast::<[MaybeUninit<u8>; $n]>().read_unaligned();
                                indexed.offset(offsets[k]).cast::<[MaybeUninit<u8>; $n]>().write_unaligned(v);
                            }
                        }
                    }
                    // SAFETY: passed on.
                    unsafe { write_body($n, indexed, &offsets[both..], linear.wrapping_offset(both as isize * step), at) }
                })*
                (_, Linear::Even(step)) => {
                    for (k, &o) in offsets.iter().enumerate() {
                        let next = if k + ROWS < offsets.len() { offsets.get(k + ROWS) } else { ahead.get(k + ROWS - offsets.len()) };
                        let from = linear.wrapping_offset(k as isize * step);
                        if let Some(next) = next {
                            prefetch_all(indexed.wrapping_offset(*next), chunk.min(MOST));
                        }
                        if chunk <= VALUES {
                            prefetch_all(from.wrapping_offset(step.wrapping_mul(ROWS as isize)), chunk);
                        }
                        if o != SKIP {
                            // SAFETY: R1 and L1 by the caller.
                            unsafe { copy_row(from, indexed.offset(o), chunk) }
                        }
                    }
                }
                _ => {
                    ahead.iter().for_each(|o| prefetch(indexed.wrapping_offset(*o)));
                    // SAFETY: passed on.
                    unsafe { write_body(chunk, indexed, offsets, linear, at) }
                }
            }
        };
    }
    sized!(1, 2, 4, 8, 16)
}

/// Rows of more than a few elements that are asked for ahead, and bytes of each at most; and bytes of values up to which these
/// are too, as a processor follows longer ones by itself.
const ROWS: usize = 8;
const MOST: usize = 512;
const VALUES: usize = 256;

/// Copies a row: lines of it here, as a call for each row is what one notices of short ones.
///
/// # Safety
/// So many bytes at both sides, which do not meet.
#[inline(always)]
unsafe fn copy_row(from: *const u8, to: *mut u8, bytes: usize) {
    let lines = if bytes <= MOST { bytes / 64 } else { 0 };
    // SAFETY: by the caller.
    unsafe {
        for k in 0..lines {
            let line = from.add(k * 64).cast::<Bytes<64>>().read_unaligned();
            to.add(k * 64).cast::<Bytes<64>>().write_unaligned(line);
        }
        if lines * 64 < bytes {
            std::ptr::copy_nonoverlapping(from.add(lines * 64), to.add(lines * 64), bytes - lines * 64);
        }
    }
}

/// A loop of chunks at both sides, and how far each moves on with it.
#[derive(Clone, Copy)]
pub struct ChunkLoop {
    pub extent: usize,
    pub linear: isize,
    pub indexed: isize,
}

/// Positions ahead of which a lane's memory is asked for, and the bytes of it at most.
const AHEAD: (usize, usize) = (8, 512);

per_level! {
    /// Copies a whole lane for each position in order: `linear[k] = indexed[offsets[k]]`, or with `write` the other way.
    /// Skipped positions are left out.
    ///
    /// # Safety
    /// R1 for every offset and the whole lane; the side written is exclusively ours (L3, E1), the other readable (L1).
    pub unsafe fn lanes(
        chunk: usize, linear: *mut u8, at: Linear, indexed: *mut u8, offsets: &[isize], lane: ChunkLoop, write: bool,
    ) {
        all: lanes_body
    }
}

#[inline(always)]
unsafe fn lanes_body(
    chunk: usize,
    linear: *mut u8,
    at: Linear,
    indexed: *mut u8,
    offsets: &[isize],
    lane: ChunkLoop,
    write: bool,
) {
    let span = lane.indexed.unsigned_abs().saturating_mul(lane.extent).min(AHEAD.1);
    for (k, &o) in offsets.iter().enumerate() {
        if let Some(&next) = offsets.get(k + AHEAD.0) {
            prefetch_all(indexed.wrapping_offset(next), span);
        }
        if o == SKIP {
            continue;
        }
        let place = match at {
            Linear::Even(step) => k as isize * step,
            Linear::Table(t) => t[k],
        };
        // SAFETY: R1 and L1 by the caller.
        unsafe {
            let (i, l) = (indexed.offset(o), linear.offset(place));
            if write {
                strided_body(chunk, i, lane.indexed, l, lane.linear, lane.extent);
            } else {
                strided_body(chunk, l, lane.linear, i, lane.indexed, lane.extent);
            }
        }
    }
}

/// Copies `n` chunks from evenly spaced places to evenly spaced places.
///
/// # Safety
/// All places lie in their operands (L1) and the sides do not meet.
#[inline(always)]
unsafe fn strided_body(chunk: usize, to: *mut u8, to_step: isize, from: *const u8, from_step: isize, n: usize) {
    macro_rules! packed {
        ($($t:ty),*) => {
            // SAFETY: passed on.
            unsafe {
                match chunk {
                    $(c if c == size_of::<$t>() => return packed::<$t>(to, from, from_step, n),)*
                    _ => {}
                }
            }
        };
    }
    if to_step == chunk as isize {
        packed!(u8, u16, u32, u64);
    }
    macro_rules! sized {
        ($($n:literal),*) => {
            match chunk {
                $($n => for k in 0..n as isize {
                    // SAFETY: L1 by the caller: $n bytes at both.
                    unsafe {
                        let v = from.offset(k * from_step).cast::<[MaybeUninit<u8>; $n]>().read_unaligned();
                        to.offset(k * to_step).cast::<[MaybeUninit<u8>; $n]>().write_unaligned(v);
                    }
                },)*
                c => for k in 0..n as isize {
                    // SAFETY: L1 by the caller: c bytes at both.
                    unsafe { std::ptr::copy_nonoverlapping(from.offset(k * from_step), to.offset(k * to_step), c) }
                }
            }
        };
    }
    sized!(1, 2, 4, 8, 12, 16, 32, 64)
}

/// [`strided_body`] of elements as large as `T` to places side by side. The usual steps are constants to the compiler, which
/// then moves vectors.
///
/// # Safety
/// As [`strided_body`].
#[inline(always)]
unsafe fn packed<T>(to: *mut u8, from: *const u8, from_step: isize, n: usize) {
    const fn bytes<T>(elements: isize) -> isize {
        elements * size_of::<T>() as isize
    }
    macro_rules! steps {
        ($($k:literal),*) => {
            match from_step {
                $(step if step == const { bytes::<T>($k) } => {
                    const STEP: isize = $k;
                    let (to, from) = (to.cast::<MaybeUninit<T>>(), from.cast::<MaybeUninit<T>>());
                    for k in 0..n {
                        // SAFETY: L1 by the caller: an element at both.
                        unsafe { to.add(k).write_unaligned(from.offset(k as isize * STEP).read_unaligned()) }
                    }
                })*
                _ => for k in 0..n {
                    // SAFETY: L1 by the caller: an element at both.
                    unsafe {
                        let v = from.offset(k as isize * from_step).cast::<MaybeUninit<T>>().read_unaligned();
                        to.cast::<MaybeUninit<T>>().add(k).write_unaligned(v);
                    }
                },
            }
        };
    }
    steps!(-2, -1, 0, 2, 3, 4)
}
