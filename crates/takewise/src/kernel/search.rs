//! The sorted search: many values, one comparison per step each.
//!
//! For every value, `lo = 0, hi = n`, and while `lo < hi`: `mid = lo + (hi - lo) / 2`; go right of `mid` if
//! it is before the goal, else left. Exactly this halving is what torch does, so unsorted sequences give its
//! answers too. Each answer depends on its own value only, hence not on the number of threads.
//!
//! Values are taken in blocks: offsets, then goals, then searches, eight at a time without branches, so that
//! the memory accesses of eight searches overlap. Operands may have any strides and are never copied.
//!
//! Obligations: **L1** offsets come from layouts, positions stay below `n`, sorter values are checked each
//! time they are read; **E1** each result element belongs to one value, and values are split between
//! threads.

use super::order::{Bools, Complexes, Floats, Goal, Hay, Ints, Key, Meeting};
use crate::dtype::DType;
use crate::exec::threads::{in_ranges, parts_for};
use crate::index::rules::{Outside, Sign};
use crate::layout::{Coordinates, Dims, unravel};
use crate::view::{AnyView, AnyViewMut};
use half::{bf16, f16};
use smallvec::{SmallVec, smallvec};
use std::convert::Infallible;
use std::hint::select_unpredictable;

/// Values handled between two looks at the loop nest.
const BLOCK: usize = 256;
/// Searches running side by side.
const LANES: usize = 8;

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
struct Job {
    sequence: *const u8,
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
}

// SAFETY: the pointers come from borrowed views that outlive the job; threads write disjoint results (E1).
unsafe impl Sync for Job {}

/// The operands do not fit together: checked again here because memory safety rests on it.
#[derive(Debug)]
pub(crate) struct Misfit;

/// Searches `sequence` along `axis` for each value, and writes positions to `out` (`i32` or `i64`).
///
/// `out` has the shape of the values, `sorter` that of the sequence; a sequence of rank above 1 has the
/// extents of the values off the axis.
pub(crate) fn search(
    sequence: &AnyView<'_>,
    sorter: Option<&AnyView<'_>>,
    wanted: &Wanted<'_>,
    axis: usize,
    out: &mut AnyViewMut<'_>,
    reading: Reading,
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
        && sorter.is_none_or(|s| s.shape() == lanes && s.dtype().is_integer());
    if !fits {
        return Err(Misfit);
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
    };
    job.coalesce();
    match (sequence.dtype(), reading.nan_last) {
        (DType::Bool, _) => job.drive::<Bools>(),
        (DType::U8, _) => job.drive::<Ints<u8>>(),
        (DType::U16, _) => job.drive::<Ints<u16>>(),
        (DType::U32, _) => job.drive::<Ints<u32>>(),
        (DType::U64, _) => job.drive::<Ints<u64>>(),
        (DType::I8, _) => job.drive::<Ints<i8>>(),
        (DType::I16, _) => job.drive::<Ints<i16>>(),
        (DType::I32, _) => job.drive::<Ints<i32>>(),
        (DType::I64, _) => job.drive::<Ints<i64>>(),
        (DType::F16, false) => job.drive::<Floats<f16, false>>(),
        (DType::F16, true) => job.drive::<Floats<f16, true>>(),
        (DType::BF16, false) => job.drive::<Floats<bf16, false>>(),
        (DType::BF16, true) => job.drive::<Floats<bf16, true>>(),
        (DType::F32, false) => job.drive::<Floats<f32, false>>(),
        (DType::F32, true) => job.drive::<Floats<f32, true>>(),
        (DType::F64, false) => job.drive::<Floats<f64, false>>(),
        (DType::F64, true) => job.drive::<Floats<f64, true>>(),
        (DType::C64, _) => job.drive::<Complexes<f32>>(),
        (DType::C128, _) => job.drive::<Complexes<f64>>(),
        (DType::Opaque { .. }, _) => return Err(Misfit),
    }
    Ok(())
}

/// Sorter values outside `0..len`: the first, in row-major order, with its flat position, and how many.
pub(crate) fn first_outside(sorter: &AnyView<'_>, len: usize, sign: Sign) -> Option<(i128, usize, usize)> {
    let (&inner, outer) = sorter.shape().split_last()?;
    let step = sorter.layout().strides()[outer.len()];
    let (mut first, mut bad) = (None, 0);
    for (row, at) in Coordinates::new(outer).enumerate() {
        let start = sorter.as_ptr().wrapping_offset(sorter.layout().offset(&at));
        for i in 0..inner {
            // SAFETY: L1, the coordinate lies inside the sorter.
            let value = unsafe { read_integer(start.wrapping_offset(i as isize * step), sorter.dtype()) };
            if resolve(value, len, sign).is_none() {
                first = first.or(Some((value, row * inner + i)));
                bad += 1;
            }
        }
    }
    first.map(|(value, flat)| (value, flat, bad))
}

