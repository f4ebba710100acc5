//! Subscripts: `x[0, 1:3, None, ..., i, mask, True]`, with torch's and NumPy's placement of the index dims.

use super::{Bad, Cells, Facts, Outcome, Place, check, coords, place};
use crate::arr::{Arr, broadcast, flat, numel};
use takewise::index::rules::{Empty, LoneInt, Rules};
use takewise::{DType, Kind, Slice};

/// One entry of a subscript, owning its arrays.
#[derive(Clone, PartialEq, Debug)]
pub enum Sub {
    /// An integer.
    Int(i64),
    /// A slice.
    Range(Slice),
    /// `None`.
    New,
    /// `...`.
    Ellipsis,
    /// Index array or (dtype bool) mask.
    Array(Arr),
    /// `True` or `False`.
    Bool(bool),
}

/// What one entry does to the result, in order.
enum Part {
    /// A dim of the result that walks the listed positions of an axis.
    Walk(usize, Vec<usize>),
    /// A dim of extent 1.
    One,
    /// Separates index arrays without giving a dim: an ellipsis that stands for nothing.
    Gap,
    /// An axis fixed at a place.
    Fixed(usize, Place),
    /// An index array on an axis, with the operand's coordinates of each value.
    Index(usize, Arr, Vec<Vec<usize>>),
    /// A truth value: one index into a dim that was not there, or none.
    Truth(bool),
}

/// The positions of a slice, counted out as Python does.
fn positions(slice: &Slice, n: usize) -> Vec<usize> {
    let (n, step) = (n as i128, slice.step.unwrap_or(1) as i128);
    let clamp = |v: i64, low: i128, high: i128| (if v < 0 { v as i128 + n } else { v as i128 }).max(low).min(high);
    let mut out = vec![];
    if step > 0 {
        let mut at = slice.start.map_or(0, |v| clamp(v, 0, n));
        let stop = slice.stop.map_or(n, |v| clamp(v, 0, n));
        while at < stop {
            out.push(at as usize);
            at += step;
        }
    } else {
        let mut at = slice.start.map_or(n - 1, |v| clamp(v, -1, n - 1));
        let stop = slice.stop.map_or(-1, |v| clamp(v, -1, n - 1));
        while at > stop {
            out.push(at as usize);
            at += step;
        }
    }
    out
}

fn consumed(sub: &Sub, rules: &Rules) -> usize {
    match sub {
        Sub::Int(_) | Sub::Range(_) => 1,
        Sub::Array(a) if is_mask(a, rules) => a.shape.len(),
        Sub::Array(_) => 1,
        _ => 0,
    }
}

fn is_mask(a: &Arr, rules: &Rules) -> bool {
    a.dtype == DType::Bool || (rules.byte_masks && a.dtype == DType::U8)
}

/// The cells of `x[subs]`.
pub fn subscript(xshape: &[usize], subs: &[Sub], rules: &Rules) -> Outcome<Cells> {
    let used: usize = subs.iter().map(|s| consumed(s, rules)).sum();
    if used > xshape.len() {
        return Err(Bad::Other(Kind::Shape));
    }
    let ellipses = subs.iter().filter(|s| **s == Sub::Ellipsis).count();
    assert!(ellipses <= 1, "a repeated ellipsis is defined by the transcripts, not here");
    let mut all = subs.to_vec();
    if ellipses == 0 {
        all.push(Sub::Ellipsis);
    }
    let parts = parts(xshape, &all, xshape.len() - used, ellipses == 1, rules)?;
    place_dims(xshape, parts, rules)
}

fn parts(xshape: &[usize], subs: &[Sub], missing: usize, written: bool, rules: &Rules) -> Outcome<Vec<Part>> {
    let mut out = vec![];
    let (mut axis, mut misfit) = (0, false);
    for sub in subs {
        match sub {
            Sub::Int(v) => out.push(fixed(axis, *v as i128, xshape, rules)?),
            Sub::Range(s) if s.step == Some(0) || (s.step < Some(0) && s.step.is_some() && !rules.negative_step) => {
                return Err(Bad::Other(Kind::Argument));
            }
            Sub::Range(s) => out.push(Part::Walk(axis, positions(s, xshape[axis]))),
            Sub::New => out.push(Part::One),
            Sub::Ellipsis => {
                if missing == 0 && written && rules.ellipsis_splits {
                    out.push(Part::Gap);
                }
                out.extend((0..missing).map(|k| Part::Walk(axis + k, (0..xshape[axis + k]).collect())));
                axis += missing;
            }
            Sub::Bool(b) => out.push(Part::Truth(*b)),
            Sub::Array(a) if is_mask(a, rules) && a.shape.is_empty() => out.push(Part::Truth(a.truth(0))),
            Sub::Array(a) if is_mask(a, rules) => {
                // Said once all entries have been read.
                let fits = |(n, len): (&usize, &usize)| n == len || *n == 0 && rules.empty_masks_fit;
                misfit |= !a.shape.iter().zip(&xshape[axis..]).all(fits);
                let hits: Vec<Vec<usize>> =
                    coords(&a.shape).into_iter().enumerate().filter(|(k, _)| a.truth(*k)).map(|(_, c)| c).collect();
                for d in 0..a.shape.len() {
                    let column: Vec<i64> = hits.iter().map(|c| c[d] as i64).collect();
                    out.push(Part::Index(axis + d, Arr::ints(&[hits.len()], DType::I64, &column), hits.clone()));
                }
            }
            // An integer to every library: torch selects, NumPy checks and places it as one.
            Sub::Array(a) if a.shape.is_empty() => {
                out.push(fixed(axis, a.int_at(0), xshape, rules)?);
            }
            Sub::Array(a) => out.push(Part::Index(axis, a.clone(), coords(&a.shape))),
        }
        if !matches!(sub, Sub::Ellipsis) {
            axis += consumed(sub, rules);
        }
    }
    if misfit { Err(Bad::Other(Kind::Shape)) } else { Ok(out) }
}

