//! From where an element lies to which one it is.

use takewise::Layout;
use takewise::strategy::Location;

/// The position, in row-major order, of the element so many bytes from the first; of several that lie there the first.
pub(crate) fn position(layout: &Layout, offset: isize) -> Option<usize> {
    if layout.shape().contains(&0) {
        return None;
    }
    let mut weight = 1usize;
    let mut axes: Vec<StridedAxis> = Vec::with_capacity(layout.rank());
    for (&extent, &stride) in layout.shape().iter().zip(layout.strides()).rev() {
        if extent > 1 && stride != 0 {
            // The longest strides first.
            let at = axes.partition_point(|known| known.stride.unsigned_abs() >= stride.unsigned_abs());
            axes.insert(at, StridedAxis { extent, stride, weight });
        }
        weight = weight.saturating_mul(extent);
    }
    solve(&axes, offset)
}

struct StridedAxis {
    extent: usize,
    stride: isize,
    /// Positions from one of its elements to the next.
    weight: usize,
}

impl StridedAxis {
    fn reach(&self) -> isize {
        (self.extent as isize - 1).saturating_mul(self.stride)
    }
}

/// The least position whose coordinates along these axes, the longest strides first, add up to an offset.
fn solve(axes: &[StridedAxis], offset: isize) -> Option<usize> {
    let Some((axis, rest)) = axes.split_first() else { return (offset == 0).then_some(0) };
    let low: isize = rest.iter().map(|a| a.reach().min(0)).sum();
    let high: isize = rest.iter().map(|a| a.reach().max(0)).sum();
    // What the other axes reach bounds the coordinate along this one: low <= offset - coordinate * stride <= high.
    let (a, b) = (offset.saturating_sub(high), offset.saturating_sub(low));
    let (a, b) = if axis.stride > 0 { (a, b) } else { (b, a) };
    let first = div_ceil(a, axis.stride).max(0);
    let last = a_floor(b, axis.stride).min(axis.extent as isize - 1);
    let there = |at: isize| Some(solve(rest, offset - at * axis.stride)? + at as usize * axis.weight);
    (first..=last).filter_map(there).min()
}

fn a_floor(a: isize, b: isize) -> isize {
    let (quotient, rest) = (a / b, a % b);
    if rest != 0 && (rest < 0) != (b < 0) { quotient - 1 } else { quotient }
}

fn div_ceil(a: isize, b: isize) -> isize {
    let (quotient, rest) = (a / b, a % b);
    if rest != 0 && (rest < 0) == (b < 0) { quotient + 1 } else { quotient }
}

/// The byte offset of the element at a position.
pub(crate) fn offset(layout: &Layout, at: usize) -> isize {
    layout.offset(&takewise::layout::unravel(at, layout.shape()))
}

/// The address of the element at a position.
pub(crate) fn address(location: &Location, at: usize) -> usize {
    location.address.wrapping_add_signed(offset(&location.layout, at))
}

/// Which element of an array lies at an address, if any does.
pub(crate) fn at(location: &Location, address: usize) -> Option<usize> {
    position(&location.layout, address.wrapping_sub(location.address) as isize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use takewise::layout::Coordinates;

    #[test]
    fn every_element_is_found_where_it_lies_or_an_earlier_one_that_lies_there_too() {
        let layouts: [(&[usize], &[isize]); 9] = [
            (&[], &[]),
            (&[5], &[8]),
            (&[3, 4], &[32, 8]),
            (&[3, 4], &[8, 24]),
            (&[3, 4], &[-32, -8]),
            (&[2, 3, 4], &[0, 4, 12]),
            (&[4, 3], &[8, 8]),
            (&[3, 1, 5], &[-40, 7, 8]),
            (&[3, 3, 3], &[6, -4, 10]),
        ];
        for (shape, strides) in layouts {
            let layout = Layout::new(shape, strides).unwrap();
            for (k, coordinates) in Coordinates::new(shape).enumerate() {
                let here = layout.offset(&coordinates);
                let first = Coordinates::new(shape).position(|at| layout.offset(&at) == here);
                assert_eq!(position(&layout, here), first);
                assert_eq!(offset(&layout, k), here);
            }
            let (low, high) = layout.reach();
            let all: Vec<isize> = Coordinates::new(shape).map(|at| layout.offset(&at)).collect();
            for between in low - 9..high + 9 {
                assert_eq!(position(&layout, between).is_some(), all.contains(&between), "{shape:?} {between}");
            }
        }
    }
}
