//! Masks: how many elements one selects, and where they are.
//!
//! A mask is an array of `bool` (or `u8`) bytes; any nonzero byte selects. Counting needs no memory beyond
//! a block, whatever the strides. Positions are only listed for masks that must broadcast with other index
//! arrays; a lone mask reaches the kernels as it is.

use crate::dtype::DType;
use crate::error::{Error, Fault, Result};
use crate::kernel::nonzero::count_bytes;
use crate::layout::{Dims, unravel};
use crate::notes::{self, Lain, Note, note};
use crate::op::Op;
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
    let count = if mask.dtype().size() == 1 { count_bytes(&mask.reinterpreted(DType::Bool)) } else { 0 };
    note(|| Note::Count { mask: Lain::of(mask), count, places: places(mask) });
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
        let list = |list: &Vec<i64>| Lain::of(&AnyView::from(list));
        let flat = |k: usize| lists.iter().zip(mask.shape()).fold(0, |flat, (list, n)| flat * n + list[k] as usize);
        let count = lists.first().map_or(0, |list| list.len().min(notes::MOST));
        Note::Nonzero {
            input: Lain::of(mask),
            to: lists.iter().map(list).collect(),
            places: (0..count).map(flat).collect(),
        }
    });
    Ok(lists)
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
