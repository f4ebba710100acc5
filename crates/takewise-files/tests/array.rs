//! Arrays in files: what is read of them is what they hold, whichever road it takes, and no more is asked for than is touched.

use std::fs;
use std::path::{Path, PathBuf};

use takewise::prelude::*;
use takewise::strategy::{Strategy, prefer_strategy, trace, with_strategy};
use takewise::{Index, Slice};
use takewise_files::{FileArray, Mapping, Mode, RawSpec, install_fault_handler, open_one};

const R: Rules = Rules::NEUTRAL;
const PAGE: usize = 4096;
/// Rows of 512 bytes in the files of these tests.
const ROWS: usize = 8192;

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("takewise-files-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The element of a row and column.
fn value(row: usize, column: usize) -> f32 {
    (row * 128 + column) as f32
}

fn bytes() -> Vec<u8> {
    (0..ROWS * 128).flat_map(|k| (k as f32).to_le_bytes()).collect()
}

/// An npy image, of so many bytes before the elements.
fn npy(shape: &str, elements: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    let length = (header.len() + 1) as u16;
    [b"\x93NUMPY\x01\x00", &length.to_le_bytes()[..], header.as_bytes(), b"\n", elements].concat()
}

fn safetensors(elements: &[u8]) -> Vec<u8> {
    let tail = 8 + elements.len();
    let header = format!(
        r#"{{"first":{{"dtype":"I64","shape":[1],"data_offsets":[0,8]}},"x":{{"dtype":"F32","shape":[{ROWS},128],"data_offsets":[8,{tail}]}}}}"#
    );
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &[7; 8], elements].concat()
}

fn raw() -> RawSpec {
    RawSpec { dtype: Some(DType::F32), shape: Some(vec![-1, 128]) }
}

/// Rows here and there, some twice, out of order.
fn scattered(count: usize) -> Vec<usize> {
    (0..count).map(|k| (k * 7919 + 13) % ROWS).chain([5, 5]).collect()
}

/// The array's rows, asked for: what a test has just written is in memory, and would be touched.
fn rows(x: &FileArray, rows: &[usize]) -> Vec<f32> {
    with_strategy(Strategy::Fetch, || x.index(&ix![rows], &R)).unwrap().to_vec().unwrap()
}

fn expected(rows: &[usize]) -> Vec<f32> {
    rows.iter().flat_map(|&row| (0..128).map(move |column| value(row, column))).collect()
}

/// All formats, each with the name of the array.
fn formats(folder: &Folder) -> Vec<(PathBuf, Option<&'static str>, RawSpec)> {
    let elements = bytes();
    vec![
        (folder.file("x.npy", &npy(&format!("({ROWS}, 128)"), &elements)), None, RawSpec::default()),
        (folder.file("x.safetensors", &safetensors(&elements)), Some("x"), RawSpec::default()),
        (folder.file("x.bin", &elements), None, raw()),
    ]
}

#[test]
fn every_format_is_read_by_both_roads() {
    let folder = Folder::new("formats");
    for (path, name, raw) in formats(&folder) {
        for mode in [Mode::Read, Mode::Copy, Mode::Write] {
            let x = FileArray::open(&path, name, &raw, mode).unwrap();
            assert_eq!((x.shape(), x.dtype(), x.byte_count()), (&[ROWS, 128][..], DType::F32, ROWS * 512));
            assert_eq!(x.requested(), (0, 0));
            let few = scattered(20);
            assert_eq!(rows(&x, &few), expected(&few), "{path:?} {mode:?}");
            let (requests, asked) = x.requested();
            assert!((1..=21).contains(&requests) && asked <= 44 * PAGE, "{path:?} {mode:?}: {requests}, {asked}");
            // Touched, and not asked for.
            let all: Vec<usize> = (0..ROWS).rev().collect();
            assert_eq!(x.index(&ix![&all], &R).unwrap().to_vec::<f32>().unwrap(), expected(&all));
            assert_eq!(x.requested(), (requests, asked));
        }
    }
}

