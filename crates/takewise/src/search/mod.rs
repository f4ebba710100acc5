//! The sorted search: many values, one comparison per step each.
//!
//! For every value, `lo = 0, hi = n`, and while `lo < hi`: `mid = lo + (hi - lo) / 2`; go right of `mid` if
//! it is before the goal, else left. Exactly this halving is what torch does, so unsorted sequences give its
//! answers too. Each answer depends on its own value only, hence not on the number of threads.
//!
//! Values are taken in blocks: offsets, then goals, then searches. Operands may have any strides. Few values, and those
//! that share a lane of the sequence with few others, are searched by halving alone (`halving`), a handful without blocks
//! (`handful`). Where many values meet one lane, the first levels of the halving are copied into a tree beforehand
//! (`tree`), as many as pay (`shared`). Of values that rise only every sixteenth is searched for (`between`).
//!
//! Obligations: **L1** offsets come from layouts, positions stay below `n`, sorter values are checked each
//! time they are read; **E1** each result element belongs to one value, and values are split between
//! threads.

#![allow(unsafe_code)]

mod between;
mod edges;
mod halving;
mod handful;
mod kept;
mod lane;
pub(crate) mod order;
mod shared;
pub(crate) mod sort;
mod tree;

pub(crate) use edges::{count_from_end, first_outside, increasing};
pub(crate) use kept::Kept;

use crate::bounds::place;
use crate::dims::advance;
use crate::dtype::DType;
use crate::exec::Out;
use crate::index::rules::{Outside, Sign};
use crate::layout::{Dims, unravel};
use crate::threads::{in_ranges, parts_for};
use crate::view::{AnyView, AnyViewMut};
use half::{bf16, f16};
use halving::{Block, Sorted, Straight, find};
use handful::Handful;
use lane::Keyed;
use order::{Bools, Complexes, Floats, Goal, Hay, Ints, Key, Meeting};
use smallvec::smallvec;
use std::convert::Infallible;
use tree::BLOCK;

/// Byte steps of the operands along one loop.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Steps {
    values: isize,
    sequence: isize,
    sorter: isize,
    out: isize,
}

impl Steps {
    fn plus(self, n: isize, s: Steps) -> Steps {
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
struct Sorter {
    at: *const u8,
    dtype: DType,
    /// Byte step along the searched axis.
    step: isize,
}

/// What is searched for.
pub(crate) enum Wanted<'a> {
    /// Every element of an array.
    Each(&'a AnyView<'a>),
    /// One number; the result is 0-d.
    One(Key),
}

/// How sorters are read and results are written.
#[derive(Clone, Copy)]
pub(crate) struct Reading {
    /// How values and elements compare.
    pub(crate) meeting: Meeting,
    /// Whether NaN sorts last.
    pub(crate) nan_last: bool,
    pub(crate) sign: Sign,
    pub(crate) outside: Outside,
    /// The element that stands for a sorter value out of range, where the rules ask for one.
    pub(crate) missing: [u8; 16],
}

/// One search call, laid out.
struct Job<'a> {
    sequence: *const u8,
    dtype: DType,
    /// Length of the searched axis and its byte step.
    len: usize,
    step: isize,
    sorter: Option<Sorter>,
    /// Values and their dtype, unless one number is searched for.
    values: Option<(*const u8, DType)>,
    number: Key,
    out: *mut u8,
    int32: bool,
    /// The loops over values, outer to inner.
    extent: Dims<usize>,
    steps: Dims<Steps>,
    reading: Reading,
    kept: Option<&'a Kept>,
}

// SAFETY: the pointers come from borrowed views that outlive the job; threads write disjoint results (E1).
unsafe impl Sync for Job<'_> {}

/// The operands do not fit together: checked again here because memory safety rests on it.
#[derive(Debug)]
pub(crate) struct Misfit;

