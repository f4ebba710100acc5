//! Sparse gradients: the same array as the dense one, in torch's layout, in memory that follows the rows read.

use crate::gradients::ints;
use takewise::grad::{self, SparseCoo};
use takewise::index::rules::{Outside, Rules};
use takewise::{DType, Kind, Tensor, View};
use takewise_dialects::rules::TORCH;

const R: Rules = Rules::NEUTRAL;

fn counted(shape: &[usize]) -> Tensor {
    let n: usize = shape.iter().product();
    Tensor::from_vec((1..=n).map(|k| k as f32).collect::<Vec<f32>>(), shape).unwrap()
}

/// Bytes of this process in memory.
#[cfg(target_os = "linux")]
pub(crate) fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

fn gather(input: &[usize], axis: i64, index: &Tensor, rules: &Rules) -> takewise::Result<(SparseCoo, Tensor)> {
    let g = counted(index.shape());
    let (i, g) = (index.read_any()?, g.read_any()?);
    let sparse = grad::gather_sparse(input, axis, i.view(), g.view(), rules)?;
    Ok((sparse, grad::gather(input, axis, i.view(), g.view(), rules)?))
}

#[test]
fn every_gather_gives_the_dense_gradient() {
    let mut count = 0;
    for input in [vec![], vec![3], vec![2, 3], vec![2, 3, 2]] {
        for axis in 0..input.len().max(1) {
            for along in [0usize, 1, 4] {
                let mut shape = input.clone();
                shape.iter_mut().for_each(|n| *n -= 1);
                match shape.get_mut(axis) {
                    Some(n) => *n = along,
                    None => shape = if along == 1 { vec![] } else { vec![along] },
                }
                let (m, n) = (shape.iter().product::<usize>(), input.get(axis).copied().unwrap_or(1) as i64);
                let index = ints(&shape, &(0..m as i64).map(|k| (k * 5 + 1) % (2 * n) - n).collect::<Vec<_>>());
                for outside in [Outside::Raise, Outside::Drop] {
                    let (sparse, dense) = gather(&input, axis as i64, &index, &Rules { outside, ..R }).unwrap();
                    assert_eq!(sparse.indices().shape(), [input.len(), m]);
                    assert_eq!((sparse.nnz(), sparse.shape()), (m, &input[..]));
                    let want = dense.to_vec::<f32>().unwrap();
                    assert_eq!(sparse.to_dense().unwrap().to_vec::<f32>().unwrap(), want);
                    let once = sparse.coalesce().unwrap();
                    assert!(once.is_coalesced());
                    assert_eq!(once.to_dense().unwrap().to_vec::<f32>().unwrap(), want);
                    let at = once.indices().t().unwrap().contiguous().unwrap().to_vec::<i64>().unwrap();
                    let tuples: Vec<&[i64]> = at.chunks(input.len().max(1)).collect();
                    assert!(tuples.windows(2).all(|w| w[0] < w[1]), "sorted and distinct: {tuples:?}");
                    count += 1;
                }
            }
        }
    }
    assert_eq!(count, 42);
}

/// Text as torch 2.15 prints it for the same calls.
#[test]
fn texts_of_torch() {
    let (sparse, _) = gather(&[2, 2], 1, &ints(&[2, 2], &[0, 0, 1, 0]), &TORCH.gather).unwrap();
    let text = "tensor(indices=tensor([[0, 0, 1, 1],\n                       [0, 0, 1, 0]]),\n       \
                values=tensor([1., 2., 3., 4.]),\n       size=(2, 2), nnz=4, layout=torch.sparse_coo)";
    assert_eq!(takewise_dialects::print::torch_coo_repr(&sparse).unwrap(), text);
    assert!(!sparse.is_coalesced());
    let (none, _) = gather(&[], 0, &ints(&[3], &[0, 0, 0]), &TORCH.gather).unwrap();
    let text = "tensor(indices=tensor([], size=(0, 3)),\n       values=tensor([1., 2., 3.]),\n       \
                size=(), nnz=3, layout=torch.sparse_coo)";
    assert_eq!(takewise_dialects::print::torch_coo_repr(&none).unwrap(), text);
    assert_eq!(none.coalesce().unwrap().values().to_vec::<f32>().unwrap(), [6.0]);
    let (one, _) = gather(&[3], 0, &ints(&[1], &[1]), &TORCH.gather).unwrap();
    assert!(one.is_coalesced(), "fewer than two coordinates cannot repeat");
}

