//! The element moves of a call, listed from its plan and its resolved offsets: what an explanation is made of. Nothing moves.

use super::call::{Call, Leaf};
use super::resolve::{self, LongBlock};
use crate::dims::{Dims, advance};
use crate::kernel::reduce::Reduce;
use crate::plan::Plan;
use smallvec::{SmallVec, smallvec};

/// One element of a call: where it lies in the array that is indexed, and in the other (the result of a read, the values of a
/// write), each in bytes from that array's first element; and the index elements that led there.
///
/// ```
/// use takewise::{Rules, ops, strategy};
/// let (_, plans) = strategy::trace(true, || ops::take(&[1u8, 2, 3], &[2usize, 0], &Rules::NEUTRAL));
/// let moved: Vec<_> = plans[0].moves.iter().flatten().map(|m| (m.indexed, m.linear, m.by[0])).collect();
/// assert_eq!(moved, [(Some(2), 0, 0), (Some(0), 1, 8)]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moved {
    /// In the indexed array; `None` where the rules leave the position out (a read then takes the fill value).
    pub indexed: Option<isize>,
    /// In the other.
    pub linear: isize,
    /// In each index array of the plan, or in its mask.
    pub by: SmallVec<[isize; 2]>,
}

/// What becomes of several values for one place.
///
/// ```
/// use takewise::{Rules, View, ViewMut, ops, strategy};
/// let mut to = [0f32; 3];
/// let (_, plans) = strategy::trace(true, || {
///     ops::scatter_add_(&mut (&mut to).into(), 0, &[1usize, 1], &[5f32, 6.0], &Rules::NEUTRAL)
/// });
/// assert_eq!(plans[0].meeting, strategy::Meeting::Combined(takewise::Reduce::Sum));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Meeting {
    /// Nothing is written: a read.
    Read,
    /// The last one stays.
    Last,
    /// The first one stays.
    First,
    /// They are combined, in order, with what is there.
    Combined(Reduce),
    /// They are combined, in order, without what is there.
    Afresh(Reduce),
}

impl Meeting {
    pub(super) fn of(call: &Call) -> Meeting {
        match (call.leaf, call.group) {
            (_, Some(group)) if !group.include_self => Meeting::Afresh(group.how),
            (Leaf::Check | Leaf::Read { .. }, _) => Meeting::Read,
            (Leaf::Write { reversed }, _) => {
                if reversed {
                    Meeting::First
                } else {
                    Meeting::Last
                }
            }
            (Leaf::Combine { how, .. } | Leaf::Widen { how, .. } | Leaf::Through { how, .. }, _) => {
                Meeting::Combined(how)
            }
        }
    }
}

/// The first moves of a call, in the order of its positions.
pub(super) struct Listed {
    pub list: Vec<Moved>,
    /// How many the call has; of a mask that nobody has counted, at most.
    pub total: usize,
}

/// At most `most` moves of a call; `None` at a bad index value, which the call itself will tell of. Cost and memory go by
/// `most`, but for masks, of which it is looked for as many places.
pub(super) fn moves(call: &Call, most: usize) -> Option<Listed> {
    let plan = call.plan;
    let (each, positions) = (plan.size.max(1), plan.positions());
    let elements = plan.chunk / each;
    let mut total = positions.saturating_mul(plan.lanes()).saturating_mul(elements);
    let count = positions.min(most);
    let mut block = LongBlock::borrow(count);
    let mut by = Vec::with_capacity(count);
    if let Some(select) = &plan.select {
        let mask = call.operands.first()?;
        block.indexed.clear();
        let mut at: Dims<usize> = smallvec![0; select.dims.len()];
        let (mut indexed, mut here, mut more) = (plan.offset, 0, !select.dims.iter().any(|d| d.extent == 0));
        while more && by.len() < count {
            // SAFETY: L1: coordinates of the mask's dimensions, which the plan has proved to lie in it.
            if unsafe { mask.ptr.offset(here).read() } != 0 {
                block.indexed.push(indexed);
                by.push(smallvec![here]);
            }
            more = advance(
                &mut at,
                1,
                |d| select.dims[d].extent,
                |d, n| {
                    here += n * select.dims[d].mask;
                    indexed += n * select.dims[d].indexed;
                },
            );
        }
        if !more && !select.counted {
            total = by.len().saturating_mul(plan.lanes()).saturating_mul(elements);
        }
    } else {
        // SAFETY: the operands are the plan's.
        if !unsafe { resolve::resolve(plan, call.operands, 0, count, &mut block) } {
            return None;
        }
        let (mut at, mut here): (Dims<usize>, SmallVec<[isize; 2]>) =
            (smallvec![0; plan.index.len()], smallvec![0; call.operands.len()]);
        for _ in 0..count {
            by.push(here.clone());
            let moved = |d: usize, n: isize| {
                here.iter_mut().zip(&plan.index[d].operands).for_each(|(at, step)| *at += n * step);
            };
            advance(&mut at, 1, |d| plan.index[d].extent, moved);
        }
    }
    let count = by.len();
    match resolve::even_linear(plan) {
        Some(step) => {
            block.linear.clear();
            block.linear.extend((0..count as isize).map(|k| k * step));
        }
        None => resolve::linear_offsets(plan, 0, count, &mut block),
    }
    let mut list = Vec::with_capacity(total.min(most));
    first_lanes(plan, |lane_linear, lane_indexed| {
        for ((&indexed, &linear), by) in block.indexed.iter().zip(&block.linear).zip(&by) {
            for within in (0..plan.chunk as isize).step_by(each) {
                if list.len() == most {
                    return false;
                }
                let indexed = (indexed != resolve::SKIP).then_some(indexed.wrapping_add(lane_indexed + within));
                list.push(Moved { indexed, linear: linear + lane_linear + within, by: by.clone() });
            }
        }
        !by.is_empty()
    });
    Some(Listed { list, total })
}

/// Calls `lane(linear offset, indexed offset)` for the lanes of the free loops in order, as long as it says `true`.
fn first_lanes(plan: &Plan, mut lane: impl FnMut(isize, isize) -> bool) {
    if plan.lanes() == 0 {
        return;
    }
    let mut at: Dims<usize> = smallvec![0; plan.free.len()];
    let (mut linear, mut indexed, mut more) = (0, 0, true);
    while more && lane(linear, indexed) {
        let moved = |d: usize, n: isize| {
            linear += n * plan.free[d].linear;
            indexed += n * plan.free[d].indexed;
        };
        more = advance(&mut at, 1, |d| plan.free[d].extent, moved);
    }
}
