//! Reading: chunks that an index touches, by shard, ranges that lie near each other at once, each chunk decoded and gathered in
//! one task.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::shard::Sharding;
use crate::store::Object;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use takewise::chunks::{Assembly, Chunks};
use takewise::{AnyView, AnyViewMut, threads};

/// Bytes of one request at most, but for a chunk that is larger: what a thread holds of a shard at a time.
const MOST: u64 = 8 << 20;

/// What has been asked of a store.
#[derive(Debug, Default)]
pub(crate) struct Counter {
    requests: AtomicU64,
    bytes: AtomicU64,
    decoded: AtomicU64,
}

/// What reads have cost so far.
///
/// ```
/// # let folder = takewise_zarr::example();
/// let array = takewise_zarr::Array::open(folder.path())?;
/// array.index(&takewise::ix![0, 0])?;
/// let traffic = array.traffic();
/// assert_eq!((traffic.requests, traffic.decoded), (1, 1));
/// # Ok::<(), takewise_zarr::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Ranges read, of files that were there.
    pub requests: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Chunks decoded.
    pub decoded: u64,
}

impl Counter {
    fn read(&self, bytes: usize) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn now(&self) -> Traffic {
        Traffic {
            requests: self.requests.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            decoded: self.decoded.load(Ordering::Relaxed),
        }
    }
}

/// A touched chunk of a shard: where it lies in the file, and its number in the plan.
struct Part {
    start: u64,
    len: u64,
    number: usize,
}

/// One read, under way.
struct Read<'r> {
    array: &'r Array,
    chunks: &'r Chunks,
    assembly: Assembly<'r>,
}

/// Fills `out` with what `chunks` touch.
pub(crate) fn read(array: &Array, chunks: &Chunks, out: AnyViewMut<'_>) -> Result<()> {
    if chunks.grid() != &array.grid || !chunks.is_whole() {
        let text = "the plan was made for another array, or leaves elements out";
        return Err(Error::unsupported(array.name(), text));
    }
    let read = Read { array, chunks, assembly: Assembly::new(chunks, out)? };
    match &array.meta.sharding {
        None => each(chunks.len(), |number| read.plain(number))?,
        Some(sharding) => {
            let shards = read.by_shard(sharding);
            let groups: Vec<&[(usize, usize)]> = shards.chunk_by(|a, b| a.0 == b.0).collect();
            each(groups.len(), |k| read.shard(sharding, groups[k]))?;
        }
    }
    Ok(read.assembly.finish()?)
}

/// Runs a task for each number, side by side where calls may use several threads; the first error that was met.
fn each(count: usize, task: impl Fn(usize) -> Result<()> + Sync + Send) -> Result<()> {
    if threads::threads() <= 1 || count <= 1 {
        return (0..count).try_for_each(task);
    }
    (0..count).into_par_iter().try_for_each(task)
}

