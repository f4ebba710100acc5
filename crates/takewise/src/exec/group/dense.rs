//! Accumulations that need to know about all contributions of a place: means (how many there are), halves summed in f32
//! (rounded once, at the end), and long rows that start [anew](crate::exec::group::start) (whether there are any).
//!
//! Counting is itself an accumulation, of ones into counters, and sums in f32 are one into other memory: the same plan
//! with its indexed side rescaled to a private array, so that blocks, threads and order are those of any accumulation.
//! Extra memory: four bytes a place between the lowest and the highest the plan can reach, and as much again for each half
//! float among them (and no counters for halves without gaps whose sum is all that is asked). Where that is much more than the
//! index positions, [`sorted`](crate::exec::group::sorted) sorts those instead; where it is more than a call may take,
//! [`group`](crate::exec::group) asks for a part of the places at a time.

use crate::dtype::{DType, Element};
use crate::error::Result;
use crate::exec::call::{Call, Group, Leaf, Sides, Stage};
use crate::exec::costs::costs;
use crate::exec::divide::windows;
use crate::exec::group::grid::{Lattice, jumps};
use crate::exec::group::job::Job;
use crate::exec::group::start::Start;
use crate::exec::lanes::lanes;
use crate::exec::room::{room, scratch};
use crate::exec::{diagnose, parts};
use crate::index::rules::Width;
use crate::kernel::halves;
use crate::kernel::reduce::{Number, Reduce, average, average_halves, identity, with_number};
use crate::memory::Scratch;
use crate::plan::Plan;
use crate::threads;
use half::{bf16, f16};
use std::sync::atomic::{AtomicUsize, Ordering};

/// An accumulation to be run with counters.
pub(crate) struct Counted<'p> {
    job: Job<'p>,
    /// Where chunks may begin.
    places: Lattice,
    /// Where elements may lie, if they are summed in f32.
    wide: Option<Lattice>,
    /// Of what dtype counters are: of bytes, which may be too small, only where nothing but single numbers is averaged.
    counter: DType,
}

/// Counters that are widened at a time.
const PIECE: usize = 1024;

/// Calls `f(sides, start, count)` for ranges of numbers of four bytes, side by side.
fn in_parts(sides: Sides, count: usize, f: impl Fn(Sides, usize, usize) + Send + Sync) {
    let parts = threads::parts_for(count.saturating_mul(4));
    let _ = threads::in_ranges(count, parts, |range| {
        let sides: Sides = sides;
        f(sides, range.start, range.len());
        Ok::<(), ()>(())
    });
}

