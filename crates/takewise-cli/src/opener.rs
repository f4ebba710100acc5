//! Operands that are no files of `takewise-files`: who opens them.

use std::path::Path;
use std::rc::Rc;

use takewise_dialects::Store;

/// Opens operands that are no files of `takewise-files`, such as arrays in folders and behind URLs.
///
/// A program with one of these is the same command for more places: [`run_with`](crate::commands::run_with).
///
/// ```
/// use std::path::Path;
/// use takewise_cli::opener::{Files, Opener};
/// // The command by itself knows no such place.
/// assert!(Files.open(Path::new("table.npy"), None).is_none());
/// assert!(Files.open(Path::new("https://example.org/data.zarr"), None).is_some_and(|opened| opened.is_err()));
/// ```
pub trait Opener: Sync {
    /// The array at a place, by its path there if one was given; nothing if the place is a file like others.
    fn open(&self, place: &Path, key: Option<&str>) -> Option<Result<Rc<dyn Store>, String>>;

    /// What `info` prints of a place, in lines; nothing if it is a file like others.
    fn describe(&self, place: &Path) -> Option<Result<String, String>>;

    /// What it opens, as `info` lists it.
    fn formats(&self) -> &'static [&'static str];
}

/// The command by itself: it opens nothing else, and says of Zarr arrays and URLs what does.
pub struct Files;

impl Opener for Files {
    fn open(&self, place: &Path, _: Option<&str>) -> Option<Result<Rc<dyn Store>, String>> {
        foreign(place).map(Err)
    }

    fn describe(&self, place: &Path) -> Option<Result<String, String>> {
        foreign(place).map(Err)
    }

    fn formats(&self) -> &'static [&'static str] {
        &[]
    }
}

/// What is at a place that is no file, and what reads it, in a line.
fn foreign(place: &Path) -> Option<String> {
    let what = match kind(place)? {
        Kind::Url => "is a URL",
        Kind::Zarr => "is a Zarr array or group",
    };
    let shown = takewise_files::plain(&place.to_string_lossy()).into_owned();
    Some(format!(
        "{shown}: {what}, and this build reads files: `cargo install --path crates/takewise-zarr/cli` builds the command that \
         reads Zarr too"
    ))
}

/// What places are that are no files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A URL.
    Url,
    /// A folder that holds the metadata of a Zarr array or group.
    Zarr,
}

/// What is at a place, unless that is a file or nothing known.
pub fn kind(place: &Path) -> Option<Kind> {
    let text = place.to_string_lossy();
    if let Some((scheme, _)) = text.split_once("://")
        && scheme.chars().all(|c| c.is_ascii_alphanumeric())
    {
        return Some(Kind::Url);
    }
    let metadata = ["zarr.json", ".zarray", ".zgroup"];
    metadata.iter().any(|name| place.join(name).is_file()).then_some(Kind::Zarr)
}
