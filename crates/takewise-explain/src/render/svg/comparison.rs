//! Pictures side by side.

use super::canvas::{Canvas, EDGE};
use super::{Drawing, SvgOptions, drawn, wrapped};
use crate::compare::Comparison;
use crate::render::places::{clean_to, lines};
use crate::render::prose;
use crate::render::words::fill;

/// The pictures of a comparison side by side: each result once, with the names of all that give it, the places that differ framed and
/// marked with `≠`. Bounded and self-contained as [`super::svg()`] is.
///
/// ```
/// use takewise_explain::{Comparison, Picture, render};
///
/// let explained = |dialect: &str| Picture::new("x[0]", dialect, "index").finish();
/// let both = Comparison::of("x[0]", vec![("torch".into(), explained("torch")), ("numpy".into(), explained("numpy"))]);
/// assert!(render::svg_comparison(&both, &render::SvgOptions::default()).contains("torch, numpy"));
/// ```
pub fn svg_comparison(comparison: &Comparison, options: &SvgOptions) -> String {
    let (w, most) = (options.language.words(), options.most.clamp(1, 200));
    let mut canvas = Canvas::new(options.width.clamp(320, 8000) as i64);
    canvas.y = 10;
    lines(&comparison.expression).iter().take(20).for_each(|line| canvas.code("tw-e", line));
    let verdict = prose::verdict(comparison, w);
    canvas.lines("tw-t", 14, &verdict, 0);
    canvas.y += 14;
    let mut described = vec![verdict];
    let distinct: Vec<usize> = prose::distinct(comparison).collect();
    let (mut x, mut tall) = (0, 0);
    for k in distinct.iter().take(most) {
        let name = prose::alike(comparison, *k, w);
        let one = drawn(&comparison.columns[*k].explanation, options, &comparison.places, Some(&name));
        let (wide, own) = one.size;
        if x > 0 && x + wide > canvas.width {
            canvas.y += tall;
            (x, tall) = (0, 0);
        }
        let y = canvas.y;
        canvas.out.push_str(&format!("<g transform=\"translate({x} {y})\">\n{}</g>\n", one.out));
        described.push(format!("{name}: {}", one.described));
        x += wide;
        canvas.used = canvas.used.max(x - EDGE);
        tall = tall.max(own);
    }
    canvas.y += tall;
    if distinct.len() > most {
        canvas.lines("tw-s", 13, &fill(w.and_more, &[("n", &(distinct.len() - most))]), 0);
    }
    let size = ((canvas.used + EDGE).clamp(320, canvas.width), canvas.y + 24);
    let all = Drawing { out: canvas.out, described: described.join(" "), size };
    wrapped(&clean_to(&comparison.expression, 400), &all, options.language)
}
