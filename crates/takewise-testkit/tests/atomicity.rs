//! A write that fails has written nothing: the bad value may stand first, last, or at any block or part
//! boundary, in calls small and large, in any number of parts.

use takewise::index::rules::{Duplicates, Rules};
use takewise::{DType, Slice};
use takewise_testkit::num::Reduce;
use takewise_testkit::oracle::Bad;
use takewise_testkit::{Arr, Case, Op, Operand, Rng, Sub, Twist, numel};

const PARTS: [usize; 3] = [0, 1, 7];

/// The case must fail, and `verify` sees that `x` kept its contents.
fn fails(case: Case) {
    assert!(case.expected().is_err(), "not a failing case: {case:?}");
    case.verify("atomic", &PARTS, &Twist::default());
}

/// The case of plain operands under neutral rules.
fn refused(op: Op, x: &Arr, index: &Arr, value: &Arr) {
    let [x, index, value] = [x, index, value].map(Operand::plain);
    fails(Case::new(op, &Rules::NEUTRAL, x, index, Some(value)));
}

/// Positions where a value is most likely to be looked at too late.
fn spots(m: usize) -> Vec<usize> {
    let mut all: Vec<usize> = [0, 511, 512, 4096, m - 1].into();
    if m > 20_000 {
        all = vec![513, m - 1];
    }
    all.retain(|k| *k < m);
    all.dedup();
    all
}

fn spoiled(index: &Arr, at: usize, value: i64) -> Arr {
    let mut values: Vec<i64> = (0..index.data.len()).map(|k| index.int_at(k) as i64).collect();
    values[at] = value;
    Arr::ints(&index.shape, index.dtype, &values)
}

/// Shapes with the indexed axis, whose calls divide in different ways: by destination, by lanes, by batches
/// (small ones with long rows too, whose positions all fit one block).
const WORLDS: [(&[usize], usize, usize); 7] = [
    (&[10], 0, 3),
    (&[10], 0, 21_000),
    (&[5, 300], 0, 550),
    (&[300, 5], 1, 550),
    (&[40, 6, 9], 1, 40),
    (&[8, 3, 500], 1, 8),
    (&[2, 3, 6000], 1, 4),
];

#[test]
fn along_an_axis() {
    let mut rng = Rng::new(1);
    for (shape, d, m) in WORLDS {
        let mut rows = shape.to_vec();
        rows[d] = m;
        let dtype = DType::C128;
        let (x, source) = (rng.arr(shape, dtype), rng.arr(&rows, dtype));
        let (dim, n) = (d as i64, shape[d]);
        let good = rng.index(&rows, DType::I64, n, false, false);
        for at in spots(numel(&rows)) {
            let index = spoiled(&good, at, if at % 2 == 0 { n as i64 } else { -1 - n as i64 });
            let mut all = vec![Op::Scatter { dim }, Op::ScatterValue { dim, value: 3 }];
            for reduce in [Reduce::Sum, Reduce::Mean, Reduce::Amax] {
                all.push(Op::ScatterReduce { dim, reduce, include_self: reduce == Reduce::Sum });
            }
            all.push(Op::PutAlong { dim });
            for op in all {
                refused(op, &x, &index, &source);
            }
        }
    }
}

#[test]
fn rows() {
    let mut rng = Rng::new(2);
    for (shape, d, m) in WORLDS {
        let mut rows = shape.to_vec();
        rows[d] = m;
        let dtype = DType::C128;
        let (x, source) = (rng.arr(shape, dtype), rng.arr(&rows, dtype));
        let (dim, n) = (d as i64, shape[d]);
        let good = rng.index(&[m], DType::I32, n, false, false);
        for at in spots(m) {
            let index = spoiled(&good, at, n as i64);
            for op in [
                Op::IndexCopy { dim },
                Op::IndexAdd { dim, alpha: 1 },
                Op::IndexAdd { dim, alpha: 2 },
                Op::IndexFill { dim, value: 1 },
                Op::IndexReduce { dim, reduce: Reduce::Prod, include_self: true },
                Op::IndexReduce { dim, reduce: Reduce::Amin, include_self: false },
            ] {
                refused(op, &x, &index, &source);
            }
            let tuples = index.reshape(&[m, 1]);
            if d == 0 {
                for reduce in [None, Some(Reduce::Sum)] {
                    refused(Op::ScatterNd { reduce }, &x, &tuples, &source);
                }
            }
        }
    }
}

