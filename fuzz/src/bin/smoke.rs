//! The fuzz targets on the stable toolchain: seeded random bytes for a bounded time or number of cases.
//!
//! `smoke [--seconds N | --cases N] [--seed S] [--replay FILE] [TARGET...]`. The same seed gives the same inputs to each
//! target, so a number of cases is the same run on every machine; without a seed the clock gives one. An input that fails is written to `fuzz/artifacts/TARGET/`, and cargo-fuzz can replay and shrink it.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use takewise_fuzz::{TARGETS, Target};

/// Longest input. Targets read numbers of a few bytes each, so this is some hundred decisions.
const MAX_BYTES: u64 = 768;

/// Cases of one target between two looks at the clock.
const BATCH: u64 = 64;

struct Options {
    bound: Bound,
    seed: u64,
    replay: Option<PathBuf>,
    targets: Vec<&'static Target>,
}

/// When a search ends: after some time, or when each target has had its cases.
#[derive(Clone, Copy)]
enum Bound {
    Seconds(u64),
    Cases(u64),
}

fn main() -> ExitCode {
    let options = match parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(what) => {
            eprintln!("smoke: {what}");
            return ExitCode::from(2);
        }
    };
    let outcome = match &options.replay {
        Some(file) => replay(file, &options.targets),
        None => search(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("{what}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options { bound: Bound::Seconds(60), seed: clock(), replay: None, targets: Vec::new() };
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} wants a value"));
        let number = |text: String| text.parse::<u64>().map_err(|_| format!("{text:?} is not a whole number"));
        match argument.as_str() {
            "--seconds" => options.bound = Bound::Seconds(number(value()?)?),
            "--cases" => options.bound = Bound::Cases(number(value()?)?),
            "--seed" => options.seed = number(value()?)?,
            "--replay" => options.replay = Some(value()?.into()),
            name => options.targets.push(target(name)?),
        }
    }
    if options.targets.is_empty() {
        options.targets = TARGETS.iter().collect();
    }
    Ok(options)
}

/// A seed nobody has tried yet.
fn clock() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    mix(now.as_nanos() as u64) >> 32
}

fn target(name: &str) -> Result<&'static Target, String> {
    TARGETS.iter().find(|t| t.name == name).ok_or_else(|| {
        let names: Vec<_> = TARGETS.iter().map(|t| t.name).collect();
        format!("no target {name:?}; there are {}", names.join(", "))
    })
}

fn replay(file: &Path, targets: &[&Target]) -> Result<(), String> {
    let [target] = targets else {
        return Err("--replay wants exactly one target".into());
    };
    let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    (target.run)(&bytes);
    println!("{}: passes on {}", target.name, file.display());
    Ok(())
}

/// Gives every target its turn until the bound is reached, then says how many cases each had.
fn search(options: &Options) -> Result<(), String> {
    let start = Instant::now();
    println!("seed {}", options.seed);
    let mut cases = vec![0_u64; options.targets.len()];
    let mut valid = vec![0_u64; options.targets.len()];
    let open = |done: u64| match options.bound {
        Bound::Seconds(n) => done == 0 || start.elapsed() < Duration::from_secs(n),
        Bound::Cases(n) => done < n,
    };
    while open(cases[cases.len() - 1]) {
        for (turn, target) in options.targets.iter().enumerate() {
            for _ in 0..BATCH {
                let bytes = input(options.seed, target.name, cases[turn]);
                match catch_unwind(AssertUnwindSafe(|| (target.run)(&bytes))) {
                    Ok(succeeded) => valid[turn] += u64::from(succeeded),
                    Err(_) => return Err(report(target, options.seed, cases[turn], &bytes)),
                }
                cases[turn] += 1;
            }
        }
    }
    for (turn, target) in options.targets.iter().enumerate() {
        println!("{:<18} {:>9} cases, {:>9} of them valid, none failed", target.name, cases[turn], valid[turn]);
    }
    Ok(())
}

fn report(target: &Target, seed: u64, case: u64, bytes: &[u8]) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("artifacts").join(target.name);
    let file = folder.join(format!("seed{seed}-case{case}"));
    let kept = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, bytes));
    let head = format!("{} failed on case {case} of seed {seed}", target.name);
    match kept {
        Ok(()) => format!("{head}; again: cargo xtask fuzz --replay {} {}", file.display(), target.name),
        Err(error) => format!("{head}; the input could not be kept: {error}"),
    }
}

/// The bytes of one case: a function of the seed, the target and the number of the case, and of nothing else.
fn input(seed: u64, target: &str, case: u64) -> Vec<u8> {
    let name = target.bytes().fold(seed, |state, byte| mix(state ^ u64::from(byte)));
    let mut state = mix(name ^ mix(case));
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(state)
    };
    let length = (next() % (MAX_BYTES + 1)) as usize;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        bytes.extend_from_slice(&next().to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

/// The finaliser of SplitMix64.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
