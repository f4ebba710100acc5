//! Sorting, and the order a `sorter` comes from.

use super::{fresh, native};
use crate::dtype::DType;
use crate::error::{DTypeRule, Fault, Result};
use crate::foreign::{self, COMPLEX_HALF};
use crate::index::rules::Rules;
use crate::layout::normalize_dim;
use crate::op::Op;
use crate::search::sort::{self as kernel, Failed};
use crate::tensor::Tensor;
use crate::view::AnyView;

/// The positions that sort `x` along `axis`: `i64`, of the shape of `x`.
///
/// NaN sorts after everything (first, when `descending`), `-0.0` and `0.0` are equal, `false` precedes
/// `true`, complex numbers sort as NumPy's do. The result is always the stable one: equal elements keep
/// their order, in descending sorts too. `stable` is torch's argument: it asks for what is given anyway.
/// A 0-d array gives position 0.
///
/// Numbers in the other byte order and dates are sorted by a temporary of as many numbers. Errors: kind `Axis` if `axis`
/// is outside `[-r, r-1]`; kind `DType` for records and dtypes the rules
/// refuse; kind `Memory`.
///
/// Cost: `n log n` per lane, and scratch of 8 to 32 bytes an element for one lane a thread. Any strides,
/// no copy of `x`. Source: `torch.argsort`, `numpy.argsort` (kind `stable`).
///
/// ```
/// use takewise::{ops, Rules};
/// let x = [2.0f32, f32::NAN, 1.0, 2.0];
/// let order = ops::argsort(&x, -1, false, true, &Rules::NEUTRAL).unwrap();
/// assert_eq!(order.to_vec::<i64>().unwrap(), [2, 0, 3, 1]);
/// ```
pub fn argsort<'a>(
    x: impl Into<AnyView<'a>>,
    axis: i64,
    descending: bool,
    stable: bool,
    rules: &Rules,
) -> Result<Tensor> {
    let _ = stable;
    let (x, mut keep) = (x.into(), None);
    run(Op::ArgSort, &keyed(Op::ArgSort, &x, &mut keep, rules)?, axis, descending, None, rules)
}

/// `x` sorted along `axis`, and the positions its elements came from ([`argsort`]).
///
/// Elements are moved bit by bit: NaN payloads and signs of zero are kept. Errors and cost as [`argsort`].
/// Source: `torch.sort`.
///
/// ```
/// use takewise::{ops, Rules, View};
/// let x = [3, 1, 2, 9, 8, 7];
/// let x = View::new(&x, &[2, 3]).unwrap();
/// let (values, order) = ops::sort(&x, 1, true, true, &Rules::NEUTRAL).unwrap();
/// assert_eq!(values.to_vec::<i32>().unwrap(), [3, 2, 1, 9, 8, 7]);
/// assert_eq!(order.to_vec::<i64>().unwrap(), [0, 2, 1, 0, 1, 2]);
/// ```
pub fn sort<'a>(
    x: impl Into<AnyView<'a>>,
    axis: i64,
    descending: bool,
    stable: bool,
    rules: &Rules,
) -> Result<(Tensor, Tensor)> {
    let _ = stable;
    let x = x.into();
    if let DType::Opaque { .. } = x.dtype() {
        let mut keep = None;
        let positions = run(Op::Sort, &keyed(Op::Sort, &x, &mut keep, rules)?, axis, descending, None, rules)?;
        let open = positions.read_any()?;
        let values = match x.rank() {
            0 => super::copy(&x)?,
            _ => super::take_along(&x, Some(axis), open.view(), &Rules::NEUTRAL)?,
        };
        drop(open);
        return Ok((values, positions));
    }
    let mut values = Tensor::zeroed(x.shape(), x.dtype())?;
    let positions = run(Op::Sort, &x, axis, descending, Some(&mut values), rules)?;
    Ok((values, positions))
}

/// What is sorted instead of elements whose order the engine does not know.
fn keyed<'k>(op: Op, x: &AnyView<'k>, keep: &'k mut Option<Tensor>, rules: &Rules) -> Result<AnyView<'k>> {
    rules.check_data(op, x.dtype())?;
    // Whoever has no order of complex numbers has none of halves, either.
    if x.dtype().name() == COMPLEX_HALF && !rules.data.has(DType::C64) {
        return Err(rules.fail(Fault::DType { op, rule: DTypeRule::Unsupported, given: x.dtype(), wanted: None }));
    }
    if !x.dtype().is_foreign() {
        return native(x, keep);
    }
    let keys = fresh(x.shape(), DType::I64, |out| foreign::keys(op, &[x], &mut [out.reborrow()]));
    let keys = keys.map_err(|e| e.in_words(rules.words))?;
    Ok(keep.insert(keys).unique_view().unwrap_or_else(|| AnyView::from(&[] as &[u8])))
}

fn run(
    op: Op,
    x: &AnyView<'_>,
    axis: i64,
    descending: bool,
    values: Option<&mut Tensor>,
    rules: &Rules,
) -> Result<Tensor> {
    let axis = normalize_dim(op, axis, x.rank()).map_err(|e| e.in_words(rules.words))?;
    rules.check_data(op, x.dtype())?;
    let mut positions = Tensor::zeroed(x.shape(), DType::I64)?;
    let mut values = values.and_then(Tensor::unique);
    let Some(mut to) = positions.unique() else { return Ok(positions) };
    kernel::sort(x, axis, descending, &mut to, values.as_mut()).map_err(|why| {
        rules.fail(match why {
            Failed::Memory => Fault::Memory { op, bytes: x.numel().checked_mul(16) },
            Failed::Misfit => Fault::DType { op, rule: DTypeRule::Unsupported, given: x.dtype(), wanted: None },
        })
    })?;
    Ok(positions)
}
