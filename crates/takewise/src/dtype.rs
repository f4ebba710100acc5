//! Element types: what a value is ([`DType`]), which Rust types stand for one ([`Element`]), and the
//! width-neutral number a caller hands in ([`Scalar`]).
//!
//! Moves never look at the type, only at its size, so any `Copy` record can be moved as
//! [`DType::Opaque`]. Only reductions, comparisons and conversions need a known type. Dtypes of other libraries that the
//! engine cannot compute with are opaque too, each with a tag of its own ([`crate::foreign`]), and so are numbers in the
//! byte order that is not this machine's ([`DType::swapped`]).

#![allow(unsafe_code)] // the Element trait and its number impls

use half::{bf16, f16};
use num_complex::Complex;
#[doc(inline)]
pub use takewise_kernels::dtype::{DTYPES, DType, DTypeSet};

/// A Rust type whose values can be elements: the numbers, `bool`, and `Copy` records of a program's own.
///
/// `usize` and `isize` are elements of the unsigned and signed dtype of their width (`uint64` and `int64` on 64-bit
/// targets), so lists of positions are index operands as they are.
///
/// ```
/// use takewise::{ops, Rules};
/// let order = vec![2usize, 0, 1];
/// assert_eq!(ops::take(&[10, 20, 30], &order, &Rules::NEUTRAL)?.to_vec::<i32>()?, [30, 10, 20]);
/// # Ok::<(), takewise::Error>(())
/// ```
///
/// # Safety
/// `DTYPE.size()` must be `size_of::<Self>()`, and every value obtained by copying the bytes of a valid
/// value must be valid. A type that is not one of the numbers must use [`DType::opaque`]: the engine then
/// only moves it.
///
/// ```
/// use takewise::{DType, Element, View};
/// #[derive(Clone, Copy)]
/// struct Point { x: f32, y: f32, id: u16 }
/// // SAFETY: Point is Copy and its dtype is its own size.
/// unsafe impl Element for Point { const DTYPE: DType = DType::opaque::<Point>(); }
/// ```
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// The dtype that stands for this type.
    const DTYPE: DType;
}

macro_rules! elements {
    ($($t:ty => $d:ident),*) => {$(
        // SAFETY: a number type of exactly the size its dtype names.
        unsafe impl Element for $t { const DTYPE: DType = DType::$d; }
    )*};
}
elements!(bool => Bool, u8 => U8, u16 => U16, u32 => U32, u64 => U64, i8 => I8, i16 => I16, i32 => I32,
    i64 => I64, f16 => F16, bf16 => BF16, f32 => F32, f64 => F64, Complex<f32> => C64, Complex<f64> => C128);

// Positions as Rust programs hold them are index operands too: the same memory under the dtype of that width.
#[cfg(target_pointer_width = "64")]
elements!(usize => U64, isize => I64);
#[cfg(target_pointer_width = "32")]
elements!(usize => U32, isize => I32);

/// A number as the caller wrote it, before it becomes an element: Python's bool, int, float or complex.
///
/// Integers beyond 128 bits are given as `Int(i128::MAX)` or `Int(i128::MIN)`: out of every dtype's range.
///
/// ```
/// use takewise::Scalar;
/// assert_eq!(Scalar::from(3u8), Scalar::Int(3));
/// assert_eq!(Scalar::Complex(1.0, -2.5).to_string(), "(1-2.5j)");
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Scalar {
    Bool(bool),
    Int(i128),
    Float(f64),
    Complex(f64, f64),
}

/// As Python writes it.
impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        /// Python's digits, without a point where `parts` of a complex number have none.
        fn real(x: f64, parts: bool) -> String {
            let text = format!("{x:?}");
            match text.strip_suffix(".0") {
                _ if x.is_nan() => "nan".into(),
                Some(whole) if parts => whole.into(),
                _ => text,
            }
        }
        match *self {
            Scalar::Bool(true) => f.write_str("True"),
            Scalar::Bool(false) => f.write_str("False"),
            Scalar::Int(i128::MAX) => f.write_str("an integer above 128 bits"),
            Scalar::Int(i128::MIN) => f.write_str("an integer below 128 bits"),
            Scalar::Int(v) => write!(f, "{v}"),
            Scalar::Float(x) => f.write_str(&real(x, false)),
            Scalar::Complex(re, im) => {
                let sign = if im.is_sign_negative() { "" } else { "+" };
                write!(f, "({}{sign}{}j)", real(re, true), real(im, true))
            }
        }
    }
}

macro_rules! scalar_from {
    ($($t:ty => $v:ident as $c:ty),*) => {$(
        impl From<$t> for Scalar { fn from(v: $t) -> Scalar { Scalar::$v(v as $c) } }
    )*};
}
scalar_from!(u8 => Int as i128, u16 => Int as i128, u32 => Int as i128, u64 => Int as i128, usize => Int as i128,
    i8 => Int as i128, i16 => Int as i128, i32 => Int as i128, i64 => Int as i128, isize => Int as i128,
    i128 => Int as i128, f32 => Float as f64, f64 => Float as f64, bool => Bool as bool);

impl From<Complex<f64>> for Scalar {
    fn from(v: Complex<f64>) -> Scalar {
        Scalar::Complex(v.re, v.im)
    }
}
