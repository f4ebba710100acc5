//! Can two strided arrays share a byte? Can one array meet itself?
//!
//! The exact question (is there a solution in the box to a linear Diophantine equation) is NP-hard in the
//! rank, so we answer in three steps of rising cost: byte intervals; residues modulo the gcd of all strides,
//! element width included; and an exact search with a work cap. When the cap is hit the answer is the safe
//! one: "may overlap". Rejected: answering by interval alone, because even and odd columns of one matrix
//! would then count as overlapping.

use super::Layout;
use crate::dims::sort_few_by_key;

/// Steps the exact search may take before it gives up and says "may".
const WORK_CAP: usize = 20_000;

/// Whether elements of `a` (at address `pa`, `size_a` bytes each) and `b` may share a byte.
pub fn may_overlap(pa: usize, a: &Layout, size_a: usize, pb: usize, b: &Layout, size_b: usize) -> bool {
    let (Some((a_low, a_high)), Some((b_low, b_high))) = (a.span(), b.span()) else { return false };
    if size_a == 0 || size_b == 0 {
        return false;
    }
    // Operands far apart, as most are, without wide numbers.
    if let (Some((a_start, a_end)), Some((b_start, b_end))) =
        (interval(pa, a_low, a_high, size_a), interval(pb, b_low, b_high, size_b))
        && (a_end <= b_start || b_end <= a_start)
    {
        return false;
    }
    let (a_start, a_end) = (pa as i128 + a_low as i128, pa as i128 + a_high as i128 + size_a as i128);
    let (b_start, b_end) = (pb as i128 + b_low as i128, pb as i128 + b_high as i128 + size_b as i128);
    if a_end <= b_start || b_end <= a_start {
        return false;
    }
    let steps = |l: &Layout| -> Vec<(u128, u128)> {
        let pairs = l.shape().iter().zip(l.strides());
        pairs.filter(|(n, s)| **n > 1 && **s != 0).map(|(n, s)| (s.unsigned_abs() as u128, *n as u128 - 1)).collect()
    };
    let mut terms = steps(a);
    terms.extend(steps(b));
    let g = terms.iter().fold(0u128, |g, t| gcd(g, t.0));
    // a_start + x = b_start + y with x a sum of a's steps plus 0..size_a, y alike: after flipping b's terms,
    // sum(terms) must land in the window [target - (size_a - 1), target + size_b - 1].
    let b_span: i128 = steps(b).iter().map(|t| (t.0 * t.1) as i128).sum();
    let target = b_start - a_start + b_span;
    let (low, high) = (target - (size_a as i128 - 1), target + size_b as i128 - 1);
    if g > 1 && (high.div_euclid(g as i128) * g as i128) < low {
        return false;
    }
    sort_few_by_key(&mut terms, |t| std::cmp::Reverse(t.0));
    let mut work = WORK_CAP;
    reachable(&terms, low, high, &mut work)
}

/// The first byte and the one after the last, where both are addresses.
fn interval(p: usize, low: isize, high: isize, size: usize) -> Option<(usize, usize)> {
    Some((p.checked_add_signed(low)?, p.checked_add_signed(high)?.checked_add(size)?))
}

/// Whether some choice of multiples lands in `[low, high]`; `true` when out of work.
fn reachable(terms: &[(u128, u128)], low: i128, high: i128, work: &mut usize) -> bool {
    if *work == 0 {
        return true;
    }
    *work -= 1;
    let most: i128 = terms.iter().map(|t| (t.0 * t.1) as i128).sum();
    if high < 0 || low > most {
        return false;
    }
    let Some(((step, count), rest)) = terms.split_first() else { return low <= 0 && high >= 0 };
    let (step, count) = (*step as i128, *count as i128);
    let rest_most = most - step * count;
    let first = ((low - rest_most).max(0) + step - 1) / step;
    let last = (high / step).min(count);
    (first..=last).any(|k| reachable(rest, low - k * step, high - k * step, work))
}

