//! An explanation in a terminal.

mod arrays;
mod cells;
mod comparison;
mod paint;

use super::fold::fold;
use super::groups::Groups;
use super::places::{clean, clean_to, is_true, lines, result_value, shape, value};
use super::words::{Language, Words, fill};
use super::{prose, reasons};
use crate::data::{Explanation, Kind, Operand, Outcome, Role};
use arrays::{Frame, beside};
pub use comparison::comparison;
use paint::{Look, Paint, Piece};
use unicode_width::UnicodeWidthStr;

/// How an explanation is written.
#[derive(Clone, Debug)]
pub struct TextOptions {
    /// In which language.
    pub language: Language,
    /// Columns of the terminal, at least 40.
    pub width: usize,
    /// How many elements, rows or columns are listed before "and N more".
    pub most: usize,
    /// Whether to end with the plan, the strategy and its reason, and the promise.
    pub plan: bool,
    /// Whether to use the terminal's colours, one for each group of elements that belong together.
    pub color: bool,
}

impl Default for TextOptions {
    /// English, 100 columns, 24 of each list, no plan, no colours.
    fn default() -> TextOptions {
        TextOptions { language: Language::English, width: 100, most: 24, plan: false, color: false }
    }
}

/// What a call does, in words: arrays as tables, where each axis of the result comes from, and each element with its sources and the
/// index values that led there. Cost: proportional to what is listed and to the lists of elements in the data.
///
/// ```
/// use takewise_explain::{Picture, render};
///
/// let explanation = Picture::new("x[0]", "torch", "index").finish();
/// let text = render::text(&explanation, &render::TextOptions::default());
/// assert!(text.starts_with("x[0]\n"));
/// ```
pub fn text(explanation: &Explanation, options: &TextOptions) -> String {
    let writer = Writer::new(explanation, options);
    let mut out = Vec::new();
    writer.head(&mut out);
    writer.arrays(&mut out);
    writer.axes(&mut out);
    writer.elements(&mut out);
    writer.lists(&mut out);
    writer.moved(&mut out);
    let mut text = out.join("\n");
    text.push('\n');
    text
}

/// What all parts of a text share.
struct Writer<'a> {
    e: &'a Explanation,
    w: &'static Words,
    width: usize,
    most: usize,
    plan: bool,
    paint: Paint,
    groups: Groups,
}

impl<'a> Writer<'a> {
    fn new(e: &'a Explanation, options: &TextOptions) -> Writer<'a> {
        let groups = Groups::of(e);
        let (width, most) = (options.width.clamp(40, 1000), options.most.clamp(1, crate::data::MOST));
        let paint = Paint(options.color);
        Writer { e, w: options.language.words(), width, most, plan: options.plan, paint, groups }
    }

    fn frame(&self) -> Frame<'_> {
        Frame { width: self.width, most: self.most, paint: self.paint, words: self.w }
    }

    fn heading(&self, out: &mut Vec<String>, text: &str) {
        out.push(String::new());
        out.push(self.paint.text(text, Look::Head));
    }

    /// A line of a list, folded.
    fn line(&self, out: &mut Vec<String>, text: &str) {
        out.extend(fold(&format!("  {text}"), self.width, 4));
    }

    fn head(&self, out: &mut Vec<String>) {
        for line in lines(&self.e.expression) {
            out.push(self.paint.text(line, Look::Head));
        }
        if let Some([before, blamed, _]) = prose::blamed(self.e) {
            let carets = self.paint.text("^".repeat(blamed.width().max(1)), Look::Bad);
            out.push(format!("{}{carets}", " ".repeat(before.width())));
        }
        let what = format!("{} · {}", clean(&self.e.dialect), clean(&self.e.operation));
        out.push(self.paint.text(what, Look::Dim));
        out.push(String::new());
        out.extend(fold(&prose::summary(self.e, self.w), self.width, 0));
        let Some(error) = &self.e.error else { return };
        for line in lines(&error.message) {
            out.extend(fold(&format!("  {line}"), self.width, 4));
        }
        for line in prose::failure(self.e, error, self.most, self.w) {
            out.extend(fold(&line, self.width, 2));
        }
        out.extend(prose::bad_window(self.e, error).map(|line| format!("  {line}")));
    }

    fn arrays(&self, out: &mut Vec<String>) {
        let operands = self.e.operands.iter().take(self.most).enumerate().map(|(k, operand)| self.operand(k, operand));
        let results = self.e.results.iter().take(self.most).enumerate().map(|(k, outcome)| self.result(k, outcome));
        for blocks in [operands.collect::<Vec<_>>(), results.collect()] {
            if !blocks.is_empty() {
                out.push(String::new());
                out.extend(beside(blocks, self.width));
            }
        }
        for all in [self.e.operands.len(), self.e.results.len()].into_iter().filter(|all| *all > self.most) {
            self.line(out, &fill(self.w.and_more, &[("n", &(all - self.most))]));
        }
    }

