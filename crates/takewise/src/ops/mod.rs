//! The operations: docs, checks and one plan each.
//!
//! Functions here take borrowed arrays of any kind ([`AnyView`], made from slices, [`crate::View`], or the
//! guards of a [`Tensor`]) and [`Rules`]. Each comes in up to three forms: the plain name allocates its
//! result, `_into` fills memory the caller owns, and a trailing underscore works in place. [`Tensor`] has
//! methods of the same names, which add only registration with the ledger.
//!
//! Arguments come in one order: the input, the axis, the index, the values, what else there is, the memory to fill, and the
//! rules last.
//!
//! Index operands may be of any integer dtype the rules accept and of any layout; they are read in place.

pub(crate) mod assign;
mod at;
mod chunks;
pub mod compare;
mod create;
mod extreme;
pub(crate) mod gather;
pub(crate) mod get;
mod index;
mod limit;
mod masked;
pub(crate) mod nd;
mod nonzero;
mod operands;
mod outer;
mod prepared;
mod put;
mod replace;
mod scan;
mod scatter;
mod search;
mod search_prepared;
mod set;
mod sort;
mod sum;
pub(crate) mod take;
mod where_;

use crate::op::Op;
pub use extreme::{argmax, argmin};
pub use gather::{gather, gather_axis, gather_axis_into, gather_into, take_along, take_along_into};
pub use get::{index, index_into};
pub use index::*;
pub use limit::limit_rows_;
pub use masked::*;
pub use nd::*;
pub use nonzero::{argwhere, count_true, nonzero, nonzero_into, nonzero_tuple};
pub(crate) use operands::{filling, reading, writing};
pub use prepared::Prepared;
pub use put::{put, put_, put_along_, put_along_flat_};
pub use replace::{diagonal_scatter, flip, select_scatter, slice_scatter};
pub use scan::cumsum;
pub use scatter::*;
pub use search::{Search, bucketize, bucketize_into, digitize, searchsorted, searchsorted_into};
pub use search_prepared::PreparedSearch;
pub use set::*;
pub use sort::{argsort, sort};
pub(crate) use sum::{add_at, combine, combined, named_axes, sum_to};
pub use sum::{mean, sum};
pub use take::*;
pub use where_::{where_, where_into};

use crate::dtype::{DType, Scalar};
use crate::error::{DTypeRule, Fault, Result, ShapeRule};
use crate::exec::{self, Out, Passage};
pub use crate::exec::{Access, Reads};
pub(crate) use crate::exec::{copy, copy_out};
use crate::foreign;
use crate::index::rules::{Casting, Conversion, Meet, Rules, Width};
use crate::layout::Coordinates;
use crate::notes::{self, Note, note};
use crate::promote::{self, Operand, Promotion, result_type};
use crate::tensor::Tensor;
use crate::values::{admit, convert, number};
use crate::view::{AnyView, AnyViewMut, Form};

/// An array or one number: what a write stores, or what a sorted search looks for.
///
/// Functions take arrays as views, `Source<AnyView>`. Methods take them as tensors, `Source<&Tensor>`, since a tensor's memory is
/// registered for the length of the call, and its gradient may be wanted.
///
/// ```
/// use takewise::prelude::*;
/// let mut x = [0i64; 4];
/// ops::put_(&mut (&mut x).into(), &[0usize, 1], &[5i64, 6], false, &Rules::NEUTRAL)?; // an array
/// ops::put_(&mut (&mut x).into(), &[3usize], 9, false, &Rules::NEUTRAL)?; // a number for every place
/// assert_eq!(x, [5, 6, 0, 9]);
/// let t = tensor!([1, 2, 3]);
/// t.put_(&tensor!([0, 1]), &tensor!([7, 8]), false, &Rules::NEUTRAL)?; // a tensor
/// t.put_(&tensor!([2]), 9, false, &Rules::NEUTRAL)?;
/// assert_eq!(t.to_vec::<i64>()?, [7, 8, 9]);
/// let at = ops::searchsorted(&[1.0, 3.0], 2, &ops::Search::default(), &Rules::NEUTRAL)?; // a number has no dtype
/// assert_eq!(at.item()?, Scalar::Int(1));
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy)]
pub enum Source<A> {
    /// An array.
    Array(A),
    /// A number. The rules say which dtype it takes: as a rule that of the array it meets.
    Scalar(Scalar),
}

