//! Grids: a shape cut into chunks, and which chunk a position falls into.

use crate::error::{ArgumentRule, Error, Fault, Result};
use crate::layout::{Dims, product, unravel};
use crate::op::Op;
use std::sync::Arc;

/// How one axis is cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// Every so many positions.
    Every(Divisor),
    /// Behind these positions, in ascending order.
    At(Arc<[usize]>),
}

/// A chunk's extent, ready to divide positions by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Divisor {
    size: usize,
    /// 2^64 / size, rounded up, where a product with it is exact; else 0.
    reciprocal: u64,
}

impl Divisor {
    /// Divides positions below `len`.
    fn new(size: usize, len: usize) -> Divisor {
        // Exact for numbers below 2^32 (Lemire, Kaser and Kurz: Faster remainder by direct computation).
        let small = len <= 1 << 31 && (2..1 << 31).contains(&size);
        Divisor { size, reciprocal: if small { u64::MAX / size as u64 + 1 } else { 0 } }
    }

    /// The quotient.
    #[inline(always)]
    fn of(self, position: usize) -> usize {
        if self.reciprocal == 0 {
            return position / self.size;
        }
        ((position as u128 * u128::from(self.reciprocal)) >> 64) as usize
    }
}

/// A shape cut into chunks along its axes: evenly, the last chunk of an axis as short as it must be, or behind given positions.
///
/// A grid is a few numbers for each axis, however many chunks it has.
///
/// ```
/// use takewise::chunks::Grid;
/// let grid = Grid::new(&[5, 4], &[2, 4])?;
/// assert_eq!((grid.counts(), grid.len(), grid.chunk()), (&[3, 1][..], 3, &[2, 4][..]));
/// assert_eq!((grid.starts(&[2, 0]).to_vec(), grid.extents(&[2, 0]).to_vec()), (vec![4, 0], vec![1, 4]));
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    shape: Dims<usize>,
    cuts: Vec<Cut>,
    counts: Dims<usize>,
    chunk: Dims<usize>,
}

fn refuse(text: String) -> Error {
    Error::plain(Fault::text(Op::Layout, ArgumentRule::Other, text))
}

fn too_large() -> Error {
    Error::plain(Fault::Memory { op: Op::Layout, bytes: None })
}

impl Grid {
    /// Chunks of one shape. An axis of extent 0 has none.
    ///
    /// Errors: kind `Argument` where the two differ in rank or an extent of `chunk` is 0; kind `Memory` where the elements
    /// of the array, or of one chunk, exceed `isize::MAX`.
    ///
    /// ```
    /// use takewise::chunks::Grid;
    /// let error = Grid::new(&[5, 4], &[2, 0]).unwrap_err();
    /// assert_eq!(error.to_string(), "layout: a chunk of extent 0 along axis 1 holds nothing");
    /// ```
    pub fn new(shape: &[usize], chunk: &[usize]) -> Result<Grid> {
        if shape.len() != chunk.len() {
            return Err(refuse(format!("chunks of {} axes do not cut an array of {}", chunk.len(), shape.len())));
        }
        if let Some(axis) = chunk.iter().position(|&n| n == 0) {
            return Err(refuse(format!("a chunk of extent 0 along axis {axis} holds nothing")));
        }
        // No chunk reaches past its axis in this arithmetic; how far it does is known by `chunk`.
        let cut = |(&len, &size): (&usize, &usize)| Cut::Every(Divisor::new(size.min(len.max(1)), len));
        let grid = Grid {
            shape: Dims::from_slice(shape),
            cuts: shape.iter().zip(chunk).map(cut).collect(),
            counts: shape.iter().zip(chunk).map(|(&len, &size)| len.div_ceil(size)).collect(),
            chunk: Dims::from_slice(chunk),
        };
        grid.checked()
    }

    /// Chunks whose extents are listed for each axis. Those of extent 0 are passed over: no position falls into them.
    ///
    /// Errors: kind `Memory` where the elements of the array, or the largest extents together, exceed `isize::MAX`.
    ///
    /// ```
    /// use takewise::chunks::Grid;
    /// let grid = Grid::uneven(&[&[1, 3, 1], &[4]])?;
    /// assert_eq!((grid.shape(), grid.counts(), grid.chunk()), (&[5, 4][..], &[3, 1][..], &[3, 4][..]));
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn uneven(extents: &[&[usize]]) -> Result<Grid> {
        let mut grid = Grid { shape: Dims::new(), cuts: Vec::new(), counts: Dims::new(), chunk: Dims::new() };
        for axis in extents {
            let mut end = 0usize;
            let mut ends = Vec::with_capacity(axis.len());
            for &n in *axis {
                end = end.checked_add(n).ok_or_else(too_large)?;
                ends.push(end);
            }
            grid.shape.push(end);
            grid.counts.push(axis.len());
            grid.chunk.push(axis.iter().copied().max().unwrap_or(0));
            grid.cuts.push(Cut::At(ends.into()));
        }
        grid.checked()
    }

    fn checked(self) -> Result<Grid> {
        let fits = |shape: &[usize]| {
            let extents: Dims<usize> = shape.iter().map(|&n| n.max(1)).collect();
            product(&extents)
        };
        // With as many chunks as elements at most, their number fits as well, but for those that hold nothing.
        fits(&self.shape).and_then(|_| fits(&self.chunk)).and_then(|_| fits(&self.counts)).ok_or_else(too_large)?;
        Ok(self)
    }

