//! Putting operations on the tape by hand.
//!
//! The methods of [`Tensor`] record themselves. These functions are for those who run [`crate::ops`] on views of
//! tensors and want the result to take part in [`Tensor::backward`]: call the function named after the operation, with
//! its result and its operands, once it has run. Where no operand requires a gradient, or recording is off
//! ([`no_grad`](super::no_grad)), they return at once. Operands are kept by reference, with their version: changing one
//! in place before the way back makes that fail (kind `Argument`).

mod fold;
mod read;
mod reduce;
mod write;

pub use fold::*;
pub use read::*;
pub(crate) use reduce::*;
pub use write::*;

pub use super::tape::Written;

use super::places::Addressed;
use super::tape::{self, Map, RecordedWrite};
use super::write::{Of, Write};
use crate::Index;
use crate::error::Result;
use crate::index::rules::Rules;
use crate::node_op::NodeOp;
use crate::op::Op;
use crate::ops::{self, sum_to};
use crate::plan::Address;
use crate::tensor::Tensor;
use std::sync::Arc;

/// Records `out` as what an operation reads of `input` at an address. `input` broadcasts to an array of shape `whole`.
#[inline]
pub(crate) fn read_at(
    out: &Tensor,
    input: &Tensor,
    whole: &[usize],
    names: [NodeOp; 2],
    at: (Op, Address, &Rules),
    operands: &[&Tensor],
) {
    if tape::tracked(&[input]) {
        tracked_read(out, input, whole, names, at, operands);
    }
}

fn tracked_read(
    out: &Tensor,
    input: &Tensor,
    whole: &[usize],
    names: [NodeOp; 2],
    (op, address, rules): (Op, Address, &Rules),
    operands: &[&Tensor],
) {
    let at = Arc::new((Addressed::new(op, address, rules), whole.to_vec()));
    let there = at.clone();
    tape::read(
        out,
        input,
        names,
        operands,
        move |shape, g, s| sum_to(at.0.places(s, &at.1)?.scattered(g)?, shape),
        move |x, s| {
            let (at, whole) = &*there;
            at.places(s, whole)?.read(&x.rearranged(0, x.layout().broadcast_to(Op::BroadcastTo, whole)?))
        },
    );
}

/// Records a write at an address, of a source or of a number if `None`.
#[inline]
fn write_at(to: Written, source: Option<&Tensor>, names: [NodeOp; 3], write: Write, operands: &[&Tensor]) {
    if tape::stored(to, source) {
        tracked_write(to, source, names, write, operands);
    }
}

fn tracked_write(to: Written, source: Option<&Tensor>, names: [NodeOp; 3], write: Write, operands: &[&Tensor]) {
    let write = Arc::new(write);
    let (theirs, put) = (write.clone(), write.clone());
    let own: Option<Map> = match write.sums {
        true => None,
        false => Some(Box::new(move |g, s| write.gradient(g, Of::Input, s))),
    };
    tape::write(
        RecordedWrite { to, source, names, saved: operands },
        own,
        move |shape, g, s| theirs.gradient(g, Of::Source(shape), s),
        move |whole, v, s| put.put(whole, v, s),
    );
}

/// The address of a subscript, and its arrays to keep. Error: kind `Memory` (arrays that no tensor holds are copied).
fn kept(items: &[Index<'_>]) -> Result<(Address, Vec<Tensor>)> {
    let (address, arrays) = Address::items(items);
    let keep = |item: &Index<'_>| match item {
        Index::Tensor(t) => Some(Ok((*t).clone())),
        Index::Array(v) => Some(ops::copy(v)),
        _ => None,
    };
    Ok((address, arrays.into_iter().filter_map(keep).collect::<Result<_>>()?))
}
