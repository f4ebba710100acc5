//! Views of tensors of burn's backend Flex, which holds them in main memory, and tensors of that backend from results.
//!
//! ```
//! use burn_tensor::{Float, Int, Tensor};
//! use takewise::prelude::*;
//! use takewise_ndarray::burn::{held, into_tensor};
//!
//! let table = Tensor::<2>::from_data([[1f32, 2., 3.], [4., 5., 6.]], &Default::default());
//! let rows = Tensor::<1, Int>::from_data([2i64, 0], &Default::default());
//! let (turned, rows) = (held(&table.transpose())?, held(&rows)?);
//! let picked = ops::take_axis(turned.view()?, 0, rows.view()?, &Rules::NEUTRAL)?;
//! let picked: Tensor<2, Float> = into_tensor(picked)?;
//! assert_eq!(picked.to_data().try_to_vec::<f32>().unwrap(), [3., 6., 1., 4.]);
//! # Ok::<(), Error>(())
//! ```

use burn_flex::{Flex, FlexTensor};
use burn_tensor::kind::{Basic, Kind, TensorKind};
use burn_tensor::{BackendPrimitive, BoolStore, DType, Tensor, TensorData};
use takewise::{AnyView, Element, Result, View};

use crate::refused;

/// A tensor of burn's, whose memory is shared for as long as this is there: burn does not write it meanwhile.
pub struct HeldBurn {
    tensor: FlexTensor,
}

/// Opens a tensor to be read. Nothing is copied.
///
/// Errors (kind `Argument`) if the tensor is of another backend, or of one that records gradients (`tensor.inner()` is not).
pub fn held<const D: usize, K>(tensor: &Tensor<D, K>) -> Result<HeldBurn>
where
    K: Basic + BackendPrimitive<Flex, Primitive = FlexTensor>,
{
    let found = tensor.clone().try_into_primitive::<Flex>();
    let tensor = found
        .map_err(|error| refused(&"burn::held", format!("only tensors of the backend Flex are viewed: {error:?}")))?;
    Ok(HeldBurn { tensor })
}

impl HeldBurn {
    /// The elements in place, with the tensor's own strides.
    ///
    /// Errors (kind `Argument`) if the elements are quantized, or booleans that are held as numbers of 32 bits.
    pub fn view(&self) -> Result<AnyView<'_>> {
        match self.tensor.dtype() {
            DType::F64 => self.strided(self.tensor.storage::<f64>()),
            DType::F32 => self.strided(self.tensor.storage::<f32>()),
            DType::F16 => self.strided(self.tensor.storage::<takewise::f16>()),
            DType::BF16 => self.strided(self.tensor.storage::<takewise::bf16>()),
            DType::I64 => self.strided(self.tensor.storage::<i64>()),
            DType::I32 => self.strided(self.tensor.storage::<i32>()),
            DType::I16 => self.strided(self.tensor.storage::<i16>()),
            DType::I8 => self.strided(self.tensor.storage::<i8>()),
            DType::U64 => self.strided(self.tensor.storage::<u64>()),
            DType::U32 => self.strided(self.tensor.storage::<u32>()),
            DType::U16 => self.strided(self.tensor.storage::<u16>()),
            DType::U8 => self.strided(self.tensor.storage::<u8>()),
            DType::Bool(BoolStore::Native | BoolStore::U8) => {
                let all = bytemuck::checked::try_cast_slice::<u8, bool>(self.tensor.storage::<u8>());
                self.strided(all.map_err(|_| refused(&"burn::held", "a boolean is held as neither 0 nor 1".into()))?)
            }
            other => {
                Err(refused(&"burn::held", format!("takewise does not read elements as burn holds its {other:?}")))
            }
        }
    }

    fn strided<'a, T: Element>(&'a self, all: &'a [T]) -> Result<AnyView<'a>> {
        let layout = self.tensor.layout();
        Ok(View::strided(all, layout.start_offset(), layout.shape(), layout.strides())?.into())
    }
}

/// A result as a tensor of that backend. Free if the result is the whole of a vector that nothing else holds, else one copy.
///
/// Errors (kind `Argument`) if the tensor has other than `D` dimensions, or elements of another kind than `K`; kind `Busy` while another
/// call writes them.
pub fn into_tensor<const D: usize, K>(tensor: takewise::Tensor) -> Result<Tensor<D, K>>
where
    K: Basic + TensorKind + BackendPrimitive<Flex, Primitive = FlexTensor>,
{
    use takewise::DType as Own;
    let (dtype, shape) = (tensor.dtype(), tensor.shape().to_vec());
    let refuse = |why: String| refused(&"burn::into_tensor", why);
    if shape.len() != D {
        return Err(refuse(format!("a tensor of {D} dimensions is asked for, and the result has shape {shape:?}")));
    }
    let (kind, data) = match dtype {
        Own::F64 => (Kind::Float, given::<f64>(tensor)?),
        Own::F32 => (Kind::Float, given::<f32>(tensor)?),
        Own::F16 => (Kind::Float, given::<takewise::f16>(tensor)?),
        Own::BF16 => (Kind::Float, given::<takewise::bf16>(tensor)?),
        Own::I64 => (Kind::Int, given::<i64>(tensor)?),
        Own::I32 => (Kind::Int, given::<i32>(tensor)?),
        Own::I16 => (Kind::Int, given::<i16>(tensor)?),
        Own::I8 => (Kind::Int, given::<i8>(tensor)?),
        Own::U64 => (Kind::Int, given::<u64>(tensor)?),
        Own::U32 => (Kind::Int, given::<u32>(tensor)?),
        Own::U16 => (Kind::Int, given::<u16>(tensor)?),
        Own::U8 => (Kind::Int, given::<u8>(tensor)?),
        Own::Bool => (Kind::Bool, given::<bool>(tensor)?),
        other => return Err(refuse(format!("burn has no elements like takewise's {}", other.name()))),
    };
    if kind != K::KIND {
        return Err(refuse(format!(
            "a tensor of kind {:?} is asked for, and the result holds {}",
            K::KIND,
            dtype.name()
        )));
    }
    Ok(Tensor::from_primitive::<Flex>(FlexTensor::from_data(data)))
}

fn given<T: Element + burn_tensor::Element>(tensor: takewise::Tensor) -> Result<TensorData> {
    let shape = tensor.shape().to_vec();
    Ok(TensorData::new(tensor.into_vec::<T>()?, shape))
}
