//! The table of elements: each with its value, where it comes from, and the index values that led there.

use super::Writer;
use super::paint::{Look, Piece, fitted};
use crate::data::{Cell, How, Outcome, Source};
use crate::render::places::{result_place, result_value, source_value};
use crate::render::prose;
use crate::render::words::fill;
use unicode_width::UnicodeWidthStr;

impl Writer<'_> {
    pub(super) fn elements(&self, out: &mut Vec<String>) {
        let many = self.e.results.len() > 1;
        for (k, outcome) in self.e.results.iter().take(self.most).enumerate().filter(|(_, o)| !o.cells.is_empty()) {
            let name = crate::render::places::clean(&outcome.name);
            let heading = if many { format!("{}: {name}", self.w.elements) } else { self.w.elements.to_owned() };
            self.heading(out, &heading);
            let dim = |text: &str| self.paint.piece(text, Look::Dim);
            let mut rows = vec![vec![dim(self.w.element), dim(self.w.value), dim(self.w.from), dim(self.w.because)]];
            for cell in outcome.cells.iter().take(self.most) {
                self.cell(&mut rows, k, outcome, cell);
            }
            if rows[1..].iter().all(|row| row.get(3).is_none_or(|piece| piece.width == 0)) {
                rows.iter_mut().for_each(|row| row.truncate(3));
            }
            out.extend(fitted(&rows, &[1], self.width - 2).into_iter().map(|line| format!("  {line}")));
            if outcome.cells.len() > self.most {
                self.line(out, &fill(self.w.and_more, &[("n", &(outcome.cells.len() - self.most))]));
            }
        }
    }

    /// The rows of one cell: one where a single source is taken, else one for what becomes of them and one for each.
    fn cell(&self, rows: &mut Vec<Vec<Piece>>, k: usize, outcome: &Outcome, cell: &Cell) {
        let look = self.groups.result(k, cell.at).map_or(Look::Plain, Look::Group);
        let place = self.paint.piece(result_place(outcome, cell.at), look);
        let value = Piece::plain(result_value(self.e, outcome, cell.at).unwrap_or_default());
        let simple = matches!(cell.how, How::Copy | How::Position | How::Last | How::First) && !cell.with_self;
        match &cell.sources[..] {
            [] => {
                let from = if cell.how == How::Fill { self.w.fill } else { self.w.same };
                let by = Piece::plain(prose::pointers(self.e, &cell.by, self.w));
                rows.push(vec![place, value, Piece::plain(from), by]);
            }
            [one] if simple => {
                rows.push(vec![place, value, self.source(one), Piece::plain(self.led_by(k, cell, one))]);
            }
            [one] if cell.with_self => {
                let mut from = self.source(one);
                if let Some(formula) = prose::formula(self.e, outcome, cell, self.most, self.w) {
                    from.width += formula.width() + 3;
                    from.text = format!("{formula} ({})", from.text);
                }
                rows.push(vec![place, value, from, Piece::plain(self.led_by(k, cell, one))]);
            }
            all => {
                let formula = prose::formula(self.e, outcome, cell, self.most, self.w);
                let how = prose::how(cell.how, self.w);
                rows.push(vec![place, value, Piece::plain(formula.unwrap_or_else(|| how.to_owned()))]);
                if cell.with_self {
                    let before = prose::value_before(self.e, outcome, cell.at).unwrap_or_default();
                    rows.push(vec![
                        Piece::plain(""),
                        Piece::plain(before),
                        Piece::plain(format!("  {}", self.w.was_there)),
                    ]);
                }
                for source in all.iter().take(self.most) {
                    rows.push(self.met(k, cell, source));
                }
                if all.len() > self.most {
                    let rest = fill(self.w.and_more, &[("n", &(all.len() - self.most))]);
                    rows.push(vec![Piece::plain(""), Piece::plain(""), Piece::plain(format!("  {rest}"))]);
                }
            }
        }
    }

    /// One of several sources, indented: its value, its name, what becomes of it.
    fn met(&self, k: usize, cell: &Cell, source: &Source) -> Vec<Piece> {
        let value = Piece::plain(source_value(self.e, source).unwrap_or_default());
        let mut from = self.source(source);
        from.text = format!("  {}", from.text);
        from.width += 2;
        let fate = prose::fated(self.e, cell, source, self.w);
        let by = self.led_by(k, cell, source);
        let because = match (fate.is_empty(), by.is_empty()) {
            (false, false) => format!("{by}: {fate}"),
            _ => format!("{by}{fate}"),
        };
        vec![Piece::plain(""), value, from, Piece::plain(because)]
    }

    fn led_by(&self, k: usize, cell: &Cell, source: &Source) -> String {
        prose::led_by(self.e, source, self.groups.position(self.e, k, cell, source), self.w)
    }

    fn source(&self, source: &Source) -> Piece {
        let group = source.operand.and_then(|k| self.groups.operand(k, source.at));
        self.paint.piece(prose::source(self.e, source, self.w), group.map_or(Look::Plain, Look::Group))
    }
}
