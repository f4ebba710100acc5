//! Codec chains: from the bytes of a store to elements and back.

use std::borrow::Cow;
use std::num::NonZeroU64;
use std::sync::Arc;
use zarrs::array::{
    ArrayBytes, ArrayToBytesCodecTraits, BytesRepresentation, CodecChain, CodecOptions, DataType, FillValue,
};

/// A chain, bound to the chunks it decodes.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    codecs: Arc<CodecChain>,
    shape: Vec<NonZeroU64>,
    dtype: DataType,
    fill: FillValue,
    /// Bytes of a decoded chunk.
    size: usize,
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
        Some(Chain { codecs, shape: extents?, dtype, fill, size })
    }

    /// Bytes of a decoded chunk.
    pub(crate) fn size(&self) -> usize {
        self.size
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
        let elements = ArrayBytes::new_flen(elements);
        let encoded = self.codecs.encode(elements, &self.shape, &self.dtype, &self.fill, &options());
        Ok(encoded.map_err(|error| error.to_string())?.into_owned())
    }
}
