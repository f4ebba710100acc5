//! The workloads, one per family and a few sizes.

use crate::table::Case;
use arrow_array::cast::AsArray;
use arrow_array::types::Float32Type;
use arrow_array::{Float32Array, Int64Array};
use arrow_select::take::{TakeOptions, take};
use candle_core::{Device, Tensor as Candle};
use ndarray::{Array2, ArrayView1, ArrayView2, Axis};
use std::cell::RefCell;
use takewise::ops::{self, Search};
use takewise::{AnyViewMut, Reduce, Rules, Tensor, View, ViewMut};

const R: Rules = Rules::NEUTRAL;

/// A repeatable generator of indices below `n`.
pub fn random(count: usize, n: usize) -> Vec<i64> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..count).map(|_| (next() % n as u64) as i64).collect()
}

fn floats(n: usize) -> Vec<f32> {
    (0..n).map(|k| (k % 1021) as f32).collect()
}

/// A cheap checksum: a few places of the answer.
fn probe(v: &[f32]) -> f64 {
    let n = v.len();
    if n == 0 { 0.0 } else { [0, n / 3, n / 2, n - 1].iter().map(|&k| f64::from(v[k])).sum() }
}

fn of(t: Tensor) -> f64 {
    t.read::<f32>().map(|r| r.as_slice().map_or(f64::NAN, probe)).unwrap_or(f64::NAN)
}

fn of_candle(t: Candle) -> f64 {
    let n = t.elem_count();
    let flat = t.flatten_all().unwrap();
    let at = |k: usize| f64::from(flat.get(k).unwrap().to_scalar::<f32>().unwrap());
    [0, n / 3, n / 2, n - 1].into_iter().map(at).sum()
}

type Family = fn(&mut dyn FnMut(Case));

/// The families and what the names of their cases start with, so that a filter builds no others.
const FAMILIES: [(&[&str], Family); 6] = [
    (&["call"], small),
    (&["take", "rows"], takes),
    (&["gather"], gathers),
    (&["mask"], crate::masks::all),
    (&["put", "scatter_add"], writes),
    (&["searchsorted"], searches),
];

pub fn all(filter: &str, run: &mut dyn FnMut(Case)) {
    for (names, family) in FAMILIES {
        if names.iter().any(|n| n.starts_with(filter) || filter.starts_with(n)) {
            family(run);
        }
    }
}

/// Fixed cost: plans and calls on four elements.
fn small(run: &mut dyn FnMut(Case)) {
    let x = floats(16);
    let i = [3i64, 1, 2, 0];
    let (xv, iv) = (View::new(&x, &[4, 4]).unwrap(), View::from(&i[..]));
    let matrix = View::new(&i, &[4, 1]).unwrap();
    let mut out = [0f32; 16];
    run(Case {
        name: "call: gather 4 of (4, 4), into",
        elements: 1,
        engines: vec![
            (
                "takewise",
                Box::new(|| {
                    let mut o: AnyViewMut = ViewMut::new(&mut out[..4], &[4, 1]).unwrap().into();
                    ops::gather_into(&xv, 1, &matrix, &mut o, &R).unwrap();
                    0.0
                }),
            ),
            (
                "loop",
                Box::new(|| {
                    let mut o = [0f32; 4];
                    for (k, j) in std::hint::black_box(&i).iter().enumerate() {
                        o[k] = x[4 * k + *j as usize];
                    }
                    std::hint::black_box(&o);
                    0.0
                }),
            ),
        ],
    });
    let array = ArrayView2::from_shape((4, 4), &x).unwrap();
    let at: Vec<usize> = i.iter().map(|v| *v as usize).collect();
    run(Case {
        name: "call: take 4 rows of (4, 4)",
        elements: 1,
        engines: vec![
            ("takewise", Box::new(|| of(ops::take_axis(&xv, 0, &iv, &R).unwrap()))),
            ("ndarray", Box::new(|| probe(array.select(Axis(0), &at).as_slice().unwrap()))),
        ],
    });
}

