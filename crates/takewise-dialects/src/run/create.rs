//! Making tensors from numbers, and reading numbers out of them.

use takewise::index::rules::Conversion;
use takewise::internal::number::scalar_bytes;
use takewise::op::Op;
use takewise::{DType, Scalar, Tensor};

use super::bytes::tensor_from_bytes;
use super::{Outcome, elements, item, raise, room, to_scalar};
use crate::error::{EvalError, Result};
use crate::face::Face;
use crate::sig::{Arguments, Call};
use crate::value::{Array, Value};

/// Nesting deeper than this is refused, as NumPy does.
const MAX_RANK: usize = 64;

/// Nested sequences of numbers, flattened.
struct Nested {
    shape: Vec<usize>,
    items: Vec<Scalar>,
    /// The dtype the leaves bring along when all of them are arrays of one.
    dtype: Option<DType>,
}

fn flatten(value: &Value, face: &Face, depth: usize) -> Result<Nested> {
    if depth > MAX_RANK {
        return Err(EvalError::value_error("sequences nest too deeply"));
    }
    if let Value::Array(a) = value {
        let items = elements(&a.tensor()).map_err(raise)?;
        let items = items.iter().map(|v| to_scalar(v).ok_or_else(|| not_a_number(v, face))).collect::<Result<_>>()?;
        return Ok(Nested { shape: a.shape().to_vec(), items, dtype: Some(a.dtype()) });
    }
    let Some(parts) = value.items() else {
        if let Value::Range(..) = value {
            return Err(EvalError::new("MemoryError", format!("there is no memory for {}", crate::print::repr(value))));
        }
        let item = to_scalar(value).ok_or_else(|| not_a_number(value, face))?;
        return Ok(Nested { shape: vec![], items: vec![item], dtype: None });
    };
    let mut out = Nested { shape: vec![parts.len()], items: Vec::new(), dtype: None };
    for (i, part) in parts.iter().enumerate() {
        let inner = flatten(part, face, depth + 1)?;
        if i == 0 {
            out.shape.extend(&inner.shape);
            out.dtype = inner.dtype;
        } else if out.shape[1..] != inner.shape[..] {
            return Err((face.refusals.ragged)(&out.shape[1..], &inner.shape, depth));
        }
        if out.dtype != inner.dtype {
            out.dtype = None;
        }
        out.items.extend(inner.items);
    }
    Ok(out)
}

fn not_a_number(value: &Value, face: &Face) -> EvalError {
    match value {
        Value::Str(_) => (face.refusals.text_as_number)(value),
        Value::None => (face.refusals.none_as_number)(),
        other => EvalError::type_error(format!("a {} is not a number", other.type_name())),
    }
}

/// Whether it is an integer that only an unsigned dtype holds.
fn beyond(number: &Scalar) -> bool {
    matches!(number, Scalar::Int(v) if i64::try_from(*v).is_err() && u64::try_from(*v).is_ok())
}

/// The dtype a library gives numbers that bring none along.
pub(crate) fn infer(items: &[Scalar], face: &Face) -> DType {
    let rank = |s: &Scalar| match s {
        Scalar::Bool(_) => 0,
        Scalar::Int(_) => 1,
        Scalar::Float(_) => 2,
        Scalar::Complex(..) => 3,
    };
    let unsigned = face.facts.creation.large_are_unsigned;
    match items.iter().map(rank).max() {
        None | Some(2) => face.float,
        Some(0) => DType::Bool,
        // Each number has a dtype by itself, and int64 and uint64 meet in doubles.
        Some(1) if unsigned && items.iter().all(beyond) => DType::U64,
        Some(1) if unsigned && items.iter().any(beyond) => DType::F64,
        Some(1) => face.int,
        Some(_) => face.complex,
    }
}

/// Numbers given to a constructor become infinite where a float dtype cannot hold them.
fn lenient(dtype: DType, face: &Face) -> Conversion {
    if dtype.is_float() { Conversion::Wrap } else { face.conversion }
}

fn build(nested: &Nested, dtype: DType, face: &Face) -> Result<Tensor> {
    let size = dtype.size();
    let mut bytes = Vec::new();
    let room = nested.items.len().checked_mul(size).is_some_and(|n| bytes.try_reserve_exact(n).is_ok());
    if !room {
        return Err(EvalError::new("MemoryError", "there is no memory for the numbers of these lists"));
    }
    for item in &nested.items {
        if let Scalar::Int(i) = item
            && let Some(refused) = (face.refusals.item)(*i, dtype)
        {
            return Err(refused);
        }
        let element = scalar_bytes(Op::Named(&"tensor"), *item, dtype, lenient(dtype, face), face.words);
        // For the items of a list torch names the dtype rather than the C type.
        let element = element.map_err(|e| {
            let error = raise(e);
            if nested.shape.is_empty() {
                return error;
            }
            EvalError::new(error.class(), error.text().replacen("_t without overflow", " without overflow", 1))
        })?;
        bytes.extend_from_slice(&element[..size]);
    }
    tensor_from_bytes(&bytes, &nested.shape, dtype).map_err(raise)
}

