//! What was raised, as data.

use pyo3::prelude::*;
use takewise::{Index, Rules, Scalar, Tensor};
use takewise_explain::Picture;
use takewise_explain::data::{Explanation, Failure, Role};

use super::operands::Found;

/// Index arrays of more elements are not searched for all bad values.
const MOST: usize = 1 << 16;

/// Bad values that are listed.
const LISTED: usize = 4096;

/// An exception as data: where the value to blame stands, if one is.
pub(super) fn of(py: Python<'_>, error: &PyErr, operands: &[Found<'_>]) -> PyResult<Failure> {
    let value = error.value(py);
    let mut failure = Failure {
        class: error.get_type(py).name()?.to_string(),
        message: value.str()?.to_string(),
        axis: fact(value, "axis"),
        size: fact(value, "size"),
        ..Failure::default()
    };
    let (Some(position), Some(bad)) = (fact::<Vec<usize>>(value, "position"), fact::<i128>(value, "value")) else {
        return Ok(failure);
    };
    failure.value = Some(bad.to_string());
    let indices = operands.iter().enumerate().filter(|(_, found)| found.role == Role::Index);
    let others = operands.iter().enumerate().filter(|(_, found)| found.role != Role::Index);
    let at = indices.chain(others).find_map(|(k, found)| Some((k, holds(&found.tensor, &position, bad)?)));
    let Some((operand, at)) = at else { return Ok(failure) };
    (failure.operand, failure.at) = (Some(operand), Some(at));
    if let Some(size) = failure.size {
        let all = all_bad(&operands[operand].tensor, size as i128, bad);
        failure.count = Some(all.len());
        failure.bad = all.into_iter().take(LISTED).collect();
    }
    Ok(failure)
}

/// What another library has against a call, and whether it says so after a kernel that may itself fail.
pub(super) type Refusal<'py> = (Bound<'py, PyAny>, bool);

/// The explanation of a call that another library refuses: what went in, and the error. What is refused in the same words anyway
/// tells more.
pub(super) fn refused(mut made: Explanation, refusal: Option<Refusal<'_>>) -> PyResult<Explanation> {
    let Some((error, late)) = refusal else { return Ok(made) };
    let (class, message) = (error.get_type().name()?.to_string(), error.str()?.to_string());
    if made.error.as_ref().is_some_and(|known| late || known.message.starts_with(&message)) {
        return Ok(made);
    }
    let picture = Picture::new(&made.expression, &made.dialect, &made.operation);
    let mut bare = picture.finish();
    bare.operands = std::mem::take(&mut made.operands);
    bare.error = Some(Failure { class, message, ..Failure::default() });
    Ok(bare)
}

/// What an exception of ours tells beside its text.
fn fact<T: for<'a, 'py> FromPyObject<'a, 'py>>(error: &Bound<'_, PyAny>, name: &str) -> Option<T> {
    error.getattr(name).ok()?.extract().ok()
}

/// Where in an array, in row-major order, an element stands that the position names after the array is broadcast, if it has
/// that value.
fn holds(array: &Tensor, position: &[usize], value: i128) -> Option<usize> {
    if !array.dtype().is_integer() {
        return None;
    }
    let shape = array.shape();
    let place = &position[position.len().checked_sub(shape.len())?..];
    let place: Vec<usize> = place.iter().zip(shape).map(|(&at, &n)| if n == 1 { 0 } else { at }).collect();
    if place.iter().zip(shape).any(|(at, n)| at >= n) {
        return None;
    }
    let at = place.iter().zip(shape).fold(0, |at, (&k, &n)| at * n + k);
    (element(array, &place)? == value).then_some(at)
}

/// One element of an integer array.
fn element(array: &Tensor, place: &[usize]) -> Option<i128> {
    let key: Vec<Index<'_>> = place.iter().map(|&k| Index::Int(k as i64)).collect();
    match array.index(&key, &Rules::NEUTRAL).ok()?.item().ok()? {
        Scalar::Int(value) => Some(value),
        _ => None,
    }
}

/// The positions of all values that are outside where one is: of an axis of that size.
fn all_bad(array: &Tensor, size: i128, bad: i128) -> Vec<usize> {
    if array.numel() > MOST {
        return Vec::new();
    }
    // A negative value is bad within the axis where none counts from the end.
    let low = if (-size..0).contains(&bad) { 0 } else { -size };
    let shape = array.shape().to_vec();
    let place = |mut at: usize| {
        let mut place = vec![0; shape.len()];
        for (axis, n) in shape.iter().enumerate().rev() {
            place[axis] = at % n.max(&1);
            at /= n.max(&1);
        }
        place
    };
    let outside = |at: &usize| element(array, &place(*at)).is_some_and(|value| !(low..size).contains(&value));
    (0..array.numel()).filter(outside).collect()
}
