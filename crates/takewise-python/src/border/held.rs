//! What people hold that is no array of a library with an exchange of its own: columns of pandas, polars and pyarrow, arrays
//! of xarray, data sets of h5py, and whatever has `__array__`.
//!
//! What each is opened as, and what comes back, is said in `takewise._held`. None of these packages is imported for it.

use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use takewise::index::rules::{Fill, Outside, Rules};
use takewise::{Scalar, Tensor};

use super::{Home, Operand, numpy, to_numpy};
use crate::error::{OrRaise, refuse};
use crate::known::Known;

/// Packages whose objects have a way in of their own, before every exchange.
const PACKAGES: [&str; 6] = ["h5py", "pandas", "polars", "pyarrow", "xarray", "zarr"];

/// Whether the object is of one of the packages, by the module of a class it is an instance of.
pub(super) fn is_known(object: &Bound<'_, PyAny>) -> bool {
    let of = |class: &Bound<'_, PyAny>| {
        let module = class.cast::<PyType>().ok()?.module().ok()?;
        let name = module.to_str().ok()?;
        Some(PACKAGES.contains(&name.split('.').next()?))
    };
    object.get_type().mro().iter().any(|class| of(&class) == Some(true))
}

/// Whether the object may be a column of one of the packages.
pub(super) fn is_column(object: &Bound<'_, PyAny>) -> bool {
    !super::literal::is_plain(object) && numpy::array(object).is_none() && is_known(object)
}

/// The object opened; `None` if it offers no array.
///
/// Errors: what cannot be an array, with what can be done instead.
pub(super) fn opened(object: &Bound<'_, PyAny>) -> PyResult<Option<Operand>> {
    static OPENED: Known<Py<PyAny>> = Known::new();
    let py = object.py();
    let found = OPENED.import(py, "takewise._held", "opened")?.call1((object,))?;
    if found.is_none() {
        return Ok(None);
    }
    let (array, kept): (Bound<'_, PyAny>, bool) = found.cast_into::<PyTuple>()?.extract()?;
    let Some(array) = numpy::array(&array) else { return Operand::of(&array) };
    let Operand { tensor, .. } = numpy::import(array)?;
    let home = if kept { Home::Held(object.clone().unbind()) } else { Home::Plain };
    Ok(Some(Operand { tensor, home }))
}

/// Why nothing can be written into the object, where it is one of these.
#[cold]
pub(crate) fn unwritable(object: &Bound<'_, PyAny>) -> PyResult<()> {
    static TEXT: Known<Py<PyAny>> = Known::new();
    let py = object.py();
    let text = TEXT.import(py, "takewise._held", "unwritable")?.call1((object,))?;
    if text.is_none() { Ok(()) } else { Err(refuse(py, "TypeError", text.extract()?)) }
}

impl Home {
    /// [`Home::give`] of elements that a call has read from an array of this extent, by rules that `again` can be run by on
    /// another array of it: a column comes back as a column, with the labels of what was read.
    #[inline]
    pub(crate) fn give_read<'py>(
        &self,
        py: Python<'py>,
        made: Tensor,
        shape: &[usize],
        rules: &Rules,
        again: impl FnOnce(&Tensor, &Rules) -> takewise::Result<Tensor>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Home::Held(object) if made.shape().len() == 1 && shape.len() == 1 => {
                let numbers = Tensor::from_vec((0..shape[0] as i64).collect(), shape).or_raise(py)?;
                let gaps = matches!(rules.outside, Outside::Fill | Outside::Drop);
                let outside = if gaps { Outside::Fill } else { rules.outside };
                let rules = Rules { outside, fill: Some(Fill::Number(Scalar::Int(-1))), ..*rules };
                let places = again(&numbers, &rules).or_raise(py)?;
                dressed(py, object, made, Some(places))
            }
            home => home.give(py, made),
        }
    }

    /// [`Home::give`] of a changed copy: a column keeps its labels.
    #[inline]
    pub(crate) fn give_changed<'py>(&self, py: Python<'py>, made: Tensor) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Home::Held(object) if made.shape().len() == 1 => dressed(py, object, made, None),
            home => home.give(py, made),
        }
    }
}

/// Elements as a column like the object, at places of it, or at all.
#[cold]
fn dressed<'py>(
    py: Python<'py>,
    object: &Py<PyAny>,
    made: Tensor,
    places: Option<Tensor>,
) -> PyResult<Bound<'py, PyAny>> {
    static DRESSED: Known<Py<PyAny>> = Known::new();
    let made = to_numpy(py, made, None)?;
    let places = places.map(|places| to_numpy(py, places, None)).transpose()?;
    DRESSED.import(py, "takewise._held", "dressed")?.call1((object, made, places))
}
