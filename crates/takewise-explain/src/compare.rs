//! Explanations side by side: one call under several libraries' rules, or under several rules for values out of range.

use serde::{Deserialize, Serialize};

use crate::data::{Explanation, VERSION};

/// The same call several times.
///
/// ```
/// use takewise_explain::{Comparison, Picture};
/// let explained = |dialect: &str| Picture::new("x[0]", dialect, "index").finish();
/// let both = Comparison::of("x[0]", vec![("torch".into(), explained("torch")), ("numpy".into(), explained("numpy"))]);
/// assert!(both.same && both.places.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// [`VERSION`].
    pub version: u32,
    /// The expression as it was typed.
    pub expression: String,
    /// One for each library or rule, in the order asked for.
    pub columns: Vec<Column>,
    /// Whether all give the same.
    pub same: bool,
    /// Positions in the first result at which those that have one of the same shape do not all agree.
    pub places: Vec<usize>,
}

/// The call under one library's rules, or under one rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// The library (`numpy`) or the rule (`wrap`).
    pub name: String,
    /// The number of the first column that gives the same: its own, if none before it does.
    pub like: usize,
    /// What the call does there.
    pub explanation: Explanation,
}

impl Comparison {
    /// Compares explanations of the same call. Results are the same if their shapes and values are, whatever their dtypes;
    /// so are two calls that fail with errors of one class, whatever they say.
    ///
    /// Cost: each column is compared with those before it.
    pub fn of(expression: &str, columns: Vec<(String, Explanation)>) -> Comparison {
        let mut made: Vec<Column> = Vec::with_capacity(columns.len());
        for (name, explanation) in columns {
            let like = made.iter().position(|c| alike(&c.explanation, &explanation)).unwrap_or(made.len());
            made.push(Column { name, like, explanation });
        }
        let same = made.iter().all(|c| c.like == 0);
        Comparison { version: VERSION, expression: expression.to_owned(), places: places(&made), same, columns: made }
    }
}

fn alike(a: &Explanation, b: &Explanation) -> bool {
    match (&a.error, &b.error) {
        (Some(a), Some(b)) => a.class == b.class,
        (None, None) => {
            let same =
                |(a, b): (&crate::data::Outcome, &crate::data::Outcome)| a.shape == b.shape && a.values == b.values;
            a.results.len() == b.results.len() && a.results.iter().zip(&b.results).all(same)
        }
        _ => false,
    }
}

fn places(columns: &[Column]) -> Vec<usize> {
    let first = |c: &Column| c.explanation.results.first().and_then(|r| Some((r.shape.clone(), r.values.clone()?)));
    let known: Vec<_> = columns.iter().filter_map(first).collect();
    let Some((shape, values)) = known.first() else { return Vec::new() };
    let differs = |at: &usize| known.iter().any(|(s, v)| s == shape && v.get(*at) != values.get(*at));
    (0..values.len()).filter(differs).collect()
}
