//! Every small gather, take, scatter and index_* call against the oracle: all shapes up to rank 3, all index
//! values from one below to one above the valid range, all policies.

use takewise::index::rules::{Extent, Rules, Width};
use takewise::{DType, dtype::DTYPES};
use takewise_testkit::num::{REDUCES, Reduce};
use takewise_testkit::worlds::{SIZES, policies, shapes, tuples, write_policies};
use takewise_testkit::{Arr, Op, World, numel};

fn ints(shape: &[usize], values: &[i64]) -> Arr {
    Arr::ints(shape, DType::I64, values)
}

/// Index arrays of a shape for an axis of length `n`: each value everywhere, and each value once among
/// good ones.
fn indices(shape: &[usize], n: usize) -> Vec<Arr> {
    let (m, n) = (numel(shape), n as i64);
    let mut all = vec![];
    for v in -n - 1..=n {
        all.push(ints(shape, &vec![v; m]));
        if m > 1 && n > 0 {
            let good = |k: usize| (k as i64 * 5 + 1) % n;
            let at = (v + n + 1) as usize % m;
            all.push(ints(shape, &(0..m).map(|k| if k == at { v } else { good(k) }).collect::<Vec<_>>()));
        }
    }
    all
}

/// Index shapes for a gather along `d`: the array's own, smaller off `d`, longer along it, and one misfit.
fn index_shapes(x: &[usize], d: usize, broadcast: bool) -> Vec<Vec<usize>> {
    let with = |n: usize, off: &dyn Fn(usize) -> usize| -> Vec<usize> {
        (0..x.len()).map(|k| if k == d { n } else { off(x[k]) }).collect()
    };
    let mut all = vec![with(2, &|n| n), with(1, &|n| n), with(4, &|n| n.saturating_sub(1)), with(0, &|n| n)];
    all.push(with(2, &|n| n + 1));
    if broadcast {
        all.push(with(2, &|_| 1));
    }
    all.dedup();
    all
}

/// One-dimensional arrays: every list of index values, so every pattern of duplicates too.
#[test]
fn every_list_on_a_line() {
    let mut w = World::new();
    for n in 0..=3 {
        for m in 0..=3 {
            for values in tuples(m, -(n as i64) - 1, n as i64) {
                let (x, index) = (Arr::arange(&[n], DType::I32), ints(&[m], &values));
                let source = Arr::ints(&[m], DType::I32, &[100, 200, 300][..m]);
                for rules in policies() {
                    w.run(Op::Gather { dim: 0 }, &rules, &x, Some(&index), None);
                    w.run(Op::Take, &rules, &x, Some(&index), None);
                }
                for rules in write_policies() {
                    w.run(Op::Scatter { dim: 0 }, &rules, &x, Some(&index), Some(&source));
                    w.run(Op::Put { accumulate: false }, &rules, &x, Some(&index), Some(&source));
                    w.run(Op::IndexCopy { dim: -1 }, &rules, &x, Some(&index), Some(&source));
                }
            }
        }
    }
}

#[test]
fn gather_every_shape() {
    let mut w = World::new();
    for rank in 0..=3 {
        for shape in shapes(rank, 0, 3) {
            for d in 0..rank.max(1) {
                for broadcast in [false, true] {
                    for ishape in index_shapes(&shape, d, broadcast) {
                        for index in indices(&ishape, shape.get(d).copied().unwrap_or(1)) {
                            gather(&mut w, &shape, d, &index, broadcast);
                        }
                    }
                }
            }
        }
    }
}

fn gather(w: &mut World, shape: &[usize], d: usize, index: &Arr, broadcast: bool) {
    let x = Arr::arange(shape, SIZES[w.count as usize % SIZES.len()]);
    let negative = d as i64 - shape.len().max(1) as i64;
    for rules in policies() {
        let dim = if w.count.is_multiple_of(3) { negative } else { d as i64 };
        if broadcast {
            w.run(Op::TakeAlong { dim }, &rules, &x, Some(index), None);
        } else {
            let extent = if w.count.is_multiple_of(5) { Extent::Equal } else { Extent::AtMost };
            w.run(Op::Gather { dim }, &Rules { extent, ..rules }, &x, Some(index), None);
        }
    }
}

