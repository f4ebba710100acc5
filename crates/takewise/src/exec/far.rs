//! Reads and writes of memory that stands for something slower (`memory::far`), such as a mapped file.
//!
//! Where a read touches few pages of it, a few of its places are looked at. If they are in memory already, the call is run as
//! any other. Else nothing is touched: the places of the plan become pieces, sorted by where they lie, and whoever holds the
//! memory brings their bytes straight to where the plan puts them. Before a write that touches few pages, those are brought
//! into memory in the same way. Where a call touches many, the system's own reading ahead is the better way, and the call is
//! run as any other.
//!
//! Memory: 16 bytes for each piece, [`PIECES`] of them at a time; one bit for each page of the memory while touched ones are
//! counted.

use super::call::{Call, Leaf, Outcome, Stage};
use super::costs::{at_a_time, costs};
use super::lanes::lanes;
use super::mask::Cursor;
use super::resolve::{self, BLOCK, LongBlock, SKIP};
use super::room::room;
use super::strategy::Strategy;
use crate::error::{Error, Fault, Result};
use crate::memory::far::{Brought, Far, Piece, around};
use crate::plan::{Loop, Plan};
use crate::view::AnyViewMut;
use std::ops::Range;
use std::sync::Arc;

/// Pieces that are sorted and asked for at a time.
const PIECES: usize = 1 << 21;

/// Far memory an array lies in.
pub(crate) struct Reach {
    far: Arc<dyn Far>,
    /// Where the array's first element lies in it.
    first: usize,
    /// The bytes from its lowest to its highest element.
    bytes: Range<usize>,
    /// Whether the call touches few of its pages.
    few: bool,
    /// Whether the call reads.
    reads: bool,
}

impl Reach {
    /// Where the array of a call lies, if that is far memory.
    pub(super) fn of(call: &Call) -> Option<Reach> {
        let (reads, checks) = (matches!(call.leaf, Leaf::Read { .. }), matches!(call.leaf, Leaf::Check));
        let asked = costs().forced.is_none_or(|forced| forced.strategy == Strategy::Fetch);
        if call.stage != Stage::Whole || checks || !asked || call.is_empty() {
            return None;
        }
        let (low, high) = call.plan.indexed_layout.span()?;
        let start = call.sides.indexed.addr();
        let (from, to) = (start.checked_add_signed(low)?, start.checked_add_signed(high)?.checked_add(call.plan.size)?);
        let (at, far) = around(from, to)?;
        let bytes = from - at.start..to - at.start;
        let mut reach = Reach { far, first: start - at.start, bytes, few: false, reads };
        reach.few = reach.is_few(call, at.len());
        Some(reach)
    }

    /// Whether bytes are to be asked for, and not touched.
    pub(super) fn is_asked(&self) -> bool {
        self.few && self.reads
    }

    /// Brings what a write touches into memory, if that is little, and sees to it that there is room for it.
    ///
    /// Error: kind `Storage`, before anything is stored.
    pub(super) fn ready(&self, call: &Call) -> Result<()> {
        let holes = !self.reads && self.far.has_holes();
        if self.reads || !(self.few || holes) || !holes && self.is_near(call) {
            return Ok(());
        }
        let bring = |pieces: &[Piece]| {
            if holes {
                self.far.room(pieces, call.plan.chunk)?;
            }
            if self.few {
                self.far.ready(pieces, call.plan.chunk);
            }
            Ok(Brought::All)
        };
        // SAFETY: the operands are the plan's, and nothing is stored.
        let done = unsafe { self.pieces(call, bring, |_| ()) };
        // What else fails here fails again where it is told.
        done.map_or_else(|e| if holes { Err(e) } else { Ok(()) }, |_| Ok(()))
    }

