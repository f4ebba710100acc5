//! The oracle against values measured from the libraries: if these fail, no other test means anything.

use takewise::index::rules::*;
use takewise::{DType, Kind, Slice};
use takewise_testkit::num::{Num, Reduce, fold};
use takewise_testkit::oracle::*;
use takewise_testkit::{Arr, numel};

fn torch() -> Rules {
    Rules {
        lone_int: LoneInt::SelectsFirst,
        ellipsis_splits: false,
        empty: Empty::Forgives,
        negative_step: false,
        byte_masks: true,
        ..Rules::NEUTRAL
    }
}

fn strict() -> Rules {
    Rules { sign: Sign::NonNegative, ..torch() }
}

fn i(v: &[i64]) -> Arr {
    Arr::ints(&[v.len()], DType::I64, v)
}

/// The text form of a subscript, for tests: `0`, `1:3`, `None`, `...`, `T`, `F`, `a` = [0,1], `b` = (3,1),
/// `e` = [], `z` = [0], `t` = 0-d 0, `m23`, `m34` = masks with two hits.
fn subs(text: &str) -> Vec<Sub> {
    let two = |shape: &[usize]| {
        let n = numel(shape);
        Sub::Array(Arr::mask(shape, &(0..n).map(|k| k == 0 || k == n - 1).collect::<Vec<_>>()))
    };
    let one = |s: &str| match s.trim() {
        "None" => Sub::New,
        "..." => Sub::Ellipsis,
        ":" => Sub::Range(Slice::ALL),
        "T" => Sub::Bool(true),
        "F" => Sub::Bool(false),
        "a" => Sub::Array(i(&[0, 1])),
        "b" => Sub::Array(Arr::ints(&[3, 1], DType::I64, &[0, 1, 0])),
        "e" => Sub::Array(i(&[])),
        "z" => Sub::Array(i(&[0])),
        "t" => Sub::Array(Arr::ints(&[], DType::I64, &[0])),
        "m2" => two(&[2]),
        "m3" => two(&[3]),
        "m23" => two(&[2, 3]),
        "m34" => two(&[3, 4]),
        n => Sub::Int(n.parse().unwrap()),
    };
    text.split(',').map(one).collect()
}

fn shape_of(x: &[usize], text: &str, rules: &Rules) -> Option<Vec<usize>> {
    subscript(x, &subs(text), rules).ok().map(|c| c.shape)
}

const X: &[usize] = &[2, 3, 4];
const Y: &[usize] = &[5, 6, 7, 8];

