//! A sparse array: coordinates, and the value of each.

use crate::dtype::DType;
use crate::error::{ArgumentRule, Fault, Result, list};
use crate::index::rules::Rules;
use crate::layout::Dims;
use crate::op::Op;
use crate::tensor::Tensor;
use std::fmt;

/// A sparse array in coordinate format, torch's `sparse_coo`: `nnz` values, each an element or a dense slice, and the
/// coordinates of each. The same coordinates may occur several times until [`SparseCoo::coalesce`]; their values add.
///
/// It takes memory in proportion to `nnz`, whatever its size. Cloning shares the data.
///
/// ```
/// use takewise::{grad, Rules, View};
/// let (index, g) = ([0i64, 0, 1, 0], [1.0f32, 2.0, 3.0, 4.0]);
/// let (index, g) = (View::new(&index, &[2, 2])?, View::new(&g, &[2, 2])?);
/// let dx = grad::gather_sparse(&[2, 2], 1, &index, &g, &Rules::NEUTRAL)?;
/// assert_eq!((dx.nnz(), dx.is_coalesced()), (4, false));
/// assert_eq!(dx.coalesce()?.values().to_vec::<f32>()?, [3.0, 4.0, 3.0]);
/// assert_eq!(dx.to_dense()?.to_vec::<f32>()?, [3.0, 0.0, 4.0, 3.0]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone)]
pub struct SparseCoo {
    pub(super) indices: Tensor,
    pub(super) values: Tensor,
    pub(super) size: Dims<usize>,
    pub(super) coalesced: bool,
}

impl SparseCoo {
    /// An array of shape `size` from coordinates, int64 of shape (leading axes, nnz), and values of shape
    /// (nnz, remaining extents). Coordinates may repeat and stand in any order; with fewer than two it counts as
    /// coalesced.
    ///
    /// Errors: kind `Argument` if the shapes do not fit together, the dtype is another, or a coordinate lies outside.
    /// Cost: one pass over the coordinates.
    pub fn new(indices: Tensor, values: Tensor, size: &[usize]) -> Result<SparseCoo> {
        let (i, v) = (indices.shape(), values.shape());
        let fits = i.len() == 2 && indices.dtype() == DType::I64 && i[0] <= size.len() && v.first() == Some(&i[1]);
        if !fits || v[1..] != size[i[0]..] {
            let text = format!("indices of shape {i:?} and values of shape {v:?} do not make an array of {size:?}");
            return Err(refuse(text));
        }
        for (k, at) in indices.to_vec::<i64>()?.into_iter().enumerate() {
            let n = size[k / i[1]];
            if usize::try_from(at).map_or(true, |at| at >= n) {
                return Err(refuse(format!("coordinate {at} lies outside axis {} of extent {n}", k / i[1])));
            }
        }
        Ok(SparseCoo::trusted(indices.contiguous()?, values.contiguous()?, size))
    }

    /// As [`SparseCoo::new`], of coordinates known to fit.
    pub(super) fn trusted(indices: Tensor, values: Tensor, size: &[usize]) -> SparseCoo {
        let coalesced = values.shape()[0] < 2;
        SparseCoo { indices, values, size: Dims::from_slice(size), coalesced }
    }

    /// Extents of the whole array.
    pub fn shape(&self) -> &[usize] {
        &self.size
    }

    /// The dtype of the values.
    pub fn dtype(&self) -> DType {
        self.values.dtype()
    }

    /// How many coordinates are kept.
    pub fn nnz(&self) -> usize {
        self.values.shape()[0]
    }

    /// The coordinates: int64 of shape (leading axes, nnz), torch's `_indices()`.
    pub fn indices(&self) -> &Tensor {
        &self.indices
    }

    /// The values: of shape (nnz, remaining extents), torch's `_values()`.
    pub fn values(&self) -> &Tensor {
        &self.values
    }

    /// Whether coordinates are known to be sorted and to occur once.
    pub fn is_coalesced(&self) -> bool {
        self.coalesced
    }
}

impl fmt::Debug for SparseCoo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sparse(indices {}, values {}, shape {})", self.indices, self.values, list(&self.size))
    }
}

pub(super) fn refuse(text: String) -> crate::Error {
    Rules::NEUTRAL.fail(Fault::text(Op::SparseCoo, ArgumentRule::Other, text))
}
