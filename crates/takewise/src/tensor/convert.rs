//! Casting views.

use super::Tensor;
use crate::dtype::DType;
use crate::error::Result;
use crate::index::rules::Conversion;
use crate::values::convert::convert_as;
use crate::view::AnyView;

/// A fresh tensor, dense and in the memory order of `src`, with every element of `src` cast to `dtype` (see
/// [`convert_into`](crate::values::convert::convert_into) for what a cast does).
///
/// Errors: kind `Memory`; kind `DType` for records. Cost: one pass.
pub fn cast(src: &AnyView<'_>, dtype: DType, how: Conversion) -> Result<Tensor> {
    let mut out = Tensor::dense(src.layout().packed_as(src.dtype().size(), dtype.size())?, dtype)?;
    if let Some(dst) = out.unique() {
        convert_as(src, &mut dst.private(), how)?;
    }
    Ok(out)
}
