//! Kept plans give what the plain calls give, on any layout, forward and backward.

use takewise::ops::{self, Prepared};
use takewise::{AnyViewMut, DType, Reduce, Rules, Tensor, View, ViewMut};

const R: Rules = Rules::NEUTRAL;

fn list(t: &Tensor) -> Vec<f32> {
    t.to_vec().unwrap()
}

#[test]
fn every_kind_reads_as_the_plain_call() {
    let data: Vec<f32> = (0..24).map(|k| k as f32).collect();
    let straight = View::new(&data, &[4, 3, 2]).unwrap();
    let turned = View::strided(&data, 0, &[4, 3, 2], &[1, 8, 4]).unwrap();
    let i = [0i64, 2, 1, 2];
    let along = View::new(&i, &[2, 1, 2]).unwrap();
    let rows = View::new(&i, &[4]).unwrap();
    let tuples = View::new(&i, &[2, 2]).unwrap();
    let mask: Vec<bool> = (0..24).map(|k| k % 3 == 1).collect();
    let mask = View::new(&mask, &[4, 3, 2]).unwrap();
    let (shape, f32) = (&[4, 3, 2][..], DType::F32);
    let kept = [
        Prepared::gather(shape, f32, 1, &along, &R).unwrap(),
        Prepared::take_axis(shape, f32, 0, &rows, &R).unwrap(),
        Prepared::take(shape, f32, &rows, &R).unwrap(),
        Prepared::gather_nd(shape, f32, &tuples, 0, &R).unwrap(),
        Prepared::masked_select(f32, &mask, &R).unwrap(),
    ];
    for x in [&straight, &turned] {
        let want = [
            ops::gather(x, 1, &along, &R).unwrap(),
            ops::take_axis(x, 0, &rows, &R).unwrap(),
            ops::take(x, &rows, &R).unwrap(),
            ops::gather_nd(x, &tuples, 0, &R).unwrap(),
            ops::masked_select(x, &mask, &R).unwrap(),
        ];
        for (plan, want) in kept.iter().zip(&want) {
            let got = plan.read(x).unwrap();
            assert_eq!((got.shape(), list(&got)), (want.shape(), list(want)));
            // The gradient of the sum counts how often each element was read.
            let mut grad = vec![0f32; 24];
            let mut into: AnyViewMut = ViewMut::new(&mut grad, shape).unwrap().into();
            plan.accumulate(1.0, &mut into, Reduce::Sum).unwrap();
            let dot: f32 = grad.iter().zip(x.to_vec()).map(|(g, x)| g * x).sum();
            assert_eq!(dot, list(want).iter().sum::<f32>());
            let mut put = vec![-1f32; 24];
            let mut into: AnyViewMut = ViewMut::new(&mut put, shape).unwrap().into();
            let values = got.read_any().unwrap();
            plan.write(values.view(), &mut into).unwrap();
            let straight = x.to_vec();
            assert!(put.iter().zip(&grad).zip(&straight).all(|((p, g), x)| *p == if *g > 0. { *x } else { -1. }));
        }
    }
}

#[test]
fn bad_indices_and_shapes_fail_when_preparing_or_running() {
    let i = [0i64, 4];
    let e = Prepared::take_axis(&[4, 2], DType::F32, 0, View::from(&i[..]), &R).err().unwrap();
    assert_eq!((e.value(), e.position()), (Some(4), Some(&[1][..])));
    let i = [0i64, 3];
    let plan = Prepared::take_axis(&[4, 2], DType::F32, 0, View::from(&i[..]), &R).unwrap();
    let x = [0f32; 6];
    assert!(plan.read(View::new(&x, &[3, 2]).unwrap()).is_err());
    assert!(plan.plan().to_string().contains("2 positions"));
}
