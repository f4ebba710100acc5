//! What is drawn of each array: its elements with their values, groups and marks, and which elements hang together.

use std::collections::HashSet;

use super::grid::Grid;
use super::groups::Groups;
use super::places::{clean, indexed_cells, is_true, operand_place, operand_value, result_place, result_value, shape};
use super::prose;
use super::words::Words;
use unicode_width::UnicodeWidthStr;

use crate::data::{Cell, Explanation, How, Kind, MOST, Operand, Outcome, Pointer, Role};

/// An array of the call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    Operand(usize),
    Result(usize),
}

/// An array as it is drawn.
pub(super) struct Sheet {
    pub(super) which: Which,
    pub(super) name: String,
    pub(super) about: String,
    pub(super) grid: Grid,
    pub(super) faces: Vec<Face>,
    /// Whether the values are known.
    pub(super) known: bool,
}

/// An element as it is drawn.
#[derive(Default)]
pub(super) struct Face {
    pub(super) at: usize,
    pub(super) value: String,
    /// What it is and where it comes from, in words.
    pub(super) note: String,
    pub(super) group: Option<usize>,
    pub(super) mark: Mark,
    /// How many values met there, the one that was there among them.
    pub(super) met: usize,
    /// Whether explanations side by side differ here.
    pub(super) differs: bool,
    /// Elements of operands it is made of, and the index elements that led there.
    pub(super) from: Vec<Pointer>,
}

impl Face {
    /// The signs of what is special about the element.
    pub(super) fn sign(&self) -> String {
        let own = match self.mark {
            Mark::Ticked => "✓".to_owned(),
            Mark::Met => format!("×{}", self.met),
            _ => String::new(),
        };
        if self.differs { format!("≠{own}") } else { own }
    }
}

/// What is special about an element.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Mark {
    #[default]
    None,
    /// A bad index value.
    Bad,
    /// A fill value.
    Filled,
    /// A value that is stored nowhere.
    Dropped,
    /// A mask selects it.
    Ticked,
    /// A mask does not select it.
    Crossed,
    /// Several values met there.
    Met,
    /// It comes before the value that is searched.
    Before,
}

/// A letter for each group: A to Z, then AA.
pub(super) fn letter(group: usize) -> String {
    let own = char::from(b'A' + (group % 26) as u8);
    match group / 26 {
        0 => own.to_string(),
        more => letter(more - 1) + &own.to_string(),
    }
}

/// How much of arrays is drawn.
pub(super) struct Bounds<'a> {
    /// About how many elements of each.
    pub(super) cells: usize,
    /// How many arrays of each side.
    pub(super) most: usize,
    /// How many columns fit if the widest value has so many characters.
    pub(super) columns: &'a dyn Fn(usize) -> usize,
}

/// All arrays, operands first.
pub(super) fn sheets(
    e: &Explanation,
    groups: &Groups,
    differs: &[usize],
    bounds: &Bounds<'_>,
    w: &Words,
) -> Vec<Sheet> {
    let Bounds { cells: bound, most, columns } = *bounds;
    let wide = |values: &Option<Vec<String>>| {
        let widths = values.iter().flatten().take(MOST).map(|value| value.width().min(80));
        columns(widths.max().unwrap_or(0)).max(1)
    };
    let touched = Touched::of(e);
    let operands = e.operands.iter().take(most).enumerate().map(|(k, operand)| {
        let known = operand.values.is_some();
        let memory = format!("{}, {} {}", prose::role(operand.role, w), clean(&operand.dtype), shape(&operand.shape));
        let grid = Grid::of(&operand.shape, &mut touched.operands[k].iter().copied(), bound, wide(&operand.values));
        let faces = faces(&grid, &|at| operand_face(e, groups, &touched, k, operand, at));
        Sheet { which: Which::Operand(k), name: clean(&operand.name), about: memory, grid, faces, known }
    });
    let results = e.results.iter().take(most).enumerate().map(|(k, outcome)| {
        let about =
            format!("{} {}, {}", clean(&outcome.dtype), shape(&outcome.shape), prose::memory(e, outcome.memory, w));
        // Only the first results are compared.
        let differs = if k == 0 { differs } else { &[] };
        let touched = differs.iter().copied().chain(outcome.cells.iter().map(|cell| cell.at));
        let grid = Grid::of(&outcome.shape, &mut { touched }, bound, wide(&outcome.values));
        let found = indexed_cells(outcome);
        let faces = faces(&grid, &|at| Face {
            differs: differs.binary_search(&at).is_ok(),
            ..result_face(e, groups, k, outcome, found.get(&at).copied(), at, w)
        });
        let known = outcome.values.is_some() || faces.iter().any(|face| !face.value.is_empty());
        Sheet { which: Which::Result(k), name: clean(&outcome.name), about, grid, faces, known }
    });
    operands.chain(results).collect()
}

