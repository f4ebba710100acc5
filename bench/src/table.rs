//! Timing and printing one row.

use std::time::Instant;

/// An engine: its column and the work, which returns a checksum of the answer.
pub type Engine<'a> = (&'static str, Box<dyn FnMut() -> f64 + 'a>);

/// A workload: how many elements it moves, and the engines that can do it. The first is takewise.
pub struct Case<'a> {
    pub name: &'a str,
    pub elements: usize,
    pub engines: Vec<Engine<'a>>,
}

/// The columns. `two loops` looks at every index before it stores anything, as takewise promises.
const ENGINES: [&str; 7] = ["takewise", "ndarray", "candle", "arrow", "loop", "branchless", "two loops"];
/// Rounds per row.
const ROUNDS: usize = 9;
/// Time spent on one engine in one round.
const SLICE: f64 = 0.03;

pub fn head() {
    print!("{:<34}{:>10}", "workload", "elements");
    ENGINES.iter().for_each(|e| print!("{e:>11}"));
    println!("{:>9}", "ratio");
}

/// Verifies and times a case. Each engine returns a checksum of its answer.
pub fn row(mut case: Case, threads: usize) {
    let run = |f: &mut dyn FnMut() -> f64, ours: bool| {
        if ours && threads == 1 { takewise::threads::with_threads(1, f) } else { f() }
    };
    let sums: Vec<f64> = case.engines.iter_mut().map(|(n, f)| run(&mut **f, *n == "takewise")).collect();
    for ((name, _), sum) in case.engines.iter().zip(&sums) {
        assert_eq!(*sum, sums[0], "{}: {name} disagrees", case.name);
    }
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); case.engines.len()];
    for _ in 0..ROUNDS {
        for (k, (name, f)) in case.engines.iter_mut().enumerate() {
            // Batches double, so that reading the clock does not count in small calls.
            let (mut calls, mut spent) = (1u32, 0.0);
            while spent < SLICE {
                let start = Instant::now();
                for _ in 0..calls {
                    std::hint::black_box(run(&mut **f, *name == "takewise"));
                }
                spent = start.elapsed().as_secs_f64();
                if spent < SLICE {
                    calls = calls.saturating_mul(2);
                }
            }
            times[k].push(spent / f64::from(calls));
        }
    }
    let median = |t: &mut Vec<f64>| {
        t.sort_by(f64::total_cmp);
        t[t.len() / 2] * 1e9 / case.elements as f64
    };
    let per: Vec<(&str, f64)> = case.engines.iter().map(|(n, _)| *n).zip(times.iter_mut().map(median)).collect();
    print!("{:<34}{:>10}", case.name, case.elements);
    for engine in ENGINES {
        match per.iter().find(|(n, _)| *n == engine) {
            Some((_, ns)) => print!("{ns:>11.3}"),
            None => print!("{:>11}", "-"),
        }
    }
    let best = per[1..].iter().map(|(_, ns)| *ns).fold(f64::INFINITY, f64::min);
    println!("{:>9.2}", per[0].1 / best);
}
