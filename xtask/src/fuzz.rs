//! The fuzz targets as a bounded, seeded run on the stable toolchain.

use crate::Outcome;
use crate::python::target;
use crate::sh::{cargo, program};

/// Passes its arguments on: the driver knows its targets, its seeds and its time.
pub(crate) fn fuzz(arguments: &[impl AsRef<str>]) -> Outcome {
    // Of the whole workspace: what the tests have built is not built again with other features.
    cargo(&["build", "--workspace", "--bin", "smoke"]).run()?;
    program(&target().join("debug/smoke")).args(arguments).run()
}
