//! Room on the disk that a file lies on: writing into a hole of a file takes some.

#![allow(unsafe_code)] // plain calls of the C library

use std::fs::File;
use std::ops::Range;

/// What is said of a disk that is full.
pub(super) const FULL: &str = "no space left on the disk";

/// Whether an error is that there is no room.
pub(super) fn is_no_space(e: &std::io::Error) -> bool {
    use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(e.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

/// Whether a file has fewer bytes on disk than it is long.
pub(super) fn has_holes(file: &File) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        file.metadata().is_ok_and(|about| about.blocks().saturating_mul(512) < about.len())
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        false
    }
}

/// Has the file system keep room for bytes of a file, whose length stays.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn reserve(file: &File, at: u64, len: u64) -> std::io::Result<()> {
    let number = |n: u64| libc::off_t::try_from(n).map_err(|_| std::io::ErrorKind::InvalidInput);
    let (at, len) = (number(at)?, number(len)?);
    loop {
        // SAFETY: a plain call of the C library about an open file.
        let done =
            unsafe { libc::fallocate(std::os::fd::AsRawFd::as_raw_fd(file), libc::FALLOC_FL_KEEP_SIZE, at, len) };
        match if done == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) } {
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn reserve(_: &File, _: u64, _: u64) -> std::io::Result<()> {
    Ok(())
}

/// Bytes of a file, between two places of it, that are not on disk.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn holes(file: &File, bytes: Range<u64>) -> u64 {
    let seek = |at: u64, what| {
        let at = libc::off_t::try_from(at).unwrap_or(libc::off_t::MAX);
        // SAFETY: a plain call of the C library about an open file, whose position nobody uses.
        u64::try_from(unsafe { libc::lseek(std::os::fd::AsRawFd::as_raw_fd(file), at, what) })
    };
    let (mut at, mut found) = (bytes.start, 0);
    while at < bytes.end {
        // There is no data behind the last hole.
        let data = seek(at, libc::SEEK_DATA).unwrap_or(bytes.end).clamp(at, bytes.end);
        found += data - at;
        at = if data < bytes.end { seek(data, libc::SEEK_HOLE).unwrap_or(bytes.end).max(data + 1) } else { data };
    }
    found
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn holes(_: &File, _: Range<u64>) -> u64 {
    0
}

/// Bytes that the disk of a file has room for, where it says so.
#[allow(clippy::unnecessary_cast)] // systems count in integers of different widths
pub(super) fn free(file: &File) -> Option<u64> {
    #[cfg(unix)]
    {
        let mut about = std::mem::MaybeUninit::<libc::statvfs>::zeroed();
        // SAFETY: plain calls of the C library; zeros are a valid value of this struct.
        let (done, about, root) = unsafe {
            let done = libc::fstatvfs(std::os::fd::AsRawFd::as_raw_fd(file), about.as_mut_ptr());
            (done, about.assume_init(), libc::geteuid() == 0)
        };
        let blocks = if root { about.f_bfree } else { about.f_bavail };
        (done == 0 && about.f_blocks > 0).then(|| (blocks as u64).saturating_mul(about.f_frsize as u64))
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        None
    }
}
