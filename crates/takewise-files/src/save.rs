//! Writing results: to a temporary file beside the target, renamed when complete, so a reader never sees
//! half a file and a failure, or a signal that ends the program, leaves what was there.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::budget::LINKS;
use super::map::with_bytes;
use super::progress::Work;
use super::unfinished::{self, Unfinished};
use super::{Entry, FileError, Format, losses, npy, stands_on, tensors};

/// Bytes written between two steps of the progress work.
const STEP: usize = 8 << 20;

/// Letters of the target's name in that of its temporary file.
const LONGEST_NAME: usize = 50;

/// Where and in which format to write.
#[derive(Debug, Clone)]
pub struct Destination {
    /// As it was given.
    path: PathBuf,
    /// What links lead to.
    target: PathBuf,
    format: Format,
    /// Whether it is a pipe or device, that is written to and not replaced.
    stream: bool,
    /// Whether it is standard output.
    standard: bool,
}

impl Destination {
    /// A destination whose extension names its format: `.npy`, `.npz`, `.safetensors`; `.bin` and `.raw`
    /// mean bytes only. `-` is standard output, as npy.
    ///
    /// # Errors
    /// Another extension, a directory, a directory that does not exist, or a file that must not be written.
    pub fn new(path: impl Into<PathBuf>) -> Result<Self, FileError> {
        let path = path.into();
        if path == Path::new("-") {
            return Self::of(path, Format::Npy);
        }
        let raw = path.extension().is_some_and(|e| e == "bin" || e == "raw");
        let format = match Format::of_extension(&path) {
            Some(format) => format,
            None if raw => Format::Raw,
            None => {
                return Err(FileError::new(path, "cannot tell the format; use .npy, .npz, .safetensors or .bin"));
            }
        };
        Self::of(path, format)
    }

    /// A destination for a format, whatever the extension. `-` is standard output.
    ///
    /// # Errors
    /// As [`Destination::new`], but for the extension.
    pub fn of(path: impl Into<PathBuf>, format: Format) -> Result<Self, FileError> {
        let path = path.into();
        if format == Format::Gguf {
            return Err(FileError::new(path, NOT_WRITTEN));
        }
        if path == Path::new("-") {
            return Ok(Self { target: path.clone(), path, format, stream: true, standard: true });
        }
        let mut target = path.clone();
        for _ in 0..LINKS {
            let Ok(link) = std::fs::read_link(&target) else { break };
            target = directory(&target).join(link);
        }
        if target.is_symlink() {
            return Err(FileError::new(path, "is a link that leads nowhere"));
        }
        if !directory(&target).is_dir() {
            return Err(FileError::new(path, "its directory does not exist"));
        }
        let mut stream = false;
        match std::fs::metadata(&target) {
            Ok(there) if there.is_dir() => return Err(FileError::new(path, "is a directory")),
            Ok(there) if there.is_file() => {
                // Renaming would replace even a file that is protected from writing.
                if let Err(e) = OpenOptions::new().append(true).open(&target) {
                    return Err(FileError::new(path, format!("cannot be written: {e}")));
                }
            }
            Ok(_) => stream = true,
            Err(_) => {}
        }
        Ok(Self { path, target, format, stream, standard: false })
    }

    /// The path given.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn directory(path: &Path) -> PathBuf {
    match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Writes the tensors. `.npy` and raw hold exactly one; unnamed tensors of the other formats are called
/// `arr_0`, `arr_1`, ... as NumPy does.
///
/// # Errors
/// A dtype the format does not have, several tensors where one fits, or a failing write. The destination
/// is then as it was.
pub fn save(to: &Destination, entries: &[Entry]) -> Result<(), FileError> {
    let total: usize = entries.iter().map(|(_, t)| t.numel() * t.dtype().size()).sum();
    let work = Work::begin("writing", total as u64);
    save_as(to, entries, |file| content(to.format, file, entries, &work))
}

/// [`save`] in a format of the caller's: `write` puts the tensors into the file that becomes the destination.
///
/// # Errors
/// Those of `write`, and of the file. The destination is then as it was.
pub fn save_as(
    to: &Destination,
    entries: &[Entry],
    write: impl FnOnce(&File) -> Result<(), String>,
) -> Result<(), FileError> {
    let fail = |text: String| FileError::new(&to.path, text);
    let io = |e: std::io::Error| fail(format!("cannot be written: {e}"));
    let mut unfinished = Unfinished::watch();
    let temporary = temporary(to).map_err(io)?;
    unfinished.is_at(temporary.path());
    let written = write(temporary.as_file());
    // A source that was cut short meanwhile explains what failed, and spoils what did not.
    let lost = losses();
    if let Some(e) = entries.iter().find_map(|(_, tensor)| stands_on(tensor, &lost)) {
        return Err(e);
    }
    written.map_err(fail)?;
    finish(temporary, to).map_err(io)
}

/// A file beside the target, with the permissions a new file gets. What goes to a pipe is made elsewhere. What a run that was killed
/// left there of the same target is removed.
fn temporary(to: &Destination) -> std::io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    if to.stream {
        return builder.prefix(".takewise-").tempfile();
    }
    let name = to.target.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!(".takewise-{}-", name.chars().take(LONGEST_NAME).collect::<String>());
    builder.prefix(&prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666)); // less the umask
    }
    unfinished::swept(&directory(&to.target), &prefix, || builder.tempfile_in(directory(&to.target)))
}

