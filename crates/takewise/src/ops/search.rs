//! Searching sorted sequences: `searchsorted`, `bucketize`, `digitize`.

use super::{Single, Source, native};
use crate::dtype::{DType, Scalar};
use crate::error::{ArgumentRule, DTypeRule, Fault, Result, ShapeRule};
use crate::exec::{Out, result};
use crate::foreign;
use crate::index::rules::{Compare, Conversion, Empty, Fill, NanOrder, Outside, Rules, Weak};
use crate::layout::normalize_dim;
use crate::op::Op;
use crate::promote::{Operand, Promotion, promote, result_type};
use crate::search::order::{Comparison, FloatWidth, Key, Rounding};
use crate::search::{Kept, Reading, Wanted, count_from_end, first_outside, increasing, search as kernel};
use crate::tensor::Tensor;
use crate::values::number::{integer_range, scalar_bytes};
use crate::view::{AnyView, AnyViewMut};

impl Source<AnyView<'_>> {
    pub(super) fn shape(&self) -> &[usize] {
        match self {
            Source::Array(v) => v.shape(),
            Source::Scalar(_) => &[],
        }
    }

    /// The dtype an array of it has: Python numbers are bool, int64, float64 and complex128, integers
    /// beyond that uint64.
    fn dtype(&self) -> DType {
        match self {
            Source::Array(v) => v.dtype(),
            Source::Scalar(Scalar::Bool(_)) => DType::Bool,
            Source::Scalar(Scalar::Int(i)) if *i > i64::MAX as i128 => DType::U64,
            Source::Scalar(Scalar::Int(_)) => DType::I64,
            Source::Scalar(Scalar::Float(_)) => DType::F64,
            Source::Scalar(Scalar::Complex(..)) => DType::C128,
        }
    }

    fn weak(&self, rules: &Rules) -> bool {
        match (rules.search.weak, self) {
            (Weak::Never, _) => false,
            (Weak::Numbers, v) => matches!(v, Source::Scalar(_)),
            (Weak::ZeroDim, v) => v.shape().is_empty(),
        }
    }
}

/// The optional arguments of [`searchsorted`], with torch's names and defaults.
///
/// ```
/// use takewise::ops::Search;
/// let after = Search { right: true, ..Search::default() };
/// assert_eq!((after.axis, after.out_int32), (-1, false));
/// ```
#[derive(Clone)]
pub struct Search<'a> {
    /// Whether positions go right of equal elements.
    pub right: bool,
    /// `"left"` or `"right"`: the same as words. `"left"` beside `right: true` is an error.
    pub side: Option<&'a str>,
    /// Positions that sort the sequence along the axis: the sequence itself may then be in any order.
    /// Values are checked against the length; out of range ones follow the rules' `sign` and `outside`.
    pub sorter: Option<AnyView<'a>>,
    /// Whether results are `i32` instead of `i64`.
    pub out_int32: bool,
    /// The axis of sequence and values that is searched, negative from the end.
    pub axis: i64,
}

impl Default for Search<'_> {
    fn default() -> Self {
        Search { right: false, side: None, sorter: None, out_int32: false, axis: -1 }
    }
}