#[test]
fn neighbours_are_one_request_and_long_ones_are_divided() {
    let folder = Folder::new("requests");
    let x = FileArray::open(&folder.file("x.bin", &bytes()), None, &raw(), Mode::Read).unwrap();
    // Eight rows of a page, and the next page.
    let near: Vec<usize> = (0..16).rev().collect();
    assert_eq!(rows(&x, &near), expected(&near));
    assert_eq!(x.requested(), (1, 16 * 512));
    // A column of neighbouring rows; a slice; rows that lie as the result wants them.
    let part = [Index::Range(Slice { start: Some(64), stop: Some(128), step: Some(2) }), Index::Int(3)];
    let asked = |x: &FileArray, part: &[Index]| with_strategy(Strategy::Fetch, || x.index(part, &R)).unwrap();
    let column: Vec<f32> = asked(&x, &part).to_vec().unwrap();
    assert_eq!(column, (64..128).step_by(2).map(|row| value(row, 3)).collect::<Vec<_>>());
    assert_eq!(x.requested().0, 2);
    let part = [Index::Range(Slice { start: Some(1000), stop: Some(1800), step: None })];
    let long: Vec<f32> = asked(&x, &part).to_vec().unwrap();
    assert_eq!(long, expected(&(1000..1800).collect::<Vec<_>>()));
    assert_eq!(x.requested().0, 3);
    // A quarter of a file and more than a request may have.
    let wide = FileArray::open(&folder.file("wide.bin", &vec![3; 16 << 20]), None, &raw(), Mode::Read).unwrap();
    let part = [Index::Range(Slice { start: Some(10), stop: Some(6010), step: None })];
    assert!(asked(&wide, &part).to_vec::<f32>().unwrap().iter().all(|v| v.to_bits() == 0x0303_0303));
    assert_eq!(wide.requested(), (3, 6000 * 512));
}

#[test]
fn every_operation_asks() {
    let folder = Folder::new("operations");
    let x = FileArray::open(&folder.file("x.bin", &bytes()), None, &raw(), Mode::Read).unwrap();
    let asked = |before: usize| x.requested().0 > before;
    prefer_strategy(Strategy::Fetch, || operations(&x, asked));
}

fn operations(x: &FileArray, asked: impl Fn(usize) -> bool) {
    let at = Tensor::from_slice(&[900i64 * 128 + 3, 5], &[2]).unwrap();
    let got = x.call(|x| x.take(&at, &R)).unwrap();
    assert_eq!(got.to_vec::<f32>().unwrap(), [value(900, 3), value(0, 5)]);
    assert!(asked(0));
    let before = x.requested().0;
    let tuples = Tensor::from_slice(&[900i64, 3, 7000, 127], &[2, 2]).unwrap();
    let got = x.call(|x| x.gather_nd(&tuples, 0, &R)).unwrap();
    assert_eq!(got.to_vec::<f32>().unwrap(), [value(900, 3), value(7000, 127)]);
    assert!(asked(before));
    let before = x.requested().0;
    let mut mask = vec![false; ROWS];
    (mask[17], mask[8000]) = (true, true);
    assert_eq!(x.index(&ix![&mask, 4], &R).unwrap().to_vec::<f32>().unwrap(), [value(17, 4), value(8000, 4)]);
    assert!(asked(before));
    // Views read nothing; what is made of them does.
    let before = x.requested().0;
    let view = x.tensor().index(&ix![100..104, 2], &R).unwrap();
    assert!(!asked(before) && x.holds(&view));
    assert_eq!(view.to_vec::<f32>().unwrap(), [value(100, 2), value(101, 2), value(102, 2), value(103, 2)]);
    assert!(asked(before));
}

#[test]
fn a_bad_index_reads_and_writes_nothing() {
    let folder = Folder::new("bad");
    let path = folder.file("x.bin", &bytes());
    let x = FileArray::open(&path, None, &raw(), Mode::Write).unwrap();
    let error = x.index(&ix![&[3usize, ROWS]], &R).unwrap_err();
    assert_eq!((error.axis(), error.value(), error.position()), (Some(0), Some(ROWS as i128), Some(&[1][..])));
    assert_eq!(x.requested(), (0, 0));
    assert!(x.call(|x| x.index_set_(&ix![&[3usize, ROWS]], 1.0, &R)).is_err());
    x.flush().unwrap();
    assert_eq!(fs::read(&path).unwrap(), bytes());
}

