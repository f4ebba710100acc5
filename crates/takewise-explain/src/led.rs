//! Where the axes of a result come from in operations that are led by an index, a mask or values.

use crate::data::{Axis, Operand, Origin, Role};

/// Where the axes of a result come from, by what the operation is called: `gather`, `take`, `index_select`, `nonzero` and the
/// like, in any library's spelling. `axis` is the one the call names, counted from the end where it is negative; without one
/// positions are flat where the operation allows that. Nothing for operations that are led by no index, and where the operands
/// do not fit.
///
/// ```
/// use takewise_explain::axes_led;
/// use takewise_explain::data::{Operand, Origin, Role};
/// let operand = |name: &str, role, shape: &[usize]| Operand {
///     name: name.into(), role, shape: shape.into(), dtype: "int64".into(), strides: vec![], values: None,
/// };
/// let operands = [operand("x", Role::Data, &[2, 3]), operand("i", Role::Index, &[2, 2])];
/// let axes = axes_led("gather", Some(1), &operands, &[2, 2]).unwrap();
/// assert_eq!(axes[0].from, Origin::Axis { operand: 1, axis: 0, step: 1 });
/// assert_eq!(axes[1].from, Origin::Index { operands: vec![1], axis: 1, along: vec![1] });
/// ```
pub fn axes_led(name: &str, axis: Option<i64>, operands: &[Operand], shape: &[usize]) -> Option<Vec<Axis>> {
    let led = Led::of(operands, shape);
    let axes = led.by_name(name, axis)?;
    axes.iter().map(|a| a.extent).eq(shape.iter().copied()).then_some(axes)
}

/// The operands by what they are for.
struct Led<'l> {
    operands: &'l [Operand],
    shape: &'l [usize],
    data: Option<usize>,
    index: Option<usize>,
    mask: Option<usize>,
    values: Option<usize>,
    sequence: Option<usize>,
}

