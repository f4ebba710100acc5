//! The element moves of a call, listed from its plan and its resolved offsets: what an explanation is made of. Nothing moves.

use super::call::{Call, Leaf, Outcome};
use super::divide::whole;
use super::lanes::lanes;
use super::mask::Cursor;
use super::resolve::{self, LongBlock};
use crate::error::Result;
use crate::kernel::reduce::Reduce;

/// Moves that are listed at most; a call of more has no list.
const MOST: usize = 4096;

/// One element of a call: where it lies in the array that is indexed, and in the other (the result of a read, the values of a
/// write), each in bytes from that array's first element.
///
/// ```
/// use takewise::{Rules, ops, strategy};
/// let (_, plans) = strategy::trace(true, || ops::take(&[1u8, 2, 3], &[2usize, 0], &Rules::NEUTRAL));
/// let moved: Vec<_> = plans[0].moves.iter().flatten().map(|m| (m.indexed, m.linear)).collect();
/// assert_eq!(moved, [(Some(2), 0), (Some(0), 1)]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moved {
    /// In the indexed array; `None` where the rules leave the position out (a read then takes the fill value).
    pub indexed: Option<isize>,
    /// In the other.
    pub linear: isize,
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

/// The moves of a call, in the order of its positions; `None` if there are too many to list.
///
/// Errors: the call's own, at a bad index value.
pub(super) fn moves(call: &Call) -> Result<Option<Vec<Moved>>> {
    let plan = call.plan;
    let each = plan.size.max(1);
    let total = plan.positions().saturating_mul(plan.lanes()).saturating_mul(plan.chunk / each);
    if total > MOST {
        return Ok(None);
    }
    let (part, count) = (whole(plan, call.operands), plan.positions());
    let mut block = LongBlock::borrow(count);
    if let (Some(select), Some(mask)) = (&plan.select, part.operands.first()) {
        // SAFETY: the mask is the plan's (L1).
        let mut cursor = unsafe { Cursor::new(select, mask.ptr, part.mask.0, part.mask.1) };
        let mut places = Vec::new();
        block.indexed.clear();
        while block.indexed.len() < count {
            cursor.fill(plan.offset, count - block.indexed.len(), &mut places);
            // A fill does not count beforehand how many places its mask selects.
            if places.is_empty() && select.counted {
                return Outcome::Changed.told(plan, call.views).map(|()| None);
            }
            if places.is_empty() {
                break;
            }
            block.indexed.extend_from_slice(&places);
        }
    // SAFETY: the operands are the plan's.
    } else if !unsafe { resolve::resolve(plan, &part.operands, 0, count, &mut block) } {
        return Outcome::BadIndex.told(plan, call.views).map(|()| None);
    }
    match resolve::even_linear(plan) {
        Some(step) => {
            block.linear.clear();
            block.linear.extend((0..count as isize).map(|k| k * step));
        }
        None => resolve::linear_offsets(plan, 0, count, &mut block),
    }
    let mut moves = Vec::with_capacity(total);
    lanes(&plan.free, |lane_linear, lane_indexed| {
        for (&indexed, &linear) in block.indexed.iter().zip(&block.linear) {
            for within in (0..plan.chunk as isize).step_by(each) {
                let indexed = (indexed != resolve::SKIP).then_some(indexed.wrapping_add(lane_indexed + within));
                moves.push(Moved { indexed, linear: linear + lane_linear + within });
            }
        }
    });
    Ok(Some(moves))
}
