//! Accumulations that need to know about all contributions of a place: means (how many there are), halves summed in f32
//! (rounded once, at the end), and long rows that start [`afresh`](super::afresh) (whether there are any).
//!
//! Counting is itself an accumulation, of ones into counters, and sums in f32 are one into other memory: the same plan
//! with its indexed side rescaled to a private array, so that blocks, threads and order are those of any accumulation.
//! Extra memory: four bytes a place between the lowest and the highest the plan can reach, and as much again for each half
//! float among them (and no counters for halves without gaps whose sum is all that is asked); where that is much more than the
//! index positions, [`grouped`](super::grouped) sorts those instead.

use super::afresh::Start;
use super::costs::costs;
use super::{Leaf, Operands, Reduce, Sides, diagnose, lanes, run, threads};
use crate::dtype::DType;
use crate::error::Result;
use crate::index::rules::Width;
use crate::kernel::halves;
use crate::kernel::reduce::{Number, average, average_halves, identity, with_number};
use crate::layout::Layout;
use crate::plan::{Loop, Plan};
use crate::tensor::Tensor;
use crate::view::AnyView;
use half::{bf16, f16};

/// Evenly spaced places on the indexed side.
#[derive(Clone, Copy)]
struct Grid {
    /// The first place, and the bytes between two.
    low: isize,
    unit: isize,
    count: usize,
}

/// An accumulation to be run with counters.
pub(super) struct Counted<'p> {
    plan: &'p Plan,
    dtype: DType,
    how: Reduce,
    /// Where chunks may begin.
    places: Grid,
    /// Where elements may lie, if they are summed in f32.
    wide: Option<Grid>,
}

/// Memory of a call's own.
struct Scratch {
    _owner: Tensor,
    at: *mut u8,
    len: usize,
}

impl Scratch {
    /// `len` numbers of four bytes, which have no value yet.
    fn new(plan: &Plan, len: usize, dtype: DType) -> Result<Scratch> {
        // SAFETY: E2: whoever asks for it fills it first.
        let mut owner = unsafe { Tensor::blank(&[len], dtype)? };
        let Some(mut view) = owner.unique() else { return Err(diagnose::changed(plan)) };
        let at = view.as_mut_ptr();
        Ok(Scratch { _owner: owner, at, len })
    }

    /// As counters, once these are filled.
    fn numbers(&self) -> &[u32] {
        // SAFETY: `len` numbers, which nobody writes to any more.
        unsafe { std::slice::from_raw_parts(self.at.cast(), self.len) }
    }

    /// As the linear side beside an indexed one.
    fn sides(&self, sides: Sides) -> Sides {
        Sides { linear: self.at, ..sides }
    }
}

