//! Views whose element type is a value: what the engine takes.

use super::{View, ViewMut, one_to_one, sharing};
use crate::dtype::{DType, Element};
use crate::error::{DTypeRule, Error, Fault, Result};
use crate::layout::{Layout, Slice, meets_itself};
use crate::node_op::NodeOp;
use crate::op::Op;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A borrowed read-only array of any dtype. Proves L1.
///
/// ```
/// use takewise::prelude::*;
/// let x = AnyView::from(&[1.0f32, 2.0, 3.0]);
/// assert_eq!((x.dtype(), x.shape(), x.numel()), (DType::F32, &[3][..], 3));
/// assert_eq!(x.typed::<f32>()?.to_vec(), [1.0, 2.0, 3.0]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone)]
pub struct AnyView<'a> {
    ptr: NonNull<u8>,
    dtype: DType,
    layout: Layout,
    _own: PhantomData<&'a [u8]>,
}

// SAFETY: a shared borrow of plain bytes.
unsafe impl Send for AnyView<'_> {}
// SAFETY: as above.
unsafe impl Sync for AnyView<'_> {}

/// A borrowed writable array of any dtype. Proves L1 and L3.
///
/// ```
/// use takewise::prelude::*;
/// let mut x = [1, 2, 3];
/// let mut dst = AnyViewMut::from(&mut x);
/// ops::put_(&mut dst, &[0usize], 9, false, &Rules::NEUTRAL)?;
/// assert_eq!(x, [9, 2, 3]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub struct AnyViewMut<'a> {
    ptr: NonNull<u8>,
    dtype: DType,
    layout: Layout,
    /// Whether nobody sees the elements if the call that writes them fails.
    private: bool,
    /// Whether the system has yet to hand out the pages they lie on.
    fresh: bool,
    _own: PhantomData<&'a mut [u8]>,
}

// SAFETY: an exclusive borrow of plain bytes.
unsafe impl Send for AnyViewMut<'_> {}
// SAFETY: as above.
unsafe impl Sync for AnyViewMut<'_> {}

/// What a plan needs to know of an array: layout and dtype, no memory.
pub(crate) trait Form {
    fn layout(&self) -> &Layout;
    fn dtype(&self) -> DType;

    fn shape(&self) -> &[usize] {
        self.layout().shape()
    }

    fn rank(&self) -> usize {
        self.layout().rank()
    }

    fn numel(&self) -> usize {
        self.layout().numel()
    }
}

impl Form for AnyView<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn dtype(&self) -> DType {
        self.dtype
    }
}

impl Form for AnyViewMut<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn dtype(&self) -> DType {
        self.dtype
    }
}

/// The form of an array that is not there (yet).
impl Form for (Layout, DType) {
    fn layout(&self) -> &Layout {
        &self.0
    }

    fn dtype(&self) -> DType {
        self.1
    }
}

fn check_dtype<T: Element>(dtype: DType) -> Result<()> {
    if dtype == T::DTYPE {
        return Ok(());
    }
    Err(Error::plain(Fault::DType { op: Op::View, rule: DTypeRule::Same, given: dtype, wanted: Some(T::DTYPE) }))
}

/// The row-major layout of a shape, if its elements take so many bytes.
fn elements(bytes: usize, dtype: DType, shape: &[usize]) -> Result<Layout> {
    let layout = Layout::contiguous(shape, dtype.size())?;
    if layout.numel() * dtype.size() != bytes {
        let text = format!("{bytes} bytes do not fill shape {shape:?} of {}", dtype.name());
        return Err(Error::plain(Fault::text(Op::View, crate::error::ArgumentRule::Other, text)));
    }
    Ok(layout)
}

