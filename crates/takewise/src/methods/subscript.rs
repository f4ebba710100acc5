//! Subscripts as methods of [`Tensor`]: views where only integers and slices take part, else reads and writes.

use crate::Index;
use crate::autograd::no_grad;
use crate::autograd::record::{self, Written};
use crate::error::Result;
use crate::exec::Reduce;
use crate::exec::{Access, Reads};
use crate::index::normalize;
use crate::index::rules::{Overlap, Rules};
use crate::index::slice::sliced;
use crate::node_op::NodeOp;
use crate::op::Op;
use crate::ops::assign::{
    ASSIGN, check_element, fill_view, is_lone_false, is_mask_fill, is_viewing, lowered, put, set,
};
use crate::ops::get::{OP, along_first, along_first_shape, gathered, opened, operands, selected, selects, with_open};
use crate::ops::{Source, filling, index, index_accumulate_, index_into, reading};
use crate::tensor::Tensor;
use crate::view::AnyView;
use crate::view::AnyViewMut;
use crate::{DType, Slice};
use smallvec::SmallVec;

impl Tensor {
    /// `self[items]`: shares storage where only integers, slices, `None` and `...` (and, in torch, 0-d integer
    /// tensors) take part; else a copy.
    ///
    /// Errors as [`ops::index`](crate::ops::index), and kind `Busy` while another call writes an operand.
    /// Cost of a view: no memory is touched.
    ///
    /// ```
    /// use takewise::{Rules, Tensor, ix};
    /// let x = Tensor::from_slice(&[1, 2, 3, 4, 5, 6], &[2, 3])?;
    /// let column = x.index(&ix![.., 1], &Rules::NEUTRAL)?;
    /// assert!(column.shares_memory(&x));
    /// let along_first = x.index(&ix![.., &Tensor::from_slice(&[2i64, 0], &[2])?], &Rules::NEUTRAL)?;
    /// assert_eq!(along_first.to_vec::<i32>()?, [3, 1, 6, 4]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn index(&self, items: &[Index<'_>], rules: &Rules) -> Result<Tensor> {
        let size = self.dtype().size();
        if let [Index::Range(slice)] = items
            && let Some((offset, layout)) = sliced(OP, self.layout(), slice, rules)?
        {
            return Ok(self.named(view_name(items), offset, layout));
        }
        if items.iter().all(is_basic) {
            let n = normalize(OP, self.layout(), size, items, rules)?;
            if !n.advanced {
                let (offset, layout) = n.view();
                return Ok(self.named(view_name(items), offset, layout));
            }
        }
        if let [Index::Tensor(index)] = items {
            let (at, dtype) = (index.layout(), index.dtype());
            let out = match along_first_shape(self.layout(), at, dtype, rules) {
                Some(shape) => {
                    Some(reading(OP, &[self, index], rules, |r| along_first(&r.get(0), &r.get(1), &shape, rules)))
                }
                None if selects(self.layout(), at, dtype, rules) => {
                    Some(reading(OP, &[self, index], rules, |r| selected(&r.get(0), &r.get(1), rules)))
                }
                None => None,
            };
            if let Some(out) = out {
                if let Ok(out) = &out {
                    record::index(out, self, items, rules)?;
                }
                return out;
            }
        }
        let out = reading(OP, &operands(self, items), rules, |reads| {
            let items = opened(items, reads, 1);
            let n = normalize(OP, self.layout(), size, &items, rules)?;
            if n.advanced {
                return gathered(&reads.get(0), &n, rules);
            }
            let (offset, layout) = n.view();
            Ok(self.named(view_name(&items), offset, layout))
        })?;
        if !out.shares_memory(self) {
            record::index(&out, self, items, rules)?;
        }
        Ok(out)
    }

    /// [`Tensor::index`] into `out`, which keeps its memory if it has the result's shape and is replaced
    /// otherwise (`true` if it had elements then). A wrong dtype is an error.
    pub fn index_out(&self, items: &[Index<'_>], out: &mut Tensor, rules: &Rules) -> Result<bool> {
        record::check_out(OP, &[self, out])?;
        filling(
            OP,
            out,
            &operands(self, items),
            rules,
            |reads, out| index_into(reads.get(0), &opened(items, reads, 1), out, rules),
            |reads| index(reads.get(0), &opened(items, reads, 1), rules),
        )
    }
}