impl Read<'_> {
    /// A chunk that is a file of its own.
    fn plain(&self, number: usize) -> Result<()> {
        let Some(touched) = self.chunks.touched(number) else { return Ok(()) };
        let key = self.array.meta.key(touched.at());
        match self.array.store.open(&key)? {
            None => self.missing(number),
            Some(object) => {
                let bytes = object.range(0, object.len() as usize)?;
                self.array.counter.read(bytes.len());
                self.decoded(number, bytes, object.name())
            }
        }
    }

    /// The touched chunks as (shard, number), by shard.
    fn by_shard(&self, sharding: &Sharding) -> Vec<(usize, usize)> {
        let shards: Vec<usize> =
            self.array.grid.counts().iter().zip(&sharding.counts).map(|(n, per)| n.div_ceil(*per)).collect();
        let of =
            |at: &[usize]| at.iter().zip(&sharding.counts).zip(&shards).fold(0, |id, ((&k, per), n)| id * n + k / per);
        let mut list: Vec<(usize, usize)> =
            self.chunks.iter().map(|touched| (of(touched.at()), touched.number())).collect();
        list.sort_unstable();
        list
    }

    /// The touched chunks of one shard.
    fn shard(&self, sharding: &Sharding, group: &[(usize, usize)]) -> Result<()> {
        let touched = |number: usize| self.chunks.touched(number);
        let Some(first) = group.first().and_then(|(_, number)| touched(*number)) else { return Ok(()) };
        let at: Vec<usize> = first.at().iter().zip(&sharding.counts).map(|(k, per)| k / per).collect();
        let Some(object) = self.array.store.open(&self.array.meta.key(&at))? else {
            return group.iter().try_for_each(|(_, number)| self.missing(*number));
        };
        let (index, read) = self.array.indexes.of(sharding, group[0].0, &object)?;
        if read > 0 {
            self.array.counter.read(read);
        }
        let mut parts = Vec::with_capacity(group.len());
        for &(_, number) in group {
            let Some(touched) = touched(number) else { continue };
            let inner = touched.at().iter().zip(&sharding.counts).fold(0, |id, (k, per)| id * per + k % per);
            match index.get(inner) {
                Some(&(u64::MAX, u64::MAX)) => self.missing(number)?,
                Some(&(start, len)) => parts.push(Part { start, len, number }),
                None => return Err(Error::codec(object.name(), "its index is too short")),
            }
        }
        parts.sort_unstable_by_key(|part| part.start);
        let near = |a: &Part, b: &Part| b.start <= a.start.saturating_add(a.len).saturating_add(self.array.gap);
        let mut runs: Vec<&[Part]> = Vec::new();
        for run in parts.chunk_by(near) {
            split(run, &mut runs);
        }
        each(runs.len(), |k| self.run(runs[k], &object))
    }

    /// Chunks of a shard that one range holds.
    fn run(&self, parts: &[Part], object: &Object) -> Result<()> {
        let (Some(first), Some(end)) = (parts.first(), end(parts)) else { return Ok(()) };
        let cut = || Error::codec(object.name(), "its index points past any file");
        let len = end.checked_sub(first.start).and_then(|len| usize::try_from(len).ok()).ok_or_else(cut)?;
        let bytes = object.range(first.start, len)?;
        self.array.counter.read(len);
        for part in parts {
            let from = (part.start - first.start) as usize;
            let chunk = bytes.get(from..from + part.len as usize).ok_or_else(cut)?;
            self.decoded(part.number, chunk.to_vec(), object.name())?;
        }
        Ok(())
    }

    /// Decodes a chunk and puts what is touched of it.
    fn decoded(&self, number: usize, bytes: Vec<u8>, name: &str) -> Result<()> {
        let chain = &self.array.meta.chain;
        let bytes = chain.decode(bytes).map_err(|text| Error::codec(name, text))?;
        self.array.counter.decoded.fetch_add(1, Ordering::Relaxed);
        self.put(number, &bytes)
    }

    /// A chunk that was never written.
    fn missing(&self, number: usize) -> Result<()> {
        self.put(number, self.array.meta.filled())
    }

    fn put(&self, number: usize, bytes: &[u8]) -> Result<()> {
        let view = AnyView::of_elements(bytes, self.array.meta.dtype, self.chunks.grid().chunk())?;
        Ok(self.assembly.put(number, &view)?)
    }
}

/// Where the last byte of some parts ends. They begin in ascending order, and may overlap if a file says so.
fn end(parts: &[Part]) -> Option<u64> {
    parts.iter().map(|part| part.start.saturating_add(part.len)).max()
}

/// Cuts a run so that no request is larger than [`MOST`], but for single chunks.
fn split<'p>(mut run: &'p [Part], runs: &mut Vec<&'p [Part]>) {
    while let Some(first) = run.first() {
        let fits = |part: &Part| part.start.saturating_add(part.len).saturating_sub(first.start) <= MOST;
        let count = run.iter().take_while(|part| fits(part)).count().max(1);
        let (head, rest) = run.split_at(count);
        runs.push(head);
        run = rest;
    }
}
