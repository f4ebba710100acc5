//! MindSpore's `repr` and `str` of tensors (MindSpore 2.10).

use super::float::{general, special};
use super::numpy::numpy_str;
use super::sheet::{Place, Sheet, Style, truth};
use crate::words::mindspore_name;
use takewise::dtype::{DType, Scalar};
use takewise::view::AnyView;

static STYLE: Style = Style { separator: ", ", blank_lines: false, eager: true, dots_separated: false, row };

/// What `print(tensor)` shows: NumPy's `str`.
pub fn mindspore_str(view: &AnyView<'_>) -> String {
    numpy_str(view)
}

/// `repr(tensor)`: shape, dtype and values.
///
/// ```
/// use takewise::View;
/// use takewise_dialects::print::mindspore_repr;
/// assert_eq!(mindspore_repr(&View::from(&[1i32, -20][..]).any()), "Tensor(shape=[2], dtype=Int32, value= [  1, -20])");
/// ```
pub fn mindspore_repr(view: &AnyView<'_>) -> String {
    mindspore_repr_of(view, view.shape())
}

/// [`mindspore_repr`] of a tensor of that shape of which the view may hold no more than the ends.
pub(crate) fn mindspore_repr_of(view: &AnyView<'_>, shape: &[usize]) -> String {
    let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
    let gap = if view.rank() > 1 { '\n' } else { ' ' };
    format!(
        "Tensor(shape=[{}], dtype={}, value={gap}{})",
        extents.join(", "),
        mindspore_name(view.dtype()),
        contents(view, shape)
    )
}

fn contents(view: &AnyView<'_>, shape: &[usize]) -> String {
    let sheet = Sheet { shape, view, style: &STYLE };
    if view.numel() == 0 {
        return String::new();
    }
    let dtype = view.dtype();
    let per_line = if dtype == DType::Bool || matches!(dtype, DType::F16 | DType::F32 | DType::F64) { 12 } else { 24 };
    let place = Place { indent: 0, depth: 0, rank: view.rank(), width: 0, element: per_line };
    let bare = |v: Scalar| match v {
        Scalar::Bool(b) => truth(b).to_owned(),
        Scalar::Int(i) => i.to_string(),
        Scalar::Float(f) => general(f),
        Scalar::Complex(re, im) => {
            let plus = if im.is_sign_negative() { "" } else { "+" };
            format!("{}{plus}{}j", general(re), general(im))
        }
    };
    if view.rank() == 0 {
        return bare(sheet.number(&[]));
    }
    match dtype {
        other @ DType::Opaque { .. } => super::sheet::moved(other),
        DType::F16 => sheet.nest(place, &|v| wide(v, 11, 4)),
        DType::F32 | DType::F64 => sheet.nest(place, &|v| wide(v, 15, 8)),
        DType::C64 | DType::C128 => sheet.nest(place, &bare),
        DType::Bool => sheet.nest(place, &|v| format!("{:>5}", bare(v))),
        _ => {
            let width = sheet.numbers().into_iter().map(|v| bare(v).len()).max().unwrap_or(0);
            sheet.nest(place, &|v| format!("{:>width$}", bare(v)))
        }
    }
}

fn wide(v: Scalar, width: usize, precision: usize) -> String {
    let Scalar::Float(f) = v else { return String::new() };
    let text = match special(f) {
        Some(_) => general(f),
        None => super::float::scientific(f, precision),
    };
    format!("{text:>width$}")
}

/// A break after every so many elements of a vector; matrices never wrap.
fn row(words: &[Option<String>], place: Place, style: &Style) -> String {
    if let Some(gap) = words.iter().position(Option::is_none) {
        let side = |w: &[Option<String>]| w.iter().flatten().cloned().collect::<Vec<_>>().join(style.separator);
        return format!("{} ... {}", side(&words[..gap]), side(&words[gap + 1..]));
    }
    let mut out = String::new();
    for (k, word) in words.iter().flatten().enumerate() {
        out += word;
        if k + 1 < words.len() {
            out += style.separator;
        }
        if place.rank == 1 && words.len() > 3 && (k + 1) % place.element == 0 {
            out += "\n ";
        }
    }
    out
}
