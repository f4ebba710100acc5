//! Which way a plan is run: watched, and asked for by name. Strategies differ in speed and memory, never in results.
//!
//! ```
//! use takewise::{Rules, ops, strategy};
//! let (_, plans) = strategy::trace(true, || ops::take(&[1, 2, 3], &[2usize, 0], &Rules::NEUTRAL));
//! assert_eq!(plans[0].steps, [strategy::Strategy::Small]);
//! ```

pub use crate::exec::{
    Meeting, Moved, PROMISES, Strategy, Traced, Watched, prefer_strategy, strategies, trace, watch, with_strategy,
};
pub use crate::notes::{Location, MOST, Note, made};
