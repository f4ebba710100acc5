//! JAX's `x.at[key]` updates: pure, tolerant of indices outside.

use rustpython_parser::ast::Operator;
use takewise::index::dialect::Dialect;
use takewise::index::rules::{Fill, Outside, Rules, Sign};
use takewise::{Reduce, Tensor, ops};

use super::create::array_like;
use super::numpy::{accumulate, like, mapped, put_along_into, put_into, with_mode};
use super::{Outcome, elements, raise, reading, subscript};
use crate::error::EvalError;
use crate::sig::Call;
use crate::value::{Array, Value};

type Result<T, E = EvalError> = std::result::Result<T, E>;

/// The array and key of `x.at[key]`.
fn target(call: &Call) -> Result<(Array, Value)> {
    match call.get("input") {
        Some(Value::At(array, Some(key))) => Ok((array, (*key).clone())),
        _ => Err(EvalError::type_error("x.at needs a subscript: x.at[index]")),
    }
}

/// The rules under `mode=` and `wrap_negative_indices=`; after a negative wrap, `clip` clamps.
fn rules(call: &Call, base: &Rules) -> Result<Rules> {
    let mut rules = *base;
    if let Some(mode) = call.text("mode") {
        rules.outside = match &*mode {
            "fill" | "drop" => Outside::Fill,
            "clip" | "promise_in_bounds" => Outside::Clip,
            other => return Err(EvalError::value_error(format!("Unknown gather mode \"{other}\""))),
        };
    }
    if !call.flag("wrap_negative_indices") {
        rules.sign = Sign::NonNegative;
    }
    if call.has("fill_value") {
        rules.fill = call.get("fill_value").as_ref().and_then(super::to_scalar).map(Fill::Number);
    }
    Ok(rules)
}

/// `x.at[key].get(mode, fill_value)`.
pub(crate) fn get(call: &Call) -> Outcome {
    let (array, key) = target(call)?;
    let rules = rules(call, &call.face.rules.get)?;
    let list = subscript::items(call.face, &key)?;
    let index: Vec<takewise::Index<'_>> = list.iter().map(subscript::Item::index).collect();
    call.give(array.tensor().index(&index, &rules))
}

/// `x.at[key].set(values)`.
pub(crate) fn set(call: &Call) -> Outcome {
    let (array, key) = target(call)?;
    let dialect = Dialect { set: rules(call, &call.face.rules.set)?, ..*call.face.rules };
    let fresh = super::fresh_copy(&array.tensor()).map_err(raise)?;
    let list = subscript::items(call.face, &key)?;
    let index: Vec<takewise::Index<'_>> = list.iter().map(subscript::Item::index).collect();
    let values = call.get("values").unwrap_or(Value::None);
    match subscript::source(&array, &values)? {
        subscript::Source::Number(n) => fresh.index_set_(&index, n, &dialect),
        subscript::Source::Tensor(t) => fresh.index_set_(&index, &t, &dialect),
    }
    .map_err(raise)?;
    Ok(call.wrap(fresh))
}

fn combine(call: &Call, reduce: Reduce, values: &Tensor) -> Outcome {
    let (array, key) = target(call)?;
    let rules = rules(call, &call.face.rules.index_add)?;
    let fresh = Array::new(super::fresh_copy(&array.tensor()).map_err(raise)?, call.face);
    accumulate(&fresh, &key, values, reduce, &rules)?;
    Ok(Value::Array(fresh))
}

fn values(call: &Call) -> Result<Tensor> {
    let (array, _) = target(call)?;
    let values = array_like(&call.get("values").unwrap_or(Value::None), call.face)?.tensor();
    super::cast::convert(&values, array.dtype(), call.face)
}

/// `x.at[key].add(values)`.
pub(crate) fn add(call: &Call) -> Outcome {
    combine(call, Reduce::Sum, &values(call)?)
}

/// `x.at[key].subtract(values)`.
pub(crate) fn subtract(call: &Call) -> Outcome {
    combine(call, Reduce::Sum, &super::numpy::negated(&values(call)?, call)?)
}

/// `x.at[key].multiply(values)`.
pub(crate) fn multiply(call: &Call) -> Outcome {
    combine(call, Reduce::Prod, &values(call)?)
}

/// `x.at[key].max(values)`.
pub(crate) fn maximum(call: &Call) -> Outcome {
    combine(call, Reduce::Max, &values(call)?)
}

/// `x.at[key].min(values)`.
pub(crate) fn minimum(call: &Call) -> Outcome {
    combine(call, Reduce::Min, &values(call)?)
}

