//! Which names of the libraries we leave to them, and why.

/// Names of one library that have to do with indices, views or searches and are not ours, for one reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Absent {
    /// The dialect.
    pub dialect: &'static str,
    /// The names, between spaces.
    pub names: &'static str,
    /// Why.
    pub reason: &'static str,
}

const fn absent(dialect: &'static str, names: &'static str, reason: &'static str) -> Absent {
    Absent { dialect, names, reason }
}

const JOINS: &str = "whole arrays are put one beside the other or repeated: where there are `cat`, `stack`, `tile` and `repeat`, these say \
                     the same";
const VALUES: &str = "answers about values (which is largest, which occur, how often): reductions, not reads by index";
const PART_SORTS: &str = "a part of a sort, or a sort by several keys: `sort` and `argsort` are complete";
const COMPLEX: &str = "views of the parts of complex numbers, and conjugates: arithmetic of dtypes";
const SYNTAX: &str = "objects that Python's syntax is made of or loops run over; those of the library work here";
const CALLS: &str = "they call a Python function for every element or slice";
const SETS: &str = "sets of values, sorted: `unique` and `isin` give them and their places";

/// Every such name. `tools/python/missing.py` compares them with the libraries that are installed.
pub const ABSENT: &[Absent] = &[
    absent(
        "torch",
        "alias_copy as_strided_copy ccol_indices_copy col_indices_copy crow_indices_copy detach_copy diagonal_copy expand_copy \
         indices_copy narrow_copy permute_copy row_indices_copy select_copy slice_copy split_copy split_with_sizes_copy \
         squeeze_copy t_copy transpose_copy unbind_copy unfold_copy unsqueeze_copy values_copy view_as_complex_copy \
         view_as_real_copy view_copy slice_inverse nonzero_static",
        "forms that PyTorch's compilers need: the view followed by `clone()`, or a result of a size known before",
    ),
    absent("torch", "as_strided_ tril_ triu_", "in place: as a method, or by `copy_` of what `tril` and `triu` give"),
    absent(
        "torch",
        "broadcast_shapes sparse_mask",
        "of shapes, or of sparse tensors, which have no elements to index here",
    ),
    absent("torch", "as_strided_scatter", "`x.clone()`, `as_strided` and `copy_` say the same"),
    absent("torch", "block_diag column_stack dstack hstack row_stack vstack", JOINS),
    absent("torch", "cartesian_prod combinations", "`meshgrid` and `tril_indices` give their positions"),
    absent(
        "torch",
        "aminmax count_nonzero cummax cummin histc histogram histogramdd maximum median minimum mode nanmedian \
         nanquantile quantile unique_consecutive",
        VALUES,
    ),
    absent("torch", "kthvalue", PART_SORTS),
    absent(
        "torch",
        "H mH conj imag is_conj is_neg real resolve_conj resolve_neg view_as_complex view_as_real",
        COMPLEX,
    ),
    absent(
        "torch",
        "new_empty new_empty_strided new_full resize resize_ resize_as resize_as_ resize_as_sparse_ set_ empty_strided \
         empty_permuted",
        "they give memory that views may share another size or order",
    ),
    absent("torch", "apply_ map_ map2_ vmap", CALLS),
    absent(
        "torch",
        "embedding_renorm_ index",
        "parts of `embedding` and of subscripts that are no interface of their own",
    ),
    absent(
        "torch",
        "embedding_bag",
        "it returns what its kernel keeps besides the result: `nn.functional.embedding_bag` is the interface",
    ),
    absent("torch", "segment_reduce", "a prototype: `scatter_reduce` and `index_reduce` reduce segments"),
    absent(
        "torch",
        "channel_shuffle fold grid_sample interpolate native_channel_shuffle one_hot pad pixel_shuffle pixel_unshuffle \
         unfold max_unpool1d max_unpool2d max_unpool3d",
        "layers of networks for images; `Tensor.unfold` is here",
    ),
    absent("torch", "sum_to_size", "the transpose of `expand`; gradients use it"),
    absent(
        "numpy",
        "append array_equiv block bmat column_stack delete dstack hstack insert pad resize row_stack vstack trim_zeros",
        JOINS,
    ),
    absent(
        "numpy",
        "count_nonzero histogram histogram2d histogram_bin_edges histogramdd maximum median minimum nanargmax \
         nanargmin nanmedian nanpercentile nanquantile percentile quantile",
        VALUES,
    ),
    absent("numpy", "argpartition lexsort partition sort_complex", PART_SORTS),
    absent(
        "numpy",
        "intersect1d setdiff1d setxor1d union1d unique_all unique_counts unique_inverse unique_values",
        SETS,
    ),
    absent("numpy", "conj conjugate imag real real_if_close", COMPLEX),
    absent(
        "numpy",
        "base broadcast c_ flat flatiter index_exp mgrid ndenumerate ndindex nditer nested_iters ogrid r_ s_",
        SYNTAX,
    ),
    absent("numpy", "apply_along_axis apply_over_axes fromfunction frompyfunc mask_indices piecewise vectorize", CALLS),
    absent("numpy", "byteswap getfield setfield setflags", "they change what an array is, not what is read from it"),
    absent("numpy", "broadcast_shapes tri", "of shapes alone: no array is read"),
    absent("numpy", "interp unwrap", "arithmetic between places"),
    absent(
        "jax",
        "append array_equiv block column_stack concat concatenate delete dstack hstack insert pad repeat resize stack tile \
         vstack trim_zeros",
        JOINS,
    ),
    absent(
        "jax",
        "amax amin argmax argmin bincount count_nonzero histogram histogram2d histogram_bin_edges histogramdd max maximum \
         median min minimum nanargmax nanargmin nanmedian nanpercentile nanquantile percentile quantile",
        VALUES,
    ),
    absent("jax", "argpartition lexsort partition sort_complex", PART_SORTS),
    absent(
        "jax",
        "intersect1d setdiff1d setxor1d union1d unique unique_all unique_counts unique_inverse unique_values",
        SETS,
    ),
    absent("jax", "conj conjugate imag real", COMPLEX),
    absent("jax", "c_ flat index_exp mgrid ogrid r_ s_", SYNTAX),
    absent(
        "jax",
        "apply apply_along_axis apply_over_axes fromfunction frompyfunc mask_indices piecewise vectorize",
        CALLS,
    ),
    absent("jax", "copy fill_diagonal place", "JAX's arrays cannot be written: `x.at[...]` is the way here"),
    absent(
        "jax",
        "broadcast_shapes index tri view",
        "of shapes and dtypes alone, or parts of `x.at` that are no update",
    ),
    absent("jax", "interp unwrap", "arithmetic between places"),
    absent(
        "mindspore",
        "cat column_stack concat dstack hstack repeat repeat_elements repeat_interleave row_stack stack tile vstack \
         block_diag",
        JOINS,
    ),
    absent(
        "mindspore",
        "amax amin aminmax argmax argmax_with_value argmin argmin_with_value bincount count_nonzero cummax cummin histc \
         max maximum median min minimum nanmedian nanquantile quantile unique unique_consecutive unique_with_pad",
        VALUES,
    ),
    absent("mindspore", "intopk kthvalue msort top_k topk", PART_SORTS),
    absent("mindspore", "H mH mT conj imag real view_as_real", COMPLEX),
    absent(
        "mindspore",
        "bucketize embedding embed fill_diagonal fill_diagonal_ index index_add_ index_copy_ index_fill_ inplace_add \
         inplace_index_add inplace_sub inplace_update masked_fill_ masked_scatter_ put_ scatter_ take_along_dim",
        "MindSpore 2.10 has no kernel of them for the CPU, or they write what `scatter_update` writes",
    ),
    absent(
        "mindspore",
        "batch_to_space_nd channel_shuffle col2im fold one_hot pad padding pixel_shuffle reverse reverse_sequence \
         sequence_mask space_to_batch_nd unfold",
        "layers of networks for images and sequences",
    ),
    absent(
        "mindspore",
        "broadcast_tensors cartesian_prod combinations diag_embed diagflat matrix_band_part matrix_diag matrix_diag_part \
         matrix_set_diag meshgrid tensor_slice strided_slice diag choose",
        "subscripts, `diagonal` and `where` say the same",
    ),
    absent(
        "mindspore",
        "csr_gather getitem_index_info setitem_index_info itemset sparse_segment_mean moe_token_permute \
         moe_token_unpermute gather_into_tensor gather_object scatter_object_list scatter_tensor",
        "parts of other machinery: sparse tensors, compilers, several machines",
    ),
    absent(
        "mindspore",
        "SliceGetItem adjoint argsort index_put_ reshape_ scatter scatter_add scatter_add_",
        "here under `ops` or as methods; the forms of `mint` and those in place have no kernel for the CPU",
    ),
    absent("mindspore", "resize set_ sum_to_size new_empty new_full new_ones new_zeros", "they make or change memory"),
];
