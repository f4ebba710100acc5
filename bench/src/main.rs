//! Nanoseconds per element of every family, beside ndarray, candle, Arrow and a naive loop, in one run.
//!
//! Engines are interleaved round by round and the median of the rounds is shown, so that a noisy machine
//! disturbs all of them alike; every answer is compared with takewise's before it is timed. Absolute figures
//! mean little, the ratio to the best rival of the same row is what counts. Run by `cargo xtask bench`.
//! Usage: `takewise-bench [--threads N] [FILTER]`, a filter being the start of a name.

mod families;
mod masks;
mod table;

fn main() {
    let mut filter = String::new();
    let mut threads = 1;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--threads" => threads = args.next().and_then(|n| n.parse().ok()).unwrap_or(1),
            "--bench" => {}
            other => filter = other.to_string(),
        }
    }
    println!(
        "takewise against ndarray 0.17, candle 0.11, arrow-select 60 and plain loops; takewise on {threads} thread(s)"
    );
    println!("ns per element, median of interleaved rounds, answers verified; ratio = takewise / best rival\n");
    table::head();
    families::all(&filter, &mut |case| {
        if case.name.starts_with(&filter) {
            table::row(case, threads);
        }
    });
}
