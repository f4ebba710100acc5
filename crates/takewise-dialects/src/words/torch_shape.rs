//! torch's wording of shapes that do not fit and of malformed arguments.

use super::phrase::{Phrase, Shapes, aligned, torch_name, without_ones};
use super::torch::{kernel, nothing_in};
use takewise::dtype::DType;
use takewise::error::{ArgumentRule as A, Class, Shape, ShapeRule as S, list};
use takewise::layout::broadcast_shapes;
use takewise::op::Op;

#[expect(clippy::too_many_lines)] // a table
pub(super) fn shape(op: Op, rule: S, dim: usize, named: &[(&'static str, Shape)], dtype: Option<DType>) -> Phrase {
    let s = Shapes(named);
    let runtime = |text: String| Some((Class::RuntimeError, text));
    let index_error = |text: String| Some((Class::IndexError, text));
    let (index, own) = (s.named(&["index"], 0), s.named(&["self", "input", "array"], 1));
    let source = s.named(&["source", "value", "values"], 1);
    let along = s.number("dim").unwrap_or(dim);
    match (rule, op) {
        (S::IndexRank, Op::TakeAlongDim { flat: false }) => runtime(format!(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got {} dimensions \
             for input, and {} dimensions for indices",
            own.len(),
            index.len()
        )),
        (S::IndexRank, _) => {
            let of = if op == Op::Gather { "input" } else { "self" };
            runtime(format!("Index tensor must have the same number of dimensions as {of} tensor"))
        }
        (S::SourceRank, _) => runtime("Index tensor must have the same number of dimensions as src tensor".into()),
        (S::AtMost, Op::Gather) => runtime(format!(
            "Size does not match at dimension {dim} expected index {} to be no larger than self {} apart from dimension \
             {along}",
            list(index),
            list(own)
        )),
        (S::AtMost, _) => runtime(format!(
            "Expected index {} to be no larger than self {} apart from dimension {along}",
            list(index),
            list(own)
        )),
        (S::AtMostSource, _) => runtime(format!(
            "Expected index {} to be no larger than self {} apart from dimension {along} and to be no larger size than \
             src {}",
            list(index),
            list(own),
            list(source)
        )),
        (S::Broadcast, _) => {
            let shapes: Vec<String> = named.iter().map(|(_, s)| list(s)).collect();
            let shapes = shapes.join(", ");
            index_error(format!(
                "shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
            ))
        }
        (S::BroadcastPair, Op::MaskedScatter) if named.iter().any(|(n, _)| *n == "self") => {
            runtime(mask_expanded(own, s.named(&["mask"], 1)))
        }
        (S::BroadcastPair, Op::Where) => {
            // The condition meets the input, and what they give the other.
            let met = broadcast_shapes([s.at(0), s.at(1)]);
            let (a, b) = match &met {
                Ok(met) => (&met[..], s.named(&["other"], 2)),
                Err(_) => (s.at(0), s.at(1)),
            };
            runtime(pair(a, b, dim))
        }
        (S::BroadcastPair, _) => {
            let in_place = named.iter().any(|(n, _)| *n == "self");
            let (a, b) = match op {
                Op::TakeAlongDim { flat: false } => (own, index),
                Op::MaskedSelect | Op::MaskedFill | Op::MaskedScatter if !in_place => (s.named(&["mask"], 1), own),
                _ => (s.at(0), s.at(1)),
            };
            runtime(pair(a, b, dim))
        }
        (S::IndexedValue | S::MaskValueRank | S::MaskValueCount, _) => runtime(format!(
            "shape mismatch: value tensor of shape {} cannot be broadcast to indexing result of shape {}",
            list(if op == Op::IndexPut { s.at(0) } else { without_ones(s.at(0)) }),
            list(s.at(1))
        )),
        (S::ViewValue, _) => runtime(expanded(s.at(1), without_ones(s.at(0)))),
        (S::ViewValueRank, _) => runtime(sizes_provided(s.at(1), without_ones(s.at(0)), dtype)),
        (S::Expand, _) => {
            let (shape, target) = (s.named(&["shape"], 0), s.named(&["target"], 1));
            if shape.len() > target.len() {
                return runtime(sizes_provided(target, shape, dtype));
            }
            runtime(expanded(target, shape))
        }
        (S::Mask, _) => index_error(format!(
            "The shape of the mask {} at index {dim} does not match the shape of the indexed tensor {} at index {}",
            list(s.named(&["mask"], 0)),
            list(s.named(&["array"], 1)),
            s.number("axis").unwrap_or(dim)
        )),
        (S::TooMany, _) => {
            let given = s.number("given").or((op == Op::IndexPut).then_some(dim));
            let got = given.map(|n| format!(" (got {n})")).unwrap_or_default();
            let rank = s.named(&["array"], 0).len();
            index_error(format!("too many indices for tensor of dimension {rank}{got}"))
        }
        (S::NoIndices, _) => None,
        (S::Vector, Op::IndexSelect) => index_error("index_select(): Index is supposed to be a vector".into()),
        (S::Vector, Op::IndexCopy) => {
            index_error(format!("index_copy_(): Index should have dimension 1 or 0 (got {})", index_of(&s).len()))
        }
        (S::Vector, Op::IndexFill { subscript: false }) => runtime("Index has to be a vector/scalar".into()),
        (S::Vector, _) => index_error(format!(
            "{}(): Index is supposed to be a vector, but got dim: {} with type: {} and size: {}",
            kernel(op),
            index_of(&s).len(),
            torch_name(dtype.unwrap_or(DType::I64)),
            list(index_of(&s))
        )),
        (S::ScalarInput, Op::IndexCopy) => index_error(format!(
            "index_copy_(): When source is scalar, index should have one element (got {})",
            count(index_of(&s))
        )),
        (S::ScalarInput, _) => runtime(format!(
            "index_select(): Index to scalar can have only 1 value, got {} value(s)",
            count(index_of(&s))
        )),
        (S::Count, Op::IndexCopy) => index_error(format!(
            "index_copy_(): Number of indices ({}) should be equal to source.size(dim) ({})",
            count(index_of(&s)),
            source.get(along).copied().unwrap_or(1)
        )),
        (S::Count, _) if s.named(&["self"], 0).is_empty() => {
            index_error("Dimension specified as 0 but tensor has no dimensions".into())
        }
        (S::Count, _) => runtime(format!(
            "{}(): Number of indices ({}) should be equal to source.size(dim): ({}), for dim: {along}",
            kernel(op),
            count(index_of(&s)),
            source.get(along).copied().unwrap_or(1)
        )),
        (S::Slice, Op::IndexCopy) => {
            let off = |shape: &[usize]| -> String {
                let rest = shape.iter().enumerate().filter(|(k, _)| *k != along).map(|(_, n)| n.to_string());
                rest.collect::<Vec<_>>().join(" ")
            };
            runtime(format!(
                "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: {} at \
                 dimension {along} and source slice shape: {} at dimension 0.",
                off(s.named(&["self"], 0)),
                off(source)
            ))
        }
        (S::Slice, _) => {
            let (own, count) = (s.named(&["self"], 0), count(index_of(&s)));
            let extent = source.get(along).copied().unwrap_or(1);
            // torch compares the count first, and slices only of sources of the same rank.
            if source.len() != own.len() && !source.is_empty() && !own.is_empty() && extent != count {
                return shape(op, S::Count, dim, named, dtype);
            }
            runtime(format!(
                "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = {} \
                 source.shape = {}",
                list(own),
                list(source)
            ))
        }
        (S::ScalarSource, _) => index_error(format!(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source \
             dimensionality ({}), destination dimensionality ({})",
            source.len(),
            s.named(&["self"], 0).len()
        )),
        (S::Elements, _) => index_error(format!(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = {}, \
             index.numel() = {}",
            count(s.named(&["source"], 0)),
            count(s.named(&["index"], 1))
        )),
        (S::TooFew, _) => runtime("Number of elements of source < number of ones in mask".into()),
        (S::ScalarValue, _) => runtime(format!(
            "{} only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).",
            if op == Op::MaskedFill { "masked_fill_" } else { "index_fill_" },
            s.at(0).len()
        )),
        (S::InPlace, Op::MaskedScatter) => runtime(mask_expanded(own, s.named(&["mask"], 1))),
        (S::InPlace, _) => runtime(format!(
            "output with shape {} doesn't match the broadcast shape {}",
            list(s.named(&["self"], 0)),
            list(s.at(1))
        )),
        (S::Replace, _) => runtime(format!(
            "expected src to have a size equal to the slice of self. src size = {}, slice size = {}",
            list(s.at(0)),
            list(s.at(1))
        )),
        (S::EmptyAxis, Op::Take | Op::PutInPlace) => index_error(nothing_in(op).into()),
        (S::EmptyAxis, Op::TakeAlongDim { flat: false }) => runtime("ZeroDivisionError".into()),
        (S::EmptyAxis, Op::IndexSelect) if s.at(0).len() == 1 => index_error("index out of range in self".into()),
        (S::EmptyAxis, Op::IndexSelect) => runtime("index_select(): self indexing axis dim should be positive".into()),
        (S::EmptyAxis, _) => index_error("index is out of bounds for dimension with size 0".into()),
        (S::ZeroDim, Op::Narrow) => runtime("narrow() cannot be applied to a 0-dim tensor.".into()),
        (S::ZeroDim, Op::Select | Op::SelectScatter) => {
            index_error("select() cannot be applied to a 0-dim tensor.".into())
        }
        (S::ZeroDim, _) => index_error("slice() cannot be applied to a 0-dim tensor.".into()),
        (S::ZeroDimIndex, _) if dim == 1 => index_error("slice() cannot be applied to a 0-dim tensor.".into()),
        (S::ZeroDimIndex, _) if s.number("minus").or(s.number("value")).is_some_and(|v| v != 0) => {
            let sign = if s.number("minus").is_some() { "-" } else { "" };
            let value = s.number("minus").or(s.number("value")).unwrap_or(0);
            index_error(format!("index {sign}{value} is out of bounds for dimension 0 with size 0"))
        }
        (S::ZeroDimIndex, _) => index_error(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a \
             0-dim tensor to a number"
                .into(),
        ),
        _ => None,
    }
}

fn index_of<'a>(s: &Shapes<'a>) -> &'a [usize] {
    s.named(&["index"], 0)
}

