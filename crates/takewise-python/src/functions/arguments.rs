//! Arguments as functions take them: data, indices, masks, values, policies.

use std::borrow::Cow;

use pyo3::prelude::*;
use takewise::exec::Reduce;
use takewise::index::rules::{Duplicates, Outside, Rules, Sign};
use takewise::ops::Value;
use takewise::{DType, Dims, Scalar, Tensor};

use super::RULES;
use crate::border::{Home, Operand, literal};
use crate::error::{OrRaise, refuse};
use crate::tensor::PyTensor;

/// An array to index: of any library, or numbers in nested lists.
pub(super) struct Data(pub(super) Operand);

impl<'a, 'py> FromPyObject<'a, 'py> for Data {
    type Error = PyErr;

    #[inline]
    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Data> {
        Operand::of_any(&object, None).map(Data)
    }
}

/// An index array: of any library and integer dtype, or integers in nested lists.
pub(super) struct Places(pub(super) Tensor);

impl<'a, 'py> FromPyObject<'a, 'py> for Places {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Places> {
        if let Some(Ok(Operand { tensor, .. })) = Operand::of_numpy(&object).filter(is_native) {
            return Ok(Places(tensor));
        }
        match Operand::of(&object) {
            Ok(Some(Operand { tensor, home })) => match (tensor.dtype(), home) {
                (DType::Opaque { .. }, Home::NumPy(descr, _)) => {
                    let text = format!(
                        "an index array of dtype {} cannot be read: use one of a native integer dtype, as .astype('int64') gives",
                        descr.bind(object.py())
                    );
                    return Err(refuse(object.py(), "TypeError", &text));
                }
                _ => return Ok(Places(tensor)),
            },
            Ok(None) => {}
            Err(error) => return Err(error),
        }
        let empty = literal::sequence(&object).is_some_and(|list| list.is_empty().unwrap_or(false));
        literal::tensor(&object, empty.then_some(DType::I64)).map(Places)
    }
}

/// Whether elements are of a dtype that can be read and not only moved.
fn is_native(opened: &PyResult<Operand>) -> bool {
    opened.as_ref().is_ok_and(|operand| !matches!(operand.tensor.dtype(), DType::Opaque { .. }))
}

/// What is stored: an array, a number, or numbers in nested lists, which take the dtype of the array they go to.
pub(super) struct Stored<'py>(pub(super) Bound<'py, PyAny>);

impl<'a, 'py> FromPyObject<'a, 'py> for Stored<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Stored<'py>> {
        Ok(Stored(object.to_owned()))
    }
}

/// A stored value, opened.
pub(super) enum Source {
    Number(Scalar),
    Array(Operand),
}

impl Stored<'_> {
    /// The value, lists in the dtype given, and numbers too where it must be an array as a `whole`.
    pub(super) fn open(&self, dtype: DType, whole: bool) -> PyResult<Source> {
        match Operand::of_usual(&self.0) {
            Ok(Some(operand)) => return Ok(Source::Array(operand)),
            Ok(None) => {}
            Err(error) => return Err(error),
        }
        match literal::scalar(&self.0) {
            Some(_) if whole => {
                let tensor = literal::tensor(&self.0, Some(dtype))?;
                return Ok(Source::Array(Operand { tensor, home: Home::Own }));
            }
            Some(number) => return Ok(Source::Number(number)),
            None => {}
        }
        let like = !matches!(dtype, DType::Opaque { .. });
        Operand::of_any(&self.0, like.then_some(dtype)).map(Source::Array)
    }
}

impl Source {
    pub(super) fn value(&self) -> Value<'_> {
        match self {
            Source::Number(number) => Value::Scalar(*number),
            Source::Array(operand) => Value::Tensor(&operand.tensor),
        }
    }
}

/// A word for one of several choices.
macro_rules! word {
    ($(#[$doc:meta])* $name:ident($inner:ty) $argument:literal { $($text:literal => $value:expr),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name(pub(super) $inner);

        impl<'a, 'py> FromPyObject<'a, 'py> for $name {
            type Error = PyErr;

            fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<$name> {
                let py = object.py();
                let refused = |given: &str| {
                    let known = [$($text),*].map(|text| format!("{text:?}")).join(", ");
                    refuse(py, "ValueError", &format!("{} must be one of {known}, not {given}", $argument))
                };
                match object.extract::<&str>() {
                    $(Ok($text) => Ok($name($value)),)*
                    Ok(other) => Err(refused(&format!("{other:?}"))),
                    Err(_) => Err(refused(&object.repr()?.to_string())),
                }
            }
        }
    };
}

word! {
    /// What values outside their axis do.
    Bounds(Outside) "bounds" {
        "raise" => Outside::Raise,
        "wrap" => Outside::Wrap,
        "clip" => Outside::Clip,
        "fill" => Outside::Fill,
        "drop" => Outside::Drop,
    }
}

word! {
    /// What several stores to one place do.
    Twice(Duplicates) "duplicates" {
        "last" => Duplicates::Last,
        "first" => Duplicates::First,
        "error" => Duplicates::Error,
    }
}

word! {
    /// How values meeting in one place are combined.
    Combine(Option<Reduce>) "reduce" {
        "none" => None,
        "sum" => Some(Reduce::Sum),
        "add" => Some(Reduce::Sum),
        "prod" => Some(Reduce::Prod),
        "multiply" => Some(Reduce::Prod),
        "mul" => Some(Reduce::Prod),
        "mean" => Some(Reduce::Mean),
        "amax" => Some(Reduce::Max),
        "max" => Some(Reduce::Max),
        "amin" => Some(Reduce::Min),
        "min" => Some(Reduce::Min),
    }
}

/// The rules with what a call's keywords say instead.
#[derive(Default)]
pub(super) struct Policy<'py> {
    pub(super) bounds: Option<Bounds>,
    pub(super) negative: Option<bool>,
    pub(super) duplicates: Option<Twice>,
    pub(super) fill: Option<Bound<'py, PyAny>>,
}

