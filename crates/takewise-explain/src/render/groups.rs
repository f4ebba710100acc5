//! Which elements belong together: they get one colour and one letter in every drawing.
//!
//! A read groups by where an element is read from, a write by where it goes to. Where an index chooses along one axis, all elements
//! at a position of that axis are one group, so that an index value, the row it names and what was read from it look alike.

use std::collections::{BTreeMap, HashMap};

use super::places::coordinates;
use crate::data::{Cell, Explanation, Origin, Outcome, Source};

/// The groups of an explanation's elements.
pub(super) struct Groups {
    operands: Vec<HashMap<usize, usize>>,
    results: Vec<HashMap<usize, usize>>,
    alongs: Vec<Vec<usize>>,
}

/// What a group is: an array and coordinates in it.
type Key = (usize, Vec<usize>);

impl Groups {
    pub(super) fn of(e: &Explanation) -> Groups {
        let mut keys: BTreeMap<Key, usize> = BTreeMap::new();
        let alongs: Vec<Vec<usize>> = e.results.iter().map(|outcome| along(e, outcome)).collect();
        let keyed: Vec<Vec<Option<Key>>> = e
            .results
            .iter()
            .zip(&alongs)
            .enumerate()
            .map(|(k, (outcome, along))| of_result(e, k, outcome, along))
            .collect();
        for (outcome, along) in e.results.iter().zip(&alongs) {
            let sources = outcome.cells.iter().flat_map(|cell| &cell.sources).filter(|_| outcome.base.is_none());
            keys.extend(sources.filter_map(|source| read_key(e, along, source)).map(|key| (key, 0)));
        }
        keys.extend(keyed.iter().flatten().flatten().map(|key| (key.clone(), 0)));
        keys.values_mut().enumerate().for_each(|(n, group)| *group = n);
        let mut groups = Groups {
            operands: vec![HashMap::new(); e.operands.len()],
            results: vec![HashMap::new(); e.results.len()],
            alongs,
        };
        for (k, (outcome, keyed)) in e.results.iter().zip(&keyed).enumerate() {
            let along = groups.alongs[k].clone();
            for (cell, key) in outcome.cells.iter().zip(keyed) {
                let Some(group) = key.as_ref().map(|key| keys[key]) else { continue };
                groups.results[k].insert(cell.at, group);
                // In a write each source goes where the cell is; in a read each has a place of its own.
                let written = outcome.base.is_some();
                if let Some(base) = outcome.base {
                    groups.put(base, cell.at, group);
                }
                for source in &cell.sources {
                    let own = if written {
                        Some(group)
                    } else {
                        read_key(e, &along, source).and_then(|k| keys.get(&k).copied())
                    };
                    let Some(own) = own else { continue };
                    if let Some(operand) = source.operand {
                        groups.put(operand, source.at, own);
                    }
                    source.by.iter().for_each(|by| groups.put(by.operand, by.at, own));
                }
            }
        }
        groups
    }

    /// The first group an element is given stays.
    fn put(&mut self, operand: usize, at: usize, group: usize) {
        if let Some(known) = self.operands.get_mut(operand) {
            known.entry(at).or_insert(group);
        }
    }

    /// Where an index led a source of a cell to along the one axis it chooses along, and the size of that axis.
    pub(super) fn position(&self, e: &Explanation, k: usize, cell: &Cell, source: &Source) -> Option<(usize, usize)> {
        let ([axis], outcome) = (&self.alongs.get(k)?[..], e.results.get(k)?) else { return None };
        let (shape, at) = match (outcome.base, source.operand) {
            (Some(_), _) => (&outcome.shape, cell.at),
            (None, operand) => (&e.operands.get(operand?)?.shape, source.at),
        };
        Some((*coordinates(shape, at)?.get(*axis)?, *shape.get(*axis)?))
    }

    pub(super) fn operand(&self, k: usize, at: usize) -> Option<usize> {
        self.operands.get(k)?.get(&at).copied()
    }

    pub(super) fn result(&self, k: usize, at: usize) -> Option<usize> {
        self.results.get(k)?.get(&at).copied()
    }
}

/// The group of each cell of a result.
fn of_result(e: &Explanation, k: usize, outcome: &Outcome, along: &[usize]) -> Vec<Option<Key>> {
    let keys = outcome.cells.iter().map(|cell| {
        if outcome.base.is_none() {
            return read_key(e, along, cell.sources.iter().find(|s| s.used).or(cell.sources.first())?);
        }
        let place = coordinates(&outcome.shape, cell.at)?;
        Some((e.operands.len() + k, chosen(along, &place)))
    });
    keys.collect()
}

/// The group of an element that is read.
fn read_key(e: &Explanation, along: &[usize], source: &Source) -> Option<Key> {
    let operand = source.operand?;
    let place = coordinates(&e.operands.get(operand)?.shape, source.at)?;
    // An index chooses along axes of what it indexes, not of other operands that join in.
    let along = if source.by.is_empty() { &[] } else { along };
    Some((operand, chosen(along, &place)))
}

/// The coordinates along some axes; all of them where none are named or one is not there.
fn chosen(along: &[usize], place: &[usize]) -> Vec<usize> {
    let some: Option<Vec<usize>> = along.iter().map(|axis| place.get(*axis).copied()).collect();
    some.filter(|some| !some.is_empty()).unwrap_or_else(|| place.to_vec())
}

/// The axes that the index of a result chooses along: as its axes say, or the first axis on which all index values agree with where
/// elements are.
fn along(e: &Explanation, outcome: &Outcome) -> Vec<usize> {
    let told = outcome.axes.iter().find_map(|axis| match &axis.from {
        Origin::Index { along, .. } | Origin::Mask { along, .. } if !along.is_empty() => Some(along.clone()),
        _ => None,
    });
    if let (None, Some(told)) = (outcome.base, told) {
        return told;
    }
    let sources = || outcome.cells.iter().flat_map(|cell| cell.sources.iter().map(move |source| (cell.at, source)));
    let Some((_, first)) = sources().next() else { return Vec::new() };
    let rank = addressed(e, outcome, 0, first).map_or(0, |(shape, _)| shape.len());
    let agrees = |axis: usize| sources().all(|(at, source)| agree(e, outcome, at, source, axis) == Some(true));
    (0..rank.min(8)).find(|axis| agrees(*axis)).into_iter().collect()
}

/// What an index addresses: the array it chooses in, and the position.
fn addressed<'a>(e: &'a Explanation, outcome: &'a Outcome, at: usize, source: &Source) -> Option<(&'a [usize], usize)> {
    match outcome.base {
        Some(_) => Some((&outcome.shape, at)),
        None => Some((&e.operands.get(source.operand?)?.shape, source.at)),
    }
}

/// Whether the one index value of a source is its position along an axis, counted from either end. A value outside is taken to be
/// another position only where there is no other axis it could be meant for.
fn agree(e: &Explanation, outcome: &Outcome, at: usize, source: &Source, axis: usize) -> Option<bool> {
    let (shape, at) = addressed(e, outcome, at, source)?;
    let (place, size) = (*coordinates(shape, at)?.get(axis)? as i128, *shape.get(axis)? as i128);
    let [by] = &source.by[..] else { return None };
    let held: i128 = e.operands.get(by.operand)?.values.as_ref()?.get(by.at)?.parse().ok()?;
    let outside = held < -size || held >= size;
    Some(held == place || held.checked_add(size) == Some(place) || outside && shape.len() == 1)
}
