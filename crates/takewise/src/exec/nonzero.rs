//! Finding the elements that are not zero and writing their coordinates: one pass to count, one to write.

use super::parts::run_all;
use crate::dims::advance;
use crate::dtype::DType;
use crate::error::{Fault, Result};
use crate::exec::{Outcome, filled};
use crate::index::rules::Rules;
use crate::kernel::level::WORD;
use crate::kernel::nonzero::{chosen, count_row, place_row};
use crate::layout::{Dims, Layout, unravel};
use crate::notes::{self, Location, Note};
use crate::op::Op;
use crate::tensor::Tensor;
use crate::threads::{Bare, parts_for};
use crate::values::nonzero::count_bytes;
use crate::view::{AnyView, AnyViewMut};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A stretch of a row: its first element, which place that is, and how many there are.
#[derive(Clone, Copy)]
struct RowPiece {
    first: *const u8,
    place: usize,
    len: usize,
}

impl RowPiece {
    /// What is left behind so many elements, `step` bytes apart.
    fn behind(self, n: usize, step: isize) -> RowPiece {
        let first = self.first.wrapping_offset(n as isize * step);
        RowPiece { first, place: self.place + n, len: self.len - n }
    }
}

/// The axes of an input that count as rows, and those that lie one after another and make a row together.
#[derive(Clone, Copy)]
struct RowAxes<'a> {
    input: &'a AnyView<'a>,
    rows: &'a [usize],
    row: &'a [usize],
}

impl<'a> RowAxes<'a> {
    /// Over rows of `axes` axes.
    fn over(input: &'a AnyView<'a>, axes: usize) -> RowAxes<'a> {
        let (rows, row) = input.shape().split_at(input.rank() - axes);
        RowAxes { input, rows, row }
    }

    /// Over rows of the last axis.
    fn of_last(input: &'a AnyView<'a>) -> RowAxes<'a> {
        RowAxes::over(input, input.rank().min(1))
    }

    /// Over the longest rows, of all last axes that lie one after another.
    fn of_longest(input: &'a AnyView<'a>) -> RowAxes<'a> {
        let (shape, strides) = (input.shape(), input.layout().strides());
        let joins = |d: &usize| strides[d - 1] == strides[*d].wrapping_mul(shape[*d] as isize);
        RowAxes::over(input, (1..input.rank()).rev().take_while(joins).count() + input.rank().min(1))
    }

    /// How many rows there are.
    fn count(&self) -> usize {
        if self.input.numel() == 0 { 0 } else { self.rows.iter().product() }
    }

    /// How many elements a row has.
    fn width(&self) -> usize {
        self.row.iter().product()
    }

    /// Calls `found(coordinates of the row, stretch)` for the rows of a part, until it says `false`.
    fn each(&self, part: &Portion, mut found: impl FnMut(&[usize], RowPiece) -> bool) {
        let (place, step) = (part.places.0, last_step(self.input));
        let mut at: Dims<usize> = unravel(part.rows.0, self.rows);
        for _ in part.rows.0..part.rows.1 {
            // A row's coordinates are in the view (L1).
            let row: isize = at.iter().zip(self.input.layout().strides()).map(|(&c, s)| c as isize * s).sum();
            let first = self.input.as_ptr().wrapping_offset(row + place as isize * step);
            if !found(&at, RowPiece { first, place, len: part.places.1 - place }) {
                return;
            }
            advance(&mut at, 1, |d| self.rows[d], |_, _| {});
        }
    }

    /// All of it.
    fn whole(&self) -> Portion {
        Portion { rows: (0, self.count()), places: (0, self.width()), first: 0, count: 0 }
    }
}

/// The byte step along the last axis.
fn last_step(input: &AnyView) -> isize {
    input.layout().strides().last().copied().unwrap_or(0)
}

/// How many elements of a part are not zero.
fn count_part(walk: &RowAxes, part: &Portion) -> usize {
    let (mut n, step) = (0, last_step(walk.input));
    walk.each(part, |_, row| {
        // SAFETY: L1: a stretch of a row of the view.
        n += unsafe { count_row(walk.input.dtype(), row.first, step, row.len) };
        true
    });
    n
}

/// How many elements are not zero.
pub(crate) fn count(input: &AnyView) -> usize {
    if input.dtype().size() == 1 || input.numel() == 0 {
        return count_bytes(input);
    }
    let walk = RowAxes::of_longest(input);
    count_part(&walk, &walk.whole())
}

