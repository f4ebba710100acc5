//! Random calls of every operation, most of them valid.

use crate::arr::{Arr, numel};
use crate::case::{Case, Op};
use crate::num::{REDUCES, Reduce};
use crate::operand::{Operand, Twist};
use crate::oracle::{Sub, subscript};
use crate::rng::Rng;
use crate::worlds::{INDEX_DTYPES, OUTSIDES, SIZES};
use takewise::dtype::DTYPES;
use takewise::index::rules::*;
use takewise::{DType, Slice};

/// How large random arrays are.
#[derive(Clone, Copy)]
pub struct Size {
    /// Ranks from 0 to this.
    pub rank: usize,
    /// Extents up to this.
    pub extent: usize,
    /// Index values up to this many along the indexed axis.
    pub index: usize,
}

/// Small arrays of many ranks.
pub const SMALL: Size = Size { rank: 4, extent: 4, index: 7 };
/// Larger arrays, so that work spans several blocks and threads.
pub const LARGE: Size = Size { rank: 3, extent: 9, index: 1500 };

/// Random rules.
pub fn rules(rng: &mut Rng) -> Rules {
    Rules {
        sign: rng.pick(&[Sign::FromEnd, Sign::NonNegative]),
        outside: if rng.one_in(2) { Outside::Raise } else { rng.pick(&OUTSIDES) },
        duplicates: rng.pick(&[Duplicates::Last, Duplicates::Last, Duplicates::First, Duplicates::Error]),
        lone_int: rng.pick(&[LoneInt::SelectsFirst, LoneInt::JoinsArrays]),
        ellipsis_splits: rng.one_in(2),
        empty: rng.pick(&[Empty::Forgives, Empty::StillChecks]),
        accumulate: rng.pick(&[Width::Native, Width::Wide]),
        order: rng.pick(&[NanOrder::Unordered, NanOrder::Last]),
        ..Rules::NEUTRAL
    }
}

fn layout(rng: &mut Rng, a: &Arr, read: bool) -> Operand {
    let twist = Twist::random(rng, a.shape.len(), read);
    Operand::new(a, &twist)
}

fn index(rng: &mut Rng, shape: &[usize], n: usize, rules: &Rules) -> Arr {
    let dtype = if rng.one_in(3) { rng.pick(&INDEX_DTYPES) } else { DType::I64 };
    let dtype = if n > 100 && dtype.size() == 1 { DType::I32 } else { dtype };
    rng.index(shape, dtype, n, rules.sign == Sign::FromEnd, true)
}

/// A random call of a random operation.
pub fn call(rng: &mut Rng, size: Size) -> Case {
    match rng.below(6) {
        0 | 1 => subscripts(rng, size),
        2 => masks(rng, size),
        3 => reads(rng, size),
        _ => writes(rng, size),
    }
}

fn reads(rng: &mut Rng, size: Size) -> Case {
    let rules = rules(rng);
    let rank = 1 + rng.below(size.rank);
    let x = {
        let s = rng.shape(rank, size.extent);
        let d = any_dtype(rng);
        rng.arr(&s, d)
    };
    let d = rng.below(rank);
    let dim = d as i64 - if rng.one_in(2) { rank as i64 } else { 0 };
    let m = rng.below(size.index);
    let (op, i) = match rng.below(6) {
        0 => {
            let mut s: Vec<usize> = x.shape.iter().map(|&n| n - rng.below(2).min(n)).collect();
            s[d] = m;
            (Op::Gather { dim }, index(rng, &s, x.shape[d], &rules))
        }
        1 => {
            let mut s: Vec<usize> = x.shape.iter().map(|&n| if rng.one_in(3) { 1 } else { n }).collect();
            s[d] = m;
            (Op::TakeAlong { dim }, index(rng, &s, x.shape[d], &rules))
        }
        2 => (Op::Take, {
            let s = {
                let r = rng.below(3);
                rng.shape(r, size.extent)
            };
            index(rng, &s, x.data.len(), &rules)
        }),
        3 => {
            let batch = rng.below(d + 1);
            let s = [
                &x.shape[..batch],
                &{
                    let r = rng.below(3);
                    rng.shape(r, size.extent.min(6))
                }[..],
            ]
            .concat();
            (Op::GatherAxis { axis: dim, batch: batch as i64 }, index(rng, &s, x.shape[d], &rules))
        }
        4 => (Op::IndexSelect { dim }, index(rng, &[m], x.shape[d], &rules)),
        _ => {
            let batch = rng.below(rank);
            let depth = rng.below(rank - batch + 1);
            let s = [&x.shape[..batch], &[m.min(200), depth]].concat();
            let n = x.shape[batch..batch + depth].iter().copied().min().unwrap_or(1);
            (Op::GatherNd { batch }, index(rng, &s, n, &rules))
        }
    };
    let (x, i) = (layout(rng, &x, true), layout(rng, &i, true));
    Case::new(op, &rules, x, i, None)
}

