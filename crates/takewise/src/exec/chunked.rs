//! Moving what an index touches of a chunk, between the chunk and the result (or the values) of the whole.
//!
//! Both sides jump here: places in the chunk and in the result come from the planner's lists, and its lines are free loops. What
//! the planner promises:
//!
//! * **C1** a place in a chunk lies below the number of elements of a whole one, and a place in the result below the result's;
//!   no two chunks share a place in the result, and within a chunk no place of the result comes twice.

use super::call::Leaf;
use super::lanes::serve;
use super::resolve::WIDE_BLOCK;
use crate::dims::advance;
use crate::dtype::DType;
use crate::error::{ArgumentRule, Error, Fault, Result};
use crate::index::rules::Rules;
use crate::kernel::move_::Linear;
use crate::kernel::reduce::Reduce;
use crate::layout::{Dims, Layout};
use crate::op::Op;
use crate::plan::{Builder, Chunks, Run, Touched};
use crate::view::{AnyView, AnyViewMut};
use std::sync::atomic::{AtomicBool, Ordering};

/// A result that is put together from chunks, by as many threads as like.
///
/// ```
/// use takewise::chunks::{Assembly, Chunks, Grid};
/// use takewise::{AnyView, AnyViewMut, Rules, View, ix};
/// // x is 0..10 in chunks of 4; the last chunk is stored whole, as Zarr does.
/// let grid = Grid::new(&[10], &[4])?;
/// let index = [9usize, 0, 3];
/// let chunks = Chunks::index(&grid, &ix![&index], &Rules::NEUTRAL)?;
/// let mut result = [0u16; 3];
/// let assembly = Assembly::new(&chunks, AnyViewMut::from(&mut result))?;
/// for touched in chunks.iter() {
///     let chunk: Vec<u16> = (0..4).map(|k| touched.starts()[0] as u16 + k).collect();
///     assembly.put(touched.number(), &AnyView::from(&chunk))?;
/// }
/// assembly.finish()?;
/// assert_eq!(result, [9, 0, 3]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub struct Assembly<'a> {
    chunks: &'a Chunks,
    out: AnyViewMut<'a>,
    to: *mut u8,
    /// Which chunks have been put.
    put: Vec<AtomicBool>,
}

// SAFETY: threads write through `to` alone, each to the places of chunks that it was the first to claim (C1): no two write one
// place, and nobody reads.
unsafe impl Sync for Assembly<'_> {}
// SAFETY: an exclusive borrow of plain bytes.
unsafe impl Send for Assembly<'_> {}

fn refuse(text: String) -> Error {
    Error::plain(Fault::text(Op::Index, ArgumentRule::Other, text))
}

/// Whether an array is what places count in: row-major, of this shape.
fn fits(layout: &Layout, size: usize, shape: &[usize]) -> bool {
    layout.shape() == shape && layout.is_contiguous(size)
}

