//! Where the bytes of an array are.

use crate::error::{Error, Result};
use crate::far::Remote;
use crate::staged::Staged;
use crate::system;
use std::fs::{File, Metadata};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

/// What is wanted of a key.
///
/// ```
/// use takewise_zarr::Want;
/// assert_ne!(Want::Last(16), Want::Range(0, 16));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Want {
    /// All of it.
    Whole,
    /// So many bytes from the first number on.
    Range(u64, usize),
    /// So many bytes at its end.
    Last(usize),
}

/// What tells one state of a value from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stamp {
    /// Of a file: its length, when it was written, and the number that the system has for it.
    File(u64, Option<SystemTime>, u64),
    /// What a store says.
    Version(String),
}

/// Where an array is.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    /// In a folder.
    Folder(Folder),
    /// In a store that is asked for many things at once, under a path.
    Remote(Arc<dyn Remote>, String),
}

impl Source {
    /// What messages call the array.
    pub(crate) fn root(&self) -> String {
        match self {
            Source::Folder(folder) => folder.root.display().to_string(),
            Source::Remote(_, path) => self.name_of(path),
        }
    }

    /// What messages call a value of the array.
    pub(crate) fn name(&self, key: &str) -> String {
        match self {
            Source::Folder(folder) => folder.path(key).display().to_string(),
            Source::Remote(..) => self.name_of(&self.key(key)),
        }
    }

    /// What messages call a key of the store.
    pub(crate) fn name_of(&self, key: &str) -> String {
        match self {
            Source::Folder(folder) => folder.path(key).display().to_string(),
            Source::Remote(store, _) if key.is_empty() => store.name(),
            Source::Remote(store, _) => format!("{}/{key}", store.name()),
        }
    }

    /// The key that the store has for one of the array's.
    pub(crate) fn key(&self, key: &str) -> String {
        match self {
            Source::Remote(_, path) if !path.is_empty() => format!("{path}/{key}"),
            _ => key.to_string(),
        }
    }

    /// A whole value; `None` where there is none.
    pub(crate) fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        match self {
            Source::Folder(folder) => folder.get(key),
            Source::Remote(store, _) => {
                let answer = store.fetch(&[(self.key(key), Want::Whole)]).pop();
                let answer = answer.unwrap_or_else(|| Err("no answer came".to_string()));
                let found = answer.map_err(|text| Error::store(self.name(key), text))?;
                Ok(found.map(|found| found.bytes))
            }
        }
    }

    /// Replaces one value.
    pub(crate) fn set(&self, key: &str, bytes: Vec<u8>) -> Result<()> {
        match self {
            Source::Folder(folder) => {
                let staged = Staged::new(folder);
                staged.put(key, Some(&bytes))?;
                staged.commit()
            }
            Source::Remote(store, _) => {
                let change = vec![(self.key(key), Some(bytes))];
                let done = store.replace(change);
                let end = store.finish(done.is_ok());
                done.and(end).map_err(|text| Error::store(self.root(), text))
            }
        }
    }

    /// The folders in it, for messages; nothing where listing is not asked for.
    pub(crate) fn folders(&self) -> Vec<String> {
        match self {
            Source::Folder(folder) => folder.folders(),
            Source::Remote(..) => Vec::new(),
        }
    }
}

/// A folder of files, one for each key.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    root: PathBuf,
}

/// A file opened for reading ranges of it.
pub(crate) struct Object {
    file: File,
    name: String,
    len: u64,
    stamp: Stamp,
}

pub(crate) fn absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

impl Folder {
    pub(crate) fn new(root: PathBuf) -> Folder {
        Folder { root }
    }

    /// Where a key's value is.
    pub(crate) fn path(&self, key: &str) -> PathBuf {
        self.root.join(key)
    }

    /// A whole value; `None` where there is none.
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        self.open(key)?.map(|object| object.range(0, object.len() as usize)).transpose()
    }

    /// A value to read ranges of; `None` where there is none.
    pub(crate) fn open(&self, key: &str) -> Result<Option<Object>> {
        let path = self.root.join(key);
        let file = match system::open(&path) {
            Ok(file) => file,
            Err(error) if absent(&error) => return Ok(None),
            Err(error) => return Err(Error::store(path.display(), error)),
        };
        let about = system::about(&file).map_err(|error| Error::store(path.display(), error))?;
        if about.is_dir() {
            return Ok(None);
        }
        let stamp = Stamp::File(about.len(), about.modified().ok(), inode(&about));
        Ok(Some(Object { file, name: path.display().to_string(), len: about.len(), stamp }))
    }

    /// The folders in it, for messages.
    fn folders(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.root).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.path().is_dir());
        let mut names: Vec<String> = folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Object {
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn stamp(&self) -> &Stamp {
        &self.stamp
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
        system::read_at(&self.file, start, &mut bytes).map_err(|error| Error::store(&self.name, error))?;
        Ok(bytes)
    }
}

#[cfg(unix)]
fn inode(about: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(about)
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}
