//! An explanation as one SVG picture without scripts, fonts or links.

mod arrays;
mod canvas;
mod comparison;
mod sections;

use super::groups::Groups;
use super::places::{clean, clean_to, lines};
use super::prose;
use super::sheet::{Bounds, Sheet, Which, sheets};
use super::words::{Language, Words};
use super::xml::{colors, escape};
use crate::data::Explanation;
use arrays::{Spots, cell_width, draw_arrows, joined, middle, place};
use canvas::{Canvas, EDGE};
pub use comparison::svg_comparison;

/// How an explanation is drawn.
#[derive(Clone, Debug)]
pub struct SvgOptions {
    /// In which language.
    pub language: Language,
    /// Pixels from edge to edge at most, and at least 320.
    pub width: usize,
    /// About how many elements of an array are drawn; of larger ones a part is.
    pub cells: usize,
    /// Up to how many sources are joined to their elements by arrows. Colours and letters join them always.
    pub arrows: usize,
    /// How many items of each list are drawn.
    pub most: usize,
}

impl Default for SvgOptions {
    /// English, 920 pixels, 120 elements of an array, 40 arrows, 12 of each list.
    fn default() -> SvgOptions {
        SvgOptions { language: Language::English, width: 920, cells: 120, arrows: 40, most: 12 }
    }
}

/// What all parts of a picture share.
struct Artist<'a> {
    e: &'a Explanation,
    w: &'static Words,
    most: usize,
}

/// A call as a picture: arrays as grids, the elements that belong together in one colour and with one letter, values that meet in
/// order, bad index values hatched. It stands alone: styles are inside, and there is no script and no link. It has a ground of its
/// own, light or dark as the reader prefers.
///
/// Cost: proportional to what is drawn and to the lists of elements in the data.
///
/// ```
/// use takewise_explain::{Picture, render};
///
/// let explanation = Picture::new("x[0]", "torch", "index").finish();
/// let drawn = render::svg(&explanation, &render::SvgOptions::default());
/// assert!(drawn.starts_with("<svg ") && drawn.contains("x[0]"));
/// ```
pub fn svg(explanation: &Explanation, options: &SvgOptions) -> String {
    let drawn = drawn(explanation, options, &[], None);
    wrapped(&clean_to(&explanation.expression, 400), &drawn, options.language)
}

/// What is drawn of one explanation, and how large it is.
struct Drawing {
    out: String,
    described: String,
    size: (i64, i64),
}

/// Draws an explanation. In a comparison it has a name of its own, and the places are marked at which the others differ.
fn drawn(e: &Explanation, options: &SvgOptions, differs: &[usize], name: Option<&str>) -> Drawing {
    let (w, most) = (options.language.words(), options.most.clamp(1, 200));
    let groups = Groups::of(e);
    let artist = Artist { e, w, most };
    let mut canvas = Canvas::new(options.width.clamp(320, 8000) as i64);
    let columns = |value| ((canvas.room() - 40) / cell_width(value as i64)).max(1) as usize;
    let bounds = Bounds { cells: options.cells.clamp(1, 4096), most, columns: &columns };
    let all = sheets(e, &groups, differs, &bounds, w);
    canvas.y = 10;
    artist.head(&mut canvas, name);
    artist.arrays(&mut canvas, &all, options.arrows.min(2000));
    artist.sections(&mut canvas, &groups);
    artist.foot(&mut canvas, &all);
    let size = ((canvas.used + EDGE).clamp(320, canvas.width), canvas.y + 24);
    Drawing { out: canvas.out, described: described(e, &all, w), size }
}

/// A picture with its name, its description, its styles and its ground.
fn wrapped(title: &str, drawn: &Drawing, language: Language) -> String {
    let (width, height) = drawn.size;
    let title = escape(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tw-svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-label=\"{title}\" xml:lang=\"{tag}\" lang=\"{tag}\">\n<title>{title}</title>\n\
         <desc>{described}</desc>\n<style>\n{style}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" class=\"tw-g\"/>\n{out}</svg>\n",
        tag = language.tag(),
        described = escape(&drawn.described),
        style = style(),
        out = drawn.out,
    )
}

/// What the picture shows, for those who hear it.
fn described(e: &Explanation, sheets: &[Sheet], w: &Words) -> String {
    let mut out = vec![prose::summary(e, w)];
    let results = sheets.iter().filter(|sheet| matches!(sheet.which, Which::Result(_)));
    let notes = results.flat_map(|sheet| &sheet.faces).map(|face| &face.note).filter(|note| note.contains('←'));
    out.extend(notes.take(40).map(|note| format!("{note}.")));
    out.join(" ")
}

