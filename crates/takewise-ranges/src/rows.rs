//! Rows as numbers: the row of each value, and back.

use takewise::{Op, Result, Rules, Tensor};

use crate::moves::vector;
use crate::ranges::{Integers, Ranges, Rows, Said};

/// The number of the row of each value, row after row, as int64; and how many rows there are.
///
/// Errors: kind `Argument` for rows that are wrong, `Memory`. Cost: one pass over the result.
///
/// ```
/// use takewise::{Op, Rules, tensor};
/// use takewise_ranges::{Rows, range_ids};
///
/// let (ids, rows) = range_ids(Op::Named(&"range_ids"), Rows::Offsets(&tensor!([0, 2, 2, 3])), &Rules::NEUTRAL)?;
/// assert_eq!((ids.to_vec::<i64>()?, rows), (vec![0, 0, 2], 3));
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn range_ids(op: Op, rows: Rows<'_>, rules: &Rules) -> Result<(Tensor, usize)> {
    let said = Said { op, rules };
    let ranges = Ranges::of(said, rows, isize::MAX as usize, 0)?;
    let ranges = ranges.edges();
    let count = ranges.len();
    let total = (0..count).try_fold(0usize, |sum, row| sum.checked_add(ranges.row(row).len()));
    let mut ids: Vec<i64> = said.room(total.ok_or_else(|| said.memory(None))?)?;
    (0..count).for_each(|row| ids.extend(std::iter::repeat_n(row as i64, ranges.row(row).len())));
    Ok((vector(ids)?, count))
}

/// The offsets of rows, given the number of the row of each value, none less than the one before. There are `rows` rows, or one more
/// than the last number.
///
/// Errors: kind `Argument` for the first number that falls or is none of a row. Cost: one pass over the numbers.
///
/// ```
/// use takewise::{Rules, tensor};
/// use takewise_ranges::offsets_of;
///
/// assert_eq!(offsets_of(&tensor!([0, 0, 2]), Some(4), &Rules::NEUTRAL)?.to_vec::<i64>()?, [0, 2, 2, 3, 3]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn offsets_of(ids: &Tensor, rows: Option<usize>, rules: &Rules) -> Result<Tensor> {
    let said = Said { op: Op::Named(&"offsets_of"), rules };
    let ids = Integers::of(said, "ids", ids)?;
    if let Some(at) = ids.windows(2).position(|pair| pair[1] < pair[0]) {
        let text = format!("ids fall from {} to {} at position {}: sort them first", ids[at], ids[at + 1], at + 1);
        return Err(said.refuse(text));
    }
    if let Some(first) = ids.first().filter(|first| **first < 0) {
        return Err(said.refuse(format!("ids begin at {first}: no row has such a number")));
    }
    let least = ids.last().map_or(0, |last| *last as usize + 1);
    let rows = rows.unwrap_or(least);
    if least > rows {
        let at = ids.partition_point(|id| (*id as usize) < rows);
        let text = format!("id {} at position {at} is none of {rows} rows", ids[at]);
        return Err(said.refuse(text));
    }
    let mut offsets: Vec<i64> = said.room(rows.checked_add(1).ok_or_else(|| said.memory(None))?)?;
    offsets.push(0);
    for (at, id) in ids.iter().enumerate() {
        offsets.resize(*id as usize + 1, at as i64);
    }
    offsets.resize(rows + 1, ids.len() as i64);
    vector(offsets)
}
