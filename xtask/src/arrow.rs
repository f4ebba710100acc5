//! Parquet and Arrow tables: the command beside pyarrow and polars. Its tests in Rust are those of the workspace of Zarr.

use crate::Outcome;
use crate::python::{Home, home};
use crate::sh::{cargo, leave_out, program, root};
use crate::zarr::{MANIFEST, TARGET};

/// What writes the files that are read, and reads those that are written.
const ARROW: Home =
    Home { folder: "python-env-arrow", tools: &["numpy>=2", "pytest>=8"], library: &["pyarrow>=18", "polars>=1"] };

/// Builds the command and runs its tests in Python; arguments go to pytest.
pub(crate) fn arrow(arguments: &[String]) -> Outcome {
    let Some(interpreter) = home(&ARROW)? else { return leave_out("the tests beside pyarrow") };
    // Of the whole workspace, so that what its tests have built is not built again with other features.
    cargo(&["build", "--manifest-path", MANIFEST, "--target-dir", TARGET, "--workspace", "--locked"]).run()?;
    let command = root().join(TARGET).join("debug/takewise");
    program(&interpreter)
        .env("TAKEWISE", &command.to_string_lossy())
        .args(["-m", "pytest", "-q", "crates/takewise-arrow/tests/test_pyarrow.py"])
        .args(arguments)
        .run()
}
