//! The numbers values are combined in: what a sum, a product or the greater of two is, for every dtype that has them.

use crate::kernel::halves::Half;
use crate::kernel::pick::settled;
use half::{bf16, f16};
use num_complex::Complex;
use std::hint::select_unpredictable;

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

/// An integer whose order is that of half floats but NaN, zeros equal.
#[inline(always)]
fn ordered(bits: u16) -> i16 {
    let sign = bits as i16 >> 15;
    ((bits & 0x7fff) as i16 ^ sign) - sign
}

/// Whether a half stays beside another, of which [`ordered`] says whether it is `beyond`: NaN stays, and replaces what is not.
#[inline(always)]
fn stays(endless: u16, own: u16, other: u16, beyond: impl Fn(i16, i16) -> bool) -> bool {
    let nan = |bits: u16| bits & 0x7fff > endless;
    nan(own) | (!nan(other) & !beyond(ordered(other), ordered(own)))
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
            fn max(self, v: $t) -> $t {
                let (own, other) = (self.to_bits(), v.to_bits());
                <$t>::from_bits(chosen!(u16, stays(<$t>::INFINITY.to_bits(), own, other, |a, b| a > b), own, other))
            }
            fn min(self, v: $t) -> $t {
                let (own, other) = (self.to_bits(), v.to_bits());
                <$t>::from_bits(chosen!(u16, stays(<$t>::INFINITY.to_bits(), own, other, |a, b| a < b), own, other))
            }
            #[inline(always)]
            fn max_alone(self, v: $t) -> $t {
                let (own, other) = (self.to_bits(), v.to_bits());
                <$t>::from_bits(chosen!(alone u16, stays(<$t>::INFINITY.to_bits(), own, other, |a, b| a > b), own, other))
            }
            #[inline(always)]
            fn min_alone(self, v: $t) -> $t {
                let (own, other) = (self.to_bits(), v.to_bits());
                <$t>::from_bits(chosen!(alone u16, stays(<$t>::INFINITY.to_bits(), own, other, |a, b| a < b), own, other))
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

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! agree {
        ($t:ty, $numbers:expr, $bits:expr) => {
            for own in $numbers {
                for v in $numbers {
                    let greater = if own.is_nan() || v <= own { own } else { v };
                    let lesser = if own.is_nan() || v >= own { own } else { v };
                    assert_eq!($bits(Number::max(own, v)), $bits(greater), "{own} {v}");
                    assert_eq!($bits(own.max_alone(v)), $bits(greater), "{own} {v}");
                    assert_eq!($bits(Number::min(own, v)), $bits(lesser), "{own} {v}");
                    assert_eq!($bits(own.min_alone(v)), $bits(lesser), "{own} {v}");
                }
            }
        };
    }

    /// Bits of both signs around those of zero, one, infinity and NaN.
    fn corners() -> impl Iterator<Item = u16> + Clone {
        let around = [0, 1, 2, 0x3bff, 0x3c00, 0x3f80, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7f7f, 0x7f80, 0x7f81, 0x7fff];
        around.into_iter().flat_map(|bits| [bits, bits | 0x8000])
    }

    #[test]
    fn the_greater_of_two_is_what_comparing_them_says() {
        agree!(f16, corners().map(f16::from_bits), f16::to_bits);
        agree!(bf16, corners().map(bf16::from_bits), bf16::to_bits);
        agree!(f32, corners().map(|b| f32::from_bits(u32::from(b) << 16)), f32::to_bits);
        agree!(f64, corners().map(|b| f64::from_bits(u64::from(b) << 48)), f64::to_bits);
    }

    #[test]
    fn so_is_that_of_integers() {
        macro_rules! all {
            ($($t:ty),*) => {$(
                let numbers = [<$t>::MIN, <$t>::MIN + 1, 0, 1, <$t>::MAX / 2, <$t>::MAX / 2 + 1, <$t>::MAX - 1, <$t>::MAX];
                for a in numbers {
                    for b in numbers {
                        assert_eq!([a.max_alone(b), a.min_alone(b)], [Ord::max(a, b), Ord::min(a, b)], "{a} {b}");
                    }
                }
            )*};
        }
        all!(u8, u16, u32, u64, i8, i16, i32, i64);
    }
}
