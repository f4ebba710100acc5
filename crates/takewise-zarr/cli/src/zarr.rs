//! Zarr arrays as operands.

use std::path::Path;
use std::rc::Rc;

use takewise::chunks::Chunks;
use takewise::{DType, Error, Fault, Index, Op, Rules, Tensor};
use takewise_cli::info::size;
use takewise_cli::opener::{Kind, Opener, kind};
use takewise_dialects::Store;
use takewise_zarr::Array;

/// Folders with Zarr's metadata.
pub(crate) struct Zarr;

/// An array that expressions read parts of.
struct Stored(Array);

impl Store for Stored {
    fn shape(&self) -> &[usize] {
        self.0.shape()
    }

    fn dtype(&self) -> DType {
        self.0.dtype()
    }

    fn read(&self, items: &[Index<'_>], rules: &Rules) -> takewise::Result<Option<Tensor>> {
        let chunks = Chunks::index(self.0.grid(), items, rules)?;
        if !chunks.is_whole() {
            return Ok(None);
        }
        let out = Tensor::empty(chunks.shape(), self.0.dtype())?;
        let read = self.0.read(&chunks, out.write_any()?.view_mut());
        read.map_err(|error| match error {
            takewise_zarr::Error::Index(error) => error,
            other => Error::plain(Fault::Storage { op: Op::Read, text: other.to_string() }),
        })?;
        Ok(Some(out))
    }
}

/// Opens an array of a group, or the place itself.
fn opened(place: &Path, key: Option<&str>) -> Result<Array, String> {
    if kind(place) == Some(Kind::Url) {
        return behind(&place.to_string_lossy(), key.unwrap_or_default());
    }
    let within = key.unwrap_or_default().trim_matches('/');
    if within.split('/').any(|part| matches!(part, "." | "..")) {
        return Err(format!("{within:?} is no path in a store: it leads out of its groups"));
    }
    let path = if within.is_empty() { place.to_path_buf() } else { place.join(within) };
    Array::open(&path).map_err(|error| error.to_string())
}

/// Opens what is behind a URL.
#[cfg(feature = "remote")]
fn behind(url: &str, key: &str) -> Result<Array, String> {
    let (url, key) = (url.trim_end_matches('/'), key.trim_matches('/'));
    let whole = if key.is_empty() { url.to_owned() } else { format!("{url}/{key}") };
    Array::open_url(&whole, &[]).map_err(|error| error.to_string())
}

#[cfg(not(feature = "remote"))]
fn behind(url: &str, _: &str) -> Result<Array, String> {
    let how =
        "`cargo install --path crates/takewise-zarr/cli --features remote` builds the command that reads URLs too";
    Err(format!("{url}: is a URL, and this build reads folders: {how}"))
}

/// What is said of an array: as of those in files, and how it is cut up.
fn told(array: &Array) -> String {
    let bytes = array.shape().iter().fold(array.dtype().size(), |all, &n| all.saturating_mul(n));
    let shards = array.shards().map_or(String::new(), |shards| format!(" in shards of {shards:?}"));
    let (dtype, shape, chunks) = (array.dtype().name(), array.shape(), array.chunks());
    format!("{dtype} {shape:?}, chunks of {chunks:?}{shards}, {}", size(bytes))
}

impl Opener for Zarr {
    fn open(&self, place: &Path, key: Option<&str>) -> Option<Result<Rc<dyn Store>, String>> {
        kind(place)?;
        Some(opened(place, key).map(|array| Rc::new(Stored(array)) as Rc<dyn Store>))
    }

    fn describe(&self, place: &Path) -> Option<Result<String, String>> {
        let what = kind(place)?;
        let described = opened(place, None).map(|array| {
            let shown = if what == Kind::Url { "zarr" } else { "zarr folder" };
            format!("{}: {shown}, version {}\n  {}\n", place.display(), array.format(), told(&array))
        });
        Some(described)
    }

    fn formats(&self) -> &'static [&'static str] {
        &["zarr"]
    }
}
