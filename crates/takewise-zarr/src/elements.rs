//! Elements: the dtype that metadata name, and the same metadata in words that the library has.
//!
//! Dates and fixed strings are moved and no more. The library lacks most of them, or spells their fill values otherwise. So it is
//! shown integers for dates and plain bytes for strings of bytes; the dtype keeps NumPy's name.

use crate::meta::shown;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use takewise::DType;

/// Bytes of the largest element.
const MOST: u64 = 1 << 24;

/// What elements are.
enum Kind {
    Number(DType),
    /// Dates or spans of time, by NumPy's name for their dtype.
    Time(String),
    /// So many characters of four bytes.
    Text(u64),
    /// So many bytes: with zeros at the end that do not count, or without.
    Bytes(u64, bool),
}

/// NumPy's units of time.
const UNITS: [&str; 14] = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "μs", "ns", "ps", "fs", "as"];

/// The element type, or why elements of it are not read. The metadata are changed to what the library reads.
pub(crate) fn read(json: &mut Value, format: u8) -> Result<DType, String> {
    let field = if format == 3 { "data_type" } else { "dtype" };
    let data = json[field].clone();
    let Some(name) = data.as_str().or_else(|| data["name"].as_str()) else {
        return Err(format!("{field}: elements of the record type {} are not read here", shown(&data)));
    };
    let kind = if format == 3 { third(name, &data["configuration"]) } else { second(name) };
    let kind = kind.map_err(|text| format!("{field}: elements of type {name:?} {text}"))?;
    let fill = &mut json["fill_value"];
    // Version 2 may have no fill value; then zarr-python takes what stands for nothing.
    let none = format == 2 && fill.is_null();
    let wrong = |fill: &Value| format!("fill_value: {} is no element of type {name:?}", shown(fill));
    match kind {
        Kind::Number(dtype) => {
            if none && dtype.is_complex() {
                *fill = json!([0, 0]);
            }
            whole(fill, dtype);
            Ok(dtype)
        }
        Kind::Time(numpy) => {
            if none || *fill == "NaT" {
                *fill = json!(i64::MIN);
            }
            whole(fill, DType::I64);
            let order = if name.starts_with('>') { '>' } else { '<' };
            json[field] = if format == 3 { json!("int64") } else { json!(format!("{order}i8")) };
            foreign(&numpy, 8)
        }
        Kind::Text(characters) => {
            let text = if none { "" } else { fill.as_str().ok_or_else(|| wrong(fill))? };
            // Longer ones are cut, as NumPy does.
            *fill = json!(text.chars().take(characters as usize).collect::<String>());
            foreign(&format!("{}U{characters}", if cfg!(target_endian = "big") { '>' } else { '<' }), 4 * characters)
        }
        Kind::Bytes(size, text) => {
            if !fill.is_array() {
                let encoded = if none { "" } else { fill.as_str().ok_or_else(|| wrong(fill))? };
                let mut bytes = STANDARD.decode(encoded).map_err(|_| wrong(fill))?;
                bytes.resize(size as usize, 0);
                *fill = json!(bytes);
            }
            json[field] = if format == 3 { json!(format!("r{}", 8 * size)) } else { json!(format!("|V{size}")) };
            foreign(&format!("|{}{size}", if text { 'S' } else { 'V' }), size)
        }
    }
}

fn foreign(name: &str, size: u64) -> Result<DType, String> {
    DType::foreign(name, size as usize).ok_or_else(|| format!("elements of {size} bytes are too large"))
}

const UNSIZED: &str = "have no fixed size, and are not read here";
const UNKNOWN: &str = "are not read here, only numbers, dates, and strings and bytes of a fixed size";

fn third(name: &str, parts: &Value) -> Result<Kind, String> {
    let sized = |size: Option<u64>, unit: u64| {
        let size = size.filter(|size| (1..=MOST).contains(size) && size % unit == 0);
        size.ok_or_else(|| format!("cannot have the length_bytes {}", shown(&parts["length_bytes"])))
    };
    let length = parts["length_bytes"].as_u64();
    match name {
        "string" | "bytes" | "variable_length_bytes" | "variable_length_utf8" => Err(UNSIZED.to_string()),
        "null_terminated_bytes" => Ok(Kind::Bytes(sized(length, 1)?, true)),
        "raw_bytes" => Ok(Kind::Bytes(sized(length, 1)?, false)),
        "fixed_length_utf32" => Ok(Kind::Text(sized(length, 4)? / 4)),
        "numpy.datetime64" | "numpy.timedelta64" => {
            let (unit, scale) =
                (parts["unit"].as_str().unwrap_or_default(), parts["scale_factor"].as_u64().unwrap_or(1));
            let unit = match (unit, scale) {
                ("generic", _) => String::new(),
                (unit, 1) => format!("[{unit}]"),
                (unit, scale) => format!("[{scale}{unit}]"),
            };
            time(name.trim_start_matches("numpy."), &unit)
        }
        _ => match name.strip_prefix('r').and_then(|bits| bits.parse::<u64>().ok()) {
            Some(bits) if bits % 8 == 0 => Ok(Kind::Bytes(sized(Some(bits / 8), 1)?, false)),
            _ => DType::from_name(name).filter(|dtype| dtype.name() == name).map(Kind::Number).ok_or_else(unknown),
        },
    }
}

fn unknown() -> String {
    UNKNOWN.to_string()
}

