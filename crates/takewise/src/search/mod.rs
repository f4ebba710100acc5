//! Sorted search, sorting and extremes of views: [`search`](takewise_kernels::search) with notes of what was found.
//!
//! Obligations: **L1** and **L3** of the views; **E2** each value has its place in the result.

#![allow(unsafe_code)]

mod edges;
pub(crate) mod extreme;
mod noted;
pub(crate) mod sort;

pub(crate) use edges::{count_from_end, first_outside, increasing};
pub(crate) use takewise_kernels::search::{Kept, Misfit, Reading, order};

use crate::dtype::Scalar;
use crate::exec::Out;
use crate::memory::block;
use crate::notes::watched;
use crate::view::{AnyView, AnyViewMut};
use order::Key;
use takewise_kernels::search::{self as kernel, Operand, Sought};

/// What is searched for.
pub(crate) enum Wanted<'a> {
    /// Every element of an array.
    Each(&'a AnyView<'a>),
    /// One number; the result is 0-d.
    One(Key),
}

impl From<Scalar> for Key {
    fn from(s: Scalar) -> Key {
        match s {
            Scalar::Bool(b) => Key::Int(b as i128),
            Scalar::Int(i) => Key::Int(i),
            Scalar::Float(f) => Key::Float(f),
            Scalar::Complex(re, im) => Key::Complex(re, im),
        }
    }
}

/// A view as the loops read it.
#[inline]
fn operand<'v>(view: &'v AnyView<'_>) -> Operand<'v> {
    let layout = view.layout();
    Operand { at: view.as_ptr().cast_mut(), dtype: view.dtype(), shape: layout.shape(), strides: layout.strides() }
}

/// A view as the loops write it.
#[inline]
fn written<'v>(view: &'v mut AnyViewMut<'_>) -> Operand<'v> {
    let (at, dtype) = (view.as_mut_ptr(), view.dtype());
    let layout = view.layout();
    Operand { at, dtype, shape: layout.shape(), strides: layout.strides() }
}

/// The tree of a 1-d sequence, if searches in it are quicker with one.
pub(crate) fn tree_of(sequence: &AnyView<'_>, nan_last: bool) -> Option<Kept> {
    // SAFETY: L1 of the view.
    unsafe { Kept::new(operand(sequence), nan_last, block) }
}

/// Searches `sequence` along `axis` for each value, and writes positions to `out` (`i32` or `i64`).
///
/// `out` has the shape of the values, `sorter` that of the sequence; a sequence of rank above 1 has the
/// extents of the values off the axis. `kept` is what [`tree_of`] made of this sequence.
pub(crate) fn search(
    sequence: &AnyView<'_>,
    sorter: Option<&AnyView<'_>>,
    wanted: &Wanted<'_>,
    axis: usize,
    out: Out<'_, '_>,
    reading: Reading,
    kept: Option<&Kept>,
) -> Result<(), Misfit> {
    let (hay, order) = (operand(sequence), sorter.map(operand));
    let sought = match wanted {
        Wanted::Each(values) => Sought::Each(operand(values)),
        Wanted::One(key) => Sought::One(*key),
    };
    // SAFETY: L1 and L3 of the views.
    let run = |out: &mut AnyViewMut<'_>| unsafe {
        kernel::search(&hay, order.as_ref(), &sought, axis, &written(out), reading, kept, block)
    };
    // SAFETY: E2, each value has its place, and gets a position there.
    unsafe {
        out.filled(
            |out| if watched() { noted::search(sequence, sorter, wanted, axis, out, reading, run) } else { run(out) },
        )
    }
}