    /// Whether the call touches few pages of memory of that length. Index values that are bad are not its business.
    fn is_few(&self, call: &Call, len: usize) -> bool {
        let (plan, page, most) = (call.plan, self.far.page().max(1), self.far.most_pages());
        if costs().small {
            return true;
        }
        let touched = |bytes: usize| bytes.saturating_sub(1) / page + 2;
        if pieces_of(plan).saturating_mul(touched(plan.chunk)) <= most || touched(stepped(plan)) <= most {
            return true;
        }
        let mut seen = Vec::new();
        let words = len / page / 64 + 1;
        if most == 0 || seen.try_reserve_exact(words).is_err() {
            return false;
        }
        seen.resize(words, 0u64);
        let mut count = 0;
        // SAFETY: the operands are the plan's.
        let walked = unsafe {
            walk(call, |offsets, _| {
                lanes(&plan.free, |_, lane| {
                    for &o in offsets {
                        if o == SKIP || count > most {
                            continue;
                        }
                        let from = self.first.wrapping_add_signed(o + lane);
                        for page in from / page..=(from + plan.chunk - 1) / page {
                            let (word, bit) = (page / 64, 1 << (page % 64));
                            if let Some(word) = seen.get_mut(word) {
                                count += usize::from(*word & bit == 0);
                                *word |= bit;
                            }
                        }
                    }
                });
                count <= most
            })
        };
        walked == Outcome::Good && count <= most
    }

    /// In how many requests the bytes are had; nothing where they are touched.
    pub(super) fn requests(&self, call: &Call) -> Option<usize> {
        let mut requests = 0;
        let count = |pieces: &[Piece]| {
            requests += self.far.requests(pieces, call.plan.chunk);
            Ok(Brought::All)
        };
        // SAFETY: the operands are the plan's, and nothing is stored.
        let done = self.is_asked().then(|| unsafe { self.pieces(call, count, |_| ()) })?;
        done.is_ok().then_some(requests)
    }

    /// Whether what the call touches is in memory already, as far as some of its places tell. Not where a strategy is asked
    /// for by name.
    fn is_near(&self, call: &Call) -> bool {
        let count = pieces_of(call.plan);
        // SAFETY: the operands are the plan's.
        let mut from = |nth| unsafe { place(call, nth, count) }.map(|o| self.first.wrapping_add_signed(o));
        costs().forced.is_none() && self.far.is_near(count, call.plan.chunk, &mut from)
    }

    /// Runs a call that touches the memory after all, by `run`.
    ///
    /// Error: of `run`, and kind `Storage`.
    pub(super) fn touch(&self, call: &Call, run: impl Fn() -> Result<()>) -> Result<()> {
        let mut done = Ok(());
        self.far.touch(pieces_of(call.plan), call.plan.chunk, &mut || done = run());
        done?;
        self.check(call)
    }

    /// Serves the call; nothing where the memory must be touched after all.
    ///
    /// Error: kind `Storage`.
    ///
    /// # Safety
    /// The arrays match the plan (L1, L3) and are borrowed for this call.
    pub(super) unsafe fn read(&self, call: &Call) -> Result<Option<Outcome>> {
        if self.is_near(call) {
            return Ok(None);
        }
        let (plan, target) = (call.plan, call.sides.linear);
        let fill = if let Leaf::Read { fill, .. } = call.leaf { fill } else { &[] };
        // SAFETY: R1: pieces lie in the indexed array, which lies in the memory; L1, L3 and E1: they go to places of the other
        // side, all of them different.
        let bring = |pieces: &[Piece]| unsafe { self.far.bring(pieces, plan.chunk, target) };
        // SAFETY: L1: a place of the result, and a chunk to fill in where the plan skips.
        let skip = |to: isize| unsafe { target.offset(to).copy_from_nonoverlapping(fill.as_ptr(), fill.len()) };
        // SAFETY: the operands are the plan's.
        unsafe { self.pieces(call, bring, skip) }
    }

