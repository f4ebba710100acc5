//! NumPy's names.

use takewise::index::rules::{Conversion, Outside, Sign};
use takewise::{DType, Reduce};

use super::{facts, refusals, subscripts};
use crate::face::{Face, Mode};
use crate::run::{
    attributes, bounds, cast, compare, create, fold_numpy, join, numpy, ranges, read, search, shape, sort, unique,
};
use crate::sig::Form::{Both, Function, Method};
use crate::sig::{Row, Wording, row};
use crate::value::Value;

/// NumPy.
pub static NUMPY: Face = Face {
    name: "numpy",
    modules: &[("numpy", "")],
    names: &[("np", ""), ("numpy", "")],
    tensor_type: "numpy.ndarray",
    dtype_type: "numpy.dtype",
    facts: facts::NUMPY,
    plain_as: Some(|| &crate::NUMPY),
    refusals: &refusals::NUMPY,
    wording: &Wording::PYTHON,
    own: || &[],
    tables: &[ROWS, super::numpy_parts::PARTS],
    attributes: ATTRIBUTES,
    holds: None,
    dtypes: DTYPES,
    constants: CONSTANTS,
    float: DType::F64,
    int: DType::I64,
    complex: DType::C128,
    position: DType::I64,
    conversion: Conversion::IntegersChecked,
    words: crate::words::numpy,
    compare: &crate::rules::NUMPY_COMPARE,
    subscripts: &subscripts::NUMPY,
    rules: &crate::rules::NUMPY,
    modes: MODES,
    refused_modes: &[],
    alike: &[],
    by_items: &[],
    writers: &["put", "put_along_axis", "place", "putmask", "copyto", "fill_diagonal", "at"],
    repr: attributes::numpy_repr,
    display: attributes::numpy_display,
    dtype_text: |d| (format!("dtype('{}')", d.name()), d.name().to_owned()),
};

const MODES: &[Mode] = &[
    Mode { name: "raise", sign: Sign::FromEnd, outside: Outside::Raise },
    Mode { name: "wrap", sign: Sign::FromEnd, outside: Outside::Wrap },
    Mode { name: "clip", sign: Sign::NonNegative, outside: Outside::Clip },
];

pub(crate) const ATTRIBUTES: &[(&str, crate::face::Attribute)] = &[
    ("shape", attributes::shape),
    ("dtype", attributes::dtype),
    ("ndim", attributes::ndim),
    ("size", attributes::count),
    ("strides", attributes::strides),
    ("itemsize", attributes::itemsize),
    ("nbytes", attributes::nbytes),
    ("T", attributes::reversed),
    ("mT", attributes::matrix_transpose),
];

pub(crate) const DTYPES: &[&[(&str, DType)]] = &[
    super::STANDARD,
    &[
        ("bool", DType::Bool),
        ("bool_", DType::Bool),
        ("intp", DType::I64),
        ("int_", DType::I64),
        ("half", DType::F16),
        ("single", DType::F32),
        ("double", DType::F64),
        ("float", DType::F64),
        ("int", DType::I64),
        ("bfloat16", DType::BF16),
    ],
];

pub(crate) const CONSTANTS: &[(&str, fn() -> Value)] = &[
    ("nan", || Value::Float(f64::NAN)),
    ("inf", || Value::Float(f64::INFINITY)),
    ("pi", || Value::Float(std::f64::consts::PI)),
    ("e", || Value::Float(std::f64::consts::E)),
    ("newaxis", || Value::None),
];

const AT: &str = "Any input, Any indices, Any values";

