//! Numbers in the other byte order, and dtypes the engine has no arithmetic for.

use takewise::index::rules::{Fill, Outside};
use takewise::internal::convert::convert_into;
use takewise::internal::number::{element_scalar, scalar_bytes};
use takewise::op::Op;
use takewise::ops::{self, Search};
use takewise::tensor::cast;
use takewise::{DType, Kind, Reduce, Rules, Scalar, Tensor, View};

const R: Rules = Rules::NEUTRAL;
const WIDE: [DType; 12] = [
    DType::U16,
    DType::U32,
    DType::U64,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::F16,
    DType::BF16,
    DType::F32,
    DType::F64,
    DType::C64,
    DType::C128,
];

/// The numbers of a list in a dtype.
fn of(numbers: &[i64], dtype: DType) -> Tensor {
    let whole = Tensor::from_slice(numbers, &[numbers.len()]).unwrap();
    let open = whole.read_any().unwrap();
    cast(&open.view(), dtype, R.conversion).unwrap()
}

/// The elements as numbers.
fn numbers(t: &Tensor) -> Vec<i64> {
    let open = t.read_any().unwrap();
    let wide = cast(&open.view(), DType::I64, R.conversion).unwrap();
    wide.to_vec().unwrap()
}

/// A dtype that only another library knows.
fn stranger(name: &str) -> DType {
    DType::foreign(name, 8).unwrap()
}

/// Elements of such a dtype, by their bytes.
fn strange(dtype: DType, bits: &[i64]) -> Tensor {
    let t = Tensor::zeroed(&[bits.len()], dtype).unwrap();
    assert_eq!(t.dtype().size(), 8);
    let mut access = takewise::ops::Access::begin(Op::Where, &[], Some(&t), R.overlap, R.words).unwrap();
    let (_, view) = access.split();
    let raw = view.as_view().as_ptr().cast_mut();
    let bytes: Vec<u8> = bits.iter().flat_map(|b| b.to_ne_bytes()).collect();
    // SAFETY: as many bytes as the tensor has, which is written by nobody else.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), raw, bytes.len()) };
    drop(access);
    t
}

#[test]
fn every_dtype_of_several_bytes_has_a_swapped_form() {
    for dtype in WIDE {
        let swapped = dtype.swapped();
        assert!(swapped != dtype && swapped.size() == dtype.size(), "{dtype:?}");
        assert_eq!((swapped.native(), swapped.swapped()), (dtype, dtype));
        assert_eq!(swapped.is_integer(), dtype.is_integer());
        assert_eq!(swapped.is_float(), dtype.is_float());
        assert_eq!(swapped.is_complex(), dtype.is_complex());
        assert!(!swapped.is_foreign() && swapped.name() != "record");
    }
    for dtype in [DType::Bool, DType::U8, DType::I8] {
        assert_eq!(dtype.swapped(), dtype);
    }
}

#[test]
fn swapped_numbers_are_cast_from_and_to_every_dtype() {
    let given = [1, 2, 100, 7];
    for from in WIDE {
        for to in WIDE.into_iter().chain([DType::I8, DType::U8]) {
            for (from, to) in [(from.swapped(), to), (from, to.swapped()), (from.swapped(), to.swapped())] {
                let x = of(&given, from);
                let open = x.read_any().unwrap();
                let y = cast(&open.view(), to, R.conversion).unwrap();
                assert_eq!((y.dtype(), numbers(&y)), (to, given.to_vec()), "{from:?} to {to:?}");
            }
        }
    }
    // More elements than are turned at a time, side by side and not.
    let many: Vec<i64> = (0..1000).collect();
    let x = of(&many, DType::I32.swapped());
    assert_eq!(numbers(&x), many);
    let back = x.flip(&[0]).unwrap();
    assert_eq!(numbers(&back), many.iter().rev().copied().collect::<Vec<_>>());
}

#[test]
fn the_bytes_of_a_swapped_number_are_reversed() {
    let big = scalar_bytes(Op::Where, Scalar::Int(0x0102), DType::U16.swapped(), R.conversion, R.words).unwrap();
    let own = scalar_bytes(Op::Where, Scalar::Int(0x0102), DType::U16, R.conversion, R.words).unwrap();
    assert_eq!((big[0], big[1]), (own[1], own[0]));
    let z = Scalar::Complex(1.5, -2.5);
    for dtype in [DType::C64, DType::C128] {
        let bytes = scalar_bytes(Op::Where, z, dtype.swapped(), R.conversion, R.words).unwrap();
        assert_eq!(element_scalar(&bytes, dtype.swapped()), Some(z));
        let own = scalar_bytes(Op::Where, z, dtype, R.conversion, R.words).unwrap();
        let half = dtype.size() / 2;
        let turned: Vec<u8> = own[..half].iter().rev().chain(own[half..2 * half].iter().rev()).copied().collect();
        assert_eq!(bytes[..dtype.size()], turned[..]);
    }
}

