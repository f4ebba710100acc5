//! Tensors filled with one number.

use super::{Single, copy_into};
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use crate::index::rules::{Conversion, Rules};
use crate::layout::Layout;
use crate::op::Op;
use crate::tensor::Tensor;

/// How the number that fills a new tensor is converted.
const MADE: Rules = Rules { conversion: Conversion::RangeChecked, ..Rules::NEUTRAL };

impl Tensor {
    /// A fresh contiguous tensor of ones. Errors as [`Tensor::full`].
    pub fn ones(shape: &[usize], dtype: DType) -> Result<Tensor> {
        Tensor::full(shape, 1, dtype)
    }

    /// A fresh contiguous tensor with every element `value`.
    ///
    /// Errors: kind `Value` if the number does not fit the dtype by torch's rule (SEMANTICS.md, Conversion of numbers);
    /// `DType` for records; `Memory`.
    ///
    /// ```
    /// use takewise::{DType, Tensor};
    /// assert_eq!(Tensor::full(&[3], 2.5, DType::F32)?.to_vec::<f32>()?, [2.5; 3]);
    /// assert!(Tensor::full(&[3], 256, DType::U8).is_err());
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn full(shape: &[usize], value: impl Into<Scalar>, dtype: DType) -> Result<Tensor> {
        let single = Single::new(Op::Full, value.into(), dtype, &MADE)?;
        let mut out = Tensor::zeroed(shape, dtype)?;
        out.fill_fresh(&single)?;
        Ok(out)
    }

    /// Ones, as [`Tensor::zeros_like`].
    pub fn ones_like(&self) -> Result<Tensor> {
        self.full_like(1)
    }

    /// Every element `value`, as [`Tensor::zeros_like`]. Errors as [`Tensor::full`].
    pub fn full_like(&self, value: impl Into<Scalar>) -> Result<Tensor> {
        let single = Single::new(Op::FullLike, value.into(), self.dtype(), &MADE)?;
        let mut out = self.zeros_like()?;
        out.fill_fresh(&single)?;
        Ok(out)
    }

    /// Fills storage nobody else holds.
    fn fill_fresh(&mut self, single: &Single) -> Result<()> {
        let shape = self.layout().shape().to_vec();
        let value = single.view();
        let steps = crate::layout::broadcast_strides(&[], &[], &shape);
        if let (Some(steps), Some(mut dst)) = (steps, self.unique()) {
            copy_into(&value.rearranged(0, Layout::new(&shape, &steps)?), &mut dst)?;
        }
        Ok(())
    }
}
