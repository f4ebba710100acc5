//! The cells of a table of text, and what a column of them holds.

use takewise::DType;

use super::dates::{self, Unit};
use super::texts::Texts;
use crate::words::words;

/// A column under way: of truth values, of integers, or of floats once one cell is no integer; or of text.
pub(super) enum Cells {
    /// Cells without a value, and no other so far.
    None(usize),
    Bool(Vec<bool>),
    Int(Vec<i64>),
    /// Integers of which one is too large for 64 bits with a sign.
    Big(Vec<u64>),
    Float(Vec<f64>),
    /// Dates, in their finest unit.
    Date(Vec<i64>, Unit),
    /// Words.
    Text(Texts),
    /// Cells that say "no value" where that is not allowed, and no other so far: text if words follow, else the first is wrong.
    Unsaid(Texts, Wrong),
    /// Text, whatever its cells are.
    Any(Texts),
    /// The first cell that is none of these, or not of the kind of those above it.
    Wrong(Wrong),
}

/// A cell that cannot be read.
pub(super) struct Wrong {
    pub(super) line: u64,
    /// What is the matter with it.
    pub(super) text: String,
    /// Whether it would do as text: it is no cell that says that there is no value.
    pub(super) is_text: bool,
}

/// What a cell holds.
enum Cell {
    Missing,
    Bool(bool),
    Int(i64),
    Big(u64),
    Float(f64),
    Date(i64, Unit),
}

/// Texts that stand for no value.
const MISSING: [&str; 8] = ["", "na", "n/a", "#n/a", "null", "none", "nil", "nat"];

/// Why a text holds no value.
struct Odd {
    why: String,
    kind: OddKind,
}

#[derive(PartialEq, Eq)]
enum OddKind {
    /// It says that there is none.
    Unsaid,
    /// It is a word.
    Word,
    /// It is neither, such as a number that is too large or has a unit.
    Neither,
}

/// What a text holds, or why it holds nothing.
fn cell(text: &str, missing: bool) -> Result<Cell, Odd> {
    let text = text.trim();
    if let Ok(i) = text.parse() {
        return Ok(Cell::Int(i));
    }
    if let Ok(i) = text.parse() {
        return Ok(Cell::Big(i));
    }
    if is_missing(text) {
        let what = if text.is_empty() { "the cell is empty".to_owned() } else { format!("'{text}' is no number") };
        let why = || format!("{what}; {} reads it as no value", words().missing);
        return if missing { Ok(Cell::Missing) } else { Err(Odd { why: why(), kind: OddKind::Unsaid }) };
    }
    match text {
        "True" | "true" | "TRUE" => return Ok(Cell::Bool(true)),
        "False" | "false" | "FALSE" => return Ok(Cell::Bool(false)),
        _ => {}
    }
    if let Some((value, unit)) = dates::read(text) {
        return Ok(Cell::Date(value, unit));
    }
    let digits = text.bytes().any(|b| b.is_ascii_digit());
    match text.parse::<f64>() {
        // A number that is too large is neither rounded nor made infinite.
        Ok(x) if digits && (x.is_infinite() || is_integer(text)) => {
            Err(Odd { why: format!("'{text}' does not fit into 64 bits"), kind: OddKind::Neither })
        }
        Ok(x) => Ok(Cell::Float(x)),
        Err(_) => {
            let kind = if begins_with_letter(text) { OddKind::Word } else { OddKind::Neither };
            Err(Odd { why: format!("'{text}' is no number"), kind })
        }
    }
}

/// Whether the first letter or digit of a text is a letter: `12kg` and `1,000` are no words.
fn begins_with_letter(text: &str) -> bool {
    text.chars().find(|c| c.is_alphanumeric()).is_some_and(char::is_alphabetic)
}

fn is_integer(text: &str) -> bool {
    text.trim_start_matches(['-', '+']).bytes().all(|b| b.is_ascii_digit())
}

