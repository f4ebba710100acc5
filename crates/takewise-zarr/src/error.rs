//! What can go wrong between an index and the bytes of a store.

use std::fmt;

/// Why an array could not be opened, read or written.
///
/// ```
/// let error = takewise_zarr::Array::open("nowhere.zarr").unwrap_err();
/// assert!(matches!(error, takewise_zarr::Error::Store { .. }));
/// assert_eq!(error.to_string(), "nowhere.zarr: holds no Zarr array: neither zarr.json nor .zarray is there");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The index: which operation, axis, value and position, in the engine's words. Nothing was read.
    Index(takewise::Error),
    /// The store: a file that is missing, cut short or cannot be read.
    Store {
        /// The file, or the key.
        at: String,
        /// What is wrong with it.
        text: String,
    },
    /// A chunk that cannot be decoded.
    Codec {
        /// The file, or the key.
        at: String,
        /// What the codec said.
        text: String,
    },
    /// A chunk that cannot be encoded.
    Encoder {
        /// The file, or the key.
        at: String,
        /// What the codec said.
        text: String,
    },
    /// Values that cannot be written: of another element type, or of a shape that does not broadcast. Nothing was written.
    Values {
        /// The array.
        at: String,
        /// What is wrong with them.
        text: String,
    },
    /// Something of the format that is not read (or written) here.
    Unsupported {
        /// The array.
        at: String,
        /// What it is.
        text: String,
    },
}

impl Error {
    pub(crate) fn store(at: impl fmt::Display, text: impl fmt::Display) -> Error {
        Error::Store { at: at.to_string(), text: text.to_string() }
    }

    pub(crate) fn codec(at: impl fmt::Display, text: impl fmt::Display) -> Error {
        Error::Codec { at: at.to_string(), text: text.to_string() }
    }

    pub(crate) fn encoder(at: impl fmt::Display, text: impl fmt::Display) -> Error {
        Error::Encoder { at: at.to_string(), text: text.to_string() }
    }

    pub(crate) fn values(at: impl fmt::Display, text: impl fmt::Display) -> Error {
        Error::Values { at: at.to_string(), text: text.to_string() }
    }

    pub(crate) fn unsupported(at: impl fmt::Display, text: impl fmt::Display) -> Error {
        Error::Unsupported { at: at.to_string(), text: text.to_string() }
    }
}

impl From<takewise::Error> for Error {
    fn from(error: takewise::Error) -> Error {
        Error::Index(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Index(error) => error.fmt(f),
            Error::Codec { at, text } => write!(f, "{at}: cannot be decoded: {text}"),
            Error::Encoder { at, text } => write!(f, "{at}: cannot be encoded: {text}"),
            Error::Store { at, text } | Error::Values { at, text } | Error::Unsupported { at, text } => {
                write!(f, "{at}: {text}")
            }
        }
    }
}

impl std::error::Error for Error {}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
