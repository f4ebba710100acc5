//! MindSpore's names for parts, turns, diagonals, segments and writes into parameters.

use takewise::Reduce;
use takewise::op::Combine;

use crate::run::{mindspore, numpy, parameters, read, rearrange, shape, sort, split, triangle, write};
use crate::sig::Row;

const UPDATES: &str = "Tensor input, Tensor indices, Tensor updates";
const LOCKED: &str = "Tensor input, Tensor indices, Tensor updates, bool use_locking=False";
const SEGMENTS: &str = "Tensor input, Tensor segment_ids, Any num_segments";

/// Writing by index.
pub(super) const WRITES: &[Row] = rows! {
    [ops] "index_add",
        "Tensor input, Tensor indices, Tensor y, int axis, bool use_lock=True, bool check_index_bound=True",
        |call| parameters::index_add(call, ["axis", "indices", "y"], true);
    [mint method] "index_add",
        "Tensor input, int dim, Tensor index, Tensor source, *, Number alpha=1",
        |call| parameters::index_add(call, ["dim", "index", "source"], false);
    [method] "index_add",
        "Tensor input, Tensor indices, Tensor y, int axis, bool use_lock=True, bool check_index_bound=True",
        |call| parameters::index_add(call, ["axis", "indices", "y"], false);
    [ops method] "index_fill", "Tensor input, Any axis, Tensor index, Any value", parameters::index_fill;
    [method] "index_put", "Tensor input, Tensors indices, Tensor values, bool accumulate=False", parameters::index_put;
    [method] "masked_scatter", "Tensor input, Tensor mask, Tensor source", parameters::masked_scatter;
    [ops] "scatter_nd_update", LOCKED, |call| parameters::update(call, &"ScatterNdUpdate", Combine::Update, true);
    [ops] "scatter_nd_add", LOCKED, |call| parameters::update(call, &"ScatterNdAdd", Combine::Add, true);
    [ops] "scatter_nd_sub", LOCKED, |call| parameters::update(call, &"ScatterNdSub", Combine::Sub, true);
    [ops] "scatter_nd_mul", LOCKED, |call| parameters::update(call, &"ScatterNdMul", Combine::Mul, true);
    [ops] "scatter_nd_div", LOCKED, |call| parameters::update(call, &"ScatterNdDiv", Combine::Div, true);
    [ops] "scatter_nd_max", LOCKED, |call| parameters::update(call, &"ScatterNdMax", Combine::Max, true);
    [ops] "scatter_nd_min", LOCKED, |call| parameters::update(call, &"ScatterNdMin", Combine::Min, true);
    [ops] "scatter_update", UPDATES, |call| parameters::update(call, &"ScatterUpdate", Combine::Update, false);
    [ops] "scatter_add", UPDATES, |call| parameters::update(call, &"ScatterAdd", Combine::Add, false);
    [ops] "scatter_mul", UPDATES, |call| parameters::update(call, &"ScatterMul", Combine::Mul, false);
    [ops] "scatter_div", UPDATES, |call| parameters::update(call, &"ScatterDiv", Combine::Div, false);
    [ops] "scatter_max", UPDATES, |call| parameters::update(call, &"ScatterMax", Combine::Max, false);
    [ops] "scatter_min", UPDATES, |call| parameters::update(call, &"ScatterMin", Combine::Min, false);
    [method] "scatter_sub", UPDATES, |call| mindspore::tensor_scatter(call, Combine::Sub);
    [method] "scatter_mul", UPDATES, |call| mindspore::tensor_scatter(call, Combine::Mul);
    [method] "scatter_div", UPDATES, |call| mindspore::tensor_scatter(call, Combine::Div);
    [method] "scatter_max", UPDATES, |call| mindspore::tensor_scatter(call, Combine::Max);
    [method] "scatter_min", UPDATES, |call| mindspore::tensor_scatter(call, Combine::Min);
    [ops] "unsorted_segment_sum", SEGMENTS,
        |call| parameters::segments(call, &"UnsortedSegmentSum", Reduce::Sum);
    [ops method] "unsorted_segment_prod", SEGMENTS,
        |call| parameters::segments(call, &"UnsortedSegmentProd", Reduce::Prod);
    [ops method] "unsorted_segment_max", SEGMENTS,
        |call| parameters::segments(call, &"UnsortedSegmentMax", Reduce::Max);
    [ops method] "unsorted_segment_min", SEGMENTS,
        |call| parameters::segments(call, &"UnsortedSegmentMin", Reduce::Min);
    [ops method] "select_scatter", "Tensor input, Tensor src, int axis, int index", rearrange::select_scatter;
    [ops method] "slice_scatter",
        "Tensor input, Tensor src, int axis=0, int start=None, int end=None, int step=1",
        rearrange::slice_scatter;
    [ops method] "diagonal_scatter",
        "Tensor input, Tensor src, int offset=0, int dim1=0, int dim2=1",
        write::diagonal_scatter;
};

