//! What indices mean: expressions, rules, dialects, and their normal form. Runs once per call and knows
//! nothing of element types or kernels.

pub mod mask;
pub mod normalize;
pub mod rules;

pub use normalize::{ArrayAxis, Dim, IndexValues, MaskAxes, Normalized, normalize};

use crate::layout::Slice;
use crate::view::AnyView;

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
    /// `True` or `False`: a mask of rank 0.
    Bool(bool),
}