fn any_dtype(rng: &mut Rng) -> DType {
    if rng.one_in(2) { rng.pick(&SIZES) } else { rng.pick(&DTYPES) }
}

fn reducible(rng: &mut Rng) -> (DType, Reduce) {
    loop {
        let (dtype, reduce) = (rng.pick(&DTYPES), rng.pick(&REDUCES));
        if dtype != DType::Bool || reduce != Reduce::Mean {
            return (dtype, reduce);
        }
    }
}

fn writes(rng: &mut Rng, size: Size) -> Case {
    let rules = rules(rng);
    let rank = 1 + rng.below(size.rank);
    let (dtype, reduce) = reducible(rng);
    let moved = any_dtype(rng);
    let shape = rng.shape(rank, size.extent);
    let d = rng.below(rank);
    let dim = d as i64 - if rng.one_in(2) { rank as i64 } else { 0 };
    let m = rng.below(size.index);
    let (n, include_self) = (shape[d], rng.one_in(2));
    let mut box_: Vec<usize> = shape.iter().map(|&n| n - rng.below(2).min(n)).collect();
    box_[d] = m;
    let mut rows = shape.clone();
    rows[d] = m;
    let bigger: Vec<usize> = box_.iter().map(|&n| n + rng.below(2)).collect();
    let (op, dtype, i, v) = match rng.below(9) {
        0 => (Op::Scatter { dim }, moved, index(rng, &box_, n, &rules), bigger),
        1 => (Op::ScatterReduce { dim, reduce, include_self }, dtype, index(rng, &box_, n, &rules), bigger),
        2 => {
            let depth = rng.below(rank + 1);
            let least = shape[..depth].iter().copied().min().unwrap_or(1);
            let v = [&[m][..], &shape[depth..]].concat();
            let (op, dtype) = if rng.one_in(2) { (None, moved) } else { (Some(reduce), dtype) };
            (Op::ScatterNd { reduce: op }, dtype, index(rng, &[m, depth], least, &rules), v)
        }
        3 => (Op::IndexCopy { dim }, moved, index(rng, &[m], n, &rules), rows),
        4 => (Op::IndexAdd { dim, alpha: 1 }, dtype, index(rng, &[m], n, &rules), rows),
        5 => (Op::IndexReduce { dim, reduce, include_self }, dtype, index(rng, &[m], n, &rules), rows),
        6 => {
            let s: Vec<usize> = rows.iter().map(|&n| if rng.one_in(3) { 1 } else { n }).collect();
            let s: Vec<usize> = (0..rank).map(|k| if k == d { m } else { s[k] }).collect();
            (Op::PutAlong { dim }, moved, index(rng, &s, n, &rules), vec![m])
        }
        7 => (Op::Put { accumulate: false }, moved, index(rng, &[m], numel(&shape), &rules), vec![m]),
        _ => (Op::Put { accumulate: true }, dtype, index(rng, &[m], numel(&shape), &rules), vec![1, m, 1]),
    };
    let v = if let Op::PutAlong { .. } = op {
        let mut s = vec![1; rank];
        s[d] = m;
        s
    } else {
        v
    };
    let (x, v) = (rng.arr(&shape, dtype), rng.arr(&v, dtype));
    let (x, i, v) = (layout(rng, &x, false), layout(rng, &i, true), layout(rng, &v, true));
    Case::new(op, &rules, x, i, Some(v))
}

