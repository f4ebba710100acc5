//! Subscripts as functions.

use std::borrow::Cow;

use pyo3::prelude::*;
use takewise::Rules;
use takewise::op::Op;
use takewise_operations::Way;

use super::arguments::{Bounds, Cast, Data, Form, Out, Policy, Stored, Target, Twice, beside, bytes};
use crate::border::Operand;
use crate::border::key::Key;
use crate::border::torch::wrote;
use crate::error::OrRaise;
use crate::threads::divided;

fn read<'py>(
    py: Python<'py>,
    way: Way,
    x: Data<'py>,
    key: &Bound<'py, PyAny>,
    policy: &Policy<'py>,
    out: Option<Out<'py>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let rules = policy.rules_for(py, &x)?;
    let key = Key::of(key)?;
    let x = x.open()?;
    let rules = beside(rules, &x.home);
    let Some(out) = out else {
        let made = divided(py, threads, key.bytes(), || way.read(&x.tensor, &key.indices(), &rules));
        let made = made.map_err(|e| e.in_op(way.op())).or_raise(py)?;
        return x
            .home
            .give_read(py, made, x.tensor.shape(), &rules, |places, rules| way.read(places, &key.indices(), rules));
    };
    let mut target = Target::of(out)?;
    divided(py, threads, key.bytes(), || x.tensor.index_out(&key.indices(), &mut target.tensor, &rules))
        .or_raise(py)?;
    target.finish()
}

/// ``x[key]``, for a key of any kind, by NumPy's rules for the combination of its parts.
///
/// Integers, slices, ``None``, ``...``, masks, index arrays of any library, and lists, alone or in a tuple. Without
/// masks, arrays and lists the result is a view.
///
/// >>> import numpy as np, takewise
/// >>> x = np.arange(12).reshape(3, 4)
/// >>> takewise.index(x, ([2, 0], slice(1, 3)))
/// array([[ 9, 10],
///        [ 1,  2]])
/// >>> takewise.index(x, x > 8)
/// array([ 9, 10, 11])
/// >>> takewise.index(x, [1, 5], bounds="clip")
/// array([[ 4,  5,  6,  7],
///        [ 8,  9, 10, 11]])
#[pyfunction]
#[pyo3(signature = (x, key, *, bounds=None, negative=None, fill_value=None, out=None, threads=None))]
fn index<'py>(
    py: Python<'py>,
    x: Data<'py>,
    key: &Bound<'py, PyAny>,
    bounds: Option<Bounds>,
    negative: Option<bool>,
    fill_value: Option<Bound<'py, PyAny>>,
    out: Option<Out<'py>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let policy = Policy { bounds, negative, fill: fill_value, ..Policy::default() };
    read(py, Way::Plain, x, key, &policy, out, threads)
}

/// ``x`` at the cross product of the index arrays of ``key``: each stands for its own axis of the result.
///
/// >>> import numpy as np, takewise
/// >>> x = np.arange(12).reshape(3, 4)
/// >>> takewise.oindex(x, ([2, 0], [3, 1]))
/// array([[11,  9],
///        [ 3,  1]])
#[pyfunction]
#[pyo3(signature = (x, key, *, bounds=None, negative=None, fill_value=None, threads=None))]
fn oindex<'py>(
    py: Python<'py>,
    x: Data<'py>,
    key: &Bound<'py, PyAny>,
    bounds: Option<Bounds>,
    negative: Option<bool>,
    fill_value: Option<Bound<'py, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    read(py, Way::Outer, x, key, &Policy { bounds, negative, fill: fill_value, ..Policy::default() }, None, threads)
}

/// ``x`` at the points the index arrays of ``key`` name together; their axes lead the result, wherever they stand.
///
/// >>> import numpy as np, takewise
/// >>> x = np.arange(24).reshape(2, 3, 4)
/// >>> takewise.vindex(x, (slice(None), [0, 2], [3, 1])).shape
/// (2, 2)
/// >>> takewise.vindex(x, (0, slice(None), [3, 1]))
/// array([[ 3,  7, 11],
///        [ 1,  5,  9]])
#[pyfunction]
#[pyo3(signature = (x, key, *, bounds=None, negative=None, fill_value=None, threads=None))]
fn vindex<'py>(
    py: Python<'py>,
    x: Data<'py>,
    key: &Bound<'py, PyAny>,
    bounds: Option<Bounds>,
    negative: Option<bool>,
    fill_value: Option<Bound<'py, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    read(py, Way::Points, x, key, &Policy { bounds, negative, fill: fill_value, ..Policy::default() }, None, threads)
}

/// ``x[key] = value``, into the memory of ``x``, which is returned. On error nothing is written.
///
/// With ``accumulate`` the value is added instead, once for each time a place is named.
///
/// >>> import numpy as np, takewise
/// >>> takewise.index_put_(np.zeros(4), [1, 1, 3], [5.0, 6.0, 7.0])
/// array([0., 6., 0., 7.])
/// >>> takewise.index_put_(np.zeros(4), [1, 1, 3], 1, accumulate=True)
/// array([0., 2., 0., 1.])
#[pyfunction]
#[pyo3(signature = (x, key, value, accumulate=false, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None))]
fn index_put_<'py>(
    py: Python<'py>,
    x: Out<'py>,
    key: &Bound<'py, PyAny>,
    value: Stored<'py>,
    accumulate: bool,
    bounds: Option<Bounds>,
    negative: Option<bool>,
    duplicates: Option<Twice>,
    casting: Option<Cast>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let rules = Policy { bounds, negative, duplicates, casting, fill: None }.rules_of(py, accumulate)?;
    let key = Key::of(key)?;
    let (target, object) = x.open()?;
    let how = accumulate.then_some(takewise::Reduce::Sum);
    write(py, Op::Named(&"index_put_"), Way::Plain, &target, &key, value, how, rules, threads)?;
    Ok(object)
}