/// A fresh tensor holding a number, nested sequences of numbers, or a copy of an array.
///
/// # Errors
/// Ragged sequences, things that are not numbers, numbers the dtype cannot hold.
pub(crate) fn from_value(value: &Value, dtype: Option<DType>, face: &Face) -> Result<Tensor> {
    if let Value::Array(a) = value {
        let tensor = a.tensor();
        return match dtype {
            Some(dtype) if dtype != a.dtype() => super::cast::convert(&tensor, dtype, face),
            _ => tensor.clone_data().map_err(raise),
        };
    }
    let nested = flatten(value, face, 0)?;
    let natural = nested.dtype.unwrap_or_else(|| infer(&nested.items, face));
    let dtype = dtype.unwrap_or(natural);
    if nested.dtype.is_some_and(|d| d != dtype) {
        let whole = build(&nested, natural, face)?;
        return super::cast::convert(&whole, dtype, face);
    }
    build(&nested, dtype, face)
}

/// Values for an array of `dst`: integers are checked against an integer dtype one by one, the rest is
/// converted as an array.
///
/// # Errors
/// As [`from_value`].
pub(crate) fn values_for(value: &Value, dst: DType, face: &Face) -> Result<Tensor> {
    let nested = flatten(value, face, 0)?;
    let integers = nested.dtype.is_none() && nested.items.iter().all(|s| matches!(s, Scalar::Int(_)));
    from_value(value, (integers && dst.is_integer()).then_some(dst), face)
}

/// An array argument that may be given as a list or number.
pub(crate) fn array_like(value: &Value, face: &'static Face) -> Result<Array> {
    match value {
        Value::Array(a) => Ok(a.clone()),
        Value::Str(_) => Err((face.refusals.text_as_array)(value)),
        other => Ok(Array::new(from_value(other, None, face)?, face)),
    }
}

/// `torch.tensor`, `np.array`.
pub(crate) fn tensor(call: &Call) -> Outcome {
    let data = match call.get("data").unwrap_or(Value::None) {
        Value::Array(a) => Value::Array(Array::new(a.tensor().detach(), a.face).as_scalar(a.scalar)),
        plain => plain,
    };
    super::grad::marked(call, call.wrap(from_value(&data, call.dtype("dtype")?, call.face)?))
}

/// `torch.as_tensor`, `np.asarray`: the same data where that is possible.
pub(crate) fn as_tensor(call: &Call) -> Outcome {
    let data = call.get("data").unwrap_or(Value::None);
    let dtype = call.dtype("dtype")?;
    match &data {
        Value::Array(a) if dtype.is_none_or(|d| d == a.dtype()) => Ok(call.wrap(a.tensor())),
        other => Ok(call.wrap(from_value(other, dtype, call.face)?)),
    }
}

/// `torch.from_numpy`: shares memory.
pub(crate) fn from_numpy(call: &Call) -> Outcome {
    let foreign = |a: &Array| !a.face.facts.tensors || call.face.facts.operands.own_from_numpy;
    match call.get("ndarray") {
        Some(Value::Array(a)) if foreign(&a) && !a.scalar => Ok(call.wrap(a.tensor())),
        other => Err(EvalError::type_error(format!(
            "expected np.ndarray (got {})",
            other.as_ref().map_or("NoneType", Value::type_name)
        ))),
    }
}

/// A tensor of `shape` filled with a number.
pub(crate) fn filled(shape: &[usize], value: Scalar, dtype: DType, face: &Face) -> Result<Tensor> {
    filled_by(shape, value, dtype, face, face.conversion)
}

fn filled_by(shape: &[usize], value: Scalar, dtype: DType, face: &Face, how: Conversion) -> Result<Tensor> {
    if dtype.is_foreign() {
        return Tensor::full(shape, value, dtype).map_err(|error| raise(error.in_words(face.words)));
    }
    let tensor = Tensor::zeroed(shape, dtype).map_err(raise)?;
    let element = scalar_bytes(Op::Named(&"fill_"), value, dtype, how, face.words).map_err(raise)?;
    if element[..dtype.size()].iter().any(|b| *b != 0) && tensor.numel() > 0 {
        let one = tensor_from_bytes(&element[..dtype.size()], &[], dtype).map_err(raise)?;
        let one = one.broadcast_to(shape).map_err(raise)?;
        super::copy_into(Op::Named(&"fill_"), &tensor, &one, face.words)?;
    }
    Ok(tensor)
}

