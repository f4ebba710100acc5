//! Calls of the operating system that read files and tell where their bytes are.

#![allow(unsafe_code)] // plain calls of the C library

use std::fs::File;

#[cfg(target_os = "linux")]
use takewise::internal::Once;

/// Reads what can be had at once, up to `len` bytes from `at` on.
///
/// # Safety
/// So many bytes are writable, and nobody else's.
#[cfg(unix)]
pub(super) unsafe fn read_some(file: &File, into: *mut u8, len: usize, at: u64) -> std::io::Result<usize> {
    use std::os::fd::AsRawFd;

    #[cfg(test)]
    let len = faults::in_place_of(len)?;
    let at = libc::off_t::try_from(at).map_err(|_| std::io::ErrorKind::InvalidInput)?;
    // SAFETY: the caller's promise.
    let got = unsafe { libc::pread(file.as_raw_fd(), into.cast(), len, at) };
    usize::try_from(got).map_err(|_| std::io::Error::last_os_error())
}

/// Elsewhere mappings are touched, and nobody asks.
#[cfg(not(unix))]
pub(super) unsafe fn read_some(_: &File, _: *mut u8, _: usize, _: u64) -> std::io::Result<usize> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// How many bytes a file has now.
pub(super) fn len(file: &File) -> std::io::Result<u64> {
    #[cfg(test)]
    faults::in_place_of(1)?;
    #[cfg(unix)]
    {
        let mut about = std::mem::MaybeUninit::<libc::stat>::zeroed();
        // SAFETY: a plain call of the C library about an open file; zeros are a valid value of this struct.
        let (done, about) = unsafe {
            let done = libc::fstat(std::os::fd::AsRawFd::as_raw_fd(file), about.as_mut_ptr());
            (done, about.assume_init())
        };
        if done == 0 { Ok(u64::try_from(about.st_size).unwrap_or(0)) } else { Err(std::io::Error::last_os_error()) }
    }
    #[cfg(not(unix))]
    file.metadata().map(|about| about.len())
}

/// A number that is another one when the file was changed: of its length and the time of its last change.
pub(super) fn state(file: &File) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};

    let mut hasher = DefaultHasher::new();
    if let Ok(about) = file.metadata() {
        (about.len(), about.modified().ok()).hash(&mut hasher);
    }
    hasher.finish()
}

/// How a read that does not wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Now {
    /// All bytes were in memory, and are there.
    Had,
    /// Not all were in memory. Some may have been stored.
    Absent,
    /// This file system cannot tell.
    Unknown,
}