/// Of NumPy's spelling: byte order, kind, bytes or characters, and the unit of dates.
fn second(name: &str) -> Result<Kind, String> {
    let code = name.trim_start_matches(['<', '>', '|', '=']);
    let (kind, rest) = code.split_at_checked(1).ok_or_else(unknown)?;
    let count = rest.parse::<u64>().ok();
    let sized = |unit: u64| count.filter(|&n| n > 0 && n <= MOST / unit).ok_or_else(unknown);
    match (kind, count) {
        ("O", None) => Err(UNSIZED.to_string()),
        ("M", _) => time("datetime64", rest.strip_prefix('8').ok_or_else(unknown)?),
        ("m", _) => time("timedelta64", rest.strip_prefix('8').ok_or_else(unknown)?),
        ("S", _) => Ok(Kind::Bytes(sized(1)?, true)),
        ("V", _) => Ok(Kind::Bytes(sized(1)?, false)),
        ("U", _) => Ok(Kind::Text(sized(4)?)),
        ("b", Some(1)) => Ok(Kind::Number(DType::Bool)),
        (_, Some(size @ 1..=16)) => {
            let word = match kind {
                "i" => "int",
                "u" => "uint",
                "f" => "float",
                "c" => "complex",
                _ => return Err(unknown()),
            };
            DType::from_name(&format!("{word}{}", 8 * size)).map(Kind::Number).ok_or_else(unknown)
        }
        _ => Err(unknown()),
    }
}

/// Dates by their unit: nothing, `[D]`, `[25s]`.
fn time(name: &str, unit: &str) -> Result<Kind, String> {
    let inner = unit.strip_prefix('[').and_then(|unit| unit.strip_suffix(']'));
    let letters = inner.map(|inner| inner.trim_start_matches(|c: char| c.is_ascii_digit()));
    let scale = inner.zip(letters).map(|(inner, letters)| &inner[..inner.len() - letters.len()]);
    let known = letters.is_some_and(|letters| UNITS.contains(&letters));
    // NumPy holds the factor in 31 bits.
    let fits = scale.is_some_and(|scale| scale.is_empty() || scale.parse::<i32>().is_ok_and(|scale| scale > 0));
    match unit.is_empty() || known && fits {
        true => Ok(Kind::Time(format!("{name}{unit}"))),
        false => Err(format!("cannot have the unit {unit:?}")),
    }
}

/// A whole number that was written with a point becomes one without, where elements are integers; 0 and 1 become truth values,
/// where elements are.
fn whole(fill: &mut Value, dtype: DType) {
    let Some(number) = fill.as_f64() else { return };
    if dtype == DType::Bool && (number == 0.0 || number == 1.0) {
        *fill = json!(number == 1.0);
    }
    if number.fract() != 0.0 || !dtype.is_integer() {
        return;
    }
    if fill.is_f64() && (0.0..2f64.powi(64)).contains(&number) {
        *fill = json!(number as u64);
    } else if fill.is_f64() && (-(2f64.powi(63))..0.0).contains(&number) {
        *fill = json!(number as i64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_read_or_refused_by_name() {
        let dtype = |format, field: &str, data: Value, fill: Value| {
            let mut metadata = json!({ field: data, "fill_value": fill });
            let dtype = read(&mut metadata, format)?;
            Ok::<_, String>((dtype.name(), dtype.size(), metadata["fill_value"].take()))
        };
        let second = |name: &str, fill| dtype(2, "dtype", json!(name), fill);
        assert_eq!(second("<M8[10s]", json!("NaT")), Ok(("datetime64[10s]", 8, json!(i64::MIN))));
        assert_eq!(second(">m8", Value::Null), Ok(("timedelta64", 8, json!(i64::MIN))));
        assert_eq!(second("<m8[D]", json!(3.0)), Ok(("timedelta64[D]", 8, json!(3))));
        assert_eq!(second("|S3", json!("YWI=")), Ok(("|S3", 3, json!([97, 98, 0]))));
        assert_eq!(second("|V1", Value::Null), Ok(("|V1", 1, json!([0]))));
        assert_eq!(second("<U2", json!("héy")), Ok(("<U2", 8, json!("hé"))));
        assert_eq!(second("<c16", json!(0)), Ok(("complex128", 16, json!(0))));
        for name in [
            "",
            "<",
            "é",
            "<f3",
            "<q8",
            "|S0",
            "|S",
            "<U9999999",
            "<M8[x]",
            "<M8[0s]",
            "<M8[9999999999s]",
            "<M4[s]",
            "|O",
            "<i32",
        ] {
            assert!(second(name, json!(0)).is_err_and(|text| text.starts_with("dtype: ")), "{name}");
        }
        for (name, fill) in [("|S3", json!(5)), ("|S3", json!("!")), ("<U3", json!(5))] {
            assert!(second(name, fill).is_err_and(|text| text.starts_with("fill_value: ")), "{name}");
        }
        let third = |name: &str, parts| dtype(3, "data_type", json!({"name": name, "configuration": parts}), json!(""));
        assert_eq!(third("null_terminated_bytes", json!({"length_bytes": 2})), Ok(("|S2", 2, json!([0, 0]))));
        assert_eq!(third("fixed_length_utf32", json!({"length_bytes": 8})), Ok(("<U2", 8, json!(""))));
        assert_eq!(third("r16", json!({})), Ok(("|V2", 2, json!([0, 0]))));
        for (name, parts) in [
            ("raw_bytes", json!({"length_bytes": 0})),
            ("fixed_length_utf32", json!({"length_bytes": 6})),
            ("null_terminated_bytes", json!({"length_bytes": -1})),
            ("numpy.datetime64", json!({"unit": "x"})),
            ("r12", json!({})),
            ("float", json!({})),
        ] {
            assert!(third(name, parts).is_err_and(|text| text.starts_with("data_type: ")), "{name}");
        }
    }
}
