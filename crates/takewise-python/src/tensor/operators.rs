//! What Python's syntax does to a tensor.

use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList};
use takewise::ops::compare::Relation;
use takewise_dialects::facts::TensorClass;
use takewise_dialects::{Value, object};

use super::PyTensor;
use super::rows::Rows;
use crate::border::torch::{may_write, wrote};
use crate::error::{OrRaise, refuse};
use crate::library::Exchange;
use crate::threads::detached;

impl PyTensor {
    /// The only element as a Python number.
    fn number<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Exchange::new(self.face).python(py, &object::item(&self.array()).or_raise(py)?)
    }

    /// [`PyTensor::number`], asked for by Python: PyTorch has words of its own then for more or fewer elements.
    fn asked<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if self.lock().numel() != 1 && self.face.facts.objects.class != TensorClass::MindSpore {
            return Err(refuse(py, "ValueError", "only one element tensors can be converted to Python scalars"));
        }
        self.number(py)
    }

    pub(super) fn relate<'py>(
        &self,
        py: Python<'py>,
        how: Relation,
        other: &Bound<'py, PyAny>,
        reflected: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut exchange = Exchange::new(self.face);
        let this = Value::Array(self.array());
        let other = match exchange.value(other) {
            Ok(other) => other,
            Err(error) if error.is_instance_of::<PyTypeError>(py) => return Ok(py.NotImplemented().into_bound(py)),
            // What cannot even be looked at is nobody's to compare.
            Err(error) => return Err(error),
        };
        let (left, right) = if reflected { (&other, &this) } else { (&this, &other) };
        let bytes = self.bytes();
        let result = detached(py, bytes, || object::relate(how, left, right)).or_raise(py)?;
        exchange.result(py, result)
    }

    pub(super) fn bytes(&self) -> usize {
        let tensor = self.lock();
        tensor.numel().saturating_mul(tensor.dtype().size())
    }
}

#[pymethods]
impl PyTensor {
    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let mut exchange = Exchange::new(self.face);
        let key = exchange.value(key)?;
        exchange.prepare()?;
        let array = self.array();
        let found = detached(py, exchange.bytes, || object::get(&array, &key)).or_raise(py)?;
        // What is read from a tensor is a tensor, whoever's the index was.
        Exchange::new(self.face).result(py, found)
    }

    fn __setitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>, value: &Bound<'py, PyAny>) -> PyResult<()> {
        let mut exchange = Exchange::new(self.face);
        let (key, value) = (exchange.value(key)?, exchange.value(value)?);
        exchange.prepare()?;
        let array = self.array();
        let bytes = exchange.bytes.max(self.bytes());
        array.with(|tensor| may_write(py, tensor))?;
        detached(py, bytes, || object::set(&array, &key, &value)).or_raise(py)?;
        array.with(|tensor| wrote(py, tensor))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        let length = self.lock().shape().first().copied();
        length.ok_or_else(|| refuse(py, "TypeError", self.face.refusals.scalar_length))
    }

    fn __iter__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, Rows>> {
        let (py, me) = (this.py(), this.get());
        let count = object::row_count(&me.array()).or_raise(py)?;
        Bound::new(py, Rows::new(this, count))
    }

    /// The subarrays from the last one on. PyTorch turns a copy around; a tensor without axes is itself there.
    fn __reversed__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let me = this.get();
        if me.face.facts.objects.class == TensorClass::MindSpore {
            let rows = this.py().get_type::<PyList>().call1((this,))?;
            return rows.call_method0("__reversed__");
        }
        let whole = me.lock().shape().is_empty();
        if whole { Ok(this.clone().into_any()) } else { this.call_method1("flip", (0,)) }
    }

    /// A single element of PyTorch's is written as its number.
    fn __format__<'py>(this: &Bound<'py, Self>, spec: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, me) = (this.py(), this.get());
        let whole = me.lock().shape().is_empty();
        if whole && me.face.facts.objects.class != TensorClass::MindSpore {
            return me.number(py)?.call_method1("__format__", (spec,));
        }
        py.get_type::<PyAny>().call_method1("__format__", (this, spec))
    }

    fn __contains__<'py>(&self, py: Python<'py>, item: &Bound<'py, PyAny>) -> PyResult<bool> {
        let found = self.relate(py, Relation::Eq, item, false)?;
        // What is nothing to compare with is never equal, and says so in one word.
        if found.is(py.NotImplemented()) || found.is_instance_of::<PyBool>() {
            let text =
                format!("Tensor.__contains__ only supports Tensor or scalar, but you passed in a {}.", item.get_type());
            return Err(refuse(py, "RuntimeError", &text));
        }
        found.call_method0("any")?.is_truthy()
    }

    fn __richcmp__<'py>(
        &self,
        py: Python<'py>,
        other: &Bound<'py, PyAny>,
        op: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        let how = match op {
            CompareOp::Eq => Relation::Eq,
            CompareOp::Ne => Relation::Ne,
            CompareOp::Lt => Relation::Lt,
            CompareOp::Le => Relation::Le,
            CompareOp::Gt => Relation::Gt,
            CompareOp::Ge => Relation::Ge,
        };
        self.relate(py, how, other, false)
    }

    fn __hash__(this: &Bound<'_, Self>) -> isize {
        // By identity, since == gives a mask.
        (this.as_ptr() as isize) >> 4
    }

    fn __and__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.relate(py, Relation::And, other, false)
    }

    fn __rand__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.relate(py, Relation::And, other, true)
    }

    fn __or__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.relate(py, Relation::Or, other, false)
    }

    fn __ror__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.relate(py, Relation::Or, other, true)
    }

    fn __xor__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.relate(py, Relation::Xor, other, false)
    }

    fn __rxor__<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.relate(py, Relation::Xor, other, true)
    }

    fn __invert__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Exchange::new(self.face).python(py, &object::invert(&self.array()).or_raise(py)?)
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        object::truth(&self.array()).or_raise(py)
    }

    fn __int__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<pyo3::types::PyInt>().call1((self.asked(py)?,))
    }

    fn __float__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<pyo3::types::PyFloat>().call1((self.asked(py)?,))
    }

    fn __complex__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.get_type::<pyo3::types::PyComplex>().call1((self.asked(py)?,))
    }

    fn __index__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let tensor = self.tensor();
        let (dtype, count) = (tensor.dtype(), tensor.numel());
        if count != 1 || !dtype.is_integer() && dtype != takewise::DType::Bool {
            let text = "only integer tensors of a single element can be converted to an index";
            return Err(refuse(py, "TypeError", text));
        }
        self.__int__(py)
    }
}
