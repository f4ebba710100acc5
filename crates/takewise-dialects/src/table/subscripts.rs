//! The five libraries' readings of Python objects in subscripts.

use crate::error::EvalError;
use crate::policy::{Assignable, BareList, Floats, Limits, SubscriptPolicy};
use crate::print::repr;
use crate::run::attributes::tensor_class;
use crate::value::{Array, Value};

fn no_complex(_: &Value) -> EvalError {
    EvalError::type_error("'complex' object cannot be interpreted as an integer")
}

/// torch.
pub(crate) static TORCH: SubscriptPolicy<Array, Value> = SubscriptPolicy {
    bare_list: BareList::TupleIfNested(32),
    floats: Floats::Truncate,
    truncates_arrays: true,
    numpy_bools: false,
    no_index: |v| {
        EvalError::index_error(format!(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {})",
            v.type_name()
        ))
    },
    complex: no_complex,
    no_index_array: |_| EvalError::index_error("tensors used as indices must be long, int, byte or bool tensors"),
    string: |_| EvalError::type_error("new(): invalid data type 'str'"),
    foreign: None,
    too_large: |_| EvalError::value_error("Overflow when unpacking long long"),
    slices_last: false,
    limits: None,
    values: Assignable::Tensors(|array, v| {
        EvalError::type_error(format!("can't assign a {} to a {}", v.type_name(), tensor_class(array.dtype())))
    }),
    scalars: false,
    immutable: None,
};

/// The library's own: one list is one index array, nothing is truncated.
pub(crate) static NEUTRAL: SubscriptPolicy<Array, Value> = SubscriptPolicy {
    bare_list: BareList::Array,
    floats: Floats::Refused(|v| EvalError::index_error(format!("{} is not an index: floats are refused", repr(v)))),
    truncates_arrays: false,
    numpy_bools: true,
    no_index: |v| EvalError::index_error(format!("a {} is not an index", v.type_name())),
    complex: no_complex,
    no_index_array: |a| EvalError::index_error(format!("an array of dtype {} is not an index", a.dtype().name())),
    string: |_| EvalError::type_error("a str is not an index"),
    foreign: None,
    too_large: |_| EvalError::value_error("Overflow when unpacking long long"),
    slices_last: false,
    limits: None,
    values: Assignable::ArrayLike,
    scalars: false,
    immutable: None,
};

fn numpy_refusal(_: &Value) -> EvalError {
    EvalError::index_error(
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices",
    )
}

/// NumPy.
pub(crate) static NUMPY: SubscriptPolicy<Array, Value> = SubscriptPolicy {
    bare_list: BareList::Array,
    floats: Floats::Refused(numpy_refusal),
    truncates_arrays: false,
    numpy_bools: true,
    no_index: numpy_refusal,
    complex: numpy_refusal,
    no_index_array: |_| EvalError::index_error("arrays used as indices must be of integer (or boolean) type"),
    string: numpy_refusal,
    foreign: None,
    // What fits no dtype of integers at all is an object to NumPy.
    too_large: |i| match u64::try_from(i) {
        Ok(_) => EvalError::new("OverflowError", "Python int too large to convert to C long"),
        Err(_) => numpy_refusal(&Value::Int(i)),
    },
    slices_last: true,
    limits: Some(Limits { axes: 64, arrays: 63 }),
    values: Assignable::ArrayLike,
    scalars: true,
    immutable: None,
};

/// MindSpore.
pub(crate) static MINDSPORE: SubscriptPolicy<Array, Value> = SubscriptPolicy {
    bare_list: BareList::TupleIfLists(|_| {
        EvalError::index_error("When tensor is indexed by list, the list can't be empty.")
    }),
    floats: Floats::Refused(|v| {
        EvalError::type_error(format!(
            "For tuple index, the types only support 'Slice', 'Ellipsis', 'None', 'Tensor', 'int', 'List', 'Tuple', 'bool', but got type 'Float', value: {}",
            repr(v)
        ))
    }),
    truncates_arrays: false,
    numpy_bools: true,
    no_index: |v| {
        EvalError::index_error(format!(
            "Only support integers, slices(`:`), ellipsis(`...`), None, bool, tensor, int, list and tuple as index, but got {} with type <class '{}'>",
            repr(v),
            v.type_name()
        ))
    },
    complex: no_complex,
    no_index_array: |a| {
        EvalError::index_error(format!("The tensor index must be int or bool type, but got {}", a.face.display(a)))
    },
    string: |v| {
        EvalError::index_error(format!(
            "Unsupported Python object type received: <class 'str'>. Supported types for tensor indexing are: list, int, float, tuple, slice, ellipsis, None, array, bool, or Tensor. Received value: {}",
            repr(v)
        ))
    },
    foreign: Some(|v| {
        EvalError::index_error(format!(
            "Only support integers, slices(`:`), ellipsis(`...`), None, bool, tensor, int, list and tuple as index, but got {} with type <class '{}'>",
            crate::print::display(v),
            v.type_name()
        ))
    }),
    too_large: |_| EvalError::value_error("Overflow when unpacking long long"),
    slices_last: false,
    limits: None,
    values: Assignable::ArrayLike,
    scalars: false,
    immutable: None,
};

fn jax_refusal(value: &Value) -> EvalError {
    let kind = match value {
        Value::Float(_) => "float64",
        Value::Complex(..) => "complex128",
        other => other.type_name(),
    };
    EvalError::type_error(format!("Indexer must have integer or boolean type, got indexer with type {kind}"))
}

/// A list is to be a tuple if one of its items is an index of its own, and else an array.
fn jax_list(key: &Value) -> EvalError {
    let is_index = |one: &Value| match one {
        Value::Array(array) => array.tensor().rank() != 0,
        Value::Slice(_) | Value::None | Value::Ellipsis => true,
        other => other.items().is_some(),
    };
    let tuple = key.items().is_some_and(|items| items.iter().any(is_index));
    let made = if tuple { "tuple" } else { "array" };
    EvalError::type_error(format!(
        "Using a non-tuple sequence for multidimensional indexing is not allowed; use `arr[{made}(seq)]` instead of `arr[seq]`. See https://github.com/jax-ml/jax/issues/4564 for more information."
    ))
}

/// JAX.
pub(crate) static JAX: SubscriptPolicy<Array, Value> = SubscriptPolicy {
    bare_list: BareList::Refused(jax_list),
    floats: Floats::Refused(|_| {
        EvalError::type_error("Indexer must have integer or boolean type, got indexer with type float64")
    }),
    truncates_arrays: false,
    numpy_bools: true,
    no_index: jax_refusal,
    complex: jax_refusal,
    no_index_array: |a| {
        EvalError::type_error(format!(
            "Indexer must have integer or boolean type, got indexer with type {}",
            a.dtype().name()
        ))
    },
    string: |v| EvalError::type_error(format!("JAX does not support string indexing; got idx={}", repr(v))),
    foreign: None,
    too_large: |_| EvalError::new("OverflowError", "Python int too large to convert to C long"),
    slices_last: false,
    limits: None,
    values: Assignable::ArrayLike,
    scalars: false,
    immutable: Some(
        "JAX arrays are immutable and do not support in-place item assignment. Instead of x[idx] = y, use x = x.at[idx].set(y) or another .at[] method: https://docs.jax.dev/en/latest/_autosummary/jax.numpy.ndarray.at.html",
    ),
};