#[test]
fn rows_of_every_shape() {
    let mut w = World::new();
    for rank in 0..=3 {
        for shape in shapes(rank, 0, 3) {
            for d in 0..rank.max(1) {
                let n = shape.get(d).copied().unwrap_or(1);
                for ishape in [&[][..], &[0], &[1], &[3], &[2, 2]] {
                    for index in indices(ishape, n) {
                        let x = Arr::arange(&shape, SIZES[w.count as usize % SIZES.len()]);
                        for rules in policies() {
                            w.run(Op::IndexSelect { dim: d as i64 }, &rules, &x, Some(&index), None);
                            if rank > 0 {
                                w.run(Op::TakeAxis { axis: d as i64 }, &rules, &x, Some(&index), None);
                            }
                        }
                        for batch in 1..=d.min(ishape.len()) as i64 {
                            let mut own = index.shape.clone();
                            own[..batch as usize].copy_from_slice(&shape[..batch as usize]);
                            let values: Vec<i64> = (0..numel(&own))
                                .map(|k| if index.is_empty() { 0 } else { index.int_at(k % index.data.len()) as i64 })
                                .collect();
                            let batched = ints(&own, &values);
                            for rules in policies() {
                                let op = Op::GatherAxis { axis: d as i64, batch };
                                w.run(op, &rules, &x, Some(&batched), None);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Axis numbers and ranks that do not fit.
#[test]
fn wrong_axes_and_ranks() {
    let mut w = World::new();
    for rank in 0..=2 {
        for shape in shapes(rank, 0, 2) {
            let x = Arr::arange(&shape, DType::F32);
            for dim in -3..=3 {
                for ishape in [&[][..], &[1], &[1, 1], &[1, 1, 1]] {
                    let index = ints(ishape, &[0]);
                    let source = Arr::zeros(ishape, DType::F32);
                    let r = Rules::NEUTRAL;
                    w.run(Op::Gather { dim }, &r, &x, Some(&index), None);
                    w.run(Op::TakeAlong { dim }, &r, &x, Some(&index), None);
                    w.run(Op::IndexSelect { dim }, &r, &x, Some(&index), None);
                    w.run(Op::ScatterValue { dim, value: 7 }, &r, &x, Some(&index), None);
                    w.run(Op::IndexFill { dim, value: 7 }, &r, &x, Some(&index), None);
                    w.run(Op::Scatter { dim }, &r, &x, Some(&index), Some(&source));
                    w.run(Op::IndexAdd { dim, alpha: 1 }, &r, &x, Some(&index), Some(&source));
                    w.run(Op::IndexCopy { dim }, &r, &x, Some(&index), Some(&source));
                }
            }
        }
    }
}

#[test]
fn stores_of_every_shape() {
    let mut w = World::new();
    for rank in 0..=3 {
        for shape in shapes(rank, 0, if rank == 3 { 2 } else { 3 }) {
            for d in 0..rank.max(1) {
                let n = shape.get(d).copied().unwrap_or(1);
                for ishape in index_shapes(&shape, d, false) {
                    for index in indices(&ishape, n) {
                        store(&mut w, &shape, d, &index);
                    }
                }
                for m in [0, 1, 3] {
                    for index in indices(&[m], n) {
                        store_rows(&mut w, &shape, d, &index);
                    }
                }
            }
        }
    }
}

fn store(w: &mut World, shape: &[usize], d: usize, index: &Arr) {
    let dtype = SIZES[w.count as usize % SIZES.len()];
    let x = Arr::arange(shape, dtype);
    let mut larger = index.shape.clone();
    larger.iter_mut().for_each(|n| *n += (w.count % 2) as usize);
    let source = Arr::arange(&larger, dtype);
    for rules in write_policies() {
        let dim = d as i64;
        w.run(Op::Scatter { dim }, &rules, &x, Some(index), Some(&source));
        if !matches!(dtype, DType::Opaque { .. }) {
            w.run(Op::ScatterValue { dim, value: 9 }, &rules, &x, Some(index), None);
        }
        w.run(Op::PutAlong { dim }, &rules, &x, Some(index), Some(&Arr::arange(&index.shape, dtype)));
    }
}

fn store_rows(w: &mut World, shape: &[usize], d: usize, index: &Arr) {
    let dtype = SIZES[w.count as usize % SIZES.len()];
    let x = Arr::arange(shape, dtype);
    let mut rows = if shape.is_empty() { vec![1] } else { shape.to_vec() };
    rows[d] = index.data.len();
    let source = Arr::arange(&rows, dtype);
    for rules in write_policies() {
        let dim = d as i64;
        w.run(Op::IndexCopy { dim }, &rules, &x, Some(index), Some(&source));
        if !matches!(dtype, DType::Opaque { .. }) {
            w.run(Op::IndexFill { dim, value: 9 }, &rules, &x, Some(index), None);
        }
    }
}

/// Every reduction in every dtype, with and without the cell's own value, in both widths.
#[test]
fn reductions_of_every_dtype() {
    let mut w = World::new();
    let mut rng = takewise_testkit::Rng::new(3);
    for dtype in DTYPES {
        for reduce in REDUCES {
            if dtype == DType::Bool && reduce == Reduce::Mean {
                continue; // no library defines the mean of truth values
            }
            for shape in [&[3][..], &[2, 3], &[3, 1, 2]] {
                for d in 0..shape.len() {
                    for include_self in [true, false] {
                        for accumulate in [Width::Native, Width::Wide] {
                            let (dim, rules) = (d as i64, Rules { accumulate, ..Rules::NEUTRAL });
                            let mut ishape = shape.to_vec();
                            ishape[d] = 5;
                            let index = rng.index(&ishape, DType::I64, shape[d], true, true);
                            let (x, source) = (rng.arr(shape, dtype), rng.arr(&ishape, dtype));
                            let op = Op::ScatterReduce { dim, reduce, include_self };
                            w.run(op, &rules, &x, Some(&index), Some(&source));
                            let index = rng.index(&[5], DType::I64, shape[d], true, true);
                            let op = Op::IndexReduce { dim, reduce, include_self };
                            w.run(op, &rules, &x, Some(&index), Some(&source));
                            w.run(Op::IndexAdd { dim, alpha: 1 }, &rules, &x, Some(&index), Some(&source));
                            let native = Rules { accumulate: Width::Native, ..rules };
                            w.run(Op::IndexAdd { dim, alpha: 3 }, &native, &x, Some(&index), Some(&source));
                            let index = rng.index(&[5], DType::I64, numel(shape), true, true);
                            let source = rng.arr(&[5], dtype);
                            w.run(Op::Put { accumulate: true }, &rules, &x, Some(&index), Some(&source));
                        }
                    }
                }
            }
        }
    }
}
