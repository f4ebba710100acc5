//! `cumsum`: the sums of all elements up to each one.

use super::{converted, copy_into, dim, fresh, native, worked_out};
use crate::dtype::{DType, Element};
use crate::error::{DTypeRule, Fault, Result};
use crate::index::rules::{Conversion, Rules, Width};
use crate::notes::{Location, Note, note, watched};
use crate::op::Op;
use crate::tensor::Tensor;
use crate::values::convert::convert_as;
use crate::view::AnyView;
use half::{bf16, f16};
use num_complex::Complex;

/// The sums along `axis` of the elements up to and with each one: of the shape of `x`, row-major.
///
/// Elements are first cast to `dtype`, by default the input's own, int64 for integers and booleans; they are added in it one after the
/// other. Integers wrap. Where the rules have sums wide ([`Width`]), halves are added in float32 and other floats in float64, and each sum
/// is rounded once. Errors: kind `Axis` outside `[-r, r-1]`; kind `DType` for records; kind `Memory`. Cost: two passes, and another for wide
/// sums. Source: `numpy.cumsum`, `torch.cumsum` (wide).
///
/// ```
/// use takewise::{ops, Rules, View};
/// let x = View::new(&[1, 2, 3, 4, 5, 6], &[2, 3])?;
/// assert_eq!(ops::cumsum(&x, 1, None, &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 3, 6, 4, 9, 15]);
/// assert_eq!(ops::cumsum(&x, 0, None, &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 2, 3, 5, 7, 9]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn cumsum<'a>(x: impl Into<AnyView<'a>>, axis: i64, dtype: Option<DType>, rules: &Rules) -> Result<Tensor> {
    let (op, x) = (Op::CumSum, x.into());
    let d = dim(op, axis, x.rank(), rules)?;
    for given in [x.dtype(), dtype.unwrap_or(DType::I64)] {
        if given.is_foreign() {
            return Err(rules.fail(Fault::DType { op, rule: DTypeRule::Unsupported, given, wanted: None }));
        }
    }
    let mut room = None;
    let x = native(&x, &mut room)?;
    let whole = x.dtype() == DType::Bool || x.dtype().is_integer();
    let dtype = dtype.map_or(if whole { DType::I64 } else { x.dtype() }, DType::native);
    let wide = if rules.accumulate == Width::Wide { wider(dtype) } else { dtype };
    let mut sums = summed(&x, d, dtype, wide)?;
    if wide != dtype {
        let exact = sums;
        sums = fresh(x.shape(), dtype, |out| convert_as(&exact.read_any()?.view(), out, Conversion::IntegersChecked))?;
    }
    if x.shape().get(d).is_none_or(|&n| n > TOLD) {
        return worked_out(sums);
    }
    if watched() {
        let to = Location::of(&sums.read_any()?.view());
        note(|| Note::Running { input: Location::of(&x), axis: d, to });
    }
    Ok(sums)
}

/// Elements of a lane up to which who watches is told what each sum is made of; of more, the sums alone.
const TOLD: usize = 64;

/// What sums of a dtype are kept in where they are wide.
fn wider(dtype: DType) -> DType {
    match dtype {
        DType::F16 | DType::BF16 => DType::F32,
        DType::F32 => DType::F64,
        DType::C64 => DType::C128,
        other => other,
    }
}

/// The sums along an axis of elements cast to `dtype`, in `wide`.
fn summed(x: &AnyView<'_>, d: usize, dtype: DType, wide: DType) -> Result<Tensor> {
    let sums = fresh(x.shape(), wide, |out| {
        let (mut cast, mut widened) = (None, None);
        let own = converted(x, dtype, Conversion::IntegersChecked, &mut cast)?;
        copy_into(&converted(&own, wide, Conversion::IntegersChecked, &mut widened)?, out)
    })?;
    let inner: usize = x.shape().get(d + 1..).unwrap_or_default().iter().product();
    let lanes = Lanes { inner, block: inner * x.shape().get(d).copied().unwrap_or(1) };
    // Sums that wrap have the same bits with a sign as without one.
    let bits = sums.reinterpret(match wide {
        DType::I8 => DType::U8,
        DType::I16 => DType::U16,
        DType::I32 => DType::U32,
        DType::I64 => DType::U64,
        other => other,
    })?;
    match bits.dtype() {
        DType::Bool => lanes.add::<bool>(&sums, |a, b| a | b)?,
        DType::U8 => lanes.add(&bits, u8::wrapping_add)?,
        DType::U16 => lanes.add(&bits, u16::wrapping_add)?,
        DType::U32 => lanes.add(&bits, u32::wrapping_add)?,
        DType::U64 => lanes.add(&bits, u64::wrapping_add)?,
        DType::F16 => lanes.add::<f16>(&sums, |a, b| a + b)?,
        DType::BF16 => lanes.add::<bf16>(&sums, |a, b| a + b)?,
        DType::F32 => lanes.add::<f32>(&sums, |a, b| a + b)?,
        DType::F64 => lanes.add::<f64>(&sums, |a, b| a + b)?,
        DType::C64 => lanes.add::<Complex<f32>>(&sums, |a, b| a + b)?,
        DType::C128 => lanes.add::<Complex<f64>>(&sums, |a, b| a + b)?,
        _ => {}
    }
    Ok(sums)
}

/// Row-major lanes: how many elements lie from one of a lane to the next, and how many belong to lanes side by side.
struct Lanes {
    inner: usize,
    block: usize,
}

impl Lanes {
    fn add<T: Element>(&self, sums: &Tensor, add: impl Fn(T, T) -> T) -> Result<()> {
        let mut open = sums.write::<T>()?;
        let Some(elements) = open.as_mut_slice() else { return Ok(()) };
        for block in elements.chunks_mut(self.block.max(1)) {
            for at in self.inner..block.len() {
                block[at] = add(block[at - self.inner], block[at]);
            }
        }
        Ok(())
    }
}
