//! Every way of reading by index arrays, forced on small inputs: one pass over positions, one list of offsets for many rows,
//! packed strips, and blocks; every element size, index dtype and layout; lengths around sixteen; good values and bad ones.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use takewise::index::rules::{Outside, Rules, Sign};
use takewise::{AnyView, DType, Slice, View, ops};
use takewise_testkit::verify::in_parts;
use takewise_testkit::worlds::{INDEX_DTYPES, SIZES};
use takewise_testkit::{Arr, Case, Op, Operand, Rng, Sub, Twist};

fn twists() -> [Twist; 5] {
    let plain = Twist::default();
    [
        plain.clone(),
        Twist { lead: 1, ..plain.clone() },
        Twist { gap: 3, lead: 1, ..plain.clone() },
        Twist { reversed: u32::MAX, ..plain.clone() },
        Twist { order: vec![1, 0], ..plain },
    ]
}

/// A read, by a strategy of its turn and by the table, into fresh memory and into the caller's, and the same with a value that is outside.
fn check(rng: &mut Rng, op: Op, rules: &Rules, x: &Operand, subs: &[Sub], arrays: &[(Arr, usize)], threads: &[usize]) {
    for bad in [false, true] {
        let mut arrays: Vec<(Arr, usize)> = arrays.to_vec();
        let which = rng.below(arrays.len());
        let (index, n) = &mut arrays[which];
        if bad && index.data.is_empty() {
            continue;
        }
        if bad {
            let mut values: Vec<i64> = (0..index.data.len()).map(|k| index.int_at(k) as i64).collect();
            values[rng.below(index.data.len())] = rng.pick(&[*n as i64, 120]);
            *index = Arr::ints(&index.shape, index.dtype, &values);
        }
        let mut given = arrays.iter().map(|a| a.0.clone());
        let subs = subs.iter().map(|s| match s {
            Sub::Array(_) => Sub::Array(given.next().expect("an array each")),
            other => other.clone(),
        });
        let index = arrays.iter().map(|a| Operand::plain(&a.0)).collect();
        let case = Case { op: op.clone(), rules: *rules, x: x.clone(), subs: subs.collect(), index, value: None };
        if rng.below(2) == 0 {
            // The other way round: what had a strategy asked for has none.
            in_parts(1, || ());
        }
        case.verify("forced", threads, &Twist::default());
    }
}

/// An index array, and the length of the axis it is for.
fn index(rng: &mut Rng, shape: &[usize], dtype: DType, n: usize, rules: &Rules) -> (Arr, usize) {
    let signed = matches!(dtype, DType::I8 | DType::I16 | DType::I32 | DType::I64);
    (rng.index(shape, dtype, n, signed && rules.sign == Sign::FromEnd, false), n)
}

fn rules() -> [Rules; 2] {
    [Rules::NEUTRAL, Rules { sign: Sign::NonNegative, ..Rules::NEUTRAL }]
}

#[test]
fn along_an_axis() {
    let mut rng = Rng::new(21);
    for (round, dtype) in SIZES.into_iter().enumerate() {
        for (turn, index_dtype) in INDEX_DTYPES.into_iter().enumerate() {
            let rules = rules()[(round + turn) % 2];
            for (rows, width) in [(3, 47), (9, 16), (5, 33), (40, 4)] {
                let twist = &twists()[rng.below(5)];
                let x = Operand::new(&rng.arr(&[rows, width], dtype), twist);
                let threads: &[usize] = if rng.below(4) == 0 { &[1, 2, 7] } else { &[1] };
                for (dim, n) in [(0, rows), (1, width)] {
                    let i = index(&mut rng, &[rows, width], index_dtype, n, &rules);
                    check(&mut rng, Op::Gather { dim }, &rules, &x, &[], std::slice::from_ref(&i), threads);
                    check(&mut rng, Op::TakeAlong { dim }, &rules, &x, &[], &[i], threads);
                    let i = index(&mut rng, &[37], index_dtype, n, &rules);
                    check(&mut rng, Op::TakeAxis { axis: dim }, &rules, &x, &[], &[i], threads);
                }
            }
        }
    }
}

#[test]
fn one_long_axis() {
    let mut rng = Rng::new(22);
    for dtype in SIZES {
        for index_dtype in INDEX_DTYPES {
            let rules = rules()[rng.below(2)];
            for count in [1, 15, 16, 33, 127, 128, 150, 600] {
                let twist = &twists()[rng.below(4)];
                let n = 1 + rng.below(100);
                let x = Operand::new(&rng.arr(&[n], dtype), twist);
                let i = index(&mut rng, &[count], index_dtype, n, &rules);
                check(&mut rng, Op::Take, &rules, &x, &[], &[i], &[1, 2]);
            }
        }
    }
}

