//! Where gradients flow: the sources of every element, turned round, and what each of their gradients is multiplied by.

use std::collections::BTreeMap;

use takewise::{DType, Scalar};

use crate::data::{Cell, Explanation, Flow, FlowTo, How, MOST, Outcome, Pointer};
use crate::history::History;
use crate::outcome::NamedResult;
use crate::text;

/// The gradients that come to one element of an operand, and what each is multiplied by.
type Coming = Vec<(Pointer, f64)>;

/// For every operand that takes a gradient, and whose share can be told: what flows to its elements.
pub(crate) fn all(history: &History, made: &Explanation, results: &[NamedResult]) -> Vec<Flow> {
    if made.error.is_some() {
        return Vec::new();
    }
    let mut found = Flows::default();
    for (number, (outcome, named)) in made.results.iter().zip(results).enumerate() {
        if takes(named.location.dtype) {
            found.of(made, number, outcome, named.location.layout.numel());
        }
    }
    let known = |operand: &usize| {
        let dtype = history.operands.get(*operand).map(|known| known.location.dtype);
        dtype.is_some_and(takes) && !found.untold.contains(operand)
    };
    let flows = std::mem::take(&mut found.flows).into_iter().filter(|(operand, _)| known(operand));
    flows.map(|(operand, all)| Flow { operand, to: all.into_iter().map(told).collect() }).collect()
}

fn takes(dtype: DType) -> bool {
    dtype.is_float() || dtype.is_complex()
}

fn told((at, coming): (usize, Coming)) -> FlowTo {
    let times = match coming.iter().all(|(_, weight)| *weight == 1.0) {
        true => Vec::new(),
        false => coming.iter().map(|(_, weight)| text::scalar(Scalar::Float(*weight))).collect(),
    };
    FlowTo { at, from: coming.into_iter().map(|(pointer, _)| pointer).collect(), times }
}

#[derive(Default)]
struct Flows {
    flows: BTreeMap<usize, BTreeMap<usize, Coming>>,
    /// Operands whose share is not known.
    untold: Vec<usize>,
}

impl Flows {
    fn of(&mut self, made: &Explanation, number: usize, outcome: &Outcome, count: usize) {
        if let Some(base) = outcome.base {
            let own: BTreeMap<usize, &Cell> = outcome.cells.iter().map(|cell| (cell.at, cell)).collect();
            for at in (0..count.min(MOST)).filter(|at| !own.contains_key(at)) {
                self.comes(base, at, Pointer { operand: number, at }, 1.0);
            }
        }
        for cell in outcome.cells.iter().filter(|cell| cell.how != How::Position) {
            let to = Pointer { operand: number, at: cell.at };
            let terms = terms(made, outcome, cell);
            let elements = terms.iter().filter_map(|term| term.element);
            match weights(cell.how, &terms) {
                None => self.untold.extend(elements.map(|element| element.operand)),
                Some(weights) => {
                    let all = terms.iter().zip(weights).filter(|(_, weight)| *weight != 0.0);
                    for (element, weight) in all.filter_map(|(term, weight)| Some((term.element?, weight))) {
                        self.comes(element.operand, element.at, to, weight);
                    }
                }
            }
        }
    }

    fn comes(&mut self, operand: usize, at: usize, from: Pointer, weight: f64) {
        self.flows.entry(operand).or_default().entry(at).or_default().push((from, weight));
    }
}

/// One of what meets at an element.
struct FlowTerm {
    /// Which element of an operand it is, if it is one.
    element: Option<Pointer>,
    /// Its value, if that is known.
    value: Option<f64>,
    /// What it is multiplied by.
    times: Option<f64>,
}

/// What meets at an element, what was there before first.
fn terms(made: &Explanation, outcome: &Outcome, cell: &Cell) -> Vec<FlowTerm> {
    let value = |element: Pointer| made.operands.get(element.operand)?.values.as_ref()?.get(element.at)?.parse().ok();
    let own = cell.with_self.then(|| {
        let element = outcome.base.map(|operand| Pointer { operand, at: cell.at });
        FlowTerm { element, value: element.map_or(Some(0.0), value), times: Some(1.0) }
    });
    let sources = cell.sources.iter().filter(|source| source.used).map(|source| {
        let element = source.operand.map(|operand| Pointer { operand, at: source.at });
        let number = source.value.as_ref().and_then(|text| text.parse().ok());
        let times = source.times.as_ref().map_or(Some(1.0), |text| text.parse().ok());
        FlowTerm { element, value: element.map_or(number, value), times }
    });
    own.into_iter().chain(sources).collect()
}

/// What the gradient of an element is multiplied by on its way to each of what meets there; nothing where that needs values that
/// are not known. Extremes give equal shares to all that are the extreme; of a product each takes the product of the others.
fn weights(how: How, terms: &[FlowTerm]) -> Option<Vec<f64>> {
    let times: Vec<f64> = terms.iter().map(|term| term.times).collect::<Option<_>>()?;
    let values = || terms.iter().map(|term| Some(term.value? * term.times?)).collect::<Option<Vec<f64>>>();
    let local = match how {
        How::Copy | How::Last | How::First | How::Sum => vec![1.0; terms.len()],
        How::Mean => vec![1.0 / terms.len() as f64; terms.len()],
        How::Prod => {
            let values = values()?;
            let others = |k: usize| values.iter().enumerate().filter(move |(at, _)| *at != k).map(|(_, v)| v).product();
            (0..values.len()).map(others).collect()
        }
        How::Max | How::Min => {
            let values = values()?;
            let better = |a: f64, b: f64| if how == How::Max { a.max(b) } else { a.min(b) };
            let extreme = match values.iter().any(|v| v.is_nan()) {
                true => f64::NAN,
                false => values.iter().copied().reduce(better)?,
            };
            let is = |v: &f64| *v == extreme || v.is_nan() && extreme.is_nan();
            let share = 1.0 / values.iter().filter(|v| is(v)).count() as f64;
            values.iter().map(|v| if is(v) { share } else { 0.0 }).collect()
        }
        How::Div => {
            let values = values()?;
            let (first, divisors) = values.split_first()?;
            let below: f64 = divisors.iter().product();
            let own = std::iter::once(1.0 / below);
            own.chain(divisors.iter().map(|by| -first / (below * by))).collect()
        }
        _ => return None,
    };
    Some(local.into_iter().zip(times).map(|(local, times)| local * times).collect())
}
