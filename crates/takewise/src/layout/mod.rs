//! Shape and strides: THE invariants of every array here, and the only constructors.
//!
//! A [`Layout`] is a shape and one signed *byte* stride per axis. Byte strides are a superset of element
//! strides: record fields and odd foreign views fit. A layout alone guarantees:
//!
//! * **L2** the number of elements, and every byte offset from the first element to any other, fit `isize`.
//!
//! Together with memory, a view adds **L1** (all reachable bytes lie in one allocation) and a mutable view
//! **L3** (no two coordinates share a byte); see [`crate::view`].

mod broadcast;
pub(crate) mod order;
mod overlap;
mod reshape;
mod transform;
mod window;

pub use crate::dims::{Coordinates, Dims, product, unravel};
use crate::op::Op;
pub use broadcast::{broadcast_shapes, broadcast_strides};
pub use overlap::{dense, may_overlap, meets_itself};
pub use reshape::infer_shape;
pub use transform::Slice;

use crate::error::{Error, Fault, Result};

/// Ranks up to this one need no memory of their own.
const INLINE: usize = 4;

/// Shape and byte strides, checked (L2).
///
/// ```
/// use takewise::Layout;
/// let l = Layout::contiguous(&[2, 3], 8).unwrap();
/// assert_eq!((l.strides(), l.numel()), (&[24, 8][..], 6));
/// ```
#[derive(Eq)]
pub struct Layout {
    rank: usize,
    /// Extents 1 and strides 0 beyond the rank, and throughout where `far` holds the axes: layouts are copied, compared and
    /// counted as blocks of known size, which every small call does several times.
    near: ([usize; INLINE], [isize; INLINE]),
    far: Option<Box<HighRank>>,
}

/// The axes of a layout of higher rank. What is done to them stands apart, and leaves what is done to others short.
#[derive(Clone, PartialEq, Eq)]
struct HighRank {
    shape: Box<[usize]>,
    strides: Box<[isize]>,
}

impl HighRank {
    #[cold]
    fn boxed(&self) -> Box<HighRank> {
        Box::new(self.clone())
    }

    #[cold]
    fn numel(&self) -> usize {
        numel(&self.shape)
    }

    #[cold]
    fn span(&self) -> (isize, isize) {
        span(&self.shape, &self.strides)
    }

    #[cold]
    fn is_whole(&self, size: usize) -> bool {
        is_whole(&self.shape, &self.strides, size)
    }
}

/// The product of extents.
#[inline(always)]
fn numel(shape: &[usize]) -> usize {
    // L2: no product of extents overflows unless one of them is 0.
    shape.iter().fold(1, |n, &e| n.wrapping_mul(e))
}

/// See [`Layout::reach`]; of no meaning where there are no elements.
#[inline(always)]
fn span(shape: &[usize], strides: &[isize]) -> (isize, isize) {
    shape.iter().zip(strides).fold((0, 0), |(low, high): (isize, isize), (&n, &s)| {
        let span = (n as isize).wrapping_sub(1).wrapping_mul(s);
        (span.min(0).wrapping_add(low), span.max(0).wrapping_add(high))
    })
}

/// See [`Layout::is_contiguous`], of elements there are.
#[inline(always)]
fn is_whole(shape: &[usize], strides: &[isize], size: usize) -> bool {
    let next = |(step, whole): (isize, bool), (&n, &s): (&usize, &isize)| {
        (step.wrapping_mul(n as isize), whole & ((n == 1) | (s == step)))
    };
    shape.iter().zip(strides).rev().fold((size as isize, true), next).1
}

/// Whether axes satisfy L2.
#[cold]
fn fits(shape: &[usize], strides: &[isize]) -> bool {
    let room = shape.iter().zip(strides).try_fold(Room::NONE, |room, (&n, &s)| room.with(n, s));
    room.is_some_and(Room::fits) || shape.contains(&0)
}

impl Clone for Layout {
    #[inline]
    fn clone(&self) -> Layout {
        Layout { rank: self.rank, near: self.near, far: self.far.as_deref().map(HighRank::boxed) }
    }
}

impl PartialEq for Layout {
    #[inline]
    fn eq(&self, other: &Layout) -> bool {
        // All words at once: a small call compares half a dozen layouts, and nearly all are equal.
        let mut differ = self.rank ^ other.rank;
        for k in 0..INLINE {
            differ |= self.near.0[k] ^ other.near.0[k];
            differ |= (self.near.1[k] ^ other.near.1[k]).cast_unsigned();
        }
        differ == 0 && self.far == other.far
    }
}

impl std::fmt::Debug for Layout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Layout").field("shape", &self.shape()).field("strides", &self.strides()).finish()
    }
}

