//! Where the axes of a result come from.

use std::rc::Rc;

use takewise::OwnedIndex as Item;
use takewise::index::normalize::{Normalized, normalize};
use takewise::op::Op;
use takewise::{Layout, Rules};
use takewise_dialects::object;
use takewise_dialects::sig::{self, Arguments};
use takewise_dialects::{Array, Context, Value};
use takewise_explain::axes_led;
use takewise_explain::data::{Axis, Explanation, Origin, Outcome, Role};

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
        // What the operation says comes before what memory and elements have told, but for writes, which keep the axes of
        // what they write into.
        let of = |result: &Outcome| if result.base.is_some() { None } else { self.by_name(explanation, result) };
        let all: Vec<Option<Vec<Axis>>> = explanation.results.iter().map(of).collect();
        for (result, axes) in explanation.results.iter_mut().zip(all) {
            if let Some(axes) = axes {
                result.axes = axes;
            }
        }
    }

    /// The origins that follow from what the operation is.
    fn by_name(&self, whole: &Explanation, result: &Outcome) -> Option<Vec<Axis>> {
        match self.action {
            Action::Get(array, key) => self.subscript(array, key, &array.face.rules.get),
            Action::Call(Value::Method(receiver, f), _) if f.name.ends_with("get") => match &**receiver {
                Value::At(array, Some(key)) => self.subscript(array, key, &array.face.rules.get),
                _ => None,
            },
            Action::Call(function, arguments) => self.function(function, arguments, whole, result),
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
                None => item.lent(),
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
    fn function(
        &self,
        function: &Value,
        arguments: &Arguments,
        whole: &Explanation,
        result: &Outcome,
    ) -> Option<Vec<Axis>> {
        let (f, receiver) = match function {
            Value::Function(f) => (f, None),
            Value::Method(receiver, f) => (f, Some((**receiver).clone())),
            _ => return None,
        };
        let (_, call) = sig::bind(f, receiver, arguments.clone(), Rc::clone(self.context)).ok()?;
        let axis = ["dim", "axis"].iter().find_map(|name| call.get(name)?.as_int());
        let name = if f.name == "gather" && call.has("input_indices") { "gather_axis" } else { f.name };
        axes_led(name, axis.and_then(|axis| i64::try_from(axis).ok()), &whole.operands, &result.shape)
    }
}
