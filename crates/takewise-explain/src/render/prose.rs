//! The sentences of an explanation, the same in every drawing. All text from outside is clean; nothing is escaped for XML yet.

use super::groups::Groups;
use super::places::{
    bytes, clean, clean_to, coordinates, listed, operand_name, operand_place, operand_value, pointer, result_place,
    source_value, subscript,
};
use super::words::{Words, fill};
use crate::compare::Comparison;
use crate::data::{
    Axis, Cell, Counted, Explanation, Failure, FlowTo, How, Kind, LeftOut, Memory, Origin, Outcome, Pointer, Role,
    Searched, Source, Why,
};

/// What the call does, in one sentence or two.
pub(super) fn summary(e: &Explanation, w: &Words) -> String {
    if let Some(error) = &e.error {
        let class = clean(&error.class);
        let failed = if class.is_empty() { w.fails_bare.to_owned() } else { fill(w.fails, &[("class", &class)]) };
        let written = matches!(e.kind, Kind::Write);
        return if written { format!("{failed} {}", w.fails_whole) } else { failed };
    }
    let data = named(e, Role::Data, w);
    match e.kind {
        Kind::Write => writes(e, w),
        Kind::Read => reads(e, w),
        Kind::View => fill(w.views, &[("data", &data.0)]),
        Kind::Search => {
            let (values, sequence) = (named(e, Role::Values, w), named(e, Role::Sequence, w));
            fill(w.searches, &[("values", &values.0), ("sequence", &sequence.0)])
        }
        Kind::Sort => fill(w.sorts, &[("data", &data.0)]),
        Kind::Count => fill(w.counts, &[("data", &data.0)]),
        Kind::Gradient => w.flows_back.to_owned(),
        Kind::Value => w.only_value.to_owned(),
    }
}

/// The names of the operands of a role, and how many there are. Where there is none, the first operand or the call itself.
fn named(e: &Explanation, role: Role, w: &Words) -> (String, usize) {
    let names: Vec<String> = e.operands.iter().filter(|o| o.role == role).take(8).map(|o| clean(&o.name)).collect();
    match (names.len(), role) {
        (0, Role::Data) => (e.operands.first().map_or_else(|| w.the_value.to_owned(), |o| clean(&o.name)), 1),
        (0, Role::Index | Role::Mask) => (w.the_key.to_owned(), 1),
        (0, _) => (w.the_value.to_owned(), 1),
        (n, _) => (listed(&names, w.comma, w.and), n),
    }
}

fn has(e: &Explanation, role: Role) -> bool {
    e.operands.iter().any(|operand| operand.role == role)
}

fn reads(e: &Explanation, w: &Words) -> String {
    let (data, index, mask) = (named(e, Role::Data, w).0, named(e, Role::Index, w), named(e, Role::Mask, w));
    let along = e.results.iter().flat_map(|outcome| &outcome.axes).find_map(|axis| match &axis.from {
        Origin::Index { along, .. } if along.len() == 1 => Some(along[0]),
        _ => None,
    });
    match (has(e, Role::Index), has(e, Role::Mask), along) {
        (true, _, Some(along)) => {
            fill(w.reads_along, &[("data", &data), ("index", &index.0), ("n", &index.1), ("axis", &along)])
        }
        (true, ..) => fill(w.reads_index, &[("data", &data), ("index", &index.0), ("n", &index.1)]),
        (_, true, _) => fill(w.reads_mask, &[("data", &data), ("mask", &mask.0)]),
        _ => fill(w.reads, &[("data", &data)]),
    }
}

