//! What PyTorch's own kernels warn of, and a kernel here that answers in their place.
//!
//! Which operator warns of what is data, in `python/takewise/_operators.py`. Whoever hears a warning may run code of
//! their own, so a call is opened anew after one.

use pyo3::prelude::*;
use takewise::DType;
use takewise_dialects::Value;
use takewise_dialects::sig::Arguments;

use crate::error::refuse;

/// One warning of one operator.
pub(super) struct Warning {
    /// The argument it is about: its place, counted with the receiver, and its name.
    place: usize,
    name: String,
    when: When,
    once: bool,
    text: String,
}

/// What is true of the argument then.
enum When {
    /// It is, or has in it, a tensor of uint8; said for each.
    Byte,
    /// As `Byte` for the parts of a subscript that is stored to, unless one mask and one number make it a fill.
    Stored,
    /// It is a tensor that is not contiguous.
    Strided,
    /// Nothing is asked.
    Always,
}

/// `(place, name, condition, once, text)` as Python has it.
pub(super) type WarningRow = (usize, String, String, bool, String);

impl Warning {
    /// Errors: `ValueError` for a condition of no such name.
    pub(super) fn new(py: Python<'_>, (place, name, when, once, text): WarningRow) -> PyResult<Warning> {
        let when = match when.as_str() {
            "byte" => When::Byte,
            "stored" => When::Stored,
            "strided" => When::Strided,
            "always" => When::Always,
            other => return Err(refuse(py, "ValueError", &format!("no warning has the condition {other:?}"))),
        };
        Ok(Warning { place, name, when, once, text })
    }

    /// How often it is due for these arguments.
    fn due(&self, receiver: Option<&Value>, arguments: &Arguments) -> usize {
        if matches!(self.when, When::Always) {
            return 1;
        }
        let argument = |place, name: &str| {
            let named = || arguments.keyword.iter().find(|(known, _)| known == name).map(|(_, value)| value);
            receiver.into_iter().chain(&arguments.positional).nth(place).or_else(named)
        };
        let Some(about) = argument(self.place, &self.name) else { return 0 };
        if matches!(self.when, When::Stored) {
            let values = argument(self.place + 1, "values").and_then(Value::array);
            let one = values.is_some_and(|array| array.with(|tensor| tensor.numel() == 1));
            let adds = matches!(argument(self.place + 2, "accumulate"), Some(Value::Bool(true)));
            let parts = about.items().unwrap_or_default();
            if one && !adds && parts.iter().filter(|part| part.array().is_some()).count() == 1 {
                return 0;
            }
        }
        if matches!(self.when, When::Strided) && self.name != "self" {
            // Where nothing is looked for, nothing is said of what it would be looked for in.
            let sought = argument(if self.place == 1 { 0 } else { 1 }, "self").and_then(Value::array);
            if sought.is_some_and(|array| array.with(|tensor| tensor.numel() == 0)) {
                return 0;
            }
        }
        self.count(about)
    }

    fn count(&self, value: &Value) -> usize {
        match value {
            Value::Array(array) => array.with(|tensor| match self.when {
                When::Byte | When::Stored => usize::from(tensor.dtype() == DType::U8),
                When::Strided => usize::from(!tensor.is_contiguous()),
                When::Always => 1,
            }),
            other => other.items().unwrap_or_default().iter().map(|item| self.count(item)).sum(),
        }
    }
}

/// Whether anything is to be said.
pub(super) fn are_due(warnings: &[Warning], receiver: Option<&Value>, arguments: &Arguments) -> bool {
    warnings.iter().any(|warning| warning.due(receiver, arguments) > 0)
}

/// Says what is due, by a function of Python's that takes the text and whether it is said once only; whether anything
/// was.
pub(super) fn say(
    py: Python<'_>,
    warnings: &[Warning],
    by: &Py<PyAny>,
    receiver: Option<&Value>,
    arguments: &Arguments,
) -> PyResult<bool> {
    let mut said = false;
    for warning in warnings {
        for _ in 0..warning.due(receiver, arguments) {
            by.call1(py, (&warning.text, warning.once))?;
            said = true;
        }
    }
    Ok(said)
}
