//! Putting operations on the tape by hand.
//!
//! The methods of [`Tensor`] record themselves. These functions are for those who run [`crate::ops`] on views of
//! tensors and want the result to take part in [`Tensor::backward`]: call the function named after the operation, with
//! its result and its operands, once it has run. Where no operand requires a gradient, or recording is off
//! ([`no_grad`](super::no_grad)), they return at once. Operands are kept by reference, with their version: changing one
//! in place before the way back makes that fail (kind `Argument`).

mod read;
mod reduce;
mod write;

pub use read::{
    RowGradient, cast, check_out, copied, gather, gather_axis, gather_nd, index, index_select, masked_select, negated,
    reversed, rows, scatter_nd, sorted, sum, take, take_along, where_,
};
pub use reduce::{index_reduce, scatter_reduce};
pub use write::{
    before, diagonal_scatter, fill, index_add, index_copy, index_fill, index_put, masked_fill, masked_scatter, put,
    put_along, scatter, scatter_add, select_scatter, set_view, slice_scatter, tensor_scatter, undefined,
};

pub use super::tape::Written;

use crate::error::Result;
use crate::index::Index;
use crate::layout::Slice;
use crate::ops;
use crate::tensor::Tensor;
use crate::view::AnyView;

/// An item of a subscript that outlives the call; arrays are numbered among the saved operands.
enum Kept {
    Int(i64),
    Range(Slice),
    NewAxis,
    Ellipsis,
    Bool(bool),
    Saved(usize),
}

/// Items to keep, and the arrays among them.
fn kept(items: &[Index<'_>]) -> Result<(Vec<Kept>, Vec<Tensor>)> {
    let mut arrays = Vec::new();
    let mut list = Vec::with_capacity(items.len());
    for item in items {
        list.push(match item {
            Index::Int(i) => Kept::Int(*i),
            Index::Range(s) => Kept::Range(*s),
            Index::NewAxis => Kept::NewAxis,
            Index::Ellipsis => Kept::Ellipsis,
            Index::Bool(b) => Kept::Bool(*b),
            Index::Tensor(t) => {
                arrays.push((*t).clone());
                Kept::Saved(arrays.len() - 1)
            }
            Index::Array(v) => {
                arrays.push(ops::copy(v)?);
                Kept::Saved(arrays.len() - 1)
            }
        });
    }
    Ok((list, arrays))
}

/// The items again.
fn items<'a>(kept: &[Kept], arrays: &[AnyView<'a>]) -> Vec<Index<'a>> {
    kept.iter()
        .map(|item| match item {
            Kept::Int(i) => Index::Int(*i),
            Kept::Range(s) => Index::Range(*s),
            Kept::NewAxis => Index::NewAxis,
            Kept::Ellipsis => Index::Ellipsis,
            Kept::Bool(b) => Index::Bool(*b),
            Kept::Saved(k) => arrays.get(*k).map_or(Index::NewAxis, |v| Index::Array(v.clone())),
        })
        .collect()
}
