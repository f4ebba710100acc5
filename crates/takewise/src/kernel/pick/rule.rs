//! What becomes of values outside an axis while they are in a register.
//!
//! A value is moved inside without a branch, so the mix of values does not matter, and by as few instructions as can be: the
//! fewer there are, the more loads the processor has under way. What is done with a position is a method and no closure: one
//! that is called from several loops was compiled on its own, and took four times as long.

use super::each::{TOGETHER, each_place, settled};
use std::hint::select_unpredictable;

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
    /// Brings the first `count` positions their elements, on an axis of a length that is not 0, where negative values are moved by
    /// `back`: `false` if the rule raises, before which all were brought.
    ///
    /// # Safety
    /// That of [`Positions::bring`] for every value inside.
    unsafe fn serve(positions: &impl Positions, count: usize, len: usize, back: i64) -> bool;
}

/// The call fails.
pub(super) struct Raise;

/// The nearest place.
pub(super) struct Clip;

/// The value modulo the length.
pub(super) struct Wrap;

/// What fills gaps, instead of an element.
pub(super) struct Fill;

impl Rule for Raise {
    #[inline(always)]
    unsafe fn serve(positions: &impl Positions, count: usize, len: usize, back: i64) -> bool {
        let value = |k| positions.value(k);
        let first = |k, back| positions.ask_ahead(k, |v| from_end(v, back));
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

impl Rule for Fill {
    #[inline(always)]
    unsafe fn serve(positions: &impl Positions, count: usize, len: usize, back: i64) -> bool {
        // SAFETY: by the caller.
        unsafe { brought::<Fill>(positions, count, len, back) };
        true
    }
}

/// How a rule brings values inside, by one loop or two.
trait Inside {
    /// Whether the simpler loop does for a value: as long as none lies outside or counts from the end, if nothing else is said.
    #[inline(always)]
    fn simple(v: i64, len: usize) -> bool {
        (v as u64) < len as u64
    }

    /// The place of a value for which it does.
    #[inline(always)]
    fn near(v: i64, _len: usize) -> i64 {
        v
    }

    /// The place of a value that is not far outside.
    fn likely(v: i64, len: usize, back: i64) -> i64;

    /// The place of any value.
    #[inline(always)]
    fn place(v: i64, len: usize, back: i64) -> i64 {
        Self::likely(v, len, back)
    }

    /// Brings the k-th position what its value, which may be any, names.
    ///
    /// # Safety
    /// As [`Rule::serve`].
    #[inline(always)]
    unsafe fn bring(positions: &impl Positions, k: usize, v: i64, len: usize, back: i64) {
        // SAFETY: by the caller, and what `place` gives is inside.
        unsafe { positions.bring(k, Self::place(v, len, back)) };
    }
}

impl Inside for Clip {
    #[inline(always)]
    fn simple(v: i64, _: usize) -> bool {
        v >= 0
    }

    #[inline(always)]
    fn near(v: i64, len: usize) -> i64 {
        at_most(v, len as i64 - 1)
    }

    #[inline(always)]
    fn likely(v: i64, len: usize, back: i64) -> i64 {
        // In this order each step is a conditional move: counted from the end first, the optimiser branches on signs.
        from_end(settled(at_most(at_least(v, -back), len as i64 - 1)), back)
    }
}

/// [`Clip`] where no value counts from the end.
struct Nearest;

impl Inside for Nearest {
    #[inline(always)]
    fn simple(_: i64, _: usize) -> bool {
        true
    }

    #[inline(always)]
    fn near(v: i64, len: usize) -> i64 {
        at_most(at_least(v, 0), len as i64 - 1)
    }

    #[inline(always)]
    fn likely(v: i64, len: usize, _: i64) -> i64 {
        Self::near(v, len)
    }
}

impl Inside for Wrap {
    #[inline(always)]
    fn likely(v: i64, len: usize, _: i64) -> i64 {
        let n = len as i64;
        let v = from_end(v, n);
        let less = v.wrapping_sub(n);
        select_unpredictable(less < 0, v, less)
    }

    #[inline(always)]
    fn place(v: i64, len: usize, back: i64) -> i64 {
        let v = Self::likely(v, len, back);
        if v as u64 >= len as u64 { far(v, len as i64) } else { v }
    }
}

impl Inside for Fill {
    #[inline(always)]
    fn likely(v: i64, len: usize, back: i64) -> i64 {
        let v = from_end(v, back);
        // Asked for in vain, memory far away would keep the processor from asking for what is there.
        select_unpredictable((v as u64) < len as u64, v, settled(0))
    }

    #[inline(always)]
    unsafe fn bring(positions: &impl Positions, k: usize, v: i64, len: usize, back: i64) {
        let v = from_end(v, back);
        // SAFETY: by the caller.
        unsafe { positions.bring_or_fill(k, v, (v as u64) < len as u64) };
    }
}

/// The lesser of two, by a conditional move. The second is settled: what the optimiser knows as a minimum, it makes a branch of
/// where memory depends on it.
#[inline(always)]
fn at_most(v: i64, top: i64) -> i64 {
    select_unpredictable(v > top, settled(top), v)
}

/// The greater of two, as [`at_most`].
#[inline(always)]
fn at_least(v: i64, low: i64) -> i64 {
    select_unpredictable(v < low, settled(low), v)
}

/// A negative value counted from the end, by a conditional move: what is added is settled, or the optimiser masks it, which
/// takes longer.
#[inline(always)]
fn from_end(v: i64, back: i64) -> i64 {
    let moved = settled(v.wrapping_add(back));
    select_unpredictable(v < 0, moved, v)
}

/// A value further outside than the length, which has to be divided by it. A call of its own, as a division takes registers
/// that the loop needs.
#[cold]
#[inline(never)]
fn far(v: i64, len: i64) -> i64 {
    v.rem_euclid(len)
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
    // SAFETY: by the caller.
    unsafe { I::bring(positions, k, positions.value(k), len, back) };
}
