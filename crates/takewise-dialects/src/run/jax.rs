//! JAX's `x.at[key]` updates: pure, tolerant of indices outside.

use takewise::index::rules::{Outside, Rules, Sign};
use takewise::op::Op;
use takewise::promote::{Operand, Promotion, result_type};
use takewise::{Complex, DType, Reduce, Scalar, Tensor};

use super::create::array_like;
use super::numpy::{accumulate, like, mapped, put_along_into, put_into};
use super::{Outcome, elements, raise, subscript};
use crate::error::{EvalError, Result};
use crate::sig::Call;
use crate::value::{Array, Value};

/// The array and key of `x.at[key]`.
fn target(call: &Call) -> Result<(Array, Value)> {
    match call.get("input") {
        Some(Value::At(array, Some(key))) => {
            refuse_empty(&array, &key)?;
            Ok((array, (*key).clone()))
        }
        _ => Err(EvalError::type_error("x.at needs a subscript: x.at[index]")),
    }
}

/// Fails for an integer on an axis of length 0, where no mode has a place for it.
fn refuse_empty(array: &Array, key: &Value) -> Result<()> {
    let shape = array.shape();
    if !shape.contains(&0) {
        return Ok(());
    }
    let list = subscript::items(array.face, key)?;
    let named = |item: &takewise::OwnedIndex| match item {
        takewise::OwnedIndex::Int(_) | takewise::OwnedIndex::Range(_) => 1,
        takewise::OwnedIndex::Tensor(t) if t.dtype() == DType::Bool => t.rank(),
        takewise::OwnedIndex::Tensor(_) => 1,
        _ => 0,
    };
    let rest = shape.len().saturating_sub(list.iter().map(named).sum());
    let mut axis = 0;
    for item in &list {
        let number = match item {
            takewise::OwnedIndex::Int(_) => true,
            takewise::OwnedIndex::Tensor(t) => t.rank() == 0 && t.dtype() != DType::Bool,
            _ => false,
        };
        if number && shape.get(axis) == Some(&0) {
            return Err(EvalError::index_error(format!("index is out of bounds for axis {axis} with size 0")));
        }
        axis += if matches!(item, takewise::OwnedIndex::Ellipsis) { rest } else { named(item) };
    }
    Ok(())
}

/// Modes of `x.at[key]` and of the functions along an axis: negative values count from the end first. What is promised to
/// be inside is treated as without a mode.
fn moded(call: &Call, base: &Rules) -> Result<Rules> {
    let mut rules = *base;
    if let Some(mode) = call.text("mode") {
        rules.outside = match &*mode {
            "fill" | "drop" => Outside::Fill,
            "clip" => Outside::Clip,
            "promise_in_bounds" => base.outside,
            other => return Err(EvalError::value_error(format!("Unknown gather mode \"{other}\""))),
        };
    }
    Ok(rules)
}

/// The rules of `x.at[key]` under `mode=`, `wrap_negative_indices=` and `fill_value=`.
fn rules(call: &Call, base: &Rules) -> Result<Rules> {
    let mut rules = moded(call, base)?;
    if !call.flag("wrap_negative_indices") {
        rules.sign = Sign::NonNegative;
    }
    if call.has("fill_value") {
        rules.fill = super::numpy::filling(call)?;
    }
    Ok(rules)
}

/// `x.at[key].get(mode, fill_value)`.
pub(crate) fn get(call: &Call) -> Outcome {
    let (array, key) = target(call)?;
    let mut rules = rules(call, &call.face.rules.get)?;
    super::numpy::narrow_fill(call, &array, &mut rules);
    let list = subscript::items(call.face, &key)?;
    let index: Vec<takewise::Index<'_>> = list.iter().map(takewise::OwnedIndex::lent).collect();
    call.give(array.tensor().index(&index, &rules))
}

