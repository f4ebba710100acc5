//! The arguments with one meaning in every operation, and the words they are given by.

use takewise::Reduce;
use takewise::index::rules::{Casting, Conversion, Duplicates, Outside, Rules, Sign};
use takewise_ranges::How;

/// The library's own rules. Values are cast to the dtype of the array they are stored in if they stay what they are, and numbers
/// are judged as NumPy does.
pub const RULES: Rules =
    Rules { same_dtype: false, conversion: Conversion::IntegersChecked, casting: Casting::SameKind, ..Rules::NEUTRAL };

/// What values outside their axis do.
pub const BOUNDS: &[(&str, Outside)] = &[
    ("raise", Outside::Raise),
    ("wrap", Outside::Wrap),
    ("clip", Outside::Clip),
    ("fill", Outside::Fill),
    ("drop", Outside::Drop),
];

/// Which of several stores to one place stays.
pub const DUPLICATES: &[(&str, Duplicates)] =
    &[("last", Duplicates::Last), ("first", Duplicates::First), ("error", Duplicates::Error)];

/// Which values of other dtypes are stored and combined.
pub const CASTING: &[(&str, Casting)] = &[("same_kind", Casting::SameKind), ("unsafe", Casting::Any)];

/// How values that meet in one place are combined.
pub const REDUCE: &[(&str, Option<Reduce>)] = &[
    ("none", None),
    ("sum", Some(Reduce::Sum)),
    ("add", Some(Reduce::Sum)),
    ("prod", Some(Reduce::Prod)),
    ("multiply", Some(Reduce::Prod)),
    ("mul", Some(Reduce::Prod)),
    ("mean", Some(Reduce::Mean)),
    ("amax", Some(Reduce::Max)),
    ("max", Some(Reduce::Max)),
    ("amin", Some(Reduce::Min)),
    ("min", Some(Reduce::Min)),
];

/// How values that meet in one place are combined: by the engine's own writes, or in the ways that rows have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// `None` stores them.
    Write(Option<Reduce>),
    /// As the values of a row.
    Row(How),
}

/// [`REDUCE`], and the ways that rows have beside those.
pub const GROUP: &[(&str, Group)] = &[
    ("none", Group::Write(None)),
    ("sum", Group::Write(Some(Reduce::Sum))),
    ("add", Group::Write(Some(Reduce::Sum))),
    ("prod", Group::Write(Some(Reduce::Prod))),
    ("multiply", Group::Write(Some(Reduce::Prod))),
    ("mul", Group::Write(Some(Reduce::Prod))),
    ("mean", Group::Write(Some(Reduce::Mean))),
    ("amax", Group::Write(Some(Reduce::Max))),
    ("max", Group::Write(Some(Reduce::Max))),
    ("amin", Group::Write(Some(Reduce::Min))),
    ("min", Group::Write(Some(Reduce::Min))),
    ("any", Group::Row(How::Any)),
    ("all", Group::Row(How::All)),
    ("count", Group::Row(How::Count)),
    ("first", Group::Row(How::First)),
    ("last", Group::Row(How::Last)),
    ("argmin", Group::Row(How::ArgMin)),
    ("argmax", Group::Row(How::ArgMax)),
];

impl Group {
    /// How the engine's own writes combine; `None` for the other ways, too.
    pub fn write(self) -> Option<Reduce> {
        match self {
            Group::Write(how) => how,
            Group::Row(_) => None,
        }
    }

    /// The way that rows have, where the engine's writes have none, or are to pass NaN over.
    pub(crate) fn row(self, skip_nan: bool) -> Option<How> {
        match self {
            Group::Row(how) => Some(how),
            Group::Write(Some(Reduce::Sum)) if skip_nan => Some(How::Sum),
            Group::Write(Some(Reduce::Prod)) if skip_nan => Some(How::Prod),
            Group::Write(Some(Reduce::Mean)) if skip_nan => Some(How::Mean),
            Group::Write(Some(Reduce::Max)) if skip_nan => Some(How::Max),
            Group::Write(Some(Reduce::Min)) if skip_nan => Some(How::Min),
            Group::Write(_) => None,
        }
    }
}

/// How the values of a row are combined.
pub const HOW: &[(&str, How)] = &[
    ("sum", How::Sum),
    ("mean", How::Mean),
    ("min", How::Min),
    ("amin", How::Min),
    ("max", How::Max),
    ("amax", How::Max),
    ("prod", How::Prod),
    ("any", How::Any),
    ("all", How::All),
    ("count", How::Count),
    ("first", How::First),
    ("last", How::Last),
    ("argmin", How::ArgMin),
    ("argmax", How::ArgMax),
];

/// What a word stands for among others.
///
/// # Errors
/// The text of the refusal, for the argument of that name and `given` as the caller's language shows it.
///
/// ```
/// use takewise_operations::{BOUNDS, choose};
///
/// let error = choose("bounds", BOUNDS, Some("clamp"), "'clamp'").unwrap_err();
/// assert!(error.starts_with("bounds must be one of \"raise\", \"wrap\"") && error.ends_with("not 'clamp'"));
/// ```
pub fn choose<T: Copy>(argument: &str, words: &[(&str, T)], given: Option<&str>, shown: &str) -> Result<T, String> {
    let found = words.iter().find(|(word, _)| Some(*word) == given);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let known: Vec<String> = words.iter().map(|(word, _)| format!("{word:?}")).collect();
        format!("{argument} must be one of {}, not {shown}", known.join(", "))
    })
}

/// What a call's policies say instead of [`RULES`]; `fill_value` is not among them, for it may be of any dtype.
#[derive(Debug, Clone, Copy, Default)]
pub struct Policy {
    /// What values outside their axis do.
    pub bounds: Option<Outside>,
    /// Whether negative values count from the end.
    pub negative: Option<bool>,
    /// Which of several stores to one place stays.
    pub duplicates: Option<Duplicates>,
    /// Which values are stored.
    pub casting: Option<Casting>,
}

impl Policy {
    /// The rules with what is said instead.
    pub fn rules(&self) -> Rules {
        Rules {
            outside: self.bounds.unwrap_or(RULES.outside),
            duplicates: self.duplicates.unwrap_or(RULES.duplicates),
            casting: self.casting.unwrap_or(RULES.casting),
            sign: if self.negative == Some(false) { Sign::NonNegative } else { RULES.sign },
            ..RULES
        }
    }

    /// What is said of the word for duplicates in a call that combines, where all values count; `None` if there is nothing to say.
    pub fn refused(&self, combining: bool) -> Option<String> {
        let kept = self.duplicates.filter(|kept| combining && *kept != Duplicates::Error)?;
        let (word, _) = DUPLICATES.iter().find(|(_, known)| *known == kept)?;
        Some(format!("duplicates={word:?} has no meaning where values are combined, for all of them count"))
    }
}

/// What is said of a filling that nobody asks for.
pub const FILL_UNUSED: &str = "fill_value is used only with bounds=\"fill\"";