impl<'p> Counted<'p> {
    /// The job, if its places can be told apart by counters.
    pub(crate) fn of(job: Job<'p>) -> Option<Counted<'p>> {
        let (plan, Group { dtype, passage, .. }) = (job.call.plan, job.group);
        let empty = plan.axes.iter().any(|a| a.len == 0);
        if plan.select.is_some() || passage.is_some() || empty || job.moved() >= u32::MAX as usize || !job.counters {
            return None;
        }
        let all = Lattice::of(plan.offset, jumps(plan));
        let places = job.window.map_or(all, |w| all.within(w));
        let half = matches!(dtype, DType::F16 | DType::BF16) && plan.rules.accumulate == Width::Wide;
        if half && plan.chunk >= costs().sorted_row {
            return None;
        }
        let wide = half.then(|| {
            let within = (plan.chunk / plan.size, plan.size as isize);
            let free = plan.free.iter().map(|l| (l.extent, l.indexed));
            Lattice::of(places.low, free.chain([(places.count, places.unit), within]))
        });
        // Elements of a chunk stay side by side.
        let beside = |g: &Lattice| plan.chunk == plan.size || g.unit == plan.size as isize;
        let counted = wide.as_ref().is_none_or(beside).then_some(Counted { job, places, wide, counter: DType::U32 })?;
        let bytes = job.summed == Some(DType::U8) && counted.is_one() && counted.covers(&places);
        Some(Counted { counter: if bytes { DType::U8 } else { DType::U32 }, ..counted })
    }

    /// Whether its places are near enough to each other for counters to cost less than sorting does.
    pub(crate) fn pays(&self) -> bool {
        let near =
            |grid: &Lattice, moved: usize| grid.count <= moved.saturating_mul(costs().counters).saturating_add(1024);
        let plan = self.job.call.plan;
        let elements = self.job.moved().saturating_mul(plan.lanes()).saturating_mul(plan.chunk / plan.size);
        near(&self.places, self.job.moved()) && self.wide.as_ref().is_none_or(|wide| near(wide, elements))
    }

    /// Bytes of its counters and sums.
    pub(crate) fn bytes(&self) -> usize {
        let wide = self.wide.map_or(0, |wide| wide.count).saturating_mul(size_of::<f32>());
        self.places.count.saturating_mul(self.counter.size()).saturating_add(wide)
    }

    /// Runs the accumulation; `false` and nothing stored if its counters are too small.
    ///
    /// # Safety
    /// The arrays must be those of the job's plan (L1, L3).
    pub(crate) unsafe fn run(&self) -> Result<bool> {
        // SAFETY: passed on.
        unsafe {
            match &self.wide {
                _ if self.places.count == 0 => {}
                None if self.counter == DType::U8 => return self.averaged(),
                None => self.plainly()?,
                Some(grid) if self.covers(grid) => self.summed(grid)?,
                Some(grid) => self.apart(grid)?,
            }
        }
        Ok(true)
    }

    /// Sums up a mean of numbers where they lie, everywhere; `false` and nothing stored if it is none. Whoever promises all
    /// or nothing has looked at every index value before.
    pub(crate) fn sum_all(&self) -> Result<bool> {
        let Job { call: Call { plan, sides, .. }, group: Group { dtype, how, include_self, .. }, .. } = self.job;
        if self.wide.is_some() || how != Reduce::Mean {
            return Ok(false);
        }
        if !include_self {
            match self.start(plan, dtype) {
                Some(start) => self.begin(start, sides.indexed)?,
                None => return Ok(false),
            }
        }
        self.pass(plan, sides, Leaf::Combine { how, dtype }, None)?;
        Ok(true)
    }

    /// Runs a plan whose places are these, in an array of `size` bytes for each place of a grid or as they are.
    fn pass(&self, plan: &Plan, sides: Sides, leaf: Leaf, rescaled: Option<(&Lattice, usize)>) -> Result<()> {
        let Job { call: whole, window, .. } = &self.job;
        let call = whole.inner(plan, sides, leaf);
        let done = if window.is_none() {
            call.run_inner()
        } else {
            let (low, high) = self.places.reach();
            let on = |o: isize| rescaled.map_or(o, |(grid, size)| grid.scaled(o - grid.low, size));
            let many = threads::parts_for(parts::work(plan));
            let parts = windows(plan, call.operands, (on(low), on(high - 1) + 1), many);
            // SAFETY: the arrays match the plan where places are in the window (L1, L3), and parts are disjoint (E1).
            unsafe { Call { stage: Stage::Part, ..call }.run_only(&parts) }.told(plan, call.views)
        };
        done.map_err(|_| diagnose::out_of_range(whole.plan, whole.views))
    }

    /// How many contributions every place has, after a look at all index values.
    fn counts<C: Element>(&self) -> Result<Scratch<C>> {
        let (plan, size) = (self.job.call.plan, size_of::<C>());
        let mut counts = scratch::<C>(plan, self.places.count)?;
        // Whose first byte is 1 as well.
        let one = 1u32.to_le();
        let ones = Sides { indexed: counts.start().cast(), linear: (&raw const one).cast_mut().cast() };
        in_parts(ones, self.places.count, |both, from, n| {
            // SAFETY: E2: the counters of a range, which nobody else has (E1).
            unsafe { both.indexed.add(from * size).write_bytes(0, n * size) }
        });
        let mut counting = self.places.rescaled(plan, size)?;
        counting.chunk = size;
        counting.free.clear();
        counting.flat_linear = false;
        counting.index.iter_mut().for_each(|l| l.linear = 0);
        let count = Leaf::Combine { how: Reduce::Sum, dtype: C::DTYPE };
        self.pass(&counting, ones, count, Some((&self.places, size)))?;
        // SAFETY: E2: the counters were cleared.
        unsafe { counts.fill() };
        Ok(counts)
    }

    /// A write of what combining starts from, unless only a part of the places is asked for.
    fn start(&self, plan: &Plan, dtype: DType) -> Option<Start> {
        if self.job.window.is_some() { None } else { Start::of(plan, dtype, self.job.group.how) }
    }

    fn begin(&self, mut start: Start, indexed: *mut u8) -> Result<()> {
        let call = &self.job.call;
        start.store(call, indexed).map_err(|_| diagnose::out_of_range(call.plan, call.views))
    }

    /// Combines in place what is neither wide nor more than counted.
    ///
    /// # Safety
    /// The arrays must be those of the plan (L1, L3).
    unsafe fn plainly(&self) -> Result<()> {
        let Job { call: Call { plan, sides, .. }, group: Group { dtype, how, include_self, .. }, .. } = self.job;
        let (counts, summed) = (self.counts::<u32>()?, self.job.summed.is_some());
        if !include_self && !summed {
            match self.start(plan, dtype) {
                Some(start) => self.begin(start, sides.indexed)?,
                // SAFETY: passed on.
                None => unsafe {
                    with_number!(dtype, T => self.each(sides, &counts, |_, _, _| identity::<T>(how)), ())
                },
            }
        }
        if !summed {
            self.pass(plan, sides, Leaf::Combine { how, dtype }, None)?;
        }
        if how != Reduce::Mean {
            return Ok(());
        }
        // What lies in gaps is not ours to write, not even as it was.
        if self.is_one() && self.covers(&self.places) {
            // SAFETY: passed on.
            unsafe { self.divide(&counts) };
            return Ok(());
        }
        // SAFETY: passed on.
        unsafe {
            let over = |n: u32| u64::from(n) + u64::from(include_self);
            with_number!(dtype, T => self.each(sides, &counts, |v: T, n, _| v.over(over(n))), ())
        }
        Ok(())
    }

    /// Divides sums by counters of a byte, if all contributions are in them: one that began anew lacks some.
    ///
    /// # Safety
    /// The arrays must be those of the plan (L1, L3), whose elements the grid [covers](Counted::covers).
    unsafe fn averaged(&self) -> Result<bool> {
        let (counts, all) = (self.counts::<u8>()?, AtomicUsize::new(0));
        let counted = &counts[..];
        in_parts(self.job.call.sides, counted.len(), |_, from, n| {
            let sum = |piece: &[u8]| piece.iter().map(|&n| usize::from(n)).sum::<usize>();
            all.fetch_add(counted[from..from + n].chunks(PIECE).map(sum).sum(), Ordering::Relaxed);
        });
        let enough = all.into_inner() == self.job.moved();
        if enough {
            // SAFETY: passed on.
            unsafe { self.divide(counted) };
        }
        Ok(enough)
    }

    /// Divides the sum in every place, which is an element, by how many contributions it has.
    ///
    /// # Safety
    /// As [`Counted::averaged`]; there is a counter for each place.
    unsafe fn divide<C: Copy + Into<u32> + Sync>(&self, counts: &[C]) {
        let Job { call: Call { plan, sides, .. }, group: Group { dtype, include_self, .. }, .. } = self.job;
        let places = Sides { indexed: sides.indexed.wrapping_offset(self.places.low), ..sides };
        in_parts(places, counts.len(), |places, from, n| {
            let mut wide = [0u32; PIECE];
            for (k, piece) in counts[from..from + n].chunks(PIECE).enumerate() {
                wide.iter_mut().zip(piece).for_each(|(wide, &n)| *wide = n.into());
                let sums = places.indexed.wrapping_add((from + k * PIECE) * plan.size);
                // SAFETY: L1: all places are elements of the destination; ranges are different ones (E1).
                unsafe { average(dtype, sums, wide.as_ptr(), include_self.into(), piece.len()) }
            }
        });
    }

    /// Whether every place of a grid is an element, as in a destination without gaps.
    fn covers(&self, grid: &Lattice) -> bool {
        let Plan { indexed_layout, size, .. } = self.job.call.plan;
        let (low, high) = indexed_layout.reach();
        grid.unit == *size as isize && indexed_layout.numel() * size == (high - low) as usize + size
    }

    /// Sums halves in f32 where every element has a sum: those without contributions keep theirs, and are left alone.
    ///
    /// # Safety
    /// The arrays must be those of the plan (L1, L3), whose elements the grid [covers](Counted::covers).
    unsafe fn summed(&self, grid: &Lattice) -> Result<()> {
        let Job { call: Call { plan, sides, .. }, group: Group { dtype, how, include_self, .. }, .. } = self.job;
        let wide = grid.rescaled(plan, 4)?;
        let mut start = None;
        if !include_self {
            start = self.start(&Plan { chunk: plan.chunk * 2, ..wide.clone() }, DType::F32);
            if start.is_none() {
                // SAFETY: passed on.
                return unsafe { self.apart(grid) };
            }
        }
        let counts = if how == Reduce::Mean { Some(self.counts::<u32>()?) } else { None };
        let mut sums = scratch::<f32>(plan, grid.count)?;
        let space = Sides { indexed: sums.start().cast(), linear: sides.linear };
        let both = Sides { indexed: sides.indexed.wrapping_offset(grid.low), linear: space.indexed };
        let halves = |both: Sides, from: usize| {
            (both.indexed.cast::<u16>().wrapping_add(from), both.linear.cast::<f32>().wrapping_add(from))
        };
        in_parts(both, grid.count, |both, from, n| {
            let (own, sums) = halves(both, from);
            // SAFETY: E2, L1: elements of the destination, and the sum of each; ranges are different ones (E1).
            unsafe { halves::widen(dtype, own, sums, n) }
        });
        if let Some(start) = start {
            self.begin(start, space.indexed)?;
        }
        self.pass(&wide, space, Leaf::Widen { how, dtype }, Some((grid, 4)))?;
        let own = u32::from(include_self);
        match &counts {
            None => in_parts(both, grid.count, |both, from, n| {
                let (own, sums) = halves(both, from);
                // SAFETY: as above.
                unsafe { halves::round(dtype, own, sums, n) }
            }),
            // Places are elements.
            Some(counts) if self.is_one() => {
                let counts = &counts[..];
                in_parts(both, grid.count, |both, from, n| {
                    let (halves, sums) = halves(both, from);
                    // SAFETY: as above.
                    unsafe { average_halves(dtype, halves, sums, counts[from..from + n].as_ptr(), own, n) }
                });
            }
            // SAFETY: passed on.
            Some(counts) => unsafe { self.each_rounded(grid, sides, counts, space, own) },
        }
        Ok(())
    }

    /// Sums halves in f32 where elements lie apart.
    ///
    /// # Safety
    /// The arrays must be those of the plan (L1, L3).
    unsafe fn apart(&self, grid: &Lattice) -> Result<()> {
        let Job { call: Call { plan, sides, .. }, group: Group { dtype, how, include_self, .. }, .. } = self.job;
        let counts = self.counts::<u32>()?;
        let mut sums = room(plan, grid.count)?;
        sums.resize(grid.count, identity::<f32>(how));
        let space = Sides { indexed: sums.as_mut_ptr().cast(), linear: sides.linear };
        if include_self {
            // SAFETY: passed on; elements of different places have different sums.
            unsafe {
                match dtype {
                    DType::F16 => self.each(sides, &counts, |v: f16, _, o| grid.put(space, o, v.to_f32(), v)),
                    _ => self.each(sides, &counts, |v: bf16, _, o| grid.put(space, o, v.to_f32(), v)),
                }
            }
        }
        self.pass(&grid.rescaled(plan, 4)?, space, Leaf::Widen { how, dtype }, Some((grid, 4)))?;
        // SAFETY: passed on.
        unsafe { self.each_rounded(grid, sides, &counts, space, u32::from(include_self)) };
        Ok(())
    }

    /// Rounds the sum of every element that has contributions.
    ///
    /// # Safety
    /// The arrays must be those of the plan (L1, L3), and the space the grid's.
    unsafe fn each_rounded(&self, grid: &Lattice, sides: Sides, counts: &[u32], space: Sides, own: u32) {
        // SAFETY: passed on.
        unsafe {
            match self.job.group.dtype {
                DType::F16 => {
                    self.each(sides, counts, |_, n, o| self.rounded(f16::from_f32(grid.get(space, o)), n, own))
                }
                _ => self.each(sides, counts, |_, n, o| self.rounded(bf16::from_f32(grid.get(space, o)), n, own)),
            }
        }
    }

    /// A sum, or the mean it is one of.
    fn rounded<T: Number>(&self, sum: T, count: u32, own: u32) -> T {
        if self.job.group.how == Reduce::Mean { sum.over(u64::from(count) + u64::from(own)) } else { sum }
    }

    /// Whether a position names one element.
    fn is_one(&self) -> bool {
        let plan = self.job.call.plan;
        plan.free.is_empty() && plan.chunk == plan.size
    }

    /// Replaces every element that has contributions by `f(element, how many, where it lies)`.
    ///
    /// # Safety
    /// The arrays must be those of the plan (L1, L3).
    unsafe fn each<T: Number>(&self, sides: Sides, counts: &[u32], f: impl Fn(T, u32, isize) -> T + Send + Sync) {
        let (plan, places) = (self.job.call.plan, &self.places);
        let width = (plan.chunk / size_of::<T>()) as isize;
        let one = plan.free.is_empty() && width == 1;
        let work = counts.len().saturating_mul(plan.lanes()).saturating_mul(plan.chunk);
        let whole = move |range: std::ops::Range<usize>| {
            let sides: Sides = sides;
            // SAFETY: R1: a place with a count is one the plan resolved to; ranges are different places (E1).
            let element = |o: isize, n: u32| unsafe {
                let to = sides.indexed.offset(o).cast::<T>();
                to.write_unaligned(f(to.read_unaligned(), n, o));
            };
            for k in range {
                let (n, o) = (counts[k], places.low + k as isize * places.unit);
                if n == 0 {
                    continue;
                }
                if one {
                    element(o, n);
                    continue;
                }
                lanes(&plan.free, |_, lane| {
                    (0..width).for_each(|e| element(o + lane + e * size_of::<T>() as isize, n))
                });
            }
            Ok::<(), ()>(())
        };
        let _ = threads::in_ranges(counts.len(), threads::parts_for(work), whole);
    }
}
