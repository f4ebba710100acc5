//! Errors as facts: which element of which operand is bad.

use takewise::strategy::Note;
use takewise::{Error, Fault};

use crate::data::{Failure, Pointer};
use crate::history::{History, LEADING};
use crate::place;

/// What is known of an error.
pub(crate) fn facts(history: &History, error: &Error) -> Failure {
    let mut failure = Failure { message: error.to_string(), ..Failure::default() };
    match error.fault() {
        Fault::OutOfRange(facts) | Fault::IntOutOfRange(facts) => {
            failure.value = Some(facts.value.to_string());
            failure.axis = Some(facts.axis);
            failure.size = Some(facts.len);
            failure.count = Some(facts.bad);
            let bad = bad(history);
            if let Some(first) = bad.first().copied() {
                failure.operand = Some(first.operand);
                failure.at = Some(first.at);
                failure.bad = bad.iter().filter(|p| p.operand == first.operand).map(|p| p.at).collect();
            }
        }
        Fault::Duplicate { position, first, .. } => {
            let index = history.plans.last().and_then(|traced| traced.operands.first());
            if let Some(index) = index.filter(|index| index.layout.rank() == position.len()) {
                let there = |at: &[usize]| index.address.wrapping_add_signed(index.layout.offset(at));
                let pointers = history.leading([there(position), there(first)].into_iter(), history.notes.len());
                failure.operand = pointers.first().map(|p| p.operand);
                failure.at = pointers.first().map(|p| p.at);
                failure.bad = pointers.iter().map(|p| p.at).collect();
            }
        }
        Fault::Dim { dim, rank, .. } => {
            failure.value = Some(dim.to_string());
            failure.size = Some(*rank);
        }
        _ => {}
    }
    failure
}

/// The operands' elements that are out of range, in order.
fn bad(history: &History) -> Vec<Pointer> {
    let noted = history.notes.iter().rev().find_map(|note| match note {
        Note::Bad { index, at } => Some((index, at)),
        _ => None,
    });
    let Some((index, bad)) = noted else { return Vec::new() };
    let mut all = Vec::new();
    for address in bad.iter().map(|by| index.address.wrapping_add_signed(*by)) {
        let pointers = history.origin(address, history.notes.len(), LEADING).pointers();
        all.extend(pointers.into_iter().filter(|p| place_of(history, *p)));
    }
    all.dedup();
    all
}

/// Whether an operand has such an element.
fn place_of(history: &History, pointer: Pointer) -> bool {
    let lain = &history.operands[pointer.operand].lain;
    pointer.at < lain.layout.numel() && place::at(lain, place::address(lain, pointer.at)).is_some()
}
