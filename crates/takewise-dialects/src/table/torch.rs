//! torch's names. Signatures are those of PyTorch 2.15; positions and names matter, for
//! argument errors quote them.

use crate::rules::Dialect;
use takewise::index::rules::{Casting, Conversion, Rules};
use takewise::{DType, Scalar};

use super::creation::CREATE;
use super::gradients::GRADIENTS;
use super::torch_folds::FOLDS;
use super::torch_parts::{LOOKUPS, PARTS};
use super::{facts, refusals, subscripts};
use crate::face::{Face, Holds};
use crate::run::{attributes, cast, compare, create, grad, read, search, shape, sort, write};
use crate::sig::Form::{Both, BothInPlace, Function, InPlace, Method};
use crate::sig::{Plain, Row, Wording, row};

/// PyTorch.
pub static TORCH: Face = Face {
    name: "torch",
    modules: &[("torch", "")],
    names: &[("torch", "")],
    tensor_type: "Tensor",
    dtype_type: "torch.dtype",
    facts: facts::TORCH,
    plain_as: None,
    refusals: &refusals::TORCH,
    wording: &Wording::TORCH,
    own: || &[],
    tables: &[READ, WRITE, SHAPE, PARTS, LOOKUPS, CREATE, OTHER, GRADIENTS, FOLDS, ATEN],
    attributes: ATTRIBUTES,
    holds: Some(&HOLDS),
    dtypes: DTYPES,
    constants: super::numpy::CONSTANTS,
    float: DType::F32,
    int: DType::I64,
    complex: DType::C64,
    position: DType::I64,
    conversion: Conversion::RangeChecked,
    words: crate::words::torch,
    compare: &crate::rules::TORCH_COMPARE,
    subscripts: &subscripts::TORCH,
    rules: &crate::rules::TORCH,
    modes: &[],
    refused_modes: &[],
    alike: &[],
    by_items: BY_ITEMS,
    writers: &[],
    repr: attributes::torch_repr,
    display: attributes::torch_display,
    dtype_text: |d| (format!("torch.{}", d.name()), format!("torch.{}", d.name())),
};

/// No value changes in silence.
const KEEPING: Rules = Rules { casting: Casting::SameKind, ..Rules::NEUTRAL };

/// Values are cast to the dtype of the array they are stored in, whose ever it is.
static CASTING: Dialect = Dialect {
    index_put: Rules { same_dtype: false, conversion: Conversion::IntegersChecked, ..KEEPING },
    ..Dialect::uniform("takewise", KEEPING)
};

/// The library's own rules under torch's names: negatives count from the end, everything outside raises.
pub static NEUTRAL: Face = Face {
    name: "neutral",
    modules: &[("takewise", "")],
    names: &[("takewise", ""), ("tw", "")],
    tensor_type: "Tensor",
    dtype_type: "takewise.dtype",
    facts: facts::NEUTRAL,
    plain_as: Some(|| &crate::NUMPY),
    refusals: &refusals::NEUTRAL,
    wording: &Wording::TORCH,
    own: super::neutral::rows,
    tables: &[READ, WRITE, SHAPE, PARTS, LOOKUPS, CREATE, OTHER, GRADIENTS],
    attributes: ATTRIBUTES,
    holds: None,
    dtypes: DTYPES,
    constants: super::numpy::CONSTANTS,
    float: DType::F32,
    int: DType::I64,
    complex: DType::C64,
    position: DType::I64,
    conversion: Conversion::RangeChecked,
    words: takewise::error::neutral,
    compare: &crate::rules::NUMPY_COMPARE,
    subscripts: &subscripts::NEUTRAL,
    rules: &CASTING,
    modes: &[],
    refused_modes: &[],
    alike: &[],
    by_items: &[],
    writers: &[],
    repr: attributes::torch_repr,
    display: attributes::torch_display,
    dtype_text: |d| (format!("takewise.{}", d.name()), format!("takewise.{}", d.name())),
};

