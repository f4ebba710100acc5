//! Operands that are tensors: registered with the ledger for the length of a call.

use crate::dtype::Scalar;
use crate::error::{Fault, Result, ShapeRule};
use crate::exec::{Access, Reads};
use crate::index::rules::Rules;
use crate::op::Op;
use crate::tensor::Tensor;
use crate::view::AnyViewMut;

/// What a write through a tensor stores, and what a search in one looks for: a [`Source`](super::Source) whose array is
/// a tensor, since a tensor's memory is registered for the length of the call, and its gradient may be wanted.
///
/// ```
/// use takewise::prelude::*;
/// let x = tensor!([1, 2, 3]);
/// x.put_(&tensor!([0, 1]), &tensor!([7, 8]), false, &Rules::NEUTRAL)?; // a tensor
/// x.put_(&tensor!([2]), 9, false, &Rules::NEUTRAL)?; // a number
/// assert_eq!(x.to_vec::<i64>()?, [7, 8, 9]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy)]
pub enum Value<'a> {
    /// The elements of a tensor.
    Tensor(&'a Tensor),
    /// One number.
    Scalar(Scalar),
}

impl<'a> From<&'a Tensor> for Value<'a> {
    fn from(t: &'a Tensor) -> Value<'a> {
        Value::Tensor(t)
    }
}

impl<S: Into<Scalar>> From<S> for Value<'_> {
    fn from(s: S) -> Self {
        Value::Scalar(s.into())
    }
}

impl<'a> Value<'a> {
    /// The tensor, if it is one.
    pub(crate) fn tensor(self) -> Option<&'a Tensor> {
        match self {
            Value::Tensor(t) => Some(t),
            Value::Scalar(_) => None,
        }
    }
}

/// Registers `reads` and runs `f` on them.
pub(crate) fn reading<R>(op: Op, reads: &[&Tensor], rules: &Rules, f: impl FnOnce(Reads) -> Result<R>) -> Result<R> {
    let access = Access::reading(op, reads, rules.words)?;
    f(access.reads())
}

/// Registers `reads` and the destination and runs `f` on them.
pub(crate) fn writing<R>(
    op: Op,
    dst: &Tensor,
    reads: &[&Tensor],
    rules: &Rules,
    f: impl FnOnce(Reads, &mut AnyViewMut) -> Result<R>,
) -> Result<R> {
    let mut access = Access::begin(op, reads, Some(dst), rules.overlap, rules.words)?;
    let (reads, mut dst) = access.split();
    f(reads, &mut dst)
}

/// Fills `out` in its own memory if it has the result's shape; else replaces it by a fresh result. `true` if it
/// was replaced and had elements (torch warns then). A wrong dtype is an error. See SEMANTICS.md, Result arguments.
pub(crate) fn filling(
    op: Op,
    out: &mut Tensor,
    reads: &[&Tensor],
    rules: &Rules,
    into: impl FnOnce(Reads, &mut AnyViewMut) -> Result<()>,
    fresh: impl FnOnce(Reads) -> Result<Tensor>,
) -> Result<bool> {
    match writing(op, out, reads, rules, into) {
        Ok(()) => Ok(false),
        Err(e) if matches!(e.fault(), Fault::Shape { rule: ShapeRule::Out, .. }) => {
            let had = out.numel() > 0;
            *out = reading(op, reads, rules, fresh)?;
            Ok(had)
        }
        Err(e) => Err(e),
    }
}
