//! Which chunks of a divided array an index touches, and what of each goes where.
//!
//! What an index names is a product of *factors*, each of which speaks of some axes of the array and some of the result:
//!
//! * a **line**: what a slice leaves of an axis. It is a start, a step and a count, whatever its length;
//! * **points**: axes that index arrays broadcast together name position by position. They are sorted by chunk, stably, so
//!   that what falls into one chunk stands side by side and in index order.
//!
//! Numbers of chunks, places in a chunk and places in the result are sums over the factors. So a touched chunk is one run of
//! every factor, and neither the grid nor the product is ever written down: memory is two numbers for each position that index
//! arrays name together.

use super::grid::Grid;
use crate::layout::Dims;

/// What an index touches of an array that is cut into chunks.
///
/// Made by [`Chunks::index`], [`Chunks::oindex`] and [`Chunks::vindex`]. Memory: 16 bytes for each position that
/// index arrays name together (for an outer subscript: for each value), and a few for each run; slices take none.
///
/// ```
/// use takewise::chunks::{Chunks, Grid};
/// use takewise::{Rules, ix};
/// // Rows 7, 0 and 6 of an (8, 6) array in chunks of (4, 3).
/// let grid = Grid::new(&[8, 6], &[4, 3])?;
/// let rows = [7usize, 0, 6];
/// let chunks = Chunks::index(&grid, &ix![&rows, 1..], &Rules::NEUTRAL)?;
/// assert_eq!((chunks.shape(), chunks.len()), (&[3, 5][..], 4));
/// // The chunk in the second row and the first column of the grid: (row, place in the result) pairs.
/// let touched = chunks.touched(2).unwrap();
/// assert_eq!((touched.id(), touched.at(), touched.len()), (2, &[1, 0][..], 4));
/// let mut pairs = Vec::new();
/// touched.for_each(|local, place| pairs.push((local, place)));
/// // The element at (3, 1) of the chunk is the first of the result, and so on.
/// assert_eq!(pairs, [(10, 0), (11, 1), (7, 10), (8, 11)]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Chunks {
    pub(crate) grid: Grid,
    pub(crate) shape: Dims<usize>,
    pub(crate) factors: Vec<Factor>,
    /// What plain integers add to every chunk's number, and to every place in it.
    pub(crate) id: usize,
    pub(crate) local: usize,
    /// Whether every element of the result lies in a chunk: none was left out by the rules.
    pub(crate) whole: bool,
}

/// Some axes of the array, some of the result, and which positions meet.
///
/// ```
/// use takewise::chunks::{Chunks, Factor, Grid};
/// use takewise::{Rules, ix};
/// let grid = Grid::new(&[8, 6], &[4, 3])?;
/// let rows = [7usize, 0, 6];
/// let chunks = Chunks::index(&grid, &ix![&rows, 1..], &Rules::NEUTRAL)?;
/// let [Factor::Points(points), Factor::Line(line)] = chunks.factors() else { panic!() };
/// // Chunks 0 and 2 (of a grid of two columns) are touched by one and two positions.
/// assert_eq!((points.ids(), points.ends()), (&[0, 2][..], &[1, 3][..]));
/// assert_eq!((points.local(), points.places()), (&[0, 9, 6][..], &[5, 0, 10][..]));
/// assert_eq!((line.axis(), line.first(), line.step(), line.count()), (1, 1, 1, 5));
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Factor {
    /// What a slice leaves of an axis.
    Line(Line),
    /// Positions that index arrays name.
    Points(Points),
}

impl Factor {
    /// Runs it has: one for each part of the grid it touches.
    pub fn runs(&self) -> usize {
        match self {
            Factor::Line(line) => line.runs(),
            Factor::Points(points) => points.ids.len(),
        }
    }

    /// A run by its number.
    pub(crate) fn run(&self, k: usize) -> Run<'_> {
        match self {
            Factor::Line(line) => line.run(k),
            Factor::Points(points) => points.run(k),
        }
    }

    fn id(&self, k: usize) -> usize {
        match self {
            Factor::Line(line) => line.chunk(k) * line.unit,
            Factor::Points(points) => points.ids[k],
        }
    }
}

