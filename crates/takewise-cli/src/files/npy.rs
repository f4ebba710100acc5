//! NumPy's `.npy`: a magic string, a header that is a Python dict, then the elements.

use std::path::Path;

use npyz::{Endianness, TypeChar, TypeStr};
use py_literal::Value as Literal;
use takewise::{DType, Tensor};

use super::FileError;
use super::map::{Map, Placement};

/// Headers are a few hundred bytes; anything beyond this is not one.
const MAX_HEADER: usize = 1 << 20;

/// What a header says: where the elements start, their order and type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    /// Bytes before the first element.
    pub start: usize,
    /// Element type.
    pub dtype: DType,
    /// Whether multi-byte elements are in the other byte order.
    pub swapped: bool,
    /// Extents.
    pub shape: Vec<usize>,
    /// Whether the first axis varies fastest.
    pub fortran: bool,
}

/// Maps the array of a file.
pub(super) fn open(path: &Path, map: &Map) -> Result<Tensor, FileError> {
    let header = parse(map.bytes()).map_err(|text| FileError::new(path, text))?;
    map.tensor(path, placement(&header, 0))
}

/// Where the elements of an array whose file image starts at byte `base` lie.
pub(super) fn placement(header: &Header, base: usize) -> Placement {
    Placement {
        start: base + header.start,
        shape: header.shape.clone(),
        dtype: header.dtype,
        fortran: header.fortran,
        swapped: header.swapped,
    }
}

/// Reads the header at the start of `bytes`.
pub(super) fn parse(bytes: &[u8]) -> Result<Header, String> {
    let truncated = || "truncated: the npy header is cut off".to_owned();
    if !bytes.starts_with(b"\x93NUMPY") {
        return Err("not an npy file: the magic string is missing".into());
    }
    let (major, length_bytes) = match bytes.get(6).ok_or_else(truncated)? {
        1 => (1, 2),
        v @ (2 | 3) => (*v, 4),
        v => return Err(format!("npy format version {v} is unknown")),
    };
    let field = bytes.get(8..8 + length_bytes).ok_or_else(truncated)?;
    let length = field.iter().rev().fold(0usize, |n, b| n << 8 | usize::from(*b));
    let start = 8 + length_bytes + length;
    if length > MAX_HEADER {
        return Err(format!("the npy header claims {length} bytes"));
    }
    let text = bytes.get(8 + length_bytes..start).ok_or_else(truncated)?;
    let text: String = match major {
        3 => std::str::from_utf8(text).map_err(|_| "the npy header is not UTF-8")?.into(),
        _ => text.iter().map(|&b| char::from(b)).collect(),
    };
    dict(text.trim_end_matches(['\n', ' ', '\0']), start)
}

