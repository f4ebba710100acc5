//! Subscripts.

use std::borrow::Cow;

use pyo3::prelude::*;
use takewise::op::Op;
use takewise::{DType, Reduce, Rules, Tensor};
use takewise_operations::{MIXED, Mixed, Role, Way};

use super::arguments::{Data, Form, MixedKey, Out, Stored, Target, beside, bytes};
use crate::border::Operand;
use crate::border::callable::Arguments;
use crate::border::key::Key;
use crate::border::torch::wrote;
use crate::error::OrRaise;
use crate::threads::divided;

/// The elements at a key.
pub(super) fn read<'py>(a: &Arguments<'_, 'py>, way: Way) -> PyResult<Bound<'py, PyAny>> {
    let (py, op) = (a.py, a.op());
    let (x, policy) = (a.need::<Data<'py>>(Role::Data)?, a.policy()?);
    let (out, threads) = (a.get::<Out<'py>>(Role::Out)?, a.get(Role::Threads)?);
    let rules = policy.rules_for(py, &x)?;
    let (key, mixed) = (key(a)?, mixed(a)?);
    let x = x.open()?;
    let rules = beside(rules, &x.home);
    unmixed(py, mixed, op, &x.tensor, &key)?;
    let Some(out) = out else {
        let made = divided(py, threads, key.bytes(), || way.read(&x.tensor, &key.indices(), &rules));
        let made = made.map_err(|e| e.in_op(op)).or_raise(py)?;
        return x
            .home
            .give_read(py, made, x.tensor.shape(), &rules, |places, rules| way.read(places, &key.indices(), rules));
    };
    let mut target = Target::of(out)?;
    divided(py, threads, key.bytes(), || x.tensor.index_out(&key.indices(), &mut target.tensor, &rules))
        .or_raise(py)?;
    target.finish()
}

fn key(a: &Arguments<'_, '_>) -> PyResult<Key> {
    Key::of(&a.need::<Bound<'_, PyAny>>(Role::Key)?)
}

/// What the call says of keys that can be read in two ways, or the process.
fn mixed(a: &Arguments<'_, '_>) -> PyResult<Mixed> {
    // Each way but one has a single reading.
    match a.parameter(Role::Mixed) {
        Some(_) => Ok(a.get::<MixedKey>(Role::Mixed)?.map_or_else(Mixed::of_process, |word| word.0)),
        None => Ok(Mixed::Front),
    }
}

/// Fails for a key that can be read in two ways, where such are refused.
#[inline]
pub(super) fn unmixed(py: Python<'_>, mixed: Mixed, op: Op, x: &Tensor, key: &Key) -> PyResult<()> {
    match mixed {
        Mixed::Front => Ok(()),
        Mixed::Refuse => mixed.check(op, x, &key.indices(), &super::RULES).or_raise(py),
    }
}

/// Stores or adds values at a key: into a copy, or into the memory of the array, which is given back.
pub(super) fn store<'py>(a: &Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let (py, op, in_place) = (a.py, a.op(), a.entry().in_place);
    let target = if in_place { Err(a.need::<Out<'py>>(Role::Data)?) } else { Ok(a.need::<Data<'py>>(Role::Data)?) };
    let (value, adds) = (a.need::<Stored<'py>>(Role::Values)?, a.flag(Role::Accumulate)?);
    let (rules, threads) = (a.policy()?.rules_of(py, adds)?, a.get(Role::Threads)?);
    let (how, key, mixed) = (adds.then_some(Reduce::Sum), key(a)?, mixed(a)?);
    match target {
        Ok(x) => changed(py, op, x.open()?, &key, mixed, value, how, rules, threads),
        Err(x) => {
            let (target, object) = x.open()?;
            unmixed(py, mixed, op, &target.tensor, &key)?;
            write(py, op, Way::Plain, &target, &key, value, how, rules, threads)?;
            Ok(object)
        }
    }
}

/// A copy of an array with values stored or combined at a key.
pub(super) fn changed<'py>(
    py: Python<'py>,
    op: Op,
    x: Operand,
    key: &Key,
    mixed: Mixed,
    value: Stored<'py>,
    how: Option<Reduce>,
    rules: Cow<'static, Rules>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let Operand { tensor, home } = x;
    unmixed(py, mixed, op, &tensor, key)?;
    let tensor = divided(py, threads, bytes(&tensor), || tensor.clone_data()).or_raise(py)?;
    let copy = Operand { tensor, home };
    write(py, op, Way::Plain, &copy, key, value, how, rules, threads)?;
    copy.home.give_changed(py, copy.tensor)
}

/// Stores or combines values at a key.
pub(super) fn write(
    py: Python<'_>,
    op: Op,
    way: Way,
    target: &Operand,
    key: &Key,
    value: Stored<'_>,
    how: Option<Reduce>,
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

/// Says what a key means in this process that can be read in two ways, as ``x[0, :, i]``: integers and arrays with slices between.
///
/// ``"front"``, as at first: the axes of the arrays come first, as in NumPy. ``"refuse"``: such keys are refused, with both
/// readings and their shapes. It holds for ``index``, ``index_put``, ``index_set`` and ``at``, where a call says nothing by
/// ``mixed=``. Modules that follow a library's rules go on doing so.
///
/// >>> import numpy as np, takewise
/// >>> takewise.set_mixed("refuse")
/// >>> takewise.index(np.zeros((2, 3, 4)), (0, slice(None), [1, 2]))
/// Traceback (most recent call last):
///   ...
/// takewise.exceptions.ValueError: index: the key can be read in two ways. As NumPy reads it, all integers and arrays name points together, whose axes come first, as slices stand between them: shape [2, 3], written vindex(x, key). Or integers are taken first, and the array's axes stay where it is, as PyTorch reads it: shape [3, 2], written as two subscripts, the integers in the first. mixed="front" asks for the first reading; `takewise explain --dialects` shows what each library reads
/// >>> takewise.set_mixed("front")
#[pyfunction]
fn set_mixed(mixed: MixedKey) {
    mixed.0.set();
}

/// What a key means in this process that can be read in two ways: ``"front"`` or ``"refuse"``.
///
/// >>> import takewise
/// >>> takewise.get_mixed()
/// 'front'
#[pyfunction]
fn get_mixed() -> &'static str {
    let now = Mixed::of_process();
    MIXED.iter().find(|(_, mixed)| *mixed == now).map_or("front", |(word, _)| word)
}

/// Fails for a key that can be read in two ways, of an array of which the shape is all that is known here.
#[pyfunction]
fn _unmixed(py: Python<'_>, shape: Vec<i64>, key: &Bound<'_, PyAny>) -> PyResult<()> {
    let x = Tensor::zeroed(&[], DType::Bool).and_then(|one| one.expand(&shape)).or_raise(py)?;
    unmixed(py, Mixed::Refuse, Op::Index, &x, &Key::of(key)?)
}

/// Adds the functions to the module.
pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_unmixed, m)?)?;
    m.add_function(wrap_pyfunction!(set_mixed, m)?)?;
    m.add_function(wrap_pyfunction!(get_mixed, m)?)
}
