//! Requests for bytes of a file. Pieces that lie close together are had by one, and the next is under way before the first is had:
//!
//! ```text
//! for each request, in the order of the file:
//!     read it if all of it is in memory, without waiting
//!     else have the system begin to read it, and remember it
//!     if as many are remembered as the disk takes at a time, wait for the oldest
//! wait for those that are left
//! ```
//!
//! One thread keeps a disk as busy as it can be: nothing is started for a call, and nothing is left behind. Where a file system cannot say
//! what is in memory, as those of networks, threads wait for it, so many at a time.
//!
//! Source: `preadv2(2)` and `posix_fadvise(2)` of Linux, whose block layer keeps the queue. An `io_uring` of the same depth was no faster
//! (docs/scale.md), and containers often forbid it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use takewise::internal::far::Piece;

use super::system::Now;

/// Bytes of a request at most.
pub(super) const WINDOW: usize = 1 << 20;

/// Bytes that are under way at a time, so that those had first are still in memory when they are waited for.
const UNDER_WAY: usize = 1 << 24;

/// Requests that wait for a file system that cannot tell what is in memory.
const THREADS: usize = 32;

/// Requests a thread is started for.
const WORTH: usize = 4;

/// Pieces that are had together: so many from the first on. Of a single long piece it may be a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub first: u32,
    pub count: u32,
    /// Bytes of the piece that other requests have before.
    pub skip: usize,
    pub len: usize,
}

impl Request {
    /// The pieces it has.
    pub(super) fn of<'p>(&self, pieces: &'p [Piece]) -> &'p [Piece] {
        &pieces[self.first as usize..self.first as usize + self.count as usize]
    }

    /// Where its bytes begin.
    pub(super) fn from(&self, pieces: &[Piece]) -> usize {
        pieces[self.first as usize].from + self.skip
    }
}

/// The requests of sorted pieces: neighbours on the same or adjoining pages are had together.
pub(super) fn plan(pieces: &[Piece], chunk: usize, page: usize, mut ask: impl FnMut(Request)) {
    let page = |at: usize| at / page;
    let mut first = 0;
    while first < pieces.len() {
        let from = pieces[first].from;
        if chunk > WINDOW {
            for skip in (0..chunk).step_by(WINDOW) {
                ask(Request { first: first as u32, count: 1, skip, len: WINDOW.min(chunk - skip) });
            }
            first += 1;
            continue;
        }
        let (mut next, mut end) = (first + 1, from + chunk);
        while let Some(piece) = pieces.get(next) {
            let to = end.max(piece.from + chunk);
            if page(piece.from) > page(end - 1) + 1 || to - from > WINDOW {
                break;
            }
            (next, end) = (next + 1, to);
        }
        ask(Request { first: first as u32, count: (next - first) as u32, skip: 0, len: end - from });
        first = next;
    }
}

/// Serves requests, so many under way at a time; the first error ends it. `have` reads one into a buffer's room or beyond it,
/// and waits for it if that is asked of it; `begin` has the system begin. Returns whether the file system tells what is in memory.
pub(super) fn serve(
    requests: &[Request],
    depth: usize,
    have: impl Fn(&Request, &mut Vec<u8>, bool) -> Result<Now, String> + Sync,
    begin: impl Fn(&Request),
) -> Result<bool, String> {
    let (mut waiting, mut under_way, mut buffer) = (VecDeque::new(), 0, Vec::new());
    let wait = |request: &Request, buffer: &mut Vec<u8>| have(request, buffer, true).map(|_| ());
    for (k, request) in requests.iter().enumerate() {
        match have(request, &mut buffer, false)? {
            Now::Had => continue,
            Now::Absent => begin(request),
            Now::Unknown => {
                waiting.iter().try_for_each(|request| wait(request, &mut buffer))?;
                return by_threads(&requests[k..], wait).map(|()| false);
            }
        }
        waiting.push_back(*request);
        under_way += request.len;
        while waiting.len() >= depth || under_way > UNDER_WAY {
            let Some(oldest) = waiting.pop_front() else { break };
            under_way -= oldest.len;
            wait(&oldest, &mut buffer)?;
        }
    }
    waiting.iter().try_for_each(|request| wait(request, &mut buffer)).map(|()| true)
}

