//! Joint loops over several strided operands of one shape: axes merged, the longest cheap one innermost.
//!
//! For element-wise work whose order does not matter (casts, comparisons). Indexed work has its own plans.

use crate::dims::{Dims, advance, sort_few_by_key};
use std::cmp::Reverse;

/// Inner loops shorter than this are not worth having while a longer axis exists.
const SHORT: usize = 16;

/// A loop: how often, and the byte step of every operand.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sweep<const K: usize> {
    extent: usize,
    steps: [isize; K],
}

/// Calls `run(offsets, count, steps)` for every innermost run. The last operand is the one written: its
/// axes decide the order of loops. All `strides` have one entry per axis of `shape`.
pub fn each_lane<const K: usize>(
    shape: &[usize],
    strides: [&[isize]; K],
    mut run: impl FnMut([isize; K], usize, [isize; K]),
) {
    if shape.contains(&0) {
        return;
    }
    let mut loops: Dims<Sweep<K>> = Dims::new();
    for (d, &extent) in shape.iter().enumerate().filter(|(_, n)| **n != 1) {
        loops.push(Sweep { extent, steps: strides.map(|s| s[d]) });
    }
    sort_few_by_key(&mut loops, |l| Reverse(l.steps[K - 1].unsigned_abs()));
    let mut merged: Dims<Sweep<K>> = Dims::new();
    for inner in loops {
        match merged.last_mut() {
            Some(outer) if (0..K).all(|k| outer.steps[k] == inner.steps[k] * inner.extent as isize) => {
                *outer = Sweep { extent: outer.extent * inner.extent, ..inner };
            }
            _ => merged.push(inner),
        }
    }
    let long = merged.iter().rposition(|l| l.extent >= SHORT);
    let inner = match long.or(merged.len().checked_sub(1)) {
        Some(at) => merged.remove(at),
        None => Sweep { extent: 1, steps: [0; K] },
    };
    let mut at: Dims<usize> = smallvec::smallvec![0; merged.len()];
    let mut offsets = [0isize; K];
    loop {
        run(offsets, inner.extent, inner.steps);
        let moved = |d: usize, by: isize| (0..K).for_each(|k| offsets[k] += merged[d].steps[k] * by);
        if !advance(&mut at, 1, |d| merged[d].extent, moved) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dims::Coordinates;

    /// Steps of an array in row-major order.
    fn steps(shape: &[usize], size: isize) -> Vec<isize> {
        let inner = |d: usize| shape[d + 1..].iter().product::<usize>() as isize;
        (0..shape.len()).map(|d| size * inner(d)).collect()
    }

    fn offset(at: &[usize], steps: &[isize]) -> isize {
        at.iter().zip(steps).map(|(&i, &s)| i as isize * s).sum()
    }

    #[test]
    fn visits_every_coordinate_once() {
        for shape in [&[][..], &[3], &[2, 3], &[1, 20, 2], &[2, 1, 3, 17], &[0, 4], &[2, 2, 2, 2]] {
            let a = steps(shape, 4);
            let b: Vec<isize> = a.iter().rev().map(|s| s * 3).collect();
            let mut got = Vec::new();
            each_lane(shape, [&b, &a], |o, n, s| {
                (0..n as isize).for_each(|k| got.push((o[1] + k * s[1], o[0] + k * s[0])));
            });
            got.sort_unstable();
            let want: Vec<_> = Coordinates::new(shape).map(|c| (offset(&c, &a), offset(&c, &b))).collect();
            assert_eq!(got, want, "{shape:?}");
        }
    }

    #[test]
    fn contiguous_operands_are_one_lane() {
        let (shape, l) = ([5, 4, 3], steps(&[5, 4, 3], 8));
        let mut lanes = Vec::new();
        each_lane(&shape, [&l, &l], |o, n, s| lanes.push((o, n, s)));
        assert_eq!(lanes, [([0, 0], 60, [8, 8])]);
    }
}