impl Tensor {
    /// `self[items] = value`; see [`ops::index_set_`](crate::ops::index_set_).
    ///
    /// The value and the index arrays are read as they were before the first store: an operand that shares
    /// memory with what is written is copied, or the call refused with kind `Overlap`, by the rules.
    /// Errors also with kind `Busy` while another call uses an operand, `Argument` if the memory is read-only.
    ///
    /// ```
    /// use takewise::{Rules, Tensor, ix};
    /// let x = Tensor::from_slice(&[1i64, 2, 3, 4], &[4])?;
    /// x.index_set_(&ix![1..3], 0, &Rules::NEUTRAL)?;
    /// x.index_set_(&ix![&[true, false, false, false]], 9, &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [9, 0, 0, 4]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn index_set_<'v>(
        &self,
        items: &[Index<'_>],
        value: impl Into<Source<&'v Tensor>>,
        rules: &Rules,
    ) -> Result<()> {
        let value = value.into();
        if is_lone_false(items, rules) {
            return Ok(());
        }
        if let Some(part) = self.viewed(items, rules)? {
            // Whether memory is shared is asked of the value as stretched over the target (SEMANTICS.md, Overlap).
            let stretched = match value {
                Source::Array(t) if t.numel() > 1 && t.shape() != part.shape() => t.broadcast_to(part.shape()).ok(),
                _ => None,
            };
            let whole = match value {
                Source::Scalar(_) => NodeOp::FillNumber,
                Source::Array(t) if t.rank() == 0 => NodeOp::FillTensor,
                Source::Array(_) => NodeOp::Copy,
            };
            let source = stretched.as_ref().map_or(value, Source::Array);
            part.assign(
                Op::Copy,
                &[],
                source,
                rules.assign.overlap.unwrap_or(rules.overlap),
                rules,
                |_, value, dst| {
                    check_element(items, self.rank(), value, rules)?;
                    fill_view(dst, value, rules)
                },
            )?;
            record::fill(Written::InPlace(&part), whole, value.array());
            return Ok(());
        }
        let overlap = rules.assign.overlap.filter(|_| is_mask_fill(items, &value, rules)).unwrap_or(rules.overlap);
        let tensors = operands(self, items);
        self.assign(Op::IndexPut, &tensors[1..], value, overlap, rules, |reads, value, dst| {
            set(dst, &opened(items, reads, 0), value, rules)
        })?;
        record::index_put(Written::InPlace(self), set_name(items, value), items, value.array(), false, rules)
    }

    /// See [`ops::index_put_`](crate::ops::index_put_).
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// x.index_put_(&ix![&tensor!([0, 2])], &tensor!([7, 8]), false, &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [7, 2, 8]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn index_put_<'v>(
        &self,
        indices: &[Index<'_>],
        values: impl Into<Source<&'v Tensor>>,
        accumulate: bool,
        rules: &Rules,
    ) -> Result<()> {
        let tensors = operands(self, indices);
        let values = values.into();
        self.assign(Op::IndexPut, &tensors[1..], values, rules.overlap, rules, |reads, values, dst| {
            put(dst, &opened(indices, reads, 0), values, accumulate.then_some(Reduce::Sum), rules)
        })?;
        record::index_put(Written::InPlace(self), NodeOp::IndexPut, indices, values.array(), accumulate, rules)
    }

    /// [`Tensor::index_put_`] on a copy.
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// assert_eq!(x.index_put(&ix![&tensor!([0, 0])], 5, true, &Rules::NEUTRAL)?.to_vec::<i64>()?, [11, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn index_put<'v>(
        &self,
        indices: &[Index<'_>],
        values: impl Into<Source<&'v Tensor>>,
        accumulate: bool,
        rules: &Rules,
    ) -> Result<Tensor> {
        let values = values.into();
        let out = no_grad(|| {
            let out = self.clone_data()?;
            out.index_put_(indices, values, accumulate, rules)?;
            Ok::<Tensor, crate::Error>(out)
        })?;
        let to = Written::Copy { out: &out, of: self };
        record::index_put(to, NodeOp::IndexPut, indices, values.array(), accumulate, rules)?;
        Ok(out)
    }

