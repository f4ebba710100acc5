//! Whether memory is used as the rules say: Miri for what it can interpret, AddressSanitizer for the rest, which is
//! vector instructions, memory of others and threads.

use std::path::Path;

use crate::Outcome;
use crate::sh::{Step, cargo, cargo_of, leave_out, program, root};

/// Unsafe code lives in these modules only, so these are what an interpreter of memory rules has to see.
const UNSAFE_MODULES: &[&str] =
    &["layout::", "view::", "memory::", "exec::", "values::", "kernel::", "search::", "tensor::", "threads::"];

/// What Miri checks, and how: an operation at a time may not move a pointer out of what it was made for.
const MIRI: &str = "-Zmiri-tree-borrows -Zmiri-strict-provenance";

/// Integration tests that do much in little time: what runs unoptimized and checked is some fifty times slower.
const SANITIZED: &[&str] = &["search::", "smoke::", "tensor_access::"];
/// Cases of the fuzz targets at each level: the same everywhere.
const FUZZED: &[&str] = &["--cases", "3000", "--seed", "1"];
const LEVELS: &[&str] = &["baseline", "avx2", "avx512"];

/// Runs the unit tests of the modules with unsafe code under Miri, which is fetched if need be.
pub(crate) fn miri(filter: &[String]) -> Outcome {
    let works = || cargo_of("nightly", &["miri", "--version"]).works();
    if !works() {
        let install = [
            "toolchain",
            "install",
            "nightly",
            "--profile",
            "minimal",
            "--component",
            "miri",
            "--component",
            "rust-src",
        ];
        let fetched = program(Path::new("rustup")).args(install).run();
        if fetched.is_err() || !works() {
            return match fetched {
                Err(_) => leave_out("Miri, which the nightly toolchain lacks"),
                Ok(()) => Err("Miri was installed but does not run".into()),
            };
        }
    }
    let step = cargo_of("nightly", &["miri", "test", "-p", "takewise-kernels", "-p", "takewise", "--lib"]);
    let step = step.env("MIRIFLAGS", MIRI).args(["--"]);
    if filter.is_empty() { step.args(UNSAFE_MODULES).run() } else { step.args(filter).run() }
}

/// Runs the engine's tests and the fuzz targets with every access to memory checked, at each level the processor has; with `--best`
/// at the last of them alone.
pub(crate) fn asan(arguments: &[String]) -> Outcome {
    let best = match arguments {
        [] => false,
        [flag] if flag == "--best" => true,
        _ => return Err("takes --best or nothing".into()),
    };
    let Some(host) = host()? else {
        println!("AddressSanitizer does not come with the toolchain of this machine: this step did not run.");
        return Ok(());
    };
    let mut here = levels();
    if best {
        here.drain(..here.len() - 1);
    }
    for level in &here {
        let step = cargo(&["test", "--quiet", "--workspace", "--test", "all", "--target", &host, "--"]).args(SANITIZED);
        sanitized(step).env("TAKEWISE_CPU", level).run()?;
    }
    let step = cargo(&["build", "--quiet", "--workspace", "--bin", "smoke", "--target", &host]);
    sanitized(step).run()?;
    let smoke = root().join(FOLDER).join(&host).join("debug/smoke");
    for level in &here {
        program(&smoke).args(FUZZED).env("TAKEWISE_CPU", level).run()?;
    }
    Ok(())
}

/// What is built with checks stays apart from what is built without.
const FOLDER: &str = "target/asan";

/// The runtime ships with the stable toolchain, the flag that asks for it does not count as stable. Optimizing what is checked
/// takes longer than running it as it is.
fn sanitized(step: Step) -> Step {
    step.env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", "-Zsanitizer=address")
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "0")
        .env("CARGO_TARGET_DIR", FOLDER)
}

/// The target to build for, where the runtime is there: named, so that what runs while building is left alone.
fn host() -> Result<Option<String>, String> {
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = program(Path::new(&compiler)).args(["-vV"]).output()?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default().to_owned();
    let folder = program(Path::new(&compiler)).args(["--print", "target-libdir"]).output()?;
    let entries = std::fs::read_dir(folder.trim()).map_err(|error| format!("{}: {error}", folder.trim()))?;
    let has = entries.filter_map(Result::ok).any(|entry| entry.file_name().to_string_lossy().contains("rt.asan"));
    Ok((has && host.contains("linux")).then_some(host))
}

/// The levels of this processor.
fn levels() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        let has =
            [true, std::arch::is_x86_feature_detected!("avx2"), std::arch::is_x86_feature_detected!("avx512vbmi2")];
        LEVELS.iter().zip(has).filter(|(_, has)| *has).map(|(level, _)| *level).collect()
    }
    #[cfg(not(target_arch = "x86_64"))]
    LEVELS[..1].to_vec()
}
