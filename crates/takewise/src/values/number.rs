//! One number to one element and back: what `x[0] = 300` means for each destination dtype and library.
//!
//! A number is first judged (does this library accept it for this dtype?) and then packed; packing alone
//! is the unchecked cast that tensors get: integers wrap, floats truncate.

use crate::dtype::{DType, Scalar};
use crate::error::{Error, Fault, Result, Words};
use crate::foreign;
use crate::kernel::convert::{odd, x86};
use crate::op::Op;
use crate::rules::Conversion;
use half::{bf16, f16};

/// The bytes of `value` as an element of `dtype`, in native byte order from the front of the array.
///
/// How numbers are judged is `how`: torch's ranges, NumPy 2's, or not at all, as MindSpore and JAX do
/// (SEMANTICS.md, Conversion of numbers). Errors, in `words`: kind `Value` if the number does not
/// fit; kind `DType` if a record dtype is asked for.
///
/// ```
/// use takewise::{error, index::rules::Conversion, internal::number::scalar_bytes, DType, Op, Scalar};
/// let byte = |v: Scalar| scalar_bytes(Op::PutInPlace, v, DType::U8, Conversion::RangeChecked, error::neutral).map(|b| b[0]);
/// assert_eq!(byte((-1).into()).unwrap(), 255);
/// assert_eq!(byte(255.5.into()).unwrap(), 255);
/// assert!(byte(256.into()).is_err() && byte((-0.5).into()).is_err());
/// ```
pub fn scalar_bytes(op: Op, value: Scalar, dtype: DType, how: Conversion, words: Words) -> Result<[u8; 16]> {
    if let DType::Opaque { .. } = dtype {
        if dtype.is_foreign() {
            let mut bytes = [0; 16];
            foreign::element(op, value, dtype, &mut bytes).map_err(|e| e.in_words(words))?;
            return Ok(bytes);
        }
        let bytes = scalar_bytes(op, value, dtype.native(), how, words);
        return bytes.map(|bytes| swapped_bytes(bytes, dtype));
    }
    // Integers of more than 128 bits come as the ends of these, whose size is not theirs.
    let sized = dtype == DType::Bool || !matches!(value, Scalar::Int(i128::MIN | i128::MAX));
    let accepted = match how {
        Conversion::RangeChecked => in_range(op, value, dtype),
        Conversion::IntegersChecked => integers_in_range(value, dtype),
        _ => true,
    };
    if !sized || !accepted {
        return Err(Error::new(words, Fault::Scalar { op, value, dtype }));
    }
    Ok(pack(value, dtype, how))
}

/// An element in the other byte order.
pub(crate) fn swapped_bytes(mut bytes: [u8; 16], dtype: DType) -> [u8; 16] {
    bytes[..dtype.size().min(16)].chunks_mut(dtype.unit().max(1)).for_each(<[u8]>::reverse);
    bytes
}

/// Whether a subscript assignment may store `value` into a single-element view although
/// [`scalar_bytes`] refuses it: torch casts there instead of converting, so half floats become infinite.
///
/// Gives the bytes then, `None` where the ordinary rule applies.
pub(crate) fn saturated_half(value: Scalar, dtype: DType) -> Option<[u8; 16]> {
    let real = match value {
        Scalar::Float(v) => v,
        Scalar::Int(v) if i64::try_from(v).is_ok() => v as f64,
        Scalar::Complex(re, 0.0) => re,
        _ => return None,
    };
    let half = matches!(dtype, DType::F16 | DType::BF16);
    half.then(|| pack(Scalar::Float(real), dtype, Conversion::RangeChecked))
}