#[test]
fn flat_positions() {
    let mut rng = Rng::new(3);
    for m in [1, 5, 600, 70_000] {
        let (x, source) = (rng.arr(&[20, 30], DType::I64), rng.arr(&[m], DType::I64));
        let good = rng.index(&[m], DType::I64, 600, true, false);
        for at in spots(m) {
            for accumulate in [false, true] {
                let index = spoiled(&good, at, 600);
                refused(Op::Put { accumulate }, &x, &index, &source);
            }
        }
    }
}

#[test]
fn subscripts() {
    let mut rng = Rng::new(4);
    for m in [2, 600, 30_000] {
        let x = rng.arr(&[9, 8], DType::F32);
        let [a, b] = [9, 8].map(|n| rng.index(&[m], DType::I64, n, true, false));
        for at in spots(m) {
            let (bad_a, bad_b) = (spoiled(&a, at, 9), spoiled(&b, at, -9));
            let all = Sub::Range(Slice::ALL);
            for (arrays, subs) in [
                (vec![bad_a.clone()], vec![Sub::Array(bad_a.clone())]),
                (vec![bad_b.clone()], vec![all.clone(), Sub::Array(bad_b.clone())]),
                (vec![a.clone(), bad_b.clone()], vec![Sub::Array(a.clone()), Sub::Array(bad_b.clone())]),
                (vec![bad_a.clone(), b.clone()], vec![Sub::Array(bad_a.clone()), Sub::Array(b.clone())]),
            ] {
                for op in [Op::Set, Op::SetAdd] {
                    let index = arrays.iter().map(Operand::plain).collect();
                    let value = Some(Operand::plain(&rng.arr(&[], DType::F32)));
                    let rules = Rules::NEUTRAL;
                    fails(Case { op, rules, x: Operand::plain(&x), subs: subs.clone(), index, value });
                }
            }
        }
    }
}

/// Duplicates that the rules forbid are found before anything is stored.
#[test]
fn forbidden_duplicates() {
    let rules = Rules { duplicates: Duplicates::Error, ..Rules::NEUTRAL };
    for m in [2i64, 700, 40_000] {
        let x = Arr::arange(&[m as usize], DType::I32);
        let mut values: Vec<i64> = (0..m).rev().collect();
        values[m as usize - 1] = -1;
        let index = Arr::ints(&[m as usize], DType::I64, &values);
        let source = Arr::zeros(&[m as usize], DType::I32);
        for op in [Op::Scatter { dim: 0 }, Op::Put { accumulate: false }, Op::IndexCopy { dim: 0 }] {
            let (x, index, v) = (Operand::plain(&x), Operand::plain(&index), Operand::plain(&source));
            let case = Case::new(op, &rules, x, index, Some(v));
            assert_eq!(case.expected(), Err(Bad::Other(takewise::Kind::Duplicate)));
            fails(case);
        }
    }
}

/// Sources and values that do not fit.
#[test]
fn misfits() {
    let x = Arr::arange(&[4, 3], DType::U8);
    let mask = Arr::mask(&[4, 3], &[true; 12]);
    let short = Arr::arange(&[11], DType::U8);
    refused(Op::MaskedScatter, &x, &mask, &short);
    let index = Arr::ints(&[2], DType::I64, &[0, 1]);
    refused(Op::IndexCopy { dim: 0 }, &x, &index, &Arr::zeros(&[3, 3], DType::U8));
    refused(Op::IndexAdd { dim: 0, alpha: 1 }, &x, &index, &Arr::zeros(&[2, 2], DType::U8));
    refused(Op::Put { accumulate: false }, &x, &index, &short);
    let index = Arr::ints(&[5, 4], DType::I64, &[0; 20]);
    refused(Op::Scatter { dim: 0 }, &x, &index, &Arr::zeros(&[5, 4], DType::U8));
}
