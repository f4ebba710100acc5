//! Names and texts from files, made fit for a terminal.

pub use takewise::error::plain;

/// A string in quotes, as Python writes it in source.
pub(crate) fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            c if c == quote => out.extend(['\\', c]),
            c => out.push_str(&plain(c.encode_utf8(&mut [0; 4]))),
        }
    }
    out.push(quote);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_speak_to_the_terminal() {
        assert_eq!(plain("layer.0é"), "layer.0é");
        assert_eq!(plain("a\x1b[31mb\n\u{9b}c\u{202e}d\0"), "a\\x1b[31mb\\n\\x9bc\\u202ed\\x00");
        assert_eq!(quoted("it's\n"), "\"it's\\n\"");
    }
}
