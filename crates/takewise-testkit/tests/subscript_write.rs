//! Writing through subscripts: dispatch, conversion, broadcasting, overlap, duplicates. That a write is all or nothing is held in
//! `atomicity`, and what duplicates give in many parts in `determinism`.

use crate::subscript_read::arange;
use takewise::Reduce;
use takewise::index::rules::{Duplicates, Overlap};
use takewise::index::step;
use takewise::ops::Source;
use takewise::{DType, Element, Index, Kind, Rules, Scalar, Tensor, f16, ix};
use takewise_dialects::rules::{JAX, MINDSPORE, NUMPY, TORCH};

fn vector<T: Element>(values: &[T]) -> Tensor {
    Tensor::from_slice(values, &[values.len()]).unwrap()
}

/// `x[items] = value`, expected to work.
fn set<'v>(x: &Tensor, items: &[Index<'_>], value: impl Into<Source<&'v Tensor>>, rules: &Rules) -> Vec<i64> {
    x.index_set_(items, value, rules).unwrap();
    x.long().unwrap().to_vec().unwrap()
}

/// `x[items] = value`, expected to fail and to leave `x` alone.
fn refused<'v>(x: &Tensor, items: &[Index<'_>], value: impl Into<Source<&'v Tensor>>, rules: &Rules) -> Kind {
    let before = x.to(DType::F64).unwrap().to_vec::<f64>().unwrap();
    let e = x.index_set_(items, value, rules).unwrap_err();
    assert_eq!(x.to(DType::F64).unwrap().to_vec::<f64>().unwrap(), before, "{e}");
    e.kind()
}

#[test]
fn numbers_convert_as_each_library_does() {
    let byte = |v: Scalar, d: &Rules| {
        let x = vector(&[0u8, 0, 0]);
        x.index_set_(&ix![0], v, d).map(|()| x.to_vec::<u8>().unwrap()[0]).map_err(|e| e.kind())
    };
    for (v, want) in [(-1, 255), (-255, 1)] {
        assert_eq!(byte(v.into(), &TORCH.set), Ok(want));
    }
    assert_eq!(byte(255.5.into(), &TORCH.set), Ok(255));
    for v in [Scalar::Int(-256), Scalar::Int(256), Scalar::Float(-0.5), Scalar::Float(-1.0), Scalar::Float(f64::NAN)] {
        assert_eq!(byte(v, &TORCH.set), Err(Kind::Value), "{v:?}");
    }
    assert_eq!(byte(300.into(), &NUMPY.set), Err(Kind::Value));
    assert_eq!(byte((-1).into(), &NUMPY.set), Err(Kind::Value));
    assert_eq!((byte(300.into(), &MINDSPORE.set), byte((-1).into(), &JAX.set)), (Ok(44), Ok(255)));
    // Tensors are cast, never refused.
    for (v, want) in [(300.0f32, 44), (-1.5, 255), (f32::NAN, 0)] {
        let x = vector(&[0u8]);
        x.index_set_(&ix![0], &Tensor::from_slice(&[v], &[]).unwrap(), &TORCH.set).unwrap();
        assert_eq!(x.to_vec::<u8>().unwrap(), [want]);
    }
    // One half float saturates where several are refused.
    let half = Tensor::zeroed(&[2, 3], DType::F16).unwrap();
    half.index_set_(&ix![0, 0], 1e6, &TORCH.set).unwrap();
    assert_eq!(half.to_vec::<f16>().unwrap()[0], f16::INFINITY);
    assert_eq!(half.index_set_(&ix![0], 1e6, &TORCH.set).unwrap_err().kind(), Kind::Value);
    // The check runs even if nothing would be written.
    let none = [false; 3];
    assert_eq!(refused(&vector(&[0u8, 0, 0]), &ix![&none], 300, &TORCH.set), Kind::Value);
}

