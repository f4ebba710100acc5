//! The libraries' wording of sorted searches and sorts.

use super::phrase::{Phrase, promotion, torch_name};
use takewise::dtype::DType;
use takewise::error::{ArgumentRule as A, Class, DTypeRule as D, Fault, ShapeRule as S, list};
use takewise::op::Op;

/// torch's class and text, for faults of `searchsorted`, `bucketize`, `sort` and `argsort`.
pub(super) fn torch(fault: &Fault) -> Phrase {
    match fault.op() {
        Op::SearchSorted | Op::Bucketize => torch_search(fault),
        Op::Sort | Op::ArgSort => match fault {
            Fault::DType { rule: D::Unsupported, given, .. } if given.is_complex() || given.name() == "complex32" => {
                Some((Class::TypeError, " Sort does not support complex dtypes on CPU".into()))
            }
            _ => None,
        },
        _ => None,
    }
}

fn torch_search(fault: &Fault) -> Phrase {
    let text = match fault {
        Fault::Shape { rule, shapes, .. } => {
            let shape = |k: usize| shapes.get(k).map_or(&[][..], |(_, s)| s);
            let (first, second) = (shape(0), shape(1));
            match rule {
                S::Boundaries => return Some((Class::RuntimeError, boundaries(first.len()))),
                S::Sequence => format!(
                    "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and \
                     input value tensor must match, but we got boundaries tensor {} and input value tensor {}",
                    list(first),
                    list(second)
                ),
                S::SequenceScalar => format!(
                    "input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries \
                     tensor dim({}) and input value's dim({}) numel({})",
                    first.len(),
                    second.len(),
                    second.iter().product::<usize>()
                ),
                S::ZeroDim => "boundaries tensor should have positive dimension, but got 0 dimension".into(),
                S::Sorter => format!(
                    "boundary and sorter must have the same size, but got boundary tensor {}and got sorter tensor {}",
                    list(first),
                    list(second)
                ),
                _ => return None,
            }
        }
        Fault::DType { rule: D::Unsupported, given, .. } => {
            let text = format!("\"searchsorted_out_cpu\" not implemented for '{}'", torch_name(*given));
            return Some((Class::NotImplementedError, text));
        }
        Fault::DType { rule: D::Promotion, given, wanted: Some(other), .. } => {
            return Some((Class::RuntimeError, promotion(*given, *other)));
        }
        Fault::DType { rule: D::Sorter, given, .. } => {
            format!("sorter must be a tensor of long dtype but got dtype {}", torch_name(*given))
        }
        Fault::DType { rule: D::Out, given, wanted, .. } => format!(
            "output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on whether out_int32 \
             flag is True, but we got output tensor's dtype {} and out_int32 flag is {}",
            torch_name(*given),
            if *wanted == Some(DType::I32) { "True" } else { "False" }
        ),
        Fault::Argument { rule, numbers, text, .. } => match rule {
            A::Side => format!("side can only be 'left' or 'right' but got {text}"),
            A::SideOpposesRight => {
                format!("side and right can't be set to opposites, got side of {text} while right was True")
            }
            A::SorterRange => "sorter index out of range".into(),
            A::TooManyForInt32 => format!(
                "the size of boundaries' last dimension should be less than 2147483647, but we got {}",
                numbers.first().copied().unwrap_or(0)
            ),
            _ => return None,
        },
        _ => return None,
    };
    Some((Class::RuntimeError, format!("torch.searchsorted(): {text}")))
}

fn boundaries(rank: usize) -> String {
    format!("boundaries tensor must be 1 dimension, but got dim({rank})")
}

/// NumPy's class and text, for faults of `searchsorted` and `digitize`.
pub(super) fn numpy(fault: &Fault) -> Phrase {
    if !matches!(fault.op(), Op::SearchSorted | Op::Digitize) {
        return None;
    }
    let text = match fault {
        Fault::Shape { rule: S::Boundaries | S::SequenceScalar | S::ZeroDim, shapes, .. } => {
            match shapes.first().map_or(0, |(_, s)| s.len()) {
                0 => "object of too small depth for desired array",
                _ => "object too deep for desired array",
            }
            .into()
        }
        Fault::Shape { rule: S::Sorter, .. } => "sorter.size must equal a.size".into(),
        Fault::DType { rule: D::Sorter, .. } => {
            return Some((Class::TypeError, "sorter must only contain integers".into()));
        }
        Fault::DType { op: Op::Digitize, rule: D::Unsupported, given, .. } if given.is_complex() => {
            return Some((Class::TypeError, "x may not be complex".into()));
        }
        Fault::Argument { rule: A::Side, text, .. } if ["left", "right"].contains(&text.to_lowercase().as_str()) => {
            "search side must be one of 'left' or 'right'".into()
        }
        Fault::Argument { rule: A::Side, text, .. } => {
            format!("search side must be 'left' or 'right' (got '{text}')")
        }
        Fault::Argument { rule: A::SorterRange, .. } => "Sorter index out of range.".into(),
        Fault::Argument { rule: A::Monotonic, .. } => "bins must be monotonically increasing or decreasing".into(),
        _ => return None,
    };
    Some((Class::ValueError, text))
}