/// A copy of ``x`` with ``value`` stored at ``key``, or with ``accumulate`` added: see ``index_put_``.
///
/// >>> import numpy as np, takewise
/// >>> x = np.zeros(4)
/// >>> takewise.index_put(x, [1, 1, 3], [5.0, 6.0, 7.0], duplicates="first")
/// array([0., 5., 0., 7.])
/// >>> x
/// array([0., 0., 0., 0.])
#[pyfunction]
#[pyo3(signature = (x, key, value, accumulate=false, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None))]
fn index_put<'py>(
    py: Python<'py>,
    x: Data<'py>,
    key: &Bound<'py, PyAny>,
    value: Stored<'py>,
    accumulate: bool,
    bounds: Option<Bounds>,
    negative: Option<bool>,
    duplicates: Option<Twice>,
    casting: Option<Cast>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let rules = Policy { bounds, negative, duplicates, casting, fill: None }.rules_of(py, accumulate)?;
    let how = accumulate.then_some(takewise::Reduce::Sum);
    let key = Key::of(key)?;
    changed(py, Op::Named(&"index_put"), x, &key, value, how, rules, threads)
}

/// A copy of an array with values stored or combined at a key.
pub(super) fn changed<'py>(
    py: Python<'py>,
    op: Op,
    x: Data<'py>,
    key: &Key,
    value: Stored<'py>,
    how: Option<takewise::Reduce>,
    rules: Cow<'static, Rules>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let Operand { tensor, home } = x.open()?;
    let tensor = divided(py, threads, bytes(&tensor), || tensor.clone_data()).or_raise(py)?;
    let copy = Operand { tensor, home };
    write(py, op, Way::Plain, &copy, key, value, how, rules, threads)?;
    copy.home.give_changed(py, copy.tensor)
}

/// The statement ``x[key] = value`` as a function, with policies: into the memory of ``x``, which is returned.
///
/// On error nothing is written. ``index_put_`` adds as well.
///
/// >>> import numpy as np, takewise
/// >>> x = np.zeros((2, 3))
/// >>> takewise.index_set(x, (slice(None), [2, 0]), [5.0, 6.0])
/// array([[6., 0., 5.],
///        [6., 0., 5.]])
/// >>> takewise.index_set(x, x == 0, -1)
/// array([[ 6., -1.,  5.],
///        [ 6., -1.,  5.]])
#[pyfunction]
#[pyo3(signature = (x, key, value, *, bounds=None, negative=None, duplicates=None, casting=None, threads=None))]
fn index_set<'py>(
    py: Python<'py>,
    x: Out<'py>,
    key: &Bound<'py, PyAny>,
    value: Stored<'py>,
    bounds: Option<Bounds>,
    negative: Option<bool>,
    duplicates: Option<Twice>,
    casting: Option<Cast>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let rules = Policy { bounds, negative, duplicates, casting, fill: None }.rules()?;
    let key = Key::of(key)?;
    let (target, object) = x.open()?;
    write(py, Op::Named(&"index_set"), Way::Plain, &target, &key, value, None, rules, threads)?;
    Ok(object)
}

/// Stores or combines values at a key.
pub(super) fn write(
    py: Python<'_>,
    op: Op,
    way: Way,
    target: &Operand,
    key: &Key,
    value: Stored<'_>,
    how: Option<takewise::Reduce>,
    rules: Cow<'static, Rules>,
    threads: Option<usize>,
) -> PyResult<()> {
    let (x, rules) = (&target.tensor, beside(rules, &target.home));
    let rules: &Rules = &rules;
    let source = value.open(py, target, Form { whole: false, combined: how.is_some() }, op, rules)?;
    let (value, items) = (source.map(|operand| &operand.tensor), key.indices());
    divided(py, threads, key.bytes().max(bytes(x)), || match (way, how) {
        (_, Some(how)) => x.index_accumulate_(&items, value, how, rules),
        (Way::Plain, None) => x.index_set_(&items, value, rules),
        (Way::Outer, None) => x.oindex_set_(&items, value, rules),
        (Way::Points, None) => x.vindex_set_(&items, value, rules),
    })
    .map_err(|e| e.in_op(op))
    .or_raise(py)?;
    wrote(py, x)
}

/// Adds the functions to the module.
pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(index, m)?)?;
    m.add_function(wrap_pyfunction!(oindex, m)?)?;
    m.add_function(wrap_pyfunction!(vindex, m)?)?;
    m.add_function(wrap_pyfunction!(index_put, m)?)?;
    m.add_function(wrap_pyfunction!(index_put_, m)?)?;
    m.add_function(wrap_pyfunction!(index_set, m)?)
}
