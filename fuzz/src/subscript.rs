//! Subscripts with every kind of entry, read, stored and accumulated through.

use takewise::{DType, Rules, Slice};
use takewise_testkit::oracle::subscript;
use takewise_testkit::{Arr, Case, Op, Operand, Rng, Sub};

use crate::draw;

/// `x[entries]` against its definition.
pub fn read(bytes: &[u8]) -> bool {
    let rng = &mut Rng::from_bytes(bytes);
    let rules = draw::rules(rng);
    let (shape, dtype) = (draw::shape(rng, 4), draw::dtype(rng));
    let value = rng.arr(&shape, dtype);
    let x = draw::operand(rng, &value);
    let (subs, index) = entries(rng, &shape, &rules);
    draw::verify(rng, &Case { op: Op::Get, rules, x, subs, index, value: None })
}

/// `x[entries] = value` and `x[entries] += value` against their definitions.
pub fn write(bytes: &[u8]) -> bool {
    let rng = &mut Rng::from_bytes(bytes);
    let rules = draw::rules(rng);
    let op = rng.pick(&[Op::Set, Op::Set, Op::SetAdd]);
    let shape = draw::shape(rng, 4);
    let mut dtype = draw::dtype(rng);
    if op == Op::SetAdd && matches!(dtype, DType::Opaque { .. }) {
        dtype = DType::F32;
    }
    let start = rng.arr(&shape, dtype);
    let x = draw::destination(rng, &start);
    let (subs, index) = entries(rng, &shape, &rules);
    let target = laid_out(&subs, &index);
    let target = subscript(&shape, &target, &rules).map_or(vec![], |cells| cells.shape);
    let vshape = fitting(rng, &target);
    let value = rng.arr(&vshape, dtype);
    let value = Some(draw::operand(rng, &value));
    draw::verify(rng, &Case { op, rules, x, subs, index, value })
}

/// The entries with their arrays as the operands hold them.
fn laid_out(subs: &[Sub], index: &[Operand]) -> Vec<Sub> {
    let mut arrays = index.iter();
    let own = |sub: &Sub| match (sub, matches!(sub, Sub::Array(_)).then(|| arrays.next()).flatten()) {
        (Sub::Array(_), Some(operand)) => Sub::Array(operand.value().clone()),
        (other, _) => other.clone(),
    };
    subs.iter().map(own).collect()
}

/// A shape that broadcasts to `target`, or now and then one that does not.
fn fitting(rng: &mut Rng, target: &[usize]) -> Vec<usize> {
    let mut shape: Vec<usize> = target.iter().map(|&n| if rng.one_in(5) { 1 } else { n }).collect();
    while !shape.is_empty() && rng.one_in(5) {
        shape.remove(0);
    }
    if rng.one_in(8) {
        shape.insert(0, 1);
    }
    if rng.one_in(10) && !shape.is_empty() {
        let d = rng.below(shape.len());
        shape[d] += 1;
    }
    shape
}

/// Entries that mostly fit the shape, and the operands of their arrays, in order.
fn entries(rng: &mut Rng, shape: &[usize], rules: &Rules) -> (Vec<Sub>, Vec<Operand>) {
    let (mut subs, mut index) = (Vec::new(), Vec::new());
    let common = rng.pick(&[vec![2], vec![3], vec![1], vec![2, 2], vec![3, 1], vec![]]);
    let (mut axis, mut ellipsis) = (0, false);
    while subs.len() < 6 && (axis < shape.len() || rng.one_in(4)) {
        let rest = shape.len().saturating_sub(axis);
        match rng.below(12) {
            0 => subs.push(Sub::New),
            1 => subs.push(Sub::Bool(!rng.one_in(4))),
            2 if !ellipsis => {
                ellipsis = true;
                subs.push(Sub::Ellipsis);
                axis += rng.below(rest + 1);
            }
            3 | 4 => subs.push(Sub::Int(int(rng, shape.get(axis)))),
            5 | 6 => subs.push(Sub::Range(slice(rng))),
            7 | 8 if rest > 0 => {
                let rank = 1 + rng.below(rest.min(2));
                let mut covered = shape[axis..axis + rank].to_vec();
                if rng.one_in(12) {
                    covered[0] += 1;
                }
                push(rng, &mut subs, &mut index, rng_mask, &covered);
                axis += rank - 1;
            }
            _ => {
                let n = shape.get(axis).copied().unwrap_or(1);
                let own = part(rng, &common);
                let dtype = draw::index_dtype(rng);
                // A byte array may be a mask; the oracle reads it as the rules say, so only its dtype is avoided.
                let dtype = if rules.byte_masks && dtype == DType::U8 { DType::I64 } else { dtype };
                let outside = rng.one_in(3);
                push(rng, &mut subs, &mut index, |r, s| r.index(s, dtype, n, true, outside), &own);
            }
        }
        if !matches!(subs.last(), Some(Sub::New | Sub::Bool(_) | Sub::Ellipsis)) {
            axis += 1;
        }
        if axis >= shape.len() && rng.one_in(2) {
            break;
        }
    }
    (subs, index)
}

fn rng_mask(rng: &mut Rng, shape: &[usize]) -> Arr {
    rng.mask(shape)
}

fn push(
    rng: &mut Rng,
    subs: &mut Vec<Sub>,
    index: &mut Vec<Operand>,
    make: impl Fn(&mut Rng, &[usize]) -> Arr,
    shape: &[usize],
) {
    let array = make(rng, shape);
    index.push(draw::operand(rng, &array));
    subs.push(Sub::Array(array));
}

/// A shape that broadcasts with `common`, mostly.
fn part(rng: &mut Rng, common: &[usize]) -> Vec<usize> {
    let skip = if rng.one_in(4) { rng.below(common.len() + 1) } else { 0 };
    let stretch = |rng: &mut Rng, n: usize| match rng.below(10) {
        0 => 1,
        1 if rng.one_in(3) => n + 1,
        _ => n,
    };
    common[skip..].iter().map(|&n| stretch(rng, n)).collect()
}

fn int(rng: &mut Rng, extent: Option<&usize>) -> i64 {
    let n = extent.copied().unwrap_or(1) as i64;
    if rng.one_in(8) { rng.pick(&[i64::MIN, i64::MAX, -n - 1, n]) } else { rng.between(-n, (n - 1).max(-n)) }
}

fn slice(rng: &mut Rng) -> Slice {
    let bound = |rng: &mut Rng| match rng.below(6) {
        0 | 1 => None,
        2 => Some(rng.pick(&[i64::MIN, i64::MAX])),
        _ => Some(rng.between(-5, 5)),
    };
    let step = match rng.below(8) {
        0..=2 => None,
        3 => Some(rng.pick(&[i64::MIN, i64::MAX, 0, 1 << 40])),
        _ => Some(rng.between(-3, 3)),
    };
    Slice { start: bound(rng), stop: bound(rng), step }
}
