//! Sorting lanes: each element becomes an integer key whose order is the element's order, is paired with its
//! position, and the pairs are sorted. Positions differ, so the order of pairs is total: the result is the
//! stable one whichever algorithm sorts, on any number of threads.
//!
//! Obligations: **L1** offsets come from layouts; **E1** each lane belongs to one thread.

use super::operand::Operand;
use super::order::{complex_key, float_key, float_key32};
use crate::dims::{Dims, unravel};
use crate::dtype::DType;
use crate::threads::{in_ranges, parts_for};
use half::{bf16, f16};

/// One array: where it starts, its byte step along the lane, its byte steps across lanes.
pub(super) struct Side {
    at: *mut u8,
    pub(super) step: isize,
    steps: Dims<isize>,
}

impl Side {
    pub(super) fn new(of: &Operand<'_>, dim: usize) -> Side {
        let mut steps = Dims::from_slice(of.strides);
        let step = if steps.is_empty() { 0 } else { steps.remove(dim) };
        Side { at: of.at, step, steps }
    }

    /// The start of the lane at a coordinate.
    pub(super) fn lane(&self, at: &[usize]) -> *mut u8 {
        let offset: isize = at.iter().zip(&self.steps).map(|(&i, &s)| i as isize * s).sum();
        self.at.wrapping_offset(offset)
    }
}

struct Sorting {
    x: Side,
    /// Where positions go, as `i64`.
    positions: Side,
    /// Where sorted elements go, if wanted.
    values: Option<Side>,
    /// Extents of the axes that are not sorted.
    extent: Dims<usize>,
    len: usize,
    descending: bool,
}

// SAFETY: the pointers come from borrowed views that outlive the job; threads write disjoint lanes (E1).
unsafe impl Sync for Sorting {}

/// Why nothing was sorted.
#[derive(Debug)]
pub enum Failed {
    /// Memory ran out.
    Memory,
    /// The results do not have the shape and dtypes of a sort of `x`, or `x` has no order.
    Misfit,
}

/// Sorts `x` along `dim` into fresh arrays of its shape: positions (`i64`) and, if wanted, elements.
///
/// # Safety
/// L1 of the operands; L3 of the two that are written.
pub unsafe fn sort(
    x: Operand<'_>,
    dim: usize,
    descending: bool,
    positions: Operand<'_>,
    values: Option<Operand<'_>>,
) -> Result<(), Failed> {
    let fits = positions.shape == x.shape
        && positions.dtype == DType::I64
        && values.is_none_or(|v| v.shape == x.shape && v.dtype == x.dtype)
        && dim < x.shape.len().max(1);
    if !fits {
        return Err(Failed::Misfit);
    }
    if x.count() == 0 {
        return Ok(());
    }
    let mut extent = Dims::from_slice(x.shape);
    let len = if extent.is_empty() { 1 } else { extent.remove(dim) };
    let job = Sorting {
        x: Side::new(&x, dim),
        positions: Side::new(&positions, dim),
        values: values.map(|v| Side::new(&v, dim)),
        extent,
        len,
        descending,
    };
    match x.dtype {
        DType::Bool => job.sized(|b: u8| (b != 0) as u32),
        DType::U8 => job.sized(|v: u8| v as u32),
        DType::U16 => job.sized(|v: u16| v as u32),
        DType::U32 => job.sized(|v: u32| v),
        DType::U64 => job.sized(|v: u64| v),
        DType::I8 => job.sized(|v: i8| v as u32 ^ 1 << 31),
        DType::I16 => job.sized(|v: i16| v as u32 ^ 1 << 31),
        DType::I32 => job.sized(|v: i32| v as u32 ^ 1 << 31),
        DType::I64 => job.sized(|v: i64| v as u64 ^ 1 << 63),
        DType::F16 => job.sized(|v: f16| float_key32(v.to_f32())),
        DType::BF16 => job.sized(|v: bf16| float_key32(v.to_f32())),
        DType::F32 => job.sized(float_key32),
        DType::F64 => job.sized(float_key),
        DType::C64 => job.sized(|[re, im]: [f32; 2]| complex_key(re as f64, im as f64)),
        DType::C128 => job.sized(|[re, im]: [f64; 2]| complex_key(re, im)),
        DType::Opaque { .. } => Err(Failed::Misfit),
    }
}

