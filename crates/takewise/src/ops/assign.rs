//! What an assignment turns out to be: a copy into a view, a fill, or a store through index arrays; and the checks
//! of each, in the libraries' order.

use super::at::incoming;
use super::{Made, Single, Source, copy_into, masked, stored};
use crate::Index;
use crate::dtype::{DType, Scalar};
use crate::error::{DTypeRule, Error, Fault, Result, ShapeRule};
use crate::exec::Reduce;
use crate::index::rules::{AssignRules, Conversion, FalseIndex, MaskValue, Rules};
use crate::index::{Normalized, normalize};
use crate::layout::{Layout, Slice, broadcast_strides};
use crate::op::Op;
use crate::plan::{Between, index_operands, recalled_subscript, subscript};
use crate::tensor::Tensor;
use crate::values::convert::convert_as;
use crate::values::number::{element_scalar, saturated_half};
use crate::view::{AnyView, AnyViewMut};
use smallvec::SmallVec;

/// The name torch gives the conversion of a number that is assigned.
pub(crate) const ASSIGN: Op = Op::SetItem;

/// A number stored through one index array: worded as torch's `index_fill`, which numbers dimensions differently.
const FILL: Op = Op::IndexFill { subscript: true };

/// `x[False] = v` writes nothing and, where the rules say so, looks at nothing.
pub(crate) fn is_lone_false(items: &[Index<'_>], rules: &Rules) -> bool {
    rules.assign.false_index == FalseIndex::Unchecked && matches!(items, [Index::Bool(false)])
}

/// Whether an item leaves the target a view. A lone `True` does: it only adds an axis.
pub(crate) fn is_viewing(item: &Index<'_>, count: usize, rules: &Rules) -> bool {
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
pub(crate) fn lowered<'x>(items: &[Index<'x>]) -> SmallVec<[Index<'x>; 4]> {
    match items {
        [Index::Bool(true)] => std::iter::once(Index::NewAxis).collect(),
        _ => items.iter().cloned().collect(),
    }
}

/// Whether one mask and one number make this a fill, which torch checks for overlap less strictly.
pub(crate) fn is_mask_fill(items: &[Index<'_>], value: &Source<&Tensor>, rules: &Rules) -> bool {
    let mask = |i: &&Index<'_>| match i {
        Index::Bool(_) => true,
        Index::Array(v) => v.dtype() == DType::Bool,
        Index::Tensor(t) => t.dtype() == DType::Bool,
        _ => false,
    };
    let array = |i: &&Index<'_>| matches!(i, Index::Bool(_) | Index::Array(_) | Index::Tensor(_));
    let number = match value {
        Source::Scalar(_) => true,
        Source::Array(t) => rules.assign.one_is_number && t.numel() == 1,
    };
    number && items.iter().filter(array).count() == 1 && items.iter().any(|i| mask(&i))
}

