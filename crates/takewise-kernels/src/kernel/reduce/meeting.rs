//! What becomes of places that meet values: elements and rows of them, of one type or half floats reckoned with as f32.

use super::Number;
use crate::kernel::SKIP;
use crate::kernel::cpu::LINE;
use crate::kernel::halves::Half;
use crate::kernel::level::Level;
use std::marker::PhantomData;

/// A way in which places meet values.
///
/// # Safety
/// Of all functions: the processor runs the level (K1); as many elements at both sides, which do not meet (R1, L1).
pub(super) trait Meets {
    /// Bytes of a value.
    const SIZE: usize;

    unsafe fn one(&self, to: *mut u8, from: *const u8);

    /// The same of `width` elements that lie side by side.
    unsafe fn row(&self, width: usize, to: *mut u8, from: *const u8);

    /// The same of values that lie side by side, each with a place of its own, which may be left out.
    #[inline(always)]
    unsafe fn list(&self, indexed: *mut u8, offsets: &[isize], from: *const u8) {
        for (k, o) in offsets.iter().enumerate() {
            // SAFETY: by the caller.
            unsafe { one(self, indexed, *o, from.add(k * Self::SIZE)) }
        }
    }
}

/// Combines one element into its place, unless that is left out.
///
/// # Safety
/// R1 for the offset, L1 for the element.
#[inline(always)]
pub(super) unsafe fn one<M: Meets + ?Sized>(meeting: &M, indexed: *mut u8, o: isize, from: *const u8) {
    if o != SKIP {
        // SAFETY: by the caller.
        unsafe { meeting.one(indexed.offset(o), from) }
    }
}

/// Numbers of one type, combined by a function: that of rows, and that of numbers which come one by one.
pub(super) struct Plain<T, F, A>(F, A, PhantomData<T>);

impl<T: Number, F: Fn(T, T) -> T, A: Fn(T, T) -> T> Plain<T, F, A> {
    #[inline(always)]
    pub(super) fn of(f: F, alone: A) -> Self {
        Plain(f, alone, PhantomData)
    }

    /// Combines elements `e..end` of a row, some at once; answers `end`.
    ///
    /// # Safety
    /// As [`Meets`].
    #[inline(always)]
    unsafe fn unrolled(&self, mut e: usize, end: usize, to: *mut u8, from: *const u8) -> usize {
        let at = |e: usize| e * size_of::<T>();
        // SAFETY: by the caller.
        unsafe {
            while e + UNROLLED <= end {
                together::<T, UNROLLED>(&self.0, to.add(at(e)), from.add(at(e)));
                e += UNROLLED;
            }
            while e < end {
                together::<T, 1>(&self.0, to.add(at(e)), from.add(at(e)));
                e += 1;
            }
        }
        end
    }
}

/// Elements of a row from which compilers' own vectors, several a step, pay; and elements of shorter ones combined at once.
const LONG: usize = 32;
const UNROLLED: usize = 4;

/// Bytes of a row of numbers of 32 bits and more from which it is combined line by line, as the lines of its places lie: a
/// vector that reaches into two of them takes twice as long to store.
const LINES: usize = 2 * LINE;

impl<T: Number, F: Fn(T, T) -> T, A: Fn(T, T) -> T> Meets for Plain<T, F, A> {
    const SIZE: usize = size_of::<T>();

    #[inline(always)]
    unsafe fn one(&self, to: *mut u8, from: *const u8) {
        let (to, from) = (to.cast::<T>(), from.cast::<T>());
        // SAFETY: by the caller.
        unsafe { to.write_unaligned((self.1)(to.read_unaligned(), from.read_unaligned())) }
    }

