//! Bytes of mapped files that are asked for, where a call needs few pages.
//!
//! A touch of a mapped page has the system read what lies around it: up to megabytes, and one touch waits for the other. Here
//! pieces that lie on the same or neighbouring pages become one request, requests go out in the order of the file by
//! threads of their own, as many as a disk likes to have waiting, and what comes is put where it belongs. Nothing is read
//! that was not asked for: the system is told that reading ahead of these requests does not pay.

#![allow(unsafe_code)] // bytes are read straight to where the engine wants them

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::{ptr, thread};

use takewise::internal::far::{Brought, Far, Piece};

use super::FileError;
use super::disk::{FULL, free, has_holes, holes, is_no_space, reserve};
use super::fault::Watch;

/// Bytes of a request at most.
const WINDOW: usize = 1 << 20;

/// Requests that wait for a disk at a time.
const THREADS: usize = 32;

/// Requests a thread is started for.
const WORTH: usize = 4;

/// A mapping is read this way where a call touches less than this part of its pages.
const PART: usize = 4;

/// A file, and the memory that is mapped from it.
pub(super) struct Reader {
    pub(super) file: Arc<File>,
    pub(super) path: PathBuf,
    /// What tells that pages of the mapping were missing; of mappings by others nobody knows, nor how long their files were.
    pub(super) watch: Option<Watch>,
    /// Where the mapping begins in memory and in the file, and how long it is.
    pub(super) start: usize,
    pub(super) offset: u64,
    pub(super) len: usize,
    /// Whether pages that are written part from the file.
    pub(super) private: bool,
    /// Whether the mapping may be written.
    pub(super) writable: bool,
    page: usize,
    counted: Counted,
}

/// What was asked for so far.
#[derive(Default)]
struct Counted {
    requests: AtomicUsize,
    bytes: AtomicUsize,
}

/// Pieces that are had together: so many from the first on. Of a single long piece it may be a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Request {
    first: u32,
    count: u32,
    /// Bytes of the piece that other requests have before.
    skip: usize,
    len: usize,
}

impl Reader {
    /// The mapping of a file's bytes from `offset` on.
    pub(super) fn new(file: Arc<File>, path: &Path, at: Range<usize>, offset: u64, private: bool) -> Reader {
        let (start, len, page) = (at.start, at.len(), page());
        Reader {
            file,
            path: path.into(),
            watch: None,
            start,
            offset,
            len,
            private,
            writable: false,
            page,
            counted: Counted::default(),
        }
    }

    /// What is left of the mapping, and whether pages of it were missing.
    pub(super) fn left(&self) -> (usize, bool) {
        // Where the length cannot be asked for, the watch alone must tell.
        let whole = self.offset.saturating_add(self.len as u64);
        let end = self.file.metadata().map_or(whole, |about| about.len());
        let left = usize::try_from(end.saturating_sub(self.offset)).unwrap_or(self.len).min(self.len);
        let hit = self.watch.as_ref().and_then(Watch::hit);
        let harmed = hit.is_some_and(|pages| left < self.len || self.private || !self.is_as_in_file(pages));
        if !harmed && left == self.len {
            self.mend();
        }
        (left, harmed)
    }

    /// Whether memory holds what the file has there. Zeros that stand for a missing page are right where the file has a hole: on
    /// disks of memory even reading one takes room.
    fn is_as_in_file(&self, pages: Range<usize>) -> bool {
        let (end, mut at, mut block) = (pages.end.min(self.start + self.len), pages.start, vec![0u8; WINDOW]);
        while at < end {
            let part = &mut block[..WINDOW.min(end - at)];
            // SAFETY: the buffer has room for so many bytes, and so many of the mapping are there; others may change them.
            let same = unsafe {
                self.read(part.as_mut_ptr(), part.len(), at - self.start).is_ok() && is_same(part, at as *const u8)
            };
            if !same {
                return false;
            }
            at += part.len();
        }
        true
    }

