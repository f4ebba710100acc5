//! MindSpore's names.

use takewise::DType;
use takewise::index::rules::{Conversion, Outside, Sign};
use takewise::ops::compare::CompareRules;

use crate::dialect::{Attribute, Face, Mode};
use crate::ops::{attributes, cast, compare, create, mindspore, numpy, read, shape, sort, subscript, write};
use crate::sig::Form::{Function, Method};
use crate::sig::{Row, Wording, row};

/// MindSpore, as its CPU back end behaves.
pub static MINDSPORE: Face = Face {
    name: "mindspore",
    modules: &[("mindspore", ""), ("mindspore.ops", "ops"), ("mindspore.mint", "mint"), ("mindspore.numpy", "numpy")],
    names: &[("mindspore", ""), ("ms", ""), ("ops", "ops"), ("mint", "mint"), ("Tensor", "Tensor")],
    tensor_type: "Tensor",
    dtype_type: "mindspore.dtype",
    is_tensor: true,
    wording: Wording::MindSpore,
    tables: &[ROWS, super::mindspore_parts::WRITES, super::mindspore_parts::READS],
    attributes: ATTRIBUTES,
    dtypes: DTYPES,
    constants: &[],
    float: DType::F32,
    int: DType::I64,
    complex: DType::C64,
    position: DType::I64,
    conversion: Conversion::Wrap,
    words: takewise::error::mindspore,
    compare: &CompareRules::TORCH,
    subscripts: &subscript::MINDSPORE,
    rules: &takewise::index::dialect::MINDSPORE,
    modes: MODES,
    refused_modes: &[("raise", "\"raise\" mode is not implemented")],
    alike: &[],
    repr: attributes::mindspore_repr,
    display: attributes::mindspore_display,
    dtype_text: |d| (mindspore_name(d), mindspore_name(d)),
};

