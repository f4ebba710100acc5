//! Drawings of an explanation, from its data alone.
//!
//! An explanation may come from elsewhere as JSON. Positions that lie outside their arrays are drawn as question marks, and what is
//! drawn is bounded by the options, whatever the data claims.

mod fold;
mod grid;
mod groups;
mod html;
mod places;
mod prose;
mod reasons;
mod sheet;
mod svg;
mod text;
mod words;
mod xml;

pub use html::{HtmlOptions, html, html_comparison};
pub use reasons::reason;
pub use svg::{SvgOptions, svg, svg_comparison};
pub use text::{TextOptions, comparison, text};
pub use words::{Language, vocabulary};
