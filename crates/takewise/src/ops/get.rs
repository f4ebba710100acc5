//! Subscripts, read: `x[...]` with every kind of index and every mix of them.

use super::at::read_at;
use super::{check_out, copy_into, copy_out};
use crate::Index;
use crate::dtype::DType;
use crate::error::Result;
use crate::exec::{Access, Reads};
use crate::exec::{Out, result, result_as};
use crate::index::rules::{CopyOrder, Rules};
use crate::index::{Dim, Normalized, mask, normalize};
use crate::layout::order::innermost_first;
use crate::layout::{Dims, Layout};
use crate::op::Op;
use crate::plan::{Address, Between, index_operands, recalled_subscript, subscript};
use crate::tensor::Tensor;
use crate::view::{AnyView, AnyViewMut};
use smallvec::SmallVec;

/// `x[items]` as a fresh tensor.
///
/// The shape follows from the items and [`Rules::lone_int`] (torch's or NumPy's placement of index axes;
/// SEMANTICS.md, Placement of index axes); a copy is made even where only views take part
/// ([`Tensor::index`] shares instead).
/// Index arrays may be of any accepted dtype and layout and are read in place; a lone mask is never expanded.
///
/// Errors: those of [`normalize()`]; kind `OutOfRange` for index values outside their axis, unless the rules move,
/// fill or forgive them. Cost: one pass over the result; memory beyond it independent of its size.
///
/// ```
/// use takewise::{Rules, View, ix, ops};
/// let x = View::new(&[1, 2, 3, 4, 5, 6], &[2, 3]).unwrap();
/// let rows = [1i64, 0, 1];
/// let got = ops::index(&x, &ix![&rows, 1..], &Rules::NEUTRAL).unwrap();
/// assert_eq!((got.shape(), got.to_vec::<i32>().unwrap()), (&[3, 2][..], vec![5, 6, 2, 3, 5, 6]));
/// let e = ops::index(&x, &ix![.., &[3i64]], &Rules::NEUTRAL).unwrap_err();
/// assert!(e.to_string().contains("1-based?"));
/// ```
pub fn index<'a>(x: impl Into<AnyView<'a>>, items: &[Index<'_>], rules: &Rules) -> Result<Tensor> {
    let x = x.into();
    with_open(items, rules, |items| {
        if let [Index::Array(v)] = items {
            if let Some(shape) = along_first_shape(x.layout(), v.layout(), v.dtype(), rules) {
                return along_first(&x, v, &shape, rules);
            }
            if selects(x.layout(), v.layout(), v.dtype(), rules) {
                return selected(&x, v, rules);
            }
        }
        let n = normalize(OP, x.layout(), x.dtype().size(), items, rules)?;
        if n.advanced {
            return gathered(&x, &n, rules);
        }
        laid_out(&n, x.dtype(), rules, |out| copy_out(&viewed(&x, &n), out))
    })
}

/// [`index`] into memory of the result's shape and dtype; nothing is stored on error.
///
/// ```
/// use takewise::prelude::*;
/// let x = View::new(&[1, 2, 3, 4, 5, 6], &[2, 3])?;
/// let mut out = [0; 2];
/// ops::index_into(&x, &ix![.., -1], &mut (&mut out).into(), &Rules::NEUTRAL)?;
/// assert_eq!(out, [3, 6]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn index_into<'a>(
    x: impl Into<AnyView<'a>>,
    items: &[Index<'_>],
    out: &mut AnyViewMut,
    rules: &Rules,
) -> Result<()> {
    let x = x.into();
    with_open(items, rules, |items| {
        let n = normalize(OP, x.layout(), x.dtype().size(), items, rules)?;
        check_out(OP, out, x.dtype(), &n.shape(), rules)?;
        if n.advanced {
            return read(&x, &n, Out::given(out), rules);
        }
        copy_into(&viewed(&x, &n), out)
    })
}

pub(crate) const OP: Op = Op::Index;

