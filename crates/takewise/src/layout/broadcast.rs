//! Broadcasting: aligning shapes at their last axis.

use super::Dims;
use smallvec::smallvec;

/// The shape several shapes broadcast to; on failure, the axis of the result that does not fit.
pub fn broadcast_shapes<'a>(shapes: impl IntoIterator<Item = &'a [usize]> + Clone) -> Result<Dims<usize>, usize> {
    let rank = shapes.clone().into_iter().map(<[usize]>::len).max().unwrap_or(0);
    let mut out: Dims<usize> = smallvec![1; rank];
    for shape in shapes {
        let lead = rank - shape.len();
        for (d, &n) in shape.iter().enumerate() {
            let slot = &mut out[lead + d];
            if n != 1 {
                if *slot != 1 && *slot != n {
                    return Err(lead + d);
                }
                *slot = n;
            }
        }
    }
    Ok(out)
}

/// Strides that read a `shape`d operand as if it had the shape `target`: stretched and missing axes step 0.
///
/// `None` if it does not broadcast to the target.
pub fn broadcast_strides(shape: &[usize], strides: &[isize], target: &[usize]) -> Option<Dims<isize>> {
    let lead = target.len().checked_sub(shape.len())?;
    let mut out: Dims<isize> = smallvec![0; target.len()];
    for d in 0..shape.len() {
        if shape[d] == target[lead + d] {
            out[lead + d] = strides[d];
        } else if shape[d] != 1 {
            return None;
        }
    }
    Some(out)
}