fn writes(e: &Explanation, w: &Words) -> String {
    let cells = || e.results.iter().filter(|outcome| outcome.base.is_some()).flat_map(|outcome| &outcome.cells);
    let how = cells().map(|cell| cell.how).find(|how| *how != How::Copy).unwrap_or(How::Copy);
    let meet = cells().any(|cell| cell.sources.len() > 1);
    let values = named(e, Role::Values, w).0;
    let by_mask = has(e, Role::Mask) && !has(e, Role::Index);
    let (index, n) = named(e, if by_mask { Role::Mask } else { Role::Index }, w);
    let number = cells().flat_map(|cell| &cell.sources).next().is_some_and(|source| source.operand.is_none());
    let template = match how {
        How::Sum if number => w.sums_number,
        _ if number && matches!(how, How::Copy | How::Last | How::First) => w.stores_number,
        How::Sum => w.stores_sum,
        How::Prod => w.stores_prod,
        How::Max => w.stores_max,
        How::Min => w.stores_min,
        How::Div => w.stores_div,
        How::Mean => w.stores_mean,
        _ if by_mask => w.stores_mask,
        How::Last if meet => w.stores_last,
        How::First if meet => w.stores_first,
        _ => w.stores,
    };
    let verb = fill(template, &[("values", &values), ("index", &index), ("n", &n)]);
    let Some(outcome) = e.results.iter().find(|outcome| outcome.base.is_some()) else { return verb };
    let data = operand_name(e, outcome.base.unwrap_or_default());
    let frame = if matches!(outcome.memory, Memory::InPlace { .. }) { w.writes_place } else { w.writes_copy };
    fill(frame, &[("data", &data), ("verb", &verb)])
}

pub(super) fn role(role: Role, w: &Words) -> &'static str {
    match role {
        Role::Data => w.role_data,
        Role::Index => w.role_index,
        Role::Mask => w.role_mask,
        Role::Values => w.role_values,
        Role::Sequence => w.role_sequence,
        Role::Sorter => w.role_sorter,
    }
}

pub(super) fn memory(e: &Explanation, memory: Memory, w: &Words) -> String {
    match memory {
        Memory::Fresh => w.fresh.to_owned(),
        Memory::View { operand } => fill(w.view_of, &[("name", &operand_name(e, operand))]),
        Memory::InPlace { operand } => fill(w.in_place, &[("name", &operand_name(e, operand))]),
    }
}

/// Where an axis comes from.
pub(super) fn axis(e: &Explanation, axis: &Axis, w: &Words) -> String {
    let name = |k: &usize| operand_name(e, *k);
    let list = |axes: &[usize]| listed(&axes.iter().take(16).map(usize::to_string).collect::<Vec<_>>(), w.comma, w.and);
    match &axis.from {
        Origin::Axis { operand, axis, step } => {
            let template = match step {
                1 => w.axis_of,
                -1 => w.axis_back,
                _ => w.axis_step,
            };
            fill(template, &[("axis", axis), ("name", &name(operand)), ("step", step)])
        }
        Origin::Index { operands, axis, along } => {
            let names = listed(&operands.iter().take(8).map(name).collect::<Vec<_>>(), w.comma, w.and);
            let template = if along.is_empty() { w.axis_index_flat } else { w.axis_index };
            fill(template, &[("axis", axis), ("names", &names), ("along", &list(along)), ("n", &along.len())])
        }
        Origin::Mask { operand, along } => {
            let template = if along.is_empty() { w.axis_mask_flat } else { w.axis_mask };
            fill(template, &[("name", &name(operand)), ("along", &list(along)), ("n", &along.len())])
        }
        Origin::New if axis.extent == 1 => w.axis_new.to_owned(),
        Origin::New => w.axis_made.to_owned(),
        Origin::Repeated => w.axis_repeated.to_owned(),
        Origin::Coordinates => w.axis_coordinates.to_owned(),
    }
}

/// What an element comes from, by name.
pub(super) fn source(e: &Explanation, source: &Source, w: &Words) -> String {
    source.operand.map_or_else(|| w.scalar.to_owned(), |k| operand_place(e, k, source.at))
}

/// The index elements that led to a source. Where one index value stands for another position, both are told: `position` is where it
/// led to along its axis, with the size of the axis.
pub(super) fn led_by(e: &Explanation, source: &Source, position: Option<(usize, usize)>, w: &Words) -> String {
    let text = pointers(e, &source.by, w);
    let ([by], Some((at, size))) = (&source.by[..], position) else { return text };
    let held = operand_value(e, by.operand, by.at).and_then(|value| value.parse::<i128>().ok());
    let Some(held) = held.filter(|held| *held != at as i128) else { return text };
    let inside = held < 0 && held.checked_add(size as i128) == Some(at as i128);
    fill(if inside { w.taken_as } else { w.outside_as }, &[("by", &text), ("at", &at)])
}

