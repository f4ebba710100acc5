//! Where one index value lands on its axis: the only arithmetic that says so, exact and as loops use it.
//!
//! [`place`] is what every other form must agree with. The others are its parts, without branches, for values that are numbers
//! of 64 bits and an axis that is not empty; `n` is its length, `back` what negative values are moved by, 0 or the length.
//! What is applied to many values at once is in [`kernel::bounds`](crate::kernel::bounds).

use crate::rules::{Outside, Sign};

/// Where one value lands on an axis of length `len`; `None` if it is outside and the rule does not move it (it raises, fills or
/// drops).
#[inline]
pub fn place(value: i128, len: usize, sign: Sign, outside: Outside) -> Option<usize> {
    let n = len as i128;
    let v = if value < 0 && sign == Sign::FromEnd && outside != Outside::Wrap { value + n } else { value };
    if (0..n).contains(&v) {
        return Some(v as usize);
    }
    match outside {
        Outside::Clip if n > 0 => Some(v.clamp(0, n - 1) as usize),
        Outside::Wrap if n > 0 => Some(v.rem_euclid(n) as usize),
        _ => None,
    }
}

/// The length by which a value beyond 64 bits is reduced before it is narrowed, if the rule wraps.
#[inline(always)]
pub fn modulus(outside: Outside, n: usize) -> Option<u64> {
    (outside == Outside::Wrap).then_some(n as u64)
}

/// What negative values are moved by on an axis of length `n`.
#[inline(always)]
pub fn back(sign: Sign, n: usize) -> i64 {
    if sign == Sign::FromEnd { n as i64 } else { 0 }
}

/// Negative values moved by `back`.
#[inline(always)]
pub fn from_end(v: i64, back: i64) -> i64 {
    v.wrapping_add((v >> 63) & back)
}

/// Whether a value is a place.
#[inline(always)]
pub fn is_place(v: i64, len: usize) -> bool {
    (v as u64) < len as u64
}

/// Negative if `v` is no place: what a loop over many values gathers by OR, one comparison at the end.
#[inline(always)]
pub fn misses(v: i64, n: i64) -> i64 {
    v | (n - 1).wrapping_sub(v)
}

/// The nearest place.
#[inline(always)]
pub fn clipped(v: i64, n: i64, back: i64) -> i64 {
    from_end(v, back).clamp(0, n - 1)
}

/// `v` modulo `n`.
#[inline(always)]
pub fn wrapped(v: i64, n: i64) -> i64 {
    v.rem_euclid(n)
}

/// [`wrapped`], if `v` is no further outside than `n`: in vectors, where a division takes as long as dozens of these.
#[inline(always)]
pub fn wrapped_once(v: i64, n: i64) -> i64 {
    let v = from_end(v, n);
    v.wrapping_sub(if v >= n { n } else { 0 })
}
