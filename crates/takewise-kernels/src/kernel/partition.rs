//! Sorting values by where they go, coarsely and stably, in whole cache lines.
//!
//! A value and its place form an item, and the items of a bucket lie one after another. Each bucket fills a line of its own
//! in the nearest cache, and a full line goes to memory at once, past the caches: so thousands of streams cost no more than
//! one. Items hold bytes of no particular type, as the moves do.
//!
//! ```text
//! for each value k, in order:
//!     bucket = place[k] >> shift
//!     line[bucket][end[bucket] mod items of a line] = (place[k], value[k])
//!     end[bucket] += 1
//!     if the line is full: stream it to the memory before end[bucket]
//! for each bucket: copy what its last line holds
//! ```
//!
//! This is one pass of a radix sort whose writes are combined in cache: J. Wassenberg and P. Sanders, *Engineering a Multi-core Radix
//! Sort* (Euro-Par 2011).

use super::cpu::{LINE, per_level};
use super::stream;
use std::mem::MaybeUninit;

/// A line being filled.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct CacheLine([MaybeUninit<u8>; LINE]);

impl CacheLine {
    pub const EMPTY: CacheLine = CacheLine([MaybeUninit::uninit(); LINE]);
}

/// A value and its place.
#[repr(C)]
struct PlacedValue<V> {
    place: u32,
    value: MaybeUninit<V>,
}

/// Bytes of an item, and where its value stands in it, for values of so many bytes; `None` of longer ones, which cost more to
/// move twice than their places cost to meet.
#[inline]
pub fn item(chunk: usize) -> Option<(usize, usize)> {
    Some(match chunk {
        1 | 2 | 4 => (8, 4),
        _ => return None,
    })
}

/// Values sorted by bucket: `places[k] >> shift` is the bucket of value `k`, and the last bucket is for what is left out.
pub struct Bucketed<'s> {
    pub shift: u32,
    /// Where the items of each bucket begin, and where the next one goes.
    pub starts: &'s [u32],
    pub ends: &'s mut [u32],
    pub lines: &'s mut [CacheLine],
    /// All items, aligned to a line.
    pub items: *mut u8,
}

per_level! {
    /// Offsets as places from `low` on, those outside `span` as `beyond`; counts the places of each bucket.
    ///
    /// # Safety
    /// None of its own.
    pub unsafe fn count_places(
        offsets: &[isize], low: isize, span: usize, beyond: u32, shift: u32, places: &mut [u32], counts: &mut [u32],
    ) {
        all: count_places_body
    }
}

#[inline(always)]
fn count_places_body(
    offsets: &[isize],
    low: isize,
    span: usize,
    beyond: u32,
    shift: u32,
    places: &mut [u32],
    counts: &mut [u32],
) {
    for (o, place) in offsets.iter().zip(places) {
        let at = o.wrapping_sub(low) as usize;
        *place = if at < span { at as u32 } else { beyond };
        counts[(*place >> shift) as usize] += 1;
    }
}

per_level! {
    /// Puts `chunk` bytes of each `linear[k * step]` among the items of its bucket, in order.
    ///
    /// # Safety
    /// `linear` is readable at all its places (L1). For each bucket but the last there is room for its items from `starts`
    /// on, in `items`, and `ends` begins as `starts`; the last starts and ends at 0. [`item`] knows `chunk`.
    pub unsafe fn distribute(chunk: usize, places: &[u32], linear: *const u8, step: isize, to: &mut Bucketed) {
        all: distribute_body
    }
}

#[inline(always)]
unsafe fn distribute_body(chunk: usize, places: &[u32], linear: *const u8, step: isize, to: &mut Bucketed) {
    // SAFETY: passed on.
    unsafe {
        match chunk {
            1 => distribute_of::<u8>(places, linear, step, to),
            2 => distribute_of::<u16>(places, linear, step, to),
            4 => distribute_of::<u32>(places, linear, step, to),
            _ => {}
        }
    }
}

#[inline(always)]
unsafe fn distribute_of<V: Copy>(places: &[u32], linear: *const u8, step: isize, to: &mut Bucketed) {
    let each = LINE / size_of::<PlacedValue<V>>();
    let Bucketed { shift, starts, ends, lines, items } = to;
    let items = items.cast::<PlacedValue<V>>();
    let last = lines.len() - 1;
    for (k, &place) in places.iter().enumerate() {
        let bucket = (place >> *shift) as usize;
        let (end, line) = (&mut ends[bucket], lines[bucket].0.as_mut_ptr().cast::<PlacedValue<V>>());
        let slot = *end as usize % each;
        // SAFETY: L1 for the value; a slot of the line, which is aligned.
        unsafe {
            let value = linear.offset(k as isize * step).cast::<MaybeUninit<V>>().read_unaligned();
            line.add(slot).write(PlacedValue { place, value });
        }
        *end += u32::from(bucket != last);
        if slot == each - 1 {
            let first = *end as usize - each;
            let from = (starts[bucket] as usize).saturating_sub(first);
            // SAFETY: room for the bucket's items by the caller; whole lines begin at line boundaries.
            unsafe {
                if from == 0 {
                    stream::copy(line.cast(), items.add(first).cast(), LINE);
                } else {
                    std::ptr::copy_nonoverlapping(line.add(from), items.add(first + from), each - from);
                }
            }
        }
    }
    // The beginnings of lines that are left.
    for bucket in 0..last {
        let (end, start) = (ends[bucket] as usize, starts[bucket] as usize);
        let first = end - end % each;
        let from = start.saturating_sub(first);
        if first + from < end {
            let line = lines[bucket].0.as_ptr().cast::<PlacedValue<V>>();
            // SAFETY: as above.
            unsafe { std::ptr::copy_nonoverlapping(line.add(from), items.add(first + from), end - first - from) };
        }
    }
    stream::settle();
}

/// The places of items `from..from + places.len()`, relative to `low`.
///
/// # Safety
/// There are that many items, written by [`distribute`], of `each` bytes.
#[inline]
pub unsafe fn places_of(items: *const u8, each: usize, from: usize, low: isize, places: &mut [isize]) {
    for (k, place) in places.iter_mut().enumerate() {
        // SAFETY: by the caller; an item begins with its place.
        *place = low + unsafe { items.add((from + k) * each).cast::<u32>().read() } as isize;
    }
}
