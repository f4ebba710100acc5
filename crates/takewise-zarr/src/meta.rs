//! What an array's metadata says.

use crate::chain::Chain;
use crate::elements;
use crate::error::{Error, Result};
use crate::shard::Sharding;
use crate::store::Source;
use serde_json::{Value, json};
use std::path::{Component, Path};
use std::sync::Arc;
use takewise::DType;
use takewise::internal::Once;
use zarrs::array::{ArrayMetadata, CodecChain, DataType, FillValue};
use zarrs::metadata::v2::MetadataV2;
use zarrs::metadata::v3::MetadataV3;
use zarrs::storage::store::MemoryStore;

/// An array's metadata, as far as reading needs it.
#[derive(Debug)]
pub(crate) struct Meta {
    /// What messages call the file.
    at: String,
    pub(crate) format: u8,
    pub(crate) shape: Vec<usize>,
    pub(crate) dtype: DType,
    /// Extents of what is decoded at a time, and of what a file holds.
    pub(crate) chunk: Vec<usize>,
    pub(crate) outer: Vec<usize>,
    /// How that is encoded.
    pub(crate) chain: Chain,
    pub(crate) sharding: Option<Sharding>,
    /// The library's array, which knows how chunks are named; its own store is empty.
    node: zarrs::array::Array<MemoryStore>,
    fill: FillValue,
    filled: Filled,
}

/// The elements of a chunk that was never written, once they are needed. No child of the process waits for who makes them.
struct Filled(Once<Option<Vec<u8>>>);

impl std::fmt::Debug for Filled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Filled")
    }
}

impl Meta {
    /// Reads `zarr.json`, or `.zarray`.
    pub(crate) fn read(store: &Source) -> Result<Meta> {
        if let Some(bytes) = store.get("zarr.json")? {
            return Meta::parse(store, "zarr.json", &bytes, 3);
        }
        if let Some(bytes) = store.get(".zarray")? {
            return Meta::parse(store, ".zarray", &bytes, 2);
        }
        if store.get(".zgroup")?.is_some() {
            return Err(group(store));
        }
        Err(Error::store(store.root(), "holds no Zarr array: neither zarr.json nor .zarray is there"))
    }

    pub(crate) fn parse(store: &Source, file: &str, bytes: &[u8], format: u8) -> Result<Meta> {
        let at = store.name(file);
        let mut json = json(bytes).map_err(|error| Error::store(&at, error))?;
        if json["zarr_format"] != format {
            return Err(Error::unsupported(
                &at,
                format!("zarr_format {} is not read here", shown(&json["zarr_format"])),
            ));
        }
        if format == 3 && json["node_type"] == "group" {
            return Err(group(store));
        }
        // Elements are looked at first: what is said of them then names them.
        let dtype = elements::read(&mut json, format).map_err(|text| Error::unsupported(&at, text))?;
        let grid = &json["chunk_grid"];
        if format == 3 && grid["name"] != "regular" {
            return Err(Error::unsupported(
                &at,
                format!("the chunk_grid {} is not read here, only regular ones", shown(&grid["name"])),
            ));
        }
        let wrong = |what: &str, why: &str| Error::store(&at, format!("{what}: {why}"));
        let extents = |name: &str, list: &Value| {
            let read = list.as_array().map(|list| list.iter().map(|n| usize::try_from(n.as_u64()?).ok()));
            let read: Option<Vec<usize>> = read.and_then(Iterator::collect);
            read.ok_or_else(|| wrong(name, &format!("{} is no list of extents", shown(list))))
        };
        let shape = extents("shape", &json["shape"])?;
        let (name, listed) = match format {
            3 => ("chunk_grid: chunk_shape", &grid["configuration"]["chunk_shape"]),
            _ => ("chunks", &json["chunks"]),
        };
        let outer = extents(name, listed)?;
        if outer.len() != shape.len() || outer.contains(&0) {
            return Err(wrong(name, &format!("chunks of {outer:?} do not cut an array of shape {shape:?}")));
        }
        let metadata = match format {
            3 => serde_json::from_value(json.clone()).map(ArrayMetadata::V3),
            _ => serde_json::from_value(json.clone()).map(ArrayMetadata::V2),
        };
        let metadata = metadata.map_err(|error| match misread(&json, format) {
            Some(name) => wrong(name, &format!("{} cannot be read: {error}", shown(&json[name]))),
            None => Error::store(&at, error),
        })?;
        let node = zarrs::array::Array::new_with_metadata(Arc::new(MemoryStore::new()), "/", metadata);
        let codecs = if format == 3 { "codecs" } else { "compressor" };
        let node = node.map_err(|error| match error.to_string() {
            text if text.contains("configuration") => {
                Error::unsupported(&at, format!("{codecs} {}: {text}", shown(&json[codecs])))
            }
            text => Error::unsupported(&at, text),
        })?;
        let (data, fill) = (node.data_type().clone(), node.fill_value().clone());
        if fill.as_ne_bytes().len() != dtype.size() {
            let text =
                format!("elements of {} bytes where {} has {}", fill.as_ne_bytes().len(), dtype.name(), dtype.size());
            return Err(Error::unsupported(&at, text));
        }
        let sharded = match (&json["codecs"], format) {
            (Value::Array(codecs), 3) => {
                shards(codecs, &outer, &data, &fill).map_err(|text| Error::unsupported(&at, text))?
            }
            _ => None,
        };
        let (chunk, chain, sharding) = match sharded {
            Some((chunk, chain, sharding)) => (chunk, chain, Some(sharding)),
            None => {
                let chain = Chain::new(node.codecs(), &outer, data, fill.clone())
                    .ok_or_else(|| wrong(name, &format!("a chunk of {outer:?} elements is too large")))?;
                (outer.clone(), chain.named(&listed_codecs(&json, format)), None)
            }
        };
        let filled = Filled(Once::new());
        let meta = Meta { at, format, shape, dtype, chunk, outer, chain, sharding, node, fill, filled };
        let key = meta.key(&vec![0; meta.shape.len()]);
        match Path::new(&key).components().all(|part| matches!(part, Component::Normal(_))) {
            true => Ok(meta),
            false => Err(Error::store(&meta.at, format!("chunk_key_encoding: chunks named {key:?} leave the array"))),
        }
    }

