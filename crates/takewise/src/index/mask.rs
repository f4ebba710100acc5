//! Masks: how many elements one selects, and where they are; whether the masks of a subscript fit.
//!
//! A mask is an array of `bool` (or `u8`) bytes; any nonzero byte selects. Counting needs no memory beyond
//! a block, whatever the strides. Positions are only listed for masks that must broadcast with other index
//! arrays; a lone mask reaches the kernels as it is.

use super::Item;
use crate::dtype::DType;
use crate::error::{Error, Fault, Result, ShapeRule};
use crate::layout::{Dims, unravel};
use crate::notes::{self, Location, Note, note};
use crate::op::Op;
use crate::rules::Rules;
use crate::values::nonzero::count_bytes;
use crate::view::AnyView;

/// How many elements a mask selects.
///
/// Cost: one pass over the mask, 64 bytes at a time, no allocation. Views whose elements are wider than one
/// byte select nothing.
///
/// ```
/// use takewise::{View, index::mask};
/// assert_eq!(mask::count(&View::from(&[true, false, true][..]).any()), 2);
/// ```
pub fn count(mask: &AnyView<'_>) -> usize {
    let count = match mask.dtype() {
        DType::Bool | DType::U8 | DType::I8 => count_bytes(mask),
        other if other.size() == 1 => count_bytes(&mask.reinterpreted(DType::Bool)),
        _ => 0,
    };
    note(|| Note::Count { mask: Location::of(mask), count, places: places(mask) });
    count
}

/// Flat positions of the selected ones among the elements that a note lists.
fn places(mask: &AnyView<'_>) -> Vec<usize> {
    let elements = notes::elements(mask).into_iter().enumerate();
    elements.filter(|(_, bytes)| bytes[0] != 0).map(|(k, _)| k).collect()
}

/// The coordinates of the selected elements, one list per mask axis, in row-major order.
///
/// Cost: one pass, 8 bytes per axis and selected element. Error (kind `Memory`) if those cannot be had.
pub fn positions(mask: &AnyView<'_>) -> Result<Dims<Vec<i64>>> {
    let n = count(mask);
    let mut lists: Dims<Vec<i64>> = Dims::new();
    for _ in 0..mask.rank() {
        let mut list = Vec::new();
        list.try_reserve_exact(n).map_err(|_| Error::plain(Fault::Memory { op: Op::Mask, bytes: n.checked_mul(8) }))?;
        lists.push(list);
    }
    let mut flat = 0;
    mask.for_bytes(|block| {
        for b in block {
            // The mask may change between the passes; no more than was counted is ever listed.
            if *b != 0 && lists.first().is_some_and(|l| l.len() < n) {
                for (list, i) in lists.iter_mut().zip(unravel(flat, mask.shape())) {
                    list.push(i as i64);
                }
            }
            flat += 1;
        }
    });
    note(|| {
        let list = |list: &Vec<i64>| Location::of(&AnyView::from(list));
        let flat = |k: usize| lists.iter().zip(mask.shape()).fold(0, |flat, (list, n)| flat * n + list[k] as usize);
        let count = lists.first().map_or(0, |list| list.len().min(notes::MOST));
        Note::Nonzero {
            input: Location::of(mask),
            to: lists.iter().map(list).collect(),
            places: (0..count).map(flat).collect(),
        }
    });
    Ok(lists)
}

/// Fails unless every array has a dtype the rules accept and every mask the extents of the axes it covers; `missing` axes are the ellipsis's.
pub(super) fn check_masks<T>(
    op: Op,
    shape: &[usize],
    items: &[Item<AnyView<'_>, T>],
    missing: usize,
    rules: &Rules,
) -> Result<()> {
    for item in items {
        if let Item::Array(v) = item {
            rules.check_index(op, v.dtype())?;
        }
    }
    let mut at = 0;
    for item in items {
        let n = consumes(item, rules);
        if let Item::Array(mask) = item
            && is_mask(mask, rules)
            && let Some(d) =
                (0..n).find(|d| !shape.get(at + d).is_some_and(|len| rules.mask_fits(mask.shape()[*d], *len)))
        {
            let axis = [at + d];
            let facts = [("mask", mask.shape()), ("array", shape), ("axis", &axis[..]), ("real axis", &axis[..])];
            return Err(rules.fail(Fault::shape(op, ShapeRule::Mask, d, &facts)));
        }
        at += if matches!(item, Item::Ellipsis) { missing } else { n };
    }
    Ok(())
}

/// How many axes an item consumes.
pub(super) fn consumes<T>(item: &Item<AnyView<'_>, T>, rules: &Rules) -> usize {
    match item {
        Item::Int(_) | Item::Range(_) => 1,
        Item::NewAxis | Item::Ellipsis | Item::Bool(_) => 0,
        Item::Array(v) if is_mask(v, rules) => v.rank(),
        Item::Array(_) | Item::Tensor(_) => 1,
    }
}

/// Whether an array is a mask by the rules.
#[inline]
pub(super) fn is_mask(v: &AnyView<'_>, rules: &Rules) -> bool {
    rules.selects(v.dtype())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{View, layout::Coordinates};

    /// Masks of every layout twist against listing them coordinate by coordinate.
    #[test]
    fn counts_and_lists_what_is_there() {
        let mut seed = 7u32;
        let data: Vec<u8> = (0..6000)
            .map(|k| {
                seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
                if (k / 500) % 2 == 0 { (seed >> 28) as u8 & 2 } else { 255 * ((seed >> 30) as u8 / 3) }
            })
            .collect();
        for (shape, strides, first) in [
            (&[6000][..], &[1][..], 0),
            (&[5999], &[-1], 5998),
            (&[60, 100], &[100, 1], 0),
            (&[100, 60], &[1, 100], 0),
            (&[10, 5, 20], &[200, 7, 2], 3),
            (&[3, 4], &[0, 0], 1),
            (&[3, 1, 4], &[4, 9, 1], 0),
            (&[3, 0], &[1, 1], 0),
            (&[], &[], 2),
        ] {
            let view = View::strided(&data, first, shape, strides).unwrap();
            let want: Vec<_> = Coordinates::new(shape).filter(|c| view.get(c) != Some(0)).collect();
            assert_eq!(count(&view.any()), want.len(), "{shape:?}");
            let lists = positions(&view.any()).unwrap();
            for (k, at) in want.iter().enumerate() {
                for d in 0..shape.len() {
                    assert_eq!(lists[d][k], at[d] as i64);
                }
            }
        }
    }
}
