//! Accumulations that need all contributions of a place together, where places are too far apart to keep a counter for
//! each, or rows of half floats so long that sorting them costs little (see [`dense`](crate::exec::group::dense), which gives the same
//! bits).
//!
//! Index positions are sorted by destination, stably, so each group holds its contributions in index order
//! and is finished in registers, or in a few KiB of the first-level cache. Memory is [`EACH`] bytes per index position at most,
//! whatever the size of the destination; the destination itself is never converted or copied. Where that is more than a call
//! may take, [`group`](crate::exec::group) asks for a part of the places at a time.
//!
//! ```text
//! pairs = (place of position k, where its value lies), for each k
//! sort pairs by place, stably
//! for each run of pairs with one place:
//!     sum = what is there, if it counts
//!     for each pair of the run, in order: sum = combine(sum, its value)
//!     destination[place] = round(sum), or sum / number for a mean
//! ```
//!
//! It is the aggregation by sorting of databases: G. Graefe, *Query Evaluation Techniques for Large Databases* (ACM Computing Surveys 25,
//! 1993), section 4.

use crate::dtype::DType;
use crate::error::{Error, Fault, Result};
use crate::exec::call::{Call, Group, Outcome, Sides};
use crate::exec::diagnose::{self, for_all_positions};
use crate::exec::group::job::Job;
use crate::exec::lanes::lanes;
use crate::exec::mask::Cursor;
use crate::exec::parts;
use crate::exec::resolve::{BLOCK, LongBlock, SKIP, even_linear, linear_offsets};
use crate::index::rules::Width;
use crate::kernel::cpu::{prefetch, prefetch_all};
use crate::kernel::halves;
use crate::kernel::move_::Linear;
use crate::kernel::reduce::{Number, Reduce, accumulate_wide, average_halves, combining, identity, with_number};
use crate::kernel::stored::{self, Passage};
use crate::memory::{Scratch, scratch};
use crate::plan::Plan;
use crate::threads;
use half::{bf16, f16};
use std::ops::Range;

/// Bytes of memory for each index position that is sorted: its pair, twice, and where its value lies; and for the values of
/// the longest group.
pub(crate) const EACH: usize = 48;

/// Runs the accumulation.
///
/// # Safety
/// The arrays must be those of the job's plan (L1, L3).
pub(crate) unsafe fn run(job: &Job) -> Result<()> {
    let Call { plan, operands, views, .. } = job.call;
    let mut values = ValueOffsets { plan, even: even_linear(plan), known: 0..0, block: LongBlock::new(0) };
    let total = plan.positions();
    let (Some(s), Some(m)) = (&plan.select, operands.first()) else {
        let mut places = room(plan, job.moved())?;
        let asked = |o: &isize| *o != SKIP && job.window.is_none_or(|w| (w.low..w.high).contains(o));
        // SAFETY: passed on.
        unsafe {
            for_all_positions(plan, operands, |k, o| {
                if asked(&o) {
                    places.push((o, values.at(k)))
                }
            })
            .map_err(|()| diagnose::out_of_range(plan, views))?;
            return finish_all(job, places);
        }
    };
    // SAFETY: the mask is the plan's.
    let mut cursor = unsafe { Cursor::new(s, m.ptr, 0, Cursor::extent(s)) };
    let (mut found, mut done) = (Vec::new(), 0);
    // A mask selects a place once, so that what is at hand can be finished.
    let batch = (job.most / EACH).max(BLOCK);
    while done < total {
        let mut places = room(plan, batch.min(total - done))?;
        while places.len() < batch.min(total - done) {
            cursor.fill(plan.offset, BLOCK, &mut found);
            if found.is_empty() {
                return Err(diagnose::changed(plan));
            }
            let first = done + places.len();
            found.truncate(total - first);
            found.iter().enumerate().for_each(|(k, o)| places.push((*o, values.at(first + k))));
        }
        done += places.len();
        // SAFETY: passed on.
        unsafe { finish_all(job, places)? };
    }
    Ok(())
}

/// Where the values of index positions lie, which are asked for in order.
struct ValueOffsets<'p> {
    plan: &'p Plan,
    even: Option<isize>,
    known: Range<usize>,
    block: LongBlock,
}

impl ValueOffsets<'_> {
    fn at(&mut self, k: usize) -> isize {
        if let Some(step) = self.even {
            return k as isize * step;
        }
        if !self.known.contains(&k) {
            self.known = k..(k + BLOCK).min(self.plan.positions());
            linear_offsets(self.plan, k, self.known.len(), &mut self.block);
        }
        self.block.linear[k - self.known.start]
    }
}

/// Where places and values lie.
type Pairs = Scratch<(isize, isize)>;

fn room(plan: &Plan, pairs: usize) -> Result<Pairs> {
    scratch(pairs).ok_or_else(|| no_memory(plan, pairs))
}

fn no_memory(plan: &Plan, pairs: usize) -> Error {
    plan.rules.fail(Fault::Memory { op: plan.op, bytes: pairs.checked_mul(EACH) })
}

