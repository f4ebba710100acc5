//! What the nodes of the tape are.

/// What a node on the way back came from. Its printed name is the library's.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::grad::NodeOp;
/// let mut x = Tensor::from_slice(&[1.0f32, 2.0], &[2])?;
/// x.requires_grad_(true)?;
/// let y = x.take(&tensor!([1, 1]), &Rules::NEUTRAL)?;
/// assert_eq!(y.grad_fn().map(|f| f.op()), Some(NodeOp::Take));
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum NodeOp {
    /// The greatest over some axes.
    AMax,
    /// The least over some axes.
    AMin,
    Add,
    Alias,
    AsStrided,
    Cat,
    Clone,
    Conj,
    ConstantPadNd,
    /// Values copied into another tensor.
    Copy,
    CumSum,
    Diagonal,
    DiagonalScatter,
    Div,
    Embedding,
    EmbeddingDenseBackward,
    Expand,
    /// Everything replaced by a number.
    FillNumber,
    /// Everything replaced by a tensor of one element.
    FillTensor,
    Flip,
    Gather,
    GatherNd,
    Index,
    IndexAdd,
    IndexCopy,
    IndexFill,
    /// As `IndexFill`, by a tensor of one element.
    IndexFillTensor,
    IndexPut,
    /// The gradient of `Index`.
    IndexPutImpl,
    IndexReduce,
    IndexSelect,
    /// A leaf, which collects its gradient.
    Leaf,
    MaskedFill,
    /// As `MaskedFill`, by a tensor of one element.
    MaskedFillTensor,
    MaskedScatter,
    MaskedScatterBackward,
    MaskedSelect,
    /// The greatest along an axis.
    Max,
    /// The greatest of all.
    MaxAll,
    Mean,
    /// A mean along some axes.
    MeanAxes,
    /// The least along an axis.
    Min,
    /// The least of all.
    MinAll,
    Mul,
    /// A product with a number.
    MulNumber,
    Neg,
    Permute,
    Put,
    PutAlong,
    /// Fails when a gradient comes this far.
    Refusal,
    /// A view under another shape of what is not contiguous.
    ReshapeAlias,
    Scatter,
    ScatterAdd,
    ScatterNd,
    /// A scatter of a number, or of what has no gradient.
    ScatterNumber,
    ScatterReduce,
    Select,
    SelectScatter,
    Slice,
    SliceScatter,
    Sort,
    SparseMask,
    Squeeze,
    /// As `Squeeze`, of axes that are named.
    SqueezeAxes,
    /// A copy stretched beforehand, which no library has a name for.
    Stretched,
    Sum,
    /// A sum along some axes.
    SumAxes,
    Stack,
    T,
    Take,
    TensorScatter,
    ToCopy,
    ToDense,
    TopK,
    Transpose,
    /// An operation whose gradient is not defined.
    Undefined,
    Unfold,
    /// A copy under another shape.
    UnsafeView,
    Unsqueeze,
    View,
    /// A write into a view, replayed on its base.
    ViewWrite,
    Where,
    Zero,
    ZerosLike,
}