/// Index elements, each with its value.
pub(super) fn pointers(e: &Explanation, by: &[Pointer], w: &Words) -> String {
    by.iter().take(8).map(|by| pointer(e, by)).collect::<Vec<_>>().join(w.comma)
}

/// What becomes of a source where several meet.
pub(super) fn fate(cell: &Cell, source: &Source, w: &Words) -> &'static str {
    match (cell.how, source.used) {
        (How::Last | How::First | How::Max | How::Min, true) => w.stays,
        (How::Last, false) => w.replaced,
        (_, false) => w.not_used,
        (How::Sum | How::Mean, true) => w.added,
        _ => "",
    }
}

/// What becomes of a source, and of which elements the number is that it is multiplied by.
pub(super) fn fated(e: &Explanation, cell: &Cell, source: &Source, w: &Words) -> String {
    let fate = fate(cell, source, w);
    let times = source.times.as_ref().filter(|_| !source.factors.is_empty());
    let Some(times) = times else { return fate.to_owned() };
    let factor = fill(w.factor_of, &[("times", &clean(times)), ("names", &pointers(e, &source.factors, w))]);
    if fate.is_empty() { factor } else { format!("{fate}{}{factor}", w.comma) }
}

/// The terms spelled out where there is something to compute: `0 + 1 + 5`.
pub(super) fn formula(e: &Explanation, outcome: &Outcome, cell: &Cell, most: usize, w: &Words) -> Option<String> {
    let frames = match cell.how {
        How::Sum => ("", " + ", ""),
        How::Prod => ("", " × ", ""),
        How::Max => ("max(", ", ", ")"),
        How::Min => ("min(", ", ", ")"),
        How::Mean => ("(", " + ", ")"),
        How::Div => ("", " / ", ""),
        _ => return None,
    };
    let own = cell.with_self.then(|| match value_before(e, outcome, cell.at) {
        Some(value) => bracketed(value),
        None => outcome.base.map_or_else(String::new, |k| operand_place(e, k, cell.at)),
    });
    let none = !cell.with_self && cell.sources.iter().all(|s| !s.used);
    let terms = cell.sources.iter().filter(|s| s.used || none || matches!(cell.how, How::Max | How::Min));
    let terms = own.into_iter().chain(terms.map(|s| term(e, s, w)));
    let mut terms: Vec<String> = terms.collect();
    let n = terms.len();
    if n > most {
        terms.splice(most.saturating_sub(1).max(1)..n - 1, ["…".to_owned()]);
    }
    let joined = format!("{}{}{}", frames.0, terms.join(frames.1), frames.2);
    Some(if cell.how == How::Mean { format!("{joined} / {n}") } else { joined })
}

/// A source as a term: its value or its name, and what it is multiplied by.
fn term(e: &Explanation, from: &Source, w: &Words) -> String {
    let value = source_value(e, from).map_or_else(|| source(e, from, w), bracketed);
    match &from.times {
        Some(times) => format!("{} × {value}", bracketed(clean(times))),
        None => value,
    }
}

/// Whether several values come together at an element. That it was zero before is not told.
pub(super) fn meets(e: &Explanation, outcome: &Outcome, cell: &Cell) -> bool {
    let zero = |value: String| value.parse::<f64>().is_ok_and(|value| value == 0.0);
    cell.sources.len() > 1
        || cell.sources.iter().any(|source| !source.factors.is_empty())
        || cell.sources.len() == 1 && cell.with_self && !value_before(e, outcome, cell.at).is_some_and(zero)
}

/// A negative value in brackets, so that `1 + -1` does not have to be read.
fn bracketed(value: String) -> String {
    if value.starts_with('-') { format!("({value})") } else { value }
}

/// What is done with the sources of a cell, in a word.
pub(super) fn how(how: How, w: &Words) -> &'static str {
    match how {
        How::Sum => w.the_sum,
        How::Prod => w.the_product,
        How::Max => w.the_max,
        How::Min => w.the_min,
        How::Div => w.the_quotient,
        How::Mean => w.the_mean,
        How::Last => w.the_last,
        How::First => w.the_first,
        How::Fill => w.fill,
        How::Copy | How::Position => "",
    }
}