/// One operation with the product of the values at every place, as JAX defines `divide` and `power`.
fn by_product(call: &Call, op: Operator) -> Outcome {
    let (array, key) = target(call)?;
    let rules = rules(call, &call.face.rules.index_add)?;
    let ones = super::create::filled(&array.shape(), takewise::Scalar::Int(1), array.dtype(), call.face)?;
    let factors = Array::new(ones, call.face);
    accumulate(&factors, &key, &values(call)?, Reduce::Prod, &rules)?;
    let right = elements(&factors.tensor()).map_err(raise)?;
    let next = std::cell::Cell::new(0usize);
    let result = mapped(&array.tensor(), call, |left| {
        let at = next.replace(next.get() + 1);
        crate::numbers::binary(op, left, &right[at])
    })?;
    Ok(call.wrap(result))
}

/// `x.at[key].divide(values)`.
pub(crate) fn divide(call: &Call) -> Outcome {
    by_product(call, Operator::Div)
}

/// `x.at[key].power(values)`.
pub(crate) fn power(call: &Call) -> Outcome {
    by_product(call, Operator::Pow)
}

/// `jnp.take_along_axis(arr, indices, axis, mode)`.
pub(crate) fn take_along_axis(call: &Call) -> Outcome {
    let (x, index) = (like(call, "input")?.tensor(), like(call, "indices")?.tensor());
    let rules = with_mode(call, &call.face.rules.take_along)?;
    let axis = call.maybe_int("axis")?;
    let fresh =
        reading("take_along_axis", &[&x, &index], &rules, |r| ops::take_along(r.get(0), r.get(1), axis, &rules))?;
    Ok(call.wrap(fresh))
}

fn pure(call: &Call) -> Result<Tensor> {
    if call.flag("inplace") {
        return Err(EvalError::value_error(
            "jnp.put cannot modify arrays in-place, because JAX arrays are immutable. Pass inplace=False to instead return an updated array.",
        ));
    }
    super::fresh_copy(&like(call, "input")?.tensor()).map_err(raise)
}

/// `jnp.put(a, ind, v, mode, inplace=False)`.
pub(crate) fn put(call: &Call) -> Outcome {
    let fresh = pure(call)?;
    put_into(call, &fresh, Sign::FromEnd)?;
    Ok(call.wrap(fresh))
}

/// `jnp.put_along_axis(arr, indices, values, axis, inplace=False)`.
pub(crate) fn put_along_axis(call: &Call) -> Outcome {
    let fresh = pure(call)?;
    let rules = with_mode(call, &call.face.rules.scatter)?;
    put_along_into(call, &fresh, &rules)?;
    Ok(call.wrap(fresh))
}

/// `jnp.nonzero(a, size, fill_value)`: with a size every part has that length, cut or padded.
pub(crate) fn nonzero(call: &Call) -> Outcome {
    let found = super::read::where_true(call)?;
    let Some(size) = call.maybe_int("size")? else { return Ok(found) };
    let size = usize::try_from(size).map_err(|_| EvalError::value_error("size must not be negative"))?;
    let fills: Vec<i64> = match call.get("fill_value") {
        None => vec![0],
        Some(_) => call.ints("fill_value")?,
    };
    let parts = found.items().unwrap_or_default();
    let parts = parts.iter().enumerate().map(|(k, part)| {
        let part = part.array().map(Array::tensor).ok_or_else(|| EvalError::type_error("nonzero gives arrays"))?;
        let wide = super::cast::convert(&part, takewise::DType::I64, call.face)?;
        let mut values = wide.to_vec::<i64>().map_err(raise)?;
        let fill = fills.get(k).or(fills.last()).copied().unwrap_or(0);
        values.resize(size, fill);
        let padded = Tensor::from_slice(&values, &[size]).map_err(raise)?;
        Ok(call.wrap(super::cast::convert(&padded, call.face.position, call.face)?))
    });
    Ok(Value::tuple(parts.collect::<Result<Vec<_>>>()?))
}

/// `jnp.choose(a, choices, out, mode)`.
pub(crate) fn choose(call: &Call) -> Outcome {
    if call.get("out").is_some() {
        return Err(EvalError::unsupported("The 'out' argument to jnp.choose is not supported."));
    }
    super::choose::choose(call)
}

/// `jnp.unravel_index(indices, shape)`: positions outside are those of the nearest end.
pub(crate) fn unravel_index(call: &Call) -> Outcome {
    super::positions::unravel_clipped(call)
}
