//! What an operation is given, once every argument is a tensor, a number or a key.

use takewise::ops::Source;
use takewise::{Reduce, Rules, Scalar, Tensor};
use takewise_ranges::How;

use crate::parameter::Role;
use crate::policy::Group;

/// The arguments that are no arrays, and the defaults of those that were left out.
#[derive(Debug, Clone, Copy)]
pub struct Given {
    /// The axis; `None` for the flattened array.
    pub axis: Option<i64>,
    /// How many leading axes are paired.
    pub batch_dims: i64,
    /// How values are combined; `None` stores them.
    pub reduce: Option<Reduce>,
    /// How values are combined that rows have another way for; as `reduce` otherwise.
    pub group: Option<How>,
    /// Whether what is there counts.
    pub include_self: bool,
    /// Whether NaN is passed over.
    pub skip_nan: bool,
    /// Whether values are added.
    pub accumulate: bool,
    /// The factor for what is added.
    pub alpha: Scalar,
}

impl Default for Given {
    fn default() -> Given {
        Given {
            axis: None,
            batch_dims: 0,
            reduce: None,
            group: None,
            include_self: true,
            skip_nan: false,
            accumulate: false,
            alpha: Scalar::Int(1),
        }
    }
}

impl Given {
    /// A way to combine values that meet.
    pub fn grouped(self, group: Group, skip_nan: bool) -> Given {
        Given { reduce: group.write(), group: group.row(skip_nan), skip_nan, ..self }
    }

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
    /// Arrays beside these.
    pub others: &'c [(Role, &'c Tensor)],
}

/// A call of an operation that takes any arrays.
#[derive(Clone, Copy)]
pub struct Arrays<'c> {
    /// Each array that was given, with what it is for.
    pub all: &'c [(Role, &'c Tensor)],
    /// The rest.
    pub given: &'c Settings,
    /// The rules in force.
    pub rules: &'c Rules,
}

/// The array for something among others.
pub(crate) fn array<'c>(all: &[(Role, &'c Tensor)], role: Role) -> Option<&'c Tensor> {
    all.iter().find(|(known, _)| *known == role).map(|(_, array)| *array)
}

/// The arguments of an operation on any arrays that are no arrays, and the defaults of those that were left out.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The axis; `None` for the flattened array, or the first axis where rows lie along one.
    pub axis: Option<i64>,
    /// How the values of a row are combined.
    pub how: How,
    /// Whether NaN is passed over.
    pub skip_nan: bool,
    /// What a row without values gives.
    pub empty: Option<Scalar>,
    /// How long rows, or what a result lists, are made.
    pub width: Option<i64>,
    /// What stands behind the values.
    pub padding: Scalar,
    /// Whether the places that hold values are told, too.
    pub with_mask: bool,
    /// How many there are.
    pub count: Option<i64>,
    /// Whether equal elements are passed.
    pub right: bool,
    /// How many there are at least.
    pub at_least: i64,
    /// Whether the greatest come first.
    pub descending: bool,
    /// Whether the greatest are wanted, and not the least.
    pub largest: bool,
    /// Whether what is true becomes false.
    pub invert: bool,
    /// Whether the positions where each was found first are told, too.
    pub with_index: bool,
    /// Whether it is told which stands at each place, too.
    pub with_inverse: bool,
    /// Whether it is told how often each occurs, too.
    pub with_counts: bool,
}

impl Settings {
    /// The axis of an operation that always has one.
    pub(crate) fn dim(&self) -> i64 {
        self.axis.unwrap_or(0)
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            axis: None,
            how: How::Sum,
            skip_nan: false,
            empty: None,
            width: None,
            padding: Scalar::Int(0),
            with_mask: false,
            count: None,
            right: false,
            at_least: 0,
            descending: false,
            largest: true,
            invert: false,
            with_index: false,
            with_inverse: false,
            with_counts: false,
        }
    }
}