fn style() -> String {
    let mut out = colors(".tw-svg");
    out.push_str(
        ".tw-svg{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Noto Sans CJK SC','Microsoft YaHei',sans-serif}\n\
         .tw-svg text{fill:var(--fg);font-size:13px;white-space:pre}\n\
         .tw-svg .tw-g{fill:var(--bg)}\n\
         .tw-svg .tw-e,.tw-svg .tw-v,.tw-svg .tw-n,.tw-svg .tw-m{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,'Noto Sans Mono CJK SC',monospace;font-size:14px}\n\
         .tw-svg .tw-e{font-size:16px;font-weight:700}\n\
         .tw-svg .tw-n{font-weight:700}\n\
         .tw-svg .tw-h{font-size:14px;font-weight:700}\n\
         .tw-svg .tw-t{font-size:14px}\n\
         .tw-svg .tw-s,.tw-svg .tw-k,.tw-svg .tw-o{fill:var(--soft)}\n\
         .tw-svg .tw-n,.tw-svg .tw-s{paint-order:stroke;stroke:var(--bg);stroke-width:4px;stroke-linejoin:round}\n\
         .tw-svg .tw-k{font-size:11px}\n\
         .tw-svg .tw-l{font-size:10px;font-weight:700}\n\
         .tw-svg .tw-w{fill:var(--bad);font-size:14px}\n\
         .tw-svg .tw-c{fill:var(--cell);stroke:var(--line);stroke-width:1.5}\n\
         .tw-svg .tw-b{fill:var(--badbg);stroke:var(--bad);stroke-width:2.5}\n\
         .tw-svg .tw-x{stroke:var(--bad);stroke-width:1;opacity:.45;fill:none}\n\
         .tw-svg .tw-f{stroke-dasharray:2 3;stroke-width:2.5}\n\
         .tw-svg .tw-d{stroke-dasharray:5 4}\n\
         .tw-svg .tw-r{stroke:var(--fg);stroke-width:1.5;fill:none}\n\
         .tw-svg .tw-kept{stroke-width:3}\n\
         .tw-svg .tw-a{fill:none;stroke-width:1.6;opacity:.75}\n\
         .tw-svg .tw-u{stroke-dasharray:4 4}\n\
         .tw-svg .tw-p{stroke:none}\n\
         .tw-svg .tw-ne{fill:none;stroke:var(--fg);stroke-width:3}\n\
         .tw-svg .tw-caret{stroke:var(--e3);fill:var(--e3);stroke-width:2}\n\
         .tw-svg .tw-before{fill:var(--f0);stroke:var(--e0)}\n",
    );
    out
}

impl Artist<'_> {
    fn head(&self, canvas: &mut Canvas, name: Option<&str>) {
        match name {
            Some(name) => canvas.code("tw-e", name),
            None => lines(&self.e.expression).iter().take(20).for_each(|line| canvas.code("tw-e", line)),
        }
        canvas.lines("tw-s", 13, &format!("{} · {}", clean(&self.e.dialect), clean(&self.e.operation)), 0);
        canvas.y += 4;
        canvas.lines("tw-t", 14, &prose::summary(self.e, self.w), 0);
        if let Some(error) = &self.e.error {
            for line in lines(&error.message).iter().take(20) {
                canvas.lines("tw-w", 14, line, 12);
            }
            for line in prose::failure(self.e, error, self.most, self.w) {
                canvas.lines("tw-t", 14, &line, 0);
            }
        }
        canvas.y += 22;
    }

    fn arrays(&self, canvas: &mut Canvas, all: &[Sheet], most: usize) {
        let (operands, results): (Vec<&Sheet>, Vec<&Sheet>) =
            all.iter().partition(|sheet| matches!(sheet.which, Which::Operand(_)));
        let mut spots = Spots::new();
        let mut parts = vec![place(canvas, &operands, None, &mut spots, self.w)];
        let near = middle(&joined(self.e, all, &spots, most));
        if !results.is_empty() {
            canvas.y += 52;
            parts.push(place(canvas, &results, near, &mut spots, self.w));
        }
        parts.iter().for_each(|[elements, _]| canvas.out.push_str(elements));
        draw_arrows(canvas, &joined(self.e, all, &spots, most));
        parts.iter().for_each(|[_, names]| canvas.out.push_str(names));
    }
}
