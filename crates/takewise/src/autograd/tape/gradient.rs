//! A gradient as its users get it.

use crate::autograd::SparseCoo;
use crate::dtype::DType;
use crate::error::Result;
use crate::tensor::Tensor;

/// A gradient as it was collected: an array, or (where an operation was asked for that) coordinates and values.
///
/// ```
/// use takewise::prelude::*;
/// use takewise::grad::Gradient;
/// let mut x = Tensor::from_slice(&[1.0f32, 2.0], &[2])?;
/// x.requires_grad_(true)?;
/// x.take(&tensor!([1, 1]), &Rules::NEUTRAL)?.sum(None, false, None)?.backward(None, false)?;
/// let Some(Gradient::Dense(dx)) = x.grad() else { unreachable!() };
/// assert_eq!(dx.to_vec::<f32>()?, [0.0, 2.0]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Gradient {
    /// An array of the operand's shape.
    Dense(Tensor),
    /// Coordinates and values.
    Sparse(Box<SparseCoo>),
}

impl Gradient {
    /// Extents.
    pub fn shape(&self) -> &[usize] {
        match self {
            Gradient::Dense(t) => t.shape(),
            Gradient::Sparse(s) => s.shape(),
        }
    }

    /// The dtype.
    pub fn dtype(&self) -> DType {
        match self {
            Gradient::Dense(t) => t.dtype(),
            Gradient::Sparse(s) => s.dtype(),
        }
    }

    /// The array: shared if it is one already. Error: kind `Memory`.
    pub fn to_dense(&self) -> Result<Tensor> {
        match self {
            Gradient::Dense(t) => Ok(t.clone()),
            Gradient::Sparse(s) => s.to_dense(),
        }
    }

    /// The array, if it is one.
    pub fn dense(&self) -> Option<&Tensor> {
        match self {
            Gradient::Dense(t) => Some(t),
            Gradient::Sparse(_) => None,
        }
    }

    /// Coordinates and values, if that is what it is.
    pub fn sparse(&self) -> Option<&SparseCoo> {
        match self {
            Gradient::Dense(_) => None,
            Gradient::Sparse(s) => Some(s),
        }
    }
}

impl From<Tensor> for Gradient {
    fn from(t: Tensor) -> Gradient {
        Gradient::Dense(t)
    }
}

impl From<SparseCoo> for Gradient {
    fn from(s: SparseCoo) -> Gradient {
        Gradient::Sparse(Box::new(s))
    }
}
