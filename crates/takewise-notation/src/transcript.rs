//! Transcripts: `>>>` lines and the output they are expected to give.
//!
//! The format is that of Python's doctest with two allowances. torch prints blank lines inside
//! tensors of rank 3 and more, so a blank line ends the expected output only when no bracket is
//! open. And a `>>>` line that finds the previous one unfinished continues it, as documents copied
//! from a prompt often show it; a prompt before a line of numbers inside an open bracket of an output
//! belongs to that output. Text outside examples is prose and is skipped.

use takewise_dialects::EvalError;

use crate::budget::Pending;
use crate::session::Session;

/// One statement of a transcript and what should follow it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// Line number of the first `>>>`, from 1.
    pub line: usize,
    /// The statement, continuation lines included.
    pub source: String,
    /// Expected output lines, trailing blanks removed.
    pub expected: Vec<String>,
    /// How many of them stand after a prompt, as if they were statements.
    pub prompts: usize,
}

/// An example whose output differed.
#[derive(Debug, Clone)]
pub struct Mismatch {
    /// The example that failed.
    pub example: Example,
    /// What came out instead.
    pub got: Vec<String>,
    /// Where in the statement the error arose, when it was one.
    pub caret: Option<String>,
}

/// The outcome of checking one transcript.
#[derive(Debug, Default)]
pub struct Report {
    /// Examples that gave what was expected.
    pub passed: usize,
    /// Examples that did not, in order.
    pub failed: Vec<Mismatch>,
    /// Those that show an output.
    pub compared: usize,
}

impl Report {
    /// One line about the whole transcript.
    pub fn summary(&self) -> String {
        let total = self.passed + self.failed.len();
        let lines: Vec<String> = self.failed.iter().map(|m| m.example.line.to_string()).collect();
        match lines.is_empty() {
            true if self.compared == 0 => format!("{total} examples, nothing compared"),
            true => format!("{total} examples, all as expected"),
            false => format!("{} of {total} examples differ (lines {})", lines.len(), lines.join(", ")),
        }
    }
}

/// Splits a transcript into examples.
///
/// ```
/// let text = ">>> x = torch.tensor([[1],\n...                   [2]])\n>>> x.shape\ntorch.Size([2, 1])\n";
/// let examples = takewise_notation::transcript::parse(text);
/// assert_eq!(examples.len(), 2);
/// assert_eq!(examples[1].expected, ["torch.Size([2, 1])"]);
/// ```
pub fn parse(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut state = State::Prose;
    let mut indent = 0;
    // The statement of the last example, and the brackets that its output leaves open.
    let (mut pending, mut open) = (Pending::default(), 0);
    for (number, raw) in text.lines().enumerate() {
        let line = raw.trim_end();
        if let Some(code) = prompt(line.trim_start(), ">>>") {
            if let (State::Output { traceback: false }, Some(last)) = (&state, examples.last_mut())
                && open > 0
                && is_numbers(code)
            {
                open += depth(&[code]);
                last.expected.push(dedent(&line.replacen(">>>", "   ", 1), indent).into());
                last.prompts += 1;
                continue;
            }
            indent = line.len() - line.trim_start().len();
            match (&state, examples.last_mut()) {
                (State::Source, Some(last)) if pending.is_unfinished() => push_line(&mut last.source, code),
                _ => {
                    pending = Pending::default();
                    let (source, expected) = (code.into(), Vec::new());
                    examples.push(Example { line: number + 1, source, expected, prompts: 0 });
                }
            }
            pending.push(code);
            state = State::Source;
            continue;
        }
        let Some(last) = examples.last_mut() else { continue };
        // A fence closes the block a page of Markdown shows its examples in.
        if line.trim_start().starts_with("```") {
            state = State::Prose;
            continue;
        }
        match state {
            State::Source => match prompt(line.trim_start(), "...") {
                Some(code) if pending.is_unfinished() || code.is_empty() || is_block(&last.source) => {
                    push_line(&mut last.source, code);
                    pending.push(code);
                }
                _ if line.is_empty() => state = State::Prose,
                _ => {
                    let line = dedent(line, indent);
                    open = depth(&[line]);
                    last.expected.push(line.into());
                    state = State::Output { traceback: is_traceback(line) };
                }
            },
            State::Output { traceback } if line.is_empty() => {
                if traceback || open <= 0 {
                    state = State::Prose;
                } else {
                    last.expected.push(String::new());
                }
            }
            State::Output { .. } => {
                open += depth(&[line]);
                last.expected.push(dedent(line, indent).into());
            }
            State::Prose => {}
        }
    }
    for example in &mut examples {
        while example.expected.last().is_some_and(String::is_empty) {
            example.expected.pop();
        }
    }
    examples
}

enum State {
    Prose,
    Source,
    Output { traceback: bool },
}

/// The line without the indentation its prompt had.
fn dedent(line: &str, indent: usize) -> &str {
    let own = line.len() - line.trim_start().len();
    &line[own.min(indent)..]
}

/// The code after a prompt: `>>> x`, or a bare `>>>`.
fn prompt<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(mark)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix([' ', '\t']) }
}

fn push_line(source: &mut String, line: &str) {
    source.push('\n');
    source.push_str(line);
}

