//! What loops are told of rules: where values land, and how numbers become elements.

/// What a negative index value means.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{Sign};
/// let rules = Rules { sign: Sign::NonNegative, ..Rules::NEUTRAL };
/// assert!(ops::take(&[1, 2, 3], &[-1], &rules).is_err());
/// assert_eq!(ops::take(&[1, 2, 3], &[-1], &Rules::NEUTRAL)?.to_vec::<i32>()?, [3]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// Negative values are out of range.
    NonNegative,
    /// `-1` is the last element; wraps once.
    FromEnd,
}

/// What a value outside the axis does (after [`Sign`] had its say).
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{Outside};
/// let read = |outside| ops::take(&[1, 2, 3], &[4, 0], &Rules { outside, ..Rules::NEUTRAL });
/// assert_eq!(read(Outside::Clip)?.to_vec::<i32>()?, [3, 1]);
/// assert_eq!(read(Outside::Wrap)?.to_vec::<i32>()?, [2, 1]);
/// assert_eq!(read(Outside::Drop)?.to_vec::<i32>()?, [0, 1]);
/// assert!(read(Outside::Raise).is_err());
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Outside {
    /// The call fails and nothing is written.
    Raise,
    /// The nearest valid position is used.
    Clip,
    /// The value is taken modulo the length, with a non-negative result.
    Wrap,
    /// Reads give the fill value (the field `fill` of the rules); writes are dropped.
    Fill,
    /// Reads give zero bytes; writes are dropped.
    Drop,
}

/// How a number or an operand of another dtype becomes an element of the destination
/// (SEMANTICS.md, Conversion of numbers).
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{Conversion};
/// let store = |conversion| {
///     let rules = Rules { conversion, ..Rules::NEUTRAL };
///     ops::put(&[0u8], &[0usize], 300, false, &rules)
/// };
/// assert_eq!(store(Conversion::Wrap)?.to_vec::<u8>()?, [44]);
/// assert_eq!(store(Conversion::RangeChecked).unwrap_err().kind(), Kind::Value);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Conversion {
    /// Every number is range-checked: negative integers wrap once into unsigned dtypes, floats truncate (torch).
    RangeChecked,
    /// Integers are range-checked, floats cast (NumPy 2).
    IntegersChecked,
    /// Numbers wrap and truncate (MindSpore).
    Wrap,
    /// Integers wrap; floats truncate and stop at the ends of an integer dtype, NaN being 0; complex numbers are their real
    /// part, to a boolean too (JAX).
    Saturate,
}
