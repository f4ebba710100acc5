//! `.gguf`: the model files of llama.cpp. Names and values, then a list of tensors, then their data.
//!
//! The list is read here: the crates that read it bring sixty others, and make room for whatever length a file claims. Tensors of
//! numbers are arrays like others. Quantised ones are rows of blocks of bytes, as the format's own Python package gives them:
//! who knows the kind of block unpacks those rows that were asked for. The layout is described in `docs/gguf.md` of ggml.

use std::collections::HashSet;
use std::path::Path;

use takewise::DType;

use super::FileError;
use super::budget::{AXES, NESTING};
use super::foreign::Kind;
use super::map::{Map, Placement};
use super::tensors::Listed;

pub(super) const MAGIC: &[u8] = b"GGUF";

/// What its data lies on multiples of, where no value says otherwise.
const ALIGNMENT: u64 = 32;

/// The kinds of elements: the format's number, what they are called there, and what a block holds.
const KINDS: [(u32, &str, Held); 34] = [
    (0, "F32", Held::Numbers(DType::F32)),
    (1, "F16", Held::Numbers(DType::F16)),
    (2, "Q4_0", Held::Block(32, 18)),
    (3, "Q4_1", Held::Block(32, 20)),
    (6, "Q5_0", Held::Block(32, 22)),
    (7, "Q5_1", Held::Block(32, 24)),
    (8, "Q8_0", Held::Block(32, 34)),
    (9, "Q8_1", Held::Block(32, 40)),
    (10, "Q2_K", Held::Block(256, 84)),
    (11, "Q3_K", Held::Block(256, 110)),
    (12, "Q4_K", Held::Block(256, 144)),
    (13, "Q5_K", Held::Block(256, 176)),
    (14, "Q6_K", Held::Block(256, 210)),
    (15, "Q8_K", Held::Block(256, 292)),
    (16, "IQ2_XXS", Held::Block(256, 66)),
    (17, "IQ2_XS", Held::Block(256, 74)),
    (18, "IQ3_XXS", Held::Block(256, 98)),
    (19, "IQ1_S", Held::Block(256, 50)),
    (20, "IQ4_NL", Held::Block(32, 18)),
    (21, "IQ3_S", Held::Block(256, 110)),
    (22, "IQ2_S", Held::Block(256, 82)),
    (23, "IQ4_XS", Held::Block(256, 136)),
    (24, "I8", Held::Numbers(DType::I8)),
    (25, "I16", Held::Numbers(DType::I16)),
    (26, "I32", Held::Numbers(DType::I32)),
    (27, "I64", Held::Numbers(DType::I64)),
    (28, "F64", Held::Numbers(DType::F64)),
    (29, "IQ1_M", Held::Block(256, 56)),
    (30, "BF16", Held::Numbers(DType::BF16)),
    (34, "TQ1_0", Held::Block(256, 54)),
    (35, "TQ2_0", Held::Block(256, 66)),
    (39, "MXFP4", Held::Block(32, 17)),
    (40, "NVFP4", Held::Block(64, 36)),
    (41, "Q1_0", Held::Block(128, 18)),
];

/// What stands for elements.
#[derive(Clone, Copy)]
enum Held {
    /// Each is a number.
    Numbers(DType),
    /// So many of them are a block of so many bytes.
    Block(usize, usize),
}

/// The tensors of a file, in the order its list has them.
///
/// # Errors
/// A list that cannot be read.
pub(super) fn open(path: &Path, map: &Map) -> Result<Vec<Listed>, FileError> {
    let listed = Cursor::of(map.bytes()).and_then(|mut cursor| cursor.tensors());
    listed.map_err(|text| FileError::new(path, format!("not a readable GGUF file: {text}")))
}

/// What was read of a file so far. Each step takes bytes of it, so the work is linear in its length.
struct Cursor<'t> {
    bytes: &'t [u8],
    at: usize,
    /// Whether numbers have their high bytes first.
    big: bool,
    count: u64,
    alignment: u64,
}

/// Bytes of a value of the format's types 0 to 12; texts (8) and lists (9) say their lengths themselves.
const VALUES: [usize; 13] = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];
const TEXT: u32 = 8;
const LIST: u32 = 9;