#[test]
fn swapped_index_arrays_are_read_in_place_by_every_road() {
    let n = 40_000;
    let table: Vec<i64> = (0..n).map(|k| k * 3).collect();
    let x = Tensor::from_slice(&table, &[n as usize]).unwrap();
    for dtype in [DType::U16, DType::U32, DType::U64, DType::I16, DType::I32, DType::I64] {
        for count in [1, 3, 17, 600, 20_000] {
            let places: Vec<i64> = (0..count).map(|k| (k * 7919) % 30_000).collect();
            let want: Vec<i64> = places.iter().map(|p| p * 3).collect();
            let index = of(&places, dtype.swapped());
            assert_eq!(x.take(&index, &R).unwrap().to_vec::<i64>().unwrap(), want, "{dtype:?} {count}");
            for outside in [Outside::Clip, Outside::Wrap, Outside::Fill] {
                let rules = Rules { outside, ..R };
                assert_eq!(x.take(&index, &rules).unwrap().to_vec::<i64>().unwrap(), want);
            }
            let (got, plain) = (Tensor::zeroed(&[30_000], DType::I64), Tensor::zeroed(&[30_000], DType::I64));
            let (got, plain) = (got.unwrap(), plain.unwrap());
            let values = of(&(0..count).collect::<Vec<_>>(), DType::I64);
            got.scatter_(0, &index, &values, None, &R).unwrap();
            plain.scatter_(0, &of(&places, DType::I64), &values, None, &R).unwrap();
            assert_eq!(got.to_vec::<i64>().unwrap(), plain.to_vec::<i64>().unwrap());
            got.scatter_add_(0, &index, &values, &R).unwrap();
            plain.scatter_add_(0, &of(&places, DType::I64), &values, &R).unwrap();
            assert_eq!(got.to_vec::<i64>().unwrap(), plain.to_vec::<i64>().unwrap());
        }
    }
    // Few places, many positions: the road that marks the last of each place.
    let many: Vec<i64> = (0..100_000).map(|k| k % 50).collect();
    let few = Tensor::zeroed(&[50], DType::I64).unwrap();
    few.scatter_(0, &of(&many, DType::I32.swapped()), &of(&(0..100_000).collect::<Vec<_>>(), DType::I64), None, &R)
        .unwrap();
    assert_eq!(few.to_vec::<i64>().unwrap(), (99_950..100_000).collect::<Vec<_>>());
}

#[test]
fn a_bad_value_in_a_swapped_index_is_named_as_it_is() {
    let x = Tensor::from_slice(&[1i64, 2, 3], &[3]).unwrap();
    for (dtype, bad) in [(DType::I16, -300), (DType::U32, 70_000), (DType::I64, 1 << 40)] {
        let error = x.take(&of(&[0, bad, 1], dtype.swapped()), &R).unwrap_err();
        assert_eq!(error.kind(), Kind::OutOfRange);
        assert!(error.to_string().contains(&bad.to_string()), "{error}");
    }
}

#[test]
fn values_and_numbers_are_stored_in_swapped_arrays() {
    let x = of(&[1, 2, 3, 4], DType::F64.swapped());
    let index = of(&[2, 0], DType::I64);
    // The rules ask for one dtype; byte order is no difference between numbers.
    x.scatter_(0, &index, &of(&[30, 10], DType::F64), None, &R).unwrap();
    assert_eq!(numbers(&x), [10, 2, 30, 4]);
    assert_eq!(x.scatter_(0, &index, &of(&[1, 1], DType::F32), None, &R).unwrap_err().kind(), Kind::DType);
    x.index_fill_(0, &index, 7.0, &R).unwrap();
    assert_eq!(numbers(&x), [7, 2, 7, 4]);
    let fill = Rules { outside: Outside::Fill, fill: Some(5.into()), ..R };
    let got = x.take(&of(&[1, 9], DType::I64), &fill).unwrap();
    assert_eq!((got.dtype(), numbers(&got)), (DType::F64.swapped(), vec![2, 5]));
    let missing = Rules { outside: Outside::Fill, ..R };
    let got = of(&[1, 2], DType::I32.swapped()).take(&of(&[9], DType::I64), &missing).unwrap();
    assert_eq!(numbers(&got), [i64::from(i32::MIN)]);
}

#[test]
fn swapped_numbers_are_searched_sorted_and_looked_at() {
    for dtype in [DType::I32, DType::F64, DType::F16, DType::U64] {
        let s = of(&[1, 3, 5, 7], dtype.swapped());
        let v = of(&[4, 1, 9], DType::F32.swapped());
        let (a, b) = (s.read_any().unwrap(), v.read_any().unwrap());
        let at = ops::searchsorted(a.view(), b.view(), &Search::default(), &R).unwrap();
        assert_eq!(at.to_vec::<i64>().unwrap(), [2, 0, 4], "{dtype:?}");
        let x = of(&[3, 0, 7, 0, 1], dtype.swapped());
        let open = x.read_any().unwrap();
        assert_eq!(ops::nonzero(open.view(), &R).unwrap().to_vec::<i64>().unwrap(), [0, 2, 4]);
        let (sorted, order) = ops::sort(open.view(), 0, false, true, &R).unwrap();
        assert_eq!((sorted.dtype(), numbers(&sorted)), (dtype.swapped(), vec![0, 0, 1, 3, 7]));
        assert_eq!(order.to_vec::<i64>().unwrap(), [1, 3, 4, 0, 2]);
    }
    let zero = of(&[0], DType::F64.swapped());
    let minus = scalar_bytes(Op::Where, (-0.0).into(), DType::F64.swapped(), R.conversion, R.words).unwrap();
    assert_eq!(element_scalar(&minus, DType::F64.swapped()), Some(Scalar::Float(-0.0)));
    assert_eq!(ops::count_true(&[true, false]), 1);
    assert_eq!(ops::nonzero(zero.read_any().unwrap().view(), &R).unwrap().numel(), 0);
}

