//! The first greatest or least element of each lane.

use super::{Misfit, operand, written};
use crate::view::{AnyView, AnyViewMut};

/// Where the greatest (or least) element of each lane along `dim` stands first. `positions` (`i64`) has the shape of `x` with extent
/// 1 there; no lane is empty.
pub(crate) fn extreme(
    x: &AnyView<'_>,
    dim: usize,
    greatest: bool,
    positions: &mut AnyViewMut<'_>,
) -> Result<(), Misfit> {
    // SAFETY: L1 and L3 of the views.
    unsafe { takewise_kernels::search::extreme(operand(x), dim, greatest, written(positions)) }
}
