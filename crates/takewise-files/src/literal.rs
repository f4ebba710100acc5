//! Python literals as npy headers hold them: a dict of strings, numbers, tuples and lists.
//!
//! A parser of its own, because a header comes from strangers: it looks at each byte once, nests no deeper than
//! [`NESTING`] and never computes with more digits than an extent can have.

use super::budget::NESTING;

/// A value of a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Literal {
    /// Text.
    Str(String),
    /// An integer; `None` where it is too large for any use.
    Int(Option<i128>),
    /// `True` or `False`.
    Bool(bool),
    /// `None`.
    Nothing,
    /// `(a, b)`.
    Tuple(Vec<Literal>),
    /// `[a, b]`.
    List(Vec<Literal>),
    /// `{a: b}`.
    Dict(Vec<(Literal, Literal)>),
}

impl Literal {
    /// Reads a text that is one literal.
    ///
    /// # Errors
    /// What is wrong with it, in a few words.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let mut reader = Parser { rest: text, depth: 0 };
        let value = reader.value()?;
        reader.space();
        if reader.rest.is_empty() { Ok(value) } else { Err("text follows the dict") }
    }

    /// The text inside, if this is one.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Str(text) => Some(text),
            _ => None,
        }
    }
}

/// As Python writes it.
impl std::fmt::Display for Literal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |f: &mut std::fmt::Formatter<'_>, items: &[Literal]| {
            items.iter().enumerate().try_for_each(|(i, v)| write!(f, "{}{v}", if i > 0 { ", " } else { "" }))
        };
        match self {
            Self::Str(text) => f.write_str(&crate::escape::quoted(text)),
            Self::Int(Some(i)) => write!(f, "{i}"),
            Self::Int(None) => f.write_str("..."),
            Self::Bool(true) => f.write_str("True"),
            Self::Bool(false) => f.write_str("False"),
            Self::Nothing => f.write_str("None"),
            Self::Tuple(items) => {
                f.write_str("(")?;
                list(f, items)?;
                f.write_str(if items.len() == 1 { ",)" } else { ")" })
            }
            Self::List(items) => {
                f.write_str("[")?;
                list(f, items)?;
                f.write_str("]")
            }
            Self::Dict(items) => {
                f.write_str("{")?;
                for (i, (k, v)) in items.iter().enumerate() {
                    write!(f, "{}{k}: {v}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str("}")
            }
        }
    }
}

struct Parser<'t> {
    rest: &'t str,
    depth: usize,
}

type Result<T, E = &'static str> = std::result::Result<T, E>;

