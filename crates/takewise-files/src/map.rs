//! Files as memory, and tensors standing on them.
//!
//! Pages come from the file when first touched. A page that is written to becomes ours alone, so a program may assign into a
//! tensor from a file without changing the file, unless it asks for that ([`Mode`]). Reads of few pages touch nothing: the
//! engine knows by `reader` that this memory stands for a file.

#![allow(unsafe_code)] // one mapping, one foreign buffer, one byte view

use std::fs::OpenOptions;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use memmap2::{Mmap, MmapMut, MmapOptions};
use takewise::internal::far::{Registered, stands_for};
use takewise::tensor::Buffer;
use takewise::{Layout, Tensor};

use super::cache::{Kept, Writing};
use super::fault::Watch;
use super::foreign::Kind;
use super::reader::Reader;
use super::system::scattered;
use super::{FileError, Format, Mode, Order, RawSpec, npy};

/// The bytes of a file.
#[derive(Clone)]
pub(super) struct Map {
    memory: Arc<Memory>,
    buffer: Arc<Buffer>,
}

enum Memory {
    Mapped(Mapped),
    Owned(Vec<u8>),
}

/// A mapping, and who reads its file. The engine forgets of it first, then the watch ends, then the mapping.
struct Mapped {
    _far: Option<Registered>,
    reader: Arc<Reader>,
    map: Pages,
    mode: Mode,
}

/// Mapped pages, by what may be done with them.
enum Pages {
    Fixed(Mmap),
    Changing(MmapMut),
}

impl Pages {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Fixed(map) => map,
            Self::Changing(map) => map,
        }
    }

    /// Tells the system whether reading ahead of touches pays. Advice that is not taken does no harm.
    fn scattered(&self, scattered: bool) {
        #[cfg(unix)]
        {
            let advice = if scattered { memmap2::Advice::Random } else { memmap2::Advice::Normal };
            let _ = match self {
                Self::Fixed(map) => map.advise(advice),
                Self::Changing(map) => map.advise(advice),
            };
        }
        let _ = scattered;
    }
}

/// Every file that is mapped.
static MAPPED: Mutex<Vec<Weak<Memory>>> = Mutex::new(Vec::new());

impl Memory {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Mapped(mapped) => mapped.map.bytes(),
            Self::Owned(bytes) => bytes,
        }
    }

    /// What is wrong with a mapping whose file is not what it was.
    fn loss(&self) -> Option<Loss> {
        let Self::Mapped(mapped) = self else { return None };
        let reader = &mapped.reader;
        let (left, hit) = reader.left();
        if left == reader.len && !hit {
            return None;
        }
        let from = if left < reader.len { left } else { 0 };
        Some(Loss { addresses: reader.start + from..reader.start + reader.len, error: reader.complaint(left) })
    }
}

/// Part of a mapped file that is not there any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// Where it was.
    pub(super) addresses: Range<usize>,
    /// What happened to it.
    pub(super) error: FileError,
}

impl Loss {
    /// What happened, in one line.
    pub fn error(&self) -> String {
        self.error.to_string()
    }
}

/// What mapped files have lost by now.
pub(super) fn losses() -> Vec<Loss> {
    let live = MAPPED.lock().unwrap_or_else(PoisonError::into_inner);
    live.iter().filter_map(Weak::upgrade).filter_map(|memory| memory.loss()).collect()
}

