//! Index tuples in the last dim: gather_nd, scatter_nd.

use super::{Bad, Cells, Facts, Outcome, Place, check, coords, place};
use crate::arr::{Arr, flat, numel};
use takewise::Kind;
use takewise::index::rules::{Empty, Rules};

/// `x[b, index[b, i]]` where `index[b, i]` is a tuple: the result's shape is
/// `index.shape[:-1] + x.shape[batch + depth:]`.
pub fn nd(xshape: &[usize], index: &Arr, batch: usize, rules: &Rules) -> Outcome<Cells> {
    let shape_error = Err(Bad::Other(Kind::Shape));
    let Some((&depth, rows)) = index.shape.split_last() else { return shape_error };
    if batch > rows.len() || batch > xshape.len() {
        return Err(Bad::Other(Kind::Argument));
    }
    if batch + depth > xshape.len() || rows[..batch] != xshape[..batch] {
        return shape_error;
    }
    let mut columns: Vec<Facts> = (0..depth)
        .filter_map(|k| {
            let values: Vec<i128> =
                coords(rows).iter().map(|r| index.int_at(flat(&index.shape, &[&r[..], &[k]].concat()))).collect();
            let position = |p: usize| [&coords(rows)[p][..], &[k]].concat();
            check(&values, batch + k, xshape[batch + k], rules, position)
        })
        .collect();
    columns.sort_by_key(|f| f.position.as_ref().map(|p| p[..rows.len()].to_vec()));
    let shape = [rows, &xshape[batch + depth..]].concat();
    let looked_at = rules.empty == Empty::StillChecks || numel(&shape) > 0;
    if !columns.is_empty() && looked_at {
        return Err(Bad::OutOfRange(columns));
    }
    let cell = |c: &Vec<usize>| {
        let (row, tail) = c.split_at(rows.len());
        let mut at = row[..batch].to_vec();
        for k in 0..depth {
            let value = index.int_at(flat(&index.shape, &[row, &[k]].concat()));
            match place(value, xshape[batch + k], rules) {
                Place::At(p) => at.push(p),
                _ => return None,
            }
        }
        Some(flat(xshape, &[&at[..], tail].concat()))
    };
    let cells = coords(&shape).iter().map(cell).collect();
    Ok(Cells { shape, cell: cells })
}
