//! What the five libraries say of arguments they refuse.

use takewise::internal::number::integer_range;
use takewise::{DType, Tensor};

use crate::error::EvalError;
use crate::print::repr;
use crate::refusals::Refusals;
use crate::value::{Array, Value};

fn overflow(text: impl Into<String>) -> EvalError {
    EvalError::new("OverflowError", text)
}

fn too_long() -> EvalError {
    EvalError::value_error("Overflow when unpacking long long")
}

fn no_text(_: &Value) -> EvalError {
    EvalError::type_error("new(): invalid data type 'str'")
}

fn of_length(want: &[usize], got: &[usize], depth: usize) -> EvalError {
    match (want.first(), got.first()) {
        (Some(w), Some(g)) => {
            EvalError::value_error(format!("expected sequence of length {w} at dim {} (got {g})", depth + 1))
        }
        (Some(w), None) => EvalError::type_error(format!("expected a sequence of length {w}, got a number")),
        _ => EvalError::type_error("only numbers can be elements here, got a sequence"),
    }
}

fn stored(i: i128, dtype: DType) -> Option<EvalError> {
    match dtype {
        DType::U64 if i < 0 => Some(overflow("can't convert negative int to unsigned")),
        DType::U64 if i > i128::from(u64::MAX) => Some(overflow("int too big to convert")),
        DType::U64 => None,
        _ => i64::try_from(i).is_err().then(too_long),
    }
}

fn one_dtype(vectors: &[Tensor]) -> Option<EvalError> {
    if vectors.windows(2).any(|pair| pair[0].dtype() != pair[1].dtype()) {
        return Some(EvalError::runtime_error("torch.meshgrid: expects all tensors to have the same dtype"));
    }
    let wide = vectors.iter().find(|t| t.rank() > 1)?;
    let text = "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got";
    Some(EvalError::runtime_error(format!("{text} a tensor of shape {:?}", wide.shape())))
}

/// torch, and MindSpore.
pub(super) const TORCH: Refusals<Array, Value> = Refusals {
    class: "RuntimeError",
    scalar_length: "len() of a 0-d tensor",
    scalar_iteration: "iteration over a 0-d tensor",
    truth_of_none: "Boolean value of Tensor with no values is ambiguous",
    truth_of_several: "Boolean value of Tensor with more than one value is ambiguous",
    not_one: |n| EvalError::runtime_error(format!("a Tensor with {n} elements cannot be converted to Scalar")),
    bound: |a| {
        let plain = a.tensor().numel() == 1 && (a.dtype().is_integer() || a.dtype() == DType::Bool);
        (!plain).then_some("only integer tensors of a single element can be converted to an index")
    },
    text_as_array: no_text,
    text_as_number: no_text,
    none_as_number: || EvalError::runtime_error("Could not infer dtype of NoneType"),
    list_as_array: None,
    ragged: of_length,
    item: |i, dtype| (dtype == DType::I64 && i64::try_from(i).is_err()).then(too_long),
    assigned: stored,
    beside: |i, _| match i {
        _ if i < i64::MIN.into() => Some(overflow("can't convert negative int to unsigned")),
        _ if i > u64::MAX.into() => Some(overflow("int too big to convert")),
        _ => None,
    },
    zero_step: || EvalError::runtime_error("step must be nonzero"),
    wrong_step: Some(|| EvalError::runtime_error("upper bound and lower bound inconsistent with step sign")),
    no_axes: Some("Dimension specified as 0 but tensor has no dimensions"),
    unbound_scalar: None,
    unbroadcast: |dim| format!("The size of tensor a must match the size of tensor b at non-singleton dimension {dim}"),
    plane: |axes| format!("expected total rotation dims == 2, but got dims = {axes}"),
    flat: Some(|rank| format!("expected total dims >= 2, but got total dims = {rank}")),
    line: |a, b| format!("expected rotation dims to be different, but got dim0 = {a} and dim1 = {b}"),
    shifts: Some(|shifts, axes| format!("shifts and dimensions must align. shifts: {shifts}, dims:{axes}")),
    diagonal: |rank| format!("diag(): Supports 1D or 2D tensors. Got {rank}D"),
    diagonal_of_vector: "dimensions must larger than 1",
    diagonal_of_cuboid: "all dimensions of input must be of equal length",
    grid: one_dtype,
    few_axes: |name, least, rank| {
        format!(
            "torch.{name} requires a tensor with at least {least} dimension, but got a tensor with {rank} dimensions!"
        )
    },
    indivisible: |name, axis, length, count| {
        EvalError::runtime_error(match count {
            1.. => format!(
                "torch.{name} attempted to split along dimension {axis}, but the size of the dimension {length} is not \
                 divisible by the split_size {count}!"
            ),
            _ => format!("number of sections must be larger than 0, got {count}"),
        })
    },
    positions: None,
};

