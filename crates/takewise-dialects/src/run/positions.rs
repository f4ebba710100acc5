//! Positions: subscripts of several axes to those of the flattened array and back, and the index arrays NumPy makes.
//!
//! A coordinate is looked up, not computed: the axis counted out and stretched over the whole shape holds, at every flat
//! position, the coordinate of that position, and takes no memory beyond the axis.

use takewise::index::rules::{Outside, Rules, Sign};
use takewise::layout::broadcast_shapes;
use takewise::{DType, Dims, Scalar, Tensor};

use super::create::array_like;
use super::numpy::scalar_or_array;
use super::{Outcome, raise, to_i64};
use crate::error::{EvalError, Result};
use crate::sig::Call;
use crate::value::{Array, Value};

/// 0, 1, ... `n - 1`.
fn counted(n: usize) -> Result<Tensor> {
    numbers(n as i64).map_err(raise)
}

/// The same as numbers of the call itself, to whoever watches it.
fn numbers(n: i64) -> takewise::Result<Tensor> {
    let counted = Tensor::arange(0, n, 1, None)?;
    takewise::internal::watched::numbers(&counted.read_any()?.view());
    Ok(counted)
}

/// An index argument: integers or booleans of any shape.
fn index_array(call: &Call, value: &Value) -> Result<Tensor> {
    let array = array_like(value, call.face)?;
    let listed = !matches!(value, Value::Array(_));
    if listed && array.tensor().numel() == 0 && value.items().is_some() {
        return Err(EvalError::type_error(
            "indices must be integral: the provided empty sequence was inferred as float. Wrap it with \
             'np.array(indices, dtype=np.intp)'",
        ));
    }
    if !array.dtype().is_integer() && array.dtype() != DType::Bool {
        return Err(EvalError::type_error("only int indices permitted"));
    }
    super::cast::convert(&array.tensor(), DType::I64, call.face)
}

/// A shape given as a number or as several.
fn extents(call: &Call, name: &str) -> Result<Vec<i64>> {
    let value = call.get(name).unwrap_or(Value::None);
    match &value {
        Value::Array(a) if !a.shape().is_empty() => {
            super::elements(&a.tensor()).map_err(raise)?.iter().map(to_i64).collect()
        }
        _ => call.ints(name),
    }
}

/// Whether the last axis counts fastest, by `order=`.
fn row_major(call: &Call) -> Result<bool> {
    match call.text("order").as_deref() {
        None | Some("C") => Ok(true),
        Some("F") => Ok(false),
        Some(_) => Err(EvalError::value_error("only 'C' or 'F' order is permitted")),
    }
}

/// The coordinate along each axis of every flat position. Values outside by the rules.
fn coordinates(index: &Tensor, shape: &[usize], rules: &Rules) -> takewise::Result<Vec<Tensor>> {
    let whole: Vec<i64> = shape.iter().map(|n| *n as i64).collect();
    let along = |axis: usize| {
        let mut thin = vec![1; shape.len()];
        thin[axis] = whole[axis];
        let axis = numbers(whole[axis])?;
        axis.reshape(&thin)?.expand(&whole)?.take(index, rules)
    };
    (0..shape.len()).map(along).collect()
}

fn size(shape: &[i64]) -> Option<i64> {
    shape.iter().try_fold(1i64, |product, n| product.checked_mul(*n))
}

/// NumPy's `unravel_index(indices, shape, order)`.
pub(crate) fn unravel_index(call: &Call) -> Outcome {
    let shape = extents(call, "shape")?;
    let last_fastest = row_major(call)?;
    let index = index_array(call, &call.get("indices").unwrap_or(Value::None))?;
    let Some(total) = size(&shape) else {
        return Err(EvalError::value_error(
            "dimensions are too large; arrays and shapes with a total size greater than 'intp' are not supported.",
        ));
    };
    let outside =
        |value: i128| EvalError::value_error(format!("index {value} is out of bounds for array with size {total}"));
    if shape.is_empty() {
        let values = super::elements(&index).map_err(raise)?;
        if let Some(value) = values.iter().filter_map(Value::as_int).find(|value| *value != 0) {
            return Err(outside(value));
        }
        if index.rank() > 0 {
            return Err(EvalError::value_error("multiple indices are not supported for 0d arrays"));
        }
        return Ok(Value::tuple(vec![]));
    }
    if total <= 0 && index.numel() > 0 {
        let value = super::elements(&index).map_err(raise)?.first().and_then(Value::as_int);
        return Err(outside(value.unwrap_or(0)));
    }
    let mut axes: Vec<usize> = shape.iter().map(|n| (*n).max(0) as usize).collect();
    if !last_fastest {
        axes.reverse();
    }
    let rules = Rules { sign: Sign::NonNegative, outside: Outside::Raise, ..call.face.rules.take };
    let found = coordinates(&index, &axes, &rules);
    let mut found = found.map_err(|e| if let Some(value) = e.value() { outside(value) } else { raise(e) })?;
    if !last_fastest {
        found.reverse();
    }
    let positions = found.into_iter().map(|t| super::cast::convert(&t, call.face.position, call.face));
    let parts = positions.map(|t| Ok(scalar_or_array(call, t?))).collect::<Result<Vec<_>>>()?;
    Ok(Value::tuple(parts))
}

