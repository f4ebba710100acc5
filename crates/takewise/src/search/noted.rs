//! Searches that somebody watches.

use super::order::Key;
use super::{Misfit, Reading, Wanted};
use crate::bounds::place;
use crate::dtype::Scalar;
use crate::layout::{Coordinates, Dims};
use crate::notes::{Location, MOST, Note, dry, note, numbers};
use crate::tensor::Tensor;
use crate::view::{AnyView, AnyViewMut};
use takewise_kernels::search::read_integer;

/// Searches by `run`, and notes what was found. Where nothing is to move, it goes into memory that nobody sees.
#[cold]
pub(super) fn search(
    sequence: &AnyView<'_>,
    sorter: Option<&AnyView<'_>>,
    wanted: &Wanted<'_>,
    axis: usize,
    out: &mut AnyViewMut<'_>,
    reading: Reading,
    run: impl Fn(&mut AnyViewMut<'_>) -> Result<(), Misfit>,
) -> Result<(), Misfit> {
    let found = if dry() && !out.is_private() {
        let mut own = Tensor::zeroed(out.shape(), out.dtype()).map_err(|_| Misfit)?;
        run(&mut own.unique().ok_or(Misfit)?)?;
        numbers(&own.unique_view().ok_or(Misfit)?).collect()
    } else {
        run(out)?;
        numbers(&out.as_view()).collect()
    };
    note(|| Note::Search {
        sequence: Location::of(sequence),
        sorter: sorter.map(Location::of),
        values: match wanted {
            Wanted::Each(values) => Some(Location::of(values)),
            Wanted::One(_) => None,
        },
        number: match wanted {
            Wanted::Each(_) => None,
            Wanted::One(Key::Int(v)) => Some(Scalar::Int(*v)),
            Wanted::One(Key::Float(v)) => Some(Scalar::Float(*v)),
            Wanted::One(Key::Complex(re, im)) => Some(Scalar::Complex(*re, *im)),
        },
        to: Location::of(&out.as_view()),
        axis,
        right: reading.comparison.right,
        found,
        order: sorter.map_or(Vec::new(), |sorter| order(sorter, sequence.shape()[axis], &reading)),
    });
    Ok(())
}

/// What a sorter's elements name.
fn order(sorter: &AnyView<'_>, len: usize, reading: &Reading) -> Vec<Option<usize>> {
    let named = |at: Dims<usize>| {
        let address = sorter.as_ptr().wrapping_offset(sorter.layout().offset(&at));
        // SAFETY: L1, the coordinate lies inside the sorter, whose dtype is an integer's.
        let value = unsafe { read_integer(address, sorter.dtype()) };
        place(value, len, reading.sign, reading.outside)
    };
    Coordinates::new(sorter.shape()).take(MOST).map(named).collect()
}
