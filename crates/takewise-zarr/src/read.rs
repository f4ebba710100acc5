//! Reading: chunks that an index touches, by shard, ranges that lie near each other at once, each chunk decoded and gathered in
//! one task.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::far;
use crate::pool::each;
use crate::shard::{Index, MISSING, Sharding};
use crate::store::{Folder, Source, Want};
use std::borrow::Cow;
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
    writes: AtomicU64,
    written: AtomicU64,
}

/// What reads and writes have cost so far.
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
    /// Files written or taken away.
    pub writes: u64,
    /// Bytes written.
    pub written: u64,
}

impl Counter {
    pub(crate) fn read(&self, bytes: usize) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn decoded(&self) {
        self.decoded.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn wrote(&self, bytes: usize) {
        self.writes.fetch_add(1, Ordering::Relaxed);
        self.written.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn now(&self) -> Traffic {
        Traffic {
            requests: self.requests.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            decoded: self.decoded.load(Ordering::Relaxed),
            writes: self.writes.load(Ordering::Relaxed),
            written: self.written.load(Ordering::Relaxed),
        }
    }
}

/// A touched chunk of a shard: where it lies in the file, and its number in the plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) start: u64,
    len: u64,
    pub(crate) number: usize,
}

/// One read, under way.
pub(crate) struct Read<'r> {
    pub(crate) array: &'r Array,
    pub(crate) chunks: &'r Chunks,
    assembly: Assembly<'r>,
    /// Whether the chunks of one shard are divided among threads: there are fewer shards than these.
    divided: bool,
}

/// Fills `out` with what `chunks` touch.
pub(crate) fn read(array: &Array, chunks: &Chunks, out: AnyViewMut<'_>) -> Result<()> {
    if chunks.grid() != &array.grid || !chunks.is_whole() {
        let text = "the plan was made for another array, or leaves elements out";
        return Err(Error::unsupported(array.name(), text));
    }
    let mut read = Read { array, chunks, assembly: Assembly::new(chunks, out)?, divided: false };
    match (&array.meta.sharding, &array.store) {
        (None, Source::Remote(store, _)) => far::plain(&read, &**store)?,
        (Some(sharding), Source::Remote(store, _)) => far::sharded(&read, &**store, sharding)?,
        (None, Source::Folder(folder)) => each(chunks.len(), |number| read.plain(folder, number))?,
        (Some(sharding), Source::Folder(folder)) => {
            let shards = by_file(array, chunks);
            let groups: Vec<&[(usize, usize)]> = shards.chunk_by(|a, b| a.0 == b.0).collect();
            read.divided = groups.len() < threads::threads();
            each(groups.len(), |k| read.shard(folder, sharding, groups[k]))?;
        }
    }
    Ok(read.assembly.finish()?)
}

/// The touched chunks as (number of their file, number), by file.
pub(crate) fn by_file(array: &Array, chunks: &Chunks) -> Vec<(usize, usize)> {
    let per = array.meta.per_file();
    let files: Vec<usize> = array.grid.counts().iter().zip(&per).map(|(n, per)| n.div_ceil(*per)).collect();
    let of = |at: &[usize]| at.iter().zip(&per).zip(&files).fold(0, |id, ((&k, per), n)| id * n + k / per);
    let mut list: Vec<(usize, usize)> = chunks.iter().map(|touched| (of(touched.at()), touched.number())).collect();
    list.sort_unstable();
    list
}

/// The place of the file that holds a chunk.
pub(crate) fn file_of(array: &Array, at: &[usize]) -> Vec<usize> {
    at.iter().zip(array.meta.per_file()).map(|(k, per)| k / per).collect()
}

