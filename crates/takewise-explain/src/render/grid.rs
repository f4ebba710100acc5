//! Which elements of an array are drawn, and where: rows and columns for the last two axes, one panel for each place of the others.
//!
//! Of an array that is too large, those rows, columns and panels are drawn in which something happens.

use std::collections::BTreeSet;

use super::places::{coordinates, elements};

/// The longest rows, columns and rows of panels of an array that is not drawn whole.
const SHOWN: [usize; 3] = [4, 10, 12];

/// The drawn part of an array.
pub(super) struct Grid {
    /// The places of the axes before the last two.
    pub(super) panels: Vec<usize>,
    pub(super) rows: Vec<usize>,
    pub(super) columns: Vec<usize>,
    /// How many of the last axes there are: 0, 1 or 2.
    pub(super) edges: usize,
    outer: Vec<usize>,
    /// Extents of the last two axes.
    inner: [usize; 2],
    /// Elements there are.
    pub(super) of: usize,
}

impl Grid {
    /// The grid of an array of which at most about `bound` elements are drawn, in rows of at most `wide`, those first that are
    /// `touched`.
    pub(super) fn of(shape: &[usize], touched: &mut dyn Iterator<Item = usize>, bound: usize, wide: usize) -> Grid {
        let (outer, last) = shape.split_at(shape.len().saturating_sub(2));
        let inner = match last {
            [m, n] => [*m, *n],
            [n] => [1, *n],
            _ => [1, 1],
        };
        let of = elements(shape);
        let mut grid =
            Grid { panels: vec![], rows: vec![], columns: vec![], edges: last.len(), outer: outer.to_vec(), inner, of };
        let extents = [elements(outer), inner[0], inner[1]];
        if of == 0 || of <= bound && inner[1] <= wide {
            [grid.panels, grid.rows, grid.columns] = extents.map(|extent| (0..extent.min(of)).collect());
            return grid;
        }
        let [mut panels, mut rows, mut columns] = [0, 1, 2].map(|k| SHOWN[k].min(extents[k]));
        columns = if last.len() == 2 { columns.min(wide) } else { extents[2].min(wide).min(2 * SHOWN[2]) }.max(1);
        while rows * columns > bound.max(1) {
            if rows > columns { rows -= 1 } else { columns -= 1 }
        }
        panels = panels.min(bound / (rows * columns)).max(1);
        let mut chosen: [BTreeSet<usize>; 3] = Default::default();
        let most = [panels, rows, columns];
        for at in touched.take(10_000).filter(|at| *at < of) {
            let split = [at / extents[2] / extents[1], at / extents[2] % extents[1], at % extents[2]];
            for ((set, k), most) in chosen.iter_mut().zip(split).zip(most) {
                if set.len() < most {
                    set.insert(k);
                }
            }
        }
        for ((set, extent), most) in chosen.iter_mut().zip(extents).zip(most) {
            // The first ones fill up what is left.
            let missing = most - set.len();
            let first: Vec<usize> = (0..extent).filter(|k| !set.contains(k)).take(missing).collect();
            set.extend(first);
        }
        [grid.panels, grid.rows, grid.columns] = chosen.map(|set| set.into_iter().collect());
        grid
    }

    /// The position of an element.
    pub(super) fn at(&self, panel: usize, row: usize, column: usize) -> usize {
        panel.saturating_mul(self.inner[0]).saturating_add(row).saturating_mul(self.inner[1]).saturating_add(column)
    }

    /// `[0, 2, :, :]`, where there are axes before the last two.
    pub(super) fn label(&self, panel: usize) -> Option<String> {
        if self.outer.is_empty() {
            return None;
        }
        let named = match coordinates(&self.outer, panel) {
            Some(place) => place.iter().map(|k| format!("{k}, ")).collect::<String>(),
            None => format!("{panel}, "),
        };
        Some(format!("[{named}:, :]"))
    }

    /// Elements drawn.
    pub(super) fn drawn(&self) -> usize {
        self.panels.len() * self.rows.len() * self.columns.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_arrays_are_drawn_whole() {
        let grid = Grid::of(&[2, 3, 4], &mut [].into_iter(), 24, 100);
        assert_eq!((grid.panels.len(), grid.rows.len(), grid.columns.len(), grid.drawn()), (2, 3, 4, 24));
        assert_eq!((grid.at(1, 2, 3), grid.label(1).unwrap()), (23, "[1, :, :]".to_owned()));
        let flat = [(&[][..], 0, 1), (&[3], 1, 3), (&[0, 3], 2, 0)];
        for (shape, edges, drawn) in flat {
            let grid = Grid::of(shape, &mut [].into_iter(), 24, 100);
            assert_eq!((grid.edges, grid.drawn()), (edges, drawn), "{shape:?}");
        }
    }

    #[test]
    fn rows_are_cut_to_the_width() {
        let grid = Grid::of(&[60], &mut [50].into_iter(), 100, 20);
        assert_eq!((grid.columns.len(), grid.columns.last()), (20, Some(&50)));
        assert_eq!(Grid::of(&[2, 30], &mut [].into_iter(), 100, 5).drawn(), 10);
    }

    #[test]
    fn of_large_arrays_what_is_touched_is_drawn() {
        let grid = Grid::of(&[50_000, 768], &mut [977 * 768 + 307, 9_000 * 768].into_iter(), 64, 100);
        assert!(grid.rows.contains(&977) && grid.columns.contains(&307) && grid.rows.contains(&9_000));
        assert!(grid.drawn() <= 64);
        let huge = Grid::of(&[usize::MAX; 20], &mut [usize::MAX, 5].into_iter(), 64, 100);
        assert!(huge.drawn() <= 64 && huge.drawn() > 0);
        assert!(huge.label(huge.panels[0]).unwrap().ends_with(":, :]"));
    }
}
