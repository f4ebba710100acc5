//! Text with its width on the screen, and colours.

use unicode_width::UnicodeWidthStr;

/// One colour for each group, over and over. They are told apart on dark and on light ground.
const GROUPS: [&str; 6] = ["36", "33", "35", "32", "34", "31"];

/// How a piece of text looks where there is colour.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Look {
    Plain,
    Head,
    Dim,
    Bad,
    Group(usize),
}

/// A piece of text that knows how wide it is.
#[derive(Clone)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) width: usize,
}

/// Whether there is colour.
#[derive(Clone, Copy)]
pub(super) struct Paint(pub(super) bool);

impl Paint {
    pub(super) fn piece(self, text: impl Into<String>, look: Look) -> Piece {
        let text = text.into();
        let width = text.width();
        let code = match look {
            _ if !self.0 || text.is_empty() => return Piece { text, width },
            Look::Plain => return Piece { text, width },
            Look::Head => "1",
            Look::Dim => "2",
            Look::Bad => "1;7;31",
            Look::Group(group) => GROUPS[group % GROUPS.len()],
        };
        Piece { text: format!("\x1b[{code}m{text}\x1b[0m"), width }
    }

    pub(super) fn text(self, text: impl Into<String>, look: Look) -> String {
        self.piece(text, look).text
    }
}

impl Piece {
    pub(super) fn plain(text: impl Into<String>) -> Piece {
        Paint(false).piece(text, Look::Plain)
    }

    pub(super) fn right(&self, width: usize) -> String {
        format!("{}{}", " ".repeat(width.saturating_sub(self.width)), self.text)
    }

    pub(super) fn left(&self, width: usize) -> String {
        format!("{}{}", self.text, " ".repeat(width.saturating_sub(self.width)))
    }
}

/// Columns side by side, each as wide as its widest piece; `right` names those that stand to the right.
pub(super) fn columns(rows: &[Vec<Piece>], right: &[usize]) -> Vec<String> {
    let n = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> =
        (0..n).map(|k| rows.iter().filter_map(|row| row.get(k)).map(|p| p.width).max().unwrap_or(0)).collect();
    let lines = rows.iter().map(|row| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(k, (p, width))| if right.contains(&k) { p.right(*width) } else { p.left(*width) });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_by_width_on_the_screen() {
        let paint = Paint(true);
        let rows =
            vec![vec![Piece::plain("张"), Piece::plain("1")], vec![paint.piece("a", Look::Bad), Piece::plain("22")]];
        assert_eq!(columns(&rows, &[1]), ["张   1", "\x1b[1;7;31ma\x1b[0m   22"]);
    }
}
