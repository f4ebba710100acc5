//! Rows of a table scaled down to a largest norm: what torch's `embedding` does with `max_norm`.

use super::take::positions;
use super::{combined, index_copy_, take_axis};
use crate::dtype::{DType, Scalar};
use crate::error::{DTypeRule, Fault, Result};
use crate::exec::Reduce;
use crate::index::rules::Rules;
use crate::notes::{Note, listed, note, watched};
use crate::op::Op;
use crate::tensor::Tensor;
use crate::view::{AnyView, AnyViewMut};

/// Scales each row of `table` that `index` names and whose norm of order `kind` is larger than `most` by
/// `most / (norm + 1e-7)`, once however often it is named. The norm is taken in float64 and rounded to the table's dtype.
///
/// Errors: kind `Index` for values outside; kind `DType` for tables that are not float. Nothing is written then. Cost: the
/// rows named. Source: torch.embedding_renorm_.
///
/// ```
/// use takewise::{ops, Rules, View, ViewMut};
/// let mut table = [3.0f32, 4.0, 0.3, 0.4];
/// ops::limit_rows_(&mut ViewMut::new(&mut table, &[2, 2])?.into(), &View::from(&[0i64, 0, 1][..]), 1.0, 2.0, &Rules::NEUTRAL)?;
/// assert_eq!(table, [0.6, 0.8, 0.3, 0.4]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn limit_rows_<'a>(
    table: &mut AnyViewMut,
    index: impl Into<AnyView<'a>>,
    most: f64,
    kind: f64,
    rules: &Rules,
) -> Result<()> {
    let (op, dtype, index) = (Op::IndexSelect, table.dtype(), index.into());
    if !dtype.is_float() {
        return Err(rules.fail(Fault::DType { op, rule: DTypeRule::Unsupported, given: dtype, wanted: None }));
    }
    let count = table.shape().first().copied().unwrap_or(0);
    let mut named = positions(op, &index, count, rules)?;
    named.sort_unstable();
    named.dedup();
    let named: Vec<i64> = named.into_iter().flatten().collect();
    listed(&named);
    let rows = take_axis(table.as_view(), 0, AnyView::from(&named[..]), &Rules::NEUTRAL)?.double()?;
    let width = table.shape()[1..].iter().product::<usize>().max(1);
    let norms =
        Tensor::from_vec(rows.to_vec::<f64>()?.chunks(width).map(|row| norm(row, kind)).collect(), &[rows.shape()[0]])?;
    let norms = norms.to(dtype)?.double()?.to_vec::<f64>()?;
    let large: Vec<i64> = (0i64..).zip(&norms).filter(|(_, n)| **n > most).map(|(k, _)| k).collect();
    if large.is_empty() {
        return Ok(());
    }
    // The factor is a number of the table's dtype, as torch has it.
    let scales: Vec<f64> = large.iter().map(|k| most / (norms[*k as usize] + 1e-7)).collect();
    let factors: Vec<Scalar> = if watched() { scales.iter().map(|v| Scalar::Float(*v)).collect() } else { Vec::new() };
    let scales = Tensor::from_vec(scales, &[large.len()])?;
    let first = scales.address();
    for (k, factor) in factors.into_iter().enumerate() {
        note(|| Note::Number { address: first + k * size_of::<f64>(), dtype: DType::F64, value: Some(factor) });
    }
    let scales = scales.to(dtype)?;
    listed(&large);
    let column: Vec<i64> = (0..rows.rank()).map(|d| if d == 0 { large.len() as i64 } else { 1 }).collect();
    let rows = take_axis(rows.read_any()?.view(), 0, AnyView::from(&large[..]), &Rules::NEUTRAL)?.to(dtype)?;
    let scales = scales.view(&column)?.broadcast_to(rows.shape())?;
    let rows = combined(&rows.read_any()?.view(), &scales.read_any()?.view(), Reduce::Prod)?;
    let places: Vec<i64> = large.iter().map(|k| named[*k as usize]).collect();
    listed(&places);
    index_copy_(table, 0, AnyView::from(&places[..]), rows.read_any()?.view(), &Rules::NEUTRAL)
}

fn norm(row: &[f64], kind: f64) -> f64 {
    let sizes = row.iter().map(|x| x.abs());
    match kind {
        0.0 => row.iter().filter(|x| **x != 0.0).count() as f64,
        1.0 => sizes.sum(),
        2.0 => sizes.map(|x| x * x).sum::<f64>().sqrt(),
        k if k == f64::INFINITY => sizes.fold(0.0, f64::max),
        k if k == f64::NEG_INFINITY => sizes.fold(f64::INFINITY, f64::min),
        k => sizes.map(|x| x.powf(k)).sum::<f64>().powf(1.0 / k),
    }
}
