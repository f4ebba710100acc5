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

mod between;
mod edges;
pub(crate) mod extreme;
mod halving;
mod handful;
mod job;
mod kept;
mod lane;
mod noted;
pub(crate) mod order;
mod shared;
pub(crate) mod sort;
mod tree;
mod typed;

pub(crate) use edges::{count_from_end, first_outside, increasing};
pub(crate) use job::{Reading, Wanted};
pub(crate) use kept::Kept;

use crate::dtype::DType;
use crate::exec::Out;
use crate::layout::Dims;
use crate::notes::watched;
use crate::view::{AnyView, AnyViewMut};
use handful::Handful;
use job::{SearchCall, Sorter, Steps};
use lane::Keyed;
use order::{Hay, Key};
use smallvec::smallvec;
use typed::{Typed, typed};

/// The operands do not fit together: checked again here because memory safety rests on it.
#[derive(Debug)]
pub(crate) struct Misfit;

/// Searches `sequence` along `axis` for each value, and writes positions to `out` (`i32` or `i64`).
///
/// `out` has the shape of the values, `sorter` that of the sequence; a sequence of rank above 1 has the
/// extents of the values off the axis. `kept` is what [`Kept::new`] made of this sequence.
pub(crate) fn search(
    sequence: &AnyView<'_>,
    sorter: Option<&AnyView<'_>>,
    wanted: &Wanted<'_>,
    axis: usize,
    out: Out<'_, '_>,
    reading: Reading,
    kept: Option<&Kept>,
) -> Result<(), Misfit> {
    let run = |out: &mut AnyViewMut<'_>| into(sequence, sorter, wanted, axis, out, reading, kept);
    // SAFETY: E2, each value has its place, and gets a position there.
    unsafe {
        out.filled(
            |out| if watched() { noted::search(sequence, sorter, wanted, axis, out, reading, run) } else { run(out) },
        )
    }
}

fn into(
    sequence: &AnyView<'_>,
    sorter: Option<&AnyView<'_>>,
    wanted: &Wanted<'_>,
    axis: usize,
    out: &mut AnyViewMut<'_>,
    reading: Reading,
    kept: Option<&Kept>,
) -> Result<(), Misfit> {
    let shape = match wanted {
        Wanted::Each(values) => values.shape(),
        Wanted::One(_) => &[],
    };
    let (rank, lanes) = (sequence.rank(), sequence.shape());
    let matched = rank == 1 || (rank == shape.len() && (0..rank).all(|d| d == axis || lanes[d] == shape[d]));
    let fits = axis < rank
        && matched
        && out.shape() == shape
        && matches!(out.dtype(), DType::I32 | DType::I64)
        && sorter.is_none_or(|s| s.shape() == lanes && s.dtype().is_integer())
        && kept.is_none_or(|k| k.is_of(sequence, reading.nan_last) && sorter.is_none());
    if !fits {
        return Err(Misfit);
    }
    if sorter.is_none()
        && kept.is_none()
        && let Some(handful) = Handful::of(sequence, wanted, out, &reading)
    {
        return typed(sequence.dtype(), reading.nan_last, &handful).ok_or(Misfit);
    }
    let mut steps: Dims<Steps> = smallvec![Steps::default(); shape.len()];
    for (d, step) in steps.iter_mut().enumerate() {
        step.out = out.layout().strides()[d];
        if let Wanted::Each(values) = wanted {
            step.values = values.layout().strides()[d];
        }
        if rank > 1 && d != axis {
            step.sequence = sequence.layout().strides()[d];
            step.sorter = sorter.map_or(0, |s| s.layout().strides()[d]);
        }
    }
    if shape.contains(&0) {
        return Ok(());
    }
    let mut job = SearchCall {
        sequence: sequence.as_ptr(),
        dtype: sequence.dtype(),
        len: lanes[axis],
        step: sequence.layout().strides()[axis],
        sorter: sorter.map(|s| Sorter { at: s.as_ptr(), dtype: s.dtype(), step: s.layout().strides()[axis] }),
        values: match wanted {
            Wanted::Each(values) => Some((values.as_ptr(), values.dtype())),
            Wanted::One(_) => None,
        },
        number: match wanted {
            Wanted::Each(_) => Key::Int(0),
            Wanted::One(key) => *key,
        },
        int32: out.dtype() == DType::I32,
        out: out.as_mut_ptr(),
        extent: Dims::from_slice(shape),
        steps,
        reading,
        kept,
    };
    job.coalesce();
    typed(sequence.dtype(), reading.nan_last, &job).ok_or(Misfit)
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
