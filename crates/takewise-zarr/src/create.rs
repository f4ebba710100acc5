//! New arrays.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::far::Remote;
use crate::meta::Meta;
use crate::store::{Folder, Source};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use takewise::index::rules::Conversion;
use takewise::internal::number::{element_scalar, scalar_bytes};
use takewise::{AnyView, DType, Op, Scalar};

/// How chunks are compressed.
///
/// ```
/// # let example = takewise_zarr::example();
/// use takewise_zarr::{Compressor, Create};
/// # use takewise::DType;
/// let x = Create::new(&[100, 100], DType::I32, &[10, 10]).compressor(Compressor::Gzip(5)).create(example.path().join("x"))?;
/// assert_eq!(x.chunks(), [10, 10]);
/// # Ok::<(), takewise_zarr::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compressor {
    /// Not at all.
    None,
    /// Zstandard of a level (-131072 to 22).
    Zstd(i32),
    /// Gzip of a level (0 to 9).
    Gzip(u32),
    /// Blosc's LZ4 of a level (0 to 9), bytes shuffled by their place in the element.
    Blosc(u32),
}

/// A new array: what it is to be, then [`Create::create`].
///
/// ```
/// # let example = takewise_zarr::example();
/// # let path = example.path().join("table");
/// use takewise::{DType, ix};
/// use takewise_zarr::{Array, Create};
/// // Shards of (1024, 1024), each with chunks of (64, 64) that are read one by one.
/// let x = Create::new(&[8192, 8192], DType::F32, &[64, 64]).shards(&[1024, 1024]).fill(-1).create(&path)?;
/// assert_eq!(x.index(&ix![8191, &[0usize, 77]])?.to_vec::<f32>()?, [-1.0, -1.0]);
/// assert_eq!(Array::open(&path)?.shards(), Some(&[1024, 1024][..]));
///
/// let error = Create::new(&[3], DType::F32, &[2]).create(&path).unwrap_err();
/// assert!(error.to_string().ends_with("holds an array or a group already"));
/// # Ok::<(), takewise_zarr::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Create {
    shape: Vec<usize>,
    dtype: DType,
    chunks: Vec<usize>,
    shards: Option<Vec<usize>>,
    compressor: Compressor,
    fill: Value,
    format: u8,
}

impl Create {
    /// An array of a shape and an element type, in chunks of these extents: version 3, not sharded, compressed by Zstandard of
    /// level 1, filled with zeros.
    pub fn new(shape: &[usize], dtype: DType, chunks: &[usize]) -> Create {
        let (shape, chunks) = (shape.to_vec(), chunks.to_vec());
        let fill = filling(dtype, Scalar::Int(0));
        Create { shape, dtype, chunks, shards: None, compressor: Compressor::Zstd(1), fill, format: 3 }
    }

    /// In shards of these extents, multiples of those of the chunks.
    pub fn shards(self, extents: &[usize]) -> Create {
        Create { shards: Some(extents.to_vec()), ..self }
    }

    /// Compressed so.
    pub fn compressor(self, compressor: Compressor) -> Create {
        Create { compressor, ..self }
    }

    /// With this number where nothing was written.
    pub fn fill(self, value: impl Into<Scalar>) -> Create {
        Create { fill: filling(self.dtype, value.into()), ..self }
    }

    /// With the element of an array without axes where nothing was written.
    pub fn fill_element(self, element: &AnyView<'_>) -> Create {
        let scalar = element.bytes_at(&[]).and_then(|bytes| element_scalar(&bytes, element.dtype()));
        let fill = scalar.map_or(Value::Null, |scalar| filling(self.dtype, scalar));
        Create { fill, ..self }
    }

    /// Of version 2 or 3 of the format.
    pub fn format(self, format: u8) -> Create {
        Create { format, ..self }
    }

    /// Makes it in a folder, which is made too if it is not there. Nothing but the metadata is written.
    ///
    /// Errors: a folder that holds an array or a group already, which is left as it is; extents that do not go together, what the
    /// version cannot say (version 2 has no shards and no bfloat16), a fill value that is no element; files that cannot be
    /// written.
    pub fn create(&self, path: impl AsRef<Path>) -> Result<Array> {
        self.made(Source::Folder(Folder::new(path.as_ref().to_path_buf())))
    }

    /// [`Create::create`], under a path of a store.
    pub fn create_in(&self, store: Arc<dyn Remote>, path: &str) -> Result<Array> {
        self.made(Source::Remote(store, path.trim_matches('/').to_string()))
    }

    fn made(&self, source: Source) -> Result<Array> {
        let at = source.root();
        for key in ["zarr.json", ".zarray", ".zgroup"] {
            if source.get(key)?.is_some() {
                return Err(Error::store(&at, "holds an array or a group already"));
            }
        }
        self.check().map_err(|text| Error::values(&at, text))?;
        let (key, metadata) = match self.format {
            3 => ("zarr.json", self.third()),
            _ => (".zarray", self.second()),
        };
        let bytes = serde_json::to_vec_pretty(&metadata).map_err(|error| Error::store(&at, error))?;
        // What would not open is not written.
        Meta::parse(&source, key, &bytes, self.format)?;
        source.set(key, bytes)?;
        Array::of(source)
    }