/// Sums as torch 2.15 gives them: coordinates are merged from both lists as they come.
#[test]
fn sums_merge_coordinates() {
    let make = |at: &[i64], values: &[f32]| {
        let n = at.len();
        SparseCoo::new(ints(&[1, n], at), Tensor::from_slice(values, &[n]).unwrap(), &[3]).unwrap()
    };
    let sum = |a: (&[i64], &[f32]), b: (&[i64], &[f32])| {
        let s = make(a.0, a.1).add(&make(b.0, b.1)).unwrap();
        (s.indices().to_vec::<i64>().unwrap(), s.values().to_vec::<f32>().unwrap(), s.is_coalesced())
    };
    assert_eq!(sum((&[1, 1], &[1., 2.]), (&[1, 1], &[3., 4.])), (vec![1, 1], vec![4., 6.], false));
    assert_eq!(sum((&[1, 1], &[1., 2.]), (&[1, 0], &[3., 4.])), (vec![1, 0, 1], vec![4., 4., 2.], false));
    assert_eq!(sum((&[1, 1], &[1., 2.]), (&[1], &[3.])), (vec![1, 1], vec![4., 2.], false));
    assert_eq!(sum((&[1], &[1.]), (&[1], &[2.])), (vec![1], vec![3.], true));
    assert_eq!(sum((&[0], &[1.]), (&[1], &[2.])), (vec![0, 1], vec![1., 2.], true));
}

#[test]
fn malformed_arrays_are_refused() {
    let values = counted(&[2]);
    assert!(SparseCoo::new(ints(&[1, 2], &[0, 3]), values.clone(), &[3]).is_err(), "outside");
    assert!(SparseCoo::new(ints(&[1, 2], &[0, -1]), values.clone(), &[3]).is_err(), "negative");
    assert!(SparseCoo::new(ints(&[1, 3], &[0, 1, 2]), values.clone(), &[3]).is_err(), "counts differ");
    assert!(SparseCoo::new(ints(&[2], &[0, 1]), values.clone(), &[3]).is_err(), "no matrix");
    assert!(SparseCoo::new(ints(&[1, 2], &[0, 1]), values, &[3, 4]).is_err(), "slices of another shape");
    let e = gather(&[3], 0, &ints(&[2], &[0, 3]), &TORCH.gather).err().unwrap();
    assert_eq!((e.kind(), e.value(), e.position()), (Kind::OutOfRange, Some(3), Some(&[1][..])));
}

/// Embedding rows: a table of 2.5 GB of which a thousand rows are read, forward and backward, in a few megabytes.
#[cfg(target_os = "linux")]
#[test]
fn rows_of_a_large_table_take_memory_for_the_rows() {
    let (rows, width, n) = (10_000_000usize, 64usize, 1000usize);
    let before = resident();
    let table = Tensor::zeroed(&[rows, width], DType::F32).unwrap();
    let index = ints(&[n], &(0..n as i64).map(|k| k * k * 9_973 % (rows as i64 / 7) * 7).collect::<Vec<_>>());
    let i = index.read_any().unwrap();
    let read = takewise::ops::gather_axis(table.read_any().unwrap().view(), 0, i.view(), 0, &R).unwrap();
    let g = read.full_like(2.0).unwrap();
    let g = g.read_any().unwrap();
    let grad = grad::rows_sparse(table.shape(), i.view(), g.view(), None, &R).unwrap();
    assert_eq!((grad.indices().shape(), grad.values().shape()), (&[1, n][..], &[n, width][..]));
    let once = grad.coalesce().unwrap();
    let sum: f32 = once.values().to_vec::<f32>().unwrap().iter().sum();
    assert_eq!(sum, 2.0 * (n * width) as f32);
    let grown = resident().saturating_sub(before);
    assert!(grown < 64 << 20, "{} MiB", grown >> 20);
    // Left out: rows that are padding.
    let first = index.to_vec::<i64>().unwrap()[0] as usize;
    let without = grad::rows_sparse(&[rows, width], i.view(), g.view(), Some(first), &R).unwrap();
    assert_eq!(without.nnz() + 1, n);
}

#[test]
fn rows_agree_with_the_dense_gradient() {
    let index = [3i64, 1, 3, 0];
    let index = View::new(&index, &[2, 2]).unwrap();
    let g = counted(&[2, 2, 3]);
    let g = g.read_any().unwrap();
    let sparse = grad::rows_sparse(&[4, 3], &index, g.view(), None, &R).unwrap();
    let dense = grad::gather_axis(&[4, 3], 0, &index, 0, g.view(), &R).unwrap();
    assert_eq!(sparse.to_dense().unwrap().to_vec::<f32>().unwrap(), dense.to_vec::<f32>().unwrap());
}
