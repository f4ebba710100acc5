//! Errors as facts: which element of which operand is bad.

use std::collections::HashMap;

use takewise::strategy::{Moved, Note};
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
        Fault::Duplicate { .. } => {
            if let Some([first, again]) = met(history) {
                failure.operand = Some(again.operand);
                failure.at = Some(again.at);
                failure.bad = vec![first.at, again.at];
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

/// The first two elements of an index that name one place, if they are among those that are listed.
fn met(history: &History) -> Option<[Pointer; 2]> {
    let traced = history.plans.last()?;
    let mut seen = HashMap::new();
    for moved in traced.moves.iter().flatten() {
        let Some(before) = moved.indexed.and_then(|place| seen.insert(place, moved)) else { continue };
        let led = |moved: &Moved| {
            let by =
                traced.operands.iter().zip(&moved.by).map(|(location, by)| location.address.wrapping_add_signed(*by));
            history.leading(by, history.notes.len())
        };
        // Of several index arrays one that says something else by then.
        return led(before).into_iter().zip(led(moved)).find(|(a, b)| a != b).map(|(a, b)| [a, b]);
    }
    None
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
    let location = &history.operands[pointer.operand].location;
    pointer.at < location.layout.numel() && place::at(location, place::address(location, pointer.at)).is_some()
}