#[test]
fn torch_placement() {
    let cases: &[(&[usize], &str, &[usize])] = &[
        (X, "0,:,a", &[3, 2]),
        (X, ":,0,a", &[2, 2]),
        (X, "a,:,0", &[2, 3]),
        (Y, ":,0,:,a", &[5, 7, 2]),
        (Y, "0,:,a,0", &[6, 2]),
        (Y, "a,0,:,a", &[2, 7]),
        (Y, "a,:,a", &[2, 6, 8]),
        (Y, ":,a,:,a", &[2, 5, 7]),
        (Y, ":,a,a", &[5, 2, 8]),
        (Y, "a,...,a", &[2, 6, 7]),
        (Y, "...,a,a", &[5, 6, 2]),
        (Y, "a,b", &[3, 2, 7, 8]),
        (Y, ":,a,None,a", &[2, 5, 1, 8]),
        (Y, ":,a,None,0", &[5, 2, 1, 8]),
        (Y, "None,a,:,a", &[2, 1, 6, 8]),
        (Y, "t,:,a", &[6, 2, 8]),
        (Y, "z,:,a", &[2, 6, 8]),
        (Y, ":,a,t,a", &[5, 2]),
        (Y, ":,b", &[5, 3, 1, 7, 8]),
        (Y, "z,e", &[0, 7, 8]),
        (X, "T", &[1, 2, 3, 4]),
        (X, "F", &[0, 2, 3, 4]),
        (X, ":,T", &[2, 1, 3, 4]),
        (X, "0,T", &[1, 3, 4]),
        (X, "0,:,T", &[3, 1, 4]),
        (X, ":,0,T", &[2, 1, 4]),
        (X, "T,:,0", &[1, 2, 4]),
        (X, "T,0,:,0", &[1, 3]),
        (X, "T,:,T", &[1, 2, 3, 4]),
        (X, "T,a", &[2, 3, 4]),
        (X, ":,T,a", &[2, 2, 4]),
        (X, "T,:,a", &[2, 2, 4]),
        (X, "T,a,:,a", &[2, 3]),
        (X, "T,:,a,a", &[2, 2]),
        (X, "a,:,T", &[2, 3, 4]),
        (X, "F,z", &[0, 3, 4]),
        (X, "T,F", &[0, 2, 3, 4]),
        (X, "None,T", &[1, 1, 2, 3, 4]),
        (X, "0,0,0,T", &[1]),
        (&[], "T", &[1]),
        (&[], "None,T", &[1, 1]),
        (&[], "T,F", &[0]),
        (X, "m23", &[2, 4]),
        (X, "m23,0", &[2]),
        (X, "m23,a", &[2]),
        (X, "m2,m3", &[2, 4]),
        (X, "m2,:,a", &[2, 3]),
        (X, "0,m34", &[2]),
        (&[0, 3], ":,z", &[0, 1]),
        (&[2, 0], "z", &[1, 0]),
    ];
    for (x, text, want) in cases {
        assert_eq!(shape_of(x, text, &torch()).as_deref(), Some(*want), "{x:?}[{text}]");
    }
    for (x, text) in [(Y, "a,e"), (X, "F,a"), (&[][..], "z"), (&[0, 3], "z"), (X, "a,a,a,a")] {
        assert_eq!(shape_of(x, text, &torch()), None, "{x:?}[{text}]");
    }
    // Corner case 14: the value is not checked when the result is empty, unless the axis itself is.
    let five = [Sub::Range(Slice::ALL), Sub::Array(i(&[5]))];
    assert_eq!(subscript(&[0, 3], &five, &torch()).unwrap().shape, [0, 1]);
    assert!(subscript(&[0, 3], &five, &Rules::NEUTRAL).is_err());
}

#[test]
fn numpy_placement() {
    let cases: &[(&[usize], &str, &[usize])] = &[
        (X, "0,:,a", &[2, 3]),
        (Y, ":,0,:,a", &[2, 5, 7]),
        (Y, "0,:,a,0", &[2, 6]),
        (Y, "0,:,:,a", &[2, 6, 7]),
        (X, "0,:,T", &[1, 3, 4]),
        (&[5, 2, 3, 5], ":,a,...,a,a", &[2, 5]), // an ellipsis that stands for nothing still separates
        (&[5, 2, 3, 5], ":,a,a,a", &[5, 2]),
        (X, "a,0", &[2, 4]),
        (X, "0,0", &[4]),
        (X, "0,m34", &[2]),
    ];
    for (x, text, want) in cases {
        assert_eq!(shape_of(x, text, &Rules::NEUTRAL).as_deref(), Some(*want), "{x:?}[{text}]");
    }
}

