//! Copying one strided array into another of the same shape and element size.
//!
//! Used before any plan exists: for temporaries of overlapping operands, clones and reshapes.

use crate::layout::Dims;
use crate::view::{AnyView, AnyViewMut};
use std::mem::MaybeUninit;

/// One loop: extent, source step, destination step (bytes).
type Loop = (usize, isize, isize);

/// Copies every element of `src` to the same coordinate of `dst`.
///
/// Does nothing unless shapes and element sizes agree. Cost: one pass; contiguous runs move at once.
pub(crate) fn copy(src: &AnyView<'_>, dst: &mut AnyViewMut<'_>) {
    let size = src.dtype().size();
    if src.shape() != dst.shape() || size != dst.dtype().size() || size == 0 || src.numel() == 0 {
        return;
    }
    let (mut loops, run) = nest(src, dst, size);
    let inner = loops.pop();
    let (from, to) = (src.as_ptr(), dst.as_mut_ptr());
    let mut at: Dims<usize> = smallvec::smallvec![0; loops.len()];
    let (mut i, mut o) = (0isize, 0isize);
    loop {
        // SAFETY: L1 of both views: (i, o) are the offsets of one coordinate of the outer loops and the
        // leaf adds only coordinates of the inner one; L3: `dst` is exclusive, so it cannot overlap `src`.
        unsafe { leaf(from.offset(i), to.offset(o), inner, run) }
        let mut d = loops.len();
        loop {
            if d == 0 {
                return;
            }
            d -= 1;
            let (n, si, so) = loops[d];
            at[d] += 1;
            if at[d] < n {
                i += si;
                o += so;
                break;
            }
            at[d] = 0;
            i -= si * (n as isize - 1);
            o -= so * (n as isize - 1);
        }
    }
}

/// The loops, outer to inner, merged where both sides continue, and the bytes that lie together at the leaf.
fn nest(src: &AnyView<'_>, dst: &AnyViewMut<'_>, size: usize) -> (Dims<Loop>, usize) {
    let steps = src.layout().strides().iter().zip(dst.layout().strides());
    let mut loops: Dims<Loop> =
        src.shape().iter().zip(steps).filter(|(n, _)| **n != 1).map(|(&n, (&a, &b))| (n, a, b)).collect();
    // Walk the destination in memory order: stores are what costs when they jump.
    loops.sort_by_key(|l| std::cmp::Reverse(l.2.unsigned_abs()));
    let mut merged: Dims<Loop> = Dims::new();
    for (n, a, b) in loops {
        match merged.last_mut() {
            Some(m) if m.1 == a * n as isize && m.2 == b * n as isize => *m = (m.0 * n, a, b),
            _ => merged.push((n, a, b)),
        }
    }
    match merged.last() {
        Some(&(n, a, b)) if a == size as isize && b == size as isize => {
            merged.pop();
            (merged, n * size)
        }
        _ => (merged, size),
    }
}

/// Moves `run` bytes for every step of the innermost loop.
///
/// # Safety
/// Every step reaches readable bytes of the source and writable bytes of the destination (L1), apart (L3).
unsafe fn leaf(from: *const u8, to: *mut u8, inner: Option<Loop>, run: usize) {
    let (n, a, b) = inner.unwrap_or((1, 0, 0));
    // SAFETY: the caller's promise, passed on.
    unsafe {
        match run {
            1 => steps::<1>(from, to, n, a, b),
            2 => steps::<2>(from, to, n, a, b),
            4 => steps::<4>(from, to, n, a, b),
            8 => steps::<8>(from, to, n, a, b),
            16 => steps::<16>(from, to, n, a, b),
            _ => {
                for k in 0..n as isize {
                    std::ptr::copy_nonoverlapping(from.offset(k * a), to.offset(k * b), run);
                }
            }
        }
    }
}

/// # Safety
/// As [`leaf`].
unsafe fn steps<const N: usize>(from: *const u8, to: *mut u8, n: usize, a: isize, b: isize) {
    for k in 0..n as isize {
        // SAFETY: L1 and L3 by the caller; bytes are moved as they are, initialised or not.
        unsafe {
            let bytes = from.offset(k * a).cast::<MaybeUninit<[u8; N]>>().read_unaligned();
            to.offset(k * b).cast::<MaybeUninit<[u8; N]>>().write_unaligned(bytes);
        }
    }
}
