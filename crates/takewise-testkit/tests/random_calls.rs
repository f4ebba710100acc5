//! Random calls of every operation against the oracle. `TAKEWISE_CASES` sets how many; a failure prints the
//! seed of its case, which runs alone with `TAKEWISE_SEED`.

use takewise_testkit::calls::{LARGE, SMALL, Size, call};
use takewise_testkit::rng::cases;
use takewise_testkit::{Rng, Twist};

fn run(size: Size, default: u64, base: u64, threads: &[usize]) {
    let alone = std::env::var("TAKEWISE_SEED").ok().and_then(|s| s.parse::<u64>().ok());
    let (first, count) = alone.map_or((base, cases(default)), |s| (s, 1));
    let mut good = 0;
    for seed in first..first + count {
        let mut rng = Rng::new(seed);
        let case = call(&mut rng, size);
        good += case.expected().is_ok() as u64;
        let out = Twist { order: vec![], stretched: 0, ..Twist::random(&mut rng, 8, false) };
        case.verify(&format!("TAKEWISE_SEED={seed}"), threads, &out);
    }
    assert!(count < 50 || good * 2 > count, "only {good} of {count} cases were valid: the generator is off");
}

#[test]
fn small_calls() {
    run(SMALL, 40_000, 1 << 32, &[1]);
}

#[test]
fn small_calls_in_many_parts() {
    run(SMALL, 6_000, 2 << 32, &[1, 2, 7]);
}

#[test]
fn large_calls() {
    run(LARGE, 600, 3 << 32, &[1, 2, 7]);
}
