//! What was noted, as a history of every element: who wrote it last, from what, and so on back to the operands.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

use takewise::strategy::{Location, Meeting, Note, Traced, Watched};
use takewise::{DType, Reduce, Scalar};

use crate::data::{How, MOST, Pointer, Role};
use crate::place;
use crate::provenance::{Made, Provenance, Term};
use crate::text;

/// Notes that one element's history goes back through at most.
const DEEP: usize = 500;

/// The roles of the array that is indexed.
pub(crate) const DATA: &[Role] = &[Role::Data, Role::Sequence];
/// Those of what is written, or searched for.
pub(crate) const VALUES: &[Role] = &[Role::Values];
/// Those of what leads to elements.
pub(crate) const LEADING: &[Role] = &[Role::Index, Role::Mask, Role::Sorter];

/// An operand: where it lay before the call, and what for.
pub(crate) struct Known {
    pub(crate) location: Location,
    pub(crate) role: Role,
    /// The truth of its elements, if it may be a mask.
    pub(crate) truths: Option<Vec<bool>>,
}

/// Everything that was noted.
#[derive(Default)]
pub(crate) struct History {
    pub(crate) operands: Vec<Known>,
    pub(crate) notes: Vec<Note>,
    pub(crate) plans: Vec<Traced>,
    /// For every plan its moves by the address they write to.
    moves: Vec<OnceCell<HashMap<usize, Vec<usize>>>>,
}

impl History {
    /// Goes on with what was noted next.
    pub(crate) fn append(&mut self, watched: Watched) {
        let before = self.plans.len();
        self.notes.extend(watched.notes.into_iter().map(|note| match note {
            Note::Plan(k) => Note::Plan(before + k),
            other => other,
        }));
        self.plans.extend(watched.plans);
        self.moves.resize_with(self.plans.len(), OnceCell::new);
    }

    /// Where the element at an address comes from, as it was before the note of this number. Of operands that share
    /// it the one that has such a role is meant.
    pub(crate) fn origin(&self, address: usize, before: usize, roles: &[Role]) -> Provenance {
        self.back(address, before, roles, 0)
    }

    /// Where it comes from in the end.
    pub(crate) fn last(&self, address: usize) -> Provenance {
        self.origin(address, self.notes.len(), DATA)
    }

    /// The first note about the memory that lies at an address in the end. What was noted before is of memory that was freed.
    pub(crate) fn begun(&self, address: usize) -> usize {
        let takes = |note: &Note| matches!(note, Note::Taken { address: first, bytes, .. } if address >= *first && address - first < *bytes);
        self.notes.iter().rposition(takes).map_or(0, |k| k + 1)
    }

    /// The operands' elements that lead somewhere, of those at some addresses.
    pub(crate) fn leading(&self, addresses: impl Iterator<Item = usize>, before: usize) -> Vec<Pointer> {
        let mut all: Vec<Pointer> = Vec::new();
        // Positions that a sort or a search has worked out are no elements of what was sorted.
        let leads = |pointer: &Pointer| LEADING.contains(&self.operands[pointer.operand].role);
        for pointer in addresses.flat_map(|address| self.origin(address, before, LEADING).pointers_where(&leads)) {
            if !all.contains(&pointer) {
                all.push(pointer);
            }
        }
        all
    }

    fn back(&self, address: usize, before: usize, roles: &[Role], depth: usize) -> Provenance {
        if depth > DEEP {
            return Provenance::Unknown;
        }
        let step = |k: usize| match &self.notes[k] {
            Note::Plan(plan) => self.planned(*plan, k, address, roles, depth),
            Note::Taken { address: first, bytes, given } if address >= *first && address - first < *bytes => {
                Some(if *given { self.operand(address, roles) } else { Provenance::Zero })
            }
            Note::Number { address: there, value, .. } if *there == address => {
                Some(Provenance::Number(value.map(text::scalar)))
            }
            Note::Each { from, to, times } => place::at(to, address).map(|at| {
                let one = self.back(place::address(from, at), k, roles, depth + 1);
                match times {
                    Some(factor) => product(one, *factor),
                    None => self.copied(one, address),
                }
            }),
            Note::Blend { mask, from, to, chosen } => place::at(to, address).map(|at| {
                let Some(chosen) = chosen.get(at) else { return Provenance::Unknown };
                let by = self.leading([place::address(mask, at)].into_iter(), k);
                let from = &from[usize::from(!chosen)];
                Provenance::copy(self.back(place::address(from, at), k, roles, depth + 1), by)
            }),
            Note::Sort { input, axis, positions, values, from } => {
                let element = |at: usize| Some(place::address(input, lane_place(input, *axis, at, *from.get(at)?)));
                let position = place::at(positions, address).map(|at| self.position(element(at), k, DATA));
                position.or_else(|| {
                    let at = place::at(values.as_ref()?, address)?;
                    Some(element(at).map_or(Provenance::Unknown, |a| self.back(a, k, roles, depth + 1)))
                })
            }
            Note::Running { input, axis, to } => place::at(to, address).map(|at| {
                let own = at / weight(input, *axis) % input.layout.shape().get(*axis).copied().unwrap_or(1).max(1);
                let element = |place| place::address(input, lane_place(input, *axis, at, place));
                let term = |place| Term {
                    origin: self.back(element(place), k, roles, depth + 1),
                    by: Vec::new(),
                    used: true,
                    value: None,
                };
                Provenance::made(How::Sum, None, (0..=own).map(term).collect())
            }),
            Note::Mean { sums, to } => {
                place::at(to, address).map(|at| meant(self.back(place::address(sums, at), k, roles, depth + 1)))
            }
            other => self.told(other, k, address),
        };
        let found = (0..before.min(self.notes.len())).rev().find_map(step);
        found.unwrap_or_else(|| self.operand(address, roles))
    }

