//! Element types that are only moved: what NumPy and ml_dtypes call them, and how files write them down.
//!
//! The name is the identity. It is what NumPy shows for the dtype (`datetime64[D]`, `<U5`, `[('a', '<i2')]`), or
//! ml_dtypes (`float8_e4m3fn`), and both file formats' own spelling is worked out from it again when one is saved.

use takewise::DType;

use super::budget::ELEMENT;
use super::literal::Literal;

/// The small floats of safetensors files, and what ml_dtypes and PyTorch call them. `F4` counts halves of bytes:
/// two of them are PyTorch's `float4_e2m1fn_x2`.
pub(super) const SMALL_FLOATS: [(&str, &str); 6] = [
    ("F8_E4M3", "float8_e4m3fn"),
    ("F8_E5M2", "float8_e5m2"),
    ("F8_E8M0", "float8_e8m0fnu"),
    ("F8_E4M3FNUZ", "float8_e4m3fnuz"),
    ("F8_E5M2FNUZ", "float8_e5m2fnuz"),
    ("F4", "float4_e2m1fn_x2"),
];

/// What an element is, before anybody asks for it: names of files that are only described are not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// The engine has arithmetic for it.
    Number(DType),
    /// It is moved, under this name.
    Moved {
        /// What NumPy or ml_dtypes call it.
        name: String,
        /// Bytes of one.
        size: usize,
    },
}

impl Kind {
    /// Bytes of one element.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Number(dtype) => dtype.size(),
            Self::Moved { size, .. } => *size,
        }
    }

    /// What it is called.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Number(dtype) => dtype.name(),
            Self::Moved { name, .. } => name,
        }
    }

    /// The same elements in the other byte order.
    pub(super) fn swapped(&self) -> Self {
        let name = match self {
            Self::Number(dtype) => return Self::Number(dtype.swapped()),
            Self::Moved { name, .. } => name,
        };
        let order = if cfg!(target_endian = "big") { '<' } else { '>' };
        let unit = |kind| name.strip_prefix(kind);
        let name = match (unit("datetime64"), unit("timedelta64")) {
            (Some(unit), _) => format!("{order}M8{unit}"),
            (_, Some(unit)) => format!("{order}m8{unit}"),
            _ => name.clone(),
        };
        Self::Moved { name, size: self.size() }
    }

    /// The dtype of a tensor of such elements.
    ///
    /// # Errors
    /// An element larger than the engine moves.
    pub(super) fn dtype(&self) -> Result<DType, String> {
        match self {
            Self::Number(dtype) => Ok(*dtype),
            Self::Moved { name, size } => {
                DType::foreign(name, *size).ok_or_else(|| format!("elements of {size} bytes are too large"))
            }
        }
    }
}

/// An element type of an npy header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Element {
    /// What it is here.
    pub kind: Kind,
    /// The bytes that must be turned round for it, as units of so many; 1 where none.
    pub unit: usize,
}

impl Element {
    fn number(dtype: DType, unit: usize) -> Self {
        Self { kind: Kind::Number(dtype), unit }
    }

    fn moved(name: impl Into<String>, size: usize, unit: usize) -> Self {
        Self { kind: Kind::Moved { name: name.into(), size }, unit }
    }
}

/// The element type of a `descr`: a type string, or a list of fields.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn element(descr: &Literal) -> Result<Element, String> {
    if let Some(text) = descr.text() {
        return of_text(text);
    }
    let size = size_of(descr)?;
    Ok(Element::moved(descr.to_string(), size, 1))
}

/// A type string in its parts: byte order, kind, and the rest.
fn parts(text: &str) -> (char, char, &str) {
    let order = text.chars().next().filter(|c| matches!(c, '<' | '>' | '=' | '|'));
    let rest = &text[order.map_or(0, char::len_utf8)..];
    let kind = rest.chars().next().unwrap_or('\0');
    (order.unwrap_or('='), kind, &rest[kind.len_utf8().min(rest.len())..])
}

