//! NumPy's `repr` and `str` of arrays (NumPy 2.4, default print options).

use super::float::{exponent_text, fixed, shortest, special};
use super::sheet::{Place, Sheet, Style, THRESHOLD, count, truth, tuple};
use half::{bf16, f16};
use takewise::dtype::{DType, Scalar};
use takewise::view::AnyView;

static REPR: Style = Style { separator: ", ", blank_lines: true, eager: false, dots_separated: true, row };
static STR: Style = Style { separator: " ", ..REPR };

const PRECISION: usize = 8;
const LINE: usize = 75;

/// `repr(array)`: `array([1., 2.], dtype=float32)`.
///
/// ```
/// use takewise::View;
/// use takewise_dialects::print::numpy_repr;
/// assert_eq!(numpy_repr(&View::from(&[1.0f32, 2.5][..]).any()), "array([1. , 2.5], dtype=float32)");
/// ```
pub fn numpy_repr(view: &AnyView<'_>) -> String {
    numpy_repr_of(view, view.shape())
}

/// [`numpy_repr`] of an array of that shape of which the view may hold no more than the ends.
pub(crate) fn numpy_repr_of(view: &AnyView<'_>, shape: &[usize]) -> String {
    let text = format!("array({}", contents(view, shape, &REPR, "array(".len(), LINE - 1));
    let mut extras = Vec::new();
    if (view.numel() == 0 && shape != [0]) || count(shape) > THRESHOLD {
        extras.push(format!("shape={}", tuple(shape)));
    }
    let implied = matches!(view.dtype(), DType::Bool | DType::I64 | DType::F64 | DType::C128);
    if !implied || view.numel() == 0 {
        let quote = if crate::texts::is_text(view.dtype()) { "'" } else { "" };
        extras.push(format!("dtype={quote}{}{quote}", view.dtype().name()));
    }
    if extras.is_empty() {
        return text + ")";
    }
    let extras = extras.join(", ") + ")";
    let last = text.rsplit('\n').next().map_or(0, str::len) + 1;
    let gap = if last + extras.len() + 1 > LINE { format!("\n{}", " ".repeat("array(".len())) } else { " ".into() };
    format!("{text},{gap}{extras}")
}

/// `str(array)`, what `print` shows: no commas; a bare number for rank 0.
///
/// ```
/// use takewise::View;
/// use takewise_dialects::print::numpy_str;
/// assert_eq!(numpy_str(&View::new(&[-0.1, 0.5], &[2, 1]).unwrap().any()), "[[-0.1]\n [ 0.5]]");
/// ```
pub fn numpy_str(view: &AnyView<'_>) -> String {
    numpy_str_of(view, view.shape())
}

/// [`numpy_str`] of an array of that shape of which the view may hold no more than the ends.
pub(crate) fn numpy_str_of(view: &AnyView<'_>, shape: &[usize]) -> String {
    if view.rank() == 0 {
        return scalar(Sheet { shape, view, style: &STR }.number(&[]), view.dtype());
    }
    contents(view, shape, &STR, 0, LINE)
}

fn contents(view: &AnyView<'_>, shape: &[usize], style: &'static Style, indent: usize, width: usize) -> String {
    if view.numel() == 0 {
        return "[]".into();
    }
    let sheet = Sheet { shape, view, style };
    let numbers = sheet.numbers();
    let place = Place { indent, depth: 0, rank: view.rank(), width, element: 0 };
    let dtype = view.dtype();
    match dtype {
        DType::Opaque { .. } => super::sheet::words(&sheet, place),
        DType::Bool => {
            let width = if view.rank() == 0 { 0 } else { 5 };
            sheet.nest(place, &|v| format!("{:>width$}", truth(v == Scalar::Bool(true))))
        }
        _ if dtype.is_complex() => {
            let (re, im): (Vec<f64>, Vec<f64>) = numbers.into_iter().map(parts).unzip();
            let part = if dtype == DType::C64 { DType::F32 } else { DType::F64 };
            let (re, im) = (NumpyFloats::new(&re, part, false), NumpyFloats::new(&im, part, true));
            sheet.nest(place, &|v| {
                let (a, b) = parts(v);
                let imag = im.text(b);
                let bare = imag.trim_end();
                format!("{}{bare}j{}", re.text(a), &imag[bare.len()..])
            })
        }
        _ if dtype.is_float() => {
            let values: Vec<f64> = numbers.into_iter().map(|v| parts(v).0).collect();
            let f = NumpyFloats::new(&values, dtype, false);
            sheet.nest(place, &|v| f.text(parts(v).0))
        }
        _ => {
            let text = |v: Scalar| if let Scalar::Int(i) = v { i.to_string() } else { String::new() };
            let width = numbers.iter().map(|v| text(*v).len()).max().unwrap_or(0);
            sheet.nest(place, &|v| format!("{:>width$}", text(v)))
        }
    }
}

