//! Gradients of the operations: vector-Jacobian products, one function beside each operation of [`crate::ops`].
//!
//! Each takes the gradient `g` of an operation's result and gives the gradient of one operand. They are stateless and
//! pure: whoever keeps the operands of the forward pass, such as another framework's tape, can call them. An operation
//! is a plan and a direction, so its gradient is the same plan turned round:
//!
//! * a read becomes a sum into zeros, in index order;
//! * a store leaves what it overwrote without a gradient, and its values read theirs where they went;
//! * values that broadcast are summed over what stretched them.
//!
//! Gradients have the shape of their operand, the dtype of `g`, and the same bits at any number of threads. Half
//! precision is summed as [`Rules::accumulate`](crate::Rules) of the operation says. Index values are checked again, so
//! the errors are those of the operation, and kind `Shape` if `g` does not have the result's shape
//! (SEMANTICS.md, Gradients). Where torch's gradient is not the derivative (values that lose their place to a later one still get a
//! gradient; `amax` without the array's own values counts them), or is refused (a source larger than its index), these
//! give the derivative; `docs/DIALECTS.md` lists the places.
//!
//! ```
//! use takewise::{grad, ops, Rules, View};
//! let index = [0i64, 0, 1, 0];
//! let index = View::new(&index, &[2, 2])?;
//! let g = [1.0f32, 2.0, 3.0, 4.0];
//! let dx = grad::gather(&[2, 2], 1, &index, &View::new(&g, &[2, 2])?, &Rules::NEUTRAL)?;
//! assert_eq!(dx.to_vec::<f32>()?, [3.0, 0.0, 4.0, 3.0]);
//! # Ok::<(), takewise::Error>(())
//! ```

mod coo;
mod places;
mod prepared;
mod read;
pub(crate) mod record;
pub(crate) mod reduce;
mod sparse;
pub(crate) mod tape;
mod write;

pub use coo::SparseCoo;
pub use read::*;
pub use record::RowGradient;
pub use reduce::*;
pub use sparse::{gather_sparse, rows_sparse};
pub use tape::{GradFn, Gradient, Graph, NodeOp, backward, grad, is_grad_enabled, no_grad, set_grad_enabled};
pub use write::*;

use crate::error::Result;
use crate::layout::Dims;
use crate::tensor::Tensor;

/// `x` under another shape of as many elements.
fn shaped(x: Tensor, shape: &[usize]) -> Result<Tensor> {
    let shape: Dims<i64> = shape.iter().map(|n| *n as i64).collect();
    x.reshape(&shape)
}