impl<S: Into<Scalar>, A> From<S> for Source<A> {
    fn from(number: S) -> Self {
        Source::Scalar(number.into())
    }
}

impl<'a> From<&'a Tensor> for Source<&'a Tensor> {
    fn from(t: &'a Tensor) -> Self {
        Source::Array(t)
    }
}

impl<'a> From<AnyView<'a>> for Source<AnyView<'a>> {
    fn from(v: AnyView<'a>) -> Self {
        Source::Array(v)
    }
}

impl<'a> From<&AnyView<'a>> for Source<AnyView<'a>> {
    fn from(v: &AnyView<'a>) -> Self {
        Source::Array(v.clone())
    }
}

impl<'a, T: crate::Element> From<&crate::View<'a, T>> for Source<AnyView<'a>> {
    fn from(v: &crate::View<'a, T>) -> Self {
        Source::Array(v.into())
    }
}

impl<'a, T: crate::Element> From<&'a [T]> for Source<AnyView<'a>> {
    fn from(v: &'a [T]) -> Self {
        Source::Array(v.into())
    }
}

impl<'a, T: crate::Element, const N: usize> From<&'a [T; N]> for Source<AnyView<'a>> {
    fn from(v: &'a [T; N]) -> Self {
        Source::Array(v.into())
    }
}

impl<'a, T: crate::Element> From<&'a Vec<T>> for Source<AnyView<'a>> {
    fn from(v: &'a Vec<T>) -> Self {
        Source::Array(v.into())
    }
}

impl<A> Source<A> {
    /// The same source with its array held in another way.
    pub fn map<'s, B>(&'s self, array: impl FnOnce(&'s A) -> B) -> Source<B> {
        match self {
            Source::Array(a) => Source::Array(array(a)),
            Source::Scalar(number) => Source::Scalar(*number),
        }
    }

    /// The array, if it is one.
    pub fn array(self) -> Option<A> {
        match self {
            Source::Array(a) => Some(a),
            Source::Scalar(_) => None,
        }
    }
}

/// One number held as an element, so that it can stand in for an array.
pub(crate) struct Single {
    bytes: [u8; 16],
    /// An element that is longer.
    long: Option<Box<[u8]>>,
    dtype: DType,
}

impl Single {
    /// Converts by the rules; an error (kind `Value`) if the number does not fit.
    pub(crate) fn new(op: Op, value: Scalar, dtype: DType, rules: &Rules) -> Result<Single> {
        if admit::asks(rules) {
            admit::check_number(op, value, dtype, rules)?;
        }
        let bytes = [0; 16];
        if dtype.size() > bytes.len() && dtype.is_foreign() {
            let mut long = vec![0; dtype.size()].into_boxed_slice();
            foreign::element(op, value, dtype, &mut long).map_err(|e| e.in_words(rules.words))?;
            return Ok(Single { bytes, long: Some(long), dtype });
        }
        let bytes = number::scalar_bytes(op, value, dtype, rules.conversion, rules.words)?;
        Ok(Single { bytes, long: None, dtype })
    }

    /// [`Single::new`] of one value; of what is no number, such as a date, the element that `given` holds.
    pub(crate) fn of(
        op: Op,
        value: Option<Scalar>,
        given: &Source<AnyView>,
        dtype: DType,
        rules: &Rules,
    ) -> Result<Single> {
        admitted(op, dtype, given, rules)?;
        if let Some(value) = value {
            return Single::new(op, value, dtype, rules);
        }
        let mut kept = Made::default();
        let element = stored(op, dtype, given, rules, &mut kept)?;
        Ok(match element.bytes_at(&[]) {
            Some(bytes) => Single { bytes, long: None, dtype },
            None => Single { bytes: [0; 16], long: element.long_bytes_at(&[]), dtype },
        })
    }

    /// The element's bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.long.as_deref().unwrap_or(&self.bytes[..self.dtype.size().min(16)])
    }

    /// A 0-d view of the element.
    pub(crate) fn view(&self) -> AnyView<'_> {
        let view = AnyView::from(self.bytes()).as_one(self.dtype);
        note(|| Note::Number {
            address: view.as_ptr().addr(),
            dtype: self.dtype,
            value: number::element_scalar(&self.bytes, self.dtype).filter(|_| self.long.is_none()),
        });
        view
    }
}

