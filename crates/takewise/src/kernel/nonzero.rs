//! Finding the elements that are not zero and writing their coordinates.

use super::reduce::{Number, with_number};
use crate::dtype::DType;
use crate::error::{Fault, Result};
use crate::exec::Outcome;
use crate::exec::threads::{parts_for, run_all};
use crate::index::rules::Rules;
use crate::layout::{Dims, unravel};
use crate::view::{AnyView, AnyViewMut};

/// Calls `found(coordinates of the row, k)` for every nonzero element `k` of rows `start..end`, rows being all
/// axes but the last. A record is never zero.
fn scan(input: &AnyView, start: usize, end: usize, mut found: impl FnMut(&[usize], usize)) {
    let layout = input.layout();
    let Some((&n, outer)) = layout.shape().split_last() else {
        if start < end {
            row(input, 0, 0, 1, |_| found(&[], 0));
        }
        return;
    };
    let step = layout.strides()[layout.rank() - 1];
    let mut at: Dims<usize> = unravel(start, outer);
    for _ in start..end {
        row(input, layout.offset(&at), step, n, |k| found(&at, k));
        for d in (0..outer.len()).rev() {
            at[d] += 1;
            if at[d] < outer[d] {
                break;
            }
            at[d] = 0;
        }
    }
}

/// Calls `found(k)` for the nonzero elements of a row of `n`, `step` bytes apart.
fn row(input: &AnyView, base: isize, step: isize, n: usize, mut found: impl FnMut(usize)) {
    with_number!(input.dtype(), T => {
        for k in 0..n {
            // SAFETY: L1: element k of a row of the view; unaligned is fine.
            let v = unsafe { input.as_ptr().offset(base + k as isize * step).cast::<T>().read_unaligned() };
            if v != <T as Number>::ZERO {
                found(k);
            }
        }
    }, (0..n).for_each(found))
}

fn rows(input: &AnyView) -> usize {
    if input.numel() == 0 { 0 } else { input.numel() / input.shape().last().copied().unwrap_or(1) }
}

/// How many elements are not zero.
pub(crate) fn count(input: &AnyView) -> usize {
    if matches!(input.dtype(), DType::Bool | DType::U8 | DType::I8) {
        return crate::index::mask::count(&input.reinterpreted(DType::Bool));
    }
    let mut n = 0;
    scan(input, 0, rows(input), |_, _| n += 1);
    n
}

/// A stretch of rows and where its coordinates go.
struct Part {
    rows: (usize, usize),
    first: usize,
    count: usize,
}

/// The output as a bare address; parts write different columns (E1).
struct Target(*mut u8);
// SAFETY: parts write disjoint places of an exclusive view (E1, L3).
unsafe impl Sync for Target {}

/// Writes the coordinates of the nonzero elements, in row-major order, into the columns of `out`, an i64 array
/// of shape (rank, count). Fails (kind `Busy`) if the input changed since it was counted.
pub(crate) fn columns(input: &AnyView, out: &mut AnyViewMut, rules: &Rules) -> Result<()> {
    let total = out.shape()[1];
    let all = rows(input);
    let parts = parts_for(input.numel() * input.dtype().size()).min(all).max(1);
    let cut = |p: usize| all * p / parts;
    let mut shares: Vec<Part> = (0..parts).map(|p| Part { rows: (cut(p), cut(p + 1)), first: 0, count: 0 }).collect();
    if let [only] = &mut shares[..] {
        only.count = total;
    } else {
        let counts = counts(input, &shares);
        let mut first = 0;
        for (share, n) in shares.iter_mut().zip(counts) {
            (share.first, share.count) = (first, n);
            first += n;
        }
    }
    let short = shares.iter().map(|s| s.count).sum::<usize>() != total;
    let (row_step, step) = (out.layout().strides()[0], out.layout().strides()[1]);
    let target = Target(out.as_mut_ptr());
    let done = run_all(&shares, |share| {
        let target = &target;
        let (mut k, end) = (share.first, share.first + share.count);
        scan(input, share.rows.0, share.rows.1, |at, last| {
            if k < end.min(total) {
                let store = |d: usize, v: usize| {
                    // SAFETY: L1: row d below the rank, column k below the count of `out`; E1: k is this part's.
                    unsafe {
                        let to = target.0.offset(d as isize * row_step + k as isize * step);
                        to.cast::<i64>().write_unaligned(v as i64);
                    }
                };
                at.iter().enumerate().for_each(|(d, v)| store(d, *v));
                if input.rank() > 0 {
                    store(at.len(), last);
                }
            }
            k += 1;
        });
        if k == end { Outcome::Good } else { Outcome::Changed }
    });
    if short || done != Outcome::Good {
        return Err(rules.fail(Fault::Busy { op: "nonzero", writing: true }));
    }
    Ok(())
}

/// How many nonzero elements each share holds.
fn counts(input: &AnyView, shares: &[Part]) -> Vec<usize> {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let found: Vec<(AtomicUsize, (usize, usize))> = shares.iter().map(|s| (AtomicUsize::new(0), s.rows)).collect();
    run_all(&found, |(n, rows)| {
        let mut k = 0;
        scan(input, rows.0, rows.1, |_, _| k += 1);
        n.store(k, Ordering::Relaxed);
        Outcome::Good
    });
    found.into_iter().map(|(n, _)| n.into_inner()).collect()
}
