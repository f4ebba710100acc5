//! Rules: every policy of an indexed operation, as data. One meaning in every operation.
//!
//! Libraries disagree about negative values, values out of range, duplicates, shapes, masks and overlap.
//! Each disagreement is a field here and each library a table of rows (the crate takewise-dialects); no code
//! asks which library is meant.

use crate::bounds;
use crate::dtype::{DType, DTypeSet, Scalar};
use crate::error::{self, Error, Fault, Words};
use crate::op::Op;
pub use takewise_kernels::rules::{Conversion, Outside, Sign};

/// Which promotion table is used.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::promote::{Promotion, promote};
/// assert_eq!(promote(Promotion::Widening, DType::I32, DType::U32)?, DType::I64);
/// assert_eq!(promote(Promotion::ByKind, DType::I64, DType::F32)?, DType::F32);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Promotion {
    /// 0-d arrays and numbers are weak within their kind; u16, u32 and u64 meet only floats (torch).
    ByKind,
    /// Only Python numbers are weak; integers of mixed sign widen, and floats beside integers that they cannot hold
    /// (NumPy 2).
    Widening,
    /// Only Python numbers are weak; any float holds any integer, and nothing becomes wider than 32 bits that was not
    /// before (JAX's default, without 64-bit types). The dtypes of other packages that it has, all of one byte at most, meet
    /// themselves and booleans alone.
    Narrow,
}

/// What happens when a plain store meets the same place twice.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{Duplicates};
/// let store = |duplicates| {
///     let rules = Rules { duplicates, ..Rules::NEUTRAL };
///     ops::scatter(&[0, 0], 0, &[1usize, 1], &[5, 6], None, &rules)
/// };
/// assert_eq!(store(Duplicates::Last)?.to_vec::<i32>()?, [0, 6]);
/// assert_eq!(store(Duplicates::First)?.to_vec::<i32>()?, [0, 5]);
/// assert_eq!(store(Duplicates::Error).unwrap_err().kind(), Kind::Duplicate);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Duplicates {
    /// The last in index order wins.
    Last,
    /// The first in index order wins.
    First,
    /// The call fails and nothing is written.
    Error,
}

/// How the index of a gather-like call must fit its input off the indexed axis.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{Extent};
/// let x = View::new(&[1, 2, 3, 4], &[2, 2])?;
/// let index = View::new(&[1usize, 0], &[1, 2])?;
/// let read = |extent| ops::gather(&x, 1, &index, &Rules { extent, ..Rules::NEUTRAL });
/// assert_eq!(read(Extent::AtMost)?.to_vec::<i32>()?, [2, 1]);
/// assert_eq!(read(Extent::Broadcast)?.to_vec::<i32>()?, [2, 1, 4, 3]);
/// assert!(read(Extent::Equal).is_err());
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// Extents are equal.
    Equal,
    /// The index may be smaller (torch, MindSpore).
    AtMost,
    /// Both broadcast (NumPy's `take_along_axis`).
    Broadcast,
}

/// What an integer does next to an index array in a subscript.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{LoneInt};
/// let x = Tensor::zeros(&[2, 3, 4], DType::F32)?;
/// let i = [0usize, 1];
/// let shape = |lone_int| x.index(&ix![0, .., &i], &Rules { lone_int, ..Rules::NEUTRAL }).map(|t| t.shape().to_vec());
/// assert_eq!(shape(LoneInt::SelectsFirst)?, [3, 2]);
/// assert_eq!(shape(LoneInt::JoinsArrays)?, [2, 3]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoneInt {
    /// It selects first and is gone (torch).
    SelectsFirst,
    /// It joins the index arrays and counts for placement (NumPy, JAX, MindSpore).
    JoinsArrays,
}

/// Whether values are checked when the result is empty anyway.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{Empty};
/// let x = Tensor::zeros(&[2, 0], DType::F32)?;
/// let read = |empty| x.index(&ix![&[9usize]], &Rules { empty, ..Rules::NEUTRAL });
/// assert!(read(Empty::StillChecks).is_err());
/// assert_eq!(read(Empty::Forgives)?.shape(), [1, 0]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Empty {
    /// They are (NumPy).
    StillChecks,
    /// They are not (torch, MindSpore).
    Forgives,
}

