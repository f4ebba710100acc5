//! Finding the elements that are not zero and writing their coordinates: one pass to count, one to write.

use super::compress::{Choice, Numbers, Row, count_choice, places_choice};
use super::cpu::per_level;
use super::level::{Level, WORD};
use super::reduce::with_number;
use crate::dtype::DType;
use crate::error::{Fault, Result};
use crate::exec::Outcome;
use crate::exec::threads::{in_ranges, parts_for, run_all};
use crate::index::rules::Rules;
use crate::layout::{Dims, unravel};
use crate::view::{AnyView, AnyViewMut};
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Calls `found(coordinates of the row, its first byte, its length)` for rows `start..end`, rows being all axes but the
/// last, until it says `false`.
fn each_row(input: &AnyView, start: usize, end: usize, mut found: impl FnMut(&[usize], *const u8, usize) -> bool) {
    let (&n, outer) = input.layout().shape().split_last().unwrap_or((&1, &[]));
    let mut at: Dims<usize> = unravel(start, outer);
    for _ in start..end {
        // A row's coordinates are in the view (L1).
        let first =
            input.as_ptr().wrapping_offset(at.iter().zip(input.layout().strides()).map(|(&c, s)| c as isize * s).sum());
        if !found(&at, first, n) {
            return;
        }
        for d in (0..outer.len()).rev() {
            at[d] += 1;
            if at[d] < outer[d] {
                break;
            }
            at[d] = 0;
        }
    }
}

/// Elements of which none is zero.
#[derive(Clone, Copy)]
struct Records;

impl Choice for Records {
    #[inline(always)]
    unsafe fn load(self, _: usize, n: usize, bytes: &mut [u8; WORD]) {
        bytes[..n].fill(1);
    }
}

