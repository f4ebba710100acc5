//! Private copies of arrays that share and overlap as the arrays themselves do.
//!
//! Arrays whose bytes lie within each other's reach are copied into one block, at the distances they have from each other and
//! at the same alignment. So a call on the copies meets what it would meet in the caller's memory, and changes none of it.

use std::sync::Arc;

use pyo3::prelude::*;
use takewise::tensor::Buffer;
use takewise::{DType, Layout, Tensor};

use crate::error::OrRaise;

/// A private copy.
pub(crate) struct Private {
    /// The elements, under the same layout.
    pub(crate) tensor: Tensor,
    /// The block they lie in, which other copies may lie in too.
    pub(crate) block: Arc<Buffer>,
    /// Bytes from the start of the block to the first element.
    pub(crate) offset: usize,
}

impl Private {
    /// The whole block as bytes.
    pub(crate) fn bytes(&self, py: Python<'_>) -> PyResult<Tensor> {
        let layout = Layout::contiguous(&[self.block.len()], 1).or_raise(py)?;
        Tensor::from_buffer(Arc::clone(&self.block), 0, layout, DType::U8).or_raise(py)
    }
}

/// Which bytes an array may touch: from, to.
pub(crate) fn extent(tensor: &Tensor) -> (usize, usize) {
    let start = tensor.data_ptr().addr();
    if tensor.numel() == 0 {
        return (start, start);
    }
    let (low, high) = tensor.layout().reach();
    (start.wrapping_add_signed(low), start.wrapping_add_signed(high) + tensor.dtype().size())
}

/// For each array the number of its group: those of a group reach into each other's bytes.
pub(crate) fn groups(tensors: &[&Tensor]) -> Vec<usize> {
    let extents: Vec<_> = tensors.iter().map(|tensor| extent(tensor)).collect();
    let mut order: Vec<usize> = (0..tensors.len()).collect();
    order.sort_by_key(|&k| extents[k]);
    let (mut group, mut end, mut found) = (0, 0, vec![0; tensors.len()]);
    for k in order {
        let (from, to) = extents[k];
        if from >= end {
            group += 1;
            end = to;
        }
        end = end.max(to);
        found[k] = group;
    }
    found
}

/// Copies of arrays of one group; where elements are not wanted, they are zero bytes that take no memory. Errors: no memory.
pub(crate) fn copied(py: Python<'_>, tensors: &[(&Tensor, bool)]) -> PyResult<Vec<Private>> {
    let extents = tensors.iter().map(|(tensor, _)| extent(tensor));
    let (low, high) = extents.fold((usize::MAX, 0), |(low, high), (from, to)| (low.min(from), high.max(to)));
    // The same address within a cache line, so that nothing is aligned that was not.
    let shift = low % 64;
    let block = Arc::new(Buffer::zeroed(high.saturating_sub(low).saturating_add(shift)).or_raise(py)?);
    let mut made = Vec::with_capacity(tensors.len());
    for (tensor, filled) in tensors {
        let layout = tensor.layout();
        let offset = tensor.data_ptr().addr() - low + shift;
        let copy = Tensor::from_buffer(Arc::clone(&block), offset, layout.clone(), tensor.dtype()).or_raise(py)?;
        if *filled && tensor.numel() > 0 {
            let axes: Vec<_> = layout.shape().iter().copied().zip(layout.strides().iter().copied()).collect();
            // SAFETY: L1: the layout reaches elements of either tensor alone, and nobody else has the block yet.
            unsafe { transfer(tensor.data_ptr(), copy.data_ptr(), &axes, tensor.dtype().size()) };
        }
        made.push(Private { tensor: copy, block: Arc::clone(&block), offset });
    }
    Ok(made)
}

/// Copies elements from one start to another under the same axes: extents, and bytes between neighbours.
///
/// # Safety
/// The axes reach memory that may be read from the first start on, written from the second (L1), and the two do not overlap.
unsafe fn transfer(from: *const u8, to: *mut u8, axes: &[(usize, isize)], size: usize) {
    match axes {
        // SAFETY: one element of either.
        [] => unsafe { std::ptr::copy_nonoverlapping(from, to, size) },
        [(extent, step)] if *step == size as isize => {
            // SAFETY: so many elements side by side.
            unsafe { std::ptr::copy_nonoverlapping(from, to, size * extent) }
        }
        [(extent, step), inner @ ..] => {
            // A repeated element is copied once.
            for k in 0..if *step == 0 { 1 } else { *extent as isize } {
                // SAFETY: an element within the axis.
                unsafe { transfer(from.wrapping_offset(k * step), to.wrapping_offset(k * step), inner, size) };
            }
        }
    }
}
