//! Borrowed arrays: ring 0, where all the speed lives.
//!
//! A view is a pointer, a [`Layout`] and a lifetime. What a view proves:
//!
//! * **L1** every byte of every element its layout reaches lies in one live allocation, readable for `'a`
//!   (and writable, for the mutable forms);
//! * **L3** (mutable forms) no two coordinates share a byte, and nothing else accesses those bytes for `'a`.
//!
//! Constructors are the only place these are established; everything else rearranges a proven view.
//! [`View`] and [`ViewMut`] know their element type, [`AnyView`] and [`AnyViewMut`] carry it as a
//! [`crate::DType`], which is what the engine takes.

#![allow(unsafe_code)]

mod any;
mod arrange;
mod bytes;

use crate::node_op::NodeOp;
use crate::op::Op;
pub(crate) use any::Form;
pub use any::{AnyView, AnyViewMut};
pub(crate) use arrange::{one_to_one, sharing};

use crate::dtype::Element;
use crate::error::{ArgumentRule, Error, Fault, Result};
use crate::layout::{Layout, Slice, meets_itself, unravel};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A borrowed read-only array of `T`.
///
/// Free to make from a slice or `Vec`; cloning copies only the layout.
///
/// ```
/// use takewise::View;
/// let data = [1, 2, 3, 4, 5, 6];
/// let v = View::new(&data, &[2, 3]).unwrap();
/// assert_eq!(v.get(&[1, 2]), Some(6));
/// ```
#[derive(Clone)]
pub struct View<'a, T> {
    pub(crate) ptr: NonNull<T>,
    pub(crate) layout: Layout,
    _own: PhantomData<&'a [T]>,
}

// SAFETY: a View is a shared borrow of T values, as &[T] is.
unsafe impl<T: Sync> Send for View<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for View<'_, T> {}

/// A borrowed writable array of `T`, in which no two coordinates meet.
///
/// ```
/// use takewise::prelude::*;
/// let mut x = [1, 2, 3, 4];
/// ViewMut::new(&mut x, &[2, 2])?.set(&[1, 0], 9);
/// assert_eq!(x, [1, 2, 9, 4]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub struct ViewMut<'a, T> {
    pub(crate) ptr: NonNull<T>,
    pub(crate) layout: Layout,
    _own: PhantomData<&'a mut [T]>,
}

// SAFETY: a ViewMut is an exclusive borrow of T values, as &mut [T] is.
unsafe impl<T: Send> Send for ViewMut<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for ViewMut<'_, T> {}

fn needs(op: Op, have: usize, layout: &Layout, first: usize, size: usize) -> Result<()> {
    let (low, high) = layout.reach();
    let fits = layout.numel() == 0
        || (first as i128 * size as i128 + low as i128 >= 0
            && first as i128 * size as i128 + high as i128 + size as i128 <= have as i128 * size as i128);
    if fits {
        return Ok(());
    }
    let text =
        format!("reach {low} to {high} bytes from element {first}, but there are {have} elements of {size} bytes");
    Err(Error::plain(Fault::text(op, ArgumentRule::StridedStorage, text)))
}

/// Element strides as byte strides, checked.
fn byte_strides(strides: &[isize], size: usize) -> Result<crate::layout::Dims<isize>> {
    let step = |s: &isize| s.checked_mul(size as isize);
    strides
        .iter()
        .map(step)
        .collect::<Option<_>>()
        .ok_or_else(|| Error::plain(Fault::Memory { op: Op::View, bytes: None }))
}

impl<'a, T: Element> View<'a, T> {
    /// The row-major view of a slice. Error if the slice does not hold exactly that many elements.
    pub fn new(data: &'a [T], shape: &[usize]) -> Result<View<'a, T>> {
        let layout = Layout::contiguous(shape, size_of::<T>())?;
        if layout.numel() != data.len() {
            let text = format!("{} elements do not fill shape {shape:?}", data.len());
            return Err(Error::plain(Fault::text(Op::View, ArgumentRule::Other, text)));
        }
        Ok(View { ptr: NonNull::from(data).cast(), layout, _own: PhantomData })
    }

    /// A strided view into a slice: `first` is the element every coordinate is counted from, `strides` are
    /// in elements (negative and zero allowed). Error if it reaches outside the slice.
    pub fn strided(data: &'a [T], first: usize, shape: &[usize], strides: &[isize]) -> Result<View<'a, T>> {
        let layout = Layout::new(shape, &byte_strides(strides, size_of::<T>())?)?;
        needs(Op::View, data.len(), &layout, first, size_of::<T>())?;
        let start = if layout.numel() == 0 { 0 } else { first };
        // SAFETY: L1 just checked: `first` lies inside the slice (or nothing is reachable).
        Ok(unsafe { View::from_raw(data.as_ptr().add(start), layout) })
    }

    /// A view of foreign memory.
    ///
    /// # Safety
    /// The caller promises L1: all elements `layout` reaches from `ptr` lie in one allocation that stays
    /// readable for `'a`, and hold valid `T` values. Alignment is not needed by the engine, but is by
    /// [`View::get`], which reads unaligned.
    pub unsafe fn from_raw(ptr: *const T, layout: Layout) -> View<'a, T> {
        View { ptr: NonNull::new(ptr.cast_mut()).unwrap_or(NonNull::dangling()), layout, _own: PhantomData }
    }

    /// The layout: shape and byte strides.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Extents.
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// The element at a coordinate, or `None` outside.
    pub fn get(&self, at: &[usize]) -> Option<T> {
        let inside = at.len() == self.layout.rank() && at.iter().zip(self.shape()).all(|(i, n)| i < n);
        // SAFETY: L1, the coordinate is inside the shape.
        inside.then(|| unsafe { self.ptr.as_ptr().byte_offset(self.layout.offset(at)).read_unaligned() })
    }

    /// The address of the first element.
    pub fn as_ptr(&self) -> *const T {
        self.ptr.as_ptr()
    }

    /// The same memory under another layout reached from `offset` bytes on; the caller has shown that the
    /// new layout is a part or rearrangement of this one.
    pub(crate) fn rearranged(&self, offset: isize, layout: Layout) -> View<'a, T> {
        // SAFETY: L1 is inherited: a layout transform only reaches elements this view reaches.
        let ptr = if layout.numel() == 0 { self.ptr } else { unsafe { self.ptr.byte_offset(offset) } };
        View { ptr, layout, _own: PhantomData }
    }

