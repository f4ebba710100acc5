//! The command `takewise`, for which a name may also stand for a Zarr array or for a table in a Parquet or Arrow file:
//! `takewise eval 'x[i, j]' x=data.zarr`, `takewise eval 'x[x > 1]' x=prices.parquet#close`.

#![forbid(unsafe_code)]

use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;

use takewise_cli::opener::{Opener, Tables};
use takewise_dialects::Store;

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "zarr")]
mod zarr;

/// All that this command opens and the plain one does not.
struct Places;

#[cfg(feature = "zarr")]
use zarr::Zarr as Arrays;

// Without Zarr it says of such places what the plain command says.
#[cfg(not(feature = "zarr"))]
use takewise_cli::opener::Files as Arrays;

impl Opener for Places {
    fn open(&self, place: &Path, key: Option<&str>) -> Option<Result<Rc<dyn Store>, String>> {
        Arrays.open(place, key)
    }

    fn describe(&self, place: &Path) -> Option<Result<String, String>> {
        Arrays.describe(place)
    }

    fn tables(&self) -> Option<&dyn Tables> {
        #[cfg(feature = "arrow")]
        return Some(&arrow::Arrow);
        #[cfg(not(feature = "arrow"))]
        Arrays.tables()
    }

    fn formats(&self) -> &'static [&'static str] {
        match (cfg!(feature = "arrow"), cfg!(feature = "zarr")) {
            (true, true) => &["parquet", "arrow", "zarr"],
            (true, false) => &["parquet", "arrow"],
            _ => Arrays.formats(),
        }
    }
}

fn main() -> ExitCode {
    takewise_cli::commands::run_with(takewise_cli::args::parse(&Places), &Places)
}
