//! Writing subscripts in Rust: what converts to an [`Index`], and the [`ix!`](crate::ix) macro.

use crate::dtype::Element;
use crate::layout::Slice;
use crate::tensor::Tensor;
use crate::view::{AnyView, View};
use std::fmt;

/// One entry of a subscript.
///
/// Masks are arrays of dtype `bool` (or `u8` where the rules say so); they cover as many axes as they have.
#[derive(Clone)]
pub enum Index<'a> {
    /// A plain integer: selects and removes the axis.
    Int(i64),
    /// A slice.
    Range(Slice),
    /// `None`: inserts an axis of extent 1.
    NewAxis,
    /// `...`: as many full slices as are missing.
    Ellipsis,
    /// An index array or a mask.
    Array(AnyView<'a>),
    /// An index array or a mask held by a tensor; opened for reading by the call that uses it.
    Tensor(&'a Tensor),
    /// `True` or `False`: a mask of rank 0.
    Bool(bool),
}

/// An axis of extent 1 to insert, in [`ix!`](crate::ix).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NewAxis;

/// The subscript `x[items]`, as an array of [`Index`].
///
/// An item is an integer (from the end when negative), a range (`1..3`, `..`, `1..`, `..=3`), [`step`] of a
/// range, `NewAxis`, `...`, a bool, or a reference to an index array or mask (slice, array, `Vec`, view or
/// tensor).
///
/// ```
/// use takewise::{ix, index::{NewAxis, step}};
/// let rows = [0i64, 2];
/// let items = ix![&rows, .., step(.., -1), NewAxis, ..., -1];
/// let shown: Vec<String> = items.iter().map(|i| i.to_string()).collect();
/// assert_eq!(shown.join(", "), "int64[2], :, ::-1, None, ..., -1");
/// ```
#[macro_export]
macro_rules! ix {
    (@done [$($item:expr),*]) => { [$($item),*] };
    (@done [$($item:expr),*] ... $(, $($rest:tt)*)?) => {
        $crate::ix!(@done [$($item,)* $crate::Index::Ellipsis] $($($rest)*)?)
    };
    (@done [$($item:expr),*] $next:expr $(, $($rest:tt)*)?) => {
        $crate::ix!(@done [$($item,)* $crate::Index::from($next)] $($($rest)*)?)
    };
    () => { [] as [$crate::Index<'static>; 0] };
    ($($items:tt)+) => { $crate::ix!(@done [] $($items)+) };
}

/// A range taken `by` elements at a time; negative counts backwards, as `x[range][::by]` would not: bounds
/// are Python's, so `step(.., -1)` reverses.
pub fn step(range: impl Into<Slice>, by: i64) -> Slice {
    Slice { step: Some(by), ..range.into() }
}

impl From<NewAxis> for Index<'_> {
    fn from(_: NewAxis) -> Self {
        Index::NewAxis
    }
}

impl From<()> for Index<'_> {
    fn from(_: ()) -> Self {
        Index::NewAxis
    }
}

impl From<bool> for Index<'_> {
    fn from(b: bool) -> Self {
        Index::Bool(b)
    }
}

impl From<Slice> for Index<'_> {
    fn from(slice: Slice) -> Self {
        Index::Range(slice)
    }
}

impl From<std::ops::RangeFull> for Slice {
    fn from(_: std::ops::RangeFull) -> Slice {
        Slice::ALL
    }
}

impl From<std::ops::RangeFull> for Index<'_> {
    fn from(_: std::ops::RangeFull) -> Self {
        Index::Range(Slice::ALL)
    }
}

macro_rules! from_ints {
    ($($t:ty),*) => {$(
        impl From<$t> for Index<'_> {
            fn from(i: $t) -> Self { Index::Int(wide(i)) }
        }
        from_ints!(@range $t, std::ops::Range<$t>, r => Some(wide(r.start)), Some(wide(r.end)));
        from_ints!(@range $t, std::ops::RangeFrom<$t>, r => Some(wide(r.start)), None);
        from_ints!(@range $t, std::ops::RangeTo<$t>, r => None, Some(wide(r.end)));
        from_ints!(@range $t, std::ops::RangeInclusive<$t>, r => Some(wide(*r.start())), after(wide(*r.end())));
        from_ints!(@range $t, std::ops::RangeToInclusive<$t>, r => None, after(wide(r.end)));
    )*};
    (@range $t:ty, $range:ty, $r:ident => $start:expr, $stop:expr) => {
        impl From<$range> for Slice {
            fn from($r: $range) -> Slice { Slice { start: $start, stop: $stop, step: None } }
        }
        impl From<$range> for Index<'_> {
            fn from(r: $range) -> Self { Index::Range(r.into()) }
        }
    };
}
from_ints!(i32, i64, usize);

