//! Descriptions of this build and of files.

use std::fmt::Write;
use std::path::Path;

use takewise::Cpu;
use takewise_files::{self as files, FileError, Format};

use crate::inputs::{self, How};
use crate::opener::{self, Opener, Table};

/// The version, the processor features the kernels use, and the threads work is divided among.
pub(crate) fn build(opener: &dyn Opener) -> String {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut out = format!("takewise {}\n", env!("CARGO_PKG_VERSION"));
    let _ = writeln!(out, "kernels: {}", kernels());
    let _ = writeln!(out, "threads: {threads}");
    let _ = writeln!(out, "target: {}-{}", std::env::consts::ARCH, std::env::consts::OS);
    let faces: Vec<&str> = takewise_dialects::lookup::FACES.iter().map(|f| f.name).collect();
    let _ = writeln!(out, "dialects: {}", faces.join(", "));
    let read = ["npy", "npz", "safetensors", "gguf", "raw", "csv", "tsv"]
        .iter()
        .chain(opener.formats())
        .copied()
        .collect::<Vec<_>>();
    let _ = writeln!(out, "files: {}", read.join(", "));
    if opener.formats().is_empty() {
        let _ = writeln!(out, "not here: {}", opener::MISSED);
    }
    out
}

/// The level in use, and the others this processor can run.
fn kernels() -> String {
    let used = Cpu::current();
    let others: Vec<&str> = Cpu::supported().into_iter().filter(|cpu| *cpu != used).map(Cpu::name).collect();
    match others.is_empty() {
        true => used.name().to_owned(),
        false => format!("{} (this processor also runs: {})", used.name(), others.join(", ")),
    }
}

/// What the opener says of a place, or what is in a file. What is wrong with it as a whole is given beside that.
///
/// # Errors
/// What is wrong, in a line.
pub(crate) fn place(path: &Path, how: &How, opener: &dyn Opener) -> Result<(String, Option<String>), String> {
    match opener.describe(path) {
        Some(described) => described.map(|text| (text, None)),
        None => {
            let told = file(path, how, opener).map_err(|e| e.to_string())?;
            Ok((told.0, told.1.map(|e| e.to_string())))
        }
    }
}

/// The tensors of a file: name, dtype, shape, strides, bytes, or why one cannot be read. Reads the headers only.
/// What is wrong with the file as a whole is given beside the list.
///
/// # Errors
/// As [`files::open`].
fn file(path: &Path, how: &How, opener: &dyn Opener) -> Result<(String, Option<FileError>), FileError> {
    if how.raw.dtype.is_none()
        && let Some(opened) = inputs::table(path, how, opener)
    {
        return Ok((table(path, opened?.as_ref()), None));
    }
    let file = files::open(path, &how.raw)?;
    let format = match file.format() {
        Format::Npy => "npy",
        Format::Npz => "npz",
        Format::SafeTensors => "safetensors",
        Format::Gguf => "gguf",
        Format::Raw => "raw",
    };
    let (mut lines, mut bytes, mut unreadable) = (String::new(), 0usize, 0usize);
    for (at, name) in file.names().enumerate() {
        let shown = if name.is_empty() { String::new() } else { format!("{}: ", files::plain(name)) };
        match file.outline(at) {
            Ok(outline) => {
                let count = outline.byte_count();
                bytes = bytes.saturating_add(count);
                let order = outline.strides.as_ref().map_or(String::new(), |s| format!(", byte strides {s:?}"));
                let dtype = files::plain(&outline.dtype);
                let order = order + &outline.blocks.map_or(String::new(), |name| format!(", blocks of {name}"));
                let _ = writeln!(lines, "  {shown}{dtype} {:?}{order}, {}", outline.shape, size(count));
            }
            Err(why) => {
                unreadable += 1;
                let _ = writeln!(lines, "  {shown}cannot be read: {}", files::plain(&why));
            }
        }
    }
    let count = match file.names().len() {
        1 => "1 tensor".to_owned(),
        n => format!("{n} tensors"),
    };
    let not = if unreadable > 0 { format!(" ({unreadable} cannot be read)") } else { String::new() };
    let shown = path.to_string_lossy();
    let head = format!("{}: {format}, {count}{not}, {}\n", files::plain(&shown), size(bytes));
    let nothing = || FileError::new(path, "nothing in it can be read");
    let flaw = file.flaw().or_else(|| (unreadable > 0 && unreadable == file.names().len()).then(nothing));
    Ok((head + &lines, flaw))
}

/// The columns of a table.
fn table(path: &Path, table: &dyn Table) -> String {
    let shown = path.to_string_lossy();
    let (names, types) = (table.names(), table.types());
    let (count, rows, about) = (types.len(), table.rows(), table.about());
    let mut out = format!("{}: {about}, {count} columns, {rows} rows\n", files::plain(&shown));
    for (at, held) in types.into_iter().enumerate() {
        let _ = writeln!(out, "  {}: {}", files::plain(&files::column_called(&names, at)), files::plain(held));
    }
    out
}

/// A byte count for people: `1.5 KiB`.
pub fn size(bytes: usize) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} bytes") } else { format!("{value:.1} {}", UNITS[unit]) }
}