/// `first` and the tensors among the items, in order.
pub(crate) fn operands<'t>(first: &'t Tensor, items: &[Index<'t>]) -> SmallVec<[&'t Tensor; 4]> {
    let tensors = items.iter().filter_map(|i| if let Index::Tensor(t) = i { Some(*t) } else { None });
    std::iter::once(first).chain(tensors).collect()
}

/// The items, tensors replaced by the operands registered for them from number `next` on.
pub(crate) fn opened<'x>(items: &[Index<'x>], reads: Reads<'x>, mut next: usize) -> SmallVec<[Index<'x>; 4]> {
    let open = items.iter().map(|item| match item {
        Index::Tensor(_) => {
            next += 1;
            Index::Array(reads.get(next - 1))
        }
        other => other.clone(),
    });
    open.collect()
}

/// Runs `f` on items without tensors, opening those there are.
pub(crate) fn with_open<R>(items: &[Index<'_>], rules: &Rules, f: impl FnOnce(&[Index<'_>]) -> Result<R>) -> Result<R> {
    let tensors: SmallVec<[&Tensor; 4]> =
        items.iter().filter_map(|i| if let Index::Tensor(t) = i { Some(*t) } else { None }).collect();
    if tensors.is_empty() {
        return f(items);
    }
    let mut access = Access::reading(OP, &tensors, rules.words)?;
    let (reads, _) = access.split();
    f(&opened(items, reads, 0))
}

/// The shape of `x[index]` for one array of integers, where nothing about it needs [`normalize()`]: it then is slices along
/// the first axis, whose plans are kept.
pub(crate) fn along_first_shape(x: &Layout, index: &Layout, dtype: DType, rules: &Rules) -> Option<Dims<usize>> {
    let (&len, rest) = x.shape().split_first()?;
    let plain = index.rank() > 0 && len > 0 && rules.indices.has(dtype) && !rules.selects(dtype);
    let as_they_stand = rules.copies != CopyOrder::LikeOperands || index.rank() + rest.len() == 1;
    if !plain || !as_they_stand {
        return None;
    }
    let mut shape = Dims::from_slice(index.shape());
    shape.extend_from_slice(rest);
    Some(shape)
}

/// `x[index]` of the shape [`along_first_shape`] gives.
pub(crate) fn along_first(x: &AnyView, index: &AnyView, shape: &[usize], rules: &Rules) -> Result<Tensor> {
    result(shape, x.dtype(), |out| read_at(OP, &Address::Rows { dim: 0, batch: 0 }, x, index, out, rules))
}

/// Whether `x[mask]` is of one mask of the leading axes' own extents, and nothing about it needs [`normalize()`].
pub(crate) fn selects(x: &Layout, mask: &Layout, dtype: DType, rules: &Rules) -> bool {
    let known = dtype == DType::Bool && !rules.masks_first || rules.indices.has(dtype);
    let as_it_stands = rules.copies != CopyOrder::LikeOperands || mask.rank() == x.rank();
    let fits = mask.rank() > 0 && x.shape().starts_with(mask.shape());
    rules.selects(dtype) && known && as_it_stands && fits
}

/// `x[mask]` where [`selects`] says so: the places it selects, and the axes after those it covers.
pub(crate) fn selected(x: &AnyView, mask: &AnyView, rules: &Rules) -> Result<Tensor> {
    let (covered, count) = (mask.rank(), mask::count(mask));
    let mut shape: Dims<usize> = smallvec::smallvec![count];
    shape.extend_from_slice(&x.shape()[covered..]);
    result(&shape, x.dtype(), |out| read_at(OP, &Address::Mask, x, mask, out, rules))
}

/// The part of `x` a subscript without arrays names.
fn viewed<'a>(x: &AnyView<'a>, n: &Normalized<'_>) -> AnyView<'a> {
    let (offset, layout) = n.view();
    x.rearranged(offset, layout)
}

