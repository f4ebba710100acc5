//! Explanations side by side in one page.

use super::{HtmlOptions, Page, framed};
use crate::compare::Comparison;
use crate::render::prose;
use crate::render::words::fill;

/// A comparison as HTML: the explanations side by side, each result once with the names of all that give it, the places that differ
/// framed and marked with `≠`. A page or a piece, as [`super::html()`] is.
///
/// ```
/// use takewise_explain::{Comparison, Picture, render};
///
/// let explained = |dialect: &str| Picture::new("x[0]", dialect, "index").finish();
/// let both = Comparison::of("x[0]", vec![("torch".into(), explained("torch")), ("numpy".into(), explained("numpy"))]);
/// assert!(render::html_comparison(&both, &render::HtmlOptions::default()).contains("torch, numpy"));
/// ```
pub fn html_comparison(comparison: &Comparison, options: &HtmlOptions) -> String {
    let w = options.language.words();
    let Some(first) = comparison.columns.first() else {
        return framed(&comparison.expression, "", options);
    };
    let mut page = Page::new(&first.explanation, options);
    page.expression(&comparison.expression);
    page.p("", &prose::verdict(comparison, w));
    page.out.push_str("<div class=\"tw-columns\">\n");
    let distinct: Vec<usize> = prose::distinct(comparison).collect();
    for k in distinct.iter().take(page.most) {
        let mut column = Page::new(&comparison.columns[*k].explanation, options);
        column.column = Some(*k);
        column.head(Some(&prose::alike(comparison, *k, w)));
        column.body(options.cells, &comparison.places);
        page.out.push_str(&format!("<section class=\"tw-column\">\n{}</section>\n", column.out));
    }
    page.out.push_str("</div>\n");
    if distinct.len() > page.most {
        page.p("tw-s", &fill(w.and_more, &[("n", &(distinct.len() - page.most))]));
    }
    page.status();
    if !options.fragment {
        page.json(serde_json::to_string_pretty(comparison).unwrap_or_default());
    }
    framed(&comparison.expression, &page.out, options)
}
