//! Subscripts: from the Python objects between the brackets to the engine's index list.
//!
//! What a list, a float, a range or another library's array means there differs from library to library;
//! each library's answers are a [`SubscriptPolicy`] (SEMANTICS.md, Subscript kinds). What the resulting index
//! list does is the engine's affair.

use takewise::op::Op;
use takewise::ops::Source;
use takewise::{DType, Index, OwnedIndex as Item, Scalar, Slice, Tensor};

use super::{Outcome, raise, room, to_scalar};
use crate::error::{EvalError, Result};
use crate::face::Face;
use crate::policy::{Assignable, BareList, Floats};
use crate::value::{Array, Value};

/// The index list a key stands for.
///
/// # Errors
/// As the library refuses the object.
pub fn items(face: &'static Face, key: &Value) -> Result<Vec<Item>> {
    let policy = face.subscripts;
    let nested = |items: &[Value], also: fn(&Value) -> bool| items.iter().any(|v| v.items().is_some() || also(v));
    let torch_tuple = |v: &Value| {
        matches!(v, Value::Slice(_) | Value::None | Value::Ellipsis) || matches!(v, Value::Array(a) if !a.scalar)
    };
    let whole = |key: &Value| Ok(vec![item(face, key)?]);
    match key {
        Value::Tuple(_) | Value::Record(..) | Value::Size(_) => {
            let parts = key.items().unwrap_or_default();
            let made = parts.iter().map(|v| item(face, v)).collect();
            match &made {
                Err(_) if policy.slices_last => {
                    let other = parts.iter().filter(|v| !matches!(v, Value::Slice(_)));
                    other.map(|v| item(face, v)).find_map(Result::err).map_or(made, Err)
                }
                _ => made,
            }
        }
        Value::List(list) => {
            let parts = list.borrow().clone();
            let spread = match policy.bare_list {
                BareList::TupleIfNested(limit) => parts.len() < limit && nested(&parts, torch_tuple),
                BareList::Array => false,
                BareList::TupleIfLists(refuse) if parts.is_empty() => return Err(refuse(key)),
                BareList::TupleIfLists(_) => nested(&parts, |_| false),
                BareList::Refused(refuse) => return Err(refuse(key)),
            };
            if spread { parts.iter().map(|v| item(face, v)).collect() } else { whole(key) }
        }
        _ => whole(key),
    }
}

fn item(face: &'static Face, value: &Value) -> Result<Item> {
    let policy = face.subscripts;
    Ok(match value {
        Value::Int(i) => Item::Int(i64::try_from(*i).map_err(|_| (policy.too_large)(*i))?),
        Value::Bool(b) => Item::Bool(*b),
        Value::None => Item::NewAxis,
        Value::Ellipsis => Item::Ellipsis,
        Value::Slice(parts) => Item::Range(slice(parts)?),
        Value::Str(_) => return Err((policy.string)(value)),
        Value::Array(array) => return array_item(face, array),
        sequence => match sequence.items() {
            Some(_) => Item::Tensor(list(face, sequence)?),
            None => return Err((policy.no_index)(value)),
        },
    })
}

fn array_item(face: &'static Face, array: &Array) -> Result<Item> {
    let policy = face.subscripts;
    let (dtype, tensor) = (array.dtype(), array.tensor());
    let own = array.face.facts.tensors == face.facts.tensors;
    if array.scalar {
        let value = Value::Array(array.clone());
        return match to_scalar(&value) {
            Some(Scalar::Int(i)) => {
                i64::try_from(i).map(Item::Int).map_err(|_| EvalError::value_error("Overflow when unpacking long long"))
            }
            Some(Scalar::Bool(b)) if policy.numpy_bools => Ok(Item::Bool(b)),
            _ => Err((policy.no_index)(&value)),
        };
    }
    if let (Some(refuse), false) = (policy.foreign, own) {
        return Err(refuse(&Value::Array(array.clone())));
    }
    let converts = dtype.is_float() || (dtype.is_integer() && !matches!(dtype, DType::U8 | DType::I32));
    if converts && !own && policy.truncates_arrays {
        return Ok(Item::Tensor(super::cast::convert(&tensor, DType::I64, face)?));
    }
    if dtype.is_float() || dtype.is_complex() {
        return Err((policy.no_index_array)(array));
    }
    if !own && policy.truncates_arrays && tensor.layout().strides().iter().any(|s| *s < 0) {
        return Err(EvalError::value_error(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently supported. (You can probably work around this by making a copy of your array  with array.copy().) ",
        ));
    }
    Ok(Item::Tensor(tensor))
}