    /// Maps the file anew where a page could not be had though the file has it, as on a disk that was full. What was written in
    /// memory alone stays as it is.
    pub(super) fn mend(&self) {
        #[cfg(unix)]
        if let Some(watch) = self.watch.as_ref().filter(|watch| !self.private && watch.hit().is_some()) {
            use std::os::fd::AsRawFd;

            let access = if self.writable { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_READ };
            let (start, flags) = (self.start as *mut libc::c_void, libc::MAP_SHARED | libc::MAP_FIXED);
            // SAFETY: S1: the addresses are those of this mapping of this file, which lives; pages of it take the place of pages
            // of it, and of zeros that the handler has put between them.
            if unsafe { libc::mmap(start, self.len, access, flags, self.file.as_raw_fd(), 0) } != libc::MAP_FAILED {
                watch.forget();
            }
        }
    }

    /// What is said of a file that has only so many bytes of the mapping left, or could not be read.
    pub(super) fn complaint(&self, left: usize) -> FileError {
        let begins = usize::try_from(self.offset).unwrap_or(usize::MAX);
        let (had, has) = (begins.saturating_add(self.len), begins.saturating_add(left));
        let text = match left < self.len {
            true if self.watch.is_none() => format!("was cut short while it was in use: it has {has} bytes"),
            true => format!("was cut short while it was in use: it had {had} bytes and has {has}"),
            false if free(&self.file) == Some(0) => format!("{FULL}, and not all of it was written"),
            false => "could not be read while it was in use".to_owned(),
        };
        FileError::new(&self.path, text)
    }

    /// Requests made so far, and the bytes they asked for.
    pub(super) fn counted(&self) -> (usize, usize) {
        (self.counted.requests.load(Ordering::Relaxed), self.counted.bytes.load(Ordering::Relaxed))
    }

    /// The requests of sorted pieces: neighbours on the same or adjoining pages are had together.
    fn plan(&self, pieces: &[Piece], chunk: usize, mut ask: impl FnMut(Request)) {
        let page = |at: usize| at / self.page;
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

    /// Serves one request by reading straight to where its bytes go, or by way of a buffer.
    ///
    /// # Safety
    /// As [`Far::bring`].
    unsafe fn serve(
        &self,
        request: Request,
        pieces: &[Piece],
        chunk: usize,
        target: *mut u8,
        buffer: &mut Vec<u8>,
    ) -> Result<(), String> {
        let Request { first, count, skip, len } = request;
        let pieces = &pieces[first as usize..first as usize + count as usize];
        let from = pieces[0].from + skip;
        self.counted.requests.fetch_add(1, Ordering::Relaxed);
        self.counted.bytes.fetch_add(len, Ordering::Relaxed);
        let follows = |pair: &[Piece]| {
            pair[1].from == pair[0].from + chunk && pair[1].to == pair[0].to.saturating_add_unsigned(chunk)
        };
        if pieces.windows(2).all(follows) {
            // SAFETY: the pieces, or this part of one, follow each other in the target too.
            return unsafe { self.read(target.offset(pieces[0].to).add(skip), len, from) };
        }
        if buffer.len() < len {
            buffer.resize(len, 0);
        }
        // SAFETY: the buffer has room for so many bytes.
        unsafe { self.read(buffer.as_mut_ptr(), len, from)? };
        for piece in pieces {
            // SAFETY: the piece lies among the bytes that were read; where it goes nothing else does.
            unsafe { ptr::copy_nonoverlapping(buffer.as_ptr().add(piece.from - from), target.offset(piece.to), chunk) };
        }
        Ok(())
    }

    /// What is said of a write that was not begun.
    fn no_room(&self) -> String {
        FileError::new(&self.path, format!("{FULL}, and nothing was written")).to_string()
    }

    /// Reads the bytes of the mapping from `from` on.
    ///
    /// # Safety
    /// So many bytes are writable, and nobody else's.
    unsafe fn read(&self, into: *mut u8, len: usize, from: usize) -> Result<(), String> {
        let mut done = 0;
        while done < len {
            let at = self.offset.saturating_add((from + done) as u64);
            // SAFETY: the caller's promise for what is not read yet.
            match unsafe { read_some(&self.file, into.add(done), len - done, at) } {
                Ok(0) => return Err(self.complaint(self.left().0.min(from + done)).to_string()),
                Ok(n) => done += n,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(FileError::new(&self.path, e.to_string()).to_string()),
            }
        }
        Ok(())
    }

    /// Whether a page of these pieces may hold something else than the file: one that was written to in memory. Where the
    /// system does not tell, it may.
    fn parted(&self, requests: &[Request], pieces: &[Piece]) -> bool {
        let pages = requests.iter().map(|r| {
            let from = pieces[r.first as usize].from + r.skip;
            ((self.start + from) / self.page, (self.start + from + r.len - 1) / self.page + 1)
        });
        own_pages(pages)
    }
}

impl Far for Reader {
    fn page(&self) -> usize {
        self.page
    }

