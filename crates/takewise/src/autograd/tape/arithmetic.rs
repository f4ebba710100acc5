//! The little arithmetic that gradients of products are made of, on the tape.

use super::node::{Backward, Contribution};
use super::{Saved, recorded, target, tracked};
use crate::autograd::reduce::conjugates;
use crate::error::Result;
use crate::exec::Reduce;
use crate::node_op::NodeOp;
use crate::ops::combined;
use crate::tensor::Tensor;

/// `a * b`, of one shape and dtype.
pub(crate) fn mul(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let out = combined(&a.read_any()?.view(), &b.read_any()?.view(), Reduce::Prod)?;
    if tracked(&[a, b]) {
        let saved = [Saved::new(a), Saved::new(b)];
        let run: Backward = Box::new(move |g, place| {
            let (a, b) = (saved[0].again(place.edge(0))?, saved[1].again(place.edge(1))?);
            let (a, b) = (conj(&a)?, conj(&b)?);
            Ok(vec![
                if place.wants(0) { Contribution::Dense(mul(g, &b)?) } else { Contribution::Nothing },
                if place.wants(1) { Contribution::Dense(mul(g, &a)?) } else { Contribution::Nothing },
            ])
        });
        recorded(&out, NodeOp::Mul, vec![target(Some(a)), target(Some(b))], true, run);
    }
    Ok(out)
}

/// `a / b`, of one shape and dtype.
pub(crate) fn div(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let out = combined(&a.read_any()?.view(), &b.read_any()?.view(), Reduce::Div)?;
    if tracked(&[a, b]) {
        let saved = [Saved::new(a), Saved::new(b)];
        let run: Backward = Box::new(move |g, place| {
            let (a, b) = (saved[0].again(place.edge(0))?, saved[1].again(place.edge(1))?);
            let (a, b) = (conj(&a)?, conj(&b)?);
            let first = div(g, &b)?;
            let second = if place.wants(1) {
                Contribution::Dense(neg(&mul(&first, &div(&a, &b)?)?)?)
            } else {
                Contribution::Nothing
            };
            Ok(vec![Contribution::Dense(first), second])
        });
        recorded(&out, NodeOp::Div, vec![target(Some(a)), target(Some(b))], true, run);
    }
    Ok(out)
}

/// Complex numbers conjugated, others as they are.
pub(crate) fn conj(a: &Tensor) -> Result<Tensor> {
    if !a.dtype().is_complex() {
        return Ok(a.clone());
    }
    let out = conjugates(&a.read_any()?.view())?;
    if tracked(&[a]) {
        let run: Backward = Box::new(|g, _| Ok(vec![Contribution::Dense(conj(g)?)]));
        recorded(&out, NodeOp::Conj, vec![target(Some(a))], true, run);
    }
    Ok(out)
}

/// `-a`.
pub(crate) fn neg(a: &Tensor) -> Result<Tensor> {
    mul(a, &Tensor::full(&[], -1, a.dtype())?.broadcast_to(a.shape())?)
}

impl Tensor {
    /// Every element times the factor at its place; both sides have gradients. Of one shape and dtype.
    ///
    /// Errors: kind `Busy`; `DType` for records.
    ///
    /// ```
    /// use takewise::Tensor;
    /// let rows = Tensor::from_slice(&[1.0f32, 2.0, 3.0], &[3])?;
    /// let factors = Tensor::from_slice(&[2.0f32, 0.0, 1.0], &[3])?;
    /// assert_eq!(rows.weighted(&factors)?.to_vec::<f32>()?, [2.0, 0.0, 3.0]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn weighted(&self, factors: &Tensor) -> Result<Tensor> {
        mul(self, factors)
    }
}