/// Where each value would have to be inserted into a sorted sequence to keep it sorted: `i64` (or `i32`)
/// positions of the shape of the values.
///
/// The sequence is 1-d, and values have any shape; or both have the same rank and the same extents but for
/// the searched axis, and each lane of values is searched in its own lane. Position `i` satisfies
/// `s[i-1] < v <= s[i]`, with `right` `s[i-1] <= v < s[i]`; it lies in `0..=n`. On a sequence that is not
/// sorted the result is that of torch's halving: `mid = lo + (hi - lo) / 2`.
///
/// Dtypes may differ; neither side is copied or converted. How they compare ([`Compare`]), which values
/// adopt the sequence's dtype ([`Weak`]), where NaN stands ([`NanOrder`]) and which dtypes exist
/// (`rules.data`) is data. Complex numbers compare lexicographically, as NumPy's do.
///
/// Errors: kind `Argument` for a bad `side`, a sorter value out of range (under [`Outside::Raise`]; all are
/// checked first) and 2^31-1 or more elements with `out_int32`; kind `Shape` if shapes do not match or the
/// sorter's differs from the sequence's; kind `Axis`; kind `DType`; kind `Memory`.
///
/// Cost: `log2 n` comparisons a value, in parallel over values, for any strides. Where 16 values or more are looked for in
/// one lane of real numbers, the first levels of the search are copied into a tree first, for four comparisons in one
/// step; where values are many beside the elements (a third as many, or an eighth as many where elements are beyond the
/// caches, or do not lie side by side as 32 or 64 bit numbers), all elements are. Extra memory: a few kilobytes a thread,
/// and the trees, one for each lane being searched: up to 17 bytes a value (26 for 64 bit numbers), or up to 9 (18) an
/// element where all are copied, which they are only into trees of at most 512 MiB. Without memory for a tree it is done
/// without. Source: `torch.searchsorted`, `numpy.searchsorted`
/// (SEMANTICS.md, Sorted searches).
///
/// ```
/// use takewise::{ops::{self, Search}, Rules};
/// let edges = [1i64, 3, 5, 7, 9];
/// let at = ops::searchsorted(&edges, &[3.5f32, 9.0, 10.0], &Search::default(), &Rules::NEUTRAL).unwrap();
/// assert_eq!(at.to_vec::<i64>().unwrap(), [2, 4, 5]);
///
/// let right = Search { side: Some("right"), ..Search::default() };
/// let at = ops::searchsorted(&edges, 9, &right, &Rules::NEUTRAL).unwrap();
/// assert_eq!((at.shape(), at.to_vec::<i64>().unwrap()), (&[][..], vec![5]));
/// ```
pub fn searchsorted<'a>(
    sequence: impl Into<AnyView<'a>>,
    values: impl Into<Source<AnyView<'a>>>,
    search: &Search<'a>,
    rules: &Rules,
) -> Result<Tensor> {
    fresh(Op::SearchSorted, &sequence.into(), &values.into(), search, rules)
}

/// [`searchsorted`] into memory the caller owns: `out` has the shape of the values and dtype `i64`, or `i32`
/// with `out_int32`; any strides. Nothing is written on error. Further errors: kind `DType` if `out` has
/// another dtype, kind `Shape` if it has another shape.
///
/// ```
/// use takewise::{ops::{self, Search}, AnyViewMut, Rules};
/// let mut out = [0i64; 2];
/// let mut to = AnyViewMut::from(&mut out[..]);
/// ops::searchsorted_into(&[1, 2, 3], &[2, 9], &Search::default(), &mut to, &Rules::NEUTRAL).unwrap();
/// assert_eq!(out, [1, 3]);
/// ```
pub fn searchsorted_into<'a>(
    sequence: impl Into<AnyView<'a>>,
    values: impl Into<Source<AnyView<'a>>>,
    search: &Search<'a>,
    out: &mut AnyViewMut<'_>,
    rules: &Rules,
) -> Result<()> {
    let (sequence, values) = (sequence.into(), values.into());
    comparable(Op::SearchSorted, &sequence, &values, search, rules, |sequence, values, search| {
        let call = Checked::check(Op::SearchSorted, sequence, values, search, Some(out.dtype()), rules)?;
        call.run(sequence, values, search, rules, Out::given(out), None)
    })
}

/// In which bucket each value falls: [`searchsorted`] with the arguments swapped and 1-d boundaries.
///
/// `right: false` counts the boundaries below the value, `true` those below or equal (the opposite of
/// [`digitize`]). Errors and cost as [`searchsorted`]; kind `Shape` unless boundaries are 1-d. Source:
/// `torch.bucketize`.
///
/// ```
/// use takewise::{ops, Rules};
/// let b = ops::bucketize(&[0.5, 1.0, 3.0], &[1.0, 2.0], false, false, &Rules::NEUTRAL).unwrap();
/// assert_eq!(b.to_vec::<i64>().unwrap(), [0, 0, 2]);
/// ```
pub fn bucketize<'a>(
    values: impl Into<Source<AnyView<'a>>>,
    boundaries: impl Into<AnyView<'a>>,
    out_int32: bool,
    right: bool,
    rules: &Rules,
) -> Result<Tensor> {
    let boundaries = boundaries.into();
    check_boundaries(Op::Bucketize, &boundaries, rules)?;
    let search = Search { right, out_int32, ..Search::default() };
    fresh(Op::Bucketize, &boundaries, &values.into(), &search, rules)
}

