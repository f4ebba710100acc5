//! Calls of the operating system about files. Tests have each of them fail.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Asks a test whether a call is to fail, and how many bytes one that moves bytes may move.
macro_rules! may_fail {
    ($call:literal) => {
        #[cfg(test)]
        faults::in_place_of($call)?;
    };
    ($call:literal, $len:expr) => {{
        #[cfg(test)]
        let len = faults::in_place_of_moving($call, $len)?;
        #[cfg(not(test))]
        let len = $len;
        len
    }};
}

pub(crate) fn open(path: &Path) -> io::Result<File> {
    may_fail!("open");
    File::open(path)
}

pub(crate) fn about(file: &File) -> io::Result<Metadata> {
    may_fail!("about");
    file.metadata()
}

/// Fills `bytes` with those of a file from `start` on.
pub(crate) fn read_at(file: &File, start: u64, bytes: &mut [u8]) -> io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        match read_some(file, start + done as u64, &mut bytes[done..]) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(n) => done += n,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn read_some(file: &File, at: u64, bytes: &mut [u8]) -> io::Result<usize> {
    let len = may_fail!("read", bytes.len());
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, &mut bytes[..len], at);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_read(file, &mut bytes[..len], at);
}

/// Makes a file of these bytes.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = create(path)?;
    let mut rest = bytes;
    while !rest.is_empty() {
        match write_some(&mut file, rest) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(n) => rest = &rest[n..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn create(path: &Path) -> io::Result<File> {
    may_fail!("create");
    File::create(path)
}

fn write_some(file: &mut File, bytes: &[u8]) -> io::Result<usize> {
    let len = may_fail!("write", bytes.len());
    file.write(&bytes[..len])
}

pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    may_fail!("create_folder");
    fs::create_dir_all(path)
}

pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    may_fail!("rename");
    fs::rename(from, to)
}

pub(crate) fn remove(path: &Path) -> io::Result<()> {
    may_fail!("remove");
    fs::remove_file(path)
}

/// Calls of this module that fail as they do on a bad day.
#[cfg(test)]
pub(crate) mod faults {
    use std::cell::Cell;
    use std::io::{self, ErrorKind};

