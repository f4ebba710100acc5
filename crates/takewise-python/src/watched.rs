//! What a call gives and refuses while it is explained, noted on its thread.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};

use takewise::Tensor;

/// What was noted of a call.
#[derive(Default)]
pub(crate) struct Notes {
    /// Arrays it made, before they became another library's: that may copy them.
    pub(crate) given: Vec<Tensor>,
    /// Whether the engine or a library's table refused it, and not the way its arguments were passed.
    pub(crate) refused: bool,
}

/// Calls that are watched, on any thread: mostly none, and then no thread needs to look for its own.
static WATCHED: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static NOTES: RefCell<Option<Notes>> = const { RefCell::new(None) };
}

/// Whether any call is watched.
#[inline]
pub(crate) fn any() -> bool {
    WATCHED.load(Ordering::Relaxed) > 0
}

/// Notes an array that a call gives.
#[inline]
pub(crate) fn gives(tensor: &Tensor) {
    if any() {
        note(|notes| notes.given.push(tensor.clone().settled()));
    }
}

/// Notes that what a call asks for was refused.
#[inline]
pub(crate) fn refuses() {
    if any() {
        note(|notes| notes.refused = true);
    }
}

#[cold]
fn note(of: impl FnOnce(&mut Notes)) {
    NOTES.with_borrow_mut(|notes| notes.as_mut().map(of));
}

/// Makes a call, and returns what was noted of it. Calls may be watched within calls.
pub(crate) fn watch<R>(call: impl FnOnce() -> R) -> (R, Notes) {
    /// Puts back what was there, should the call unwind.
    struct Before(Option<Option<Notes>>);
    impl Drop for Before {
        fn drop(&mut self) {
            WATCHED.fetch_sub(1, Ordering::Relaxed);
            if let Some(before) = self.0.take() {
                NOTES.set(before);
            }
        }
    }
    WATCHED.fetch_add(1, Ordering::Relaxed);
    let mut before = Before(Some(NOTES.replace(Some(Notes::default()))));
    let result = call();
    let notes = NOTES.replace(before.0.take().flatten()).unwrap_or_default();
    (result, notes)
}
