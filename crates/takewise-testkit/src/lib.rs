//! Oracle and generators for takewise.
//!
//! Four parts, each too simple to be wrong:
//!
//! * [`arr`] and [`num`]: an array is a shape and a list of elements; a number is an integer, a float or a
//!   complex. No strides.
//! * [`oracle`]: what every operation must do, by definition: list, for every coordinate of the result, which
//!   cell of the array it means, then read, store or accumulate cell by cell in that order.
//! * [`parse`]: subscripts written down.
//! * [`operand`] and [`rng`]: the same array laid out in memory in many ways, with guard bytes around every
//!   element, and seeded random arrays.

pub mod arr;
pub mod away;
pub mod calls;
pub mod case;
pub mod num;
pub mod operand;
pub mod oracle;
pub mod parse;
pub mod rng;
pub mod verify;
pub mod worlds;

pub use arr::{Arr, Elem, coords, numel};
pub use case::{Case, Op};
pub use num::Num;
pub use operand::{Operand, Twist};
pub use oracle::{Bad, Cells, Facts, Sub};
pub use rng::Rng;
pub use worlds::World;

/// The Rust examples of the guide and the README, run as documentation tests.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../docs/guide.md")]
    mod guide {}
    #[doc = include_str!("../../../README.md")]
    mod readme {}
}
