//! Codec chains: from the bytes of a store to elements and back.

use serde_json::Value;
use std::borrow::Cow;
use std::cell::Cell;
use std::num::NonZeroU64;
use std::sync::Arc;
use zarrs::array::{
    ArrayBytes, ArrayToBytesCodecTraits, BytesRepresentation, CodecChain, CodecOptions, DataType, FillValue,
};

/// What a thread keeps for Zstandard from one chunk to the next: making it anew takes as long as decoding a small chunk.
#[derive(Default)]
struct Kept {
    decoder: Option<zstd::bulk::Decompressor<'static>>,
    encoder: Option<(i32, zstd::bulk::Compressor<'static>)>,
    /// Where chunks are decoded to.
    elements: Vec<u8>,
}

/// Bytes of a decoded chunk that a thread keeps memory for.
const ROOM: usize = 16 << 20;

thread_local! {
    /// Whoever uses it takes it out, since a thread that waits may begin another chunk.
    static KEPT: Cell<Kept> = Cell::default();
}

fn with_kept<R>(f: impl FnOnce(&mut Kept) -> R) -> R {
    let mut kept = KEPT.take();
    let done = f(&mut kept);
    if kept.elements.capacity() > ROOM {
        kept.elements = Vec::new();
    }
    KEPT.set(kept);
    done
}

/// A chain, bound to the chunks it decodes.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    codecs: Arc<CodecChain>,
    shape: Vec<NonZeroU64>,
    dtype: DataType,
    fill: FillValue,
    /// Bytes of a decoded chunk.
    size: usize,
    /// The level, if encoded chunks are the elements as they are in memory, compressed by Zstandard without checksum.
    zstd: Option<i32>,
}

/// Each chunk is decoded by the thread that wants it.
fn options() -> CodecOptions {
    CodecOptions::default().with_concurrent_target(1)
}

impl Chain {
    /// Of chunks of a shape without extents of 0; `None` if they are too large.
    pub(crate) fn new(codecs: Arc<CodecChain>, shape: &[usize], dtype: DataType, fill: FillValue) -> Option<Chain> {
        let extents: Option<Vec<NonZeroU64>> = shape.iter().map(|&n| NonZeroU64::new(n as u64)).collect();
        let size = shape.iter().try_fold(fill.as_ne_bytes().len(), |size, &n| size.checked_mul(n))?;
        Some(Chain { codecs, shape: extents?, dtype, fill, size, zstd: None })
    }

    /// Bytes of a decoded chunk.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The same chain of codecs that were written so: in a list as version 3 of the format has it.
    pub(crate) fn named(self, codecs: &[Value]) -> Chain {
        let zstd = match codecs {
            [bytes, zstd] if cfg!(target_endian = "little") => {
                let little = bytes["configuration"]["endian"].as_str().is_none_or(|endian| endian == "little");
                let plain = zstd["configuration"]["checksum"].as_bool() != Some(true);
                let level = zstd["configuration"]["level"].as_i64().and_then(|level| i32::try_from(level).ok());
                level.filter(|_| bytes["name"] == "bytes" && little && zstd["name"] == "zstd" && plain)
            }
            _ => None,
        };
        Chain { zstd, ..self }
    }

    /// Gives `take` the elements of a chunk, row-major and in the machine's byte order; or what is wrong with it.
    pub(crate) fn decoded<'b, R>(
        &self,
        bytes: impl Into<Cow<'b, [u8]>>,
        take: impl FnOnce(&[u8]) -> R,
    ) -> Result<R, String> {
        let bytes = bytes.into();
        if self.zstd.is_none() {
            return self.decode(bytes).map(|elements| take(&elements));
        }
        with_kept(|kept| {
            let room = self.size.saturating_sub(kept.elements.capacity());
            kept.elements.clear();
            if kept.decoder.is_none() {
                kept.decoder = zstd::bulk::Decompressor::new().ok();
            }
            let done = match &mut kept.decoder {
                Some(decoder) if room == 0 || kept.elements.try_reserve_exact(self.size).is_ok() => {
                    decoder.decompress_to_buffer(&bytes, &mut kept.elements).ok()
                }
                _ => None,
            };
            match done {
                Some(len) if len == self.size => Ok(take(&kept.elements)),
                // What is wrong is for the library to say.
                _ => self.decode(bytes).map(|elements| take(&elements)),
            }
        })
    }

    /// Bytes of an encoded chunk, if that is always the same.
    pub(crate) fn encoded(&self) -> Option<usize> {
        match self.codecs.encoded_representation(&self.shape, &self.dtype, &self.fill) {
            Ok(BytesRepresentation::FixedSize(size)) => usize::try_from(size).ok(),
            _ => None,
        }
    }

    /// The elements of a chunk, row-major and in the machine's byte order; or what is wrong with it.
    pub(crate) fn decode<'b>(&self, bytes: impl Into<Cow<'b, [u8]>>) -> Result<Cow<'b, [u8]>, String> {
        let decoded = self.codecs.decode(bytes.into(), &self.shape, &self.dtype, &self.fill, &options());
        let fixed = decoded.map_err(|error| error.to_string())?.into_fixed().map_err(|error| error.to_string())?;
        if fixed.len() != self.size {
            return Err(format!("{} bytes came out, {} were to come", fixed.len(), self.size));
        }
        Ok(fixed)
    }

    /// The bytes of a chunk whose elements are row-major and in the machine's byte order; or why there are none.
    pub(crate) fn encode(&self, elements: Vec<u8>) -> Result<Vec<u8>, String> {
        if let Some(level) = self.zstd {
            return with_kept(|kept| {
                if kept.encoder.as_ref().is_none_or(|(of, _)| *of != level) {
                    let encoder = zstd::bulk::Compressor::new(level).map_err(|error| error.to_string())?;
                    kept.encoder = Some((level, encoder));
                }
                let (_, encoder) = kept.encoder.as_mut().ok_or("no encoder could be made")?;
                encoder.compress(&elements).map_err(|error| error.to_string())
            });
        }
        let elements = ArrayBytes::new_flen(elements);
        let encoded = self.codecs.encode(elements, &self.shape, &self.dtype, &self.fill, &options());
        Ok(encoded.map_err(|error| error.to_string())?.into_owned())
    }
}
