//! Text of fixed width, as NumPy has it in arrays, and dates: in which order they are and which are equal, for a program without
//! NumPy to ask.

use std::cmp::Ordering;

use takewise::error::DTypeRule;
use takewise::foreign::{Library, full_name};
use takewise::op::Op;
use takewise::ops::compare::Relation;
use takewise::{AnyView, AnyViewMut, DType, Error, Fault, Result, Scalar, Tensor};

use crate::run::bytes::{bytes_of, put_bytes, tensor_from_bytes};
use crate::value::Value;

/// How many characters an element has of a dtype of text in this machine's byte order: five of `<U5`.
fn width(dtype: DType) -> Option<usize> {
    let width: usize = full_name(dtype)?.strip_prefix(ORDER)?.strip_prefix('U')?.parse().ok()?;
    (width.checked_mul(4) == Some(dtype.size())).then_some(width)
}

const ORDER: char = if cfg!(target_endian = "big") { '>' } else { '<' };

/// Whether elements are text.
pub fn is_text(dtype: DType) -> bool {
    // The page has no text, and its engine is small.
    !cfg!(target_family = "wasm") && width(dtype).is_some()
}

/// The elements of an array of text.
struct Texts {
    /// Characters, and zeros behind those of a text that is shorter than others.
    units: Vec<u32>,
    width: usize,
}

impl Texts {
    fn of(view: &AnyView<'_>) -> Option<Self> {
        let width = width(view.dtype())?;
        let units = bytes_of(view).chunks_exact(4).map(|c| u32::from_ne_bytes([c[0], c[1], c[2], c[3]])).collect();
        Some(Self { units, width })
    }

    fn all(&self) -> impl Iterator<Item = &[u32]> {
        self.units.chunks_exact(self.width).map(|text| {
            let end = text.iter().rposition(|unit| *unit != 0).map_or(0, |last| last + 1);
            &text[..end]
        })
    }
}

/// The texts of an array in row-major order; nothing if its elements are no text.
///
/// # Errors
/// Memory that cannot be had, a tensor that is being written.
pub fn texts_of(tensor: &Tensor) -> Option<Result<Vec<String>>> {
    is_text(tensor.dtype()).then(|| Ok(shown(&tensor.read_any()?.view()).unwrap_or_default()))
}

/// [`texts_of`] a view.
pub(crate) fn shown(view: &AnyView<'_>) -> Option<Vec<String>> {
    if cfg!(target_family = "wasm") {
        return None;
    }
    let text = |units: &[u32]| units.iter().map(|&u| char::from_u32(u).unwrap_or('\u{fffd}')).collect();
    Some(Texts::of(view)?.all().map(text).collect())
}

/// A text or a list of texts that stands beside an array of text, as such an array.
pub(crate) fn beside(dtype: DType, value: &Value) -> Option<Tensor> {
    if !is_text(dtype) {
        return None;
    }
    let items = match value {
        Value::Str(_) => vec![value.clone()],
        _ => value.items().filter(|items| !items.is_empty())?,
    };
    let texts: Vec<Vec<char>> = items
        .iter()
        .map(|item| if let Value::Str(text) = item { Some(text.chars().collect()) } else { None })
        .collect::<Option<_>>()?;
    let width = texts.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let padded = texts.iter().flat_map(|text| (0..width).map(|k| text.get(k).map_or(0, |c| *c as u32)));
    let bytes: Vec<u8> = padded.flat_map(u32::to_ne_bytes).collect();
    let shape: &[usize] = if let Value::Str(_) = value { &[] } else { &[items.len()] };
    tensor_from_bytes(&bytes, shape, DType::foreign(&format!("{ORDER}U{width}"), 4 * width)?).ok()
}

/// Whether elements are dates or spans of time in this machine's byte order.
fn is_date(dtype: DType) -> bool {
    let date = |name: &str| name.starts_with("datetime64") || name.starts_with("timedelta64");
    dtype.size() == 8 && full_name(dtype).is_some_and(date)
}

/// Whether elements are text or dates, which [`Keys`] compares.
pub(crate) fn is_key(dtype: DType) -> bool {
    !cfg!(target_family = "wasm") && (is_text(dtype) || is_date(dtype))
}