/// Runs `$body` with `$choice` saying which elements of a row are not zero; a record never is.
macro_rules! with_choice {
    ($dtype:expr, $first:expr, $step:expr, $len:expr, $choice:ident => $body:expr) => {
        if matches!($dtype, DType::Bool | DType::U8 | DType::I8) {
            let $choice = Row { mask: $first, step: $step, len: $len };
            $body
        } else {
            with_number!($dtype, T => {
                let $choice = Numbers { first: $first.cast::<T>(), step: $step };
                $body
            }, {
                let $choice = Records;
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
    unsafe fn count_row(dtype: DType, first: *const u8, step: isize, len: usize) -> usize {
        level: count_row_body
    }
}

#[inline(always)]
unsafe fn count_row_body<L: Level>(dtype: DType, first: *const u8, step: isize, len: usize) -> usize {
    // SAFETY: passed on.
    with_choice!(dtype, first, step, len, choice => unsafe { count_choice::<L, _>(choice, len) })
}

per_level! {
    /// Writes the places of a row's elements that are not zero, at most `room` of them; returns how many.
    ///
    /// # Safety
    /// L1 as [`count_row`]; `room` numbers at `to` are writable (E1).
    unsafe fn place_row(dtype: DType, first: *const u8, step: isize, len: usize, to: *mut i64, room: usize) -> usize {
        level: place_row_body
    }
}

#[inline(always)]
unsafe fn place_row_body<L: Level>(
    dtype: DType,
    first: *const u8,
    step: isize,
    len: usize,
    to: *mut i64,
    room: usize,
) -> usize {
    // SAFETY: passed on.
    with_choice!(dtype, first, step, len, choice => unsafe { places_choice::<L, _>(choice, len, 0, 1, to, room) })
}

/// The byte step along the last axis.
fn last_step(input: &AnyView) -> isize {
    input.layout().strides().last().copied().unwrap_or(0)
}

fn rows(input: &AnyView) -> usize {
    if input.numel() == 0 { 0 } else { input.numel() / input.shape().last().copied().unwrap_or(1) }
}

/// How many elements of rows `start..end` are not zero.
fn count_rows(input: &AnyView, start: usize, end: usize) -> usize {
    let (mut n, step) = (0, last_step(input));
    each_row(input, start, end, |_, first, len| {
        // SAFETY: L1: a row of the view.
        n += unsafe { count_row(input.dtype(), first, step, len) };
        true
    });
    n
}

/// How many elements are not zero.
pub(crate) fn count(input: &AnyView) -> usize {
    let mut n = 0;
    if input.numel() == 0 {
        return 0;
    }
    if input.dtype().size() == 1 {
        input.rows(|first, len, step| n += count_long(input.dtype(), first, step, len));
    } else {
        n = count_rows(input, 0, rows(input));
    }
    n
}

/// [`count_row`] of a row of the view, in parts where that pays.
fn count_long(dtype: DType, first: *const u8, step: isize, len: usize) -> usize {
    struct Start(*const u8);
    // SAFETY: only read, and borrowed from a view meanwhile (L1).
    unsafe impl Sync for Start {}
    let (first, n) = (Start(first), AtomicUsize::new(0));
    let Ok(()) = in_ranges(len, parts_for(len), |range| {
        let first: &Start = &first;
        // SAFETY: L1: a stretch of a row of the view.
        let found = unsafe { count_row(dtype, first.0.offset(range.start as isize * step), step, range.len()) };
        n.fetch_add(found, Ordering::Relaxed);
        Ok::<(), Infallible>(())
    });
    n.into_inner()
}

/// A stretch of rows and where its coordinates go.
struct Part {
    rows: (usize, usize),
    first: usize,
    count: usize,
}

/// The output as a bare address; parts write different columns (E1).
struct Target(*mut u8);
// SAFETY: parts write disjoint places of an exclusive view (E1, L3).
unsafe impl Sync for Target {}

/// Writes the coordinates of the nonzero elements, in row-major order, into the columns of `out`, an i64 array
/// of shape (rank, count). Fails (kind `Busy`) if the input changed since it was counted.
pub(crate) fn columns(input: &AnyView, out: &mut AnyViewMut, rules: &Rules) -> Result<()> {
    let total = out.shape()[1];
    let all = rows(input);
    let parts = parts_for(input.numel() * input.dtype().size()).min(all).max(1);
    let cut = |p: usize| all * p / parts;
    let mut shares: Vec<Part> = (0..parts).map(|p| Part { rows: (cut(p), cut(p + 1)), first: 0, count: 0 }).collect();
    if let [only] = &mut shares[..] {
        only.count = total;
    } else {
        let counts = counts(input, &shares);
        let mut first = 0;
        for (share, n) in shares.iter_mut().zip(counts) {
            (share.first, share.count) = (first, n);
            first += n;
        }
    }
    let short = shares.iter().map(|s| s.count).sum::<usize>() != total;
    let (row_step, step) = (out.layout().strides()[0], out.layout().strides()[1]);
    let target = Target(out.as_mut_ptr());
    let last = input.rank().saturating_sub(1);
    let done = run_all(&shares, |share| {
        let target = &target;
        let (mut k, end) = (share.first, (share.first + share.count).min(total));
        each_row(input, share.rows.0, share.rows.1, |at, first, len| {
            // SAFETY: L1: a row of the view; column k on of `out` is this part's up to its end (E1), of one row per axis.
            let n = unsafe {
                let to = |d: usize| target.0.offset(d as isize * row_step + k as isize * step);
                let n = place(input, first, len, to(last), step, end - k);
                at.iter().enumerate().for_each(|(d, v)| repeat(*v as i64, to(d), step, n));
                n
            };
            k += n;
            k < end
        });
        if k == share.first + share.count { Outcome::Good } else { Outcome::Changed }
    });
    if short || done != Outcome::Good {
        return Err(rules.fail(Fault::Busy { op: "nonzero", writing: true }));
    }
    Ok(())
}

/// Numbers found at a time where they cannot be written to their place at once.
const BLOCK: usize = 512;

/// Writes the places of a row's elements that are not zero, `step` bytes apart, at most `room` of them; returns how many.
/// An array without axes has one element and no place to write.
///
/// # Safety
/// L1 for the row and for the places (E1).
unsafe fn place(input: &AnyView, first: *const u8, len: usize, to: *mut u8, step: isize, room: usize) -> usize {
    let (dtype, by) = (input.dtype(), last_step(input));
    if input.rank() > 0 && (step == size_of::<i64>() as isize || room <= 1) {
        // SAFETY: passed on.
        return unsafe { place_row(dtype, first, by, len, to.cast(), room) };
    }
    let mut found = [0i64; BLOCK];
    let mut done = 0;
    for k in (0..len).step_by(BLOCK) {
        let most = BLOCK.min(len - k);
        // SAFETY: passed on; no more places than numbers.
        unsafe {
            let n =
                place_row(dtype, first.offset(k as isize * by), by, most, found.as_mut_ptr(), BLOCK).min(room - done);
            if input.rank() > 0 {
                for (j, v) in found[..n].iter().enumerate() {
                    to.offset((done + j) as isize * step).cast::<i64>().write_unaligned(v + k as i64);
                }
            }
            done += n;
        }
    }
    done
}

/// Writes one number `n` times, `step` bytes apart.
///
/// # Safety
/// L1, E1 for the places.
unsafe fn repeat(value: i64, to: *mut u8, step: isize, n: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        if step == size_of::<i64>() as isize {
            (0..n).for_each(|k| to.cast::<i64>().add(k).write_unaligned(value));
        } else {
            (0..n as isize).for_each(|k| to.offset(k * step).cast::<i64>().write_unaligned(value));
        }
    }
}

/// How many nonzero elements each share holds.
fn counts(input: &AnyView, shares: &[Part]) -> Vec<usize> {
    let found: Vec<(AtomicUsize, (usize, usize))> = shares.iter().map(|s| (AtomicUsize::new(0), s.rows)).collect();
    run_all(&found, |(n, rows)| {
        n.store(count_rows(input, rows.0, rows.1), Ordering::Relaxed);
        Outcome::Good
    });
    found.into_iter().map(|(n, _)| n.into_inner()).collect()
}
