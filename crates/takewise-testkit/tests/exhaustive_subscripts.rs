//! Every kind of subscript entry against the oracle: alone with every value, crossed pairwise, and in threes,
//! under torch's and NumPy's placement.

use takewise::index::rules::*;
use takewise::{DType, Slice};
use takewise_testkit::worlds::{OUTSIDES, SIZES, masks, shapes, tuples};
use takewise_testkit::{Arr, Op, Sub, World, numel};

/// torch's and NumPy's reading of a subscript.
fn dialects() -> [Rules; 2] {
    let numpy = Rules::NEUTRAL;
    let torch = Rules {
        lone_int: LoneInt::SelectsFirst,
        ellipsis_splits: false,
        empty: Empty::Forgives,
        negative_step: false,
        ..numpy
    };
    [torch, numpy]
}

/// Both readings under every policy.
fn all_rules() -> Vec<Rules> {
    let mut all = vec![];
    for dialect in dialects() {
        for sign in [Sign::FromEnd, Sign::NonNegative] {
            for outside in OUTSIDES {
                all.push(Rules { sign, outside, ..dialect });
            }
        }
    }
    all
}

fn slice(start: Option<i64>, stop: Option<i64>, step: Option<i64>) -> Sub {
    Sub::Range(Slice { start, stop, step })
}

fn array(shape: &[usize], values: &[i64]) -> Sub {
    Sub::Array(Arr::ints(shape, DType::I64, values))
}

/// Every entry for an axis of length `n`, every value included.
fn every_entry(n: usize) -> Vec<Sub> {
    let m = n as i64;
    let mut all = vec![Sub::New, Sub::Ellipsis, Sub::Bool(true), Sub::Bool(false), array(&[0], &[])];
    let mut bounds: Vec<Option<i64>> = (-m - 2..=m + 2).map(Some).collect();
    bounds.push(None);
    for &start in &bounds {
        for &stop in &bounds {
            for step in [None, Some(1), Some(2), Some(3), Some(-1), Some(-2), Some(0), Some(i64::MAX), Some(i64::MIN)] {
                all.push(slice(start, stop, step));
            }
        }
    }
    for v in [i64::MIN, i64::MAX] {
        all.push(slice(Some(v), None, None));
        all.push(slice(None, Some(v), Some(-1)));
        all.push(Sub::Int(v));
        all.push(array(&[1], &[v]));
    }
    for v in -m - 1..=m {
        all.extend([Sub::Int(v), array(&[], &[v]), array(&[1, 1], &[v])]);
    }
    for len in 1..=2 {
        all.extend(tuples(len, -m - 1, m).iter().map(|t| array(&[len], t)));
    }
    all.extend(masks(&[n]).into_iter().map(Sub::Array));
    all.push(Sub::Array(Arr::mask(&[n + 1], &vec![true; n + 1])));
    all.extend(masks(&[]).into_iter().map(Sub::Array));
    all
}

/// One or a few entries of every kind for an axis of length `n`.
fn kinds(n: usize) -> Vec<Sub> {
    let m = n as i64;
    vec![
        Sub::Int(0),
        Sub::Int(-m - 1),
        slice(None, None, None),
        slice(Some(1), None, Some(2)),
        slice(None, None, Some(-1)),
        Sub::New,
        Sub::Ellipsis,
        Sub::Bool(true),
        Sub::Bool(false),
        array(&[], &[m - 1]),
        array(&[0], &[]),
        array(&[2], &[0, -1]),
        array(&[2], &[m - 1, m]),
        array(&[2, 1], &[-m, 0]),
        Sub::Array(Arr::mask(&[n], &(0..n).map(|k| k % 2 == 0).collect::<Vec<_>>())),
        Sub::Array(Arr::mask(&[n], &vec![false; n])),
    ]
}

fn ellipses(subs: &[Sub]) -> usize {
    subs.iter().filter(|s| **s == Sub::Ellipsis).count()
}

/// Reads, stores an array, stores a number's worth, and adds.
fn all_ways(w: &mut World, rules: &Rules, shape: &[usize], subs: &[Sub]) {
    let dtype = SIZES[w.count as usize % SIZES.len()];
    let x = Arr::arange(shape, dtype);
    w.subscript(Op::Get, rules, &x, subs, None);
    let case = takewise_testkit::oracle::subscript(shape, subs, rules);
    let target = case.map(|c| c.shape).unwrap_or_default();
    let mut value = Arr::arange(&target, dtype);
    let rules = Rules { duplicates: [Duplicates::Last, Duplicates::First][w.count as usize % 2], ..*rules };
    match w.count % 4 {
        0 => value = value.reshape(&[&[1, 1], &target[..]].concat()),
        1 if numel(&target) > 0 => value = Arr::new(&[], dtype, value.data[..1].to_vec()),
        2 if target.len() > 1 && numel(&target) > 0 => {
            let rows = numel(&target[1..]);
            value = Arr::new(&target[1..], dtype, value.data[..rows].to_vec());
        }
        _ => {}
    }
    w.subscript(Op::Set, &rules, &x, subs, Some(&value));
    if !matches!(dtype, DType::Opaque { .. }) {
        w.subscript(Op::SetAdd, &rules, &x, subs, Some(&value));
    }
}

