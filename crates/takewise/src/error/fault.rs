//! The facts of a failure, free of any library's wording.

use super::words_neutral::named;
use super::{Kind, Shape, list, tuple};
use crate::dtype::{DType, Scalar};
use crate::node_op::NodeOp;
use crate::op::Op;

/// An index value outside its axis, and where it stands.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::Fault;
/// let error = ops::take(&[10, 20, 30], &[0, 7, -9], &Rules::NEUTRAL).unwrap_err();
/// let Fault::OutOfRange(facts) = error.fault() else { unreachable!() };
/// assert_eq!((facts.axis, facts.value, facts.bad, facts.total), (0, 7, 2, 3));
/// ```
#[derive(Clone, Debug)]
pub struct OutOfRange {
    /// The operation, by torch's or NumPy's name.
    pub op: Op,
    /// The axis of the indexed array.
    pub axis: usize,
    /// Which index operand it was (0 for the first); equals nothing else.
    pub ordinal: usize,
    /// The length of the axis.
    pub len: usize,
    /// The value as given.
    pub value: i128,
    /// Coordinates of the value in its index operand; `None` for a plain integer.
    pub position: Option<Shape>,
    /// How many values of that operand are out of range.
    pub bad: usize,
    /// How many values that operand holds.
    pub total: usize,
    /// Whether negative values count from the end here.
    pub from_end: bool,
    /// Shape of the indexed array.
    pub shape: Shape,
    /// What every index operand holds at that position, where all have one shape: the whole index tuple of
    /// `gather_nd` and its kin. Else empty.
    pub tuple: Vec<i64>,
}

/// Which relation between shapes does not hold.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::{Fault, error::ShapeRule};
/// let index = View::new(&[0usize], &[1, 1])?;
/// let error = ops::gather(&[1, 2], 0, &index, &Rules::NEUTRAL).unwrap_err();
/// assert!(matches!(error.fault(), Fault::Shape { rule: ShapeRule::IndexRank, .. }));
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum ShapeRule {
    /// Index and input must have the same rank.
    IndexRank,
    /// Index and source must have the same rank.
    SourceRank,
    /// The index may not be larger than the input off the indexed dim.
    AtMost,
    /// The index may not be larger than input (off dim) or source.
    AtMostSource,
    /// Index operands do not broadcast together.
    Broadcast,
    /// Two operands do not broadcast together at `dim`.
    BroadcastPair,
    /// The value does not broadcast to the indexed result.
    IndexedValue,
    /// A lone mask over all axes takes values of rank 0 or 1.
    MaskValueRank,
    /// A lone mask over all axes takes one value or one for every place; `shapes` are value and places.
    MaskValueCount,
    /// The value does not expand to the view it is assigned to.
    ViewValue,
    /// The value has more dims than the view it is assigned to.
    ViewValueRank,
    /// Mask extents differ from the axes they cover; `dim` is the mask axis, `shapes` are mask, array (after
    /// the items before selected and inserted), the axis of that, and the axis of the array as given.
    Mask,
    /// Too many indices for the rank; `dim` is how many axes they consume, `shapes` the array's (and `given`,
    /// that number again, where index tensors and not subscripts are counted).
    TooMany,
    /// There must be at least one index tensor.
    NoIndices,
    /// The index must be a vector.
    Vector,
    /// A scalar input takes one index.
    ScalarInput,
    /// Number of indices differs from the source's extent.
    Count,
    /// Slices of source and input differ.
    Slice,
    /// Source and input must both be scalars or have the same rank.
    ScalarSource,
    /// Source and index must have as many elements.
    Elements,
    /// The source has too few elements for the mask.
    TooFew,
    /// The value must be 0-d.
    ScalarValue,
    /// The result would need a larger destination.
    InPlace,
    /// The output has the wrong shape.
    Out,
    /// Leading dims of sequence and values must match.
    Sequence,
    /// A scalar value needs a 1-d sequence.
    SequenceScalar,
    /// Bin edges must be 1-d.
    Boundaries,
    /// The sorter must have the shape of the sequence.
    Sorter,
    /// The source must have the shape of the slice it replaces.
    Replace,
    /// Batch dims of input and indices differ.
    Batch,
    /// The index has fewer axes than batch dims.
    BatchRank,
    /// Index depth exceeds the rank.
    Depth,
    /// A shape cannot be viewed or reshaped as asked.
    Reshape,
    /// An expand that does not fit.
    Expand,
    /// Nothing can be taken from an empty axis.
    EmptyAxis,
    /// A 0-d array cannot be treated so.
    ZeroDim,
    /// A 0-d array has no axis for the only subscript given: an integer (`dim` 0) or a slice (`dim` 1).
    ZeroDimIndex,
}