/// Pairs of one place are side by side in a share.
type Share<'a> = &'a [(isize, isize)];

fn groups(share: Share) -> impl Iterator<Item = Share> {
    share.chunk_by(|a, b| a.0 == b.0)
}

/// Sorts (place, value) pairs and finishes each place.
///
/// # Safety
/// As [`run`]; R1 and L1 for the pairs.
unsafe fn finish_all(job: &Job, mut places: Pairs) -> Result<()> {
    let (Call { plan, sides, .. }, Group { dtype, how, include_self, passage }) = (job.call, job.group);
    by_destination(&mut places).ok_or_else(|| no_memory(plan, places.len()))?;
    let parts = threads::parts_for(parts::work(plan)).min(places.len()).max(1);
    let least = places.len().div_ceil(parts).max(1);
    let (mut shares, mut rest): (Vec<Share>, Share) = (Vec::with_capacity(parts), &places);
    while !rest.is_empty() {
        let end = least.min(rest.len());
        let within = rest[end..].iter().take_while(|p| p.0 == rest[end - 1].0).count();
        let (share, others) = rest.split_at(end + within);
        shares.push(share);
        rest = others;
    }
    let wide = plan.rules.accumulate == Width::Wide;
    let rows = matches!(dtype, DType::F16 | DType::BF16) && plan.chunk > plan.size && places.len() < u32::MAX as usize;
    if passage.is_some() || wide && rows {
        // Tables that the parts make, none of which can fail.
        room(plan, places.len())?;
    }
    parts::run_all(&shares, |share| {
        // SAFETY: passed on; groups are different places (E1).
        unsafe {
            match dtype {
                _ if passage.is_some() => finish_through(plan, share, sides, passage, how, include_self),
                _ if wide && rows => finish_rows(plan, share, sides, (dtype, how), include_self),
                DType::F16 if wide => {
                    finish::<f16, f32>(plan, share, sides, how, include_self, f16::to_f32, f16::from_f32)
                }
                DType::BF16 if wide => {
                    finish::<bf16, f32>(plan, share, sides, how, include_self, bf16::to_f32, bf16::from_f32)
                }
                _ => with_number!(dtype, T => finish::<T, T>(plan, share, sides, how, include_self, |v| v, |v| v), ()),
            }
        }
        Outcome::Good
    });
    Ok(())
}

/// From so many pairs on, digits beat comparisons.
const MANY: usize = if cfg!(miri) { 32 } else { 1024 };

/// Bits of a digit: as many counters as the first-level cache holds beside the streams.
const DIGIT: u32 = 11;

/// Sorts pairs by their offset, those of one offset staying in order; the least significant digit first. `None` if there is
/// no memory to do that in.
fn by_destination(places: &mut Pairs) -> Option<()> {
    if places.len() < MANY {
        places.sort_by_key(|p| p.0);
        return Some(());
    }
    let low = places.iter().map(|p| p.0).min().unwrap_or(0);
    let key = |p: &(isize, isize)| p.0.wrapping_sub(low) as u64;
    let used = places.iter().fold(0, |all, p| all | key(p));
    let mut other = scratch(places.len())?;
    places.iter().for_each(|p| other.push(*p));
    // Offsets are multiples of the element's size, and digits that are all zero say nothing.
    for shift in (used.trailing_zeros()..u64::BITS - used.leading_zeros()).step_by(DIGIT as usize) {
        let digit = |p: &(isize, isize)| (key(p) >> shift) as usize & ((1 << DIGIT) - 1);
        let mut next = [0usize; 1 << DIGIT];
        places.iter().for_each(|p| next[digit(p)] += 1);
        let mut before = 0;
        for n in &mut next {
            before += std::mem::replace(n, before);
        }
        for p in places.iter() {
            let to = &mut next[digit(p)];
            other[*to] = *p;
            *to += 1;
        }
        std::mem::swap(places, &mut other);
    }
    Some(())
}

/// Pairs later whose memory is asked for.
const AHEAD: usize = 32;

/// Combines every group of a share in every lane: stored as `T`, combined as `A`.
unsafe fn finish<T: Number, A: Number>(
    plan: &Plan,
    share: Share,
    sides: Sides,
    how: Reduce,
    include_self: bool,
    widen: impl Fn(T) -> A,
    narrow: impl Fn(A) -> T,
) {
    let width = (plan.chunk / size_of::<T>()) as isize;
    let (f, identity) = (combining::<A>(how), identity::<A>(how));
    lanes(&plan.free, |lane_linear, lane_indexed| {
        let mut later = share.get(AHEAD..).unwrap_or_default();
        for group in groups(share) {
            let (next, others) = later.split_at(group.len().min(later.len()));
            later = others;
            for (o, l) in next {
                prefetch(sides.indexed.wrapping_offset(o + lane_indexed));
                prefetch(sides.linear.wrapping_offset(l + lane_linear));
            }
            for e in 0..width {
                let within = e * size_of::<T>() as isize;
                // SAFETY: R1 for the place and L1 for every contribution; the place is this share's (E1).
                unsafe {
                    let to = sides.indexed.offset(group[0].0 + lane_indexed + within).cast::<T>();
                    let start = if include_self { widen(to.read_unaligned()) } else { identity };
                    let all = group.iter().fold(start, |sum, (_, l)| {
                        f(sum, widen(sides.linear.offset(l + lane_linear + within).cast::<T>().read_unaligned()))
                    });
                    let mut result = narrow(all);
                    if how == Reduce::Mean {
                        result = result.over(group.len() as u64 + u64::from(include_self));
                    }
                    to.write_unaligned(result);
                }
            }
        }
    });
}

