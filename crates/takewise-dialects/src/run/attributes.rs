//! What tensors say about themselves.

use crate::print as display;
use takewise::DType;
use takewise::op::Op;

use super::{Outcome, raise};
use crate::error::{EvalError, Result};
use crate::sig::Call;
use crate::value::{Array, Value};

fn shown(array: &Array, write: impl FnOnce(&takewise::AnyView<'_>) -> String) -> String {
    let tensor = array.tensor();
    match tensor.read_any() {
        Ok(open) => write(&open.view()),
        Err(busy) => format!("<{busy}>"),
    }
}

/// torch's `repr`, of an array of that shape of which no more than the ends may be there, as all of these.
pub(crate) fn torch_repr(array: &Array, shape: &[usize]) -> String {
    shown(array, |view| display::torch_repr_of(view, shape, &super::grad::suffix(array)))
}

/// torch's `print`: the same.
pub(crate) fn torch_display(array: &Array, shape: &[usize]) -> String {
    torch_repr(array, shape)
}

/// NumPy's `repr`.
pub(crate) fn numpy_repr(array: &Array, shape: &[usize]) -> String {
    if array.scalar {
        let name = match array.dtype() {
            DType::Bool => "np.",
            other => return format!("np.{}({})", other.name(), numpy_display(array, shape)),
        };
        return format!("{name}{}", numpy_display(array, shape));
    }
    shown(array, |view| display::numpy_repr_of(view, shape))
}

/// NumPy's `print`.
pub(crate) fn numpy_display(array: &Array, shape: &[usize]) -> String {
    shown(array, |view| display::numpy_str_of(view, shape))
}

/// MindSpore's `repr`.
pub(crate) fn mindspore_repr(array: &Array, shape: &[usize]) -> String {
    shown(array, |view| display::mindspore_repr_of(view, shape))
}

/// MindSpore's `print`: NumPy's.
pub(crate) fn mindspore_display(array: &Array, shape: &[usize]) -> String {
    numpy_display(array, shape)
}

/// JAX's `repr`: NumPy's under another name, always with the dtype.
pub(crate) fn jax_repr(array: &Array, shape: &[usize]) -> String {
    let text = numpy_repr(array, shape).replacen("array(", "Array(", 1);
    let dtype = format!("dtype={}", array.dtype().name());
    // JAX pads where NumPy breaks the line.
    let text = text.replace(",\n      dtype=", ",      dtype=");
    match text.strip_suffix(')') {
        Some(body) if !text.contains(&dtype) => format!("{body}, {dtype})"),
        _ => text,
    }
}

/// `x.shape` as torch shows it.
pub(crate) fn size(array: &Array) -> Outcome {
    Ok(Value::Size(array.shape().to_vec().into()))
}

/// `x.shape` as a tuple.
pub(crate) fn shape(array: &Array) -> Outcome {
    Ok(Value::tuple(array.shape().iter().map(|&d| Value::Int(d as i128)).collect::<Vec<_>>()))
}

/// `x.dtype`.
pub(crate) fn dtype(array: &Array) -> Outcome {
    Ok(Value::DType(array.dtype(), array.face))
}

/// `x.ndim`.
pub(crate) fn ndim(array: &Array) -> Outcome {
    Ok(Value::Int(array.shape().len() as i128))
}

/// NumPy's `x.size`: how many elements.
pub(crate) fn count(array: &Array) -> Outcome {
    Ok(Value::Int(array.tensor().numel() as i128))
}

/// NumPy's `x.strides`, in bytes.
pub(crate) fn strides(array: &Array) -> Outcome {
    let strides = array.tensor().layout().strides().iter().map(|&s| Value::Int(s as i128)).collect::<Vec<_>>();
    Ok(Value::tuple(strides))
}

/// Bytes of one element.
pub(crate) fn itemsize(array: &Array) -> Outcome {
    Ok(Value::Int(array.dtype().size() as i128))
}

/// Bytes of all elements.
pub(crate) fn nbytes(array: &Array) -> Outcome {
    Ok(Value::Int((array.tensor().numel() * array.dtype().size()) as i128))
}

/// `x.T`: all axes reversed.
pub(crate) fn reversed(array: &Array) -> Outcome {
    let tensor = array.tensor();
    let dims: Vec<i64> = (0..tensor.rank() as i64).rev().collect();
    Ok(Value::Array(Array::new(tensor.permute(&dims).map_err(raise)?, array.face)))
}

/// `x.mT`: the last two axes exchanged.
pub(crate) fn matrix_transpose(array: &Array) -> Outcome {
    let tensor = array.tensor();
    if tensor.rank() < 2 {
        let text = "tensor.mT is only supported on matrices or batches of matrices. Got ";
        return Err(EvalError::runtime_error(format!("{text}{}-D tensor.", tensor.rank())));
    }
    Ok(Value::Array(Array::new(tensor.transpose(-2, -1).map_err(raise)?, array.face)))
}

/// An attribute that is always false here.
pub(crate) fn no(_: &Array) -> Outcome {
    Ok(Value::Bool(false))
}

/// `x.device`.
pub(crate) fn device(_: &Array) -> Outcome {
    Ok(Value::str("cpu"))
}

/// JAX's `x.at`.
pub(crate) fn at(array: &Array) -> Outcome {
    Ok(Value::At(array.clone(), None))
}

fn axis(call: &Call) -> Result<Option<usize>> {
    let rank = call.tensor("input")?.rank();
    let Some(dim) = call.maybe_int("dim")? else { return Ok(None) };
    let fault = takewise::layout::normalize_dim(Op::Named(&"size"), dim, rank);
    fault.map(Some).map_err(|e| raise(e.in_words(call.face.words)))
}

/// `x.size()`, `x.size(dim)`.
pub(crate) fn size_method(call: &Call) -> Outcome {
    let array = call.array("input")?;
    let shape = array.shape();
    match if call.has("dim") { axis(call)? } else { None } {
        None => size(&array),
        Some(d) => match shape.get(d) {
            Some(&n) => Ok(Value::Int(n as i128)),
            None => Err(EvalError::index_error("Dimension specified as 0 but tensor has no dimensions")),
        },
    }
}

/// `x.stride()`, `x.stride(dim)`, in elements.
pub(crate) fn stride_method(call: &Call) -> Outcome {
    let strides = call.tensor("input")?.strides();
    match if call.has("dim") { axis(call)? } else { None } {
        None => Ok(Value::tuple(strides.iter().map(|&s| Value::Int(s as i128)).collect::<Vec<_>>())),
        Some(d) => match strides.get(d) {
            Some(&s) => Ok(Value::Int(s as i128)),
            None => Err(EvalError::index_error("Dimension specified as 0 but tensor has no dimensions")),
        },
    }
}

/// `x.dim()`.
pub(crate) fn dim_method(call: &Call) -> Outcome {
    ndim(&call.array("input")?)
}

/// `x.numel()`.
pub(crate) fn numel_method(call: &Call) -> Outcome {
    count(&call.array("input")?)
}

/// `x.storage_offset()`, in elements.
pub(crate) fn storage_offset(call: &Call) -> Outcome {
    Ok(Value::Int(call.tensor("input")?.storage_offset() as i128))
}

/// `x.is_contiguous()`.
pub(crate) fn is_contiguous(call: &Call) -> Outcome {
    Ok(Value::Bool(call.tensor("input")?.is_contiguous()))
}

/// `x.element_size()`.
pub(crate) fn element_size(call: &Call) -> Outcome {
    itemsize(&call.array("input")?)
}

/// `x.is_floating_point()`.
pub(crate) fn is_floating_point(call: &Call) -> Outcome {
    Ok(Value::Bool(call.array("input")?.dtype().is_float()))
}

/// `x.is_complex()`.
pub(crate) fn is_complex(call: &Call) -> Outcome {
    Ok(Value::Bool(call.array("input")?.dtype().is_complex()))
}

/// `torch.is_tensor(obj)`.
pub(crate) fn is_tensor(call: &Call) -> Outcome {
    Ok(Value::Bool(matches!(call.get("obj"), Some(Value::Array(a)) if a.face.facts.tensors)))
}

/// torch's name of a tensor class by dtype, as assignment errors quote it: `torch.LongTensor`.
pub(crate) fn tensor_class(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "torch.BoolTensor",
        DType::U8 => "torch.ByteTensor",
        DType::U16 => "torch.UInt16Tensor",
        DType::U32 => "torch.UInt32Tensor",
        DType::U64 => "torch.UInt64Tensor",
        DType::I8 => "torch.CharTensor",
        DType::I16 => "torch.ShortTensor",
        DType::I32 => "torch.IntTensor",
        DType::I64 => "torch.LongTensor",
        DType::F16 => "torch.HalfTensor",
        DType::BF16 => "torch.BFloat16Tensor",
        DType::F32 => "torch.FloatTensor",
        DType::F64 => "torch.DoubleTensor",
        DType::C64 => "torch.ComplexFloatTensor",
        DType::C128 => "torch.ComplexDoubleTensor",
        DType::Opaque { .. } => "torch.Tensor",
    }
}
