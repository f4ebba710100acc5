//! What is asked of sequences and sorters as wholes: are all positions in range, do bins rise or fall.

use crate::bounds::place;
use crate::dtype::DType;
use crate::index::rules::{Outside, Sign};
use crate::kernel::bounds::within;
use crate::layout::Coordinates;
use crate::view::{AnyView, AnyViewMut};
use half::{bf16, f16};
use takewise_kernels::search::read_integer;

/// Sorter values outside `0..len`: the first, in row-major order, with its flat position, and how many.
pub(crate) fn first_outside(sorter: &AnyView<'_>, len: usize, sign: Sign) -> Option<(i128, usize, usize)> {
    let (&inner, outer) = sorter.shape().split_last()?;
    let step = sorter.layout().strides()[outer.len()];
    let (mut first, mut bad) = (None, 0);
    for (row, at) in Coordinates::new(outer).enumerate() {
        let start = sorter.as_ptr().wrapping_offset(sorter.layout().offset(&at));
        // SAFETY: L1, the row lies inside the sorter.
        if unsafe { within(sorter.dtype(), start, step, inner, len as i64, sign == Sign::FromEnd) } {
            continue;
        }
        for i in 0..inner {
            // SAFETY: L1, the coordinate lies inside the sorter.
            let value = unsafe { read_integer(start.wrapping_offset(i as isize * step), sorter.dtype()) };
            if place(value, len, sign, Outside::Raise).is_none() {
                first = first.or(Some((value, row * inner + i)));
                bad += 1;
            }
        }
    }
    first.map(|(value, flat)| (value, flat, bad))
}

/// Reads one number as f64.
///
/// # Safety
/// L1: `at` is readable for one element of `dtype`.
unsafe fn read_double(at: *const u8, dtype: DType) -> f64 {
    // SAFETY: L1, from the caller.
    unsafe {
        match dtype {
            DType::Bool => (at.read() != 0) as u8 as f64,
            DType::F16 => at.cast::<f16>().read_unaligned().to_f64(),
            DType::BF16 => at.cast::<bf16>().read_unaligned().to_f64(),
            DType::F32 => at.cast::<f32>().read_unaligned() as f64,
            DType::F64 => at.cast::<f64>().read_unaligned(),
            _ => read_integer(at, dtype) as f64,
        }
    }
}

/// Whether a 1-d array of real numbers, as f64, rises (or is constant) or falls; `None` if neither. The
/// first two elements that differ decide which of the two is looked for, so NaN may stand at the end of
/// bins that rise (`numpy.digitize`).
pub(crate) fn increasing(bins: &AnyView<'_>) -> Option<bool> {
    let step = bins.layout().strides().first().copied().unwrap_or(0);
    // SAFETY: L1, the position is below the length.
    let at = |i: usize| unsafe { read_double(bins.as_ptr().wrapping_offset(i as isize * step), bins.dtype()) };
    let mut pairs = (1..bins.numel()).map(|i| (at(i - 1), at(i))).skip_while(|(a, b)| a == b);
    let Some((a, b)) = pairs.next() else { return Some(true) };
    match a < b {
        true => (!pairs.any(|(a, b)| a > b)).then_some(true),
        false => (!pairs.any(|(a, b)| a < b)).then_some(false),
    }
}

/// Replaces each position in a contiguous `i64` or `i32` array by its distance from `len`.
pub(crate) fn count_from_end(found: &mut AnyViewMut<'_>, len: usize) {
    let (count, dtype) = (found.as_view().numel(), found.dtype());
    if !found.layout().is_contiguous(dtype.size()) {
        return;
    }
    let start = found.as_mut_ptr();
    for i in 0..count {
        // SAFETY: L1, contiguous, and i is below the element count.
        unsafe {
            match dtype {
                DType::I64 => {
                    let at = start.cast::<i64>().add(i);
                    at.write_unaligned(len as i64 - at.read_unaligned());
                }
                DType::I32 => {
                    let at = start.cast::<i32>().add(i);
                    at.write_unaligned(len as i32 - at.read_unaligned());
                }
                _ => return,
            }
        }
    }
}
