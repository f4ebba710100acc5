//! Every way of writing through an index, forced on small inputs: lengths around the blocks positions are served in, one
//! place and many, every element size, every kind of sum, other layouts, several threads; each held against the definition,
//! and each with a bad value somewhere, after which nothing may have changed.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use takewise::index::rules::{Duplicates, Outside, Rules, Width};
use takewise::strategy::Strategy;
use takewise::{AnyView, DType, Kind, Layout, View, ViewMut, ops, strategy, threads};
use takewise_testkit::num::{REDUCES, Reduce};
use takewise_testkit::worlds::SIZES;
use takewise_testkit::{Arr, Case, Op, Operand, Rng, Twist};

const R: Rules = Rules::NEUTRAL;
const PARTS: [usize; 3] = [1, 2, 7];

/// Index positions around a short block, two, and a block.
const COUNTS: [usize; 9] = [1, 3, 63, 64, 65, 128, 200, 513, 700];

/// The case, and the same with a value outside at a place most likely to be looked at too late.
fn both(op: &Op, rules: &Rules, x: &Operand, index: &Arr, value: &Arr, n: usize, twist: &Twist) {
    let run = |index: &Arr| {
        let case =
            Case::new(op.clone(), rules, x.clone(), Operand::new(index, twist), Some(Operand::new(value, twist)));
        // Each strategy has its turn.
        for _ in 0..3 {
            case.verify("forced", &PARTS, &Twist::default());
        }
    };
    run(index);
    let count = index.data.len();
    for at in [0, count / 2, count - 1] {
        let mut values: Vec<i64> = (0..count).map(|k| index.int_at(k) as i64).collect();
        values[at] = if at % 2 == 0 { n as i64 } else { -1 - n as i64 };
        if index.dtype == DType::U8 {
            values[at] = 255;
        }
        run(&Arr::ints(&index.shape, index.dtype, &values));
    }
}

#[test]
fn stores_of_every_size() {
    let mut rng = Rng::new(21);
    for (k, m) in COUNTS.into_iter().enumerate() {
        for (j, dtype) in SIZES.into_iter().enumerate() {
            let n = [1, 5, 90][(j + k) % 3];
            let kind = [DType::I64, DType::I32, DType::U8][(j + k) % 3];
            let (x, source) = (rng.arr(&[n], dtype), rng.arr(&[m], dtype));
            let index = rng.index(&[m], kind, n, kind != DType::U8, false);
            let twist = Twist { gap: (j + k) % 2 * 3, ..Twist::default() };
            for duplicates in [Duplicates::Last, Duplicates::First] {
                let rules = Rules { duplicates, ..R };
                both(&Op::Scatter { dim: 0 }, &rules, &Operand::plain(&x), &index, &source, n, &twist);
            }
            both(&Op::Put { accumulate: false }, &R, &Operand::new(&x, &twist), &index, &source, n, &twist);
        }
    }
}

#[test]
fn sums_of_every_dtype() {
    let mut rng = Rng::new(22);
    let dtypes = [DType::F16, DType::BF16, DType::F32, DType::F64, DType::I8, DType::U16, DType::I64, DType::C64];
    for (k, m) in COUNTS.into_iter().enumerate() {
        for (j, dtype) in dtypes.into_iter().enumerate() {
            let n = [1, 5, 90][(j + k) % 3];
            let (x, source) = (rng.arr(&[n], dtype), rng.arr(&[m], dtype));
            let index = rng.index(&[m], [DType::I64, DType::I16][j % 2], n, true, false);
            let twist = Twist { gap: (j + k) % 2 * 3, ..Twist::default() };
            for reduce in if dtype.is_complex() { &REDUCES[..3] } else { &REDUCES[..] } {
                let (include_self, accumulate) = ((j + k) % 4 < 2, [Width::Wide, Width::Native][(j / 4 + k) % 2]);
                let op = Op::ScatterReduce { dim: 0, reduce: *reduce, include_self };
                both(&op, &Rules { accumulate, ..R }, &Operand::new(&x, &twist), &index, &source, n, &twist);
            }
        }
    }
}