/// Dates or spans of time, counted.
fn dates(view: &AnyView<'_>) -> Option<Vec<i64>> {
    let count = |c: &[u8]| i64::from_ne_bytes(c.try_into().unwrap_or_default());
    is_date(view.dtype()).then(|| bytes_of(view).chunks_exact(8).map(count).collect())
}

/// What the engine asks about text and dates, where the program has no NumPy: [`takewise::foreign::set_library`] takes it.
///
/// Texts are in the order of their characters' numbers, as in NumPy; dates are compared with those of their own unit.
pub struct Keys;

fn unfit(given: DType, wanted: Option<DType>) -> Error {
    let rule = if wanted.is_some() { DTypeRule::Promotion } else { DTypeRule::Unsupported };
    Error::plain(Fault::DType { op: Op::Copy, rule, given, wanted })
}

/// Whether two that are in this order are so related; two that are in none have NaT among them.
fn holds(how: Relation, order: Option<Ordering>) -> Option<bool> {
    Some(match how {
        Relation::Eq => order == Some(Ordering::Equal),
        Relation::Ne => order != Some(Ordering::Equal),
        Relation::Lt => order == Some(Ordering::Less),
        Relation::Gt => order == Some(Ordering::Greater),
        Relation::Le => order.is_some_and(Ordering::is_le),
        Relation::Ge => order.is_some_and(Ordering::is_ge),
        _ => return None,
    })
}

fn stored(out: &mut AnyViewMut<'_>, numbers: impl Iterator<Item = i64>) {
    put_bytes(out, &numbers.flat_map(i64::to_ne_bytes).collect::<Vec<u8>>());
}

impl Library for Keys {
    fn cast(&self, src: &AnyView<'_>, dst: &mut AnyViewMut<'_>) -> Result<()> {
        let (Some(texts), Some(wide)) = (Texts::of(src), width(dst.dtype()).filter(|w| width(src.dtype()) <= Some(*w)))
        else {
            return Err(unfit(src.dtype(), Some(dst.dtype())));
        };
        let padded = texts.units.chunks_exact(texts.width);
        let padded = padded.flat_map(|text| text.iter().copied().chain(std::iter::repeat_n(0, wide - text.len())));
        put_bytes(dst, &padded.flat_map(u32::to_ne_bytes).collect::<Vec<u8>>());
        Ok(())
    }

    fn common(&self, a: DType, b: DType, weak: bool) -> Option<DType> {
        match (width(a), width(b)) {
            (Some(one), Some(other)) => Some(if one < other { b } else { a }),
            _ => (a == b && !weak).then_some(a),
        }
    }

    fn truth(&self, x: &AnyView<'_>, _: &mut AnyViewMut<'_>) -> Result<()> {
        Err(unfit(x.dtype(), None))
    }

    fn keys(&self, arrays: &[&AnyView<'_>], out: &mut [AnyViewMut<'_>]) -> Result<()> {
        if let Some(all) = arrays.iter().map(|x| Texts::of(x)).collect::<Option<Vec<_>>>() {
            let mut known: Vec<&[u32]> = all.iter().flat_map(Texts::all).collect();
            known.sort_unstable();
            known.dedup();
            for (texts, out) in all.iter().zip(out) {
                stored(out, texts.all().map(|text| known.partition_point(|other| *other < text) as i64));
            }
            return Ok(());
        }
        let given = arrays.iter().map(|x| x.dtype()).find(|d| d.is_foreign()).unwrap_or(DType::Bool);
        if let Some(odd) = arrays.iter().find(|x| x.dtype() != given) {
            return Err(unfit(given, Some(odd.dtype())));
        }
        let all: Vec<Vec<i64>> =
            arrays.iter().map(|x| dates(x)).collect::<Option<_>>().ok_or_else(|| unfit(given, None))?;
        for (dates, out) in all.into_iter().zip(out) {
            // The least number stands for no date. Made one less it is the greatest, and the others keep their order.
            stored(out, dates.into_iter().map(|date| date.wrapping_sub(1)));
        }
        Ok(())
    }

