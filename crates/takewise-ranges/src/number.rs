//! Numbers as reductions see them.

use takewise::{Complex, Element, bf16, f16};

/// An element that is combined.
pub(crate) trait Number: Element + PartialEq {
    /// What sums and products are held in.
    type Wide: Copy + Send + Sync;
    const ZERO: Self::Wide;
    const ONE: Self::Wide;
    /// What every number is at least, and at most.
    const LOWEST: Self;
    const HIGHEST: Self;
    /// Whether these have an order.
    const ORDERED: bool = true;
    fn widen(self) -> Self::Wide;
    fn narrow(wide: Self::Wide) -> Self;
    fn add(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    fn mul(a: Self::Wide, b: Self::Wide) -> Self::Wide;
    /// A sum divided by a count: of integers the floor.
    fn over(sum: Self::Wide, count: u64) -> Self::Wide;
    fn less(self, other: Self) -> bool;
    fn is_nan(self) -> bool;
    fn truth(self) -> bool;
}

macro_rules! integers {
    ($($t:ty),*) => {$(
        impl Number for $t {
            type Wide = $t;
            const ZERO: $t = 0;
            const ONE: $t = 1;
            const LOWEST: $t = <$t>::MIN;
            const HIGHEST: $t = <$t>::MAX;
            fn widen(self) -> $t { self }
            fn narrow(wide: $t) -> $t { wide }
            fn add(a: $t, b: $t) -> $t { a.wrapping_add(b) }
            fn mul(a: $t, b: $t) -> $t { a.wrapping_mul(b) }
            fn over(sum: $t, count: u64) -> $t { (i128::from(sum)).div_euclid(i128::from(count.max(1))) as $t }
            fn less(self, other: $t) -> bool { self < other }
            fn is_nan(self) -> bool { false }
            fn truth(self) -> bool { self != 0 }
        }
    )*};
}
integers!(u8, u16, u32, u64, i8, i16, i32, i64);

macro_rules! floats {
    ($($t:ty: $wide:ty, $widen:expr, $narrow:expr, $zero:expr);*) => {$(
        impl Number for $t {
            type Wide = $wide;
            const ZERO: $wide = 0.0;
            const ONE: $wide = 1.0;
            const LOWEST: $t = <$t>::NEG_INFINITY;
            const HIGHEST: $t = <$t>::INFINITY;
            #[inline(always)]
            fn widen(self) -> $wide { $widen(self) }
            #[inline(always)]
            fn narrow(wide: $wide) -> $t { $narrow(wide) }
            #[inline(always)]
            fn add(a: $wide, b: $wide) -> $wide { a + b }
            fn mul(a: $wide, b: $wide) -> $wide { a * b }
            fn over(sum: $wide, count: u64) -> $wide { sum / count as $wide }
            #[inline(always)]
            fn less(self, other: $t) -> bool { self < other }
            #[inline(always)]
            fn is_nan(self) -> bool { <$t>::is_nan(self) }
            fn truth(self) -> bool { self != $zero }
        }
    )*};
}
floats!(
    f32: f32, |v| v, |v| v, 0.0;
    f64: f64, |v| v, |v| v, 0.0;
    f16: f32, f16::to_f32, f16::from_f32, f16::ZERO;
    bf16: f32, bf16::to_f32, bf16::from_f32, bf16::ZERO
);

macro_rules! complexes {
    ($($t:ty),*) => {$(
        impl Number for Complex<$t> {
            type Wide = Complex<$t>;
            const ZERO: Self = Complex { re: 0.0, im: 0.0 };
            const ONE: Self = Complex { re: 1.0, im: 0.0 };
            const LOWEST: Self = Self::ZERO;
            const HIGHEST: Self = Self::ZERO;
            const ORDERED: bool = false;
            fn widen(self) -> Self { self }
            fn narrow(wide: Self) -> Self { wide }
            fn add(a: Self, b: Self) -> Self { a + b }
            fn mul(a: Self, b: Self) -> Self { a * b }
            fn over(sum: Self, count: u64) -> Self { sum / count as $t }
            fn less(self, _: Self) -> bool { false }
            fn is_nan(self) -> bool { self.re.is_nan() || self.im.is_nan() }
            fn truth(self) -> bool { self != Self::ZERO }
        }
    )*};
}
complexes!(f32, f64);

/// Sums of truth values say whether any is true, products whether all are.
impl Number for bool {
    type Wide = bool;
    const ZERO: bool = false;
    const ONE: bool = true;
    const LOWEST: bool = false;
    const HIGHEST: bool = true;
    fn widen(self) -> bool {
        self
    }
    fn narrow(wide: bool) -> bool {
        wide
    }
    fn add(a: bool, b: bool) -> bool {
        a | b
    }
    fn mul(a: bool, b: bool) -> bool {
        a & b
    }
    fn over(sum: bool, _: u64) -> bool {
        sum
    }
    fn less(self, other: bool) -> bool {
        !self & other
    }
    fn is_nan(self) -> bool {
        false
    }
    fn truth(self) -> bool {
        self
    }
}

/// Runs `$body` with `$t` bound to the number type of a dtype, or `$other`.
macro_rules! with_number {
    ($dtype:expr, $t:ident => $body:expr, $other:expr) => {
        $crate::number::with_number!(arms $dtype, $t, $body, $other;
            Bool bool, U8 u8, U16 u16, U32 u32, U64 u64, I8 i8, I16 i16, I32 i32, I64 i64, F16 takewise::f16,
            BF16 takewise::bf16, F32 f32, F64 f64, C64 takewise::Complex<f32>, C128 takewise::Complex<f64>)
    };
    (arms $dtype:expr, $t:ident, $body:expr, $other:expr; $($name:ident $number:ty),*) => {
        match $dtype {
            $(takewise::DType::$name => {
                type $t = $number;
                $body
            })*
            _ => $other,
        }
    };
}
pub(crate) use with_number;
