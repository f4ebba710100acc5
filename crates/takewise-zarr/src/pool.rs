//! The threads that chunks are read and written on.
//!
//! rayon's global pool does not survive a fork: a child has its queues and none of its threads, and waits for ever. Python programs
//! fork, so the pool here remembers the process that it was made in, and another process makes its own. The engine's lock is one
//! that no child finds held.

use crate::error::Result;
use rayon::{Scope, ThreadPool, ThreadPoolBuilder};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use takewise::internal::Lock;
use takewise::threads;

struct Pool {
    process: u32,
    threads: ThreadPool,
}

static POOL: Lock<Option<Arc<Pool>>> = Lock::new(None);

/// The pool of this process, of so many threads at least; `None` if they cannot be had.
fn pool(threads: usize) -> Option<Arc<Pool>> {
    let process = std::process::id();
    let mut kept = POOL.lock();
    if let Some(pool) = kept.as_ref().filter(|pool| pool.process == process)
        && pool.threads.current_num_threads() >= threads
    {
        return Some(pool.clone());
    }
    let made =
        ThreadPoolBuilder::new().num_threads(threads).thread_name(|k| format!("takewise-zarr-{k}")).build().ok()?;
    let before = kept.replace(Arc::new(Pool { process, threads: made }));
    let pool = kept.clone();
    drop(kept);
    match before {
        // Its threads are the parent's: there is nobody here whom its end could be told to.
        Some(before) if before.process != process => std::mem::forget(before),
        before => drop(before),
    }
    pool
}

/// Runs `work` with a scope of the pool; without one where there is none.
fn within<'w, R>(threads: usize, work: impl FnOnce(Option<&Scope<'w>>) -> R) -> R {
    if rayon::current_thread_index().is_some() {
        return rayon::in_place_scope(|scope| work(Some(scope)));
    }
    match pool(threads) {
        Some(pool) => pool.threads.in_place_scope(|scope| work(Some(scope))),
        None => work(None),
    }
}

/// Runs a task for each number, on as many threads as calls may use; an error that was met, after which nothing is begun.
pub(crate) fn each(count: usize, task: impl Fn(usize) -> Result<()> + Sync + Send) -> Result<()> {
    let workers = threads::threads().min(count);
    if workers <= 1 {
        return (0..count).try_for_each(task);
    }
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Ok(())));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return;
            }
            if let Err(error) = task(number) {
                next.store(count, Ordering::Relaxed);
                *failed.lock().unwrap_or_else(PoisonError::into_inner) = Err(error);
            }
        }
    };
    within(workers - 1, |scope| {
        if let Some(scope) = scope {
            (1..workers).for_each(|_| scope.spawn(|_| work()));
        }
        work();
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Runs both side by side: the second on another thread, if there is one.
pub(crate) fn both<A, B: Send>(first: impl FnOnce() -> A, second: impl FnOnce() -> B + Send) -> (A, Option<B>) {
    let slot = Mutex::new(None);
    let a = within(1, |scope| match scope {
        Some(scope) => {
            scope.spawn(|_| *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(second()));
            first()
        }
        None => {
            let a = first();
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(second());
            a
        }
    });
    (a, slot.into_inner().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use takewise::threads::with_threads;

    #[test]
    fn every_number_is_taken_once_within_one_another_too() {
        with_threads(4, || {
            let counts: Vec<AtomicUsize> = (0..300).map(|_| AtomicUsize::new(0)).collect();
            let inner = |k: usize| {
                each(30, |j| {
                    counts[k * 30 + j].fetch_add(1, Ordering::Relaxed);
                    Ok(())
                })
            };
            assert!(each(10, inner).is_ok());
            assert!(counts.iter().all(|count| count.load(Ordering::Relaxed) == 1));
        });
    }

    #[test]
    fn after_an_error_nothing_is_begun() {
        let begun = AtomicUsize::new(0);
        let failing = |_| {
            begun.fetch_add(1, Ordering::Relaxed);
            Err(Error::store("here", "gone"))
        };
        assert_eq!(with_threads(3, || each(1000, failing)).unwrap_err().to_string(), "here: gone");
        assert!(begun.load(Ordering::Relaxed) <= 3);
    }

    #[test]
    fn two_are_run() {
        assert_eq!(both(|| 1, || 2), (1, Some(2)));
        assert_eq!(
            with_threads(2, || both(|| both(|| 1, || 2), || both(|| 3, || 4))),
            ((1, Some(2)), Some((3, Some(4))))
        );
    }
}