/// Searches `sequence` along `axis` for each value, and writes positions to `out` (`i32` or `i64`).
///
/// `out` has the shape of the values, `sorter` that of the sequence; a sequence of rank above 1 has the
/// extents of the values off the axis. `kept` is what [`Kept::new`] made of this sequence.
pub(crate) fn search(
    sequence: &AnyView<'_>,
    sorter: Option<&AnyView<'_>>,
    wanted: &Wanted<'_>,
    axis: usize,
    out: Out<'_, '_>,
    reading: Reading,
    kept: Option<&Kept>,
) -> Result<(), Misfit> {
    // SAFETY: E2, each value has its place, and gets a position there.
    unsafe { out.filled(|out| into(sequence, sorter, wanted, axis, out, reading, kept)) }
}

fn into(
    sequence: &AnyView<'_>,
    sorter: Option<&AnyView<'_>>,
    wanted: &Wanted<'_>,
    axis: usize,
    out: &mut AnyViewMut<'_>,
    reading: Reading,
    kept: Option<&Kept>,
) -> Result<(), Misfit> {
    let shape = match wanted {
        Wanted::Each(values) => values.shape(),
        Wanted::One(_) => &[],
    };
    let (rank, lanes) = (sequence.rank(), sequence.shape());
    let matched = rank == 1 || (rank == shape.len() && (0..rank).all(|d| d == axis || lanes[d] == shape[d]));
    let fits = axis < rank
        && matched
        && out.shape() == shape
        && matches!(out.dtype(), DType::I32 | DType::I64)
        && sorter.is_none_or(|s| s.shape() == lanes && s.dtype().is_integer())
        && kept.is_none_or(|k| k.is_of(sequence, reading.nan_last) && sorter.is_none());
    if !fits {
        return Err(Misfit);
    }
    if sorter.is_none()
        && kept.is_none()
        && let Some(handful) = Handful::of(sequence, wanted, out, &reading)
    {
        return typed(sequence.dtype(), reading.nan_last, &handful);
    }
    let mut steps: Dims<Steps> = smallvec![Steps::default(); shape.len()];
    for (d, step) in steps.iter_mut().enumerate() {
        step.out = out.layout().strides()[d];
        if let Wanted::Each(values) = wanted {
            step.values = values.layout().strides()[d];
        }
        if rank > 1 && d != axis {
            step.sequence = sequence.layout().strides()[d];
            step.sorter = sorter.map_or(0, |s| s.layout().strides()[d]);
        }
    }
    if shape.contains(&0) {
        return Ok(());
    }
    let mut job = Job {
        sequence: sequence.as_ptr(),
        dtype: sequence.dtype(),
        len: lanes[axis],
        step: sequence.layout().strides()[axis],
        sorter: sorter.map(|s| Sorter { at: s.as_ptr(), dtype: s.dtype(), step: s.layout().strides()[axis] }),
        values: match wanted {
            Wanted::Each(values) => Some((values.as_ptr(), values.dtype())),
            Wanted::One(_) => None,
        },
        number: match wanted {
            Wanted::Each(_) => Key::Int(0),
            Wanted::One(key) => *key,
        },
        int32: out.dtype() == DType::I32,
        out: out.as_mut_ptr(),
        extent: Dims::from_slice(shape),
        steps,
        reading,
        kept,
    };
    job.coalesce();
    typed(sequence.dtype(), reading.nan_last, &job)
}

/// What is done once the type of the sequence is known.
trait Typed {
    /// For a sequence of real numbers.
    fn keyed<H: Keyed>(&self);
    /// For any other with an order.
    fn plain<H: Hay>(&self);
}

impl Typed for Job<'_> {
    fn keyed<H: Keyed>(&self) {
        self.drive_keyed::<H>();
    }

    fn plain<H: Hay>(&self) {
        self.drive::<H>();
    }
}

