//! Tensors in files: `.npy`, `.npz`, `.safetensors`, `.gguf`, raw bytes and tables of text.
//!
//! ```
//! use takewise_files::{RawSpec, open_one};
//! # let path = std::env::temp_dir().join(format!("takewise-first-{}.bin", std::process::id()));
//! # std::fs::write(&path, [1u8, 2, 3, 4, 5, 6])?;
//! let raw = RawSpec { dtype: Some(takewise::DType::U8), shape: Some(vec![2, 3]) };
//! let tensor = open_one(&path, None, &raw)?;
//! assert_eq!(tensor.shape(), [2, 3]);
//! # std::fs::remove_file(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A file is mapped, not read: opening costs its header. A read that touches few pages of the file asks for those alone, in
//! the order in which they lie, many at a time; one that touches a quarter of them or more goes through the mapping, with the
//! system's reading ahead. Compressed `.npz` entries are the exception; they are decoded into memory when they are asked for, and
//! so is byte-swapped data, but for that of a [`FileArray`], which keeps its byte order. Writing into a tensor that came from a file changes the copy in memory, never the file, unless
//! it was opened for that ([`FileArray`], [`Mode::Write`]).
//!
//! A file comes from strangers. One array of it that cannot be read is named, and the others are read; what each bound
//! is stands in SECURITY.md.
//!
//! The crate stands on the engine alone. It knows no library, no notation and no terminal: who wants to show that a
//! file takes long says how, by [`show_progress`].

#![deny(unsafe_code)]

mod ahead;
mod array;
pub mod budget;
mod bytes;
mod cache;
mod columns;
mod disk;
mod escape;
mod fault;
mod foreign;
mod gguf;
mod literal;
mod map;
mod npy;
mod npz;
mod others;
mod progress;
mod reader;
mod requests;
#[cfg(feature = "write")]
mod save;
mod shards;
mod system;
mod tensors;
mod text;
#[cfg(feature = "write")]
mod unfinished;
mod words;

use std::io::Read;
use std::path::{Path, PathBuf};

use takewise::{DType, Tensor};

pub use ahead::Ahead;
pub use array::FileArray;
pub use bytes::FileBytes;
pub use cache::Kept;
pub use columns::{Columnar, column_called, columns_named};
pub use escape::plain;
pub use fault::install as install_fault_handler;
pub use map::Loss;
pub use others::Mapping;
pub use progress::{Progress, Show, show_progress};
#[cfg(feature = "write")]
pub use save::{Destination, save, save_as};
pub use text::{Mark, TextSpec, TextTable, dates_as_text, is_gzip, texts_as_array};
use words::words;
pub use words::{Words, set_words};

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
        write!(f, "{}: {}", plain(&self.path.to_string_lossy()), plain(&self.text))
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

/// What may be done with an array of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// It is read.
    Read,
    /// What is written goes to the file.
    Write,
    /// What is written stays in memory, and the file as it is.
    #[default]
    Copy,
}

/// A tensor and the name it has inside its file (empty for formats that hold one).
pub type Entry = (String, Tensor);

/// A file that was opened, and the arrays it holds. Nothing but headers has been read.
pub struct Opened {
    path: PathBuf,
    format: Format,
    members: Vec<Member>,
    flaw: Option<Flaw>,
    map: map::Map,
    archive: Option<npz::Archive>,
}

/// The byte order of the elements that are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// That of this machine: others are turned round, in memory.
    Native,
    /// That of the file, which the dtype tells.
    AsItLies,
}

/// What is wrong with a file as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Flaw {
    text: String,
    /// Whether no array of it is to be trusted.
    spoils_all: bool,
}

/// An array of a file.
struct Member {
    name: String,
    place: Place,
}

impl Member {
    /// An array that a header lists.
    fn listed((name, place): tensors::Listed) -> Self {
        Self { name, place: place.map_or_else(Place::Nowhere, Place::There) }
    }
}

/// Where an array lies.
enum Place {
    /// Here in the file.
    There(map::Placement),
    /// In an entry of the archive.
    Zipped(usize),
    /// In another file, under the same name.
    Shard(PathBuf),
    /// Nowhere, for this reason.
    Nowhere(String),
}

