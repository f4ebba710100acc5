//! torch's wording (texts as PyTorch 2.15 gives them).

use super::nodes::{full_node_name, node_name};
use super::phrase::{Phrase, c_name, fixed_name, promotion, torch_class, torch_name};
use super::search;
use super::torch_shape::{argument, shape};
use takewise::dtype::{DType, Scalar};
use takewise::error::{Class, DTypeRule as D, Fault, GradientRule as G, OutOfRange, list};
use takewise::op::{AddWay, Op, ReduceWay, ScatterWay};

const INTERNAL: &str = "unsupported operation: more than one element of the written-to tensor refers to a single \
                        memory location. Please clone() the tensor before performing the operation.";
const OVERLAP: &str = "unsupported operation: some elements of the input tensor and the written-to tensor refer to a \
                       single memory location. Please clone() the tensor before performing the operation.";

/// Class and text as torch gives them.
pub fn torch(fault: &Fault) -> Phrase {
    if let Some(words) = search::torch(fault) {
        return Some(words);
    }
    Some(match fault {
        Fault::OutOfRange(o) => out_of_range(o),
        Fault::IntOutOfRange(o) if matches!(o.op, Op::Select | Op::SelectScatter) => {
            let shape = list(&o.shape);
            let text =
                format!("select(): index {} out of range for tensor of size {shape} at dimension {}", o.value, o.axis);
            (Class::IndexError, text)
        }
        // torch counts the entries of the subscript here, not the axes.
        Fault::IntOutOfRange(o) => (Class::IndexError, bounds(o, o.ordinal)),
        Fault::Dim { op: Op::TakeAlongDim { flat: false }, dim, rank: 0 } => {
            (Class::IndexError, format!("Dimension specified as {dim} but tensor has no dimensions"))
        }
        Fault::Dim { dim, rank, .. } => {
            let r = (*rank).max(1) as i64;
            let text =
                format!("Dimension out of range (expected to be in range of [{}, {}], but got {dim})", -r, r - 1);
            (Class::IndexError, text)
        }
        Fault::Shape { op, rule, dim, shapes, dtype } => shape(*op, *rule, *dim, shapes, *dtype)?,
        Fault::DType { op, rule, given, wanted } => dtype(*op, *rule, *given, *wanted)?,
        Fault::Argument { op, rule, numbers, text } => argument(*op, *rule, numbers, text)?,
        Fault::Gradient { rule, .. } => (Class::RuntimeError, gradient(rule)?),
        Fault::Scalar { op, value, dtype } => scalar(*op, *value, *dtype),
        Fault::Overlap { internal: true, .. } => (Class::RuntimeError, INTERNAL.into()),
        Fault::Overlap { internal: false, .. } => (Class::RuntimeError, OVERLAP.into()),
        Fault::Memory { bytes: Some(n), .. } => (
            Class::RuntimeError,
            format!("DefaultCPUAllocator: can't allocate memory: you tried to allocate {n} bytes."),
        ),
        Fault::Memory { bytes: None, .. } => (Class::RuntimeError, "Storage size calculation overflowed".into()),
        _ => return None,
    })
}

/// The name torch's messages give the in-place kernel of an operation.
pub(super) fn kernel(op: Op) -> &'static str {
    match op {
        Op::IndexAdd(AddWay::Plain | AddWay::Scattered) => "index_add_",
        Op::IndexCopy => "index_copy_",
        Op::IndexFill { subscript: false } => "index_fill_",
        Op::IndexReduce(ReduceWay::Plain | ReduceWay::Excluding) => "index_reduce_",
        Op::TakeAlongDim { flat: true } => "gather",
        Op::ScatterAdd | Op::ScatterReduce(ScatterWay::Plain) => "scatter",
        other => other.name(),
    }
}

fn bounds(o: &OutOfRange, dim: usize) -> String {
    format!("index {} is out of bounds for dimension {dim} with size {}", o.value, o.len)
}

fn out_of_range(o: &OutOfRange) -> (Class, String) {
    let plain = || "index out of range in self".to_owned();
    let empty = o.shape.iter().enumerate().any(|(d, n)| d != o.axis && *n == 0);
    match o.op {
        Op::Take | Op::PutInPlace if o.len == 0 => (Class::IndexError, nothing_in(o.op).into()),
        Op::Take | Op::PutInPlace => (
            Class::IndexError,
            format!("out of range: tried to access index {} on a tensor of {} elements.", o.value, o.len),
        ),
        Op::IndexSelect if o.axis == 1 || empty => {
            (Class::RuntimeError, format!("INDICES element is out of DATA bounds, id={} axis_dim={}", o.value, o.len))
        }
        Op::IndexAdd(AddWay::Scattered) => (Class::RuntimeError, bounds(o, o.axis)),
        Op::IndexSelect | Op::IndexAdd(AddWay::Plain) | Op::IndexReduce(ReduceWay::Plain) | Op::Embedding => {
            (Class::IndexError, plain())
        }
        Op::IndexCopy => (Class::IndexError, format!("index_copy_(): {}", bounds(o, o.axis))),
        // The addressed slices are first filled with the identity.
        Op::IndexReduce(ReduceWay::Excluding) if empty || (o.value < 0 && o.value >= -(o.len as i128)) => {
            (Class::IndexError, plain())
        }
        Op::IndexFill { subscript: true } => (Class::IndexError, bounds(o, o.ordinal)),
        Op::IndexFill { subscript: false } | Op::IndexReduce(ReduceWay::Excluding) => {
            (Class::IndexError, bounds(o, o.axis))
        }
        Op::TakeAlongDim { flat: false } if o.len == 0 => (Class::RuntimeError, "ZeroDivisionError".into()),
        Op::Index | Op::SetItem | Op::IndexPut if o.len == 0 => {
            (Class::IndexError, "index is out of bounds for dimension with size 0".into())
        }
        Op::Index | Op::SetItem | Op::IndexPut => (Class::IndexError, bounds(o, o.ordinal)),
        _ => (Class::RuntimeError, bounds(o, o.axis)),
    }
}

