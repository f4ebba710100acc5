//! Fuzz targets: bytes decide shapes, layouts, index expressions and rules, and the oracle decides what must come out.
//!
//! Each target is a function of bytes, so that one and the same runs under cargo-fuzz (`fuzz_targets/`, nightly) and
//! as a seeded random test on the stable toolchain (`src/bin/smoke.rs`, started by `cargo xtask fuzz`). A target
//! panics if the engine is wrong, and returns whether the case was a valid call: a generator whose cases are all
//! refused tests nothing, and the driver prints the share.

mod along;
mod draw;
mod files;
mod notation;
mod subscript;

/// One thing to fuzz.
pub struct Target {
    /// Name of the target and of its file in `fuzz_targets/`.
    pub name: &'static str,
    /// Runs one case; panics if the outcome is wrong, returns whether the call was valid.
    pub run: fn(&[u8]) -> bool,
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target { name: "subscript_read", run: subscript::read },
    Target { name: "subscript_write", run: subscript::write },
    Target { name: "gather", run: along::gather },
    Target { name: "scatter", run: along::scatter },
    Target { name: "searchsorted", run: along::search },
    Target { name: "notation", run: notation::run },
    Target { name: "files", run: files::run },
];

/// Runs one case of a target by name, as cargo-fuzz does.
pub fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a fuzz target of that name");
    (target.run)(bytes);
}