/// What to do when an operand shares memory with the destination.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{Overlap};
/// let x = tensor!([1, 2, 3]);
/// let refuse = Rules { overlap: Overlap::Refuse, ..Rules::NEUTRAL };
/// let index = tensor!([2, 1, 0]);
/// assert_eq!(x.scatter_(0, &index, &x, None, &refuse).unwrap_err().kind(), Kind::Overlap);
/// x.scatter_(0, &index, &x, None, &Rules::NEUTRAL)?; // copied first
/// assert_eq!(x.to_vec::<i64>()?, [3, 2, 1]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Overlap {
    /// The operand is copied first.
    CopyInput,
    /// Dense operands that meet the destination are refused, others copied (torch, most in-place calls).
    Refuse,
    /// As `Refuse`, but an operand that *is* the destination is fine (torch's view assignment).
    RefusePartial,
    /// The first operand as by `Refuse`, the others as by `RefusePartial` (torch's `gather`).
    RefuseData,
}

/// In which width half-precision sums are kept.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{Width};
/// use takewise::f16;
/// let small = [f16::from_f32(0.0004); 4];
/// let sum = |accumulate| {
///     let rules = Rules { accumulate, ..Rules::NEUTRAL };
///     ops::scatter_add(&[f16::ONE], 0, &[0usize; 4], &small, &rules)?.to_vec::<f16>()
/// };
/// assert!(sum(Width::Wide)?[0] > f16::ONE);
/// assert!(sum(Width::Native)?[0] == f16::ONE);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Width {
    /// In the storage dtype, rounding after every step.
    Native,
    /// In f32, rounding once at the end.
    Wide,
    /// Wide where `index_add` is a `scatter_add` ([`Width::scatters`]), else native (torch).
    WideAtEdges,
}

impl Width {
    /// Whether slices are added as `scatter_add` adds them: those of an unscaled sum along the first or last of
    /// several axes, named by an int64 index. A number 1 does not scale; `true` does.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::index::rules::Width;
    /// assert!(Width::WideAtEdges.scatters(2, 0, DType::I64, 1.into()));
    /// assert!(!Width::WideAtEdges.scatters(2, 0, DType::I64, 2.into()));
    /// ```
    pub fn scatters(self, rank: usize, dim: usize, index: DType, alpha: Scalar) -> bool {
        let scaled = match alpha {
            Scalar::Bool(_) => true,
            Scalar::Int(v) => v != 1,
            Scalar::Float(v) => v != 1.0,
            Scalar::Complex(re, im) => (re, im) != (1.0, 0.0),
        };
        let edge = rank > 1 && (dim == 0 || dim + 1 == rank);
        self == Width::WideAtEdges && edge && !scaled && index == DType::I64
    }

    /// Native or wide, where slices are added as `scatter_add` does or not.
    ///
    /// ```
    /// use takewise::index::rules::Width;
    /// assert_eq!(Width::WideAtEdges.settle(false), Width::Native);
    /// ```
    pub const fn settle(self, scatters: bool) -> Width {
        match self {
            Width::WideAtEdges if scatters => Width::Wide,
            Width::WideAtEdges => Width::Native,
            other => other,
        }
    }
}

/// In which dtype values of another dtype than their destination's are combined with what is there, where dtypes may
/// differ ([`Rules::same_dtype`]).
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{Meet};
/// let add = |meet| {
///     let rules = Rules { meet, same_dtype: false, ..Rules::NEUTRAL };
///     ops::index_add(&[1i64], 0, &[0usize, 0], &[0.6f64, 0.6], 1.into(), &rules)?.to_vec::<i64>()
/// };
/// assert_eq!(add(Meet::Destination)?, [1]);
/// assert_eq!(add(Meet::Once(takewise::promote::Promotion::Widening))?, [2]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Meet {
    /// In the destination's, to which they are cast first.
    Destination,
    /// In the one both promote to, and every value goes there and back; a number counts as an array of its own dtype
    /// (NumPy's `ufunc.at`).
    Each(Promotion),
    /// In the one both promote to, and a place comes back once, with all its values; a number is weak.
    Once(Promotion),
}

