//! Sorting positions by chunk: stable, by the digits of the chunk's number, in passes of at most eleven bits.

/// Positions sorted by chunk.
pub(crate) struct Sorted {
    /// The chunk of each run, ascending.
    pub(crate) ids: Vec<usize>,
    /// Where each run ends.
    pub(crate) ends: Vec<usize>,
    pub(crate) local: Vec<usize>,
    /// Which position each was.
    pub(crate) order: Vec<usize>,
}

/// Bits of a digit: its counters and the heads of its buckets stay in the first cache.
const DIGIT: u32 = 11;

/// Sorts positions by `ids`; those of [`usize::MAX`] are left out. `None` if there is no memory for it.
///
/// Cost: a pass over the positions for each eleven bits of the range of ids, none where they ascend already. Memory: 16 bytes
/// for each position beside what is given and what is returned.
pub(crate) fn sorted(ids: Vec<usize>, mut local: Vec<usize>) -> Option<Sorted> {
    let (mut low, mut high, mut last, mut kept, mut ascends) = (usize::MAX, 0, 0, 0, true);
    for &id in &ids {
        if id != usize::MAX {
            (low, high, kept) = (low.min(id), high.max(id), kept + 1);
            ascends &= id >= last;
            last = id;
        }
    }
    if kept == 0 {
        return Some(Sorted { ids: Vec::new(), ends: Vec::new(), local: Vec::new(), order: Vec::new() });
    }
    let whole = kept == ids.len();
    if ascends && whole {
        let mut order = room(kept)?;
        order.extend(0..kept);
        return runs(ids.iter().copied(), local, order);
    }
    let bits = |n: usize| usize::BITS - n.leading_zeros();
    let (wide, place) = (bits(high - low), bits(ids.len()));
    if wide + place > u64::BITS {
        return far(&ids, &local);
    }
    // The chunk's number over the position's: positions ascend to begin with, so sorting by the upper bits is enough.
    let mut keys: Vec<u64> = room(kept)?;
    let key = |(k, &id): (usize, &usize)| (id != usize::MAX).then(|| ((id - low) as u64) << place | k as u64);
    keys.extend(ids.iter().enumerate().filter_map(key));
    drop(ids);
    if !ascends {
        by_digits(&mut keys, place, wide)?;
    }
    let mut order: Vec<usize> = room(kept)?;
    let mask = (1u64 << place) - 1;
    order.extend(keys.iter().map(|key| (key & mask) as usize));
    let mut moved = room(kept)?;
    moved.extend(order.iter().map(|&k| local[k]));
    local = moved;
    runs(keys.iter().map(|key| (key >> place) as usize + low), local, order)
}

fn room<T>(count: usize) -> Option<Vec<T>> {
    let mut room = Vec::new();
    room.try_reserve_exact(count).ok()?;
    Some(room)
}

/// Sorts keys by `wide` bits from bit `place` on.
fn by_digits(keys: &mut Vec<u64>, place: u32, wide: u32) -> Option<()> {
    let passes = wide.div_ceil(DIGIT).max(1);
    let width = wide.div_ceil(passes);
    let mut spare: Vec<u64> = room(keys.len())?;
    spare.resize(keys.len(), 0);
    for pass in 0..passes {
        let shift = place + pass * width;
        let digit = |key: u64| (key >> shift) as usize & ((1 << width) - 1);
        let mut heads = vec![0usize; 1 << width];
        keys.iter().for_each(|&key| heads[digit(key)] += 1);
        let mut head = 0;
        for count in &mut heads {
            (*count, head) = (head, head + *count);
        }
        for &key in keys.iter() {
            let head = &mut heads[digit(key)];
            spare[*head] = key;
            *head += 1;
        }
        std::mem::swap(keys, &mut spare);
    }
    Some(())
}

/// The same for numbers that do not fit one word together.
#[cold]
fn far(ids: &[usize], local: &[usize]) -> Option<Sorted> {
    let mut order: Vec<usize> = room(ids.len())?;
    order.extend((0..ids.len()).filter(|&k| ids[k] != usize::MAX));
    order.sort_unstable_by_key(|&k| (ids[k], k));
    let mut moved = room(order.len())?;
    moved.extend(order.iter().map(|&k| local[k]));
    runs(order.iter().map(|&k| ids[k]).collect::<Vec<_>>().into_iter(), moved, order)
}

fn runs(ids: impl Iterator<Item = usize>, local: Vec<usize>, order: Vec<usize>) -> Option<Sorted> {
    let (mut firsts, mut ends) = (Vec::new(), Vec::new());
    let mut count = 0;
    for id in ids {
        if firsts.last() != Some(&id) {
            if count > 0 {
                ends.push(count);
            }
            firsts.push(id);
        }
        count += 1;
    }
    ends.push(count);
    Some(Sorted { ids: firsts, ends, local, order })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the standard library's stable sort.
    fn check(ids: &[usize]) {
        let local: Vec<usize> = (0..ids.len()).map(|k| k * 3).collect();
        let got = sorted(ids.to_vec(), local).unwrap();
        let mut want: Vec<(usize, usize)> =
            ids.iter().copied().enumerate().map(|(k, id)| (id, k)).filter(|(id, _)| *id != usize::MAX).collect();
        want.sort_by_key(|(id, _)| *id);
        assert_eq!(got.order, want.iter().map(|(_, k)| *k).collect::<Vec<_>>());
        assert_eq!(got.local, want.iter().map(|(_, k)| k * 3).collect::<Vec<_>>());
        let starts = std::iter::once(0).chain(got.ends.iter().copied());
        let spread: Vec<usize> =
            got.ids.iter().zip(starts.zip(&got.ends)).flat_map(|(id, (a, b))| vec![*id; b - a]).collect();
        assert_eq!(spread, want.iter().map(|(id, _)| *id).collect::<Vec<_>>());
        assert!(got.ids.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn it_is_the_stable_sort() {
        let mut seed = 1u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as usize
        };
        for range in [1, 2, 5, 2047, 2048, 2049, 1 << 22, (1 << 22) + 1, 1 << 33, 1 << 52, isize::MAX as usize] {
            for count in [0, 1, 2, 3, 100, 5000] {
                let base = next() % 1000;
                let mut ids: Vec<usize> = (0..count).map(|_| (base + next() % range) & isize::MAX as usize).collect();
                check(&ids);
                ids.sort_unstable();
                check(&ids);
                ids.iter_mut().step_by(3).for_each(|id| *id = usize::MAX);
                check(&ids);
                ids.reverse();
                check(&ids);
            }
        }
    }
}
