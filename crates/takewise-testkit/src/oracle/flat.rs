//! Operations on the row-major order of an array: take, put, masks, nonzero, where.

use super::{Bad, Cells, Outcome, Place, check_all, coords, place};
use crate::arr::{Arr, broadcast, numel};
use takewise::index::rules::Rules;
use takewise::{DType, Kind};

/// `x.ravel()[index]`.
pub fn take(xshape: &[usize], index: &Arr, rules: &Rules) -> Outcome<Cells> {
    let n = numel(xshape);
    check_all(index, 0, n, rules)?;
    let cell = |k: usize| match place(index.int_at(k), n, rules) {
        Place::At(p) => Some(p),
        _ => None,
    };
    Ok(Cells { shape: index.shape.clone(), cell: (0..index.data.len()).map(cell).collect() })
}

/// The cells of `put`: as [`take`], with a source of as many elements.
pub fn put(xshape: &[usize], index: &Arr, source: &Arr, rules: &Rules) -> Outcome<Cells> {
    if source.data.len() != index.data.len() {
        return Err(Bad::Other(Kind::Shape));
    }
    take(xshape, index, rules)
}

/// The cells of `x` where the mask is true, in row-major order of the shape both broadcast to: a vector.
pub fn masked(xshape: &[usize], mask: &Arr) -> Outcome<Cells> {
    let Some(shape) = broadcast(&[xshape, &mask.shape]) else { return Err(Bad::Other(Kind::Shape)) };
    let mask = mask.broadcast_to(&shape).unwrap();
    // A cell's own number, broadcast like any other value, is its position.
    let own = Arr::ints(xshape, DType::I64, &(0..numel(xshape) as i64).collect::<Vec<_>>());
    let own = own.broadcast_to(&shape).unwrap();
    let hits: Vec<_> = (0..numel(&shape)).filter(|&k| mask.truth(k)).map(|k| Some(own.int_at(k) as usize)).collect();
    Ok(Cells { shape: vec![hits.len()], cell: hits })
}

/// [`masked`] for masked_scatter: the source must have an element for every true.
pub fn masked_scatter_count(cells: &Cells, source: &Arr) -> Outcome<()> {
    if source.data.len() < cells.cell.len() { Err(Bad::Other(Kind::Shape)) } else { Ok(()) }
}

/// The coordinates of elements that are not zero: shape (count, rank), int64.
pub fn nonzero(x: &Arr) -> Arr {
    let all = coords(&x.shape);
    let hits: Vec<&Vec<usize>> = (0..x.data.len()).filter(|&k| x.truth(k)).map(|k| &all[k]).collect();
    let values: Vec<i64> = hits.iter().flat_map(|c| c.iter().map(|&i| i as i64)).collect();
    Arr::ints(&[hits.len(), x.shape.len()], DType::I64, &values)
}

/// `a` where the condition is true, else `b`; all three broadcast.
pub fn where_(condition: &Arr, a: &Arr, b: &Arr) -> Outcome<Arr> {
    let Some(shape) = broadcast(&[&condition.shape, &a.shape, &b.shape]) else { return Err(Bad::Other(Kind::Shape)) };
    let [c, p, q] = [condition, a, b].map(|v| v.broadcast_to(&shape).unwrap());
    Ok(Arr::new(&shape, a.dtype, (0..numel(&shape)).map(|k| if c.truth(k) { p.data[k] } else { q.data[k] }).collect()))
}