/// What `put` does with fewer values than places.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{ShortValues};
/// let rules = Rules { short_values: ShortValues::Repeat, ..Rules::NEUTRAL };
/// let got = ops::put(&[0, 0, 0], &[0usize, 1, 2], &[7, 8], false, &rules)?;
/// assert_eq!(got.to_vec::<i32>()?, [7, 8, 7]);
/// assert!(ops::put(&[0, 0, 0], &[0usize, 1, 2], &[7, 8], false, &Rules::NEUTRAL).is_err());
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShortValues {
    /// The call fails: as many values as places (torch).
    Refuse,
    /// Values are repeated, or the surplus ignored (NumPy, JAX).
    Repeat,
}

/// What a 0-d array is where an axis is named or positions are listed.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{ZeroDim};
/// let scalar = View::new(&[5], &[])?;
/// let listed = |zero_dim| ops::nonzero(&scalar, &Rules { zero_dim, ..Rules::NEUTRAL });
/// assert_eq!(listed(ZeroDim::OneAxis)?.shape(), [1, 0]);
/// assert!(listed(ZeroDim::NoAxis).is_err());
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ZeroDim {
    /// One axis of length 1 (torch, MindSpore's `gather`, NumPy's `take`).
    OneAxis,
    /// It has no axis to name and no positions to list (NumPy, JAX).
    NoAxis,
}

/// In which order of axes the copy a subscript reads lies in memory.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{CopyOrder};
/// let x = Tensor::zeros(&[2, 3, 4], DType::U8)?;
/// let read = |copies| x.index(&ix![.., &[0usize, 1], ..], &Rules { copies, ..Rules::NEUTRAL });
/// assert_eq!(read(CopyOrder::RowMajor)?.strides(), [8, 4, 1]);
/// assert_eq!(read(CopyOrder::IndexFirst)?.strides(), [4, 8, 1]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CopyOrder {
    /// Row-major.
    RowMajor,
    /// As the axes of the array and of the index arrays lie in memory (torch; SEMANTICS.md, Strides of results).
    LikeOperands,
    /// Index axes outermost, wherever they stand in the shape (NumPy).
    IndexFirst,
}

/// Which values a lone mask over all axes takes in `x[mask] = v`.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{AssignRules, MaskValue};
/// let assign = AssignRules { mask_value: MaskValue::Vector, ..AssignRules::NEUTRAL };
/// assert_eq!(AssignRules::NEUTRAL.mask_value, MaskValue::Broadcasts);
/// let _rules = Rules { assign, ..Rules::NEUTRAL };
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MaskValue {
    /// Whatever broadcasts to the places selected.
    Broadcasts,
    /// Rank 0 or 1 only (NumPy).
    Vector,
}

/// What `False` does as a subscript that is written to.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{AssignRules, FalseIndex};
/// let assign = AssignRules { false_index: FalseIndex::Unchecked, ..AssignRules::NEUTRAL };
/// assert_eq!(AssignRules::NEUTRAL.false_index, FalseIndex::Checked);
/// let _rules = Rules { assign, ..Rules::NEUTRAL };
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FalseIndex {
    /// Nothing is written and the value's shape is not looked at (torch, JAX).
    Unchecked,
    /// Nothing is written, but the value must fit (NumPy).
    Checked,
    /// It is refused, in reading too (MindSpore).
    Refuse,
}

