//! Making tensors, and taking their elements out again.

use super::{Buffer, Tensor};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{ArgumentRule, DTypeRule, Error, Fault, Result};
use crate::layout::Layout;
use crate::memory::Storage;
use crate::op::Op;
use crate::values::number::element_scalar;
use crate::view::View;
use half::{bf16, f16};
use std::sync::Arc;

impl Tensor {
    /// A fresh contiguous tensor whose elements are zero bytes: 0, `false`, or a record of zero bytes.
    ///
    /// From 16 MiB on the operating system supplies zero pages, so memory is committed where it is first touched. Errors
    /// (kind `Memory`) if the size overflows or memory runs out.
    pub fn zeroed(shape: &[usize], dtype: DType) -> Result<Tensor> {
        let layout = Layout::contiguous(shape, dtype.size())?;
        let buffer = Buffer::zeroed(layout.numel() * dtype.size())?;
        Ok(Tensor::raw(Arc::new(buffer), 0, layout, dtype))
    }

    /// A fresh contiguous tensor whose elements have no value yet.
    ///
    /// # Safety
    /// No byte of it may be read before it has been written (E2).
    pub(crate) unsafe fn blank(shape: &[usize], dtype: DType) -> Result<Tensor> {
        let layout = Layout::contiguous(shape, dtype.size())?;
        // SAFETY: passed on.
        let buffer = unsafe { Buffer::blank(layout.numel() * dtype.size())? };
        Ok(Tensor::raw(Arc::new(buffer), 0, layout, dtype))
    }

    /// [`Tensor::blank`] with a layout that is dense and steps forward.
    ///
    /// # Safety
    /// As [`Tensor::blank`].
    pub(crate) unsafe fn blank_as(layout: Layout, dtype: DType) -> Result<Tensor> {
        let bytes = layout.numel().checked_mul(dtype.size());
        let bytes = bytes.ok_or_else(|| Error::plain(Fault::Memory { op: Op::Allocate, bytes: None }))?;
        // SAFETY: passed on.
        let buffer = Arc::new(unsafe { Buffer::blank(bytes)? });
        // Row-major elements fill just these bytes (L1); of other orders it is looked at.
        if layout.is_contiguous(dtype.size()) && layout.strides().iter().all(|s| *s >= 0) {
            return Ok(Tensor::raw(buffer, 0, layout, dtype));
        }
        Tensor::from_buffer(buffer, 0, layout, dtype)
    }

    /// A fresh tensor of zeros with a layout that is dense and steps forward.
    pub(crate) fn dense(layout: Layout, dtype: DType) -> Result<Tensor> {
        let bytes = layout.numel().checked_mul(dtype.size());
        let bytes = bytes.ok_or_else(|| Error::plain(Fault::Memory { op: Op::Empty, bytes: None }))?;
        Tensor::from_buffer(Arc::new(Buffer::zeroed(bytes)?), 0, layout, dtype)
    }

