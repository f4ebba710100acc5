//! What a read gives where its index names nothing.

use crate::dtype::DType;
use crate::error::{DTypeRule, Fault, Result};
use crate::foreign;
use crate::index::rules::{Conversion, Fill, Outside};
use crate::plan::Plan;
use crate::values::number::{fits, scalar_bytes, swapped_bytes};

/// The fill value as one chunk of elements.
pub(super) fn fill_chunk(plan: &Plan, dtype: DType) -> Result<Vec<u8>> {
    let one = match (plan.rules.outside, plan.rules.fill) {
        (Outside::Drop, _) => [0; 16],
        // A library that looks at numbers at all has none that turn into others here.
        (_, Some(Fill::Number(value)))
            if matches!(plan.rules.conversion, Conversion::RangeChecked | Conversion::IntegersChecked)
                && !fits(value, dtype.native()) =>
        {
            return Err(plan.rules.fail(Fault::Scalar { op: plan.op, value, dtype }));
        }
        (_, Some(Fill::Number(value))) => scalar_bytes(plan.op, value, dtype, plan.rules.conversion, plan.rules.words)?,
        (_, Some(Fill::Element(bytes, own))) if own == dtype => bytes,
        (_, Some(Fill::Element(_, given))) => {
            let fault = Fault::DType { op: plan.op, rule: DTypeRule::Same, given, wanted: Some(dtype) };
            return Err(plan.rules.fail(fault));
        }
        (_, None) if dtype.is_foreign() => foreign::missing(plan.op, dtype)?,
        (_, None) => missing(dtype),
    };
    let mut chunk = super::room::room(plan, plan.chunk)?;
    chunk.resize(plan.chunk, 0);
    if plan.size <= 16 {
        chunk.chunks_mut(plan.size.max(1)).for_each(|c| c.copy_from_slice(&one[..c.len()]));
    }
    Ok(chunk)
}

/// What a read outside the array gives when no fill value is named (JAX's rule; SEMANTICS.md, Values outside): NaN, the
/// minimum of signed and the maximum of unsigned integers, true.
fn missing(dtype: DType) -> [u8; 16] {
    fn put<const N: usize>(bytes: [u8; N]) -> [u8; 16] {
        let mut out = [0; 16];
        out[..N].copy_from_slice(&bytes);
        out
    }
    match dtype {
        // The least of signed integers and NaN read in the other order are not what they were.
        DType::Opaque { .. } if dtype.native() != dtype => swapped_bytes(missing(dtype.native()), dtype),
        DType::Bool => put([1]),
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => [0xff; 16],
        DType::I8 => put(i8::MIN.to_ne_bytes()),
        DType::I16 => put(i16::MIN.to_ne_bytes()),
        DType::I32 => put(i32::MIN.to_ne_bytes()),
        DType::I64 => put(i64::MIN.to_ne_bytes()),
        DType::F16 => put(half::f16::NAN.to_ne_bytes()),
        DType::BF16 => put(half::bf16::NAN.to_ne_bytes()),
        DType::F32 | DType::C64 => put(f32::NAN.to_ne_bytes()),
        DType::F64 | DType::C128 => put(f64::NAN.to_ne_bytes()),
        DType::Opaque { .. } => [0; 16],
    }
}
