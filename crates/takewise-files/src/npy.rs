//! NumPy's `.npy`: a magic string, a header that is a Python dict, then the elements.

#[cfg(feature = "write")]
use takewise::DType;

use super::budget::{AXES, NPY_HEADER};
use super::foreign::{self, Element};
use super::literal::Literal;
use super::map::Placement;

/// The bytes a header lies in at most, with what comes before it.
pub(super) const MAX_PREFIX: usize = NPY_HEADER + 12;

/// What a header says: where the elements start, their order and type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    /// Bytes before the first element.
    pub start: usize,
    /// Element type.
    pub element: Element,
    /// Extents.
    pub shape: Vec<usize>,
    /// Whether the first axis varies fastest.
    pub fortran: bool,
}

/// What an npy file begins with.
pub(super) const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Where the elements of an array whose file image starts at byte `base` lie.
pub(super) fn placement(header: Header, base: usize) -> Placement {
    Placement {
        blocks: None,
        start: base.saturating_add(header.start),
        shape: header.shape,
        kind: header.element.kind,
        fortran: header.fortran,
        unit: header.element.unit,
    }
}

/// Reads the header at the start of `bytes`.
pub(super) fn parse(bytes: &[u8]) -> Result<Header, String> {
    let truncated = || "truncated: the npy header is cut off".to_owned();
    if !bytes.starts_with(MAGIC) {
        return Err("not an npy file: the magic string is missing".into());
    }
    let (major, length_bytes) = match bytes.get(6).ok_or_else(truncated)? {
        1 => (1, 2),
        v @ (2 | 3) => (*v, 4),
        v => return Err(format!("npy format version {v} is unknown")),
    };
    let field = bytes.get(8..8 + length_bytes).ok_or_else(truncated)?;
    let length = field.iter().rev().fold(0usize, |n, b| n << 8 | usize::from(*b));
    if length > NPY_HEADER {
        return Err(format!("the npy header claims {length} bytes; at most {NPY_HEADER} are read"));
    }
    let start = 8 + length_bytes + length;
    let text = bytes.get(8 + length_bytes..start).ok_or_else(truncated)?;
    let text: String = match major {
        3 => std::str::from_utf8(text).map_err(|_| "the npy header is not UTF-8")?.into(),
        _ => text.iter().map(|&b| char::from(b)).collect(),
    };
    dict(text.trim_end_matches(['\n', ' ', '\0']), start)
}

fn dict(text: &str, start: usize) -> Result<Header, String> {
    let malformed = |what: &str| format!("malformed npy header: {what}");
    let Literal::Dict(items) = Literal::parse(text).map_err(malformed)? else {
        return Err(malformed("it is not a dict"));
    };
    let find = |key: &str| items.iter().rev().find(|(k, _)| k.text() == Some(key)).map(|(_, v)| v);
    let descr = find("descr").ok_or_else(|| malformed("'descr' is missing"))?;
    let Some(Literal::Bool(fortran)) = find("fortran_order") else {
        return Err(malformed("'fortran_order' is not True or False"));
    };
    let Some(Literal::Tuple(dims) | Literal::List(dims)) = find("shape") else {
        return Err(malformed("'shape' is not a tuple"));
    };
    if items.iter().any(|(k, _)| !matches!(k.text(), Some("descr" | "fortran_order" | "shape"))) {
        return Err(malformed("it has another key than 'descr', 'fortran_order' and 'shape'"));
    }
    if dims.len() > AXES {
        return Err(format!("it has {} axes; at most {AXES} are read", dims.len()));
    }
    let extent = |d: &Literal| match d {
        Literal::Int(i) => {
            let extent = i.and_then(|i| usize::try_from(i).ok());
            extent.ok_or_else(|| malformed("an extent is negative or absurd"))
        }
        _ => Err(malformed("an extent is not an integer")),
    };
    let shape = dims.iter().map(extent).collect::<Result<Vec<_>, _>>()?;
    let element = foreign::element(descr)?;
    Ok(Header { start, element, shape, fortran: *fortran })
}