fn dict(text: &str, start: usize) -> Result<Header, String> {
    let malformed = |what: &str| format!("malformed npy header: {what}");
    if nesting(text) > 16 {
        return Err(malformed("brackets nest too deeply"));
    }
    let literal: Literal = text.parse().map_err(|_| malformed("it is not a Python dict"))?;
    let Literal::Dict(items) = literal else { return Err(malformed("it is not a dict")) };
    let find = |key: &str| items.iter().find(|(k, _)| matches!(k, Literal::String(s) if s == key)).map(|(_, v)| v);
    let descr = find("descr").ok_or_else(|| malformed("'descr' is missing"))?;
    let Literal::String(descr) = descr else {
        return Err("structured arrays (a record per element) are not supported; save one field at a time".into());
    };
    let (dtype, swapped) = element(descr)?;
    let Some(Literal::Boolean(fortran)) = find("fortran_order") else {
        return Err(malformed("'fortran_order' is not True or False"));
    };
    let Some(Literal::Tuple(dims) | Literal::List(dims)) = find("shape") else {
        return Err(malformed("'shape' is not a tuple"));
    };
    let shape = dims
        .iter()
        .map(|d| match d {
            Literal::Integer(i) => {
                i.to_string().parse::<usize>().map_err(|_| malformed("an extent is negative or absurd"))
            }
            _ => Err(malformed("an extent is not an integer")),
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Header { start, dtype, swapped, shape, fortran: *fortran })
}

fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0usize, 0usize);
    for b in text.bytes() {
        match b {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// The dtype of a type string such as `<f4`, and whether its bytes are in the other order.
fn element(descr: &str) -> Result<(DType, bool), String> {
    let unsupported = || format!("dtype '{descr}' is not supported");
    let parsed: TypeStr = descr.parse().map_err(|_| unsupported())?;
    use TypeChar as T;
    let dtype = match (parsed.type_char(), parsed.size_field()) {
        (T::Bool, 1) => DType::Bool,
        (T::Uint, 1) => DType::U8,
        (T::Uint, 2) => DType::U16,
        (T::Uint, 4) => DType::U32,
        (T::Uint, 8) => DType::U64,
        (T::Int, 1) => DType::I8,
        (T::Int, 2) => DType::I16,
        (T::Int, 4) => DType::I32,
        (T::Int, 8) => DType::I64,
        (T::Float, 2) => DType::F16,
        (T::Float, 4) => DType::F32,
        (T::Float, 8) => DType::F64,
        (T::Complex, 8) => DType::C64,
        (T::Complex, 16) => DType::C128,
        (T::RawData, 2) => DType::BF16, // how NumPy saves ml_dtypes.bfloat16
        (T::Object, _) => return Err("Python objects (pickled arrays) are not supported".into()),
        (T::ByteStr | T::UnicodeStr, _) => return Err("arrays of strings are not supported".into()),
        (T::DateTime | T::TimeDelta, _) => return Err("dates and times are not supported; save their integers".into()),
        _ => return Err(unsupported()),
    };
    let foreign = match parsed.endianness() {
        Endianness::Little => cfg!(target_endian = "big"),
        Endianness::Big => cfg!(target_endian = "little"),
        Endianness::Irrelevant => false,
    };
    Ok((dtype, foreign && dtype.size() > 1))
}

/// The header bytes of a C-ordered array, padded so that the elements start on a 64-byte boundary.
#[cfg(feature = "command")]
pub(super) fn header(dtype: DType, shape: &[usize]) -> Vec<u8> {
    let order = if cfg!(target_endian = "big") { '>' } else { '<' };
    let (order, kind) = match dtype {
        DType::Bool => ('|', "b1"),
        DType::U8 => ('|', "u1"),
        DType::I8 => ('|', "i1"),
        DType::U16 => (order, "u2"),
        DType::U32 => (order, "u4"),
        DType::U64 => (order, "u8"),
        DType::I16 => (order, "i2"),
        DType::I32 => (order, "i4"),
        DType::I64 => (order, "i8"),
        DType::F16 => (order, "f2"),
        DType::BF16 => (order, "V2"),
        DType::F32 => (order, "f4"),
        DType::F64 => (order, "f8"),
        DType::C64 => (order, "c8"),
        DType::C128 => (order, "c16"),
        DType::Opaque { .. } => ('|', "V1"),
    };
    let mut dims: String = shape.iter().map(|d| format!("{d}, ")).collect();
    if shape.len() > 1 {
        dims.truncate(dims.len() - 2);
    } else if shape.len() == 1 {
        dims.truncate(dims.len() - 1);
    }
    let dict = format!("{{'descr': '{order}{kind}', 'fortran_order': False, 'shape': ({dims}), }}");
    let long = dict.len() + 1 + 10 + 63 > usize::from(u16::MAX);
    let fixed = if long { 12 } else { 10 };
    let total = (fixed + dict.len() + 1).next_multiple_of(64);
    let mut out = b"\x93NUMPY".to_vec();
    out.extend(if long { [2, 0] } else { [1, 0] });
    let length = total - fixed;
    if long {
        out.extend((length as u32).to_le_bytes());
    } else {
        out.extend((length as u16).to_le_bytes());
    }
    out.extend(dict.as_bytes());
    out.resize(total - 1, b' ');
    out.push(b'\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_read_back() {
        for shape in [vec![], vec![3], vec![2, 0, 5]] {
            let bytes = header(DType::F32, &shape);
            assert_eq!(bytes.len() % 64, 0);
            let h = parse(&bytes).unwrap();
            assert_eq!((h.start, h.dtype, h.shape, h.fortran), (bytes.len(), DType::F32, shape, false));
        }
    }

    #[test]
    fn hostile_headers_are_refused() {
        let with = |dict: &str| {
            let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
            bytes.extend((dict.len() as u16).to_le_bytes());
            bytes.extend(dict.as_bytes());
            parse(&bytes)
        };
        assert!(with("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }").is_ok());
        for bad in [
            "",
            "{",
            "[1]",
            "{'descr': '<f4'}",
            "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '<f3', 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999,), }",
            "{'descr': '<f4', 'fortran_order': 1, 'shape': (3,), }",
        ] {
            assert!(with(bad).is_err(), "{bad}");
        }
        assert!(with(&"(".repeat(60_000)).is_err());
        assert!(parse(b"\x93NUMPY\x02\x00\xff\xff\xff\xff").is_err());
        assert!(parse(b"\x93NUMPY").is_err());
        assert!(parse(b"").is_err());
    }

    #[test]
    fn big_endian_is_seen() {
        assert_eq!(element(">i4"), Ok((DType::I32, cfg!(target_endian = "little"))));
        assert_eq!(element("|u1"), Ok((DType::U8, false)));
    }
}
