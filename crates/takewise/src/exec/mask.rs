//! A mask to blocks of offsets, without ever holding a list of positions: memory is one block per thread.

use crate::plan::{Select, SelectDim};
use smallvec::{SmallVec, smallvec};

/// Walks the selected places of a mask in row-major order, from any mask position on.
pub(crate) struct Cursor<'p> {
    select: &'p Select,
    mask: *const u8,
    at: SmallVec<[usize; 4]>,
    /// Mask positions not yet looked at.
    left: usize,
}

impl<'p> Cursor<'p> {
    /// A cursor over mask positions `start..end` (flat, row-major).
    ///
    /// # Safety
    /// `mask` must be the base of the mask the plan was built for (L1) and stay so for `'p`.
    pub(crate) unsafe fn new(select: &'p Select, mask: *const u8, start: usize, end: usize) -> Cursor<'p> {
        let mut at: SmallVec<[usize; 4]> = smallvec![0; select.dims.len()];
        let mut flat = start;
        for (c, d) in at.iter_mut().zip(&select.dims).rev() {
            *c = flat % d.extent;
            flat /= d.extent;
        }
        Cursor { select, mask, at, left: end - start }
    }

    /// Number of mask positions.
    pub(crate) fn extent(select: &Select) -> usize {
        select.dims.iter().map(|d| d.extent).product()
    }

    /// Puts the indexed offsets of the next selected places, at most `most`, into `out`, each plus `offset`; and
    /// the linear side's into `paired`, where it moves with the mask.
    pub(crate) fn fill(&mut self, offset: isize, most: usize, out: &mut Vec<isize>, paired: &mut Vec<isize>) {
        out.clear();
        paired.clear();
        let pairs = self.select.linear.is_none();
        let rank = self.at.len();
        if rank == 0 {
            // SAFETY: L1: a mask of one element.
            if self.left > 0 && most > 0 && unsafe { *self.mask } != 0 {
                out.push(offset);
                paired.push(0);
            }
            self.left = 0;
            return;
        }
        let inner = self.select.dims[rank - 1];
        while self.left > 0 && out.len() < most {
            let base = |step: fn(&SelectDim) -> isize| -> isize {
                self.at[..rank - 1].iter().zip(&self.select.dims).map(|(&c, d)| c as isize * step(d)).sum()
            };
            let indexed = offset + base(|d| d.indexed);
            let linear = base(|d| d.linear);
            let first = self.at[rank - 1];
            let stop = inner.extent.min(first + self.left);
            let before = out.len();
            // SAFETY: L1: positions first..stop of the row are mask elements.
            let next = unsafe {
                let row = self.mask.offset(base(|d| d.mask));
                scan(row, inner.mask, first, stop, most, out)
            };
            for k in &mut out[before..] {
                let at = *k;
                if pairs {
                    paired.push(linear + at * inner.linear);
                }
                *k = indexed + at * inner.indexed;
            }
            self.left -= next - first;
            if next < inner.extent {
                self.at[rank - 1] = next;
                continue;
            }
            self.at[rank - 1] = 0;
            for d in (0..rank - 1).rev() {
                self.at[d] += 1;
                if self.at[d] < self.select.dims[d].extent {
                    break;
                }
                self.at[d] = 0;
            }
        }
    }
}

/// Pushes the numbers of the nonzero bytes of `row[first..stop]` until `out` holds `most`; returns where it
/// stopped. Eight contiguous bytes are looked at together, so sparse masks cost little.
unsafe fn scan(row: *const u8, step: isize, first: usize, stop: usize, most: usize, out: &mut Vec<isize>) -> usize {
    let mut k = first;
    while k < stop && out.len() < most {
        if step == 1 && k + 8 <= stop {
            // SAFETY: L1 by the caller: eight mask bytes from k on.
            let word = unsafe { row.add(k).cast::<u64>().read_unaligned() };
            if word == 0 {
                k += 8;
                continue;
            }
            if out.len() + 8 <= most {
                let bytes = word.to_ne_bytes();
                out.extend(bytes.iter().enumerate().filter(|(_, b)| **b != 0).map(|(j, _)| (k + j) as isize));
                k += 8;
                continue;
            }
        }
        // SAFETY: L1 by the caller.
        if unsafe { *row.offset(k as isize * step) } != 0 {
            out.push(k as isize);
        }
        k += 1;
    }
    k
}

/// How many places of mask positions `start..end` are selected.
///
/// # Safety
/// As [`Cursor::new`].
pub(crate) unsafe fn count(select: &Select, mask: *const u8, start: usize, end: usize) -> usize {
    // SAFETY: passed on.
    let mut cursor = unsafe { Cursor::new(select, mask, start, end) };
    let (mut buffer, mut paired) = (Vec::with_capacity(512), Vec::new());
    let mut total = 0;
    loop {
        cursor.fill(0, 512, &mut buffer, &mut paired);
        if buffer.is_empty() {
            return total;
        }
        total += buffer.len();
    }
}
