//! One of two values per place, in one pass: nothing is jumped into, so there is nothing to plan.

use crate::dtype::DType;
use crate::error::{Error, Fault, Result};
use crate::exec::filled;
use crate::kernel::cpu::per_level;
use crate::kernel::lanes::each_lane;
use crate::kernel::level::Bytes;
use crate::layout::{Dims, Layout};
use crate::notes::{self, Location, Note};
use crate::op::Op;
use crate::tensor::Tensor;
use crate::threads::{Bare, in_ranges, parts_for};
use crate::view::{AnyView, AnyViewMut};
use std::hint::select_unpredictable;

/// [`blend`] into a fresh tensor of a dense layout that steps forward. Error (kind `Memory`) if it cannot be had.
pub(crate) fn blended(
    mask: &AnyView<'_>,
    a: &AnyView<'_>,
    b: &AnyView<'_>,
    layout: Layout,
    dtype: DType,
) -> Result<Tensor> {
    // SAFETY: E2: every place of the output gets one of the two values.
    unsafe { filled(layout, dtype, |out| blend(mask, a, b, out)) }
}

/// `out = mask ? a : b`, any nonzero byte being true. All four have one shape; `a`, `b` and `out` one dtype, else it
/// fails.
pub(crate) fn blend(mask: &AnyView<'_>, a: &AnyView<'_>, b: &AnyView<'_>, out: &mut AnyViewMut<'_>) -> Result<()> {
    let size = out.dtype().size();
    // Of a record not every bit may be there.
    let number = !out.dtype().is_foreign();
    let same = [mask.shape(), a.shape(), b.shape()].iter().all(|s| *s == out.shape());
    if !same || mask.dtype().size() != 1 || a.dtype().size() != size || b.dtype().size() != size {
        debug_assert!(false, "operands of one shape and dtype");
        return Err(Error::plain(Fault::Memory { op: Op::Where, bytes: None }));
    }
    if notes::watched() && noted(mask, [a, b], out) {
        return Ok(());
    }
    let total = out.layout().numel();
    let parts = parts_for(total.saturating_mul(size + 1));
    let in_a_row = |l: &Layout| l.is_contiguous(size);
    if parts <= 1 && mask.layout().is_contiguous(1) && [a.layout(), b.layout(), out.layout()].into_iter().all(in_a_row)
    {
        let step = [1, size as isize, size as isize, size as isize];
        // SAFETY: L1: so many elements lie one after another in all four; the output is ours alone (L3).
        unsafe { lane(size, number, total, mask.as_ptr(), a.as_ptr(), b.as_ptr(), out.as_mut_ptr(), step) };
        return Ok(());
    }
    let strides: [Dims<isize>; 4] =
        [mask.layout(), a.layout(), b.layout(), out.layout()].map(|l| Dims::from_slice(l.strides()));
    let mut shape: Dims<usize> = Dims::from_slice(out.shape());
    let target = Bare(out.as_mut_ptr());
    let (mask, a, b) = (Bare(mask.as_ptr().cast_mut()), Bare(a.as_ptr().cast_mut()), Bare(b.as_ptr().cast_mut()));
    // The axis along which the output moves furthest is the one to cut.
    let cut = (0..shape.len()).filter(|&d| shape[d] > 1).max_by_key(|&d| strides[3][d].unsigned_abs());
    let run = |shape: &[usize], start: usize| {
        let first = strides.each_ref().map(|s| cut.map_or(0, |d| s[d] * start as isize));
        each_lane(shape, strides.each_ref().map(|s| &s[..]), |at, count, step| {
            let at = [at[0] + first[0], at[1] + first[1], at[2] + first[2], at[3] + first[3]];
            // SAFETY: L1: `each_lane` visits coordinates only; the output is ours alone (L3) and parts differ in the
            // coordinate along the cut (E1).
            unsafe {
                let (mask, a, b) = (mask.at(at[0]), a.at(at[1]), b.at(at[2]));
                lane(size, number, count, mask, a, b, target.at(at[3]), step);
            }
        });
    };
    let Some(d) = cut.filter(|_| parts > 1) else {
        run(&shape, 0);
        return Ok(());
    };
    let extent = std::mem::replace(&mut shape[d], 0);
    in_ranges(extent, parts, |range| {
        let mut part = shape.clone();
        part[d] = range.len();
        run(&part, range.start);
        Ok(())
    })
}

/// Notes what is done; `true` if it must not be.
#[cold]
fn noted(mask: &AnyView, from: [&AnyView; 2], out: &AnyViewMut) -> bool {
    notes::note(|| Note::Blend {
        mask: Location::of(mask),
        from: from.map(Location::of),
        to: Location::of(&out.as_view()),
        chosen: notes::elements(mask).into_iter().map(|bytes| bytes[0] != 0).collect(),
    });
    !out.is_private() && notes::dry()
}

