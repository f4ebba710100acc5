//! Sorting, and the order a `sorter` comes from.

use crate::dtype::DType;
use crate::error::{DTypeRule, Fault, Result};
use crate::index::rules::Rules;
use crate::kernel::sort::{self as kernel, Failed};
use crate::layout::normalize_dim;
use crate::tensor::Tensor;
use crate::view::AnyView;

/// The positions that sort `x` along `dim`: `i64`, of the shape of `x`.
///
/// NaN sorts after everything (first, when `descending`), `-0.0` and `0.0` are equal, `false` precedes
/// `true`, complex numbers sort as NumPy's do. The result is always the stable one: equal elements keep
/// their order, in descending sorts too. `stable` is torch's argument: it asks for what is given anyway.
/// A 0-d array gives position 0.
///
/// Errors: kind `Axis` if `dim` is outside `[-r, r-1]`; kind `DType` for records and dtypes the rules
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
    dim: i64,
    descending: bool,
    stable: bool,
    rules: &Rules,
) -> Result<Tensor> {
    let _ = stable;
    run("argsort", &x.into(), dim, descending, None, rules)
}

/// `x` sorted along `dim`, and the positions its elements came from ([`argsort`]).
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
    dim: i64,
    descending: bool,
    stable: bool,
    rules: &Rules,
) -> Result<(Tensor, Tensor)> {
    let _ = stable;
    let x = x.into();
    let mut values = Tensor::zeroed(x.shape(), x.dtype())?;
    let positions = run("sort", &x, dim, descending, Some(&mut values), rules)?;
    Ok((values, positions))
}

fn run(
    op: &'static str,
    x: &AnyView<'_>,
    dim: i64,
    descending: bool,
    values: Option<&mut Tensor>,
    rules: &Rules,
) -> Result<Tensor> {
    let dim = normalize_dim(op, dim, x.rank()).map_err(|e| e.in_words(rules.words))?;
    rules.check_data(op, x.dtype())?;
    let mut positions = Tensor::zeroed(x.shape(), DType::I64)?;
    let mut values = values.and_then(Tensor::unique);
    let Some(mut to) = positions.unique() else { return Ok(positions) };
    kernel::sort(x, dim, descending, &mut to, values.as_mut()).map_err(|why| {
        rules.fail(match why {
            Failed::Memory => Fault::Memory { op, bytes: x.numel().checked_mul(16) },
            Failed::Misfit => Fault::DType { op, rule: DTypeRule::Unsupported, given: x.dtype(), wanted: None },
        })
    })?;
    Ok(positions)
}
