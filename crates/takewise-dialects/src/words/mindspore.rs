//! MindSpore's wording (texts as MindSpore 2.10 gives them on CPU).
//!
//! Where MindSpore's own text is empty or speaks of a failed kernel launch, the class is kept and the neutral
//! words stand in.

use super::phrase::{Phrase, Shapes, constant, mindspore_name};
use takewise::dtype::DType;
use takewise::error::tuple;
use takewise::error::{
    ArgumentRule as A, Class, DTypeRule as D, Fault, OutOfRange, Shape, ShapeRule as S, list, neutral,
};
use takewise::op::{AddWay, Combine, Op};

/// Class and text as MindSpore gives them.
pub fn mindspore(fault: &Fault) -> Phrase {
    match fault {
        Fault::OutOfRange(o) => out_of_range(o, fault),
        Fault::IntOutOfRange(o) => Some(integer(o)),
        // The library says nothing.
        Fault::Dim { op: Op::Scatter | Op::ScatterAdd, .. } => as_class(Class::RuntimeError, fault),
        Fault::Dim { op, dim, rank } => Some(axis(*op, *dim, *rank)),
        Fault::Shape { op, rule, dim, shapes, .. } => shape(*op, *rule, *dim, shapes),
        Fault::DType { op, rule, given, wanted } => dtype(*op, *rule, *given, *wanted, fault),
        Fault::Argument { op, rule, numbers, text } => argument(*op, *rule, numbers, text),
        Fault::Overlap { .. } => as_class(Class::RuntimeError, fault),
        _ => None,
    }
}

/// The primitive an operation is.
fn primitive(op: Op) -> &'static str {
    match op {
        Op::Gather | Op::TakeAlongDim { flat: false } => "GatherD",
        Op::IndexSelect => "Gather",
        Op::Scatter | Op::ScatterAdd => "TensorScatterElements",
        Op::MaskedFill => "MaskedFill",
        Op::MaskedSelect => "MaskedSelect",
        Op::IndexAdd(AddWay::Plain) => "IndexAdd",
        Op::IndexFill { subscript: false } => "IndexFill",
        Op::Where => "Select",
        Op::ArgSort | Op::Sort => "Sort",
        Op::SearchSorted => "SearchSorted",
        Op::Eq => "Equal",
        Op::Ne => "NotEqual",
        Op::Lt => "Less",
        Op::Le => "LessEqual",
        Op::Gt => "Greater",
        Op::Ge => "GreaterEqual",
        other => other.name(),
    }
}

fn as_class(class: Class, fault: &Fault) -> Phrase {
    neutral(fault).map(|(_, text)| (class, text))
}

fn out_of_range(o: &OutOfRange, fault: &Fault) -> Phrase {
    let runtime = |text: String| Some((Class::RuntimeError, text));
    // The tuple and its depth, where one index array holds tuples.
    let depth = o.tuple.len().max(1);
    let flat = o.position.as_ref().map_or(0, |p| p.first().copied().unwrap_or(0));
    match o.op {
        Op::Gather | Op::TakeAlongDim { flat: false } => runtime(format!(
            "For 'GatherD', the value of 'index' must be in [-{n}, {n}), but got: {}",
            o.value,
            n = o.len
        )),
        Op::GatherAxis | Op::IndexSelect => runtime(gather(o)),
        Op::Index if o.tuple.len() < 2 => runtime(gather(o)),
        Op::GatherNd | Op::Index => runtime(format!(
            "For 'GatherNd', the indices[{flat}]: {}, does not index into input_shape: {}.",
            constant(&o.tuple),
            constant(&o.shape)
        )),
        Op::ScatterNd if o.value < 0 => runtime(format!(
            "For 'ScatterNd', each element in 'indice' must be greater than or equal to 0, but got {}",
            o.value
        )),
        Op::ScatterNd => runtime(format!(
            "For 'ScatterNd', each element in 'indices' should be smaller than the value of shape, but got {} and got the \
             value of shape {}",
            o.value, o.len
        )),
        Op::TensorScatter(Combine::Update) | Op::SetItem | Op::IndexPut if o.value < 0 => {
            runtime(format!("The int value({}) is less than 0.", o.value))
        }
        Op::TensorScatter(Combine::Update) | Op::SetItem | Op::IndexPut => Some((
            Class::ValueError,
            format!(
                "For 'TensorScatterUpdate', indices out of range for input_x. Please check the indices which is {}",
                constant(&o.tuple)
            ),
        )),
        op @ Op::TensorScatter(_) => runtime(format!(
            "For '{op}', the {}-th value of 'indices'{} is out of range{}.",
            flat * depth,
            list(&o.tuple),
            list(&o.shape[..depth.min(o.shape.len())])
        )),
        Op::IndexFill { subscript: false } => runtime(format!(
            "For 'IndexFill', the input of 'index' out of range (expected to be in range of [{}, {}], but got {})",
            -(o.len as i64),
            o.len as i64 - 1,
            o.value
        )),
        _ => as_class(Class::RuntimeError, fault),
    }
}