fn of_shape(call: &Call, shape: &[usize], value: Scalar, natural: DType) -> Outcome {
    let dtype = call.dtype("dtype")?.unwrap_or(natural);
    if matches!(value, Scalar::Complex(..)) && dtype.is_float() {
        // torch takes the number through a double first.
        let double = if dtype == DType::F32 { dtype } else { DType::F64 };
        scalar_bytes(Op::Full, value, double, call.face.conversion, call.face.words).map_err(raise)?;
    }
    let fresh = filled_by(shape, value, dtype, call.face, lenient(dtype, call.face))?;
    super::grad::marked(call, super::into_out(call, Op::Out, fresh)?)
}

/// Zeros. Of a dtype without numbers that is what all bytes zero mean: text is empty, and not "0".
fn zeros_of(call: &Call, shape: &[usize], natural: DType) -> Outcome {
    let dtype = call.dtype("dtype")?.unwrap_or(natural);
    if !dtype.is_foreign() {
        return of_shape(call, shape, Scalar::Int(0), natural);
    }
    let fresh = Tensor::zeroed(shape, dtype).map_err(raise)?;
    super::grad::marked(call, super::into_out(call, Op::Out, fresh)?)
}

/// `zeros(size)`.
pub(crate) fn zeros(call: &Call) -> Outcome {
    zeros_of(call, &call.shape("size")?, call.face.float)
}

/// `ones(size)`.
pub(crate) fn ones(call: &Call) -> Outcome {
    of_shape(call, &call.shape("size")?, Scalar::Int(1), call.face.float)
}

/// `full(size, fill_value)`.
pub(crate) fn full(call: &Call) -> Outcome {
    if let (Some(Value::Array(model)), false) = (call.get("fill_value"), !call.face.facts.operands.array_likes) {
        // An array is stretched, and has a dtype.
        let filling = super::cast::convert(&model.tensor(), call.dtype("dtype")?.unwrap_or(model.dtype()), call.face)?;
        let filled = filling.broadcast_to(&call.shape("size")?).and_then(|wide| wide.contiguous());
        return filled.map(|filled| call.wrap(filled)).map_err(raise);
    }
    let value = call.number("fill_value")?;
    of_shape(call, &call.shape("size")?, value, infer(&[value], call.face))
}

fn like(call: &Call, value: Scalar) -> Outcome {
    let model = call.array("input")?;
    super::grad::marked(call, of_shape(call, &model.shape(), value, model.dtype())?)
}

/// `zeros_like(input)`.
pub(crate) fn zeros_like(call: &Call) -> Outcome {
    let model = call.array("input")?;
    super::grad::marked(call, zeros_of(call, &model.shape(), model.dtype())?)
}

/// `ones_like(input)`.
pub(crate) fn ones_like(call: &Call) -> Outcome {
    like(call, Scalar::Int(1))
}

/// `full_like(input, fill_value)`.
pub(crate) fn full_like(call: &Call) -> Outcome {
    like(call, call.number("fill_value")?)
}

/// `x.new_zeros(size)`.
pub(crate) fn new_zeros(call: &Call) -> Outcome {
    zeros_of(call, &call.shape("size")?, call.array("input")?.dtype())
}

/// `x.new_ones(size)`.
pub(crate) fn new_ones(call: &Call) -> Outcome {
    of_shape(call, &call.shape("size")?, Scalar::Int(1), call.array("input")?.dtype())
}

/// `x.new_tensor(data)`.
pub(crate) fn new_tensor(call: &Call) -> Outcome {
    let dtype = call.dtype("dtype")?.unwrap_or(call.array("input")?.dtype());
    Ok(call.wrap(from_value(&call.get("data").unwrap_or(Value::None), Some(dtype), call.face)?))
}

