//! `takewise explain`: what a call does to each element, as text, drawings or data.

use std::path::{Path, PathBuf};

use takewise_dialects::{EvalError, Face};
use takewise_explain::render::{self, TextOptions};
use takewise_explain::{Comparison, Explanation};
use takewise_notation::{Session, bounds, explanation, side_by_side};

use crate::args::Dialect;
use crate::say;

/// What is asked for beside the text.
#[derive(Debug, Default, clap::Args)]
#[allow(missing_docs)]
pub struct Forms {
    /// Draw the explanation into an SVG file; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write it as a page that needs no other file; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print it as JSON.
    #[arg(long)]
    pub json: bool,
    /// End with the plan, the way it is run and why.
    #[arg(long)]
    pub plan: bool,
    /// Compare libraries, by the same values: `torch,numpy,mindspore,jax`.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LIBRARY,...")]
    pub dialects: Vec<Dialect>,
    /// Compare the rules for values out of range: raise, wrap, clip, fill and drop.
    #[arg(long, conflicts_with = "dialects")]
    pub bounds: bool,
}

/// An explanation, or several side by side.
enum Asked {
    One(Box<Explanation>),
    Several(Comparison),
}

/// What goes to standard output and into files, and whether the call fails.
#[derive(Default)]
pub(crate) struct Shown {
    /// For standard output.
    pub(crate) text: String,
    /// Files and what is written into them.
    pub(crate) files: Vec<(PathBuf, String)>,
    /// What the call fails with, where the text does not say so.
    pub(crate) error: Option<String>,
    /// Whether it fails.
    pub(crate) failed: bool,
    /// Whether the text has colours.
    pub(crate) coloured: bool,
}

impl Forms {
    /// Why these do not go together.
    pub(crate) fn refused(&self) -> Option<&'static str> {
        let out = |path: &Option<PathBuf>| usize::from(path.as_deref() == Some(Path::new("-")));
        let several = out(&self.svg) + out(&self.html) + usize::from(self.json) > 1;
        several.then_some("only one of --json, --svg - and --html - can be written to standard output")
    }

    /// Explains the last statement of a source.
    ///
    /// # Errors
    /// Those before its last operation.
    pub(crate) fn explain(&self, session: &mut Session, source: &str) -> Result<Shown, EvalError> {
        let asked = match (&self.dialects[..], self.bounds) {
            ([], false) => Asked::One(explanation(session, source)?.into()),
            ([], true) => Asked::Several(bounds(session, source)?),
            (several, _) => {
                let faces: Vec<&'static Face> = several.iter().map(|d| d.face()).collect();
                Asked::Several(side_by_side(session, source, &faces)?)
            }
        };
        let mut shown = Shown { failed: asked.failed(), ..Shown::default() };
        let mut plain = !self.json;
        if self.json {
            shown.text = asked.json();
        }
        let drawings: [(_, fn(&Asked) -> String); 2] = [(&self.svg, Asked::svg), (&self.html, Asked::html)];
        for (path, draw) in drawings {
            match path {
                Some(path) if path == Path::new("-") => (plain, shown.text) = (false, draw(&asked)),
                Some(path) => shown.files.push((path.clone(), draw(&asked))),
                None => {}
            }
        }
        if let Asked::One(one) = &asked {
            shown.error = one
                .error
                .as_ref()
                .filter(|_| !plain)
                .map(|e| format!("{}: {}", e.class, e.message.lines().next().unwrap_or_default()));
        }
        if plain {
            let options = self.options();
            (shown.text, shown.coloured) = (asked.text(&options), options.color);
        }
        Ok(shown)
    }

    fn options(&self) -> TextOptions {
        let (color, width) = terminal();
        TextOptions { plan: self.plan, color, width, ..TextOptions::default() }
    }
}

/// Whether to use colours, and in how many columns to write.
fn terminal() -> (bool, usize) {
    use std::io::IsTerminal;
    let out = std::io::stdout();
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let plain = std::env::var_os("TERM").is_some_and(|v| v == "dumb");
    let width = terminal_size::terminal_size_of(&out).map_or(100, |(width, _)| usize::from(width.0));
    (out.is_terminal() && !unwanted && !plain, width)
}

impl Asked {
    fn failed(&self) -> bool {
        match self {
            Asked::One(one) => one.error.is_some(),
            Asked::Several(several) => several.columns.iter().all(|c| c.explanation.error.is_some()),
        }
    }

    fn json(&self) -> String {
        let made = match self {
            Asked::One(one) => serde_json::to_string_pretty(one),
            Asked::Several(several) => serde_json::to_string_pretty(several),
        };
        say::json(&made.unwrap_or_default()) + "\n"
    }

    fn svg(&self) -> String {
        match self {
            Asked::One(one) => render::svg(one, &render::SvgOptions::default()),
            Asked::Several(several) => render::svg_comparison(several, &render::SvgOptions::default()),
        }
    }

    fn html(&self) -> String {
        match self {
            Asked::One(one) => render::html(one, &render::HtmlOptions::default()),
            Asked::Several(several) => render::html_comparison(several, &render::HtmlOptions::default()),
        }
    }

    fn text(&self, options: &TextOptions) -> String {
        match self {
            Asked::One(one) => render::text(one, options),
            Asked::Several(several) => render::comparison(several, options),
        }
    }
}
