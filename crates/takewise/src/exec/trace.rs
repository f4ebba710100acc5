//! Watching which plans a call runs: what `takewise explain` prints and what the plan snapshots freeze.

use super::call::{Call, Leaf, Stage};
use super::choose::{Choice, Forms, choose};
use super::moves::{Meeting, Moved, moves};
use super::strategy::Strategy;
use crate::guard::AtEnd;
use crate::kernel::reduce::Reduce;
use crate::notes::{self, Location, MOST, Note};
use crate::plan::Plan;
use crate::values::number::element_scalar;
use crate::view::AnyView;
use std::cell::RefCell;
use std::fmt;

pub(super) use crate::notes::watched;

/// Moves of all plans of a watch together that are listed at most.
const ALL: usize = 16 * MOST;

/// A plan that was run, in which direction, and how.
///
/// ```
/// use takewise::{Rules, ops, strategy::trace};
/// let (_, plans) = trace(true, || ops::take(&[1, 2, 3], &[2usize, 0], &Rules::NEUTRAL));
/// assert!(plans[0].to_string().contains("strategy: small call"));
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
    /// Its first element moves, in order: all [`total`](Self::total), or [`MOST`]. `None` where it fails at a bad index value.
    pub moves: Option<Vec<Moved>>,
    /// How many moves it has; of a mask that was not counted before, at most.
    pub total: usize,
    /// Where the first elements of the indexed and of the other array lie: by that it is known which arrays they are.
    pub sides: [usize; 2],
    /// The index arrays, or the mask.
    pub operands: Vec<Location>,
    /// What a read gives where its index names nothing: the bytes of one element.
    pub fill: Option<Vec<u8>>,
    /// In how many requests the bytes of a mapped file are asked for, where they are.
    pub requests: Option<usize>,
}

/// What was seen of calls: see [`watch`].
///
/// ```
/// use takewise::{Rules, ops, strategy::watch};
/// let (_, watched) = watch(true, || ops::take(&[1u8, 2, 3], &[2usize, 0], &Rules::NEUTRAL));
/// assert_eq!(watched.plans.len(), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// What happened, in order.
    pub notes: Vec<Note>,
    /// The plans, in order.
    pub plans: Vec<Traced>,
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

#[derive(Default)]
struct Trace {
    seen: Vec<Traced>,
    /// Moves listed so far.
    listed: usize,
}

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
    let (result, watched) = watch(dry, f);
    (result, watched.plans)
}

/// [`trace`], with everything else that calls do to elements. Elements are listed before anything is written, at most [`MOST`]
/// of each plan.
///
/// With `dry` only what the rest of a call needs is done, in memory of its own: index arrays are converted, sequences
/// searched, masks counted.
///
/// ```
/// use takewise::{Rules, ops, strategy::{Note, watch}};
/// let mut x = [1i64, 2, 3];
/// let (done, watched) = watch(false, || ops::put_(&mut (&mut x).into(), &[2usize, 0], &[7i64, 8], false, &Rules::NEUTRAL));
/// done?;
/// assert!(matches!(watched.notes[..], [Note::Plan(0)]));
/// assert_eq!((watched.plans[0].total, x), (2, [8, 2, 7]));
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn watch<R>(dry: bool, f: impl FnOnce() -> R) -> (R, Watched) {
    let trace = RefCell::new(Some(Trace::default()));
    let swap = || TRACE.with(|current| current.swap(&trace));
    swap();
    let back = AtEnd(swap);
    let (result, notes) = notes::during(dry, f);
    drop(back);
    let plans = trace.into_inner().map_or(Vec::new(), |t| t.seen);
    (result, Watched { notes, plans })
}

/// Notes a call and its strategy; `true` if it must not run.
#[inline]
pub(super) fn note(verb: &'static str, call: &Call, choice: &Choice) -> bool {
    watched() && noted(verb, call, choice)
}

#[cold]
fn noted(verb: &'static str, call: &Call, choice: &Choice) -> bool {
    let Some(dry) = notes::here() else { return false };
    let dry = dry && choice.strategy != Strategy::Nothing;
    let (mut steps, mut forms) = (vec![choice.strategy], Forms::NONE);
    // What runs inside a copy would be noted when it runs.
    if let (true, Strategy::ShadowCopy) = (dry, choice.strategy)
        && let Ok(inner) = choose(&Call { stage: Stage::Inner, ..*call }, &mut forms)
    {
        steps.push(inner.strategy);
    }
    let left = TRACE.with_borrow(|trace| trace.as_ref().map_or(0, |t| ALL.saturating_sub(t.listed)));
    let listed = moves(call, left.min(MOST));
    let traced = Traced {
        verb,
        plan: call.plan.clone(),
        steps,
        promise: call.promised(choice.strategy, choice.short),
        meeting: Meeting::of(call),
        total: listed.as_ref().map_or(0, |listed| listed.total),
        moves: listed.map(|listed| listed.list),
        sides: [call.sides.indexed.addr(), call.sides.linear.addr()],
        operands: call.views.iter().map(Location::of).collect(),
        fill: match call.leaf {
            Leaf::Read { fill, .. } if !fill.is_empty() => fill.get(..call.plan.size).map(<[u8]>::to_vec),
            _ => None,
        },
        requests: choice.far.and_then(|reach| reach.requests(call)),
    };
    TRACE.with_borrow_mut(|trace| {
        if let Some(trace) = trace {
            trace.listed += traced.moves.as_ref().map_or(0, Vec::len);
            notes::note(|| Note::Plan(trace.seen.len()));
            trace.seen.push(traced);
        }
    });
    dry
}

/// Notes what elements are multiplied or divided by, of a call that is to move something.
#[inline]
pub(super) fn note_factors(values: &AnyView, how: Reduce) {
    if matches!(how, Reduce::Prod | Reduce::Div) && watched() && notes::here() == Some(false) {
        let numbers = notes::elements(values).iter().map(|bytes| element_scalar(bytes, values.dtype())).collect();
        notes::note(|| Note::Factors { of: Location::of(values), values: numbers });
    }
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