/// `eye(n, m)`.
pub(crate) fn eye(call: &Call) -> Outcome {
    let side = |v: i64| {
        usize::try_from(v).map_err(|_| EvalError::runtime_error(format!("n must be greater or equal to 0, got {v}")))
    };
    let n = side(call.int("n")?)?;
    let m = call.maybe_int("m")?.map_or(Ok(n), side)?;
    let dtype = call.dtype("dtype")?.unwrap_or(call.face.float);
    let tensor = filled(&[n, m], Scalar::Int(0), DType::I64, call.face)?;
    {
        let mut open = tensor.write::<i64>().map_err(raise)?;
        for i in 0..n.min(m) {
            open.set(&[i, i], 1);
        }
    }
    if dtype.is_foreign() {
        let eye = Tensor::zeroed(&[n, m], dtype).map_err(raise)?;
        let along = eye.diagonal(0, 0, 1).map_err(raise)?;
        let ones = filled(along.shape(), Scalar::Int(1), dtype, call.face)?;
        super::copy_into(Op::Named(&"eye"), &along, &ones, call.face.words)?;
        return Ok(call.wrap(eye));
    }
    Ok(call.wrap(super::cast::convert(&tensor, dtype, call.face)?))
}

/// `torch.Size(sequence)`.
pub(crate) fn size(call: &Call) -> Outcome {
    let items = call.get("sizes").and_then(|v| v.items()).unwrap_or_default();
    let dims = items
        .iter()
        .map(|v| usize::try_from(super::to_i64(v)?).map_err(|_| EvalError::value_error("a size is negative")));
    Ok(Value::Size(dims.collect::<Result<Vec<_>>>()?.into()))
}

/// Constructors named after a dtype: `torch.LongTensor([1, 2])`.
macro_rules! typed {
    ($($name:ident => $dtype:ident),*) => {
        $(
            #[doc = concat!("The constructor of ", stringify!($dtype), " tensors.")]
            pub(crate) fn $name(call: &Call) -> Outcome {
                typed_tensor(call, DType::$dtype)
            }
        )*
    };
}
typed!(
    bool_tensor => Bool, byte_tensor => U8, char_tensor => I8, short_tensor => I16, int_tensor => I32,
    long_tensor => I64, half_tensor => F16, bfloat16_tensor => BF16, float_tensor => F32, double_tensor => F64
);

fn typed_tensor(call: &Call, dtype: DType) -> Outcome {
    let tensor = match call.get("data") {
        None => Tensor::zeroed(&[0], dtype).map_err(raise)?,
        Some(Value::Int(n)) => {
            let n = usize::try_from(n).map_err(|_| {
                EvalError::runtime_error(format!("Trying to create tensor with negative dimension {n}: [{n}]"))
            })?;
            Tensor::zeroed(&[n], dtype).map_err(raise)?
        }
        Some(Value::Size(dims)) => Tensor::zeroed(&dims, dtype).map_err(raise)?,
        Some(data) => from_value(&data, Some(dtype), call.face)?,
    };
    Ok(call.wrap(tensor))
}

/// `np.float32(3)`, `np.int64([1, 2])`: a dtype called as a function.
pub(crate) fn from_dtype_call(dtype: DType, face: &'static Face, arguments: &Arguments) -> Outcome {
    if !face.facts.numpy_dtypes {
        return Err(EvalError::type_error(format!("'{}' object is not callable", face.dtype_type)));
    }
    let value = arguments.positional.first().cloned().unwrap_or(Value::Int(0));
    let tensor = from_value(&value, Some(dtype), face)?;
    let scalar = tensor.shape().is_empty();
    let array = Array::new(tensor, face);
    Ok(Value::Array(array.as_scalar(scalar)))
}

/// `x.item()`.
pub(crate) fn item_method(call: &Call) -> Outcome {
    item(&call.array("input")?)
}

/// `x.tolist()`.
pub(crate) fn tolist_method(call: &Call) -> Outcome {
    let tensor = call.tensor("input")?;
    if tensor.rank() > DEEPEST {
        let text = format!("tolist(): {} axes are lists nested deeper than {DEEPEST} levels", tensor.rank());
        return Err(EvalError::new("RecursionError", text));
    }
    let mut items = elements(&tensor).map_err(raise)?;
    // From the innermost lists outwards.
    for (k, &n) in tensor.shape().iter().enumerate().rev() {
        let count = tensor.shape()[..k].iter().fold(1, |count: usize, &n| count.saturating_mul(n));
        let mut lists = room(Op::Named(&"tolist"), count, LIST).map_err(raise)?;
        let mut flat = items.into_iter();
        for _ in 0..count {
            let mut list = room(Op::Named(&"tolist"), n, 0).map_err(raise)?;
            list.extend(flat.by_ref().take(n));
            lists.push(Value::list(list));
        }
        items = lists;
    }
    Ok(items.pop().unwrap_or(Value::None))
}

/// Lists nested deeper than this nobody can print, compare or copy: Python gives up at as many calls.
const DEEPEST: usize = 1000;

/// What a list takes beside its items and the value that is it, the allocator's part included.
const LIST: usize = 96;
