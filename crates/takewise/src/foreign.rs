//! Dtypes that only another library can compute with: what they are called, and the library that is asked.
//!
//! The engine moves elements of such a dtype and compares dtypes by their tags, so bytes of one are never taken for
//! another. What needs to know what the bytes mean is asked of a [`Library`], where the program has set one; else it is
//! refused by name.

use crate::dtype::{DType, Scalar};
use crate::error::{DTypeRule, Error, Fault, Result};
use crate::notes::{self, Location, Note};
use crate::once::Once;
use crate::op::Op;
pub(crate) use crate::tags::COMPLEX_HALF;
pub use crate::tags::full_name;
use crate::values::compare::Relation;
use crate::view::{AnyView, AnyViewMut};

/// Whoever can compute with foreign dtypes.
///
/// Each function gets arrays of dtypes that the engine itself cannot handle, at least one of them foreign. An error is
/// of kind `DType` where the library has no answer.
pub trait Library: Sync {
    /// Stores the elements of `src`, converted, into `dst`, which has its shape.
    fn cast(&self, src: &AnyView<'_>, dst: &mut AnyViewMut<'_>) -> Result<()>;

    /// The dtype two dtypes meet in, if there is one; `weak` if `b` is that of a plain number.
    fn common(&self, a: DType, b: DType, weak: bool) -> Option<DType>;

    /// Stores which elements are true: booleans of the shape of `x`.
    fn truth(&self, x: &AnyView<'_>, out: &mut AnyViewMut<'_>) -> Result<()>;

    /// Stores numbers that are in the order the elements are in, of all arrays together: into an array of int64 for each, of
    /// its shape. What stands for no value is greater than all others.
    fn keys(&self, arrays: &[&AnyView<'_>], out: &mut [AnyViewMut<'_>]) -> Result<()>;

    /// Stores where `a how b` is true: booleans of the shape both have.
    fn compare(&self, a: &AnyView<'_>, b: &AnyView<'_>, how: Relation, out: &mut AnyViewMut<'_>) -> Result<()>;

    /// Whether elements may be stored as those of another dtype, by a rule of NumPy's such as "same_kind".
    fn can_cast(&self, from: DType, to: DType, rule: &str) -> bool;

    /// Stores a number as an element in as many bytes as the dtype has.
    fn element(&self, value: Scalar, dtype: DType, into: &mut [u8]) -> Result<()>;
}

static LIBRARY: Once<&'static dyn Library> = Once::new();

/// Sets the library that is asked about foreign dtypes; the first one stays.
pub fn set_library(library: &'static dyn Library) {
    LIBRARY.keep(library);
}

/// The error for what nobody can do with a dtype.
fn unsupported(op: Op, given: DType, wanted: Option<DType>) -> Error {
    let rule = if wanted.is_some() { DTypeRule::Same } else { DTypeRule::Unsupported };
    Error::plain(Fault::DType { op, rule, given, wanted })
}

/// See [`Library::cast`].
pub(crate) fn cast(src: &AnyView<'_>, dst: &mut AnyViewMut<'_>) -> Result<()> {
    match LIBRARY.get() {
        Some(library) => library.cast(src, dst),
        None => Err(unsupported(Op::Copy, src.dtype(), Some(dst.dtype()))),
    }
}

/// See [`Library::common`].
pub(crate) fn common(a: DType, b: DType, weak: bool) -> Option<DType> {
    match LIBRARY.get() {
        Some(library) => library.common(a, b, weak),
        None => (a == b).then_some(a),
    }
}

/// See [`Library::truth`].
pub(crate) fn truth(op: Op, x: &AnyView<'_>, out: &mut AnyViewMut<'_>) -> Result<()> {
    if notes::watched() {
        notes::each(x, &out.as_view(), true);
    }
    match LIBRARY.get() {
        Some(library) => library.truth(x, out).map_err(|e| e.in_op(op)),
        None => Err(unsupported(op, x.dtype(), None)),
    }
}

/// See [`Library::keys`].
pub(crate) fn keys(op: Op, arrays: &[&AnyView<'_>], out: &mut [AnyViewMut<'_>]) -> Result<()> {
    let given = arrays.iter().map(|x| x.dtype()).find(|d| d.is_foreign()).unwrap_or(DType::Bool);
    if notes::watched() {
        arrays.iter().zip(&*out).for_each(|(x, keys)| {
            notes::each(x, &keys.as_view(), true);
        });
    }
    match LIBRARY.get() {
        Some(library) => library.keys(arrays, out).map_err(|e| e.in_op(op)),
        None => Err(unsupported(op, given, None)),
    }
}

/// See [`Library::compare`].
pub(crate) fn compare(a: &AnyView<'_>, b: &AnyView<'_>, how: Relation, out: &mut AnyViewMut<'_>) -> Result<()> {
    let (op, given, wanted) = (how.op(), a.dtype(), Some(b.dtype()));
    notes::note(|| Note::Compare { of: [a, b].map(Location::of), to: Location::of(&out.as_view()) });
    match LIBRARY.get() {
        Some(library) => library.compare(a, b, how, out),
        None => Err(Error::plain(Fault::DType { op, rule: DTypeRule::Promotion, given, wanted })),
    }
}

/// What the elements of a foreign dtype are: see [`numbers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Integers of so many bits, with a sign or without.
    Integers {
        /// How many bits.
        bits: u32,
        /// Whether there are negative ones.
        signed: bool,
    },
    /// Floats or complex numbers, which have NaN.
    Floats,
    /// Dates or spans of time, which have NaT.
    Dates,
}