    fn compare(&self, a: &AnyView<'_>, b: &AnyView<'_>, how: Relation, out: &mut AnyViewMut<'_>) -> Result<()> {
        let orders: Option<Vec<Option<Ordering>>> = match (Texts::of(a), Texts::of(b)) {
            (Some(a), Some(b)) => Some(a.all().zip(b.all()).map(|(a, b)| Some(a.cmp(b))).collect()),
            _ if a.dtype() == b.dtype() => dates(a).zip(dates(b)).map(|(a, b)| {
                let order = |(a, b): (i64, i64)| (a != i64::MIN && b != i64::MIN).then(|| a.cmp(&b));
                a.into_iter().zip(b).map(order).collect()
            }),
            _ => None,
        };
        let found =
            orders.and_then(|all| all.into_iter().map(|order| holds(how, order)).collect::<Option<Vec<bool>>>());
        let found = found.ok_or_else(|| unfit(a.dtype(), Some(b.dtype())).in_op(how.op()))?;
        put_bytes(out, &found.into_iter().map(u8::from).collect::<Vec<u8>>());
        Ok(())
    }

    fn can_cast(&self, from: DType, to: DType, _: &str) -> bool {
        from == to || width(from).is_some_and(|from| width(to) >= Some(from))
    }

    fn element(&self, _: Scalar, dtype: DType, _: &mut [u8]) -> Result<()> {
        Err(unfit(dtype, None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(texts: &[&str]) -> Tensor {
        let list = Value::list(texts.iter().map(|text| Value::str(*text)).collect());
        beside(DType::foreign(&format!("{ORDER}U1"), 4).unwrap(), &list).unwrap()
    }

    fn keys(arrays: &[&Tensor]) -> Vec<Vec<i64>> {
        let open: Vec<_> = arrays.iter().map(|x| x.read_any().unwrap()).collect();
        let views: Vec<_> = open.iter().map(|x| x.view()).collect();
        let mut out: Vec<Vec<i64>> = arrays.iter().map(|x| vec![0; x.numel()]).collect();
        let mut into: Vec<AnyViewMut> = out.iter_mut().map(AnyViewMut::from).collect();
        Keys.keys(&views.iter().collect::<Vec<_>>(), &mut into).unwrap();
        out
    }

    #[test]
    fn texts_of_several_widths_have_one_order() {
        let (a, b) = (array(&["b", "", "a"]), array(&["ab", "z\u{10ffff}", "b"]));
        assert_eq!(keys(&[&a, &b]), [vec![3, 0, 1], vec![2, 4, 3]]);
        assert_eq!(texts_of(&b).unwrap().unwrap(), ["ab", "z\u{10ffff}", "b"]);
        assert!(texts_of(&Tensor::zeroed(&[1], DType::I64).unwrap()).is_none());
        let mut out = [true; 3];
        let (x, y) = (a.read_any().unwrap(), b.read_any().unwrap());
        Keys.compare(&x.view(), &y.view(), Relation::Gt, &mut AnyViewMut::from(&mut out[..])).unwrap();
        assert_eq!(out, [true, false, false]);
        assert!(Keys.compare(&x.view(), &y.view(), Relation::And, &mut AnyViewMut::from(&mut out[..])).is_err());
    }

    #[test]
    fn what_is_no_date_is_last_and_equal_to_nothing() {
        let days = Tensor::from_vec(vec![5i64, i64::MIN, i64::MAX, -5], &[4]).unwrap();
        let days = days.reinterpret(DType::foreign("datetime64[D]", 8).unwrap()).unwrap();
        let keys = keys(&[&days]).remove(0);
        assert!(keys[3] < keys[0] && keys[0] < keys[2] && keys[2] < keys[1]);
        let mut out = [false; 4];
        let open = days.read_any().unwrap();
        Keys.compare(&open.view(), &open.view(), Relation::Eq, &mut AnyViewMut::from(&mut out[..])).unwrap();
        assert_eq!(out, [true, false, true, true]);
        let other = days.reinterpret(DType::foreign("datetime64[s]", 8).unwrap()).unwrap();
        let other = other.read_any().unwrap();
        assert!(Keys.compare(&open.view(), &other.view(), Relation::Eq, &mut AnyViewMut::from(&mut out[..])).is_err());
    }
}