/// An element as the number Python would show: the inverse of [`scalar_bytes`]. A record gives `None`.
pub fn element_scalar(bytes: &[u8; 16], dtype: DType) -> Option<Scalar> {
    macro_rules! read {
        ($t:ty) => {{
            let mut raw = [0; size_of::<$t>()];
            raw.copy_from_slice(&bytes[..size_of::<$t>()]);
            <$t>::from_ne_bytes(raw)
        }};
    }
    let halves = |at: usize, wide: bool| {
        let mut raw = [0; 8];
        let size = if wide { 8 } else { 4 };
        raw[..size].copy_from_slice(&bytes[at * size..(at + 1) * size]);
        if wide { f64::from_ne_bytes(raw) } else { f32::from_ne_bytes([raw[0], raw[1], raw[2], raw[3]]) as f64 }
    };
    Some(match dtype {
        DType::Bool => Scalar::Bool(bytes[0] != 0),
        DType::U8 => Scalar::from(read!(u8)),
        DType::U16 => Scalar::from(read!(u16)),
        DType::U32 => Scalar::from(read!(u32)),
        DType::U64 => Scalar::from(read!(u64)),
        DType::I8 => Scalar::from(read!(i8)),
        DType::I16 => Scalar::from(read!(i16)),
        DType::I32 => Scalar::from(read!(i32)),
        DType::I64 => Scalar::from(read!(i64)),
        DType::F16 => Scalar::Float(f16::from_bits(read!(u16)).to_f64()),
        DType::BF16 => Scalar::Float(bf16::from_bits(read!(u16)).to_f64()),
        DType::F32 => Scalar::from(read!(f32)),
        DType::F64 => Scalar::from(read!(f64)),
        DType::C64 => Scalar::Complex(halves(0, false), halves(1, false)),
        DType::C128 => Scalar::Complex(halves(0, true), halves(1, true)),
        DType::Opaque { .. } if !dtype.is_foreign() => {
            return element_scalar(&swapped_bytes(*bytes, dtype), dtype.native());
        }
        DType::Opaque { .. } => return None,
    })
}

/// Whether a dtype holds a number as it is: as an element it is the same number still.
pub(crate) fn is_exact(value: Scalar, dtype: DType) -> bool {
    let bytes = pack(value, dtype, Conversion::IntegersChecked);
    let parts = |v: Scalar| match v {
        Scalar::Bool(b) => (f64::from(b), 0.0),
        Scalar::Int(i) => (i as f64, 0.0),
        Scalar::Float(x) => (x, 0.0),
        Scalar::Complex(re, im) => (re, im),
    };
    let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
    match (value, element_scalar(&bytes, dtype)) {
        (_, None) => false,
        (value, Some(Scalar::Bool(b))) => value == Scalar::Bool(b),
        (Scalar::Int(a), Some(Scalar::Int(b))) => a == b,
        (value, Some(kept)) => {
            // A double is compared as such, and no integer beyond its digits is one.
            let whole = !matches!(value, Scalar::Int(i) if i.unsigned_abs() > 1 << 53);
            let (a, b) = (parts(value), parts(kept));
            let real = !matches!(kept, Scalar::Int(_)) || matches!(value, Scalar::Bool(_));
            whole && real && same(a.0, b.0) && same(a.1, b.1)
        }
    }
}

/// Whether a dtype has room for a number: an integer dtype for whole numbers in its range, a real one for what is not
/// complex.
pub(crate) fn fits(value: Scalar, dtype: DType) -> bool {
    match (value, integer_range(dtype)) {
        (Scalar::Float(x), Some((low, high))) => x.fract() == 0.0 && x >= low as f64 && x < (high + 1) as f64,
        _ => integers_in_range(value, dtype),
    }
}

/// Smallest and largest value of an integer dtype.
pub fn integer_range(dtype: DType) -> Option<(i128, i128)> {
    let bits = dtype.size() as u32 * 8;
    if dtype.is_signed_integer() {
        Some((-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1))
    } else if dtype.is_unsigned_integer() {
        Some((0, (1i128 << bits) - 1))
    } else {
        None
    }
}

/// Largest finite value of a real or complex dtype's parts.
fn float_max(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 65504.0,
        DType::BF16 => bf16::MAX.to_f64(),
        DType::F32 | DType::C64 => f32::MAX as f64,
        _ => f64::MAX,
    }
}

fn in_range(op: Op, value: Scalar, dtype: DType) -> bool {
    if let Scalar::Int(v) = value {
        // Subscript assignment reads the number as i64 (u64 for a u64 destination) before anything else;
        // other calls accept everything from i64's minimum to u64's maximum.
        let (low, high) = match (op, dtype) {
            (Op::SetItem, DType::U64) => (0, u64::MAX as i128),
            (Op::SetItem, _) => (i64::MIN as i128, i64::MAX as i128),
            _ => (i64::MIN as i128, u64::MAX as i128),
        };
        if v < low || v > high {
            return false;
        }
    }
    let fits = |f: f64| f.is_nan() || f.is_infinite() || f.abs() <= float_max(dtype);
    match (value, integer_range(dtype)) {
        _ if dtype == DType::Bool => true,
        (Scalar::Bool(_), _) => true,
        (Scalar::Int(v), Some((low, high))) => v <= high && (if low == 0 { v >= -high } else { v >= low }),
        (Scalar::Float(f) | Scalar::Complex(f, 0.0), Some((low, high))) => f >= low as f64 && f < (high + 1) as f64,
        (Scalar::Int(v), None) => fits(v as f64),
        (Scalar::Float(f) | Scalar::Complex(f, 0.0), None) => fits(f),
        (Scalar::Complex(re, im), None) => dtype.is_complex() && fits(re) && fits(im),
        (Scalar::Complex(..), Some(_)) => false,
    }
}

