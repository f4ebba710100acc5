//! Subscripts, written: `x[...] = v`, `index_put`, and accumulation through a subscript.

use super::assign::{
    ASSIGN, check_element, fill_view, is_lone_false, is_mask_fill, is_viewing, lowered, put, set, store,
};
use super::get::{opened, operands, with_open};
use super::{Source, Value, copied};
use crate::autograd::no_grad;
use crate::autograd::record::{self, Written};
use crate::error::Result;
use crate::exec::Reduce;
use crate::index::rules::{Overlap, Rules};
use crate::index::{Index, normalize};
use crate::node_op::NodeOp;
use crate::op::Op;
use crate::tensor::{Access, Reads, Tensor};
use crate::view::{AnyView, AnyViewMut};
use crate::{DType, Slice};
use smallvec::SmallVec;

/// `dst[items] = value`.
///
/// What is written decides how: a view takes a converting broadcast copy; index arrays and masks take values of
/// the destination's dtype (if [`Rules::same_dtype`] says so, else converted); numbers are converted once, by
/// [`Rules::conversion`]. The value broadcasts to the shape reading `dst[items]` would have, leading axes of
/// extent 1 dropped first. Places named twice keep the last value in index order. Source: SEMANTICS.md, Assignment.
///
/// Errors: those of [`normalize()`]; kinds `Shape` (the value does not broadcast), `DType`, `Value` (the number
/// does not fit), `OutOfRange`; nothing is written on error. Cost: one pass over the values, one more over the
/// index values if some could be out of range; no temporaries but for converted values.
///
/// ```
/// use takewise::{ix, ops, ViewMut};
/// use takewise_dialects::rules::TORCH;
/// let mut x = [0i64; 6];
/// let mut dst = ViewMut::new(&mut x, &[2, 3]).unwrap().into();
/// ops::index_set_(&mut dst, &ix![.., &[2i64, 0]], &takewise::View::from(&[1i64, 2][..]), &TORCH.set).unwrap();
/// ops::index_set_(&mut dst, &ix![0, 1], 9, &TORCH.set).unwrap();
/// assert_eq!(x, [2, 9, 1, 2, 0, 1]);
/// ```
pub fn index_set_<'a>(
    dst: &mut AnyViewMut,
    items: &[Index<'_>],
    value: impl Into<Source<'a>>,
    rules: &Rules,
) -> Result<()> {
    let value = value.into();
    with_open(items, rules, |items| set(dst, items, &value, rules))
}

/// [`index_set_`] on a dense copy of `x`.
pub fn index_set<'a>(
    x: impl Into<AnyView<'a>>,
    items: &[Index<'_>],
    value: impl Into<Source<'a>>,
    rules: &Rules,
) -> Result<Tensor> {
    copied(&x.into(), |dst| index_set_(dst, items, value, rules))
}

/// `dst[indices] = values`, or with `accumulate` added to, through a subscript of index arrays and masks.
///
/// `values` (an array of the dtype of `dst`, or a number) broadcasts to the shape reading would give. With
/// `accumulate`, places named twice receive every value, in index order; booleans are ORed.
///
/// Errors: as [`index_set_`], and kind `Shape` if `indices` is empty. Source: Tensor.index_put_.
///
/// ```
/// use takewise::{ix, ops, View, ViewMut};
/// use takewise_dialects::rules::TORCH;
/// let mut x = [0.0f32; 3];
/// let mut dst = ViewMut::from(&mut x[..]).into();
/// let ones = [1.0f32];
/// ops::index_put_(&mut dst, &ix![&[0i64, 0, 2]], &View::from(&ones[..]), true, &TORCH.index_put).unwrap();
/// assert_eq!(x, [2.0, 0.0, 1.0]);
/// ```
pub fn index_put_<'a>(
    dst: &mut AnyViewMut,
    indices: &[Index<'_>],
    values: impl Into<Source<'a>>,
    accumulate: bool,
    rules: &Rules,
) -> Result<()> {
    let how = accumulate.then_some(Reduce::Sum);
    let values = values.into();
    with_open(indices, rules, |indices| put(dst, indices, &values, how, rules))
}

/// [`index_put_`] on a dense copy of `x`.
pub fn index_put<'a>(
    x: impl Into<AnyView<'a>>,
    indices: &[Index<'_>],
    values: impl Into<Source<'a>>,
    accumulate: bool,
    rules: &Rules,
) -> Result<Tensor> {
    copied(&x.into(), |dst| index_put_(dst, indices, values, accumulate, rules))
}

/// Combines `values` into `dst[items]`, once for every time a place is named, in index order: NumPy's `ufunc.at`
/// and JAX's `x.at[...].add`, `multiply`, `min`, `max`. Items may be of every kind.
///
/// Errors and broadcasting as [`index_set_`]. Source: NumPy's `ufunc.at`, JAX's `.at[...]` (SEMANTICS.md, Reductions).
///
/// ```
/// use takewise::{exec::Reduce, ix, ops, ViewMut};
/// use takewise_dialects::rules::NUMPY;
/// let mut x = [0, 0, 0];
/// let mut dst = ViewMut::from(&mut x[..]).into();
/// ops::index_accumulate_(&mut dst, &ix![&[0i64, 0, 2]], 1, Reduce::Sum, &NUMPY.index_add).unwrap();
/// assert_eq!(x, [2, 0, 1]);
/// ```
pub fn index_accumulate_<'a>(
    dst: &mut AnyViewMut,
    items: &[Index<'_>],
    values: impl Into<Source<'a>>,
    how: Reduce,
    rules: &Rules,
) -> Result<()> {
    let values = values.into();
    with_open(items, rules, |items| {
        let n = normalize(Op::IndexPut, dst.layout(), dst.dtype().size(), items, rules)?;
        store(Op::IndexPut, dst, &n, &values, Some(how), rules)
    })
}