    /// What is at an address after a note that makes positions and truth values.
    fn told(&self, note: &Note, k: usize, address: usize) -> Option<Provenance> {
        match note {
            Note::Compare { of, to } => place::at(to, address).map(|at| {
                let of = of.iter().map(|array| place::address(array, at));
                Provenance::Position(of.flat_map(|address| self.origin(address, k, DATA).pointers()).collect())
            }),
            Note::Search { values, to, .. } => place::at(to, address).map(|at| match values {
                Some(values) => self.position(Some(place::address(values, at)), k, VALUES),
                None => Provenance::Position(Vec::new()),
            }),
            Note::Found { input, axis, to, from } => place::at(to, address).map(|at| {
                let (weight, extent) = (weight(input, *axis), input.layout.shape().get(*axis).copied().unwrap_or(1));
                let element = |place| at / weight * weight * extent + place * weight + at % weight;
                let found = from.get(at).map(|place| place::address(input, element(*place)));
                self.position(found, k, DATA)
            }),
            Note::Nonzero { input, to, places } => {
                let at = to.iter().find_map(|axis| place::at(axis, address))?;
                let element = places.get(at).map(|at| place::address(input, *at));
                Some(self.position(element, k, &[Role::Data, Role::Mask]))
            }
            _ => None,
        }
    }

    /// The position of an element.
    fn position(&self, address: Option<usize>, before: usize, roles: &[Role]) -> Provenance {
        address
            .map_or(Provenance::Unknown, |address| Provenance::Position(self.origin(address, before, roles).pointers()))
    }

    /// A copy that a call makes for itself is what it is a copy of; one that lands in an operand is something new there.
    fn copied(&self, of: Provenance, address: usize) -> Provenance {
        match self.operand(address, DATA) {
            Provenance::Element(_) => Provenance::copy(of, Vec::new()),
            _ => of,
        }
    }

    /// The operand's element at an address.
    fn operand(&self, address: usize, roles: &[Role]) -> Provenance {
        let here = self.operands.iter().enumerate().filter_map(|(operand, known)| {
            let at = place::at(&known.location, address)?;
            let role = roles.iter().position(|role| *role == known.role).unwrap_or(roles.len());
            Some((role, known.location.layout.numel(), operand, at))
        });
        match here.min() {
            Some((_, _, operand, at)) => Provenance::Element(Pointer { operand, at }),
            None => Provenance::Unknown,
        }
    }

    /// What the plan of this note multiplies or divides by.
    fn factors(&self, note: usize) -> Option<(&Location, &[Option<Scalar>])> {
        let before = self.notes[..note].iter().rev().take_while(|note| !matches!(note, Note::Plan(_)));
        before.into_iter().find_map(|note| match note {
            Note::Factors { of, values } => Some((of, &values[..])),
            _ => None,
        })
    }

    /// Whether the elements of an array are all those of one operand.
    pub(crate) fn holds(&self, array: &Location) -> bool {
        let within = |known: &Known| {
            let mut addresses = (0..array.layout.numel().min(MOST)).map(|at| place::address(array, at));
            known.location.dtype.size() == array.dtype.size()
                && addresses.all(|at| place::at(&known.location, at).is_some())
        };
        array.layout.numel() == 0 || self.operands.iter().any(within)
    }

    /// What a plan, the note of this number, has written to an address, if it has.
    fn planned(&self, plan: usize, note: usize, address: usize, roles: &[Role], depth: usize) -> Option<Provenance> {
        let traced = self.plans.get(plan)?;
        if let Some((from, to)) = walked(traced) {
            let at = place::at(&to, address)?;
            return Some(self.copied(self.back(place::address(&from, at), note, roles, depth + 1), address));
        }
        let moves = traced.moves.as_deref()?;
        let by_address = self.moves[plan].get_or_init(|| by_target(traced));
        let there = by_address.get(&address);
        let led = |k: usize| {
            let by = traced
                .operands
                .iter()
                .zip(&moves[k].by)
                .map(|(location, by)| location.address.wrapping_add_signed(*by));
            self.leading(by, note)
        };
        if traced.meeting == Meeting::Read {
            let Some(&k) = there.and_then(|all| all.last()) else {
                let partly = traced.total > moves.len() && place::at(&linear(traced), address).is_some();
                return partly.then_some(Provenance::Unknown);
            };
            return Some(match moves[k].indexed {
                Some(indexed) => {
                    let from = traced.sides[0].wrapping_add_signed(indexed);
                    Provenance::copy(self.back(from, note, DATA, depth + 1), led(k))
                }
                None => filled(traced, led(k)),
            });
        }
        let there = there?;
        let last = there.len() - 1;
        let factors = self.factors(note);
        let other = |k: usize| traced.sides[1].wrapping_add_signed(moves[k].linear);
        let terms = there.iter().enumerate().map(|(nth, &k)| Term {
            origin: self.back(other(k), note, VALUES, depth + 1),
            by: led(k),
            value: factors.and_then(|(of, values)| parts(*values.get(place::at(of, other(k))?)?)),
            used: match traced.meeting {
                Meeting::Last => nth == last,
                Meeting::First => nth == 0,
                _ => true,
            },
        });
        let terms = terms.collect();
        let start = matches!(traced.meeting, Meeting::Combined(_)).then(|| self.back(address, note, DATA, depth + 1));
        Some(Provenance::made(how(traced.meeting), start, terms))
    }
}

