//! `argmax` and `argmin`: where the greatest or least element of each lane stands first.

use super::compare::Relation;
use super::masked::masked_fill_;
use super::{Source, dim, fresh, lifted, native};
use crate::dtype::{DType, Scalar};
use crate::error::{DTypeRule, Fault, Result, ShapeRule};
use crate::foreign;
use crate::index::rules::Rules;
use crate::layout::Dims;
use crate::notes::{Location, Note, note, numbers, watched};
use crate::op::Op;
use crate::search::extreme::extreme;
use crate::tensor::Tensor;
use crate::view::AnyView;

/// Where the greatest element along `axis` stands first: `i64`, of the shape of `x` without that axis, or with extent 1 there if
/// `keep` says so.
///
/// NaN counts as greater than all else, so that the first one is found. Zeros are equal, `true` is greater than `false`, complex numbers
/// are compared by their real, then their imaginary parts. A 0-d array gives position 0.
///
/// Elements of foreign dtypes are compared as their library orders them; what is not equal to itself counts as NaN.
///
/// Errors: kind `Axis` outside `[-r, r-1]`; kind `Shape` if the axis has no elements; kind `DType` for records without an order; kind
/// `Memory`. Cost: one pass, of any strides, without a copy but for numbers in the other byte order and foreign dtypes. Source:
/// `torch.argmax`, `numpy.argmax`.
///
/// ```
/// use takewise::{ops, Rules, View};
/// let x = View::new(&[3.0f32, 7.0, 7.0, f32::NAN, 9.0, 1.0], &[2, 3])?;
/// assert_eq!(ops::argmax(&x, 1, false, &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 0]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn argmax<'a>(x: impl Into<AnyView<'a>>, axis: i64, keep: bool, rules: &Rules) -> Result<Tensor> {
    positions(Op::ArgMax, &x.into(), axis, keep, rules)
}

/// Where the least element along `axis` stands first, as [`argmax`] finds the greatest; NaN counts as less than all else.
///
/// ```
/// use takewise::{ops, Rules};
/// assert_eq!(ops::argmin(&[3, 1, 1, 2], 0, true, &Rules::NEUTRAL)?.to_vec::<i64>()?, [1]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn argmin<'a>(x: impl Into<AnyView<'a>>, axis: i64, keep: bool, rules: &Rules) -> Result<Tensor> {
    positions(Op::ArgMin, &x.into(), axis, keep, rules)
}

fn positions(op: Op, x: &AnyView<'_>, axis: i64, keep: bool, rules: &Rules) -> Result<Tensor> {
    let d = dim(op, axis, x.rank(), rules)?;
    if x.dtype().is_foreign() {
        let order = ordered(op, x).map_err(|e| e.in_words(rules.words))?;
        return positions(op, &order.read_any()?.view(), axis, keep, rules);
    }
    let unsupported = || rules.fail(Fault::DType { op, rule: DTypeRule::Unsupported, given: x.dtype(), wanted: None });
    let mut room = None;
    let own = native(x, &mut room)?;
    let lane = lifted(&own);
    let mut kept = Dims::<usize>::from_slice(lane.shape());
    if std::mem::replace(&mut kept[d], 1) == 0 {
        return Err(rules.fail(Fault::shape(op, ShapeRule::EmptyAxis, d, &[("input", x.shape())])));
    }
    let found = fresh(&kept, DType::I64, |out| match kept.contains(&0) {
        true => Ok(()),
        false => extreme(&lane, d, op == Op::ArgMax, out).map_err(|_| unsupported()),
    })?;
    if watched() {
        let open = found.read_any()?;
        note(|| Note::Found {
            input: Location::of(&lane),
            axis: d,
            to: Location::of(&open.view()),
            from: numbers(&open.view()).collect(),
        });
    }
    if keep && x.rank() > 0 {
        return Ok(found);
    }
    let layout = found.layout().squeeze(op, &[d as i64])?;
    Ok(found.arranged(0, layout))
}

/// Numbers in the order of elements that the engine has no numbers of. What is not equal to itself comes last in it, and first
/// where the least is looked for.
fn ordered(op: Op, x: &AnyView<'_>) -> Result<Tensor> {
    let mut order = fresh(x.shape(), DType::I64, |out| foreign::keys(op, &[x], &mut [out.reborrow()]))?;
    if op == Op::ArgMin {
        let odd = fresh(x.shape(), DType::Bool, |out| foreign::compare(x, x, Relation::Ne, out))?;
        if let Some(mut order) = order.unique() {
            let first = Source::Scalar(Scalar::Int(i64::MIN.into()));
            masked_fill_(&mut order, odd.read_any()?.view(), first, &Rules::NEUTRAL)?;
        }
    }
    Ok(order)
}
