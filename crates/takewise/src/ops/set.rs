//! Subscripts, written: `x[...] = v`, `index_put`, and accumulation through a subscript.

use super::get::{index_operands, opened, operands, plan, with_open};
use super::{Kept, Single, Source, Value, copied, copy_into, stored};
use crate::dtype::{DType, Scalar};
use crate::error::{DTypeRule, Error, Fault, Result, ShapeRule};
use crate::exec::{self, Reduce};
use crate::index::rules::{AssignRules, Conversion, FalseIndex, MaskValue, Overlap, Rules};
use crate::index::{Dialect, Index, Normalized, normalize};
use crate::kernel::convert::convert_as;
use crate::kernel::number::{element_scalar, saturated_half};
use crate::layout::{Layout, broadcast_strides};
use crate::tensor::{Access, Reads, Tensor};
use crate::view::{AnyView, AnyViewMut};
use smallvec::SmallVec;

/// The name torch gives the conversion of a number that is assigned.
const ASSIGN: &str = "setitem";

/// A number stored through one index array: worded as torch's `index_fill`, which numbers dimensions differently.
const FILL: &str = "index_fill(subscript)";

/// `dst[items] = value`.
///
/// What is written decides how: a view takes a converting broadcast copy; index arrays and masks take values of
/// the destination's dtype (if [`Rules::same_dtype`] says so, else converted); numbers are converted once, by
/// [`Rules::conversion`]. The value broadcasts to the shape reading `dst[items]` would have, leading axes of
/// extent 1 dropped first. Places named twice keep the last value in index order. Source: spec 5.
///
/// Errors: those of [`normalize()`]; kinds `Shape` (the value does not broadcast), `DType`, `Value` (the number
/// does not fit), `OutOfRange`; nothing is written on error. Cost: one pass over the values, one more over the
/// index values if some could be out of range; no temporaries but for converted values.
///
/// ```
/// use takewise::{ix, index::TORCH, ops, ViewMut};
/// let mut x = [0i64; 6];
/// let mut dst = ViewMut::new(&mut x, &[2, 3]).unwrap().into();
/// ops::index_set_(&mut dst, &ix![.., &[2i64, 0]], &takewise::View::from(&[1i64, 2][..]), &TORCH).unwrap();
/// ops::index_set_(&mut dst, &ix![0, 1], 9, &TORCH).unwrap();
/// assert_eq!(x, [2, 9, 1, 2, 0, 1]);
/// ```
pub fn index_set_<'a>(
    dst: &mut AnyViewMut,
    items: &[Index<'_>],
    value: impl Into<Source<'a>>,
    dialect: &Dialect,
) -> Result<()> {
    let (value, rules) = (value.into(), &dialect.set);
    with_open(items, rules, |items| set(dst, items, &value, dialect))
}

/// [`index_set_`] on a dense copy of `x`.
pub fn index_set<'a>(
    x: impl Into<AnyView<'a>>,
    items: &[Index<'_>],
    value: impl Into<Source<'a>>,
    dialect: &Dialect,
) -> Result<Tensor> {
    copied(&x.into(), |dst| index_set_(dst, items, value, dialect))
}

/// `dst[indices] = values`, or with `accumulate` added to, through a subscript of index arrays and masks.
///
/// `values` (an array of the dtype of `dst`, or a number) broadcasts to the shape reading would give. With
/// `accumulate`, places named twice receive every value, in index order; booleans are ORed.
///
/// Errors: as [`index_set_`], and kind `Shape` if `indices` is empty. Source: Tensor.index_put_ (spec 6).
///
/// ```
/// use takewise::{ix, index::TORCH, ops, View, ViewMut};
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
/// Errors and broadcasting as [`index_set_`]. Source: spec 15.3 and 16.
///
/// ```
/// use takewise::{exec::Reduce, ix, index::NUMPY, ops, ViewMut};
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
        let n = normalize("index_put", dst.layout(), dst.dtype().size(), items, rules)?;
        store("index_put", dst, &n, &values, Some(how), rules)
    })
}

