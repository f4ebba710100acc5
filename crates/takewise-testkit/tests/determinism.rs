//! Writes give the same bits in any number of parts: the last (or first) of duplicates, sums in index order.
//!
//! Each call is large enough to be divided without being asked (0: the engine's choice) and is held against
//! the oracle, so the parts agree with each other and with the definition.

use takewise::index::rules::{Duplicates, Outside, Rules, Width};
use takewise::{DType, Slice};
use takewise_testkit::num::{REDUCES, Reduce};
use takewise_testkit::{Arr, Case, Op, Operand, Rng, Sub, Twist};

const PARTS: [usize; 4] = [0, 1, 2, 7];

fn check(op: Op, rules: &Rules, x: &Arr, index: &Arr, value: &Arr) {
    let label = format!("{op:?} {:?}", rules.duplicates);
    let case = Case::new(op, rules, Operand::plain(x), Operand::plain(index), Some(Operand::plain(value)));
    case.verify(&label, &PARTS, &Twist::default());
}

fn duplicates() -> [Rules; 2] {
    [Duplicates::Last, Duplicates::First].map(|duplicates| Rules { duplicates, ..Rules::NEUTRAL })
}

/// One long axis, few places, many hits each: nothing to divide by but the destination.
#[test]
fn stores_on_one_axis() {
    let mut rng = Rng::new(1);
    for (n, m) in [(7, 70_000), (50_000, 70_000)] {
        for rules in duplicates() {
            let (x, source) = (rng.arr(&[n], DType::I64), rng.arr(&[m], DType::I64));
            let index = rng.index(&[m], DType::I32, n, true, false);
            check(Op::Scatter { dim: 0 }, &rules, &x, &index, &source);
            check(Op::Put { accumulate: false }, &rules, &x, &index, &source);
            check(Op::IndexCopy { dim: 0 }, &rules, &x, &index, &source);
            check(Op::PutAlong { dim: 0 }, &rules, &x, &index, &source);
            let tuples = index.reshape(&[m, 1]);
            check(Op::ScatterNd { reduce: None }, &rules, &x, &tuples, &source);
        }
    }
}

/// Rows, batches and columns: lanes to divide by.
#[test]
fn stores_in_lanes() {
    let mut rng = Rng::new(2);
    for (shape, d, m) in [(&[3, 40][..], 0, 1700), (&[40, 3], 1, 1700), (&[9, 5, 20], 1, 370)] {
        for rules in duplicates() {
            let mut rows = shape.to_vec();
            rows[d] = m;
            let (x, source) = (rng.arr(shape, DType::I64), rng.arr(&rows, DType::I64));
            let along = rng.index(&rows, DType::I64, shape[d], true, false);
            check(Op::Scatter { dim: d as i64 }, &rules, &x, &along, &source);
            let vector = rng.index(&[m], DType::I64, shape[d], true, false);
            check(Op::IndexCopy { dim: d as i64 }, &rules, &x, &vector, &source);
        }
    }
}

#[test]
fn sums_of_every_width() {
    let mut rng = Rng::new(3);
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64, DType::I32, DType::C64] {
        for accumulate in [Width::Wide, Width::Native] {
            let rules = Rules { accumulate, ..Rules::NEUTRAL };
            let half = matches!(dtype, DType::F16 | DType::BF16);
            if accumulate == Width::Native && !half {
                continue; // the width only concerns halves
            }
            let (n, m) = (11, 12_000);
            let (x, source) = (rng.arr(&[n], dtype), rng.arr(&[m], dtype));
            let index = rng.index(&[m], DType::I64, n, true, false);
            for include_self in [true, false] {
                for reduce in if dtype.is_complex() { &REDUCES[..3] } else { &REDUCES[..] } {
                    let op = Op::ScatterReduce { dim: 0, reduce: *reduce, include_self };
                    check(op, &rules, &x, &index, &source);
                }
            }
            check(Op::Put { accumulate: true }, &rules, &x, &index, &source);
            check(Op::IndexAdd { dim: 0, alpha: 1 }, &rules, &x, &index, &source);
            let tuples = index.reshape(&[m, 1]);
            check(Op::ScatterNd { reduce: Some(Reduce::Sum) }, &rules, &x, &tuples, &source);
        }
    }
}