/// An integer, checked where it stands: before anything to its right.
fn fixed(axis: usize, value: i128, xshape: &[usize], rules: &Rules) -> Outcome<Part> {
    let place = place(value, xshape[axis], rules);
    if place == Place::Bad {
        let facts = Facts { axis, position: None, value, len: xshape[axis], bad: 1 };
        return Err(Bad::OutOfRange(vec![facts]));
    }
    Ok(Part::Fixed(axis, place))
}

/// The axis an index array names places of, the array, and where each of its values stood in what was given.
type Named = (usize, Arr, Vec<Vec<usize>>);

/// What is said of values outside, in the order in which they are met: arrays broadcast to `index`, for a result of `shape`.
fn outside_facts(xshape: &[usize], arrays: &[Named], index: &[usize], shape: &[usize], rules: &Rules) -> Vec<Facts> {
    let mut facts: Vec<(usize, Facts)> = arrays
        .iter()
        .filter(|(axis, ..)| match rules.empty {
            Empty::Forgives => numel(shape) > 0 || (numel(index) > 0 && xshape[*axis] == 0),
            Empty::StillChecks => numel(index) > 0,
        })
        .filter_map(|(axis, a, at)| {
            let values: Vec<i128> = (0..a.data.len()).map(|k| a.int_at(k)).collect();
            let facts = check(&values, *axis, xshape[*axis], rules, |k| at[k].clone())?;
            let met = a.broadcast_to(index).unwrap();
            let met = (0..met.data.len()).find(|&k| place(met.int_at(k), xshape[*axis], rules) == Place::Bad);
            Some((met.unwrap_or(usize::MAX), facts))
        })
        .collect();
    facts.sort_by_key(|f| f.0);
    facts.into_iter().map(|f| f.1).collect()
}

fn place_dims(xshape: &[usize], parts: Vec<Part>, rules: &Rules) -> Outcome<Cells> {
    let any = parts.iter().any(|p| matches!(p, Part::Index(..) | Part::Truth(_)));
    // An integer beside arrays is an array of one value, where the rules say so; else it selects and is gone.
    let joins = any && rules.lone_int == LoneInt::JoinsArrays;
    let mut fixed = vec![None; xshape.len()];
    let mut kept = vec![];
    let mut outside = false;
    for part in parts {
        match part {
            Part::Fixed(axis, place) => {
                match place {
                    Place::At(p) => fixed[axis] = Some(p),
                    _ => outside = true,
                }
                if joins {
                    kept.push(Part::Fixed(axis, place));
                }
            }
            other => kept.push(other),
        }
    }
    let arrays: Vec<Named> = kept
        .iter()
        .filter_map(|p| match p {
            Part::Index(axis, a, at) => Some((*axis, a.clone(), at.clone())),
            _ => None,
        })
        .collect();
    let truths = kept.iter().filter_map(|p| if let Part::Truth(b) = p { Some([*b as usize]) } else { None });
    let truths: Vec<[usize; 1]> = truths.collect();
    let shapes: Vec<&[usize]> = arrays.iter().map(|a| &a.1.shape[..]).chain(truths.iter().map(|t| &t[..])).collect();
    let Some(b) = broadcast(&shapes) else { return Err(Bad::Other(Kind::Shape)) };

    // Where the index dims go: in place of a single run of index entries, else in front.
    let is_index = |p: &Part| matches!(p, Part::Index(..) | Part::Truth(_) | Part::Fixed(..));
    let first = kept.iter().position(is_index).unwrap_or(0);
    let last = kept.iter().rposition(is_index).unwrap_or(0);
    let together = kept.iter().enumerate().all(|(k, p)| k < first || k > last || is_index(p));
    let (mut before, mut after) = (vec![], vec![]);
    for (k, part) in kept.iter().enumerate() {
        let dims = if together && k < first { &mut before } else { &mut after };
        match part {
            Part::Walk(axis, list) => dims.push(Some((*axis, list.clone()))),
            Part::One => dims.push(None),
            _ => {}
        }
    }
    let extent = |d: &Option<(usize, Vec<usize>)>| d.as_ref().map_or(1, |(_, list)| list.len());
    let b = if any { b } else { vec![] };
    let shape: Vec<usize> =
        before.iter().map(extent).chain(b.iter().copied()).chain(after.iter().map(extent)).collect();

    let facts = outside_facts(xshape, &arrays, &b, &shape, rules);
    if !facts.is_empty() {
        return Err(Bad::OutOfRange(facts));
    }
    let stretched: Vec<(usize, Arr)> = arrays.iter().map(|(d, a, _)| (*d, a.broadcast_to(&b).unwrap())).collect();
    let cell = |c: &Vec<usize>| {
        let (head, rest) = c.split_at(before.len());
        let (middle, tail) = rest.split_at(b.len());
        let mut at = fixed.clone();
        for (dims, part) in [(&before, head), (&after, tail)] {
            for (d, &i) in dims.iter().zip(part) {
                if let Some((axis, list)) = d {
                    at[*axis] = Some(list[i]);
                }
            }
        }
        for (axis, a) in &stretched {
            at[*axis] = match place(a.int_at(flat(&b, middle)), xshape[*axis], rules) {
                Place::At(p) => Some(p),
                _ => return None,
            };
        }
        let at: Option<Vec<usize>> = at.into_iter().collect();
        at.filter(|_| !outside).map(|at| flat(xshape, &at))
    };
    let cells = coords(&shape).iter().map(cell).collect();
    Ok(Cells { shape, cell: cells })
}