impl Parser<'_> {
    fn space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r', '\x0c']);
    }

    /// Takes `c` if it comes next, after spaces.
    fn eat(&mut self, c: char) -> bool {
        self.space();
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn value(&mut self) -> Result<Literal> {
        self.space();
        match self.rest.chars().next().ok_or("it ends early")? {
            '{' => self.nested(Self::dict),
            '[' => self.nested(|r| r.items(']').map(|(items, _)| Literal::List(items))),
            '(' => self.nested(Self::tuple),
            '\'' | '"' => self.string().map(Literal::Str),
            'u' | 'U' => {
                self.rest = &self.rest[1..];
                self.string().map(Literal::Str)
            }
            '-' | '+' | '0'..='9' => self.number(),
            _ => self.word(),
        }
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Result<Literal>) -> Result<Literal> {
        if self.depth == NESTING {
            return Err("brackets nest too deeply");
        }
        self.depth += 1;
        self.rest = &self.rest[1..];
        let value = read(self);
        self.depth -= 1;
        value
    }

    /// Values up to a closing bracket, and whether a comma came before it.
    fn items(&mut self, close: char) -> Result<(Vec<Literal>, bool)> {
        let (mut items, mut comma) = (Vec::new(), false);
        while !self.eat(close) {
            if !items.is_empty() && !comma {
                return Err("a comma or bracket is missing");
            }
            items.push(self.value()?);
            comma = self.eat(',');
        }
        Ok((items, comma))
    }

    fn tuple(&mut self) -> Result<Literal> {
        let (mut items, comma) = self.items(')')?;
        // One value in parentheses is that value; the comma makes the tuple.
        match items.len() {
            1 if !comma => items.pop().ok_or("it ends early"),
            _ => Ok(Literal::Tuple(items)),
        }
    }

    fn dict(&mut self) -> Result<Literal> {
        let mut items = Vec::new();
        let mut comma = true;
        while !self.eat('}') {
            if !comma {
                return Err("a comma or bracket is missing");
            }
            let key = self.value()?;
            if !self.eat(':') {
                return Err("a colon is missing");
            }
            items.push((key, self.value()?));
            comma = self.eat(',');
        }
        Ok(Literal::Dict(items))
    }

    fn word(&mut self) -> Result<Literal> {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word {
            "True" => Ok(Literal::Bool(true)),
            "False" => Ok(Literal::Bool(false)),
            "None" => Ok(Literal::Nothing),
            _ => Err("it is not a Python dict"),
        }
    }

    /// An integer, with the `L` that Python 2 wrote after long ones.
    fn number(&mut self) -> Result<Literal> {
        let negative = self.rest.starts_with('-');
        let digits = self.rest.trim_start_matches(['-', '+']);
        if self.rest.len() - digits.len() > 1 {
            return Err("it is not a Python dict");
        }
        let end = digits.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(digits.len());
        let (digits, rest) = digits.split_at(end);
        self.rest = rest.strip_prefix('L').unwrap_or(rest);
        if digits.is_empty() || self.rest.starts_with(|c: char| c.is_alphanumeric() || c == '.') {
            return Err("a number is not an integer");
        }
        let mut value = Some(0i128);
        for d in digits.bytes().filter(u8::is_ascii_digit) {
            value = value.and_then(|v| v.checked_mul(10)?.checked_add(i128::from(d - b'0')));
            if value.is_none() {
                break;
            }
        }
        Ok(Literal::Int(value.map(|v| if negative { -v } else { v })))
    }

    fn string(&mut self) -> Result<String> {
        let quote = self.rest.chars().next().filter(|c| matches!(c, '\'' | '"')).ok_or("a string is missing")?;
        let body = &self.rest[1..];
        let mut text = String::new();
        let mut chars = body.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.rest = &body[at + 1..];
                    return Ok(text);
                }
                '\n' => break,
                '\\' => {
                    let code = chars.next().ok_or("a string does not end")?.1;
                    let digits = match code {
                        'x' => 2,
                        'u' => 4,
                        'U' => 8,
                        _ => 0,
                    };
                    text.push(match code {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        '\\' | '\'' | '"' => code,
                        'x' | 'u' | 'U' => {
                            let code: String = chars.by_ref().take(digits).map(|(_, c)| c).collect();
                            let hex = u32::from_str_radix(&code, 16).ok().filter(|_| code.len() == digits);
                            hex.and_then(char::from_u32).ok_or("an escape in a string is wrong")?
                        }
                        _ => return Err("an escape in a string is wrong"),
                    });
                }
                c => text.push(c),
            }
        }
        Err("a string does not end")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_python_writes_reads_back() {
        for text in [
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
            "[('a', '<i2'), ('b', [('c', '>f8', (2, 2))])]",
            "{1: -5, 'k': None, 'e': (), 'l': []}",
            r"'\x1b[31m'",
        ] {
            assert_eq!(Literal::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Literal::parse(" ( 2L , 3L ) "), Literal::parse("(2, 3)"));
        assert_eq!(Literal::parse("(2L)"), Ok(Literal::Int(Some(2))));
        assert_eq!(Literal::parse("u'a'"), Ok(Literal::Str("a".into())));
        assert_eq!(Literal::parse(r"'\u00e9\U0001f600'"), Ok(Literal::Str("é😀".into())));
    }

    #[test]
    fn what_is_no_literal_is_refused() {
        for text in [
            "",
            "{",
            "(",
            "'a",
            "'a\\",
            "{'a'}",
            "{'a' 1}",
            "[1 2]",
            "(,)",
            "[,]",
            "1.5",
            "1e3",
            "0x4",
            "--1",
            "f()",
            "1 2",
            "'\\ud800'",
            "u",
            "é",
            "'\\x1",
        ] {
            assert!(Literal::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn deep_and_long_headers_cost_little() {
        let start = std::time::Instant::now();
        let nested = |n| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(Literal::parse(&nested(NESTING)).is_ok());
        assert!(Literal::parse(&nested(NESTING + 1)).is_err());
        assert!(Literal::parse(&"[".repeat(1 << 20)).is_err());
        assert_eq!(Literal::parse(&"9".repeat(1 << 20)), Ok(Literal::Int(None)));
        let wide = format!("({})", "1, ".repeat(300_000));
        assert!(matches!(Literal::parse(&wide), Ok(Literal::Tuple(items)) if items.len() == 300_000));
        assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    }
}
