//! Which dtype two operands meet in: torch's and NumPy's promotion tables, as data.
//!
//! Needed where operands of two dtypes give one result: comparisons that make masks, `where`,
//! searchsorted. Writes never promote: there the destination decides.

use crate::dtype::{DType, Scalar};
use crate::error::{DTypeRule, Error, Fault, Result};
use crate::foreign;
use crate::op::Op;
pub use crate::rules::Promotion;

/// One operand, as far as promotion looks at it.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::promote::{Operand, Promotion, result_type};
/// let operands = [Operand::Array(DType::U8), Operand::Number(5.into())];
/// assert_eq!(result_type(Promotion::Widening, &operands)?, DType::U8);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Operand {
    /// An array of rank one or more.
    Array(DType),
    /// An array of rank 0.
    ZeroDim(DType),
    /// A Python number.
    Number(Scalar),
}

impl Operand {
    /// The operand an array of this dtype and rank is.
    pub fn of(dtype: DType, rank: usize) -> Operand {
        if rank == 0 { Operand::ZeroDim(dtype) } else { Operand::Array(dtype) }
    }
}

/// The dtype two arrays of dtypes `a` and `b` meet in.
///
/// Errors (kind `DType`, rule `Promotion`): torch has no common dtype for u16, u32 or u64 with anything but
/// themselves and real floats; records meet only themselves.
///
/// ```
/// use takewise::{promote::{promote, Promotion}, DType};
/// assert_eq!(promote(Promotion::ByKind, DType::I64, DType::F16).unwrap(), DType::F16);
/// assert_eq!(promote(Promotion::Widening, DType::I64, DType::F16).unwrap(), DType::F64);
/// ```
pub fn promote(table: Promotion, a: DType, b: DType) -> Result<DType> {
    let common = match table {
        Promotion::Widening if a.is_foreign() => foreign::common(a, b, false),
        Promotion::Widening if b.is_foreign() => foreign::common(b, a, false),
        // NumPy's common dtypes are in this machine's byte order.
        Promotion::Widening if a.native() == b.native() => Some(a.native()),
        Promotion::Widening => widening(a.native(), b.native()),
        Promotion::Narrow if a.native() == b.native() => Some(a.native()),
        Promotion::Narrow => narrow(a.native(), b.native()),
        Promotion::ByKind if a == b => Some(a),
        Promotion::ByKind => by_kind(a, b),
    };
    let fault = || Fault::DType { op: Op::Promote, rule: DTypeRule::Promotion, given: a, wanted: Some(b) };
    common.ok_or_else(|| Error::plain(fault()))
}

/// The dtype several operands meet in, numbers and (in torch) 0-d arrays being weak: they raise the kind
/// (bool, integer, float, complex) but not the width.
///
/// Errors as [`promote`].
///
/// ```
/// use takewise::{promote::{result_type, Operand, Promotion}, DType};
/// let a = Operand::Array(DType::I32);
/// assert_eq!(result_type(Promotion::ByKind, &[a, Operand::ZeroDim(DType::I64)]).unwrap(), DType::I32);
/// assert_eq!(result_type(Promotion::ByKind, &[a, Operand::Number(2.5.into())]).unwrap(), DType::F32);
/// assert_eq!(result_type(Promotion::Widening, &[a, Operand::Number(2.5.into())]).unwrap(), DType::F64);
/// ```
pub fn result_type(table: Promotion, operands: &[Operand]) -> Result<DType> {
    let mut ranks: [Option<DType>; 3] = [None; 3];
    for operand in operands {
        let (rank, dtype) = match *operand {
            Operand::ZeroDim(d) if table == Promotion::ByKind => (1, d),
            Operand::Array(d) | Operand::ZeroDim(d) => (0, d.native()),
            Operand::Number(v) => (2, number(table, v)),
        };
        ranks[rank] = Some(match ranks[rank] {
            Some(so_far) => promote(table, so_far, dtype)?,
            None => dtype,
        });
    }
    let weak = combine(table, ranks[1], ranks[2])?;
    Ok(combine(table, ranks[0], weak)?.unwrap_or(DType::F32))
}

