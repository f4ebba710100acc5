//! What a column holds, as an array of numbers, dates, bytes or texts, or why it cannot be one.

use arrow_schema::{DataType, TimeUnit};
use takewise::DType;
use takewise_files::budget::{ELEMENT, NESTING};

use crate::error::{Error, Result};

/// The elements of a column: their dtype, and the extents of what stands in one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kind {
    /// Nothing for text, whose width is that of the longest.
    pub(crate) dtype: Option<DType>,
    pub(crate) inner: Vec<usize>,
}

/// What a column of an Arrow type holds.
///
/// # Errors
/// What it is that is no array of numbers, and what helps.
pub(crate) fn kind(given: &DataType) -> Result<Kind> {
    let (held, inner) = held(given)?;
    if is_text(held) && inner.is_empty() {
        return Ok(Kind { dtype: None, inner });
    }
    let dtype = element(held).ok_or_else(|| Error::new(refused(held)))?;
    Ok(Kind { dtype: Some(dtype), inner })
}

/// Whether these are texts, however they are stored.
pub(crate) fn is_text(given: &DataType) -> bool {
    match given {
        DataType::Dictionary(_, values) => is_text(values),
        _ => matches!(given, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View),
    }
}

/// What lists of a fixed length hold, and their lengths.
fn held(given: &DataType) -> Result<(&DataType, Vec<usize>)> {
    let mut inner = Vec::new();
    let mut held = given;
    loop {
        held = match held {
            // How values are stored does not change what they are.
            DataType::Dictionary(_, values) => values,
            DataType::FixedSizeList(field, n) if inner.len() < NESTING => {
                inner.push(usize::try_from(*n).map_err(|_| Error::new("has lists of a negative length"))?);
                field.data_type()
            }
            _ => break,
        };
    }
    Ok((held, inner))
}

/// The dtype of an element: that of a number, or of what is moved under NumPy's name for it.
fn element(given: &DataType) -> Option<DType> {
    number(given).or_else(|| match given {
        DataType::Timestamp(unit, None) => DType::foreign(&format!("datetime64[{}]", letters(*unit)), 8),
        DataType::Date32 => DType::foreign("datetime64[D]", 8),
        DataType::Date64 => DType::foreign("datetime64[ms]", 8),
        DataType::Duration(unit) => DType::foreign(&format!("timedelta64[{}]", letters(*unit)), 8),
        DataType::FixedSizeBinary(size) => {
            let size = usize::try_from(*size).ok().filter(|size| (1..=ELEMENT).contains(size))?;
            DType::foreign(&format!("|V{size}"), size)
        }
        _ => None,
    })
}

const UNITS: [TimeUnit; 4] = [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond];

/// What NumPy calls a unit of time.
fn letters(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    }
}

/// The type of an element that has a name of NumPy's.
fn named(name: &str) -> Option<DataType> {
    let of = |text: &str| UNITS.into_iter().find(|unit| text.strip_suffix(']') == Some(letters(*unit)));
    if name == "datetime64[D]" {
        return Some(DataType::Date32);
    }
    if let Some(unit) = name.strip_prefix("datetime64[").and_then(of) {
        return Some(DataType::Timestamp(unit, None));
    }
    if let Some(unit) = name.strip_prefix("timedelta64[").and_then(of) {
        return Some(DataType::Duration(unit));
    }
    name.strip_prefix("|V")?.parse().ok().filter(|size| *size > 0).map(DataType::FixedSizeBinary)
}

fn number(given: &DataType) -> Option<DType> {
    Some(match given {
        DataType::Boolean => DType::Bool,
        DataType::Int8 => DType::I8,
        DataType::Int16 => DType::I16,
        DataType::Int32 => DType::I32,
        DataType::Int64 => DType::I64,
        DataType::UInt8 => DType::U8,
        DataType::UInt16 => DType::U16,
        DataType::UInt32 => DType::U32,
        DataType::UInt64 => DType::U64,
        DataType::Float16 => DType::F16,
        DataType::Float32 => DType::F32,
        DataType::Float64 => DType::F64,
        _ => return None,
    })
}

/// The Arrow type of a dtype.
pub(crate) fn arrow(dtype: DType) -> Option<DataType> {
    Some(match dtype {
        DType::Bool => DataType::Boolean,
        DType::I8 => DataType::Int8,
        DType::I16 => DataType::Int16,
        DType::I32 => DataType::Int32,
        DType::I64 => DataType::Int64,
        DType::U8 => DataType::UInt8,
        DType::U16 => DataType::UInt16,
        DType::U32 => DataType::UInt32,
        DType::U64 => DataType::UInt64,
        DType::F16 => DataType::Float16,
        DType::F32 => DataType::Float32,
        DType::F64 => DataType::Float64,
        other => return named(other.name()),
    })
}

/// What a type is called.
pub(crate) fn name(given: &DataType) -> String {
    let (held, inner) = held(given).unwrap_or((given, Vec::new()));
    if let Some(dtype) = element(held) {
        return if inner.is_empty() { dtype.name().into() } else { format!("{} {inner:?}", dtype.name()) };
    }
    match held {
        held if is_text(held) && inner.is_empty() => "text".into(),
        held if is_text(held) => format!("text {inner:?}"),
        DataType::Struct(_) => "struct".into(),
        DataType::List(_) | DataType::LargeList(_) => "lists".into(),
        other => {
            let mut text = other.to_string();
            if let Some((at, _)) = text.char_indices().nth(60) {
                text.truncate(at);
                text.push_str("...");
            }
            text
        }
    }
}

fn refused(given: &DataType) -> String {
    use DataType as T;
    let (what, cure) = match given {
        T::Utf8 | T::LargeUtf8 | T::Utf8View => ("holds lists of text", "write their texts as columns"),
        T::Timestamp(..) => ("holds times of a zone", "cast it to UTC without the zone before it is written"),
        T::Time32(_) | T::Time64(_) | T::Interval(_) => {
            ("holds times of day or intervals", "cast it to int64 before it is written")
        }
        T::Decimal32(..) | T::Decimal64(..) | T::Decimal128(..) | T::Decimal256(..) => {
            ("holds decimal numbers", "cast it to float64 or int64 before it is written")
        }
        T::List(_) | T::LargeList(_) | T::ListView(_) | T::LargeListView(_) => {
            ("holds lists of any length", "lists of one length are read if they are written as a fixed-size list")
        }
        T::Struct(_) => ("holds structs", "write their fields as columns"),
        T::Map(..) => ("holds maps", "write their values as columns"),
        T::Null => ("holds nothing but nulls", "leave it out"),
        T::RunEndEncoded(..) => ("is run-end encoded", "decode it before it is written"),
        T::Binary | T::LargeBinary | T::BinaryView | T::FixedSizeBinary(_) => ("holds bytes", "write numbers"),
        _ => return format!("holds {}, which is no number", name(given)),
    };
    let shown = match given {
        T::Timestamp(..) | T::Decimal128(..) | T::Decimal256(..) => {
            format!(" ({})", name(given))
        }
        _ => String::new(),
    };
    format!("{what}{shown}, not numbers: {cure}")
}
