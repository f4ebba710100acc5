//! Bytes of mapped files that are asked for, where a call needs few pages.
//!
//! A touch of a mapped page has the system read what lies around it: up to megabytes, and one touch waits for the other. Here
//! pieces that lie on the same or neighbouring pages become one request, requests go out in the order of the file
//! (`requests`), and what comes is put where it belongs. Nothing is read that was not asked for: the system is told that reading
//! ahead of these requests does not pay.
//!
//! What is in memory already is had faster by touching it than by a call of the system for each piece. So a few pieces are looked
//! at first ([`Far::is_near`]), each by a read of one byte that does not wait:
//!
//! ```text
//! few pieces, and what was looked at or touched last was in memory: touch them
//! look at a few, spread over all: at more where the last ones were not in memory
//! touch all if each of those is in memory; else ask for all
//! a touch that takes longer than memory does says that some were not there: look at more the next time
//! ```

#![allow(unsafe_code)] // bytes are read straight to where the engine wants them

use std::cell::Cell;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use std::{ptr, slice};

use takewise::internal::far::{Brought, Far, Piece};

use super::FileError;
use super::cache::{Kept, Rows, Writing};
use super::disk::{FULL, free, has_holes, holes, is_no_space, reserve};
use super::fault::Watch;
use super::requests::{self, Request, WINDOW, plan};
use super::system::{self, Now, begin, depth, is_same, own_pages, page, read_now, read_some};

/// A mapping is read this way where a call touches less than this part of its pages.
const PART: usize = 4;

/// So few pieces are touched without a look where the last ones were in memory.
const FEW: usize = 64;

/// Pieces that are looked at, at most.
const LOOKS: usize = 32;

/// What touching memory takes at most: at all, for a piece, and for a byte of it. A disk takes longer.
const TOUCH: Duration = Duration::from_micros(30);
const TOUCH_PIECE: Duration = Duration::from_micros(1);
const TOUCH_BYTE: Duration = Duration::from_nanos(1);

thread_local! {
    /// Where the mapping begins that the engine has just found whole, on this thread.
    static SEEN: Cell<usize> = const { Cell::new(0) };
}

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
    /// Where the mapping may be written.
    pub(super) writing: Option<Writing>,
    page: usize,
    counted: Counted,
    /// Whether what was looked at or touched last was in memory.
    warm: AtomicBool,
    /// Whether the file system tells what is in memory, as far as is known.
    tells: AtomicBool,
    /// Requests that the disk takes at a time.
    depth: OnceLock<usize>,
    /// Rows that are kept, if that is asked for.
    rows: OnceLock<Rows>,
}

