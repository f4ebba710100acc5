//! What is put back when a call ends, whichever way it ends.

/// Calls its function when it is dropped, also while a panic unwinds.
pub struct AtEnd<F: FnMut()>(pub F);

impl<F: FnMut()> Drop for AtEnd<F> {
    #[inline]
    fn drop(&mut self) {
        (self.0)();
    }
}
