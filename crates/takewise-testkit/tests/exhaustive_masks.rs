//! Every small mask, flat position, index tuple and search against the oracle.

use takewise::index::rules::{NanOrder, Rules};
use takewise::{DType, dtype::DTYPES, ops};
use takewise_testkit::num::REDUCES;
use takewise_testkit::oracle::{Bad, where_};
use takewise_testkit::verify::contents;
use takewise_testkit::worlds::{SIZES, masks, policies, shapes, tuples, write_policies};
use takewise_testkit::{Arr, Op, Operand, Rng, Twist, World, numel};

#[test]
fn every_mask() {
    let mut w = World::new();
    let r = Rules::NEUTRAL;
    for rank in 0..=3 {
        for shape in shapes(rank, 0, 3).into_iter().filter(|s| numel(s) <= 6) {
            let dtype = SIZES[w.count as usize % SIZES.len()];
            let x = Arr::arange(&shape, dtype);
            for mask in masks(&shape) {
                w.run(Op::MaskedSelect, &r, &x, Some(&mask), None);
                if !matches!(dtype, DType::Opaque { .. }) {
                    w.run(Op::MaskedFill { value: 9 }, &r, &x, Some(&mask), None);
                }
                let hits = mask.data.iter().filter(|e| e[0] != 0).count();
                for n in [hits, hits + 2, hits.saturating_sub(1)] {
                    w.run(Op::MaskedScatter, &r, &x, Some(&mask), Some(&Arr::arange(&[n], dtype)));
                }
                let source = Arr::arange(&shape, dtype);
                w.run(Op::MaskedScatter, &r, &x, Some(&mask), Some(&source));
                w.run(Op::Nonzero, &r, &mask, None, None);
            }
        }
    }
}

/// Masks and arrays that broadcast, one way, both ways, or not at all.
#[test]
fn masks_that_broadcast() {
    let mut w = World::new();
    let mut rng = Rng::new(11);
    for x in [&[][..], &[1], &[3], &[2, 3], &[1, 3], &[2, 1], &[2, 1, 3], &[0, 3]] {
        for m in [&[][..], &[1], &[3], &[2], &[2, 3], &[2, 1], &[1, 1, 3], &[4, 2, 3], &[0, 1]] {
            for _ in 0..4 {
                let (a, mask) = (Arr::arange(x, DType::I16), rng.mask(m));
                w.run(Op::MaskedSelect, &Rules::NEUTRAL, &a, Some(&mask), None);
                w.run(Op::MaskedFill { value: -3 }, &Rules::NEUTRAL, &a, Some(&mask), None);
                let source = Arr::arange(&[24], DType::I16);
                w.run(Op::MaskedScatter, &Rules::NEUTRAL, &a, Some(&mask), Some(&source));
            }
        }
    }
}

#[test]
fn nonzero_of_every_dtype() {
    let mut w = World::new();
    let mut rng = Rng::new(5);
    for dtype in DTYPES {
        for shape in [&[][..], &[5], &[0, 3], &[3, 4], &[2, 3, 2]] {
            for _ in 0..6 {
                let mut x = rng.arr(shape, dtype);
                x.data.iter_mut().for_each(|e| {
                    if rng.one_in(2) {
                        *e = [0; 24]
                    }
                });
                w.run(Op::Nonzero, &Rules::NEUTRAL, &x, None, None);
            }
        }
    }
    for v in [f64::NAN, -0.0, 0.0, 5e-324, f64::INFINITY] {
        w.run(Op::Nonzero, &Rules::NEUTRAL, &Arr::of(&[1], DType::F64, &[v]), None, None);
        w.run(Op::Nonzero, &Rules::NEUTRAL, &Arr::of(&[1], DType::C64, &[v]), None, None);
        w.run(Op::Nonzero, &Rules::NEUTRAL, &Arr::of(&[1], DType::F16, &[v]), None, None);
    }
}

/// Rows that are walked one by one, and those that are joined with the axes before them, of which few or many elements are
/// found.
#[test]
fn nonzero_of_short_and_long_rows() {
    let mut w = World::new();
    let mut rng = Rng::new(6);
    for shape in [&[300, 2][..], &[9, 1], &[1, 9], &[40, 40], &[2, 5, 30], &[2, 2200, 2], &[3, 2, 1, 700], &[5, 1, 3]] {
        for dtype in [DType::Bool, DType::F32, DType::C128] {
            for sparse in [1, 2, 9, 60] {
                let mut x = rng.arr(shape, dtype);
                x.data.iter_mut().for_each(|e| {
                    if !rng.one_in(sparse) {
                        *e = [0; 24]
                    }
                });
                w.run(Op::Nonzero, &Rules::NEUTRAL, &x, None, None);
            }
        }
    }
}

