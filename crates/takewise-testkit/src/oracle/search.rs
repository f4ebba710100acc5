//! searchsorted, by linear scan.

use super::{Bad, Outcome};
use crate::arr::{Arr, coords, flat};
use crate::num::Num;
use std::cmp::Ordering;
use takewise::index::rules::NanOrder;
use takewise::{DType, Kind};

/// Order where a comparison tells one. An integer meets a float as the number it is, unrounded.
fn partial_cmp(a: Num, b: Num) -> Option<Ordering> {
    match (a, b) {
        (Num::Int(a), Num::Int(b)) => Some(a.cmp(&b)),
        (Num::Float(a), Num::Float(b)) => a.partial_cmp(&b),
        (Num::Int(a), Num::Float(b)) if b.is_finite() => {
            Some(a.cmp(&(b.floor() as i128)).then(if b.fract() == 0.0 { Ordering::Equal } else { Ordering::Less }))
        }
        (Num::Int(_), Num::Float(b)) => 0.0.partial_cmp(&b),
        (Num::Float(_), Num::Int(_)) => partial_cmp(b, a).map(Ordering::reverse),
        other => panic!("{other:?}"),
    }
}

/// Order with NaN after everything and equal to itself; complex numbers by which parts are NaN, then by real, then imaginary
/// part.
pub fn total_cmp(a: Num, b: Num) -> Ordering {
    if let (Num::Complex(a, b), Num::Complex(c, d)) = (a, b) {
        let part = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(Ordering::Equal);
        return (a.is_nan(), b.is_nan()).cmp(&(c.is_nan(), d.is_nan())).then(part(a, c)).then(part(b, d));
    }
    partial_cmp(a, b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// Whether the search goes right of `s`: `s < v` (left side) or `s <= v` (right side).
pub fn goes_right(s: Num, v: Num, right: bool, order: NanOrder) -> bool {
    if order == NanOrder::Unordered && (s.is_nan() || v.is_nan()) {
        return true;
    }
    match total_cmp(s, v) {
        Ordering::Less => true,
        Ordering::Equal => right,
        Ordering::Greater => false,
    }
}

/// For every value the number of leading elements of its (sorted) sequence the search goes right of.
///
/// The sequence is 1-d, or has the values' leading extents. `sorter` lists the order in which to read the
/// sequence. Unsorted input follows bisection: `lo, hi = 0, n; mid = lo + (hi - lo) / 2`.
pub fn searchsorted(
    sequence: &Arr,
    values: &Arr,
    right: bool,
    sorter: Option<&Arr>,
    order: NanOrder,
    out: DType,
) -> Outcome<Arr> {
    let shape_error = Err(Bad::Other(Kind::Shape));
    let Some((&n, lead)) = sequence.shape.split_last() else { return shape_error };
    let same_lead = values.shape.len() == sequence.shape.len() && values.shape[..lead.len()] == *lead;
    if !lead.is_empty() && !same_lead {
        return shape_error;
    }
    if sorter.is_some_and(|s| s.shape != sequence.shape) {
        return shape_error;
    }
    if sorter.is_some_and(|s| (0..s.data.len()).any(|k| !(0..n as i128).contains(&s.int_at(k)))) {
        return Err(Bad::Other(Kind::Argument));
    }
    let one = |c: &Vec<usize>| {
        let row = &c[..lead.len()];
        let element = |k: usize| {
            let k = sorter.map_or(k, |s| s.int_at(flat(&s.shape, &[row, &[k]].concat())) as usize);
            sequence.num(&[row, &[k]].concat())
        };
        let goes: Vec<bool> = (0..n).map(|k| goes_right(element(k), values.num(c), right, order)).collect();
        let scan = goes.iter().take_while(|&&g| g).count();
        if goes[scan..].contains(&true) { bisect(goes.len(), |k| goes[k]) as i64 } else { scan as i64 }
    };
    Ok(Arr::ints(&values.shape, out, &coords(&values.shape).iter().map(one).collect::<Vec<_>>()))
}

/// The halving that every library does, of `n` elements.
pub fn bisect(n: usize, goes_right: impl Fn(usize) -> bool) -> usize {
    let (mut lo, mut hi) = (0, n);
    while lo < hi {
        let mid = lo + (hi - lo) / 2;
        if goes_right(mid) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    lo
}