/// Maps a whole file. What is not a file on disk (a pipe, a terminal) is read.
///
/// # Errors
/// A file that is missing, a directory, not readable, or cannot be mapped.
pub(super) fn open(path: &Path, raw: &RawSpec, mode: Mode) -> Result<Map, FileError> {
    let fail = |e: std::io::Error| FileError::new(path, reason(&e));
    let file = OpenOptions::new().read(true).write(mode == Mode::Write).open(path).map_err(fail)?;
    let info = file.metadata().map_err(fail)?;
    if info.is_dir() {
        return Err(FileError::new(path, "is a directory"));
    }
    if !info.is_file() {
        let end = raw_end(raw);
        if is_endless(&file, &info) && raw.dtype.is_some() && end.is_none() {
            return Err(FileError::new(path, "is a device without an end: it is read where its whole shape is given"));
        }
        let end = end.filter(|_| is_endless(&file, &info)).unwrap_or(u64::MAX);
        return match mode {
            Mode::Write => Err(FileError::new(path, "is not a file on disk, and cannot be written in place")),
            _ => read(path, &mut (&file).take(end), raw).map(Map::owned),
        };
    }
    if info.len() == 0 {
        return Ok(Map::owned(Vec::new()));
    }
    // SAFETY: S1: another program may shrink or rewrite the file meanwhile, and the usual hazards of mapped files apply
    // (stale bytes, or a fault on truncated pages, which the handler turns into an error); the engine checks every
    // index value after loading it, so stale bytes never become stray addresses.
    let map = unsafe {
        match mode {
            Mode::Read => MmapOptions::new().map(&file).map(Pages::Fixed),
            Mode::Copy => MmapOptions::new().no_reserve_swap().map_copy(&file).map(Pages::Changing),
            Mode::Write => MmapOptions::new().map_mut(&file).map(Pages::Changing),
        }
    }
    .map_err(fail)?;
    scattered(&file);
    let (start, len, file) = (map.bytes().as_ptr() as usize, map.bytes().len(), Arc::new(file));
    let mut reader = Reader::new(Arc::clone(&file), path, start..start + len, 0, mode == Mode::Copy);
    reader.writing = (mode == Mode::Write).then(|| Writing::of(&file));
    reader.watch = Some(Watch::new(start, len, &file));
    let reader = Arc::new(reader);
    let map = Map::new(Memory::Mapped(Mapped { _far: registered(&reader), reader, map, mode }));
    let mut live = MAPPED.lock().unwrap_or_else(PoisonError::into_inner);
    live.retain(|memory| memory.strong_count() > 0);
    live.push(Arc::downgrade(&map.memory));
    Ok(map)
}

/// Tells the engine of a mapping.
#[cfg(unix)]
fn registered(reader: &Arc<Reader>) -> Option<Registered> {
    let far: Arc<Reader> = Arc::clone(reader);
    Some(stands_for(reader.start..reader.start + reader.len, far))
}

/// Elsewhere mappings are touched.
#[cfg(not(unix))]
fn registered(_: &Arc<Reader>) -> Option<Registered> {
    None
}

/// Reads a pipe: what begins as no tensor file does is refused at once, and of an npy file no more is read than its
/// header says there is.
pub(super) fn read(path: &Path, pipe: &mut dyn Read, raw: &RawSpec) -> Result<Vec<u8>, FileError> {
    let fail = |text: &str| FileError::new(path, text);
    let mut bytes = Vec::new();
    let mut take = |limit: u64, bytes: &mut Vec<u8>| {
        let mut source = (&mut *pipe).take(limit);
        let mut block = vec![0u8; 1 << 16];
        loop {
            match source.read(&mut block) {
                Ok(0) => return Ok(()),
                Ok(n) => {
                    bytes.try_reserve(n).map_err(|_| fail("does not fit into memory"))?;
                    bytes.extend_from_slice(&block[..n]);
                }
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(fail(&reason(&e))),
            }
        }
    };
    take(npy::MAX_PREFIX as u64, &mut bytes)?;
    let have = bytes.len() as u64;
    let end = match (Format::of_content(&bytes), npy::parse(&bytes)) {
        (Some(Format::Npy), Ok(header)) => npy::placement(header, 0).end().map(|end| end as u64),
        (Some(Format::Npy), Err(_)) => Some(0),
        (None, _) if raw.dtype.is_none() => Some(0),
        _ => None,
    };
    take(end.unwrap_or(u64::MAX).saturating_sub(have), &mut bytes)?;
    if let Some(end) = end.and_then(|end| usize::try_from(end).ok()).filter(|end| *end > 0) {
        bytes.truncate(end);
    }
    Ok(bytes)
}