fn of_text(text: &str) -> Result<Element, String> {
    if let Some(dtype) = DType::from_name(text) {
        return Ok(Element::number(dtype, 1));
    }
    let unsupported = || format!("dtype '{text}' is not supported");
    let (order, kind, rest) = parts(text);
    let swapped = if cfg!(target_endian = "big") { order == '<' } else { order == '>' };
    if matches!(kind, 'M' | 'm') {
        let name = if kind == 'M' { "datetime64" } else { "timedelta64" };
        let unit = rest.strip_prefix('8').filter(|unit| is_unit(unit)).ok_or_else(unsupported)?;
        return Ok(Element::moved(format!("{name}{unit}"), 8, if swapped { 8 } else { 1 }));
    }
    let (kind, size) = match rest {
        "" => code(kind).ok_or_else(unsupported)?,
        digits => (kind, digits.parse::<usize>().map_err(|_| unsupported())?),
    };
    let known = match (kind, size) {
        ('b', 1) => DType::Bool,
        ('u', 1) => DType::U8,
        ('u', 2) => DType::U16,
        ('u', 4) => DType::U32,
        ('u', 8) => DType::U64,
        ('i', 1) => DType::I8,
        ('i', 2) => DType::I16,
        ('i', 4) => DType::I32,
        ('i', 8) => DType::I64,
        ('f', 2) => DType::F16,
        ('f', 4) => DType::F32,
        ('f', 8) => DType::F64,
        ('c', 8) => DType::C64,
        ('c', 16) => DType::C128,
        ('V', 2) => DType::BF16, // how NumPy saves ml_dtypes.bfloat16
        ('O', _) => return Err("Python objects (pickled arrays) are not supported".into()),
        _ => return moved(order, kind, size).ok_or_else(unsupported),
    };
    let unit = match (swapped, kind) {
        (false, _) | (_, 'V') => 1,
        (true, 'c') => size / 2,
        (true, _) => size,
    };
    Ok(Element::number(known, unit))
}

/// What NumPy has and the engine has no arithmetic for.
fn moved(order: char, kind: char, size: usize) -> Option<Element> {
    let little = if order == '>' { '>' } else { '<' };
    let (name, size) = match (kind, size) {
        ('f', 1) => ("float8_e5m2".to_owned(), 1), // how NumPy saves ml_dtypes.float8_e5m2
        ('f', 12 | 16) if little == '<' => (format!("float{}", 8 * size), size),
        ('c', 24 | 32) if little == '<' => (format!("complex{}", 8 * size), size),
        ('f', 12 | 16) | ('c', 24 | 32) => (format!(">{kind}{size}"), size),
        ('S' | 'a', _) => (format!("|S{size}"), size),
        ('V', _) => (format!("|V{size}"), size),
        ('U', _) => (format!("{little}U{size}"), size.checked_mul(4)?),
        _ => return None,
    };
    (size > 0 && size <= ELEMENT).then(|| Element::moved(name, size, 1))
}

/// The kind and size of a type code of one letter.
fn code(letter: char) -> Option<(char, usize)> {
    Some(match letter {
        '?' => ('b', 1),
        'B' => ('u', 1),
        'H' => ('u', 2),
        'I' => ('u', 4),
        'L' | 'Q' => ('u', 8),
        'b' => ('i', 1),
        'h' => ('i', 2),
        'i' => ('i', 4),
        'l' | 'q' => ('i', 8),
        'e' => ('f', 2),
        'f' => ('f', 4),
        'd' => ('f', 8),
        'F' => ('c', 8),
        'D' => ('c', 16),
        'O' => ('O', 8),
        _ => return None,
    })
}

/// Whether this is the unit of a date: nothing, `[D]`, `[25s]`.
fn is_unit(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) else { return text.is_empty() };
    let letters = inner.trim_start_matches(|c: char| c.is_ascii_digit());
    inner.len() - letters.len() < 10
        && matches!(letters, "Y" | "M" | "W" | "D" | "h" | "m" | "s" | "ms" | "us" | "μs" | "ns" | "ps" | "fs" | "as")
}

/// The bytes of one record.
fn size_of(descr: &Literal) -> Result<usize, String> {
    let malformed = || "malformed npy header: 'descr' is neither a type string nor a list of fields".to_owned();
    if let Some(text) = descr.text() {
        // `|V7` in front of a field is a gap; nothing is a field too, for the sum.
        let (_, kind, rest) = parts(text);
        return match (kind, rest.parse::<usize>()) {
            ('V' | 'S' | 'a', Ok(size)) if size <= ELEMENT => Ok(size),
            ('U', Ok(size)) if size <= ELEMENT / 4 => Ok(size * 4),
            _ => of_text(text).map(|e| e.kind.size()),
        };
    }
    let Literal::List(fields) = descr else { return Err(malformed()) };
    let mut size = 0usize;
    for field in fields {
        let Literal::Tuple(parts) = field else { return Err(malformed()) };
        let (name, kind, shape) = match &parts[..] {
            [name, kind] => (name, kind, None),
            [name, kind, shape] => (name, kind, Some(shape)),
            _ => return Err(malformed()),
        };
        let named = match name {
            Literal::Str(_) => true,
            Literal::Tuple(names) => names.len() == 2 && names.iter().all(|n| n.text().is_some()),
            _ => false,
        };
        if !named {
            return Err(malformed());
        }
        let one = std::slice::from_ref(shape.unwrap_or(&Literal::Int(Some(1))));
        let extents = match shape {
            Some(Literal::Tuple(extents)) => &extents[..],
            _ => one,
        };
        let mut bytes = size_of(kind)?;
        for extent in extents {
            let Literal::Int(Some(extent)) = extent else { return Err(malformed()) };
            let extent = usize::try_from(*extent).map_err(|_| malformed())?;
            bytes = bytes.saturating_mul(extent);
        }
        size = size.saturating_add(bytes);
    }
    match size {
        0 => Err("its records have no bytes".into()),
        size if size > ELEMENT => Err(format!("its records are larger than {ELEMENT} bytes")),
        size => Ok(size),
    }
}

