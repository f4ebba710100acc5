//! What an accumulation that needs all contributions of a place together is asked to do, and with how much memory.

use crate::dtype::DType;
use crate::exec::call::{Call, Group};
use crate::exec::costs::{SCRATCH, at_a_time, costs};
use crate::exec::strategy::Strategy;
use crate::index::rules::Width;
use crate::kernel::reduce::Reduce;
use crate::layout::Layout;
use crate::plan::Plan;
use crate::view::AnyView;

/// Whether a plain in-order pass would not do: means need the count, with `include_self = false` places start from the
/// identity, and halves summed in f32 are rounded once, at the end. A mask selects a place once, and needs no more.
pub(crate) fn needed(plan: &Plan, dtype: DType, how: Reduce, include_self: bool) -> bool {
    let half = matches!(dtype, DType::F16 | DType::BF16);
    let rounds = matches!(how, Reduce::Sum | Reduce::Prod);
    let once = plan.select.is_some() && how != Reduce::Mean && include_self;
    !once && (how == Reduce::Mean || !include_self || (half && rounds && plan.rules.accumulate == Width::Wide))
}

/// Offsets of the destination from one to another, and how many index positions land between them.
#[derive(Clone, Copy)]
pub(crate) struct Landing {
    pub low: isize,
    pub high: isize,
    pub moved: usize,
}

/// An accumulation that needs all contributions of a place together.
#[derive(Clone, Copy)]
pub(crate) struct Job<'p> {
    pub call: Call<'p>,
    pub group: Group<'p>,
    /// Bytes that it may take at a time.
    pub most: usize,
    /// Where places are asked for, if not everywhere.
    pub window: Option<Landing>,
    /// For means whose sums are in their places already: what contributions are counted in.
    pub summed: Option<DType>,
    /// Whether counters may be used: not where sorting is asked for by name.
    pub counters: bool,
}

impl<'p> Job<'p> {
    /// That of a call, if it needs to be one.
    pub(crate) fn of(call: &Call<'p>) -> Option<Job<'p>> {
        let (group, most) = (call.group?, most(call.plan, call.views));
        let counters = costs().forced.is_none_or(|forced| forced.strategy != Strategy::Sorted);
        Some(Job { call: *call, group, most, window: None, summed: None, counters })
    }

    /// Index positions that count.
    pub(crate) fn moved(&self) -> usize {
        self.window.map_or_else(|| self.call.plan.positions(), |w| w.moved)
    }

    /// The same for the places of a window.
    pub(crate) fn within(&self, window: Landing) -> Self {
        Job { window: Some(window), ..*self }
    }
}

/// The part of the bytes of destination and indices that a call may take as well, where that is more than [`SCRATCH`].
const SHARE: usize = 4;

/// Bytes that a plan with such index arrays may take at a time: in proportion to them and to the destination where these are
/// large, so that the number of windows does not grow with them.
fn most(plan: &Plan, views: &[AnyView]) -> usize {
    let bytes = |layout: &Layout, size: usize| {
        let (low, high) = layout.reach();
        layout.numel().saturating_mul(size).min(high.abs_diff(low) + size)
    };
    let to = bytes(&plan.indexed_layout, plan.size);
    let all = views.iter().map(|v| bytes(v.layout(), v.dtype().size())).fold(to, usize::saturating_add);
    (all / at_a_time(SHARE, usize::MAX)).max(at_a_time(SCRATCH, 1 << 12))
}
