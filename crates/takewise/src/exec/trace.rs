//! Watching which plans a call runs: what `takewise explain` prints and what the plan snapshots freeze.

use crate::plan::Plan;
use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A plan that was run, and in which direction.
#[derive(Clone, Debug)]
pub struct Traced {
    /// `"read"`, `"write"` or `"accumulate"`.
    pub verb: &'static str,
    /// The plan.
    pub plan: Plan,
}

struct Trace {
    dry: bool,
    seen: Vec<Traced>,
}

/// Traces in progress, on any thread: mostly none, and then no thread needs to look for its own.
static TRACES: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static TRACE: RefCell<Option<Trace>> = const { RefCell::new(None) };
}

/// Runs `f` and lists the plans it ran on this thread, in order. With `dry`, plans are built, proved and listed
/// but move nothing: results have their shape and hold zeros.
///
/// ```
/// use takewise::{exec, ops, Rules, View};
/// let x = [1f32, 2., 3.];
/// let i = [2i64, 0];
/// let (_, plans) = exec::trace(true, || ops::take(&View::from(&x[..]), &View::from(&i[..]), &Rules::NEUTRAL));
/// assert_eq!((plans[0].verb, plans[0].plan.bytes()), ("read", 8));
/// ```
pub fn trace<R>(dry: bool, f: impl FnOnce() -> R) -> (R, Vec<Traced>) {
    struct Restore(Option<Option<Trace>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            TRACES.fetch_sub(1, Ordering::Relaxed);
            if let Some(before) = self.0.take() {
                TRACE.set(before);
            }
        }
    }
    TRACES.fetch_add(1, Ordering::Relaxed);
    let mut restore = Restore(Some(TRACE.replace(Some(Trace { dry, seen: Vec::new() }))));
    let result = f();
    let seen = TRACE.replace(restore.0.take().flatten()).map_or(Vec::new(), |t| t.seen);
    (result, seen)
}

/// Whether somebody wants to know of plans.
#[inline]
pub(super) fn watched() -> bool {
    TRACES.load(Ordering::Relaxed) > 0
}

/// Notes a plan; `true` if it must not run.
#[inline]
pub(super) fn note(verb: &'static str, plan: &Plan) -> bool {
    watched() && noted(verb, plan)
}

#[cold]
fn noted(verb: &'static str, plan: &Plan) -> bool {
    TRACE.with_borrow_mut(|trace| match trace {
        None => false,
        Some(t) => {
            t.seen.push(Traced { verb, plan: plan.clone() });
            t.dry
        }
    })
}
