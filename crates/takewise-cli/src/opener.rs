//! Operands that are no files of `takewise-files`: who opens them, and who writes such files.

use std::fs::File;
use std::path::Path;
use std::rc::Rc;

use takewise::Tensor;
use takewise_dialects::Store;
use takewise_files::{Columnar, TextTable};

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

    /// What reads and writes tables that are no text, if it has something that does.
    fn tables(&self) -> Option<&dyn Tables> {
        None
    }

    /// What it opens, as `info` lists it.
    fn formats(&self) -> &'static [&'static str];
}

/// Reads and writes tables that are no text: Parquet and Arrow.
pub trait Tables {
    /// The table of a file.
    ///
    /// # Errors
    /// What is wrong with the file, in a line without its name.
    fn open(&self, path: &Path) -> Result<Box<dyn Table>, String>;

    /// Writes columns with their names: tensors of one axis and of `rows` elements each.
    ///
    /// # Errors
    /// A dtype that the form does not have; an output that cannot be written.
    fn write(&self, file: &File, form: Columnar, columns: &[(String, Tensor)], rows: usize) -> Result<(), String>;
}

/// Columns of one length.
pub trait Table {
    /// What kind of table it is, as `info` says.
    fn about(&self) -> String;

    /// The names of its columns; none if they have no names.
    fn names(&self) -> Vec<&str>;

    /// What each column holds: a dtype, or what is no array of numbers.
    fn types(&self) -> Vec<&str>;

    /// How many rows there are.
    fn rows(&self) -> usize;

    /// Columns by their places; without places all of them. One alone is as it is, several have an axis more.
    ///
    /// # Errors
    /// Columns that hold no numbers, or that do not meet in one dtype.
    fn tensor(&self, chosen: Option<&[usize]>) -> Result<Tensor, String>;
}

impl Table for TextTable {
    fn about(&self) -> String {
        "table".into()
    }

    fn names(&self) -> Vec<&str> {
        self.names()
    }

    fn types(&self) -> Vec<&str> {
        self.types()
    }

    fn rows(&self) -> usize {
        self.rows()
    }

    fn tensor(&self, chosen: Option<&[usize]>) -> Result<Tensor, String> {
        self.tensor(chosen)
    }
}

/// What opens tables of a form, or what has to be installed for that.
///
/// # Errors
/// This build has nothing that does.
pub(crate) fn tables(form: Columnar, opener: &dyn Opener) -> Result<&dyn Tables, String> {
    let what = if form == Columnar::Parquet { "a Parquet table" } else { "an Arrow table" };
    opener.tables().ok_or_else(|| format!("is {what}. {MISSED}"))
}

/// What is said wherever a format is missed that this build does not have.
pub(crate) const MISSED: &str =
    "Zarr, Parquet and Arrow are in the command that `cargo install --path crates/takewise-zarr/cli` builds.";

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
    Some(format!("{shown}: {what}. {MISSED}"))
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