    /// See [`ops::index_accumulate_`](crate::ops::index_accumulate_).
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let x = tensor!([1, 2, 3]);
    /// x.index_accumulate_(&ix![&tensor!([0, 0])], &tensor!([5, 4]), Reduce::Max, &Rules::NEUTRAL)?;
    /// assert_eq!(x.to_vec::<i64>()?, [5, 2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn index_accumulate_<'v>(
        &self,
        items: &[Index<'_>],
        values: impl Into<Source<&'v Tensor>>,
        how: Reduce,
        rules: &Rules,
    ) -> Result<()> {
        let tensors = operands(self, items);
        let values = values.into();
        self.assign(Op::IndexPut, &tensors[1..], values, rules.overlap, rules, |reads, values, dst| {
            index_accumulate_(dst, &opened(items, reads, 0), values.clone(), how, rules)
        })?;
        match how {
            Reduce::Sum => {
                record::index_put(Written::InPlace(self), NodeOp::IndexPut, items, values.array(), true, rules)
            }
            _ => {
                record::undefined(Written::InPlace(self), "a subscript that combines but does not add");
                Ok(())
            }
        }
    }

    /// The part a subscript without arrays names; `None` if arrays take part.
    fn viewed(&self, items: &[Index<'_>], rules: &Rules) -> Result<Option<Tensor>> {
        if !items.iter().all(|i| is_viewing(i, items.len(), rules)) {
            return Ok(None);
        }
        with_open(items, rules, |items| {
            let op = if matches!(items, [Index::Int(_)]) { ASSIGN } else { Op::Index };
            let n = normalize(op, self.layout(), self.dtype().size(), &lowered(items), rules)?;
            let (offset, layout) = n.view();
            let part = || {
                if is_whole(items) {
                    self.arranged(offset, layout)
                } else {
                    self.named(NodeOp::ViewWrite, offset, layout)
                }
            };
            Ok(n.arrays.is_empty().then(part))
        })
    }

    /// Registers index operands, value and `self`, and runs a write.
    fn assign(
        &self,
        op: Op,
        indices: &[&Tensor],
        value: Source<&Tensor>,
        overlap: Overlap,
        rules: &Rules,
        write: impl FnOnce(Reads<'_>, &Source<AnyView<'_>>, &mut AnyViewMut<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut tensors: SmallVec<[&Tensor; 4]> = SmallVec::from_slice(indices);
        if let Source::Array(t) = value {
            tensors.push(t);
        }
        let mut access = Access::begin(op, &tensors, Some(self), overlap, rules.words)?;
        let (reads, mut dst) = access.split();
        let value = match value {
            Source::Array(_) => Source::Array(reads.get(tensors.len() - 1)),
            Source::Scalar(s) => Source::Scalar(s),
        };
        write(reads, &value, &mut dst)
    }
}

/// The view a subscript makes: after the last item that does something; full slices do not, unless
/// one stands alone.
fn view_name(items: &[Index<'_>]) -> NodeOp {
    let idle = |i: &Index<'_>| matches!(i, Index::Range(s) if *s == Slice::ALL) || matches!(i, Index::Ellipsis);
    match items.iter().rev().find(|i| !idle(i)) {
        Some(Index::Range(_)) => NodeOp::Slice,
        Some(Index::NewAxis) => NodeOp::Unsqueeze,
        Some(_) => NodeOp::Select,
        None if matches!(items, [Index::Range(_)]) => NodeOp::Slice,
        None => NodeOp::Alias,
    }
}

/// Whether an item needs no memory to be read.
fn is_basic(item: &Index<'_>) -> bool {
    !matches!(item, Index::Array(_) | Index::Tensor(_))
}

/// Whether an item leaves everything in place.
fn is_whole(items: &[Index<'_>]) -> bool {
    let idle = |i: &Index<'_>| matches!(i, Index::Range(s) if *s == Slice::ALL) || matches!(i, Index::Ellipsis);
    items.iter().all(idle)
}

/// What torch makes of an assignment through arrays or masks: a number beside one of them fills; integers and slices
/// select a view first.
fn set_name(items: &[Index<'_>], value: Source<&Tensor>) -> NodeOp {
    let dtype = |i: &Index<'_>| match i {
        Index::Array(v) => Some(v.dtype()),
        Index::Tensor(t) => Some(t.dtype()),
        _ => None,
    };
    let arrays: Vec<_> = items.iter().filter_map(dtype).collect();
    let rest: Vec<Index<'_>> = items.iter().filter(|i| dtype(i).is_none()).cloned().collect();
    match (value, &arrays[..]) {
        _ if !is_whole(&rest) => NodeOp::ViewWrite,
        (Source::Scalar(_), [DType::Bool]) => NodeOp::MaskedFill,
        (Source::Scalar(_), [d]) if d.is_integer() => NodeOp::IndexFill,
        _ => NodeOp::IndexPut,
    }
}