#[test]
fn bytes_of_one_foreign_dtype_are_never_another() {
    let (days, seconds) = (stranger("test days"), stranger("test seconds"));
    assert!(days != seconds && days == stranger("test days") && days.is_foreign());
    assert_eq!(days.name(), "test days");
    assert_eq!(takewise::foreign::full_name(days), Some("test days"));
    let (x, y) = (strange(days, &[1, 2, 3]), strange(seconds, &[7, 8]));
    let index = of(&[0, 2], DType::I64);
    let casts = Rules { same_dtype: false, ..R };
    for rules in [&R, &casts] {
        for refused in [
            x.scatter_(0, &index, &y, None, rules),
            x.put_(&index, &y, false, rules),
            x.index_copy_(0, &index, &y, rules),
            x.scatter_(0, &index, &of(&[1, 2], DType::I64), None, rules),
        ] {
            let error = refused.unwrap_err();
            assert_eq!(error.kind(), Kind::DType);
            assert!(error.to_string().contains("test days") && !error.to_string().contains("record"), "{error}");
        }
    }
    let mut out = Tensor::zeroed(&[3], seconds).unwrap();
    assert!(x.take_out(&of(&[0, 1, 2], DType::I64), &mut out, &R).is_err());
    // The same dtype moves, bit by bit.
    x.scatter_(0, &index, &strange(days, &[70, 80]), None, &R).unwrap();
    let moved = x.take(&of(&[2, 1, 0], DType::I64), &R).unwrap();
    assert_eq!(moved.dtype(), days);
    let same = strange(days, &[80, 2, 70]);
    let (a, b) = (moved.read_any().unwrap(), same.read_any().unwrap());
    for k in 0..3 {
        assert_eq!(a.view().bytes_at(&[k]), b.view().bytes_at(&[k]));
    }
}

#[test]
fn what_needs_a_meaning_is_refused_by_name() {
    let days = stranger("test days");
    let x = strange(days, &[1, 2, 3]);
    let (index, values) = (of(&[0, 1], DType::I64), strange(days, &[7, 8]));
    let named = |error: takewise::Error| {
        assert_eq!(error.kind(), Kind::DType, "{error}");
        assert!(error.to_string().contains("test days"), "{error}");
    };
    named(x.scatter_add_(0, &index, &values, &R).unwrap_err());
    for how in [Reduce::Sum, Reduce::Prod, Reduce::Max, Reduce::Min, Reduce::Mean] {
        named(x.scatter_(0, &index, &values, Some(how), &R).unwrap_err());
        named(x.index_reduce_(0, &index, &values, how, true, &R).unwrap_err());
    }
    named(x.put_(&index, &values, true, &R).unwrap_err());
    named(x.nonzero(&R).unwrap_err());
    let open = x.read_any().unwrap();
    named(ops::sort(open.view(), 0, false, true, &R).unwrap_err());
    named(ops::searchsorted(open.view(), open.view(), &Search::default(), &R).unwrap_err());
    named(convert_into(&open.view(), &mut takewise::ViewMut::from(&mut [0i64; 3][..]).into()).unwrap_err());
    assert_eq!(element_scalar(&[0; 16], days), None);
    drop(open);
    let untouched = strange(days, &[1, 2, 3]);
    let (a, b) = (x.read_any().unwrap(), untouched.read_any().unwrap());
    assert!((0..3).all(|k| a.view().bytes_at(&[k]) == b.view().bytes_at(&[k])));
}

#[test]
fn gaps_are_filled_by_an_element_of_the_dtype_alone() {
    let (days, seconds) = (stranger("test days"), stranger("test seconds"));
    let mut element = [0; 16];
    element[..8].copy_from_slice(&(-1i64).to_ne_bytes());
    let x = strange(days, &[1, 2]);
    let index = View::from(&[1i64, 5][..]);
    let open = x.read_any().unwrap();
    let fill = |dtype| Rules { outside: Outside::Fill, fill: Some(Fill::Element(element, dtype)), ..R };
    let got = ops::take(open.view(), &index, &fill(days)).unwrap();
    let want = strange(days, &[2, -1]);
    let (a, b) = (got.read_any().unwrap(), want.read_any().unwrap());
    assert!((0..2).all(|k| a.view().bytes_at(&[k]) == b.view().bytes_at(&[k])));
    assert_eq!(ops::take(open.view(), &index, &fill(seconds)).unwrap_err().kind(), Kind::DType);
}
