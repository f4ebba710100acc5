//! Values of another dtype than the places they are combined with: every pair of dtypes, every way of combining, every way
//! of addressing, against one value after the other cast, combined and cast back.

use takewise::dtype::DTYPES;
use takewise::index::rules::{Conversion, Meet, Width};
use takewise::promote::{Promotion, promote};
use takewise::tensor::cast;
use takewise::{DType, Index, Reduce, Rules, Tensor, ix};

const REDUCES: [Reduce; 5] = [Reduce::Sum, Reduce::Prod, Reduce::Max, Reduce::Min, Reduce::Div];

const EACH: Rules = Rules {
    same_dtype: false,
    meet: Meet::Each(Promotion::Widening),
    accumulate: Width::Native,
    conversion: Conversion::IntegersChecked,
    ..Rules::NEUTRAL
};

fn converted(t: &Tensor, dtype: DType) -> Tensor {
    cast(&t.read_any().unwrap().view(), dtype, Conversion::IntegersChecked).unwrap()
}

fn numbers(values: &[f64], shape: &[usize], dtype: DType) -> Tensor {
    converted(&Tensor::from_slice(values, shape).unwrap(), dtype)
}

/// Its elements' bytes, in row-major order.
fn bytes(t: &Tensor) -> Vec<Vec<u8>> {
    let (open, size) = (t.read_any().unwrap(), t.dtype().size());
    let view = open.view();
    let all = takewise::layout::Coordinates::new(view.shape());
    all.map(|at| view.bytes_at(&at).unwrap()[..size].to_vec()).collect()
}

/// One value after the other.
fn naive(x: &Tensor, at: &[usize], values: &Tensor, how: Reduce, once: bool) -> Tensor {
    let dtype = promote(Promotion::Widening, x.dtype(), values.dtype()).unwrap();
    let strict = Rules { same_dtype: true, accumulate: Width::Native, ..Rules::NEUTRAL };
    let values = converted(values, dtype);
    let out = x.clone_data().unwrap();
    let value = |k: usize| values.index(&ix![k as i64], &strict).unwrap();
    let mut met: Vec<usize> = at.to_vec();
    met.sort_unstable();
    met.dedup();
    for place in met {
        let whole = ix![place as i64..place as i64 + 1];
        let mut held = out.index(&whole, &strict).unwrap().clone_data().unwrap();
        let mut wide = converted(&held, dtype);
        for k in (0..at.len()).filter(|k| at[*k] == place) {
            if !once {
                wide = converted(&held, dtype);
            }
            wide.index_accumulate_(&ix![0], &value(k), how, &strict).unwrap();
            held = converted(&wide, x.dtype());
        }
        out.index_set_(&whole, &held, &takewise_dialects::rules::NUMPY.set).unwrap();
    }
    out
}

#[test]
fn every_pair_of_dtypes_and_every_way_of_combining() {
    let at = [3usize, 0, 3, 3, 1];
    for dtype in DTYPES {
        for other in DTYPES.into_iter().filter(|d| *d != dtype) {
            let x = numbers(&[5.0, 100.0, 7.0, 3.0], &[4], dtype);
            let values = numbers(&[1.5, 200.0, 0.75, 3.0, -2.5], &[5], other);
            for how in REDUCES {
                for meet in [Meet::Each(Promotion::Widening), Meet::Once(Promotion::Widening)] {
                    let (rules, once) = (Rules { meet, ..EACH }, matches!(meet, Meet::Once(_)));
                    let got = x.clone_data().unwrap();
                    got.index_accumulate_(&ix![&[3i64, 0, 3, 3, 1]], &values, how, &rules).unwrap();
                    let want = naive(&x, &at, &values, how, once);
                    assert_eq!(bytes(&got), bytes(&want), "{dtype:?} {other:?} {how:?} {meet:?}");
                }
            }
        }
    }
}

/// Rows, columns, masks, strided destinations, tuples, flat positions: the same numbers as by single places.
#[test]
fn every_way_of_addressing() {
    let x = numbers(&[1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12.], &[3, 4], DType::I16);
    let v = numbers(&[0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5], &[2, 4], DType::F32);
    let index = Tensor::from_slice(&[2i64, 2], &[2]).unwrap();
    let want = |cells: &[(usize, f64)]| {
        let mut all: Vec<f64> = (1..=12).map(f64::from).collect();
        cells.iter().for_each(|(k, v)| all[*k] = (all[*k] * v).trunc());
        bytes(&numbers(&all, &[3, 4], DType::I16))
    };
    let rows: Vec<(usize, f64)> = (0..8).map(|k| (8 + k % 4, 0.5 + k as f64)).collect();
    let got = x.index_reduce(0, &index, &v, Reduce::Prod, true, &EACH).unwrap();
    assert_eq!(bytes(&got), want(&rows), "rows");
    // The same along the other axis of a transposed destination.
    let turned = x.t().unwrap().clone_data().unwrap();
    turned.t().unwrap().index_reduce_(0, &index, &v, Reduce::Prod, true, &EACH).unwrap();
    assert_eq!(bytes(&turned.t().unwrap()), want(&rows), "a strided destination");
    let places = Tensor::from_slice(&[2i64, 0, 1, 2, 2, 0, 1, 1], &[2, 4]).unwrap();
    let cells: Vec<(usize, f64)> =
        [2, 0, 1, 2, 2, 0, 1, 1].iter().enumerate().map(|(k, r)| (r * 4 + k % 4, 0.5 + k as f64)).collect();
    assert_eq!(bytes(&x.scatter(0, &places, &v, Some(Reduce::Prod), &EACH).unwrap()), want(&cells), "scatter");
    let mask: Vec<bool> = (0..12).map(|k| k % 5 == 0).collect();
    let mask = Tensor::from_slice(&mask, &[3, 4]).unwrap();
    let three = numbers(&[0.5, 1.5, 2.5], &[3], DType::F32);
    let got = x.clone_data().unwrap();
    got.index_accumulate_(&[Index::Tensor(&mask)], &three, Reduce::Prod, &EACH).unwrap();
    assert_eq!(bytes(&got), want(&[(0, 0.5), (5, 1.5), (10, 2.5)]), "a mask");
    let tuples = Tensor::from_slice(&[0i64, 1, 2, 3, 0, 1], &[3, 2]).unwrap();
    let got = x.clone_data().unwrap();
    got.scatter_nd_(&tuples, &three, Some(Reduce::Prod), &EACH).unwrap();
    assert_eq!(bytes(&got), want(&[(1, 0.5), (11, 1.5), (1, 2.5)]), "tuples");
    let flat = Tensor::from_slice(&[4i64, 4, 6], &[3]).unwrap();
    let got = x.put(&flat, &three, true, &EACH).unwrap();
    let mut all: Vec<f64> = (1..=12).map(f64::from).collect();
    (all[4], all[6]) = (((5.5f64).trunc() + 1.5).trunc(), (7.0f64 + 2.5).trunc());
    assert_eq!(bytes(&got), bytes(&numbers(&all, &[3, 4], DType::I16)), "flat positions");
}