/// `x.at[key].set(values)`.
pub(crate) fn set(call: &Call) -> Outcome {
    let (array, key) = target(call)?;
    let rules = rules(call, &call.face.rules.set)?;
    let fresh = super::fresh_copy(&array.tensor()).map_err(raise)?;
    let list = subscript::items(call.face, &key)?;
    let index: Vec<takewise::Index<'_>> = list.iter().map(takewise::OwnedIndex::lent).collect();
    let values = call.get("values").unwrap_or(Value::None);
    super::casting::check_meeting(&values, array.dtype(), call.face)?;
    match subscript::source(&array, &values)? {
        takewise::ops::Source::Scalar(n) => fresh.index_set_(&index, n, &rules),
        takewise::ops::Source::Array(t) => fresh.index_set_(&index, &t, &rules),
    }
    .map_err(raise)?;
    Ok(call.wrap(fresh))
}

/// What is combined with an array of that dtype, and the dtype both meet in: numbers are weak, and an integer that an
/// integer dtype holds is one of its own.
///
/// # Errors
/// `OverflowError` for integers beyond the width of numbers; `TypeError` for arithmetic of booleans.
fn values(call: &Call, dtype: DType, name: &str) -> Result<(Tensor, DType)> {
    let value = call.get("values").unwrap_or(Value::None);
    let number = match &value {
        Value::Array(_) => None,
        plain => super::to_scalar(plain),
    };
    let (operand, given) = match number {
        None => {
            let array = array_like(&value, call.face)?;
            (Operand::Array(array.dtype()), Ok(array.tensor()))
        }
        Some(number) => {
            super::casting::check_width(&value, Some(dtype), call.face)?;
            (Operand::Number(number), Err(number))
        }
    };
    let common = result_type(Promotion::Narrow, &[Operand::Array(dtype), operand]);
    let common = common.map_err(|e| raise(e.in_words(call.face.words)))?;
    if common == DType::Bool && !matches!(name, "min" | "max") {
        return Err(EvalError::type_error(format!(
            "{name} does not accept dtype bool at position 0. Accepted dtypes at position 0 are subtypes of integer, \
             floating, complexfloating."
        )));
    }
    let made = match given {
        Ok(tensor) => super::cast::convert(&tensor, common, call.face)?,
        Err(number) => super::create::filled(&[], number, common, call.face)?,
    };
    Ok((made, common))
}

/// `x.at[key]` combined with the values: the array and these in the dtype that both meet in, the result in the array's.
fn combined(call: &Call, of: &Tensor, reduce: Reduce, name: &str, negate: bool) -> Result<Tensor> {
    let (array, key) = target(call)?;
    let rules = rules(call, &call.face.rules.index_add)?;
    let (mut values, common) = values(call, of.dtype(), name)?;
    if negate {
        values = super::numpy::negated(&values, call)?;
    }
    let fresh = match of.dtype() == common {
        true => super::fresh_copy(of).map_err(raise)?,
        false => super::cast::convert(of, common, call.face)?,
    };
    accumulate(&Array::new(fresh.clone(), array.face), &key, &values, reduce, &rules)?;
    super::cast::convert(&fresh, of.dtype(), call.face)
}

/// `x.at[key].add(values)` and its kin.
pub(crate) fn combine(call: &Call, reduce: Reduce, name: &str, negate: bool) -> Outcome {
    let array = target(call)?.0;
    Ok(call.wrap(combined(call, &array.tensor(), reduce, name, negate)?))
}

/// The array, and the product of the values at every place in its dtype, as JAX defines `divide` and `power` by it.
fn factors(call: &Call) -> Result<(Tensor, Tensor)> {
    let x = target(call)?.0.tensor();
    let ones = super::create::filled(x.shape(), Scalar::Int(1), x.dtype(), call.face)?;
    let product = combined(call, &ones, Reduce::Prod, "mul", false)?;
    Ok((x, product))
}

/// `x.at[key].divide(values)`: integers become floats.
pub(crate) fn divide(call: &Call) -> Outcome {
    let (x, product) = factors(call)?;
    let dtype = match x.dtype() {
        d if d.is_float() || d.is_complex() => d,
        d if d.size() == 8 => DType::F64,
        _ => DType::F32,
    };
    let out = super::cast::convert(&x, dtype, call.face)?;
    let out = if x.dtype() == dtype { super::fresh_copy(&out).map_err(raise)? } else { out };
    let product = super::cast::convert(&product, dtype, call.face)?;
    let all = [takewise::Index::Ellipsis];
    out.index_accumulate_(&all, &product, Reduce::Div, &call.face.rules.index_add).map_err(raise)?;
    Ok(call.wrap(out))
}

