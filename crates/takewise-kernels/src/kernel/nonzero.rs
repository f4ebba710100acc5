//! Which elements of a row are not zero: how many there are, and their places.

use super::compress::{count_flags, places_flags};
use super::cpu::per_level;
use super::level::{Level, WORD};
use super::mask_words::{Flags, MaskRow, NonZeros};
use super::reduce::with_number;
use crate::dtype::DType;
use crate::threads::{Bare, in_ranges, parts_for};
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Elements of which none is zero.
#[derive(Clone, Copy)]
struct Records;

impl Flags for Records {
    #[inline(always)]
    unsafe fn load(self, _: usize, n: usize, bytes: &mut [u8; WORD]) {
        bytes[..n].fill(1);
    }
}

/// Runs `$body` with `$flags` saying which elements of a row are not zero; a record never is.
macro_rules! with_flags {
    ($dtype:expr, $first:expr, $step:expr, $len:expr, $flags:ident => $body:expr) => {
        if matches!($dtype, DType::Bool | DType::U8 | DType::I8) {
            let $flags = MaskRow { mask: $first, step: $step, len: $len };
            $body
        } else {
            with_number!($dtype, T => {
                let $flags = NonZeros { first: $first.cast::<T>(), step: $step };
                $body
            }, {
                let $flags = Records;
                $body
            })
        }
    };
}

per_level! {
    /// How many of a row's elements are not zero.
    ///
    /// # Safety
    /// L1: `len` elements, `step` bytes apart.
    pub unsafe fn count_row(dtype: DType, first: *const u8, step: isize, len: usize) -> usize {
        level: count_row_body
    }
}

#[inline(always)]
unsafe fn count_row_body<L: Level>(dtype: DType, first: *const u8, step: isize, len: usize) -> usize {
    // SAFETY: passed on.
    with_flags!(dtype, first, step, len, flags => unsafe { count_flags::<L, _>(flags, len) })
}

per_level! {
    /// Writes the places, counted from `place` on, of a row's elements that are not zero, at most `room` of them; returns
    /// how many.
    ///
    /// # Safety
    /// L1 as [`count_row`]; `room` numbers at `to` are writable (E1).
    pub unsafe fn place_row(dtype: DType, first: *const u8, step: isize, len: usize, place: usize, to: *mut i64, room: usize) -> usize {
        level: place_row_body
    }
}

#[inline(always)]
unsafe fn place_row_body<L: Level>(
    dtype: DType,
    first: *const u8,
    step: isize,
    len: usize,
    place: usize,
    to: *mut i64,
    room: usize,
) -> usize {
    // SAFETY: passed on.
    with_flags!(dtype, first, step, len, flags => unsafe { places_flags::<L, _>(flags, len, place as i64, 1, to, room) })
}

/// Writes into the first bytes which elements of a short row are not zero.
///
/// # Safety
/// L1 as [`count_row`]; `len` is at most [`WORD`].
#[inline(always)]
pub unsafe fn chosen(dtype: DType, first: *const u8, step: isize, len: usize, bytes: &mut [u8; WORD]) {
    // SAFETY: passed on.
    with_flags!(dtype, first, step, len, flags => unsafe { flags.load(0, len, bytes) });
}

/// [`count_row`] of a long row, in parts where that pays.
///
/// # Safety
/// L1 as there.
pub unsafe fn count_long(dtype: DType, first: *const u8, step: isize, len: usize) -> usize {
    let (first, n) = (Bare(first.cast_mut()), AtomicUsize::new(0));
    let Ok(()) = in_ranges(len, parts_for(len), |range| {
        // SAFETY: L1: a stretch of the row.
        let found = unsafe { count_row(dtype, first.at(range.start as isize * step), step, range.len()) };
        n.fetch_add(found, Ordering::Relaxed);
        Ok::<(), Infallible>(())
    });
    n.into_inner()
}
