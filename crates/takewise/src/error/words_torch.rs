//! torch's wording (spec sections 1 to 10; texts as PyTorch 2.15 gives them).

use super::phrase::{c_name, fixed_name, promotion, torch_name};
use super::words_search;
use super::words_torch_shape::{argument, shape};
use super::{Class, DTypeRule as D, Fault, OutOfRange, list};
use crate::dtype::{DType, Scalar};

const INTERNAL: &str = "unsupported operation: more than one element of the written-to tensor refers to a single \
                        memory location. Please clone() the tensor before performing the operation.";
const OVERLAP: &str = "unsupported operation: some elements of the input tensor and the written-to tensor refer to a \
                       single memory location. Please clone() the tensor before performing the operation.";

/// Class and text as torch gives them.
pub fn torch(fault: &Fault) -> Option<(Class, String)> {
    if let Some(words) = words_search::torch(fault) {
        return Some(words);
    }
    Some(match fault {
        Fault::OutOfRange(o) => out_of_range(o),
        Fault::IntOutOfRange(o) if matches!(o.op, "select" | "select_scatter") => {
            let shape = list(&o.shape);
            let text =
                format!("select(): index {} out of range for tensor of size {shape} at dimension {}", o.value, o.axis);
            (Class::IndexError, text)
        }
        // torch counts the entries of the subscript here, not the axes.
        Fault::IntOutOfRange(o) => (Class::IndexError, bounds(o, o.ordinal)),
        Fault::Dim { op: "take_along_dim", dim, rank: 0 } => {
            (Class::IndexError, format!("Dimension specified as {dim} but tensor has no dimensions"))
        }
        Fault::Dim { dim, rank, .. } => {
            let r = (*rank).max(1) as i64;
            let text =
                format!("Dimension out of range (expected to be in range of [{}, {}], but got {dim})", -r, r - 1);
            (Class::IndexError, text)
        }
        Fault::Shape { op, rule, dim, shapes, dtype } => shape(op, *rule, *dim, shapes, *dtype)?,
        Fault::DType { op, rule, given, wanted } => dtype(op, *rule, *given, *wanted)?,
        Fault::Argument { op, rule, numbers, text } => argument(op, *rule, numbers, text)?,
        Fault::Scalar { op, value, dtype } => scalar(op, *value, *dtype),
        Fault::Overlap { internal: true, .. } => (Class::RuntimeError, INTERNAL.into()),
        Fault::Overlap { internal: false, .. } => (Class::RuntimeError, OVERLAP.into()),
        Fault::Duplicate { .. } | Fault::Busy { .. } => return None,
        Fault::Memory { bytes: Some(n), .. } => (
            Class::RuntimeError,
            format!("DefaultCPUAllocator: can't allocate memory: you tried to allocate {n} bytes."),
        ),
        Fault::Memory { bytes: None, .. } => (Class::RuntimeError, "Storage size calculation overflowed".into()),
    })
}

