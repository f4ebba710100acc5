//! Operations with an axis or with flat order: gather, take, scatter, index_*, masked_*, n-d forms, searches.

use takewise::index::rules::NanOrder;
use takewise::{DType, Rules};
use takewise_testkit::num::{REDUCES, Reduce};
use takewise_testkit::{Arr, Case, Op, Rng, numel};

use crate::draw;

/// Reads with an index operand.
pub fn gather(bytes: &[u8]) -> bool {
    let rng = &mut Rng::from_bytes(bytes);
    let rules = draw::rules(rng);
    let shape = draw::shape(rng, 4);
    let dtype = draw::dtype(rng);
    let (dim, d) = axis(rng, &shape);
    let (op, index) = match rng.below(8) {
        0 => (Op::Take, flat_index(rng, &shape)),
        1 => (Op::TakeAlong { dim }, along_index(rng, &shape, d, true)),
        2 => (Op::IndexSelect { dim }, rows_index(rng, &shape, d)),
        3 if !shape.is_empty() => {
            let ishape = draw::shape(rng, 2);
            (Op::TakeAxis { axis: dim }, index_for(rng, &ishape, shape[d]))
        }
        4 if !shape.is_empty() => batched(rng, &shape, dim, d),
        5 => nd_index(rng, &shape)
            .map_or((Op::Take, Arr::ints(&[], DType::I64, &[0])), |(batch, index)| (Op::GatherNd { batch }, index)),
        6 => (Op::MaskedSelect, mask(rng, &shape)),
        _ => (Op::Gather { dim }, along_index(rng, &shape, d, false)),
    };
    let value = rng.arr(&shape, dtype);
    let x = draw::operand(rng, &value);
    let index = draw::operand(rng, &index);
    draw::verify(rng, &Case::new(op, &rules, x, index, None))
}

/// Writes with an index operand, storing or reducing.
pub fn scatter(bytes: &[u8]) -> bool {
    let rng = &mut Rng::from_bytes(bytes);
    let rules = draw::rules(rng);
    let shape = draw::shape(rng, 3);
    let (dim, d) = axis(rng, &shape);
    let (include_self, value) = (rng.one_in(2), rng.between(0, 9));
    let reduce = rng.pick(&REDUCES);
    let (op, index, source) = match rng.below(12) {
        0 => {
            let index = flat_index(rng, &shape);
            let source = index.shape.clone();
            (Op::Put { accumulate: rng.one_in(2) }, index, source)
        }
        1 => {
            let index = along_index(rng, &shape, d, true);
            let source = index.shape.clone();
            (Op::PutAlong { dim }, index, source)
        }
        2 => rows(rng, &shape, d, Op::IndexCopy { dim }),
        3 => {
            let alpha = rng.pick(&[1, 1, 3]);
            rows(rng, &shape, d, Op::IndexAdd { dim, alpha })
        }
        4 => rows(rng, &shape, d, Op::IndexReduce { dim, reduce, include_self }),
        5 => (Op::IndexFill { dim, value }, rows_index(rng, &shape, d), vec![]),
        6 => (Op::MaskedFill { value }, mask(rng, &shape), vec![]),
        7 => {
            let index = mask(rng, &shape);
            let source = vec![numel(&shape) + rng.below(3)];
            (Op::MaskedScatter, index, source)
        }
        8 => (Op::ScatterValue { dim, value }, along_index(rng, &shape, d, false), vec![]),
        9 => nd_write(rng, &shape, reduce),
        10 => boxed(rng, &shape, d, Op::ScatterReduce { dim, reduce, include_self }),
        _ => boxed(rng, &shape, d, Op::Scatter { dim }),
    };
    let dtype = dtype_for(rng, &op);
    let rules = native_if_scaled(&op, rules);
    let (start, source) = (rng.arr(&shape, dtype), rng.arr(&source, dtype));
    let x = draw::destination(rng, &start);
    let index = draw::operand(rng, &index);
    let source = Some(draw::operand(rng, &source));
    draw::verify(rng, &Case::new(op, &rules, x, index, source))
}

