//! Numbers: an integer, a float or a complex, and the arithmetic of every dtype done the long way round.
//!
//! Floats are computed in f64 and rounded to the dtype after every step. That is exact for one operation at a
//! time: f64 carries more than twice the bits of f32, f32 more than twice those of f16 and bf16, so the
//! second rounding cannot differ from rounding once.

use crate::arr::Elem;
use half::{bf16, f16};
use std::fmt;
use takewise::DType;
use takewise::index::rules::Width;

/// A number of any dtype.
#[derive(Clone, Copy, PartialEq)]
pub enum Num {
    /// An integer or a truth value (0 or 1).
    Int(i128),
    /// A float.
    Float(f64),
    /// A complex number.
    Complex(f64, f64),
}

/// How values that meet in one cell combine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Reduce {
    Sum,
    Prod,
    Mean,
    Amax,
    Amin,
}

/// Every reduction.
pub const REDUCES: [Reduce; 5] = [Reduce::Sum, Reduce::Prod, Reduce::Mean, Reduce::Amax, Reduce::Amin];

fn bits(dtype: DType) -> u32 {
    dtype.size() as u32 * 8
}

/// An integer modulo 2^n, in the range of the dtype.
fn wrap(v: i128, dtype: DType) -> i128 {
    let low = v & ((1i128 << bits(dtype)) - 1);
    if dtype.is_signed_integer() && low >> (bits(dtype) - 1) == 1 { low - (1i128 << bits(dtype)) } else { low }
}

/// A float rounded to a float (or complex) dtype.
pub fn round(v: f64, dtype: DType) -> f64 {
    match dtype {
        DType::F16 => f16::from_f64(v).to_f64(),
        DType::BF16 => bf16::from_f64(v).to_f64(),
        DType::F32 | DType::C64 => f64::from(v as f32),
        _ => v,
    }
}

impl Num {
    /// The number stored in an element.
    pub fn decode(dtype: DType, e: &Elem) -> Num {
        let word = u64::from_le_bytes(e[..8].try_into().unwrap());
        let high = u64::from_le_bytes(e[8..16].try_into().unwrap());
        match dtype {
            DType::Bool => Num::Int((e[0] != 0) as i128),
            DType::F16 => Num::Float(f16::from_bits(word as u16).to_f64()),
            DType::BF16 => Num::Float(bf16::from_bits(word as u16).to_f64()),
            DType::F32 => Num::Float(f64::from(f32::from_bits(word as u32))),
            DType::F64 => Num::Float(f64::from_bits(word)),
            DType::C64 => {
                let part = |w: u32| f64::from(f32::from_bits(w));
                Num::Complex(part(word as u32), part((word >> 32) as u32))
            }
            DType::C128 => Num::Complex(f64::from_bits(word), f64::from_bits(high)),
            DType::Opaque { .. } => panic!("a record is not a number"),
            _ => Num::Int(wrap(word as i128, dtype)),
        }
    }

    /// The element that stores this number, which must be one of the dtype's.
    pub fn encode(self, dtype: DType) -> Elem {
        let mut e = [0; 24];
        let word = match (self, dtype) {
            (Num::Int(v), _) => v as u64 & if bits(dtype) == 64 { u64::MAX } else { (1 << bits(dtype)) - 1 },
            (Num::Float(v), DType::F16) => u64::from(f16::from_f64(v).to_bits()),
            (Num::Float(v), DType::BF16) => u64::from(bf16::from_f64(v).to_bits()),
            (Num::Float(v), DType::F32) => u64::from((v as f32).to_bits()),
            (Num::Float(v), DType::F64) => v.to_bits(),
            (Num::Complex(a, b), DType::C64) => u64::from((a as f32).to_bits()) | u64::from((b as f32).to_bits()) << 32,
            (Num::Complex(a, b), DType::C128) => {
                e[8..16].copy_from_slice(&b.to_bits().to_le_bytes());
                a.to_bits()
            }
            other => panic!("{other:?} cannot be stored"),
        };
        e[..8].copy_from_slice(&word.to_le_bytes());
        e
    }

    /// This number as one of the dtype's: wrapped, truncated or rounded. For building test data.
    pub fn as_dtype(self, dtype: DType) -> Num {
        let real = match self {
            Num::Int(v) => v as f64,
            Num::Float(v) | Num::Complex(v, _) => v,
        };
        match dtype {
            DType::Bool => Num::Int(self.truth() as i128),
            d if d.is_float() => Num::Float(round(real, d)),
            d if d.is_complex() => match self {
                Num::Complex(a, b) => Num::Complex(round(a, d), round(b, d)),
                _ => Num::Complex(round(real, d), 0.0),
            },
            d => match self {
                Num::Int(v) => Num::Int(wrap(v, d)),
                _ => Num::Int(wrap(real as i128, d)),
            },
        }
    }

    /// Not zero (NaN is not zero).
    pub fn truth(self) -> bool {
        match self {
            Num::Int(v) => v != 0,
            Num::Float(v) => v != 0.0,
            Num::Complex(a, b) => a != 0.0 || b != 0.0,
        }
    }

    /// Whether any part is NaN.
    pub fn is_nan(self) -> bool {
        match self {
            Num::Int(_) => false,
            Num::Float(v) => v.is_nan(),
            Num::Complex(a, b) => a.is_nan() || b.is_nan(),
        }
    }