    #[inline(always)]
    unsafe fn row(&self, width: usize, to: *mut u8, from: *const u8) {
        let at = |e: usize| e * size_of::<T>();
        let mut e = 0;
        // SAFETY: by the caller.
        unsafe {
            if size_of::<T>() >= 4 && at(width) >= LINES {
                let head = to.addr().wrapping_neg() % LINE;
                if head.is_multiple_of(size_of::<T>()) {
                    e = self.unrolled(0, head / size_of::<T>(), to, from);
                }
                while at(e) + LINE <= at(width) {
                    let (to, from) = (to.add(at(e)), from.add(at(e)));
                    match size_of::<T>() {
                        4 => together::<T, 16>(&self.0, to, from),
                        8 => together::<T, 8>(&self.0, to, from),
                        _ => together::<T, 4>(&self.0, to, from),
                    }
                    e += LINE / size_of::<T>();
                }
            }
            if width - e < LONG {
                e = self.unrolled(e, width, to, from);
            }
            for e in e..width {
                together::<T, 1>(&self.0, to.add(at(e)), from.add(at(e)));
            }
        }
    }
}

/// Combines `N` elements that lie side by side.
///
/// # Safety
/// As [`Meets`].
#[inline(always)]
unsafe fn together<T: Number, const N: usize>(f: impl Fn(T, T) -> T, to: *mut u8, from: *const u8) {
    // SAFETY: by the caller.
    unsafe {
        let place = to.cast::<[T; N]>();
        let (mut own, other) = (place.read_unaligned(), from.cast::<[T; N]>().read_unaligned());
        for k in 0..N {
            own[k] = f(own[k], other[k]);
        }
        place.write_unaligned(own);
    }
}

/// Half floats combined in f32 and rounded each time.
pub(super) struct Rounded<L, H, F>(F, PhantomData<(L, H)>);

/// Half floats combined into f32 places.
pub(super) struct Widened<L, H, F>(F, PhantomData<(L, H)>);

impl<L: Level, H: Half, F: Fn(f32, f32) -> f32> Rounded<L, H, F> {
    #[inline(always)]
    pub(super) fn of(f: F) -> Self {
        Rounded(f, PhantomData)
    }
}

impl<L: Level, H: Half, F: Fn(f32, f32) -> f32> Widened<L, H, F> {
    #[inline(always)]
    pub(super) fn of(f: F) -> Self {
        Widened(f, PhantomData)
    }
}

/// Half floats of a row widened at a time.
const PIECE: usize = 64;

impl<L: Level, H: Half, F: Fn(f32, f32) -> f32> Meets for Rounded<L, H, F> {
    const SIZE: usize = size_of::<u16>();

    #[inline(always)]
    unsafe fn one(&self, to: *mut u8, from: *const u8) {
        let (to, from) = (to.cast::<u16>(), from.cast::<u16>());
        let (mut own, mut other) = (0f32, 0f32);
        // SAFETY: by the caller, in memory of our own.
        unsafe {
            H::widen::<L>(to, &raw mut own, 1);
            H::widen::<L>(from, &raw mut other, 1);
            own = (self.0)(own, other);
            H::narrow::<L>(&raw const own, to, 1);
        }
    }

    #[inline(always)]
    unsafe fn row(&self, width: usize, to: *mut u8, from: *const u8) {
        let (mut own, mut other) = ([0f32; PIECE], [0f32; PIECE]);
        for start in (0..width).step_by(PIECE) {
            let n = PIECE.min(width - start);
            // SAFETY: by the caller, in memory of our own.
            unsafe {
                let (to, from) = (to.cast::<u16>().add(start), from.cast::<u16>().add(start));
                H::widen::<L>(to, own.as_mut_ptr(), n);
                H::widen::<L>(from, other.as_mut_ptr(), n);
                for k in 0..n {
                    own[k] = (self.0)(own[k], other[k]);
                }
                H::narrow::<L>(own.as_ptr(), to, n);
            }
        }
    }
}

impl<L: Level, H: Half, F: Fn(f32, f32) -> f32> Meets for Widened<L, H, F> {
    const SIZE: usize = size_of::<u16>();

    #[inline(always)]
    unsafe fn one(&self, to: *mut u8, from: *const u8) {
        let (to, from) = (to.cast::<f32>(), from.cast::<u16>());
        // SAFETY: by the caller.
        unsafe { to.write_unaligned((self.0)(to.read_unaligned(), H::whole(from.read_unaligned()))) }
    }

