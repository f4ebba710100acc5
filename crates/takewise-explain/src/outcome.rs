//! Results: whose memory they are, what they keep, and their elements one by one.

use takewise::AnyView;
use takewise::strategy::{Location, Meeting, Note};

use crate::data::{Cell, How, Kind, MOST, Memory, Operand, Pointer, Role, Source};
use crate::gradient;
use crate::history::{History, indexed, linear, walked};
use crate::place;
use crate::provenance::Provenance;

/// A result as it was named.
pub(crate) struct NamedResult {
    pub(crate) name: String,
    pub(crate) location: Location,
    pub(crate) values: Option<Vec<String>>,
}

impl NamedResult {
    pub(crate) fn new(name: &str, array: &AnyView<'_>, values: Option<Vec<String>>) -> NamedResult {
        NamedResult { name: name.to_owned(), location: Location::of(array), values }
    }
}

/// What is known of a result.
pub(crate) struct Found {
    pub(crate) kind: Kind,
    pub(crate) memory: Memory,
    pub(crate) base: Option<usize>,
    pub(crate) cells: Vec<Cell>,
    /// Elements looked at, where they are not all.
    pub(crate) sampled: bool,
}

/// Finds out about a result.
///
/// Elements of gradients are told as sums of others, each times a number.
pub(crate) fn found(history: &History, result: &NamedResult, told: Option<Kind>, operands: &[Operand]) -> Found {
    let location = &result.location;
    let memory = match (memory(history, location), told) {
        // Nothing was written, as there was nothing to write.
        (Memory::View { operand }, Some(Kind::Write)) => Memory::InPlace { operand },
        (known, _) => known,
    };
    let (base, blended) = match memory {
        Memory::InPlace { operand } => (Some(operand), false),
        Memory::View { .. } => (None, false),
        Memory::Fresh if writes(history, location) => (copied_base(history, location), false),
        Memory::Fresh => (blended_base(history, location), true),
    };
    let kind = match memory {
        Memory::InPlace { .. } => Kind::Write,
        Memory::View { .. } => Kind::View,
        Memory::Fresh => made(history, location, base),
    };
    let (places, sampled) = places(history, location);
    // Bytes seen as another dtype are other elements, of which none is one of the operand's.
    let reread =
        matches!(memory, Memory::View { operand } if history.operands[operand].location.dtype != location.dtype);
    let untold = kind == Kind::Value || reread;
    let cells = match told {
        Some(Kind::Gradient) => gradients(history, location, base, &places, operands),
        _ if untold => Vec::new(),
        _ => cells(history, location, base, &places, blended),
    };
    // Numbers that the call itself has worked out come from none that could be named.
    let named =
        |cell: &Cell| cell.how != How::Copy || cell.sources.iter().any(|s| s.operand.is_some() || !s.by.is_empty());
    let worked_out = told != Some(Kind::Gradient) && base.is_none() && memory == Memory::Fresh;
    let cells = if worked_out && !cells.iter().any(named) { Vec::new() } else { cells };
    // What a call makes of nothing, such as numbers in a row, it may put together in parts.
    let made_of_nothing = kind == Kind::Read && cells.is_empty() && !places.is_empty();
    let kind = if made_of_nothing { Kind::Value } else { kind };
    Found { kind, memory, base, cells, sampled }
}

fn cells(history: &History, location: &Location, base: Option<usize>, places: &[usize], blended: bool) -> Vec<Cell> {
    let cell = |&at: &usize| {
        let origin = history.last(place::address(location, at));
        let own = base.map(|operand| own(history, location, operand, at));
        match &origin {
            Provenance::Element(pointer) if Some(*pointer) == own => None,
            _ => origin.cell(at, own, location.dtype).filter(|cell| !blended || !keeps(cell, own)),
        }
    };
    places.iter().filter_map(cell).collect()
}

