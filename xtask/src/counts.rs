//! Instructions a call: a figure that another program on the machine does not move, so that a call that has become
//! dearer is a visible difference.
//!
//! The cases are those of `crates/takewise-testkit/examples/small.rs`. Each runs twice under callgrind, and the difference between many calls
//! and few is the cost of the calls alone. `bench/counts.txt` holds what was found, and with which compiler; another
//! compiler's code is not the same code, so it is given more room. The calls run at one CPU level, which every valgrind
//! knows and every x86-64 machine of the last decade has.

use std::fs;

use crate::Outcome;
use crate::python::target;
use crate::sh::{cargo, program, root};

/// Calls in the two runs.
const CALLS: [u64; 2] = [100, 600];
/// A case that costs more than this part above its recorded count has become dearer: counted by the same compiler, and by
/// another one.
const SLACK: [f64; 2] = [0.03, 0.25];
const LEVEL: &str = "avx2";

/// Writes the counts, or with `--check` compares them with those written.
pub(crate) fn counts(arguments: &[String]) -> Outcome {
    let check = match arguments {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => return Err("takes nothing or --check".into()),
    };
    if std::env::consts::ARCH != "x86_64" {
        println!("The recorded counts are those of x86-64: nothing was counted.");
        return Ok(());
    }
    if !program("valgrind".as_ref()).args(["--version"]).works() {
        println!("valgrind is not installed: nothing was counted.");
        return Ok(());
    }
    // With the command, so that the engine is the one that README's first command has built.
    cargo(&["build", "--release", "-p", "takewise-cli", "-p", "takewise-testkit", "--example", "small"]).run()?;
    let small = target().join("release/examples/small");
    let compiler = program("rustc".as_ref()).args(["--version"]).output()?;
    let path = root().join("bench/counts.txt");
    let stored = fs::read_to_string(&path).unwrap_or_default();
    let head = format!("# {}, {}, {LEVEL}", compiler.trim(), std::env::consts::ARCH);
    let slack = SLACK[usize::from(stored.lines().next() != Some(&head))];
    let mut text = format!("{head}\n");
    let mut dearer = Vec::new();
    for name in program(&small).args(["--names"]).output()?.lines() {
        let [few, many] = CALLS.map(|calls| collected(&small, name, calls));
        let each = (many? - few?) / (CALLS[1] - CALLS[0]);
        text.push_str(&format!("{each:>8} {name}\n"));
        let before = stored.lines().find_map(|line| line.trim_start().split_once(' ').filter(|(_, n)| *n == name));
        let before = before.and_then(|(count, _)| count.parse::<u64>().ok());
        println!("{each:>8} {:>8} {name}", before.map_or("-".into(), |b| b.to_string()));
        if before.is_some_and(|b| each as f64 > b as f64 * (1.0 + slack)) {
            dearer.push(name.to_owned());
        }
    }
    if !check {
        return fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()));
    }
    if !dearer.is_empty() {
        return Err(format!("dearer than recorded: {}; if that is meant, run `cargo xtask counts`", dearer.join(", ")));
    }
    Ok(())
}

/// Instructions of a whole run with that many calls.
fn collected(small: &std::path::Path, name: &str, calls: u64) -> Result<u64, String> {
    let out = std::env::temp_dir().join(format!("takewise-counts-{}", std::process::id()));
    let file = format!("--callgrind-out-file={}", out.display());
    let step = program("valgrind".as_ref()).args(["--tool=callgrind", "-q", &file]);
    step.args([&*small.to_string_lossy(), name, &calls.to_string()])
        .env("TAKEWISE_NUM_THREADS", "1")
        .env("TAKEWISE_CPU", LEVEL)
        .output()?;
    let text = fs::read_to_string(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let _ = fs::remove_file(&out);
    let total = text.lines().find_map(|line| line.strip_prefix("summary:").or_else(|| line.strip_prefix("totals:")));
    total.and_then(|t| t.trim().parse().ok()).ok_or_else(|| format!("callgrind counted nothing for {name:?}"))
}
