//! Shards: files that hold many inner chunks, and say at their end (or beginning) where each is.

use crate::chain::Chain;
use crate::error::{Error, Result};
use crate::store::{Object, Stamp};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

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

/// Offset and length of each inner chunk of a shard; both are [`u64::MAX`] for one that was never written.
pub(crate) type Index = Vec<(u64, u64)>;

/// Bytes of indexes that are kept.
const KEPT: usize = 64 << 20;

/// Indexes read before, each with the state of its file.
#[derive(Debug, Default)]
pub(crate) struct Indexes {
    kept: Mutex<Kept>,
}

/// The indexes by the number of the shard, and their bytes.
#[derive(Debug, Default)]
struct Kept {
    indexes: HashMap<usize, (Stamp, Arc<Index>)>,
    bytes: usize,
}

impl Indexes {
    /// The index of a shard, read unless it is kept and the file is as it was; and the bytes that were read for it.
    pub(crate) fn of(&self, sharding: &Sharding, shard: usize, object: &Object) -> Result<(Arc<Index>, usize)> {
        let stamp = object.stamp();
        {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((before, index)) = kept.indexes.get(&shard)
                && *before == stamp
            {
                return Ok((index.clone(), 0));
            }
        }
        let index = Arc::new(sharding.read(object)?);
        let bytes = index.len() * size_of::<(u64, u64)>();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.bytes + bytes > KEPT {
            *kept = Kept::default();
        }
        if kept.indexes.insert(shard, (stamp, index.clone())).is_none() {
            kept.bytes += bytes;
        }
        Ok((index, sharding.size))
    }
}

impl Sharding {
    fn read(&self, object: &Object) -> Result<Index> {
        let Some(room) = object.len().checked_sub(self.size as u64) else {
            let text = format!("is a shard of {} bytes, and its index alone takes {}", object.len(), self.size);
            return Err(Error::store(object.name(), text));
        };
        let bytes = object.range(if self.last { room } else { 0 }, self.size)?;
        let bytes =
            self.index.decode(bytes).map_err(|text| Error::codec(object.name(), format!("its index: {text}")))?;
        let number = |b: &[u8]| b.try_into().map_or(u64::MAX, u64::from_ne_bytes);
        Ok(bytes.chunks_exact(16).map(|pair| (number(&pair[..8]), number(&pair[8..]))).collect())
    }
}