/// What only subscript assignment needs to know.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{AssignRules};
/// let assign = AssignRules { drops_ones: false, ..AssignRules::NEUTRAL };
/// let rules = Rules { assign, ..Rules::NEUTRAL };
/// assert!(!rules.assign.drops_ones && rules.assign.element_takes_array);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AssignRules {
    /// Values for a lone mask over all axes.
    pub mask_value: MaskValue,
    /// `x[False] = v`.
    pub false_index: FalseIndex,
    /// Whether a number may be written through a `u8` mask (torch wants `bool` there).
    pub byte_fill: bool,
    /// Dtypes of a lone index array or mask through which a number is stored as `index_fill` or `masked_fill` would
    /// and fails as they do (torch), complex numbers included.
    pub fills: DTypeSet,
    /// Whether a one-element value written through a mask is converted as a number would be (torch).
    pub one_is_number: bool,
    /// Whether values may have dims of extent 1 in front beyond the rank of the target.
    pub drops_ones: bool,
    /// Whether an element named by integers alone takes a one-element array of rank above 0 (NumPy: no).
    pub element_takes_array: bool,
    /// Values that share memory with a view that is assigned to or with an array that a number fills through one mask,
    /// where not [`Rules::overlap`] (torch).
    pub overlap: Option<Overlap>,
}

impl AssignRules {
    /// Values broadcast; everything is checked.
    pub const NEUTRAL: AssignRules = AssignRules {
        mask_value: MaskValue::Broadcasts,
        false_index: FalseIndex::Checked,
        byte_fill: true,
        fills: DTypeSet::of(&[]),
        one_is_number: false,
        drops_ones: true,
        element_takes_array: true,
        overlap: None,
    };
}

/// Where NaN stands in a sorted sequence.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{NanOrder};
/// let find = |order| {
///     let rules = Rules { order, ..Rules::NEUTRAL };
///     ops::searchsorted(&[1.0, f64::NAN], &[5.0], &ops::Search::default(), &rules)?.to_vec::<i64>()
/// };
/// assert_eq!(find(NanOrder::Last)?, [1]);
/// assert_eq!(find(NanOrder::Unordered)?, [2]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NanOrder {
    /// Comparisons with NaN are false, so the search goes right (torch, MindSpore).
    Unordered,
    /// NaN sorts after everything (NumPy, JAX).
    Last,
}

/// In which type a sorted search compares a sequence with values of another dtype.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{Compare, SearchRules};
/// let find = |compare| {
///     let search = SearchRules { compare, ..SearchRules::NEUTRAL };
///     let rules = Rules { search, ..Rules::NEUTRAL };
///     ops::searchsorted(&[1i64, 3], &[2.0f32], &ops::Search::default(), &rules)
/// };
/// assert_eq!(find(Compare::Exact)?.to_vec::<i64>()?, [1]);
/// assert_eq!(find(Compare::Same).unwrap_err().kind(), Kind::DType);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Compare {
    /// As real numbers: nothing is rounded.
    Exact,
    /// In the promoted dtype, to which both sides are rounded: a float beside an integer sequence compares
    /// in that float's width (torch, JAX).
    Promoted,
    /// In f64 where integers meet floats or `u64` meets signed integers, else exactly (NumPy).
    Double,
    /// Not at all: dtypes must be equal (MindSpore).
    Same,
}

/// Which values of a sorted search take the dtype of the sequence instead of having their own, integers
/// wrapping around; only [`Compare::Promoted`] asks.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{Compare, SearchRules, Weak};
/// // A number beside a sequence of bytes is a byte: 257 wraps around to 1.
/// let search = SearchRules { compare: Compare::Promoted, weak: Weak::Numbers, ..SearchRules::NEUTRAL };
/// let rules = Rules { search, ..Rules::NEUTRAL };
/// let at = ops::searchsorted(&[1u8, 3], 257, &ops::Search::default(), &rules)?;
/// assert_eq!(at.item()?, Scalar::Int(0));
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Weak {
    /// None (NumPy).
    Never,
    /// Plain numbers (JAX).
    Numbers,
    /// Plain numbers and 0-d arrays (torch).
    ZeroDim,
}

/// What only sorted searches need to know.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{SearchRules};
/// let rules = Rules { search: SearchRules { int32: true, ..SearchRules::NEUTRAL }, ..Rules::NEUTRAL };
/// let at = ops::searchsorted(&[1, 3], &[2], &ops::Search::default(), &rules)?;
/// assert_eq!(at.to_vec::<i32>()?, [1]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchRules {
    /// How different dtypes compare.
    pub compare: Compare,
    /// Which values take the sequence's dtype.
    pub weak: Weak,
    /// Whether sequences of rank above 1 are searched lane by lane (torch, MindSpore) or refused.
    pub batched: bool,
    /// Whether results are `i32` without being asked (JAX).
    pub int32: bool,
}

