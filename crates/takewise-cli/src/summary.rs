//! What is said of the elements of a result as a whole: how many there are, the least and the greatest, mean and standard deviation.

use takewise::{DType, Tensor};
use takewise_dialects::{Value, elements};
use takewise_files::dates_as_text;

use crate::json;

/// Elements looked at at a time.
const PART: usize = 1 << 16;

/// What is said, with its names. What there is none of, such as a mean of nothing, is left out.
pub(crate) type Summary = Vec<(&'static str, Value)>;

/// The summary of an array of numbers or dates.
///
/// `count` is how many elements have a value; `missing` is how many are NaN or NaT. Integers are added exactly, floats with what
/// rounding lost. The standard deviation is that of the elements themselves, as `np.std` has it: the squares are divided by `count`.
///
/// # Errors
/// Elements that are neither numbers nor dates; complex numbers, which have no order.
pub(crate) fn of(tensor: &Tensor) -> Result<Summary, String> {
    let flat = tensor.reshape(&[-1]).map_err(|e| e.to_string())?;
    match flat.dtype().native() {
        dtype if dtype.is_float() => floats(&flat),
        DType::Bool => integers(&flat),
        dtype if dtype.is_integer() => integers(&flat),
        dtype => {
            dates(&flat).unwrap_or_else(|| Err(format!("a summary is of numbers or dates, not of {}", dtype.name())))
        }
    }
}

/// A summary as lines.
pub(crate) fn lines(summary: &Summary) -> String {
    let line = |(name, value): &(&str, Value)| match value {
        Value::Str(text) => format!("{name:<9}{text}\n"),
        Value::Float(x) if !x.is_finite() => format!("{name:<9}{}\n", x.to_string().to_lowercase()),
        other => format!("{name:<9}{}\n", takewise_dialects::print::repr(other)),
    };
    summary.iter().map(line).collect()
}

/// A summary as an object of JSON.
pub(crate) fn object(summary: &Summary) -> Result<String, String> {
    let field = |(name, value): &(&str, Value)| json::json(value).map(|text| format!("\"{name}\": {text}"));
    let fields: Result<Vec<_>, _> = summary.iter().map(field).collect();
    Ok(format!("{{{}}}", fields.map_err(|e| e.to_string())?.join(", ")))
}

/// Gives the elements of a vector one after another.
fn each(flat: &Tensor, mut with: impl FnMut(Value)) -> Result<(), String> {
    for start in (0..flat.numel()).step_by(PART) {
        let part = flat.narrow(0, start as i64, PART.min(flat.numel() - start) as i64);
        part.and_then(|part| elements(&part)).map_err(|e| e.to_string())?.into_iter().for_each(&mut with);
    }
    Ok(())
}

/// A sum of floats that keeps what its additions round away.
#[derive(Default)]
struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    fn add(&mut self, x: f64) {
        let sum = self.sum + x;
        self.lost += if self.sum.abs() >= x.abs() { (self.sum - sum) + x } else { (x - sum) + self.sum };
        self.sum = sum;
    }

    fn total(&self) -> f64 {
        if self.sum.is_finite() { self.sum + self.lost } else { self.sum }
    }
}

fn integers(flat: &Tensor) -> Result<Summary, String> {
    let count = flat.numel();
    let mut summary = vec![("count", Value::Int(count as i128)), ("missing", Value::Int(0))];
    let whole = |value: &Value| value.as_int().unwrap_or_default();
    let (mut least, mut greatest, mut sum) = (i128::MAX, i128::MIN, 0i128);
    each(flat, |value| {
        let i = whole(&value);
        (least, greatest) = (least.min(i), greatest.max(i));
        // Each has at most 64 bits, and there are fewer than 2 to the 63 of them.
        sum += i;
    })?;
    if count == 0 {
        return Ok(summary);
    }
    let (floor, rest) = (sum.div_euclid(count as i128), sum.rem_euclid(count as i128));
    let above = rest as f64 / count as f64;
    let mut squares = Sum::default();
    each(flat, |value| squares.add(((whole(&value) - floor) as f64).powi(2)))?;
    // The squares are of distances to the integer below the mean.
    let variance = (squares.total() / count as f64 - above * above).max(0.0);
    summary.push(("least", Value::Int(least)));
    summary.push(("greatest", Value::Int(greatest)));
    summary.push(("mean", Value::Float(floor as f64 + above)));
    summary.push(("std", Value::Float(variance.sqrt())));
    Ok(summary)
}

