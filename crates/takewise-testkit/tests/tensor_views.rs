//! Views of tensors: shapes, strides, offsets and errors as torch 2.15 reports them (measured), beside those of the recorded
//! cases in torch_views, and element order against a walk over coordinates.

use takewise::layout::Coordinates;
use takewise::{DType, Kind, Layout, Result, Slice, Tensor, View, ViewMut};

fn iota(shape: &[usize]) -> Tensor {
    Tensor::from_vec((0..shape.iter().product::<usize>() as i64).collect(), shape).unwrap()
}

fn facts(t: Result<Tensor>) -> (Vec<usize>, Vec<isize>, usize) {
    let t = t.unwrap();
    (t.shape().to_vec(), t.strides(), t.storage_offset())
}

macro_rules! torch_says {
    ($($e:expr => $shape:expr, $strides:expr, $offset:expr;)*) => {$(
        assert_eq!(facts($e), (<[usize]>::to_vec(&$shape), <[isize]>::to_vec(&$strides), $offset), "{}", stringify!($e));
    )*};
}

macro_rules! refused {
    ($($e:expr => $kind:ident;)*) => {$(
        assert_eq!($e.err().map(|e| e.kind()), Some(Kind::$kind), "{}", stringify!($e));
    )*};
}

#[test]
fn shapes_strides_and_offsets_are_torchs() {
    let x = iota(&[2, 3, 4]);
    let five = Tensor::scalar(5i64).unwrap();
    let a = |n: usize| iota(&[n]);
    let z = |s: &[usize]| Tensor::zeros(s, DType::F32).unwrap();
    torch_says! {
        z(&[0, 3]).view(&[3, -1]) => [3, 0], [1, 1], 0;
        x.permute(&[2, 0, 1]).unwrap().view(&[4, 6]) => [4, 6], [1, 4], 0;
        x.view(&[2, -1, 3]) => [2, 4, 3], [12, 3, 1], 0;
        five.transpose(0, -1) => [], [], 0;
        a(3).t() => [3], [1], 0;
        a(3).expand(&[2, -1]) => [2, 3], [0, 1], 0;
        z(&[1, 3]).expand(&[2, 3]) => [2, 3], [0, 1], 0;
        z(&[1, 3]).expand(&[0, 3]) => [0, 3], [0, 1], 0;
        a(3).expand(&[1, 3]) => [1, 3], [3, 1], 0;
        x.squeeze_dims(&[0]) => [2, 3, 4], [12, 4, 1], 0;
        Ok(z(&[1, 3, 1]).squeeze()) => [3], [1], 0;
        z(&[1, 3, 1]).squeeze_dims(&[-1]) => [1, 3], [3, 1], 0;
        z(&[1, 3, 1]).squeeze_dims(&[0, 1]) => [3, 1], [1, 1], 0;
        x.unsqueeze(3) => [2, 3, 4, 1], [12, 4, 1, 1], 0;
        x.unsqueeze(-4) => [1, 2, 3, 4], [24, 12, 4, 1], 0;
        five.unsqueeze(-1) => [1], [1], 0;
        x.permute(&[2, 1, 0]).unwrap().flip(&[0]) => [4, 3, 2], [1, 4, 12], 0;
        x.diagonal(5, 1, 2) => [2, 0], [12, 5], 0;
        x.diagonal(-5, 1, 2) => [2, 0], [12, 5], 0;
        x.diagonal(-1, 1, 2) => [2, 2], [12, 5], 4;
        x.diagonal(1, -1, 0) => [3, 1], [4, 13], 12;
        x.diagonal(1 << 62, 0, 1) => [4, 0], [1, 16], 0;
        x.diagonal(i64::MIN, 0, 1) => [4, 0], [1, 16], 0;
        x.unfold(2, 0, 2) => [2, 3, 3, 0], [12, 4, 2, 1], 0;
        five.unfold(0, 0, 1) => [0], [1], 0;
        a(7).unfold(0, 2, 3) => [2, 2], [3, 1], 0;
        x.narrow(0, -1, 1) => [1, 3, 4], [12, 4, 1], 12;
        x.narrow(1, -3, 2) => [2, 2, 4], [12, 4, 1], 0;
        x.select(0, -1) => [3, 4], [4, 1], 12;
        z(&[2, 3]).slice(0, Slice { step: Some(7), ..Slice::ALL }) => [1, 3], [21, 1], 0;
        a(6).as_strided(&[2, 2], &[3, 1], None) => [2, 2], [3, 1], 0;
        a(6).narrow(0, 2, 4).unwrap().as_strided(&[2], &[1], None) => [2], [1], 2;
        a(6).narrow(0, 2, 4).unwrap().as_strided(&[2], &[1], Some(0)) => [2], [1], 0;
        x.movedim(&[0], &[2]) => [3, 4, 2], [4, 1, 12], 0;
        x.movedim(&[0, 1], &[1, 0]) => [3, 2, 4], [4, 12, 1], 0;
        z(&[5, 1]).t().unwrap().reshape(&[5]) => [5], [1], 0;
        x.flatten(0, -1) => [24], [1], 0;
        x.flatten(1, 2) => [2, 12], [12, 1], 0;
        five.flatten(0, -1) => [1], [1], 0;
        z(&[2, 3]).narrow(1, 0, 1).unwrap().contiguous() => [2, 1], [1, 1], 0;
        z(&[3, 0]).t().unwrap().contiguous() => [0, 3], [1, 1], 0;
    }
}

