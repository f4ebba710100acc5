//! The fuzz targets as a bounded, seeded run on the stable toolchain.

use crate::Outcome;
use crate::sh::cargo;

/// Passes its arguments on: the driver knows its targets, its seeds and its time.
pub(crate) fn fuzz(arguments: &[impl AsRef<str>]) -> Outcome {
    cargo(&["run", "--manifest-path", "fuzz/Cargo.toml"]).args(["--bin", "smoke", "--"]).args(arguments).run()
}
