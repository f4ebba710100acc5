//! What a text may cost. Each text that is read as code is looked at here first, once and from its beginning to its end: how deep it
//! nests, how long its chains and numbers are. The parser, the evaluator and the end of a syntax tree recurse by what is counted
//! here, and by nothing else.

use takewise_dialects::EvalError;

/// Brackets within brackets.
const DEPTH: usize = 90;
/// Operators, subscripts, calls and attributes that hang on each other, in all open brackets together.
const CHAIN: usize = 2000;
/// Digits of a number: Python's own limit.
const DIGITS: usize = 4300;
/// Blocks within blocks, as indentation shows them: Python's own limit.
const INDENTS: usize = 100;
/// Statements of a page.
pub(crate) const STATEMENTS: usize = 10_000;

/// Words that nest expressions without brackets.
const WORDS: [&[u8]; 10] = [b"not", b"if", b"else", b"await", b"yield", b"and", b"or", b"in", b"is", b"from"];

/// A bracket that is open, or the text outside of all.
#[derive(Debug, Clone, Copy)]
struct Open {
    mark: char,
    at: usize,
    /// Links of the chain that is under way in it.
    links: usize,
    /// Links that commas do not end.
    words: usize,
}

/// A string that is open.
#[derive(Debug, Clone)]
struct Quoted {
    mark: u8,
    triple: bool,
    at: usize,
    /// Whether its text holds expressions.
    formatted: bool,
}

/// How far a text has been looked at. It may be given line by line.
#[derive(Debug, Clone)]
pub(crate) struct Scan {
    open: Vec<Open>,
    links: usize,
    quoted: Option<Quoted>,
    indents: Vec<usize>,
    /// `elif` nests without indentation.
    elifs: usize,
    /// Bytes before what is being looked at.
    before: usize,
    /// Whether the last line goes on behind its end.
    continued: bool,
    /// Whether a line begins here.
    fresh: bool,
    /// The last byte that is neither blank nor comment.
    last: u8,
    /// Where the comment of the last line with code begins.
    comment: Option<usize>,
}

impl Default for Scan {
    fn default() -> Self {
        Self {
            open: vec![Open { mark: ' ', at: 0, links: 0, words: 0 }],
            links: 0,
            quoted: None,
            indents: Vec::new(),
            elifs: 0,
            before: 0,
            continued: false,
            fresh: true,
            last: b'\n',
            comment: None,
        }
    }
}

fn wrong(text: &str, at: usize) -> EvalError {
    EvalError::new("SyntaxError", text).at(at..at + 1)
}

impl Scan {
    /// Looks at a whole text.
    ///
    /// # Errors
    /// The `SyntaxError` of a text that costs too much.
    pub(crate) fn of(text: &str) -> Result<Self, EvalError> {
        let mut scan = Self::default();
        scan.feed(text)?;
        Ok(scan)
    }

    /// The innermost bracket or triple quote that is open, and where.
    pub(crate) fn unclosed(&self) -> Option<(char, usize)> {
        match &self.quoted {
            Some(quoted) => quoted.triple.then_some((quoted.mark as char, quoted.at)),
            None => self.open[1..].last().map(|open| (open.mark, open.at)),
        }
    }

    /// Whether the statement goes on in the next line whatever that holds: a bracket or a string is open, the line says so, or it
    /// is the head of a block.
    pub(crate) fn goes_on(&self) -> bool {
        self.unclosed().is_some() || self.continued || self.last == b':'
    }

