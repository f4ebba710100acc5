//! NumPy's `.npz`: a zip of `.npy` files. A stored entry is mapped where it lies, a compressed one inflated when it is
//! asked for, and then alone.

use std::collections::HashSet;
use std::io::{Cursor, Read};
use std::path::Path;

use takewise::Tensor;
use zip::read::ZipFile;
use zip::{CompressionMethod, ZipArchive};

use super::budget::{LZMA_DICTIONARY, SURPLUS};
use super::map::{Map, Placement};
use super::progress::Work;
use super::{FileError, Order, npy};

/// A stored entry of more bytes is read by parts, and not as a whole only to compare its checksum.
const VERIFIED: u64 = 1 << 24;

/// The methods Python's zipfile has always had.
const METHODS: [CompressionMethod; 4] =
    [CompressionMethod::STORE, CompressionMethod::DEFLATE, CompressionMethod::BZIP2, CompressionMethod::LZMA];

/// An archive and its directory.
pub(super) struct Archive {
    zip: ZipArchive<Cursor<Map>>,
    map: Map,
    /// Entries that have not ended when another begins.
    overlaps: HashSet<usize>,
}

/// A name of the directory, and the entry it stands for.
pub(super) struct Name {
    /// What the array is called.
    pub name: String,
    /// The entry, or why there is none.
    pub entry: Result<usize, String>,
}

type ZipEntry<'a> = ZipFile<'a, Cursor<Map>>;

/// Whether the first bytes of an entry are those of an npy file.
fn begins_as_npy(zip: &mut ZipArchive<Cursor<Map>>, index: usize) -> bool {
    let mut magic = [0; npy::MAGIC.len()];
    // A dictionary of lzma is as large as the entry asks for.
    zip.by_index_data(index).is_ok_and(|entry| entry.compression() != CompressionMethod::LZMA)
        && zip.by_index(index).is_ok_and(|mut entry| entry.read_exact(&mut magic).is_ok() && magic == *npy::MAGIC)
}

impl Archive {
    /// Reads the directory of an archive.
    ///
    /// # Errors
    /// A directory that is missing or damaged.
    pub(super) fn open(path: &Path, map: &Map) -> Result<(Self, Vec<Name>), FileError> {
        let fail = |text: String| FileError::new(path, text);
        let mut zip =
            ZipArchive::new(Cursor::new(map.clone())).map_err(|e| fail(format!("not a readable npz file: {e}")))?;
        let mut names = Vec::with_capacity(zip.len().min(4096));
        let mut extents = Vec::with_capacity(zip.len().min(4096));
        for i in 0..zip.len() {
            let listed = match zip.by_index_data(i) {
                Ok(entry) => {
                    // A local header takes 30 bytes and the name, at least.
                    let fixed = 30 + entry.name_raw().len() as u64;
                    let end = entry.header_start().saturating_add(fixed).saturating_add(entry.compressed_size());
                    extents.push((entry.header_start(), end, i));
                    let name = entry.name().map(std::borrow::Cow::into_owned);
                    name.map(|name| (name, entry.is_dir())).map_err(unreadable)
                }
                Err(e) => Err(unreadable(e)),
            };
            let (name, entry) = match listed {
                Ok((_, true)) => continue,
                Ok((name, false)) => match name.strip_suffix(".npy") {
                    Some(key) => (key.to_owned(), Ok(i)),
                    // Some programs leave the ending out.
                    None if begins_as_npy(&mut zip, i) => (name, Ok(i)),
                    None => (name, Err("is not an npy array".to_owned())),
                },
                Err(text) => (format!("entry {i}"), Err(text)),
            };
            names.push(Name { name, entry });
        }
        let overlaps = overlaps(extents);
        Ok((Self { zip, map: map.clone(), overlaps }, names))
    }

    /// Where the elements of an entry lie: in the file if it is stored, else in its image.
    ///
    /// # Errors
    /// An entry that cannot be read, or whose header lies about it.
    pub(super) fn placement(&self, index: usize) -> Result<Placement, String> {
        let mut zip = self.zip.clone();
        let mut entry = self.entry(&mut zip, index)?;
        if entry.compression() == CompressionMethod::Stored {
            let (base, image) = self.stored(&entry)?;
            let placement = npy::placement(npy::parse(image)?, base);
            placement.check(base + image.len())?;
            return Ok(placement);
        }
        let mut start = Vec::new();
        let read = (&mut entry).take(npy::MAX_PREFIX as u64).read_to_end(&mut start);
        let parsed = npy::parse(&start);
        if let (Err(e), Err(_)) = (read, &parsed) {
            return Err(format!("is damaged: {e}"));
        }
        let placement = npy::placement(parsed?, 0);
        let claim = usize::try_from(entry.size()).unwrap_or(usize::MAX);
        let end = placement.check(claim)?;
        if claim - end > SURPLUS {
            return Err(format!("is damaged: it holds {claim} bytes, and its header describes {end}"));
        }
        Ok(placement)
    }

