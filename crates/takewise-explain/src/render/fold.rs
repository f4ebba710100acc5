//! Lines that fold where words end.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Text in lines of at most `width` columns, the lines after the first with `indent` more. Words that are longer stay whole.
pub(super) fn fold(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut line, mut used) = (String::new(), 0);
    for word in words(text) {
        let wide = word.trim_end().width();
        if used + wide > width && !line.trim().is_empty() {
            lines.push(line.trim_end().to_owned());
            (line, used) = (" ".repeat(indent), indent);
        }
        line.push_str(word);
        used += word.width();
    }
    lines.push(line.trim_end().to_owned());
    lines
}

/// Where a line may break: after a space, and around characters as wide as two, which Chinese is written in.
fn words(text: &str) -> Vec<&str> {
    let (mut out, mut start) = (Vec::new(), 0);
    let mut chars = text.char_indices().peekable();
    while let Some((_, c)) = chars.next() {
        let Some((next, d)) = chars.peek().copied() else { break };
        let wide = |c: char| c.width().unwrap_or(0) == 2;
        let closing = |c: char| "，。：；、）".contains(c);
        if c == ' ' && d != ' '
            || ((wide(c) && c != '（') || (wide(d) && d != ' ')) && !closing(d) && d != ' ' && c != ' '
        {
            out.push(&text[start..next]);
            start = next;
        }
    }
    out.push(&text[start..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fold_at_spaces_and_between_wide_characters() {
        assert_eq!(fold("one two three", 8, 2), ["one two", "  three"]);
        assert_eq!(fold("结果的每个元素", 6, 0), ["结果的", "每个元", "素"]);
        assert_eq!(fold("结果的，每", 6, 0), ["结果", "的，每"]);
        assert_eq!(fold("", 8, 2), [""]);
        assert_eq!(fold("abcdefghij k", 4, 1), ["abcdefghij", " k"]);
    }
}
