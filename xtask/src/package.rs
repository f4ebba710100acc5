//! What is published: that its packages can be made, and that the oldest Rust it promises compiles it.

use std::fs;
use std::path::Path;

use crate::Outcome;
use crate::sh::{cargo, cargo_of, leave_out, program, root};

/// Crates that stay in the repository.
const KEPT: &[&str] = &["takewise-fuzz", "takewise-page", "takewise-python", "takewise-testkit", "xtask"];

/// Packages every crate that is to be published. Nothing is built and nothing is fetched.
pub(crate) fn package(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err("takes no arguments".into());
    }
    one_version()?;
    let step = cargo(&["package", "--quiet", "--workspace", "--no-verify", "--allow-dirty", "--offline"]);
    let step = step.args(["--target-dir", "target/package-check"]);
    KEPT.iter().fold(step, |step, name| step.args(["--exclude", name])).run()
}

/// The version in `Cargo.toml` is that of every crate that is published, of what they ask of each other, and so of both Python packages.
fn one_version() -> Outcome {
    let of = |text: &str| Some(text.split_once("version = \"")?.1.split('"').next()?.to_owned());
    let read = |path: &Path| fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
    let version = read(&root().join("Cargo.toml"))?.lines().find_map(of).ok_or("Cargo.toml names no version")?;
    for place in ["crates", "crates/takewise-zarr"].map(|place| root().join(place)) {
        let folders = fs::read_dir(&place).map_err(|error| format!("{}: {error}", place.display()))?;
        let manifests = folders.flatten().map(|folder| folder.path().join("Cargo.toml"));
        for manifest in manifests.filter(|path| path.exists()) {
            let text = read(&manifest)?;
            let ours = text.lines().filter(|line| line.starts_with("version = ") || line.starts_with("takewise"));
            if let Some(other) = ours.filter_map(of).find(|found| *found != version) {
                return Err(format!("{} says {other}, and Cargo.toml says {version}", manifest.display()));
            }
        }
    }
    Ok(())
}

/// Checks the workspace with the oldest Rust its manifest names, but for the command, which names a later one.
pub(crate) fn oldest_rust(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err("takes no arguments".into());
    }
    let manifest = fs::read_to_string(root().join("Cargo.toml")).map_err(|error| error.to_string())?;
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

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_published_has_one_version() {
        assert_eq!(super::one_version(), Ok(()));
    }
}
