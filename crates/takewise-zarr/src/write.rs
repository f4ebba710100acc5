//! Writing: each file that is touched is read once (or not at all, where all of it is overwritten), changed and replaced.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::far::Remote;
use crate::pool::each;
use crate::read;
use crate::shard::{Index, MISSING, Sharding};
use crate::staged::Staged;
use crate::store::{Source, Want};
use std::sync::{Mutex, PoisonError};
use takewise::chunks::{Chunks, Run, Touched};
use takewise::{AnyView, AnyViewMut, Reduce, Rules, ops, threads};

/// What values do to what is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum How {
    /// They take its place.
    Store,
    /// They are combined with it one after the other.
    Combine(Reduce),
    /// All of a place are combined at once, with what is there or without it.
    Reduce(Reduce, bool),
}

/// One write, under way.
struct Write<'w> {
    array: &'w Array,
    chunks: &'w Chunks,
    values: AnyView<'w>,
    how: How,
    /// Whether the chunks of one shard are divided among threads: there are fewer shards than these.
    divided: bool,
}

/// A touched chunk, and whether all of it is overwritten.
struct TouchedChunk<'w> {
    touched: Touched<'w>,
    whole: bool,
}

/// A touched file.
struct File<'w> {
    number: usize,
    key: String,
    /// Whether nothing of what it holds stays.
    overwritten: bool,
    parts: Vec<TouchedChunk<'w>>,
}

/// Bytes of decoded files that are changed at a time in a store, but for one that is larger.
const AT_ONCE: usize = 64 << 20;

/// Writes values into what `chunks` touch.
pub(crate) fn write(array: &Array, chunks: &Chunks, values: AnyView<'_>, how: How) -> Result<()> {
    if chunks.grid() != &array.grid || !chunks.is_whole() {
        let text = "the plan was made for another array, or leaves elements out";
        return Err(Error::unsupported(array.name(), text));
    }
    let list = read::by_file(array, chunks);
    let files: Vec<&[(usize, usize)]> = list.chunk_by(|a, b| a.0 == b.0).collect();
    let write = Write { array, chunks, values, how, divided: files.len() < threads::threads() };
    // Two writes through one array would each lose what the other changes in a chunk of both.
    let _turn = array.writing.lock();
    match &array.store {
        Source::Folder(folder) => {
            let staged = Staged::new(folder);
            each(files.len(), |k| {
                let file = write.file(files[k]);
                let old = if file.overwritten { None } else { array.store.get(&file.key)? };
                staged.put(&file.key, write.changed(&file, old)?.as_deref())
            })?;
            staged.commit()
        }
        Source::Remote(store, _) => {
            // As many at a time as keeps the store busy, with the memory of some shards.
            let size = array.meta.per_file().iter().product::<usize>().saturating_mul(array.meta.chain.size());
            let most = store.requests().min(AT_ONCE / size.max(1)).max(1);
            let done = files.chunks(most).try_for_each(|window| write.window(&**store, window));
            let end = store.finish(done.is_ok()).map_err(|text| Error::store(array.name(), text));
            done.and(end)
        }
    }
}

