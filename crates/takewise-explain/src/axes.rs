//! Where the axes of a result come from, as far as strides and elements tell.

use takewise::strategy::Location;

use crate::data::{Axis, Cell, How, Kind, Memory, Operand, Origin, Outcome, Source};
use crate::history::History;

/// The axes of a result of which nobody has said more: by the memory it is in, else by its elements, else by extents where its
/// elements do not speak against it. None where nobody knows.
pub(crate) fn origins(
    history: &History,
    operands: &[Operand],
    outcome: &Outcome,
    kind: Kind,
    location: &Location,
) -> Vec<Axis> {
    match (outcome.memory, outcome.base) {
        (Memory::View { operand }, _) => view(history, operand, location),
        (_, Some(operand)) if operands[operand].shape == outcome.shape => whole(operand, &outcome.shape),
        _ => by_cells(operands, outcome).or_else(|| by_extents(operands, outcome, kind)).unwrap_or_default(),
    }
}

fn whole(operand: usize, shape: &[usize]) -> Vec<Axis> {
    let axis = |(axis, &extent): (usize, &usize)| Axis { extent, from: Origin::Axis { operand, axis, step: 1 } };
    shape.iter().enumerate().map(axis).collect()
}

/// Axes of a view: each steps as some axis of the operand does, the same way or by several at once.
fn view(history: &History, operand: usize, location: &Location) -> Vec<Axis> {
    let of = &history.operands[operand].location.layout;
    let mut free: Vec<bool> = vec![true; of.rank()];
    let mut axes = Vec::new();
    for (&extent, &stride) in location.layout.shape().iter().zip(location.layout.strides()) {
        let steps = |d: &usize| {
            let (n, own) = (of.shape()[*d], of.strides()[*d]);
            free[*d] && own != 0 && stride % own == 0 && (stride / own).unsigned_abs() * (extent.max(1) - 1) < n.max(1)
        };
        let longest = (0..of.rank()).filter(steps).max_by_key(|d| of.strides()[*d].unsigned_abs());
        let from = match longest {
            Some(axis) if extent != 1 && stride != 0 => {
                free[axis] = false;
                Origin::Axis { operand, axis, step: stride / of.strides()[axis] }
            }
            _ if extent == 1 => Origin::New,
            _ => Origin::Repeated,
        };
        axes.push(Axis { extent, from });
    }
    axes
}

/// Axes by which elements are read: walking along an axis of the result walks along one of an operand by even steps, or along
/// one of the index arrays that lead there, or stays.
fn by_cells(operands: &[Operand], result: &Outcome) -> Option<Vec<Axis>> {
    let total: usize = result.shape.iter().product();
    if total == 0 || result.cells.len() != total {
        return None;
    }
    let all = |k: usize| {
        let combined = |how| matches!(how, How::Copy | How::Sum | How::Prod | How::Mean | How::Max | How::Min);
        Some(&result.cells.get(k).filter(|c| c.at == k && !c.with_self && combined(c.how))?.sources)
    };
    let mut weight = 1;
    let mut axes = Vec::with_capacity(result.shape.len());
    for &extent in result.shape.iter().rev() {
        let mut walk = Walk { operands, steps: None, along: Vec::new(), beside: true };
        for k in (0..total).filter(|k| k / weight % extent + 1 < extent) {
            let (from, to) = (all(k)?, all(k + weight)?);
            if from.is_empty() || from.len() != to.len() {
                return None;
            }
            // Elements that are combined move together.
            from.iter().zip(to).try_for_each(|(from, to)| walk.step(from, to))?;
        }
        axes.push(Axis { extent, from: walk.origin() });
        weight *= extent;
    }
    axes.reverse();
    Some(axes)
}

/// What changes from one element of a result to the next along one of its axes.
struct Walk<'w> {
    operands: &'w [Operand],
    steps: Option<Step>,
    /// Axes of the data along which the places differ.
    along: Vec<usize>,
    /// Whether every step along an axis of an index is one along that axis of the data too, as in `gather`.
    beside: bool,
}

/// One step.
#[derive(Clone, PartialEq)]
enum Step {
    /// The same element again.
    Stays,
    /// Along an axis of the operand.
    Data { operand: usize, axis: usize, step: isize },
    /// Along an axis of index arrays.
    Index { operands: Vec<usize>, axis: usize },
}