    /// What a call does instead.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Fault {
        /// It fails so.
        Fails(ErrorKind),
        /// It is interrupted, or moves one byte, if it moves bytes. The standard library begins the others again by itself.
        IsInterrupted,
        IsShort,
    }

    thread_local! {
        static NEXT: Cell<Option<(usize, Fault)>> = const { Cell::new(None) };
        static HIT: Cell<Option<&'static str>> = const { Cell::new(None) };
    }

    /// Runs `f`, in which the `nth` call of this thread that can do something else does; and that call, if there were so many.
    pub(crate) fn at<R>(nth: usize, fault: Fault, f: impl FnOnce() -> R) -> (R, Option<&'static str>) {
        NEXT.set(Some((nth, fault)));
        HIT.set(None);
        let done = f();
        NEXT.set(None);
        (done, HIT.take())
    }

    /// The fault, where this is the call for it.
    fn due(call: &'static str, moves: bool) -> Option<Fault> {
        let (nth, fault) = NEXT.get()?;
        if !moves && !matches!(fault, Fault::Fails(_)) {
            return None;
        }
        NEXT.set(nth.checked_sub(1).map(|left| (left, fault)));
        (nth == 0).then(|| {
            HIT.set(Some(call));
            fault
        })
    }

    pub(super) fn in_place_of(call: &'static str) -> io::Result<()> {
        match due(call, false) {
            Some(Fault::Fails(kind)) => Err(kind.into()),
            _ => Ok(()),
        }
    }

    /// How many bytes are moved where so many are to be.
    pub(super) fn in_place_of_moving(call: &'static str, len: usize) -> io::Result<usize> {
        match due(call, true) {
            Some(Fault::Fails(kind)) => Err(kind.into()),
            Some(Fault::IsInterrupted) => Err(ErrorKind::Interrupted.into()),
            Some(Fault::IsShort) => Ok(len.min(1)),
            None => Ok(len),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::faults::{Fault, at};
    use crate::{Array, Compressor, Create, Result};
    use std::fs;
    use std::io::ErrorKind;
    use std::path::Path;
    use takewise::threads::with_threads;
    use takewise::{DType, View, ix};

    /// A disk that fails or is full, and calls that are interrupted or move less than was asked for.
    const FAULTS: [Fault; 5] = [
        Fault::Fails(ErrorKind::Other),
        Fault::Fails(ErrorKind::StorageFull),
        Fault::Fails(ErrorKind::PermissionDenied),
        Fault::IsInterrupted,
        Fault::IsShort,
    ];

    const COUNT: usize = 6 * 5;

    fn new(format: u8, shards: bool) -> Create {
        let new = Create::new(&[6, 5], DType::I32, &[2, 2]).format(format).fill(-1).compressor(Compressor::Gzip(1));
        if shards { new.shards(&[4, 4]) } else { new }
    }

    const ARRAYS: [(u8, bool); 3] = [(2, false), (3, false), (3, true)];

    /// Runs `f` on this thread alone, where the faults are.
    fn alone<R: Send>(f: impl FnOnce() -> R + Send) -> R {
        with_threads(1, f)
    }

    fn values(array: &Array) -> Vec<i32> {
        array.index(&[]).unwrap().to_vec().unwrap()
    }

    /// The files below a folder that are no array's.
    fn left(folder: &Path) -> Vec<String> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let name = entry.path().display().to_string();
            if entry.path().is_dir() {
                found.extend(left(&entry.path()));
            } else if name.ends_with(".partial") {
                found.push(name);
            }
        }
        found
    }

    /// Whether an error names a file of a folder.
    fn names<T>(done: &Result<T>, folder: &Path) -> bool {
        done.as_ref().err().is_none_or(|error| error.to_string().starts_with(&folder.display().to_string()))
    }

    /// Runs a test for each call that can fail, until there are no more: how many there were.
    fn each(test: impl FnMut(usize) -> Option<&'static str>) -> usize {
        (0..).map_while(test).count()
    }

    #[test]
    fn a_read_that_fails_names_the_file_and_the_next_one_is_right() {
        for (format, shards) in ARRAYS {
            let folder = tempfile::tempdir().unwrap();
            let array = new(format, shards).create(folder.path()).unwrap();
            let all: Vec<i32> = (0..COUNT as i32).collect();
            array.set(&[], View::new(&all, &[6, 5]).unwrap()).unwrap();
            for fault in FAULTS {
                let fails = matches!(fault, Fault::Fails(_));
                let count = each(|nth| {
                    let rows = [5i64, 0];
                    // Opened anew: it remembers no index of a shard.
                    let read = || {
                        let array = Array::open(folder.path())?;
                        let got = array.index(&ix![&rows])?;
                        Ok((array, got.to_vec::<i32>()?))
                    };
                    let (done, hit) = alone(|| at(nth, fault, read));
                    assert_eq!(done.is_err(), hit.is_some() && fails, "{fault:?} {nth}");
                    assert!(names(&done, folder.path()), "{done:?}");
                    assert!(done.is_err() || done.unwrap().1 == [&all[25..], &all[..5]].concat());
                    let (done, again) = alone(|| at(nth, fault, || array.index(&[])));
                    assert!(names(&done, folder.path()) && done.is_err() == (again.is_some() && fails), "{done:?}");
                    assert_eq!(values(&array), all);
                    hit
                });
                assert!(count >= 4, "{format} {shards} {fault:?}: {count}");
            }
        }
    }

    #[test]
    fn a_write_that_fails_leaves_the_array_or_whole_files() {
        for (format, shards) in ARRAYS {
            for fault in FAULTS {
                let fails = matches!(fault, Fault::Fails(_));
                let count = each(|nth| {
                    let folder = tempfile::tempdir().unwrap();
                    let array = new(format, shards).create(folder.path()).unwrap();
                    // Some files are changed, some are made anew, and one goes.
                    let old: Vec<i32> = (0..COUNT as i32).map(|k| if k < 20 { k } else { -1 }).collect();
                    array.set(&[], View::new(&old, &[6, 5]).unwrap()).unwrap();
                    let rows = [0i64, 1, 3, 5];
                    let given: Vec<i32> = (0..20).map(|k| if k < 10 { -1 } else { 100 + k }).collect();
                    let given = View::new(&given, &[4, 5]).unwrap();
                    let write = || array.set(&ix![&rows], &given);
                    let (done, hit) = alone(|| at(nth, fault, write));
                    assert_eq!(done.is_err(), hit.is_some() && fails, "{fault:?} {nth}");
                    assert!(names(&done, folder.path()), "{done:?}");
                    assert_eq!(left(folder.path()), [""; 0], "{hit:?}");
                    let got = values(&array);
                    write().unwrap();
                    let new = values(&array);
                    match hit {
                        _ if done.is_ok() => assert_eq!(got, new),
                        // Files take their place one after another.
                        Some("rename" | "remove") => assert!((0..COUNT).all(|k| got[k] == old[k] || got[k] == new[k])),
                        _ => assert_eq!(got, old, "{hit:?}"),
                    }
                    assert!(new[..10].iter().all(|&k| k == -1) && new[10..15] == old[10..15] && new[25] == 115);
                    hit
                });
                assert!(count >= 4, "{format} {shards} {fault:?}: {count}");
            }
        }
    }

    #[test]
    fn an_array_that_cannot_be_made_is_not_there() {
        for (format, shards) in ARRAYS {
            for fault in FAULTS {
                each(|nth| {
                    let folder = tempfile::tempdir().unwrap();
                    let place = folder.path().join("a/b");
                    let (done, hit) = alone(|| at(nth, fault, || new(format, shards).create(&place)));
                    assert!(names(&done, &place), "{done:?}");
                    let made = Array::open(&place);
                    match (done, made) {
                        (Ok(_), made) => assert_eq!(values(&made.unwrap()), [-1; COUNT]),
                        // It was made, and could not be opened.
                        (Err(_), Ok(made)) => assert_eq!(values(&made), [-1; COUNT]),
                        (Err(_), Err(error)) => {
                            assert!(error.to_string().ends_with("neither zarr.json nor .zarray is there"));
                            new(format, shards).create(&place).unwrap();
                        }
                    }
                    assert_eq!(left(folder.path()), [""; 0]);
                    hit
                });
            }
        }
    }

    #[test]
    fn a_file_that_got_shorter_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        fs::write(&path, [1, 2, 3]).unwrap();
        let file = super::open(&path).unwrap();
        let mut bytes = [0; 4];
        assert_eq!(super::read_at(&file, 0, &mut bytes).unwrap_err().kind(), ErrorKind::UnexpectedEof);
        super::read_at(&file, 1, &mut bytes[..2]).unwrap();
        assert_eq!(bytes[..2], [2, 3]);
    }
}