fn gradients(
    history: &History,
    location: &Location,
    base: Option<usize>,
    places: &[usize],
    operands: &[Operand],
) -> Vec<Cell> {
    let cell = |&at: &usize| {
        let own = base.map(|operand| own(history, location, operand, at));
        gradient::cell(&history.last(place::address(location, at)), at, own, location.dtype, operands)
    };
    places.iter().filter_map(cell).collect()
}

/// Whether a choice by a mask has left the base's own element where it is.
fn keeps(cell: &Cell, own: Option<Pointer>) -> bool {
    let pointer = |source: &Source| source.operand.map(|operand| Pointer { operand, at: source.at });
    matches!(&cell.sources[..], [only] if own.is_some() && pointer(only) == own)
}

/// The base's own element for a position of a result.
fn own(history: &History, location: &Location, operand: usize, at: usize) -> Pointer {
    let known = &history.operands[operand];
    // Of a result that is a part of an operand's memory, the element that lies there.
    let at = place::at(&known.location, place::address(location, at)).unwrap_or(at);
    Pointer { operand, at }
}

/// The addresses an array reaches, from the first to the last one's first byte.
fn reach(location: &Location) -> (usize, usize) {
    let (low, high) = location.layout.reach();
    (location.address.wrapping_add_signed(low), location.address.wrapping_add_signed(high))
}

fn meets(a: &Location, b: &Location) -> bool {
    let (a, b) = (reach(a), reach(b));
    a.0 <= b.1 && b.0 <= a.1
}

/// Whose memory a result is.
fn memory(history: &History, location: &Location) -> Memory {
    if location.layout.numel() == 0 {
        return Memory::Fresh;
    }
    let ends = [location.address, reach(location).0, reach(location).1];
    let within = |known: &Location| ends.iter().all(|end| (reach(known).0..=reach(known).1).contains(end));
    let owner = |operand: &usize| within(&history.operands[*operand].location);
    // Of views of one another the indexed one is meant.
    let rank = |operand: &usize| (history.operands[*operand].role != Role::Data, *operand);
    match (0..history.operands.len()).filter(owner).min_by_key(rank) {
        None => Memory::Fresh,
        Some(operand) if written(history, location) => Memory::InPlace { operand },
        Some(operand) => Memory::View { operand },
    }
}

/// Whether anything was written into an array.
fn written(history: &History, location: &Location) -> bool {
    history.notes.iter().any(|note| match note {
        Note::Plan(k) => match history.plans[*k].meeting {
            Meeting::Read => meets(&linear(&history.plans[*k]), location),
            _ => meets(&indexed(&history.plans[*k]), location),
        },
        Note::Each { to, .. } | Note::Blend { to, .. } | Note::Compare { to, .. } | Note::Search { to, .. } => {
            meets(to, location)
        }
        Note::Found { to, .. } | Note::Running { to, .. } | Note::Mean { to, .. } => meets(to, location),
        Note::Sort { positions, values, .. } => {
            meets(positions, location) || values.as_ref().is_some_and(|v| meets(v, location))
        }
        Note::Nonzero { to, .. } => to.iter().any(|to| meets(to, location)),
        _ => false,
    })
}

/// Whether values were stored or combined through an index, or into a part of an array.
fn writes(history: &History, location: &Location) -> bool {
    let stores = |note: &Note| match note {
        Note::Plan(k) => {
            let traced = &history.plans[*k];
            let part = || {
                walked(traced)
                    .is_some_and(|(_, to)| meets(&to, location) && to.layout.numel() < location.layout.numel())
            };
            traced.meeting != Meeting::Read && meets(&indexed(traced), location) || part()
        }
        Note::Each { to, .. } => meets(to, location) && to.layout.numel() < location.layout.numel(),
        _ => false,
    };
    history.notes[history.begun(location.address)..].iter().any(stores)
}

