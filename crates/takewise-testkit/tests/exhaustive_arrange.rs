//! Sorting, reversing and replacing a part against the oracle: small shapes, every axis and dtype, every layout.

use takewise::dtype::DTYPES;
use takewise::{Rules, Slice, Tensor, ops};
use takewise_testkit::operand::twists;
use takewise_testkit::oracle::arrange::{argsort, flip, replaced, slice_positions, sorted};
use takewise_testkit::verify::{contents, same};
use takewise_testkit::{Arr, Operand, Rng};

const SHAPES: &[&[usize]] = &[&[0], &[1], &[7], &[40], &[3, 4], &[2, 0, 3], &[4, 1, 3], &[2, 3, 2]];

fn holds(what: &str, got: takewise::Result<Tensor>, want: &Arr) {
    let got = contents(got).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert!(same(&got, want, false), "{what}:\n  got  {got:?}\n  want {want:?}");
}

/// Calls `check` with a random array of every shape and dtype in every layout.
fn every_operand(seed: u64, mut check: impl FnMut(&mut Rng, &str, &Operand)) {
    let mut rng = Rng::new(seed);
    for shape in SHAPES {
        for dtype in DTYPES {
            for (name, twist) in twists(shape.len()) {
                let x = Operand::new(&rng.arr(shape, dtype), &twist);
                check(&mut rng, &format!("{dtype:?} {shape:?} {name}"), &x);
            }
        }
    }
}

#[test]
fn sort_and_argsort_are_stable_with_nan_last() {
    let r = Rules::NEUTRAL;
    every_operand(1, |_, name, x| {
        for axis in 0..x.value().shape.len() {
            for (descending, stable) in [(false, true), (true, true), (true, false)] {
                let what = format!("sort {name} axis {axis} descending {descending}: {:?}", x.value());
                let order = argsort(x.value(), axis, descending);
                holds(&what, ops::argsort(x.view(), axis as i64, descending, stable, &r), &order);
                let (values, positions) = ops::sort(x.view(), axis as i64, descending, stable, &r).unwrap();
                holds(&what, Ok(values), &sorted(x.value(), axis, &order));
                holds(&what, Ok(positions), &order);
            }
        }
    });
}

#[test]
fn flip_reverses_every_set_of_axes() {
    every_operand(2, |_, name, x| {
        let rank = x.value().shape.len();
        for set in 0..1 << rank {
            let axes: Vec<usize> = (0..rank).filter(|d| set >> d & 1 == 1).collect();
            let named: Vec<i64> = axes.iter().map(|&d| d as i64 - if d % 2 == 1 { rank as i64 } else { 0 }).collect();
            let what = format!("flip {name} {named:?}");
            holds(&what, ops::flip(x.view(), &named, &Rules::NEUTRAL), &flip(x.value(), &axes));
        }
    });
}

#[test]
fn a_replaced_slice_leaves_the_rest() {
    let r = Rules::NEUTRAL;
    let bounds = [None, Some(-9), Some(-2), Some(0), Some(1), Some(3), Some(9)];
    every_operand(3, |rng, name, x| {
        let x_ = x.value();
        for axis in 0..x_.shape.len() {
            let n = x_.shape[axis];
            let mut part = x_.shape.clone();
            part.remove(axis);
            for i in -(n as i64)..n as i64 {
                let src = rng.arr(&part, x_.dtype);
                let at = if i < 0 { i + n as i64 } else { i } as usize;
                let find = |c: &[usize]| (c[axis] == at).then(|| [&c[..axis], &c[axis + 1..]].concat());
                let what = format!("select_scatter {name} {axis} {i}");
                let got = ops::select_scatter(x.view(), axis as i64, i, Operand::plain(&src).view(), &r);
                holds(&what, got, &replaced(x_, &src, find));
            }
            let slice = Slice { start: rng.pick(&bounds), stop: rng.pick(&bounds), step: rng.pick(&[None, Some(2)]) };
            let taken = slice_positions(n, &slice);
            let mut part = x_.shape.clone();
            part[axis] = taken.len();
            let src = rng.arr(&part, x_.dtype);
            let find = |c: &[usize]| {
                let k = taken.iter().position(|&p| p == c[axis])?;
                Some([&c[..axis], &[k], &c[axis + 1..]].concat())
            };
            let what = format!("slice_scatter {name} {axis} {slice:?}");
            let got = ops::slice_scatter(x.view(), axis as i64, slice, Operand::plain(&src).view(), &r);
            holds(&what, got, &replaced(x_, &src, find));
        }
    });
}

#[test]
fn a_replaced_diagonal_leaves_the_rest() {
    every_operand(4, |rng, name, x| {
        let x_ = x.value();
        let rank = x_.shape.len();
        let pairs = (0..rank).flat_map(|a| (0..rank).map(move |b| (a, b))).filter(|(a, b)| a != b);
        for (a, b) in pairs {
            for offset in -3i64..=3 {
                let on = |i: usize, j: usize| j as i64 - i as i64 == offset;
                let length = (0..x_.shape[a]).filter(|&i| (0..x_.shape[b]).any(|j| on(i, j))).count();
                let rest = |c: &[usize]| (0..rank).filter(|&d| d != a && d != b).map(|d| c[d]).collect::<Vec<_>>();
                let src = rng.arr(&[rest(&x_.shape), vec![length]].concat(), x_.dtype);
                let find = |c: &[usize]| on(c[a], c[b]).then(|| [rest(c), vec![c[a].min(c[b])]].concat());
                let what = format!("diagonal_scatter {name} {offset} {a} {b}");
                let src_ = Operand::plain(&src);
                let got = ops::diagonal_scatter(x.view(), offset, a as i64, b as i64, src_.view(), &Rules::NEUTRAL);
                holds(&what, got, &replaced(x_, &src, find));
            }
        }
    });
}