#[test]
fn clones_keep_the_order_of_axes() {
    let x = iota(&[2, 3, 4]);
    let z = |s: &[usize]| Tensor::zeros(s, DType::F32).unwrap();
    let every_other = Slice { step: Some(2), ..Slice::ALL };
    torch_says! {
        x.slice(1, every_other).unwrap().clone_data() => [2, 2, 4], [8, 4, 1], 0;
        z(&[3, 1]).expand(&[3, 4]).unwrap().clone_data() => [3, 4], [4, 1], 0;
        x.permute(&[2, 0, 1]).unwrap().clone_data() => [4, 2, 3], [1, 12, 4], 0;
        x.permute(&[2, 0, 1]).unwrap().slice(0, every_other).unwrap().clone_data() => [2, 2, 3], [1, 6, 2], 0;
        z(&[2, 3, 1, 4]).permute(&[3, 2, 0, 1]).unwrap().narrow(2, 0, 1).unwrap().clone_data()
            => [4, 1, 1, 3], [1, 4, 12, 4], 0;
        z(&[4, 1, 3]).expand(&[4, 5, 3]).unwrap().permute(&[1, 2, 0]).unwrap().clone_data()
            => [5, 3, 4], [12, 1, 3], 0;
        z(&[2, 0, 3]).permute(&[2, 1, 0]).unwrap().clone_data() => [3, 0, 2], [1, 3, 3], 0;
        iota(&[4]).as_strided(&[4, 3], &[1, 0], None).unwrap().clone_data() => [4, 3], [3, 1], 0;
        x.permute(&[2, 0, 1]).unwrap().zeros_like() => [4, 2, 3], [1, 12, 4], 0;
    }
    let copy = x.t().err().map(|e| e.kind());
    assert_eq!(copy, Some(Kind::Argument));
    let p = x.permute(&[2, 0, 1]).unwrap();
    assert_eq!(p.clone_data().unwrap().to_vec::<i64>().unwrap(), p.to_vec::<i64>().unwrap());
    assert!(!p.clone_data().unwrap().shares_memory(&p));
}

