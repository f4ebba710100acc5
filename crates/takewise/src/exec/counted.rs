//! Accumulations that need to know about all contributions of a place: means (how many there are), `include_self = false`
//! (a place that has any starts from the identity) and halves summed in f32 (rounded once, at the end).
//!
//! Counting is itself an accumulation, of ones into counters, and sums in f32 are one into other memory: the same plan
//! with its indexed side rescaled to a private array, so that blocks, threads and order are those of any accumulation.
//! Extra memory: four bytes a place between the lowest and the highest the plan can reach, and as much again for each half
//! float among them (and no counters for halves without gaps whose sum is all that is asked); where that is much more than the
//! index positions, [`grouped`](super::grouped) sorts those instead.

use super::costs::costs;
use super::{Leaf, Operands, Reduce, Sides, diagnose, lanes, run, threads};
use crate::dtype::DType;
use crate::error::Result;
use crate::index::rules::Width;
use crate::kernel::halves;
use crate::kernel::reduce::{Number, identity, with_number};
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
        if plan.select.is_some()
            || plan.axes.iter().any(|a| a.len == 0)
            || u32::try_from(positions).is_err()
            || most == 0
        {
            return None;
        }
        let near = |grid: &Grid, moved: usize| grid.count <= moved.saturating_mul(most).saturating_add(1024);
        let places = Grid::of(plan.offset, jumps(plan));
        let half = matches!(dtype, DType::F16 | DType::BF16) && plan.rules.accumulate == Width::Wide;
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
        let Counted { plan, dtype, how, .. } = *self;
        if include_self
            && how != Reduce::Mean
            && let Some(grid) = self.wide.as_ref().filter(|g| self.covers(g))
        {
            // SAFETY: passed on.
            return unsafe { self.summed(grid, views, operands, sides) };
        }
        let failed = |_| diagnose::out_of_range(plan, views);
        let mut counts = vec![0u32; self.places.count];
        let one = 1u32;
        let mut counting = self.rescaled(&self.places, 4)?;
        counting.chunk = 4;
        counting.free.clear();
        counting.flat_linear = false;
        counting.index.iter_mut().for_each(|l| l.linear = 0);
        let ones = Sides { indexed: counts.as_mut_ptr().cast(), linear: (&raw const one).cast_mut().cast() };
        run(&counting, views, operands, ones, Leaf::Combine { how: Reduce::Sum, dtype: DType::U32 }).map_err(failed)?;
        let Some(grid) = &self.wide else {
            if !include_self {
                // SAFETY: passed on.
                unsafe { with_number!(dtype, T => self.each(sides, &counts, |_, _, _| identity::<T>(how)), ()) };
            }
            run(plan, views, operands, sides, Leaf::Combine { how, dtype }).map_err(failed)?;
            if how == Reduce::Mean {
                let own = u64::from(include_self);
                // SAFETY: passed on.
                unsafe {
                    with_number!(dtype, T => self.each(sides, &counts, |v: T, n, _| v.over(u64::from(n) + own)), ())
                };
            }
            return Ok(());
        };
        let mut sums = vec![identity::<f32>(how); grid.count];
        let space = Sides { indexed: sums.as_mut_ptr().cast(), linear: sides.linear };
        let own = u64::from(include_self);
        if include_self {
            // SAFETY: passed on; elements of different places have different sums.
            unsafe {
                match dtype {
                    DType::F16 => self.each(sides, &counts, |v: f16, _, o| grid.put(space, o, v.to_f32(), v)),
                    _ => self.each(sides, &counts, |v: bf16, _, o| grid.put(space, o, v.to_f32(), v)),
                }
            }
        }
        run(&self.rescaled(grid, 4)?, views, operands, space, Leaf::Widen { how, dtype }).map_err(failed)?;
        // SAFETY: passed on.
        unsafe {
            match dtype {
                DType::F16 => {
                    self.each(sides, &counts, |_, n, o| self.rounded(f16::from_f32(grid.get(space, o)), n, own))
                }
                _ => self.each(sides, &counts, |_, n, o| self.rounded(bf16::from_f32(grid.get(space, o)), n, own)),
            }
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
    unsafe fn summed(&self, grid: &Grid, views: &[AnyView], operands: &Operands, sides: Sides) -> Result<()> {
        let Counted { plan, dtype, how, .. } = *self;
        // SAFETY: E2: filled below.
        let mut sums = unsafe { Tensor::blank(&[grid.count], DType::F32)? };
        let Some(mut sums) = sums.unique() else { return Err(diagnose::changed(plan)) };
        let (own, sums) = (sides.indexed.wrapping_offset(grid.low), sums.as_mut_ptr());
        let space = Sides { indexed: sums, linear: sides.linear };
        let both = Sides { indexed: own, linear: sums };
        let each = |kernel: unsafe fn(DType, *mut u16, *mut f32, usize)| {
            let parts = threads::parts_for(grid.count * size_of::<f32>());
            let _ = threads::in_ranges(grid.count, parts, |range| {
                let both: Sides = both;
                // SAFETY: L1: elements of the destination, and the sum of each; ranges are different ones (E1).
                unsafe {
                    let (own, sums) = (both.indexed.cast::<u16>(), both.linear.cast::<f32>());
                    kernel(dtype, own.add(range.start), sums.add(range.start), range.len());
                }
                Ok::<(), ()>(())
            });
        };
        each(halves::widen);
        let failed = |_| diagnose::out_of_range(plan, views);
        run(&self.rescaled(grid, 4)?, views, operands, space, Leaf::Widen { how, dtype }).map_err(failed)?;
        each(halves::round);
        Ok(())
    }

    /// A sum, or the mean it is one of.
    fn rounded<T: Number>(&self, sum: T, count: u32, own: u64) -> T {
        if self.how == Reduce::Mean { sum.over(u64::from(count) + own) } else { sum }
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
