//! Serving a block of resolved positions in every lane of the free loops: lane by lane, or position by position.
//!
//! Obligations: **R1**, **L1** and **E1** as in the parent module.

use super::call::Leaf;
use super::costs::{at_a_time, costs};
use super::resolve;
use crate::dims::advance;
use crate::kernel::cpu::LINE;
use crate::kernel::{move_, reduce, stored};
use crate::plan::Plan;
use smallvec::SmallVec;
use std::array;

/// Rows of one position served together.
const ROWS: usize = 64;

/// Places of a lane combined at a time, at most.
const PLACES: usize = 256;

/// Whether a block is served position by position, each along the whole lane: where positions are few, or lie further apart
/// than the lane's places, or one value goes to all and these share lines.
fn is_inner(lane: &crate::plan::Loop, at: move_::Linear, positions: usize) -> bool {
    let few = lane.extent > positions && positions < costs().block_row;
    let apart = matches!(at, move_::Linear::Even(step)
        if lane.linear.unsigned_abs() < step.unsigned_abs()
            || step == 0 && lane.linear == 0 && lane.indexed.unsigned_abs() <= LINE);
    few || lane.extent >= costs().lane_row && apart
}

/// Applies a leaf to one block for every lane.
pub(super) unsafe fn serve(
    plan: &Plan,
    leaf: Leaf,
    indexed: *mut u8,
    linear: *mut u8,
    at: move_::Linear,
    offsets: &[isize],
) {
    let chunk = plan.chunk;
    let inner = plan.free.last();
    if let (Some(l), Leaf::Read { .. } | Leaf::Write { .. }) = (inner, leaf)
        && is_inner(l, at, offsets.len())
        && !matches!(leaf, Leaf::Read { fill, .. } if !fill.is_empty())
    {
        let lane = move_::ChunkLoop { extent: l.extent, linear: l.linear, indexed: l.indexed };
        let write = matches!(leaf, Leaf::Write { .. });
        let outer = &plan.free[..plan.free.len() - 1];
        if let (&[first], Some((rows, outer))) = (offsets, outer.split_last())
            && first != resolve::SKIP
        {
            let begin = match at {
                move_::Linear::Even(_) => 0,
                move_::Linear::Table(t) => t[0],
            };
            return lanes(outer, |lane_linear, lane_indexed| {
                for start in (0..rows.extent).step_by(ROWS) {
                    let row = |k: usize| (start + k) as isize;
                    let places: [isize; ROWS] =
                        array::from_fn(|k| first.wrapping_add(row(k).wrapping_mul(rows.indexed)));
                    // SAFETY: R1 and L1: rows and lanes stay inside both sides; E1 between parts.
                    unsafe {
                        let (i, p) =
                            (indexed.offset(lane_indexed), linear.offset(begin + lane_linear + row(0) * rows.linear));
                        let places = &places[..ROWS.min(rows.extent - start)];
                        move_::lanes(chunk, p, move_::Linear::Even(rows.linear), i, places, lane, write);
                    }
                }
            });
        }
        lanes(outer, |lane_linear, lane_indexed| {
            // SAFETY: R1 and L1: the lane stays inside both sides; E1 between parts.
            unsafe {
                let (i, p) = (indexed.offset(lane_indexed), linear.offset(lane_linear));
                move_::lanes(chunk, p, at, i, offsets, lane, write);
            }
        });
        return;
    }
    if let (Some(l), Leaf::Combine { .. } | Leaf::Widen { .. } | Leaf::Through { .. }) = (inner, leaf)
        && is_inner(l, at, offsets.len())
    {
        // SAFETY: passed on.
        return unsafe { combine_along(plan, leaf, indexed, linear, at, offsets, l) };
    }
    lanes(&plan.free, |lane_linear, lane_indexed| {
        // SAFETY: R1 and L1: every lane stays inside both sides; E1 between parts.
        unsafe { apply(leaf, chunk, indexed.offset(lane_indexed), offsets, linear.offset(lane_linear), at) }
    });
}

/// Applies a leaf to positions of one lane.
///
/// # Safety
/// R1 for the offsets, L1 for the linear side, E1 for the places.
#[inline(always)]
unsafe fn apply(leaf: Leaf, chunk: usize, i: *mut u8, offsets: &[isize], l: *mut u8, at: move_::Linear) {
    // SAFETY: passed on.
    unsafe {
        match leaf {
            Leaf::Check => {}
            Leaf::Read { fill, .. } => move_::read(chunk, l, at, i, offsets, fill),
            Leaf::Write { .. } => move_::write(chunk, i, offsets, l, at),
            Leaf::Combine { how, dtype } => reduce::accumulate(dtype, how, chunk, i, offsets, l, at),
            Leaf::Widen { how, dtype } => reduce::accumulate_wide(dtype, how, chunk, i, offsets, l, at),
            Leaf::Through { how, passage } => stored::accumulate(passage, how, chunk, i, offsets, l, at),
        }
    }
}

/// Combines a block position by position, each along the lane `l`, whose places then take the part of positions: they are
/// met in order of positions either way.
///
/// # Safety
/// As [`serve`].
unsafe fn combine_along(
    plan: &Plan,
    leaf: Leaf,
    indexed: *mut u8,
    linear: *mut u8,
    at: move_::Linear,
    offsets: &[isize],
    l: &crate::plan::Loop,
) {
    let most = at_a_time(PLACES, 3);
    lanes(&plan.free[..plan.free.len() - 1], |lane_linear, lane_indexed| {
        for start in (0..l.extent).step_by(most) {
            let places: [isize; PLACES] = array::from_fn(|k| ((start + k) as isize).wrapping_mul(l.indexed));
            let places = &places[..most.min(l.extent - start)];
            for (k, &o) in offsets.iter().enumerate().filter(|(_, o)| **o != resolve::SKIP) {
                let begin = match at {
                    move_::Linear::Even(step) => k as isize * step,
                    move_::Linear::Table(t) => t[k],
                };
                let along = move_::Linear::Even(l.linear);
                // SAFETY: R1 and L1: the lane stays inside both sides; E1 between parts.
                unsafe {
                    let to = indexed.offset(o + lane_indexed);
                    let from = linear.offset(begin + lane_linear + start as isize * l.linear);
                    apply(leaf, plan.chunk, to, places, from, along);
                }
            }
        }
    });
}

/// Calls `f(linear, indexed)` with the offsets of every coordinate of the free loops.
pub(crate) fn lanes(free: &[crate::plan::Loop], mut f: impl FnMut(isize, isize)) {
    let Some((outer, rest)) = free.split_first() else {
        f(0, 0);
        return;
    };
    if rest.is_empty() {
        for k in 0..outer.extent as isize {
            f(k * outer.linear, k * outer.indexed);
        }
        return;
    }
    let mut at: SmallVec<[usize; 6]> = smallvec::smallvec![0; free.len()];
    let (mut linear, mut indexed) = (0isize, 0isize);
    loop {
        f(linear, indexed);
        let moved = |d: usize, by: isize| {
            linear += free[d].linear * by;
            indexed += free[d].indexed * by;
        };
        if !advance(&mut at, 1, |d| free[d].extent, moved) {
            return;
        }
    }
}
