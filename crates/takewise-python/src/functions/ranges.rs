//! Operations on arrays that are known by their roles: rows of different lengths, order.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use takewise::ops::Source;
use takewise::{Index, Result, Tensor};
use takewise_operations::{Arrays, Role, Settings};

use super::arguments::{Data, Form, How, IndexArray, Out, PlainNumber, Stored, Target, beside, bytes};
use crate::border::callable::Arguments;
use crate::border::{Home, Operand};
use crate::error::OrRaise;
use crate::threads::divided;

impl<'py> Arguments<'_, 'py> {
    /// The arrays that were given to say where rows lie.
    #[inline]
    pub(super) fn rows(&self) -> PyResult<Vec<(Role, IndexArray<'py>)>> {
        // Few operations have rows.
        if Role::ROWS.iter().all(|role| self.parameter(*role).is_none()) {
            return Ok(Vec::new());
        }
        let mut rows = Vec::with_capacity(Role::ROWS.len());
        for role in Role::ROWS {
            if let Some(array) = self.get(role)? {
                rows.push((role, array));
            }
        }
        Ok(rows)
    }

    fn settings(&self) -> PyResult<Settings> {
        let plain = Settings::default();
        Ok(Settings {
            axis: self.axis()?,
            how: self.get::<How>(Role::How)?.map_or(plain.how, |how| how.0),
            skip_nan: self.flag(Role::SkipNan)?,
            empty: self.get::<PlainNumber>(Role::Empty)?.map(|number| number.0),
            width: self.get(Role::Width)?,
            padding: self.get::<PlainNumber>(Role::Padding)?.map_or(plain.padding, |number| number.0),
            with_mask: self.flag(Role::WithMask)?,
            count: self.get(Role::Count)?,
            right: self.flag(Role::Right)?,
            at_least: self.get(Role::AtLeast)?.unwrap_or(plain.at_least),
            descending: self.flag(Role::Descending)?,
            largest: self.get(Role::Largest)?.unwrap_or(plain.largest),
            invert: self.flag(Role::Invert)?,
            with_index: self.flag(Role::WithIndex)?,
            with_inverse: self.flag(Role::WithInverse)?,
            with_counts: self.flag(Role::WithCounts)?,
        })
    }
}

/// Rows, opened.
#[inline]
pub(super) fn opened(py: Python<'_>, rows: Vec<(Role, IndexArray<'_>)>) -> PyResult<Vec<(Role, Operand)>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    rows.into_iter().map(|(role, array)| array.open(py).map(|operand| (role, operand))).collect()
}

/// Rows as the engine takes them.
pub(super) fn lent(rows: &[(Role, Operand)]) -> Vec<(Role, &Tensor)> {
    rows.iter().map(|(role, operand)| (*role, &operand.tensor)).collect()
}

/// Runs an operation on arrays; several results are a tuple, and the caller's memory is for the first.
pub(super) fn arrays<'py>(
    a: &Arguments<'_, 'py>,
    run: fn(&Arrays<'_>) -> Result<Vec<Tensor>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, op) = (a.py, a.op());
    let data: Option<Data<'py>> = a.get(Role::Data)?;
    let rows = a.rows()?;
    let (index, mask) = (a.get::<IndexArray<'py>>(Role::Index)?, a.get::<Data<'py>>(Role::Mask)?);
    let among = a.get::<Data<'py>>(Role::Among)?;
    let (sought, weights) = (a.get::<Stored<'py>>(Role::Sought)?, a.get::<Stored<'py>>(Role::Weights)?);
    let (given, rules) = (a.settings()?, a.policy()?.rules()?);
    let (mut out, threads) = (a.get::<Out<'py>>(Role::Out)?, a.get(Role::Threads)?);
    // All have arrived.
    let data = data.map(Data::open).transpose()?;
    let mut operands = opened(py, rows)?;
    operands.extend(index.map(|index| index.open(py)).transpose()?.map(|index| (Role::Index, index)));
    operands.extend(mask.map(Data::open).transpose()?.map(|mask| (Role::Mask, mask)));
    operands.extend(among.map(Data::open).transpose()?.map(|among| (Role::Among, among)));
    let form = Form { whole: true, combined: false };
    for (role, stored) in [(Role::Sought, sought), (Role::Weights, weights)] {
        if let (Some(stored), Some(data)) = (stored, &data)
            && let Source::Array(operand) = stored.open(py, data, form, op, &rules)?
        {
            operands.push((role, operand));
        }
    }
    operands.splice(0..0, data.map(|data| (Role::Data, data)));
    let all = lent(&operands);
    let homes: Vec<&Home> = operands.iter().map(|(_, operand)| &operand.home).collect();
    let home = Home::first_of(homes);
    let work = all.iter().map(|(_, array)| bytes(array)).fold(0, usize::saturating_add);
    let rules = beside(rules, home);
    let call = Arrays { all: &all, given: &given, rules: &rules };
    let mut made = divided(py, threads, work, || run(&call)).map_err(|e| e.in_op(op)).or_raise(py)?;
    let mut results = Vec::with_capacity(made.len());
    let rest = made.split_off(1);
    for first in made {
        results.push(match out.take() {
            None => home.give(py, first)?,
            Some(out) => {
                let mut target = Target::of(out)?;
                let all = [Index::Ellipsis];
                let stored = divided(py, threads, work, || first.index_out(&all, &mut target.tensor, &rules));
                stored.map_err(|e| e.in_op(op)).or_raise(py)?;
                target.finish()?
            }
        });
    }
    for one in rest {
        results.push(home.give(py, one)?);
    }
    match &results[..] {
        [one] => Ok(one.clone()),
        _ => Ok(PyTuple::new(py, results)?.into_any()),
    }
}
