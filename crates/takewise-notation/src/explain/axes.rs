//! Where the axes of a result come from.

use std::rc::Rc;

use takewise::index::normalize::{Normalized, normalize};
use takewise::op::Op;
use takewise::{Layout, Rules};
use takewise_dialects::object::{self, Item};
use takewise_dialects::sig::{self, Arguments};
use takewise_dialects::{Array, Context, Value};
use takewise_explain::data::{Axis, Explanation, How, Origin, Outcome, Role};

use super::action::Action;
use super::operands::Slot;

/// What is known of a call when its axes are asked for: the operands by their numbers in the explanation.
pub(super) struct Known<'k> {
    pub(super) action: &'k Action,
    pub(super) slots: &'k [Slot],
    pub(super) context: &'k Rc<Context>,
}

impl Known<'_> {
    /// Fills in the axes of every result.
    pub(super) fn axes(&self, explanation: &mut Explanation) {
        let mut all: Vec<Vec<Axis>> = explanation.results.iter().map(|r| self.of(explanation, r)).collect();
        for (result, axes) in explanation.results.iter_mut().zip(all.drain(..)) {
            result.axes = axes;
        }
    }

    /// What the operation says comes first, then what the memory of the result has told, then its elements.
    fn of(&self, whole: &Explanation, result: &Outcome) -> Vec<Axis> {
        if result.base.is_some() && !result.axes.is_empty() {
            return result.axes.clone();
        }
        let told = || Some(result.axes.clone()).filter(|axes| axes.len() == result.shape.len());
        self.by_name(result)
            .or_else(told)
            .or_else(|| by_cells(whole, result))
            .unwrap_or_else(|| self.by_extents(result))
    }

    /// The origins that follow from what the operation is.
    fn by_name(&self, result: &Outcome) -> Option<Vec<Axis>> {
        match self.action {
            Action::Get(array, key) => self.subscript(array, key, &array.face.rules.get),
            Action::Call(Value::Method(receiver, f), _) if f.name.ends_with("get") => match &**receiver {
                Value::At(array, Some(key)) => self.subscript(array, key, &array.face.rules.get),
                _ => None,
            },
            Action::Call(function, arguments) => self.function(function, arguments, result),
            _ => None,
        }
        .filter(|axes| axes.iter().map(|a| a.extent).eq(result.shape.iter().copied()))
    }

    fn number(&self, role: Role) -> Option<usize> {
        self.slots.iter().position(|s| s.role == role)
    }

    fn subscript(&self, array: &Array, key: &Value, rules: &Rules) -> Option<Vec<Axis>> {
        let items = object::items(array.face, key).ok()?;
        let open: Vec<_> =
            items.iter().map(|i| if let Item::Tensor(t) = i { t.read_any().ok() } else { None }).collect();
        let index: Vec<takewise::Index<'_>> = items
            .iter()
            .zip(&open)
            .map(|(item, open)| match open {
                Some(guard) => takewise::Index::Array(guard.view()),
                None => item.index(),
            })
            .collect();
        let tensor = array.tensor();
        // By an array of the same shape whose strides tell the axes apart, and none is 0.
        let layout = Layout::contiguous(tensor.shape(), 1).ok()?;
        let normal = normalize(Op::Index, &layout, 1, &index, rules).ok()?;
        Some(self.normal(&normal, layout.strides()))
    }

    fn normal(&self, normal: &Normalized<'_>, strides: &[isize]) -> Vec<Axis> {
        let data = self.number(Role::Data).unwrap_or(0);
        let indices: Vec<usize> = self.roles(&[Role::Index, Role::Mask]);
        let masks = self.roles(&[Role::Mask]);
        let mut along: Vec<usize> = normal.arrays.iter().map(|a| a.axis).collect();
        along.dedup();
        let origin = |dim: &takewise::index::normalize::Dim| match (dim.index, dim.axis) {
            (Some(_), _) if normal.mask.is_some() => {
                let covered = normal.mask.as_ref().map_or(0..0, |m| m.axis..m.axis + m.steps.len());
                Origin::Mask { operand: masks.first().copied().unwrap_or(0), along: covered.collect() }
            }
            (Some(axis), _) => Origin::Index { operands: indices.clone(), axis, along: along.clone() },
            (None, Some(axis)) => {
                let step = match strides.get(axis) {
                    Some(&stride) if stride != 0 => dim.step / stride,
                    _ => 1,
                };
                Origin::Axis { operand: data, axis, step }
            }
            (None, None) => Origin::New,
        };
        normal.dims.iter().map(|dim| Axis { extent: dim.extent, from: origin(dim) }).collect()
    }

    fn roles(&self, wanted: &[Role]) -> Vec<usize> {
        self.slots.iter().enumerate().filter(|(_, s)| wanted.contains(&s.role)).map(|(k, _)| k).collect()
    }

    /// Where the axes come from in functions that are led by an index, a mask or values.
    fn function(&self, function: &Value, arguments: &Arguments, result: &Outcome) -> Option<Vec<Axis>> {
        let (f, receiver) = match function {
            Value::Function(f) => (f, None),
            Value::Method(receiver, f) => (f, Some((**receiver).clone())),
            _ => return None,
        };
        let (_, call) = sig::bind(f, receiver, arguments.clone(), Rc::clone(self.context)).ok()?;
        let axis = || ["dim", "axis"].iter().find_map(|name| call.get(name)?.as_int());
        let shape = &result.shape;
        let data = self.number(Role::Data)?;
        let (index, mask, values) = (self.number(Role::Index), self.number(Role::Mask), self.number(Role::Values));
        let input = self.slots[data].array.shape();
        let within = |dim: i128, rank: usize| {
            let at = if dim < 0 { dim + rank as i128 } else { dim };
            usize::try_from(at).ok().filter(|at| *at < rank.max(1))
        };
        let whole = |operand: usize| each(shape, |axis| Origin::Axis { operand, axis, step: 1 });
        let led = |axis: usize, along: Vec<usize>| Some(Origin::Index { operands: vec![index?], axis, along });
        // The axes of the index in the place of one axis of the data, or of the first few.
        let chosen = |at: usize, gone: usize, rank: usize, along: Vec<usize>| -> Option<Vec<Axis>> {
            let from = |axis: usize| match axis {
                a if a < at => Some(Origin::Axis { operand: data, axis: a, step: 1 }),
                a if a < at + rank => led(a - at, along.clone()),
                a => Some(Origin::Axis { operand: data, axis: a + gone - rank, step: 1 }),
            };
            shape.iter().enumerate().map(|(i, &extent)| Some(Axis { extent, from: from(i)? })).collect()
        };
        let index_rank = || index.map(|k| self.slots[k].array.shape().len());
        match f.name {
            "gather" if call.has("input_indices") => {
                let at = within(axis()?, input.len())?;
                chosen(at, 1, index_rank()?, vec![at])
            }
            "gather" | "gather_elements" | "gather_d" | "take_along_dim" | "take_along_axis" => {
                let Some(dim) = axis() else { return Some(each(shape, |a| led(a, vec![]).unwrap_or(Origin::New))) };
                let dim = within(dim, shape.len())?;
                let operand = index?;
                Some(each(shape, |a| match a == dim {
                    true => Origin::Index { operands: vec![operand], axis: a, along: vec![a] },
                    false => Origin::Axis { operand, axis: a, step: 1 },
                }))
            }
            "index_select" => {
                let at = within(axis()?, input.len())?;
                chosen(at, 1, 1, vec![at])
            }
            "take" => match axis() {
                None => chosen(0, input.len(), index_rank()?, vec![]),
                Some(dim) => {
                    let at = within(dim, input.len())?;
                    chosen(at, 1, index_rank()?, vec![at])
                }
            },
            "embedding" => chosen(0, 1, index_rank()?, vec![0]),
            "gather_nd" => {
                let rank = index_rank()?;
                let last = *self.slots[index?].array.shape().last()?;
                chosen(0, last, rank.checked_sub(1)?, (0..last).collect())
            }
            "masked_select" | "extract" | "compress" => masked(data, mask?, &input, axis(), shape),
            "nonzero" | "argwhere" | "flatnonzero" => Some(self.coordinates(data, shape)),
            "sort" | "argsort" | "msort" => Some(whole(data)),
            _ if values.is_some() && self.number(Role::Sequence).is_some() => values.map(whole),
            _ => None,
        }
        .or_else(|| match (f.name, mask) {
            ("where", Some(mask)) if self.slots.len() == 1 => Some(self.coordinates(mask, shape)),
            _ => None,
        })
    }

    fn coordinates(&self, operand: usize, shape: &[usize]) -> Vec<Axis> {
        let along: Vec<usize> = (0..self.slots[operand].array.shape().len()).collect();
        each(shape, |axis| match axis {
            0 => Origin::Mask { operand, along: along.clone() },
            _ => Origin::Coordinates,
        })
    }

    /// Axes by the extents of operands aligned at the last axis, as broadcasting aligns them.
    fn by_extents(&self, result: &Outcome) -> Vec<Axis> {
        let rank = result.shape.len();
        let shapes: Vec<_> = self.slots.iter().map(|s| s.array.shape()).collect();
        each(&result.shape, |axis| {
            let found = shapes.iter().enumerate().find_map(|(operand, shape)| {
                let own = (axis + shape.len()).checked_sub(rank)?;
                (shape.get(own) == Some(&result.shape[axis])).then_some((operand, own))
            });
            found.map_or(Origin::New, |(operand, axis)| Origin::Axis { operand, axis, step: 1 })
        })
    }
}