fn takes(run: &mut dyn FnMut(Case)) {
    for (name, source, count) in [
        ("take: 1M from 16 KiB", 4 << 10, 1 << 20),
        ("take: 1M from 1 MiB", 256 << 10, 1 << 20),
        ("take: 4M from 256 MiB", 64 << 20, 4 << 20),
    ] {
        let (x, i) = (floats(source), random(count, source));
        let at: Vec<usize> = i.iter().map(|v| *v as usize).collect();
        let array = ArrayView1::from(&x);
        let (cx, ci) = candle_pair(&x, &[source], &i, &[count]);
        let (ax, ai) = (Float32Array::from(x.clone()), Int64Array::from(i.clone()));
        let options = Some(TakeOptions { check_bounds: true });
        run(Case {
            name,
            elements: count,
            engines: vec![
                ("takewise", Box::new(|| of(ops::take(View::from(&x[..]), View::from(&i[..]), &R).unwrap()))),
                ("ndarray", Box::new(|| probe(array.select(Axis(0), &at).as_slice().unwrap()))),
                ("candle", Box::new(|| of_candle(cx.index_select(&ci, 0).unwrap()))),
                (
                    "arrow",
                    Box::new(|| probe(take(&ax, &ai, options.clone()).unwrap().as_primitive::<Float32Type>().values())),
                ),
                ("loop", Box::new(|| probe(&i.iter().map(|k| x[*k as usize]).collect::<Vec<f32>>()))),
            ],
        });
    }
    for (name, width) in [("rows: 128K of width 16", 16), ("rows: 128K of width 64", 64)] {
        let (x, i) = (floats(width << 18), random(1 << 17, 1 << 18));
        let at: Vec<usize> = i.iter().map(|v| *v as usize).collect();
        let array = ArrayView2::from_shape((1 << 18, width), &x).unwrap();
        let (cx, ci) = candle_pair(&x, &[1 << 18, width], &i, &[1 << 17]);
        let xv = View::new(&x, &[1 << 18, width]).unwrap();
        run(Case {
            name,
            elements: width << 17,
            engines: vec![
                ("takewise", Box::new(|| of(ops::take_axis(&xv, 0, View::from(&i[..]), &R).unwrap()))),
                ("ndarray", Box::new(|| probe(array.select(Axis(0), &at).as_slice().unwrap()))),
                ("candle", Box::new(|| of_candle(cx.index_select(&ci, 0).unwrap()))),
                (
                    "loop",
                    Box::new(|| {
                        let mut out = Vec::with_capacity(width << 17);
                        i.iter().for_each(|k| out.extend_from_slice(&x[*k as usize * width..][..width]));
                        probe(&out)
                    }),
                ),
            ],
        });
    }
}

fn candle_pair(x: &[f32], shape: &[usize], i: &[i64], index_shape: &[usize]) -> (Candle, Candle) {
    let cpu = Device::Cpu;
    (Candle::from_slice(x, shape, &cpu).unwrap(), Candle::from_slice(i, index_shape, &cpu).unwrap())
}

fn gathers(run: &mut dyn FnMut(Case)) {
    let n = 2048;
    let (x, i) = (floats(n * n), random(n * n, n));
    let (xv, iv) = (View::new(&x, &[n, n]).unwrap(), View::new(&i, &[n, n]).unwrap());
    let (cx, ci) = candle_pair(&x, &[n, n], &i, &[n, n]);
    for (name, dim) in [("gather: dim 1, 2048 x 2048", 1), ("gather: dim 0, 2048 x 2048", 0)] {
        let (x, i, cx, ci) = (&x, &i, &cx, &ci);
        run(Case {
            name,
            elements: n * n,
            engines: vec![
                ("takewise", Box::new(|| of(ops::gather(&xv, dim as i64, &iv, &R).unwrap()))),
                ("candle", Box::new(move || of_candle(cx.gather(ci, dim).unwrap()))),
                (
                    "loop",
                    Box::new(move || {
                        let at = |k: usize| {
                            let v = i[k] as usize;
                            if dim == 1 { x[k / n * n + v] } else { x[v * n + k % n] }
                        };
                        probe(&(0..n * n).map(at).collect::<Vec<f32>>())
                    }),
                ),
            ],
        });
    }
}