    fn most_pages(&self) -> usize {
        self.len / self.page / PART
    }

    fn requests(&self, pieces: &[Piece], chunk: usize) -> usize {
        let mut count = 0;
        self.plan(pieces, chunk, |_| count += 1);
        count
    }

    unsafe fn bring(&self, pieces: &[Piece], chunk: usize, target: *mut u8) -> Result<Brought, String> {
        let Some(end) = pieces.last().map(|last| last.from.saturating_add(chunk)) else { return Ok(Brought::All) };
        // Seen before anything is stored, so that a result in the caller's memory stays as it was.
        let (left, _) = self.left();
        if end > left {
            return Err(self.complaint(left).to_string());
        }
        let mut requests = Vec::new();
        self.plan(pieces, chunk, |request| requests.push(request));
        if self.private && self.parted(&requests, pieces) {
            return Ok(Brought::Touch);
        }
        struct Target(*mut u8);
        // SAFETY: requests go to places of their own, by the caller's promise.
        unsafe impl Sync for Target {}
        impl Target {
            fn first(&self) -> *mut u8 {
                self.0
            }
        }
        let target = Target(target);
        // SAFETY: passed on; every request is served once.
        let serve =
            |request, buffer: &mut Vec<u8>| unsafe { self.serve(request, pieces, chunk, target.first(), buffer) };
        all(&requests, serve).map(|()| Brought::All)
    }

    fn ready(&self, pieces: &[Piece], chunk: usize) {
        let mut requests = Vec::new();
        self.plan(pieces, chunk, |request| requests.push(request));
        let read = |request: Request, buffer: &mut Vec<u8>| {
            buffer.resize(buffer.len().max(request.len), 0);
            // SAFETY: the buffer has room for so many bytes.
            unsafe { self.read(buffer.as_mut_ptr(), request.len, pieces[request.first as usize].from + request.skip) }
        };
        // Who touches what could not be read is told so.
        let _ = all(&requests, read);
    }

    fn has_holes(&self) -> bool {
        self.watch.is_some() && !self.private && has_holes(&self.file)
    }

    fn room(&self, pieces: &[Piece], chunk: usize) -> Result<(), String> {
        let whole = |from: usize, to: usize| from / self.page * self.page..to.next_multiple_of(self.page).min(self.len);
        let mut runs: Vec<Range<usize>> = Vec::new();
        for piece in pieces {
            let next = whole(piece.from, piece.from.saturating_add(chunk));
            match runs.last_mut() {
                Some(run) if next.start <= run.end => run.end = run.end.max(next.end),
                _ => runs.push(next),
            }
        }
        // Room that was kept for a write that is refused would be lost to everybody.
        let at = |byte: usize| self.offset.saturating_add(byte as u64);
        let wanted = runs.iter().map(|run| holes(&self.file, at(run.start)..at(run.end))).fold(0, u64::saturating_add);
        if free(&self.file).is_some_and(|free| wanted > free) {
            return Err(self.no_room());
        }
        runs.iter().try_for_each(|run| match reserve(&self.file, at(run.start), run.len() as u64) {
            Err(e) if is_no_space(&e) => Err(self.no_room()),
            // Not every system can say so beforehand.
            _ => Ok(()),
        })
    }