impl<'a> Assembly<'a> {
    /// Begins a result in row-major memory of its shape. Memory: a byte for each touched chunk.
    ///
    /// Errors: kind `Argument` if the memory has another shape or is not row-major; kind `Memory`.
    pub fn new(chunks: &'a Chunks, mut out: AnyViewMut<'a>) -> Result<Assembly<'a>> {
        if !fits(out.layout(), out.dtype().size(), chunks.shape()) {
            let text = format!("a result of shape {:?} needs row-major memory of that shape", chunks.shape());
            return Err(refuse(text));
        }
        let mut put = Vec::new();
        let memory = |_| Error::plain(Fault::Memory { op: Op::Index, bytes: Some(chunks.len()) });
        put.try_reserve_exact(chunks.len()).map_err(memory)?;
        put.extend((0..chunks.len()).map(|_| AtomicBool::new(false)));
        let to = out.as_mut_ptr();
        Ok(Assembly { chunks, out, to, put })
    }

    /// Puts what the index touches of chunk number `n` where it belongs. Chunks are given whole, with the extents
    /// [`Grid::chunk`](crate::chunks::Grid::chunk), in any order, each once.
    ///
    /// Errors (kind `Argument`): no such chunk, one put before, one of another shape or element size, or not row-major.
    pub fn put(&self, n: usize, chunk: &AnyView<'_>) -> Result<()> {
        let size = self.out.dtype().size();
        let (Some(touched), Some(put)) = (self.chunks.touched(n), self.put.get(n)) else {
            return Err(refuse(format!("there is no touched chunk {n}: there are {}", self.put.len())));
        };
        check(&touched, chunk.layout(), (chunk.dtype(), self.out.dtype()))?;
        if put.swap(true, Ordering::Relaxed) {
            return Err(refuse(format!("chunk {n} was put before")));
        }
        let leaf = Leaf::Read { fill: &[], fresh: false };
        // SAFETY: C1, and the memory on both sides is row-major of the shapes that places count in; this chunk's places in the
        // result are this call's alone (E1).
        unsafe { moved(&touched, size, chunk.as_ptr().cast_mut(), self.to, false, leaf) }
    }

    /// Ends it. Error (kind `Argument`) if a chunk is still to be put.
    pub fn finish(self) -> Result<()> {
        match self.put.iter().position(|put| !put.load(Ordering::Relaxed)) {
            Some(n) => Err(refuse(format!("chunk {n} was not put"))),
            None => Ok(()),
        }
    }
}

impl Touched<'_> {
    /// Stores what the index touches of this chunk from the values of the whole: `chunk[...] = values[...]`. Of values that meet
    /// in one place the last in index order stays.
    ///
    /// The chunk is given whole, as to [`Assembly::put`]. `values` has the result's shape and is row-major, or is one element for
    /// all places. Both are of one dtype. Errors (kind `Argument`) otherwise; nothing is stored on error.
    ///
    /// ```
    /// use takewise::chunks::{Chunks, Grid};
    /// use takewise::{AnyView, AnyViewMut, Rules, ix};
    /// let grid = Grid::new(&[10], &[4])?;
    /// let index = [9usize, 0, 3, 0];
    /// let chunks = Chunks::index(&grid, &ix![&index], &Rules::NEUTRAL)?;
    /// let mut first = [0, 1, 2, 3];
    /// let touched = chunks.touched(0).unwrap();
    /// touched.store(&AnyView::from(&[10, 20, 30, 40]), &mut AnyViewMut::from(&mut first))?;
    /// assert_eq!(first, [40, 1, 2, 30]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn store(&self, values: &AnyView<'_>, chunk: &mut AnyViewMut<'_>) -> Result<()> {
        self.write(values, chunk, Leaf::Write { reversed: false })
    }

    /// Combines the values of the whole into what the index touches of this chunk, in index order.
    ///
    /// Operands and errors as [`Touched::store`]; kind `DType` for elements that can only be moved. Half floats are rounded after
    /// each step.
    ///
    /// ```
    /// use takewise::chunks::{Chunks, Grid};
    /// use takewise::{AnyView, AnyViewMut, Reduce, Rules, ix};
    /// let grid = Grid::new(&[10], &[4])?;
    /// let index = [9usize, 0, 3, 0];
    /// let chunks = Chunks::index(&grid, &ix![&index], &Rules::NEUTRAL)?;
    /// let mut first = [0, 1, 2, 3];
    /// let touched = chunks.touched(0).unwrap();
    /// touched.combine(&AnyView::from(&[10, 20, 30, 40]), &mut AnyViewMut::from(&mut first), Reduce::Sum)?;
    /// assert_eq!(first, [60, 1, 2, 33]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn combine(&self, values: &AnyView<'_>, chunk: &mut AnyViewMut<'_>, how: Reduce) -> Result<()> {
        let dtype = chunk.dtype();
        if matches!(dtype, DType::Opaque { .. }) || how == Reduce::Mean {
            let rule = crate::error::DTypeRule::Unsupported;
            return Err(Error::plain(Fault::DType { op: Op::Index, rule, given: dtype, wanted: None }));
        }
        self.write(values, chunk, Leaf::Combine { how, dtype })
    }

    fn write(&self, values: &AnyView<'_>, chunk: &mut AnyViewMut<'_>, leaf: Leaf<'_>) -> Result<()> {
        let (size, one) = (chunk.dtype().size(), values.rank() == 0);
        check(self, chunk.layout(), (chunk.dtype(), values.dtype()))?;
        if !one && !fits(values.layout(), size, self.chunks.shape()) {
            let text =
                format!("values for the shape {:?} must have it and be row-major, or be one", self.chunks.shape());
            return Err(refuse(text));
        }
        // SAFETY: C1, and the memory on both sides is row-major of the shapes that places count in (of one value nothing but the
        // first element is read); both are borrowed for this call, the chunk exclusively (L3).
        unsafe { moved(self, size, chunk.as_mut_ptr(), values.as_ptr().cast_mut(), one, leaf) }
    }
}