/// `x.at[key].power(values)`: booleans become integers.
pub(crate) fn power(call: &Call) -> Outcome {
    let (x, product) = factors(call)?;
    let dtype = if x.dtype() == DType::Bool { DType::I32 } else { x.dtype() };
    let (x, product) = (super::cast::convert(&x, dtype, call.face)?, super::cast::convert(&product, dtype, call.face)?);
    let exponents = elements(&product).map_err(raise)?;
    // JAX looks at an exponent that is one number before it computes.
    if let ([], [Value::Int(exponent)]) = (x.shape(), &exponents[..])
        && *exponent < 0
    {
        let name = dtype.name();
        return Err(EvalError::type_error(format!(
            "Integers cannot be raised to negative powers, got integer_pow({name}[], {exponent})"
        )));
    }
    let next = std::cell::Cell::new(0usize);
    let result = mapped(&x, call, |base| {
        let at = next.replace(next.get() + 1);
        Ok(match (base, &exponents[at]) {
            (Value::Int(a), Value::Int(b)) => Value::Int(i128::from(whole_power(*a as u64, *b))),
            (Value::Float(a), Value::Float(b)) if dtype == DType::F64 => Value::Float(a.powf(*b)),
            (Value::Float(a), Value::Float(b)) => Value::Float(f64::from((*a as f32).powf(*b as f32))),
            (base, exponent) => complex_power(base, exponent),
        })
    })?;
    Ok(call.wrap(result))
}

