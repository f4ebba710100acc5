//! Reading a normal form the slow way.

#![allow(dead_code)] // each test reads its part of the outcome

use takewise::Index;
use takewise::index::{Normalized, mask, normalize};
use takewise::layout::{Coordinates, Layout};
use takewise::op::Op;
use takewise::{AnyView, DType, Error, Rules};
use takewise_testkit::parse;

pub(crate) enum Outcome {
    /// Shape, elements in row-major order, and whether the result shares memory with the array.
    Read {
        shape: Vec<usize>,
        values: Vec<i64>,
        view: bool,
    },
    /// The first value out of range: axis and value.
    Outside(usize, i64),
    Error(Error),
}

/// `arange(x).reshape(x)[text]`.
pub(crate) fn parse_and_read(rules: &Rules, x: &[usize], text: &str) -> Outcome {
    let parsed = parse::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    read(rules, x, &parse::bind(&parsed, |_| None).expect("no names"))
}

/// `arange(x).reshape(x)[items]`.
pub(crate) fn read(rules: &Rules, x: &[usize], items: &[Index<'_>]) -> Outcome {
    let layout = Layout::contiguous(x, 1).expect("small");
    match normalize(Op::Index, &layout, 1, items, rules) {
        Ok(n) => elements(&n, rules),
        Err(e) => Outcome::Error(e),
    }
}

/// With one byte per element, the byte offset is the element.
fn elements(n: &Normalized<'_>, rules: &Rules) -> Outcome {
    let shape = n.shape().to_vec();
    if !n.advanced {
        let (offset, layout) = n.view();
        let values = Coordinates::new(&shape).map(|c| (offset + layout.offset(&c)) as i64).collect();
        return Outcome::Read { shape, values, view: true };
    }
    for a in n.arrays.iter().filter(|_| !n.forgives()) {
        for at in Coordinates::new(&n.index_shape) {
            let value = int(&a.values.view(), &a.steps, &at);
            if rules.place(value as i128, a.len).is_none() {
                return Outcome::Outside(a.axis, value);
            }
        }
    }
    let positions = n.mask.as_ref().map(|m| mask::positions(&m.mask).expect("small"));
    let values = Coordinates::new(&shape).map(|c| {
        let mut offset = n.offset;
        let mut at = vec![0; n.index_shape.len()];
        for (dim, &i) in n.dims.iter().zip(&c) {
            offset += dim.step * i as isize;
            if let Some(b) = dim.index {
                at[b] = i;
            }
        }
        for a in &n.arrays {
            let value = int(&a.values.view(), &a.steps, &at);
            offset += a.step * rules.place(value as i128, a.len).expect("checked") as isize;
        }
        if let (Some(m), Some(lists)) = (&n.mask, &positions) {
            offset += m.steps.iter().zip(lists).map(|(s, l)| s * l[at[0]] as isize).sum::<isize>();
        }
        offset as i64
    });
    Outcome::Read { shape: shape.clone(), values: values.collect(), view: false }
}

/// The value at an index coordinate, reached by the normal form's own byte steps.
fn int(view: &AnyView<'_>, steps: &[isize], at: &[usize]) -> i64 {
    assert_eq!(view.dtype(), DType::I64);
    let byte: isize = steps.iter().zip(at).map(|(s, i)| s * *i as isize).sum();
    let own = Layout::contiguous(view.shape(), 8).expect("small");
    let at = Coordinates::new(view.shape()).find(|c| own.offset(c) == byte).expect("a step inside the operand");
    let bytes = view.bytes_at(&at).expect("inside");
    i64::from_ne_bytes(bytes[..8].try_into().expect("eight"))
}
