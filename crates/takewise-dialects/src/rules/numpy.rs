//! NumPy 2.4 (what it does: docs/SEMANTICS.md).

use super::Dialect;
use crate::words;
use takewise::dtype::{DType, DTypeSet};
use takewise::index::rules::*;
use takewise::ops::compare::CompareRules;
use takewise::promote::Promotion;

const SUBSCRIPT: DTypeSet = DTypeSet::INTEGERS.with(DType::Bool);

/// SEMANTICS.md, Sorted searches.
const SEARCH: SearchRules = SearchRules { compare: Compare::Double, weak: Weak::Never, batched: false, int32: false };
/// SEMANTICS.md, Assignment.
const ASSIGN: AssignRules =
    AssignRules { mask_value: MaskValue::Vector, element_takes_array: false, ..AssignRules::NEUTRAL };

const BASE: Rules = Rules {
    sign: Sign::FromEnd,
    outside: Outside::Raise,
    extent: Extent::Broadcast,
    lone_int: LoneInt::JoinsArrays,
    empty: Empty::StillChecks,
    negative_step: true,
    ellipsis_splits: true,
    many_ellipses: false,
    indices: DTypeSet::INTEGERS,
    byte_masks: false,
    overlap: Overlap::CopyInput,
    accumulate: Width::Native,
    meet: Meet::Each(Promotion::Widening),
    order: NanOrder::Last,
    search: SEARCH,
    copies: CopyOrder::IndexFirst,
    assign: ASSIGN,
    short_values: ShortValues::Repeat,
    zero_dim: ZeroDim::NoAxis,
    same_dtype: false,
    conversion: Conversion::IntegersChecked,
    words: words::numpy,
    ..Rules::NEUTRAL
};

const SUBSCRIPTS: Rules =
    Rules { indices: SUBSCRIPT, masks_first: true, empty_masks_fit: true, array_by_array: true, ..BASE };

/// How NumPy 2 compares.
pub const NUMPY_COMPARE: CompareRules = CompareRules { words: words::numpy, ..CompareRules::BY_VALUE };

/// NumPy's rules: negative values count from the end everywhere, integers join index arrays, every value is
/// checked before anything is written.
///
/// `take` and `put` are those of mode `raise`; modes `wrap` and `clip` are [`Outside::Wrap`], and
/// [`Outside::Clip`] with [`Sign::NonNegative`].
pub const NUMPY: Dialect = Dialect {
    name: "numpy",
    get: SUBSCRIPTS,
    set: SUBSCRIPTS,
    index_put: SUBSCRIPTS,
    views: SUBSCRIPTS,
    take: Rules { zero_dim: ZeroDim::OneAxis, ..BASE },
    search: Rules { sign: Sign::NonNegative, ..BASE },
    ..Dialect::uniform("numpy", BASE)
};