/// The bytes of a raw file whose whole shape is given.
fn raw_end(raw: &RawSpec) -> Option<u64> {
    let size = u64::try_from(raw.dtype?.size()).ok()?;
    raw.shape.as_ref()?.iter().try_fold(size, |n, &d| n.checked_mul(u64::try_from(d).ok()?))
}

/// Whether this is a device such as `/dev/zero`, which is read for ever.
fn is_endless(file: &std::fs::File, about: &std::fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::io::IsTerminal;
        use std::os::unix::fs::FileTypeExt;
        about.file_type().is_char_device() && !file.is_terminal()
    }
    #[cfg(not(unix))]
    {
        let _ = (file, about);
        false
    }
}

fn reason(e: &std::io::Error) -> String {
    match e.kind() {
        std::io::ErrorKind::NotFound => "no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => e.to_string(),
    }
}

impl Map {
    /// Bytes already in memory, treated as a file.
    pub(super) fn owned(bytes: Vec<u8>) -> Self {
        Self::new(Memory::Owned(bytes))
    }

    fn new(memory: Memory) -> Self {
        let memory = Arc::new(memory);
        let bytes = memory.bytes();
        let writable = !matches!(&*memory, Memory::Mapped(Mapped { map: Pages::Fixed(_), .. }));
        // SAFETY: S1: the bytes are valid for reading and, but for a mapping that is read only, for writing until `memory`
        // is dropped, which the buffer keeps. `Map::bytes` is only used while a file is being opened, before any tensor
        // on it can be written.
        let buffer =
            unsafe { Buffer::foreign(bytes.as_ptr().cast_mut(), bytes.len(), writable, Box::new(Arc::clone(&memory))) };
        Self { memory, buffer: Arc::new(buffer) }
    }

    /// Looks at headers and directories, here and there: reading ahead would read megabytes for each.
    pub(super) fn here_and_there<R>(&self, look: impl FnOnce() -> R) -> R {
        let Memory::Mapped(mapped) = &*self.memory else { return look() };
        mapped.map.scattered(true);
        let seen = look();
        mapped.map.scattered(false);
        seen
    }

    /// Whether what is written goes to the file.
    pub(super) fn writes_through(&self) -> bool {
        matches!(&*self.memory, Memory::Mapped(Mapped { mode: Mode::Write, .. }))
    }

    /// Whether an address is one of a mapping of this file.
    pub(super) fn holds(&self, address: usize) -> bool {
        matches!(&*self.memory, Memory::Mapped(m) if (m.reader.start..m.reader.start + m.reader.len).contains(&address))
    }

    /// What the file has lost.
    pub(super) fn loss(&self) -> Option<FileError> {
        self.memory.loss().map(|loss| loss.error)
    }

    /// [`Map::loss`], at the end of a call that began with [`Map::mend`].
    pub(super) fn loss_of_call(&self) -> Option<FileError> {
        let Memory::Mapped(mapped) = &*self.memory else { return None };
        if mapped.reader.left_of_call() == (mapped.reader.len, false) { None } else { self.loss() }
    }

    /// See [`Reader::mend`].
    pub(super) fn mend(&self) {
        if let Memory::Mapped(mapped) = &*self.memory {
            mapped.reader.mend();
        }
    }

    /// See [`Reader::keep_rows`]; whether this is a file that is read.
    pub(super) fn keep_rows(&self, bytes: u64, each: usize) -> bool {
        let Memory::Mapped(Mapped { reader, mode: Mode::Read, .. }) = &*self.memory else { return false };
        reader.keep_rows(bytes, each);
        true
    }

    /// See [`Reader::kept`].
    pub(super) fn kept(&self) -> Option<Kept> {
        if let Memory::Mapped(mapped) = &*self.memory { mapped.reader.kept() } else { None }
    }

