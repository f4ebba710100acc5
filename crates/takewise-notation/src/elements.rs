//! Which element of the operands each element of a result is, in words: from the offsets that plans resolve to, or for views
//! from where their elements lie. Nothing is run for it.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use takewise::layout::Coordinates;
use takewise::strategy::{Meeting, Traced};
use takewise::{Reduce, Tensor};
use takewise_dialects::Value;
use takewise_dialects::sig::Arguments;

use crate::explain::{Action, main_operand};

/// Results, and operands, of more elements than this get no list.
const SMALL: usize = 64;

/// The lines of a small operation that moves elements, or views them.
pub(crate) fn map(action: &Action, result: &Value, plans: &[Traced]) -> Option<String> {
    let shown = result.array()?.tensor();
    let data = main_operand(action)?.tensor();
    if shown.numel() > SMALL || data.numel() > SMALL || shown.numel() == 0 {
        return None;
    }
    let places = Named::new("", &shown)?;
    let mut sources = Sources { known: Vec::new() };
    if let Some((name, values)) = values(action, &data).filter(|(_, values)| values.numel() <= SMALL) {
        sources.known.push(Named::new(name, &values)?);
    }
    sources.known.push(Named::new("input", &data)?);
    // What a call does to make room for its own work comes first.
    match plans.last() {
        Some(traced) => moved(traced, &places, &sources, matches!(action, Action::Write(..))),
        None if shown.shares_memory(&data) && shown.dtype() == data.dtype() => view(&shown, &places, &sources),
        None => None,
    }
}

/// Elements of an array by where they lie; of those that share a place the first.
struct Named {
    name: &'static str,
    first: usize,
    at: HashMap<usize, String>,
}

impl Named {
    fn new(name: &'static str, tensor: &Tensor) -> Option<Named> {
        let open = tensor.read_any().ok()?;
        let (first, layout) = (open.view().as_ptr().addr(), tensor.layout());
        let mut at = HashMap::new();
        for coordinates in Coordinates::new(tensor.shape()) {
            let place = first.wrapping_add_signed(layout.offset(&coordinates));
            at.entry(place).or_insert_with(|| format!("{:?}", &coordinates[..]));
        }
        Some(Named { name, first, at })
    }
}

/// The arrays elements may come from.
struct Sources {
    known: Vec<Named>,
}

impl Sources {
    fn text(&self, place: usize) -> Option<String> {
        self.known.iter().find_map(|named| named.at.get(&place).map(|at| format!("{}{at}", named.name)))
    }
}

/// The elements of a view.
fn view(shown: &Tensor, places: &Named, sources: &Sources) -> Option<String> {
    let mut out = String::from("elements:\n");
    for at in Coordinates::new(shown.shape()) {
        let place = places.first.wrapping_add_signed(shown.layout().offset(&at));
        let _ = writeln!(out, "  {:?} <- {}", &at[..], sources.text(place)?);
    }
    Some(out)
}

/// What is written or asked for: the argument that is no index.
fn values(action: &Action, data: &Tensor) -> Option<(&'static str, Tensor)> {
    let array = |v: &Value| v.array().map(|a| a.tensor());
    match action {
        Action::Write(_, _, value) => array(value).map(|v| ("value", v)),
        Action::Call(_, Arguments { positional, keyword }) => {
            let named = |name: &str| ["src", "source", "value", "values", "updates"].contains(&name);
            let keyword = keyword.iter().find(|(name, _)| named(name)).map(|(_, v)| v);
            let value = keyword.or(positional.last())?;
            array(value).filter(|v| !v.is_same(data)).map(|v| ("source", v))
        }
        _ => None,
    }
}

/// The places that get something, in their order, each with all that comes to it in the order of the call.
fn moved(traced: &Traced, places: &Named, sources: &Sources, writes: bool) -> Option<String> {
    let moves = traced.moves.as_ref().filter(|moves| moves.len() == traced.total)?;
    let reads = traced.meeting == Meeting::Read;
    let number = |strides: &[isize]| strides.iter().all(|step| *step == 0);
    let lone = match reads {
        true => number(traced.plan.indexed_layout().strides()),
        false => number(traced.plan.linear_layout().strides()),
    };
    let source = |place: Option<usize>| match place {
        Some(place) => sources.text(place).or_else(|| lone.then(|| "the number".to_owned())),
        None => Some("the fill value".to_owned()),
    };
    let (mut come, mut left) = (BTreeMap::<usize, Vec<String>>::new(), Vec::new());
    for moved in moves {
        let indexed = moved.indexed.map(|by| traced.sides[0].wrapping_add_signed(by));
        let linear = traced.sides[1].wrapping_add_signed(moved.linear);
        match (reads, indexed) {
            (true, from) => come.entry(linear).or_default().push(source(from)?),
            (false, Some(place)) => come.entry(place).or_default().push(source(Some(linear))?),
            (false, None) => left.push(source(Some(linear))?),
        }
    }
    let mut out = String::from(if reads && !writes { "elements:\n" } else { "elements written:\n" });
    for (place, sources) in &come {
        let at = places.at.get(place)?;
        let _ = writeln!(out, "  {at} <- {}", met(traced.meeting, at, sources));
    }
    if !left.is_empty() {
        let _ = writeln!(out, "  left out: {}", left.join(", "));
    }
    (!moves.is_empty()).then_some(out)
}

/// What becomes of the values for one place.
fn met(meeting: Meeting, place: &str, sources: &[String]) -> String {
    let (first, last) = (sources.first().cloned().unwrap_or_default(), sources.last().cloned().unwrap_or_default());
    let of = |kept: String, which: &str| match sources.len() {
        1 => kept,
        _ => format!("{kept}, the {which} of {}", sources.join(", ")),
    };
    match meeting {
        Meeting::First => of(first, "first"),
        Meeting::Combined(how) => combined(how, std::iter::once(place.to_owned()).chain(sources.iter().cloned())),
        Meeting::Afresh(how) => combined(how, sources.iter().cloned()),
        _ => of(last, "last"),
    }
}

fn combined(how: Reduce, terms: impl Iterator<Item = String>) -> String {
    let terms: Vec<String> = terms.collect();
    match how {
        Reduce::Sum => terms.join(" + "),
        Reduce::Prod => terms.join(" * "),
        other => format!("{}({})", format!("{other:?}").to_lowercase(), terms.join(", ")),
    }
}
