//! Places at equal distances, for which memory of a call's own can be laid out: a number for each.

use crate::error::Result;
use crate::exec::call::Sides;
use crate::exec::group::job::Landing;
use crate::layout::Layout;
use crate::plan::{Loop, Plan};

/// Evenly spaced places on the indexed side.
#[derive(Clone, Copy)]
pub(crate) struct Lattice {
    /// The first place, and the bytes between two.
    pub low: isize,
    pub unit: isize,
    pub count: usize,
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Lattice {
    /// All sums of an offset and steps along (extent, step) loops.
    pub(crate) fn of(offset: isize, loops: impl Iterator<Item = (usize, isize)>) -> Lattice {
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
        Lattice { low, unit: unit as isize, count: (high - low) as usize / unit + 1 }
    }

    /// Where the element at an offset has its sum.
    fn sum(&self, space: Sides, o: isize) -> *mut f32 {
        space.indexed.cast::<f32>().wrapping_offset((o - self.low) / self.unit)
    }

    /// Stores an element's sum and gives `then`.
    ///
    /// # Safety
    /// The offset is one of the grid's, `space` an array of its size, and nobody else uses the element.
    pub(crate) unsafe fn put<T>(&self, space: Sides, o: isize, v: f32, then: T) -> T {
        // SAFETY: passed on.
        unsafe { self.sum(space, o).write(v) };
        then
    }

    /// An element's sum.
    ///
    /// # Safety
    /// As [`Lattice::put`].
    pub(crate) unsafe fn get(&self, space: Sides, o: isize) -> f32 {
        // SAFETY: passed on.
        unsafe { self.sum(space, o).read() }
    }

    /// Its places in a window.
    pub(crate) fn within(&self, window: Landing) -> Lattice {
        let nth = |o: isize| ((o - self.low).max(0) as usize).div_ceil(self.unit as usize).min(self.count);
        let (from, to) = (nth(window.low), nth(window.high));
        Lattice { low: self.low + from as isize * self.unit, count: to.saturating_sub(from), ..*self }
    }

    /// The offsets from its first place to its last, as an interval.
    pub(crate) fn reach(&self) -> (isize, isize) {
        (self.low, self.low + self.count.saturating_sub(1) as isize * self.unit + 1)
    }

    /// A step or offset as one in an array with `size` bytes for each place.
    pub(crate) fn scaled(&self, by: isize, size: usize) -> isize {
        by / self.unit * size as isize
    }

    /// The plan with an array of `size` bytes for each place as its indexed side.
    pub(crate) fn rescaled(&self, plan: &Plan, size: usize) -> Result<Plan> {
        let mut plan = plan.clone();
        // Steps of loops that run once are not in the grid.
        let scale = |l: &mut Loop| l.indexed = if l.extent > 1 { self.scaled(l.indexed, size) } else { 0 };
        plan.index.iter_mut().for_each(scale);
        plan.free.iter_mut().for_each(scale);
        for axis in &mut plan.axes {
            axis.step = if axis.len > 1 { self.scaled(axis.step, size) } else { 0 };
            axis.digits.iter_mut().for_each(|(n, s)| *s = if *n > 1 { self.scaled(*s, size) } else { 0 });
        }
        plan.offset = self.scaled(plan.offset - self.low, size);
        plan.size = size;
        plan.indexed_layout = Layout::contiguous(&[self.count], size)?;
        Ok(plan)
    }
}

/// The index loops and axes as (extent, step) of the indexed side.
pub(crate) fn jumps(plan: &Plan) -> impl Iterator<Item = (usize, isize)> {
    let axes = plan.axes.iter().flat_map(|a| {
        let even = a.digits.is_empty().then_some((a.len, a.step));
        even.into_iter().chain(a.digits.iter().copied())
    });
    plan.index.iter().map(|l| (l.extent, l.indexed)).chain(axes)
}
