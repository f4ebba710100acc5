//! Replaying an explanation: a loop over its lists, and nothing of the engine.

pub(crate) mod check;
pub(crate) mod pages;

use takewise_explain::Explanation;
use takewise_explain::data::{Cell, How, Outcome, Source};

/// An element as a complex number; texts of dates and records are not replayed.
pub(crate) type Number = (f64, f64);

pub(crate) fn number(text: &str) -> Number {
    let real = |t: &str| t.parse::<f64>().unwrap_or_else(|_| panic!("{text} is no number"));
    match text {
        "True" => (1.0, 0.0),
        "False" => (0.0, 0.0),
        _ => match text.strip_suffix('j') {
            None => (real(text), 0.0),
            Some(parts) => {
                let signs =
                    parts.char_indices().skip(1).filter(|(k, c)| "+-".contains(*c) && !parts[..*k].ends_with('e'));
                let at = signs.last().expect("two parts").0;
                (real(&parts[..at]), real(&parts[at..]))
            }
        },
    }
}

fn times(a: Number, b: Number) -> Number {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn source(explained: &Explanation, source: &Source) -> Option<Number> {
    let own = match (source.operand, &source.value) {
        (Some(operand), _) => number(explained.operands[operand].values.as_ref()?.get(source.at)?),
        (None, Some(value)) => number(value),
        // An element that the call made for itself, of which the engine does not tell.
        (None, None) => return None,
    };
    Some(source.times.as_ref().map_or(own, |factor| times(own, number(factor))))
}

/// What a cell says its element is; nothing for positions that a search or a sort finds.
fn cell(explained: &Explanation, outcome: &Outcome, cell: &Cell) -> Option<Number> {
    let used = cell.sources.iter().filter(|s| s.used);
    let mut terms: Vec<Number> = used.map(|s| source(explained, s)).collect::<Option<_>>()?;
    if cell.with_self {
        let before = outcome
            .base
            .map_or(Some((0.0, 0.0)), |base| Some(number(&explained.operands[base].values.as_ref()?[cell.at])));
        terms.insert(0, before?);
    }
    let sum = |t: &[Number]| t.iter().fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    let nan = |t: &[Number]| t.iter().any(|v| v.0.is_nan());
    Some(match cell.how {
        How::Copy | How::Last | How::First => {
            assert_eq!(terms.len(), 1, "one source is kept: {cell:?}");
            terms[0]
        }
        How::Sum => sum(&terms),
        How::Prod => terms.iter().fold((1.0, 0.0), |a, b| times(a, *b)),
        How::Max if nan(&terms) => (f64::NAN, 0.0),
        How::Min if nan(&terms) => (f64::NAN, 0.0),
        How::Max => (terms.iter().fold(f64::NEG_INFINITY, |a, b| a.max(b.0)), 0.0),
        How::Min => (terms.iter().fold(f64::INFINITY, |a, b| a.min(b.0)), 0.0),
        How::Mean => {
            let total = sum(&terms);
            (total.0 / terms.len() as f64, total.1 / terms.len() as f64)
        }
        How::Div => terms[1..].iter().fold(terms[0], |a, b| (a.0 / b.0, 0.0)),
        How::Fill => cell.value.as_ref().map_or((0.0, 0.0), |v| number(v)),
        _ => return None,
    })
}

/// Whether the lists of an explanation give the values of its results; the number of elements that were replayed.
pub(crate) fn replay(explained: &Explanation) -> Result<usize, String> {
    let mut seen = 0;
    for (k, outcome) in explained.results.iter().enumerate() {
        let Some(values) = &outcome.values else { continue };
        let mut made: Vec<Option<Number>> = vec![None; values.len()];
        // Texts have as many digits as their own dtype needs, so a narrow operand's say no more than that.
        let dtypes = explained.operands.iter().map(|o| &o.dtype).chain([&outcome.dtype]);
        let slack = dtypes.map(|dtype| slack(dtype)).fold(0.0, f64::max);
        if let Some(base) = outcome.base {
            let before = explained.operands[base].values.as_ref().ok_or("a base without values")?;
            made = before.iter().map(|v| Some(number(v))).collect();
        }
        for c in &outcome.cells {
            let Some(at) = made.get_mut(c.at) else { return Err(format!("result {k} has no element {}", c.at)) };
            // What rounds or wraps around on the way is not computed as the dtype has it.
            let narrow = outcome.dtype != "float64" && outcome.dtype != "float32" && outcome.dtype != "complex128";
            let computed = !matches!(c.how, How::Copy | How::Last | How::First | How::Fill);
            *at = cell(explained, outcome, c).filter(|v| !(narrow && computed) && v.0.is_finite());
            if c.how == How::Position {
                *at = Some(number(&values[c.at]));
            } else {
                seen += 1;
            }
        }
        for (at, (got, want)) in made.iter().zip(values).enumerate() {
            let Some(got) = got else { continue };
            // Nor is what a dtype has no room for.
            let whole = outcome.dtype.contains("int") || outcome.dtype == "bool";
            if whole && number(want).0 != got.0 && (got.0 < 0.0 || got.0 > 127.0) {
                continue;
            }
            let want = converted(number(want), *got, &outcome.dtype);
            if !close(want.0, want.1, slack) {
                return Err(format!("element {at} of result {k} is {}, its cell says {got:?}", values[at]));
            }
        }
    }
    for found in &explained.searches {
        let after = found.compared.iter().filter(|c| c.after).map(|c| c.at + 1).max().unwrap_or(0);
        let before = found.compared.iter().filter(|c| !c.after).map(|c| c.at).min().unwrap_or(found.length);
        if (after, before) != (found.found, found.found) {
            return Err(format!("comparisons leave {after} to {before}, the answer is {}", found.found));
        }
        seen += 1;
    }
    Ok(seen)
}

/// What is wanted, beside what was made in the dtype of the result.
fn converted(want: Number, got: Number, dtype: &str) -> (f64, f64) {
    match dtype {
        "bool" => (want.0, f64::from(got.0 != 0.0 || got.1 != 0.0)),
        d if d.starts_with("int") || d.starts_with("uint") => (want.0, got.0.trunc()),
        d if d.starts_with("complex") => (want.0 + want.1, got.0 + got.1),
        _ => (want.0, got.0),
    }
}

/// How far apart, in parts of the value, two numbers of a dtype may be as texts.
fn slack(dtype: &str) -> f64 {
    match dtype {
        "float16" => 2e-3,
        "bfloat16" => 1e-2,
        "float32" | "complex64" => 1e-5,
        _ => 1e-12,
    }
}

fn close(want: f64, got: f64, slack: f64) -> bool {
    want.is_nan() && got.is_nan() || want == got || (want - got).abs() <= slack * want.abs().max(got.abs())
}