    /// The comment behind the last statement, with its mark.
    pub(crate) fn comment<'t>(&self, text: &'t str) -> Option<&'t str> {
        text.get(self.comment?..)?.lines().next()
    }

    /// Looks at more of the text.
    ///
    /// # Errors
    /// As [`Scan::of`].
    pub(crate) fn feed(&mut self, text: &str) -> Result<(), EvalError> {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if self.quoted.is_some() {
                at = self.string(text, at)?;
                continue;
            }
            if self.fresh {
                self.fresh = false;
                self.indent(&bytes[at..], at)?;
            }
            at = self.token(bytes, at)?;
        }
        self.before += bytes.len();
        Ok(())
    }

    /// One more link of the chain that is under way.
    fn link(&mut self, word: bool, at: usize) -> Result<(), EvalError> {
        if let Some(open) = self.open.last_mut() {
            *if word { &mut open.words } else { &mut open.links } += 1;
        }
        self.links += 1;
        if self.links > CHAIN { Err(wrong("expression is too long", self.before + at)) } else { Ok(()) }
    }

    /// The chain that is under way ends here; with a statement also what commas do not end.
    fn cut(&mut self, statement: bool) {
        let Some(open) = self.open.last_mut() else { return };
        self.links -= std::mem::take(&mut open.links);
        if statement {
            self.links -= std::mem::take(&mut open.words);
        }
    }

    /// One token, but for the text of strings. Where the next one begins.
    fn token(&mut self, bytes: &[u8], at: usize) -> Result<usize, EvalError> {
        let c = bytes[at];
        if c == b'#' {
            self.comment = Some(self.before + at);
            return Ok(bytes[at..].iter().position(|c| matches!(c, b'\n' | b'\r')).map_or(bytes.len(), |n| at + n));
        }
        if matches!(c, b' ' | b'\t' | b'\x0c') {
            return Ok(at + 1);
        }
        if !matches!(c, b'\n' | b'\r') {
            (self.last, self.continued, self.comment) = (c, false, None);
        }
        match c {
            b'\n' => {
                if self.open.len() == 1 && !self.continued {
                    self.cut(true);
                    self.fresh = true;
                }
                self.continued = false;
            }
            // Who reads a lone one as an end of line reads another text than who does not.
            b'\r' if bytes.get(at + 1).is_some_and(|c| *c != b'\n') => {
                return Err(wrong("a carriage return that ends no line", self.before + at));
            }
            b'\\' => {
                let end = if bytes.get(at + 1) == Some(&b'\r') { 2 } else { 1 };
                self.continued = bytes.get(at + end).is_none_or(|c| *c == b'\n');
                return Ok(at + if self.continued { end } else { 1 });
            }
            b'\'' | b'"' => return Ok(self.begin(bytes, at, false)),
            b'(' | b'[' | b'{' => {
                self.open.push(Open { mark: c as char, at: self.before + at, links: 0, words: 0 });
                if self.open.len() > DEPTH + 1 {
                    return Err(wrong("too many nested parentheses", self.before + at));
                }
            }
            b')' | b']' | b'}' => {
                if self.open.len() > 1 {
                    self.cut(true);
                    self.open.pop();
                }
                // What is closed may be a link of the chain around it: `x[0]`.
                self.link(false, at)?;
            }
            b',' => self.cut(false),
            b';' => self.cut(self.open.len() == 1),
            b'0'..=b'9' => {
                let end = word_end(bytes, at);
                if end - at > DIGITS {
                    return Err(wrong("a number has too many digits", self.before + at));
                }
                return Ok(end);
            }
            b'_' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => {
                let end = word_end(bytes, at);
                let word = &bytes[at..end];
                let quoted = matches!(bytes.get(end), Some(b'\'' | b'"')) && word.len() <= 2;
                if quoted && word.iter().all(|c| matches!(c.to_ascii_lowercase(), b'r' | b'b' | b'f' | b'u')) {
                    return Ok(self.begin(bytes, end, word.iter().any(|c| c.eq_ignore_ascii_case(&b'f'))));
                }
                self.elifs += usize::from(word == b"elif");
                if self.elifs > CHAIN {
                    return Err(wrong("too many statically nested blocks", self.before + at));
                }
                if word == b"lambda" {
                    self.link(true, at)?;
                } else if WORDS.contains(&word) {
                    self.link(false, at)?;
                }
                return Ok(end);
            }
            b'$' | b'?' | b'!' | b'`' => {}
            c if c.is_ascii_punctuation() => self.link(false, at)?,
            _ => {}
        }
        Ok(at + 1)
    }

    /// The indentation of a line, unless it is empty or a comment.
    fn indent(&mut self, line: &[u8], at: usize) -> Result<(), EvalError> {
        let width = line.iter().take_while(|c| matches!(c, b' ' | b'\t')).count();
        if self.open.len() > 1 || matches!(line.get(width), None | Some(b'\n' | b'\r' | b'#')) {
            return Ok(());
        }
        while self.indents.last().is_some_and(|last| *last > width) {
            self.indents.pop();
        }
        if self.indents.last().is_none_or(|last| *last < width) {
            self.indents.push(width);
        }
        if self.indents.len() > INDENTS + 1 {
            return Err(wrong("too many levels of indentation", self.before + at));
        }
        Ok(())
    }

    /// A string begins. Where its text does.
    fn begin(&mut self, bytes: &[u8], at: usize, formatted: bool) -> usize {
        let mark = bytes[at];
        let triple = bytes[at..].starts_with(&[mark; 3]);
        let text = at + if triple { 3 } else { 1 };
        self.last = mark;
        self.quoted = Some(Quoted { mark, triple, at: self.before + at, formatted });
        text
    }

    /// The text of the string that is open. Where it ends.
    fn string(&mut self, text: &str, start: usize) -> Result<usize, EvalError> {
        let Some(Quoted { mark, triple, formatted, .. }) = self.quoted.clone() else { return Ok(start) };
        let bytes = text.as_bytes();
        let mut at = start;
        let mut end = None;
        while at < bytes.len() && end.is_none() {
            match bytes[at] {
                b'\\' if bytes.get(at + 1) != Some(&b'\r') => at += 1,
                b'\\' if bytes.get(at + 2).is_none_or(|c| *c == b'\n') => at += 2,
                // A string of one line that is not closed in it: the parser says so.
                b'\n' if !triple => end = Some(at),
                b'\r' if !triple && bytes.get(at + 1) != Some(&b'\n') => {
                    return Err(wrong("a carriage return that ends no line", self.before + at));
                }
                c if c == mark && !triple => end = Some(at + 1),
                c if c == mark && bytes[at..].starts_with(&[mark; 3]) => end = Some(at + 3),
                _ => {}
            }
            at += 1;
        }
        let stop = end.unwrap_or(bytes.len());
        if formatted {
            // Its expressions are read as others are. What is given in parts is looked at in parts.
            let inner = text.get(start..stop).unwrap_or_default();
            Self::default().inner(inner.strip_suffix(mark as char).unwrap_or(inner), self.before + start)?;
        }
        if end.is_some() {
            self.quoted = None;
        }
        Ok(stop)
    }

    /// Looks at the text of a formatted string.
    fn inner(mut self, text: &str, before: usize) -> Result<(), EvalError> {
        self.before = before;
        self.fresh = false;
        self.feed(text)
    }
}