/// A value that is stored nowhere, and why.
pub(super) fn left_out(e: &Explanation, left: &LeftOut, w: &Words) -> String {
    let why = match left.why {
        Why::Outside => w.outside,
        Why::NotSelected => w.not_selected,
    };
    let (mut name, by) = (source(e, &left.source, w), led_by(e, &left.source, None, w));
    let of_index = |k: usize| e.operands.get(k).is_some_and(|operand| operand.role == Role::Index);
    if left.source.operand.is_none_or(of_index) && left.source.value.is_none() && !by.is_empty() {
        return fill(w.reads_nothing, &[("by", &by)]);
    }
    if let Some(value) = source_value(e, &left.source) {
        name = format!("{name} = {value}");
    }
    if !by.is_empty() {
        name = format!("{name} ({by})");
    }
    fill(w.left_line, &[("source", &name), ("why", &why)])
}

/// How many places a mask selects, and which.
pub(super) fn mask(e: &Explanation, counted: &Counted, most: usize, w: &Words) -> String {
    let operand = e.operands.get(counted.operand);
    let of = operand.map_or(0, |operand| super::places::elements(&operand.shape));
    let shape = operand.map_or(&[][..], |operand| &operand.shape);
    let places: Vec<String> = counted.places.iter().map(|at| subscript(shape, *at)).take(most).collect();
    let name = operand_name(e, counted.operand);
    let template = if places.iter().all(String::is_empty) { w.selects } else { w.at_places };
    let places = shortened(places, counted.count, w);
    fill(template, &[("name", &name), ("n", &counted.count), ("of", &of), ("places", &places)])
}

/// A list, and how many of all are not in it.
fn shortened(shown: Vec<String>, of: usize, w: &Words) -> String {
    let rest = of.saturating_sub(shown.len());
    let mut out = shown.join(w.comma);
    if rest > 0 {
        out.push_str(w.comma);
        out.push_str(&fill(w.and_more, &[("n", &rest)]));
    }
    out
}

/// The position in the sequence's operand of an element of the row, in sorted order.
pub(super) fn in_sequence(e: &Explanation, searched: &Searched, at: usize) -> usize {
    let told = searched.compared.iter().find(|compared| compared.at == at).and_then(|compared| compared.element);
    let sorted = || {
        let sorter = e.operands.get(searched.sorter?)?.values.as_ref()?;
        sorter.get(searched.row.checked_add(at)?)?.parse().ok()
    };
    let walked = isize::try_from(at).unwrap_or(isize::MAX).saturating_mul(searched.step);
    told.or_else(|| sorted().map(|k: usize| searched.row.saturating_add(k)))
        .unwrap_or_else(|| searched.row.saturating_add_signed(walked))
}

/// What was looked for, where it belongs, and the two neighbours that say so.
pub(super) fn search(e: &Explanation, searched: &Searched, w: &Words) -> String {
    let wanted = operand_value(e, searched.value.operand, searched.value.at).unwrap_or_else(|| "?".to_owned());
    let neighbour = |at: usize| {
        let place = in_sequence(e, searched, at);
        let name = operand_place(e, searched.sequence, place);
        operand_value(e, searched.sequence, place).map_or(name.clone(), |value| format!("{name} = {value}"))
    };
    let (low, high) = if searched.right { ("≤", "<") } else { ("<", "≤") };
    let before = searched.found.checked_sub(1).map(neighbour);
    let after = (searched.found < searched.length).then(|| neighbour(searched.found));
    let interval = match (before, after) {
        (None, None) => w.in_empty.to_owned(),
        (None, Some(after)) => fill(w.before_all, &[("chain", &format!("{wanted} {high} {after}"))]),
        (Some(before), None) => fill(w.after_all, &[("chain", &format!("{before} {low} {wanted}"))]),
        (Some(before), Some(after)) => {
            fill(w.between, &[("chain", &format!("{before} {low} {wanted} {high} {after}"))])
        }
    };
    let value = pointer(e, &searched.value);
    fill(
        w.search_line,
        &[("value", &value), ("found", &searched.found), ("length", &searched.length), ("interval", &interval)],
    )
}