impl<'a> AnyView<'a> {
    /// A view of foreign memory.
    ///
    /// # Safety
    /// The caller promises L1: all elements `layout` reaches from `ptr` lie in one allocation that stays
    /// readable for `'a`. The bytes need not be valid values: the engine reads booleans as bytes. Other
    /// threads may even change them meanwhile; values may then be stale, addresses never wrong.
    pub unsafe fn from_raw(ptr: *const u8, dtype: DType, layout: Layout) -> AnyView<'a> {
        AnyView { ptr: NonNull::new(ptr.cast_mut()).unwrap_or(NonNull::dangling()), dtype, layout, _own: PhantomData }
    }

    /// A row-major array whose elements are these bytes, one after another and however they are aligned. Bytes that are no valid
    /// value are read as others are: of `bool`, what is not 0 is true.
    ///
    /// Errors: kind `Argument` if the shape has not as many elements; kind `Memory` if it is too large.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// let bytes = [0, 0, 128, 63, 0, 0, 0, 64];
    /// let x = AnyView::of_elements(&bytes[..], DType::F32, &[2])?;
    /// # #[cfg(target_endian = "little")]
    /// assert_eq!(x.typed::<f32>()?.to_vec(), [1.0, 2.0]);
    /// assert!(AnyView::of_elements(&bytes[..7], DType::F32, &[2]).is_err());
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn of_elements(bytes: &'a [u8], dtype: DType, shape: &[usize]) -> Result<AnyView<'a>> {
        let layout = elements(bytes.len(), dtype, shape)?;
        // SAFETY: L1: the layout is row-major and has as many bytes as there are, which are borrowed for 'a.
        Ok(unsafe { AnyView::from_raw(bytes.as_ptr(), dtype, layout) })
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The layout: shape and byte strides.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Extents.
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.layout.rank()
    }

    /// Number of elements.
    pub fn numel(&self) -> usize {
        self.layout.numel()
    }

    /// The address of the first element.
    pub fn as_ptr(&self) -> *const u8 {
        self.ptr.as_ptr()
    }

    /// The typed view. Error (kind `DType`) if the dtype differs. A `bool` view additionally needs every
    /// byte to be 0 or 1, which is checked (one pass).
    pub fn typed<T: Element>(&self) -> Result<View<'a, T>> {
        check_dtype::<T>(self.dtype)?;
        if T::DTYPE == DType::Bool && !self.bytes_are_bools() {
            let text = "a byte of a bool array is neither 0 nor 1";
            return Err(Error::plain(Fault::text(Op::View, crate::error::ArgumentRule::Other, text)));
        }
        // SAFETY: L1 holds, the dtype matches, and booleans are valid.
        Ok(unsafe { View::from_raw(self.ptr.as_ptr().cast(), self.layout.clone()) })
    }

    fn bytes_are_bools(&self) -> bool {
        crate::layout::Coordinates::new(self.shape()).all(|at| {
            // SAFETY: L1, the coordinate is inside the shape.
            unsafe { self.ptr.as_ptr().offset(self.layout.offset(&at)).read() <= 1 }
        })
    }

    /// The bytes of the element at a coordinate, or `None` outside. Slow; for printing and tests.
    pub fn bytes_at(&self, at: &[usize]) -> Option<[u8; 16]> {
        let inside = at.len() == self.rank() && at.iter().zip(self.shape()).all(|(i, n)| i < n);
        if !inside || self.dtype.size() > 16 {
            return None;
        }
        let mut out = [0; 16];
        // SAFETY: L1, the coordinate is inside the shape; at most 16 bytes are copied.
        unsafe {
            let from = self.ptr.as_ptr().offset(self.layout.offset(at));
            std::ptr::copy_nonoverlapping(from, out.as_mut_ptr(), self.dtype.size());
        }
        Some(out)
    }

    /// [`AnyView::bytes_at`] of an element of any size, on the heap.
    pub(crate) fn long_bytes_at(&self, at: &[usize]) -> Option<Box<[u8]>> {
        let inside = at.len() == self.rank() && at.iter().zip(self.shape()).all(|(i, n)| i < n);
        // SAFETY: L1, the coordinate is inside the shape: so many bytes are an element.
        inside.then(|| unsafe {
            let from = self.ptr.as_ptr().offset(self.layout.offset(at));
            std::slice::from_raw_parts(from, self.dtype.size()).into()
        })
    }

    /// One element as an array of rank 0; `None` for records beyond 16 bytes.
    pub(crate) fn of_bytes(bytes: &'a [u8; 16], dtype: DType) -> Option<AnyView<'a>> {
        // SAFETY: L1: a rank-0 layout reaches one element of at most 16 bytes.
        (dtype.size() <= 16).then(|| unsafe { AnyView::from_raw(bytes.as_ptr(), dtype, Layout::scalar()) })
    }

    fn named(&self, _: NodeOp, offset: isize, layout: Layout) -> AnyView<'a> {
        self.rearranged(offset, layout)
    }

    one_to_one!(self, [&self], self.dtype.size());
    sharing!(self, [&self], self.dtype.size());

    /// The same memory under another layout `offset` bytes on; the caller has shown that the layout
    /// reaches only what this view reaches.
    pub(crate) fn rearranged(&self, offset: isize, layout: Layout) -> AnyView<'a> {
        // SAFETY: L1 is inherited.
        let ptr = if layout.numel() == 0 { self.ptr } else { unsafe { self.ptr.offset(offset) } };
        AnyView { ptr, dtype: self.dtype, layout, _own: PhantomData }
    }

    /// The same bytes read as another dtype of equal size (a bool array as bytes).
    pub(crate) fn reinterpreted(&self, dtype: DType) -> AnyView<'a> {
        debug_assert_eq!(dtype.size(), self.dtype.size());
        AnyView { ptr: self.ptr, dtype, layout: self.layout.clone(), _own: PhantomData }
    }

    /// The first `dtype.size()` bytes of a byte view as one element.
    pub(crate) fn as_one(&self, dtype: DType) -> AnyView<'a> {
        debug_assert!(self.dtype.size() == 1 && self.numel() >= dtype.size() && self.layout.is_contiguous(1));
        AnyView { ptr: self.ptr, dtype, layout: Layout::scalar(), _own: PhantomData }
    }
}