/// Where a word or a number ends.
fn word_end(bytes: &[u8], at: usize) -> usize {
    let inside = |c: &u8| c.is_ascii_alphanumeric() || *c == b'_' || *c >= 0x80;
    bytes[at..].iter().position(|c| !inside(c)).map_or(bytes.len(), |n| at + n)
}

/// A statement that is given line by line.
///
/// ```
/// use takewise_notation::Pending;
/// let mut pending = Pending::default();
/// pending.push("f([1,");
/// assert!(pending.is_unfinished());
/// pending.push("2])");
/// assert!(!pending.is_unfinished());
/// assert_eq!(pending.source(), "f([1,\n2])");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Pending {
    source: String,
    scan: Scan,
    /// Whether the first line is the head of a block.
    block: bool,
    /// Whether the last line may belong to it.
    inside: bool,
    lines: usize,
    failed: bool,
}

impl Pending {
    /// One more line.
    pub fn push(&mut self, line: &str) {
        if self.lines > 0 {
            self.source.push('\n');
            self.failed |= self.scan.feed("\n").is_err();
        }
        self.source.push_str(line);
        self.failed |= self.failed || self.scan.feed(line).is_err();
        let head = self.scan.last == b':' && self.scan.unclosed().is_none();
        self.block |= self.lines == 0 && head;
        self.inside = line.starts_with([' ', '\t']) || head || self.scan.unclosed().is_some();
        self.lines += 1;
    }

