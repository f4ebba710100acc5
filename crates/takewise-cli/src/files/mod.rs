//! Tensors in files: `.npy`, `.npz`, `.safetensors` and raw bytes.
//!
//! A file is mapped, not read: opening costs its header, and an operation touches only the pages it
//! needs. Compressed `.npz` entries and byte-swapped data are the exceptions; they are decoded into
//! memory. Writing into a tensor that came from a file changes the copy in memory, never the file.

mod map;
mod npy;
mod npz;
#[cfg(feature = "command")]
mod save;
mod tensors;

use std::path::{Path, PathBuf};

use takewise::{DType, Tensor};

pub use map::tensor_from_bytes;
#[cfg(feature = "command")]
pub use save::{Destination, save};

/// Why a file could not be used: one line naming the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    path: PathBuf,
    text: String,
}

impl FileError {
    /// A complaint about a file.
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    /// The complaint, without the path.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl std::fmt::Display for FileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.text)
    }
}

impl std::error::Error for FileError {}

/// How to read a file that does not describe itself.
#[derive(Debug, Clone, Default)]
pub struct RawSpec {
    /// Element type of raw bytes.
    pub dtype: Option<DType>,
    /// Shape of raw bytes; one extent may be -1.
    pub shape: Option<Vec<i64>>,
}

/// A tensor and the name it has inside its file (empty for formats that hold one).
pub type Entry = (String, Tensor);

/// What a file holds.
pub enum Contents {
    /// One unnamed tensor (`.npy`, raw).
    One(Tensor),
    /// Named tensors, in file order (`.npz`, `.safetensors`).
    Many(Vec<Entry>),
}

/// The formats, told apart by content first and by extension second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// NumPy's single array.
    Npy,
    /// NumPy's zip of arrays.
    Npz,
    /// Named tensors with a JSON header.
    SafeTensors,
    /// Bytes only.
    Raw,
}

impl Format {
    /// The format an extension means.
    pub fn of_extension(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "npy" => Some(Self::Npy),
            "npz" => Some(Self::Npz),
            "safetensors" => Some(Self::SafeTensors),
            _ => None,
        }
    }

    fn of_content(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"\x93NUMPY") {
            Some(Self::Npy)
        } else if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
            Some(Self::Npz)
        } else if bytes.len() > 9 && bytes[8] == b'{' {
            Some(Self::SafeTensors)
        } else {
            None
        }
    }
}

/// Opens a file. `raw` says how to read bytes without a header; when it is given for a file whose
/// extension is not one of a known format, the content is not examined.
///
/// # Errors
/// A missing, truncated, malformed or unsupported file; raw bytes without dtype.
pub fn open(path: &Path, raw: &RawSpec) -> Result<Contents, FileError> {
    let map = map::open(path)?;
    let by_name = Format::of_extension(path);
    let format = match by_name {
        None if raw.dtype.is_some() => Format::Raw,
        _ => Format::of_content(map.bytes()).or(by_name).unwrap_or(Format::Raw),
    };
    match format {
        Format::Npy => npy::open(path, &map).map(Contents::One),
        Format::Npz => npz::open(path, &map).map(Contents::Many),
        Format::SafeTensors => tensors::open(path, &map).map(Contents::Many),
        Format::Raw => open_raw(path, &map, raw).map(Contents::One),
    }
}

/// The single tensor of a file, or the named one.
///
/// # Errors
/// As [`open`]; an unknown name, or no name where the file holds several tensors.
pub fn open_one(path: &Path, key: Option<&str>, raw: &RawSpec) -> Result<Tensor, FileError> {
    let names = |entries: &[Entry]| entries.iter().map(|e| e.0.as_str()).take(20).collect::<Vec<_>>().join(", ");
    match (open(path, raw)?, key) {
        (Contents::One(tensor), None) => Ok(tensor),
        (Contents::One(_), Some(key)) => {
            Err(FileError::new(path, format!("holds a single tensor, so '#{key}' names nothing in it")))
        }
        (Contents::Many(mut entries), None) if entries.len() == 1 => Ok(entries.swap_remove(0).1),
        (Contents::Many(entries), None) => Err(FileError::new(
            path,
            format!("holds {} tensors; choose one with '#name': {}", entries.len(), names(&entries)),
        )),
        (Contents::Many(mut entries), Some(key)) => match entries.iter().position(|e| e.0 == key) {
            Some(at) => Ok(entries.swap_remove(at).1),
            None => Err(FileError::new(path, format!("has no tensor '{key}'; it holds: {}", names(&entries)))),
        },
    }
}

fn open_raw(path: &Path, map: &map::Map, raw: &RawSpec) -> Result<Tensor, FileError> {
    let Some(dtype) = raw.dtype else {
        return Err(FileError::new(
            path,
            "is not an npy, npz or safetensors file; give --dtype (and --shape) to read raw bytes",
        ));
    };
    let size = dtype.size();
    let have = map.bytes().len();
    let dims = raw.shape.clone().unwrap_or_else(|| vec![-1]);
    let shape = raw_shape(&dims, have, size).map_err(|text| FileError::new(path, text))?;
    let layout = map::Placement::contiguous(0, shape, dtype);
    map.tensor(path, layout)
}

/// The extents of a raw file, the one given as -1 worked out from its length.
fn raw_shape(dims: &[i64], have: usize, size: usize) -> Result<Vec<usize>, String> {
    let too_large = || format!("the shape {dims:?} is larger than any file");
    let open = dims.iter().filter(|d| **d == -1).count();
    if open > 1 || dims.iter().any(|d| *d < -1) {
        return Err(format!("the shape {dims:?} may hold one -1 and no other negative extent"));
    }
    let mut known = size;
    for d in dims.iter().filter(|d| **d != -1) {
        let d = usize::try_from(*d).map_err(|_| too_large())?;
        known = known.checked_mul(d).ok_or_else(too_large)?;
    }
    let free = have.checked_div(known).unwrap_or(0);
    let total = if open == 1 { free.checked_mul(known).ok_or_else(too_large)? } else { known };
    if total != have {
        return Err(format!(
            "holds {have} bytes, but the shape {dims:?} of {size}-byte elements does not divide or match that"
        ));
    }
    Ok(dims.iter().map(|&d| usize::try_from(d).unwrap_or(free)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_shapes() {
        assert_eq!(raw_shape(&[-1, 3], 24, 4), Ok(vec![2, 3]));
        assert_eq!(raw_shape(&[2, 3], 24, 4), Ok(vec![2, 3]));
        assert!(raw_shape(&[2, 3], 20, 4).is_err());
        assert!(raw_shape(&[-1, 5], 24, 4).is_err());
        assert!(raw_shape(&[i64::MAX, i64::MAX], 24, 4).is_err());
        assert!(raw_shape(&[-1, -1], 24, 4).is_err());
    }
}