    /// Requests made of the file so far, and the bytes they asked for.
    pub(super) fn counted(&self) -> (usize, usize) {
        if let Memory::Mapped(mapped) = &*self.memory { mapped.reader.counted() } else { (0, 0) }
    }

    /// Has the system put what was written on disk.
    ///
    /// # Errors
    /// A disk that fails or is full; a file that was cut short.
    pub(super) fn flush(&self, path: &Path) -> Result<(), FileError> {
        if let Some(error) = self.loss() {
            return Err(error);
        }
        match &*self.memory {
            Memory::Mapped(Mapped { map: Pages::Changing(map), mode: Mode::Write, .. }) => {
                map.flush().map_err(|e| FileError::new(path, reason(&e)))
            }
            _ => Ok(()),
        }
    }

    /// The content.
    pub(super) fn bytes(&self) -> &[u8] {
        self.memory.bytes()
    }

    /// The tensor at a place of the file: mapped if its bytes can be used as they are.
    ///
    /// # Errors
    /// A place that is not wholly inside the file.
    pub(super) fn tensor(&self, path: &Path, place: Placement) -> Result<Tensor, FileError> {
        let fail = |text: String| FileError::new(path, text);
        let end = place.check(self.bytes().len()).map_err(fail)?;
        let layout = place.layout().ok_or_else(|| fail(format!("the shape {:?} is too large", place.shape)))?;
        let dtype = place.kind.dtype().map_err(fail)?;
        if place.unit > 1 {
            let part = &self.bytes()[place.start.min(end)..end];
            let mut bytes = Vec::new();
            bytes.try_reserve_exact(part.len()).map_err(|_| fail("does not fit into memory".into()))?;
            bytes.extend_from_slice(part);
            bytes.chunks_exact_mut(place.unit).for_each(<[u8]>::reverse);
            return Self::owned(bytes).tensor(path, Placement { start: 0, unit: 1, ..place });
        }
        Tensor::from_buffer(Arc::clone(&self.buffer), place.start, layout, dtype).map_err(|e| fail(e.to_string()))
    }
}

impl AsRef<[u8]> for Map {
    fn as_ref(&self) -> &[u8] {
        self.bytes()
    }
}

/// Where an array lies in a file.
#[derive(Debug, Clone)]
pub(super) struct Placement {
    /// Byte of the first element.
    pub start: usize,
    /// Extents.
    pub shape: Vec<usize>,
    /// What an element is.
    pub kind: Kind,
    /// Whether the first axis varies fastest.
    pub fortran: bool,
    /// The bytes to turn round, as units of so many, where elements are in the other byte order; else 1.
    pub unit: usize,
    /// What the format calls the blocks that the last axis is the bytes of, if it has such.
    pub blocks: Option<&'static str>,
}

impl Placement {
    /// A row-major array in native byte order.
    pub(super) fn contiguous(start: usize, shape: Vec<usize>, kind: Kind) -> Self {
        Self { start, shape, kind, fortran: false, unit: 1, blocks: None }
    }

    /// The same array with its elements in a byte order.
    pub(super) fn in_order(self, order: Order) -> Self {
        match order {
            Order::AsItLies if self.unit > 1 => Self { kind: self.kind.swapped(), unit: 1, ..self },
            _ => self,
        }
    }

    fn byte_count(&self) -> Option<usize> {
        if self.shape.contains(&0) {
            return Some(0);
        }
        self.shape.iter().try_fold(self.kind.size(), |n, &d| n.checked_mul(d))
    }

    /// The byte after the last element.
    ///
    /// # Errors
    /// A file of `len` bytes that is too short for it.
    pub(super) fn check(&self, len: usize) -> Result<usize, String> {
        self.end().filter(|&end| end <= len).ok_or_else(|| self.shortage(len))
    }

    /// The byte after the last element, unless that is beyond counting.
    pub(super) fn end(&self) -> Option<usize> {
        self.start.checked_add(self.byte_count()?)
    }

