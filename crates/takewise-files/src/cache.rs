//! Rows of a file that are kept in memory: those that are asked for again and again, and not the pages they lie on.
//!
//! A page holds 25 rows of 160 bytes, of which one may be wanted. Where memory is short the system keeps a few such pages; here each kept
//! byte is one that was asked for. What goes first is decided by `quick_cache` (S3-FIFO with a clock).

use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering};

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use takewise::internal::Lock;

use super::system::state;

/// Bytes that a kept row takes beside its own: its key, its place in the table, and what the allocator needs.
const BESIDE: usize = 64;

/// Where a row lies, how long it is, since calls may want parts of rows, and the state of the file that it is of: who reads an old state
/// while another finds a new one keeps nothing that is found later.
pub(super) type Key = (usize, usize, u64);

#[derive(Clone)]
struct Weight;

impl Weighter<Key, Box<[u8]>> for Weight {
    fn weight(&self, _: &Key, row: &Box<[u8]>) -> u64 {
        (row.len() + BESIDE) as u64
    }
}

/// Kept rows of one state of a file.
pub(super) struct Rows {
    rows: Cache<Key, Box<[u8]>, Weight>,
    bytes: u64,
    hits: AtomicU64,
    misses: AtomicU64,
    /// The state of the file that they are of.
    state: AtomicU64,
}

impl Rows {
    /// Room for so many bytes of rows, of about `each` bytes.
    pub(super) fn new(bytes: u64, each: usize) -> Rows {
        let expected = usize::try_from(bytes / (each.max(1) + BESIDE) as u64).unwrap_or(usize::MAX).min(1 << 24);
        Rows {
            rows: Cache::with_weighter(expected, bytes, Weight),
            bytes,
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            state: AtomicU64::new(0),
        }
    }

    /// Whether rows of so many bytes are kept: of long ones few would be.
    pub(super) fn takes(&self, len: usize) -> bool {
        len as u64 <= self.bytes / 64
    }

    /// The state of the file now, if rows of it may be kept. Forgets all if it is another one than they are of.
    pub(super) fn state_of(&self, file: &File) -> Option<u64> {
        let state = state(file);
        if self.state.swap(state, Ordering::AcqRel) != state {
            self.rows.clear();
        }
        (!is_written(file)).then_some(state)
    }

    /// Hands a kept row on; whether it was kept.
    pub(super) fn get(&self, key: Key, use_row: impl FnOnce(&[u8])) -> bool {
        let Some(row) = self.rows.get(&key) else { return false };
        use_row(&row);
        true
    }

    pub(super) fn keep(&self, key: Key, row: &[u8]) {
        self.rows.insert(key, row.into());
    }

    pub(super) fn count(&self, hits: usize, misses: usize) {
        self.hits.fetch_add(hits as u64, Ordering::Relaxed);
        self.misses.fetch_add(misses as u64, Ordering::Relaxed);
    }

    pub(super) fn told(&self) -> Kept {
        let load = |number: &AtomicU64| number.load(Ordering::Relaxed);
        Kept { hits: load(&self.hits), misses: load(&self.misses), bytes: self.rows.weight(), most: self.bytes }
    }
}

/// Files that this process may write by mappings of them: their devices and numbers.
static WRITTEN: Lock<Vec<(u64, u64)>> = Lock::new(Vec::new());

/// Says that this process may write a file, until dropped.
pub(super) struct Writing((u64, u64));

impl Writing {
    pub(super) fn of(file: &File) -> Writing {
        let identity = identity(file);
        WRITTEN.lock().push(identity);
        Writing(identity)
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        let mut written = WRITTEN.lock();
        if let Some(at) = written.iter().position(|one| *one == self.0) {
            written.swap_remove(at);
        }
    }
}

/// Whether this process may write a file. A store through a mapping can leave the time of the file as it is, so that what is kept of it
/// would not be known to be old.
fn is_written(file: &File) -> bool {
    let written = WRITTEN.lock();
    !written.is_empty() && written.contains(&identity(file))
}

/// What tells a file from all others; on systems that do not say it all are one.
fn identity(file: &File) -> (u64, u64) {
    #[cfg(unix)]
    if let Ok(about) = file.metadata() {
        use std::os::unix::fs::MetadataExt;
        return (about.dev(), about.ino());
    }
    let _ = file;
    (0, 0)
}

/// What a [`FileArray`](super::FileArray) that keeps rows has kept ([`FileArray::kept`](super::FileArray::kept)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Rows that were had from memory.
    pub hits: u64,
    /// Rows that were read from the file.
    pub misses: u64,
    /// Bytes that are kept now.
    pub bytes: u64,
    /// Bytes that are kept at most.
    pub most: u64,
}
