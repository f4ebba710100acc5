//! Other dtypes, other libraries.

use takewise::internal::record;
use takewise::tensor::cast;
use takewise::{DType, Tensor};

use super::{Outcome, raise};
use crate::error::EvalError;
use crate::face::Face;
use crate::sig::Call;
use crate::value::{Array, Value};

/// A copy of another dtype, converted as the library does.
///
/// # Errors
/// As the engine's cast.
pub(crate) fn convert(tensor: &Tensor, dtype: DType, face: &Face) -> Result<Tensor, EvalError> {
    if tensor.dtype() == dtype {
        return Ok(tensor.clone());
    }
    let open = tensor.read_any().map_err(raise)?;
    let out = cast(&open.view(), dtype, face.conversion).map_err(raise)?;
    record::cast(&out, tensor);
    Ok(out)
}

/// `x.to(dtype)`, `x.to(other)`, `x.type(dtype)`: itself if nothing changes and no copy is asked for.
pub(crate) fn to(call: &Call) -> Outcome {
    let array = call.array("input")?;
    let dtype = match call.get("other") {
        Some(Value::Array(other)) => other.dtype(),
        _ => call.dtype("dtype")?.unwrap_or(array.dtype()),
    };
    if dtype == array.dtype() {
        return if call.flag("copy") { call.give(array.tensor().clone_data()) } else { Ok(Value::Array(array)) };
    }
    Ok(call.wrap(convert(&array.tensor(), dtype, call.face)?))
}

/// NumPy's `x.astype(dtype)`: always a copy.
pub(crate) fn astype(call: &Call) -> Outcome {
    let array = call.array("input")?;
    let dtype = call.dtype("dtype")?.unwrap_or(array.dtype());
    if dtype == array.dtype() {
        return call.give(array.tensor().clone_data());
    }
    Ok(call.wrap(convert(&array.tensor(), dtype, call.face)?))
}

macro_rules! casts {
    ($($name:ident => $dtype:ident),*) => {
        $(
            #[doc = concat!("The cast to ", stringify!($dtype), ".")]
            pub(crate) fn $name(call: &Call) -> Outcome {
                let array = call.array("input")?;
                if array.dtype() == DType::$dtype {
                    return Ok(Value::Array(array));
                }
                Ok(call.wrap(convert(&array.tensor(), DType::$dtype, call.face)?))
            }
        )*
    };
}
casts!(
    bool => Bool, byte => U8, char => I8, short => I16, int => I32, long => I64, half => F16, bfloat16 => BF16,
    float => F32, double => F64, cfloat => C64, cdouble => C128
);

/// `x.numpy()`: the same memory as an array of another library.
pub(crate) fn lent_to(face: &'static Face, call: &Call) -> Outcome {
    let tensor = call.tensor("input")?;
    if tensor.requires_grad() && !call.flag("force") {
        let text = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.";
        return Err(EvalError::runtime_error(text));
    }
    Ok(Value::Array(Array::new(tensor.detach(), face)))
}
