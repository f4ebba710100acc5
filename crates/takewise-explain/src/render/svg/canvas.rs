//! Shapes and text of an SVG, from top to bottom.

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use crate::render::fold::fold;
use crate::render::xml::escape;

/// A picture in the making. Coordinates are whole pixels.
pub(super) struct Canvas {
    pub(super) out: String,
    pub(super) width: i64,
    /// Where the next thing goes.
    pub(super) y: i64,
    /// How far to the right anything goes.
    pub(super) used: i64,
}

/// Space around the picture.
pub(super) const EDGE: i64 = 20;

/// The width of text in monospace of 14 pixels.
pub(super) fn mono(text: &str) -> i64 {
    (text.width() as i64 * 85).div_euclid(10) + 1
}

impl Canvas {
    pub(super) fn new(width: i64) -> Canvas {
        Canvas { out: String::new(), width, y: 0, used: 0 }
    }

    pub(super) fn room(&self) -> i64 {
        self.width - 2 * EDGE
    }

    pub(super) fn text(&mut self, x: i64, y: i64, class: &str, anchor: &str, text: &str) {
        let wide = if class == "tw-e" { mono(text) * 12 / 10 } else { mono(text) * 9 / 10 };
        self.used = self.used.max(x + if anchor == "start" { wide } else { 0 });
        let anchor = if anchor == "start" { String::new() } else { format!(" text-anchor=\"{anchor}\"") };
        let _ = writeln!(self.out, "<text x=\"{x}\" y=\"{y}\" class=\"{class}\"{anchor}>{}</text>", escape(text));
    }

    /// Text in as many lines as it needs. `size` is the class's font size.
    pub(super) fn lines(&mut self, class: &str, size: i64, text: &str, indent: i64) {
        let columns = ((self.room() - indent) * 100 / (size * 54)).max(10) as usize;
        for (k, line) in fold(text, columns, 0).iter().enumerate() {
            self.y += size + 6;
            let hang = if k == 0 || indent == 0 { 0 } else { 12 };
            self.text(EDGE + indent + hang, self.y, class, "start", line);
        }
    }

    /// Text in monospace, in as many lines as it needs.
    pub(super) fn code(&mut self, class: &str, text: &str) {
        let columns = (self.room() / 10).max(10) as usize;
        for line in fold(text, columns, 4) {
            self.y += 24;
            self.text(EDGE, self.y, class, "start", &line);
        }
    }

    pub(super) fn heading(&mut self, text: &str) {
        self.y += 34;
        self.text(EDGE, self.y, "tw-h", "start", text);
        self.y += 6;
    }

    pub(super) fn rect(&mut self, [x, y, width, height]: [i64; 4], class: &str, style: &str) {
        self.used = self.used.max(x + width);
        let style = if style.is_empty() { String::new() } else { format!(" style=\"{style}\"") };
        let _ = writeln!(
            self.out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"3\" class=\"{class}\"{style}/>"
        );
    }

    pub(super) fn path(&mut self, data: &str, class: &str, style: &str) {
        let style = if style.is_empty() { String::new() } else { format!(" style=\"{style}\"") };
        let _ = writeln!(self.out, "<path d=\"{data}\" class=\"{class}\"{style}/>");
    }
}
