//! What is searched, sought and written: an array as loops see it.

use crate::dtype::DType;

/// An array of any dtype and any strides, read or written.
#[derive(Clone, Copy)]
pub struct Operand<'a> {
    pub at: *mut u8,
    pub dtype: DType,
    pub shape: &'a [usize],
    /// Bytes from each element to the next, of each axis.
    pub strides: &'a [isize],
}

impl Operand<'_> {
    pub(super) fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether elements lie one after another in row-major order.
    pub(super) fn is_contiguous(&self) -> bool {
        let mut step = self.dtype.size() as isize;
        let mut whole = true;
        for (&n, &s) in self.shape.iter().zip(self.strides).rev() {
            whole &= n == 1 || s == step;
            step = step.wrapping_mul(n as isize);
        }
        whole || self.shape.contains(&0)
    }
}
