//! Comparing two strided operands of any dtypes in a common one, a block at a time, into bytes 0 and 1.

use crate::dtype::DType;
use crate::error::{DTypeRule, Error, Fault, Result};
use crate::kernel::convert::{BLOCK, Mid, Wide, WideBlock, mid, run};
use crate::kernel::lanes::each_lane;
use crate::notes::{Location, Note, note};
use crate::rules::Conversion;
use crate::view::{AnyView, AnyViewMut};
use num_complex::Complex;
use std::cmp::Ordering;

/// A comparison, or a logical connective of "is not zero".
///
/// ```
/// use takewise::prelude::*;
/// use takewise::ops::compare::{CompareRules, Relation, compare};
/// let (a, b) = ([1, 5, 3], [3, 3, 3]);
/// let mask = compare(&(&a).into(), &(&b).into(), Relation::Ge, &CompareRules::BY_VALUE)?;
/// assert_eq!(mask.to_vec::<bool>()?, [false, true, true]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum Relation {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    Xor,
}

/// Compares `a` and `b` after casting both to `common`; all three views have one shape, `out` is bool. Numbers may have
/// their bytes in either order.
///
/// Complex numbers compare by real part, then imaginary part. Without a common dtype, integers of any two
/// dtypes compare by value.
///
/// Errors: kind `DType` for what is no number.
pub(crate) fn compare(
    a: &AnyView<'_>,
    b: &AnyView<'_>,
    common: Option<DType>,
    how: Relation,
    out: &mut AnyViewMut<'_>,
) -> Result<()> {
    let same = a.shape() == b.shape() && a.shape() == out.shape() && out.dtype() == DType::Bool;
    debug_assert!(same, "operands of one shape");
    let wide = mid(common.unwrap_or(DType::I64));
    let (Some(wide), false, false, true) = (wide, a.dtype().is_foreign(), b.dtype().is_foreign(), same) else {
        let (given, wanted) = (a.dtype(), Some(b.dtype()));
        return Err(Error::plain(Fault::DType { op: how.op(), rule: DTypeRule::Promotion, given, wanted }));
    };
    note(|| Note::Compare { of: [a, b].map(Location::of), to: Location::of(&out.as_view()) });
    match (common, wide) {
        (None, _) => blocks::<i128>(a, b, DType::I64, how, out, 0),
        (Some(common), Mid::Signed) => blocks::<i64>(a, b, common, how, out, 0),
        (Some(common), Mid::Unsigned) => blocks::<u64>(a, b, common, how, out, 0),
        (Some(common), Mid::Real) => blocks::<f64>(a, b, common, how, out, 0.0),
        (Some(common), Mid::Complex) => blocks::<Complex<f64>>(a, b, common, how, out, Complex { re: 0.0, im: 0.0 }),
    }
    Ok(())
}

/// What a block compares: loaded in the common dtype, possibly ordered.
trait Ranked: Copy + PartialEq {
    fn rank(self, other: Self) -> Option<Ordering>;

    /// # Safety
    /// L1: `out.len()` elements of `from` are readable at steps of `step` bytes.
    unsafe fn load(from: DType, src: *const u8, step: isize, common: DType, out: &mut [Self], room: &mut CastRoom);
}

/// Room for casting one block.
type CastRoom = (Box<WideBlock>, Box<[u128; BLOCK]>);

macro_rules! ranked {
    ($($t:ty),*) => {$(
        impl Ranked for $t {
            #[inline(always)]
            fn rank(self, other: Self) -> Option<Ordering> {
                self.partial_cmp(&other)
            }

            unsafe fn load(from: DType, src: *const u8, step: isize, common: DType, out: &mut [Self], room: &mut CastRoom) {
                // SAFETY: L1, handed on.
                unsafe { lift(from, src, step, common, out, room) }
            }
        }
    )*};
}
ranked!(i64, u64, f64);

impl Ranked for Complex<f64> {
    fn rank(self, other: Self) -> Option<Ordering> {
        match self.re.partial_cmp(&other.re)? {
            Ordering::Equal => self.im.partial_cmp(&other.im),
            order => Some(order),
        }
    }

    unsafe fn load(from: DType, src: *const u8, step: isize, common: DType, out: &mut [Self], room: &mut CastRoom) {
        // SAFETY: L1, handed on.
        unsafe { lift(from, src, step, common, out, room) }
    }
}

