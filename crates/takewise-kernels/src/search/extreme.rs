//! The first greatest or least element of each lane, by the keys that sorting goes by; NaN comes before all others in both.
//!
//! Obligations: **L1** offsets come from layouts; **E1** each lane belongs to one thread.

use super::Misfit;
use super::operand::Operand;
use super::order::{float_key, float_key32};
use super::sort::Side;
use crate::dims::{Dims, unravel};
use crate::dtype::DType;
use crate::threads::{in_ranges, parts_for};
use half::{bf16, f16};

struct Extremes {
    x: Side,
    /// Where positions go, as `i64`.
    positions: Side,
    /// Extents of the other axes.
    extent: Dims<usize>,
    len: usize,
}

// SAFETY: the pointers come from borrowed views that outlive the job; threads write disjoint places (E1).
unsafe impl Sync for Extremes {}

/// Where the greatest (or least) element of each lane along `dim` stands first. `positions` (`i64`) has the shape of `x` with extent
/// 1 there; no lane is empty.
///
/// # Safety
/// L1 of both; L3 of the positions.
pub unsafe fn extreme(x: Operand<'_>, dim: usize, greatest: bool, positions: Operand<'_>) -> Result<(), Misfit> {
    let kept = |d: usize| if d == dim { 1 } else { x.shape[d] };
    let rank = x.shape.len();
    let fits = dim < rank
        && x.shape[dim] > 0
        && positions.dtype == DType::I64
        && positions.shape.len() == rank
        && (0..rank).all(|d| positions.shape[d] == kept(d));
    if !fits {
        return Err(Misfit);
    }
    let mut extent = Dims::from_slice(x.shape);
    let len = extent.remove(dim);
    let job = Extremes { x: Side::new(&x, dim), positions: Side::new(&positions, dim), extent, len };
    /// Keys of integers: with a sign, the sign's bit stands for it.
    macro_rules! whole {
        ($t:ty, $key:ty, $sign:expr) => {
            match greatest {
                true => job.lanes(|v: $t| v as $key ^ $sign),
                false => job.lanes(|v: $t| !(v as $key ^ $sign)),
            }
        };
    }
    /// Keys of floats: the least is the greatest negative, and NaN the greatest of either.
    macro_rules! real {
        ($t:ty, $key:ident, $wide:expr) => {{
            let wide = $wide;
            match greatest {
                true => job.lanes(|v: $t| $key(wide(v))),
                false => job.lanes(|v: $t| $key(-wide(v))),
            }
        }};
    }
    match x.dtype {
        DType::Bool => match greatest {
            true => job.lanes(|b: u8| b != 0),
            false => job.lanes(|b: u8| b == 0),
        },
        DType::U8 => whole!(u8, u8, 0),
        DType::U16 => whole!(u16, u16, 0),
        DType::U32 => whole!(u32, u32, 0),
        DType::U64 => whole!(u64, u64, 0),
        DType::I8 => whole!(i8, u8, 1 << 7),
        DType::I16 => whole!(i16, u16, 1 << 15),
        DType::I32 => whole!(i32, u32, 1 << 31),
        DType::I64 => whole!(i64, u64, 1 << 63),
        DType::F16 => real!(f16, float_key32, f16::to_f32),
        DType::BF16 => real!(bf16, float_key32, bf16::to_f32),
        DType::F32 => real!(f32, float_key32, f32::from),
        DType::F64 => real!(f64, float_key, f64::from),
        DType::C64 => job.lanes(|[re, im]: [f32; 2]| complex_key(f64::from(re), f64::from(im), greatest)),
        DType::C128 => job.lanes(|[re, im]: [f64; 2]| complex_key(re, im, greatest)),
        DType::Opaque { .. } => return Err(Misfit),
    }
    Ok(())
}

/// By the real part, then by the imaginary one; whatever has a NaN in it comes first.
fn complex_key(re: f64, im: f64, greatest: bool) -> (u64, u64) {
    match greatest {
        _ if re.is_nan() || im.is_nan() => (u64::MAX, u64::MAX),
        true => (float_key(re), float_key(im)),
        false => (float_key(-re), float_key(-im)),
    }
}

impl Extremes {
    fn lanes<T: Copy, K: Ord + Copy>(&self, key: impl Fn(T) -> K + Sync) {
        let count: usize = self.extent.iter().product();
        let parts = parts_for(count.saturating_mul(self.len).saturating_mul(size_of::<T>()));
        let done: Result<(), Misfit> = in_ranges(count, parts.min(count), |lanes| {
            lanes.for_each(|lane| self.lane(lane, &key));
            Ok(())
        });
        debug_assert!(done.is_ok());
    }

    fn lane<T: Copy, K: Ord + Copy>(&self, lane: usize, key: &impl Fn(T) -> K) {
        let at = unravel(lane, &self.extent);
        let x = self.x.lane(&at);
        let read = |i: usize| {
            // SAFETY: L1, lane and position lie inside the layout.
            key(unsafe { x.wrapping_offset(i as isize * self.x.step).cast::<T>().read_unaligned() })
        };
        let mut best = (read(0), 0);
        for i in 1..self.len {
            let key = read(i);
            if key > best.0 {
                best = (key, i);
            }
        }
        // SAFETY: L1 and L3 of the positions, E1 between lanes.
        unsafe { self.positions.lane(&at).cast::<i64>().write_unaligned(best.1 as i64) };
    }
}