/// The operand that a result began as a copy of.
fn copied_base(history: &History, location: &Location) -> Option<usize> {
    let first = location.address;
    history.notes.iter().enumerate().skip(history.begun(first)).find_map(|(k, note)| {
        let (from, to) = match note {
            Note::Plan(plan) => walked(&history.plans[*plan])?,
            Note::Each { from, to, times: None } => (from.clone(), to.clone()),
            _ => return None,
        };
        if to.layout.shape() != location.layout.shape() || place::at(&to, first).is_none() {
            return None;
        }
        match history.origin(from.address, k, &[Role::Data]) {
            Provenance::Element(pointer) if shape(history, pointer.operand) == location.layout.shape() => {
                Some(pointer.operand)
            }
            _ => None,
        }
    })
}

/// The operand whose elements a result keeps wherever a mask does not put a number: a fill that is not in place.
fn blended_base(history: &History, location: &Location) -> Option<usize> {
    history.notes.iter().enumerate().skip(history.begun(location.address)).rev().find_map(|(k, note)| {
        let Note::Blend { from: [yes, no], to, .. } = note else { return None };
        place::at(to, location.address)?;
        let number = matches!(history.origin(yes.address, k, &[]), Provenance::Number(_));
        match history.origin(no.address, k, &[Role::Data]) {
            Provenance::Element(pointer) if number && shape(history, pointer.operand) == location.layout.shape() => {
                (history.operands[pointer.operand].role == Role::Data).then_some(pointer.operand)
            }
            _ => None,
        }
    })
}

fn shape(history: &History, operand: usize) -> &[usize] {
    history.operands[operand].location.layout.shape()
}

/// What made a result that has its own memory.
fn made(history: &History, location: &Location, base: Option<usize>) -> Kind {
    if base.is_some() {
        return Kind::Write;
    }
    let mut arrays = vec![location.clone()];
    for note in history.notes.iter().rev() {
        let is = |to: &Location| arrays.iter().any(|array| meets(to, array));
        match note {
            Note::Plan(k) => {
                let traced = &history.plans[*k];
                match traced.meeting {
                    Meeting::Read if is(&linear(traced)) => return Kind::Read,
                    // Sums over axes combine what they read.
                    Meeting::Read => {}
                    _ if is(&indexed(traced)) => {
                        return if traced.operands.is_empty() { Kind::Read } else { Kind::Write };
                    }
                    _ => {}
                }
            }
            Note::Each { from, to, .. } if is(to) => arrays.push(from.clone()),
            Note::Blend { to, .. } if is(to) => return Kind::Read,
            Note::Compare { to, .. } if is(to) => return Kind::Value,
            Note::Found { to, .. } | Note::Running { to, .. } | Note::Mean { to, .. } if is(to) => return Kind::Read,
            Note::Search { to, .. } if is(to) => return Kind::Search,
            Note::Sort { positions, values, .. } if is(positions) || values.as_ref().is_some_and(is) => {
                return Kind::Sort;
            }
            Note::Nonzero { to, .. } if to.iter().any(is) => return Kind::Count,
            _ => {}
        }
    }
    // Elements that were only converted are read all the same.
    match history.last(location.address) {
        Provenance::Element(_) if arrays.len() > 1 => Kind::Read,
        _ => Kind::Value,
    }
}

/// The positions of a result that are listed; `true` if they are a sample.
fn places(history: &History, location: &Location) -> (Vec<usize>, bool) {
    let count = location.layout.numel();
    if count <= MOST {
        return ((0..count).collect(), false);
    }
    // Those that the plans have listed, where they have.
    let mut places: Vec<usize> = Vec::new();
    for traced in history.plans.iter().filter(|traced| walked(traced).is_none()) {
        let read = traced.meeting == Meeting::Read;
        let side = if read { linear(traced) } else { indexed(traced) };
        if !meets(&side, location) {
            continue;
        }
        let target = |moved: &takewise::strategy::Moved| if read { Some(moved.linear) } else { moved.indexed };
        let addresses = traced.moves.iter().flatten().filter_map(target).map(|by| side.address.wrapping_add_signed(by));
        places.extend(addresses.filter_map(|address| place::at(location, address)));
    }
    places.sort_unstable();
    places.dedup();
    places.truncate(MOST);
    if places.is_empty() {
        places = (0..MOST).collect();
    }
    (places, true)
}