impl Write<'_> {
    /// One file: (number of the file, number of the chunk) pairs, at least one.
    fn file(&self, group: &[(usize, usize)]) -> File<'_> {
        let parts: Vec<TouchedChunk<'_>> = group.iter().filter_map(|(_, number)| self.part(*number)).collect();
        let at = read::file_of(self.array, parts.first().map_or(&[], |part| part.touched.at()));
        let overwritten = self.overwrites(&parts, &at);
        let number = group.first().map_or(0, |first| first.0);
        File { number, key: self.array.meta.key(&at), overwritten, parts }
    }

    /// A file's new bytes from its old ones; `None` if there is to be none.
    fn changed(&self, file: &File<'_>, old: Option<Vec<u8>>) -> Result<Option<Vec<u8>>> {
        let (name, counter) = (self.array.store.name(&file.key), &self.array.counter);
        if let Some(bytes) = &old {
            counter.read(bytes.len());
        }
        let new = match (&self.array.meta.sharding, file.parts.first()) {
            (Some(sharding), _) => self.shard(sharding, &file.parts, old, &name)?,
            (None, Some(part)) => self.encoded(part, old, &name)?,
            (None, None) => old,
        };
        self.array.indexes.forget(file.number);
        counter.wrote(new.as_ref().map_or(0, Vec::len));
        Ok(new)
    }

    /// Some files of a store: read at once, changed side by side, written at once.
    fn window(&self, store: &dyn Remote, groups: &[&[(usize, usize)]]) -> Result<()> {
        let files: Vec<File<'_>> = groups.iter().map(|group| self.file(group)).collect();
        let source = &self.array.store;
        let wanted: Vec<usize> = (0..files.len()).filter(|&k| !files[k].overwritten).collect();
        let wants: Vec<(String, Want)> = wanted.iter().map(|&k| (source.key(&files[k].key), Want::Whole)).collect();
        let answers = if wants.is_empty() { Vec::new() } else { store.fetch(&wants) };
        if answers.len() != wants.len() {
            return Err(Error::store(
                store.name(),
                format!("{} answers came to {} requests", answers.len(), wants.len()),
            ));
        }
        let slots: Vec<Mutex<Option<Vec<u8>>>> = files.iter().map(|_| Mutex::new(None)).collect();
        for (&k, answer) in wanted.iter().zip(answers) {
            let found = answer.map_err(|text| Error::store(source.name(&files[k].key), text))?;
            *slots[k].lock().unwrap_or_else(PoisonError::into_inner) = found.map(|found| found.bytes);
        }
        each(files.len(), |k| {
            let old = slots[k].lock().unwrap_or_else(PoisonError::into_inner).take();
            let new = self.changed(&files[k], old)?;
            *slots[k].lock().unwrap_or_else(PoisonError::into_inner) = new;
            Ok(())
        })?;
        let new = slots.into_iter().map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner));
        let changes = files.iter().map(|file| source.key(&file.key)).zip(new).collect();
        store.replace(changes).map_err(|text| Error::store(source.root(), text))
    }

    fn part(&self, number: usize) -> Option<TouchedChunk<'_>> {
        let touched = self.chunks.touched(number)?;
        let anew = matches!(self.how, How::Store | How::Reduce(_, false));
        let whole = anew && whole(&touched, self.chunks.grid().chunk());
        Some(TouchedChunk { touched, whole })
    }

    /// Whether all that a file holds is overwritten.
    fn overwrites(&self, parts: &[TouchedChunk<'_>], at: &[usize]) -> bool {
        let within = match &self.array.meta.sharding {
            None => 1,
            // Shards at the end of an axis have fewer chunks in the array.
            Some(sharding) => {
                let counts = self.array.grid.counts().iter().zip(&sharding.counts).zip(at);
                counts.map(|((&all, &per), &k)| per.min(all - k * per)).product()
            }
        };
        parts.len() == within && parts.iter().all(|part| part.whole)
    }

    /// A chunk's new bytes from its old ones; `None` if all of it is the fill value, which is not stored.
    fn encoded(&self, part: &TouchedChunk<'_>, old: Option<Vec<u8>>, name: &str) -> Result<Option<Vec<u8>>> {
        let (chain, filled) = (&self.array.meta.chain, self.array.meta.filled()?);
        let mut elements = match old {
            Some(bytes) if !part.whole => {
                self.array.counter.decoded();
                chain.decode(bytes).map_err(|text| Error::codec(name, text))?.into_owned()
            }
            _ => filled.to_vec(),
        };
        {
            let dtype = self.array.meta.dtype;
            let shape = self.chunks.grid().chunk();
            match self.how {
                How::Store => {
                    part.touched.store(&self.values, &mut AnyViewMut::of_elements(&mut elements, dtype, shape)?)?;
                }
                How::Combine(how) => {
                    let mut chunk = AnyViewMut::of_elements(&mut elements, dtype, shape)?;
                    part.touched.combine(&self.values, &mut chunk, how)?;
                }
                How::Reduce(how, with) => {
                    let mut chunk = AnyViewMut::of_elements(&mut elements, dtype, &[shape.iter().product()])?;
                    reduce(&part.touched, &self.values, &mut chunk, how, with)?;
                }
            }
        }
        if elements == filled {
            return Ok(None);
        }
        chain.encode(elements).map(Some).map_err(|text| Error::encoder(name, text))
    }

    /// A shard's new bytes from its old ones. Chunks that are not touched are taken over as they are encoded.
    fn shard(
        &self,
        sharding: &Sharding,
        parts: &[TouchedChunk<'_>],
        old: Option<Vec<u8>>,
        name: &str,
    ) -> Result<Option<Vec<u8>>> {
        let old = old.unwrap_or_default();
        let mut index = match old.is_empty() {
            true => vec![MISSING; sharding.counts.iter().product()],
            false => sharding.index_of(&old, name)?,
        };
        let bytes = |place: Option<&(u64, u64)>| -> Result<Option<&[u8]>> {
            let cut = || Error::codec(name, "its index points past its end");
            let &(start, len) = place.ok_or_else(cut)?;
            if (start, len) == MISSING {
                return Ok(None);
            }
            let (from, len) = (usize::try_from(start).ok(), usize::try_from(len).ok());
            let range = from.zip(len).and_then(|(from, len)| Some(from..from.checked_add(len)?));
            range.and_then(|range| old.get(range)).map(Some).ok_or_else(cut)
        };
        let change = |part: &TouchedChunk<'_>| -> Result<(usize, Option<Vec<u8>>)> {
            let at = part.touched.at().iter().zip(&sharding.counts);
            let inner = at.fold(0, |id, (k, per)| id * per + k % per);
            let old = if part.whole { None } else { bytes(index.get(inner))?.map(<[u8]>::to_vec) };
            Ok((inner, self.encoded(part, old, name)?))
        };
        let mut changed: Vec<(usize, Option<Vec<u8>>)> = match self.divided {
            true => {
                let done = Mutex::new(Vec::with_capacity(parts.len()));
                each(parts.len(), |k| {
                    let one = change(&parts[k])?;
                    done.lock().unwrap_or_else(PoisonError::into_inner).push(one);
                    Ok(())
                })?;
                done.into_inner().unwrap_or_else(PoisonError::into_inner)
            }
            false => parts.iter().map(change).collect::<Result<_>>()?,
        };
        changed.sort_unstable_by_key(|(inner, _)| *inner);
        let mut new = vec![0; if sharding.last { 0 } else { sharding.size }];
        let mut places: Index = Vec::with_capacity(index.len());
        let mut next = changed.iter().peekable();
        for (inner, place) in index.iter().enumerate() {
            let chunk = match next.next_if(|(k, _)| *k == inner) {
                Some((_, chunk)) => chunk.as_deref(),
                None => bytes(Some(place))?,
            };
            let start = new.len() as u64;
            new.extend_from_slice(chunk.unwrap_or_default());
            places.push(chunk.map_or(MISSING, |chunk| (start, chunk.len() as u64)));
        }
        index = places;
        if index.iter().all(|place| *place == MISSING) {
            return Ok(None);
        }
        let index = sharding.encoded(&index).map_err(|text| Error::encoder(name, text))?;
        match sharding.last {
            true => new.extend_from_slice(&index),
            false => new[..sharding.size].copy_from_slice(&index),
        }
        Ok(Some(new))
    }
}

