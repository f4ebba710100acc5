//! Subscripts.

use std::borrow::Cow;

use pyo3::prelude::*;
use takewise::op::Op;
use takewise::{Reduce, Rules};
use takewise_operations::{Role, Way};

use super::arguments::{Data, Form, Out, Stored, Target, beside, bytes};
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
    let key = key(a)?;
    let x = x.open()?;
    let rules = beside(rules, &x.home);
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

/// Stores or adds values at a key: into a copy, or into the memory of the array, which is given back.
pub(super) fn store<'py>(a: &Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let (py, op, in_place) = (a.py, a.op(), a.entry().in_place);
    let target = if in_place { Err(a.need::<Out<'py>>(Role::Data)?) } else { Ok(a.need::<Data<'py>>(Role::Data)?) };
    let (value, adds) = (a.need::<Stored<'py>>(Role::Values)?, a.flag(Role::Accumulate)?);
    let (rules, threads) = (a.policy()?.rules_of(py, adds)?, a.get(Role::Threads)?);
    let (how, key) = (adds.then_some(Reduce::Sum), key(a)?);
    match target {
        Ok(x) => changed(py, op, x, &key, value, how, rules, threads),
        Err(x) => {
            let (target, object) = x.open()?;
            write(py, op, Way::Plain, &target, &key, value, how, rules, threads)?;
            Ok(object)
        }
    }
}

/// A copy of an array with values stored or combined at a key.
pub(super) fn changed<'py>(
    py: Python<'py>,
    op: Op,
    x: Data<'py>,
    key: &Key,
    value: Stored<'py>,
    how: Option<Reduce>,
    rules: Cow<'static, Rules>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let Operand { tensor, home } = x.open()?;
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
