//! NumPy's wording (texts as NumPy 2.4 gives them).

use super::phrase::{Phrase, Shapes, aligned};
use super::search;
use takewise::dtype::{DType, Scalar};
use takewise::error::tuple;
use takewise::error::{ArgumentRule as A, Class, DTypeRule as D, Fault, OutOfRange, Shape, ShapeRule as S};
use takewise::op::Op;

/// Class and text as NumPy gives them. `AxisError` is both an IndexError and a ValueError; IndexError is given.
pub fn numpy(fault: &Fault) -> Phrase {
    if let Some(words) = search::numpy(fault) {
        return Some(words);
    }
    match fault {
        Fault::OutOfRange(o) | Fault::IntOutOfRange(o) => Some(out_of_range(o)),
        Fault::Dim { dim, rank, .. } => {
            Some((Class::IndexError, format!("axis {dim} is out of bounds for array of dimension {rank}")))
        }
        Fault::Shape { op, rule, dim, shapes, .. } => shape(*op, *rule, *dim, shapes),
        Fault::DType { op, rule, given, wanted } => dtype(*op, *rule, *given, *wanted),
        Fault::Argument { op, rule, numbers, .. } => argument(*op, *rule, numbers),
        Fault::Scalar { value, dtype, .. } => scalar(*value, *dtype),
        Fault::Memory { bytes: Some(n), .. } => Some((Class::MemoryError, format!("Unable to allocate {n} bytes"))),
        Fault::Memory { bytes: None, .. } => Some((
            Class::ValueError,
            "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.".into(),
        )),
        _ => None,
    }
}

fn out_of_range(o: &OutOfRange) -> (Class, String) {
    let text = match (o.op, o.len) {
        (Op::Take, 0) => EMPTY_TAKE.into(),
        (Op::PutInPlace | Op::Put, 0) => EMPTY_PUT.into(),
        _ => format!("index {} is out of bounds for axis {} with size {}", o.value, o.axis, o.len),
    };
    (Class::IndexError, text)
}

const EMPTY_TAKE: &str = "cannot do a non-empty take from an empty axes.";
const EMPTY_PUT: &str = "cannot replace elements of an empty array";