#[test]
fn errors_say_what_is_wrong() {
    let x = iota(&[2, 3, 4]);
    let five = Tensor::scalar(5i64).unwrap();
    let z = |s: &[usize]| Tensor::zeros(s, DType::F32).unwrap();
    refused! {
        iota(&[6]).view(&[4]) => Argument;
        iota(&[6]).view(&[-1, -1]) => Argument;
        iota(&[6]).view(&[-2, 3]) => Argument;
        iota(&[6]).view(&[i64::MAX, i64::MAX]) => Argument;
        iota(&[6]).view(&[i64::MAX, -1]) => Argument;
        z(&[0]).view(&[0, -1]) => Argument;
        z(&[0]).view(&[5, -1, 0]) => Argument;
        x.t() => Argument;
        x.permute(&[0, 1, 5]) => Axis;
        x.permute(&[2, 1, 0]).unwrap().view(&[24]) => Argument;
        x.expand(&[4]) => Argument;
        x.expand(&[-1, 3, 5]) => Argument;
        x.expand(&[]) => Argument;
        iota(&[3]).expand(&[-1, 3]) => Argument;
        iota(&[3]).expand(&[-2, 3]) => Argument;
        iota(&[3]).expand(&[-2]) => Argument;
        iota(&[3]).expand(&[i64::MAX, i64::MAX, 3]) => Memory;
        z(&[3]).expand(&[0]) => Argument;
        z(&[1, 3, 1]).squeeze_dims(&[0, 0]) => Argument;
        five.squeeze_dims(&[1]) => Axis;
        x.unfold(0, 1, -1) => Argument;
        x.unfold(3, 1, 1) => Axis;
        x.narrow(1, -4, 0) => Argument;
        x.narrow(1, i64::MIN, i64::MAX) => Argument;
        x.narrow(1, 1, i64::MAX) => Argument;
        x.narrow(3, 0, 1) => Axis;
        x.select(0, i64::MIN) => OutOfRange;
        x.slice(0, Slice { step: Some(0), ..Slice::ALL }) => Argument;
        five.slice(0, Slice::ALL) => Shape;
        iota(&[6]).as_strided(&[2, 2], &[4, 2], None) => Argument;
        iota(&[6]).as_strided(&[2, 2], &[3, 1], Some(3)) => Argument;
        iota(&[6]).as_strided(&[1], &[1], Some(usize::MAX)) => Memory;
        iota(&[6]).as_strided(&[3], &[i64::MAX], None) => Memory;
        x.movedim(&[0, 0], &[1, 0]) => Argument;
        x.movedim(&[0, 1], &[1]) => Argument;
        x.flatten(2, 1) => Argument;
    }
    let e = x.narrow(1, 2, 2).unwrap_err().to_string();
    assert!(e.contains("start 2 + length 2 exceeds size 3"), "{e}");
    let e = iota(&[6]).as_strided(&[2, 2], &[4, 2], None).unwrap_err().to_string();
    let want = "sizes [2, 2], strides [4, 2], storage offset 0, and itemsize 8 requiring a storage size of 56 are \
                out of bounds for storage of size 48";
    assert!(e.contains(want), "{e}");
}

/// The base coordinate each coordinate of a view stands for, by the definition of the view.
type Source = fn(&[usize]) -> Vec<usize>;

#[test]
fn every_view_shows_the_elements_its_definition_names() {
    let x = iota(&[3, 4, 5]);
    let cases: Vec<(&str, Result<Tensor>, Source)> = vec![
        ("select", x.select(1, -1), |c| vec![c[0], 3, c[1]]),
        ("narrow", x.narrow(2, 1, 3), |c| vec![c[0], c[1], c[2] + 1]),
        ("slice", x.slice(2, Slice { start: Some(-1), stop: None, step: Some(-2) }), |c| {
            vec![c[0], c[1], 4 - 2 * c[2]]
        }),
        ("transpose", x.transpose(0, -1), |c| vec![c[2], c[1], c[0]]),
        ("permute", x.permute(&[1, 2, 0]), |c| vec![c[2], c[0], c[1]]),
        ("movedim", x.movedim(&[2], &[0]), |c| vec![c[1], c[2], c[0]]),
        ("reversed", x.reversed(&[0, 2]), |c| vec![2 - c[0], c[1], 4 - c[2]]),
        ("flip", x.flip(&[0, 2]), |c| vec![2 - c[0], c[1], 4 - c[2]]),
        ("diagonal", x.diagonal(1, 0, 2), |c| vec![c[1], c[0], c[1] + 1]),
        ("diagonal below", x.diagonal(-1, 0, 2), |c| vec![c[1] + 1, c[0], c[1]]),
        ("unfold", x.unfold(1, 2, 1), |c| vec![c[0], c[1] + c[3], c[2]]),
        ("unsqueeze", x.unsqueeze(1), |c| vec![c[0], c[2], c[3]]),
        ("expand", x.expand(&[2, -1, -1, -1]), |c| vec![c[1], c[2], c[3]]),
        ("view", x.view(&[12, 5]), |c| vec![c[0] / 4, c[0] % 4, c[1]]),
        ("reshape", x.permute(&[2, 1, 0]).unwrap().reshape(&[20, 3]), |c| vec![c[1], c[0] % 4, c[0] / 4]),
    ];
    for (name, got, source) in cases {
        let got = got.unwrap();
        let want: Vec<i64> = Coordinates::new(got.shape())
            .map(|c| {
                let s = source(&c);
                (s[0] * 20 + s[1] * 5 + s[2]) as i64
            })
            .collect();
        assert_eq!(got.to_vec::<i64>().unwrap(), want, "{name}");
    }
}

