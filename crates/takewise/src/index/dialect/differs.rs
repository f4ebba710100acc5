//! Where we do not follow a library, and why.

/// One place where our answer differs from the library a dialect is named after.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Differ {
    /// The dialect.
    pub dialect: &'static str,
    /// The operation.
    pub operation: &'static str,
    /// What the library does.
    pub reference: &'static str,
    /// What we do.
    pub ours: &'static str,
    /// Why.
    pub reason: &'static str,
}

const fn differ(
    dialect: &'static str,
    operation: &'static str,
    reference: &'static str,
    ours: &'static str,
    reason: &'static str,
) -> Differ {
    Differ { dialect, operation, reference, ours, reason }
}

const ATOMIC: &str = "a failed write that changed something cannot be retried or even noticed";
const ORDERED: &str = "the same program must give the same bits on every machine";
const DERIVATIVE: &str = "it is the derivative";
const AS_BEFORE: &str = "operands are read as they were before the first store";

/// Every deliberate difference. Where a recorded case shows one, `tests/golden/DIFFERS` of the command line names it
/// and a test runs it; the others (races, sizes, timing) rest on the project's measurements and the libraries'
/// documentation, and no test repeats them.
pub const DIFFERS: &[Differ] = &[
    differ(
        "torch",
        "every write with an index out of range",
        "elements before the bad one stay written: `zeros(4)` scattered at [0, 1, 9, 2] keeps the first two",
        "nothing is written",
        ATOMIC,
    ),
    differ(
        "torch",
        "scatter_reduce(include_self=False), index out of range",
        "the identities of the reduction (0, 1, -inf, ...) stay in the addressed places",
        "nothing is written",
        ATOMIC,
    ),
    differ(
        "torch",
        "masked_scatter_, source too short",
        "what there was is written before the call fails",
        "nothing is written",
        ATOMIC,
    ),
    differ("torch", "`out=` of a call that fails", "already resized and partly written", "untouched", ATOMIC),
    differ(
        "torch",
        "duplicates in `x[i] = v`, index_put, put, index_copy",
        "above some thousand elements two threads race; the last of either half wins",
        "the last in index order wins at any size and thread count",
        ORDERED,
    ),
    differ(
        "torch",
        "index_put(accumulate=True) of many values",
        "the sum depends on how many threads share the work",
        "values are added in index order at any thread count",
        ORDERED,
    ),
    differ(
        "torch",
        "source and destination overlap and one of them has gaps: `x[::2] = x[:3]`",
        "not noticed; later reads see earlier stores: [0, 1, 1, 3, 1, 5] from arange(6)",
        "the source is copied first: [0, 1, 1, 3, 2, 5]",
        AS_BEFORE,
    ),
    differ(
        "torch",
        "masked_scatter_ from a source that overlaps the destination",
        "not noticed",
        "the source is copied first",
        AS_BEFORE,
    ),
    differ(
        "torch",
        "writing where two coordinates share memory (as_strided, unfold; expand in `x[...] = scalar` and `x[i] = v`)",
        "not noticed, or a warning; the place keeps whatever came last",
        "refused, in the words torch uses for the cases it notices",
        "such a destination has no answer that does not depend on the order of visiting",
    ),
    differ(
        "torch",
        "index_reduce('prod') of float16 and bfloat16 slices of one element",
        "an internal assertion fails",
        "works, as for slices of more elements",
        "the size of a slice should not decide what is defined",
    ),
    differ(
        "torch",
        "complex index_reduce('mean') of whole slices",
        "each sum is of 1+0j times the source, which turns -0 into 0",
        "the source is added as it is",
        "a sum should not change its terms",
    ),
    differ(
        "torch",
        "gather(out=input)",
        "refused",
        "the input is copied first, as gather(out=index) is allowed",
        "one overlap rule per call",
    ),
    differ(
        "torch",
        "a slice after a second ellipsis left no axis: `x[..., ..., 0:1]`",
        "looks past the end of the shape: ignored or an error, by accident",
        "ignored",
        "no answer may depend on stray memory",
    ),
    differ(
        "torch",
        "`x[[0]] = number` where the axis has size 0",
        "nothing happens, or an internal error about storage",
        "IndexError, as for every other value",
        "no index is valid on an empty axis",
    ),
    differ(
        "torch",
        "slices whose step overflows: `arange(5)[::2**63-1]`",
        "no elements; a step of 2**62 gives one",
        "one element, as for every step of 5 and more",
        "the count wraps around in 64 bits",
    ),
    differ(
        "torch",
        "take_along_dim on an axis of size 0",
        "RuntimeError `ZeroDivisionError`",
        "the same class, and the text says that the axis is empty",
        "the text names an accident, not the mistake",
    ),
    differ(
        "torch",
        "gradient of values stored at one place (`x[i] = v`, index_put, put, scatter, index_copy)",
        "every value gets the gradient of the place, those overwritten too: [10, 10] from g = [10, 20] and index [0, 0]",
        "0 for values that a later one overwrote: [0, 10]",
        DERIVATIVE,
    ),
    differ(
        "torch",
        "gradient of scatter, scatter_add and scatter_reduce for a source larger than its index",
        "refused: `Function ScatterBackward0 returned an invalid gradient at index 1`",
        "0 for the part that took no part",
        DERIVATIVE,
    ),
    differ(
        "torch",
        "gradient of scatter_reduce and index_reduce by amax or amin, include_self=False",
        "divided by a count that includes the array's own value where it happens to equal the result: 12 gives [4, 4]",
        "divided among the values that take part: [6, 6]",
        DERIVATIVE,
    ),
    differ(
        "torch",
        "gradient of scatter_reduce by amax or amin where the array is NaN and not addressed",
        "NaN",
        "the gradient of the place, as of any other",
        DERIVATIVE,
    ),
    differ(
        "torch",
        "gradient of the value of index_fill with a negative index",
        "IndexError, although the fill itself works",
        "as for the index counted from the front",
        DERIVATIVE,
    ),
    differ(
        "torch",
        "gradient of scatter of a tensor with reduce='add' or 'multiply'",
        "not implemented",
        "as of scatter_add, and of scatter_reduce by prod",
        DERIVATIVE,
    ),
    differ(
        "torch",
        "backward after the input of gather, or the result of scatter_reduce_, was changed in place",
        "refused: both were saved",
        "works: the gradient needs neither",
        DERIVATIVE,
    ),
    differ(
        "torch",
        "requires_grad_() where coordinates share memory, as after expand",
        "every coordinate gets a gradient of its own",
        "refused; a copy can require one",
        "elements that are one in memory have one gradient",
    ),
    differ(
        "torch",
        "sum of float32 and of halves",
        "added in float32, in an order that depends on the processor",
        "added in row-major order in float64, rounded once",
        ORDERED,
    ),
    differ(
        "numpy",
        "`put` with an index out of range",
        "values before the bad one stay written",
        "nothing is written",
        ATOMIC,
    ),
    differ(
        "numpy",
        "unsigned index values of 2**63 and more",
        "wrap to negative ones: 2**64-1 selects the last element",
        "out of range",
        "a silently wrong element",
    ),
    differ(
        "numpy",
        "a mask of length 0 on an axis of another length",
        "accepted: it selects nothing",
        "refused, as any mask of the wrong length",
        "the lengths differ",
    ),
    differ(
        "numpy",
        "an empty value assigned through index arrays or `False` to an empty part",
        "accepted even where the shapes do not broadcast",
        "the shapes must broadcast",
        "one rule for every shape",
    ),
    differ(
        "numpy",
        "1-d assignment with overlap: `x[::2] = x[:3]`",
        "not protected: [0, 1, 1, 3, 1, 5] from arange(6), although other overlaps are",
        "the source is copied first: [0, 1, 1, 3, 2, 5]",
        AS_BEFORE,
    ),
    differ(
        "numpy",
        "searchsorted, contents of `sorter`",
        "only the values a search happens to meet are checked",
        "all are checked first; kind Argument",
        "whether a call fails should not depend on the values looked for",
    ),
    differ(
        "numpy",
        "searchsorted in a sequence that is not sorted: [1, 2, 3, 4, 5] in [5, 1, 4, 2, 3]",
        "an answer depends on the values before it: [0, 2, 4, 5, 5]",
        "each value is searched by itself: [0, 2, 2, 2, 5]",
        "one answer a value, on any number of threads",
    ),
    differ(
        "jax",
        "digitize with bins in neither order",
        "some answer",
        "an error of kind Argument, as in NumPy",
        "a silently wrong result",
    ),
    differ(
        "torch",
        "sort and argsort of uint16, uint32 and uint64",
        "NotImplementedError when ascending, 1-d and of 32,768 elements or more; otherwise works",
        "works for any size",
        "the size of an array should not decide what is defined",
    ),
    differ(
        "mindspore",
        "duplicates in scatter and tensor_scatter_elements",
        "racy even for two elements: the last wins in about 98 of 100 runs",
        "the last in index order wins",
        ORDERED,
    ),
    differ(
        "mindspore",
        "Tensor.scatter(..., src=tensor, reduce='add')",
        "`reduce` is ignored",
        "`reduce` is honoured",
        "an argument that does nothing is a wrong result",
    ),
    differ(
        "mindspore",
        "a slice with negative step beside an index array: `x[[0, 1], ::-1]`",
        "an empty result",
        "the reversed columns",
        "a wrong result",
    ),
    differ("mindspore", "writing through a negative step", "fails", "works", "the view exists, so it can be written"),
    differ(
        "mindspore",
        "an ellipsis that stands for no axes: `x[:, [0], ..., [1]]` on rank 3",
        "list indices are counted as too many",
        "accepted, as with tensor indices",
        "the same subscript with tensors works",
    ),
    differ(
        "mindspore",
        "errors of kernels",
        "reported at the next synchronisation, and again by later calls",
        "raised by the call that failed",
        "an error belongs to its call",
    ),
    differ(
        "jax",
        "duplicates in `.at[i].set`",
        "unspecified; the last was observed",
        "the last in index order wins",
        ORDERED,
    ),
    differ(
        "jax",
        "promises (unique_indices, indices_are_sorted, promise_in_bounds)",
        "believed",
        "accepted and still checked",
        "checking costs next to nothing",
    ),
    differ("jax", "int64 and float64", "narrowed to 32 bits unless enabled", "kept", "narrowing loses values silently"),
    differ(
        "jax",
        "searchsorted of uint32 values in an int32 sequence",
        "values of 2**31 and more become negative: 4000000000 in [-5, 3] stands at 0",
        "values keep their size: 2",
        "a silently wrong position",
    ),
    differ(
        "jax",
        "searchsorted, contents of `sorter`",
        "not checked",
        "checked; kind Argument",
        "no index reads outside its array",
    ),
    differ(
        "onnx",
        "GatherElements out of range",
        "the schema calls it an error; the reference evaluator wraps or clamps",
        "an error",
        "the schema decides",
    ),
    differ(
        "onnx",
        "an unknown `reduction`",
        "the reference evaluator stores as for `none`",
        "an error",
        "an argument that does nothing is a wrong result",
    ),
    differ(
        "onnx",
        "duplicates with reduction `none`",
        "the schema forbids them without saying what happens",
        "the last in index order wins",
        ORDERED,
    ),
];
