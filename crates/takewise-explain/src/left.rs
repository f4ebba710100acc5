//! What rules leave out: values that are stored nowhere, index positions that read nothing.

use takewise::strategy::{Meeting, Note, Traced};

use crate::data::{Explanation, Kind, LeftOut, MOST, Pointer, Source, Why};
use crate::history::{History, VALUES, linear};
use crate::place;
use crate::provenance::Provenance;

/// Everything that is left out, in order.
pub(crate) fn out(history: &History, made: &Explanation) -> Vec<LeftOut> {
    let mut all = Vec::new();
    for (k, note) in history.notes.iter().enumerate() {
        match note {
            Note::Plan(plan) => planned(history, &history.plans[*plan], k, &mut all),
            Note::Blend { mask, from, chosen, .. } if made.kind == Kind::Read => {
                for (at, chosen) in chosen.iter().enumerate() {
                    let other = place::address(&from[usize::from(*chosen)], at);
                    if let Provenance::Element(pointer) = history.origin(other, k, VALUES) {
                        let by = history.leading([place::address(mask, at)].into_iter(), k);
                        push(&mut all, pointer, by, Why::NotSelected);
                    }
                }
            }
            _ => {}
        }
    }
    all.truncate(MOST);
    all
}

fn planned(history: &History, traced: &Traced, note: usize, all: &mut Vec<LeftOut>) {
    let Some(moves) = &traced.moves else { return };
    for moved in moves.iter().filter(|moved| moved.indexed.is_none()) {
        let by = traced.operands.iter().zip(&moved.by).map(|(location, by)| location.address.wrapping_add_signed(*by));
        let by = history.leading(by, note);
        let what = match traced.meeting {
            Meeting::Read => by.first().copied(),
            _ => one(history, traced.sides[1].wrapping_add_signed(moved.linear), note),
        };
        if let Some(pointer) = what {
            push(all, pointer, by, Why::Outside);
        }
    }
    if traced.meeting == Meeting::Last && traced.plan.selects() && moves.len() == traced.total {
        let values = linear(traced);
        if values.layout.strides().iter().all(|step| *step != 0) {
            for at in moves.len()..values.layout.numel().min(moves.len() + MOST) {
                if let Some(pointer) = one(history, place::address(&values, at), note) {
                    push(all, pointer, Vec::new(), Why::NotSelected);
                }
            }
        }
    }
}

/// The one operand's element at an address.
fn one(history: &History, address: usize, note: usize) -> Option<Pointer> {
    match &history.origin(address, note, VALUES).pointers()[..] {
        [only] => Some(*only),
        _ => None,
    }
}

fn push(all: &mut Vec<LeftOut>, at: Pointer, by: Vec<Pointer>, why: Why) {
    let source = Source { operand: Some(at.operand), at: at.at, by, ..Source::default() };
    let left = LeftOut { source, why };
    if all.len() < MOST && !all.contains(&left) {
        all.push(left);
    }
}
