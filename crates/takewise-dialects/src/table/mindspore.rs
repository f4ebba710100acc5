//! MindSpore's names.

use crate::words::mindspore_name;
use takewise::DType;
use takewise::index::rules::{Conversion, Outside, Sign};
use takewise::op::Combine;

use super::{facts, refusals, subscripts};
use crate::face::{Attribute, Face, Mode};
use crate::run::{attributes, cast, compare, create, mindspore, numpy, ranges, read, shape, sort, write};
use crate::sig::{Row, Wording};

/// MindSpore, as its CPU back end behaves.
pub static MINDSPORE: Face = Face {
    name: "mindspore",
    modules: &[("mindspore", ""), ("mindspore.ops", "ops"), ("mindspore.mint", "mint"), ("mindspore.numpy", "numpy")],
    names: &[("mindspore", ""), ("ms", ""), ("ops", "ops"), ("mint", "mint"), ("Tensor", "Tensor")],
    tensor_type: "Tensor",
    dtype_type: "mindspore.dtype",
    facts: facts::MINDSPORE,
    plain_as: None,
    refusals: &refusals::TORCH,
    wording: &Wording::MINDSPORE,
    own: || &[],
    tables: &[ROWS, super::mindspore_parts::WRITES, super::mindspore_parts::READS],
    attributes: ATTRIBUTES,
    holds: None,
    dtypes: DTYPES,
    constants: &[],
    float: DType::F32,
    int: DType::I64,
    complex: DType::C64,
    position: DType::I64,
    conversion: Conversion::Wrap,
    words: crate::words::mindspore,
    compare: &crate::rules::TORCH_COMPARE,
    subscripts: &subscripts::MINDSPORE,
    rules: &crate::rules::MINDSPORE,
    modes: MODES,
    refused_modes: &[("raise", "\"raise\" mode is not implemented")],
    alike: &[],
    by_items: &[],
    writers: &[],
    repr: attributes::mindspore_repr,
    display: attributes::mindspore_display,
    dtype_text: |d| (mindspore_name(d).to_owned(), mindspore_name(d).to_owned()),
};

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

const DTYPES: &[&[(&str, DType)]] = &[
    super::STANDARD,
    &[("bool_", DType::Bool), ("half", DType::F16), ("bfloat16", DType::BF16), ("double", DType::F64)],
];