/// The dtype a Python number has in an array of its own.
pub fn own(table: Promotion, value: Scalar) -> DType {
    match (table, value) {
        // What only unsigned numbers hold NumPy makes one.
        (Promotion::Widening, Scalar::Int(v)) if v > i64::MAX.into() && v <= u64::MAX.into() => DType::U64,
        _ => number(table, value),
    }
}

/// The dtype a Python number has when no array says otherwise.
fn number(table: Promotion, value: Scalar) -> DType {
    match (value, table) {
        (Scalar::Bool(_), _) => DType::Bool,
        (Scalar::Int(_), Promotion::Narrow) => DType::I32,
        (Scalar::Int(_), _) => DType::I64,
        (Scalar::Float(_), Promotion::Widening) => DType::F64,
        (Scalar::Float(_), _) => DType::F32,
        (Scalar::Complex(..), Promotion::Widening) => DType::C128,
        (Scalar::Complex(..), _) => DType::C64,
    }
}

/// A strong dtype with a weak one beside it: only a higher kind counts.
fn combine(table: Promotion, strong: Option<DType>, weak: Option<DType>) -> Result<Option<DType>> {
    let (Some(s), Some(w)) = (strong, weak) else { return Ok(strong.or(weak)) };
    if s.is_foreign() && table == Promotion::Widening {
        let fault = || Fault::DType { op: Op::Promote, rule: DTypeRule::Promotion, given: w, wanted: Some(s) };
        return foreign::common(s, w, true).map(Some).ok_or_else(|| Error::plain(fault()));
    }
    let (ks, kw) = (named_kind(s), named_kind(w));
    if s.is_foreign() && table == Promotion::Narrow {
        // Numbers of a kind that the narrow dtype has become numbers of it.
        let fault = || Fault::DType { op: Op::Promote, rule: DTypeRule::Promotion, given: s, wanted: Some(w) };
        return if kw <= ks { Ok(strong) } else { Err(Error::plain(fault())) };
    }
    Ok(Some(if kw <= ks && s != DType::Bool && kw != Category::Record {
        s
    } else if ks == Category::Float && kw == Category::Complex && !s.is_foreign() {
        complex_of(s)
    } else if table == Promotion::Narrow && s.size() == 8 {
        // Where there are 64 bits, numbers have as many.
        if kw == Category::Float { DType::F64 } else { DType::C128 }
    } else {
        promote(table, s, w)?
    }))
}