fn check(touched: &Touched<'_>, chunk: &Layout, (dtype, other): (DType, DType)) -> Result<()> {
    let shape = touched.chunks.grid().chunk();
    if dtype != other {
        return Err(refuse(format!("a chunk of {} does not go with {}", dtype.name(), other.name())));
    }
    if !fits(chunk, dtype.size(), shape) {
        return Err(refuse(format!(
            "a chunk of shape {:?} is not the row-major one of shape {shape:?}",
            chunk.shape()
        )));
    }
    Ok(())
}

/// Moves between a chunk and the whole; `still` if the whole is one element.
///
/// # Safety
/// C1 for what lies at the two addresses; what is written is written by nobody else meanwhile (E1).
unsafe fn moved(
    touched: &Touched<'_>,
    size: usize,
    chunk: *mut u8,
    whole: *mut u8,
    still: bool,
    leaf: Leaf<'_>,
) -> Result<()> {
    let sides = (touched.chunks.grid().chunk(), touched.chunks.shape());
    let linear = if still { Layout::scalar() } else { Layout::contiguous(sides.1, size)? };
    let mut b = Builder::new(Op::Index, &Rules::NEUTRAL, &Layout::contiguous(sides.0, size)?, &linear, size);
    let bytes = size as isize;
    let mut lists: Dims<(&[usize], &[usize])> = Dims::new();
    // The lanes begin at the lowest place of each line, so that the plan can prove them from there.
    let (mut start, mut first) = (touched.chunks.local(), 0);
    for run in touched.runs() {
        match run {
            Run::Line { local, step, place, stride, count } => {
                start += local;
                first += place;
                b.free_loop(count, if still { 0 } else { stride as isize * bytes }, step * bytes);
            }
            Run::Points { local, places } => lists.push((local, places)),
        }
    }
    b.offset(start as isize * bytes);
    let plan = b.build()?;
    let mut at: Dims<usize> = smallvec::smallvec![0; lists.len()];
    let (mut indexed, mut placed) = (Vec::with_capacity(WIDE_BLOCK), Vec::with_capacity(WIDE_BLOCK));
    loop {
        let (mut local, mut place) = (start, first);
        for (&k, (locals, places)) in at.iter().zip(&lists) {
            local += locals[k];
            place += places[k];
        }
        indexed.push(local as isize * bytes);
        placed.push(if still { 0 } else { place as isize * bytes });
        let more = advance(&mut at, 1, |d| lists[d].0.len(), |_, _| {});
        if !more || indexed.len() == WIDE_BLOCK {
            // SAFETY: C1: each place plus each lane is a place of the chunk, and of the whole; E1 by the caller.
            unsafe { serve(&plan, leaf, chunk, whole, Linear::Table(&placed), &indexed) };
            indexed.clear();
            placed.clear();
        }
        if !more {
            return Ok(());
        }
    }
}