/// A number as a real and an imaginary part.
fn parts(number: Option<Scalar>) -> Option<(f64, f64)> {
    Some(match number? {
        Scalar::Bool(truth) => (f64::from(u8::from(truth)), 0.0),
        Scalar::Int(v) => (v as f64, 0.0),
        Scalar::Float(v) => (v, 0.0),
        Scalar::Complex(re, im) => (re, im),
    })
}

/// What becomes of elements that meet.
fn how(meeting: Meeting) -> How {
    match meeting {
        Meeting::Read => How::Copy,
        Meeting::First => How::First,
        Meeting::Combined(how) | Meeting::Afresh(how) => match how {
            Reduce::Sum => How::Sum,
            Reduce::Prod => How::Prod,
            Reduce::Mean => How::Mean,
            Reduce::Max => How::Max,
            Reduce::Min => How::Min,
            _ => How::Div,
        },
        _ => How::Last,
    }
}

/// An element times a number.
fn product(one: Provenance, factor: Scalar) -> Provenance {
    let number = Provenance::Number(Some(text::scalar(factor)));
    let term = Term { origin: number, by: Vec::new(), used: true, value: parts(Some(factor)) };
    Provenance::made(How::Prod, Some(one), vec![term])
}

fn filled(traced: &Traced, by: Vec<Pointer>) -> Provenance {
    Provenance::Made(Rc::new(Made { how: How::Fill, start: None, terms: Vec::new(), by, value: traced.fill.clone() }))
}

/// The other array of a plan than the indexed one.
pub(crate) fn linear(traced: &Traced) -> Location {
    Location { address: traced.sides[1], dtype: DType::U8, layout: traced.plan.linear_layout().clone() }
}

/// The indexed array of a plan.
pub(crate) fn indexed(traced: &Traced) -> Location {
    Location { address: traced.sides[0], dtype: DType::U8, layout: traced.plan.indexed_layout().clone() }
}

/// The arrays of a plan that walks both side by side, element for element: a copy.
pub(crate) fn walked(traced: &Traced) -> Option<(Location, Location)> {
    let (from, to) = (indexed(traced), linear(traced));
    let plain = traced.meeting == Meeting::Read && traced.operands.is_empty();
    (plain && from.layout.shape() == to.layout.shape()).then_some((from, to))
}

/// The moves of a plan by the address that each writes to, in order.
fn by_target(traced: &Traced) -> HashMap<usize, Vec<usize>> {
    let mut all: HashMap<usize, Vec<usize>> = HashMap::new();
    for (k, moved) in traced.moves.iter().flatten().enumerate() {
        let target = match (traced.meeting, moved.indexed) {
            (Meeting::Read, _) => traced.sides[1].wrapping_add_signed(moved.linear),
            (_, Some(indexed)) => traced.sides[0].wrapping_add_signed(indexed),
            (_, None) => continue,
        };
        all.entry(target).or_default().push(k);
    }
    all
}

/// The mean of what a sum is of.
fn meant(sum: Provenance) -> Provenance {
    let Provenance::Made(made) = &sum else { return sum };
    match (made.how, &made.start, &made.terms[..]) {
        // It was divided already, in its place.
        (How::Div, Some(before), _) => meant(before.clone()),
        (How::Copy, None, [term]) => meant(term.origin.clone()),
        (How::Sum, _, terms) => {
            let term = |term: &Term| Term { origin: term.origin.clone(), by: term.by.clone(), ..*term };
            Provenance::made(How::Mean, None, terms.iter().map(term).collect())
        }
        _ => Provenance::Unknown,
    }
}

/// How many elements lie from one of a lane to the next, in row-major order.
fn weight(location: &Location, axis: usize) -> usize {
    location.layout.shape().iter().skip(axis + 1).product::<usize>().max(1)
}

/// The position of the element of another array that lies at `place` in the lane of position `at`.
pub(crate) fn lane_place(location: &Location, axis: usize, at: usize, place: usize) -> usize {
    let shape = location.layout.shape();
    let (weight, extent) = (weight(location, axis), shape.get(axis).copied().unwrap_or(1));
    let own = at / weight % extent.max(1);
    at - own * weight + place * weight
}
