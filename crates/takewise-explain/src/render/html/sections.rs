//! What stands below the arrays.

use super::Page;
use crate::data::{Cell, How, Kind, Outcome, Searched};
use crate::render::places::{clean, clean_to, operand_value, result_place, result_value, source_value};
use crate::render::sheet::{Mark, Sheet};
use crate::render::words::fill;
use crate::render::xml::escape;
use crate::render::{prose, reasons};

/// Elements shown of the sequence of a search.
const RULER: usize = 17;

impl Page<'_> {
    pub(super) fn sections(&mut self, all: &[Sheet]) {
        let (e, w, most) = (self.e, self.w, self.most);
        self.legend(all);
        self.meetings();
        self.searches();
        for outcome in e.results.iter().take(most) {
            let named = outcome.axes.iter().enumerate().map(|(k, axis)| {
                format!("{} ({}): {}", fill(w.axis, &[("axis", &k)]), axis.extent, prose::axis(e, axis, w))
            });
            self.list(&fill(w.axes, &[("name", &clean(&outcome.name))]), &mut { named });
        }
        self.list(w.masks, &mut e.masks.iter().map(|mask| prose::mask(e, mask, most, w)));
        self.list(w.left_out, &mut e.left_out.iter().map(|left| prose::left_out(e, left, w)));
        let moved = e.error.is_none().then(|| prose::moved(e, w));
        for line in prose::sampled(e, w).into_iter().chain(moved) {
            self.p("tw-s", &line);
        }
        self.elements();
        self.gradients();
        self.plans();
    }

    /// A heading and the first lines, if there are any.
    fn list(&mut self, heading: &str, mut items: &mut dyn Iterator<Item = String>) {
        let shown: Vec<String> = (&mut items).take(self.most).collect();
        if shown.is_empty() {
            return;
        }
        self.heading(2, "", heading);
        self.out.push_str("<ul>\n");
        shown.iter().for_each(|line| self.tagged("li", "", line));
        self.more(items.count(), "li");
        self.out.push_str("</ul>\n");
    }

    /// How many are not shown.
    fn more(&mut self, rest: usize, tag: &str) {
        if rest > 0 {
            self.tagged(tag, "tw-s", &fill(self.w.and_more, &[("n", &rest)]));
        }
    }

    /// What letters and marks mean, and what is not drawn.
    fn legend(&mut self, all: &[Sheet]) {
        let w = self.w;
        let faces = || all.iter().flat_map(|sheet| &sheet.faces);
        let marks = [
            (Mark::Bad, "✗", w.mark_bad),
            (Mark::Filled, "⬚", w.mark_filled),
            (Mark::Dropped, "—", w.mark_dropped),
            (Mark::Ticked, "✓", w.mark_ticked),
            (Mark::Met, "×N", w.mark_met),
        ];
        let letters = faces().any(|face| face.group.is_some()).then(|| w.letters.to_owned());
        let used = marks.iter().filter(|(mark, ..)| faces().any(|face| face.mark == *mark));
        let parts = all.iter().filter(|sheet| sheet.grid.drawn() < sheet.grid.of).map(|sheet| {
            fill(w.drawn_part, &[("name", &sheet.name), ("shown", &sheet.grid.drawn()), ("of", &sheet.grid.of)])
        });
        let said = letters.into_iter().chain(used.map(|(_, sign, words)| format!("{sign} {words}"))).chain(parts);
        let said: Vec<String> = said.collect();
        if !said.is_empty() {
            self.out.push_str("<ul class=\"tw-row tw-s\">\n");
            said.iter().for_each(|line| self.tagged("li", "", line));
            self.out.push_str("</ul>\n");
        }
    }

    /// An ordered list for each element at which several values meet.
    fn meetings(&mut self) {
        let e = self.e;
        let all = e.results.iter().flat_map(|outcome| outcome.cells.iter().map(move |cell| (outcome, cell)));
        let mut met = all.filter(|(outcome, cell)| prose::meets(e, outcome, cell)).peekable();
        if met.peek().is_none() {
            return;
        }
        self.heading(2, "", self.w.meeting);
        self.out.push_str("<ul class=\"tw-row\">\n");
        for (outcome, cell) in met.by_ref().take(self.most) {
            self.out.push_str("<li>");
            self.meeting(outcome, cell);
            self.out.push_str("</li>\n");
        }
        self.more(met.count(), "li");
        self.out.push_str("</ul>\n");
    }

    fn meeting(&mut self, outcome: &Outcome, cell: &Cell) {
        let (e, w) = (self.e, self.w);
        self.heading(3, "tw-m", &result_place(outcome, cell.at));
        self.out.push_str("<ol>\n");
        if cell.with_self {
            let value = prose::value_before(e, outcome, cell.at).unwrap_or_default();
            self.out.push_str(&format!("<li><code>{}</code> {}</li>\n", escape(&value), escape(w.was_there)));
        }
        for source in cell.sources.iter().take(self.most) {
            let mut value = source_value(e, source).unwrap_or_default();
            if let Some(times) = &source.times {
                value = format!("{} × {value}", clean(times));
            }
            let keeps = source.used && matches!(cell.how, How::Last | How::First | How::Max | How::Min);
            let (tag, class) = (if source.used { "code" } else { "s" }, if keeps { " class=\"tw-kept\"" } else { "" });
            let named = format!("{} {}", prose::source(e, source, w), prose::fated(e, cell, source, w));
            self.out.push_str(&format!(
                "<li{class}><{tag}>{}</{tag}> {}</li>\n",
                escape(&value),
                escape(named.trim_end())
            ));
        }
        self.out.push_str("</ol>\n");
        self.more(cell.sources.len().saturating_sub(self.most), "p");
        let result = result_value(e, outcome, cell.at).unwrap_or_else(|| "?".to_owned());
        let how = match cell.how {
            How::Last | How::First => String::new(),
            how => format!(" ({})", prose::how(how, w)),
        };
        self.p("tw-m", &format!("= {result}{how}"));
    }

    /// What each search compared, in the sequence itself.
    fn searches(&mut self) {
        let e = self.e;
        if e.searches.is_empty() {
            return;
        }
        self.heading(2, "", self.w.found);
        for searched in e.searches.iter().take(self.most) {
            self.p("", &prose::search(e, searched, self.w));
            self.ruler(searched);
            if let Some(line) = prose::compared(e, searched, self.most, self.w) {
                self.p("tw-s", &line);
            }
        }
        self.more(e.searches.len().saturating_sub(self.most), "p");
    }

    fn ruler(&mut self, searched: &Searched) {
        let first = searched.found.saturating_sub(RULER / 2).min(searched.length.saturating_sub(RULER));
        let last = searched.length.min(first.saturating_add(RULER));
        self.out.push_str("<ol class=\"tw-ruler\" aria-hidden=\"true\">\n");
        for at in first..=last {
            if at == searched.found {
                self.out.push_str("<li class=\"tw-caret\">▲</li>\n");
            }
            if at == last {
                break;
            }
            let place = prose::in_sequence(self.e, searched, at);
            let value = operand_value(self.e, searched.sequence, place).unwrap_or_default();
            let class = if at < searched.found { " class=\"tw-before\"" } else { "" };
            self.out.push_str(&format!("<li{class}>{}<small>{at}</small></li>\n", escape(&value)));
        }
        self.out.push_str("</ol>\n");
    }

    /// All elements in words: what the colours say, for those who do not see them.
    fn elements(&mut self) {
        let (e, w) = (self.e, self.w);
        if e.results.iter().all(|outcome| outcome.cells.is_empty()) {
            return;
        }
        self.out.push_str(&format!("<details><summary>{0}</summary>\n<div class=\"tw-scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{0}\">", escape(w.elements)));
        self.out.push_str("<table class=\"tw-list\"><thead><tr>");
        for heading in [w.element, w.value, w.from] {
            self.out.push_str(&format!("<th scope=\"col\">{}</th>", escape(heading)));
        }
        self.out.push_str("</tr></thead><tbody>\n");
        let mut rest = 0;
        for (k, outcome) in e.results.iter().enumerate() {
            rest += outcome.cells.len().saturating_sub(self.most);
            for cell in outcome.cells.iter().take(self.most) {
                let made =
                    prose::made_of(e, outcome, cell, Some((&self.groups, k)), w).unwrap_or_else(|| w.same.to_owned());
                let value = result_value(e, outcome, cell.at).unwrap_or_default();
                let place = result_place(outcome, cell.at);
                let [place, value, made] = [place, value, made].map(|text| escape(&text));
                self.out.push_str(&format!("<tr><td>{place}</td><td>{value}</td><td>{made}</td></tr>\n"));
            }
        }
        self.out.push_str("</tbody></table></div>\n");
        self.more(rest, "p");
        self.out.push_str("</details>\n");
    }

    /// Where gradients flow to: closed, unless it is what was asked.
    fn gradients(&mut self) {
        let (e, w, most) = (self.e, self.w, self.most);
        let mut flows = e.flows.iter().flat_map(|flow| flow.to.iter().map(move |to| (flow.operand, to))).peekable();
        if flows.peek().is_none() {
            return;
        }
        let open = if e.kind == Kind::Gradient { " open" } else { "" };
        self.out.push_str(&format!("<details{open}><summary>{}</summary>\n<ul>\n", escape(w.gradients)));
        for (k, to) in flows.by_ref().take(most) {
            self.tagged("li", "", &prose::flow(e, k, to, most, w));
        }
        self.more(flows.count(), "li");
        self.out.push_str("</ul>\n</details>\n");
    }

    fn plans(&mut self) {
        if self.e.plans.is_empty() {
            return;
        }
        self.out.push_str(&format!("<details><summary>{}</summary>\n", escape(self.w.plan)));
        for plan in self.e.plans.iter().take(self.most) {
            let said = reasons::plan(plan, self.w);
            let text: Vec<String> = plan.text.lines().take(200).map(|line| clean_to(line, 400)).collect();
            self.heading(2, "", &said[0]);
            self.tagged("pre", "", &text.join("\n"));
            said[1..].iter().for_each(|line| self.p("", line));
        }
        self.more(self.e.plans.len().saturating_sub(self.most), "p");
        self.out.push_str("</details>\n");
    }
}
