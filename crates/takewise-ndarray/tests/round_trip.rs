//! Every way of striding an ndarray array, across the bridge and back.

use ndarray::{Array, ArrayD, ArrayViewD, Axis, IxDyn, Slice, array, s};
use takewise::{Complex, Kind, Layout, View, ViewMut, f16};
use takewise_ndarray::{array_view, array_view_mut, into_array, tensor, to_array, view, view_mut};

/// Views of `base` with every mix of steps and starts on its axes, in two orders of axes.
fn twists(base: &ArrayD<i32>) -> Vec<ArrayViewD<'_, i32>> {
    let steps = [(0, None, 1), (0, None, -1), (1, None, 2), (0, Some(-1), -2), (0, Some(1), 1), (1, Some(1), 1)];
    let mut all = Vec::new();
    for case in 0..steps.len().pow(base.ndim() as u32) {
        let mut part = base.view();
        let mut digit = case;
        for d in 0..base.ndim() {
            let (start, end, step) = steps[digit % steps.len()];
            part.slice_axis_inplace(Axis(d), Slice::new(start, end, step));
            digit /= steps.len();
        }
        all.push(part.clone());
        all.push(part.reversed_axes());
    }
    all
}

#[test]
fn every_twist_reads_the_same_elements_at_the_same_addresses() {
    let base = Array::from_iter(0..4 * 3 * 5).into_shape_with_order(IxDyn(&[4, 3, 5])).unwrap();
    let twists = twists(&base);
    assert!(twists.iter().any(|a| a.strides().iter().all(|&s| s < 0) && a.len() > 1));
    for a in &twists {
        let v = view(a).unwrap();
        assert_eq!(v.shape(), a.shape());
        assert_eq!(v.to_vec(), a.iter().copied().collect::<Vec<_>>());
        let back = array_view(&v).unwrap();
        assert_eq!(back, *a);
        if !a.is_empty() {
            assert_eq!((v.as_ptr(), back.as_ptr()), (a.as_ptr(), a.as_ptr()));
        }
        assert_eq!(to_array(&v).unwrap(), *a);
    }
}

#[test]
fn writes_reach_the_array() {
    let mut a = array![[0, 1, 2], [3, 4, 5]];
    {
        let mut part = a.slice_mut(s![..;-1, ..;-2]);
        let mut v = view_mut(&mut part).unwrap();
        assert!(v.set(&[0, 0], 50));
        assert!(!v.set(&[0, 2], 99));
        let mut back = array_view_mut(v).unwrap();
        back[[1, 1]] = 7;
    }
    assert_eq!(a, array![[7, 1, 2], [3, 4, 50]]);
}

#[test]
fn broadcast_axes_step_zero() {
    let a = array![1u8, 2, 3];
    let wide = a.broadcast((1 << 20, 1 << 20, 3)).unwrap();
    let v = view(&wide).unwrap();
    assert_eq!(v.layout().strides(), [0, 0, 1]);
    assert_eq!(v.get(&[99_999, 5, 2]), Some(3));
    assert_eq!(array_view(&v).unwrap().strides(), [0, 0, 1]);
}

#[test]
fn a_broadcast_too_large_to_copy_is_refused() {
    let a = array![1u64];
    let wide = a.broadcast((1 << 31, 1 << 31)).unwrap();
    assert_eq!(to_array(&view(&wide).unwrap()).unwrap_err().kind(), Kind::Memory);
}

#[test]
fn no_elements_and_no_axes() {
    let empty = Array::<f64, _>::zeros((3, 0, 2));
    let v = view(&empty).unwrap();
    assert_eq!((v.shape(), v.to_vec().len()), (&[3, 0, 2][..], 0));
    assert_eq!(array_view(&v).unwrap().shape(), [3, 0, 2]);
    assert_eq!(to_array(&v).unwrap().shape(), [3, 0, 2]);
    let one = ndarray::arr0(f16::from_f32(2.5));
    let v = view(&one).unwrap();
    assert_eq!((v.shape(), v.to_vec()), (&[][..], vec![f16::from_f32(2.5)]));
    assert_eq!(array_view(&v).unwrap(), one.clone().into_dyn());
}