/// Of NumPy's arrays torch takes none of a dtype that another package added.
static HOLDS: Holds = Holds {
    foreign: |_| false,
    swapped: false,
    refusal: |dtype| match dtype.is_foreign() {
        true => ("TypeError", format!("can't convert elements of dtype {} to any of torch's", dtype.name())),
        false => {
            let text = "has byte order different from the native byte order, which torch does not convert";
            ("ValueError", format!("an array of dtype {} {text}", dtype.name()))
        }
    },
};

/// The constructors; others take tensors alone.
const BY_ITEMS: &[&str] = &[
    "tensor",
    "as_tensor",
    "new_tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "ShortTensor",
    "IntTensor",
    "LongTensor",
    "HalfTensor",
    "BFloat16Tensor",
    "FloatTensor",
    "DoubleTensor",
];

/// Attributes of tensors.
const ATTRIBUTES: &[(&str, crate::face::Attribute)] = &[
    ("shape", attributes::size),
    ("dtype", attributes::dtype),
    ("ndim", attributes::ndim),
    ("T", attributes::reversed),
    ("mT", attributes::matrix_transpose),
    ("itemsize", attributes::itemsize),
    ("nbytes", attributes::nbytes),
    ("requires_grad", grad::requires_grad),
    ("retains_grad", grad::retains_grad),
    ("is_leaf", grad::is_leaf),
    ("grad", grad::gradient),
    ("grad_fn", grad::grad_fn),
    ("_version", grad::version),
    ("is_sparse", attributes::no),
    ("device", attributes::device),
];

const DTYPES: &[&[(&str, DType)]] = &[
    super::STANDARD,
    &[
        ("bool", DType::Bool),
        ("bfloat16", DType::BF16),
        ("half", DType::F16),
        ("float", DType::F32),
        ("double", DType::F64),
        ("short", DType::I16),
        ("int", DType::I32),
        ("long", DType::I64),
        ("cfloat", DType::C64),
        ("cdouble", DType::C128),
    ],
];

/// Reading by index, and searching.
const READ: &[Row] = &[
    row(
        Both,
        "gather",
        "Tensor input, int dim, Tensor index, *, bool sparse_grad=False, Tensor out=None",
        read::gather,
    )
    .plain(Plain::Along(|x, dim, index, tables| x.gather(dim, index, &tables.gather))),
    row(Both, "take_along_dim", "Tensor input, Tensor indices, int dim=None, *, Tensor out=None", read::take_along_dim),
    row(Both, "take", "Tensor input, Tensor index, *, Tensor out=None", read::take)
        .plain(Plain::Two(|x, index, tables| x.take(index, &tables.take))),
    row(Both, "index_select", "Tensor input, int dim, Tensor index, *, Tensor out=None", read::index_select)
        .plain(Plain::Along(|x, dim, index, tables| x.index_select(dim, index, &tables.index_select))),
    row(Both, "masked_select", "Tensor input, Tensor mask, *, Tensor out=None", read::masked_select)
        .plain(Plain::Two(|x, mask, tables| x.masked_select(mask, &tables.masked_select))),
    row(Both, "nonzero", "Tensor input, *, bool as_tuple=False, Tensor out=None", read::nonzero),
    row(Both, "argwhere", "Tensor input", read::argwhere),
    row(Function, "where", "Tensor condition", read::where_true),
    row(Function, "where", "Tensor condition, Tensor input, Tensor other, *, Tensor out=None", read::select_where),
    row(Function, "where", "Tensor condition, Number input, Tensor other", read::select_where),
    row(Function, "where", "Tensor condition, Tensor input, Number other", read::select_where),
    row(Function, "where", "Tensor condition, Number input, Number other", read::select_where),
    row(Method, "where", "Tensor input, Tensor condition, Tensor other", read::select_where),
    row(Method, "where", "Tensor input, Tensor condition, Number other", read::select_where),
    row(
        Function,
        "searchsorted",
        "Tensor sorted_sequence, Tensor input, *, bool out_int32=False, bool right=False, str side=None, Tensor sorter=None, Tensor out=None",
        search::searchsorted,
    )
    .plain(Plain::Two(|sorted, values, tables| search::plainly(sorted, values, &tables.search))),
    row(
        Function,
        "searchsorted",
        "Tensor sorted_sequence, Number self, *, bool out_int32=False, bool right=False, str side=None, Tensor sorter=None, Tensor out=None",
        search::searchsorted,
    ),
    row(
        Function,
        "bucketize",
        "Tensor input, Tensor boundaries, *, bool out_int32=False, bool right=False, Tensor out=None",
        search::bucketize,
    ),
    row(
        Function,
        "bucketize",
        "Number self, Tensor boundaries, *, bool out_int32=False, bool right=False",
        search::bucketize,
    ),
    row(Both, "sort", "Tensor input, *, bool stable, int dim=-1, bool descending=False, Tensors out=None", sort::sort),
    row(Both, "sort", "Tensor input, int dim=-1, bool descending=False, *, Tensors out=None", sort::sort),
    row(Both, "msort", "Tensor input, *, Tensor out=None", sort::msort),
    row(Both, "argsort", "Tensor input, *, bool stable, int dim=-1, bool descending=False", sort::argsort),
    row(Both, "argsort", "Tensor input, int dim=-1, bool descending=False", sort::argsort),
];