fn is_missing(text: &str) -> bool {
    MISSING.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Whether a text is a cell of values; why not, otherwise.
pub(super) fn is_value(text: &str, missing: bool) -> Result<(), String> {
    cell(text, missing).map(|_| ()).map_err(|odd| odd.why)
}

/// Whether a text can only be a name: its first letter or digit is a letter, and it is no word for a value.
pub(super) fn is_name(text: &str) -> bool {
    cell(text, false).is_err_and(|odd| odd.kind == OddKind::Word)
}

/// An integer as a float, if that is the same number.
fn exact(i: i128) -> Option<f64> {
    let x = i as f64;
    (x as i128 == i).then_some(x)
}

/// Numbers as floats, if each is the same number.
fn floats<T: Copy + Into<i128>>(all: &[T]) -> Option<Vec<f64>> {
    all.iter().map(|&i| exact(i.into())).collect()
}

impl Cells {
    /// The column with one more cell below.
    pub(super) fn push(self, text: &str, line: u64, missing: bool) -> Self {
        let text = text.trim();
        let wrong = |text: String| Self::Wrong(Wrong { line, text, is_text: true });
        let unsaid = |text: String| Wrong { line, text, is_text: false };
        match (self, cell(text, missing)) {
            (before @ Self::Wrong(_), _) => before,
            (Self::Any(texts), found) => Self::Any(texts.with(if let Ok(Cell::Missing) = found { "" } else { text })),
            (Self::None(n), Err(odd)) if odd.kind == OddKind::Word => Self::Text(Texts::empty(n).with(text)),
            (Self::None(n), Err(odd)) if odd.kind == OddKind::Unsaid => {
                Self::Unsaid(Texts::empty(n).with(text), unsaid(odd.why))
            }
            (Self::Text(texts) | Self::Unsaid(texts, _), Err(odd)) if odd.kind == OddKind::Word => {
                Self::Text(texts.with(text))
            }
            (Self::Text(texts), Err(odd)) if odd.kind == OddKind::Unsaid => Self::Text(texts.with(text)),
            (Self::Text(texts), Ok(Cell::Missing)) => Self::Text(texts.with("")),
            (Self::Text(_), _) => wrong(format!("'{text}' is no word, and the cells above it are")),
            (Self::Unsaid(texts, first), Err(odd)) if odd.kind == OddKind::Unsaid => {
                Self::Unsaid(texts.with(text), first)
            }
            (Self::Unsaid(_, first), _) => Self::Wrong(first),
            (_, Err(odd)) if odd.kind == OddKind::Unsaid => Self::Wrong(unsaid(odd.why)),
            (_, Err(odd)) => wrong(odd.why),
            (before, Ok(found)) => before.with(found).unwrap_or_else(|why| wrong(format!("'{text}' {why}"))),
        }
    }

    /// The first cell that keeps the column from being one of values.
    pub(super) fn wrong(&self) -> Option<&Wrong> {
        match self {
            Self::Wrong(wrong) | Self::Unsaid(_, wrong) => Some(wrong),
            _ => None,
        }
    }

    /// Its text, if it is one of text.
    pub(super) fn texts(&self) -> Option<&Texts> {
        match self {
            Self::Text(texts) | Self::Any(texts) => Some(texts),
            _ => None,
        }
    }

    /// Whether it has values, which no first line of names is taken for.
    pub(super) fn has_values(&self) -> bool {
        matches!(self, Self::Bool(_) | Self::Int(_) | Self::Big(_) | Self::Float(_) | Self::Date(..))
    }

    /// The column with one more value, or why the value does not belong to the others.
    fn with(self, found: Cell) -> Result<Self, &'static str> {
        use Cells::{Big, Bool, Date, Float, Int, None as Empty};
        const ROUNDED: &str = "makes the column one of floats, which integers of it do not fit into";
        let float = |all: Option<Vec<f64>>, x: f64| {
            let mut all = all.ok_or(ROUNDED)?;
            all.push(x);
            Ok(Float(all))
        };
        fn also<T>(mut all: Vec<T>, value: T) -> Vec<T> {
            all.push(value);
            all
        }
        let number = |found: &Cell| match *found {
            Cell::Missing => Some(f64::NAN),
            Cell::Int(i) => exact(i.into()),
            Cell::Big(i) => exact(i.into()),
            Cell::Float(x) => Some(x),
            Cell::Bool(_) | Cell::Date(..) => None,
        };
        match (self, found) {
            (Empty(n), Cell::Missing) => Ok(Empty(n + 1)),
            (Empty(0), Cell::Bool(b)) => Ok(Bool(vec![b])),
            (Empty(0), Cell::Int(i)) => Ok(Int(vec![i])),
            (Empty(0), Cell::Big(i)) => Ok(Big(vec![i])),
            (Empty(n), Cell::Date(at, unit)) => Ok(Date(also(vec![dates::NONE; n], at), unit)),
            (Empty(_), Cell::Bool(_)) => Err("is a truth value, and cells above it are missing"),
            (Empty(n), found) => float(Some(vec![f64::NAN; n]), number(&found).ok_or(ROUNDED)?),
            (Bool(all), Cell::Bool(b)) => Ok(Bool(also(all, b))),
            (Int(all), Cell::Int(i)) => Ok(Int(also(all, i))),
            (Int(all), Cell::Big(i)) => {
                let all: Option<Vec<u64>> = all.into_iter().map(|i| u64::try_from(i).ok()).collect();
                Ok(Big(also(all.ok_or("does not fit into int64, and a number above it is negative")?, i)))
            }
            (Big(all), Cell::Big(i)) => Ok(Big(also(all, i))),
            (Big(all), Cell::Int(i)) => {
                let i = u64::try_from(i).map_err(|_| "is negative, and a number above it needs uint64")?;
                Ok(Big(also(all, i)))
            }
            (Int(all), Cell::Float(x)) => float(floats(&all), x),
            (Int(all), Cell::Missing) => float(floats(&all), f64::NAN),
            (Big(all), Cell::Float(x)) => float(floats(&all), x),
            (Big(all), Cell::Missing) => float(floats(&all), f64::NAN),
            (Float(all), found @ (Cell::Int(_) | Cell::Big(_) | Cell::Float(_) | Cell::Missing)) => {
                float(Some(all), number(&found).ok_or("does not fit into float64, as the numbers above it are")?)
            }
            (Date(all, unit), Cell::Missing) => Ok(Date(also(all, dates::NONE), unit)),
            (Date(all, unit), Cell::Date(at, other)) => {
                let fine = unit.max(other);
                let all: Option<Vec<i64>> = match unit == fine {
                    true => Some(all),
                    false => all.into_iter().map(|at| dates::scaled(at, unit, fine)).collect(),
                };
                match (all, dates::scaled(at, other, fine)) {
                    (Some(all), Some(at)) => Ok(Date(also(all, at), fine)),
                    _ => Err("and the dates above it do not fit into one unit"),
                }
            }
            (Date(..), _) => Err("is no date"),
            (Bool(_), _) => Err("is no truth value"),
            (Int(_) | Big(_) | Float(_), _) => Err("is no number"),
            (other @ (Self::Wrong(_) | Self::Text(_) | Self::Unsaid(..) | Self::Any(_)), _) => Ok(other),
        }
    }

    /// What the column holds, as `info` says it.
    pub(super) fn dtype(&self) -> &str {
        match self {
            Self::Bool(_) => "bool",
            Self::Int(_) => "int64",
            Self::Big(_) => "uint64",
            Self::None(_) | Self::Float(_) => "float64",
            Self::Date(_, unit) => unit.dtype(),
            Self::Text(_) | Self::Any(_) => "text",
            Self::Wrong(_) | Self::Unsaid(..) => "mixed",
        }
    }

    /// The dtype in which this column meets those of a table before it.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn met(&self, before: Option<Met>) -> Result<Met, String> {
        let own = match self {
            Self::Bool(_) => Met::Bool,
            Self::Int(_) => Met::Int,
            Self::Big(_) => Met::Big,
            Self::Date(_, unit) => Met::Date(*unit),
            Self::Text(_) | Self::Any(_) => Met::Text,
            Self::None(_) | Self::Float(_) | Self::Wrong(_) | Self::Unsaid(..) => Met::Float,
        };
        let kinds =
            |one: &str, other: &str| Err(format!("has columns of {one} and of {other}; choose one kind with '#name'"));
        match (before.unwrap_or(own), own) {
            (Met::Text, Met::Text) => Ok(Met::Text),
            (Met::Text, _) | (_, Met::Text) => kinds("text", "other values"),
            (Met::Date(a), Met::Date(b)) => Ok(Met::Date(a.max(b))),
            (Met::Date(_), _) | (_, Met::Date(_)) => kinds("dates", "other values"),
            (Met::Bool, Met::Bool) => Ok(Met::Bool),
            (Met::Bool, _) | (_, Met::Bool) => kinds("truth values", "numbers"),
            (Met::Float, _) | (_, Met::Float) => Ok(Met::Float),
            (Met::Big, _) | (_, Met::Big) => Ok(Met::Big),
            (Met::Int, Met::Int) => Ok(Met::Int),
        }
    }

    /// A cell in the dtype of a table, in the bits of 64; nothing if it does not fit.
    pub(super) fn bits(&self, row: usize, met: Met) -> Option<u64> {
        let int = |i: i128| match met {
            Met::Float => exact(i).map(f64::to_bits),
            Met::Big => u64::try_from(i).ok(),
            _ => i64::try_from(i).ok().map(|i| i as u64),
        };
        match self {
            Self::Bool(all) => Some(all[row].into()),
            Self::Int(all) => int(all[row].into()),
            Self::Big(all) => int(all[row].into()),
            Self::Float(all) => Some(all[row].to_bits()),
            Self::Date(all, unit) => match met {
                Met::Date(fine) => dates::scaled(all[row], *unit, fine).map(|at| at as u64),
                _ => None,
            },
            Self::None(_) => Some(f64::NAN.to_bits()),
            Self::Wrong(_) | Self::Text(_) | Self::Unsaid(..) | Self::Any(_) => None,
        }
    }
}

/// The dtype of a table, from those of its columns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Met {
    Bool,
    Int,
    Big,
    Float,
    Date(Unit),
    Text,
}

impl Met {
    /// The dtype of the tensor, but for text.
    pub(super) fn dtype(self) -> Option<DType> {
        Some(match self {
            Self::Bool => DType::Bool,
            Self::Int => DType::I64,
            Self::Big => DType::U64,
            Self::Float => DType::F64,
            Self::Date(unit) => DType::foreign(unit.dtype(), 8)?,
            Self::Text => return None,
        })
    }
}