impl Tensor {
    /// `self[items] = value`; see [`ops::index_set_`](crate::ops::index_set_).
    ///
    /// The value and the index arrays are read as they were before the first store: an operand that shares
    /// memory with what is written is copied, or the call refused with kind `Overlap`, by the rules (spec 1.3).
    /// Errors also with kind `Busy` while another call uses an operand, `Argument` if the memory is read-only.
    ///
    /// ```
    /// use takewise::{ix, index::TORCH, Tensor};
    /// let x = Tensor::from_slice(&[1i64, 2, 3, 4], &[4])?;
    /// x.index_set_(&ix![1..3], 0, &TORCH)?;
    /// x.index_set_(&ix![&[true, false, false, false]], 9, &TORCH)?;
    /// assert_eq!(x.to_vec::<i64>()?, [9, 0, 0, 4]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn index_set_<'v>(&self, items: &[Index<'_>], value: impl Into<Value<'v>>, dialect: &Dialect) -> Result<()> {
        let (value, rules) = (value.into(), &dialect.set);
        if is_lone_false(items, rules) {
            return Ok(());
        }
        if let Some(part) = self.viewed(items, rules)? {
            // Whether memory is shared is asked of the value as stretched over the target (spec 1.3).
            let stretched = match value {
                Value::Tensor(t) if t.numel() > 1 && t.shape() != part.shape() => t.broadcast_to(part.shape()).ok(),
                _ => None,
            };
            let value = stretched.as_ref().map_or(value, Value::Tensor);
            return part.assign("copy", &[], value, dialect.views.overlap, rules, |_, value, dst| {
                check_element(items, self.rank(), value, rules)?;
                fill_view(dst, value, dialect)
            });
        }
        let overlap = if is_mask_fill(items, &value, rules) { dialect.masked_fill.overlap } else { rules.overlap };
        let tensors = operands(self, items);
        self.assign("index_put", &tensors[1..], value, overlap, rules, |reads, value, dst| {
            set(dst, &opened(items, reads, 0), value, dialect)
        })
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
        self.assign("index_put", &tensors[1..], values.into(), rules.overlap, rules, |reads, values, dst| {
            put(dst, &opened(indices, reads, 0), values, accumulate.then_some(Reduce::Sum), rules)
        })
    }

    /// [`Tensor::index_put_`] on a copy.
    pub fn index_put<'v>(
        &self,
        indices: &[Index<'_>],
        values: impl Into<Value<'v>>,
        accumulate: bool,
        rules: &Rules,
    ) -> Result<Tensor> {
        let out = self.clone_data()?;
        out.index_put_(indices, values, accumulate, rules)?;
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
        self.assign("index_put", &tensors[1..], values.into(), rules.overlap, rules, |reads, values, dst| {
            index_accumulate_(dst, &opened(items, reads, 0), values.clone(), how, rules)
        })
    }

    /// The part a subscript without arrays names; `None` if arrays take part.
    fn viewed(&self, items: &[Index<'_>], rules: &Rules) -> Result<Option<Tensor>> {
        if !items.iter().all(|i| is_viewing(i, items.len(), rules)) {
            return Ok(None);
        }
        with_open(items, rules, |items| {
            let n = normalize("index", self.layout(), self.dtype().size(), &lowered(items), rules)?;
            let (offset, layout) = n.view();
            Ok(n.arrays.is_empty().then(|| self.arranged(offset, layout)))
        })
    }

    /// Registers index operands, value and `self`, and runs a write.
    fn assign(
        &self,
        op: &'static str,
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

/// `x[False] = v` writes nothing and, where the rules say so, looks at nothing.
fn is_lone_false(items: &[Index<'_>], rules: &Rules) -> bool {
    rules.assign.false_index == FalseIndex::Unchecked && matches!(items, [Index::Bool(false)])
}

/// Whether an item leaves the target a view. A lone `True` does: it only adds an axis.
fn is_viewing(item: &Index<'_>, count: usize, rules: &Rules) -> bool {
    let zero_dim =
        |dtype: DType, rank: usize| rank == 0 && dtype.is_integer() && !(dtype == DType::U8 && rules.byte_masks);
    match item {
        Index::Int(_) | Index::Range(_) | Index::NewAxis | Index::Ellipsis => true,
        Index::Bool(b) => *b && count == 1 && rules.assign.mask_value == MaskValue::Broadcasts,
        Index::Array(v) => zero_dim(v.dtype(), v.rank()),
        Index::Tensor(t) => zero_dim(t.dtype(), t.rank()),
    }
}

/// The items with a lone `True` as the axis it adds.
fn lowered<'x>(items: &[Index<'x>]) -> SmallVec<[Index<'x>; 4]> {
    match items {
        [Index::Bool(true)] => std::iter::once(Index::NewAxis).collect(),
        _ => items.iter().cloned().collect(),
    }
}

/// Whether one mask and one number make this a fill, which torch checks for overlap less strictly.
fn is_mask_fill(items: &[Index<'_>], value: &Value<'_>, rules: &Rules) -> bool {
    let mask = |i: &&Index<'_>| match i {
        Index::Bool(_) => true,
        Index::Array(v) => v.dtype() == DType::Bool,
        Index::Tensor(t) => t.dtype() == DType::Bool,
        _ => false,
    };
    let array = |i: &&Index<'_>| matches!(i, Index::Bool(_) | Index::Array(_) | Index::Tensor(_));
    let number = match value {
        Value::Scalar(_) => true,
        Value::Tensor(t) => rules.assign.one_is_number && t.numel() == 1,
    };
    number && items.iter().filter(array).count() == 1 && items.iter().any(|i| mask(&i))
}

/// The assignment proper; items hold no tensors.
fn set(dst: &mut AnyViewMut, items: &[Index<'_>], value: &Source, dialect: &Dialect) -> Result<()> {
    let rules = &dialect.set;
    if is_lone_false(items, rules) {
        return Ok(());
    }
    let viewing = items.iter().all(|i| is_viewing(i, items.len(), rules));
    let lowered;
    let items = if viewing {
        lowered = self::lowered(items);
        &lowered[..]
    } else {
        items
    };
    let mut n = normalize("index", dst.layout(), dst.dtype().size(), items, rules)
        .map_err(|e| number_first(e, value, items, dst.dtype(), rules))?;
    if viewing && n.arrays.is_empty() {
        let (offset, layout) = n.view();
        check_element(items, dst.rank(), value, rules)?;
        return fill_view(&mut dst.reborrow().rearranged(offset, layout), value, dialect);
    }
    match (items, &n.mask) {
        ([Index::Array(mask)], Some(m)) if mask.rank() == dst.rank() => check_mask_value(value, m.count, rules)?,
        ([Index::Bool(b)], None) if dst.rank() == 0 => check_mask_value(value, *b as usize, rules)?,
        _ => {}
    }
    match as_number(dst.dtype(), &n, items, value, rules)? {
        Some((number, op)) => {
            // A fill names the dimension it works along, counted after integers selected, where other stores
            // name the index array.
            let along = n.dims.iter().position(|d| d.index.is_some());
            if let (FILL, [array], Some(along)) = (op, &mut n.arrays[..], along) {
                array.ordinal = along;
            }
            store(op, dst, &n, &Source::Scalar(number), None, rules)
        }
        None => store(ASSIGN, dst, &n, value, None, rules),
    }
}

/// A number is converted before several index arrays are broadcast, so its error comes first; counts, integers,
/// slices and a mask of its own are looked at earlier still.
fn number_first(e: Error, value: &Source, items: &[Index<'_>], dtype: DType, rules: &Rules) -> Error {
    let several = items.iter().filter(|i| matches!(i, Index::Array(_) | Index::Bool(_))).count() > 1;
    let late = match e.fault() {
        Fault::Shape { rule: ShapeRule::Broadcast | ShapeRule::EmptyAxis, .. } => true,
        Fault::Shape { rule: ShapeRule::Mask, .. } => several,
        _ => false,
    };
    match value {
        Source::Scalar(s) if late => Single::new(ASSIGN, *s, dtype, rules).err().unwrap_or(e),
        _ => e,
    }
}

/// A view takes whatever can be cast; numbers are converted by the rules.
fn fill_view(dst: &mut AnyViewMut, value: &Source, dialect: &Dialect) -> Result<()> {
    let rules = &dialect.set;
    match value {
        Source::Scalar(s) => {
            // torch casts instead of checking where a single half float is assigned.
            let single = rules.conversion == Conversion::Torch && dst.as_view().numel() == 1;
            let one = match saturated_half(*s, dst.dtype()).filter(|_| single) {
                Some(bytes) => Single { bytes, dtype: dst.dtype() },
                None => Single::new(ASSIGN, *s, dst.dtype(), rules)?,
            };
            copy_into(&fit(ASSIGN, &one.view(), dst.shape(), ShapeRule::ViewValue, rules)?, dst)
        }
        Source::View(v) => {
            let v = fit(ASSIGN, v, dst.shape(), ShapeRule::ViewValue, rules)?;
            if v.dtype() == dst.dtype() { copy_into(&v, dst) } else { convert_as(&v, dst, rules.conversion) }
        }
    }
}

/// NumPy's rule for an element named by integers alone: it takes no array, not even of one element.
fn check_element(items: &[Index<'_>], rank: usize, value: &Source, rules: &Rules) -> Result<()> {
    let integer = |i: &Index<'_>| matches!(i, Index::Int(_) | Index::Array(_) | Index::Tensor(_));
    match value {
        Source::View(v)
            if !rules.assign.element_takes_array
                && v.rank() > 0
                && items.len() == rank
                && items.iter().all(integer) =>
        {
            Err(rules.fail(Fault::shape(ASSIGN, ShapeRule::ScalarValue, 0, &[("value", v.shape())])))
        }
        _ => Ok(()),
    }
}

/// NumPy's rule for `x[mask] = v` with a mask over all of `x`: one value, or one for each place.
fn check_mask_value(value: &Source, count: usize, rules: &Rules) -> Result<()> {
    let Source::View(v) = value else { return Ok(()) };
    if rules.assign.mask_value == MaskValue::Broadcasts {
        return Ok(());
    }
    let rule = match v.rank() {
        0 => return Ok(()),
        1 if v.numel() == 1 || v.numel() == count => return Ok(()),
        1 => ShapeRule::MaskValueCount,
        _ => ShapeRule::MaskValueRank,
    };
    Err(rules.fail(Fault::shape("index_put", rule, 0, &[("value", v.shape()), ("places", &[count])])))
}

/// The value of a fill, where torch's dispatch makes the assignment one: a number beside one index array or
/// mask, or a one-element array beside a mask. Such a value is judged, and its errors worded, by the operation it
/// becomes, whose name comes with it.
fn as_number(
    dtype: DType,
    n: &Normalized<'_>,
    items: &[Index<'_>],
    value: &Source,
    rules: &Rules,
) -> Result<Option<(Scalar, &'static str)>> {
    let is_array = |i: &&Index<'_>| match i {
        Index::Bool(_) => true,
        Index::Array(v) => !is_viewing(&Index::Array(v.clone()), 0, rules),
        _ => false,
    };
    let mut arrays = items.iter().filter(is_array);
    let (first, more) = (arrays.next(), arrays.next().is_some());
    let mask = match first {
        Some(Index::Array(v)) if n.mask.is_some() => Some(v.dtype()),
        _ => None,
    };
    let value = match value {
        Source::Scalar(s) => *s,
        Source::View(v) if rules.assign.one_is_number && !more && mask.is_some() && v.numel() == 1 => {
            let at: SmallVec<[usize; 6]> = smallvec::smallvec![0; v.rank()];
            match v.bytes_at(&at).and_then(|b| element_scalar(&b, v.dtype())) {
                Some(s) => s,
                None => return Ok(None),
            }
        }
        Source::View(_) => return Ok(None),
    };
    if !more && mask == Some(DType::U8) && !rules.assign.byte_fill {
        let fault =
            Fault::DType { op: "masked_fill", rule: DTypeRule::Mask, given: DType::U8, wanted: Some(DType::Bool) };
        return Err(rules.fail(fault));
    }
    let complex = matches!(value, Scalar::Complex(..)) && !dtype.is_complex();
    if complex && !more && mask.is_none() && rules.assign.fills && first.is_some() {
        let fault = Fault::DType { op: "index_fill", rule: DTypeRule::ComplexValue, given: dtype, wanted: None };
        return Err(rules.fail(fault));
    }
    let op = match mask {
        _ if more || first.is_none() || !rules.assign.fills => ASSIGN,
        Some(_) => "masked_fill",
        None => FILL,
    };
    Ok(Some((value, op)))
}

/// `index_put` proper; indices hold no tensors.
fn put(dst: &mut AnyViewMut, indices: &[Index<'_>], values: &Source, how: Option<Reduce>, rules: &Rules) -> Result<()> {
    let op = "index_put";
    if indices.is_empty() {
        return Err(rules.fail(Fault::shape(op, ShapeRule::NoIndices, 0, &[("array", dst.shape())])));
    }
    if indices.len() > dst.rank() {
        let fault = Fault::shape(op, ShapeRule::TooMany, indices.len(), &[("array", dst.shape())]);
        return Err(rules.fail(fault));
    }
    let n = normalize(op, dst.layout(), dst.dtype().size(), indices, rules)?;
    let exact = Rules { assign: AssignRules { drops_ones: false, ..rules.assign }, ..*rules };
    let number = match how {
        None => as_number(dst.dtype(), &n, indices, values, rules)?,
        Some(_) => None,
    };
    match number {
        Some((number, _)) => store(op, dst, &n, &Source::Scalar(number), how, &exact),
        None => store(op, dst, &n, values, how, &exact),
    }
}

/// Stores or combines values at the places of a normal form.
fn store(
    op: &'static str,
    dst: &mut AnyViewMut,
    n: &Normalized<'_>,
    value: &Source,
    how: Option<Reduce>,
    rules: &Rules,
) -> Result<()> {
    let shape = n.shape();
    let mut keep = Kept::default();
    let values = match value {
        Source::Scalar(_) => stored(ASSIGN, dst.dtype(), value, rules, &mut keep)?,
        Source::View(v) => {
            fit(op, v, &shape, ShapeRule::IndexedValue, rules)?;
            stored("index_put", dst.dtype(), value, rules, &mut keep)?
        }
    };
    let values = fit(op, &values, &shape, ShapeRule::IndexedValue, rules)?;
    let op = if op == ASSIGN { "index_put" } else { op };
    rules.check_data(op, dst.dtype())?;
    let plan = plan(op, n, dst.layout(), values.layout(), dst.dtype().size(), rules)?;
    let operands = index_operands(n);
    match how {
        None => exec::write(&plan, &values, &operands, dst),
        Some(how) => exec::accumulate(&plan, &values, &operands, dst, how, true),
    }
}

/// A value at the shape of its target: leading axes of extent 1 dropped, then broadcast.
fn fit<'a>(
    op: &'static str,
    value: &AnyView<'a>,
    target: &[usize],
    rule: ShapeRule,
    rules: &Rules,
) -> Result<AnyView<'a>> {
    let (shape, strides) = (value.shape(), value.layout().strides());
    let ones = if rules.assign.drops_ones { shape.iter().take_while(|n| **n == 1).count() } else { 0 };
    let (shape, strides) = (&shape[ones..], &strides[ones..]);
    if let Some(strides) = broadcast_strides(shape, strides, target) {
        return Ok(value.rearranged(0, Layout::new(target, &strides)?));
    }
    let (rule, dim) = match target.len().checked_sub(shape.len()) {
        None if rule == ShapeRule::ViewValue => (ShapeRule::ViewValueRank, 0),
        None => (rule, 0),
        // torch names the last dimension that does not fit.
        Some(lead) => (
            rule,
            (0..shape.len()).rev().find(|&d| shape[d] != 1 && shape[d] != target[lead + d]).map_or(0, |d| lead + d),
        ),
    };
    Err(rules.fail(Fault::shape(op, rule, dim, &[("value", value.shape()), ("target", target)]).of(value.dtype())))
}