/// Writing by index. `x.name_(...)` writes into `x`; the others write into a copy.
const WRITE: &[Row] = &[
    row(BothInPlace, "scatter", "Tensor input, int dim, Tensor index, Tensor src, *, Tensor out=None", write::scatter)
        .plain(Plain::Write(|x, dim, index, src, tables| x.scatter_(dim, index, src, None, &tables.scatter))),
    row(
        BothInPlace,
        "scatter",
        "Tensor input, int dim, Tensor index, Tensor src, *, str reduce, Tensor out=None",
        write::scatter,
    ),
    row(
        BothInPlace,
        "scatter",
        "Tensor input, int dim, Tensor index, Number value, *, Tensor out=None",
        write::scatter,
    ),
    row(
        BothInPlace,
        "scatter",
        "Tensor input, int dim, Tensor index, Number value, *, str reduce, Tensor out=None",
        write::scatter,
    ),
    row(
        BothInPlace,
        "scatter_add",
        "Tensor input, int dim, Tensor index, Tensor src, *, Tensor out=None",
        write::scatter_add,
    )
    .plain(Plain::Write(|x, dim, index, src, tables| x.scatter_add_(dim, index, src, &tables.scatter_add))),
    row(
        BothInPlace,
        "scatter_reduce",
        "Tensor input, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True, Tensor out=None",
        write::scatter_reduce,
    ),
    row(
        BothInPlace,
        "index_add",
        "Tensor input, int dim, Tensor index, Tensor source, *, Number alpha=1, Tensor out=None",
        write::index_add,
    )
    .plain(Plain::Write(|x, dim, index, source, tables| {
        x.index_add_(dim, index, source, Scalar::Int(1), &tables.index_add)
    })),
    row(
        BothInPlace,
        "index_copy",
        "Tensor input, int dim, Tensor index, Tensor source, *, Tensor out=None",
        write::index_copy,
    )
    .plain(Plain::Write(|x, dim, index, source, tables| x.index_copy_(dim, index, source, &tables.index_copy))),
    row(BothInPlace, "index_fill", "Tensor input, int dim, Tensor index, Tensor value", write::index_fill),
    row(BothInPlace, "index_fill", "Tensor input, int dim, Tensor index, Number value", write::index_fill),
    row(
        BothInPlace,
        "index_put",
        "Tensor input, Tensors indices, Tensor values, bool accumulate=False",
        write::index_put,
    ),
    row(
        BothInPlace,
        "index_reduce",
        "Tensor input, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True, Tensor out=None",
        write::index_reduce,
    ),
    row(BothInPlace, "put", "Tensor input, Tensor index, Tensor source, bool accumulate=False", write::put),
    row(BothInPlace, "masked_fill", "Tensor input, Tensor mask, Tensor value", write::masked_fill),
    row(BothInPlace, "masked_fill", "Tensor input, Tensor mask, Number value", write::masked_fill),
    row(BothInPlace, "masked_scatter", "Tensor input, Tensor mask, Tensor source", write::masked_scatter),
    row(Both, "select_scatter", "Tensor input, Tensor src, int dim, int index", write::select_scatter),
    row(
        Both,
        "slice_scatter",
        "Tensor input, Tensor src, int dim=0, int start=None, int end=None, int step=1",
        write::slice_scatter,
    ),
    row(
        Both,
        "diagonal_scatter",
        "Tensor input, Tensor src, int offset=0, int dim1=0, int dim2=1",
        write::diagonal_scatter,
    ),
    row(InPlace, "fill", "Tensor input, Tensor value", write::fill),
    row(InPlace, "fill", "Tensor input, Number value", write::fill),
    row(InPlace, "copy", "Tensor input, Tensor other, bool non_blocking=False", write::copy),
    row(InPlace, "zero", "Tensor input", write::zero),
    row(Function, "fill", "Tensor input, Tensor value", write::filled),
    row(Function, "fill", "Tensor input, Number value", write::filled),
];