impl Job {
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
            self.goals::<H>(&mut block, count);
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
            for slot in now {
                *slot = *place;
                *place = place.plus(1, step);
            }
            at[last] += run;
            rest = later;
            let mut d = last;
            while at[d] == self.extent[d] && d > 0 {
                *place = place.plus(-(self.extent[d] as isize), self.steps[d]);
                at[d] = 0;
                d -= 1;
                at[d] += 1;
                *place = place.plus(1, self.steps[d]);
            }
        }
    }

    fn goals<H: Hay>(&self, block: &mut Block<H>, count: usize) {
        let meeting = &self.reading.meeting;
        let Some((values, dtype)) = self.values else {
            block.goals[..count].fill(H::goal(meeting.rounded(self.number), meeting));
            return;
        };
        /// Reads values as keys, one loop per dtype.
        macro_rules! keys {
            ($t:ty, $key:expr) => {
                for (goal, place) in block.goals[..count].iter_mut().zip(&block.places[..count]) {
                    // SAFETY: L1, the loops stay inside the layout of the values.
                    let v = unsafe { values.offset(place.values).cast::<$t>().read_unaligned() };
                    *goal = H::goal(meeting.rounded($key(v)), meeting);
                }
            };
        }
        match dtype {
            DType::Bool => keys!(u8, |v| Key::Int((v != 0) as i128)),
            DType::U8 => keys!(u8, |v| Key::Int(v as i128)),
            DType::U16 => keys!(u16, |v| Key::Int(v as i128)),
            DType::U32 => keys!(u32, |v| Key::Int(v as i128)),
            DType::U64 => keys!(u64, |v| Key::Int(v as i128)),
            DType::I8 => keys!(i8, |v| Key::Int(v as i128)),
            DType::I16 => keys!(i16, |v| Key::Int(v as i128)),
            DType::I32 => keys!(i32, |v| Key::Int(v as i128)),
            DType::I64 => keys!(i64, |v| Key::Int(v as i128)),
            DType::F16 => keys!(f16, |v: f16| Key::Float(v.to_f64())),
            DType::BF16 => keys!(bf16, |v: bf16| Key::Float(v.to_f64())),
            DType::F32 => keys!(f32, |v| Key::Float(v as f64)),
            DType::F64 => keys!(f64, Key::Float),
            DType::C64 => keys!([f32; 2], |v: [f32; 2]| Key::Complex(v[0] as f64, v[1] as f64)),
            DType::C128 => keys!([f64; 2], |v: [f64; 2]| Key::Complex(v[0], v[1])),
            DType::Opaque { .. } => debug_assert!(false, "records have no order"),
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
        let n = self.len as i128;
        if let Some(i) = resolve(value, self.len, self.reading.sign) {
            return Some(i);
        }
        match self.reading.outside {
            Outside::Clip | Outside::Raise if value < 0 => Some(0),
            Outside::Clip | Outside::Raise => Some(self.len - 1),
            Outside::Wrap => Some(value.rem_euclid(n) as usize),
            Outside::Fill | Outside::Drop => None,
        }
    }
}

/// The position a value in range means.
#[inline]
fn resolve(value: i128, len: usize, sign: Sign) -> Option<usize> {
    let v = if value < 0 && sign == Sign::FromEnd { value + len as i128 } else { value };
    (0..len as i128).contains(&v).then_some(v as usize)
}