#[test]
fn subscript_values() {
    let x = Arr::arange(&[2, 3, 4], DType::I64);
    let read = |s: &str, r: &Rules| subscript(&x.shape, &subs(s), r).unwrap().read(&x, r);
    assert_eq!(read("1,:,a", &torch()), Arr::ints(&[3, 2], DType::I64, &[12, 13, 16, 17, 20, 21]));
    assert_eq!(read("1,:,a", &Rules::NEUTRAL), Arr::ints(&[2, 3], DType::I64, &[12, 16, 20, 13, 17, 21]));
    assert_eq!(read("m23,-1", &torch()), i(&[3, 23]));
    let step = |a, b, c| Sub::Range(Slice { start: a, stop: b, step: c });
    let line = Arr::arange(&[5], DType::I64);
    for (s, want) in [
        (step(None, None, Some(-1)), vec![4, 3, 2, 1, 0]),
        (step(Some(-2), Some(-9), Some(-2)), vec![3, 1]),
        (step(Some(1), Some(100), Some(3)), vec![1, 4]),
        (step(Some(4), Some(1), None), vec![]),
        (step(None, Some(-6), Some(-1)), vec![4, 3, 2, 1, 0]),
    ] {
        assert_eq!(subscript(&[5], &[s], &Rules::NEUTRAL).unwrap().read(&line, &Rules::NEUTRAL), i(&want));
    }
    // Duplicates: the last wins, the first wins, or an error.
    let cells = subscript(&[3], &[Sub::Array(i(&[0, -3, 2]))], &torch()).unwrap();
    let zeros = i(&[0, 0, 0]);
    let values = i(&[1, 2, 3]).data;
    let store = |d| cells.store(&zeros, &values, &Rules { duplicates: d, ..torch() });
    assert_eq!(store(Duplicates::Last), Ok(i(&[2, 0, 3])));
    assert_eq!(store(Duplicates::First), Ok(i(&[1, 0, 3])));
    assert_eq!(store(Duplicates::Error), Err(Bad::Other(Kind::Duplicate)));
}

#[test]
fn out_of_range_facts() {
    let facts = |axis, position: Option<&[usize]>, value, len, bad| Facts {
        axis,
        position: position.map(<[usize]>::to_vec),
        value,
        len,
        bad,
    };
    let sub =
        [Sub::Range(Slice::ALL), Sub::Range(Slice::ALL), Sub::Array(Arr::ints(&[2, 2], DType::I32, &[0, 7, -5, 3]))];
    let want = facts(2, Some(&[0, 1]), 7, 4, 2);
    assert_eq!(subscript(X, &sub, &torch()), Err(Bad::OutOfRange(vec![want])));
    assert_eq!(subscript(X, &[Sub::Int(2)], &torch()), Err(Bad::OutOfRange(vec![facts(0, None, 2, 2, 1)])));
    let index = Arr::ints(&[2, 1], DType::I64, &[2, -1]);
    let want = facts(1, Some(&[1, 0]), -1, 3, 1);
    assert_eq!(along(&[2, 3], 1, &index, &strict()), Err(Bad::OutOfRange(vec![want])));
    let tuples = Arr::ints(&[2, 2], DType::I64, &[0, 2, 1, 3]);
    assert_eq!(nd(&[2, 3], &tuples, 0, &strict()), Err(Bad::OutOfRange(vec![facts(1, Some(&[1, 1]), 3, 3, 1)])));
}

#[test]
fn policies() {
    let at = |v: i128, sign, outside| place(v, 5, &Rules { sign, outside, ..Rules::NEUTRAL });
    use Outside::*;
    use Place::*;
    use Sign::*;
    assert_eq!(at(-1, FromEnd, Raise), At(4));
    assert_eq!(at(-1, NonNegative, Raise), Bad);
    assert_eq!(at(-6, FromEnd, Raise), Bad);
    assert_eq!(at(-1, NonNegative, Clip), At(0)); // NumPy: clip disables negatives
    assert_eq!(at(-1, FromEnd, Clip), At(4)); // JAX: wraps first
    assert_eq!(at(7, FromEnd, Clip), At(4));
    assert_eq!(at(7, NonNegative, Wrap), At(2));
    assert_eq!(at(-7, FromEnd, Wrap), At(3));
    assert_eq!(at(u64::MAX as i128, FromEnd, Raise), Bad);
    assert_eq!(at(u64::MAX as i128, FromEnd, Wrap), At((u64::MAX % 5) as usize));
    assert_eq!(at(5, FromEnd, Fill), Nowhere);
    assert_eq!(at(-5, FromEnd, Drop), At(0));
    // JAX's measured reads: A(5.)[[0,5,-1,-5,-6,100]] clamps; mode fill gives NaN.
    let x = Arr::of(&[5], DType::F32, &[0., 1., 2., 3., 4.]);
    let clip = Rules { outside: Clip, ..Rules::NEUTRAL };
    let sub = [Sub::Array(i(&[0, 5, -1, -5, -6, 100]))];
    let got = subscript(&[5], &sub, &clip).unwrap().read(&x, &clip);
    assert_eq!(got, Arr::of(&[6], DType::F32, &[0., 4., 4., 0., 0., 4.]));
    let fill = Rules { outside: Fill, ..Rules::NEUTRAL };
    let sub = [Sub::Array(i(&[0, 5, -1, -6]))];
    let got = subscript(&[5], &sub, &fill).unwrap().read(&x, &fill);
    assert!(got.num_at(1).is_nan() && got.num_at(3).is_nan() && got.num_at(2) == Num::Float(4.0));
    let got = subscript(&[5], &sub, &fill).unwrap().store(&x, &[Num::Float(9.0).encode(DType::F32); 4], &fill).unwrap();
    assert_eq!(got, Arr::of(&[5], DType::F32, &[9., 1., 2., 3., 9.])); // .at[[0,5,-1,-6]].set(9)
}