fn writes(run: &mut dyn FnMut(Case)) {
    for (name, target) in [("put: 1M into 4 MiB", 1 << 20), ("put: 1M into 64 MiB", 16 << 20)] {
        let (i, v) = (random(1 << 20, target), floats(1 << 20));
        // One destination for all, so that nobody's pages are better than another's.
        let (i, v, x) = (&i, &v, &RefCell::new(vec![0f32; target]));
        run(Case {
            name,
            elements: 1 << 20,
            engines: vec![
                (
                    "takewise",
                    Box::new(move || {
                        let mut x = x.borrow_mut();
                        let mut dst: AnyViewMut = ViewMut::from(&mut x[..]).into();
                        ops::put_(&mut dst, View::from(&i[..]), &View::from(&v[..]), false, &R).unwrap();
                        probe(&x)
                    }),
                ),
                (
                    "loop",
                    Box::new(move || {
                        let x = &mut x.borrow_mut()[..];
                        i.iter().zip(v).for_each(|(k, v)| x[*k as usize] = *v);
                        probe(x)
                    }),
                ),
                (
                    "two loops",
                    Box::new(move || {
                        let x = &mut x.borrow_mut()[..];
                        assert!(i.iter().all(|k| (*k as usize) < x.len()));
                        i.iter().zip(v).for_each(|(k, v)| x[*k as usize] = *v);
                        probe(x)
                    }),
                ),
            ],
        });
    }
    let n = 1024;
    let (i, v) = (random(n * n, n), floats(n * n));
    let (cx, ci) = candle_pair(&v, &[n, n], &i, &[n, n]);
    let zeros = Candle::zeros((n, n), candle_core::DType::F32, &Device::Cpu).unwrap();
    let mut own = Array2::<f32>::zeros((n, n));
    let (i, v) = (&i, &v);
    run(Case {
        name: "scatter_add: dim 1, 1024 x 1024",
        elements: n * n,
        engines: vec![
            (
                "takewise",
                Box::new(move || {
                    let shape = [n, n];
                    let (iv, vv) = (View::new(i, &shape).unwrap(), View::new(v, &shape).unwrap());
                    let zero = Tensor::zeroed(&shape, takewise::DType::F32).unwrap();
                    let mut guard = zero.write_any().unwrap();
                    ops::scatter_reduce_(&mut guard.view_mut(), 1, &iv, &vv, Reduce::Sum, true, &R).unwrap();
                    drop(guard);
                    of(zero)
                }),
            ),
            ("candle", Box::new(move || of_candle(zeros.scatter_add(&ci, &cx, 1).unwrap()))),
            (
                "loop",
                Box::new(move || {
                    own.fill(0.0);
                    let flat = own.as_slice_mut().unwrap();
                    for k in 0..n * n {
                        flat[k / n * n + i[k] as usize] += v[k];
                    }
                    probe(flat)
                }),
            ),
        ],
    });
}

/// A sorted search beside plain halving: the length of the sequence, and the values.
fn search_case<T: takewise::Element + PartialOrd>(run: &mut dyn FnMut(Case), name: &'static str, s: Vec<T>, q: Vec<T>) {
    let (s, q, mut out, mut theirs) = (&s, &q, vec![0i64; q.len()], vec![0i64; q.len()]);
    run(Case {
        name,
        elements: q.len(),
        engines: vec![
            (
                "takewise",
                Box::new(move || {
                    let mut to: AnyViewMut = ViewMut::from(&mut out[..]).into();
                    ops::searchsorted_into(s, q, &Search::default(), &mut to, &R).unwrap();
                    out.iter().sum::<i64>() as f64
                }),
            ),
            ("loop", Box::new(move || halving(s, q, &mut theirs))),
        ],
    });
}

