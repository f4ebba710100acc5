//! Where the axes of a result come from, as far as strides and elements tell.

use takewise::strategy::Lain;

use crate::data::{Axis, Memory, Origin, Outcome};
use crate::history::History;

/// The axes of a result of which nobody has said more.
pub(crate) fn origins(history: &History, outcome: &Outcome, lain: &Lain) -> Vec<Axis> {
    match (outcome.memory, outcome.base) {
        (Memory::View { operand }, _) => view(history, operand, lain),
        (_, Some(operand)) if history.operands[operand].lain.layout.shape() == outcome.shape => {
            whole(operand, &outcome.shape)
        }
        _ => Vec::new(),
    }
}

fn whole(operand: usize, shape: &[usize]) -> Vec<Axis> {
    let axis = |(axis, &extent): (usize, &usize)| Axis { extent, from: Origin::Axis { operand, axis, step: 1 } };
    shape.iter().enumerate().map(axis).collect()
}

/// Axes of a view: each steps as some axis of the operand does, the same way or by several at once.
fn view(history: &History, operand: usize, lain: &Lain) -> Vec<Axis> {
    let of = &history.operands[operand].lain.layout;
    let mut free: Vec<bool> = vec![true; of.rank()];
    let mut axes = Vec::new();
    for (&extent, &stride) in lain.layout.shape().iter().zip(lain.layout.strides()) {
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