/// A view of rank 0 as rank 1 with one element, which is how torch's gather and index families see it.
#[inline]
pub(crate) fn lifted<'v, 'a>(view: &'v AnyView<'a>) -> Lifted<'v, AnyView<'a>> {
    if view.rank() > 0 {
        return Lifted::Same(view);
    }
    Lifted::Own(Box::new(view.rearranged(0, view.layout().unsqueeze(0, view.dtype().size()))))
}

/// What may have been lifted: as it was, or in a box, so that nothing large is moved about for what is seldom.
pub(crate) enum Lifted<'v, T> {
    Same(&'v T),
    Own(Box<T>),
}

impl<T> std::ops::Deref for Lifted<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match self {
            Lifted::Same(it) => it,
            Lifted::Own(it) => it,
        }
    }
}

/// The extents [`lifted`] gives.
#[inline]
pub(crate) fn lifted_shape(form: &impl Form) -> &[usize] {
    if form.rank() > 0 { form.shape() } else { &[1] }
}

/// `dim` counted from the front, in the rules' words.
pub(crate) fn dim(op: Op, dim: i64, rank: usize, rules: &Rules) -> Result<usize> {
    rules.axis(op, dim, rank)
}

/// The values of a write in the destination's dtype: as they are; converted into `keep` where the rules cast; else
/// an error. A number becomes one element, held by `single`.
pub(crate) fn stored<'k>(
    op: Op,
    dtype: DType,
    source: &Source<AnyView<'k>>,
    rules: &Rules,
    keep: &'k mut Made,
) -> Result<AnyView<'k>> {
    match source {
        Source::Scalar(s) => Ok(keep.single.insert(Single::new(op, *s, dtype, rules)?).view()),
        Source::Array(v) if v.dtype() == dtype => Ok(v.clone()),
        Source::Array(v) if rules.same_dtype && v.dtype().native() != dtype.native() => {
            Err(rules.fail(Fault::DType { op, rule: DTypeRule::Same, given: v.dtype(), wanted: Some(dtype) }))
        }
        Source::Array(v) => {
            admitted(op, dtype, source, rules)?;
            converted(v, dtype, rules.conversion, &mut keep.tensor).map_err(|e| e.in_op(op).in_words(rules.words))
        }
    }
}

/// Fails unless values keep what they are in an array of `dtype`, where the rules ask for that ([`Casting`]).
/// Cost: a pass over integers that may not fit.
#[inline]
pub(crate) fn admitted(op: Op, dtype: DType, source: &Source<AnyView>, rules: &Rules) -> Result<()> {
    match source {
        Source::Array(v) if v.dtype() == dtype => Ok(()),
        _ if !admit::asks(rules) => Ok(()),
        Source::Array(v) => admitted_array(op, dtype, v, rules),
        Source::Scalar(number) => admit::check_number(op, *number, dtype, rules),
    }
}

#[cold]
fn admitted_array(op: Op, dtype: DType, values: &AnyView, rules: &Rules) -> Result<()> {
    if admit::check_dtypes(op, values.dtype(), dtype, rules)?.is_some() {
        return Ok(());
    }
    let native = match foreign::numbers(values.dtype()) {
        Some(foreign::Numbers::Integers { .. }) => DType::I64,
        _ => values.dtype().native(),
    };
    let mut keep = None;
    admit::check_values(op, &converted(values, native, rules.conversion, &mut keep)?, dtype, rules)
}

