//! Our own wording, used where no dialect has one.

use super::{ArgumentRule as A, Class, DTypeRule as D, Fault, GradientRule as G, ShapeRule as S, list};
use crate::dtype::DType;
use crate::op::{Combine, Op};

/// Wording of the neutral Rust API; words every fault.
pub fn neutral(fault: &Fault) -> Option<(Class, String)> {
    Some(said(fault))
}

/// The name of an operation as it is typed, where its own is that of a library's primitive or of one of its ways.
pub(super) fn named(op: Op) -> &'static str {
    match op {
        Op::GatherAxis => "gather",
        Op::GatherNd => "gather_nd",
        Op::ScatterNd => "scatter_nd",
        Op::SetItem => "x[key] = value",
        Op::TensorScatter(how) => match how {
            Combine::Update => "tensor_scatter",
            Combine::Add => "tensor_scatter_add",
            Combine::Sub => "tensor_scatter_sub",
            Combine::Mul => "tensor_scatter_mul",
            Combine::Div => "tensor_scatter_div",
            Combine::Max => "tensor_scatter_max",
            Combine::Min => "tensor_scatter_min",
        },
        Op::Named(name) => name,
        // A way of an operation is said in brackets behind its name.
        other => other.name().split('(').next().unwrap_or_default(),
    }
}

fn said(fault: &Fault) -> (Class, String) {
    let op = named(fault.op());
    match fault {
        Fault::OutOfRange(o) | Fault::IntOutOfRange(o) => {
            let place = match &o.position {
                Some(p) if !p.is_empty() => format!(" (position {} of the index)", list(p)),
                _ => String::new(),
            };
            let text =
                format!("{op}: index {} is out of bounds for axis {} with size {}{place}", o.value, o.axis, o.len);
            (Class::IndexError, text)
        }
        Fault::Dim { dim, rank, .. } => {
            let r = (*rank).max(1) as i64;
            (
                Class::IndexError,
                format!("{op}: axis {dim} is out of range for rank {rank} (valid: {} to {})", -r, r - 1),
            )
        }
        Fault::Shape { rule, dim, shapes, .. } => {
            // Axis numbers are in the phrase, and nobody types `self`.
            let shapes = shapes.iter().filter(|(name, _)| !["dim", "axis", "real axis"].contains(name));
            let name = |name| if name == "self" { "input" } else { name };
            let parts: Vec<String> = shapes.map(|(n, s)| format!("{} {}", name(*n), list(s))).collect();
            let class = match rule {
                S::TooMany | S::Mask | S::Broadcast | S::EmptyAxis | S::ZeroDimIndex => Class::IndexError,
                _ => Class::ValueError,
            };
            (class, format!("{op}: {}: {}", shape_phrase(*rule, *dim), parts.join(", ")))
        }
        Fault::DType { op: of, rule, given, wanted } => (Class::TypeError, unfit(*of, op, *rule, *given, *wanted)),
        Fault::Argument { rule: A::Gradient, text, .. } => (Class::RuntimeError, text.to_string()),
        Fault::Gradient { rule, .. } => (Class::RuntimeError, gradient(rule)),
        Fault::Argument { rule, numbers, text, .. } => (Class::ValueError, argument(op, *rule, numbers, text)),
        Fault::Scalar { value, dtype, .. } => {
            (Class::OverflowError, format!("{op}: {value} does not fit dtype {}", dtype.name()))
        }
        Fault::Unfit { value, dtype, position, bad, total, .. } => {
            let place = if position.is_empty() {
                String::new()
            } else {
                format!(" (position {} of the values)", list(position))
            };
            let more = if *bad > 1 { format!("\n  {bad} of {total} values do not fit") } else { String::new() };
            (Class::OverflowError, format!("{op}: {value} does not fit dtype {}{place}{more}", dtype.name()))
        }
        Fault::Overlap { internal: true, .. } => (
            Class::ValueError,
            format!("{op}: the destination meets itself: two coordinates share memory; copy it first"),
        ),
        Fault::Overlap { internal: false, .. } => {
            (Class::ValueError, format!("{op}: an operand shares memory with the destination; copy the operand first"))
        }
        Fault::Duplicate { position, first, .. } => (
            Class::ValueError,
            format!("{op}: index position {} writes the place position {} already wrote", list(position), list(first)),
        ),
        Fault::Busy { writing, .. } => {
            let doing = if *writing { "written" } else { "read" };
            (Class::RuntimeError, format!("{op}: the memory is being {doing} by another call or guard"))
        }
        Fault::Storage { text, .. } => (Class::OSError, format!("{op}: {text}")),
        Fault::Memory { bytes: Some(n), .. } => (Class::MemoryError, format!("{op}: cannot allocate {n} bytes")),
        Fault::Memory { bytes: None, .. } => {
            (Class::MemoryError, format!("{op}: the size overflows the address space"))
        }
    }
}

