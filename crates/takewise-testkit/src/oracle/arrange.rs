//! Sorting, reversing and replacing a part: operations without an index array, element by element.

use super::search::total_cmp;
use crate::arr::{Arr, coords, flat, numel};
use crate::num::Num;
use std::cmp::Ordering;
use takewise::{DType, Slice};

/// NumPy's order of complex numbers puts those with a NaN part last, an imaginary NaN before a real one.
fn sort_cmp(a: Num, b: Num) -> Ordering {
    let group = |v: Num| if let Num::Complex(re, im) = v { (re.is_nan(), im.is_nan()) } else { (false, false) };
    group(a).cmp(&group(b)).then(total_cmp(a, b))
}

/// The positions that sort each lane along `axis`: an element's place is the number of elements before it, which
/// are the smaller (or larger) ones and the equal ones that stood earlier.
pub fn argsort(x: &Arr, axis: usize, descending: bool) -> Arr {
    let mut positions = vec![0; numel(&x.shape)];
    for c in coords(&x.shape) {
        let lane = |k: usize| {
            let mut at = c.clone();
            at[axis] = k;
            at
        };
        let before = |k: &usize| {
            let order = sort_cmp(x.num(&lane(*k)), x.num(&c));
            let order = if descending { order.reverse() } else { order };
            order.then(k.cmp(&c[axis])) == Ordering::Less
        };
        let place = (0..x.shape[axis]).filter(before).count();
        positions[flat(&x.shape, &lane(place))] = c[axis] as i64;
    }
    Arr::ints(&x.shape, DType::I64, &positions)
}

/// `x` read at the positions `order` along `axis`.
pub fn sorted(x: &Arr, axis: usize, order: &Arr) -> Arr {
    let one = |c: &Vec<usize>| {
        let mut at = c.clone();
        at[axis] = order.int_at(flat(&order.shape, c)) as usize;
        x.at(&at)
    };
    Arr::new(&x.shape, x.dtype, coords(&x.shape).iter().map(one).collect())
}

/// `x` with some axes reversed.
pub fn flip(x: &Arr, axes: &[usize]) -> Arr {
    let turn = |(d, &i): (usize, &usize)| if axes.contains(&d) { x.shape[d] - 1 - i } else { i };
    let one = |c: &Vec<usize>| x.at(&c.iter().enumerate().map(turn).collect::<Vec<_>>());
    Arr::new(&x.shape, x.dtype, coords(&x.shape).iter().map(one).collect())
}

/// `x` with the elements replaced for which `find` names coordinates of `src`.
pub fn replaced(x: &Arr, src: &Arr, find: impl Fn(&[usize]) -> Option<Vec<usize>>) -> Arr {
    let one = |c: &Vec<usize>| find(c).map_or_else(|| x.at(c), |at| src.at(&at));
    Arr::new(&x.shape, x.dtype, coords(&x.shape).iter().map(one).collect())
}

/// The positions a slice with a positive step takes of an axis of length `n`.
pub fn slice_positions(n: usize, slice: &Slice) -> Vec<usize> {
    let n = n as i64;
    let bound = |v: i64| (if v < 0 { v + n } else { v }).max(0);
    let (start, stop) = (bound(slice.start.unwrap_or(0)), bound(slice.stop.unwrap_or(n)));
    let step = slice.step.unwrap_or(1);
    (0..n).filter(|&k| k >= start && k < stop && (k - start) % step == 0).map(|k| k as usize).collect()
}