    /// A fresh contiguous tensor whose elements are what the function gives for their places in row-major order.
    /// Errors as [`Tensor::zeroed`], before anything is asked.
    ///
    /// ```
    /// use takewise::Tensor;
    /// assert_eq!(Tensor::from_fn(&[2, 2], |k| 10 * k as i64)?.to_vec::<i64>()?, [0, 10, 20, 30]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn from_fn<T: Element>(shape: &[usize], mut element: impl FnMut(usize) -> T) -> Result<Tensor> {
        let count = Layout::contiguous(shape, size_of::<T>())?.numel();
        let mut data = Vec::new();
        let bytes = count.checked_mul(size_of::<T>());
        data.try_reserve_exact(count).map_err(|_| Error::plain(Fault::Memory { op: Op::Allocate, bytes }))?;
        data.extend((0..count).map(&mut element));
        Tensor::from_vec(data, shape)
    }

    /// A fresh contiguous tensor of zeros; torch's name for [`Tensor::zeroed`].
    pub fn zeros(shape: &[usize], dtype: DType) -> Result<Tensor> {
        Tensor::zeroed(shape, dtype)
    }

    /// A fresh contiguous tensor whose elements are not specified (today they are zeros: memory is never
    /// exposed uninitialised). Errors as [`Tensor::zeroed`].
    pub fn empty(shape: &[usize], dtype: DType) -> Result<Tensor> {
        Tensor::zeroed(shape, dtype)
    }

    /// Zeros with shape, dtype and order of axes in memory of this tensor. Errors: kind `Memory`.
    pub fn zeros_like(&self) -> Result<Tensor> {
        let layout = self.layout.packed(self.dtype.size())?;
        let buffer = Buffer::zeroed(layout.numel() * self.dtype.size())?;
        Tensor::from_buffer(Arc::new(buffer), 0, layout, self.dtype)
    }

    /// `start`, `start + step`, ... up to but without `end`.
    ///
    /// Without a dtype: int64 if all three are integers, else float32. The count is
    /// `ceil((end - start) / step)`, exact for integers; element `k` is `start + k * step` computed in
    /// float64 (in integers for integer dtypes, start and step truncated) and rounded once, so long ranges
    /// do not drift. Errors (kind `Argument`): step 0, a step away from `end`, an infinite or NaN bound;
    /// `DType` for bool, complex and records; `Memory`.
    ///
    /// ```
    /// use takewise::Tensor;
    /// assert_eq!(Tensor::arange(1, 6, 2, None)?.to_vec::<i64>()?, [1, 3, 5]);
    /// assert_eq!(Tensor::arange(0, 1, 0.25, None)?.to_vec::<f32>()?, [0.0, 0.25, 0.5, 0.75]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn arange(
        start: impl Into<Scalar>,
        end: impl Into<Scalar>,
        step: impl Into<Scalar>,
        dtype: Option<DType>,
    ) -> Result<Tensor> {
        let (start, end, step) = (start.into(), end.into(), step.into());
        let whole = |s: Scalar| match s {
            Scalar::Bool(b) => Some(i128::from(b)),
            Scalar::Int(v) => Some(v),
            _ => None,
        };
        let whole = whole(start).zip(whole(end)).zip(whole(step)).map(|((a, b), c)| (a, b, c));
        let dtype = dtype.unwrap_or(if whole.is_some() { DType::I64 } else { DType::F32 });
        let real = |s: Scalar| match s {
            Scalar::Bool(b) => Ok(f64::from(b)),
            Scalar::Int(v) => Ok(v as f64),
            Scalar::Float(v) => Ok(v),
            Scalar::Complex(..) => Err(refuse("complex bounds are refused")),
        };
        let (a, b, c) = (real(start)?, real(end)?, real(step)?);
        let count = match whole {
            Some((a, b, c)) => whole_count(a, b, c)?,
            None => real_count(a, b, c)?,
        };
        let (first, by) = whole.map_or((a as i128, c as i128), |(a, _, c)| (a, c));
        let exact = |k: usize| first.wrapping_add(by.wrapping_mul(k as i128));
        let near = |k: usize| a + c * k as f64;
        let shape = [count];
        match dtype {
            DType::U8 => Tensor::from_fn(&shape, |k| exact(k) as u8),
            DType::U16 => Tensor::from_fn(&shape, |k| exact(k) as u16),
            DType::U32 => Tensor::from_fn(&shape, |k| exact(k) as u32),
            DType::U64 => Tensor::from_fn(&shape, |k| exact(k) as u64),
            DType::I8 => Tensor::from_fn(&shape, |k| exact(k) as i8),
            DType::I16 => Tensor::from_fn(&shape, |k| exact(k) as i16),
            DType::I32 => Tensor::from_fn(&shape, |k| exact(k) as i32),
            DType::I64 => Tensor::from_fn(&shape, |k| exact(k) as i64),
            DType::F16 => Tensor::from_fn(&shape, |k| f16::from_f64(near(k))),
            DType::BF16 => Tensor::from_fn(&shape, |k| bf16::from_f64(near(k))),
            DType::F32 => Tensor::from_fn(&shape, |k| near(k) as f32),
            DType::F64 => Tensor::from_fn(&shape, near),
            given => {
                Err(Error::plain(Fault::DType { op: Op::Arange, rule: DTypeRule::Unsupported, given, wanted: None }))
            }
        }
    }

    /// The elements of a vector, which fill `shape` in row-major order; taken over, not copied.
    ///
    /// Error (kind `Argument`) if the counts differ.
    ///
    /// ```
    /// use takewise::Tensor;
    /// let x = Tensor::from_vec(vec![1.5f32, 2.5, 3.5, 4.5], &[2, 2])?;
    /// assert_eq!(x.select(0, 1)?.to_vec::<f32>()?, [3.5, 4.5]);
    /// assert_eq!(x.into_vec::<f32>()?, [1.5, 2.5, 3.5, 4.5]); // the same vector
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn from_vec<T: Element>(data: Vec<T>, shape: &[usize]) -> Result<Tensor> {
        let layout = View::new(&data, shape)?.layout().clone();
        Tensor::from_buffer(Arc::new(Buffer::from_vec(data)), 0, layout, T::DTYPE)
    }

    /// The vector given to [`Tensor::from_vec`] if this tensor is the whole of it and nothing else holds it; else the tensor.
    #[allow(clippy::result_large_err)] // the tensor back, unmoved in practice
    pub(crate) fn whole_vec<T: Element>(self) -> std::result::Result<Vec<T>, Tensor> {
        let whole = self.is_contiguous() && self.numel() * self.dtype.size() == self.buffer.len();
        if !whole || self.dtype != T::DTYPE {
            return Err(self);
        }
        let Tensor { buffer, offset, layout, dtype, .. } = self;
        let buffer = match buffer {
            Storage::Shared(buffer) => match Arc::try_unwrap(buffer).map(Buffer::into_vec::<T>) {
                Ok(Ok(data)) => return Ok(data),
                Ok(Err(buffer)) => Storage::Shared(Arc::new(buffer)),
                Err(buffer) => Storage::Shared(buffer),
            },
            lent => lent,
        };
        Err(Tensor::at(buffer, offset, layout, dtype))
    }

    /// The only element, as a number.
    ///
    /// Errors: kind `Argument` unless there is exactly one; `DType` for records; `Busy` as [`Tensor::read`].
    pub fn item(&self) -> Result<Scalar> {
        if self.numel() != 1 {
            return Err(Error::plain(Fault::argument(Op::Item, ArgumentRule::OneElement, &[self.numel() as i64])));
        }
        let open = self.read_any()?;
        let first = vec![0; self.rank()];
        let number = open.view().bytes_at(&first).and_then(|b| element_scalar(&b, self.dtype));
        number.ok_or_else(|| {
            Error::plain(Fault::DType { op: Op::Item, rule: DTypeRule::Unsupported, given: self.dtype, wanted: None })
        })
    }
}