/// Searches of sorted, unsorted and NaN-ridden sequences, with and without a sorter.
pub fn search(bytes: &[u8]) -> bool {
    let rng = &mut Rng::from_bytes(bytes);
    let order = rng.pick(&[NanOrder::Unordered, NanOrder::Last]);
    let rules = Rules { order, ..Rules::NEUTRAL };
    let dtype = rng.pick(&[DType::U8, DType::I32, DType::I64, DType::F16, DType::BF16, DType::F32, DType::F64]);
    let lead = draw::shape(rng, 2);
    let n = rng.below(9);
    let line = rng.one_in(2);
    let sshape = if line { vec![n] } else { [&lead[..], &[n]].concat() };
    let vshape = if line { draw::shape(rng, 3) } else { [&lead[..], &[rng.below(5)]].concat() };
    let mut sequence = rng.arr(&sshape, dtype);
    let sorted = rng.one_in(3);
    if !rng.one_in(5) && n > 0 {
        for row in sequence.data.chunks_mut(n) {
            let key = |e: &_| takewise_testkit::Num::decode(dtype, e);
            row.sort_by(|a, b| takewise_testkit::oracle::total_cmp(key(a), key(b)));
        }
    }
    let sorter = rng.index(&sshape, DType::I64, n, false, false);
    let values = rng.arr(&vshape, dtype);
    let op = Op::Search { right: rng.one_in(2), int32: rng.one_in(2), sorted };
    let x = draw::operand(rng, &sequence);
    let index = draw::operand(rng, &sorter);
    let value = Some(draw::operand(rng, &values));
    draw::verify(rng, &Case::new(op, &rules, x, index, value))
}

/// An axis number, negative or not and now and then wrong, and the axis it means.
fn axis(rng: &mut Rng, shape: &[usize]) -> (i64, usize) {
    let rank = shape.len().max(1);
    let d = rng.below(rank);
    let dim = match rng.below(16) {
        0 => rank as i64,
        1 => -(rank as i64) - 1,
        2..=6 => d as i64 - rank as i64,
        _ => d as i64,
    };
    (dim, d)
}

fn index_for(rng: &mut Rng, shape: &[usize], n: usize) -> Arr {
    let (dtype, outside) = (draw::index_dtype(rng), rng.one_in(3));
    rng.index(shape, dtype, n, true, outside)
}

fn extent(shape: &[usize], d: usize) -> usize {
    shape.get(d).copied().unwrap_or(1)
}

/// An index of the array's rank: any extent along `d`, elsewhere the array's, smaller, 1, or wrong.
fn along_index(rng: &mut Rng, shape: &[usize], d: usize, broadcast: bool) -> Arr {
    let fit = |rng: &mut Rng, n: usize| match rng.below(14) {
        0 => n + 1,
        1 if broadcast => 1,
        1 => n.saturating_sub(1),
        _ => n,
    };
    let along = rng.below(5);
    let ishape: Vec<usize> = shape.iter().enumerate().map(|(k, &n)| if k == d { along } else { fit(rng, n) }).collect();
    index_for(rng, &ishape, extent(shape, d))
}

fn flat_index(rng: &mut Rng, shape: &[usize]) -> Arr {
    let ishape = draw::shape(rng, 3);
    index_for(rng, &ishape, numel(shape))
}

fn rows_index(rng: &mut Rng, shape: &[usize], d: usize) -> Arr {
    let ishape = if rng.one_in(8) { draw::shape(rng, 2) } else { vec![rng.below(6)] };
    index_for(rng, &ishape, extent(shape, d))
}

/// An index operation over whole slices, its index and the shape of its source.
fn rows(rng: &mut Rng, shape: &[usize], d: usize, op: Op) -> (Op, Arr, Vec<usize>) {
    let index = rows_index(rng, shape, d);
    let mut source = if shape.is_empty() { vec![1] } else { shape.to_vec() };
    source[d] = index.data.len() + usize::from(rng.one_in(12));
    if shape.is_empty() && rng.one_in(2) {
        source.clear();
    }
    (op, index, source)
}

