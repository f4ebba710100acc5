//! From a subscript to the chunks it touches.

use super::get::with_open;
use crate::Index;
use crate::dims::unravel;
use crate::error::{Error, Fault, Result};
use crate::exec;
use crate::index::rules::{Empty, Rules};
use crate::index::{ArrayAxis, IndexValues, Normalized, mask, normalize, spread};
use crate::kernel::SKIP;
use crate::layout::{Dims, Layout};
use crate::op::Op;
use crate::plan::{Builder, Chunks, Factor, Grid, Line, Points, sorted};
use crate::view::AnyView;
use std::ops::Range;

impl Chunks {
    /// The chunks that `x[items]` touches, for an array of the grid's shape.
    ///
    /// All index values are checked. Memory and cost: a few passes over the index arrays, 16 bytes for each position they name
    /// together (40 meanwhile); nothing for slices, whatever their length. Positions that the rules fill or drop lie in no
    /// chunk ([`Chunks::is_whole`]).
    ///
    /// Errors: those of [`ops::index`](crate::ops::index), with the same words; kind `Memory` if there is none for the plan.
    ///
    /// ```
    /// use takewise::chunks::{Chunks, Grid};
    /// use takewise::{Rules, ix};
    /// let grid = Grid::new(&[1_000_000, 1_000_000], &[1000, 1000])?;
    /// let (i, j) = ([5usize, 999_999, 6], [7usize, 0, 999]);
    /// let chunks = Chunks::index(&grid, &ix![&i, &j], &Rules::NEUTRAL)?;
    /// let touched: Vec<(usize, usize)> = chunks.iter().map(|chunk| (chunk.id(), chunk.len())).collect();
    /// assert_eq!(touched, [(0, 2), (999_000, 1)]);
    ///
    /// let error = Chunks::index(&grid, &ix![&i, &[7i64, 0, -1_000_001]], &Rules::NEUTRAL).unwrap_err();
    /// assert_eq!((error.axis(), error.position(), error.value()), (Some(1), Some(&[2][..]), Some(-1_000_001)));
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn index(grid: &Grid, items: &[Index<'_>], rules: &Rules) -> Result<Chunks> {
        with_open(items, rules, |items| {
            let layout = Layout::contiguous(grid.shape(), 1)?;
            of(Op::Index, grid, &layout, &normalize(Op::Index, &layout, 1, items, rules)?, rules)
        })
    }

    /// The chunks that [`Tensor::oindex`](crate::Tensor::oindex) would touch: a product of one factor for each axis.
    ///
    /// Errors and cost as [`Chunks::index`]; kind `Argument` for index arrays and masks that have not one axis each.
    ///
    /// ```
    /// use takewise::chunks::{Chunks, Grid};
    /// use takewise::{Rules, ix};
    /// let grid = Grid::new(&[100, 100], &[10, 10])?;
    /// let (i, j) = ([99usize, 5], [7usize, 0, 99]);
    /// let chunks = Chunks::oindex(&grid, &ix![&i, &j], &Rules::NEUTRAL)?;
    /// assert_eq!((chunks.shape(), chunks.factors().len(), chunks.len()), (&[2, 3][..], 2, 4));
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn oindex(grid: &Grid, items: &[Index<'_>], rules: &Rules) -> Result<Chunks> {
        spread_over(Op::OuterIndex, grid, items, rules)
    }

    /// The chunks that [`Tensor::vindex`](crate::Tensor::vindex) would touch.
    ///
    /// Errors and cost as [`Chunks::index`].
    ///
    /// ```
    /// use takewise::chunks::{Chunks, Grid};
    /// use takewise::{Rules, ix};
    /// let grid = Grid::new(&[4, 100, 100], &[4, 10, 10])?;
    /// let (i, j) = ([99usize, 5], [7usize, 0]);
    /// let chunks = Chunks::vindex(&grid, &ix![&i, .., &j], &Rules::NEUTRAL).unwrap_err();
    /// assert_eq!(chunks.axis(), Some(0));
    /// let chunks = Chunks::vindex(&grid, &ix![.., &i, &j], &Rules::NEUTRAL)?;
    /// assert_eq!((chunks.shape(), chunks.len()), (&[2, 4][..], 2));
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn vindex(grid: &Grid, items: &[Index<'_>], rules: &Rules) -> Result<Chunks> {
        spread_over(Op::PointIndex, grid, items, rules)
    }
}

fn spread_over(op: Op, grid: &Grid, items: &[Index<'_>], rules: &Rules) -> Result<Chunks> {
    with_open(items, rules, |items| {
        let layout = Layout::contiguous(grid.shape(), 1)?;
        of(op, grid, &layout, &spread(op, &layout, 1, items, rules)?, rules)
    })
}

/// The chunks of a subscript in normal form, made for `layout`: the row-major one of the grid's shape, of elements of one byte.
fn of(op: Op, grid: &Grid, layout: &Layout, n: &Normalized<'_>, rules: &Rules) -> Result<Chunks> {
    let shape = n.shape();
    let result = Layout::contiguous(&shape, 1)?;
    let empty = shape.contains(&0);
    let listed = if empty { None } else { listed(op, n, rules)? };
    let arrays = listed.as_deref().unwrap_or(&n.arrays);
    let parts = parts(&n.index_shape, arrays);
    // A selection of nothing is checked where the rules say so; what a mask selects is there.
    if n.mask.is_none() && (!empty || rules.empty == Empty::StillChecks && !n.index_shape.contains(&0)) {
        check(op, layout, rules, &parts, n)?;
    }
    let (units, steps) = (row_major(grid.counts()), row_major(grid.chunk()));
    let mut chunks = Chunks { grid: grid.clone(), shape, factors: Vec::new(), id: 0, local: 0, whole: true };
    if empty {
        chunks.factors.push(Factor::Points(Points::none()));
        return Ok(chunks);
    }
    // Plain integers and the starts of slices, together: no element of the result lies outside, so each is below its extent.
    let starts = unravel(n.offset.unsigned_abs(), grid.shape());
    let walked = |axis: usize| n.dims.iter().any(|d| d.axis == Some(axis)) || arrays.iter().any(|a| a.axis == axis);
    for axis in (0..starts.len()).filter(|&axis| !walked(axis)) {
        let k = grid.find(axis, starts[axis]);
        chunks.id += k * units[axis];
        chunks.local += (starts[axis] - grid.start(axis, k)) * steps[axis];
    }
    for (dim, d) in n.dims.iter().enumerate() {
        if let Some(axis) = d.axis {
            let step = d.step / layout.strides()[axis].max(1);
            let stride = result.strides()[dim].unsigned_abs();
            let line = Line::new(grid, (axis, dim), (starts[axis], step, d.extent), (units[axis], steps[axis], stride));
            chunks.factors.push(Factor::Line(line));
        }
    }
    for part in parts {
        let dims: Dims<usize> =
            (0..n.dims.len()).filter(|&d| n.dims[d].index.is_some_and(|b| part.loops.contains(&b))).collect();
        let stride = dims.last().map_or(1, |&d| result.strides()[d].unsigned_abs());
        let count = part.loops.clone().map(|b| n.index_shape[b]).product();
        let points = points(op, grid, rules, &part, n, (count, stride, &units, &steps))?;
        chunks.whole &= points.places.len() == count;
        chunks.factors.push(Factor::Points(Points { dims, ..points }));
    }
    chunks.factors.sort_by_key(|factor| match factor {
        Factor::Line(line) => Some(line.dim),
        Factor::Points(points) => points.dims.first().copied(),
    });
    Ok(chunks)
}

/// Fails if an index value is out of range, with what a plan of the whole subscript would say. Parts are looked at one by one, as
/// their product may be beyond all counting.
fn check(op: Op, layout: &Layout, rules: &Rules, parts: &[Bundle<'_, '_>], n: &Normalized<'_>) -> Result<()> {
    let mut found: Option<Error> = None;
    // Of an array without elements the axes that have some are checked all the same; it has the same steps.
    let extents: Dims<usize> = layout.shape().iter().map(|&n| n.max(1)).collect();
    let layout = &Layout::contiguous(&extents, 1)?;
    let at_once = |error: &Error| error.position().is_some_and(|position| position.iter().all(|&k| k == 0));
    for part in parts {
        let mut b = Builder::new(op, rules, layout, &Layout::scalar(), 1);
        let views: Vec<AnyView<'_>> = part.arrays.iter().map(|a| a.values.view()).collect();
        for (a, view) in part.arrays.iter().zip(&views) {
            let operand = b.operand(view.layout());
            b.axis(a.axis, a.len, layout.strides()[a.axis], operand, a.ordinal);
        }
        for k in part.loops.clone() {
            let steps: Dims<isize> = part.arrays.iter().map(|a| a.steps[k]).collect();
            b.index_loop(n.index_shape[k], 0, 0, &steps);
        }
        let Err(error) = exec::check(&b.build()?, &views) else { continue };
        // The last part moves fastest, so its first bad value is met before those of others, but for values that are met at the
        // very first position; of those the first array's.
        let met_first = match &found {
            None => true,
            Some(before) if rules.array_by_array => error.axis() < before.axis(),
            Some(before) if at_once(before) => at_once(&error) && error.axis() < before.axis(),
            Some(_) => true,
        };
        if met_first {
            found = Some(error);
        }
    }
    found.map_or(Ok(()), Err)
}

/// What one further along each axis adds to a row-major number.
fn row_major(extents: &[usize]) -> Dims<usize> {
    let mut step = 1usize;
    let mut steps: Dims<usize> = extents
        .iter()
        .rev()
        .map(|&n| {
            let here = step;
            step = step.wrapping_mul(n);
            here
        })
        .collect();
    steps.reverse();
    steps
}

/// The positions of a lone mask as index arrays, one for each axis it covers.
fn listed<'n>(op: Op, n: &Normalized<'n>, rules: &Rules) -> Result<Option<Vec<ArrayAxis<'n>>>> {
    let Some(m) = &n.mask else { return Ok(None) };
    let lists = mask::positions(&m.mask)?;
    if lists.iter().any(|list| list.len() != m.count) {
        // The mask has changed since it was counted.
        return Err(rules.fail(Fault::Busy { op, writing: true }));
    }
    let axis = |(d, list)| ArrayAxis {
        axis: m.axis + d,
        ordinal: d,
        len: m.mask.shape()[d],
        step: m.steps[d],
        values: IndexValues::Positions(list),
        steps: smallvec::smallvec![8],
    };
    Ok(Some(lists.into_iter().enumerate().map(axis).collect()))
}

/// Index loops that belong together, and the arrays that move in them.
struct Bundle<'p, 'a> {
    loops: Range<usize>,
    arrays: Vec<&'p ArrayAxis<'a>>,
}

/// Divides the index loops so that no array moves in two parts. Loops between those of one array belong to it as well, so that
/// each part is a range of them and its positions stand in index order.
fn parts<'p, 'a>(extents: &[usize], arrays: &'p [ArrayAxis<'a>]) -> Vec<Bundle<'p, 'a>> {
    let moves = |a: &ArrayAxis<'a>, b: usize| extents[b] > 1 && a.steps[b] != 0;
    let range = |a: &ArrayAxis<'a>| {
        let first = (0..extents.len()).find(|&b| moves(a, b))?;
        let last = (0..extents.len()).rfind(|&b| moves(a, b))?;
        Some(first..last + 1)
    };
    let (moving, still): (Vec<_>, Vec<_>) = arrays.iter().partition(|array| range(array).is_some());
    let mut all: Vec<Bundle<'p, 'a>> = Vec::new();
    // Those that move in no loop are one position together.
    if !still.is_empty() {
        all.push(Bundle { loops: 0..0, arrays: still });
    }
    all.extend(moving.into_iter().map(|array| Bundle { loops: range(array).unwrap_or(0..0), arrays: vec![array] }));
    // Those in which none moves repeat what the others name.
    let still = (0..extents.len()).filter(|&b| extents[b] > 1 && !arrays.iter().any(|a| moves(a, b)));
    all.extend(still.map(|b| Bundle { loops: b..b + 1, arrays: Vec::new() }));
    // Those that stand for themselves come first, so that they stand between no others.
    all.sort_by_key(|part| (part.loops.start, part.loops.end));
    let mut merged: Vec<Bundle<'p, 'a>> = Vec::new();
    for part in all {
        match merged.last_mut() {
            Some(last) if part.loops.start < last.loops.end && !part.loops.is_empty() => {
                last.loops.end = last.loops.end.max(part.loops.end);
                last.arrays.extend(part.arrays);
            }
            _ => merged.push(part),
        }
    }
    merged
}