#[test]
fn gather_family() {
    let r = strict();
    let five = Arr::ints(&[], DType::I64, &[5]);
    assert_eq!(along(&[], 0, &i(&[0, 0, 0]), &r).unwrap().read(&five, &r), i(&[5, 5, 5]));
    let one = Arr::ints(&[], DType::I64, &[1]);
    assert_eq!(along(&[2], 0, &one, &r).unwrap().read(&i(&[5, 6]), &r), Arr::ints(&[], DType::I64, &[6]));
    assert_eq!(index_select(&[], 0, &i(&[0]), &r).unwrap().shape, [0usize; 0]);
    assert_eq!(index_select(&[], 0, &i(&[0, 0]), &r), Err(Bad::Other(Kind::Shape)));
    let x = Arr::ints(&[2, 2], DType::I64, &[1, 2, 3, 4]);
    let index = Arr::ints(&[2, 2], DType::I64, &[0, 0, 1, 0]);
    let read = |d| along(&[2, 2], d, &index, &r).unwrap().read(&x, &r);
    assert_eq!(read(1), Arr::ints(&[2, 2], DType::I64, &[1, 1, 4, 3]));
    assert_eq!(read(0), Arr::ints(&[2, 2], DType::I64, &[1, 2, 3, 2]));
    // take_along_dim wraps modulo the length: 7 -> 1, -7 -> 2 of 3.
    let modulo = Rules { outside: Outside::Wrap, ..torch() };
    let x = Arr::arange(&[2, 3], DType::I64);
    let index = Arr::ints(&[2, 1], DType::I64, &[7, -7]);
    assert_eq!(
        take_along(&[2, 3], 1, &index, &modulo).unwrap().read(&x, &modulo),
        Arr::ints(&[2, 1], DType::I64, &[1, 5])
    );
    // MindSpore: rows 3 and 1; gather(t([0,2,1]), 1, 1) = [1,7,10].
    let q = Arr::ints(&[3, 4], DType::I64, &(1..=12).collect::<Vec<_>>());
    let n = Rules::NEUTRAL;
    let rows = axis_batch(&[3, 4], 0, &i(&[-1, 0]), 0, &n).unwrap().read(&q, &n);
    assert_eq!(rows, Arr::ints(&[2, 4], DType::I64, &[9, 10, 11, 12, 1, 2, 3, 4]));
    assert_eq!(axis_batch(&[3, 4], 1, &i(&[0, 2, 1]), 1, &n).unwrap().read(&q, &n), i(&[1, 7, 10]));
    let tuples = Arr::ints(&[2, 2], DType::I64, &[0, 1, 2, 3]);
    assert_eq!(nd(&[3, 4], &tuples, 0, &n).unwrap().read(&q, &n), i(&[2, 12]));
    assert_eq!(nd(&[3, 4], &Arr::ints(&[1, 1], DType::I64, &[1]), 0, &n).unwrap().shape, [1, 4]);
    assert_eq!(nd(&[3, 4], &Arr::ints(&[3, 1], DType::I64, &[3, 2, 1]), 1, &n).unwrap().read(&q, &n), i(&[4, 7, 10]));
    assert_eq!(take(&[2, 3], &i(&[5, -6]), &n).unwrap().cell, [Some(5), Some(0)]);
}