/// Positions that stay in one neighbourhood, as sorted ones do, up and down, with some of a part's and none of another's.
#[test]
fn stores_and_sums_that_rise() {
    let mut rng = Rng::new(26);
    for (k, m) in COUNTS.into_iter().enumerate() {
        for (j, dtype) in SIZES.into_iter().enumerate() {
            let n = [2, 7, 40][(j + k) % 3];
            let (x, source) = (rng.arr(&[n], dtype), rng.arr(&[m], dtype));
            let mut rise: Vec<i64> = (0..m).map(|at| (at * n / m) as i64).collect();
            if k % 3 == 1 {
                rise.reverse();
            }
            if k % 3 == 2 {
                rise.rotate_left(m / 3);
            }
            let twist = Twist { gap: (j + k) % 2 * 3, ..Twist::default() };
            let (x, index) = (Operand::new(&x, &twist), Arr::ints(&[m], DType::I64, &rise));
            both(&Op::Scatter { dim: 0 }, &R, &x, &index, &source, n, &twist);
            if !matches!(dtype, DType::Opaque { .. }) {
                for reduce in [Reduce::Sum, Reduce::Prod] {
                    let op = Op::ScatterReduce { dim: 0, reduce, include_self: true };
                    both(&op, &R, &x, &index, &source, n, &twist);
                }
            }
        }
    }
}

/// Places named many times in a row, from the front and from the end in turn, by numbers that stay in a register meanwhile,
/// with a bad value within a run.
#[test]
fn sums_of_runs() {
    let mut rng = Rng::new(27);
    for (k, m) in COUNTS.into_iter().enumerate() {
        for (j, dtype) in [DType::F16, DType::BF16, DType::F32, DType::F64, DType::C64].into_iter().enumerate() {
            let n = [2, 7, 40][(j + k) % 3];
            let place = |at: usize| (at * n / m) as i64;
            let rise: Vec<i64> = (0..m).map(|at| place(at) - if at / 5 % 2 == 1 { n as i64 } else { 0 }).collect();
            let index = Arr::ints(&[m], [DType::I64, DType::I16][k % 2], &rise);
            let twist = Twist { gap: (j + k) % 2 * 3, ..Twist::default() };
            let (x, source) = (Operand::new(&rng.arr(&[n], dtype), &twist), rng.arr(&[m], dtype));
            for reduce in if dtype.is_complex() { &REDUCES[..3] } else { &REDUCES[..] } {
                let op = Op::ScatterReduce { dim: 0, reduce: *reduce, include_self: true };
                both(&op, &R, &x, &index, &source, n, &twist);
            }
            let wide = [2, 3, 4, 8, 5][(j + k) % 5];
            let (x, source) = (Operand::new(&rng.arr(&[n, wide], dtype), &twist), rng.arr(&[m, wide], dtype));
            both(&Op::IndexAdd { dim: 0, alpha: 1 }, &R, &x, &index, &source, n, &twist);
        }
    }
}

/// Rows and columns of tables, transposed and reversed ones, and whole rows at a time.
#[test]
fn tables() {
    let mut rng = Rng::new(23);
    let twists = [
        Twist::default(),
        Twist { order: vec![1, 0], ..Twist::default() },
        Twist { reversed: 1, gap: 2, ..Twist::default() },
        Twist { reversed: 2, ..Twist::default() },
    ];
    for ([rows, columns], twist) in [[3, 70], [70, 3], [2, 130], [5, 64]].into_iter().zip(&twists) {
        // Every dtype on the plain table, and those that are added in another way on all.
        let dtypes = [DType::F16, DType::F32, DType::I64, DType::U8, DType::C128];
        for dtype in dtypes.into_iter().take(if twist.order.is_empty() && twist.reversed == 0 { 5 } else { 2 }) {
            let x = rng.arr(&[rows, columns], dtype);
            for dim in [0, 1] {
                let n = [rows, columns][dim];
                let mut shape = [rows, columns];
                shape[dim] = 100;
                let source = rng.arr(&shape, dtype);
                let index = rng.index(&shape, DType::I64, n, true, false);
                let few = rng.index(&[100], DType::I32, n, true, false);
                let (x, dim) = (Operand::new(&x, twist), dim as i64);
                both(&Op::Scatter { dim }, &R, &x, &index, &source, n, &Twist::default());
                for reduce in [Reduce::Sum, Reduce::Mean, Reduce::Prod] {
                    for include_self in [true, false] {
                        let op = Op::ScatterReduce { dim, reduce, include_self };
                        both(&op, &R, &x, &index, &source, n, &Twist::default());
                        let op = Op::IndexReduce { dim, reduce, include_self };
                        both(&op, &R, &x, &few, &source, n, &Twist::default());
                    }
                }
            }
        }
    }
}

