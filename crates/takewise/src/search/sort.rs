//! Sorting, and notes of it.

use super::{operand, written};
use crate::notes::{Location, Note, note, numbers, watched};
use crate::view::{AnyView, AnyViewMut};
pub(crate) use takewise_kernels::search::Failed;

/// Sorts `x` along `dim` into fresh arrays of its shape: positions (`i64`) and, if wanted, elements.
pub(crate) fn sort(
    x: &AnyView<'_>,
    dim: usize,
    descending: bool,
    positions: &mut AnyViewMut<'_>,
    values: Option<&mut AnyViewMut<'_>>,
) -> Result<(), Failed> {
    let location = if watched() { values.as_ref().map(|v| Location::of(&v.as_view())) } else { None };
    let (to, elements) = (written(positions), values.map(written));
    // SAFETY: L1 and L3 of the views.
    unsafe { takewise_kernels::search::sort(operand(x), dim, descending, to, elements) }?;
    if x.numel() > 0 {
        note(|| Note::Sort {
            input: Location::of(x),
            axis: dim,
            values: location,
            positions: Location::of(&positions.as_view()),
            from: numbers(&positions.as_view()).collect(),
        });
    }
    Ok(())
}