/// What a dtype is refused for.
fn unfit(of: Op, op: &str, rule: D, dtype: DType, wanted: Option<DType>) -> String {
    let given = dtype.name();
    match (rule, wanted) {
        (D::Index, _) => {
            format!("{op}: an index holds integers, but this one is of dtype {given}: {}", instead(dtype))
        }
        (D::Out, Some(w)) => format!("{op}: out= is of dtype {given}, but the result of dtype {}", w.name()),
        (D::Mask, _) => format!("{op}: the mask must be bool, got {given}"),
        (D::Condition, _) => format!("{op}: the condition must be bool, got {given}"),
        (D::Sorter, _) => format!("{op}: the sorter must hold integers, got {given}"),
        (D::ComplexValue, _) => format!("{op}: a complex number does not fit dtype {given}"),
        (D::Promotion, Some(w)) => format!("{op}: dtypes {given} and {} have no common dtype", w.name()),
        (D::Cast, Some(w)) => {
            // An assignment has no room for a policy.
            let cure = if of == Op::SetItem { "use index_put_ with" } else { "say" };
            let why = format!("values of dtype {given} would change in an array of dtype {}", w.name());
            format!("{op}: {why}: convert the array or the values first, or {cure} casting=\"unsafe\"")
        }
        (D::Unordered, _) => format!("{op}: values of dtype {given} have no order"),
        (_, Some(w)) => format!("{op}: dtype {given} where {} is needed", w.name()),
        _ => format!("{op}: not defined for dtype {given}"),
    }
}

/// What to do with an index that holds no integers.
fn instead(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "a mask is for masked_select, masked_fill or a subscript",
        _ => "convert it first",
    }
}

fn shape_phrase(rule: S, dim: usize) -> String {
    match rule {
        S::IndexRank => "index and input must have as many axes".into(),
        S::SourceRank => "index and source must have the same rank".into(),
        S::AtMost => format!("the index may not be larger than the input at axis {dim}"),
        S::AtMostSource => {
            "the index may not be larger than the source, nor than the input along the other axes".into()
        }
        S::Broadcast => "index arrays do not broadcast together".into(),
        S::BroadcastPair => format!("operands do not broadcast at axis {dim}"),
        S::IndexedValue => "the value does not broadcast to the indexed result".into(),
        S::MaskValueRank => "values for a mask must have rank 0 or 1".into(),
        S::MaskValueCount => "a mask takes one value, or one for every place it selects".into(),
        S::ViewValue | S::ViewValueRank => "the value does not broadcast to the view".into(),
        S::Mask => format!("the mask is not as long as the axis it covers (axis {dim} of the mask)"),
        S::TooMany => format!("too many indices ({dim})"),
        S::NoIndices => "at least one index array is needed".into(),
        S::Vector => "the index must have rank 0 or 1".into(),
        S::ScalarInput => "a 0-d input takes exactly one index".into(),
        S::Count => format!("the source needs one slice for every index along axis {dim}"),
        S::Slice => format!("source and input slices differ (axis {dim})"),
        S::ScalarSource => "source and input ranks differ".into(),
        S::Elements => "source and index must have as many elements".into(),
        S::TooFew => "the source has fewer elements than the mask selects".into(),
        S::ScalarValue => "the value must be one number".into(),
        S::InPlace => "an in-place operation cannot grow its destination".into(),
        S::Out => "the output has the wrong shape".into(),
        S::Sequence => "leading axes of sequence and values must match".into(),
        S::SequenceScalar => "a scalar value needs a 1-d sequence".into(),
        S::Boundaries => "the sorted values must have one axis".into(),
        S::Sorter => "the sorter must have the shape of the sequence".into(),
        S::Replace => "the source must have the shape of the part it replaces".into(),
        S::Batch => format!("batch axes differ (axis {dim})"),
        S::BatchRank => format!("the index has fewer axes than batch dims ({dim})"),
        S::Depth => "index tuples are longer than the rank".into(),
        S::Reshape => "the shape does not fit".into(),
        S::Expand => format!("cannot expand axis {dim}"),
        S::EmptyAxis => format!("nothing can be taken from axis {dim} of size 0"),
        S::ZeroDim => "not defined for a 0-d array".into(),
        S::ZeroDimIndex => "a 0-d array has no axis to index".into(),
    }
}

