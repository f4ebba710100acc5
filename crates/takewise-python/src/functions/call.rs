//! The operations of the catalogue on Python's objects: each argument is taken by what its parameter is for.

use pyo3::prelude::*;
use takewise::Scalar;
use takewise_operations::{self as operations, Given, Role, Run};

use super::arguments::{Combine, Data, Grouped, IndexArray, Policy};
use super::{order, ranges, read, search, subscript, write};
use crate::border::callable::{self, Arguments};
use crate::border::literal;
use crate::error::refuse;

/// Runs the operation that is called.
fn run<'py>(a: &Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    match a.entry().operation.run {
        Run::Read { fresh, into } => read::read(a, fresh, into),
        Run::Write { copy: Some(copy), combines, .. } if !a.entry().in_place => write::copied(a, copy, combines),
        Run::Write { place, combines, gives, .. } => write::in_place(a, place, combines, gives),
        Run::Subscript(way) => subscript::read(a, way),
        Run::Store => subscript::store(a),
        Run::Copy => read::copy(a),
        Run::ScatterNd => write::scatter_nd(a),
        Run::Arrays(run) => ranges::arrays(a, run),
        Run::Theirs { run, few } => order::theirs(a, run, few),
        Run::SearchSorted => search::searchsorted(a),
        Run::Bucketize => search::bucketize(a),
        Run::Nonzero => search::nonzero(a),
        Run::Where => search::choose(a),
    }
}

/// Adds every function of the catalogue to the module.
pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    operations::all().try_for_each(|entry| callable::add(m, entry, run))
}

impl<'py> Arguments<'_, 'py> {
    /// Positions, or a mask, which may be any array.
    #[inline(always)]
    pub(super) fn places(&self) -> PyResult<IndexArray<'py>> {
        match self.get(Role::Index)? {
            Some(index) => Ok(index),
            None => self.need::<Data<'py>>(Role::Mask).map(IndexArray::from),
        }
    }

    /// The rules that the call says.
    #[inline(always)]
    pub(super) fn policy(&self) -> PyResult<Policy<'py>> {
        if self.without_names() {
            return Ok(Policy::default());
        }
        Ok(Policy {
            bounds: self.get(Role::Bounds)?,
            negative: self.get(Role::Negative)?,
            duplicates: self.get(Role::Duplicates)?,
            casting: self.get(Role::Casting)?,
            fill: self.get(Role::Fill)?,
        })
    }

    /// What says how the operation runs.
    #[inline(always)]
    pub(super) fn given(&self) -> PyResult<Given> {
        let axis = self.axis()?;
        if self.by_axis() {
            return Ok(Given { axis, ..Given::default() });
        }
        let reduce: Option<Combine> = self.get(Role::Reduce)?;
        let given = Given {
            axis,
            batch_dims: self.get(Role::BatchDims)?.unwrap_or(0),
            reduce: reduce.and_then(|reduce| reduce.0),
            include_self: self.get(Role::IncludeSelf)?.unwrap_or(true),
            accumulate: self.flag(Role::Accumulate)?,
            alpha: self.get::<Alpha>(Role::Factor)?.map_or(Scalar::Int(1), |alpha| alpha.0),
            ..Given::default()
        };
        Ok(match self.get::<Grouped>(Role::HasReduce)? {
            Some(group) => given.grouped(group.0, self.flag(Role::SkipNan)?),
            None => given,
        })
    }

    /// A switch that is off unless told otherwise.
    pub(super) fn flag(&self, role: Role) -> PyResult<bool> {
        Ok(self.get(role)?.unwrap_or(false))
    }

    /// The axis; `None` for the flattened array.
    #[inline]
    pub(super) fn axis(&self) -> PyResult<Option<i64>> {
        if let Some(axis) = self.get(Role::Axis)? {
            return Ok(Some(axis));
        }
        match self.object(Role::AxisOrNone) {
            Some(given) if given.is_none() => Ok(None),
            Some(_) => self.get(Role::AxisOrNone),
            None => Ok(self.parameter(Role::AxisOrNone).and_then(|p| p.default?.parse().ok())),
        }
    }
}

/// A factor.
struct Alpha(Scalar);

impl<'a, 'py> FromPyObject<'a, 'py> for Alpha {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Alpha> {
        let number = literal::scalar(&object);
        number.map(Alpha).ok_or_else(|| refuse(object.py(), "TypeError", "alpha must be a number"))
    }
}