    /// The array of an entry.
    ///
    /// # Errors
    /// As [`Archive::placement`]; content that is damaged.
    pub(super) fn tensor(&self, path: &Path, index: usize, order: Order) -> Result<Tensor, FileError> {
        let mut zip = self.zip.clone();
        let about = self.map.here_and_there(|| Ok((self.placement(index)?, self.entry(&mut zip, index)?)));
        let (placement, entry) = about.map_err(|text: String| FileError::new(path, text))?;
        let read = match entry.compression() {
            _ if self.map.writes_through() => Err("is part of an archive, and cannot be written in place".into()),
            CompressionMethod::Stored if entry.size() > VERIFIED => Ok(self.map.clone()),
            CompressionMethod::Stored => self.verified(&entry).map(|()| self.map.clone()),
            _ => inflate(entry).map(Map::owned),
        };
        read.map_err(|text| FileError::new(path, text))?.tensor(path, placement.in_order(order))
    }

    fn entry<'z>(&self, zip: &'z mut ZipArchive<Cursor<Map>>, index: usize) -> Result<ZipEntry<'z>, String> {
        if self.overlaps.contains(&index) {
            return Err("is damaged: another entry begins inside it".into());
        }
        let about = zip.by_index_data(index).map_err(unreadable)?;
        if about.encrypted() {
            return Err("is encrypted".into());
        }
        let method = about.compression();
        if !METHODS.contains(&method) {
            return Err(format!("is compressed by a method that is not supported ({method})"));
        }
        if method == CompressionMethod::LZMA {
            // Two bytes of version, two of length, one of properties, then the dictionary's size.
            let mut head = [0; 9];
            let read = zip.by_index_raw(index).map_err(unreadable)?.read_exact(&mut head);
            read.map_err(|e| format!("is damaged: {e}"))?;
            let asks = u32::from_le_bytes([head[5], head[6], head[7], head[8]]);
            if asks > LZMA_DICTIONARY {
                return Err(format!("asks for {asks} bytes to be unpacked in; at most {LZMA_DICTIONARY} are given"));
            }
        }
        zip.by_index(index).map_err(unreadable)
    }

    /// The bytes of a stored entry, and where they begin.
    fn stored(&self, entry: &ZipEntry<'_>) -> Result<(usize, &[u8]), String> {
        let start = entry.data_start().and_then(|s| usize::try_from(s).ok());
        let end = start.zip(usize::try_from(entry.size()).ok()).and_then(|(s, n)| s.checked_add(n));
        if entry.size() != entry.compressed_size() {
            return Err("is damaged: it is stored, but its two sizes differ".into());
        }
        let image = start.zip(end).and_then(|(s, e)| Some((s, self.map.bytes().get(s..e)?)));
        image.ok_or_else(|| "lies beyond the end of the file".into())
    }

    fn verified(&self, entry: &ZipEntry<'_>) -> Result<(), String> {
        let (_, image) = self.stored(entry)?;
        let mut sum = crc32fast::Hasher::new();
        let work = Work::begin("reading", image.len() as u64);
        for part in image.chunks(1 << 24) {
            sum.update(part);
            work.advance(part.len() as u64);
        }
        match sum.finalize() == entry.crc32() {
            true => Ok(()),
            false => Err("is damaged: its checksum does not match".into()),
        }
    }
}

fn unreadable(e: zip::result::ZipError) -> String {
    format!("is not readable: {e}")
}

/// The entries, given as where they start, end and stand in the directory, that run into the next one.
fn overlaps(mut extents: Vec<(u64, u64, usize)>) -> HashSet<usize> {
    extents.sort_unstable();
    extents.windows(2).filter(|pair| pair[1].0 < pair[0].1).map(|pair| pair[0].2).collect()
}

/// Reads a compressed entry. Memory grows with what is really there, and no further than the directory claims.
fn inflate(mut entry: ZipEntry<'_>) -> Result<Vec<u8>, String> {
    let claim = entry.size();
    let mut image = Vec::new();
    let work = Work::begin("reading", claim);
    let mut block = vec![0u8; 1 << 20];
    loop {
        match entry.read(&mut block) {
            Ok(0) => return Ok(image),
            Ok(n) if (image.len() + n) as u64 > claim => {
                return Err(format!("is damaged: it holds more than the {claim} bytes it claims"));
            }
            Ok(n) => {
                image.try_reserve(n).map_err(|_| "does not fit into memory")?;
                image.extend_from_slice(&block[..n]);
                work.advance(n as u64);
            }
            Err(e) => return Err(format!("is damaged: {e}")),
        }
    }
}