/// Any machine integer as `i64`; what does not fit is out of every axis's range anyway.
fn wide<T: TryInto<i64>>(i: T) -> i64 {
    i.try_into().unwrap_or(i64::MAX)
}

/// The exclusive bound after an inclusive one; after `-1` comes the end.
fn after(last: i64) -> Option<i64> {
    if last == -1 { None } else { Some(last.saturating_add(1)) }
}

impl<'a> From<AnyView<'a>> for Index<'a> {
    fn from(v: AnyView<'a>) -> Self {
        Index::Array(v)
    }
}

impl<'a> From<&AnyView<'a>> for Index<'a> {
    fn from(v: &AnyView<'a>) -> Self {
        Index::Array(v.clone())
    }
}

impl<'a, T: Element> From<&View<'a, T>> for Index<'a> {
    fn from(v: &View<'a, T>) -> Self {
        Index::Array(v.into())
    }
}

impl<'a, T: Element> From<View<'a, T>> for Index<'a> {
    fn from(v: View<'a, T>) -> Self {
        Index::Array(v.into())
    }
}

impl<'a, T: Element> From<&'a [T]> for Index<'a> {
    fn from(v: &'a [T]) -> Self {
        Index::Array(v.into())
    }
}

impl<'a, T: Element, const N: usize> From<&'a [T; N]> for Index<'a> {
    fn from(v: &'a [T; N]) -> Self {
        Index::Array(v.into())
    }
}

impl<'a, T: Element> From<&'a Vec<T>> for Index<'a> {
    fn from(v: &'a Vec<T>) -> Self {
        Index::Array(v.into())
    }
}

impl<'a> From<&'a Tensor> for Index<'a> {
    fn from(t: &'a Tensor) -> Self {
        Index::Tensor(t)
    }
}

/// In Python's notation; arrays by dtype and shape.
impl fmt::Display for Index<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let array = |f: &mut fmt::Formatter<'_>, dtype: crate::DType, shape: &[usize]| {
            write!(f, "{}{}", dtype.name(), crate::error::list(shape))
        };
        match self {
            Index::Int(i) => write!(f, "{i}"),
            Index::Range(s) => {
                let part = |v: Option<i64>| v.map_or(String::new(), |v| v.to_string());
                write!(f, "{}:{}", part(s.start), part(s.stop))?;
                s.step.map_or(Ok(()), |step| write!(f, ":{step}"))
            }
            Index::NewAxis => f.write_str("None"),
            Index::Ellipsis => f.write_str("..."),
            Index::Bool(true) => f.write_str("True"),
            Index::Bool(false) => f.write_str("False"),
            Index::Array(v) => array(f, v.dtype(), v.shape()),
            Index::Tensor(t) => array(f, t.dtype(), t.shape()),
        }
    }
}

impl fmt::Debug for Index<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::reversed_empty_ranges)] // bounds here count from the end
    fn every_form_converts() {
        let (v, t) = (vec![1i32, 2], Tensor::zeroed(&[2, 3], crate::DType::Bool).unwrap());
        let k = 3usize;
        let view = View::from(&v);
        let items = ix![
            0, -1i64, k, 1..3, 1.., ..3, ..=3, 1..=-1, .., (), true, &v, &[0u8; 3], &v[..1], &view, &view.any(), &t, ...,
        ];
        let shown: Vec<String> = items.iter().map(|i| i.to_string()).collect();
        let want = "0 -1 3 1:3 1: :3 :4 1: : None True int32[2] uint8[3] int32[1] int32[2] int32[2] bool[2, 3] ...";
        assert_eq!(shown.join(" ").replace("[2, 3]", "[2,3]"), want.replace("[2, 3]", "[2,3]"));
        assert_eq!(ix![].len(), 0);
        assert_eq!(step(8..2, -2), Slice { start: Some(8), stop: Some(2), step: Some(-2) });
    }
}
