//! Folds: extremes, running sums, means, and their gradients.

use crate::tape::{grad_of, leaf};
use takewise::DType;
use takewise::ops::{self, argmax, argmin, cumsum};
use takewise::prelude::*;

/// The first position whose element none beats, told by a loop.
fn plain<T: Copy>(lane: &[T], beats: impl Fn(T, T) -> bool) -> i64 {
    (0..lane.len()).find(|i| lane.iter().all(|other| !beats(*other, lane[*i]))).unwrap() as i64
}

#[test]
fn the_first_of_the_greatest_and_of_the_least_is_found_along_every_axis() {
    let data: Vec<i16> = (0..60).map(|k| (k * 37 % 11) as i16 - 5).collect();
    let x = View::new(&data, &[3, 4, 5]).unwrap();
    for axis in 0..3usize {
        let turned = x.any().permute(&[[1, 2, 0], [0, 2, 1], [0, 1, 2]][axis]).unwrap();
        let flat = ops::index(&turned, &[Index::Ellipsis], &Rules::NEUTRAL).unwrap().to_vec::<i16>().unwrap();
        let lanes = flat.chunks(x.shape()[axis]);
        let want: Vec<i64> = lanes.clone().map(|lane| plain(lane, |a, b| a > b)).collect();
        let got = argmax(&x, axis as i64 - 3, false, &Rules::NEUTRAL).unwrap();
        assert_eq!(got.to_vec::<i64>().unwrap(), want, "greatest along {axis}");
        let want: Vec<i64> = lanes.map(|lane| plain(lane, |a, b| a < b)).collect();
        let got = argmin(&x, axis as i64, true, &Rules::NEUTRAL).unwrap();
        assert_eq!((got.to_vec::<i64>().unwrap(), got.shape()[axis]), (want, 1), "least along {axis}");
    }
}

#[test]
fn nan_is_found_first_and_zeros_are_equal() {
    let both = |x: &[f64]| {
        let at = |t: Tensor| t.to_vec::<i64>().unwrap()[0];
        (at(argmax(x, 0, true, &Rules::NEUTRAL).unwrap()), at(argmin(x, 0, true, &Rules::NEUTRAL).unwrap()))
    };
    assert_eq!(both(&[1.0, f64::NAN, 2.0, -f64::NAN]), (1, 1));
    assert_eq!(both(&[-0.0, 0.0, -1.0]), (0, 2));
    assert_eq!(both(&[0.0, -0.0]), (0, 0));
    assert_eq!(both(&[f64::NEG_INFINITY, f64::INFINITY]), (1, 0));
}

#[test]
fn an_axis_without_elements_has_no_greatest() {
    let none: [u8; 0] = [];
    let x = View::new(&none, &[0, 3]).unwrap();
    assert!(argmax(&x, 0, false, &Rules::NEUTRAL).is_err());
    assert_eq!(argmax(&x, 1, false, &Rules::NEUTRAL).unwrap().shape(), [0]);
    let x = View::new(&none, &[0, 0]).unwrap();
    assert!(argmin(&x, 0, true, &Rules::NEUTRAL).is_err());
}

#[test]
fn sums_run_along_every_axis_of_any_layout() {
    let data: Vec<i8> = (0..24).map(|k| (k * 7 % 13) as i8 - 6).collect();
    let turned = View::new(&data, &[2, 3, 4]).unwrap().any().permute(&[2, 0, 1]).unwrap();
    for axis in 0..3usize {
        let got = cumsum(&turned, axis as i64, None, &Rules::NEUTRAL).unwrap();
        let (got, whole) =
            (got.read::<i64>().unwrap(), ops::index(&turned, &[Index::Ellipsis], &Rules::NEUTRAL).unwrap());
        let whole = whole.read::<i8>().unwrap();
        for at in takewise::layout::Coordinates::new(turned.shape()) {
            let mut before = at.clone();
            let sum = (0..=at[axis]).map(|k| {
                before[axis] = k;
                i64::from(whole.get(&before).unwrap())
            });
            assert_eq!(got.get(&at), Some(sum.sum()), "{at:?} along {axis}");
        }
    }
}

#[test]
fn sums_wrap_in_the_dtype_asked_for_and_numbers_have_themselves() {
    let got = cumsum(&[100u8, 100, 100], 0, Some(DType::U8), &Rules::NEUTRAL).unwrap();
    assert_eq!(got.to_vec::<u8>().unwrap(), [100, 200, 44]);
    let one = View::new(&[true], &[]).unwrap();
    assert_eq!(cumsum(&one, -1, None, &Rules::NEUTRAL).unwrap().to_vec::<i64>().unwrap(), [1]);
    let none: [f32; 0] = [];
    assert_eq!(cumsum(View::new(&none, &[2, 0, 3]).unwrap(), 0, None, &Rules::NEUTRAL).unwrap().shape(), [2, 0, 3]);
    assert!(cumsum(&[1.0f32], 1, None, &Rules::NEUTRAL).is_err());
}

#[test]
fn extremes_over_several_axes_are_those_of_all_their_elements() {
    let data: Vec<i32> = (0..24).map(|k| k * 7 % 23 - 9).collect();
    let x = Tensor::from_slice(&data, &[2, 3, 4]).unwrap();
    let got = x.amax(Some(&[0, -1]), false, &Rules::NEUTRAL).unwrap();
    let row = |j: usize| (0..2).flat_map(move |i| (0..4).map(move |k| (i * 3 + j) * 4 + k));
    let want: Vec<i32> = (0..3).map(|j| row(j).map(|at| data[at]).max().unwrap()).collect();
    assert_eq!((got.shape(), got.to_vec::<i32>().unwrap()), (&[3][..], want));
    let got = x.amin(Some(&[0, -1]), true, &Rules::NEUTRAL).unwrap();
    assert_eq!(got.shape(), [1, 3, 1]);
    assert_eq!(x.amin(None, false, &Rules::NEUTRAL).unwrap().item().unwrap(), Scalar::Int(-9));
    assert!(x.amax(Some(&[0, 0]), false, &Rules::NEUTRAL).is_err());
}

#[test]
fn those_that_are_the_extreme_share_its_gradient_and_the_first_has_it_alone() {
    let x = leaf(&[5.0, 1.0, 5.0, 2.0], &[2, 2]);
    x.amax(None, false, &Rules::NEUTRAL).unwrap().backward(None, false).unwrap();
    assert_eq!(grad_of(&x), [0.5, 0.0, 0.5, 0.0]);
    let x = leaf(&[5.0, 5.0, 1.0, f64::NAN], &[2, 2]);
    let (values, _) = x.max_along(1, false, &Rules::NEUTRAL).unwrap();
    values.sum(None, false, None).unwrap().backward(None, false).unwrap();
    assert_eq!(grad_of(&x), [1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn gradients_of_means_and_running_sums() {
    let x = leaf(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]);
    x.mean(Some(&[1]), false, None).unwrap().sum(None, false, None).unwrap().backward(None, false).unwrap();
    assert_eq!(grad_of(&x), [1.0 / 3.0; 6]);
    let x = leaf(&[1.0, 2.0, 3.0], &[3]);
    let weights = Tensor::from_slice(&[1.0, 10.0, 100.0], &[3]).unwrap();
    x.cumsum(0, None, &Rules::NEUTRAL).unwrap().backward(Some(&weights), false).unwrap();
    assert_eq!(grad_of(&x), [111.0, 110.0, 100.0]);
}