/// What one factor has in one chunk. Places in the chunk and in the result count elements; both are sums over the factors.
///
/// ```
/// use takewise::chunks::{Chunks, Grid, Run};
/// use takewise::{Rules, ix};
/// let grid = Grid::new(&[8, 6], &[4, 3])?;
/// let chunks = Chunks::index(&grid, &ix![&[7usize, 0, 6], 4], &Rules::NEUTRAL)?;
/// // Chunk 3: rows 7 and 6, which are the first and the last of the result. Column 4 is the second of the chunk.
/// let touched = chunks.touched(1).unwrap();
/// let runs: Vec<Run> = touched.runs().collect();
/// assert_eq!((touched.id(), chunks.local()), (3, 1));
/// assert_eq!(runs, [Run::Points { local: &[9, 6], places: &[0, 2] }]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Run<'c> {
    /// Evenly spaced elements.
    Line {
        /// The first in the chunk.
        local: usize,
        /// From one to the next in the chunk.
        step: isize,
        /// The first in the result.
        place: usize,
        /// From one to the next in the result.
        stride: usize,
        /// How many there are.
        count: usize,
    },
    /// Elements as listed, in index order.
    Points {
        /// In the chunk.
        local: &'c [usize],
        /// In the result.
        places: &'c [usize],
    },
}

impl Run<'_> {
    /// How many elements it has.
    #[allow(clippy::len_without_is_empty)] // no run is empty
    pub fn len(&self) -> usize {
        match self {
            Run::Line { count, .. } => *count,
            Run::Points { local, .. } => local.len(),
        }
    }

    fn pair(&self, k: usize) -> (usize, usize) {
        match self {
            Run::Line { local, step, place, stride, .. } => {
                (local.wrapping_add_signed(k as isize * step), place + k * stride)
            }
            Run::Points { local, places } => (local[k], places[k]),
        }
    }
}

/// What a slice leaves of an axis: positions evenly spaced.
///
/// ```
/// use takewise::chunks::{Chunks, Factor, Grid, Run};
/// use takewise::{Rules, index::step, ix};
/// let grid = Grid::new(&[10], &[4])?;
/// let chunks = Chunks::index(&grid, &ix![step(.., -3)], &Rules::NEUTRAL)?;
/// let [Factor::Line(line)] = chunks.factors() else { panic!() };
/// assert_eq!((line.first(), line.step(), line.count()), (9, -3, 4));
/// // Each run, with what it adds to a chunk's number: positions 3 and 0, 6, and 9.
/// let runs: Vec<(usize, Run)> = line.all().collect();
/// assert_eq!(runs[0], (0, Run::Line { local: 3, step: -3, place: 2, stride: 1, count: 2 }));
/// assert_eq!(runs[2], (2, Run::Line { local: 1, step: -3, place: 0, stride: 1, count: 1 }));
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Line {
    pub(crate) axis: usize,
    pub(crate) dim: usize,
    /// Lowest position, distance and count; in index order they descend if `reversed`.
    pub(crate) low: usize,
    pub(crate) by: usize,
    pub(crate) count: usize,
    pub(crate) reversed: bool,
    /// Extent of the axis's chunks, and what one chunk further adds to a chunk's number.
    pub(crate) every: Every,
    pub(crate) unit: usize,
    /// What one position further adds to a place in a chunk, and to a place in the result.
    pub(crate) step: usize,
    pub(crate) stride: usize,
}

/// Which chunks a line touches.
#[derive(Clone, Debug)]
pub(crate) enum Every {
    /// All from the first to the last, of this extent.
    Chunk(usize),
    /// One for each position, of this extent.
    Position(usize),
    /// As listed, with the chunk's start and the first position in it: no more than the grid was given with.
    Listed(Vec<(usize, usize, usize)>),
}

impl Line {
    /// Lays a line out on a grid; `count` is not 0.
    pub(crate) fn new(
        grid: &Grid,
        (axis, dim): (usize, usize),
        (start, step, count): (usize, isize, usize),
        (unit, local, stride): (usize, usize, usize),
    ) -> Line {
        let (reversed, by) = (count > 1 && step < 0, if count > 1 { step.unsigned_abs() } else { 1 });
        let low = if reversed { start - by * (count - 1) } else { start };
        let every = match grid.even(axis) {
            Some(size) if by >= size => Every::Position(size),
            Some(size) => Every::Chunk(size),
            None => {
                let (mut list, mut k) = (Vec::new(), 0);
                while k < count {
                    let chunk = grid.find(axis, low + k * by);
                    list.push((chunk, grid.start(axis, chunk), k));
                    k = (grid.end(axis, chunk) - low).div_ceil(by).min(count);
                }
                Every::Listed(list)
            }
        };
        Line { axis, dim, low, by, count, reversed, every, unit, step: local, stride }
    }

