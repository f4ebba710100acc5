//! Giving back what keeps foreign memory alive: from any thread, with or without the interpreter's lock, in any order.
//!
//! Memory goes back where its last user stops: in a destructor of PyTorch's that has let go of the lock, on a thread of a
//! pool, while the interpreter ends. So whoever gives a Python object back asks the interpreter itself whether the lock is
//! held. PyO3 counts only what went through PyO3, and others let go of the lock below it. Without the lock nothing is
//! waited for, as a waiting thread may hold what the lock's holder waits for: the object is put off, until the main thread
//! comes by or a call of ours does. Objects that keep others alive go one after another, not one inside the other: a chain
//! of any length needs no more stack than a short one.
//!
//! There is no lock in here, so that a forked child finds none held.

use pyo3::ffi;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// What is put off, the latest first.
static PUT_OFF: AtomicPtr<Node> = AtomicPtr::new(null_mut());

/// Whether the main thread has been asked to come by.
static ASKED: AtomicBool = AtomicBool::new(false);

/// How many owners may be given back one inside the other.
const DEEPEST: usize = 16;

thread_local! {
    /// How many are being given back on this thread.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

struct Node {
    next: *mut Node,
    work: Box<dyn FnOnce()>,
}

/// A reference to a Python object that may be dropped anywhere.
pub(crate) struct Held(NonNull<ffi::PyObject>);

// SAFETY: nothing is done with the object but to give it back, which may be done from any thread.
unsafe impl Send for Held {}
// SAFETY: as above.
unsafe impl Sync for Held {}

impl Held {
    pub(crate) fn new(object: &pyo3::Bound<'_, pyo3::PyAny>) -> Option<Held> {
        NonNull::new(object.clone().into_ptr()).map(Held)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let object = self.0;
        // SAFETY: the reference `new` took, given back once, with the lock held.
        with_lock(move || unsafe { ffi::Py_DECREF(object.as_ptr()) });
    }
}

/// Runs `work`, which gives something back that needs the interpreter's lock: now, if this thread holds it, else later.
pub(crate) fn with_lock(work: impl FnOnce() + 'static) {
    if !attached() {
        put_off(Box::new(work));
        ask();
    } else {
        nested(work);
    }
}

/// Runs `work`, which may give back a whole chain of owners, each the last user of the next.
pub(crate) fn nested(work: impl FnOnce() + 'static) {
    // A thread that ends has no count any more, and gives back what its own variables held.
    let depth = DEPTH.try_with(|depth| depth.replace(depth.get() + 1)).unwrap_or(0);
    if depth < DEEPEST {
        work();
    } else {
        put_off(Box::new(work));
    }
    let _ = DEPTH.try_with(|now| now.set(depth));
    if depth == 0 {
        catch_up();
    }
}

/// Runs what was put off, if this thread holds the lock.
#[inline]
pub(crate) fn catch_up() {
    if !PUT_OFF.load(Ordering::Relaxed).is_null() {
        run_all();
    }
}

#[cold]
fn run_all() {
    if !attached() {
        return ask();
    }
    // What gives back more meanwhile puts it off.
    let Ok(depth) = DEPTH.try_with(|depth| depth.replace(DEEPEST)) else { return };
    if depth < DEEPEST {
        loop {
            let mut list = PUT_OFF.swap(null_mut(), Ordering::Acquire);
            if list.is_null() {
                break;
            }
            while let Some(node) = NonNull::new(list) {
                // SAFETY: nodes come from boxes, and a list that was taken out is nobody else's.
                let Node { next, work } = *unsafe { Box::from_raw(node.as_ptr()) };
                work();
                list = next;
            }
        }
    }
    DEPTH.set(depth);
}

/// Adds to the list.
#[cold]
fn put_off(work: Box<dyn FnOnce()>) {
    let node = Box::into_raw(Box::new(Node { next: null_mut(), work }));
    let mut first = PUT_OFF.load(Ordering::Relaxed);
    loop {
        // SAFETY: the node is ours until it stands in the list.
        unsafe { (*node).next = first };
        match PUT_OFF.compare_exchange_weak(first, node, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => return,
            Err(other) => first = other,
        }
    }
}

/// Asks the main thread to come by as soon as it runs Python code.
#[cold]
fn ask() {
    extern "C" fn come_by(_: *mut c_void) -> c_int {
        ASKED.store(false, Ordering::Relaxed);
        catch_up();
        0
    }
    // SAFETY: always safe to call; what is put off after the interpreter has ended stays where it is.
    if unsafe { ffi::Py_IsInitialized() } != 0 && !ASKED.swap(true, Ordering::Relaxed) {
        // SAFETY: may be called from any thread, with or without the lock; the function lives as long as the process.
        if unsafe { ffi::Py_AddPendingCall(Some(come_by), null_mut()) } != 0 {
            ASKED.store(false, Ordering::Relaxed);
        }
    }
}

/// Whether this thread holds the interpreter's lock, by what the interpreter says.
#[cfg(unix)]
#[inline]
pub(crate) fn attached() -> bool {
    type Ask = unsafe extern "C" fn() -> *mut ffi::PyThreadState;
    static ASK: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
    let mut found = ASK.load(Ordering::Relaxed);
    if found.is_null() {
        // Under its old name everywhere, but not among the names that are promised to stay.
        let names = [c"PyThreadState_GetUnchecked", c"_PyThreadState_UncheckedGet"];
        // SAFETY: names that end in zero; everything loaded is looked through.
        let symbols = names.map(|name| unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) });
        let Some(symbol) = symbols.into_iter().find(|symbol| !symbol.is_null()) else { return false };
        ASK.store(symbol, Ordering::Relaxed);
        found = symbol;
    }
    // SAFETY: a function without arguments that gives the state of the thread that holds the lock, in newer versions that of
    // this thread if it holds it, or null. Both may be called at any time.
    unsafe {
        let current = std::mem::transmute::<*mut c_void, Ask>(found)();
        !current.is_null() && current == ffi::PyGILState_GetThisThreadState()
    }
}

/// Without a way to look the question up, PyO3's count has to do.
#[cfg(not(unix))]
pub(crate) fn attached() -> bool {
    pyo3::Python::try_attach(|_| ()).is_some()
}
