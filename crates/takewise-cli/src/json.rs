//! Results as JSON.

use takewise::DType;
use takewise_dialects::{EvalError, Value};

use crate::say;
use crate::tables::cells;

/// A value as JSON: numbers, strings and lists as themselves, an array as its dtype, shape and lists of its elements, of which texts
/// and dates are strings. What JSON has no number for is a string: `NaN`, `Infinity`, `-Infinity`. A complex number is the list of its parts.
///
/// # Errors
/// A value that is no data, such as a function.
pub(crate) fn json(value: &Value) -> Result<String, EvalError> {
    Ok(match value {
        Value::Array(array) => {
            let tensor = array.tensor();
            let (dtype, shape) = (tensor.dtype(), tensor.shape().to_vec());
            let values = cells(&tensor).map_err(|e| EvalError::type_error(e.to_string()))?;
            let data = nested(&values, &shape, dtype)?;
            format!("{{\"dtype\": {}, \"shape\": {shape:?}, \"data\": {data}}}", quoted(dtype.name()))
        }
        Value::Tuple(_) | Value::Record(..) | Value::List(_) | Value::Size(_) | Value::Range(..) => {
            let items = value.items().unwrap_or_default();
            let parts = items.iter().map(json).collect::<Result<Vec<_>, _>>()?;
            format!("[{}]", parts.join(", "))
        }
        Value::DType(dtype, _) => quoted(dtype.name()),
        plain => element(plain, DType::F64)?,
    })
}

fn nested(values: &[Value], shape: &[usize], dtype: DType) -> Result<String, EvalError> {
    let Some((&count, rest)) = shape.split_first() else { return element(&values[0], dtype) };
    let size: usize = rest.iter().product();
    let part = |k: usize| nested(&values[k * size..][..size], rest, dtype);
    let parts = (0..count).map(part).collect::<Result<Vec<_>, _>>()?;
    Ok(format!("[{}]", parts.join(", ")))
}

fn element(value: &Value, dtype: DType) -> Result<String, EvalError> {
    let float = |x: f64| match x {
        x if x.is_nan() => "\"NaN\"".to_owned(),
        x if x.is_infinite() => format!("\"{}Infinity\"", if x < 0.0 { "-" } else { "" }),
        x => number(x, dtype),
    };
    Ok(match value {
        Value::None => "null".into(),
        Value::Bool(b) => b.to_string(),
        Value::Int(i) => i.to_string(),
        Value::Float(x) => float(*x),
        Value::Complex(re, im) => format!("[{}, {}]", float(*re), float(*im)),
        Value::Str(text) => quoted(text),
        other => return Err(EvalError::type_error(format!("a {} has no form in JSON", other.type_name()))),
    })
}

/// A finite float with as few digits as tell it apart in its dtype.
pub(crate) fn number(x: f64, dtype: DType) -> String {
    match dtype {
        DType::F32 | DType::C64 => format!("{:?}", x as f32),
        _ => format!("{x:?}"),
    }
}

fn quoted(text: &str) -> String {
    say::json(&serde_json::Value::from(text).to_string())
}

#[cfg(test)]
mod tests {
    use takewise_dialects::TORCH;
    use takewise_notation::Session;

    use super::*;

    #[test]
    fn values_as_json() {
        let mut session = Session::new(&TORCH);
        let mut of = |source: &str| json(&session.eval(source).unwrap()).unwrap();
        assert_eq!(
            of("torch.tensor([[0.1, float('nan')]])"),
            r#"{"dtype": "float32", "shape": [1, 2], "data": [[0.1, "NaN"]]}"#
        );
        assert_eq!(of("torch.zeros(2, 0).shape"), "[2, 0]");
        assert_eq!(of("torch.zeros(2, 0)"), r#"{"dtype": "float32", "shape": [2, 0], "data": [[], []]}"#);
        assert_eq!(of("(1, True, None, 'a\"b', 2.5, 1j)"), r#"[1, true, null, "a\"b", 2.5, [0.0, 1.0]]"#);
        assert_eq!(of("torch.tensor(7)"), r#"{"dtype": "int64", "shape": [], "data": 7}"#);
        assert!(json(&session.eval("torch.gather").unwrap()).is_err());
    }
}