/// Whether an item leaves everything in place.
fn is_whole(items: &[Index<'_>]) -> bool {
    let idle = |i: &Index<'_>| matches!(i, Index::Range(s) if *s == Slice::ALL) || matches!(i, Index::Ellipsis);
    items.iter().all(idle)
}

/// What torch makes of an assignment through arrays or masks: a number beside one of them fills; integers and slices
/// select a view first.
fn set_name(items: &[Index<'_>], value: Value<'_>) -> NodeOp {
    let dtype = |i: &Index<'_>| match i {
        Index::Array(v) => Some(v.dtype()),
        Index::Tensor(t) => Some(t.dtype()),
        _ => None,
    };
    let arrays: Vec<_> = items.iter().filter_map(dtype).collect();
    let rest: Vec<Index<'_>> = items.iter().filter(|i| dtype(i).is_none()).cloned().collect();
    match (value, &arrays[..]) {
        _ if !is_whole(&rest) => NodeOp::ViewWrite,
        (Value::Scalar(_), [DType::Bool]) => NodeOp::MaskedFill,
        (Value::Scalar(_), [d]) if d.is_integer() => NodeOp::IndexFill,
        _ => NodeOp::IndexPut,
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
    /// use takewise::{ix, Tensor};
    /// use takewise_dialects::rules::TORCH;
    /// let x = Tensor::from_slice(&[1i64, 2, 3, 4], &[4])?;
    /// x.index_set_(&ix![1..3], 0, &TORCH.set)?;
    /// x.index_set_(&ix![&[true, false, false, false]], 9, &TORCH.set)?;
    /// assert_eq!(x.to_vec::<i64>()?, [9, 0, 0, 4]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn index_set_<'v>(&self, items: &[Index<'_>], value: impl Into<Value<'v>>, rules: &Rules) -> Result<()> {
        let value = value.into();
        if is_lone_false(items, rules) {
            return Ok(());
        }
        if let Some(part) = self.viewed(items, rules)? {
            // Whether memory is shared is asked of the value as stretched over the target (SEMANTICS.md, Overlap).
            let stretched = match value {
                Value::Tensor(t) if t.numel() > 1 && t.shape() != part.shape() => t.broadcast_to(part.shape()).ok(),
                _ => None,
            };
            let whole = match value {
                Value::Scalar(_) => NodeOp::FillNumber,
                Value::Tensor(t) if t.rank() == 0 => NodeOp::FillTensor,
                Value::Tensor(_) => NodeOp::Copy,
            };
            let source = stretched.as_ref().map_or(value, Value::Tensor);
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
            record::fill(Written::InPlace(&part), whole, value.tensor());
            return Ok(());
        }
        let overlap = rules.assign.overlap.filter(|_| is_mask_fill(items, &value, rules)).unwrap_or(rules.overlap);
        let tensors = operands(self, items);
        self.assign(Op::IndexPut, &tensors[1..], value, overlap, rules, |reads, value, dst| {
            set(dst, &opened(items, reads, 0), value, rules)
        })?;
        record::index_put(Written::InPlace(self), set_name(items, value), items, value.tensor(), false, rules)
    }

    /// See [`ops::index_put_`](crate::ops::index_put_).
    pub fn index_put_<'v>(
        &self,
        indices: &[Index<'_>],
        values: impl Into<Value<'v>>,
        accumulate: bool,
        rules: &Rules,
    ) -> Result<()> {
        let tensors = operands(self, indices);
        let values = values.into();
        self.assign(Op::IndexPut, &tensors[1..], values, rules.overlap, rules, |reads, values, dst| {
            put(dst, &opened(indices, reads, 0), values, accumulate.then_some(Reduce::Sum), rules)
        })?;
        record::index_put(Written::InPlace(self), NodeOp::IndexPut, indices, values.tensor(), accumulate, rules)
    }

    /// [`Tensor::index_put_`] on a copy.
    pub fn index_put<'v>(
        &self,
        indices: &[Index<'_>],
        values: impl Into<Value<'v>>,
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
        record::index_put(to, NodeOp::IndexPut, indices, values.tensor(), accumulate, rules)?;
        Ok(out)
    }

    /// See [`ops::index_accumulate_`](crate::ops::index_accumulate_).
    pub fn index_accumulate_<'v>(
        &self,
        items: &[Index<'_>],
        values: impl Into<Value<'v>>,
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
                record::index_put(Written::InPlace(self), NodeOp::IndexPut, items, values.tensor(), true, rules)
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
        value: Value<'_>,
        overlap: Overlap,
        rules: &Rules,
        write: impl FnOnce(Reads<'_>, &Source<'_>, &mut AnyViewMut<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut tensors: SmallVec<[&Tensor; 4]> = SmallVec::from_slice(indices);
        if let Value::Tensor(t) = value {
            tensors.push(t);
        }
        let mut access = Access::begin(op, &tensors, Some(self), overlap, rules.words)?;
        let (reads, mut dst) = access.split();
        let value = match value {
            Value::Tensor(_) => Source::View(reads.get(tensors.len() - 1)),
            Value::Scalar(s) => Source::Scalar(s),
        };
        write(reads, &value, &mut dst)
    }
}
