//! What indices mean: expressions, rules, and their normal form. Runs once per call and knows
//! nothing of element types or kernels.

mod expr;
pub mod mask;
pub mod normalize;
pub(crate) mod slice;
mod spread;

pub use crate::rules;
pub use expr::{Item, NewAxis, step};
pub use normalize::{ArrayAxis, Dim, IndexValues, MaskAxes, Normalized, normalize};
pub(crate) use spread::spread;