/// The name torch's messages give the in-place kernel of an operation.
pub(super) fn kernel(op: &'static str) -> &'static str {
    match op {
        "index_add" => "index_add_",
        "index_copy" => "index_copy_",
        "index_fill" => "index_fill_",
        "index_reduce" | "index_reduce(include_self=False)" => "index_reduce_",
        "index_add(scatter)" => "index_add_",
        "take_along_dim(flat)" => "gather",
        "scatter_add" | "scatter_reduce" => "scatter",
        other => other,
    }
}

fn bounds(o: &OutOfRange, dim: usize) -> String {
    format!("index {} is out of bounds for dimension {dim} with size {}", o.value, o.len)
}

fn out_of_range(o: &OutOfRange) -> (Class, String) {
    let plain = || "index out of range in self".to_owned();
    let empty = o.shape.iter().enumerate().any(|(d, n)| d != o.axis && *n == 0);
    match o.op {
        "take" | "put_" if o.len == 0 => (Class::IndexError, nothing_in(o.op).into()),
        "take" | "put_" => (
            Class::IndexError,
            format!("out of range: tried to access index {} on a tensor of {} elements.", o.value, o.len),
        ),
        "index_select" if o.axis == 1 || empty => {
            (Class::RuntimeError, format!("INDICES element is out of DATA bounds, id={} axis_dim={}", o.value, o.len))
        }
        "index_add(scatter)" => (Class::RuntimeError, bounds(o, o.axis)),
        "index_select" | "index_add" | "index_reduce" | "embedding" => (Class::IndexError, plain()),
        "index_copy" => (Class::IndexError, format!("index_copy_(): {}", bounds(o, o.axis))),
        // The addressed slices are first filled with the identity.
        "index_reduce(include_self=False)" if empty || (o.value < 0 && o.value >= -(o.len as i128)) => {
            (Class::IndexError, plain())
        }
        "index_fill(subscript)" => (Class::IndexError, bounds(o, o.ordinal)),
        "index_fill" | "index_reduce(include_self=False)" => (Class::IndexError, bounds(o, o.axis)),
        "take_along_dim" if o.len == 0 => (Class::RuntimeError, "ZeroDivisionError".into()),
        "index" | "getitem" | "setitem" | "index_put" if o.len == 0 => {
            (Class::IndexError, "index is out of bounds for dimension with size 0".into())
        }
        "index" | "getitem" | "setitem" | "index_put" => (Class::IndexError, bounds(o, o.ordinal)),
        _ => (Class::RuntimeError, bounds(o, o.axis)),
    }
}

/// What `take` and `put` say of an empty tensor.
pub(super) fn nothing_in(op: &str) -> &'static str {
    match op {
        "take" => "take(): tried to take from an empty tensor",
        _ => "put_(): Tried to put elements into an empty tensor",
    }
}

fn scalar(op: &str, value: Scalar, dtype: DType) -> (Class, String) {
    if let Scalar::Int(v) = value {
        let text = if v < i64::MIN as i128 || (op == "setitem" && dtype == DType::U64 && v < 0) {
            "can't convert negative int to unsigned"
        } else if v > u64::MAX as i128 {
            "int too big to convert"
        } else {
            ""
        };
        let unpacked = op == "setitem" && dtype != DType::U64;
        if unpacked && i64::try_from(v).is_err() {
            return (Class::ValueError, "Overflow when unpacking long long".into());
        }
        if !text.is_empty() {
            return (Class::OverflowError, text.into());
        }
    }
    let name = fixed_name(dtype);
    (Class::RuntimeError, format!("value cannot be converted to type {name} without overflow"))
}

