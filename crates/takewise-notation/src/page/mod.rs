//! Pages as they are copied from the web: their code is run, and what they show is compared with what it gives.
//!
//! A page may have prompts (`>>>`, or IPython's) or plain lines of code between its paragraphs. Prose, headings and formulas are
//! passed over. Blanks and blank lines that were lost on the way do not matter. What else is wrong in a page is found and said,
//! with the line and with what is right: a name it does not define, a statement it forgot, an output or an equation that does
//! not hold.

mod clean;
mod layout;
mod mend;
mod names;
mod plain;
mod report;

use takewise_dialects::EvalError;

pub use report::{Finding, Kind, Report};

use crate::session::Session;
use crate::syntax;
use crate::transcript::{self, Example};

/// Runs the code of a page and compares.
///
/// ```
/// use takewise_dialects::TORCH;
/// use takewise_notation::{Session, page};
/// let text = "首先 a 是:\n\na = torch.tensor([[0, 1], [2, 3]])\nprint(a)\n\n输出为:\n\ntensor([[0, 1],\n[2, 3]])\n\na[0][1] = 1\n";
/// let report = page::replay(&mut Session::new(&TORCH), text).unwrap();
/// assert!(report.holds());
/// assert_eq!(report.findings[0].line, 4); // the blanks before the second row are lost
/// ```
///
/// # Errors
/// The `SyntaxError` of a text in which no code is found.
pub fn replay(session: &mut Session, text: &str) -> Result<Report, EvalError> {
    let (numbers, lines) = clean::page(text);
    let examples = transcript::parse(&lines.join("\n"));
    let number = |line: usize| numbers.get(line - 1).copied().unwrap_or(line);
    let mut replay = Replay::new(session);
    if !examples.is_empty() {
        replay.seeded = examples.iter().any(|example| names::seeds(&example.source));
        for example in examples {
            replay.example(&Example { line: number(example.line), ..example });
        }
        return Ok(replay.report);
    }
    plain::replay(&mut replay, &lines, &number);
    replay.report.findings.sort_by_key(|finding| finding.line);
    if replay.report.examples == 0 {
        return Err(syntax::parse(text)
            .err()
            .unwrap_or_else(|| EvalError::new("SyntaxError", "there is no code here")));
    }
    Ok(replay.report)
}

/// Whether a text without prompts is a script: it parses, and none of its lines is an output.
pub fn is_script(text: &str) -> bool {
    let (_, lines) = clean::page(text);
    syntax::parse(text).is_ok() && !lines.iter().any(|line| !line.starts_with([' ', '\t']) && layout::is_output(line))
}

/// A page under way.
struct Replay<'s> {
    session: &'s mut Session,
    report: Report,
    /// Names that the page gave a value, the last one last.
    bound: Vec<String>,
    /// Names that it does not define, what they stand for, and whether that has been said.
    aliases: Vec<(String, String, bool)>,
    /// Names whose values were drawn and that the page has not shown.
    drawn: Vec<String>,
    /// Whether the page says which random numbers are drawn.
    seeded: bool,
}

/// A statement and what came of it.
struct Done {
    line: usize,
    source: String,
    got: Vec<String>,
    caret: Option<String>,
}

impl<'s> Replay<'s> {
    fn new(session: &'s mut Session) -> Self {
        let (bound, aliases, drawn) = (Vec::new(), Vec::new(), Vec::new());
        Self { session, report: Report::default(), bound, aliases, drawn, seeded: false }
    }

    /// A statement after a prompt, and what the page shows below it.
    fn example(&mut self, example: &Example) {
        let shown = &example.expected;
        let unnamed = layout::raised(shown).is_some_and(|error| error.starts_with("NameError"));
        let done = self.run(example.line, &example.source, !unnamed);
        let known = self.report.findings.len();
        self.judge(done, shown);
        if example.prompts > 0 && self.report.findings.len() == known {
            self.find(example.line, &example.source, Kind::Layout, shown, Vec::new());
        }
    }

