//! Where the bytes of an array are.

use crate::error::{Error, Result};
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::time::SystemTime;

/// What tells one state of an object from another: its length, and when it was written.
pub(crate) type Stamp = (u64, Option<SystemTime>);

/// A folder of files, one for each key.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    root: PathBuf,
}

/// A file opened for reading ranges of it.
pub(crate) struct Object {
    file: File,
    name: String,
    stamp: Stamp,
}

fn absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

impl Folder {
    pub(crate) fn new(root: PathBuf) -> Folder {
        Folder { root }
    }

    /// The name of a key's file, for messages.
    pub(crate) fn name(&self, key: &str) -> String {
        self.root.join(key).display().to_string()
    }

    /// The folder's own name.
    pub(crate) fn root(&self) -> String {
        self.root.display().to_string()
    }

    /// A whole value; `None` where there is none.
    pub(crate) fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        let Some(mut object) = self.open(key)? else { return Ok(None) };
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(object.len() as usize).map_err(|error| Error::store(&object.name, error))?;
        object.file.read_to_end(&mut bytes).map_err(|error| Error::store(&object.name, error))?;
        Ok(Some(bytes))
    }

    /// A value to read ranges of; `None` where there is none.
    pub(crate) fn open(&self, key: &str) -> Result<Option<Object>> {
        let path = self.root.join(key);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if absent(&error) => return Ok(None),
            Err(error) => return Err(Error::store(path.display(), error)),
        };
        let about = file.metadata().map_err(|error| Error::store(path.display(), error))?;
        if about.is_dir() {
            return Ok(None);
        }
        let stamp = (about.len(), about.modified().ok());
        Ok(Some(Object { file, name: path.display().to_string(), stamp }))
    }

    /// The folders in it, for messages.
    pub(crate) fn folders(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.root).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.path().is_dir());
        let mut names: Vec<String> = folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Object {
    pub(crate) fn len(&self) -> u64 {
        self.stamp.0
    }

    pub(crate) fn stamp(&self) -> Stamp {
        self.stamp
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The bytes from `start` on, `len` of them.
    pub(crate) fn range(&self, start: u64, len: usize) -> Result<Vec<u8>> {
        if start.checked_add(len as u64).is_none_or(|end| end > self.len()) {
            let text = format!("is cut short: bytes {start} to {} of {}", start.saturating_add(len as u64), self.len());
            return Err(Error::store(&self.name, text));
        }
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).map_err(|error| Error::store(&self.name, error))?;
        bytes.resize(len, 0);
        read_at(&self.file, start, &mut bytes).map_err(|error| Error::store(&self.name, error))?;
        Ok(bytes)
    }
}

#[cfg(unix)]
fn read_at(file: &File, start: u64, bytes: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, start)
}

#[cfg(windows)]
fn read_at(file: &File, start: u64, bytes: &mut [u8]) -> io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        match std::os::windows::fs::FileExt::seek_read(file, &mut bytes[done..], start + done as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            n => done += n,
        }
    }
    Ok(())
}
