//! JAX 0.10 on CPU (what it does: docs/SEMANTICS.md).

use super::Dialect;
use crate::words;
use takewise::dtype::{DType, DTypeSet};
use takewise::index::rules::*;

/// SEMANTICS.md, Sorted searches.
const SEARCH: SearchRules =
    SearchRules { compare: Compare::Promoted, weak: Weak::Numbers, batched: false, int32: true };
/// SEMANTICS.md, Assignment.
const ASSIGN: AssignRules =
    AssignRules { false_index: FalseIndex::Unchecked, drops_ones: false, ..AssignRules::NEUTRAL };

const BASE: Rules = Rules {
    sign: Sign::FromEnd,
    outside: Outside::Fill,
    extent: Extent::Broadcast,
    lone_int: LoneInt::JoinsArrays,
    empty: Empty::Forgives,
    negative_step: true,
    empty_masks_fit: true,
    ellipsis_splits: true,
    many_ellipses: false,
    indices: DTypeSet::INTEGERS,
    byte_masks: false,
    overlap: Overlap::CopyInput,
    accumulate: Width::Native,
    meet: Meet::Destination,
    order: NanOrder::Last,
    search: SEARCH,
    assign: ASSIGN,
    short_values: ShortValues::Repeat,
    zero_dim: ZeroDim::NoAxis,
    same_dtype: false,
    conversion: Conversion::Saturate,
    words: words::jax,
    ..Rules::NEUTRAL
};

const SUBSCRIPT: DTypeSet = DTypeSet::INTEGERS.with(DType::Bool);
const READ: Rules = Rules { outside: Outside::Clip, indices: SUBSCRIPT, ..BASE };
const WRITE: Rules = Rules { outside: Outside::Drop, indices: SUBSCRIPT, ..BASE };

/// JAX's rules: nothing raises. Subscripts clamp when read and drop when written, functions fill.
///
/// `x.at[i].get(mode=...)` and `.set(..., mode=...)` choose another [`Outside`] for one call.
pub const JAX: Dialect = Dialect {
    get: READ,
    set: WRITE,
    index_put: WRITE,
    views: READ,
    put: Rules { outside: Outside::Clip, ..BASE },
    index_add: WRITE,
    index_copy: WRITE,
    index_fill: WRITE,
    index_reduce: WRITE,
    scatter: WRITE,
    scatter_add: WRITE,
    scatter_reduce: WRITE,
    scatter_mean: WRITE,
    scatter_extreme: WRITE,
    scatter_nd: WRITE,
    ..Dialect::uniform("jax", BASE)
};