fn parts(v: Scalar) -> (f64, f64) {
    match v {
        Scalar::Float(f) => (f, 0.0),
        Scalar::Complex(re, im) => (re, im),
        Scalar::Int(i) => (i as f64, 0.0),
        Scalar::Bool(b) => (b as u8 as f64, 0.0),
    }
}

/// A number rounded to its dtype, in which NumPy also does the comparisons below.
fn rounded(v: f64, dtype: DType) -> f64 {
    match dtype {
        DType::F16 => f16::from_f32(v as f32).to_f64(),
        DType::BF16 => bf16::from_f32(v as f32).to_f64(),
        DType::F32 => v as f32 as f64,
        _ => v,
    }
}

/// From here on numbers are rendered in scientific notation: ten to the digits a dtype carries, at most 8.
fn large(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 1e3,
        DType::BF16 => 1e2,
        DType::F32 | DType::C64 => 1e6,
        _ => 1e8,
    }
}

/// How the floats of one array are rendered.
struct NumpyFloats {
    dtype: DType,
    scientific: bool,
    /// Whether non-negative numbers carry a plus.
    plus: bool,
    /// Digits after the point, at most; exactly, when scientific.
    precision: usize,
    left: usize,
    right: usize,
    exponent_digits: usize,
}

impl NumpyFloats {
    fn new(values: &[f64], dtype: DType, plus: bool) -> NumpyFloats {
        let finite: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        let counted = || finite.iter().map(|v| v.abs()).filter(|v| *v != 0.0);
        let (low, high) = counted().fold((f64::INFINITY, 0.0f64), |(l, h), v| (l.min(v), h.max(v)));
        let large = large(dtype);
        let scientific =
            low.is_finite() && (high >= large || low < rounded(0.0001, dtype) || rounded(high / low, dtype) > 1000.0);
        let mut f =
            NumpyFloats { dtype, scientific, plus, precision: PRECISION, left: 0, right: 0, exponent_digits: 0 };
        let split = |s: &str, at: char| s.split_once(at).map(|(a, b)| (a.len(), b.len())).unwrap_or((s.len(), 0));
        if scientific {
            let texts: Vec<(String, String)> = finite.iter().map(|v| f.scientific(*v, true, 2)).collect();
            f.exponent_digits = texts.iter().map(|t| t.1.len() - 1).max().unwrap_or(2);
            f.precision = texts.iter().map(|t| split(&t.0, '.').1).max().unwrap_or(0);
            f.left = texts.iter().map(|t| split(&t.0, '.').0).max().unwrap_or(0);
            f.right = f.exponent_digits + 2 + f.precision;
        } else {
            let texts: Vec<String> = finite.iter().map(|v| f.positional(*v)).collect();
            f.left = texts.iter().map(|t| split(t, '.').0).max().unwrap_or(0);
            f.right = texts.iter().map(|t| split(t, '.').1).max().unwrap_or(0);
        }
        if finite.len() < values.len() {
            let sign = usize::from(plus || values.contains(&f64::NEG_INFINITY));
            f.left = f.left.max(3usize.saturating_sub(f.right + 1)).max((3 + sign).saturating_sub(f.right + 1));
        }
        f
    }

