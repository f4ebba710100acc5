//! Operands: from text in grids to arrays.

use serde_json::json;
use takewise::dtype::DTYPES;
use takewise::{Complex, DType, Tensor};
use takewise_dialects::{Array, Face, Value};
use takewise_notation::Session;

use crate::Trouble;
use crate::request::{Given, MOST};

/// A session in which the names are bound to arrays of that library.
///
/// # Errors
/// The first operand that is none: its name, and the element if one is to blame.
pub(crate) fn session(face: &'static Face, names: &[Given]) -> Result<Session, Trouble> {
    let mut session = Session::new(face);
    for given in names {
        if !is_name(&given.name) {
            return Err(blame(given, None, format!("'{}' cannot be a name", given.name)));
        }
        session.set(given.name.as_str(), Value::Array(Array::new(tensor(given)?, face)));
    }
    Ok(session)
}

fn is_name(text: &str) -> bool {
    let start = |c: char| c.is_alphabetic() || c == '_';
    text.chars().next().is_some_and(start) && text.chars().all(|c| start(c) || c.is_numeric())
}

fn blame(given: &Given, at: Option<usize>, message: String) -> Trouble {
    let mut trouble = Trouble::new("ValueError", message);
    trouble.0["operand"] = json!(given.name);
    if let Some(at) = at {
        trouble.0["at"] = json!(at);
    }
    trouble
}

/// The array of an operand.
fn tensor(given: &Given) -> Result<Tensor, Trouble> {
    let name = &given.name;
    let Some(dtype) = DTYPES.into_iter().find(|d| d.name() == given.dtype) else {
        return Err(blame(given, None, format!("{name}: the page has no dtype '{}'", given.dtype)));
    };
    if given.shape.len() > 8 {
        return Err(blame(given, None, format!("{name}: {} axes, the page shows at most 8", given.shape.len())));
    }
    let product = |least: u64| {
        let extents = given.shape.iter().map(|&n| u128::from(n.max(least)));
        extents.into_iter().try_fold(1u128, u128::checked_mul).unwrap_or(u128::MAX)
    };
    // Beside an axis of none a long one has no elements, and yet as many lists.
    let (count, lists) = (product(0), product(1));
    if lists > MOST as u128 {
        let text = format!("{name}: shape {:?} has {count} elements, the page shows at most {MOST}", given.shape);
        return Err(blame(given, None, text));
    }
    if count != given.values.len() as u128 {
        let text = format!("{name}: shape {:?} asks for {count} elements, not {}", given.shape, given.values.len());
        return Err(blame(given, None, text));
    }
    let shape: Vec<usize> = given.shape.iter().map(|&n| n as usize).collect();
    let made = match dtype {
        DType::Bool => Tensor::from_vec(read(given, boolean)?, &shape),
        DType::C64 | DType::C128 => Tensor::from_vec(read(given, complex)?, &shape),
        DType::F16 | DType::BF16 | DType::F32 | DType::F64 => Tensor::from_vec(read(given, float)?, &shape),
        DType::U64 => Tensor::from_vec(read(given, |text| u64::try_from(integer(text)?).ok())?, &shape),
        _ => {
            let (least, most) = limits(dtype);
            let within = |v: i128| (least..=most).contains(&v).then_some(v as i64);
            Tensor::from_vec(read(given, |text| within(integer(text)?))?, &shape)
        }
    };
    let made = made.and_then(|made| if made.dtype() == dtype { Ok(made) } else { made.to(dtype) });
    made.map_err(|error| blame(given, None, format!("{name}: {error}")))
}

/// Every element, or the first that is none of its dtype.
fn read<T>(given: &Given, parse: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, Trouble> {
    let elements = given.values.iter().enumerate();
    let parsed = elements.map(|(at, text)| {
        let wrong = || blame(given, Some(at), format!("{}: '{}' is no {}", given.name, text.trim(), given.dtype));
        parse(text.trim()).ok_or_else(wrong)
    });
    parsed.collect()
}

fn boolean(text: &str) -> Option<bool> {
    match text {
        "True" | "true" | "T" | "1" => Some(true),
        "False" | "false" | "F" | "0" => Some(false),
        _ => None,
    }
}

fn integer(text: &str) -> Option<i128> {
    text.parse().ok()
}

fn float(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// `3`, `2j`, `1-2j`, `1+infj`, with or without brackets.
fn complex(text: &str) -> Option<Complex<f64>> {
    let text = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text);
    let Some(body) = text.strip_suffix('j') else { return Some(Complex::new(float(text)?, 0.0)) };
    let bytes = body.as_bytes();
    let split =
        (1..body.len()).rev().find(|&k| matches!(bytes[k], b'+' | b'-') && !matches!(bytes[k - 1], b'e' | b'E'));
    match split {
        Some(k) => Some(Complex::new(float(&body[..k])?, float(&body[k..])?)),
        None => Some(Complex::new(0.0, float(body)?)),
    }
}

fn limits(dtype: DType) -> (i128, i128) {
    let bits = dtype.size() as u32 * 8;
    match dtype {
        DType::U8 | DType::U16 | DType::U32 => (0, (1 << bits) - 1),
        _ => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(dtype: &str, shape: &[u64], values: &[&str]) -> Given {
        let values = values.iter().map(|v| (*v).to_owned()).collect();
        Given { name: "x".into(), dtype: dtype.into(), shape: shape.to_vec(), values }
    }

    fn message(given: &Given) -> String {
        tensor(given).err().map_or_else(String::new, |t| t.0["message"].as_str().unwrap_or_default().to_owned())
    }

    #[test]
    fn every_dtype_is_read() {
        for dtype in DTYPES {
            let made = tensor(&given(dtype.name(), &[2], &["0", "1"])).map_err(|t| t.0.to_string()).unwrap();
            assert_eq!((made.dtype(), made.shape()), (dtype, &[2][..]));
        }
        let most = tensor(&given("uint64", &[1], &["18446744073709551615"])).map_err(|t| t.0.to_string()).unwrap();
        assert_eq!(most.to_vec::<u64>().unwrap(), [u64::MAX]);
        let z = tensor(&given("complex128", &[3], &["1e-3-2j", "(4+0.5j)", "-j1"]));
        assert_eq!(z.err().unwrap().0["at"], 2);
    }

    #[test]
    fn what_is_no_array_is_told_in_one_line() {
        assert_eq!(message(&given("int8", &[2], &["1", "300"])), "x: '300' is no int8");
        assert_eq!(message(&given("str", &[0], &[])), "x: the page has no dtype 'str'");
        assert_eq!(message(&given("int64", &[2], &["1"])), "x: shape [2] asks for 2 elements, not 1");
        let huge = message(&given("bool", &[1_000_000, 1_000_000], &[]));
        assert_eq!(huge, "x: shape [1000000, 1000000] has 1000000000000 elements, the page shows at most 4096");
        assert!(message(&given("bool", &[u64::MAX; 4], &[])).contains("at most 4096"));
        assert!(message(&given("int64", &[9_007_199_254_740_991, 0], &[])).contains("at most 4096"));
        assert!(message(&given("int64", &[1; 20_000], &["1"])).contains("at most 8"));
    }
}
