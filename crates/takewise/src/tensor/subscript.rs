//! Subscripts whose items may be tensors.

use super::Tensor;
use crate::index::Item;
use crate::view::AnyView;
use std::convert::Infallible;
use std::fmt;

/// One entry of a subscript: an [`Item`] that borrows its view or its [`Tensor`].
///
/// ```
/// use takewise::prelude::*;
/// let x = tensor!([[1, 2, 3], [4, 5, 6]]);
/// let columns = tensor!([2, 0]);
/// let items: [Index; 2] = [(..).into(), (&columns).into()];
/// assert_eq!(x.index(&items, &Rules::NEUTRAL)?.to_vec::<i64>()?, [3, 1, 6, 4]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub type Index<'a> = Item<AnyView<'a>, &'a Tensor>;

/// One entry of a subscript that owns its tensor: what a subscript is read into before the call that uses it.
///
/// ```
/// use takewise::{OwnedIndex, prelude::*};
/// let items = [OwnedIndex::Ellipsis, OwnedIndex::Tensor(tensor!([1, 0]))];
/// let lent: Vec<Index> = items.iter().map(OwnedIndex::lent).collect();
/// assert_eq!(tensor!([3, 4]).index(&lent, &Rules::NEUTRAL)?.to_vec::<i64>()?, [4, 3]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub type OwnedIndex = Item<Infallible, Tensor>;

impl OwnedIndex {
    /// The entry that borrows this one's tensor.
    pub fn lent(&self) -> Index<'_> {
        self.map(|never| match *never {}, Index::Tensor)
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