/// A scatter, its index and the shape of a source that is at least as large.
fn boxed(rng: &mut Rng, shape: &[usize], d: usize, op: Op) -> (Op, Arr, Vec<usize>) {
    let index = along_index(rng, shape, d, false);
    let larger = |rng: &mut Rng, n: usize| if rng.one_in(6) { n + 1 } else { n };
    let mut source: Vec<usize> = index.shape.iter().map(|&n| larger(rng, n)).collect();
    if rng.one_in(12) && !source.is_empty() {
        source[0] = source[0].saturating_sub(1);
    }
    (op, index, source)
}

fn mask(rng: &mut Rng, shape: &[usize]) -> Arr {
    let mut own: Vec<usize> = shape.iter().map(|&n| if rng.one_in(6) { 1 } else { n }).collect();
    while !own.is_empty() && rng.one_in(5) {
        own.remove(0);
    }
    rng.mask(&own)
}

fn batched(rng: &mut Rng, shape: &[usize], axis: i64, d: usize) -> (Op, Arr) {
    let batch = rng.below(d + 1);
    let mut ishape = shape[..batch].to_vec();
    ishape.extend(draw::shape(rng, 2));
    (Op::GatherAxis { axis, batch: batch as i64 }, index_for(rng, &ishape, shape[d]))
}

/// Coordinates in the last axis of an index, behind some batch axes.
fn nd_index(rng: &mut Rng, shape: &[usize]) -> Option<(usize, Arr)> {
    let batch = if rng.one_in(3) { rng.below(shape.len() + 1) } else { 0 };
    let depth = rng.below(shape.len() - batch + 1);
    let mut ishape = shape[..batch].to_vec();
    ishape.extend(draw::shape(rng, 2));
    ishape.push(depth);
    // One range for all columns: the smallest extent, so that valid coordinates are likely.
    let n = shape[batch..batch + depth].iter().copied().min().unwrap_or(1);
    Some((batch, index_for(rng, &ishape, n)))
}

fn nd_write(rng: &mut Rng, shape: &[usize], reduce: Reduce) -> (Op, Arr, Vec<usize>) {
    let depth = rng.below(shape.len() + 1);
    let rows = draw::shape(rng, 2);
    let n = shape[..depth].iter().copied().min().unwrap_or(1);
    let index = index_for(rng, &[&rows[..], &[depth]].concat(), n);
    let reduce = if rng.one_in(2) { Some(reduce) } else { None };
    // A mean over coordinates is an operation of no library.
    let reduce = reduce.filter(|r| *r != Reduce::Mean);
    (Op::ScatterNd { reduce }, index, [&rows[..], &shape[depth..]].concat())
}

/// A dtype the operation is defined for.
fn dtype_for(rng: &mut Rng, op: &Op) -> DType {
    let dtype = draw::dtype(rng);
    let reduce = match op {
        Op::ScatterReduce { reduce, .. } | Op::IndexReduce { reduce, .. } | Op::ScatterNd { reduce: Some(reduce) } => {
            Some(*reduce)
        }
        Op::IndexAdd { .. } | Op::Put { accumulate: true } => Some(Reduce::Sum),
        _ => None,
    };
    let fills = matches!(op, Op::ScatterValue { .. } | Op::IndexFill { .. } | Op::MaskedFill { .. });
    let undefined = match (dtype, reduce) {
        (DType::Opaque { .. }, Some(_)) => true,
        (DType::Opaque { .. }, None) => fills,
        (DType::Bool, Some(Reduce::Mean)) => true,
        (d, Some(Reduce::Amax | Reduce::Amin)) => d.is_complex(),
        _ => false,
    };
    if undefined { DType::F32 } else { dtype }
}

/// A scaled sum is defined in the storage dtype only.
fn native_if_scaled(op: &Op, rules: Rules) -> Rules {
    use takewise::index::rules::Width;
    match op {
        Op::IndexAdd { alpha, .. } if *alpha != 1 => Rules { accumulate: Width::Native, ..rules },
        _ => rules,
    }
}