/// A sequence as one index array: a mask if every leaf is a bool, else integers.
fn list(face: &'static Face, value: &Value) -> Result<Tensor> {
    let mut leaves = Leaves { bools: true, any: false };
    leaves.visit(face, value)?;
    let dtype = if leaves.any && leaves.bools { DType::Bool } else { DType::I64 };
    super::create::from_value(value, Some(dtype), face)
}

struct Leaves {
    bools: bool,
    any: bool,
}

impl Leaves {
    fn visit(&mut self, face: &'static Face, value: &Value) -> Result<()> {
        let policy = face.subscripts;
        if let Some(items) = value.items() {
            return items.iter().try_for_each(|v| self.visit(face, v));
        }
        self.any = true;
        match value {
            Value::Bool(_) => {}
            Value::Int(_) => self.bools = false,
            Value::Array(a) if a.dtype() == DType::Bool => {}
            Value::Array(a) if a.dtype().is_integer() => self.bools = false,
            Value::Float(_) | Value::Array(_) => match policy.floats {
                Floats::Truncate => self.bools = false,
                Floats::Refused(refuse) => return Err(refuse(value)),
            },
            Value::Str(_) => return Err((policy.string)(value)),
            Value::Complex(..) => return Err((policy.complex)(value)),
            other => return Err((policy.no_index)(other)),
        }
        Ok(())
    }
}

/// Python's slice, its bounds clamped to 64 bits.
fn slice(parts: &[Value; 3]) -> Result<Slice> {
    let bound = |v: &Value| -> Result<Option<i64>> {
        let clamp = |i: i128| Some(i.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64);
        match v {
            Value::None => Ok(None),
            Value::Int(i) => Ok(clamp(*i)),
            Value::Bool(b) => Ok(Some(i64::from(*b))),
            Value::Array(a) => {
                if let Some(text) = (a.face.refusals.bound)(a) {
                    return Err(EvalError::type_error(text));
                }
                let value = super::item(a)?;
                Ok(value.as_int().and_then(clamp))
            }
            _ => Err(EvalError::type_error("slice indices must be integers or None or have an __index__ method")),
        }
    };
    Ok(Slice { start: bound(&parts[0])?, stop: bound(&parts[1])?, step: bound(&parts[2])? })
}

/// Refuses what the library's tables have no room for. A list of fewer entries than any limit passes at once.
pub(crate) fn within_limits(face: &Face, list: &[Item], rank: usize) -> Result<()> {
    let Some(limits) = &face.subscripts.limits else { return Ok(()) };
    if list.len() + rank < limits.axes {
        return Ok(());
    }
    // Axes named and made by the entries, those of the index arrays, and how many of these there are.
    let (mut named, mut made, mut arrays) = (0, 0, 0);
    let mut joint: Option<usize> = None;
    for item in list {
        let (own, count, axes, parts) = match item {
            Item::Int(_) => (1, 0, None, 0),
            Item::Range(_) => (1, 1, None, 0),
            Item::NewAxis => (0, 1, None, 0),
            Item::Ellipsis => (0, 0, None, 0),
            Item::Bool(_) => (0, 0, Some(1), 1),
            Item::Tensor(t) if t.dtype() == DType::Bool => (t.rank(), 0, Some(1), t.rank().max(1)),
            Item::Tensor(t) => (1, 0, Some(t.rank()), t.rank().min(1)),
            Item::Array(never) => match *never {},
        };
        (named, made, arrays) = (named + own, made + count, arrays + parts);
        joint = joint.max(axes);
    }
    let axes = rank.saturating_sub(named) + made + joint.unwrap_or(0);
    if named <= rank && axes > limits.axes {
        let most = limits.axes;
        let text = format!("number of dimensions must be within [0, {most}], indexing result would have {axes}");
        return Err(EvalError::index_error(text));
    }
    // A mask alone needs no iterator over several arrays.
    if named <= rank && arrays > limits.arrays && list.len() > 1 {
        let most = limits.arrays;
        let text = format!("the number of index arrays cannot be above {most}, but {arrays} index arrays found");
        return Err(EvalError::index_error(text));
    }
    Ok(())
}

