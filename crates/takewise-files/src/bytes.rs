//! The bytes of a file as they lie there, for readers of formats that this crate does not know.

use std::path::Path;

use takewise::DType;

use super::map::Map;
use super::{FileError, Mode, RawSpec, map};

/// A file that is mapped for reading. Nothing of it has been read.
///
/// Arrays that stand on its bytes are read as those of a [`FileArray`](crate::FileArray): the engine asks for the pages that a call
/// touches, many at a time.
///
/// ```
/// use takewise_files::FileBytes;
/// # let path = std::env::temp_dir().join(format!("takewise-bytes-{}.bin", std::process::id()));
/// # std::fs::write(&path, [1u8, 2, 3])?;
/// let file = FileBytes::open(&path)?;
/// assert_eq!(file.call(|bytes| bytes[1])?, 2);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FileBytes(Map);

impl FileBytes {
    /// Maps a file. What is not a file on disk (a pipe) is read.
    ///
    /// # Errors
    /// A file that is missing, a folder, or not readable.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let raw = RawSpec { dtype: Some(DType::U8), shape: None };
        map::open(path, &raw, Mode::Read).map(Self)
    }

    /// Looks at bytes, and fails if the file lost some of them meanwhile, which then read as zeros: see
    /// [`install_fault_handler`](super::install_fault_handler).
    ///
    /// # Errors
    /// A file that was cut short or cannot be read.
    pub fn call<R>(&self, look: impl FnOnce(&[u8]) -> R) -> Result<R, FileError> {
        self.0.mend();
        let seen = look(self.0.bytes());
        self.0.loss_of_call().map_or(Ok(seen), Err)
    }
}

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

impl std::fmt::Debug for FileBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FileBytes of {} bytes", self.0.bytes().len())
    }
}
