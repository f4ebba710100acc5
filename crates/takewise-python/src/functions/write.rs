//! Writes by one array of positions, or by a mask: into a copy, or into the caller's memory.

use pyo3::prelude::*;
use takewise::{Reduce, Result, Tensor};
use takewise_operations::{Call, Given, Role};

use super::arguments::{Data, Form, IndexArray, Out, Stored, beside, bytes};
use super::ranges::{lent, opened};
use crate::border::Home;
use crate::border::callable::Arguments;
use crate::border::torch::wrote;
use crate::error::OrRaise;
use crate::threads::divided;

/// What is stored.
#[inline(always)]
fn stored<'py>(a: &Arguments<'_, 'py>, form: Form) -> PyResult<Stored<'py>> {
    a.need(if form.whole { Role::Array } else { Role::Values })
}

/// Runs a write into a copy.
pub(super) fn copied<'py>(
    a: &Arguments<'_, 'py>,
    run: fn(&Call<'_>) -> Result<Tensor>,
    combines: fn(&Given) -> bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, op) = (a.py, a.op());
    let x: Data<'py> = a.need(Role::Data)?;
    let index = a.places()?;
    let given = a.given()?;
    let combining = combines(&given);
    let form = Form { whole: a.parameter(Role::Array).is_some(), combined: combining };
    let value = stored(a, form)?;
    let rows = a.rows()?;
    let rules = a.policy()?.rules_of(py, combining)?;
    let threads = a.get(Role::Threads)?;
    let x = x.open()?;
    let rows = opened(py, rows)?;
    let index = index.open(py)?;
    let rules = beside(rules, &x.home);
    let source = value.open(py, &x, form, op, &rules)?;
    let value = source.map(|operand| &operand.tensor);
    let others = lent(&rows);
    let call = Call { x: &x.tensor, index: &index.tensor, value, given: &given, rules: &rules, others: &others };
    let made = divided(py, threads, bytes(&x.tensor), || run(&call)).map_err(|e| e.in_op(op)).or_raise(py)?;
    Home::first_of([&x.home, &index.home]).give_changed(py, made)
}

/// Runs a write into the memory of an array, and gives that array back.
pub(super) fn in_place<'py>(
    a: &Arguments<'_, 'py>,
    run: fn(&Call<'_>) -> Result<()>,
    combines: fn(&Given) -> bool,
    gives: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, op) = (a.py, a.op());
    let x: Out<'py> = a.need(Role::Data)?;
    let index = a.places()?;
    let given = a.given()?;
    let combining = combines(&given);
    let form = Form { whole: a.parameter(Role::Array).is_some(), combined: combining };
    let value = stored(a, form)?;
    let rows = a.rows()?;
    let rules = a.policy()?.rules_of(py, combining)?;
    let threads = a.get(Role::Threads)?;
    let (target, object) = x.open()?;
    let rows = opened(py, rows)?;
    let index = index.open(py)?;
    let rules = beside(rules, &target.home);
    let source = value.open(py, &target, form, op, &rules)?;
    let (index, value) = (&index.tensor, source.map(|operand| &operand.tensor));
    let others = lent(&rows);
    let call = Call { x: &target.tensor, index, value, given: &given, rules: &rules, others: &others };
    divided(py, threads, bytes(index), || run(&call)).map_err(|e| e.in_op(op)).or_raise(py)?;
    wrote(py, &target.tensor)?;
    Ok(if gives { object } else { py.None().into_bound(py) })
}

/// Zeros with values added at index tuples.
pub(super) fn scatter_nd<'py>(a: &Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let (py, op) = (a.py, a.op());
    let (index, updates) = (a.need::<IndexArray<'py>>(Role::Index)?, a.need::<Data<'py>>(Role::Array)?);
    let shape: Vec<usize> = a.need(Role::Shape)?;
    let (rules, threads) = (a.policy()?.rules()?, a.get(Role::Threads)?);
    let (updates, index) = (updates.open()?, index.open(py)?);
    let result = divided(py, threads, bytes(&updates.tensor), || {
        let zeros = Tensor::zeroed(&shape, updates.tensor.dtype())?;
        let added = zeros.scatter_nd_(&index.tensor, &updates.tensor, Some(Reduce::Sum), &rules);
        added.map_err(|e| e.in_op(op)).map(|()| zeros)
    });
    updates.home.result(py, result)
}
