//! Combining values into resolved offsets, in index order.

use super::cpu::{per_level, prefetch_all};
use super::halves::{Half, whole};
use super::move_::Linear;
use super::pick::settled;
use crate::dtype::DType;
use crate::exec::resolve::SKIP;
use half::{bf16, f16};
use num_complex::Complex;
use std::hint::select_unpredictable;

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

/// A number type values are combined in. Which of two is the greater no processor foresees.
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
    /// [`max`](Number::max) and [`min`](Number::min) of numbers that come one by one: compilers choose between short ones by
    /// a jump, which goes either way.
    #[inline(always)]
    fn max_alone(self, v: Self) -> Self {
        self.max(v)
    }
    #[inline(always)]
    fn min_alone(self, v: Self) -> Self {
        self.min(v)
    }
}

/// The first of two numbers, as bits, if it is `$kept`, else the second; by a mask that the compiler may see, or not.
macro_rules! chosen {
    ($bits:ty, $kept:expr, $own:expr, $other:expr) => {
        $other ^ (($other ^ $own) & <$bits>::from($kept).wrapping_neg())
    };
    (alone $bits:ty, $kept:expr, $own:expr, $other:expr) => {
        $other ^ (($other ^ $own) & settled(-i64::from($kept)) as $bits)
    };
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
            #[inline(always)]
            fn max_alone(self, v: $t) -> $t { chosen!(alone $t, v <= self, self, v) }
            #[inline(always)]
            fn min_alone(self, v: $t) -> $t { chosen!(alone $t, v >= self, self, v) }
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
            fn max(self, v: $t) -> $t { select_unpredictable(self.is_nan() | (v <= self), self, v) }
            fn min(self, v: $t) -> $t { select_unpredictable(self.is_nan() | (v >= self), self, v) }
            fn over(self, count: u64) -> $t { self / count as $t }
        }
    )*};
}
floats!(f32, f64);

/// Whether a half stays beside another: NaN does.
macro_rules! stays {
    ($own:expr, $other:expr, $order:tt) => {{
        let (own, other) = ($own.widened(), $other.widened());
        own.is_nan() | (other $order own)
    }};
}