/// The library's own, in torch's words.
pub(super) const NEUTRAL: Refusals<Array, Value> = Refusals { beside: |_, _| None, grid: |_| None, ..TORCH };

/// NumPy.
pub(super) const NUMPY: Refusals<Array, Value> = Refusals {
    class: "ValueError",
    scalar_length: "len() of unsized object",
    scalar_iteration: "iteration over a 0-d array",
    truth_of_none: "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty.",
    truth_of_several: "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()",
    not_one: |_| EvalError::type_error("only length-1 arrays can be converted to Python scalars"),
    // Bools are no integers, and only arrays of rank 0 count as one.
    bound: |a| match a.shape().is_empty() && a.dtype().is_integer() {
        true => None,
        false if a.scalar => Some("slice indices must be integers or None or have an __index__ method"),
        false => Some("only integer scalar arrays can be converted to a scalar index"),
    },
    text_as_array: |v| EvalError::type_error(format!("{} is no array: text is passed as an array of strings", repr(v))),
    text_as_number: |v| EvalError::value_error(format!("invalid literal for int() with base 10: {}", repr(v))),
    none_as_number: || {
        EvalError::type_error("int() argument must be a string, a bytes-like object or a real number, not 'NoneType'")
    },
    list_as_array: None,
    ragged: |_, _, _| {
        EvalError::value_error(
            "setting an array element with a sequence. The requested array has an inhomogeneous shape",
        )
    },
    item: |_, _| None,
    assigned: |_, _| None,
    beside: |_, _| None,
    zero_step: || EvalError::new("ZeroDivisionError", "division by zero"),
    wrong_step: None,
    no_axes: None,
    unbound_scalar: Some("Input array must be at least 1-d."),
    unbroadcast: |_| "shape mismatch: objects cannot be broadcast to a single shape.".to_owned(),
    plane: |_| "len(axes) must be 2.".to_owned(),
    flat: None,
    line: |_, _| "Axes must be different.".to_owned(),
    shifts: None,
    diagonal: |_| "Input must be 1- or 2-d.".to_owned(),
    diagonal_of_vector: "array must be at least 2-d",
    diagonal_of_cuboid: "All dimensions of input must be of equal length",
    grid: |_| None,
    few_axes: |name, least, _| format!("{name} only works on arrays of {least} or more dimensions"),
    indivisible: |_, _, _, count| match count {
        0 => EvalError::new("ZeroDivisionError", "integer modulo by zero"),
        1.. => EvalError::value_error("array split does not result in an equal division"),
        _ => EvalError::value_error("number sections must be larger than 0."),
    },
    positions: None,
};

/// JAX.
pub(super) const JAX: Refusals<Array, Value> = Refusals {
    text_as_number: |v| EvalError::type_error(format!("Value {} of type str is not a valid JAX type", repr(v))),
    list_as_array: Some(|function, kind, position| {
        EvalError::type_error(format!(
            "{function} requires ndarray or scalar arguments, got <class '{kind}'> at position {position}."
        ))
    }),
    item: |i, dtype| {
        let (least, most) = integer_range(dtype)?;
        let text = || format!("Python integer {i} out of bounds for {}", dtype.name());
        (!(least..=most).contains(&i)).then(|| overflow(text()))
    },
    beside: |i, dtype| {
        let held = dtype.and_then(integer_range).is_some_and(|(least, most)| (least..=most).contains(&i));
        let wide = dtype.is_some_and(|d| d.size() == 8 && d != DType::C64 || d == DType::C128);
        let fits = if wide { i64::try_from(i).is_ok() } else { i32::try_from(i).is_ok() };
        let text = || format!("Python int {i} too large to convert to int{}", if wide { 64 } else { 32 });
        (!held && !fits).then(|| overflow(text()))
    },
    diagonal: |_| "diag input must be 1d or 2d".to_owned(),
    grid: |vectors| {
        let shape =
            |t: &Tensor| repr(&Value::tuple(t.shape().iter().map(|n| Value::Int(*n as i128)).collect::<Vec<_>>()));
        vectors.iter().any(|t| t.rank() != 1).then(|| {
            let shapes = vectors.iter().map(shape).collect::<Vec<_>>().join(", ");
            EvalError::value_error(format!("Arguments to jax.numpy.meshgrid must be 1D, got shapes [{shapes}]"))
        })
    },
    positions: Some(|dtype| {
        EvalError::type_error(format!("put_along_axis indices must be of integer type, got {}", dtype.name()))
    }),
    ..NUMPY
};