impl SearchRules {
    /// Exact comparison, any rank.
    pub const NEUTRAL: SearchRules =
        SearchRules { compare: Compare::Exact, weak: Weak::Never, batched: true, int32: false };
}

/// Data dtypes that `index_add` and `index_reduce` take where whole slices are combined with what is there: rank
/// above 1, `include_self`, and any index at all. Elsewhere [`Rules::data`] counts.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{SliceData};
/// use takewise::DTypeSet;
/// let floats = DTypeSet::of(&[DType::F32, DType::F64]);
/// let slices = SliceData { prod: floats, mean: floats, sum: DTypeSet::ALL, extreme: DTypeSet::ALL };
/// let _rules = Rules { slices: Some(slices), ..Rules::NEUTRAL };
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SliceData {
    /// Products.
    pub prod: DTypeSet,
    /// Means.
    pub mean: DTypeSet,
    /// Sums. What sums but has no mean is refused when all index values were looked at; what has no kernel at all at
    /// the first slice, when one value was.
    pub sum: DTypeSet,
    /// Maxima and minima.
    pub extreme: DTypeSet,
}

/// What `take_along` without an axis, on flattened operands, does otherwise than along one.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{FlatRules, Outside};
/// use takewise::DTypeSet;
/// let flat = Some(FlatRules { outside: Outside::Clip, indices: DTypeSet::INTEGERS });
/// let rules = Rules { flat, ..Rules::NEUTRAL };
/// assert_eq!(ops::take_along(&[1, 2, 3], None, &[9usize], &rules)?.to_vec::<i32>()?, [3]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlatRules {
    /// Values outside.
    pub outside: Outside,
    /// Index dtypes accepted, of an index that is not empty.
    pub indices: DTypeSet,
}

/// Which values may be stored in an array of another dtype, or combined with its elements, where dtypes may differ at all.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::Casting;
/// let add = |casting, value: f64| {
///     let rules = Rules { casting, same_dtype: false, ..Rules::NEUTRAL };
///     ops::scatter_add(&[0u8], 0, &[0usize], &[value], &rules)
/// };
/// assert_eq!(add(Casting::Any, 1.5)?.to_vec::<u8>()?, [1]);
/// assert_eq!(add(Casting::SameKind, 1.5).unwrap_err().kind(), Kind::DType);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Casting {
    /// All, whatever becomes of them: [`Conversion`] says what.
    Any,
    /// Those whose kind the dtype holds: booleans, integers, floats, complex numbers, each of the kinds after it too, in any
    /// width. Every integer must be in the range of an integer dtype; of numbers without a dtype, a boolean holds 0 and 1.
    SameKind,
}

/// What a place that an index misses gets.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::index::rules::{Fill, Outside};
/// let rules = Rules { outside: Outside::Fill, fill: Some(Fill::from(-1)), ..Rules::NEUTRAL };
/// assert_eq!(ops::take(&[1, 2, 3], &[0usize, 9], &rules)?.to_vec::<i32>()?, [1, -1]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Fill {
    /// A number, converted to the dtype that is read.
    Number(Scalar),
    /// An element of this dtype, from the front of the bytes: what no number says, such as a date.
    Element([u8; 16], DType),
}

impl<S: Into<Scalar>> From<S> for Fill {
    fn from(number: S) -> Fill {
        Fill::Number(number.into())
    }
}

