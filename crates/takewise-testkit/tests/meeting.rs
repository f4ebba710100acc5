//! Values that meet in one place where the rules allow none, and places of the flattened array.

use takewise::error::Kind;
use takewise::index::rules::{Duplicates, Rules};
use takewise::{DType, Reduce, Scalar, Tensor};

const ONCE: Rules = Rules { duplicates: Duplicates::Error, ..Rules::NEUTRAL };

/// Sizes that take the roads for a few positions, for small destinations and for large ones.
const SIZES: [(usize, usize); 4] = [(4, 3), (64, 40), (300, 5000), (9000, 7000)];

fn places(count: usize, within: usize, twice: bool) -> Tensor {
    let mut list: Vec<i64> = (0..count as i64).map(|k| k % within as i64).collect();
    if twice {
        list[count - 1] = list[0];
    }
    Tensor::from_vec(list, &[count]).unwrap()
}

#[test]
fn combining_under_the_rule_of_one_value_for_a_place() {
    for how in [Reduce::Sum, Reduce::Prod, Reduce::Max, Reduce::Min, Reduce::Mean] {
        for include_self in [true, false] {
            for (n, count) in SIZES {
                let count = count.min(n - 1);
                let x = Tensor::full(&[n], 3.0, DType::F32).unwrap();
                let values = Tensor::ones(&[count], DType::F32).unwrap();
                let failed = x
                    .scatter_reduce_(0, &places(count, n, true), &values, how, include_self, &ONCE)
                    .expect_err("two values meet");
                assert_eq!(failed.kind(), Kind::Duplicate);
                assert!(x.to_vec::<f32>().unwrap().iter().all(|v| *v == 3.0), "nothing is written");
                let apart = places(count, n, false);
                x.scatter_reduce_(0, &apart, &values, how, include_self, &ONCE).unwrap();
                let plain = Tensor::full(&[n], 3.0, DType::F32).unwrap();
                plain.scatter_reduce_(0, &apart, &values, how, include_self, &Rules::NEUTRAL).unwrap();
                assert_eq!(x.to_vec::<f32>().unwrap(), plain.to_vec::<f32>().unwrap());
            }
        }
    }
}

#[test]
fn slices_and_subscripts_under_that_rule() {
    let index = places(3, 4, true);
    let x = Tensor::zeros(&[4, 300], DType::F64).unwrap();
    let rows = Tensor::ones(&[3, 300], DType::F64).unwrap();
    assert_eq!(x.index_add_(0, &index, &rows, Scalar::Int(1), &ONCE).unwrap_err().kind(), Kind::Duplicate);
    assert_eq!(x.index_reduce_(0, &index, &rows, Reduce::Max, true, &ONCE).unwrap_err().kind(), Kind::Duplicate);
    let items = [takewise::Index::from(&index)];
    assert_eq!(x.index_accumulate_(&items, 1, Reduce::Sum, &ONCE).unwrap_err().kind(), Kind::Duplicate);
    assert_eq!(x.put_(&index, 1.0, true, &ONCE).unwrap_err().kind(), Kind::Duplicate);
    assert!(x.to_vec::<f64>().unwrap().iter().all(|v| *v == 0.0));
}

#[test]
fn values_along_the_flattened_array_whatever_its_strides() {
    let loose = Rules { same_dtype: false, ..Rules::NEUTRAL };
    let x = Tensor::from_vec((0..6i64).collect(), &[3, 2]).unwrap().t().unwrap();
    let index = Tensor::from_slice(&[1i64, -1], &[2]).unwrap();
    x.put_along_flat_(&index, &Tensor::from_slice(&[7.0f32, 8.0], &[2]).unwrap(), &loose).unwrap();
    assert_eq!(x.contiguous().unwrap().to_vec::<i64>().unwrap(), [0, 7, 4, 1, 3, 8]);
    x.put_along_flat_(&index, &Tensor::from_slice(&[9i64], &[1]).unwrap(), &loose).unwrap();
    assert_eq!(x.contiguous().unwrap().to_vec::<i64>().unwrap(), [0, 9, 4, 1, 3, 9]);
    let deep = index.unsqueeze(0).unwrap();
    assert_eq!(x.put_along_flat_(&deep, 1, &loose).unwrap_err().kind(), Kind::Argument);
    let three = Tensor::from_slice(&[1i64, 2, 3], &[3]).unwrap();
    assert!(x.put_along_flat_(&index, &three, &loose).is_err());
    let out = Tensor::from_slice(&[0i64, 6], &[2]).unwrap();
    assert_eq!(x.put_along_flat_(&out, 1, &loose).unwrap_err().kind(), Kind::OutOfRange);
    assert_eq!(x.contiguous().unwrap().to_vec::<i64>().unwrap(), [0, 9, 4, 1, 3, 9]);
}

#[test]
fn the_gradient_of_values_that_were_stretched() {
    let mut x = Tensor::ones(&[2, 3], DType::F32).unwrap();
    let mut value = Tensor::from_slice(&[2.0f32], &[1]).unwrap();
    x.requires_grad_(true).unwrap();
    value.requires_grad_(true).unwrap();
    let index = Tensor::from_slice(&[0i64, 4], &[2]).unwrap();
    let y = x.put_along_flat(&index, &value, &Rules::NEUTRAL).unwrap();
    y.sum(None, false, None).unwrap().backward(None, false).unwrap();
    let of = |t: &Tensor| t.grad().unwrap().to_dense().unwrap().to_vec::<f32>().unwrap();
    assert_eq!(of(&x), [0.0, 1.0, 1.0, 1.0, 0.0, 1.0]);
    assert_eq!(of(&value), [2.0]);
}