impl Walk<'_> {
    /// Takes note of a step; nothing where steps differ.
    fn step(&mut self, from: &Source, to: &Source) -> Option<()> {
        let operand = from.operand.filter(|operand| to.operand == Some(*operand))?;
        let shape = &self.operands.get(operand)?.shape;
        let differ = differences(shape, from.at, to.at);
        let step = match (self.led(from, to)?, &differ[..]) {
            (Some((operands, axis)), _) => {
                self.along.extend(differ.iter().map(|(axis, _)| axis));
                self.beside &= differ.contains(&(axis, 1));
                Step::Index { operands, axis }
            }
            (None, []) => Step::Stays,
            (None, [(axis, step)]) => Step::Data { operand, axis: *axis, step: *step },
            (None, _) => return None,
        };
        match &self.steps {
            Some(known) if *known != step => None,
            Some(_) => Some(()),
            None => {
                self.steps = Some(step);
                Some(())
            }
        }
    }

    /// The index arrays that are walked by one element, all along the same axis; nothing else than that may move.
    fn led(&self, from: &Source, to: &Source) -> Option<Option<(Vec<usize>, usize)>> {
        if from.by.len() != to.by.len() {
            return None;
        }
        let mut moved: Option<(Vec<usize>, usize)> = None;
        for (a, b) in from.by.iter().zip(&to.by).filter(|(a, b)| a != b) {
            let shape = &self.operands.get(a.operand)?.shape;
            let differ = differences(shape, a.at, b.at);
            let ([(axis, 1)], true) = (&differ[..], a.operand == b.operand) else { return None };
            // Of arrays of fewer axes than others the last ones are meant.
            match &mut moved {
                None => moved = Some((vec![a.operand], *axis)),
                Some((operands, _)) => operands.push(a.operand),
            }
        }
        Some(moved)
    }

    fn origin(mut self) -> Origin {
        self.along.sort_unstable();
        self.along.dedup();
        match self.steps {
            None => Origin::New,
            Some(Step::Stays) => Origin::Repeated,
            Some(Step::Data { operand, axis, step }) => Origin::Axis { operand, axis, step },
            Some(Step::Index { operands, axis }) => {
                if self.beside && self.along.len() > 1 {
                    self.along.retain(|along| *along != axis);
                }
                Origin::Index { operands, axis, along: self.along }
            }
        }
    }
}

/// The axes along which two positions differ, and by how much.
fn differences(shape: &[usize], mut from: usize, mut to: usize) -> Vec<(usize, isize)> {
    let mut found = Vec::new();
    for (axis, &extent) in shape.iter().enumerate().rev().filter(|(_, n)| **n > 0) {
        let step = (to % extent) as isize - (from % extent) as isize;
        if step != 0 {
            found.push((axis, step));
        }
        (from, to) = (from / extent, to / extent);
    }
    found
}

/// Axes of what is worked out element by element: by the extents of operands aligned at the last axis, as broadcasting aligns
/// them. Without operands all are new.
fn by_extents(operands: &[Operand], outcome: &Outcome, kind: Kind) -> Option<Vec<Axis>> {
    let shape = &outcome.shape;
    let extent =
        |known: &Operand, axis: usize| known.shape.get((axis + known.shape.len()).checked_sub(shape.len())?).copied();
    let broadcast = shape.iter().enumerate().all(|(axis, &n)| {
        let mut there = operands.iter().filter_map(|known| extent(known, axis)).filter(|own| *own != 1).peekable();
        if there.peek().is_none() { n == 1 } else { there.all(|own| own == n) }
    });
    let fits = broadcast && operands.iter().all(|known| known.shape.len() <= shape.len());
    let by_extents = fits && matches!(kind, Kind::Value | Kind::Read | Kind::Sort | Kind::Search);
    if !operands.is_empty() && !by_extents {
        return None;
    }
    let from = |(axis, &n): (usize, &usize)| {
        let found = operands.iter().position(|known| extent(known, axis) == Some(n));
        let origin = found.map_or(Origin::New, |operand| Origin::Axis {
            operand,
            axis: axis + operands[operand].shape.len() - shape.len(),
            step: 1,
        });
        Axis { extent: n, from: origin }
    };
    let axes: Vec<Axis> = shape.iter().enumerate().map(from).collect();
    let kept = |cell: &Cell| cell.sources.iter().all(|source| in_place(operands, shape, &axes, cell.at, source));
    (kind == Kind::Sort || outcome.cells.iter().all(kept)).then_some(axes)
}

/// Whether a source lies where these axes say that it does.
fn in_place(operands: &[Operand], shape: &[usize], axes: &[Axis], at: usize, source: &Source) -> bool {
    let Some(operand) = source.operand else { return true };
    let (own, there) = (coordinates(shape, at), coordinates(&operands[operand].shape, source.at));
    axes.iter().zip(own).all(|(axis, k)| match axis.from {
        Origin::Axis { operand: of, axis, .. } if of == operand => there.get(axis) == Some(&k),
        _ => true,
    })
}

fn coordinates(shape: &[usize], mut at: usize) -> Vec<usize> {
    let mut found: Vec<usize> = shape
        .iter()
        .rev()
        .map(|&extent| {
            let k = at % extent.max(1);
            at /= extent.max(1);
            k
        })
        .collect();
    found.reverse();
    found
}