#[test]
fn torch_decides_by_what_is_indexed() {
    let mask = [true, false, true];
    let x = || vector(&[0i64, 0, 0]);
    let f = |v: f32| vector(&[v]);
    assert_eq!(set(&x(), &ix![&mask], &f(5.5), &TORCH.set), [5, 0, 5]);
    assert_eq!(refused(&x(), &ix![&[0i64]], &f(5.5), &TORCH.set), Kind::DType);
    assert_eq!(set(&x(), &ix![..2], &f(5.5), &TORCH.set), [5, 5, 0]);
    assert_eq!(set(&x(), &ix![true], &f(5.5), &TORCH.set), [5, 5, 5]);
    assert_eq!(refused(&x(), &ix![&mask], &vector(&[1.0f32, 2.0]), &TORCH.set), Kind::DType);
    assert_eq!(set(&x(), &ix![&[0i64]], &f(5.5), &NUMPY.set), [5, 0, 0]);
    assert_eq!(refused(&vector(&[0u8, 0, 0]), &ix![&mask], &vector(&[300i64]), &TORCH.set), Kind::Value);
    let bytes = [2u8, 0, 255];
    assert_eq!(refused(&x(), &ix![&bytes], 5, &TORCH.set), Kind::DType);
    assert_eq!(set(&x(), &ix![&bytes], &vector(&[7i64, 8]), &TORCH.set), [7, 0, 8]);
    assert_eq!(refused(&x(), &ix![&[0i64]], Scalar::Complex(0.0, 1.0), &TORCH.set), Kind::DType);
    assert_eq!(refused(&x(), &ix![0], Scalar::Complex(0.0, 1.0), &TORCH.set), Kind::Value);
    assert_eq!(set(&x(), &ix![0], Scalar::Complex(3.0, 0.0), &TORCH.set), [3, 0, 0]);
    let small = vector(&[1u16, 2]);
    assert_eq!(refused(&small, &ix![&[0i64]], 3, &TORCH.set), Kind::DType);
    assert_eq!(set(&small, &ix![0], 3, &TORCH.set), [3, 2]);
}

#[test]
fn values_broadcast_to_the_shape_of_the_read() {
    let x = Tensor::zeroed(&[2, 3, 2], DType::I64).unwrap();
    let got = set(&x, &ix![&[0i64, 1], .., &[0i64, 1]], &arange(&[2, 3]), &TORCH.set);
    assert_eq!(got, [0, 0, 1, 0, 2, 0, 0, 3, 0, 4, 0, 5]);
    let x = arange(&[2, 3]);
    assert_eq!(
        set(&x, &ix![.., &[0i64, 2]], &Tensor::from_slice(&[7i64, 8], &[1, 1, 2, 1]).unwrap(), &TORCH.set),
        [7, 1, 7, 8, 4, 8]
    );
    assert_eq!(refused(&x, &ix![0], &vector(&[1i64, 2]), &TORCH.set), Kind::Shape);
    assert_eq!(refused(&x, &ix![0, 0..0], &vector(&[1i64, 2]), &TORCH.set), Kind::Shape);
    assert_eq!(refused(&x, &ix![&[0i64, 1]], &vector(&[1i64, 2]), &TORCH.set), Kind::Shape);
    assert_eq!(refused(&x, &ix![&[false, false]], &vector(&[1i64, 2]), &TORCH.set), Kind::Shape);
    assert_eq!(refused(&x, &ix![0], &arange(&[1, 1, 3]), &JAX.set), Kind::Shape);
    assert_eq!(refused(&x, &ix![0, 0], &vector(&[1i64]), &NUMPY.set), Kind::Shape);
    let all = Tensor::from_slice(&[true; 6], &[2, 3]).unwrap();
    assert_eq!(refused(&x, &ix![&all], &arange(&[1, 6]), &NUMPY.set), Kind::Shape);
    assert_eq!(refused(&x, &ix![&all], &arange(&[4]), &NUMPY.set), Kind::Shape);
    assert_eq!(set(&x, &ix![&all], &arange(&[1, 6]), &TORCH.set), [0, 1, 2, 3, 4, 5]);
    let zero = Tensor::from_slice(&[5i64], &[]).unwrap();
    for items in [&ix![][..], &ix![...], &ix![()], &ix![true]] {
        set(&zero, &ix![], 5, &TORCH.set);
        assert_eq!(set(&zero, items, 6, &TORCH.set), [6], "{items:?}");
    }
    assert_eq!(refused(&zero, &ix![0], 6, &TORCH.set), Kind::Shape);
}

#[test]
fn false_writes_nothing() {
    let x = vector(&[1i64, 2, 3]);
    let wrong = vector(&[1i64, 2]);
    assert_eq!(set(&x, &ix![false], &wrong, &TORCH.set), [1, 2, 3]);
    assert_eq!(set(&x, &ix![false], 9, &NUMPY.set), [1, 2, 3]);
    assert_eq!(refused(&x, &ix![false], &wrong, &NUMPY.set), Kind::Shape);
    assert_eq!(refused(&x, &ix![false], 9, &MINDSPORE.set), Kind::Argument);
}

