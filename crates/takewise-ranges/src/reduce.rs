//! Rows combined to one value each.
//!
//! Pseudo code, for the axes before the reduced one flattened to `outer` and those behind it to `inner` elements:
//!
//! ```text
//! check the offsets; turn row numbers into positions
//! for each k in outer, for each row, side by side:
//!     start every element of the row's result at the identity
//!     for each entry of the row, in order: combine its inner elements with them, those that do not count passed over
//!     where nothing was combined: the identity, or what `empty` says
//! ```
//!
//! A row is combined by one thread in the order of its entries, so that the bits do not depend on how many there are. What keeps a
//! record for gradients, and what is watched, is combined by the engine's own reductions of the row number of each entry.

use takewise::index::rules::{Outside, Rules};
use takewise::internal::far;
use takewise::internal::parts::watched;
use takewise::{DType, Op, Reduce, Result, Scalar, Tensor};

use crate::fold::{Identity, Work};
use crate::how::How;
use crate::moves::{Along, told, vector};
use crate::number::with_number;
use crate::ranges::{Edges, Ranges, Rows, Said, placed};

/// What is asked of a reduction.
///
/// ```
/// use takewise_ranges::{How, Reduction};
/// assert!(!Reduction::by(How::Sum).skip_nan);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Reduction<'t> {
    /// How values are combined.
    pub how: How,
    /// Positions along the axis of the values that the rows hold; without them the rows hold the values themselves.
    pub ids: Option<&'t Tensor>,
    /// A factor for each entry of the rows, of the dtype of the values: sums alone have them.
    pub weights: Option<&'t Tensor>,
    /// Which values count: booleans that broadcast to the entries' shape.
    pub mask: Option<&'t Tensor>,
    /// Whether NaN is passed over.
    pub skip_nan: bool,
    /// What a row without values gives.
    pub empty: Option<Scalar>,
}

impl Reduction<'_> {
    /// A reduction of all values.
    pub fn by(how: How) -> Reduction<'static> {
        Reduction { how, ids: None, weights: None, mask: None, skip_nan: false, empty: None }
    }
}

/// One value for each row of `values` along `axis`.
///
/// Sums, products and means have the dtype of the values (means of integers are floors; sums and products of half floats are held in
/// f32), `Count`, `ArgMin` and `ArgMax` are int64, `Any` and `All` bool. Positions count along the axis of `values`; of equal ones the
/// first is named. NaN is the least and the greatest where it is not passed over. A row without values gives 0, for products 1, for
/// extremes the dtype's other end (infinity for floats), for positions -1, or what `empty` says.
///
/// Errors: kinds `Axis`, `DType`, `Argument` for rows that are wrong, `OutOfRange` for `ids`, `Memory`. Cost: one pass over the entries.
/// Source: `torch.segment_reduce`, `torch.nn.functional.embedding_bag`, `torch_scatter.segment_csr`.
///
/// ```
/// use takewise::{Rules, tensor};
/// use takewise_ranges::{How, Reduction, Rows, reduce};
///
/// let made = reduce(&tensor!([1, 2, 5]), Rows::Offsets(&tensor!([0, 2, 2, 3])), 0, &Reduction::by(How::Sum), &Rules::NEUTRAL)?;
/// assert_eq!(made.to_vec::<i64>()?, [3, 0, 5]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn reduce(values: &Tensor, rows: Rows<'_>, axis: i64, asked: &Reduction<'_>, rules: &Rules) -> Result<Tensor> {
    let said = Said { op: Op::Named(&"reduce_ranges"), rules };
    let along = Along::of(said, values, axis)?;
    let places = asked.ids.map(|ids| placed(said, "ids", ids, along.len)).transpose()?;
    let count = places.as_ref().map_or(along.len, Vec::len);
    let ranges = Ranges::of(said, rows, count, along.axis)?;
    let ranges = ranges.edges();
    let mut shape = values.shape().to_vec();
    shape[along.axis] = count;
    let mask = match asked.mask {
        Some(mask) if mask.dtype() != DType::Bool => {
            return Err(said.refuse(format!("where must hold booleans, not {}", mask.dtype().name())));
        }
        Some(mask) => Some(mask.detach().broadcast_to(&shape).map_err(|e| e.in_op(said.op))?.contiguous()?),
        None => None,
    };
    let weights = asked.weights.map(|weights| weighted(said, asked.how, weights, values.dtype(), count)).transpose()?;
    let kept = values.requires_grad() || asked.weights.is_some_and(Tensor::requires_grad);
    let all = weights.is_none() && mask.is_none() && !asked.skip_nan && asked.how.combines();
    if kept && asked.how.dtype(values.dtype()) == values.dtype() || watched() && all {
        return recorded(said, values, &along, ranges, asked, mask.as_ref(), weights.is_some());
    }
    // What lies elsewhere is read by the engine: rows of `ids` alone where there are any.
    let (brought, places) = match far::holds(values.data_ptr().addr()) {
        true if asked.ids.is_none() || matches!(asked.how, How::ArgMin | How::ArgMax) => {
            (values.to_row_major()?, places)
        }
        true => {
            let ids = asked.ids.unwrap_or(values);
            let rules = Rules { outside: if leaves_out(rules) { Outside::Drop } else { rules.outside }, ..*rules };
            let own = places.map(|all| all.iter().enumerate().map(|(k, place)| place.map(|_| k)).collect());
            (values.take_axis(axis, ids, &rules)?, own)
        }
        false => (values.detach().contiguous()?, places),
    };
    let along = Along::of(said, &brought, along.axis as i64)?;
    shape[along.axis] = ranges.len();
    let mask = mask.as_ref().map(|mask| mask.read::<bool>()).transpose()?;
    let work = Work {
        along: &along,
        ranges,
        places: places.as_deref(),
        count,
        mask: mask.as_ref().and_then(|mask| mask.as_slice()),
        skip_nan: asked.skip_nan,
        empty: asked.empty,
        said,
    };
    typed(&work, &brought, weights.as_ref(), asked.how, &shape)
}