fn refuse(text: &str) -> Error {
    Error::plain(Fault::text(Op::Arange, ArgumentRule::Other, text))
}

const AWAY: &str = "upper bound and lower bound inconsistent with step sign";
const ZERO: &str = "step must be nonzero";

fn whole_count(start: i128, end: i128, step: i128) -> Result<usize> {
    let gap = end.checked_sub(start).ok_or_else(|| refuse("the range is too long"))?;
    if step == 0 {
        return Err(refuse(ZERO));
    }
    if gap != 0 && (gap > 0) != (step > 0) {
        return Err(refuse(AWAY));
    }
    let (gap, step) = (gap.unsigned_abs(), step.unsigned_abs());
    usize::try_from(gap.div_ceil(step)).map_err(|_| refuse("the range is too long"))
}

fn real_count(start: f64, end: f64, step: f64) -> Result<usize> {
    if step == 0.0 || step.is_nan() {
        return Err(refuse(ZERO));
    }
    if !start.is_finite() || !end.is_finite() {
        return Err(refuse(&format!("unsupported range: {start} -> {end}")));
    }
    if end != start && (end > start) != (step > 0.0) {
        return Err(refuse(AWAY));
    }
    let count = ((end - start) / step).ceil();
    if count >= isize::MAX as f64 { Err(refuse("the range is too long")) } else { Ok(count as usize) }
}
