//! Guards: typed and erased doors to a tensor's elements that stay open until dropped.
//!
//! A guard lends views but never gives one away: a `View` can be cloned, so a guard that dereferenced to
//! one would let it outlive the registration. Hence [`Ref::view`] instead of `Deref`.

use super::Tensor;
use super::claim::claim_one;
use crate::dtype::{DType, Element};
use crate::error::{DTypeRule, Error, Fault, Result};
use crate::layout::Layout;
use crate::memory::ledger::Registration;
use crate::op::Op;
use crate::view::{AnyView, AnyViewMut, View, ViewMut};
use std::marker::PhantomData;

/// Elements of type `T`, readable until dropped. Made by [`Tensor::read`].
///
/// ```
/// use takewise::prelude::*;
/// let x = Tensor::from_slice(&[1.5f32, 2.5], &[2])?;
/// let open = x.read::<f32>()?;
/// assert_eq!(open.view().get(&[1]), Some(2.5));
/// # Ok::<(), takewise::Error>(())
/// ```
pub struct Ref<'t, T> {
    tensor: &'t Tensor,
    _registration: Registration<'t>,
    _type: PhantomData<T>,
}

/// Elements of type `T`, readable and writable until dropped. Made by [`Tensor::write`].
///
/// ```
/// use takewise::prelude::*;
/// let x = Tensor::from_slice(&[1.5f32, 2.5], &[2])?;
/// x.write::<f32>()?.set(&[0], 9.0);
/// assert_eq!(x.to_vec::<f32>()?, [9.0, 2.5]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub struct RefMut<'t, T> {
    tensor: &'t Tensor,
    _registration: Registration<'t>,
    _type: PhantomData<T>,
}

/// Elements of any dtype, readable until dropped. Made by [`Tensor::read_any`].
///
/// ```
/// use takewise::prelude::*;
/// let x = tensor!([1, 2, 3]);
/// let got = ops::take(&x.read_any()?.view(), &[2usize], &Rules::NEUTRAL)?;
/// assert_eq!(got.to_vec::<i64>()?, [3]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub struct AnyRef<'t> {
    tensor: &'t Tensor,
    _registration: Registration<'t>,
}

/// Elements of any dtype, readable and writable until dropped. Made by [`Tensor::write_any`].
///
/// ```
/// use takewise::prelude::*;
/// let x = tensor!([1, 2, 3]);
/// ops::put_(&mut x.write_any()?.view_mut(), &[0usize], 9, false, &Rules::NEUTRAL)?;
/// assert_eq!(x.to_vec::<i64>()?, [9, 2, 3]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub struct AnyRefMut<'t> {
    tensor: &'t Tensor,
    _registration: Registration<'t>,
}

impl<T: Element> Ref<'_, T> {
    /// The elements.
    pub fn view(&self) -> View<'_, T> {
        // SAFETY: L1 holds for every tensor, the registration keeps writers out while the guard lives, and
        // the dtype (and the bytes of booleans) were checked when it was made.
        unsafe { View::from_raw(self.tensor.any_view().as_ptr().cast(), self.tensor.layout.clone()) }
    }

    /// Extents.
    pub fn shape(&self) -> &[usize] {
        self.tensor.shape()
    }

    /// The layout: shape and byte strides.
    pub fn layout(&self) -> &Layout {
        &self.tensor.layout
    }

    /// The element at a coordinate, or `None` outside.
    pub fn get(&self, at: &[usize]) -> Option<T> {
        self.view().get(at)
    }

    /// The elements as a slice, if they lie in row-major order without gaps.
    pub fn as_slice(&self) -> Option<&[T]> {
        let view = self.tensor.is_contiguous().then(|| self.view())?;
        // SAFETY: L1: `numel` valid elements from the first on, in one allocation; aligned, as checked.
        view.as_ptr().is_aligned().then(|| unsafe { std::slice::from_raw_parts(view.as_ptr(), self.tensor.numel()) })
    }
}

impl<T: Element> RefMut<'_, T> {
    /// The elements, to read.
    pub fn view(&self) -> View<'_, T> {
        // SAFETY: as Ref::view; the shared borrow of this guard keeps its writing side out.
        unsafe { View::from_raw(self.tensor.any_view().as_ptr().cast(), self.tensor.layout.clone()) }
    }

    /// The elements, to write.
    pub fn view_mut(&mut self) -> ViewMut<'_, T> {
        // SAFETY: L1 holds, L3 was checked when the guard was made, the registration excludes others and the
        // mutable borrow excludes other views of this guard.
        unsafe { ViewMut::from_raw(self.tensor.any_view_mut().as_mut_ptr().cast(), self.tensor.layout.clone()) }
    }

    /// Extents.
    pub fn shape(&self) -> &[usize] {
        self.tensor.shape()
    }

    /// The layout: shape and byte strides.
    pub fn layout(&self) -> &Layout {
        &self.tensor.layout
    }

    /// The element at a coordinate, or `None` outside.
    pub fn get(&self, at: &[usize]) -> Option<T> {
        self.view().get(at)
    }

    /// Stores one element; `false` (and nothing stored) outside the shape.
    pub fn set(&mut self, at: &[usize], value: T) -> bool {
        self.view_mut().set(at, value)
    }

    /// The elements as a mutable slice, if they lie in row-major order without gaps.
    pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        let count = self.tensor.numel();
        let mut view = self.tensor.is_contiguous().then(|| self.view_mut())?;
        let ptr = view.as_mut_ptr();
        // SAFETY: L1 and L3: `numel` elements from the first on, in one allocation, exclusive; aligned.
        ptr.is_aligned().then(|| unsafe { std::slice::from_raw_parts_mut(ptr, count) })
    }
}