/// The whole name of a dtype.
#[cfg(feature = "write")]
pub(super) fn name(dtype: DType) -> &'static str {
    takewise::foreign::full_name(dtype).unwrap_or_else(|| dtype.name())
}

/// The `descr` of a dtype of this module, as npy headers spell it.
#[cfg(feature = "write")]
pub(super) fn descr(name: &str, size: usize) -> String {
    let order = if cfg!(target_endian = "big") { '>' } else { '<' };
    if name.starts_with('[') {
        return name.to_owned();
    }
    let text = match name {
        "float8_e5m2" => format!("{order}f1"),
        "float96" | "float128" => format!("{order}f{size}"),
        "complex192" | "complex256" => format!("{order}c{size}"),
        _ if name.starts_with(['<', '>', '|']) => name.to_owned(),
        _ => match (name.strip_prefix("datetime64"), name.strip_prefix("timedelta64")) {
            (Some(unit), _) => format!("{order}M8{unit}"),
            (_, Some(unit)) => format!("{order}m8{unit}"),
            _ => format!("{}V{size}", if name.starts_with("float8") { order } else { '|' }),
        },
    };
    format!("'{text}'")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Element, String> {
        element(&Literal::parse(text).unwrap())
    }

    #[test]
    fn numbers_in_every_order_and_spelling() {
        let little = cfg!(target_endian = "little");
        for (text, dtype) in [
            ("'<i4'", DType::I32),
            ("'=i4'", DType::I32),
            ("'|i4'", DType::I32),
            ("'i4'", DType::I32),
            ("'int32'", DType::I32),
            ("'|b1'", DType::Bool),
            ("'?'", DType::Bool),
            ("'<q'", DType::I64),
            ("'|u1'", DType::U8),
            ("'<V2'", DType::BF16),
            ("'d'", DType::F64),
            ("'<c8'", DType::C64),
        ] {
            assert_eq!(read(text), Ok(Element::number(dtype, 1)), "{text}");
        }
        if little {
            assert_eq!(read("'>i4'"), Ok(Element::number(DType::I32, 4)));
            assert_eq!(read("'>c16'"), Ok(Element::number(DType::C128, 8)));
            assert_eq!(read("'>u1'"), Ok(Element::number(DType::U8, 1)));
        }
    }

    #[test]
    fn what_is_only_moved_has_its_size() {
        for (text, size) in [
            ("'<M8[D]'", 8),
            ("'<m8[25s]'", 8),
            ("'<m8'", 8),
            ("'|S3'", 3),
            ("'<U5'", 20),
            ("'<f16'", 16),
            ("'<c32'", 32),
            ("'|V7'", 7),
            ("'<f1'", 1),
            ("'<V1'", 1),
            ("[('a', '<i2'), ('b', '>f8', (2,))]", 18),
            ("[('a', '|u1'), ('', '|V7'), (('title', 'b'), '<f8'), ('c', [('d', '|S0'), ('e', '<U1')], 3)]", 28),
        ] {
            assert_eq!(read(text).map(|e| e.kind.size()), Ok(size), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_an_element_is_refused() {
        for text in [
            "'|O'",
            "'<f3'",
            "'<M8[x]'",
            "'<M4'",
            "'|S0'",
            "'|V0'",
            "''",
            "'<'",
            "'é9'",
            "'<U99999999999999999999'",
            "'<U4611686018427387904'",
            "[]",
            "[('a', '|O')]",
            "[('a',)]",
            "[('a', '<i2', (-1,))]",
            "[('a', '<i2', (4611686018427387904, 4))]",
            "[5]",
            "5",
            "[(5, '<i2')]",
            "[('a', '|V16777216'), ('b', '<i2')]",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    #[cfg(all(feature = "write", target_endian = "little"))]
    fn spellings_come_back() {
        for (name, text) in [
            ("datetime64[25s]", "'<M8[25s]'"),
            ("timedelta64", "'<m8'"),
            ("<U5", "'<U5'"),
            ("float128", "'<f16'"),
            ("float8_e5m2", "'<f1'"),
            ("float8_e4m3fn", "'<V1'"),
            ("[('a', '<i2')]", "[('a', '<i2')]"),
            ("record", "'|V1'"),
        ] {
            assert_eq!(descr(name, if name == "float128" { 16 } else { 1 }), text);
        }
    }
}
