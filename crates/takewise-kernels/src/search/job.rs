//! One search call, laid out: what is searched, for what, and the loops over values. Every way of searching reads it.
//!
//! Obligations: **L1**, **E1** as in the parent module.

use super::kept::Kept;
use super::operand::Operand;
use super::order::{Comparison, Goal, Hay, Key};
use crate::bounds::place;
use crate::dims::Dims;
use crate::dims::advance;
use crate::dtype::DType;
use crate::rules::{Outside, Sign};
use crate::scratch::Room;
use half::{bf16, f16};

/// Byte steps of the operands along one loop.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Steps {
    pub(super) values: isize,
    pub(super) sequence: isize,
    pub(super) sorter: isize,
    pub(super) out: isize,
}

impl Steps {
    pub(super) fn plus(self, n: isize, s: Steps) -> Steps {
        Steps {
            values: self.values + n * s.values,
            sequence: self.sequence + n * s.sequence,
            sorter: self.sorter + n * s.sorter,
            out: self.out + n * s.out,
        }
    }

    fn times(self, n: isize) -> Option<Steps> {
        Some(Steps {
            values: self.values.checked_mul(n)?,
            sequence: self.sequence.checked_mul(n)?,
            sorter: self.sorter.checked_mul(n)?,
            out: self.out.checked_mul(n)?,
        })
    }
}

/// A permutation read on the way to the sequence.
#[derive(Clone, Copy)]
pub(super) struct Sorter {
    pub(super) at: *const u8,
    pub(super) dtype: DType,
    /// Byte step along the searched axis.
    pub(super) step: isize,
}

/// What is searched for.
#[derive(Clone, Copy)]
pub enum Sought<'a> {
    /// Every element of an array.
    Each(Operand<'a>),
    /// One number; the result is 0-d.
    One(Key),
}

/// How sorters are read and results are written.
#[derive(Clone, Copy)]
pub struct Reading {
    /// How values and elements compare.
    pub comparison: Comparison,
    /// Whether NaN sorts last.
    pub nan_last: bool,
    pub sign: Sign,
    pub outside: Outside,
    /// The element that stands for a sorter value out of range, where the rules ask for one.
    pub missing: [u8; 16],
}

/// One search call, laid out.
pub(super) struct SearchCall<'a> {
    pub(super) sequence: *const u8,
    pub(super) dtype: DType,
    /// Length of the searched axis and its byte step.
    pub(super) len: usize,
    pub(super) step: isize,
    pub(super) sorter: Option<Sorter>,
    /// Values and their dtype, unless one number is searched for.
    pub(super) values: Option<(*const u8, DType)>,
    pub(super) number: Key,
    pub(super) out: *mut u8,
    pub(super) int32: bool,
    /// The loops over values, outer to inner.
    pub(super) extent: Dims<usize>,
    pub(super) steps: Dims<Steps>,
    pub(super) reading: Reading,
    pub(super) kept: Option<&'a Kept>,
    /// Where the memory of trees comes from.
    pub(super) room: Room,
}

// SAFETY: the pointers come from borrowed views that outlive the job; threads write disjoint results (E1).
unsafe impl Sync for SearchCall<'_> {}

