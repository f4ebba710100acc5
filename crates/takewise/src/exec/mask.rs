//! A mask to blocks of offsets, without ever holding a list of positions: memory is one block per thread.

use crate::plan::Select;
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
            *c = flat % d.0;
            flat /= d.0;
        }
        Cursor { select, mask, at, left: end - start }
    }

    /// Number of mask positions.
    pub(crate) fn extent(select: &Select) -> usize {
        select.dims.iter().map(|d| d.0).product()
    }

    /// Appends the indexed offsets of the next selected places, at most `most`, each plus `offset`.
    pub(crate) fn fill(&mut self, offset: isize, most: usize, out: &mut Vec<isize>) {
        out.clear();
        let rank = self.at.len();
        if rank == 0 {
            // SAFETY: L1: a mask of one element.
            if self.left > 0 && most > 0 && unsafe { *self.mask } != 0 {
                out.push(offset);
                self.left = 0;
            }
            return;
        }
        let (extent, mask_step, step) = self.select.dims[rank - 1];
        while self.left > 0 && out.len() < most {
            let outer = || self.at[..rank - 1].iter().zip(&self.select.dims);
            let mask_base: isize = outer().map(|(&c, d)| c as isize * d.1).sum();
            let base: isize = offset + outer().map(|(&c, d)| c as isize * d.2).sum::<isize>();
            let first = self.at[rank - 1];
            let stop = extent.min(first + self.left);
            // SAFETY: L1: the row starts inside the mask's hull.
            let row = unsafe { self.mask.offset(mask_base) };
            // SAFETY: L1: positions first..stop of the row are mask elements.
            let next = unsafe { scan(row, mask_step, first, stop, base, step, most, out) };
            self.left -= next - first;
            if next < extent {
                self.at[rank - 1] = next;
                continue;
            }
            self.at[rank - 1] = 0;
            for d in (0..rank - 1).rev() {
                self.at[d] += 1;
                if self.at[d] < self.select.dims[d].0 {
                    break;
                }
                self.at[d] = 0;
            }
        }
    }
}

/// Pushes offsets of the nonzero bytes of `row[first..stop]` until `out` holds `most`; returns where it
/// stopped. Eight contiguous bytes are looked at together, so sparse masks cost little.
#[allow(clippy::too_many_arguments)]
unsafe fn scan(
    row: *const u8,
    mask_step: isize,
    first: usize,
    stop: usize,
    base: isize,
    step: isize,
    most: usize,
    out: &mut Vec<isize>,
) -> usize {
    let mut k = first;
    while k < stop && out.len() < most {
        if mask_step == 1 && k + 8 <= stop {
            // SAFETY: L1 by the caller: eight mask bytes from k on.
            let word = unsafe { row.add(k).cast::<u64>().read_unaligned() };
            if word == 0 {
                k += 8;
                continue;
            }
            if out.len() + 8 <= most {
                let bytes = word.to_ne_bytes();
                for (j, b) in bytes.iter().enumerate() {
                    if *b != 0 {
                        out.push(base + (k + j) as isize * step);
                    }
                }
                k += 8;
                continue;
            }
        }
        // SAFETY: L1 by the caller.
        if unsafe { *row.offset(k as isize * mask_step) } != 0 {
            out.push(base + k as isize * step);
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
    let mut buffer = Vec::with_capacity(512);
    let mut total = 0;
    loop {
        cursor.fill(0, 512, &mut buffer);
        if buffer.is_empty() {
            return total;
        }
        total += buffer.len();
    }
}