/// Which demand on dtypes does not hold.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::{Fault, error::DTypeRule};
/// let error = ops::take(&[1, 2], &[0.5], &Rules::NEUTRAL).unwrap_err();
/// assert!(matches!(error.fault(), Fault::DType { rule: DTypeRule::Index, .. }));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum DTypeRule {
    /// The index dtype is not accepted.
    Index,
    /// The mask must be boolean.
    Mask,
    /// The condition must be boolean.
    Condition,
    /// Source and destination must have one dtype.
    Same,
    /// The output must have the result's dtype.
    Out,
    /// The operation does not exist for this dtype.
    Unsupported,
    /// The sorter must be int64.
    Sorter,
    /// A complex number cannot become a real one.
    ComplexValue,
    /// Two dtypes have no common dtype.
    Promotion,
    /// The values of this dtype have no order.
    Unordered,
    /// Values of another kind are not stored, nor combined.
    Cast,
}

/// Which argument is malformed.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::{Fault, error::ArgumentRule};
/// let error = ops::gather_axis(&[1, 2], 0, &[0usize], 9, &Rules::NEUTRAL).unwrap_err();
/// assert!(matches!(error.fault(), Fault::Argument { rule: ArgumentRule::BatchDims, .. }));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum ArgumentRule {
    ZeroStep,
    NegativeStep,
    ManyEllipses,
    Reduce,
    ReduceScatter,
    ReduceIndex,
    Side,
    SideOpposesRight,
    /// Numbers: the two dims as given.
    SameDiagonalDims,
    /// Numbers: start as given, extent.
    NarrowStart,
    /// Numbers: length.
    NarrowLength,
    /// Numbers: start (counted from the front), length, extent.
    NarrowEnd,
    /// Numbers: window, extent, axis.
    UnfoldSize,
    /// Numbers: window.
    UnfoldSizeNegative,
    /// Numbers: step.
    UnfoldStep,
    /// Numbers: the strides as given, in elements.
    StridedNegative,
    /// Text: sizes, strides, offset, bytes needed and bytes there.
    StridedStorage,
    /// Numbers: how many sizes, how many strides.
    StridedRank,
    SorterRange,
    BatchDims,
    BatchNegative,
    AxisBeforeBatch,
    /// Numbers: rank, how many dims were given.
    PermuteDims,
    /// Numbers: the dim.
    RepeatedDim,
    /// Numbers: rank, the highest rank accepted.
    RankAbove,
    /// A shape with two extents to infer.
    InferTwice,
    /// An extent to infer beside an extent 0. Numbers: the shape as given.
    InferAmbiguous,
    /// Numbers: the extent, its place, then the shape as given.
    NegativeExtent,
    /// A shape that does not hold the elements there are. Numbers: how many there are, then the shape as given.
    ShapeCount,
    /// The strides do not allow the shape without a copy. Numbers: the shape as given.
    ViewStrides,
    /// Numbers: axis, then the target as given. Text: the shape.
    ExpandSize,
    /// Numbers: the extent given for a leading axis that does not exist yet, axis.
    ExpandLeading,
    /// Fewer extents than axes. Numbers: the target as given. Text: the shape.
    ExpandRank,
    /// Numbers: how many sources, how many destinations.
    MoveDims,
    /// Numbers: how many elements there are where one is needed.
    OneElement,
    /// The memory may not be written.
    ReadOnly,
    /// A gradient that is not there or cannot be had. Text: the whole message, the same in every dialect.
    Gradient,
    FalseIndex,
    TooManyForInt32,
    /// Bin edges are neither increasing nor decreasing.
    Monotonic,
    /// Anything else: the text says it all.
    Other,
}

/// Why a gradient cannot be had or kept right.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::{Fault, error::GradientRule};
/// let mut x = Tensor::from_slice(&[1.0f32, 2.0], &[2])?;
/// x.requires_grad_(true)?;
/// let y = x.take(&tensor!([0, 1]), &Rules::NEUTRAL)?;
/// let error = y.backward(Some(&Tensor::zeros(&[3], DType::F32)?), false).unwrap_err();
/// assert!(matches!(error.fault(), Fault::Gradient { rule: GradientRule::Shape { .. }, .. }));
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum GradientRule {
    /// An operand that was kept for the way back has been changed since.
    Changed {
        /// Its dtype.
        dtype: DType,
        /// Its shape.
        shape: Shape,
        /// What it came from, if not from a leaf.
        from: Option<NodeOp>,
        /// How often it has been written by now.
        version: u64,
        /// How often it had been.
        expected: u64,
    },
    /// What was taken while nothing was recorded is written in place: a view, or a view of the view named.
    QuietView {
        /// What made the view it is a view of.
        of: Option<NodeOp>,
    },
    /// The gradient given for an output has another shape.
    Shape {
        /// Which of the outputs.
        output: usize,
        /// The gradient's shape.
        given: Shape,
        /// The output's.
        wanted: Shape,
    },
}