impl Ranked for i128 {
    fn rank(self, other: Self) -> Option<Ordering> {
        Some(self.cmp(&other))
    }

    unsafe fn load(from: DType, src: *const u8, step: isize, common: DType, out: &mut [Self], room: &mut CastRoom) {
        // SAFETY: L1, handed on.
        unsafe {
            if from.native() == DType::U64 {
                let mut block = [0u64; BLOCK];
                lift(from, src, step, DType::U64, &mut block[..out.len()], room);
                out.iter_mut().zip(block).for_each(|(slot, v)| *slot = v as i128);
            } else {
                let mut block = [0i64; BLOCK];
                lift(from, src, step, common, &mut block[..out.len()], room);
                out.iter_mut().zip(block).for_each(|(slot, v)| *slot = v as i128);
            }
        }
    }
}

fn blocks<M: Ranked>(
    a: &AnyView<'_>,
    b: &AnyView<'_>,
    common: DType,
    how: Relation,
    out: &mut AnyViewMut<'_>,
    zero: M,
) {
    let shape = a.shape();
    let out_steps = out.layout().strides().to_vec();
    let start = out.as_mut_ptr();
    let mut room = (WideBlock::new(), Box::new([0u128; BLOCK]));
    let (mut left, mut right) = (Box::new([zero; BLOCK]), Box::new([zero; BLOCK]));
    each_lane(shape, [a.layout().strides(), b.layout().strides(), &out_steps], |at, count, step| {
        let mut done = 0;
        while done < count {
            let n = (count - done).min(BLOCK);
            let skip = |k: usize| at[k] + done as isize * step[k];
            // SAFETY: L1 of all three: `each_lane` visits coordinates only, and n elements are left.
            unsafe {
                M::load(a.dtype(), a.as_ptr().offset(skip(0)), step[0], common, &mut left[..n], &mut room);
                M::load(b.dtype(), b.as_ptr().offset(skip(1)), step[1], common, &mut right[..n], &mut room);
                relate(&left[..n], &right[..n], how, zero, start.offset(skip(2)), step[2]);
            }
            done += n;
        }
    });
}

/// # Safety
/// L1: `out.len()` elements of `from` are readable at steps of `step` bytes.
unsafe fn lift<M: Wide>(from: DType, src: *const u8, step: isize, common: DType, out: &mut [M], room: &mut CastRoom) {
    if from == common {
        // SAFETY: L1, handed on.
        return unsafe { M::lift(from, src, step, out) };
    }
    let cast = room.1.as_mut_ptr().cast::<u8>();
    let size = common.size() as isize;
    // SAFETY: L1, handed on; the room holds BLOCK elements of the largest dtype.
    unsafe {
        run(from, src, step, common, cast, size, out.len(), Conversion::RangeChecked, &mut room.0);
        M::lift(common, cast, size, out);
    }
}

/// # Safety
/// L1: `a.len()` bytes are writable at steps of `step`.
unsafe fn relate<M: Ranked>(a: &[M], b: &[M], how: Relation, zero: M, out: *mut u8, step: isize) {
    let each = |f: &dyn Fn(&[M], &[M], &mut [bool])| {
        let mut answers = [false; BLOCK];
        let answers = &mut answers[..a.len()];
        f(a, b, answers);
        for (k, v) in answers.iter().enumerate() {
            // SAFETY: L1, handed on.
            unsafe { out.offset(k as isize * step).write(*v as u8) }
        }
    };
    macro_rules! by {
        ($x:ident, $y:ident, $e:expr) => {
            each(&|a, b, out| {
                for ((slot, $x), $y) in out.iter_mut().zip(a).zip(b) {
                    *slot = $e;
                }
            })
        };
    }
    match how {
        Relation::Eq => by!(x, y, x == y),
        Relation::Ne => by!(x, y, x != y),
        Relation::Lt => by!(x, y, x.rank(*y).is_some_and(Ordering::is_lt)),
        Relation::Le => by!(x, y, x.rank(*y).is_some_and(Ordering::is_le)),
        Relation::Gt => by!(x, y, x.rank(*y).is_some_and(Ordering::is_gt)),
        Relation::Ge => by!(x, y, x.rank(*y).is_some_and(Ordering::is_ge)),
        Relation::And => by!(x, y, (*x != zero) & (*y != zero)),
        Relation::Or => by!(x, y, (*x != zero) | (*y != zero)),
        Relation::Xor => by!(x, y, (*x != zero) ^ (*y != zero)),
    }
}