/// Calls `f(sides, start, count)` for ranges of numbers of four bytes, side by side.
fn in_parts(sides: Sides, count: usize, f: impl Fn(Sides, usize, usize) + Send + Sync) {
    let parts = threads::parts_for(count.saturating_mul(4));
    let _ = threads::in_ranges(count, parts, |range| {
        let sides: Sides = sides;
        f(sides, range.start, range.len());
        Ok::<(), ()>(())
    });
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Grid {
    /// All sums of an offset and steps along (extent, step) loops.
    fn of(offset: isize, loops: impl Iterator<Item = (usize, isize)>) -> Grid {
        let (mut low, mut high, mut unit) = (offset, offset, 0);
        for (n, step) in loops.filter(|(n, _)| *n > 1) {
            // R1: the plan has proved that these stay in the hull of a layout.
            let span = (n as isize - 1) * step;
            if span < 0 {
                low += span
            } else {
                high += span
            }
            unit = gcd(step.unsigned_abs(), unit);
        }
        let unit = unit.max(1);
        Grid { low, unit: unit as isize, count: (high - low) as usize / unit + 1 }
    }

    /// Where the element at an offset has its sum.
    fn sum(&self, space: Sides, o: isize) -> *mut f32 {
        space.indexed.cast::<f32>().wrapping_offset((o - self.low) / self.unit)
    }

    /// Stores an element's sum and gives `then`.
    ///
    /// # Safety
    /// The offset is one of the grid's, `space` an array of its size, and nobody else uses the element.
    unsafe fn put<T>(&self, space: Sides, o: isize, v: f32, then: T) -> T {
        // SAFETY: passed on.
        unsafe { self.sum(space, o).write(v) };
        then
    }

    /// An element's sum.
    ///
    /// # Safety
    /// As [`Grid::put`].
    unsafe fn get(&self, space: Sides, o: isize) -> f32 {
        // SAFETY: passed on.
        unsafe { self.sum(space, o).read() }
    }

    /// A step or offset as one in an array with `size` bytes for each place.
    fn scaled(&self, by: isize, size: usize) -> isize {
        by / self.unit * size as isize
    }
}

/// The index loops and axes as (extent, step) of the indexed side.
fn jumps(plan: &Plan) -> impl Iterator<Item = (usize, isize)> {
    let axes = plan.axes.iter().flat_map(|a| {
        let even = a.digits.is_empty().then_some((a.len, a.step));
        even.into_iter().chain(a.digits.iter().copied())
    });
    plan.index.iter().map(|l| (l.extent, l.indexed)).chain(axes)
}

impl<'p> Counted<'p> {
    /// The plan, if its places are near enough to each other.
    pub(super) fn of(plan: &'p Plan, dtype: DType, how: Reduce) -> Option<Counted<'p>> {
        let most = costs().counters;
        let positions = plan.positions();
        if plan.select.is_some() || plan.axes.iter().any(|a| a.len == 0) || positions >= u32::MAX as usize || most == 0
        {
            return None;
        }
        let near = |grid: &Grid, moved: usize| grid.count <= moved.saturating_mul(most).saturating_add(1024);
        let places = Grid::of(plan.offset, jumps(plan));
        let half = matches!(dtype, DType::F16 | DType::BF16) && plan.rules.accumulate == Width::Wide;
        if half && plan.chunk >= costs().sorted_row {
            return None;
        }
        let wide = half.then(|| {
            let within = (plan.chunk / plan.size, plan.size as isize);
            Grid::of(plan.offset, jumps(plan).chain(plan.free.iter().map(|l| (l.extent, l.indexed))).chain([within]))
        });
        // Elements of a chunk stay side by side.
        let fits =
            |g: &Grid| near(g, plan.bytes() / plan.size) && (plan.chunk == plan.size || g.unit == plan.size as isize);
        (near(&places, positions) && wide.as_ref().is_none_or(fits)).then_some(Counted {
            plan,
            dtype,
            how,
            places,
            wide,
        })
    }

    /// Runs the accumulation.
    ///
    /// # Safety
    /// The arrays must be those of the plan (L1, L3).
    pub(super) unsafe fn run(
        &self,
        views: &[AnyView],
        operands: &Operands,
        sides: Sides,
        include_self: bool,
    ) -> Result<()> {
        // SAFETY: passed on.
        unsafe {
            match &self.wide {
                None => self.plainly(views, operands, sides, include_self),
                Some(grid) if self.covers(grid) => self.summed(grid, views, operands, sides, include_self),
                Some(grid) => self.apart(grid, views, operands, sides, include_self),
            }
        }
    }

    /// How many contributions every place has, after a look at all index values.
    fn counts(&self, views: &[AnyView], operands: &Operands, sides: Sides) -> Result<Scratch> {
        let counts = Scratch::new(self.plan, self.places.count, DType::U32)?;
        in_parts(counts.sides(sides), counts.len, |both, from, n| {
            // SAFETY: E2: the counters of a range, which nobody else has (E1).
            unsafe { both.linear.cast::<u32>().add(from).write_bytes(0, n) }
        });
        let one = 1u32;
        let mut counting = self.rescaled(&self.places, 4)?;
        counting.chunk = 4;
        counting.free.clear();
        counting.flat_linear = false;
        counting.index.iter_mut().for_each(|l| l.linear = 0);
        let ones = Sides { indexed: counts.at, linear: (&raw const one).cast_mut().cast() };
        run(&counting, views, operands, ones, Leaf::Combine { how: Reduce::Sum, dtype: DType::U32 })
            .map_err(|_| diagnose::out_of_range(self.plan, views))?;
        Ok(counts)
    }

    /// Combines in place what is neither wide nor more than counted.
    ///
    /// # Safety
    /// The arrays must be those of the plan (L1, L3).
    unsafe fn plainly(&self, views: &[AnyView], operands: &Operands, sides: Sides, include_self: bool) -> Result<()> {
        let Counted { plan, dtype, how, .. } = *self;
        let failed = |_| diagnose::out_of_range(plan, views);
        let counts = self.counts(views, operands, sides)?;
        if !include_self {
            match Start::of(plan, dtype, how) {
                Some(mut start) => start.store(views, operands, sides.indexed).map_err(failed)?,
                // SAFETY: passed on.
                None => unsafe {
                    with_number!(dtype, T => self.each(sides, counts.numbers(), |_, _, _| identity::<T>(how)), ())
                },
            }
        }
        run(plan, views, operands, sides, Leaf::Combine { how, dtype }).map_err(failed)?;
        if how != Reduce::Mean {
            return Ok(());
        }
        let own = u32::from(include_self);
        // What lies in gaps is not ours to write, not even as it was.
        if self.is_one() && self.covers(&self.places) {
            let first = sides.indexed.wrapping_offset(self.places.low);
            in_parts(counts.sides(Sides { indexed: first, ..sides }), counts.len, |both, from, n| {
                // SAFETY: L1: all places are elements of the destination; ranges are different ones (E1).
                unsafe {
                    let sums = both.indexed.wrapping_add(from * plan.size);
                    average(dtype, sums, both.linear.cast::<u32>().add(from), own, n);
                }
            });
            return Ok(());
        }
        // SAFETY: passed on.
        unsafe {
            let over = |n: u32| u64::from(n) + u64::from(own);
            with_number!(dtype, T => self.each(sides, counts.numbers(), |v: T, n, _| v.over(over(n))), ())
        }
        Ok(())
    }

    /// Whether every place of a grid is an element, as in a destination without gaps.
    fn covers(&self, grid: &Grid) -> bool {
        let Plan { indexed_layout, size, .. } = self.plan;
        let (low, high) = indexed_layout.reach();
        grid.unit == *size as isize && indexed_layout.numel() * size == (high - low) as usize + size
    }

    /// Sums halves in f32 where every element has a sum: those without contributions keep theirs, and are left alone.
    ///
    /// # Safety
    /// The arrays must be those of the plan (L1, L3), whose elements the grid [covers](Counted::covers).
    unsafe fn summed(
        &self,
        grid: &Grid,
        views: &[AnyView],
        operands: &Operands,
        sides: Sides,
        include_self: bool,
    ) -> Result<()> {
        let Counted { plan, dtype, how, .. } = *self;
        let wide = self.rescaled(grid, 4)?;
        let mut start = None;
        if !include_self {
            start = Start::of(&Plan { chunk: plan.chunk * 2, ..wide.clone() }, DType::F32, how);
            if start.is_none() {
                // SAFETY: passed on.
                return unsafe { self.apart(grid, views, operands, sides, include_self) };
            }
        }
        let counts = if how == Reduce::Mean { Some(self.counts(views, operands, sides)?) } else { None };
        let sums = Scratch::new(plan, grid.count, DType::F32)?;
        let space = Sides { indexed: sums.at, linear: sides.linear };
        let both = sums.sides(Sides { indexed: sides.indexed.wrapping_offset(grid.low), ..sides });
        let halves = |both: Sides, from: usize| {
            (both.indexed.cast::<u16>().wrapping_add(from), both.linear.cast::<f32>().wrapping_add(from))
        };
        in_parts(both, grid.count, |both, from, n| {
            let (own, sums) = halves(both, from);
            // SAFETY: E2, L1: elements of the destination, and the sum of each; ranges are different ones (E1).
            unsafe { halves::widen(dtype, own, sums, n) }
        });
        let failed = |_| diagnose::out_of_range(plan, views);
        if let Some(start) = &mut start {
            start.store(views, operands, space.indexed).map_err(failed)?;
        }
        run(&wide, views, operands, space, Leaf::Widen { how, dtype }).map_err(failed)?;
        let own = u32::from(include_self);
        match &counts {
            None => in_parts(both, grid.count, |both, from, n| {
                let (own, sums) = halves(both, from);
                // SAFETY: as above.
                unsafe { halves::round(dtype, own, sums, n) }
            }),
            // Places are elements.
            Some(counts) if self.is_one() => {
                let counts = counts.sides(both).linear;
                let counts = Sides { indexed: counts, linear: counts };
                in_parts(both, grid.count, |both, from, n| {
                    let (halves, sums) = halves(both, from);
                    let counts: Sides = counts;
                    // SAFETY: as above.
                    unsafe {
                        average_halves(dtype, halves, sums, counts.linear.cast::<u32>().add(from), own, n);
                    }
                });
            }
            // SAFETY: passed on.
            Some(counts) => unsafe { self.each_rounded(grid, sides, counts.numbers(), space, own) },
        }
        Ok(())
    }

    /// Sums halves in f32 where elements lie apart.
    ///
    /// # Safety
    /// The arrays must be those of the plan (L1, L3).
    unsafe fn apart(
        &self,
        grid: &Grid,
        views: &[AnyView],
        operands: &Operands,
        sides: Sides,
        include_self: bool,
    ) -> Result<()> {
        let Counted { plan, dtype, how, .. } = *self;
        let counts = self.counts(views, operands, sides)?;
        let mut sums = vec![identity::<f32>(how); grid.count];
        let space = Sides { indexed: sums.as_mut_ptr().cast(), linear: sides.linear };
        if include_self {
            // SAFETY: passed on; elements of different places have different sums.
            unsafe {
                match dtype {
                    DType::F16 => self.each(sides, counts.numbers(), |v: f16, _, o| grid.put(space, o, v.to_f32(), v)),
                    _ => self.each(sides, counts.numbers(), |v: bf16, _, o| grid.put(space, o, v.to_f32(), v)),
                }
            }
        }
        run(&self.rescaled(grid, 4)?, views, operands, space, Leaf::Widen { how, dtype })
            .map_err(|_| diagnose::out_of_range(plan, views))?;
        // SAFETY: passed on.
        unsafe { self.each_rounded(grid, sides, counts.numbers(), space, u32::from(include_self)) };
        Ok(())
    }

    /// Rounds the sum of every element that has contributions.
    ///
    /// # Safety
    /// The arrays must be those of the plan (L1, L3), and the space the grid's.
    unsafe fn each_rounded(&self, grid: &Grid, sides: Sides, counts: &[u32], space: Sides, own: u32) {
        // SAFETY: passed on.
        unsafe {
            match self.dtype {
                DType::F16 => {
                    self.each(sides, counts, |_, n, o| self.rounded(f16::from_f32(grid.get(space, o)), n, own))
                }
                _ => self.each(sides, counts, |_, n, o| self.rounded(bf16::from_f32(grid.get(space, o)), n, own)),
            }
        }
    }

    /// A sum, or the mean it is one of.
    fn rounded<T: Number>(&self, sum: T, count: u32, own: u32) -> T {
        if self.how == Reduce::Mean { sum.over(u64::from(count) + u64::from(own)) } else { sum }
    }

    /// Whether a position names one element.
    fn is_one(&self) -> bool {
        self.plan.free.is_empty() && self.plan.chunk == self.plan.size
    }

    /// The plan with a private array as its indexed side, `size` bytes for each place of a grid.
    fn rescaled(&self, grid: &Grid, size: usize) -> Result<Plan> {
        let mut plan = self.plan.clone();
        // Steps of loops that run once are not in the grid.
        let scale = |l: &mut Loop| l.indexed = if l.extent > 1 { grid.scaled(l.indexed, size) } else { 0 };
        plan.index.iter_mut().for_each(scale);
        plan.free.iter_mut().for_each(scale);
        for axis in &mut plan.axes {
            axis.step = if axis.len > 1 { grid.scaled(axis.step, size) } else { 0 };
            axis.digits.iter_mut().for_each(|(n, s)| *s = if *n > 1 { grid.scaled(*s, size) } else { 0 });
        }
        plan.offset = grid.scaled(plan.offset - grid.low, size);
        plan.size = size;
        plan.indexed_layout = Layout::contiguous(&[grid.count], size)?;
        Ok(plan)
    }

    /// Replaces every element that has contributions by `f(element, how many, where it lies)`.
    ///
    /// # Safety
    /// The arrays must be those of the plan (L1, L3).
    unsafe fn each<T: Number>(&self, sides: Sides, counts: &[u32], f: impl Fn(T, u32, isize) -> T + Send + Sync) {
        let Counted { plan, places, .. } = self;
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