/// Plain halving for every value.
fn halving<T: PartialOrd>(s: &[T], q: &[T], out: &mut [i64]) -> f64 {
    out.iter_mut().zip(q).for_each(|(out, q)| *out = s.partition_point(|s| s < q) as i64);
    out.iter().sum::<i64>() as f64
}

/// Few values in a long sequence that was prepared before.
fn prepared_case(run: &mut dyn FnMut(Case), s: &[f32], q: &[f32]) {
    let kept = ops::PreparedSearch::new(s, &R).unwrap();
    let (mut out, mut theirs) = (vec![0i64; q.len()], vec![0i64; q.len()]);
    run(Case {
        name: "searchsorted: prepared, 1K in 1M",
        elements: q.len(),
        engines: vec![
            (
                "takewise",
                Box::new(move || {
                    let mut to: AnyViewMut = ViewMut::from(&mut out[..]).into();
                    kept.searchsorted_into(q, &Search::default(), &mut to).unwrap();
                    out.iter().sum::<i64>() as f64
                }),
            ),
            ("loop", Box::new(move || halving(s, q, &mut theirs))),
        ],
    });
}

fn searches(run: &mut dyn FnMut(Case)) {
    let ramp = |n: usize| (0..n).map(|k| k as f32 * 2.0).collect::<Vec<f32>>();
    let asked = |q: usize, n: usize| random(q, 2 * n).iter().map(|v| *v as f32).collect::<Vec<f32>>();
    for (name, n, q) in [
        ("searchsorted: 1M in 1K", 1 << 10, 1 << 20),
        ("searchsorted: 1M in 100K", 100_000, 1 << 20),
        ("searchsorted: 1M in 1M", 1 << 20, 1 << 20),
        ("searchsorted: 50K in 1M", 1 << 20, 50_000),
        ("searchsorted: few, 1K in 1M", 1 << 20, 1000),
        ("searchsorted: 4M in 16M", 16 << 20, 4 << 20),
        ("searchsorted: bucketize, 1M in 64", 64, 1 << 20),
    ] {
        search_case(run, name, ramp(n), asked(q, n));
    }
    prepared_case(run, &ramp(1 << 20), &asked(1000, 1 << 20));
    let mut ordered = asked(1 << 20, 1 << 20);
    ordered.sort_by(f32::total_cmp);
    search_case(run, "searchsorted: 1M sorted in 1M", ramp(1 << 20), ordered);
    for (name, n) in [("searchsorted: i64, 1M in 1K", 1 << 10), ("searchsorted: i64, 1M in 1M", 1 << 20)] {
        search_case(run, name, (0..n as i64).map(|k| 2 * k).collect(), random(1 << 20, 2 * n));
    }
    let (rows, n) = (64, 1024);
    let (s, q) = (ramp(n).repeat(rows), asked(rows * n, n));
    let (s, q, mut out) = (&s, &q, vec![0i64; rows * n]);
    run(Case {
        name: "searchsorted: batched, 64 x 1K in 64 x 1K",
        elements: rows * n,
        engines: vec![
            (
                "takewise",
                Box::new(move || {
                    let (s, q) = (View::new(s, &[rows, n]).unwrap(), View::new(q, &[rows, n]).unwrap());
                    let mut to: AnyViewMut = ViewMut::new(&mut out, &[rows, n]).unwrap().into();
                    ops::searchsorted_into(&s, &q, &Search::default(), &mut to, &R).unwrap();
                    out.iter().sum::<i64>() as f64
                }),
            ),
            (
                "loop",
                Box::new(move || {
                    let row = |k: usize| &s[k / n * n..][..n];
                    (0..rows * n).map(|k| row(k).partition_point(|s| *s < q[k]) as i64).sum::<i64>() as f64
                }),
            ),
        ],
    });
}
