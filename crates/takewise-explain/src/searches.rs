//! Searches: what each value is compared with.

use takewise::strategy::{Location, Note};

use crate::data::{Compared, Operand, Pointer, Role, Searched};
use crate::history::{DATA, History, VALUES};
use crate::place;
use crate::provenance::Provenance;

/// Every value that was searched for.
pub(crate) fn all(history: &History, operands: &mut Vec<Operand>) -> Vec<Searched> {
    let mut all = Vec::new();
    for (k, note) in history.notes.iter().enumerate() {
        let Note::Search { sequence, sorter, values, number, axis, right, found, order, .. } = note else { continue };
        let row = Row { history, note: k, sequence, sorter: sorter.as_ref(), axis: *axis, order };
        for (at, &found) in found.iter().enumerate() {
            let value = match values {
                Some(values) => row.element(place::address(values, at), VALUES),
                None => Some(Pointer { operand: numbered(operands, number.map(crate::text::scalar)), at: 0 }),
            };
            let coordinates = values.as_ref().map(|v| takewise::layout::unravel(at, v.layout.shape()));
            if let Some(searched) = value.and_then(|value| row.searched(value, coordinates.as_deref(), found, *right)) {
                all.push(searched);
            }
        }
    }
    all
}

/// The operand for a number of the call itself.
fn numbered(operands: &mut Vec<Operand>, number: Option<String>) -> usize {
    let values = number.map(|number| vec![number]);
    let known = operands.iter().position(|o| o.role == Role::Values && o.shape.is_empty() && o.values == values);
    known.unwrap_or_else(|| {
        let (name, dtype) = ("value".to_owned(), "number".to_owned());
        operands.push(Operand { name, role: Role::Values, shape: Vec::new(), dtype, strides: Vec::new(), values });
        operands.len() - 1
    })
}

struct Row<'a> {
    history: &'a History,
    note: usize,
    sequence: &'a Location,
    sorter: Option<&'a Location>,
    axis: usize,
    order: &'a [Option<usize>],
}

impl Row<'_> {
    fn element(&self, address: usize, roles: &[Role]) -> Option<Pointer> {
        match &self.history.origin(address, self.note, roles) {
            Provenance::Element(pointer) => Some(*pointer),
            other => other.pointers().first().copied(),
        }
    }

    /// The search for a value at some coordinates, which are the row's but for the axis.
    fn searched(&self, value: Pointer, at: Option<&[usize]>, found: usize, right: bool) -> Option<Searched> {
        let shape = self.sequence.layout.shape();
        let length = shape.get(self.axis).copied()?;
        let mut first = vec![0; shape.len()];
        if let Some(at) = at.filter(|at| shape.len() > 1 && at.len() == shape.len()) {
            first.copy_from_slice(at);
            first[self.axis] = 0;
        }
        let stride = self.sequence.layout.strides()[self.axis];
        let start = self.sequence.address.wrapping_add_signed(self.sequence.layout.offset(&first));
        let element = |place: usize| {
            self.element(start.wrapping_add_signed(place as isize * stride), &[Role::Sequence, Role::Data])
        };
        let (row, sequence) = match (length, element(0)) {
            (0, _) => (0, self.empty()?),
            (_, pointer) => (pointer?.at, pointer?.operand),
        };
        let step = if length > 1 { element(1)?.at as isize - row as isize } else { 1 };
        let mut compared = Vec::new();
        let (mut low, mut high) = (0, length);
        while low < high {
            let middle = low + (high - low) / 2;
            let after = middle < found;
            let place = match self.sorter {
                Some(sorter) => self.sorted(sorter, &first, middle),
                None => Some(middle),
            };
            let element = place.and_then(element).map(|pointer| pointer.at);
            compared.push(Compared { at: middle, element, after });
            if after { low = middle + 1 } else { high = middle }
        }
        let sorter = self.sorter.and_then(|sorter| self.element(sorter.address, &[Role::Sorter])).map(|p| p.operand);
        Some(Searched { value, sequence, row, length, step, sorter, found, right, compared })
    }

    /// The operand of a sequence without elements.
    fn empty(&self) -> Option<usize> {
        let sequence = |role: &[Role]| self.history.operands.iter().position(|known| role.contains(&known.role));
        sequence(&[Role::Sequence]).or_else(|| sequence(DATA))
    }

    /// The place that a sorter names in a row.
    fn sorted(&self, sorter: &Location, row: &[usize], place: usize) -> Option<usize> {
        let mut at = row.to_vec();
        at[self.axis] = place;
        let flat = at.iter().zip(sorter.layout.shape()).fold(0, |flat, (k, n)| flat * n + k);
        self.order.get(flat).copied().flatten()
    }
}
