//! How many elements of a view are not zero.

use crate::kernel::nonzero::count_long;
use crate::view::AnyView;

/// How many elements of a view of single bytes are not zero: long rows in parts, where that pays. None of an empty view
/// of anything.
pub(crate) fn count_bytes(input: &AnyView) -> usize {
    let mut n = 0;
    if input.numel() > 0 {
        input.rows(|first, len, step| {
            // SAFETY: L1: a row of the view.
            n += unsafe { count_long(input.dtype(), first, step, len) };
        });
    }
    n
}