impl<'a> AnyViewMut<'a> {
    /// A writable view of foreign memory.
    ///
    /// # Safety
    /// The caller promises L1 for reading and writing, L3, and that nothing else accesses the elements for `'a`.
    pub unsafe fn from_raw(ptr: *mut u8, dtype: DType, layout: Layout) -> AnyViewMut<'a> {
        debug_assert!(!meets_itself(&layout, dtype.size()), "L3");
        let ptr = NonNull::new(ptr).unwrap_or(NonNull::dangling());
        AnyViewMut { ptr, dtype, layout, private: false, fresh: false, _own: PhantomData }
    }

    /// [`AnyView::of_elements`] to write to.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// let mut bytes = [0; 6];
    /// let mut x = AnyViewMut::of_elements(&mut bytes[..], DType::U16, &[3])?;
    /// ops::put_(&mut x, &[1usize], 257, false, &Rules::NEUTRAL)?;
    /// assert_eq!(bytes, [0, 0, 1, 1, 0, 0]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn of_elements(bytes: &'a mut [u8], dtype: DType, shape: &[usize]) -> Result<AnyViewMut<'a>> {
        let layout = elements(bytes.len(), dtype, shape)?;
        // SAFETY: L1 as for the view to read; L3: row-major elements share no byte, and the borrow is exclusive.
        Ok(unsafe { AnyViewMut::from_raw(bytes.as_mut_ptr(), dtype, layout) })
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The layout: shape and byte strides.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Extents.
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.layout.rank()
    }

    /// The address of the first element.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.ptr.as_ptr()
    }

    /// A read-only view, for as long as this one is not used to write.
    pub fn as_view(&self) -> AnyView<'_> {
        AnyView { ptr: self.ptr, dtype: self.dtype, layout: self.layout.clone(), _own: PhantomData }
    }

    /// A shorter mutable borrow of the same elements.
    pub fn reborrow(&mut self) -> AnyViewMut<'_> {
        let AnyViewMut { ptr, dtype, private, fresh, .. } = *self;
        AnyViewMut { ptr, dtype, layout: self.layout.clone(), private, fresh, _own: PhantomData }
    }

    /// The same for elements that nobody sees if the call fails: a write of these need not be all or nothing.
    pub(crate) fn private(mut self) -> AnyViewMut<'a> {
        self.private = true;
        self
    }

    /// The same for elements on pages that nobody has touched, if that is so. It decides about speed only.
    pub(crate) fn fresh(mut self, fresh: bool) -> AnyViewMut<'a> {
        self.fresh = fresh;
        self
    }

    /// Whether the system has yet to hand out the elements' pages.
    pub(crate) fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// Whether nobody sees the elements if the call fails.
    pub(crate) fn is_private(&self) -> bool {
        self.private
    }

    /// The typed view. Errors as [`AnyView::typed`].
    pub fn typed<T: Element>(self) -> Result<ViewMut<'a, T>> {
        self.as_view().typed::<T>()?;
        // SAFETY: L1 and L3 hold and the dtype matches.
        Ok(unsafe { ViewMut::from_raw(self.ptr.as_ptr().cast(), self.layout) })
    }

    fn named(self, _: NodeOp, offset: isize, layout: Layout) -> AnyViewMut<'a> {
        self.rearranged(offset, layout)
    }

    one_to_one!(self, [self], self.dtype.size());

    /// As [`AnyView::rearranged`]; consumes the borrow, so L3 is inherited.
    pub(crate) fn rearranged(self, offset: isize, layout: Layout) -> AnyViewMut<'a> {
        // SAFETY: L1 and L3 are inherited.
        let ptr = if layout.numel() == 0 { self.ptr } else { unsafe { self.ptr.offset(offset) } };
        AnyViewMut { ptr, layout, ..self }
    }
}

