//! An array in a file, by itself: read where it is asked for, and written in place where it may be.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use takewise::error::Fault;
use takewise::{DType, Error, Index, Op, Result, Rules, Tensor, ops};

use super::Ahead;
use super::cache::Kept;
use super::map::Map;
use super::{FileError, Mode, Order, RawSpec, open_as};

/// An array that lies in a file, of which calls read what they need.
///
/// Nothing but the header is read when it is opened. A call that touches less than a quarter of the file's pages asks for those
/// pages alone: sorted, neighbours in one request, many requests at a time, straight into the result. Any other goes
/// through the mapping, with the system's reading ahead. The plan of the call decides, so every operation has it; which
/// road was taken never shows in a result.
///
/// Elements in the other byte order stay in it, and the dtype says so ([`DType::swapped`]). Entries of `.npz` that are compressed
/// are decoded into memory when they are opened.
///
/// ```
/// use takewise::prelude::*;
/// use takewise_files::{FileArray, Mode, RawSpec};
/// # let path = std::env::temp_dir().join(format!("takewise-array-{}.bin", std::process::id()));
/// # std::fs::write(&path, (0..24u8).collect::<Vec<_>>())?;
/// let raw = RawSpec { dtype: Some(DType::U8), shape: Some(vec![-1, 4]) };
/// let x = FileArray::open(&path, None, &raw, Mode::Read)?;
/// assert_eq!((x.shape(), x.dtype()), (&[6, 4][..], DType::U8));
///
/// // Subscripts, and any operation of the engine.
/// let rows = x.index(&ix![&[5usize, 0], 1..3], &Rules::NEUTRAL)?;
/// assert_eq!(rows.to_vec::<u8>()?, [21, 22, 1, 2]);
/// let last = x.call(|x| x.take(&tensor!([23]), &Rules::NEUTRAL))?;
/// assert_eq!(last.to_vec::<u8>()?, [23]);
///
/// // Written in place: all or nothing, like every write of the engine.
/// let x = FileArray::open(&path, None, &raw, Mode::Write)?;
/// x.call(|x| x.index_set_(&ix![&[0usize, 3], 0], 99, &Rules::NEUTRAL))?;
/// assert!(x.call(|x| x.index_set_(&ix![&[1usize, 9]], 99, &Rules::NEUTRAL)).is_err());
/// x.flush()?;
/// assert_eq!(std::fs::read(&path)?[..13], [99, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 99]);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FileArray {
    path: PathBuf,
    tensor: Tensor,
    map: Map,
    mode: Mode,
    blocks: Option<&'static str>,
}

