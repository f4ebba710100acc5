//! Making a nest short and its leaf wide, without changing what happens or in which order duplicates meet.
//!
//! * Loops of one iteration vanish.
//! * Free loops are disjoint lanes, so they may be reordered at will; those contiguous on both sides fold
//!   into the chunk, neighbours fuse.
//! * Index loops keep their order (it decides which duplicate is last); neighbours fuse when every operand
//!   agrees.

use super::{Loop, Plan};
use crate::dims::sort_few_by_key;

impl Plan {
    /// Shortens the nest in place.
    pub(crate) fn optimize(&mut self) {
        without_ones(&mut self.index);
        fuse(&mut self.index);
        without_ones(&mut self.free);
        if self.free.len() > 1 {
            sort_few_by_key(&mut self.free, |l| std::cmp::Reverse((l.indexed.unsigned_abs(), l.linear.unsigned_abs())));
            fuse(&mut self.free);
        }
        while let Some(k) = self.free.iter().position(|l| {
            let c = self.chunk as isize;
            l.extent > 0 && l.linear == c && l.indexed == c
        }) {
            let l = self.free.remove(k);
            self.chunk *= l.extent;
        }
        if let Some(s) = &mut self.select {
            s.dims.retain(|d| d.extent != 1);
            let mut k = 0;
            while k + 1 < s.dims.len() {
                let (outer, inner) = (s.dims[k], s.dims[k + 1]);
                let on = |a: isize, b: isize| b.checked_mul(inner.extent as isize) == Some(a);
                if on(outer.mask, inner.mask) && on(outer.indexed, inner.indexed) {
                    s.dims[k + 1].extent *= outer.extent;
                    s.dims.remove(k);
                } else {
                    k += 1;
                }
            }
        }
    }
}

fn without_ones<A: smallvec::Array<Item = Loop>>(loops: &mut smallvec::SmallVec<A>) {
    if loops.iter().any(|l| l.extent == 1) {
        loops.retain(|l| l.extent != 1);
    }
}

/// Fuses neighbours in which every operand steps as if the inner loop simply went on.
fn fuse<A: smallvec::Array<Item = Loop>>(loops: &mut smallvec::SmallVec<A>) {
    let mut k = 0;
    while k + 1 < loops.len() {
        let (outer, inner) = (&loops[k], &loops[k + 1]);
        let n = inner.extent as isize;
        let on = |a: isize, b: isize| b.checked_mul(n) == Some(a);
        let all = on(outer.linear, inner.linear)
            && on(outer.indexed, inner.indexed)
            && outer.operands.iter().zip(&inner.operands).all(|(a, b)| on(*a, *b));
        match outer.extent.checked_mul(inner.extent) {
            Some(extent) if all => {
                loops[k + 1].extent = extent;
                loops.remove(k);
                k = k.saturating_sub(1);
            }
            _ => k += 1,
        }
    }
}
