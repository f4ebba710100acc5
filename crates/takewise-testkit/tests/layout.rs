//! Layouts against their definition: what they count, reach and refuse, of few axes and of many.

use takewise::Layout;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Byte offsets of all elements, by walking every coordinate.
fn offsets(shape: &[usize], strides: &[isize]) -> Vec<isize> {
    let mut all = vec![0];
    for (&n, &s) in shape.iter().zip(strides) {
        all = all.iter().flat_map(|&at| (0..n as isize).map(move |k| at + k * s)).collect();
    }
    all
}

/// Whether elements lie one after another in row-major order.
fn in_a_row(shape: &[usize], strides: &[isize], size: usize) -> bool {
    offsets(shape, strides).iter().enumerate().all(|(k, &at)| at == (k * size) as isize)
}

#[test]
fn layouts_of_any_rank_say_what_a_walk_finds() -> Outcome {
    let choices = [(0, 8), (1, 8), (1, -24), (2, 8), (2, 0), (3, 4), (3, -8), (2, 16)];
    for rank in 0..=6u32 {
        // Of many axes some combinations.
        let step = 7usize.pow(rank.saturating_sub(4));
        for code in (0..8usize.pow(rank)).step_by(step) {
            let axes: Vec<(usize, isize)> = (0..rank).map(|k| choices[code >> (3 * k) & 7]).collect();
            let (shape, strides): (Vec<usize>, Vec<isize>) = axes.iter().copied().unzip();
            let layout = Layout::new(&shape, &strides)?;
            let all = offsets(&shape, &strides);
            let ends = (all.iter().min().copied().unwrap_or(0), all.iter().max().copied().unwrap_or(0));
            assert_eq!((layout.shape(), layout.strides()), (&shape[..], &strides[..]));
            assert_eq!((layout.numel(), layout.reach()), (all.len(), ends), "{layout:?}");
            for size in [4, 8] {
                assert_eq!(layout.is_contiguous(size), in_a_row(&shape, &strides, size), "{layout:?} of {size} bytes");
            }
            assert_eq!(Layout::from_axes(shape.len(), |k| axes[k])?, layout);
            assert_eq!(layout.clone(), layout);
            let rows = Layout::contiguous(&shape, 8)?;
            assert!(rows.is_contiguous(8) && in_a_row(rows.shape(), rows.strides(), 8));
        }
    }
    Ok(())
}

/// Whether count and offsets fit `isize`, counted without bounds.
#[cfg(target_pointer_width = "64")]
fn fits(axes: &[(usize, isize)]) -> bool {
    if axes.iter().any(|(n, _)| *n == 0) {
        return true;
    }
    let most = isize::MAX as i128;
    let (mut count, mut low, mut high) = (1i128, 0i128, 0i128);
    for &(n, s) in axes {
        let span = (n as i128 - 1).saturating_mul(s as i128);
        (low, high) = (low.saturating_add(span.min(0)), high.saturating_add(span.max(0)));
        count = count.saturating_mul(n as i128);
    }
    count <= most && high.saturating_sub(low) <= most
}

#[test]
#[cfg(target_pointer_width = "64")]
fn extents_and_strides_that_fit_are_taken_and_others_refused() {
    let extents = [0, 1, 2, (1 << 15) - 1, 1 << 15, 1 << 31, isize::MAX as usize, usize::MAX];
    let strides = [0, 1, -1, 1 << 20, 1 << 43, (1 << 44) - 1, 1 << 44, -(1 << 44), 1 << 48, isize::MAX, isize::MIN];
    let all: Vec<(usize, isize)> = extents.iter().flat_map(|&n| strides.map(|s| (n, s))).collect();
    for &a in &all {
        for &b in &all {
            for rest in [&[][..], &[(1, 8)], &[(3, 8), ((1 << 15) - 1, 1 << 43)], &[(2, 8), (2, 8), (1, 0), (2, -8)]] {
                let axes: Vec<(usize, isize)> = [a, b].iter().chain(rest).copied().collect();
                let (shape, strides): (Vec<usize>, Vec<isize>) = axes.iter().copied().unzip();
                let made = [Layout::new(&shape, &strides), Layout::from_axes(axes.len(), |k| axes[k])];
                assert_eq!(made.map(|layout| layout.is_ok()), [fits(&axes); 2], "{axes:?}");
            }
        }
    }
}
