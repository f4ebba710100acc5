//! Arrays as tables: positions along the edges, one table for each place of the axes before the last two.

use super::paint::{Look, Paint, Piece};
use crate::render::places::{coordinates, elements};
use crate::render::words::{Words, fill};

/// How an element is drawn.
pub(super) type Drawn<'a> = &'a dyn Fn(usize) -> (String, Look);

/// What bounds a drawing of an array.
pub(super) struct Frame<'a> {
    pub(super) width: usize,
    pub(super) most: usize,
    pub(super) paint: Paint,
    pub(super) words: &'a Words,
}

impl Frame<'_> {
    /// The lines of an array's tables.
    pub(super) fn array(&self, shape: &[usize], drawn: Drawn<'_>) -> Vec<Piece> {
        if elements(shape) == 0 {
            return vec![Piece::plain(format!("  {}", self.words.empty))];
        }
        let (outer, inner) = shape.split_at(shape.len().saturating_sub(2));
        let (rows, row_axis, columns) = match inner {
            [] => (1, false, 1),
            [n] => (1, false, *n),
            [m, n] => (*m, true, *n),
            _ => return Vec::new(),
        };
        let panels = elements(outer);
        let shown = panels.min(self.most.div_ceil(8).max(1));
        let mut out = Vec::new();
        for panel in 0..shown {
            if !outer.is_empty() {
                let place = coordinates(outer, panel).unwrap_or_default();
                let named = place.iter().map(|k| format!("{k}, ")).collect::<String>();
                out.push(self.paint.piece(format!("  [{named}:, :]"), Look::Dim));
            }
            out.extend(self.panel(
                panel.saturating_mul(rows.saturating_mul(columns)),
                rows,
                columns,
                row_axis,
                !inner.is_empty(),
                drawn,
            ));
        }
        if shown < panels {
            out.push(Piece::plain(format!("  {}", fill(self.words.more_panels, &[("n", &(panels - shown))]))));
        }
        out
    }

    /// One table. Columns are as wide as their widest element; those that do not fit are counted.
    fn panel(
        &self,
        first: usize,
        rows: usize,
        columns: usize,
        row_axis: bool,
        head: bool,
        drawn: Drawn<'_>,
    ) -> Vec<Piece> {
        let shown_rows = rows.min(self.most);
        let label = if row_axis { (shown_rows - 1).to_string().len() } else { 0 };
        let (mut room, mut table) = (self.width.saturating_sub(label + 5), Vec::new());
        for column in 0..columns.min(self.most) {
            let pieces: Vec<Piece> = (0..shown_rows)
                .map(|row| drawn(first.saturating_add(row.saturating_mul(columns)).saturating_add(column)))
                .map(|(text, look)| self.paint.piece(text, look))
                .collect();
            let width = pieces.iter().map(|p| p.width).max().unwrap_or(0).max(column.to_string().len());
            if width + 2 > room && column > 0 {
                break;
            }
            room = room.saturating_sub(width + 2);
            table.push((width, pieces));
        }
        let mut out = Vec::new();
        if head {
            let heads = table.iter().enumerate().map(|(k, (width, _))| format!("{k:>width$}"));
            let heads = format!("  {:label$}   {}", "", heads.collect::<Vec<_>>().join("  "));
            out.push(self.paint.piece(heads.trim_end().to_owned(), Look::Dim));
        }
        for row in 0..shown_rows {
            let cells: Vec<String> = table.iter().map(|(width, pieces)| pieces[row].right(*width)).collect();
            let width = table.iter().map(|(width, _)| width + 2).sum::<usize>();
            let (edge, edge_width) = match (row_axis, head) {
                (true, _) => (format!("  {row:>label$} │ "), label + 5),
                (false, true) => ("   │ ".to_owned(), 5),
                (false, false) => ("  ".to_owned(), 2),
            };
            let edge = self.paint.text(edge, Look::Dim);
            out.push(Piece { text: format!("{edge}{}", cells.join("  ")), width: edge_width + width - 2 });
        }
        if table.len() < columns {
            let n = columns - table.len();
            out.push(Piece::plain(format!("  {}", fill(self.words.more_columns, &[("n", &n)]))));
        }
        if shown_rows < rows {
            out.push(Piece::plain(format!("  {}", fill(self.words.more_rows, &[("n", &(rows - shown_rows))]))));
        }
        out
    }
}

/// Blocks of lines side by side, as many as fit into the width, the others below.
pub(super) fn beside(blocks: Vec<Vec<Piece>>, width: usize) -> Vec<String> {
    let (mut out, mut row, mut used): (Vec<String>, Vec<Vec<Piece>>, usize) = (Vec::new(), Vec::new(), 0);
    let wide = |block: &Vec<Piece>| block.iter().map(|line| line.width).max().unwrap_or(0);
    let flush = |row: &mut Vec<Vec<Piece>>, out: &mut Vec<String>| {
        if !row.is_empty() && !out.is_empty() {
            out.push(String::new());
        }
        let tall = row.iter().map(Vec::len).max().unwrap_or(0);
        for k in 0..tall {
            let parts =
                row.iter().map(|block| block.get(k).cloned().unwrap_or_else(|| Piece::plain("")).left(wide(block)));
            out.push(parts.collect::<Vec<_>>().join("    ").trim_end().to_owned());
        }
        row.clear();
    };
    for block in blocks {
        let own = wide(&block) + 4;
        if used + own > width + 4 && !row.is_empty() {
            flush(&mut row, &mut out);
            used = 0;
        }
        used += own;
        row.push(block);
    }
    flush(&mut row, &mut out);
    out
}
