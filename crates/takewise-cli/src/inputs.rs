//! Where the arrays of a command come from: files, tables, standard input.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use takewise::Tensor;
use takewise_files::{self as files, FileError, RawSpec};
use tempfile::NamedTempFile;

use crate::opener::{Columnar, Opener, Table};
use crate::tables::{Text, chosen, delimiter};

/// How much of standard input is looked at to see whether it is text.
const LOOK: usize = 4096;

/// What a file is that holds a table.
#[derive(Clone, Copy)]
enum Kind {
    /// Text, with this between its cells.
    Text(u8),
    /// No text.
    Columnar(Columnar),
}

/// The array of a file, or of standard input, whose copy is given beside it: it has to last as long as the array.
///
/// # Errors
/// As [`files::open_one`]; a table without such a column.
pub(crate) fn open(
    path: &Path,
    key: Option<&str>,
    raw: &RawSpec,
    opener: &dyn Opener,
) -> Result<(Tensor, Option<NamedTempFile>), FileError> {
    let fail = |text: String| FileError::new(path, text);
    let copy = match path == Path::new("-") {
        true => Some(copied().map_err(|e| fail(format!("standard input cannot be read: {e}")))?),
        false => None,
    };
    let kind = match &copy {
        _ if raw.dtype.is_some() => None,
        Some(copy) => by_content(copy),
        None => by_name(path),
    };
    let there = copy.as_ref().map_or(path, NamedTempFile::path);
    let tensor = match kind {
        Some(kind) => read(there, kind, opener).and_then(|table| chosen(table.as_ref(), key)).map_err(fail)?,
        None => files::open_one(there, key, raw).map_err(|e| fail(e.text().to_owned()))?,
    };
    Ok((tensor, copy))
}

/// The table of a file, if its name says that it holds one.
///
/// # Errors
/// A file that cannot be read as one.
pub(crate) fn table(path: &Path, opener: &dyn Opener) -> Option<Result<Box<dyn Table>, FileError>> {
    by_name(path).map(|kind| read(path, kind, opener).map_err(|text| FileError::new(path, text)))
}

fn read(path: &Path, kind: Kind, opener: &dyn Opener) -> Result<Box<dyn Table>, String> {
    let mark = match kind {
        Kind::Columnar(form) => return form.tables(opener)?.open(path),
        Kind::Text(mark) => mark,
    };
    let file = File::open(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        _ => e.to_string(),
    })?;
    Ok(Box::new(Text::read(BufReader::new(file), mark)?))
}

fn by_name(path: &Path) -> Option<Kind> {
    delimiter(path).map(Kind::Text).or_else(|| Columnar::of_name(path).map(Kind::Columnar))
}

fn by_content(copy: &NamedTempFile) -> Option<Kind> {
    let columnar = copy.reopen().ok().and_then(Columnar::of_content);
    columnar.map(Kind::Columnar).or_else(|| separated(copy).map(Kind::Text))
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
