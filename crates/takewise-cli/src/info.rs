//! Descriptions of this build and of files.

use std::fmt::Write;
use std::path::Path;

use takewise::Tensor;
use takewise::exec::Cpu;

use crate::files::{self, Contents, FileError, Format, RawSpec};

/// The version, the processor features the kernels use, and the threads work is divided among.
pub(crate) fn build() -> String {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut out = format!("takewise {}\n", env!("CARGO_PKG_VERSION"));
    let _ = writeln!(out, "kernels: {}", kernels());
    let _ = writeln!(out, "threads: {threads}");
    let _ = writeln!(out, "target: {}-{}", std::env::consts::ARCH, std::env::consts::OS);
    let faces: Vec<&str> = crate::dialect::FACES.iter().map(|f| f.name).collect();
    let _ = writeln!(out, "dialects: {}", faces.join(", "));
    let _ = writeln!(out, "files: npy, npz, safetensors, raw");
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

/// The tensors of a file: name, dtype, shape, strides, bytes. Reads the headers only.
///
/// # Errors
/// As [`files::open`].
pub(crate) fn file(path: &Path, raw: &RawSpec) -> Result<String, FileError> {
    let (format, entries) = match files::open(path, raw)? {
        Contents::One(tensor) => ("npy", vec![(String::new(), tensor)]),
        Contents::Many(entries) => ("npz", entries),
    };
    let format = match Format::of_extension(path) {
        Some(Format::SafeTensors) => "safetensors",
        None => "raw",
        Some(_) => format,
    };
    let bytes: usize = entries.iter().map(|(_, t)| byte_count(t)).sum();
    let count = if entries.len() == 1 { "1 tensor".to_owned() } else { format!("{} tensors", entries.len()) };
    let mut out = format!("{}: {format}, {count}, {}\n", path.display(), size(bytes));
    for (name, tensor) in &entries {
        let shown = if name.is_empty() { String::new() } else { format!("{name}: ") };
        let order = if tensor.is_contiguous() {
            String::new()
        } else {
            format!(", byte strides {:?}", tensor.layout().strides())
        };
        let _ = writeln!(
            out,
            "  {shown}{} {:?}{order}, {}",
            tensor.dtype().name(),
            tensor.shape(),
            size(byte_count(tensor))
        );
    }
    Ok(out)
}

fn byte_count(tensor: &Tensor) -> usize {
    tensor.numel() * tensor.dtype().size()
}

/// A byte count for people.
pub(crate) fn size(bytes: usize) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} bytes") } else { format!("{value:.1} {}", UNITS[unit]) }
}
