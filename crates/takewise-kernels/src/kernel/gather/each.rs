//! Values taken one after another, each of them loaded once.

use crate::bounds::{from_end, is_place};

/// The same value, about which the optimiser knows nothing any more: it cannot go back and load it again (R2).
#[inline(always)]
pub(in crate::kernel) fn settled(v: i64) -> i64 {
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    {
        let mut v = v;
        // SAFETY: no instruction at all.
        unsafe { std::arch::asm!("/* {0} */", inout(reg) v, options(pure, nomem, nostack, preserves_flags)) };
        v
    }
    #[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
    std::hint::black_box(v)
}

/// Positions taken together: the loop itself is a third of what one costs.
pub(super) const TOGETHER: usize = 4;

/// Hands `then` each position below `count` with its place on an axis of length `len`, in order, until a value lies outside:
/// then the answer is `false`. `back` is what negative values are moved by; `first` is called before a value is looked at, with
/// what the one it asks for is to be moved by if it is negative: nothing as long as none was.
/// A value must be [`settled`] (R2).
#[inline(always)]
pub(in crate::kernel) fn each_place(
    count: usize,
    len: usize,
    back: i64,
    value: impl Fn(usize) -> i64,
    first: impl Fn(usize, i64),
    mut then: impl FnMut(usize, i64),
) -> bool {
    let mut k = 0;
    'front: while k + TOGETHER <= count {
        for j in 0..TOGETHER {
            first(k + j, 0);
            let v = value(k + j);
            if !is_place(v, len) {
                k += j;
                break 'front;
            }
            then(k + j, v);
        }
        k += TOGETHER;
    }
    // From the first that does not count from the front: where signs are mixed, a branch would go either way.
    while k + TOGETHER <= count {
        for j in 0..TOGETHER {
            if !either_way(k + j, len, back, &value, &first, &mut then) {
                return false;
            }
        }
        k += TOGETHER;
    }
    (k..count).all(|k| either_way(k, len, back, &value, &first, &mut then))
}

/// One position of [`each_place`], whichever end its value counts from.
#[inline(always)]
fn either_way(
    k: usize,
    len: usize,
    back: i64,
    value: &impl Fn(usize) -> i64,
    first: &impl Fn(usize, i64),
    then: &mut impl FnMut(usize, i64),
) -> bool {
    first(k, back);
    let v = from_end(value(k), back);
    let good = is_place(v, len);
    if good {
        then(k, v);
    }
    good
}