per_level! {
    /// One lane: `count` places, every operand in steps of its own (mask, a, b, out), of a `number` or a record.
    ///
    /// # Safety
    /// L1 of all four; `out` is exclusively ours (L3, E1).
    unsafe fn lane(size: usize, number: bool, count: usize, mask: *const u8, a: *const u8, b: *const u8, out: *mut u8, step: [isize; 4]) {
        all: lane_body
    }
}

#[inline(always)]
unsafe fn lane_body(
    size: usize,
    number: bool,
    count: usize,
    mask: *const u8,
    a: *const u8,
    b: *const u8,
    out: *mut u8,
    step: [isize; 4],
) {
    // SAFETY: passed on.
    unsafe {
        match size {
            1 if number => sized::<u8>(count, mask, a, b, out, step),
            2 if number => sized::<u16>(count, mask, a, b, out, step),
            4 if number => sized::<u32>(count, mask, a, b, out, step),
            8 if number => sized::<u64>(count, mask, a, b, out, step),
            16 => {
                let copy = |from: *const u8, to: *mut u8| {
                    to.cast::<Bytes<16>>().write_unaligned(from.cast::<Bytes<16>>().read_unaligned())
                };
                chosen(count, mask, a, b, out, step, copy);
            }
            _ => chosen(count, mask, a, b, out, step, |from, to| std::ptr::copy_nonoverlapping(from, to, size)),
        }
    }
}

/// Chooses where each element comes from, and copies it.
#[inline(always)]
unsafe fn chosen(
    count: usize,
    mask: *const u8,
    a: *const u8,
    b: *const u8,
    out: *mut u8,
    step: [isize; 4],
    copy: impl Fn(*const u8, *mut u8),
) {
    for k in 0..count as isize {
        // SAFETY: L1 by the caller: place k of every operand.
        unsafe {
            let (x, y) = (a.offset(k * step[1]), b.offset(k * step[2]));
            copy(select_unpredictable(*mask.offset(k * step[0]) != 0, x, y), out.offset(k * step[3]));
        }
    }
}

/// A number of a size.
trait Bits: Copy {
    /// `x` if the mask's byte is not zero, else `y`. Spelt in bits: given a choice, compilers that know AVX2 load only what is
    /// chosen, and jump around the other.
    fn chosen(mask: u8, x: Self, y: Self) -> Self;
}

macro_rules! bits {
    ($($t:ident)*) => {
        $(impl Bits for $t {
            #[inline(always)]
            fn chosen(mask: u8, x: $t, y: $t) -> $t {
                let all = $t::from(mask != 0).wrapping_neg();
                y ^ ((x ^ y) & all)
            }
        })*
    };
}
bits!(u8 u16 u32 u64);

/// The lane of a number's size: contiguous operands and single values are loops of their own, which the compiler
/// vectorises.
#[inline(always)]
unsafe fn sized<T: Bits>(count: usize, mask: *const u8, a: *const u8, b: *const u8, out: *mut u8, step: [isize; 4]) {
    let dense = size_of::<T>() as isize;
    macro_rules! each {
        ($a:expr, $b:expr) => {
            for k in 0..count as isize {
                // SAFETY: L1 by the caller: place k of every operand.
                unsafe {
                    let x = a.offset(k * $a).cast::<T>().read_unaligned();
                    let y = b.offset(k * $b).cast::<T>().read_unaligned();
                    out.offset(k * dense).cast::<T>().write_unaligned(T::chosen(*mask.offset(k), x, y));
                }
            }
        };
    }
    match step {
        [1, s, t, o] if (s, t, o) == (dense, dense, dense) => each!(dense, dense),
        [1, 0, t, o] if (t, o) == (dense, dense) => each!(0, dense),
        [1, s, 0, o] if (s, o) == (dense, dense) => each!(dense, 0),
        [1, 0, 0, o] if o == dense => each!(0, 0),
        [0, s, t, o] => {
            // SAFETY: L1 by the caller.
            unsafe {
                let (from, by) = if *mask != 0 { (a, s) } else { (b, t) };
                if by == dense && o == dense {
                    return std::ptr::copy_nonoverlapping(from, out, count * size_of::<T>());
                }
                for k in 0..count as isize {
                    let value = from.offset(k * by).cast::<T>().read_unaligned();
                    out.offset(k * o).cast::<T>().write_unaligned(value);
                }
            }
        }
        _ => {
            let copy = |from: *const u8, to: *mut u8| {
                // SAFETY: L1 by the caller.
                unsafe { to.cast::<T>().write_unaligned(from.cast::<T>().read_unaligned()) }
            };
            // SAFETY: passed on.
            unsafe { chosen(count, mask, a, b, out, step, copy) }
        }
    }
}
