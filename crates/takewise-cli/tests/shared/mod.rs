//! What the tests of the binary share.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

pub(crate) fn takewise(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_takewise")).current_dir(dir).args(args).stdin(Stdio::null()).output().unwrap()
}

/// Runs with something on standard input, which the command need not read to its end.
pub(crate) fn piped(dir: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_takewise"))
        .current_dir(dir)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Runs, expects success and gives standard output.
pub(crate) fn ok(dir: &Path, args: &[&str]) -> String {
    let out = takewise(dir, args);
    assert!(out.status.success(), "{args:?}: {}", text(&out.stderr));
    text(&out.stdout)
}

/// Runs, expects an exit status and gives standard error.
pub(crate) fn fails(dir: &Path, args: &[&str], status: i32) -> String {
    let out = takewise(dir, args);
    assert_eq!(out.status.code(), Some(status), "{args:?}: {}", text(&out.stderr));
    text(&out.stderr)
}

/// A directory with `x.npy` (float32 2x3x4, counting) and `i.npy` (int64 [1, 0, 1]).
pub(crate) fn inputs() -> TempDir {
    let dir = TempDir::new().unwrap();
    ok(dir.path(), &["eval", "torch.arange(24.).reshape(2, 3, 4)", "-o", "x.npy"]);
    ok(dir.path(), &["eval", "torch.tensor([1, 0, 1])", "-o", "i.npy"]);
    dir
}

/// An npy file image with any header dict.
pub(crate) fn npy(dict: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    let padded = format!("{dict:<117}\n");
    bytes.extend((padded.len() as u16).to_le_bytes());
    bytes.extend(padded.as_bytes());
    bytes.extend(data);
    bytes
}

pub(crate) fn leftovers(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).unwrap().map(|e| e.unwrap().path());
    entries.filter(|p| p.file_name().unwrap().to_string_lossy().starts_with('.')).collect()
}