/// Every policy of one indexed operation.
///
/// Fields are added as libraries are met: write what differs, and the rest by `..Rules::NEUTRAL`.
///
/// ```
/// use takewise::{ops, index::rules::{Outside, Rules}, View};
/// let x = [10.0f32, 20.0, 30.0];
/// let clip = Rules { outside: Outside::Clip, ..Rules::NEUTRAL };
/// let got = ops::take(&View::from(&x[..]), &View::from(&[0i64, 7][..]), &clip).unwrap();
/// assert_eq!(got.to_vec::<f32>().unwrap(), [10.0, 30.0]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Negative values.
    pub sign: Sign,
    /// Values outside the axis.
    pub outside: Outside,
    /// What reads under [`Outside::Fill`] give; `None` is the dtype's missing value: NaN, the minimum of
    /// signed and the maximum of unsigned integers, `true`.
    pub fill: Option<Fill>,
    /// Places stored twice.
    pub duplicates: Duplicates,
    /// Shapes off the indexed axis.
    pub extent: Extent,
    /// `take_along` without an axis, where it is not as along one (torch: it is `gather`).
    pub flat: Option<FlatRules>,
    /// Integers beside index arrays.
    pub lone_int: LoneInt,
    /// Checking when the result is empty.
    pub empty: Empty,
    /// Whether negative slice steps are allowed.
    pub negative_step: bool,
    /// Whether an ellipsis that stands for no axes still separates index arrays (NumPy, JAX).
    pub ellipsis_splits: bool,
    /// Whether the shapes of masks are checked before integers and slices are looked at (NumPy).
    pub masks_first: bool,
    /// Whether an axis of extent 0 in a mask fits any axis (NumPy looks only at the others).
    pub empty_masks_fit: bool,
    /// Whether bad values are looked for in one index array after the other (NumPy), not position by position.
    pub array_by_array: bool,
    /// Whether a second ellipsis is accepted.
    pub many_ellipses: bool,
    /// Index dtypes accepted.
    pub indices: DTypeSet,
    /// Whether `u8` index arrays are masks.
    pub byte_masks: bool,
    /// Data dtypes accepted.
    pub data: DTypeSet,
    /// Data dtypes accepted by `scatter_reduce` where `include_self` is false, before those of the reduction.
    pub excluding: DTypeSet,
    /// Data dtypes accepted for whole slices, where they are others.
    pub slices: Option<SliceData>,
    /// Operands that share memory with the destination.
    pub overlap: Overlap,
    /// Half-precision accumulation; of an operation that reads, in its gradient.
    pub accumulate: Width,
    /// Combining values of another dtype.
    pub meet: Meet,
    /// NaN in sorted sequences.
    pub order: NanOrder,
    /// Sorted searches: comparison of dtypes, ranks, result.
    pub search: SearchRules,
    /// Memory order of what subscripts copy.
    pub copies: CopyOrder,
    /// Subscript assignment: values of masks, `False`, numbers.
    pub assign: AssignRules,
    /// Fewer values than places, in `put`.
    pub short_values: ShortValues,
    /// 0-d arrays.
    pub zero_dim: ZeroDim,
    /// Whether source and destination dtypes must be equal in index writes.
    pub same_dtype: bool,
    /// How numbers become elements.
    pub conversion: Conversion,
    /// Which values of other dtypes are stored and combined.
    pub casting: Casting,
    /// Whose words errors use.
    pub words: Words,
}

impl Rules {
    /// A careful NumPy: negatives count from the end, values outside raise, the last duplicate wins.
    pub const NEUTRAL: Rules = Rules {
        sign: Sign::FromEnd,
        outside: Outside::Raise,
        fill: None,
        duplicates: Duplicates::Last,
        extent: Extent::AtMost,
        flat: None,
        lone_int: LoneInt::JoinsArrays,
        empty: Empty::StillChecks,
        negative_step: true,
        ellipsis_splits: true,
        masks_first: false,
        empty_masks_fit: false,
        array_by_array: false,
        many_ellipses: false,
        indices: DTypeSet::INTEGERS,
        byte_masks: false,
        data: DTypeSet::ALL,
        excluding: DTypeSet::ALL,
        slices: None,
        overlap: Overlap::CopyInput,
        accumulate: Width::Wide,
        meet: Meet::Each(Promotion::Widening),
        order: NanOrder::Last,
        search: SearchRules::NEUTRAL,
        copies: CopyOrder::RowMajor,
        assign: AssignRules::NEUTRAL,
        short_values: ShortValues::Refuse,
        zero_dim: ZeroDim::OneAxis,
        same_dtype: true,
        conversion: Conversion::RangeChecked,
        casting: Casting::Any,
        words: error::neutral,
    };