impl SearchCall<'_> {
    /// Merges loops that walk all operands evenly and drops those of one step.
    pub(super) fn coalesce(&mut self) {
        let (mut extent, mut steps) = (Dims::<usize>::new(), Dims::<Steps>::new());
        for (&n, &s) in self.extent.iter().zip(&self.steps) {
            if n == 1 {
                continue;
            }
            match (extent.last_mut(), steps.last_mut()) {
                (Some(outer), Some(t)) if s.times(n as isize) == Some(*t) => {
                    *outer *= n;
                    *t = s;
                }
                _ => {
                    extent.push(n);
                    steps.push(s);
                }
            }
        }
        if extent.is_empty() {
            extent.push(self.extent.iter().product());
            steps.push(Steps::default());
        }
        (self.extent, self.steps) = (extent, steps);
    }

    /// Writes down the operand offsets of the next values, and moves on.
    pub(super) fn places(&self, at: &mut Dims<usize>, place: &mut Steps, out: &mut [Steps]) {
        let last = self.extent.len() - 1;
        let step = self.steps[last];
        let mut rest = out;
        while !rest.is_empty() {
            let run = (self.extent[last] - at[last]).min(rest.len());
            let (now, later) = rest.split_at_mut(run);
            let mut here = *place;
            for slot in now {
                *slot = here;
                here = here.plus(1, step);
            }
            advance(at, run, |d| self.extent[d], |d, by| *place = place.plus(by, self.steps[d]));
            rest = later;
        }
    }

    /// Works out the goals of the values that lie at `place(k)` bytes.
    pub(super) fn goals<H: Hay>(&self, place: impl Fn(usize) -> isize, goals: &mut [Goal<H::Goal>]) {
        let comparison = &self.reading.comparison;
        let Some((values, dtype)) = self.values else {
            goals.fill(H::goal(comparison.rounded(self.number), comparison));
            return;
        };
        for (k, goal) in goals.iter_mut().enumerate() {
            // SAFETY: L1, the loops stay inside the layout of the values.
            let key = unsafe { read_key(values.offset(place(k)), dtype) };
            *goal = H::goal(comparison.rounded(key), comparison);
        }
    }

    /// Writes down what was found for the values there.
    pub(super) fn store(&self, places: &[Steps], found: &[usize]) {
        for (place, &found) in places.iter().zip(found) {
            // SAFETY: L1 and L3 of the output, E1 between threads; `search` checked its dtype.
            unsafe {
                let to = self.out.offset(place.out);
                match self.int32 {
                    true => to.cast::<i32>().write_unaligned(found as i32),
                    false => to.cast::<i64>().write_unaligned(found as i64),
                }
            }
        }
    }

    /// The position in `0..len` (len > 0) that a sorter value means under the rules; `None` for the missing
    /// element. A value that should have raised, and changed since it was checked, is clipped: memory safety
    /// does not depend on sorters keeping still.
    #[inline]
    pub(super) fn position(&self, value: i128) -> Option<usize> {
        let outside = if self.reading.outside == Outside::Raise { Outside::Clip } else { self.reading.outside };
        place(value, self.len, self.reading.sign, outside)
    }
}

/// Reads one value of any dtype that has an order.
///
/// # Safety
/// L1: `at` is readable for one element of `dtype`.
pub(super) unsafe fn read_key(at: *const u8, dtype: DType) -> Key {
    /// One read.
    macro_rules! read {
        ($t:ty, $key:expr) => {
            // SAFETY: L1, from the caller.
            $key(unsafe { at.cast::<$t>().read_unaligned() })
        };
    }
    match dtype {
        DType::Bool => read!(u8, |v| Key::Int((v != 0) as i128)),
        DType::U8 => read!(u8, |v| Key::Int(v as i128)),
        DType::U16 => read!(u16, |v| Key::Int(v as i128)),
        DType::U32 => read!(u32, |v| Key::Int(v as i128)),
        DType::U64 => read!(u64, |v| Key::Int(v as i128)),
        DType::I8 => read!(i8, |v| Key::Int(v as i128)),
        DType::I16 => read!(i16, |v| Key::Int(v as i128)),
        DType::I32 => read!(i32, |v| Key::Int(v as i128)),
        DType::I64 => read!(i64, |v| Key::Int(v as i128)),
        DType::F16 => read!(f16, |v: f16| Key::Float(v.to_f64())),
        DType::BF16 => read!(bf16, |v: bf16| Key::Float(v.to_f64())),
        DType::F32 => read!(f32, |v| Key::Float(v as f64)),
        DType::F64 => read!(f64, Key::Float),
        DType::C64 => read!([f32; 2], |v: [f32; 2]| Key::Complex(v[0] as f64, v[1] as f64)),
        DType::C128 => read!([f64; 2], |v: [f64; 2]| Key::Complex(v[0], v[1])),
        // Records have no order; the caller refused them.
        DType::Opaque { .. } => Key::Int(0),
    }
}

/// Reads one integer of any integer dtype.
///
/// # Safety
/// L1: `at` is readable for one element of `dtype`.
#[inline]
pub unsafe fn read_integer(at: *const u8, dtype: DType) -> i128 {
    // SAFETY: L1, from the caller.
    unsafe {
        match dtype {
            DType::U8 => at.read() as i128,
            DType::I8 => at.cast::<i8>().read() as i128,
            DType::U16 => at.cast::<u16>().read_unaligned() as i128,
            DType::I16 => at.cast::<i16>().read_unaligned() as i128,
            DType::U32 => at.cast::<u32>().read_unaligned() as i128,
            DType::I32 => at.cast::<i32>().read_unaligned() as i128,
            DType::U64 => at.cast::<u64>().read_unaligned() as i128,
            DType::I64 => at.cast::<i64>().read_unaligned() as i128,
            _ => 0,
        }
    }
}