fn content(format: Format, file: &File, entries: &[Entry], work: &Work) -> Result<(), String> {
    let io = |e: std::io::Error| format!("cannot be written: {e}");
    let name = |i: usize| match entries[i].0.as_str() {
        "" => format!("arr_{i}"),
        name => name.to_owned(),
    };
    match format {
        Format::Npy | Format::Raw => {
            let [(_, tensor)] = entries else {
                return Err(format!("holds one tensor, but the result has {}; use .npz", entries.len()));
            };
            let mut out = BufWriter::new(file);
            if format == Format::Npy {
                out.write_all(&npy::header(tensor.dtype(), tensor.shape())).map_err(io)?;
            }
            body(tensor, &mut out, work)?;
            out.flush().map_err(io)
        }
        Format::Npz => {
            let mut zip = ZipWriter::new(Once { file, failed: false });
            let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
            for (i, (_, tensor)) in entries.iter().enumerate() {
                let bytes = tensor.numel() * tensor.dtype().size();
                let options = stored.large_file(bytes > u32::MAX as usize / 2).with_alignment(64);
                zip.start_file(format!("{}.npy", name(i)), options).map_err(|e| io(e.into()))?;
                zip.write_all(&npy::header(tensor.dtype(), tensor.shape())).map_err(io)?;
                body(tensor, &mut zip, work)?;
            }
            zip.finish().map(drop).map_err(|e| io(e.into()))
        }
        Format::SafeTensors => {
            let names: Vec<String> = (0..entries.len()).map(name).collect();
            let parts: Vec<_> =
                names.iter().zip(entries).map(|(n, (_, t))| (n.as_str(), t.dtype(), t.shape())).collect();
            let (header, order) = tensors::header(&parts)?;
            let mut out = BufWriter::new(file);
            out.write_all(&header).map_err(io)?;
            for i in order {
                body(&entries[i].1, &mut out, work)?;
            }
            out.flush().map_err(io)
        }
        Format::Gguf => Err(NOT_WRITTEN.into()),
    }
}

const NOT_WRITTEN: &str = "GGUF files are read, and not written; use .safetensors";

/// A file that fails once. What makes archives tries to end one after it has failed, and prints that to the terminal where it
/// fails again.
struct Once<'f> {
    file: &'f File,
    failed: bool,
}

impl Once<'_> {
    fn told<R>(&mut self, done: std::io::Result<R>) -> std::io::Result<R> {
        self.failed |= done.as_ref().is_err_and(|e| e.kind() != std::io::ErrorKind::Interrupted);
        done
    }
}

impl Write for Once<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.failed {
            return Ok(bytes.len());
        }
        let done = self.file.write(bytes);
        self.told(done)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let done = self.file.flush();
        self.told(done)
    }
}

impl Seek for Once<'_> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        let done = self.file.seek(to);
        self.told(done)
    }
}

fn body(tensor: &takewise::Tensor, out: &mut impl Write, work: &Work) -> Result<(), String> {
    let written = with_bytes(tensor, |bytes| {
        for part in bytes.chunks(STEP) {
            out.write_all(part)?;
            work.advance(part.len() as u64);
        }
        Ok::<(), std::io::Error>(())
    });
    written.map_err(|e| e.to_string())?.map_err(|e| format!("cannot be written: {e}"))
}

/// Renames the file to the one it replaces, whose permissions it takes.
fn finish(temporary: NamedTempFile, to: &Destination) -> std::io::Result<()> {
    if to.standard {
        let mut out = std::io::stdout().lock();
        let copied = std::io::copy(&mut temporary.reopen()?, &mut out).and_then(|_| out.flush());
        // A reader that has gone away is not an error.
        return copied.or_else(|e| if e.kind() == std::io::ErrorKind::BrokenPipe { Ok(()) } else { Err(e) });
    }
    if to.stream {
        let mut out = OpenOptions::new().write(true).open(&to.target)?;
        std::io::copy(&mut temporary.reopen()?, &mut out)?;
        return Ok(());
    }
    #[cfg(unix)]
    if let Ok(there) = std::fs::metadata(&to.target) {
        temporary.as_file().set_permissions(there.permissions())?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(&to.target).map_err(|e| e.error)?;
    Ok(())
}
