//! One index value per coordinate along one axis: gather, scatter, take along an axis, index_select.

use super::{Bad, Cells, Outcome, Place, at_least_1d, check_all, dim, place};
use crate::arr::{Arr, broadcast, coords, flat, numel};
use takewise::Kind;
use takewise::index::rules::{Empty, Extent, Rules, ZeroDim};

/// The axis a call names; a 0-d array has one only under some rules.
fn named(d: i64, xshape: &[usize], rules: &Rules) -> Outcome<usize> {
    if xshape.is_empty() && rules.zero_dim == ZeroDim::NoAxis {
        return Err(Bad::Other(Kind::Axis));
    }
    dim(d, xshape.len())
}

fn shape_error<T>() -> Outcome<T> {
    Err(Bad::Other(Kind::Shape))
}

/// `x[c with c[dim] replaced by index[c]]` for every coordinate `c` of the index: gather and scatter.
///
/// Off `dim` the index fits as `rules.extent` says; under `Broadcast` both sides stretch.
pub fn along(xshape: &[usize], d: i64, index: &Arr, rules: &Rules) -> Outcome<Cells> {
    let d = named(d, xshape, rules)?;
    // torch forgives an empty index everything, its rank included.
    if index.is_empty() && rules.extent == Extent::AtMost {
        return Ok(Cells { shape: index.shape.clone(), cell: vec![] });
    }
    let (own, ishape) = (at_least_1d(xshape), at_least_1d(&index.shape));
    if own.len() != ishape.len() || rules.zero_dim == ZeroDim::NoAxis && index.shape.is_empty() {
        return shape_error();
    }
    let off = |k: usize| k != d;
    let fits = |k: usize| match rules.extent {
        Extent::Equal => ishape[k] == own[k],
        Extent::AtMost => ishape[k] <= own[k],
        Extent::Broadcast => ishape[k] == own[k] || ishape[k] == 1 || own[k] == 1,
    };
    if !(0..own.len()).filter(|&k| off(k)).all(fits) {
        return shape_error();
    }
    let mut walked = ishape.clone();
    if rules.extent == Extent::Broadcast {
        let free: Vec<usize> = (0..own.len()).map(|k| if off(k) { own[k] } else { ishape[k] }).collect();
        walked = broadcast(&[&ishape, &free]).unwrap();
    }
    if numel(&walked) > 0 {
        check_all(index, d, own[d], rules)?;
    }
    let stretched = index.reshape(&ishape).broadcast_to(&walked).unwrap();
    let cell = |c: &Vec<usize>| match place(stretched.int_at(flat(&walked, c)), own[d], rules) {
        Place::At(p) => {
            let at: Vec<usize> = (0..own.len())
                .map(|k| {
                    if !off(k) {
                        p
                    } else if own[k] == 1 {
                        0
                    } else {
                        c[k]
                    }
                })
                .collect();
            Some(flat(&own, &at))
        }
        _ => None,
    };
    let cells = coords(&walked).iter().map(cell).collect();
    let shape = if index.shape.is_empty() { vec![] } else { walked };
    Ok(Cells { shape, cell: cells })
}

/// NumPy's `take_along_axis`: [`along`] with both sides broadcasting.
pub fn take_along(xshape: &[usize], d: i64, index: &Arr, rules: &Rules) -> Outcome<Cells> {
    along(xshape, d, index, &Rules { extent: Extent::Broadcast, ..*rules })
}

/// NumPy's `take` along an axis, MindSpore's and TensorFlow's `gather`:
/// `x[b, o, index[b, i], t]` for all of batch `b`, outer `o`, index `i` and inner `t`; the result's shape is
/// `x.shape[:axis] + index.shape[batch:] + x.shape[axis+1:]`.
pub fn axis_batch(xshape: &[usize], axis: i64, index: &Arr, batch: usize, rules: &Rules) -> Outcome<Cells> {
    if xshape.is_empty() {
        return Err(Bad::Other(Kind::Axis));
    }
    let axis = dim(axis, xshape.len())?;
    if batch > index.shape.len() || batch > axis {
        return Err(Bad::Other(Kind::Argument));
    }
    if xshape[..batch] != index.shape[..batch] {
        return shape_error();
    }
    let shape = [&xshape[..axis], &index.shape[batch..], &xshape[axis + 1..]].concat();
    if rules.empty == Empty::StillChecks || numel(&shape) > 0 {
        check_all(index, axis, xshape[axis], rules)?;
    }
    let free = index.shape.len() - batch;
    let cell = |c: &Vec<usize>| {
        let (head, rest) = c.split_at(axis);
        let (middle, tail) = rest.split_at(free);
        let which = [&head[..batch], middle].concat();
        match place(index.int_at(flat(&index.shape, &which)), xshape[axis], rules) {
            Place::At(p) => Some(flat(xshape, &[head, &[p], tail].concat())),
            _ => None,
        }
    };
    let cells = coords(&shape).iter().map(cell).collect();
    Ok(Cells { shape, cell: cells })
}

/// NumPy's `take` along an axis; a 0-d array is one of length 1 under some rules.
pub fn take_axis(xshape: &[usize], axis: i64, index: &Arr, rules: &Rules) -> Outcome<Cells> {
    match rules.zero_dim {
        ZeroDim::OneAxis => axis_batch(&at_least_1d(xshape), axis, index, 0, rules),
        ZeroDim::NoAxis => axis_batch(xshape, axis, index, 0, rules),
    }
}

/// The cells of `x[..., index, ...]` on one axis for a vector index: index_add, index_copy, index_fill,
/// index_reduce. A 0-d index is one value; a 0-d array is one cell.
pub fn vector(xshape: &[usize], d: i64, index: &Arr, rules: &Rules) -> Outcome<Cells> {
    let d = named(d, xshape, rules)?;
    if index.shape.len() > 1 {
        return shape_error();
    }
    let one = index.reshape(&at_least_1d(&index.shape));
    axis_batch(&at_least_1d(xshape), d as i64, &one, 0, rules)
}

/// torch's `index_select`: [`vector`], except that a 0-d array takes exactly one index and stays 0-d.
pub fn index_select(xshape: &[usize], d: i64, index: &Arr, rules: &Rules) -> Outcome<Cells> {
    named(d, xshape, rules)?;
    if xshape.is_empty() && index.data.len() != 1 {
        return shape_error();
    }
    // torch checks here even if nothing is selected.
    let mut cells = vector(xshape, d, index, &Rules { empty: Empty::StillChecks, ..*rules })?;
    if xshape.is_empty() {
        cells.shape = vec![];
    }
    Ok(cells)
}