/// What a header says of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// Name of the element type.
    pub dtype: String,
    /// Bytes of one element.
    pub size: usize,
    /// Extents.
    pub shape: Vec<usize>,
    /// Byte strides, where they are not those of a row-major array.
    pub strides: Option<Vec<isize>>,
    /// What GGUF calls the blocks that the last axis is the bytes of (`Q4_0`), for quantised tensors.
    pub blocks: Option<&'static str>,
}

impl Outline {
    /// The bytes its elements take.
    pub fn byte_count(&self) -> usize {
        self.shape.iter().fold(self.size, |n, &d| n.saturating_mul(d))
    }
}

impl Opened {
    /// The format the content has.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The names of the arrays, in file order; one empty name for formats that hold one array.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.members.iter().map(|m| m.name.as_str())
    }

    /// What is wrong with the file as a whole, where its arrays can be listed all the same.
    pub fn flaw(&self) -> Option<FileError> {
        self.flaw.as_ref().map(|flaw| FileError::new(&self.path, flaw.text.as_str()))
    }

    fn placement(&self, at: usize) -> Result<map::Placement, String> {
        match (&self.members[at].place, &self.archive) {
            (Place::There(place), _) => place.check(self.map.bytes().len()).map(|_| place.clone()),
            (Place::Zipped(entry), Some(archive)) => self.map.here_and_there(|| archive.placement(*entry)),
            (Place::Zipped(_), None) => Err("is not in an archive".into()),
            (Place::Shard(_), _) => Err("is in another file".into()),
            (Place::Nowhere(text), _) => Err(text.clone()),
        }
    }

    /// What the blocks of the array at a position are called.
    fn blocks(&self, at: usize) -> Option<&'static str> {
        match &self.members[at].place {
            Place::There(place) => place.blocks,
            _ => None,
        }
    }

    /// What the header of the array at a position says.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn outline(&self, at: usize) -> Result<Outline, String> {
        if let Some((file, at)) = self.shard(at, Mode::Copy).map_err(|error| error.text().to_owned())? {
            return file.outline(at);
        }
        let place = self.placement(at)?;
        let layout = place.layout().ok_or_else(|| format!("the shape {:?} is too large", place.shape))?;
        let size = place.kind.size();
        let strides = (!layout.is_contiguous(size)).then(|| layout.strides().to_vec());
        Ok(Outline { dtype: place.kind.name().to_owned(), size, shape: place.shape, strides, blocks: self.blocks(at) })
    }

    /// The array at a position.
    ///
    /// # Errors
    /// Why it cannot be read; content that is damaged.
    pub fn tensor(&self, at: usize) -> Result<Tensor, FileError> {
        self.tensor_in(at, Order::Native)
    }

    /// [`Opened::tensor`] in a byte order.
    fn tensor_in(&self, at: usize, order: Order) -> Result<Tensor, FileError> {
        if let Some(flaw) = self.flaw.as_ref().filter(|flaw| flaw.spoils_all) {
            return Err(FileError::new(&self.path, flaw.text.as_str()));
        }
        if let Some((file, at)) = self.shard(at, Mode::Copy)? {
            return file.tensor_in(at, order);
        }
        let name = &self.members[at].name;
        let read = match (&self.members[at].place, &self.archive) {
            (Place::Zipped(entry), Some(archive)) => archive.tensor(&self.path, *entry, order),
            _ => {
                let place = self.placement(at).map_err(|text| FileError::new(&self.path, text));
                place.and_then(|place| self.map.tensor(&self.path, place.in_order(order)))
            }
        };
        read.map_err(|e| match name.is_empty() {
            true => e,
            false => FileError::new(&self.path, format!("{name}: {}", e.text())),
        })
    }
}

