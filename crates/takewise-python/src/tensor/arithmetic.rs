//! Arithmetic of integers, by which indices are made, and of floats in place, in Python's syntax; and what NumPy's operators make of a tensor.

use pyo3::exceptions::{PyNotImplementedError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use takewise::ops::compare::Relation;
use takewise_dialects::operator::{Operator, UnaryOp};
use takewise_dialects::{Value, object};

use super::PyTensor;
use crate::border::torch::{may_write, wrote};
use crate::border::{Operand, literal, numpy, to_numpy};
use crate::error::{OrRaise, refuse};
use crate::library::Exchange;
use crate::threads::detached;

/// What is added in place in `x += y`: a number or an array, but for those of NumPy, which PyTorch adds into a new tensor.
struct Addend<'py>(Bound<'py, PyAny>);

impl<'py> FromPyObject<'_, 'py> for Addend<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let number = literal::scalar(&object).is_some() || numpy::is_scalar(&object);
        let array = || PyResult::Ok(!is_numpy(&object) && Operand::of(&object)?.is_some());
        match number || Operand::may_be_tensor(&object) || array()? {
            true => Ok(Addend(object.to_owned())),
            // Python then asks for the sum.
            false => Err(PyTypeError::new_err("neither a number nor a tensor")),
        }
    }
}

impl PyTensor {
    /// What stands beside the tensor, and bytes of both; `None` for what is no number and no array.
    fn beside<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Option<(Value, usize)>> {
        let py = other.py();
        let mut exchange = Exchange::new(self.face);
        let other = match exchange.value(other) {
            // Whosever the array is, the operator is that of the tensor.
            Ok(Value::Array(array)) => Value::Array(array.of_face(self.face)),
            Ok(number @ (Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Complex(..))) => number,
            Ok(_) => return Ok(None),
            // An array of NumPy's that no tensor can be made of would make an array of the tensor.
            Err(error) if error.is_instance_of::<PyTypeError>(py) && !is_numpy(other) => return Ok(None),
            // What cannot even be looked at is nobody's to reckon with.
            Err(error) => return Err(error),
        };
        exchange.prepare()?;
        Ok(Some((other, exchange.bytes.max(self.bytes()))))
    }

    fn reckon<'py>(
        &self,
        py: Python<'py>,
        op: Operator,
        other: &Bound<'py, PyAny>,
        reflected: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some((other, bytes)) = self.beside(other)? else { return Ok(py.NotImplemented().into_bound(py)) };
        let this = Value::Array(self.array());
        let (left, right) = if reflected { (&other, &this) } else { (&this, &other) };
        let made = detached(py, bytes, || object::binary(op, left, right)).or_raise(py)?;
        Exchange::new(self.face).result(py, made)
    }

    fn reckon_in_place(&self, py: Python<'_>, op: Operator, other: &Addend<'_>) -> PyResult<()> {
        let Some((other, bytes)) = self.beside(&other.0)? else {
            let text = format!("tensor arithmetic takes a number or an array, not {}", other.0.get_type().name()?);
            return Err(refuse(py, "TypeError", &text));
        };
        let array = self.array();
        array.with(|tensor| may_write(py, tensor))?;
        let this = Value::Array(array.clone());
        detached(py, bytes, || object::binary_in_place(op, &this, &other)).or_raise(py)?;
        array.with(|tensor| wrote(py, tensor))
    }

    /// What the operator of a ufunc's name gives between the tensor and another object; `None` for other functions.
    fn operator<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        other: &Bound<'py, PyAny>,
        reflected: bool,
    ) -> Option<PyResult<Bound<'py, PyAny>>> {
        let op = match name {
            "add" => Operator::Add,
            "subtract" => Operator::Sub,
            "multiply" => Operator::Mult,
            "floor_divide" => Operator::FloorDiv,
            "remainder" => Operator::Mod,
            _ => {
                let (how, turned) = match name {
                    "equal" => (Relation::Eq, Relation::Eq),
                    "not_equal" => (Relation::Ne, Relation::Ne),
                    "less" => (Relation::Lt, Relation::Gt),
                    "less_equal" => (Relation::Le, Relation::Ge),
                    "greater" => (Relation::Gt, Relation::Lt),
                    "greater_equal" => (Relation::Ge, Relation::Le),
                    "bitwise_and" => (Relation::And, Relation::And),
                    "bitwise_or" => (Relation::Or, Relation::Or),
                    "bitwise_xor" => (Relation::Xor, Relation::Xor),
                    _ => return None,
                };
                return Some(self.relate(py, if reflected { turned } else { how }, other, false));
            }
        };
        Some(self.reckon(py, op, other, reflected))
    }
}

