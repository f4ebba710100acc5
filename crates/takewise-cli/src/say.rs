//! The one way to a terminal. Documents, names and messages may hold characters that move the cursor, change colours or turn the
//! direction of writing: they are shown as escapes.

#![allow(clippy::print_stdout, clippy::print_stderr)] // nobody else prints

use std::io::Write;

use takewise_files::plain;

/// A text of several lines, fit for a terminal. Ends of lines and tabs stay.
pub(crate) fn lines(text: &str) -> String {
    let kept = |c: char| matches!(c, '\n' | '\t');
    text.split_inclusive(kept)
        .flat_map(|part| match part.strip_suffix(kept) {
            Some(before) => [plain(before), part[before.len()..].into()],
            None => [plain(part), "".into()],
        })
        .collect()
}

/// The same for JSON, where the escapes are JSON's own.
pub(crate) fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_ascii() && c != '\u{7f}' || plain(c.encode_utf8(&mut [0; 4])).chars().eq([c]) => out.push(c),
            c => out.push_str(&format!("\\u{:04x}", c as u32)),
        }
    }
    out
}

/// Writes to standard output, with an end of line; a reader that has gone away is not an error.
///
/// # Errors
/// Those of the system.
pub(crate) fn out(text: &str) -> std::io::Result<()> {
    written(&lines(text))
}

/// [`out`], of a text in which colours were asked for.
///
/// # Errors
/// Those of the system.
pub(crate) fn coloured(text: &str) -> std::io::Result<()> {
    let mut parts = text.split("\x1b[");
    let mut shown = lines(parts.next().unwrap_or_default());
    for part in parts {
        let digits = part.bytes().take_while(|b| b.is_ascii_digit() || *b == b';').count();
        let colour = part.as_bytes().get(digits) == Some(&b'm');
        shown += if colour { "\x1b[" } else { "\\x1b[" };
        shown += &lines(part);
    }
    written(&shown)
}

fn written(text: &str) -> std::io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    match write!(out, "{text}{newline}").and_then(|()| out.flush()) {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Writes to standard error what went wrong.
pub(crate) fn failure(text: &str) {
    eprintln!("takewise: {}", lines(text));
}

/// Writes to standard error what code printed whose result has standard output.
pub(crate) fn aside(text: &str) {
    eprint!("{}", lines(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_speaks_to_the_terminal() {
        assert_eq!(lines("a\x1b]0;b\x07\n\tc\u{202e}d\r\n"), "a\\x1b]0;b\\x07\n\tc\\u202ed\\r\n");
        assert_eq!(json("\"é\u{9b}\u{202e}\n\""), "\"é\\u009b\\u202e\n\"");
    }
}