/// Values left out take part in nothing, not even in counts.
#[test]
fn dropped_values() {
    let mut rng = Rng::new(24);
    let rules = Rules { outside: Outside::Drop, ..R };
    for m in COUNTS {
        for dtype in [DType::F16, DType::F32, DType::I32] {
            let (x, source) = (rng.arr(&[40], dtype), rng.arr(&[m], dtype));
            let index = rng.index(&[m], DType::I64, 60, true, false);
            for include_self in [true, false] {
                let op = Op::ScatterReduce { dim: 0, reduce: Reduce::Mean, include_self };
                both(&op, &rules, &Operand::plain(&x), &index, &source, 1000, &Twist::default());
            }
        }
    }
}

/// Places too far apart for a counter each are sorted; both ways give the same bits.
#[test]
fn places_far_apart() {
    let mut rng = Rng::new(25);
    for dtype in [DType::F16, DType::F32] {
        let (n, m) = (60_000, 40);
        let (x, source) = (rng.arr(&[n], dtype), rng.arr(&[m], dtype));
        let index = rng.index(&[m], DType::I64, n, true, false);
        for reduce in [Reduce::Sum, Reduce::Mean] {
            let op = Op::ScatterReduce { dim: 0, reduce, include_self: false };
            let case = Case::new(op, &R, Operand::plain(&x), Operand::plain(&index), Some(Operand::plain(&source)));
            (0..4).for_each(|_| case.verify("far apart", &PARTS, &Twist::default()));
        }
    }
}

/// Rows too long to be started from a value held in memory: they are counted.
#[test]
fn long_rows_that_start_afresh() {
    let mut rng = Rng::new(27);
    let width = (1 << 14) + 5;
    for (dtype, accumulate) in [(DType::F32, Width::Native), (DType::BF16, Width::Wide)] {
        let (x, source) = (rng.arr(&[3, width], dtype), rng.arr(&[4, width], dtype));
        let index = rng.index(&[4], DType::I64, 3, true, false);
        for reduce in [Reduce::Sum, Reduce::Mean] {
            let op = Op::IndexReduce { dim: 0, reduce, include_self: false };
            let rules = Rules { accumulate, ..R };
            let case = Case::new(op, &rules, Operand::plain(&x), Operand::plain(&index), Some(Operand::plain(&source)));
            (0..3).for_each(|_| case.verify("long rows", &PARTS, &Twist::default()));
        }
    }
}

/// Rows of half floats summed in f32: where they lie, in an array of sums, and sorted by their place.
#[test]
fn rows_of_halves() {
    let mut rng = Rng::new(28);
    let rules = Rules { accumulate: Width::Wide, ..R };
    for dtype in [DType::F16, DType::BF16] {
        for width in [2, 5, 33, 1030] {
            let (x, source) = (rng.arr(&[5, width], dtype), rng.arr(&[11, width], dtype));
            let index = rng.index(&[11], DType::I64, 5, true, false);
            for reduce in [Reduce::Sum, Reduce::Prod, Reduce::Mean] {
                for include_self in [true, false] {
                    let op = Op::IndexReduce { dim: 0, reduce, include_self };
                    both(&op, &rules, &Operand::plain(&x), &index, &source, 5, &Twist::default());
                }
            }
        }
    }
}