fn faces(grid: &Grid, face: &dyn Fn(usize) -> Face) -> Vec<Face> {
    let mut out = Vec::with_capacity(grid.drawn());
    for panel in &grid.panels {
        for row in &grid.rows {
            out.extend(grid.columns.iter().map(|column| face(grid.at(*panel, *row, *column))));
        }
    }
    out
}

/// Elements of operands in which something happens, and those that are stored nowhere.
struct Touched {
    operands: Vec<Vec<usize>>,
    dropped: HashSet<(usize, usize)>,
    selected: Vec<HashSet<usize>>,
}

impl Touched {
    fn of(e: &Explanation) -> Touched {
        let mut out = Touched {
            operands: vec![Vec::new(); e.operands.len()],
            dropped: HashSet::new(),
            selected: vec![HashSet::new(); e.operands.len()],
        };
        let mut touch = |operand: usize, at: usize| {
            if let Some(list) = out.operands.get_mut(operand) {
                list.push(at);
            }
        };
        if let Some(error) = &e.error {
            let operand = error.operand.unwrap_or(usize::MAX);
            error.at.iter().chain(&error.bad).for_each(|at| touch(operand, *at));
        }
        let cells = e.results.iter().flat_map(|outcome| &outcome.cells);
        for source in cells.flat_map(|cell| &cell.sources).chain(e.left_out.iter().map(|left| &left.source)) {
            touch(source.operand.unwrap_or(usize::MAX), source.at);
            source.by.iter().for_each(|by| touch(by.operand, by.at));
        }
        for mask in &e.masks {
            if let Some(set) = out.selected.get_mut(mask.operand) {
                set.extend(&mask.places);
            }
        }
        let left = e.left_out.iter().filter_map(|left| Some((left.source.operand?, left.source.at)));
        let last = e.results.iter().flat_map(|outcome| &outcome.cells).filter(|cell| cell.how != How::Copy);
        let unused = last.flat_map(|cell| &cell.sources).filter(|source| !source.used);
        out.dropped = left.chain(unused.filter_map(|source| Some((source.operand?, source.at)))).collect();
        out
    }
}

fn operand_face(e: &Explanation, groups: &Groups, touched: &Touched, k: usize, operand: &Operand, at: usize) -> Face {
    let value = operand_value(e, k, at).unwrap_or_default();
    let place = operand_place(e, k, at);
    let note = if value.is_empty() { place } else { format!("{place} = {value}") };
    let error = e.error.as_ref().filter(|error| error.operand == Some(k));
    let mark = if error.is_some_and(|error| error.at == Some(at) || error.bad.contains(&at)) {
        Mark::Bad
    } else if operand.role == Role::Mask || (e.kind == Kind::Count && !touched.selected[k].is_empty()) {
        let selected = touched.selected[k].contains(&at) || operand.role == Role::Mask && is_true(operand, at);
        if selected { Mark::Ticked } else { Mark::Crossed }
    } else if touched.dropped.contains(&(k, at)) {
        Mark::Dropped
    } else {
        Mark::None
    };
    Face { at, value, note, group: groups.operand(k, at), mark, ..Face::default() }
}

fn result_face(
    e: &Explanation,
    groups: &Groups,
    k: usize,
    outcome: &Outcome,
    cell: Option<&Cell>,
    at: usize,
    w: &Words,
) -> Face {
    let value = result_value(e, outcome, at).unwrap_or_default();
    let mut note = result_place(outcome, at);
    if !value.is_empty() {
        note = format!("{note} = {value}");
    }
    let Some(cell) = cell else {
        return Face { at, value, note, ..Face::default() };
    };
    if let Some(made) = prose::made_of(e, outcome, cell, Some((groups, k)), w) {
        note = format!("{note} ← {made}");
    }
    let sources = || cell.sources.iter().take(64);
    let from = sources()
        .filter_map(|s| Some(Pointer { operand: s.operand?, at: s.at }))
        .chain(sources().flat_map(|s| s.by.iter().take(8).copied()));
    let own = outcome.base.filter(|_| cell.with_self).map(|operand| Pointer { operand, at });
    let from = from.chain(own).chain(cell.by.iter().take(8).copied()).collect();
    let met = cell.sources.len() + usize::from(cell.with_self);
    let mark = match cell.how {
        How::Fill => Mark::Filled,
        _ if prose::meets(e, outcome, cell) => Mark::Met,
        _ => Mark::None,
    };
    Face { at, value, note, group: groups.result(k, at), mark, met, from, differs: false }
}