#[pymethods]
impl PyTensor {
    fn __add__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.reckon(py, Operator::Add, other, false)
    }

    fn __radd__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.reckon(py, Operator::Add, other, true)
    }

    fn __iadd__(&self, py: Python<'_>, other: Addend<'_>) -> PyResult<()> {
        self.reckon_in_place(py, Operator::Add, &other)
    }

    fn __sub__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.reckon(py, Operator::Sub, other, false)
    }

    fn __rsub__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.reckon(py, Operator::Sub, other, true)
    }

    fn __isub__(&self, py: Python<'_>, other: Addend<'_>) -> PyResult<()> {
        self.reckon_in_place(py, Operator::Sub, &other)
    }

    fn __mul__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.reckon(py, Operator::Mult, other, false)
    }

    fn __rmul__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.reckon(py, Operator::Mult, other, true)
    }

    fn __imul__(&self, py: Python<'_>, other: Addend<'_>) -> PyResult<()> {
        self.reckon_in_place(py, Operator::Mult, &other)
    }

    fn __truediv__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.reckon(py, Operator::Div, other, false)
    }

    fn __rtruediv__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.reckon(py, Operator::Div, other, true)
    }

    fn __itruediv__(&self, py: Python<'_>, other: Addend<'_>) -> PyResult<()> {
        self.reckon_in_place(py, Operator::Div, &other)
    }

    fn __floordiv__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.reckon(py, Operator::FloorDiv, other, false)
    }

    fn __rfloordiv__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.reckon(py, Operator::FloorDiv, other, true)
    }

    fn __ifloordiv__(&self, py: Python<'_>, other: Addend<'_>) -> PyResult<()> {
        self.reckon_in_place(py, Operator::FloorDiv, &other)
    }

    fn __mod__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.reckon(py, Operator::Mod, other, false)
    }

    fn __rmod__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.reckon(py, Operator::Mod, other, true)
    }

    fn __imod__(&self, py: Python<'_>, other: Addend<'_>) -> PyResult<()> {
        self.reckon_in_place(py, Operator::Mod, &other)
    }

    fn __iand__(&self, py: Python<'_>, other: Addend<'_>) -> PyResult<()> {
        self.reckon_in_place(py, Operator::BitAnd, &other)
    }

    fn __ior__(&self, py: Python<'_>, other: Addend<'_>) -> PyResult<()> {
        self.reckon_in_place(py, Operator::BitOr, &other)
    }

    fn __ixor__(&self, py: Python<'_>, other: Addend<'_>) -> PyResult<()> {
        self.reckon_in_place(py, Operator::BitXor, &other)
    }

    fn __neg__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let this = Value::Array(self.array());
        let made = detached(py, self.bytes(), || object::unary(UnaryOp::USub, &this)).or_raise(py)?;
        Exchange::new(self.face).result(py, made)
    }

    /// By which a column of pandas leaves its operators with a tensor to the tensor, as NumPy's arrays do.
    #[classattr]
    fn __pandas_priority__() -> u32 {
        5000
    }

    /// NumPy asks this before it reckons with a tensor. An operator between one of its arrays and a tensor is the tensor's, as far as
    /// that is evaluated; every other function takes the tensor for the array over its memory, and so does `a += x`.
    #[pyo3(signature = (ufunc, method, *inputs, **kwargs))]
    fn __array_ufunc__<'py>(
        this: &Bound<'py, Self>,
        ufunc: &Bound<'py, PyAny>,
        method: &str,
        inputs: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        if method == "__call__" && inputs.len() == 2 && kwargs.is_none_or(|kwargs| kwargs.is_empty()) {
            let reflected = !inputs.get_item(0)?.is(this);
            let other = inputs.get_item(usize::from(!reflected))?;
            let name: String = ufunc.getattr("__name__")?.extract()?;
            match this.get().operator(py, &name, &other, reflected) {
                Some(Ok(made)) if !made.is(py.NotImplemented()) => return Ok(made),
                Some(Err(error))
                    if !error.is_instance_of::<PyNotImplementedError>(py)
                        && !error.is_instance_of::<PyTypeError>(py) =>
                {
                    return Err(error);
                }
                _ => {}
            }
        }
        let inputs = as_arrays(inputs)?;
        let more = kwargs.map(|kwargs| kwargs.copy()).transpose()?;
        if let Some(more) = &more {
            for (name, value) in more.iter() {
                match value.cast::<PyTuple>() {
                    Ok(several) => more.set_item(name, as_arrays(several)?)?,
                    Err(_) => more.set_item(name, as_array(value)?)?,
                }
            }
        }
        ufunc.call_method(method, inputs, more.as_ref())
    }
}

/// Whether it is an array or a scalar of NumPy's.
fn is_numpy(object: &Bound<'_, PyAny>) -> bool {
    Operand::is_exact_numpy(object) || numpy::is_subclass(object) || numpy::is_scalar(object)
}

/// A tensor as the array over its memory; anything else as it is.
fn as_array(value: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    match value.cast::<PyTensor>() {
        Ok(tensor) => to_numpy(value.py(), tensor.get().tensor(), None),
        Err(_) => Ok(value),
    }
}

fn as_arrays<'py>(values: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(values.py(), values.iter().map(as_array).collect::<PyResult<Vec<_>>>()?)
}
