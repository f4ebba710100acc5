//! The sorted search: many values, one comparison per step each.
//!
//! For every value, `lo = 0, hi = n`, and while `lo < hi`: `mid = lo + (hi - lo) / 2`; go right of `mid` if
//! it is before the goal, else left. Exactly this halving is what torch does, so unsorted sequences give its
//! answers too. Each answer depends on its own value only, hence not on the number of threads.
//!
//! Values are taken in blocks: offsets, then goals, then searches. Operands may have any strides. Few values, and those
//! that share a lane of the sequence with few others, are searched by halving alone (`halving`), a handful without blocks
//! (`handful`). Where many values meet one lane, the first levels of the halving are copied into a tree beforehand
//! (`tree`), as many as pay (`shared`). Of values that rise only every sixteenth is searched for (`between`).
//!
//! Obligations: **L1** offsets come from layouts, positions stay below `n`, sorter values are checked each
//! time they are read; **E1** each result element belongs to one value, and values are split between
//! threads.

#![allow(unsafe_code)]
#![allow(missing_docs)] // as in `kernel`

mod between;
mod extreme;
mod halving;
mod handful;
mod job;
mod kept;
mod lane;
mod operand;
pub mod order;
mod shared;
mod sort;
mod tree;
mod typed;

pub use extreme::extreme;
pub use job::{Reading, Sought, read_integer};
pub use kept::Kept;
pub use operand::Operand;
pub use sort::{Failed, sort};

use crate::dims::Dims;
use crate::dtype::DType;
use crate::scratch::Room;
use handful::Handful;
use job::{SearchCall, Sorter, Steps};
use lane::Keyed;
use order::{Hay, Key};
use smallvec::smallvec;
use typed::{Typed, typed};

/// The operands do not fit together: checked again here because memory safety rests on it.
#[derive(Debug)]
pub struct Misfit;

/// Searches `sequence` along `axis` for each value, and writes positions to `out` (`i32` or `i64`).
///
/// `out` has the shape of the values, `sorter` that of the sequence; a sequence of rank above 1 has the
/// extents of the values off the axis. `kept` is what [`Kept::new`] made of this sequence.
///
/// # Safety
/// L1 of the operands; L3 of `out`.
pub unsafe fn search(
    sequence: &Operand<'_>,
    sorter: Option<&Operand<'_>>,
    sought: &Sought<'_>,
    axis: usize,
    out: &Operand<'_>,
    reading: Reading,
    kept: Option<&Kept>,
    room: Room,
) -> Result<(), Misfit> {
    let shape = match sought {
        Sought::Each(values) => values.shape,
        Sought::One(_) => &[],
    };
    let (rank, lanes) = (sequence.shape.len(), sequence.shape);
    let matched = rank == 1 || (rank == shape.len() && (0..rank).all(|d| d == axis || lanes[d] == shape[d]));
    let fits = axis < rank
        && matched
        && out.shape == shape
        && matches!(out.dtype, DType::I32 | DType::I64)
        && sorter.is_none_or(|s| s.shape == lanes && s.dtype.is_integer())
        && kept.is_none_or(|k| k.is_of(sequence, reading.nan_last) && sorter.is_none());
    if !fits {
        return Err(Misfit);
    }
    if sorter.is_none()
        && kept.is_none()
        && let Some(handful) = Handful::of(sequence, sought, out, &reading)
    {
        return typed(sequence.dtype, reading.nan_last, &handful).ok_or(Misfit);
    }
    let mut steps: Dims<Steps> = smallvec![Steps::default(); shape.len()];
    for (d, step) in steps.iter_mut().enumerate() {
        step.out = out.strides[d];
        if let Sought::Each(values) = sought {
            step.values = values.strides[d];
        }
        if rank > 1 && d != axis {
            step.sequence = sequence.strides[d];
            step.sorter = sorter.map_or(0, |s| s.strides[d]);
        }
    }
    if shape.contains(&0) {
        return Ok(());
    }
    let mut job = SearchCall {
        sequence: sequence.at,
        dtype: sequence.dtype,
        len: lanes[axis],
        step: sequence.strides[axis],
        sorter: sorter.map(|s| Sorter { at: s.at, dtype: s.dtype, step: s.strides[axis] }),
        values: match sought {
            Sought::Each(values) => Some((values.at.cast_const(), values.dtype)),
            Sought::One(_) => None,
        },
        number: match sought {
            Sought::Each(_) => Key::Int(0),
            Sought::One(key) => *key,
        },
        int32: out.dtype == DType::I32,
        out: out.at,
        extent: Dims::from_slice(shape),
        steps,
        reading,
        kept,
        room,
    };
    job.coalesce();
    typed(sequence.dtype, reading.nan_last, &job).ok_or(Misfit)
}

impl Typed for &SearchCall<'_> {
    type Result = ();

    fn keyed<H: Keyed>(self) {
        self.drive_keyed::<H>();
    }

    fn plain<H: Hay>(self) {
        self.drive::<H>();
    }
}
