//! Running work without the interpreter's lock.

#![allow(unsafe_code)]

use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::prelude::*;

/// Bytes of operands below which giving the lock up and taking it again costs more than it frees.
const WORTH: usize = 64 * 1024;

/// Whether work of so many bytes is done without the lock.
pub(crate) fn detaches(bytes: usize) -> bool {
    bytes >= WORTH
}

/// Lets a closure that stays on this thread be called without the lock.
struct Here<F>(F);

// SAFETY: `Python::detach` calls its closure on the thread that called it, so nothing is sent anywhere. What the
// closure may not do is touch Python objects; those behind a tensor's memory are only ever dropped, which PyO3 puts off
// until the lock is held again.
unsafe impl<F> Send for Here<F> {}

impl<T, F: FnOnce() -> T> Here<F> {
    fn run(self) -> Here<T> {
        Here((self.0)())
    }
}

/// Runs `work` with the interpreter's lock given up, where it is enough work. It must not touch Python objects.
pub(crate) fn detached<T>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> T) -> T {
    if !detaches(bytes) {
        return work();
    }
    let here = Here(work);
    py.detach(move || here.run()).0
}

/// [`detached`], with large work divided among up to so many threads, where a call says so.
pub(crate) fn divided<T>(py: Python<'_>, threads: Option<usize>, bytes: usize, work: impl FnOnce() -> T) -> T {
    match threads {
        None => detached(py, bytes, work),
        Some(n) => detached(py, bytes, || takewise::threads::on_threads(n, work)),
    }
}

/// How many threads are in the middle of something that a child of this process would wait for in vain.
static STARTING: AtomicUsize = AtomicUsize::new(0);

/// Such a thread, until dropped.
pub(crate) struct Starting;

impl Starting {
    pub(crate) fn begin() -> Starting {
        STARTING.fetch_add(1, Ordering::Relaxed);
        Starting
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        STARTING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Lets threads in the middle of their first call get through what a forked child would wait for. They need the
/// interpreter's lock for it, and cannot begin while this thread has it.
#[pyfunction]
fn _before_fork(py: Python<'_>) {
    // Not for ever: a thread that was killed in there is not worth a hang.
    for _ in 0..20_000 {
        if STARTING.load(Ordering::Relaxed) == 0 {
            return;
        }
        py.detach(|| std::thread::sleep(std::time::Duration::from_micros(50)));
    }
}

/// Adds the function to the module.
pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_before_fork, m)?)
}
