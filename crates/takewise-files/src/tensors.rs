//! `.safetensors`: a JSON header and contiguous little-endian data.
//!
//! The header is read here and not by the safetensors crate, which gives up a whole file for one tensor it does not
//! know. What the crate checks of the file as a whole is checked too.

use std::collections::HashSet;
use std::marker::PhantomData;
use std::path::Path;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use takewise::DType;

use super::budget::{AXES, JSON_HEADER};
use super::foreign::{self, Kind};
use super::map::{Map, Placement};
use super::{FileError, Flaw};

/// A tensor of the header: its name, and where it lies or why it cannot be read.
pub(super) type Listed = (String, Result<Placement, String>);

/// The tensors of a file, in the order their data lies, and what is wrong with the file as a whole.
///
/// # Errors
/// A header that cannot be read.
pub(super) fn open(path: &Path, map: &Map) -> Result<(Vec<Listed>, Option<Flaw>), FileError> {
    let fail = |text: String| FileError::new(path, format!("not a readable safetensors file: {text}"));
    let bytes = map.bytes();
    let length = bytes.first_chunk::<8>().map(|n| u64::from_le_bytes(*n));
    let length = length.ok_or_else(|| fail("it is shorter than a header".into()))?;
    let length = usize::try_from(length).ok().filter(|&n| n <= JSON_HEADER);
    let length = length.ok_or_else(|| fail(format!("its header is longer than {JSON_HEADER} bytes")))?;
    let header = bytes.get(8..8 + length).ok_or_else(|| fail("its header is cut off".into()))?;
    let header = std::str::from_utf8(header).map_err(|_| fail("its header is not UTF-8".into()))?;
    let Members::<&RawValue>(members) =
        serde_json::from_str(header).map_err(|e| fail(format!("its header is malformed: {e}")))?;
    let base = 8 + length;
    let have = (bytes.len() - base) as u64;
    let mut seen = HashSet::new();
    let mut listed: Vec<(Option<[u64; 2]>, Listed)> = Vec::with_capacity(members.len());
    for (name, text) in members.into_iter().filter(|(name, _)| name != "__metadata__") {
        let parsed = serde_json::from_str::<Info<'_>>(text.get());
        let offsets = parsed.as_ref().ok().map(|info| info.data_offsets);
        let mut place = match parsed {
            Ok(info) => placement(&info, base, have),
            Err(e) => Err(format!("its entry in the header is malformed: {e}")),
        };
        if !seen.insert(name.clone()) {
            place = Err("its name is there twice".into());
        }
        listed.push((offsets, (name, place)));
    }
    listed.sort_by_key(|(offsets, _)| offsets.unwrap_or([u64::MAX; 2]));
    let wrong = coverage(&mut listed, have);
    Ok((listed.into_iter().map(|(_, member)| member).collect(), wrong))
}

/// Checks that the data is covered without gaps, and marks those that share bytes with another.
fn coverage(listed: &mut [(Option<[u64; 2]>, Listed)], have: u64) -> Option<Flaw> {
    let (mut end, mut gap, mut last, mut unknown) = (0, false, None, false);
    for at in 0..listed.len() {
        let Some([from, to]) = listed[at].0 else {
            unknown = true; // what a malformed entry covers, nobody can say
            continue;
        };
        if from < end && from < to {
            let text = || Err("its data overlaps that of another tensor".to_owned());
            listed[at].1.1 = text();
            if let Some(last) = last {
                let other: &mut (_, Listed) = &mut listed[last];
                other.1.1 = text();
            }
        }
        gap |= from > end;
        if to > end {
            (end, last) = (to, Some(at));
        }
    }
    match () {
        // Tensors in front of the cut are whole.
        () if end > have => {
            let text = format!("truncated, not fully covered: its tensors need {end} bytes, the file has {have}");
            Some(Flaw { text, spoils_all: false })
        }
        () if !unknown && (gap || end < have) => {
            let text = format!("its data is not fully covered: {have} bytes, tensors up to {end}");
            Some(Flaw { text, spoils_all: true })
        }
        () => None,
    }
}

fn placement(info: &Info<'_>, base: usize, have: u64) -> Result<Placement, String> {
    let [from, to] = info.data_offsets;
    let Shape(shape) = &info.shape;
    if shape.len() > AXES {
        return Err(format!("it has more than {AXES} axes"));
    }
    let (kind, shape) = element(&info.dtype, shape.clone())?;
    let start = usize::try_from(from).ok().and_then(|from| base.checked_add(from));
    let mut placement = Placement::contiguous(start.ok_or("it lies beyond the end of any file")?, shape, kind);
    let end = usize::try_from(to).ok().and_then(|to| base.checked_add(to));
    if end.is_none() || placement.end() != end {
        return Err(format!(
            "shape {:?} of {} does not take the bytes {from} to {to} that are given for it",
            placement.shape,
            placement.kind.name()
        ));
    }
    if to > have {
        return Err(format!("truncated: it lies at bytes {from} to {to}, the file has {have}"));
    }
    if let (true, Kind::Number(dtype)) = (cfg!(target_endian = "big"), &placement.kind) {
        placement.unit = if dtype.is_complex() { dtype.size() / 2 } else { dtype.size() };
    }
    Ok(placement)
}

