//! Writing results: to a temporary file beside the target, renamed when complete, so a reader never sees
//! half a file and a failure leaves what was there.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use safetensors::tensor::TensorView;
use tempfile::NamedTempFile;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::map::with_bytes;
use super::{Entry, FileError, Format, npy, tensors};
use crate::progress::Progress;

/// Bytes written between two steps of the progress bar.
const STEP: usize = 8 << 20;

/// Where and in which format to write.
#[derive(Debug, Clone)]
pub struct Destination {
    path: PathBuf,
    format: Format,
}

impl Destination {
    /// A destination whose extension names its format: `.npy`, `.npz`, `.safetensors`; `.bin` and `.raw`
    /// mean bytes only.
    ///
    /// # Errors
    /// Another extension, or a directory that does not exist.
    pub fn new(path: impl Into<PathBuf>) -> Result<Self, FileError> {
        let path = path.into();
        let raw = path.extension().is_some_and(|e| e == "bin" || e == "raw");
        let format = match Format::of_extension(&path) {
            Some(format) => format,
            None if raw => Format::Raw,
            None => {
                return Err(FileError::new(path, "cannot tell the format; use .npy, .npz, .safetensors or .bin"));
            }
        };
        match directory(&path) {
            dir if dir.is_dir() => Ok(Self { path, format }),
            _ => Err(FileError::new(path, "its directory does not exist")),
        }
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
    let fail = |text: String| FileError::new(&to.path, text);
    let io = |e: std::io::Error| fail(format!("cannot be written: {e}"));
    let temporary = tempfile::Builder::new().prefix(".takewise-").tempfile_in(directory(&to.path)).map_err(io)?;
    let total: usize = entries.iter().map(|(_, t)| t.numel() * t.dtype().size()).sum();
    let bar = Progress::start("writing", Some(total as u64));
    match to.format {
        Format::Npy | Format::Raw => {
            let [(_, tensor)] = entries else {
                return Err(fail(format!("holds one tensor, but the result has {}; use .npz", entries.len())));
            };
            let mut out = BufWriter::new(temporary.as_file());
            if to.format == Format::Npy {
                out.write_all(&npy::header(tensor.dtype(), tensor.shape())).map_err(io)?;
            }
            body(tensor, &mut out, &bar).map_err(fail)?;
            out.flush().map_err(io)?;
        }
        Format::Npz => {
            let mut zip = ZipWriter::new(temporary.as_file());
            let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
            for (i, (name, tensor)) in entries.iter().enumerate() {
                let name = if name.is_empty() { format!("arr_{i}") } else { name.clone() };
                let bytes = tensor.numel() * tensor.dtype().size();
                let options = stored.large_file(bytes > u32::MAX as usize / 2).with_alignment(64);
                zip.start_file(format!("{name}.npy"), options).map_err(|e| io(e.into()))?;
                zip.write_all(&npy::header(tensor.dtype(), tensor.shape())).map_err(io)?;
                body(tensor, &mut zip, &bar).map_err(fail)?;
            }
            zip.finish().map_err(|e| io(e.into()))?;
        }
        Format::SafeTensors => safetensors(&temporary, entries, &bar).map_err(fail)?,
    }
    finish(temporary, &to.path).map_err(io)
}

fn body(tensor: &takewise::Tensor, out: &mut impl Write, bar: &Progress) -> Result<(), String> {
    let written = with_bytes(tensor, |bytes| {
        for part in bytes.chunks(STEP) {
            out.write_all(part)?;
            bar.advance(part.len() as u64);
        }
        Ok::<(), std::io::Error>(())
    });
    written.map_err(|e| e.to_string())?.map_err(|e| format!("cannot be written: {e}"))
}

fn safetensors(temporary: &NamedTempFile, entries: &[Entry], bar: &Progress) -> Result<(), String> {
    let mut parts = Vec::with_capacity(entries.len());
    for (i, (name, tensor)) in entries.iter().enumerate() {
        let name = if name.is_empty() { format!("arr_{i}") } else { name.clone() };
        let dtype = tensors::name(tensor.dtype())
            .ok_or_else(|| format!("safetensors has no dtype {}; use .npy", tensor.dtype().name()))?;
        let bytes = with_bytes(tensor, <[u8]>::to_vec).map_err(|e| e.to_string())?;
        parts.push((name, dtype, tensor.shape().to_vec(), bytes));
    }
    let views = parts.iter().map(|(name, dtype, shape, bytes)| {
        TensorView::new(*dtype, shape.clone(), bytes).map(|view| (name.as_str(), view)).map_err(|e| e.to_string())
    });
    let views = views.collect::<Result<Vec<_>, _>>()?;
    safetensors::serialize_to_file(views, None, temporary.path()).map_err(|e| e.to_string())?;
    bar.advance(parts.iter().map(|p| p.3.len() as u64).sum());
    Ok(())
}

/// Gives the file the permissions of the one it replaces (or the usual ones) and renames it.
fn finish(temporary: NamedTempFile, path: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path).map(|m| m.permissions().mode()).unwrap_or(0o644);
        temporary.as_file().set_permissions(std::fs::Permissions::from_mode(mode))?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(path).map_err(|e| e.error)?;
    Ok(())
}
