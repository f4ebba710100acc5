//! Writing subscripts in Rust: what converts to an [`Item`], and the [`ix!`](crate::ix) macro.

use crate::dtype::Element;
use crate::layout::Slice;
use crate::view::{AnyView, View};

/// One entry of a subscript, whose arrays are held as a `V` or as a `T`: [`crate::Index`] borrows views and tensors,
/// [`crate::OwnedIndex`] owns tensors, and kept plans hold the number of an operand.
///
/// Masks are arrays of dtype `bool` (or `u8` where the rules say so); they cover as many axes as they have.
///
/// ```
/// use takewise::prelude::*;
/// let items = [Index::Ellipsis, Index::from(1..), Index::from(&[2usize, 0])];
/// assert_eq!(format!("{items:?}"), "[..., 1:, uint64[2]]");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Item<V, T> {
    /// A plain integer: selects and removes the axis.
    Int(i64),
    /// A slice.
    Range(Slice),
    /// `None`: inserts an axis of extent 1.
    NewAxis,
    /// `...`: as many full slices as are missing.
    Ellipsis,
    /// An index array or a mask.
    Array(V),
    /// An index array or a mask held by a tensor; opened for reading by the call that uses it.
    Tensor(T),
    /// `True` or `False`: a mask of rank 0.
    Bool(bool),
}

impl<V, T> Item<V, T> {
    /// The same item with its array held in another way.
    ///
    /// ```
    /// use takewise::{index::Item, layout::Slice};
    /// let kept: [Item<usize, ()>; 2] = [Item::Range(Slice::ALL), Item::Array(1)];
    /// let names = kept.map(|item| item.map(|k| Item::<_, ()>::Array(["rows", "columns"][*k]), |()| Item::NewAxis));
    /// assert!(names == [Item::Range(Slice::ALL), Item::Array("columns")]);
    /// ```
    pub fn map<'s, W, U>(
        &'s self,
        array: impl FnOnce(&'s V) -> Item<W, U>,
        tensor: impl FnOnce(&'s T) -> Item<W, U>,
    ) -> Item<W, U> {
        match self {
            Item::Int(i) => Item::Int(*i),
            Item::Range(slice) => Item::Range(*slice),
            Item::NewAxis => Item::NewAxis,
            Item::Ellipsis => Item::Ellipsis,
            Item::Array(v) => array(v),
            Item::Tensor(t) => tensor(t),
            Item::Bool(b) => Item::Bool(*b),
        }
    }
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

impl<V, T> From<NewAxis> for Item<V, T> {
    fn from(_: NewAxis) -> Self {
        Item::NewAxis
    }
}

impl<V, T> From<()> for Item<V, T> {
    fn from(_: ()) -> Self {
        Item::NewAxis
    }
}

impl<V, T> From<bool> for Item<V, T> {
    fn from(b: bool) -> Self {
        Item::Bool(b)
    }
}

impl<V, T> From<Slice> for Item<V, T> {
    fn from(slice: Slice) -> Self {
        Item::Range(slice)
    }
}

impl From<std::ops::RangeFull> for Slice {
    fn from(_: std::ops::RangeFull) -> Slice {
        Slice::ALL
    }
}

impl<V, T> From<std::ops::RangeFull> for Item<V, T> {
    fn from(_: std::ops::RangeFull) -> Self {
        Item::Range(Slice::ALL)
    }
}

macro_rules! from_ints {
    ($($t:ty),*) => {$(
        impl<V, T> From<$t> for Item<V, T> {
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
        impl<V, T> From<$range> for Item<V, T> {
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

impl<'a, T> From<AnyView<'a>> for Item<AnyView<'a>, T> {
    fn from(v: AnyView<'a>) -> Self {
        Item::Array(v)
    }
}

impl<'a, T> From<&AnyView<'a>> for Item<AnyView<'a>, T> {
    fn from(v: &AnyView<'a>) -> Self {
        Item::Array(v.clone())
    }
}

impl<'a, E: Element, T> From<&View<'a, E>> for Item<AnyView<'a>, T> {
    fn from(v: &View<'a, E>) -> Self {
        Item::Array(v.into())
    }
}

impl<'a, E: Element, T> From<View<'a, E>> for Item<AnyView<'a>, T> {
    fn from(v: View<'a, E>) -> Self {
        Item::Array(v.into())
    }
}

impl<'a, E: Element, T> From<&'a [E]> for Item<AnyView<'a>, T> {
    fn from(v: &'a [E]) -> Self {
        Item::Array(v.into())
    }
}

impl<'a, E: Element, const N: usize, T> From<&'a [E; N]> for Item<AnyView<'a>, T> {
    fn from(v: &'a [E; N]) -> Self {
        Item::Array(v.into())
    }
}

impl<'a, E: Element, T> From<&'a Vec<E>> for Item<AnyView<'a>, T> {
    fn from(v: &'a Vec<E>) -> Self {
        Item::Array(v.into())
    }
}
