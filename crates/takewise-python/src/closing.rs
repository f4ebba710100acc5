//! The end of the interpreter, for threads that call PyTorch.
//!
//! A daemon thread that asks for the interpreter's lock while the interpreter ends is ended by it (before Python 3.14), by
//! unwinding its stack: through PyTorch's frames, which do not stand that and end the process with an error. So before the
//! end comes, threads that call a kernel of ours are kept in there, where they wait for nothing any more.

#![allow(unsafe_code)]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use pyo3::ffi;
use pyo3::prelude::*;

/// Whether the interpreter is about to end.
static CLOSING: AtomicBool = AtomicBool::new(false);

/// Threads in a kernel, those kept there, and calls of kernels so far.
static INSIDE: AtomicUsize = AtomicUsize::new(0);
static KEPT: AtomicUsize = AtomicUsize::new(0);
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// Threads that have called a kernel and live.
static USERS: AtomicUsize = AtomicUsize::new(0);

/// A thread that has called a kernel, until it ends.
struct User;

impl Drop for User {
    fn drop(&mut self) {
        USERS.fetch_sub(1, Ordering::Relaxed);
    }
}

thread_local! {
    static USER: User = {
        USERS.fetch_add(1, Ordering::Relaxed);
        User
    };

    /// Whether this is the thread that ends the interpreter, which needs its kernels until then.
    static ENDS: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// A thread in a kernel, until dropped.
pub(crate) struct Inside;

impl Inside {
    /// Enters a kernel, if that is still possible.
    #[inline]
    pub(crate) fn enter(py: Python<'_>) -> Inside {
        let inside = Inside::counted();
        if CLOSING.load(Ordering::Relaxed) && !ENDS.get() {
            py.detach(keep);
        }
        inside
    }

    /// [`Inside::enter`] on a thread that does not hold the interpreter's lock.
    #[inline]
    pub(crate) fn enter_detached() -> Inside {
        let inside = Inside::counted();
        if CLOSING.load(Ordering::Relaxed) && !ENDS.get() {
            keep();
        }
        inside
    }

    #[inline]
    fn counted() -> Inside {
        // A thread that ends has no variables of its own any more.
        let _ = USER.try_with(|_| ());
        INSIDE.fetch_add(1, Ordering::Relaxed);
        CALLS.fetch_add(1, Ordering::Relaxed);
        Inside
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How long a thread is kept while the interpreter does not end yet: what runs before its end may wait for the thread.
const PATIENCE: Duration = Duration::from_secs(1);

/// Keeps this thread, which does not hold the interpreter's lock; for ever, if the interpreter ends meanwhile.
#[cold]
fn keep() {
    KEPT.fetch_add(1, Ordering::Relaxed);
    let since = Instant::now();
    // SAFETY: may be asked at any time, with the lock or without.
    while since.elapsed() < PATIENCE || unsafe { ffi::Py_IsInitialized() } == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    KEPT.fetch_sub(1, Ordering::Relaxed);
}

/// Called when the interpreter is about to end: waits until threads that use kernels are kept in one, but not for long.
#[pyfunction]
fn _before_exit(py: Python<'_>) {
    ENDS.set(true);
    CLOSING.store(true, Ordering::Relaxed);
    // This thread is one of those that have called a kernel, at the latest now.
    let _ = USER.try_with(|_| ());
    let (since, mut quiet, mut calls) = (Instant::now(), 0, 0);
    // Threads that call no kernel any more are not waited for; one that does may just not have its turn.
    while KEPT.load(Ordering::Relaxed) + 1 < USERS.load(Ordering::Relaxed) && quiet < 100 && since.elapsed() < PATIENCE
    {
        py.detach(|| std::thread::sleep(Duration::from_millis(1)));
        let now = CALLS.load(Ordering::Relaxed);
        let still = now == calls && INSIDE.load(Ordering::Relaxed) == KEPT.load(Ordering::Relaxed);
        (quiet, calls) = if still { (quiet + 1, now) } else { (0, now) };
    }
}

/// Adds the function to the module.
pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_before_exit, m)?)
}
