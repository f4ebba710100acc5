//! Stores that are asked for many things at once: what they are, and reads and writes through them.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::pool::{both, each};
use crate::read::{Part, Read, by_file, file_of, runs, span};
use crate::shard::{Index, Sharding};
use crate::store::{Stamp, Want};
use std::fmt::Debug;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a key, and which state of it they are from, if the store tells states apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// What another state of the same key would not have: an ETag.
    pub version: Option<String>,
}

/// A store that is asked for many things at once: something behind a network, or in another language.
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::{Arc, Mutex};
/// use takewise::{DType, ix};
/// use takewise_zarr::{Array, Create, Found, Remote, Want};
///
/// #[derive(Debug, Default)]
/// struct Memory(Mutex<HashMap<String, Vec<u8>>>);
///
/// impl Remote for Memory {
///     fn name(&self) -> String {
///         "memory".to_string()
///     }
///     fn fetch(&self, wants: &[(String, Want)]) -> Vec<Result<Option<Found>, String>> {
///         let values = self.0.lock().unwrap();
///         let found = |(key, want): &(String, Want)| {
///             let value = values.get(key)?;
///             let bytes = match *want {
///                 Want::Whole => value.get(..),
///                 Want::Range(start, len) => value.get(start as usize..start as usize + len),
///                 Want::Last(len) => value.len().checked_sub(len).and_then(|start| value.get(start..)),
///             };
///             Some(Found { bytes: bytes.unwrap_or_default().to_vec(), version: None })
///         };
///         wants.iter().map(|want| Ok(found(want))).collect()
///     }
///     fn replace(&self, changes: Vec<(String, Option<Vec<u8>>)>) -> Result<(), String> {
///         let mut values = self.0.lock().unwrap();
///         for (key, value) in changes {
///             match value {
///                 Some(value) => values.insert(key, value),
///                 None => values.remove(&key),
///             };
///         }
///         Ok(())
///     }
/// }
///
/// let store: Arc<dyn Remote> = Arc::new(Memory::default());
/// let x = Create::new(&[100], DType::I32, &[10]).shards(&[50]).create_in(store.clone(), "x")?;
/// x.set(&ix![&[99i64, 0]], &[7, 8])?;
/// let x = Array::open_in(store, "x")?;
/// assert_eq!(x.index(&ix![&[0i64, 1, 99]])?.to_vec::<i32>()?, [8, 0, 7]);
/// // The index of each shard, and a chunk of each.
/// assert_eq!(x.traffic().requests, 4);
/// # Ok::<(), takewise_zarr::Error>(())
/// ```
pub trait Remote: Debug + Send + Sync {
    /// What messages call it.
    fn name(&self) -> String;

    /// What is wanted of each key, in the order asked for; `None` for a key that is not there.
    fn fetch(&self, wants: &[(String, Want)]) -> Vec<std::result::Result<Option<Found>, String>>;

    /// Replaces values, or takes keys away. An error says which; the others may have been replaced.
    fn replace(&self, changes: Vec<(String, Option<Vec<u8>>)>) -> std::result::Result<(), String>;

    /// Told when a call that replaces values has ended, and whether all of it went well. A store that has kept values back until
    /// then lets them take their place now, or drops them.
    fn finish(&self, _well: bool) -> std::result::Result<(), String> {
        Ok(())
    }

    /// Requests that it is given at a time.
    fn requests(&self) -> usize {
        64
    }

    /// Bytes between two wanted ranges of a key that are read along: what the store sends in the time that one more request
    /// costs. With many requests under way that is their latency, divided by their number, times the bandwidth.
    fn gap(&self) -> u64 {
        4 << 10
    }
}

/// Bytes that are asked for at a time, but for a range or a file that is larger.
const AT_ONCE: usize = 64 << 20;

/// Times that a shard is begun anew because it changes while it is read.
const TRIES: usize = 5;

/// Runs `take` on what is found for each of `wants`, a window of requests at a time; the next window is under way meanwhile.
fn windows(
    array: &Array,
    store: &dyn Remote,
    wants: &[(String, Want)],
    take: impl Fn(usize, Option<Found>) -> Result<()> + Sync + Send,
) -> Result<()> {
    let expected = |want: &Want| match want {
        Want::Whole => array.meta.chain.size(),
        Want::Range(_, len) | Want::Last(len) => *len,
    };
    let window = |from: usize| {
        let mut bytes = 0;
        let fits = |(_, want): &&(String, Want)| {
            bytes += expected(want);
            bytes <= AT_ONCE
        };
        let count = wants[from..].iter().take(store.requests().max(1)).take_while(fits).count().max(1);
        from..wants.len().min(from + count)
    };
    let fetch = |range: Range<usize>| if range.is_empty() { Vec::new() } else { store.fetch(&wants[range]) };
    let mut at = window(0);
    let mut found = fetch(at.clone());
    while !at.is_empty() {
        let next = window(at.end);
        let (done, following) = both(
            || {
                let slots: Vec<_> = found.into_iter().map(|one| Mutex::new(Some(one))).collect();
                if slots.len() != at.len() {
                    let text = format!("{} answers came to {} requests", slots.len(), at.len());
                    return Err(Error::store(store.name(), text));
                }
                each(slots.len(), |k| {
                    let number = at.start + k;
                    let (key, want) = &wants[number];
                    let one = slots[k].lock().unwrap_or_else(PoisonError::into_inner).take();
                    let found = one.transpose().map_err(|text| Error::store(array.store.name_of(key), text))?.flatten();
                    if let Some(found) = &found {
                        // What is of another state is begun anew, however long it is.
                        array.counter.read(found.bytes.len());
                        if let Want::Range(_, len) | Want::Last(len) = *want
                            && found.version.is_none()
                            && found.bytes.len() != len
                        {
                            let text = format!("is cut short: {} bytes came of {len}", found.bytes.len());
                            return Err(Error::store(array.store.name_of(key), text));
                        }
                    }
                    take(number, found)
                })
            },
            || fetch(next.clone()),
        );
        done?;
        (at, found) = (next, following.unwrap_or_default());
    }
    Ok(())
}