impl Layout {
    /// A layout from its parts; strides are signed bytes, one per axis.
    ///
    /// Errors (kind `Memory`) if the element count or a byte offset exceeds `isize`; kind `Shape` if the
    /// two lists differ in length.
    pub fn new(shape: &[usize], strides: &[isize]) -> Result<Layout> {
        if shape.len() != strides.len() {
            return Err(Error::plain(Fault::text(
                Op::Layout,
                crate::error::ArgumentRule::Other,
                format!("{} extents but {} strides", shape.len(), strides.len()),
            )));
        }
        Layout::of(shape, strides).checked()
    }

    /// [`Layout::new`] of as many axes as `rank` says, each an extent and a stride, without lists of either.
    ///
    /// Errors as [`Layout::new`], but that the lists cannot differ in length.
    ///
    /// ```
    /// use takewise::layout::Layout;
    /// let axes = [(2, 24), (3, 8)];
    /// assert_eq!(Layout::from_axes(2, |k| axes[k]).unwrap(), Layout::contiguous(&[2, 3], 8).unwrap());
    /// ```
    #[inline(always)] // a layout stays in registers until it lies where it is wanted
    pub fn from_axes(rank: usize, mut axis: impl FnMut(usize) -> (usize, isize)) -> Result<Layout> {
        if rank <= INLINE {
            let mut layout = Layout { rank, ..Layout::scalar() };
            // A loop of known length: the axes never lie in memory before they lie in their layout.
            for k in 0..INLINE {
                if k < rank {
                    (layout.near.0[k], layout.near.1[k]) = axis(k);
                }
            }
            if layout.is_modest() {
                return Ok(layout);
            }
        }
        match Layout::of_many(rank, &mut axis) {
            Ok(layout) => Ok(*layout),
            Err(error) => Err(error),
        }
    }

    /// [`Layout::from_axes`] of those that need a closer look, in a box: what is returned otherwise would have to lie in
    /// memory too.
    #[cold]
    fn of_many(rank: usize, axis: &mut dyn FnMut(usize) -> (usize, isize)) -> Result<Box<Layout>> {
        let (shape, strides): (Vec<usize>, Vec<isize>) = (0..rank).map(axis).unzip();
        Layout::new(&shape, &strides).map(Box::new)
    }

    /// The layout itself, if it satisfies L2.
    #[inline]
    fn checked(self) -> Result<Layout> {
        if self.is_modest() || fits(self.shape(), self.strides()) { Ok(self) } else { Err(too_large()) }
    }

    /// Whether so little is asked for that L2 is beyond doubt: where a word has 64 bits, extents below 2^15 and strides
    /// below 2^44 either way.
    #[inline(always)]
    fn is_modest(&self) -> bool {
        const EXTENT: u32 = (isize::BITS - 1) / INLINE as u32;
        const STRIDE: u32 = isize::BITS - 1 - EXTENT - INLINE as u32;
        let extents = self.near.0.iter().fold(0, |bits, n| bits | n);
        let strides = self.near.1.iter().fold(0, |bits, s| bits | (s ^ (s >> (isize::BITS - 1))));
        self.far.is_none() && extents >> EXTENT == 0 && strides >> STRIDE == 0
    }

    /// The parts, known to be of one length and to satisfy L2.
    #[inline]
    fn of(shape: &[usize], strides: &[isize]) -> Layout {
        let mut layout = Layout { rank: shape.len(), ..Layout::scalar() };
        if shape.len() > INLINE {
            layout.far = Some(Box::new(HighRank { shape: shape.into(), strides: strides.into() }));
            return layout;
        }
        for k in 0..INLINE {
            if let (Some(&n), Some(&s)) = (shape.get(k), strides.get(k)) {
                (layout.near.0[k], layout.near.1[k]) = (n, s);
            }
        }
        layout
    }

    /// The parts, to make another layout from.
    fn parts(&self) -> (Dims<usize>, Dims<isize>) {
        (Dims::from_slice(self.shape()), Dims::from_slice(self.strides()))
    }

    /// The row-major layout of a shape; `size` is the bytes of one element.
    ///
    /// An axis of extent 0 is treated as 1 when strides are computed, as torch does.
    pub fn contiguous(shape: &[usize], size: usize) -> Result<Layout> {
        let mut layout = Layout { rank: shape.len(), ..Layout::scalar() };
        let fits = if shape.len() > INLINE {
            let mut far = Box::new(HighRank { shape: shape.into(), strides: vec![0; shape.len()].into() });
            let fits = row_major(shape, size, far.strides.iter_mut().zip(&mut far.shape));
            layout.far = Some(far);
            fits
        } else {
            let (extents, strides) = &mut layout.near;
            row_major(shape, size, strides[..shape.len()].iter_mut().zip(&mut extents[..shape.len()]))
        };
        match fits {
            Some(()) => Ok(layout),
            None => Err(too_large()),
        }
    }

    /// The layout of a single element.
    #[inline]
    pub fn scalar() -> Layout {
        Layout { rank: 0, near: ([1; INLINE], [0; INLINE]), far: None }
    }

