//! What can go wrong while evaluating, and how it is shown.
//!
//! An [`EvalError`] carries the class name a Python user would see, the text, and the byte range of
//! the source it is about. The first line of the text is the dialect's own wording; facts of ours
//! follow on further lines, so a transcript compares only the class and the first line.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use takewise::{Error, Fault};

use crate::words;

/// What evaluating gives.
pub(crate) type Result<T, E = EvalError> = std::result::Result<T, E>;

/// Why an expression or statement could not be evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalError {
    class: String,
    text: String,
    span: Option<Range<usize>>,
    facts: Option<Box<Facts>>,
    cause: Option<Cause>,
}

/// The engine's error behind one. Two are alike if they say the same.
#[derive(Debug, Clone)]
struct Cause(Arc<Error>);

impl PartialEq for Cause {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.to_string() == other.0.to_string()
    }
}

impl Eq for Cause {}

/// Which index value is to blame, where one is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The axis of the indexed array it missed.
    pub axis: Option<usize>,
    /// Its coordinates in the index array.
    pub position: Option<Vec<usize>>,
    /// What it is.
    pub value: Option<i128>,
    /// The length of that axis.
    pub size: Option<usize>,
}

impl Facts {
    /// What the engine says.
    pub fn of(error: &Error) -> Facts {
        let position = error.position().map(<[usize]>::to_vec);
        Facts { axis: error.axis(), position, value: error.value(), size: error.len() }
    }
}

impl EvalError {
    /// An error of Python class `class` with message `text`, not yet tied to a place in the source.
    pub fn new(class: impl Into<String>, text: impl Into<String>) -> Self {
        Self { class: class.into(), text: text.into(), span: None, facts: None, cause: None }
    }

    /// A `TypeError`.
    pub fn type_error(text: impl Into<String>) -> Self {
        Self::new("TypeError", text)
    }

    /// A `ValueError`.
    pub fn value_error(text: impl Into<String>) -> Self {
        Self::new("ValueError", text)
    }

    /// An `IndexError`.
    pub fn index_error(text: impl Into<String>) -> Self {
        Self::new("IndexError", text)
    }

    /// A `RuntimeError`.
    pub fn runtime_error(text: impl Into<String>) -> Self {
        Self::new("RuntimeError", text)
    }

    /// A `NotImplementedError`: valid notation for something this program does not do.
    pub fn unsupported(text: impl Into<String>) -> Self {
        Self::new("NotImplementedError", text)
    }

    /// The same error, blamed on `span` unless a narrower place is already known.
    #[must_use]
    pub fn at(mut self, span: Range<usize>) -> Self {
        self.span.get_or_insert(span);
        self
    }

    /// The same error with the engine's behind it, and what that says about the index value to blame.
    #[must_use]
    pub(crate) fn about(mut self, error: Error) -> Self {
        let facts = Facts::of(&error);
        if facts.axis.is_some() || facts.value.is_some() {
            self.facts = Some(Box::new(facts));
        }
        self.cause = Some(Cause(Arc::new(error)));
        self
    }

    /// The engine's error behind this one, where there is one.
    pub fn cause(&self) -> Option<&Error> {
        self.cause.as_ref().map(|cause| &*cause.0)
    }

    /// Which index value is to blame, where one is.
    pub fn facts(&self) -> Option<&Facts> {
        self.facts.as_deref()
    }

    /// Python class name, e.g. `IndexError`.
    pub fn class(&self) -> &str {
        &self.class
    }

    /// The whole message: dialect wording, then our facts on following lines.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The dialect's wording alone.
    pub fn first_line(&self) -> &str {
        self.text.split('\n').next().unwrap_or("")
    }

    /// Byte range of the source the error is about, when known.
    pub fn span(&self) -> Option<Range<usize>> {
        self.span.clone()
    }

    /// The error with the offending source line and a caret under it.
    ///
    /// ```
    /// use takewise_dialects::EvalError;
    /// let e = EvalError::new("NameError", "name 'y' is not defined").at(2..3);
    /// assert_eq!(e.render("x[y]"), "NameError: name 'y' is not defined\n  x[y]\n    ^");
    /// ```
    pub fn render(&self, source: &str) -> String {
        let mut out = self.to_string();
        if let Some(span) = &self.span {
            out.push('\n');
            out.push_str(&caret(source, span.clone()));
        }
        out
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.text.is_empty() {
            return f.write_str(&self.class);
        }
        write!(f, "{}: {}", self.class, self.text)
    }
}

impl std::error::Error for EvalError {}

/// The line of `source` that holds the start of `span`, indented by two, with carets under the part
/// of the span that lies on it. Counts characters, so text before the span may be of any script.
pub fn caret(source: &str, span: Range<usize>) -> String {
    let mut start = span.start.min(source.len());
    while !source.is_char_boundary(start) {
        start -= 1;
    }
    let line_start = source[..start].rfind('\n').map_or(0, |p| p + 1);
    let line_end = source[start..].find('\n').map_or(source.len(), |p| start + p);
    let line = &source[line_start..line_end];
    let pad: String = source[line_start..start].chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let mut end = span.end.clamp(start, line_end);
    while !source.is_char_boundary(end) {
        end += 1;
    }
    let width = source[start..end].chars().count().max(1);
    format!("  {line}\n  {pad}{}", "^".repeat(width))
}

/// An engine error as the exception it stands for.
#[cold]
pub(crate) fn raise(error: Error) -> EvalError {
    // What the tape says is said in PyTorch's words, whichever library is spoken: no other has a tape.
    let error = if matches!(error.fault(), Fault::Gradient { .. }) { error.in_words(words::torch) } else { error };
    EvalError::new(words::exception(&error), error.to_string()).about(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caret_stays_on_the_line_of_the_span() {
        assert_eq!(caret("a = 1\nb[9]\nc", 8..9), "  b[9]\n    ^");
        assert_eq!(caret("f(\n1)", 0..5), "  f(\n  ^^");
        assert_eq!(caret("x", 5..9), "  x\n   ^");
        assert_eq!(caret("'é' + y", 7..8), "  'é' + y\n        ^");
    }

    #[test]
    fn the_narrowest_span_wins() {
        let e = EvalError::type_error("no").at(3..4).at(0..9);
        assert_eq!(e.span(), Some(3..4));
    }
}
