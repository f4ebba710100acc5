//! A handful of values in one lane: each is searched for by itself, with nothing set up for blocks, loops and threads,
//! which would cost more than the searches.
//!
//! Obligations: **L1**, **E1** as in the parent module.

use super::halving::LANES;
use super::lane::Keyed;
use super::{Reading, Typed, Wanted, read_key};
use crate::dtype::DType;
use crate::kernel::order::{Goal, Hay, Key};
use crate::layout::Layout;
use crate::view::{AnyView, AnyViewMut};

/// A search for a handful of values, whose operands fit together.
pub(super) struct Handful<'a> {
    sequence: *const u8,
    len: usize,
    step: isize,
    /// Values, their dtype and the step between them, unless one number is searched for.
    values: Option<(*const u8, DType, isize)>,
    number: Key,
    count: usize,
    out: *mut u8,
    int32: bool,
    out_step: isize,
    reading: &'a Reading,
}

impl<'a> Handful<'a> {
    /// The search, if there are fewer values than would be searched for side by side, evenly spaced like their results.
    pub(super) fn of(
        sequence: &AnyView<'_>,
        wanted: &Wanted<'_>,
        out: &mut AnyViewMut<'_>,
        reading: &'a Reading,
    ) -> Option<Handful<'a>> {
        let (&[len], &[step]) = (sequence.layout().shape(), sequence.layout().strides()) else { return None };
        let (count, int32) = (out.layout().numel(), out.dtype() == DType::I32);
        if count >= LANES {
            return None;
        }
        let out_step = even(out.layout(), out.dtype().size())?;
        let (values, number) = match wanted {
            Wanted::Each(v) => (Some((v.as_ptr(), v.dtype(), even(v.layout(), v.dtype().size())?)), Key::Int(0)),
            Wanted::One(key) => (None, *key),
        };
        let (sequence, out) = (sequence.as_ptr(), out.as_mut_ptr());
        Some(Handful { sequence, len, step, values, number, count, out, int32, out_step, reading })
    }

    fn search<H: Hay>(&self) {
        let meeting = &self.reading.meeting;
        for k in 0..self.count as isize {
            let key = match self.values {
                // SAFETY: L1: so many values lie so far apart.
                Some((values, dtype, step)) => unsafe { read_key(values.offset(k * step), dtype) },
                None => self.number,
            };
            let (mut lo, mut hi) = (0, self.len);
            match H::goal(meeting.rounded(key), meeting) {
                Goal::Front => {}
                Goal::Back => lo = self.len,
                Goal::Past(goal) => {
                    while lo < hi {
                        let mid = lo + (hi - lo) / 2;
                        // SAFETY: L1, mid is below hi, which is at most the length of the lane.
                        let e = unsafe { H::load(self.sequence.offset(mid as isize * self.step)) };
                        if H::before(e, goal) { lo = mid + 1 } else { hi = mid }
                    }
                }
            }
            // SAFETY: L1 and L3 of the output, E1: a place for each value; `search` checked its dtype.
            unsafe {
                let to = self.out.offset(k * self.out_step);
                match self.int32 {
                    true => to.cast::<i32>().write_unaligned(lo as i32),
                    false => to.cast::<i64>().write_unaligned(lo as i64),
                }
            }
        }
    }
}

/// Bytes from each element to the next, where they are the same throughout.
fn even(layout: &Layout, size: usize) -> Option<isize> {
    match layout.strides() {
        &[step] => Some(step),
        _ => layout.is_contiguous(size).then_some(size as isize),
    }
}

impl Typed for Handful<'_> {
    fn keyed<H: Keyed>(&self) {
        self.search::<H>();
    }

    fn plain<H: Hay>(&self) {
        self.search::<H>();
    }
}