macro_rules! halves {
    ($($t:ty),*) => {$(
        impl Number for $t {
            const ZERO: $t = <$t>::ZERO;
            const ONE: $t = <$t>::ONE;
            const LOWEST: $t = <$t>::NEG_INFINITY;
            const HIGHEST: $t = <$t>::INFINITY;
            fn sum(self, v: $t) -> $t { <$t>::narrowed(self.widened() + v.widened()) }
            fn prod(self, v: $t) -> $t { <$t>::narrowed(self.widened() * v.widened()) }
            fn div(self, v: $t) -> $t { <$t>::narrowed(self.widened() / v.widened()) }
            fn max(self, v: $t) -> $t { <$t>::from_bits(chosen!(u16, stays!(self, v, <=), self.to_bits(), v.to_bits())) }
            fn min(self, v: $t) -> $t { <$t>::from_bits(chosen!(u16, stays!(self, v, >=), self.to_bits(), v.to_bits())) }
            #[inline(always)]
            fn max_alone(self, v: $t) -> $t {
                <$t>::from_bits(chosen!(alone u16, stays!(self, v, <=), self.to_bits(), v.to_bits()))
            }
            #[inline(always)]
            fn min_alone(self, v: $t) -> $t {
                <$t>::from_bits(chosen!(alone u16, stays!(self, v, >=), self.to_bits(), v.to_bits()))
            }
            fn over(self, count: u64) -> $t { <$t>::narrowed(self.widened() / count as f32) }
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
#[allow(clippy::needless_range_loop)] // bounds that the compiler sees
unsafe fn accumulate_with<T: Number>(
    f: impl Fn(T, T) -> T,
    chunk: usize,
    indexed: *mut u8,
    offsets: &[isize],
    linear: *const u8,
    at: Linear,
) {
    let width = chunk / size_of::<T>();
    match at {
        Linear::Even(step) if width == 1 && step == size_of::<T>() as isize => {
            for k in 0..offsets.len() {
                // SAFETY: R1 for the indexed side, L1 for the linear side.
                unsafe { one::<T>(&f, indexed, offsets[k], linear.cast::<T>().add(k)) }
            }
        }
        Linear::Even(step) if width == 1 => {
            for k in 0..offsets.len() {
                // SAFETY: as above.
                unsafe { one::<T>(&f, indexed, offsets[k], linear.offset(k as isize * step).cast()) }
            }
        }
        _ => {
            for k in 0..offsets.len() {
                let l = match at {
                    Linear::Even(step) => k as isize * step,
                    Linear::Table(t) => t[k],
                };
                if chunk >= ROW && k + AHEAD < offsets.len() {
                    prefetch_all(indexed.wrapping_offset(offsets[k + AHEAD]), chunk.min(MOST));
                }
                if let (Linear::Even(step), true) = (at, chunk >= LINE) {
                    prefetch_all(
                        linear.wrapping_offset(step.wrapping_mul(AHEAD as isize).wrapping_add(l)),
                        chunk.min(MOST),
                    );
                }
                if offsets[k] != SKIP {
                    // SAFETY: as above, `width` elements at both.
                    unsafe { row::<T>(&f, width, indexed.offset(offsets[k]).cast(), linear.offset(l).cast()) }
                }
            }
        }
    }
}

/// Bytes of a row from which it is asked for ahead, so many rows and at most so many bytes of it.
pub(crate) const ROW: usize = 16;
const AHEAD: usize = 16;
const MOST: usize = 512;
/// Bytes of a row from which its values are asked for too.
const LINE: usize = 64;

/// Asks for the rows that [`accumulate`] begins with at these offsets; those further on it asks for itself.
pub(crate) fn ask(indexed: *const u8, offsets: &[isize], chunk: usize) {
    for o in offsets.iter().take(AHEAD) {
        prefetch_all(indexed.wrapping_offset(*o), chunk.min(MOST));
    }
}

/// Combines one element into its place, unless that is left out.
///
/// # Safety
/// R1 for the offset, L1 for the element.
#[inline(always)]
unsafe fn one<T: Number>(f: impl Fn(T, T) -> T, indexed: *mut u8, o: isize, from: *const T) {
    if o != SKIP {
        // SAFETY: by the caller.
        unsafe {
            let to = indexed.offset(o).cast::<T>();
            to.write_unaligned(f(to.read_unaligned(), from.read_unaligned()));
        }
    }
}

/// Elements of a row combined at once: enough for a vector of any element.
const TOGETHER: usize = 16;

/// The same of short rows, and of what is left of long ones.
const FEW: usize = 4;

/// Combines `N` elements that lie side by side.
///
/// # Safety
/// As [`row`].
#[inline(always)]
unsafe fn together<T: Number, const N: usize>(f: impl Fn(T, T) -> T, to: *mut T, from: *const T) {
    // SAFETY: by the caller.
    unsafe {
        let place = to.cast::<[T; N]>();
        let (mut own, other) = (place.read_unaligned(), from.cast::<[T; N]>().read_unaligned());
        for k in 0..N {
            own[k] = f(own[k], other[k]);
        }
        place.write_unaligned(own);
    }
}

/// Combines `width` elements that lie side by side.
///
/// # Safety
/// As many elements at both, which do not meet.
#[inline(always)]
unsafe fn row<T: Number>(f: impl Fn(T, T) -> T, width: usize, to: *mut T, from: *const T) {
    let mut e = 0;
    // SAFETY: by the caller.
    unsafe {
        while e + TOGETHER <= width {
            together::<T, TOGETHER>(&f, to.add(e), from.add(e));
            e += TOGETHER;
        }
        while e + FEW <= width {
            together::<T, FEW>(&f, to.add(e), from.add(e));
            e += FEW;
        }
        while e < width {
            to.add(e).write_unaligned(f(to.add(e).read_unaligned(), from.add(e).read_unaligned()));
            e += 1;
        }
    }
}

per_level! {
    /// [`accumulate`] of half floats, `chunk` bytes of them a position, into f32 places that are twice as far apart.
    ///
    /// # Safety
    /// As [`super::move_::write`], with places of twice the bytes.
    pub(crate) unsafe fn accumulate_wide(
        dtype: DType, how: Reduce, chunk: usize, indexed: *mut u8, offsets: &[isize], linear: *const u8, at: Linear,
    ) {
        all: accumulate_wide_body
    }
}

#[inline(always)]
unsafe fn accumulate_wide_body(
    dtype: DType,
    how: Reduce,
    chunk: usize,
    indexed: *mut u8,
    offsets: &[isize],
    linear: *const u8,
    at: Linear,
) {
    // SAFETY: passed on.
    unsafe {
        match how {
            Reduce::Sum | Reduce::Mean => widened(<f32 as Number>::sum, dtype, chunk, indexed, offsets, linear, at),
            Reduce::Prod => widened(<f32 as Number>::prod, dtype, chunk, indexed, offsets, linear, at),
            Reduce::Max => widened(<f32 as Number>::max, dtype, chunk, indexed, offsets, linear, at),
            Reduce::Min => widened(<f32 as Number>::min, dtype, chunk, indexed, offsets, linear, at),
            Reduce::Div => widened(<f32 as Number>::div, dtype, chunk, indexed, offsets, linear, at),
        }
    }
}

/// Halves widened at a time.
const HALVES: usize = 64;

#[inline(always)]
unsafe fn widened(
    f: impl Fn(f32, f32) -> f32,
    dtype: DType,
    chunk: usize,
    indexed: *mut u8,
    offsets: &[isize],
    linear: *const u8,
    at: Linear,
) {
    let width = chunk / size_of::<u16>();
    let mut bits = [0u16; HALVES];
    let mut values = [0f32; HALVES];
    let mut k = 0;
    while k < offsets.len() {
        // Either one element each of many positions, or many elements of one.
        let positions = if width == 1 { HALVES.min(offsets.len() - k) } else { 1 };
        let mut e = 0;
        while e < width {
            let n = if width == 1 { positions } else { HALVES.min(width - e) };
            let place = |p: usize| match at {
                Linear::Even(step) => p as isize * step,
                Linear::Table(t) => t[p],
            };
            // SAFETY: L1: elements of the position's `width`, or of as many positions.
            unsafe {
                if width == 1 {
                    for (j, b) in bits[..n].iter_mut().enumerate() {
                        *b = linear.offset(place(k + j)).cast::<u16>().read_unaligned();
                    }
                } else {
                    let from = linear.offset(place(k)).cast::<u16>().add(e);
                    std::ptr::copy_nonoverlapping(from.cast::<u8>(), bits.as_mut_ptr().cast(), n * size_of::<u16>());
                }
            }
            match dtype {
                DType::F16 => {
                    for j in 0..n {
                        values[j] = whole(bits[j]);
                    }
                }
                _ => {
                    for j in 0..n {
                        values[j] = f32::from_bits(u32::from(bits[j]) << 16);
                    }
                }
            }
            // SAFETY: R1 for the places.
            unsafe {
                if width == 1 {
                    for j in 0..n {
                        one::<f32>(&f, indexed, offsets[k + j], &values[j]);
                    }
                } else if offsets[k] != SKIP {
                    row::<f32>(&f, n, indexed.offset(offsets[k]).cast::<f32>().add(e), values.as_ptr());
                }
            }
            e += n.min(width);
        }
        k += positions;
    }
}

/// How two numbers are combined; `Mean` adds.
pub(crate) fn combining<T: Number>(how: Reduce) -> fn(T, T) -> T {
    match how {
        Reduce::Sum | Reduce::Mean => T::sum,
        Reduce::Prod => T::prod,
        Reduce::Max => T::max,
        Reduce::Min => T::min,
        Reduce::Div => T::div,
    }
}

/// What combining starts from.
pub(crate) fn identity<T: Number>(how: Reduce) -> T {
    match how {
        Reduce::Sum | Reduce::Mean => T::ZERO,
        Reduce::Prod | Reduce::Div => T::ONE,
        Reduce::Max => T::LOWEST,
        Reduce::Min => T::HIGHEST,
    }
}