/// Combines all that a chunk gets of a place at once, by the engine's operation on the chunk as one axis.
fn reduce(
    touched: &Touched<'_>,
    values: &AnyView<'_>,
    chunk: &mut AnyViewMut<'_>,
    how: Reduce,
    with: bool,
) -> Result<()> {
    let (mut at, mut places) = (Vec::with_capacity(touched.len()), Vec::with_capacity(touched.len()));
    touched.for_each(|local, place| {
        at.push(local);
        places.push(place);
    });
    let rules = &Rules::NEUTRAL;
    let picked = match values.rank() {
        0 => ops::index(&values.expand(&[at.len() as i64])?, &[], rules)?,
        _ => ops::take(values, &places, rules)?,
    };
    Ok(ops::scatter_reduce_(chunk, 0, &at, picked.read_any()?.view(), how, with, rules)?)
}

/// Whether an index names every element of a chunk that lies in the array.
fn whole(touched: &Touched<'_>, chunk: &[usize]) -> bool {
    let count = touched.extents().iter().product();
    if touched.len() < count {
        return false;
    }
    if touched.runs().all(|run| matches!(run, Run::Line { .. })) {
        return true;
    }
    let mut seen = vec![false; chunk.iter().product()];
    let mut left: usize = count;
    touched.for_each(|local, _| left -= usize::from(!std::mem::replace(&mut seen[local], true)));
    left == 0
}