impl AnyRef<'_> {
    /// The elements.
    pub fn view(&self) -> AnyView<'_> {
        // SAFETY: L1 holds for every tensor; the registration keeps writers out while the guard lives.
        unsafe { self.tensor.any_view() }
    }
}

impl AnyRefMut<'_> {
    /// The elements, to read.
    pub fn view(&self) -> AnyView<'_> {
        // SAFETY: as AnyRef::view; the shared borrow of this guard keeps its writing side out.
        unsafe { self.tensor.any_view() }
    }

    /// The elements, to write.
    pub fn view_mut(&mut self) -> AnyViewMut<'_> {
        // SAFETY: as RefMut::view_mut.
        unsafe { self.tensor.any_view_mut() }
    }
}

fn check_dtype<T: Element>(op: Op, t: &Tensor) -> Result<()> {
    if t.dtype == T::DTYPE {
        return Ok(());
    }
    Err(Error::plain(Fault::DType { op, rule: DTypeRule::Same, given: t.dtype, wanted: Some(T::DTYPE) }))
}

impl Tensor {
    /// Opens the elements for reading, as `T`.
    ///
    /// Errors: kind `DType` if the dtype differs; `Busy` while another call or guard writes any of these
    /// bytes; `Argument` if a byte of a foreign bool array is neither 0 nor 1 (one pass over bool arrays).
    /// Otherwise free of any per-element cost.
    ///
    /// ```
    /// use takewise::Tensor;
    /// let x = Tensor::from_slice(&[1.0f32, 2.0, 3.0, 4.0], &[2, 2])?;
    /// let open = x.read::<f32>()?;
    /// assert_eq!(open.get(&[1, 0]), Some(3.0));
    /// assert!(x.write::<f32>().is_err()); // somebody is reading
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn read<T: Element>(&self) -> Result<Ref<'_, T>> {
        check_dtype::<T>(Op::Read, self)?;
        let open = Ref { tensor: self, _registration: claim_one(Op::Read, self, false)?, _type: PhantomData };
        if T::DTYPE == DType::Bool {
            // SAFETY: L1; registered just above.
            unsafe { self.any_view() }.typed::<T>()?;
        }
        Ok(open)
    }

    /// Opens the elements for writing, as `T`.
    ///
    /// Errors as [`Tensor::read`]; also `Busy` while another call or guard reads any of these bytes,
    /// `Argument` if the memory is read-only or the tensor requires a gradient (outside [`crate::autograd::no_grad`]),
    /// `Overlap` if two coordinates share memory (an expanded tensor).
    ///
    /// ```
    /// use takewise::Tensor;
    /// let x = Tensor::from_slice(&[1i64, 2, 3], &[3])?;
    /// let alias = x.clone();
    /// x.write::<i64>()?.set(&[1], 7);
    /// assert_eq!(alias.to_vec::<i64>()?, [1, 7, 3]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn write<T: Element>(&self) -> Result<RefMut<'_, T>> {
        check_dtype::<T>(Op::Write, self)?;
        self.check_writable(Op::Write)?;
        let open = RefMut { tensor: self, _registration: claim_one(Op::Write, self, true)?, _type: PhantomData };
        if T::DTYPE == DType::Bool {
            // SAFETY: L1; registered just above.
            unsafe { self.any_view() }.typed::<T>()?;
        }
        Ok(open)
    }

    /// Opens the elements for reading, whatever their dtype. Errors: `Busy` as [`Tensor::read`].
    pub fn read_any(&self) -> Result<AnyRef<'_>> {
        self.read_for(Op::Read)
    }

    /// [`Tensor::read_any`] as part of an operation.
    pub(crate) fn read_for(&self, op: Op) -> Result<AnyRef<'_>> {
        Ok(AnyRef { tensor: self, _registration: claim_one(op, self, false)? })
    }

    /// Opens the elements for writing, whatever their dtype. Errors as [`Tensor::write`].
    pub fn write_any(&self) -> Result<AnyRefMut<'_>> {
        self.check_writable(Op::Write)?;
        Ok(AnyRefMut { tensor: self, _registration: claim_one(Op::Write, self, true)? })
    }
}
