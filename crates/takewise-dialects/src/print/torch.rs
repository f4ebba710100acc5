//! torch's `repr` (SEMANTICS.md, Printing).

use super::float::{fixed, scientific};
use super::sheet::{Place, Sheet, Style, truth, tuple};
use takewise::Result;
use takewise::dtype::{DType, Scalar};
use takewise::grad::SparseCoo;
use takewise::view::AnyView;

static STYLE: Style = Style { separator: ", ", blank_lines: true, eager: false, dots_separated: true, row };

const PRECISION: usize = 4;
const LINE: usize = 80;
const PREFIX: &str = "tensor(";

/// The text `repr(tensor)` and `print(tensor)` give.
///
/// ```
/// use takewise::View;
/// use takewise_dialects::print::torch_repr;
/// assert_eq!(torch_repr(&View::from(&[1i32, -20][..]).any()), "tensor([  1, -20], dtype=torch.int32)");
/// ```
pub fn torch_repr(view: &AnyView<'_>) -> String {
    torch_repr_with(view, &[])
}

/// [`torch_repr`] with further suffixes, such as `requires_grad=True` or `grad_fn=<IndexBackward0>`.
pub fn torch_repr_with(view: &AnyView<'_>, more: &[String]) -> String {
    torch_repr_of(view, view.shape(), more)
}

/// [`torch_repr_with`] of a tensor of that shape of which the view may hold no more than the ends.
pub(crate) fn torch_repr_of(view: &AnyView<'_>, shape: &[usize], more: &[String]) -> String {
    let mut suffixes = Vec::new();
    let usual = matches!(view.dtype(), DType::F32 | DType::C64 | DType::I64 | DType::Bool);
    if view.numel() == 0 {
        if view.rank() != 1 {
            suffixes.push(format!("size={}", tuple(view.shape())));
        }
        if view.dtype() != DType::F32 {
            suffixes.push(dtype(view.dtype()));
        }
    } else if !usual {
        suffixes.push(dtype(view.dtype()));
    }
    suffixes.extend_from_slice(more);
    finish(format!("{PREFIX}{}", contents(view, shape, PREFIX.len())), &suffixes, false)
}

/// The text of a sparse COO tensor: indices of shape (sparse rank, nnz), values, and its size.
pub fn torch_sparse_repr(indices: &AnyView<'_>, values: &AnyView<'_>, size: &[usize], more: &[String]) -> String {
    let part = |name: &str, v: &AnyView<'_>| {
        let prefix = format!("{name}=tensor(");
        let empty = if v.numel() == 0 { format!(", size={}", tuple(v.shape())) } else { String::new() };
        format!("{prefix}{}{empty})", contents(v, v.shape(), PREFIX.len() + prefix.len()))
    };
    let gap = " ".repeat(PREFIX.len());
    let text = format!("{PREFIX}{},\n{gap}{}", part("indices", indices), part("values", values));
    let nnz = indices.shape().last().copied().unwrap_or(0);
    let mut suffixes = vec![format!("size={}", tuple(size)), format!("nnz={nnz}")];
    if !matches!(values.dtype(), DType::F32 | DType::C64 | DType::I64 | DType::Bool) {
        suffixes.push(dtype(values.dtype()));
    }
    suffixes.push("layout=torch.sparse_coo".into());
    suffixes.extend_from_slice(more);
    finish(text, &suffixes, true)
}

/// [`torch_sparse_repr`] of such a tensor itself.
///
/// Error: kind `Busy` while another call writes the data.
pub fn torch_coo_repr(sparse: &SparseCoo) -> Result<String> {
    let (i, v) = (sparse.indices().read_any()?, sparse.values().read_any()?);
    Ok(torch_sparse_repr(&i.view(), &v.view(), sparse.shape(), &[]))
}

fn dtype(d: DType) -> String {
    let module = if crate::texts::is_text(d) { "" } else { "torch." };
    format!("dtype={module}{}", d.name())
}

