//! Writing subscripts in Rust: what converts to an [`Item`], and the [`ix!`](crate::ix) macro.

use crate::dtype::Element;
use crate::layout::Slice;
use crate::view::{AnyView, View};

/// One entry of a subscript, of tensors `T`; [`crate::Index`] is that of [`crate::Tensor`].
///
/// Masks are arrays of dtype `bool` (or `u8` where the rules say so); they cover as many axes as they have.
///
/// ```
/// use takewise::prelude::*;
/// let items = [Index::Ellipsis, Index::from(1..), Index::from(&[2usize, 0])];
/// assert_eq!(format!("{items:?}"), "[..., 1:, uint64[2]]");
/// ```
#[derive(Clone)]
pub enum Item<'a, T> {
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
    Tensor(&'a T),
    /// `True` or `False`: a mask of rank 0.
    Bool(bool),
}

/// An axis of extent 1 to insert, in [`ix!`](crate::ix).
///
/// ```
/// use takewise::prelude::*;
/// let x = tensor!([1, 2]);
/// assert_eq!(x.index(&ix![NewAxis, ..], &Rules::NEUTRAL)?.shape(), [1, 2]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NewAxis;

/// The subscript `x[items]`, as an array of [`Index`](crate::Index).
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
///
/// ```
/// use takewise::prelude::*;
/// let x = tensor!([1, 2, 3, 4]);
/// assert_eq!(x.index(&ix![step(.., -2)], &Rules::NEUTRAL)?.to_vec::<i64>()?, [4, 2]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn step(range: impl Into<Slice>, by: i64) -> Slice {
    Slice { step: Some(by), ..range.into() }
}

impl<T> From<NewAxis> for Item<'_, T> {
    fn from(_: NewAxis) -> Self {
        Item::NewAxis
    }
}

impl<T> From<()> for Item<'_, T> {
    fn from(_: ()) -> Self {
        Item::NewAxis
    }
}

impl<T> From<bool> for Item<'_, T> {
    fn from(b: bool) -> Self {
        Item::Bool(b)
    }
}

impl<T> From<Slice> for Item<'_, T> {
    fn from(slice: Slice) -> Self {
        Item::Range(slice)
    }
}

impl From<std::ops::RangeFull> for Slice {
    fn from(_: std::ops::RangeFull) -> Slice {
        Slice::ALL
    }
}

impl<T> From<std::ops::RangeFull> for Item<'_, T> {
    fn from(_: std::ops::RangeFull) -> Self {
        Item::Range(Slice::ALL)
    }
}

macro_rules! from_ints {
    ($($t:ty),*) => {$(
        impl<T> From<$t> for Item<'_, T> {
            fn from(i: $t) -> Self { Item::Int(wide(i)) }
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
        impl<T> From<$range> for Item<'_, T> {
            fn from(r: $range) -> Self { Item::Range(r.into()) }
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

impl<'a, T> From<AnyView<'a>> for Item<'a, T> {
    fn from(v: AnyView<'a>) -> Self {
        Item::Array(v)
    }
}

impl<'a, T> From<&AnyView<'a>> for Item<'a, T> {
    fn from(v: &AnyView<'a>) -> Self {
        Item::Array(v.clone())
    }
}

impl<'a, E: Element, T> From<&View<'a, E>> for Item<'a, T> {
    fn from(v: &View<'a, E>) -> Self {
        Item::Array(v.into())
    }
}

impl<'a, E: Element, T> From<View<'a, E>> for Item<'a, T> {
    fn from(v: View<'a, E>) -> Self {
        Item::Array(v.into())
    }
}

impl<'a, E: Element, T> From<&'a [E]> for Item<'a, T> {
    fn from(v: &'a [E]) -> Self {
        Item::Array(v.into())
    }
}

impl<'a, E: Element, const N: usize, T> From<&'a [E; N]> for Item<'a, T> {
    fn from(v: &'a [E; N]) -> Self {
        Item::Array(v.into())
    }
}

impl<'a, E: Element, T> From<&'a Vec<E>> for Item<'a, T> {
    fn from(v: &'a Vec<E>) -> Self {
        Item::Array(v.into())
    }
}
