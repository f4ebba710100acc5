//! Combining values into resolved offsets, in index order.

use super::cpu::per_level;
use super::move_::Linear;
use crate::dtype::DType;
use crate::exec::resolve::SKIP;
use half::{bf16, f16};
use num_complex::Complex;

/// How an accumulation combines. Semantics: spec sections 6 and 8.
///
/// Integers wrap. Booleans: sum is OR, product AND. NaN wins in `Max` and `Min`. `Mean` divides the sum by the
/// number of contributions; integers floor. `Div` divides the place by each value in turn; integers truncate toward
/// zero and leave 0 where the divisor is 0, booleans stay as they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Reduce {
    Sum,
    Prod,
    Mean,
    Max,
    Min,
    Div,
}

/// A number type values are combined in.
pub(crate) trait Number: Copy + PartialEq {
    const ZERO: Self;
    const ONE: Self;
    /// The identity of `Max`, the smallest value.
    const LOWEST: Self;
    /// The identity of `Min`, the largest value.
    const HIGHEST: Self;
    fn sum(self, v: Self) -> Self;
    fn prod(self, v: Self) -> Self;
    fn div(self, v: Self) -> Self;
    fn max(self, v: Self) -> Self;
    fn min(self, v: Self) -> Self;
    /// This sum divided by a count.
    fn over(self, count: u64) -> Self;
}

macro_rules! integers {
    ($($t:ty),*) => {$(
        impl Number for $t {
            const ZERO: $t = 0;
            const ONE: $t = 1;
            const LOWEST: $t = <$t>::MIN;
            const HIGHEST: $t = <$t>::MAX;
            fn sum(self, v: $t) -> $t { self.wrapping_add(v) }
            fn prod(self, v: $t) -> $t { self.wrapping_mul(v) }
            fn div(self, v: $t) -> $t { if v == 0 { 0 } else { self.wrapping_div(v) } }
            fn max(self, v: $t) -> $t { Ord::max(self, v) }
            fn min(self, v: $t) -> $t { Ord::min(self, v) }
            fn over(self, count: u64) -> $t { (self as i128).div_euclid(count as i128) as $t }
        }
    )*};
}
integers!(u8, u16, u32, u64, i8, i16, i32, i64);

macro_rules! floats {
    ($($t:ty),*) => {$(
        impl Number for $t {
            const ZERO: $t = 0.0;
            const ONE: $t = 1.0;
            const LOWEST: $t = <$t>::NEG_INFINITY;
            const HIGHEST: $t = <$t>::INFINITY;
            fn sum(self, v: $t) -> $t { self + v }
            fn prod(self, v: $t) -> $t { self * v }
            fn div(self, v: $t) -> $t { self / v }
            fn max(self, v: $t) -> $t { if self.is_nan() || v <= self { self } else { v } }
            fn min(self, v: $t) -> $t { if self.is_nan() || v >= self { self } else { v } }
            fn over(self, count: u64) -> $t { self / count as $t }
        }
    )*};
}
floats!(f32, f64);

macro_rules! halves {
    ($($t:ty),*) => {$(
        impl Number for $t {
            const ZERO: $t = <$t>::ZERO;
            const ONE: $t = <$t>::ONE;
            const LOWEST: $t = <$t>::NEG_INFINITY;
            const HIGHEST: $t = <$t>::INFINITY;
            fn sum(self, v: $t) -> $t { <$t>::from_f32(self.to_f32() + v.to_f32()) }
            fn prod(self, v: $t) -> $t { <$t>::from_f32(self.to_f32() * v.to_f32()) }
            fn div(self, v: $t) -> $t { <$t>::from_f32(self.to_f32() / v.to_f32()) }
            fn max(self, v: $t) -> $t { if self.is_nan() || v <= self { self } else { v } }
            fn min(self, v: $t) -> $t { if self.is_nan() || v >= self { self } else { v } }
            fn over(self, count: u64) -> $t { <$t>::from_f32(self.to_f32() / count as f32) }
        }
    )*};
}
halves!(f16, bf16);

macro_rules! complexes {
    ($($t:ty),*) => {$(
        impl Number for Complex<$t> {
            const ZERO: Self = Complex { re: 0.0, im: 0.0 };
            const ONE: Self = Complex { re: 1.0, im: 0.0 };
            const LOWEST: Self = Complex { re: <$t>::NEG_INFINITY, im: <$t>::NEG_INFINITY };
            const HIGHEST: Self = Complex { re: <$t>::INFINITY, im: <$t>::INFINITY };
            fn sum(self, v: Self) -> Self { self + v }
            fn prod(self, v: Self) -> Self { self * v }
            fn div(self, v: Self) -> Self { self / v }
            fn max(self, v: Self) -> Self { if below(&self, &v) { v } else { self } }
            fn min(self, v: Self) -> Self { if below(&v, &self) { v } else { self } }
            /// By a complex count, as torch scales it: the reciprocal rounds once more, and a part that is not
            /// finite reaches the other.
            fn over(self, count: u64) -> Self {
                let scale = 1.0 / count as $t;
                Complex { re: (self.re + self.im * 0.0) * scale, im: (self.im - self.re * 0.0) * scale }
            }
        }
    )*};
}
complexes!(f32, f64);

