//! Files that are replaced together: all are written beside what they replace first, and then take its place one after another.

use crate::error::{Error, Result};
use crate::store::Folder;
use crate::system;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A file to replace: what was written for it, or nothing if it goes.
struct Change {
    written: Option<PathBuf>,
    place: PathBuf,
}

/// Changes to files of a folder. What was written for those that never took their place is removed.
pub(crate) struct Staged<'f> {
    folder: &'f Folder,
    changes: Mutex<Vec<Change>>,
}

fn failed(path: &Path, error: std::io::Error) -> Error {
    Error::store(path.display(), error)
}

impl<'f> Staged<'f> {
    pub(crate) fn new(folder: &'f Folder) -> Staged<'f> {
        Staged { folder, changes: Mutex::new(Vec::new()) }
    }

    /// Writes what a key is to hold beside it; `None` if there is to be nothing.
    pub(crate) fn put(&self, key: &str, bytes: Option<&[u8]>) -> Result<()> {
        static TURN: AtomicU64 = AtomicU64::new(0);
        let place = self.folder.path(key);
        let written = bytes.map(|_| {
            let mut name = place.as_os_str().to_os_string();
            name.push(format!(".{}-{}.partial", std::process::id(), TURN.fetch_add(1, Ordering::Relaxed)));
            PathBuf::from(name)
        });
        // It is told before it is there, so that a part of it is removed too.
        let change = Change { written: written.clone(), place };
        self.changes.lock().unwrap_or_else(PoisonError::into_inner).push(change);
        let (Some(path), Some(bytes)) = (written, bytes) else { return Ok(()) };
        match system::write(&path, bytes) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                path.parent().map_or(Ok(()), system::create_folder).map_err(|error| failed(&path, error))?;
                system::write(&path, bytes)
            }
            done => done,
        }
        .map_err(|error| failed(&path, error))
    }

    /// Lets everything take its place. An error leaves what has taken it before.
    pub(crate) fn commit(self) -> Result<()> {
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(change) = changes.last() {
            match &change.written {
                Some(written) => {
                    system::rename(written, &change.place).map_err(|error| failed(&change.place, error))?
                }
                None => match system::remove(&change.place) {
                    Err(error) if !crate::store::absent(&error) => return Err(failed(&change.place, error)),
                    _ => {}
                },
            }
            changes.pop();
        }
        Ok(())
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        let changes = self.changes.get_mut().unwrap_or_else(PoisonError::into_inner);
        for written in changes.iter().filter_map(|change| change.written.as_ref()) {
            let _ = system::remove(written);
        }
    }
}