/// The header bytes of a C-ordered array, padded so that the elements start on a 64-byte boundary.
#[cfg(feature = "write")]
pub(super) fn header(dtype: DType, shape: &[usize]) -> Vec<u8> {
    let native = if cfg!(target_endian = "big") { '>' } else { '<' };
    let (order, kind) = match dtype {
        DType::Bool => ('|', "b1"),
        DType::U8 => ('|', "u1"),
        DType::I8 => ('|', "i1"),
        DType::U16 => (native, "u2"),
        DType::U32 => (native, "u4"),
        DType::U64 => (native, "u8"),
        DType::I16 => (native, "i2"),
        DType::I32 => (native, "i4"),
        DType::I64 => (native, "i8"),
        DType::F16 => (native, "f2"),
        DType::BF16 => (native, "V2"),
        DType::F32 => (native, "f4"),
        DType::F64 => (native, "f8"),
        DType::C64 => (native, "c8"),
        DType::C128 => (native, "c16"),
        DType::Opaque { .. } => (native, ""),
    };
    let descr = match dtype {
        DType::Opaque { .. } => foreign::descr(foreign::name(dtype), dtype.size()),
        _ => format!("'{order}{kind}'"),
    };
    let mut dims: String = shape.iter().map(|d| format!("{d}, ")).collect();
    if shape.len() > 1 {
        dims.truncate(dims.len() - 2);
    } else if shape.len() == 1 {
        dims.truncate(dims.len() - 1);
    }
    let dict = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': ({dims}), }}");
    let version: u8 = match dict.is_ascii() {
        false => 3,
        true if dict.len() + 1 + 10 + 63 > usize::from(u16::MAX) => 2,
        true => 1,
    };
    let fixed = if version > 1 { 12 } else { 10 };
    let total = (fixed + dict.len() + 1).next_multiple_of(64);
    let mut out = b"\x93NUMPY".to_vec();
    out.extend([version, 0]);
    let length = total - fixed;
    if version > 1 {
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
            assert_eq!((h.start, h.element.kind.name(), h.shape, h.fortran), (bytes.len(), "float32", shape, false));
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
    fn headers_of_python_2_and_of_records_are_read() {
        let with = |dict: &str| {
            let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
            bytes.extend((dict.len() as u16).to_le_bytes());
            bytes.extend(dict.as_bytes());
            parse(&bytes)
        };
        let h = with("{'descr': '<f8', 'fortran_order': False, 'shape': (2L, 3L), }").unwrap();
        assert_eq!((h.element.kind.name(), h.shape), ("float64", vec![2, 3]));
        let h = with("{'shape': (2,), 'descr': [('a', '<i2'), ('b', '<f8')], 'fortran_order': True}").unwrap();
        assert_eq!((h.element.kind.size(), h.fortran), (10, true));
    }

    /// Every bound of SECURITY.md on npy headers: what is within it is read, what is beyond is refused at once.
    #[test]
    fn bounds_hold() {
        let with = |dict: &str| {
            let mut bytes = b"\x93NUMPY\x02\x00".to_vec();
            bytes.extend((dict.len() as u32).to_le_bytes());
            bytes.extend(dict.as_bytes());
            parse(&bytes)
        };
        let shaped = |shape: &str| with(&format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({shape})}}"));
        let start = std::time::Instant::now();
        assert_eq!(shaped(&"1,".repeat(AXES)).unwrap().shape.len(), AXES);
        assert!(shaped(&"1,".repeat(AXES + 1)).unwrap_err().contains("65 axes"));
        assert!(shaped(&"1,".repeat(30_000)).unwrap_err().contains("30000 axes"));
        assert!(shaped(&"9".repeat(60_000)).is_err());
        assert!(shaped(&format!("1,{}", " ".repeat(NPY_HEADER))).unwrap_err().contains("at most 65536"));
        let nested = |n: usize| with(&format!("{{'descr': {}{}", "[".repeat(n), "]".repeat(n)));
        assert!(nested(16).is_err() && nested(60).is_err() && nested(30_000).unwrap_err().contains("too deeply"));
        assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    }
}
