//! JAX's names.

use takewise::index::rules::{Conversion, Outside, Sign};
use takewise::ops::compare::CompareRules;
use takewise::promote::Promotion;
use takewise::{DType, Reduce};

use super::numpy::{CONSTANTS, DTYPES};
use super::{facts, refusals, subscripts};
use crate::face::{Attribute, Face, Holds, Mode};
use crate::run::{attributes, cast, compare, create, jax, numpy, ranges, search, shape, sort};
use crate::sig::Form::{Function, Method};
use crate::sig::{Row, Wording, row};

/// JAX, with its default of 32-bit types.
pub static JAX: Face = Face {
    name: "jax",
    modules: &[("jax", ""), ("jax.numpy", "numpy")],
    names: &[("jax", ""), ("jnp", "numpy")],
    tensor_type: "ArrayImpl",
    dtype_type: "numpy.dtype",
    facts: facts::JAX,
    plain_as: Some(|| &crate::JAX),
    refusals: &refusals::JAX,
    wording: &Wording::PYTHON,
    own: || &[],
    tables: &[ROWS, super::jax_parts::PARTS],
    attributes: JAX_ATTRIBUTES,
    holds: Some(&HOLDS),
    dtypes: DTYPES,
    constants: CONSTANTS,
    float: DType::F32,
    int: DType::I32,
    complex: DType::C64,
    position: DType::I32,
    conversion: Conversion::Saturate,
    words: crate::rules::JAX.get.words,
    compare: &COMPARE,
    subscripts: &subscripts::JAX,
    rules: &crate::rules::JAX,
    modes: MODES,
    refused_modes: &[("raise", "The 'raise' mode to jnp.take is not supported.")],
    alike: ALIKE,
    by_items: &[],
    writers: &[],
    repr: attributes::jax_repr,
    display: attributes::numpy_display,
    dtype_text: |d| (format!("dtype('{}')", d.name()), d.name().to_owned()),
};

/// Numbers in the other byte order are the same numbers.
static HOLDS: Holds = Holds {
    foreign: |name| name.starts_with("float8_") || ["int2", "int4", "uint2", "uint4", "float4_e2m1fn"].contains(&name),
    swapped: true,
    refusal: |dtype| {
        let text = "is not a valid JAX array type. Only arrays of numeric types are supported by JAX.";
        ("TypeError", format!("dtype {} {text}", dtype.name()))
    },
};

/// Python numbers are weak and keep 32 bits; complex numbers have an order.
static COMPARE: CompareRules = CompareRules { promotion: Promotion::Narrow, ..crate::rules::NUMPY_COMPARE };

const JAX_ATTRIBUTES: &[(&str, Attribute)] = &[
    ("at", attributes::at),
    ("shape", attributes::shape),
    ("dtype", attributes::dtype),
    ("ndim", attributes::ndim),
    ("size", attributes::count),
    ("itemsize", attributes::itemsize),
    ("nbytes", attributes::nbytes),
    ("T", attributes::reversed),
    ("mT", attributes::matrix_transpose),
];

/// Names of `x.at` stand beside those of functions.
const ALIKE: &[(&str, usize)] = &[
    ("take", 0),
    ("take_along_axis", 0),
    ("put", 0),
    ("put_along_axis", 0),
    ("compress", 1),
    ("extract", 1),
    ("sort", 0),
    ("flip", 0),
    ("reshape", 0),
    ("transpose", 0),
    ("squeeze", 0),
    ("expand_dims", 0),
    ("ravel", 0),
    ("flatten", 0),
    ("get", 0),
    ("set", 0),
    ("add", 0),
    ("subtract", 0),
    ("mul", 0),
    ("multiply", 0),
    ("divide", 0),
    ("min", 0),
    ("max", 0),
];

/// Modes of `take` and `put`; those of `.at` and of the functions along an axis are in `run::jax`.
const MODES: &[Mode] = &[
    Mode { name: "fill", sign: Sign::FromEnd, outside: Outside::Fill },
    Mode { name: "clip", sign: Sign::NonNegative, outside: Outside::Clip },
    Mode { name: "wrap", sign: Sign::FromEnd, outside: Outside::Wrap },
];