    /// The axis of the array.
    pub fn axis(&self) -> usize {
        self.axis
    }

    /// The axis of the result.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Its first position in index order.
    pub fn first(&self) -> usize {
        if self.reversed { self.low + self.by * (self.count - 1) } else { self.low }
    }

    /// From one position to the next in index order.
    pub fn step(&self) -> isize {
        if self.reversed { -(self.by as isize) } else { self.by as isize }
    }

    /// How many positions there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// What each run adds to a chunk's number, and the run.
    pub fn all(&self) -> impl ExactSizeIterator<Item = (usize, Run<'static>)> {
        (0..self.runs()).map(|k| (self.chunk(k) * self.unit, self.run(k)))
    }

    fn last(&self) -> usize {
        self.low + self.by * (self.count - 1)
    }

    fn runs(&self) -> usize {
        match &self.every {
            Every::Chunk(size) => self.last() / size - self.low / size + 1,
            Every::Position(_) => self.count,
            Every::Listed(list) => list.len(),
        }
    }

    /// The chunk of a run.
    pub(crate) fn chunk(&self, k: usize) -> usize {
        match &self.every {
            Every::Chunk(size) => self.low / size + k,
            Every::Position(size) => (self.low + k * self.by) / size,
            Every::Listed(list) => list[k].0,
        }
    }

    fn run(&self, k: usize) -> Run<'static> {
        // Positions first..end, counted from the lowest, and where their chunk begins.
        let (first, end, start) = match &self.every {
            Every::Chunk(size) => {
                let start = (self.low / size + k) * size;
                let before = |position: usize| position.saturating_sub(self.low).div_ceil(self.by).min(self.count);
                (before(start), before(start + size), start)
            }
            Every::Position(size) => (k, k + 1, (self.low + k * self.by) / size * size),
            Every::Listed(list) => (list[k].2, list.get(k + 1).map_or(self.count, |next| next.2), list[k].1),
        };
        let (lead, place) = if self.reversed { (end - 1, self.count - end) } else { (first, first) };
        let step = (self.by * self.step) as isize;
        Run::Line {
            local: (self.low + lead * self.by - start) * self.step,
            step: if self.reversed { -step } else { step },
            place: place * self.stride,
            stride: self.stride,
            count: end - first,
        }
    }
}

/// Positions that index arrays name together, sorted by chunk.
///
/// ```
/// use takewise::chunks::{Chunks, Factor, Grid};
/// use takewise::{Rules, ix};
/// let grid = Grid::new(&[8, 6], &[4, 3])?;
/// let chunks = Chunks::index(&grid, &ix![&[7usize, 0, 7], &[5usize, 0, 4]], &Rules::NEUTRAL)?;
/// let [Factor::Points(points)] = chunks.factors() else { panic!() };
/// assert_eq!((points.axes(), points.dims()), (&[0, 1][..], &[0][..]));
/// assert_eq!((points.ids(), points.ends()), (&[0, 3][..], &[1, 3][..]));
/// assert_eq!((points.local(), points.places()), (&[0, 11, 10][..], &[1, 0, 2][..]));
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Points {
    pub(crate) axes: Dims<usize>,
    pub(crate) dims: Dims<usize>,
    pub(crate) ids: Vec<usize>,
    pub(crate) ends: Vec<usize>,
    pub(crate) local: Vec<usize>,
    pub(crate) places: Vec<usize>,
}

impl Points {
    /// Those of a result without elements.
    pub(crate) fn none() -> Points {
        let (axes, dims, list) = (Dims::new(), Dims::new(), Vec::new());
        Points { axes, dims, ids: list.clone(), ends: list.clone(), local: list.clone(), places: list }
    }

    /// The axes of the array, in the order of the index arrays.
    pub fn axes(&self) -> &[usize] {
        &self.axes
    }

    /// The axes of the result.
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }

    /// What each run adds to a chunk's number, ascending where one axis is named.
    pub fn ids(&self) -> &[usize] {
        &self.ids
    }

    /// Where each run ends in the lists of places.
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// What each position adds to a place in its chunk.
    pub fn local(&self) -> &[usize] {
        &self.local
    }

    /// What each position adds to a place in the result.
    pub fn places(&self) -> &[usize] {
        &self.places
    }

    fn run(&self, k: usize) -> Run<'_> {
        let range = k.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[k];
        Run::Points { local: &self.local[range.clone()], places: &self.places[range] }
    }
}