/// [`kind`], with that of narrow dtypes by their names.
fn named_kind(d: DType) -> Category {
    if !d.is_foreign() {
        return kind(d.native());
    }
    match d.name() {
        name if name.starts_with("int") || name.starts_with("uint") => Category::Integer,
        name if name.starts_with("float") => Category::Float,
        name if name.starts_with("complex") => Category::Complex,
        _ => Category::Record,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Category {
    Bool,
    Integer,
    Float,
    Complex,
    Record,
}

fn kind(d: DType) -> Category {
    match d {
        DType::Bool => Category::Bool,
        DType::Opaque { .. } => Category::Record,
        _ if d.is_integer() => Category::Integer,
        _ if d.is_float() => Category::Float,
        _ => Category::Complex,
    }
}

/// The complex dtype whose parts hold a float dtype.
fn complex_of(d: DType) -> DType {
    if d == DType::F64 { DType::C128 } else { DType::C64 }
}

fn by_kind(a: DType, b: DType) -> Option<DType> {
    let (low, high) = if kind(a) <= kind(b) { (a, b) } else { (b, a) };
    let wide_unsigned = |d: DType| matches!(d, DType::U16 | DType::U32 | DType::U64);
    match (kind(low), kind(high)) {
        (_, Category::Record) => None,
        (_, Category::Float) if kind(low) != Category::Float => Some(high),
        _ if wide_unsigned(a) || wide_unsigned(b) => None,
        (Category::Float, Category::Complex) => Some(if low == DType::F64 { DType::C128 } else { high }),
        (Category::Float, Category::Float) => Some(match (a.size(), b.size()) {
            (2, 2) => DType::F32,
            (x, y) if x > y => a,
            _ => b,
        }),
        (Category::Complex, Category::Complex) => Some(DType::C128),
        (Category::Integer, Category::Integer) => Some(match (a, b) {
            (DType::U8, DType::I8) | (DType::I8, DType::U8) => DType::I16,
            _ if a.size() > b.size() || (a.size() == b.size() && b == DType::U8) => a,
            _ => b,
        }),
        _ => Some(high),
    }
}

fn narrow(a: DType, b: DType) -> Option<DType> {
    let (low, high) = if kind(a) <= kind(b) { (a, b) } else { (b, a) };
    match (kind(low), kind(high)) {
        // Narrow dtypes meet themselves and booleans alone.
        (Category::Bool, Category::Record) => Some(high),
        (Category::Integer, Category::Float | Category::Complex) => Some(high),
        (Category::Float, Category::Complex) => Some(if low == DType::F64 { DType::C128 } else { high }),
        _ => widening(a, b).map(|wide| match wide {
            DType::I64 if a.size() < 8 && b.size() < 8 => DType::I32,
            other => other,
        }),
    }
}

fn widening(a: DType, b: DType) -> Option<DType> {
    let (low, high) = if kind(a) <= kind(b) { (a, b) } else { (b, a) };
    /// The smallest float that holds an integer dtype exactly (or f64).
    fn float_for(d: DType) -> DType {
        match d.size() {
            1 => DType::F16,
            2 => DType::F32,
            _ => DType::F64,
        }
    }
    let wider = |x: DType, y: DType| if x.size() >= y.size() { x } else { y };
    Some(match (kind(low), kind(high)) {
        (_, Category::Record) => return None,
        (Category::Bool, _) => high,
        (Category::Integer, Category::Integer) if a.is_unsigned_integer() == b.is_unsigned_integer() => wider(a, b),
        (Category::Integer, Category::Integer) => {
            let (unsigned, signed) = if a.is_unsigned_integer() { (a, b) } else { (b, a) };
            match unsigned.size().max(signed.size()) {
                _ if signed.size() > unsigned.size() => signed,
                1 => DType::I16,
                2 => DType::I32,
                4 => DType::I64,
                _ => DType::F64,
            }
        }
        (Category::Integer, Category::Float) => match (float_for(low), high) {
            (DType::F16, _) => high,
            (f, DType::F16 | DType::BF16) => f,
            (f, _) => wider(high, f),
        },
        (Category::Integer, Category::Complex) => wider(high, complex_of(float_for(low))),
        (Category::Float, Category::Float) if a.size() == b.size() => DType::F32,
        (Category::Float, Category::Float) => wider(a, b),
        (Category::Float, Category::Complex) => wider(high, complex_of(low)),
        _ => wider(a, b),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DTYPES;

    /// `b`, `u1`, ... in the order of [`DTYPES`]; `.` where there is no common dtype.
    const SHORT: [&str; 15] = ["b", "B", "H", "I", "Q", "c", "h", "i", "l", "e", "g", "f", "d", "F", "D"];

    fn table(which: Promotion, dtypes: &[DType]) -> String {
        let name = |d: DType| SHORT[DTYPES.iter().position(|e| *e == d).unwrap()];
        let row = |a: &DType| -> String {
            let cell = |b: &DType| promote(which, *a, *b).map_or(".", name);
            dtypes.iter().map(cell).collect()
        };
        dtypes.iter().map(row).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn torch_table_as_measured() {
        assert_eq!(table(Promotion::ByKind, &DTYPES), include_str!("promote/torch.txt").trim_end());
    }

    #[test]
    fn jax_table_as_measured() {
        // Without 64-bit types.
        let known: Vec<DType> = DTYPES.into_iter().filter(|d| d.size() < 8 || *d == DType::C64).collect();
        assert_eq!(table(Promotion::Narrow, &known), include_str!("promote/jax.txt").trim_end());
    }

    #[test]
    fn numpy_table_as_measured() {
        let known: Vec<DType> = DTYPES.into_iter().filter(|d| *d != DType::BF16).collect();
        assert_eq!(table(Promotion::Widening, &known), include_str!("promote/numpy.txt").trim_end());
    }
}
