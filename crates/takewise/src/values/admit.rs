//! Whether values may be stored in an array of another dtype ([`Casting::SameKind`]).

use super::number::integer_range;
use crate::dims::Dims;
use crate::dtype::{DType, Element, Scalar};
use crate::error::{DTypeRule, Error, Fault, Result};
use crate::foreign::{self, Numbers};
use crate::op::Op;
use crate::promote::{self, Promotion};
use crate::rules::{Casting, Rules};
use crate::view::AnyView;

/// What values are: each kind holds those before it. Text, dates and records have rules of their library.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Debug)]
enum NumberKind {
    Bool,
    Integer,
    Float,
    Complex,
}

fn kind(dtype: DType) -> Option<NumberKind> {
    let native = dtype.native();
    match (native, foreign::numbers(native)) {
        (DType::Bool, _) => Some(NumberKind::Bool),
        (_, Some(Numbers::Integers { .. })) => Some(NumberKind::Integer),
        (_, Some(Numbers::Floats)) => {
            let complex =
                foreign::full_name(native).is_some_and(|name| name.starts_with('c') || name[1..].starts_with('c'));
            Some(if complex { NumberKind::Complex } else { NumberKind::Float })
        }
        (d, None) if d.is_integer() => Some(NumberKind::Integer),
        (d, None) if d.is_float() => Some(NumberKind::Float),
        (d, None) if d.is_complex() => Some(NumberKind::Complex),
        _ => None,
    }
}

/// Least and greatest integer that a dtype holds; `None` of what holds others too.
fn range(dtype: DType) -> Option<(i128, i128)> {
    match foreign::numbers(dtype) {
        Some(Numbers::Integers { bits, signed: true }) => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        Some(Numbers::Integers { bits, signed: false }) => Some((0, (1 << bits) - 1)),
        _ => integer_range(dtype.native()),
    }
}

/// Fails unless a number may be stored in an array of `dtype` under [`Casting::SameKind`].
///
/// Errors: kind `DType` for a number of another kind, `Value` for an integer that does not fit.
pub(crate) fn check_number(op: Op, value: Scalar, dtype: DType, rules: &Rules) -> Result<()> {
    let Some(to) = kind(dtype) else { return Ok(()) };
    let from = match value {
        Scalar::Bool(_) => NumberKind::Bool,
        Scalar::Int(value) => {
            let (low, high) =
                if to == NumberKind::Bool { (0, 1) } else { range(dtype).unwrap_or((i128::MIN, i128::MAX)) };
            if value < low || value > high {
                return Err(rules.fail(Fault::Unfit { op, value, dtype, position: Dims::new(), bad: 1, total: 1 }));
            }
            return Ok(());
        }
        Scalar::Float(_) => NumberKind::Float,
        Scalar::Complex(..) => NumberKind::Complex,
    };
    match from <= to {
        true => Ok(()),
        false => Err(other_kind(op, promote::own(Promotion::Widening, value), dtype, rules)),
    }
}

#[cold]
fn other_kind(op: Op, given: DType, dtype: DType, rules: &Rules) -> Error {
    rules.fail(Fault::DType { op, rule: DTypeRule::Cast, given, wanted: Some(dtype) })
}

/// Whether values of one dtype may be stored in an array of another: `None` if that depends on the values.
///
/// Error: kind `DType`, for another kind.
pub(crate) fn check_dtypes(op: Op, from: DType, to: DType, rules: &Rules) -> Result<Option<()>> {
    let (Some(own), Some(other)) = (kind(from), kind(to)) else { return Ok(Some(())) };
    if own > other {
        return Err(other_kind(op, from, to, rules));
    }
    let inside = match (range(from), range(to)) {
        (Some(own), Some(other)) => own.0 >= other.0 && own.1 <= other.1,
        _ => true,
    };
    Ok(inside.then_some(()))
}

/// Fails unless every one of integers in this machine's byte order is in the range of `dtype`. Cost: one pass.
///
/// Error: kind `Value`, with the first that is not.
pub(crate) fn check_values(op: Op, values: &AnyView, dtype: DType, rules: &Rules) -> Result<()> {
    let Some((low, high)) = range(dtype).filter(|_| values.numel() > 0) else { return Ok(()) };
    macro_rules! found {
        ($($name:ident: $t:ty),*) => {
            match values.dtype() {
                $(DType::$name => first_outside::<$t>(
                    values,
                    <$t>::try_from(low).unwrap_or(<$t>::MIN),
                    <$t>::try_from(high).unwrap_or(<$t>::MAX),
                ),)*
                _ => None,
            }
        };
    }
    let found = found!(U8: u8, U16: u16, U32: u32, U64: u64, I8: i8, I16: i16, I32: i32, I64: i64);
    let Some((mut at, value, bad)) = found else { return Ok(()) };
    let mut position = Dims::from_slice(values.shape());
    for extent in position.iter_mut().rev() {
        let n = *extent;
        *extent = at % n;
        at /= n;
    }
    Err(rules.fail(Fault::Unfit { op, value, dtype, position, bad, total: values.numel() }))
}

/// The first element outside a range, in row-major order: where it is, and how many there are.
fn first_outside<T>(values: &AnyView, low: T, high: T) -> Option<(usize, i128, usize)>
where
    T: Element + PartialOrd + Into<i128>,
{
    let (mut first, mut bad, mut before) = (None, 0, 0);
    values.rows(|start, len, step| {
        // SAFETY: L1: element `k` of this row is an element of the view.
        let element = |k: usize| unsafe { start.offset(k as isize * step).cast::<T>().read_unaligned() };
        let outside = |k: usize| element(k) < low || element(k) > high;
        let here = match step == size_of::<T>() as isize {
            // A loop that the compiler makes wide.
            true => {
                // SAFETY: L1: as above.
                let side_by_side = |k: usize| unsafe { start.cast::<T>().add(k).read_unaligned() };
                (0..len).map(|k| usize::from(side_by_side(k) < low || side_by_side(k) > high)).sum::<usize>()
            }
            false => (0..len).filter(|&k| outside(k)).count(),
        };
        if here > 0 && first.is_none() {
            first = (0..len).find(|&k| outside(k)).map(|k| (before + k, element(k).into()));
        }
        bad += here;
        before += len;
    });
    first.map(|(at, value)| (at, value, bad))
}

/// Whether rules ask at all.
pub(crate) fn asks(rules: &Rules) -> bool {
    rules.casting == Casting::SameKind
}
