//! Tensors of burn's backend Flex as views: the same memory, whatever their strides, or a refusal that says why.
#![cfg(feature = "burn")]

use burn_tensor::{Bool, Float, Int, Tensor};
use takewise::prelude::*;
use takewise_ndarray::burn::{held, into_tensor};

fn numbers() -> Tensor<3, Int> {
    Tensor::<1, Int>::arange(0..24, &Default::default()).reshape([2, 3, 4])
}

#[test]
fn views_of_one_tensor_lie_in_its_memory() {
    let x = numbers();
    let whole = held(&x).unwrap();
    for y in [x.clone(), x.clone().swap_dims(0, 2), x.clone().narrow(1, 1, 2)] {
        let part = held(&y).unwrap();
        let (whole, part) = (whole.view().unwrap(), part.view().unwrap());
        let (whole, part) = (whole.typed::<i32>().unwrap(), part.typed::<i32>().unwrap());
        assert_eq!(part.shape(), y.dims());
        assert_eq!(part.as_ptr(), whole.as_ptr().wrapping_add(part.to_vec()[0] as usize));
        assert_eq!(part.to_vec(), y.to_data().try_to_vec::<i32>().unwrap());
    }
}

#[test]
fn what_burn_writes_later_is_not_seen() {
    let x = numbers();
    let before = held(&x).unwrap();
    let after = x.add_scalar(1);
    assert_eq!(before.view().unwrap().typed::<i32>().unwrap().to_vec()[..3], [0, 1, 2]);
    assert_eq!(held(&after).unwrap().view().unwrap().typed::<i32>().unwrap().to_vec()[..3], [1, 2, 3]);
}

#[test]
fn masks_are_booleans() {
    let x = numbers();
    let mask = x.clone().greater_elem(20);
    let (x, mask) = (held(&x).unwrap(), held(&mask).unwrap());
    let found = ops::masked_select(x.view().unwrap(), mask.view().unwrap(), &Rules::NEUTRAL).unwrap();
    let found: Tensor<1, Int> = into_tensor(found).unwrap();
    assert_eq!(found.to_data().try_to_vec::<i32>().unwrap(), [21, 22, 23]);
    let mask: Tensor<1, Bool> = into_tensor(takewise::tensor!([true, false])).unwrap();
    assert_eq!(mask.to_data().try_to_vec::<bool>().unwrap(), [true, false]);
}

#[test]
fn a_result_of_another_kind_or_shape_is_refused() {
    let error = into_tensor::<2, Float>(takewise::tensor!([[1i64, 2]])).unwrap_err();
    assert!(error.to_string().contains("kind Float is asked for, and the result holds int64"), "{error}");
    let error = into_tensor::<1, Int>(takewise::tensor!([[1i64, 2]])).unwrap_err();
    assert!(error.to_string().contains("1 dimensions is asked for, and the result has shape [1, 2]"), "{error}");
    let error =
        into_tensor::<1, Float>(takewise::Tensor::from_vec(vec![takewise::Complex::new(1f32, 2.0)], &[1]).unwrap())
            .unwrap_err();
    assert!(error.to_string().contains("complex64"), "{error}");
}