impl<'t> Cursor<'t> {
    /// Reads up to the list of tensors.
    fn of(bytes: &'t [u8]) -> Result<Self, String> {
        let version = bytes.get(4..8).and_then(|b| b.first_chunk::<4>()).ok_or("its header is cut off")?;
        // Versions are small, so what is large has its bytes the other way round.
        let big = u32::from_le_bytes(*version) > 0xffff;
        let mut cursor = Cursor { bytes, at: 4, big, count: 0, alignment: ALIGNMENT };
        let version = cursor.small()?;
        if !(2..=3).contains(&version) {
            return Err(format!("it is of version {version}, and 2 and 3 are read"));
        }
        cursor.count = cursor.large()?;
        for _ in 0..cursor.large()? {
            cursor.value()?;
        }
        Ok(cursor)
    }

    fn take(&mut self, count: u64) -> Result<&'t [u8], String> {
        let end = usize::try_from(count).ok().and_then(|n| self.at.checked_add(n));
        let taken = end.and_then(|end| self.bytes.get(self.at..end)).ok_or("its header is cut off")?;
        self.at += taken.len();
        Ok(taken)
    }

    fn small(&mut self) -> Result<u32, String> {
        let bytes = *self.take(4)?.first_chunk::<4>().ok_or("its header is cut off")?;
        Ok(if self.big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }

    fn large(&mut self) -> Result<u64, String> {
        let bytes = *self.take(8)?.first_chunk::<8>().ok_or("its header is cut off")?;
        Ok(if self.big { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) })
    }

    fn text(&mut self) -> Result<&'t str, String> {
        let length = self.large()?;
        std::str::from_utf8(self.take(length)?).map_err(|_| "a name in it is not UTF-8".into())
    }

    /// A name and its value, of which only the alignment matters here.
    fn value(&mut self) -> Result<(), String> {
        let (name, kind) = (self.text()?, self.small()?);
        if name != "general.alignment" {
            return self.skip(kind, NESTING);
        }
        let alignment = if kind == 4 { u64::from(self.small()?) } else { 0 };
        if !alignment.is_power_of_two() {
            return Err("its alignment is not a power of two".into());
        }
        self.alignment = alignment;
        Ok(())
    }

    fn skip(&mut self, kind: u32, depth: usize) -> Result<(), String> {
        match kind {
            TEXT => self.large().and_then(|length| self.take(length)).map(drop),
            LIST => {
                let depth = depth.checked_sub(1).ok_or("lists in it lie too deep in each other")?;
                let (kind, count) = (self.small()?, self.large()?);
                if matches!(kind, TEXT | LIST) {
                    return (0..count).try_for_each(|_| self.skip(kind, depth));
                }
                self.take(count.saturating_mul(width(kind)?)).map(drop)
            }
            _ => self.take(width(kind)?).map(drop),
        }
    }

    fn tensors(&mut self) -> Result<Vec<Listed>, String> {
        let (mut seen, mut listed) = (HashSet::new(), Vec::new());
        for _ in 0..self.count {
            let name = self.text()?;
            let axes = self.small()?;
            let mut shape = Vec::new();
            for _ in 0..axes {
                // One more than are allowed at most: a hostile list of millions is not kept.
                let extent = self.large()?;
                if shape.len() <= AXES {
                    shape.push(extent);
                }
            }
            let (kind, offset) = (self.small()?, self.large()?);
            let place = match seen.insert(name) {
                true => placement(shape, kind, offset),
                false => Err("its name is there twice".into()),
            };
            listed.push((name.to_owned(), place));
        }
        // The data begins behind the list, on a multiple of the alignment, and offsets count from there.
        let alignment = usize::try_from(self.alignment).map_err(|_| "its alignment is too large")?;
        let base = self.at.checked_next_multiple_of(alignment).ok_or("its alignment is too large")?;
        for (_, place) in &mut listed {
            if let Ok(there) = place {
                match there.start.checked_add(base) {
                    Some(start) if there.start % alignment == 0 => there.start = start,
                    Some(_) => *place = Err(format!("its data does not lie on a multiple of {alignment} bytes")),
                    None => *place = Err("it lies beyond the end of any file".into()),
                }
            }
            if let (Ok(Placement { kind: Kind::Number(dtype), unit, .. }), true) = (place, self.turned()) {
                *unit = dtype.size();
            }
        }
        Ok(listed)
    }

    /// Whether numbers are in the other byte order than this machine's.
    fn turned(&self) -> bool {
        self.big != cfg!(target_endian = "big")
    }
}