    #[inline(always)]
    unsafe fn row(&self, width: usize, to: *mut u8, from: *const u8) {
        let mut other = [0f32; PIECE];
        for start in (0..width).step_by(PIECE) {
            let n = PIECE.min(width - start);
            // SAFETY: by the caller, in memory of our own.
            unsafe {
                let to = to.cast::<f32>().add(start);
                H::widen::<L>(from.cast::<u16>().add(start), other.as_mut_ptr(), n);
                for (k, v) in other[..n].iter().enumerate() {
                    to.add(k).write_unaligned((self.0)(to.add(k).read_unaligned(), *v));
                }
            }
        }
    }
    #[inline(always)]
    unsafe fn list(&self, indexed: *mut u8, offsets: &[isize], from: *const u8) {
        let mut values = [0f32; PIECE];
        for (k, piece) in offsets.chunks(PIECE).enumerate() {
            // SAFETY: by the caller, in memory of our own.
            unsafe {
                H::widen::<L>(from.cast::<u16>().add(k * PIECE), values.as_mut_ptr(), piece.len());
                for (o, v) in piece.iter().zip(&values) {
                    if *o != SKIP {
                        let to = indexed.offset(*o).cast::<f32>();
                        to.write_unaligned((self.0)(to.read_unaligned(), *v));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Reduce, accumulate};
    use crate::dtype::DType;
    use crate::kernel::cpu::{Cpu, LINE};
    use crate::kernel::move_::Linear;

    /// Rows of every length, wherever in a line they begin, are combined as their elements are one by one.
    #[test]
    fn rows_are_combined_as_their_elements_are() {
        macro_rules! all {
            ($($t:ty, $dtype:expr, $number:expr;)*) => {$(
                let size = size_of::<$t>();
                for width in (1..=40).chain([63, 64, 65, 100]).step_by(if cfg!(miri) { 9 } else { 1 }) {
                    for shift in (0..LINE).step_by(if cfg!(miri) { 24 } else { 4 }).chain([1, 7]) {
                        let room = 3 * width * size + 2 * LINE;
                        let (mut bytes, mut values) = (vec![0u8; room], vec![0u8; 2 * width * size + 1]);
                        let begin = bytes.as_ptr().align_offset(LINE) + shift;
                        let put = |bytes: &mut [u8], first: usize, count: usize| {
                            for k in 0..count {
                                let number: $t = $number(k % 50 + 1);
                                // SAFETY: so many bytes of a number of its own.
                                let of = unsafe { std::slice::from_raw_parts((&raw const number).cast::<u8>(), size) };
                                bytes[first + k * size..][..size].copy_from_slice(of);
                            }
                        };
                        put(&mut bytes, begin, 3 * width);
                        put(&mut values, 1, 2 * width);
                        let offsets = [2 * width * size, 0].map(|o| o as isize);
                        let step = (width * size) as isize;
                        let mut want = bytes.clone();
                        for (row, o) in offsets.iter().enumerate() {
                            for e in 0..width {
                                // SAFETY: elements of both sides, one by one.
                                unsafe {
                                    let to = want.as_mut_ptr().add(begin).offset(*o).add(e * size);
                                    let from = values.as_ptr().add(1 + (row * width + e) * size);
                                    accumulate($dtype, Reduce::Sum, size, to, &[0], from, Linear::Even(size as isize));
                                }
                            }
                        }
                        // SAFETY: three rows of places and two of values.
                        unsafe {
                            let (to, from) = (bytes.as_mut_ptr().add(begin), values.as_ptr().add(1));
                            accumulate($dtype, Reduce::Sum, width * size, to, &offsets, from, Linear::Even(step));
                        }
                        assert!(bytes == want, "{:?} {width} {shift} {:?}", $dtype, Cpu::current());
                    }
                }
            )*};
        }
        let usual = Cpu::current();
        for level in Cpu::supported() {
            assert!(level.force());
            all! {
                u8, DType::U8, |k| k as u8;
                f32, DType::F32, |k| k as f32;
                i64, DType::I64, |k| k as i64;
                f64, DType::F64, |k| k as f64;
                num_complex::Complex<f32>, DType::C64, |k| num_complex::Complex::new(k as f32, -(k as f32));
                num_complex::Complex<f64>, DType::C128, |k| num_complex::Complex::new(k as f64, -(k as f64));
            }
        }
        assert!(usual.force());
    }
}
