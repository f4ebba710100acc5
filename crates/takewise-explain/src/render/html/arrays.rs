//! Arrays as tables.

use super::Page;
use crate::render::sheet::{Face, Mark, Sheet, Which, letter};
use crate::render::xml::{COLORS, escape};

impl Page<'_> {
    pub(super) fn array(&mut self, sheet: &Sheet) {
        let grid = &sheet.grid;
        let (name, about) = (escape(&sheet.name), escape(&sheet.about));
        self.out.push_str(&format!("<div class=\"tw-array\">\n<p><strong class=\"tw-m\">{name}</strong> <span class=\"tw-s\">{about}</span></p>\n"));
        if grid.drawn() == 0 || !sheet.known && sheet.faces.iter().all(|face| face.group.is_none()) {
            let text = if grid.of == 0 { self.w.empty } else { self.w.not_shown };
            self.p("tw-s", text);
            self.out.push_str("</div>\n");
            return;
        }
        self.out.push_str("<div class=\"tw-panels\">\n");
        let per_panel = grid.rows.len() * grid.columns.len();
        for (k, panel) in grid.panels.iter().enumerate() {
            self.table(sheet, grid.label(*panel), &sheet.faces[k * per_panel..(k + 1) * per_panel]);
        }
        self.out.push_str("</div>\n</div>\n");
    }

    /// One table, with the positions of its columns and rows as headings.
    fn table(&mut self, sheet: &Sheet, label: Option<String>, faces: &[Face]) {
        let grid = &sheet.grid;
        let named = format!("{}{}", sheet.name, label.as_deref().unwrap_or(""));
        self.out
            .push_str(&format!("<div class=\"tw-scroll\"><table role=\"grid\" aria-label=\"{}\">\n", escape(&named)));
        if let Some(label) = &label {
            self.out.push_str(&format!("<caption>{}</caption>\n", escape(label)));
        }
        if grid.edges > 0 {
            self.out.push_str("<thead><tr>");
            self.out.push_str(if grid.edges == 2 { "<td></td>" } else { "" });
            for column in &grid.columns {
                self.out.push_str(&format!("<th scope=\"col\">{column}</th>"));
            }
            self.out.push_str("</tr></thead>\n");
        }
        self.out.push_str("<tbody>\n");
        for (r, row) in faces.chunks(grid.columns.len().max(1)).enumerate() {
            self.out.push_str("<tr>");
            if grid.edges == 2 {
                self.out.push_str(&format!("<th scope=\"row\">{}</th>", grid.rows[r]));
            }
            for (c, face) in row.iter().enumerate() {
                self.element(sheet.which, face, r == 0 && c == 0);
            }
            self.out.push_str("</tr>\n");
        }
        self.out.push_str("</tbody></table></div>\n");
    }

    /// One element: its letter, its value, its mark; what belongs to it in attributes.
    fn element(&mut self, which: Which, face: &Face, first: bool) {
        let class = match face.mark {
            Mark::Bad => " tw-bad",
            Mark::Filled => " tw-filled",
            Mark::Dropped => " tw-dropped",
            Mark::Crossed => " tw-crossed",
            _ => "",
        };
        let color = face
            .group
            .filter(|_| face.mark != Mark::Bad)
            .map_or(String::new(), |group| format!(" tw-g{}", group % COLORS));
        let column = self.column.map(|k| format!("c{k}")).unwrap_or_default();
        let key = match which {
            Which::Operand(k) => format!("{column}o{k}-{}", face.at),
            Which::Result(k) => format!("{column}r{k}-{}", face.at),
        };
        let to: Vec<String> = face.from.iter().map(|p| format!("{column}o{}-{}", p.operand, p.at)).collect();
        let to = if to.is_empty() { String::new() } else { format!(" data-to=\"{}\"", to.join(" ")) };
        let tab = if first { 0 } else { -1 };
        let note = escape(&face.note);
        let differs = if face.differs { " tw-differs" } else { "" };
        self.out.push_str(&format!(
            "<td class=\"tw-c{color}{class}{differs}\" data-k=\"{key}\"{to} tabindex=\"{tab}\" title=\"{note}\">"
        ));
        if let Some(group) = face.group {
            self.out.push_str(&format!("<b aria-hidden=\"true\">{}</b>", letter(group)));
        }
        let value = escape(&face.value);
        self.out.push_str(&match face.mark {
            Mark::Dropped => format!("<s>{value}</s>"),
            _ => value,
        });
        let sign = if face.mark == Mark::Bad { "✗".to_owned() } else { face.sign() };
        if !sign.is_empty() {
            self.out.push_str(&format!("<i>{sign}</i>"));
        }
        self.out.push_str("</td>");
    }
}