impl Chunks {
    /// Extents of the result.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// What plain integers add to the number of every touched chunk.
    pub fn id(&self) -> usize {
        self.id
    }

    /// What plain integers add to every place in a chunk.
    pub fn local(&self) -> usize {
        self.local
    }

    /// What the result is a product of, in the order of its axes.
    pub fn factors(&self) -> &[Factor] {
        &self.factors
    }

    /// Number of touched chunks.
    pub fn len(&self) -> usize {
        // Fits: no more than there are chunks.
        self.factors.iter().map(Factor::runs).product()
    }

    /// Whether no chunk is touched.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether every element of the result lies in a chunk. Rules that fill or drop leave out what is out of range.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// A touched chunk by its number, below [`Chunks::len`]. Each chunk is there once.
    pub fn touched(&self, n: usize) -> Option<Touched<'_>> {
        if n >= self.len() {
            return None;
        }
        let runs = crate::dims::unravel_in(n, self.factors.len(), |k| self.factors[k].runs());
        let id = self.factors.iter().zip(&runs).fold(self.id, |id, (factor, &k)| id + factor.id(k));
        Some(Touched { chunks: self, number: n, id, at: self.grid.at(id), runs })
    }

    /// All touched chunks.
    ///
    /// ```
    /// use takewise::chunks::{Chunks, Grid};
    /// use takewise::{Rules, ix, index::step};
    /// let grid = Grid::new(&[1_000_000_000_000], &[1000])?;
    /// let chunks = Chunks::index(&grid, &ix![step(.., -400_000_000_000)], &Rules::NEUTRAL)?;
    /// let ids: Vec<usize> = chunks.iter().map(|touched| touched.id()).collect();
    /// assert_eq!(ids, [199_999_999, 599_999_999, 999_999_999]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = Touched<'_>> {
        (0..self.len()).filter_map(|n| self.touched(n))
    }
}

/// A chunk that is touched, and what of it.
///
/// ```
/// use takewise::chunks::{Chunks, Grid, Run};
/// use takewise::{Rules, ix};
/// let grid = Grid::new(&[5], &[2])?;
/// let chunks = Chunks::index(&grid, &ix![1..], &Rules::NEUTRAL)?;
/// let last = chunks.touched(2).unwrap();
/// assert_eq!((last.at(), &last.starts()[..], &last.extents()[..]), (&[2][..], &[4][..], &[1][..]));
/// let runs: Vec<Run> = last.runs().collect();
/// assert_eq!(runs, [Run::Line { local: 0, step: 1, place: 3, stride: 1, count: 1 }]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Touched<'c> {
    pub(crate) chunks: &'c Chunks,
    number: usize,
    id: usize,
    at: Dims<usize>,
    runs: Dims<usize>,
}

impl<'c> Touched<'c> {
    /// Which of the touched chunks it is.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Its row-major number in the grid.
    pub fn id(&self) -> usize {
        self.id
    }

    /// Its place along each axis of the grid.
    pub fn at(&self) -> &[usize] {
        &self.at
    }

    /// The position of its first element in the array.
    pub fn starts(&self) -> Dims<usize> {
        self.chunks.grid.starts(&self.at)
    }

    /// Its extents as far as it lies in the array.
    pub fn extents(&self) -> Dims<usize> {
        self.chunks.grid.extents(&self.at)
    }

    /// What each factor has in it, in the order of [`Chunks::factors`].
    pub fn runs(&self) -> impl Iterator<Item = Run<'c>> {
        let chunks = self.chunks;
        self.runs.clone().into_iter().zip(&chunks.factors).map(|(k, factor)| factor.run(k))
    }

    /// Elements of the result that lie in it.
    #[allow(clippy::len_without_is_empty)] // something of it is touched
    pub fn len(&self) -> usize {
        self.runs().map(|run| run.len()).product()
    }

    /// Calls `each` with the place in the chunk and the place in the result of every element, in index order. Places count
    /// elements, in row-major order, of a chunk of the extents [`Grid::chunk`].
    pub fn for_each(&self, mut each: impl FnMut(usize, usize)) {
        let runs: Vec<Run<'_>> = self.runs().collect();
        let extents: Dims<usize> = runs.iter().map(Run::len).collect();
        for at in crate::layout::Coordinates::new(&extents) {
            let start = (self.chunks.local, 0);
            let (local, place) = runs.iter().zip(at).fold(start, |(local, place), (run, k)| {
                let (l, p) = run.pair(k);
                (local + l, place + p)
            });
            each(local, place);
        }
    }
}