/// A reduction of elements of the array's own type.
fn typed(work: &Work<'_>, array: &Tensor, weights: Option<&Tensor>, how: How, shape: &[usize]) -> Result<Tensor> {
    with_number!(array.dtype(), T => {
        let open = array.read::<T>()?;
        let weights = weights.map(|weights| weights.read::<T>()).transpose()?;
        let weights = weights.as_ref().and_then(|weights| weights.as_slice());
        work.run::<T>(open.as_slice().unwrap_or_default(), weights, how, shape)
    }, Err(work.said.refuse(format!("elements of dtype {} are not combined", array.dtype().name()))))
}

fn leaves_out(rules: &Rules) -> bool {
    matches!(rules.outside, Outside::Fill | Outside::Drop)
}

/// The weights of a sum, in a row.
fn weighted(said: Said<'_>, how: How, weights: &Tensor, dtype: DType, count: usize) -> Result<Tensor> {
    if how != How::Sum {
        return Err(said.refuse("weights have a meaning in sums alone".into()));
    }
    if weights.shape() != [count] || weights.dtype() != dtype {
        let (shape, given) = (weights.shape(), weights.dtype().name());
        let text = format!(
            "weights must be {count} of dtype {}, and are {given} of shape {shape:?}: convert them",
            dtype.name()
        );
        return Err(said.refuse(text));
    }
    weights.detach().contiguous()
}

/// The reduction by the engine's own, which keep the record.
fn recorded(
    said: Said<'_>,
    values: &Tensor,
    along: &Along,
    ranges: Edges<'_>,
    asked: &Reduction<'_>,
    mask: Option<&Tensor>,
    weighted: bool,
) -> Result<Tensor> {
    let (axis, rules) = (along.axis as i64, said.rules);
    if weighted || asked.skip_nan || mask.is_some() {
        let text = "weights, where= and skip_nan= keep no record for gradients: use a library's own arrays";
        return Err(said.refuse(text.into()));
    }
    let entries = match asked.ids {
        Some(ids) => values.take_axis(axis, ids, rules)?,
        None => values.clone(),
    };
    let mut shape = values.shape().to_vec();
    shape[along.axis] = ranges.len();
    let (mut rows, mut numbers) = (Vec::new(), Vec::new());
    for row in 0..ranges.len() {
        let range = ranges.row(row);
        rows.extend(range.clone().map(|k| k as i64));
        numbers.extend(std::iter::repeat_n(row as i64, range.len()));
    }
    let entries = entries.take_axis(axis, &vector(rows)?, rules)?;
    let numbers = vector(numbers)?;
    let how = match asked.how {
        How::Sum => Reduce::Sum,
        How::Mean => Reduce::Mean,
        How::Min => Reduce::Min,
        How::Max => Reduce::Max,
        How::Prod => Reduce::Prod,
        other => return Err(said.refuse(format!("{other:?} of values that keep a record for gradients: detach them"))),
    };
    let start = with_number!(values.dtype(), T => {
        let work = Identity { how: asked.how, empty: asked.empty };
        let one: T = work.of(said)?;
        told(Tensor::from_fn(&shape, |_| one)?)?
    }, return Err(said.refuse(format!("elements of dtype {} are not combined", values.dtype().name()))));
    start.index_reduce(axis, &numbers, &entries, how, false, rules)
}