/// Many places by many threads, in order within each.
#[test]
fn many_values_in_index_order() {
    let n = 200_000;
    let index: Vec<i64> = (0..n).map(|k: i64| (k * 7919) % 1000).collect();
    let values: Vec<f64> = (0..n).map(|k| (k % 13) as f64 * 0.25).collect();
    let mut want = vec![0i32; 1000];
    for (i, v) in index.iter().zip(&values) {
        want[*i as usize] = (f64::from(want[*i as usize]) + v) as i32;
    }
    let index = Tensor::from_slice(&index, &[n as usize]).unwrap();
    let values = Tensor::from_slice(&values, &[n as usize]).unwrap();
    for threads in [1, 4] {
        let x = Tensor::zeroed(&[1000], DType::I32).unwrap();
        takewise::threads::with_threads(threads, || x.scatter_add_(0, &index, &values, &EACH)).unwrap();
        assert_eq!(x.to_vec::<i32>().unwrap(), want, "{threads} threads");
    }
}

#[test]
fn means_and_places_that_start_afresh_are_converted_once() {
    let x = Tensor::from_slice(&[10i8, 20, 30], &[3]).unwrap();
    let index = Tensor::from_slice(&[0i64, 0, 2, 0], &[4]).unwrap();
    let values = Tensor::from_slice(&[0.5f64, 0.5, 7.9, 100.0], &[4]).unwrap();
    let run = |how, own| x.scatter_reduce(0, &index, &values, how, own, &EACH).unwrap().to_vec::<i8>().unwrap();
    assert_eq!(run(Reduce::Sum, false), [101, 20, 7]);
    assert_eq!(run(Reduce::Mean, true), [27, 20, 18]);
    assert_eq!(run(Reduce::Mean, false), [33, 20, 7]);
    assert_eq!(run(Reduce::Prod, false), [25, 20, 7]);
}

#[test]
fn a_number_that_the_destination_holds_is_one_of_its_own() {
    let x = Tensor::from_slice(&[1.5f32, 2.5], &[2]).unwrap();
    let run = |number: f64| {
        let got = x.clone_data().unwrap();
        got.index_accumulate_(&ix![&[0i64, 0]], number, Reduce::Sum, &EACH).unwrap();
        got.to_vec::<f32>().unwrap()[0]
    };
    assert_eq!(run(0.5), 2.5);
    // 0.1 is rounded when it was added, not before.
    let step = |v: f32| (f64::from(v) + 0.1) as f32;
    assert_eq!(run(0.1), step(step(1.5)));
}

#[test]
fn places_that_may_not_meet_do_not_in_another_dtype_either() {
    let x = Tensor::from_slice(&[1i32, 2, 3], &[3]).unwrap();
    let values = Tensor::from_slice(&[1.5f64, 1.5], &[2]).unwrap();
    let rules = Rules { duplicates: takewise::index::rules::Duplicates::Error, ..EACH };
    for how in [Reduce::Sum, Reduce::Mean] {
        let twice = Tensor::from_slice(&[2i64, 2], &[2]).unwrap();
        let failed = x.scatter_reduce_(0, &twice, &values, how, true, &rules).unwrap_err();
        assert_eq!(failed.kind(), takewise::error::Kind::Duplicate);
        assert_eq!(x.to_vec::<i32>().unwrap(), [1, 2, 3]);
    }
}

#[test]
fn nothing_is_stored_if_an_index_is_bad() {
    let x = Tensor::from_slice(&[1i32, 2, 3], &[3]).unwrap();
    let values = Tensor::from_slice(&[1.5f64, 1.5], &[2]).unwrap();
    let index = Tensor::from_slice(&[0i64, 3], &[2]).unwrap();
    for how in [Reduce::Sum, Reduce::Mean] {
        let failed = x.scatter_reduce_(0, &index, &values, how, true, &EACH);
        assert!(failed.unwrap_err().to_string().contains('3'));
        assert_eq!(x.to_vec::<i32>().unwrap(), [1, 2, 3]);
    }
}
