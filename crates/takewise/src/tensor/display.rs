//! Tensors as text, for people who look at one. How a library prints its own is the dialects' business.

use super::Tensor;
use crate::dtype::{DType, Scalar};
use crate::error::list;
use crate::layout::Dims;
use crate::values::number::element_scalar;
use crate::view::AnyView;
use std::fmt;

/// Arrays of more elements than this show the ends of their axes alone.
const THRESHOLD: usize = 1000;

/// As many elements of either end are shown then.
const EDGE: usize = 3;

/// The elements in nested brackets, and the dtype.
///
/// ```
/// use takewise::Tensor;
/// let x = Tensor::from_slice(&[1.0f32, -2.5], &[1, 2])?;
/// assert_eq!(x.to_string(), "tensor([[1.0, -2.5]], float32)");
/// # Ok::<(), takewise::Error>(())
/// ```
impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shape, dtype) = (list(self.shape()), self.dtype().name());
        match self.read_any() {
            Ok(open) if self.numel() > 0 => write!(f, "tensor({}, {dtype})", nested(&open.view())),
            Ok(_) => write!(f, "tensor([], shape {shape}, {dtype})"),
            Err(_) => write!(f, "tensor(<being written>, shape {shape}, {dtype})"),
        }
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The nested brackets. Not by recursion: an array may have more axes than there is stack for.
fn nested(view: &AnyView<'_>) -> String {
    let rank = view.rank();
    if rank == 0 {
        return element(view, &[]);
    }
    let shown = |axis: usize| -> std::vec::IntoIter<Option<usize>> {
        let n = view.shape()[axis];
        let places: Vec<Option<usize>> = match view.numel() > THRESHOLD && n > 2 * EDGE {
            true => (0..EDGE).map(Some).chain([None]).chain((n - EDGE..n).map(Some)).collect(),
            false => (0..n).map(Some).collect(),
        };
        places.into_iter()
    };
    let (mut out, mut at, mut open) = (String::from("["), Dims::<usize>::new(), vec![shown(0)]);
    while let Some(block) = open.last_mut() {
        let next = block.next();
        let depth = open.len();
        if next.is_some() && !out.ends_with('[') {
            out += ", ";
            if depth < rank {
                out = format!("{}\n{}", out.trim_end(), " ".repeat("tensor(".len() + depth));
            }
        }
        match next {
            None => {
                out += "]";
                open.pop();
            }
            Some(None) => out += "...",
            Some(Some(i)) => {
                at.truncate(depth - 1);
                at.push(i);
                if depth == rank {
                    out += &element(view, &at);
                } else {
                    out += "[";
                    open.push(shown(depth));
                }
            }
        }
    }
    out
}

/// One element: a number with the digits its dtype tells apart; what can only be moved by its size.
fn element(view: &AnyView<'_>, at: &[usize]) -> String {
    let dtype = view.dtype();
    match element_scalar(&view.bytes_at(at).unwrap_or_default(), dtype) {
        Some(Scalar::Float(x)) if dtype != DType::F64 => format!("{:?}", x as f32),
        Some(number) => number.to_string(),
        None => format!("<{} bytes>", dtype.size()),
    }
}
