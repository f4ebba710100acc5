//! Files that others have mapped, such as `numpy.memmap`: found by an address, so that reads of them ask for what they need.

use std::ops::Range;
use std::sync::Arc;

use takewise::internal::far::{Registered, stands_for};

use super::reader::Reader;

/// A file somebody else has mapped, and where.
pub struct Mapping {
    reader: Arc<Reader>,
}

impl Mapping {
    /// The addresses it is mapped to.
    pub fn addresses(&self) -> Range<usize> {
        self.reader.start..self.reader.start + self.reader.len
    }

    /// Lets reads of the engine ask for what they need, until what is given is dropped. Who asks for it sees to it that the
    /// file stays mapped until then.
    pub fn register(&self) -> Registered {
        let far: Arc<Reader> = Arc::clone(&self.reader);
        stands_for(self.addresses(), far)
    }

    /// Requests made of the file so far, and the bytes they asked for.
    pub fn requested(&self) -> (usize, usize) {
        self.reader.counted()
    }

    /// The file that is mapped at an address, if it can be opened and is still the one that was mapped. Costs a look at all
    /// mappings of the process. On systems other than Linux nothing is found.
    #[cfg(target_os = "linux")]
    pub fn at(address: usize) -> Option<Mapping> {
        linux::at(address)
    }

    /// The file that is mapped at an address: on this system nobody tells.
    #[cfg(not(target_os = "linux"))]
    pub fn at(_: usize) -> Option<Mapping> {
        None
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsString;
    use std::fs::File;
    use std::io::{BufRead, BufReader};
    use std::os::unix::ffi::OsStringExt;
    use std::os::unix::fs::MetadataExt;
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::Mapping;
    use crate::reader::Reader;
    use crate::system::scattered;

    pub(super) fn at(address: usize) -> Option<Mapping> {
        let mut lines = BufReader::new(File::open("/proc/self/maps").ok()?).split(b'\n');
        let line = lines.find_map(|line| Line::of(&line.ok()?).filter(|l| l.from <= address && address < l.to))?;
        let file = File::open(&line.path).ok()?;
        let about = file.metadata().ok()?;
        // Another file may have the name by now.
        let same = about.is_file() && about.ino() == line.inode && device(about.dev()) == line.device;
        if !same {
            return None;
        }
        scattered(&file);
        // The last page may go beyond the file, whose length is looked at when it is read.
        let reader = Reader::new(Arc::new(file), &line.path, line.from..line.to, line.offset, line.private);
        Some(Mapping { reader: Arc::new(reader) })
    }

    /// A line of `/proc/self/maps`.
    #[derive(Debug, PartialEq, Eq)]
    pub(super) struct Line {
        pub from: usize,
        pub to: usize,
        /// Whether pages that are written part from the file.
        pub private: bool,
        pub offset: u64,
        pub device: (u64, u64),
        pub inode: u64,
        pub path: PathBuf,
    }

    impl Line {
        /// What a line says, if it is about a file.
        pub(super) fn of(line: &[u8]) -> Option<Line> {
            let slash = line.iter().position(|b| *b == b'/')?;
            let (words, path) = (str::from_utf8(&line[..slash]).ok()?, &line[slash..]);
            let mut words = words.split_ascii_whitespace();
            let mut next = || words.next();
            let (from, to) = next()?.split_once('-')?;
            let (access, offset) = (next()?, next()?);
            let (major, minor) = next()?.split_once(':')?;
            let hex = |digits: &str| u64::from_str_radix(digits, 16).ok();
            let size = |digits: &str| usize::from_str_radix(digits, 16).ok();
            Some(Line {
                from: size(from)?,
                to: size(to)?,
                private: access.ends_with('p'),
                offset: hex(offset)?,
                device: (hex(major)?, hex(minor)?),
                inode: next()?.parse().ok()?,
                path: PathBuf::from(OsString::from_vec(path.to_vec())),
            })
        }
    }

    /// A device as `/proc` writes it.
    fn device(number: u64) -> (u64, u64) {
        (u64::from(libc::major(number)), u64::from(libc::minor(number)))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn lines() {
            let text = b"7f00c000-7f00f000 rw-p 00002000 fe:10 1234567                   /tmp/a b.npy";
            let line = Line::of(text).unwrap();
            assert_eq!((line.from, line.to, line.private, line.offset), (0x7f00_c000, 0x7f00_f000, true, 0x2000));
            assert_eq!((line.device, line.inode), ((0xfe, 0x10), 1_234_567));
            assert_eq!(line.path, PathBuf::from("/tmp/a b.npy"));
            assert_eq!(Line::of(b"7ffc0000-7ffe1000 rw-p 00000000 00:00 0    [stack]"), None);
            assert_eq!(Line::of(b""), None);
        }

        #[test]
        fn a_mapping_is_found_by_an_address() {
            let path = std::env::temp_dir().join(format!("takewise-others-{}.bin", std::process::id()));
            std::fs::write(&path, vec![7u8; 10_000]).unwrap();
            let file = File::open(&path).unwrap();
            // Five thousand bytes and more take two pages.
            let mapped = crate::map::shared(&file, 4096);
            let found = at(mapped.as_ptr() as usize + 5000).unwrap();
            assert_eq!(found.addresses(), mapped.as_ptr() as usize..mapped.as_ptr() as usize + 2 * 4096);
            assert_eq!((found.reader.offset, found.reader.private), (4096, false));
            // A file that has the name now is not the one that is mapped.
            std::fs::rename(&path, path.with_extension("old")).unwrap();
            std::fs::write(&path, vec![8u8; 10_000]).unwrap();
            assert!(at(mapped.as_ptr() as usize).is_none_or(|m| m.reader.path != path));
            drop(mapped);
            std::fs::remove_file(&path).unwrap();
            std::fs::remove_file(path.with_extension("old")).unwrap();
        }
    }
}
