//! `nonzero` and `argwhere`: where an array is not zero.
//!
//! Coordinates are written straight into the result's columns, block by block; no list of positions is kept.

use super::{check_out, truths};
use crate::dtype::DType;
use crate::error::{Fault, Result, ShapeRule};
use crate::exec::nonzero as kernel;
use crate::index::mask::count;
use crate::index::rules::{Rules, ZeroDim};
use crate::layout::Layout;
use crate::node_op::NodeOp;
use crate::op::Op;
use crate::tensor::Tensor;
use crate::view::{AnyView, AnyViewMut};

/// Coordinates of the elements that are not zero, in row-major order: shape (count, rank), dtype i64. The memory
/// is column by column (strides (1, count) in elements), as torch's.
///
/// NaN and subnormals are not zero, -0.0 is. Numbers in the other byte order are converted first; which elements of a
/// foreign dtype are true its library says ([`crate::foreign`]). A 0-d input gives shape (1, 0) or (0, 0). Errors: kind `DType`,
/// `Memory`. Cost: one pass to count, one to write; for dtypes other than `bool` the count looks at every element.
/// Source: torch.nonzero (SEMANTICS.md, Where and nonzero).
///
/// ```
/// use takewise::{ops, Rules, View};
/// let x = [1, 0, 2, 0, 3, 0];
/// let got = ops::nonzero(&View::new(&x, &[2, 3]).unwrap(), &Rules::NEUTRAL).unwrap();
/// assert_eq!(got.to_vec::<i64>().unwrap(), [0, 0, 0, 2, 1, 1]);
/// ```
pub fn nonzero<'a>(input: impl Into<AnyView<'a>>, rules: &Rules) -> Result<Tensor> {
    let (input, mut keep) = (input.into(), None);
    check(&input, rules)?;
    coordinates(&truths(Op::Nonzero, &input, &mut keep).map_err(|e| e.in_words(rules.words))?, rules)
}

fn check(input: &AnyView, rules: &Rules) -> Result<()> {
    if input.rank() == 0 && rules.zero_dim == ZeroDim::NoAxis {
        return Err(rules.fail(Fault::shape(Op::Nonzero, ShapeRule::ZeroDim, 0, &[("input", input.shape())])));
    }
    rules.check_data(Op::Nonzero, input.dtype())
}

fn coordinates(input: &AnyView, rules: &Rules) -> Result<Tensor> {
    let columns = kernel::found(input, rules)?;
    let n = columns.shape()[1];
    let size = DType::I64.size() as isize;
    Ok(columns.arranged(0, Layout::new(&[n, input.rank()], &[size, size * n as isize])?))
}

/// [`nonzero`] into memory of shape (count, rank) and dtype i64, of any strides.
///
/// ```
/// use takewise::prelude::*;
/// let mut out = [0i64; 4];
/// let x = View::new(&[0, 1, 1, 0], &[2, 2])?;
/// ops::nonzero_into(&x, &mut ViewMut::new(&mut out, &[2, 2])?.into(), &Rules::NEUTRAL)?;
/// assert_eq!(out, [0, 1, 1, 0]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn nonzero_into<'a>(input: impl Into<AnyView<'a>>, out: &mut AnyViewMut, rules: &Rules) -> Result<()> {
    let (input, mut keep) = (input.into(), None);
    check(&input, rules)?;
    let input = truths(Op::Nonzero, &input, &mut keep).map_err(|e| e.in_words(rules.words))?;
    let n = kernel::count(&input);
    check_out(Op::Nonzero, out, DType::I64, &[n, input.rank()], rules)?;
    let turned: Layout = out.layout().permute(&[1, 0]);
    kernel::columns(&input, &mut out.reborrow().rearranged(0, turned), rules)
}

/// The columns of [`nonzero`] as one 1-d array per axis; a 0-d input counts as 1-d. Source: torch.
///
/// ```
/// use takewise::prelude::*;
/// let x = View::new(&[0, 5, 0, 0, 0, 6], &[2, 3])?;
/// let columns = ops::nonzero_tuple(&x, &Rules::NEUTRAL)?;
/// assert_eq!((columns[0].to_vec::<i64>()?, columns[1].to_vec::<i64>()?), (vec![0, 1], vec![1, 2]));
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn nonzero_tuple<'a>(input: impl Into<AnyView<'a>>, rules: &Rules) -> Result<Vec<Tensor>> {
    let (input, mut keep) = (input.into(), None);
    check(&input, rules)?;
    let input = truths(Op::Nonzero, &input, &mut keep).map_err(|e| e.in_words(rules.words))?;
    let input = super::lifted(&input);
    let columns = kernel::found(&input, rules)?;
    let (n, size) = (columns.shape()[1], DType::I64.size());
    let column = Layout::contiguous(&[n], size)?;
    // Row after row of a row-major tensor, each a part of it.
    let place = |d: usize| (d * n * size) as isize;
    Ok((0..input.rank()).map(|d| columns.named(NodeOp::Select, place(d), column.clone())).collect())
}

/// [`nonzero`], but 0-d inputs are accepted under any rules, as NumPy's `argwhere` does.
///
/// ```
/// use takewise::prelude::*;
/// let got = ops::argwhere(&[0.0, 2.0, 3.0], &Rules::NEUTRAL)?;
/// assert_eq!((got.shape(), got.to_vec::<i64>()?), (&[2, 1][..], vec![1, 2]));
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn argwhere<'a>(input: impl Into<AnyView<'a>>, rules: &Rules) -> Result<Tensor> {
    let (input, mut keep) = (input.into(), None);
    rules.check_data(Op::ArgWhere, input.dtype())?;
    coordinates(&truths(Op::ArgWhere, &input, &mut keep).map_err(|e| e.in_words(rules.words))?, rules)
}

/// How many elements of a mask are true; one pass, no memory.
///
/// ```
/// use takewise::prelude::*;
/// assert_eq!(ops::count_true(&[true, false, true]), 2);
/// ```
pub fn count_true<'a>(mask: impl Into<AnyView<'a>>) -> usize {
    count(&mask.into())
}
