//! Floats as text: C's `%e`, `%f` and `%g`, and the shortest digits that name a value uniquely.

use half::{bf16, f16};
use takewise::dtype::DType;

/// `nan`, `inf` or `-inf`.
pub(super) fn special(v: f64) -> Option<&'static str> {
    if v.is_nan() {
        Some("nan")
    } else if v.is_infinite() {
        Some(if v < 0.0 { "-inf" } else { "inf" })
    } else {
        None
    }
}

/// `%.{precision}f`.
pub(super) fn fixed(v: f64, precision: usize) -> String {
    special(v).map_or_else(|| format!("{v:.precision$}"), str::to_owned)
}

/// `%.{precision}e`: a sign and at least two digits in the exponent.
pub(super) fn scientific(v: f64, precision: usize) -> String {
    if let Some(word) = special(v) {
        return word.to_owned();
    }
    let text = format!("{v:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{mantissa}e{}", exponent_text(exponent.parse().unwrap_or(0), 2))
}

/// A sign and at least `digits` digits.
pub(super) fn exponent_text(exponent: i32, digits: usize) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{:0digits$}", exponent.unsigned_abs())
}

/// `%g`: six significant digits, trailing zeros dropped.
pub(super) fn general(v: f64) -> String {
    if let Some(word) = special(v) {
        let minus = if v.is_nan() && v.is_sign_negative() { "-" } else { "" };
        return format!("{minus}{word}");
    }
    let text = format!("{v:.5e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let bare = |s: &str| -> String {
        let s = if s.contains('.') { s.trim_end_matches('0').trim_end_matches('.') } else { s };
        s.to_owned()
    };
    if (-4..6).contains(&exponent) {
        bare(&format!("{v:.*}", (5 - exponent) as usize))
    } else {
        format!("{}e{}", bare(mantissa), exponent_text(exponent, 2))
    }
}

/// The shortest decimal digits that name a finite value among those of its dtype: `d.ddd` times a power of ten.
pub(super) struct Shortest {
    pub(super) digits: String,
    pub(super) exponent: i32,
}

/// Finds the shortest digits of `|v|`, a value of `dtype`.
pub(super) fn shortest(v: f64, dtype: DType) -> Shortest {
    let v = v.abs();
    let text = match dtype {
        DType::F16 => narrow(v, |t| f16::from_f32(t as f32).to_f64()),
        DType::BF16 => narrow(v, |t| bf16::from_f32(t as f32).to_f64()),
        DType::F32 | DType::C64 => tie_to_even(v, format!("{:e}", v as f32), |t| t as f32 as f64),
        _ => tie_to_even(v, format!("{v:e}"), |t| t),
    };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    Shortest { digits: mantissa.replace('.', ""), exponent: exponent.parse().unwrap_or(0) }
}

/// Of two shortest candidates equally near, the one with the even last digit, if it names the value too.
fn tie_to_even(v: f64, text: String, round: impl Fn(f64) -> f64) -> String {
    let digits = text.split('e').next().map_or(0, |m| m.len().saturating_sub(2));
    let even = format!("{v:.digits$e}");
    if even.parse().is_ok_and(|e: f64| round(e) == v) { even } else { text }
}

/// The shortest `d.ddde±x` that `round` takes to `v`; the nearer of two candidates of one length.
fn narrow(v: f64, round: impl Fn(f64) -> f64) -> String {
    for precision in 0..16 {
        let near = format!("{v:.precision$e}");
        let value: f64 = near.parse().unwrap_or(0.0);
        if round(value) == v {
            return near;
        }
        // Where the gap to the smaller neighbour is narrower, the decimal on the other side may be the one.
        let step = 10f64.powi(v.log10().floor() as i32 - precision as i32);
        let other = format!("{:.precision$e}", if value < v { value + step } else { value - step });
        if other.parse().is_ok_and(|o: f64| round(o) == v) {
            return other;
        }
    }
    format!("{v:e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_c_prints() {
        assert_eq!(scientific(12345.678, 4), "1.2346e+04");
        assert_eq!(scientific(-0.0, 4), "-0.0000e+00");
        assert_eq!(scientific(1e-300, 2), "1.00e-300");
        assert_eq!(fixed(0.5, 0), "0");
        assert_eq!(fixed(2.5, 0), "2");
        assert_eq!(fixed(0.00625, 4), "0.0063");
        assert_eq!(general(123456.789), "123457");
        assert_eq!(general(1234567.0), "1.23457e+06");
        assert_eq!(general(0.0001), "0.0001");
        assert_eq!(general(0.00001), "1e-05");
        assert_eq!(general(-0.0), "-0");
    }

    #[test]
    #[cfg_attr(miri, ignore = "no memory but that of texts is touched")]
    fn every_half_is_named_by_its_digits() {
        for bits in 1..0x7c00u16 {
            let v = f16::from_bits(bits);
            let s = shortest(v.to_f64(), DType::F16);
            let text = format!("{}.{}e{}", &s.digits[..1], &s.digits[1..], s.exponent);
            assert_eq!(f16::from_f64(text.parse().unwrap()), v, "{text}");
            assert!(s.digits.len() <= 5);
        }
    }
}