/// Whether two different coordinates of a layout may share a byte (the negation of L3).
///
/// Exact for nested layouts (each stride clears everything inside it), which covers all permutations and
/// slices of contiguous arrays; else by the capped search.
pub fn meets_itself(l: &Layout, size: usize) -> bool {
    let mut axes: Vec<(usize, usize)> = Vec::new();
    for (&n, &s) in l.shape().iter().zip(l.strides()) {
        match n {
            0 => return false,
            1 => {}
            _ => axes.push((s.unsigned_abs(), n)),
        }
    }
    if size == 0 {
        return false;
    }
    axes.sort_unstable();
    let mut span = size;
    let nested = axes.iter().all(|&(s, n)| {
        let clear = s >= span;
        span = s.saturating_mul(n - 1).saturating_add(span);
        clear
    });
    if nested {
        return false;
    }
    // Differences of coordinates: some k != 0 with |sum k_d s_d| < size, |k_d| < n_d. Fix the sign of the
    // first nonzero k (outermost stride) and shift the others to be non-negative.
    axes.sort_unstable_by(|a, b| b.cmp(a));
    let mut work = WORK_CAP;
    (0..axes.len()).any(|lead| {
        let rest: Vec<(u128, u128)> = axes[lead + 1..].iter().map(|&(s, n)| (s as u128, 2 * (n as u128 - 1))).collect();
        let shift: i128 = axes[lead + 1..].iter().map(|&(s, n)| (s as i128) * (n as i128 - 1)).sum();
        let (s, n) = axes[lead];
        (1..n as i128).any(|k| {
            let at = shift - k * s as i128;
            let window = size as i128 - 1;
            // s*k dominates once it exceeds everything inside.
            if at + shift + window < 0 && s > 0 {
                return false;
            }
            let rest: Vec<(u128, u128)> = rest.iter().copied().filter(|t| t.0 > 0).collect();
            s == 0 || work == 0 || reachable(&rest, at - window, at + window, &mut work)
        })
    })
}

/// Whether some permutation of the axes is contiguous (torch's "non-overlapping and dense").
pub fn dense(l: &Layout, size: usize) -> bool {
    // Row-major as most are, or empty.
    if l.is_contiguous(size) {
        return true;
    }
    let mut axes: Vec<(isize, usize)> =
        l.shape().iter().zip(l.strides()).filter(|(n, _)| **n != 1).map(|(&n, &s)| (s, n)).collect();
    axes.sort_unstable();
    let mut step = size as isize;
    axes.iter().all(|&(s, n)| {
        let fits = s == step;
        step = step.saturating_mul(n as isize);
        fits
    })
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Coordinates;
    use std::collections::HashSet;

    fn bytes(at: usize, l: &Layout, size: usize) -> HashSet<usize> {
        Coordinates::new(l.shape())
            .flat_map(|c| {
                let o = (at as isize + l.offset(&c)) as usize;
                o..o + size
            })
            .collect()
    }

    #[test]
    fn agrees_with_listing_every_byte() {
        let mut layouts = Vec::new();
        for n in 0..4 {
            for m in 1..4 {
                for s in [-6isize, -4, -3, 0, 1, 2, 3, 4, 6, 8] {
                    for t in [-3isize, 0, 1, 2, 4, 5] {
                        layouts.push(Layout::new(&[n, m], &[s, t]).unwrap());
                    }
                }
            }
        }
        for (k, a) in layouts.iter().enumerate().step_by(if cfg!(miri) { 181 } else { 1 }) {
            for size in [1, 2, 4] {
                let n = a.numel();
                let met = Coordinates::new(a.shape())
                    .flat_map(|c| {
                        let o = 100 + a.offset(&c);
                        o..o + size as isize
                    })
                    .collect::<HashSet<_>>()
                    .len()
                    < n * size;
                assert_eq!(meets_itself(a, size), met, "{a:?} {size}");
                for b in layouts.iter().skip(k % 7).step_by(if cfg!(miri) { 155 } else { 7 }) {
                    for pb in [95, 100, 103] {
                        let want = !bytes(100, a, size).is_disjoint(&bytes(pb, b, 2));
                        assert_eq!(may_overlap(100, a, size, pb, b, 2), want, "{a:?} {b:?} {pb} {size}");
                    }
                }
            }
        }
    }
}
