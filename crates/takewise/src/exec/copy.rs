//! Copies: of views, into fresh tensors, and into vectors.

use super::{Out, result};
use crate::dtype::Element;
use crate::error::{Error, Fault, Result};
use crate::index::rules::Rules;
use crate::layout::Layout;
use crate::op::Op;
use crate::plan::Builder;
use crate::tensor::{Ref, Tensor};
use crate::view::{AnyView, AnyViewMut, View};

/// A dense copy.
pub(crate) fn copy(input: &AnyView) -> Result<Tensor> {
    result(input.shape(), input.dtype(), |out| copy_out(input, out))
}

/// Copies elements to a result of the same shape and dtype.
pub(crate) fn copy_out(src: &AnyView, dst: Out) -> Result<()> {
    let Some(dst) = dst.copied(src) else { return Ok(()) };
    let mut b = Builder::new(Op::Copy, &Rules::NEUTRAL, src.layout(), dst.layout(), src.dtype().size());
    for (d, &n) in src.shape().iter().enumerate() {
        b.free_loop(n, dst.layout().strides()[d], src.layout().strides()[d]);
    }
    dst.read(&b.build()?, src, &[])
}

impl<T: Element> View<'_, T> {
    /// All elements in row-major order, copied out. Cost: one pass.
    ///
    /// Panics if memory runs out, as `Vec` does; [`View::try_to_vec`] does not.
    pub fn to_vec(&self) -> Vec<T> {
        match self.try_to_vec() {
            Ok(out) => out,
            Err(e) => panic!("{e}"),
        }
    }

    /// All elements in row-major order, copied out. Error (kind `Memory`) if they cannot be held.
    pub fn try_to_vec(&self) -> Result<Vec<T>> {
        let rows = Layout::contiguous(self.shape(), size_of::<T>())?;
        let count = rows.numel();
        let mut out: Vec<T> = Vec::new();
        let bytes = count.checked_mul(size_of::<T>());
        out.try_reserve_exact(count).map_err(|_| Error::plain(Fault::Memory { op: Op::ToVec, bytes }))?;
        // SAFETY: L1 and L3: the spare capacity is ours alone and holds `count` elements in row-major order.
        let mut spare = unsafe { AnyViewMut::from_raw(out.as_mut_ptr().cast(), T::DTYPE, rows) };
        copy_out(&self.any(), Out::given(&mut spare))?;
        // SAFETY: E2: all `count` elements were just written, as copies of valid values.
        unsafe { out.set_len(count) }
        Ok(out)
    }
}

impl<T: Element> Ref<'_, T> {
    /// All elements in row-major order, copied out.
    pub fn to_vec(&self) -> Vec<T> {
        self.view().to_vec()
    }
}

impl Tensor {
    /// A fresh contiguous tensor holding a copy of `data`, which fills `shape` in row-major order.
    ///
    /// Records work as numbers do. Errors: kind `Argument` if the counts differ; `Memory`.
    pub fn from_slice<T: Element>(data: &[T], shape: &[usize]) -> Result<Tensor> {
        let view = View::new(data, shape)?;
        let mut out = Tensor::zeroed(shape, T::DTYPE)?;
        if let Some(mut dst) = out.unique() {
            copy_out(&view.any(), Out::given(&mut dst))?;
        }
        Ok(out)
    }

    /// A tensor of rank 0 with one element.
    pub fn scalar<T: Element>(value: T) -> Result<Tensor> {
        Tensor::from_slice(&[value], &[])
    }

    /// All elements in row-major order, copied out. Errors as [`Tensor::read`], and kind `Memory`. Cost: one pass.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.read::<T>()?.view().try_to_vec()
    }

    /// All elements in row-major order; free if this tensor is the whole of a vector given to
    /// [`Tensor::from_vec`] and nothing else holds it, else copied. Errors as [`Tensor::read`].
    pub fn into_vec<T: Element>(self) -> Result<Vec<T>> {
        self.whole_vec().or_else(|tensor| tensor.to_vec())
    }
}
