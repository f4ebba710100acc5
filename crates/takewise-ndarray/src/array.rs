//! Views to and from ndarray.

use std::sync::Arc;

use ndarray::{Array, ArrayD, ArrayRef, ArrayViewD, ArrayViewMutD, Axis, Dimension, IxDyn, ShapeBuilder, StrideShape};
use takewise::error::ArgumentRule;
use takewise::op::Op;
use takewise::tensor::Buffer;
use takewise::{Dims, Element, Error, Fault, Layout, Result, Tensor, View, ViewMut};

/// An ndarray array or view as a takewise view of the same memory. Nothing is copied.
///
/// Shape, order of axes and strides stay as they are, negative and zero strides included.
///
/// Errors (kind `Memory`) if a byte offset does not fit `isize`, which no array that ndarray made itself can have.
///
/// ```
/// use ndarray::array;
/// let table = array![[1, 2], [3, 4]];
/// let turned = table.t();
/// let v = takewise_ndarray::view(&turned)?;
/// assert_eq!((v.shape(), v.to_vec()), (&[2, 2][..], vec![1, 3, 2, 4]));
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn view<T: Element, D: Dimension>(array: &ArrayRef<T, D>) -> Result<View<'_, T>> {
    let layout = layout(array)?;
    // SAFETY: L1 holds because the array is borrowed for the view's lifetime and ndarray keeps every element that
    // shape and strides reach from its first element inside one allocation; L2 was checked by `layout`.
    Ok(unsafe { View::from_raw(array.as_ptr(), layout) })
}

/// An exclusively borrowed ndarray array or view as a writable takewise view of the same memory. Nothing is copied.
///
/// Errors as [`view`].
///
/// ```
/// use ndarray::array;
/// use takewise_ndarray::view_mut;
///
/// let mut table = array![[1, 2], [3, 4]];
/// view_mut(&mut table.view_mut().reversed_axes())?.set(&[1, 0], 9);
/// assert_eq!(table, array![[1, 9], [3, 4]]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn view_mut<T: Element, D: Dimension>(array: &mut ArrayRef<T, D>) -> Result<ViewMut<'_, T>> {
    let layout = layout(array)?;
    // SAFETY: L1 and L2 as in `view`; L3 because ndarray hands out `&mut` only to arrays in which no two
    // coordinates meet, and the borrow is exclusive.
    Ok(unsafe { ViewMut::from_raw(array.as_mut_ptr(), layout) })
}

/// A takewise view as an ndarray view of the same memory. Nothing is copied.
///
/// Errors (kind `Argument`) if ndarray cannot express the view: its strides count whole, aligned elements, while
/// those of takewise count bytes, as a field of a record or a column of a packed file needs. [`to_array`] copies such
/// a view.
///
/// ```
/// use takewise::View;
/// let data = [1, 2, 3, 4, 5, 6];
/// let columns = View::strided(&data, 2, &[3, 2], &[-1, 3])?;
/// let a = takewise_ndarray::array_view(&columns)?;
/// assert_eq!(a, ndarray::array![[3, 6], [2, 5], [1, 4]].into_dyn());
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn array_view<'a, T: Element>(view: &View<'a, T>) -> Result<ArrayViewD<'a, T>> {
    let frame = Frame::new(view.as_ptr(), view.layout())?;
    // SAFETY: L1 and L2 are ndarray's conditions on reach and overflow, and they hold for 'a; `Frame` has made the
    // pointer aligned and the lowest in reach, and the strides whole, non-negative and harmless where nothing is
    // reached. Nobody writes to the elements of a `View` during 'a.
    let mut array = unsafe { ArrayViewD::from_shape_ptr(frame.shape, frame.lowest) };
    frame.reversed.iter().for_each(|&d| array.invert_axis(Axis(d)));
    Ok(array)
}

/// A writable takewise view as a writable ndarray view of the same memory. Nothing is copied.
///
/// Errors as [`array_view`].
///
/// ```
/// use takewise::ViewMut;
/// let mut data = [1, 2, 3, 4];
/// let mut a = takewise_ndarray::array_view_mut(ViewMut::new(&mut data, &[2, 2])?)?;
/// a[[1, 0]] = 9;
/// assert_eq!(data, [1, 2, 9, 4]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn array_view_mut<'a, T: Element>(mut view: ViewMut<'a, T>) -> Result<ArrayViewMutD<'a, T>> {
    let start = view.as_mut_ptr();
    let frame = Frame::new(start, view.layout())?;
    // SAFETY: as in `array_view`; L3 is ndarray's condition that elements are not aliased, and consuming the view
    // hands its exclusive borrow on.
    let mut array = unsafe { ArrayViewMutD::from_shape_ptr(frame.shape, frame.lowest.cast_mut()) };
    frame.reversed.iter().for_each(|&d| array.invert_axis(Axis(d)));
    Ok(array)
}