/// Reads chunks that are files of their own.
pub(crate) fn plain(read: &Read<'_>, store: &dyn Remote) -> Result<()> {
    // Keys are longer than what the plan has of a chunk: there is a list of some at a time.
    const SOME: usize = 1 << 14;
    let source = &read.array.store;
    for first in (0..read.chunks.len()).step_by(SOME) {
        let touched = (first..read.chunks.len().min(first + SOME)).filter_map(|number| read.chunks.touched(number));
        let wants: Vec<(String, Want)> =
            touched.map(|touched| (source.key(&read.array.meta.key(touched.at())), Want::Whole)).collect();
        windows(read.array, store, &wants, |k, found| match found {
            None => read.missing(first + k),
            Some(found) => read.decoded(first + k, found.bytes, &source.name_of(&wants[k].0)),
        })?;
    }
    Ok(())
}

/// Chunks of a shard that one range holds, and the state of the shard that says so.
struct Piece {
    shard: usize,
    key: String,
    parts: Vec<Part>,
    version: Option<String>,
}

/// Touched chunks of one shard that are still to be read.
struct Left {
    shard: usize,
    numbers: Vec<usize>,
}

/// Reads chunks of shards: the indexes that are not kept, then the ranges. What changes in between is begun anew.
pub(crate) fn sharded(read: &Read<'_>, store: &dyn Remote, sharding: &Sharding) -> Result<()> {
    let list = by_file(read.array, read.chunks);
    let numbers = |group: &[(usize, usize)]| group.iter().map(|(_, number)| *number).collect();
    let groups = list.chunk_by(|a, b| a.0 == b.0);
    let mut left: Vec<Left> = groups.map(|group| Left { shard: group[0].0, numbers: numbers(group) }).collect();
    for _ in 0..TRIES {
        let pieces = pieces(read, store, sharding, &left)?;
        let again = Mutex::new(Vec::new());
        let wants: Vec<(String, Want)> = pieces.iter().map(|piece| (piece.key.clone(), span(&piece.parts))).collect();
        windows(read.array, store, &wants, |k, found| {
            let piece = &pieces[k];
            let name = read.array.store.name_of(&piece.key);
            match found {
                Some(found) if found.version.is_none() || found.version == piece.version => {
                    read.run(&piece.parts, &found.bytes, &name)
                }
                _ => {
                    read.array.indexes.forget(piece.shard);
                    let numbers = piece.parts.iter().map(|part| part.number).collect();
                    again.lock().unwrap_or_else(PoisonError::into_inner).push(Left { shard: piece.shard, numbers });
                    Ok(())
                }
            }
        })?;
        left = again.into_inner().unwrap_or_else(PoisonError::into_inner);
        if left.is_empty() {
            return Ok(());
        }
        left.sort_by_key(|one| one.shard);
        left.dedup_by(|after, before| {
            let same = after.shard == before.shard;
            if same {
                before.numbers.append(&mut after.numbers);
            }
            same
        });
    }
    Err(Error::store(read.array.name(), "changes faster than it can be read"))
}

/// The ranges of some shards. Chunks that were never written are filled on the way.
fn pieces(read: &Read<'_>, store: &dyn Remote, sharding: &Sharding, left: &[Left]) -> Result<Vec<Piece>> {
    let source = &read.array.store;
    let key = |one: &Left| {
        let at = one.numbers.first().and_then(|number| read.chunks.touched(*number));
        source.key(&read.array.meta.key(&file_of(read.array, at.as_ref().map_or(&[], |touched| touched.at()))))
    };
    let found = Mutex::new(Vec::new());
    let add = |one: &Left, key: &str, index: &Index, version: Option<String>| -> Result<()> {
        let parts = read.parts(sharding, &one.numbers, index, &source.name_of(key))?;
        let runs = runs(&parts, read.array.gap);
        let runs = runs.into_iter().map(|run| Piece {
            shard: one.shard,
            key: key.to_string(),
            parts: run.to_vec(),
            version: version.clone(),
        });
        found.lock().unwrap_or_else(PoisonError::into_inner).extend(runs);
        Ok(())
    };
    let mut asked: Vec<&Left> = Vec::new();
    for one in left {
        match read.array.indexes.kept(one.shard) {
            Some((Stamp::Version(version), index)) => add(one, &key(one), &index, Some(version))?,
            _ => asked.push(one),
        }
    }
    let want = if sharding.last { Want::Last(sharding.size) } else { Want::Range(0, sharding.size) };
    let wants: Vec<(String, Want)> = asked.iter().map(|one| (key(one), want)).collect();
    windows(read.array, store, &wants, |k, answer| {
        let (one, key) = (asked[k], &wants[k].0);
        let Some(answer) = answer else {
            return one.numbers.iter().try_for_each(|number| read.missing(*number));
        };
        let index = Arc::new(sharding.decoded(answer.bytes, &source.name_of(key))?);
        if let Some(version) = &answer.version {
            read.array.indexes.keep(one.shard, Stamp::Version(version.clone()), index.clone());
        }
        add(one, key, &index, answer.version)
    })?;
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
}
