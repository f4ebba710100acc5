//! MindSpore 2.10 on CPU (what it does: docs/SEMANTICS.md).

use super::Dialect;
use crate::words;
use takewise::dtype::{DType, DTypeSet};
use takewise::index::rules::*;

const INT_LONG: DTypeSet = DTypeSet::of(&[DType::I32, DType::I64]);
/// Operations on the kernel that `gather` with an axis uses take 16-bit indices too.
const SHORT_TOO: DTypeSet = INT_LONG.with(DType::I16);
const INT: DTypeSet = DTypeSet::of(&[DType::I32]);
const BOOL: DTypeSet = DTypeSet::of(&[DType::Bool]);
const DATA: DTypeSet = DTypeSet::ALL.without(DTypeSet::of(&[DType::BF16]));

/// SEMANTICS.md, Sorted searches.
const SEARCH: SearchRules = SearchRules { compare: Compare::Same, weak: Weak::ZeroDim, batched: true, int32: false };
/// SEMANTICS.md, Assignment.
const ASSIGN: AssignRules = AssignRules { false_index: FalseIndex::Refuse, drops_ones: false, ..AssignRules::NEUTRAL };

const BASE: Rules = Rules {
    sign: Sign::FromEnd,
    outside: Outside::Raise,
    extent: Extent::AtMost,
    lone_int: LoneInt::JoinsArrays,
    empty: Empty::Forgives,
    negative_step: true,
    ellipsis_splits: false,
    many_ellipses: false,
    indices: INT_LONG,
    byte_masks: false,
    data: DATA,
    overlap: Overlap::Refuse,
    accumulate: Width::Native,
    meet: Meet::Destination,
    order: NanOrder::Unordered,
    search: SEARCH,
    assign: ASSIGN,
    same_dtype: true,
    conversion: Conversion::Wrap,
    words: words::mindspore,
    ..Rules::NEUTRAL
};

const SUBSCRIPTS: Rules = Rules { indices: SHORT_TOO.with(DType::Bool), same_dtype: false, ..BASE };
const MASKED: Rules = Rules { indices: BOOL, ..BASE };

/// MindSpore's rules: NumPy's placement; `take` clips after one wrap from the end, and `scatter` (which is
/// `tensor_scatter_elements`) drops what lies outside.
pub const MINDSPORE: Dialect = Dialect {
    get: SUBSCRIPTS,
    set: SUBSCRIPTS,
    index_put: SUBSCRIPTS,
    views: SUBSCRIPTS,
    take: Rules { outside: Outside::Clip, zero_dim: ZeroDim::NoAxis, ..BASE },
    put: Rules { outside: Outside::Clip, ..BASE },
    index_select: Rules { indices: SHORT_TOO, ..BASE },
    index_add: Rules { sign: Sign::NonNegative, indices: INT, ..BASE },
    index_fill: Rules { indices: INT, ..BASE },
    masked_select: MASKED,
    masked_fill: MASKED,
    masked_scatter: MASKED,
    scatter: Rules { outside: Outside::Drop, extent: Extent::Equal, ..BASE },
    scatter_add: Rules { outside: Outside::Drop, extent: Extent::Equal, ..BASE },
    nonzero: Rules { zero_dim: ZeroDim::NoAxis, ..BASE },
    gather_axis: Rules { indices: SHORT_TOO, ..BASE },
    gather_nd: Rules { sign: Sign::NonNegative, indices: SHORT_TOO, ..BASE },
    scatter_nd: Rules { sign: Sign::NonNegative, ..BASE },
    ..Dialect::uniform("mindspore", BASE)
};
