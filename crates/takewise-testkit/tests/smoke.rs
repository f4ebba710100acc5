//! One small hand-checked case per operation family, on several layouts.

use takewise::index::rules::{Duplicates, Outside, Rules, Sign};
use takewise::{AnyViewMut, DType, Reduce, Tensor, View, ViewMut, ops, threads};

const R: Rules = Rules::NEUTRAL;

fn v<'a, T: takewise::Element>(data: &'a [T], shape: &[usize]) -> View<'a, T> {
    View::new(data, shape).unwrap()
}

fn list<T: takewise::Element>(t: Tensor) -> Vec<T> {
    t.to_vec().unwrap()
}

#[test]
fn gather_along_each_axis() {
    let x: Vec<i32> = (0..24).collect();
    let x = v(&x, &[2, 3, 4]);
    let i = [1i64, 0, 1, 0, 0, 1, 1, 0];
    let got = ops::gather(&x, 0, v(&i, &[2, 1, 4]), &R).unwrap();
    assert_eq!(list::<i32>(got), [12, 1, 14, 3, 0, 13, 14, 3]);
    let i = [2i32, 0, 1, 0, 0, 1, 2, 2];
    let got = ops::gather(&x, 1, v(&i, &[2, 1, 4]), &R).unwrap();
    assert_eq!(list::<i32>(got), [8, 1, 6, 3, 12, 17, 22, 23]);
    let i = [2u8, 3, 0, 0, 1, 3];
    let got = ops::gather(&x, -1, v(&i, &[2, 3, 1]), &R).unwrap();
    assert_eq!(list::<i32>(got), [2, 7, 8, 12, 17, 23]);
}

#[test]
fn take_from_strided_memory_and_policies() {
    let x: Vec<i16> = (0..12).collect();
    let t = View::strided(&x, 0, &[4, 3], &[1, 4]).unwrap();
    let i = [0i64, 1, 11, -1];
    assert_eq!(list::<i16>(ops::take(&t, v(&i, &[4]), &R).unwrap()), [0, 4, 11, 11]);
    let i = [0i64, 12, -13, 5];
    let go = |outside| {
        let rules = Rules { outside, ..R };
        ops::take(&t, v(&i, &[2, 2]), &rules).map(list::<i16>)
    };
    assert_eq!(go(Outside::Clip).unwrap(), [0, 11, 0, 9]);
    assert_eq!(go(Outside::Wrap).unwrap(), [0, 0, 11, 9]);
    assert_eq!(go(Outside::Fill).unwrap(), [0, i16::MIN, i16::MIN, 9]);
    assert_eq!(go(Outside::Drop).unwrap(), [0, 0, 0, 9]);
    let e = go(Outside::Raise).unwrap_err();
    assert_eq!((e.position(), e.value(), e.len(), e.bad()), (Some(&[0, 1][..]), Some(12), Some(12), 2));
    let rules = Rules { outside: Outside::Fill, fill: Some(7.into()), ..R };
    assert_eq!(list::<i16>(ops::take(&t, v(&i, &[4]), &rules).unwrap()), [0, 7, 7, 9]);
}

#[test]
fn scatter_keeps_the_last_and_writes_nothing_on_error() {
    for threads in [1, 2, 7] {
        threads::with_threads(threads, || {
            let mut t = [0i64; 4];
            let src = [1i64, 2, 3, 4];
            let go = |t: &mut [i64; 4], i: &[i64], rules: &Rules| {
                ops::scatter_(&mut (&mut t[..]).into(), 0, v(i, &[i.len()]), &v(&src, &[4]), None, rules)
            };
            go(&mut t, &[1, 1, 3, 1], &R).unwrap();
            assert_eq!(t, [0, 4, 0, 3]);
            let first = Rules { duplicates: Duplicates::First, ..R };
            go(&mut t, &[1, 1, 3, 1], &first).unwrap();
            assert_eq!(t, [0, 1, 0, 3]);
            let torch = Rules { sign: Sign::NonNegative, ..R };
            let e = go(&mut t, &[0, 1, 9, -1], &torch).unwrap_err();
            assert_eq!((e.value(), e.bad(), t), (Some(9), 2, [0, 1, 0, 3]));
            let error = Rules { duplicates: Duplicates::Error, ..R };
            let e = go(&mut t, &[0, 1, 0, 1], &error).unwrap_err();
            assert!(e.to_string().contains("position [2]"), "{e}");
            assert_eq!(t, [0, 1, 0, 3]);
        });
    }
}

