//! The files of a release, and the workflows that make them on other systems.

use std::fs;
use std::path::Path;

use crate::python::{self, Home};
use crate::sh::{cargo, leave_out, program, root};
use crate::{Outcome, page, wheels};

const FOLDER: &str = "target/release-files";

const MAKERS: Home = Home {
    folder: "python-env-release",
    tools: &["maturin>=1.9.4,<2", "numpy>=2"],
    library: &["twine>=6,<8", "ziglang>=0.13"],
};

/// The program that lists the parts of a release (CycloneDX), built when it is first needed.
const PARTS: (&str, &str) = ("cargo-cyclonedx", "0.5.9");

/// The package for Zarr arrays and tables: the crates that it is of are a workspace of their own.
const ZARR: [&str; 2] = ["--manifest-path", "crates/takewise-zarr/python/Cargo.toml"];

/// Makes the source archive, with `--source` that alone, else also wheels: on Linux for x86-64 and 64-bit ARM, elsewhere for this machine; a
/// list of parts; and checksums. Wheels are tested as they will be installed, with `--try` those of the last time. Nothing is sent.
pub(crate) fn release(arguments: &[String]) -> Outcome {
    let source_alone = match arguments {
        [] => false,
        [one] if one == "--source" => true,
        [one] if one == "--try" => return wheels::tried(&root().join(FOLDER)),
        _ => return Err(format!("takes --source, --try or nothing, got {arguments:?}")),
    };
    let Some(interpreter) = python::home(&MAKERS)? else {
        return Err(format!("{} cannot be had here", MAKERS.library.join(", ")));
    };
    let folder = root().join(FOLDER);
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| format!("{FOLDER}: {error}"))?;
    }
    fs::create_dir_all(&folder).map_err(|error| format!("{FOLDER}: {error}"))?;
    // maturin looks for zig among the programs, and it stands beside the interpreter.
    let maturin =
        |arguments: &[&str]| program(&interpreter).args(["-m", "maturin"]).args(arguments).beside(&interpreter).run();
    maturin(&["sdist", "--out", FOLDER])?;
    let build = ["build", "--locked", "--out", FOLDER, "-i", "python3.11"];
    if !source_alone && cfg!(target_os = "linux") {
        for processor in ["x86_64", "aarch64"] {
            let target = format!("{processor}-unknown-linux-gnu");
            program(Path::new("rustup")).args(["target", "add", &target]).run()?;
            // Zig links for an old C library, so that the wheel installs on systems of years ago.
            let how = ["--zig", "--compatibility", "manylinux2014", "--target", &target];
            maturin(&[&build[..], &how].concat())?;
            maturin(&[&build[..], &how, &ZARR].concat())?;
        }
    } else if !source_alone {
        maturin(&build)?;
        maturin(&[&build[..], &ZARR].concat())?;
    }
    let of_takewise = |name: &String| name.starts_with("takewise-") && name.ends_with(".whl");
    let wheels = names(&folder)?.into_iter().filter(of_takewise);
    let mut wheels: Vec<String> = wheels.map(|name| format!("{FOLDER}/{name}")).collect();
    // The one for this machine gives the type stubs of all.
    wheels.sort_by_key(|name| !name.contains(std::env::consts::ARCH));
    if !wheels.is_empty() {
        program(&interpreter).args(["tools/python/backend/takewise_build.py"]).args(wheels).run()?;
    }
    parts(&folder)?;
    let files = names(&folder)?;
    let packages = files.iter().filter(|name| name.ends_with(".whl") || name.ends_with(".tar.gz"));
    let packages = packages.map(|name| format!("{FOLDER}/{name}"));
    program(&interpreter).args(["-m", "twine", "check", "--strict"]).args(packages).run()?;
    let sums = "import hashlib, pathlib, sys\n\
                folder = pathlib.Path(sys.argv[1])\n\
                lines = [f'{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.name}\\n' for p in sorted(folder.iterdir())]\n\
                (folder / 'SHA256SUMS').write_text(''.join(lines))";
    program(&interpreter).args(["-c", sums, FOLDER]).run()?;
    println!("{FOLDER}: {}", names(&folder)?.join(", "));
    wheels::tried(&folder)
}

/// Lists what each Python package is made of.
fn parts(folder: &Path) -> Outcome {
    let (name, version) = PARTS;
    let home = root().join("target/tools");
    let tool = home.join("bin").join(name);
    if !program(&tool).args(["cyclonedx", "--version"]).works() {
        cargo(&["install", name, "--version", version, "--locked", "--root", &home.to_string_lossy()]).run()?;
    }
    for (package, crate_folder) in
        [("takewise", "crates/takewise-python"), ("takewise-zarr", "crates/takewise-zarr/python")]
    {
        let manifest = format!("{crate_folder}/Cargo.toml");
        program(&tool)
            .args(["cyclonedx", "--manifest-path", &manifest, "--format", "json", "--override-filename", "parts"])
            .run()?;
        let path = root().join(crate_folder).join("parts.json");
        fs::copy(&path, folder.join(format!("{package}.cdx.json")))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    // It writes one beside the manifest of every crate of a workspace.
    for place in ["", "crates", "crates/takewise-zarr"].map(|place| root().join(place)) {
        for entry in fs::read_dir(&place).map_err(|error| format!("{}: {error}", place.display()))?.flatten() {
            let _ = fs::remove_file(entry.path().join("parts.json"));
        }
    }
    Ok(())
}

fn names(folder: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    Ok(names)
}

/// Reads the workflows with actionlint.
pub(crate) fn workflows(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err("takes no arguments".into());
    }
    if page::tools(&root().join("tools/workflows")).is_err() {
        return leave_out("the check of the workflows");
    }
    program(Path::new("node")).args(["tools/workflows/check.mjs"]).run()
}
