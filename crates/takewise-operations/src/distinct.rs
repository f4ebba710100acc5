//! Which values there are, how often, and whether others are among them: sorts, comparisons of neighbours, and sums at index places.

use takewise::index::rules::{Outside, Sign};
use takewise::internal::watched;
use takewise::ops::Search;
use takewise::ops::compare::{CompareRules, Relation, compare};
use takewise::{DType, Index, Result, Rules, Scalar, Slice, Tensor};

/// The different values of a vector, or the different slices of an array, in their order.
pub struct Distinct {
    /// Where each was found first.
    pub first: Tensor,
    /// Which of them stands at every place.
    pub inverse: Tensor,
    /// How often each occurs.
    pub counts: Tensor,
}

/// Whether each of so many things in order, the first apart, differs from the one before it, as the masks of neighbours say.
fn steps(differs: &Tensor, count: usize) -> Result<Tensor> {
    let steps = Tensor::zeroed(&[count], DType::Bool)?;
    let later = steps.slice(0, Slice { start: Some(1), stop: None, step: None })?;
    later.index_set_(&[Index::Ellipsis], differs, &Rules::NEUTRAL)?;
    Ok(steps)
}

/// Groups of equal neighbours: of things in the order `order`, where `steps` says which begin a group, but for the first.
fn grouped(order: &Tensor, steps: &Tensor) -> Result<Distinct> {
    let rules = &Rules::NEUTRAL;
    let count = order.numel();
    let group = steps.cumsum(0, None, rules)?;
    let inverse = Tensor::zeroed(&[count], DType::I64)?.scatter(0, order, &group, None, rules)?;
    let mut starts = steps.nonzero_tuple(rules)?.swap_remove(0);
    if count > 0 {
        let all = Tensor::zeroed(&[starts.numel() + 1], DType::I64)?;
        let later = all.slice(0, Slice { start: Some(1), stop: None, step: None })?;
        later.index_set_(&[Index::Ellipsis], &starts, rules)?;
        starts = all;
    }
    let counts = Tensor::zeroed(&[starts.numel()], DType::I64)?.scatter_add(0, &group, 1, rules)?;
    Ok(Distinct { first: order.take(&starts, rules)?, inverse, counts })
}

/// `left != right`, where NaN is equal to NaN if `nan_equal` says so.
fn different(left: &Tensor, right: &Tensor, nan_equal: bool) -> Result<Tensor> {
    let related = |a: &Tensor, b: &Tensor, how| {
        let (a, b) = (a.read_any()?, b.read_any()?);
        compare(&a.view(), &b.view(), how, &CompareRules::BY_VALUE)
    };
    let differs = related(left, right, Relation::Ne)?;
    let whole = left.dtype() == DType::Bool || left.dtype().native().is_integer();
    if !nan_equal || whole {
        return Ok(differs);
    }
    let both = related(&related(left, left, Relation::Ne)?, &related(right, right, Relation::Ne)?, Relation::And)?;
    // What differs and is not NaN twice: of two masks, the one without the other.
    related(&differs, &both, Relation::Gt)
}

/// The different values of a vector.
fn values(flat: &Tensor, nan_equal: bool) -> Result<Distinct> {
    let (sorted, order) = flat.sort(0, false, true, &Rules::NEUTRAL)?;
    let last = (flat.numel() as i64 - 1).max(0);
    let differs =
        different(&sorted.narrow(0, flat.numel().min(1) as i64, last)?, &sorted.narrow(0, 0, last)?, nan_equal)?;
    grouped(&order, &steps(&differs, flat.numel())?)
}

/// The different rows of a matrix, in the order of their first elements, then of their second ones, and so on. No NaN is equal to another.
fn rows(matrix: &Tensor) -> Result<Distinct> {
    let (count, width) = (matrix.shape()[0], matrix.shape()[1]);
    // Ranks compare as the elements do.
    let ranks = values(&matrix.reshape(&[-1])?, false)?.inverse.to_vec::<i64>()?;
    let row = |at: i64| &ranks[at as usize * width..(at as usize + 1) * width];
    let mut order: Vec<i64> = (0..count as i64).collect();
    order.sort_unstable_by(|a, b| row(*a).cmp(row(*b)).then(a.cmp(b)));
    let differs: Vec<bool> = order.windows(2).map(|pair| row(pair[0]) != row(pair[1])).collect();
    let (order, differs) = (Tensor::from_vec(order, &[count])?, Tensor::from_vec(differs, &[count.saturating_sub(1)])?);
    for made in [&order, &differs] {
        watched::numbers(&made.read_any()?.view());
    }
    grouped(&order, &steps(&differs, count)?)
}

/// The different elements of an array or, along an axis, its different slices; and where these are.
///
/// # Errors
/// Elements without an order, and memory that runs out.
pub fn distinct(x: &Tensor, axis: Option<usize>, nan_equal: bool) -> Result<(Tensor, Distinct)> {
    let Some(axis) = axis else {
        let flat = x.reshape(&[-1])?;
        let found = values(&flat, nan_equal)?;
        let elements = flat.take(&found.first, &Rules::NEUTRAL)?;
        let shape: Vec<i64> = x.shape().iter().map(|n| *n as i64).collect();
        let inverse = found.inverse.reshape(&shape)?;
        return Ok((elements, Distinct { inverse, ..found }));
    };
    let count = x.shape()[axis];
    let width = x.shape().iter().enumerate().filter(|(d, _)| *d != axis).map(|(_, n)| *n as i64).product();
    let matrix = x.movedim(&[axis as i64], &[0])?.reshape(&[count as i64, width])?;
    let found = rows(&matrix)?;
    Ok((x.take_axis(axis as i64, &found.first, &Rules::NEUTRAL)?, found))
}

/// How often each number from 0 on occurs, or the sum of its weights; as many as there are, and `least` if that is more.
///
/// # Errors
/// Numbers that are negative, and memory that runs out.
pub fn counted(x: &Tensor, weights: Option<&Tensor>, least: usize) -> Result<Tensor> {
    let rules = Rules { sign: Sign::NonNegative, ..Rules::NEUTRAL };
    let most = match x.numel() {
        0 => None,
        _ => match x.amax(None, false, &rules)?.item()? {
            Scalar::Int(most) => usize::try_from(most).ok(),
            _ => None,
        },
    };
    let count = most.map_or(0, |most| most.saturating_add(1)).max(least);
    let zeros = Tensor::zeroed(&[count], weights.map_or(DType::I64, Tensor::dtype))?;
    match weights {
        None => zeros.scatter_add(0, x, 1, &rules),
        Some(weights) => zeros.scatter_add(0, x, weights, &rules),
    }
}

/// A mask of the elements that are among the others: these are sorted, the elements looked up. No NaN is among them.
///
/// # Errors
/// Elements without an order, and memory that runs out.
pub fn found(elements: &Tensor, among: &Tensor) -> Result<Tensor> {
    let flat = among.reshape(&[-1])?;
    if flat.numel() == 0 {
        return Tensor::zeroed(elements.shape(), DType::Bool);
    }
    let (sorted, _) = flat.sort(0, false, true, &Rules::NEUTRAL)?;
    let places = sorted.searchsorted(elements, &Search::default(), None, &Rules::NEUTRAL)?;
    let nearest = sorted.take(&places, &Rules { outside: Outside::Clip, ..Rules::NEUTRAL })?;
    let (a, b) = (nearest.read_any()?, elements.read_any()?);
    compare(&a.view(), &b.view(), Relation::Eq, &CompareRules::BY_VALUE)
}
