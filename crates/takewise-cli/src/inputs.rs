//! Where the arrays of a command come from: files, tables, standard input.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use takewise::Tensor;
use takewise_files::{self as files, FileError, RawSpec};
use tempfile::NamedTempFile;

use crate::tables::{Table, delimiter};

/// How much of standard input is looked at to see whether it is text.
const LOOK: usize = 4096;

/// The array of a file, or of standard input, whose copy is given beside it: it has to last as long as the array.
///
/// # Errors
/// As [`files::open_one`]; a table without such a column.
pub(crate) fn open(
    path: &Path,
    key: Option<&str>,
    raw: &RawSpec,
) -> Result<(Tensor, Option<NamedTempFile>), FileError> {
    if path == Path::new("-") {
        let fail = |text: String| FileError::new(path, text);
        let copy = copied().map_err(|e| fail(format!("standard input cannot be read: {e}")))?;
        let tensor = match separated(&copy).filter(|_| raw.dtype.is_none()) {
            Some(mark) => read(copy.path(), mark).and_then(|table| table.tensor(key)).map_err(fail)?,
            None => files::open_one(copy.path(), key, raw).map_err(|e| fail(e.text().to_owned()))?,
        };
        return Ok((tensor, Some(copy)));
    }
    let tensor = match delimiter(path).filter(|_| raw.dtype.is_none()) {
        Some(mark) => table(path, mark)?.tensor(key).map_err(|text| FileError::new(path, text))?,
        None => files::open_one(path, key, raw)?,
    };
    Ok((tensor, None))
}

/// The table of a file.
///
/// # Errors
/// A file that cannot be read as one.
pub(crate) fn table(path: &Path, mark: u8) -> Result<Table, FileError> {
    read(path, mark).map_err(|text| FileError::new(path, text))
}

fn read(path: &Path, mark: u8) -> Result<Table, String> {
    let file = File::open(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        _ => e.to_string(),
    })?;
    Table::read(BufReader::new(file), mark)
}

/// Standard input as a file, which can be mapped.
fn copied() -> std::io::Result<NamedTempFile> {
    let mut copy = NamedTempFile::new()?;
    std::io::copy(&mut std::io::stdin().lock(), &mut copy)?;
    Ok(copy)
}

/// What separates the cells, if a file is text: a tab where its first line has one, else a comma.
fn separated(copy: &NamedTempFile) -> Option<u8> {
    let mut file = copy.reopen().ok()?;
    file.rewind().ok()?;
    let mut start = Vec::new();
    file.take(LOOK as u64).read_to_end(&mut start).ok()?;
    let control = |b: &u8| *b < b' ' && !matches!(b, b'\t' | b'\n' | b'\r');
    let text = std::str::from_utf8(&start).map_or_else(|e| e.error_len().is_none(), |_| true);
    if start.is_empty() || start.iter().any(control) || !text {
        return None;
    }
    let first = start.split(|b| *b == b'\n').next().unwrap_or_default();
    Some(if first.contains(&b'\t') { b'\t' } else { b',' })
}
