//! What README says of mapped files: ten rows of a large table cost ten rows. Bytes that come from disks are counted, by the
//! system, for the command as a whole. Alone in its program, as children of other tests would count too.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::Path;

use crate::shared::{npy, ok};
use tempfile::TempDir;

const PAGE: usize = 4096;
const ROWS: usize = 1 << 18;

/// Bytes that children of this process had read from disks.
fn from_disk() -> usize {
    let mut used = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the system fills the struct in; zeros are a value of it, too.
    let used = unsafe {
        libc::getrusage(libc::RUSAGE_CHILDREN, used.as_mut_ptr());
        used.assume_init()
    };
    usize::try_from(used.ru_inblock).unwrap() * 512
}

/// Has the system forget what it holds of a file.
fn forget(path: &Path) {
    let file = File::options().read(true).write(true).open(path).unwrap();
    file.sync_all().unwrap();
    // SAFETY: a plain call of the C library.
    unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
}

/// What running the command reads from disks, the table being cold.
fn reading(dir: &Path, args: &[&str]) -> usize {
    // Once before, so that the command itself is in memory.
    ok(dir, args);
    forget(&dir.join("table.npy"));
    let before = from_disk();
    ok(dir, args);
    from_disk() - before
}

#[test]
fn ten_rows_of_a_large_table_cost_ten_rows() {
    let dir = TempDir::new().unwrap();
    let d = dir.path();
    // 128 MiB of rows of 512 bytes.
    let mut table = File::create(d.join("table.npy")).unwrap();
    let head = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({ROWS}, 128), }}");
    table.write_all(&npy(&head, &[])).unwrap();
    let block: Vec<u8> = (0..1 << 18).flat_map(|k| (k as f32).to_le_bytes()).collect();
    (0..ROWS * 512 / block.len()).for_each(|_| table.write_all(&block).unwrap());
    drop(table);
    let rows: Vec<i64> = (0..10).map(|k| (k * 26_003 + 17) % ROWS as i64).collect();
    let ids: Vec<u8> = rows.iter().flat_map(|row| row.to_le_bytes()).collect();
    std::fs::write(d.join("ids.npy"), npy("{'descr': '<i8', 'fortran_order': False, 'shape': (10,), }", &ids)).unwrap();

    let inputs = ["x=table.npy", "ids=ids.npy"];
    let rows_read = reading(d, &[&["eval", "x[ids]"], &inputs[..], &["-o", "part.npy"]].concat());
    // A row touches two pages where it lies across them; the header has one.
    let touched = 1 + rows
        .iter()
        .map(|row| (128 + *row as usize * 512 + 511) / PAGE - (128 + *row as usize * 512) / PAGE + 1)
        .sum::<usize>();
    assert!(rows_read <= 2 * touched * PAGE, "{rows_read} bytes for {touched} pages");
    // What a slice and a mask of the same file need is little, too.
    let slice = reading(d, &[&["eval", "x[1000:1016, 5].clone()"], &inputs[..]].concat());
    assert!(slice <= 8 * PAGE, "{slice} bytes for a slice of 16 rows");
    // All of it is read where all of it is asked for, so that there was something to see.
    let all = reading(d, &[&["eval", "x[:, 0].contiguous()[-1]"], &inputs[..]].concat());
    let file = ROWS * 512;
    assert!(all >= file / 2 || all == 0, "{all} of {file} bytes read");
    eprintln!("{rows_read} bytes for {touched} pages, {slice} for a slice, {all} of {file} for a column");
    assert_eq!(
        ok(d, &["eval", "x.shape, x[0, 0]", "x=part.npy"]),
        format!("(torch.Size([10, 128]), tensor({}.))\n", 17 * 128)
    );
}