/// Reads bytes that are in memory already, and does not wait for others (`RWF_NOWAIT` of Linux's `preadv2`).
///
/// # Safety
/// So many bytes are writable, and nobody else's.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
pub(super) unsafe fn read_now(file: &File, into: *mut u8, len: usize, at: u64) -> Now {
    use std::os::fd::AsRawFd;

    let most = len;
    #[cfg(test)]
    let Ok(most) = faults::in_place_of(most) else { return Now::Absent };
    let Ok(at) = i64::try_from(at) else { return Now::Absent };
    let place = libc::iovec { iov_base: into.cast(), iov_len: most };
    // By its number: not every C library has a function for it. A half of the offset would follow where numbers are short.
    // SAFETY: the caller's promise; the system reads the one entry of the list.
    let got =
        unsafe { libc::syscall(libc::SYS_preadv2, file.as_raw_fd(), &raw const place, 1, at, 0, libc::RWF_NOWAIT) };
    if usize::try_from(got) == Ok(len) {
        return Now::Had;
    }
    match std::io::Error::last_os_error().raw_os_error() {
        Some(libc::EOPNOTSUPP | libc::ENOSYS | libc::EINVAL | libc::EPERM) if got < 0 => Now::Unknown,
        _ => Now::Absent,
    }
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
pub(super) unsafe fn read_now(_: &File, _: *mut u8, _: usize, _: u64) -> Now {
    Now::Unknown
}

/// Has the system begin to read bytes that [`read_now`] has found absent, and does not wait for them.
#[cfg(target_os = "linux")]
pub(super) fn begin(file: &File, at: u64, len: usize) {
    use std::os::fd::AsRawFd;

    static BEGINS: Once<bool> = Once::new();
    if *BEGINS.get_or_make(read_now_begins) {
        return;
    }
    if let (Ok(at), Ok(len)) = (libc::off_t::try_from(at), libc::off_t::try_from(len)) {
        // SAFETY: a plain call of the C library. Advice that is not taken does no harm.
        unsafe { libc::posix_fadvise(file.as_raw_fd(), at, len, libc::POSIX_FADV_WILLNEED) };
    }
}

/// Whether a read that does not wait has the system begin by itself, as Linux does from 5.10 on. A second call for it costs a fifth
/// of the time of thousands of small reads.
#[cfg(target_os = "linux")]
fn read_now_begins() -> bool {
    let text = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse::<u32>().unwrap_or(0));
    let mut next = || numbers.next().unwrap_or(0);
    (next(), next()) >= (5, 10)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn begin(_: &File, _: u64, _: usize) {}

/// Requests that the disk of a file takes at a time: what the system keeps waiting for it, or a usual number.
pub(super) fn depth(file: &File) -> usize {
    const USUAL: usize = 256;
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::MetadataExt;
        let Ok(about) = file.metadata() else { return USUAL };
        let disk = format!("/sys/dev/block/{}:{}", libc::major(about.dev()), libc::minor(about.dev()));
        // Part of a disk has the queue of the disk, which lies above it.
        let read = |path: &str| std::fs::read_to_string(format!("{disk}/{path}")).ok()?.trim().parse().ok();
        let found: Option<usize> = read("queue/nr_requests").or_else(|| read("../queue/nr_requests"));
        found.map_or(USUAL, |n| n.clamp(32, 4096))
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        USUAL
    }
}

/// Whether the bytes at an address are these.
///
/// # Safety
/// So many can be read there.
#[cfg(unix)]
pub(super) unsafe fn is_same(bytes: &[u8], there: *const u8) -> bool {
    // SAFETY: the caller's promise.
    unsafe { libc::memcmp(bytes.as_ptr().cast(), there.cast(), bytes.len()) == 0 }
}

#[cfg(not(unix))]
pub(super) unsafe fn is_same(_: &[u8], _: *const u8) -> bool {
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
pub(super) fn page() -> usize {
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
pub(super) fn own_pages(ranges: impl Iterator<Item = (usize, usize)>) -> bool {
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
pub(super) fn own_pages(_: impl Iterator<Item = (usize, usize)>) -> bool {
    true
}

/// Calls of this module that fail as they do on a bad day.
#[cfg(test)]
pub(super) mod faults {
    use std::cell::Cell;
    use std::io;

    /// What a call does instead.
    #[derive(Clone, Copy, Debug)]
    pub(crate) enum Fault {
        /// It fails with this number of an error.
        Fails(i32),
        /// It moves one byte.
        IsShort,
    }

    thread_local! {
        static NEXT: Cell<Option<(usize, Fault)>> = const { Cell::new(None) };
    }

    /// Runs `f`, in which the `nth` call of this thread does something else; whether there were so many.
    pub(crate) fn at<R>(nth: usize, fault: Fault, f: impl FnOnce() -> R) -> (R, bool) {
        NEXT.set(Some((nth, fault)));
        let done = f();
        (done, NEXT.take().is_none())
    }

    /// What becomes of a call that moves so many bytes.
    pub(super) fn in_place_of(len: usize) -> io::Result<usize> {
        match NEXT.take() {
            Some((0, Fault::Fails(number))) => Err(io::Error::from_raw_os_error(number)),
            Some((0, Fault::IsShort)) => Ok(len.min(1)),
            Some((nth, fault)) => {
                NEXT.set(Some((nth - 1, fault)));
                Ok(len)
            }
            None => Ok(len),
        }
    }
}