/// What was asked for so far.
#[derive(Default)]
struct Counted {
    requests: AtomicUsize,
    bytes: AtomicUsize,
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
            writing: None,
            page,
            counted: Counted::default(),
            warm: AtomicBool::new(false),
            tells: AtomicBool::new(true),
            depth: OnceLock::new(),
            rows: OnceLock::new(),
        }
    }

    /// What is left of the mapping, and whether pages of it were missing.
    pub(super) fn left(&self) -> (usize, bool) {
        // Where the length cannot be asked for, the watch alone must tell.
        let whole = self.offset.saturating_add(self.len as u64);
        let end = system::len(&self.file).unwrap_or(whole);
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

    /// [`Reader::left`], at the end of a call that began with [`Reader::mend`]: if the engine has just looked, on this thread, the file's
    /// length is not asked for again.
    pub(super) fn left_of_call(&self) -> (usize, bool) {
        let seen = SEEN.replace(0) == self.start && self.watch.as_ref().is_some_and(|watch| watch.hit().is_none());
        if seen { (self.len, false) } else { self.left() }
    }

    /// Maps the file anew where a page could not be had though the file has it, as on a disk that was full. What was written in
    /// memory alone stays as it is.
    pub(super) fn mend(&self) {
        SEEN.set(0);
        #[cfg(unix)]
        if let Some(watch) = self.watch.as_ref().filter(|watch| !self.private && watch.hit().is_some()) {
            use std::os::fd::AsRawFd;

            let access = if self.writing.is_some() { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_READ };
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

    /// Keeps rows of about so many bytes from now on.
    pub(super) fn keep_rows(&self, bytes: u64, each: usize) {
        self.rows.get_or_init(|| Rows::new(bytes, each));
    }

    /// What is kept, if anything is.
    pub(super) fn kept(&self) -> Option<Kept> {
        self.rows.get().map(Rows::told)
    }

    /// Requests made so far, and the bytes they asked for.
    pub(super) fn counted(&self) -> (usize, usize) {
        (self.counted.requests.load(Ordering::Relaxed), self.counted.bytes.load(Ordering::Relaxed))
    }

    /// Reads what one request asks for straight to where its bytes go, or by way of a buffer.
    ///
    /// # Safety
    /// As [`Far::bring`].
    unsafe fn have(
        &self,
        request: &Request,
        pieces: &[Piece],
        chunk: usize,
        target: *mut u8,
        buffer: &mut Vec<u8>,
        wait: bool,
    ) -> Result<Now, String> {
        let (from, Request { skip, len, .. }) = (request.from(pieces), *request);
        let pieces = request.of(pieces);
        let follows = |pair: &[Piece]| {
            pair[1].from == pair[0].from + chunk && pair[1].to == pair[0].to.saturating_add_unsigned(chunk)
        };
        if pieces.windows(2).all(follows) {
            // SAFETY: the pieces, or this part of one, follow each other in the target too.
            return unsafe { self.read_or_not(target.offset(pieces[0].to).add(skip), len, from, wait) };
        }
        if buffer.len() < len {
            buffer.resize(len, 0);
        }
        // SAFETY: the buffer has room for so many bytes.
        let now = unsafe { self.read_or_not(buffer.as_mut_ptr(), len, from, wait)? };
        for piece in pieces.iter().filter(|_| now == Now::Had) {
            // SAFETY: the piece lies among the bytes that were read; where it goes nothing else does.
            unsafe { ptr::copy_nonoverlapping(buffer.as_ptr().add(piece.from - from), target.offset(piece.to), chunk) };
        }
        Ok(now)
    }

    /// [`Reader::read`], or without waiting.
    ///
    /// # Safety
    /// So many bytes are writable, and nobody else's.
    unsafe fn read_or_not(&self, into: *mut u8, len: usize, from: usize, wait: bool) -> Result<Now, String> {
        if wait {
            // SAFETY: passed on.
            return unsafe { self.read(into, len, from) }.map(|()| Now::Had);
        }
        if !self.tells.load(Ordering::Relaxed) {
            return Ok(Now::Unknown);
        }
        // SAFETY: passed on.
        Ok(unsafe { read_now(&self.file, into, len, self.offset.saturating_add(from as u64)) })
    }

    /// Serves requests by `have`, which reads one.
    fn serve(
        &self,
        requests: &[Request],
        pieces: &[Piece],
        have: impl Fn(&Request, &mut Vec<u8>, bool) -> Result<Now, String> + Sync,
    ) -> Result<(), String> {
        let depth = *self.depth.get_or_init(|| depth(&self.file));
        let begin = |request: &Request| {
            begin(&self.file, self.offset.saturating_add(request.from(pieces) as u64), request.len);
        };
        let tells = requests::serve(requests, depth, have, begin)?;
        self.tells.store(tells, Ordering::Relaxed);
        Ok(())
    }

    /// Asks for pieces, and waits for them.
    ///
    /// # Safety
    /// As [`Far::bring`].
    unsafe fn ask(&self, pieces: &[Piece], chunk: usize, target: *mut u8) -> Result<Brought, String> {
        let mut requests = Vec::new();
        plan(pieces, chunk, self.page, |request| requests.push(request));
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
        self.counted.requests.fetch_add(requests.len(), Ordering::Relaxed);
        self.counted.bytes.fetch_add(requests.iter().map(|request| request.len).sum(), Ordering::Relaxed);
        // SAFETY: passed on; what a request has is stored to places of its own, once or twice.
        let have = |request: &Request, buffer: &mut Vec<u8>, wait| unsafe {
            self.have(request, pieces, chunk, target.first(), buffer, wait)
        };
        self.serve(&requests, pieces, have).map(|()| Brought::All)
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
        plan(pieces, chunk, self.page, |_| count += 1);
        count
    }

    fn is_near(&self, count: usize, chunk: usize, from: &mut dyn FnMut(usize) -> Option<usize>) -> bool {
        let warm = self.warm.load(Ordering::Relaxed);
        if self.rows.get().is_some_and(|rows| rows.takes(chunk)) {
            return false;
        }
        if warm && count <= FEW {
            return true;
        }
        let looks = if warm { count / FEW } else { count }.min(LOOKS);
        let (mut seen, mut byte) = (0, 0u8);
        for look in 0..looks {
            // The last byte of a piece may lie on another page than the first one.
            let at = from(look * count / looks).map(|from| from + (look % 2) * chunk.saturating_sub(1));
            let Some(at) = at else { continue };
            // SAFETY: there is room for one byte.
            let now = unsafe { self.read_or_not(&raw mut byte, 1, at, false) };
            if now != Ok(Now::Had) {
                self.warm.store(false, Ordering::Relaxed);
                return false;
            }
            seen += 1;
        }
        self.warm.store(seen > 0, Ordering::Relaxed);
        seen > 0
    }

    fn touch(&self, count: usize, chunk: usize, run: &mut dyn FnMut()) {
        let start = Instant::now();
        run();
        let many = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let bytes = TOUCH_BYTE.saturating_mul(many(count.saturating_mul(chunk)));
        if start.elapsed() > TOUCH + TOUCH_PIECE.saturating_mul(many(count)) + bytes {
            self.warm.store(false, Ordering::Relaxed);
        }
    }

    unsafe fn bring(&self, pieces: &[Piece], chunk: usize, target: *mut u8) -> Result<Brought, String> {
        let Some(end) = pieces.last().map(|last| last.from.saturating_add(chunk)) else { return Ok(Brought::All) };
        // Seen before anything is stored, so that a result in the caller's memory stays as it was.
        let (left, _) = self.left();
        if end > left {
            return Err(self.complaint(left).to_string());
        }
        let rows = self.rows.get().filter(|rows| rows.takes(chunk));
        let Some((rows, state)) = rows.and_then(|rows| Some((rows, rows.state_of(&self.file)?))) else {
            // SAFETY: passed on.
            return unsafe { self.ask(pieces, chunk, target) };
        };
        let mut missed = Vec::new();
        for piece in pieces {
            // SAFETY: the caller's promise for where a piece goes; a kept row is as long as it.
            let copy =
                |row: &[u8]| unsafe { target.offset(piece.to).copy_from_nonoverlapping(row.as_ptr(), row.len()) };
            if !rows.get((piece.from, chunk, state), copy) {
                missed.push(*piece);
            }
        }
        rows.count(pieces.len() - missed.len(), missed.len());
        // SAFETY: passed on for some of the pieces.
        let brought = unsafe { self.ask(&missed, chunk, target)? };
        for piece in &missed {
            // SAFETY: it was brought there.
            rows.keep((piece.from, chunk, state), unsafe { slice::from_raw_parts(target.offset(piece.to), chunk) });
        }
        Ok(brought)
    }

    fn ready(&self, pieces: &[Piece], chunk: usize) {
        let mut requests = Vec::new();
        plan(pieces, chunk, self.page, |request| requests.push(request));
        let have = |request: &Request, buffer: &mut Vec<u8>, wait| {
            buffer.resize(buffer.len().max(request.len), 0);
            // SAFETY: the buffer has room for so many bytes.
            unsafe { self.read_or_not(buffer.as_mut_ptr(), request.len, request.from(pieces), wait) }
        };
        // Who touches what could not be read is told so.
        let _ = self.serve(&requests, pieces, have);
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
        SEEN.set(if left == self.len && !hit { self.start } else { 0 });
        let gone = bytes.end > left || hit && left == self.len;
        gone.then(|| self.complaint(left).to_string())
    }
}
