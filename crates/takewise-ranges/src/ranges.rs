//! Where rows lie: offsets, starts and stops, checked before anything is read.

use std::ops::{Deref, Range};

use takewise::error::ArgumentRule;
use takewise::index::rules::{Conversion, Outside};
use takewise::tensor::{Ref, cast};
use takewise::{DType, Error, Fault, Op, Result, Rules, Tensor};

/// Where rows lie along an axis. All arrays have one axis and hold integers of any dtype.
///
/// ```
/// use takewise::{Rules, tensor};
/// use takewise_ranges::{Rows, take};
///
/// let x = tensor!([10, 20, 30, 40]);
/// let rows = Rows::Stops(&tensor!([2, 0]), &tensor!([4, 3]));
/// assert_eq!(take(&x, rows, None, 0, &Rules::NEUTRAL)?.0.to_vec::<i64>()?, [30, 40, 10, 20, 30]);
/// # Ok::<(), takewise::Error>(())
/// ```
#[derive(Clone, Copy)]
pub enum Rows<'t> {
    /// Row `r` lies from `offsets[r]` to `offsets[r + 1]`: one more offset than rows, none of them less than the one before.
    Offsets(&'t Tensor),
    /// Row `r` lies from `starts[r]` to `stops[r]`. Rows may overlap and leave gaps.
    Stops(&'t Tensor, &'t Tensor),
    /// Row `r` lies from `starts[r]` on and has `lengths[r]` values.
    Starts(&'t Tensor, &'t Tensor),
    /// Row `r` has `lengths[r]` values and lies behind the one before.
    Lengths(&'t Tensor),
}

/// The words and the rules of a call.
#[derive(Clone, Copy)]
pub(crate) struct Said<'r> {
    pub(crate) op: Op,
    pub(crate) rules: &'r Rules,
}

impl Said<'_> {
    #[cold]
    pub(crate) fn refuse(&self, text: String) -> Error {
        self.rules.fail(Fault::text(self.op, ArgumentRule::Other, text))
    }

    #[cold]
    pub(crate) fn memory(&self, bytes: Option<usize>) -> Error {
        self.rules.fail(Fault::Memory { op: self.op, bytes })
    }

    /// Room for so many elements.
    pub(crate) fn room<T>(&self, count: usize) -> Result<Vec<T>> {
        let mut room = Vec::new();
        room.try_reserve_exact(count).map_err(|_| self.memory(count.checked_mul(size_of::<T>())))?;
        Ok(room)
    }
}

/// Integers of any dtype as int64: those that are it where they lie.
pub(crate) enum Integers<'t> {
    Here(Ref<'t, i64>),
    Cast(Vec<i64>),
}

impl<'t> Integers<'t> {
    /// The integers of an array with one axis, which errors call by its name.
    pub(crate) fn of(said: Said<'_>, name: &str, array: &'t Tensor) -> Result<Integers<'t>> {
        if array.rank() != 1 {
            return Err(said.refuse(format!("{name} must have one axis, and has shape {:?}", array.shape())));
        }
        // An empty list has no dtype of its own.
        if !array.dtype().is_integer() && array.numel() > 0 {
            let instead =
                if array.dtype() == DType::Bool { ": nonzero gives the numbers that a mask means" } else { "" };
            return Err(said.refuse(format!("{name} must hold integers, not {}{instead}", array.dtype().name())));
        }
        if array.dtype() == DType::I64 && array.is_contiguous() {
            let open = array.read::<i64>()?;
            if open.as_slice().is_some() {
                return Ok(Integers::Here(open));
            }
        }
        if array.dtype() == DType::U64 {
            let all = array.to_vec::<u64>()?;
            if let Some(at) = all.iter().position(|value| i64::try_from(*value).is_err()) {
                return Err(said.refuse(format!("{name} holds {} at position {at}, beyond int64", all[at])));
            }
        }
        let open = array.read_any()?;
        Ok(Integers::Cast(cast(&open.view(), DType::I64, Conversion::Wrap)?.to_vec::<i64>()?))
    }
}

impl Deref for Integers<'_> {
    type Target = [i64];

    fn deref(&self) -> &[i64] {
        match self {
            Integers::Here(open) => open.as_slice().unwrap_or_default(),
            Integers::Cast(all) => all,
        }
    }
}

/// Rows that lie within an axis: checked.
pub(crate) struct Ranges<'t> {
    starts: Integers<'t>,
    /// Where there are none, the start after it.
    stops: Option<Integers<'t>>,
}

