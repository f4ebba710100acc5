//! What an operation is given, once every argument is a tensor, a number or a key.

use takewise::ops::Source;
use takewise::{Reduce, Rules, Scalar, Tensor};

/// The arguments that are no arrays, and the defaults of those that were left out.
#[derive(Debug, Clone, Copy)]
pub struct Given {
    /// The axis; `None` for the flattened array.
    pub axis: Option<i64>,
    /// How many leading axes are paired.
    pub batch_dims: i64,
    /// How values are combined; `None` stores them.
    pub reduce: Option<Reduce>,
    /// Whether what is there counts.
    pub include_self: bool,
    /// Whether values are added.
    pub accumulate: bool,
    /// The factor for what is added.
    pub alpha: Scalar,
}

impl Default for Given {
    fn default() -> Given {
        Given { axis: None, batch_dims: 0, reduce: None, include_self: true, accumulate: false, alpha: Scalar::Int(1) }
    }
}

impl Given {
    /// The axis of an operation that always has one.
    pub(crate) fn dim(&self) -> i64 {
        self.axis.unwrap_or(0)
    }
}

/// A call of an operation that reads or writes by one array of positions.
#[derive(Clone, Copy)]
pub struct Call<'c> {
    /// The array that is read or written to.
    pub x: &'c Tensor,
    /// Its positions, or the mask.
    pub index: &'c Tensor,
    /// What is stored or combined; a read has none and gives any number.
    pub value: Source<&'c Tensor>,
    /// The rest.
    pub given: &'c Given,
    /// The rules in force.
    pub rules: &'c Rules,
}
