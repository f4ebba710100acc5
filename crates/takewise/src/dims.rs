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

    fn next(&mut self) -> Option<Dims<usize>> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let now = self.at.clone();
        for d in (0..self.shape.len()).rev() {
            self.at[d] += 1;
            if self.at[d] < self.shape[d] {
                break;
            }
            self.at[d] = 0;
        }
        Some(now)
    }
}

/// The coordinates of flat row-major position `flat` in `shape`.
///
/// ```
/// assert_eq!(&takewise::layout::unravel(4, &[2, 3])[..], [1, 1]);
/// ```
pub fn unravel(mut flat: usize, shape: &[usize]) -> Dims<usize> {
    let mut out: Dims<usize> = smallvec::smallvec![0; shape.len()];
    for d in (0..shape.len()).rev() {
        if shape[d] > 0 {
            out[d] = flat % shape[d];
            flat /= shape[d];
        }
    }
    out
}
