//! What can go wrong, and how the decoders are kept from ending the program.

use std::cell::Cell;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// Why a table could not be read or written: one line, without the name of the file.
///
/// ```
/// let error = takewise_arrow::Table::open("nowhere.parquet").unwrap_err();
/// assert_eq!(error.to_string(), "no such file");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(pub(crate) String);

pub(crate) type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl Error {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl From<takewise::Error> for Error {
    fn from(error: takewise::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<takewise_files::FileError> for Error {
    fn from(error: takewise_files::FileError) -> Self {
        Self(error.text().to_owned())
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self(match error.kind() {
            std::io::ErrorKind::NotFound => "no such file".into(),
            std::io::ErrorKind::IsADirectory => "is a folder: give one of its files".into(),
            std::io::ErrorKind::UnexpectedEof => "is cut short".into(),
            _ => error.to_string(),
        })
    }
}

impl From<arrow_schema::ArrowError> for Error {
    fn from(error: arrow_schema::ArrowError) -> Self {
        Self(format!("cannot be decoded: {error}"))
    }
}

impl From<parquet::errors::ParquetError> for Error {
    fn from(error: parquet::errors::ParquetError) -> Self {
        Self(format!("cannot be decoded: {error}"))
    }
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs a decoder. Those of arrow-rs may panic on files that are damaged in ways they do not expect; such a panic becomes an
/// error, and nothing is printed of it.
pub(crate) fn guarded<T>(decode: impl FnOnce() -> Result<T>) -> Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
    let outer = QUIET.replace(true);
    // What a decoder leaves behind when it panics is dropped with it and seen by nobody.
    let outcome = panic::catch_unwind(AssertUnwindSafe(decode));
    QUIET.set(outer);
    outcome.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        Err(Error::new(format!("cannot be decoded: {}", text.unwrap_or("the content contradicts itself"))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        let told = guarded(|| -> Result<()> { panic!("at byte {}", 3) }).unwrap_err();
        assert_eq!(told.to_string(), "cannot be decoded: at byte 3");
        assert!(!QUIET.get());
    }
}