/// The name a missing kernel goes by.
fn missing(op: &'static str, dtype: DType) -> &'static str {
    match op {
        "index_reduce(slices, mean)" | "scatter_reduce(mean of none)" if dtype == DType::Bool => "div_floor_cpu",
        "index_reduce(slices, mean)" | "index_add(slices, sum)" => "add_stub",
        "scatter_reduce(mean of none)" => "masked_fill",
        "index_reduce(slices, amax)" => "maximum_cpu",
        "index_reduce(slices, amin)" => "minimum_cpu",
        "take" => "take_cpu",
        "put_" => "take_put_cpu",
        "index_add" => "index_add_",
        "index_copy" => "index_copy_cpu",
        "index_fill" | "index_fill(subscript)" => "index_fill_cpu",
        "index_reduce" => "index_func_",
        "index_reduce(include_self=False)" => "index_reduce_func_exclude_input_init",
        "setitem" => "index_put",
        "nonzero" | "argwhere" => "nonzero_count_cpu",
        "scatter_reduce(include_self=False)" => "scatter_reduce_exclude_input_init",
        "scatter_reduce(mean)" => "scatter_gather_tensor_cpu_reduce_mean",
        "scatter_reduce(amax)" => "scatter_gather_tensor_cpu_reduce_amax",
        "scatter_reduce(amin)" => "scatter_gather_tensor_cpu_reduce_amin",
        "rand" => "check_uniform_bounds",
        "randn" => "normal_kernel_cpu",
        "lt" => "lt_cpu",
        "le" => "le_cpu",
        "gt" => "gt_cpu",
        "ge" => "ge_cpu",
        "logical_and" => "logical_and_cpu",
        "logical_or" => "logical_or_cpu",
        "logical_xor" => "logical_xor_cpu",
        "logical_not" => "logical_not_cpu",
        other => other,
    }
}

fn dtype(op: &'static str, rule: D, given: DType, wanted: Option<DType>) -> Option<(Class, String)> {
    let (name, other) = (torch_name(given), torch_name(wanted.unwrap_or(given)));
    let runtime = |text: String| Some((Class::RuntimeError, text));
    match (rule, op) {
        (D::Index, "index" | "getitem" | "setitem" | "index_put") => {
            Some((Class::IndexError, "tensors used as indices must be long, int, byte or bool tensors".into()))
        }
        (D::Index, "index_fill") => Some((Class::IndexError, "index_fill_(): Expected dtype int64 for index.".into())),
        (D::Index, "take" | "put_" | "index_copy") => {
            runtime(format!("{}(): Expected a long tensor for index, but got {name}", kernel(op)))
        }
        (D::Index, "take_along_dim") => {
            runtime(format!("torch.take_along_dim(): dtype of indices should be Long but got {name}"))
        }
        (D::Index, "index_select") => runtime("index_select(): Expected dtype int32 or int64 for index".into()),
        (D::Index, "index_add" | "index_reduce") => {
            runtime(format!("{}(): Expected dtype int32/int64 for index but got: {name}", kernel(op)))
        }
        (D::Index, _) => runtime(format!("{}(): Expected dtype int32/int64 for index", kernel(op))),
        (D::Mask, "masked_select") => runtime("masked_select: expected BoolTensor for mask".into()),
        (D::Mask, "masked_scatter") => {
            runtime(format!("masked_scatter_ only supports boolean masks, but got mask with dtype {name}"))
        }
        (D::Mask, _) => {
            runtime(format!("masked_fill_ only supports boolean masks, but got mask with dtype {}", c_name(given)))
        }
        (D::Condition, _) => {
            runtime(format!("where expected condition to be a boolean tensor, but got a tensor with dtype {name}"))
        }
        (D::Same, "index_put" | "setitem") => runtime(format!(
            "Index put requires the source and destination dtypes match, got {other} for the destination and {name} for \
             the source."
        )),
        (D::Same, "index_add" | "index_reduce") => {
            runtime(format!("{}(): self ({other}) and source ({name}) must have the same scalar type", kernel(op)))
        }
        (D::Same, "index_copy") => runtime(format!(
            "index_copy_(): self and source expected to have the same dtype, but got (self) {other} and (source) {name}"
        )),
        (D::Same, "put_") => runtime(format!(
            "put_(): self and source expected to have the same dtype, but got self.dtype = {other} and source.dtype = \
             {name}"
        )),
        (D::Same, "masked_scatter") => {
            runtime(format!("masked_scatter: expected self and source to have same dtypes but got{other} and {name}"))
        }
        (D::Same, "scatter" | "scatter_add" | "scatter_reduce") => {
            runtime("scatter(): Expected self.dtype to be equal to src.dtype".into())
        }
        (D::Same, _) => None,
        (D::Out, "take") => runtime(format!(
            "take(): self and out expected to have the same dtype, but got self.dtype = {other} and out.dtype = {name}"
        )),
        (D::Out, "index_select" | "masked_select") => {
            runtime(format!("{op}(): self and result must have the same scalar type"))
        }
        (D::Out, "nonzero" | "argwhere") => {
            runtime(format!("nonzero: Expected out tensor to have scalar type {other} but got scalar type{name}"))
        }
        (D::Out, "where") => runtime(format!("Expected out type to be {other} but got {name}")),
        (D::Out, _) => {
            let wanted = c_name(wanted.unwrap_or(given));
            runtime(format!("Expected out tensor to have dtype {wanted}, but got {} instead", c_name(given)))
        }
        (D::Unsupported | D::Unordered, _) => {
            Some((Class::NotImplementedError, format!("\"{}\" not implemented for '{name}'", missing(op, given))))
        }
        (D::Sorter, _) => None,
        (D::ComplexValue, _) => {
            runtime("index_fill_(): Converting complex Scalar to non-complex type is not supported".into())
        }
        (D::Promotion, _) => runtime(promotion(given, wanted.unwrap_or(given))),
    }
}
