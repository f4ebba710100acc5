//! The upper levels of a halving, packed: four levels to a node of fifteen keys.
//!
//! Halving always looks at the same positions, so its first levels can be copied out once and then be taken four at a
//! time: how many of the fifteen keys of a node lie below the threshold is where four halvings end, provided that the
//! node's own keys ascend. This is seen while a node is filled, and a tree with a node out of order halves inside its
//! nodes; hence no answer differs from that of plain halving, on sequences in any order, and no pass has to prove that
//! the sequence is sorted.
//!
//! A tree of full depth owns copies of all keys: intervals of at most fifteen elements are its leaves, each with
//! the position it starts at in the sixteenth place. Where the length is a power of two only the first interval has one
//! more, which is kept beside them: one level for all leaves is saved. A shallower tree ends at intervals, which plain halving finishes.
//! Keys are private copies, so whatever happens to the sequence meanwhile, positions stay in `0..=len`.
//!
//! ```text
//! child = rank(root, threshold)                   how many of a node's keys lie below it
//! for each level: child = 16 * child + rank(level[child], threshold)
//! position = start of leaf[child] + rank(leaf[child], threshold), or halving in the interval of child
//! ```
//!
//! Several levels to a node, of which one comparison of vectors tells the child: B. Schlegel, R. Gemulla and W. Lehner, *k-Ary Search on
//! Modern Processors* (DaMoN 2009), and C. Kim and others, *FAST* (SIGMOD 2010). That a node out of order halves instead is ours.
//!
//! Obligations: **K1** (see `cpu`); **T1** a tree has 2^b children below its root and sixteen below each node, so an index
//! made of ranks below these stays inside the next level.

use super::lane::{KEYS, Keyed, LEVELS, Lane, rank};
use crate::kernel::cpu::{LINE, per_level, prefetch};
use crate::scratch::{Room, Scratch};
use smallvec::SmallVec;

/// Whether there are trees at all: a page is fetched before it runs, and searches for few values.
pub(super) const TREES: bool = !cfg!(target_family = "wasm");

/// Values searched side by side.
pub(super) const BLOCK: usize = 256;
/// Trees beyond this size ask for the next node ahead.
pub(super) const NEAR: usize = 256 << 10;

/// Fifteen keys and one place more, in one or two cache lines.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct KeyNode<L>([L; KEYS + 1]);

pub(super) struct Tree<L> {
    /// The keys of the root, one less than it has children.
    root: KeyNode<L>,
    root_levels: u32,
    root_ascends: bool,
    /// The levels below, each with sixteen times the nodes of the one before.
    levels: SmallVec<[Scratch<KeyNode<L>>; 8]>,
    /// Where the intervals below the last level start, and one past the end; empty if there are leaves.
    starts: Scratch<u32>,
    leaves: Option<Scratch<KeyNode<L>>>,
    /// The first key of all, where the first leaf starts behind it.
    lowest: Option<L>,
    /// Whether the keys of each node below the root ascend.
    ascends: bool,
    far: bool,
}

/// A tree of either width of keys.
#[derive(Default)]
pub(super) struct Trees {
    pub(super) narrow: Option<Tree<i32>>,
    pub(super) wide: Option<Tree<i64>>,
}

/// How many levels of halving leave intervals of at most a node's keys.
pub(super) fn full_depth(len: usize) -> u32 {
    (0..).find(|d| len >> d <= KEYS).unwrap_or(0)
}

/// As [`full_depth`], for a tree with leaves, the first of which may be one longer.
pub(super) fn leaf_depth(len: usize) -> u32 {
    let full = full_depth(len);
    if full > 0 && len == (KEYS + 1) << (full - 1) { full - 1 } else { full }
}

/// Bytes of a tree of that depth, beyond its root.
pub(super) fn bytes_of<L>(depth: u32, leaves: bool) -> usize {
    let ends = 1usize << depth;
    ends / KEYS * size_of::<KeyNode<L>>() + if leaves { ends * size_of::<KeyNode<L>>() } else { ends * 4 }
}

/// Where the elements of a lane lie.
#[derive(Clone, Copy)]
pub(super) enum At<'l> {
    /// So many bytes apart from the first on.
    Step(*const u8, isize),
    /// Wherever this says.
    By(&'l dyn Fn(usize) -> *const u8),
}

impl At<'_> {
    #[inline(always)]
    fn element(self, i: usize) -> *const u8 {
        match self {
            At::Step(first, step) => first.wrapping_offset(i as isize * step),
            At::By(address) => address(i),
        }
    }
}