fn typed(dtype: DType, nan_last: bool, then: &impl Typed) -> Result<(), Misfit> {
    match (dtype, nan_last) {
        (DType::Bool, _) => then.keyed::<Bools>(),
        (DType::U8, _) => then.keyed::<Ints<u8>>(),
        (DType::U16, _) => then.keyed::<Ints<u16>>(),
        (DType::U32, _) => then.keyed::<Ints<u32>>(),
        (DType::U64, _) => then.keyed::<Ints<u64>>(),
        (DType::I8, _) => then.keyed::<Ints<i8>>(),
        (DType::I16, _) => then.keyed::<Ints<i16>>(),
        (DType::I32, _) => then.keyed::<Ints<i32>>(),
        (DType::I64, _) => then.keyed::<Ints<i64>>(),
        (DType::F16, false) => then.keyed::<Floats<f16, false>>(),
        (DType::F16, true) => then.keyed::<Floats<f16, true>>(),
        (DType::BF16, false) => then.keyed::<Floats<bf16, false>>(),
        (DType::BF16, true) => then.keyed::<Floats<bf16, true>>(),
        (DType::F32, false) => then.keyed::<Floats<f32, false>>(),
        (DType::F32, true) => then.keyed::<Floats<f32, true>>(),
        (DType::F64, false) => then.keyed::<Floats<f64, false>>(),
        (DType::F64, true) => then.keyed::<Floats<f64, true>>(),
        (DType::C64, _) => then.plain::<Complexes<f32>>(),
        (DType::C128, _) => then.plain::<Complexes<f64>>(),
        (DType::Opaque { .. }, _) => return Err(Misfit),
    }
    Ok(())
}

impl Job<'_> {
    /// Merges loops that walk all operands evenly and drops those of one step.
    fn coalesce(&mut self) {
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

    fn drive<H: Hay>(&self) {
        let total: usize = self.extent.iter().product();
        // A step costs about as much as moving eight bytes.
        let steps = (usize::BITS - self.len.leading_zeros()) as usize;
        let parts = parts_for(total.saturating_mul(8 * steps.max(1)));
        let done: Result<(), Infallible> = in_ranges(total, parts, |range| {
            self.range::<H>(range.start, range.end);
            Ok(())
        });
        let Ok(()) = done;
    }

    /// Searches for the values at flat positions `start..end`.
    fn range<H: Hay>(&self, start: usize, end: usize) {
        let mut at = unravel(start, &self.extent);
        let mut place = at.iter().zip(&self.steps).fold(Steps::default(), |place, (&i, &s)| place.plus(i as isize, s));
        let mut block = Block::<H>::new(BLOCK.min(end - start));
        let mut left = end - start;
        while left > 0 {
            let count = left.min(BLOCK);
            self.places(&mut at, &mut place, &mut block.places[..count]);
            let Block { places, goals, .. } = &mut block;
            self.goals::<H>(|k| places[k].values, &mut goals[..count]);
            match &self.sorter {
                None => {
                    let probe = Straight { at: self.sequence, step: self.step };
                    find::<H, _>(&probe, self.len, &mut block, count);
                }
                Some(sorter) => find::<H, _>(&Sorted { job: self, sorter }, self.len, &mut block, count),
            }
            self.store::<H>(&block, count);
            left -= count;
        }
    }

    /// Writes down the operand offsets of the next values, and moves on.
    fn places(&self, at: &mut Dims<usize>, place: &mut Steps, out: &mut [Steps]) {
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
    fn goals<H: Hay>(&self, place: impl Fn(usize) -> isize, goals: &mut [Goal<H::Goal>]) {
        let meeting = &self.reading.meeting;
        let Some((values, dtype)) = self.values else {
            goals.fill(H::goal(meeting.rounded(self.number), meeting));
            return;
        };
        for (k, goal) in goals.iter_mut().enumerate() {
            // SAFETY: L1, the loops stay inside the layout of the values.
            let key = unsafe { read_key(values.offset(place(k)), dtype) };
            *goal = H::goal(meeting.rounded(key), meeting);
        }
    }

    fn store<H: Hay>(&self, block: &Block<H>, count: usize) {
        for (place, &found) in block.places[..count].iter().zip(&block.found[..count]) {
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
    fn position(&self, value: i128) -> Option<usize> {
        let outside = if self.reading.outside == Outside::Raise { Outside::Clip } else { self.reading.outside };
        place(value, self.len, self.reading.sign, outside)
    }
}

/// Reads one value of any dtype that has an order.
///
/// # Safety
/// L1: `at` is readable for one element of `dtype`.
unsafe fn read_key(at: *const u8, dtype: DType) -> Key {
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