fn gather(o: &OutOfRange) -> String {
    // The kernel reports the value after counting it from the end.
    let value = if o.value < 0 { o.value + o.len as i128 } else { o.value };
    format!("For 'Gather', the 'input_indices' should be in the range [0, {}), but got {value}, error_code[58]", o.len)
}

fn integer(o: &OutOfRange) -> (Class, String) {
    if matches!(o.op, Op::SetItem | Op::IndexPut) {
        let text = format!("Index {} is out of bounds for axis {} with size {}", o.value, o.axis, o.len);
        return (Class::IndexError, text);
    }
    if matches!(o.op, Op::Select | Op::SelectScatter) {
        let text = format!(
            "For Primitive [SelectExtView] start exceed range. start: {}, start should be in [-{n}, {n}).",
            o.value,
            n = o.len
        );
        return (Class::ValueError, text);
    }
    (Class::IndexError, format!("index {} is out of bounds for dimension with size {}", o.value, o.len))
}

fn axis(op: Op, dim: i64, rank: usize) -> (Class, String) {
    let r = rank as i64;
    let low = -r.max(1);
    match op {
        Op::Gather | Op::TakeAlongDim { flat: false } => {
            (Class::ValueError, format!("For primitive[GatherD], the dim value must be in [{low},{r}], but got {dim}."))
        }
        Op::GatherAxis => {
            (Class::ValueError, format!("For primitive[Gather], the axis must be in [{low},{r}], but got {dim}."))
        }
        Op::Sort | Op::ArgSort => {
            (Class::ValueError, format!("For primitive[Sort], the axis must be in [{low},{}], but got {dim}.", r - 1))
        }
        Op::IndexAdd(AddWay::Plain) => (
            Class::ValueError,
            format!("For primitive[IndexAdd], the axis must be in ({},{r}), but got {dim}.", low - 1),
        ),
        Op::IndexFill { subscript: false } => (
            Class::RuntimeError,
            format!(
                "For 'IndexFill', the input of 'dim' out of range (expected to be in range of [{low}, {}], but got {dim})",
                r - 1
            ),
        ),
        _ => (Class::ValueError, format!("The 'axis' must be in the range of [{low}, {r}), but got {dim}.")),
    }
}