const ROWS: &[Row] = rows! {
    [top] "Tensor", "Any data=None, dtype dtype=None, Any shape=None, Any init=None", create::tensor;
    [top] "tensor", "Any data=None, dtype dtype=None", create::tensor;
    [ops] "zeros", "Any size, dtype dtype=None", create::zeros;
    [ops] "ones", "Any size, dtype dtype=None", create::ones;
    [ops] "full", "Any size, Number fill_value, *, dtype dtype=None", create::full;
    [ops] "arange", "Number end, *, dtype dtype=None", ranges::arange;
    [ops] "arange", "Number start, Number end, Number step=1, *, dtype dtype=None", ranges::arange;
    [method] "gather", "Tensor input, int dim, Tensor index", mindspore::gather_elements;
    [method] "gather", "Tensor input, Tensor dim, Tensor index", mindspore::gather_elements;
    [method] "gather", "Tensor input, Tensor input_indices, int axis, int batch_dims=0", mindspore::gather;
    [ops] "gather", "Tensor input, Tensor input_indices, Any axis, int batch_dims=0", mindspore::gather;
    [ops method] "gather_elements", "Tensor input, int dim, Tensor index", mindspore::gather_elements;
    [ops] "gather_d", "Tensor input, int dim, Tensor index", mindspore::gather_elements;
    [ops method] "gather_nd", "Tensor input, Tensor indices", mindspore::gather_nd;
    [ops] "scatter_nd", "Tensor indices, Tensor updates, Any shape", mindspore::scatter_nd;
    [ops] "tensor_scatter_elements",
        "Tensor input, Tensor index, Tensor src, int axis=0, str reduction='none'",
        mindspore::tensor_scatter_elements;
    [ops] "scatter", "Tensor input, int axis, Tensor index, Tensor src", mindspore::scatter;
    [method] "scatter", "Tensor input, int axis, Tensor index, Tensor src, *, str reduce='none'", mindspore::scatter;
    [method] "scatter", "Tensor input, int axis, Tensor index, Number src, *, str reduce='none'", mindspore::scatter;
    [ops] "tensor_scatter_update", ND, |call| mindspore::tensor_scatter(call, Combine::Update);
    [ops] "tensor_scatter_add", ND, |call| mindspore::tensor_scatter(call, Combine::Add);
    [ops] "tensor_scatter_sub", ND, |call| mindspore::tensor_scatter(call, Combine::Sub);
    [ops] "tensor_scatter_mul", ND, |call| mindspore::tensor_scatter(call, Combine::Mul);
    [ops] "tensor_scatter_div", ND, |call| mindspore::tensor_scatter(call, Combine::Div);
    [ops] "tensor_scatter_max", ND, |call| mindspore::tensor_scatter(call, Combine::Max);
    [ops] "tensor_scatter_min", ND, |call| mindspore::tensor_scatter(call, Combine::Min);
    [method] "take", "Tensor input, Any indices, Any axis=None, str mode='clip'", numpy::take;
    [ops method] "index_select", "Tensor input, int dim, Tensor index", read::index_select;
    [ops method] "masked_select", "Tensor input, Tensor mask", read::masked_select;
    [ops method] "masked_fill", "Tensor input, Tensor mask, Any value", write::masked_fill;
    [ops] "sort", "Tensor input, int dim=-1, bool descending=False", sort::sort_pair;
    [method] "sort", "Tensor input, int dim=-1, bool descending=False, bool stable=False", sort::sort_pair;
    [ops method] "argsort", "Tensor input, int dim=-1, bool descending=False", sort::argsort_narrow;
    [ops] "searchsorted",
        "Tensor sorted_sequence, Any input, *, bool out_int32=False, bool right=False, str side=None, Tensor sorter=None",
        crate::run::search::searchsorted;
    [ops method] "nonzero", "Tensor input, *, bool as_tuple=False", read::nonzero;
    [ops method] "flip", "Tensor input, ints dims", shape::flip;
    [ops] "where", "Tensor condition, Any input, Any other", read::select_where;
    [ops] "reshape", "Tensor input, Any shape", shape::reshape;
    [method] "reshape", "Tensor input, ints shape", shape::reshape;
    [method] "view", "Tensor input, ints size", shape::view_as;
    [ops] "transpose", "Tensor input, Any axes", shape::transpose_axes;
    [method] "transpose", "Tensor input, ints axes", shape::transpose_axes;
    [method] "permute", "Tensor input, ints dims", shape::permute;
    [method] "expand_dims", "Tensor input, int axis", numpy::expand_dims;
    [method] "unsqueeze", "Tensor input, int dim", shape::unsqueeze;
    [method] "squeeze", "Tensor input, Any axis=None", numpy::squeeze;
    [method] "diagonal", "Tensor input, int offset=0, int dim1=0, int dim2=1", shape::diagonal;
    [method] "astype", "Tensor input, dtype dtype", cast::to;
    [method] "to", "Tensor input, dtype dtype", cast::to;
    [method] "asnumpy", "Tensor input", |call| cast::lent_to(&super::numpy::NUMPY, call);
    [method] "numpy", "Tensor input", |call| cast::lent_to(&super::numpy::NUMPY, call);
    [method] "copy", "Tensor input", shape::copy;
    [method] "clone", "Tensor input", shape::copy;
    [method] "contiguous", "Tensor input", shape::contiguous;
    [method] "item", "Tensor input", create::item_method;
    [method] "tolist", "Tensor input", create::tolist_method;
    [method] "numel", "Tensor input", attributes::numel_method;
    [method] "dim", "Tensor input", attributes::dim_method;
    [method] "stride", "Tensor input", attributes::stride_method;
    [method] "is_contiguous", "Tensor input", attributes::is_contiguous;
    [method] "all", "Tensor input", compare::all;
    [method] "any", "Tensor input", compare::any;
};

const ND: &str = "Tensor input, Tensor indices, Tensor updates";