const ROWS: &[Row] = &[
    row(Function, "numpy.array", "Any data, dtype dtype=None", create::tensor),
    row(Function, "numpy.asarray", "Any data, dtype dtype=None", create::as_tensor),
    row(Function, "numpy.zeros", "Any size, dtype dtype=None", create::zeros),
    row(Function, "numpy.ones", "Any size, dtype dtype=None", create::ones),
    row(Function, "numpy.full", "Any size, Number fill_value, dtype dtype=None", create::full),
    row(Function, "numpy.zeros_like", "Any input, dtype dtype=None", create::zeros_like),
    row(Function, "numpy.ones_like", "Any input, dtype dtype=None", create::ones_like),
    row(Function, "numpy.arange", "Number end, *, dtype dtype=None", ranges::arange),
    row(Function, "numpy.arange", "Number start, Number end, Number step=1, dtype dtype=None", ranges::arange),
    row(
        Function,
        "numpy.take",
        "Any input, Any indices, Any axis=None, Any out=None, str mode='fill', Any fill_value=None",
        numpy::take,
    ),
    row(
        Method,
        "take",
        "Any input, Any indices, Any axis=None, Any out=None, str mode='fill', Any fill_value=None",
        numpy::take,
    ),
    row(
        Function,
        "numpy.take_along_axis",
        "Any input, Any indices, Any axis=-1, str mode='fill', Any fill_value=None",
        jax::take_along_axis,
    ),
    row(Function, "numpy.put", "Any input, Any indices, Any values, str mode=None, *, bool inplace=True", jax::put),
    row(
        Function,
        "numpy.put_along_axis",
        "Any input, Any indices, Any values, Any axis, *, bool inplace=True, str mode=None",
        jax::put_along_axis,
    ),
    row(
        Function,
        "numpy.searchsorted",
        "Any sorted_sequence, Any v, str side='left', Any sorter=None, *, Any method=None",
        numpy::searchsorted,
    ),
    row(Function, "numpy.digitize", "Any x, Any bins, bool right=False", search::digitize),
    row(Function, "numpy.nonzero", "Any input, *, Any size=None, Any fill_value=None", jax::nonzero),
    row(Method, "nonzero", "Any input, *, Any size=None, Any fill_value=None", jax::nonzero),
    row(Function, "numpy.argwhere", "Any input, *, Any size=None, Any fill_value=None", jax::argwhere),
    row(Function, "numpy.flatnonzero", "Any input, *, Any size=None, Any fill_value=None", jax::flatnonzero),
    row(Function, "numpy.where", "Any condition, *, Any size=None, Any fill_value=None", jax::nonzero),
    row(Function, "numpy.where", "Any condition, Any input, Any other", numpy::choose),
    row(Function, "numpy.extract", "Any condition, Any input", numpy::extract),
    row(Function, "numpy.compress", "Any condition, Any input, Any axis=None", numpy::compress),
    row(Method, "compress", "Any input, Any condition, Any axis=None", numpy::compress),
    row(Function, "numpy.flip", "Any input, Any axis=None", shape::flip_axes),
    row(Function, "numpy.reshape", "Any input, Any shape", shape::reshape),
    row(Method, "reshape", "Any input, ints shape", shape::reshape),
    row(Function, "numpy.transpose", "Any input, Any axes=None", shape::transpose_axes),
    row(Method, "transpose", "Any input", shape::transpose_axes),
    row(Method, "transpose", "Any input, ints axes", shape::transpose_axes),
    row(Function, "numpy.squeeze", "Any input, Any axis=None", numpy::squeeze),
    row(Function, "numpy.expand_dims", "Any input, int axis", numpy::expand_dims),
    row(Method, "ravel", "Any input", shape::ravel),
    row(Method, "flatten", "Any input", shape::ravel),
    row(Method, "astype", "Any input, dtype dtype", cast::astype),
    row(Method, "item", "Any input", create::item_method),
    row(Method, "tolist", "Any input", create::tolist_method),
    row(Function, "numpy.argsort", SORT, sort::argsort_along),
    row(Method, "argsort", SORT, sort::argsort_along),
    row(Function, "numpy.sort", SORT, sort::sort_copy),
    row(Method, "sort", SORT, sort::sort_copy),
    row(Function, "numpy.all", "Any input", compare::all),
    row(Function, "numpy.any", "Any input", compare::any),
    row(Method, "all", "Any input", compare::all),
    row(Method, "any", "Any input", compare::any),
    row(
        Method,
        "at.get",
        "Any input, *, bool indices_are_sorted=False, bool unique_indices=False, Any mode=None, Any fill_value=None, bool wrap_negative_indices=True",
        jax::get,
    ),
    row(Method, "at.set", AT, jax::set),
    row(Method, "at.add", AT, |call| jax::combine(call, Reduce::Sum, "add", false)),
    row(Method, "at.subtract", AT, |call| jax::combine(call, Reduce::Sum, "sub", true)),
    row(Method, "at.mul", AT, |call| jax::combine(call, Reduce::Prod, "mul", false)),
    row(Method, "at.multiply", AT, |call| jax::combine(call, Reduce::Prod, "mul", false)),
    row(Method, "at.divide", AT, jax::divide),
    row(Method, "at.power", AT, jax::power),
    row(Method, "at.min", AT, |call| jax::combine(call, Reduce::Min, "min", false)),
    row(Method, "at.max", AT, |call| jax::combine(call, Reduce::Max, "max", false)),
];

const AT: &str = "Any input, Any values, *, bool indices_are_sorted=False, bool unique_indices=False, Any mode=None, bool wrap_negative_indices=True";

/// Parameters of `sort` and `argsort`.
const SORT: &str = "Any input, Any dim=-1, *, bool stable=True, bool descending=False";
