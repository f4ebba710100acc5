//! Casting views.

use super::Tensor;
use crate::dtype::DType;
use crate::error::Result;
use crate::index::rules::Conversion;
use crate::kernel::convert::convert_as;
use crate::view::AnyView;

/// A fresh tensor, dense and in the memory order of `src`, with every element of `src` cast to `dtype` (see
/// [`convert_into`](crate::kernel::convert::convert_into) for what a cast does).
///
/// Errors: kind `Memory`; kind `DType` for records. Cost: one pass.
pub fn cast(src: &AnyView<'_>, dtype: DType, how: Conversion) -> Result<Tensor> {
    let mut out = Tensor::dense(src.layout().packed_as(src.dtype().size(), dtype.size())?, dtype)?;
    if let Some(dst) = out.unique() {
        convert_as(src, &mut dst.private(), how)?;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn casts_views_of_any_stride() {
        let data: Vec<i64> = (0..600).map(|v| v - 300).collect();
        let x = crate::View::strided(&data, 599, &[20, 30], &[-1, -20]).unwrap();
        let got = cast(&x.any(), DType::I8, Conversion::RangeChecked).unwrap();
        let want: Vec<i8> = x.to_vec().into_iter().map(|v| v as i8).collect();
        assert_eq!(got.to_vec::<i8>().unwrap(), want);
    }

    #[test]
    fn same_dtype_shares_and_doubles_round_through_single() {
        let v = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
        let x = Tensor::from_slice(&[v], &[1]).unwrap();
        assert_eq!(x.half().unwrap().to_vec::<crate::f16>().unwrap()[0].to_f64(), 1.0);
        let once = cast(&x.read_any().unwrap().view(), DType::F16, Conversion::IntegersChecked).unwrap();
        assert_eq!(once.to_vec::<crate::f16>().unwrap()[0].to_f64(), 1.0 + 2f64.powi(-10));
        x.double().unwrap().write::<f64>().unwrap().set(&[0], 5.0);
        assert_eq!(x.to_vec::<f64>().unwrap(), [5.0]);
    }
}