/// The values of an accumulation, in the dtype they are combined in, and the way of places there and back if that is not
/// theirs: which dtype it is the rules say ([`Rules::meet`]).
pub(crate) fn met<'k>(
    op: Op,
    dtype: DType,
    source: &Source<AnyView<'k>>,
    rules: &Rules,
    keep: &'k mut Made,
) -> Result<(AnyView<'k>, Option<Passage>)> {
    admitted(op, dtype, source, rules)?;
    // Numbers in the other byte order are combined in this machine's.
    let native = dtype.native();
    let common = match source {
        _ if dtype.is_foreign() => dtype,
        Source::Array(v) if v.dtype().native() == native || rules.same_dtype => native,
        Source::Array(v) if v.dtype().is_foreign() => common_foreign(op, native, v.dtype(), rules)?,
        Source::Array(v) => {
            let values = v.dtype().native();
            match common(op, native, Operand::Array(values), rules) {
                // Integers that fit stay integers, where a library's would meet in floats or not at all.
                found
                    if admit::asks(rules)
                        && native.is_integer()
                        && values.is_integer()
                        && !found.as_ref().is_ok_and(|dtype| dtype.is_integer()) =>
                {
                    native
                }
                found => found?,
            }
        }
        Source::Scalar(s) if matches!(rules.meet, Meet::Each(_)) && number::is_exact(*s, native) => native,
        Source::Scalar(s) => common(op, native, Operand::Number(*s), rules)?,
    };
    let form = if dtype == native { exec::Stored::Native(native) } else { exec::Stored::Swapped(native) };
    let way = if common == dtype { None } else { Passage::of(form, common, rules.conversion) };
    let Some(passage) = way else { return Ok((stored(op, dtype, source, rules, keep)?, None)) };
    // Sums of half floats that are rounded once are so in whatever they are combined.
    let wide = matches!(native, DType::F16 | DType::BF16) && rules.accumulate == Width::Wide;
    let passage = if wide || matches!(rules.meet, Meet::Once(_)) { passage.once() } else { passage };
    // Whether other dtypes are welcome at all is asked beside the destination's.
    if let (Source::Array(v), true) = (source, rules.same_dtype)
        && v.dtype().native() != native
    {
        stored(op, dtype, source, rules, &mut Made::default())?;
    }
    Ok((
        stored(op, common, source, &Rules { same_dtype: false, casting: Casting::Any, ..*rules }, keep)?,
        Some(passage),
    ))
}

/// The dtype that numbers of a destination and what is combined with them meet in.
fn common(op: Op, dtype: DType, other: Operand, rules: &Rules) -> Result<DType> {
    let (table, other) = match (rules.meet, other) {
        (Meet::Destination, _) => return Ok(dtype),
        // A number counts as an array does.
        (Meet::Each(table), Operand::Number(s)) => (table, Operand::Array(promote::own(table, s))),
        (Meet::Each(table) | Meet::Once(table), other) => (table, other),
    };
    let common = result_type(table, &[Operand::Array(dtype), other]);
    common.map_err(|e| e.in_op(op).in_words(rules.words))
}

/// The dtype that numbers of a destination and values of a foreign dtype are combined in: numbers too, or it is refused.
#[cold]
fn common_foreign(op: Op, dtype: DType, values: DType, rules: &Rules) -> Result<DType> {
    let table = match rules.meet {
        Meet::Each(table) | Meet::Once(table) => table,
        Meet::Destination => Promotion::Widening,
    };
    match promote::promote(table, dtype, values) {
        Ok(common) if !common.is_foreign() => Ok(common),
        _ => Err(rules.fail(Fault::DType { op, rule: DTypeRule::Promotion, given: dtype, wanted: Some(values) })),
    }
}

/// What [`stored`] may have to make.
#[derive(Default)]
pub(crate) struct Made {
    single: Option<Single>,
    tensor: Option<Tensor>,
}

/// Fails unless an output has the result's dtype and shape.
pub(crate) fn check_out(op: Op, out: &AnyViewMut, dtype: DType, shape: &[usize], rules: &Rules) -> Result<()> {
    if out.dtype() != dtype {
        return Err(rules.fail(Fault::DType { op, rule: DTypeRule::Out, given: out.dtype(), wanted: Some(dtype) }));
    }
    if out.shape() != shape {
        return Err(rules.fail(Fault::shape(op, ShapeRule::Out, 0, &[("out", out.shape()), ("result", shape)])));
    }
    Ok(())
}

/// Says that the numbers of an array were worked out by the call itself, to whoever watches it.
#[inline]
pub(crate) fn numbered(array: &AnyView<'_>) {
    if notes::watched() {
        each_numbered(array);
    }
}

/// A result whose numbers the call has worked out by itself; who watches is told so, and sees them put into it.
#[inline]
pub(crate) fn worked_out(made: Tensor) -> Result<Tensor> {
    if notes::watched() { put_in(&made) } else { Ok(made) }
}