#[test]
fn writes_go_to_the_file_or_stay_in_memory() {
    let folder = Folder::new("writes");
    let path = folder.file("x.npy", &npy(&format!("({ROWS}, 128)"), &bytes()));
    let open = |mode| FileArray::open(&path, None, &RawSpec::default(), mode).unwrap();
    let places = [4000usize, 7, 4000];
    let values = Tensor::from_slice(&[-1f32, -2.0, -3.0], &[3]).unwrap();

    let copy = open(Mode::Copy);
    copy.call(|x| x.index_set_(&ix![&places, 5], &values, &R)).unwrap();
    // What was written in memory is what is read, beside what the file holds.
    let read = |x: &FileArray| x.index(&ix![&[4000usize, 7, 6], 5], &R).unwrap().to_vec::<f32>().unwrap();
    assert_eq!(read(&copy), [-3.0, -2.0, value(6, 5)]);
    assert_eq!(read(&open(Mode::Read)), [value(4000, 5), value(7, 5), value(6, 5)]);
    // Pages that nobody wrote to are still asked for.
    let before = copy.requested().0;
    assert_eq!(rows(&copy, &[6000]), expected(&[6000]));
    assert_eq!(copy.requested().0, before + 1);

    let through = open(Mode::Write);
    through.call(|x| x.index_set_(&ix![&places, 5], &values, &R)).unwrap();
    assert_eq!(read(&through), [-3.0, -2.0, value(6, 5)]);
    through.flush().unwrap();
    assert_eq!(read(&open(Mode::Read)), [-3.0, -2.0, value(6, 5)]);
    let sums = Tensor::from_slice(&[1f32, 1.0, 1.0], &[3]).unwrap();
    through.call(|x| x.index_accumulate_(&ix![&places, 5], &sums, takewise::Reduce::Sum, &R)).unwrap();
    assert_eq!(read(&open(Mode::Read)), [-1.0, -1.0, value(6, 5)]);

    let refused = open(Mode::Read).call(|x| x.index_set_(&ix![0], 1.0, &R)).unwrap_err();
    assert_eq!(refused.kind(), takewise::Kind::Argument);
}

#[test]
fn files_in_the_other_byte_order_open_for_writing_and_missing_ones_do_not() {
    let folder = Folder::new("refused");
    let swapped = String::from_utf8_lossy(&npy("(2,)", &[])).replace("<f4", ">f4");
    let image = [&npy("(2,)", &[])[..8], &swapped.as_bytes()[swapped.len() - (npy("(2,)", &[]).len() - 8)..]].concat();
    let path = folder.file("swapped.npy", &[image, vec![0; 8]].concat());
    let opened = |mode| FileArray::open(&path, None, &RawSpec::default(), mode);
    assert!(opened(Mode::Read).is_ok());
    assert!(opened(Mode::Write).is_ok());
    let missing = FileArray::open(&folder.0.join("none.npy"), None, &RawSpec::default(), Mode::Read);
    assert!(missing.err().unwrap().to_string().ends_with("none.npy: no such file"));
}

#[test]
fn a_file_cut_short_is_an_error_by_both_roads() {
    install_fault_handler();
    let folder = Folder::new("cut");
    for few in [true, false] {
        let path = folder.file("x.bin", &bytes());
        let x = FileArray::open(&path, None, &raw(), Mode::Read).unwrap();
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1000 * 512).unwrap();
        let places: Vec<usize> = if few { vec![7000, 3] } else { (0..ROWS).collect() };
        let by_hand = takewise::ops::index(x.tensor().read_any().unwrap().view(), &ix![&places], &R).unwrap_err();
        assert_eq!(by_hand.kind(), takewise::Kind::Storage);
        let text = by_hand.to_string();
        assert!(
            text.ends_with("x.bin: was cut short while it was in use: it had 4194304 bytes and has 512000"),
            "{text}"
        );
        assert_eq!(x.index(&ix![&places], &R).unwrap_err().kind(), takewise::Kind::Storage);
        assert_eq!(
            x.flush().unwrap_err().text(),
            "was cut short while it was in use: it had 4194304 bytes and has 512000"
        );
    }
}

#[test]
fn tensors_of_open_one_are_read_the_same_way() {
    let folder = Folder::new("one");
    let x = open_one(&folder.file("x.bin", &bytes()), None, &raw()).unwrap();
    let (got, plans) = trace(false, || x.index(&ix![&[7000usize, 3]], &R));
    assert_eq!(got.unwrap().to_vec::<f32>().unwrap(), expected(&[7000, 3]));
    let told = (plans[0].steps[0], plans[0].requests);
    assert_eq!(told, (Strategy::Fetch, Some(2)));
}