impl<L: Lane> Tree<L> {
    /// Copies the keys that the first `depth` levels of halving a lane of `len < 2^32 - 1` elements compare; `depth` is at
    /// most [`full_depth`]. A tree of [`leaf_depth`] that `owns` its keys gets all others too, as leaves, unless some are
    /// out of order. `None` if there is no memory for it.
    ///
    /// # Safety
    /// L1: each of `len` elements of `H` is readable.
    pub(super) unsafe fn new<H: Keyed<Lane = L>>(
        room: Room,
        at: At,
        len: usize,
        depth: u32,
        owns: bool,
    ) -> Option<Tree<L>> {
        let root_levels = if depth == 0 { 0 } else { (depth - 1) % LEVELS + 1 };
        let mut starts = divide(room, &[0, len as u32 + 1], root_levels)?;
        // SAFETY: L1, separators lie inside the lane.
        let root = unsafe { node::<H>(at, &starts) };
        let root_ascends = ascending(&root.0);
        let (mut levels, mut ascends) = (SmallVec::new(), true);
        for _ in 0..(depth - root_levels) / LEVELS {
            let next = divide(room, &starts, LEVELS)?;
            let mut level = Scratch::of(room, starts.len() - 1)?;
            for s in next.windows(KEYS + 2).step_by(KEYS + 1) {
                // SAFETY: as above.
                let node = unsafe { node::<H>(at, s) };
                ascends &= ascending(&node.0);
                level.push(node);
            }
            levels.push(level);
            starts = next;
        }
        let mut tree =
            Tree { root, root_levels, root_ascends, levels, starts, leaves: None, lowest: None, ascends, far: false };
        if owns && ascends && root_ascends {
            // SAFETY: as above, intervals lie inside the lane; K1 by `Cpu`.
            tree.leaves = unsafe {
                match at {
                    At::Step(first, step) if step == H::SIZE as isize => {
                        near_leaves::<H>(room, first, len, &tree.starts)
                    }
                    At::Step(first, step) => {
                        leaves::<H>(room, |i| first.wrapping_offset(i as isize * step), len, &tree.starts)
                    }
                    At::By(address) => leaves::<H>(room, address, len, &tree.starts),
                }
            };
            if tree.ends() {
                // SAFETY: as above, the first interval has sixteen elements.
                tree.lowest = longer(&tree.starts).then(|| H::key(unsafe { H::load(at.element(0)) }));
                tree.starts = Scratch::of(room, 0)?;
            }
        }
        let nodes: usize = tree.levels.iter().chain(&tree.leaves).map(|level| level.len()).sum();
        tree.far = nodes * size_of::<KeyNode<L>>() > NEAR;
        Some(tree)
    }

    /// Whether [`descend`] ends at positions, not at intervals.
    pub(super) fn ends(&self) -> bool {
        self.leaves.is_some()
    }

    /// The first position and the length of an interval below the tree.
    #[inline(always)]
    pub(super) fn interval(&self, child: u32) -> (usize, usize) {
        let (start, next) = (self.starts[child as usize], self.starts[child as usize + 1]);
        (start as usize, (next - 1 - start) as usize)
    }
}

/// Starts of the intervals after `levels` more halvings of each interval, and one past the end; neighbours are one
/// element apart, the key between them. `None` if there is no memory for them.
fn divide(room: Room, starts: &[u32], levels: u32) -> Option<Scratch<u32>> {
    let mut next = Scratch::of(room, ((starts.len() - 1) << levels) + 1)?;
    // Intervals of one level differ in length by one at most.
    let mut known: [(u32, [u32; KEYS + 1]); 2] = [(u32::MAX, [0; KEYS + 1]); 2];
    for s in starts.windows(2) {
        let len = s[1] - 1 - s[0];
        let slot = &mut known[len as usize % 2];
        if slot.0 != len {
            *slot = (len, [0; KEYS + 1]);
            for (child, start) in slot.1.iter_mut().enumerate().take(1 << levels) {
                let mut left = len;
                for level in (0..levels).rev() {
                    let half = left / 2;
                    let right = child >> level & 1 == 1;
                    *start += if right { half + 1 } else { 0 };
                    left = if right { left - half - 1 } else { half };
                }
            }
        }
        slot.1[..1 << levels].iter().for_each(|start| next.push(s[0] + start));
    }
    starts.last().into_iter().for_each(|end| next.push(*end));
    Some(next)
}

/// The keys between intervals.
///
/// # Safety
/// L1, as [`Tree::new`].
#[inline(always)]
unsafe fn node<H: Keyed>(at: At, starts: &[u32]) -> KeyNode<H::Lane> {
    let mut keys = [H::Lane::MAX; KEYS + 1];
    if let [_, inner @ .., _] = starts {
        for (key, start) in keys[..KEYS].iter_mut().zip(inner) {
            // SAFETY: L1, from the caller.
            *key = H::key(unsafe { H::load(at.element(*start as usize - 1)) });
        }
    }
    KeyNode(keys)
}

