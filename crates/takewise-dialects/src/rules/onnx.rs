//! ONNX opset 18 (SEMANTICS.md, ONNX): the schema text decides, where its reference evaluator is laxer.

use super::Dialect;
use takewise::dtype::{DType, DTypeSet};
use takewise::error;
use takewise::index::rules::*;

const LONG: DTypeSet = DTypeSet::of(&[DType::I64]);
const INT_LONG: DTypeSet = DTypeSet::of(&[DType::I32, DType::I64]);

const BASE: Rules = Rules {
    sign: Sign::FromEnd,
    outside: Outside::Raise,
    extent: Extent::Equal,
    lone_int: LoneInt::JoinsArrays,
    empty: Empty::StillChecks,
    indices: INT_LONG,
    overlap: Overlap::CopyInput,
    accumulate: Width::Native,
    meet: Meet::Destination,
    same_dtype: true,
    words: error::neutral,
    ..Rules::NEUTRAL
};

/// The rules of ONNX's operators; operations ONNX does not have follow the same lines.
pub const ONNX: Dialect = Dialect {
    gather_nd: Rules { indices: LONG, ..BASE },
    scatter_nd: Rules { indices: LONG, ..BASE },
    get: Rules { indices: INT_LONG.with(DType::Bool), ..BASE },
    set: Rules { indices: INT_LONG.with(DType::Bool), ..BASE },
    ..Dialect::uniform("onnx", BASE)
};