/// [`bucketize`] into memory the caller owns, as [`searchsorted_into`].
///
/// ```
/// use takewise::prelude::*;
/// let mut out = [0i64; 3];
/// let bounds = [1.0, 2.0];
/// ops::bucketize_into(&[0.5, 1.0, 3.0], &bounds, false, false, &mut (&mut out).into(), &Rules::NEUTRAL)?;
/// assert_eq!(out, [0, 0, 2]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn bucketize_into<'a>(
    values: impl Into<Source<AnyView<'a>>>,
    boundaries: impl Into<AnyView<'a>>,
    out_int32: bool,
    right: bool,
    out: &mut AnyViewMut<'_>,
    rules: &Rules,
) -> Result<()> {
    let (values, boundaries) = (values.into(), boundaries.into());
    check_boundaries(Op::Bucketize, &boundaries, rules)?;
    let search = Search { right, out_int32, ..Search::default() };
    comparable(Op::Bucketize, &boundaries, &values, &search, rules, |boundaries, values, search| {
        let call = Checked::check(Op::Bucketize, boundaries, values, search, Some(out.dtype()), rules)?;
        call.run(boundaries, values, search, rules, Out::given(out), None)
    })
}

/// In which bin each value falls, NumPy's way: bins may increase or decrease, and `right: false` means
/// `bins[i-1] <= v < bins[i]` (the opposite of [`bucketize`]).
///
/// Errors as [`bucketize`]; kind `Argument` if bins are in neither order, which is checked in one pass (as
/// f64); kind `DType` for complex operands. Source: `numpy.digitize`.
///
/// ```
/// use takewise::{ops, Rules};
/// let bins = ops::digitize(&[0.5, 2.0, 9.0], &[3.0, 2.0, 1.0], false, &Rules::NEUTRAL).unwrap();
/// assert_eq!(bins.to_vec::<i64>().unwrap(), [3, 1, 0]);
/// ```
pub fn digitize<'a>(
    values: impl Into<Source<AnyView<'a>>>,
    bins: impl Into<AnyView<'a>>,
    right: bool,
    rules: &Rules,
) -> Result<Tensor> {
    const OP: Op = Op::Digitize;
    let (values, bins) = (values.into(), bins.into());
    check_boundaries(OP, &bins, rules)?;
    for dtype in [values.dtype(), bins.dtype()] {
        if dtype.is_complex() {
            return Err(unsupported(OP, dtype, rules));
        }
    }
    let search = Search { right: !right, ..Search::default() };
    comparable(OP, &bins, &values, &search, rules, |bins, values, search| {
        let Some(up) = increasing(bins) else {
            return Err(rules.fail(Fault::argument(OP, ArgumentRule::Monotonic, &[])));
        };
        if up {
            return fresh(OP, bins, values, search, rules);
        }
        // Counted from the other end: what is left of the bins beyond the position in the reversed bins.
        let mut found = fresh(OP, &bins.reversed(&[0])?, values, search, rules)?;
        if let Some(mut found) = found.unique() {
            count_from_end(&mut found, bins.numel());
        }
        Ok(found)
    })
}

pub(super) fn check_boundaries(op: Op, boundaries: &AnyView<'_>, rules: &Rules) -> Result<()> {
    if boundaries.rank() == 1 {
        return Ok(());
    }
    Err(rules.fail(Fault::shape(op, ShapeRule::Boundaries, 0, &[("boundaries", boundaries.shape())])))
}

pub(super) fn unsupported(op: Op, given: DType, rules: &Rules) -> crate::Error {
    rules.fail(Fault::DType { op, rule: DTypeRule::Unsupported, given, wanted: None })
}

