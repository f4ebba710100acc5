//! Drawings of an explanation, from its data alone.
//!
//! An explanation may come from elsewhere as JSON. Positions that lie outside their arrays are drawn as question marks, and what is
//! drawn is bounded by the options, whatever the data claims.

mod groups;
mod places;
mod prose;
mod text;
mod words;

pub use text::{TextOptions, text};
pub use words::{Language, vocabulary};
