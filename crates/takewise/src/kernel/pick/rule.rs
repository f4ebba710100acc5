//! What becomes of values outside an axis while they are in a register.
//!
//! A value is moved inside without a branch, so the mix of values does not matter, and by as few instructions as can be: the
//! fewer there are, the more loads the processor has under way.

use super::{TOGETHER, each_place, settled};

/// One policy for values outside an axis.
pub(super) trait Rule {
    /// [`each_place`] under the rule; `false` only if it raises.
    fn each_place(
        count: usize,
        len: usize,
        back: i64,
        value: impl Fn(usize) -> i64,
        first: impl Fn(usize),
        then: impl FnMut(usize, i64),
    ) -> bool;

    /// The place of a value that is asked for ahead: right if the value is as most are.
    fn likely(v: i64, len: usize, back: i64) -> i64;
}

/// The call fails.
pub(super) struct Raise;

/// The nearest place.
pub(super) struct Clip;

/// The value modulo the length.
pub(super) struct Wrap;

impl Rule for Raise {
    #[inline(always)]
    fn each_place(
        count: usize,
        len: usize,
        back: i64,
        value: impl Fn(usize) -> i64,
        first: impl Fn(usize),
        then: impl FnMut(usize, i64),
    ) -> bool {
        each_place(count, len, back, value, first, then)
    }

    #[inline(always)]
    fn likely(v: i64, _: usize, _: i64) -> i64 {
        v
    }
}

impl Rule for Clip {
    #[inline(always)]
    fn each_place(
        count: usize,
        len: usize,
        back: i64,
        value: impl Fn(usize) -> i64,
        first: impl Fn(usize),
        mut then: impl FnMut(usize, i64),
    ) -> bool {
        let top = len as i64 - 1;
        if back == 0 {
            return each(0, count, |k| {
                first(k);
                then(k, value(k).max(0).min(top));
                true
            });
        }
        let done = front(count, |v| v >= 0, &value, &first, |k, v| then(k, v.min(top)));
        each(done, count, |k| {
            first(k);
            then(k, Self::likely(value(k), len, back));
            true
        })
    }

    #[inline(always)]
    fn likely(v: i64, len: usize, back: i64) -> i64 {
        // In this order each step is a conditional move: counted from the end first, the optimiser branches on signs.
        from_end(settled(v.max(-back).min(len as i64 - 1)), back)
    }
}

impl Rule for Wrap {
    #[inline(always)]
    fn each_place(
        count: usize,
        len: usize,
        back: i64,
        value: impl Fn(usize) -> i64,
        first: impl Fn(usize),
        mut then: impl FnMut(usize, i64),
    ) -> bool {
        let done = front(count, |v| (v as u64) < len as u64, &value, &first, &mut then);
        each(done, count, |k| {
            first(k);
            let v = Self::likely(value(k), len, back);
            then(k, if v as u64 >= len as u64 { far(v, len as i64) } else { v });
            true
        })
    }

    #[inline(always)]
    fn likely(v: i64, len: usize, _: i64) -> i64 {
        let n = len as i64;
        let v = from_end(v, n);
        let less = v.wrapping_sub(n);
        if less < 0 { v } else { less }
    }
}

/// A negative value counted from the end, by a conditional move: what is added is settled, or the optimiser masks it, which
/// takes longer.
#[inline(always)]
fn from_end(v: i64, back: i64) -> i64 {
    let moved = settled(v.wrapping_add(back));
    if v < 0 { moved } else { v }
}

/// A value further outside than the length, which has to be divided by it. A call of its own, as a division takes registers
/// that the loop needs.
#[cold]
#[inline(never)]
fn far(v: i64, len: i64) -> i64 {
    v.rem_euclid(len)
}

/// Positions whose values are as the simpler loop wants them, up to the first that is not; none at all if one of the first few
/// is not: where that is often so, the change of loops would be guessed wrong each time.
#[inline(always)]
fn front(
    count: usize,
    simple: impl Fn(i64) -> bool,
    value: impl Fn(usize) -> i64,
    first: impl Fn(usize),
    mut then: impl FnMut(usize, i64),
) -> usize {
    let mut done = 0;
    if (0..count.min(TOGETHER)).fold(true, |all, k| all & simple(value(k))) {
        each(0, count, |k| {
            let v = value(k);
            let simple = simple(v);
            if simple {
                first(k);
                then(k, v);
                done = k + 1;
            }
            simple
        });
    }
    done
}

/// Each position from `from` on, in order, several together, until `then` says no: then the answer is `false`.
#[inline(always)]
fn each(from: usize, count: usize, mut then: impl FnMut(usize) -> bool) -> bool {
    let mut k = from;
    while k + TOGETHER <= count {
        for j in 0..TOGETHER {
            if !then(k + j) {
                return false;
            }
        }
        k += TOGETHER;
    }
    (k..count).all(then)
}