/// Whether the source begins with the head of a block, to which the lines under it belong.
fn is_block(source: &str) -> bool {
    source.lines().next().is_some_and(|line| line.trim_end().ends_with(':'))
}

pub(crate) fn is_traceback(line: &str) -> bool {
    line.starts_with("Traceback (most recent call last)")
}

/// Whether a line goes on with the rows of an array: brackets, numbers and what is between them.
fn is_numbers(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(['[', ']', ')', '-']) || line.starts_with(|c: char| c.is_ascii_digit())
}

/// Brackets opened less brackets closed over some output lines.
pub(crate) fn depth(lines: &[impl AsRef<str>]) -> i64 {
    lines.iter().flat_map(|l| l.as_ref().bytes()).fold(0, |d, b| match b {
        b'[' | b'(' => d + 1,
        b']' | b')' => d - 1,
        _ => d,
    })
}

/// Runs the examples in order in one session and compares.
pub fn check(session: &mut Session, examples: &[Example]) -> Report {
    let mut report = Report::default();
    for example in examples {
        let (got, caret) = perform(session, &example.source);
        report.compared += usize::from(!example.expected.is_empty());
        if agree(&example.expected, &got) {
            report.passed += 1;
        } else {
            report.failed.push(Mismatch { example: example.clone(), got, caret });
        }
    }
    report
}

/// What a prompt would show after a statement: printed text, then the value or the traceback.
pub fn perform(session: &mut Session, source: &str) -> (Vec<String>, Option<String>) {
    let outcome = session.exec_unread(source).and_then(|value| value.map(|value| session.repr(&value)).transpose());
    let mut text = session.take_output();
    let mut caret = None;
    match outcome {
        Ok(Some(shown)) => text.push_str(&shown),
        Ok(None) => {}
        Err(error) => {
            text.push_str(&traceback(&error));
            caret = error.span().map(|span| takewise_dialects::caret(source, span));
        }
    }
    let mut lines: Vec<String> = text.lines().map(|l| l.trim_end().to_owned()).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    (lines, caret)
}

fn traceback(error: &EvalError) -> String {
    format!("Traceback (most recent call last):\n{error}")
}

/// Whether the output is the expected one. Of a traceback only the class and first line count.
pub fn agree(expected: &[String], got: &[String]) -> bool {
    match (raised(expected), raised(got)) {
        (Some(want), Some(have)) => want == have,
        (None, None) => expected == got,
        _ => false,
    }
}

/// The `Class: text` line of a traceback, and any output before it.
fn raised(lines: &[String]) -> Option<(&[String], &str)> {
    let start = lines.iter().position(|l| is_traceback(l))?;
    let line = lines[start + 1..].iter().find(|l| !l.starts_with(' '))?;
    Some((&lines[..start], unadvised(line)))
}

/// An error's line without what may have been meant, which Python adds when it shows one.
pub(crate) fn unadvised(line: &str) -> &str {
    line.split_once(". Did you mean: ").map_or(line, |(error, _)| error)
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "line {}:", self.example.line)?;
        for line in self.example.source.lines() {
            writeln!(f, "    {line}")?;
        }
        for (title, lines) in [("expected", &self.example.expected), ("got", &self.got)] {
            writeln!(f, "  {title}:")?;
            if lines.is_empty() {
                writeln!(f, "    (nothing)")?;
            }
            for line in lines {
                writeln!(f, "    {line}")?;
            }
        }
        if let Some(caret) = &self.caret {
            writeln!(f, "  at:")?;
            for line in caret.lines() {
                writeln!(f, "  {line}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_inside_a_tensor_belong_to_it() {
        let text = ">>> d\ntensor([[[1]],\n\n        [[2]]])\n\nprose\n>>> 1\n1\n";
        let examples = parse(text);
        assert_eq!(examples[0].expected, ["tensor([[[1]],", "", "        [[2]]])"]);
        assert_eq!((examples[1].line, examples[1].expected.len()), (7, 1));
    }

    #[test]
    fn a_prompt_inside_an_output_belongs_to_it() {
        let examples = parse(">>> b\ntensor([[4, 5],\n>>>     [0, 1]])\n>>> [1]\n[1]\n");
        assert_eq!(examples[0].expected, ["tensor([[4, 5],", "        [0, 1]])"]);
        assert_eq!((examples.len(), examples[0].prompts), (2, 1));
        assert_eq!(parse(">>> b\ntensor([[4, 5],\n>>> b[0]\n").len(), 2);
    }

    #[test]
    fn a_prompt_continues_an_unfinished_statement() {
        let examples = parse(">>> f([1,\n>>>    2])\n3\n");
        assert_eq!(examples.len(), 1);
        assert_eq!(examples[0].source, "f([1,\n   2])");
    }

    #[test]
    fn tracebacks_compare_class_and_first_line() {
        let lines = |t: &str| t.lines().map(str::to_owned).collect::<Vec<_>>();
        let want = lines("Traceback (most recent call last):\n  File \"<input>\"\nIndexError: no");
        assert!(agree(&want, &lines("Traceback (most recent call last):\nIndexError: no\nfacts")));
        assert!(!agree(&want, &lines("Traceback (most recent call last):\nIndexError: yes")));
        assert!(!agree(&want, &lines("1")));
    }
}