/// The result of an advanced subscript, laid out in memory as the rules say.
pub(crate) fn gathered(x: &AnyView, n: &Normalized<'_>, rules: &Rules) -> Result<Tensor> {
    laid_out(n, x.dtype(), rules, |out| read(x, n, out, rules))
}

/// A fresh tensor of the subscript's shape, whose axes lie in memory in the order of [`Rules::copies`].
fn laid_out(n: &Normalized<'_>, dtype: DType, rules: &Rules, fill: impl FnOnce(Out) -> Result<()>) -> Result<Tensor> {
    let order = memory_order(n, rules.copies);
    if order.is_sorted() {
        return result(&n.shape(), dtype, fill);
    }
    let packed: Dims<usize> = order.iter().map(|&d| n.dims[d].extent).collect();
    let mut back: Dims<i64> = smallvec::smallvec![0; order.len()];
    order.iter().enumerate().for_each(|(k, &d)| back[d] = k as i64);
    let turned = |layout: &Layout| layout.permute(&back.iter().map(|&k| k as usize).collect::<Dims<usize>>());
    let out = result_as(&packed, dtype, turned, fill)?;
    let layout = out.layout().permuted(OP, &back)?;
    Ok(out.arranged(0, layout))
}

fn read(x: &AnyView, n: &Normalized<'_>, out: Out, rules: &Rules) -> Result<()> {
    let between = Between { indexed: x.layout(), linear: out.layout(), size: x.dtype().size() };
    let Some(recalled) = recalled_subscript(OP, rules, n, between)? else {
        let plan = subscript(OP, rules, n, between)?;
        return out.read(&plan, x, &index_operands(n));
    };
    let done = out.read(recalled.plan(), x, &index_operands(n));
    recalled.keep();
    done
}

/// The result's axes from outermost to innermost in memory.
fn memory_order(n: &Normalized<'_>, order: CopyOrder) -> Dims<usize> {
    let all = 0..n.dims.len();
    let is_index = |d: &usize| n.dims[*d].index.is_some();
    match order {
        CopyOrder::RowMajor => all.collect(),
        CopyOrder::IndexFirst => all.clone().filter(is_index).chain(all.filter(|d| !is_index(d))).collect(),
        CopyOrder::LikeOperands => {
            let mut inner = innermost_first(n.dims.len(), |a, b| outwards(n, a, b));
            inner.reverse();
            inner
        }
    }
}

/// Whether axis `a` belongs outside axis `b` by the first operand that steps in both; the array comes first,
/// then the index arrays.
fn outwards(n: &Normalized<'_>, a: usize, b: usize) -> Option<bool> {
    let array = (n.dims[a].step.unsigned_abs(), n.dims[b].step.unsigned_abs());
    // A mask alone counts as the list of its positions.
    let listed: &[isize] = &[8];
    let operands = n.arrays.iter().map(|x| &x.steps[..]).chain(n.mask.as_ref().map(|_| listed));
    let operands = operands.map(|steps| (step_in(n, steps, a), step_in(n, steps, b)));
    for (s, t) in std::iter::once(array).chain(operands) {
        if s == 0 || t == 0 {
            continue;
        }
        if s != t {
            return Some(s > t);
        }
        if n.dims[a].extent > n.dims[b].extent {
            return Some(true);
        }
    }
    None
}

/// The step of an index operand along a result axis. Axes of extent 1 that are not its own still have the step
/// a view of the operand with those axes inserted would have.
fn step_in(n: &Normalized<'_>, steps: &[isize], d: usize) -> usize {
    let own = |dim: &Dim| dim.index.is_some();
    let inserted = match (steps.first(), steps.last()) {
        (Some(outer), Some(inner)) => {
            let leads = n.dims.iter().position(own).is_some_and(|first| d < first);
            if leads { outer.unsigned_abs().saturating_mul(n.index_shape[0]) } else { inner.unsigned_abs() }
        }
        _ => 0,
    };
    match n.dims[d] {
        Dim { index: Some(k), .. } => steps[k].unsigned_abs(),
        Dim { extent: 1, .. } => inserted,
        _ => 0,
    }
}