/// `unravel_index` of torch and JAX, where positions outside have an answer too: torch's counts modulo the size.
pub(crate) fn unravel_wrapped(call: &Call) -> Outcome {
    let index = call.tensor("indices")?;
    if !index.dtype().is_integer() {
        let name = call.face.dtype_repr(index.dtype());
        return Err(EvalError::type_error(format!("expected 'indices' to be integer dtype, but got {name}")));
    }
    if let Some(Value::Array(_)) = call.get("shape") {
        let text = "expected 'shape' to be int or sequence of ints, but got <class 'torch.Tensor'>";
        return Err(EvalError::type_error(text));
    }
    let shape = extents(call, "shape")?;
    let shown = || shape.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    if shape.iter().any(|n| *n < 0) {
        let text = format!("'shape' cannot have negative values, but got ({})", shown());
        return Err(EvalError::value_error(text));
    }
    if shape.contains(&0) && index.numel() > 0 {
        let text = format!("'shape' cannot have zero dimensions when 'indices' is non-empty, but got ({})", shown());
        return Err(EvalError::value_error(text));
    }
    let axes: Vec<usize> = shape.iter().map(|n| *n as usize).collect();
    let wide = super::cast::convert(&index, DType::I64, call.face)?;
    let rules = Rules { outside: Outside::Wrap, ..Rules::NEUTRAL };
    let found = coordinates(&wide, &axes, &rules).map_err(|e| raise(e.in_words(call.face.words)))?;
    Ok(Value::tuple(found.into_iter().map(|t| call.wrap(t)).collect::<Vec<_>>()))
}

/// JAX's `unravel_index`: negative positions count from the end, and what is outside then is at the nearest end.
pub(crate) fn unravel_clipped(call: &Call) -> Outcome {
    let shape = extents(call, "shape")?;
    let given = call.get("indices").unwrap_or(Value::None);
    let index = index_array(call, &given)?;
    let dtype = given.array().map_or(call.face.position, Array::dtype);
    let axes: Vec<usize> = shape.iter().map(|n| (*n).max(0) as usize).collect();
    let rules = Rules { sign: Sign::FromEnd, outside: Outside::Clip, ..Rules::NEUTRAL };
    let found = coordinates(&index, &axes, &rules).map_err(|e| raise(e.in_words(call.face.words)))?;
    let positions = found.into_iter().map(|t| super::cast::convert(&t, dtype, call.face));
    Ok(Value::tuple(positions.map(|t| Ok(call.wrap(t?))).collect::<Result<Vec<_>>>()?))
}

/// The policy of each axis of `ravel_multi_index`, by `mode=`: a word, or one for each.
fn modes(call: &Call, count: usize) -> Result<Vec<Rules>> {
    let words = match call.get("mode") {
        Some(Value::Str(word)) => vec![Value::Str(word); count],
        Some(other) => other.items().unwrap_or_default(),
        None => vec![Value::str("raise"); count],
    };
    if words.len() != count {
        let text = format!("list of clipmodes has wrong length ({} instead of {count})", words.len());
        return Err(EvalError::value_error(text));
    }
    let base = Rules { sign: Sign::NonNegative, outside: Outside::Raise, ..call.face.rules.take };
    let rules = |word: &Value| match word {
        Value::Str(word) if &**word == "raise" => Ok(base),
        Value::Str(word) if &**word == "wrap" => Ok(Rules { outside: Outside::Wrap, ..base }),
        Value::Str(word) if &**word == "clip" => Ok(Rules { outside: Outside::Clip, ..base }),
        other => {
            let shown = if let Value::Str(word) = other { word.to_string() } else { crate::print::repr(other) };
            let text = format!("clipmode must be one of 'clip', 'raise', or 'wrap' (got '{shown}')");
            Err(EvalError::value_error(text))
        }
    };
    words.iter().map(rules).collect()
}

