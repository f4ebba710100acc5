//! Array arguments before any address is taken.
//!
//! What a caller passes may run the caller's code when it is looked at: `__index__`, `__len__`, `__getitem__`, `__dlpack__`
//! of whatever class. Such code can resize or free an array that another argument is. So a call takes its arguments in two
//! steps: all of them arrive, by which all code of the caller's has run, and then they are opened, which runs none.

use pyo3::prelude::*;
use takewise::DType;

use super::{Operand, literal, numpy, torch};

/// An array argument that has arrived.
pub(crate) enum Arrived<'py> {
    /// An array whose owner may move its memory at any time. Opening it runs no code but its library's own.
    Loose(Bound<'py, PyAny>),
    /// Memory that is held, or was made for the call. Boxed, as few have to be moved about for it.
    Held(Box<Operand>),
}

impl<'py> Arrived<'py> {
    /// The object as an array; `None` and errors as [`Operand::of`], but those that opening it meets.
    #[inline]
    pub(crate) fn of(object: &Bound<'py, PyAny>) -> PyResult<Option<Arrived<'py>>> {
        match Arrived::of_exact(object) {
            Some(found) => Ok(Some(found)),
            None => Arrived::of_other(object),
        }
    }

    /// [`Arrived::of`] for the classes most arrays are of.
    #[inline]
    pub(crate) fn of_exact(object: &Bound<'py, PyAny>) -> Option<Arrived<'py>> {
        let known = numpy::exact(object).is_some() || Operand::may_be_tensor(object);
        known.then(|| Arrived::Loose(object.clone()))
    }

    /// [`Arrived::of`] for all others.
    #[cold]
    pub(crate) fn of_other(object: &Bound<'py, PyAny>) -> PyResult<Option<Arrived<'py>>> {
        // Opened once for what it may run, and for what is wrong with it.
        let opened = Operand::of(object)?;
        Ok(opened.map(|operand| match is_loose(object) {
            true => Arrived::Loose(object.clone()),
            false => Arrived::Held(Box::new(operand)),
        }))
    }

    /// The object as an array, lists and numbers included, as [`Operand::of_any`].
    #[inline]
    pub(crate) fn of_any(object: &Bound<'py, PyAny>) -> PyResult<Arrived<'py>> {
        match Arrived::of(object) {
            Ok(Some(found)) => Ok(found),
            Ok(None) => Operand::of_any(object, None).map(|operand| Arrived::Held(Box::new(operand))),
            Err(error) => Err(error),
        }
    }

    /// The dtype, before all arguments have arrived.
    pub(crate) fn dtype(&self) -> PyResult<DType> {
        match self {
            Arrived::Loose(object) => Ok(Arrived::Loose(object.clone()).open()?.tensor.dtype()),
            Arrived::Held(operand) => Ok(operand.tensor.dtype()),
        }
    }

    /// The array, when all arguments have arrived.
    #[inline(always)]
    pub(crate) fn open(self) -> PyResult<Operand> {
        match self {
            Arrived::Loose(object) => match Operand::of_numpy(&object) {
                Some(operand) => operand,
                None => again(&object),
            },
            Arrived::Held(operand) => Ok(*operand),
        }
    }
}

/// Whether an array's memory is its owner's to move: others are held by the protocol they came by.
pub(crate) fn is_loose(object: &Bound<'_, PyAny>) -> bool {
    numpy::array(object).is_some() || torch::table_of(object).is_ok_and(|table| table.is_some())
}

/// A loose array, or a tensor of ours, opened without running any code but its library's own: once it has arrived.
pub(crate) fn again(object: &Bound<'_, PyAny>) -> PyResult<Operand> {
    if let Some(array) = numpy::array(object) {
        return numpy::import_exact(array);
    }
    let opened = match torch::exact(object) {
        None => match torch::table_of(object)? {
            Some(table) => torch::lend(object, table)?,
            None => Operand::of_usual(object)?,
        },
        Some(table) => torch::import(object, table)?,
    };
    opened.ok_or_else(|| literal::no_array(object))
}