    fn sign(&self, v: f64) -> &'static str {
        match (v.is_sign_negative() && !v.is_nan(), self.plus) {
            (true, _) => "-",
            (false, true) => "+",
            (false, false) => "",
        }
    }

    /// Mantissa (with its point) and exponent; `trimmed` drops trailing zeros.
    fn scientific(&self, v: f64, trimmed: bool, exponent_digits: usize) -> (String, String) {
        let s = shortest(v, self.dtype);
        let (digits, exponent) = if trimmed && s.digits.len() <= self.precision + 1 {
            (s.digits, s.exponent)
        } else {
            let text = format!("{:.*e}", self.precision, v.abs());
            let (m, e) = text.split_once('e').unwrap_or((&text, "0"));
            (m.replace('.', ""), e.parse().unwrap_or(0))
        };
        let mut mantissa = format!("{}{}.{}", self.sign(v), &digits[..1], &digits[1..]);
        if trimmed {
            mantissa.truncate(mantissa.trim_end_matches('0').len());
        }
        (mantissa, exponent_text(exponent, exponent_digits))
    }

    /// Shortest digits, at most `precision` after the point, trailing zeros dropped.
    fn positional(&self, v: f64) -> String {
        let s = shortest(v, self.dtype);
        let after = s.digits.len() as i64 - 1 - s.exponent as i64;
        let mut text =
            if after > self.precision as i64 { fixed(v.abs(), self.precision) } else { spread(&s.digits, s.exponent) };
        text.truncate(text.trim_end_matches('0').len());
        format!("{}{text}", self.sign(v))
    }

    fn text(&self, v: f64) -> String {
        if let Some(word) = special(v) {
            let plus = if self.plus && v != f64::NEG_INFINITY { "+" } else { "" };
            return format!("{:>1$}", format!("{plus}{word}"), self.left + self.right + 1);
        }
        if self.scientific {
            let (mantissa, exponent) = self.scientific(v, false, self.exponent_digits);
            let width = self.left + 1 + self.precision;
            return format!("{mantissa:>width$}e{exponent}");
        }
        let text = self.positional(v);
        let whole = text.find('.').unwrap_or(text.len());
        let after = text.len().saturating_sub(whole + 1);
        format!("{}{text}{}", " ".repeat(self.left.saturating_sub(whole)), " ".repeat(self.right.saturating_sub(after)))
    }
}

/// Digits with their point: `"125"`, 1 is `12.5`; at least the point follows the whole part.
fn spread(digits: &str, exponent: i32) -> String {
    if exponent < 0 {
        return format!("0.{}{digits}", "0".repeat((-exponent - 1) as usize));
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        return format!("{digits}{}.", "0".repeat(whole - digits.len()));
    }
    format!("{}.{}", &digits[..whole], &digits[whole..])
}

/// `str` of a NumPy scalar.
fn scalar(v: Scalar, dtype: DType) -> String {
    match v {
        Scalar::Bool(b) => truth(b).into(),
        Scalar::Int(i) => i.to_string(),
        Scalar::Float(f) => float_scalar(f, dtype, "0"),
        Scalar::Complex(re, im) => {
            let imag = float_scalar(im, dtype, "");
            if re == 0.0 && re.is_sign_positive() {
                return format!("{imag}j");
            }
            let plus = if imag.starts_with('-') { "" } else { "+" };
            format!("({}{plus}{imag}j)", float_scalar(re, dtype, ""))
        }
    }
}

/// Positional from 1e-4 up to what the dtype's precision carries, scientific beyond; `zero` follows a bare point (which goes without it).
fn float_scalar(v: f64, dtype: DType, zero: &str) -> String {
    if let Some(word) = special(v) {
        return word.into();
    }
    let minus = if v.is_sign_negative() { "-" } else { "" };
    let s = shortest(v, dtype);
    let large = if matches!(dtype, DType::F64 | DType::C128) { 1e16 } else { large(dtype) };
    if v == 0.0 || (1e-4..large).contains(&v.abs()) {
        let text = spread(&s.digits, s.exponent);
        let text = match text.strip_suffix('.') {
            Some(whole) if zero.is_empty() => whole.to_owned(),
            Some(_) => text + zero,
            None => text,
        };
        return format!("{minus}{text}");
    }
    let point = if s.digits.len() > 1 { "." } else { "" };
    format!("{minus}{}{point}{}e{}", &s.digits[..1], &s.digits[1..], exponent_text(s.exponent, 2))
}

/// As many elements on a line as fit its width.
fn row(words: &[Option<String>], place: Place, style: &Style) -> String {
    let start = " ".repeat(place.indent + place.depth);
    let room = place.width - (place.depth - 1).min(place.width) - style.separator.trim_end().len().max(1);
    let (mut out, mut line) = (String::new(), start.clone());
    for (k, word) in words.iter().enumerate() {
        let word = word.as_deref().unwrap_or("...");
        if line.len() + word.len() > room && line.len() > start.len() {
            out += line.trim_end();
            out += "\n";
            line.clone_from(&start);
        }
        line += word;
        if k + 1 < words.len() {
            line += style.separator;
        }
    }
    out += &line;
    out[start.len()..].to_owned()
}