fn gradient(rule: &G) -> String {
    match rule {
        G::Changed { dtype, shape, from, version, expected } => {
            let from = from.map_or(String::new(), |node| format!(", which comes from {node:?},"));
            format!(
                "one of the operands kept for the gradient has been modified by an inplace operation: {} {}{from} is at \
                 version {version}; expected version {expected}",
                dtype.name(),
                list(shape)
            )
        }
        G::QuietView { of } => {
            let what = of.map_or("a view".to_owned(), |node| format!("a view of a view ({node:?})"));
            format!(
                "{what} that was taken while nothing was recorded is written in place while gradients are: take it and \
                 write to it both inside or both outside"
            )
        }
        G::Shape { output, given, wanted } => {
            format!("gradient {output} has shape {}, and what it is the gradient of {}", list(given), list(wanted))
        }
    }
}

fn argument(op: &str, rule: A, n: &[i64], text: &str) -> String {
    let at = |i: usize| n.get(i).copied().unwrap_or(0);
    match rule {
        A::ZeroStep => format!("{op}: slice step cannot be zero"),
        A::NegativeStep => format!("{op}: negative slice steps are refused here"),
        A::ManyEllipses => format!("{op}: more than one ellipsis"),
        A::Reduce => format!("{op}: reduce must be sum, prod, mean, amax or amin, got {text}"),
        A::ReduceScatter => format!("{op}: reduce must be add or multiply, got {text}"),
        A::ReduceIndex => format!("{op}: reduce must be prod, mean, amax or amin, got {text}"),
        A::Side => format!("{op}: side must be left or right, got {text}"),
        A::SideOpposesRight => format!("{op}: side is left but right is true"),
        A::SameDiagonalDims => format!("{op}: the two axes are the same: {}, {}", at(0), at(1)),
        A::NarrowStart => format!("{op}: start {} is outside [-{}, {}]", at(0), at(1), at(1)),
        A::NarrowLength => format!("{op}: length must not be negative"),
        A::NarrowEnd => format!("{op}: start {} + length {} exceeds size {}", at(0), at(1), at(2)),
        A::UnfoldSize => format!("{op}: window {} exceeds size {} of axis {}", at(0), at(1), at(2)),
        A::UnfoldSizeNegative => format!("{op}: window size {} is negative", at(0)),
        A::UnfoldStep => format!("{op}: window step {} must be positive", at(0)),
        A::StridedNegative => format!("{op}: negative strides are refused here"),
        A::StridedStorage => format!("{op}: the layout reaches outside the buffer: {text}"),
        A::SorterRange => format!("{op}: sorter value {} at position {} is outside [0, {})", at(0), at(1), at(2)),
        A::BatchDims => format!("{op}: batch_dims {} is outside [{}, {})", at(0), at(1), at(2)),
        A::BatchNegative => format!("{op}: batch_dims is {} after counting from the end", at(0)),
        A::AxisBeforeBatch => format!("{op}: axis {} is before batch_dims {}", at(0), at(1)),
        A::PermuteDims => format!("{op}: a permutation needs {} axes, got {}", at(0), at(1)),
        A::RepeatedDim => format!("{op}: axis {} is named twice", at(0)),
        A::StridedRank => format!("{op}: {} sizes but {} strides", at(0), at(1)),
        A::RankAbove => format!("{op}: rank {} where at most {} is accepted", at(0), at(1)),
        A::InferTwice => format!("{op}: only one extent can be inferred"),
        A::InferAmbiguous => {
            format!("{op}: the extent to infer in {} could be anything: there are 0 elements", list(n))
        }
        A::NegativeExtent => {
            format!("{op}: extent {} at place {} of {} is negative", at(0), at(1), list(n.get(2..).unwrap_or(&[])))
        }
        A::ShapeCount => {
            format!("{op}: {} elements do not fill shape {}", at(0), list(n.get(1..).unwrap_or(&[])))
        }
        A::ViewStrides => format!("{op}: the strides do not allow shape {} without a copy; reshape copies", list(n)),
        A::ExpandSize => {
            format!("{op}: shape {text} does not expand to {} at axis {}", list(n.get(1..).unwrap_or(&[])), at(0))
        }
        A::ExpandLeading => format!("{op}: extent {} given for the new axis {}", at(0), at(1)),
        A::ExpandRank => format!("{op}: shape {text} has more axes than {}", list(n)),
        A::MoveDims => format!("{op}: {} axes to move but {} places", at(0), at(1)),
        A::OneElement => format!("{op}: needs exactly one element, but there are {}", at(0)),
        A::ReadOnly => format!("{op}: the destination's memory is read-only"),
        A::FalseIndex => format!("{op}: False is not accepted as an index"),
        A::TooManyForInt32 => format!("{op}: {} positions do not fit 32-bit results", at(0)),
        A::Monotonic => format!("{op}: bins must be monotonically increasing or decreasing"),
        A::Gradient | A::Other => format!("{op}: {text}"),
    }
}