#[test]
fn overlap_is_refused_or_copied() {
    let shifted = |d: &Rules| {
        let x = arange(&[6]);
        let part = x.slice(0, ..5).unwrap();
        x.index_set_(&ix![1..], &part, d).map(|()| x.to_vec::<i64>().unwrap()).map_err(|e| e.kind())
    };
    assert_eq!(shifted(&TORCH.set), Err(Kind::Overlap));
    assert_eq!(shifted(&NUMPY.set), Ok(vec![0, 0, 1, 2, 3, 4]));
    let x = arange(&[6]);
    assert_eq!(set(&x, &ix![2..4], &x.slice(0, 2..4).unwrap(), &TORCH.set), [0, 1, 2, 3, 4, 5]);
    // Undetected by torch (it smears); here the source is read as it was.
    assert_eq!(set(&x, &ix![step(.., 2)], &x.slice(0, ..3).unwrap(), &TORCH.set), [0, 1, 1, 3, 2, 5]);
    let x = arange(&[4]);
    assert_eq!(set(&x, &ix![step(.., -1)], &x, &NUMPY.set), [3, 2, 1, 0]);
    let x = vector(&[2i64, 0, 1]);
    assert_eq!(refused(&x, &ix![&x], 5, &TORCH.set), Kind::Overlap);
    assert_eq!(set(&x, &ix![&x], &vector(&[7i64, 8, 9]), &NUMPY.set), [8, 9, 7]);
    let m = vector(&[true, false, true]);
    m.index_set_(&ix![&m], false, &TORCH.set).unwrap();
    assert_eq!(m.to_vec::<bool>().unwrap(), [false; 3]);
    let wide = vector(&[1i64]).expand(&[3]).unwrap();
    assert_eq!(refused(&wide, &ix![0..2], 5, &TORCH.set), Kind::Overlap);
    assert_eq!(refused(&wide, &ix![&[0i64]], 5, &TORCH.set), Kind::Overlap);
}

#[test]
fn the_rules_of_every_library_write_all_or_nothing() {
    let bad = vector(&[0i64, 1, 9, 2]);
    for d in [&TORCH.set, &NUMPY.set, &MINDSPORE.set] {
        assert_eq!(refused(&arange(&[4]), &ix![&bad], &vector(&[1i64, 2, 3, 4]), d), Kind::OutOfRange);
        assert_eq!(refused(&arange(&[4]), &ix![&bad], 5, d), Kind::OutOfRange);
    }
    // Where nothing is written, PyTorch looks at no position.
    assert_eq!(set(&Tensor::zeroed(&[3, 0], DType::I64).unwrap(), &ix![&[7i64]], 1, &TORCH.set), []);
}

#[test]
fn duplicates_are_refused_or_the_last_one_stays() {
    let strict = Rules { duplicates: Duplicates::Error, ..TORCH.set };
    assert_eq!(refused(&arange(&[3]), &ix![&[0i64, 2, 0]], &arange(&[3]), &strict), Kind::Duplicate);
    assert_eq!(set(&arange(&[3]), &ix![&[0i64, 0, 1]], &vector(&[7i64, 8, 9]), &TORCH.set), [8, 9, 2]);
}

#[test]
fn accumulation_goes_in_index_order() {
    let x = vector(&[0i64, 0, 0]);
    x.index_accumulate_(&ix![&[0i64, 0, 2]], 1, Reduce::Sum, &NUMPY.index_add).unwrap();
    assert_eq!(x.to_vec::<i64>().unwrap(), [2, 0, 1]);
    x.index_accumulate_(&ix![1..], &vector(&[5i64, -5]), Reduce::Max, &NUMPY.index_reduce).unwrap();
    assert_eq!(x.to_vec::<i64>().unwrap(), [2, 5, 1]);
    x.index_accumulate_(&ix![&[true, false, true]], 10, Reduce::Prod, &JAX.index_reduce).unwrap();
    assert_eq!(x.to_vec::<i64>().unwrap(), [20, 5, 10]);
    let half = Tensor::zeroed(&[1], DType::F16).unwrap();
    let source = vector(&[2048.0f32, 1.0, 1.0, 1.0, 1.0]).to(DType::F16).unwrap();
    half.index_put_(&ix![&[0i64; 5]], &source, true, &TORCH.index_put).unwrap();
    assert_eq!(half.to_vec::<f16>().unwrap(), [f16::from_f32(2048.0)]);
    let bools = vector(&[false, true]);
    bools.index_put_(&ix![&[0i64, 1, 0]], &vector(&[false, false, true]), true, &TORCH.index_put).unwrap();
    assert_eq!(bools.to_vec::<bool>().unwrap(), [true, true]);
}

