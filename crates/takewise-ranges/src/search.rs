//! Searches of which each has its own row.

use takewise::error::DTypeRule;
use takewise::ops::{Search, Source};
use takewise::{DType, Fault, Op, Result, Rules, Tensor};

use crate::moves::{Along, vector};
use crate::number::{Number, with_number};
use crate::ranges::{Edges, Ranges, Rows, Said, placed};

/// Where each element of `sought` belongs in its row of the sorted `values`: before elements equal to it, with `right` after. `sought`
/// has one row of elements for each row, or for each of `ids`; positions are int64 and count from the start of the row. NaN is larger
/// than all numbers.
///
/// Elements of another dtype are compared by value, a call of the engine for each row.
///
/// Errors: kinds `Argument` for rows that are wrong or other than there are of `sought`, `OutOfRange`, `DType` for what has no order.
/// Cost: a search for each element. Source: `numpy.searchsorted`, row by row.
///
/// ```
/// use takewise::{Rules, tensor};
/// use takewise_ranges::{Rows, searchsorted};
///
/// let values = tensor!([1, 5, 2, 4, 6]);
/// let found = searchsorted(&values, Rows::Offsets(&tensor!([0, 2, 5])), &tensor!([3, 4]), None, false, &Rules::NEUTRAL)?;
/// assert_eq!(found.to_vec::<i64>()?, [1, 1]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn searchsorted(
    values: &Tensor,
    rows: Rows<'_>,
    sought: &Tensor,
    ids: Option<&Tensor>,
    right: bool,
    rules: &Rules,
) -> Result<Tensor> {
    let said = Said { op: Op::Named(&"searchsorted_ranges"), rules };
    if values.rank() != 1 {
        return Err(said.refuse(format!("values must have one axis, and have shape {:?}", values.shape())));
    }
    let ranges = Ranges::of(said, rows, values.numel(), 0)?;
    let ranges = ranges.edges();
    let places = match ids {
        Some(ids) => placed(said, "ids", ids, ranges.len())?,
        None => (0..ranges.len()).map(Some).collect(),
    };
    let along = Along::of(said, sought, 0)?;
    if along.len != places.len() {
        return Err(said.refuse(format!(
            "{} rows are searched, and input has {} along its first axis",
            places.len(),
            along.len
        )));
    }
    let dtype = values.dtype();
    if sought.dtype() != dtype || dtype.is_foreign() {
        return by_engine(said, values, sought, &ranges, &places, right);
    }
    let (values, sought) = (values.detach().contiguous()?, sought.detach().contiguous()?);
    let found = with_number!(dtype, T => {
        if !T::ORDERED {
            return Err(unordered(said, dtype));
        }
        let (values, sought) = (values.read::<T>()?, sought.read::<T>()?);
        let (all, asked) = (values.as_slice().unwrap_or_default(), sought.as_slice().unwrap_or_default());
        let mut found: Vec<i64> = said.room(asked.len())?;
        for (row, asked) in places.iter().zip(asked.chunks(along.inner.max(1))) {
            let own = row.map_or(&all[..0], |row| &all[ranges.row(row)]);
            found.extend(asked.iter().map(|one| own.partition_point(|value| before(*value, *one, right)) as i64));
        }
        found
    }, return Err(unordered(said, dtype)));
    let shape = sought.shape().to_vec();
    vector(found)?.reshape(&shape.iter().map(|n| *n as i64).collect::<Vec<_>>())
}

/// The search of elements of another dtype, which the engine compares by value: a call for each row.
fn by_engine(
    said: Said<'_>,
    values: &Tensor,
    sought: &Tensor,
    ranges: &Edges<'_>,
    places: &[Option<usize>],
    right: bool,
) -> Result<Tensor> {
    let (open, asked) = (values.read_any()?, sought.read_any()?);
    let search = Search { right, ..Search::default() };
    let mut found: Vec<i64> = said.room(sought.numel())?;
    for (k, row) in places.iter().enumerate() {
        let row = row.map_or(0..0, |row| ranges.row(row));
        let own = open.view().narrow(0, row.start as i64, row.len() as i64)?;
        let asked = asked.view().select(0, k as i64)?;
        let answer = takewise::ops::searchsorted(own, Source::Array(asked), &search, said.rules)
            .map_err(|e| e.in_op(said.op))?;
        found.extend(answer.to_vec::<i64>()?);
    }
    vector(found)?.reshape(&sought.shape().iter().map(|n| *n as i64).collect::<Vec<_>>())
}

/// Whether a value lies before the place of another: NaN is the largest.
fn before<T: Number>(value: T, one: T, right: bool) -> bool {
    let below = |a: T, b: T| if b.is_nan() { !a.is_nan() } else { a.less(b) };
    if right { !below(one, value) } else { below(value, one) }
}

#[cold]
pub(crate) fn unordered(said: Said<'_>, dtype: DType) -> takewise::Error {
    said.rules.fail(Fault::DType { op: said.op, rule: DTypeRule::Unordered, given: dtype, wanted: None })
}