/// The assignment proper; items hold no tensors.
pub(crate) fn set(dst: &mut AnyViewMut, items: &[Index<'_>], value: &Source<AnyView>, rules: &Rules) -> Result<()> {
    if is_lone_false(items, rules) {
        return Ok(());
    }
    if let (Some(mask), Some(number)) = (whole_mask(dst, items), one_number(value, dst.dtype(), rules)) {
        let op = if rules.assign.fills.has(DType::Bool) { Op::MaskedFill } else { Op::IndexPut };
        return fill_mask(op, dst, mask, number, rules);
    }
    let viewing = items.iter().all(|i| is_viewing(i, items.len(), rules));
    let lowered;
    let items = if viewing {
        lowered = self::lowered(items);
        &lowered[..]
    } else {
        items
    };
    // MindSpore words an integer that stands alone otherwise than in reading.
    let op = if matches!(items, [Index::Int(_)]) { ASSIGN } else { Op::Index };
    let mut n = match normalize(op, dst.layout(), dst.dtype().size(), items, rules) {
        Ok(n) => n,
        Err(e) => {
            let e = number_first(e, value, items, dst.dtype(), rules);
            return if fills_nothing(&e, dst, items, value, rules) { Ok(()) } else { Err(e) };
        }
    };
    if viewing && n.arrays.is_empty() {
        let (offset, layout) = n.view();
        check_element(items, dst.rank(), value, rules)?;
        return fill_view(&mut dst.reborrow().rearranged(offset, layout), value, rules);
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

/// The mask that stands alone and has the target's shape.
fn whole_mask<'i, 'a>(dst: &AnyViewMut, items: &'i [Index<'a>]) -> Option<&'i AnyView<'a>> {
    match items {
        [Index::Array(mask)] if mask.dtype() == DType::Bool && mask.rank() > 0 && mask.shape() == dst.shape() => {
            Some(mask)
        }
        _ => None,
    }
}

/// The number that is stored wherever such a mask says so, however often that is: given as one, or as a 0-d array of the
/// dtype where the rules make no difference.
fn one_number(value: &Source<AnyView>, dtype: DType, rules: &Rules) -> Option<Scalar> {
    match value {
        Source::Scalar(number) => Some(*number),
        Source::Array(v) if rules.assign.one_is_number && v.rank() == 0 && v.dtype() == dtype => {
            v.bytes_at(&[]).and_then(|b| element_scalar(&b, dtype))
        }
        Source::Array(_) => None,
    }
}

/// [`store`] of a number at such a mask, whose places nobody has to count.
fn fill_mask(op: Op, dst: &mut AnyViewMut, mask: &AnyView, number: Scalar, rules: &Rules) -> Result<()> {
    let mut keep = Made::default();
    let single = stored(ASSIGN, dst.dtype(), &Source::Scalar(number), rules, &mut keep)?;
    rules.check_data(op, dst.dtype())?;
    masked::fill(op, dst, mask, &single, rules)
}

/// A number is converted before several index arrays are broadcast, so its error comes first; counts, integers,
/// slices and a mask of its own are looked at earlier still.
fn number_first(e: Error, value: &Source<AnyView>, items: &[Index<'_>], dtype: DType, rules: &Rules) -> Error {
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

/// Whether only a value outside an empty axis is at fault where a fill has no place anyway, another axis being empty
/// too: the operation torch makes of such an assignment does not look at the values then.
fn fills_nothing(e: &Error, dst: &AnyViewMut, items: &[Index<'_>], value: &Source<AnyView>, rules: &Rules) -> bool {
    let outside = matches!(e.fault(), Fault::Shape { rule: ShapeRule::EmptyAxis, .. });
    let open = items.iter().map(|item| match item {
        Index::Array(v) if is_array(item, rules) && v.dtype() != DType::Bool && rules.assign.fills.has(v.dtype()) => {
            Index::Range(Slice::ALL)
        }
        other => other.clone(),
    });
    let open: SmallVec<[Index<'_>; 4]> = open.collect();
    let lone = items.iter().filter(|i| is_array(i, rules)).count() == 1;
    let lone = outside && lone && matches!(value, Source::Scalar(_));
    lone && normalize(Op::Index, dst.layout(), dst.dtype().size(), &open, rules)
        .is_ok_and(|n| n.arrays.is_empty() && n.dims.iter().filter(|d| d.extent == 0).count() > 1)
}

/// A view takes whatever can be cast; numbers are converted by the rules.
pub(crate) fn fill_view(dst: &mut AnyViewMut, value: &Source<AnyView>, rules: &Rules) -> Result<()> {
    match value {
        Source::Scalar(s) => {
            // torch casts instead of checking where a single half float is assigned.
            let single = rules.conversion == Conversion::RangeChecked && dst.as_view().numel() == 1;
            if single && matches!(s, Scalar::Complex(..)) && dst.dtype().is_float() && dst.dtype().size() == 2 {
                // On the way there the number is a double.
                Single::new(ASSIGN, *s, DType::F64, rules)?;
            }
            let one = match saturated_half(*s, dst.dtype()).filter(|_| single) {
                Some(bytes) => Single { bytes, long: None, dtype: dst.dtype() },
                None => Single::new(ASSIGN, *s, dst.dtype(), rules)?,
            };
            copy_into(&fit(ASSIGN, &one.view(), dst.shape(), ShapeRule::ViewValue, rules)?, dst)
        }
        Source::Array(v) => {
            let v = fit(ASSIGN, v, dst.shape(), ShapeRule::ViewValue, rules)?;
            if v.dtype() == dst.dtype() {
                return copy_into(&v, dst);
            }
            super::admitted(ASSIGN, dst.dtype(), value, rules)?;
            convert_as(&v, dst, rules.conversion)
        }
    }
}

/// NumPy's rule for an element named by integers alone: it takes no array, not even of one element.
pub(crate) fn check_element(items: &[Index<'_>], rank: usize, value: &Source<AnyView>, rules: &Rules) -> Result<()> {
    let integer = |i: &Index<'_>| matches!(i, Index::Int(_) | Index::Array(_) | Index::Tensor(_));
    match value {
        Source::Array(v)
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
fn check_mask_value(value: &Source<AnyView>, count: usize, rules: &Rules) -> Result<()> {
    let Source::Array(v) = value else { return Ok(()) };
    if rules.assign.mask_value == MaskValue::Broadcasts {
        return Ok(());
    }
    let rule = match v.rank() {
        0 => return Ok(()),
        1 if v.numel() == 1 || v.numel() == count => return Ok(()),
        1 => ShapeRule::MaskValueCount,
        _ => ShapeRule::MaskValueRank,
    };
    Err(rules.fail(Fault::shape(Op::IndexPut, rule, 0, &[("value", v.shape()), ("places", &[count])])))
}

/// Whether an item is an index array, and not an integer in the form of one; a lone bool is.
fn is_array(item: &Index<'_>, rules: &Rules) -> bool {
    match item {
        Index::Bool(_) => true,
        Index::Array(_) => !is_viewing(item, 0, rules),
        _ => false,
    }
}

/// The value of a fill, where torch's dispatch makes the assignment one: a number beside one index array or
/// mask, or a one-element array beside a mask. Such a value is judged, and its errors worded, by the operation it
/// becomes, whose name comes with it.
fn as_number(
    dtype: DType,
    n: &Normalized<'_>,
    items: &[Index<'_>],
    value: &Source<AnyView>,
    rules: &Rules,
) -> Result<Option<(Scalar, Op)>> {
    let mut arrays = items.iter().filter(|i| is_array(i, rules));
    let (first, more) = (arrays.next(), arrays.next().is_some());
    let mask = match first {
        Some(Index::Array(v)) if n.mask.is_some() => Some(v.dtype()),
        _ => None,
    };
    let value = match value {
        Source::Scalar(s) => *s,
        Source::Array(v) if rules.assign.one_is_number && !more && mask.is_some() && v.numel() == 1 => {
            let at: SmallVec<[usize; 6]> = smallvec::smallvec![0; v.rank()];
            match v.bytes_at(&at).and_then(|b| element_scalar(&b, v.dtype())) {
                Some(s) => s,
                None => return Ok(None),
            }
        }
        Source::Array(_) => return Ok(None),
    };
    if !more && mask == Some(DType::U8) && !rules.assign.byte_fill {
        let fault =
            Fault::DType { op: Op::MaskedFill, rule: DTypeRule::Mask, given: DType::U8, wanted: Some(DType::Bool) };
        return Err(rules.fail(fault));
    }
    let fills = !more
        && match first {
            Some(Index::Array(v)) => rules.assign.fills.has(v.dtype()),
            Some(_) => rules.assign.fills.has(DType::Bool),
            None => false,
        };
    let complex = matches!(value, Scalar::Complex(..)) && !dtype.is_complex();
    if complex && mask.is_none() && fills {
        let fault = Fault::DType {
            op: Op::IndexFill { subscript: false },
            rule: DTypeRule::ComplexValue,
            given: dtype,
            wanted: None,
        };
        return Err(rules.fail(fault));
    }
    let op = match mask {
        _ if !fills => ASSIGN,
        Some(_) => Op::MaskedFill,
        None => FILL,
    };
    Ok(Some((value, op)))
}

/// `index_put` proper; indices hold no tensors.
pub(crate) fn put(
    dst: &mut AnyViewMut,
    indices: &[Index<'_>],
    values: &Source<AnyView>,
    how: Option<Reduce>,
    rules: &Rules,
) -> Result<()> {
    let op = Op::IndexPut;
    if indices.is_empty() {
        return Err(rules.fail(Fault::shape(op, ShapeRule::NoIndices, 0, &[("array", dst.shape())])));
    }
    if indices.len() > dst.rank() {
        let fault = Fault::shape(op, ShapeRule::TooMany, indices.len(), &[("array", dst.shape())]);
        return Err(rules.fail(fault));
    }
    if let (Some(mask), Source::Scalar(number), None) = (whole_mask(dst, indices), values, how) {
        return fill_mask(op, dst, mask, *number, rules);
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
pub(crate) fn store(
    op: Op,
    dst: &mut AnyViewMut,
    n: &Normalized<'_>,
    value: &Source<AnyView>,
    how: Option<Reduce>,
    rules: &Rules,
) -> Result<()> {
    let shape = n.shape();
    if let Source::Array(v) = value {
        fit(op, v, &shape, ShapeRule::IndexedValue, rules)?;
    }
    let (mut keep, name) = (Made::default(), if matches!(value, Source::Scalar(_)) { ASSIGN } else { Op::IndexPut });
    let (values, passage) = incoming(name, dst.dtype(), value, how, rules, &mut keep)?;
    let values = fit(op, &values, &shape, ShapeRule::IndexedValue, rules)?;
    let op = if op == ASSIGN { Op::IndexPut } else { op };
    rules.check_data(op, dst.dtype())?;
    let between = Between { indexed: dst.layout(), linear: values.layout(), size: dst.dtype().size() };
    let combine = how.map(|how| (how, true, passage.as_ref()));
    let Some(recalled) = recalled_subscript(op, rules, n, between)? else {
        let plan = subscript(op, rules, n, between)?;
        return super::at::store(&plan, &values, &index_operands(n), dst, combine);
    };
    let done = super::at::store(recalled.plan(), &values, &index_operands(n), dst, combine);
    recalled.keep();
    done
}

/// A value at the shape of its target: leading axes of extent 1 dropped, then broadcast.
fn fit<'a>(op: Op, value: &AnyView<'a>, target: &[usize], rule: ShapeRule, rules: &Rules) -> Result<AnyView<'a>> {
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
