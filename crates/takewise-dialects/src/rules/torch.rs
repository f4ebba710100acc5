//! PyTorch 2.15 on CPU (what it does: docs/SEMANTICS.md).

use super::Dialect;
use crate::words;
use takewise::dtype::{DType, DTypeSet};
use takewise::index::rules::*;
use takewise::ops::compare::CompareRules;

const LONG: DTypeSet = DTypeSet::of(&[DType::I64]);
const INT_LONG: DTypeSet = DTypeSet::of(&[DType::I32, DType::I64]);
/// What may stand in a subscript; `u8` is a mask.
const SUBSCRIPT: DTypeSet = DTypeSet::of(&[DType::I32, DType::I64, DType::U8, DType::Bool]);
/// Barebones unsigned integers: storage without kernels for most operations.
const UNSIGNED: DTypeSet = DTypeSet::of(&[DType::U16, DType::U32, DType::U64]);
const COMPLEX: DTypeSet = DTypeSet::of(&[DType::C64, DType::C128]);
const BOOL: DTypeSet = DTypeSet::of(&[DType::Bool]);
const COMMON: DTypeSet = DTypeSet::ALL.without(UNSIGNED);

/// SEMANTICS.md, Sorted searches.
const SEARCH: SearchRules =
    SearchRules { compare: Compare::Promoted, weak: Weak::ZeroDim, batched: true, int32: false };
/// SEMANTICS.md, Assignment.
const ASSIGN: AssignRules = AssignRules {
    false_index: FalseIndex::Unchecked,
    byte_fill: false,
    fills: DTypeSet::of(&[DType::I64, DType::Bool]),
    one_is_number: true,
    overlap: Some(Overlap::RefusePartial),
    ..AssignRules::NEUTRAL
};

const BASE: Rules = Rules {
    sign: Sign::NonNegative,
    outside: Outside::Raise,
    extent: Extent::AtMost,
    lone_int: LoneInt::SelectsFirst,
    empty: Empty::Forgives,
    negative_step: false,
    ellipsis_splits: false,
    many_ellipses: true,
    indices: INT_LONG,
    byte_masks: true,
    excluding: COMMON,
    overlap: Overlap::Refuse,
    accumulate: Width::Native,
    meet: Meet::Destination,
    order: NanOrder::Unordered,
    search: SEARCH,
    copies: CopyOrder::LikeOperands,
    assign: ASSIGN,
    same_dtype: true,
    conversion: Conversion::RangeChecked,
    words: words::torch,
    ..Rules::NEUTRAL
};

/// Whole slices go through the kernels of `mul`, `add`, `div`, `maximum` and `minimum`.
const SLICES: SliceData =
    SliceData { prod: DTypeSet::ALL, mean: COMMON.without(BOOL), sum: COMMON, extreme: DTypeSet::ALL.without(COMPLEX) };

const SUBSCRIPTS: Rules = Rules { sign: Sign::FromEnd, indices: SUBSCRIPT, ..BASE };
const MASKED: Rules = Rules { indices: BOOL, byte_masks: false, data: COMMON, ..BASE };

/// How PyTorch compares: unsigned integers beyond a byte are kept, but without most kernels.
pub const TORCH_COMPARE: CompareRules = CompareRules { words: words::torch, ..CompareRules::BY_KIND };

/// PyTorch's rules.
///
/// Negative values count from the end only in subscripts, `index_put`, `index_fill`, `take` and `put`;
/// integers select before index arrays are placed; nothing is checked where nothing is read.
pub const TORCH: Dialect = Dialect {
    name: "torch",
    get: SUBSCRIPTS,
    set: Rules { data: COMMON, ..SUBSCRIPTS },
    gather: Rules { overlap: Overlap::RefuseData, accumulate: Width::Wide, ..BASE },
    take_along: Rules {
        flat: Some(FlatRules { outside: Outside::Raise, indices: INT_LONG }),
        outside: Outside::Wrap,
        extent: Extent::Broadcast,
        indices: LONG,
        accumulate: Width::Wide,
        ..BASE
    },
    take: Rules { sign: Sign::FromEnd, indices: LONG, data: COMMON, ..BASE },
    put: Rules { sign: Sign::FromEnd, indices: LONG, data: COMMON, ..BASE },
    index_select: Rules { empty: Empty::StillChecks, accumulate: Width::WideAtEdges, ..BASE },
    index_add: Rules { data: COMMON, slices: Some(SLICES), accumulate: Width::WideAtEdges, ..BASE },
    index_copy: Rules { indices: LONG, data: COMMON, ..BASE },
    index_fill: Rules { sign: Sign::FromEnd, indices: LONG, data: COMMON, ..BASE },
    index_put: Rules { data: COMMON, ..SUBSCRIPTS },
    index_reduce: Rules {
        empty: Empty::StillChecks,
        data: COMMON.without(COMPLEX).without(BOOL),
        slices: Some(SLICES),
        ..BASE
    },
    masked_select: MASKED,
    masked_fill: Rules { overlap: Overlap::RefusePartial, ..MASKED },
    masked_scatter: Rules { overlap: Overlap::CopyInput, ..MASKED },
    scatter: Rules { accumulate: Width::Wide, ..BASE },
    scatter_add: Rules { accumulate: Width::Wide, ..BASE },
    scatter_reduce: Rules { accumulate: Width::Wide, ..BASE },
    scatter_mean: Rules { accumulate: Width::Wide, data: COMMON.without(BOOL), ..BASE },
    scatter_extreme: Rules { data: COMMON.without(COMPLEX), ..BASE },
    gather_axis: BASE,
    gather_nd: BASE,
    scatter_nd: BASE,
    search: Rules { indices: LONG, data: COMMON.without(COMPLEX).without(BOOL), overlap: Overlap::CopyInput, ..BASE },
    sort: Rules { data: DTypeSet::ALL.without(COMPLEX), ..BASE },
    nonzero: Rules { data: COMMON, ..BASE },
    where_: Rules { indices: DTypeSet::of(&[DType::Bool, DType::U8]), ..BASE },
    views: Rules { sign: Sign::FromEnd, overlap: Overlap::RefusePartial, same_dtype: false, ..SUBSCRIPTS },
};
