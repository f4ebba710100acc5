//! The threads large calls run on beside the calling one: a pool of our own, made when it is first needed.
//!
//! rayon's global pool does not survive a fork: the child inherits its queues and none of its threads, and waits for ever.
//! Python programs fork as a matter of course, so a pool here remembers the process it was made in, and another process
//! makes its own. Nothing is locked, because a lock that some thread held during the fork would never be released.
//! A caller inside a rayon pool stays in that pool.

use crate::once::Once;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// One pool per thread count asked for, up to this many threads.
const MOST: usize = 256;

struct Pool {
    process: u32,
    pool: rayon::ThreadPool,
}

static POOLS: [AtomicPtr<Pool>; MOST + 1] = [const { AtomicPtr::new(std::ptr::null_mut()) }; MOST + 1];

/// Threads asked for by [`set`]; 0 for as many as there are processors.
static WANTED: AtomicUsize = AtomicUsize::new(0);

/// The environment's wish (`TAKEWISE_NUM_THREADS`), else the number of processors.
fn natural() -> usize {
    static NATURAL: Once<usize> = Once::new();
    *NATURAL.get_or_make(|| {
        let wish = std::env::var("TAKEWISE_NUM_THREADS").ok().and_then(|text| text.trim().parse().ok());
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        wish.filter(|&n: &usize| n > 0).unwrap_or_else(processors).min(MOST)
    })
}

/// Makes what rayon's queues share among all pools, which their first user would have others wait for.
pub(super) fn prepare() {
    crossbeam_epoch::default_collector();
    natural();
}

pub(super) fn set(threads: usize) {
    WANTED.store(threads.min(MOST), Ordering::Relaxed);
}

pub(super) fn size() -> usize {
    if rayon::current_thread_index().is_some() {
        return rayon::current_num_threads();
    }
    match WANTED.load(Ordering::Relaxed) {
        0 => natural(),
        n => n,
    }
}

/// This process's pool of the size asked for; `None` if its threads cannot be had.
fn current() -> Option<&'static Pool> {
    let threads = size();
    let slot = POOLS.get(threads)?;
    let known = slot.load(Ordering::Acquire);
    // SAFETY: pools are never freed once they stand in a slot.
    if let Some(pool) = unsafe { known.as_ref() }
        && pool.process == std::process::id()
    {
        return Some(pool);
    }
    prepare();
    let name = |k| format!("takewise-{k}");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(name).build().ok()?;
    // Of a pool that another process made only memory is left, and that is not worth the risk of touching it.
    let fresh = Box::into_raw(Box::new(Pool { process: std::process::id(), pool }));
    match slot.compare_exchange(known, fresh, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: just made, and never freed from now on.
        Ok(_) => unsafe { fresh.as_ref() },
        Err(other) => {
            // SAFETY: another thread was first: ours was never shared, and theirs is never freed.
            unsafe {
                drop(Box::from_raw(fresh));
                other.as_ref()
            }
        }
    }
}

/// Looks at what others still do, before the caller sleeps until they are done: some 50 us, as waking it takes longer.
const LOOKS: usize = 2000;

/// Runs `work` here, and at the same time on up to `others` more threads; returns when all are done, of which `done` tells
/// ahead of that.
pub(super) fn beside(others: usize, work: &(dyn Fn() + Sync), done: &dyn Fn() -> bool) {
    fn all<'w>(scope: &rayon::Scope<'w>, others: usize, work: &'w (dyn Fn() + Sync), done: &dyn Fn() -> bool) {
        (0..others).for_each(|_| scope.spawn(|_| work()));
        work();
        (0..LOOKS).take_while(|_| !done()).for_each(|_| std::hint::spin_loop());
    }
    let others = others.min(size() - 1);
    if others == 0 {
        work();
    } else if rayon::current_thread_index().is_some() {
        rayon::in_place_scope(|scope| all(scope, others, work, done));
    } else {
        match current() {
            Some(pool) => pool.pool.in_place_scope(|scope| all(scope, others, work, done)),
            None => work(),
        }
    }
}

/// Runs `work(true)` where rayon's parallel calls are on our threads; `work(false)` here, if those cannot be had.
pub fn install<R: Send>(work: impl FnOnce(bool) -> R + Send) -> R {
    if rayon::current_thread_index().is_some() {
        return work(true);
    }
    match current() {
        Some(pool) => pool.pool.install(|| work(true)),
        None => work(false),
    }
}