/// Flat positions into arrays of every shape.
#[test]
fn every_flat_position() {
    let mut w = World::new();
    for rank in 0..=3 {
        for shape in shapes(rank, 0, if rank == 3 { 2 } else { 3 }) {
            let (n, dtype) = (numel(&shape) as i64, SIZES[w.count as usize % SIZES.len()]);
            let x = Arr::arange(&shape, dtype);
            for v in -n - 1..=n {
                for (ishape, at) in [(&[][..], 0), (&[2, 2][..], 2), (&[3], 0)] {
                    let index = (0..numel(ishape)).map(|k| if k == at || n == 0 { v } else { (k as i64 * 3) % n });
                    let index = Arr::ints(ishape, DType::I64, &index.collect::<Vec<_>>());
                    for rules in policies() {
                        w.run(Op::Take, &rules, &x, Some(&index), None);
                    }
                    for rules in write_policies() {
                        let source = Arr::arange(ishape, dtype);
                        w.run(Op::Put { accumulate: false }, &rules, &x, Some(&index), Some(&source));
                        let flat = Arr::arange(&[index.data.len()], dtype);
                        w.run(Op::Put { accumulate: false }, &rules, &x, Some(&index), Some(&flat));
                    }
                }
            }
        }
    }
}

/// Index tuples of every depth.
#[test]
fn every_index_tuple() {
    let mut w = World::new();
    for rank in 1..=3 {
        for shape in shapes(rank, if rank == 3 { 1 } else { 0 }, if rank == 1 { 3 } else { 2 }) {
            for depth in 0..=rank + 1 {
                let dtype = SIZES[w.count as usize % SIZES.len()];
                let x = Arr::arange(&shape, dtype);
                let most = shape.iter().take(depth).copied().max().unwrap_or(0) as i64;
                for tuple in tuples(depth, -most - 1, most) {
                    // The tuple itself, and behind a good one.
                    let single = Arr::ints(&[depth], DType::I64, &tuple);
                    let pair = Arr::ints(&[2, depth], DType::I64, &[vec![0; depth], tuple.clone()].concat());
                    for index in [single, pair] {
                        nd(&mut w, &x, &index);
                    }
                }
            }
        }
    }
}

fn nd(w: &mut World, x: &Arr, index: &Arr) {
    let depth = *index.shape.last().unwrap();
    let rows = &index.shape[..index.shape.len() - 1];
    for rules in policies() {
        w.run(Op::GatherNd { batch: 0 }, &rules, x, Some(index), None);
    }
    if depth <= x.shape.len() {
        let source = Arr::arange(&[rows, &x.shape[depth..]].concat(), x.dtype);
        for rules in write_policies() {
            w.run(Op::ScatterNd { reduce: None }, &rules, x, Some(index), Some(&source));
        }
        if !matches!(x.dtype, DType::Opaque { .. }) {
            for reduce in REDUCES.into_iter().filter(|_| x.dtype != DType::C128) {
                w.run(Op::ScatterNd { reduce: Some(reduce) }, &Rules::NEUTRAL, x, Some(index), Some(&source));
            }
        }
    }
}

#[test]
fn index_tuples_in_batches() {
    let mut w = World::new();
    for shape in [&[2, 3][..], &[2, 3, 2], &[2, 2, 3], &[0, 3], &[1, 2]] {
        for batch in 0..shape.len() {
            for depth in 0..=shape.len() - batch {
                for v in -4..=4 {
                    let ishape = [&shape[..batch], &[2, depth]].concat();
                    let values: Vec<i64> = (0..numel(&ishape)).map(|k| if k % 3 == 0 { v } else { 0 }).collect();
                    let index = Arr::ints(&ishape, DType::I64, &values);
                    let x = Arr::arange(shape, DType::F32);
                    for rules in policies() {
                        w.run(Op::GatherNd { batch }, &rules, &x, Some(&index), None);
                    }
                }
            }
        }
    }
}