/// What `take` and `put` say of an empty tensor.
pub(super) fn nothing_in(op: Op) -> &'static str {
    match op {
        Op::Take => "take(): tried to take from an empty tensor",
        _ => "put_(): Tried to put elements into an empty tensor",
    }
}

fn scalar(op: Op, value: Scalar, dtype: DType) -> (Class, String) {
    if let Scalar::Int(v) = value {
        let text = if v < i64::MIN as i128 || (op == Op::SetItem && dtype == DType::U64 && v < 0) {
            "can't convert negative int to unsigned"
        } else if v > u64::MAX as i128 {
            "int too big to convert"
        } else {
            ""
        };
        let unpacked = op == Op::SetItem && dtype != DType::U64;
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

/// What the tape says.
fn gradient(rule: &G) -> Option<String> {
    Some(match rule {
        G::Changed { dtype, shape, from, version, expected } => {
            let from = from.map_or(String::new(), |n| format!(", which is output 0 of {},", full_node_name(n)));
            format!(
                "one of the variables needed for gradient computation has been modified by an inplace operation: [{} \
                 {}]{from} is at version {version}; expected version {expected} instead. Hint: enable anomaly detection \
                 to find the operation that failed to compute its gradient, with \
                 torch.autograd.set_detect_anomaly(True, check_nan=False).",
                torch_class(*dtype),
                list(shape),
            )
        }
        G::QuietView { of } => {
            let what = match of {
                None => "A view was".to_owned(),
                Some(node) => format!(
                    "Output 0 of {} is a view of a view which was",
                    node_name(*node).trim_end_matches("Backward0")
                ),
            };
            format!(
                "{what} created in no_grad mode and is being modified inplace with grad mode enabled. Given that this use \
                 case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view \
                 and the inplace either both inside the no_grad block (if you don't want the inplace to be tracked) or \
                 both outside (if you want the inplace to be tracked)."
            )
        }
        G::Shape { output: k, given, wanted } => format!(
            "Mismatch in shape: grad_output[{k}] has a shape of torch.Size({}) and output[{k}] has a shape of \
             torch.Size({}).",
            list(given),
            list(wanted)
        ),
        _ => return None,
    })
}

/// The name a missing kernel goes by.
fn missing(op: Op, dtype: DType) -> &'static str {
    match op {
        Op::IndexReduce(ReduceWay::SlicesMean) | Op::ScatterReduce(ScatterWay::MeanOfNone) if dtype == DType::Bool => {
            "div_floor_cpu"
        }
        Op::IndexReduce(ReduceWay::SlicesMean) | Op::IndexAdd(AddWay::Slices) => "add_stub",
        Op::ScatterReduce(ScatterWay::MeanOfNone) => "masked_fill",
        Op::IndexReduce(ReduceWay::SlicesMax) => "maximum_cpu",
        Op::IndexReduce(ReduceWay::SlicesMin) => "minimum_cpu",
        Op::Take => "take_cpu",
        Op::PutInPlace => "take_put_cpu",
        Op::IndexAdd(AddWay::Plain) => "index_add_",
        Op::IndexCopy => "index_copy_cpu",
        Op::IndexFill { .. } => "index_fill_cpu",
        Op::IndexReduce(ReduceWay::Plain) => "index_func_",
        Op::IndexReduce(ReduceWay::Excluding) => "index_reduce_func_exclude_input_init",
        Op::SetItem => "index_put",
        Op::Nonzero | Op::ArgWhere => "nonzero_count_cpu",
        Op::ScatterReduce(ScatterWay::Excluding) => "scatter_reduce_exclude_input_init",
        Op::ScatterReduce(ScatterWay::Mean) => "scatter_gather_tensor_cpu_reduce_mean",
        Op::ScatterReduce(ScatterWay::Max) => "scatter_gather_tensor_cpu_reduce_amax",
        Op::ScatterReduce(ScatterWay::Min) => "scatter_gather_tensor_cpu_reduce_amin",
        Op::Rand => "check_uniform_bounds",
        Op::Randn => "normal_kernel_cpu",
        Op::Lt => "lt_cpu",
        Op::Le => "le_cpu",
        Op::Gt => "gt_cpu",
        Op::Ge => "ge_cpu",
        Op::LogicalAnd => "logical_and_cpu",
        Op::LogicalOr => "logical_or_cpu",
        Op::LogicalXor => "logical_xor_cpu",
        Op::LogicalNot => "logical_not_cpu",
        other => other.name(),
    }
}

fn dtype(op: Op, rule: D, given: DType, wanted: Option<DType>) -> Phrase {
    let (name, other) = (torch_name(given), torch_name(wanted.unwrap_or(given)));
    let runtime = |text: String| Some((Class::RuntimeError, text));
    match (rule, op) {
        (D::Index, Op::Index | Op::SetItem | Op::IndexPut) => {
            Some((Class::IndexError, "tensors used as indices must be long, int, byte or bool tensors".into()))
        }
        (D::Index, Op::IndexFill { subscript: false }) => {
            Some((Class::IndexError, "index_fill_(): Expected dtype int64 for index.".into()))
        }
        (D::Index, Op::Take | Op::PutInPlace | Op::IndexCopy) => {
            runtime(format!("{}(): Expected a long tensor for index, but got {name}", kernel(op)))
        }
        (D::Index, Op::TakeAlongDim { flat: false }) => {
            runtime(format!("torch.take_along_dim(): dtype of indices should be Long but got {name}"))
        }
        (D::Index, Op::IndexSelect) => runtime("index_select(): Expected dtype int32 or int64 for index".into()),
        (D::Index, Op::IndexAdd(AddWay::Plain) | Op::IndexReduce(ReduceWay::Plain)) => {
            runtime(format!("{}(): Expected dtype int32/int64 for index but got: {name}", kernel(op)))
        }
        (D::Index, _) => runtime(format!("{}(): Expected dtype int32/int64 for index", kernel(op))),
        (D::Mask, Op::MaskedSelect) => runtime("masked_select: expected BoolTensor for mask".into()),
        (D::Mask, Op::MaskedScatter) => {
            runtime(format!("masked_scatter_ only supports boolean masks, but got mask with dtype {name}"))
        }
        (D::Mask, _) => {
            runtime(format!("masked_fill_ only supports boolean masks, but got mask with dtype {}", c_name(given)))
        }
        (D::Condition, _) => {
            runtime(format!("where expected condition to be a boolean tensor, but got a tensor with dtype {name}"))
        }
        (D::Same, Op::IndexPut | Op::SetItem) => runtime(format!(
            "Index put requires the source and destination dtypes match, got {other} for the destination and {name} for \
             the source."
        )),
        (D::Same, Op::IndexAdd(AddWay::Plain) | Op::IndexReduce(ReduceWay::Plain)) => {
            runtime(format!("{}(): self ({other}) and source ({name}) must have the same scalar type", kernel(op)))
        }
        (D::Same, Op::IndexCopy) => runtime(format!(
            "index_copy_(): self and source expected to have the same dtype, but got (self) {other} and (source) {name}"
        )),
        (D::Same, Op::PutInPlace) => runtime(format!(
            "put_(): self and source expected to have the same dtype, but got self.dtype = {other} and source.dtype = \
             {name}"
        )),
        (D::Same, Op::MaskedScatter) => {
            runtime(format!("masked_scatter: expected self and source to have same dtypes but got{other} and {name}"))
        }
        (D::Same, Op::Scatter | Op::ScatterAdd | Op::ScatterReduce(ScatterWay::Plain)) => {
            runtime("scatter(): Expected self.dtype to be equal to src.dtype".into())
        }
        (D::Same, _) => None,
        (D::Out, Op::Take) => runtime(format!(
            "take(): self and out expected to have the same dtype, but got self.dtype = {other} and out.dtype = {name}"
        )),
        (D::Out, Op::IndexSelect | Op::MaskedSelect) => {
            runtime(format!("{op}(): self and result must have the same scalar type"))
        }
        (D::Out, Op::Nonzero | Op::ArgWhere) => {
            runtime(format!("nonzero: Expected out tensor to have scalar type {other} but got scalar type{name}"))
        }
        (D::Out, Op::Where) => runtime(format!("Expected out type to be {other} but got {name}")),
        (D::Out, _) => {
            let wanted = c_name(wanted.unwrap_or(given));
            runtime(format!("Expected out tensor to have dtype {wanted}, but got {} instead", c_name(given)))
        }
        (D::Unsupported | D::Unordered, _) => {
            Some((Class::NotImplementedError, format!("\"{}\" not implemented for '{name}'", missing(op, given))))
        }
        (D::ComplexValue, _) => {
            runtime("index_fill_(): Converting complex Scalar to non-complex type is not supported".into())
        }
        (D::Promotion, _) => runtime(promotion(given, wanted.unwrap_or(given))),
        _ => None,
    }
}