fn mindspore_name(dtype: DType) -> String {
    let name = if dtype == DType::BF16 { "BFloat16".to_owned() } else { dtype.name().replacen("uint", "UInt", 1) };
    let mut chars = name.chars();
    chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

const MODES: &[Mode] = &[
    Mode { name: "clip", sign: Sign::FromEnd, outside: Outside::Clip },
    Mode { name: "wrap", sign: Sign::FromEnd, outside: Outside::Wrap },
];

const ATTRIBUTES: &[(&str, Attribute)] = &[
    ("shape", attributes::shape),
    ("dtype", attributes::dtype),
    ("ndim", attributes::ndim),
    ("size", attributes::count),
    ("strides", attributes::strides),
    ("itemsize", attributes::itemsize),
    ("nbytes", attributes::nbytes),
    ("T", attributes::reversed),
];

const DTYPES: &[(&str, DType)] = &[
    ("bool_", DType::Bool),
    ("uint8", DType::U8),
    ("uint16", DType::U16),
    ("uint32", DType::U32),
    ("uint64", DType::U64),
    ("int8", DType::I8),
    ("int16", DType::I16),
    ("int32", DType::I32),
    ("int64", DType::I64),
    ("float16", DType::F16),
    ("half", DType::F16),
    ("bfloat16", DType::BF16),
    ("float32", DType::F32),
    ("float64", DType::F64),
    ("double", DType::F64),
    ("complex64", DType::C64),
    ("complex128", DType::C128),
];

const ROWS: &[Row] = &[
    row(Function, "Tensor", "Any data=None, dtype dtype=None, Any shape=None, Any init=None", create::tensor),
    row(Function, "tensor", "Any data=None, dtype dtype=None", create::tensor),
    row(Function, "ops.zeros", "Any size, dtype dtype=None", create::zeros),
    row(Function, "ops.ones", "Any size, dtype dtype=None", create::ones),
    row(Function, "ops.full", "Any size, Number fill_value, *, dtype dtype=None", create::full),
    row(Function, "ops.arange", "Number end, *, dtype dtype=None", create::arange),
    row(Function, "ops.arange", "Number start, Number end, Number step=1, *, dtype dtype=None", create::arange),
    row(Method, "gather", "Tensor input, int dim, Tensor index", mindspore::gather_elements),
    row(Method, "gather", "Tensor input, Tensor dim, Tensor index", mindspore::gather_elements),
    row(Method, "gather", "Tensor input, Tensor input_indices, int axis, int batch_dims=0", mindspore::gather),
    row(Function, "ops.gather", "Tensor input, Tensor input_indices, Any axis, int batch_dims=0", mindspore::gather),
    row(Function, "ops.gather_elements", "Tensor input, int dim, Tensor index", mindspore::gather_elements),
    row(Function, "ops.gather_d", "Tensor input, int dim, Tensor index", mindspore::gather_elements),
    row(Method, "gather_elements", "Tensor input, int dim, Tensor index", mindspore::gather_elements),
    row(Function, "ops.gather_nd", "Tensor input, Tensor indices", mindspore::gather_nd),
    row(Method, "gather_nd", "Tensor input, Tensor indices", mindspore::gather_nd),
    row(Function, "ops.scatter_nd", "Tensor indices, Tensor updates, Any shape", mindspore::scatter_nd),
    row(
        Function,
        "ops.tensor_scatter_elements",
        "Tensor input, Tensor index, Tensor src, int axis=0, str reduction='none'",
        mindspore::tensor_scatter_elements,
    ),
    row(Function, "ops.scatter", "Tensor input, int axis, Tensor index, Tensor src", mindspore::scatter),
    row(
        Method,
        "scatter",
        "Tensor input, int axis, Tensor index, Tensor src, *, str reduce='none'",
        mindspore::scatter,
    ),
    row(
        Method,
        "scatter",
        "Tensor input, int axis, Tensor index, Number src, *, str reduce='none'",
        mindspore::scatter,
    ),
    row(Function, "ops.tensor_scatter_update", ND, mindspore::nd_update),
    row(Function, "ops.tensor_scatter_add", ND, mindspore::nd_add),
    row(Function, "ops.tensor_scatter_sub", ND, mindspore::nd_sub),
    row(Function, "ops.tensor_scatter_mul", ND, mindspore::nd_mul),
    row(Function, "ops.tensor_scatter_div", ND, mindspore::nd_div),
    row(Function, "ops.tensor_scatter_max", ND, mindspore::nd_max),
    row(Function, "ops.tensor_scatter_min", ND, mindspore::nd_min),
    row(Method, "take", "Tensor input, Any indices, Any axis=None, str mode='clip'", numpy::take),
    row(Function, "ops.index_select", "Tensor input, int dim, Tensor index", read::index_select),
    row(Method, "index_select", "Tensor input, int dim, Tensor index", read::index_select),
    row(Function, "ops.masked_select", "Tensor input, Tensor mask", read::masked_select),
    row(Method, "masked_select", "Tensor input, Tensor mask", read::masked_select),
    row(Function, "ops.masked_fill", "Tensor input, Tensor mask, Any value", write::masked_fill),
    row(Method, "masked_fill", "Tensor input, Tensor mask, Any value", write::masked_fill),
    row(Function, "ops.sort", "Tensor input, int dim=-1, bool descending=False", sort::sort_pair),
    row(Method, "sort", "Tensor input, int dim=-1, bool descending=False, bool stable=False", sort::sort_pair),
    row(Function, "ops.argsort", "Tensor input, int dim=-1, bool descending=False", sort::argsort_narrow),
    row(Method, "argsort", "Tensor input, int dim=-1, bool descending=False", sort::argsort_narrow),
    row(
        Function,
        "ops.searchsorted",
        "Tensor sorted_sequence, Any input, *, bool out_int32=False, bool right=False, str side=None, Tensor sorter=None",
        crate::ops::search::searchsorted,
    ),
    row(Function, "ops.nonzero", "Tensor input, *, bool as_tuple=False", read::nonzero),
    row(Method, "nonzero", "Tensor input, *, bool as_tuple=False", read::nonzero),
    row(Function, "ops.flip", "Tensor input, ints dims", shape::flip),
    row(Method, "flip", "Tensor input, ints dims", shape::flip),
    row(Function, "ops.where", "Tensor condition, Any input, Any other", read::select_where),
    row(Function, "ops.reshape", "Tensor input, Any shape", shape::reshape),
    row(Method, "reshape", "Tensor input, ints shape", shape::reshape),
    row(Method, "view", "Tensor input, ints size", shape::view_as),
    row(Function, "ops.transpose", "Tensor input, Any axes", shape::transpose_axes),
    row(Method, "transpose", "Tensor input, ints axes", shape::transpose_axes),
    row(Method, "permute", "Tensor input, ints dims", shape::permute),
    row(Method, "expand_dims", "Tensor input, int axis", numpy::expand_dims),
    row(Method, "unsqueeze", "Tensor input, int dim", shape::unsqueeze),
    row(Method, "squeeze", "Tensor input, Any axis=None", numpy::squeeze),
    row(Method, "diagonal", "Tensor input, int offset=0, int dim1=0, int dim2=1", shape::diagonal),
    row(Method, "astype", "Tensor input, dtype dtype", cast::to),
    row(Method, "to", "Tensor input, dtype dtype", cast::to),
    row(Method, "asnumpy", "Tensor input", cast::numpy),
    row(Method, "numpy", "Tensor input", cast::numpy),
    row(Method, "copy", "Tensor input", shape::copy),
    row(Method, "clone", "Tensor input", shape::copy),
    row(Method, "contiguous", "Tensor input", shape::contiguous),
    row(Method, "item", "Tensor input", create::item_method),
    row(Method, "tolist", "Tensor input", create::tolist_method),
    row(Method, "numel", "Tensor input", attributes::numel_method),
    row(Method, "dim", "Tensor input", attributes::dim_method),
    row(Method, "stride", "Tensor input", attributes::stride_method),
    row(Method, "is_contiguous", "Tensor input", attributes::is_contiguous),
    row(Method, "all", "Tensor input", compare::all),
    row(Method, "any", "Tensor input", compare::any),
];

const ND: &str = "Tensor input, Tensor indices, Tensor updates";
