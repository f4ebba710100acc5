//! Texts from outside, made fit for a terminal.

use std::borrow::Cow;

/// A name or path from outside on its way to a terminal: what could move the cursor, change colours or turn the
/// direction of writing is shown as an escape. Costs nothing for a text without any.
///
/// ```
/// assert_eq!(takewise::error::plain("a\x1b[31mb"), "a\\x1b[31mb");
/// ```
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unprintable) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_unprintable(c) && c as u32 <= 0xff => out.push_str(&format!("\\x{:02x}", c as u32)),
            c if is_unprintable(c) => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.into()
}

/// Control characters, and those of Unicode that end lines, are not seen, or turn the direction of writing.
fn is_unprintable(c: char) -> bool {
    let hidden = ['\u{ad}', '\u{61c}', '\u{180e}', '\u{feff}'];
    let ranges = ['\u{200b}'..='\u{200f}', '\u{2028}'..='\u{202e}', '\u{2060}'..='\u{206f}', '\u{fff9}'..='\u{fffb}'];
    c.is_control() || hidden.contains(&c) || ranges.iter().any(|r| r.contains(&c))
}