    fn operand(&self, k: usize, operand: &Operand) -> Vec<Piece> {
        let about =
            format!("  {}, {} {}", prose::role(operand.role, self.w), clean(&operand.dtype), shape(&operand.shape));
        let mut out = vec![self.title(&operand.name, about)];
        if operand.values.is_none() {
            out.push(Piece::plain(format!("  {}", self.w.not_shown)));
            return out;
        }
        let error = self.e.error.as_ref().filter(|error| error.operand == Some(k));
        out.extend(self.frame().array(&operand.shape, &|at| {
            let text = value(&operand.values, at).unwrap_or_else(|| "?".to_owned());
            if error.is_some_and(|error| error.at == Some(at) || error.bad.contains(&at)) {
                return (format!(">{text}<"), Look::Bad);
            }
            let group = self.groups.operand(k, at).map_or(Look::Plain, Look::Group);
            let off = operand.role == Role::Mask && !is_true(operand, at);
            (text, if off { Look::Dim } else { group })
        }));
        out
    }

    fn result(&self, k: usize, outcome: &Outcome) -> Vec<Piece> {
        let memory = prose::memory(self.e, outcome.memory, self.w);
        let about = format!("  {} {}, {memory}", clean(&outcome.dtype), shape(&outcome.shape));
        let mut out = vec![self.title(&outcome.name, about)];
        let first = result_value(self.e, outcome, 0);
        if outcome.values.is_none() && first.is_none() {
            out.push(Piece::plain(format!("  {}", self.w.not_shown)));
            return out;
        }
        out.extend(self.frame().array(&outcome.shape, &|at| {
            let text = result_value(self.e, outcome, at).unwrap_or_else(|| "?".to_owned());
            (text, self.groups.result(k, at).map_or(Look::Plain, Look::Group))
        }));
        out
    }

    fn title(&self, name: &str, about: String) -> Piece {
        let name = self.paint.piece(clean(name), Look::Head);
        let about = Piece::plain(about);
        Piece { width: name.width + about.width, text: name.text + &about.text }
    }

    fn axes(&self, out: &mut Vec<String>) {
        for outcome in self.e.results.iter().take(self.most).filter(|outcome| !outcome.axes.is_empty()) {
            self.heading(out, &fill(self.w.axes, &[("name", &clean(&outcome.name))]));
            for (k, axis) in outcome.axes.iter().take(self.most).enumerate() {
                let name = fill(self.w.axis, &[("axis", &k)]);
                self.line(out, &format!("{name} ({}): {}", axis.extent, prose::axis(self.e, axis, self.w)));
            }
        }
    }

    /// Masks, searches, gradients, and what is left out.
    fn lists(&self, out: &mut Vec<String>) {
        let (e, w, most) = (self.e, self.w, self.most);
        self.list(out, w.masks, e.masks.len(), &mut e.masks.iter().map(|mask| vec![prose::mask(e, mask, most, w)]));
        self.list(
            out,
            w.found,
            e.searches.len(),
            &mut e.searches.iter().map(|searched| {
                let compared = prose::compared(e, searched, most, w).map(|line| format!("  {line}"));
                [prose::search(e, searched, w)].into_iter().chain(compared).collect()
            }),
        );
        // Every call says where gradients would flow to: where nobody asked, that is a detail.
        let asked = self.plan || e.kind == Kind::Gradient;
        let flows = e.flows.iter().filter(|_| asked).flat_map(|flow| flow.to.iter().map(move |to| (flow.operand, to)));
        let count = flows.clone().count();
        self.list(out, w.gradients, count, &mut flows.map(|(k, to)| vec![prose::flow(e, k, to, most, w)]));
        self.list(
            out,
            w.left_out,
            e.left_out.len(),
            &mut e.left_out.iter().map(|left| vec![prose::left_out(e, left, w)]),
        );
    }

    /// A heading and the lines of the first items, if there are any.
    fn list(&self, out: &mut Vec<String>, heading: &str, count: usize, items: &mut dyn Iterator<Item = Vec<String>>) {
        if count == 0 {
            return;
        }
        self.heading(out, heading);
        for line in items.take(self.most).flatten() {
            self.line(out, &line);
        }
        if count > self.most {
            self.line(out, &fill(self.w.and_more, &[("n", &(count - self.most))]));
        }
    }

    /// Bytes, and the plan where it is asked for.
    fn moved(&self, out: &mut Vec<String>) {
        out.push(String::new());
        let moved = self.e.error.is_none().then(|| prose::moved(self.e, self.w));
        for line in prose::sampled(self.e, self.w).into_iter().chain(moved) {
            out.extend(fold(&line, self.width, 2));
        }
        if !self.plan || self.e.plans.is_empty() {
            while out.last().is_some_and(String::is_empty) {
                out.pop();
            }
            return;
        }
        self.heading(out, self.w.plan);
        for plan in self.e.plans.iter().take(self.most) {
            for (k, line) in reasons::plan(plan, self.w).into_iter().enumerate() {
                self.line(out, &if k == 0 { line } else { format!("  {line}") });
                if k == 0 {
                    // The plan's own notation is not folded: its columns mean something.
                    out.extend(plan.text.lines().take(self.most).map(|line| format!("      {}", clean_to(line, 400))));
                }
            }
        }
    }
}
