//! Searching and sorting as methods of [`Tensor`].

use crate::error::Result;
use crate::index::rules::Rules;
use crate::op::Op;
use crate::ops::{self, Reads, Search, Value, Values, filling, reading};
use crate::tensor::Tensor;
use smallvec::SmallVec;

/// The tensors of a call in the order they are registered, `self` first.
fn operands<'t>(this: &'t Tensor, values: Value<'t>, sorter: Option<&'t Tensor>) -> SmallVec<[&'t Tensor; 3]> {
    let mut list = SmallVec::from_slice(&[this]);
    if let Value::Tensor(t) = values {
        list.push(t);
    }
    list.extend(sorter);
    list
}

/// The values and the search of a call, from its registered operands.
fn opened<'a>(r: &Reads<'a>, values: Value<'_>, search: &Search<'a>, sorter: bool) -> (Values<'a>, Search<'a>) {
    let values = match values {
        Value::Tensor(_) => Values::Array(r.get(1)),
        Value::Scalar(s) => Values::Number(s),
    };
    let sorter = if sorter { Some(r.get(r.len() - 1)) } else { search.sorter.clone() };
    (values, Search { sorter, ..search.clone() })
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
        values: impl Into<Value<'v>>,
        search: &Search<'_>,
        sorter: Option<&Tensor>,
        rules: &Rules,
    ) -> Result<Tensor> {
        let values = values.into();
        reading(Op::SearchSorted, &operands(self, values, sorter), rules, |r| {
            let (values, search) = opened(&r, values, search, sorter.is_some());
            ops::searchsorted(r.get(0), values, &search, rules)
        })
    }

    /// [`Tensor::searchsorted`] into `out`, which keeps its memory if it has the result's shape and is
    /// replaced otherwise (`true` if it had elements then). A wrong dtype is an error.
    pub fn searchsorted_out<'v>(
        &self,
        values: impl Into<Value<'v>>,
        search: &Search<'_>,
        sorter: Option<&Tensor>,
        out: &mut Tensor,
        rules: &Rules,
    ) -> Result<bool> {
        let values = values.into();
        let into = |r: Reads, out: &mut crate::AnyViewMut| {
            let (values, search) = opened(&r, values, search, sorter.is_some());
            ops::searchsorted_into(r.get(0), values, &search, out, rules)
        };
        let fresh = |r: Reads| {
            let (values, search) = opened(&r, values, search, sorter.is_some());
            ops::searchsorted(r.get(0), values, &search, rules)
        };
        filling(Op::SearchSorted, out, &operands(self, values, sorter), rules, into, fresh)
    }

    /// In which bucket between `boundaries` each element falls. See [`crate::ops::bucketize`].
    pub fn bucketize(&self, boundaries: &Tensor, out_int32: bool, right: bool, rules: &Rules) -> Result<Tensor> {
        reading(Op::Bucketize, &[self, boundaries], rules, |r| {
            ops::bucketize(r.get(0), r.get(1), out_int32, right, rules)
        })
    }

    /// [`Tensor::bucketize`] into `out`, as [`Tensor::searchsorted_out`].
    pub fn bucketize_out(
        &self,
        boundaries: &Tensor,
        out_int32: bool,
        right: bool,
        out: &mut Tensor,
        rules: &Rules,
    ) -> Result<bool> {
        let into = |r: Reads, out: &mut crate::AnyViewMut| {
            ops::bucketize_into(r.get(0), r.get(1), out_int32, right, out, rules)
        };
        let fresh = |r: Reads| ops::bucketize(r.get(0), r.get(1), out_int32, right, rules);
        filling(Op::Bucketize, out, &[self, boundaries], rules, into, fresh)
    }

    /// In which of the `bins` each element falls, NumPy's way. See [`crate::ops::digitize`].
    pub fn digitize(&self, bins: &Tensor, right: bool, rules: &Rules) -> Result<Tensor> {
        reading(Op::Digitize, &[self, bins], rules, |r| ops::digitize(r.get(0), r.get(1), right, rules))
    }

    /// The positions that sort this tensor along `axis`. See [`crate::ops::argsort`].
    pub fn argsort(&self, axis: i64, descending: bool, stable: bool, rules: &Rules) -> Result<Tensor> {
        reading(Op::ArgSort, &[self], rules, |r| ops::argsort(r.get(0), axis, descending, stable, rules))
    }

    /// This tensor sorted along `axis`, and where its elements came from. See [`crate::ops::sort`].
    pub fn sort(&self, axis: i64, descending: bool, stable: bool, rules: &Rules) -> Result<(Tensor, Tensor)> {
        reading(Op::Sort, &[self], rules, |r| ops::sort(r.get(0), axis, descending, stable, rules))
    }
}
