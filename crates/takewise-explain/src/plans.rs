//! The plans that ran, the bytes they move, and what kind of call they make.

use takewise::Layout;
use takewise::strategy::{Location, Meeting, Note, Traced};

use crate::data::{Bytes, Kind, Named, Planned};
use crate::history::History;
use crate::outcome::Found;

/// What kind of call it is.
pub(crate) fn kind(history: &History, found: &[Found]) -> Kind {
    if let Some(first) = found.first() {
        return first.kind;
    }
    let verb = |note: &Note| match note {
        Note::Plan(k) if history.plans[*k].meeting == Meeting::Read => Some(Kind::Read),
        Note::Plan(_) => Some(Kind::Write),
        Note::Search { .. } => Some(Kind::Search),
        Note::Sort { .. } => Some(Kind::Sort),
        Note::Blend { .. } => Some(Kind::Read),
        Note::Nonzero { .. } | Note::Count { .. } => Some(Kind::Count),
        _ => None,
    };
    history.notes.iter().rev().find_map(verb).unwrap_or(Kind::Value)
}

/// Everything that ran, in order.
pub(crate) fn all(history: &History) -> Vec<Planned> {
    history.notes.iter().filter_map(|note| one(history, note)).collect()
}

fn one(history: &History, note: &Note) -> Option<Planned> {
    Some(match note {
        Note::Plan(k) => traced(&history.plans[*k]),
        Note::Search { sequence, sorter, values, to, .. } => {
            let values = values.as_ref().map_or(0, size);
            let sorter = sorter.as_ref().map_or(0, size);
            let text = format!("search {} in {}", shape(to), shape(sequence));
            // Of the sequence no more is read than is compared.
            plain("search", text, values + (sorter + size(sequence)).min(sequence_reads(to, sequence)), size(to))
        }
        Note::Sort { input, positions, values, axis, .. } => {
            let written = size(positions) + values.as_ref().map_or(0, size);
            plain("sort", format!("sort {} along axis {axis}", shape(input)), size(input), written)
        }
        Note::Found { input, axis, to, .. } => {
            plain("read", format!("find one of each lane of {} along axis {axis}", shape(input)), size(input), size(to))
        }
        Note::Nonzero { input, to, .. } => {
            let text = format!("nonzero {}", shape(input));
            plain("count", text, size(input), to.iter().map(size).sum())
        }
        Note::Count { mask, .. } => plain("count", format!("count {}", shape(mask)), size(mask), 0),
        Note::Blend { mask, from, to, .. } => {
            let text = format!("where {}", shape(to));
            plain("read", text, size(mask) + size(to).min(from.iter().map(size).sum()), size(to))
        }
        Note::Each { from, to, .. } => plain(
            "convert",
            format!("{} to {} {}", from.dtype.name(), to.dtype.name(), shape(to)),
            size(from),
            size(to),
        ),
        Note::Compare { of, to } => {
            plain("compare", format!("compare {}", shape(to)), of.iter().map(size).sum(), size(to))
        }
        _ => return None,
    })
}

/// What halving reads of a sequence: an element for each comparison.
fn sequence_reads(to: &Location, sequence: &Location) -> usize {
    let length = sequence.layout.shape().iter().copied().max().unwrap_or(0);
    let steps = usize::BITS - length.leading_zeros();
    to.layout.numel().saturating_mul(steps as usize).saturating_mul(sequence.dtype.size())
}

fn plain(verb: &str, text: String, read: usize, written: usize) -> Planned {
    let (strategies, promise) = (Vec::new(), String::new());
    Planned { verb: verb.to_owned(), text, strategies, promise, read, written }
}

fn traced(traced: &Traced) -> Planned {
    let bytes = traced.plan.bytes();
    let indices: usize = traced.operands.iter().map(size).sum();
    let (read, written) = match traced.meeting {
        Meeting::Read => (bytes + indices, bytes),
        Meeting::Combined(_) => (bytes.min(of(traced.plan.linear_layout(), traced)) + bytes + indices, bytes),
        _ => (bytes.min(of(traced.plan.linear_layout(), traced)) + indices, bytes),
    };
    let strategies =
        traced.steps.iter().map(|s| Named { name: s.to_string(), reason: s.reason().to_owned() }).collect();
    Planned {
        verb: traced.verb.to_owned(),
        text: traced.plan.to_string(),
        strategies,
        promise: traced.promise.to_owned(),
        read,
        written,
    }
}

/// Bytes of the elements of a layout that differ.
fn of(layout: &Layout, traced: &Traced) -> usize {
    distinct(layout).saturating_mul(traced.plan.size())
}

fn distinct(layout: &Layout) -> usize {
    let own = |(n, step): (&usize, &isize)| if *step == 0 && *n > 0 { 1 } else { *n };
    layout.shape().iter().zip(layout.strides()).map(own).fold(1, usize::saturating_mul)
}

/// Bytes of an array's elements.
fn size(location: &Location) -> usize {
    distinct(&location.layout).saturating_mul(location.dtype.size())
}

fn shape(location: &Location) -> String {
    takewise::error::tuple(location.layout.shape())
}

/// All bytes together, and the requests to files.
pub(crate) fn bytes(history: &History, plans: &[Planned]) -> Bytes {
    let sum = |of: fn(&Planned) -> usize| plans.iter().map(of).fold(0, usize::saturating_add);
    let requests = history.plans.iter().filter_map(|traced| traced.requests).reduce(usize::saturating_add);
    Bytes { read: sum(|plan| plan.read), written: sum(|plan| plan.written), requests }
}
