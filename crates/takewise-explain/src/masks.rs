//! Masks: the places they select.

use takewise::strategy::{Location, Note};
use takewise::{AnyView, DType};

use crate::data::{Counted, MOST, Pointer};
use crate::history::{History, LEADING};
use crate::place;

/// The truth of an array's elements, if it may be a mask and is not too large.
pub(crate) fn truths(array: &AnyView<'_>) -> Option<Vec<bool>> {
    if array.dtype().size() != 1 || array.numel() > MOST {
        return None;
    }
    let truth = |at: takewise::Dims<usize>| Some(array.bytes_at(&at)?[0] != 0);
    takewise::layout::Coordinates::new(array.shape()).map(truth).collect()
}

/// The operands that select, as masks do.
pub(crate) fn all(history: &History) -> Vec<Counted> {
    let mut all: Vec<Counted> = Vec::new();
    for (k, note) in history.notes.iter().enumerate() {
        let mask: Option<(&Location, Option<(usize, &[usize])>)> = match note {
            Note::Plan(plan) if history.plans[*plan].plan.selects() => {
                history.plans[*plan].operands.first().map(|mask| (mask, None))
            }
            Note::Blend { mask, .. } => Some((mask, None)),
            Note::Nonzero { input, .. } if input.dtype == DType::Bool => Some((input, None)),
            Note::Count { mask, count, places } => Some((mask, Some((*count, places)))),
            _ => None,
        };
        let Some((mask, counted)) = mask else { continue };
        let Some(operand) = masked(history, mask, k) else { continue };
        if all.iter().any(|counted| counted.operand == operand) {
            continue;
        }
        let known = &history.operands[operand];
        if let Some(truths) = &known.truths {
            let places: Vec<usize> = truths.iter().enumerate().filter(|(_, truth)| **truth).map(|(at, _)| at).collect();
            all.push(Counted { operand, count: places.len(), places });
        } else if let Some((count, places)) = counted.filter(|_| known.location.is(mask)) {
            all.push(Counted { operand, count, places: places.to_vec() });
        }
    }
    all
}

/// The operand that a mask is, or is a view of.
fn masked(history: &History, mask: &Location, note: usize) -> Option<usize> {
    if mask.layout.numel() == 0 {
        return None;
    }
    let pointer = |at: usize| history.origin(place::address(mask, at), note, LEADING).pointers();
    match pointer(0)[..] {
        [Pointer { operand, .. }] if history.operands[operand].location.dtype.size() == 1 => Some(operand),
        _ => None,
    }
}