#[expect(clippy::too_many_lines)] // a table
fn shape(op: Op, rule: S, dim: usize, named: &[(&'static str, Shape)]) -> Phrase {
    let s = Shapes(named);
    let value = |text: String| Some((Class::ValueError, text));
    let (index, own) = (s.named(&["index"], 0), s.named(&["input", "self", "array"], 1));
    let name = primitive(op);
    match (rule, op) {
        (S::IndexRank, Op::Gather | Op::TakeAlongDim { flat: false }) => value(format!(
            "For primitive[GatherD], the x_rank must be equal to {}, but got {}.",
            index.len(),
            own.len()
        )),
        (S::IndexRank | S::SourceRank, Op::Scatter | Op::ScatterAdd) => value(format!(
            "For 'TensorScatterElements', the dimension of 'input_x', 'indice' and 'update' should be same, but got input_x \
             shape: {}; indice shape: {}; update shape: {}.",
            constant(own),
            constant(index),
            constant(s.named(&["source"], 2))
        )),
        (S::AtMost, Op::Gather | Op::TakeAlongDim { flat: false }) => value(format!(
            "For primitive[GatherD], the x shape must be greater than or equal to {}, but got {}.",
            index.get(dim).copied().unwrap_or(0),
            own.get(dim).copied().unwrap_or(0)
        )),
        (S::Batch, Op::GatherAxis | Op::IndexSelect) => Some((
            Class::RuntimeError,
            format!(
                "For 'Gather', params.shape[{dim}] should be equal to indices.shape[{dim}] but got param.shape: {}, \
                 indices.shape: {}",
                constant(own),
                constant(index)
            ),
        )),
        (S::BatchRank, _) => value(format!(
            "For primitive[Gather], the indices shape size must be greater than or equal to {dim}, but got {}.",
            index.len()
        )),
        (S::Depth, Op::GatherNd) => value(format!(
            "For primitive[GatherNd], the In GatherNd, the input of indices data must be greater than or equal to {dim}, \
             but got {}.",
            own.len()
        )),
        (S::Depth, Op::ScatterNd) => value(format!(
            "For 'ScatterNd', if the rank of output tensor is 'P' (length of the 'shape'), and the last dimension of \
             'indices' is 'N', the 'N' should be less than or equal to 'P', but got P = {}, N = {dim}",
            own.len()
        )),
        (S::Depth, _) => {
            let equal = if op == Op::TensorScatter(Combine::Update) { "equal  to" } else { "equal to" };
            value(format!(
                "For {name}, the last dimension of 'indices' must be less than or {equal} the dimension of 'input_x', but \
                 got the last dimension of 'indices': {dim} and the dimension of 'input_x': {}",
                own.len()
            ))
        }
        (S::Slice, Op::ScatterNd) => {
            let bare = |shape: &[usize]| tuple(shape).trim_end_matches(')').trim_end_matches(',').replace(',', ", ");
            value(format!(
                "For 'ScatterNd', if the last dimension of 'indices' is 'N', the shape of 'updates' should be the \
                 concatenation of 'indices.shape[:-1]' and 'shape[N:]'. but got 'indices.shape' is ({}), 'updates.shape' is \
                 ({}), 'shape' is {}, ).",
                bare(s.named(&["index"], 1)),
                bare(s.named(&["updates"], 0)),
                bare(s.named(&["self"], 2))
            ))
        }
        (S::Slice, Op::TensorScatter(Combine::Add)) => {
            let (index, own) = (s.named(&["index"], 1), s.named(&["self"], 2));
            let (depth, tuples) = index.split_last().unwrap_or((&0, &[]));
            let wanted = [tuples, own.get(*depth..).unwrap_or(&[])].concat();
            value(format!(
                "For TensorScatterAdd, indices_shape must equal to updates_shape, but got indices_shape: {}, updates_shape: \
                 {}.",
                list(&wanted),
                list(s.named(&["updates"], 0))
            ))
        }
        (S::Slice, Op::TensorScatter(_) | Op::Scatter | Op::ScatterAdd) => {
            let round = |shape: &[usize]| list(shape).replace('[', "(").replace(']', ")");
            value(format!(
                "For {name}, updates_shape = indices_shape[:-1] + x_shape[indices_shape[-1]:], but got \
                 x_shape: {}, indices_shape: {}, updates_shape: {}.",
                round(s.named(&["self"], 2)),
                round(s.named(&["index"], 1)),
                round(s.named(&["updates"], 0))
            ))
        }
        (S::Vector, _) => value(format!("For '{op}', the dimension of `index` must be 1, but got {}", index.len())),
        (S::BroadcastPair | S::InPlace, _) if named.len() >= 2 => {
            let (a, b) = (s.at(0), s.at(1));
            let (x, y) = match op {
                Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => ("input1", "input2"),
                Op::Where => ("condition", "input"),
                _ => ("input", "mask"),
            };
            // MindSpore counts from the end of either shape: rank plus the place in the shorter one.
            let place = (dim + a.len().min(b.len())).saturating_sub(a.len().max(b.len()));
            value(format!(
                "For '{name}', {x}.shape and {y}.shape need to broadcast. The value of {x}.shape[{}] or {y}.shape[{}] must \
                 be 1 or -1 when they are not the same, but got {x}.shape = {} and {y}.shape = {}",
                a.len() + place,
                b.len() + place,
                list(a),
                list(b)
            ))
        }
        (S::Broadcast, _) => value(format!(
            "For 'tensor getitem', x.shape and y.shape need to broadcast. The value of x.shape[{dim}] or y.shape[{dim}] must \
             be 1 or -1 when they are not the same, but got x.shape = {} and y.shape = {}",
            constant(s.at(0)),
            constant(s.at(1))
        )),
        (S::Mask, _) => value(format!(
            "The shape of index {}does not match the shape of the indexed data {} at dim index{dim}",
            constant(s.named(&["mask"], 0)),
            constant(s.named(&["array"], 1))
        )),
        (S::IndexedValue | S::ViewValue | S::ViewValueRank | S::Expand, _) if s.at(0).len() > s.at(1).len() => {
            value(format!(
                "For primitive [BroadcastTo]: input's rank should be less equal to the number of proposed_shape, but got \
                 {} and {}",
                s.at(0).len(),
                s.at(1).len()
            ))
        }
        (S::IndexedValue | S::ViewValue | S::ViewValueRank | S::Expand, _) => {
            let round = |shape: &[usize]| list(shape).replace('[', "(").replace(']', ")");
            value(format!(
                "For 'BroadcastTo', in order to broadcast, each dimension pair must be equal or input dimension is 1 or \
                 target dimension is -1. But got x_shape: {}, target shape: {}.",
                round(s.at(0)),
                round(s.at(1))
            ))
        }
        (S::TooMany, _) => {
            Some((Class::IndexError, format!("too many indices for tensor of dimension{}", s.at(0).len())))
        }
        (S::ZeroDimIndex, _) => Some((Class::TypeError, "Cannot iterate over a scalar tensor.".into())),
        (S::Sequence, _) => value(
            "For 'SearchSorted', the 'sorted_sequence' must be 1 dimensional or all dimensions except the last dimension of \
             'sorted_sequence' must be the same as all dimensions except the last dimension of 'values'."
                .into(),
        ),
        (S::Count, Op::IndexAdd(AddWay::Plain)) => value(format!(
            "For primitive[IndexAdd], the attribute[size of indices] must be equal to {}, but got {}.",
            s.named(&["source"], 1).get(dim).copied().unwrap_or(1),
            s.named(&["index"], 2).first().copied().unwrap_or(1)
        )),
        (S::ZeroDim, Op::Nonzero) => Some((Class::RuntimeError, "Launch kernel failed, name: NonZero".into())),
        _ => None,
    }
}

fn dtype(op: Op, rule: D, given: DType, wanted: Option<DType>, fault: &Fault) -> Phrase {
    let type_error = |text: String| Some((Class::TypeError, text));
    let wanted = mindspore_name(wanted.unwrap_or(given));
    let (name, given) = (primitive(op), mindspore_name(given));
    match (rule, op) {
        (D::Index, Op::Gather | Op::TakeAlongDim { flat: false }) => type_error(format!(
            "For primitive[GatherD], the input argument[index] must be a type of {{Tensor[Int32], Tensor[Int64]}}, but got \
             Tensor[{given}]."
        )),
        (D::Index, Op::Scatter | Op::ScatterAdd) => type_error(format!(
            "For primitive[TensorScatterElements], the input argument[indices type] must be a type of {{Tensor[Int32], \
             Tensor[Int64]}}, but got Tensor[{given}]."
        )),
        // int8 is an integer as well, but no kernel takes it.
        (D::Index, Op::Index | Op::SetItem | Op::IndexPut) if *given == *mindspore_name(DType::I8) => {
            as_class(Class::TypeError, fault)
        }
        (D::Index, Op::Index | Op::SetItem | Op::IndexPut) => {
            Some((Class::IndexError, "The tensor index must be int or bool type".into()))
        }
        (D::Index, Op::TensorScatter(_)) => type_error(format!(
            "For primitive[{name}], the input[indices type] supports types: Int32, Int64. But got {given}."
        )),
        (D::Mask, Op::MaskedFill) => type_error(format!(
            "For primitive[MaskedFill], the input argument[mask] must be a type of {{Bool}}, but got {given}."
        )),
        (D::Mask, _) => Some((Class::RuntimeError, format!("KernelMod Init Failed: {name}"))),
        (D::Same, Op::SearchSorted) => as_class(Class::RuntimeError, fault),
        (D::Same, Op::TensorScatter(Combine::Add)) => type_error(format!(
            "For TensorScatterAdd, input_x_type must equal to updates type, but got input_x_type: {wanted}, updates_type: {given}."
        )),
        (D::Same, _) => type_error(format!("For primitive[{name}], the input type must be same.")),
        (D::Unsupported, Op::Gather | Op::TakeAlongDim { flat: false }) => {
            type_error("Select CPU operator[GatherD] fail! Unsupported data type!".into())
        }
        _ => as_class(Class::TypeError, fault),
    }
}

fn argument(op: Op, rule: A, n: &[i64], text: &str) -> Phrase {
    let at = |i: usize| n.get(i).copied().unwrap_or(0);
    let value = |text: String| Some((Class::ValueError, text));
    match rule {
        A::ZeroStep => value("For 'StridedSlice', 'strides' cannot contain 0".into()),
        A::ManyEllipses => Some((Class::IndexError, "An index can only have a single ellipsis('...')".into())),
        A::FalseIndex => {
            Some((Class::IndexError, "When tensor is indexed by a bool object, the value only support 'True'.".into()))
        }
        A::BatchDims => value(format!(
            "For primitive[{}], the batch_dims must be in [{},{}), but got {}.",
            primitive(op),
            at(1),
            at(2),
            at(0)
        )),
        A::BatchNegative => Some((Class::RuntimeError, format!("The int64_t value({}) is less than 0.", at(0)))),
        A::AxisBeforeBatch => value(format!(
            "For primitive[Gather], the axis must be greater than or equal to {}, but got {}.",
            at(1),
            at(0)
        )),
        A::Side => value(format!(
            "For 'searchsorted', the argument 'side' should be one of in [None, 'left', 'right'], but got {text}."
        )),
        A::SideOpposesRight => value(
            "For 'searchsorted', side and right can't be set to opposites, got side of left while right was True."
                .into(),
        ),
        A::ShapeCount => value(format!(
            "proposed_shape '{}' is invalid for input of size {}",
            constant(n.get(1..).unwrap_or(&[])),
            at(0)
        )),
        _ => None,
    }
}