/// Where a mask selects along an axis, or from the whole of the data.
fn masked(data: usize, operand: usize, input: &[usize], dim: Option<i128>, shape: &[usize]) -> Option<Vec<Axis>> {
    let rank = input.len();
    let at = dim.map(|dim| usize::try_from(if dim < 0 { dim + rank as i128 } else { dim }).ok());
    let at = match at {
        None => None,
        Some(at) => Some(at.filter(|at| *at < rank)?),
    };
    Some(each(shape, |a| match at {
        None => Origin::Mask { operand, along: (0..rank).collect() },
        Some(at) if at == a => Origin::Mask { operand, along: vec![a] },
        Some(_) => Origin::Axis { operand: data, axis: a, step: 1 },
    }))
}

fn each(shape: &[usize], mut from: impl FnMut(usize) -> Origin) -> Vec<Axis> {
    shape.iter().enumerate().map(|(axis, &extent)| Axis { extent, from: from(axis) }).collect()
}

/// Axes by which elements are read: walking along an axis of the result walks along one of an operand by even steps, or stays.
fn by_cells(whole: &Explanation, result: &Outcome) -> Option<Vec<Axis>> {
    let total: usize = result.shape.iter().product();
    let one = |k: usize| {
        let cell = result.cells.get(k).filter(|c| c.at == k && c.how == How::Copy)?;
        match &cell.sources[..] {
            [source] => Some((source.operand?, source.at)),
            _ => None,
        }
    };
    if total == 0 || result.cells.len() != total {
        return None;
    }
    let operand = one(0)?.0;
    let shape = &whole.operands.get(operand)?.shape;
    let mut weight = 1;
    let mut axes = Vec::with_capacity(result.shape.len());
    for &extent in result.shape.iter().rev() {
        let mut walked: Option<Option<(usize, isize)>> = None;
        for k in (0..total).filter(|k| k / weight % extent + 1 < extent) {
            let ((a, from), (b, to)) = (one(k)?, one(k + weight)?);
            let step = (a == operand && b == operand).then(|| between(shape, from, to)).flatten()?;
            if *walked.get_or_insert(step) != step {
                return None;
            }
        }
        let from = match walked {
            None => Origin::New,
            Some(None) => Origin::Repeated,
            Some(Some((axis, step))) => Origin::Axis { operand, axis, step },
        };
        axes.push(Axis { extent, from });
        weight *= extent;
    }
    axes.reverse();
    Some(axes)
}

/// The one axis along which two positions differ, and by how much; nothing where they differ along several.
fn between(shape: &[usize], from: usize, to: usize) -> Option<Option<(usize, isize)>> {
    let (mut from, mut to, mut found) = (from, to, None);
    for (axis, &extent) in shape.iter().enumerate().rev() {
        let step = (to % extent) as isize - (from % extent) as isize;
        if step != 0 && found.replace((axis, step)).is_some() {
            return None;
        }
        (from, to) = (from / extent, to / extent);
    }
    Some(found)
}
