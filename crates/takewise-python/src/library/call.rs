//! Calls of functions and methods of the tables with Python's arguments.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};
use takewise::internal::Lock;
use takewise::internal::Once;
use takewise_dialects::sig::{Arguments, Kind, Overload};
use takewise_dialects::{Context, Face, Function as Named, Value, about, lookup, object as python_object};

use super::convert::Passed;
use super::function::{Function, Method};
use super::theirs::{self, Refused};
use super::{Exchange, alike, plain};
use crate::border::Operand;
use crate::border::numpy::{self as np, offers_an_array};
use crate::border::onward::Called;
use crate::error::{OrRaise, refuse};
use crate::threads::detached;

#[pymethods]
impl Function {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match call_function(py, &self.0, None, args, kwargs) {
            // PyTorch's own tensors may have a history, which its functions keep, or a class of their own.
            Err(error) => {
                let path = self.0.rows.first().map_or(self.0.name, |row| row.name);
                let keywords = kwargs.cloned().unwrap_or_else(|| PyDict::new(py));
                let name = format!("{}.{path}", self.0.face.name);
                Called { name: &name, positional: args, keywords: &keywords }.recorded(error)
            }
            answer => answer,
        }
    }

    /// A function below this one, such as ``add.at``.
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let below = lookup::attribute(&Value::Function(self.0.clone()), name).or_raise(py)?;
        super::python(py, &below)
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        self.0.name
    }

    /// The library's own where it is asked what is not ours.
    #[getter]
    fn __doc__(&self, py: Python<'_>) -> String {
        let own = theirs::function(py, &self.0).and_then(|own| own.getattr("__doc__").ok()?.extract().ok());
        own.unwrap_or_else(|| about::docstring(&self.0, self.0.face.name == "neutral"))
    }

    /// What `inspect.signature` shows: that of the library's own function where it is asked what is not ours; else that of the only
    /// way to call it, or that it takes anything.
    #[getter]
    fn __signature__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(own) = theirs::function(py, &self.0)
            && let Ok(signature) = py.import("inspect")?.call_method1("signature", (own,))
        {
            return Ok(signature);
        }
        super::function::signature(py, &self.0, false)
    }

    fn __repr__(&self) -> String {
        format!("<function {} of {}>", self.0.name, self.0.face.name)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String, String, String))> {
        let path = self.0.rows.first().map_or(self.0.name, |row| row.name);
        let (module, name) = path.rsplit_once('.').unwrap_or(("", path));
        let lookup = py.import("takewise._takewise")?.getattr("lookup")?;
        Ok((lookup, (self.0.face.name.into(), module.into(), name.into())))
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
        call_function(py, &self.function.get().0, Some(self.receiver.bind(py)), args, kwargs)
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        self.function.get().0.name
    }

    #[getter]
    fn __self__(&self, py: Python<'_>) -> Py<PyAny> {
        self.receiver.clone_ref(py)
    }

    #[getter]
    fn __doc__(&self) -> String {
        about::docstring(&self.function.get().0, false)
    }

    fn __repr__(&self) -> String {
        format!("<method {} of {}>", self.function.get().0.name, self.function.get().0.face.tensor_type)
    }
}

/// The random generator `manual_seed` seeds, one for all threads.
pub(crate) fn context() -> Rc<Context> {
    static GENERATOR: Once<Arc<Lock<takewise_dialects::random::Generator>>> = Once::new();
    thread_local! {
        static CONTEXT: RefCell<Option<Rc<Context>>> = const { RefCell::new(None) };
    }
    CONTEXT.with_borrow_mut(|known| {
        Rc::clone(known.get_or_insert_with(|| {
            let generator = Arc::clone(GENERATOR.get_or_make(Arc::default));
            Rc::new(Context { generator, files: Some(Rc::new(super::files::OfNumPy)) })
        }))
    })
}

/// Calls a function, or with a receiver a method, with Python's arguments.
pub(crate) fn call_function<'py>(
    py: Python<'py>,
    function: &Named,
    receiver: Option<&Bound<'py, PyAny>>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    if kwargs.is_none_or(|kwargs| kwargs.is_empty())
        && let Some(result) = plain::call(py, function, receiver, args)
    {
        return Ok(result);
    }
    let mut exchange = Exchange::new(function.face);
    let value = receiver.map(|object| exchange.argument(object, function, Passed::At(0))).transpose()?;
    if let Some(object) = receiver.filter(|_| function.in_place()) {
        exchange.writes(object)?;
    }
    match call_value(py, exchange, function, value, receiver, args, kwargs) {
        Ok(result) => Ok(result),
        Err(refused) if receiver.is_none() => theirs::asked(py, refused, function, args, kwargs),
        Err(refused) => Err(refused.error()),
    }
}

/// [`call_function`] within an exchange, with a receiver that is a value already, and the array it belongs to.
pub(crate) fn call_value<'py>(
    py: Python<'py>,
    mut exchange: Exchange<'py>,
    function: &Named,
    receiver: Option<Value>,
    owner: Option<&Bound<'py, PyAny>>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> Result<Bound<'py, PyAny>, Refused> {
    let (arguments, replaces) = passed(&mut exchange, function, receiver.is_some(), args, kwargs)?;
    if function.face.facts.objects.asks.is_some() && exchange.answers_itself()? {
        return Err(PyTypeError::new_err("an array of a class that answers such calls itself").into());
    }
    if function.face.facts.objects.warns_of_complex.contains(&function.name) {
        exchange.warn_of_complex(py)?;
    }
    exchange.prepare()?;
    let context = context();
    let result = detached(py, exchange.bytes, || python_object::apply(function, receiver, arguments, &context));
    let result = result.map_err(|error| Refused::of(py, &error))?;
    exchange.wrote(py)?;
    if replaces {
        exchange.settle(py)?;
    }
    let made = exchange.result(py, result)?;
    Ok(alike::called(&exchange, function, owner, args, kwargs, made)?)
}