    fn named(&self, _: NodeOp, offset: isize, layout: Layout) -> View<'a, T> {
        self.rearranged(offset, layout)
    }

    one_to_one!(self, [&self], size_of::<T>());
    sharing!(self, [&self], size_of::<T>());

    /// The element type erased; free.
    pub fn any(&self) -> AnyView<'a> {
        self.into()
    }
}

impl<'a, T: Element> ViewMut<'a, T> {
    /// The row-major view of a mutable slice. Error if the counts differ.
    pub fn new(data: &'a mut [T], shape: &[usize]) -> Result<ViewMut<'a, T>> {
        let layout = View::new(data, shape)?.layout;
        Ok(ViewMut { ptr: NonNull::from(data).cast(), layout, _own: PhantomData })
    }

    /// A strided view into a mutable slice (strides in elements). Error if it reaches outside the slice, or
    /// (kind `Overlap`) if two coordinates would meet.
    pub fn strided(data: &'a mut [T], first: usize, shape: &[usize], strides: &[isize]) -> Result<ViewMut<'a, T>> {
        let layout = View::strided(data, first, shape, strides)?.layout;
        if meets_itself(&layout, size_of::<T>()) {
            return Err(Error::plain(Fault::Overlap { op: Op::View, internal: true }));
        }
        let start = if layout.numel() == 0 { 0 } else { first };
        // SAFETY: L1 and L3 just checked; the borrow is exclusive.
        Ok(unsafe { ViewMut::from_raw(data.as_mut_ptr().add(start), layout) })
    }

    /// A writable view of foreign memory.
    ///
    /// # Safety
    /// The caller promises L1 for reading and writing, L3, and that nothing else accesses the elements for `'a`.
    pub unsafe fn from_raw(ptr: *mut T, layout: Layout) -> ViewMut<'a, T> {
        ViewMut { ptr: NonNull::new(ptr).unwrap_or(NonNull::dangling()), layout, _own: PhantomData }
    }

    /// The layout: shape and byte strides.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Extents.
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// A read-only view, for as long as this one is not used to write.
    pub fn as_view(&self) -> View<'_, T> {
        View { ptr: self.ptr, layout: self.layout.clone(), _own: PhantomData }
    }

    /// A shorter mutable borrow of the same elements.
    pub fn reborrow(&mut self) -> ViewMut<'_, T> {
        ViewMut { ptr: self.ptr, layout: self.layout.clone(), _own: PhantomData }
    }

    /// The address of the first element.
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.ptr.as_ptr()
    }

    /// Stores one element; `false` (and nothing stored) outside the shape.
    pub fn set(&mut self, at: &[usize], value: T) -> bool {
        let inside = at.len() == self.layout.rank() && at.iter().zip(self.shape()).all(|(i, n)| i < n);
        if inside {
            // SAFETY: L1, the coordinate is inside the shape; the borrow is exclusive.
            unsafe { self.ptr.as_ptr().byte_offset(self.layout.offset(at)).write_unaligned(value) }
        }
        inside
    }

    fn named(self, _: NodeOp, offset: isize, layout: Layout) -> ViewMut<'a, T> {
        self.rearranged(offset, layout)
    }

    one_to_one!(self, [self], size_of::<T>());

    /// As [`View::rearranged`]; consumes the borrow, so L3 is inherited.
    pub(crate) fn rearranged(self, offset: isize, layout: Layout) -> ViewMut<'a, T> {
        // SAFETY: L1 and L3 are inherited: the transform reaches a part of what this view reached.
        let ptr = if layout.numel() == 0 { self.ptr } else { unsafe { self.ptr.byte_offset(offset) } };
        ViewMut { ptr, layout, _own: PhantomData }
    }
}

impl<'a, T: Element> From<&'a [T]> for View<'a, T> {
    fn from(data: &'a [T]) -> View<'a, T> {
        let strides: crate::layout::Dims<isize> = smallvec::smallvec![size_of::<T>() as isize];
        let layout = Layout::derived(smallvec::smallvec![data.len()], strides);
        View { ptr: NonNull::from(data).cast(), layout, _own: PhantomData }
    }
}

impl<'a, T: Element> From<&'a Vec<T>> for View<'a, T> {
    fn from(data: &'a Vec<T>) -> View<'a, T> {
        View::from(data.as_slice())
    }
}

impl<'a, T: Element> From<&'a mut [T]> for ViewMut<'a, T> {
    fn from(data: &'a mut [T]) -> ViewMut<'a, T> {
        let layout = View::from(&*data).layout;
        ViewMut { ptr: NonNull::from(data).cast(), layout, _own: PhantomData }
    }
}

impl<T: Element + PartialEq> PartialEq for View<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.shape() == other.shape()
            && (0..self.layout.numel()).all(|k| {
                let at = unravel(k, self.shape());
                self.get(&at) == other.get(&at)
            })
    }
}

impl<T: Element + std::fmt::Debug> std::fmt::Debug for View<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("View").field("shape", &self.shape()).field("data", &self.to_vec()).finish()
    }
}