/// The points of some arrays, checked, sorted and summed up.
fn points(
    op: Op,
    grid: &Grid,
    rules: &Rules,
    part: &Bundle<'_, '_>,
    n: &Normalized<'_>,
    (count, stride, units, steps): (usize, usize, &[usize], &[usize]),
) -> Result<Points> {
    let memory = || rules.fail(Fault::Memory { op, bytes: count.checked_mul(40) });
    let room = || -> Result<Vec<usize>> {
        let mut list = Vec::new();
        list.try_reserve_exact(count).map_err(|_| memory())?;
        list.resize(count, 0);
        Ok(list)
    };
    let (mut ids, mut local) = (room()?, room()?);
    let axes: Dims<usize> = part.arrays.iter().map(|a| a.axis).collect();
    // Chunks are numbered among those of these axes alone, so that numbers are small.
    let counts: Dims<usize> = axes.iter().map(|&axis| grid.counts()[axis]).collect();
    for (array, unit) in part.arrays.iter().zip(row_major(&counts)) {
        let (view, indexed) = (array.values.view(), Layout::contiguous(&[array.len], 1)?);
        let mut b = Builder::new(op, rules, &indexed, &Layout::scalar(), 1);
        let operand = b.operand(view.layout());
        b.axis(array.axis, array.len, 1, operand, array.ordinal);
        part.loops.clone().for_each(|k| b.index_loop(n.index_shape[k], 0, 0, &[array.steps[k]]));
        exec::offsets(&b.build()?, &[view], |first, positions| {
            let at = first..first + positions.len();
            let by = (unit, steps[array.axis]);
            grid.split(array.axis, positions, SKIP, by, &mut ids[at.clone()], &mut local[at]);
        })?;
    }
    let sorted = sorted(ids, local).ok_or_else(memory)?;
    let full = |id: usize| unravel(id, &counts).iter().zip(&axes).map(|(&k, &axis)| k * units[axis]).sum();
    let mut places = sorted.order;
    if stride != 1 {
        places.iter_mut().for_each(|place| *place *= stride);
    }
    let ids = sorted.ids.into_iter().map(full).collect();
    Ok(Points { axes, dims: Dims::new(), ids, ends: sorted.ends, local: sorted.local, places })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranges of index loops and numbers of arrays of each part.
    fn divided(extents: &[usize], steps: &[&[isize]]) -> Vec<(Range<usize>, usize)> {
        let array = |steps: &&[isize]| ArrayAxis {
            axis: 0,
            ordinal: 0,
            len: 9,
            step: 1,
            values: IndexValues::Positions(Vec::new()),
            steps: Dims::from_slice(steps),
        };
        let arrays: Vec<_> = steps.iter().map(array).collect();
        parts(extents, &arrays).into_iter().map(|part| (part.loops, part.arrays.len())).collect()
    }

    #[test]
    fn what_moves_apart_is_kept_apart() {
        assert_eq!(divided(&[3, 4], &[&[8, 0], &[0, 8]]), [(0..1, 1), (1..2, 1)]);
        assert_eq!(divided(&[3, 4], &[&[8, 0], &[32, 8]]), [(0..2, 2)]);
        assert_eq!(divided(&[3, 4, 5], &[&[8, 0, 4], &[0, 8, 0]]), [(0..3, 2)]);
        assert_eq!(divided(&[3, 4, 5], &[&[8, 0, 0], &[0, 0, 8]]), [(0..1, 1), (1..2, 0), (2..3, 1)]);
        assert_eq!(divided(&[1, 4], &[&[8, 0], &[0, 8]]), [(0..0, 1), (1..2, 1)]);
        assert_eq!(divided(&[], &[&[]]), [(0..0, 1)]);
        assert_eq!(divided(&[3], &[&[8], &[0], &[8], &[0]]), [(0..0, 2), (0..1, 2)]);
        assert_eq!(divided(&[3, 2], &[&[8, 0], &[0, 0], &[0, 8], &[16, 8]]), [(0..0, 1), (0..2, 3)]);
    }
}