/// One axis' subscripts within it, by the rules.
fn within(index: &Tensor, extent: i64, rules: &Rules) -> Result<Tensor> {
    let wrong = |_| EvalError::value_error("invalid entry in coordinates array");
    if rules.outside == Outside::Raise {
        // Only looked at: an axis that takes no memory.
        let still = Tensor::zeroed(&[], DType::Bool).and_then(|zero| zero.expand(&[extent])).map_err(raise)?;
        still.take(index, rules).map_err(wrong)?;
        return Ok(index.clone());
    }
    counted(extent as usize)?.take(index, rules).map_err(wrong)
}

/// NumPy's `ravel_multi_index(multi_index, dims, mode, order)`: subscripts times strides, added up.
pub(crate) fn ravel_multi_index(call: &Call) -> Outcome {
    let dims = extents(call, "dims")?;
    let last_fastest = row_major(call)?;
    let given = call.get("multi_index").unwrap_or(Value::None);
    let parts = match &given {
        Value::Array(a) if !a.shape().is_empty() => {
            let rows = super::split::every(&a.tensor(), 0)?;
            rows.into_iter().map(|row| call.wrap(row)).collect()
        }
        other => other.items().unwrap_or_else(|| vec![other.clone()]),
    };
    if parts.len() != dims.len() {
        let text = format!("parameter multi_index must be a sequence of length {}", dims.len());
        return Err(EvalError::value_error(text));
    }
    let rules = modes(call, dims.len())?;
    let index = parts.iter().map(|part| index_array(call, part)).collect::<Result<Vec<_>>>()?;
    if size(&dims).is_none() {
        return Err(EvalError::value_error(
            "invalid dims: array size defined by dims is larger than the maximum possible size.",
        ));
    }
    let shape = broadcast_shapes(index.iter().map(Tensor::shape)).map_err(|_| {
        let shown = |t: &Tensor| t.shape().iter().map(|n| format!("{n},")).collect::<String>();
        let shapes: Vec<String> = index.iter().map(|t| format!("({})", shown(t))).collect();
        EvalError::value_error(format!("operands could not be broadcast together with shapes {} ", shapes.join(" ")))
    })?;
    if dims.contains(&0) && !index.is_empty() {
        return Err(EvalError::value_error("cannot unravel if shape has zero entries (is empty)."));
    }
    let count: usize = shape.iter().product();
    let sum = Tensor::zeroed(&[1, count], DType::I64).map_err(raise)?;
    let only = Tensor::zeroed(&[1], DType::I64).map_err(raise)?;
    let mut stride = 1i64;
    let mut order: Vec<usize> = (0..dims.len()).collect();
    if last_fastest {
        order.reverse();
    }
    for axis in order {
        let place = within(&index[axis], dims[axis], &rules[axis])?;
        let row = place.broadcast_to(&shape).and_then(|t| t.reshape(&[1, count as i64])).map_err(raise)?;
        sum.index_add_(0, &only, &row, Scalar::Int(i128::from(stride)), &Rules::NEUTRAL).map_err(raise)?;
        stride *= dims[axis];
    }
    let shape: Dims<i64> = shape.iter().map(|n| *n as i64).collect();
    let flat = sum.reshape(&shape).map_err(raise)?;
    Ok(scalar_or_array(call, super::cast::convert(&flat, call.face.position, call.face)?))
}

/// `ix_(*args)`: index arrays that together name a grid.
pub(crate) fn ix(call: &Call) -> Outcome {
    let given = call.get("args").and_then(|v| v.items()).unwrap_or_default();
    let count = given.len();
    let one = |(k, value): (usize, &Value)| {
        let array = array_like(value, call.face)?;
        let mut tensor = array.tensor();
        if tensor.rank() != 1 {
            return Err(EvalError::value_error("Cross index must be 1 dimensional"));
        }
        let kept = call.face.facts.search.keeps_empty && matches!(value, Value::Array(_));
        if tensor.numel() == 0 && !kept {
            tensor = super::cast::convert(&tensor, call.face.position, call.face)?;
        }
        if tensor.dtype() == DType::Bool {
            tensor = super::numpy::positions(call, &tensor)?;
        }
        let mut shape = vec![1; count];
        shape[k] = -1;
        if tensor.numel() == 0 {
            shape[k] = 0;
        }
        tensor.reshape(&shape).map(|t| call.wrap(t)).map_err(raise)
    };
    Ok(Value::tuple(given.iter().enumerate().map(one).collect::<Result<Vec<_>>>()?))
}
