//! Operands that are tensors: registered with the ledger for the length of a call.

use crate::error::{Fault, Result, ShapeRule};
use crate::exec::{Access, Reads};
use crate::index::rules::Rules;
use crate::op::Op;
use crate::tensor::Tensor;
use crate::view::AnyViewMut;

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
