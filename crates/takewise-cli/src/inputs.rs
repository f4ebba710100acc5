//! Where the arrays of a command come from: files, tables, standard input.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use takewise::Tensor;
use takewise_files::budget::LOOK;
use takewise_files::{self as files, Columnar, FileError, RawSpec, TextSpec, TextTable, is_gzip, is_text};
use tempfile::NamedTempFile;

use crate::args::Form;
use crate::opener::{self, Opener, Table};
use crate::tables::chosen;

/// How files are read that do not say it themselves.
pub(crate) struct How {
    pub(crate) raw: RawSpec,
    pub(crate) text: TextSpec,
}

/// What a file is that holds a table.
#[derive(Clone, Copy)]
enum TableKind {
    /// Text.
    Text,
    /// No text.
    Columnar(Columnar),
}

/// Whether a path is standard input.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new("-") || path == Path::new("/dev/stdin")
}

/// The array of a file, or of standard input, whose copy is given beside it: it has to last as long as the array.
///
/// # Errors
/// As [`files::open_one`]; a table without such a column.
pub(crate) fn open(
    path: &Path,
    key: Option<&str>,
    how: &How,
    opener: &dyn Opener,
) -> Result<(Tensor, Option<NamedTempFile>), FileError> {
    let fail = |text: String| FileError::new(path, text);
    let told = |e: FileError| fail(e.text().to_owned());
    let named = if how.raw.dtype.is_some() { None } else { by_name(path, &how.text) };
    let table = |there: &Path, kind| columns(there, kind, key, how, opener).map_err(fail);
    if path == Path::new("-") {
        let copy = copied(std::io::stdin().lock()).map_err(|e| fail(format!("standard input cannot be read: {e}")))?;
        let kind = if how.raw.dtype.is_some() { None } else { named.or_else(|| by_content(&start(copy.path())?)) };
        let tensor = match kind {
            Some(kind) => table(copy.path(), kind)?,
            None => files::open_one(copy.path(), key, &how.raw).map_err(told)?,
        };
        return Ok((tensor, Some(copy)));
    }
    if let Some(kind) = named {
        return table(path, kind).map(|tensor| (tensor, None));
    }
    let regular = std::fs::metadata(path).map_or(true, |about| about.is_file() || about.is_dir());
    if regular
        && how.raw.dtype.is_none()
        && is_standard(path)
        && let Some(kind) = start(path).and_then(|s| by_content(&s))
    {
        return table(path, kind).map(|tensor| (tensor, None));
    }
    if how.raw.dtype.is_some() || regular {
        return files::open_one(path, key, &how.raw).map_err(told).map(|tensor| (tensor, None));
    }
    // What is read of a pipe cannot be read again, and it may have no end.
    let broken = |e: std::io::Error| fail(e.to_string());
    let mut pipe = File::open(path).map_err(broken)?;
    let mut begins = Vec::new();
    (&mut pipe).take(LOOK as u64).read_to_end(&mut begins).map_err(broken)?;
    let Some(kind) = by_content(&begins) else {
        let tensor = files::read_one(path, &mut begins.chain(pipe), key, &how.raw)?;
        return Ok((tensor, None));
    };
    let copy = copied(begins.chain(pipe)).map_err(broken)?;
    table(copy.path(), kind).map(|tensor| (tensor, Some(copy)))
}

/// The table of a file, if its name says that it holds one.
///
/// # Errors
/// A file that cannot be read as one.
pub(crate) fn table(path: &Path, how: &How, opener: &dyn Opener) -> Option<Result<Box<dyn Table>, FileError>> {
    by_name(path, &how.text).map(|kind| read(path, kind, how, opener).map_err(|text| FileError::new(path, text)))
}

/// The columns of a table that `key` names, or all of them.
///
/// # Errors
/// A file that cannot be read as a table; a column that is not there, or that holds both values and text.
fn columns(path: &Path, kind: TableKind, key: Option<&str>, how: &How, opener: &dyn Opener) -> Result<Tensor, String> {
    match kind {
        TableKind::Text => TextTable::open_columns(path, &how.text, key).map(|(_, columns)| columns),
        TableKind::Columnar(_) => chosen(read(path, kind, how, opener)?.as_ref(), key),
    }
}

fn read(path: &Path, kind: TableKind, how: &How, opener: &dyn Opener) -> Result<Box<dyn Table>, String> {
    match kind {
        TableKind::Columnar(form) => opener::tables(form, opener)?.open(path),
        TableKind::Text => Ok(Box::new(TextTable::open(path, &how.text)?)),
    }
}

/// What a file is by its name; with an option for tables of text, any name but those of other formats means one.
fn by_name(path: &Path, how: &TextSpec) -> Option<TableKind> {
    let form = Form::of_extension(path);
    let asked = *how != TextSpec::default() && !is_standard(path) && form.is_none();
    let text = (asked || TextTable::is_named(path)).then_some(TableKind::Text);
    text.or_else(|| form?.columnar().map(TableKind::Columnar))
}

/// What a file is that begins so.
fn by_content(start: &[u8]) -> Option<TableKind> {
    let columnar = Columnar::of_content(start);
    columnar.map(TableKind::Columnar).or_else(|| (is_text(start) || is_gzip(start)).then_some(TableKind::Text))
}

/// A stream as a file, which can be mapped.
fn copied(mut stream: impl Read) -> std::io::Result<NamedTempFile> {
    let mut copy = NamedTempFile::new()?;
    std::io::copy(&mut stream, &mut copy)?;
    Ok(copy)
}

fn start(path: &Path) -> Option<Vec<u8>> {
    let mut start = Vec::new();
    File::open(path).ok()?.take(LOOK as u64).read_to_end(&mut start).ok()?;
    Some(start)
}