    /// Why a file of `len` bytes cannot hold this array.
    fn shortage(&self, len: usize) -> String {
        let have = len.saturating_sub(self.start);
        match self.byte_count() {
            Some(need) => format!(
                "truncated: shape {:?} of {} needs {need} bytes, the file has {have}",
                self.shape,
                self.kind.name()
            ),
            None => format!("the shape {:?} is larger than any file", self.shape),
        }
    }

    /// Where its elements lie, in bytes from the first.
    pub(super) fn layout(&self) -> Option<Layout> {
        let size = self.kind.size();
        if !self.fortran {
            return Layout::contiguous(&self.shape, size).ok();
        }
        let mut step = isize::try_from(size).ok()?;
        let mut strides = Vec::with_capacity(self.shape.len());
        for &extent in &self.shape {
            strides.push(step);
            step = step.checked_mul(isize::try_from(extent.max(1)).ok()?)?;
        }
        Layout::new(&self.shape, &strides).ok()
    }
}

/// The elements of a row-major tensor as bytes, without copying, for as long as the closure runs.
///
/// # Errors
/// A tensor another call is writing.
#[cfg(feature = "write")]
pub(super) fn with_bytes<R>(tensor: &Tensor, use_bytes: impl FnOnce(&[u8]) -> R) -> takewise::Result<R> {
    let tensor = tensor.contiguous()?;
    let open = tensor.read_any()?;
    let view = open.view();
    let len = view.shape().iter().product::<usize>() * view.dtype().size();
    if len == 0 {
        return Ok(use_bytes(&[]));
    }
    // SAFETY: L1: a contiguous tensor's elements are exactly these bytes; the guard keeps writers out.
    Ok(use_bytes(unsafe { std::slice::from_raw_parts(view.as_ptr(), len) }))
}

/// A mapping of a file that changes with it, as others make them.
#[cfg(test)]
pub(super) fn shared(file: &std::fs::File, offset: u64) -> Mmap {
    // SAFETY: S1: nobody else knows of the file.
    unsafe { MmapOptions::new().offset(offset).map(file) }.unwrap()
}

#[cfg(all(test, unix))]
mod tests {
    use takewise::DType;

    use super::*;

    /// What is missing reads as zeros and is told of; what is there, and other files, are as they were.
    #[test]
    fn pages_that_are_gone_read_as_zeros_and_are_told_of() {
        crate::fault::install();
        let dir = std::env::temp_dir();
        let path = |k: usize| dir.join(format!("takewise-fault-{}-{k}.bin", std::process::id()));
        let raw = RawSpec { dtype: Some(DType::U8), shape: None };
        let maps: Vec<Map> = (0..3)
            .map(|k| {
                std::fs::write(path(k), vec![7u8; 1 << 20]).unwrap();
                open(&path(k), &raw, Mode::Copy).unwrap()
            })
            .collect();
        assert!(maps.iter().all(|m| m.memory.loss().is_none()));
        std::fs::File::options().write(true).open(path(1)).unwrap().set_len(4096).unwrap();
        let loss = maps[1].memory.loss().unwrap();
        assert!(loss.error().ends_with("it had 1048576 bytes and has 4096"), "{}", loss.error());
        assert_eq!(loss.addresses.len(), (1 << 20) - 4096);
        for at in [1 << 19, 1 << 18, (1 << 20) - 1] {
            assert_eq!(maps[1].bytes()[at], 0);
        }
        assert_eq!(maps[1].bytes()[4095], 7);
        let Memory::Mapped(mapped) = &*maps[1].memory else { panic!("a file on disk is mapped") };
        assert!(mapped.reader.left().1);
        assert!([0, 2].iter().all(|&k| maps[k].memory.loss().is_none() && maps[k].bytes().iter().all(|&b| b == 7)));
        // A place in the list that was given back serves the next file, and starts clean.
        drop(maps);
        let again = open(&path(0), &raw, Mode::Copy).unwrap();
        assert!(again.memory.loss().is_none() && again.bytes()[1 << 19] == 7);
        (0..3).for_each(|k| std::fs::remove_file(path(k)).unwrap());
    }
}
