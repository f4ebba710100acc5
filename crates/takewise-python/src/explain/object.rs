//! An explanation as a Python object.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use takewise_dialects::{Facts, lookup};
use takewise_explain::data::{Explanation, Failure, VERSION};

use super::again::Again;
use super::compared::Compared;
use super::draw;
use crate::error::{exception, refuse};
use crate::known::{Known, intern};

/// How an explanation is shown.
#[derive(Clone, Copy)]
pub(super) struct Options {
    pub(super) plan: bool,
    pub(super) chinese: bool,
    pub(super) color: Option<bool>,
}

impl Options {
    /// Errors: `ValueError` for a language that there are no words for.
    pub(super) fn of(py: Python<'_>, plan: bool, language: &str, color: Option<bool>) -> PyResult<Options> {
        match language {
            "en" | "zh" => Ok(Options { plan, chinese: language == "zh", color }),
            other => Err(refuse(py, "ValueError", &format!("language must be one of \"en\", \"zh\", not {other:?}"))),
        }
    }

    fn language(self) -> &'static str {
        if self.chinese { "zh" } else { "en" }
    }
}

/// What a call does, as ``takewise.explain`` gives it: data, and pictures made of the data.
///
/// It shows itself as text in a terminal and as a picture in a notebook. ``to_dict()`` has all that the pictures are made of;
/// ``docs/python.md`` says what its fields mean.
///
/// >>> import numpy as np, takewise
/// >>> found = takewise.explain(takewise.take, np.array([10, 20, 30]), [2, 0])
/// >>> found.shape
/// (2,)
/// >>> [cell["sources"][0]["at"] for cell in found.to_dict()["results"][0]["cells"]]
/// [2, 0]
#[pyclass(frozen, module = "takewise", name = "Explanation")]
pub(super) struct Explained {
    data: Explanation,
    options: Options,
    again: Again,
}

impl Explained {
    pub(super) fn new(data: Explanation, options: Options) -> Explained {
        Explained { data, options, again: Again::Never }
    }

    /// One whose call can be made again.
    pub(super) fn of_call(data: Explanation, options: Options, again: Again) -> Explained {
        Explained { data, options, again }
    }

    fn json(&self, indent: bool) -> PyResult<String> {
        let text = match indent {
            true => serde_json::to_string_pretty(&self.data),
            false => serde_json::to_string(&self.data),
        };
        text.map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))
    }
}

#[pymethods]
impl Explained {
    /// An explanation from what ``to_json`` gave.
    ///
    /// Errors: ``ValueError`` for text that is none, or of another version of the schema.
    #[staticmethod]
    #[pyo3(signature = (text, *, plan=false, language="en", color=None))]
    fn from_json(py: Python<'_>, text: &str, plan: bool, language: &str, color: Option<bool>) -> PyResult<Explained> {
        let data: Explanation = serde_json::from_str(text)
            .map_err(|error| refuse(py, "ValueError", &format!("this is no explanation as JSON: {error}")))?;
        if data.version != VERSION {
            let text =
                format!("an explanation of version {} of the schema; this takewise reads {VERSION}", data.version);
            return Err(refuse(py, "ValueError", &text));
        }
        Ok(Explained::new(data, Options::of(py, plan, language, color)?))
    }

    /// The same call under each of these libraries' rules, side by side: names of libraries in a list, or one text with commas.
    ///
    /// The call is made again, on private copies of its arrays as they are now. A library that has no such function, or refuses
    /// its arguments, shows that as its error.
    ///
    /// Errors: ``ValueError`` for a name that is no library's, and for an explanation that was read back; ``TypeError`` where other
    /// libraries have no function like it.
    ///
    /// >>> import numpy as np, takewise
    /// >>> found = takewise.explain("x[0, :, i]", x=np.zeros((2, 3, 4)), i=[0, 1])
    /// >>> found.compare(["numpy", "torch"]).same
    /// False
    #[pyo3(signature = (dialects=None))]
    fn compare(&self, py: Python<'_>, dialects: Option<&Bound<'_, PyAny>>) -> PyResult<Compared> {
        let names: Vec<String> = match dialects {
            None => lookup::FACES.iter().map(|face| face.name.to_owned()).collect(),
            Some(one) => match one.cast::<PyString>() {
                Ok(text) => text.to_cow()?.split(',').map(|name| name.trim().to_owned()).collect(),
                Err(_) => one.try_iter()?.map(|name| name?.extract()).collect::<PyResult<_>>()?,
            },
        };
        Ok(Compared::new(self.again.libraries(py, &names)?, self.options))
    }