fn integers_in_range(value: Scalar, dtype: DType) -> bool {
    match (value, integer_range(dtype)) {
        _ if dtype == DType::Bool => true,
        (Scalar::Bool(_), _) => true,
        (Scalar::Int(v), Some((low, high))) => v >= low && v <= high,
        (Scalar::Float(f), Some((low, high))) => {
            let t = f.trunc();
            t >= low as f64 && t < (high + 1) as f64
        }
        (Scalar::Complex(..), Some(_)) => false,
        (Scalar::Complex(..), None) => dtype.is_complex(),
        (Scalar::Int(v), None) => v != i128::MAX && v != i128::MIN,
        (Scalar::Float(_), None) => true,
    }
}

/// The unchecked cast: integers wrap, floats truncate as x86 does, complex numbers lose what does not fit.
fn pack(value: Scalar, dtype: DType, how: Conversion) -> [u8; 16] {
    let mut out = [0; 16];
    let mut put = |bytes: &[u8]| out[..bytes.len()].copy_from_slice(bytes);
    let real = match value {
        Scalar::Bool(b) => b as u8 as f64,
        Scalar::Int(v) => v as f64,
        Scalar::Float(f) | Scalar::Complex(f, _) => f,
    };
    // torch rounds integers and doubles to f32 on the way to half precision; NumPy rounds once.
    let single = match value {
        Scalar::Int(v) if how == Conversion::RangeChecked => v as f32,
        _ => real as f32,
    };
    let once = how == Conversion::IntegersChecked;
    if let (Conversion::Saturate, Some((low, high)), Scalar::Float(_) | Scalar::Complex(..)) =
        (how, integer_range(dtype), value)
    {
        // A float beyond 128 bits stops at their ends, which are beyond those of any dtype.
        return pack(Scalar::Int((real as i128).clamp(low, high)), dtype, how);
    }
    if let (Conversion::Saturate, DType::Bool, Scalar::Complex(re, _)) = (how, dtype, value) {
        return pack(Scalar::Float(re), dtype, how);
    }
    let whole = |signed: i64| match value {
        Scalar::Bool(b) => b as i64,
        Scalar::Int(v) => v as i64,
        _ => signed,
    };
    match dtype {
        DType::Bool => {
            let set = match value {
                Scalar::Bool(b) => b,
                Scalar::Int(v) => v != 0,
                Scalar::Float(f) => f != 0.0,
                Scalar::Complex(re, im) => re != 0.0 || im != 0.0,
            };
            put(&[set as u8]);
        }
        DType::U8 => put(&(whole(x86::to_i64(real)) as u8).to_ne_bytes()),
        DType::U16 => put(&(whole(x86::to_i32(real) as i64) as u16).to_ne_bytes()),
        DType::U32 => put(&(whole(x86::to_i64(real)) as u32).to_ne_bytes()),
        DType::U64 => put(&(whole(x86::to_u64(real) as i64) as u64).to_ne_bytes()),
        DType::I8 => put(&(whole(x86::to_i32(real) as i64) as i8).to_ne_bytes()),
        DType::I16 => put(&(whole(x86::to_i32(real) as i64) as i16).to_ne_bytes()),
        DType::I32 => put(&(whole(x86::to_i32(real) as i64) as i32).to_ne_bytes()),
        DType::I64 => put(&whole(x86::to_i64(real)).to_ne_bytes()),
        DType::F16 if once => put(&f16::from_f32(odd(real)).to_ne_bytes()),
        DType::BF16 if once => put(&bf16::from_f32(odd(real)).to_ne_bytes()),
        DType::F16 => put(&f16::from_f32(single).to_ne_bytes()),
        DType::BF16 => put(&bf16::from_f32(single).to_ne_bytes()),
        DType::F32 => put(&single.to_ne_bytes()),
        DType::F64 => put(&real.to_ne_bytes()),
        DType::C64 | DType::C128 => {
            let im = if let Scalar::Complex(_, im) = value { im } else { 0.0 };
            let mut both = [0; 16];
            let size = dtype.size() / 2;
            if dtype == DType::C64 {
                both[..4].copy_from_slice(&single.to_ne_bytes());
                both[4..8].copy_from_slice(&(im as f32).to_ne_bytes());
            } else {
                both[..8].copy_from_slice(&real.to_ne_bytes());
                both[8..].copy_from_slice(&im.to_ne_bytes());
            }
            put(&both[..2 * size]);
        }
        DType::Opaque { .. } => {}
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error;

    /// The element as the number it reads back as; `None` if refused.
    fn stored(op: Op, v: impl Into<Scalar>, d: DType, how: Conversion) -> Option<Scalar> {
        let bytes = scalar_bytes(op, v.into(), d, how, error::neutral).ok()?;
        element_scalar(&bytes, d)
    }

    #[test]
    fn torch_ranges_as_measured() {
        use DType::*;
        let put = |v: Scalar, d| stored(Op::Named(&"fill_"), v, d, Conversion::RangeChecked);
        let int = |v: i128| Some(Scalar::Int(v));
        let ok: [(Scalar, DType, i128); 14] = [
            ((-1).into(), U8, 255),
            ((-255).into(), U8, 1),
            (255.5.into(), U8, 255),
            ((-0.0).into(), U8, 0),
            (127.9.into(), I8, 127),
            ((-128.0).into(), I8, -128),
            (Scalar::Complex(-1.0, 0.0), I8, -1),
            (2147483647.5.into(), I32, 2147483647),
            ((-1).into(), U64, u64::MAX as i128),
            ((1i128 << 63).into(), U64, 1 << 63),
            ((-9223372036854775808.0).into(), I64, i64::MIN as i128),
            (1.8e19.into(), U64, 18000000000000000000),
            (true.into(), I16, 1),
            ((-65535).into(), U16, 1),
        ];
        for (v, d, want) in ok {
            assert_eq!(put(v, d), int(want), "{v:?} {d:?}");
        }
        let refused: [(Scalar, DType); 16] = [
            ((-256).into(), U8),
            (256.into(), U8),
            ((-0.5).into(), U8),
            (128.into(), I8),
            (128.0.into(), I8),
            ((-128.5).into(), I8),
            (f64::NAN.into(), I64),
            (f64::INFINITY.into(), I32),
            (9223372036854775808.0.into(), I64),
            ((1i128 << 63).into(), I64),
            (Scalar::Complex(0.0, f64::NAN), F64),
            (Scalar::Complex(2.0, 1.0), I8),
            (65519.into(), F16),
            (3.4028235e38.into(), F32),
            (3.4028234663852886e38.into(), BF16),
            (1e39.into(), C64),
        ];
        for (v, d) in refused {
            assert_eq!(put(v, d), None, "{v:?} {d:?}");
        }
        assert_eq!(stored(Op::SetItem, -1, U64, Conversion::RangeChecked), None);
        assert_eq!(stored(Op::SetItem, 1i128 << 63, F32, Conversion::RangeChecked), None);
        assert_eq!(put(Scalar::Complex(0.0, 1.0), Bool), Some(Scalar::Bool(true)));
    }

    #[test]
    fn numpy_truncates_then_checks() {
        let put = |v: Scalar, d| stored(Op::SetItem, v, d, Conversion::IntegersChecked);
        assert_eq!(put((-0.5).into(), DType::U8), Some(Scalar::Int(0)));
        assert_eq!(put((-128.9).into(), DType::I8), Some(Scalar::Int(-128)));
        assert_eq!(put((-1).into(), DType::U8), None);
        assert_eq!(put(300.7.into(), DType::U8), None);
        assert_eq!(put(Scalar::Complex(2.0, 0.0), DType::F64), None);
        assert_eq!(put(1e6.into(), DType::F16), Some(Scalar::Float(f64::INFINITY)));
    }

    #[test]
    fn others_wrap() {
        let put = |v: Scalar, d| stored(Op::SetItem, v, d, Conversion::Wrap);
        assert_eq!(put(300.into(), DType::U8), Some(Scalar::Int(44)));
        assert_eq!(put((-1).into(), DType::U8), Some(Scalar::Int(255)));
        assert_eq!(put(1.7.into(), DType::I32), Some(Scalar::Int(1)));
        assert_eq!(put(Scalar::Complex(3.5, 1.0), DType::F32), Some(Scalar::Float(3.5)));
    }

    #[test]
    fn one_element_views_of_halves_saturate() {
        let read = |v: Scalar| saturated_half(v, DType::F16).and_then(|b| element_scalar(&b, DType::F16));
        assert_eq!(read(1e6.into()), Some(Scalar::Float(f64::INFINITY)));
        assert_eq!(read((-70000).into()), Some(Scalar::Float(f64::NEG_INFINITY)));
        assert_eq!(read(65519.into()), Some(Scalar::Float(65504.0)));
        assert_eq!(read(Scalar::Complex(1.0, 1.0)), None);
        assert_eq!(saturated_half(1e39.into(), DType::F32), None);
    }
}
