//! A handful of values in one lane: each is searched for by itself, with nothing set up for blocks, loops and threads,
//! which would cost more than the searches.
//!
//! Obligations: **L1**, **E1** as in the parent module.

use super::halving::{LANES, Straight, find_one};
use super::job::{Reading, Sought, Steps, read_key};
use super::lane::Keyed;
use super::operand::Operand;
use super::typed::Typed;
use crate::dtype::DType;
use crate::search::order::{Hay, Key};

/// A search for a handful of values, whose operands fit together.
pub(super) struct Handful<'a> {
    probe: Straight,
    len: usize,
    /// Values, their dtype and the step between them, unless one number is searched for.
    values: Option<(*const u8, DType, isize)>,
    number: Key,
    count: usize,
    out: *mut u8,
    int32: bool,
    out_step: isize,
    reading: &'a Reading,
}

impl<'a> Handful<'a> {
    /// The search, if there are fewer values than would be searched for side by side, evenly spaced like their results.
    pub(super) fn of(
        sequence: &Operand<'_>,
        sought: &Sought<'_>,
        out: &Operand<'_>,
        reading: &'a Reading,
    ) -> Option<Handful<'a>> {
        let (&[len], &[step]) = (sequence.shape, sequence.strides) else { return None };
        let (count, int32) = (out.count(), out.dtype == DType::I32);
        if count >= LANES {
            return None;
        }
        let out_step = even(out)?;
        let (values, number) = match sought {
            Sought::Each(v) => (Some((v.at.cast_const(), v.dtype, even(v)?)), Key::Int(0)),
            Sought::One(key) => (None, *key),
        };
        let probe = Straight { at: sequence.at, step };
        Some(Handful { probe, len, values, number, count, out: out.at, int32, out_step, reading })
    }

    fn search<H: Hay>(&self) {
        let comparison = &self.reading.comparison;
        for k in 0..self.count as isize {
            let key = match self.values {
                // SAFETY: L1: so many values lie so far apart.
                Some((values, dtype, step)) => unsafe { read_key(values.offset(k * step), dtype) },
                None => self.number,
            };
            let goal = H::goal(comparison.rounded(key), comparison);
            let found = find_one::<H, _>(&self.probe, &Steps::default(), self.len, goal);
            // SAFETY: L1 and L3 of the output, E1: a place for each value; `search` checked its dtype.
            unsafe {
                let to = self.out.offset(k * self.out_step);
                match self.int32 {
                    true => to.cast::<i32>().write_unaligned(found as i32),
                    false => to.cast::<i64>().write_unaligned(found as i64),
                }
            }
        }
    }
}

/// Bytes from each element to the next, where they are the same throughout.
fn even(operand: &Operand<'_>) -> Option<isize> {
    match operand.strides {
        &[step] => Some(step),
        _ => operand.is_contiguous().then_some(operand.dtype.size() as isize),
    }
}

impl Typed for &Handful<'_> {
    type Result = ();

    fn keyed<H: Keyed>(self) {
        self.search::<H>();
    }

    fn plain<H: Hay>(self) {
        self.search::<H>();
    }
}