fn masks(rng: &mut Rng, size: Size) -> Case {
    let rules = rules(rng);
    let rank = rng.below(size.rank + 1);
    let mut shape = rng.shape(rank, size.extent);
    if let (Some(n), true) = (shape.last_mut(), rng.one_in(3)) {
        *n = rng.below(size.index);
    }
    let dtype = any_dtype(rng);
    let x = rng.arr(&shape, dtype);
    let lead = rng.below(rank + 1);
    let mshape: Vec<usize> = shape[lead..].iter().map(|&n| if rng.one_in(5) { 1 } else { n }).collect();
    let mshape = if rng.one_in(2) { shape.clone() } else { mshape };
    let mask = rng.mask(&mshape);
    let most = numel(&shape) + rng.below(3);
    let record = matches!(dtype, DType::Opaque { .. });
    let (op, v) = match rng.below(4) {
        0 if !record => (Op::Nonzero, None),
        1 if !record => (Op::MaskedFill { value: rng.between(0, 1) }, None),
        2 => (Op::MaskedScatter, Some(rng.arr(&[most], dtype))),
        _ => (Op::MaskedSelect, None),
    };
    let writes = !matches!(op, Op::MaskedSelect | Op::Nonzero);
    let (x, i) = (layout(rng, &x, !writes), layout(rng, &mask, true));
    let v = v.map(|v| layout(rng, &v, true));
    Case::new(op, &rules, x, i, v)
}

/// A subscript that mostly fits: index arrays share a broadcast shape, masks take the array's own extents.
fn subscripts(rng: &mut Rng, size: Size) -> Case {
    let rules = rules(rng);
    let rank = rng.below(size.rank + 1);
    let shape = rng.shape(rank, size.extent);
    let m = 1 + rng.below(size.index.min(if rank > 2 { 40 } else { 400 }));
    let joint: Vec<usize> = if rng.one_in(2) { vec![m] } else { vec![2, m.div_ceil(2)] };
    let (mut subs, mut d) = (vec![], 0);
    let mut ellipsis = false;
    while d < rank && !rng.one_in(6) {
        let n = shape[d];
        let near = |rng: &mut Rng| if rng.one_in(3) { None } else { Some(rng.between(-(n as i64) - 1, n as i64 + 1)) };
        let sub = match rng.below(12) {
            0 if n > 0 => {
                Sub::Int(rng.between(if rules.sign == Sign::FromEnd { -(n as i64) } else { 0 }, n as i64 - 1))
            }
            1..=3 => {
                let step = rng.pick(&[None, None, Some(1), Some(2), Some(-1), Some(-3)]);
                Sub::Range(Slice { start: near(rng), stop: near(rng), step })
            }
            4 => Sub::New,
            5 if !ellipsis => {
                ellipsis = true;
                Sub::Ellipsis
            }
            6 if rng.one_in(3) => Sub::Bool(!rng.one_in(3)),
            7 => {
                let k = 1 + rng.below((rank - d).min(2));
                Sub::Array(rng.mask(&shape[d..d + k]))
            }
            _ => {
                let mut s: Vec<usize> = joint.iter().map(|&n| if rng.one_in(4) { 1 } else { n }).collect();
                if rng.one_in(3) {
                    s.remove(0);
                }
                Sub::Array(index(rng, &s, n, &rules))
            }
        };
        d += match &sub {
            Sub::Int(_) | Sub::Range(_) => 1,
            Sub::Array(a) if a.dtype == DType::Bool => a.shape.len(),
            Sub::Array(_) => 1,
            _ => 0,
        };
        // Behind an ellipsis entries mean later axes; only its own position is generated exactly.
        subs.push(sub);
    }
    let op = rng.pick(&[Op::Get, Op::Get, Op::Set, Op::SetAdd]);
    let dtype = if op == Op::SetAdd { rng.pick(&DTYPES) } else { any_dtype(rng) };
    let x = rng.arr(&shape, dtype);
    let value = (op != Op::Get).then(|| {
        let target = subscript(&shape, &subs, &rules).map(|c| c.shape).unwrap_or_default();
        let lead = if rng.one_in(3) { rng.below(target.len() + 1) } else { 0 };
        let s: Vec<usize> = target[lead..].iter().map(|&n| if rng.one_in(5) { 1 } else { n }).collect();
        rng.arr(&s, dtype)
    });
    let x = layout(rng, &x, op == Op::Get);
    let arrays = subs.iter().filter_map(|s| if let Sub::Array(a) = s { Some(a.clone()) } else { None });
    let index = arrays.collect::<Vec<_>>().iter().map(|a| layout(rng, a, true)).collect();
    let value = value.map(|v| layout(rng, &v, true));
    Case { op, rules, x, subs, index, value }
}