/// Functions and methods. A first parameter called `input` is NumPy's `a`, `arr` or `x`, which the binder
/// accepts as keywords too; one that NumPy takes by position alone has another name.
const ROWS: &[Row] = &[
    row(Function, "array", "Any data, dtype dtype=None, *, Any copy=True", create::tensor),
    row(Function, "asarray", "Any data, dtype dtype=None", create::as_tensor),
    row(Function, "ascontiguousarray", "Any input, dtype dtype=None", numpy::ascontiguousarray),
    row(Function, "zeros", "Any size, dtype dtype=None", create::zeros),
    row(Function, "ones", "Any size, dtype dtype=None", create::ones),
    row(Function, "empty", "Any size, dtype dtype=None", create::zeros),
    row(Function, "full", "Any size, Number fill_value, dtype dtype=None", create::full),
    row(Function, "zeros_like", "Any input, dtype dtype=None", create::zeros_like),
    row(Function, "ones_like", "Any input, dtype dtype=None", create::ones_like),
    row(Function, "full_like", "Any input, Number fill_value, dtype dtype=None", create::full_like),
    row(Function, "arange", "Number end, *, dtype dtype=None", ranges::arange),
    row(Function, "arange", "Number start, Number end, Number step=1, dtype dtype=None", ranges::arange),
    row(Function, "eye", "int n, int m=None, *, dtype dtype=None", create::eye),
    row(Function, "linspace", "Number start, Number end, int steps=50, *, dtype dtype=None", ranges::linspace),
    row(Both, "take", "Any input, Any indices, Any axis=None, Any out=None, str mode='raise'", numpy::take),
    row(Both, "put", "Any input, Any indices, Any values, str mode='raise'", numpy::put),
    row(Function, "take_along_axis", "Any input, Any indices, Any axis=-1", read::take_along_axis),
    row(Function, "put_along_axis", "Any input, Any indices, Any values, Any axis", numpy::put_along_axis),
    row(Function, "searchsorted", "Any sorted_sequence, Any v, str side='left', Any sorter=None", numpy::searchsorted),
    row(Method, "searchsorted", "Any sorted_sequence, Any v, str side='left', Any sorter=None", numpy::searchsorted),
    row(Function, "digitize", "Any x, Any bins, bool right=False", search::digitize),
    row(Both, "nonzero", "Any input", read::where_true),
    row(Function, "argwhere", "Any input", read::argwhere),
    row(Function, "flatnonzero", "Any input", numpy::flatnonzero),
    row(Function, "where", "Any condition", read::where_true),
    row(Function, "where", "Any condition, Any input, Any other", numpy::choose),
    row(Function, "extract", "Any condition, Any input", numpy::extract),
    row(Function, "place", "Any input, Any mask, Any vals", numpy::place),
    row(Function, "putmask", "Any target, Any mask, Any values", numpy::putmask),
    row(Function, "add.at", AT, |call| numpy::at(call, Reduce::Sum, false)),
    row(Function, "subtract.at", AT, |call| numpy::at(call, Reduce::Sum, true)),
    row(Function, "multiply.at", AT, |call| numpy::at(call, Reduce::Prod, false)),
    row(Function, "maximum.at", AT, |call| numpy::at(call, Reduce::Max, false)),
    row(Function, "minimum.at", AT, |call| numpy::at(call, Reduce::Min, false)),
    row(Function, "flip", "Any input, Any axis=None", shape::reversed),
    row(Function, "reshape", "Any input, Any shape", shape::reshape),
    row(Method, "reshape", "Any input, ints shape", shape::reshape),
    row(Function, "transpose", "Any input, Any axes=None", shape::transpose_axes),
    row(Method, "transpose", "Any input", shape::transpose_axes),
    row(Method, "transpose", "Any input, ints axes", shape::transpose_axes),
    row(Both, "swapaxes", "Any input, int axis0, int axis1", shape::transpose),
    row(Both, "squeeze", "Any input, Any axis=None", numpy::squeeze),
    row(Function, "expand_dims", "Any input, int axis", numpy::expand_dims),
    row(Function, "broadcast_to", "Any input, Any size", shape::expand),
    row(Both, "diagonal", "Any input, int offset=0, int dim1=0, int dim2=1", shape::diagonal),
    row(Both, "ravel", "Any input", shape::ravel),
    row(Method, "flatten", "Any input", numpy::flatten),
    row(Both, "copy", "Any input", shape::copy),
    row(Method, "view", "Any input", shape::alias),
    row(Method, "view", "Any input, dtype dtype", shape::view_as_dtype),
    row(Method, "astype", "Any input, dtype dtype, Any order=None", cast::astype),
    row(Method, "item", "Any input", create::item_method),
    row(Method, "tolist", "Any input", create::tolist_method),
    row(Method, "fill", "Any input, Any value", numpy::fill),
    row(Both, "argsort", SORT, sort::argsort_along),
    row(Function, "sort", SORT, sort::sort_copy),
    row(
        Method,
        "sort",
        "Any input, int dim=-1, str kind=None, Any order=None, *, Any stable=None",
        sort::sort_in_place,
    ),
    row(Both, "all", FOLD, fold_numpy::all),
    row(Both, "any", FOLD, fold_numpy::any),
    row(Both, "max", FOLD, fold_numpy::max),
    row(Both, "min", FOLD, fold_numpy::min),
    row(Function, "amax", FOLD, fold_numpy::max),
    row(Function, "amin", FOLD, fold_numpy::min),
    row(Both, "argmax", "Any input, Any axis=None, Any out=None, *, bool keepdims=False", fold_numpy::argmax),
    row(Both, "argmin", "Any input, Any axis=None, Any out=None, *, bool keepdims=False", fold_numpy::argmin),
    row(Both, "sum", FOLD_IN, fold_numpy::sum),
    row(Both, "mean", FOLD_IN, fold_numpy::mean),
    row(
        Function,
        "unique",
        "Any ar, bool return_index=False, bool return_inverse=False, bool return_counts=False, int axis=None, *, bool equal_nan=True, bool sorted=True",
        unique::unique_numpy,
    ),
    row(Function, "concatenate", JOIN, join::concatenate),
    row(Function, "concat", JOIN, join::concatenate),
    row(
        Function,
        "stack",
        "Any arrays, int axis=0, Any out=None, *, dtype dtype=None, str casting='same_kind'",
        join::stack_numpy,
    ),
    row(Function, "tile", "Any A, Any reps", join::tile_numpy),
    row(Both, "repeat", "Any input, Any repeats, int axis=None", join::repeat_numpy),
    row(
        Function,
        "clip",
        "Any input, Any a_min=None, Any a_max=None, Any out=None, *, Any min=None, Any max=None, dtype dtype=None",
        bounds::clip,
    ),
    row(Method, "clip", "Any input, Any min=None, Any max=None, Any out=None, *, dtype dtype=None", bounds::clip),
    row(Function, "bincount", "Any x, Any weights=None, Any minlength=0", unique::bincount_numpy),
    row(Both, "cumsum", "Any input, Any axis=None, dtype dtype=None, Any out=None", fold_numpy::cumsum),
    row(Function, "isnan", "Any input", compare::isnan),
    row(Function, "logical_not", "Any input", compare::logical_not),
    row(Function, "array_equal", "Any input, Any other", compare::equal),
    row(Function, "load", "str file", numpy::load),
];

/// Parameters of `concatenate`.
const JOIN: &str = "Any arrays, Any axis=0, Any out=None, *, dtype dtype=None, str casting='same_kind'";

/// Parameters of folds, and of those that have a dtype.
const FOLD: &str = "Any input, Any axis=None, Any out=None, bool keepdims=False";
const FOLD_IN: &str = "Any input, Any axis=None, dtype dtype=None, Any out=None, bool keepdims=False";

/// Parameters of `sort` and `argsort`.
const SORT: &str = "Any input, Any dim=-1, str kind=None, Any order=None, *, Any stable=None";
