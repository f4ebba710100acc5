//! What becomes of values outside an axis while they are in a register.
//!
//! A value is moved inside without a branch, so the mix of values does not matter, and by as few instructions as can be: the
//! fewer there are, the more loads the processor has under way. What is done with a position is a method and no closure: one
//! that is called from several loops was compiled on its own, and took four times as long.

use super::each::{TOGETHER, each_place};
use crate::bounds::is_place;
pub(super) use crate::kernel::bounds::{Clip, Gaps, Wrap};
use crate::kernel::bounds::{Inside, Nearest, counted};

/// Positions that a rule is applied to.
pub(super) trait Positions {
    /// The value of the k-th, [`settled`].
    fn value(&self, k: usize) -> i64;

    /// Asks for the memory of one after the k-th, whose place is found as given: right if its value is as most are.
    fn ask_ahead(&self, k: usize, place: impl Fn(i64) -> i64);

    /// Brings the k-th its element.
    ///
    /// # Safety
    /// R1: the place is below the length.
    unsafe fn bring(&self, k: usize, place: i64);

    /// Brings the k-th its element, or what fills gaps if it has none, without a branch.
    ///
    /// # Safety
    /// R1: the place is below the length if the position has an element; there is something to fill gaps.
    unsafe fn bring_or_fill(&self, k: usize, place: i64, there: bool);
}

/// One policy for values outside an axis.
pub(super) trait Rule {
    /// Whether a value outside makes the call fail.
    const RAISES: bool = false;

    /// Brings the first `count` positions their elements, on an axis of a length that is not 0, where negative values are moved by
    /// `back`: `false` if the rule raises, before which all were brought.
    ///
    /// # Safety
    /// That of [`Positions::bring`] for every value inside.
    unsafe fn serve(positions: &impl Positions, count: usize, len: usize, back: i64) -> bool;
}

/// The call fails.
pub(super) struct Raise;

impl Rule for Raise {
    const RAISES: bool = true;

    #[inline(always)]
    unsafe fn serve(positions: &impl Positions, count: usize, len: usize, back: i64) -> bool {
        let value = |k| positions.value(k);
        let first = |k, back| positions.ask_ahead(k, |v| counted(v, back));
        // SAFETY: by the caller.
        each_place(count, len, back, value, first, |k, v| unsafe { positions.bring(k, v) })
    }
}

impl Rule for Clip {
    #[inline(always)]
    unsafe fn serve(positions: &impl Positions, count: usize, len: usize, back: i64) -> bool {
        // SAFETY: by the caller.
        unsafe {
            match back {
                0 => all::<Nearest>(positions, 0..count, len, 0),
                _ => brought::<Clip>(positions, count, len, back),
            }
        }
        true
    }
}

impl Rule for Wrap {
    #[inline(always)]
    unsafe fn serve(positions: &impl Positions, count: usize, len: usize, back: i64) -> bool {
        // SAFETY: by the caller.
        unsafe { brought::<Wrap>(positions, count, len, back) };
        true
    }
}

impl Rule for Gaps {
    #[inline(always)]
    unsafe fn serve(positions: &impl Positions, count: usize, len: usize, back: i64) -> bool {
        // SAFETY: by the caller.
        unsafe { brought::<Gaps>(positions, count, len, back) };
        true
    }
}

/// The simpler loop up to the first value that it does not do for, and the other from there. The other alone if one of the first
/// few is such a value: where that is often so, the change of loops would be guessed wrong each time.
///
/// # Safety
/// As [`Rule::serve`].
#[inline(always)]
unsafe fn brought<I: Inside>(positions: &impl Positions, count: usize, len: usize, back: i64) {
    let mut done = 0;
    if (0..count.min(TOGETHER)).fold(true, |all, k| all & I::simple(positions.value(k), len)) {
        // SAFETY: by the caller.
        done = unsafe { front::<I>(positions, count, len) };
    }
    // SAFETY: by the caller.
    unsafe { all::<I>(positions, done..count, len, back) }
}

/// Positions from the first on as long as the simpler loop does: how many.
///
/// # Safety
/// As [`Rule::serve`].
#[inline(always)]
unsafe fn front<I: Inside>(positions: &impl Positions, count: usize, len: usize) -> usize {
    let mut k = 0;
    while k + TOGETHER <= count {
        for j in 0..TOGETHER {
            let v = positions.value(k + j);
            if !I::simple(v, len) {
                return k + j;
            }
            positions.ask_ahead(k + j, |v| I::near(v, len));
            // SAFETY: by the caller, and what `near` gives is inside.
            unsafe { positions.bring(k + j, I::near(v, len)) };
        }
        k += TOGETHER;
    }
    k
}

/// The positions of a range, whatever their values are.
///
/// # Safety
/// As [`Rule::serve`].
#[inline(always)]
unsafe fn all<I: Inside>(positions: &impl Positions, range: std::ops::Range<usize>, len: usize, back: i64) {
    let mut k = range.start;
    while k + TOGETHER <= range.end {
        for j in 0..TOGETHER {
            // SAFETY: by the caller.
            unsafe { one::<I>(positions, k + j, len, back) };
        }
        k += TOGETHER;
    }
    for k in k..range.end {
        // SAFETY: by the caller.
        unsafe { one::<I>(positions, k, len, back) };
    }
}

/// One position, whatever its value is.
///
/// # Safety
/// As [`Rule::serve`].
#[inline(always)]
unsafe fn one<I: Inside>(positions: &impl Positions, k: usize, len: usize, back: i64) {
    positions.ask_ahead(k, |v| I::likely(v, len, back));
    let v = positions.value(k);
    // SAFETY: by the caller, and what `place` gives is inside.
    unsafe {
        if I::LEAVES_OUT {
            let v = counted(v, back);
            positions.bring_or_fill(k, v, is_place(v, len));
        } else {
            positions.bring(k, I::place(v, len, back));
        }
    }
}