#[test]
fn subscripts() {
    let mut rng = Rng::new(23);
    let sub = |a: &(Arr, usize)| Sub::Array(a.0.clone());
    for (round, dtype) in SIZES.into_iter().enumerate() {
        for (turn, index_dtype) in INDEX_DTYPES.into_iter().enumerate() {
            let rules = Rules { outside: [Outside::Raise, Outside::Clip][(round + turn) % 3 % 2], ..Rules::NEUTRAL };
            for (rows, width) in [(7, 45), (40, 3)] {
                let twist = &twists()[rng.below(5)];
                let x = Operand::new(&rng.arr(&[rows, width], dtype), twist);
                let threads: &[usize] = if rng.below(4) == 0 { &[1, 2, 7] } else { &[1] };
                // Points, columns, and arrays that lie across each other either way.
                let (i, j) = (
                    index(&mut rng, &[130], index_dtype, rows, &rules),
                    index(&mut rng, &[130], index_dtype, width, &rules),
                );
                let all = Sub::Range(Slice::ALL);
                check(&mut rng, Op::Get, &rules, &x, &[sub(&i), sub(&j)], &[i.clone(), j.clone()], threads);
                check(&mut rng, Op::Get, &rules, &x, &[all.clone(), sub(&j)], std::slice::from_ref(&j), threads);
                let (down, right) = ((i.0.reshape(&[130, 1]), rows), (i.0.reshape(&[1, 130]), rows));
                let j = index(&mut rng, &[35], index_dtype, width, &rules);
                let (j_right, j_down) = ((j.0.reshape(&[1, 35]), width), (j.0.reshape(&[35, 1]), width));
                check(&mut rng, Op::Get, &rules, &x, &[sub(&down), sub(&j_right)], &[down, j_right], threads);
                check(&mut rng, Op::Get, &rules, &x, &[sub(&right), sub(&j_down)], &[right, j_down], threads);
                let x = Operand::new(&rng.arr(&[3, rows, width], dtype), &Twist { order: vec![], ..twist.clone() });
                check(&mut rng, Op::Get, &rules, &x, &[all.clone(), all, sub(&j)], &[j], threads);
            }
        }
    }
}

/// Values that another thread changes all the time, good ones and bad ones: a call may fail or read any elements, but what
/// it reads is of its input.
#[test]
fn values_that_change_meanwhile() {
    const N: usize = 3000;
    let flickering: Vec<AtomicI64> = (0..N).map(|k| AtomicI64::new(k as i64 % 64)).collect();
    let mut guarded = vec![-1.0f32; 64 * 64 + 128];
    guarded[64..64 + 64 * 64].iter_mut().for_each(|v| *v = 1.0);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut rng = Rng::new(8);
            while !stop.load(Ordering::Relaxed) {
                let value = rng.pick(&[3, -3, 63, 64, 70, i64::MIN, i64::MAX, 1 << 33]);
                flickering[rng.below(N)].store(value, Ordering::Relaxed);
                for _ in 0..40 {
                    flickering[rng.below(N)].store(5, Ordering::Relaxed);
                }
                if rng.one_in(50) {
                    flickering.iter().for_each(|i| i.store(7, Ordering::Relaxed));
                }
            }
        });
        // SAFETY: not sound by the letter, and the point of the test: values that change are what foreign memory does.
        let values = unsafe { std::slice::from_raw_parts(flickering.as_ptr().cast::<i64>(), N) };
        let x = View::strided(&guarded, 64, &[64, 64], &[64, 1]).unwrap();
        let line = View::strided(&guarded, 64, &[64], &[1]).unwrap();
        let (one, table): (AnyView, AnyView) =
            (View::from(values).any(), View::strided(values, 0, &[40, 64], &[64, 1]).unwrap().any());
        let (mut read, mut round) = (0, 0);
        // Until some calls met good values alone, which on a busy machine may take longer.
        while round < 900 || (read == 0 && round < 90_000) {
            let run = || {
                let gather = |dim| ops::gather(&x, dim, &table, &Rules::NEUTRAL);
                for got in [gather(0), gather(1), ops::take(&line, &one, &Rules::NEUTRAL)].into_iter().flatten() {
                    assert!(got.to_vec::<f32>().unwrap().iter().all(|v| *v == 1.0), "read outside its input");
                    read += 1;
                }
            };
            in_parts([1, 2, 7][round % 3], run);
            round += 1;
        }
        stop.store(true, Ordering::Relaxed);
        assert!(read > 0, "no call met good values alone");
    });
}
