//! Elements that are stored in one form and combined in another: how a place becomes a number and a number its place again.
//!
//! An accumulation whose places are of another dtype than its arithmetic (an int8 that is multiplied by a double), or that
//! hold their bytes the other way round, loads a place, converts it, combines it with one value, and stores what is left of
//! it there. Which conversions that takes is data of the call: every way of combining, of addressing and of skipping is that
//! of any accumulation. A form more is a case more of [`Stored`] and two conversions in [`Passage`].

use super::convert;
use super::move_::Linear;
use super::reduce::{self, Number, Reduce, with_number};
use crate::dtype::DType;
use crate::kernel::SKIP;
use crate::rules::Conversion;

/// How the places of a destination hold their values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stored {
    /// As elements of a dtype.
    Native(DType),
    /// As elements of a dtype, the bytes of every number (of both parts of a complex one) the other way round.
    Swapped(DType),
}

impl Stored {
    /// The dtype of a value once its bytes are in order.
    #[inline]
    pub const fn dtype(self) -> DType {
        match self {
            Stored::Native(dtype) | Stored::Swapped(dtype) => dtype,
        }
    }

    /// Bytes of one place.
    #[inline]
    pub const fn size(self) -> usize {
        self.dtype().size()
    }
}

/// The way between places and the numbers they are combined as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passage {
    stored: Stored,
    dtype: DType,
    how: Conversion,
    once: bool,
}

impl Passage {
    /// The way between places and numbers of `dtype`, rounded as a library rounds; `None` for records, which have none.
    ///
    /// Every single value that is combined goes there and back, in index order, as in NumPy's `ufunc.at`.
    pub fn of(stored: Stored, dtype: DType, how: Conversion) -> Option<Passage> {
        let known = convert::mid(stored.dtype()).is_some() && convert::mid(dtype).is_some();
        known.then_some(Passage { stored, dtype, how, once: false })
    }

    /// The same, but all values of a place are combined before it is converted back, once.
    #[inline]
    pub fn once(self) -> Passage {
        Passage { once: true, ..self }
    }

    /// The dtype that is combined in, and that values have.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Whether a place is converted back when all its values are combined.
    #[inline]
    pub fn is_once(&self) -> bool {
        self.once
    }

    /// Numbers of places `step` bytes apart.
    ///
    /// # Safety
    /// L1: so many places are readable from `places` on, and `count` numbers, [`PIECE`] at most, writable at `numbers`.
    unsafe fn load(&self, places: *const u8, step: isize, numbers: *mut u8, count: usize) {
        let (from, to, apart) = (self.stored.dtype(), self.dtype, self.dtype.size() as isize);
        // SAFETY: passed on.
        unsafe {
            match self.stored {
                Stored::Native(_) => convert::run_small(from, places, step, to, numbers, apart, count, self.how),
                Stored::Swapped(_) => {
                    let (mut native, size) = ([0u128; PIECE], from.size() as isize);
                    let at = native.as_mut_ptr().cast::<u8>();
                    convert::swap_bytes(from, places, step, at, size, count);
                    convert::run_small(from, at, size, to, numbers, apart, count, self.how);
                }
            }
        }
    }

    /// Puts numbers back into their places.
    ///
    /// # Safety
    /// L1: as [`Passage::load`], with writable places.
    unsafe fn store(&self, numbers: *const u8, places: *mut u8, step: isize, count: usize) {
        let (from, to, apart) = (self.dtype, self.stored.dtype(), self.dtype.size() as isize);
        // SAFETY: passed on.
        unsafe {
            match self.stored {
                Stored::Native(_) => convert::run_small(from, numbers, apart, to, places, step, count, self.how),
                Stored::Swapped(_) => {
                    let (mut native, size) = ([0u128; PIECE], to.size() as isize);
                    let at = native.as_mut_ptr().cast::<u8>();
                    convert::run_small(from, numbers, apart, to, at, size, count, self.how);
                    convert::swap_bytes(to, at, size, places, step, count);
                }
            }
        }
    }
}

/// Places that are on their way at a time.
const PIECE: usize = convert::SMALL;

/// Combines `linear[k]` into `indexed[offsets[k]]`, k in order, each place there and back for each value. A chunk is `chunk`
/// bytes of places side by side, and its values are as far apart as these.
///
/// # Safety
/// As [`reduce::accumulate`], with values of the dtype of the passage.
pub unsafe fn accumulate(
    passage: &Passage,
    how: Reduce,
    chunk: usize,
    indexed: *mut u8,
    offsets: &[isize],
    linear: *const u8,
    at: Linear,
) {
    let (size, number) = (passage.stored.size(), passage.dtype.size());
    let (width, apart) = (chunk / size, size as isize);
    let beside: [isize; PIECE] = std::array::from_fn(|k| (k * number) as isize);
    let mut numbers = [0u128; PIECE];
    let numbers = numbers.as_mut_ptr().cast::<u8>();
    for (k, o) in offsets.iter().enumerate().filter(|(_, o)| **o != SKIP) {
        let begin = match at {
            Linear::Even(step) => k as isize * step,
            Linear::Table(t) => t[k],
        };
        for start in (0..width).step_by(PIECE) {
            let (n, within) = (PIECE.min(width - start), start as isize * apart);
            // SAFETY: R1 for the places, L1 for the values, as many at both; the numbers are our own.
            unsafe {
                let (place, value) = (indexed.offset(o + within), linear.offset(begin + within));
                passage.load(place, apart, numbers, n);
                reduce::accumulate(passage.dtype, how, number, numbers, &beside[..n], value, Linear::Even(apart));
                passage.store(numbers, place, apart, n);
            }
        }
    }
}