#[expect(clippy::too_many_lines)] // a table
fn shape(op: Op, rule: S, dim: usize, named: &[(&'static str, Shape)]) -> Phrase {
    let s = Shapes(named);
    let index_error = |text: String| Some((Class::IndexError, text));
    let value = |text: String| Some((Class::ValueError, text));
    let all =
        |shapes: &[(&'static str, Shape)]| -> String { shapes.iter().map(|(_, s)| tuple(s) + " ").collect::<String>() };
    match rule {
        S::IndexRank => value("`indices` and `arr` must have the same number of dimensions".into()),
        S::Broadcast => index_error(format!(
            "shape mismatch: indexing arrays could not be broadcast together with shapes {}",
            all(named)
        )),
        S::BroadcastPair
            if matches!(
                op,
                Op::TakeAlongDim { flat: false } | Op::TakeAlongAxis | Op::PutAlongAxis | Op::Gather | Op::Scatter
            ) =>
        {
            // The index arrays NumPy builds: an arange along every axis but the indexed one.
            let (index, own) = (s.named(&["index"], 0), s.named(&["input", "self"], 1));
            let along = s.number("dim").unwrap_or(usize::MAX);
            let shapes: Vec<(&'static str, Shape)> = (0..own.len())
                .map(|k| {
                    let one = |d: usize| if d == k { own[k] } else { 1 };
                    let fancy: Shape =
                        if k == along { Shape::from_slice(index) } else { (0..own.len()).map(one).collect() };
                    ("index", fancy)
                })
                .collect();
            index_error(format!(
                "shape mismatch: indexing arrays could not be broadcast together with shapes {}",
                all(&shapes)
            ))
        }
        S::BroadcastPair => value(format!("operands could not be broadcast together with shapes {}", all(named))),
        S::ScalarValue if op == Op::SetItem => value("setting an array element with a sequence.".into()),
        S::IndexedValue => value(format!(
            "shape mismatch: value array of shape {} could not be broadcast to indexing result of shape {}",
            tuple(s.named(&["value", "values"], 0)),
            tuple(s.at(1))
        )),
        S::MaskValueRank => Some((
            Class::TypeError,
            format!(
                "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input has {} dimensions",
                s.at(0).len()
            ),
        )),
        S::MaskValueCount => value(format!(
            "NumPy boolean array indexing assignment cannot assign {} input values to the {} output values where the mask \
             is true",
            s.at(0).first().copied().unwrap_or(1),
            s.at(1).first().copied().unwrap_or(0)
        )),
        S::ViewValue | S::ViewValueRank => value(format!(
            "could not broadcast input array from shape {} into shape {}",
            tuple(fewest(s.at(0), s.at(1).len())),
            tuple(s.at(1))
        )),
        S::Mask => {
            let (mask, own) = (s.named(&["mask"], 0), s.named(&["array"], 1));
            let (axis, real) = (s.number("axis").unwrap_or(dim), s.number("real axis").unwrap_or(dim));
            index_error(format!(
                "boolean index did not match indexed array along axis {real}; size of axis is {} but size of corresponding \
                 boolean axis is {}",
                own.get(axis).copied().unwrap_or(0),
                mask.get(dim).copied().unwrap_or(0)
            ))
        }
        S::TooMany => index_error(too_many(s.at(0).len(), dim)),
        S::ZeroDimIndex => index_error(too_many(0, 1)),
        S::Vector => value("when axis=None, `indices` must have a single dimension.".into()),
        S::ZeroDim if op == Op::Nonzero => {
            value("Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead.".into())
        }
        S::EmptyAxis if matches!(op, Op::Put | Op::PutInPlace) => index_error(EMPTY_PUT.into()),
        S::EmptyAxis => index_error(EMPTY_TAKE.into()),
        S::Out => value(format!("output array does not match result of ndarray.{op}")),
        S::Expand => {
            let (shape, target) = (s.named(&["shape"], 0), s.named(&["target"], 1));
            if shape.len() > target.len() {
                return value("input operand has more dimensions than allowed by the axis remapping".into());
            }
            let lead = target.len() - shape.len();
            let remapped: Vec<String> = (0..target.len())
                .map(|d| if d < lead { "newaxis".into() } else { aligned(shape, d, target.len()).to_string() })
                .collect();
            let remapped = if lead == 0 { tuple(shape) } else { format!("{}->{}", tuple(shape), tuple(&remapped)) };
            value(format!(
                "operands could not be broadcast together with remapped shapes [original->remapped]: {remapped}  and \
                 requested shape {}",
                tuple(target)
            ))
        }
        _ => None,
    }
}

fn too_many(rank: usize, given: usize) -> String {
    format!("too many indices for array: array is {rank}-dimensional, but {given} were indexed")
}

fn dtype(op: Op, rule: D, given: DType, wanted: Option<DType>) -> Phrase {
    let cast = |from: DType, to: DType, how: &str| {
        let (from, to) = (from.name(), to.name());
        let text =
            format!("Cannot cast array data from dtype('{from}') to dtype('{to}') according to the rule '{how}'");
        Some((Class::TypeError, text))
    };
    match (rule, op) {
        (D::Index, Op::Take) => cast(given, DType::I64, "same_kind"),
        (D::Index, Op::Put | Op::PutInPlace) => cast(given, DType::I64, "safe"),
        (D::Index, Op::Index | Op::SetItem | Op::IndexPut) => {
            Some((Class::IndexError, "arrays used as indices must be of integer (or boolean) type".into()))
        }
        (D::Index, _) => Some((Class::IndexError, "`indices` must be an integer array".into())),
        (D::Out, _) => cast(given, wanted.unwrap_or(given), "safe"),
        (D::ComplexValue, _) => scalar(Scalar::Complex(0.0, 1.0), given),
        _ => None,
    }
}

fn scalar(value: Scalar, dtype: DType) -> Phrase {
    let overflow = |text: String| Some((Class::OverflowError, text));
    let whole = dtype.is_integer();
    match value {
        Scalar::Complex(..) if whole => Some((
            Class::TypeError,
            "int() argument must be a string, a bytes-like object or a real number, not 'complex'".into(),
        )),
        Scalar::Complex(..) => {
            Some((Class::TypeError, "float() argument must be a string or a real number, not 'complex'".into()))
        }
        Scalar::Float(f) if f.is_nan() => Some((Class::ValueError, "cannot convert float NaN to integer".into())),
        Scalar::Float(f) if f.is_infinite() => overflow("cannot convert float infinity to integer".into()),
        Scalar::Int(_) if !whole => overflow("int too large to convert to float".into()),
        Scalar::Int(v) => overflow(integer(v, dtype)),
        Scalar::Float(f) => overflow(integer(f.trunc() as i128, dtype)),
        Scalar::Bool(_) => None,
    }
}

fn integer(v: i128, dtype: DType) -> String {
    let wide = matches!(dtype, DType::U32 | DType::U64);
    let held = i64::try_from(v).is_ok() || (wide && u64::try_from(v).is_ok());
    if held {
        format!("Python integer {v} out of bounds for {}", dtype.name())
    } else {
        "Python int too large to convert to C long".into()
    }
}

fn argument(op: Op, rule: A, n: &[i64]) -> Phrase {
    let value = |text: String| Some((Class::ValueError, text));
    let shape = |from: usize| -> String {
        let parts: Vec<String> = n
            .get(from..)
            .unwrap_or(&[])
            .iter()
            .map(|v| if *v < 0 { "newaxis".into() } else { v.to_string() })
            .collect();
        tuple(&parts)
    };
    match rule {
        A::ZeroStep => value("slice step cannot be zero".into()),
        A::ManyEllipses => Some((Class::IndexError, "an index can only have a single ellipsis ('...')".into())),
        A::SameDiagonalDims => value("axis1 and axis2 cannot be the same".into()),
        A::PermuteDims => value("axes don't match array".into()),
        A::RepeatedDim => value("repeated axis in transpose".into()),
        A::InferTwice => value("can only specify one unknown dimension".into()),
        A::ShapeCount => {
            value(format!("cannot reshape array of size {} into shape {}", n.first().unwrap_or(&0), shape(1)))
        }
        A::MoveDims => value("`source` and `destination` arguments must have the same number of elements".into()),
        A::OneElement => value("can only convert an array of size 1 to a Python scalar".into()),
        A::ReadOnly if matches!(op, Op::Put | Op::PutInPlace) => value("put: output array is read-only".into()),
        A::ReadOnly if op == Op::Sort => value("sort array is read-only".into()),
        A::ReadOnly => value("assignment destination is read-only".into()),
        A::StridedRank => value("mismatch in length of strides and shape".into()),
        _ => None,
    }
}

/// A value's shape as NumPy prints it: without the leading ones that exceed the target's rank.
fn fewest(shape: &[usize], rank: usize) -> &[usize] {
    let surplus = shape.len().saturating_sub(rank);
    let ones = shape.iter().take(surplus).take_while(|n| **n == 1).count();
    &shape[ones..]
}
