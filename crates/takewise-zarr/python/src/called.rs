//! Stores that Python has: asked for many things by one call.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use takewise_zarr::{Found, Remote, Want};

/// A store behind an object as `takewise_zarr._stores.Calls`.
#[derive(Debug)]
pub(crate) struct Called {
    pub(crate) name: String,
    /// `fetch` is from (key, start, length) to bytes, bytes and the state they are of, None or an exception, each. `replace` takes
    /// (key, bytes or None), and `finish` whether all went well.
    pub(crate) store: Py<PyAny>,
}

fn said(py: Python<'_>, error: &PyErr) -> String {
    let name = error.get_type(py).name().map(|name| name.to_string()).unwrap_or_default();
    format!("{name}: {}", error.value(py))
}

impl Remote for Called {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn fetch(&self, wants: &[(String, Want)]) -> Vec<Result<Option<Found>, String>> {
        Python::attach(|py| {
            let asked = wants.iter().map(|(key, want)| match *want {
                Want::Whole => (key.as_str(), None, None),
                Want::Range(start, len) => (key.as_str(), Some(start), Some(len)),
                Want::Last(len) => (key.as_str(), None, Some(len)),
            });
            let answers = self.store.bind(py).call_method1("fetch", (asked.collect::<Vec<_>>(),));
            let answers: PyResult<Vec<Bound<'_, PyAny>>> = answers.and_then(|answers| answers.extract());
            let one = |answer: Bound<'_, PyAny>| -> Result<Option<Found>, String> {
                if answer.is_none() {
                    return Ok(None);
                }
                let (bytes, version) = match answer.extract::<(Bound<'_, PyAny>, Option<String>)>() {
                    Ok(both) => both,
                    Err(_) => (answer, None),
                };
                match bytes.cast::<PyBytes>() {
                    Ok(bytes) => Ok(Some(Found { bytes: bytes.as_bytes().to_vec(), version })),
                    Err(_) => Err(said(py, &PyErr::from_value(bytes))),
                }
            };
            match answers {
                Ok(answers) => answers.into_iter().map(one).collect(),
                Err(error) => wants.iter().map(|_| Err(said(py, &error))).collect(),
            }
        })
    }

    fn replace(&self, changes: Vec<(String, Option<Vec<u8>>)>) -> Result<(), String> {
        Python::attach(|py| {
            let changes: Vec<_> =
                changes.iter().map(|(key, value)| (key, value.as_ref().map(|value| PyBytes::new(py, value)))).collect();
            self.store.bind(py).call_method1("replace", (changes,)).map(|_| ()).map_err(|error| said(py, &error))
        })
    }

    fn finish(&self, well: bool) -> Result<(), String> {
        Python::attach(|py| {
            self.store.bind(py).call_method1("finish", (well,)).map(|_| ()).map_err(|error| said(py, &error))
        })
    }
}