    /// Whether the statement ends before it is whole: with an open bracket, an open string, or the head of a block.
    pub fn is_unfinished(&self) -> bool {
        !self.failed && self.scan.goes_on()
    }

    /// Whether further lines may belong to it as at a prompt: until an empty line ends a block.
    pub fn is_open(&self) -> bool {
        self.is_unfinished() || self.in_block()
    }

    /// Whether it is a block that indented lines belong to.
    pub fn in_block(&self) -> bool {
        !self.failed && self.block && self.inside
    }

    /// The lines so far.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.lines == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> bool {
        Scan::of(text).is_err()
    }

    /// Whatever hangs on each other is counted, however it is written; what stands side by side is not.
    #[test]
    fn chains_are_counted() {
        let long = |part: &str, n: usize| part.repeat(n);
        let deep =
            ["[0]", "(1,2)", ".T", "[0,1].f(2,3)", "+f(1,2)", "==1", " if 1 else 1", "[\n0]", " and 1", "\\\n+1"];
        for part in deep {
            assert!(refused(&format!("x{}", long(part, 3000))), "{part}");
            assert!(refused(&format!("f(x{})", long(part, 3000))), "{part}");
            assert!(!refused(&format!("x{}", long(part, 100))), "{part}");
        }
        for head in ["-", "not ", "lambda a, b: ", "x if 1 else ", "(", "f(", "await ", "~", "lambda:"] {
            assert!(refused(&format!("{}1", long(head, 3000))), "{head}");
            assert!(refused(&format!("f\"{{{}1}}\"", long(head, 3000))), "{head}");
        }
        assert!(refused(&format!("if x:\n y\n{}", long("elif x:\n y\n", 4100))));
        for flat in ["-1, ", "[1, 2], ", "x = 1\n", "x = 1; ", "f(-1), ", "'a' ", "# ----\n", "'-----' "] {
            assert!(!refused(&long(flat, 10_000)), "{flat}");
        }
        assert!(refused("# \r----"), "a comment that ends where no line does");
        assert!(
            refused(&"7".repeat(5000)) && refused(&"1_".repeat(5000)) && refused(&format!("0x{}", "f".repeat(5000)))
        );
        let nested = |n: usize| (0..n).map(|k| format!("{}if 1:\n", " ".repeat(k))).collect::<String>();
        assert!(!refused(&nested(100)) && refused(&nested(102)));
    }

    #[test]
    fn a_statement_in_lines() {
        let open = |lines: &[&str]| {
            let mut pending = Pending::default();
            lines.iter().for_each(|line| pending.push(line));
            (pending.is_unfinished(), pending.is_open())
        };
        for lines in [
            &["f(1,"][..],
            &["'''a", "b"],
            &["x = 1 + \\"],
            &["with f():"],
            &["with f():", "  x[", "0"],
            &["f('''", "'a"],
        ] {
            assert_eq!(open(lines), (true, true), "{lines:?}");
        }
        assert_eq!(open(&["with f():", "  x"]), (false, true));
        for lines in [
            &["x"][..],
            &["f(1,", "2)"],
            &["with f():", "  x", ""],
            &["with f(): x"],
            &["x # ("],
            &["'('"],
            &["\"a", "b"],
        ] {
            assert_eq!(open(lines), (false, false), "{lines:?}");
        }
    }
}
