//! The engine's tests compiled for 64-bit ARM, and run there: on such a processor, else under QEMU.

use std::path::Path;

use crate::Outcome;
use crate::sh::{cargo, program};

const TARGET: &str = "aarch64-unknown-linux-gnu";

/// What links for the target and what runs its programs where the machine is not one itself, as Debian names them. Programs
/// bring their C library: the one that comes with some cross compilers never returns from starting a thread under QEMU.
const LINKER: &str = "aarch64-linux-gnu-gcc";
const EMULATOR: &str = "qemu-aarch64";
const STATIC: &str = "-C target-feature=+crt-static";

/// `--check` only compiles, with lints: the engine, and the command where there is a C compiler for the target, which one of its
/// dependencies builds with. It is no failure where the target's standard library is missing.
pub(crate) fn arm64(arguments: &[String]) -> Outcome {
    let check = arguments.first().is_some_and(|first| first == "--check");
    if !has_library() {
        println!("The standard library of {TARGET} is not installed: this step did not run.");
        println!("To run it: rustup target add {TARGET}");
        return Ok(());
    }
    let here = cfg!(all(target_arch = "aarch64", target_os = "linux"));
    let works = |tool: &str| program(Path::new(tool)).args(["--version"]).works();
    if check {
        let mut step = cargo(&["clippy", "-p", "takewise-kernels", "-p", "takewise"]);
        if here || works(LINKER) {
            for package in ["takewise-files", "takewise-dialects", "takewise-notation", "takewise-cli"] {
                step = step.args(["-p", package]);
            }
        } else {
            println!("{LINKER} is not installed: of 64-bit ARM only the engine is checked.");
        }
        return step.args(["--target", TARGET, "--", "-D", "warnings"]).run();
    }
    let mut step =
        cargo(&["test", "-p", "takewise-kernels", "-p", "takewise", "-p", "takewise-testkit", "--target", TARGET]);
    if !here {
        for tool in [LINKER, EMULATOR] {
            if !works(tool) {
                return Err(format!("needs {tool} (on Debian: apt install gcc-aarch64-linux-gnu qemu-user)"));
            }
        }
        step = step
            .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", LINKER)
            .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", EMULATOR)
            .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTFLAGS", STATIC);
    }
    step.args(arguments).run()
}

/// Whether the compiler in use can build for the target.
fn has_library() -> bool {
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    program(Path::new(&compiler))
        .args(["--print", "target-libdir", "--target", TARGET])
        .output()
        .is_ok_and(|folder| Path::new(folder.trim()).is_dir())
}