/// The elements of a takewise view as a new row-major ndarray array. Copies once; takes every view.
///
/// Errors (kind `Memory`) if a broadcast view stands for more elements than an allocation can hold.
///
/// ```
/// use takewise::View;
/// let v = View::new(&[1, 2, 3, 4], &[2, 2])?;
/// let a = takewise_ndarray::to_array(&v)?;
/// assert_eq!(a, ndarray::array![[1, 2], [3, 4]].into_dyn());
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn to_array<T: Element>(view: &View<'_, T>) -> Result<ArrayD<T>> {
    let fits = view.layout().numel().checked_mul(size_of::<T>()).is_some_and(|bytes| bytes <= isize::MAX as usize);
    if !fits {
        return Err(too_big(&"to_array"));
    }
    match array_view(view) {
        Ok(array) => Ok(array.to_owned()),
        Err(_) => ArrayD::from_shape_vec(IxDyn(view.shape()), view.to_vec()).map_err(|_| too_big(&"to_array")),
    }
}

/// An owned ndarray array as a tensor over the same memory, which the tensor and its views then share. Nothing is
/// copied; shape and strides stay. Give a clone away (`array.to_owned()`) to keep the array.
///
/// Errors as [`view`].
///
/// ```
/// use ndarray::array;
///
/// let t = takewise_ndarray::tensor(array![[1, 2, 3], [4, 5, 6]].reversed_axes())?;
/// assert_eq!(t.shape(), [3, 2]);
/// assert_eq!(t.to_vec::<i32>()?, [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn tensor<T: Element, D: Dimension>(array: Array<T, D>) -> Result<Tensor> {
    let layout = layout(&array)?;
    let (elements, first) = array.into_raw_vec_and_offset();
    let buffer = Arc::new(Buffer::from_vec(elements));
    Tensor::from_buffer(buffer, first.unwrap_or(0) * size_of::<T>(), layout, T::DTYPE)
}

/// The elements of a tensor as an owned row-major ndarray array. Free if the tensor is the whole of a vector or of a
/// row-major array that it was made from and nothing else holds it, else one copy; give a clone to keep the tensor. To
/// look without a copy, hold the tensor open and use [`array_view`]:
///
/// ```
/// use takewise::Tensor;
/// use takewise_ndarray::{array_view, into_array};
///
/// let t = Tensor::from_vec(vec![1.0f32, 2.0, 3.0, 4.0], &[2, 2])?;
/// assert_eq!(array_view(&t.read::<f32>()?.view())?, ndarray::array![[1.0, 2.0], [3.0, 4.0]].into_dyn());
/// assert_eq!(into_array::<f32>(t)?.sum(), 10.0);
/// # Ok::<(), takewise::Error>(())
/// ```
///
/// Errors as [`Tensor::read`]: kind `DType` if the elements are not `T`, kind `Busy` while another call writes them.
pub fn into_array<T: Element>(tensor: Tensor) -> Result<ArrayD<T>> {
    let shape = IxDyn(tensor.shape());
    let elements = tensor.into_vec::<T>()?;
    ArrayD::from_shape_vec(shape, elements).map_err(|_| too_big(&"into_array"))
}

/// The error of an array that ndarray does not hold.
pub(crate) fn too_big(op: &'static &'static str) -> Error {
    Error::plain(Fault::Memory { op: Op::Named(op), bytes: None })
}

/// ndarray's element strides as byte strides. An axis that is never walked may carry any number, so it gets a plain one.
fn layout<T: Element, D: Dimension>(array: &ArrayRef<T, D>) -> Result<Layout> {
    let size = size_of::<T>() as isize;
    let step = |(&stride, &extent): (&isize, &usize)| {
        if extent < 2 { Some(size) } else { stride.checked_mul(size) }
    };
    let strides: Option<Dims<isize>> = array.strides().iter().zip(array.shape()).map(step).collect();
    let strides = strides.ok_or_else(|| Error::plain(Fault::Memory { op: Op::View, bytes: None }))?;
    Layout::new(array.shape(), &strides)
}

/// What ndarray wants to know of a view: the lowest address, non-negative element strides, and the axes to reverse.
struct Frame<T> {
    lowest: *const T,
    shape: StrideShape<IxDyn>,
    reversed: Dims<usize>,
}

impl<T: Element> Frame<T> {
    fn new(start: *const T, layout: &Layout) -> Result<Frame<T>> {
        let size = size_of::<T>() as isize;
        let refuse =
            |what: String| Err(Error::plain(Fault::text(Op::Named(&"array_view"), ArgumentRule::StridedStorage, what)));
        let extents = layout.shape();
        let walked = |d: usize| extents[d] > 1 && !extents.contains(&0);
        let (mut strides, mut reversed) = (vec![0; extents.len()], Dims::new());
        for (d, &step) in layout.strides().iter().enumerate().filter(|(d, _)| walked(*d)) {
            if size == 0 || step % size != 0 {
                return refuse(format!("axis {d} steps {step} bytes, which is not a number of {size}-byte elements"));
            }
            strides[d] = (step / size).unsigned_abs();
            if step < 0 {
                reversed.push(d);
            }
        }
        let mut lowest = std::ptr::dangling();
        if !extents.contains(&0) {
            lowest = start.wrapping_byte_offset(layout.reach().0);
            if !lowest.is_aligned() {
                return refuse(format!("elements are not aligned to {} bytes", align_of::<T>()));
            }
        }
        let count = extents.iter().filter(|&&n| n > 0).try_fold(1_usize, |all, &n| all.checked_mul(n));
        if count.is_none_or(|n| n > isize::MAX as usize) {
            return refuse(format!("shape {extents:?} has too many elements for ndarray"));
        }
        Ok(Frame { lowest, shape: IxDyn(extents).strides(IxDyn(&strides)), reversed })
    }
}