/// Sorted sequences with repeats, NaN and infinities, every value around them, both sides.
#[test]
fn every_small_search() {
    let mut w = World::new();
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let sequences: [&[f64]; 9] = [
        &[],
        &[1.],
        &[1., 1., 1.],
        &[-inf, -1., 0., 0., 2., inf],
        &[1., 2., nan],
        &[nan, nan],
        &[-0.0, 0.0],
        &[1., 2., 3., 4., 5., 6., 7., 8., 9.],
        &[-3., -3., 4., 4.],
    ];
    let probes = [-inf, -3., -2.5, -0.0, 0.0, 1., 1.5, 2., 4., 9., 10., inf, nan];
    for s in sequences {
        for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64, DType::I8, DType::I32, DType::I64, DType::U8] {
            if !dtype.is_float() && s.iter().any(|v| !v.is_finite())
                || (dtype == DType::U8 && s.iter().any(|v| *v < 0.))
            {
                continue;
            }
            let fits = |v: &&f64| dtype.is_float() || (v.is_finite() && (dtype != DType::U8 || **v >= 0.));
            let values: Vec<f64> = probes.iter().filter(fits).copied().collect();
            for right in [false, true] {
                for order in [NanOrder::Unordered, NanOrder::Last] {
                    let rules = Rules { order, ..Rules::NEUTRAL };
                    let op = Op::Search { right, int32: w.count.is_multiple_of(2), sorted: false };
                    let (x, v) = (Arr::of(&[s.len()], dtype, s), Arr::of(&[values.len()], dtype, &values));
                    w.run(op.clone(), &rules, &x, None, Some(&v));
                    // The same sequence, stored backwards and read through a sorter.
                    let back: Vec<f64> = s.iter().rev().copied().collect();
                    let sorter: Vec<i64> = (0..s.len() as i64).rev().collect();
                    let sorter = Arr::ints(&[s.len()], DType::I64, &sorter);
                    let Op::Search { int32, .. } = op else { unreachable!() };
                    let op = Op::Search { right, int32, sorted: true };
                    w.run(op, &rules, &Arr::of(&[s.len()], dtype, &back), Some(&sorter), Some(&v));
                }
            }
        }
    }
}

/// Many sequences at once, and unsorted ones, which follow bisection.
#[test]
fn searches_in_batches() {
    let mut w = World::new();
    let mut rng = Rng::new(9);
    for _ in 0..400 {
        let mut shape = {
            let rank = 1 + rng.below(3);
            rng.shape(rank, 3)
        };
        *shape.last_mut().unwrap() = rng.below(9);
        let dtype = rng.pick(&[DType::F32, DType::I64, DType::U8, DType::F16]);
        let mut x = rng.arr(&shape, dtype);
        let n = *shape.last().unwrap();
        if !rng.one_in(4) {
            for row in 0..numel(&shape).checked_div(n).unwrap_or(0) {
                let (a, b) = (row * n, row * n + n);
                let mut part: Vec<_> = (a..b).map(|k| x.num_at(k)).collect();
                part.sort_by(|p, q| takewise_testkit::oracle::total_cmp(*p, *q));
                (a..b).for_each(|k| x.data[k] = part[k - a].encode(dtype));
            }
        }
        let mut vshape = shape.clone();
        *vshape.last_mut().unwrap() = rng.below(5);
        let v = if shape.len() == 1 && rng.one_in(2) { rng.arr(&[2, 2], dtype) } else { rng.arr(&vshape, dtype) };
        let order = rng.pick(&[NanOrder::Unordered, NanOrder::Last]);
        let op = Op::Search { right: rng.one_in(2), int32: rng.one_in(2), sorted: false };
        w.run(op, &Rules { order, ..Rules::NEUTRAL }, &x, None, Some(&v));
    }
}

/// `where` with all three operands stretched in every way, laid out at random.
#[test]
fn where_of_every_broadcast() {
    let mut rng = Rng::new(13);
    let all = [&[][..], &[1], &[3], &[2, 1], &[1, 3], &[2, 3], &[0, 3], &[2, 2]];
    for k in 0..all.len().pow(3) {
        let (c, a, b) = (all[k % 8], all[k / 8 % 8], all[k / 64]);
        for dtype in [DType::I16, DType::C64] {
            let (c, a, b) = (rng.mask(c), rng.arr(a, dtype), rng.arr(b, dtype));
            let [c, a, b] = [c, a, b].map(|v| {
                let twist = Twist::random(&mut rng, v.shape.len(), true);
                Operand::new(&v, &twist)
            });
            let want = where_(c.value(), a.value(), b.value());
            let got = contents(ops::where_(c.view(), a.view(), b.view(), dtype, &Rules::NEUTRAL));
            match (&want, &got) {
                (Ok(want), Ok(got)) => assert_eq!(got, want, "{c:?} {a:?} {b:?}"),
                (Err(Bad::Other(kind)), Err(e)) => assert_eq!(e.kind(), *kind, "{e:?}"),
                _ => panic!("{c:?} {a:?} {b:?}: got {got:?}, expected {want:?}"),
            }
        }
    }
}