/// Reading by index, and views.
pub(super) const READS: &[Row] = rows! {
    [ops method] "argwhere", "Tensor input", mindspore::argwhere;
    [mint ops] "take", "Tensor input, Tensor index", parameters::take_flat;
    [mint] "gather", "Tensor input, int dim, Tensor index", mindspore::gather_elements;
    [mint] "index_select", "Tensor input, int dim, Tensor index", read::index_select;
    [mint] "masked_select", "Tensor input, Tensor mask", read::masked_select;
    [mint] "nonzero", "Tensor input, *, bool as_tuple=False", read::nonzero;
    [mint] "where", "Tensor condition, Any input, Any other", read::select_where;
    [mint method] "searchsorted",
        "Tensor sorted_sequence, Any input, *, bool out_int32=False, bool right=False, str side=None, Tensor sorter=None",
        crate::run::search::searchsorted;
    [mint] "sort", "Tensor input, *, int dim=-1, bool descending=False, bool stable=False", sort::sort_pair;
    [mint method] "select", "Tensor input, int dim, int index", shape::select;
    [mint method] "narrow", "Tensor input, int dim, int start, int length", shape::narrow;
    [mint ops method] "unbind", "Tensor input, int dim=0", split::unbind;
    [mint] "split", "Tensor tensor, Any split_size_or_sections, int dim=0", mindspore::split;
    [mint method] "chunk", "Tensor input, int chunks, int dim=0", mindspore::chunk;
    [mint] "reshape", "Tensor input, Any shape", shape::reshape;
    [mint] "permute", "Tensor input, ints dims", shape::permute;
    [mint] "transpose", "Tensor input, int dim0, int dim1", shape::transpose;
    [mint ops method] "swapaxes", "Tensor input, int axis0, int axis1", shape::transpose;
    [mint ops method] "t", "Tensor input", shape::t;
    [mint] "flip", "Tensor input, ints dims", shape::flip;
    [mint ops method] "roll", "Tensor input, Any shifts, Any dims=None", rearrange::roll;
    [mint] "squeeze", "Tensor input, Any dim=None", shape::squeeze;
    [mint ops] "unsqueeze", "Tensor input, int dim", shape::unsqueeze;
    [mint ops method] "broadcast_to", "Tensor input, ints shape", mindspore::broadcast_to;
    [mint] "flatten", "Tensor input, int start_dim=0, int end_dim=-1", shape::flatten;
    [mint ops method] "ravel", "Tensor input", shape::ravel;
    [mint ops method] "tril", "Tensor input, int diagonal=0", triangle::tril;
    [mint ops method] "triu", "Tensor input, int diagonal=0", triangle::triu;
    [mint] "diag", "Tensor input, int diagonal=0", triangle::diag;
    [ops] "narrow", "Tensor input, int axis, int start, int length", mindspore::narrow;
    [ops] "select", "Tensor condition, Any input, Any other", read::select_where;
    [ops] "unstack", "Tensor input, int axis=0", split::unbind;
    [ops] "chunk", "Tensor input, int chunks, int axis=0", mindspore::chunk;
    [ops] "split", "Tensor tensor, Any split_size_or_sections, int axis=0", mindspore::split;
    [method] "split", "Tensor input, Any split_size_or_sections, int dim=0", mindspore::split;
    [ops method] "tensor_split", "Tensor input, Any indices_or_sections, int axis=0", split::tensor_split;
    [ops method] "hsplit", "Tensor input, Any indices_or_sections", split::hsplit;
    [ops method] "vsplit", "Tensor input, Any indices_or_sections", split::vsplit;
    [ops method] "dsplit", "Tensor input, Any indices_or_sections", split::dsplit;
    [ops] "diagonal", "Tensor input, int offset=0, int dim1=0, int dim2=1", shape::diagonal;
    [ops method] "swapdims", "Tensor input, int dim0, int dim1", shape::transpose;
    [ops method] "movedim", "Tensor input, Any source, Any destination", rearrange::moveaxis;
    [ops method] "moveaxis", "Tensor input, Any source, Any destination", rearrange::moveaxis;
    [ops] "permute", "Tensor input, Any axis", mindspore::permute;
    [ops method] "flipud", "Tensor input", rearrange::flipud;
    [ops method] "fliplr", "Tensor input", rearrange::fliplr;
    [ops method] "rot90", "Tensor input, int k, Any dims", rearrange::rot90_default;
    [ops] "atleast_1d", "args args", rearrange::atleast_1d;
    [ops] "atleast_2d", "args args", rearrange::atleast_2d;
    [ops] "atleast_3d", "args args", rearrange::atleast_3d;
    [ops] "squeeze", "Tensor input, Any axis=None", numpy::squeeze;
    [ops] "expand_dims", "Tensor input, int axis", numpy::expand_dims;
    [ops method] "expand", "Tensor input, ints size", shape::expand;
    [ops method] "expand_as", "Tensor input, Tensor other", shape::expand_as;
    [ops method] "view_as", "Tensor input, Tensor other", rearrange::view_as;
    [method] "reshape_as", "Tensor input, Tensor other", rearrange::reshape_as;
    [ops] "flatten", "Tensor input, *, int start_dim=1, int end_dim=-1", shape::flatten;
    [method] "flatten", "Tensor input, *, int start_dim=0, int end_dim=-1", shape::flatten;
    [method] "where", "Tensor input, Tensor condition, Any other", read::select_where;
    [ops] "slice", "Tensor input, Any begin, Any size", mindspore::slice;
    [ops] "tril_indices", "int row, int col, int offset=0, *, dtype dtype=None", triangle::tril_indices;
    [ops] "triu_indices", "int row, int col, int offset=0, *, dtype dtype=None", triangle::triu_indices;
};