    /// Extents, outer to inner.
    #[inline]
    pub fn shape(&self) -> &[usize] {
        match &self.far {
            None => &self.near.0[..self.rank.min(INLINE)],
            Some(far) => &far.shape,
        }
    }

    /// Signed byte strides, outer to inner.
    #[inline]
    pub fn strides(&self) -> &[isize] {
        match &self.far {
            None => &self.near.1[..self.rank.min(INLINE)],
            Some(far) => &far.strides,
        }
    }

    /// Number of axes.
    #[inline]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of elements.
    #[inline]
    pub fn numel(&self) -> usize {
        match &self.far {
            None => numel(&self.near.0),
            Some(far) => far.numel(),
        }
    }

    /// Lowest and highest byte offset of any element's first byte; `(0, 0)` when empty.
    #[inline]
    pub fn reach(&self) -> (isize, isize) {
        self.span().unwrap_or((0, 0))
    }

    /// [`Layout::reach`], or nothing when empty.
    #[inline]
    pub(crate) fn span(&self) -> Option<(isize, isize)> {
        // What an empty array would overflow is never used.
        let span = match &self.far {
            None => span(&self.near.0, &self.near.1),
            Some(far) => far.span(),
        };
        (self.numel() > 0).then_some(span)
    }

    /// Whether elements of `size` bytes lie one after another in row-major order.
    #[inline]
    pub fn is_contiguous(&self, size: usize) -> bool {
        let whole = match &self.far {
            None => is_whole(&self.near.0, &self.near.1, size),
            Some(far) => far.is_whole(size),
        };
        whole || self.numel() == 0
    }

    /// Whether this is what [`Layout::contiguous`] makes of its shape, strides that nobody steps by included.
    #[inline]
    pub(crate) fn is_row_major(&self, size: usize) -> bool {
        let step = self.shape().iter().zip(self.strides()).rev().try_fold(size as isize, |step, (&n, &s)| {
            let n = isize::try_from(n.max(1)).ok()?;
            if s == step { step.checked_mul(n) } else { None }
        });
        step.is_some()
    }

    /// Byte offset of a coordinate; the caller keeps every entry below its extent.
    pub fn offset(&self, at: &[usize]) -> isize {
        at.iter().zip(self.strides()).map(|(&i, &s)| i as isize * s).sum()
    }

    /// A layout whose parts are already known to satisfy L2 (a rearrangement or a part of one that does).
    pub(crate) fn derived(shape: Dims<usize>, strides: Dims<isize>) -> Layout {
        debug_assert!(Layout::new(&shape, &strides).is_ok());
        Layout::of(&shape, &strides)
    }
}

/// Writes down the row-major strides of a shape, and the shape; nothing if they break L2.
#[inline(always)]
fn row_major<'a>(
    shape: &[usize],
    size: usize,
    to: impl DoubleEndedIterator<Item = (&'a mut isize, &'a mut usize)> + ExactSizeIterator,
) -> Option<()> {
    let mut step = size as isize;
    for ((stride, extent), &n) in to.zip(shape).rev() {
        (*stride, *extent) = (step, n);
        step = step.checked_mul(isize::try_from(n.max(1)).ok()?)?;
    }
    // L2: all bytes together fit, and where an element has none the count has to be looked at by itself.
    if size == 0 { product(shape).map(|_| ()) } else { Some(()) }
}

/// The element count and the byte offsets that axes without an extent of 0 reach, as long as they fit `isize` (L2).
#[derive(Clone, Copy)]
struct Room {
    count: isize,
    low: isize,
    high: isize,
}

impl Room {
    /// That of no axis.
    const NONE: Room = Room { count: 1, low: 0, high: 0 };

    /// With one axis more.
    #[inline(always)]
    fn with(self, n: usize, step: isize) -> Option<Room> {
        let n = isize::try_from(n).ok()?;
        let count = self.count.checked_mul(n)?;
        let span = (n - 1).checked_mul(step)?;
        if span < 0 {
            Some(Room { count, low: self.low.checked_add(span)?, ..self })
        } else {
            Some(Room { count, high: self.high.checked_add(span)?, ..self })
        }
    }

    /// Whether the distance from one end to the other fits too.
    #[inline(always)]
    fn fits(self) -> bool {
        self.high.checked_sub(self.low).is_some()
    }
}

#[cold]
fn too_large() -> Error {
    Error::plain(Fault::Memory { op: Op::Layout, bytes: None })
}

/// `dim` counted from the end when negative: `[-r, r-1]` with r = max(rank, 1).
///
/// Error (kind `Axis`) outside (SEMANTICS.md, Axes).
pub fn normalize_dim(op: Op, dim: i64, rank: usize) -> Result<usize> {
    let r = rank.max(1) as i64;
    if dim < -r || dim >= r {
        return Err(Error::plain(Fault::Dim { op, dim, rank }));
    }
    Ok(if dim < 0 { dim + r } else { dim } as usize)
}
