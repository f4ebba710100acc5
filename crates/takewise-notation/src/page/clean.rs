//! Lines as a prompt would have shown them, from lines as a browser copies them.

use std::borrow::Cow;

/// What stands before an item of a list.
const BULLETS: [char; 8] = ['•', '·', '●', '▪', '◦', '○', '-', '*'];

/// The lines of a page and the numbers they have there: blanks of other kinds become plain ones, what has no width goes, escapes
/// of HTML are read, and the prompts of IPython become Python's, where one that stands alone goes.
pub(super) fn page(text: &str) -> (Vec<usize>, Vec<String>) {
    let escaped = text.contains("&gt;&gt;&gt;");
    let (mut numbers, mut lines) = (Vec::new(), Vec::new());
    for (line, number) in text.lines().zip(1..) {
        let mut line: String =
            line.chars().filter(|c| !has_no_width(*c)).map(|c| if is_blank(c) { ' ' } else { c }).collect();
        if escaped {
            line = line.replace("&gt;", ">").replace("&lt;", "<").replace("&quot;", "\"").replace("&#39;", "'");
            line = line.replace("&nbsp;", " ").replace("&amp;", "&");
        }
        if numbered(line.trim(), "Out").is_some_and(str::is_empty) {
            continue;
        }
        numbers.push(number);
        lines.push(prompts(&line).into_owned());
    }
    (numbers, lines)
}

fn has_no_width(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{feff}' | '\u{2060}' | '\u{00ad}')
}

fn is_blank(c: char) -> bool {
    matches!(c, '\u{00a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{3000}')
}

/// A line with the prompts of IPython and of pages that lost the blank after theirs.
fn prompts(line: &str) -> Cow<'_, str> {
    let bare = line.trim_start();
    let pad = &line[..line.len() - bare.len()];
    if let Some(code) = numbered(bare, "In") {
        return format!("{pad}>>> {code}").into();
    }
    if let Some(value) = numbered(bare, "Out") {
        return format!("{pad}{value}").into();
    }
    if let Some(code) = bare.strip_prefix("...:") {
        return format!("{pad}... {}", code.strip_prefix(' ').unwrap_or(code)).into();
    }
    match bare.strip_prefix(">>>") {
        Some(code) if code.starts_with(|c: char| !c.is_whitespace() && c != '>') => format!("{pad}>>> {code}").into(),
        _ => line.into(),
    }
}

/// What follows `In [3]:` or `Out[3]:`.
fn numbered<'l>(line: &'l str, word: &str) -> Option<&'l str> {
    let rest = line.strip_prefix(word)?.trim_start().strip_prefix('[')?;
    let (number, rest) = rest.split_once("]:")?;
    number.trim().chars().all(|c| c.is_ascii_digit()).then(|| rest.strip_prefix(' ').unwrap_or(rest))
}

/// An item of a list without its mark, and whether it had one.
pub(super) fn item(line: &str) -> (&str, bool) {
    let line = line.trim();
    match line.strip_prefix(BULLETS) {
        Some(rest) if rest.starts_with([' ', '\t']) => (rest.trim(), true),
        _ => (line, false),
    }
}

/// Code with the marks that word processors and Chinese keyboards put in place of Python's, outside of strings.
pub(super) fn marks(source: &str) -> Cow<'_, str> {
    if source.is_ascii() {
        return source.into();
    }
    let mut open: Option<char> = None;
    let mend = |c: char| {
        let plain = match c {
            '“' | '”' | '\u{ff02}' => '"',
            '‘' | '’' | '\u{ff07}' => '\'',
            _ if open.is_some() => c,
            '。' => '.',
            '、' => ',',
            '−' | '–' => '-',
            '【' => '[',
            '】' => ']',
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
            c => c,
        };
        match (open, plain) {
            (None, '"' | '\'') => open = Some(plain),
            (Some(quote), c) if c == quote => open = None,
            _ => {}
        }
        plain
    };
    source.chars().map(mend).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_a_prompt_shows_them() {
        let lines = |text: &str| page(text).1;
        assert_eq!(lines("In [1]: x\n   ...: y\nOut[12]: 3"), [">>> x", "   ... y", "3"]);
        assert_eq!(page("In [1]: x\nOut[1]: \n[1]"), (vec![1, 3], vec![">>> x".into(), "[1]".into()]));
        assert_eq!(lines(">>>x\n\u{200b}a\u{a0}b"), [">>> x", "a b"]);
        assert_eq!(lines("&gt;&gt;&gt; x &lt; 2 &amp;&amp; y"), [">>> x < 2 && y"]);
        assert_eq!(lines("a &lt; b\nIn words [1]: no"), ["a &lt; b", "In words [1]: no"]);
    }

    #[test]
    fn items_and_marks() {
        assert_eq!(item("  • t[0] = 1"), ("t[0] = 1", true));
        assert_eq!(item("-1"), ("-1", false));
        assert_eq!(marks("f\u{ff08}‘a’\u{ff0c}[1、2])"), "f('a',[1,2])");
        assert_eq!(marks("'你好\u{ff0c}世界'"), "'你好\u{ff0c}世界'");
    }
}