    /// The key of a file by the place of what it holds.
    pub(crate) fn key(&self, at: &[usize]) -> String {
        let at: Vec<u64> = at.iter().map(|&k| k as u64).collect();
        self.node.chunk_key(&at).to_string()
    }

    /// Chunks along each axis of a file.
    pub(crate) fn per_file(&self) -> Vec<usize> {
        self.outer.iter().zip(&self.chunk).map(|(outer, chunk)| outer / chunk).collect()
    }

    /// The elements of a chunk that was never written.
    pub(crate) fn filled(&self) -> Result<&[u8]> {
        let (element, size) = (self.fill.as_ne_bytes(), self.chain.size());
        let made = self.filled.0.get_or_make(|| {
            let room = Vec::<u8>::new().try_reserve_exact(size).is_ok();
            // Zeros take no memory before they are read.
            let zero = element.iter().all(|&byte| byte == 0);
            room.then(|| if zero { vec![0; size] } else { element.repeat(size / element.len().max(1)) })
        });
        let text = || format!("a chunk of {:?} elements, {size} bytes, does not fit into memory", self.chunk);
        made.as_deref().ok_or_else(|| Error::store(&self.at, text()))
    }
}

/// A part of metadata for a message, cut where it is long.
pub(crate) fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text,
    }
}

/// The field that cannot be read: what is said of all of them at once names none.
fn misread(json: &Value, format: u8) -> Option<&'static str> {
    macro_rules! reads {
        ($kind:ty) => {
            |value| serde_json::from_value::<$kind>(value.clone()).is_ok()
        };
    }
    type Check = (&'static str, fn(&Value) -> bool);
    const THIRD: &[Check] = &[
        ("node_type", |value| value == "array"),
        ("data_type", reads!(MetadataV3)),
        ("chunk_grid", reads!(MetadataV3)),
        ("chunk_key_encoding", reads!(MetadataV3)),
        ("codecs", reads!(Vec<MetadataV3>)),
        ("attributes", Value::is_object),
        ("dimension_names", reads!(Option<Vec<Option<String>>>)),
        ("storage_transformers", reads!(Option<Vec<MetadataV3>>)),
    ];
    const SECOND: &[Check] = &[
        ("compressor", reads!(Option<MetadataV2>)),
        ("filters", reads!(Option<Vec<MetadataV2>>)),
        ("order", |value| value == "C" || value == "F"),
        ("dimension_separator", |value| value.is_null() || value == "." || value == "/"),
    ];
    let list = if format == 3 { THIRD } else { SECOND };
    let bad = |(name, check): &&Check| match json.get(*name) {
        Some(value) => !check(value),
        None => *name != "attributes" && !check(&Value::Null),
    };
    list.iter().find(bad).map(|(name, _)| *name)
}

/// What Python writes for numbers that JSON does not have.
const BEYOND: [&[u8]; 3] = [b"NaN", b"Infinity", b"-Infinity"];

