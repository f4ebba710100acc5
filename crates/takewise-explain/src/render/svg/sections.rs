//! What stands below the arrays: values that meet, searches, axes, and all that is said in lines.

use super::Artist;
use super::arrays::{TALL, colored, element};
use super::canvas::{Canvas, EDGE, mono};
use crate::data::{Cell, How, Kind, Outcome, Searched};
use crate::render::groups::Groups;
use crate::render::places::{clean, listed, operand_place, operand_value, result_place, result_value, source_value};
use crate::render::prose;
use crate::render::sheet::{Face, Mark, Sheet};
use crate::render::words::fill;

/// Sources drawn of one element.
const STACK: usize = 8;
/// Elements drawn of the sequence of a search.
const RULER: usize = 17;

impl Artist<'_> {
    pub(super) fn sections(&self, canvas: &mut Canvas, groups: &Groups) {
        self.meetings(canvas, groups);
        self.rulers(canvas);
        let (e, w, most) = (self.e, self.w, self.most);
        let axes =
            e.results.iter().flat_map(|outcome| outcome.axes.iter().enumerate().map(move |axis| (outcome, axis)));
        let named = axes.map(|(outcome, (k, axis))| {
            let name = if e.results.len() > 1 { format!("{}, ", clean(&outcome.name)) } else { String::new() };
            let place = fill(w.axis, &[("axis", &k)]);
            format!("{name}{place} ({}): {}", axis.extent, prose::axis(e, axis, w))
        });
        let names: Vec<String> = e.results.iter().take(4).map(|outcome| clean(&outcome.name)).collect();
        let heading = fill(w.axes, &[("name", &listed(&names, w.comma, w.and))]);
        self.list(canvas, &heading, &mut named.into_iter());
        self.list(canvas, w.masks, &mut e.masks.iter().map(|mask| prose::mask(e, mask, most, w)));
        let asked = e.kind == Kind::Gradient;
        let flows = e.flows.iter().filter(|_| asked).flat_map(|flow| flow.to.iter().map(move |to| (flow.operand, to)));
        self.list(canvas, w.gradients, &mut flows.map(|(k, to)| prose::flow(e, k, to, most, w)));
        self.list(canvas, w.left_out, &mut e.left_out.iter().map(|left| prose::left_out(e, left, w)));
    }

    /// A heading and the first lines, if there are any.
    fn list(&self, canvas: &mut Canvas, heading: &str, mut items: &mut dyn Iterator<Item = String>) {
        for (k, line) in (&mut items).take(self.most).enumerate() {
            if k == 0 {
                canvas.heading(heading);
            }
            canvas.lines("tw-t", 13, &line, 12);
        }
        let rest = items.count();
        if rest > 0 {
            canvas.lines("tw-s", 13, &fill(self.w.and_more, &[("n", &rest)]), 12);
        }
    }

    /// A stack for each element at which several values meet: what was there, then what came, in order, then what is there now.
    fn meetings(&self, canvas: &mut Canvas, groups: &Groups) {
        let all = self
            .e
            .results
            .iter()
            .enumerate()
            .flat_map(|(k, outcome)| outcome.cells.iter().map(move |cell| (k, outcome, cell)));
        let mut met = all.filter(|(_, outcome, cell)| prose::meets(self.e, outcome, cell)).peekable();
        if met.peek().is_none() {
            return;
        }
        canvas.heading(self.w.meeting);
        canvas.y += 12;
        let (mut x, mut tall) = (EDGE, 0);
        for (k, outcome, cell) in met.by_ref().take(self.most) {
            let stack = self.stack(outcome, cell, groups.result(k, cell.at));
            let wide = stack.iter().map(|(name, face)| mono(name).max(0) + mono(&face.value) + 60).max().unwrap_or(0);
            let wide = wide.max(mono(&result_place(outcome, cell.at)) + 16).min(canvas.room());
            if x > EDGE && x + wide > EDGE + canvas.room() {
                canvas.y += tall + 24;
                (x, tall) = (EDGE, 0);
            }
            tall = tall.max(self.drawn(canvas, x, &stack, outcome, cell));
            x += wide + 24;
        }
        canvas.y += tall;
        let rest = met.count();
        if rest > 0 {
            canvas.lines("tw-s", 13, &fill(self.w.and_more, &[("n", &rest)]), 0);
        }
    }

    /// The values that meet, each with its name.
    fn stack(&self, outcome: &Outcome, cell: &Cell, group: Option<usize>) -> Vec<(String, Face)> {
        let mut out = Vec::new();
        if cell.with_self {
            let value = prose::value_before(self.e, outcome, cell.at).unwrap_or_default();
            let note = format!("{value} {}", self.w.was_there);
            out.push((self.w.was_there.to_owned(), Face { value, note, ..Face::default() }));
        }
        for source in cell.sources.iter().take(STACK) {
            let name = prose::source(self.e, source, self.w);
            let mut value = source_value(self.e, source).unwrap_or_default();
            if let Some(times) = &source.times {
                value = format!("{} × {value}", clean(times));
            }
            let mark = if source.used { Mark::None } else { Mark::Dropped };
            let fate = prose::fated(self.e, cell, source, self.w);
            let note = format!("{name} {value} {fate}");
            let name = if matches!(cell.how, How::Last | How::First) { format!("{name}, {fate}") } else { name };
            out.push((name, Face { value, note, group, mark, ..Face::default() }));
        }
        out
    }

    /// One stack at `x`; its height.
    fn drawn(&self, canvas: &mut Canvas, x: i64, stack: &[(String, Face)], outcome: &Outcome, cell: &Cell) -> i64 {
        let wide = stack.iter().map(|(_, face)| mono(&face.value) + 24).max().unwrap_or(0).clamp(44, 200);
        let mut y = canvas.y;
        canvas.text(x, y + 12, "tw-n", "start", &result_place(outcome, cell.at));
        y += 20;
        let keeps = matches!(cell.how, How::Last | How::First | How::Max | How::Min);
        for (name, face) in stack {
            element(canvas, face, [x, y, wide, TALL]);
            if keeps && face.mark != Mark::Dropped && face.group.is_some() {
                canvas.rect(
                    [x + 1, y + 1, wide - 2, TALL - 2],
                    "tw-kept",
                    &format!("{};fill:none", colored(face.group)),
                );
            }
            canvas.text(x + wide + 8, y + TALL / 2 + 5, "tw-t", "start", name);
            y += TALL;
        }
        let hidden = cell.sources.len().saturating_sub(STACK);
        if hidden > 0 {
            y += 18;
            canvas.text(x, y, "tw-s", "start", &fill(self.w.and_more, &[("n", &hidden)]));
        }
        let result = result_value(self.e, outcome, cell.at).unwrap_or_else(|| "?".to_owned());
        y += 20;
        let how = prose::how(cell.how, self.w);
        let last = if keeps { format!("= {result}") } else { format!("= {result} ({how})") };
        canvas.text(x, y, "tw-m", "start", &last);
        y + 4 - canvas.y
    }

    /// A ruler for each search: the sequence in order, what it was compared with and when, and the place found.
    fn rulers(&self, canvas: &mut Canvas) {
        if self.e.searches.is_empty() {
            return;
        }
        canvas.heading(self.w.found);
        for searched in self.e.searches.iter().take(self.most) {
            canvas.lines("tw-t", 13, &prose::search(self.e, searched, self.w), 0);
            canvas.y += 12;
            self.ruler(canvas, searched);
        }
        let rest = self.e.searches.len().saturating_sub(self.most);
        if rest > 0 {
            canvas.lines("tw-s", 13, &fill(self.w.and_more, &[("n", &rest)]), 0);
        }
    }

    fn ruler(&self, canvas: &mut Canvas, searched: &Searched) {
        let held = |at: usize| {
            operand_value(self.e, searched.sequence, prose::in_sequence(self.e, searched, at)).unwrap_or_default()
        };
        let first = searched.found.saturating_sub(RULER / 2).min(searched.length.saturating_sub(RULER));
        let last = searched.length.min(first.saturating_add(RULER));
        let wide = (first..last).map(|at| mono(&held(at))).max().unwrap_or(0).clamp(20, 120) + 18;
        let fits = ((canvas.room() - 30) / wide).max(1) as usize;
        let last = last.min(first.saturating_add(fits));
        let (y, gap) = (canvas.y, 14);
        let mut x = EDGE + 12;
        for at in first..last {
            if at == searched.found {
                canvas.path(&format!("M{} {}v{}m-5 0l5 -8l5 8z", x + gap / 2, y - 2, TALL + 10), "tw-caret", "");
                x += gap;
            }
            let order = searched.compared.iter().position(|compared| compared.at == at);
            let place = operand_place(self.e, searched.sequence, prose::in_sequence(self.e, searched, at));
            let value = held(at);
            let mark = if at < searched.found { Mark::Before } else { Mark::None };
            let face = Face { note: format!("{place} = {value}"), value, mark, ..Face::default() };
            element(canvas, &face, [x, y, wide, TALL]);
            if let Some(order) = order {
                canvas.text(x + 5, y + 12, "tw-l", "start", &format!("{}.", order + 1));
            }
            canvas.text(x + wide / 2, y + TALL + 12, "tw-k", "middle", &at.to_string());
            x += wide;
        }
        if searched.found >= last {
            canvas.path(&format!("M{} {}v{}m-5 0l5 -8l5 8z", x + gap / 2, y - 2, TALL + 10), "tw-caret", "");
        }
        canvas.y += TALL + 18;
    }

    /// What colours and marks mean, what is not drawn, and bytes.
    pub(super) fn foot(&self, canvas: &mut Canvas, all: &[Sheet]) {
        canvas.y += 14;
        let faces = || all.iter().flat_map(|sheet| &sheet.faces);
        if faces().any(|face| face.group.is_some()) {
            canvas.lines("tw-s", 13, self.w.letters, 0);
        }
        let marks = [
            (Mark::Bad, "▨", self.w.mark_bad),
            (Mark::Filled, "⬚", self.w.mark_filled),
            (Mark::Dropped, "—", self.w.mark_dropped),
            (Mark::Ticked, "✓", self.w.mark_ticked),
            (Mark::Met, "×N", self.w.mark_met),
        ];
        let used = marks.iter().filter(|(mark, ..)| faces().any(|face| face.mark == *mark));
        let legend: Vec<String> = used.map(|(_, sign, words)| format!("{sign} {words}")).collect();
        if !legend.is_empty() {
            canvas.lines("tw-s", 13, &legend.join("   "), 0);
        }
        for sheet in all.iter().filter(|sheet| sheet.grid.drawn() < sheet.grid.of) {
            let names: [(&str, &dyn std::fmt::Display); 3] =
                [("name", &sheet.name), ("shown", &sheet.grid.drawn()), ("of", &sheet.grid.of)];
            canvas.lines("tw-s", 13, &fill(self.w.drawn_part, &names), 0);
        }
        let moved = self.e.error.is_none().then(|| prose::moved(self.e, self.w));
        for line in prose::sampled(self.e, self.w).into_iter().chain(moved) {
            canvas.lines("tw-s", 13, &line, 0);
        }
    }
}
