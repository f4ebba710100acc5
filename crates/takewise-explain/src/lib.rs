//! What an indexing call does, as data: which element comes from where, by which index values, and what becomes of those that
//! meet; the plan that ran and why it ran that way. Text, SVG and HTML are drawn from that data alone.

mod axes;
mod compare;
pub mod data;
mod failure;
mod flow;
mod gradient;
mod history;
mod led;
mod left;
mod masks;
mod outcome;
mod picture;
mod place;
mod plans;
mod provenance;
pub mod render;
mod searches;
mod text;

pub use compare::{Column, Comparison};
pub use data::Explanation;
pub use led::axes_led;
pub use picture::Picture;
