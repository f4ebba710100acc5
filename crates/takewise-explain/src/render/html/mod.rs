//! An explanation as HTML: a page that stands alone, or a piece of one for a notebook.

mod arrays;
mod comparison;
mod sections;

use std::sync::atomic::{AtomicU64, Ordering};

use super::groups::Groups;
use super::places::{clean, clean_to, lines, revealed};
use super::prose;
use super::sheet::{Bounds, Sheet, Which, sheets};
use super::words::{Language, Words};
use super::xml::{COLORS, colors, escape};
use crate::data::Explanation;

pub use comparison::html_comparison;

/// How an explanation is written as HTML.
#[derive(Clone, Debug)]
pub struct HtmlOptions {
    /// In which language.
    pub language: Language,
    /// About how many elements of an array are shown; of larger ones a part is.
    pub cells: usize,
    /// How many items of each list are shown.
    pub most: usize,
    /// Only a piece, to stand in another page such as a notebook: no head, and no JSON.
    pub fragment: bool,
    /// The `id` of the outermost element: letters, digits, `-` and `_`. None makes one that no other drawing of this process has.
    pub id: Option<String>,
}

impl Default for HtmlOptions {
    /// A page in English, 400 elements of an array, 40 of each list.
    fn default() -> HtmlOptions {
        HtmlOptions { language: Language::English, cells: 400, most: 40, fragment: false, id: None }
    }
}

/// Longer JSON is not embedded.
const JSON: usize = 1 << 20;

/// What all parts of a page share.
struct Page<'a> {
    e: &'a Explanation,
    w: &'static Words,
    most: usize,
    groups: Groups,
    fragment: bool,
    /// Which of several explanations side by side this is.
    column: Option<usize>,
    out: String,
}

/// A call as HTML: arrays as tables whose elements light up together with those they belong to, under the pointer and by the arrow
/// keys; the same elements also share a colour and a letter, so that nothing is lost where scripts do not run. Nothing is fetched.
/// Cost: proportional to what is shown and to the lists of elements in the data.
///
/// ```
/// use takewise_explain::{Picture, render};
///
/// let explanation = Picture::new("x[0]", "torch", "index").finish();
/// let page = render::html(&explanation, &render::HtmlOptions::default());
/// assert!(page.starts_with("<!doctype html>") && page.contains("x[0]"));
/// let piece = render::html(&explanation, &render::HtmlOptions { fragment: true, ..Default::default() });
/// assert!(piece.starts_with("<div "));
/// ```
pub fn html(explanation: &Explanation, options: &HtmlOptions) -> String {
    let mut page = Page::new(explanation, options);
    page.head(None);
    page.body(options.cells, &[]);
    if !options.fragment {
        page.json(serde_json::to_string_pretty(explanation).unwrap_or_default());
    }
    framed(&explanation.expression, &page.out, options)
}

/// Puts styles and the script round what is shown, and a page round that unless only a piece is wanted.
fn framed(expression: &str, shown: &str, options: &HtmlOptions) -> String {
    let (id, tag) = (name(expression, options), options.language.tag());
    let body = format!(
        "<div class=\"tw\" id=\"{id}\" lang=\"{tag}\">\n<style>\n{}{}</style>\n{shown}<script>\n{}(document.getElementById(\"{id}\"));\n\
         </script>\n</div>\n",
        include_str!("style.css"),
        style(),
        include_str!("script.js").trim_end(),
    );
    if options.fragment {
        return body;
    }
    let title = escape(&clean_to(expression, 200));
    format!(
        "<!doctype html>\n<html lang=\"{tag}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <title>{title} · takewise</title>\n<style>\n{}html{{background:var(--bg)}}body{{margin:0}}.tw{{margin:0 auto}}\n</style>\n\
         </head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n",
        colors(":root"),
    )
}

/// The id asked for, or one of the content and a count.
fn name(text: &str, options: &HtmlOptions) -> String {
    static MADE: AtomicU64 = AtomicU64::new(0);
    if let Some(id) = &options.id {
        return id.chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).take(64).collect();
    }
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("tw-{hash:016x}-{}", MADE.fetch_add(1, Ordering::Relaxed))
}

fn style() -> String {
    let mut out = colors(".tw");
    for k in 0..COLORS {
        out.push_str(&format!(".tw td.tw-g{k}{{background:var(--f{k});border-color:var(--e{k})}}\n"));
    }
    out
}