#[test]
fn index_put_keeps_to_its_own_rules() {
    let x = arange(&[2, 3]);
    assert_eq!(x.index_put_(&ix![], &vector(&[1i64]), false, &TORCH.index_put).unwrap_err().kind(), Kind::Shape);
    let many = ix![&[0i64], &[0i64], &[0i64]];
    assert_eq!(x.index_put_(&many, &vector(&[1i64]), false, &TORCH.index_put).unwrap_err().kind(), Kind::Shape);
    let leading = Tensor::from_slice(&[1i64], &[1, 1]).unwrap();
    let two = ix![&[0i64], &[0i64]];
    assert_eq!(x.index_put_(&two, &leading, false, &TORCH.index_put).unwrap_err().kind(), Kind::Shape);
    let (a, b) = (Tensor::from_slice(&[1i64], &[]).unwrap(), Tensor::from_slice(&[2i64], &[]).unwrap());
    let got = x.index_put(&ix![&a, &b], &vector(&[9i64]).reshape(&[]).unwrap(), false, &TORCH.index_put).unwrap();
    assert_eq!(got.to_vec::<i64>().unwrap(), [0, 1, 2, 3, 4, 9]);
    assert_eq!(x.to_vec::<i64>().unwrap(), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn jax_drops_what_lies_outside() {
    let x = arange(&[5]);
    assert_eq!(set(&x, &ix![&[0i64, 5, -1, -6]], 9, &JAX.set), [9, 1, 2, 3, 9]);
    assert_eq!(set(&x, &ix![7], 0, &JAX.set), [9, 1, 2, 3, 9]);
    let m = arange(&[2, 2]);
    assert_eq!(set(&m, &ix![.., 5], 9, &JAX.set), [0, 1, 2, 3]);
    assert_eq!(set(&m, &ix![&[0i64, 3], 1], &vector(&[7.9f64, 8.0]), &JAX.set), [0, 7, 2, 3]);
    let lax = Rules { overlap: Overlap::CopyInput, ..JAX.set };
    assert_eq!(set(&m, &ix![&m.slice(0, ..1).unwrap()], 4, &lax), [4, 4, 2, 3]);
}

#[test]
fn writing_through_views_reaches_the_base() {
    let x = arange(&[2, 3]);
    let t = x.t().unwrap();
    set(&t, &ix![&[2i64, 0], 1], &vector(&[7i64, 8]), &TORCH.set);
    assert_eq!(x.to_vec::<i64>().unwrap(), [0, 1, 2, 8, 4, 7]);
    let mask = Tensor::from_slice(&[true, false, false, true, true, false], &[3, 2]).unwrap();
    set(&t, &ix![&mask], &vector(&[10i64, 11, 12]), &TORCH.set);
    assert_eq!(x.to_vec::<i64>().unwrap(), [10, 1, 12, 8, 11, 7]);
}

#[test]
fn numpy_does_not_look_at_mask_axes_of_extent_0() {
    let x = arange(&[2, 3]);
    let (none, rows) = (Tensor::zeros(&[0], DType::Bool).unwrap(), Tensor::zeros(&[0, 3], DType::Bool).unwrap());
    assert_eq!(x.index(&ix![.., &none], &NUMPY.get).unwrap().shape(), [2, 0]);
    assert_eq!(x.index(&ix![&rows], &NUMPY.get).unwrap().shape(), [0]);
    assert_eq!(set(&x, &ix![&rows], 9, &NUMPY.set), [0, 1, 2, 3, 4, 5]);
    assert_eq!(x.index(&ix![&none, 0], &NUMPY.get).unwrap().shape(), [0]);
    let far = Tensor::zeros(&[0, 5], DType::Bool).unwrap();
    assert_eq!(x.index(&ix![&far], &NUMPY.get).unwrap_err().kind(), Kind::Shape);
    assert_eq!(x.index(&ix![&none], &TORCH.get).unwrap_err().kind(), Kind::Shape);
}

#[test]
fn a_fill_of_an_empty_axis_looks_at_values_only_where_it_would_have_places() {
    let far = vector(&[2i64, -7]);
    let (x, y) = (arange(&[1, 0]), arange(&[0, 0]));
    assert_eq!(refused(&x, &ix![.., &far], 9, &TORCH.set), Kind::Shape);
    assert!(set(&x, &ix![0..0, &far], 9, &TORCH.set).is_empty());
    // A bool or a mask beside it is an index array of its own, and torch stores without filling; an array without axes is none.
    assert_eq!(refused(&x, &ix![0..0, true, &far], 9, &TORCH.set), Kind::Shape);
    let wide = arange(&[0, 4, 0]);
    assert_eq!(refused(&wide, &ix![&far, &[false, true, false, false], 0..0], 9, &TORCH.set), Kind::Shape);
    let first = Tensor::scalar(0i64).unwrap();
    assert!(set(&arange(&[1, 0, 3]), &ix![&first, &far, 0..0], 9, &TORCH.set).is_empty());
    assert!(set(&y, &ix![&far], 9, &TORCH.set).is_empty());
    // A tensor is stored, not filled in; and NumPy looks at every value.
    assert_eq!(refused(&y, &ix![&far], &vector(&[9i64]), &TORCH.set), Kind::Shape);
    assert_eq!(refused(&y, &ix![&far], 9, &NUMPY.set), Kind::OutOfRange);
}
