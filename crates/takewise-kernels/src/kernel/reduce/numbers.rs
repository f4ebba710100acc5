//! The numbers values are combined in: what a sum, a product or the greater of two is, for every dtype that has them.

use crate::kernel::gather::settled;
use crate::kernel::halves::{Half, either};
use half::{bf16, f16};
use num_complex::Complex;

/// A number type values are combined in. Which of two is the greater no processor foresees.
pub trait Number: Copy + PartialEq {
    const ZERO: Self;
    const ONE: Self;
    /// The identity of `Max`, the smallest value.
    const LOWEST: Self;
    /// The identity of `Min`, the largest value.
    const HIGHEST: Self;
    /// Whether it lies in a vector register, for which processors do not rename memory: what was stored a moment ago is waited
    /// for.
    const VECTOR: bool = false;
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

/// [`either`] of halves that come one by one, by a mask that the compiler does not see.
#[inline(always)]
fn either_alone(first: bool, one: u16, other: u16) -> u16 {
    other ^ ((other ^ one) & settled(-i64::from(first)) as u16)
}

/// A sum's floor quotient: in floats where these tell any two quotients apart, as they divide side by side.
macro_rules! floor_over {
    ($sum:expr, $count:expr, $t:ty, whole) => {
        $sum.div_euclid($count as $t)
    };
    ($sum:expr, $count:expr, $t:ty, $float:ty) => {{
        let quotient = $sum as $float / $count as $float;
        let towards_zero = quotient as $t;
        towards_zero.wrapping_sub(<$t>::from(towards_zero as $float > quotient))
    }};
}

/// The second of two numbers of 64 bits if it lies beyond the first, by a move on that condition: the first is less, or greater.
macro_rules! beyond {
    ($own:expr, $other:expr, $move:tt) => {{
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        {
            let (mut own, other) = ($own, $other);
            // SAFETY: two registers.
            unsafe {
                std::arch::asm!(
                    "cmp {0}, {1}", concat!($move, " {0}, {1}"),
                    inout(reg) own, in(reg) other, options(pure, nomem, nostack)
                )
            };
            own
        }
        #[cfg(not(all(target_arch = "x86_64", not(miri))))]
        {
            let (own, other) = ($own, $other);
            let beyond = if matches!($move, "cmovl" | "cmovb") { other > own } else { other < own };
            std::hint::select_unpredictable(beyond, other, own)
        }
    }};
}

macro_rules! integers {
    ($($t:ty, $quotient:tt, $wide:ty, $greater:tt, $less:tt);*) => {$(
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
            fn max_alone(self, v: $t) -> $t { beyond!(self as $wide, v as $wide, $greater) as $t }
            #[inline(always)]
            fn min_alone(self, v: $t) -> $t { beyond!(self as $wide, v as $wide, $less) as $t }
            #[inline(always)]
            fn over(self, count: u64) -> $t { floor_over!(self, count, $t, $quotient) }
        }
    )*};
}
integers! {
    u8, f32, i64, "cmovl", "cmovg"; u16, f32, i64, "cmovl", "cmovg"; u32, f64, i64, "cmovl", "cmovg";
    i8, f32, i64, "cmovl", "cmovg"; i16, f32, i64, "cmovl", "cmovg"; i32, f64, i64, "cmovl", "cmovg";
    u64, whole, u64, "cmovb", "cmova"; i64, whole, i64, "cmovl", "cmovg"
}

/// What stays where NaN comes, which does unless NaN is there: out of the way of numbers, which so are compared by one instruction.
#[cold]
#[inline(never)]
fn nan_met<T: Copy>(own: T, nan: T, is_nan: fn(T) -> bool) -> T {
    if is_nan(own) { own } else { nan }
}

