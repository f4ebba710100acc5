//! Memory that stands for something slower, such as a mapped file, and whoever can bring its bytes without touching it.
//!
//! Touching one byte of a mapped file has the system read what lies around it, up to megabytes, one touch after the other.
//! Who maps a file says so here ([`stands_for`]), and a read that needs little of it asks for that at once.
//!
//! The engine knows nothing of files. It knows which bytes a plan reads and where they go; the rest is a [`Far`].

use crate::fork::Lock;
use crate::notes;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Some bytes of such memory, and where they go. All pieces of a call are of one length.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Piece {
    /// Where they lie, from the beginning of the memory on.
    pub from: usize,
    /// Where they go, from the target on.
    pub to: isize,
}

/// How a call to bring bytes ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Brought {
    /// They are there.
    All,
    /// Nothing was done: the memory holds something else by now than what it stands for, and must be touched.
    Touch,
}

/// Whoever can bring the bytes of some memory without touching it.
pub trait Far: Send + Sync {
    /// Bytes that one touch brings at least.
    fn page(&self) -> usize;

    /// Pages that a call touches at most to be served by [`Far::bring`].
    fn most_pages(&self) -> usize;

    /// In how many requests these pieces, which are sorted, would be had.
    fn requests(&self, pieces: &[Piece], chunk: usize) -> usize;

    /// Whether so many pieces, each of `chunk` bytes, are in memory already, so that touching them does not wait. A few of them
    /// are looked at: `from` says where the one of a number lies, if it lies anywhere.
    fn is_near(&self, count: usize, chunk: usize, from: &mut dyn FnMut(usize) -> Option<usize>) -> bool {
        let _ = (count, chunk, from);
        false
    }

    /// Runs what touches the pieces that [`Far::is_near`] was asked about and found in memory, and may learn from how long
    /// it takes whether they were.
    fn touch(&self, count: usize, chunk: usize, run: &mut dyn FnMut()) {
        let _ = (count, chunk);
        run();
    }

    /// Puts `chunk` bytes of every piece where it goes. Pieces are sorted and may meet where they lie.
    ///
    /// Errors: why not all could be had, in a line. What was brought before stays.
    ///
    /// # Safety
    /// All pieces lie in the memory this was registered for. From `target` on, where they go is writable, nobody else's, and
    /// no two pieces meet there.
    unsafe fn bring(&self, pieces: &[Piece], chunk: usize, target: *mut u8) -> Result<Brought, String>;

    /// Has these pieces, which are sorted, brought into memory, so that touching them does not wait. Nothing is lost where that
    /// fails.
    fn ready(&self, pieces: &[Piece], chunk: usize);

    /// Whether a write may find no room, as in a file with holes: [`Far::room`] is asked before each then.
    fn has_holes(&self) -> bool {
        false
    }

    /// Sees to it that these pieces, which are sorted, can be written.
    ///
    /// Errors: why not, in a line.
    fn room(&self, pieces: &[Piece], chunk: usize) -> Result<(), String> {
        let _ = (pieces, chunk);
        Ok(())
    }

    /// What was lost of these bytes of the memory since it was registered, in a line.
    fn lost(&self, bytes: Range<usize>) -> Option<String>;
}

/// Where such memory lies.
#[derive(Clone)]
struct Region {
    number: u64,
    at: Range<usize>,
    far: Arc<dyn Far>,
}

/// All of it. A child that is forked while this changes forgets it, and touches memory as anybody would.
static REGIONS: Lock<Vec<Region>> = Lock::new(Vec::new());

/// Says that memory stands for something slower, until dropped.
#[must_use]
pub struct Registered {
    number: u64,
}

/// Says that the memory at these addresses stands for something slower.
pub fn stands_for(at: Range<usize>, far: Arc<dyn Far>) -> Registered {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut regions = REGIONS.lock();
    // In order, so that they are found by halving.
    let place = regions.partition_point(|region| region.at.start <= at.start);
    regions.insert(place, Region { number, at, far });
    notes::far_begins();
    Registered { number }
}

impl Drop for Registered {
    fn drop(&mut self) {
        notes::far_ends();
        let gone = {
            let mut regions = REGIONS.lock();
            let place = regions.iter().position(|region| region.number == self.number);
            place.map(|place| regions.remove(place))
        };
        // Whoever it was is let go without the lock.
        drop(gone);
    }
}

/// Such memory around these addresses: where it lies, and who can bring its bytes.
pub(crate) fn around(low: usize, high: usize) -> Option<(Range<usize>, Arc<dyn Far>)> {
    let regions = REGIONS.lock();
    let before = regions.partition_point(|region| region.at.start <= low);
    // Of several that begin below the nearest is asked first.
    let found = regions[..before].iter().rev().find(|region| region.at.end >= high)?;
    Some((found.at.clone(), Arc::clone(&found.far)))
}

/// Whether an address lies in such memory.
pub fn holds(address: usize) -> bool {
    notes::has_far() && around(address, address.saturating_add(1)).is_some()
}