#[test]
fn scatter_reduce_example() {
    let x = Arr::of(&[3], DType::F32, &[10., 20., 30.]);
    let src = Arr::of(&[3], DType::F32, &[1., 2., 3.]);
    let cells = along(&[3], 0, &i(&[0, 0, 2]), &strict()).unwrap();
    for (reduce, with, without) in [
        (Reduce::Sum, [13., 20., 33.], [3., 20., 3.]),
        (Reduce::Prod, [20., 20., 90.], [2., 20., 3.]),
        (Reduce::Mean, [4.333_333_5, 20., 16.5], [1.5, 20., 3.]),
        (Reduce::Amax, [10., 20., 30.], [2., 20., 3.]),
        (Reduce::Amin, [1., 20., 3.], [1., 20., 3.]),
    ] {
        let got = |own| cells.accumulate(&x, &Cells::nums(&src), reduce, own, &strict());
        assert_eq!(got(true), Ok(Arr::of(&[3], DType::F32, &with)), "{reduce:?}");
        assert_eq!(got(false), Ok(Arr::of(&[3], DType::F32, &without)), "{reduce:?} without self");
    }
}

#[test]
fn arithmetic() {
    let sum = |d: DType, w, v: &[f64]| {
        let v: Vec<Num> = v.iter().map(|&v| Num::Float(v).as_dtype(d)).collect();
        fold(v[0], &v[1..], Reduce::Sum, v.len(), d, w)
    };
    let many = [0.0, 2048.0, 1.0, 1.0, 1.0, 1.0];
    assert_eq!(sum(DType::F16, Width::Wide, &many), Num::Float(2052.0));
    assert_eq!(sum(DType::F16, Width::Native, &many), Num::Float(2048.0));
    let many = [0.0, 256.0, 1.0, 1.0, 1.0, 1.0];
    assert_eq!(sum(DType::BF16, Width::Wide, &many), Num::Float(260.0));
    assert_eq!(sum(DType::BF16, Width::Native, &many), Num::Float(256.0));
    let tenths = [&[0.0][..], &[0.1; 10]].concat();
    assert_eq!(sum(DType::F32, Width::Wide, &tenths), Num::Float(1.000_000_119_209_289_6));
    let mean = |d, v: &[i128], own: bool| {
        let v: Vec<Num> = v.iter().map(|&v| Num::Int(v)).collect();
        let start = if own { v[0] } else { Reduce::Mean.identity(d) };
        fold(start, &v[1..], Reduce::Mean, v.len() - !own as usize, d, Width::Wide)
    };
    assert_eq!(mean(DType::U8, &[200, 100], true), Num::Int(22));
    assert_eq!(mean(DType::I64, &[0, -1, -2], false), Num::Int(-2));
    assert_eq!(mean(DType::I64, &[-7, 1, 2], true), Num::Int(-2));
    assert_eq!(mean(DType::U8, &[7, 100, 200], true), Num::Int(17));
    assert_eq!(Num::Float(0.0).extreme(Num::Float(-0.0), false), Num::Float(0.0));
    assert!(Num::Float(1.0).extreme(Num::Float(f64::NAN), true).is_nan());
    assert!(Num::Float(f64::NAN).extreme(Num::Float(1.0), true).is_nan());
    assert_eq!(Num::Int(200).plus(Num::Int(100), DType::U8), Num::Int(44));
    assert_eq!(Num::Int(i64::MAX as i128).plus(Num::Int(1), DType::I64), Num::Int(i64::MIN as i128));
    for d in takewise::dtype::DTYPES {
        let v = Num::Int(1).as_dtype(d);
        assert_eq!(Num::decode(d, &v.encode(d)), v);
    }
}

