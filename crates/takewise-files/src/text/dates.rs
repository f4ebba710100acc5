//! Dates as ISO 8601 writes them, counted from 1970 as `datetime64` counts.

use takewise::{DType, Tensor};

/// What stands for no date.
pub(super) const NONE: i64 = i64::MIN;

/// What dates are counted in, the finest last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Unit {
    Day,
    Second,
    Milli,
    Micro,
    Nano,
}

impl Unit {
    const ALL: [(Self, &'static str, i64); 5] = [
        (Self::Day, "datetime64[D]", 1),
        (Self::Second, "datetime64[s]", 86_400),
        (Self::Milli, "datetime64[ms]", 86_400_000),
        (Self::Micro, "datetime64[us]", 86_400_000_000),
        (Self::Nano, "datetime64[ns]", 86_400_000_000_000),
    ];

    /// What NumPy calls the dtype.
    pub(super) fn dtype(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    fn per_day(self) -> i64 {
        Self::ALL[self as usize].2
    }

    /// The unit of a dtype.
    fn of(dtype: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, name, _)| *name == dtype).map(|(unit, ..)| *unit)
    }
}

/// A date in a finer unit, if it fits.
pub(super) fn scaled(at: i64, from: Unit, to: Unit) -> Option<i64> {
    if at == NONE { Some(NONE) } else { at.checked_mul(to.per_day() / from.per_day()).filter(|at| *at != NONE) }
}

/// `2020-02-29`, and after a `T` or a blank `23:59`, `23:59:59` or `23:59:59.25`.
pub(super) fn read(text: &str) -> Option<(i64, Unit)> {
    let (date, time) = match text.split_once(['T', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let mut parts = date.splitn(3, '-');
    let (year, month, day) = (digits(parts.next()?, 4)?, digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    let days = i64::try_from(days_before(year.into(), month.into())).ok()? + day - 1;
    let Some(time) = time else { return Some((days, Unit::Day)) };
    let (clock, fraction) = match time.split_once('.') {
        Some((clock, fraction)) => (clock, Some(fraction)),
        None => (time, None),
    };
    let mut parts = clock.splitn(3, ':');
    let (hour, minute) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let second = match (parts.next(), fraction) {
        (Some(second), _) => digits(second, 2)?,
        (None, None) => 0,
        (None, Some(_)) => return None,
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second;
    let Some(fraction) = fraction else { return Some((seconds, Unit::Second)) };
    let (unit, places) = match fraction.len() {
        1..=3 => (Unit::Milli, 3),
        4..=6 => (Unit::Micro, 6),
        7..=9 => (Unit::Nano, 9),
        _ => return None,
    };
    let part = digits(fraction, fraction.len())? * 10i64.pow(places - fraction.len() as u32);
    Some((seconds.checked_mul(10i64.pow(places))?.checked_add(part)?, unit))
}

fn digits(text: &str, count: usize) -> Option<i64> {
    (text.len() == count && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

/// Days from the first of January 1970 to the first of a month.
fn days_before(year: i128, month: i128) -> i128 {
    // Years begin in March here, so that the day that some of them have more is their last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (153 * month + 2) / 5 - 719_468
}

/// The texts of a tensor of dates, in row-major order, as a table of text has them: `NaT` for none. Nothing if its elements are no
/// dates in days, seconds or thousandths of those.
///
/// ```
/// use takewise::{DType, Tensor};
/// use takewise_files::dates_as_text;
/// let days = Tensor::from_vec(vec![11_016i64], &[1])?;
/// assert!(dates_as_text(&days).is_none());
/// let dates = days.reinterpret(DType::foreign("datetime64[D]", 8).unwrap())?;
/// assert_eq!(dates_as_text(&dates).unwrap()?, ["2000-02-29"]);
/// # Ok::<(), takewise::Error>(())
/// ```
///
/// # Errors
/// Memory that there is not.
pub fn dates_as_text(tensor: &Tensor) -> Option<takewise::Result<Vec<String>>> {
    let unit = Unit::of(tensor.dtype().name())?;
    let counts = tensor.reinterpret(DType::I64).and_then(|t| t.contiguous()?.to_vec::<i64>());
    Some(counts.map(|counts| counts.into_iter().map(|at| text(at, unit)).collect()))
}

/// A date as [`read`] reads it; `NaT` for none.
fn text(at: i64, unit: Unit) -> String {
    if at == NONE {
        return "NaT".into();
    }
    let (days, rest) = (at.div_euclid(unit.per_day()), at.rem_euclid(unit.per_day()));
    let days = i128::from(days);
    // Of 400 years the days are known; so the guess is wrong by one year at most.
    let guess = 1970 + (400 * days).div_euclid(146_097);
    let year = (guess - 1..=guess + 1).rev().find(|&year| days_before(year, 1) <= days).unwrap_or(guess);
    let month = (1..=12).rev().find(|&month| days_before(year, month) <= days).unwrap_or(1);
    let date = format!("{year:04}-{month:02}-{:02}", days - days_before(year, month) + 1);
    if unit == Unit::Day {
        return date;
    }
    let per_second = unit.per_day() / 86_400;
    let (seconds, part) = (rest / per_second, rest % per_second);
    let clock = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    match unit {
        Unit::Second => format!("{date}T{clock}"),
        _ => format!("{date}T{clock}.{part:0width$}", width = per_second.ilog10() as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_counted_as_numpy_counts_them() {
        // np.datetime64(text).astype(int)
        let wanted = [
            ("1970-01-01", 0, Unit::Day),
            ("2000-02-29", 11_016, Unit::Day),
            ("1969-12-31", -1, Unit::Day),
            ("0001-01-01", -719_162, Unit::Day),
            ("9999-12-31", 2_932_896, Unit::Day),
            ("2020-01-01T00:00:01", 1_577_836_801, Unit::Second),
            ("1969-12-31T23:59:59.250", -750, Unit::Milli),
            ("2020-01-01T12:30:00.000001", 1_577_881_800_000_001, Unit::Micro),
            ("2262-04-11T23:47:16.854775807", i64::MAX, Unit::Nano),
        ];
        for (written, at, unit) in wanted {
            assert_eq!(read(written), Some((at, unit)), "{written}");
            assert_eq!(text(at, unit), written);
        }
        assert_eq!(read("2020-01-01 12:30"), Some((1_577_881_800, Unit::Second)));
        for odd in
            ["2019-02-29", "2020-13-01", "2020-1-1", "2020-01-01T24:00", "1.2.2020", "2300-01-01T00:00:00.000000000"]
        {
            assert_eq!(read(odd), None, "{odd}");
        }
    }
}
