//! Reads by one array of positions, or by a mask.

use pyo3::prelude::*;
use takewise::op::Op;
use takewise::ops::Source;
use takewise::{Index, Result, Rules, Scalar, Tensor};
use takewise_operations::{Call, Role};

use super::arguments::{Data, Out, Target, beside, bytes};
use crate::border::callable::Arguments;
use crate::border::{Home, Operand};
use crate::error::OrRaise;
use crate::threads::divided;

/// Runs a read into fresh memory or the caller's.
pub(super) fn read<'py>(
    a: &Arguments<'_, 'py>,
    fresh: fn(&Call<'_>) -> Result<Tensor>,
    into: Option<fn(&Call<'_>, &mut Tensor) -> Result<bool>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, op) = (a.py, a.op());
    let x: Data<'py> = a.need(Role::Data)?;
    let index = a.places()?;
    let given = a.given()?;
    let policy = a.policy()?;
    let out: Option<Out<'py>> = a.get(Role::Out)?;
    let threads = a.get(Role::Threads)?;
    let rules = policy.rules_for(py, &x)?;
    let x = x.open()?;
    let index = index.open(py)?;
    let (home, index) = (Home::first_of([&x.home, &index.home]), &index.tensor);
    let (work, rules) = (bytes(index), beside(rules, home));
    let rules: &Rules = &rules;
    let call = Call { x: &x.tensor, index, value: Source::Scalar(Scalar::Int(0)), given: &given, rules, others: &[] };
    let Some(out) = out else {
        let made = divided(py, threads, work, || fresh(&call)).map_err(|e| e.in_op(op)).or_raise(py)?;
        return home
            .give_read(py, made, x.tensor.shape(), rules, |places, rules| fresh(&Call { x: places, rules, ..call }));
    };
    let mut target = Target::of(out)?;
    let done = divided(py, threads, work, || match into {
        Some(into) => into(&call, &mut target.tensor),
        None => fresh(&call)?.index_out(&[Index::Ellipsis], &mut target.tensor, rules),
    });
    done.map_err(|e| e.in_op(op)).or_raise(py)?;
    target.finish()
}

/// All elements, in row-major order.
pub(super) fn copy<'py>(a: &Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let (py, x) = (a.py, a.need::<Data<'py>>(Role::Data)?);
    let (out, threads) = (a.get::<Out<'py>>(Role::Out)?, a.get(Role::Threads)?);
    let Operand { tensor, home } = x.open()?;
    let work = bytes(&tensor);
    let Some(out) = out else {
        let result = divided(py, threads, work, || tensor.to_row_major()).or_raise(py)?;
        return home.give_changed(py, result);
    };
    let mut target = Target::of(out)?;
    let all = [Index::Ellipsis];
    divided(py, threads, work, || tensor.index_out(&all, &mut target.tensor, &super::RULES))
        .map_err(|e| e.in_op(Op::Copy))
        .or_raise(py)?;
    target.finish()
}