/// A stretch of rows, or of the places of each, and where its coordinates go.
struct Portion {
    rows: (usize, usize),
    places: (usize, usize),
    first: usize,
    count: usize,
}

/// Elements of a row that are looked at once, before there is a place for what is found.
const FEW: usize = 16;

/// Elements of a row that are placed before their coordinates are told apart.
const PIECE: usize = 4096;

/// Where more of a row's elements than this are found on average, rows of the last axis are walked one by one.
const FEW_A_ROW: usize = 8;

/// [`columns`] of a fresh tensor of shape (rank, count). Error (kind `Memory`) if it cannot be had.
pub(crate) fn found(input: &AnyView, rules: &Rules) -> Result<Tensor> {
    if let &[len @ 1..=FEW] = input.shape() {
        return found_in_few(input, len);
    }
    let layout = Layout::contiguous(&[input.rank(), count(input)], DType::I64.size())?;
    // SAFETY: E2: `columns` fails unless it has written every column.
    unsafe { filled(layout, DType::I64, |out| columns(input, out, rules)) }
}

/// Notes where the coordinates in `columns`, which is or is like `to`, come from.
fn noted(input: &AnyView, columns: &AnyView, to: &AnyView) -> Result<()> {
    let row = |d: usize| columns.narrow(1, 0, columns.shape()[1].min(notes::MOST) as i64)?.select(0, d as i64);
    let mut places = vec![0; columns.shape()[1].min(notes::MOST)];
    for d in 0..input.rank() {
        let n = input.shape()[d];
        places.iter_mut().zip(notes::numbers(&row(d)?)).for_each(|(flat, k)| *flat = *flat * n + k);
    }
    let to = (0..input.rank() as i64).map(|d| Ok(Location::of(&to.select(0, d)?))).collect::<Result<_>>()?;
    notes::note(|| Note::Nonzero { input: Location::of(input), to, places });
    Ok(())
}

/// [`found`] in a row of a few elements.
fn found_in_few(input: &AnyView, len: usize) -> Result<Tensor> {
    let (first, step, mut bytes) = (input.as_ptr(), last_step(input), [0; WORD]);
    // SAFETY: L1: the only row of the view.
    unsafe { chosen(input.dtype(), first, step, len, &mut bytes) };
    let places = || bytes[..len].iter().enumerate().filter(|(_, byte)| **byte != 0).map(|(place, _)| place as i64);
    let layout = Layout::contiguous(&[1, places().count()], DType::I64.size())?;
    let write = |out: &mut AnyViewMut| {
        let to = out.as_mut_ptr().cast::<i64>();
        // SAFETY: L1: as many numbers as there are places, one after another.
        places().enumerate().for_each(|(k, place)| unsafe { to.add(k).write_unaligned(place) });
        if notes::watched() { noted(input, &out.as_view(), &out.as_view()) } else { Ok(()) }
    };
    // SAFETY: E2: every number is written.
    unsafe { filled(layout, DType::I64, write) }
}

