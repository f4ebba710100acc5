//! NumPy's `.npz`: a zip of `.npy` files. Stored entries are mapped where they lie, deflated ones read.

use std::io::{Cursor, Read};
use std::path::Path;

use takewise::Tensor;
use zip::{CompressionMethod, ZipArchive};

use super::map::Map;
use super::{Entry, FileError, npy};

/// The arrays of an archive, in its order. Entries that are not `.npy` are an error, as for NumPy when
/// they are asked for.
pub(super) fn open(path: &Path, map: &Map) -> Result<Vec<Entry>, FileError> {
    let fail = |text: String| FileError::new(path, text);
    let mut archive =
        ZipArchive::new(Cursor::new(map.bytes())).map_err(|e| fail(format!("not a readable npz file: {e}")))?;
    let mut entries = Vec::with_capacity(archive.len().min(4096));
    for i in 0..archive.len() {
        let mut file = archive.by_index(i).map_err(|e| fail(format!("entry {i} is not readable: {e}")))?;
        let name = file.name().map_err(|e| fail(format!("entry {i} is not readable: {e}")))?.into_owned();
        let Some(key) = name.strip_suffix(".npy") else { continue };
        let complain = |text: String| fail(format!("{key}: {text}"));
        if file.encrypted() {
            return Err(complain("is encrypted".into()));
        }
        let tensor = if file.compression() == CompressionMethod::Stored {
            let start = file.data_start().and_then(|s| usize::try_from(s).ok());
            let end = start.zip(usize::try_from(file.size()).ok()).and_then(|(s, n)| s.checked_add(n));
            let image = start.zip(end).and_then(|(s, e)| Some((s, map.bytes().get(s..e)?)));
            let (base, image) = image.ok_or_else(|| complain("lies beyond the end of the file".into()))?;
            let header = npy::parse(image).map_err(complain)?;
            let placement = npy::placement(&header, base);
            if placement.end().is_none_or(|end| end > base + image.len()) {
                return Err(complain(placement.shortage(base + image.len())));
            }
            map.tensor(path, placement)?
        } else {
            inflate(path, key, &mut file)?
        };
        entries.push((key.to_owned(), tensor));
    }
    if entries.is_empty() {
        return Err(fail("holds no npy arrays".into()));
    }
    Ok(entries)
}

/// Reads a compressed entry. Memory grows with what is really there, not with what the header claims.
fn inflate(path: &Path, key: &str, file: &mut impl Read) -> Result<Tensor, FileError> {
    let complain = |text: String| FileError::new(path, format!("{key}: {text}"));
    let mut image = Vec::new();
    #[cfg(feature = "command")]
    let bar = crate::progress::Progress::start("reading", None);
    let mut block = vec![0u8; 1 << 20];
    loop {
        match file.read(&mut block) {
            Ok(0) => break,
            Ok(n) => {
                image.try_reserve(n).map_err(|_| complain("does not fit into memory".into()))?;
                image.extend_from_slice(&block[..n]);
                #[cfg(feature = "command")]
                bar.advance(n as u64);
            }
            Err(e) => return Err(complain(format!("is damaged: {e}"))),
        }
    }
    let header = npy::parse(&image).map_err(complain)?;
    let placement = npy::placement(&header, 0);
    Map::owned(image).tensor(path, placement)
}