fn floats(flat: &Tensor) -> Result<Summary, String> {
    let single = flat.dtype().native() == DType::F32;
    let number = |value: &Value| if let Value::Float(x) = value { *x } else { f64::NAN };
    let (mut count, mut least, mut greatest, mut sum) = (0usize, f64::INFINITY, f64::NEG_INFINITY, Sum::default());
    each(flat, |value| {
        let x = number(&value);
        if !x.is_nan() {
            count += 1;
            (least, greatest) = (least.min(x), greatest.max(x));
            sum.add(x);
        }
    })?;
    let missing = flat.numel() - count;
    let mut summary = vec![("count", Value::Int(count as i128)), ("missing", Value::Int(missing as i128))];
    if count == 0 {
        return Ok(summary);
    }
    let n = count as f64;
    let mut mean = sum.total() / n;
    if mean.is_infinite() && least.is_finite() && greatest.is_finite() {
        // The sum is beyond the largest float, the mean is not.
        let mut parts = Sum::default();
        each(flat, |value| parts.add(Some(number(&value) / n).filter(|x| !x.is_nan()).unwrap_or(0.0)))?;
        mean = parts.total();
    }
    // Distances in units of the greatest one, whose squares are no larger than 1.
    let unit = (greatest - mean).max(mean - least);
    let mut squares = Sum::default();
    each(flat, |value| {
        let x = number(&value);
        if !x.is_nan() && unit > 0.0 {
            squares.add(((x - mean) / unit).powi(2));
        }
    })?;
    let shown = |x: f64| match single && x.is_finite() {
        true => Value::Float(format!("{:?}", x as f32).parse().unwrap_or(x)),
        false => Value::Float(x),
    };
    summary.push(("least", shown(least)));
    summary.push(("greatest", shown(greatest)));
    summary.push(("mean", Value::Float(mean)));
    summary.push(("std", Value::Float(unit * (squares.total() / n).sqrt())));
    Ok(summary)
}

/// The summary of dates; nothing if the elements are none.
fn dates(flat: &Tensor) -> Option<Result<Summary, String>> {
    let dtype = flat.dtype();
    let some = flat.narrow(0, 0, flat.numel().min(1) as i64).ok()?;
    dates_as_text(&some)?.ok()?;
    let made = || -> Result<Summary, String> {
        let counts = flat.reinterpret(DType::I64).map_err(|e| e.to_string())?;
        let (mut count, mut least, mut greatest) = (0, i64::MAX, i64::MIN);
        each(&counts, |value| {
            let date = value.as_int().and_then(|i| i64::try_from(i).ok()).filter(|date| *date != i64::MIN);
            if let Some(date) = date {
                count += 1;
                (least, greatest) = (least.min(date), greatest.max(date));
            }
        })?;
        let missing = flat.numel() - count;
        let mut summary = vec![("count", Value::Int(count as i128)), ("missing", Value::Int(missing as i128))];
        if count > 0 {
            let ends = Tensor::from_vec(vec![least, greatest], &[2]).and_then(|ends| ends.reinterpret(dtype));
            let texts = ends.map(|ends| dates_as_text(&ends)).map_err(|e| e.to_string())?;
            let texts = texts.transpose().map_err(|e| e.to_string())?.unwrap_or_default();
            summary.extend(["least", "greatest"].into_iter().zip(texts.into_iter().map(Value::str)));
        }
        Ok(summary)
    };
    Some(made())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told<T: takewise::Element>(values: Vec<T>) -> String {
        let count = values.len();
        lines(&of(&Tensor::from_vec(values, &[count]).unwrap()).unwrap())
    }

    #[test]
    fn integers_of_64_bits_are_added_exactly() {
        let top = i64::MAX;
        let wanted = format!(
            "count    3\nmissing  0\nleast    {}\ngreatest {top}\nmean     9.223372036854776e+18\nstd      0.816496580927726\n",
            top - 2
        );
        assert_eq!(told(vec![top, top - 1, top - 2]), wanted);
        assert!(told(vec![u64::MAX, 0]).ends_with("mean     9.223372036854776e+18\nstd      9.223372036854776e+18\n"));
        assert_eq!(told::<i64>(vec![]), "count    0\nmissing  0\n");
        assert!(told(vec![true, false, true, true]).contains("\nmean     0.75\nstd      0.4330127018922193\n"));
    }

    #[test]
    fn floats_without_a_value_are_counted_apart() {
        let wanted = "count    3\nmissing  1\nleast    0.1\ngreatest 2.5\nmean     1.2000000004967053\nstd      ";
        assert!(
            told(vec![0.1f32, f32::NAN, 2.5, 1.0]).starts_with(wanted),
            "{}",
            told(vec![0.1f32, f32::NAN, 2.5, 1.0])
        );
        assert_eq!(told(vec![f64::NAN]), "count    0\nmissing  1\n");
        assert!(told(vec![1e308, 1.5e308]).contains("\nmean     1.25e+308\nstd      2.5e+307\n"));
        assert!(told(vec![1e16, 1.0, -1e16, 3.0]).contains("\nmean     1.0\n"));
        assert!(told(vec![1.0, f64::INFINITY]).contains("\ngreatest inf\nmean     inf\nstd      nan\n"));
    }
}