/// Whether the first interval is longer than a leaf.
fn longer(starts: &[u32]) -> bool {
    starts[1] as usize - 1 > KEYS
}

/// The leaves between starts; `None` if the keys of one do not ascend, or there is no memory for them.
///
/// # Safety
/// L1, as [`Tree::new`].
#[inline(always)]
unsafe fn leaves<H: Keyed>(
    room: Room,
    at: impl Fn(usize) -> *const u8,
    len: usize,
    starts: &[u32],
) -> Option<Scratch<KeyNode<H::Lane>>> {
    let mut all = Scratch::of(room, starts.len() - 1)?;
    let least = longer(starts) as u32;
    // SAFETY: L1, from the caller, of the first two elements of sixteen.
    let mut ascends = least == 0 || unsafe { H::key(H::load(at(0))) <= H::key(H::load(at(1))) };
    for s in starts.windows(2) {
        let mut keys = [H::Lane::MAX; KEYS + 1];
        let start = s[0].max(least);
        let (first, count) = (start as usize, (s[1] - 1 - start) as usize);
        if first + KEYS < len {
            for (k, key) in keys.iter_mut().enumerate() {
                // SAFETY: L1, from the caller; positions stay below len.
                let read = H::key(unsafe { H::load(at(first + k)) });
                *key = if k < count { read } else { H::Lane::MAX };
            }
        } else {
            for (k, key) in keys[..KEYS].iter_mut().enumerate().take(count) {
                // SAFETY: as above.
                *key = H::key(unsafe { H::load(at(first + k)) });
            }
        }
        ascends &= ascending(&keys);
        keys[KEYS] = H::Lane::of(start);
        all.push(KeyNode(keys));
    }
    ascends.then_some(all)
}

per_level! {
    /// [`leaves`] of a contiguous lane.
    ///
    /// # Safety
    /// K1; L1: `at` is readable for `len` elements.
    unsafe fn near_leaves[H: Keyed](room: Room, at: *const u8, len: usize, starts: &[u32]) -> Option<Scratch<KeyNode<H::Lane>>>
        { all: near_leaves_of }
}

/// # Safety
/// As [`near_leaves`].
#[inline(always)]
unsafe fn near_leaves_of<H: Keyed>(
    room: Room,
    at: *const u8,
    len: usize,
    starts: &[u32],
) -> Option<Scratch<KeyNode<H::Lane>>> {
    // SAFETY: passed on; positions of a lane lie side by side.
    unsafe { leaves::<H>(room, |i| at.add(i * H::SIZE), len, starts) }
}

#[inline(always)]
fn ascending<L: Lane>(keys: &[L; KEYS + 1]) -> bool {
    (1..KEYS).fold(true, |all, k| all & (keys[k - 1] <= keys[k]))
}

per_level! {
    /// Writes, for each threshold, the position or the interval (see [`Tree::ends`]) that the levels of the tree lead
    /// to. There are at most [`BLOCK`], and as many places for answers.
    ///
    /// # Safety
    /// K1.
    pub(super) unsafe fn descend[L: Lane](tree: &Tree<L>, thresholds: &[L], found: &mut [u32])
        { baseline: by_halving, avx2: by_avx2, avx512: by_avx512 }
}

