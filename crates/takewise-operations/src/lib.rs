//! The catalogue: which operations there are, what each of their parameters is for, and what runs them.
//!
//! Whoever has to know something of an operation asks its record. Python's functions, the text form of the command and the page,
//! and the explanations are made from it. So an operation is defined once, and a parameter is known by its [`Role`], not by its name.
//!
//! ```
//! use takewise_operations::{Role, named};
//!
//! let take = named("take").unwrap();
//! assert_eq!(take.signature(), "(x, index, axis=None, batch_dims=0, *, bounds=None, negative=None, fill_value=None, out=None, threads=None)");
//! assert_eq!(take.role("index"), Some(Role::Index));
//! assert!(named("scatter_").unwrap().in_place && named("arange").is_none());
//! ```

#![forbid(unsafe_code)]

/// The text of a docstring. The page shows none, and its engine is small.
#[cfg(not(target_family = "wasm"))]
macro_rules! doc {
    ($text:literal) => {
        $text
    };
}
#[cfg(target_family = "wasm")]
macro_rules! doc {
    ($text:literal) => {
        ""
    };
}

mod call;
mod catalogue;
pub mod distinct;
mod mixed;
mod order;
mod parameter;
mod policy;
mod ranges;
mod read;
mod record;
mod search;
mod subscript;
mod write;

pub use call::{Arrays, Call, Given, Settings};
pub use catalogue::{all, named};
pub use mixed::{MIXED, Mixed};
pub use parameter::{Parameter, Role};
pub use policy::{BOUNDS, CASTING, DUPLICATES, FILL_UNUSED, GROUP, Group, HOW, Policy, REDUCE, RULES, choose};
pub use ranges::sized;
pub use record::{Entry, Operation, Run, Way};
pub use takewise_ranges::How;
