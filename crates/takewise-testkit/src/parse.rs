//! The text form of a subscript: `0, 1:3, ..., None, ::2, [0, 2], [[True, False]], @name`.
//!
//! Used by the command line, tests and docs. Python's notation, except that arrays are named with `@`.

use std::fmt;
use std::ops::Range;
use takewise::{Element, Index, Layout, Slice, View};

/// One parsed item and where it stands in the text (bytes).
///
/// ```
/// use takewise_testkit::parse::{Item, Parsed, parse};
/// assert_eq!(parse("-3").unwrap(), [Parsed { item: Item::Int(-3), span: 0..2 }]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parsed {
    /// What it says.
    pub item: Item,
    /// Where it says so.
    pub span: Range<usize>,
}

/// A subscript item as text can say it.
///
/// ```
/// use takewise_testkit::parse::{Item, parse};
/// let items: Vec<Item> = parse("None, [0, 2], @rows").unwrap().into_iter().map(|p| p.item).collect();
/// assert_eq!(items, [Item::NewAxis, Item::Ints(vec![2], vec![0, 2]), Item::Name("rows".into())]);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    /// `-3`.
    Int(i64),
    /// `1:3`, `::2`.
    Range(Slice),
    /// `None` or `newaxis`.
    NewAxis,
    /// `...`.
    Ellipsis,
    /// `True` or `False`.
    Bool(bool),
    /// `[0, 2]`, nested for higher ranks; the shape and the row-major values.
    Ints(Vec<usize>, Vec<i64>),
    /// `[True, False]`.
    Bools(Vec<usize>, Vec<bool>),
    /// `@name`: an array given beside the text.
    Name(String),
}

/// Why a text is no subscript, and where.
///
/// ```
/// let error = takewise_testkit::parse::parse("0, x").unwrap_err();
/// assert_eq!(error.span.start, 3);
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// What is wrong.
    pub message: String,
    /// The bytes of the text it concerns.
    pub span: Range<usize>,
}

impl ParseError {
    /// The text, with a caret under the offending part.
    pub fn caret(&self, text: &str) -> String {
        let column = text.get(..self.span.start).map_or(0, |s| s.chars().count());
        let width = text.get(self.span.clone()).map_or(1, |s| s.chars().count().max(1));
        format!("{text}\n{}{}", " ".repeat(column), "^".repeat(width))
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at column {})", self.message, self.span.start + 1)
    }
}

impl std::error::Error for ParseError {}

type Parse<T> = Result<T, ParseError>;

/// Parses a subscript, with or without its brackets' content being a tuple in parentheses.
///
/// ```
/// use takewise_testkit::parse::{Item, parse};
/// let items = parse("0, ..., 1:3").unwrap();
/// assert_eq!((items.len(), &items[1].item, items[2].span.clone()), (3, &Item::Ellipsis, 8..11));
/// let e = parse("0, 1:x").unwrap_err();
/// assert_eq!(e.caret("0, 1:x"), "0, 1:x\n     ^");
/// ```
pub fn parse(text: &str) -> Parse<Vec<Parsed>> {
    let mut p = Parser { text, at: 0 };
    let mut items = Vec::new();
    p.space();
    while p.at < text.len() {
        let start = p.at;
        let item = p.item()?;
        items.push(Parsed { item, span: start..p.at });
        p.space();
        if p.at < text.len() && !p.eat(",") {
            return Err(p.error_here("expected a comma"));
        }
        p.space();
    }
    Ok(items)
}

/// The items as a subscript; `named` looks up what `@name` stands for.
pub fn bind<'a>(items: &'a [Parsed], named: impl Fn(&str) -> Option<Index<'a>>) -> Parse<Vec<Index<'a>>> {
    let bound = items.iter().map(|p| {
        let error = |message: String| ParseError { message, span: p.span.clone() };
        Ok(match &p.item {
            Item::Int(i) => Index::Int(*i),
            Item::Range(s) => Index::Range(*s),
            Item::NewAxis => Index::NewAxis,
            Item::Ellipsis => Index::Ellipsis,
            Item::Bool(b) => Index::Bool(*b),
            Item::Ints(shape, values) => array(values, shape).map_err(error)?,
            Item::Bools(shape, values) => array(values, shape).map_err(error)?,
            Item::Name(name) => named(name).ok_or_else(|| error(format!("no array is named {name}")))?,
        })
    });
    bound.collect()
}

fn array<'a, T: Element>(values: &'a [T], shape: &[usize]) -> Result<Index<'a>, String> {
    Layout::contiguous(shape, size_of::<T>()).map_err(|e| e.text())?;
    View::new(values, shape).map(Index::from).map_err(|e| e.text())
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

/// A list under construction: extents of finished levels and leaves so far.
enum Leaves {
    None,
    Ints(Vec<i64>),
    Bools(Vec<bool>),
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    /// An error at the next character.
    fn error_here(&self, message: impl Into<String>) -> ParseError {
        let width = self.rest().chars().next().map_or(0, char::len_utf8);
        ParseError { message: message.into(), span: self.at..self.at + width }
    }