impl<'t> Ranges<'t> {
    /// The rows, along `axis` of which there are `len` values.
    ///
    /// Errors: kind `Argument` for the first row that does not lie there, which is named with its offsets.
    pub(crate) fn of(said: Said<'_>, rows: Rows<'t>, len: usize, axis: usize) -> Result<Ranges<'t>> {
        let ranges = match rows {
            Rows::Offsets(offsets) => Ranges { starts: Integers::of(said, "offsets", offsets)?, stops: None },
            Rows::Stops(starts, stops) => Ranges {
                starts: Integers::of(said, "starts", starts)?,
                stops: Some(Integers::of(said, "stops", stops)?),
            },
            Rows::Starts(starts, lengths) => {
                let (starts, lengths) =
                    (Integers::of(said, "starts", starts)?, Integers::of(said, "lengths", lengths)?);
                paired(said, &starts, ("lengths", &lengths))?;
                let stop = |(start, length): (&i64, &i64)| if *length < 0 { -1 } else { start.saturating_add(*length) };
                let stops = starts.iter().zip(lengths.iter()).map(stop).collect();
                check_lengths(said, &lengths)?;
                Ranges { starts, stops: Some(Integers::Cast(stops)) }
            }
            Rows::Lengths(lengths) => {
                let lengths = Integers::of(said, "lengths", lengths)?;
                check_lengths(said, &lengths)?;
                Ranges { starts: Integers::Cast(summed(&lengths)), stops: None }
            }
        };
        ranges.check(said, len, axis)?;
        Ok(ranges)
    }

    /// Fails for rows that do not lie in `0..len`.
    fn check(&self, said: Said<'_>, len: usize, axis: usize) -> Result<()> {
        let most = i64::try_from(len).unwrap_or(i64::MAX);
        let values = |len: usize| if len == 1 { "is 1 value".to_owned() } else { format!("are {len} values") };
        let starts = &self.starts[..];
        let Some(stops) = &self.stops else {
            let (Some(first), Some(last)) = (starts.first(), starts.last()) else {
                return Err(
                    said.refuse("offsets are empty: there is one more of them than rows, so at least one".into())
                );
            };
            let falls = starts.windows(2).filter(|pair| pair[1] < pair[0]).count();
            if falls > 0 {
                let row = starts.windows(2).position(|pair| pair[1] < pair[0]).unwrap_or(0);
                let (from, to, rows) = (starts[row], starts[row + 1], starts.len() - 1);
                let text = format!(
                    "offsets fall from {from} to {to} in row {row} (so do {falls} of {rows} rows): they may not"
                );
                return Err(said.refuse(text));
            }
            if *first < 0 {
                return Err(said.refuse(format!("offsets begin at {first}: the first is at least 0")));
            }
            if *last > most {
                let row = starts.iter().position(|at| *at > most).unwrap_or(0);
                let (row, at) = (row.saturating_sub(1), starts[row]);
                let text = format!("row {row} ends at offset {at}, and there {} along axis {axis}", values(len));
                return Err(said.refuse(text));
            }
            return Ok(());
        };
        paired(said, starts, ("stops", stops))?;
        let bad = |(start, stop): (&i64, &i64)| *start < 0 || *stop < *start || *stop > most;
        let Some(row) = starts.iter().zip(stops.iter()).position(bad) else { return Ok(()) };
        let count = starts.iter().zip(stops.iter()).filter(|pair| bad(*pair)).count();
        let (start, stop) = (starts[row], stops[row]);
        let why = match () {
            () if start < 0 => "a row does not start before 0".to_owned(),
            () if stop < start => "it stops before it starts".to_owned(),
            () => format!("there {} along axis {axis}", values(len)),
        };
        let text = format!("row {row} lies from {start} to {stop}: {why} ({count} of {} rows are such)", starts.len());
        Err(said.refuse(text))
    }

    /// The rows to look at.
    pub(crate) fn edges(&self) -> Edges<'_> {
        match &self.stops {
            Some(stops) => Edges { starts: &self.starts, stops },
            None => Edges { starts: &self.starts[..self.starts.len().saturating_sub(1)], stops: &self.starts[1..] },
        }
    }
}

/// Rows to look at.
#[derive(Clone, Copy)]
pub(crate) struct Edges<'r> {
    starts: &'r [i64],
    stops: &'r [i64],
}

