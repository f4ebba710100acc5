//! JAX's wording, for what its default rules still refuse (texts as JAX 0.10 gives them).

use super::phrase::{Phrase, Shapes};
use takewise::dtype::DType;
use takewise::error::{ArgumentRule as A, Class, DTypeRule as D, Fault, Shape, ShapeRule as S};
use takewise::op::Op;

/// Class and text as JAX gives them; `None` where it has no words of its own.
pub fn jax(fault: &Fault) -> Phrase {
    match fault {
        Fault::IntOutOfRange(o) if o.len == 0 => {
            Some((Class::IndexError, format!("index is out of bounds for axis {} with size 0", o.axis)))
        }
        Fault::Dim { dim, rank, .. } => {
            Some((Class::ValueError, format!("axis {dim} is out of bounds for array of dimension {rank}")))
        }
        Fault::Shape { rule: S::IndexedValue | S::ViewValue | S::ViewValueRank, shapes, dtype: Some(d), .. } => {
            let s = Shapes(shapes);
            let (value, target) = (typed(*d, s.at(0)), typed(*d, s.at(1)));
            let text = format!("Incompatible types for broadcasting: input type={value} and requested type={target}");
            Some((Class::ValueError, text))
        }
        Fault::Shape { op, rule, dim, shapes, .. } => shape(*op, *rule, *dim, shapes),
        Fault::DType { op, rule: D::Index, given, .. } => index_dtype(*op, *given),
        Fault::DType { rule: D::Promotion, given, wanted: Some(other), .. } => {
            let mut names = [given.name(), other.name()];
            if names[0] > names[1] {
                names.swap(0, 1);
            }
            let text = format!(
                "Input dtypes ('{}', '{}') have no available implicit dtype promotion path. If you'd like your inputs to be \
                 promoted to another type, you can do so explicitly using e.g. x.astype('float32')",
                names[0], names[1]
            );
            Some((Class::ValueError, text))
        }
        Fault::Argument { rule, text, .. } => match rule {
            A::ManyEllipses => Some((Class::IndexError, "an index can only have a single ellipsis ('...')".into())),
            A::ZeroStep => Some((Class::ValueError, "slice step cannot be zero".into())),
            A::Side => Some((Class::ValueError, format!("invalid argument side='{text}', expected 'left' or 'right'"))),
            _ => None,
        },
        _ => None,
    }
}

/// A shape as Python prints a tuple.
fn tuple(shape: &[usize]) -> String {
    match shape {
        [n] => format!("({n},)"),
        many => format!("({})", many.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// A shape as XLA writes a type: `float32[2,3]`.
fn typed(dtype: DType, shape: &[usize]) -> String {
    format!("{}[{}]", dtype.name(), shape.iter().map(usize::to_string).collect::<Vec<_>>().join(","))
}

fn index_dtype(op: Op, given: DType) -> Phrase {
    match op {
        Op::Take => Some((Class::ValueError, "indices must have an integer type".into())),
        Op::TakeAlongDim { flat: false } | Op::TakeAlongDim { flat: true } | Op::TakeAlongAxis => {
            Some((Class::TypeError, format!("take_along_axis indices must be of integer type, got {}", given.name())))
        }
        _ => None,
    }
}

fn shape(op: Op, rule: S, dim: usize, named: &[(&'static str, Shape)]) -> Phrase {
    let s = Shapes(named);
    let value = |text: String| Some((Class::ValueError, text));
    let index = |text: String| Some((Class::IndexError, text));
    let all = || named.iter().map(|(_, s)| tuple(s)).collect::<Vec<_>>().join(", ");
    match rule {
        S::Broadcast | S::BroadcastPair => value(format!("Incompatible shapes for broadcasting: shapes=[{}]", all())),
        S::EmptyAxis if op == Op::Index => Some((
            Class::TypeError,
            format!("Slice size at index {dim} in gather op is out of range, must be within [0, 0 + 1), got 1."),
        )),
        S::TooMany => {
            index(format!("Too many indices: array is {}-dimensional, but {dim} were indexed", s.at(0).len()))
        }
        S::ZeroDimIndex => index("Too many indices: array is 0-dimensional, but 1 were indexed".into()),
        S::Mask => {
            let (mask, own) = (s.named(&["mask"], 0), s.named(&["array"], 1));
            let axis = s.number("axis").unwrap_or(dim).saturating_sub(dim);
            let covered: Vec<String> = own.iter().skip(axis).take(mask.len()).map(usize::to_string).collect();
            index(format!(
                "boolean index did not match shape of indexed array in index {axis}: got {}, expected [{}]",
                tuple(mask),
                covered.join(", ")
            ))
        }
        S::IndexRank => value(format!(
            "indices and arr must have the same number of dimensions; {} vs. {}",
            s.named(&["index"], 0).len(),
            s.named(&["input", "self"], 1).len()
        )),
        S::ZeroDim if op == Op::Nonzero => {
            value("Calling nonzero on 0d arrays is not allowed. Use jnp.atleast_1d(scalar).nonzero() instead.".into())
        }
        S::Boundaries | S::Sequence | S::SequenceScalar if op == Op::SearchSorted => {
            value("a should be 1-dimensional".into())
        }
        _ => None,
    }
}