#[test]
fn every_entry_on_a_line() {
    let mut w = World::new();
    for n in 0..=3 {
        for sub in every_entry(n) {
            for rules in all_rules() {
                all_ways(&mut w, &rules, &[n], std::slice::from_ref(&sub));
            }
        }
    }
}

#[test]
fn every_entry_on_a_scalar() {
    let mut w = World::new();
    for a in kinds(1) {
        for rules in all_rules() {
            all_ways(&mut w, &rules, &[], std::slice::from_ref(&a));
            for b in kinds(1) {
                let subs = [a.clone(), b];
                if ellipses(&subs) <= 1 {
                    all_ways(&mut w, &rules, &[], &subs);
                }
            }
        }
    }
}

#[test]
fn kinds_in_pairs() {
    let mut w = World::new();
    for shape in shapes(2, 0, 3) {
        for a in kinds(shape[0]) {
            for b in kinds(shape[1]) {
                let subs = [a.clone(), b];
                if ellipses(&subs) <= 1 {
                    for rules in all_rules() {
                        all_ways(&mut w, &rules, &shape, &subs);
                    }
                }
            }
        }
    }
}

/// In threes, so that something can stand between index arrays.
#[test]
fn kinds_in_threes() {
    let mut w = World::new();
    for shape in [&[2, 3, 2][..], &[2, 3, 2, 3], &[3, 0, 2]] {
        for a in kinds(shape[0]) {
            for b in kinds(shape[1]) {
                for c in kinds(shape[2]) {
                    let subs = [a.clone(), b.clone(), c];
                    if ellipses(&subs) <= 1 {
                        for rules in dialects() {
                            all_ways(&mut w, &rules, shape, &subs);
                        }
                    }
                }
            }
        }
    }
}

/// Masks of every rank at every place, alone and beside other entries.
#[test]
fn masks_of_every_rank() {
    let mut w = World::new();
    for shape in shapes(3, 1, 2) {
        for rank in 1..=3 {
            for first in 0..=3 - rank {
                for mask in masks(&shape[first..first + rank]).into_iter().step_by(if rank == 3 { 7 } else { 1 }) {
                    let hits = mask.data.iter().filter(|e| e[0] != 0).count();
                    let beside =
                        [array(&[1], &[0]), array(&[hits], &vec![0; hits]), Sub::Int(-1), slice(None, None, Some(2))];
                    for rules in dialects() {
                        let mut subs = vec![slice(None, None, None); first];
                        subs.push(Sub::Array(mask.clone()));
                        all_ways(&mut w, &rules, &shape, &subs);
                        if first + rank < 3 {
                            for b in &beside {
                                let mut subs = subs.clone();
                                subs.push(b.clone());
                                all_ways(&mut w, &rules, &shape, &subs);
                            }
                        }
                        for b in &beside[..if first > 0 { 4 } else { 0 }] {
                            let mut subs = subs.clone();
                            subs[0] = b.clone();
                            all_ways(&mut w, &rules, &shape, &subs);
                        }
                        let bytes = Arr::new(
                            &mask.shape,
                            DType::U8,
                            mask.data
                                .iter()
                                .map(|e| {
                                    let mut e = *e;
                                    e[0] *= 255;
                                    e
                                })
                                .collect(),
                        );
                        let as_mask = Rules { byte_masks: true, ..rules };
                        let mut subs = vec![slice(None, None, None); first];
                        subs.push(Sub::Array(bytes));
                        w.subscript(Op::Get, &as_mask, &Arr::arange(&shape, DType::I32), &subs, None);
                    }
                }
            }
        }
    }
}

/// Values that do not fit.
#[test]
fn values_of_every_shape() {
    let mut w = World::new();
    for target in [&[2, 3][..], &[3], &[0, 2], &[1, 3]] {
        let x = Arr::arange(target, DType::I32);
        for subs in [
            vec![],
            vec![slice(None, None, None)],
            vec![array(&[2], &[0, 0])],
            vec![Sub::Array(Arr::mask(&target[..1], &vec![true; target[0]]))],
        ] {
            for vshape in shapes(1, 0, 3).into_iter().chain(shapes(2, 0, 3)).chain([
                vec![],
                vec![1, 2, 3],
                vec![1, 1, 1, 3],
                vec![2, 1, 1, 3],
            ]) {
                for rules in dialects() {
                    w.subscript(Op::Set, &rules, &x, &subs, Some(&Arr::arange(&vshape, DType::I32)));
                }
            }
        }
    }
}
