//! What rows mean for calls of nothing but tensors: the short road, without values, names and defaults.
//!
//! Most calls give tensors by position, and the number of an axis. A row may name the engine's own method for such a call.
//! It does what the row's operation does there; where it fails, the operation says why, in the library's words. For
//! tensors that require a gradient, and for arguments of any other kind, there is only the operation.

use crate::rules::Dialect;
use takewise::{Result, Tensor};

use crate::value::Function;

/// The method of a row whose arguments are these, and what else it has by default.
#[derive(Clone, Copy)]
pub enum Plain {
    /// Two tensors.
    Two(fn(&Tensor, &Tensor, &Dialect) -> Result<Tensor>),
    /// A tensor, an axis, an index.
    Along(fn(&Tensor, i64, &Tensor, &Dialect) -> Result<Tensor>),
    /// A tensor to write into, an axis, an index, what is written. A functional call writes into a row-major copy.
    Write(fn(&Tensor, i64, &Tensor, &Tensor, &Dialect) -> Result<()>),
}

impl Plain {
    /// How many arguments there are.
    pub fn count(self) -> usize {
        match self {
            Plain::Two(_) => 2,
            Plain::Along(_) => 3,
            Plain::Write(_) => 4,
        }
    }

    /// What a functional write goes to.
    ///
    /// # Errors
    /// No memory.
    pub fn copy(of: &Tensor) -> Result<Tensor> {
        fresh_copy(of)
    }
}

impl Function {
    /// The method for a call of nothing but tensors, which is the first row's: no other is tried before it.
    #[inline]
    pub fn plain(&self) -> Option<Plain> {
        self.rows.first()?.plain
    }

    /// Whether a call writes into its first argument: that of a name with a trailing underscore, unless its row says otherwise.
    #[inline]
    pub fn in_place(&self) -> bool {
        self.name.ends_with('_') && !self.name.ends_with("__") && !self.rows.first().is_some_and(|row| row.keeps)
    }
}

/// A row-major copy.
pub(crate) fn fresh_copy(tensor: &Tensor) -> takewise::Result<Tensor> {
    if tensor.is_contiguous() { tensor.clone_data() } else { tensor.contiguous() }
}