/// `array[key]`.
///
/// # Errors
/// As the library's subscript.
pub(crate) fn read(array: &Array, key: &Value) -> Outcome {
    let face = array.face;
    let list = items(face, key)?;
    within_limits(face, &list, array.shape().len())?;
    let index: Vec<Index<'_>> = list.iter().map(Item::lent).collect();
    let result = array.tensor().index(&index, &face.rules.get).map_err(raise)?;
    let scalar = is_scalar(face, &list, &result);
    Ok(Value::Array(Array::new(result, face).as_scalar(scalar)))
}

/// Whether what a subscript gives is a number of the library's, and no array.
pub(crate) fn is_scalar(face: &Face, list: &[Item], result: &Tensor) -> bool {
    let integers_only = !list.iter().any(|i| matches!(i, Item::Ellipsis | Item::NewAxis | Item::Bool(_)));
    face.subscripts.scalars && result.shape().is_empty() && integers_only
}

/// `array[key] = value`.
///
/// # Errors
/// As the library's assignment; the array is then unchanged.
pub(crate) fn assign(array: &Array, key: &Value, value: &Value) -> Result<()> {
    let face = array.face;
    if let Some(text) = face.subscripts.immutable {
        return Err(EvalError::type_error(text));
    }
    if array.scalar {
        return Err(EvalError::type_error(format!(
            "'{}' object does not support item assignment",
            Value::Array(array.clone()).type_name()
        )));
    }
    let list = items(face, key)?;
    within_limits(face, &list, array.shape().len())?;
    let index: Vec<Index<'_>> = list.iter().map(Item::lent).collect();
    let tensor = array.tensor();
    match source(array, value)? {
        Source::Scalar(number) => tensor.index_set_(&index, number, &face.rules.set),
        Source::Array(value) => tensor.index_set_(&index, &value, &face.rules.set),
    }
    .map_err(raise)
}

/// What an assignment of `value` into `array` stores.
///
/// # Errors
/// As the library refuses the value.
pub fn source(array: &Array, value: &Value) -> Result<Source<Tensor>> {
    let face = array.face;
    if let Value::Array(v) = value {
        match (&face.subscripts.values, v.scalar) {
            (Assignable::Tensors(refuse), true) => {
                // A NumPy float64 is a Python float and integers have __index__; the rest is refused.
                let number = matches!(v.dtype(), DType::F64 | DType::C128) || v.dtype().is_integer();
                return match to_scalar(value) {
                    Some(scalar) if number => Ok(Source::Scalar(scalar)),
                    _ => Err(refuse(array, value)),
                };
            }
            (Assignable::Tensors(refuse), false) if !v.face.facts.tensors => return Err(refuse(array, value)),
            _ => return Ok(Source::Array(v.tensor())),
        }
    }
    if let Some(number) = to_scalar(value) {
        if let Scalar::Int(i) = number
            && let Some(refused) = (face.refusals.assigned)(i, array.dtype())
        {
            return Err(refused);
        }
        return Ok(Source::Scalar(number));
    }
    match face.subscripts.values {
        Assignable::Tensors(refuse) => Err(refuse(array, value)),
        Assignable::ArrayLike => super::create::values_for(value, array.dtype(), face).map(Source::Array),
    }
}

/// The subarrays along the first axis.
///
/// # Errors
/// A rank of 0.
pub(crate) fn rows(array: &Array) -> Result<Vec<Value>> {
    let n = row_count(array)?;
    let mut rows = room(Op::Named(&"iterate"), n, size_of::<Array>() + size_of::<takewise::Tensor>()).map_err(raise)?;
    for i in 0..n {
        rows.push(read(array, &Value::Int(i as i128))?);
    }
    Ok(rows)
}

/// How many those are.
///
/// # Errors
/// A rank of 0.
pub(crate) fn row_count(array: &Array) -> Result<usize> {
    let count = array.shape().first().copied();
    count.ok_or_else(|| EvalError::type_error(array.face.refusals.scalar_iteration))
}