/// Appends suffixes, each on the line so far if it fits, and closes the bracket.
fn finish(mut text: String, suffixes: &[String], mut new_line: bool) -> String {
    let last = text.rsplit('\n').next().map_or(0, |l| l.chars().count());
    let mut length = last + 2;
    for s in suffixes {
        if new_line || length + s.len() + 2 > LINE {
            text += &format!(",\n{}{s}", " ".repeat(PREFIX.len()));
            length = PREFIX.len() + s.len();
            new_line = false;
        } else {
            text += &format!(", {s}");
            length += s.len() + 2;
        }
    }
    text + ")"
}

fn contents(view: &AnyView<'_>, shape: &[usize], indent: usize) -> String {
    if view.numel() == 0 {
        return "[]".into();
    }
    let sheet = Sheet { shape, view, style: &STYLE };
    let numbers = sheet.numbers();
    let place = |element| Place { indent, depth: 0, rank: view.rank(), width: LINE, element };
    match view.dtype() {
        DType::Opaque { .. } => super::sheet::words(&sheet, place(8)),
        d if d.is_complex() => {
            let (re, im): (Vec<f64>, Vec<f64>) = numbers.into_iter().map(parts).unzip();
            let (re, im) = (TorchFloats::new(&re), TorchFloats::new(&im));
            sheet.nest(place(re.width + im.width + 3), &|v| {
                let (a, b) = parts(v);
                let imag = format!("{}j", im.text(b).trim_start());
                let plus = if imag.starts_with(['+', '-']) { "" } else { "+" };
                format!("{}{plus}{imag}", re.padded(a))
            })
        }
        d if d.is_float() => {
            let values: Vec<f64> = numbers.into_iter().map(|v| parts(v).0).collect();
            let f = TorchFloats::new(&values);
            sheet.nest(place(f.width + 2), &|v| f.padded(parts(v).0))
        }
        _ => {
            let width = numbers.iter().map(|v| plain(*v).len()).max().unwrap_or(1);
            sheet.nest(place(width + 2), &|v| format!("{:>width$}", plain(v)))
        }
    }
}

fn plain(v: Scalar) -> String {
    match v {
        Scalar::Bool(b) => truth(b).into(),
        Scalar::Int(i) => i.to_string(),
        Scalar::Float(f) | Scalar::Complex(f, _) => f.to_string(),
    }
}

fn parts(v: Scalar) -> (f64, f64) {
    match v {
        Scalar::Bool(b) => (b as u8 as f64, 0.0),
        Scalar::Int(i) => (i as f64, 0.0),
        Scalar::Float(f) => (f, 0.0),
        Scalar::Complex(re, im) => (re, im),
    }
}

/// How the floats of one tensor are rendered: decided by the finite non-zero ones among those shown.
struct TorchFloats {
    integral: bool,
    scientific: bool,
    width: usize,
}

impl TorchFloats {
    fn new(values: &[f64]) -> TorchFloats {
        let counted = || values.iter().copied().filter(|v| v.is_finite() && *v != 0.0);
        let (low, high) = counted().fold((f64::INFINITY, 0.0f64), |(l, h), v| (l.min(v.abs()), h.max(v.abs())));
        let mut f = TorchFloats { integral: counted().all(|v| v == v.ceil()), scientific: false, width: 1 };
        if low.is_finite() {
            f.scientific = high / low > 1000.0 || high > 1e8 || low < 1e-4;
            f.width = counted().map(|v| f.text(v).len()).max().unwrap_or(1);
        }
        f
    }

    fn text(&self, v: f64) -> String {
        if self.scientific {
            scientific(v, PRECISION)
        } else if self.integral {
            let point = if v.is_finite() { "." } else { "" };
            fixed(v, 0) + point
        } else {
            fixed(v, PRECISION)
        }
    }

    fn padded(&self, v: f64) -> String {
        format!("{:>1$}", self.text(v), self.width)
    }
}

/// A fixed number of elements per line, whatever their actual width.
fn row(words: &[Option<String>], place: Place, style: &Style) -> String {
    let indent = place.indent + place.depth - 1;
    let per_line = (place.width.saturating_sub(indent) / place.element.max(1)).max(1);
    let words: Vec<&str> = words.iter().map(|w| w.as_deref().unwrap_or(" ...")).collect();
    let lines: Vec<String> = words.chunks(per_line).map(|line| line.join(style.separator)).collect();
    lines.join(&format!(",\n{}", " ".repeat(indent + 1)))
}
