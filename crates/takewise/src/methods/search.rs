//! Searching and sorting as methods of [`Tensor`].

use crate::error::Result;
use crate::index::rules::Rules;
use crate::op::Op;
use crate::ops::{self, Search, Source, reading};
use crate::tensor::Tensor;
use smallvec::SmallVec;

/// The tensors of a call in the order they are registered, `self` first.
fn operands<'t>(this: &'t Tensor, values: Source<&'t Tensor>, sorter: Option<&'t Tensor>) -> SmallVec<[&'t Tensor; 3]> {
    let mut list = SmallVec::from_slice(&[this]);
    if let Source::Array(t) = values {
        list.push(t);
    }
    list.extend(sorter);
    list
}

impl Tensor {
    /// Where `values` (a tensor or a number) belong in this sorted tensor. A `sorter` given here takes the
    /// place of that in `search`. See [`crate::ops::searchsorted`].
    ///
    /// ```
    /// use takewise::{ops::Search, Rules, Tensor};
    /// let s = Tensor::from_slice(&[1i64, 3, 5, 7, 9], &[5])?;
    /// let at = s.searchsorted(6, &Search::default(), None, &Rules::NEUTRAL)?;
    /// assert_eq!(at.to_vec::<i64>()?, [3]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn searchsorted<'v>(
        &self,
        values: impl Into<Source<&'v Tensor>>,
        search: &Search<'_>,
        sorter: Option<&Tensor>,
        rules: &Rules,
    ) -> Result<Tensor> {
        let values = values.into();
        reading(Op::SearchSorted, &operands(self, values, sorter), rules, |r| {
            let values = match values {
                Source::Array(_) => Source::Array(r.get(1)),
                Source::Scalar(s) => Source::Scalar(s),
            };
            let sorter = if sorter.is_some() { Some(r.get(r.len() - 1)) } else { search.sorter.clone() };
            ops::searchsorted(r.get(0), values, &Search { sorter, ..search.clone() }, rules)
        })
    }

    /// In which bucket between `boundaries` each element falls. See [`crate::ops::bucketize`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let edges = tensor!([1, 3, 5]);
    /// assert_eq!(tensor!([3, 9]).bucketize(&edges, false, false, &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn bucketize(&self, boundaries: &Tensor, out_int32: bool, right: bool, rules: &Rules) -> Result<Tensor> {
        reading(Op::Bucketize, &[self, boundaries], rules, |r| {
            ops::bucketize(r.get(0), r.get(1), out_int32, right, rules)
        })
    }

    /// In which of the `bins` each element falls, NumPy's way. See [`crate::ops::digitize`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let bins = tensor!([1, 3, 5]);
    /// assert_eq!(tensor!([3, 9]).digitize(&bins, false, &Rules::NEUTRAL)?.to_vec::<i64>()?, [2, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn digitize(&self, bins: &Tensor, right: bool, rules: &Rules) -> Result<Tensor> {
        reading(Op::Digitize, &[self, bins], rules, |r| ops::digitize(r.get(0), r.get(1), right, rules))
    }

    /// The positions that sort this tensor along `axis`. See [`crate::ops::argsort`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// assert_eq!(tensor!([3, 1, 2]).argsort(0, false, true, &Rules::NEUTRAL)?.to_vec::<i64>()?, [1, 2, 0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn argsort(&self, axis: i64, descending: bool, stable: bool, rules: &Rules) -> Result<Tensor> {
        reading(Op::ArgSort, &[self], rules, |r| ops::argsort(r.get(0), axis, descending, stable, rules))
    }

    /// This tensor sorted along `axis`, and where its elements came from. See [`crate::ops::sort`].
    ///
    /// ```
    /// # use takewise::prelude::*;
    /// let (values, order) = tensor!([3, 1, 2]).sort(0, true, true, &Rules::NEUTRAL)?;
    /// assert_eq!((values.to_vec::<i64>()?, order.to_vec::<i64>()?), (vec![3, 2, 1], vec![0, 2, 1]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn sort(&self, axis: i64, descending: bool, stable: bool, rules: &Rules) -> Result<(Tensor, Tensor)> {
        reading(Op::Sort, &[self], rules, |r| ops::sort(r.get(0), axis, descending, stable, rules))
    }
}