/// Reads one integer of any integer dtype.
///
/// # Safety
/// L1: `at` is readable for one element of `dtype`.
#[inline]
unsafe fn read_integer(at: *const u8, dtype: DType) -> i128 {
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

/// Reads one number as f64.
///
/// # Safety
/// L1: `at` is readable for one element of `dtype`.
unsafe fn read_double(at: *const u8, dtype: DType) -> f64 {
    // SAFETY: L1, from the caller.
    unsafe {
        match dtype {
            DType::Bool => (at.read() != 0) as u8 as f64,
            DType::F16 => at.cast::<f16>().read_unaligned().to_f64(),
            DType::BF16 => at.cast::<bf16>().read_unaligned().to_f64(),
            DType::F32 => at.cast::<f32>().read_unaligned() as f64,
            DType::F64 => at.cast::<f64>().read_unaligned(),
            _ => read_integer(at, dtype) as f64,
        }
    }
}

/// Whether a 1-d array of real numbers, as f64, rises (or is constant) or falls; `None` if neither. The
/// first two elements that differ decide which of the two is looked for, so NaN may stand at the end of
/// bins that rise (`numpy.digitize`).
pub(crate) fn increasing(bins: &AnyView<'_>) -> Option<bool> {
    let step = bins.layout().strides().first().copied().unwrap_or(0);
    // SAFETY: L1, the position is below the length.
    let at = |i: usize| unsafe { read_double(bins.as_ptr().wrapping_offset(i as isize * step), bins.dtype()) };
    let mut pairs = (1..bins.numel()).map(|i| (at(i - 1), at(i))).skip_while(|(a, b)| a == b);
    let Some((a, b)) = pairs.next() else { return Some(true) };
    match a < b {
        true => (!pairs.any(|(a, b)| a > b)).then_some(true),
        false => (!pairs.any(|(a, b)| a < b)).then_some(false),
    }
}

/// Replaces each position in a contiguous `i64` or `i32` array by its distance from `len`.
pub(crate) fn count_from_end(found: &mut AnyViewMut<'_>, len: usize) {
    let (count, dtype) = (found.as_view().numel(), found.dtype());
    if !found.layout().is_contiguous(dtype.size()) {
        return;
    }
    let start = found.as_mut_ptr();
    for i in 0..count {
        // SAFETY: L1, contiguous, and i is below the element count.
        unsafe {
            match dtype {
                DType::I64 => {
                    let at = start.cast::<i64>().add(i);
                    at.write_unaligned(len as i64 - at.read_unaligned());
                }
                DType::I32 => {
                    let at = start.cast::<i32>().add(i);
                    at.write_unaligned(len as i32 - at.read_unaligned());
                }
                _ => return,
            }
        }
    }
}

/// Where element `mid` of the lane of a value lies.
trait Probe {
    fn address(&self, place: &Steps, mid: usize) -> *const u8;
}

struct Straight {
    at: *const u8,
    step: isize,
}

impl Probe for Straight {
    #[inline(always)]
    fn address(&self, place: &Steps, mid: usize) -> *const u8 {
        self.at.wrapping_offset(place.sequence + mid as isize * self.step)
    }
}

struct Sorted<'a> {
    job: &'a Job,
    sorter: &'a Sorter,
}

impl Probe for Sorted<'_> {
    #[inline(always)]
    fn address(&self, place: &Steps, mid: usize) -> *const u8 {
        let at = self.sorter.at.wrapping_offset(place.sorter + mid as isize * self.sorter.step);
        // SAFETY: L1, mid is below the length of the sorter's lane.
        let value = unsafe { read_integer(at, self.sorter.dtype) };
        match self.job.position(value) {
            Some(i) => self.job.sequence.wrapping_offset(place.sequence + i as isize * self.job.step),
            None => self.job.reading.missing.as_ptr(),
        }
    }
}

/// Scratch of one thread; on the stack for a call of few values.
struct Block<H: Hay> {
    places: SmallVec<[Steps; LANES]>,
    goals: SmallVec<[Goal<H::Goal>; LANES]>,
    found: SmallVec<[usize; LANES]>,
}

impl<H: Hay> Block<H> {
    fn new(size: usize) -> Block<H> {
        Block {
            places: smallvec![Steps::default(); size],
            goals: smallvec![Goal::Front; size],
            found: smallvec![0; size],
        }
    }
}

/// Searches a lane of `len` elements for each of the first `count` goals.
fn find<H: Hay, P: Probe>(probe: &P, len: usize, block: &mut Block<H>, count: usize) {
    let Block { places, goals, found } = block;
    if len == 0 {
        found[..count].fill(0);
        return;
    }
    let whole = count - count % LANES;
    let rounds = usize::BITS - len.leading_zeros();
    for k in (0..whole).step_by(LANES) {
        let places = &places[k..k + LANES];
        let (mut lo, mut hi, mut goal) = ([0; LANES], [len; LANES], [H::Goal::default(); LANES]);
        for j in 0..LANES {
            match goals[k + j] {
                Goal::Front => hi[j] = 0,
                Goal::Back => lo[j] = len,
                Goal::Past(g) => goal[j] = g,
            }
        }
        // Every interval is empty after `rounds` halvings; a finished lane keeps testing one element and
        // ignores the answer.
        for _ in 0..rounds {
            for j in 0..LANES {
                let mid = lo[j] + (hi[j] - lo[j]) / 2;
                // SAFETY: L1, the position is below len.
                let e = unsafe { H::load(probe.address(&places[j], mid.min(len - 1))) };
                let right = H::before(e, goal[j]) & (lo[j] < hi[j]);
                lo[j] = select_unpredictable(right, mid + 1, lo[j]);
                hi[j] = select_unpredictable(right, hi[j], mid);
            }
        }
        found[k..k + LANES].copy_from_slice(&lo);
    }
    for k in whole..count {
        let (mut lo, mut hi) = (0, len);
        match goals[k] {
            Goal::Front => hi = 0,
            Goal::Back => lo = len,
            Goal::Past(goal) => {
                while lo < hi {
                    let mid = lo + (hi - lo) / 2;
                    // SAFETY: L1, mid is below hi, which is at most len.
                    let e = unsafe { H::load(probe.address(&places[k], mid)) };
                    if H::before(e, goal) { lo = mid + 1 } else { hi = mid }
                }
            }
        }
        let _ = hi;
        found[k] = lo;
    }
}