fn fresh(
    op: Op,
    sequence: &AnyView<'_>,
    values: &Source<AnyView<'_>>,
    search: &Search<'_>,
    rules: &Rules,
) -> Result<Tensor> {
    comparable(op, sequence, values, search, rules, |sequence, values, search| {
        let call = Checked::check(op, sequence, values, search, None, rules)?;
        let out = result(values.shape(), call.result, |to| call.run(sequence, values, search, rules, to, None));
        out.map_err(|e| e.in_op(op).in_words(rules.words))
    })
}

/// Runs `run` with operands whose order the engine knows: themselves, or temporaries of numbers in the other byte order
/// and of dtypes whose order another library knows.
pub(super) fn comparable<R>(
    op: Op,
    sequence: &AnyView<'_>,
    values: &Source<AnyView<'_>>,
    search: &Search<'_>,
    rules: &Rules,
    run: impl FnOnce(&AnyView<'_>, &Source<AnyView<'_>>, &Search<'_>) -> Result<R>,
) -> Result<R> {
    let opaque = |d: DType| matches!(d, DType::Opaque { .. });
    let sorter = search.sorter.as_ref().filter(|sorter| opaque(sorter.dtype()));
    if !opaque(sequence.dtype()) && !opaque(values.dtype()) && sorter.is_none() {
        return run(sequence, values, search);
    }
    let mut keep_sorter = None;
    let sorter = search.sorter.as_ref().map(|sorter| native(sorter, &mut keep_sorter)).transpose()?;
    let search = &Search { sorter, ..search.clone() };
    let (mut keep_sequence, mut keep_values) = (None, None);
    match values {
        Source::Array(array) if sequence.dtype().is_foreign() || array.dtype().is_foreign() => {
            let keys = |x: &AnyView| Tensor::zeroed(x.shape(), DType::I64);
            let (mut first, mut second) = (keys(sequence)?, keys(array)?);
            if let (Some(first), Some(second)) = (first.unique(), second.unique()) {
                let found = foreign::keys(op, &[sequence, array], &mut [first, second]);
                found.map_err(|e| e.in_words(rules.words))?;
            }
            let (Some(sequence), Some(values)) = (first.unique_view(), second.unique_view()) else {
                return Err(unsupported(op, sequence.dtype(), rules));
            };
            run(&sequence, &Source::Array(values), search)
        }
        Source::Array(array) => {
            let values = native(array, &mut keep_values)?;
            run(&native(sequence, &mut keep_sequence)?, &Source::Array(values), search)
        }
        Source::Scalar(number) if sequence.dtype().is_foreign() => {
            let Some(met) = foreign::common(sequence.dtype(), values.dtype(), true) else {
                return Err(unsupported(op, sequence.dtype(), rules));
            };
            let single = Single::new(op, *number, met, rules)?;
            comparable(op, sequence, &Source::Array(single.view()), search, rules, run)
        }
        Source::Scalar(_) => run(&native(sequence, &mut keep_sequence)?, values, search),
    }
}

/// A checked call.
pub(super) struct Checked {
    op: Op,
    axis: usize,
    comparison: Comparison,
    pub(super) result: DType,
    /// What a sorter value out of range reads, where the rules fill or drop.
    missing: [u8; 16],
}

impl Checked {
    /// All checks, in torch's order.
    pub(super) fn check(
        op: Op,
        sequence: &AnyView<'_>,
        values: &Source<AnyView<'_>>,
        search: &Search<'_>,
        out: Option<DType>,
        rules: &Rules,
    ) -> Result<Checked> {
        let right = side(op, search, rules)?;
        let shapes = [("sequence", sequence.shape()), ("values", values.shape())];
        let misshapen = |rule| Err(rules.fail(Fault::shape(op, rule, 0, &shapes)));
        if !rules.search.batched {
            check_boundaries(op, sequence, rules)?;
        }
        let axis = normalize_dim(op, search.axis, sequence.rank()).map_err(|e| e.in_words(rules.words))?;
        if let Some(sorter) = &search.sorter {
            check_sorter(op, sequence, sorter, axis, rules)?;
        }
        if values.shape().is_empty() && sequence.rank() != 1 {
            return misshapen(ShapeRule::SequenceScalar);
        }
        if sequence.rank() == 0 {
            return misshapen(ShapeRule::ZeroDim);
        }
        let (lanes, of) = (sequence.shape(), values.shape());
        let matched = lanes.len() == of.len() && (0..lanes.len()).all(|d| d == axis || lanes[d] == of[d]);
        if sequence.rank() != 1 && !matched {
            return misshapen(ShapeRule::Sequence);
        }
        let int32 = search.out_int32 || rules.search.int32;
        let result = if int32 { DType::I32 } else { DType::I64 };
        if let Some(given) = out.filter(|d| *d != result) {
            return Err(rules.fail(Fault::DType { op, rule: DTypeRule::Out, given, wanted: Some(result) }));
        }
        if int32 && lanes[axis] >= i32::MAX as usize {
            return Err(rules.fail(Fault::argument(op, ArgumentRule::TooManyForInt32, &[lanes[axis] as i64])));
        }
        let forgiven = rules.empty == Empty::Forgives && of.contains(&0);
        let (key, seen) = match meet(op, sequence.dtype(), values, rules) {
            Err(_) if forgiven => (Rounding::Keep, None),
            met => met?,
        };
        let missing = match (rules.outside, search.sorter.is_some()) {
            (Outside::Fill, true) => fill(op, sequence.dtype(), rules)?,
            _ => [0; 16],
        };
        Ok(Checked { op, axis, comparison: Comparison { key, seen, right }, result, missing })
    }

    pub(super) fn run(
        &self,
        sequence: &AnyView<'_>,
        values: &Source<AnyView<'_>>,
        search: &Search<'_>,
        rules: &Rules,
        out: Out<'_, '_>,
        kept: Option<&Kept>,
    ) -> Result<()> {
        if out.layout().shape() != values.shape() {
            let shapes = [("out", out.layout().shape()), ("values", values.shape())];
            return Err(rules.fail(Fault::shape(self.op, ShapeRule::Out, 0, &shapes)));
        }
        let reading = Reading {
            comparison: self.comparison,
            nan_last: rules.order == NanOrder::Last,
            sign: rules.sign,
            outside: rules.outside,
            missing: self.missing,
        };
        let wanted = match values {
            Source::Array(v) => Wanted::Each(v),
            Source::Scalar(s) => Wanted::One(Key::from(*s)),
        };
        kernel(sequence, search.sorter.as_ref(), &wanted, self.axis, out, reading, kept)
            .map_err(|_| unsupported(self.op, sequence.dtype(), rules))
    }
}

/// Whether the search goes right of equal elements.
fn side(op: Op, search: &Search<'_>, rules: &Rules) -> Result<bool> {
    match search.side {
        None => Ok(search.right),
        Some("right") => Ok(true),
        Some("left") if !search.right => Ok(false),
        Some("left") => Err(rules.fail(Fault::text(op, ArgumentRule::SideOpposesRight, "left"))),
        Some(other) => Err(rules.fail(Fault::text(op, ArgumentRule::Side, other))),
    }
}

fn check_sorter(op: Op, sequence: &AnyView<'_>, sorter: &AnyView<'_>, axis: usize, rules: &Rules) -> Result<()> {
    if sorter.shape() != sequence.shape() {
        let shapes = [("sequence", sequence.shape()), ("sorter", sorter.shape())];
        return Err(rules.fail(Fault::shape(op, ShapeRule::Sorter, 0, &shapes)));
    }
    if !rules.indices.has(sorter.dtype()) || !sorter.dtype().is_integer() {
        return Err(rules.fail(Fault::DType { op, rule: DTypeRule::Sorter, given: sorter.dtype(), wanted: None }));
    }
    let len = sequence.shape().get(axis).copied().unwrap_or(1);
    if rules.outside != Outside::Raise {
        return Ok(());
    }
    match first_outside(sorter, len, rules.sign) {
        Some((value, flat, _)) => {
            let value = i64::try_from(value).unwrap_or(i64::MAX);
            Err(rules.fail(Fault::argument(op, ArgumentRule::SorterRange, &[value, flat as i64, len as i64])))
        }
        None => Ok(()),
    }
}

/// The element that [`Outside::Fill`] reads.
fn fill(op: Op, dtype: DType, rules: &Rules) -> Result<[u8; 16]> {
    let (value, how) = match rules.fill {
        Some(Fill::Number(value)) => (value, rules.conversion),
        Some(Fill::Element(bytes, _)) => return Ok(bytes),
        None if dtype == DType::Bool => (Scalar::Bool(true), Conversion::Wrap),
        None => match integer_range(dtype) {
            Some((0, high)) => (Scalar::Int(high), Conversion::Wrap),
            Some((low, _)) => (Scalar::Int(low), Conversion::Wrap),
            None => (Scalar::Float(f64::NAN), Conversion::Wrap),
        },
    };
    scalar_bytes(op, value, dtype, how, rules.words)
}

/// How a sequence dtype and values compare under the rules, after checking that they may.
fn meet(
    op: Op,
    sequence: DType,
    values: &Source<AnyView<'_>>,
    rules: &Rules,
) -> Result<(Rounding, Option<FloatWidth>)> {
    let (given, weak) = (values.dtype(), values.weak(rules));
    let has = |d: DType| rules.data.has(d) && !matches!(d, DType::Opaque { .. });
    let known = |d: DType| if has(d) { Ok(()) } else { Err(unsupported(op, d, rules)) };
    let integers = |d: DType| d.is_integer() || d == DType::Bool;
    match rules.search.compare {
        Compare::Exact => {
            known(sequence)?;
            known(given)?;
            Ok((Rounding::Keep, None))
        }
        Compare::Double => {
            known(sequence)?;
            known(given)?;
            // NumPy keeps integers beyond u64 as objects, which compare exactly.
            let huge = matches!(values, Source::Scalar(Scalar::Int(i)) if u64::try_from(*i).is_err() && i64::try_from(*i).is_err());
            if huge && sequence.is_complex() {
                return Err(unsupported(op, sequence, rules));
            }
            let signs = (given == DType::U64 && sequence.is_signed_integer())
                || (sequence == DType::U64 && given.is_signed_integer());
            Ok(match huge || (integers(sequence) && integers(given) && !signs) {
                true => (Rounding::Keep, None),
                false => (Rounding::Float(FloatWidth::F64), Some(FloatWidth::F64)),
            })
        }
        Compare::Same if !weak && sequence != given => {
            Err(rules.fail(Fault::DType { op, rule: DTypeRule::Same, given, wanted: Some(sequence) }))
        }
        Compare::Same | Compare::Promoted => {
            let common = common_dtype(op, sequence, values, weak, rules)?;
            known(common)?;
            let rounding = match FloatWidth::of(common) {
                Some(width) => Rounding::Float(width),
                None if weak => Rounding::Wrap(common),
                None => Rounding::Keep,
            };
            Ok((rounding, FloatWidth::of(common)))
        }
    }
}

/// The dtype torch compares in. Where the rules know the unsigned integers that torch does not promote,
/// they meet other integers as in NumPy.
fn common_dtype(op: Op, sequence: DType, values: &Source<AnyView<'_>>, weak: bool, rules: &Rules) -> Result<DType> {
    let operand = match values {
        Source::Scalar(s) => Operand::Number(*s),
        Source::Array(v) if weak => Operand::ZeroDim(v.dtype()),
        Source::Array(v) => Operand::Array(v.dtype()),
    };
    let common = match result_type(Promotion::ByKind, &[Operand::Array(sequence), operand]) {
        Err(_) if rules.data.has(sequence) && rules.data.has(values.dtype()) => {
            promote(Promotion::Widening, sequence, values.dtype())
        }
        known => known,
    };
    common.map_err(|e| e.in_op(op).in_words(rules.words))
}