    /// Extents of the array.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Chunks along each axis.
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// Extents of a whole chunk; of uneven ones the largest along each axis.
    pub fn chunk(&self) -> &[usize] {
        &self.chunk
    }

    /// Number of chunks.
    pub fn len(&self) -> usize {
        self.counts.iter().product()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row-major number of the chunk at these places along the axes, each below [`Grid::counts`].
    pub fn id(&self, at: &[usize]) -> usize {
        at.iter().zip(&self.counts).fold(0, |id, (&k, &n)| id * n + k)
    }

    /// The places of a chunk by its number, below [`Grid::len`].
    pub fn at(&self, id: usize) -> Dims<usize> {
        unravel(id, &self.counts)
    }

    /// The position of a chunk's first element in the array.
    pub fn starts(&self, at: &[usize]) -> Dims<usize> {
        at.iter().enumerate().map(|(axis, &k)| self.start(axis, k)).collect()
    }

    /// The extents of a chunk as far as it lies in the array.
    pub fn extents(&self, at: &[usize]) -> Dims<usize> {
        at.iter().enumerate().map(|(axis, &k)| self.end(axis, k) - self.start(axis, k)).collect()
    }

    /// Where chunk `k` of an axis begins.
    pub(crate) fn start(&self, axis: usize, k: usize) -> usize {
        match &self.cuts[axis] {
            Cut::Every(divisor) => k * divisor.size,
            Cut::At(ends) => k.checked_sub(1).map_or(0, |before| ends[before]),
        }
    }

    /// Where it ends.
    pub(super) fn end(&self, axis: usize, k: usize) -> usize {
        match &self.cuts[axis] {
            Cut::Every(divisor) => ((k + 1) * divisor.size).min(self.shape[axis]),
            Cut::At(ends) => ends[k],
        }
    }

    /// The extent of every chunk of an axis but the last, if they are alike.
    pub(super) fn even(&self, axis: usize) -> Option<usize> {
        match &self.cuts[axis] {
            Cut::Every(divisor) => Some(divisor.size),
            Cut::At(_) => None,
        }
    }

    /// The chunk of an axis a position falls into.
    #[inline]
    pub(crate) fn find(&self, axis: usize, position: usize) -> usize {
        match &self.cuts[axis] {
            Cut::Every(divisor) => divisor.of(position),
            Cut::At(ends) => ends.partition_point(|&end| end <= position),
        }
    }

    /// For positions along an axis: adds the number of the chunk of each, times `unit`, to `ids`, and its place in the chunk,
    /// times `step`, to `local`. Positions that are `skip` leave `ids` at [`usize::MAX`].
    pub(crate) fn split(
        &self,
        axis: usize,
        positions: &[isize],
        skip: isize,
        (unit, step): (usize, usize),
        ids: &mut [usize],
        local: &mut [usize],
    ) {
        let each = positions.iter().zip(ids).zip(local);
        let put = |k: usize, start: usize, p: isize, id: &mut usize, local: &mut usize| {
            if *id != usize::MAX {
                *id = if p == skip { usize::MAX } else { *id + k * unit };
                *local += (p as usize).wrapping_sub(start).wrapping_mul(step);
            }
        };
        match &self.cuts[axis] {
            Cut::Every(divisor) => each.for_each(|((&p, id), local)| {
                let k = divisor.of(p as usize & (usize::MAX >> 1));
                put(k, k * divisor.size, p, id, local);
            }),
            Cut::At(ends) => each.for_each(|((&p, id), local)| {
                let k = if p == skip { 0 } else { ends.partition_point(|&end| end as isize <= p) };
                put(k, self.start(axis, k), p, id, local);
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reciprocal_divides_exactly() {
        let edge = 1usize << 31;
        for size in (1..70).chain([100, 255, 256, 257, 1 << 16, (1 << 16) + 1, edge - 2, edge - 1]) {
            let divisor = Divisor::new(size, edge);
            let near = (0..4).flat_map(|k| {
                let multiple = (edge / size).saturating_sub(k) * size;
                [k, multiple, multiple.saturating_sub(1), multiple + 1, edge - 1 - k]
            });
            for position in near.filter(|&p| p < edge).chain((0..1000).map(|k| k * 7919 * 271 % edge)) {
                assert_eq!(divisor.of(position), position / size, "{position} / {size}");
            }
        }
        let large = Divisor::new(1000, 1 << 40);
        assert_eq!(large.of((1 << 40) - 1), ((1usize << 40) - 1) / 1000);
    }

    #[test]
    fn what_overflows_is_refused() {
        assert!(Grid::new(&[1 << 20, 1 << 20, 1 << 20], &[1, 1, 1]).is_ok());
        for (shape, chunk) in [
            (&[usize::MAX, 2][..], &[1, 1][..]),
            (&[4, 4], &[usize::MAX, 2]),
            (&[0, usize::MAX, 2], &[1, 1, 1]),
            (&[4], &[4, 4]),
            (&[4], &[0]),
        ] {
            assert!(Grid::new(shape, chunk).is_err(), "{shape:?} {chunk:?}");
        }
        assert!(Grid::new(&[4], &[1 << 40]).is_ok_and(|grid| grid.len() == 1));
        assert!(Grid::uneven(&[&[usize::MAX, 1]]).is_err());
    }
}
