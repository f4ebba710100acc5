//! candle's tensors as views: the same memory, whatever their strides, or a refusal that says why.
#![cfg(feature = "candle")]

use candle_core::{DType, Device, Tensor, Var};
use takewise::prelude::*;
use takewise_ndarray::candle::{held, into_tensor};

fn numbers() -> Tensor {
    Tensor::arange(0i64, 24, &Device::Cpu).unwrap().reshape((2, 3, 4)).unwrap()
}

#[test]
fn views_of_one_tensor_lie_in_its_memory() {
    let x = numbers();
    for y in [&x, &x.transpose(0, 2).unwrap(), &x.narrow(1, 1, 2).unwrap(), &x.broadcast_as((5, 2, 3, 4)).unwrap()] {
        let (whole, part) = (held(&x), held(y));
        let (whole, part) = (whole.view().unwrap(), part.view().unwrap());
        let (whole, part) = (whole.typed::<i64>().unwrap(), part.typed::<i64>().unwrap());
        assert_eq!(part.shape(), y.dims());
        let first = part.to_vec()[0] as usize;
        assert_eq!(part.as_ptr(), whole.as_ptr().wrapping_add(first));
        assert_eq!(part.to_vec(), y.flatten_all().unwrap().to_vec1::<i64>().unwrap());
    }
}

#[test]
fn a_write_of_candles_is_seen() {
    let variable = Var::from_tensor(&Tensor::zeros(3, DType::F32, &Device::Cpu).unwrap()).unwrap();
    let sum = |tensor: &Tensor| held(tensor).view().unwrap().typed::<f32>().unwrap().to_vec().iter().sum::<f32>();
    assert_eq!(sum(&variable), 0.0);
    variable.set(&Tensor::ones(3, DType::F32, &Device::Cpu).unwrap()).unwrap();
    assert_eq!(sum(&variable), 3.0);
}

#[test]
fn elements_of_every_dtype_go_there_and_back() {
    for dtype in
        [DType::U8, DType::U32, DType::I16, DType::I32, DType::I64, DType::BF16, DType::F16, DType::F32, DType::F64]
    {
        let x = numbers().to_dtype(dtype).unwrap();
        let picked = ops::index_select(held(&x).view().unwrap(), 1, &[2i64, 0], &Rules::NEUTRAL).unwrap();
        let picked = into_tensor(picked).unwrap();
        assert_eq!((picked.dtype(), picked.dims()), (dtype, &[2, 2, 4][..]));
        let theirs = x.index_select(&Tensor::new(&[2u32, 0], &Device::Cpu).unwrap(), 1).unwrap();
        let all = |x: &Tensor| x.to_dtype(DType::F64).unwrap().flatten_all().unwrap().to_vec1::<f64>().unwrap();
        assert_eq!(all(&picked), all(&theirs));
    }
}

#[test]
fn what_is_not_viewed_is_named() {
    let x = numbers().to_dtype(DType::F32).unwrap().to_dtype(DType::F8E4M3).unwrap();
    let error = held(&x).view().err().unwrap();
    assert_eq!(error.kind(), Kind::Argument);
    assert!(error.to_string().contains("F8E4M3") && error.to_string().contains("to_dtype(DType::F32)"), "{error}");
    let error = into_tensor(takewise::tensor!([true, false])).unwrap_err();
    assert!(error.to_string().contains("candle has no elements like takewise's bool"), "{error}");
}
