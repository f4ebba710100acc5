//! Sequences that are prepared once and searched often.

use super::Source;
use super::search::{Checked, Search, check_boundaries, comparable, unsupported};
use crate::dtype::DType;
use crate::error::{ArgumentRule, Fault, Result};
use crate::exec::{Out, result};
use crate::index::rules::{NanOrder, Rules};
use crate::op::Op;
use crate::search::{Kept, tree_of};
use crate::tensor::Tensor;
use crate::view::{AnyView, AnyViewMut};

/// A private copy of a 1-d sequence and its search tree, for many searches.
///
/// The answers are those of [`super::searchsorted`] under the same rules, for values of any dtype and shape, either side
/// and either dtype of positions, on sequences that are not sorted too. A call of few values profits most, since nothing
/// is left to prepare: a search takes one comparison of vectors for four levels of halving. Complex sequences, and those of
/// 2^32 - 1 elements or more, are kept and searched without a tree.
///
/// Memory: the copy, and up to 9 bytes an element (18 for 64 bit numbers) for the tree.
///
/// ```
/// use takewise::{ops::{PreparedSearch, Search}, Rules};
/// let edges = PreparedSearch::new(&[1i64, 3, 5, 7, 9], &Rules::NEUTRAL)?;
/// let at = edges.searchsorted(&[3.5f32, 9.0, 10.0], &Search::default())?;
/// assert_eq!(at.to_vec::<i64>()?, [2, 4, 5]);
/// let after = Search { right: true, out_int32: true, ..Search::default() };
/// assert_eq!(edges.searchsorted(9, &after)?.to_vec::<i32>()?, [5]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub struct PreparedSearch {
    rules: Rules,
    sequence: Tensor,
    kept: Option<Kept>,
}

const OP: Op = Op::SearchSorted;

impl PreparedSearch {
    /// Copies the sequence and builds its tree. Where positions come from a sorter, pass what [`super::take`] reads through
    /// it.
    ///
    /// Errors: kind `Shape` unless the sequence is 1-d; kind `DType` for what the rules do not know; kind
    /// `Memory`. Cost: two passes over the sequence.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::{PreparedSearch, Search};
    /// let edges = PreparedSearch::new(&[1i64, 3, 5], &Rules::NEUTRAL)?;
    /// assert_eq!(edges.searchsorted(&[4i64, 9], &Search::default())?.to_vec::<i64>()?, [2, 3]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn new<'a>(sequence: impl Into<AnyView<'a>>, rules: &Rules) -> Result<PreparedSearch> {
        let sequence = sequence.into();
        check_boundaries(OP, &sequence, rules)?;
        if !rules.data.has(sequence.dtype()) {
            return Err(unsupported(OP, sequence.dtype(), rules));
        }
        let mut keep = None;
        let mut sequence = super::copy(&super::native(&sequence, &mut keep)?)?;
        let kept = match sequence.unique_view() {
            Some(view) => tree_of(&view, rules.order == NanOrder::Last),
            None => None,
        };
        Ok(PreparedSearch { rules: *rules, sequence, kept })
    }

    /// The sequence, as it was copied.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// let edges = takewise::ops::PreparedSearch::new(&[1i64, 3, 5], &Rules::NEUTRAL)?;
    /// assert_eq!(edges.sequence().to_vec::<i64>()?, [1, 3, 5]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn sequence(&self) -> &Tensor {
        &self.sequence
    }

    /// Elements of the sequence.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::{PreparedSearch, Search};
    /// let edges = PreparedSearch::new(&[1i64, 3, 5], &Rules::NEUTRAL)?;
    /// assert_eq!(edges.len(), 3);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.sequence.numel()
    }

    /// Whether the sequence has no elements.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::{PreparedSearch, Search};
    /// let edges = PreparedSearch::new(&[1i64, 3, 5], &Rules::NEUTRAL)?;
    /// assert!(!edges.is_empty());
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The dtype of the sequence.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::{PreparedSearch, Search};
    /// let edges = PreparedSearch::new(&[1i64, 3, 5], &Rules::NEUTRAL)?;
    /// assert_eq!(edges.dtype(), DType::I64);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn dtype(&self) -> DType {
        self.sequence.dtype()
    }

    /// [`super::searchsorted`] in the prepared sequence. Errors as there; kind `Argument` if `search` names a sorter.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::{PreparedSearch, Search};
    /// let edges = PreparedSearch::new(&[1i64, 3, 5], &Rules::NEUTRAL)?;
    /// let after = Search { right: true, ..Search::default() };
    /// assert_eq!(edges.searchsorted(&[3i64], &after)?.to_vec::<i64>()?, [2]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn searchsorted<'a>(&self, values: impl Into<Source<AnyView<'a>>>, search: &Search<'_>) -> Result<Tensor> {
        let guard = self.sequence.read_any()?;
        comparable(OP, &guard.view(), &values.into(), search, &self.rules, |sequence, values, search| {
            let call = self.check(sequence, values, search, None)?;
            let run = |to: Out<'_, '_>| call.run(sequence, values, search, &self.rules, to, self.kept.as_ref());
            result(values.shape(), call.result, run).map_err(|e| e.in_op(OP).in_words(self.rules.words))
        })
    }

    /// [`super::searchsorted_into`] in the prepared sequence. Errors as there; kind `Argument` if `search` names a sorter.
    ///
    /// ```
    /// use takewise::prelude::*;
    /// use takewise::ops::{PreparedSearch, Search};
    /// let edges = PreparedSearch::new(&[1i64, 3, 5], &Rules::NEUTRAL)?;
    /// let mut out = [0i64; 2];
    /// edges.searchsorted_into(&[0i64, 6], &Search::default(), &mut (&mut out).into())?;
    /// assert_eq!(out, [0, 3]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn searchsorted_into<'a>(
        &self,
        values: impl Into<Source<AnyView<'a>>>,
        search: &Search<'_>,
        out: &mut AnyViewMut<'_>,
    ) -> Result<()> {
        let guard = self.sequence.read_any()?;
        comparable(OP, &guard.view(), &values.into(), search, &self.rules, |sequence, values, search| {
            let call = self.check(sequence, values, search, Some(out.dtype()))?;
            call.run(sequence, values, search, &self.rules, Out::given(out), self.kept.as_ref())
        })
    }

    fn check(
        &self,
        sequence: &AnyView,
        values: &Source<AnyView>,
        search: &Search,
        out: Option<DType>,
    ) -> Result<Checked> {
        if search.sorter.is_some() {
            let text = "a prepared sequence has no sorter: prepare what it reads instead".to_string();
            return Err(self.rules.fail(Fault::text(OP, ArgumentRule::Other, text)));
        }
        Checked::check(OP, sequence, values, search, out, &self.rules)
    }
}