/// Writes the coordinates of the nonzero elements, in row-major order, into the columns of `out`, an i64 array
/// of shape (rank, count). Fails (kind `Busy`) if the input changed since it was counted.
pub(crate) fn columns(input: &AnyView, out: &mut AnyViewMut, rules: &Rules) -> Result<()> {
    if notes::dry() && !out.is_private() {
        // What is found is worth knowing though it goes nowhere.
        return noted(input, &found(input, rules)?.read_any()?.view(), &out.as_view());
    }
    let total = out.shape()[1];
    // A long row has to be told apart into coordinates place by place, and short ones cost a call each.
    let walk = Some(RowAxes::of_last(input))
        .filter(|walk| walk.count() <= total / FEW_A_ROW)
        .unwrap_or_else(|| RowAxes::of_longest(input));
    let (all, width) = (walk.count(), walk.width());
    // A single row is cut itself.
    let (all, single) = if all == 1 { (width, true) } else { (all, false) };
    let parts = parts_for(input.numel() * input.dtype().size()).min(all).max(1);
    let share = |p: usize| {
        let range = (all * p / parts, all * (p + 1) / parts);
        let (rows, places) = if single { ((0, 1), range) } else { (range, (0, width)) };
        Portion { rows, places, first: 0, count: 0 }
    };
    let mut shares: Vec<Portion> = (0..parts).map(share).collect();
    if let [only] = &mut shares[..] {
        only.count = total;
    } else {
        let counts = counts(&walk, &shares);
        let mut first = 0;
        for (share, n) in shares.iter_mut().zip(counts) {
            (share.first, share.count) = (first, n);
            first += n;
        }
    }
    let changed = || rules.fail(Fault::Busy { op: Op::Nonzero, writing: true });
    if shares.iter().map(|s| s.count).sum::<usize>() != total {
        return Err(changed());
    }
    let (row_step, step) = (out.layout().strides()[0], out.layout().strides()[1]);
    let target = Bare(out.as_mut_ptr());
    let done = run_all(&shares, |share| {
        let (mut k, end) = (share.first, share.first + share.count);
        walk.each(share, |at, mut rest| {
            // A piece at a time, whose coordinates stay in the nearest cache.
            loop {
                let row = RowPiece { len: rest.len.min(PIECE), ..rest };
                // SAFETY: L1: a row of the view; column k on of `out` is this part's up to its end (E1), of one row per axis.
                k += unsafe {
                    let to = |d: usize| target.at(d as isize * row_step + k as isize * step);
                    let n = place(input, row, to(input.rank().saturating_sub(1)), step, end - k);
                    at.iter().enumerate().for_each(|(d, v)| repeat(*v as i64, to(d), step, n));
                    for d in (1..walk.row.len()).rev() {
                        unravel_into(walk.row[d], to(at.len() + d - 1), to(at.len() + d), step, n);
                    }
                    n
                };
                if k == end || row.len == rest.len {
                    return k < end;
                }
                rest = rest.behind(row.len, last_step(input));
            }
        });
        if k == end { Outcome::Good } else { Outcome::Changed }
    });
    if done != Outcome::Good {
        return Err(changed());
    }
    if notes::watched() { noted(input, &out.as_view(), &out.as_view()) } else { Ok(()) }
}

/// Numbers found at a time where they cannot be written to their place at once.
const BLOCK: usize = 512;

/// Writes the places of a stretch's elements that are not zero, `step` bytes apart, at most `room` of them; returns how
/// many. An array without axes has one element and no place to write.
///
/// # Safety
/// L1 for the stretch and for the places (E1).
unsafe fn place(input: &AnyView, row: RowPiece, to: *mut u8, step: isize, room: usize) -> usize {
    let (dtype, by, RowPiece { first, place, len }) = (input.dtype(), last_step(input), row);
    if input.rank() > 0 && (step == size_of::<i64>() as isize || room <= 1) {
        // SAFETY: passed on.
        return unsafe { place_row(dtype, first, by, len, place, to.cast(), room) };
    }
    let mut found = [0i64; BLOCK];
    let mut done = 0;
    for k in (0..len).step_by(BLOCK) {
        let most = BLOCK.min(len - k);
        // SAFETY: passed on; no more places than numbers.
        unsafe {
            let first = first.offset(k as isize * by);
            let n = place_row(dtype, first, by, most, place + k, found.as_mut_ptr(), BLOCK).min(room - done);
            if input.rank() > 0 {
                for (j, v) in found[..n].iter().enumerate() {
                    to.offset((done + j) as isize * step).cast::<i64>().write_unaligned(*v);
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

/// Divides `n` numbers at `to`, `step` bytes apart, by `size`: there the remainder stays, and the quotient goes to `above`.
///
/// # Safety
/// L1, E1 for the places of both.
unsafe fn unravel_into(size: usize, above: *mut u8, to: *mut u8, step: isize, n: usize) {
    for k in 0..n as isize {
        // SAFETY: the caller's promise.
        unsafe {
            let (above, to) = (above.offset(k * step).cast::<i64>(), to.offset(k * step).cast::<i64>());
            // Places are not negative, and the size of an axis of a place is not zero.
            let place = to.read_unaligned() as usize;
            above.write_unaligned((place / size) as i64);
            to.write_unaligned((place % size) as i64);
        }
    }
}

/// How many nonzero elements each share holds.
fn counts(walk: &RowAxes, shares: &[Portion]) -> Vec<usize> {
    let found: Vec<(AtomicUsize, &Portion)> = shares.iter().map(|s| (AtomicUsize::new(0), s)).collect();
    run_all(&found, |(n, share)| {
        n.store(count_part(walk, share), Ordering::Relaxed);
        Outcome::Good
    });
    found.into_iter().map(|(n, _)| n.into_inner()).collect()
}