/// What went wrong, as facts.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::Fault;
/// let error = ops::take(&[10, 20, 30], &[0, 7, -9], &Rules::NEUTRAL).unwrap_err();
/// match error.fault() {
///     Fault::OutOfRange(facts) => assert_eq!(facts.len, 3),
///     other => panic!("{other:?}"),
/// }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Fault {
    /// An index value is outside its axis.
    OutOfRange(OutOfRange),
    /// A plain integer subscript, or `select`, is outside its axis.
    IntOutOfRange(OutOfRange),
    /// An axis number is outside the rank.
    Dim { op: Op, dim: i64, rank: usize },
    /// Shapes do not fit; `dtype` is that of the operand refused, where it is known.
    Shape { op: Op, rule: ShapeRule, dim: usize, shapes: Vec<(&'static str, Shape)>, dtype: Option<DType> },
    /// Dtypes do not fit; `given` is the offender, `wanted` the other side.
    DType { op: Op, rule: DTypeRule, given: DType, wanted: Option<DType> },
    /// An argument is malformed; `numbers` and `text` are what was given.
    Argument { op: Op, rule: ArgumentRule, numbers: Vec<i64>, text: String },
    /// A gradient cannot be had.
    Gradient { op: Op, rule: GradientRule },
    /// A number does not fit a dtype.
    Scalar { op: Op, value: Scalar, dtype: DType },
    /// Integers that are stored do not fit a dtype: the first of so many bad ones, and its position among the values.
    Unfit { op: Op, value: i128, dtype: DType, position: Shape, bad: usize, total: usize },
    /// Operands share memory (`internal`: the destination with itself).
    Overlap { op: Op, internal: bool },
    /// The duplicate policy forbids writing a place twice.
    Duplicate { op: Op, position: Shape, first: Shape },
    /// Another call is using the same memory.
    Busy { op: Op, writing: bool },
    /// Sizes overflow the address space, or memory ran out.
    Memory { op: Op, bytes: Option<usize> },
    /// What the memory of an operand stands for, such as a mapped file, could not be read; the text says why.
    Storage { op: Op, text: String },
}

impl Fault {
    /// A shape fault.
    pub fn shape(op: Op, rule: ShapeRule, dim: usize, shapes: &[(&'static str, &[usize])]) -> Fault {
        let shapes = shapes.iter().map(|(n, s)| (*n, Shape::from_slice(s))).collect();
        Fault::Shape { op, rule, dim, shapes, dtype: None }
    }

    /// A shape fault that also tells the dtype of the operand refused.
    pub fn of(self, dtype: DType) -> Fault {
        match self {
            Fault::Shape { op, rule, dim, shapes, .. } => Fault::Shape { op, rule, dim, shapes, dtype: Some(dtype) },
            other => other,
        }
    }

    /// An argument fault with numbers.
    pub fn argument(op: Op, rule: ArgumentRule, numbers: &[i64]) -> Fault {
        Fault::Argument { op, rule, numbers: numbers.to_vec(), text: String::new() }
    }

    /// An argument fault told in text.
    pub fn text(op: Op, rule: ArgumentRule, text: impl Into<String>) -> Fault {
        Fault::Argument { op, rule, numbers: Vec::new(), text: text.into() }
    }

    pub(super) fn set_op(&mut self, name: Op) {
        match self {
            Fault::OutOfRange(o) | Fault::IntOutOfRange(o) => o.op = name,
            Fault::Dim { op, .. }
            | Fault::Shape { op, .. }
            | Fault::DType { op, .. }
            | Fault::Argument { op, .. }
            | Fault::Gradient { op, .. }
            | Fault::Scalar { op, .. }
            | Fault::Unfit { op, .. }
            | Fault::Overlap { op, .. }
            | Fault::Duplicate { op, .. }
            | Fault::Busy { op, .. }
            | Fault::Memory { op, .. }
            | Fault::Storage { op, .. } => *op = name,
        }
    }

    /// The operation that failed.
    pub fn op(&self) -> Op {
        match self {
            Fault::OutOfRange(o) | Fault::IntOutOfRange(o) => o.op,
            Fault::Dim { op, .. }
            | Fault::Shape { op, .. }
            | Fault::DType { op, .. }
            | Fault::Argument { op, .. }
            | Fault::Gradient { op, .. }
            | Fault::Scalar { op, .. }
            | Fault::Unfit { op, .. }
            | Fault::Overlap { op, .. }
            | Fault::Duplicate { op, .. }
            | Fault::Busy { op, .. }
            | Fault::Memory { op, .. }
            | Fault::Storage { op, .. } => *op,
        }
    }

    pub(super) fn out_of_range(&self) -> Option<&OutOfRange> {
        match self {
            Fault::OutOfRange(o) | Fault::IntOutOfRange(o) => Some(o),
            _ => None,
        }
    }

    pub(super) fn kind(&self) -> Kind {
        match self {
            Fault::OutOfRange(_) | Fault::IntOutOfRange(_) => Kind::OutOfRange,
            Fault::Dim { .. } => Kind::Axis,
            Fault::Shape { .. } => Kind::Shape,
            Fault::DType { .. } => Kind::DType,
            Fault::Argument { .. } | Fault::Gradient { .. } => Kind::Argument,
            Fault::Scalar { .. } | Fault::Unfit { .. } => Kind::Value,
            Fault::Overlap { .. } => Kind::Overlap,
            Fault::Duplicate { .. } => Kind::Duplicate,
            Fault::Busy { .. } => Kind::Busy,
            Fault::Memory { .. } => Kind::Memory,
            Fault::Storage { .. } => Kind::Storage,
        }
    }

    /// Our own facts on one line, for out-of-range values and shapes.
    pub(super) fn facts(&self) -> Option<String> {
        match self {
            Fault::OutOfRange(o) => {
                let mut s = format!("{}: axis {} has length {}; ", named(o.op), o.axis, o.len);
                match &o.position {
                    Some(p) if !p.is_empty() => {
                        s += &format!("value {} at position {} of the index", o.value, list(p));
                    }
                    _ => s += &format!("index {}", o.value),
                }
                if o.total > 1 {
                    s += &format!(" ({} of {} values out of range)", o.bad, o.total);
                }
                Some(s)
            }
            Fault::IntOutOfRange(o) => {
                Some(format!("{}: axis {} has length {}; index {}", named(o.op), o.axis, o.len, o.value))
            }
            Fault::Shape { op, shapes, .. } if !shapes.is_empty() => {
                let parts: Vec<String> = shapes.iter().map(|(n, s)| format!("{n} {}", list(s))).collect();
                Some(format!("{}: {}", named(*op), parts.join(", ")))
            }
            _ => None,
        }
    }

    /// Of [`Fault::facts`] what our own first line does not have: how many values are out of range, where there are several.
    pub(super) fn count(&self) -> Option<String> {
        match self {
            Fault::OutOfRange(o) if o.bad > 1 => Some(format!("{} of {} values are out of bounds", o.bad, o.total)),
            _ => None,
        }
    }

    /// Whether the library's own line has all there is to say: axis, length and value of an integer outside, or both shapes of a
    /// value that does not fit.
    pub(super) fn told(&self, line: &str) -> bool {
        if let Fault::IntOutOfRange(o) = self {
            let numbers = [o.axis.to_string(), o.len.to_string(), o.value.to_string()];
            let mut words =
                numbers.iter().map(|n| line.split(|c: char| !c.is_ascii_digit() && c != '-').any(|w| w == n));
            return words.all(|told| told);
        }
        let Fault::Shape { rule: ShapeRule::IndexedValue | ShapeRule::ViewValue, shapes, .. } = self else {
            return false;
        };
        shapes.iter().all(|(_, shape)| line.contains(&list(shape)) || line.contains(&tuple(shape)))
    }

    /// The likely cause, when the numbers suggest one.
    pub(super) fn cause(&self) -> Option<String> {
        let o = self.out_of_range()?;
        if o.len == 0 {
            Some("the axis is empty: no index is valid".into())
        } else if o.value == o.len as i128 {
            Some(format!("the value equals the length: 1-based? valid are 0 to {}", o.len - 1))
        } else if o.value < 0 && !o.from_end {
            let hint = if o.value == -1 { ": padding? use fill" } else { "" };
            Some(format!("negative values are refused here{hint}"))
        } else {
            None
        }
    }
}