/// What a search compared with, in order.
pub(super) fn compared(e: &Explanation, searched: &Searched, most: usize, w: &Words) -> Option<String> {
    let list: Vec<String> = searched
        .compared
        .iter()
        .take(most)
        .map(|compared| {
            let place = compared.element.unwrap_or_else(|| in_sequence(e, searched, compared.at));
            let element = operand_value(e, searched.sequence, place)
                .unwrap_or_else(|| operand_place(e, searched.sequence, place));
            fill(if compared.after { w.goes_after } else { w.goes_before }, &[("element", &element)])
        })
        .collect();
    (!list.is_empty()).then(|| fill(w.compared_with, &[("list", &shortened(list, searched.compared.len(), w))]))
}

/// Whose gradients are added up at an element.
pub(super) fn flow(e: &Explanation, operand: usize, to: &FlowTo, most: usize, w: &Words) -> String {
    let sources = to.from.iter().take(most).enumerate().map(|(k, from)| {
        let place = match e.results.get(from.operand) {
            Some(outcome) => result_place(outcome, from.at),
            None => format!("?[{}]", from.at),
        };
        match to.times.get(k).filter(|times| *times != "1.0") {
            Some(times) => format!("{} × {place}", clean_to(times, 40)),
            None => place,
        }
    });
    let sources = shortened(sources.collect(), to.from.len(), w);
    let template = if to.from.len() > 1 { w.gradient_sum } else { w.gradient_of };
    fill(template, &[("place", &operand_place(e, operand, to.at)), ("sources", &sources)])
}

/// What an error is about: the bad value and what would be allowed, and how many are bad.
pub(super) fn failure(e: &Explanation, error: &Failure, most: usize, w: &Words) -> Vec<String> {
    let mut out = Vec::new();
    let place = error.operand.zip(error.at).map(|(k, at)| (operand_place(e, k, at), operand_value(e, k, at)));
    let bad = error.value.as_ref().map(|value| clean(value));
    if let Some((place, held)) = place {
        let value = bad.or(held).unwrap_or_else(|| "?".to_owned());
        out.push(match (error.axis, error.size) {
            (Some(axis), Some(0)) => fill(w.bad_empty, &[("place", &place), ("value", &value), ("axis", &axis)]),
            (Some(axis), Some(size)) => {
                let high = size - 1;
                fill(
                    w.bad_value,
                    &[("place", &place), ("value", &value), ("axis", &axis), ("size", &size), ("high", &high)],
                )
            }
            _ => fill(w.bad_value_only, &[("place", &place), ("value", &value)]),
        });
    }
    let count = error.count.unwrap_or(error.bad.len());
    if count > 1 {
        let shape = error.operand.and_then(|k| e.operands.get(k)).map(|operand| &operand.shape[..]);
        let places: Vec<String> = error.bad.iter().take(most).map(|at| subscript(shape.unwrap_or(&[]), *at)).collect();
        let template = if places.is_empty() { w.bad_count } else { w.bad_places };
        out.push(fill(template, &[("n", &count), ("places", &shortened(places, count, w))]));
    }
    out
}

/// The bad index value among its neighbours: `index[0, :] = [0, >9<, 1]`.
pub(super) fn bad_window(e: &Explanation, error: &Failure) -> Option<String> {
    let (k, at) = (error.operand?, error.at?);
    let shape = &e.operands.get(k)?.shape;
    let mut place = coordinates(shape, at)?;
    let column = place.pop()?;
    let extent = *shape.last()?;
    let (from, to) = (column.saturating_sub(4), extent.min(column.saturating_add(5)));
    let mut shown = Vec::new();
    for n in from..to {
        let at = (at - column).saturating_add(n);
        let value = operand_value(e, k, at).or_else(|| (n == column).then(|| error.value.as_deref().map(clean))?)?;
        let bad = n == column || error.bad.contains(&at);
        shown.push(if bad { format!(">{value}<") } else { value });
    }
    let (before, after) = (if from > 0 { "…, " } else { "" }, if to < extent { ", …" } else { "" });
    let outer: String = place.iter().map(|k| format!("{k}, ")).collect();
    let row = if place.is_empty() { String::new() } else { format!("[{outer}:]") };
    Some(format!("{}{row} = [{before}{}{after}]", operand_name(e, k), shown.join(", ")))
}