#[test]
fn every_number_type_crosses() {
    let c = array![Complex::new(1.0f32, -2.0), Complex::new(0.0, 3.0)];
    assert_eq!(view(&c).unwrap().get(&[1]), Some(Complex::new(0.0, 3.0)));
    let b = array![[true, false], [false, true]];
    assert_eq!(view(&b.t()).unwrap().to_vec(), [true, false, false, true]);
}

#[test]
fn a_field_of_a_packed_record_is_copied_but_not_viewed() {
    let records: [[u8; 6]; 3] = [[0, 0, 1, 0, 0, 0], [0, 0, 2, 0, 0, 0], [0, 0, 3, 0, 0, 0]];
    let layout = Layout::new(&[3], &[6]).unwrap();
    // SAFETY: L1: four bytes from byte 2 of each six-byte record lie inside the array of records.
    let field: View<'_, i32> = unsafe { View::from_raw(records.as_ptr().cast::<u8>().add(2).cast(), layout) };
    let error = array_view(&field).unwrap_err();
    assert_eq!(error.kind(), Kind::Argument);
    assert!(error.to_string().contains("6 bytes"), "{error}");
    assert_eq!(to_array(&field).unwrap(), array![1, 2, 3].map(|&v: &i32| v.to_le()).into_dyn());
}

#[test]
fn elements_off_their_alignment_are_refused() {
    let words = [0u64; 4];
    let layout = Layout::new(&[2], &[8]).unwrap();
    // SAFETY: L1: eight bytes from byte 4 of each of the first two words lie inside the array.
    let odd: View<'_, u64> = unsafe { View::from_raw(words.as_ptr().cast::<u8>().add(4).cast(), layout) };
    assert!(array_view(&odd).unwrap_err().to_string().contains("aligned"));
}

#[test]
fn a_writable_view_of_a_slice_goes_over() {
    let mut data = [1, 2, 3, 4, 5, 6];
    let mut a = array_view_mut(ViewMut::new(&mut data, &[2, 3]).unwrap()).unwrap();
    a.index_axis_mut(Axis(0), 1).fill(0);
    assert_eq!(data, [1, 2, 3, 0, 0, 0]);
}

#[test]
fn owned_arrays_become_tensors_in_place() {
    for reversed in 0..4 {
        let mut a = Array::from_iter(0..6).into_shape_with_order((2, 3)).unwrap();
        (0..2).filter(|d| reversed >> d & 1 == 1).for_each(|d| a.invert_axis(Axis(d)));
        let (want, address) = (a.clone(), a.as_ptr());
        let t = tensor(a).unwrap();
        assert_eq!(t.read::<i32>().unwrap().view().as_ptr(), address);
        assert_eq!(into_array::<i32>(t.clone()).unwrap(), want.into_dyn());
        assert!(t.write::<i32>().unwrap().set(&[1, 2], 60));
        assert_eq!(t.read::<i32>().unwrap().get(&[1, 2]), Some(60));
        assert_eq!(into_array::<f64>(t).unwrap_err().kind(), Kind::DType);
    }
}

#[test]
fn a_part_of_an_owned_array_becomes_a_tensor() {
    let a = Array::from_iter(0..20).into_shape_with_order((4, 5)).unwrap();
    let part = a.slice_move(s![1..;2, ..;-2]);
    let want = part.clone();
    assert_eq!(into_array::<i32>(tensor(part).unwrap()).unwrap(), want.into_dyn());
    let empty = tensor(Array::<f32, _>::zeros((3, 0))).unwrap();
    assert_eq!((empty.shape(), empty.to_vec::<f32>().unwrap().len()), (&[3, 0][..], 0));
}

#[test]
fn a_whole_array_goes_there_and_back_in_place() {
    let a = Array::from_iter(0..6).into_shape_with_order((2, 3)).unwrap();
    let address = a.as_ptr();
    let back = into_array::<i32>(tensor(a).unwrap()).unwrap();
    assert_eq!(back.as_ptr(), address);
    assert_eq!(back, array![[0, 1, 2], [3, 4, 5]].into_dyn());
}