#[test]
fn sums_in_lanes() {
    let mut rng = Rng::new(4);
    for dtype in [DType::F16, DType::F32] {
        for (shape, d, m) in [(&[3, 40][..], 0, 600), (&[40, 3], 1, 600), (&[9, 5, 20], 1, 200)] {
            let mut rows = shape.to_vec();
            rows[d] = m;
            let (x, source) = (rng.arr(shape, dtype), rng.arr(&rows, dtype));
            let along = rng.index(&rows, DType::I64, shape[d], true, false);
            let vector = rng.index(&[m], DType::I64, shape[d], true, false);
            for reduce in REDUCES {
                let (dim, include_self) = (d as i64, reduce != Reduce::Prod);
                check(Op::ScatterReduce { dim, reduce, include_self }, &Rules::NEUTRAL, &x, &along, &source);
                check(Op::IndexReduce { dim, reduce, include_self }, &Rules::NEUTRAL, &x, &vector, &source);
            }
        }
    }
}

/// Values left out must not move the others.
#[test]
fn dropped_values() {
    let mut rng = Rng::new(5);
    let rules = Rules { outside: Outside::Drop, ..Rules::NEUTRAL };
    let (n, m) = (1000, 90_000);
    let (x, source) = (rng.arr(&[n], DType::F32), rng.arr(&[m], DType::F32));
    let index = rng.index(&[m], DType::I64, 3 * n, true, false);
    check(Op::Scatter { dim: 0 }, &rules, &x, &index, &source);
    check(Op::ScatterReduce { dim: 0, reduce: Reduce::Sum, include_self: true }, &rules, &x, &index, &source);
    check(Op::ScatterReduce { dim: 0, reduce: Reduce::Mean, include_self: false }, &rules, &x, &index, &source);
}

/// Masks are divided by counting first; each part must know where its values begin.
#[test]
fn masks_in_parts() {
    let mut rng = Rng::new(6);
    for shape in [&[70_000][..], &[200, 350], &[3, 23_000]] {
        for dtype in [DType::I64, DType::U8, DType::Opaque { size: 12, align: 4, tag: 0 }] {
            let (x, mask) = (rng.arr(shape, dtype), rng.mask(shape));
            let source = rng.arr(shape, dtype);
            check(Op::MaskedScatter, &Rules::NEUTRAL, &x, &mask, &source);
            check(Op::MaskedSelect, &Rules::NEUTRAL, &x, &mask, &source);
            if dtype == DType::I64 {
                check(Op::MaskedFill { value: 1 }, &Rules::NEUTRAL, &x, &mask, &source);
                check(Op::Nonzero, &Rules::NEUTRAL, &mask, &mask, &source);
            }
        }
    }
}

#[test]
fn subscripts_in_parts() {
    let mut rng = Rng::new(7);
    let (n, m) = (40, 2000);
    let all = Sub::Range(Slice::ALL);
    for rules in duplicates() {
        for (shape, before) in [(&[n, 30][..], 0), (&[30, n], 1), (&[n], 0)] {
            let x = rng.arr(shape, DType::F32);
            let m = if shape.len() == 1 { 40 * m } else { m };
            let index = rng.index(&[m], DType::I64, n, true, false);
            let mut target = shape.to_vec();
            target[before] = m;
            let mut subs = vec![all.clone(); before];
            subs.push(Sub::Array(index.clone()));
            for op in [Op::Get, Op::Set, Op::SetAdd] {
                let case = Case {
                    op,
                    rules,
                    x: Operand::plain(&x),
                    subs: subs.clone(),
                    index: vec![Operand::plain(&index)],
                    value: Some(Operand::plain(&rng.arr(&target, DType::F32))),
                };
                case.verify("subscript", &PARTS, &Twist::default());
            }
        }
    }
}