/// The part of the expression an error is about, as three pieces of clean text; none where it is the whole.
pub(super) fn blamed(e: &Explanation) -> Option<[String; 3]> {
    let [from, to] = e.error.as_ref()?.span?;
    let text = &e.expression;
    let [before, blamed, after] = [text.get(..from)?, text.get(from..to)?, text.get(to..)?];
    let whole = before.trim().is_empty() && after.trim().is_empty();
    (!whole && !blamed.is_empty() && text.len() <= 1000 && !text.contains('\n'))
        .then(|| [before, blamed, after].map(|part| clean_to(part, 1000)))
}

/// Bytes read and written, in one line.
pub(super) fn moved(e: &Explanation, w: &Words) -> String {
    let (read, written) = (bytes(e.bytes.read), bytes(e.bytes.written));
    match e.bytes.requests {
        None if e.bytes.read == 0 && e.bytes.written == 0 => w.bytes_none.to_owned(),
        Some(n) => fill(w.bytes_files, &[("read", &read), ("written", &written), ("n", &n)]),
        None => fill(w.bytes, &[("read", &read), ("written", &written)]),
    }
}

/// That the elements are a sample, where they are.
pub(super) fn sampled(e: &Explanation, w: &Words) -> Option<String> {
    e.sample.map(|sample| fill(w.sampled, &[("shown", &sample.shown), ("of", &sample.of)]))
}

/// The value of a result's element as it was before a write, zero where nothing was.
pub(super) fn value_before(e: &Explanation, outcome: &Outcome, at: usize) -> Option<String> {
    match outcome.base {
        Some(base) => operand_value(e, base, at),
        None => Some("0".to_owned()),
    }
}

/// What an element is made of, in a line. With groups it is told where index values stand for other positions.
pub(super) fn made_of(
    e: &Explanation,
    outcome: &Outcome,
    cell: &Cell,
    groups: Option<(&Groups, usize)>,
    w: &Words,
) -> Option<String> {
    if let Some(formula) = formula(e, outcome, cell, 12, w) {
        return Some(formula);
    }
    if cell.sources.is_empty() {
        let by = pointers(e, &cell.by, w);
        let text = if by.is_empty() { w.fill.to_owned() } else { format!("{} ({by})", w.fill) };
        return (cell.how == How::Fill).then_some(text);
    }
    let parts = cell.sources.iter().take(6).map(|from| {
        let position = groups.and_then(|(groups, k)| groups.position(e, k, cell, from));
        let by = led_by(e, from, position, w);
        let fate = if cell.sources.len() > 1 { fate(cell, from, w) } else { "" };
        let value = source_value(e, from).map(|value| format!(" = {value}")).unwrap_or_default();
        let about: Vec<&str> = [&*by, fate].into_iter().filter(|text| !text.is_empty()).collect();
        let about = if about.is_empty() { String::new() } else { format!(" ({})", about.join(": ")) };
        format!("{}{value}{about}", source(e, from, w))
    });
    Some(parts.collect::<Vec<_>>().join("; "))
}

/// Whether all explanations of a comparison give the same, in a sentence or two.
pub(super) fn verdict(all: &Comparison, w: &Words) -> String {
    let failed = all.columns.iter().filter(|column| column.explanation.error.is_some()).count();
    if failed == all.columns.len() && failed > 0 {
        return w.all_fail.to_owned();
    }
    if all.same {
        return w.all_same.to_owned();
    }
    let mut shapes = all.columns.iter().filter_map(|column| column.explanation.results.first()).map(|o| &o.shape);
    let first = shapes.next();
    let mut out = Vec::new();
    if shapes.any(|shape| Some(shape) != first) {
        out.push(w.shapes_differ.to_owned());
    }
    if !all.places.is_empty() {
        out.push(fill(w.differ, &[("n", &all.places.len())]));
    }
    if failed > 0 {
        out.push(w.some_fail.to_owned());
    }
    out.join(" ")
}

/// The columns that give what none before them does.
pub(super) fn distinct(all: &Comparison) -> impl Iterator<Item = usize> {
    let first = |k: usize| all.columns[k].like >= k;
    (0..all.columns.len()).filter(move |k| first(*k))
}

/// The names of a column and of all that give the same.
pub(super) fn alike(all: &Comparison, k: usize, w: &Words) -> String {
    let same = all.columns.iter().enumerate().filter(|(n, column)| *n == k || column.like == k).take(16);
    same.map(|(_, column)| clean(&column.name)).collect::<Vec<_>>().join(w.comma)
}
