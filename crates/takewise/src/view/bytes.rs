//! Reading one-byte elements (masks) in row-major order, a block at a time.

use super::AnyView;
use crate::dims::{Dims, advance};

/// Bytes handed out at once: far inside L1, a multiple of every vector width.
const BLOCK: usize = 4096;

impl AnyView<'_> {
    /// Hands all bytes of a view with one-byte elements to `take`, in row-major order, in blocks of at most
    /// 4096. Each byte is loaded once, into memory of our own: what `take` saw cannot change under it.
    ///
    /// Cost: one pass, no allocation; contiguous rows are block copies. Does nothing for wider elements.
    pub(crate) fn for_bytes(&self, mut take: impl FnMut(&[u8])) {
        if self.dtype().size() != 1 || self.numel() == 0 {
            return;
        }
        let mut block = [0u8; BLOCK];
        let mut used = 0;
        self.rows(|start, len, step| {
            let mut at = 0;
            while at < len {
                let n = (len - at).min(BLOCK - used);
                // SAFETY: L1: elements `at..at + n` of this row are elements of the view; `block` is ours and
                // has room for n more bytes.
                unsafe {
                    let from = start.offset(at as isize * step);
                    let to = block.as_mut_ptr().add(used);
                    if step == 1 {
                        std::ptr::copy_nonoverlapping(from, to, n);
                    } else {
                        (0..n).for_each(|k| *to.add(k) = from.offset(k as isize * step).read());
                    }
                }
                at += n;
                used += n;
                if used == BLOCK {
                    take(&block);
                    used = 0;
                }
            }
        });
        if used > 0 {
            take(&block[..used]);
        }
    }

    /// Calls `row(first byte, length, step)` for each longest row of uniform step; the view is not empty.
    pub(crate) fn rows(&self, mut row: impl FnMut(*const u8, usize, isize)) {
        let (mut shape, mut strides): (Dims<usize>, Dims<isize>) = (Dims::new(), Dims::new());
        for (&n, &s) in self.shape().iter().zip(self.layout().strides()) {
            match strides.last_mut() {
                _ if n == 1 => {}
                Some(outer) if *outer == s * n as isize => {
                    *outer = s;
                    *shape.last_mut().expect("one extent per stride") *= n;
                }
                _ => {
                    shape.push(n);
                    strides.push(s);
                }
            }
        }
        let (len, step) = (shape.pop().unwrap_or(1), strides.pop().unwrap_or(1));
        let mut at: Dims<usize> = smallvec::smallvec![0; shape.len()];
        let mut start = self.as_ptr();
        loop {
            row(start, len, step);
            // Only what `row` is given is an element of the view.
            let moved = |d: usize, by: isize| start = start.wrapping_offset(strides[d] * by);
            if !advance(&mut at, 1, |d| shape[d], moved) {
                return;
            }
        }
    }
}