    fn lost(&self, bytes: Range<usize>) -> Option<String> {
        let (left, hit) = self.left();
        let gone = bytes.end > left || hit && left == self.len;
        gone.then(|| self.complaint(left).to_string())
    }
}

/// Serves requests in order, many at a time; the first error ends it.
fn all(requests: &[Request], serve: impl Fn(Request, &mut Vec<u8>) -> Result<(), String> + Sync) -> Result<(), String> {
    let (next, stopped, failed) = (AtomicUsize::new(0), AtomicBool::new(false), Mutex::new(None));
    let work = || {
        let mut buffer = Vec::new();
        while let Some(request) = requests.get(next.fetch_add(1, Ordering::Relaxed)) {
            if stopped.load(Ordering::Relaxed) {
                return;
            }
            if let Err(text) = serve(*request, &mut buffer) {
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

/// Reads what can be had at once, up to `len` bytes from `at` on.
///
/// # Safety
/// So many bytes are writable, and nobody else's.
#[cfg(unix)]
unsafe fn read_some(file: &File, into: *mut u8, len: usize, at: u64) -> std::io::Result<usize> {
    use std::os::fd::AsRawFd;

    let at = libc::off_t::try_from(at).map_err(|_| std::io::ErrorKind::InvalidInput)?;
    // SAFETY: the caller's promise.
    let got = unsafe { libc::pread(file.as_raw_fd(), into.cast(), len, at) };
    usize::try_from(got).map_err(|_| std::io::Error::last_os_error())
}

/// Elsewhere mappings are touched, and nobody asks.
#[cfg(not(unix))]
unsafe fn read_some(_: &File, _: *mut u8, _: usize, _: u64) -> std::io::Result<usize> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Whether the bytes at an address are these.
///
/// # Safety
/// So many can be read there.
#[cfg(unix)]
unsafe fn is_same(bytes: &[u8], there: *const u8) -> bool {
    // SAFETY: the caller's promise.
    unsafe { libc::memcmp(bytes.as_ptr().cast(), there.cast(), bytes.len()) == 0 }
}

#[cfg(not(unix))]
unsafe fn is_same(_: &[u8], _: *const u8) -> bool {
    false
}

/// A file that is read here and there: the system is told not to read ahead.
pub(super) fn scattered(file: &File) {
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    // SAFETY: a plain call of the C library. Advice that is not taken does no harm.
    unsafe {
        libc::posix_fadvise(std::os::fd::AsRawFd::as_raw_fd(file), 0, 0, libc::POSIX_FADV_RANDOM);
    }
    #[cfg(target_vendor = "apple")]
    // SAFETY: as above.
    unsafe {
        libc::fcntl(std::os::fd::AsRawFd::as_raw_fd(file), libc::F_RDAHEAD, 0);
    }
    let _ = file;
}

/// Bytes of a page.
fn page() -> usize {
    #[cfg(unix)]
    // SAFETY: a plain call of the C library.
    if let Some(page) = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok().filter(|n| *n > 0) {
        return page;
    }
    4096
}

/// Pages between two stretches that are looked at together.
#[cfg(target_os = "linux")]
const NEAR: usize = 64;

/// Whether some of these pages, given as ranges of page numbers in order, belong to this process alone. `true` where nobody
/// can tell.
#[cfg(target_os = "linux")]
fn own_pages(ranges: impl Iterator<Item = (usize, usize)>) -> bool {
    use std::os::unix::fs::FileExt;

    // A word for each page: in memory or swapped out, and whether it is a file's.
    const THERE: u64 = 1 << 63 | 1 << 62;
    const OF_FILE: u64 = 1 << 61;
    // Opened each time: a child of this process has pages of its own.
    let Ok(map) = File::open("/proc/self/pagemap") else { return true };
    let mut words = vec![0u8; 8 << 9];
    let mut any = |from: usize, to: usize| {
        for at in (from..to).step_by(1 << 9) {
            let part = &mut words[..8 * (to - at).min(1 << 9)];
            if map.read_exact_at(part, 8 * at as u64).is_err() {
                return true;
            }
            let words = part.as_chunks().0.iter().map(|word| u64::from_ne_bytes(*word));
            if words.into_iter().any(|word| word & THERE != 0 && word & OF_FILE == 0) {
                return true;
            }
        }
        false
    };
    let mut open: Option<(usize, usize)> = None;
    for (from, to) in ranges {
        open = Some(match open {
            Some((first, end)) if from <= end + NEAR => (first, end.max(to)),
            Some((first, end)) => {
                if any(first, end) {
                    return true;
                }
                (from, to)
            }
            None => (from, to),
        });
    }
    open.is_some_and(|(first, end)| any(first, end))
}

#[cfg(not(target_os = "linux"))]
fn own_pages(_: impl Iterator<Item = (usize, usize)>) -> bool {
    true
}
