//! Pictures of an explanation.

use takewise_explain::data::Explanation;
use takewise_explain::render::{self, HtmlOptions, Language, SvgOptions, TextOptions};

use super::object::Options;

/// The language that is asked for.
pub(super) fn language(options: Options) -> Language {
    if options.chinese { Language::Chinese } else { Language::English }
}

/// For a terminal.
pub(super) fn text(data: &Explanation, options: Options, color: bool) -> String {
    let how = TextOptions { language: language(options), plan: options.plan, color, ..TextOptions::default() };
    render::text(data, &how)
}

/// As an image.
pub(super) fn svg(data: &Explanation, options: Options) -> String {
    render::svg(data, &SvgOptions { language: language(options), ..SvgOptions::default() })
}

/// As a page or, with `fragment`, as a piece of one.
pub(super) fn html(data: &Explanation, options: Options, fragment: bool) -> String {
    render::html(data, &HtmlOptions { language: language(options), fragment, ..HtmlOptions::default() })
}