#[test]
fn views_share_and_copies_do_not() {
    let x = iota(&[4, 3]);
    let part = x.narrow(0, 1, 2).unwrap().t().unwrap();
    part.write::<i64>().unwrap().set(&[2, 0], 100);
    assert_eq!(x.read::<i64>().unwrap().get(&[1, 2]), Some(100));
    let copy = x.t().unwrap().reshape(&[12]).unwrap();
    copy.write::<i64>().unwrap().set(&[0], -1);
    assert_eq!(x.read::<i64>().unwrap().get(&[0, 0]), Some(0));
    assert!(x.reshape(&[2, 6]).unwrap().shares_memory(&x));
    assert!(x.contiguous().unwrap().is_same(&x));
    assert!(!x.flip(&[]).unwrap().shares_memory(&x));
}

#[test]
fn view_agrees_with_a_search_for_strides() {
    // Whenever one step per new axis reproduces the row-major order, `view` must find it, and never else.
    let base: Vec<i64> = (0..4096).collect();
    let shapes: &[&[usize]] =
        &[&[4], &[2, 2], &[1, 4], &[4, 1], &[2, 3], &[2, 1, 2], &[3, 2, 2], &[2, 2, 3], &[12], &[6]];
    for shape in shapes {
        for code in 0..7usize.pow(shape.len() as u32) {
            let steps = [0isize, 1, 2, 3, 4, 6, 12];
            let strides: Vec<isize> = (0..shape.len()).map(|d| steps[code / 7usize.pow(d as u32) % 7]).collect();
            let v = View::strided(&base, 0, shape, &strides).unwrap();
            for target in shapes.iter().filter(|t| t.iter().product::<usize>() == shape.iter().product::<usize>()) {
                let flat = v.to_vec();
                let place = |c: &[usize]| c.iter().zip(*target).fold(0, |k, (&i, &n)| k * n + i);
                let step = |d: usize| {
                    let mut c = vec![0; target.len()];
                    c[d] = usize::from(target[d] > 1);
                    flat[place(&c)] - flat[0]
                };
                let steps: Vec<i64> = (0..target.len()).map(step).collect();
                let even = Coordinates::new(target).all(|c| {
                    flat[place(&c)] == flat[0] + c.iter().zip(&steps).map(|(&i, &s)| i as i64 * s).sum::<i64>()
                });
                let asked: Vec<i64> = target.iter().map(|&n| n as i64).collect();
                let got = v.view(&asked);
                assert_eq!(got.is_ok(), even, "{shape:?} {strides:?} -> {target:?}");
                if let Ok(got) = got {
                    assert_eq!(got.to_vec(), flat);
                }
            }
        }
    }
}

#[test]
fn writable_views_rearrange_too() {
    let mut data = [0i32; 12];
    let v = ViewMut::new(&mut data, &[3, 4]).unwrap();
    let mut diagonal = v.transpose(0, 1).unwrap().diagonal(-1, 0, 1).unwrap();
    (0..3).for_each(|k| assert!(diagonal.set(&[k], k as i32 + 1)));
    assert_eq!(data, [0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3]);
}

#[test]
fn empty_views_of_empty_storage_point_nowhere() {
    let x = Tensor::zeros(&[2, 0], DType::I64).unwrap();
    assert_eq!(x.select(0, 1).unwrap().to_vec::<i64>().unwrap(), []);
    let v = View::new(&[0i64; 0], &[3, 0]).unwrap();
    assert_eq!(v.select(0, 2).unwrap().to_vec(), []);
    assert_eq!(v.narrow(0, 3, 0).unwrap().to_vec(), []);
    assert!(Layout::contiguous(&[usize::MAX, 2], 1).is_err());
}