fn width(kind: u32) -> Result<u64, String> {
    let width = usize::try_from(kind).ok().and_then(|kind| VALUES.get(kind)).filter(|width| **width > 0);
    width.map(|width| *width as u64).ok_or_else(|| format!("a value in it is of the unknown type {kind}"))
}

/// Where a tensor lies, counted from where the data begins. The format's first axis varies fastest: it is the last one here.
fn placement(shape: Vec<u64>, kind: u32, offset: u64) -> Result<Placement, String> {
    if shape.len() > AXES {
        return Err(format!("it has more than {AXES} axes"));
    }
    let beyond = |_| "it lies beyond the end of any file".to_owned();
    let mut shape: Vec<usize> =
        shape.into_iter().rev().map(usize::try_from).collect::<Result<_, _>>().map_err(beyond)?;
    let start = usize::try_from(offset).map_err(beyond)?;
    let known = KINDS.iter().find(|(number, ..)| *number == kind);
    let (_, name, held) = known.ok_or_else(|| format!("its elements are of the unknown type {kind}"))?;
    match held {
        Held::Numbers(dtype) => Ok(Placement::contiguous(start, shape, Kind::Number(*dtype))),
        Held::Block(elements, bytes) => {
            let last = shape.last_mut().filter(|extent| **extent % elements == 0);
            let last = last.ok_or_else(|| format!("its rows are not whole blocks of {elements} elements"))?;
            *last = (*last / elements).checked_mul(*bytes).ok_or("it lies beyond the end of any file")?;
            Ok(Placement { blocks: Some(name), ..Placement::contiguous(start, shape, Kind::Number(DType::U8)) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileArray, Mode, RawSpec, open};

    fn text(out: &mut Vec<u8>, text: &str) {
        out.extend((text.len() as u64).to_le_bytes());
        out.extend(text.bytes());
    }

    /// A header of values as they are given, and of tensors: name, shape, type, offset.
    fn header(values: &[&[u8]], tensors: &[(&str, &[u64], u32, u64)]) -> Vec<u8> {
        let mut out = [MAGIC, &3u32.to_le_bytes(), &(tensors.len() as u64).to_le_bytes()].concat();
        out.extend((values.len() as u64).to_le_bytes());
        out.extend(values.concat());
        for (name, shape, kind, offset) in tensors {
            text(&mut out, name);
            out.extend((shape.len() as u32).to_le_bytes());
            shape.iter().for_each(|n| out.extend(n.to_le_bytes()));
            out.extend(kind.to_le_bytes());
            out.extend(offset.to_le_bytes());
        }
        out
    }

    fn value(name: &str, kind: u32, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        text(&mut out, name);
        [&out[..], &kind.to_le_bytes(), bytes].concat()
    }

    fn file(bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.gguf");
        std::fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    #[test]
    fn tensors_and_blocks_are_arrays() {
        let words =
            value("words", LIST, &[&8u32.to_le_bytes()[..], &1u64.to_le_bytes(), &2u64.to_le_bytes(), b"hi"].concat());
        let alignment = value("general.alignment", 4, &64u32.to_le_bytes());
        let tensors: [(&str, &[u64], u32, u64); 3] =
            [("f", &[3, 2], 0, 0), ("q", &[64, 2], 2, 64), ("odd", &[40, 1], 2, 64)];
        let mut bytes = header(&[&words, &alignment], &tensors);
        bytes.resize(bytes.len().next_multiple_of(64), 0);
        bytes.extend((0..16).flat_map(|k| (k as f32).to_le_bytes()));
        bytes.extend(0..72u8);
        let (_folder, path) = file(&bytes);
        let raw = RawSpec::default();
        let f = FileArray::open(&path, Some("f"), &raw, Mode::Read).unwrap();
        assert_eq!((f.shape(), f.dtype(), f.blocks()), (&[2, 3][..], DType::F32, None));
        let row = f.index(&takewise::ix![1], &takewise::Rules::NEUTRAL).unwrap();
        assert_eq!(row.to_vec::<f32>().unwrap(), [3.0, 4.0, 5.0]);
        let q = FileArray::open(&path, Some("q"), &raw, Mode::Read).unwrap();
        assert_eq!((q.shape(), q.dtype(), q.blocks()), (&[2, 36][..], DType::U8, Some("Q4_0")));
        let row = q.index(&takewise::ix![1], &takewise::Rules::NEUTRAL).unwrap();
        assert_eq!(row.to_vec::<u8>().unwrap(), (36..72).collect::<Vec<u8>>());
        let odd = FileArray::open(&path, Some("odd"), &raw, Mode::Read).err().unwrap().to_string();
        assert!(odd.ends_with("odd: its rows are not whole blocks of 32 elements"), "{odd}");
    }

    #[test]
    fn hostile_headers_are_errors() {
        let list = |kind: u32, count: u64| [&kind.to_le_bytes()[..], &count.to_le_bytes()].concat();
        let deep: Vec<u8> = (0..NESTING + 1).flat_map(|_| list(LIST, 1)).collect();
        for (bytes, told) in [
            (MAGIC.to_vec(), "its header is cut off"),
            ([MAGIC, &1u32.to_le_bytes(), &[0; 16]].concat(), "it is of version 1, and 2 and 3 are read"),
            ([MAGIC, &3u32.to_le_bytes(), &u64::MAX.to_le_bytes(), &[0; 8]].concat(), "its header is cut off"),
            (header(&[&value("a", LIST, &list(TEXT, u64::MAX))], &[]), "its header is cut off"),
            (header(&[&value("a", LIST, &list(0, u64::MAX))], &[]), "its header is cut off"),
            (header(&[&value("a", LIST, &deep)], &[]), "lists in it lie too deep in each other"),
            (header(&[&value("a", 99, &[])], &[]), "a value in it is of the unknown type 99"),
            (header(&[&value("general.alignment", 4, &[3, 0, 0, 0])], &[]), "its alignment is not a power of two"),
        ] {
            let (_folder, path) = file(&bytes);
            let error = open(&path, &RawSpec::default()).err().unwrap().to_string();
            assert!(error.ends_with(&format!("not a readable GGUF file: {told}")), "{error}");
        }
        let huge = [u64::MAX >> 1, 4];
        let tensors: [(&str, &[u64], u32, u64); 6] = [
            ("huge", &huge, 0, 0),
            ("far", &[1], 0, u64::MAX),
            ("cut", &[9], 0, 0),
            ("kind", &[1], 77, 0),
            ("crooked", &[1], 0, 1),
            ("cut", &[1], 0, 0),
        ];
        let mut bytes = header(&[], &tensors);
        bytes.resize(bytes.len().next_multiple_of(32) + 4, 0);
        let (_folder, path) = file(&bytes);
        let file = open(&path, &RawSpec::default()).unwrap();
        for (at, told) in [
            "is larger than any file",
            "it lies beyond the end of any file",
            "truncated: shape [9] of float32 needs 36 bytes, the file has 4",
            "its elements are of the unknown type 77",
            "its data does not lie on a multiple of 32 bytes",
            "its name is there twice",
        ]
        .into_iter()
        .enumerate()
        {
            let error = file.outline(at).unwrap_err();
            assert!(error.ends_with(told), "{error}");
        }
    }

    #[test]
    fn headers_changed_anywhere_do_no_harm() {
        let tensors: [(&str, &[u64], u32, u64); 2] = [("f", &[3, 2], 0, 0), ("q", &[64, 2], 2, 32)];
        let words =
            value("words", LIST, &[&8u32.to_le_bytes()[..], &1u64.to_le_bytes(), &2u64.to_le_bytes(), b"hi"].concat());
        let head = header(&[&words], &tensors);
        let mut whole = head.clone();
        whole.resize(whole.len().next_multiple_of(32) + 32 + 72, 1);
        let (_folder, path) = file(&whole);
        for at in 4..head.len() {
            for byte in [0, 1, 0x7f, 0xff, head[at] ^ 1] {
                let mut bytes = whole.clone();
                bytes[at] = byte;
                std::fs::write(&path, &bytes[..if byte == 1 { at } else { bytes.len() }]).unwrap();
                if let Ok(file) = open(&path, &RawSpec::default()) {
                    (0..file.names().len()).for_each(|at| drop(file.tensor(at)));
                }
            }
        }
    }
}