#[test]
fn scatter_into_columns_and_reductions() {
    let mut t = [0f32; 10];
    let src: Vec<f32> = (1..=10).map(|x| x as f32).collect();
    let mut dst: AnyViewMut = ViewMut::new(&mut t, &[2, 5]).unwrap().into();
    ops::scatter_(&mut dst, 1, v(&[4i64, 3], &[2, 1]), &v(&src, &[2, 5]), None, &R).unwrap();
    assert_eq!(t, [0., 0., 0., 0., 1., 0., 0., 0., 6., 0.]);
    let x = [10f32, 20., 30.];
    let i = [0i64, 0, 2];
    let s = [1f32, 2., 3.];
    let go =
        |how, me| list::<f32>(ops::scatter_reduce(v(&x, &[3]), 0, v(&i, &[3]), &v(&s, &[3]), how, me, &R).unwrap());
    assert_eq!(go(Reduce::Sum, true), [13., 20., 33.]);
    assert_eq!(go(Reduce::Sum, false), [3., 20., 3.]);
    assert_eq!(go(Reduce::Prod, false), [2., 20., 3.]);
    assert_eq!(go(Reduce::Mean, true), [13. / 3., 20., 16.5]);
    assert_eq!(go(Reduce::Mean, false), [1.5, 20., 3.]);
    assert_eq!(go(Reduce::Max, false), [2., 20., 3.]);
    assert_eq!(go(Reduce::Min, true), [1., 20., 3.]);
}

#[test]
fn halves_round_once_when_wide() {
    use takewise::f16;
    let x = [f16::ZERO];
    let s = [2048., 1., 1., 1., 1.].map(f16::from_f32);
    let i = [0i64; 5];
    let wide = ops::scatter_add(v(&x, &[1]), 0, v(&i, &[5]), &v(&s, &[5]), &R).unwrap();
    assert_eq!(list::<f16>(wide)[0].to_f32(), 2052.);
    let native = Rules { accumulate: takewise::index::rules::Width::Native, ..R };
    let native = ops::scatter_add(v(&x, &[1]), 0, v(&i, &[5]), &v(&s, &[5]), &native).unwrap();
    assert_eq!(list::<f16>(native)[0].to_f32(), 2048.);
}

#[test]
fn masks_read_and_write() {
    for threads in [1, 2, 7] {
        threads::with_threads(threads, || {
            let x: Vec<i32> = (0..1200).collect();
            let m: Vec<bool> = (0..1200).map(|k| k % 7 == 0 || k % 5 == 3).collect();
            let want: Vec<i32> = (0..1200).filter(|&k| m[k as usize]).collect();
            let (xv, mv) = (v(&x, &[30, 40]), v(&m, &[30, 40]));
            assert_eq!(list::<i32>(ops::masked_select(&xv, &mv, &R).unwrap()), want);
            let mut y = vec![0i32; 1200];
            let mut dst: AnyViewMut = ViewMut::new(&mut y, &[30, 40]).unwrap().into();
            ops::masked_scatter_(&mut dst, &mv, &xv, &R).unwrap();
            let filled: Vec<i32> = y.iter().zip(&m).filter(|(_, m)| **m).map(|(y, _)| *y).collect();
            assert_eq!(filled, (0..want.len() as i32).collect::<Vec<_>>());
            assert!(y.iter().zip(&m).all(|(y, m)| *m || *y == 0));
            let got = ops::masked_fill(&xv, &mv, -1, &R).unwrap();
            let expect: Vec<i32> = x.iter().zip(&m).map(|(x, m)| if *m { -1 } else { *x }).collect();
            assert_eq!(list::<i32>(got), expect);
            let got = ops::where_(&mv, &xv, v(&[5i32], &[1]), DType::I32, &R).unwrap();
            let expect: Vec<i32> = x.iter().zip(&m).map(|(x, m)| if *m { *x } else { 5 }).collect();
            assert_eq!(list::<i32>(got), expect);
            let nz = ops::nonzero(&mv, &R).unwrap();
            let expect: Vec<i64> = want.iter().flat_map(|&k| [k as i64 / 40, k as i64 % 40]).collect();
            assert_eq!(list::<i64>(nz), expect);
        });
    }
}

