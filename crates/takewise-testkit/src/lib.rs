//! Oracle and generators for takewise.
//!
//! Three parts, each too simple to be wrong:
//!
//! * [`arr`] and [`num`]: an array is a shape and a list of elements; a number is an integer, a float or a
//!   complex. No strides.
//! * [`oracle`]: what every operation must do, by definition: list, for every coordinate of the result, which
//!   cell of the array it means, then read, store or accumulate cell by cell in that order.
//! * [`operand`] and [`rng`]: the same array laid out in memory in many ways, with guard bytes around every
//!   element, and seeded random arrays.

pub mod arr;
pub mod away;
pub mod calls;
pub mod case;
pub mod num;
pub mod operand;
pub mod oracle;
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

/// The Rust examples of the documents, run as documentation tests. `python/tests/test_pages.py` finds a page that is missing here.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../docs/guide.md")]
    mod guide {}
    #[doc = include_str!("../../../README.md")]
    mod readme {}
    #[doc = include_str!("../../../docs/start/rust.md")]
    mod start_rust {}
    #[doc = include_str!("../../../docs/guides/rust.md")]
    mod guides_rust {}
    #[doc = include_str!("../../../docs/howto/batched-gather.md")]
    mod batched_gather {}
    #[doc = include_str!("../../../docs/howto/embedding-lookup.md")]
    mod embedding_lookup {}
    #[doc = include_str!("../../../docs/howto/group-sums.md")]
    mod group_sums {}
    #[doc = include_str!("../../../docs/howto/histogram.md")]
    mod histogram {}
    #[doc = include_str!("../../../docs/howto/mask-in-place.md")]
    mod mask_in_place {}
    #[doc = include_str!("../../../docs/howto/nearest.md")]
    mod nearest {}
    #[doc = include_str!("../../../docs/howto/rows-of-a-file.md")]
    mod rows_of_a_file {}
    #[doc = include_str!("../../../docs/howto/top-k.md")]
    mod top_k {}
}