#[inline(always)]
unsafe fn by_halving<L: Lane>(tree: &Tree<L>, thresholds: &[L], found: &mut [u32]) {
    // SAFETY: every processor halves.
    unsafe { steps::<L, 0>(tree, thresholds, found) }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn by_avx2<L: Lane>(tree: &Tree<L>, thresholds: &[L], found: &mut [u32]) {
    // SAFETY: K1.
    unsafe { steps::<L, 1>(tree, thresholds, found) }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn by_avx512<L: Lane>(tree: &Tree<L>, thresholds: &[L], found: &mut [u32]) {
    // SAFETY: K1.
    unsafe { steps::<L, 2>(tree, thresholds, found) }
}

/// # Safety
/// K1 for `LEVEL`.
#[inline(always)]
unsafe fn steps<L: Lane, const LEVEL: u8>(tree: &Tree<L>, thresholds: &[L], found: &mut [u32]) {
    // SAFETY: K1, from the caller.
    unsafe { root::<L, LEVEL>(tree, thresholds, found) };
    let leaves = tree.leaves.as_deref().unwrap_or(&[]);
    for (k, level) in tree.levels.iter().enumerate() {
        let next = tree.levels.get(k + 1).map_or(leaves, |next| next);
        // SAFETY: K1, T1.
        unsafe {
            match (tree.ascends, tree.far && !next.is_empty()) {
                (true, true) => step::<L, LEVEL, true>(level, next, thresholds, found),
                (true, false) => step::<L, LEVEL, false>(level, next, thresholds, found),
                (false, _) => step::<L, 0, false>(level, next, thresholds, found),
            }
        }
    }
    if tree.far && !tree.ends() {
        for child in found.iter() {
            prefetch(tree.starts.as_ptr().wrapping_add(*child as usize).cast());
        }
    }
    if tree.ends() {
        for (found, threshold) in found.iter_mut().zip(thresholds) {
            // SAFETY: K1, T1; leaves were kept because their keys ascend.
            unsafe {
                let node = &leaves.get_unchecked(*found as usize).0;
                *found = node[KEYS].position() + ranked::<L, LEVEL>(node, *threshold);
            }
        }
    }
    if let Some(lowest) = tree.lowest {
        for (found, threshold) in found.iter_mut().zip(thresholds) {
            *found -= u32::from((*found == 1) & (*threshold <= lowest));
        }
    }
}

#[inline(always)]
unsafe fn ranked<L: Lane, const LEVEL: u8>(node: &[L; KEYS + 1], threshold: L) -> u32 {
    match LEVEL {
        // SAFETY: K1, from the caller.
        #[cfg(target_arch = "x86_64")]
        1 => unsafe { L::rank_avx2(node, threshold) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        2 => unsafe { L::rank_avx512(node, threshold) },
        _ => rank::<L, LEVELS>(node, threshold),
    }
}

/// One level: from nodes to their children.
#[inline(always)]
unsafe fn step<L: Lane, const LEVEL: u8, const AHEAD: bool>(
    level: &[KeyNode<L>],
    next: &[KeyNode<L>],
    thresholds: &[L],
    found: &mut [u32],
) {
    for (found, threshold) in found.iter_mut().zip(thresholds) {
        debug_assert!((*found as usize) < level.len());
        // SAFETY: K1, T1.
        unsafe {
            let node = &level.get_unchecked(*found as usize).0;
            *found = *found << LEVELS | ranked::<L, LEVEL>(node, *threshold);
        }
        if AHEAD {
            let node = next.as_ptr().wrapping_add(*found as usize).cast::<u8>();
            prefetch(node);
            if size_of::<KeyNode<L>>() > LINE {
                prefetch(node.wrapping_add(LINE));
            }
        }
    }
}

/// From the root to the first level.
#[inline(always)]
unsafe fn root<L: Lane, const LEVEL: u8>(tree: &Tree<L>, thresholds: &[L], found: &mut [u32]) {
    let keys = &tree.root.0;
    match (tree.root_ascends, LEVEL) {
        (true, 0) if L::SEVERAL => count(&keys[..(1 << tree.root_levels) - 1], thresholds, found),
        (true, 1..) => {
            for (found, threshold) in found.iter_mut().zip(thresholds) {
                // SAFETY: K1, from the caller.
                *found = unsafe { ranked::<L, LEVEL>(keys, *threshold) };
            }
        }
        _ => match tree.root_levels {
            0 => found.fill(0),
            1 => halve::<L, 1>(keys, thresholds, found),
            2 => halve::<L, 2>(keys, thresholds, found),
            3 => halve::<L, 3>(keys, thresholds, found),
            _ => halve::<L, LEVELS>(keys, thresholds, found),
        },
    }
}

/// Where so many halvings of the root's keys end.
#[inline(always)]
fn halve<L: Lane, const COUNT: u32>(keys: &[L; KEYS + 1], thresholds: &[L], found: &mut [u32]) {
    for (found, threshold) in found.iter_mut().zip(thresholds) {
        *found = rank::<L, COUNT>(keys, *threshold);
    }
}

/// How many keys lie below each threshold, where a processor cannot compare one threshold with all: sixteen thresholds at a
/// time with one key.
#[inline(always)]
fn count<L: Lane>(keys: &[L], thresholds: &[L], found: &mut [u32]) {
    const SIDE: usize = 16;
    let mut few = [L::MIN; SIDE];
    for (found, thresholds) in found.chunks_mut(SIDE).zip(thresholds.chunks(SIDE)) {
        let side: &[L; SIDE] = match thresholds.first_chunk() {
            Some(side) => side,
            None => {
                few[..thresholds.len()].copy_from_slice(thresholds);
                &few
            }
        };
        let mut below = [L::default(); SIDE];
        for key in keys {
            for (below, threshold) in below.iter_mut().zip(side) {
                *below = below.plus(L::one(*key < *threshold));
            }
        }
        for (found, below) in found.iter_mut().zip(below) {
            *found = below.position();
        }
    }
}
