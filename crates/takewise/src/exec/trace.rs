//! Watching which plans a call runs: what `takewise explain` prints and what the plan snapshots freeze.

use super::call::{Call, Level};
use super::choose::{Choice, Forms, choose};
use super::moves::{Meeting, Moved, moves};
use super::strategy::Strategy;
use crate::error::Result;
use crate::plan::Plan;
use std::cell::RefCell;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A plan that was run, in which direction, and how.
///
/// ```
/// use takewise::{Rules, ops, strategy::trace};
/// let (_, plans) = trace(true, || ops::take(&[1, 2, 3], &[2usize, 0], &Rules::NEUTRAL));
/// assert!(plans[0].to_string().contains("strategy: few"));
/// ```
#[derive(Clone, Debug)]
pub struct Traced {
    /// `"read"`, `"write"` or `"accumulate"`.
    pub verb: &'static str,
    /// The plan.
    pub plan: Plan,
    /// How it was run: first what was chosen for the call, then what that ran inside.
    pub steps: Vec<Strategy>,
    /// How "all or nothing" was kept.
    pub promise: &'static str,
    /// What becomes of several values for one place.
    pub meeting: Meeting,
    /// Its element moves, in order, if it was run dry and has at most 4096.
    pub moves: Option<Vec<Moved>>,
    /// Where the first elements of the indexed and of the other array lie: by that it is known which arrays they are.
    pub sides: [usize; 2],
}

impl fmt::Display for Traced {
    /// The plan, the strategies with the reason of each, and how the promise was kept.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.plan)?;
        for (depth, strategy) in self.steps.iter().enumerate() {
            let word = if depth == 0 { "strategy" } else { "within it" };
            writeln!(f, "  {word}: {strategy} ({})", strategy.reason())?;
        }
        writeln!(f, "  all or nothing: {}", self.promise)
    }
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
/// but move nothing: results have their shape and hold zeros. Index values are looked at, and fail as they would.
///
/// ```
/// use takewise::{Rules, View, ops, strategy};
/// let x = [1f32, 2., 3.];
/// let i = [2i64, 0];
/// let (_, plans) = strategy::trace(true, || ops::take(&View::from(&x[..]), &View::from(&i[..]), &Rules::NEUTRAL));
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

/// Notes a call and its strategy; `true` if it must not run.
///
/// Errors: the call's own at a bad index value, where it must not run.
#[inline]
pub(super) fn note(verb: &'static str, call: &Call, choice: &Choice) -> Result<bool> {
    if watched() { noted(verb, call, choice) } else { Ok(false) }
}

#[cold]
fn noted(verb: &'static str, call: &Call, choice: &Choice) -> Result<bool> {
    let wanted = TRACE.with_borrow(|trace| trace.as_ref().map(|t| t.dry));
    let Some(dry) = wanted else { return Ok(false) };
    let dry = dry && choice.strategy != Strategy::Nothing;
    let moves = if dry { moves(call)? } else { None };
    let (mut steps, mut forms) = (vec![choice.strategy], Forms::NONE);
    // What runs inside a copy would be noted when it runs.
    if let (true, Strategy::ShadowCopy) = (dry, choice.strategy)
        && let Ok(inner) = choose(&Call { level: Level::Inner, ..*call }, &mut forms)
    {
        steps.push(inner.strategy);
    }
    let sides = [call.sides.indexed.addr(), call.sides.linear.addr()];
    let promise = call.promised(choice.strategy, choice.short);
    let traced = Traced { verb, plan: call.plan.clone(), steps, promise, meeting: Meeting::of(call), moves, sides };
    TRACE.with_borrow_mut(|trace| {
        if let Some(trace) = trace {
            trace.seen.push(traced);
        }
    });
    Ok(dry)
}

/// Notes a strategy that another one runs inside.
#[inline]
pub(super) fn note_inner(choice: &Choice) {
    if watched() {
        noted_inner(choice.strategy);
    }
}

#[cold]
fn noted_inner(strategy: Strategy) {
    TRACE.with_borrow_mut(|trace| {
        if let Some(last) = trace.as_mut().and_then(|t| t.seen.last_mut()) {
            last.steps.push(strategy);
        }
    });
}