    /// Hands all pieces of a call on, sorted, so many at a time; and where positions go that are left out.
    ///
    /// # Safety
    /// The operands are the plan's (L1).
    unsafe fn pieces(
        &self,
        call: &Call,
        mut hand_on: impl FnMut(&[Piece]) -> std::result::Result<Brought, String>,
        mut skip: impl FnMut(isize),
    ) -> Result<Option<Outcome>> {
        let plan = call.plan;
        let most = at_a_time(PIECES, 48);
        let mut pieces = room(plan, plan.positions().saturating_mul(plan.lanes()).min(most))?;
        let mut ended = Ok(Brought::All);
        let mut hand = |pieces: &mut Vec<Piece>| {
            pieces.sort_unstable();
            ended = hand_on(pieces);
            pieces.clear();
            ended == Ok(Brought::All)
        };
        // SAFETY: passed on.
        let walked = unsafe {
            walk(call, |offsets, places| {
                let mut more = true;
                lanes(&plan.free, |lane_linear, lane_indexed| {
                    for (&o, &l) in offsets.iter().zip(places) {
                        let to = l + lane_linear;
                        if !more {
                            return;
                        } else if o == SKIP {
                            skip(to);
                            continue;
                        }
                        pieces.push(Piece { from: self.first.wrapping_add_signed(o + lane_indexed), to });
                        if pieces.len() == most {
                            more = hand(&mut pieces);
                        }
                    }
                });
                more
            })
        };
        if walked == Outcome::Good && !pieces.is_empty() {
            hand(&mut pieces);
        }
        match ended {
            Ok(Brought::All) => Ok(Some(walked)),
            Ok(Brought::Touch) => Ok(None),
            Err(text) => Err(failed(plan, text)),
        }
    }

    /// Fails if part of what was touched is not there any more.
    pub(super) fn check(&self, call: &Call) -> Result<()> {
        self.far.lost(self.bytes.clone()).map_or(Ok(()), |text| Err(failed(call.plan, text)))
    }
}

/// Sees to it that there is room for all of an array that a plan stores into, if it lies in memory with holes.
///
/// Error: kind `Storage`, before anything is stored.
#[cold]
#[inline(never)]
pub(super) fn room_for(plan: &Plan, target: &AnyViewMut) -> Result<()> {
    let target = &target.as_view();
    let (layout, mut chunk) = (target.layout(), target.dtype().size());
    let Some((low, high)) = layout.span() else { return Ok(()) };
    let start = target.as_ptr().addr();
    let (from, to) = (start.wrapping_add_signed(low), start.wrapping_add_signed(high).wrapping_add(chunk));
    let Some((at, far)) = around(from, to).filter(|(_, far)| far.has_holes()) else { return Ok(()) };
    // Axes whose elements lie side by side are one piece.
    let (shape, strides) = (layout.shape(), layout.strides());
    let mut outer = shape.len();
    while outer > 0 && (shape[outer - 1] == 1 || strides[outer - 1] == chunk as isize) {
        chunk *= shape[outer - 1];
        outer -= 1;
    }
    let count: usize = shape[..outer].iter().product();
    let mut pieces = room(plan, count.min(PIECES))?;
    for first in (0..count).step_by(PIECES) {
        pieces.clear();
        pieces.extend((first..count.min(first + PIECES)).map(|number| {
            let mut rest = number;
            let offset = (0..outer).rev().fold(0, |offset, axis| {
                let k = rest % shape[axis];
                rest /= shape[axis];
                offset + k as isize * strides[axis]
            });
            Piece { from: (start - at.start).wrapping_add_signed(offset), to: 0 }
        }));
        pieces.sort_unstable();
        far.room(&pieces, chunk).map_err(|text| failed(plan, text))?;
    }
    Ok(())
}

#[cold]
fn failed(plan: &Plan, text: String) -> Error {
    plan.rules.fail(Fault::Storage { op: plan.op, text })
}

