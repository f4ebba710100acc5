//! Text with its width on the screen, and colours.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

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

    /// The same in at most so many columns; "…" stands for what is cut off.
    fn cut(&self, width: usize) -> Piece {
        if self.width <= width {
            return self.clone();
        }
        let (mut text, mut used, mut escape, mut full) = (String::new(), 0, false, false);
        for c in self.text.chars() {
            escape |= c == '\x1b';
            let wide = c.width().unwrap_or(0);
            if escape {
                text.push(c);
            } else if !full && used + wide < width {
                text.push(c);
                used += wide;
            } else if !full {
                text.push('…');
                (used, full) = (used + 1, true);
            }
            escape &= c != 'm';
        }
        Piece { text, width: used }
    }

    pub(super) fn right(&self, width: usize) -> String {
        format!("{}{}", " ".repeat(width.saturating_sub(self.width)), self.text)
    }

    pub(super) fn left(&self, width: usize) -> String {
        format!("{}{}", self.text, " ".repeat(width.saturating_sub(self.width)))
    }
}

/// [`columns`] of at most `width` columns on the screen: the widest ones are cut until they fit.
pub(super) fn fitted(rows: &[Vec<Piece>], right: &[usize], width: usize) -> Vec<String> {
    let mut widths = widths(rows);
    let room = width.saturating_sub(2 * widths.len().saturating_sub(1));
    while widths.iter().sum::<usize>() > room {
        let excess = widths.iter().sum::<usize>() - room;
        let Some(widest) = widths.iter().copied().max().filter(|widest| *widest > 4) else { break };
        let next = widths.iter().copied().filter(|w| *w < widest).max().unwrap_or(4).max(4);
        let alike = widths.iter().filter(|w| **w == widest).count();
        let less = (excess.div_ceil(alike)).min(widest - next);
        widths.iter_mut().filter(|w| **w == widest).for_each(|w| *w -= less.max(1));
    }
    let cut = |row: &Vec<Piece>| row.iter().zip(&widths).map(|(piece, width)| piece.cut(*width)).collect();
    columns(&rows.iter().map(cut).collect::<Vec<_>>(), right)
}

fn widths(rows: &[Vec<Piece>]) -> Vec<usize> {
    let n = rows.iter().map(Vec::len).max().unwrap_or(0);
    (0..n).map(|k| rows.iter().filter_map(|row| row.get(k)).map(|p| p.width).max().unwrap_or(0)).collect()
}

/// Columns side by side, each as wide as its widest piece; `right` names those that stand to the right.
pub(super) fn columns(rows: &[Vec<Piece>], right: &[usize]) -> Vec<String> {
    let widths = widths(rows);
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

    #[test]
    fn columns_that_do_not_fit_are_cut_where_they_are_widest() {
        let piece = |text: &str| Paint(true).piece(text, Look::Bad);
        let rows = vec![vec![Piece::plain("a"), piece("abcdefghij"), Piece::plain("1234567")]];
        assert_eq!(fitted(&rows, &[], 22), columns(&rows, &[]));
        assert_eq!(fitted(&rows, &[], 17), ["a  \x1b[1;7;31mabcde…\x1b[0m  12345…"]);
        assert_eq!(fitted(&[vec![Piece::plain("张张张")]], &[], 4), ["张…"]);
    }
}