impl<'a, T: Element> From<&View<'a, T>> for AnyView<'a> {
    fn from(v: &View<'a, T>) -> AnyView<'a> {
        AnyView { ptr: v.ptr.cast(), dtype: T::DTYPE, layout: v.layout.clone(), _own: PhantomData }
    }
}

impl<'a, T: Element> From<View<'a, T>> for AnyView<'a> {
    fn from(v: View<'a, T>) -> AnyView<'a> {
        AnyView { ptr: v.ptr.cast(), dtype: T::DTYPE, layout: v.layout, _own: PhantomData }
    }
}

impl<'a, T: Element> From<&'a [T]> for AnyView<'a> {
    fn from(v: &'a [T]) -> AnyView<'a> {
        View::from(v).into()
    }
}

impl<'a, T: Element, const N: usize> From<&'a [T; N]> for AnyView<'a> {
    fn from(v: &'a [T; N]) -> AnyView<'a> {
        View::from(&v[..]).into()
    }
}

impl<'a, T: Element> From<&'a Vec<T>> for AnyView<'a> {
    fn from(v: &'a Vec<T>) -> AnyView<'a> {
        View::from(v).into()
    }
}

impl<'a> From<&AnyView<'a>> for AnyView<'a> {
    fn from(v: &AnyView<'a>) -> AnyView<'a> {
        v.clone()
    }
}

impl<'a, T: Element> From<ViewMut<'a, T>> for AnyViewMut<'a> {
    fn from(v: ViewMut<'a, T>) -> AnyViewMut<'a> {
        AnyViewMut {
            ptr: v.ptr.cast(),
            dtype: T::DTYPE,
            layout: v.layout,
            private: false,
            fresh: false,
            _own: PhantomData,
        }
    }
}

impl<'a, T: Element> From<&'a mut [T]> for AnyViewMut<'a> {
    fn from(v: &'a mut [T]) -> AnyViewMut<'a> {
        ViewMut::from(v).into()
    }
}

impl<'a, T: Element, const N: usize> From<&'a mut [T; N]> for AnyViewMut<'a> {
    fn from(v: &'a mut [T; N]) -> AnyViewMut<'a> {
        ViewMut::from(&mut v[..]).into()
    }
}

impl<'a, T: Element> From<&'a mut Vec<T>> for AnyViewMut<'a> {
    fn from(v: &'a mut Vec<T>) -> AnyViewMut<'a> {
        ViewMut::from(&mut v[..]).into()
    }
}
