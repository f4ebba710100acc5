//! What an operation is: its name in plans, faults and errors, and which of its ways it goes where these differ.
//!
//! Whoever asks which operation something is about matches this; the name is for printing alone.

use std::fmt;

/// Which way an addition of slices goes.
///
/// ```
/// use takewise::op::{AddWay, Op};
/// assert!(Op::IndexAdd(AddWay::Plain).name().starts_with("index_add"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum AddWay {
    /// As `index_add` itself.
    Plain,
    /// As a scatter of single elements ([`crate::index::rules::Width::scatters`]).
    Scattered,
    /// Slice by slice, by an addition of whole slices.
    Slices,
}

/// Which way a reduction of slices goes.
///
/// ```
/// use takewise::op::{ReduceWay, Op};
/// assert!(Op::IndexReduce(ReduceWay::Excluding).name().starts_with("index_reduce"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ReduceWay {
    /// As `index_reduce` itself.
    Plain,
    /// What is there does not count: the places addressed start from the identity.
    Excluding,
    /// Slice by slice, by a mean of whole slices.
    SlicesMean,
    /// Slice by slice, by a maximum of whole slices.
    SlicesMax,
    /// Slice by slice, by a minimum of whole slices.
    SlicesMin,
}

/// Which part of a scattered reduction is at work.
///
/// ```
/// use takewise::op::{ScatterWay, Op};
/// assert!(Op::ScatterReduce(ScatterWay::Mean).name().starts_with("scatter_reduce"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ScatterWay {
    /// `scatter_reduce` itself.
    Plain,
    /// The mean.
    Mean,
    /// The maximum.
    Max,
    /// The minimum.
    Min,
    /// The mean of an index without values: only the division is left to do.
    MeanOfNone,
    /// What is there does not count: the places addressed start from the identity.
    Excluding,
}

/// What a store at index tuples does with the values that are there.
///
/// ```
/// use takewise::op::{Combine, Op};
/// assert_eq!(Op::TensorScatter(Combine::Add).name(), "TensorScatterAdd");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Combine {
    Update,
    Add,
    Sub,
    Mul,
    Div,
    Max,
    Min,
}

/// What an operation is. Two words wide, and copied freely.
///
/// ```
/// use takewise::{Op, Rules, View, ops};
/// let e = ops::take(&View::from(&[1, 2][..]), &View::from(&[5i64][..]), &Rules::NEUTRAL).unwrap_err();
/// assert_eq!((e.fault().op(), Op::Take.name()), (Op::Take, "take"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Op {
    Allocate,
    Arange,
    ArgMax,
    ArgMin,
    ArgSort,
    ArgWhere,
    AsStrided,
    Backward,
    BroadcastTo,
    Bucketize,
    Clone,
    Combine,
    Contiguous,
    Copy,
    CumSum,
    Diagonal,
    DiagonalScatter,
    Digitize,
    Embedding,
    EmbeddingRenorm,
    Empty,
    Eq,
    Expand,
    Flatten,
    Flip,
    FromBuffer,
    Full,
    FullLike,
    Gather,
    GatherAxis,
    GatherNd,
    Ge,
    Grad,
    Gt,
    Index,
    /// Slices are added along an axis.
    IndexAdd(AddWay),
    IndexCopy,
    /// A number fills slices along an axis; or it does so because it was assigned through one index array in a subscript, whose
    /// dimensions count otherwise.
    IndexFill {
        subscript: bool,
    },
    IndexPut,
    /// Slices are reduced along an axis.
    IndexReduce(ReduceWay),
    IndexSelect,
    Item,
    Layout,
    Le,
    LogicalAnd,
    LogicalNot,
    LogicalOr,
    LogicalXor,
    Lt,
    Mask,
    MaskedFill,
    MaskedScatter,
    MaskedSelect,
    Max,
    Mean,
    Min,
    Movedim,
    Narrow,
    Ne,
    Nonzero,
    Out,
    OuterIndex,
    Permute,
    PointIndex,
    Prepare,
    Prepared,
    Promote,
    Put,
    PutAlongAxis,
    PutInPlace,
    Rand,
    Randint,
    Randn,
    Read,
    RequiresGrad,
    Reshape,
    RetainGrad,
    Scatter,
    ScatterAdd,
    ScatterNd,
    /// Values are reduced along an axis.
    ScatterReduce(ScatterWay),
    SearchSorted,
    Select,
    SelectScatter,
    SetGrad,
    SetItem,
    Slice,
    SliceScatter,
    Sort,
    SparseCoo,
    Squeeze,
    Sum,
    T,
    Take,
    TakeAlongAxis,
    /// One index per element along an axis; or without an axis, on flattened operands.
    TakeAlongDim {
        flat: bool,
    },
    /// Slices are stored or combined at index tuples.
    TensorScatter(Combine),
    ToDense,
    ToVec,
    Transpose,
    Unfold,
    Unsqueeze,
    View,
    Where,
    Write,
    /// A function of a library that is several operations here, or one under another name: printed, and never matched.
    ///
    /// Only the layers above, which know such functions, make one: a busy operand or a lack of memory is reported
    /// under the name that was called. The reference to a reference keeps the type at two words.
    Named(&'static &'static str),
}

