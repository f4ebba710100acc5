//! The same call several times, side by side.

use super::arrays::beside;
use super::paint::{Look, Paint, Piece, fitted};
use super::{TextOptions, Writer};
use crate::compare::{Column, Comparison};
use crate::data::Outcome;
use crate::render::fold::fold;
use crate::render::places::{cell_at, clean, lines, result_value, shape, subscript};
use crate::render::prose;
use crate::render::words::fill;

/// The same call under several libraries' rules, or under several rules: the results side by side, each once with the names of all that
/// give it; the places in which they differ marked with `*`, and where their values come from. Cost: as [`super::text()`] for each.
///
/// ```
/// use takewise_explain::{Comparison, Picture, render};
///
/// let explained = |dialect: &str| Picture::new("x[0]", dialect, "index").finish();
/// let both = Comparison::of("x[0]", vec![("torch".into(), explained("torch")), ("numpy".into(), explained("numpy"))]);
/// let text = render::comparison(&both, &render::TextOptions::default());
/// assert!(text.contains("All results are the same.") && text.contains("torch, numpy"));
/// ```
pub fn comparison(comparison: &Comparison, options: &TextOptions) -> String {
    let w = options.language.words();
    let paint = Paint(options.color);
    let (width, most) = (options.width.clamp(40, 1000), options.most.clamp(1, crate::data::MOST));
    let mut out: Vec<String> =
        lines(&comparison.expression).into_iter().map(|line| paint.text(line, Look::Head)).collect();
    out.extend(fold(&prose::verdict(comparison, w), width, 2));
    out.push(String::new());
    let distinct: Vec<usize> = prose::distinct(comparison).collect();
    let blocks = distinct.iter().take(most).map(|k| {
        let names = prose::alike(comparison, *k, w);
        block(comparison, &comparison.columns[*k], &names, options, width, most)
    });
    out.extend(beside(blocks.collect(), width));
    if distinct.len() > most {
        out.push(fill(w.and_more, &[("n", &(distinct.len() - most))]));
    }
    places(&mut out, comparison, paint, options);
    out.join("\n") + "\n"
}

/// One result, or the error that stands for it.
fn block(
    all: &Comparison,
    column: &Column,
    names: &str,
    options: &TextOptions,
    width: usize,
    most: usize,
) -> Vec<Piece> {
    let writer = Writer::new(&column.explanation, options);
    let mut out = vec![writer.paint.piece(names, Look::Head)];
    if let Some(error) = &column.explanation.error {
        out.push(writer.paint.piece(format!("  {}", clean(&error.class)), Look::Bad));
        for line in lines(&error.message).iter().take(most).flat_map(|line| fold(line, (width / 2).max(36) - 2, 2)) {
            out.push(Piece::plain(format!("  {line}")));
        }
        return out;
    }
    for (k, outcome) in column.explanation.results.iter().take(most).enumerate() {
        let about = format!("  {}  {} {}", clean(&outcome.name), clean(&outcome.dtype), shape(&outcome.shape));
        out.push(Piece::plain(about));
        if outcome.values.is_none() && result_value(&column.explanation, outcome, 0).is_none() {
            out.push(Piece::plain(format!("  {}", writer.w.not_shown)));
            continue;
        }
        out.extend(writer.frame().array(&outcome.shape, &|at| {
            let text = result_value(&column.explanation, outcome, at).unwrap_or_else(|| "?".to_owned());
            let group = writer.groups.result(k, at).map_or(Look::Plain, Look::Group);
            let differs = k == 0 && all.places.binary_search(&at).is_ok();
            if differs { (format!("{text}*"), Look::Bad) } else { (text, group) }
        }));
    }
    out
}

/// The places that differ: the value in each column, and where it comes from.
fn places(out: &mut Vec<String>, all: &Comparison, paint: Paint, options: &TextOptions) {
    let (w, most) = (options.language.words(), options.most.clamp(1, crate::data::MOST));
    if all.places.is_empty() {
        return;
    }
    let columns_of = |k: usize| Some((k, &all.columns[k], all.columns[k].explanation.results.first()?));
    let distinct: Vec<(usize, &Column, &Outcome)> = prose::distinct(all).take(most).filter_map(columns_of).collect();
    let mut rows = vec![vec![paint.piece(w.element, Look::Dim)]];
    rows[0].extend(distinct.iter().map(|(k, ..)| paint.piece(prose::alike(all, *k, w), Look::Dim)));
    for at in all.places.iter().take(most) {
        let name = distinct.first().map_or_else(String::new, |(_, _, first)| subscript(&first.shape, *at));
        let mut row = vec![Piece::plain(name)];
        row.extend(distinct.iter().map(|(_, column, outcome)| {
            let value = result_value(&column.explanation, outcome, *at).unwrap_or_default();
            let cell = cell_at(outcome, *at);
            let made = cell.and_then(|cell| prose::made_of(&column.explanation, outcome, cell, None, w));
            Piece::plain(made.map_or(value.clone(), |made| format!("{value} ← {made}")))
        }));
        rows.push(row);
    }
    out.push(String::new());
    out.extend(fitted(&rows, &[], options.width.clamp(40, 1000) - 2).into_iter().map(|line| format!("  {line}")));
    if all.places.len() > most {
        out.push(format!("  {}", fill(w.and_more, &[("n", &(all.places.len() - most))])));
    }
}