/// NumPy's order of complex numbers: real part first.
fn below<T: PartialOrd>(a: &Complex<T>, b: &Complex<T>) -> bool {
    a.re < b.re || (a.re == b.re && a.im < b.im)
}

/// A boolean as a byte.
#[derive(Clone, Copy, PartialEq)]
#[repr(transparent)]
pub(crate) struct Truth(u8);

impl Number for Truth {
    const ZERO: Truth = Truth(0);
    const ONE: Truth = Truth(1);
    const LOWEST: Truth = Truth(0);
    const HIGHEST: Truth = Truth(1);
    fn sum(self, v: Truth) -> Truth {
        Truth((self.0 != 0 || v.0 != 0) as u8)
    }
    fn prod(self, v: Truth) -> Truth {
        Truth((self.0 != 0 && v.0 != 0) as u8)
    }
    fn div(self, _: Truth) -> Truth {
        self
    }
    fn max(self, v: Truth) -> Truth {
        self.sum(v)
    }
    fn min(self, v: Truth) -> Truth {
        self.prod(v)
    }
    fn over(self, _: u64) -> Truth {
        self
    }
}

/// Runs `$body` with `$t` bound to the number type of a dtype, or `$other` for records.
macro_rules! with_number {
    ($dtype:expr, $t:ident => $body:expr, $other:expr) => {
        match $dtype {
            DType::Bool => {
                type $t = $crate::kernel::reduce::Truth;
                $body
            }
            DType::U8 => {
                type $t = u8;
                $body
            }
            DType::U16 => {
                type $t = u16;
                $body
            }
            DType::U32 => {
                type $t = u32;
                $body
            }
            DType::U64 => {
                type $t = u64;
                $body
            }
            DType::I8 => {
                type $t = i8;
                $body
            }
            DType::I16 => {
                type $t = i16;
                $body
            }
            DType::I32 => {
                type $t = i32;
                $body
            }
            DType::I64 => {
                type $t = i64;
                $body
            }
            DType::F16 => {
                type $t = half::f16;
                $body
            }
            DType::BF16 => {
                type $t = half::bf16;
                $body
            }
            DType::F32 => {
                type $t = f32;
                $body
            }
            DType::F64 => {
                type $t = f64;
                $body
            }
            DType::C64 => {
                type $t = num_complex::Complex<f32>;
                $body
            }
            DType::C128 => {
                type $t = num_complex::Complex<f64>;
                $body
            }
            DType::Opaque { .. } => $other,
        }
    };
}
pub(crate) use with_number;

per_level! {
    /// Combines `linear[k]` into `indexed[offsets[k]]`, k in order; each place is `chunk` bytes of `dtype`
    /// elements. `Mean` adds; the division is the caller's.
    ///
    /// # Safety
    /// As [`super::move_::write`].
    pub(crate) unsafe fn accumulate(
        dtype: DType, how: Reduce, chunk: usize, indexed: *mut u8, offsets: &[isize], linear: *const u8, at: Linear,
    ) {
        all: accumulate_body
    }
}

#[inline(always)]
unsafe fn accumulate_body(
    dtype: DType,
    how: Reduce,
    chunk: usize,
    indexed: *mut u8,
    offsets: &[isize],
    linear: *const u8,
    at: Linear,
) {
    // Each instance has its own addition, product or comparison inline; division is too slow to care.
    with_number!(dtype, T => {
        // SAFETY: passed on.
        unsafe {
            match how {
                Reduce::Sum | Reduce::Mean => accumulate_with::<T>(<T as Number>::sum, chunk, indexed, offsets, linear, at),
                Reduce::Prod => accumulate_with::<T>(<T as Number>::prod, chunk, indexed, offsets, linear, at),
                Reduce::Max => accumulate_with::<T>(<T as Number>::max, chunk, indexed, offsets, linear, at),
                Reduce::Min => accumulate_with::<T>(<T as Number>::min, chunk, indexed, offsets, linear, at),
                Reduce::Div => accumulate_with::<T>(<T as Number>::div, chunk, indexed, offsets, linear, at),
            }
        }
    }, ())
}

#[inline(always)]
unsafe fn accumulate_with<T: Number>(
    f: impl Fn(T, T) -> T,
    chunk: usize,
    indexed: *mut u8,
    offsets: &[isize],
    linear: *const u8,
    at: Linear,
) {
    let width = chunk / size_of::<T>();
    // SAFETY: R1 for the indexed side, L1 for the linear side: element `e` of `width` at both.
    let one = |o: isize, l: isize, e: usize| unsafe {
        let (d, s) = (indexed.offset(o).cast::<T>().add(e), linear.offset(l).cast::<T>().add(e));
        d.write_unaligned(f(d.read_unaligned(), s.read_unaligned()));
    };
    match at {
        Linear::Even(step) if width == 1 => {
            for (k, &o) in offsets.iter().enumerate() {
                if o != SKIP {
                    one(o, k as isize * step, 0);
                }
            }
        }
        _ => {
            for (k, &o) in offsets.iter().enumerate() {
                let l = match at {
                    Linear::Even(step) => k as isize * step,
                    Linear::Table(t) => t[k],
                };
                if o != SKIP {
                    (0..width).for_each(|e| one(o, l, e));
                }
            }
        }
    }
}
