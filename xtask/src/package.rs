//! What is published: that its packages can be made, and that the oldest Rust it promises compiles it.

use std::path::Path;

use crate::sh::{cargo, cargo_of, leave_out, program};
use crate::{Outcome, sh};

/// Crates that stay in the repository.
const KEPT: &[&str] = &["takewise-fuzz", "takewise-page", "takewise-python", "takewise-testkit", "xtask"];

/// Packages every crate that is to be published. Nothing is built and nothing is fetched.
pub(crate) fn package(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err("takes no arguments".into());
    }
    let step = cargo(&["package", "--quiet", "--workspace", "--no-verify", "--allow-dirty", "--offline"]);
    let step = step.args(["--target-dir", "target/package-check"]);
    KEPT.iter().fold(step, |step, name| step.args(["--exclude", name])).run()
}

/// Checks the workspace with the oldest Rust its manifest names, but for the command, which names a later one.
pub(crate) fn oldest_rust(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err("takes no arguments".into());
    }
    let manifest = std::fs::read_to_string(sh::root().join("Cargo.toml")).map_err(|error| error.to_string())?;
    let version = manifest
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = "))
        .map(|version| version.trim_matches('"').to_owned())
        .ok_or("Cargo.toml names no rust-version")?;
    let works = || cargo_of(&version, &["--version"]).works();
    if !works() {
        let install = ["toolchain", "install", &version, "--profile", "minimal", "--no-self-update"];
        if program(Path::new("rustup")).args(install).run().is_err() || !works() {
            return leave_out(&format!("Rust {version}, the oldest that is promised"));
        }
    }
    let step = cargo_of(&version, &["check", "--quiet", "--workspace", "--exclude", "takewise-cli", "--locked"]);
    step.args(["--target-dir", "target/oldest-rust"]).run()
}
