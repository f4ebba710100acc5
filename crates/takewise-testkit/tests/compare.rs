//! Comparisons and connectives, by the rules of the libraries.

use takewise::ops::compare::{CompareRules, Relation, compare, compare_scalar, logical_not};
use takewise::{Result, Tensor, View};

fn bools(t: Result<Tensor>) -> Vec<bool> {
    t.unwrap().to_vec().unwrap()
}

#[test]
fn numbers_are_narrowed_by_torch_and_not_by_numpy() {
    let x = [0u8, 1, 255];
    let x = View::from(&x[..]).any();
    let at = |rules: &CompareRules, v: i64| bools(compare_scalar(&x, v.into(), Relation::Gt, rules));
    assert_eq!(at(&CompareRules::BY_KIND, -1), [false, false, false]);
    assert_eq!(at(&CompareRules::BY_VALUE, -1), [true, true, true]);
    assert_eq!(at(&CompareRules::BY_VALUE, 300), [false, false, false]);
}

#[test]
fn integers_of_both_signs() {
    let (s, u) = ([-1i64, 5, i64::MAX], [u64::MAX, 5, i64::MAX as u64 + 1]);
    let (s, u) = (View::from(&s[..]).any(), View::from(&u[..]).any());
    assert_eq!(bools(compare(&s, &u, Relation::Lt, &CompareRules::BY_VALUE)), [true, false, true]);
    assert_eq!(bools(compare(&u, &s, Relation::Eq, &CompareRules::BY_VALUE)), [false, true, false]);
    let e = compare(&s, &u, Relation::Lt, &CompareRules::BY_KIND).err().unwrap();
    assert_eq!(e.kind(), takewise::Kind::DType);
}

#[test]
fn lossy_common_dtype_broadcast_and_nan() {
    let (a, b) = ([(1i64 << 24) + 1, 3], [16777216f32, f32::NAN, 3.0]);
    let a = View::new(&a, &[2, 1]).unwrap().any();
    let b = View::from(&b[..]).any();
    let t = compare(&a, &b, Relation::Eq, &CompareRules::BY_KIND).unwrap();
    assert_eq!((t.shape(), t.to_vec::<bool>().unwrap()), (&[2, 3][..], vec![true, false, false, false, false, true]));
    assert_eq!(bools(compare(&b, &b, Relation::Ne, &CompareRules::BY_KIND)), [false, true, false]);
}

#[test]
fn connectives_ask_for_not_zero() {
    let (a, b) = ([0.0f32, 0.5, f32::NAN, 2.0], [1u8, 0, 2, 3]);
    let (a, b) = (View::from(&a[..]).any(), View::from(&b[..]).any());
    assert_eq!(bools(compare(&a, &b, Relation::And, &CompareRules::BY_KIND)), [false, false, true, true]);
    assert_eq!(bools(compare(&a, &b, Relation::Xor, &CompareRules::BY_KIND)), [true, true, false, false]);
    assert_eq!(bools(logical_not(&a, &CompareRules::BY_KIND)), [true, false, false, false]);
}

#[test]
fn complex_order_is_numpys_alone() {
    let a = [takewise::Complex::new(1.0f32, 2.0), takewise::Complex::new(1.0, -2.0)];
    let a = View::from(&a[..]).any();
    assert!(compare_scalar(&a, 1.into(), Relation::Lt, &CompareRules::BY_KIND).is_err());
    assert_eq!(bools(compare_scalar(&a, 1.into(), Relation::Lt, &CompareRules::BY_VALUE)), [false, true]);
}