#[test]
fn put_index_and_nd_families() {
    let mut x: Vec<i32> = (0..6).collect();
    let mut dst: AnyViewMut = ViewMut::strided(&mut x, 0, &[3, 2], &[1, 3]).unwrap().into();
    ops::put_(&mut dst, v(&[0i64, -1], &[2]), &v(&[10i32, 20], &[1, 2]), false, &R).unwrap();
    assert_eq!(x, [10, 1, 2, 3, 4, 20]);
    let mut y = [0i32; 6];
    let mut dst: AnyViewMut = ViewMut::new(&mut y, &[3, 2]).unwrap().into();
    let rows = [1i32, 2, 3, 4, 5, 6];
    ops::index_add_(&mut dst, 0, v(&[2i64, 0, 2], &[3]), v(&rows, &[3, 2]), 2.into(), &R).unwrap();
    assert_eq!(y, [6, 8, 0, 0, 12, 16]);
    let mut dst: AnyViewMut = ViewMut::new(&mut y, &[3, 2]).unwrap().into();
    ops::index_copy_(&mut dst, 1, v(&[1i64, 0], &[2]), v(&rows, &[3, 2]), &R).unwrap();
    assert_eq!(y, [2, 1, 4, 3, 6, 5]);
    let mut dst: AnyViewMut = ViewMut::new(&mut y, &[3, 2]).unwrap().into();
    ops::index_fill_(&mut dst, 0, v(&[-1i64], &[1]), 9, &R).unwrap();
    assert_eq!(y, [2, 1, 4, 3, 9, 9]);
    let x: Vec<i32> = (0..24).collect();
    let got = ops::gather_nd(v(&x, &[2, 3, 4]), v(&[1i64, 2, 0, 1], &[2, 2]), 0, &R).unwrap();
    assert_eq!((got.shape().to_vec(), list::<i32>(got)), (vec![2, 4], vec![20, 21, 22, 23, 4, 5, 6, 7]));
    let got = ops::scatter_nd(v(&[1i64, 3, 1], &[3, 1]), v(&[5i32, 6, 7], &[3]), &[4], &R).unwrap();
    assert_eq!(list::<i32>(got), [0, 12, 0, 6]);
    let batched = ops::gather_axis(v(&x[..12], &[3, 4]), 1, v(&[0i32, 2, 1], &[3]), 1, &R).unwrap();
    assert_eq!(list::<i32>(batched), [0, 6, 9]);
    let rows = ops::index_select(v(&x[..12], &[3, 4]), 0, v(&[2i64, 0], &[2]), &R).unwrap();
    assert_eq!(list::<i32>(rows), [8, 9, 10, 11, 0, 1, 2, 3]);
}

#[test]
fn empty_lanes_still_check_and_move_nothing() {
    let x: [f32; 0] = [];
    let x = v(&x, &[2, 0]);
    let got = ops::take_axis(&x, 0, v(&[1i64, 0, 1], &[3]), &R).unwrap();
    assert_eq!((got.shape(), got.numel()), (&[3, 0][..], 0));
    assert_eq!(ops::take_axis(&x, 0, v(&[1i64, 2], &[2]), &R).unwrap_err().value(), Some(2));
    let forgiving = Rules { empty: takewise::index::rules::Empty::Forgives, ..R };
    assert!(ops::take_axis(&x, 0, v(&[1i64, 2], &[2]), &forgiving).is_ok());
}

/// Lists of positions as Rust programs hold them are index operands as they are, in every form they come in.
#[test]
fn machine_sized_integers_are_index_operands() {
    let data: Vec<i32> = (0..12).map(|k| 10 * k).collect();
    let x = v(&data, &[3, 4]);
    let (places, signed) = (vec![2usize, 0], [-1isize, 1]);
    assert_eq!(list::<i32>(ops::take(&data, &places, &R).unwrap()), [20, 0]);
    assert_eq!(list::<i32>(ops::take(&data, &places[..1], &R).unwrap()), [20]);
    assert_eq!(list::<i32>(ops::take(&data, &signed, &R).unwrap()), [110, 10]);
    assert_eq!(list::<i32>(ops::index(&x, &takewise::ix![&places, &signed], &R).unwrap()), [110, 10]);
    assert_eq!(list::<i32>(ops::take_axis(&x, 1, v(&places, &[1, 2]), &R).unwrap()), [20, 0, 60, 40, 100, 80]);

    let mut sums = [0usize; 3];
    ops::scatter_add_(&mut (&mut sums).into(), 0, &[1usize, 1], &[usize::MAX, 5], &R).unwrap();
    assert_eq!(sums, [0, 4, 0]);
    let tensor = Tensor::from_slice(&places, &[2]).unwrap();
    assert_eq!(tensor.dtype().size(), size_of::<usize>());
    assert_eq!(tensor.to_vec::<usize>().unwrap(), places);
    assert_eq!(takewise::tensor!([3isize, -4]).to_vec::<isize>().unwrap(), [3, -4]);
}

/// Values beyond the signed range are out of range as any other, and never taken for negative ones.
#[test]
fn positions_beyond_the_signed_range_are_out_of_range() {
    let data = [1i32, 2, 3];
    for far in [usize::MAX, usize::MAX - 2, isize::MAX as usize + 1, isize::MAX as usize] {
        let e = ops::take(&data, &[0, far], &R).unwrap_err();
        let facts = (e.kind(), e.value(), e.position(), e.bad());
        assert_eq!(facts, (takewise::Kind::OutOfRange, Some(far as i128), Some(&[1][..]), 1));
        let e = ops::index(&data, &takewise::ix![&[far]], &R).unwrap_err();
        assert_eq!((e.kind(), e.value()), (takewise::Kind::OutOfRange, Some(far as i128)));
        let mut kept = data;
        assert!(ops::scatter_(&mut (&mut kept).into(), 0, &[0, far], 9, None, &R).is_err());
        assert_eq!(kept, data);
    }
    let e = ops::take(&data, &[isize::MIN, -4], &R).unwrap_err();
    assert_eq!((e.value(), e.bad()), (Some(isize::MIN as i128), 2));
    let clip = Rules { outside: Outside::Clip, ..R };
    assert_eq!(list::<i32>(ops::take(&data, &[usize::MAX, 0], &clip).unwrap()), [3, 1]);
}