impl<'l> Led<'l> {
    fn of(operands: &'l [Operand], shape: &'l [usize]) -> Led<'l> {
        let first = |role: Role| operands.iter().position(|o| o.role == role);
        let [data, index, mask] = [Role::Data, Role::Index, Role::Mask].map(first);
        let [values, sequence] = [Role::Values, Role::Sequence].map(first);
        Led { operands, shape, data, index, mask, values, sequence }
    }

    fn by_name(&self, name: &str, axis: Option<i64>) -> Option<Vec<Axis>> {
        if let (Some(values), Some(sequence)) = (self.values, self.sequence) {
            // Axes that the values do not have, or of extent 1, are the sequence's.
            let of = |operand: usize, axis: usize| {
                let own = &self.operands[operand].shape;
                let at = (axis + own.len()).checked_sub(self.shape.len())?;
                (own[at] == self.shape[axis]).then_some(Origin::Axis { operand, axis: at, step: 1 })
            };
            return Some(self.each(|axis| of(values, axis).or_else(|| of(sequence, axis)).unwrap_or(Origin::New)));
        }
        if let ("where", Some(mask), 1) = (name, self.mask, self.operands.len()) {
            return Some(self.coordinates(mask));
        }
        let data = self.data?;
        let input = &self.operands[data].shape;
        let axis = match axis {
            None => None,
            Some(axis) => Some(within(axis, input.len())?),
        };
        match name {
            "gather" | "gather_elements" | "gather_d" | "take_along_dim" | "take_along_axis" => self.along(axis),
            "gather_axis" | "index_select" => self.chosen(axis?, 1, vec![axis?]),
            "take" => match axis {
                None => self.chosen(0, input.len(), vec![]),
                Some(at) => self.chosen(at, 1, vec![at]),
            },
            "embedding" => self.chosen(0, 1, vec![0]),
            "gather_nd" => {
                let last = *self.operands[self.index?].shape.last()?;
                self.tuples(last)
            }
            "masked_select" | "extract" | "compress" => self.masked(self.mask?, axis),
            "nonzero" | "argwhere" | "flatnonzero" => Some(self.coordinates(data)),
            "sort" | "argsort" | "msort" => Some(self.whole(data)),
            _ => self.folded(axis?),
        }
    }

    fn each(&self, mut from: impl FnMut(usize) -> Origin) -> Vec<Axis> {
        self.shape.iter().enumerate().map(|(axis, &extent)| Axis { extent, from: from(axis) }).collect()
    }

    fn whole(&self, operand: usize) -> Vec<Axis> {
        self.each(|axis| Origin::Axis { operand, axis, step: 1 })
    }

    /// What is worked out along one axis of a lone array: that axis is gone, of size 1, or another selection of itself.
    fn folded(&self, gone: usize) -> Option<Vec<Axis>> {
        let [Operand { role: Role::Data, shape, .. }] = self.operands else { return None };
        let kept = shape.iter().enumerate().filter(|(axis, _)| *axis != gone).map(|(axis, _)| axis);
        let kept = if self.shape.len() == shape.len() { (0..shape.len()).collect() } else { kept.collect::<Vec<_>>() };
        let fits = |(axis, &n): (&usize, &usize)| *axis == gone || shape[*axis] == n;
        if shape.is_empty() || kept.len() != self.shape.len() || !kept.iter().zip(self.shape).all(fits) {
            return None;
        }
        Some(self.each(|at| match kept[at] {
            axis if axis == gone && self.shape[at] == 1 && shape[axis] != 1 => Origin::New,
            axis => Origin::Axis { operand: 0, axis, step: 1 },
        }))
    }

    fn coordinates(&self, operand: usize) -> Vec<Axis> {
        let along: Vec<usize> = (0..self.operands[operand].shape.len()).collect();
        self.each(|axis| match axis {
            0 => Origin::Mask { operand, along: along.clone() },
            _ => Origin::Coordinates,
        })
    }

    /// One element of the index for each of the result, along one axis of the data.
    fn along(&self, axis: Option<usize>) -> Option<Vec<Axis>> {
        let operand = self.index?;
        Some(match axis {
            None => self.each(|axis| Origin::Index { operands: vec![operand], axis, along: vec![] }),
            Some(dim) => self.each(|a| match a == dim {
                true => Origin::Index { operands: vec![operand], axis: a, along: vec![a] },
                false => Origin::Axis { operand, axis: a, step: 1 },
            }),
        })
    }

    /// The axes of the index in the place of `gone` axes of the data from `at` on.
    fn chosen(&self, at: usize, gone: usize, along: Vec<usize>) -> Option<Vec<Axis>> {
        let (data, index) = (self.data?, self.index?);
        let rank = self.operands[index].shape.len();
        Some(self.each(|axis| match axis {
            a if a < at => Origin::Axis { operand: data, axis: a, step: 1 },
            a if a < at + rank => Origin::Index { operands: vec![index], axis: a - at, along: along.clone() },
            a => Origin::Axis { operand: data, axis: a + gone - rank, step: 1 },
        }))
    }

    /// The axes of the index but the last, whose elements are coordinates along the first axes of the data.
    fn tuples(&self, last: usize) -> Option<Vec<Axis>> {
        let (data, index) = (self.data?, self.index?);
        let rank = self.operands[index].shape.len().checked_sub(1)?;
        Some(self.each(|axis| match axis {
            a if a < rank => Origin::Index { operands: vec![index], axis: a, along: (0..last).collect() },
            a => Origin::Axis { operand: data, axis: a + last - rank, step: 1 },
        }))
    }

    /// Where a mask selects along an axis, or from the whole of the data.
    fn masked(&self, operand: usize, axis: Option<usize>) -> Option<Vec<Axis>> {
        let data = self.data?;
        let rank = self.operands[data].shape.len();
        Some(self.each(|a| match axis {
            None => Origin::Mask { operand, along: (0..rank).collect() },
            Some(at) if at == a => Origin::Mask { operand, along: vec![a] },
            Some(_) => Origin::Axis { operand: data, axis: a, step: 1 },
        }))
    }
}

/// An axis counted from the front.
fn within(axis: i64, rank: usize) -> Option<usize> {
    let at = if axis < 0 { axis + rank as i64 } else { axis };
    usize::try_from(at).ok().filter(|at| *at < rank.max(1))
}