impl Op {
    /// The name printed in errors and plans.
    #[expect(clippy::too_many_lines)] // a table
    pub const fn name(self) -> &'static str {
        match self {
            Op::Allocate => "allocate",
            Op::Arange => "arange",
            Op::ArgMax => "argmax",
            Op::ArgMin => "argmin",
            Op::ArgSort => "argsort",
            Op::ArgWhere => "argwhere",
            Op::AsStrided => "as_strided",
            Op::Backward => "backward",
            Op::BroadcastTo => "broadcast_to",
            Op::Bucketize => "bucketize",
            Op::Clone => "clone",
            Op::Combine => "combine",
            Op::Contiguous => "contiguous",
            Op::Copy => "copy",
            Op::CumSum => "cumsum",
            Op::Diagonal => "diagonal",
            Op::DiagonalScatter => "diagonal_scatter",
            Op::Digitize => "digitize",
            Op::Embedding => "embedding",
            Op::EmbeddingRenorm => "embedding_renorm_",
            Op::Empty => "empty",
            Op::Eq => "eq",
            Op::Expand => "expand",
            Op::Flatten => "flatten",
            Op::Flip => "flip",
            Op::FromBuffer => "from_buffer",
            Op::Full => "full",
            Op::FullLike => "full_like",
            Op::Gather => "gather",
            Op::GatherAxis => "Gather",
            Op::GatherNd => "GatherNd",
            Op::Ge => "ge",
            Op::Grad => "grad",
            Op::Gt => "gt",
            Op::Index => "index",
            Op::IndexAdd(way) => way.name(),
            Op::IndexCopy => "index_copy",
            Op::IndexFill { subscript: false } => "index_fill",
            Op::IndexFill { subscript: true } => "index_fill(subscript)",
            Op::IndexPut => "index_put",
            Op::IndexReduce(way) => way.name(),
            Op::IndexSelect => "index_select",
            Op::Item => "item",
            Op::Layout => "layout",
            Op::Le => "le",
            Op::LogicalAnd => "logical_and",
            Op::LogicalNot => "logical_not",
            Op::LogicalOr => "logical_or",
            Op::LogicalXor => "logical_xor",
            Op::Lt => "lt",
            Op::Mask => "mask",
            Op::MaskedFill => "masked_fill",
            Op::MaskedScatter => "masked_scatter",
            Op::MaskedSelect => "masked_select",
            Op::Max => "max",
            Op::Mean => "mean",
            Op::Min => "min",
            Op::Movedim => "movedim",
            Op::Narrow => "narrow",
            Op::Ne => "ne",
            Op::Nonzero => "nonzero",
            Op::Out => "out",
            Op::OuterIndex => "oindex",
            Op::Permute => "permute",
            Op::PointIndex => "vindex",
            Op::Prepare => "prepare",
            Op::Prepared => "prepared",
            Op::Promote => "promote",
            Op::Put => "put",
            Op::PutAlongAxis => "put_along_axis",
            Op::PutInPlace => "put_",
            Op::Rand => "rand",
            Op::Randint => "randint",
            Op::Randn => "randn",
            Op::Read => "read",
            Op::RequiresGrad => "requires_grad_",
            Op::Reshape => "reshape",
            Op::RetainGrad => "retain_grad",
            Op::Scatter => "scatter",
            Op::ScatterAdd => "scatter_add",
            Op::ScatterNd => "ScatterNd",
            Op::ScatterReduce(way) => way.name(),
            Op::SearchSorted => "searchsorted",
            Op::Select => "select",
            Op::SelectScatter => "select_scatter",
            Op::SetGrad => "set_grad",
            Op::SetItem => "setitem",
            Op::Slice => "slice",
            Op::SliceScatter => "slice_scatter",
            Op::Sort => "sort",
            Op::SparseCoo => "sparse_coo",
            Op::Squeeze => "squeeze",
            Op::Sum => "sum",
            Op::T => "t",
            Op::Take => "take",
            Op::TakeAlongAxis => "take_along_axis",
            Op::TakeAlongDim { flat: false } => "take_along_dim",
            Op::TakeAlongDim { flat: true } => "take_along_dim(flat)",
            Op::TensorScatter(combine) => combine.name(),
            Op::ToDense => "to_dense",
            Op::ToVec => "to_vec",
            Op::Transpose => "transpose",
            Op::Unfold => "unfold",
            Op::Unsqueeze => "unsqueeze",
            Op::View => "view",
            Op::Where => "where",
            Op::Write => "write",
            Op::Named(name) => name,
        }
    }
}

impl AddWay {
    const fn name(self) -> &'static str {
        match self {
            AddWay::Plain => "index_add",
            AddWay::Scattered => "index_add(scatter)",
            AddWay::Slices => "index_add(slices, sum)",
        }
    }
}

impl ReduceWay {
    const fn name(self) -> &'static str {
        match self {
            ReduceWay::Plain => "index_reduce",
            ReduceWay::Excluding => "index_reduce(include_self=False)",
            ReduceWay::SlicesMean => "index_reduce(slices, mean)",
            ReduceWay::SlicesMax => "index_reduce(slices, amax)",
            ReduceWay::SlicesMin => "index_reduce(slices, amin)",
        }
    }
}

impl ScatterWay {
    const fn name(self) -> &'static str {
        match self {
            ScatterWay::Plain => "scatter_reduce",
            ScatterWay::Mean => "scatter_reduce(mean)",
            ScatterWay::Max => "scatter_reduce(amax)",
            ScatterWay::Min => "scatter_reduce(amin)",
            ScatterWay::MeanOfNone => "scatter_reduce(mean of none)",
            ScatterWay::Excluding => "scatter_reduce(include_self=False)",
        }
    }
}

impl Combine {
    const fn name(self) -> &'static str {
        match self {
            Combine::Update => "TensorScatterUpdate",
            Combine::Add => "TensorScatterAdd",
            Combine::Sub => "TensorScatterSub",
            Combine::Mul => "TensorScatterMul",
            Combine::Div => "TensorScatterDiv",
            Combine::Max => "TensorScatterMax",
            Combine::Min => "TensorScatterMin",
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

const _: () = assert!(size_of::<Op>() <= 2 * size_of::<usize>());
