//! Memory of a call's own is bounded, whatever the destination and the number of indices: what would take more is done in
//! pieces, with the same bits.

use half::bf16;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use takewise::Reduce;
use takewise::index::rules::Width;
use takewise::strategy::Strategy;
use takewise::{Element, Rules, View, ViewMut, ops, strategy, threads};

/// The system's allocator, which knows the most bytes that were in use at a time.
struct Watched;

static USED: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: passed on to the system's allocator as it comes.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let used = USED.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(used, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watched = Watched;

/// What `f` gives, and the most bytes it had in use beyond those before.
fn watched<R>(f: impl FnOnce() -> R) -> (R, usize) {
    let before = USED.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let got = f();
    (got, MOST.load(Ordering::Relaxed) - before)
}

/// Numbers that say nothing.
fn noise(n: usize, below: u64) -> Vec<i64> {
    let mut state = 5u64;
    let mut next = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        ((state >> 33) % below) as i64
    };
    (0..n).map(|_| next()).collect()
}

/// Eager calls get by with 4 KiB for counters, sums and sorted positions, or with a quarter of what destination and indices
/// take: a third of them. Beside these there are blocks of positions, and the buckets of what is summed where it lies.
const BLOCKS: usize = 64 << 10;
const BUCKETS: usize = 64 << 10;

fn pieces<T: Element + PartialEq + std::fmt::Debug>(of: fn(f32) -> T, sums: &[(Reduce, bool)], may: usize) {
    let rules = Rules { accumulate: Width::Wide, ..Rules::NEUTRAL };
    let shapes: [(&[usize], &[usize], usize, u64); 6] = [
        (&[25_000], &[12_000], 0, 25_000),
        // Places that meet more values than a byte counts.
        (&[25_000], &[12_000], 0, 25),
        // Places far apart, which are sorted.
        (&[300_000], &[3_000], 0, 300_000),
        (&[200, 150], &[200, 150], 0, 200),
        (&[200, 150], &[200, 150], 1, 150),
        (&[3, 20_000], &[3, 5_000], 1, 20_000),
    ];
    for (shape, indices, dim, below) in shapes {
        let (n, m): (usize, usize) = (shape.iter().product(), indices.iter().product());
        let index = noise(m, below);
        let index = View::new(&index, indices).unwrap().any();
        let numbers = |n: usize, below: u64| -> Vec<T> { noise(n, below).iter().map(|v| of(*v as f32)).collect() };
        let (x, source) = (numbers(n, 200), numbers(m, 3));
        let source = View::new(&source, indices).unwrap().any();
        for &(how, include_self) in sums {
            let run = || {
                let mut to = x.clone();
                let mut dst = ViewMut::new(&mut to, shape).unwrap().into();
                let all =
                    || ops::scatter_reduce_(&mut dst, dim as i64, index.clone(), &source, how, include_self, &rules);
                let (done, used) = watched(all);
                done.unwrap();
                (to, used)
            };
            let want = run().0;
            let case = format!("{shape:?} by {indices:?} along {dim}, {how:?}");
            let mut each: Vec<usize> = Vec::new();
            for (turn, threads) in [1, 3, 1, 3, 1, 3].into_iter().enumerate() {
                let strategy = [Strategy::Dense, Strategy::Sorted, Strategy::StartValues][turn / 2];
                let (got, used) = strategy::prefer_strategy(strategy, || threads::with_threads(threads, run));
                assert!(got == want, "{case}, {threads} threads");
                each.push(used);
            }
            each.sort_unstable();
            let share = (n * size_of::<T>() + m * size_of::<i64>()) / 4;
            assert!(each[2] <= may && each[5] <= may + share, "{case}: {each:?} bytes");
        }
    }
}

#[test]
fn pieces_have_the_same_bits_in_bounded_memory() {
    pieces(|v| v, &[(Reduce::Mean, true), (Reduce::Mean, false)], BLOCKS + BUCKETS);
    pieces(bf16::from_f32, &[(Reduce::Mean, false), (Reduce::Sum, true), (Reduce::Prod, false)], BLOCKS);
}
