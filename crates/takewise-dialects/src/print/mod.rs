//! `repr` and `str` of values, as Python and each library write them.

mod float;
mod mindspore;
mod numpy;
mod sheet;
mod torch;

use crate::value::Value;
use crate::words::node_name;
pub(crate) use mindspore::mindspore_repr_of;
pub use mindspore::{mindspore_repr, mindspore_str};
pub use numpy::{numpy_repr, numpy_str};
pub(crate) use numpy::{numpy_repr_of, numpy_str_of};
pub(crate) use sheet::{EDGE, THRESHOLD};
pub use takewise::error::plain;
pub(crate) use torch::torch_repr_of;
pub use torch::{torch_coo_repr, torch_repr, torch_repr_with, torch_sparse_repr};

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&repr(self))
    }
}

/// What the interactive prompt shows for a value.
pub fn repr(value: &Value) -> String {
    match value {
        Value::None => "None".into(),
        Value::Ellipsis => "Ellipsis".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Int(i) => i.to_string(),
        Value::Float(x) => float_repr(*x),
        Value::Complex(re, im) => complex_repr(*re, *im),
        Value::Str(s) => str_repr(s),
        Value::Tuple(items) if items.len() == 1 => format!("({},)", repr(&items[0])),
        Value::Tuple(items) => format!("({})", join(items)),
        Value::Record(record, items) => {
            let lines: Vec<_> = record.fields.iter().zip(&**items).map(|(f, v)| format!("{f}={}", repr(v))).collect();
            format!("{}(\n{})", record.name, lines.join(",\n"))
        }
        Value::List(items) => format!("[{}]", join(&items.borrow())),
        Value::Slice(parts) => format!("slice({})", join(&parts[..])),
        Value::Range(start, stop, 1) => format!("range({start}, {stop})"),
        Value::Range(start, stop, step) => format!("range({start}, {stop}, {step})"),
        Value::Array(array) => array.face.repr(array),
        Value::Sparse(sparse, _) => torch_coo_repr(sparse).unwrap_or_else(|busy| format!("<{busy}>")),
        Value::Size(dims) => format!("torch.Size({dims:?})"),
        Value::DType(dtype, face) => face.dtype_repr(*dtype),
        Value::Module(_, path) => format!("<module '{path}'>"),
        Value::Function(f) => format!("<built-in function {}>", f.name),
        Value::Method(_, f) => format!("<built-in method {}>", f.name),
        Value::Builtin(name) => format!("<built-in function {name}>"),
        // Python shows an address, which says nothing and is another each time.
        Value::GradFn(f) => format!("<{} object>", node_name(f.op())),
        Value::Recording(r) if r.before.is_some() => {
            format!("torch.autograd.grad_mode.{}(mode={})", r.name, if r.on { "True" } else { "False" })
        }
        Value::Recording(r) => format!("<torch.autograd.grad_mode.{} object>", r.name),
        Value::Type(name) => format!("<class '{name}'>"),
        Value::At(array, _) => format!("_IndexUpdateHelper({})", array.face.repr(array)),
        Value::Stored(x, face) => format!("<{} of shape {:?}, not in memory>", face.tensor_type, x.shape()),
    }
}

/// What `print(value)` writes: strings bare, arrays in their library's short form.
pub fn display(value: &Value) -> String {
    match value {
        Value::Str(s) => s.to_string(),
        Value::Array(array) => array.face.display(array),
        Value::DType(dtype, face) => face.dtype_display(*dtype),
        other => repr(other),
    }
}

fn join(items: &[Value]) -> String {
    items.iter().map(repr).collect::<Vec<_>>().join(", ")
}

/// Python's `repr(float)`: the shortest digits that read back, in scientific form below 1e-4 and from
/// 1e16.
pub fn float_repr(x: f64) -> String {
    if x.is_nan() {
        return "nan".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "inf".into() } else { "-inf".into() };
    }
    let magnitude = x.abs();
    if magnitude != 0.0 && !(1e-4..1e16).contains(&magnitude) {
        let text = format!("{x:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, digits_of_exponent) = match exponent.strip_prefix('-') {
            Some(rest) => ('-', rest),
            None => ('+', exponent),
        };
        return format!("{digits}e{sign}{digits_of_exponent:0>2}");
    }
    let text = format!("{x}");
    if text.contains('.') { text } else { text + ".0" }
}

fn complex_repr(re: f64, im: f64) -> String {
    let part = |x: f64| {
        let text = float_repr(x);
        text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
    };
    if re == 0.0 && re.is_sign_positive() {
        return format!("{}j", part(im));
    }
    let im = part(im);
    let sign = if im.starts_with('-') { "" } else { "+" };
    format!("({}{sign}{im}j)", part(re))
}

pub(crate) fn str_repr(s: &str) -> String {
    let quote = if s.contains('\'') && !s.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for c in s.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => out.extend(['\\', c]),
            c => out.push_str(&plain(c.encode_utf8(&mut [0; 4]))),
        }
    }
    out.push(quote);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_print_as_python_prints_them() {
        let cases = [
            (0.1, "0.1"),
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (1e16, "1e+16"),
            (1e15, "1000000000000000.0"),
            (1.5e-5, "1.5e-05"),
            (0.0001, "0.0001"),
            (1e300, "1e+300"),
            (f64::INFINITY, "inf"),
        ];
        for (x, text) in cases {
            assert_eq!(float_repr(x), text);
        }
    }

    #[test]
    fn names_cannot_speak_to_the_terminal() {
        assert_eq!(plain("layer.0é"), "layer.0é");
        assert_eq!(plain("a\x1b[31mb\n\u{9b}c\u{202e}d\0"), "a\\x1b[31mb\\n\\x9bc\\u202ed\\x00");
        assert_eq!(repr(&Value::str("\u{202e}\x07")), "'\\u202e\\x07'");
    }

    #[test]
    fn containers_and_strings() {
        let v = Value::tuple(vec![Value::Int(1), Value::str("it's"), Value::Complex(0.0, 2.0)]);
        assert_eq!(repr(&v), "(1, \"it's\", 2j)");
        assert_eq!(repr(&Value::tuple(vec![Value::None])), "(None,)");
        assert_eq!(repr(&Value::Complex(1.5, -2.0)), "(1.5-2j)");
    }
}
