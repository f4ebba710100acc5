//! Views of candle's tensors, and tensors of candle's from results.
//!
//! ```
//! use candle_core::{Device, Tensor};
//! use takewise::prelude::*;
//! use takewise_ndarray::candle::{held, into_tensor};
//!
//! let table = Tensor::new(&[[1f32, 2., 3.], [4., 5., 6.]], &Device::Cpu).unwrap();
//! let turned = table.t().unwrap();
//! let rows = Tensor::new(&[2u32, 0], &Device::Cpu).unwrap();
//! let picked = ops::take_axis(held(&turned).view()?, 0, held(&rows).view()?, &Rules::NEUTRAL)?;
//! assert_eq!(into_tensor(picked)?.to_vec2::<f32>().unwrap(), [[3., 6.], [1., 4.]]);
//! # Ok::<(), Error>(())
//! ```

use candle_core::{CpuStorage, Device, Layout, Storage, StorageRef};
use takewise::{AnyView, DType, Element, Result, View};

use crate::refused;

/// A tensor of candle's, held open: candle does not write it meanwhile, and a call of candle's that would waits.
pub struct HeldCandle<'a> {
    storage: StorageRef<'a>,
    layout: &'a Layout,
}

/// Opens a tensor to be read. Nothing is copied.
pub fn held(tensor: &candle_core::Tensor) -> HeldCandle<'_> {
    let (storage, layout) = tensor.storage_and_layout();
    HeldCandle { storage, layout }
}

impl HeldCandle<'_> {
    /// The elements in place, with the tensor's own strides.
    ///
    /// Errors (kind `Argument`) if the tensor lies on another device, or its elements are ones of less than 16 bits that candle has
    /// and takewise has not.
    pub fn view(&self) -> Result<AnyView<'_>> {
        let Storage::Cpu(elements) = &*self.storage else {
            let device = match &*self.storage {
                Storage::Cuda(_) => "CUDA",
                _ => "Metal",
            };
            let cure = "move it by to_device(&Device::Cpu)";
            return Err(refused(
                &"candle::held",
                format!("a tensor on a device of {device} is not in main memory: {cure}"),
            ));
        };
        match elements {
            CpuStorage::U8(all) => self.strided(all),
            CpuStorage::U32(all) => self.strided(all),
            CpuStorage::I16(all) => self.strided(all),
            CpuStorage::I32(all) => self.strided(all),
            CpuStorage::I64(all) => self.strided(all),
            CpuStorage::BF16(all) => self.strided(all),
            CpuStorage::F16(all) => self.strided(all),
            CpuStorage::F32(all) => self.strided(all),
            CpuStorage::F64(all) => self.strided(all),
            CpuStorage::F8E4M3(_) => Err(unknown("F8E4M3")),
            CpuStorage::F6E2M3(_) => Err(unknown("F6E2M3")),
            CpuStorage::F6E3M2(_) => Err(unknown("F6E3M2")),
            CpuStorage::F4(_) => Err(unknown("F4")),
            CpuStorage::F8E8M0(_) => Err(unknown("F8E8M0")),
        }
    }

    fn strided<'b, T: Element>(&self, all: &'b [T]) -> Result<AnyView<'b>> {
        let strides: Vec<isize> = self.layout.stride().iter().map(|&step| step.cast_signed()).collect();
        Ok(View::strided(all, self.layout.start_offset(), self.layout.dims(), &strides)?.into())
    }
}

fn unknown(dtype: &str) -> takewise::Error {
    let cure = "make a tensor of F32 of it by to_dtype(DType::F32)";
    refused(&"candle::held", format!("takewise has no elements like candle's {dtype}: {cure}"))
}

/// A result as a tensor of candle's in main memory. Free if the tensor is the whole of a vector that nothing else holds, else one copy.
///
/// Errors (kind `Argument`) if candle has no such elements; kind `Busy` while another call writes them.
pub fn into_tensor(tensor: takewise::Tensor) -> Result<candle_core::Tensor> {
    match tensor.dtype() {
        DType::U8 => given::<u8>(tensor),
        DType::U32 => given::<u32>(tensor),
        DType::I16 => given::<i16>(tensor),
        DType::I32 => given::<i32>(tensor),
        DType::I64 => given::<i64>(tensor),
        DType::BF16 => given::<takewise::bf16>(tensor),
        DType::F16 => given::<takewise::f16>(tensor),
        DType::F32 => given::<f32>(tensor),
        DType::F64 => given::<f64>(tensor),
        other => {
            Err(refused(&"candle::into_tensor", format!("candle has no elements like takewise's {}", other.name())))
        }
    }
}

fn given<T: Element + candle_core::WithDType>(tensor: takewise::Tensor) -> Result<candle_core::Tensor> {
    let shape = tensor.shape().to_vec();
    candle_core::Tensor::from_vec(tensor.into_vec::<T>()?, shape, &Device::Cpu)
        .map_err(|error| refused(&"candle::into_tensor", error.to_string()))
}
