//! A function of PyTorch's table as a kernel of PyTorch's own dispatcher, for `takewise.accelerate_torch`.
//!
//! A kernel is called below autograd with what an operator's schema names, and falls back to the kernel it stands in
//! for wherever a call is not ours to answer: memory we cannot borrow, a dtype the engine has no number for, an
//! argument the table does not speak of, a target several of whose elements share one place (which PyTorch writes with a
//! warning here, refuses there), an `out=` that has to be resized. Such a call has written nothing. A call that the table
//! refuses for its shapes or dtypes is put to the other kernel too, whose class of error, or leniency, counts.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use takewise::{DType, Tensor};
use takewise_dialects::rules::Dialect;
use takewise_dialects::sig::{Arguments, Plain};
use takewise_dialects::{Array, EvalError, Function, TORCH, Value, lookup, object as python_object};

use super::convert::stretched;
use super::warns::{self, Warning, WarningRow};
use super::{Exchange, call::context, raise};
use crate::border::Operand;
use crate::closing::Inside;
use crate::error::{OrRaise, refuse};
use crate::threads::detached;

/// One operator of PyTorch, run by the engine.
///
/// ``Kernel(name)`` is the function or, with a trailing underscore, the method of that name in PyTorch's table.
/// What ``over`` sets is called with the same arguments where the engine cannot serve; with ``strict`` it is not asked
/// about calls that the engine refuses. Each of ``warnings`` is said by calling ``say``.
#[pyclass(frozen, module = "takewise._takewise")]
pub(crate) struct Kernel {
    function: Function,
    /// Whether it is a method, called on its first argument.
    method: bool,
    /// Whether it writes into its first argument.
    writes: bool,
    /// Whether the native kernel writes before it has checked, so that what is refused here is not asked of it.
    strict: bool,
    /// What the native kernel warns of, and what says it.
    warnings: Option<(Vec<Warning>, Py<PyAny>)>,
    native: Mutex<Option<Py<PyAny>>>,
    run: AtomicU64,
    passed: AtomicU64,
}

#[pymethods]
impl Kernel {
    #[new]
    #[pyo3(signature = (name, strict=false, warnings=None, say=None))]
    fn new(
        py: Python<'_>,
        name: &str,
        strict: bool,
        warnings: Option<Vec<WarningRow>>,
        say: Option<Py<PyAny>>,
    ) -> PyResult<Kernel> {
        let found = name.split('.').try_fold(Value::Module(&TORCH, ""), |part, name| lookup::attribute(&part, name));
        let (f, method) = match found {
            Ok(Value::Function(f)) => (f, false),
            _ => {
                let any = Array::new(Tensor::zeroed(&[], DType::F32).map_err(|e| crate::error::raise(py, &e))?, &TORCH);
                match lookup::attribute(&Value::Array(any), name).or_raise(py)? {
                    Value::Method(_, f) => (f, true),
                    _ => return Err(refuse(py, "ValueError", &format!("torch has no function {name:?}"))),
                }
            }
        };
        let (native, run, passed) = (Mutex::default(), AtomicU64::new(0), AtomicU64::new(0));
        let writes = name.ends_with('_');
        let warnings = warnings.unwrap_or_default().into_iter().map(|row| Warning::new(py, row));
        let warnings = Some(warnings.collect::<PyResult<Vec<_>>>()?).filter(|rows| !rows.is_empty()).zip(say);
        Ok(Kernel { function: f, method, writes, strict, warnings, native, run, passed })
    }

    /// Sets what is called where the engine cannot serve.
    fn over(&self, native: Py<PyAny>) {
        *self.native.lock().unwrap_or_else(PoisonError::into_inner) = Some(native);
    }

    /// How many calls the engine ran, and how many went to the kernel it stands in for.
    #[getter]
    fn calls(&self) -> (u64, u64) {
        (self.run.load(Ordering::Relaxed), self.passed.load(Ordering::Relaxed))
    }

    /// Counts a call that went to the kernel this one stands in for.
    fn passed(&self, py: Python<'_>) {
        let _inside = Inside::enter(py);
        self.passed.fetch_add(1, Ordering::Relaxed);
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _inside = Inside::enter(py);
        let refused = match self.ours(py, args, kwargs) {
            Answer::Given(result) => {
                self.run.fetch_add(1, Ordering::Relaxed);
                return result;
            }
            Answer::None => None,
            Answer::Refused(error) => Some(error),
        };
        self.passed.fetch_add(1, Ordering::Relaxed);
        let native = self.native.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|n| n.clone_ref(py));
        let Some(native) = native else {
            let unserved = || refuse(py, "NotImplementedError", &format!("{} is not served here", self.function.name));
            return Err(refused.map_or_else(unserved, |error| raise(py, &error)));
        };
        match (native.bind(py).call(args, kwargs), refused) {
            // The same class, in more words.
            (Err(theirs), Some(ours)) if theirs.get_type(py).name()? == ours.class() => Err(raise(py, &ours)),
            (answer, _) => answer,
        }
    }

    fn __repr__(&self) -> String {
        format!("<kernel {} of takewise>", self.function.name)
    }
}

/// What the engine says to a call.
enum Answer<'py> {
    /// The result, or what is wrong with a value.
    Given(PyResult<Bound<'py, PyAny>>),
    /// Something about shapes, dtypes or arguments is wrong, by the table's rules.
    Refused(EvalError),
    /// The call is not for the engine.
    None,
}

