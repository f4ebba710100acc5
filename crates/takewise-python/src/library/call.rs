//! Functions and methods of the tables as Python callables.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, LazyLock, Mutex};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use takewise_cli::dialect::Face;
use takewise_cli::sig::{Arguments, Overload};
use takewise_cli::{Context, Function as Named, Value, object as python_object};

use super::{Exchange, OrRaise};
use crate::error::refuse;
use crate::threads::detached;

// A function of a library. (A documentation comment would become the class's and hide the function's own.)
#[pyclass(frozen, module = "takewise._takewise")]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) face: &'static Face,
    pub(crate) rows: Arc<[Overload]>,
}

// A method of an array; as above.
#[pyclass(frozen, module = "takewise._takewise")]
pub(crate) struct Method {
    receiver: Py<PyAny>,
    function: Py<Function>,
}

impl Function {
    pub(crate) fn new(f: &Named) -> Function {
        Function { name: f.name, face: f.face, rows: Arc::clone(&f.rows) }
    }

    fn value(&self) -> Named {
        Named { name: self.name, face: self.face, rows: Arc::clone(&self.rows) }
    }

    /// The signatures, one a line.
    fn signatures(&self) -> String {
        let lines = self.rows.iter().map(|row| format!("{}({})", self.name, row.params));
        lines.collect::<Vec<_>>().join("\n")
    }
}

#[pymethods]
impl Function {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        call_value(py, self.face, args, kwargs, |_| Ok(Value::Function(self.value())))
    }

    /// A function below this one, such as ``add.at``.
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let below = takewise_cli::dialect::attribute(&Value::Function(self.value()), name).or_raise(py)?;
        super::python(py, &below)
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        self.name
    }

    #[getter]
    fn __doc__(&self) -> String {
        format!("{}\n\n{} of {} as the engine has it.", self.signatures(), self.name, self.face.name)
    }

    fn __repr__(&self) -> String {
        format!("<function {} of {}>", self.name, self.face.name)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String, String, String))> {
        let path = self.rows.first().map_or(self.name, |row| row.name);
        let (module, name) = path.rsplit_once('.').unwrap_or(("", path));
        let lookup = py.import("takewise._takewise")?.getattr("lookup")?;
        Ok((lookup, (self.face.name.into(), module.into(), name.into())))
    }
}

#[pymethods]
impl Method {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let function = self.function.get();
        let receiver = self.receiver.bind(py);
        call_value(py, function.face, args, kwargs, |exchange| {
            Ok(Value::Method(Rc::new(exchange.value(receiver)?), function.value()))
        })
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        self.function.get().name
    }

    #[getter]
    fn __self__(&self, py: Python<'_>) -> Py<PyAny> {
        self.receiver.clone_ref(py)
    }

    #[getter]
    fn __doc__(&self) -> String {
        self.function.get().signatures()
    }

    fn __repr__(&self) -> String {
        format!("<method {} of {}>", self.function.get().name, self.function.get().face.tensor_type)
    }
}

/// A method of this very object.
pub(crate) fn method<'py>(receiver: &Bound<'py, PyAny>, f: &Named) -> PyResult<Bound<'py, PyAny>> {
    let py = receiver.py();
    bound(receiver, unbound(py, f)?)
}

/// A function of a table as an object.
pub(crate) fn unbound(py: Python<'_>, f: &Named) -> PyResult<Py<Function>> {
    Py::new(py, Function::new(f))
}

/// [`method`] of a function that is an object already.
pub(crate) fn bound<'py>(receiver: &Bound<'py, PyAny>, function: Py<Function>) -> PyResult<Bound<'py, PyAny>> {
    Ok(Bound::new(receiver.py(), Method { receiver: receiver.clone().unbind(), function })?.into_any())
}

/// What is callable or a namespace.
pub(super) fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Function(f) => Ok(Bound::new(py, Function::new(f))?.into_any()),
        Value::Module(face, path) => py.import("takewise._modules")?.call_method1("namespace", (face.name, *path)),
        other => {
            let text = format!("a {} has no Python object", other.type_name());
            Err(refuse(py, "NotImplementedError", &text))
        }
    }
}

/// The random generator `manual_seed` seeds, one for all threads.
pub(crate) fn context() -> Rc<Context> {
    static GENERATOR: LazyLock<Arc<Mutex<takewise_cli::Generator>>> = LazyLock::new(Arc::default);
    thread_local! {
        static CONTEXT: RefCell<Option<Rc<Context>>> = const { RefCell::new(None) };
    }
    CONTEXT.with_borrow_mut(|known| {
        Rc::clone(known.get_or_insert_with(|| Rc::new(Context { generator: Arc::clone(&GENERATOR) })))
    })
}

/// Calls what `function` makes of the exchange, with Python's arguments.
pub(crate) fn call_value<'py>(
    py: Python<'py>,
    face: &'static Face,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
    function: impl FnOnce(&mut Exchange<'py>) -> PyResult<Value>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut exchange = Exchange::new(face);
    let function = function(&mut exchange)?;
    let mut arguments = Arguments { positional: Vec::with_capacity(args.len()), keyword: Vec::new() };
    for argument in args.iter() {
        arguments.positional.push(exchange.value(&argument)?);
    }
    let mut replaces = false;
    for (name, argument) in kwargs.into_iter().flatten() {
        let name: String = name.extract()?;
        replaces |= name == "out";
        arguments.keyword.push((name, exchange.value(&argument)?));
    }
    exchange.prepare();
    let context = context();
    let result = detached(py, exchange.bytes, || python_object::call(&function, &arguments, &context)).or_raise(py)?;
    if replaces {
        exchange.settle(py)?;
    }
    exchange.python(py, &result)
}

/// Calls the function at a path of a library's tables.
pub(crate) fn call_named<'py>(
    py: Python<'py>,
    face: &'static Face,
    path: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let function = takewise_cli::dialect::attribute(&Value::Module(face, ""), path).or_raise(py)?;
    call_value(py, face, args, kwargs, |_| Ok(function))
}