/// Shapes and views.
const SHAPE: &[Row] = &[
    row(Both, "reshape", "Tensor input, ints shape", shape::reshape),
    row(Method, "view", "Tensor input, dtype dtype", shape::view_as_dtype),
    row(Method, "view", "Tensor input, ints size", shape::view_as),
    row(Both, "permute", "Tensor input, ints dims", shape::permute),
    row(Both, "transpose", "Tensor input, int dim0, int dim1", shape::transpose),
    row(Both, "swapaxes", "Tensor input, int axis0, int axis1", shape::transpose),
    row(Both, "swapdims", "Tensor input, int dim0, int dim1", shape::transpose),
    row(Both, "movedim", "Tensor input, int source, int destination", shape::movedim),
    row(Both, "t", "Tensor input", shape::t),
    row(Both, "squeeze", "Tensor input", shape::squeeze),
    row(Both, "squeeze", "Tensor input, int dim", shape::squeeze),
    row(Both, "squeeze", "Tensor input, ints dim", shape::squeeze),
    row(Both, "unsqueeze", "Tensor input, int dim", shape::unsqueeze),
    row(Method, "expand", "Tensor input, ints size, *, bool implicit=False", shape::expand),
    row(Method, "expand_as", "Tensor input, Tensor other", shape::expand_as),
    row(Both, "broadcast_to", "Tensor input, ints size", shape::expand),
    row(Both, "flatten", "Tensor input, int start_dim=0, int end_dim=-1", shape::flatten),
    row(Both, "ravel", "Tensor input", shape::ravel),
    row(Both, "narrow", "Tensor input, int dim, Tensor start, int length", shape::narrow),
    row(Both, "narrow", "Tensor input, int dim, int start, int length", shape::narrow),
    row(Both, "select", "Tensor input, int dim, int index", shape::select),
    row(Both, "diagonal", "Tensor input, int offset=0, int dim1=0, int dim2=1", shape::diagonal),
    row(Method, "unfold", "Tensor input, int dimension, int size, int step", shape::unfold),
    row(Both, "as_strided", "Tensor input, ints size, ints stride, int storage_offset=None", shape::as_strided),
    row(Both, "flip", "Tensor input, ints dims", shape::flip),
    row(Method, "contiguous", "Tensor input, *, Any memory_format=None", shape::contiguous),
    row(Both, "clone", "Tensor input, *, Any memory_format=None", shape::clone),
    row(Both, "detach", "Tensor input", grad::detach),
    row(Method, "cpu", "Tensor input", shape::alias),
    row(Method, "size", "Tensor input", attributes::size_method),
    row(Method, "size", "Tensor input, int dim", attributes::size_method),
    row(Method, "stride", "Tensor input", attributes::stride_method),
    row(Method, "stride", "Tensor input, int dim", attributes::stride_method),
    row(Method, "dim", "Tensor input", attributes::dim_method),
    row(Method, "ndimension", "Tensor input", attributes::dim_method),
    row(Both, "numel", "Tensor input", attributes::numel_method),
    row(Method, "nelement", "Tensor input", attributes::numel_method),
    row(Method, "storage_offset", "Tensor input", attributes::storage_offset),
    row(Method, "is_contiguous", "Tensor input, *, Any memory_format=None", attributes::is_contiguous),
    row(Method, "element_size", "Tensor input", attributes::element_size),
    row(Method, "item", "Tensor input", create::item_method),
    row(Method, "tolist", "Tensor input", create::tolist_method),
    row(Method, "numpy", "Tensor input, *, bool force=False", |call| cast::lent_to(&super::numpy::NUMPY, call)),
    row(Method, "is_floating_point", "Tensor input", attributes::is_floating_point),
    row(Method, "is_complex", "Tensor input", attributes::is_complex),
];