    /// The same call under each rule for index values out of range, side by side: ``raise``, ``wrap``, ``clip``, ``fill`` and
    /// ``drop``. The call is made again, on private copies of its arrays as they are now.
    ///
    /// Errors: ``ValueError`` for an explanation that was read back; ``TypeError`` for a function without such rules.
    ///
    /// >>> import numpy as np, takewise
    /// >>> five = takewise.explain(takewise.take, np.array([10, 20, 30]), [1, 7]).bounds()
    /// >>> {name: found.to_dict()["results"][0]["values"] for name, found in five.columns.items() if not found.error}
    /// {'wrap': ['20', '20'], 'clip': ['20', '30'], 'fill': ['20', '-9223372036854775808'], 'drop': ['20', '0']}
    fn bounds(&self, py: Python<'_>) -> PyResult<Compared> {
        Ok(Compared::new(self.again.rules(py)?, self.options))
    }

    /// The data as JSON, in the fields that ``docs/python.md`` names.
    #[pyo3(signature = (*, indent=false))]
    fn to_json(&self, indent: bool) -> PyResult<String> {
        self.json(indent)
    }

    /// The data as dictionaries, lists, strings and numbers.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        static LOADS: Known<Py<PyAny>> = Known::new();
        Ok(LOADS.import(py, "json", "loads")?.call1((self.json(false)?,))?.cast_into()?)
    }

    /// The expression, or the call as it would be written.
    #[getter]
    fn expression(&self) -> &str {
        &self.data.expression
    }

    /// The library whose rules hold.
    #[getter]
    fn dialect(&self) -> &str {
        &self.data.dialect
    }

    /// The operation, by its name in that library.
    #[getter]
    fn operation(&self) -> &str {
        &self.data.operation
    }

    /// The shape of the result, of the first one where there are several; ``None`` where the call fails.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.data.results.first().map(|result| PyTuple::new(py, &result.shape)).transpose()
    }

    /// The exception that the call raises, with its attributes; ``None`` where it raises none.
    #[getter]
    fn error<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(failure) = &self.data.error else { return Ok(None) };
        let raised = exception(py, &failure.class, &failure.message, facts(failure, &self.data));
        let raised = match raised {
            Ok(raised) => raised,
            // A class of another library's.
            Err(_) => exception(py, "RuntimeError", &failure.message, facts(failure, &self.data))?,
        };
        Ok(Some(raised.into_value(py).into_bound(py).into_any()))
    }

    /// The picture as text, without colour unless it was asked for.
    #[getter]
    fn text(&self) -> String {
        draw::text(&self.data, self.options, self.options.color == Some(true))
    }

    /// The picture as an SVG image.
    #[getter]
    fn svg(&self) -> String {
        draw::svg(&self.data, self.options)
    }

    /// The picture as a page of HTML that needs no other file.
    #[getter]
    fn html(&self) -> String {
        draw::html(&self.data, self.options, false)
    }

    fn _repr_html_(&self) -> String {
        draw::html(&self.data, self.options, true)
    }

    fn _repr_svg_(&self) -> String {
        draw::svg(&self.data, self.options)
    }

    fn __str__(&self) -> String {
        self.text()
    }

    /// The text, in colour where it goes to a terminal.
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let color = match self.options.color {
            Some(color) => color,
            None => shows_color(py)?,
        };
        Ok(draw::text(&self.data, self.options, color))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Explained>().is_ok_and(|other| other.get().data == self.data)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let rebuild = py.import("takewise._takewise")?.getattr("_explanation")?;
        let options = (self.json(false)?, self.options.plan, self.options.language(), self.options.color);
        Ok((rebuild, options.into_pyobject(py)?))
    }
}

/// What a pickle is read back by.
#[pyfunction]
pub(super) fn _explanation(
    py: Python<'_>,
    text: &str,
    plan: bool,
    language: &str,
    color: Option<bool>,
) -> PyResult<Explained> {
    Explained::from_json(py, text, plan, language, color)
}

/// What an exception tells beside its text: the position in each axis of the index array.
fn facts(failure: &Failure, data: &Explanation) -> Facts {
    let shape = failure.operand.and_then(|k| data.operands.get(k)).map(|operand| &operand.shape);
    let position = shape.zip(failure.at).map(|(shape, at)| {
        let mut rest = at;
        let mut place: Vec<usize> = shape.iter().rev().map(|&n| (rest % n.max(1), rest /= n.max(1)).0).collect();
        place.reverse();
        place
    });
    let value = failure.value.as_ref().and_then(|value| value.parse().ok());
    Facts { axis: failure.axis, position, value, size: failure.size }
}

/// Whether standard output is a terminal that nobody asked to do without colour.
pub(super) fn shows_color(py: Python<'_>) -> PyResult<bool> {
    if std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) {
        return Ok(false);
    }
    let out = py.import("sys")?.getattr(intern!(py, "stdout"))?;
    match out.call_method0("isatty") {
        Ok(answer) => answer.is_truthy(),
        // No stream, or one of somebody's own.
        Err(_) => Ok(false),
    }
}