impl<'a> Page<'a> {
    fn new(e: &'a Explanation, options: &HtmlOptions) -> Page<'a> {
        Page {
            e,
            w: options.language.words(),
            most: options.most.clamp(1, 1000),
            groups: Groups::of(e),
            fragment: options.fragment,
            column: None,
            out: String::new(),
        }
    }

    /// A paragraph of clean text.
    fn p(&mut self, class: &str, text: &str) {
        self.tagged("p", class, text);
    }

    fn tagged(&mut self, tag: &str, class: &str, text: &str) {
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        self.out.push_str(&format!("<{tag}{class}>{}</{tag}>\n", escape(text)));
    }

    /// A heading. In another page it is none, so that it does not enter that page's outline.
    fn heading(&mut self, level: usize, class: &str, text: &str) {
        let tag = if self.fragment { "p".to_owned() } else { format!("h{level}") };
        let class = format!("tw-h{level} {class}");
        self.tagged(&tag, class.trim_end(), text);
    }

    /// The expression, or the name of one of several explanations, and what happens.
    fn head(&mut self, name: Option<&str>) {
        let (e, w) = (self.e, self.w);
        match name {
            Some(name) => self.heading(2, "tw-m", name),
            None => match prose::blamed(e) {
                Some(parts) => self.blamed(&parts),
                None => self.expression(&e.expression),
            },
        }
        self.p("tw-s", &format!("{} · {}", clean(&e.dialect), clean(&e.operation)));
        self.p("", &prose::summary(e, w));
        if let Some(error) = &e.error {
            let message = lines(&error.message);
            self.p("tw-w", &message[..message.len().min(20)].join("\n"));
            for line in prose::failure(e, error, self.most, w) {
                self.p("", &line);
            }
        }
    }

    /// The expression with the part that an error is about marked.
    fn blamed(&mut self, parts: &[String; 3]) {
        let tag = if self.fragment { "p" } else { "h1" };
        let [before, blamed, after] = parts.each_ref().map(|part| escape(part));
        self.out.push_str(&format!("<{tag} class=\"tw-e tw-m\">{before}<mark>{blamed}</mark>{after}</{tag}>\n"));
    }

    fn expression(&mut self, text: &str) {
        let lines = lines(text);
        let tag = if self.fragment { "p" } else { "h1" };
        self.tagged(tag, "tw-e tw-m", &lines[..lines.len().min(20)].join("\n"));
    }

    /// Arrays and all that is said of them.
    fn body(&mut self, cells: usize, differs: &[usize]) {
        // Wide tables scroll.
        let bounds = Bounds { cells: cells.clamp(1, 4096), most: self.most, columns: &|_| usize::MAX };
        let all = sheets(self.e, &self.groups, differs, &bounds, self.w);
        self.arrays(&all);
        self.sections(&all);
    }

    fn arrays(&mut self, all: &[Sheet]) {
        for side in [false, true] {
            let sheets = || all.iter().filter(|sheet| matches!(sheet.which, Which::Result(_)) == side);
            if sheets().next().is_none() {
                continue;
            }
            self.out.push_str("<div class=\"tw-arrays\">\n");
            sheets().for_each(|sheet| self.array(sheet));
            self.out.push_str("</div>\n");
        }
        if self.column.is_none() && all.iter().any(|sheet| !sheet.faces.is_empty()) {
            self.status();
        }
    }

    /// Where it is told in words what lights up.
    fn status(&mut self) {
        self.out.push_str(&format!("<p class=\"tw-now\" role=\"status\">{}</p>\n", escape(self.w.hint)));
    }

    /// The data itself, for copying.
    fn json(&mut self, text: String) {
        let w = self.w;
        self.out.push_str(&format!("<details><summary>{}</summary>\n", escape(w.as_json)));
        if text.len() > JSON {
            self.p("", w.json_long);
        } else {
            self.out.push_str(&format!(
                "<textarea readonly aria-label=\"{}\">{}</textarea>\n<button type=\"button\" class=\"tw-copy\" hidden data-done=\"{}\">{}</button>\n",
                escape(w.as_json),
                escape(&revealed(&text)),
                escape(w.copied),
                escape(w.copy),
            ));
        }
        self.out.push_str("</details>\n");
    }
}