/// What is said of an argument that has lost its memory: PyTorch's own kernels do not look, and end the process.
fn emptied(args: &Bound<'_, PyTuple>, kwargs: Option<&Bound<'_, PyDict>>) -> Option<PyErr> {
    let named = kwargs.into_iter().flatten().map(|(_, argument)| argument);
    args.iter().chain(named).find_map(|argument| match argument.cast::<PyList>() {
        Ok(list) => list.iter().find_map(|item| Operand::emptied(&item)),
        Err(_) => Operand::emptied(&argument),
    })
}

/// An error as the function in Python has it that somebody called: PyTorch makes some functions of several operators.
fn named(error: PyErr, py: Python<'_>) -> PyErr {
    let asked = py.import("takewise._asked").and_then(|asked| asked.call_method1("named", (error.value(py),)));
    asked.map_or(error, PyErr::from_value)
}

/// For kernels that PyTorch calls without Python.
impl Kernel {
    /// Whether it is called on its first argument.
    #[inline]
    pub(crate) fn is_method(&self) -> bool {
        self.method
    }

    /// The engine's answer to a plain call, of which `first` is the first array. `None` for all others: wherever there is
    /// something to be warned of, to be refused, or to be asked of the kernel this one stands in for. Those have written
    /// nothing.
    #[inline]
    pub(crate) fn serve(&self, first: Option<&Array>, receiver: Option<Value>, arguments: Arguments) -> Option<Array> {
        if self.writes && first.is_some_and(|first| first.with(stretched)) {
            return None;
        }
        if let Some((warnings, _)) = &self.warnings
            && warns::are_due(warnings, receiver.as_ref(), &arguments)
        {
            return None;
        }
        match python_object::apply(&self.function, receiver, arguments, &context()).ok()? {
            Value::Array(result) => Some(result),
            _ => None,
        }
    }

    /// What the row does with nothing but tensors and an axis, by the short road, and whether it does it in place.
    #[inline]
    pub(crate) fn plain(&self) -> Option<(Plain, bool)> {
        Some((self.function.plain()?, self.function.in_place()))
    }

    /// The rules it follows.
    #[inline]
    pub(crate) fn rules(&self) -> &'static Dialect {
        self.function.face.rules
    }

    /// Whether there are calls with something to be warned of.
    #[inline]
    pub(crate) fn warns(&self) -> bool {
        self.warnings.is_some()
    }

    /// Counts a call that was served.
    #[inline]
    pub(crate) fn served(&self) {
        self.run.fetch_add(1, Ordering::Relaxed);
    }
}

impl Kernel {
    /// The engine's answer.
    fn ours<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> Answer<'py> {
        let mut exchange = Exchange::lent_by(&TORCH, Operand::of_kernel);
        let unopened = || emptied(args, kwargs).map_or(Answer::None, |error| Answer::Given(Err(error)));
        let Some((mut receiver, mut arguments, mut out)) = self.open(&mut exchange, args, kwargs) else {
            return unopened();
        };
        if self.writes && exchange.first_is_stretched() {
            return Answer::None;
        }
        if let Some((warnings, by)) = &self.warnings {
            match warns::say(py, warnings, by, receiver.as_ref(), &arguments) {
                Err(error) => return Answer::Given(Err(error)),
                Ok(false) => {}
                Ok(true) => {
                    exchange = Exchange::lent_by(&TORCH, Operand::of_kernel);
                    let Some(again) = self.open(&mut exchange, args, kwargs) else { return unopened() };
                    (receiver, arguments, out) = again;
                }
            }
        }
        let before = out.as_ref().map(Array::tensor);
        if let Err(error) = exchange.prepare() {
            return Answer::Given(Err(error));
        }
        let context = context();
        let run = || python_object::apply(&self.function, receiver, arguments, &context);
        let result = match detached(py, exchange.bytes, run) {
            Ok(result) => result,
            Err(error) if self.strict || error.class() == "IndexError" || error.facts().is_some() => {
                return Answer::Given(Err(named(raise(py, &error), py)));
            }
            Err(error) => return Answer::Refused(error),
        };
        if let (Some(out), Some(before)) = (out, before)
            && out.tensor().shape() != before.shape()
        {
            return Answer::None;
        }
        Answer::Given(exchange.result(py, result))
    }

    /// The arguments as the table takes them, with `out`; `None` if one is not for us.
    fn open<'py>(
        &self,
        exchange: &mut Exchange<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> Option<(Option<Value>, Arguments, Option<Array>)> {
        let mut arguments = Arguments::default();
        let mut items = args.iter();
        let receiver = match self.method {
            true => Some(exchange.value(&items.next()?).ok()?),
            false => None,
        };
        for item in items {
            arguments.positional.push(exchange.value(&item).ok()?);
        }
        let mut out = None;
        for (name, item) in kwargs.into_iter().flatten() {
            let (name, value) = (name.extract::<String>().ok()?, exchange.value(&item).ok()?);
            if let ("out", Value::Array(array)) = (name.as_str(), &value) {
                out = Some(array.clone());
            }
            arguments.keyword.push((name, value));
        }
        Some((receiver, arguments, out))
    }
}