impl FileArray {
    /// The single array of a file, or the named one. `raw` says how to read bytes without a header.
    ///
    /// # Errors
    /// As [`open_one`](super::open_one). With [`Mode::Write`] also: a file that may not be written, and arrays that lie in an
    /// archive.
    pub fn open(
        path: &Path,
        key: Option<&str>,
        raw: &RawSpec,
        mode: Mode,
    ) -> std::result::Result<FileArray, FileError> {
        // A pipe would be waited for, and is read once.
        if std::fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir()) {
            return Err(FileError::new(path, "is a pipe or a device, and not a file on disk"));
        }
        let file = open_as(path, raw, mode)?;
        let at = file.find(key)?;
        let (file, at) = file.shard(at, mode)?.unwrap_or((file, at));
        let tensor = file.tensor_in(at, Order::AsItLies)?;
        let blocks = file.blocks(at);
        Ok(FileArray { path: file.path, tensor, map: file.map, mode, blocks })
    }

    /// Extents.
    pub fn shape(&self) -> &[usize] {
        self.tensor.shape()
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.tensor.dtype()
    }

    /// What GGUF calls the blocks that the last axis is the bytes of (`Q4_0`), of a quantised tensor.
    pub fn blocks(&self) -> Option<&'static str> {
        self.blocks
    }

    /// Bytes its elements take.
    pub fn byte_count(&self) -> usize {
        self.tensor.numel() * self.tensor.dtype().size()
    }

    /// Where the file is: of a model in many files, the one that the array lies in.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What may be done with it.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The array as a tensor, for every operation of the engine: reads ask for what they need. Subscripts of a tensor without
    /// index arrays are views, which read nothing until they are read themselves.
    ///
    /// Its user asks for [`FileArray::check`] when a call is over, as [`FileArray::call`] does.
    pub fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    /// Whether a tensor stands on this file.
    pub fn holds(&self, tensor: &Tensor) -> bool {
        tensor.numel() > 0 && self.map.holds(tensor.data_ptr().addr())
    }

    /// `x[items]`, read into a fresh tensor.
    ///
    /// # Errors
    /// As [`ops::index`], and kind `Storage` for a file that was cut short or cannot be read.
    pub fn index(&self, items: &[Index<'_>], rules: &Rules) -> Result<Tensor> {
        self.call(|x| ops::index(x.read_any()?.view(), items, rules))
    }

    /// Makes a call, and fails if the file lost something meanwhile.
    ///
    /// A mapped file that is cut short while it is touched raises a signal, which ends the process; where the program has
    /// called [`install_fault_handler`](super::install_fault_handler) it is an error here instead.
    ///
    /// # Errors
    /// The call's, and kind `Storage`.
    pub fn call<R>(&self, f: impl FnOnce(&Tensor) -> Result<R>) -> Result<R> {
        self.mend();
        let done = f(&self.tensor);
        self.check_call().and(done)
    }

    /// Begins a call, and does not wait for it: a thread that was started before makes it, as [`FileArray::call`] does. Several may be
    /// under way.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use takewise::prelude::*;
    /// use takewise_files::{FileArray, Mode, RawSpec};
    /// # let path = std::env::temp_dir().join(format!("takewise-ahead-{}.bin", std::process::id()));
    /// # std::fs::write(&path, (0..24u8).collect::<Vec<_>>())?;
    /// let raw = RawSpec { dtype: Some(DType::U8), shape: Some(vec![-1, 4]) };
    /// let x = Arc::new(FileArray::open(&path, None, &raw, Mode::Read)?);
    /// let rows = x.ahead(|x| x.index_select(0, &tensor!([5, 0]), &Rules::NEUTRAL));
    /// // Something else is done here.
    /// assert_eq!(rows.wait()?.to_vec::<u8>()?, [20, 21, 22, 23, 0, 1, 2, 3]);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Errors of the call come from [`Ahead::wait`].
    pub fn ahead<R: Send + 'static>(
        self: &Arc<Self>,
        f: impl FnOnce(&Tensor) -> Result<R> + Send + 'static,
    ) -> Ahead<R> {
        let array = Arc::clone(self);
        Ahead::begin(move || array.call(f))
    }

    /// Makes what a call has found missing readable again, where the file still has it, as after a write for which the disk had
    /// no room. To be called before a call, when the one before has been told by [`FileArray::check_call`].
    pub fn mend(&self) {
        self.map.mend();
    }

    /// Fails if the file is not what it was.
    ///
    /// # Errors
    /// Kind `Storage`.
    pub fn check(&self) -> Result<()> {
        self.told(self.map.loss())
    }

    /// [`FileArray::check`] at the end of a call that [`FileArray::mend`] began, on the same thread: what the engine has looked at
    /// by itself is not looked at again.
    ///
    /// # Errors
    /// Kind `Storage`.
    pub fn check_call(&self) -> Result<()> {
        self.told(self.map.loss_of_call())
    }

    fn told(&self, lost: Option<FileError>) -> Result<()> {
        let lost = lost.filter(|_| self.holds(&self.tensor));
        lost.map_or(Ok(()), |e| Err(Error::plain(Fault::Storage { op: Op::Read, text: e.to_string() })))
    }

    /// Has the system put what was written on disk; without it that happens some time later.
    ///
    /// # Errors
    /// A disk that fails; a file that was cut short.
    pub fn flush(&self) -> std::result::Result<(), FileError> {
        self.map.flush(&self.path)
    }

    /// Keeps rows that were read, up to so many bytes of them, for calls to come: the very bytes that were asked for, and not the
    /// pages they lie on. It pays where memory is short and some rows are asked for again and again; else the system keeps
    /// the file in memory itself, and touching that is faster. If the time or the length of the file changes, all are forgotten; while
    /// this process has it open for writing none is used. Another program's stores through a mapping may leave the time as it is: keep
    /// no rows of such a file. What is kept is told by [`FileArray::kept`]. A second call changes nothing.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise_files::{FileArray, Mode, RawSpec};
    /// # let path = std::env::temp_dir().join(format!("takewise-kept-{}.bin", std::process::id()));
    /// # std::fs::write(&path, vec![7u8; 1 << 20])?;
    /// let raw = RawSpec { dtype: Some(DType::U8), shape: Some(vec![-1, 16]) };
    /// let x = FileArray::open(&path, None, &raw, Mode::Read)?;
    /// x.keep_rows(1 << 16)?;
    /// for _ in 0..2 {
    ///     x.index(&ix![&[900usize, 3]], &Rules::NEUTRAL)?;
    /// }
    /// let kept = x.kept().unwrap();
    /// # if cfg!(unix) {
    /// assert_eq!((kept.hits, kept.misses), (2, 2));
    /// # }
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// An array that may be written, or that lies in memory already.
    pub fn keep_rows(&self, bytes: u64) -> std::result::Result<(), FileError> {
        let each = self.byte_count() / self.shape().first().copied().unwrap_or(1).max(1);
        match (self.tensor.numel() == 0 || self.holds(&self.tensor)) && self.map.keep_rows(bytes, each) {
            true => Ok(()),
            false => Err(FileError::new(&self.path, "rows are kept of arrays on disk that are only read")),
        }
    }

    /// What rows are kept, if [`FileArray::keep_rows`] has asked for that.
    pub fn kept(&self) -> Option<Kept> {
        self.map.kept()
    }

    /// Requests made of the file since it was opened, and the bytes they asked for. What goes through the mapping is not
    /// counted: the system decides on it.
    pub fn requested(&self) -> (usize, usize) {
        self.map.counted()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use takewise::strategy::{Strategy, with_strategy};
    use takewise::{Kind, ix};

    use super::*;
    use crate::system::faults::{Fault, at};

    /// Every call that a read and a write of rows make fails once, in turn: the answer is right or an error that names the file, and
    /// the next call of the same array has the right one.
    #[test]
    fn a_fault_at_every_call() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.bin");
        let bytes: Vec<u8> = (0..1 << 20).map(|k: usize| (k / 64) as u8).collect();
        let raw = RawSpec { dtype: Some(DType::U8), shape: Some(vec![-1, 64]) };
        let rows = [16_000usize, 3, 9_000, 3, 500, 501];
        let wanted: Vec<u8> = rows.iter().flat_map(|row| [*row as u8; 64]).collect();
        let faults = [Fault::Fails(libc::EIO), Fault::Fails(libc::EINTR), Fault::Fails(libc::EBADF), Fault::IsShort];
        for (mode, fault) in [Mode::Read, Mode::Write, Mode::Copy].into_iter().flat_map(|m| faults.map(|f| (m, f))) {
            std::fs::write(&path, &bytes).unwrap();
            let x = FileArray::open(&path, None, &raw, mode).unwrap();
            let read = || x.index(&ix![&rows], &Rules::NEUTRAL);
            let asked = || with_strategy(Strategy::Fetch, read);
            let (mut nth, mut failed) = (0, 0);
            loop {
                let (got, was_made) = at(nth, fault, asked);
                match got {
                    Ok(got) => assert_eq!(got.to_vec::<u8>().unwrap(), wanted, "{mode:?} {fault:?} {nth}"),
                    Err(error) => {
                        failed += 1;
                        assert_eq!(error.kind(), Kind::Storage);
                        assert!(error.to_string().contains("rows.bin: "), "{error}");
                    }
                }
                assert_eq!(read().unwrap().to_vec::<u8>().unwrap(), wanted, "{mode:?} {fault:?} {nth}");
                if !was_made {
                    break;
                }
                nth += 1;
            }
            assert!(nth >= 5, "only {nth} calls of the system were made");
            // A read that must not fail waits for those that could not be had at once.
            assert!(failed < nth, "{mode:?} {fault:?}: {failed} of {nth}");
            if mode == Mode::Read {
                continue;
            }
            for nth in 0..8 {
                let write = || x.call(|x| x.index_set_(&ix![&rows[..2], 5], 77, &Rules::NEUTRAL));
                // What a write brings into memory beforehand may fail: the mapping has the last word.
                if let (Err(error), _) = at(nth, fault, write) {
                    assert!(error.to_string().contains("rows.bin: "), "{error}");
                }
                write().unwrap();
                assert_eq!(x.index(&ix![&rows[..2], 5], &Rules::NEUTRAL).unwrap().to_vec::<u8>().unwrap(), [77, 77]);
            }
        }
    }
}
