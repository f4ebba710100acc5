//! Where a value stands on its axis, one by one and in vectors.

use crate::index::rules::{Outside, Sign};
use crate::kernel::cpu::per_level;

/// One value under a rule: its position on an axis of length `len`, or `None` if it is outside.
pub(super) fn place(value: i64, len: usize, sign: Sign, outside: Outside) -> Option<usize> {
    let n = len as i64;
    if n == 0 {
        return None;
    }
    let v = if sign == Sign::FromEnd && value < 0 { value.wrapping_add(n) } else { value };
    match outside {
        Outside::Wrap => Some(value.rem_euclid(n) as usize),
        Outside::Clip => Some(v.clamp(0, n - 1) as usize),
        _ => (0..n).contains(&v).then_some(v as usize),
    }
}

/// Negative values counted from the end of an axis of length `n`.
#[inline(always)]
pub(super) fn from_end(v: i64, n: i64) -> i64 {
    v.wrapping_add((v >> 63) & n)
}

/// Negative if `v` is outside `0..n`.
#[inline(always)]
pub(super) fn misses(v: i64, n: i64) -> i64 {
    v | (n - 1).wrapping_sub(v)
}

per_level! {
    /// Moves values to where a rule that leaves none outside puts them; under any other they stay.
    ///
    /// # Safety
    /// None of its own.
    pub(super) unsafe fn inside(len: usize, sign: Sign, outside: Outside, raw: &mut [i64]) {
        all: inside_body
    }
}

per_level! {
    /// Whether all values name places.
    ///
    /// # Safety
    /// None of its own.
    pub(super) unsafe fn none_outside(len: usize, sign: Sign, raw: &[i64]) -> bool {
        all: none_outside_body
    }
}

#[inline(always)]
fn none_outside_body(len: usize, sign: Sign, raw: &[i64]) -> bool {
    let n = len as i64;
    let back = if sign == Sign::FromEnd { n } else { 0 };
    let mut bad = 0;
    for v in raw {
        bad |= misses(from_end(*v, back), n);
    }
    bad >= 0
}

#[inline(always)]
fn inside_body(len: usize, sign: Sign, outside: Outside, raw: &mut [i64]) {
    let n = len as i64;
    match outside {
        Outside::Clip => {
            let back = if sign == Sign::FromEnd { n } else { 0 };
            for v in raw {
                *v = from_end(*v, back).clamp(0, n - 1);
            }
        }
        Outside::Wrap => {
            let mut bad = 0;
            for v in raw.iter_mut() {
                *v = turned(*v, n);
                bad |= misses(*v, n);
            }
            if bad < 0 {
                // Turned or not, they are the same modulo `n`.
                for v in raw.iter_mut().filter(|v| misses(**v, n) < 0) {
                    *v = v.rem_euclid(n);
                }
            }
        }
        _ => {}
    }
}

/// `v` modulo `n`, if it is no further outside than `n`: in vectors, where a division takes as long as dozens of these.
#[inline(always)]
pub(super) fn turned(v: i64, n: i64) -> i64 {
    let v = from_end(v, n);
    v.wrapping_sub(if v >= n { n } else { 0 })
}

/// Whether [`turned`] brings all values inside.
#[inline(always)]
pub(super) fn within_a_turn(n: i64, raw: &[i64]) -> bool {
    let mut bad = 0;
    for v in raw {
        bad |= misses(turned(*v, n), n);
    }
    bad >= 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::cpu::Cpu;

    /// In vectors as one by one, however far outside the values lie.
    #[test]
    fn values_outside_are_clipped_and_wrapped() {
        let usual = Cpu::current();
        let far = [i64::MIN, i64::MIN + 1, i64::MAX - 1, i64::MAX];
        for (sign, outside) in
            [(Sign::FromEnd, Outside::Clip), (Sign::NonNegative, Outside::Clip), (Sign::FromEnd, Outside::Wrap)]
        {
            for n in [1, 2, 7, 90, 1 << 40].into_iter().step_by(if cfg!(miri) { 2 } else { 1 }) {
                for wide in [1, 2, 5].into_iter().skip(if cfg!(miri) { 2 } else { 0 }) {
                    let near = (-37..37).map(|k| k * n * wide / 36 + k % 3);
                    for ends in [&far[..0], &far] {
                        let raw: Vec<i64> = near.clone().chain(ends.iter().copied()).collect();
                        let want: Vec<_> = raw.iter().map(|v| place(*v, n as usize, sign, outside)).collect();
                        for level in Cpu::supported() {
                            assert!(level.force());
                            let mut got = raw.clone();
                            // SAFETY: asks for nothing.
                            unsafe { inside(n as usize, sign, outside, &mut got) };
                            let got: Vec<_> = got.iter().map(|v| usize::try_from(*v).ok()).collect();
                            assert_eq!(got, want, "{raw:?} {sign:?} {outside:?} {n} {level:?}");
                        }
                    }
                }
            }
        }
        assert!(usual.force());
    }
}