    /// An error in these rules' words.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::{Fault, Op};
    /// let error = Rules::NEUTRAL.fail(Fault::Dim { op: Op::Gather, dim: 5, rank: 2 });
    /// assert_eq!(error.kind(), Kind::Axis);
    /// ```
    #[cold]
    pub fn fail(&self, fault: Fault) -> Error {
        Error::new(self.words, fault)
    }

    /// Where one value lands on an axis of length `len`; `None` if it is outside and these rules do not move
    /// it (they raise, fill or drop).
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::index::rules::Outside;
    /// assert_eq!(Rules::NEUTRAL.place(-1, 3), Some(2));
    /// assert_eq!(Rules::NEUTRAL.place(3, 3), None);
    /// assert_eq!(Rules { outside: Outside::Clip, ..Rules::NEUTRAL }.place(3, 3), Some(2));
    /// ```
    pub fn place(&self, value: i128, len: usize) -> Option<usize> {
        bounds::place(value, len, self.sign, self.outside)
    }

    /// `axis` counted from the front, for an array of this rank.
    ///
    /// Errors: kind `Axis`, also for every axis of a 0-d array under [`ZeroDim::NoAxis`]; else a 0-d array has axes
    /// 0 and -1.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::Op;
    /// assert_eq!(Rules::NEUTRAL.axis(Op::Gather, -1, 2)?, 1);
    /// assert_eq!(Rules::NEUTRAL.axis(Op::Gather, 2, 2).unwrap_err().kind(), Kind::Axis);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn axis(&self, op: Op, axis: i64, rank: usize) -> error::Result<usize> {
        if rank == 0 && self.zero_dim == ZeroDim::NoAxis {
            return Err(self.fail(Fault::Dim { op, dim: axis, rank }));
        }
        crate::layout::normalize_dim(op, axis, rank).map_err(|e| e.in_words(self.words))
    }

    /// Whether a mask's axis fits one of this length.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// assert!(Rules::NEUTRAL.mask_fits(3, 3) && !Rules::NEUTRAL.mask_fits(0, 3));
    /// assert!(Rules { empty_masks_fit: true, ..Rules::NEUTRAL }.mask_fits(0, 3));
    /// ```
    pub fn mask_fits(&self, extent: usize, len: usize) -> bool {
        extent == len || extent == 0 && self.empty_masks_fit
    }

    /// Fails unless the index dtype is accepted here.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::Op;
    /// assert!(Rules::NEUTRAL.check_index(Op::Gather, DType::U8).is_ok());
    /// assert_eq!(Rules::NEUTRAL.check_index(Op::Gather, DType::F32).unwrap_err().kind(), Kind::DType);
    /// ```
    pub fn check_index(&self, op: Op, dtype: DType) -> error::Result<()> {
        if self.indices.has(dtype) {
            return Ok(());
        }
        Err(self.fail(Fault::DType { op, rule: error::DTypeRule::Index, given: dtype, wanted: None }))
    }

    /// Whether an index array of this dtype is a mask.
    pub(crate) fn selects(&self, dtype: DType) -> bool {
        dtype == DType::Bool || (dtype == DType::U8 && self.byte_masks)
    }

    /// Fails unless the operation exists for this data dtype.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::{DTypeSet, Op};
    /// let rules = Rules { data: DTypeSet::INTEGERS, ..Rules::NEUTRAL };
    /// assert!(rules.check_data(Op::Gather, DType::F32).is_err());
    /// ```
    pub fn check_data(&self, op: Op, dtype: DType) -> error::Result<()> {
        if self.data.has(dtype) {
            return Ok(());
        }
        Err(self.fail(Fault::DType { op, rule: error::DTypeRule::Unsupported, given: dtype, wanted: None }))
    }
}

impl Default for Rules {
    fn default() -> Rules {
        Rules::NEUTRAL
    }
}
