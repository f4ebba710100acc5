//! Cells with blanks between them, as NumPy's `savetxt` and R's `write.table` write them.

use std::borrow::Cow;

/// The cells of a line. What stands between quotes is one cell, its blanks included; a quote in it is doubled, or has `\\` before it.
pub(super) fn cells(line: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let Some(quoted) = rest.strip_prefix('"') else {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let cell = &rest[..end];
            rest = &rest[end..];
            return (!cell.is_empty()).then_some(Cow::Borrowed(cell));
        };
        let (mut cell, mut chars) = (String::new(), quoted.chars());
        while let Some(c) = chars.next() {
            match (c, chars.clone().next()) {
                ('"', Some('"')) | ('\\', Some('"' | '\\')) => cell.extend(chars.next()),
                ('"', _) => break,
                _ => cell.push(c),
            }
        }
        rest = chars.as_str();
        Some(Cow::Owned(cell))
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn quotes_hold_a_cell_together() {
        let all = |line| super::cells(line).collect::<Vec<_>>();
        assert_eq!(all(" 1  2.5\t\"a b\" c\n"), ["1", "2.5", "a b", "c"]);
        assert_eq!(all(r#""" "a""b" "a\"b" "open end"#), ["", "a\"b", "a\"b", "open end"]);
        assert!(all(" \t\n").is_empty());
    }
}