impl Policy<'_> {
    /// Errors: `TypeError` for a `fill_value` that is no number, `ValueError` for one nobody asks for.
    pub(super) fn rules(&self) -> PyResult<Cow<'static, Rules>> {
        static PLAIN: Rules = RULES;
        let Policy { bounds, negative, duplicates, fill } = self;
        if bounds.is_none() && negative.is_none() && duplicates.is_none() && fill.is_none() {
            return Ok(Cow::Borrowed(&PLAIN));
        }
        let mut rules = RULES;
        if let Some(bounds) = self.bounds {
            rules.outside = bounds.0;
        }
        if let Some(duplicates) = self.duplicates {
            rules.duplicates = duplicates.0;
        }
        if self.negative == Some(false) {
            rules.sign = Sign::NonNegative;
        }
        if let Some(fill) = self.fill.as_ref().filter(|fill| !fill.is_none()) {
            let py = fill.py();
            if rules.outside != Outside::Fill {
                return Err(refuse(py, "ValueError", "fill_value is used only with bounds=\"fill\""));
            }
            let number = literal::scalar(fill);
            rules.fill = Some(match number {
                Some(number) => number,
                None => number_of(fill)?,
            });
        }
        Ok(Cow::Owned(rules))
    }
}

/// The number an array of one element holds.
fn number_of(object: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    let py = object.py();
    match Operand::of(object)? {
        Some(operand) => operand.tensor.item().or_raise(py),
        None => Err(refuse(py, "TypeError", "fill_value must be a number")),
    }
}

/// Where a result goes that the caller has memory for.
pub(super) struct Target<'py> {
    object: Bound<'py, PyAny>,
    /// The caller's memory, which an operation may replace by its result if the shape differs.
    pub(super) tensor: Tensor,
    shape: Dims<usize>,
    home: Home,
}

/// The array to write into. Errors: `TypeError` for what is no array.
fn writable(object: &Bound<'_, PyAny>) -> PyResult<Operand> {
    match Operand::of(object) {
        Ok(Some(operand)) => Ok(operand),
        opened => Err(unwritable(object, &opened)),
    }
}

/// [`writable`] of what [`Operand::of`] made of the object, looked at where it was made.
#[inline]
pub(super) fn target<'o>(object: &Bound<'_, PyAny>, opened: &'o PyResult<Option<Operand>>) -> PyResult<&'o Operand> {
    match opened {
        Ok(Some(operand)) => Ok(operand),
        _ => Err(unwritable(object, opened)),
    }
}

/// Why what was opened cannot be written into.
#[cold]
fn unwritable(object: &Bound<'_, PyAny>, opened: &PyResult<Option<Operand>>) -> PyErr {
    let name = match opened {
        Err(error) => return error.clone_ref(object.py()),
        Ok(_) => object.get_type().name(),
    };
    match name {
        Ok(name) => refuse(object.py(), "TypeError", &format!("cannot write into a {name}: pass an array")),
        Err(error) => error,
    }
}

impl<'py> Target<'py> {
    /// The array to write into. Errors as [`writable`].
    pub(super) fn of(object: &Bound<'py, PyAny>) -> PyResult<Target<'py>> {
        let Operand { tensor, home } = writable(object)?;
        let shape = Dims::from_slice(tensor.shape());
        Ok(Target { object: object.clone(), tensor, shape, home })
    }

    /// The object, holding the result: torch's tensors and ours take another shape where they must.
    pub(super) fn finish(self) -> PyResult<Bound<'py, PyAny>> {
        let py = self.object.py();
        if self.tensor.shape() == &self.shape[..] {
            return Ok(self.object);
        }
        match (&self.home, self.object.cast::<PyTensor>()) {
            (_, Ok(own)) => own.get().settle(&self.tensor),
            (Home::Torch(..), _) => {
                let fresh = self.home.give(py, self.tensor)?;
                self.object.call_method1(crate::known::intern!(py, "set_"), (fresh,))?;
            }
            _ => {
                let text = format!("out= has shape {:?}, the result {:?}", self.shape, self.tensor.shape());
                return Err(refuse(py, "ValueError", &text));
            }
        }
        Ok(self.object)
    }
}

/// Bytes of an array.
pub(super) fn bytes(tensor: &Tensor) -> usize {
    tensor.numel().saturating_mul(tensor.dtype().size())
}