    fn check(&self) -> std::result::Result<(), String> {
        let (rank, chunks) = (self.shape.len(), &self.chunks);
        if !matches!(self.format, 2 | 3) {
            return Err(format!("version {} of the format is not known, only 2 and 3", self.format));
        }
        if chunks.len() != rank || chunks.contains(&0) {
            return Err(format!("chunks of {chunks:?} do not cut an array of shape {:?}", self.shape));
        }
        if let Some(shards) = &self.shards {
            if self.format == 2 {
                return Err("version 2 of the format has no shards".to_string());
            }
            let whole = shards.len() == rank && shards.iter().zip(chunks).all(|(n, per)| *n > 0 && n % per == 0);
            if !whole {
                return Err(format!("shards of {shards:?} are not made of whole chunks of {chunks:?}"));
            }
        }
        if self.format == 2 && self.dtype == DType::BF16 {
            return Err("version 2 of the format has no bfloat16".to_string());
        }
        if matches!(self.dtype, DType::Opaque { .. }) || self.fill.is_null() {
            return Err(format!("elements of {} and this fill value do not go together", self.dtype.name()));
        }
        Ok(())
    }

    fn third(&self) -> Value {
        let little = json!({"name": "bytes", "configuration": {"endian": "little"}});
        let bytes = if self.dtype.size() > 1 { little.clone() } else { json!({"name": "bytes"}) };
        let mut codecs = vec![bytes];
        codecs.extend(match self.compressor {
            Compressor::None => None,
            Compressor::Zstd(level) => {
                Some(json!({"name": "zstd", "configuration": {"level": level, "checksum": false}}))
            }
            Compressor::Gzip(level) => Some(json!({"name": "gzip", "configuration": {"level": level}})),
            Compressor::Blosc(level) => {
                Some(json!({"name": "blosc", "configuration": {"cname": "lz4", "clevel": level,
                "shuffle": "shuffle", "typesize": self.dtype.size(), "blocksize": 0}}))
            }
        });
        if self.shards.is_some() {
            codecs = vec![json!({"name": "sharding_indexed", "configuration": {"chunk_shape": self.chunks,
                "codecs": codecs, "index_codecs": [little, {"name": "crc32c"}], "index_location": "end"}})];
        }
        json!({"zarr_format": 3, "node_type": "array", "shape": self.shape, "data_type": self.dtype.name(),
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": self.shards.as_ref().unwrap_or(&self.chunks)}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": self.fill, "codecs": codecs, "attributes": {}})
    }

    fn second(&self) -> Value {
        let compressor = match self.compressor {
            Compressor::None => Value::Null,
            Compressor::Zstd(level) => json!({"id": "zstd", "level": level}),
            Compressor::Gzip(level) => json!({"id": "gzip", "level": level}),
            Compressor::Blosc(level) => {
                json!({"id": "blosc", "cname": "lz4", "clevel": level, "shuffle": 1, "blocksize": 0})
            }
        };
        json!({"zarr_format": 2, "shape": self.shape, "chunks": self.chunks, "dtype": spelled(self.dtype),
            "compressor": compressor, "fill_value": self.fill, "order": "C", "filters": null})
    }
}

/// A number as the metadata spells an element; null if it is none.
fn filling(dtype: DType, value: Scalar) -> Value {
    let bytes = scalar_bytes(Op::Index, value, dtype, Conversion::RangeChecked, takewise::error::neutral);
    match bytes.ok().and_then(|bytes| element_scalar(&bytes, dtype)) {
        Some(Scalar::Bool(truth)) => json!(truth),
        Some(Scalar::Int(n)) => {
            u64::try_from(n).map(Value::from).or_else(|_| i64::try_from(n).map(Value::from)).unwrap_or(Value::Null)
        }
        Some(Scalar::Float(x)) => real(x),
        Some(Scalar::Complex(re, im)) => json!([real(re), real(im)]),
        None => Value::Null,
    }
}

fn real(x: f64) -> Value {
    match x {
        _ if x.is_nan() => json!("NaN"),
        f64::INFINITY => json!("Infinity"),
        f64::NEG_INFINITY => json!("-Infinity"),
        _ => json!(x),
    }
}

/// The name of NumPy's that version 2 has for an element type.
fn spelled(dtype: DType) -> String {
    let kind = match dtype {
        DType::Bool => return "|b1".to_string(),
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => 'u',
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => 'i',
        DType::C64 | DType::C128 => 'c',
        _ => 'f',
    };
    let order = if dtype.size() == 1 { '|' } else { '<' };
    format!("{order}{kind}{}", dtype.size())
}