/// [`finish`] of places of another form than what they are combined as.
unsafe fn finish_through(
    plan: &Plan,
    share: Share,
    sides: Sides,
    passage: Option<&Passage>,
    how: Reduce,
    include_self: bool,
) {
    let Some(passage) = passage else { return };
    let table: Vec<isize> = share.iter().map(|p| p.1).collect();
    let same = vec![0; groups(share).map(<[_]>::len).max().unwrap_or(0)];
    lanes(&plan.free, |lane_linear, lane_indexed| {
        let mut rest = &table[..];
        for group in groups(share) {
            let (from, later) = rest.split_at(group.len());
            rest = later;
            for within in (0..plan.chunk as isize).step_by(plan.size) {
                // SAFETY: R1 for the place and L1 for every contribution; the place is this share's (E1).
                unsafe {
                    let place = sides.indexed.offset(group[0].0 + lane_indexed + within);
                    let values = sides.linear.offset(lane_linear + within);
                    stored::finish(passage, how, include_self, place, values, from, &same[..group.len()]);
                }
            }
        }
    });
}

/// Elements of a row that are summed at a time.
const PIECE: usize = 1024;

/// Contributions of the next place asked for ahead, and bytes of each, at most.
const ASKED: usize = 4;
const MOST: usize = 1024;

/// [`finish`] of rows of half floats: widened into memory of our own, met by their contributions there, and rounded.
unsafe fn finish_rows(plan: &Plan, share: Share, sides: Sides, (dtype, how): (DType, Reduce), include_self: bool) {
    let width = plan.chunk / plan.size;
    let table: Vec<isize> = share.iter().map(|p| p.1).collect();
    let same = vec![0; groups(share).map(<[_]>::len).max().unwrap_or(0)];
    let (mut sums, mut counts) = ([0f32; PIECE], [0u32; PIECE]);
    lanes(&plan.free, |lane_linear, lane_indexed| {
        let (mut rest, mut all) = (&table[..], groups(share).peekable());
        while let Some(group) = all.next() {
            let (from, later) = rest.split_at(group.len());
            rest = later;
            if let Some(next) = all.peek() {
                prefetch_all(sides.indexed.wrapping_offset(next[0].0 + lane_indexed), plan.chunk.min(MOST));
                for l in later.iter().take(next.len().min(ASKED)) {
                    prefetch_all(sides.linear.wrapping_offset(l + lane_linear), plan.chunk.min(MOST));
                }
            }
            for start in (0..width).step_by(PIECE) {
                let (n, within) = (PIECE.min(width - start), (start * plan.size) as isize);
                // SAFETY: R1 for the place and L1 for every contribution; the place is this share's (E1).
                unsafe {
                    let own = sides.indexed.offset(group[0].0 + lane_indexed + within).cast::<u16>();
                    let values = sides.linear.offset(lane_linear + within);
                    match include_self {
                        true => halves::widen(dtype, own, sums.as_mut_ptr(), n),
                        false => sums[..n].fill(identity::<f32>(how)),
                    }
                    let (into, all) = (sums.as_mut_ptr().cast(), &same[..group.len()]);
                    accumulate_wide(dtype, how, n * plan.size, into, all, values, Linear::Table(from));
                    if how == Reduce::Mean {
                        counts[..n].fill(group.len() as u32);
                        let more = u32::from(include_self);
                        average_halves(dtype, own, sums.as_ptr(), counts.as_ptr(), more, n);
                    } else {
                        halves::narrow(dtype, own, sums.as_ptr(), n);
                    }
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_sort_as_comparisons_do() {
        let mut state = 1u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let most = if cfg!(miri) { 3 * MANY } else { 5000 };
        for (n, below, size, start) in
            [(MANY, 1, 4, 0), (most, 7, 8, -16), (most, 5000, 1, -2500), (most, 1 << 31, 16, -(1 << 34)), (0, 1, 1, 0)]
        {
            let mut places: Pairs = scratch(n).unwrap();
            (0..n as isize).for_each(|k| places.push((start + next(below) as isize * size, k)));
            let mut want = places.to_vec();
            want.sort_by_key(|p| p.0);
            by_destination(&mut places).unwrap();
            assert_eq!(*places, want, "{n} of {below}");
        }
        let mut extremes: Pairs = scratch(2 * MANY).unwrap();
        (0..2 * MANY as isize).for_each(|k| extremes.push(([isize::MAX, isize::MIN][k as usize % 2], k)));
        by_destination(&mut extremes).unwrap();
        assert!(extremes.is_sorted());
    }
}