impl Edges<'_> {
    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Where a row lies.
    #[inline(always)]
    pub(crate) fn row(&self, row: usize) -> Range<usize> {
        // Checked: neither is negative.
        self.starts[row] as usize..self.stops[row] as usize
    }

    /// The rows of these numbers, or all. A number that the rules leave out names an empty row.
    ///
    /// Errors: kind `OutOfRange` as of an index array, `Memory`.
    pub(crate) fn picked(&self, said: Said<'_>, ids: Option<&Tensor>) -> Result<Parts> {
        let count = ids.map_or(self.len(), Tensor::numel);
        let mut parts = Parts { starts: said.room(count)?, offsets: said.room(count + 1)? };
        parts.offsets.push(0);
        let mut total = 0i64;
        let mut add = |part: Range<usize>| {
            total = total.checked_add(part.len() as i64).ok_or_else(|| said.memory(None))?;
            parts.starts.push(part.start);
            parts.offsets.push(total);
            Ok(())
        };
        match ids {
            None => (0..count).try_for_each(|row| add(self.row(row)))?,
            Some(ids) => each_place(said, "ids", ids, self.len(), |row| add(row.map_or(0..0, |row| self.row(row))))?,
        }
        Ok(parts)
    }
}

/// Rows that were picked: where each starts, and the offsets they have one after the other.
pub(crate) struct Parts {
    starts: Vec<usize>,
    offsets: Vec<i64>,
}

impl Parts {
    /// Parts that are known to follow each other within an axis.
    pub(crate) fn new(starts: Vec<usize>, offsets: Vec<i64>) -> Parts {
        Parts { starts, offsets }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// How many values they hold.
    pub(crate) fn total(&self) -> usize {
        self.offsets.last().map_or(0, |last| *last as usize)
    }

    /// Where some of them lie.
    pub(crate) fn of(&self, some: Range<usize>) -> impl Iterator<Item = Range<usize>> + Clone + '_ {
        let ends = self.offsets[some.start..].windows(2);
        self.starts[some].iter().zip(ends).map(|(start, ends)| *start..*start + (ends[1] - ends[0]) as usize)
    }

    /// Where they lie.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Range<usize>> + Clone + '_ {
        self.of(0..self.len())
    }

    /// Where some of them lie one after the other.
    pub(crate) fn span(&self, some: Range<usize>) -> Range<usize> {
        self.offsets[some.start] as usize..self.offsets[some.end] as usize
    }

    pub(crate) fn into_offsets(self) -> Vec<i64> {
        self.offsets
    }
}

/// Index values as positions of an axis of length `len`; `None` for those that the rules leave out.
pub(crate) fn placed(said: Said<'_>, name: &str, ids: &Tensor, len: usize) -> Result<Vec<Option<usize>>> {
    let mut places = said.room(ids.numel())?;
    each_place(said, name, ids, len, |place| {
        places.push(place);
        Ok(())
    })?;
    Ok(places)
}

/// [`placed`], one by one.
fn each_place(
    said: Said<'_>,
    name: &str,
    ids: &Tensor,
    len: usize,
    mut each: impl FnMut(Option<usize>) -> Result<()>,
) -> Result<()> {
    let all = Integers::of(said, name, ids)?;
    let leaves_out = matches!(said.rules.outside, Outside::Fill | Outside::Drop);
    for id in all.iter() {
        match usize::try_from(*id) {
            Ok(place) if place < len => each(Some(place))?,
            _ => match said.rules.place((*id).into(), len) {
                None if !leaves_out => {
                    // The engine says what is wrong with index values.
                    let refused = Tensor::zeroed(&[len], DType::Bool)?.take_axis(0, ids, said.rules);
                    let unknown = || said.refuse(format!("{name} are out of range"));
                    return Err(refused.err().map_or_else(unknown, |e| e.in_op(said.op)));
                }
                place => each(place)?,
            },
        }
    }
    Ok(())
}

/// The offsets of rows of these lengths, one after the other.
pub(crate) fn summed(lengths: &[i64]) -> Vec<i64> {
    let mut sum = 0i64;
    let sums = lengths.iter().map(|length| {
        sum = sum.saturating_add(*length);
        sum
    });
    std::iter::once(0).chain(sums).collect()
}

fn check_lengths(said: Said<'_>, lengths: &[i64]) -> Result<()> {
    match lengths.iter().position(|length| *length < 0) {
        Some(row) => Err(said.refuse(format!("row {row} has length {}: a length is at least 0", lengths[row]))),
        None => Ok(()),
    }
}

fn paired(said: Said<'_>, starts: &[i64], (name, others): (&str, &[i64])) -> Result<()> {
    match starts.len() == others.len() {
        true => Ok(()),
        false => Err(said.refuse(format!(
            "there are {} starts and {} {name}: one of each a row",
            starts.len(),
            others.len()
        ))),
    }
}