/// Combines all values of one place, which lie where `values` says, and converts it back once.
///
/// # Safety
/// R1 for the place and L1 for the values; `same` is as many zeros.
pub unsafe fn finish(
    passage: &Passage,
    how: Reduce,
    include_self: bool,
    place: *mut u8,
    linear: *const u8,
    values: &[isize],
    same: &[isize],
) {
    let (dtype, mut number) = (passage.dtype, [0u128; 1]);
    let at = number.as_mut_ptr().cast::<u8>();
    // SAFETY: the number is our own, and of the dtype; the rest is passed on.
    unsafe {
        match include_self {
            true => passage.load(place, 0, at, 1),
            false => with_number!(dtype, T => at.cast::<T>().write(reduce::identity::<T>(how)), ()),
        }
        reduce::accumulate(dtype, how, dtype.size(), at, same, linear, Linear::Table(values));
        if how == Reduce::Mean {
            let count = values.len() as u64 + u64::from(include_self);
            with_number!(dtype, T => at.cast::<T>().write(at.cast::<T>().read().over(count)), ());
        }
        passage.store(at, place, 0, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DTYPES;

    const REDUCES: [Reduce; 5] = [Reduce::Sum, Reduce::Prod, Reduce::Max, Reduce::Min, Reduce::Div];

    fn swapped(dtype: DType, bytes: &[u8]) -> Vec<u8> {
        let part = if dtype.is_complex() { dtype.size() / 2 } else { dtype.size() };
        bytes.chunks_exact(part).flat_map(|c| c.iter().rev().copied()).collect()
    }

    /// Rows of `width` numbers of `dtype`, small ones of both signs where it has them.
    fn numbers(dtype: DType, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count * dtype.size()];
        let values: Vec<f64> = (0..count).map(|k| ((k * 7 + 3) % 11) as f64 * 1.25 - 4.5).collect();
        // SAFETY: as many numbers at both.
        let fill = |from: &[f64], to: *mut u8| unsafe {
            let (step, size) = (8, dtype.size() as isize);
            convert::run_small(
                DType::F64,
                from.as_ptr().cast(),
                step,
                dtype,
                to,
                size,
                from.len(),
                Conversion::IntegersChecked,
            );
        };
        for (from, to) in values.chunks(PIECE).zip(bytes.chunks_mut(PIECE * dtype.size())) {
            fill(from, to.as_mut_ptr());
        }
        bytes
    }

    /// Places with their bytes the other way round hold what places with theirs in order do: for every pair of dtypes and
    /// every way of combining, single places, rows longer than a piece, and places that are left out.
    #[test]
    fn swapped_places_hold_what_native_ones_do() {
        // An interpreter of memory rules has time for some of them.
        let step = if cfg!(miri) { 6 } else { 1 };
        for dtype in DTYPES.into_iter().step_by(step) {
            for number in DTYPES.into_iter().step_by(step) {
                for how in REDUCES.into_iter().step_by(step) {
                    for width in [1usize, PIECE + 5] {
                        let size = dtype.size();
                        let (chunk, rows) = (width * size, 3);
                        let offsets = [0, SKIP, 2 * chunk as isize, 0];
                        // Values are as far apart as places, of which the number may need more room.
                        let values = numbers(number, 4 * width + number.size());
                        let at = Linear::Even(chunk as isize);
                        let run = |stored: Stored, places: &mut [u8]| {
                            let passage = Passage::of(stored, number, Conversion::IntegersChecked).unwrap();
                            let mut room = values.clone();
                            room.resize(4 * chunk + 16, 1);
                            if number == DType::Bool {
                                room.iter_mut().for_each(|b| *b &= 1);
                            }
                            // SAFETY: offsets are those of whole rows, and so many bytes of values there are.
                            unsafe {
                                accumulate(&passage, how, chunk, places.as_mut_ptr(), &offsets, room.as_ptr(), at)
                            }
                        };
                        let before = numbers(dtype, rows * width);
                        let mut native = before.clone();
                        run(Stored::Native(dtype), &mut native);
                        let mut turned = swapped(dtype, &before);
                        run(Stored::Swapped(dtype), &mut turned);
                        assert_eq!(swapped(dtype, &turned), native, "{dtype:?} as {number:?}, {how:?}, {width}");
                        assert_eq!(native[chunk..2 * chunk], before[chunk..2 * chunk], "an untouched row");
                    }
                }
            }
        }
    }
}
