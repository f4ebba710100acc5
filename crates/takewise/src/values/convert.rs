//! Casts of whole arrays: what [`kernel::convert`](crate::kernel::convert) does for elements, for views of any strides.

use crate::error::{Error, Fault, Result, ShapeRule};
use crate::foreign;
use crate::kernel::convert::{WideBlock, run};
use crate::kernel::lanes::each_lane;
use crate::notes;
use crate::op::Op;
use crate::rules::Conversion;
use crate::view::{AnyView, AnyViewMut};

/// Casts every element of `src` into `dst`: same shape, any strides, any two dtypes but records, either byte order.
/// Foreign dtypes are cast by the library that knows them ([`crate::foreign`]).
///
/// Integers wrap modulo 2^n; floats truncate toward zero and, out of range, give what x86's conversion
/// gives (the minimum for i32 and i64, its low bits for narrower types); complex numbers lose their
/// imaginary part; anything non-zero (NaN too) is `true`. Doubles reach half precision through f32, as in
/// torch. The two must not share memory, which the borrow of `dst` proves.
///
/// Errors: kind `Shape` if the shapes differ, kind `DType` for records of different types.
///
/// ```
/// use takewise::{internal::convert::convert_into, View, ViewMut};
/// let mut out = [0u8; 3];
/// convert_into(&View::from(&[300.7f32, -1.5, f32::NAN][..]).any(), &mut ViewMut::from(&mut out[..]).into()).unwrap();
/// assert_eq!(out, [44, 255, 0]);
/// ```
pub fn convert_into(src: &AnyView<'_>, dst: &mut AnyViewMut<'_>) -> Result<()> {
    convert_as(src, dst, Conversion::RangeChecked)
}

/// [`convert_into`] with the rounding of a library: NumPy rounds doubles to half precision once, torch
/// through f32.
pub fn convert_as(src: &AnyView<'_>, dst: &mut AnyViewMut<'_>, how: Conversion) -> Result<()> {
    if src.shape() != dst.shape() {
        let shapes: &[(&'static str, &[usize])] = &[("source", src.shape()), ("destination", dst.shape())];
        return Err(Error::plain(Fault::shape(Op::Copy, ShapeRule::Slice, 0, shapes)));
    }
    if notes::watched() && notes::each(src, &dst.as_view(), dst.is_private()) {
        return Ok(());
    }
    let (from, to) = (src.dtype(), dst.dtype());
    if from != to && (from.is_foreign() || to.is_foreign()) {
        return foreign::cast(src, dst);
    }
    let (shape, steps) = (src.shape(), dst.layout().strides().to_vec());
    let (a, b) = (src.as_ptr(), dst.as_mut_ptr());
    let mut scratch = WideBlock::new();
    each_lane(shape, [src.layout().strides(), &steps], |at, count, step| {
        // SAFETY: L1 of both views: `each_lane` visits offsets of coordinates only. L3 of `dst`: the
        // memory is disjoint from `src`.
        unsafe { run(from, a.offset(at[0]), step[0], to, b.offset(at[1]), step[1], count, how, &mut scratch) }
    });
    Ok(())
}