/// An index that changes while the write runs: another result or an error, and never another place.
#[test]
fn indices_that_change() {
    let n = 50;
    let (good, bad) = (7, 1 << 40);
    let index: Vec<AtomicI64> = (0..600).map(|_| AtomicI64::new(good)).collect();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for value in [bad, good, -bad, good, n as i64, good] {
                    index[300].store(value, Ordering::Relaxed);
                    index[599].store(value, Ordering::Relaxed);
                }
            }
        });
        // SAFETY: not sound by the letter, and the point of the test: values that change are what foreign memory does.
        let seen = unsafe { std::slice::from_raw_parts(index.as_ptr().cast::<i64>(), index.len()) };
        let seen: AnyView = View::from(seen).any();
        let values = vec![1.0f32; index.len()];
        let mut failures = 0;
        for round in 0..4000 {
            let mut guarded = vec![0f32; n + 2];
            let run = |x: &mut [f32]| {
                let x = &mut ViewMut::from(x).into();
                let v = View::from(&values[..]);
                match round / 2 % 3 {
                    0 => ops::scatter_(x, 0, seen.clone(), &v, None, &R),
                    1 => ops::scatter_add_(x, 0, seen.clone(), &v, &R),
                    _ => ops::scatter_reduce_(x, 0, seen.clone(), &v, takewise::Reduce::Mean, false, &R),
                }
            };
            let strategy = Strategy::ALL[round / 6 % Strategy::ALL.len()];
            let divided = || threads::with_threads(1 + round % 2, || run(&mut guarded[1..=n]));
            let outcome = strategy::prefer_strategy(strategy, divided);
            assert!(guarded[0] == 0.0 && guarded[n + 1] == 0.0);
            if let Err(e) = outcome {
                assert!(matches!(e.kind(), Kind::OutOfRange | Kind::Busy), "{e}");
                failures += 1;
            }
        }
        done.store(true, Ordering::Relaxed);
        assert!(failures > 0);
    });
}

/// What lies between the elements of a destination is somebody else's: it is never stored, not even as it was.
#[test]
fn gaps_belong_to_others() {
    let (rows, columns, across) = (60, 3, 4);
    let cells: Vec<AtomicI64> = (0..rows * across).map(|_| AtomicI64::new(0)).collect();
    let layout = Layout::new(&[rows, columns], &[8 * across as isize, 8]).unwrap();
    let index: Vec<i64> = (0..rows * columns).map(|k| (k * 7 % rows) as i64).collect();
    let index = View::new(&index, &[rows, columns]).unwrap().any();
    let ones = vec![1i64; rows * columns];
    let source = View::new(&ones, &[rows, columns]).unwrap();
    let done = AtomicBool::new(false);
    let told = std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let mut told = 0;
            while !done.load(Ordering::Relaxed) {
                cells[columns..].iter().step_by(across).for_each(|gap| _ = gap.fetch_add(1, Ordering::Relaxed));
                told += 1;
            }
            told
        });
        let start = cells.as_ptr().cast_mut().cast::<i64>();
        for round in 0..3000 {
            let reduce = [takewise::Reduce::Mean, takewise::Reduce::Sum, takewise::Reduce::Max][round % 3];
            let include_self = round % 2 == 0;
            // SAFETY: the elements of the layout are ours alone; what lies between them is the other thread's.
            let mut x = unsafe { ViewMut::from_raw(start, layout.clone()) }.into();
            let run = || ops::scatter_reduce_(&mut x, 0, index.clone(), &source, reduce, include_self, &R);
            let strategy = Strategy::ALL[round / 6 % Strategy::ALL.len()];
            strategy::prefer_strategy(strategy, || threads::with_threads(1 + round % 2, run)).unwrap();
        }
        done.store(true, Ordering::Relaxed);
        other.join().unwrap()
    });
    for gap in cells[columns..].iter().step_by(across) {
        assert_eq!(gap.load(Ordering::Relaxed), told);
    }
}
