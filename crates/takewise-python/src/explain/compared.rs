//! Explanations side by side as a Python object.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use takewise_explain::Comparison;
use takewise_explain::render::{self, HtmlOptions, SvgOptions, TextOptions};

use super::draw::language;
use super::object::{Explained, Options, shows_color};
use crate::known::{Known, intern};

/// One call under several libraries' rules, or under several rules for values out of range: what ``Explanation.compare()`` and
/// ``Explanation.bounds()`` give.
///
/// It shows itself as text in a terminal and as a picture in a notebook, each result once with the names of all that give it.
///
/// >>> import numpy as np, takewise
/// >>> both = takewise.explain("x[0, :, i]", x=np.zeros((2, 3, 4)), i=[0, 1]).compare(["numpy", "torch"])
/// >>> both.same, [(name, found.shape) for name, found in both.columns.items()]
/// (False, [('numpy', (2, 3)), ('torch', (3, 2))])
#[pyclass(frozen, module = "takewise", name = "Comparison")]
pub(super) struct Compared {
    data: Comparison,
    options: Options,
}

impl Compared {
    pub(super) fn new(data: Comparison, options: Options) -> Compared {
        Compared { data, options }
    }

    fn json(&self, indent: bool) -> PyResult<String> {
        let text = match indent {
            true => serde_json::to_string_pretty(&self.data),
            false => serde_json::to_string(&self.data),
        };
        text.map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))
    }

    fn drawn(&self, color: bool) -> String {
        let options = self.options;
        let how = TextOptions { language: language(options), plan: options.plan, color, ..TextOptions::default() };
        render::comparison(&self.data, &how)
    }

    fn page(&self, fragment: bool) -> String {
        let how = HtmlOptions { language: language(self.options), fragment, ..HtmlOptions::default() };
        render::html_comparison(&self.data, &how)
    }
}

#[pymethods]
impl Compared {
    /// The explanation of each library or rule, by its name.
    #[getter]
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for column in &self.data.columns {
            all.set_item(&column.name, Explained::new(column.explanation.clone(), self.options))?;
        }
        Ok(all)
    }

    /// Whether all give the same values in the same shape.
    #[getter]
    fn same(&self) -> bool {
        self.data.same
    }

    /// The positions, counted in row-major order, at which results of one shape do not all agree.
    #[getter]
    fn places(&self) -> Vec<usize> {
        self.data.places.clone()
    }

    /// The expression, or the call as it would be written.
    #[getter]
    fn expression(&self) -> &str {
        &self.data.expression
    }

    /// The data as JSON.
    #[pyo3(signature = (*, indent=false))]
    fn to_json(&self, indent: bool) -> PyResult<String> {
        self.json(indent)
    }

    /// The data as dictionaries, lists, strings and numbers.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        static LOADS: Known<Py<PyAny>> = Known::new();
        Ok(LOADS.import(py, "json", "loads")?.call1((self.json(false)?,))?.cast_into()?)
    }

    /// The picture as text, without colour unless it was asked for.
    #[getter]
    fn text(&self) -> String {
        self.drawn(self.options.color == Some(true))
    }

    /// The picture as an SVG image.
    #[getter]
    fn svg(&self) -> String {
        let how = SvgOptions { language: language(self.options), ..SvgOptions::default() };
        render::svg_comparison(&self.data, &how)
    }

    /// The picture as a page of HTML that needs no other file.
    #[getter]
    fn html(&self) -> String {
        self.page(false)
    }

    fn _repr_html_(&self) -> String {
        self.page(true)
    }

    fn _repr_svg_(&self) -> String {
        self.svg()
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
        Ok(self.drawn(color))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Compared>().is_ok_and(|other| other.get().data == self.data)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String, bool, String, Option<bool>))> {
        let rebuild = py.import(intern!(py, "takewise._takewise"))?.getattr("_comparison")?;
        let language = if self.options.chinese { "zh" } else { "en" };
        Ok((rebuild, (self.json(false)?, self.options.plan, language.to_owned(), self.options.color)))
    }
}

/// What a pickle is read back by.
#[pyfunction]
pub(super) fn _comparison(
    py: Python<'_>,
    text: &str,
    plan: bool,
    language: &str,
    color: Option<bool>,
) -> PyResult<Compared> {
    let data = serde_json::from_str(text);
    let data =
        data.map_err(|error| crate::error::refuse(py, "ValueError", &format!("this is no comparison: {error}")))?;
    Ok(Compared::new(data, Options::of(py, plan, language, color)?))
}