/// A key with the order of the elements.
trait SortKey: Ord + Copy + Send {
    /// The key with the opposite order.
    fn flipped(self) -> Self;
}

impl SortKey for u32 {
    fn flipped(self) -> u32 {
        !self
    }
}

impl SortKey for u64 {
    fn flipped(self) -> u64 {
        !self
    }
}

impl SortKey for (u8, u64, u64) {
    fn flipped(self) -> (u8, u64, u64) {
        (!self.0, !self.1, !self.2)
    }
}

/// A position in a lane.
trait Position: Ord + Copy + Send {
    fn new(i: usize) -> Self;
    fn get(self) -> usize;
}

impl Position for u32 {
    fn new(i: usize) -> u32 {
        i as u32
    }
    fn get(self) -> usize {
        self as usize
    }
}

impl Position for usize {
    fn new(i: usize) -> usize {
        i
    }
    fn get(self) -> usize {
        self
    }
}

impl Sorting {
    fn sized<T: Copy, K: SortKey>(&self, key: impl Fn(T) -> K + Sync + Copy) -> Result<(), Failed> {
        let flip = self.descending;
        let key = move |v: T| if flip { key(v).flipped() } else { key(v) };
        match u32::try_from(self.len) {
            Ok(_) => self.lanes::<T, K, u32>(key),
            Err(_) => self.lanes::<T, K, usize>(key),
        }
    }

    fn lanes<T: Copy, K: SortKey, P: Position>(&self, key: impl Fn(T) -> K + Sync) -> Result<(), Failed> {
        let count: usize = self.extent.iter().product();
        let parts = parts_for(count.saturating_mul(self.len).saturating_mul(64));
        in_ranges(count, parts.min(count), |lanes| {
            let mut pairs = scratch::<K, P>(self.len)?;
            lanes.for_each(|lane| self.lane(lane, &mut pairs, &key));
            Ok(())
        })
    }

    /// Sorts one lane.
    fn lane<T: Copy, K: SortKey, P: Position>(&self, lane: usize, pairs: &mut Vec<(K, P)>, key: &impl Fn(T) -> K) {
        let at = unravel(lane, &self.extent);
        let x = self.x.lane(&at);
        let read = |i: usize| {
            // SAFETY: L1, lane and position lie inside the layout.
            unsafe { x.wrapping_offset(i as isize * self.x.step).cast::<T>().read_unaligned() }
        };
        pairs.clear();
        pairs.extend((0..self.len).map(|i| (key(read(i)), P::new(i))));
        #[cfg(feature = "rayon")]
        if self.len >= 1 << 16 && crate::threads::threads() > 1 {
            let mut sort = |many: bool| match many {
                true => rayon::slice::ParallelSliceMut::par_sort_unstable(&mut pairs[..]),
                false => pairs.sort_unstable(),
            };
            crate::threads::pool::install(&mut sort);
        } else {
            pairs.sort_unstable();
        }
        #[cfg(not(feature = "rayon"))]
        pairs.sort_unstable();
        let to = self.positions.lane(&at);
        for (k, &(_, p)) in pairs.iter().enumerate() {
            // SAFETY: L1 and L3 of the positions, E1 between lanes.
            unsafe {
                to.wrapping_offset(k as isize * self.positions.step).cast::<i64>().write_unaligned(p.get() as i64)
            };
        }
        let Some(values) = &self.values else { return };
        let to = values.lane(&at);
        for (k, &(_, p)) in pairs.iter().enumerate() {
            // SAFETY: as above, for the sorted elements; the position was a loop counter.
            unsafe { to.wrapping_offset(k as isize * values.step).cast::<T>().write_unaligned(read(p.get())) };
        }
    }
}

fn scratch<K, P>(len: usize) -> Result<Vec<(K, P)>, Failed> {
    let mut pairs = Vec::new();
    pairs.try_reserve_exact(len).map_err(|_| Failed::Memory)?;
    Ok(pairs)
}