/// Pieces that a plan moves.
fn pieces_of(plan: &Plan) -> usize {
    plan.positions().saturating_mul(plan.lanes())
}

/// Positions of a mask that are looked at for one place.
const LOOK: usize = 1 << 14;

/// Where about the `nth` of so many pieces of a call lies on the indexed side: of a mask, the first place that is selected about
/// there. Nothing for one that is left out, or whose index value is bad.
///
/// # Safety
/// The operands are the plan's (L1).
unsafe fn place(call: &Call, nth: usize, count: usize) -> Option<isize> {
    let (plan, lanes) = (call.plan, call.plan.lanes().max(1));
    let (position, mut lane) = (nth / lanes, nth % lanes);
    let mut block = LongBlock::borrow(1);
    match &plan.select {
        Some(select) => {
            let extent = Cursor::extent(select);
            let start = (nth as u128 * extent as u128 / count.max(1) as u128) as usize;
            // SAFETY: passed on: the mask is the plan's.
            let mut cursor =
                unsafe { Cursor::new(select, call.operands.first()?.ptr, start, extent.min(start + LOOK)) };
            cursor.fill(plan.offset, 1, &mut block.indexed);
        }
        // SAFETY: passed on.
        None if !unsafe { resolve::resolve(plan, call.operands, position, 1, &mut block) } => return None,
        None => {}
    }
    let offset = block.indexed.first().filter(|o| **o != SKIP)?;
    let of_lane = |l: &Loop| {
        let at = lane % l.extent.max(1);
        lane /= l.extent.max(1);
        at as isize * l.indexed
    };
    Some(offset + plan.free.iter().rev().map(of_lane).sum::<isize>())
}

/// Bytes from the first to the last that a plan without index values reaches; of others nobody knows.
fn stepped(plan: &Plan) -> usize {
    if !plan.axes.is_empty() || plan.select.is_some() {
        return usize::MAX;
    }
    let far = |l: &Loop| l.indexed.unsigned_abs().saturating_mul(l.extent.saturating_sub(1));
    plan.index.iter().chain(&plan.free).map(far).fold(plan.chunk, usize::saturating_add)
}

/// Calls `f` with the positions of a call in order, some at a time: their offsets on the indexed side and on the other. Ends
/// early where it says `false`.
///
/// # Safety
/// The operands are the plan's (L1).
unsafe fn walk(call: &Call, mut f: impl FnMut(&[isize], &[isize]) -> bool) -> Outcome {
    let plan = call.plan;
    let mut block = LongBlock::borrow(BLOCK);
    let (total, mut done) = (plan.positions(), 0);
    if let Some(select) = &plan.select {
        let Some(mask) = call.operands.first() else { return Outcome::Good };
        // SAFETY: passed on: the mask is the plan's.
        let mut cursor = unsafe { Cursor::new(select, mask.ptr, 0, Cursor::extent(select)) };
        while done < total {
            cursor.fill(plan.offset, BLOCK, &mut block.indexed);
            let found = block.indexed.len().min(total - done);
            if found == 0 {
                return Outcome::Changed;
            }
            if plan.flat_linear {
                resolve::linear_offsets(plan, done, found, &mut block);
            } else {
                let places = (done..done + found).map(|k| k as isize * select.linear);
                block.linear.clear();
                block.linear.extend(places);
            }
            if !f(&block.indexed[..found], &block.linear) {
                return Outcome::Good;
            }
            done += found;
        }
        return Outcome::Good;
    }
    while done < total {
        let count = BLOCK.min(total - done);
        // SAFETY: passed on.
        if !unsafe { resolve::resolve(plan, call.operands, done, count, &mut block) } {
            return Outcome::BadIndex;
        }
        resolve::linear_offsets(plan, done, count, &mut block);
        if !f(&block.indexed, &block.linear) {
            return Outcome::Good;
        }
        done += count;
    }
    Outcome::Good
}