/// Waits for requests in order, many at a time; the first error ends it.
fn by_threads(
    requests: &[Request],
    wait: impl Fn(&Request, &mut Vec<u8>) -> Result<(), String> + Sync,
) -> Result<(), String> {
    let (next, stopped, failed) = (AtomicUsize::new(0), AtomicBool::new(false), Mutex::new(None));
    let work = || {
        let mut buffer = Vec::new();
        while let Some(request) = requests.get(next.fetch_add(1, Ordering::Relaxed)) {
            if stopped.load(Ordering::Relaxed) {
                return;
            }
            if let Err(text) = wait(request, &mut buffer) {
                stopped.store(true, Ordering::Relaxed);
                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(text);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..THREADS.min(requests.len().div_ceil(WORTH)) {
            // Fewer threads do it, too.
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::Mutex;

    use super::*;

    fn requests(count: usize, len: usize) -> Vec<Request> {
        (0..count).map(|k| Request { first: k as u32, count: 1, skip: 0, len }).collect()
    }

    #[test]
    fn what_is_absent_is_begun_before_anything_is_waited_for() {
        let seen = RefCell::new(Vec::new());
        // Every third is in memory.
        let log = Mutex::new(Vec::new());
        let have = |request: &Request, _: &mut Vec<u8>, wait: bool| {
            let there = request.first.is_multiple_of(3);
            log.lock().unwrap().push((request.first, wait));
            Ok(if wait || there { Now::Had } else { Now::Absent })
        };
        assert_eq!(serve(&requests(7, 100), 3, have, |request| seen.borrow_mut().push(request.first)), Ok(true));
        assert_eq!(*seen.borrow(), [1, 2, 4, 5]);
        let waited: Vec<u32> = log.lock().unwrap().iter().filter(|(_, wait)| *wait).map(|(first, _)| *first).collect();
        assert_eq!(waited, [1, 2, 4, 5]);
        // Two were under way when the third was begun, and the first was waited for then.
        let order = log.lock().unwrap().clone();
        assert_eq!(order[..6], [(0, false), (1, false), (2, false), (3, false), (4, false), (1, true)]);
    }

    #[test]
    fn bytes_under_way_are_bounded() {
        let (most, now) = (Mutex::new(0), Mutex::new(0usize));
        let have = |_: &Request, _: &mut Vec<u8>, wait: bool| {
            *now.lock().unwrap() -= usize::from(wait);
            Ok(if wait { Now::Had } else { Now::Absent })
        };
        let begin = |_: &Request| {
            let mut now = now.lock().unwrap();
            *now += 1;
            let mut most = most.lock().unwrap();
            *most = (*most).max(*now);
        };
        assert_eq!(serve(&requests(100, WINDOW), 1000, have, begin), Ok(true));
        assert_eq!((*most.lock().unwrap(), *now.lock().unwrap()), (UNDER_WAY / WINDOW + 1, 0));
    }

    #[test]
    fn a_file_system_that_cannot_tell_is_waited_for_by_threads() {
        let waited = AtomicUsize::new(0);
        let have = |request: &Request, _: &mut Vec<u8>, wait: bool| {
            waited.fetch_add(usize::from(wait), Ordering::Relaxed);
            Ok(match (wait, request.first < 2) {
                (true, _) => Now::Had,
                (_, true) => Now::Absent,
                _ => Now::Unknown,
            })
        };
        assert_eq!(serve(&requests(50, 1), 8, have, |_| ()), Ok(false));
        assert_eq!(waited.into_inner(), 50);
    }

    #[test]
    fn the_first_error_ends_it() {
        for at in [0, 3, 49] {
            for unknown in [false, true] {
                let have = |request: &Request, _: &mut Vec<u8>, wait: bool| match (wait, unknown) {
                    (true, _) if request.first == at => Err("no".to_owned()),
                    (true, _) => Ok(Now::Had),
                    (_, true) => Ok(Now::Unknown),
                    _ => Ok(Now::Absent),
                };
                assert_eq!(serve(&requests(50, 1), 8, have, |_| ()), Err("no".to_owned()));
            }
        }
    }
}