impl Read<'_> {
    /// A chunk that is a file of its own.
    fn plain(&self, folder: &Folder, number: usize) -> Result<()> {
        let Some(touched) = self.chunks.touched(number) else { return Ok(()) };
        let key = self.array.meta.key(touched.at());
        match folder.open(&key)? {
            None => self.missing(number),
            Some(object) => {
                let bytes = object.range(0, object.len() as usize)?;
                self.array.counter.read(bytes.len());
                self.decoded(number, bytes, object.name())
            }
        }
    }

    /// The touched chunks of one shard.
    fn shard(&self, folder: &Folder, sharding: &Sharding, group: &[(usize, usize)]) -> Result<()> {
        let numbers: Vec<usize> = group.iter().map(|(_, number)| *number).collect();
        let Some(first) = numbers.first().and_then(|number| self.chunks.touched(*number)) else { return Ok(()) };
        let at = file_of(self.array, first.at());
        let Some(object) = folder.open(&self.array.meta.key(&at))? else {
            return numbers.iter().try_for_each(|number| self.missing(*number));
        };
        let (index, read) = self.array.indexes.of(sharding, group[0].0, &object)?;
        if read > 0 {
            self.array.counter.read(read);
        }
        let parts = self.parts(sharding, &numbers, &index, object.name())?;
        let runs = runs(&parts, self.array.gap);
        let one = |k: usize| {
            let Want::Range(start, len) = span(runs[k]) else { return Ok(()) };
            let bytes = object.range(start, len)?;
            self.array.counter.read(len);
            self.run(runs[k], &bytes, object.name())
        };
        if self.divided { each(runs.len(), one) } else { (0..runs.len()).try_for_each(one) }
    }

    /// Where chunks of a shard lie in it, in the order of the file. Those that were never written are filled.
    pub(crate) fn parts(&self, sharding: &Sharding, numbers: &[usize], index: &Index, name: &str) -> Result<Vec<Part>> {
        let mut parts = Vec::with_capacity(numbers.len());
        for &number in numbers {
            let Some(touched) = self.chunks.touched(number) else { continue };
            let inner = touched.at().iter().zip(&sharding.counts).fold(0, |id, (k, per)| id * per + k % per);
            match index.get(inner) {
                Some(&MISSING) => self.missing(number)?,
                Some(&(start, len)) => parts.push(Part { start, len, number }),
                None => return Err(Error::codec(name, "its index is too short")),
            }
        }
        parts.sort_unstable_by_key(|part| part.start);
        Ok(parts)
    }

    /// Chunks of a shard that one range holds, from its bytes.
    pub(crate) fn run(&self, parts: &[Part], bytes: &[u8], name: &str) -> Result<()> {
        let first = parts.first().map_or(0, |part| part.start);
        for part in parts {
            let from = (part.start - first) as usize;
            let chunk = from.checked_add(part.len as usize).and_then(|end| bytes.get(from..end));
            let chunk = chunk.ok_or_else(|| Error::codec(name, "its index points past its end"))?;
            self.decoded(part.number, chunk, name)?;
        }
        Ok(())
    }

    /// Decodes a chunk and puts what is touched of it.
    pub(crate) fn decoded<'b>(&self, number: usize, bytes: impl Into<Cow<'b, [u8]>>, name: &str) -> Result<()> {
        let put = |elements: &[u8]| {
            self.array.counter.decoded();
            self.put(number, elements)
        };
        self.array.meta.chain.decoded(bytes, put).map_err(|text| Error::codec(name, text))?
    }

    /// A chunk that was never written.
    pub(crate) fn missing(&self, number: usize) -> Result<()> {
        self.put(number, self.array.meta.filled()?)
    }

    fn put(&self, number: usize, bytes: &[u8]) -> Result<()> {
        let view = AnyView::of_elements(bytes, self.array.meta.dtype, self.chunks.grid().chunk())?;
        Ok(self.assembly.put(number, &view)?)
    }
}

/// The range that holds some parts. They begin in ascending order, and may overlap if a file says so.
pub(crate) fn span(parts: &[Part]) -> Want {
    let start = parts.first().map_or(0, |part| part.start);
    let end = parts.iter().map(|part| part.start.saturating_add(part.len)).max().unwrap_or(start);
    Want::Range(start, usize::try_from(end - start).unwrap_or(usize::MAX))
}

/// Parts that one range is read for: no more than `gap` bytes lie between them.
pub(crate) fn runs(parts: &[Part], gap: u64) -> Vec<&[Part]> {
    let near = |a: &Part, b: &Part| b.start <= a.start.saturating_add(a.len).saturating_add(gap);
    let mut runs: Vec<&[Part]> = Vec::new();
    for run in parts.chunk_by(near) {
        split(run, &mut runs);
    }
    runs
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