#[cold]
fn put_in(made: &Tensor) -> Result<Tensor> {
    let open = made.read_any()?;
    each_numbered(&open.view());
    copy(&open.view())
}

#[cold]
fn each_numbered(array: &AnyView<'_>) {
    let (start, dtype) = (array.as_ptr().addr(), array.dtype());
    for (at, bytes) in Coordinates::new(array.shape()).zip(notes::elements(array)) {
        let address = start.wrapping_add_signed(array.layout().offset(&at));
        note(|| Note::Number { address, dtype, value: number::element_scalar(&bytes, dtype) });
    }
}

/// A fresh result filled by `fill`.
pub(crate) fn fresh(shape: &[usize], dtype: DType, fill: impl FnOnce(&mut AnyViewMut) -> Result<()>) -> Result<Tensor> {
    let mut out = Tensor::zeroed(shape, dtype)?;
    if let Some(view) = out.unique() {
        fill(&mut view.private())?;
    }
    Ok(out)
}

/// A functional form: a dense copy of `input`, changed in place.
pub(crate) fn copied(input: &AnyView, change: impl FnOnce(&mut AnyViewMut) -> Result<()>) -> Result<Tensor> {
    let mut out = copy(input)?;
    if let Some(view) = out.unique() {
        change(&mut view.private())?;
    }
    Ok(out)
}

/// Copies elements to an array of the same shape and dtype; any layouts. One pass, no extra memory.
///
/// Errors: kind `Shape` or `DType` if they differ.
///
/// ```
/// use takewise::prelude::*;
/// let x = [1, 2, 3, 4];
/// let mut out = [0; 4];
/// let turned = View::new(&x, &[2, 2])?.transpose(0, 1)?;
/// ops::copy_into(&turned.any(), &mut ViewMut::new(&mut out, &[2, 2])?.into())?;
/// assert_eq!(out, [1, 3, 2, 4]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn copy_into(src: &AnyView, dst: &mut AnyViewMut) -> Result<()> {
    check_out(Op::Copy, dst, src.dtype(), src.shape(), &Rules::NEUTRAL)?;
    copy_out(src, Out::given(dst))
}

/// Copies elements to an array of the same shape, converting to its dtype as a cast does (never an error).
///
/// ```
/// use takewise::prelude::*;
/// let mut out = [0u8; 3];
/// ops::cast_into(&AnyView::from(&[1.9f32, -1.0, 256.0]), &mut (&mut out).into())?;
/// assert_eq!(out, [1, 255, 0]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn cast_into(src: &AnyView, dst: &mut AnyViewMut) -> Result<()> {
    if src.dtype() == dst.dtype() { copy_into(src, dst) } else { convert::convert_into(src, dst) }
}

/// The numbers of a view in this machine's byte order: the view itself, or a converted temporary. What is no number stays
/// as it is.
pub(crate) fn native<'a>(src: &AnyView<'a>, keep: &'a mut Option<Tensor>) -> Result<AnyView<'a>> {
    converted(src, src.dtype().native(), Conversion::IntegersChecked, keep)
}

/// What of a view is true, as an array that numbers can be looked for in: the view itself, or a temporary.
pub(crate) fn truths<'a>(op: Op, src: &AnyView<'a>, keep: &'a mut Option<Tensor>) -> Result<AnyView<'a>> {
    if !src.dtype().is_foreign() {
        return native(src, keep);
    }
    let truth = fresh(src.shape(), DType::Bool, |out| foreign::truth(op, src, out))?;
    Ok(keep.insert(truth).unique_view().unwrap_or_else(|| AnyView::from(&[] as &[u8])))
}

/// A view's data as a given dtype: the view itself, or a converted temporary.
pub(crate) fn converted<'a>(
    src: &AnyView<'a>,
    dtype: DType,
    how: Conversion,
    keep: &'a mut Option<Tensor>,
) -> Result<AnyView<'a>> {
    if src.dtype() == dtype {
        return Ok(src.clone());
    }
    let converted = fresh(src.shape(), dtype, |out| convert::convert_as(src, out, how))?;
    Ok(keep.insert(converted).unique_view().unwrap_or_else(|| AnyView::from(&[] as &[u8])))
}
