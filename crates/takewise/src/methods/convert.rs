//! Casting tensors: `to`, and torch's one-word casts.

use crate::autograd::record;
use crate::dtype::DType;
use crate::error::Result;
use crate::index::rules::Conversion;
use crate::tensor::{Tensor, cast};

impl Tensor {
    /// This tensor with another dtype: itself (sharing storage) if it has it already, else a fresh
    /// copy that lies in memory in the same order of axes.
    ///
    /// Integers wrap, floats truncate toward zero, non-zero is `true`, complex loses its imaginary part
    /// (SEMANTICS.md, Conversion of arrays). Errors: kind `Busy` while another call writes; `Memory`;
    /// `DType` for records.
    ///
    /// ```
    /// use takewise::{DType, Tensor};
    /// let x = Tensor::from_slice(&[300.7f32, -1.5], &[2])?;
    /// assert_eq!(x.to(DType::U8)?.to_vec::<u8>()?, [44, 255]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn to(&self, dtype: DType) -> Result<Tensor> {
        if dtype == self.dtype() {
            return Ok(self.clone());
        }
        let out = cast(&self.read_any()?.view(), dtype, Conversion::RangeChecked)?;
        record::cast(&out, self);
        Ok(out)
    }

    /// [`Tensor::to`] int64.
    pub fn long(&self) -> Result<Tensor> {
        self.to(DType::I64)
    }

    /// [`Tensor::to`] int32.
    pub fn int(&self) -> Result<Tensor> {
        self.to(DType::I32)
    }

    /// [`Tensor::to`] int16.
    pub fn short(&self) -> Result<Tensor> {
        self.to(DType::I16)
    }

    /// [`Tensor::to`] int8.
    pub fn char(&self) -> Result<Tensor> {
        self.to(DType::I8)
    }

    /// [`Tensor::to`] uint8.
    pub fn byte(&self) -> Result<Tensor> {
        self.to(DType::U8)
    }

    /// [`Tensor::to`] bool: what is not zero.
    pub fn bool(&self) -> Result<Tensor> {
        self.to(DType::Bool)
    }

    /// [`Tensor::to`] float16.
    pub fn half(&self) -> Result<Tensor> {
        self.to(DType::F16)
    }

    /// [`Tensor::to`] bfloat16.
    pub fn bfloat16(&self) -> Result<Tensor> {
        self.to(DType::BF16)
    }

    /// [`Tensor::to`] float32.
    pub fn float(&self) -> Result<Tensor> {
        self.to(DType::F32)
    }

    /// [`Tensor::to`] float64.
    pub fn double(&self) -> Result<Tensor> {
        self.to(DType::F64)
    }
}