macro_rules! floats {
    ($($t:ty),*) => {$(
        impl Number for $t {
            const ZERO: $t = 0.0;
            const ONE: $t = 1.0;
            const LOWEST: $t = <$t>::NEG_INFINITY;
            const HIGHEST: $t = <$t>::INFINITY;
            const VECTOR: bool = true;
            fn sum(self, v: $t) -> $t { self + v }
            fn prod(self, v: $t) -> $t { self * v }
            fn div(self, v: $t) -> $t { self / v }
            #[inline(always)]
            fn max(self, v: $t) -> $t {
                let greater = if v > self { v } else { self };
                if self.is_nan() | !v.is_nan() { greater } else { v }
            }
            #[inline(always)]
            fn min(self, v: $t) -> $t {
                let less = if v < self { v } else { self };
                if self.is_nan() | !v.is_nan() { less } else { v }
            }
            #[inline(always)]
            fn max_alone(self, v: $t) -> $t {
                if v.is_nan() {
                    return nan_met(self, v, <$t>::is_nan);
                }
                if v > self { v } else { self }
            }
            #[inline(always)]
            fn min_alone(self, v: $t) -> $t {
                if v.is_nan() {
                    return nan_met(self, v, <$t>::is_nan);
                }
                if v < self { v } else { self }
            }
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
            fn sum(self, v: $t) -> $t { <$t>::from_bits(<$t>::near(<$t>::whole(self.to_bits()) + <$t>::whole(v.to_bits()))) }
            fn prod(self, v: $t) -> $t { <$t>::from_bits(<$t>::near(<$t>::whole(self.to_bits()) * <$t>::whole(v.to_bits()))) }
            fn div(self, v: $t) -> $t { <$t>::from_bits(<$t>::near(<$t>::whole(self.to_bits()) / <$t>::whole(v.to_bits()))) }
            fn max(self, v: $t) -> $t {
                let (own, other) = (self.to_bits(), v.to_bits());
                <$t>::from_bits(either(stays(<$t>::INFINITY.to_bits(), own, other, |a, b| a > b), own, other))
            }
            fn min(self, v: $t) -> $t {
                let (own, other) = (self.to_bits(), v.to_bits());
                <$t>::from_bits(either(stays(<$t>::INFINITY.to_bits(), own, other, |a, b| a < b), own, other))
            }
            #[inline(always)]
            fn max_alone(self, v: $t) -> $t {
                let (own, other) = (self.to_bits(), v.to_bits());
                <$t>::from_bits(either_alone(stays(<$t>::INFINITY.to_bits(), own, other, |a, b| a > b), own, other))
            }
            #[inline(always)]
            fn min_alone(self, v: $t) -> $t {
                let (own, other) = (self.to_bits(), v.to_bits());
                <$t>::from_bits(either_alone(stays(<$t>::INFINITY.to_bits(), own, other, |a, b| a < b), own, other))
            }
            fn over(self, count: u64) -> $t { <$t>::from_bits(<$t>::near(<$t>::whole(self.to_bits()) / count as f32)) }
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
            const VECTOR: bool = true;
            fn sum(self, v: Self) -> Self { self + v }
            fn prod(self, v: Self) -> Self { self * v }
            fn div(self, v: Self) -> Self { self / v }
            fn max(self, v: Self) -> Self { if beyond(&self, &v, below) { v } else { self } }
            fn min(self, v: Self) -> Self { if beyond(&self, &v, |a, b| below(b, a)) { v } else { self } }
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

/// Whether `v` takes the place of what there is: what is not a number stays, and comes before every number.
fn beyond<T: PartialOrd>(own: &Complex<T>, v: &Complex<T>, before: fn(&Complex<T>, &Complex<T>) -> bool) -> bool {
    let strange = |c: &Complex<T>| c.re.partial_cmp(&c.re).is_none() || c.im.partial_cmp(&c.im).is_none();
    !strange(own) && (before(own, v) || strange(v))
}

/// A boolean as a byte.
#[derive(Clone, Copy, PartialEq)]
#[repr(transparent)]
pub struct Truth(u8);

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
#[doc(hidden)]
#[macro_export]
macro_rules! with_number {
    ($dtype:expr, $t:ident => $body:expr, $other:expr) => {
        $crate::kernel::reduce::with_number!(arms $dtype, $t, $body, $other;
            Bool $crate::kernel::reduce::Truth, U8 u8, U16 u16, U32 u32, U64 u64, I8 i8, I16 i16, I32 i32, I64 i64,
            F16 half::f16, BF16 half::bf16, F32 f32, F64 f64, C64 num_complex::Complex<f32>, C128 num_complex::Complex<f64>)
    };
    (arms $dtype:expr, $t:ident, $body:expr, $other:expr; $($name:ident $number:ty),*) => {
        match $dtype {
            $($crate::dtype::DType::$name => {
                type $t = $number;
                $body
            })*
            _ => $other,
        }
    };
}

/// Runs `$body` with `$t` bound to the number type of a dtype whose sums and products have functions of their own, or `$other`: those of
/// integers with a sign are the same bits [`without_sign`](super::without_sign), and half floats are added as f32.
macro_rules! with_sum {
    ($dtype:expr, $t:ident => $body:expr, $other:expr) => {
        $crate::kernel::reduce::with_number!(arms $dtype, $t, $body, $other;
            Bool $crate::kernel::reduce::Truth, U8 u8, U16 u16, U32 u32, U64 u64, F32 f32, F64 f64,
            C64 num_complex::Complex<f32>, C128 num_complex::Complex<f64>)
    };
}
pub use crate::with_number;
pub(crate) use with_sum;

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
    #[cfg_attr(miri, ignore = "no memory is touched")]
    fn the_greater_of_two_is_what_comparing_them_says() {
        agree!(f16, corners().map(f16::from_bits), f16::to_bits);
        agree!(bf16, corners().map(bf16::from_bits), bf16::to_bits);
        agree!(f32, corners().map(|b| f32::from_bits(u32::from(b) << 16)), f32::to_bits);
        agree!(f64, corners().map(|b| f64::from_bits(u64::from(b) << 48)), f64::to_bits);
    }

    #[test]
    #[cfg_attr(miri, ignore = "no memory is touched")]
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

    #[test]
    #[cfg_attr(miri, ignore = "no memory is touched")]
    fn means_of_integers_are_floored() {
        macro_rules! all {
            ($($t:ty),*) => {$(
                let ends = [<$t>::MIN, <$t>::MIN + 1, <$t>::MAX - 1, <$t>::MAX];
                let near = [1, 2, 3, 7, 63, 64, 65, 100].map(|v: $t| [v, (0 as $t).wrapping_sub(v), (<$t>::MAX / 2).wrapping_add(v)]);
                for sum in ends.into_iter().chain(near.into_iter().flatten()).chain([0]) {
                    for count in (1..20).chain([63, 64, 127, 255, 256, 65535, 65536, u64::from(u32::MAX) - 1]) {
                        let want = i128::from(sum).div_euclid(i128::from(count)) as $t;
                        assert_eq!(sum.over(count), want, "{sum} over {count}");
                    }
                }
            )*};
        }
        all!(u8, u16, u32, u64, i8, i16, i32, i64);
        for sum in i16::MIN..=i16::MAX {
            for count in 1..50 {
                assert_eq!(i64::from(sum.over(count)), i64::from(sum).div_euclid(count as i64), "{sum} over {count}");
            }
        }
    }
}