    /// The sum, in the arithmetic of `dtype`: integers wrap, truth values or.
    pub fn plus(self, other: Num, dtype: DType) -> Num {
        match (self, other) {
            (Num::Int(a), Num::Int(b)) if dtype == DType::Bool => Num::Int(a | b),
            (Num::Int(a), Num::Int(b)) => Num::Int(wrap(a + b, dtype)),
            (Num::Float(a), Num::Float(b)) => Num::Float(round(a + b, dtype)),
            (Num::Complex(a, b), Num::Complex(c, d)) => Num::Complex(round(a + c, dtype), round(b + d, dtype)),
            other => panic!("{other:?}"),
        }
    }

    /// The product, in the arithmetic of `dtype`: integers wrap, truth values and.
    pub fn times(self, other: Num, dtype: DType) -> Num {
        let r = |v| round(v, dtype);
        match (self, other) {
            (Num::Int(a), Num::Int(b)) if dtype == DType::Bool => Num::Int(a & b),
            // At most 64 bits each: only the low bits count, so factors may be reduced first.
            (Num::Int(a), Num::Int(b)) => Num::Int(wrap((a as i64 as i128).wrapping_mul(b as i64 as i128), dtype)),
            (Num::Float(a), Num::Float(b)) => Num::Float(r(a * b)),
            (Num::Complex(a, b), Num::Complex(c, d)) => Num::Complex(r(r(a * c) - r(b * d)), r(r(a * d) + r(b * c))),
            other => panic!("{other:?}"),
        }
    }

    /// The larger (or smaller) of two; NaN wins; on a tie `self` stays. Complex numbers compare by real, then by
    /// imaginary part, as in NumPy.
    pub fn extreme(self, other: Num, largest: bool) -> Num {
        let better = match (self, other) {
            _ if self.is_nan() => false,
            (Num::Complex(a, b), Num::Complex(c, d)) => {
                let ahead = c > a || (c == a && d > b);
                other.is_nan() || (ahead == largest && (a, b) != (c, d))
            }
            (Num::Int(a), Num::Int(b)) => (b > a) == largest && a != b,
            (Num::Float(a), Num::Float(b)) => !a.is_nan() && (b.is_nan() || ((b > a) == largest && a != b)),
            other => panic!("{other:?}"),
        };
        if better { other } else { self }
    }

    /// Divided by a count: integers round down.
    pub fn over(self, count: usize, dtype: DType) -> Num {
        match self {
            Num::Int(a) => Num::Int(a.div_euclid(count as i128)),
            Num::Float(a) => Num::Float(round(a / count as f64, dtype)),
            Num::Complex(a, b) => {
                let scale = round(1.0 / count as f64, dtype);
                Num::Complex(round((a + b * 0.0) * scale, dtype), round((b - a * 0.0) * scale, dtype))
            }
        }
    }
}

impl Reduce {
    /// Where a cell starts whose own value does not take part.
    pub fn identity(self, dtype: DType) -> Num {
        let (bits, signed) = (8 * dtype.size() as u32, dtype.is_signed_integer());
        let number = match self {
            Reduce::Sum | Reduce::Mean => Num::Int(0),
            Reduce::Prod => Num::Int(1),
            Reduce::Amax if dtype.is_float() => Num::Float(f64::NEG_INFINITY),
            Reduce::Amin if dtype.is_float() => Num::Float(f64::INFINITY),
            Reduce::Amax if dtype.is_complex() => Num::Complex(f64::NEG_INFINITY, f64::NEG_INFINITY),
            Reduce::Amin if dtype.is_complex() => Num::Complex(f64::INFINITY, f64::INFINITY),
            Reduce::Amax if signed => Num::Int(-(1 << (bits - 1))),
            Reduce::Amin if signed => Num::Int((1 << (bits - 1)) - 1),
            Reduce::Amax => Num::Int(0),
            Reduce::Amin if dtype == DType::Bool => Num::Int(1),
            Reduce::Amin => Num::Int((1 << bits) - 1),
        };
        number.as_dtype(dtype)
    }
}

/// Combines values in order into a cell that starts at `start`; `count` is how many contributions a mean
/// divides by.
///
/// `width` says whether half-precision sums and products round after every step or once at the end.
pub fn fold(start: Num, values: &[Num], reduce: Reduce, count: usize, dtype: DType, width: Width) -> Num {
    let half = matches!(dtype, DType::F16 | DType::BF16);
    let working = if half && width == Width::Wide { DType::F32 } else { dtype };
    let mut out = start;
    for &v in values {
        out = match reduce {
            Reduce::Sum | Reduce::Mean => out.plus(v, working),
            Reduce::Prod => out.times(v, working),
            Reduce::Amax => out.extreme(v, true),
            Reduce::Amin => out.extreme(v, false),
        };
    }
    if let (true, Num::Float(v)) = (half, out) {
        out = Num::Float(round(v, dtype));
    }
    if reduce == Reduce::Mean { out.over(count, dtype) } else { out }
}

impl fmt::Debug for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Num::Int(v) => write!(f, "{v}"),
            Num::Float(v) => write!(f, "{v:?}"),
            Num::Complex(a, b) => write!(f, "{a:?}{b:+?}j"),
        }
    }
}