/// An integer's power modulo 2^64, by the last six bits of the exponent alone.
fn whole_power(mut base: u64, exponent: i128) -> u64 {
    let mut power = 1u64;
    for bit in 0..6 {
        if exponent >> bit & 1 == 1 {
            power = power.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
    }
    power
}

fn complex_power(base: &Value, exponent: &Value) -> Value {
    let parts = |v: &Value| match v {
        Value::Complex(re, im) => Complex { re: *re, im: *im },
        Value::Float(x) => Complex { re: *x, im: 0.0 },
        _ => Complex { re: 0.0, im: 0.0 },
    };
    let (base, exponent) = (parts(base), parts(exponent));
    // Of zero there is no logarithm.
    let power = match (base.re == 0.0 && base.im == 0.0, exponent.re == 0.0 && exponent.im == 0.0) {
        (_, true) => Complex { re: 1.0, im: 0.0 },
        (true, _) => Complex { re: 0.0, im: 0.0 },
        _ => base.powc(exponent),
    };
    Value::Complex(power.re, power.im)
}

/// `jnp.take_along_axis(arr, indices, axis, mode)`.
pub(crate) fn take_along_axis(call: &Call) -> Outcome {
    let given = like(call, "input")?;
    let (x, index) = (given.tensor(), like(call, "indices")?.tensor());
    let mut rules = moded(call, &call.face.rules.take_along)?;
    if call.text("mode").as_deref() == Some("promise_in_bounds") {
        (rules.sign, rules.outside) = (Sign::NonNegative, Outside::Clip);
    }
    if call.has("fill_value") {
        rules.fill = super::numpy::filling(call)?;
    }
    super::numpy::narrow_fill(call, &given, &mut rules);
    let axis = call.maybe_int("axis")?;
    call.give(x.take_along(axis, &index, &rules))
}

fn pure(call: &Call) -> Result<Tensor> {
    if call.flag("inplace") {
        return Err(EvalError::value_error(
            "jnp.put cannot modify arrays in-place, because JAX arrays are immutable. Pass inplace=False to instead return an updated array.",
        ));
    }
    super::fresh_copy(&like(call, "input")?.tensor()).map_err(raise)
}

/// `jnp.put(a, ind, v, mode, inplace=False)`: clipped, which by name goes without counting from the end.
pub(crate) fn put(call: &Call) -> Outcome {
    let fresh = pure(call)?;
    let mut rules = call.face.rules.put;
    if let Some(mode) = call.text("mode") {
        let known = call.face.modes.iter().find(|m| m.name == &*mode && m.name != "fill");
        let Some(known) = known else {
            let text = format!("mode should be one of 'wrap' or 'clip'; got mode='{mode}'");
            return Err(EvalError::value_error(text));
        };
        (rules.sign, rules.outside) = (known.sign, known.outside);
    }
    if fresh.rank() == 0 {
        let text = "Cannot broadcast to shape with fewer dimensions: the array has shape (), the indices have an axis";
        return Err(EvalError::value_error(text));
    }
    let index = like(call, "indices").map(|index| index.dtype());
    if let Ok(dtype) = index
        && (dtype.is_float() || dtype.is_complex())
    {
        let text = format!("Indexer must have integer or boolean type, got indexer with type {}", dtype.name());
        return Err(EvalError::type_error(text));
    }
    if fresh.numel() > 0 {
        put_into(call, &fresh, &rules)?;
    }
    Ok(call.wrap(fresh))
}

/// `jnp.put_along_axis(arr, indices, values, axis, inplace=False)`.
pub(crate) fn put_along_axis(call: &Call) -> Outcome {
    let fresh = pure(call)?;
    let rules = moded(call, &call.face.rules.scatter)?;
    put_along_into(call, &fresh, &rules)?;
    Ok(call.wrap(fresh))
}

/// `jnp.nonzero(a, size, fill_value)`: with a size every part has that length, cut or padded.
pub(crate) fn nonzero(call: &Call) -> Outcome {
    let name = if call.has("condition") { "condition" } else { "input" };
    let parts = sized_parts(call, &like(call, name)?.tensor())?;
    Ok(Value::tuple(parts.into_iter().map(|part| call.wrap(part)).collect::<Vec<_>>()))
}

/// `jnp.argwhere(a, size, fill_value)`: one row of coordinates for each place.
pub(crate) fn argwhere(call: &Call) -> Outcome {
    let x = like(call, "input")?.tensor();
    // A number has one place, or none, and no coordinates.
    let lifted = if x.rank() == 0 { x.reshape(&[1]).map_err(raise)? } else { x.clone() };
    let parts = sized_parts(call, &lifted)?;
    let columns = parts.get(..x.rank()).unwrap_or_default();
    let rows = parts.first().map_or(0, Tensor::numel);
    let made = Tensor::zeroed(&[rows, columns.len()], call.face.position).map_err(raise)?;
    for (k, column) in columns.iter().enumerate() {
        super::copy_into(Op::ArgWhere, &made.select(1, k as i64).map_err(raise)?, column, call.face.words)?;
    }
    Ok(call.wrap(made))
}

/// `jnp.flatnonzero(a, size, fill_value)`.
pub(crate) fn flatnonzero(call: &Call) -> Outcome {
    let flat = like(call, "input")?.tensor().reshape(&[-1]).map_err(raise)?;
    let mut parts = sized_parts(call, &flat)?;
    Ok(call.wrap(parts.swap_remove(0)))
}

/// The coordinates of what is not zero, axis by axis. With `size=` each has that length, padded by `fill_value=`; an array
/// without elements has zeros there.
fn sized_parts(call: &Call, x: &Tensor) -> Result<Vec<Tensor>> {
    let found = x.nonzero_tuple(&call.face.rules.nonzero).map_err(raise)?;
    let size = call.maybe_int("size")?;
    let size = size.map(|n| usize::try_from(n).map_err(|_| EvalError::value_error("size must not be negative")));
    let size = size.transpose()?;
    let fills: Vec<i64> = match call.get("fill_value") {
        Some(_) if x.numel() > 0 => call.ints("fill_value")?,
        _ => vec![0],
    };
    let part = |(k, part): (usize, &Tensor)| {
        let Some(size) = size else { return super::cast::convert(part, call.face.position, call.face) };
        let wide = super::cast::convert(part, takewise::DType::I64, call.face)?;
        let fill = fills.get(k).or(fills.last()).copied().unwrap_or(0);
        let padded = super::create::filled(&[size], fill.into(), takewise::DType::I64, call.face)?;
        let kept = wide.numel().min(size) as i64;
        let (from, to) = (wide.narrow(0, 0, kept), padded.narrow(0, 0, kept));
        let (from, to) = (from.map_err(raise)?, to.map_err(raise)?);
        to.index_set_(&[takewise::Index::Ellipsis], &from, &Rules::NEUTRAL).map_err(raise)?;
        super::cast::convert(&padded, call.face.position, call.face)
    };
    found.iter().enumerate().map(part).collect()
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
