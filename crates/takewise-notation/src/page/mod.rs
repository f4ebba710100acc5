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

pub use report::{Finding, Kind, PageReport};

use crate::budget::{STATEMENTS, Scan};
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
pub fn replay(session: &mut Session, text: &str) -> Result<PageReport, EvalError> {
    let (numbers, lines) = clean::page(text);
    let examples = transcript::parse(&lines.join("\n"));
    let number = |line: usize| numbers.get(line - 1).copied().unwrap_or(line);
    let mut replay = Replay::new(session);
    if examples.len() > STATEMENTS {
        return Err(too_long());
    }
    if !examples.is_empty() {
        replay.seeded = examples.iter().any(|example| names::seeds(&example.source));
        let mut seen = vec![false; lines.len()];
        for example in examples {
            let from = example.line - 1;
            let to = from + example.source.lines().count().max(1) + example.expected.len();
            seen[from..to.min(lines.len())].fill(true);
            replay.example(&Example { line: number(example.line), ..example });
        }
        // Code without prompts is not run between prompts; what it shows is not passed over without a word.
        let mut at = 0;
        while at < lines.len() {
            let shown = if seen[at] { None } else { outputs_at(&lines[at..]) };
            let taken = shown.as_ref().map_or(1, |(_, taken)| *taken);
            if let Some((shown, _)) = shown {
                replay.uncompared(number(at + 1), &shown);
            }
            at += taken;
        }
        return Ok(replay.report);
    }
    plain::replay(&mut replay, &lines, &number)?;
    replay.report.findings.sort_by_key(|finding| finding.line);
    if replay.report.examples == 0 {
        return Err(syntax::parse(text)
            .err()
            .unwrap_or_else(|| EvalError::new("SyntaxError", "there is no code here")));
    }
    Ok(replay.report)
}

/// What looks like an output beyond doubt at the first line, as it is or in comments, and its lines.
fn outputs_at(lines: &[String]) -> Option<(Vec<String>, usize)> {
    if layout::is_array(layout::unmarked(&lines[0])) && !lines[0].trim_start().starts_with('#') {
        let taken = layout::unit(&lines[..lines.len().min(LONGEST)]);
        return Some((lines[..taken].to_vec(), taken));
    }
    layout::commented(&lines[..lines.len().min(LONGEST)]).filter(|(shown, _)| layout::is_array(&shown[0]))
}

fn too_long() -> EvalError {
    EvalError::new("SyntaxError", format!("a page of more than {STATEMENTS} statements is not read"))
}

/// Whether a text without prompts is a script: it parses, and none of its lines is an output.
pub fn is_script(text: &str) -> bool {
    let (_, lines) = clean::page(text);
    let shows = |line: &String| {
        let comment = Scan::of(line).ok().and_then(|scan| scan.comment(line).map(layout::unmarked));
        !line.starts_with([' ', '\t']) && layout::is_output(layout::unmarked(line))
            || comment.is_some_and(layout::is_output)
    };
    syntax::parse(text).is_ok() && !lines.iter().any(shows)
}

/// A page under way.
struct Replay<'s> {
    session: &'s mut Session,
    report: PageReport,
    /// Names that the page gave a value, the last one last.
    bound: Vec<String>,
    /// Names that it does not define, what they stand for, and whether that has been said.
    aliases: Vec<(String, String, bool)>,
    /// Names whose values were drawn and that the page has not shown.
    drawn: Vec<String>,
    /// Whether the page says which random numbers are drawn.
    seeded: bool,
    /// Names that may still be compared with others to find what is meant.
    looks: usize,
}

/// Lines of an output that is not compared.
const LONGEST: usize = 80;

/// Names that are compared with others in a page.
const LOOKS: usize = 200_000;

/// Names a page may use that it does not define.
const ALIASES: usize = 100;

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
        Self { session, report: PageReport::default(), bound, aliases, drawn, seeded: false, looks: LOOKS }
    }

    /// A statement after a prompt, and what the page shows below it.
    fn example(&mut self, example: &Example) {
        let commented = match example.expected.first() {
            Some(first) if first.trim_start().starts_with('#') => {
                layout::commented(&example.expected).map(|(shown, _)| shown)
            }
            Some(_) => None,
            None => remark(&example.source),
        };
        let beside = commented.is_some();
        let shown = commented.as_ref().unwrap_or(&example.expected);
        let unnamed = layout::raised(shown).is_some_and(|error| error.starts_with("NameError"));
        let done = self.run(example.line, &example.source, !unnamed);
        let known = self.report.findings.len();
        match beside {
            true => self.beside(done, shown),
            false => self.judge(done, shown),
        }
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
            let prose = rest.first().is_none_or(|line| !layout::is_output(line)) || layout::gutter(&rest) == rest.len();
            if prose {
                self.report.compared += 1;
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
        self.report.compared += 1;
        match self.mended(&done, shown) {
            Some(Kind::Random { taken: true }) => {
                self.find(done.line, &done.source, Kind::Random { taken: true }, shown, Vec::new());
                // Now they can be compared.
                let (got, caret) = transcript::perform(self.session, &done.source);
                self.judge(Done { got, caret, ..done }, shown);
            }
            Some(kind @ Kind::Random { .. }) => {
                self.report.compared -= 1;
                self.finding(done, kind, shown);
            }
            kind => self.finding(done, kind.unwrap_or(Kind::Differs), shown),
        }
    }

    /// Compares what a statement gave, or gave a name, with a remark that shows it. A remark may leave the names of types away.
    fn beside(&mut self, done: Done, shown: &[String]) {
        let mut done = done;
        let named = if done.got.is_empty() { names::assigned(&done.source).pop() } else { None };
        if let Some(name) = &named {
            let (got, caret) = transcript::perform(self.session, name);
            (done.got, done.caret) = (got, caret);
        }
        let alike =
            |got: &[String]| layout::taken(shown, got) == Some(shown.len()) || layout::bare(shown) == layout::bare(got);
        let mut right = !done.got.is_empty() && alike(&done.got);
        let shape = shown.len() == 1 && layout::is_shape(&shown[0]);
        if let (false, true, Some(name)) = (right, shape, &named) {
            right = alike(&transcript::perform(self.session, &format!("{name}.shape")).0);
        }
        match right {
            true => self.report.compared += 1,
            // It may be a shape, or about something else than the value.
            false
                if layout::raised(&done.got).is_none()
                    && (shape || named.is_some() && !layout::is_array(&shown[0])) =>
            {
                self.uncompared(done.line, shown);
            }
            false => self.judge(done, shown),
        }
    }

    fn uncompared(&mut self, line: usize, shown: &[String]) {
        self.find(line, "", Kind::Uncompared, shown, Vec::new());
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

/// What the comment behind a statement shows, if that is an output.
fn remark(source: &str) -> Option<Vec<String>> {
    let scan = Scan::of(source).ok()?;
    let text = layout::unmarked(scan.comment(source)?);
    layout::is_output(text).then(|| vec![text.to_owned()])
}

/// Whether a statement failed because it imports what is not here.
fn is_import(done: &Done) -> bool {
    layout::raised(&done.got).is_some_and(|error| error.starts_with("ModuleNotFoundError"))
}

#[cfg(test)]
mod tests;