/// Metadata; where Python's own numbers are in them, with these as texts, which the format has for them.
fn json(bytes: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(bytes).or_else(|_| serde_json::from_slice(&quoted(bytes)))
}

fn quoted(bytes: &[u8]) -> Vec<u8> {
    let (mut out, mut rest, mut text) = (Vec::with_capacity(bytes.len() + 16), bytes, false);
    while let [byte, after @ ..] = rest {
        let word = BEYOND.iter().find(|word| !text && rest.starts_with(word));
        let taken = match (byte, word) {
            (_, Some(word)) => word.len(),
            // What follows a backslash ends no text.
            (b'\\', _) => rest.len().min(2),
            _ => rest.len() - after.len(),
        };
        let quote: &[u8] = if word.is_some() { b"\"" } else { b"" };
        out.extend(quote);
        out.extend(&rest[..taken]);
        out.extend(quote);
        text ^= *byte == b'"';
        rest = &rest[taken..];
    }
    out
}

/// The codecs of an array in the words of version 3; of version 2 only those of a lone Zstandard.
fn listed_codecs(json: &Value, format: u8) -> Vec<Value> {
    if format == 3 {
        return json["codecs"].as_array().cloned().unwrap_or_default();
    }
    let little = json["dtype"].as_str().is_some_and(|dtype| dtype.starts_with(['<', '|']));
    let bare = json["filters"].as_array().is_none_or(Vec::is_empty) && json["order"] == "C";
    if !(little && bare && json["compressor"]["id"] == "zstd") {
        return Vec::new();
    }
    let zstd = json!({"name": "zstd", "configuration": json["compressor"]});
    vec![json!({"name": "bytes"}), zstd]
}

fn group(store: &Source) -> Error {
    let names: Vec<String> = store.folders().into_iter().take(20).collect();
    let text = match names.is_empty() {
        true => "is a group, and holds nothing".to_string(),
        false => format!("is a group: open an array in it. It holds {}", names.join(", ")),
    };
    Error::unsupported(store.root(), text)
}

type Sharded = (Vec<usize>, Chain, Sharding);

/// The inner chunks of an array whose files are shards. Where other codecs stand around the shards there is no way to an inner
/// chunk but through a whole file, which then is what is decoded at a time.
fn shards(
    codecs: &[Value],
    outer: &[usize],
    data: &DataType,
    fill: &FillValue,
) -> std::result::Result<Option<Sharded>, String> {
    let [codec] = codecs else { return Ok(None) };
    if codec["name"] != "sharding_indexed" {
        return Ok(None);
    }
    let parts = &codec["configuration"];
    let extent = |n: &Value| n.as_u64().and_then(|n| usize::try_from(n).ok());
    let chunk: Option<Vec<usize>> = parts["chunk_shape"].as_array().and_then(|list| list.iter().map(extent).collect());
    let fits =
        |chunk: &Vec<usize>| chunk.len() == outer.len() && chunk.iter().zip(outer).all(|(n, m)| *n > 0 && m % n == 0);
    let chunk =
        chunk.filter(fits).ok_or("chunk_shape: the extents of the inner chunks do not divide those of the shards")?;
    let counts: Vec<usize> = outer.iter().zip(&chunk).map(|(m, n)| m / n).collect();
    let chain = |list: &Value| -> std::result::Result<Arc<CodecChain>, String> {
        let list: Vec<MetadataV3> = serde_json::from_value(list.clone()).map_err(|error| error.to_string())?;
        Ok(Arc::new(CodecChain::from_metadata(&list).map_err(|error| error.to_string())?))
    };
    let shape = [&counts[..], &[2]].concat();
    let index = Chain::new(
        chain(&parts["index_codecs"])?,
        &shape,
        zarrs::array::data_type::uint64(),
        FillValue::from(u64::MAX),
    );
    let index = index.ok_or("chunk_shape: an index of so many chunks cannot be read")?;
    let size = index.encoded().ok_or("index_codecs: an index without a fixed size cannot be found")?;
    let last = match parts["index_location"].as_str() {
        None | Some("end") => true,
        Some("start") => false,
        Some(other) => return Err(format!("index_location: an index at {other:?} is not known")),
    };
    let inner = Chain::new(chain(&parts["codecs"])?, &chunk, data.clone(), fill.clone())
        .ok_or("chunk_shape: a chunk so large cannot be read")?
        .named(parts["codecs"].as_array().map_or(&[], Vec::as_slice));
    Ok(Some((chunk, inner, Sharding { counts, index, size, last })))
}