    /// Runs one statement as a prompt would; `mends` says whether undefined names may be read as others.
    fn run(&mut self, line: usize, source: &str, mends: bool) -> Done {
        self.report.examples += 1;
        let source = self.readable(line, source);
        if mends {
            self.resolve(line, &source, true);
        }
        let (got, caret) = transcript::perform(self.session, &source);
        self.bind(&source);
        Done { line, source, got, caret }
    }

    /// The source in Python's own marks.
    fn readable(&mut self, line: usize, source: &str) -> String {
        if syntax::parse(source).is_ok() {
            return source.into();
        }
        let plain = clean::marks(source);
        if plain == source || syntax::parse(&plain).is_err() {
            return source.into();
        }
        let right = plain.lines().map(str::to_owned).collect();
        self.find(line, source, Kind::Marks, &[], right);
        plain.into_owned()
    }

    /// Notes which names a statement has given values, and which of those were drawn.
    fn bind(&mut self, source: &str) {
        let drawn =
            !self.seeded && (names::draws(source) || names::used(source).iter().any(|name| self.drawn.contains(name)));
        let given = names::given(source);
        for name in names::assigned(source) {
            self.bound.retain(|other| *other != name);
            if self.session.get(&name).is_none() {
                continue;
            }
            self.bound.push(name.clone());
            if given.contains(&name) {
                self.aliases.retain(|(alias, ..)| *alias != name);
                self.drawn.retain(|other| *other != name);
            }
            if drawn && !self.drawn.contains(&name) {
                self.drawn.push(name);
            }
        }
    }

    /// Compares what a statement gave with what the page shows.
    fn judge(&mut self, done: Done, shown: &[String]) {
        let failed = layout::raised(&done.got).is_some();
        if shown.is_empty() {
            let kind = match failed {
                true if is_import(&done) => Kind::Module,
                true => Kind::Differs,
                false => Kind::Unshown,
            };
            if !done.got.is_empty() {
                self.finding(done, kind, &[]);
            }
            return;
        }
        if let Some(count) = layout::taken(shown, &done.got) {
            let rest: Vec<&String> = shown[count..].iter().filter(|line| !line.trim().is_empty()).collect();
            let prose = rest.first().is_none_or(|line| !layout::is_output(line)) || layout::is_gutter(&rest);
            if prose {
                let exact = shown[..count].iter().map(|line| line.trim_end()).eq(done.got.iter().map(String::as_str));
                if !exact && !failed {
                    self.finding(done, Kind::Layout, &shown[..count]);
                }
                return;
            }
        }
        if done.got.is_empty() && !layout::is_output(&shown[0]) {
            return;
        }
        match self.mended(&done, shown) {
            Some(Kind::Random { taken: true }) => {
                self.find(done.line, &done.source, Kind::Random { taken: true }, shown, Vec::new());
                // Now they can be compared.
                let (got, caret) = transcript::perform(self.session, &done.source);
                self.judge(Done { got, caret, ..done }, shown);
            }
            kind => self.finding(done, kind.unwrap_or(Kind::Differs), shown),
        }
    }

    fn finding(&mut self, done: Done, kind: Kind, shown: &[String]) {
        let Done { line, source, got: right, caret } = done;
        self.report.findings.push(Finding { line, source, kind, shown: shown.to_vec(), right, caret });
    }

    fn find(&mut self, line: usize, source: &str, kind: Kind, shown: &[String], right: Vec<String>) {
        let (source, shown) = (source.to_owned(), shown.to_vec());
        self.report.findings.push(Finding { line, source, kind, shown, right, caret: None });
    }
}

/// Whether a statement failed because it imports what is not here.
fn is_import(done: &Done) -> bool {
    layout::raised(&done.got).is_some_and(|error| error.starts_with("ModuleNotFoundError"))
}

#[cfg(test)]
mod tests;