/// See [`Numbers`]. Goes by the names that NumPy and ml_dtypes give their dtypes. Cost: a look at the name.
///
/// ```
/// use takewise::foreign::{numbers, Numbers};
/// use takewise::DType;
/// let [narrow, text] = [DType::foreign("int4", 1), DType::foreign("<U3", 12)].map(Option::unwrap);
/// assert_eq!(numbers(narrow), Some(Numbers::Integers { bits: 4, signed: true }));
/// assert_eq!(numbers(text), None);
/// ```
pub fn numbers(dtype: DType) -> Option<Numbers> {
    let name = full_name(dtype)?;
    let name = name.split(" (").next().unwrap_or(name);
    let is = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
    let integer = |signed, rest: &str| {
        Some(Numbers::Integers { bits: rest.parse().ok().filter(|bits| (1..=64).contains(bits))?, signed })
    };
    match (name.strip_prefix("int"), name.strip_prefix("uint")) {
        (Some(rest), _) => integer(true, rest),
        (_, Some(rest)) => integer(false, rest),
        _ if is(&["datetime64", "timedelta64", ">M8", ">m8", "<M8", "<m8"]) => Some(Numbers::Dates),
        _ if is(&["float", "complex", "bfloat", "longdouble", "clongdouble", ">f", ">c", "<f", "<c"]) => {
            Some(Numbers::Floats)
        }
        _ => None,
    }
}

/// Whether a foreign dtype has fields, by the name that NumPy gives it. Cost: a look at the name.
///
/// ```
/// use takewise::foreign::is_struct;
/// use takewise::DType;
/// assert!(is_struct(DType::foreign("[('a', '<i4')]", 4).unwrap()));
/// assert!(!is_struct(DType::F32));
/// ```
pub fn is_struct(dtype: DType) -> bool {
    full_name(dtype).is_some_and(|name| name.starts_with(['[', '{', '(']))
}

/// What a read outside an array gives where no fill value is named: NaN, NaT, the least of signed integers, the greatest
/// of unsigned ones, and of all else what bytes of zero mean.
pub(crate) fn missing(op: Op, dtype: DType) -> Result<[u8; 16]> {
    let mut bytes = [0; 16];
    let value = match numbers(dtype) {
        Some(Numbers::Integers { bits, signed: true }) => Scalar::Int(-(1 << (bits - 1))),
        Some(Numbers::Integers { bits, signed: false }) => Scalar::Int((1 << bits) - 1),
        Some(Numbers::Floats) if dtype.size() <= bytes.len() => Scalar::Float(f64::NAN),
        Some(Numbers::Dates) if dtype.size() == 8 => {
            let big = full_name(dtype).is_some_and(|name| name.starts_with('>'));
            let not_a_time = if big { i64::MIN.to_be_bytes() } else { i64::MIN.to_ne_bytes() };
            bytes[..8].copy_from_slice(&not_a_time);
            return Ok(bytes);
        }
        _ => return Ok(bytes),
    };
    element(op, value, dtype, &mut bytes)?;
    Ok(bytes)
}

/// See [`Library::can_cast`]. Without a library a dtype is stored as itself alone.
pub fn can_cast(from: DType, to: DType, rule: &str) -> bool {
    match LIBRARY.get() {
        Some(library) => library.can_cast(from, to, rule),
        None => from == to,
    }
}

/// See [`Library::element`]; from the front of the bytes.
///
/// Errors as there; dtypes that have more bytes.
pub(crate) fn element(op: Op, value: Scalar, dtype: DType, into: &mut [u8]) -> Result<()> {
    match (LIBRARY.get(), into.get_mut(..dtype.size())) {
        (Some(library), Some(into)) => library.element(value, dtype, into).map_err(|e| e.in_op(op)),
        _ => Err(unsupported(op, dtype, None)),
    }
}