/// The dtype of a name of the format, and the shape in elements of it.
fn element(name: &str, mut shape: Vec<usize>) -> Result<(Kind, Vec<usize>), String> {
    if let Some((_, dtype)) = PAIRS.iter().find(|(n, _)| *n == name) {
        return Ok((Kind::Number(*dtype), shape));
    }
    let small = foreign::SMALL_FLOATS.iter().find(|(n, _)| *n == name);
    let (_, known) = small.ok_or_else(|| format!("dtype {name} is not supported"))?;
    if name == "F4" {
        let last = shape.last_mut().filter(|n| **n % 2 == 0);
        *last.ok_or("dtype F4 is read two by two, and its last extent is odd")? /= 2;
    }
    Ok((Kind::Moved { name: (*known).to_owned(), size: 1 }, shape))
}

/// The header of a file with these tensors, and the order their data must be written in: large elements first, so
/// that all lie on multiples of their size.
///
/// # Errors
/// A dtype the format does not have.
#[cfg(feature = "write")]
pub(super) fn header(tensors: &[(&str, DType, &[usize])]) -> Result<(Vec<u8>, Vec<usize>), String> {
    let mut order: Vec<usize> = (0..tensors.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(tensors[i].1.size()));
    let (mut text, mut at) = (String::from("{"), 0usize);
    for &i in &order {
        let (key, dtype, shape) = tensors[i];
        let name = name(dtype).ok_or_else(|| format!("safetensors has no dtype {}; use .npy", dtype.name()))?;
        let mut shape = shape.to_vec();
        let end = shape.iter().try_fold(dtype.size(), |n, &d| n.checked_mul(d)).and_then(|n| at.checked_add(n));
        let end = end.ok_or("the tensors are larger than any file")?;
        if name == "F4" {
            *shape.last_mut().ok_or("safetensors counts F4 two by two; a single pair has no shape there")? *= 2;
        }
        let key = serde_json::to_string(key).map_err(|e| e.to_string())?;
        let comma = if text.len() > 1 { "," } else { "" };
        text += &format!("{comma}{key}:{{\"dtype\":\"{name}\",\"shape\":{shape:?},\"data_offsets\":[{at},{end}]}}");
        at = end;
    }
    text.push('}');
    let padded = text.len().next_multiple_of(8);
    let mut out = (padded as u64).to_le_bytes().to_vec();
    out.extend(text.bytes());
    out.resize(8 + padded, b' ');
    Ok((out, order))
}

/// The format's name for a dtype, where it has one.
#[cfg(feature = "write")]
fn name(dtype: DType) -> Option<&'static str> {
    let small = || foreign::SMALL_FLOATS.iter().find(|(_, n)| *n == foreign::name(dtype)).map(|(n, _)| *n);
    PAIRS.iter().find(|(_, d)| *d == dtype).map(|(n, _)| *n).or_else(small)
}

const PAIRS: [(&str, DType); 14] = [
    ("BOOL", DType::Bool),
    ("U8", DType::U8),
    ("U16", DType::U16),
    ("U32", DType::U32),
    ("U64", DType::U64),
    ("I8", DType::I8),
    ("I16", DType::I16),
    ("I32", DType::I32),
    ("I64", DType::I64),
    ("F16", DType::F16),
    ("BF16", DType::BF16),
    ("F32", DType::F32),
    ("F64", DType::F64),
    ("C64", DType::C64),
];

/// What the header says of one tensor.
#[derive(Deserialize)]
struct Info<'t> {
    #[serde(borrow)]
    dtype: std::borrow::Cow<'t, str>,
    shape: Shape,
    data_offsets: [u64; 2],
}

/// Extents, one more than are allowed at most: a hostile list of millions is not kept.
struct Shape(Vec<usize>);

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Extents;
        impl<'de> Visitor<'de> for Extents {
            type Value = Shape;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of extents")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Shape, A::Error> {
                let mut shape = Vec::new();
                while let Some(extent) = items.next_element()? {
                    if shape.len() <= AXES {
                        shape.push(extent);
                    }
                }
                Ok(Shape(shape))
            }
        }
        from.deserialize_seq(Extents)
    }
}

/// The members of an object as they stand in it, names that come twice included.
pub(super) struct Members<V>(pub Vec<(String, V)>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Members<V> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Names<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Names<V> {
            type Value = Members<V>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object of tensors")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut items: A) -> Result<Members<V>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = items.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        from.deserialize_map(Names(PhantomData))
    }
}
