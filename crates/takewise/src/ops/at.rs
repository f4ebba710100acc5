//! The elements at an address, read and written: what is left to do once an operation has checked its operands.

use super::{Made, Source, met, stored};
use crate::dtype::DType;
use crate::error::Result;
use crate::exec::{self, Out, Passage, Reduce};
use crate::index::rules::Rules;
use crate::op::Op;
use crate::plan::{Address, Between, Plan, recalled};
use crate::view::{AnyView, AnyViewMut};

/// How values are combined with what is there, whether that takes part, and the way to their dtype and back; `None` where
/// they replace it.
pub(super) type Merge<'p> = Option<(Reduce, bool, Option<&'p Passage>)>;

/// Reads the elements at an address of one index. Inlined: which operation it is decides where its plan is kept.
#[inline]
pub(super) fn read_at(
    op: Op,
    address: &Address,
    input: &AnyView,
    index: &AnyView,
    out: Out,
    rules: &Rules,
) -> Result<()> {
    let between = Between { indexed: input.layout(), linear: out.layout(), size: input.dtype().size() };
    let recalled = recalled(op, rules, address, index.layout(), between)?;
    let done = out.read(recalled.plan(), input, std::slice::from_ref(index));
    recalled.keep();
    done
}

/// Writes the elements at an address of one index: `values` has the shape of what would be read there.
pub(super) fn write_at(
    op: Op,
    address: &Address,
    dst: &mut AnyViewMut,
    index: &AnyView,
    values: &AnyView,
    combine: Merge,
    rules: &Rules,
) -> Result<()> {
    let between = Between { indexed: dst.layout(), linear: values.layout(), size: dst.dtype().size() };
    let recalled = recalled(op, rules, address, index.layout(), between)?;
    let done = store(recalled.plan(), values, std::slice::from_ref(index), dst, combine);
    recalled.keep();
    done
}

/// Runs a plan the way that writes.
pub(super) fn store(
    plan: &Plan,
    values: &AnyView,
    operands: &[AnyView],
    dst: &mut AnyViewMut,
    combine: Merge,
) -> Result<()> {
    match combine {
        None => exec::write(plan, values, operands, dst),
        Some((how, include_self, passage)) => {
            exec::accumulate_through(plan, values, operands, dst, how, include_self, passage)
        }
    }
}

/// The values of a write in the dtype they are stored in, or combined in, and the way of places there and back.
pub(super) fn incoming<'k>(
    op: Op,
    dtype: DType,
    source: &Source<AnyView<'k>>,
    how: Option<Reduce>,
    rules: &Rules,
    keep: &'k mut Made,
) -> Result<(AnyView<'k>, Option<Passage>)> {
    match how {
        None => Ok((stored(op, dtype, source, rules, keep)?, None)),
        Some(_) => met(op, dtype, source, rules, keep),
    }
}
