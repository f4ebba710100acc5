//! Who reads and writes which bytes of a buffer right now.
//!
//! Every running call and every live guard has entries in the ledger of each buffer it touches: a region
//! (byte interval, and the exact strided set where the interval has holes) and whether it is written.
//! Readers share; a writer excludes whoever reaches one of its bytes; disjoint regions never meet, so two
//! threads may fill two halves, or the even and the odd columns, of one buffer at once.
//!
//! All operands of a call are registered in one step: the ledgers are locked in address order, every claim
//! is compared with the entries of others, and either all claims become entries or none does. The locks
//! are held for that bookkeeping only, never while elements move, so nothing waits for a running call: a
//! conflict is an answer, not a wait. Rejected: a lock per buffer held through the call (deadlocks on
//! self-aliasing, serialises disjoint writers) and plain reader counts (they cannot tell disjoint regions
//! apart).
//!
//! This file has no unsafe code and takes its mutex from `super::sync`, so a model checker can compile it
//! with its own mutex and visit every interleaving.

use super::sync::{Lock, Locked, generation, lives, thread};
use crate::layout::{Layout, may_overlap};
use smallvec::SmallVec;

/// The bytes one operand reaches, counted from the start of its buffer.
#[derive(Debug)]
pub(crate) struct Footprint {
    start: usize,
    end: usize,
    /// The exact set; `None` when it is the whole interval.
    strided: Option<Box<(usize, Layout, usize)>>,
}

impl Footprint {
    /// The region of a layout whose first element (of `size` bytes) lies at byte `first`; `None` when no
    /// byte is reached.
    pub(crate) fn new(first: usize, layout: &Layout, size: usize) -> Option<Footprint> {
        let count = layout.numel();
        if count == 0 || size == 0 {
            return None;
        }
        if layout.is_contiguous(size) {
            return Some(Footprint { start: first, end: first + count * size, strided: None });
        }
        let (low, high) = layout.reach();
        let (start, last) = (first.wrapping_add_signed(low), first.wrapping_add_signed(high));
        Some(Footprint { start, end: last + size, strided: Some(Box::new((first, layout.clone(), size))) })
    }

    /// Whether two regions share a byte. Exact up to the work cap of [`may_overlap`].
    fn meets(&self, other: &Footprint) -> bool {
        if self.end <= other.start || other.end <= self.start {
            return false;
        }
        if self.strided.is_none() && other.strided.is_none() {
            return true;
        }
        let whole = Layout::scalar();
        let parts = |r: &Footprint| match &r.strided {
            Some(s) => (s.0, s.1.clone(), s.2),
            None => (r.start, whole.clone(), r.end - r.start),
        };
        let ((pa, a, sa), (pb, b, sb)) = (parts(self), parts(other));
        may_overlap(pa, &a, sa, pb, &b, sb)
    }
}

#[derive(Debug)]
struct Entry {
    id: u64,
    writes: bool,
    region: Footprint,
    /// Whose it is.
    thread: u32,
}

#[derive(Debug, Default)]
struct Entries {
    list: SmallVec<[Entry; 3]>,
    next: u64,
    /// The process the list was last looked at in.
    generation: u32,
}

/// The entries of one buffer.
#[derive(Debug, Default)]
pub(crate) struct Ledger(Lock<Entries>);

impl Ledger {
    /// The entries, without those of threads that were lost when the process was forked.
    fn open(&self) -> Locked<'_, Entries> {
        let mut entries = self.0.lock();
        if entries.generation != generation() {
            let before = std::mem::replace(&mut entries.generation, generation());
            entries.list.retain(|entry| lives(before, entry.thread));
        }
        entries
    }
}

/// What one operand of a call wants to do.
#[derive(Debug)]
pub(crate) struct Claim<'a> {
    pub(crate) ledger: &'a Ledger,
    pub(crate) region: Footprint,
    pub(crate) writes: bool,
}

/// Why a call was refused: somebody else is using bytes it claimed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// Whether the other one is writing.
    pub(crate) writing: bool,
}

/// The entries of one call; dropping it takes them out.
#[derive(Debug, Default)]
pub(crate) struct Registration<'a>(SmallVec<[(&'a Ledger, u64); 3]>);

/// The claims of one call.
pub(crate) type Claims<'a> = SmallVec<[Claim<'a>; 4]>;

impl<'a> Claim<'a> {
    fn address(&self) -> usize {
        std::ptr::from_ref(self.ledger).addr()
    }

    /// Whether somebody in this ledger is in the way.
    fn conflict(&self, entries: &Entries) -> Option<Conflict> {
        let met = entries.list.iter().find(|e| (e.writes || self.writes) && e.region.meets(&self.region));
        met.map(|e| Conflict { writing: e.writes })
    }

    /// Registers a call with this one operand.
    pub(crate) fn register(mut self) -> Result<Registration<'a>, Conflict> {
        let ledger = self.ledger;
        let mut entries = ledger.open();
        if let Some(conflict) = self.conflict(&entries) {
            return Err(conflict);
        }
        let mut registration = Registration::default();
        registration.enter(ledger, &mut entries);
        entries.enter(&mut self);
        Ok(registration)
    }
}

impl Entries {
    /// Adds an entry under the identity handed out last.
    fn enter(&mut self, claim: &mut Claim<'_>) {
        let region = Footprint { strided: claim.region.strided.take(), ..claim.region };
        self.list.push(Entry { id: self.next, writes: claim.writes, region, thread: thread() });
    }
}

impl<'a> Registration<'a> {
    /// Takes a new identity in a ledger.
    fn enter(&mut self, ledger: &'a Ledger, entries: &mut Entries) {
        entries.next += 1;
        self.0.push((ledger, entries.next));
    }
}

/// Registers all claims, or none.
///
/// Claims of one call do not conflict with each other: the caller has already settled overlap inside the
/// call. Cost uncontended: one lock and one short scan per distinct buffer.
pub(crate) fn register<'a>(claims: &mut [Claim<'a>]) -> Result<Registration<'a>, Conflict> {
    if claims.len() > 1 {
        claims.sort_unstable_by_key(Claim::address);
    }
    let mut registration = Registration::default();
    enter_all(claims, &mut registration)?;
    Ok(registration)
}

/// Enters claims sorted by ledger: every ledger stays locked until those after it have been asked.
fn enter_all<'a>(claims: &mut [Claim<'a>], registration: &mut Registration<'a>) -> Result<(), Conflict> {
    let Some(first) = claims.first() else { return Ok(()) };
    let ledger = first.ledger;
    let same = claims.iter().take_while(|claim| std::ptr::eq(claim.ledger, ledger)).count();
    let (here, rest) = claims.split_at_mut(same);
    let mut entries = ledger.open();
    if let Some(conflict) = here.iter().find_map(|claim| claim.conflict(&entries)) {
        return Err(conflict);
    }
    enter_all(rest, registration)?;
    registration.enter(ledger, &mut entries);
    here.iter_mut().for_each(|claim| entries.enter(claim));
    Ok(())
}

impl Drop for Registration<'_> {
    fn drop(&mut self) {
        for (ledger, id) in &self.0 {
            let mut entries = ledger.open();
            let mut k = 0;
            while k < entries.list.len() {
                if entries.list[k].id == *id {
                    entries.list.swap_remove(k);
                } else {
                    k += 1;
                }
            }
        }
    }
}