fn count(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// Two shapes that do not broadcast at an axis of the result.
fn pair(a: &[usize], b: &[usize], dim: usize) -> String {
    let rank = a.len().max(b.len());
    format!(
        "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {dim}",
        aligned(a, dim, rank),
        aligned(b, dim, rank)
    )
}

/// The text of a mask that does not expand.
fn mask_expanded(target: &[usize], mask: &[usize]) -> String {
    if mask.len() > target.len() { sizes_provided(target, mask, Some(DType::Bool)) } else { expanded(target, mask) }
}

/// The text of an expand that does not fit, about the last axis that does not.
fn expanded(target: &[usize], shape: &[usize]) -> String {
    let numbers: Vec<i64> = target.iter().map(|n| *n as i64).collect();
    let lead = target.len().saturating_sub(shape.len());
    let differs = |d: &usize| *d >= lead && shape[*d - lead] != 1 && shape[*d - lead] != target[*d];
    let d = (0..target.len()).rev().find(differs).unwrap_or(0);
    existing(&numbers, d, shape.get(d - lead.min(d)).copied().unwrap_or(1) as i64, &list(shape))
}

fn existing(target: &[i64], d: usize, size: i64, shape: &str) -> String {
    format!(
        "The expanded size of the tensor ({}) must match the existing size ({size}) at non-singleton dimension {d}.  \
         Target sizes: {}.  Tensor sizes: {shape}",
        target.get(d).copied().unwrap_or(0),
        list(target)
    )
}

fn sizes_provided(target: &[usize], shape: &[usize], dtype: Option<DType>) -> String {
    provided(&list(target), target.len(), &list(shape), shape.len(), dtype)
}

fn provided(target: &str, given: usize, shape: &str, rank: usize, dtype: Option<DType>) -> String {
    let dtype = dtype.unwrap_or(DType::F32);
    let name = torch_name(dtype);
    // Only the oldest dtypes have a class of their own.
    let class = match dtype {
        d if d == DType::Bool || d == DType::BF16 || d.is_complex() => format!("CPU{name}Type"),
        DType::U16 | DType::U32 | DType::U64 => format!("CPU{name}Type"),
        _ => format!("torch.{name}Tensor"),
    };
    format!(
        "expand({class}{{{shape}}}, size={target}): the number of sizes provided ({given}) must be greater or \
         equal to the number of dimensions in the tensor ({rank})"
    )
}

pub(super) fn argument(op: Op, rule: A, n: &[i64], text: &str) -> Phrase {
    let runtime = |text: String| Some((Class::RuntimeError, text));
    let value = |text: &str| Some((Class::ValueError, text.to_owned()));
    let at = |i: usize| n.get(i).copied().unwrap_or(0);
    let rest = |i: usize| list(n.get(i..).unwrap_or(&[]));
    match rule {
        A::ZeroStep | A::NegativeStep if op == Op::SliceScatter => runtime("slice step must be positive".into()),
        A::ZeroStep => value("slice step cannot be zero"),
        A::NegativeStep => value("step must be greater than zero"),
        A::Reduce => runtime(format!("reduce argument must be either sum, prod, mean, amax or amin, got {text}")),
        A::ReduceScatter => runtime("reduce argument must be either add or multiply.".into()),
        A::ReduceIndex => {
            runtime(format!("index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {text}."))
        }
        A::SameDiagonalDims => runtime(format!("diagonal dimensions cannot be identical {}, {}", at(0), at(1))),
        A::NarrowStart => Some((
            Class::IndexError,
            format!("start out of range (expected to be in range of [{}, {}], but got {})", -at(1), at(1), at(0)),
        )),
        A::NarrowLength => runtime("narrow(): length must be non-negative.".into()),
        A::NarrowEnd => runtime(format!("start ({}) + length ({}) exceeds dimension size ({}).", at(0), at(1), at(2))),
        A::UnfoldSize => {
            runtime(format!("maximum size for tensor at dimension {} is {} but size is {}", at(2), at(1), at(0)))
        }
        A::UnfoldSizeNegative => runtime(format!("size is {} but must be >= 0", at(0))),
        A::UnfoldStep => runtime(format!("step is {} but must be > 0", at(0))),
        A::StridedNegative => {
            runtime(format!("as_strided: Negative strides are not supported at the moment, got strides: {}", list(n)))
        }
        A::StridedStorage => runtime(format!("setStorage: {text}")),
        A::StridedRank => runtime("mismatch in length of strides and shape".into()),
        A::PermuteDims => runtime(format!(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired \
             ordering of dimensions i.e. input.dim() = {} is not equal to len(dims) = {}",
            at(0),
            at(1)
        )),
        A::RepeatedDim if op == Op::Permute => runtime("permute(): duplicate dims are not allowed.".into()),
        A::RepeatedDim => runtime(format!("dim {} appears multiple times in the list of dims", at(0))),
        A::RankAbove => runtime(format!("t() expects a tensor with <= {} dimensions, but self is {}D", at(1), at(0))),
        A::InferTwice => runtime("only one dimension can be inferred".into()),
        A::InferAmbiguous => runtime(format!(
            "cannot reshape tensor of 0 elements into shape {} because the unspecified dimension size -1 can be any value \
             and is ambiguous",
            list(n)
        )),
        A::NegativeExtent if op == Op::Expand => None,
        A::NegativeExtent => {
            runtime(format!("invalid shape dimension {} at index {} of shape {}", at(0), at(1), rest(2)))
        }
        A::ShapeCount => runtime(format!("shape '{}' is invalid for input of size {}", rest(1), at(0))),
        A::ViewStrides => runtime(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two \
             contiguous subspaces). Use .reshape(...) instead."
                .into(),
        ),
        A::ExpandSize => {
            let (d, target) = (at(0) as usize, n.get(1..).unwrap_or(&[]));
            let sizes: Vec<i64> =
                text.trim_matches(['[', ']']).split(", ").filter_map(|part| part.parse().ok()).collect();
            let lead = target.len().saturating_sub(sizes.len());
            let size = d.checked_sub(lead).and_then(|k| sizes.get(k)).copied().unwrap_or(1);
            runtime(existing(target, d, size, text))
        }
        A::ExpandLeading => runtime(format!(
            "The expanded size of the tensor ({}) isn't allowed in a leading, non-existing dimension {}",
            at(0),
            at(1)
        )),
        A::ExpandRank => {
            let rank = if text == "[]" { 0 } else { text.split(", ").count() };
            runtime(provided(&list(n), n.len(), text, rank, None))
        }
        A::OneElement => runtime(format!("a Tensor with {} elements cannot be converted to Scalar", at(0))),
        _ => None,
    }
}
