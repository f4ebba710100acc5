//! From text to statements: a thin wrapper over the Python parser.
//!
//! The notation is Python's own expression and assignment syntax, so the parser is the one of the
//! RustPython project. This module adds what an interactive program needs: an error with a byte
//! range, and the difference between *wrong* and *not finished yet*.

use std::ops::Range;

use rustpython_parser::ast::{self, Ranged};
use rustpython_parser::lexer::LexicalErrorType;
use rustpython_parser::text_size::TextRange;
use rustpython_parser::{Parse, ParseErrorType};
use takewise_dialects::EvalError;

use crate::budget::Scan;

/// Blocks within blocks: Python's own limit.
const MAX_BLOCKS: usize = 20;

/// What a piece of source turned out to be.
#[derive(Debug)]
pub(crate) enum Parsed {
    /// Complete statements.
    Complete(Vec<ast::Stmt>),
    /// A prefix of something valid: an open bracket or string.
    Incomplete(EvalError),
}

/// Parses complete statements.
///
/// # Errors
/// `SyntaxError` with the place where reading stopped.
pub(crate) fn parse(source: &str) -> Result<Vec<ast::Stmt>, EvalError> {
    match parse_partial(source)? {
        Parsed::Complete(statements) => Ok(statements),
        Parsed::Incomplete(error) => Err(error),
    }
}

/// Parses statements, telling an unfinished source from a wrong one.
///
/// # Errors
/// `SyntaxError` when no continuation could make the source valid.
pub(crate) fn parse_partial(source: &str) -> Result<Parsed, EvalError> {
    let open = Scan::of(source)?.unclosed();
    match ast::Suite::parse(source, "<input>") {
        Ok(statements) => {
            deep(&statements, 0)?;
            Ok(Parsed::Complete(statements))
        }
        Err(error) => {
            let at = source.floor_char_boundary(usize::from(error.offset).min(source.len()));
            let end = source[at..].chars().next().map_or(at, |c| at + c.len_utf8());
            let whole = source.trim_end();
            let unfinished = open.is_some()
                || (whole.ends_with(':') && at + 1 >= whole.len())
                || matches!(error.error, ParseErrorType::Eof | ParseErrorType::Lexical(LexicalErrorType::Eof));
            let wrong = |text: String, span: Range<usize>| EvalError::new("SyntaxError", text).at(span);
            match (open, unfinished) {
                (Some((what, place)), _) if at >= whole.len() => {
                    Ok(Parsed::Incomplete(wrong(format!("'{what}' was never closed"), place..place + what.len_utf8())))
                }
                (None, true) => Ok(Parsed::Incomplete(wrong("unexpected end of input".into(), at..at))),
                _ => Err(wrong(explain(&error.error), at..end)),
            }
        }
    }
}

/// Whether the last statement is a block that further lines may belong to, as at a prompt: until an empty line ends it.
pub(crate) fn is_open_block(source: &str) -> bool {
    let is_block = |statements: &[ast::Stmt]| matches!(statements.last(), Some(ast::Stmt::With(_)));
    let on_one_line = |line: &str| !line.starts_with([' ', '\t']) && !line.trim_end().ends_with(':');
    !source.ends_with('\n')
        && source.lines().next_back().is_some_and(|line| !on_one_line(line))
        && matches!(parse_partial(source), Ok(Parsed::Complete(statements)) if is_block(&statements))
}

/// Refuses blocks nested deeper than Python allows.
fn deep(statements: &[ast::Stmt], depth: usize) -> Result<(), EvalError> {
    for statement in statements {
        let ast::Stmt::With(s) = statement else { continue };
        if depth == MAX_BLOCKS {
            return Err(EvalError::new("SyntaxError", "too many statically nested blocks").at(span(statement)));
        }
        deep(&s.body, depth + 1)?;
    }
    Ok(())
}

/// The byte range of a syntax node.
pub(crate) fn span(node: &impl Ranged) -> Range<usize> {
    let range: TextRange = node.range();
    range.start().into()..range.end().into()
}

fn explain(error: &ParseErrorType) -> String {
    match error {
        ParseErrorType::Lexical(inner) => inner.to_string(),
        ParseErrorType::UnrecognizedToken(token, expected) => match expected {
            Some(expected) => format!("invalid syntax: got {token}, expected {expected}"),
            None => format!("invalid syntax: unexpected {token}"),
        },
        other => format!("invalid syntax: {}", other.to_string().to_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn incomplete(source: &str) -> bool {
        matches!(parse_partial(source), Ok(Parsed::Incomplete(_)))
    }

    #[test]
    fn unfinished_is_not_wrong() {
        assert!(incomplete("x = torch.tensor([[1, 2],"));
        assert!(incomplete("f(1,\n"));
        assert!(incomplete("'''text"));
        assert!(!incomplete("x[1]"));
        assert!(parse_partial("x[1)").is_err());
        assert!(incomplete("with f():") && incomplete("with f():\n  with g(): \n"));
        assert!(is_open_block("with f():\n  x") && is_open_block("with f():\n  with g():\n    x"));
        assert!(!is_open_block("with f():\n  x\n") && !is_open_block("with f(): x") && !is_open_block("x"));
        assert!(parse_partial("1 +* 2").is_err());
    }

    #[test]
    fn errors_point_into_the_source() {
        let e = parse("x[1:2, )").unwrap_err();
        assert_eq!(e.class(), "SyntaxError");
        assert_eq!(e.span(), Some(7..8));
        let e = parse("f([1, 2").unwrap_err();
        assert_eq!((e.text(), e.span()), ("'[' was never closed", Some(2..3)));
    }

    #[test]
    fn hostile_nesting_is_refused() {
        assert!(parse(&"(".repeat(100_000)).is_err());
        assert!(parse(&format!("x = {}1", "-".repeat(100_000))).is_err());
        let nested = |n: usize| {
            (0..n).map(|k| format!("{}with f():\n", " ".repeat(k))).collect::<String>() + &" ".repeat(n) + "x"
        };
        assert!(parse(&nested(MAX_BLOCKS)).is_ok());
        assert_eq!(parse(&nested(MAX_BLOCKS + 1)).unwrap_err().text(), "too many statically nested blocks");
        assert_eq!(parse(&nested(3000)).unwrap_err().text(), "too many levels of indentation");
        // The tree of the longest chain that is read can be left again, on the stack of a thread of a test.
        assert!(parse(&format!("x{}", "[0,1]".repeat(1990))).is_ok());
    }
}