#[test]
fn masks() {
    let x = Arr::arange(&[2, 3], DType::I64);
    let column = Arr::mask(&[2, 1], &[false, true]);
    assert_eq!(masked(&[2, 3], &column).unwrap().cell, [Some(3), Some(4), Some(5)]);
    // masked_select broadcasts the input too: x[:1] with a (2,1) mask repeats rows.
    assert_eq!(masked(&[1, 3], &Arr::mask(&[2, 1], &[true, true])).unwrap().cell.len(), 6);
    assert_eq!(masked(&[2, 3], &Arr::mask(&[2], &[true; 2])), Err(Bad::Other(Kind::Shape)));
    let n = nonzero(&Arr::ints(&[2, 3], DType::I64, &[1, 0, 2, 0, 3, 0]));
    assert_eq!(n, Arr::ints(&[3, 2], DType::I64, &[0, 0, 0, 2, 1, 1]));
    assert_eq!(nonzero(&Arr::ints(&[], DType::I64, &[5])).shape, [1, 0]);
    assert_eq!(nonzero(&Arr::of(&[3], DType::F32, &[f64::NAN, -0.0, 1e-40])).data.len(), 2);
    let w = where_(&column, &x, &Arr::ints(&[], DType::I64, &[-1])).unwrap();
    assert_eq!(w, Arr::ints(&[2, 3], DType::I64, &[-1, -1, -1, 3, 4, 5]));
}

#[test]
fn searches() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let f = |v: &[f64]| Arr::of(&[v.len()], DType::F32, v);
    let cases: &[(&[f64], &[f64], bool, NanOrder, &[i64])] = &[
        (&[1., 2., 3., nan], &[nan, 0., 2.5, inf, -inf], false, NanOrder::Unordered, &[4, 0, 2, 4, 0]),
        (&[1., 2., 3., nan], &[nan, 0., 2.5, inf, -inf], true, NanOrder::Unordered, &[4, 0, 2, 4, 0]),
        (&[1., 2., 3., nan], &[nan, 0., 2.5, inf, -inf], false, NanOrder::Last, &[3, 0, 2, 3, 0]),
        (&[1., 2., 3., nan], &[nan], true, NanOrder::Last, &[4]),
        (&[1., nan, nan], &[nan, 1., 2., inf], false, NanOrder::Unordered, &[3, 3, 3, 3]),
        (&[nan, 1., 2.], &[0., 1., 2., 3., nan], false, NanOrder::Unordered, &[1, 1, 2, 3, 3]),
        (&[-inf, 1., inf], &[-inf, inf, nan], false, NanOrder::Unordered, &[0, 2, 3]),
        (&[-inf, 1., inf], &[-inf, inf, nan], true, NanOrder::Unordered, &[1, 3, 3]),
        (&[-0.0, 0.0], &[-0.0, 0.0], false, NanOrder::Unordered, &[0, 0]),
        (&[-0.0, 0.0], &[-0.0, 0.0], true, NanOrder::Unordered, &[2, 2]),
        (&[5., 1., 4., 2., 3.], &[1., 2., 3., 4., 5.], false, NanOrder::Unordered, &[0, 2, 2, 2, 5]),
        (&[5., 4., 3., 2., 1.], &[1., 2., 3., 4., 5., 0., 6.], false, NanOrder::Unordered, &[0, 0, 0, 5, 5, 0, 5]),
        (&[5., 4., 3., 2., 1.], &[1., 2., 3., 4., 5., 0., 6.], true, NanOrder::Unordered, &[0, 0, 5, 5, 5, 0, 5]),
    ];
    for (s, v, right, order, want) in cases {
        let got = searchsorted(&f(s), &f(v), *right, None, *order, DType::I64);
        assert_eq!(got, Ok(i(want)), "{s:?} {v:?} right={right}");
    }
    let sorter = i(&[1, 2, 0]);
    let got = searchsorted(&f(&[3., 1., 2.]), &f(&[2.0]), true, Some(&sorter), NanOrder::Unordered, DType::I64);
    assert_eq!(got, Ok(i(&[2])));
    let rows = Arr::of(&[2, 2], DType::F32, &[1., 3., 5., 7.]);
    let values = Arr::of(&[2, 1], DType::F32, &[2., 2.]);
    let got = searchsorted(&rows, &values, false, None, NanOrder::Unordered, DType::I32);
    assert_eq!(got, Ok(Arr::ints(&[2, 1], DType::I32, &[1, 0])));
}
