//! Masks: how many elements one selects, where they are, and how dense they lie.
//!
//! A mask is an array of `bool` (or `u8`) bytes; any nonzero byte selects. Counting needs no memory beyond
//! a block, whatever the strides. Positions are only listed for masks that must broadcast with other index
//! arrays; a lone mask reaches the kernels as it is.

use crate::dtype::DType;
use crate::error::{Error, Fault, Result};
use crate::exec::nonzero;
use crate::layout::{Dims, unravel};
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
    if mask.dtype().size() == 1 { nonzero::count(&mask.reinterpreted(DType::Bool)) } else { 0 }
}

/// Nonzero bytes of a block of at most 64 * 255 bytes, in 64 counters of one byte that cannot overflow.
fn nonzero_bytes(block: &[u8]) -> usize {
    let mut lanes = [0u8; 64];
    let chunks = block.chunks_exact(64);
    let rest = chunks.remainder().iter().filter(|b| **b != 0).count();
    for chunk in chunks {
        for (lane, b) in lanes.iter_mut().zip(chunk) {
            *lane += (*b != 0) as u8;
        }
    }
    rest + lanes.iter().map(|&n| n as usize).sum::<usize>()
}

/// Nonzero bytes after a zero byte, counted as [`nonzero_bytes`] counts.
fn starts(block: &[u8]) -> usize {
    let mut lanes = [0u8; 64];
    let (before, after) = (block[..block.len() - 1].chunks_exact(64), block[1..].chunks_exact(64));
    let rest = before.remainder().iter().zip(after.remainder()).filter(|(a, b)| **a == 0 && **b != 0).count();
    for (a, b) in before.zip(after) {
        for (lane, (a, b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *lane += ((*a == 0) & (*b != 0)) as u8;
        }
    }
    rest + lanes.iter().map(|&n| n as usize).sum::<usize>()
}

/// What a mask selects, by density: which way of walking it pays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Selection {
    /// Nothing.
    None,
    /// Everything: a plain copy.
    All,
    /// Few long runs: copy run by run.
    Runs {
        /// Elements selected.
        count: usize,
        /// Maximal runs of selected elements in row-major order.
        runs: usize,
    },
    /// Scattered elements: compress element by element.
    Positions {
        /// Elements selected.
        count: usize,
    },
}

/// Mean run length from which copying whole runs beats compressing (a run costs about one call).
const LONG_RUN: usize = 8;

impl Selection {
    /// Surveys a mask in row-major order. Cost: one pass, no allocation.
    pub fn of(mask: &AnyView<'_>) -> Selection {
        let (mut count, mut runs, mut last) = (0, 0, 0u8);
        mask.for_bytes(|block| {
            count += nonzero_bytes(block);
            runs += (block[0] != 0 && last == 0) as usize;
            runs += starts(block);
            last = block[block.len() - 1];
        });
        match count {
            0 => Selection::None,
            n if n == mask.numel() => Selection::All,
            n if n / runs >= LONG_RUN => Selection::Runs { count, runs },
            _ => Selection::Positions { count },
        }
    }

    /// Elements selected out of `total`.
    pub fn count(&self, total: usize) -> usize {
        match *self {
            Selection::None => 0,
            Selection::All => total,
            Selection::Runs { count, .. } | Selection::Positions { count } => count,
        }
    }
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
            assert_eq!(Selection::of(&view.any()).count(view.any().numel()), want.len());
        }
    }

    #[test]
    fn survey_names_the_shape_of_the_selection() {
        let of = |v: &[bool]| Selection::of(&View::from(v).any());
        assert_eq!(of(&[]), Selection::None);
        assert_eq!(of(&[false; 9]), Selection::None);
        assert_eq!(of(&[true; 9000]), Selection::All);
        let mut long = [false; 9000];
        long[4000..4200].fill(true);
        long[8999] = true;
        assert_eq!(of(&long), Selection::Runs { count: 201, runs: 2 });
        assert_eq!(of(&[true, false, true]), Selection::Positions { count: 2 });
    }
}
