//! Elements as text.

use takewise::internal::number::element_scalar;
use takewise::layout::Coordinates;
use takewise::{AnyView, DType, Scalar, bf16, f16};

use crate::data::MOST;

/// The elements of an array of at most [`MOST`], in row-major order; none of dtypes that hold no numbers, as far as known.
pub(crate) fn values(array: &AnyView<'_>) -> Option<Vec<String>> {
    if array.numel() > MOST {
        return None;
    }
    let number = |at: takewise::Dims<usize>| element(&array.bytes_at(&at)?, array.dtype());
    Coordinates::new(array.shape()).map(number).collect()
}

/// An element: integers plain, floats with just as many digits as tell them apart, `nan`, `inf`, `True` and `False`.
pub(crate) fn element(bytes: &[u8; 16], dtype: DType) -> Option<String> {
    let number = element_scalar(bytes, dtype)?;
    let digits = Digits::of(dtype.native());
    Some(match number {
        Scalar::Bool(_) => scalar(number),
        Scalar::Int(v) => v.to_string(),
        Scalar::Float(v) => digits.real(v),
        Scalar::Complex(re, im) => {
            let imaginary = digits.real(im);
            let sign = if imaginary.starts_with('-') { "" } else { "+" };
            format!("{}{sign}{imaginary}j", digits.real(re))
        }
    })
}

/// A number of a call.
pub(crate) fn scalar(number: Scalar) -> String {
    match number {
        Scalar::Bool(true) => "True".to_owned(),
        Scalar::Bool(false) => "False".to_owned(),
        Scalar::Int(v) => v.to_string(),
        Scalar::Float(v) => Digits::Double.real(v),
        Scalar::Complex(re, im) => {
            format!("{}{}{}j", Digits::Double.real(re), if im < 0.0 { "" } else { "+" }, Digits::Double.real(im))
        }
    }
}

/// A real or complex number with as many digits as a dtype has.
pub(crate) fn number((re, im): (f64, f64), dtype: DType) -> String {
    let digits = Digits::of(dtype.native());
    let (real, imaginary) = (digits.real(re), digits.real(im));
    match im == 0.0 {
        true => real,
        false => format!("{real}{}{imaginary}j", if imaginary.starts_with('-') { "" } else { "+" }),
    }
}

/// How many digits there are.
#[derive(Clone, Copy)]
enum Digits {
    Half,
    Brain,
    Single,
    Double,
}

impl Digits {
    fn of(dtype: DType) -> Digits {
        match dtype {
            DType::F16 => Digits::Half,
            DType::BF16 => Digits::Brain,
            DType::F32 | DType::C64 => Digits::Single,
            _ => Digits::Double,
        }
    }

    fn real(self, v: f64) -> String {
        if v.is_nan() {
            return "nan".to_owned();
        }
        match self {
            Digits::Single => format!("{:?}", v as f32),
            Digits::Double => format!("{v:?}"),
            Digits::Half => shortest(v, |w| f16::from_f64(w).to_bits()),
            Digits::Brain => shortest(v, |w| bf16::from_f64(w).to_bits()),
        }
    }
}

/// The fewest digits that round to the same half float.
fn shortest(v: f64, bits: impl Fn(f64) -> u16) -> String {
    let short = (0..9).map(|digits| format!("{v:.digits$e}").parse::<f64>().unwrap_or(v)).find(|w| bits(*w) == bits(v));
    format!("{:?}", short.unwrap_or(v) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_short_and_reads_back_as_the_element() {
        let x = [0.1f32, -0.0, 1e20, f32::NAN, f32::NEG_INFINITY, 3.0];
        assert_eq!(values(&AnyView::from(&x)).unwrap(), ["0.1", "-0.0", "1e20", "nan", "-inf", "3.0"]);
        let halves = [0.1, 65504.0, 2.0, 1.0 / 3.0].map(f16::from_f64);
        assert_eq!(values(&AnyView::from(&halves)).unwrap(), ["0.1", "65500.0", "2.0", "0.3333"]);
        let all = (0..=u16::MAX).map(f16::from_bits).filter(|v| !v.is_nan());
        all.for_each(|v| assert_eq!(f16::from_f64(Digits::Half.real(v.to_f64()).parse().unwrap()), v));
        let all = (0..=u16::MAX).map(bf16::from_bits).filter(|v| !v.is_nan());
        all.for_each(|v| assert_eq!(bf16::from_f64(Digits::Brain.real(v.to_f64()).parse().unwrap()), v));
        assert_eq!(values(&AnyView::from(&[true, false])).unwrap(), ["True", "False"]);
        assert_eq!(values(&AnyView::from(&[u64::MAX])).unwrap(), ["18446744073709551615"]);
        let complex = [takewise::Complex { re: 1.0f32, im: -0.5 }, takewise::Complex { re: 0.1, im: f32::NAN }];
        assert_eq!(values(&AnyView::from(&complex)).unwrap(), ["1.0-0.5j", "0.1+nanj"]);
        let long = vec![0u8; MOST + 1];
        assert_eq!(values(&AnyView::from(&long)), None);
    }
}