/// The formats, told apart by content first and by extension second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// NumPy's single array.
    Npy,
    /// NumPy's zip of arrays.
    Npz,
    /// Named tensors with a JSON header, or the index of several such files.
    SafeTensors,
    /// llama.cpp's named tensors, behind names and values.
    Gguf,
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
            "gguf" => Some(Self::Gguf),
            _ => None,
        }
    }

    /// The format that begins with these bytes, if they tell.
    ///
    /// ```
    /// use takewise_files::Format;
    /// assert_eq!(Format::of_content(b"\x93NUMPY\x01\0"), Some(Format::Npy));
    /// assert_eq!(Format::of_content(b"id,price\n"), None);
    /// ```
    pub fn of_content(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"\x93NUMPY") {
            Some(Self::Npy)
        } else if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
            Some(Self::Npz)
        } else if bytes.starts_with(gguf::MAGIC) {
            Some(Self::Gguf)
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
/// A missing or malformed file; raw bytes without dtype.
pub fn open(path: &Path, raw: &RawSpec) -> Result<Opened, FileError> {
    open_as(path, raw, Mode::Copy)
}

/// [`open`], for reading or writing.
fn open_as(path: &Path, raw: &RawSpec, mode: Mode) -> Result<Opened, FileError> {
    let map = map::open(path, raw, mode)?;
    map.clone().here_and_there(|| listed(path, raw, map))
}

/// The arrays of a file that is mapped.
fn listed(path: &Path, raw: &RawSpec, map: map::Map) -> Result<Opened, FileError> {
    let by_name = Format::of_extension(path);
    let format = match by_name {
        None if raw.dtype.is_some() => Format::Raw,
        _ => Format::of_content(map.bytes()).or(by_name).unwrap_or(Format::Raw),
    };
    if shards::is_index(path) {
        let members = shards::members(path, &map)?;
        return Ok(Opened { path: path.into(), format: Format::SafeTensors, members, flaw: None, map, archive: None });
    }
    let single = |place| vec![Member { name: String::new(), place: Place::There(place) }];
    let (mut flaw, mut archive) = (None, None);
    let members = match format {
        Format::Npy => {
            let header = npy::parse(map.bytes()).map_err(|text| FileError::new(path, text))?;
            single(npy::placement(header, 0))
        }
        Format::Npz => {
            let (opened, names) = npz::Archive::open(path, &map)?;
            archive = Some(opened);
            let member = |n: npz::Name| {
                let place = n.entry.map_or_else(Place::Nowhere, Place::Zipped);
                Member { name: n.name, place }
            };
            names.into_iter().map(member).collect()
        }
        Format::SafeTensors => {
            let (listed, wrong) = tensors::open(path, &map)?;
            flaw = wrong;
            listed.into_iter().map(Member::listed).collect()
        }
        Format::Gguf => gguf::open(path, &map)?.into_iter().map(Member::listed).collect(),
        Format::Raw => single(raw_place(path, &map, raw)?),
    };
    Ok(Opened { path: path.into(), format, members, flaw, map, archive })
}

/// The single tensor of a file, or the named one.
///
/// # Errors
/// As [`open`]; an unknown name, or no name where the file holds several tensors.
pub fn open_one(path: &Path, key: Option<&str>, raw: &RawSpec) -> Result<Tensor, FileError> {
    let file = open(path, raw)?;
    file.tensor(file.find(key)?)
}

/// [`open_one`], of a pipe: of what begins as no tensor file no more is read, and of an npy file as much as its header says.
///
/// ```
/// use std::path::Path;
/// use takewise_files::{RawSpec, read_one};
/// let raw = RawSpec { dtype: Some(takewise::DType::U8), shape: None };
/// let pipe = read_one(Path::new("-"), &mut &[3u8, 1, 2][..], None, &raw).unwrap();
/// assert_eq!(pipe.to_vec::<u8>().unwrap(), [3, 1, 2]);
/// ```
///
/// # Errors
/// As [`open_one`]; `path` is named there.
pub fn read_one(path: &Path, pipe: &mut dyn Read, key: Option<&str>, raw: &RawSpec) -> Result<Tensor, FileError> {
    let map = map::Map::owned(map::read(path, pipe, raw)?);
    let file = map.clone().here_and_there(|| listed(path, raw, map))?;
    file.tensor(file.find(key)?)
}

impl Opened {
    /// Where the single array stands, or the named one.
    fn find(&self, key: Option<&str>) -> Result<usize, FileError> {
        let fail = |text: String| Err(FileError::new(&self.path, text));
        let single = matches!(self.format, Format::Npy | Format::Raw);
        let names = || self.names().take(20).collect::<Vec<_>>().join(", ");
        let readable = |m: &Member| !matches!(m.place, Place::Nowhere(_));
        if self.format == Format::Npz && self.names().any(|name| name.ends_with("data.pkl")) {
            return fail(PICKLED.into());
        }
        match (key, single, self.members.len()) {
            (None, true, _) | (None, _, 1) => Ok(0),
            (Some(key), true, _) => fail(format!("holds a single tensor, and none by the name '{key}'")),
            (None, _, 0) => fail(match self.format {
                Format::Npz => "holds no npy arrays".into(),
                _ => "holds no tensors".into(),
            }),
            (None, _, count) => match self.members.iter().filter(|m| readable(m)).count() {
                1 => Ok(self.members.iter().position(readable).unwrap_or(0)),
                _ => fail(format!("holds {count} tensors; {}: {}", words().choose, names())),
            },
            (Some(key), ..) => match self.names().position(|name| name == key) {
                Some(at) => Ok(at),
                None => fail(format!("has no tensor '{key}'; it holds: {}", names())),
            },
        }
    }
}

/// What is said of a file that PyTorch's `torch.save` wrote.
const PICKLED: &str = "is a pickle of PyTorch's, which may run code when it is read; in Python write it anew by \
    safetensors.torch.save_file(torch.load(path, weights_only=True), 'model.safetensors')";

/// What mapped files have lost since they were opened: parts that were cut off, or could not be read.
pub fn losses() -> Vec<Loss> {
    map::losses()
}

/// Whether a tensor stands on something that was lost.
pub fn stands_on(tensor: &Tensor, losses: &[Loss]) -> Option<FileError> {
    let open = tensor.read_any().ok()?;
    let view = open.view();
    if view.numel() == 0 {
        return None;
    }
    let (low, high) = tensor.layout().reach();
    let first = view.as_ptr() as usize;
    let (start, end) = (first.wrapping_add_signed(low), first.wrapping_add_signed(high) + view.dtype().size());
    losses.iter().find(|l| l.addresses.start < end && start < l.addresses.end).map(|l| l.error.clone())
}

fn raw_place(path: &Path, map: &map::Map, raw: &RawSpec) -> Result<map::Placement, FileError> {
    let Some(dtype) = raw.dtype else {
        if matches!(map.bytes(), [0x80, 2..=5, ..]) {
            return Err(FileError::new(path, PICKLED));
        }
        let start = &map.bytes()[..map.bytes().len().min(budget::LOOK)];
        if is_gzip(start) {
            return Err(FileError::new(
                path,
                "is compressed by gzip, of which tables of text are read: gunzip it first",
            ));
        }
        let (what, cure) = if is_text(start) { (", and looks like text", words().text) } else { ("", words().raw) };
        return Err(FileError::new(path, format!("is not an npy, npz, safetensors or gguf file{what}; {cure}")));
    };
    let dims = raw.shape.clone().unwrap_or_else(|| vec![-1]);
    let shape = raw_shape(&dims, map.bytes().len(), dtype.size()).map_err(|text| FileError::new(path, text))?;
    Ok(map::Placement::contiguous(0, shape, foreign::Kind::Number(dtype)))
}

/// Whether a file that begins so is text: UTF-8 without control characters, but for tabs and ends of lines.
///
/// ```
/// assert!(takewise_files::is_text(b"a,b\n1,2\n") && !takewise_files::is_text(b"\x93NUMPY\x01\0"));
/// ```
pub fn is_text(start: &[u8]) -> bool {
    let control = |b: &u8| *b < b' ' && !matches!(b, b'\t' | b'\n' | b'\r');
    let text = std::str::from_utf8(start).map_or_else(|e| e.error_len().is_none(), |_| true);
    !start.is_empty() && !start.iter().any(control) && text
}

/// The extents of a raw file, the one given as -1 worked out from its length.
fn raw_shape(dims: &[i64], have: usize, size: usize) -> Result<Vec<usize>, String> {
    let too_large = || format!("the shape {dims:?} is larger than any file");
    if dims.len() > budget::AXES {
        return Err(format!("the shape has {} axes; at most {} are read", dims.len(), budget::AXES));
    }
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

/// The page about arrays that do not fit into memory, whose example runs as a test.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../docs/scale.md")]
    mod scale {}
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
        assert!(raw_shape(&[1; budget::AXES], 4, 4).is_ok());
        assert!(raw_shape(&[1; budget::AXES + 1], 4, 4).is_err());
    }
}