#[cfg(target_os = "linux")]
#[test]
fn mappings_of_others_are_read_the_same_way() {
    let folder = Folder::new("others");
    let path = folder.file("x.bin", &bytes());
    let x = FileArray::open(&path, None, &raw(), Mode::Read).unwrap();
    // The mapping of this file as if somebody else had made it.
    let first = x.tensor().data_ptr().addr();
    let mapping = Mapping::at(first).unwrap();
    assert_eq!(mapping.addresses(), first..first + ROWS * 512);
    let known = mapping.register();
    assert_eq!(rows(&x, &[7000, 3]), expected(&[7000, 3]));
    assert_eq!(mapping.requested().0 + x.requested().0, 2);
    drop(known);
    assert!(Mapping::at(std::ptr::from_ref(&known_place()).addr()).is_none());
}

fn known_place() -> u8 {
    7
}

/// Bytes that this process had read from disks.
#[cfg(target_os = "linux")]
fn from_disk() -> usize {
    let io = fs::read_to_string("/proc/self/io").unwrap();
    io.lines().find_map(|line| line.strip_prefix("read_bytes: ")).unwrap().trim().parse().unwrap()
}

/// Has the system forget what it holds of a file.
#[cfg(target_os = "linux")]
fn forget(path: &Path) {
    use std::os::fd::AsRawFd;
    let file = fs::OpenOptions::new().read(true).write(true).open(path).unwrap();
    file.sync_all().unwrap();
    // SAFETY: a plain call of the C library.
    unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
}

/// What is in memory already is touched, and not asked for: read, and brought in before a write.
#[test]
fn what_is_in_memory_is_touched() {
    let folder = Folder::new("warm");
    let path = folder.file("x.bin", &bytes());
    for mode in [Mode::Read, Mode::Write, Mode::Copy] {
        let x = FileArray::open(&path, None, &raw(), mode).unwrap();
        for count in [1, 20, 300] {
            let few = scattered(count);
            let got: Vec<f32> = x.index(&ix![&few], &R).unwrap().to_vec().unwrap();
            assert_eq!(got, expected(&few));
        }
        let mut mask = vec![false; ROWS];
        (mask[17], mask[8000]) = (true, true);
        assert_eq!(x.index(&ix![&mask, 4], &R).unwrap().to_vec::<f32>().unwrap(), [value(17, 4), value(8000, 4)]);
        assert!(!tells(&path) || x.requested() == (0, 0), "{mode:?}");
    }
}

/// Whether the file system tells that what was just written is in memory.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn tells(path: &Path) -> bool {
    use std::os::fd::AsRawFd;
    let (file, mut byte) = (fs::File::open(path).unwrap(), 0u8);
    let place = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    // SAFETY: a plain call of the C library, with room for a byte.
    unsafe { libc::syscall(libc::SYS_preadv2, file.as_raw_fd(), &raw const place, 1, 0, 0, libc::RWF_NOWAIT) == 1 }
}

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
fn tells(_: &Path) -> bool {
    false
}

/// No more than twice the pages that are touched comes from the disk. Other tests of this process read what they have just
/// written, which comes from memory.
#[cfg(target_os = "linux")]
#[test]
fn a_cold_file_is_read_where_it_is_touched() {
    let folder = Folder::new("cold");
    let path = folder.file("x.npy", &npy(&format!("({}, 128)", 16 * ROWS), &bytes().repeat(16)));
    forget(&path);
    let start = from_disk();
    let x = FileArray::open(&path, None, &RawSpec::default(), Mode::Read).unwrap();
    let places: Vec<usize> = (0..100).map(|k| (k * 7919 + 13) % (16 * ROWS)).collect();
    let got = x.index(&ix![&places], &R).unwrap().to_vec::<f32>().unwrap();
    let read = from_disk() - start;
    assert_eq!(got, expected(&places.iter().map(|k| k % ROWS).collect::<Vec<_>>()));
    assert_eq!(x.requested().1, 100 * 512);
    // Rows lie 128 bytes off the pages, so that some touch two. One page more is the header's.
    let touched = 1 + places.iter().map(|k| (128 + k * 512 + 511) / PAGE - (128 + k * 512) / PAGE + 1).sum::<usize>();
    assert!(read <= 2 * touched * PAGE, "{read} bytes for {touched} pages");
    // Where the system keeps the file in memory all the same, there is nothing to see.
    eprintln!("{read} bytes read for {touched} pages");
}
