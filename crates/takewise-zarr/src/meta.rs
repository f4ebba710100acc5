//! What an array's metadata says.

use crate::chain::Chain;
use crate::error::{Error, Result};
use crate::shard::Sharding;
use crate::store::Source;
use serde_json::{Value, json};
use std::sync::Arc;
use takewise::DType;
use takewise::internal::Once;
use zarrs::array::{ArrayMetadata, CodecChain, DataType, FillValue};
use zarrs::metadata::v3::MetadataV3;
use zarrs::storage::store::MemoryStore;

/// An array's metadata, as far as reading needs it.
#[derive(Debug)]
pub(crate) struct Meta {
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
struct Filled(Once<Vec<u8>>);

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
        let json: Value = serde_json::from_slice(bytes).map_err(|error| Error::store(&at, error))?;
        if json["zarr_format"] != format {
            return Err(Error::unsupported(&at, format!("format {} is not read here", json["zarr_format"])));
        }
        if format == 3 && json["node_type"] == "group" {
            return Err(group(store));
        }
        // Elements are looked at first: what is said of them then names them.
        let dtype = element(&json, format).map_err(|text| Error::unsupported(&at, text))?;
        let grid = &json["chunk_grid"];
        if format == 3 && grid["name"] != "regular" {
            return Err(Error::unsupported(
                &at,
                format!("the chunk grid {} is not read here, only regular ones", grid["name"]),
            ));
        }
        let metadata = match format {
            3 => serde_json::from_value(json.clone()).map(ArrayMetadata::V3),
            _ => serde_json::from_value(json.clone()).map(ArrayMetadata::V2),
        };
        let metadata = metadata.map_err(|error| Error::store(&at, error))?;
        let node = zarrs::array::Array::new_with_metadata(Arc::new(MemoryStore::new()), "/", metadata);
        let node = node.map_err(|error| Error::unsupported(&at, error))?;
        let (data, fill) = (node.data_type().clone(), node.fill_value().clone());
        if fill.as_ne_bytes().len() != dtype.size() {
            let text =
                format!("elements of {} bytes where {} has {}", fill.as_ne_bytes().len(), dtype.name(), dtype.size());
            return Err(Error::unsupported(&at, text));
        }
        let extents = |list: &Value| -> Option<Vec<usize>> {
            list.as_array()?.iter().map(|n| usize::try_from(n.as_u64()?).ok()).collect()
        };
        let wrong = |what: &str| Error::store(&at, format!("{what} cannot be read"));
        let shape = extents(&json["shape"]).ok_or_else(|| wrong("the shape"))?;
        let listed = if format == 3 { &grid["configuration"]["chunk_shape"] } else { &json["chunks"] };
        let outer = extents(listed).filter(|outer| outer.len() == shape.len() && !outer.contains(&0));
        let outer = outer.ok_or_else(|| wrong("the extents of the chunks"))?;
        let sharded = match (&json["codecs"], format) {
            (Value::Array(codecs), 3) => {
                shards(codecs, &outer, &data, &fill).map_err(|text| Error::unsupported(&at, text))?
            }
            _ => None,
        };
        let (chunk, chain, sharding) = match sharded {
            Some((chunk, chain, sharding)) => (chunk, chain, Some(sharding)),
            None => {
                let chain =
                    Chain::new(node.codecs(), &outer, data, fill.clone()).ok_or_else(|| wrong("a chunk so large"))?;
                (outer.clone(), chain.named(&listed_codecs(&json, format)), None)
            }
        };
        Ok(Meta { format, shape, dtype, chunk, outer, chain, sharding, node, fill, filled: Filled(Once::new()) })
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
    pub(crate) fn filled(&self) -> &[u8] {
        self.filled.0.get_or_make(|| {
            let element = self.fill.as_ne_bytes();
            element.repeat(self.chain.size() / element.len().max(1))
        })
    }
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

/// The element type; or why elements of it are not read.
fn element(json: &Value, format: u8) -> std::result::Result<DType, String> {
    let data = if format == 3 { &json["data_type"] } else { &json["dtype"] };
    let Some(name) = data.as_str().or_else(|| data["name"].as_str()) else {
        return Err(format!("elements of the record type {data} are not read here, only numbers"));
    };
    let number = if format == 3 { name } else { spelled(name) };
    let dtype = match number {
        "bool" => DType::Bool,
        "int8" => DType::I8,
        "int16" => DType::I16,
        "int32" => DType::I32,
        "int64" => DType::I64,
        "uint8" => DType::U8,
        "uint16" => DType::U16,
        "uint32" => DType::U32,
        "uint64" => DType::U64,
        "float16" => DType::F16,
        "bfloat16" => DType::BF16,
        "float32" => DType::F32,
        "float64" => DType::F64,
        "complex64" => DType::C64,
        "complex128" => DType::C128,
        "string" | "bytes" | "variable_length_bytes" | "variable_length_utf8" | "|O" => {
            return Err(format!("elements of type {name:?} have no fixed size, and are not read here"));
        }
        _ => return Err(format!("elements of type {name:?} are not read here, only numbers")),
    };
    Ok(dtype)
}

/// A number of NumPy's spelling; what is none stays.
fn spelled(name: &str) -> &str {
    match name.trim_start_matches(['<', '>', '|', '=']) {
        "b1" => "bool",
        "i1" => "int8",
        "i2" => "int16",
        "i4" => "int32",
        "i8" => "int64",
        "u1" => "uint8",
        "u2" => "uint16",
        "u4" => "uint32",
        "u8" => "uint64",
        "f2" => "float16",
        "f4" => "float32",
        "f8" => "float64",
        "c8" => "complex64",
        "c16" => "complex128",
        _ => name,
    }
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
    let chunk = chunk.filter(fits).ok_or("the extents of the inner chunks do not divide those of the shards")?;
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
    let index = index.ok_or("an index so large cannot be read")?;
    let size = index.encoded().ok_or("an index without a fixed size cannot be found")?;
    let last = match parts["index_location"].as_str() {
        None | Some("end") => true,
        Some("start") => false,
        Some(other) => return Err(format!("an index at {other:?} is not known")),
    };
    let inner = Chain::new(chain(&parts["codecs"])?, &chunk, data.clone(), fill.clone())
        .ok_or("a chunk so large cannot be read")?
        .named(parts["codecs"].as_array().map_or(&[], Vec::as_slice));
    Ok(Some((chunk, inner, Sharding { counts, index, size, last })))
}