/// A call's arguments as values, and whether they name memory for the result.
pub(crate) fn passed<'py>(
    exchange: &mut Exchange<'py>,
    function: &Named,
    method: bool,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> Result<(Arguments, bool), Refused> {
    // Room for what a row has by default.
    let mut arguments = Arguments { positional: Vec::with_capacity(args.len().max(8)), keyword: Vec::new() };
    exchange.by_items = function.face.by_items.contains(&function.name);
    for (k, argument) in args.iter_borrowed().enumerate() {
        let own = usize::from(method);
        if k + own == 0 && function.face.writers.contains(&function.name) {
            exchange.destination(&argument)?;
        }
        let passed = Passed::At(k + own);
        let listed = listed(function, passed, &argument, args, kwargs)?;
        arguments.positional.push(exchange.argument(listed.as_ref().unwrap_or(&argument), function, passed)?);
        if function.in_place() && k + own == 0 {
            exchange.writes(&argument)?;
        }
        if k >= 2 && !argument.is_none() && function.rows.iter().any(|row| row.parameter(k) == Some(SHORTENS)) {
            shortened(exchange, function, args, kwargs)?;
        }
    }
    let mut replaces = false;
    for (name, argument) in kwargs.into_iter().flatten() {
        let name: String = name.extract()?;
        let is_out = name == "out";
        replaces |= is_out;
        if args.is_empty() && ["a", "arr", "dst"].contains(&&*name) && function.face.writers.contains(&function.name) {
            exchange.destination(&argument)?;
        }
        if is_out && !function.face.writers.is_empty() && offers_an_array(&argument)? {
            exchange.destination(&argument)?;
        }
        let passed = Passed::As(&name);
        let listed = listed(function, passed, &argument, args, kwargs)?;
        let value = exchange.argument(listed.as_ref().unwrap_or(&argument), function, passed)?;
        let first = || function.in_place() && function.rows.iter().any(|row| row.parameter(0) == Some(&*name));
        if is_out || first() {
            exchange.writes(&argument)?;
        }
        if name == SHORTENS && !argument.is_none() {
            shortened(exchange, function, args, kwargs)?;
        }
        arguments.keyword.push((name, value));
    }
    Ok((arguments, replaces))
}

/// The argument by which rows of a table are made shorter where they lie.
const SHORTENS: &str = "max_norm";

/// Notes that a call writes into its table of rows.
#[cold]
fn shortened<'py>(
    exchange: &mut Exchange<'py>,
    function: &Named,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<()> {
    let place = (0..args.len()).find(|&k| function.rows.iter().any(|row| row.parameter(k) == Some("weight")));
    let table = match (place, kwargs) {
        (Some(k), _) => Some(args.get_item(k)?),
        (None, Some(kwargs)) => kwargs.get_item("weight")?,
        (None, None) => None,
    };
    let Some(table) = table else { return Ok(()) };
    exchange.value(&table)?;
    exchange.writes(&table)
}

/// Whether a way to call a function takes an array there.
fn takes_array(row: &Overload, passed: Passed<'_>) -> bool {
    let parameters = row.parameters();
    let found = match passed {
        Passed::At(k) => parameters.get(k),
        Passed::As(name) => parameters.iter().find(|known| known.name == name),
    };
    found.is_some_and(|found| found.kind == Kind::Tensor && found.name != "out")
}

/// The array made of a list: of our own functions where an array is expected, else that which NumPy makes, number by number, so that one that does not fit is refused; `None` of other arguments.
fn listed<'py>(
    function: &Named,
    passed: Passed<'_>,
    argument: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let is_list = argument.is_instance_of::<PyList>() || argument.is_exact_instance_of::<PyTuple>();
    if is_list && function.face.facts.objects.for_all && function.rows.iter().all(|row| takes_array(row, passed)) {
        let Operand { tensor, home } = Operand::of_any(argument, None)?;
        return home.give(argument.py(), tensor).map(Some);
    }
    let entry = function.face.facts.objects.lists.iter().find(|(name, place, keyword)| {
        *name == function.name
            && match passed {
                Passed::At(k) => k == *place,
                Passed::As(name) => name == *keyword,
            }
    });
    let Some((_, place, _)) = entry.filter(|_| is_list) else {
        return Ok(None);
    };
    let of_name = |name: &str| kwargs.and_then(|given| given.get_item(name).ok().flatten());
    let first = || args.get_item(0).ok();
    let dtype = match place {
        0 => of_name("dtype").or_else(|| args.get_item(1).ok()),
        _ => match first().or_else(|| of_name("a")).or_else(|| of_name("arr")) {
            Some(target) if offers_an_array(&target)? => target.getattr_opt("dtype")?,
            _ => None,
        },
    };
    // Other libraries' dtypes are not NumPy's to read.
    let known = |dtype: &Bound<'_, PyAny>| {
        np::descr(dtype).is_some() || dtype.is_instance_of::<PyString>() || dtype.is_instance_of::<PyType>()
    };
    let Some(dtype) = dtype.filter(known) else { return Ok(None) };
    np::asarray_of(argument, &dtype).map(Some)
}

/// Calls the function at a path of a library's tables.
pub(crate) fn call_named<'py>(
    py: Python<'py>,
    face: &'static Face,
    path: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    match lookup::attribute(&Value::Module(face, ""), path).or_raise(py)? {
        Value::Function(function) => call_function(py, &function, None, args, kwargs),
        other => Err(refuse(py, "TypeError", &format!("a {} is not called here", other.type_name()))),
    }
}