/// Casts, comparisons, and the little else that examples use.
const OTHER: &[Row] = &[
    row(Method, "to", "Tensor input, dtype dtype, bool non_blocking=False, bool copy=False", cast::to),
    row(Method, "to", "Tensor input, Tensor other, bool non_blocking=False, bool copy=False", cast::to),
    row(Method, "to", "Tensor input, str device, dtype dtype=None, bool non_blocking=False, bool copy=False", cast::to),
    row(Method, "type", "Tensor input, dtype dtype", cast::to),
    row(Method, "type_as", "Tensor input, Tensor other", cast::to),
    row(Method, "bool", "Tensor input", cast::bool),
    row(Method, "byte", "Tensor input", cast::byte),
    row(Method, "char", "Tensor input", cast::char),
    row(Method, "short", "Tensor input", cast::short),
    row(Method, "int", "Tensor input", cast::int),
    row(Method, "long", "Tensor input", cast::long),
    row(Method, "half", "Tensor input", cast::half),
    row(Method, "bfloat16", "Tensor input", cast::bfloat16),
    row(Method, "float", "Tensor input", cast::float),
    row(Method, "double", "Tensor input", cast::double),
    row(Method, "cfloat", "Tensor input", cast::cfloat),
    row(Method, "cdouble", "Tensor input", cast::cdouble),
    row(Both, "eq", "Tensor input, Number other", compare::eq),
    row(Both, "eq", "Tensor input, Tensor other", compare::eq),
    row(Both, "ne", "Tensor input, Number other", compare::ne),
    row(Both, "ne", "Tensor input, Tensor other", compare::ne),
    row(Both, "lt", "Tensor input, Number other", compare::lt),
    row(Both, "lt", "Tensor input, Tensor other", compare::lt),
    row(Both, "le", "Tensor input, Number other", compare::le),
    row(Both, "le", "Tensor input, Tensor other", compare::le),
    row(Both, "gt", "Tensor input, Number other", compare::gt),
    row(Both, "gt", "Tensor input, Tensor other", compare::gt),
    row(Both, "ge", "Tensor input, Number other", compare::ge),
    row(Both, "ge", "Tensor input, Tensor other", compare::ge),
    row(Both, "isnan", "Tensor input", compare::isnan),
    row(Both, "logical_not", "Tensor input", compare::logical_not),
    row(Both, "logical_and", "Tensor input, Tensor other", compare::logical_and),
    row(Both, "logical_or", "Tensor input, Tensor other", compare::logical_or),
    row(Both, "equal", "Tensor input, Tensor other", compare::equal),
    row(Both, "all", "Tensor input", compare::all),
    row(Both, "any", "Tensor input", compare::any),
    row(Both, "all", "Tensor input, ints dim=None, bool keepdim=False, *, Tensor out=None", compare::all_over),
    row(Both, "all", "Tensor input, int dim, bool keepdim=False, *, Tensor out=None", compare::all_over),
    row(Both, "any", "Tensor input, ints dim=None, bool keepdim=False, *, Tensor out=None", compare::any_over),
    row(Both, "any", "Tensor input, int dim, bool keepdim=False, *, Tensor out=None", compare::any_over),
    row(Function, "is_tensor", "Any obj", attributes::is_tensor),
];

/// What subscripts become below torch's own Python: lists of tensors, `None` for an axis taken whole.
const ATEN: &[Row] = &[
    row(Function, "ops.aten.index", "Tensor self, Tensors indices, *, Tensor out=None", read::index_tensors),
    row(
        Function,
        "ops.aten._index_put_impl_",
        "Tensor self, Tensors indices, Tensor values, bool accumulate=False, bool unsafe=False",
        write::index_put_tensors,
    ),
];