    fn word(&mut self) -> &str {
        let start = self.at;
        self.at += self.rest().find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest().len());
        &self.text[start..self.at]
    }

    fn int(&mut self) -> Parse<Option<i64>> {
        let start = self.at;
        let rest = self.rest();
        let sign = usize::from(rest.starts_with(['-', '+']));
        let digits = rest[sign..].find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(rest.len() - sign);
        if digits == 0 {
            return Ok(None);
        }
        self.at += sign + digits;
        let span = start..self.at;
        let value = self.text[span.clone()].replace('_', "").parse();
        value.map(Some).map_err(|_| ParseError { message: "not a 64-bit integer".into(), span })
    }

    fn item(&mut self) -> Parse<Item> {
        if self.eat("...") {
            return Ok(Item::Ellipsis);
        }
        if self.eat("@") {
            let name = self.word().to_owned();
            if name.is_empty() {
                return Err(self.error_here("expected a name after @"));
            }
            return Ok(Item::Name(name));
        }
        if self.rest().starts_with('[') {
            return self.list();
        }
        if self.rest().starts_with(|c: char| c.is_alphabetic()) {
            let start = self.at;
            return match self.word() {
                "None" | "newaxis" => Ok(Item::NewAxis),
                "True" => Ok(Item::Bool(true)),
                "False" => Ok(Item::Bool(false)),
                other => Err(ParseError {
                    message: format!("{other} is no subscript; name an array as @{other}"),
                    span: start..self.at,
                }),
            };
        }
        let first = self.int()?;
        self.space();
        if !self.eat(":") {
            return first.map(Item::Int).ok_or_else(|| self.error_here("expected an index"));
        }
        let mut slice = Slice { start: first, stop: self.bound()?, step: None };
        if self.eat(":") {
            slice.step = self.bound()?;
        }
        Ok(Item::Range(slice))
    }

    /// A bound of a slice, up to the next colon or comma.
    fn bound(&mut self) -> Parse<Option<i64>> {
        self.space();
        let bound = self.int()?;
        self.space();
        let done = self.rest().is_empty() || self.rest().starts_with([':', ',']);
        if done { Ok(bound) } else { Err(self.error_here("expected an integer, a colon or a comma")) }
    }

    fn list(&mut self) -> Parse<Item> {
        let mut leaves = Leaves::None;
        let shape = self.level(&mut leaves, 0)?;
        Ok(match leaves {
            Leaves::Bools(values) => Item::Bools(shape, values),
            Leaves::Ints(values) => Item::Ints(shape, values),
            Leaves::None => Item::Ints(shape, Vec::new()),
        })
    }

    /// One bracketed level; returns the shape from here inwards.
    fn level(&mut self, leaves: &mut Leaves, depth: usize) -> Parse<Vec<usize>> {
        let start = self.at;
        if depth > 32 {
            return Err(self.error_here("lists are nested too deep"));
        }
        self.eat("[");
        let mut inner: Option<Vec<usize>> = None;
        let mut count = 0;
        loop {
            self.space();
            if self.eat("]") {
                break;
            }
            let shape = if self.rest().starts_with('[') {
                self.level(leaves, depth + 1)?
            } else {
                self.leaf(leaves)?;
                Vec::new()
            };
            count += 1;
            if inner.get_or_insert_with(|| shape.clone()) != &shape {
                return Err(ParseError { message: "rows of a list differ in length".into(), span: start..self.at });
            }
            self.space();
            if !self.eat(",") && !self.rest().starts_with(']') {
                return Err(self.error_here("expected a comma or ]"));
            }
        }
        let mut shape = vec![count];
        shape.extend(inner.unwrap_or_default());
        Ok(shape)
    }

    fn leaf(&mut self, leaves: &mut Leaves) -> Parse<()> {
        let start = self.at;
        let mixed = |p: &Self| ParseError { message: "integers and bools in one list".into(), span: start..p.at };
        if let Some(i) = self.int()? {
            match leaves {
                Leaves::None => *leaves = Leaves::Ints(vec![i]),
                Leaves::Ints(v) => v.push(i),
                Leaves::Bools(_) => return Err(mixed(self)),
            }
            return Ok(());
        }
        let b = match self.word() {
            "True" => true,
            "False" => false,
            _ => {
                self.at = start;
                return Err(self.error_here("expected an integer, True or False"));
            }
        };
        match leaves {
            Leaves::None => *leaves = Leaves::Bools(vec![b]),
            Leaves::Bools(v) => v.push(b),
            Leaves::Ints(_) => return Err(mixed(self)),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let items = parse(text).unwrap();
        let bound = bind(&items, |_| Some(Index::NewAxis)).unwrap();
        bound.iter().map(|i| i.to_string()).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn prints_as_it_reads() {
        for text in ["", "0", "-1, 1:3, ...", "::2, None, True, False", ":, 1:, :-2, ::-1"] {
            assert_eq!(shown(text), text);
        }
        assert_eq!(shown(" [0,1] ,[[True],[False]], [], @m,"), "int64[2], bool[2, 1], int64[0], None");
        assert_eq!(shown("1 : 3 : 2, 1_000"), "1:3:2, 1000");
    }

    #[test]
    fn says_where_it_fails() {
        for (text, column, about) in [
            ("0 1", 2, "comma"),
            ("0,,1", 2, "index"),
            ("x", 0, "@x"),
            ("1:2:3:4", 5, "comma"),
            ("[1, True]", 4, "one list"),
            ("[[1],[2,3]]", 0, "differ"),
            ("[1", 2, "]"),
            ("99999999999999999999", 0, "64-bit"),
            ("1.5", 1, "comma"),
            ("@", 1, "name"),
            ("é", 0, "@é"),
        ] {
            let e = parse(text).unwrap_err();
            assert!(e.message.contains(about), "{text}: {}", e.message);
            assert_eq!(e.span.start, column, "{text}: {}", e.message);
            assert!(e.caret(text).starts_with(text));
        }
        let items = parse("0, @who").unwrap();
        assert_eq!(bind(&items, |_| None).unwrap_err().span, 3..7);
    }
}
