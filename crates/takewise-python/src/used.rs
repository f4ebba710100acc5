//! Which files a call has used, so that none of them lost something meanwhile without anybody saying so.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use takewise_files::FileArray;

/// Whether this process has opened a file.
static ANY: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The files that arrays of the call in progress lie in.
    static USED: RefCell<Vec<Weak<FileArray>>> = const { RefCell::new(Vec::new()) };
}

/// Says that this process opens files.
pub(crate) fn begin() {
    ANY.store(true, Ordering::Relaxed);
}

/// Whether it does.
#[inline]
pub(crate) fn any() -> bool {
    ANY.load(Ordering::Relaxed)
}

/// Notes that a call uses a file.
pub(crate) fn note(array: &Arc<FileArray>) {
    USED.with_borrow_mut(|used| {
        used.retain(|known| known.strong_count() > 0 && !std::ptr::eq(known.as_ptr(), Arc::as_ptr(array)));
        used.push(Arc::downgrade(array));
    });
}

/// The files that the call has used, which is over.
pub(crate) fn take() -> Vec<Arc<FileArray>> {
    USED.with_borrow_mut(|used| used.drain(..).filter_map(|file| file.upgrade()).collect())
}

/// Forgets what a call that failed has used.
pub(crate) fn forget() {
    if any() {
        drop(take());
    }
}
