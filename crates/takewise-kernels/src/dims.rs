//! The rank-generic small vector: shapes, strides and loop nests up to rank 4 live inline, without a heap
//! allocation; higher ranks spill. More room inline costs every small call: layouts are moved about often.

/// A short list of one number per axis.
///
/// ```
/// use takewise::Dims;
/// let shape = Dims::<usize>::from_slice(&[2, 3]);
/// assert_eq!(&shape[..], [2, 3]);
/// ```
pub type Dims<T> = smallvec::SmallVec<[T; 4]>;

/// The product of extents, or `None` if it exceeds `isize::MAX`.
#[inline]
pub fn product(extents: &[usize]) -> Option<usize> {
    if extents.contains(&0) {
        return Some(0);
    }
    let n = extents.iter().try_fold(1usize, |n, &e| n.checked_mul(e))?;
    (n <= isize::MAX as usize).then_some(n)
}

/// Walks all coordinates of a shape in row-major order.
///
/// Cost: amortised constant per step, no allocation per step.
///
/// ```
/// use takewise::layout::Coordinates;
/// let all: Vec<_> = Coordinates::new(&[1, 2]).map(|at| at.to_vec()).collect();
/// assert_eq!(all, [[0, 0], [0, 1]]);
/// ```
#[derive(Clone, Debug)]
pub struct Coordinates {
    shape: Dims<usize>,
    at: Dims<usize>,
    left: usize,
}

impl Coordinates {
    /// All coordinates of `shape`; none if an extent is 0, one (empty) for rank 0.
    pub fn new(shape: &[usize]) -> Coordinates {
        Coordinates {
            shape: Dims::from_slice(shape),
            at: smallvec::smallvec![0; shape.len()],
            left: product(shape).unwrap_or(usize::MAX),
        }
    }
}

impl Iterator for Coordinates {
    type Item = Dims<usize>;

    #[inline]
    fn next(&mut self) -> Option<Dims<usize>> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let now = self.at.clone();
        advance(&mut self.at, 1, |d| self.shape[d], |_, _| {});
        Some(now)
    }
}

/// Moves a position in a nest of loops `by` steps along the innermost, and no further than its end: then the loops around it
/// move on. `false` after the last position of all, when it is the first again. `moved(d, by)` is told how far each loop moved:
/// what a caller needs to keep addresses up with it.
#[inline(always)]
pub fn advance(
    at: &mut [usize],
    mut by: usize,
    extent: impl Fn(usize) -> usize,
    mut moved: impl FnMut(usize, isize),
) -> bool {
    for (d, at) in at.iter_mut().enumerate().rev() {
        *at += by;
        if *at < extent(d) {
            moved(d, by as isize);
            return true;
        }
        moved(d, by as isize - *at as isize);
        *at = 0;
        by = 1;
    }
    false
}

/// The coordinates of flat row-major position `flat` in `shape`.
///
/// ```
/// assert_eq!(&takewise::layout::unravel(4, &[2, 3])[..], [1, 1]);
/// ```
#[inline]
pub fn unravel(flat: usize, shape: &[usize]) -> Dims<usize> {
    unravel_in(flat, shape.len(), |d| shape[d])
}

/// [`unravel`] in a nest of loops.
#[inline]
pub fn unravel_in(mut flat: usize, rank: usize, extent: impl Fn(usize) -> usize) -> Dims<usize> {
    let mut out: Dims<usize> = smallvec::smallvec![0; rank];
    for (d, at) in out.iter_mut().enumerate().rev() {
        let n = extent(d);
        if flat > 0 && n > 0 {
            *at = flat % n;
            flat /= n;
        }
    }
    out
}

/// Sorts what an array has one of for each axis, by insertion: equal items keep their order. Of the few that there are a general sort is
/// no faster, and each kind of it that is compiled takes kilobytes.
pub fn sort_few_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    for end in 1..items.len() {
        let mut at = end;
        while at > 0 && key(&items[at]) < key(&items[at - 1]) {
            items.swap(at, at - 1);
            at -= 1;
        }
    }
}
