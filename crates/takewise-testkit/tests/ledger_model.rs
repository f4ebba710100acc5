//! The ledger under a model checker: every interleaving of its lock operations, for up to three threads.
//!
//! The ledger's own source is compiled here with the checker's mutex in place of the standard one.

#[path = "../../takewise/src/memory/ledger.rs"]
#[allow(dead_code)]
mod ledger;

/// The checker knows nothing of forks.
mod sync {
    pub(super) use loom::sync::MutexGuard as Locked;

    #[derive(Debug, Default)]
    pub(super) struct Lock<T>(loom::sync::Mutex<T>);

    impl<T> Lock<T> {
        pub(super) fn lock(&self) -> Locked<'_, T> {
            self.0.lock().unwrap()
        }
    }

    pub(super) fn generation() -> u32 {
        1
    }

    pub(super) fn lives(_: u32, _: u32) -> bool {
        true
    }

    pub(super) fn thread() -> u32 {
        0
    }
}

use ledger::{Claim, Claims, Footprint, Ledger, register};
use loom::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use loom::sync::{Arc, Condvar};
use loom::{model, thread};
use takewise::layout;

/// What the threads share: two ledgers, and a plain cell per ledger that only a correct ledger keeps race-free.
struct World {
    ledgers: [Ledger; 2],
    cells: [loom::cell::UnsafeCell<u32>; 2],
    won: AtomicUsize,
}

// The cells are what the checker watches: it fails the model on any unsynchronised access.
// SAFETY: accesses are claimed in the ledgers; the model checks exactly that.
unsafe impl Sync for World {}
// SAFETY: as above.
unsafe impl Send for World {}

fn world() -> Arc<World> {
    Arc::new(World {
        ledgers: Default::default(),
        cells: [loom::cell::UnsafeCell::new(0), loom::cell::UnsafeCell::new(0)],
        won: AtomicUsize::new(0),
    })
}

fn bytes(first: usize, count: usize, step: isize) -> Footprint {
    Footprint::new(first, &layout::Layout::new(&[count], &[step]).unwrap(), 1).unwrap()
}

fn claims<'a>(list: impl IntoIterator<Item = (&'a Ledger, Footprint, bool)>) -> Claims<'a> {
    list.into_iter().map(|(ledger, region, writes)| Claim { ledger, region, writes }).collect()
}

#[test]
fn a_writer_excludes_readers_and_writers() {
    model(|| {
        let w = world();
        let runs: Vec<_> = [true, true, false]
            .into_iter()
            .map(|writes| {
                let w = w.clone();
                thread::spawn(move || {
                    let Ok(_open) = register(&mut claims([(&w.ledgers[0], bytes(0, 8, 1), writes)])) else { return };
                    w.won.fetch_add(1, SeqCst);
                    if writes {
                        // SAFETY: claimed for writing.
                        w.cells[0].with_mut(|p| unsafe { *p += 1 })
                    } else {
                        // SAFETY: claimed for reading.
                        w.cells[0].with(|p| assert!(unsafe { *p } <= 2))
                    }
                })
            })
            .collect();
        runs.into_iter().for_each(|r| r.join().unwrap());
        assert!(w.won.load(SeqCst) >= 1);
        assert!(register(&mut claims([(&w.ledgers[0], bytes(0, 8, 1), true)])).is_ok(), "nothing stays registered");
    });
}

#[test]
fn opposite_orders_neither_deadlock_nor_both_fail() {
    model(|| {
        let w = world();
        let other = w.clone();
        let cross = |w: &World, dst: usize| {
            let src = 1 - dst;
            let mine = [(&w.ledgers[dst], bytes(0, 8, 1), true), (&w.ledgers[src], bytes(0, 8, 1), false)];
            let Ok(_open) = register(&mut claims(mine)) else { return };
            w.won.fetch_add(1, SeqCst);
            // SAFETY: claimed for reading, and for writing.
            let read = w.cells[src].with(|p| unsafe { *p });
            // SAFETY: claimed for writing.
            w.cells[dst].with_mut(|p| unsafe { *p = read + 1 });
        };
        let run = thread::spawn(move || cross(&other, 0));
        cross(&w, 1);
        run.join().unwrap();
        assert!(w.won.load(SeqCst) >= 1, "all or nothing, in one step: at least one call goes through");
    });
}

#[test]
fn disjoint_regions_are_never_refused() {
    model(|| {
        let w = world();
        let runs: Vec<_> = (0..2)
            .map(|k| {
                let w = w.clone();
                thread::spawn(move || {
                    // Even and odd bytes: the same interval, no byte in common.
                    let open = register(&mut claims([(&w.ledgers[0], bytes(k, 4, 2), true)]));
                    assert!(open.is_ok());
                    // SAFETY: cell k stands for the bytes of parity k.
                    w.cells[k].with_mut(|p| unsafe { *p += 1 });
                })
            })
            .collect();
        runs.into_iter().for_each(|r| r.join().unwrap());
    });
}

#[test]
fn a_refused_call_leaves_no_trace() {
    model(|| {
        let w = world();
        let ready = Arc::new((loom::sync::Mutex::new(false), Condvar::new()));
        let (other, signal) = (w.clone(), ready.clone());
        let holder = thread::spawn(move || {
            let _open = register(&mut claims([(&other.ledgers[1], bytes(0, 8, 1), false)])).unwrap();
            *signal.0.lock().unwrap() = true;
            signal.1.notify_one();
        });
        let mut held = ready.0.lock().unwrap();
        while !*held {
            held = ready.1.wait(held).unwrap();
        }
        drop(held);
        let both = || claims([(&w.ledgers[0], bytes(0, 8, 1), true), (&w.ledgers[1], bytes(4, 8, 1), true)]);
        let _ = register(&mut both());
        assert!(register(&mut claims([(&w.ledgers[0], bytes(0, 8, 1), true)])).is_ok(), "nothing of it was entered");
        holder.join().unwrap();
        assert!(register(&mut both()).is_ok(), "everything was taken out again");
    });
}

#[test]
fn one_call_does_not_conflict_with_itself() {
    model(|| {
        let w = world();
        let own = [(&w.ledgers[0], bytes(0, 8, 1), false), (&w.ledgers[0], bytes(0, 8, 1), true)];
        let open = register(&mut claims(own)).unwrap();
        let again = register(&mut claims([(&w.ledgers[0], bytes(7, 1, 1), false)]));
        assert!(again.is_err_and(|c| c.writing));
        drop(open);
    });
}
