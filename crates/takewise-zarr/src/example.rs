//! The array that the examples of this crate read.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that is removed when dropped.
#[derive(Debug)]
pub struct Example(PathBuf);

impl Example {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// 0, 1, 2, ... as float32 of shape (6, 5) in chunks of (2, 2), uncompressed.
pub fn example() -> Example {
    static TURN: AtomicU32 = AtomicU32::new(0);
    let name = format!("takewise-zarr-{}-{}", std::process::id(), TURN.fetch_add(1, Ordering::Relaxed));
    let folder = Example(std::env::temp_dir().join(name));
    let metadata = r#"{"zarr_format": 3, "node_type": "array", "shape": [6, 5], "data_type": "float32", "fill_value": 0.0,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 2]}},
        "chunk_key_encoding": {"name": "default"},
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}"#;
    let write = |key: String, bytes: &[u8]| {
        let path = folder.path().join(key);
        let made = path.parent().is_none_or(|parent| fs::create_dir_all(parent).is_ok());
        assert!(made && fs::write(&path, bytes).is_ok(), "{} cannot be written", path.display());
    };
    write("zarr.json".into(), metadata.as_bytes());
    for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
        let cell = |k: usize| {
            let (row, column) = (2 * i + k / 2, 2 * j + k % 2);
            if column < 5 { (row * 5 + column) as f32 } else { 0.0 }
        };
        let bytes: Vec<u8> = (0..4).flat_map(|k| cell(k).to_le_bytes()).collect();
        write(format!("c/{i}/{j}"), &bytes);
    }
    folder
}
