//! Shards: files that hold many inner chunks, and say at their end (or beginning) where each is.

use crate::chain::Chain;
use crate::error::{Error, Result};
use crate::store::{Object, Stamp};
use std::collections::HashMap;
use std::sync::Arc;
use takewise::internal::Lock;

/// Where a shard's index stands, and how it is encoded.
#[derive(Debug)]
pub(crate) struct Sharding {
    /// Inner chunks along each axis of a shard.
    pub(crate) counts: Vec<usize>,
    /// How the index is encoded, and to how many bytes.
    pub(crate) index: Chain,
    pub(crate) size: usize,
    /// Whether the index stands at the end.
    pub(crate) last: bool,
}

/// Offset and length of each inner chunk of a shard; [`MISSING`] for one that was never written.
pub(crate) type Index = Vec<(u64, u64)>;

/// Of a chunk that was never written.
pub(crate) const MISSING: (u64, u64) = (u64::MAX, u64::MAX);

/// Bytes of indexes that are kept.
const KEPT: usize = 64 << 20;

/// Indexes read before, each with the state of its file.
#[derive(Debug, Default)]
pub(crate) struct Indexes {
    kept: Lock<KeptIndexes>,
}

/// The indexes by the number of the shard, and their bytes.
#[derive(Debug, Default)]
struct KeptIndexes {
    indexes: HashMap<usize, (Stamp, Arc<Index>)>,
    bytes: usize,
}

impl Indexes {
    /// The index of a shard, read unless it is kept and the file is as it was; and the bytes that were read for it.
    pub(crate) fn of(&self, sharding: &Sharding, shard: usize, object: &Object) -> Result<(Arc<Index>, usize)> {
        match self.kept(shard) {
            Some((before, index)) if before == *object.stamp() => return Ok((index, 0)),
            _ => {}
        }
        let index = Arc::new(sharding.read(object)?);
        self.keep(shard, object.stamp().clone(), index.clone());
        Ok((index, sharding.size))
    }

    /// The index of a shard that was kept, and the state it is of.
    pub(crate) fn kept(&self, shard: usize) -> Option<(Stamp, Arc<Index>)> {
        self.kept.lock().indexes.get(&shard).cloned()
    }

    /// Keeps the index of a shard.
    pub(crate) fn keep(&self, shard: usize, stamp: Stamp, index: Arc<Index>) {
        let bytes = index.len() * size_of::<(u64, u64)>();
        let mut kept = self.kept.lock();
        if kept.bytes + bytes > KEPT {
            *kept = KeptIndexes::default();
        }
        if kept.indexes.insert(shard, (stamp, index)).is_none() {
            kept.bytes += bytes;
        }
    }

    /// Forgets the index of a shard, which is about to change.
    pub(crate) fn forget(&self, shard: usize) {
        let mut kept = self.kept.lock();
        if let Some((_, index)) = kept.indexes.remove(&shard) {
            kept.bytes -= index.len() * size_of::<(u64, u64)>();
        }
    }
}

impl Sharding {
    fn read(&self, object: &Object) -> Result<Index> {
        let start = self.start(object.len(), object.name())?;
        self.decoded(object.range(start, self.size)?, object.name())
    }

    /// The index of a shard that was read whole.
    pub(crate) fn index_of(&self, shard: &[u8], name: &str) -> Result<Index> {
        // Below the length, which is that of memory.
        let start = self.start(shard.len() as u64, name)? as usize;
        self.decoded(shard[start..start + self.size].to_vec(), name)
    }

    fn start(&self, len: u64, name: &str) -> Result<u64> {
        let Some(room) = len.checked_sub(self.size as u64) else {
            let text = format!("is a shard of {len} bytes, and its index alone takes {}", self.size);
            return Err(Error::store(name, text));
        };
        Ok(if self.last { room } else { 0 })
    }

    pub(crate) fn decoded(&self, bytes: Vec<u8>, name: &str) -> Result<Index> {
        let bytes = self.index.decode(bytes).map_err(|text| Error::codec(name, format!("its index: {text}")))?;
        let number = |b: &[u8]| b.try_into().map_or(u64::MAX, u64::from_ne_bytes);
        Ok(bytes.chunks_exact(16).map(|pair| (number(&pair[..8]), number(&pair[8..]))).collect())
    }

    /// The bytes of an index; or why there are none.
    pub(crate) fn encoded(&self, index: &Index) -> std::result::Result<Vec<u8>, String> {
        let numbers = index.iter().flat_map(|(start, len)| [*start, *len]);
        let bytes = self.index.encode(numbers.flat_map(u64::to_ne_bytes).collect())?;
        match bytes.len() == self.size {
            true => Ok(bytes),
            false => Err(format!("its index took {} bytes, {} were to come", bytes.len(), self.size)),
        }
    }
}
